"""A table as it is shown: cells of text, the same in print and on a page."""

from collections.abc import Sequence
from typing import NamedTuple


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
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths, n_names) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], n_names: int) -> str:
    cells = [
        cell.ljust(width) if column < n_names else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return ("  " + "  ".join(cells)).rstrip()
