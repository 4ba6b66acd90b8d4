"""Means over the orders within ties, in closed form.

Gains of metrics are made of them. All take arrays that are broadcast, in the notation
of `_ranking`: T items and H hits above a group of b items with d hits.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, expi, exprel, gammaln

from skrank.ranking._ranking import HitGroups

Array = Any  # numbers, or arrays that are broadcast


def hits_within(ties: str, groups: HitGroups, counted: Array) -> Array:
    """Return the hits of each group in the first `counted` of its items."""
    if ties == "optimistic":
        return np.minimum(groups.hits, counted)
    if ties == "pessimistic":
        return np.maximum(groups.hits - (groups.size - counted), 0)
    if ties == "together":
        return groups.hits * (counted > 0)
    return groups.hits * (counted / groups.size)


def whole_precisions(
    above: Array, size: Array, hits_above: Array, hits: Array
) -> Array:
    """Return the sum of precisions if each hit counts at the end of its group."""
    # ratio first: products of weights may overflow
    return hits * ((hits_above + hits) / np.asarray(above + size))


def run_precisions(start: Array, hits_above: Array, count: Array) -> Array:
    """Return the sum of (H + j) / (start + j) for `count` hits in a row."""
    first, second = harmonic_sums(start, count)
    precision = (hits_above + 1) * first
    return precision if second is None else precision + second


def expected_precisions(
    above: Array, size: Array, hits_above: Array, hits: Array, counted: Array
) -> Array:
    """Return the mean sum of precisions of a group's hits in its first `counted` items.

    Place j of the group has a hit with probability d/b, and given this, (j - 1)(d -
    1)/(b - 1) hits of the group are expected above it (McSherry and Najork, 2008,
    section 3).
    """
    first, second = harmonic_sums(above, counted)
    precision = (hits_above + 1) * first
    if second is not None:
        precision = precision + (hits - 1) / np.maximum(size - 1, 1) * second
    return hits / size * precision


def harmonic_sums(
    above: Array, count: Array
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return sums over j = 1..count of 1 / (above + j) and of (j - 1) / (above + j).

    Single items, by far the most frequent case, are exact to the last bit. If there are
    only single items, the second sums are 0, and None is returned for them.
    """
    above, count = np.asarray(above), np.asarray(count)
    most = count.max(initial=0)
    if most <= 1:
        return np.asarray(count / (above + 1)), None
    above, count = np.broadcast_arrays(above.astype(float), count.astype(float))
    first = np.asarray(np.minimum(count, 1) / (above + 1))
    second = np.zeros(first.shape)
    # pairs, as of exchanged ranks, take a quarter of the time of a table
    if most <= 2:
        second = np.maximum(count - 1, 0) / (above + 2)
        return first + second, second
    # below 1e8 items the closed form has a relative error of the second sum of 2e-10
    # for 32 items, and of 2e-9 for 16
    short, long = (count > 1) & (count <= 32), count > 32
    first[short], second[short] = _short_sums(above[short], count[short])
    first[long] = _reciprocal_sum(above[long], count[long])
    second[long] = count[long] - (above[long] + 1) * first[long]
    return first, second


def _short_sums(above: Array, count: Array) -> tuple[Array, Array]:
    """Add up terms, because the closed form is inaccurate for short, deep groups.

    A fraction of an item is this fraction of the next term.
    """
    first, second = np.zeros(count.shape), np.zeros(count.shape)
    place = np.arange(1, 1 + math.ceil(count.max(initial=0)))
    for start in range(0, count.size, 2048):  # a table that fits into the cache
        part = slice(start, start + 2048)
        share = np.minimum(np.maximum(count[part, None] + 1 - place, 0), 1)
        term = share / (above[part, None] + place)
        first[part], second[part] = term.sum(axis=1), (term * (place - 1)).sum(axis=1)
    return first, second


def _reciprocal_sum(above: Array, count: Array) -> Array:
    """Return the sum of 1 / (above + j): digamma at the top, Euler-Maclaurin below.

    At large depths a difference of digammas loses digits. The series in 1 / (x +
    1/2)**2 is that of digamma (Abramowitz and Stegun 1964, 6.3.18); for x >= 32 its
    fifth term is below 1e-17.
    """
    near = digamma(above + count + 1) - digamma(above + 1)
    start = 1 / np.square(np.maximum(above, 32) + 0.5)
    end = 1 / np.square(np.maximum(above, 32) + count + 0.5)
    far = np.log1p(count / (np.maximum(above, 32) + 0.5))
    for power, factor in enumerate((1 / 24, -7 / 960, 31 / 8064, -127 / 30720), 1):
        far = far + factor * (end**power - start**power)
    return np.where(above < 32, near, far)


