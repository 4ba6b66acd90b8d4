"""Count a ranking that is spread over partitions, where they are.

Partitions are the chunks. What moves is what was counted of them, which is merged as a
tree; the items stay. Dask is loaded when one of its collections is given, and computes
on whatever scheduler is active.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from skrank._utils._columns import is_dask
from skrank.ranking._counts._cluster import computer
from skrank.ranking._counts._drivers import Run
from skrank.ranking._counts._passes import SecondPass, Start

_BRANCHES = 8  # parts that are merged at once


def count_partitions(y_true: Any, y_score: Any, pos_label: object) -> SecondPass:
    """Take partitions through both passes."""
    compute = computer(y_true, y_score)
    pairs, n_expected = _partitions(y_true, y_score, compute)
    first, seen = compute(_counted(Run(Start(n_expected), pos_label), pairs))
    second: SecondPass
    second, _ = compute(_counted(Run(first.plan(), pos_label, seen), pairs))
    return second


def _counted(run: Run, pairs: list[tuple[Any, Any]]) -> Any:
    """What is counted of all partitions, merged; to be computed."""
    from dask import delayed

    shared = delayed(run, traverse=False)
    parts = [
        delayed(_count)(shared, index, *pair, pure=False)
        for index, pair in enumerate(pairs)
    ]
    while len(parts) > 1:
        parts = [
            delayed(_merge)(shared, *parts[start : start + _BRANCHES])
            for start in range(0, len(parts), _BRANCHES)
        ]
    return parts[0]


def _count(run: Run, index: int, y_true: Any, y_score: Any) -> tuple[Any, list[Any]]:
    """Count one partition."""
    part = run.count(index, (y_true, y_score))
    return part, [part.seen]


def _merge(run: Run, *parts: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
    """Merge what was counted of some partitions; it is left as it was."""
    seen = [one for _, each in parts for one in each]
    return run.merged(part for part, _ in parts), seen


def _partitions(
    y_true: Any, y_score: Any, compute: Callable[[Any], Any]
) -> tuple[list[tuple[Any, Any]], int]:
    """Pair the partitions, and say how many items they hold, if that is known."""
    y_true, y_score = _alike(y_true, y_score)
    sizes = _known_sizes(y_score if is_dask(y_score) else y_true)
    labels = _parts(y_true, y_score, compute)
    scores = _parts(y_score, y_true, compute)
    if len(labels) != len(scores):
        _refuse_split(f"{len(scores)} and {len(labels)} partitions")
    return list(zip(labels, scores, strict=True)), sum(sizes or ())


def _alike(y_true: Any, y_score: Any) -> tuple[Any, Any]:
    """Split arrays of labels as their scores are, if both sizes are known."""
    for name, values in (("y_true", y_true), ("y_score", y_score)):
        column = values if is_dask(values) else np.asarray(values)
        if getattr(column, "ndim", None) != 1:
            msg = (
                f"`{name}` must be one-dimensional, an array or a column; got "
                f"{type(values).__name__}."
            )
            raise ValueError(msg)
    labels, scores = _known_sizes(y_true), _known_sizes(y_score)
    if labels is None or scores is None or labels == scores:
        return y_true, y_score
    if sum(labels) != sum(scores):
        _refuse_split(f"{sum(scores)} and {sum(labels)} items")
    return y_true.rechunk((scores,)), y_score


def _known_sizes(values: Any) -> tuple[int, ...] | None:
    """Sizes of the partitions of a dask array; None where they are not known."""
    sizes = values.chunks[0] if is_dask(values) and hasattr(values, "chunks") else ()
    return None if not sizes or np.isnan(sum(sizes)) else sizes


def _parts(values: Any, other: Any, compute: Callable[[Any], Any]) -> list[Any]:
    """Partitions of a collection; another kind of array is cut as the other one is."""
    from dask import delayed

    if is_dask(values):
        return list(np.ravel(values.to_delayed()))
    values = np.asarray(values)
    sizes = _known_sizes(other)
    if sizes is None:
        sizes = compute(delayed([delayed(len)(part) for part in other.to_delayed()]))
    if sum(sizes) != values.shape[0]:
        _refuse_split(f"{values.shape[0]} items beside {sum(sizes)}")
    return np.split(values, np.cumsum(sizes)[:-1])


def _refuse_split(got: str) -> NoReturn:
    """Refuse partitions that do not go together."""
    msg = (
        "`y_score` must be split into the same partitions as `y_true`, as columns of "
        f"one data frame are; got {got}."
    )
    raise ValueError(msg)
