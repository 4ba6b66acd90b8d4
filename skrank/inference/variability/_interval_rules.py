"""Eight rules of intervals: how an estimate and what is known of it give limits.

The first three are of a certain value, of Student's t, and of the widest of several
limits. The others are on a transformed scale, or count hits.

The values of a metric lie between those of the worst and of the perfect ranking, and
sampling distributions are skewed near both ends. The logit of the value divided by the
perfect value is less skewed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import bdtrik, expit, logit
from scipy.stats import beta, binom, gamma
from scipy.stats import t as student

from skrank._utils._rounding import ROUNDING

# Degrees of freedom of the binormal variance, chosen by simulation:
# benchmarks/coverage_of_intervals.py.
_MODEL_WEIGHT = 6


class Limits(Protocol):
    """Limits for any confidence level."""

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return the lower and the upper limit."""


class Rule(Limits, Protocol):
    """An estimate and its limits."""

    @property
    def estimate(self) -> float:
        """Estimate that the limits belong to."""


@dataclass(frozen=True, slots=True)
class CertainRule:
    """Interval of an estimate that no other sample would change."""

    estimate: float
    standard_error: float = 0.0

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return the estimate for any confidence level."""
        return self.estimate, self.estimate


@dataclass(frozen=True, slots=True)
class StudentRule:
    """Interval of quantiles of Student's t, within limits."""

    estimate: float
    standard_error: float
    degrees_of_freedom: float
    least: float
    best: float

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return limits that are symmetric about the estimate, if they are possible."""
        outside = (1 - confidence_level) / 2
        half = self.standard_error * float(
            student.isf(outside, self.degrees_of_freedom)
        )
        low, high = self.estimate - half, self.estimate + half
        return max(self.least, low), min(self.best, high)


@dataclass(frozen=True, slots=True, eq=False)
class WidestRule:
    """Interval that holds those of several rules; the estimate is that of the first."""

    rules: Sequence[Rule]

    @property
    def estimate(self) -> float:
        """Estimate of the first rule."""
        return self.rules[0].estimate

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return the lowest and the highest limit."""
        lows, highs = zip(
            *(one.bounds(confidence_level) for one in self.rules), strict=True
        )
        return min(lows), max(highs)


@dataclass(frozen=True, slots=True)
class NormalRule:
    """Interval of quantiles of the normal distribution or of Student's t.

    The limits are symmetric in the logit of the position between `zero` and `best`. If
    the estimate has no logit, there are none, unless those on the scale of the metric
    may be used.
    """

    estimate: float
    standard_error: float
    least: float
    best: float
    plain_at_ends: bool = False
    zero: float = 0.0
    degrees_of_freedom: float = math.inf

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return limits within the possible values, or NaN without variation."""
        if not self.standard_error > 0:
            return math.nan, math.nan
        outside, scale = (1 - confidence_level) / 2, self.best - self.zero
        share = (self.estimate - self.zero) / scale
        has_logit = ROUNDING < share < 1 - ROUNDING
        if not (has_logit or self.plain_at_ends):
            return math.nan, math.nan
        half = self.standard_error * student.isf(outside, self.degrees_of_freedom)
        low, high = self.estimate - half, self.estimate + half
        if has_logit:
            half /= scale * share * (1 - share)
            low = self.zero + scale * float(expit(logit(share) - half))
            high = self.zero + scale * float(expit(logit(share) + half))
        return float(max(self.least, low)), float(min(self.best, high))


@dataclass(frozen=True, slots=True)
class FirstHitRule:
    """Interval of the mean reciprocal rank from the rank of the first hit.

    At the top of a ranking, let each item be a target with the same probability p. Then
    the rank R of the first target is geometric, ``P(R > r) = (1 - p)**r``, and the mean
    of 1/R is ``-p log(p) / (1 - p)``. The limits of p have equal tails, as in Clopper
    and Pearson (1934) for a share. They depend on R only, so they increase with the
    value. If a target is first, they still allow for samples in which it is not.
    """

    estimate: float
    standard_error: float
    least: float

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return limits with equal tails."""
        outside = (1 - confidence_level) / 2
        rank = 1 / self.estimate
        rare = -math.expm1(math.log1p(-outside) / rank)
        often = -math.expm1(math.log(outside) / (rank - 1)) if rank > 1 else 1.0
        low, high = _mean_reciprocal_rank(rare), _mean_reciprocal_rank(often)
        return max(self.least, min(low, self.estimate)), max(high, self.estimate)


