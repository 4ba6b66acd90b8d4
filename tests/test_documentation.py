"""The sources of the documentation: widths of code, and examples everywhere."""

import doctest
import inspect
import re
import runpy
import shlex
import textwrap
import tomllib
from pathlib import Path

import numpy as np
import pytest

import skrank
from skrank.report._command_line import main

ROOT = Path(__file__).parents[1]
WIDTH = 72  # what a page shows without scrolling

PAGES = [
    path
    for path in [ROOT / "README.md", *sorted((ROOT / "doc").rglob("*.rst"))]
    if path.is_file()
    and not {"_build", "_templates", "auto_examples", "generated"} & set(path.parts)
    and path.name != "sg_execution_times.rst"
]
EXAMPLES = sorted((ROOT / "examples").rglob("plot_*.py"))


def code_lines(text):
    """Yield the lines of code and of output: doctests, fenced and indented blocks."""
    fenced = options = False
    doctest = None  # indentation of the doctest that this may belong to
    block = None  # indentation of the directive whose block this may be
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            yield line
        elif not line.strip():
            doctest, options = None, False
        elif re.match(r"\s*\.\. (code-block|plot)::", line):
            block, options = indent, True
        elif options:
            continue
        elif line.lstrip().startswith(">>>") or doctest is not None:
            doctest = indent if doctest is None else doctest
            yield line[doctest:]
        elif block is not None and indent > block:
            yield line[block + 3 :]
        else:
            block = None


def test_code_lines_finds_code():
    text = """
Prose

>>> code(
...     1)
output

.. plot::
   :alt: not code
      at all

   more code

Prose

```console
$ command
```
"""
    found = [">>> code(", "...     1)", "output", "more code", "$ command"]
    assert list(code_lines(text)) == found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_of_pages_fits(path):
    wide = [line for line in code_lines(path.read_text()) if len(line) > WIDTH]
    assert wide == []


CONSOLE = re.compile(r"^( *)\$ (skrank .*\n(?:\1\S.*\n|\1 +\S.*\n|\n(?=\1\S))*)", re.M)
COMMANDS = [
    (path, command, output)
    for path in PAGES
    for indent, block in CONSOLE.findall(path.read_text())
    for command, output in [block.replace("\\\n", "").split("\n", 1)]
    if "scores.csv" in command and output.strip("\n `")
]


def test_a_page_shows_a_command():
    assert "README.md" in {path.name for path, *_ in COMMANDS}


@pytest.mark.parametrize(("path", "command", "output"), COMMANDS)
def test_commands_print_what_a_page_shows(path, command, output, monkeypatch, capsys):
    """The judge is the page, whose every digit is compared."""
    pytest.importorskip("polars")
    monkeypatch.chdir(ROOT / "doc" / "_static")
    main(shlex.split(command)[1:])
    shown = textwrap.dedent(output.split("```")[0])
    check = doctest.OutputChecker().check_output
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert check(shown, capsys.readouterr().out, flags)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_code_of_examples_fits(path):
    lines = path.read_text().splitlines()
    prose = re.compile(r"# :ref:`\S+`\.?|\.\. _\S+:")  # which cannot be broken
    wide = [line for line in lines if len(line) > WIDTH and not prose.fullmatch(line)]
    assert wide == []


@pytest.mark.parametrize("name", skrank.__all__)
def test_every_public_object_has_an_example(name):
    text = inspect.getdoc(getattr(skrank, name))
    assert re.search(r"^Examples\n-+\n", text, re.MULTILINE)
    assert ">>>" in text


def test_every_example_has_a_place_in_the_gallery():
    if not EXAMPLES:
        pytest.skip("the examples are not here")
    names = runpy.run_path(str(ROOT / "doc" / "gallery_order.py"))["ORDER"]
    assert sorted(names) == sorted(path.stem.removeprefix("plot_") for path in EXAMPLES)


def test_commands_run_examples_that_exist():
    if not EXAMPLES:
        pytest.skip("the examples are not here")
    names = re.findall(r"examples/\S+\.py", (ROOT / "Makefile").read_text())
    assert names
    assert all((ROOT / name).is_file() for name in names)


