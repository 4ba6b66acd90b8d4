"""Check input once and hand on clean arrays.

What comes in is what users have: lists, arrays, pandas or polars columns, labels of
any binary kind. What goes out is what the rest of the package computes with: the
positions of the targets, a one-dimensional numeric array of scores, weights. It is a
step of its own so that the texts of these errors have one home and nothing further on
checks again.

Every error says three things: the parameter, the rule, and what was got.
"""

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._presentation import brief

TIES = ("expected", "threshold", "optimistic", "pessimistic")
NORMALIZE = ("min", "relevant", "hits")

# A fraction of a list is a product of floats: 0.07 * 100 is 7.000000000000001. Without
# this much slack it would be rounded up to 8 items.
_SLACK = 1e-12

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
            f"labels like {brief(_plain(labels[0]))}."
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
    scores = _numeric(name, y_score)
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


def check_depth(name: str, depth: float, total: float, *, whole: bool = True) -> float:
    """Turn `t` or `k` into a depth: a number of items, or of units of weight."""
    if isinstance(depth, int):
        if depth > total * (1 + _SLACK):
            msg = (
                f"`{name}` must not reach beyond the list; got {name}="
                f"{brief(int(depth))} for a list of {total:.15g}."
            )
            raise ValueError(msg)
        return depth
    exact = total * depth
    if not whole:
        return exact
    nearest = round(exact)
    is_near = abs(exact - nearest) <= _SLACK * exact
    return nearest if is_near else math.ceil(exact)


def check_cutoff(name: str, depth: Any) -> int | float:
    """Check the form of `t` or `k`: a count from 1, or a fraction in (0, 1]."""
    if _is_whole(depth) and int(depth) >= 1:
        return int(depth)
    share = _real(depth) if isinstance(depth, float | np.floating) else math.nan
    if 0 < share <= 1:
        return share
    msg = (
        f"`{name}` must be an int of at least 1 (a number of items) or a float in "
        f"(0, 1] (a fraction of the list); got {brief(depth)}."
    )
    raise ValueError(msg)


def check_option(name: str, value: object, options: tuple[str | None, ...]) -> None:
    """Check that an argument is one of the named options."""
    if not isinstance(value, str | None) or value not in options:
        listed = ", ".join(repr(option) for option in options)
        msg = f"`{name}` must be one of {listed}; got {brief(value)}."
        raise ValueError(msg)


def check_flag(name: str, value: Any) -> bool:
    """Check that an argument is True or False; nothing else has a truth here."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    msg = f"`{name}` must be True or False; got {brief(value)}."
    raise ValueError(msg)


def check_count(name: str, value: Any, *, least: int) -> int:
    """Check that an argument is a whole number of at least `least`."""
    if _is_whole(value) and int(value) >= least:
        return int(value)
    msg = f"`{name}` must be an int of at least {least}; got {brief(value)}."
    raise ValueError(msg)


def check_number(name: str, value: Any) -> float:
    """Check that an argument is a finite number."""
    number = _real(value)
    if math.isfinite(number):
        return number
    msg = f"`{name}` must be a finite number; got {brief(value)}."
    raise ValueError(msg)


def check_numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Check that an argument is a finite number, or an array of them."""
    array = np.asarray(values)
    kind, width = array.dtype.kind, array.dtype.itemsize
    if kind in "iuf":
        meant = array.astype(str) if kind == "f" and width < 8 else array  # as `_real`
        with np.errstate(over="ignore"):  # the infinite is refused
            numbers = meant.astype(np.float64)
        if np.all(np.isfinite(numbers)):
            return numbers
    msg = f"`{name}` must be a finite number or an array of them; got {brief(values)}."
    raise ValueError(msg)


def check_groups(
    groups: ArrayLike, n_samples: int, name: str = "groups"
) -> list[tuple[Any, NDArray[np.intp]]]:
    """Return the labels of the groups and the positions of their items."""
    labels = _plain_labels(_column(name, groups), name)
    check_length(name, labels.size, n_samples)
    labels = labels.astype(_ordered_type(labels.dtype), copy=False)
    distinct, where, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    items = np.split(np.argsort(where, kind="stable"), np.cumsum(sizes)[:-1])
    return list(zip(distinct.tolist(), items, strict=True))


def check_positive(name: str, value: Any) -> float:
    """Check that an argument is a finite number above 0."""
    number = _real(value)
    if 0 < number < math.inf:
        return number
    msg = f"`{name}` must be a finite number above 0; got {brief(value)}."
    raise ValueError(msg)


def check_fraction(name: str, value: Any) -> float:
    """Check that an argument is a number between 0 and 1."""
    number = _real(value)
    if 0 < number < 1:
        return number
    msg = f"`{name}` must be a number between 0 and 1; got {brief(value)}."
    raise ValueError(msg)


def check_share(name: str, value: Any, *, zero: bool = False) -> float:
    """Check that an argument is a share, up to 1 and above 0, or from 0 on."""
    number = _real(value)
    if 0 < number <= 1 or (zero and number == 0):
        return number
    rule = "from 0 to 1" if zero else "above 0, up to 1"
    msg = f"`{name}` must be a number {rule}; got {brief(value)}."
    raise ValueError(msg)


def check_undefined(value: Any) -> float | str:
    """Check the answer to give where a metric has no value: a number or "raise"."""
    if isinstance(value, str) and value == "raise":
        return value
    if _is_real(value):
        return _real(value)
    msg = f'`undefined` must be a number or "raise"; got {brief(value)}.'
    raise ValueError(msg)


