"""Tables of values that were computed elsewhere, of several models."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_count, check_positive, invalid
from skrank._utils._columns import (
    Items,
    as_column_with_gaps,
    as_numbers,
    check_numbers,
    has_index,
    plain_value,
)
from skrank._utils._text import brief, listed
from skrank._utils._warnings import warn
from skrank.inference.variability._clusters import Codes
from skrank.ranking._score_table import named_columns

Floats = NDArray[np.float64]

# Squares of larger values may overflow.
_LARGEST = 1e100


class ValueTable(NamedTuple):
    """Values of shape (n_rows, n_models), with the labels of the rows.

    Rows that are folds have a `ratio` of test items to training items above 0, and the
    number of the `repetition` of each.
    """

    names: tuple[Any, ...]
    labels: tuple[Any, ...]
    values: Floats
    ratio: float
    repetition: Codes


def read_values(values: Any, ratio: Any, n_repeats: Any) -> ValueTable:
    """Return a checked table without the rows that have a gap."""
    columns = named_columns("values", values)
    names = tuple(columns)
    if len(names) < 2:
        raise invalid("values", "contain values of 2 or more models", str(len(names)))
    called = {name: f"values[{brief(name)}]" for name in names}
    first = next((name for name in names if has_index(columns[name])), names[0])
    index = columns[first].index if has_index(columns[first]) else None
    n = as_column_with_gaps(called[first], columns[first])[1].size
    rows = Items(n, index, called[first])
    table = np.stack(
        [rows.read(called[name], columns[name], _with_gaps) for name in names], axis=1
    )
    if isinstance(values, np.ndarray) and n < len(names):
        rule = "have a row for each fold, data set or seed, and a column for each model"
        advice = (
            "If there are more models than rows, pass a mapping from names to values."
        )
        raise invalid("values", rule, f"shape {values.shape}", advice)
    labels = list(range(n)) if index is None else [plain_value(one) for one in index]
    known = ~np.isnan(table).any(axis=1)
    left_out = [labels[i] for i in np.flatnonzero(~known)]
    if n - len(left_out) < 2:
        rule = "have 2 or more rows in which each model has a value"
        raise invalid("values", rule, f"{n - len(left_out)} of {n}")
    if left_out:
        warn(
            f"Rows in which a model has no value are left out, {len(left_out)} of {n}: "
            f"{listed([*map(brief, left_out)], 5)}. If a model failed there, use the "
            "value of a failure, such as 0.",
            UserWarning,
        )
    if ratio is not None and check_positive("ratio", ratio) > 1:
        warn(
            f"`ratio` is {brief(ratio)}, the number of test items for each training "
            "item. Five folds have 1/4.",
            UserWarning,
        )
    return ValueTable(
        names,
        tuple(labels[i] for i in np.flatnonzero(known)),
        table[known],
        0.0 if ratio is None else check_positive("ratio", ratio),
        _repetitions(n, ratio, n_repeats)[known],
    )


def _repetitions(n: int, ratio: Any, n_repeats: Any) -> Codes:
    """Return the number of the repetition of each fold."""
    repeats = check_count("n_repeats", n_repeats, least=1)
    if repeats > 1 and ratio is None:
        raise invalid("n_repeats", "be 1 without `ratio`", str(repeats))
    if n % repeats or (repeats > 1 and n < 2 * repeats):
        rule = f"divide the {n} rows into repetitions of two folds or more"
        raise invalid("n_repeats", rule, str(repeats))
    return np.arange(n) // (n // repeats)


def _with_gaps(name: str, column: Any) -> Floats:
    """Return finite numbers, and NaN where they are missing."""
    known, column = as_column_with_gaps(name, column)
    found = np.full(known.size, np.nan)
    if known.any():
        numbers = check_numbers(name, as_numbers(name, column[known]))
        if abs(numbers).max() > _LARGEST:
            rule = f"be at most {_LARGEST:g} in size, as their squares are summed"
            raise invalid(name, rule, brief(abs(numbers).max().item()))
        found[known] = numbers
    return found
