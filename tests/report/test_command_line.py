"""The commands: what they print is the report of the file, and errors are one line."""

import gzip
import io
import os
import runpy
import subprocess
import sys

import numpy as np
import pytest

import skrank
from skrank import ranking_report
from skrank.report._command_line import main
from skrank.report._score_file import read_score_file

N = 200


def scores_of(seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(N) < 12
    return (
        y.astype(int),
        rng.normal(2.0 * y),
        np.round(5 * rng.normal(1.0 * y)).astype(int),
    )


def write_table(path, separator=",", labels=None):
    """Write a table with columns that are not needed, one of them quoted."""
    y, a, b = scores_of()
    labels = y if labels is None else labels
    rows = ["id,active,a,b,note".replace(",", separator)]
    rows += [
        separator.join(
            [f"x{i}", str(labels[i]), repr(float(a[i])), str(b[i]), '"one, ""two"""']
        )
        for i in range(N)
    ]
    text = "\n".join(rows) + "\n"
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.write(text)
    return path


def expected(**settings):
    y, a, b = scores_of()
    return str(ranking_report(y, {"a": a, "b": b}, random_state=0, **settings)) + "\n"


def ask(path, *options):
    return [
        "report",
        str(path),
        "--target",
        "active",
        "--score",
        "a",
        "--score",
        "b",
        *options,
    ]


def run(*arguments, **kwargs):
    command = [sys.executable, "-m", "skrank", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, **kwargs)


def text_file(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def error_of(capsys, arguments):
    """Run a command that must fail with one line."""
    assert main([str(one) for one in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("python -m skrank: error: ")
    assert err.count("\n") == 1
    return err


# As a process


def test_process_prints_the_report(tmp_path):
    done = run(*ask(write_table(tmp_path / "t.csv"), "--at", "10", "--at", "5%"))
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.decode().replace("\r", "") == expected(t=(10, 0.05))


@pytest.mark.slow
def test_process_reads_standard_input(tmp_path):
    data = write_table(tmp_path / "t.csv").read_bytes()
    done = run(*ask("-"), input=data)
    assert done.stdout.decode().replace("\r", "") == expected()


@pytest.mark.slow
def test_process_fails_in_one_line(tmp_path):
    done = run(*ask(tmp_path / "none.csv"))
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode().strip()
    file = tmp_path / "none.csv"
    assert said == f"python -m skrank: error: {file}: No such file or directory"


@pytest.mark.slow
def test_process_whose_reader_has_gone(tmp_path):
    command = [sys.executable, "-m", "skrank", *ask(write_table(tmp_path / "t.csv"))]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_process_whose_reader_has_no_room(tmp_path):
    command = [sys.executable, "-m", "skrank", *ask(write_table(tmp_path / "t.csv"))]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert said == "python -m skrank: error: standard output: No space left on device\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_process_without_standard_input():
    line = f"{sys.executable} -m skrank report - --target y --score a <&-"
    done = subprocess.run(line, shell=True, capture_output=True)
    assert done.returncode == 2
    assert b"the standard input must be open to be read; got a clo" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.slow
def test_process_that_lacks_letters(tmp_path):
    text = write_table(tmp_path / "t.csv").read_text().replace(",a,", ",\u4e2d,", 1)
    table = text_file(tmp_path, text)
    arguments = ["report", table, "--target", "active", "--score", "\u4e2d"]
    narrow = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    done = run(*arguments, "--html", tmp_path / "t.html", env=narrow)
    assert done.returncode == 0
    assert done.stderr.count(b"\n") == 1  # the page; matplotlib says nothing
    assert b"  \\u4e2d " in done.stdout


@pytest.mark.slow
def test_process_reads_packed_standard_input(tmp_path):
    data = write_table(tmp_path / "t.csv.gz").read_bytes()
    done = run(*ask("-"), input=data)
    assert done.stdout.decode().replace("\r", "") == expected()


def test_module_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["skrank", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("skrank", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"skrank {skrank.__version__}\n"


# What is printed


@pytest.mark.parametrize(
    ("name", "separator", "options"),
    [
        ("t.csv", ",", []),
        ("t.CSV", ",", []),
        ("t.csv.gz", ",", []),
        ("T.CSV.GZ", ",", []),
        ("t.tsv", "\t", []),
        ("t.tsv.gz", "\t", []),
        ("t.txt", ";", ["--separator", ";"]),
        ("t.dat", "\t", ["--separator", "tab"]),
        ("t.csv", "\t", ["--separator", r"\t"]),
    ],
)
def test_kinds_of_text(tmp_path, capsys, name, separator, options):
    assert main(ask(write_table(tmp_path / name, separator), *options)) == 0
    assert capsys.readouterr() == (expected(), "")


@pytest.mark.parametrize("labels", ["int", "bool", "text", "category"])
def test_parquet(tmp_path, capsys, labels):
    pytest.importorskip("pyarrow")
    import pandas as pd

    y, a, b = scores_of()
    text = pd.Series(np.where(y, "hit", "miss"))
    active = {
        "int": y,
        "bool": y == 1,
        "text": text,
        "category": text.astype("category"),
    }
    frame = pd.DataFrame({"id": range(N), "active": active[labels], "a": a, "b": b})
    frame.to_parquet(tmp_path / "t.parquet")
    needs = ["--pos-label", "hit"] if labels in ("text", "category") else []
    assert main(ask(tmp_path / "t.parquet", *needs)) == 0
    assert capsys.readouterr() == (expected(), "")


@pytest.mark.parametrize(
    ("other", "target", "options"),
    [
        ("0", "1", []),
        ("0.0", "1.0", []),
        ("-1", "1", []),
        ("False", "TRUE", []),
        ("0", "1", ["--pos-label", "1"]),
        ("0.0", "1.0", ["--pos-label", "1"]),
        ("false", "True", ["--pos-label", "true"]),
        ("decoy", " active ", ["--pos-label", "active"]),
        ("1", "2", ["--pos-label", "2.0"]),
        ("1", "0", ["--pos-label", "0"]),
        ("inf", "nan", ["--pos-label", "nan"]),
    ],
)
def test_labels(tmp_path, capsys, other, target, options):
    labels = np.where(scores_of()[0], target, other)
    assert main(ask(write_table(tmp_path / "t.csv", labels=labels), *options)) == 0
    assert capsys.readouterr() == (expected(), "")


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("7", 7),
        ("7%", 0.07),
        ("0.1%", 0.001),
        ("0.25", 0.25),
        ("1.0", 1.0),
        ("100%", 1.0),
    ],
)
def test_depths(tmp_path, capsys, text, depth):
    assert main(ask(write_table(tmp_path / "t.csv"), "--at", text)) == 0
    assert capsys.readouterr().out == expected(t=depth)


def test_lower_is_better(tmp_path, capsys):
    y, a, b = scores_of()
    arguments = ["report", str(write_table(tmp_path / "t.csv")), "--target", "active"]
    assert main([*arguments, "--lower-is-better", "b", "--score", "a"]) == 0
    report = ranking_report(y, {"b (lower)": -b, "a": a}, random_state=0)
    assert capsys.readouterr().out == f"{report}\n"
    assert main([*arguments, "--lower-is-better", "a"]) == 0
    report = ranking_report(y, {"a (lower)": -a}, random_state=0)
    assert capsys.readouterr().out == f"{report}\n"


def test_page_must_not_take_the_place_of_a_table(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv")
    before = table.read_text()
    said = error_of(capsys, ask(table, "--html", str(table)))
    assert "`--html` must name a file that ends in .html or .htm; got" in said
    assert table.read_text() == before


@pytest.mark.parametrize("name", ["", "report", "t.csv"])
def test_page_needs_its_name(tmp_path, capsys, name):
    said = error_of(capsys, ask(write_table(tmp_path / "t.csv"), "--html", name))
    assert f"must name a file that ends in .html or .htm; got {name!r}." in said


def test_page_that_fails_late_leaves_the_report(tmp_path, capsys, monkeypatch):
    def fail(report, path):
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr(skrank.RankingReport, "to_html", fail)
    page = tmp_path / "t.html"
    assert main(ask(write_table(tmp_path / "t.csv"), "--html", str(page))) == 2
    out, err = capsys.readouterr()
    assert out == expected()
    assert err == f"python -m skrank: error: {page}: No space left on device\n"


def test_page_is_kept_where_the_report_fails(tmp_path, capsys):
    page = tmp_path / "t.html"
    table = text_file(tmp_path, "active,a,b\n")
    error_of(capsys, ask(table, "--html", page))
    assert not page.exists()
    page.write_text("old")
    error_of(capsys, ask(table, "--html", page))
    assert page.read_text() == "old"


def test_memory_that_is_not_there(tmp_path, capsys, monkeypatch):
    def fail(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr("skrank.report._command_line.ranking_report", fail)
    said = error_of(capsys, ask(write_table(tmp_path / "t.csv")))
    assert said.endswith("error: the computation needs more memory than there is.\n")


def test_print_without_room(tmp_path, capsys, monkeypatch):
    class Full(io.TextIOWrapper):
        def write(self, text):
            raise OSError(28, "No space left on device")

    with open(tmp_path / "out", "wb") as raw, Full(raw) as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(ask(write_table(tmp_path / "t.csv"))) == 2
    said = capsys.readouterr().err
    assert said.endswith("error: standard output: No space left on device\n")


def test_closed_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert "input must be open to be read; got a clo" in error_of(capsys, ask("-"))


def test_print_to_what_is_no_file(tmp_path, monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr(sys, "stdout", said)
    assert main(ask(write_table(tmp_path / "t.csv"))) == 0
    assert said.getvalue() == expected()


def test_pvalue(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv")
    for option, pvalue in (("--pvalue", True), ("--no-pvalue", False)):
        assert main(ask(table, option)) == 0
        assert capsys.readouterr() == (expected(pvalue=pvalue), "")


def test_wrong_separator(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("active;a\n0;1\n1;2\n")
    said = error_of(capsys, ask(table))
    assert "got none among active;a. Should `--separator` say what separ" in said


def test_ties(tmp_path, capsys):
    assert main(ask(write_table(tmp_path / "t.csv"), "--ties", "pessimistic")) == 0
    assert capsys.readouterr().out == expected(ties="pessimistic")


def test_page_is_written(tmp_path, capsys):
    page = tmp_path / "report.html"
    assert main(ask(write_table(tmp_path / "t.csv"), "--html", str(page))) == 0
    out, err = capsys.readouterr()
    assert out == expected()
    assert err == f"python -m skrank: wrote {page}\n"
    y, a, b = scores_of()
    report = ranking_report(y, {"a": a, "b": b}, random_state=0)
    assert page.read_text(encoding="utf-8") == report.to_html()


def test_page_that_cannot_be_written(tmp_path, capsys):
    page = tmp_path / "none" / "report.html"
    table = write_table(tmp_path / "t.csv")
    assert str(page) in error_of(capsys, ask(table, "--html", page))


def test_warning_is_told_once(tmp_path, capsys):
    rows = "".join(f"{int(i == 3)},{i},{-i},{i % 7}\n" for i in range(50))
    table = text_file(tmp_path, f"active,a,b,c\n{rows}")
    assert main(ask(table, "--score", "c")) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].split()[-1] == "-"
    assert err.count("\n") == 1
    assert err.startswith("python -m skrank: warning: The standard error")


def test_reader_who_has_seen_enough(tmp_path, monkeypatch):
    table = write_table(tmp_path / "t.csv")
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        assert main(ask(table)) == 0


def test_docking_scores(rare_data, capsys):
    file = rare_data / "pparg_docking_scores.csv.gz"
    table = read_score_file(str(file), "active", ["surf", "minr"])
    y = np.array(table.labels.values)[table.labels.codes] == "1"
    options = ["--target", "active", "--score", "surf", "--score", "minr"]
    assert main(["report", str(file), *options]) == 0
    report = ranking_report(y, table.scores, random_state=0)
    assert capsys.readouterr().out == f"{report}\n"
    assert (report.n_samples, report.n_targets) == (3212, 85)


# Reading


def test_whole_numbers_stay_whole(tmp_path):
    big = 2**60
    rows = "".join(f"{i % 2},{big + i},{i}.5\n" for i in range(4))
    table = read_score_file(str(text_file(tmp_path, f"y,a,b\n{rows}")), "y", ["a", "b"])
    assert table.scores["a"].tolist() == [big, big + 1, big + 2, big + 3]
    assert table.scores["b"].tolist() == [0.5, 1.5, 2.5, 3.5]


def test_blocks_are_joined(tmp_path, monkeypatch):
    monkeypatch.setattr("skrank.report._score_file._BLOCK", 7)
    table = read_score_file(str(write_table(tmp_path / "t.csv")), "active", ["a", "b"])
    y, a, b = scores_of()
    assert np.array_equal(table.scores["a"], a)
    assert np.array_equal(table.scores["b"], b)
    assert np.array_equal(
        np.array(table.labels.values)[table.labels.codes], y.astype(str)
    )


def test_standard_input(tmp_path, capsys, monkeypatch):
    with write_table(tmp_path / "t.csv").open() as opened:
        monkeypatch.setattr(sys, "stdin", opened)
        assert main(ask("-")) == 0
    assert capsys.readouterr() == (expected(), "")


def test_marks_blanks_and_empty_lines(tmp_path):
    text = '\ufeffy, a ,note\r\n1, 2.5 ,\r\n\r\n0,1e1,"two\r\nlines"\r\n\r\n'
    table = read_score_file(str(text_file(tmp_path, text)), "y", ["a"])
    assert table.scores["a"].tolist() == [2.5, 10.0]
    assert table.labels.values == ["1", "0"]


def read_numbers(tmp_path, cells):
    text = "y,a\n" + "".join(f"{i % 2},{cell}\n" for i, cell in enumerate(cells))
    return read_score_file(str(text_file(tmp_path, text)), "y", ["a"]).scores["a"]


@pytest.mark.parametrize("block", [2, 1000])
@pytest.mark.parametrize(
    "cells",
    [
        [2**63 + 3 * i for i in range(5)],
        [0, 1, 2, 2**64 - 1],
        [2**62 + 1, 5, 2**63 + 1, 2**64 - 1],
        [-(2**63), 2**63 - 1, 0],
        [2**53, -(2**53), 0, 1, 2.5],
        [0.5, 1.5, 2**60, -(2**60)],  # powers of two are floats
        [-1, -2, 2**63, 2**63],
    ],
)
def test_whole_numbers_keep_their_digits(tmp_path, monkeypatch, block, cells):
    monkeypatch.setattr("skrank.report._score_file._BLOCK", block)
    assert read_numbers(tmp_path, cells).tolist() == cells


@pytest.mark.parametrize("block", [2, 1000])
@pytest.mark.parametrize(
    ("cells", "got"),
    [
        ([2**64 + 1, 3], 2**64 + 1),
        ([2**53 + 1, 1, 2.5, 3], 2**53 + 1),
        ([0.5, 2.5, -(2**53) - 1, 3], -(2**53) - 1),
        ([-1, 2, 2**64 - 1, 2**64 - 1], 2**64 - 1),
        (["9" * 400, 1], "9{50}[.]{3}9{50}"),
    ],
)
def test_whole_numbers_that_would_lose_digits(tmp_path, monkeypatch, block, cells, got):
    monkeypatch.setattr("skrank.report._score_file._BLOCK", block)
    with pytest.raises(
        ValueError, match=f"got {got}, which would lose digits, in line"
    ):
        read_numbers(tmp_path, cells)


# Errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must start with a header that names the columns; got none"),
        ("\n", "must start with a header"),
        ("active,a,b\n", "must hold rows below its header; got none"),
        ("active,a,c\n1,2,3\n", "one column 'b'; got none among active, a, c"),
        ("active,a,b,b\n1,2,3,3\n", "must have one column 'b'; got several"),
        ("active,a,b\n1,2,3\n0,x1,3\n", "each cell of column 'a'; got 'x1' in line 3"),
        ("active,a,b\n1,2,3\n\n0,2,\n", "each cell of column 'b'; got '' in line 4"),
        ("active,a,b\n1,2,nan\n", "each cell of column 'b'; got 'nan' in line 2"),
        ("active,a,b\n1,2.5,3\n0,inf,3\n", "column 'a'; got 'inf' in line 3"),
        ("active,a,b\n1,2,1_000\n", "got '1_000' in line 2"),
        (
            "active,a,b\n1,2,3\n ,2,3\n",
            "a label in column 'active'; got none in line 3",
        ),
        (
            "active,a,b\n1,2,3\n0,2\n",
            "must have 3 cells in each line, as in its header; got 2 in line 3",
        ),
        ('active,a,b\n1,2,"3\n', "readable table of text in UTF-8; got: unexpected"),
        (b"active,a,b\n1,2,\xff\n", "readable table of text in UTF-8; got: 'utf-8'"),
        (
            "active,a,b\nx,1,2\ny,3,4\n",
            "`--pos-label` must name the label of the targets",
        ),
        ("active,a,b\n1,1,2\n2,3,4\n", "got '1', '2' in column 'active'"),
        (
            "active,a,b\n0,1,2\n1,3,4\n2,5,6\n",
            "must have two labels; got '0', '1', '2'.",
        ),
        (
            "active,a,b\n" + "".join(f"{i},{i}.5,2\n" for i in range(9)),
            "'3', '4' and 4 more.",
        ),
        (
            "active,a,b\n0,1,2\n0,3,4\n",
            "column 'active' must hold targets and non-targets",
        ),
        ("active,a,b\n0,0,2\n1,1,4\n", "`column a` must rank the items"),
    ],
)
def test_bad_tables(tmp_path, capsys, text, message):
    said = error_of(capsys, ask(text_file(tmp_path, text)))
    assert message in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--at", "1000"], "`--at` must not reach beyond the ranking; got --at 1000"),
        (["--score", "a"], "`--score` must name each column once; got a, b, a."),
        (["--lower-is-better", "b"], "must name each column once; got a, b, b."),
        (["--pos-label", "x"], "a label in column 'active', one of '1', '0'; got 'x'."),
    ],
)
def test_bad_options(tmp_path, capsys, options, message):
    table = write_table(tmp_path / "t.csv")
    assert message in error_of(capsys, ask(table, *options))


def test_hard_labels_are_refused_either_way(tmp_path, capsys):
    table = text_file(tmp_path, "y,a\n0,0\n1,1\n")
    arguments = ["report", table, "--target", "y", "--lower-is-better", "a"]
    assert "`column a` must rank the items" in error_of(capsys, arguments)


def test_no_score_lists_the_columns(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv")
    said = error_of(capsys, ["report", table, "--target", "active"])
    assert "one of id, active, a, b, note; got none." in said


@pytest.mark.parametrize("name", ["t.xlsx", "t", "t.gz", "t.zip"])
def test_unknown_kinds_of_files(tmp_path, capsys, name):
    said = error_of(capsys, ask(tmp_path / name))
    assert "must end in .csv, .tsv (both also with .gz) or .parquet" in said


def test_damaged_gzip(tmp_path, capsys):
    whole = write_table(tmp_path / "t.csv.gz").read_bytes()
    for damaged in (whole[:200], b"active,a,b\n1,2,3\n", whole[:60] + b"x" * 60):
        table = text_file(tmp_path, damaged, "t.csv.gz")
        assert "must be a readable table of text" in error_of(capsys, ask(table))


def test_parquet_errors(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    import pandas as pd

    table = tmp_path / "t.parquet"
    assert "No such file" in error_of(capsys, ask(table))
    table.write_text("active,a,b\n1,2,3\n")
    assert "must be a readable table in parquet" in error_of(capsys, ask(table))
    pd.DataFrame({"active": [0, 1], "a": [0.5, None], "b": [1.0, 2.0]}).to_parquet(
        table
    )
    assert "no empty cells in column 'a'; got 1." in error_of(capsys, ask(table))
    pd.DataFrame({"active": [0, 1], "a": ["x", "y"], "b": [1.0, 2.0]}).to_parquet(table)
    assert "`column a` must hold real numbers" in error_of(capsys, ask(table))
    pd.DataFrame({"active": [0, 1], "a": [0.5, 1.5]}).to_parquet(table)
    assert "one column 'b'; got none among active, a" in error_of(capsys, ask(table))


def test_parquet_is_read_as_text_is(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    from decimal import Decimal

    import pandas as pd

    y, a, b = scores_of()
    labels = np.where(y, " 1", "0")
    labels[-1] = "0 "
    decimals = [Decimal(repr(float(one))[:9]) for one in a]
    frame = pd.DataFrame({" active": labels, "a ": decimals, "b": b})
    table = tmp_path / "t.parquet"
    frame.to_parquet(table)
    assert main(ask(table)) == 0
    given = {"a": np.array(decimals, dtype=float), "b": b}
    report = ranking_report(y, given, random_state=0)
    assert capsys.readouterr() == (f"{report}\n", "")
    frame[" active"] = np.where(np.arange(N) == 7, " ", labels)
    frame.to_parquet(table)
    said = error_of(capsys, ask(table))
    assert "must have a label in column 'active'; got none in row 8." in said
    frame[:0].to_parquet(table)
    assert f"{table} must hold rows below its header" in error_of(capsys, ask(table))


def test_parquet_without_pyarrow(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = error_of(capsys, ask(tmp_path / "t.parquet"))
    assert "needs pyarrow: pip install skrank[parquet]" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "arguments are required: command"),
        (["report"], "arguments are required: file, --target"),
        (["report", "t.csv"], "arguments are required: --target"),
        (
            ask("t.csv", "--at", "0"),
            "must be a number of items, a percentage or a fraction",
        ),
        (ask("t.csv", "--at", "x%"), "a percentage or a fraction; got 'x%'"),
        (ask("t.csv", "--at", "101%"), "got '101%'"),
        (ask("t.csv", "--at", "nan"), "got 'nan'"),
        (
            ask("t.csv", "--separator", "ab"),
            "must be one character, or the word tab; got 'ab'",
        ),
        (ask("t.csv", "--ties", "random"), "invalid choice: 'random'"),
    ],
)
def test_usage(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("python -m skrank: error: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"]])
def test_help_has_an_example(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert (
        "python -m skrank report scores.csv --target active" in capsys.readouterr().out
    )
