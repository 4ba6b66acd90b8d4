"""Interval of a difference by what each of two models may lose of the other.

A model may lose some of the targets that another one finds, such as by a filter or a
feature that is missing. Few targets cannot exclude this: if none of 12 targets was
lost, one in five may be, although the two rankings are equal here. No error that is
estimated from the sample knows of it.

The value of an additive metric is a sum of contributions of its targets. The losses of
A are a sum over the units, targets or clusters, of which A has less than B, and a share
of the value of B. Other samples may lose more (`Loss`), and A - B is then smaller.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skrank.inference._variability._interval import Loss, LossRule
from skrank.metrics._definitions import Metric
from skrank.ranking._ranking import Ranking

Floats = NDArray[np.float64]


def contributions(metric: Metric, ranking: Ranking) -> Floats:
    """Return what each target adds to the value of an additive metric; O(m log m)."""
    frame, groups = metric.frame(ranking, ranking.n_targets), ranking.groups
    counted = groups.down_to(frame.cut)
    parts = counted.above, counted.size, counted.hits_above, counted.hits
    of_levels = np.zeros(groups.hits.size)
    of_levels[: counted.hits.size] = metric.gain(*parts, frame) / counted.hits
    score = ranking.items.y_score[ranking.items.targets]
    level = np.unique(score, return_inverse=True)[1]
    found: Floats = of_levels[::-1][level] / metric.divisor(frame)
    return found


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
    a, b = (
        np.bincount(
            np.concatenate(units),
            np.concatenate(
                [
                    weight * contributions(metric, row[model])
                    for row, weight in zip(rows, weights, strict=True)
                ]
            ),
        )
        for model in (0, 1)
    )
    return LossRule(float(a.sum() - b.sum()), _loss(b, a), _loss(a, b))


def _loss(one: Floats, other: Floats) -> Loss:
    """Return what `other` loses of `one`."""
    whole, squares = float(one.sum()), float((one**2).sum())
    if not whole > 0:  # there is nothing to lose
        return Loss(0.0, 1.0, 0.0)
    lost = float(np.maximum(one - other, 0.0).sum()) / whole
    return Loss(min(lost, 1.0), whole**2 / squares, whole)
