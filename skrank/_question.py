"""What all questions share: settings of a metric, and the lists they are asked of.

A question is an object that holds settings only. It is asked of data by its
``from_...`` methods, is not changed by that, and answers with a frozen result.
"""

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skrank._counts import RankCounts
from skrank._jobs import run_jobs
from skrank._measures import Measure, make_measure, plain_settings
from skrank._presentation import brief
from skrank._ranking import Ranking
from skrank._response import target_scores
from skrank._source import ranking_of
from skrank._validation import check_groups, check_jobs, check_ranking_input

Result = TypeVar("Result")
ListOfItems = TypeVar("ListOfItems", bound=tuple[Any, ...])
# A list: its label, or None if it is the only one; which items are targets; the items.
Part = tuple[Any, NDArray[np.bool_], Any]

_METRIC_SETTINGS = ("k", "t", "alpha", "normalize", "ties")


class Question:
    """Settings of a metric, checked; subclasses add theirs."""

    metric: str

    def __init__(
        self,
        metric: str,
        *,
        k: float | None,
        t: float | None,
        alpha: float | None,
        normalize: str,
        ties: str,
    ) -> None:
        given = plain_settings(
            metric, k=k, t=t, alpha=alpha, normalize=normalize, ties=ties
        )
        self.metric = metric
        self.k: float | None = given["k"]
        self.t: float | None = given["t"]
        self.alpha: float | None = given["alpha"]
        self.normalize = normalize
        self.ties = ties

    def __repr__(self) -> str:
        """Print the settings as they would be written."""
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _METRIC_SETTINGS}

    def _measure(self) -> Measure:
        return make_measure(self.metric, **self._settings())


