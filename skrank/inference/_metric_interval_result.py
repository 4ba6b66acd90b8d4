"""Result of `MetricInterval`."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from skrank._utils._checks import check_fraction, check_option
from skrank._utils._printed import Printed, Shown
from skrank._utils._table import data_frame
from skrank._utils._text import format_count, format_size
from skrank._utils._warnings import warn
from skrank.inference._variability._interval import IntervalRule


class ConfidenceInterval(NamedTuple):
    """Limits of a confidence interval.

    Attributes
    ----------
    low, high : float
        Lower and upper limit.

    Examples
    --------
    >>> from skrank import MetricInterval
    >>> y_true, y_score = [1, 0, 1, 0, 0], [5, 4, 3, 2, 1]
    >>> result = MetricInterval().from_predictions(y_true, y_score)
    >>> low, high = result.confidence_interval()
    >>> bool(low < result.estimate < high)
    True
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MetricIntervalResult(Printed):
    """Result of :class:`MetricInterval`.

    All methods have the same fields.

    Attributes
    ----------
    estimate : float
        Value of the metric.
    standard_error : float
        Standard error of the value, on the scale of the metric. It is 0 if the value
        cannot vary, and NaN if it cannot be estimated from a single target or a single
        non-target.
    method : str
        Method of the standard error; never "auto".
    metric : str
        Name of the metric with its cutoff.
    n_samples, n_targets : int
        Number of items, and of targets among them. Items in several folds count once.
    values : tuple of float
        Values of the metric on several rankings, or on the folds of a cross-validation.
        Empty for one ranking.
    labels : tuple
        Labels of these rankings: the values of `groups`, or the numbers of the folds.
    n_clusters : int
        Number of `clusters`, which are the sampling units; 0 if the items are.

    See Also
    --------
    MetricInterval : Creates this object.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrank import MetricInterval
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = MetricInterval().from_cv(GaussianNB(), X[:, :5], y == 0)
    >>> result.n_rankings, round(result.standard_error, 3)
    (5, 0.014)
    >>> result.to_frame().round(3)
       ranking  value
    0        0  0.918
    1        1  0.944
    2        2  0.961
    3        3  0.968
    4        4  0.967
    """

    estimate: float
    standard_error: float
    method: str
    metric: str
    n_samples: int
    n_targets: int
    _rule: IntervalRule
    values: tuple[float, ...] = ()
    labels: tuple[Any, ...] = ()
    n_clusters: int = 0

    @property
    def n_rankings(self) -> int:
        """Number of rankings.

        Returns
        -------
        n_rankings : int
            Length of `values`, or 1.
        """
        return max(1, len(self.values))

    def confidence_interval(
        self, confidence_level: float = 0.95, transform: str | None = "logit"
    ) -> ConfidenceInterval:
        """Return the interval for the mean of the metric over samples of this size.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the interval contains the mean, between 0 and 1.
        transform : {"logit", None}, default="logit"
            Scale on which the interval is symmetric. "logit" is the logit of the value
            divided by the perfect value, and None is the metric itself. The quantiles
            of "posterior" do not depend on it.

        Returns
        -------
        interval : ConfidenceInterval
            Lower and upper limit, within the values of the worst and the best ranking
            without ties. "posterior" only has the upper bound of 1. Both limits are the
            value itself if it cannot vary: at t = n, or if all scores are equal.
            Otherwise they are NaN, with a warning, if the standard error is 0 or NaN,
            or if the value has no logit.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1, or if `transform` is unknown.
        """
        level = check_fraction("confidence_level", confidence_level)
        check_option("transform", transform, ("logit", None))
        limits = self._limits(level, transform)
        if math.isnan(limits.low):
            warn(
                f"The interval of {self.metric} is undefined by {self.method}: the "
                "standard error must be above 0 and the value not the last there is; "
                f"got {self.standard_error:.4g} and {self.estimate:.4g}.",
            )
        return limits

    def _limits(
        self, level: float = 0.95, transform: str | None = "logit"
    ) -> ConfidenceInterval:
        return ConfidenceInterval(*self._rule.bounds(level, transform))

    def _shown(self) -> Shown:
        low, high = self._limits()
        n, mean = len(self.values), " on average" if self.values else ""
        rows = [
            (
                format_count(n, "ranking"),
                format_size(self.n_samples, self.n_targets, n_clusters=self.n_clusters),
            ),
            ("estimate", f"{self.estimate:.4g}{mean}"),
            ("standard error", f"{self.standard_error:.3g}, method: {self.method}"),
            ("95 % interval", f"{low:.4g} to {high:.4g}"),
        ]
        return Shown(f"Interval of {self.metric}", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields except `values` and `labels`, with `n_rankings` and with the
            limits of the 95 % interval as "low" and "high".
        """
        left_out = ("_rule", "values", "labels")
        names = [name for name in self.__slots__ if name not in left_out]
        fields = {name: getattr(self, name) for name in names}
        fields["n_rankings"] = self.n_rankings
        return {**fields, **self._limits()._asdict()}

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the values of the rankings as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the returned table.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Table with the columns "ranking", which holds `labels`, and "value".

        Raises
        ------
        ImportError
            If the library is not installed.
        ValueError
            If `backend` is not one of these names.
        """
        values = self.values or (self.estimate,)
        labels = self.labels or (0,)
        return data_frame({"ranking": list(labels), "value": values}, backend)
