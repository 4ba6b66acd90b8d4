"""Folds of what ``cross_validate`` returned: which items they hold out, ranked."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_jobs, invalid
from skrank._utils._jobs import run_jobs
from skrank._utils._text import brief
from skrank.ranking._input import check_ranking_input, mark_targets
from skrank.ranking._ranking import Ranking, rank
from skrank.ranking._response import target_scores
from skrank.ranking._several import both_classes


class HeldOutFolds(NamedTuple):
    """Rankings of the held-out folds that hold both classes, and their numbers.

    `n_samples` and `n_targets` count items of several folds once.
    """

    numbers: list[int]
    rankings: list[Ranking]
    n_samples: int
    n_targets: int


def rank_held_out(
    cv_results: Mapping[str, Any],
    X: Any,  # noqa: N803
    y: ArrayLike,
    n_jobs: int | None,
    pos_label: object,
    detector_targets: str | None,
    numbers: list[int] | None = None,
) -> HeldOutFolds:
    """Rank held-out folds by their estimators; those of one class are left out.

    `numbers` are those of folds that are known to hold both classes.
    """
    test, jobs, y = held_out(cv_results), check_jobs(n_jobs), np.asarray(y)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    most = 1 + max(int(np.max(index, initial=-1)) for index in test)
    if most > n_samples:
        got = f"{n_samples} for folds of {most} or more"
        raise invalid("X", "be the items that were cross-validated", got)
    scores = run_jobs(
        partial(target_scores, pos_label=pos_label, detector_targets=detector_targets),
        (
            (estimator, rows(X, index), y[index])
            for estimator, index in zip(cv_results["estimator"], test, strict=True)
        ),
        total=len(test),
        label="folds",
        n_jobs=jobs,
    )
    is_target = mark_targets(y, pos_label)  # a fold may hold none
    folds = [
        check_ranking_input(is_target[index], score)
        for index, score in zip(test, scores, strict=True)
    ]
    if numbers is None:
        sizes = [(fold.targets.size, fold.y_score.size) for fold in folds]
        numbers = both_classes(sizes, grouped=False)
    items = np.concatenate([test[i] for i in numbers])
    targets = np.concatenate([test[i][folds[i].targets] for i in numbers])
    rankings = [rank(folds[i]) for i in numbers]
    n_samples, n_targets = np.unique(items).size, np.unique(targets).size
    return HeldOutFolds(numbers, rankings, n_samples, n_targets)


def held_out(cv_results: Mapping[str, Any]) -> list[NDArray[np.intp]]:
    """Items that each fold holds out, of results that have all that is needed."""
    if not {"estimator", "indices"} <= set(cv_results):
        rule = (
            "hold estimators and indices, as from cross_validate("
            "..., return_estimator=True, return_indices=True)"
        )
        raise invalid("cv_results", rule, f"the keys {brief(sorted(cv_results))}")
    return list(cv_results["indices"]["test"])


def rows(X: Any, index: NDArray[np.intp]) -> Any:  # noqa: N803
    """Items by position, of arrays, sparse matrices, data frames and lists."""
    if hasattr(X, "iloc"):
        return X.iloc[index]
    return X[index] if hasattr(X, "shape") else [X[i] for i in index]
