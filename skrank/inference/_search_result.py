"""What the test of a search finds: a frozen record that prints itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._text import as_text, data_frame

_Floats = NDArray[np.float64]

#: Columns of the table, and the arrays that they show.
COLUMNS = {
    "value": "values",
    "null_mean": "null_means",
    "null_std": "null_stds",
    "zscore": "zscores",
    "pvalue": "pvalues",
    "adjusted_pvalue": "adjusted_pvalues",
    "bonferroni_pvalue": "bonferroni_pvalues",
}
_SHARED = (
    "best_index",
    "expected_best",
    "n_candidates",
    "n_resamples",
    "n_samples",
    "n_targets",
    "n_lists",
    "inflation",
    "metric",
)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SearchSelectionResult:
    """Result of a :class:`SearchSelectionTest`.

    Plurals are arrays with an entry for each candidate, in the order of the search.
    They are read-only. A candidate that failed in the search has NaN in all of them.

    Attributes
    ----------
    candidates : tuple
        What the candidates are called: parameters, names, or numbers.
    best_index : int
        Position of the winner.
    values : ndarray of shape (n_candidates,)
        Value of the metric, its mean over the folds.
    null_means, null_stds : ndarray of shape (n_candidates,)
        Exact mean of the value under random selection; and its standard deviation, that
        of independent lists times `inflation`.
    inflation : float
        How much wider the mean over folds is taken to spread than that over independent
        lists: the square root of 2, or 1 for one list.
    zscores : ndarray of shape (n_candidates,)
        ``(values - null_means) / null_stds``; 0.0 if luck has no spread, as
        with constant scores.
    pvalues : ndarray of shape (n_candidates,)
        Probability that luck does at least as well with this candidate, as if it were
        the only one.
    adjusted_pvalues : ndarray of shape (n_candidates,)
        Probability that luck does at least as well, in standard deviations, with any of
        the candidates.
    bonferroni_pvalues : ndarray of shape (n_candidates,)
        `pvalues` times the number of candidates that were tested, at most 1; for
        comparison.
    null_best : ndarray of shape (n_resamples,)
        Largest value of all candidates in each draw: what a search finds by luck. Over
        folds it is spread by `inflation`, as the z-scores are, but not beyond 0 and the
        value of perfect rankings.
    n_samples, n_targets, n_lists : int
        Number of held-out items, of targets among them, and of lists or folds.
    metric : str
        Name of the metric with its cut-off.
    """

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
    null_best: _Floats
    n_samples: int
    n_targets: int
    n_lists: int
    metric: str

    @property
    def n_candidates(self) -> int:
        """Number of candidates.

        Returns
        -------
        n_candidates : int
            Number of entries of the arrays.
        """
        return len(self.candidates)

    @property
    def n_resamples(self) -> int:
        """Number of draws.

        Returns
        -------
        n_resamples : int
            Number of entries of `null_best`.
        """
        return int(self.null_best.size)

    @property
    def statistic(self) -> float:
        """Value of the winner.

        Returns
        -------
        statistic : float
            Its entry in `values`.
        """
        return float(self.values[self.best_index])

    @property
    def pvalue(self) -> float:
        """Adjusted p-value of the winner.

        Returns
        -------
        pvalue : float
            Its entry in `adjusted_pvalues`.
        """
        return float(self.adjusted_pvalues[self.best_index])

    @property
    def expected_best(self) -> float:
        """Mean of `null_best`: the value that the best has by luck.

        Returns
        -------
        expected_best : float
            What to compare the value of the winner with.
        """
        return float(self.null_best.mean())

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name in (*COLUMNS.values(), "null_best"):
            getattr(self, name).flags.writeable = False

    def __str__(self) -> str:
        """Say what was found, in words and numbers."""
        best = self.best_index
        n_failed = np.count_nonzero(np.isnan(self.values))
        failed = f", {n_failed} failed" if n_failed else ""
        lists = f"{self.n_lists} lists" if self.n_lists > 1 else "list"
        lines = [
            f"Search selection test of {self.metric}",
            f"  {lists:<10} {self.n_samples} items, {self.n_targets} targets "
            f"(prevalence {self.n_targets / self.n_samples:.4g})",
            f"  winner     {as_text(self.candidates[best])}, "
            f"one of {self.n_candidates}{failed}",
            f"  value      {self.statistic:.4g}",
            f"  by luck    {self.null_means[best]:.4g} on average, "
            f"standard deviation {self.null_stds[best]:.3g}",
            f"  best luck  {self.expected_best:.4g} on average, "
            f"above {np.quantile(self.null_best, 0.95):.4g} in 5 %",
            f"  z          {self.zscores[best]:.3g}",
            f"  p          {self.pvalue:.2g}   P(best luck >= winner); "
            f"alone {self.pvalues[best]:.2g}, "
            f"Bonferroni {self.bonferroni_pvalues[best]:.2g}",
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Print the summary, also where a notebook shows the result."""
        return str(self)

    def to_dict(self) -> dict[str, float | int | str]:
        """Return what was found about the winner as plain numbers and strings.

        Returns
        -------
        fields : dict
            The entries of the winner, and the fields that all candidates share.
        """
        best = self.best_index
        entries = {
            name: float(getattr(self, plural)[best]) for name, plural in COLUMNS.items()
        }
        shared = {name: getattr(self, name) for name in _SHARED}
        return {"candidate": as_text(self.candidates[best]), **entries, **shared}

    def to_frame(self) -> Any:
        """Return the entries of all candidates as a table; needs pandas.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each candidate, in the order of the search, so that the table can
            be joined to that of ``cv_results_``. The column "is_best" marks the winner.
        """
        columns = {name: getattr(self, plural) for name, plural in COLUMNS.items()}
        is_best = np.arange(self.n_candidates) == self.best_index
        named = {"candidate": list(self.candidates)}
        return data_frame({**named, **columns, "is_best": is_best})
