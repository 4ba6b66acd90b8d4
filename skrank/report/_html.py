"""Facts and tables as HTML: one page that needs nothing else, or a piece for notebooks.

All text is escaped here, and nowhere else.
"""

from collections.abc import Mapping, Sequence
from html import escape

from skrank._utils._table import Table
from skrank.report._pictures import Line, Picture, Pictures

_STYLE = """
.skrank-report { color: #1a1a1a; background: #fff; line-height: 1.5; padding: 0.5em;
  font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.skrank-report :is(h1, h2, dt, dd, li, table, caption, tr, th, td, figcaption) {
  color: inherit; text-align: left; background: none !important; }
.skrank-report :is(h1, h2) { font-size: 1.6em; margin: 0 0 0.4em; }
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
  white-space: nowrap; font-weight: 400; border: 0; vertical-align: top; }
.skrank-report thead th { font-weight: 600; border-top: 2px solid #1a1a1a;
  border-bottom: 1px solid #1a1a1a; }
.skrank-report th.name { text-align: left; }
.skrank-report th.first { position: sticky; left: 0; background: #fff !important; }
.skrank-report th.name div { width: max-content; max-width: 16em;
  white-space: normal; overflow-wrap: break-word; }
.skrank-report .pictures { display: grid; gap: 1em 2em;
  grid-template-columns: repeat(auto-fit, minmax(min(24em, 100%), 1fr)); }
.skrank-report figure { margin: 0; break-inside: avoid; }
.skrank-report figcaption { font-weight: 600; font-size: 1.05em; }
.skrank-report img { width: 100%; max-width: 40em; height: auto; }
.skrank-report ul { list-style: none; margin: 1.8em 0 1em; padding: 0; }
.skrank-report li { display: flex; align-items: center; gap: 0.6em;
  margin: 0 0 0.2em; font-size: 0.95em; overflow-wrap: anywhere; }
.skrank-report li svg { flex: none; }
.skrank-report tbody + tbody tr:first-child > * { border-top: 1px solid #bbb; }
.skrank-report tr.chance > :not([rowspan]) { color: #666; font-style: italic; }
@media (max-width: 40em) { .skrank-report table { font-size: 0.8em; }
  .skrank-report th, .skrank-report td { padding: 0.2em 0.4em; }
  .skrank-report th.name div { max-width: 9em; } }
@media print { .skrank-report .wide { overflow: visible; }
  .skrank-report th.first { position: static; background: none !important; }
  .skrank-report :is(tr, ul) { break-inside: avoid; }
  .skrank-report table { font-size: 0.85em; }
  .skrank-report th, .skrank-report td { padding: 0.2em 0.5em; }
  .skrank-report th.name div { max-width: 14em; } }
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
    heading: str,
    facts: Mapping[str, str],
    tables: Sequence[Table],
    pictures: Pictures | None,
) -> str:
    """Piece of a page, pictures inside; its style touches nothing around it."""
    shown = "<p>The pictures need matplotlib, which is not installed.</p>\n"
    if pictures is not None:
        shown = _gallery(pictures)
    listed = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>\n"
        for name, said in facts.items()
    )
    return f"""<div class="skrank-report">
<style>{_STYLE}</style>
{heading}
<dl>
{listed}</dl>
{"".join(map(_section, tables))}{shown}</div>"""


def _section(table: Table) -> str:
    """Table with its caption, and how to read it."""
    return f"""<section>
<div class="wide" tabindex="0" role="region" aria-label="{escape(table.caption)}">
<table>
<caption>{escape(table.caption)}</caption>
<thead><tr>{_head(table)}</tr></thead>
{_body(table)}</table>
</div>
<p>{escape(table.reading)}</p>
</section>
"""


def _gallery(pictures: Pictures) -> str:
    """All pictures, and as the last of them whose lines there are."""
    return f"""<div class="pictures">
{"".join(map(_figure, pictures.drawn))}<div>
<ul>
{"".join(map(_legend, pictures.lines))}</ul>
{"".join(f"<p>{escape(note)}</p>" for note in pictures.notes)}</div>
</div>
"""


def _legend(line: Line) -> str:
    """Piece of a line as the pictures have it, and whose it is."""
    width = 2.5
    dashes = " ".join(f"{width * length:g}" for length in line.dashes) or "none"
    return f"""<li><svg width="40" height="8" aria-hidden="true">
<line x1="0" y1="4" x2="40" y2="4" stroke="{line.color}" stroke-width="{width}"
 stroke-dasharray="{dashes}"/></svg>{escape(line.label)}</li>
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
    names = [' class="name first"', ' class="name"'][: table.n_names]
    kinds = names + [""] * len(table.header)
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
    place = table.n_names - 1
    lines = [
        _name(row[place], "row", is_first=place == 0) + _cells(row[place + 1 :])
        for row in rows
    ]
    if place > 0:
        head = _name(rows[0][0], "rowgroup", is_first=True, n_rows=len(rows))
        lines[0] = head + lines[0]
    starts = ["<tr>"] * len(lines)
    if table.ends_in_chance:
        starts[-1] = '<tr class="chance">'
    return "".join(
        f"{start}{line}</tr>\n" for start, line in zip(starts, lines, strict=True)
    )


def _cells(numbers: Sequence[str]) -> str:
    return "".join(f"<td>{escape(cell)}</td>" for cell in numbers)


def _name(name: str, scope: str, *, is_first: bool, n_rows: int = 1) -> str:
    kind = "name first" if is_first else "name"
    span = f' rowspan="{n_rows}"' if n_rows > 1 else ""
    return f'<th class="{kind}" scope="{scope}"{span}><div>{escape(name)}</div></th>'
