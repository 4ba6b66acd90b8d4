"""Folds of a cross-validation: made, fitted, and read from a finished search."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedGroupKFold, check_cv, cross_validate
from sklearn.utils.metadata_routing import get_routing_for_object

from skrank._utils._checks import check_jobs, invalid, is_whole
from skrank._utils._text import brief
from skrank.ranking._response import check_estimator

#: Standard deviation of the mean over folds, over that of independent rankings, at
#: most: see the notes of `SearchSelectionTest`.
FOLDS_INFLATION = 2**0.5

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def make_folds(
    cv: Any,
    candidates: Iterable[Any],
    X: Any,  # noqa: N803
    y: NDArray[Any],
    groups: ArrayLike | None,
    *,
    repeated: bool = False,
) -> list[Fold]:
    """Make the splits that a search over the candidates would make.

    No item may be held out twice, unless splits may be repeated.
    """
    candidates = list(candidates)
    for one in candidates:
        check_estimator(one)
    if isinstance(cv, type):
        raise invalid("cv", f"be a splitter, as {cv.__name__}()", "the class")
    classifier = any(is_classifier(one) for one in candidates)
    splitter = check_cv(cv, y, classifier=classifier)
    if groups is None and needs_groups(splitter):
        rule = f"be the groups of the splitter, which {brief(cv)} needs"
        raise invalid("cv_groups", rule, "None")
    folds = list(splitter.split(X, y, groups))
    if not folds:
        got = f"none, as from an exhausted generator, from {brief(cv)}"
        raise invalid("cv", "make folds each time, as a splitter or a list does", got)
    if not repeated:
        check_held_out_once([test for _, test in folds], "cv", f", from {brief(cv)}")
    return folds


def needs_groups(splitter: Any) -> bool:
    """Whether a splitter keeps groups together, as GroupKFold does."""
    requests = getattr(get_routing_for_object(splitter), "split", None)
    return requests is not None and bool(requests.requests.get("groups"))


def with_whole_groups(cv: Any, n_groups: int) -> Any:
    """Return a splitter for a number of folds that divides no group."""
    if not (cv is None or is_whole(cv)):
        return cv
    n_folds = 5 if cv is None else int(cv)
    if n_folds > n_groups:
        rule = "be at most the number of groups, which are held out whole"
        raise invalid("cv", rule, f"{n_folds} folds for {n_groups} groups")
    return StratifiedGroupKFold(n_folds)


def fit_folds(
    estimator: Any,
    X: Any,  # noqa: N803
    y: ArrayLike,
    folds: list[Fold],
    n_jobs: int | None,
    params: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Fit an estimator on each fold, as `cross_validate` does, without scores."""
    if not isinstance(params, Mapping | None):
        rule = "be a mapping from names to parameters of fit, as {'sample_weight': w}"
        raise invalid("params", rule, type(params).__name__)
    found: dict[str, Any] = cross_validate(
        estimator,
        X,
        y,
        cv=folds,
        n_jobs=check_jobs(n_jobs),
        params=params,
        scoring=_no_score,
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    return found


def _no_score(estimator: Any, X: Any, y: Any) -> float:  # noqa: N803
    """Return a constant as score, because only the fitted estimators are needed."""
    return 0.0


def check_held_out_once(
    folds: Sequence[NDArray[np.intp]], name: str, source: str = ""
) -> None:
    """Check that no item is in two test folds, as it is in repeated splits."""
    held_out = np.concatenate(folds)
    n_items = np.unique(held_out).size
    if n_items < held_out.size:
        rule = (
            "make folds that hold out no item twice, as StratifiedKFold does, so that "
            "its label belongs to one fold"
        )
        got = f"{len(folds)} folds that hold out {n_items} items {held_out.size} times"
        raise invalid(name, rule, got + source)


def repetition_of(items: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Number the repetitions of a cross-validation, by the held-out items of its parts.

    A repetition ends before the part that holds one of its items again.
    """
    held = np.zeros(1 + max(int(np.max(one, initial=-1)) for one in items), dtype=bool)
    begins = np.zeros(len(items), dtype=np.intp)
    for number, one in enumerate(items):
        if held[one].any():
            begins[number], held[:] = 1, False
        held[one] = True
    return begins.cumsum()


def held_out(cv_results: Mapping[str, Any]) -> list[NDArray[np.intp]]:
    """Return the held-out items of each fold, from results with all entries."""
    if not {"estimator", "indices"} <= set(cv_results):
        rule = (
            "contain estimators and indices, as from cross_validate("
            "..., return_estimator=True, return_indices=True)"
        )
        raise invalid("cv_results", rule, f"the keys {brief(sorted(cv_results))}")
    return list(cv_results["indices"]["test"])


def check_held_out(
    folds: list[NDArray[np.intp]],
    X: Any,  # noqa: N803
) -> list[NDArray[np.intp]]:
    """Check that the held-out items are some of `X`."""
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    most = 1 + max(int(np.max(index, initial=-1)) for index in folds)
    if most > n_samples:
        got = f"{n_samples} for folds of {most} or more"
        raise invalid("X", "be the items that were cross-validated", got)
    return folds


class SearchTable(NamedTuple):
    """Candidates of a finished search: parameters, and the values that it selected by.

    `finished` tells which candidates have a score, and `winner` which one is the best,
    or None if the search does not tell. `scores` are NaN if the values that it selected
    by are unknown.
    """

    params: list[Any]
    scores: NDArray[np.float64]
    finished: NDArray[np.bool_]
    winner: int | None


def read_search(search: Any) -> SearchTable:
    """Read the table of a search, with one row for each candidate.

    A halving search fits the remaining candidates again with more resources; their last
    row is used. From scikit-learn 1.10 on, the other rows are in `all_cv_results_`
    only.
    """
    missing = [
        name for name in ("estimator", "cv", "cv_results_") if not hasattr(search, name)
    ]
    if not missing and "params" not in search.cv_results_:
        missing = ["cv_results_['params']"]
    if missing:
        msg = (
            "`search` must be a finished search with `cv_results_`, `estimator` and "
            f"`cv`, as GridSearchCV has after fit; got {type(search).__name__} without "
            f"{', '.join(missing)}."
        )
        raise NotFittedError(msg)
    table: Mapping[str, Any] = getattr(search, "all_cv_results_", search.cv_results_)
    last = {joblib.hash(params): row for row, params in enumerate(table["params"])}
    rows = sorted(last.values()) if "iter" in table else range(len(table["params"]))
    params = [table["params"][row] for row in rows]
    best = getattr(search, "best_index_", None)
    if best is not None and "iter" in table:
        best = joblib.hash(search.cv_results_["params"][best])
        best = list(map(joblib.hash, params)).index(best)
    # the columns of scores, the one that it selected by first
    usual = f"mean_test_{getattr(search, 'refit', None)}", "mean_test_score"
    chosen = [name for name in usual if name in table][:1]
    names = [*chosen, *(name for name in table if name.startswith("mean_test_"))]
    means = np.zeros((1, len(params)))  # without scores, all candidates are finished
    if names:
        means = np.array([np.take(table[name], rows) for name in names], dtype=float)
    finished = np.logical_not(np.isnan(means).all(axis=0))
    # if all scores are NaN, the search names its first candidate the winner
    if not finished.any() or (chosen and np.isnan(means[0]).all()):
        got = f"NaN for all {len(params)} in {names[0]}: every fit or score failed"
        advice = "Fit it with error_score='raise' to see the reason."
        raise invalid("search", "have a candidate with a score", got, advice)
    scores = means[0] if chosen else np.full(len(params), np.nan)
    return SearchTable(params, scores, finished, best)


def folds_of_search(
    search: Any,
    estimators: Sequence[Any],
    X: Any,  # noqa: N803
    y: NDArray[Any],
    groups: ArrayLike | None,
) -> list[Fold]:
    """Make the folds of a search again, if its splitter gives the same folds twice."""
    folds, again = (
        make_folds(search.cv, estimators, X, y, groups, repeated=True) for _ in range(2)
    )
    tests = zip(folds, again, strict=True)
    if not all(np.array_equal(one[1], other[1]) for one, other in tests):
        rule = (
            "make the same folds each time, as with random_state=0, since the search "
            "did not keep them"
        )
        raise invalid("search.cv", rule, brief(search.cv))
    return folds
