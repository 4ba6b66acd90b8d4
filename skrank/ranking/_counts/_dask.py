"""Both passes over the partitions of dask collections.

A partition is a chunk. Only counts are transferred, and merged as a tree; the items
stay on their workers. Dask is imported when one of its collections is given, and the
caller's scheduler is used.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from skrank._utils._checks import invalid
from skrank._utils._columns import is_dask
from skrank.ranking._counts._passes import FirstPass, Plan, SecondPass

Start: TypeAlias = int | Plan  # number of items that a first pass should expect, or 0


def count_partitions(
    y_true: Any, y_scores: Sequence[Any], pos_label: object
) -> list[SecondPass]:
    """Count partitions in two passes, for each column of scores."""
    try:
        parts, n_expected = _partitions([y_true, *y_scores])
        blank: list[Start] = [n_expected for _ in y_scores]
        first = _counted(blank, parts, pos_label)
        second = _counted([one.plan() for one in first], parts, pos_label)
    except Exception as error:
        error.add_note("skrank counted partitions by dask, on the active scheduler.")
        raise
    return second


def _counted(
    starts: list[Start], partitions: list[tuple[Any, ...]], pos_label: object
) -> list[Any]:
    """Return the merged counts of all partitions in one pass."""
    from dask import compute, delayed

    shared = delayed(starts, traverse=False)
    parts = [delayed(_count, pure=False)(shared, pos_label, *one) for one in partitions]
    while len(parts) > 1:  # with four at once, the tree is half as deep again
        parts = [
            delayed(_merge, pure=False)(shared, parts[i : i + 8])
            for i in range(0, len(parts), 8)
        ]
    counted: list[Any] = compute(parts[0])[0]
    return counted


def _blank(starts: list[Start]) -> list[Any]:
    """Return passes that have counted nothing."""
    return [
        SecondPass(start) if isinstance(start, Plan) else FirstPass(start)
        for start in starts
    ]


def _count(
    starts: list[Start], pos_label: object, y_true: Any, *y_scores: Any
) -> list[Any]:
    """Count one partition."""
    counted = _blank(starts)
    for one, y_score in zip(counted, y_scores, strict=True):
        one.add(y_true, y_score, pos_label)
    return counted


def _merge(starts: list[Start], parts: list[list[Any]]) -> list[Any]:
    """Merge the counts of some partitions without changing them."""
    total = _blank(starts)
    for part in parts:
        for one, other in zip(total, part, strict=True):
            one.merge(other)
    return total


def _partitions(columns: list[Any]) -> tuple[list[tuple[Any, ...]], int]:
    """Return the partitions of all columns, and their number of items or 0."""
    n_samples = 0
    if not all(hasattr(column, "to_dask_array") for column in columns):
        columns = list(_arrays(*columns))
        n_samples = int(columns[0].shape[0])
    labels, *scores = (list(np.ravel(column.to_delayed())) for column in columns)
    if len(labels) != len(scores[0]):
        raise _split(f"{len(scores[0])} and {len(labels)} partitions")
    return list(zip(labels, *scores, strict=True)), n_samples


def _arrays(y_true: Any, y_score: Any) -> tuple[Any, Any]:
    """Return dask arrays with the same chunks, if the columns are not two of frames."""
    import dask.array as da

    columns = []
    for name, values in (("y_true", y_true), ("y_score", y_score)):
        if hasattr(values, "to_dask_array"):
            values = values.to_dask_array(lengths=True)
        array = da.asarray(values)
        if array.ndim != 1:
            rule = "be one-dimensional, an array or a column"
            raise invalid(name, rule, type(values).__name__)
        if np.isnan(array.shape[0]):
            array = array.compute_chunk_sizes()
        columns.append(array)
    labels, scores = columns
    if labels.shape != scores.shape:
        raise _split(f"{scores.shape[0]} and {labels.shape[0]} items")
    if is_dask(y_score):
        return labels.rechunk(scores.chunks), scores
    return labels, scores.rechunk(labels.chunks)


def _split(got: str) -> ValueError:
    rule = (
        "be split into the same partitions as `y_true`, as columns of one data frame "
        "are"
    )
    return invalid("y_score", rule, got)
