"""Tables in LaTeX."""

import re

from skrank._utils._table import Table


def latex_of(table: Table, note: str = "") -> str:
    """Float with a caption and the rules of booktabs, and a note below."""
    # symbols for a paper, instead of the printed names, which are attributes
    heads = {"zscore": "$z$", "pvalue": "$p$", "Holm": "$p$ (Holm)"}
    n_cells, head = len(table.rows[0]), []
    if table.header:
        cells = (heads.get(cell) or _escape(cell) for cell in table.header)
        head = [" & ".join(cells) + r" \\", r"\midrule"]
    columns = "l" * table.n_names + "r" * (n_cells - table.n_names)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escape(table.caption)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *head,
        *(_row(row, table.n_names if table.header else 1) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *([rf"\par\smallskip\footnotesize {_escape(note)}"] if note else []),
        r"\end{table}",
    ]
    return "\n".join([*lines, ""])


def _row(cells: tuple[str, ...], n_names: int) -> str:
    names = map(_escape, cells[:n_names])
    return " & ".join([*names, *map(_number, cells[n_names:])]) + r" \\"


def _number(cell: str) -> str:
    """Typeset a minus before a digit, powers of ten, and letters above a number."""
    cell, _, above = cell.partition("^")
    text = re.sub(r"(?<=\d)-(?=\d)", "--", _escape(cell).replace("e-", "e~"))
    text = re.sub(r"(?<!-)-(?=[\d.])", "$-$", text).replace("e~", "e-")
    text = text.replace(r"\textless{}=", r"$\leq$")
    power = r"(\d(?:\.\d+)?)e[+-]?(\d+)"

    def raised(found: re.Match[str]) -> str:
        sign = "-" if "-" in found[0] else ""
        return rf"${found[1]}\times10^{{{sign}{int(found[2])}}}$"

    text = re.sub(power, raised, text)
    return rf"{text}$^{{{above}}}$" if above else text


def _escape(text: str) -> str:
    named = {
        "[": "{[}",
        "*": "{*}",
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
    # a row that begins with [ or * would be the argument of the command before it
    special = r"^[\[*]|[\\&%$#_{}~^<>]"
    return re.sub(special, lambda one: named.get(one[0], "\\" + one[0]), text)
