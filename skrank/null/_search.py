"""Search of the tilt, and of a lattice that is fine enough for the tail.

The numbers of hits of m targets under a tilt are known to about sqrt(m), so the search
goes level by level. If the logarithms of all weights are divided by h, the distribution
is that of a ranking that is h times shorter, in which h hits are one bundle. The mean
path is the same, and the standard deviation is sqrt(h) times as large. The first level
has some hundred bundles and all numbers of hits. Each following level has four times as
many bundles, and follows the numbers of hits that were likely in the level before.

If each bundle is one hit, then blocks, strides and the range of the numbers of hits are
refined until two lattices agree on p in the approximation for a normal tilted
distribution,

    log P(E >= 0) ~ K(u) - K'(u)**2 / (2 K''(u)) + log(erfcx(z / sqrt(2)) / 2),

with ``z = (u K'' - K') / sqrt(K'')`` (similar to Lugannani and Rice 1980, *Advances in
Applied Probability* 12, 475-490). The error of the blocks decreases at least as the
third power of their width, so the finer of two lattices is closer to the limit than to
the coarser one.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from skrank.null._chain import Chain
from skrank.null._lattice import Lattice, OutOfReachError, positive
from skrank.null._profile import Profile
from skrank.null._tilted import Cumulants, FirstHitWay, Part, Tilted, Way, total

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]

#: Relative error of p by blocks and strides. Half of it takes as long.
MERGING = 4e-3
# Rankings that are followed without blocks: numbers of groups and of cells of a pass.
_SHORT, _SHORT_CELLS = 256, 2**17
# The same if the levels fail, near an end: two seconds.
_MANY_CELLS, _GROUP_CELLS = 2**22, 2**10
# Bundles of hits on the first level: their largest number, room for some of them in the
# first block, and the growth of its blocks. Half as many find the same tilts.
_BUNDLES, _HEAD, _BLOCK_GROWTH = 200, 8, 0.25
# Smallest and largest growth of the blocks for the final p. With twice the largest,
# three targets among 300,000 have an error of 0.7 % at z = 3; with half of it they take
# twice as long.
_GROWTH = (0.002, 0.1)
_SHAPE = 1.5  # deviations of E over which its shape matters, for any tilt
_CUT = 1e-4  # probability of all of them together
_FURTHEST, _REACHED = (
    1e9,
    0.97,
)  # tilt of bundles, and the share that they reach
_MOST_CELLS = 2**23  # of a pass; a quarter of a second and a quarter of a GiB
# Ratio of successive lattices, their number, and how many may fail to find the tilt.
_COARSE, _MOST_LOOKS, _MOST_LOST = 2.0, 10, 3
_MOST_SPENT = 2**24  # cells of all of them, each group counted as so many: ten seconds
_MOST_PASSES = 40  # of Newton's method
_BEHIND = 2.0  # K at a tilt beyond the saddlepoint, minus K without a tilt


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Tilted rankings on lattices.

    `root` is the saddlepoint, where K' is zero, and has the cumulants `found`. The
    rankings are tilted by `tilt`, which is larger if the root is near zero, or below
    it. `spread` is the standard deviation of E without a tilt; `error` is the relative
    error of p by the lattices.
    """

    ways: list[Way]
    lists: list[Tilted]
    root: float
    found: Cumulants
    tilt: float
    spread: float
    error: float

    def at(self, tilt: float) -> Cumulants:
        """Return the cumulants at another tilt."""
        return self.found if tilt == self.root else total(self.ways, tilt)

    def drawable(self) -> list[Tilted]:
        """Return tilted rankings with all numbers of hits, for draws.

        In blocks in which a draw may place its hits uniformly. Rankings that are one
        step, or whose groups cannot be merged, have no blocks.
        """
        one_step = isinstance(self.ways[0], FirstHitWay)
        if one_step or not all(way.part.chain.is_linear for way in self.ways):
            return self.lists
        return [_drawable(Profile(one, self.tilt), self.tilt) for one in self.lists]


