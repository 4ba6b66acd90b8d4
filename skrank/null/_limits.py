"""Bounds of a tail probability, and shorter rankings with the same tail.

Upper bound: the inequality of Cantelli (1929, *Atti del Congresso Internazionale dei
Matematici* 6, 47-60). With the exact mean and variance, P(S >= mean + d) is at most
``variance / (variance + d**2)``. Lower bound: the probability of the end of the
support.

If all rankings with h hits among the first T items are as extreme as the observed one,
p is at least ``C(T, h) C(n - T, m - h) / C(n, m)``. If all rankings with h or more hits
are less extreme, p is at most the probability of fewer hits. The probabilities from h
on decrease faster than a geometric series, because a hypergeometric distribution is
log-concave, so their sum is at most ``p_h / (1 - p_{h+1} / p_h)`` (Johnson, Kemp and
Kotz 2005, *Univariate Discrete Distributions*, chapter 6, have the ratio). The least
extreme ranking with h hits has them as low as possible, above T and below, because
every metric of constant slope increases if a hit moves up. The tie rule "together" is
the exception; its average precision is at least that of the worst order within ties.

At each depth there are limits, the fence: with more hits above the depth, or with
fewer, the ranking is known to be extreme or not. If a single hit above the depth a is
too many, and a single hit below b is too few, the ranking is shortened. With the
probabilities q of no hit above a, and r of no hit below b given that,

    P(S >= s) = 1 - q + q r P'(S >= s),    P(S <= s) = q (1 - r + r P'(S <= s)),

where P' has all targets between a and b. Of P', only the paths inside the fence are
followed, and the probability of leaving it on the extreme side is added. A tail near an
end of the support is thus the tail of a short ranking. With rare targets, no hit is
left whose gain is larger than that of all others.
"""

import math
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank._utils._combinatorics import log_binomial
from skrank.metrics._definitions import AveragePrecision
from skrank.null._chain import Chain
from skrank.null._lattice import FEW_GROUPS, MOST_CELLS
from skrank.null._sampling import measure_rankings

# Number of depths at which hits are counted from either end, for each factor of e, and
# number of hits above them up to which they limit the paths. As many hits beyond the
# fence count in one step: more are negligible.
_DEPTHS, _RARE = 40, 100
_PLACES = 2**19  # number of rankings that are tried for one number of hits: .03 s

_Ints = NDArray[np.intp]


class Fence(NamedTuple):
    """Depths, and the smallest and largest undecided numbers of hits above them."""

    depths: _Ints
    fewest: _Ints
    most: _Ints


class Limits(NamedTuple):
    """Logarithms of the lower and the upper bound of p."""

    lower: float
    upper: float

    def hold(self, log_p: float, slack: float) -> bool:
        """Whether a logarithm is within the bounds, apart from its own error."""
        return self.lower - slack <= log_p <= self.upper + slack


def cantelli(moments: tuple[float, float], statistic: float) -> float:
    """Upper bound of the tail beyond a value on this side of the mean."""
    mean, variance = moments
    if statistic == mean:
        return 1.0
    return variance / (variance + (statistic - mean) ** 2)


def fence(chain: Chain, statistic: float, sign: int, slack: float) -> Fence:
    """Find how many hits decide the question; O(n_depths * m * log(m))."""
    n, m, ends = chain.n_samples, chain.n_targets, chain.ends
    count = int(min(_DEPTHS * math.log(n), 4 + _PLACES / 4 / m))
    away = np.geomspace(1, n, count)
    wanted = np.union1d(away, n - away)
    wanted = wanted[(wanted >= 1) & (wanted <= ends[-1])]
    depths = np.unique(ends[np.searchsorted(ends, wanted)])
    depths = ends if ends.size <= FEW_GROUPS else depths
    depths = depths[depths < n]
    # values as extreme are at least s - slack, or at most s + slack
    least = statistic - sign * slack
    most = _deciding_hits(chain, depths, least, 1) - 1
    fewest = _deciding_hits(chain, depths, least, -1) + 1
    return Fence(depths, fewest, most)


def _deciding_hits(chain: Chain, depths: _Ints, statistic: float, sign: int) -> _Ints:
    """Numbers of hits from which on all rankings are beyond a value, by bisection.

    The largest possible number plus one, or the smallest minus one, if there are none.
    """
    n, m = chain.n_samples, chain.n_targets
    fewest, most = np.maximum(0, m - (n - depths)), np.minimum(m, depths)
    low, high = np.zeros_like(depths), most - fewest + 1
    judged = _of_strict_order(chain, sign)
    if judged is None or depths.size * m > _PLACES:
        low = high
    index, depth = np.arange(m), depths[:, None]
    while np.any(low < high):  # more and more extreme numbers of hits, by bisection
        middle = (low + high) // 2
        hits = np.clip(fewest + middle if sign > 0 else most - middle, fewest, most)
        above = index < hits[:, None]
        # as low, or as high, as possible
        if sign > 0:
            places = np.where(above, depth - hits[:, None] + index, n - m + index)
        else:
            places = np.where(above, index, depth - hits[:, None] + index)
        values = measure_rankings(judged or chain, places)
        enough = sign * (values - statistic) > 0
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        low = np.minimum(low, most - fewest + 1)
        high = np.maximum(low, high)
    return fewest + low if sign > 0 else most - low


