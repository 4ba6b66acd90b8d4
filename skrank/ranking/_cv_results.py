"""Folds of what ``cross_validate`` returned: which items they hold out, and scores."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_jobs
from skrank._utils._jobs import run_jobs
from skrank._utils._text import brief
from skrank.ranking._response import target_scores
from skrank.ranking._several import as_targets


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


def rows(X: Any, index: NDArray[np.intp]) -> Any:  # noqa: N803
    """Items by position, of arrays, sparse matrices, data frames and lists."""
    if hasattr(X, "iloc"):
        return X.iloc[index]
    return X[index] if hasattr(X, "shape") else [X[i] for i in index]
