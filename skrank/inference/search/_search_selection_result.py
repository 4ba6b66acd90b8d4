"""Result of `SearchSelectionTest`."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skrank._utils._numbers import format_counted_pvalue, number
from skrank._utils._signature import signature_of
from skrank._utils._text import as_text
from skrank.inference.base._result import Result

_Floats = NDArray[np.float64]

#: Columns of the table, and the arrays with their values.
COLUMNS = {
    "value": "values",
    "null_mean": "null_means",
    "null_std": "null_stds",
    "zscore": "zscores",
    "pvalue": "pvalues",
    "adjusted_pvalue": "adjusted_pvalues",
    "bonferroni_pvalue": "bonferroni_pvalues",
}


@signature_of()
@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class SearchSelectionResult(Result):
    """Result of a :class:`SearchSelectionTest`.

    Arrays of shape (n_candidates,) have one entry for each candidate, in the order of
    the search; all entries of a candidate that failed in the search are NaN. Arrays are
    read-only.

    Attributes
    ----------
    candidates : tuple
        Parameters, names or numbers of the candidates.
    best_index : int
        Index of the winner.
    values : ndarray of shape (n_candidates,)
        Mean of the metric over the folds.
    null_means, null_stds : ndarray of shape (n_candidates,)
        Exact mean and standard deviation of the value under random selection. The
        standard deviation of independent rankings is multiplied by `inflation`.
    inflation : float
        Factor on the standard deviation of the mean over folds: the square root of 2,
        or 1 for one ranking.
    zscores : ndarray of shape (n_candidates,)
        ``(values - null_means) / null_stds``. It is 0.0 if the null distribution has no
        spread, such as for constant scores.
    pvalues : ndarray of shape (n_candidates,)
        Probability of a value at least as large under random selection for this
        candidate alone, without adjustment. It is a share of draws and at least
        ``1 / (n_resamples + 1)``.
    adjusted_pvalues : ndarray of shape (n_candidates,)
        Probability that the largest z-score of all candidates is at least as large
        under random selection. At least ``1 / (n_resamples + 1)``, too.
    bonferroni_pvalues : ndarray of shape (n_candidates,)
        `pvalues` times the number of tested candidates, at most 1, for comparison.
    null_maxima : ndarray of shape (n_resamples,)
        Largest value of all candidates in each draw, in units of the metric. The
        p-values compare z-scores and not these values. For folds, the spread of the
        values is multiplied by `inflation`, as for the z-scores, within the range from
        0 to the value of perfect rankings.
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
    SearchSelectionTest : Creates this object.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import SearchSelectionTest
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(300) < 15
    >>> scores = {"noise": rng.normal(size=300), "some": rng.normal(y_true)}
    >>> test = SearchSelectionTest(n_resamples=999, random_state=0)
    >>> result = test.from_predictions(y_true, scores)
    >>> result.candidates[result.best_index], result.n_candidates
    ('some', 2)
    >>> columns = ["candidate", "value", "null_mean", "is_best"]
    >>> result.to_frame()[columns].round(3)
      candidate  value  null_mean  is_best
    0     noise  0.046      0.067    False
    1      some  0.303      0.067     True
    """

    # shared: of_results

    title: ClassVar[str] = "Search selection test of {0.metric}"
    _of_rankings: ClassVar[bool] = False

    candidates: tuple[Any, ...]
    best_index: int
    values: _Floats
    null_means: _Floats
    null_stds: _Floats
    inflation: float
    zscores: _Floats
    pvalues: _Floats
    adjusted_pvalues: _Floats
    bonferroni_pvalues: _Floats
    null_maxima: _Floats

    @property
    def n_candidates(self) -> int:
        """Number of candidates.

        Returns
        -------
        n_candidates : int
            Number of entries of arrays of shape (n_candidates,).
        """
        return len(self.candidates)

    @property
    def n_resamples(self) -> int:
        """Number of draws.

        Returns
        -------
        n_resamples : int
            Number of entries of `null_maxima`.
        """
        return int(self.null_maxima.size)

    @property
    def value(self) -> float:
        """Value of the winner.

        Returns
        -------
        value : float
            Entry of the winner in `values`.
        """
        return float(self.values[self.best_index])

    @property
    def pvalue(self) -> float:
        """Adjusted p-value of the winner.

        Returns
        -------
        pvalue : float
            Entry of the winner in `adjusted_pvalues`.
        """
        return float(self.adjusted_pvalues[self.best_index])

    @property
    def expected_maximum(self) -> float:
        """Mean of `null_maxima`, the expected value of the best candidate by chance.

        Returns
        -------
        expected_maximum : float
            Value to compare with `value`.
        """
        return float(self.null_maxima.mean())

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name in (*COLUMNS.values(), "null_maxima"):
            getattr(self, name).flags.writeable = False

    def _rows(self) -> list[tuple[str, str]]:
        best = self.best_index
        n_failed = np.count_nonzero(np.isnan(self.values))
        failed = f", {n_failed} failed" if n_failed else ""
        plural = "" if self.n_candidates == 1 else "s"
        n_draws, bonferroni = self.n_resamples, self.bonferroni_pvalues[best]
        pvalue = format_counted_pvalue(self.pvalue, n_draws)
        unadjusted = format_counted_pvalue(self.pvalues[best], n_draws)
        return [
            *Result._rows(self),
            ("candidate", as_text(self.candidates[best])),
            ("best of", f"{self.n_candidates} candidate{plural}{failed}"),
            ("value", f"{number(self.value)}{self._mean}"),
            ("null mean", number(self.null_means[best])),
            ("null std", number(self.null_stds[best], 3)),
            ("expected maximum", number(self.expected_maximum)),
            ("zscore", number(self.zscores[best], 3)),
            ("pvalue", f"{pvalue}   P(largest null zscore >= observed)"),
            ("unadjusted", f"{unadjusted}, Bonferroni {bonferroni:.2g}"),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the result of the winner as plain numbers and strings.

        Returns
        -------
        fields : dict
            Entries of the winner, and fields that all candidates share.
        """
        best = self.best_index
        entries = {
            name: float(getattr(self, plural)[best]) for name, plural in COLUMNS.items()
        }
        names = "expected_maximum", "n_candidates", "n_resamples"
        shared = {name: getattr(self, name) for name in names}
        candidate = {"candidate": as_text(self.candidates[best])}
        return {**candidate, **entries, **shared, **Result.to_dict(self)}

    def _columns(self) -> dict[str, Any]:
        columns = {name: getattr(self, plural) for name, plural in COLUMNS.items()}
        is_best = np.arange(self.n_candidates) == self.best_index
        return {"candidate": list(self.candidates), **columns, "is_best": is_best}
