"""Scores of several models: a mapping, a data frame, or columns of an array."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._columns import Items, as_column, has_index
from skrank._utils._text import brief, listed
from skrank.ranking._input import check_last, read_scores

#: Name of a model that has none.
MODEL = "model"

#: What a table holds and the number of its rows, by the name of the argument.
_CONTENTS = {"y_score": ("scores", "n_samples"), "values": ("values", "n_values")}


def is_table(y_score: Any) -> bool:
    """Whether these are the scores of several models, and not of one."""
    if isinstance(y_score, Mapping):
        return True
    shape: tuple[Any, ...] = getattr(y_score, "shape", ())
    named = hasattr(y_score, "columns") or hasattr(y_score, "column_names")
    return len(shape) == 2 and (named or shape[1] != 1)


def lower_columns(lower_is_better: Any, names: Iterable[Any]) -> list[Any]:
    """Return the columns in which lower scores are better."""
    by_text = {str(name): name for name in names}
    if isinstance(lower_is_better, bool | np.bool_):
        return list(by_text.values()) if lower_is_better else []
    given = [lower_is_better] if np.ndim(lower_is_better) == 0 else [*lower_is_better]
    unknown = [name for name in map(str, given) if name not in by_text]
    if unknown:
        rule = f"be True, False or names of {listed([*by_text], 5)}"
        raise invalid("lower_is_better", rule, brief(unknown[0]))
    return [by_text[name] for name in dict.fromkeys(map(str, given))]


def scores_by_name(
    y_score: Any, lower_is_better: Any, missing: str = "error"
) -> tuple[dict[Any, NDArray[Any]], Items]:
    """Return checked scores without labels, where more is better, and their items."""
    models, names = models_by_name(y_score)
    lower = lower_columns(lower_is_better, models)
    first = next((one for one in models if has_index(models[one])), next(iter(models)))
    index = models[first].index if has_index(models[first]) else None
    size = as_column(names[first], models[first]).size
    if len(models) > size:
        rule = "have a row for each item and a column for each model"
        raise invalid("y_score", rule, f"{size} rows and {len(models)} columns")
    of_items, scores = Items(size, index, names[first]), {}
    given = {"missing": check_last(missing)}
    for name, one in models.items():
        low = name in lower
        scores[name], _ = read_scores(
            of_items, names[name], one, lower_is_better=low, **given
        )
    return scores, of_items


def models_by_name(y_score: Any) -> tuple[dict[Any, Any], dict[Any, str]]:
    """Return the scores of one model or several, and what they are called in errors."""
    if not is_table(y_score):
        return {MODEL: y_score}, {MODEL: "y_score"}
    models = columns_by_name(y_score)
    return models, {name: f"y_score[{brief(name)}]" for name in models}


def columns_by_name(y_score: Any) -> dict[Any, Any]:
    """Return scores of several rankings from a mapping, a data frame or an array."""
    columns = named_columns("y_score", y_score)
    if not isinstance(y_score, Mapping):
        _check_no_probabilities([np.asarray(one) for one in columns.values()])
    return columns


def named_columns(name: str, columns: Any) -> dict[Any, Any]:
    """Return the columns of an argument: a mapping, a data frame or an array.

    Each column is converted separately. A table that is converted to one array would
    have one type for all columns: large integers would lose digits, and labels could
    pass as scores.
    """
    by_name = isinstance(columns, Mapping) or hasattr(columns, "columns")
    table = columns if by_name else _numbered_columns(name, columns)
    # iteration over pyarrow's tables gives columns and not names
    names = list(getattr(table, "column_names", getattr(table, "columns", table)))
    if len(set(map(str, names))) < len(names):
        raise invalid(name, "have different names, also as text", brief(names))
    if not names:
        raise invalid(name, "contain 1 or more rankings", str(len(names)))
    return {one: table[one] for one in names}


def _numbered_columns(name: str, columns: Any) -> dict[int, NDArray[Any]]:
    """Return columns of an array; lists are refused, as they may contain rows."""
    is_array = hasattr(columns, "__array__")
    array = np.asarray(columns, dtype=None if is_array else object)
    if not is_array or array.ndim != 2:
        what, size = _CONTENTS[name]
        rule = (
            f"be a mapping from names to {what}, a data frame or an array of shape "
            f"({size}, n_rankings), as np.column_stack makes of vectors"
        )
        got = f"{type(columns).__name__} of shape {array.shape}"
        raise invalid(name, rule, got)
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
        raise invalid("y_score", rule, "two columns that sum to 1")
