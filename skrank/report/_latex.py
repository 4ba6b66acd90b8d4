"""The tables of the report in LaTeX."""

import re

from skrank._utils._table import Table


def latex_of(table: Table) -> str:
    """Float with a caption and the rules of booktabs."""
    # symbols for a paper, instead of the printed names, which are attributes
    heads = {"zscore": "$z$", "pvalue": "$p$", "Holm": "$p$ (Holm)"}
    columns = "l" * table.n_names + "r" * (len(table.header) - table.n_names)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escape(table.caption)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(heads.get(head) or _escape(head) for head in table.header) + r" \\",
        r"\midrule",
        *(_row(row, table.n_names) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join([*lines, ""])


def _row(cells: tuple[str, ...], n_names: int) -> str:
    names = map(_escape, cells[:n_names])
    numbers = (
        # a minus before a digit, and powers of ten
        re.sub(r"-(?=\d)", "$-$", _escape(cell))
        if not (power := re.fullmatch(r"(\d(?:\.\d+)?)e([+-]\d+)", cell))
        else rf"${power[1]}\times10^{{{int(power[2])}}}$"
        for cell in cells[n_names:]
    )
    return " & ".join([*names, *numbers]) + r" \\"


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
