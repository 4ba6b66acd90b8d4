"""Base of results that have a printed and a notebook representation."""

from abc import abstractmethod
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from skrank._utils._table import align, summary


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
        return "\n".join([summary(title, rows), *align(cells, n_names=2)])

    def __repr__(self) -> str:
        """Print the summary, also in a console."""
        return str(self)

    def _repr_html_(self) -> str:
        """Show the summary in a notebook."""
        title, rows, cells = self._shown()
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
