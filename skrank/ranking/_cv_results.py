"""Rankings of the held-out items of ``cross_validate`` results."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_jobs, invalid
from skrank._utils._columns import check_length, check_order, factorize
from skrank._utils._jobs import run_jobs
from skrank._utils._text import brief
from skrank.ranking._input import check_ranking_input, mark_targets
from skrank.ranking._ranking import Ranking, rank
from skrank.ranking._response import target_scores
from skrank.ranking._several import both_classes, items_of_groups, take_parts


class HeldOutFolds(NamedTuple):
    """Rankings of the held-out items that have both classes, and the fold of each.

    There is one ranking for each fold, with the number of the fold as label, or one for
    each group in a fold. `n_samples` and `n_targets` count items of several folds once.
    """

    kept: list[int]
    labels: tuple[Any, ...]
    numbers: list[int]
    rankings: list[Ranking]
    n_samples: int
    n_targets: int

    def mean_by_fold(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return means over the rankings of each fold, in a row for each fold."""
        values, starts = np.asarray(values), np.unique(self.numbers, return_index=True)
        counts = np.diff(starts[1], append=len(self.numbers))
        totals = np.add.reduceat(values, starts[1], axis=0)
        means: NDArray[np.float64] = (totals.T / counts).T
        return means


def rank_held_out(
    cv_results: Mapping[str, Any],
    X: Any,  # noqa: N803
    y: ArrayLike,
    n_jobs: int | None,
    pos_label: object,
    detector_targets: str | None,
    groups: ArrayLike | None = None,
    *,
    always_defined: bool = False,
    kept: list[int] | None = None,
) -> HeldOutFolds:
    """Rank held-out items of each fold by its estimator; leave out one class.

    With `groups`, there is one ranking for the items of each group in each fold. For a
    metric that is `always_defined`, none is left out. `kept` are the folds that are
    known to have both classes.
    """
    check_order(X, y)
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
    is_target = mark_targets(y, pos_label)  # a fold may have none
    folds = [
        check_ranking_input(is_target[index], score)
        for index, score in zip(test, scores, strict=True)
    ]
    divided = divide_folds(test, groups, y.size)
    parts = [
        part
        for fold, (_, items) in zip(folds, divided, strict=True)
        for part in take_parts(fold, items)
    ]
    if kept is None:
        kept = both_classes(
            [(part.targets.size, part.y_score.size) for part in parts],
            grouped=groups is not None,
            always_defined=always_defined,
        )
    labels = [label for names, _ in divided for label in names]
    numbers = [i for i, (names, _) in enumerate(divided) for _ in names]
    positions = [
        index[items]
        for index, (_, parts_of) in zip(test, divided, strict=True)
        for items in parts_of
    ]
    targets = [positions[i][parts[i].targets] for i in kept]
    several = groups is not None
    return HeldOutFolds(
        kept=kept,
        labels=tuple(labels[i] for i in kept),
        numbers=[numbers[i] for i in kept],
        rankings=[replace(rank(parts[i]), several=several) for i in kept],
        n_samples=np.unique(np.concatenate([positions[i] for i in kept])).size,
        n_targets=np.unique(np.concatenate(targets)).size,
    )


def divide_folds(
    test: list[NDArray[np.intp]], groups: ArrayLike | None, n_samples: int
) -> list[tuple[list[Any], list[NDArray[np.intp]]]]:
    """Return labels of the groups in each fold, and the positions of their items.

    Without groups, the label is the number of the fold, and the items are all of its
    items. If a group is in several folds, the label has the number of the fold as well.
    """
    if groups is None:
        return [([i], [np.arange(index.size)]) for i, index in enumerate(test)]
    names, codes = factorize("groups", groups)
    check_length("groups", codes.size, n_samples)
    found = [np.unique(codes[index], return_inverse=True) for index in test]
    every = np.concatenate([present for present, _ in found])
    is_split = np.unique(every).size < every.size
    return [
        (
            [(i, names[code]) if is_split else names[code] for code in present],
            items_of_groups(inside, present.size),
        )
        for i, (present, inside) in enumerate(found)
    ]


def held_out(cv_results: Mapping[str, Any]) -> list[NDArray[np.intp]]:
    """Return the held-out items of each fold, from results with all entries."""
    if not {"estimator", "indices"} <= set(cv_results):
        rule = (
            "hold estimators and indices, as from cross_validate("
            "..., return_estimator=True, return_indices=True)"
        )
        raise invalid("cv_results", rule, f"the keys {brief(sorted(cv_results))}")
    return list(cv_results["indices"]["test"])


def rows(X: Any, index: NDArray[np.intp]) -> Any:  # noqa: N803
    """Select items by position from arrays, sparse matrices, data frames and lists."""
    if hasattr(X, "iloc"):
        return X.iloc[index]
    return X[index] if hasattr(X, "shape") else [X[i] for i in index]
