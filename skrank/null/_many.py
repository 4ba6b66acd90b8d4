"""Mean over many different rankings: all of them in one pass over arrays.

A pass up the groups of each ranking gives E exp(u E) for a tilt u, which may be
complex: then it is the characteristic function of the tilted distribution. Rankings are
aligned at their last groups. The gain of d hits in a group below H others is a sum over
pairs, so the weight ``exp(u * gain)`` is ``w * r**H``, with two exponentials for each
group and d. All possible numbers of hits are followed, without blocks.

With many rankings the sum is smooth on the scale of its own standard deviation, so K'
and K'' are differences of K.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skrank._utils._combinatorics import log_binomial
from skrank.null._lattice import BATCH_ITEMS, MOST_CELLS, require, require_positive
from skrank.null._tilted import Cumulants, Part

_Floats = NDArray[np.float64]

#: Number of different rankings from which on they are passed together. Half as many
#: take as long by the walk.
MANY = 16
_MOST_STEPS = 2**17  # operations on arrays over rankings and tilts: a second
# Exponent of the tilt of one ranking, and of the ways to fill a tie: products of both
# are finite up to 354.
_LARGEST = 300.0
# Deviations of E between tilts whose differences are derivatives, and from zero at
# which the search ends.
_STEP = 0.05
_MOST_PASSES = 30  # of the search, which takes about five


class Many:
    """The sum E of the values of different rankings, tilted at its saddlepoint.

    `root` is the saddlepoint with the cumulants `found`; the rankings are tilted by
    `tilt`, which is larger if the root is near zero.
    """

    error = 0.0  # no blocks, and no strides

    def __init__(self, parts: Sequence[Part], deviation: float) -> None:
        parts = sorted(parts, key=lambda part: -part.chain.ends.size)
        chains = [part.chain for part in parts]
        groups = np.array([chain.ends.size for chain in chains])
        m = np.array([chain.n_targets for chain in chains])
        self._copies = np.array([part.copies for part in parts], dtype=float)
        shape = int(groups[0]), len(parts)
        #: From the last groups upwards: sizes, and gains by pairs of hits.
        sizes, self._pairs = np.zeros(shape, dtype=int), np.zeros((3, *shape))
        rest = np.zeros(len(parts))
        self._shift = np.zeros(len(parts))
        for i, (part, chain) in enumerate(zip(parts, chains, strict=True)):
            sizes[: chain.ends.size, i] = chain.sizes[::-1]
            assert part.weight is not None
            for pair, weight in zip(self._pairs, chain.weights, strict=True):
                pair[: chain.ends.size, i] = part.scale * weight[::-1]
            offset = chain.metric.offset(chain.frame) - part.statistic
            self._shift[i] = part.sign * part.weight * offset
            rest[i] = chain.stop - chain.ends[-1]
        most = int(m.max())
        widest = np.minimum(sizes.max(axis=1), most)
        # the items below the last group, with all remaining hits
        left = m[:, None] - np.arange(most + 1)
        possible = (left >= 0) & (left <= rest[:, None])
        ways = log_binomial(rest[:, None], np.where(possible, left, 0))
        self._below = np.where(possible, ways, -np.inf)
        self._below -= np.array([[chain.log_total] for chain in chains])
        self._largest_weight = max(abs(part.weight or 0.0) for part in parts)
        steps = float(((1 + widest) * (most + 1)).sum())
        #: Numbers of rankings that have so many groups.
        self._counts = (groups > np.arange(shape[0])[:, None]).sum(axis=1)
        self.sizes = [int((self._counts * (1 + widest) * (most + 1)).sum())]
        require(steps < _MOST_STEPS and self.sizes[0] < MOST_CELLS)
        #: Numbers of ways to place 1, 2, ... hits in the groups, for any tilt.
        self._ways = []
        for largest, n, row in zip(widest, self._counts, sizes, strict=True):
            hits = np.arange(1, largest + 1)[:, None]
            ways = log_binomial(row[:n], np.minimum(hits, row[:n]))
            require(float(ways.max(initial=0.0)) < _LARGEST)
            self._ways.append(np.where(hits <= row[:n], np.exp(ways), 0.0)[..., None])
        self._solve(deviation)

    def cgf(self, tilts: NDArray[np.number]) -> NDArray[np.complex128]:
        """K at several tilts, up to multiples of 2 pi i; O(cells) each."""
        tilts = np.asarray(tilts)
        require(float(np.abs(tilts.real).max()) * self._largest_weight < _LARGEST)
        portion = max(1, BATCH_ITEMS // self._below.size)
        parts = [
            self._passed(tilts[i : i + portion]) for i in range(0, tilts.size, portion)
        ]
        return np.concatenate(parts)

    def _passed(self, tilts: NDArray[np.number]) -> NDArray[np.complex128]:
        log_top = self._below.max(axis=1)[:, None] + 0 * tilts.real
        state = np.exp(self._below - self._below.max(axis=1)[:, None]).T[..., None]
        state = state * np.ones_like(tilts)
        for t, n in enumerate(self._counts.tolist()):
            before = state[:, :n]
            cross, item, inside = (x[:n, None] * tilts for x in self._pairs[:, t])
            after = before.copy()
            for d, ways in enumerate(self._ways[t], 1):
                weight = ways * np.exp(d * (item + (d - 1) * inside))
                ratio = np.exp(d * cross)
                for hits in range(before.shape[0] - d):
                    after[hits] += weight * before[hits + d]
                    weight *= ratio
            top = np.abs(after).max(axis=0)
            state[:, :n] = after / top
            log_top[:n] += np.log(top)
        found = log_top + np.log(state[0]) + self._shift[:, None] * tilts
        return np.asarray(self._copies @ found)

    def at(self, tilt: float) -> Cumulants:
        """Return the cumulants at a tilt, from differences."""
        step = _STEP * self._unit
        low, here, high = self.cgf(tilt + step * np.arange(-1, 2)).real.tolist()
        curvature = require_positive((high - 2 * here + low) / step**2)
        return Cumulants(here, (high - low) / (2 * step), curvature)

    def phi(self, start: int, count: int, width: float) -> NDArray[np.complex128]:
        """Return E exp(i w E) of the tilted sum at frequencies start * width, ..."""
        frequency = width * np.arange(start, start + count)
        here = self.at(self.tilt).value
        return np.asarray(np.exp(self.cgf(self.tilt + 1j * frequency) - here))

    def _solve(self, deviation: float) -> None:
        """Find the root of K' from the deviation of E."""
        self._unit = first = 1 / deviation
        low, high, most, self.root = -math.inf, math.inf, 3.0, 0.0
        passes = 0
        while True:
            passes += 1
            require(passes < _MOST_PASSES)
            self.found = self.at(self.root)
            _, slope, curvature = self.found
            self._unit = 1 / math.sqrt(curvature)
            if abs(slope) * self._unit <= _STEP:
                break
            low, high = (self.root, high) if slope < 0 else (low, self.root)
            step = float(np.clip(-slope * self._unit, -most, most)) * self._unit
            to = self.root + step
            self.root = to if low < to < high else (low + high) / 2
            most *= 2
        # a tilt near zero has a long period of the frequencies
        near = self.root * self.found.deviation <= 0.1
        self.tilt = 0.5 * first if near else self.root