class RankingQuestion(Question, ABC, Generic[Result]):
    """A question about one ranking, however it comes."""

    @abstractmethod
    def from_predictions(
        self, y_true: Any, y_score: ArrayLike, *, pos_label: object = None
    ) -> Result:
        """Ask about a ranking given as labels and scores."""

    def from_estimator(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> Result:
        """Ask about the ranking that a fitted estimator gives.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. It ranks by
            ``decision_function``, else ``predict_proba``, else ``predict``.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not those it was fitted on.
        y : array-like of shape (n_samples,)
            Their labels.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector, which must be stated for one.

        Returns
        -------
        result : frozen result
            As of `from_predictions`.

        Raises
        ------
        ValueError
            If the estimator can only give labels, is an outlier detector of unstated
            orientation, or the input is not valid for `from_predictions`.
        """
        y_score = target_scores(
            estimator, X, y, pos_label=pos_label, detector_targets=detector_targets
        )
        return self.from_predictions(y, y_score, pos_label=pos_label)


def columns_by_name(y_scores: Any, *, least: int) -> dict[Any, Any]:
    """Scores of several rankings, from a mapping, a data frame or an array.

    Each column is taken for itself: a table turned into one array would have one type
    for all, in which large integers lose digits and labels pass as scores.
    """
    by_name = isinstance(y_scores, Mapping) or hasattr(y_scores, "columns")
    table = y_scores if by_name else _numbered_columns(y_scores)
    names = list(getattr(table, "columns", table))
    if len(set(map(str, names))) < len(names):
        msg = (
            f"`y_scores` must have different names, also in print; got {brief(names)}."
        )
        raise ValueError(msg)
    if len(names) < least:
        msg = f"`y_scores` must hold {least} or more rankings; got {len(names)}."
        raise ValueError(msg)
    return {name: table[name] for name in names}


def _numbered_columns(y_scores: Any) -> dict[int, NDArray[Any]]:
    """Columns of an array; lists are refused, which may hold rows or columns."""
    is_array = hasattr(y_scores, "__array__")
    array = np.asarray(y_scores, dtype=None if is_array else object)
    if not is_array or array.ndim != 2:
        msg = (
            "`y_scores` must be a mapping from names to scores, a data frame or an "
            "array of shape (n_samples, n_rankings), as np.column_stack makes of "
            f"vectors; got {type(y_scores).__name__} of shape {array.shape}."
        )
        raise ValueError(msg)
    if _are_probabilities(array):
        msg = (
            "`y_scores` must have a column for each ranking, as the column of the "
            "target class in what predict_proba gives; got two columns that sum to 1."
        )
        raise ValueError(msg)
    return dict(enumerate(array.T))


def _are_probabilities(array: NDArray[Any]) -> bool:
    """Whether columns are two classes and not two rankings."""
    return bool(
        array.shape[1] == 2
        and array.dtype.kind == "f"
        and (array >= 0).all()
        and np.allclose(array.sum(axis=1), 1)
    )


def as_targets(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: object, name: str = "y_score"
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Say which items are targets, checked against their scores."""
    data = check_ranking_input(y_true, y_score, pos_label=pos_label, score_name=name)
    return data.is_target, data.y_score


def rank_both_classes(
    y_true: ArrayLike | RankCounts,
    y_score: ArrayLike | None = None,
    pos_label: object = None,
    n_missed: int = 0,
) -> Ranking:
    """Rank a list that must hold targets and others, whatever it missed."""
    ranking = ranking_of(y_true, y_score, pos_label=pos_label, n_missed=n_missed)
    n_scored = int(ranking.n_targets) - ranking.n_missed
    check_both_classes(n_scored, int(ranking.n_samples))
    return ranking


def n_items(ranking: Ranking) -> int:
    """Count the items of a list without weights, those included that were missed."""
    return int(ranking.n_samples) + ranking.n_missed


def check_both_classes(n_targets: int, n_samples: int) -> None:
    """Check that a list holds targets and others."""
    if not 0 < n_targets < n_samples:
        msg = (
            "`y_true` must hold targets and others to test a ranking; "
            f"got {n_targets} targets among {n_samples} items."
        )
        raise ValueError(msg)


def keep_both_classes(lists: Iterable[ListOfItems]) -> list[ListOfItems]:
    """Leave out lists of one class with a warning; each is its label, targets, ..."""
    lists = list(lists)
    kept = [one for one in lists if 0 < one[1].sum() < one[1].size]
    if not kept:
        msg = "`y_true` must hold targets and others in some list; got none such."
        raise ValueError(msg)
    if len(kept) < len(lists):
        warn_undefined(
            f"{len(lists) - len(kept)} of {len(lists)} lists hold no targets or "
            "nothing else: the metric is undefined there, and they are left out."
        )
    return kept


def split(
    is_target: NDArray[np.bool_], groups: ArrayLike | None, name: str = "groups"
) -> list[Part]:
    """Lists of both classes: their labels, which items are targets, and the items."""
    if groups is None:
        check_both_classes(int(is_target.sum()), is_target.size)
        return [(None, is_target, slice(None))]
    return keep_both_classes(
        (label, is_target[items], items)
        for label, items in check_groups(groups, is_target.size, name)
    )


def folds_of_cv_results(
    cv_results: Mapping[str, Any],
    X: Any,  # noqa: N803
    y: ArrayLike,
    *,
    n_jobs: int | None,
    pos_label: object,
    detector_targets: str | None,
) -> list[tuple[int, NDArray[np.bool_], NDArray[Any]]]:
    """Rank held-out folds by their estimators: number, which are targets, scores."""
    folds = held_out(cv_results)
    jobs = check_jobs(n_jobs)
    y = np.asarray(y)
    _check_reach(folds, X)
    engine = partial(
        target_scores, pos_label=pos_label, detector_targets=detector_targets
    )
    scores = run_jobs(
        engine,
        (
            (estimator, rows(X, index), y[index])
            for estimator, index in zip(cv_results["estimator"], folds, strict=True)
        ),
        total=len(folds),
        label="folds",
        n_jobs=jobs,
        progress=False,
    )
    return [
        (number, *as_targets(y[index], score, pos_label))
        for number, (index, score) in enumerate(zip(folds, scores, strict=True))
    ]


def held_out(cv_results: Mapping[str, Any]) -> list[NDArray[np.intp]]:
    """Items that each fold holds out, of results that have all that is needed."""
    if not {"estimator", "indices"} <= set(cv_results):
        msg = (
            "`cv_results` must hold estimators and indices, as from cross_validate("
            "..., return_estimator=True, return_indices=True); "
            f"got the keys {brief(sorted(cv_results))}."
        )
        raise ValueError(msg)
    return list(cv_results["indices"]["test"])


def _check_reach(folds: Iterable[ArrayLike], X: Any) -> None:  # noqa: N803
    """Check that the folds are of these items, and not of more."""
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    most = 1 + max(int(np.max(index, initial=-1)) for index in folds)
    if most > n_samples:
        msg = (
            "`X` must be the items that were cross-validated; "
            f"got {n_samples} for folds of {most} or more."
        )
        raise ValueError(msg)


def warn_undefined(message: str) -> None:
    """Warn of a value that is undefined, at the line that asked the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals["__name__"].startswith("skrank."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UndefinedMetricWarning, stacklevel=level)


def rows(X: Any, index: NDArray[np.intp]) -> Any:  # noqa: N803
    """Items by position, of arrays, sparse matrices, data frames and lists."""
    if hasattr(X, "iloc"):
        return X.iloc[index]
    return X[index] if hasattr(X, "shape") else [X[i] for i in index]
