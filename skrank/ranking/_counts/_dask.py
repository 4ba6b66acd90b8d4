"""Both passes over the partitions of dask collections.

A partition is a chunk. Only counts and samples are transferred, and merged as a tree;
the items stay on their workers. If the samples have all scores, as up to 2**20 items,
there is no second pass. Dask is imported when one of its collections is given, and the
caller's scheduler is used.
"""

from typing import Any, TypeAlias

import numpy as np

from skrank._utils._checks import invalid
from skrank._utils._columns import check_index, is_dask
from skrank.ranking._counts._passes import FirstPass, Plan, SecondPass

Start: TypeAlias = int | Plan  # number of items that a first pass should expect, or 0


def count_partitions(y_true: Any, y_score: Any, pos_label: object) -> SecondPass:
    """Count partitions in two passes, or in one if that has kept all scores."""
    try:
        parts, n_expected = _partitions(y_true, y_score)
        first: FirstPass = _counted(n_expected, parts, pos_label)
        plan = first.plan(pos_label)
        second = first.second(plan)
        if second is None:
            second = _counted(plan, parts, pos_label)
    except Exception as error:
        error.add_note("skrank counted partitions by dask, on the active scheduler.")
        raise
    return second


def _counted(start: Start, partitions: list[tuple[Any, Any]], pos_label: object) -> Any:
    """Return the merged counts of all partitions in one pass."""
    from dask import compute, delayed

    shared = delayed(start, traverse=False)
    parts = [delayed(_count, pure=False)(shared, pos_label, *one) for one in partitions]
    while len(parts) > 1:  # with four at once, the tree is half as deep again
        parts = [
            delayed(_merge, pure=False)(shared, parts[i : i + 8])
            for i in range(0, len(parts), 8)
        ]
    return compute(parts[0])[0]


def _blank(start: Start) -> Any:
    """Return a pass that has counted nothing."""
    return SecondPass(start) if isinstance(start, Plan) else FirstPass(start)


def _count(start: Start, pos_label: object, y_true: Any, y_score: Any) -> Any:
    """Count one partition."""
    counted = _blank(start)
    counted.count(y_true, y_score, pos_label)
    return counted


def _merge(start: Start, parts: list[Any]) -> Any:
    """Merge the counts of some partitions without changing them."""
    total = _blank(start)
    for part in parts:
        total.merge(part)
    return total


def _partitions(y_true: Any, y_score: Any) -> tuple[list[tuple[Any, Any]], int]:
    """Return the partitions of both columns, and their number of items or 0."""
    n_samples = 0
    if not (hasattr(y_true, "to_dask_array") and hasattr(y_score, "to_dask_array")):
        y_true, y_score = _arrays(y_true, y_score)
        n_samples = int(y_score.shape[0])
    labels, scores = (list(np.ravel(one.to_delayed())) for one in (y_true, y_score))
    if len(labels) != len(scores):
        raise _split(f"{len(scores)} and {len(labels)} partitions")
    return list(zip(labels, scores, strict=True)), n_samples


def _arrays(y_true: Any, y_score: Any) -> tuple[Any, Any]:
    """Return dask arrays with the same chunks, if the columns are not two of frames."""
    import dask.array as da

    indexed = [  # one may be of pandas
        one.index.compute().to_series() if hasattr(one, "to_dask_array") else one
        for one in (y_score, y_true)
    ]
    check_index("y_score", *indexed)
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
