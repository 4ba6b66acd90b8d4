"""Several rankings: columns of scores, groups of items, rankings of both classes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import invalid
from skrank._utils._columns import as_column, check_index, check_length, factorize
from skrank._utils._text import brief, in_short
from skrank._utils._warnings import warn
from skrank.ranking._as_ranking import Labels, as_ranking, columns_of
from skrank.ranking._input import (
    RankingInput,
    check_both_classes,
    check_ranking_input,
    mark_targets,
    oriented,
)
from skrank.ranking._ranking import Ranking, rank

_GROUPS = (
    " Each value of `groups` makes a ranking of its own, of all items with that value, "
    "as of a query or a day."
)
_CLUSTERS = (
    " If all items are to be in one ranking, in which some depend on each other, as "
    "the images of a patient, give these as `clusters` instead."
)


def columns_by_name(y_scores: Any, *, least: int) -> dict[Any, Any]:
    """Return scores of several rankings from a mapping, a data frame or an array.

    Each column is converted separately. A table that is converted to one array would
    have one type for all columns: large integers would lose digits, and labels could
    pass as scores.
    """
    by_name = isinstance(y_scores, Mapping) or hasattr(y_scores, "columns")
    table = y_scores if by_name else _numbered_columns(y_scores)
    # iteration over pyarrow's tables gives columns and not names
    names = list(getattr(table, "column_names", getattr(table, "columns", table)))
    if len(set(map(str, names))) < len(names):
        raise invalid("y_scores", "have different names, also in print", brief(names))
    if len(names) < least:
        raise invalid("y_scores", f"hold {least} or more rankings", str(len(names)))
    if not isinstance(y_scores, Mapping):
        _check_no_probabilities([np.asarray(table[name]) for name in names])
    return {name: table[name] for name in names}


def _numbered_columns(y_scores: Any) -> dict[int, NDArray[Any]]:
    """Return columns of an array; lists are refused, as they may hold rows."""
    is_array = hasattr(y_scores, "__array__")
    array = np.asarray(y_scores, dtype=None if is_array else object)
    if not is_array or array.ndim != 2:
        rule = (
            "be a mapping from names to scores, a data frame or an array of shape "
            "(n_samples, n_rankings), as np.column_stack makes of vectors"
        )
        got = f"{type(y_scores).__name__} of shape {array.shape}"
        raise invalid("y_scores", rule, got)
    return dict(enumerate(array.T))


def _check_no_probabilities(columns: list[NDArray[Any]]) -> None:
    """Refuse the probabilities of two classes, which are not two models."""
    if (
        len(columns) == 2
        and all(one.dtype.kind == "f" and (one >= 0).all() for one in columns)
        and np.allclose(columns[0] + columns[1], 1)
    ):
        rule = (
            "have a column for each ranking, as the column of the target class in what "
            "predict_proba gives"
        )
        raise invalid("y_scores", rule, "two columns that sum to 1")


def rank_classes(
    y_true: ArrayLike, y_scores: Any, labels: ArrayLike
) -> dict[str, Ranking]:
    """Rank items by the scores of each class against the other classes.

    Classes without items, and a class of all items, are left out with a warning.
    """
    classes, scores = np.asarray(labels).tolist(), np.asarray(y_scores)
    if scores.ndim != 2 or np.shape(labels) != scores.shape[1:]:
        rule = "name the class of each column of `y_scores`, as estimator.classes_ does"
        got = f"shape {np.shape(labels)} for scores of shape {scores.shape}"
        raise invalid("labels", rule, got)
    names = [str(label) for label in classes]
    if len(set(names)) < len(names):
        raise invalid("labels", "be different, also in print", brief(classes))
    check_index("y_scores", y_scores, y_true)
    inputs = [
        check_ranking_input(
            mark_targets(y_true, label, whole=False),
            scores[:, column],
            score_name=f"y_scores[:, {column}]",
        )
        for column, label in enumerate(classes)
    ]
    sizes = [(data.targets.size, data.y_score.size) for data in inputs]
    return {names[i]: rank(inputs[i]) for i in both_classes(sizes, grouped=False)}


def rank_both_classes(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    pos_label: object = None,
    n_missed: int = 0,
) -> Ranking:
    """Rank a data set that must have both classes, apart from missed targets."""
    ranking = as_ranking(y_true, y_score, pos_label=pos_label, n_missed=n_missed)
    if ranking.weighted:
        raise invalid("y_true", "be a ranking without weights here", brief(ranking))
    n_scored = int(ranking.n_targets) - ranking.n_missed
    check_both_classes(n_scored, int(ranking.n_samples))
    return ranking


def rank_scored(
    y_true: Labels, y_score: ArrayLike | None = None, pos_label: object = None
) -> Ranking:
    """Rank a data set of both classes without missed targets."""
    ranking = rank_both_classes(y_true, y_score, pos_label)
    if ranking.n_missed:
        raise invalid("y_true", "be a ranking without missed targets", brief(ranking))
    return ranking


def n_items(ranking: Ranking) -> int:
    """Return the number of items of a ranking without weights, with missed targets."""
    return int(ranking.n_samples) + ranking.n_missed


def both_classes(
    sizes: Sequence[tuple[int, int]], *, grouped: bool, always_defined: bool = False
) -> list[int]:
    """Return which rankings have both classes; others are left out with a warning.

    `sizes` are the numbers of targets and of items of each. `grouped` tells whether
    they are from the argument `groups`; for these, a metric that is `always_defined` is
    computed for all groups, if one has both classes.
    """
    kept = [i for i, (m, n) in enumerate(sizes) if 0 < m < n]
    about_groups = _GROUPS if grouped else ""
    if grouped and 2 * len(kept) < len(sizes):
        about_groups += _CLUSTERS
    if not kept:
        raise invalid(
            "y_true",
            "hold targets and non-targets in some ranking",
            "none such",
            about_groups.strip(),
        )
    if grouped and always_defined:
        return list(range(len(sizes)))
    if len(kept) < len(sizes):
        n_targets = sum(m for m, _ in sizes)
        n_left = n_targets - sum(sizes[i][0] for i in kept)
        warn(
            f"{len(sizes) - len(kept)} of {len(sizes)} rankings have no targets, or "
            "no non-targets. The metric is undefined there. They are left out, with "
            f"{n_left} of {n_targets} targets.{about_groups}"
        )
    return kept


def split(
    data: RankingInput,
    groups: ArrayLike,
    name: str = "groups",
    *,
    always_defined: bool = False,
) -> list[tuple[Any, NDArray[np.intp], RankingInput]]:
    """Return the groups with both classes: label, positions of the items, input."""
    labels, codes = group_codes(data, groups, name)
    items = items_of_groups(codes, len(labels))
    parts = take_parts(data, items)
    sizes = [(part.targets.size, part.y_score.size) for part in parts]
    grouped = name == "groups"
    kept = both_classes(sizes, grouped=grouped, always_defined=always_defined)
    return [(labels[i], items[i], parts[i]) for i in kept]


def group_codes(
    data: RankingInput, groups: ArrayLike, name: str = "groups"
) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the sorted labels of the groups, and the number of each item's group."""
    labels, codes = factorize(name, groups)
    check_length(name, codes.size, data.y_score.size)
    if 1 < len(labels) == codes.size:
        rule = "give several items one label, since a single item makes no ranking"
        raise invalid(name, rule, f"{len(labels)} labels of as many items")
    return labels, codes


