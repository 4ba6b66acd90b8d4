"""Groups of items: their labels, what is outside their lists, and their classes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_count, invalid
from skrank._utils._columns import factorize
from skrank._utils._numbers import number
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.ranking._input import RankingInput, append_unlisted


def _has_both(n_targets: float, n_others: float) -> bool:
    return n_targets > 0 and n_others > 0


def both_classes(
    sizes: Sequence[tuple[float, float]],
    *,
    grouped: bool,
    is_defined: Callable[[float, float], bool] = _has_both,
    unit: str = "rankings",
    undefined: float | str = math.nan,
) -> list[int]:
    """Return which rankings have a value, if one has both classes.

    Others are left out with a warning. `sizes` are the numbers of targets and of items
    of each. `grouped` tells whether they are from the argument `groups`. With another
    value than NaN for an `undefined` metric there is no warning, and "raise" is an
    error.
    """
    kept = [i for i, (m, n) in enumerate(sizes) if is_defined(m, n - m)]
    about_groups = ""
    if grouped:
        about_groups = (
            " Each value of `groups` is a ranking of its own, such as that of a query "
            "or a day."
        )
    if grouped and 2 * len(kept) < len(sizes):
        about_groups += (
            " If all items belong to one ranking, and some depend on each other, such "
            "as the images of a patient, use `clusters` instead."
        )
    if not any(0 < m < n for m, n in sizes):
        raise invalid(
            "y_true",
            "contain targets and non-targets in some ranking",
            "none such",
            about_groups.strip(),
        )
    both = not is_defined(1, 0)
    if len(kept) < len(sizes) and undefined == "raise":
        rule = f"contain targets{' and non-targets' if both else ''} in all {unit}"
        got = f"{len(sizes) - len(kept)} of {len(sizes)} without"
        raise invalid("y_true", rule, got, about_groups.strip())
    if len(kept) < len(sizes) and math.isnan(float(undefined)):
        n_targets = sum(m for m, _ in sizes)
        of_weights = "" if n_targets == int(n_targets) else ", by their weights"
        n_left = n_targets - sum(sizes[i][0] for i in kept)
        warn(
            f"{len(sizes) - len(kept)} of {len(sizes)} {unit} have no targets"
            f"{', or no non-targets' if both else ''}. The metric is undefined there. "
            f"They are left out, with {number(n_left, 6)} of {number(n_targets, 6)} "
            f"targets{of_weights}."
            f"{about_groups}"
        )
    return kept


def group_codes(
    data: RankingInput, groups: ArrayLike, name: str = "groups"
) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the sorted labels of the groups, and the number of each item's group."""
    labels, codes = kept_codes(data, groups, name)
    if 1 < len(labels) == codes.size:
        rule = "give several items the same label, because one item is no ranking"
        raise invalid(name, rule, f"{len(labels)} labels of as many items")
    return labels, codes


def kept_codes(
    data: RankingInput, values: ArrayLike, name: str
) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the sorted labels of a column and their numbers, of items with weight."""
    assert data.of_items is not None
    labels, codes = data.of_items.read(name, values, factorize)
    kept = data.kept
    if kept is None:
        return labels, codes
    present, codes = np.unique(codes[kept], return_inverse=True)
    return [labels[code] for code in present], codes


class Outside(NamedTuple):
    """Labels of all groups, and what is outside their lists.

    Groups without listed items follow the others. The `unlisted` items of each group
    contain its `missed` targets; they are None if they are not given.
    """

    labels: list[Any]
    missed: NDArray[np.intp]
    unlisted: NDArray[np.intp] | None


def outside_of_groups(
    labels: list[Any],
    n_missed: Any,
    n_unlisted: Any,
    failed: Mapping[Any, int] | None = None,
) -> Outside:
    """Check the numbers of missed targets and unlisted items by group.

    The targets that `failed` to get a score are missed as well.
    """
    given = {"n_missed": n_missed, "n_unlisted": n_unlisted}
    counts: dict[str, dict[Any, int]] = {}
    texts = {str(one): one for one in labels}
    for name, by_group in given.items():
        if is_given(by_group) and not hasattr(by_group, "keys"):
            rule = "map each group to its number, as in {'a': 3}, with `groups`"
            raise invalid(name, rule, brief(by_group))
        counts[name] = dict(by_group) if is_given(by_group) else {}
        for one in counts[name]:
            like = texts.get(str(one), one)
            if like != one:
                rule = "have the labels of `groups`, of the same type"
                raise invalid(name, rule, f"{brief(one)} for {brief(like)}")
    known, more = set(labels), failed or {}
    others = dict.fromkeys([*counts["n_unlisted"], *counts["n_missed"], *more])
    every = [*labels, *(one for one in others if one not in known)]
    missed, unlisted = (
        np.array([check_count(name, by_group.get(one, 0), least=0) for one in every])
        for name, by_group in counts.items()
    )
    missed += [more.get(one, 0) for one in every]
    if n_unlisted is None:
        return Outside(every, missed, None)
    for one, *pair in zip(every, missed.tolist(), unlisted.tolist(), strict=True):
        if pair[1] < pair[0]:
            rule = "be at least `n_missed`, which it contains, in each group"
            got = f"{pair[1]} and {pair[0]} in {brief(one)}"
            raise invalid("n_unlisted", rule, got)
    return Outside(every, missed, unlisted)


def failed_by_group(data: RankingInput, groups: ArrayLike) -> dict[Any, int]:
    """Return how many targets of each group have no score."""
    if data.failed is None or not data.failed.size:
        return {}
    assert data.of_items is not None
    labels, codes = data.of_items.read("groups", groups, factorize)
    counts = np.bincount(codes[data.failed], minlength=len(labels)).tolist()
    return {one: n for one, n in zip(labels, counts, strict=True) if n}


def is_given(count: Any) -> bool:
    """Whether a number, or a mapping of numbers, is not left out."""
    return hasattr(count, "keys") or count not in (0, None)


def warn_of_unlisted(what: str) -> None:
    """Warn that missed targets are the only items known not to be listed."""
    warn(
        f"With `n_missed` alone, {what} treats all items without a score as targets. "
        "Pass the number of all items without a score as `n_unlisted`, or rank them by "
        "`missing`='last', for the value of the whole collection.",
        UserWarning,
    )


def items_of_groups(codes: NDArray[np.intp], n_groups: int) -> list[NDArray[np.intp]]:
    """Return the positions of the items of each group."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.bincount(codes, minlength=n_groups).cumsum()[:-1])


def take_parts(
    data: RankingInput,
    parts: Sequence[NDArray[np.intp]],
    outside: Outside | None = None,
) -> list[RankingInput]:
    """Return the items at the positions of each part, with those outside its list."""
    is_target, weight = data.is_target, data.weight
    found = [
        RankingInput(
            is_target[items].nonzero()[0],
            data.y_score[items],
            None if weight is None else weight[items],
            lowest=data.lowest,
            turned=data.turned,
        )
        for items in parts
    ]
    if outside is None:
        return found
    missed = outside.missed.tolist()
    if outside.unlisted is None:
        counts = zip(found, missed, strict=True)
        return [replace(one, n_missed=m) if m else one for one, m in counts]
    pairs = zip(missed, outside.unlisted.tolist(), strict=True)
    return [append_unlisted(one, *pair) for one, pair in zip(found, pairs, strict=True)]
