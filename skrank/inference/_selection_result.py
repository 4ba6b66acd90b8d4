"""What the test against random selection finds: a frozen record that prints itself."""

import math
from dataclasses import dataclass
from typing import Any

from skrank._utils._text import format_pvalue
from skrank.null import MeanNull, RandomSelectionNull

REVERSED = (
    "do higher scores mean likelier targets, or the other class (the wrong column of "
    "predict_proba)?"
)
_FAR_BELOW = -3.0  # z-score; luck rarely has a lower one


@dataclass(frozen=True, slots=True, repr=False)
class RandomSelectionResult:
    """Result of a :class:`RandomSelectionTest`.

    The fields are the same whatever the method, for one list and for several. Printed,
    a result with a z-score below -3 ends in a note, unless `alternative` is "less": so
    bad a ranking may be a good one read backwards.

    Attributes
    ----------
    statistic : float
        Value of the metric; for several lists its mean over them.
    zscore : float
        ``(statistic - null_mean) / null_std``; 0.0 if luck has no spread, as with
        constant scores, whose value is what luck gives. Not a route to the p-value: the
        law is skewed.
    pvalue : float
        Probability of a value at least as extreme under random selection. Where it
        underflows to 0.0, `log10_pvalue` does not.
    log10_pvalue : float
        Its decimal logarithm.
    pvalue_bounds : tuple of two floats or None
        Certified bounds of the p-value, from "enumeration", "grid" and "bounds".
    pvalue_error : float or None
        Relative error of the p-value: the standard error of "tilted" and "monte_carlo";
        from "inversion" an upper estimate of what was left out. None with bounds, and
        where the method does not tell.
    null_mean, null_std : float
        Exact mean and standard deviation of the metric under random selection; the
        latter for folds of a cross-validation `inflation` times that of independent
        lists. The mean is the chance level, which lies above the prevalence, the more
        so the shorter the lists.
    n_samples, n_targets : int
        Number of items, and of targets among them, in all lists together; with those
        that were missed.
    metric : str
        Name of the metric with its cut-off.
    method : str
        Method that gave the p-value; never "auto".
    alternative : str
        Which values count as more extreme.
    null_distribution : RandomSelectionNull or MeanNull
        The law itself.
    parts : tuple of RandomSelectionResult
        Results of the single lists, if there were several.
    labels : tuple
        What the lists are called: the values of `groups`, or the numbers of the folds.
    n_missed : int
        Number of targets that were never scored.
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
    null_distribution: RandomSelectionNull | MeanNull
    parts: tuple["RandomSelectionResult", ...] = ()
    labels: tuple[Any, ...] = ()
    n_missed: int = 0

    @property
    def inflation(self) -> float:
        """How much more than of independent lists the mean is taken to vary.

        Returns
        -------
        inflation : float
            The square root of 2 for folds of a cross-validation, else 1.
        """
        return self.null_distribution.inflation

    @property
    def bonferroni_pvalue(self) -> float:
        """Number of lists times their smallest p-value.

        Returns
        -------
        bonferroni_pvalue : float
            A p-value of all lists together that holds however they depend on each
            other; at most 1. For a single list its p-value.
        """
        parts = self.parts or (self,)
        return min(1.0, len(parts) * min(part.pvalue for part in parts))

    def __str__(self) -> str:
        """Say what was found, in words and numbers."""
        beyond = {"greater": ">=", "less": "<=", "two-sided": "as far out as"}
        many = bool(self.parts)
        missed = f", {self.n_missed} of them missed" if self.n_missed else ""
        lines = [
            f"Random selection test of {self.metric}",
            f"  {f'{len(self.parts)} lists' if many else 'list':<10} "
            f"{self.n_samples} items, {self.n_targets} targets{missed} "
            f"(prevalence {self.n_targets / self.n_samples:.4g})",
            f"  value      {self.statistic:.4g}{' on average' if many else ''}",
            f"  by luck    {self.null_mean:.4g} on average, "
            f"standard deviation {self.null_std:.3g}",
            f"  z          {self.zscore:.3g}",
            f"  p          {format_pvalue(self.log10_pvalue)}   "
            f"P(luck {beyond[self.alternative]} value), by {self.method}",
        ]
        if self.inflation > 1:
            lines.append(
                f"  Bonferroni {self.bonferroni_pvalue:.2g}   {len(self.parts)} times "
                "the smallest p of a fold, however folds depend on each other"
            )
        if self.alternative != "less" and is_far_below(self.zscore):
            lines.append(f"  note       far worse than luck: {REVERSED}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Print the summary, also where a notebook shows the result."""
        return str(self)

    def to_dict(self) -> dict[str, float | int | str]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields but the null distribution and the single lists, `inflation` and
            `bonferroni_pvalue`; the bounds as "pvalue_lower" and "pvalue_upper", NaN
            where there are none, as is the error.
        """
        fields = {name: getattr(self, name) for name in self.__slots__}
        for name in ("null_distribution", "parts", "labels"):
            del fields[name]
        lower, upper = fields.pop("pvalue_bounds") or (math.nan, math.nan)
        if fields["pvalue_error"] is None:
            fields["pvalue_error"] = math.nan
        return {
            **fields,
            "pvalue_lower": lower,
            "pvalue_upper": upper,
            "inflation": self.inflation,
            "bonferroni_pvalue": self.bonferroni_pvalue,
        }


def is_far_below(zscore: float) -> bool:
    """Whether a ranking is so much worse than luck that it may be read backwards.

    Parameters
    ----------
    zscore : float
        Its z-score.

    Returns
    -------
    is_far_below : bool
        True below -3.
    """
    return zscore < _FAR_BELOW
