"""The command prints the report of a file, and errors are one line.

The judge is `RankingReport` on the arrays that the file was made of.
"""

import bz2
import csv
import datetime
import functools
import gzip
import importlib.util
import io
import json
import lzma
import os
import re
import resource
import runpy
import signal
import subprocess
import sys
import zipfile
from decimal import Decimal

import numpy as np
import pytest

import skrank
from skrank import RankingMonitor, RankingReport, SampledMetricInterval
from skrank.report import _score_file
from skrank.report._command_line import main
from skrank.report._score_file import _Numbers, read_score_file

pytestmark = [
    pytest.mark.contract,
    # the tables have five targets
    pytest.mark.filterwarnings("ignore:With fewer than 12 targets"),
]
FEW = "skrank: warning: With fewer than 12 targets"


def without_few(err):
    """What is said on standard error, apart from the warning of few targets."""
    lines = err.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(FEW))


def printed(capsys):
    """What was printed and said."""
    out, err = capsys.readouterr()
    return out, without_few(err)


pl = pytest.importorskip("polars")
N = 100
RNG = np.random.default_rng(0)
Y = (np.arange(N) < 5).astype(int)
A = RNG.normal(2.0 * Y)
B = np.round(5 * RNG.normal(1.0 * Y)).astype(int)


def write_table(path, separator=",", labels=Y, **columns):
    """Write a table with columns that are not needed, one of them quoted."""
    table = {"id": np.arange(N), "active": labels, "a": A, "b": B, **columns}
    table["note"] = ['"one, ""two\nlines"""'] * N
    rows = [table, *zip(*table.values(), strict=True)]
    text = "\n".join(separator.join(map(str, row)) for row in rows) + "\n"
    path.write_bytes(
        gzip.compress(text.encode()) if "gz" in path.name else text.encode()
    )
    return path


