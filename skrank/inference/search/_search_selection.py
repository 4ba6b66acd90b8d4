"""Test of the best candidate of a search against random selection.

The candidates are the models of `Rankings`. The same random labels are used for all
candidates. The output is a frozen result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning

from skrank._utils._checks import invalid
from skrank._utils._columns import check_order
from skrank._utils._jobs import run_draws
from skrank._utils._warnings import warn
from skrank.inference.base._question import MetricQuestion
from skrank.inference.search._joint import JointNull, RankedList
from skrank.inference.search._search_selection_result import (
    COLUMNS,
    SearchSelectionResult,
)
from skrank.metrics._definitions import AnyMetric
from skrank.ranking._folds import (
    FOLDS_INFLATION,
    folds_of_search,
    needs_groups,
    read_search,
    repetition_of,
)
from skrank.ranking._rankings import Rankings
from skrank.ranking._standing import items_above

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


class SearchSelectionTest(MetricQuestion[SearchSelectionResult]):
    """Test the best model of a search; with new test data use RandomSelectionTest.

    The best of many candidates has a high score by chance alone. The test compares its
    z-score with the distribution of the largest z-score among all candidates. Under
    the null hypothesis all assignments of the target labels to the items of a fold are
    equally likely.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object made by
        :func:`make_metric`, which has its own tie rule.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    n_resamples : int, default=9999
        Number of draws of labels; no p-value is below ``1 / (n_resamples + 1)``.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of the draws. It does not affect the candidates.
    n_jobs : int, default=None
        Number of joblib jobs for fits and draws. The result does not depend on it.
    progress : bool, default=False
        Whether to show progress bars; needs tqdm.

    Raises
    ------
    ValueError
        If a setting is outside its range.

    See Also
    --------
    SearchSelectionResult : Result of the test.
    RandomSelectionTest : The test of one ranking, chosen before its labels were seen.

    Notes
    -----
    The value S of a candidate is the mean of the metric over its folds. Its z-score is
    ``(S - E S) / (w sd S)``, with the exact mean and standard deviation under random
    selection, given the ties. The inflation w is 1 for one held-out ranking, and the
    square root of 2 for the folds of a cross-validation, which are not independent. For
    repeated folds, the null distribution is the distribution for one repetition. The
    mean over the repetitions varies at most as much, because they share the labels. The
    adjusted p-value is the single-step max-T p-value of Westfall and Young [1]_: ``(C +
    1) / (B + 1)`` [2]_ if the largest z-score is at least as large in C of B draws of
    labels. All candidates share each draw.

    :ref:`search_selection` explains the use, :ref:`derivations_folds` derives the
    inflation, and :ref:`validation_search` has the measured type I error rates.

    References
    ----------
    .. [1] Westfall and Young (1993), *Resampling-Based Multiple Testing*, Wiley.
    .. [2] Phipson and Smyth (2010), "Permutation p-values should never be zero",
       *Statistical Applications in Genetics and Molecular Biology* 9(1), article 39.

    Examples
    --------
    The best of fifty rankings of noise:

    >>> import numpy as np
    >>> from skrank import SearchSelectionTest
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(1000) < 20
    >>> y_scores = rng.normal(size=(1000, 50))
    >>> test = SearchSelectionTest(random_state=0)
    >>> result = test.from_predictions(y_true, y_scores)
    >>> print(f"{result.pvalue:.2f}, unadjusted {min(result.pvalues):.3f}")
    0.88, unadjusted 0.041
    """

    # shared: metric ties

    _refuses: ClassVar[dict[str, str]] = {
        "clusters": "the draws permute labels of single items",
        "strata": "the draws permute labels of all items of a ranking",
        "sample_weight": "weighted items have no null distribution",
        "n_missed": "candidates of a search rank all items",
    }

    def __init__(
        self,
        metric: str | AnyMetric = "average_precision",
        *,
        ties: str = "expected",
        n_resamples: int = 9999,
        random_state: object = 0,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        super().__init__(metric, ties, n_resamples, n_jobs, progress, random_state)

    def from_rankings(self, rankings: Any) -> SearchSelectionResult:
        """Test all models, and the best of them.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data. The models are the candidates.

        Returns
        -------
        result : SearchSelectionResult
            Immutable, in the order of the candidates. The winner has the largest
            z-score; a candidate with constant scores cannot win.

        Raises
        ------
        ValueError
            If no ranking contains both targets and non-targets.
        """
        metric, (_, asked) = self._metric(), self._asked(rankings)
        if not all(row[0].has_items for row in asked.parts):
            rule = "have the items themselves, which all candidates rank"
            raise invalid("rankings", rule, "RankCounts")
        targets = [row[0].items.targets for row in asked.parts]
        lists = [
            RankedList.of(
                metric,
                np.stack([items_above(one.items.y_score) for one in row]),
                row[0].items.targets.size,
                several=asked.grouped,
            )
            for row in asked.parts
        ]
        null, wider = _RepeatedFoldsNull.of(lists, asked)
        values = null.values(targets)
        zscores = null.zscores(values) / wider
        found = run_draws(
            partial(_by_chance, null, zscores, wider),
            self.n_resamples,
            # targets drawn in one task: about 10 ms, far above the overhead; half as
            # many change nothing
            2**15 // sum(one.n_targets for one in null.lists),
            self._generator(),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        alone, best, null_maxima = zip(*found, strict=True)
        pvalues = (sum(alone) + 1) / (self.n_resamples + 1)
        return SearchSelectionResult(
            candidates=asked.names,
            best_index=int(np.argmax(zscores)),
            values=values,
            null_means=null.mean,
            null_stds=null.std * wider,
            inflation=wider,
            zscores=np.where(null.std > 0, zscores, 0.0),
            pvalues=pvalues,
            adjusted_pvalues=(sum(best) + 1) / (self.n_resamples + 1),
            bonferroni_pvalues=np.minimum(len(asked.names) * pvalues, 1.0),
            null_maxima=np.concatenate(null_maxima),
            method="monte_carlo",
            **self._fields(asked),
        )

    def from_search(
        self,
        search: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        cv_groups: ArrayLike | None = None,
        params: Mapping[str, Any] | None = None,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> SearchSelectionResult:
        """Test the winner of a finished search, and all its candidates.

        A search does not keep its out-of-fold scores, so each candidate is fitted again
        on the folds of the search. A warning is issued if the new values differ from
        the values in the search.

        Parameters
        ----------
        search : search instance
            Fitted :class:`sklearn.model_selection.GridSearchCV`,
            :class:`~sklearn.model_selection.RandomizedSearchCV`, or another search with
            ``cv_results_``, ``estimator`` and ``cv``.
        X : array-like of shape (n_samples, n_features)
            Items of the search.
        y : array-like of shape (n_samples,)
            Labels of the items.
        cv_groups : array-like of shape (n_samples,), default=None
            Units that are held out whole, such as patients. None uses `groups`.
        params : dict, default=None
            Parameters of ``fit``, such as ``{"sample_weight": w}``, as in
            :func:`sklearn.model_selection.cross_validate`. They do not change the
            metric.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each group, cutoffs apply to each group, and the value is the
            mean over the groups. A cross-validation holds out whole groups. If items of
            different groups depend on each other, such as the items of one machine on
            several days, also pass `clusters` (:ref:`clusters_over_groups`).
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            Whether the targets are the outliers or the inliers of an outlier detector.
            Required for an outlier detector; no effect on other estimators.

        Returns
        -------
        result : SearchSelectionResult
            Immutable, in the order of ``cv_results_``. The winner is the best candidate
            of the search. If the search names no best candidate, it is the candidate
            with the largest z-score; a candidate with constant scores cannot win.
            Candidates that failed in the search are left out with a warning, and their
            entries are NaN. For a halving search, all initial candidates are tested
            once, in the order in which the search dropped them. In scikit-learn 1.10 or
            newer this order is in ``all_cv_results_``.

        Raises
        ------
        ValueError
            If the folds of the search cannot be reproduced because they are shuffled
            without a fixed `random_state`, if `search` is not a search or is not
            fitted, if no candidate has a score, and as in `from_cv`.
        """
        # shared: cv_groups params groups pos_label detector_targets
        check_order(X, y)
        table = read_search(search)
        _warn_of_failed(table.finished)
        tested = tuple(compress(table.params, table.finished))
        estimators = [
            clone(search.estimator).set_params(**clone(one, safe=False))
            for one in tested
        ]
        units = groups if cv_groups is None and needs_groups(search.cv) else cv_groups
        folds = folds_of_search(search, estimators, X, np.asarray(y), units)
        named = dict(enumerate(estimators))
        result = self.from_cv(
            named,
            X,
            y,
            cv=folds,
            params=params,
            groups=groups,
            pos_label=pos_label,
            detector_targets=detector_targets,
        )
        result = _spread(result, table.params, table.finished, table.winner)
        _warn_of_other_values(result.values, table.scores)
        return result


class _RepeatedFoldsNull(JointNull):
    """Joint null distribution of repeated folds: that of the folds of one repetition.

    The mean over all repetitions, which hold the same labels, varies at most as much as
    the mean over one of them. Each draw is of one repetition, and is moved to the mean
    and the standard deviation over all.
    """

    def __init__(self, lists: Sequence[RankedList], repetition: _Ints) -> None:
        super().__init__(lists)
        each = np.unique(repetition)
        self.nulls = [
            JointNull(list(compress(lists, repetition == number))) for number in each
        ]
        weights = np.bincount(repetition) / repetition.size
        self.std = np.sqrt(weights @ np.stack([one.std**2 for one in self.nulls]))

    @classmethod
    def of(
        cls, lists: Sequence[RankedList], asked: Rankings
    ) -> tuple[JointNull, float]:
        """Return the distribution, and the inflation of its standard deviation."""
        if asked.repetition is None:
            return JointNull(lists), 1.0
        wider = FOLDS_INFLATION if np.bincount(asked.repetition).max() > 1 else 1.0
        of_parts = repetition_of(asked.items)
        return cls(lists, of_parts) if of_parts.any() else JointNull(lists), wider

    def draw(self, size: int, generator: np.random.Generator) -> _Floats:
        """Means over the folds of a random repetition, by candidate and draw."""
        n = len(self.nulls)
        sizes = generator.multinomial(size, np.full(n, 1 / n))
        zscores = [
            one.zscores(one.draw(some, generator))
            for one, some in zip(self.nulls, sizes.tolist(), strict=True)
            if some
        ]
        drawn = np.concatenate(zscores, axis=1)
        drawn[np.isinf(drawn)] = 0.0  # no variation
        return np.asarray(self.mean[:, None] + self.std[:, None] * drawn)


def _by_chance(
    null: JointNull, zscores: _Floats, wider: float, size: int, seed: int
) -> tuple[_Ints, _Ints, _Floats]:
    """Count draws in which a candidate, or any of them, is as good; and the maxima."""
    values = null.draw(size, np.random.default_rng(seed))
    drawn = null.zscores(values)
    level = zscores[:, None] - 1e-9  # equal values may differ by rounding
    alone = (drawn >= level).sum(axis=1)
    best = (drawn.max(axis=0) >= level).sum(axis=1)
    mean = null.mean[:, None]
    wide = (mean + wider * (values - mean)).max(axis=0)
    return alone, best, np.clip(wide, *null.ends)


def _spread(
    result: SearchSelectionResult,
    candidates: Sequence[Any],
    tested: NDArray[np.bool_],
    best_index: int | None,
) -> SearchSelectionResult:
    """Return the result for all candidates, with NaN for those that were not tested."""
    places = np.flatnonzero(tested)
    entries: dict[str, Any] = {"candidates": tuple(candidates)}
    for name in COLUMNS.values():
        entries[name] = np.full(tested.size, np.nan)
        entries[name][places] = getattr(result, name)
    best = places[result.best_index] if best_index is None else best_index
    return replace(result, best_index=int(best), **entries)


def _warn_of_failed(finished: NDArray[np.bool_]) -> None:
    """Warn if candidates are left out."""
    if not finished.all():
        warn(
            f"{np.count_nonzero(~finished)} of {finished.size} candidates have no "
            "score in the search: they are left out, with NaN in the result.",
            FitFailedWarning,
        )


def _warn_of_other_values(values: _Floats, scores: _Floats) -> None:
    """Warn if the values of the search differ from those tested; NaN is ignored."""
    apart = np.abs(values - scores)
    other = apart > 1e-6 * np.maximum(1.0, np.abs(scores))
    if other.any():
        worst = int(np.nanargmax(apart))
        warn(
            f"The search chose its winner by other values: {other.sum()} of "
            f"{other.size} candidates differ. Candidate {worst} differs most, with "
            f"{values[worst]:.4g} here and {scores[worst]:.4g} in the search. Possible "
            "reasons: different data; a metric or tie rule that differs from the "
            "`scoring` of the search; different `params` of fit; weights that its "
            "scorer used; candidates without a fixed random_state; halving, which fits "
            "to a part of the data.",
            UserWarning,
        )
