"""Columns of any library as one-dimensional arrays of NumPy."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._text import brief


def check_numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Check that an argument is a finite number, or an array of them."""
    array = np.asarray(values)
    kind, width = array.dtype.kind, array.dtype.itemsize
    if kind in "iuf":
        meant = (
            array.astype(str) if kind == "f" and width < 8 else array
        )  # as `real_number`
        with np.errstate(over="ignore"):  # the infinite is refused
            numbers = meant.astype(np.float64)
        if np.all(np.isfinite(numbers)):
            return numbers
    msg = f"`{name}` must be a finite number or an array of them; got {brief(values)}."
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


def refuse_lazy(name: str, values: Any) -> None:
    """Check that a table is no plan of one, as those of polars and duckdb may be."""
    if hasattr(type(values), "collect") and not hasattr(values, "__array__"):
        msg = (
            f"`{name}` must be in memory: give {name}.collect(); got "
            f"{type(values).__name__}."
        )
        raise ValueError(msg)


def check_length(name: str, size: int, n_labels: int) -> None:
    """Check that there are as many items as labels."""
    if size != n_labels:
        msg = (
            f"`{name}` must have as many items as `y_true`; got {size} and {n_labels}."
        )
        raise ValueError(msg)


def check_index(name: str, values: Any, y_true: Any) -> None:
    """Check that two columns of pandas have their items in one order."""
    columns = values, y_true
    if not all(hasattr(one, "iloc") and hasattr(one, "index") for one in columns):
        return
    index, expected = values.index, y_true.index
    if len(index) == len(expected) and not index.equals(expected):
        # as they print: labels of unlike kinds need not compare
        printed = (map(brief, map(plain_value, labels)) for labels in (index, expected))
        pairs = enumerate(zip(*printed, strict=True))
        first = next((i for i, (one, other) in pairs if one != other), 0)
        got = [brief(plain_value(labels[first])) for labels in (index, expected)]
        msg = (
            f"`{name}` must have the index of `y_true`, if both are of pandas; got "
            f"{' and '.join(got)} at position {first}. Align them, or give "
            f"{name}.to_numpy() to go by position."
        )
        raise ValueError(msg)


def by_position(values: Any) -> Any:
    """What finds the items of a column by their position."""
    return getattr(values, "iloc", values)


def as_column(name: str, values: ArrayLike) -> NDArray[Any]:
    """Convert to a non-empty one-dimensional array."""
    if type(values) is not np.ndarray:
        refuse_dask(name, values)
        refuse_lazy(name, values)
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


def as_numbers(name: str, values: ArrayLike) -> NDArray[Any]:
    """Convert to a column of real numbers; nullable columns come in as objects."""
    array = as_column(name, values)
    if array.dtype.kind == "O":
        values = array.tolist()
        array = np.array(values)
    if array.dtype.kind not in "biuf":
        msg = (
            f"`{name}` must hold real numbers, none missing; got {array.dtype} values "
            f"like {brief(plain_value(array[0]))}."
        )
        raise ValueError(msg)
    if not hasattr(values, "dtype"):
        _refuse_rounded(name, values, array)
    return array.astype(ordered_type(array.dtype), copy=False)


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


def ordered_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the same numbers that is sorted as they are, and fast.

    In half precision -0.0 and 0.0 upset the sort of some processors; numbers in another
    order of bytes are sorted one by one.
    """
    native = dtype.newbyteorder("=")
    return np.dtype(np.float32) if native == np.float16 else native


def plain_value(value: Any) -> Any:
    """Turn a NumPy scalar into what prints as the user wrote it."""
    return value.item() if isinstance(value, np.generic) else value
