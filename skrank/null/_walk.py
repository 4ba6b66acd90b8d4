"""Walk of the tilt to the observed value, on a lattice that follows the likely hits.

The walk begins at the distribution without a tilt, whose hits are known: they are
hypergeometric. It goes on by Newton's method for K'(u) = 0. The first step is of at
most one standard deviation of E, and each of the others at most twice as long as the
one before. After each step the lattice is made again from the hits that are likely
there. A step that leads to hits that the lattice before did not follow is halved.

At large depths groups are merged into blocks. The walk is repeated with narrower blocks
until p changes little in the approximation for a normal tilted distribution,

    log P(E >= 0) ~ K(u) - K'(u)**2 / (2 K''(u)) + log(erfcx(z / sqrt(2)) / 2),

with ``z = (u K'' - K') / sqrt(K'')`` (similar to Lugannani and Rice 1980, *Advances in
Applied Probability* 12, 475-490). The error of the blocks decreases at least as the
third power of their width, so the narrower ones are closer to the limit than to the
wider ones.
"""

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import erfcx

from skrank.null._chain import GROUP_CELLS, Chain
from skrank.null._lattice import (
    FEW_GROUPS,
    MOST_CELLS,
    Lattice,
    OutOfReachError,
    require,
    require_positive,
)
from skrank.null._tilted import (
    Characteristic,
    Cumulants,
    FirstHitWay,
    Part,
    Tilted,
    Way,
    total,
)

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]

# Largest error of p by blocks.
_BLOCKS = 0.02
_THREE_DIGITS, _TWO_DIGITS = math.log(1e-6), math.log(1e-20)
# Growth of the blocks of the walks, one after the other.
_GROWTHS = (0.3, 0.12, 0.06, 0.03, 0.015, 0.0075)
#: Rankings that are followed without blocks: numbers of groups and of cells of a pass.
SHORT, _SHORT_CELLS = 256, 2**18
# Cells of a pass after which no narrower blocks are tried for an error of some percent:
# the next ones take seconds.
_ENOUGH_CELLS = 2**20
# Probability of hits that are not followed, and of those whose absence has an effect.
_LEFT_OUT, _TOUCHED = 1e-9, 1e-7
# Cells that take as long as a walk in blocks. With twice as many, a mean over 16
# rankings of 2000 items is called slow, but takes a second.
_IN_BLOCKS = 2**16
# Possible numbers of hits above a depth that are all followed. With none, exp(-9343) of
# (100000, 5000) under BEDROC is only bounded.
_FEW = 24
# Strides in a standard deviation of hits, for many groups, and for few of them, whose
# sum of gains may be near a lattice.
_PER_DEVIATION, _PER_LUMP = 1.5, 12.0
_MOSTLY = 0.25  # of the variance; beside half of it, the rest hides the steps of a tie
# Largest first step of the tilt in deviations of E, and of the lattice beyond the
# likely hits in deviations of their number. With half or three times the step, tests of
# 12 rankings of 500 to 1e6 items take up to a fifth more time.
_STEP, _BEYOND = 1.0, 2.0
# Part of a change that is uncertain if it is continued. If paths are not continued, the
# walk to exp(-38926) of (100000, 50000) takes more than twice as long.
_MARGIN = 0.3
_MOST_STEPS = 60  # of a walk; far tails take up to 51
_COLUMNS = 256  # numbers of hits above a group, if all possible ones are followed
_CENTRED = 0.05  # deviations of E from zero at which the walk ends


def tolerance(log_p: float) -> float:
    """Relative error of p that is sufficient.

    Three digits of p down to 1e-6, 2 % down to 1e-20, and 10 % below.
    """
    return 0.005 if log_p > _THREE_DIGITS else 0.02 if log_p > _TWO_DIGITS else 0.1


class _TooFarError(Exception):
    """The lattice does not follow the hits of this tilt."""


