"""How candidates rank the folds that they were not fitted on.

What comes in is estimators and data. What goes out is, fold by fold, how many items
each candidate puts above each item: all that a law of rankings needs to know.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed

from skrank._question import rows, track
from skrank._ranking import items_above
from skrank._response import target_scores
from skrank._validation import check_scores

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def make_folds(
    cv: Any,
    candidates: Iterable[Any],
    X: Any,  # noqa: N803
    y: NDArray[Any],
    groups: ArrayLike | None,
) -> list[Fold]:
    """Split as a search over the candidates does; no item may be held out twice."""
    classifier = any(is_classifier(one) for one in candidates)
    folds = list(check_cv(cv, y, classifier=classifier).split(X, y, groups))
    held_out = np.concatenate([test for _, test in folds]) if folds else np.array([])
    if held_out.size == 0 or np.unique(held_out).size < held_out.size:
        msg = (
            "`cv` must make folds that hold out no item twice, so that its label "
            f"belongs to one fold; got {len(folds)} folds that hold out "
            f"{held_out.size} items of {y.size}, from {cv!r}."
        )
        raise ValueError(msg)
    return folds


def folds_of_search(
    search: Any,
    estimators: Sequence[Any],
    X: Any,  # noqa: N803
    y: NDArray[Any],
    groups: ArrayLike | None,
) -> list[Fold]:
    """Make the folds of a search again; if twice the same, they are those it had."""
    folds, again = (make_folds(search.cv, estimators, X, y, groups) for _ in range(2))
    tests = zip(folds, again, strict=True)
    if not all(np.array_equal(one[1], other[1]) for one, other in tests):
        msg = (
            "`search.cv` must make the same folds each time, as with random_state=0, "
            f"since the search did not keep them; got {search.cv!r}."
        )
        raise ValueError(msg)
    return folds


def rank_folds(
    candidates: Sequence[Any],
    X: Any,  # noqa: N803
    y: NDArray[Any],
    folds: Sequence[Fold],
    *,
    n_jobs: int | None,
    progress: bool,
    **orientation: Any,
) -> list[NDArray[np.intp]]:
    """Count the items above each item of each fold, one candidate a row."""
    tasks = track(candidates, total=len(candidates), label="fits", progress=progress)
    above = Parallel(n_jobs=n_jobs)(
        delayed(_rank_each)(one, X, y, folds, orientation) for one in tasks
    )
    return [np.stack(fold) for fold in zip(*above, strict=True)]


def _rank_each(
    candidate: Any,
    X: Any,  # noqa: N803
    y: NDArray[Any],
    folds: Sequence[Fold],
    orientation: dict[str, Any],
) -> list[NDArray[np.intp]]:
    """Fit a candidate outside each fold, and rank the fold."""
    above = []
    for train, test in folds:
        fitted = clone(candidate).fit(rows(X, train), y[train])
        scores = target_scores(fitted, rows(X, test), y[test], **orientation)
        above.append(items_above(check_scores(scores)))
    return above
