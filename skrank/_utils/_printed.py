"""Base of results: printed, shown in notebooks, written as a page or in LaTeX."""

from abc import abstractmethod
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from skrank._utils._html import page, piece_of_page
from skrank._utils._latex import latex_of
from skrank._utils._output import written
from skrank._utils._table import Table, align, summary


class Shown(NamedTuple):
    """The printed contents of a result."""

    title: str
    rows: Sequence[tuple[str, str]]
    cells: Sequence[Sequence[str]] = ()


class Printed:
    """Base of results that are printed, and shown as a table in notebooks.

    `_shown` returns the contents: a title, rows of a name and a value, and optionally
    more rows of cells, the first of which is a header.
    """

    __slots__ = ()

    @abstractmethod
    def _shown(self) -> Shown:
        """Return the contents."""

    def __str__(self) -> str:
        """Print the result; rows have the names of the attributes."""
        title, rows, cells = self._shown()
        lines = align(cells, n_names=_n_names(cells[0])) if cells else []
        return "\n".join([summary(title, rows), *lines])

    def __repr__(self) -> str:
        """Print the summary, also in a console."""
        return str(self)

    def to_html(self, path: Any = None) -> str | None:
        """Write or return the printed result as an HTML page.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write the page to, in UTF-8. None returns the page.

        Returns
        -------
        html : str or None
            The page, or None if it was written to a file.
        """
        title, rows, cells = _without_gaps(self._shown())
        tables = [table_of("", cells)] if cells else []
        said = self.conclusion() if hasattr(self, "conclusion") else ""
        piece = piece_of_page(title, "h1", said, dict(rows), tables, "")
        return written(page(title, piece), path)

    def to_latex(self, path: Any = None) -> str | None:
        """Write or return the printed result in LaTeX, with the rules of booktabs.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write the table to, in UTF-8. None returns it.

        Returns
        -------
        latex : str or None
            LaTeX source of a ``table`` with a caption. It contains the printed rows, or
            the printed table with the rows above it as a note. None if it was written
            to a file.
        """
        title, rows, cells = _without_gaps(self._shown())
        table, note = Table(title, (), [*rows], 2, ""), ""
        if cells:
            note = "; ".join(f"{name}: {text}" for name, text in rows)
            table = table_of(title, cells)
        return written(latex_of(table, note), path)

    def _repr_html_(self) -> str:
        """Show the summary in a notebook."""
        title, rows, cells = _without_gaps(self._shown())
        left = 'style="text-align: left"'
        facts = "".join(
            f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(said)}</td></tr>\n"
            for name, said in rows
        )
        html = f"<table>\n<caption {left}>{escape(title)}</caption>\n{facts}</table>"
        if cells:
            lines = [
                "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in row)
                for kind, row in zip(
                    ["th", *["td"] * (len(cells) - 1)], cells, strict=True
                )
            ]
            body = "".join(f"<tr>{line}</tr>\n" for line in lines)
            html += f"\n<table>\n{body}</table>"
        return html


def _without_gaps(shown: Shown) -> Shown:
    """Put a semicolon where three blanks divide a row in print."""
    rows = [(name, said.replace("   ", "; ")) for name, said in shown.rows]
    return shown._replace(rows=rows)


def printed_table(result: Printed, caption: str) -> tuple[Table, dict[str, str]]:
    """Return the printed table of a result, and the rows above it by their names."""
    _, rows, cells = _without_gaps(result._shown())
    return table_of(caption, cells), dict(rows)


def table_of(caption: str, cells: Sequence[Sequence[str]]) -> Table:
    """Return the cells below a caption."""
    header, *rows = (tuple(row) for row in cells)
    return Table(caption, header, rows, _n_names(header), "")


def _n_names(header: Sequence[str]) -> int:
    """Return how many columns name a row: two those of a pair."""
    return 2 if tuple(header[:2]) in (("A", "B"), ("metric", "model")) else 1