class Path(NamedTuple):
    """Likely hits above depths, which include the top and the last end, and in groups.

    Above each depth: smallest and largest number, and mean. In each group: smallest and
    largest number, and standard deviation given the hits above it.
    """

    depths: _Ints
    least: _Floats
    most: _Floats
    mean: _Floats
    fewest: _Floats
    widest: _Floats
    deviation: _Floats

    @classmethod
    def plain(cls, chain: Chain, blocks: Chain | None = None) -> "Path":
        """Return the likely hits without a tilt: seven deviations.

        Of a chain that will be in `blocks`, the groups beside their ends suffice.
        """
        n = chain.stop - chain.start
        depths = np.append(chain.depths, chain.ends[-1])
        if blocks is not None:
            at = np.searchsorted(depths, np.append(blocks.depths, blocks.ends[-1]))
            near = np.add.outer(at, [-1, 0, 1]).clip(0, depths.size - 1)
            depths = depths[np.unique(near)]
        sizes = np.diff(depths)
        share = chain.n_targets / n
        mean = share * (depths - chain.start)
        spread = np.sqrt(mean * (1 - share) * (chain.start + n - depths) / n)
        inside = np.sqrt(share * (1 - share) * sizes * (1 - sizes / n))
        least, most = mean - 7 * spread - 4, mean + 7 * spread + 12
        hits = share * sizes
        fewest, widest = hits - 7 * inside - 4, hits + 7 * inside + 12
        return cls(depths, least, most, mean, fewest, widest, inside)

    def among(self, chain: Chain) -> "Path":
        """Return the likely hits of other groups of the same ranking.

        The hits of a known group are anywhere inside it.
        """
        depths = np.append(chain.depths, chain.ends[-1])
        if np.array_equal(depths, self.depths):
            return self
        least, most, mean = (
            np.interp(depths, self.depths, values)
            for values in (self.least, self.most, self.mean)
        )
        held = np.append(0, np.diff(self.mean))[np.searchsorted(self.depths, depths)]
        slack = 2 + 3 * np.sqrt(held)
        hits = np.diff(mean)
        deviation = np.sqrt(hits * np.clip(1 - hits / chain.sizes, 0, 1))
        room = 8 * deviation + 12
        # a known group keeps its strides, which may be those of a tie with few values
        first = np.searchsorted(self.depths, depths[:-1], "right") - 1
        same = (self.depths[first] == depths[:-1]) & (
            self.depths[first + 1] == depths[1:]
        )
        return Path(
            depths,
            least - slack,
            most + slack,
            mean,
            hits - room,
            hits + room,
            np.where(same, self.deviation[first], deviation),
        )

    def hits(self, chain: Chain) -> _Floats:
        """Return the mean hits in groups of the same ranking."""
        depths = np.append(chain.depths, chain.ends[-1])
        return np.diff(np.interp(depths, self.depths, self.mean))

    def ahead(self, before: "Path", times: float) -> "Path":
        """Continue the change since the path before, so many times, with a margin."""
        least, most, mean, fewest, widest, deviation = (
            times * (new - old) for new, old in zip(self[1:], before[1:], strict=True)
        )
        return Path(
            self.depths,
            self.least + least - _MARGIN * np.abs(least),
            self.most + most + _MARGIN * np.abs(most),
            self.mean + mean,
            self.fewest + fewest - _MARGIN * np.abs(fewest),
            self.widest + widest + _MARGIN * np.abs(widest),
            self.deviation + np.minimum(deviation, 0.0),
        )

    def lattice(self, chain: Chain, per_deviation: float) -> Lattice:
        """Return a lattice of these hits, with so many strides in a deviation."""
        possible = chain.possible()
        least = np.minimum.accumulate(self.least[::-1])[::-1][:-1]
        most = np.maximum.accumulate(self.most)[:-1]
        few = possible.most - possible.least < _FEW
        least = np.where(few, possible.least, least)
        most = np.where(few, possible.most, most)
        # a stride belongs to the hits of the group above it
        stride = np.append(1.0, self.deviation) / per_deviation
        near = (least <= possible.least) | (most >= possible.most)
        stride[:-1] = np.where(near, 1.0, stride[:-1])
        return chain.lattice(least, most, stride, self.fewest, self.widest)


