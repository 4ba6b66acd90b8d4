"""Metric of each of several rankings, such as days or queries, and the mean over them.

The input is a metric, labels, scores, and the group of each item. The output is a
frozen result with one value for each group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_undefined, invalid
from skrank._utils._columns import check_index
from skrank._utils._table import data_frame
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.metrics._evaluate import evaluate_ranking, for_weights, why_undefined
from skrank.ranking._as_ranking import Labels, columns_of
from skrank.ranking._grouped import rank_groups
from skrank.ranking._input import RankingInput, check_ranking_input
from skrank.ranking._several import group_codes, items_of_groups, rank_parts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MetricByGroup:
    """Values of a metric within groups of items, such as days or queries.

    The method ``by_group`` of a metric made by :func:`make_metric` returns this object.

    Attributes
    ----------
    metric : str
        Name of the metric with its cutoff.
    labels : list of length n_groups
        Labels of the groups in ascending order.
    values : ndarray of shape (n_groups,)
        Value of the metric in each group; NaN where it is undefined.
    n_samples, n_targets : ndarray of shape (n_groups,)
        Number of items and of targets in each group. With weights they are sums of
        weights.

    See Also
    --------
    make_metric : Makes a metric with the method ``by_group``.

    Examples
    --------
    >>> from skrank import make_metric
    >>> y_true, y_score = [1, 0, 1, 0, 0, 0], [0.9, 0.8, 0.3, 0.7, 0.2, 0.1]
    >>> day = ["Mon", "Mon", "Tue", "Tue", "Wed", "Wed"]
    >>> result = make_metric("precision@1").by_group(y_true, y_score, day)
    >>> result
    <MetricByGroup of precision@1: mean 0.3333 over 3 groups>
    >>> result.to_frame()
      group  value  n_samples  n_targets
    0   Mon    1.0          2          1
    1   Tue    0.0          2          1
    2   Wed    0.0          2          0
    """

    metric: str
    labels: list[Any]
    values: NDArray[np.float64]
    n_samples: NDArray[Any]
    n_targets: NDArray[Any]

    @property
    def mean(self) -> float:
        """Mean over the groups in which the metric is defined.

        Returns
        -------
        mean : float
            The mean; NaN if the metric is defined in no group.
        """
        defined = self.values[~np.isnan(self.values)]
        return float(defined.mean()) if defined.size else math.nan

    def __repr__(self) -> str:
        """Print the mean and the number of groups."""
        n_groups = len(self.labels)
        n_defined = n_groups - int(np.count_nonzero(np.isnan(self.values)))
        over = f"{n_defined} of {n_groups}" if n_defined < n_groups else n_groups
        return (
            f"<MetricByGroup of {self.metric}: mean {self.mean:.4g} over {over} groups>"
        )

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the values as a data frame with a row for each group.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the returned table.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Table with the columns "group", "value", "n_samples" and "n_targets".

        Raises
        ------
        ImportError
            If the library is not installed.
        ValueError
            If `backend` is not one of these names.
        """
        columns: dict[str, Any] = {"group": self.labels, "value": self.values}
        columns |= {"n_samples": self.n_samples, "n_targets": self.n_targets}
        return data_frame(columns, backend)


def evaluate(
    metric: Any,
    y_true: Labels,
    y_score: ArrayLike | None,
    pos_label: object,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    n_missed: int,
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
    sample_weight, groups : array-like of shape (n_samples,)
        Weights and groups of the items, or None.
    n_missed : int
        Targets that were never scored.
    answer : float or "raise"
        Value where the metric is undefined.

    Returns
    -------
    value : float
        The value.
    """
    given = pos_label, sample_weight, n_missed, answer
    if groups is None:
        return evaluate_ranking(metric, y_true, y_score, *given)
    return measure_groups(metric, y_true, y_score, groups, *given).mean


def measure_groups(
    metric: Any,
    y_true: Labels,
    y_score: ArrayLike | None,
    groups: ArrayLike,
    pos_label: object,
    sample_weight: ArrayLike | None,
    n_missed: int,
    answer: float | str,
) -> MetricByGroup:
    """Rank within the groups and measure; O(n + m log m), of weights O(n log n).

    Parameters
    ----------
    metric : Metric
        The metric.
    y_true, y_score, groups : array-like of shape (n_samples,)
        Labels, scores and groups.
    pos_label : int, float, bool or str
        Label of the targets, or None.
    sample_weight : array-like of shape (n_samples,)
        Weights, or None.
    n_missed : int
        Must be 0: it is not known which group missed targets.
    answer : float or "raise"
        Its value where it is undefined, for want of targets or of anything else.

    Returns
    -------
    result : MetricByGroup
        The values.
    """
    answer = check_undefined(answer)
    if n_missed != 0:
        rule = "be 0 with `groups`, of which it is not known which missed them"
        raise invalid("n_missed", rule, brief(n_missed))
    y_true, y_score = columns_of(y_true, y_score)
    weights = {"pos_label": pos_label, "sample_weight": sample_weight}
    data = check_ranking_input(y_true, y_score, **weights)  # type: ignore[arg-type]
    check_index("groups", groups, y_true)
    labels, codes = group_codes(data, groups)
    measured = _measure_counts if data.weight is None else _measure_weights
    values, n_samples, n_targets = measured(metric, data, codes, len(labels))
    is_undefined = np.isnan(values)
    if is_undefined.any():
        _tell_undefined(metric.name, is_undefined, answer)
        values[is_undefined] = answer
    return MetricByGroup(metric.name, labels, values, n_samples, n_targets)


def _measure_counts(
    metric: Any, data: RankingInput, codes: NDArray[np.intp], n_groups: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Values, numbers of items and of targets of all groups at once."""
    many = rank_groups(data, codes, n_groups)
    n, m = many.n_samples, many.n_targets
    with np.errstate(divide="ignore", invalid="ignore"):  # for undefined values
        frame = metric.frame(many, m)
        values = metric.values(many.groups, many.row, n_groups, frame)
    if not metric.always_defined:
        values[(m == 0) | (m == n)] = math.nan
    return values, n, m


def _measure_weights(
    metric: Any, data: RankingInput, codes: NDArray[np.intp], n_groups: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Values and sums of weights of the groups, one after another."""
    rankings = rank_parts(data, items_of_groups(codes, n_groups))
    metric = for_weights(metric, rankings)
    values = [
        metric.value(one)
        if why_undefined(one) is None or (metric.always_defined and one.n_samples)
        else math.nan
        for one in rankings
    ]
    sizes = np.array([(one.n_samples, one.n_targets) for one in rankings])
    return np.array(values), *sizes.T


def _tell_undefined(
    name: str, is_undefined: NDArray[np.bool_], answer: float | str
) -> None:
    """Warn of the number of groups without a value, if the answer there is NaN."""
    msg = (
        f"{name} is undefined in {is_undefined.sum()} of {is_undefined.size} groups, "
        "in which there are no targets, or no non-targets"
    )
    if answer == "raise":
        raise ValueError(f"{msg}.")
    if math.isnan(float(answer)):
        warn(f"{msg}: they are left out of the mean. `undefined` gives another value.")