def solve(parts: Sequence[Part]) -> Solution:
    """Find the tilt; the value must be inside the support. About a dozen passes.

    All numbers of hits are followed if they are few, if the levels fail, or if groups
    cannot be merged.
    """
    if parts[0].chain.measure.counted_hits == 1:
        return _centred_solution([FirstHitWay(part) for part in parts])
    groups = sum(part.chain.ends.size for part in parts)
    each = [part.chain.possible().n_cells for part in parts]
    cells = sum(each)
    positive(min(each))
    linear = all(part.chain.is_linear for part in parts)
    if linear and (groups > _SHORT or cells > _SHORT_CELLS):
        with suppress(OutOfReachError):
            return _by_levels(parts)
    positive(_MANY_CELLS - cells - _GROUP_CELLS * groups)
    ways = [Way(part, part.chain, part.chain.possible()) for part in parts]
    return _centred_solution(ways)


def _centred_solution(ways: list[Way]) -> Solution:
    """Find the tilt on lattices of all numbers of hits."""
    found = _solution(ways, 0.0, total(ways, 0.0).deviation)
    if not _is_centred(found.found):
        raise OutOfReachError
    return found


def _by_levels(parts: Sequence[Part]) -> Solution:
    """Find the tilt in bundles of hits, and then on finer lattices."""
    ways = [_first(part) for part in parts]
    spread, root = total(ways, 0.0).deviation, 0.0
    while any(way.temperature > 1 for way in ways):
        root = _near(ways, root)
        ways = [_next(way, root) for way in ways]
    root = _near(ways, root)
    profiles = [Profile(Tilted(way, root), max(root, _SHAPE / spread)) for way in ways]
    nearer = 4 if all(way.part.chain.is_pairwise for way in ways) else 1
    best, before, last, times, lost, spent = None, math.nan, root, _COARSE, 0, 0
    settled = False
    while not settled:
        ways = [_refined(profile, times) for profile in profiles]
        cells = sum(
            way.lattice.n_cells + _GROUP_CELLS * way.chain.ends.size for way in ways
        )
        spent += max(cells, _MOST_SPENT // _MOST_LOOKS)
        found = _solution(ways, root, spread)
        root, there = found.root, found.at(found.tilt)
        deviation = there.deviation
        felt = max(found.tilt, _SHAPE / deviation)
        profiles = [Profile(one, felt) for one in found.lists]
        cut = sum(one.part.copies * one.cut for one in profiles)
        still = abs(found.tilt - last) * deviation <= 1.0 and cut <= _CUT
        log_p, last = normal_tail(found.tilt, there), found.tilt
        change = abs(math.expm1(min(log_p - before, 700.0)))
        before = log_p
        if not _is_centred(found.found):  # the blocks do not reach the value
            lost, times = lost + 1, times / _COARSE
            settled = lost > _MOST_LOST or cut > 1
        elif still:
            # the effect on p of a probability that is left out of the tilted
            # distribution
            missed = cut * (1 + 2.5 * abs(found.tilt) * deviation)
            # the finer one is seven times closer, if gains are sums over pairs
            error = change / nearer + missed
            # frequencies need finer strides than those of the first
            if times < _COARSE and (best is None or error < best[0]):
                best = error, found
            settled = times < _COARSE and (error <= MERGING / 2 or error > 1)
            times /= _COARSE
        settled = settled or spent >= _MOST_SPENT
    if best is None:
        raise OutOfReachError
    error, found = best
    return replace(found, error=error + MERGING / 2)


def normal_tail(tilt: float, found: Cumulants) -> float:
    """Logarithm of P(E >= 0) for a normal tilted distribution."""
    _, slope, curvature = found
    from_zero = (tilt * curvature - slope) / math.sqrt(2 * curvature)
    log_share = math.log(float(erfcx(from_zero)) / 2)
    return found.value - slope**2 / (2 * curvature) + log_share


def _solution(ways: list[Way], tilt: float, spread: float) -> Solution:
    """Centre E and tilt the rankings there, or further if the root is near zero.

    The tilt is then large enough for a short period of the frequencies, and small
    enough that zero stays inside the tilted distribution, because digits would be lost
    otherwise.
    """
    root, found = _newton(partial(total, ways), tilt)
    tilt = root
    if root <= 0.1 / spread:
        tilt = 0.5 / spread
        rest = total(ways, 0.0).value
        while total(ways, tilt).value - rest > _BEHIND:
            tilt /= 2
    lists = [Tilted(way, tilt) for way in ways]
    return Solution(ways, lists, root, found, tilt, spread, 0.0)


def _is_centred(found: Cumulants) -> bool:
    """Whether the mean of E is within half a deviation of zero."""
    spread = math.sqrt(max(0.0, found.curvature))
    return math.isfinite(found.value) and abs(found.slope) <= 0.5 * spread > 0


def _newton(ask: Any, tilt: float) -> tuple[float, Cumulants]:
    """Root of K' by Newton's method inside a bracket, from a starting tilt.

    K' increases from the smallest E to the largest, which have opposite signs, so the
    root exists and is unique. Steps outside of the bracket at most triple the tilt.
    """
    low, high, found = -math.inf, math.inf, ask(tilt)
    reach = found.reach(tilt)
    passes, furthest = 1, _FURTHEST * reach
    # until the mean is near zero, or zero is beyond the best value
    while (
        abs(found.slope) > 0.5 * math.sqrt(found.curvature)
        and abs(tilt) <= furthest
        and passes < _MOST_PASSES
    ):
        low, high = (tilt, high) if found.slope < 0 else (low, tilt)
        most = reach + 2.0 * abs(tilt)
        step = tilt + np.clip(-found.slope / max(found.curvature, 1e-300), -most, most)
        tilt = float(step) if low < step < high else (low + high) / 2
        found, passes = ask(tilt), passes + 1
    return tilt, found


def _near(ways: Sequence[Way], tilt: float) -> float:
    """Tilt at which E is zero, or nearly so if the blocks do not reach that."""
    rest = total(ways, 0.0)
    most = total(ways, _FURTHEST / math.sqrt(rest.curvature))
    beyond = min(0.0, rest.slope + _REACHED * (most.slope - rest.slope))

    def ask(tilt: float) -> Cumulants:
        found = total(ways, tilt)
        return found._replace(slope=found.slope - beyond)

    return _newton(ask, tilt)[0]


def _first(part: Part) -> Way:
    """Return a ranking with all possible numbers of hits, in bundles."""
    chain, temperature = part.chain, 1
    others = chain.stop - chain.start - chain.n_targets
    # the hits vary no further than the others
    while min(chain.n_targets, others) > _BUNDLES * temperature:
        temperature *= 4
    chain = _bundled(chain, temperature)
    least, most, stride, fewest, widest = chain.possible()
    fewest = np.maximum(0, widest - others)
    lattice = chain.lattice(least, most, stride * temperature, fewest, widest)
    return _way(part, chain, lattice, temperature)


def _next(way: Way, tilt: float) -> Way:
    """Return the ranking near its known hits, in bundles of a quarter of the size."""
    if way.temperature == 1:
        return way
    temperature = way.temperature // 4
    chain = _bundled(way.part.chain, temperature)
    lattice = Profile(Tilted(way, tilt), tilt).lattice(chain, temperature)
    return _way(way.part, chain, lattice, temperature)


def _refined(profile: "Profile", times: float) -> Way:
    """Return a ranking in blocks and strides `times` as wide as p allows.

    The error of the blocks is by the third cumulant.
    """
    growth = (MERGING / 2 / max(profile.roughness(), 1e-12)) ** 0.25
    growth = times * min(max(growth, 0.005), _GROWTH[1])
    whole = profile.part.chain.fitted(profile.depths, profile.mean)
    chain = whole.blocks(max(growth, _GROWTH[0]))
    return _way(profile.part, chain, profile.lattice(chain, 1, times), 1)


def _drawable(profile: "Profile", tilt: float) -> Tilted:
    growth = (24 * MERGING / max(profile.unresolved(), 1e-12)) ** 0.5
    chain = profile.part.chain.blocks(min(max(growth, 0.004), 0.2))
    chain.freedom = np.zeros(chain.ends.size)
    lattice = profile.lattice(chain, 1)
    lattice = lattice._replace(stride=np.ones_like(lattice.stride))
    return Tilted(_way(profile.part, chain, lattice, 1), tilt)


def _bundled(chain: Chain, temperature: int) -> Chain:
    """Merge a ranking into about a dozen blocks that hold whole bundles."""
    return chain.blocks(_BLOCK_GROWTH, _HEAD * temperature if temperature > 1 else 0)


def _way(part: Part, chain: Chain, lattice: Lattice, temperature: int) -> Way:
    positive(min(lattice.n_cells, 1 + _MOST_CELLS - lattice.n_cells))
    return Way(part, chain, lattice, temperature)
