"""Distributions value by value: sums, tails and quantiles, and the law of a first hit.

If only the first hit of a ranking counts, as in the reciprocal rank, the value has at
most as many possible values as there are items.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from skrank._utils._combinatorics import log_binomial
from skrank.null._chain import Chain

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """A discrete distribution: ascending values and the logarithms of probabilities.

    Rounding changes a value in proportion to it, or to `scale` if that is larger.
    """

    value: _Floats
    logchance: _Floats
    scale: float

    @classmethod
    def of(cls, value: _Floats, logchance: _Floats, scale: float) -> "Atoms":
        """Sort the values, and merge those that differ by rounding only."""
        order = np.argsort(value)
        value, logchance = value[order], logchance[order]
        gap = 1e-12 * np.maximum(np.abs(value), scale)
        first = np.flatnonzero(np.diff(value, prepend=-np.inf) > gap)
        return cls(value[first], np.logaddexp.reduceat(logchance, first), scale)

    def plus(self, other: "Atoms", weight: float) -> "Atoms":
        """Distribution of the sum with a multiple of another independent value."""
        value = self.value[:, None] + weight * other.value
        logchance = self.logchance[:, None] + other.logchance
        scale = max(self.scale, weight * other.scale)
        return Atoms.of(value.ravel(), logchance.ravel(), scale)

    def mirrored(self) -> "Atoms":
        """Distribution of the negative value."""
        return Atoms(-self.value[::-1], self.logchance[::-1], self.scale)

    def moments(self) -> tuple[float, float]:
        """Mean and variance."""
        chance = np.exp(self.logchance)
        mean = float(chance @ self.value)
        return mean, float(chance @ (self.value - mean) ** 2)

    def tail(self, statistic: float, sign: int, slack: float) -> float:
        """Logarithm of P(value >= statistic), or <= with sign -1."""
        reaches = sign * (self.value - statistic) >= -slack
        log_p = np.logaddexp.reduce(self.logchance[reaches], initial=-np.inf)
        return min(0.0, float(log_p))

    def mass(self, x: float, slack: float) -> float:
        """Logarithm of P(value = x)."""
        near = np.abs(self.value - x) <= slack
        return float(np.logaddexp.reduce(self.logchance[near], initial=-np.inf))

    def quantile(self, log_p: float, sign: int) -> float:
        """Least value with P(> value) <= p, or with P(<= value) >= p for sign -1."""
        if sign > 0:
            beyond = np.logaddexp.accumulate(self.logchance[:0:-1])[::-1]
            index = np.count_nonzero(beyond > log_p)
        else:
            below = np.logaddexp.accumulate(self.logchance[:-1])
            index = np.searchsorted(below, log_p)
        return float(self.value[index])


@lru_cache(maxsize=16)  # the moments, the ends and the tails all ask for it
def first_hit_law(chain: Chain) -> Atoms:
    """Distribution of a metric to which only the first group with hits contributes.

    A path is this group and its number of hits, with any places of the others. In a
    stretch of untied items the first hit is in the middle.
    """
    n, m, frame = chain.n_samples, chain.n_targets, chain.frame
    # numbers of hits of each group that make a difference
    most = np.where(chain.merged, 1, np.minimum(chain.sizes, m))
    group = np.repeat(np.arange(most.size), most)
    hits = 1 + np.arange(group.size) - np.repeat(np.cumsum(most) - most, most)
    above, size, loose = chain.depths[group], chain.sizes[group], chain.merged[group]
    below = n - above - size
    possible = (m - hits <= below) | (loose & (m <= n - above))
    above, size, hits = above[possible], size[possible], hits[possible]
    below, loose = below[possible], loose[possible]
    place, items = np.where(loose, above + size // 2, above), np.where(loose, 1, size)
    gain = chain.metric.gain(place, items, 0, hits, frame)
    within = np.minimum(m - hits, below)
    ways = log_binomial(size, hits) + log_binomial(below, within)
    ways[loose] = _log_first(above[loose], size[loose], n, m)
    value = (chain.slope or 1.0) * gain
    return Atoms.of(value, ways - log_binomial(n, m), chain.scale)


def _log_first(above: _Ints, size: _Ints, n: int, m: int) -> _Floats:
    """Logarithm of the number of ways to have the first hit in a group."""
    below = n - above - size
    here = log_binomial(n - above, np.minimum(m, n - above))
    later = np.where(below >= m, log_binomial(below, np.minimum(m, below)), -np.inf)
    return np.asarray(here + np.log(-np.expm1(later - here)))