def _likely(tilted: Tilted) -> tuple[Path | None, float]:
    """Return the likely hits of a tilted ranking, with room for a step of the tilt.

    And the probability at edges of the lattice where more hits are possible.
    """
    way, moves = tilted.way, tilted.moves
    if isinstance(way, FirstHitWay):
        return None, 0.0
    chain, lattice, possible = way.chain, way.lattice, way.chain.possible()
    above, inside, means = [(0.0, 0.0, 0.0)], [], [0.0]
    most_variance = _MOSTLY * tilted.cumulants.curvature
    for j, move in enumerate(moves):
        # hits in the group; the last group of a whole ranking has all the others
        hits, stride = tilted.hits(move), int(lattice.stride[j + 1])
        deviation = math.sqrt(move.variance(hits - (move.chance * hits).sum(axis=0)))
        here = int(lattice.fewest[j]), int(lattice.widest[j])
        every = 0, int(possible.widest[j])
        if move.step is None and chain.is_whole:
            every = here
        found = _padded(hits, move.joint, deviation, stride, here, every)
        # a tie with most of the variance makes E nearly a lattice
        if not chain.merged[j] and move.variance(move.gain) > most_variance:
            deviation *= _PER_DEVIATION / _PER_LUMP
        inside.append((*found, deviation))
        if move.step is not None:  # and above its end
            hits, chance = move.step.below, moves[j + 1].above
            here = int(hits[0]), int(hits[-1])
            every = int(possible.least[j + 1]), int(possible.most[j + 1])
        else:
            hits, chance = hits + lattice.above(-1), move.joint
            here = every
        mean = float((chance * hits).sum())
        deviation = math.sqrt(float((chance * (hits - mean) ** 2).sum()))
        above.append(_padded(hits, chance, deviation, stride, here, every))
        means.append(mean)
    least, most, cut = np.array(above).T
    fewest, widest, lost, deviations = np.array(inside).T
    path = Path(
        np.append(chain.depths, chain.ends[-1]),
        least,
        most,
        np.maximum.accumulate(means),
        fewest,
        widest,
        deviations,
    )
    return path, float(cut.sum() + lost.sum())


def _padded(
    hits: _Ints,
    chance: _Floats,
    deviation: float,
    stride: int,
    followed: tuple[int, int],
    possible: tuple[int, int],
) -> tuple[float, float, float]:
    """Smallest and largest likely number of hits, with room for a step of the tilt.

    And the probability at the edges of those that are followed, if more are possible.
    """
    kept = hits[chance > _LEFT_OUT]
    require(kept.size > 0)
    least, most = float(kept.min()), float(kept.max())
    low = float(chance[hits < followed[0] + stride].sum())
    high = float(chance[hits > followed[1] - stride].sum())
    low *= low > _TOUCHED and followed[0] > possible[0]
    high *= high > _TOUCHED and followed[1] + stride <= possible[1]
    room, pad = most - least + 3 * deviation, 2 + _BEYOND * deviation
    return (
        least - pad - room * (low > 0),
        most + pad + room * (high > 0),
        low + high,
    )


@dataclass(frozen=True, eq=False)
class Solution:
    """Tilted rankings on lattices.

    `root` is the saddlepoint, where K' is zero, and has the cumulants `found`. The
    rankings are tilted by `tilt`, which is larger if the root is near zero, or below
    it. `paths` are their likely hits; `error` is the relative error of p by the blocks.
    """

    rankings: list[Tilted]
    paths: list[Path | None]
    root: float
    found: Cumulants
    error: float

    @property
    def tilt(self) -> float:
        """The tilt of the rankings."""
        return self.rankings[0].tilt

    @cached_property
    def _characteristics(self) -> list[Characteristic]:
        return [Characteristic(one) for one in self.rankings]

    @property
    def sizes(self) -> list[int]:
        """Numbers of cells of each group."""
        return [size for one in self._characteristics for size in one.sizes]

    def at(self, tilt: float) -> Cumulants:
        """Return the cumulants at a tilt."""
        if tilt == self.tilt:
            return total(self.rankings)
        return total([Tilted(one.way, tilt) for one in self.rankings])

    def phi(self, start: int, count: int, width: float) -> NDArray[np.complex128]:
        """Return E exp(i w E) of the tilted sum at frequencies start * width, ..."""
        each = [one.at(start, count, width) for one in self._characteristics]
        return np.asarray(np.prod(each, axis=0))

    def drawable(self) -> list[Tilted]:
        """Return tilted rankings with all numbers of hits, for draws.

        In blocks in which a draw may place its hits uniformly. Rankings that are one
        step, or whose groups cannot be merged, have no blocks.
        """
        ways = [one.way for one in self.rankings]
        if isinstance(ways[0], FirstHitWay):
            return self.rankings
        chains = [
            way.part.chain.blocks(0.05)
            if way.part.chain.is_linear and way.part.chain.ends.size > SHORT
            else copy(way.part.chain)
            for way in ways
        ]
        for chain in chains:
            chain.freedom = np.zeros(chain.ends.size)
        paths = [p and p.among(c) for p, c in zip(self.paths, chains, strict=True)]
        parts = [way.part for way in ways]
        return _on_likely_lattices(parts, chains, paths, self.tilt, math.inf)[0]


