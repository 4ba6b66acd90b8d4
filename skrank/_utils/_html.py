"""Results as a complete HTML page, or as a part of a notebook.

All text that does not come from this module is escaped.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import pairwise
from string import Template

from skrank._utils._table import Table


def page(title: str, piece: str) -> str:
    """Return a page that contains a piece."""
    return Template(_file("page.html")).substitute(title=escape(title), piece=piece)


def piece_of_page(
    title: str,
    heading: str,
    conclusion: str,
    facts: Mapping[str, str],
    tables: Sequence[Table],
    pictures: str,
) -> str:
    """Return a piece of a page; its style does not affect the rest of the page."""
    listed = [f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>\n" for k, v in facts.items()]
    return f"""<div class="skrank-report">
<style>
{_file("report.css")}</style>
<{heading}>{escape(title)}</{heading}>
<p class="conclusion">{escape(conclusion)}</p>
<dl>
{"".join(listed)}</dl>
{"".join(map(_table, tables))}{pictures}</div>"""


def _file(name: str) -> str:
    """Read a file in the folder of this module."""
    return files("skrank._utils").joinpath(name).read_text("utf-8")


def _table(table: Table) -> str:
    """Return a table with its caption and its explanation."""
    kinds = [' class="name first"', ' class="name"'][: table.n_names]
    kinds += [""] * (len(table.header) - table.n_names)
    head = [
        f'<th scope="col"{kind}>{escape(cell)}</th>'
        for kind, cell in zip(kinds, table.header, strict=True)
    ]
    caption = escape(table.caption)
    return f"""<section>
<div class="wide" tabindex="0" role="region" aria-label="{caption}">
<table>
<caption>{caption}</caption>
<thead><tr>{"".join(head)}</tr></thead>
{_body(table)}</table>
</div>
<p>{escape(table.reading)}</p>
</section>
"""


def _body(table: Table) -> str:
    """Return the rows; the first of two names is the head of a group of rows."""
    is_grouped, size = table.n_names == 2, len(table.rows)
    starts = [i for i, row in enumerate(table.rows) if is_grouped and row[0]] or [0]
    lines = []
    for start, end in pairwise([*starts, size]):
        lines.append("<tbody>\n")
        for i, row in enumerate(table.rows[start:end], start):
            is_chance = table.ends_in_chance and i == end - 1
            line = '<tr class="chance">' if is_chance else "<tr>"
            if is_grouped and i == start:
                span = f' rowspan="{end - start}"' if end - start > 1 else ""
                head = f'<th class="name first" scope="rowgroup"{span}>'
                line += f"{head}<div>{escape(row[0])}</div></th>"
            kind = "name" if is_grouped else "name first"
            name, *cells = row[table.n_names - 1 :]
            line += f'<th class="{kind}" scope="row"><div>{escape(name)}</div></th>'
            line += "".join(f"<td>{_cell(cell)}</td>" for cell in cells)
            lines.append(f"{line}</tr>\n")
        lines.append("</tbody>\n")
    return "".join(lines)


def _cell(text: str) -> str:
    """Return a cell; letters after ^ are above the number."""
    return re.sub(r"(?<=\d)\^([a-z\d,]+)$", r"<sup>\1</sup>", escape(text))
