"""Several rankings: columns of scores, groups of items, rankings of both classes."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._columns import refuse_lazy
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.ranking._as_ranking import Labels, as_ranking
from skrank.ranking._input import check_groups, check_ranking_input
from skrank.ranking._ranking import Ranking

ListOfItems = TypeVar("ListOfItems", bound=tuple[Any, ...])


# A list: its label, or None if it is the only one; which items are targets; the items.
Part = tuple[Any, NDArray[np.bool_], Any]


def columns_by_name(y_scores: Any, *, least: int) -> dict[Any, Any]:
    """Scores of several rankings, from a mapping, a data frame or an array.

    Each column is taken for itself: a table turned into one array would have one type
    for all, in which large integers lose digits and labels pass as scores.
    """
    refuse_lazy("y_scores", y_scores)
    by_name = isinstance(y_scores, Mapping) or hasattr(y_scores, "columns")
    table = y_scores if by_name else _numbered_columns(y_scores)
    # the columns of pyarrow's tables are not their names
    names = list(getattr(table, "column_names", getattr(table, "columns", table)))
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
    y_true: Labels,
    y_score: ArrayLike | None = None,
    pos_label: object = None,
    n_missed: int = 0,
) -> Ranking:
    """Rank a data set that must hold targets and non-targets, whatever it missed."""
    ranking = as_ranking(y_true, y_score, pos_label=pos_label, n_missed=n_missed)
    if ranking.weighted:
        msg = f"`y_true` must be a ranking without weights here; got {brief(ranking)}."
        raise ValueError(msg)
    n_scored = int(ranking.n_targets) - ranking.n_missed
    check_both_classes(n_scored, int(ranking.n_samples))
    return ranking


def rank_listed(
    y_true: ArrayLike | Ranking, y_score: Any, pos_label: object
) -> Ranking:
    """Rank items that must be in memory, all of them scored; or take their ranking."""
    if not isinstance(y_true, Ranking):
        return rank_both_classes(*as_targets(y_true, y_score, pos_label))
    ranking = rank_both_classes(y_true, y_score, pos_label)
    if ranking.n_missed:
        msg = (
            f"`y_true` must be a ranking without missed targets; got {brief(ranking)}."
        )
        raise ValueError(msg)
    return ranking


def n_items(ranking: Ranking) -> int:
    """Count the items of a ranking without weights, those included that were missed."""
    return int(ranking.n_samples) + ranking.n_missed


def check_both_classes(n_targets: int, n_samples: int) -> None:
    """Check that a ranking holds targets and non-targets."""
    if not 0 < n_targets < n_samples:
        msg = (
            "`y_true` must hold targets and non-targets to test a ranking; "
            f"got {n_targets} targets among {n_samples} items."
        )
        raise ValueError(msg)


def keep_both_classes(lists: Iterable[ListOfItems]) -> list[ListOfItems]:
    """Leave out rankings of one class with a warning; each is label, targets, ..."""
    lists = list(lists)
    kept = [one for one in lists if 0 < one[1].sum() < one[1].size]
    if not kept:
        msg = (
            "`y_true` must hold targets and non-targets in some ranking; got none such."
        )
        raise ValueError(msg)
    if len(kept) < len(lists):
        warn(
            f"{len(lists) - len(kept)} of {len(lists)} rankings hold no targets or "
            "nothing else: the metric is undefined there, and they are left out."
        )
    return kept


def split(
    is_target: NDArray[np.bool_], groups: ArrayLike | None, name: str = "groups"
) -> list[Part]:
    """Rankings of both classes: labels, which items are targets, and the items."""
    if groups is None:
        check_both_classes(int(is_target.sum()), is_target.size)
        return [(None, is_target, slice(None))]
    return keep_both_classes(
        (label, is_target[items], items)
        for label, items in check_groups(groups, is_target.size, name)
    )
