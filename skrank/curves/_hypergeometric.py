"""Tails and quantiles of the hypergeometric distribution, of arrays.

SciPy computes each number by itself, in a loop.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

Counts = NDArray[np.intp]

# Above the relative error of a probability by logarithms of factorials, which is 1e-11
# at 3,000 items. Without it, quantiles at a probability that is reached are missed.
_ERROR = 1e-9


def hits_by_chance(q: float, n: int, m: int, depths: ArrayLike) -> Counts:
    """Return the smallest numbers of hits with ``P(hits(t) <= h) >= q``.

    Of n items with m targets, the hits of the first t are random. Time is that of
    `probability_of`, times log m.
    """
    t = np.asarray(depths, dtype=np.intp)
    least, most = np.maximum(0, t - (n - m)), np.minimum(t, m)
    most_above = 1 - q + _ERROR * min(q, 1 - q)
    return _first(
        lambda h: probability_of(h + 1, n, m, t) <= most_above, least - 1, most
    )


def depths_by_chance(q: float, n: int, m: int, hits: ArrayLike) -> Counts:
    """Return the smallest depths t with ``P(hits(t) >= h) >= q``; see above."""
    h, least = np.asarray(hits, dtype=np.intp), q - _ERROR * min(q, 1 - q)
    return _first(lambda t: probability_of(h, n, m, t) >= least, 0 * h, 0 * h + n)


def _first(
    holds: Callable[[Counts], NDArray[np.bool_]], low: Counts, high: Counts
) -> Counts:
    """Return the first number above `low` for which a condition holds, as at `high`."""
    while np.any(high - low > 1):
        middle = (low + high) // 2
        is_there = holds(middle)
        low, high = np.where(is_there, low, middle), np.where(is_there, middle, high)
    return high


def probability_of(hits: Counts, n: int, m: int, t: Counts) -> NDArray[np.float64]:
    """Return P(hits of the first t >= hits), for arrays of hits and depths.

    Terms are added from `hits` away from the mean, each from the one before, until they
    no longer count: O(standard deviation) for each probability.
    """
    mean = t * (m / n)
    rises = hits > mean
    # away from the mean, a term 10 standard deviations further counts no more
    deviation = np.sqrt(mean * (1 - m / n) * ((n - t) / max(n - 1, 1)))
    steps = np.arange(1, int(10 * deviation.max(initial=0)) + 40)
    found = np.empty(t.size)
    size = max(1, 2**20 // steps.size)
    for start in range(0, t.size, size):
        part = slice(start, start + size)
        first = np.where(rises, hits, hits - 1)[part, None]
        depth, up = t[part, None], rises[part, None]
        k = np.where(up, first + steps, first - steps)
        # the ratio of the term of k to the one before it
        with np.errstate(divide="ignore", invalid="ignore"):
            above = (m - k + 1) * (depth - k + 1) / (k * (n - m - depth + k))
            below = (k + 1) * (n - m - depth + k + 1) / ((m - k) * (depth - k))
        ratio = np.where(up, above, below)
        inside = (k >= 0) & (k <= m) & (k <= depth) & (k >= depth - (n - m))
        terms = np.cumprod(np.where(inside, ratio, 0.0), axis=1)
        total = _chance(first, n, m, depth) * (1 + terms.sum(axis=1, keepdims=True))
        found[part] = np.where(up, total, 1 - total)[:, 0]
    return np.clip(found, 0.0, 1.0)


def _chance(k: Counts, n: int, m: int, t: Counts) -> NDArray[np.float64]:
    """Return P(hits = k), by logarithms of factorials."""

    def choose(size: Counts | int, part: Counts | int) -> NDArray[np.float64]:
        rest = np.maximum(size - part, 0)
        part = np.maximum(part, 0)
        log: NDArray[np.float64] = (
            gammaln(size + 1.0) - gammaln(part + 1.0) - gammaln(rest + 1.0)
        )
        return log

    inside = (k >= 0) & (k <= m) & (k <= t) & (k >= t - (n - m))
    log = choose(m, k) + choose(n - m, t - k) - choose(n, t)
    return np.where(inside, np.exp(np.where(inside, log, 0.0)), 0.0)
