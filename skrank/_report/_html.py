"""Facts and tables as HTML: one page that needs nothing else, or a piece for notebooks.

All text is escaped here, and nowhere else.
"""

from collections.abc import Mapping, Sequence
from html import escape

from skrank._report._pictures import Picture
from skrank._table import Table

_STYLE = """
.skrank-report { color: #1a1a1a; background: #fff; line-height: 1.5; padding: 0.5em;
  font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.skrank-report :is(h1, dt, dd, table, caption, tr, th, td, figcaption) {
  color: inherit; text-align: left; background: none !important; }
.skrank-report h1 { font-size: 1.6em; margin: 0 0 0.4em; }
.skrank-report dl { display: grid; grid-template-columns: max-content 1fr;
  gap: 0.1em 1.2em; margin: 0 0 1em; }
.skrank-report dt { color: #555; }
.skrank-report dd { margin: 0; }
.skrank-report section { margin: 1.8em 0; }
.skrank-report p { max-width: 46em; margin: 0.4em 0; color: #444; font-size: 0.92em; }
.skrank-report .wide { overflow-x: auto; }
.skrank-report table { border-collapse: collapse; margin: 0; font-size: 0.95em;
  font-variant-numeric: tabular-nums; border-bottom: 2px solid #1a1a1a; }
.skrank-report caption { font-weight: 600; font-size: 1.1em;
  padding-bottom: 0.3em; white-space: nowrap; }
.skrank-report th, .skrank-report td { padding: 0.2em 0.8em; text-align: right;
  white-space: nowrap; font-weight: 400; border: 0; }
.skrank-report thead th { font-weight: 600; border-top: 2px solid #1a1a1a;
  border-bottom: 1px solid #1a1a1a; }
.skrank-report th.name { text-align: left; vertical-align: top; }
.skrank-report .pictures { display: grid; gap: 1em 2em;
  grid-template-columns: repeat(auto-fit, minmax(min(24em, 100%), 1fr)); }
.skrank-report figure { margin: 0; break-inside: avoid; }
.skrank-report figcaption { font-weight: 600; font-size: 1.05em; }
.skrank-report img { width: 100%; max-width: 40em; height: auto; }
.skrank-report tbody + tbody tr:first-child > * { border-top: 1px solid #bbb; }
.skrank-report tr.luck > :not([rowspan]) { color: #666; font-style: italic; }
@media (max-width: 40em) { .skrank-report table { font-size: 0.8em; }
  .skrank-report th, .skrank-report td { padding: 0.2em 0.4em; } }
"""
_PAGE_STYLE = """
body { margin: 0 auto; max-width: 66em; padding: 1em 4%; }
@media print { body { padding: 0; max-width: none; font-size: 10pt; }
  .skrank-report section { break-inside: avoid; } }
"""


def page(content: str, title: str) -> str:
    """One page around a piece of it."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{escape(title)}</title>
<style>{_PAGE_STYLE}</style>
</head>
<body>
{content}
</body>
</html>
"""


def fragment(
    title: str,
    facts: Mapping[str, str],
    tables: Sequence[Table],
    pictures: Sequence[Picture] | None,
) -> str:
    """Piece of a page, pictures inside; its style touches nothing around it."""
    shown = "<p>The pictures need matplotlib, which is not installed.</p>\n"
    if pictures is not None:
        shown = f'<div class="pictures">\n{"".join(map(_figure, pictures))}</div>\n'
    listed = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>\n"
        for name, said in facts.items()
    )
    return f"""<div class="skrank-report">
<style>{_STYLE}</style>
<h1>{escape(title)}</h1>
<dl>
{listed}</dl>
{"".join(map(_section, tables))}{shown}</div>"""


def _section(table: Table) -> str:
    """Table with its caption, and how to read it."""
    return f"""<section>
<div class="wide">
<table>
<caption>{escape(table.caption)}</caption>
<thead><tr>{_head(table)}</tr></thead>
{_body(table)}</table>
</div>
<p>{escape(table.reading)}</p>
</section>
"""


def _figure(picture: Picture) -> str:
    """Picture with its caption, and how to read it."""
    caption, reading = escape(picture.caption), escape(picture.reading)
    return f"""<figure>
<figcaption>{caption}</figcaption>
<img src="{picture.source}" alt="{caption}. {reading}"/>
<p>{reading}</p>
</figure>
"""


def _head(table: Table) -> str:
    kinds = [' class="name"'] * table.n_names + [""] * len(table.header)
    return "".join(
        f'<th scope="col"{kind}>{escape(cell)}</th>'
        for kind, cell in zip(kinds, table.header, strict=False)
    )


def _body(table: Table) -> str:
    """Rows under one first cell belong together."""
    groups: list[list[tuple[str, ...]]] = []
    for row in table.rows:
        if not groups or (table.n_names > 1 and row[0]):
            groups.append([])
        groups[-1].append(row)
    return "".join(f"<tbody>\n{_group(table, rows)}</tbody>\n" for rows in groups)


def _group(table: Table, rows: list[tuple[str, ...]]) -> str:
    lines = [_cells(row[table.n_names - 1], row[table.n_names :]) for row in rows]
    if table.n_names > 1:
        lines[0] = _name(rows[0][0], "rowgroup", len(rows)) + lines[0]
    starts = ["<tr>"] * len(lines)
    if table.ends_in_luck:
        starts[-1] = '<tr class="luck">'
    return "".join(
        f"{start}{line}</tr>\n" for start, line in zip(starts, lines, strict=True)
    )


def _cells(name: str, numbers: Sequence[str]) -> str:
    return _name(name, "row") + "".join(f"<td>{escape(cell)}</td>" for cell in numbers)


def _name(name: str, scope: str, n_rows: int = 1) -> str:
    span = f' rowspan="{n_rows}"' if n_rows > 1 else ""
    return f'<th class="name" scope="{scope}"{span}>{escape(name)}</th>'
