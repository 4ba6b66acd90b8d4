"""A table as it is shown: cells of text, the same in print and on a page."""

from collections.abc import Sequence
from typing import NamedTuple

_LONG = 40  # letters of a name that are printed


class Table(NamedTuple):
    """Cells of text under a header, and how to read them.

    The first column says what a row is about, or the first two do (`n_names`). Of two
    the first may be empty, which then is that of the row above; such rows are a group,
    whose last may say what luck has.
    """

    caption: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    n_names: int
    reading: str
    ends_in_luck: bool = False

    def __str__(self) -> str:
        """Print the caption and the cells."""
        return "\n".join(
            [self.caption, *align([self.header, *self.rows], self.n_names)]
        )


def align(rows: Sequence[Sequence[str]], n_names: int) -> list[str]:
    """Print rows of cells as lines: names to the left, numbers to the right."""
    columns: list[Sequence[str]] = list(zip(*rows, strict=True))
    columns[:n_names] = map(_shorten, columns[:n_names])
    rows = list(zip(*columns, strict=True))
    widths = [max(map(len, column)) for column in columns]
    return [_line(row, widths, n_names) for row in rows]


def _shorten(names: Sequence[str]) -> list[str]:
    """Leave out the middle of long names, unless others come to look the same."""
    half = _LONG // 2
    short = [
        name if len(name) <= _LONG else f"{name[:half]}...{name[3 - half :]}"
        for name in names
    ]
    return short if len(set(short)) == len(set(names)) else list(names)


def _line(row: Sequence[str], widths: Sequence[int], n_names: int) -> str:
    cells = [
        cell.ljust(width) if column < n_names else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return ("  " + "  ".join(cells)).rstrip()
