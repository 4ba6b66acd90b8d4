"""Check labels, scores and weights once and hand on clean arrays.

What comes in is what users have: lists, arrays, pandas or polars columns, labels of
any binary kind. What goes out is what the rest of the package computes with: the
positions of the targets, a one-dimensional numeric array of scores, weights. It is a
step of its own so that the texts of these errors have one home and nothing further on
checks again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_count
from skrank._utils._columns import (
    as_column,
    as_numbers,
    by_position,
    check_index,
    check_length,
    is_dask,
    ordered_type,
    plain_value,
)
from skrank._utils._text import brief

_LIGHTEST = 1e-300  # sum of weights by which others can be divided


@dataclass(frozen=True, slots=True, eq=False)
class RankingInput:
    """Clean input: which items are targets, what they scored, what they weigh."""

    targets: NDArray[np.intp]
    y_score: NDArray[Any]
    weight: NDArray[np.float64] | None
    n_missed: int

    @property
    def is_target(self) -> NDArray[np.bool_]:
        """Whether each item is a target."""
        return _marked(self.targets, self.y_score.size)


def check_ranking_input(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    score_name: str = "y_score",
    whole: bool = True,
) -> RankingInput:
    """Check labels, scores and weights against each other; O(n), no sort.

    A part of a list that is not `whole` may hold what could be hard labels.
    """
    check_index(score_name, y_score, y_true)
    check_index("sample_weight", sample_weight, y_true)
    labels, pos_label = _label_column(y_true, pos_label)
    scores = check_scores(y_score, score_name, whole=whole)
    _same_length(score_name, scores, labels)
    weight = None
    if sample_weight is not None:
        weight = _check_weight(sample_weight, labels)
    missed = check_count("n_missed", n_missed, least=0)
    targets = find_targets(labels, pos_label)
    return RankingInput(targets, scores, weight, missed)


def check_targets(y_true: ArrayLike, pos_label: object = None) -> NDArray[np.bool_]:
    """Say which items are targets, before anything ranks them."""
    labels, pos_label = _label_column(y_true, pos_label)
    return _marked(find_targets(labels, pos_label), labels.size)


def find_targets(labels: NDArray[Any], pos_label: object = None) -> NDArray[np.intp]:
    """Positions of the targets; `pos_label=None` understands {0, 1}, {-1, 1}, bool."""
    labels = _plain_labels(labels)
    if pos_label is not None:
        return _find_label(labels, pos_label)
    if labels.dtype.kind not in "biuf":
        msg = (
            "`pos_label` must name the label of the targets when labels are not "
            f"{{0, 1}}, {{-1, 1}} or bool; got pos_label=None and "
            f"labels like {brief(plain_value(labels[0]))}."
        )
        raise ValueError(msg)
    targets = _find_ones(labels)
    if targets is None:
        msg = (
            "`y_true` must hold labels {0, 1}, {-1, 1} or bool when `pos_label` is "
            f"None; got values from {labels.min()} to {labels.max()}."
        )
        raise ValueError(msg)
    return targets


def other_label(y_true: ArrayLike, targets: NDArray[np.intp]) -> Any:
    """Label of the items that are no targets; None if there are none."""
    first = int(np.append(targets != np.arange(targets.size), True).argmax())
    column = by_position(y_true) if hasattr(y_true, "dtype") else np.asarray(y_true)
    others = np.asarray(column[first : first + 1]).tolist()
    return others[0] if others else None


def same_other(known: Any, new: Any) -> Any:
    """Label of what is no target, the same in all pieces."""
    if known is not None and new is not None and known != new:
        msg = (
            "`y_true` must hold the same two labels in all pieces; got "
            f"{brief(new)} and {brief(known)} beside the label of the targets."
        )
        raise ValueError(msg)
    return new if known is None else known


def check_scores(
    y_score: ArrayLike, name: str = "y_score", *, whole: bool = True
) -> NDArray[Any]:
    """Return finite numbers that can order items, in a type that is sorted rightly."""
    scores = as_numbers(name, y_score)
    kind = scores.dtype.kind
    if kind == "b":
        _refuse_labels(name, "booleans")
    low, high = scores.min(), scores.max()
    if kind == "f" and not (np.isfinite(low) and np.isfinite(high)):
        msg = (
            f"`{name}` must be finite; got NaN or infinity "
            f"(minimum {low}, maximum {high}), first at position "
            f"{np.isfinite(scores).argmin()}."
        )
        raise ValueError(msg)
    if whole and kind != "f" and high == 1 and (low == 0 or _is_sign(low, scores)):
        _refuse_labels(name, f"integers {{{low}, {high}}}")
    return scores


def check_groups(
    groups: ArrayLike, n_samples: int, name: str = "groups"
) -> list[tuple[Any, NDArray[np.intp]]]:
    """Return the labels of the groups and the positions of their items."""
    labels = _plain_labels(as_column(name, groups), name)
    check_length(name, labels.size, n_samples)
    labels = labels.astype(ordered_type(labels.dtype), copy=False)
    distinct, where, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    items = np.split(np.argsort(where, kind="stable"), np.cumsum(sizes)[:-1])
    return list(zip(distinct.tolist(), items, strict=True))


def _label_column(y_true: Any, pos_label: object) -> tuple[NDArray[Any], object]:
    """Convert labels to a column; two texts are turned into bool where they are.

    Columns of data frames compare texts without making Python objects of them. Where
    labels are missing, or are not two texts, they are left to be looked at closely.
    """
    is_plain = hasattr(y_true, "dtype") and not is_dask(y_true)
    if isinstance(pos_label, str) and is_plain and not np.ma.is_masked(y_true):
        is_target = _equal(y_true, pos_label)
        if (
            is_target is not None
            and is_target.size
            and _has_one_other(y_true, is_target)
        ):
            return is_target, None
    return as_column("y_true", y_true), pos_label


def _equal(column: Any, label: str) -> NDArray[np.bool_] | None:
    """Say where a column holds a text; None where it may have missing items."""
    try:
        equal = np.asarray(column == label)
    except TypeError:  # the truth of a missing item
        return None
    return equal if equal.dtype == bool and equal.ndim == 1 else None


def _has_one_other(column: Any, is_target: NDArray[np.bool_]) -> bool:
    """Whether all items but the targets are one and the same text."""
    first = int(is_target.argmin())
    if is_target[first]:
        return True
    other = by_position(column)[first]
    is_other = _equal(column, other) if isinstance(other, str) else None
    n_targets = np.count_nonzero(is_target)
    return is_other is not None and n_targets + is_other.sum() == is_target.size


def _check_weight(
    sample_weight: ArrayLike, labels: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Weights are finite, not negative, and not all zero; None if all are 1."""
    weight = as_numbers("sample_weight", sample_weight).astype(np.float64, copy=False)
    _same_length("sample_weight", weight, labels)
    with np.errstate(over="ignore"):
        low, total = weight.min(), weight.sum()
    if not (low >= 0 and _LIGHTEST <= total < np.inf):
        msg = (
            "`sample_weight` must be finite, not negative, and not all zero, with a "
            f"sum of at least {_LIGHTEST}; got minimum {low} and sum {total}."
        )
        raise ValueError(msg)
    return None if np.all(weight == 1) else weight


