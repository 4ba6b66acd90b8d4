"""What the test against random selection finds: a frozen record that prints itself."""

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
# Probability of so low a value, or a lower one, from which on scores may be reversed.
# So many of the rankings that are no better than chance are noted; at half of it, half
# as many. The z-score does not tell: that of average precision cannot be below -1.3 for
# 20 targets of 1000.
FAR_BELOW = 0.001


@dataclass(frozen=True, slots=True, repr=False)
class RandomSelectionResult(Printed):
    """Result of a :class:`RandomSelectionTest`.

    The fields are the same whatever the method, for one ranking and for several.
    Printed, a result ends in a note if random selection has so low a value, or a lower
    one, with a probability of at most 0.001, unless `alternative` is "less": so bad a
    ranking may be a good one read backwards.

    Attributes
    ----------
    statistic : float
        Value of the metric; for several rankings its mean over them.
    zscore : float
        ``(statistic - null_mean) / null_std``; 0.0 if the null distribution has no
        spread, as with constant scores, whose value is what is expected by chance. Not
        a route to the p-value: the distribution is skewed.
    pvalue : float
        Probability of a value at least as extreme under random selection. Where it
        underflows to 0.0, `log10_pvalue` does not.
    log10_pvalue : float
        Its decimal logarithm.
    pvalue_bounds : tuple of two floats or None
        Proven bounds of the p-value, from "exact" and "bounds".
    pvalue_error : float or None
        Relative error of the p-value: the standard error of "importance_sampling" and
        "monte_carlo"; from "inversion" an upper estimate of what was left out. None
        with bounds, and where the method does not tell.
    null_mean, null_std : float
        Exact mean and standard deviation of the metric under random selection, or those
        of the draws with `clusters` or `strata`; the latter for folds of a
        cross-validation `inflation` times that of independent rankings. The mean is the
        chance level, which lies above the prevalence, the more so the shorter the
        rankings.
    n_samples, n_targets : int
        Number of items, and of targets among them, in all rankings together; with those
        that were missed.
    metric : str
        Name of the metric with its cutoff.
    method : str
        Method that gave the p-value; never "auto".
    alternative : str
        Which values count as more extreme.
    null_distribution : RandomSelectionNull, MeanNull or None
        The distribution itself; None with `clusters` or `strata`.
    parts : sequence of RandomSelectionResult
        Results of the single rankings, if there were several; worked out when one is
        asked for.
    labels : tuple
        What the rankings are called: the values of `groups`, or the numbers of the
        folds.
    n_missed : int
        Number of targets that were never scored.
    null_values : ndarray of shape (n_resamples,) or None
        With `clusters` or `strata` the values that were drawn, from which all of the
        null is known.
    permuted : str
        What was drawn: which labels have changed places. Empty without `clusters` and
        `strata`, where all can.
    n_clusters, n_strata : int
        Number of `clusters` and of `strata`; 0 without.

    See Also
    --------
    RandomSelectionTest : Creates this object.

    Examples
    --------
    >>> from skrank import RandomSelectionTest
    >>> y_true = [1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    >>> day = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    >>> y_score = [9, 7, 6, 5, 4, 1, 8, 6, 5, 3, 2, 1]
    >>> result = RandomSelectionTest().from_predictions(y_true, y_score, groups=day)
    >>> result.n_rankings, round(result.statistic, 3), round(result.pvalue, 4)
    (2, 0.6, 0.275)
    >>> result.to_frame()[["ranking", "statistic", "null_mean", "pvalue"]].round(3)
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
            Number of `parts`, or 1.
        """
        return max(1, len(self.parts))

    @property
    def inflation(self) -> float:
        """How much more than of independent rankings the mean is taken to vary.

        Returns
        -------
        inflation : float
            The square root of 2 for folds of a cross-validation, else 1.
        """
        null = self.null_distribution
        return 1.0 if null is None else null.inflation

    @property
    def bonferroni_pvalue(self) -> float:
        """Number of rankings times their smallest p-value.

        Returns
        -------
        bonferroni_pvalue : float
            A p-value of all rankings together that holds however they depend on each
            other; at most 1. For a single ranking its p-value.
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
            note = f"{n} times the smallest pvalue of a fold, valid however they depend"
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
            All fields but the null distribution or its values and the single rankings,
            `n_rankings`,
            `inflation` and `bonferroni_pvalue`; the bounds as "pvalue_lower" and
            "pvalue_upper", NaN where there are none, as is the error.
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
            A row for each ranking, with the columns of `to_dict` behind "ranking",
            what it is called: one of `labels`, or 0 where there is one ranking only.

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
