"""Evidence of a day against a hypothesis, which may be multiplied over the days.

Evidence is a number of at least 0 whose mean is at most 1 if the hypothesis is true,
given all days before. The product over the days then ever exceeds 1 / alpha with a
probability of at most alpha (Ville 1939). Each function returns logarithms for several
settings; the mean over the settings, after the products, is evidence as well.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit, logsumexp, xlogy

from skrank._utils._combinatorics import log_binomial
from skrank.ranking._ranking import Ranking

Floats = NDArray[np.float64]

#: Logarithm of no evidence, finite so that it can be written.
LOG_NO_EVIDENCE = -1e300

# Powers of the rank, of the p-value less 1, and shares of the largest bet. They cover
# rankings from weak to nearly perfect ones, and small to large losses. The delays of
# benchmarks/monitor.py are those of these values; others were not compared.
_POWERS = np.array([0.1, 0.2, 0.4, 0.7, 1.0])
_CALIBRATORS = np.array([0.1, 0.2, 0.35, 0.5, 0.7, 0.9])
_SHARES = np.array([0.03, 0.1, 0.25, 0.5, 0.8])
# Standard errors of the sum of correlations beyond which neighbouring days are alike.
# Looked at on 400 independent days, 2 to 3 % of series are ever beyond it, 4 % after a
# change; 20 % are beyond half of it (kind "dependent" of benchmarks/monitor.py). Days
# that differ have the same limit; of 300 looked at, 1 to 4 % of series are beyond it.
_ALIKE = 2.5


def evidence_of_places(ranking: Ranking) -> Floats:
    """Return evidence that targets are better placed than at random; O(n m).

    It is the likelihood of the places of the m targets, if each place is taken with a
    chance proportional to a power of its rank, divided by that of random selection. All
    items of a tie have the mean of its places.
    """
    n, m = int(ranking.n_samples), int(ranking.n_targets)
    if m in (0, n):
        return np.zeros(_POWERS.size)
    ends = ranking.items.tie_groups().ends
    sizes = np.diff(ends, prepend=0)
    weights = np.arange(1.0, n + 1) ** -_POWERS[:, None]
    logs = np.log(np.add.reduceat(weights, ends - sizes, axis=1) / sizes)
    tie = np.searchsorted(ends, ranking.groups.above + 1)
    found = (ranking.groups.hits * logs[:, tie]).sum(axis=1)
    mean = [_mean_product(np.repeat(one, sizes), m) for one in logs]
    return np.asarray(found - mean)


def _mean_product(logs: Floats, m: int) -> float:
    """Return the logarithm of the mean product of m weights, chosen at random.

    The sum of the products is that of independent choices with chances z w / (1 + z w),
    for any z, which are m with some probability. With m as their mean it is not small.
    It is a coefficient of the product of 1 - chance + chance x; neighbouring factors
    are multiplied until one is left.
    """
    n = logs.size
    usual = logit(m / n)

    def lack(shift: float) -> float:
        return float(expit(shift + logs).sum() - m)

    least, most = usual - logs.max() - 1e-6, usual - logs.min() + 1e-6
    shift = brentq(lack, least, most, xtol=1e-3)
    chances = expit(shift + logs)
    factors = np.stack([1 - chances, chances], axis=1)
    while len(factors) > 1:
        if len(factors) % 2:
            factors = np.vstack([factors, np.eye(1, factors.shape[1])])
        left, right = factors[::2], factors[1::2]
        degree = min(m, 2 * (left.shape[1] - 1))
        factors = np.zeros((len(left), degree + 1))
        for j in range(left.shape[1]):
            width = min(right.shape[1], degree + 1 - j)
            factors[:, j : j + width] += left[:, j, None] * right[:, :width]
    total = np.log(factors[0, m]) + np.logaddexp(0, shift + logs).sum() - m * shift
    return float(total - log_binomial(n, m))


def evidence_of_pvalue(log10_pvalue: float) -> Floats:
    """Return evidence that a p-value is smaller than at random (Vovk and Wang 2021)."""
    log = log10_pvalue * np.log(10)
    found: Floats = np.log(_CALIBRATORS) + (_CALIBRATORS - 1) * log
    return found


def evidence_of_loss(value: Any, reference: float, high: float) -> Floats:
    """Return evidence that the mean of values up to `high` is below the reference.

    A share of what can be lost is bet on values below it (Waudby-Smith and Ramdas
    2024).
    """
    found: Floats = np.log1p(_SHARES / (high - reference) * (reference - value))
    return found


@np.errstate(under="ignore")  # old evidence beside that of new days
def accumulated(logs: Floats, day: Floats, number: int, *, any_start: bool) -> Floats:
    """Return the evidence after one more day.

    If it may begin on any day, it is the sum over the first days, with weights whose
    sum is 1, which is ``L (M + w)`` for the evidence M before.
    """
    if any_start:
        return np.logaddexp(logs, np.log(_weight(number))) + day
    return logs + day


def _weight(day: Any) -> Floats:
    """Return the weight of a first day, which decreases slowly; all add up to 1."""
    weight: Floats = 1 / ((day + 10) * np.log(day + 10) ** 2) / _TOTAL
    return weight


# The sum of 1 / (x log(x)^2) from 11 on: 5,000 terms, and the integral of the others
_TOTAL = sum(1 / (x * math.log(x) ** 2) for x in range(11, 5011))
_TOTAL += 1 / math.log(5010.5)


def unspent(n_days: int) -> float:
    """Return the sum of the weights of the first days to come."""
    return 1.0 - float(_weight(np.arange(1, n_days + 1)).sum())


def log_mean_evidence(logs: Any) -> float:
    """Return the logarithm of the mean over the settings."""
    return float(logsumexp(logs) - np.log(len(logs)))


def are_alike(values: Floats) -> bool:
    """Return whether neighbouring days are more alike than independent ones; O(n).

    The statistic is the sum of the correlations with the days before, of which each
    counts half as much as the one after it. They are those of ranks, after the largest
    change of the mean, which is no dependence. Equal values are ranked at random: the
    ranks of independent days then have one distribution, whatever the values are. NaN
    values are left out.
    """
    known = values[~np.isnan(values)]
    n = known.size
    if n < 10:  # too few for the sum to be beyond the limit
        return False
    order = np.lexsort([np.random.default_rng(0).random(n), known])
    ranks = np.empty(n)
    ranks[order] = np.arange(n) - (n - 1) / 2
    before = np.arange(1, n)
    change = 1 + int(np.argmax(ranks.cumsum()[:-1] ** 2 / (before * (n - before))))
    ranks[:change] -= ranks[:change].mean()
    ranks[change:] -= ranks[change:].mean()
    weights = 0.5 ** np.arange(6)
    alike = [ranks[lag:] @ ranks[:-lag] for lag in range(1, 7)] / (ranks @ ranks)
    return bool(alike @ weights > _ALIKE * math.sqrt(weights @ weights / n))


def are_apart(values: Floats, n_targets: Floats) -> bool:
    """Return whether days differ more than by independent targets; O(n).

    The values are shares of the targets of a day. It is about the squared errors of
    their numbers, in variances of binomial numbers, before and after the likeliest
    change, less 1; a sum beyond its standard error several times tells that chances
    differ from day to day.
    """
    m = n_targets[~np.isnan(values)]
    h = values[~np.isnan(values)] * m
    if m.size < 10:
        return False

    before = np.stack([np.cumsum(h), np.cumsum(m - h)])[:, :-1]
    after = np.array([[h.sum()], [(m - h).sum()]]) - before
    likelihoods = sum(
        xlogy(one, one / one.sum(axis=0)).sum(axis=0) for one in (before, after)
    )
    change = 1 + int(np.argmax(likelihoods))
    found = np.concatenate(
        [
            np.full(one.size, one.sum() / of.sum())
            for one, of in zip(
                np.split(h, [change]), np.split(m, [change]), strict=True
            )
        ]
    )
    one = found * (1 - found)  # variance of one target
    h, m, found, one = (part[one > 0] for part in (h, m, found, one))
    squares = (h - m * found) ** 2 / (m * one) - 1
    variance = float((2 + (1 / one - 6) / m).sum())
    return bool(squares.sum() > _ALIKE * math.sqrt(max(variance, 0.0)))


def limits_of_mean(
    values: Floats, low: float, high: float, level: float
) -> tuple[Floats, Floats]:
    """Return limits of the mean after each value, which hold for all at once.

    A mean is within them as long as the evidence that the values are larger, and that
    they are smaller, do not add up to 2 / alpha. NaN values are left out.
    """
    if not np.isfinite(high - low):
        return np.full(values.size, np.nan), np.full(values.size, np.nan)
    grid = np.linspace(low, high, 1002)[1:-1]  # ends would be bets without a limit
    above = np.zeros((grid.size, _SHARES.size))
    below = above.copy()
    inside = np.ones(grid.size, dtype=bool)
    limits = []
    step = grid[1] - grid[0]
    for value in values:
        if not np.isnan(value):
            apart = (value - grid)[:, None]
            above += np.log1p(_SHARES * apart / (grid - low)[:, None])
            below += np.log1p(-_SHARES * apart / (high - grid)[:, None])
            both = np.logaddexp(logsumexp(above, axis=1), logsumexp(below, axis=1))
            inside &= both < np.log(2 * _SHARES.size / (1 - level))
        kept = grid[inside]
        # the next means of the grid are not in
        limits.append(
            (max(low, kept[0] - step), min(high, kept[-1] + step))
            if kept.size
            else (np.nan, np.nan)
        )
    first, last = np.transpose(limits)
    return first, last
