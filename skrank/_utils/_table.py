"""Table of text cells for printing, HTML pages and data frames."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from skrank._utils._optional import load

_LONG = 40  # letters of a name that are printed, with dots for the rest


class Table(NamedTuple):
    """Cells of text with a header, and an explanation.

    The first column, or the first two (`n_names`), name the row. If the first of two is
    empty, it is that of the row above. Such rows form a group, whose last row may have
    the values under random selection.
    """

    caption: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    n_names: int
    reading: str
    ends_in_chance: bool = False

    def __str__(self) -> str:
        """Print the caption and the cells; metrics and rules are not shortened."""
        whole = int(self.n_names == 2 and self.header[0] != "A")
        lines = align([self.header, *self.rows], self.n_names, whole)
        return "\n".join([self.caption, *lines])


def summary(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Print a title, and rows of a name and a value."""
    width = max(len(name) for name, _ in rows)
    return "\n".join([title, *(f"  {name:<{width}}  {said}" for name, said in rows)])


def align(rows: Sequence[Sequence[str]], n_names: int, n_whole: int = 0) -> list[str]:
    """Print rows of cells as lines: names to the left, numbers to the right.

    Long names are shortened, except in the first `n_whole` columns.
    """
    if not rows:
        return []
    short = _shorten({name for row in rows for name in row[n_whole:n_names]})
    rows = [
        [
            *row[:n_whole],
            *(short[name] for name in row[n_whole:n_names]),
            *row[n_names:],
        ]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths, n_names) for row in rows]


def _shorten(names: Collection[str]) -> dict[str, str]:
    """Shorten long names if they stay distinct; otherwise leave them as they are."""
    for n_last in range(_LONG // 2, _LONG):
        short = {name: _without_middle(name, n_last) for name in names}
        if len(set(short.values())) == len(names):
            return short
    return {name: name for name in names}


def _without_middle(name: str, n_last: int) -> str:
    n_first = _LONG - n_last
    return name if len(name) <= _LONG else f"{name[:n_first]}...{name[-n_last:]}"


def _line(row: Sequence[str], widths: Sequence[int], n_names: int) -> str:
    cells = [
        cell.ljust(width) if column < n_names else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return ("  " + "  ".join(cells)).rstrip()


def data_frame(columns: Mapping[str, Iterable[Any]]) -> Any:
    """Make a data frame of pandas, which is imported for this only."""
    missing = "A data frame needs pandas, which is not installed: pip install pandas."
    return load("pandas", missing).DataFrame(columns)
