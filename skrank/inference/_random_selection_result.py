"""Result of `RandomSelectionTest`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._printed import Printed, Shown
from skrank._utils._table import data_frame
from skrank._utils._text import (
    columns_of,
    format_count,
    format_pvalue,
    format_size,
)
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


@dataclass(frozen=True, slots=True, repr=False)
class RandomSelectionResult(Printed):
    """Result of a :class:`RandomSelectionTest`.

    All methods have the same fields, for one ranking and for several. The printed
    result has a note if random selection gives a value as low or lower with a
    probability of at most 0.001, unless `alternative` is "less". The scores of such a
    ranking may be reversed.

    Attributes
    ----------
    statistic : float
        Value of the metric, or its mean over several rankings.
    zscore : float
        ``(statistic - null_mean) / null_std``. It is 0.0 if the null distribution has
        no spread, as with constant scores. Do not compute p-values from it, because the
        null distribution is skewed.
    pvalue : float
        Probability of a value at least as extreme under random selection. If it
        underflows to 0.0, use `log10_pvalue`.
    log10_pvalue : float
        Decimal logarithm of the p-value.
    pvalue_bounds : tuple of two floats or None
        Proven bounds of the p-value from "exact" and "bounds". None for other methods.
    pvalue_error : float or None
        Relative error of the p-value. For "importance_sampling" and "monte_carlo" it is
        the standard error. For "inversion" it is an estimate, and not a bound.
        None if there are bounds, or if the method gives no error.
    null_mean, null_std : float
        Exact mean and standard deviation of the metric under random selection; those of
        the draws with `clusters` or `strata`. For the folds of a cross-validation the
        standard deviation is `inflation` times that of independent rankings. The mean
        is the chance level. It is above the prevalence, most of all for short rankings.
    n_samples, n_targets : int
        Number of items, and of targets among them, in all rankings together, including
        missed targets.
    metric : str
        Name of the metric with its cutoff.
    method : str
        Method of the p-value; never "auto".
    alternative : str
        Values that count as more extreme.
    null_distribution : RandomSelectionNull, MeanNull or None
        Null distribution of the metric. None with `clusters` or `strata`.
    parts : sequence of RandomSelectionResult
        Results of the single rankings, if there are several. Each is computed on
        access.
    labels : tuple
        Labels of the rankings: the values of `groups`, or the numbers of the folds.
    n_missed : int
        Number of targets that were never scored.
    null_values : ndarray of shape (n_resamples,) or None
        Values drawn from the null distribution with `clusters` or `strata`. None
        otherwise.
    permuted : str
        Description of the labels that are permuted with `clusters` or `strata`. Empty
        otherwise.
    n_clusters, n_strata : int
        Number of `clusters` and of `strata`; 0 if they are not given.

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
    >>> columns = ["ranking", "statistic", "null_mean", "pvalue"]
    >>> result.to_frame()[columns].round(3)
       ranking  statistic  null_mean  pvalue
    0        1      0.867      0.645    0.15
    1        2      0.333      0.408    0.50
    """

    statistic: float
    zscore: float
    pvalue: float
    log10_pvalue: float
    pvalue_bounds: tuple[float, float] | None
    pvalue_error: float | None
    null_mean: float
    null_std: float
    n_samples: int
    n_targets: int
    metric: str
    method: str
    alternative: str
    null_distribution: RandomSelectionNull | MeanNull | None
    parts: Sequence["RandomSelectionResult"] = ()
    labels: tuple[Any, ...] = ()
    n_missed: int = 0
    null_values: NDArray[np.float64] | None = field(default=None, compare=False)
    permuted: str = ""
    n_clusters: int = 0
    n_strata: int = 0

    @property
    def n_rankings(self) -> int:
        """Number of rankings.

        Returns
        -------
        n_rankings : int
            Length of `parts`, or 1.
        """
        return max(1, len(self.parts))

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

    def _shown(self) -> Shown:
        n, mean = len(self.parts), " on average" if self.parts else ""
        extreme = {"greater": ">=", "less": "<=", "two-sided": "as extreme as"}
        size = format_size(
            self.n_samples, self.n_targets, self.n_missed, self.n_clusters
        )
        rows = [
            (format_count(n, "ranking"), size),
            ("statistic", f"{self.statistic:.4g}{mean}"),
            ("null mean", f"{self.null_mean:.4g}"),
            ("null std", f"{self.null_std:.3g}"),
            ("zscore", f"{self.zscore:.3g}"),
            (
                "pvalue",
                f"{format_pvalue(self.log10_pvalue)}   P(null "
                f"{extreme[self.alternative]} observed), method: {self.method}",
            ),
        ]
        if self.permuted:
            rows.append(("permuted", self.permuted))
        if self.inflation > 1:
            note = f"{n} times the smallest pvalue of a ranking, for any dependence"
            rows.append(("Bonferroni", f"{self.bonferroni_pvalue:.2g}   {note}"))
        if self.alternative != "less" and self._is_far_below():
            rows.append(("note", f"far below chance: {REVERSED}"))
        return Shown(f"Random selection test of {self.metric}", rows)

    def _is_far_below(self) -> bool:
        if self.null_values is not None:
            return bool(np.mean(self.null_values <= self.statistic) <= FAR_BELOW)
        assert self.null_distribution is not None
        one_sided = self.pvalue if self.alternative == "greater" else None
        return is_far_below(self.statistic, self.null_distribution, one_sided)

    def to_dict(self) -> dict[str, float | int | str]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields except the null distribution, its values and the single rankings,
            with `n_rankings`, `inflation` and `bonferroni_pvalue`. The bounds are
            "pvalue_lower" and "pvalue_upper". Missing bounds and errors are NaN.
        """
        fields = {name: getattr(self, name) for name in self.__slots__}
        for name in ("null_distribution", "null_values", "parts", "labels"):
            del fields[name]
        lower, upper = fields.pop("pvalue_bounds") or (math.nan, math.nan)
        if fields["pvalue_error"] is None:
            fields["pvalue_error"] = math.nan
        return {
            **fields,
            "pvalue_lower": lower,
            "pvalue_upper": upper,
            "n_rankings": self.n_rankings,
            "inflation": self.inflation,
            "bonferroni_pvalue": self.bonferroni_pvalue,
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the results of the single rankings as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the returned table.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            A row for each ranking. The column "ranking" holds `labels`, or 0 for a
            single ranking. The other columns are those of `to_dict`.

        Raises
        ------
        ImportError
            If the library is not installed.
        ValueError
            If `backend` is not one of these names.
        """
        rows = [part.to_dict() for part in self.parts or (self,)]
        return data_frame(
            {"ranking": list(self.labels or (0,)), **columns_of(rows)}, backend
        )


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
