"""The rule of an interval that rests on the sample and on the binormal model."""

from typing import Any, NamedTuple

import numpy as np

from skrank._measures import Frame, Measure
from skrank._ranking import HitGroups, Ranking
from skrank._rounding import ROUNDING
from skrank._variability._binormal import binormal_variances
from skrank._variability._influence import influence_of
from skrank._variability._interval import ModeratedRule, NormalRule


class Reach(NamedTuple):
    """Values of the worst and the best list without ties."""

    least: float
    best: float


def reach_of(measure: Measure, frame: Frame) -> Reach:
    """Values of the lists that have all targets last, and first; O(m)."""
    m = int(frame.n_targets)
    places, single = np.arange(m), np.ones(m, dtype=np.intp)
    row = np.zeros(m, dtype=np.intp)
    values = [
        measure.values(HitGroups(start + places, single, places, single), row, 1, frame)
        for start in (frame.n_samples - m, 0)
    ]
    return Reach(*(float(value[0]) for value in values))


def normal_rule(measure: Measure, ranking: Ranking, error: float) -> NormalRule:
    """Rule of an estimate with a standard error; one by rounding is none."""
    reach = reach_of(measure, measure.frame(ranking, ranking.n_targets))
    estimate = measure.value(ranking)
    error = 0.0 if error <= ROUNDING * reach.best else error
    return NormalRule(
        estimate, error, min(reach.least, estimate), max(reach.best, estimate)
    )


def moderated_rule(measure: Measure, ranking: Ranking) -> ModeratedRule:
    """Moderate the variance of the influences, as Smyth (2004) does those of genes."""
    found = influence_of(measure, ranking)
    frame = measure.frame(ranking, ranking.n_targets)
    reach, estimate = reach_of(measure, frame), measure.value(ranking)
    # hits above a cut may not be fewer than their least; the rest start from nothing
    zero = 0.0 if measure.ordered else reach.least
    scale = reach.best - zero
    values, variances = binormal_variances(measure, frame)
    inside = (values > zero) & (values < reach.best - ROUNDING * scale)
    model = (values[inside] - zero) / scale
    share = _keep_inside(measure, frame, (estimate - zero) / scale, scale, model[0])
    return ModeratedRule(
        estimate=estimate,
        share=share,
        variance=_on_logit_scale(float(found.variance) / scale**2, share),
        degrees_of_freedom=min(found.degrees_of_freedom, float(ranking.n_targets)),
        model_shares=model,
        model_variances=_on_logit_scale(variances[inside] / scale**2, model),
        zero=zero,
        least=min(reach.least, estimate),
        best=max(reach.best, estimate),
    )


def _keep_inside(
    measure: Measure, frame: Frame, share: float, scale: float, luck: float
) -> float:
    """Keep a share half a hit away from the ends, where its logit is infinite.

    The last hit may be worth nearly nothing, but not less than one of luck's m hits.
    """
    hit = float(measure.gain(frame.cut - 1, 1, 0, 1, frame) / measure.divisor(frame))
    least = max(hit / scale, luck / frame.n_targets) / 2
    most = 1 - (0.5 / frame.n_targets if measure.ordered else hit / scale / 2)
    return min(max(share, least), max(least, most))


def _on_logit_scale(variance: Any, share: Any) -> Any:
    return variance / np.square(share * (1 - share))
