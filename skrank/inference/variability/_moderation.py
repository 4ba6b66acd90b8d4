"""Interval that combines the jackknife variance with that of the binormal model."""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank._utils._rounding import ROUNDING
from skrank.inference.variability._binormal import (
    binormal_model,
    spread_of_targets,
    value_by_chance,
)
from skrank.inference.variability._interval_rules import (
    FirstHitRule,
    IntervalRule,
    ModeratedRule,
    NormalRule,
    OrderRule,
)
from skrank.inference.variability._jackknife import jackknife_of
from skrank.metrics._definitions import (
    AnyMetric,
    Frame,
    KAtRecall,
    Metric,
    ReciprocalRank,
)
from skrank.ranking._ranking import HitGroups, Ranking, hits_at


class ValueRange(NamedTuple):
    """Smallest and largest value of a ranking without ties."""

    least: float
    best: float


def range_of(metric: AnyMetric, frame: Frame) -> ValueRange:
    """Values of the rankings with all targets last, and first; O(m).

    The smaller one is the first, also if smaller values are better.
    """
    places = np.arange(int(frame.n_targets))
    last = int(frame.n_samples) - places.size
    found = (_value_of(metric, frame, start + places) for start in (last, 0))
    return ValueRange(*sorted(found))


def _value_of(metric: AnyMetric, frame: Frame, places: NDArray[np.intp]) -> float:
    """Value of the ranking without ties whose targets have these places."""
    rank, single = np.arange(places.size), np.ones(places.size, dtype=np.intp)
    groups = HitGroups(places, single, rank, single)
    row = np.zeros(places.size, dtype=np.intp)
    return float(metric.values(groups, row, 1, frame)[0])


def normal_rule(metric: AnyMetric, ranking: Ranking, error: float) -> NormalRule:
    """Rule of an estimate with a standard error, which is 0 if it is rounding error."""
    ends = range_of(metric, metric.frame(ranking, ranking.n_targets))
    estimate = metric.value(ranking)
    zero = zero_of(metric, metric.frame(ranking, ranking.n_targets), ends.least)
    error = 0.0 if error <= ROUNDING * (ends.best - zero) else error
    return NormalRule(
        estimate,
        error,
        min(ends.least, estimate),
        max(ends.best, estimate),
        zero=zero,
    )


def zero_of(metric: Any, frame: Frame, least: float = 0.0) -> float:
    """Value from which shares are counted: 0, or that without hits above a cutoff.

    For a metric of the user's own it is the `least` one: its last ranks have a gain.
    """
    if metric.cutoff:
        return float(metric.offset(frame))
    return least if metric.derived else 0.0


def lower_end(metric: AnyMetric, least: float) -> float:
    """Value at which the logit scale begins, from the `least` of these rankings.

    Hits above a cutoff have a minimum, which may be above `zero_of`, and so has a
    metric of the user's own. Other metrics begin at 0.
    """
    return 0.0 if metric.ordered and not metric.derived else least


def resampled_rule(
    metric: AnyMetric,
    ranking: Ranking,
    error: float,
    n_units: float | None = None,
    degrees_of_freedom: float = math.inf,
) -> IntervalRule:
    """Rule by the standard deviation of resampled rankings, also at the ends.

    If all resamples have one value, the error is that of a share of m targets, or of
    other units, that is half a unit away from all of them. No resample has its first
    target above that of the ranking, or its last one below it, so the limits of metrics
    of a single rank are computed from the ranks of the targets.
    """
    rule = normal_rule(metric, ranking, error)
    if not rule.standard_error > 0:
        units = n_units or float(ranking.n_targets)
        rule = replace(
            rule, standard_error=error_of_one_value(rule.best - rule.zero, units)
        )
    rule = replace(rule, plain_at_ends=True, degrees_of_freedom=degrees_of_freedom)
    if isinstance(metric, ReciprocalRank):
        return FirstHitRule(rule.estimate, rule.standard_error, rule.least)
    if isinstance(metric, KAtRecall) and n_units is None:  # of clusters, not of items
        needed, values = metric.values_of_targets(ranking)
        return OrderRule(rule.estimate, rule.standard_error, values, needed)
    return rule


def error_of_one_value(scale: float, n_units: float) -> float:
    """Error of a share, times a scale, that is half a unit away from all of them."""
    share = 0.5 / n_units
    return scale * math.sqrt(share * (1 - share) / n_units)


def moderated_rule(metric: Metric, ranking: Ranking) -> ModeratedRule:
    """Moderate the jackknife variance, as Smyth (2004) does for variances of genes."""
    found = jackknife_of(metric, ranking)
    frame = metric.frame(ranking, ranking.n_targets)
    ends, estimate = range_of(metric, frame), metric.value(ranking)
    zero = lower_end(metric, ends.least)
    scale = ends.best - zero
    values, variances, freedoms = binormal_model(
        metric, frame, spread_of_targets(ranking)
    )
    inside = (values > zero) & (values < ends.best - ROUNDING * scale)
    model = (values[inside] - zero) / scale
    chance = (value_by_chance(metric, frame) - zero) / scale
    share = _keep_inside(
        metric, frame, (estimate - zero) / scale, zero, ends.best, chance
    )
    return ModeratedRule(
        estimate=estimate,
        share=share,
        variance=_on_logit_scale(float(found.variance) / scale**2, share),
        degrees_of_freedom=min(found.degrees_of_freedom, float(ranking.n_targets)),
        model_shares=model,
        model_variances=_on_logit_scale(variances[inside] / scale**2, model),
        model_freedoms=freedoms[inside],
        zero=zero,
        least=min(ends.least, estimate),
        best=max(ends.best, estimate),
        n_targets=float(ranking.n_targets),
        **_hits_above_cut(metric, ranking, frame),
    )


def _hits_above_cut(metric: Metric, ranking: Ranking, frame: Frame) -> dict[str, float]:
    """Hits above a cutoff, and the mean value of one hit over its places."""
    if frame.cut >= frame.n_samples:
        return {}
    alone = metric.gain(np.arange(int(frame.cut)), 1, 0, 1, frame)
    return {
        "hits": float(hits_at(ranking, frame.cut)),
        "per_hit": float(np.mean(alone) / metric.divisor(frame)),
        "without_hits": zero_of(metric, frame),
    }


def _keep_inside(
    metric: Metric, frame: Frame, share: float, zero: float, best: float, chance: float
) -> float:
    """Keep a share away from the ends, where its logit is infinite.

    The distance to the worst is half a hit; the last hit may have a gain near zero, but
    at least that of one of the m hits by chance is used. The distance to the best is
    half the effect of one non-target above the last hit that counts.
    """
    scale = best - zero
    hit = float(metric.gain(frame.cut - 1, 1, 0, 1, frame) / metric.divisor(frame))
    m = int(frame.n_targets)
    least = max(hit / scale, chance / m) / 2
    places = np.arange(m)
    slipped = places + (places >= min(m, int(frame.cut)) - 1)
    nearly = _value_of(metric, frame, slipped)
    slip = (best - nearly) or hit  # it has no effect in a top of nearly all items
    # times m**2, the effect is about 1 for average precision, and at least .01
    # otherwise
    most = 1 - max(slip / scale, 0.01 / m**2) / 2
    return min(max(share, least), max(least, most))


def _on_logit_scale(variance: Any, share: Any) -> Any:
    return variance / np.square(share * (1 - share))
