"""What users name is printed as text: it steers no terminal and looks like no other."""

import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skrank import (
    MetricInterval,
    RandomSelectionNull,
    RankCounts,
    RankingComparison,
    RankingReport,
    average_precision,
    hit_curve,
    recall_at_t,
)
from skrank.report._command_line import main

STEERING = ["\x1b[2J", "a\nb", "\u202eabc", "\ufeff", "\ud800", "\x00", "", " ", "<b>"]
LONG = 10**6
names = st.one_of(st.sampled_from(STEERING), st.text(max_size=6))
Y = np.arange(40) < 6
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(2, 40))


def is_clean(text):
    return all(line.isprintable() for line in text.split("\n"))


def rows_of(report):
    """First cells of the table of average precision."""
    table = str(report).split("\n\n")[2]
    return [line[2:].split("  ")[0] for line in table.split("\n")[2:]]


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
def test_reports_and_pages_hold_no_control_characters(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if not installed
    given = [*STEERING, "A", "null mean", "\x1b[31mnull mean"]
    scores = dict(zip(given, RNG.normal(size=(len(given), 40)), strict=True))
    report = RankingReport(pvalue=False, t=5).from_predictions(Y, scores)
    assert is_clean(str(report))
    rows = rows_of(report)
    assert len(set(rows)) == len(given) + 1  # and chance
    assert rows[-1] == "null mean"
    assert report.names == tuple(given)
    page = report.to_html()
    assert is_clean(page)
    assert page.encode()
    assert "<b>" not in page
    assert page.count('scope="rowgroup"') == 1  # one depth


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@settings(max_examples=10)
@given(pair=st.lists(names, min_size=2, max_size=2, unique=True))
@example(pair=["data set", "pvalue"])
@example(pair=["zscore", "difference"])
def test_comparisons_hold_no_control_characters(pair):
    table = RankingComparison().compare_all(Y, dict(zip(pair, SCORES, strict=True)))
    assert is_clean(str(table))
    lines = str(table.comparisons[0]).split("\n")
    assert len(lines) == 1 + 8
    assert is_clean("".join(lines))
    rows = ["data set", "difference", "standard error", "zscore", "pvalue"]
    for row in rows:
        assert sum(line.startswith(f"  {row:<14} ") for line in lines) == 1


# Errors

ASKED = {
    "cutoff": lambda value: recall_at_t(Y, SCORES[0], t=value),
    "pos_label": lambda value: average_precision(Y, SCORES[0], pos_label=value),
    "labels": lambda value: average_precision([value, "b", "c"], [1, 2, 3]),
    "no such label": lambda value: average_precision(
        [value, "b", "c"], [1, 2, 3], pos_label="d"
    ),
    "scores": lambda value: average_precision(Y, [value] * 40),
    "weights": lambda value: average_precision(
        Y, SCORES[0], sample_weight=[value] * 40
    ),
    "tie_sizes": lambda value: RandomSelectionNull(50, 5, tie_sizes=value),
    "sf": lambda value: RandomSelectionNull(50, 5).sf(value),
    "metric": lambda value: RandomSelectionNull(50, 5, metric=value),
    "alpha": lambda value: RandomSelectionNull(50, 5, metric=f"bedroc(alpha={value})"),
    "names": lambda value: RankingReport().from_predictions(
        Y, {value: SCORES[0][:5], "b": SCORES[1]}
    ),
    "baseline": lambda value: RankingComparison().compare_all(
        Y, SCORES.T, baseline=value
    ),
    "random_state": lambda value: MetricInterval(
        method="bootstrap", random_state=value
    ).from_predictions(Y, SCORES[0]),
    "method": lambda value: MetricInterval(method=value).from_predictions(Y, SCORES[0]),
    "counts label": lambda value: RankCounts(pos_label=value) + RankCounts(),
    "curve": lambda value: hit_curve(Y, SCORES[0]).at(value),
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