def work(chain: Chain) -> int:
    """Cells of a pass, as a measure of its time.

    Without blocks, of hits within ten deviations on either side; or of all hits of a
    ranking that is one of many, with or without blocks.
    """
    groups = chain.ends.size
    if chain.metric.counted_hits == 1:  # one step
        return groups
    if chain.is_pairwise:
        return min(chain.possible().n_cells // 2, _IN_BLOCKS)
    per = _PER_LUMP if groups <= FEW_GROUPS else _PER_DEVIATION
    likely = groups * round(20 * per) ** 2
    return GROUP_CELLS * groups + min(chain.possible().n_cells, likely)


def solve(parts: Sequence[Part]) -> Solution:
    """Find the tilt; the value must be inside the support."""
    chains = [part.chain for part in parts]
    growths, per = _steps_of_walks(chains)
    first_hits = chains[0].metric.counted_hits == 1
    root, before, error = 0.0, math.nan, 0.0
    paths: list[Path | None] = []
    for growth in growths:
        blocks = [chain.blocks(growth) if growth else chain for chain in chains]
        pairs = zip(chains, blocks, strict=True)
        paths = paths or [None if first_hits else Path.plain(*pair) for pair in pairs]
        paths = [p and p.among(c) for p, c in zip(paths, blocks, strict=True)]
        if growth == growths[0]:
            rankings, paths = _on_likely_lattices(parts, blocks, paths, 0.0, per)
            fewer = math.sqrt(_SHORT_CELLS / _n_cells(rankings))
            per = max(_PER_DEVIATION, per * min(1.0, fewer))
            spread = total(rankings).deviation
        root, rankings, paths = _root(parts, blocks, paths, root, per)
        found, tilt = total(rankings), root
        if root * found.deviation <= 0.1:  # a period is too long for a small tilt
            tilt = 0.5 / spread
            rankings, paths = _on_likely_lattices(parts, blocks, paths, tilt, per)
        chains = [
            chain
            if path is None or growth == 0 or chain.is_pairwise
            else chain.with_usual(path.hits(chain))
            for chain, path in zip(chains, paths, strict=True)
        ]
        log_p = normal_tail(tilt, total(rankings))
        error = abs(math.expm1(min(log_p - before, 700.0)))
        if all(chain.is_pairwise for chain in chains):
            error /= 4
        error = max(error, _unresolved(rankings) / 20)
        before = log_p
        enough = error <= min(tolerance(log_p) / 2, _BLOCKS)
        if enough or (error < 0.04 and _n_cells(rankings) > _ENOUGH_CELLS):
            break
    error = 0.0 if growths == (0.0,) else error
    return Solution(rankings, paths, root, found, error)


def _steps_of_walks(chains: Sequence[Chain]) -> tuple[tuple[float, ...], float]:
    """Return the growth of the blocks of each walk, and strides in a deviation."""
    groups = [chain.ends.size for chain in chains]
    possible = [chain.possible().n_cells for chain in chains]
    require(min(possible) > 0)
    short = sum(groups) <= SHORT and sum(possible) <= _SHORT_CELLS
    first_hits = chains[0].metric.counted_hits == 1
    merged = not (first_hits or short) and all(chain.is_linear for chain in chains)
    per = _PER_LUMP if max(groups) <= FEW_GROUPS else _PER_DEVIATION
    return _GROWTHS if merged else (0.0,), per


def _n_cells(rankings: Sequence[Tilted]) -> int:
    return sum(gain.size for one in rankings for _, gain, _ in one.way.tables)


def _unresolved(rankings: Sequence[Tilted]) -> float:
    """Return the part of the variance of E that is inside blocks.

    Their hits then have no lattice, which a few hits in a block have.
    """
    moves = [(one.way.part.copies, move) for one in rankings for move in one.moves]
    inside = sum(
        copies * float((move.joint * move.unresolved).sum())
        for copies, move in moves
        if move.unresolved is not None
    )
    return inside / total(rankings).curvature


def normal_tail(tilt: float, found: Cumulants) -> float:
    """Logarithm of P(E >= 0) for a normal tilted distribution."""
    _, slope, curvature = found
    from_zero = (tilt * curvature - slope) / math.sqrt(2 * curvature)
    log_share = math.log(float(erfcx(from_zero)) / 2)
    return found.value - slope**2 / (2 * curvature) + log_share


def _root(
    parts: Sequence[Part],
    chains: Sequence[Chain],
    paths: list[Path | None],
    tilt: float,
    per: float,
) -> tuple[float, list[Tilted], list[Path | None]]:
    """Find the root of K' by a walk or, of few ties, by bisection."""
    try:
        return _walk(parts, chains, paths, tilt, per)
    except OutOfReachError:
        require(sum(part.chain.ends.size for part in parts) < FEW_GROUPS)
        return _bisected(parts, chains, per)


def _walk(
    parts: Sequence[Part],
    chains: Sequence[Chain],
    paths: list[Path | None],
    tilt: float,
    per: float,
) -> tuple[float, list[Tilted], list[Path | None]]:
    """Find the root of K' from a tilt whose likely hits are known."""
    rankings, paths = _on_likely_lattices(parts, chains, paths, tilt, per)
    largest, before, last, old = _STEP, math.inf, 0.0, paths
    steps = 0
    while True:
        steps += 1
        require(steps < _MOST_STEPS)
        _, slope, curvature = total(rankings)
        deviation = math.sqrt(require_positive(curvature))
        # a step that leaves a heavy tail behind has a much smaller variance
        steady = curvature > 0.8 * before or abs(slope) <= 1e-4 * deviation
        if abs(slope) <= _CENTRED * deviation and steady:
            return tilt, rankings, paths
        step = float(np.clip(-slope / deviation, -largest, largest)) / deviation
        times = step / last if last else 0.0
        ahead = [p and q and p.ahead(q, times) for p, q in zip(paths, old, strict=True)]
        try:
            rankings, found = _on_likely_lattices(
                parts, chains, ahead, tilt + step, per, slope
            )
        except _TooFarError:
            largest = abs(step) * deviation / 2
            require(largest > 1e-7)
            continue
        old, paths, last, before = paths, found, step, curvature
        tilt, largest = tilt + step, 2 * largest


def _bisected(
    parts: Sequence[Part], chains: Sequence[Chain], per: float
) -> tuple[float, list[Tilted], list[Path | None]]:
    """Find the root of K' by bisection, on a lattice of all possible hits.

    Few ties may have two likely numbers of hits under one tilt, between which no walk
    leads.
    """
    ways = []
    for part, chain in zip(parts, chains, strict=True):
        least, most, _, fewest, widest = chain.possible()
        stride = np.append(most - least, chain.n_targets) // _COLUMNS
        ways.append(
            Way(part, chain, chain.lattice(least, most, stride, fewest, widest))
        )

    def slope(tilt: float) -> float:
        return total([Tilted(way, tilt) for way in ways]).slope

    tilt, high = 0.0, 1.0
    while slope(high) < 0:
        high *= 2
        require(high < 1e9)
    if slope(0.0) < 0:  # else the value is at the mean, up to the strides
        tilt = float(brentq(slope, 0.0, high, rtol=1e-4))
    rankings = [Tilted(way, tilt) for way in ways]
    paths = [_likely(one)[0] for one in rankings]
    return tilt, *_on_likely_lattices(parts, chains, paths, tilt, per)


def _on_likely_lattices(
    parts: Sequence[Part],
    chains: Sequence[Chain],
    paths: list[Path | None],
    tilt: float,
    per: float,
    before: float = 0.0,
) -> tuple[list[Tilted], list[Path | None]]:
    """Return rankings on lattices of all hits that are likely under a tilt.

    With the mean of E `before` a step of the tilt, the step must not lead to hits that
    were not likely before it, or past zero.
    """
    copies = sum(part.copies for part in parts)
    look = 0
    while True:
        require(look < _MOST_STEPS)
        ways = [
            FirstHitWay(part) if path is None else _way(part, chain, path, per)
            for part, chain, path in zip(parts, chains, paths, strict=True)
        ]
        rankings = [Tilted(way, tilt) for way in ways]
        value, slope, curvature = total(rankings)
        require(math.isfinite(value) and curvature >= 0)
        likely = [_likely(one) for one in rankings]
        cut = sum(p.copies * lost for p, (_, lost) in zip(parts, likely, strict=True))
        past = slope * before < 0 and abs(slope) > math.sqrt(curvature)
        if before and (past or (look == 0 and cut > 0.02 * copies)):
            raise _TooFarError
        paths, look = [path for path, _ in likely], look + 1
        if cut <= 10 * _TOUCHED * copies:
            return rankings, paths


def _way(part: Part, chain: Chain, path: Path, per: float) -> Way:
    lattice = path.lattice(chain, per)
    while lattice.n_cells > MOST_CELLS / 4 and _PER_DEVIATION < per < math.inf:
        per = max(_PER_DEVIATION, per / 2)
        lattice = path.lattice(chain, per)
    require(0 < lattice.n_cells <= MOST_CELLS)
    return Way(part, chain, lattice)
