"""Both passes over a data set in chunks."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from numpy.typing import ArrayLike

from skrank._utils._checks import invalid
from skrank._utils._columns import as_column, by_position, check_length
from skrank._utils._text import track
from skrank.ranking._counts._passes import FirstPass, SecondPass

Chunk = tuple[ArrayLike, ArrayLike]
Chunks = Iterable[Chunk] | Callable[[], Iterable[Chunk]]


def count_chunks(
    chunks: Chunks,
    pos_label: object,
    *,
    progress: bool,
    total: int | None = None,
    n_expected: int = 0,
) -> SecondPass:
    """Count all chunks in two passes; errors tell in which chunk they occurred."""
    first = FirstPass(n_expected)
    total = _go_over(chunks, first, pos_label, progress, total)
    second = SecondPass(first.plan(pos_label))
    _go_over(chunks, second, pos_label, progress, total)
    second.ranking()  # checks that both passes have the same items
    return second


def _go_over(
    chunks: Chunks,
    counted: FirstPass | SecondPass,
    pos_label: object,
    progress: bool,
    total: int | None,
) -> int:
    """Count all chunks, and return their number."""
    source = chunks() if callable(chunks) else chunks
    if not hasattr(source, "__iter__") or iter(source) is chunks:
        rule = (
            "be iterable twice: a list, an object that makes a new iterator each time, "
            "or a function that returns a new iterator, such as lambda: read_chunks()"
        )
        raise invalid("chunks", rule, type(source).__name__)
    label = "first pass" if isinstance(counted, FirstPass) else "second pass"
    index = -1
    shown = track(source, total=total, label=label, progress=progress)
    for index, chunk in enumerate(shown):
        if not (isinstance(chunk, tuple | list) and len(chunk) == 2):
            got = type(chunk).__name__
            raise invalid("chunks", "contain pairs (y_true, y_score)", got)
        try:
            counted.count(chunk[0], chunk[1], pos_label)
        except ValueError as error:
            where = (
                f"This is in chunk {index}, counted from 0, which begins with item "
                f"{counted.n_samples}."
            )
            raise ValueError(f"{error} {where}") from error
    return index + 1


class Slices:
    """Two columns of the same length, divided into chunks for each pass."""

    def __init__(self, y_true: Any, y_score: Any, size: int) -> None:
        y_true, y_score = (
            column if _is_sliced(column) else as_column(name, column)
            for name, column in (("y_true", y_true), ("y_score", y_score))
        )
        self.n_samples = len(y_score)
        check_length("y_score", self.n_samples, len(y_true))
        self.columns = by_position(y_true), by_position(y_score)
        self.starts = range(0, self.n_samples, size)

    def __iter__(self) -> Iterator[Chunk]:
        """Yield the chunks one after the other."""
        for start in self.starts:
            piece = slice(start, start + self.starts.step)
            labels, scores = (column[piece] for column in self.columns)
            yield labels, scores


def _is_sliced(column: Any) -> bool:
    """Return whether it is a list, or has one dimension, in memory or not."""
    shape = getattr(column, "shape", None)
    return isinstance(column, list) or (isinstance(shape, tuple) and len(shape) == 1)
