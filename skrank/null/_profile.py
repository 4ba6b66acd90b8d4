"""Distribution of the hits of a tilted ranking, and a lattice for it.

The numbers of hits at the depths between groups, and within groups, have probabilities
under the tilt. They determine which numbers of hits another chain of the same ranking
must follow, and at which stride. Strides are a fraction of the standard deviation D,
because the error of a trapezoidal sum over a normal density with stride h is ``2 exp(-2
(pi D / h)**2)``.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from skrank.null._chain import Chain
from skrank.null._lattice import Lattice
from skrank.null._tilted import Tilted

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]

_LEFT_OUT = 1e-9  # probability of the numbers of hits that are not followed,
_TOUCHED = 1e-6  # and of those whose absence has an effect
_FEW_GROUPS = 64  # number of ties, with many hits each, that may make E a lattice
_PER_DEVIATION = 2.0  # strides in a standard deviation, at least


class Profile:
    """Distribution of the hits of a tilted ranking.

    At each depth between groups, with top and bottom: the smallest and the largest
    relevant number of hits, and those whose absence would have an effect; the mean and
    the standard deviation. For each group: the smallest and the largest relevant number
    of hits.
    """

    def __init__(self, tilted: Tilted, unit: float) -> None:
        way = tilted.way
        self.part, self.chain, self.temperature = way.part, way.chain, way.temperature
        #: The scale of the gains.
        self.unit = unit
        self.depths = np.append(self.chain.depths, self.chain.ends[-1])
        ranges = list(_ranges(tilted))
        #: Probability of what is not followed, estimated from the ends.
        self.cut = sum(sum(one.cut()) for pair in ranges for one in pair)
        after = [one.summary() for one, _ in ranges]
        (
            self.least,
            self.most,
            self.felt_least,
            self.felt_most,
            mean,
            self.deviation,
        ) = np.array([np.zeros(6), *after]).T
        self.fewest, self.widest = np.array(
            [one.kept(_LEFT_OUT) for _, one in ranges]
        ).T
        self.mean = np.maximum.accumulate(mean)  # rounding
        #: Deviation of the hits in a group, relative to that of a binomial
        #: distribution.
        usual = np.sqrt(
            self.temperature * _binomial(np.diff(self.mean), self.chain.sizes)
        )
        self.tight = np.minimum(tilted.deviations() / np.maximum(usual, 1e-9), 1.0)
        #: Number of hits that distinguish values of E, if few ties make it nearly a
        #: lattice.
        self.grain = np.full(self.chain.ends.size, np.inf)
        if self.part.chain.ends.size <= _FEW_GROUPS:
            _, spread, both = tilted.variances()
            self.grain = spread / np.maximum(unit * np.abs(both), 1e-300)

    def roughness(self) -> float:
        """Error of K by blocks that grow by 1, for all blocks together.

        For a uniform distribution of width a, on the scale of K, the third cumulant is
        about a**3 / 60 times the growth, and the fourth is -a**4 / 120.
        """
        hits, width = self._widths()
        return float(hits @ (width**3 / 360 + width**4 / 2880))

    def unresolved(self) -> float:
        """Variance of the gains inside blocks that grow by 1, of all together."""
        hits, width = self._widths()
        return float(hits @ width**2)

    def _widths(self) -> tuple[_Floats, _Floats]:
        """Free hits of blocks that grow by 1, and changes of the gains over them."""
        chain = self.chain
        start, stop = self.depths[:-1], self.depths[1:]
        far = start >= 5
        start, stop, above = start[far], stop[far], self.mean[:-1][far]
        ends = [
            chain.measure.gain(depth, 1, above, 1, chain.frame)
            for depth in (start, stop - 1)
        ]
        scale = np.abs(self.unit * self.part.scale / np.log(stop / start))
        hits = np.diff(self.mean)[far]
        return _binomial(hits, stop - start), scale * np.abs(ends[0] - ends[1])

    def lattice(self, chain: Chain, temperature: int, times: float = 1.0) -> Lattice:
        """Return a lattice over another chain for bundles of the given size.

        Between known depths, hits vary like a bridge; above the first one, all numbers
        are possible. The strides are well below the deviations after groups and in
        them.
        """
        known, depths = self.depths, np.append(chain.depths, chain.ends[-1])
        between: Any = partial(np.interp, depths, known)
        unknown = depths < known[1]
        # rounding would make a constant part steep
        unit = max(_TOUCHED * self.deviation.max() / known.size, 1e-300)
        levels = unit * np.round(self.mean / unit)
        mean = PchipInterpolator(known.astype(float), levels)(depths)
        hits = np.maximum(np.diff(mean), 0.0)
        # smallest and largest
        held = np.interp(depths, known[1:], np.diff(self.mean))
        slack = self.temperature + np.sqrt(8 * temperature * held)
        slack[np.isin(depths, known)] = self.temperature
        least = np.where(unknown, 0, mean + between(self.least - self.mean) - slack)
        most = mean + between(self.most - self.mean) + slack
        most = np.where(unknown, depths - chain.start, most)
        least = np.minimum.accumulate(least[::-1])[::-1]  # hits do not decrease
        most = np.ceil(np.maximum.accumulate(most))
        # strides
        possible, sizes = chain.possible(), chain.sizes
        inside = np.sqrt(temperature * _binomial(hits, sizes))
        inside *= _over(np.minimum, self.tight, *self._overlap(depths))
        inside = np.minimum(
            inside, _over(np.minimum, self.grain, *self._overlap(depths))
        )
        deviation = math.sqrt(temperature / self.temperature) * between(self.deviation)
        deviation, thus = deviation[:-1], unknown[:-1]
        room = np.minimum(
            between(self.felt_least)[:-1] - possible.least,
            possible.most - between(self.felt_most)[:-1],
        )
        deviation[(room < 2 * temperature) | thus] = 0.0
        smooth = np.minimum(deviation, inside)
        smooth = np.minimum(smooth, np.append(deviation[1:], np.inf))
        smooth = np.minimum(smooth, np.append(np.inf, inside[:-1]))
        units = np.maximum(smooth * times / (_PER_DEVIATION * temperature), 1.0)
        stride = temperature * 2 ** np.floor(np.log2(units)).astype(np.intp)
        fewest, widest = self._inside(depths, hits, temperature)
        fewest, widest = np.where(thus, 0, fewest), np.where(thus, sizes, widest)
        parts = (least[:-1], most[:-1], stride, fewest, widest)
        return chain.lattice(*(part.astype(np.intp) for part in parts))

    def _overlap(self, depths: _Ints) -> tuple[_Ints, _Ints]:
        """Return the first and one past the last of the overlapping blocks."""
        first = np.searchsorted(self.depths, depths[:-1], "right") - 1
        return first, np.searchsorted(self.depths, depths[1:])

    def _inside(
        self, depths: _Ints, hits: _Floats, temperature: int
    ) -> tuple[_Floats, _Floats]:
        """Smallest and largest number of hits in blocks, by overlapping blocks."""
        first, last = self._overlap(depths)
        usual = np.maximum(np.diff(self.mean), 1e-9)
        loose = 1.5 if temperature < self.temperature else 1.2
        crowd = loose * _over(np.maximum, self.widest / usual, first, last)
        bare = _over(np.minimum, self.fewest / usual, first, last) / loose
        whole = _over(np.add, self.widest, first, last)
        reach = 6 * np.sqrt(temperature * hits) + 6 * temperature
        return bare * hits - reach, np.minimum(crowd * hits, whole) + reach


class _Range(NamedTuple):
    """Numbers of hits on a lattice, their probabilities, and the possible numbers."""

    hits: _Ints
    chance: _Floats
    stride: int
    least: int
    most: int

    def cut(self) -> tuple[float, float]:
        """Probabilities at the two ends, if more numbers are possible beyond them."""
        low = self.hits[0] - self.stride >= self.least
        high = self.hits[-1] + self.stride <= self.most
        ends = float(self.chance[0]), float(self.chance[-1])
        return (ends[0] if low else 0.0, ends[1] if high else 0.0)

    def kept(self, least: float) -> tuple[int, int]:
        """Hits with more than a probability; far beyond ends that cut off too much."""
        low, high = self.hits[self.chance > least][[0, -1]].tolist()
        mean, (below, above) = float(self.chance @ self.hits), self.cut()
        if below > _TOUCHED:
            low = max(self.least, int(low - (mean - low) - 4 * self.stride))
        if above > _TOUCHED:
            high = min(self.most, int(high + (high - mean) + 4 * self.stride))
        return low, high

    def summary(self) -> _Floats:
        """Return the row of a profile."""
        mean = float(self.chance @ self.hits)
        deviation = math.sqrt(float(self.chance @ (self.hits - mean) ** 2))
        return np.array([*self.kept(_LEFT_OUT), *self.kept(_TOUCHED), mean, deviation])


def _ranges(tilted: Tilted) -> Iterator[tuple[_Range, _Range]]:
    """Return the numbers of hits after each group, and in it."""
    chain, moves = tilted.way.chain, tilted.moves
    m, possible, strides = chain.n_targets, chain.possible(), tilted.way.lattice.stride
    for j, move in enumerate(moves):
        size, stride = int(possible.widest[j]), int(strides[j])
        in_it = np.broadcast_to(tilted.hits(j), move.joint.shape) // stride
        fewest = int(in_it.min())
        chance: Any = np.bincount(in_it.ravel() - fewest, move.joint.ravel())
        hits: Any = stride * (fewest + np.arange(chance.size))
        if move.step is not None:
            least, most, below = move.step.below
            numbers = np.arange(least, most + 1, below)
            ends = int(possible.least[j + 1]), int(possible.most[j + 1])
            after = _Range(numbers, moves[j + 1].above, below, *ends)
        elif chain.is_whole:  # all hits are above
            after = _Range(np.array([m]), np.ones(1), stride, m, m)
            above = int(tilted.way.lattice.least[j]) + stride * np.arange(
                move.above.size
            )
            hits, chance = m - above[::-1], move.above[::-1]
        else:
            rows, columns = np.indices(move.joint.shape)
            found: Any = np.bincount((rows + columns).ravel(), move.joint.ravel())
            first = int(tilted.way.lattice.least[j] + hits[0])
            numbers = first + stride * np.arange(found.size)
            ends = int(possible.least[-1]), int(possible.most[-1]) + size
            after = _Range(numbers, found, stride, *ends)
        lattice = tilted.way.lattice
        fewest = max(0, int(after.hits[0]) - int(lattice.most[j]))
        room = min(size, int(after.hits[-1]) - int(lattice.least[j]))
        yield after, _Range(hits, chance, stride, fewest, room)


def _binomial(hits: _Floats, sizes: _Ints) -> _Floats:
    """Variance of hits in groups with these means."""
    return np.asarray(hits * np.clip(1 - hits / sizes, 0, 1))


def _over(function: np.ufunc, values: Any, first: _Ints, stop: _Ints) -> _Floats:
    """Apply a ufunc to slices of values, from each first to before each stop."""
    pairs = np.stack([first, np.maximum(stop, first + 1)], axis=1).ravel()
    return np.asarray(function.reduceat(np.append(values, values[-1]), pairs)[::2])