def _marked(positions: NDArray[np.intp], size: int) -> NDArray[np.bool_]:
    """Say of each item whether it is at one of the positions."""
    marks = np.zeros(size, dtype=bool)
    marks[positions] = True
    return marks


def _same_length(name: str, values: NDArray[Any], labels: NDArray[Any]) -> None:
    check_length(name, values.size, labels.size)


def _plain_labels(labels: NDArray[Any], name: str = "y_true") -> NDArray[Any]:
    """Give object arrays the type of what they hold; refuse missing labels."""
    if labels.dtype.kind == "O":
        is_text = [isinstance(label, str) for label in labels]
        if any(is_text) == all(is_text):
            labels = np.array(labels.tolist())
    missing = labels.dtype.kind == "O" or (
        labels.dtype.kind == "f" and np.isnan(labels.min())
    )
    if missing:
        msg = (
            f"`{name}` must hold labels of one kind, none missing; "
            "got a mixture or missing values."
        )
        raise ValueError(msg)
    return labels


def _find_label(labels: NDArray[Any], pos_label: object) -> NDArray[np.intp]:
    """Positions of one label among at most two."""
    if np.ndim(pos_label) != 0:  # type: ignore[arg-type]
        msg = f"`pos_label` must be one label; got {brief(pos_label)}."
        raise ValueError(msg)
    is_target = labels == pos_label
    targets = np.flatnonzero(is_target)
    if targets.size == labels.size:
        return targets
    other = labels[is_target.argmin()]
    if targets.size + np.count_nonzero(labels == other) < labels.size:
        unlike = labels[~is_target & (labels != other)][0]
        raise _unlike_labels(pos_label, other, unlike, found=targets.size > 0)
    return targets


def _unlike_labels(
    pos_label: object, other: Any, unlike: Any, *, found: bool
) -> ValueError:
    """Error for more labels than two, with or without that of the targets."""
    target = brief(pos_label)
    others = f"{brief(plain_value(other))} and {brief(plain_value(unlike))}"
    if found:
        msg = (
            f"`y_true` must hold two labels, {target} and one other, as does "
            f"y == {target}; got {others} beside it."
        )
    else:
        msg = (
            "`pos_label` must be one of the labels in `y_true`; got "
            f"pos_label={target}, labels {others}."
        )
    return ValueError(msg)


def _find_ones(labels: NDArray[Any]) -> NDArray[np.intp] | None:
    """Positions of the ones among zeros, or else among minus ones."""
    is_set = labels if labels.dtype.kind == "b" else labels != 0
    if np.count_nonzero(is_set) < labels.size:
        targets: NDArray[np.intp] = is_set.nonzero()[0]
        return targets if (labels[targets] == 1).all() else None
    targets = np.flatnonzero(labels == 1)
    others = labels.size - targets.size
    if others and np.count_nonzero(labels == -1) != others:
        return None
    return targets


def _is_sign(low: Any, scores: NDArray[Any]) -> bool:
    """Whether integers with maximum 1 are all -1 or 1."""
    return bool(low == -1 and np.count_nonzero(scores) == scores.size)


def _refuse_labels(name: str, got: str) -> None:
    msg = (
        f"`{name}` must rank the items, as decision_function or predict_proba do; "
        f"got hard labels, {got}."
    )
    raise ValueError(msg)
