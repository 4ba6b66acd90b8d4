"""Interval of a difference by what each of two models may lose of the other.

A model may lose some of the targets that another one finds, such as by a filter or a
feature that is missing. Few targets cannot exclude this: if none of 12 targets was
lost, one in five may be, although the two rankings are equal here. No error that is
estimated from the sample knows of it.

The value of an additive metric is a sum of contributions of its targets. A loses a
unit, a target or a cluster, if it contributes less than half as much to A as to B. The
loss is what the value of B falls by if these are not found at all. Other samples may
lose more (`Loss`), and A - B is then smaller.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skrank.inference.comparison._rules import Loss, LossRule
from skrank.inference.variability._changes import effective_number
from skrank.inference.variability._jackknife import falls_of_targets
from skrank.metrics._definitions import Metric
from skrank.ranking._ranking import Ranking

Floats = NDArray[np.float64]

# Part of its contribution below which a unit is lost. With all of it, so that any loss
# counts, nearly equal models with 25 targets are called not worse in .64 in place of
# .71 of the samples, and the error at the margin is the same.
_LOST = 0.5


def loss_rule(
    metric: Metric,
    rows: Sequence[tuple[Ranking, Ranking]],
    units: Sequence[NDArray[np.intp]],
    weights: Sequence[float],
) -> LossRule:
    """Return the rule of A - B.

    Parameters
    ----------
    metric : Metric
        Additive metric.
    rows : sequence of tuple of Ranking
        Rankings by A and B of each data set, of the same items.
    units : sequence of ndarray
        The unit of each target of each data set: itself, or its cluster.
    weights : sequence of float
        Weight of each data set in the mean.

    Returns
    -------
    rule : LossRule
        Interval of the difference.
    """
    code, totals = np.concatenate(units), list[Floats]()
    for column in zip(*rows, strict=True):
        found = [
            weight * _of_targets(metric, one)
            for one, weight in zip(column, weights, strict=True)
        ]
        for one in np.concatenate(found, axis=1):
            totals.append(np.bincount(code, one).astype(np.float64))
    a, falls_a, b, falls_b = totals
    return LossRule(
        float(a.sum() - b.sum()), _loss(b, falls_b, a), _loss(a, falls_a, b)
    )


def _of_targets(metric: Metric, ranking: Ranking) -> Floats:
    """Return the contribution of each target, and the fall without it; O(m log m)."""
    frame, groups = metric.frame(ranking, ranking.n_targets), ranking.groups
    if not groups.hits.size:  # all were missed
        return np.zeros((2, 0))
    counted = groups.down_to(frame.cut)
    parts = counted.above, counted.size, counted.hits_above, counted.hits
    of_levels = np.zeros((2, groups.hits.size))
    gain = metric.gain(*parts, frame) / counted.hits
    of_levels[0, : counted.hits.size] = gain / metric.divisor(frame)
    of_levels[1] = falls_of_targets(metric, ranking)
    score = ranking.items.y_score[ranking.items.targets]
    level = np.unique(score, return_inverse=True)[1]
    return of_levels[:, ::-1][:, level]


def _loss(of_one: Floats, falls: Floats, of_other: Floats) -> Loss:
    """Return what another model loses of one."""
    total = float(falls.sum())
    if not total > 0:  # there is nothing to lose
        return Loss(0.0, 1.0, 0.0)
    lost = float(falls[of_other < _LOST * of_one].sum()) / total
    whole = min(total, max(float(of_one.sum()), 0.0))
    return Loss(min(lost, 1.0), effective_number(falls), whole)
