"""What users name is printed as text: it steers no terminal and is taken for no other.

The judge is Python's own table of Unicode: what `str.isprintable` says of a letter.
"""

import sys

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from skrank import (
    MetricInterval,
    RandomSelectionNull,
    RankCounts,
    RankingComparison,
    RankingEvaluation,
    average_precision,
    average_precision_at_k,
    hit_curve,
    make_average_precision_scorer,
    ranking_report,
    recall_at_t,
)
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.displays._drawing import plain
from skrank.report._command_line import main

CATEGORIES = ["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "L", "M", "N", "P", "S"]
STEERING = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "a\nb",
    "a\rb",
    "a\tb",
    "\x7f",
    "\x9b31m",
    "\u202eabc",
    "\u2066abc",
    "a\u200bb",
    "\ufeff",
    "\u2028",
    "\ud800",
    "\x00",
    "by chance",
    "'by chance'",
    "",
    " ",
    "A",
    "list",
    "difference",
    "z",
    "p",
    "total",
    "-",
    "\\x1b",
    "<b>",
    "a  b",
]
texts = st.text(st.characters(categories=CATEGORIES), max_size=6)
names = st.one_of(st.sampled_from(STEERING), texts)
Y = np.arange(40) < 6
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(2, 40))


def is_clean(text):
    return all(line.isprintable() for line in text.split("\n"))


def rows_of(report):
    """First cells of the table of average precision."""
    table = str(report).split("\n\n")[2]
    return [line[2:].split("  ")[0] for line in table.split("\n")[2:]]


# Names


@given(name=names)
def test_names_are_one_line_that_is_seen(name):
    assert as_text(name).isprintable()
    assert as_text(name).strip() == as_text(name) != ""
    assert plain(name).isprintable()


@given(pair=st.lists(names, min_size=2, max_size=2, unique=True))
@example(pair=["a\nb", "a\\nb"])
@example(pair=["a\nb", "'a\\nb'"])
@example(pair=["by chance", "'by chance'"])
@example(pair=["", "''"])
def test_names_that_differ_print_differently(pair):
    one, other = (as_text(name, reserved=["by chance"]) for name in pair)
    assert one != other
    assert "by chance" not in (one, other)


def test_names_in_common_use_are_printed_as_they_are():
    for name in (
        "model a",
        "Größe (µm)",
        "模型",
        "it's",
        'the "best"',
        "C:\\temp",
        "3.5",
    ):
        assert as_text(name) == name


@settings(max_examples=8)
@given(pair=st.lists(names, min_size=2, max_size=2, unique=True))
@example(pair=["null mean", "\x1b[31mnull mean"])
@example(pair=["", "A"])
@example(pair=["\ud800", "<b>"])
def test_reports_hold_no_control_characters(pair):
    scores = dict(zip(pair, SCORES, strict=True))
    report = ranking_report(Y, scores, pvalue=False, t=5)
    assert is_clean(str(report))
    assert len(set(rows_of(report))) == 3  # two rankings, and chance
    assert rows_of(report)[-1] == "null mean"
    assert report.names == tuple(pair)


