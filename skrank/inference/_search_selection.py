"""Test of the best candidate of a search against random selection.

The input is a finished search, a list of candidates, or out-of-fold scores. The same
random labels are used for all candidates. The output is a frozen result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import FitFailedWarning

from skrank._utils._checks import check_generator
from skrank._utils._columns import check_index, check_order
from skrank._utils._jobs import run_draws
from skrank._utils._text import as_text, brief
from skrank._utils._warnings import warn
from skrank.inference._base import MetricSettings
from skrank.inference._search_selection_result import COLUMNS, SearchSelectionResult
from skrank.metrics._definitions import Metric
from skrank.null._joint import JointList, JointNull
from skrank.ranking._cv_results import divide_folds
from skrank.ranking._folds import (
    FOLDS_INFLATION,
    Fold,
    check_candidates,
    folds_of_search,
    make_candidates,
    make_folds,
    rank_folds,
    read_search,
)
from skrank.ranking._input import check_ranking_input, mark_targets
from skrank.ranking._several import both_classes, columns_by_name, split
from skrank.ranking._standing import items_above

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


class SearchSelectionTest(MetricSettings):
    """Test whether the best candidate of a search is better than chance.

    The best of many candidates has a high score by chance alone. The test compares its
    z-score with the distribution of the largest z-score among all candidates. Under
    the null hypothesis all assignments of the target labels to the items of a fold are
    equally likely.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object of :func:`make_metric`
        with its own tie rule.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    n_resamples : int, default=9999
        Number of draws of labels; no p-value is below ``1 / (n_resamples + 1)``.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of the draws, not of the candidates.
    n_jobs : int, default=None
        Number of joblib jobs that fit and draw; the result does not depend on it.
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
    selection, given its ties, and an inflation w: 1 for one held-out ranking, and the
    square root of 2 for the folds of a cross-validation, which are not independent.
    The adjusted p-value is the single-step max-T of Westfall and Young [1]_,
    ``(C + 1) / (B + 1)`` [2]_, where C of B draws of labels have a largest z-score at
    least as large. Each draw is shared by all candidates.

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

    def __init__(
        self,
        metric: str | Metric = "average_precision",
        *,
        ties: str = "expected",
        n_resamples: int = 9999,
        random_state: object = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        super().__init__(metric, ties, n_resamples, n_jobs, progress, random_state)

    def from_search(
        self,
        search: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        cv_groups: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        params: Mapping[str, Any] | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> SearchSelectionResult:
        """Test the winner of a finished search, and all its candidates.

        A search does not keep its out-of-fold scores, so each candidate is fitted again
        on the folds of the search. A warning is given if the new values differ from
        those of the search.

        Parameters
        ----------
        search : search instance
            Fitted :class:`sklearn.model_selection.GridSearchCV`,
            :class:`~sklearn.model_selection.RandomizedSearchCV`, or another search with
            ``cv_results_``, ``estimator`` and ``cv``.
        X : array-like of shape (n_samples, n_features)
            Items of the search.
        y : array-like of shape (n_samples,)
            Their labels.
        cv_groups : array-like of shape (n_samples,), default=None
            Groups for splitters that keep them together, such as
            :class:`sklearn.model_selection.GroupKFold`.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. The items
            of a fold are ranked within each ranking.
        params : dict, default=None
            Parameters of ``fit``, such as ``{"sample_weight": w}``, as in
            :func:`sklearn.model_selection.cross_validate`. A parameter with an entry
            for each item is split with the folds. Weights here do not change the metric
            of the test.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector.

        Returns
        -------
        result : SearchSelectionResult
            Result in the order of ``cv_results_``. The winner is that of the search. If
            the search names none, it is the candidate with the largest z-score; a
            candidate whose scores are all equal cannot win. Candidates that failed in
            the search are left out with a warning, and their entries are NaN. For a
            halving search, all initial candidates are tested, each once, in the order
            in which the search dropped them. With scikit-learn 1.10 or newer this order
            is in ``all_cv_results_``.

        Raises
        ------
        ValueError
            If the folds of the search cannot be made again because they are shuffled
            without a fixed `random_state`, if `search` is not a search or is not
            fitted, if no candidate has a score, and as in `from_candidates`.
        """
        table = read_search(search)
        _warn_of_failed(table.finished)
        tested = tuple(compress(table.params, table.finished))
        estimators = make_candidates(search, tested)
        result = self._cross_fit(
            estimators,
            tested,
            (X, y, folds_of_search(search, estimators, X, np.asarray(y), cv_groups)),
            groups,
            params,
            pos_label,
            detector_targets,
        )
        result = _spread(result, table.params, table.finished, table.winner)
        _warn_of_other_values(result.values, table.scores)
        return result

    def from_candidates(
        self,
        candidates: Mapping[Any, Any] | Iterable[Any],
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        cv: Any = 5,
        cv_groups: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        params: Mapping[str, Any] | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> SearchSelectionResult:
        """Cross-validate candidates, and test all of them and the best.

        Parameters
        ----------
        candidates : dict or iterable of estimator instances
            Classifiers, regressors, rankers or outlier detectors. They are cloned and
            fitted for each fold. The keys of a dict are their names.
        X : array-like of shape (n_samples, n_features)
            Items to fit and to rank.
        y : array-like of shape (n_samples,)
            Their labels.
        cv : int, cross-validation generator or iterable, default=5
            As in :func:`sklearn.model_selection.cross_validate`. An int makes
            stratified folds if there is a classifier. No item may be held out twice.
        cv_groups : array-like of shape (n_samples,), default=None
            Groups for splitters that keep them together, such as
            :class:`sklearn.model_selection.GroupKFold`.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. The items
            of a fold are ranked within each ranking.
        params : dict, default=None
            Parameters of ``fit``, such as ``{"sample_weight": w}``, as in
            :func:`sklearn.model_selection.cross_validate`. A parameter with an entry
            for each item is split with the folds. Weights here do not change the metric
            of the test.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector.

        Returns
        -------
        result : SearchSelectionResult
            Result in the order of the candidates. The winner has the largest z-score; a
            candidate whose scores are all equal cannot win. Folds without targets or
            without non-targets are left out with a warning.

        Raises
        ------
        ValueError
            If `candidates` holds anything but estimators, if there are no folds, if an
            item is held out twice, if an estimator only gives labels, if an estimator
            is an outlier detector and `detector_targets` is None, or if no fold holds
            targets and non-targets. An error during fitting has a note that names the
            candidate.
        """
        names: Iterable[Any] | None = None
        if isinstance(candidates, Mapping):
            names, candidates = candidates.keys(), candidates.values()
        estimators = check_candidates(candidates)
        return self._cross_fit(
            estimators,
            tuple(names or map(as_text, estimators)),
            (X, y, make_folds(cv, estimators, X, np.asarray(y), cv_groups)),
            groups,
            params,
            pos_label,
            detector_targets,
        )

    def from_predictions(
        self,
        y_true: ArrayLike,
        y_scores: Any,
        *,
        folds: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: object = None,
    ) -> SearchSelectionResult:
        """Test several rankings of the same items, and the best of them.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items.
        y_scores : mapping, DataFrame or array of shape (n_samples, n_candidates)
            Scores of each candidate by name: a mapping from names to scores, or
            columns. A higher score means a likelier target. The names of array columns
            are their numbers.
        folds : array-like of shape (n_samples,), default=None
            Fold in which each item was held out. Its scores come from models that were
            fitted to the labels of the other folds. None means a single ranking by
            models that were not fitted to these labels.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. The items
            of a fold, or all items without `folds`, are ranked within each ranking.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.

        Returns
        -------
        result : SearchSelectionResult
            Result in the order of the candidates. The winner has the largest z-score; a
            candidate whose scores are all equal cannot win. Folds without targets or
            without non-targets are left out with a warning.

        Raises
        ------
        ValueError
            If there are no candidates, if two have the same name, if their scores are
            not valid rankings of the items, or if no fold holds targets and
            non-targets.
        """
        columns = columns_by_name(y_scores, least=1)
        inputs = [
            check_ranking_input(
                y_true,
                column,
                pos_label=pos_label,
                score_name=f"y_scores[{brief(name)}]",
            )
            for name, column in columns.items()
        ]
        check_index("folds", folds, y_true)
        n_samples = inputs[0].y_score.size
        every = np.zeros(n_samples, np.intp) if folds is None else folds
        held = [items for _, items, _ in split(inputs[0], every, "folds")]
        above = [
            np.stack([items_above(data.y_score[items]) for data in inputs])
            for items in held
        ]
        parts = self._divide(held, inputs[0].is_target, groups, n_samples)
        several = groups is not None
        return self._test(*_within(parts, above), tuple(columns), len(held), several)

    def _cross_fit(
        self,
        candidates: Sequence[Any],
        names: tuple[Any, ...],
        data: tuple[Any, ArrayLike, list[Fold]],
        groups: ArrayLike | None,
        params: Mapping[str, Any] | None,
        pos_label: object,
        detector_targets: str | None,
    ) -> SearchSelectionResult:
        """Fit the candidates on each fold that can be tested, and test them."""
        items, y, folds = data
        check_order(items, y)
        is_target = mark_targets(y, pos_label)
        parts = self._divide(
            [test for _, test in folds], is_target, groups, is_target.size
        )
        kept = list(dict.fromkeys(number for number, *_ in parts))
        above = rank_folds(
            candidates,
            items,
            np.asarray(y),
            [folds[number] for number in kept],
            params,
            self.n_jobs,
            pos_label,
            detector_targets,
            progress=self.progress,
        )
        parts = [(kept.index(i), items, targets) for i, items, targets in parts]
        several = groups is not None
        return self._test(*_within(parts, above), names, len(kept), several)

    def _divide(
        self,
        held: list[_Ints],
        is_target: NDArray[np.bool_],
        groups: ArrayLike | None,
        n_samples: int,
    ) -> list[tuple[int, _Ints, _Ints]]:
        """Return fold, positions of the items, and targets of each ranking."""
        divided = divide_folds(held, groups, n_samples)
        parts = [
            (i, items, is_target[held[i][items]].nonzero()[0])
            for i, (_, parts_of) in enumerate(divided)
            for items in parts_of
        ]
        kept = both_classes(
            [(targets.size, items.size) for _, items, targets in parts],
            grouped=groups is not None,
            always_defined=self._measure().always_defined,
        )
        return [parts[i] for i in kept]

    def _test(
        self,
        above: Sequence[_Ints],
        targets: Sequence[_Ints],
        names: tuple[Any, ...],
        n_folds: int,
        several: bool,
    ) -> SearchSelectionResult:
        """Compare all candidates, and the best one, with their joint distribution."""
        measure = self._measure()
        null = JointNull(
            [
                JointList.of(measure, ranked, items.size, several=several)
                for ranked, items in zip(above, targets, strict=True)
            ]
        )
        wider = 1.0 if n_folds == 1 else FOLDS_INFLATION
        values = null.values(targets)
        zscores = null.zscores(values) / wider
        alone, best, null_maxima = _count_draws(
            null,
            zscores,
            wider,
            self.n_resamples,
            check_generator(self.random_state),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        pvalues = (alone + 1) / (self.n_resamples + 1)
        return SearchSelectionResult(
            candidates=names,
            best_index=int(np.argmax(zscores)),
            values=values,
            null_means=null.mean,
            null_stds=null.std * wider,
            inflation=wider,
            zscores=np.where(null.std > 0, zscores, 0.0),
            pvalues=pvalues,
            adjusted_pvalues=(best + 1) / (self.n_resamples + 1),
            bonferroni_pvalues=np.minimum(len(names) * pvalues, 1.0),
            null_maxima=null_maxima,
            n_samples=sum(ranked.shape[1] for ranked in above),
            n_targets=sum(items.size for items in targets),
            n_rankings=len(targets),
            metric=measure.name,
        )


def _within(
    parts: Sequence[tuple[int, _Ints, _Ints]], above: Sequence[_Ints]
) -> tuple[list[_Ints], list[_Ints]]:
    """Count the items above each item in its ranking; return them and the targets."""
    ranked = [
        np.stack([items_above(-row) for row in above[i][:, items]])
        for i, items, _ in parts
    ]
    return ranked, [targets for *_, targets in parts]


def _count_draws(
    null: JointNull,
    zscores: _Floats,
    wider: float,
    n_resamples: int,
    generator: np.random.Generator,
    *,
    n_jobs: int | None,
    progress: bool,
) -> tuple[_Ints, _Ints, _Floats]:
    """Count draws in which a candidate, or any of them, is as good; and the maxima."""
    found = run_draws(
        partial(_by_chance, null, zscores, wider),
        n_resamples,
        # targets drawn in one task: about 10 ms, far above the overhead; half as many
        # change nothing
        2**15 // sum(one.n_targets for one in null.lists),
        generator,
        n_jobs=n_jobs,
        progress=progress,
    )
    alone, best, null_maxima = zip(*found, strict=True)
    return sum(alone), sum(best), np.concatenate(null_maxima)


def _by_chance(
    null: JointNull, zscores: _Floats, wider: float, size: int, seed: int
) -> tuple[_Ints, _Ints, _Floats]:
    """Draw labels for all candidates, and count as `_count_draws` does."""
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
    """Return an array for all candidates, with NaN for those that were not tested."""
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
            f"{other.size} candidates differ, the candidate {worst} most, with "
            f"{values[worst]:.4g} here and {scores[worst]:.4g} in the search. Possible "
            "reasons: other data than it was fitted to; another metric or tie rule "
            "than that of its `scoring`; other `params` of fit; weights that reached "
            "its scorer; candidates without a fixed random_state; halving, which fits "
            "to a part of the data.",
            UserWarning,
        )
