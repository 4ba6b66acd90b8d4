"""Take a ranking in chunks through both passes, and check that they see the same.

The chunks of a pass are counted each for itself, by threads if that is wanted, and
merged in the order in which they come. Threads alone will do: other processes would be
sent all the data.
"""

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import length_hint
from typing import Any, NoReturn

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.utils.parallel import Parallel, delayed

from skrank._utils._checks import check_flag, check_jobs
from skrank._utils._columns import by_position, check_index, is_dask
from skrank._utils._text import track
from skrank.ranking._counts._chunk import Seen, read_chunk
from skrank.ranking._counts._passes import FirstPass, Plan, SecondPass, Start

Pair = tuple[ArrayLike, ArrayLike]
Chunks = Iterable[Pair] | Callable[[], Iterable[Pair]]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One of the passes; `expected` is what the first has seen of each chunk."""

    start: Start | Plan
    pos_label: object
    expected: list[Seen] | None = None

    def count(self, index: int, pair: Pair) -> FirstPass | SecondPass:
        """Count one chunk."""
        if self.expected is not None and index >= len(self.expected):
            _refuse_changed(f"more chunks than the {len(self.expected)} of the first")
        counted = self.start.blank()
        try:
            counted.add(read_chunk(*pair, self.pos_label))
        except ValueError as error:
            raise _in_chunk(index, error) from error
        self._check(index, counted.seen)
        return counted

    def merge(self, total: Any, part: Any, index: int) -> None:
        """Take the counts of a chunk, which must go with those before it."""
        try:
            total.merge(part)
        except ValueError as error:
            raise _in_chunk(index, error) from error

    def merged(self, parts: Iterable[Any]) -> Any:
        """Return all parts together."""
        total = self.start.blank()
        for part in parts:
            total.merge(part)
        return total

    def check_number(self, n_chunks: int) -> None:
        """Check that no chunks are missing."""
        if self.expected and n_chunks == 0:
            _refuse_chunks("no chunks in the second pass")
        if self.expected is not None and n_chunks < len(self.expected):
            _refuse_changed(f"{n_chunks} chunks of {len(self.expected)}")

    def _check(self, index: int, seen: Seen) -> None:
        """Check that a chunk is as it was in the first pass."""
        if self.expected is None:
            return
        got = seen.unlike(self.expected[index])
        if got is not None:
            _refuse_changed(f"{got} in chunk {index}, counted from 0,")


class Slices:
    """Two columns of the same length, cut into chunks as often as they are asked."""

    def __init__(self, y_true: Any, y_score: Any, size: int) -> None:
        check_index("y_score", y_score, y_true)
        self.columns = y_true, y_score
        self.starts = range(0, len(y_score), size)
        self.keeps = _is_kept(y_true) and _is_kept(y_score)

    def __len__(self) -> int:
        """Count the chunks."""
        return len(self.starts)

    def __iter__(self) -> Iterator[Pair]:
        """Cut one after the other."""
        for start in self.starts:
            piece = slice(start, start + self.starts.step)
            labels, scores = (by_position(one)[piece] for one in self.columns)
            yield labels, scores


def count_chunks(
    chunks: Chunks,
    pos_label: object,
    *,
    n_jobs: int | None,
    progress: bool,
    n_expected: int = 0,
) -> SecondPass:
    """Take chunks through both passes."""
    ask = partial(
        _go_over, n_jobs=check_jobs(n_jobs), progress=check_flag("progress", progress)
    )
    first, seen = ask(Run(Start(n_expected), pos_label), chunks, label="first pass")
    _check_whole(first.seen.n_samples, n_expected)
    run = Run(first.plan(), pos_label, seen)
    second: SecondPass
    second, _ = ask(run, chunks, label="second pass")
    return second


def _go_over(
    run: Run, chunks: Chunks, *, label: str, n_jobs: int | None, progress: bool
) -> tuple[Any, list[Seen]]:
    """Count all chunks; as many are held at a time as there are threads.

    A chunk that waits for others to be read is copied, since they may come in the same
    arrays.
    """
    source = chunks() if callable(chunks) else chunks
    size = length_hint(source) or None if progress else None
    shown = track(_begin(source, chunks), total=size, label=label, progress=progress)
    checked = map(_check_pair, shown)
    held = effective_n_jobs(n_jobs)
    if held > 1 and not (isinstance(source, Slices) and source.keeps):
        checked = map(_copied, checked)
    numbered = enumerate(checked)
    total: Any = run.start.blank()
    seen: list[Seen] = []
    with Parallel(n_jobs=n_jobs, require="sharedmem") as parallel:
        while batch := list(islice(numbered, held)):
            for part in parallel(delayed(run.count)(*chunk) for chunk in batch):
                run.merge(total, part, index=len(seen))
                seen.append(part.seen)
    run.check_number(len(seen))
    return total, seen


def _begin(source: Any, chunks: Chunks) -> Iterator[Any]:
    """Begin a pass over the source that `chunks` is or has made.

    Nothing else looks at it: a source may not be the same at the next look. What is its
    own iterator is at its end after one pass.
    """
    pairs: Iterator[Any] | None = None
    if hasattr(source, "__iter__"):
        pairs = iter(source)
    if pairs is None or pairs is chunks:
        _refuse_chunks(type(source).__name__)
    return pairs


def _check_whole(n_samples: int, n_expected: int) -> None:
    """Check that slices held as many items as there should be, if that is known."""
    if n_expected not in (0, n_samples):
        msg = (
            "`y_true` and `y_score` must hold as many items as their lengths say; got "
            f"{n_samples} of {n_expected} in their slices."
        )
        raise ValueError(msg)


def _check_pair(chunk: Any) -> Pair:
    """Check that a chunk is labels and scores."""
    if isinstance(chunk, tuple | list) and len(chunk) == 2:
        return chunk[0], chunk[1]
    msg = f"`chunks` must hold pairs (y_true, y_score); got {type(chunk).__name__}."
    raise ValueError(msg)


def _is_kept(column: Any) -> bool:
    """Whether slices stay as they are when others are cut; readers may fill them."""
    return isinstance(column, np.ndarray | list) or hasattr(column, "iloc")


def _copied(pair: Pair) -> Any:
    """Copy a chunk, whatever its columns share their memory with."""
    return tuple(map(_copied_column, pair))


def _copied_column(column: Any) -> Any:
    """Copy lists and columns of pandas as they are, others as arrays."""
    if is_dask(column):
        return column  # to be refused
    if isinstance(column, list | tuple) or hasattr(column, "iloc"):
        return copy.deepcopy(column)
    return np.array(column, subok=True)


def _in_chunk(index: int, error: ValueError) -> ValueError:
    """Error that names the chunk."""
    return ValueError(f"{error} This is in chunk {index}, counted from 0.")


def _refuse_chunks(got: str) -> NoReturn:
    """Refuse what cannot be gone over twice."""
    msg = (
        "`chunks` must be gone over twice: a ranking, an object whose iterator begins "
        "anew, or a function that returns a new iterator whenever it is called, as "
        f"lambda: read_chunks(); got {got}."
    )
    raise ValueError(msg)


def _refuse_changed(got: str) -> NoReturn:
    """Refuse what was not the same twice."""
    msg = (
        "`y_true` and `y_score` must not change between the passes; "
        f"got {got} in the second."
    )
    raise ValueError(msg)