def _of_strict_order(chain: Chain, sign: int) -> Chain | None:
    """Return a chain with less extreme values that increase with every hit."""
    if chain.slope is None or not chain.metric.ordered:
        return None
    if chain.is_untied or chain.metric.ties != "together":
        return chain
    weights = chain.weights
    if chain.is_pairwise and not np.any(weights.cross) and not np.any(weights.inside):
        return chain  # a hit counts by its tie, for any number of others
    if sign < 0 or not isinstance(chain.metric, AveragePrecision):
        return None
    judged = copy(chain)
    judged.metric = replace(chain.metric, ties="pessimistic")
    return judged


def limits(chain: Chain, inside: Fence, sign: int) -> Limits:
    """Return the bounds from the numbers of hits above single depths."""
    n, m = chain.n_samples, chain.n_targets
    depths, fewest, most = inside
    sure, still = (most + 1, fewest) if sign > 0 else (fewest - 1, most)
    least, largest = np.maximum(0, m - (n - depths)), np.minimum(m, depths)

    def log_chance(hits: _Ints) -> NDArray[np.float64]:
        possible = (hits >= least) & (hits <= largest)
        some = np.where(possible, hits, least)
        ways = log_binomial(depths, some) + log_binomial(n - depths, m - some)
        return np.where(possible, ways - log_binomial(n, m), -np.inf)

    misses = n - depths - (m - still)
    falling = (m - still) * (depths - still) / ((still + 1) * (misses + 1.0))
    rising = still * misses / ((m - still + 1) * (depths - still + 1.0))
    ratio = np.clip(falling if sign > 0 else rising, 0.0, 1.0)
    with np.errstate(divide="ignore"):  # where larger numbers of hits are likelier
        upper = log_chance(still) - np.log1p(-ratio)
    lower = float(np.max(log_chance(sure), initial=-np.inf))
    return Limits(lower, max(lower, float(np.min(upper, initial=0.0))))


class Trimmed(NamedTuple):
    """Tail by a shorter ranking's p': ``p = exp(log_sure) + exp(log_rest) * p'``."""

    chain: Chain
    log_sure: float
    log_rest: float

    @property
    def sure(self) -> float:
        """Logarithm of the certain part, relative to the shorter ranking."""
        return self.log_sure - self.log_rest

    def log_p(self, log_p: float) -> float:
        """Return the logarithm of the tail from that of the shorter ranking."""
        return min(0.0, float(np.logaddexp(self.log_sure, self.log_rest + log_p)))


def trimmed(chain: Chain, inside: Fence, sign: int) -> Trimmed:
    """Return the chain without the top and the bottom that decide the question."""
    n, m, ends = chain.n_samples, chain.n_targets, chain.ends
    depths, fewest, most = inside
    # some ranking must be left, with a group that varies
    above = depths[(most == 0) & (depths < min(n - m, ends[-1]))]
    below = depths[(fewest == m) & (depths > m)] if chain.is_whole and m > 1 else []
    start, stop = int(max(above, default=0)), int(min(below, default=n))
    log_q = float(log_binomial(n - start, m) - log_binomial(n, m))
    log_r = float(log_binomial(stop - start, m) - log_binomial(n - start, m))
    sure = -math.expm1(log_q) if sign > 0 else -math.exp(log_q) * math.expm1(log_r)
    log_sure = math.log(sure) if sure > 0 else -math.inf
    if (start, stop) != (0, n):
        chain = chain.within(start, stop if chain.is_whole else int(ends[-1]))
    few = chain.ends.size <= FEW_GROUPS and chain.possible().n_cells <= MOST_CELLS
    if not few:  # only if so few hits near the top have large weights
        rare = most <= _RARE
        depths, most, fewest = depths[rare], most[rare], fewest[rare]
    if depths.size and chain.ends.size > 1:
        chain = copy(chain)
        chain.fence = (
            depths,
            np.append(0, np.maximum.accumulate(fewest)),
            np.append(np.minimum.accumulate(most[::-1])[::-1], m),
        )
    return Trimmed(chain, log_sure, log_q + log_r)


def log_sure(chain: Chain, sign: int) -> float:
    """Logarithm of the probability of leaving the fence on the extreme side.

    In one pass down the groups, with the probabilities of all followed hits.
    """
    lattice, m = chain.possible(), chain.n_targets
    forward, found = np.zeros(1), [np.array([-np.inf])]
    assert chain.fence is not None
    if lattice.least[0] > 0:  # no hit above the first depth is already too few
        return 0.0 if sign < 0 else -math.inf
    groups = zip(chain.ends[:-1].tolist(), chain.sizes.tolist(), strict=False)
    last, before = int(chain.fence[0][-1]), 0
    for j, (depth, size) in enumerate(groups):
        if before > last:  # there is no fence below
            break
        least, most = int(lattice.least[j + 1]), int(lattice.most[j + 1])
        room = min(size, m, most + _RARE - int(lattice.least[j]))
        inside = np.arange(room + 1)[:, None]
        after = np.arange(lattice.least[j], lattice.most[j] + 1) + inside
        logweight = forward + log_binomial(size, inside)
        left = after > most if sign > 0 else after < least
        found.append(logweight[left] + chain.log_left(depth, after[left]))
        if least > most:  # the question is decided here
            break
        kept = (after >= least) & (after <= most)
        top = float(logweight[kept].max(initial=-1e300))
        share = np.exp(logweight[kept] - top)
        total = np.bincount(after[kept] - least, share, most - least + 1)
        with np.errstate(divide="ignore"):
            forward = top + np.log(total)
        before = depth
    return float(np.logaddexp.reduce(np.concatenate(found))) - chain.log_total
