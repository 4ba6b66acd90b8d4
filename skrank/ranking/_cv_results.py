"""Folds of what ``cross_validate`` returned: which items they hold out, and scores."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_jobs, invalid
from skrank._utils._jobs import run_jobs
from skrank._utils._text import brief
from skrank.ranking._input import RankingInput, check_ranking_input
from skrank.ranking._response import target_scores


def folds_of_cv_results(
    cv_results: Mapping[str, Any],
    X: Any,  # noqa: N803
    y: ArrayLike,
    *,
    n_jobs: int | None,
    pos_label: object,
    detector_targets: str | None,
) -> list[RankingInput]:
    """Labels of the held-out folds, and scores that their estimators give them."""
    folds = held_out(cv_results)
    jobs = check_jobs(n_jobs)
    y = np.asarray(y)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    most = 1 + max(int(np.max(index, initial=-1)) for index in folds)
    if most > n_samples:
        got = f"{n_samples} for folds of {most} or more"
        raise invalid("X", "be the items that were cross-validated", got)
    scores = run_jobs(
        partial(target_scores, pos_label=pos_label, detector_targets=detector_targets),
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
        check_ranking_input(y[index], score, pos_label=pos_label)
        for index, score in zip(folds, scores, strict=True)
    ]


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