def test_addresses_are_those_of_the_metadata():
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    documentation = f"{urls['Documentation']}/en/latest"
    assert urls["Changelog"] == f"{documentation}/changelog.html"
    raw = urls["Source"].replace("//github.com", "//raw.githubusercontent.com")
    bases = {urls["Source"] + "/blob/main": "", f"{raw}/main": "", documentation: "doc"}
    links = re.findall(r"\]\(([^)]*)\)", (ROOT / "README.md").read_text())
    assert len(links) > 8
    for link in links:  # each is absolute, and what it leads to is in the repository
        (base,) = [base for base in bases if link.startswith(base)]
        path = link.removeprefix(base).strip("/") or "index.html"
        if base == documentation:
            path = path.replace(".html", ".rst")
        assert (ROOT / bases[base] / path).is_file(), link


GUIDE = [path for path in PAGES if path.parent.name == "user_guide"]
REFERENCE = {"derivations", "validation"}  # pages to look something up


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_a_page_of_the_guide_is_short(path):
    n_words = len(path.read_text().split())
    assert n_words <= 1800 or path.stem in REFERENCE


# Words with one meaning each, and what is said in their place. Groups are those of
# `groups=`, a threshold is a score, and a lift at a depth is no uplift of a treatment.
NOT_SAID = {
    r"tie[- ]groups?": "ties",
    r"groups? of (equal|tied)": "ties",
    r"rule ``?\"threshold\"": 'the rule "together"',
    r"ties=.threshold": 'ties="together"',
    r"folds? as groups?": "folds",
    r"groups? of the cross-validation": "folds",
    r"best[- ]of[- ]breed|sweet spot|under the hood": "plain words",
    r"inflated p-value": "a p-value that is too small, or too large",
    # what tutorials of scikit-learn and SciPy do not write
    r"rejects? that": "what is then true",
    r"(is|are) those of|the one that|that which|such a one": "the noun again",
    r"in vain|\bshall\b|as asked|looked at": "inspected, must, requested",
    r"must hold|one more item\"": "must contain",
}


def prose():
    """Pages, and the docstrings of what is public, with their places."""
    for path in PAGES:
        yield str(path.relative_to(ROOT)), path.read_text()
    for name in skrank.__all__:
        made = getattr(skrank, name)
        yield name, inspect.getdoc(made) or ""
        for part, member in vars(made).items() if inspect.isclass(made) else ():
            if not part.startswith("_"):
                yield f"{name}.{part}", inspect.getdoc(member) or ""


@pytest.mark.parametrize("words", NOT_SAID)
def test_one_word_has_one_meaning(words):
    pattern = words.replace(" ", r"\s+")
    found = [
        (place, one[0])
        for place, text in prose()
        if (one := re.search(pattern, text, re.IGNORECASE))
    ]
    assert not found, f"say {NOT_SAID[words]}"


def test_what_is_printed_is_in_the_glossary():
    """Rows of results are terms of the glossary, or columns that a page explains."""
    page = (ROOT / "doc" / "glossary.rst").read_text() if PAGES[1:] else ""
    if not page:
        pytest.skip("the documentation is not here")
    y, score = np.arange(60) < 9, np.random.default_rng(0).normal(size=60)
    results = [
        skrank.RandomSelectionTest().from_predictions(y, score),
        skrank.MetricInterval().from_predictions(y, score),
        skrank.hit_curve(y, score).gains_table(),
        skrank.ThresholdChoice(t=5).from_predictions(y, score),
    ]
    rows = {name for one in results for name, _ in one._shown().rows}
    rows -= {"of the part", "cumulative", "score", "t", "95 % interval", "interval"}
    missing = [
        name
        for name in rows
        if not re.search(rf"^   {name.replace('pvalue', 'p-value')}$", page, re.M)
    ]
    assert missing == []


def test_modules_in_backticks_exist():
    """A name such as `_tail` in the first words of a module is that of a module."""
    package = Path(skrank.__file__).parent
    every = {path.stem for path in package.rglob("_*")} | {"_score"}  # scikit-learn's
    missing = []
    for path in package.rglob("*.py"):
        first = path.read_text(encoding="utf-8").split('"""')[1:2]
        named = re.findall(r"`(?:\w+/)*(_[a-z][a-z_]+)`", "".join(first))
        missing += [(path.name, name) for name in named if name not in every]
    assert missing == []
