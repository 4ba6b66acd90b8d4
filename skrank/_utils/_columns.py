"""Convert columns of any data frame library to one-dimensional NumPy arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import indexable

from skrank._utils._checks import invalid
from skrank._utils._text import brief, listed


def check_numbers(
    name: str, values: ArrayLike, *, finite: bool = True
) -> NDArray[np.float64]:
    """Check that an argument is a number, or an array of them."""
    array = np.asarray(values)
    if array.dtype.kind in "iuf":
        # a narrow float becomes the number that it prints as, see `real_number`
        narrow = array.dtype.kind == "f" and array.dtype.itemsize < 8
        with np.errstate(over="ignore"):  # infinite values raise an error
            numbers = (array.astype(str) if narrow else array).astype(np.float64)
        if not finite or np.all(np.isfinite(numbers)):
            return numbers
    kind = "finite number" if finite else "number"
    raise invalid(name, f"be a {kind} or an array of them", brief(values))


def is_dask(values: Any) -> bool:
    """Whether a value is a dask collection with partitions.

    Arrays of xarray, which may contain one, are read as arrays.
    """
    kind = type(values)
    return hasattr(kind, "__dask_graph__") and hasattr(kind, "to_delayed")


def refuse_dask(name: str, values: Any) -> None:
    """Raise an error for a dask column, which must not be loaded without a request."""
    if is_dask(values):
        rule = (
            f"be in memory here, where single items are needed: pass {name}.compute()"
        )
        raise invalid(name, rule, f"{type(values).__name__} of dask")


def check_length(name: str, size: int, n_labels: int, of: str = "y_true") -> None:
    """Check that the numbers of items and of labels are equal."""
    if size != n_labels:
        raise invalid(name, f"have as many items as `{of}`", f"{size} and {n_labels}")


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The items that a column must fit: their number, and their index in pandas.

    They are those of the argument `of`.
    """

    size: int
    index: Any = None
    of: str = "y_true"

    def read(self, name: str, values: Any, convert: Callable[..., Any]) -> Any:
        """Return a column with a value for each item, as `convert` reads it.

        All arguments with a value for each item are read here. They must have the index
        of the labels, if both have one, and as many values as there are labels.
        """
        if has_index(values):
            _check_same_index(name, values.index, self.index, self.of)
        found = convert(name, values)
        size = len(found[1] if isinstance(found, tuple) else found)
        check_length(name, size, self.size, self.of)
        return found


def items_of(y_true: Any, size: int) -> Items:
    """Return the number of the labels, and their index."""
    return Items(size, y_true.index if has_index(y_true) else None)


def check_index(name: str, values: Any, y_true: Any) -> None:
    """Check that two columns of pandas have the same index."""
    if has_index(values) and has_index(y_true):
        _check_same_index(name, values.index, y_true.index)


def _check_same_index(name: str, index: Any, expected: Any, of: str = "y_true") -> None:
    if expected is None:
        return
    if len(index) == len(expected) and not index.equals(expected):
        # as text, because labels of different types cannot be compared
        pairs = [
            tuple(brief(plain_value(label)) for label in pair)
            for pair in zip(index, expected, strict=True)
        ]
        first = next((i for i, (one, other) in enumerate(pairs) if one != other), 0)
        raise invalid(
            name,
            f"have the index of `{of}`, if both have one, as in pandas",
            f"{' and '.join(pairs[first])} at position {first}",
            "Align them, or convert the labels by to_numpy() to go by position.",
        )


def check_order(values: Any, y_true: Any) -> None:
    """Check that the rows of `X` and the labels do not have one index in two orders.

    Different labels are accepted, because scikit-learn goes by position.
    """
    if has_index(values) and has_index(y_true):
        index, expected = values.index, y_true.index
        same = index.equals(expected) or len(index) != len(expected)
        if not same and index.isin(expected).all():
            _check_same_index("X", index, expected)


