"""Result of `RandomSelectionTest`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skrank._utils._numbers import format_pvalue
from skrank._utils._signature import signature_of
from skrank._utils._text import columns_of
from skrank.inference.base._result import Result, printed_field
from skrank.null import MeanNull, RandomSelectionNull

REVERSED = (
    "do higher scores mean likelier targets, or the other class (the wrong column of "
    "predict_proba)?"
)
# Probability of a value as low or lower at which the scores may be reversed. It is also
# the share of random rankings with this note; with half of it, half as many have it.
# The z-score is not suitable: with 20 targets of 1000, that of average precision cannot
# be below -1.3.
FAR_BELOW = 0.001


@signature_of()
@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class RandomSelectionResult(Result):
    """Result of a :class:`RandomSelectionTest`.

    The fields are the same for all methods, and for one or several rankings. The
    printed result has a note if random selection has a value as low or lower with a
    probability of at most 0.001, unless `alternative` is "less". The scores of such a
    ranking may be reversed.

    Attributes
    ----------
    value : float
        Value of the metric, or its mean over several rankings.
    zscore : float
        ``(value - null_mean) / null_std``. It is 0.0 if the null distribution has no
        spread, such as for constant scores. Do not compute p-values from it, because
        the null distribution is skewed.
    pvalue : float
        Probability of a value at least as extreme under random selection. If it
        underflows to 0.0, use `log10_pvalue`.
    log10_pvalue : float
        Decimal logarithm of the p-value.
    pvalue_bounds : tuple of two floats or None
        Proven bounds of the p-value from "exact" and "bounds". None for other methods.
    pvalue_relative_error : float or None
        Relative error of the p-value. For "importance_sampling" and "monte_carlo" it is
        the standard error. For "inversion" it is an estimate, and not a bound. It is
        0.0 for "exact", and None for "bounds" and "normal".
    null_mean, null_std : float
        Exact mean and standard deviation of the metric under random selection; with
        `clusters` or `strata`, mean and standard deviation of the draws. For the folds
        of a cross-validation, the standard deviation of independent rankings is
        multiplied by `inflation`. The mean is the chance level. It is above the
        prevalence, most of all for short rankings.
    alternative : str
        Values that count as more extreme.
    null_distribution : RandomSelectionNull, MeanNull or None
        Null distribution of the metric. None with `clusters` or `strata`.
    parts : sequence of RandomSelectionResult
        Results of the single rankings if there are several, computed on access.
    null_values : ndarray of shape (n_resamples,) or None
        Values drawn from the null distribution with `clusters` or `strata`. None
        otherwise.
    permuted : str
        Description of the labels that are permuted with `clusters` or `strata`;
        otherwise empty.
    n_strata : int
        Number of strata; 0 without `strata`.
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
    RandomSelectionTest : Creates this object.

    Examples
    --------
    >>> from skrank import RandomSelectionTest
    >>> y_true = [1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    >>> day = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    >>> y_score = [9, 7, 6, 5, 4, 1, 8, 6, 5, 3, 2, 1]
    >>> test = RandomSelectionTest()
    >>> result = test.from_predictions(y_true, y_score, groups=day)
    >>> result.n_rankings, round(result.pvalue, 4)
    (2, 0.275)
    >>> columns = ["ranking", "value", "null_mean", "pvalue"]
    >>> result.to_frame()[columns].round(3)
       ranking  value  null_mean  pvalue
    0        1  0.867      0.645    0.15
    1        2  0.333      0.408    0.50
    """

    # shared: of_results

    title: ClassVar[str] = "Random selection test of {0.metric}"

    value: float = printed_field("{0}{1._mean}")
    null_mean: float = printed_field()
    null_std: float = printed_field(digits=3)
    zscore: float = printed_field(digits=3)
    pvalue: float = printed_field("{1._pvalue}")
    log10_pvalue: float
    pvalue_bounds: tuple[float, float] | None = None
    pvalue_relative_error: float | None = None
    alternative: str = "greater"
    null_distribution: RandomSelectionNull | MeanNull | None = None
    parts: Sequence["RandomSelectionResult"] = ()
    null_values: NDArray[np.float64] | None = None
    permuted: str = ""
    n_strata: int = 0
    _values: tuple[float, ...] = ()  # of single rankings without results

    @property
    def inflation(self) -> float:
        """Factor on the standard deviation of the mean over dependent rankings.

        Returns
        -------
        inflation : float
            The square root of 2 for the folds of a cross-validation, otherwise 1.
        """
        null = self.null_distribution
        return 1.0 if null is None else null.inflation

    @property
    def bonferroni_pvalue(self) -> float:
        """Number of rankings times the smallest of their p-values.

        Returns
        -------
        bonferroni_pvalue : float
            A p-value for all rankings together, at most 1. It is valid for any
            dependence of the rankings. For a single ranking it is the p-value.
        """
        parts = self.parts or (self,)
        return min(1.0, len(parts) * min(part.pvalue for part in parts))

    @property
    def is_pvalue_limit(self) -> bool:
        """Whether more draws may give a smaller p-value.

        Returns
        -------
        is_pvalue_limit : bool
            True if no draw was as extreme as the observed value.
        """
        # (C + 1) / (B + 1) then has the relative error 1
        error = self.pvalue_relative_error or 0.0
        return self.method == "monte_carlo" and error > 0.99

    @property
    def _pvalue(self) -> str:
        """The p-value with its meaning and its method, in print."""
        said = {"greater": ">=", "less": "<=", "two-sided": "as extreme as"}
        extreme = said[self.alternative]
        value = format_pvalue(self.log10_pvalue, is_limit=self.is_pvalue_limit)
        return f"{value}   P(null {extreme} observed), method: {self.method}"

    def _rows(self) -> list[tuple[str, str]]:
        rows = Result._rows(self)
        if self.permuted:
            rows.append(("permuted", self.permuted))
        # without the number of unlisted items, missed targets alone are far below
        far = self.alternative != "less" and not self.n_missed and self.is_far_below
        if far:
            rows.append(("note", f"far below chance: {REVERSED}"))
        if 2 * self.n_targets > self.n_samples:
            said = "most items are targets: is the other class the target"
            rows.append(("note", f"{said} (give its `pos_label`)?"))
        return rows

    @property
    def is_far_below(self) -> bool:
        """Whether the scores may be reversed.

        Returns
        -------
        is_far_below : bool
            True if random selection has a value as low or lower with a probability of
            at most 0.001.
        """
        if self.null_values is not None:
            return bool(np.mean(self.null_values <= self.value) <= FAR_BELOW)
        assert self.null_distribution is not None
        one_sided = self.pvalue if self.alternative == "greater" else None
        return is_far_below(self.value, self.null_distribution, one_sided)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields that are numbers or strings, with `n_rankings` and `inflation`.
            The bounds are "pvalue_lower" and "pvalue_upper". Missing bounds and errors
            are NaN.
        """
        lower, upper = self.pvalue_bounds or (math.nan, math.nan)
        error = self.pvalue_relative_error
        return {
            **Result.to_dict(self),
            "pvalue_relative_error": math.nan if error is None else error,
            "pvalue_lower": lower,
            "pvalue_upper": upper,
            "inflation": self.inflation,
        }

    def _columns(self) -> dict[str, Any]:
        if self._values:
            return {"value": self._values}
        rows = [part.to_dict() for part in self.parts or (self,)]
        return columns_of(rows)


def is_far_below(
    statistic: float, null: RandomSelectionNull | MeanNull, pvalue: float | None = None
) -> bool:
    """Whether a ranking is so far below chance that it may be read backwards.

    Parameters
    ----------
    statistic : float
        Value of the metric.
    null : RandomSelectionNull or MeanNull
        Its null distribution.
    pvalue : float, default=None
        ``P(null >= statistic)``, if it is known: of most rankings it tells by itself.

    Returns
    -------
    is_far_below : bool
        True if ``P(null <= statistic)`` is at most 0.001.
    """
    if statistic >= null.mean() or (pvalue is not None and pvalue < 0.99):
        return False
    return float(null.cdf(statistic)) <= FAR_BELOW
