"""Count a data set that is spread over the partitions of dask, where they are.

Partitions are the chunks. What moves is what was counted of them, which is merged as a
tree; the items stay. Dask is loaded when one of its collections is given, and computes
on the caller's scheduler.
"""

from typing import Any

import numpy as np

from skrank._utils._checks import invalid
from skrank._utils._columns import is_dask
from skrank.ranking._counts._passes import FirstPass, Plan, SecondPass


def count_partitions(y_true: Any, y_score: Any, pos_label: object) -> SecondPass:
    """Take partitions through both passes."""
    try:
        pairs, n_expected = _partitions(y_true, y_score)
        first: FirstPass = _counted(n_expected, pairs, pos_label)
        second: SecondPass = _counted(first.plan(), pairs, pos_label)
    except Exception as error:
        error.add_note("skrank counted partitions by dask, on the active scheduler.")
        raise
    return second


def _counted(start: int | Plan, pairs: list[tuple[Any, Any]], pos_label: object) -> Any:
    """What is counted of all partitions by one pass, merged."""
    from dask import compute, delayed

    shared = delayed(start, traverse=False)
    parts = [delayed(_count, pure=False)(shared, *pair, pos_label) for pair in pairs]
    while len(parts) > 1:  # eight at once; by four the tree is half as deep again
        parts = [
            delayed(_merge, pure=False)(shared, parts[i : i + 8])
            for i in range(0, len(parts), 8)
        ]
    return compute(parts[0])[0]


def _blank(start: int | Plan) -> Any:
    """Return a pass that has counted nothing."""
    return SecondPass(start) if isinstance(start, Plan) else FirstPass(start)


def _count(start: int | Plan, y_true: Any, y_score: Any, pos_label: object) -> Any:
    """Count one partition."""
    counted = _blank(start)
    counted.add(y_true, y_score, pos_label)
    return counted


def _merge(start: int | Plan, parts: list[Any]) -> Any:
    """Merge what was counted of some partitions; it is left as it was."""
    total = _blank(start)
    for part in parts:
        total.merge(part)
    return total


def _partitions(y_true: Any, y_score: Any) -> tuple[list[tuple[Any, Any]], int]:
    """Pair the partitions, and say how many items they hold, if that is known."""
    columns = [y_true, y_score]
    n_samples = 0
    if not all(hasattr(column, "to_dask_array") for column in columns):
        columns = list(_arrays(y_true, y_score))
        n_samples = int(columns[0].shape[0])
    labels, scores = (list(np.ravel(column.to_delayed())) for column in columns)
    if len(labels) != len(scores):
        raise _split(f"{len(scores)} and {len(labels)} partitions")
    return list(zip(labels, scores, strict=True)), n_samples


def _arrays(y_true: Any, y_score: Any) -> tuple[Any, Any]:
    """Arrays of dask with the same chunks, from what is not two columns of frames."""
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