def has_index(values: Any) -> bool:
    """Whether a column is one of pandas, whose items have labels."""
    return hasattr(values, "iloc") and hasattr(values, "index") and not is_dask(values)


def by_position(values: Any) -> Any:
    """Return the object that selects items of a column by position."""
    return getattr(values, "iloc", values)


def is_column(values: Any) -> bool:
    """Whether values are several, and not one number or text."""
    several = hasattr(values, "__len__") and not isinstance(values, str | bytes)
    return several and getattr(values, "ndim", 1) > 0


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Convert to an array; raise an error for arrays that only a device can read."""
    if type(values) is not np.ndarray and np.ma.is_masked(values):
        raise invalid(name, "have no masked items", "some")
    try:
        return np.asarray(values)
    except Exception as error:  # of any library that made the values
        rule = "be one-dimensional, and readable by numpy.asarray"
        if isinstance(error, TypeError):  # torch and CuPy on a GPU
            rule = f"be in host memory, as np.asarray({name}.cpu()) is"
        raise invalid(name, rule, f"{type(values).__name__}: {error}") from error


def rows(X: Any, index: NDArray[np.intp]) -> Any:  # noqa: N803
    """Select items by position from all that `cross_validate` takes."""
    items = indexable(X)[0]  # sparse matrices of some kinds cannot be sliced
    if hasattr(items, "column_names"):  # tables of Arrow
        return items.take(index)
    if hasattr(items, "iloc"):
        return items.iloc[index]
    return items[index] if hasattr(items, "shape") else [items[i] for i in index]


def as_column(name: str, values: ArrayLike) -> NDArray[Any]:
    """Convert to a non-empty one-dimensional array; a single column is taken."""
    if type(values) is not np.ndarray:
        refuse_dask(name, values)
    array = as_array(name, values)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)  # a list may have other values as well
    if array.ndim == 2 and array.shape[1] == 1:  # as scikit-learn takes it
        array = array[:, 0]
    if array.ndim != 1:
        hint = ""
        if array.ndim == 2 and array.shape[1] == 2 and name.startswith("y_score"):
            hint = ", as the column y_score[:, i] of the target class"
        got = f"shape {array.shape}" if array.ndim else type(values).__name__
        raise invalid(name, f"be one-dimensional{hint}", got)
    if array.size == 0:
        raise invalid(name, "contain at least one item", "none")
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of texts: the distinct ones, and the index of each item's text."""

    distinct: NDArray[Any]
    codes: NDArray[np.intp]

    @property
    def size(self) -> int:
        """Number of items."""
        return self.codes.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the column as an array."""
        return self.distinct.dtype


def as_labels(name: str, values: Any) -> NDArray[Any] | Texts:
    """Convert to an array, or to codes of texts if pandas has them.

    These are categories and texts of Arrow, of which an array would have an object for
    each item. Columns with missing values become arrays.
    """
    dtype: Any = getattr(values, "dtype", None)
    of_texts = getattr(dtype, "categories", values)
    if isinstance(dtype, np.dtype) or not (
        hasattr(values, "factorize") and of_texts.dtype.kind in "OU"
    ):
        return as_column(name, values)
    codes, distinct = (as_array(name, part) for part in values.factorize())
    are_texts = all(isinstance(one, str) for one in distinct.tolist())
    if not are_texts or codes.size == 0 or codes.min() < 0:
        return as_column(name, values)
    return Texts(distinct.astype(object), codes)


def as_numbers(name: str, values: Any, advice: str = "") -> NDArray[Any]:
    """Convert to a column of float32, float64, integers or booleans.

    Other floats become float64; bfloat16, which NumPy does not have, becomes float32.
    Nullable columns are given as objects. The advice is for missing numbers.
    """
    if "bfloat16" in str(getattr(values, "dtype", "")):  # of torch, or of JAX
        values = values.float() if hasattr(values, "float") else values.astype("f4")
    array = as_column(name, values)
    if array.dtype.kind == "O":
        values = list(map(plain_value, array.tolist()))
        for i, one in enumerate(values):
            if not isinstance(one, Decimal | Real):
                got = f"{brief(one)} at position {i}"
                said = advice if _is_missing(one) else ""
                raise invalid(name, "contain real numbers, none missing", got, said)
        if any(isinstance(one, Decimal) for one in values):
            return _as_floats(name, values)
        array = np.array(values)
    if array.dtype.kind not in "biuf":
        got = f"{array.dtype} values like {brief(plain_value(array[0]))}"
        raise invalid(name, "contain real numbers, none missing", got)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        return _as_floats(name, array)
    if array.dtype.kind == "f" and array.dtype.itemsize < 4:
        return array.astype(np.float64)
    if isinstance(values, list | tuple) and array.dtype.kind == "f":
        for i in np.flatnonzero(abs(array) >= 2.0**53).tolist():
            one = plain_value(values[i])
            if isinstance(one, Integral) and int(one) != int(array[i]):
                rule = (
                    "contain integers that keep their value in the common type of all"
                )
                raise invalid(name, rule, f"{one} where that is {array.dtype}")
    if not array.dtype.isnative:  # these would be sorted one by one
        return array.astype(array.dtype.newbyteorder("="))
    return array


def as_amounts(name: str, values: Any) -> NDArray[np.float64]:
    """Convert to a column of finite numbers of at least 0."""
    array = as_numbers(name, values)
    if array.dtype.kind == "b":
        raise invalid(name, "contain real numbers, none missing", "booleans")
    amounts = np.asarray(array, dtype=np.float64)
    is_bad = ~np.isfinite(amounts)
    if is_bad.any():
        got = f"{is_bad.sum()} of {is_bad.size} that are not, the first at position "
        raise invalid(name, "be finite", f"{got}{is_bad.argmax()}")
    if amounts.min() < 0:
        raise invalid(name, "be 0 or more", brief(amounts.min().item()))
    return amounts


def _as_floats(name: str, values: Any) -> NDArray[np.float64]:
    """Convert decimals or wide floats, unless different ones would become equal."""
    with np.errstate(over="ignore"):  # infinite values raise an error
        floats = np.array(values, dtype=np.float64)
    lost = len(set(values)) - len(set(floats.tolist()))
    if lost > 0 and not np.isnan(floats).any():
        rule = "contain numbers that stay different in double precision"
        raise invalid(name, rule, f"{lost} that do not")
    return floats


def factorize(name: str, labels: ArrayLike) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct labels, sorted, and the index of each item's label.

    Lists and columns of objects keep their values: in a NumPy array large integers may
    become floats, and texts lose null characters at their end.
    """
    array = labels if isinstance(labels, Texts) else as_labels(name, labels)
    if isinstance(array, Texts):
        distinct, rank = factorize(name, array.distinct)
        return distinct, rank.take(array.codes)
    if array.dtype.kind in "OU":
        few = _few_texts(array)
        if few is not None:
            return few
    if isinstance(labels, list | tuple) or array.dtype.kind == "O":
        items = array.tolist()
        if isinstance(labels, list | tuple):
            nested = isinstance(labels[0], list | tuple)  # a single column
            items = [one for (one,) in labels] if nested else labels
        distinct = _distinct(items)
        if not distinct and any(map(_is_tensor, set(map(type, items)))):
            items = list(map(plain_value, items))  # a tensor's hash is no value
            distinct = _distinct(items)
        if not distinct:
            raise mixed(name, items)
        code = {label: number for number, label in enumerate(distinct)}
        codes = np.fromiter(map(code.__getitem__, items), np.intp, len(items))
        return [plain_value(label) for label in distinct], codes
    if array.dtype.kind in "fmM" and np.any(array != array):  # NaN and NaT
        raise mixed(name, array.tolist())
    if array.dtype.kind not in "biufmMUS":
        raise invalid(name, "contain labels", f"values of {array.dtype}")
    low, high = (array.min(), array.max()) if array.dtype.kind in "iu" else (0, 0)
    if 0 < int(high) - int(low) < 4 * array.size:  # a table is faster than a sort
        kind = array.dtype if array.dtype.kind == "u" else np.intp  # no overflow
        codes = np.subtract(array, low, dtype=kind).astype(np.intp)
        present = np.bincount(codes) > 0
        if not present.all():
            codes = (present.cumsum() - 1).take(codes)
        return (present.nonzero()[0].astype(kind) + low).tolist(), codes
    is_first = np.append(True, array[1:] != array[:-1])  # of a run, such as a day
    found, codes = array[is_first], is_first.cumsum() - 1
    if np.any(found[1:] < found[:-1]):
        found, rank = np.unique(found, return_inverse=True)
        codes = rank.take(codes)
    if array.dtype == "M8[ns]":  # Python does not have these types
        found = found.astype("M8[us]")
    return found.tolist(), codes