@dataclass(frozen=True, slots=True, eq=False)
class OrderRule:
    """Interval of a metric of the rank of one target, from the ranks of the others.

    The rank of target j of m is near the quantile ``j / (m + 1)`` of the population.
    The number of targets above this quantile is binomial, so that its limits are
    targets too: those whose numbers are quantiles of that distribution, and between two
    numbers a mean of both (Hutson 1999, *J. Applied Statistics* 26, 343-353). Resamples
    cannot do this for the last target, which most of them hold.

    `values` are those of the metric if target 0, 1, ..., m + 1 were the required one,
    where 0 and m + 1 are the first and the last possible rank.
    """

    estimate: float
    standard_error: float
    values: NDArray[np.float64]
    needed: float

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return limits with equal tails."""
        outside, m = (1 - confidence_level) / 2, self.values.size - 2
        share = self.needed / (m + 1)
        # perhaps no target is above the quantile: the limit is the first rank
        none = binom.pmf(0, m, share) >= outside
        few = 0.0 if none else 1 + float(bdtrik(outside, m, share))
        many = 1 + float(bdtrik(1 - outside, m, share))
        limits = np.interp([few, many], np.arange(m + 2), self.values)
        return (
            float(min(*limits, self.estimate)),
            float(max(*limits, self.estimate)),
        )


def _mean_reciprocal_rank(share: float) -> float:
    """Mean reciprocal rank of the first target, if each item is one with `share`."""
    return -share * math.log(share) / (1 - share) if share < 1 else 1.0


@dataclass(frozen=True, slots=True)
class BetaRule:
    """Quantiles of a beta distribution: the metric is `zero` and a share of `scale`."""

    hits: float
    misses: float
    scale: float
    zero: float

    @property
    def estimate(self) -> float:
        """Mean of the distribution."""
        return float(self.zero + self.scale * beta.mean(self.hits, self.misses))

    @property
    def standard_error(self) -> float:
        """Standard deviation of the distribution."""
        return float(self.scale * beta.std(self.hits, self.misses))

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return limits with equal tails."""
        outside = (1 - confidence_level) / 2
        share = beta(self.hits, self.misses)
        low, high = float(share.ppf(outside)), float(share.isf(outside))
        return self.zero + self.scale * low, self.zero + self.scale * high


