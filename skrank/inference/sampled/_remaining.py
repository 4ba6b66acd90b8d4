"""How many targets a random sample of items has left, exactly.

Of `n` items, a random sample of `r` was labelled, and holds `x` targets. The total
number of targets K is unknown, and x has the hypergeometric distribution.
"""

import math

import numpy as np
from scipy.stats import hypergeom

from skrank._utils._combinatorics import log_binomial


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


def remaining_evidence(n: int, r: int, x: int, at_most: int) -> float:
    """Return the logarithm of the evidence that at most `at_most` targets are left.

    The probability of the sample in its order, of K targets, is proportional to C(n -
    r, K - x) / C(n, K). Its mean over all totals below K, divided by it, is a
    martingale with mean 1 if the total is K (Waudby-Smith and Ramdas 2020): with any
    number of looks, it ever exceeds 1 / alpha with a probability of at most alpha. The
    evidence is the least of these over all K that leave more than `at_most`. O(n).
    """
    total = np.arange(x, n - (r - x) + 1)
    log = log_binomial(n - r, total - x) - log_binomial(n, total)
    below = np.logaddexp.accumulate(log)
    left = slice(at_most + 1, None)  # totals that leave more
    evidence = below[at_most : log.size - 1] - np.log(total[left]) - log[left]
    return float(evidence.min(initial=math.inf))