def mean_over_hits(groups: HitGroups, counted: Array) -> tuple[Array, Array]:
    """Return slope and intercept of AP@k over hits, as means over orders of a group.

    Of d hits, j are in the `counted` first of b items with hypergeometric probability;
    given j, these first items are a group of their own.
    """
    size, hits_above, hits = groups.size, groups.hits_above, groups.hits
    usual, rest = hits * (counted / size), size - counted - hits
    deviation = np.sqrt(usual * (1 - counted / size) * (1 - hits / size))
    # the trapezoidal rule, with four points in a deviation, has no error in floats;
    # with 1.5 it has one of 1e-6 where 1 / j is steep
    step = np.maximum(1, deviation // 4).astype(np.intp)
    reach = np.ceil((8 * deviation + 10) / step)
    middle = np.rint(usual).astype(np.intp)
    least, most = np.maximum(0, -rest), np.minimum(counted, hits)
    before = np.max(np.minimum(reach, (middle - least) // step), initial=0)
    after = np.max(np.minimum(reach, (most - middle) // step), initial=0)
    shape = np.broadcast(size, hits_above, hits, counted).shape
    together = max(1, 2**18 // max(math.prod(shape), 1))  # an array of about 2 MB
    total, sums = 0.0, np.zeros((3, *shape))
    for first in range(-int(before), int(after) + 1, together):
        steps = np.arange(first, min(first + together, int(after) + 1))
        j = middle + step * steps.reshape(-1, *(1 for _ in shape))
        kept = np.clip(j, least, most)
        change = _log_orders(kept, counted, hits, rest)
        change = change - _log_orders(middle, counted, hits, rest)
        chance = np.where(j == kept, np.exp(change), 0.0)
        total = total + chance.sum(axis=0)
        terms = np.stack([chance, chance * kept, chance * kept * (kept - 1)])
        found = np.maximum(hits_above + kept, 1)
        sums += np.einsum("ik...,k...->i...", terms, 1 / found)
    slope, once, twice = sums / total
    single, pair = harmonic_sums(groups.above, counted)
    gain = (hits_above + 1) * single * once
    if pair is not None:
        gain = gain + pair / np.maximum(counted - 1, 1) * twice
    return slope, gain / np.maximum(counted, 1)


def _log_orders(j: Array, counted: Array, hits: Array, rest: Array) -> Array:
    """Logarithm of the number of orders with j hits in the first `counted` items.

    Up to a constant; `rest` is the number of other items minus the number of hits.
    """
    return -sum(gammaln(1 + x) for x in (j, counted - j, hits - j, rest + j))


def geometric_sum(rate: float, above: Array, count: Array) -> Array:
    """Return the sum of exp(-rate * (rank - 1)) over the `count` ranks below `above`.

    ``exprel(x) = (exp(x) - 1) / x`` is accurate for small rates, does not overflow for
    large ones, and is exact for a single rank. A weighted count need not be whole.
    """
    series = exprel(-rate * count) / exprel(-rate)
    return np.exp(-rate * above) * (count * series)


def discounts(above: Array, count: Array) -> NDArray[np.float64]:
    """Return the sum of 1 / log2(rank + 1) over the `count` ranks below `above`.

    A fraction of an item is this fraction of the next term, or of the integral.
    """
    above, count = np.asarray(above, dtype=float), np.asarray(count, dtype=float)
    single = count / np.log2(above + 2)
    return np.where(count <= 1, single, _discounts(above + count) - _discounts(above))


def _discounts(depth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum down to a depth: a table, and the formula of Euler-Maclaurin.

    Its next term is below 1e-14 beyond the table.
    """
    n = 2**12
    ranks = np.arange(1, min(n, math.ceil(depth.max(initial=0))) + 1)
    sums = np.append(0.0, np.cumsum(1 / np.log2(ranks + 1)))
    found = np.array(np.interp(depth, np.append(0, ranks), sums))
    deep = depth > n
    end, start = np.log(depth[deep] + 1), math.log(n + 1)
    slopes = 1 / (np.exp(end) * end**2) - 1 / ((n + 1) * start**2)
    rest = expi(end) - expi(start) + (1 / end - 1 / start) / 2 - slopes / 12
    found[deep] += math.log(2) * rest
    return found


def first_hit_mean(above: Array, size: Array, hits: Array) -> NDArray[np.float64]:
    """Return the mean over the orders of each group of 1 / (rank of its first hit).

    The first of d hits is at place j with probability C(b - j, d - 1) / C(b, d). From
    ``(b - j - d + 1) C(b - j, d - 1) = d C(b - j, d)`` follows a recurrence of the mean
    E_d, ``(T + b + 1 - d) E_d = 1 + d (b - d) / (d + 1) E_(d+1)``. It is stable
    downwards from ``E_b = 1 / (T + 1)``, or from any sum.
    """
    key = above * (size.max(initial=0) + 1) + size
    _, index, which = np.unique(key, return_index=True, return_inverse=True)
    above, size = above[index], size[index]
    start, mean = _first_hit_start(above, size, which, hits)
    means, order = np.zeros(hits.size), np.argsort(hits, kind="stable")
    first = np.searchsorted(hits[order], np.arange(int(start.max(initial=0)) + 2))
    for d in range(first.size - 2, 0, -1):
        on = d < start
        factor = d * (size[on] - d) / (d + 1)
        mean[on] = (1 + factor * mean[on]) / (above[on] + size[on] + 1 - d)
        here = order[first[d] : first[d + 1]]
        means[here] = mean[which[here]]
    return means


def _first_hit_start(
    above: Array, size: Array, which: NDArray[np.intp], hits: Array
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the hits at which each group's recurrence begins, and the mean there."""
    most = np.zeros(size.size, dtype=np.intp)
    np.maximum.at(most, which, hits)
    # up to 200 non-targets the recurrence begins with hits only: no sum is needed
    full = size - most <= 200
    start, mean = np.where(full, size, most), 1 / (above + 1.0)
    for i in np.flatnonzero(~full):
        mean[i] = _first_hit_sum(int(above[i]), int(size[i]), int(most[i]))
    return start, mean


def _first_hit_sum(above: int, size: int, hits: int) -> float:
    """Return the mean of one group by a sum over places, without a negligible rest."""
    # (1 - j/b)**d bounds P(J > j); 1e-17 is below rounding
    likely = -size * math.expm1(math.log(1e-17) / hits)
    place = np.arange(1.0, 1 + min(size - hits, math.ceil(likely)))
    onward = (size - place - hits + 1) / (size - place)
    chance = np.cumprod(np.append(hits / size, onward))
    return float((chance / (above + 1 + np.append(0, place))).sum())


def reciprocal_rank_of_hit(above: int, size: int, hits: int, place: int) -> float:
    """Return the mean over orders of a group of 1 / (rank of its hit number `place`).

    Hit j of d is at place k of b with probability C(k-1, j-1) C(b-k, d-j) / C(b, d),
    the negative hypergeometric distribution. The probabilities are computed from their
    ratios, which decrease with k: from the likeliest place in both directions, all
    products are of numbers up to 1. The distribution is log-concave, so exp(1 - z)
    bounds its probability beyond z standard deviations: it is negligible beyond 60,
    even if the value there is 1e7 times as large.
    """
    mean = place * (size + 1) / (hits + 1)
    spread = mean * (hits + 1 - place) * (size - hits) / ((hits + 1) * (hits + 2))
    reach = math.ceil(60 * math.sqrt(spread))
    low = max(place, math.floor(mean) - reach)
    high = min(size - hits + place, math.ceil(mean) + reach)
    at = np.arange(low, high, dtype=np.float64)
    ratio = at / (at - place + 1) * ((size - at - hits + place) / (size - at))
    mode = np.count_nonzero(ratio > 1)
    before, after = np.cumprod(1 / ratio[:mode][::-1])[::-1], np.cumprod(ratio[mode:])
    chance = np.concatenate([before, [1.0], after])
    rank = np.append(at, high) + above
    return float((chance / rank).sum() / chance.sum())