@dataclass(frozen=True, slots=True, eq=False)
class ModeratedRule:
    """Interval by the variance of the sample, moderated by that of binormal rankings.

    All are on the logit scale, as shares of the distance from `zero` to the perfect
    value: `share` is that of the estimate, at least half a hit away from the ends;
    `variance` is its own variance with `degrees_of_freedom`; `model_shares`, ascending,
    and `model_variances` are those of binormal rankings, and `model_freedoms` the
    degrees of freedom that samples of them have at most. The interval has the values
    that are consistent with the estimate: the variance is computed at the value, as in
    Wilson's interval, and so is the bias of the logit.

    With few `hits` above a cutoff, the interval also has the values that are consistent
    with their number as a Poisson variable (Garwood 1936); each hit adds `per_hit` to
    the value `without_hits`.
    """

    estimate: float
    share: float
    variance: float
    degrees_of_freedom: float
    model_shares: NDArray[np.float64]
    model_variances: NDArray[np.float64]
    model_freedoms: NDArray[np.float64]
    zero: float
    least: float
    best: float
    n_targets: float
    hits: float = math.inf
    per_hit: float = 0.0
    without_hits: float = 0.0

    @property
    def standard_error(self) -> float:
        """Standard error on the scale of the metric."""
        slope = (self.best - self.zero) * self.share * (1 - self.share)
        return float(slope * np.sqrt(self._variance_at(logit(self.share))))

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return the limits."""
        df = self._own_at(logit(self.share)) + _MODEL_WEIGHT
        outside = (1 - confidence_level) / 2
        t = student.isf(outside, df)
        scale = self.best - self.zero
        low, high = (self.zero + scale * float(expit(self._limit(x))) for x in (t, -t))
        low, high = min(low, self._with_losses(outside)), max(high, self.estimate)
        # from five hits on, the limits by the variance are nearly always wider
        if self.hits < 5:
            few, many = self._by_hits(outside)
            low, high = min(low, few), max(high, many)
        return float(max(self.least, low)), float(min(self.best, high))

    def _with_losses(self, outside: float) -> float:
        """Lower limit by the number of targets that may be lost although none was.

        A Poisson variable with this mean is 0 with the probability `outside`; each
        target has its share of the estimate. A ranking near the best has no information
        on what could be between its targets, and few targets cannot exclude it.
        """
        kept = max(0.0, 1 + math.log(outside) / self.n_targets)
        return self.zero + kept * (self.estimate - self.zero)

    def _by_hits(self, outside: float) -> tuple[float, float]:
        """Limits by the number of hits only."""
        share = gamma.ppf(outside, self.hits) / self.hits if self.hits > 0 else 0.0
        most = self.per_hit * float(gamma.isf(outside, self.hits + 1))
        zero = self.without_hits
        return zero + share * (self.estimate - zero), zero + most

    def _own_at(self, x: float) -> float:
        """Weight of the sample's own variance, in degrees of freedom.

        A sample overestimates them by a factor, which simulation gave, because it lacks
        hits that it did not draw.
        """
        most = float(np.interp(x, logit(self.model_shares), self.model_freedoms))
        return min(self.degrees_of_freedom, most) / 2

    def _variance_at(self, x: float) -> float:
        """Variance of the logit if the true value is `x`."""
        model = np.interp(x, logit(self.model_shares), self.model_variances)
        weight = self._own_at(x)
        total = weight * self.variance + _MODEL_WEIGHT * model
        return float(total / (weight + _MODEL_WEIGHT))

    def _limit(self, t: float) -> float:
        """True value at which the estimate is t standard errors too high."""

        def excess(x: float) -> float:
            variance = self._variance_at(x)
            bias = (0.5 - expit(x)) * variance
            return float(logit(self.share) + bias - t * np.sqrt(variance) - x)

        room = 1.0
        start = float(logit(self.share))
        while excess(start - room) < 0 or excess(start + room) > 0:
            room *= 2
        return float(brentq(excess, start - room, start + room))


def tail_above(rule: Limits, estimate: float, value: float) -> float:
    """P-value of the hypothesis that the true value is at most `value`.

    It is half of 1 minus the level of the interval that ends at the value, if the
    estimate is larger, and otherwise 1 minus this. It is between 5e-16 and 1 - 5e-16.
    """
    end = 0 if value < estimate else 1

    def beyond(log_outside: float) -> float:
        level = -math.expm1(log_outside)
        return (rule.bounds(level)[end] - value) * (1 if end else -1)

    least, most = math.log(1e-15), math.log1p(-1e-15)
    if value == estimate or beyond(most) >= 0:
        log_outside = 0.0
    elif beyond(least) <= 0:
        log_outside = least
    else:
        log_outside = float(brentq(beyond, least, most, xtol=1e-10))
    outside = math.exp(log_outside) / 2
    return outside if end == 0 else 1 - outside


IntervalRule = (
    CertainRule | NormalRule | FirstHitRule | OrderRule | BetaRule | ModeratedRule
)