def _few_texts(array: NDArray[Any]) -> tuple[list[str], NDArray[np.intp]] | None:
    """Return up to three texts, sorted, and the index of each item's text.

    The result is None for other labels. A comparison of all items with one text takes a
    sixth of the time of codes by hash.
    """
    some = array[:: array.size // 100 + 1].tolist()
    if not all(isinstance(one, str) for one in some) or len(set(some)) > 3:
        return None
    found: list[str] = []
    codes, places = np.zeros(array.size, dtype=np.intp), np.arange(array.size)
    while array.size:
        label = plain_value(array[0])
        if len(found) == 3 or not isinstance(label, str):
            return None
        try:
            others = np.flatnonzero(array != label)
        except (TypeError, ValueError):  # NA of pandas, or arrays
            return None
        found.append(label)
        array, places = array[others], places[others]
        codes[places] = len(found)
    rank = np.argsort(np.argsort(found))
    return sorted(found), rank.take(codes)


def _distinct(items: Sequence[Any]) -> list[Any]:
    """Return the distinct labels, sorted; none if some are missing, or no labels."""
    try:
        found = dict.fromkeys(items)
        if any(_is_tensor(type(one)) or one is None or one != one for one in found):
            return []
        return sorted(found)
    except TypeError:  # labels that cannot be compared, or cannot be keys
        return []


def mixed(name: str, labels: Sequence[Any]) -> ValueError:
    """Return the error for missing labels, or labels of several kinds."""
    missing = np.flatnonzero([_is_missing(label) for label in labels]).tolist()
    if missing:
        got = f"{len(missing)} missing, the first at position {missing[0]}"
    else:
        got = f"labels of {listed(sorted({type(one).__name__ for one in labels}), 5)}"
    advice = (
        "If only a sample of the items is labelled, see SampledMetricInterval, and "
        "pass the `strata` of the sample."
    )
    is_sample = missing and name == "y_true"
    rule = "contain labels of one kind, none missing"
    return invalid(name, rule, got, advice if is_sample else "")


def as_column_with_gaps(
    name: str, values: Any
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Return which values of a column are there, and the column."""
    # nullable arrays of pandas have masks
    column = np.asarray(values, dtype=object) if hasattr(values, "isna") else values
    column = as_column(name, column)
    return ~is_missing(column), column


def is_missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether each value of a column is missing."""
    if array.dtype.kind == "O":
        return np.fromiter(map(_is_missing, array.tolist()), bool, array.size)
    found: NDArray[np.bool_] = array != array
    return found


def _is_missing(value: Any) -> bool:
    """Whether a value is None, or the NaN, NaT or NA of pandas."""
    texts = ("None", "nan", "NaN", "NaT", "<NA>")
    return not isinstance(value, str) and str(value) in texts


def _is_tensor(kind: type) -> bool:
    return hasattr(kind, "__array__") and not issubclass(kind, np.generic)


def plain_value(value: Any) -> Any:
    """Convert a NumPy scalar, or a tensor of one value, to a Python value."""
    array = np.asarray(value) if hasattr(value, "__array__") else None
    return value if array is None or array.size != 1 else array.item()
