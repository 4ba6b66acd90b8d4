"""What is to be compared: columns of scores by name, two by two, list by list."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._question import (
    as_targets,
    check_both_classes,
    keep_both_classes,
)
from skrank._validation import check_groups

# A list: its label, or None if it is the only one; which items are targets; the items.
Part = tuple[Any, NDArray[np.bool_], Any]


def check_columns(
    y_true: ArrayLike, scores: Mapping[str, ArrayLike], pos_label: object
) -> tuple[NDArray[np.bool_], list[NDArray[Any]]]:
    """Say which items are targets, and check scores under the names they go by."""
    checked = [
        as_targets(y_true, column, pos_label, name) for name, column in scores.items()
    ]
    return checked[0][0], [column for _, column in checked]


def split(is_target: NDArray[np.bool_], groups: ArrayLike | None) -> list[Part]:
    """Lists of both classes: their labels, which items are targets, and the items."""
    if groups is None:
        check_both_classes(int(is_target.sum()), is_target.size)
        return [(None, is_target, slice(None))]
    return keep_both_classes(
        (label, is_target[items], items)
        for label, items in check_groups(groups, is_target.size)
    )


def pairs_of(names: tuple[Any, ...], baseline: Any) -> list[tuple[Any, Any]]:
    """Pair each with each, or all others with the baseline."""
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        msg = f"`baseline` must be one of {list(names)}; got {baseline!r}."
        raise ValueError(msg)
    return [(name, baseline) for name in names if name != baseline]
