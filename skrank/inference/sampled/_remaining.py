"""How many targets a random sample of items has left, exactly.

Of `n` items, a random sample of `r` was labelled, and holds `x` targets. The total
number of targets K is unknown, and x has the hypergeometric distribution.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from skrank._utils._combinatorics import log_binomial
from skrank.inference.base._confidence_interval import ConfidenceInterval

Floats = NDArray[np.float64]


def remaining_limits(n: int, r: int, x: int, level: float) -> tuple[int, int]:
    """Return limits of K - x, each of which fails with probability (1 - level) / 2.

    They are the smallest and the largest K that two one-sided tests do not reject.
    """
    outside = (1 - level) / 2
    low, high = x, n - (r - x)
    first, last = low, high
    while first < last:  # the smallest K with P(X >= x) above `outside`
        middle = (first + last) // 2
        if hypergeom.sf(x - 1, n, middle, r) > outside:
            last = middle
        else:
            first = middle + 1
    least, first, last = first, low, high
    while first < last:  # the largest K with P(X <= x) above `outside`
        middle = (first + last + 1) // 2
        if hypergeom.cdf(x, n, middle, r) > outside:
            first = middle
        else:
            last = middle - 1
    return least - x, first - x


def remaining_pvalue(n: int, r: int, x: int, at_most: int) -> float:
    """Return the p-value of the hypothesis that more than `at_most` targets are left.

    It is the probability of so few targets in the sample if one more is left.
    """
    if at_most >= n - r:
        return 0.0
    return float(hypergeom.cdf(x, n, x + at_most + 1, r))


class Left(NamedTuple):
    """What samples in random order say of the number of targets that are left, O(n).

    For each number, the evidence that fewer are left is the mean chance of the sample
    over all smaller numbers, divided by its own: a nonnegative supermartingale of mean
    1 if this number is true. It is ever above 1 / alpha with a probability of at most
    alpha (Waudby-Smith and Ramdas 2020). The evidence of several samples is multiplied.
    """

    weights: Floats  # logarithms of the weights of 0, 1, ... left
    evidence: Floats  # logarithms of the evidence that fewer than 1, 2, ... are left

    def after(self, r: int, x: int, *, at_random: bool = True) -> Left:
        """Return the same if x targets were found among r items, chosen or random.

        Numbers that are no longer possible leave their weight to the others. In its
        order, a sample that leaves l of n items has the chance C(n - r, l) / C(n, l +
        x), up to a factor without l.
        """
        n = self.evidence.size
        weights = self.weights[x : n - r + x + 1]
        evidence = self.evidence[x : n - r + x]
        if not at_random:
            return Left(weights, evidence)
        left = np.arange(n - r + 1)
        chance = log_binomial(n - r, left) - log_binomial(n, left + x)
        before = np.logaddexp.accumulate(self.weights)[x : n - r + x]
        after = np.logaddexp.accumulate(weights + chance)[:-1]
        return Left(weights + chance, evidence + after - before - chance[1:])

    def pvalue(self, at_most: int) -> float:
        """Return the p-value of the hypothesis that more than `at_most` are left."""
        least = float(self.evidence[at_most:].min(initial=math.inf))
        return math.exp(-max(0.0, least))

    def most(self, alpha: float) -> int:
        """Return the largest number that is not rejected at the level alpha."""
        possible = np.flatnonzero(self.evidence < -math.log(alpha))
        return int(possible[-1]) + 1 if possible.size else 0


def nothing_known(n: int) -> Left:
    """Return equal weights of all numbers of targets among n items."""
    return Left(np.zeros(n + 1), np.zeros(n))


def recall_limits(found: int, left: ConfidenceInterval) -> ConfidenceInterval:
    """Return limits of the share of the targets that were found; 1 of none."""
    shares = [found / (found + one) if found + one else 1.0 for one in left]
    return ConfidenceInterval(*reversed(shares))