def text_file(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@functools.cache
def plain_report(kept=N):
    """Return the report of the last items; once for many files."""
    scores = {"a": A[-kept:], "b": B[-kept:]}
    return RankingReport(random_state=0).from_predictions(Y[-kept:], scores)


def expected(clusters=None, **settings):
    if not settings:
        return f"{plain_report()}\n"
    asked = RankingReport(random_state=0, **settings)
    return f"{asked.from_predictions(Y, {'a': A, 'b': B}, clusters=clusters)}\n"


def ask(path, *options):
    start = ["report", str(path), "--target", "active", "--score", "a", "--score", "b"]
    return [*start, *map(str, options)]


def error_of(capsys, arguments):
    """Run a command that must fail with one line."""
    assert main([str(one) for one in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("skrank: error: ")
    assert err.count("\n") == 1
    return err


def error_of_text(capsys, tmp_path, text, *options):
    """Return the error for a text of labels `y` and scores `s`."""
    path = text_file(tmp_path, text)
    asked = ["report", path, "--target", "y", "--score", "s", *options]
    return error_of(capsys, asked)


def scores_of(tmp_path, cells):
    """Return the average precision that is printed for some scores."""
    text = "y,s\n" + "".join(f"{int(i == 0)},{cell}\n" for i, cell in enumerate(cells))
    path = text_file(tmp_path, text)
    asked = ["report", str(path), "--target", "y", "--score", "s", "--at", "1"]
    return main([*asked, "--csv", str(tmp_path / "out.csv")])


# As a process


def test_process_prints_the_report(tmp_path):
    command = ask(write_table(tmp_path / "t.csv"), "--at", "10", "--at", "5%")
    done = subprocess.run([sys.executable, "-m", "skrank", *command], capture_output=1)
    assert done.returncode == 0
    assert without_few(done.stderr.decode()) == ""
    assert done.stdout.decode().replace("\r", "") == expected(t=(10, 0.05))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs pipes that end a process")
def test_process_whose_reader_has_gone(tmp_path):
    page = tmp_path / "page.tex"
    command = ask(write_table(tmp_path / "t.csv"), "--latex", page)
    reader, writer = os.pipe()
    os.close(reader)
    run = [sys.executable, "-m", "skrank", *command]
    done = subprocess.run(run, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.returncode == -signal.SIGPIPE
    assert page.read_text(encoding="utf-8").endswith("\\end{table}\n")


def test_module_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["skrank", "--version"])
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # that of the tests stays
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("skrank", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"skrank {skrank.__version__}\n"
    monkeypatch.delattr(signal, "SIGPIPE", raising=False)  # as on Windows
    with pytest.raises(SystemExit):
        runpy.run_module("skrank", run_name="__main__")


# Kinds of files


@pytest.mark.parametrize(
    ("name", "separator"),
    [("t.csv", ","), ("T.CSV.gz", ","), ("t.tsv", "\t"), ("t.TSV.gz", "\t")],
)
def test_text(tmp_path, capsys, name, separator):
    assert main(ask(write_table(tmp_path / name, separator))) == 0
    assert printed(capsys) == (expected(), "")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.parquet"])
def test_standard_input(tmp_path, capsys, monkeypatch, name):
    path = tmp_path / name
    if name == "t.parquet":
        pl.DataFrame({"active": Y, "a": A, "b": B}).write_parquet(path)
    else:
        write_table(path)
    data = io.BytesIO(path.read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    assert main(ask("-")) == 0
    assert printed(capsys) == (expected(), "")


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (pl.Series(Y), []),
        (pl.Series(Y == 1), []),
        (pl.Series(Y * 1.0), []),
        (pl.Series(np.where(Y, "hit", "no").tolist()), ["--pos-label", "hit"]),
        (
            pl.Series(np.where(Y, "hit", "no").tolist(), dtype=pl.Categorical),
            ["--pos-label", "hit"],
        ),
    ],
    ids=["int", "bool", "float", "text", "category"],
)
def test_parquet(tmp_path, capsys, labels, options):
    path = tmp_path / "t.pq"
    pl.DataFrame({"id": range(N), "active": labels, " a": A, "b": B}).write_parquet(
        path
    )
    assert main(ask(path, *options)) == 0
    assert printed(capsys) == (expected(), "")


@pytest.mark.parametrize("option", [";", "|", "tab", r"\t", "\t"])
@pytest.mark.parametrize("decimal", [".", ","])
def test_separators_and_decimal_commas(tmp_path, capsys, option, decimal):
    separator = "\t" if len(option) > 1 else option
    scores = [str(one).replace(".", decimal) for one in A]
    table, out = tmp_path / "t.csv", tmp_path / "out.csv"
    write_table(table, separator, a=scores)
    form = ["--separator", option, "--decimal", decimal]
    assert main(ask(table, *form, "--csv", out)) == 0
    assert printed(capsys)[0] == expected()
    read = pl.read_csv(out, separator=separator, decimal_comma=decimal == ",")
    assert read.to_dict(as_series=False) == plain_report().to_dict()["rankings"]


def test_decimal_commas_are_those_of_texts(tmp_path, capsys):
    path = tmp_path / "t.parquet"
    exact = pl.Series([Decimal("1.25"), Decimal("0.5")])
    pl.DataFrame({"y": [1, 0], "s": exact, "t": ["1,25", "0,5"]}).write_parquet(path)
    given = ["report", str(path), "--target", "y", "--score", "s", "--score", "t"]
    assert main([*given, "--at", "1", "--decimal", ","]) == 0
    assert "2 items, 1 target" in capsys.readouterr().out


def test_numbers_of_another_decimal_sign_are_refused(tmp_path, capsys):
    points = error_of_text(capsys, tmp_path, "y;s\n1;0,5\n0;1\n", "--separator", ";")
    assert "got '0,5' in row 1 below the header. --decimal ',' reads" in points
    asked = ["--separator", ";", "--decimal", ","]
    for cell in ("1.5", "1.234,5", "1,2,3"):  # a point may divide thousands
        said = error_of_text(capsys, tmp_path, f"y;s\n1;{cell}\n0;1\n", *asked)
        assert f"got '{cell}' in row 1" in said


def test_lines_that_end_in_carriage_returns(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv")
    table.write_bytes(table.read_bytes().replace(b"\n", b"\r"))
    assert main(ask(table)) == 0
    assert printed(capsys) == (expected(), "")


@pytest.mark.parametrize("size", [1, 9, 40, 10**6])
def test_pieces_of_a_file_are_those_of_the_csv_module(tmp_path, monkeypatch, size):
    rows = ['note,"y",s', '"a\nb",1,0.5', "", '"q ""q"", c",0,3', ",1,2e1", "c,0,-1.25"]
    path = text_file(tmp_path, "\n".join([*rows, *rows[1:]]))
    monkeypatch.setattr(_score_file, "_PIECE", size)
    read, _ = read_score_file(str(path), [("s", False)], {"y_true": "y"})
    with open(path, newline="") as file:
        cells = [row for row in csv.reader(file) if row][1:]
    assert read["y_true"].tolist() == [row[1] == "1" for row in cells]
    assert read["y_score"]["s"].tolist() == [float(row[2]) for row in cells]


def test_marks_blanks_and_empty_lines(tmp_path, capsys):
    text = '\ufeffy, s ,note\r\n1, 2.5 ,\r\n\r\n 0,1e1,"two\r\nlines"\r\n0,1,\r\n\r\n'
    path = text_file(tmp_path, text)
    asked = ["report", str(path), "--target", "y", "--score", "s", "--at", "1"]
    assert main(asked) == 0
    report = RankingReport(t=1, random_state=0).from_predictions(
        [1, 0, 0], {"s": [2.5, 10, 1]}
    )
    assert capsys.readouterr().out == f"{report}\n"


def as_zip(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", data)
    return file.getvalue()


@pytest.mark.parametrize(
    ("convert", "kind"),
    [
        (as_zip, r"workbooks of Excel \(xlsx\)"),
        (bz2.compress, "bz2"),
        (lzma.compress, "compressed by xz"),
        (lambda data: data.decode().encode("utf-16"), "text in UTF-16"),
        (lambda data: data.decode().encode("utf-16-be"), "binary"),
    ],
)
def test_other_files_are_named(tmp_path, capsys, convert, kind):
    path = text_file(tmp_path, convert(b"active,a,b\n1,2,3\n"))
    with pytest.raises(
        ValueError, match=f"csv or tsv.* or parquet; got one that.*{kind}"
    ):
        raise ValueError(error_of(capsys, ask(path)))


def test_files_that_cannot_be_read(tmp_path, capsys):
    said = error_of(capsys, ask(tmp_path / "none.csv"))
    assert f"No such file or directory: '{tmp_path / 'none.csv'}'" in said
    whole = write_table(tmp_path / "t.csv.gz").read_bytes()
    for damaged in (whole[:200], whole[:20] + b"x" + whole[21:], b"PAR1 and no more"):
        table = text_file(tmp_path, damaged)
        assert str(table) in error_of(capsys, ask(table))


def test_without_polars(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    said = error_of(capsys, ask(tmp_path / "t.csv"))
    assert "need polars: pip install skrank[report]" in said


# Quotes that join rows


def rows_of_notes():
    return [f"{y},{a},note {i}" for i, (y, a) in enumerate(zip(Y, A, strict=True))]


def change(rows, at, old, new):
    rows[at] = rows[at].replace(old, new)


@pytest.mark.parametrize("old", ["note", "0"])
@pytest.mark.parametrize("others", [[], [90], [60, 99]])
def test_stray_quotes_are_errors(tmp_path, capsys, old, others):
    rows = rows_of_notes()
    for at in (50, *others):
        change(rows, at, old, f'"{old}')
    said = error_of_text(capsys, tmp_path, "\n".join(["y,s,note", *rows]))
    assert "with closed quotes" in said


@pytest.mark.parametrize("others", [[], [90], [60, 99]])
def test_quotes_within_cells_join_no_rows(tmp_path, capsys, others):
    """Versions of Polars raise an error, or read the quote."""
    rows = rows_of_notes()
    for at in (50, *others):
        change(rows, at, "note", 'no"te')
    path = text_file(tmp_path, "\n".join(["y,s,note", *rows]))
    status = main(["report", str(path), "--target", "y", "--score", "s"])
    out, err = capsys.readouterr()
    assert "with closed quotes" in err if status else "100 items" in out


# Labels


@pytest.mark.parametrize(
    ("other", "target", "options"),
    [
        ("0.0", "1.0", []),
        ("-1", "1", []),
        ("False", "TRUE", []),
        ("0.0", "1.0", ["--pos-label", "1.0"]),
        ("decoy", " active ", ["--pos-label", "active"]),
        ("100", "1E2", ["--pos-label", "1E2"]),
        ("10", "1_0", ["--pos-label", "1_0"]),
        ("infinity", "inf", ["--pos-label", "inf"]),
        ("true", "1", ["--pos-label", "1"]),
        ("1", "0", ["--pos-label", "0"]),
        ("A", "NA", ["--pos-label", "NA"]),
    ],
)
def test_labels_are_texts(tmp_path, capsys, other, target, options):
    labels = np.where(Y, target, other)
    assert main(ask(write_table(tmp_path / "t.csv", labels=labels), *options)) == 0
    assert printed(capsys) == (expected(), "")


@pytest.mark.parametrize("other", ["NA", ""])
def test_a_label_of_missing_values_beside_one_other(tmp_path, capsys, other):
    table = write_table(tmp_path / "t.csv", labels=np.where(Y, "A", other))
    assert main(ask(table, "--pos-label", "A")) == 0
    said = f"skrank: warning: 95 items with the label '{other}' count as non-targets.\n"
    assert printed(capsys) == (expected(), said)


@pytest.mark.parametrize("cell", ["+", "-", "unknown"])
def test_a_label_that_may_mean_unknown_beside_one_other(tmp_path, capsys, cell):
    table = write_table(tmp_path / "t.csv", labels=np.where(Y, "A", cell))
    options = ["--pos-label", "A", "--drop-missing-labels"]
    assert main(ask(table, *options)) == 0
    assert printed(capsys) == (expected(), "")


@pytest.mark.parametrize(("form", "target"), [(str, "1"), (float, "1.0")])
def test_minus_one_beside_zero_and_one_is_told(tmp_path, capsys, form, target):
    labels = list(map(form, np.where(np.arange(N) > 90, -1, Y)))
    table = write_table(tmp_path / "t.csv", labels=labels)
    assert main(ask(table, "--pos-label", target)) == 0
    out, said = printed(capsys)
    assert out == expected()
    assert said.startswith("skrank: warning: The label -1 counts as a non-target")
    assert said.count("\n") == 1


MISSING = ["", "NA", "nan", "NaN", "NULL", "null", "None", r"\N", "N/A"]
MISSING += ["#N/A", "#NA", "?", "-", ".", "missing", "unknown", "Unknown"]


@pytest.mark.parametrize(
    ("cell", "options"),
    [*((cell, []) for cell in MISSING), ("NA", ["--pos-label", "1"])],
)
def test_missing_labels(tmp_path, capsys, cell, options):
    labels = np.where(np.arange(N) < 2, cell, Y.astype(str))
    table = write_table(tmp_path / "t.csv", labels=labels)
    said = error_of(capsys, ask(table, *options))
    rule = "`column active` must contain a value in each row; got 2 missing, in row 1"
    assert rule in said
    assert "--drop-missing-labels leaves these rows out; --strata reports on" in said
    assert main(ask(table, "--drop-missing-labels", *options)) == 0
    out, err = capsys.readouterr()
    note = (
        "2 items with a missing label were left out: these are metrics of the labelled "
        "rows, not of the list"
    )
    assert without_few(err) == f"skrank: {note}\n"
    assert out == f"{plain_report(N - 2)}\n\n{note}\n"


@pytest.mark.parametrize("option", ["--group", "--cluster"])
@pytest.mark.parametrize("cell", ["", "NA", "nan"])
def test_missing_groups_and_clusters(tmp_path, capsys, option, cell):
    day = np.where(np.arange(N) % 50 < 3, cell, "monday")
    table = write_table(tmp_path / "t.csv", day=day)
    said = error_of(capsys, ask(table, option, "day"))
    message = (
        "`column day` must contain a value in each row; got 6 missing, in row 1, 2, 3, "
    )
    assert f"{message}51, 52, ... below the header." in said


# Scores


@pytest.mark.parametrize(
    "cells",
    [
        [2**60 + 1, 2**60, -(2**63), 2**63 - 1],
        [2**63 + 1, 2**63, 2**64 - 1, 0],
        [2**80 + 2**40, 2**80, 0],
        ["+5", "-.5e-3", ".5", "4."],
        ["1e-300", "1e300", "0.1"],
    ],
)
def test_numbers_are_those_of_python(tmp_path, capsys, cells):
    assert scores_of(tmp_path, cells) == 0
    exact = [Decimal(str(cell)) for cell in cells]
    rank = 1 + sum(one > exact[0] for one in exact)
    found = pl.read_csv(tmp_path / "out.csv")["average_precision"][0]
    assert found == pytest.approx(1 / rank)


@pytest.mark.parametrize(
    "cells",
    [
        [2**53 + 1, 2**53, 1.5],
        [2**64 + 1, 2**64, 0],
        [f"{2**60}.5", 2**60, 3],
    ],
)
def test_numbers_that_a_float_would_tie_are_refused(tmp_path, capsys, cells):
    assert scores_of(tmp_path, cells) == 2
    said = "`column s` must contain numbers that stay distinct in double precision"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "scores",
    [
        pl.Series([2**64 - 1, 2**64 - 2, 3], dtype=pl.UInt64),
        pl.Series([Decimal("1.25"), Decimal("0.5"), Decimal("0")]),
        pl.Series([f"{2**53 + 3}.1", f"{2**53}.9", "1"]).cast(pl.Decimal(20, 1)),
        pl.Series([2.5, 1, 0], dtype=pl.Float32),
        pl.Series(["1e3", "999", "1"]),
    ],
    ids=str,
)
def test_numbers_of_parquet(tmp_path, scores):
    path, out = str(tmp_path / "t.parquet"), str(tmp_path / "out.csv")
    pl.DataFrame({"y": [1, 0, 0], "s": scores}).write_parquet(path)
    asked = ["report", path, "--target", "y", "--score", "s", "--at", "1", "--csv", out]
    assert main(asked) == 0
    assert pl.read_csv(out)["average_precision"].to_list() == [1]


def test_integers_that_numpy_does_not_have():
    cells = pl.Series([2**62 + 1, 2**62, 3], dtype=pl.Int128)
    numbers = _Numbers("s", pl, False, ".", 3)
    numbers.add(cells, np.arange(3))
    assert numbers.values().tolist() == [2**62 + 1, 2**62, 3]


@pytest.mark.parametrize(
    "cell",
    ["x1", "", "nan", "inf", "-inf", "1e999", "0,5", "1_0", "0x1F", "2020-01-01"],
)
def test_cells_that_are_no_finite_number(tmp_path, capsys, cell):
    text = f'y,s,t\n1,2,\n\n0,"{cell}",\n0,1,\n'
    said = error_of_text(capsys, tmp_path, text)
    rule = "`column s` must contain a finite number in each row"
    assert f"{rule}; got '{cell}' in row 3 below the header" in said


TIED = pl.Series([f"{2**53 + 1}.0", f"{2**53}.0", "1"]).cast(pl.Decimal(20, 1))


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        *(
            ([1, 0, 0], [1, value, 2], f"row; got {value} in row 2 below the header")
            for value in (None, float("nan"), float("inf"))
        ),
        *(
            ([one, 0, 1], [1, 2, 3], "got 1 missing, in row 1 below the header")
            for one in (None, float("nan"))
        ),
        ([1, 0, 0], TIED, "stay distinct in double precision"),
    ],
    ids=range(6),
)
def test_columns_of_parquet_that_are_refused(tmp_path, capsys, labels, scores, message):
    path, columns = tmp_path / "t.parquet", {"y": labels, "s": scores}
    columns = {
        name: one if one is TIED else pl.Series(one, dtype=pl.Float64)
        for name, one in columns.items()
    }
    pl.DataFrame(columns).write_parquet(path)
    asked = ["report", path, "--target", "y", "--score", "s"]
    assert message in error_of(capsys, asked)


def test_lower_is_better(tmp_path, capsys):
    arguments = ["report", str(write_table(tmp_path / "t.csv")), "--target", "active"]
    assert main([*arguments, "--lower-is-better", "b", "--score", "a"]) == 0
    report = RankingReport(random_state=0).from_predictions(
        Y, {"b (lower)": -B, "a": A}
    )
    assert capsys.readouterr().out == f"{report}\n"
    # scores in the print are those of the file
    arguments += ["--threshold", "recall=0.5", "--gains", "4"]
    assert main([*arguments, "--lower-is-better", "b"]) == 0
    said = capsys.readouterr().out
    sign, cut = re.search(r"recall .* b \(lower\) +([<>]=) +(\S+)", said).groups()
    first = re.search(r"^  1  .*", said, re.M).group()
    at = np.sort(B)[: -(-Y.size // 4)].max()
    assert float(first.split()[2]) == pytest.approx(at, abs=1e-3)
    assert sign == "<="
    assert Y[float(cut) + 1e-3 >= B].sum() / Y.sum() >= 0.5
    # a part that ends at an item without a score has none
    with_gaps = np.where(np.arange(N) % 2, B.astype(str), "")
    path = str(write_table(tmp_path / "gaps.csv", b=with_gaps))
    given = ["--target", "active", "--lower-is-better", "b", "--missing", "last"]
    assert main(["report", path, *given, "--gains", "2"]) == 0
    rows = re.findall(r"^  [12]  .*", capsys.readouterr().out, re.M)
    assert float(rows[0].split()[2]) == pytest.approx(B[1::2].max(), abs=1e-3)
    assert rows[1].split()[2] == "-"


@pytest.mark.parametrize(
    ("text", "depth"),
    [("7", 7), ("1.1%", 0.011), ("0.25", 0.25)],
)
def test_depths(tmp_path, capsys, text, depth):
    assert main(ask(write_table(tmp_path / "t.csv"), "--at", text)) == 0
    assert capsys.readouterr().out == expected(t=depth)


def test_warning_is_told_once(tmp_path, capsys):
    """Both rankings and their comparison leave the day without targets out."""
    rows = "".join(
        f"{int(i % 10 == 3 and i < 40)},{i},{i % 7},{i // 10}\n" for i in range(50)
    )
    table = text_file(tmp_path, f"active,a,b,day\n{rows}")
    assert main(ask(table, "--group", "day")) == 0
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith("skrank: warning: ")


# Groups and clusters

DAYS = """y,s,t,day
1,3,1,2026-03-01
0,2,2,2026-03-01
0,1,3,2026-03-01
0,3,5,2026-03-02
1,2,9,2026-03-02
0,1,7, 2026-03-02
0,1,6,2026-03-03
"""
GROUPS = """Groups
  group       items  targets    AP s    AP t
  2026-03-01      3        1  1.0000  0.3333
  2026-03-02      3        1  0.5000  1.0000
  2026-03-03      1        0       -       -
"""


def test_groups(tmp_path, capsys):
    out = tmp_path / "out.csv"
    given = ["report", str(text_file(tmp_path, DAYS)), "--target", "y", "--at", "1"]
    given += ["--score", "s", "--score", "t", "--group", "day"]
    assert main(given) == 0
    columns = pl.read_csv(DAYS.replace(" ", "").encode())
    with pytest.warns(UserWarning, match="2026-03-03|undefined|no targets"):
        report = RankingReport(t=1, random_state=0).from_predictions(
            columns["y"], columns.select("s", "t"), groups=columns["day"]
        )
    assert capsys.readouterr().out == f"{report}\n"
    assert report.main.values["s"] == pytest.approx((1 + 1 / 2) / 2)
    assert main([*given, "--by-group", "--csv", str(out)]) == 0
    assert capsys.readouterr().out == f"{report}\n\n{GROUPS}"
    table = pl.read_csv(out)
    assert table.columns == ["group", "items", "targets", "AP s", "AP t"]
    assert table["targets"].to_list() == [1, 1, 0]
    assert table["AP t"].to_list() == [1 / 3, 1, None]


def test_clusters_and_metrics(tmp_path, capsys):
    patient = np.arange(N) % 20
    table = write_table(tmp_path / "t.csv", patient=patient)
    asked = ["--at", "10", "--cluster", "patient", "--metric", "max_f_score"]
    assert main(ask(table, *asked)) == 0
    judge = expected(t=10, clusters=patient.astype(str), metrics=["max_f_score"])
    assert capsys.readouterr().out == judge


# Output


def test_files_are_written(tmp_path, capsys):
    page, tex, table = (tmp_path / f"out.{kind}" for kind in ("html", "tex", "csv"))
    page.write_text("old")
    options = ["--html", page, "--latex", tex, "--csv", table]
    assert main(ask(write_table(tmp_path / "t.csv"), *options)) == 0
    said = "".join(f"skrank: wrote {path}\n" for path in (page, tex, table))
    assert printed(capsys) == (expected(), said)
    report = plain_report()
    assert page.read_text(encoding="utf-8") == report.to_html()
    assert tex.read_text(encoding="utf-8") == report.to_latex()
    read = pl.read_csv(table).to_dict(as_series=False)
    assert read == report.to_dict()["rankings"]
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("option", ["--html", "--latex", "--csv"])
@pytest.mark.parametrize("link", ["same", "symbolic", "hard"])
def test_the_scores_are_not_replaced(tmp_path, capsys, link, option):
    table = write_table(tmp_path / "t.csv")
    page, before = tmp_path / "t.html", table.read_bytes()
    if link == "same":
        page = table
    elif link == "symbolic":
        page.symlink_to(table)
    else:
        page.hardlink_to(table)
    said = error_of(capsys, ask(table, option, page))
    assert f"`{option}` must name another file than that of the input" in said
    assert table.read_bytes() == before


def test_outputs_are_different_files(tmp_path, capsys):
    table, link = write_table(tmp_path / "t.csv"), tmp_path / "link"
    link.symlink_to(tmp_path / "out")
    for one in (tmp_path / "out", link):
        said = error_of(capsys, ask(table, "--html", tmp_path / "out", "--latex", one))
        assert "`--latex` must name another file than that of the html; got" in said
    assert not (tmp_path / "out").exists()


def test_output_that_cannot_be_written(tmp_path, capsys):
    assert main(ask(write_table(tmp_path / "t.csv"), "--latex", tmp_path)) == 2
    out, err = capsys.readouterr()
    assert out == expected()  # all the same
    assert str(tmp_path) in err


def test_a_folder_that_is_missing_is_named_as_it_was_given(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    table = write_table(tmp_path / "t.csv")
    for option in ("--html", "--latex", "--csv"):
        said = error_of(capsys, ask(table, option, "none/there.x"))
        assert said.endswith("No such folder: 'none'\n")
        said = error_of(capsys, ask(table, option, ""))
        assert f"`{option}` must name a file; got" in said
    with pytest.raises(FileNotFoundError, match="No such folder: 'none'$"):
        plain_report().to_latex("none/report.tex")


@pytest.mark.parametrize("option", ["--html", "--latex", "--csv"])
def test_a_file_on_standard_output(tmp_path, capsys, option):
    table, path = write_table(tmp_path / "t.csv"), tmp_path / "out"
    assert main(ask(table, option, path)) == 0
    capsys.readouterr()
    assert main(ask(table, option, "-")) == 0
    out, said = printed(capsys)
    assert out.rstrip("\n") == path.read_text(encoding="utf-8").rstrip("\n")
    assert said == ""
    assert "`--csv` must name another" in error_of(
        capsys, ask(table, "--latex", "-", "--csv", "-")
    )


def test_texts_are_no_formulas_of_spreadsheets(tmp_path, capsys):
    days = np.array(["=1+A1", "+x", "@x", "-x", "-3e-5", "+4.5", "plain"])
    table = write_table(tmp_path / "t.csv", day=days[np.arange(N) % 7])
    assert main(ask(table, "--group", "day", "--by-group", "--csv", "-")) == 0
    cells = [line.partition(",")[0] for line in printed(capsys)[0].splitlines()]
    guarded = {"'=1+A1", "'+x", "'@x", "'-x", "-3e-5", "+4.5", "plain"}
    assert set(cells) == {"group", *guarded}
    table = text_file(tmp_path, "y,=s()\n1,2\n0,1\n0,3\n")
    given = ["report", str(table), "--target", "y", "--score", "=s()"]
    assert main([*given, "--at", "1", "--csv", "-"]) == 0
    assert printed(capsys)[0].splitlines()[1].startswith("'=s(),0.5,")


@pytest.mark.parametrize("name", ["stdin", "stdout"])
def test_streams_that_are_closed(tmp_path, capsys, monkeypatch, name):
    table = write_table(tmp_path / "t.csv")
    monkeypatch.setattr(sys, name, None)
    assert main(ask("-" if name == "stdin" else table)) == 2
    assert "is closed" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stderr", None)
    assert main(ask("-" if name == "stdin" else table)) == 2
    monkeypatch.undo()
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_the_user_may_interrupt():
    code = "import signal, skrank.report._command_line as c; c.run.__globals__['main']"
    code += " = lambda: signal.raise_signal(signal.SIGINT); c.run()"
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.skipif(
    sys.platform != "linux", reason="needs a limit of the size of files"
)
@pytest.mark.parametrize("old", ["old", None])
def test_a_full_disk_leaves_what_was_there(tmp_path, old):
    report, page = (
        RankingReport(pvalue=False).from_predictions(Y, A),
        tmp_path / "p.tex",
    )
    if old is not None:
        page.write_text(old)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        with pytest.raises(OSError, match="File too large"):
            report.to_latex(page)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    left = [path.read_text() for path in tmp_path.iterdir()]
    assert left == ([] if old is None else [old])


@pytest.mark.skipif(os.name != "posix", reason="needs permissions and links")
def test_links_devices_and_permissions_stay(tmp_path):
    report, link = (
        RankingReport(pvalue=False).from_predictions(Y, A),
        tmp_path / "link.tex",
    )
    page = tmp_path / f"{'x' * 250}.tex"
    page.touch(mode=0o600)
    link.symlink_to(page)
    report.to_latex(link)
    assert link.is_symlink()
    assert page.read_text(encoding="utf-8") == report.to_latex()
    assert page.stat().st_mode & 0o777 == 0o600
    report.to_latex(os.devnull)
    assert not os.path.isfile(os.devnull)
    with pytest.raises(OSError, match=str(tmp_path)):  # a folder
        report.to_latex(tmp_path)


def test_names_are_no_arguments_of_latex():
    report = RankingReport(pvalue=False, t=10).from_predictions(
        Y, {"[2]": A, "*": B, "a[1]": A}
    )
    text = report.to_latex()
    assert "\n{[}2] & " in text
    assert "\n{*} & " in text
    assert "\na[1] & " in text


# Errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("y,s\n", "there must be rows below the header; got none"),
        ("y,s\n\n,\n", "there must be rows below the header; got none"),
        ("y,t\n1,2\n", "one column 's'; got none among y, t."),
        ("y,s, s\n1,3,3\n", "one column 's'; got several among y, s, s."),
        (
            "y;s\n1;0,5\n",
            "separated by ','; got ';' in the header. Give --separator ';'",
        ),
        ("y\ts\n1\t5\n", "got '\\t' in the header. Give --separator '\\t'."),
        ("y,s\n1,0,5\n", "than the header, 2; got 3 in row 1 below the header 'y,s'."),
        ("y,s\n1,5\n\n0,'6,7'\n", "got 3 in row 3 below the header"),
        ('y,s\n"1,\n",5\n0,6,7\n', "got 3 in row 2 below the header"),
        ("y,s\n1,2\n", "got 1 target among 1 item."),
        ("\ny,s\n1,2\n", "the first line must contain the header; got an empty line."),
        ("# of today\ny,s\n1,0\n", "got 2 in row 1 below the header '# of today'."),
        ("y,S\n1,2\n", "got none among y, S. Did you mean 'S'?"),
        ("y,score\n1,2\n", "got none among y, score.\n"),
        (b"y,s\n\xff,2\n", "text must be UTF-8"),
        ("y,s\nx,1\ny,3\n", "labels of the targets|one of 'y' (1), 'x' (1), unless"),
        ("y,s\n0,1\n1,3\n2,5\n", "one of '2' (1), '1' (1), '0' (1), unless they"),
        ("y,s\n0,1\n1,3\n1.0,5\n", "one of '1.0' (1), '1' (1), '0' (1), unless"),
        ("y,s\n0,1\n0,3\n", "column 'y' must contain targets and non-targets"),
        ("y,s\n0,0\n1,1\n", "`column s` must rank the items"),
    ],
)
def test_bad_tables(tmp_path, capsys, text, message):
    said = error_of_text(capsys, tmp_path, text)
    assert any(one in said for one in message.split("|"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--at", "1000"], "`--at` must not reach beyond the ranking; got t=1000"),
        (["--score", "a"], "`--score` must name one column or more to rank by"),
        (["--score", "active"], "`column active` must rank the items"),
        (["--pos-label", "x"], "column active, one of '1' (5), '0' (95), unless "),
        (["--by-group"], "`--by-group` must be given with `--group`; got no group"),
        (["--group", "id"], "groups"),
    ],
)
def test_bad_options(tmp_path, capsys, options, message):
    table = write_table(tmp_path / "t.csv")
    assert message in error_of(capsys, ask(table, *options))


def test_scores_are_named(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv", **{"a (lower)": A})
    said = error_of(capsys, ["report", table, "--score", "a"])
    assert "`--target` must be given, or `--qrels`" in said
    given = ["report", table, "--target", "active"]
    assert "`--score` must name one column or more" in error_of(capsys, given)
    given += ["--score", "a (lower)", "--lower-is-better", "a"]
    assert "`--score` must name one column or more" in error_of(capsys, given)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "arguments are required: command"),
        (["report"], "arguments are required: file"),
        (ask("t.csv", "--at", "0"), "a number of items, a percentage or a fraction"),
        (ask("t.csv", "--at", "x%"), "a percentage or a fraction; got 'x%'"),
        (ask("t.csv", "--at", "101%"), "got '101%'"),
        (ask("t.csv", "--ties", "random"), "unrecognized arguments: --ties random"),
        (ask("t.csv", "--separator", ";;"), "must be one character, or tab; got ';;'"),
    ],
)
def test_usage(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("skrank: error: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "example"),
    [
        (["--help"], "skrank report scores.csv --target active"),
        (["report", "--help"], "skrank report scores.csv --target active"),
        (["plan", "--help"], "skrank plan scores.csv --score model_a"),
    ],
)
def test_help_has_an_example(capsys, arguments, example):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert example in capsys.readouterr().out


SAMPLE = np.where(np.argsort(np.argsort(-A)) < 20, Y.astype(str), "")
SAMPLE[::3] = Y.astype(str)[::3]
STRATA = np.where(np.argsort(np.argsort(-A)) < 20, "top", "rest")


def test_report_on_a_list_with_labels_of_a_sample(tmp_path, capsys):
    # judge: the results of the class
    table = write_table(tmp_path / "t.csv", labels=SAMPLE, stratum=STRATA)
    page, csv = tmp_path / "page.html", tmp_path / "t.out.csv"
    columns = ["--target", "active", "--score", "a", "--strata", "stratum"]
    files = ["--at", "20", "--html", str(page), "--csv", str(csv)]
    assert main(["report", str(table), *columns, *files]) == 0
    out, _ = capsys.readouterr()
    labels = np.array([np.nan if one == "" else float(one) for one in SAMPLE])
    for name in ("average_precision", "recall@20"):
        result = SampledMetricInterval(name).from_predictions(labels, A, strata=STRATA)
        low, high = result.confidence_interval()
        row = f"{name} a {result.value:.4f} {low:.4f} to {high:.4f}"
        assert row in " ".join(out.split())
        assert f"{high:.4f}" in page.read_text()
        assert f"a,{name},sampled,100,5" in csv.read_text()
    assert "Metrics of the whole list" in out
    assert "average_precision" in page.read_text()


@pytest.mark.parametrize(
    "option",
    [["--group", "id"], ["--cluster", "id"], ["--drop-missing-labels"], ["--sort"]],
)
def test_a_sample_has_no_groups(tmp_path, capsys, option):
    table = write_table(tmp_path / "t.csv", labels=SAMPLE, stratum=STRATA)
    said = error_of(capsys, ask(table, "--strata", "stratum", *option))
    assert f"`{option[0]}` must be left out with `--strata`" in said


DAY_OF_ITEM = np.arange(N) // 10 + 5  # as texts, 10 is before 5


@pytest.mark.parametrize(
    ("options", "monitor"),
    [
        ([], RankingMonitor()),
        (["--metric", "recall@3"], RankingMonitor("recall@3")),
        (["--metric", "ap", "--reference", ".5"], RankingMonitor("ap", reference=0.5)),
        (["--metric", "ap", "--reference", "b"], RankingMonitor("ap", reference="b")),
    ],
)
def test_monitor_of_a_file(tmp_path, capsys, options, monitor):
    # judge: the result of the class
    labels = (np.arange(N) % 10 < 2).astype(int)
    table = write_table(tmp_path / "t.csv", labels=labels, day=DAY_OF_ITEM)
    csv = tmp_path / "out.csv"
    columns = ["--score", "a", *(["--score", "b"] if "b" in options else [])]
    given = ["monitor", str(table), "--target", "active", *columns, "--group", "day"]
    assert main([*given, *options, "--csv", str(csv)]) == 0
    out, err = capsys.readouterr()
    scores = {"a": A, "b": B} if "b" in options else A
    result = monitor.from_predictions(labels, scores, groups=DAY_OF_ITEM)
    assert out.startswith(str(result))
    assert "alternative" in out
    rows = csv.read_text().splitlines()
    assert len(rows) == 1 + len(result.labels)
    assert [row.split(",")[0] for row in rows[1:]] == list(map(str, result.labels))
    assert err == f"skrank: wrote {csv}\n"


GIVEN = np.where(np.arange(N) % 9 == 0, Y.astype(str), "")
TWO = ["--score", "a", "--lower-is-better", "b"]


@pytest.mark.parametrize(
    ("options", "plan"),
    [
        (["--budget", "40", *TWO, "--seed", "3"], {"budget": 40, "random_state": 3}),
        (["--budget", "70", *TWO, "--t", "5%"], {"budget": 70, "t": 0.05}),
        (
            ["--budget", "40", *TWO, "--t", "3", "--t", "5", "--labelled", "given"],
            {"budget": 40, "t": [3, 5], "labelled": GIVEN != ""},
        ),
        (["--compare", *TWO, "--t", "9"], {"t": 9}),
        (["--compare", *TWO, "--t", "9", "--labelled", "given"], {"t": 9}),
    ],
)
def test_plan_of_a_file(tmp_path, capsys, options, plan):
    # judge: the functions, and the text of the file
    pd = pytest.importorskip("pandas")
    table = write_table(tmp_path / "t.csv", given=GIVEN)
    given = ["plan", str(table), *options, "--keep", "id", "--keep", "given"]
    assert main([*given, "--keep", "a"]) == 0
    out, err = printed(capsys)
    assert err == ""
    found = pd.read_csv(io.StringIO(out))
    make = skrank.labels_to_collect if "budget" in plan else skrank.labels_to_compare
    if "--labelled" in options:
        plan = {**plan, "labelled": GIVEN != ""}
    expected = make({"a": A, "b": -B}, **plan)
    pd.testing.assert_frame_equal(found[[*expected]], expected)
    assert found["id"].tolist() == list(range(N))
    assert found["given"].fillna(-1).tolist() == [float(one or -1) for one in GIVEN]
    written = csv.DictReader(io.StringIO(out))  # pandas may round
    assert [float(row["a"]) for row in written] == A.tolist()
    path = tmp_path / "plan.csv"
    assert main([*given, "--keep", "a", "-o", str(path)]) == 0
    said, err = printed(capsys)
    assert path.read_text() == out
    assert said.startswith(f"{expected['to_label'].sum()} of {N} rows are to be label")
    assert ("12 have a label" in said) == ("--labelled" in options)
    assert err == f"skrank: wrote {path}\n"


def test_a_plan_is_read_again(tmp_path, capsys):
    # the plan of a file, filled in, is a file of the report
    table, path = write_table(tmp_path / "t.csv"), tmp_path / "plan.csv"
    options = ["--score", "a", "--budget", "60", "--keep", "a", "-o", str(path)]
    assert main(["plan", str(table), *options]) == 0
    header, *rows = path.read_text().splitlines()
    filled = [
        f"{row},{y if row.endswith('True') else ''}"
        for row, y in zip(rows, Y, strict=True)
    ]
    path.write_text("\n".join([f"{header},y", *filled]))
    options = ["--target", "y", "--strata", "stratum", "--score", "a"]
    capsys.readouterr()
    assert main(["report", str(path), *options]) == 0
    plan = skrank.labels_to_collect(A, 60)
    sample = np.where(plan["to_label"], Y, np.nan)
    ask_it = SampledMetricInterval()
    result = ask_it.from_predictions(sample, A, strata=plan["stratum"])
    low, high = result.confidence_interval()
    said = " ".join(printed(capsys)[0].split())
    assert f"is between {low:.3g} and {high:.3g} " in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([*TWO], "`--budget` must be given, or `--compare`; got none"),
        ([*TWO, "--budget", "9", "--compare"], "or `--compare`; got both"),
        ([*TWO, "--compare"], "`--t` must be given with `--compare`"),
        (
            ["--score", "a", "--compare", "--t", "3"],
            "`--score` must contain scores of two",
        ),
        ([*TWO, "--budget", "3"], "`--budget` must be an int of at least 4; got 3"),
        ([*TWO, "--budget", "9", "--t", "30"], "`--budget` must be at least"),
        ([*TWO, "--budget", "9", "--t", "101"], "`--t` must not reach beyond"),
        ([*TWO, "--budget", "9", "--labelled", "id"], "`--labelled` must be"),
        ([*TWO, "--budget", "9", "--labelled", "ids"], "one column 'ids'"),
        ([*TWO, "--budget", "9", "--keep", "rank"], "`--keep` must name no column of"),
        (["--budget", "9"], "`--score` must name one column or more"),
    ],
)
def test_plans_that_cannot_be_written(tmp_path, capsys, options, message):
    table = write_table(tmp_path / "t.csv", rank=np.arange(N))
    assert message in error_of(capsys, ["plan", str(table), *options])


def test_a_budget_is_a_whole_number(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["plan", "t.csv", "--score", "a", "--budget", "2.5"])
    assert "argument --budget: must be a whole number; got '2.5'" in printed(capsys)[1]


def test_monitor_that_cannot_be_asked(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv", day=DAY_OF_ITEM)
    given = ["monitor", str(table), "--target", "active", "--score", "a"]
    assert "`metric` must be named" in error_of(
        capsys, [*given, "--group", "day", "--reference", "0.5"]
    )
    names = np.array(["Mon", "Tue", "Wed"])[np.arange(N) % 3]
    table = write_table(tmp_path / "names.csv", day=names)
    given[1] = str(table)
    assert "whose order is known; got 'Mon'" in error_of(
        capsys, [*given, "--group", "day"]
    )
    table = write_table(tmp_path / "absent.csv", labels=SAMPLE, day=DAY_OF_ITEM)
    given[1] = str(table)
    said = error_of(capsys, [*given, "--group", "day"])
    assert "--wait leaves these days, and all after them, to a later run." in said
    said = error_of(capsys, [*given, "--group", "day", "--wait"])
    assert (
        "`--group` must contain at least one day with complete labels; got none" in said
    )


def test_monitor_takes_days_in_their_order(tmp_path, capsys):
    # a file in the order of the labels must not be read in this order
    labels = (np.arange(N) % 10 < 2).astype(int)
    order = np.argsort(-labels * 10 + A)
    outs = []
    for rows in (np.arange(N), order):
        table = tmp_path / "t.csv"
        lines = [f"{labels[i]},{float(A[i])!r},{DAY_OF_ITEM[i]}" for i in rows]
        table.write_text("\n".join(["y,s,day", *lines]))
        given = ["monitor", str(table), "--target", "y", "--lower-is-better", "s"]
        assert main([*given, "--group", "day"]) == 0
        outs.append(capsys.readouterr().out)
    assert outs[0] == outs[1]


def day_files(folder, shift):
    """Files of days 0 to 39 and 40 to 79, and of all; the model is lost on day 20."""
    rng = np.random.default_rng(4)
    day, y = np.repeat(np.arange(80), 200), rng.random(16_000) < 0.02
    score = rng.normal(np.where(day < 20, 2.0, shift) * y)
    lines = [
        f"{d},{int(label)},{s:.4f}" for d, label, s in zip(day, y, score, strict=True)
    ]
    paths = [folder / name for name in ("first.csv", "later.csv", "all.csv")]
    for path, part in zip(paths, (lines[:8000], lines[8000:], lines), strict=True):
        path.write_text("\n".join(["day,fraud,model", *part]))
    return paths


def weeks(folder, name, days, lacks=(), change=None, form="%Y-%m-%d"):
    """A file of some days, which lack labels on some of them; the model is lost."""
    lines = []
    for day in days:
        draw = np.random.default_rng([int(day), 1])
        y = (draw.random(100) < 0.05).astype(int).astype(str)
        score = draw.normal((2.0 if day < 30 else 0.2) * (y == "1"))
        if day == change:
            y = y[::-1]
        if day in lacks:
            y = np.where(draw.random(100) < 0.3, "", y)
        date = datetime.date(2026, 1, 1) + datetime.timedelta(days=int(day))
        written = date.strftime(form)
        lines += [f"{written},{a},{b:.4f}" for a, b in zip(y, score, strict=True)]
    path = folder / name
    path.write_text("\n".join(["day,fraud,model", *lines]))
    return path


WATCH = ["--target", "fraud", "--score", "model", "--group", "day", "--metric"]
WATCH += ["recall@10", "--reference", "0.4"]


@pytest.mark.parametrize("bet", ["day", "target"])
def test_a_job_of_each_day_waits_for_labels(tmp_path, capsys, bet):
    """Judge: the class, once with all days whose labels are complete."""
    state, options = tmp_path / "state.json", [*WATCH, "--bet", bet]
    keep = ["--wait", "--state", str(state)]
    statuses = []
    for today in range(9, 72, 3):
        # the last two weeks; the labels of the last three days come later
        some, last = range(max(0, today - 13), today + 1), today - 2
        form = "%Y-%m-%d" if today % 2 else "%d.%m.%Y"
        path = weeks(tmp_path, "t.csv", some, range(last, today + 1), form=form)
        statuses.append(main(["monitor", str(path), *options, *keep]))
        out, err = capsys.readouterr()
        date = datetime.date(2026, 1, 1) + datetime.timedelta(days=last)
        said = " ".join(out.split())
        assert f"Left 3 days to a later run, from {date} on (missing" in said
        assert ("Added 3 days: " in said) == (today > 9)
        new = "a new state, " * (len(statuses) == 1)
        assert err == f"skrank: wrote {new}{state}\n"
    whole = weeks(tmp_path, "all.csv", range(67))
    assert main(["monitor", str(whole), *options]) == statuses[-1] == 3
    assert out.startswith(capsys.readouterr().out.rstrip())
    assert statuses == sorted(statuses)
    assert statuses[0] == 0
    # all days wait: the answer of the days before
    before = state.read_text()
    path = weeks(tmp_path, "t.csv", range(67, 70), range(67, 70))
    assert main(["monitor", str(path), *options, *keep]) == 3
    assert "Added 0 days." in capsys.readouterr().out
    assert state.read_text() == before
    # without an option, a label that is missing is an error
    path = weeks(tmp_path, "t.csv", range(62, 70), range(67, 70))
    command = ["monitor", str(path), *options, "--state", str(state)]
    assert "--wait leaves these days" in error_of(capsys, command)
    assert state.read_text() == before


def test_days_that_changed_or_come_late(tmp_path, capsys):
    state = tmp_path / "state.json"
    keep = [*WATCH, "--wait", "--state", str(state)]
    some = [one for one in range(3, 20) if one != 9]
    main(["monitor", str(weeks(tmp_path, "a.csv", some)), *keep])
    capsys.readouterr()
    # other labels of a day, and labels of a day that are missing now
    for given in ({"change": 7}, {"lacks": [7]}):
        path = weeks(tmp_path, "b.csv", range(4, 21) if given else some, **given)
        main(["monitor", str(path), *keep])
        out, err = capsys.readouterr()
        added = json.loads(state.read_text())
        assert "labels or scores of 2026-01-08 have changed since the day was" in err
        assert "start again without the state and pass all days" in err
        assert "Skipped 2026-01-10, before 2026-01-" in err
    assert "Added 0 days." in out
    # the monitor goes on with the days that were added first
    assert main(["monitor", str(weeks(tmp_path, "c.csv", [*some, 20])), *WATCH]) == 0
    assert out.startswith(capsys.readouterr().out.rstrip())
    assert [one[-2:] for one in added["labels"]] == [f"{i + 1:02}" for i in [*some, 20]]
    # two spellings of a day in one file
    lines = weeks(tmp_path, "d.csv", [25]).read_text()
    other = (
        weeks(tmp_path, "e.csv", [25], form="%d.%m.%Y").read_text().split("\n", 1)[1]
    )
    path = tmp_path / "d.csv"
    path.write_text(f"{lines}\n{other}")
    said = error_of(capsys, ["monitor", str(path), *keep])
    assert "each in one spelling" in said


def test_an_error_leaves_the_state_as_it_was(tmp_path, capsys, monkeypatch):
    state = tmp_path / "state.json"
    keep = [*WATCH, "--state", str(state)]
    main(["monitor", str(weeks(tmp_path, "a.csv", range(9))), *keep])
    before, table = state.read_text(), weeks(tmp_path, "b.csv", range(12))
    capsys.readouterr()
    asked = ["monitor", str(table), *keep]
    error_of(capsys, [*asked, "--html", tmp_path / "none" / "a.html"])
    error_of(capsys, [*asked, "--reference", "0.5"])
    error_of(capsys, [*asked, "--bet", "target"])
    replace = os.replace

    def fails(source, target):
        if str(target) == str(state):
            raise OSError("no space left")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails)
    assert main(asked) == 2
    assert "no space left" in capsys.readouterr().err
    assert state.read_text() == before
    assert {one.name for one in tmp_path.iterdir()} == {"a.csv", "b.csv", "state.json"}


def test_a_day_without_targets_has_labels_that_are_texts(tmp_path, capsys):
    state, path = tmp_path / "state.json", tmp_path / "t.csv"
    asked = [
        "monitor",
        str(path),
        *WATCH,
        "--state",
        str(state),
        "--pos-label",
        "fraud",
    ]
    rows = [f"{'fraud' if i < 2 else 'fine'},{-i}" for i in range(20)]
    path.write_text("\n".join(["day,fraud,model", *(f"1,{one}" for one in rows)]))
    assert main(asked) == 0
    none = [one.replace("fraud", "fine") for one in rows]
    path.write_text("\n".join(["day,fraud,model", *(f"2,{one}" for one in none)]))
    capsys.readouterr()
    assert main(asked) == 0
    assert "warning: No row has the label 'fraud'." in capsys.readouterr().err
    found = json.loads(state.read_text())
    assert found["values"] == [1.0, None]
    assert found["n_targets"] == [2, 0]
    # a missing label is missing, though no row has the label of the targets
    gap = [",-0", *none[1:]]
    path.write_text("\n".join(["day,fraud,model", *(f"3,{one}" for one in gap)]))
    assert "--wait leaves these days" in error_of(capsys, asked)
    assert main([*asked, "--wait"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.endswith("Left 1 day to a later run, from 3 on (missing labels: 1).")


def test_the_page_of_a_monitor(tmp_path, capsys, monkeypatch):
    """Judge: the class."""
    pytest.importorskip("matplotlib")
    table, page = weeks(tmp_path, "t.csv", range(60), [59]), tmp_path / "page.html"
    asked = ["monitor", str(table), *WATCH, "--wait", "--html"]
    assert main([*asked, str(page)]) == 3
    capsys.readouterr()
    text = page.read_text(encoding="utf-8")
    labels, scores, days = [], [], []
    for line in table.read_text().splitlines()[1:-100]:
        day, y, score = line.split(",")
        labels.append(int(y))
        scores.append(float(score))
        days.append(day)
    monitor = RankingMonitor("recall@10", reference=0.4)
    result = monitor.from_predictions(labels, scores, groups=days)
    assert result.conclusion() in text
    assert "Left 1 day to a later run, from 2026-03-01 on" in text
    assert "The last 14 of 59 days, the newest first" in text
    found = re.findall(r'<th class="name first" scope="row"><div>(.*?)</div>', text)
    assert found == list(result.labels[:-15:-1])
    assert text.count("<img ") == 1
    assert f'alt="recall@10 of 59 days. {result.conclusion()}"' in text
    assert main([*asked, "-"]) == 3
    assert capsys.readouterr().out == text + "\n" * (not text.endswith("\n"))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "skrank.report._pictures.find_spec",
        lambda name: None if name == "matplotlib" else find(name),
    )
    main([*asked, str(page)])
    text = page.read_text(encoding="utf-8")
    assert "<img " not in text
    assert "The pictures need matplotlib, which is not installed." in text


@pytest.mark.parametrize(("shift", "status"), [(2.0, 0), (0.3, 3)])
def test_a_monitor_goes_on_with_its_state(tmp_path, capsys, shift, status):
    # judge: all days at once
    first, later, whole = day_files(tmp_path, shift)
    state = tmp_path / "state.json"
    options = ["--target", "fraud", "--score", "model", "--group", "day"]
    options += ["--metric", "recall@20", "--reference", "0.4"]
    main(["monitor", str(first), *options, "--state", str(state)])
    capsys.readouterr()
    found = main(["monitor", str(later), *options, "--state", str(state)])
    told, added, _ = capsys.readouterr().out.rpartition("\n\nAdded 40 days: 40, 41, 42")
    assert added
    assert found == main(["monitor", str(whole), *options]) == status
    assert told + "\n" == capsys.readouterr().out
    # the same days again, another monitor, another file
    before = state.read_text()
    again = ["monitor", str(later), *options, "--state", str(state)]
    assert main(again) == status
    assert capsys.readouterr().out == f"{told}\n\nAdded 0 days.\n"
    assert state.read_text() == before
    other = error_of(capsys, [*again, "--level", "0.01"])
    assert "`--state` must be the" in other
    assert "state['significance_level']" in other
    assert state.read_text() == before
    assert "name a state file" in error_of(capsys, [*again[:-1], str(first)])
    assert "`--level` must be" in error_of(capsys, [*again, "--level", "7"])
    assert "`--state` must name a file" in error_of(capsys, [*again[:-1], "-"])


@pytest.mark.parametrize("cell", ["", "NA", "nan", " "])
def test_rows_without_a_score_are_an_error_or_the_last(tmp_path, capsys, cell):
    path = tmp_path / "docking.csv"
    rows = ["1,-9.1,2", f"0,{cell},3", "1,-7.5,1", f"0,{cell},4", "0,-6,5"]
    path.write_text("\n".join(["active,dock,vina", *rows]))
    given = ["report", str(path), "--target", "active", "--lower-is-better", "dock"]
    assert main(given) == 2
    assert "--missing last ranks rows without a score" in capsys.readouterr().err
    assert main([*given, "--at", "2", "--missing", "last"]) == 0
    shown = capsys.readouterr().out
    path.write_text("\n".join(["active,dock,vina", *rows]).replace(f",{cell},", ",9,"))
    assert main([*given, "--at", "2"]) == 0  # judge: energies above all others
    assert capsys.readouterr().out == shown


PATTERNS = {"m1": A, "m2": B, "dock_x": -A, "dock_y": -B, "[m]": B}


def test_a_pattern_takes_the_columns_that_nobody_named(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv", **PATTERNS, m=-A, other=B)

    def names(*options):
        asked = ["report", table, "--target", "active", *options, "--csv", "-"]
        assert main([*map(str, asked)]) == 0
        rows = [*csv.DictReader(io.StringIO(capsys.readouterr().out))]
        return {row["name"]: row["average_precision"] for row in rows}

    # in the order of the file, after those that were given before
    each = {one: names("--score", one)[one] for one in ("m1", "m2", "a", "b", "[m]")}
    found = names("--score", "m?", "--lower-is-better", "dock_*")
    assert [*found] == ["m1", "m2", "dock_x (lower)", "dock_y (lower)"]
    assert found["m1"] == found["dock_x (lower)"] == each["m1"]
    assert found["m2"] == found["dock_y (lower)"] == each["m2"]
    assert [*names("--score", "m*", "--score", "m2")] == ["m1", "m", "m2"]
    assert [*names("--score", "m2", "--score", "m*")] == ["m2", "m1", "m"]
    assert [*names("--score", "m1", "--score", "m*", "--lower-is-better", "m")] == [
        *("m1", "m2", "m (lower)")
    ]
    # the target is no score, and a column of that very name is no pattern
    assert [*names("--score", "a*")] == ["a"]
    assert names("--score", "[m]") == {"[m]": each["[m]"]}
    said = error_of(capsys, ["report", table, "--target", "active", "--score", "n_*"])
    assert "there must be one column 'n_*'; got none among id, active" in said
    asked = ["report", table, "--target", "active", "--score", "Dock_*"]
    assert "Did you mean 'dock_" in error_of(capsys, asked)
    assert [*names("--score", "m1", "--score", "m1*")] == ["m1"]
    asked = ["report", table, "--target", "active", "--score", "activ*"]
    assert "there must be one column 'activ*'" in error_of(capsys, asked)


def test_plan_and_monitor_take_patterns(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv", **PATTERNS, day=np.arange(N) % 5 + 1)
    planned = []
    for scores in (["m1", "m2"], ["m?"]):
        options = [part for one in scores for part in ("--score", one)]
        assert main(["plan", str(table), *options, "--budget", "20"]) == 0
        planned.append(capsys.readouterr().out)
    assert planned[0] == planned[1]
    shown = []
    for names in (["m1", "m2"], ["m?"]):
        options = [part for one in names for part in ("--score", one)]
        asked = ["--target", "active", "--group", "day", "--reference", "m2"]
        asked += ["--metric", "recall@5"]
        main(["monitor", str(table), *asked, *options])
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != ""
