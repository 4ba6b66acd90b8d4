"""The rule of an interval that rests on the sample and on the binormal model."""

from typing import Any

import numpy as np

from skrank._measures import Frame, Measure
from skrank._ranking import HitGroups, Ranking
from skrank._variability._binormal import binormal_variances
from skrank._variability._influence import influence_of
from skrank._variability._interval import ModeratedRule


def moderated_rule(measure: Measure, ranking: Ranking) -> ModeratedRule:
    """Moderate the variance of the influences, as Smyth (2004) does those of genes."""
    frame = measure.frame(ranking, ranking.n_targets)
    best = best_value(measure, frame)
    estimate = measure.value(ranking)
    share = _inside(measure, frame, estimate / best, best)
    found = influence_of(measure, ranking)
    values, variances = binormal_variances(measure, frame)
    model, inside = values / best, (values > 0) & (values < best)
    return ModeratedRule(
        estimate=estimate,
        share=share,
        variance=_on_logit_scale(float(found.variance) / best**2, share),
        degrees_of_freedom=min(found.degrees_of_freedom, float(ranking.n_targets)),
        model_shares=model[inside],
        model_variances=_on_logit_scale(variances[inside] / best**2, model[inside]),
        best=best,
    )


def best_value(measure: Measure, frame: Frame) -> float:
    """Value of the list that has all targets first."""
    m = int(frame.n_targets)
    places = np.arange(m)
    single = np.ones(m, dtype=np.intp)
    groups = HitGroups(places, single, places, single)
    row = np.zeros(m, dtype=np.intp)
    return float(measure.values(groups, row, 1, frame)[0])


def _inside(measure: Measure, frame: Frame, share: float, best: float) -> float:
    """Keep a share half a hit away from the ends, where its logit is infinite."""
    last = measure.gain(frame.cut - 1, 1, 0, 1, frame) / measure.divisor(frame)
    least, most = last / best / 2, 1 - 0.5 / frame.n_targets
    return float(min(max(share, least), max(least, most)))


def _on_logit_scale(variance: Any, share: Any) -> Any:
    return variance / np.square(share * (1 - share))
