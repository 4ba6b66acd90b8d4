"""Find the tilt of a ranking of many targets, and follow its hits in strides.

Where the hits of a ranking of m targets stand under a tilt is known to some sqrt(m) of
them, and what follows on a number of hits changes smoothly from one to the next. So a
lattice of some dozen numbers at each depth is enough, whatever m: a sum over all of
them is one over every h-th, times h, as long as h is below the standard deviation (the
trapezoidal rule, whose error falls as exp(-2 (pi * deviation / h)**2)).

Where they stand is found in levels. If the logarithms of all weights are divided by h,
the distribution is that of a ranking h times shorter, in which h hits go together: the
path is the same, the spread sqrt(h) times as large. A distribution of some hundred such
bundles is taken with all that is possible; from there each level has four times as
many, in windows that the level before has left, at least twice as wide as they need to
be.

Inside the blocks the order of the hits is drawn: of the cumulants of that, the mean and
the variance are kept.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from skrank.null._centred import (
    CentredSum,
    Cumulants,
    OutOfReachError,
    TailEvent,
    refine,
)
from skrank.null._chain import Chain
from skrank.null._steps import Lattice, Windows
from skrank.null._tilting import (
    MERGING,
    Solution,
    Tilted,
    Way,
    centre,
    newton,
    normal_tail,
    total,
)

MANY = 500  # targets from which on rankings are followed in strides
_BUNDLES = 200  # hits that go together, of the first level, at most
_HEAD = 8  # bundles that the first block of a level has room for
_BLOCK_GROWTH = 0.25  # growth of the blocks of a level
_GROWTH = (0.005, 0.2)  # of the blocks of the fine chain, at least and at most
_SINGLE = 200  # ranks at the top that are not merged: there a distribution may be lumpy
_LEFT_OUT = 1e-9  # chance of the numbers of hits outside the windows
_FURTHEST = 1e9  # tilt, in units of the deviation, at which only the best is left
_REACHED = 0.97  # of the way there: how far a level of bundles is asked to go
_MOST_CELLS = 2**26  # of a lattice; one or two GiB
_MAX_LOOKS = 8  # at a ranking without bundles
_COARSE = 1.5  # width of the blocks among which the tilt is found, in fine ones
_MAX_FINER = 3  # lattices after that
_AGREED = MERGING / 2  # relative difference of p at which two lattices agree
_HOPELESS = 0.5  # and at which finer ones do not help
_TOUCHED = 1e-6  # chance beyond which an end of the windows is noticed
_FURTHER = 4  # strides that it is then moved by, at least
_NEAR = 1.0  # tilt, in units of the deviation, whose windows have nearly all there is
_CUT = 1e-4  # chance that all windows together may cut off
_PER_DEVIATION = 2.0  # strides in a standard deviation, at least

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Levels(Solution):
    """The tilt of rankings of many targets, found level by level."""

    def drawn(self, tilt: float) -> list[Tilted]:
        """Tilt all parts, every number of hits for itself, to draw from."""
        looks = _looks([way.tilted(tilt) for way in self.ways], tilt)
        return list(map(_drawable, self.event.parts, looks))

    def tilted(self, tilt: float) -> tuple[list[Tilted], float]:
        """Tilt all parts, on lattices that are made finer until two agree.

        They differ in blocks, windows and strides; what is left out falls at least as
        the third power of the width of the blocks, so that the finer one of two is
        nearer to the truth than to the other.
        """
        (ways, lists), error = refine(self._finer(tilt), _AGREED)
        if error == math.inf:
            raise OutOfReachError
        error += MERGING / 2 + _missing(ways, tilt)
        return [one.trimmed() for one in lists], error

    def _finer(
        self, tilt: float
    ) -> Iterator[tuple[tuple[list[Way], list[Tilted]], float]]:
        """Tilt all parts on ever finer lattices, until windows or strides mislead."""
        parts, found = self.event.parts, self.at(tilt)
        looks = _looks([way.tilted(tilt) for way in self.ways], tilt)
        for finer in range(_MAX_FINER):
            before, times = normal_tail(tilt, found), _COARSE**-finer
            ways = [_refined(*one, times) for one in zip(parts, looks, strict=True)]
            found, lists = total(ways, tilt), [way.tilted(tilt) for way in ways]
            looks = _looks(lists, tilt)
            change = abs(math.expm1(min(normal_tail(tilt, found) - before, 700.0)))
            cut = _cut(looks)
            # by how much more p feels a chance that is left out of the tilted
            # distribution
            error = change + cut * (1 + 2.5 * abs(tilt) * math.sqrt(found.curvature))
            yield (ways, lists), error if cut <= _CUT else math.inf
            if cut <= _CUT and error >= _HOPELESS:
                return


def solve(event: TailEvent) -> Levels:
    """Find the tilt; the value must be inside the support."""
    parts, tilt = event.parts, 0.0
    ways = [_first(part) for part in parts]
    spread = math.sqrt(total(ways, tilt).curvature)
    while any(way.temperature > 1 for way in ways):
        tilt = _near(ways, tilt)
        ways = [_next(*one, tilt) for one in zip(parts, ways, strict=True)]
    tilt, found = _root(ways, tilt)
    looks = _looks([way.tilted(tilt) for way in ways], tilt)
    for _ in range(_MAX_LOOKS):
        ways, before = list(map(_refined, parts, looks)), tilt
        tilt, found = _root(ways, tilt)
        looks = _looks([way.tilted(tilt) for way in ways], tilt)
        still = abs(tilt - before) * math.sqrt(found.curvature) <= 1.0
        if still and _cut(looks) <= _CUT:
            return Levels(event, ways, tilt, found, spread)
    raise OutOfReachError


def moments(chain: Chain) -> tuple[float, float]:
    """Mean and variance in strides; the slope must be constant."""
    assert chain.slope is not None
    part = CentredSum(chain, 1, 0.0)
    way = _first(part)
    while way.temperature > 1:
        way = _next(part, way, 0.0)
    for _ in range(2):
        way = _refined(part, _Profile(way.tilted(0.0), 0.0))
    _, mean, variance = way.cumulants(0.0)
    return chain.slope * mean, chain.slope**2 * variance


def _looks(lists: Sequence[Tilted], tilt: float) -> list["_Profile"]:
    return [_Profile(one, tilt) for one in lists]


def _cut(looks: Sequence["_Profile"]) -> float:
    """Chance that the windows of all rankings leave out, by what is at their ends."""
    return sum(look.centred.copies * look.cut for look in looks)


def _missing(ways: Sequence[Way], tilt: float) -> float:
    """What all chances together lack of 1, where the tilt is so small that all count.

    This sees humps of the distribution that the windows have never met.
    """
    rest = total(ways, 0.0)
    near = abs(tilt) * math.sqrt(rest.curvature) <= _NEAR
    return abs(math.expm1(rest.value)) if near else 0.0


def _root(ways: Sequence[Way], tilt: float) -> tuple[float, Cumulants]:
    """Tilt at which the centred sum is zero on average, and the cumulants there."""
    ask = partial(total, ways)
    return centre(ask, ask(tilt), tilt)


def _near(ways: Sequence[Way], tilt: float) -> float:
    """Tilt at which it is zero, or nearly so where bundles do not reach it."""
    rest = total(ways, 0.0)
    most = total(ways, _FURTHEST / math.sqrt(rest.curvature))
    beyond = min(0.0, rest.slope + _REACHED * (most.slope - rest.slope))

    def centre(tilt: float) -> Cumulants:
        found = total(ways, tilt)
        return found._replace(slope=found.slope - beyond)

    return newton(centre, centre(tilt), tilt)[0]


def _first(part: CentredSum) -> Way:
    """Take a ranking with all that is possible, its hits in bundles."""
    chain, temperature = part.chain, 1
    others = chain.n_samples - chain.n_targets
    while (
        min(chain.n_targets, others) > _BUNDLES * temperature
    ):  # the hits vary no further
        temperature *= 4
    chain = _blocks(chain, temperature)
    chain.freedom = None
    least, most, widest = chain.possible()
    stride = np.full(least.shape, temperature)
    fewest = np.maximum(0, widest - others)
    lattice = chain.lattice(Windows(least, most, widest), stride, fewest)
    return _strides(part, chain, lattice, temperature)


def _next(part: CentredSum, way: Way, tilt: float) -> Way:
    """Look at the ranking where its hits were found, in bundles a quarter as large."""
    if way.temperature == 1:
        return way
    temperature = way.temperature // 4
    chain = _blocks(part.chain, temperature)
    if temperature > 1:
        chain.freedom = None
    lattice = _Profile(way.tilted(tilt), tilt).lattice(chain, temperature)
    return _strides(part, chain, lattice, temperature)


def _refined(part: CentredSum, look: "_Profile", times: float = _COARSE) -> Way:
    """Look at a ranking in blocks, and strides, some times as wide as p allows.

    What is left out inside the blocks is the third cumulant.
    """
    growth = (MERGING / 2 / max(look.roughness(), 1e-12)) ** 0.25
    growth = times * min(max(growth, _GROWTH[0]), _GROWTH[1])
    chain = part.chain.blocks(growth, single=_SINGLE)
    return _strides(part, chain, look.lattice(chain, 1, times), 1)


def _drawable(part: CentredSum, look: "_Profile") -> Tilted:
    """Tilt a ranking in blocks inside which a draw may spread its hits evenly."""
    growth = (24 * MERGING / max(look.unresolved(), 1e-12)) ** 0.5
    chain = part.chain.blocks(min(max(growth, 0.004), 0.2), single=_SINGLE)
    chain.freedom = None
    lattice = look.lattice(chain, 1)
    lattice = lattice._replace(stride=np.ones_like(lattice.stride))
    return Tilted(part.on(chain), look.tilt, chain.steps_on(lattice))


def _blocks(chain: Chain, temperature: int) -> Chain:
    """Merge a ranking into some dozen blocks that hold whole bundles."""
    return chain.blocks(_BLOCK_GROWTH, _HEAD * temperature if temperature > 1 else 0)


def _strides(part: CentredSum, chain: Chain, lattice: Lattice, temperature: int) -> Way:
    if not lattice.is_open or lattice.n_cells > _MOST_CELLS:
        raise OutOfReachError
    return Way(part.on(chain), list(chain.steps_on(lattice, temperature)), temperature)


class _Profile:
    """Where the hits of a tilted list stand.

    After each block, and in it: the least and the most hits that count, and those
    whose lack would be noticed; the mean and the standard deviation.
    """

    def __init__(self, tilted: Tilted, tilt: float) -> None:
        self.centred, self.temperature, self.tilt = (
            tilted.centred,
            tilted.temperature,
            tilt,
        )
        chain = self.centred.chain
        self.depths = chain.depths
        ranges = list(_ranges(tilted))
        #: Chance that the windows leave out, judged by what is at their ends.
        self.cut = sum(sum(one.cut()) for pair in ranges for one in pair)
        rows = [np.zeros(8), *itertools.starmap(_row, ranges)]
        if chain.ends[-1] == chain.n_samples:  # where all hits have been seen
            m = chain.n_targets
            self.depths = np.append(self.depths, chain.n_samples)
            rows.append(np.array([m, m, m, m, m, 0.0, 0.0, m]))
        (
            self.least,
            self.most,
            self.felt_least,
            self.felt_most,
            self.mean,
            self.deviation,
            self.fewest,
            self.widest,
        ) = np.array(rows).T
        self.mean = np.maximum.accumulate(self.mean)  # rounding

    def roughness(self) -> float:
        """What blocks that grow by 1 leave out of K, all together.

        Of places spread evenly over a width of a, on the scale of K, the third cumulant
        is about a**3 / 60 times the growth, the fourth is -a**4 / 120.
        """
        hits, width = self._widths()
        return float(hits @ (width**3 / 360 + width**4 / 2880))

    def unresolved(self) -> float:
        """Variance of the gains inside blocks that grow by 1, all blocks together."""
        hits, width = self._widths()
        return float(hits @ width**2)

    def _widths(self) -> tuple[_Floats, _Floats]:
        """Free hits of the blocks, and how gains change over blocks that grow by 1."""
        chain = self.centred.chain
        start, stop = self.depths[:-1], self.depths[1:]
        far = start >= 5
        start, stop, above = start[far], stop[far], self.mean[:-1][far]
        ends = [
            chain.measure.gain(depth, 1, above, 1, chain.frame)
            for depth in (start, stop - 1)
        ]
        scale = np.abs(self.tilt * self.centred.scale / np.log(stop / start))
        hits = np.diff(self.mean)[far]
        free = hits * np.clip(1 - hits / (stop - start), 0, 1)
        return free, scale * np.abs(ends[0] - ends[1])

    def lattice(self, chain: Chain, temperature: int, times: float = 1.0) -> Lattice:
        """Lay a lattice for bundles of some size over another chain."""
        depths, known = chain.depths, self.depths
        mean = PchipInterpolator(*self._points(), extrapolate=True)(depths)
        hits = np.maximum(np.diff(mean), 0.0)
        unknown = depths < known[1]
        least, most = self._window(depths, mean, temperature, unknown)
        fewest, widest = self._inside(chain, hits, temperature, unknown[:-1])
        stride = self._stride(chain, hits, temperature, unknown, times)
        return chain.lattice(Windows(least, most, widest), stride, fewest)

    def _points(self) -> tuple[_Floats, _Floats]:
        """Depths and mean hits to interpolate between, but for what is rounding."""
        least = _TOUCHED * self.deviation.max() / self.mean.size
        mean = least * np.round(self.mean / least) if least > 0 else self.mean
        return self.depths.astype(float), mean

    def _window(
        self, depths: _Ints, mean: _Floats, temperature: int, unknown: NDArray[np.bool_]
    ) -> tuple[_Ints, _Ints]:
        """Least and most hits at depths; between the known ones as a bridge varies."""
        known = self.depths
        held = np.interp(depths, known[1:], np.diff(self.mean))
        slack = self.temperature + np.sqrt(8 * temperature * held)
        slack[np.isin(depths, known)] = self.temperature
        least = mean + np.interp(depths, known, self.least - self.mean) - slack
        most = mean + np.interp(depths, known, self.most - self.mean) + slack
        least = np.where(unknown, 0, least)
        most = np.where(unknown, depths, most)
        # hits do not become fewer
        least = np.minimum.accumulate(least[::-1])[::-1]
        return (
            least.astype(np.intp),
            np.ceil(np.maximum.accumulate(most)).astype(np.intp),
        )

    def _inside(
        self, chain: Chain, hits: _Floats, temperature: int, unknown: NDArray[np.bool_]
    ) -> tuple[_Ints, _Ints]:
        """Fewest and most hits in blocks, by those in the blocks that they overlap."""
        known, depths = self.depths, chain.depths
        first = np.minimum(np.searchsorted(known, depths[:-1], "right"), known.size - 1)
        last = np.minimum(np.searchsorted(known, depths[1:]), known.size - 1)
        usual = np.maximum(np.diff(self.mean), 1e-9)
        loose = 1.5 if temperature < self.temperature else 1.2
        crowd, bare = self.widest[1:] / usual, self.fewest[1:] / usual
        crowd = loose * _over(np.maximum, crowd, first - 1, last)
        bare = _over(np.minimum, bare, first - 1, last) / loose
        whole = _over(np.add, self.widest[1:], first - 1, last)
        reach = 6 * np.sqrt(temperature * hits) + 6 * temperature
        widest = np.minimum(crowd * hits, whole) + reach
        widest = np.where(unknown, chain.sizes[:-1], widest)
        fewest = np.where(unknown, 0, bare * hits - reach)
        return fewest.astype(np.intp), widest.astype(np.intp)

    def _stride(
        self,
        chain: Chain,
        hits: _Floats,
        temperature: int,
        unknown: NDArray[np.bool_],
        times: float,
    ) -> _Ints:
        """Way well below the deviations of the hits after blocks and in them."""
        depths, known, possible = chain.depths, self.depths, chain.possible()
        inside = np.sqrt(
            temperature * hits * np.clip(1 - hits / chain.sizes[:-1], 0, 1)
        )
        cooler = math.sqrt(temperature / self.temperature)
        deviation = cooler * np.interp(depths, known, self.deviation)
        room = np.minimum(
            np.interp(depths, known, self.felt_least) - possible.least,
            possible.most - np.interp(depths, known, self.felt_most),
        )
        deviation = np.where((room < 2 * temperature) | unknown, 0.0, deviation)
        smooth = np.minimum(deviation, np.append(inside, np.inf))
        smooth = np.minimum(smooth, np.append(deviation[1:], np.inf))
        units = np.maximum(smooth * times / (_PER_DEVIATION * temperature), 1.0)
        return temperature * np.asarray(2 ** np.floor(np.log2(units)).astype(np.intp))


class _Range(NamedTuple):
    """Numbers of hits on a lattice, their chances, and what else would be possible."""

    hits: _Ints
    chance: _Floats
    stride: int
    least: int
    most: int

    def cut(self) -> tuple[float, float]:
        """Chances at the two ends, where they are not those of what is possible."""
        low = self.hits[0] - self.stride >= self.least
        high = self.hits[-1] + self.stride <= self.most
        ends = float(self.chance[0]), float(self.chance[-1])
        return (ends[0] if low else 0.0, ends[1] if high else 0.0)

    def kept(self, least: float) -> tuple[int, int]:
        """Hits with more than a chance; far beyond ends that cut off too much."""
        low, high = self.hits[self.chance > least][[0, -1]].tolist()
        mean = float(self.chance @ self.hits)
        below, above = self.cut()
        if below > _TOUCHED:
            low = max(self.least, int(low - (mean - low) - _FURTHER * self.stride))
        if above > _TOUCHED:
            high = min(self.most, int(high + (high - mean) + _FURTHER * self.stride))
        return low, high


def _ranges(tilted: Tilted) -> Iterator[tuple[_Range, _Range]]:
    """Numbers of hits after each block, and in it."""
    chain = tilted.centred.chain
    least, most, widest = (part.tolist() for part in chain.possible())
    pairs = zip(reversed(tilted.moves), tilted.marginals(), strict=True)
    for j, (move, (first, after, inside)) in enumerate(pairs):
        step = move.step
        hits = first + step.next_stride * np.arange(after.size)
        in_block = step.fewest + step.stride * np.arange(inside.size)
        room = min(widest[j], int(hits[-1]) - step.least)
        yield (
            _Range(hits, after, step.next_stride, least[j + 1], most[j + 1]),
            _Range(in_block, inside, step.stride, 0, room),
        )


def _row(after: _Range, inside: _Range) -> _Floats:
    """What a profile keeps of a block."""
    mean = float(after.chance @ after.hits)
    deviation = math.sqrt(float(after.chance @ (after.hits - mean) ** 2))
    kept, noticed = after.kept(_LEFT_OUT), after.kept(_TOUCHED)
    return np.array([*kept, *noticed, mean, deviation, *inside.kept(_LEFT_OUT)])


def _over(function: np.ufunc, values: _Floats, first: _Ints, stop: _Ints) -> _Floats:
    """Reduce stretches of values, from the first of each to before the stop."""
    pairs = np.stack([first, np.maximum(stop, first + 1)], axis=1).ravel()
    found = function.reduceat(np.append(values, values[-1]), pairs)[::2]
    return np.asarray(found)
