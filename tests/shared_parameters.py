"""Write the parameters that several docstrings share, from `data/parameters.txt`.

In a docstring, a line ``{y_true}`` becomes the text of this name, and a comment below
keeps the name, so that a later run writes a text that has changed. `make format` runs
it: python tests/shared_parameters.py
"""

import ast
import re
from pathlib import Path
from textwrap import wrap

PACKAGE = Path(__file__).parents[1] / "skrank"
SOURCE = (Path(__file__).parent / "data" / "parameters.txt").read_text("utf-8")
TEXTS = dict(re.findall(r"^\[(\w+)\]\n(.*?)(?=\n\n\[|\n*\Z)", SOURCE, re.M | re.S))
PLACE = re.compile(r"^( *)\{(\w+)\}\n", re.M)
COMMENT = re.compile(r"\n? *# shared: .*\n(?: *#   .*\n)*")
BODY = r" : (?:.*\\\n)*.*\n(?:\1 +\S.*\n|\n(?=\1 +\S))*"


def entries(name, indent):
    """Return the entries of a name by their heads, as they stand below an indent."""
    found, deep = {}, indent + "    "
    for entry in re.split(r"\n(?=\S)", TEXTS[name]):
        head, *body = entry.splitlines()
        key = head.split(" : ")[0]
        lines = wrap(indent + head, 86, subsequent_indent=deep)
        text = " \\\n".join(lines) + "\n"
        settings = {"initial_indent": deep, "subsequent_indent": deep}
        words = " ".join(map(str.strip, body))
        lines = wrap(words, 88, **settings, break_on_hyphens=False)
        found[key] = text + "".join(f"{line}\n" for line in lines)
    return found


def filled(doc, names):
    """Return a docstring with the texts of all its names, and these."""
    names = [*names, *(one for _, one in PLACE.findall(doc) if one not in names)]
    doc = PLACE.sub(lambda at: "".join(entries(at[2], at[1]).values()), doc)
    for name in names:
        for key in entries(name, ""):
            old = re.compile(rf"^( *){key}{BODY}", re.M)
            doc = old.sub(lambda at, n=name, k=key: entries(n, at[1])[k], doc, count=1)
    return doc, names


def written(source):
    """Return the text of a module, whose docstrings hold what they share."""
    lines = source.splitlines(keepends=True)
    kinds = ast.FunctionDef | ast.ClassDef
    nodes = [one for one in ast.walk(ast.parse(source)) if isinstance(one, kinds)]
    for node in sorted(nodes, key=lambda one: -one.lineno):
        if ast.get_docstring(node) is None:
            continue
        first, last = node.body[0].lineno - 1, node.body[0].end_lineno
        doc, after = "".join(lines[first:last]), "".join(lines[last:])
        comment = COMMENT.match(after)
        kept = comment[0] if comment else ""
        doc, names = filled(doc, re.sub(r"# shared:|#", " ", kept).split())
        if names:
            indent = " " * (node.col_offset + 4)
            settings = {"initial_indent": indent, "subsequent_indent": f"{indent}#   "}
            said = wrap("# shared: " + " ".join(names), 88, **settings)
            gap = "\n" * isinstance(node, ast.ClassDef)
            after = gap + "\n".join(said) + "\n" + after[len(kept) :]
        lines[first:] = (doc + after).splitlines(keepends=True)
    return "".join(lines)


if __name__ == "__main__":
    for path in PACKAGE.rglob("*.py"):
        old = path.read_text("utf-8")
        new = written(old)
        if new != old:
            path.write_text(new, "utf-8")
