"""What a report says of one metric: `MetricReport`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from skrank._utils._numbers import number
from skrank._utils._signature import signature_of
from skrank._utils._text import as_text
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.comparison._ranking_comparison_result import (
    RankingComparisonTable,
)
from skrank.inference.random_selection._random_selection import zscore_of
from skrank.inference.random_selection._random_selection_result import (
    RandomSelectionResult,
    is_far_below,
)
from skrank.metrics._definitions import AnyMetric
from skrank.null import MeanNull, RandomSelectionNull

#: Depths of the top, unless others are requested: items and fractions.
DEPTHS = (10, 0.01, 0.1)
OF_TEST = ("zscore", "pvalue", "log10_pvalue", "null_mean", "null_std")
#: Columns of a data frame that are not those of a metric.
COLUMNS = ("name", "n_targets", "low", "high", *OF_TEST)


@signature_of()
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MetricReport:
    """Results of one metric: a part of RankingReportResult.

    Attributes
    ----------
    metric : Metric
        The metric, with its tie rule.
    values : dict of str to float
        Values, or means over several rankings.
    n_rankings : int
        Number of groups or folds in the means; 1 for a single ranking.
    null_mean : float or None
        Exact mean under random selection. None if it depends on the ranking, such as
        with tie rules other than "expected", several classes, missed targets without
        `n_unlisted`, clusters, groups within folds, or lists of different items. Also
        None for a metric without a null distribution.
    estimates : dict of str to MetricIntervalResult
        Results of :class:`MetricInterval`. Empty for metrics of the top.
    intervals : dict of str to ConfidenceInterval
        Confidence intervals of `estimates`, at the level of the report.
    null_distributions : dict of str to RandomSelectionNull
        Null distributions of the main metric, with the ties of each ranking. Empty with
        clusters, and for a metric without a null distribution.
    tests : dict of str to RandomSelectionResult, or None
        Results of :class:`RandomSelectionTest` for the main metric. None without tests.
    untested : str
        Reason why the main metric has no tests.
    comparisons : RankingComparisonTable or None
        Comparisons of all pairs of rankings for the metrics of `compare_by`. None for a
        single ranking, for counts, and for several classes.

    See Also
    --------
    RankingReportResult : Contains these results in `results`.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingReport
    >>> y_true, y_score = np.arange(200) < 10, np.arange(200.0, 0.0, -1.0)
    >>> report = RankingReport(t=5).from_predictions(y_true, y_score)
    >>> found = report.results["recall@5"]
    >>> found.values["model"], found.null_mean
    (0.5, 0.025)
    """

    metric: AnyMetric
    values: dict[str, float]
    n_rankings: int = 1
    null_mean: float | None = None
    estimates: dict[str, Any] = field(default_factory=dict)
    intervals: dict[str, ConfidenceInterval] = field(default_factory=dict)
    null_distributions: dict[str, RandomSelectionNull | MeanNull] = field(
        default_factory=dict
    )
    tests: dict[str, RandomSelectionResult] | None = None
    untested: str = ""
    comparisons: RankingComparisonTable | None = None

    def __repr__(self) -> str:
        """Print the values."""
        values = (f"{as_text(k)} {number(one)}" for k, one in self.values.items())
        return f"<MetricReport of {self.metric.name}: {', '.join(values)}>"


def value_with_limits(found: MetricReport, name: str) -> tuple[float, float, float]:
    """Return the value of a ranking, and the limits of its interval."""
    low, high = found.intervals.get(name, (math.nan, math.nan))
    return found.values[name], low, high


def numbers_of_test(found: MetricReport, name: str) -> dict[str, float]:
    """Return what random selection says of a ranking; NaN where it is unknown."""
    if found.tests is not None:
        return {one: float(getattr(found.tests[name], one)) for one in OF_TEST}
    row = dict.fromkeys(OF_TEST, math.nan)
    if name in found.null_distributions:
        null = found.null_distributions[name]
        row["zscore"] = zscore_of(found.values[name], null)
        row |= {"null_mean": float(null.mean()), "null_std": float(null.std())}
    return row


def may_be_reversed(found: MetricReport, name: str) -> bool:
    """Whether a ranking is far below chance, if this is quick to compute."""
    if found.tests is not None:
        return found.tests[name].is_far_below
    null = found.null_distributions.get(name)  # None with clusters
    if null is None or not null.is_quick:
        return False
    return is_far_below(found.values[name], null)
