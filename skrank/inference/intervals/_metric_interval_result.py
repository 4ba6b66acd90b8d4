"""Result of `MetricInterval`."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from skrank._utils._checks import check_fraction, check_number, check_option
from skrank._utils._numbers import interval
from skrank._utils._signature import signature_of
from skrank._utils._warnings import warn
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.base._result import Result, printed_field
from skrank.inference.variability._interval_rules import IntervalRule, tail_above


@signature_of()
@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class MetricIntervalResult(Result):
    """Result of :class:`MetricInterval`.

    The fields are the same for all methods.

    Attributes
    ----------
    value : float
        Value of the metric.
    standard_error : float
        Standard error of the value, on the scale of the metric. It is 0 if the value
        cannot vary, and NaN if it cannot be estimated from a single target or a single
        non-target.
    values : tuple of float
        Values of the metric on several rankings, or on the folds of a cross-validation.
        Empty for one ranking.
    metric, method : str
        Name of the metric with its cutoff, and method that was used (never "auto").
    n_samples, n_targets, n_missed : int
        Numbers of items, of targets, and of targets that were never scored, in all
        rankings together. An item in several folds counts once.
    n_rankings : int
        Number of rankings, which are groups or folds; 1 for a single ranking.
    kind : {"one", "groups", "folds"}
        Whether there is a single ranking, or a ranking for each group or fold.
    labels : tuple
        Labels of several rankings: the values of `groups`, or the numbers of the folds.
    n_clusters : int
        Number of clusters; 0 without `clusters`.

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

    # shared: of_results

    title: ClassVar[str] = "Interval of {0.metric}"

    value: float = printed_field("{0}{1._mean}")
    standard_error: float = printed_field("{0}, method: {1.method}", digits=3)
    values: tuple[float, ...] = ()
    _rule: IntervalRule

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the interval for the mean of the metric over samples of this size.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the interval contains the mean, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Lower and upper limit, between the values of the worst and the best ranking
            without ties ("posterior" is only bounded by 1). The interval is symmetric
            on the scale of the logit of the value divided by the perfect value. Both
            limits equal the value if it cannot vary: at t = n, or if all scores are
            equal. Otherwise they are NaN, with a warning, if the standard error is 0 or
            NaN, or if the value has no logit.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        level = check_fraction("confidence_level", confidence_level)
        limits = ConfidenceInterval(*self._rule.bounds(level))
        if math.isnan(limits.low):
            warn(
                f"The interval of {self.metric} is undefined by {self.method}: the "
                "standard error must be above 0, and the value must not be the largest "
                f"or the smallest possible; got {self.standard_error:.4g} and "
                f"{self.value:.4g}."
            )
        return limits

    def pvalue(self, value: float, alternative: str = "two-sided") -> float:
        """Return the p-value of a stated value, such as a published one.

        Parameters
        ----------
        value : float
            Value of the null hypothesis, on the scale of the metric.
        alternative : {"two-sided", "greater", "less"}, default="two-sided"
            Alternative hypothesis: the mean over samples differs from `value`, is
            larger, or is smaller.

        Returns
        -------
        pvalue : float
            1 minus the level of the interval that ends at `value`, never below 1e-15;
            half of it in the direction of a one-sided alternative. NaN, with a warning,
            without an interval.

        Raises
        ------
        ValueError
            If `value` is not a finite number, or if `alternative` is unknown.

        Notes
        -----
        The test inverts the interval: the p-value is at most 0.05 if the 95 % interval
        does not contain the value. To test against random selection, use
        :class:`RandomSelectionTest`, whose p-values are exact.
        """
        value = check_number("value", value)
        check_option("alternative", alternative, ("two-sided", "greater", "less"))
        if math.isnan(self.confidence_interval(0.5).low):  # with a warning
            return math.nan
        above = tail_above(self._rule, self.value, value)
        if alternative == "two-sided":
            return 2 * min(above, 1 - above)
        return above if alternative == "greater" else 1 - above

    def _estimate(self) -> dict[str, float]:
        """Return the value with its standard error and its 95 % interval."""
        limits = ConfidenceInterval(*self._rule.bounds(0.95))._asdict()
        return {"value": self.value, "standard_error": self.standard_error, **limits}

    def _rows(self) -> list[tuple[str, str]]:
        low, high = self._rule.bounds(0.95)
        return [*Result._rows(self), ("95 % interval", interval(low, high))]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields that are numbers or strings, `n_rankings`, and the limits of the
            95 % interval as "low" and "high".
        """
        return {**Result.to_dict(self), **self._estimate()}

    def _columns(self) -> dict[str, Any]:
        return {"value": self.values or (self.value,)}