def items_of_groups(codes: NDArray[np.intp], n_groups: int) -> list[NDArray[np.intp]]:
    """Return the positions of the items of each group."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.bincount(codes, minlength=n_groups).cumsum()[:-1])


def take_parts(
    data: RankingInput, parts: Sequence[NDArray[np.intp]]
) -> list[RankingInput]:
    """Return the items at the positions of each part."""
    is_target, weight = data.is_target, data.weight
    return [
        RankingInput(
            is_target[items].nonzero()[0],
            data.y_score[items],
            None if weight is None else weight[items],
        )
        for items in parts
    ]


def rank_parts(data: RankingInput, parts: Sequence[NDArray[np.intp]]) -> list[Ranking]:
    """Rank the items at the positions of each part, as one of several rankings."""
    return [replace(rank(part), several=True) for part in take_parts(data, parts)]


def rank_columns(
    y_true: ArrayLike,
    columns: Mapping[str, ArrayLike],
    pos_label: object,
    groups: ArrayLike | None,
    *,
    lower: Collection[str] = (),
    always_defined: bool = False,
) -> tuple[tuple[Any, ...], dict[str, list[Ranking]]]:
    """Rank the same items by several columns of scores, within groups if there are any.

    The result has the labels of the groups with both classes, or of all groups for a
    metric that is `always_defined`, and, for each column, its rankings by the name of
    the column in errors. Without groups there are no labels, and one ranking for each
    column. In the columns in `lower`, lower scores are better.
    """
    inputs = {
        name: check_ranking_input(
            y_true, column, pos_label=pos_label, score_name=in_short(name)
        )
        for name, column in columns.items()
    }
    for name in lower:
        data = inputs[name]
        inputs[name] = replace(data, y_score=oriented(data.y_score, True))
    first = next(iter(inputs.values()))
    if groups is None:
        check_both_classes(first.targets.size, first.y_score.size)
        return (), {name: [rank(data)] for name, data in inputs.items()}
    check_index("groups", groups, y_true)
    parts = split(first, groups, always_defined=always_defined)
    items = [one for _, one, _ in parts]
    ranked = {name: rank_parts(data, items) for name, data in inputs.items()}
    return tuple(label for label, *_ in parts), ranked


def rank_within(
    y_true: Labels,
    y_score: ArrayLike | None,
    pos_label: object,
    groups: ArrayLike,
    *,
    always_defined: bool = False,
) -> tuple[tuple[Any, ...], list[Ranking]]:
    """Rank items within groups, as `rank_columns` does for several columns."""
    y_true, y_score = columns_of(y_true, y_score)
    labels, ranked = rank_columns(
        y_true, {"y_score": y_score}, pos_label, groups, always_defined=always_defined
    )
    return labels, ranked["y_score"]


def check_clusters(
    clusters: ArrayLike | None,
    y_true: Any,
    groups: ArrayLike | None,
    name: str = "clusters",
) -> NDArray[np.intp] | None:
    """Return the number of each item's cluster, or stratum.

    The result is None without clusters, or if each item is its own cluster.
    """
    if clusters is None:
        return None
    if groups is not None:
        rule = (
            "be left out with `groups`, whose rankings are the sample then, however "
            "the items of each depend on each other"
        )
        raise invalid(name, rule, f"{name} and groups")
    check_index(name, clusters, y_true)
    labels, codes = factorize(name, clusters)
    check_length(name, codes.size, as_column("y_true", y_true).size)
    if len(labels) < 2:
        raise invalid(name, "hold two labels or more", f"{brief(labels[0])} alone")
    return None if name == "clusters" and len(labels) == codes.size else codes
