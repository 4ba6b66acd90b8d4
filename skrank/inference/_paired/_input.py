"""What is to be compared: columns of scores by name, two by two."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._text import brief, in_short
from skrank.ranking._several import as_targets


def check_columns(
    y_true: ArrayLike, scores: Mapping[str, ArrayLike], pos_label: object
) -> tuple[NDArray[np.bool_], list[NDArray[Any]]]:
    """Say which items are targets, and check scores under the names they go by."""
    checked = [
        as_targets(y_true, column, pos_label, in_short(name))
        for name, column in scores.items()
    ]
    return checked[0][0], [column for _, column in checked]


def pairs_of(names: tuple[Any, ...], baseline: Any) -> list[tuple[Any, Any]]:
    """Pair each with each, or all others with the baseline."""
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        msg = f"`baseline` must be one of {brief(list(names))}; got {brief(baseline)}."
        raise ValueError(msg)
    return [(name, baseline) for name in names if name != baseline]


def check_names(names: Any) -> tuple[str, str]:
    """Check what two rankings are called."""
    if isinstance(names, tuple | list) and len(names) == 2:
        first, second = names
        if isinstance(first, str) and isinstance(second, str) and first != second:
            return first, second
    msg = f"`names` must be two different texts; got {brief(names)}."
    raise ValueError(msg)