def check_generator(random_state: Any) -> np.random.Generator:
    """Turn scikit-learn's `random_state` into one generator."""
    source = check_random_state(random_state)
    if isinstance(source, np.random.RandomState):
        source = source.randint(0, 2**32, size=4, dtype=np.uint32)
    return np.random.default_rng(source)


def check_random_state(random_state: Any) -> Any:
    """Check scikit-learn's `random_state`, which is left as it is, or an int."""
    sources = np.random.RandomState | np.random.Generator
    if random_state is None or isinstance(random_state, sources):
        return random_state
    if _is_whole(random_state) and int(random_state) >= 0:
        return int(random_state)
    msg = (
        "`random_state` must be None, a non-negative int, a RandomState or a "
        f"Generator; got {brief(random_state)}."
    )
    raise ValueError(msg)


def check_jobs(n_jobs: Any) -> int | None:
    """Check a number of jobs, whose meaning is joblib's."""
    if n_jobs is None or _is_whole(n_jobs):
        return n_jobs if n_jobs is None else int(n_jobs)
    msg = f"`n_jobs` must be an int or None; got {brief(n_jobs)}."
    raise ValueError(msg)


def is_dask(values: Any) -> bool:
    """Whether something is a collection of dask that has partitions.

    Arrays of xarray, which may hold one, are read as arrays.
    """
    kind = type(values)
    return hasattr(kind, "__dask_graph__") and hasattr(kind, "to_delayed")


def refuse_dask(name: str, values: Any) -> None:
    """Check that a column is in memory, which nothing brings it into unasked."""
    if is_dask(values):
        msg = (
            f"`{name}` must be in memory here, where items are looked at one by one: "
            f"give {name}.compute(); got {type(values).__name__} of dask."
        )
        raise ValueError(msg)


def check_length(name: str, size: int, n_labels: int) -> None:
    """Check that there are as many items as labels."""
    if size != n_labels:
        msg = (
            f"`{name}` must have as many items as `y_true`; got {size} and {n_labels}."
        )
        raise ValueError(msg)


def _is_whole(value: Any) -> bool:
    """Whether it is an int, of Python's or of NumPy's; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_real(value: Any) -> bool:
    """Whether it is a number, of Python's or of NumPy's; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _real(value: Any) -> float:
    """Return the Python number that is meant, or NaN where none is.

    What goes on is no number of NumPy's, which would overflow in a narrow type and
    print its type. Single precision has no 0.07: what prints so is meant to be it.
    """
    if not _is_real(value):
        return math.nan
    try:
        return float(str(value) if isinstance(value, np.floating) else value)
    except OverflowError:  # an int or a fraction beyond all floats
        return math.inf if value > 0 else -math.inf


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
    return _column("y_true", y_true), pos_label


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


def by_position(values: Any) -> Any:
    """What finds the items of a column by their position."""
    return getattr(values, "iloc", values)


def _column(name: str, values: ArrayLike) -> NDArray[Any]:
    """Convert to a non-empty one-dimensional array."""
    if type(values) is not np.ndarray:
        refuse_dask(name, values)
        _refuse_masked(name, values)
    array = np.asarray(values)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)  # a list may have mixed in others
    if array.ndim != 1:
        hint = ""
        if name.startswith("y_score") and array.ndim == 2 and array.shape[1] == 2:
            hint = ", as the column y_score[:, i] of the target class"
        got = f"shape {array.shape}" if array.ndim else type(values).__name__
        msg = f"`{name}` must be one-dimensional{hint}; got {got}."
        raise ValueError(msg)
    if array.size == 0:
        msg = f"`{name}` must hold at least one item; got an empty list."
        raise ValueError(msg)
    return array


def _refuse_masked(name: str, values: ArrayLike) -> None:
    if np.ma.is_masked(values):
        msg = f"`{name}` must have no masked items; got some."
        raise ValueError(msg)


def _numeric(name: str, values: ArrayLike) -> NDArray[Any]:
    """Convert to a column of real numbers; nullable columns come in as objects."""
    array = _column(name, values)
    if array.dtype.kind == "O":
        values = array.tolist()
        array = np.array(values)
    if array.dtype.kind not in "biuf":
        msg = (
            f"`{name}` must hold real numbers, none missing; got {array.dtype} values "
            f"like {brief(_plain(array[0]))}."
        )
        raise ValueError(msg)
    if not hasattr(values, "dtype"):
        _refuse_rounded(name, values, array)
    return array.astype(_ordered_type(array.dtype), copy=False)


def _refuse_rounded(name: str, values: Any, array: NDArray[Any]) -> None:
    """Refuse integers of a list that are others as the floats they were turned into."""
    large = np.abs(array) >= 2.0**53 if array.dtype.kind == "f" else []
    for i in np.flatnonzero(large).tolist():
        if isinstance(values[i], Integral) and int(values[i]) != int(array[i]):
            msg = (
                f"`{name}` must hold integers that keep their value in the common type "
                f"of all; got {values[i]} where that is {array.dtype}."
            )
            raise ValueError(msg)


def _ordered_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the same numbers that is sorted as they are, and fast.

    In half precision -0.0 and 0.0 upset the sort of some processors; numbers in another
    order of bytes are sorted one by one.
    """
    native = dtype.newbyteorder("=")
    return np.dtype(np.float32) if native == np.float16 else native


def _check_weight(
    sample_weight: ArrayLike, labels: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Weights are finite, not negative, and not all zero; None if all are 1."""
    weight = _numeric("sample_weight", sample_weight).astype(np.float64, copy=False)
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


def _plain(value: Any) -> Any:
    """Turn a NumPy scalar into what prints as the user wrote it."""
    return value.item() if isinstance(value, np.generic) else value


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
    others = f"{brief(_plain(other))} and {brief(_plain(unlike))}"
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
