"""Value of a metric, or its mean over several rankings, such as days or queries."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_flag, check_undefined
from skrank._utils._warnings import warn
from skrank.metrics._evaluate import for_weights, value_or
from skrank.ranking._as_ranking import CountOf, Labels, as_ranking, columns_of
from skrank.ranking._group_labels import (
    Outside,
    failed_by_group,
    group_codes,
    items_of_groups,
    outside_of_groups,
    take_parts,
    warn_of_unlisted,
)
from skrank.ranking._grouped import rank_groups
from skrank.ranking._input import (
    RankingInput,
    check_ranking_input,
)
from skrank.ranking._ranking import rank


def evaluate(
    metric: Any,
    y_true: Labels,
    y_score: ArrayLike | None,
    pos_label: object,
    lower_is_better: bool,
    missing: str,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    n_missed: CountOf,
    n_unlisted: CountOf | None,
    answer: float | str,
) -> float:
    """Value of one ranking, or the mean over those of groups.

    Parameters
    ----------
    metric : Metric
        The metric.
    y_true, y_score : array-like of shape (n_samples,)
        Labels and scores, or a ranking or its counts and None.
    pos_label : int, float, bool or str
        Label of the targets, or None.
    lower_is_better : bool
        Whether lower scores mean likelier targets.
    missing : {"error", "last", "missed"}
        What items without a score are to be.
    sample_weight, groups : array-like of shape (n_samples,)
        Weights and groups of the items, or None.
    n_missed, n_unlisted : int or mapping
        Targets, and items, that were never scored; by group with `groups`.
    answer : float or "raise"
        Value where the metric is undefined.

    Returns
    -------
    value : float
        The value.
    """
    answer = check_undefined(answer)
    given: Any = {"pos_label": pos_label, "sample_weight": sample_weight}
    given["lower_is_better"] = check_flag("lower_is_better", lower_is_better)
    given["missing"] = missing
    if groups is None:
        given |= {"n_missed": n_missed, "n_unlisted": n_unlisted}
        ranking = as_ranking(y_true, y_score, **given, reach=metric.reach)
        return value_or(metric, ranking, answer)
    # rank within the groups: O(n + m log m), and O(n log n) with weights
    y_true, y_score = columns_of(y_true, y_score)
    data = check_ranking_input(y_true, y_score, **given)
    labels, codes = group_codes(data, groups)
    failed = failed_by_group(data, groups)
    outside = outside_of_groups(labels, n_missed, n_unlisted, failed)
    if outside.unlisted is None and outside.missed.any() and metric.of_all_items:
        warn_of_unlisted(metric.name)
    measured = _measure_counts if data.weight is None else _measure_weights
    values = measured(metric, data, codes, outside)
    is_undefined = np.isnan(values)
    if is_undefined.any():
        _tell_undefined(metric, is_undefined, answer)
        values[is_undefined] = answer
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else math.nan


def _measure_counts(
    metric: Any, data: RankingInput, codes: NDArray[np.intp], outside: Outside
) -> NDArray[np.float64]:
    """Values of all groups at once."""
    n_groups = len(outside.labels)
    many = rank_groups(data, codes, n_groups, outside.missed, outside.unlisted)
    with np.errstate(divide="ignore", invalid="ignore"):  # for undefined values
        frame = metric.frame(many, many.n_targets)
        values = metric.values(many.groups, many.row, n_groups, frame)
    values[~metric.is_defined(many.n_targets, many.n_others)] = math.nan
    return values  # type: ignore[no-any-return]


def _measure_weights(
    metric: Any, data: RankingInput, codes: NDArray[np.intp], outside: Outside
) -> NDArray[np.float64]:
    """Values of the groups, one after another."""
    parts = take_parts(data, items_of_groups(codes, len(outside.labels)), outside)
    rankings = [replace(rank(part), several=True) for part in parts]
    metric = for_weights(metric, rankings)
    values = [
        metric.value(one)
        if metric.is_defined(one.n_targets, one.n_non_targets + one.n_missed)
        else math.nan
        for one in rankings
    ]
    return np.array(values)


def _tell_undefined(
    metric: Any, is_undefined: NDArray[np.bool_], answer: float | str
) -> None:
    """Warn of the number of groups without a value, if the answer there is NaN."""
    classes = "targets, or no non-targets" if metric.needs_both_classes else "targets"
    msg = (
        f"{metric.name} is undefined in {is_undefined.sum()} of {is_undefined.size} "
        f"groups, in which there are no {classes}"
    )
    if answer == "raise":
        raise ValueError(f"{msg}.")
    if math.isnan(float(answer)):
        warn(f"{msg}: they are left out of the mean. `undefined` gives another value.")
