"""Is the best of a search real? The test of many candidates by one draw of labels.

What comes in is a finished search, candidates, or their out-of-fold scores; what goes
out is a frozen result. The test object holds settings alone and is not changed by
running.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from skrank._out_of_fold import Fold, OutOfFold, make_folds
from skrank._question import Question, as_targets, track
from skrank._ranking import items_above
from skrank._search_result import SearchSelectionResult
from skrank._validation import (
    check_count,
    check_generator,
    check_groups,
    check_targets,
)
from skrank.null._joint import MAX_INFLATION, JointList, JointNull, inflation

_BATCH_ITEMS = 2**15  # targets drawn in one task
_SLACK = 1e-9  # in standard deviations: equal values may be rounded apart

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


class SearchSelectionTest(Question):
    """Doc."""

    def __init__(
        self,
        metric: str = "average_precision",
        *,
        k: float | None = None,
        t: float | None = None,
        alpha: float | None = None,
        normalize: str = "min",
        ties: str = "expected",
        n_resamples: int = 9999,
        n_refits: int = 5,
        random_state: object = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        super().__init__(metric, k=k, t=t, alpha=alpha, normalize=normalize, ties=ties)
        check_count("n_resamples", n_resamples, least=1)
        check_count("n_refits", n_refits, least=0)
        self.n_resamples = n_resamples
        self.n_refits = n_refits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def from_search(
        self,
        search: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> SearchSelectionResult:
        """Test the winner of a finished search, and all its candidates.

        A search does not keep its out-of-fold scores, so each candidate is fitted
        anew on its folds.

        Parameters
        ----------
        search : search instance
            Fitted :class:`sklearn.model_selection.GridSearchCV`,
            :class:`~sklearn.model_selection.RandomizedSearchCV`, or any other that has
            ``cv_results_``, ``estimator`` and ``cv``.
        X : array-like of shape (n_samples, n_features)
            Items that were searched on.
        y : array-like of shape (n_samples,)
            Their labels.
        groups : array-like of shape (n_samples,), default=None
            Groups for splitters that keep them together.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector.

        Returns
        -------
        result : SearchSelectionResult
            In the order of ``cv_results_``; the winner is ``best_index_`` of the
            search, or the largest z-score if the search has none.

        Raises
        ------
        ValueError
            If the folds of the search cannot be made again, since they are shuffled
            without a fixed `random_state`; and as `from_candidates`.
        """
        check_is_fitted(search, "cv_results_")
        params = tuple(search.cv_results_["params"])
        estimators = [
            clone(search.estimator).set_params(**clone(one, safe=False))
            for one in params
        ]
        folds, again = (
            make_folds(search.cv, estimators, X, np.asarray(y), groups)
            for _ in range(2)
        )
        if not _same_folds(folds, again):
            msg = (
                "`search.cv` must make the same folds each time, as with random_state="
                f"0, since the search did not keep them; got {search.cv!r}."
            )
            raise ValueError(msg)
        study = OutOfFold(
            estimators,
            X,
            folds,
            {"pos_label": pos_label, "detector_targets": detector_targets},
            self.n_jobs,
            self.progress,
        )
        winner = getattr(search, "best_index_", None)
        return self._cross_fit(study, y, params, winner)

    def from_candidates(
        self,
        candidates: Mapping[Any, Any] | Iterable[Any],
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        cv: Any = 5,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> SearchSelectionResult:
        """Cross-validate candidates, and test them and the best of them.

        Parameters
        ----------
        candidates : dict or iterable of estimator instances
            Classifiers, regressors, rankers or outlier detectors; cloned and fitted for
            each fold. The keys of a dict are their names.
        X : array-like of shape (n_samples, n_features)
            Items.
        y : array-like of shape (n_samples,)
            Their labels.
        cv : int, cross-validation generator or iterable, default=5
            As in :func:`sklearn.model_selection.cross_validate`: an int makes
            stratified folds if there is a classifier. No item may be held out twice.
        groups : array-like of shape (n_samples,), default=None
            Groups for splitters that keep them together.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector.

        Returns
        -------
        result : SearchSelectionResult
            In the order of the candidates; the winner has the largest z-score. Folds
            without targets, or of targets alone, are left out with a warning.

        Raises
        ------
        ValueError
            If there are no candidates, if an item is held out twice, if an estimator
            can only give labels or is an outlier detector of unstated orientation, or
            if no fold holds targets and others.
        """
        names: Iterable[Any] | None = None
        if isinstance(candidates, Mapping):
            names, candidates = candidates.keys(), candidates.values()
        estimators = list(candidates)
        _check_some("candidates", estimators)
        study = OutOfFold(
            estimators,
            X,
            make_folds(cv, estimators, X, np.asarray(y), groups),
            {"pos_label": pos_label, "detector_targets": detector_targets},
            self.n_jobs,
            self.progress,
        )
        names = tuple(names or map(repr, estimators))
        return self._cross_fit(study, y, names)

    def from_predictions(
        self,
        y_true: ArrayLike,
        y_scores: Any,
        *,
        folds: ArrayLike | None = None,
        pos_label: object = None,
    ) -> SearchSelectionResult:
        """Test rankings of the same items, and the best of them.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        y_scores : array-like of shape (n_samples, n_candidates), dict or DataFrame
            Scores of each candidate, higher meaning a likelier target; the keys of a
            dict and the columns of a table are their names.
        folds : array-like of shape (n_samples,), default=None
            In which fold each item was held out: its scores come from models that were
            fitted to the labels of the other folds. None: one list, whose labels no
            model has seen.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.

        Returns
        -------
        result : SearchSelectionResult
            In the order of the candidates; the winner has the largest z-score. Folds
            without targets, or of targets alone, are left out with a warning. With
            folds the inflation is that of ``n_refits=0``, the largest there is.

        Raises
        ------
        ValueError
            If there are no candidates, if their scores are not valid rankings of the
            items, or if no fold holds targets and others.
        """
        names, columns = _columns(y_scores)
        _check_some("y_scores", columns)
        is_target = check_targets(y_true, pos_label)
        scores = [as_targets(y_true, column, pos_label)[1] for column in columns]
        tests = [np.arange(is_target.size)]
        if folds is not None:
            grouped = check_groups(folds, is_target.size, "folds")
            tests = [index for _, index in grouped]
        tests = list(compress(tests, _have_both_classes(tests, is_target)))
        above = [
            np.stack([items_above(score[index]) for score in scores]) for index in tests
        ]
        targets = [np.flatnonzero(is_target[index])[None] for index in tests]
        wider = _largest_inflation(len(tests), len(columns))
        generator = check_generator(self.random_state)
        null = self._joint_null(above, targets)
        return self._test(null, targets, wider, generator, names)

    def _cross_fit(
        self,
        study: OutOfFold,
        y: ArrayLike,
        names: tuple[Any, ...],
        winner: int | None = None,
    ) -> SearchSelectionResult:
        """Fit to the observed labels, and to some that are drawn inside the folds."""
        is_target = check_targets(y, study.orientation["pos_label"])
        kept = compress(study.folds, _have_both_classes(study.tests, is_target))
        study = replace(study, folds=list(kept))
        tests, generator = study.tests, check_generator(self.random_state)
        n_refits = self.n_refits if len(tests) > 1 else 0
        orders = [np.arange(is_target.size)]
        orders += [_shuffle(orders[0], tests, generator) for _ in range(n_refits)]
        targets = [
            np.stack([np.flatnonzero(is_target[order[test]]) for order in orders])
            for test in tests
        ]
        ranked = study.rank([np.asarray(y)[order] for order in orders])
        observed, *refits = (self._joint_null(above, targets) for above in ranked)
        wider = _largest_inflation(len(tests), len(names))
        if refits:
            wider = inflation(refits, [drawn[1:] for drawn in targets])
        observed_targets = [drawn[:1] for drawn in targets]
        return self._test(observed, observed_targets, wider, generator, names, winner)

    def _joint_null(
        self, above: Sequence[_Ints], targets: Sequence[_Ints]
    ) -> JointNull:
        """Law of the candidates on lists, from the items above each item."""
        measure = self._measure()
        return JointNull(
            [
                JointList.of(measure, ranked, drawn.shape[1])
                for ranked, drawn in zip(above, targets, strict=True)
            ]
        )

    def _test(
        self,
        null: JointNull,
        targets: Sequence[_Ints],
        wider: _Floats,
        generator: np.random.Generator,
        names: tuple[Any, ...],
        winner: int | None = None,
    ) -> SearchSelectionResult:
        """Place all candidates, and the best of them, under their joint law."""
        values = null.values(targets).mean(axis=0)
        zscores = null.zscores(values)[:, 0] / wider
        alone, best, null_best = self._count(null, zscores, wider, generator)
        pvalues = (alone + 1) / (self.n_resamples + 1)
        return SearchSelectionResult(
            candidates=names,
            best_index=int(np.argmax(zscores) if winner is None else winner),
            values=values[:, 0],
            null_means=null.mean,
            null_stds=null.std * wider,
            inflations=wider,
            zscores=np.where(np.isfinite(zscores), zscores, np.nan),
            pvalues=pvalues,
            adjusted_pvalues=(best + 1) / (self.n_resamples + 1),
            bonferroni_pvalues=np.minimum(len(names) * pvalues, 1.0),
            null_best=null_best,
            n_samples=sum(one.above.shape[1] for one in null.lists),
            n_targets=sum(drawn.shape[1] for drawn in targets),
            n_lists=len(targets),
            metric=self._measure().name,
        )

    def _count(
        self,
        null: JointNull,
        zscores: _Floats,
        wider: _Floats,
        generator: np.random.Generator,
    ) -> tuple[_Ints, _Ints, _Floats]:
        """Count draws in which a candidate, or any, does as well; and the best values.

        Each batch has its own seed, so that the number of jobs changes nothing.
        """
        size = max(1, _BATCH_ITEMS // sum(one.n_targets for one in null.lists))
        starts = range(0, self.n_resamples, size)
        seeds = generator.integers(2**63, size=len(starts)).tolist()
        tasks = track(
            zip(starts, seeds, strict=True),
            total=len(starts),
            label="draws",
            progress=self.progress,
        )
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_luck)(
                null, zscores, wider, min(size, self.n_resamples - start), seed
            )
            for start, seed in tasks
        )
        alone, best, null_best = zip(*found, strict=True)
        return sum(alone), sum(best), np.concatenate(null_best)


def _luck(
    null: JointNull, zscores: _Floats, wider: _Floats, size: int, seed: int
) -> tuple[_Ints, _Ints, _Floats]:
    """Draw labels for all candidates; count as `_count` does."""
    values = null.draw(size, np.random.default_rng(seed))
    drawn = null.zscores(values)
    level = zscores[:, None] - _SLACK
    alone = (drawn >= level).sum(axis=1)
    best = (drawn.max(axis=0) >= level).sum(axis=1)
    mean = null.mean[:, None]
    return alone, best, (mean + wider[:, None] * (values - mean)).max(axis=0)


def _shuffle(
    items: _Ints, tests: Sequence[_Ints], generator: np.random.Generator
) -> _Ints:
    """Shuffle items inside each fold; those that are never held out stay."""
    order = items.copy()
    for test in tests:
        order[test] = generator.permutation(test)
    return order


def _largest_inflation(n_lists: int, n_candidates: int) -> _Floats:
    """Inflation that is safe without refits: there is none for one list."""
    return np.full(n_candidates, 1.0 if n_lists == 1 else MAX_INFLATION)


def _have_both_classes(
    tests: Sequence[_Ints], is_target: NDArray[np.bool_]
) -> list[bool]:
    """Say which lists hold targets and others; warn of those that do not."""
    both = [0 < int(is_target[test].sum()) < len(test) for test in tests]
    if not any(both):
        msg = "`y_true` must hold targets and others in some list; got none such."
        raise ValueError(msg)
    if not all(both):
        warnings.warn(
            f"{both.count(False)} of {len(both)} lists hold no targets or "
            "nothing else: the metric is undefined there, and they are left out.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    return both


def _same_folds(folds: Sequence[Fold], again: Sequence[Fold]) -> bool:
    """Whether two splits hold out the same items."""
    tests = zip((test for _, test in folds), (test for _, test in again), strict=True)
    return all(np.array_equal(test, other) for test, other in tests)


def _columns(y_scores: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """Names and scores of candidates in a dict, a table or an array."""
    names = getattr(y_scores, "columns", y_scores)
    if names is not y_scores or isinstance(y_scores, Mapping):
        return tuple(names), [y_scores[name] for name in names]
    array = np.asarray(y_scores)
    if array.ndim != 2:
        msg = (
            "`y_scores` must be of shape (n_samples, n_candidates), a dict or a table; "
            f"got shape {array.shape}."
        )
        raise ValueError(msg)
    return tuple(range(array.shape[1])), list(array.T)


def _check_some(name: str, candidates: Sequence[Any]) -> None:
    """Check that there is a candidate."""
    if not candidates:
        msg = f"`{name}` must hold at least one candidate; got none."
        raise ValueError(msg)