def test_pages_hold_no_control_characters(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if not installed
    for name in STEERING:
        scores = {name: SCORES[0], "other": SCORES[1]}
        page = ranking_report(Y, scores, pvalue=False, t=5).to_html()
        assert is_clean(page)
        assert page.encode()
        assert "<b>" not in page
        assert page.count('scope="rowgroup"') == 1 + 1  # one depth, one A


@settings(max_examples=10)
@given(pair=st.lists(names, min_size=2, max_size=2, unique=True))
@example(pair=["data set", "pvalue"])
@example(pair=["zscore", "difference"])
def test_comparisons_hold_no_control_characters(pair):
    table = RankingComparison().compare_all(Y, dict(zip(pair, SCORES, strict=True)))
    assert is_clean(str(table))
    lines = str(table.comparisons[0]).split("\n")
    assert len(lines) == 1 + 9
    assert is_clean("".join(lines))
    rows = ["data set", "difference", "standard error", "zscore", "pvalue"]
    for row in [*rows, "sample size"]:
        assert sum(line.startswith(f"  {row:<14} ") for line in lines) == 1


# Values in errors

LONG = 10**6
HUGE = [
    "x" * LONG,
    "\x1b[2J\n" * LONG,
    b"x" * LONG,
    list(range(LONG)),
    np.zeros(900),
    dict.fromkeys(range(LONG)),
    10**5000,
    [10**5000],
    -(10**300),
    (1,) * LONG,
]


@pytest.mark.parametrize("value", HUGE, ids=range(len(HUGE)))
def test_values_are_short(value):
    assert len(brief(value)) < 120
    assert brief(value).isprintable()


@given(value=st.one_of(names, st.integers(), st.floats(), st.lists(names, max_size=3)))
def test_short_values_are_those_that_python_writes(value):
    assume(len(repr(value)) <= 100)
    assert brief(value) == repr(value)


@given(text=st.text(st.characters(categories=CATEGORIES)), most=st.integers(10, 50))
def test_short_texts(text, most):
    short = in_short(text, most)
    assert short.isprintable()
    assert len(short) <= most + 3
    if text.isprintable() and len(text) <= most:
        assert short == text


@given(texts=st.lists(st.text(max_size=300), max_size=40), most=st.integers(1, 30))
def test_lists_are_short_and_count_the_rest(texts, most):
    said = listed(texts, most)
    assert said.isprintable()
    assert len(said) < 350
    letters = [f"{i}" for i in range(len(texts))]
    shown = ", ".join(letters[:most])
    rest = f" and {len(texts) - most} more" if len(texts) > most else ""
    assert listed(letters, most) == shown + rest


ASKED = {
    "cutoff": lambda value: recall_at_t(Y, SCORES[0], t=value),
    "depth": lambda value: average_precision_at_k(Y, SCORES[0], k=value),
    "ties": lambda value: average_precision(Y, SCORES[0], ties=value),
    "pos_label": lambda value: average_precision(Y, SCORES[0], pos_label=value),
    "labels": lambda value: average_precision([value, "b", "c"], [1, 2, 3]),
    "no such label": lambda value: average_precision(
        [value, "b", "c"], [1, 2, 3], pos_label="d"
    ),
    "scores": lambda value: average_precision(Y, [value] * 40),
    "counts": lambda value: RandomSelectionNull(value, 5),
    "tie_sizes": lambda value: RandomSelectionNull(50, 5, tie_sizes=value),
    "q": lambda value: RandomSelectionNull(50, 5).ppf(value),
    "isf": lambda value: RandomSelectionNull(50, 5).isf(value),
    "sf": lambda value: RandomSelectionNull(50, 5).sf(value),
    "metric": lambda value: RandomSelectionNull(50, 5, metric=value),
    "alpha": lambda value: RandomSelectionNull(50, 5, metric=f"bedroc(alpha={value})"),
    "level": lambda value: ranking_report(Y, SCORES[0], confidence_level=value),
    "names": lambda value: ranking_report(Y, {value: SCORES[0][:5], "b": SCORES[1]}),
    "baseline": lambda value: RankingComparison().compare_all(
        Y, SCORES.T, baseline=value
    ),
    "random_state": lambda value: MetricInterval(
        method="bootstrap", random_state=value
    ).from_predictions(Y, SCORES[0]),
    "method": lambda value: MetricInterval(method=value).from_predictions(Y, SCORES[0]),
    "comparison": lambda value: RankingComparison(method=value).from_predictions(
        Y, *SCORES
    ),
    "missed": lambda value: RankingEvaluation().add_missed(value),
    "counts label": lambda value: RankCounts(pos_label=value) + RankCounts(),
    "scorer": lambda value: make_average_precision_scorer(ties=value),
    "curve": lambda value: hit_curve(Y, SCORES[0]).at(value),
    "weights": lambda value: average_precision(
        Y, SCORES[0], sample_weight=[value] * 40
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("asked", ASKED)
def test_errors_are_short_lines(asked):
    for value in ("x" * LONG, "\x1b[2J\n" * 999, 10**5000, np.zeros(900), [0] * 9999):
        try:
            ASKED[asked](value)
        except (ValueError, TypeError, OverflowError, AttributeError) as error:
            said = str(error)
            assert len(said) < 500, said[:700]
            assert "\x1b" not in said


# The command line

CELL = "x" * 10**5


def error_of(capsys, path, *options):
    try:
        status = main(["report", str(path), "--target", "y", "--score", "a", *options])
    except SystemExit as ended:
        status = ended.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.endswith("\n")
    assert err[:-1].isprintable()
    assert len(err) < 800
    return err


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("y,a", f"0,1\n1,{CELL}\n"),
        ("y,a", "0,1\n1,\x1b[31m\n"),
        ("y,a", f"0,1\n{CELL},2\n3,4\n"),
        ("y,a", '0,1\n1,"2\n'),
        (f"y,{CELL}", "0,1\n1,2\n"),
        ("y," + ",".join("bcdefg" * 9), "0,1\n1,2\n"),
        ("y,\x1b[31m", "0,1\n1,2\n"),
        ("y,\ud800", "0,1\n1,2\n"),
    ],
    ids=range(8),
)
def test_errors_of_files_are_short_lines(tmp_path, capsys, header, rows):
    path = tmp_path / "t.csv"
    path.write_bytes(f"{header}\n{rows}".encode("utf-8", "surrogatepass"))
    assert str(path) in error_of(capsys, path)


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of any bytes")
@pytest.mark.parametrize("name", ["\x1b[2J.csv", "\udcff.csv", "a\nb.csv", "x" * 250])
def test_names_of_files_are_shown(tmp_path, capsys, name):
    for path in (tmp_path / name, tmp_path / name[:60] / name):
        error_of(capsys, path)
    (tmp_path / name).write_text("y,a\n0,1\n1,x\n")
    assert "`column a`" in error_of(capsys, tmp_path / name)


@pytest.mark.parametrize("option", ["--at", "--pos-label", "--nope"])
def test_errors_of_options_are_short_lines(tmp_path, capsys, option):
    path = tmp_path / "t.csv"
    path.write_text("y,a\n0,1.5\n1,2\n")
    for value in ("x" * 10**5, "\x1b[2J", "\u202e", "\ud800"):
        error_of(capsys, path, option, value)


def test_columns_are_printed_as_text(tmp_path, capsys):
    rows = "".join(f"{i % 2},{i}.5\n" for i in range(9))
    for name in ("\x1b[2J", "\u202eabc", "null mean", "'a'", "<b>"):
        path = tmp_path / "t.csv"
        path.write_text(f"y,{name}\n{rows}", encoding="utf-8")
        assert main(["report", str(path), "--target", "y", "--score", name]) == 0
        assert is_clean(capsys.readouterr().out)
