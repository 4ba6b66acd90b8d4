"""The commands: what they print is the report of the file, and errors are one line."""

import gzip
import io
import os
import runpy
import signal
import subprocess
import sys
import threading
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import skrank
from skrank import RankCounts, ranking_report
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
    start = ["report", str(path), "--target", "active", "--score", "a", "--score", "b"]
    return [*start, *map(str, options)]


def text_file(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def error_of(capsys, arguments):
    """Run a command that must fail with one line."""
    assert main([str(one) for one in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("skrank: error: ")
    assert err.count("\n") == 1
    return err


# As a process


def test_process_prints_the_report(tmp_path):
    command = ask(write_table(tmp_path / "t.csv"), "--at", "10", "--at", "5%")
    done = subprocess.run([sys.executable, "-m", "skrank", *command], capture_output=1)
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.decode().replace("\r", "") == expected(t=(10, 0.05))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs pipes that end a process")
def test_process_whose_reader_has_gone(tmp_path):
    command = [sys.executable, "-m", "skrank", *ask(write_table(tmp_path / "t.csv"))]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


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


# What is printed


@pytest.mark.parametrize(
    ("name", "separator", "options"),
    [
        ("t.csv", ",", []),
        ("T.CSV.GZ", ",", []),
        ("t.tsv", "\t", []),
        ("t.tsv.gz", "\t", []),
        ("t.txt", ";", ["--separator", ";"]),
        ("t.dat", "\t", ["--separator", "tab"]),
    ],
)
def test_kinds_of_text(tmp_path, capsys, name, separator, options):
    assert main(ask(write_table(tmp_path / name, separator), *options)) == 0
    assert capsys.readouterr() == (expected(), "")


def test_standard_input(tmp_path, capsys, monkeypatch):
    data = io.BytesIO(write_table(tmp_path / "t.csv").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    assert main(ask("-")) == 0
    assert capsys.readouterr() == (expected(), "")


@pytest.mark.parametrize("labels", ["int", "bool", "text", "category"])
def test_parquet(tmp_path, capsys, labels):
    y, a, b = scores_of()
    text = pd.Series(np.where(y, "hit", "miss"))
    active = {
        "int": y,
        "bool": y == 1,
        "text": text,
        "category": text.astype("category"),
    }
    frame = pd.DataFrame({"id": range(N), "active": active[labels], " a": a, "b": b})
    frame.to_parquet(tmp_path / "t.parquet")
    needs = ["--pos-label", "hit"] if labels in ("text", "category") else []
    assert main(ask(tmp_path / "t.parquet", *needs)) == 0
    assert capsys.readouterr() == (expected(), "")


@pytest.mark.parametrize(
    ("other", "target", "options"),
    [
        ("0.0", "1.0", []),
        ("-1", "1", []),
        ("False", "TRUE", []),
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
    [("7", 7), ("7%", 0.07), ("1.1%", 0.011), ("0.25", 0.25), ("100%", 1.0)],
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


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--pvalue"], {"pvalue": True}),
        (["--no-pvalue"], {"pvalue": False}),
        (["--ties", "pessimistic"], {"ties": "pessimistic"}),
    ],
)
def test_settings(tmp_path, capsys, options, settings):
    assert main(ask(write_table(tmp_path / "t.csv"), *options)) == 0
    assert capsys.readouterr() == (expected(**settings), "")


def test_warning_is_told_once(tmp_path, capsys):
    rows = "".join(f"{int(i == 3)},{i},{-i},{i % 7}\n" for i in range(50))
    table = text_file(tmp_path, f"active,a,b,c\n{rows}")
    assert main(ask(table, "--score", "c")) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].split()[-1] == "-"
    assert err.count("\n") == 1
    assert err.startswith("skrank: warning: The standard error")


def test_docking_scores(rare_data, capsys):
    file = rare_data / "pparg_docking_scores.csv.gz"
    columns = {name: (name, False) for name in ("surf", "minr")}
    y, scores, _ = read_score_file(str(file), "active", columns)
    options = ["--target", "active", "--score", "surf", "--score", "minr"]
    assert main(["report", str(file), *options]) == 0
    report = ranking_report(y, scores, random_state=0)
    assert capsys.readouterr().out == f"{report}\n"
    assert (report.n_samples, report.n_targets) == (3212, 85)


# Files too large to be held in memory


def test_counted_rankings_have_the_same_report(tmp_path, capsys):
    y, a, b = scores_of()
    table = write_table(tmp_path / "t.csv")
    arguments = ["report", str(table), "--target", "active", "--score", "a"]
    for lower, score in ((), a), (("--lower-is-better", "b"), -b):
        asked = [*arguments[: 4 if lower else 6], *lower, "--no-compare"]
        assert main(asked) == 0
        name = "b (lower)" if lower else "a"
        report = ranking_report(y, {name: score}, random_state=0)
        assert capsys.readouterr() == (f"{report}\n", "")


def test_counted_rankings_are_not_compared(tmp_path, capsys):
    pytest.importorskip("tqdm")
    assert main(ask(write_table(tmp_path / "t.csv"), "--no-compare", "--progress")) == 0
    out, err = capsys.readouterr()
    y, a, b = scores_of()
    counts = {"a": RankCounts.from_arrays(y, a), "b": RankCounts.from_arrays(y, b)}
    assert out == f"{ranking_report(counts, random_state=0)}\n"
    assert "  comparison left out, as it needs rankings in memory" in out
    assert "second pass: 100%" in err
    assert main(ask(tmp_path / "t.csv", "--compare")) == 0
    assert capsys.readouterr().out == expected()


@pytest.mark.slow
def test_a_file_of_many_scores_is_counted(tmp_path, capsys):
    n = 2**22 + 10
    rng = np.random.default_rng(0)
    y = (np.arange(n) % 20_000 == 7).astype(int)
    a, b = np.round(rng.normal(2.0 * y), 3), rng.integers(0, 10_000, n) + 3000 * y
    path = tmp_path / "t.parquet"
    pd.DataFrame({"active": y, "a": a, "b": b}).to_parquet(path)
    assert main(ask(path, "--no-pvalue")) == 0
    counts = {"a": RankCounts.from_arrays(y, a), "b": RankCounts.from_arrays(y, b)}
    assert capsys.readouterr().out == f"{ranking_report(counts, pvalue=False)}\n"


def test_hard_labels_are_refused_where_they_are_counted(tmp_path, capsys):
    table = text_file(tmp_path, "y,a\n0,0\n1,1\n")
    for option in ("--score", "--lower-is-better"):
        arguments = ["report", table, "--target", "y", option, "a", "--no-compare"]
        assert "`column a` must rank the items" in error_of(capsys, arguments)


@pytest.mark.parametrize("options", [[], ["--no-compare"]])
def test_integers_that_end_in_floats(tmp_path, capsys, options):
    """Far below the rows by which pyarrow finds out the types."""
    y, a = scores_of()[0], np.append(np.arange(N - 1.0), 0.5)
    note = "x" * 20_000
    rows = [f"{y[i]},{a[i]:.15g},{note}\n" for i in range(N)]
    table = text_file(tmp_path, "".join(["y,a,note\n", *rows]))
    arguments = ["report", str(table), "--target", "y", "--score", "a", *options]
    assert main(arguments) == 0
    report = ranking_report(y, {"a": a}, random_state=0)
    assert capsys.readouterr().out == f"{report}\n"


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_a_pipe_is_read_once(tmp_path, capsys):
    content = write_table(tmp_path / "t.csv").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[content])
    writer.start()
    assert main(ask(tmp_path / "pipe", "--no-compare")) == 0
    writer.join()
    assert "200 items, 12 targets" in capsys.readouterr().out


# The page


@pytest.mark.parametrize("kind", ["html", "latex"])
def test_page_is_written(tmp_path, capsys, kind):
    page = tmp_path / f"report.{kind}"
    page.write_text("old")
    assert main(ask(write_table(tmp_path / "t.csv"), f"--{kind}", page)) == 0
    assert capsys.readouterr() == (expected(), f"skrank: wrote {page}\n")
    y, a, b = scores_of()
    report = ranking_report(y, {"a": a, "b": b}, random_state=0)
    text = {"html": report.to_html, "latex": report.to_latex}[kind]()
    assert page.read_text(encoding="utf-8") == text
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("option", ["--html", "--latex"])
@pytest.mark.parametrize("link", ["same", "symbolic", "hard"])
def test_page_is_not_written_onto_the_table(tmp_path, capsys, link, option):
    table = write_table(tmp_path / "t.csv")
    page, before = tmp_path / "t.html", table.read_bytes()
    if link == "same":
        page = table
    elif link == "symbolic":
        page.symlink_to(table)
    else:
        page.hardlink_to(table)
    said = error_of(capsys, ask(table, option, page))
    assert f"`{option}` must name another file than the table" in said
    assert table.read_bytes() == before


def test_page_is_written_where_nobody_reads_the_report(tmp_path):
    page = tmp_path / "report.html"
    command = ask(write_table(tmp_path / "t.csv"), "--html", page)
    run = [sys.executable, "-m", "skrank", *map(str, command)]
    with subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as one:
        one.stdout.close()  # as `head` does when it has read enough
        one.stderr.read()
    assert page.read_text(encoding="utf-8").endswith("</html>\n")


def test_page_that_cannot_be_written(tmp_path, capsys):
    page = tmp_path / "none" / "report.html"
    assert main(ask(write_table(tmp_path / "t.csv"), "--html", page)) == 2
    out, err = capsys.readouterr()
    assert out == expected()
    assert str(page) in err


@pytest.mark.parametrize("old", ["old", None])
def test_what_fails_leaves_what_was_there(tmp_path, monkeypatch, old):
    y, a, _ = scores_of()
    report, page = ranking_report(y, a, pvalue=False), tmp_path / "p.html"
    if old is not None:
        page.write_text(old)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        report.to_html(page)
    left = [path.read_text() for path in tmp_path.iterdir()]
    assert left == ([] if old is None else [old])


def test_links_and_devices_stay_what_they_are(tmp_path):
    y, a, _ = scores_of()
    report, link = ranking_report(y, a, pvalue=False), tmp_path / "link.html"
    link.symlink_to(tmp_path / "p.html")
    report.to_html(link)
    assert link.is_symlink()
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == report.to_html()
    if os.path.exists(os.devnull):
        report.to_html(os.devnull)
        assert not os.path.isfile(os.devnull)
    with pytest.raises(OSError, match=str(tmp_path)):  # a folder
        report.to_html(tmp_path)


# Reading


def numbers_of(tmp_path, cells):
    text = "y,a\n" + "".join(f"{i % 2},{cell}\n" for i, cell in enumerate(cells))
    return read_score_file(str(text_file(tmp_path, text)), "y", {"a": ("a", False)})[1][
        "a"
    ]


def test_numbers_are_those_of_python(tmp_path):
    cells = [2**60, 2**60 + 1, -(2**63), 2**63 - 1]
    assert numbers_of(tmp_path, cells).tolist() == cells
    floats = np.random.default_rng(0).normal(size=600) * 10.0 ** np.arange(-300, 300)
    floats = floats.tolist()
    assert numbers_of(tmp_path, map(repr, floats)).tolist() == floats
    frame = pd.DataFrame({"y": [0, 1], "a": np.array([2**64 - 1, 2], np.uint64)})
    frame["b"] = [Decimal("1.25"), Decimal("0.5")]
    frame.to_parquet(tmp_path / "t.parquet")
    columns = {name: (name, False) for name in ("b", "a")}
    _, read, _ = read_score_file(str(tmp_path / "t.parquet"), "y", columns)
    assert read["a"].tolist() == [2**64 - 1, 2]
    assert read["b"].tolist() == [1.25, 0.5]


def test_marks_blanks_and_empty_lines(tmp_path):
    text = '\ufeffy, a ,note\r\n1, 2.5 ,\r\n\r\n 0,1e1,"two\r\nlines"\r\n\r\n'
    y, scores, _ = read_score_file(
        str(text_file(tmp_path, text)), "y", {"a": ("a", False)}
    )
    assert scores["a"].tolist() == [2.5, 10.0]
    assert y.tolist() == [True, False]


# Errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Empty CSV file"),
        ("active,a,b\n", "there must be rows below the header; got none"),
        ("active,a,c\n1,2,3\n", "one column 'b'; got none among active, a, c."),
        ("active;a;b\n1;2;3\n", "among active;a;b. Does `--separator` separate"),
        ("active,a,b,b\n1,2,3,3\n", "one column 'b'; got several among active, a"),
        (
            "active,a,b\n1,2,3\n0,x1,3\n",
            "`column a` must hold numbers; got Failed to ",
        ),
        ("active,a,b\n1,2020-01-01,3\n", "`column a` must hold numbers; got Unsupport"),
        (
            "active,a,b\n1,2,3\n\n0,2,\n",
            "`column b` must hold a finite number in each row; ",
        ),
        ("active,a,b\n1,2,nan\n", "got none in row 1 below the header"),
        ("active,a,b\n1,2.5,3\n0,inf,3\n", "got none in row 2 below the header"),
        (
            "active,a,b\n1,2,3\n ,2,3\n",
            "`column active` must hold labels, none missing; got '' (1), '1' (1).",
        ),
        # decimal commas, and a row that is too short
        ("active,a,b\n1,0,5,3\n", "Row #2: Expected 3 columns, got 4"),
        ("active,a,b\n1,2,3\n0,2\n", "Row #3: Expected 3 columns, got 2"),
        (b"active,a,b\n\xff,2,3\n", "invalid UTF8 data"),
        (
            "active,a,b\nx,1,2\ny,3,4\n",
            "column active, one of 'y' (1), 'x' (1), unless",
        ),
        (
            "active,a,b\n0,1,2\n1,3,4\n2,5,6\n",
            "one of '2' (1), '1' (1), '0' (1), unless they",
        ),
        ("active,a,b\n0,1,2\n0,3,4\n", "column 'active' must hold targets and non-t"),
        ("active,a,b\n0,0,2\n1,1,4\n", "`column a` must rank the items"),
    ],
)
def test_bad_tables(tmp_path, capsys, text, message):
    said = error_of(capsys, ask(text_file(tmp_path, text)))
    assert message in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--at", "1000"], "`--at` must not reach beyond the ranking; got t=1000"),
        (["--score", "a"], "`--score` must name each ranking once; got a, b, a."),
        (
            ["--score", "active"],
            "one of id, active, a, b, note; got that of the labels",
        ),
        (["--pos-label", "x"], "column active, one of '1' (12), '0' (188), unless "),
        (["--separator", "::"], "single character"),
    ],
)
def test_bad_options(tmp_path, capsys, options, message):
    table = write_table(tmp_path / "t.csv")
    assert message in error_of(capsys, ask(table, *options))


def test_columns_that_the_report_would_call_the_same(tmp_path, capsys):
    table = text_file(tmp_path, "active,a (lower),a,b\n0,1,2,3\n1,2,1,0\n")
    said = error_of(
        capsys, ask(table, "--score", "a (lower)", "--lower-is-better", "a")
    )
    assert "must name each ranking once; got a, b, a (lower), a (lower)." in said


def test_hard_labels_are_refused_either_way(tmp_path, capsys):
    table = text_file(tmp_path, "y,a\n0,0\n1,1\n")
    arguments = ["report", table, "--target", "y", "--lower-is-better", "a"]
    assert "`column a` must rank the items" in error_of(capsys, arguments)


def test_no_score_lists_the_columns(tmp_path, capsys):
    table = write_table(tmp_path / "t.csv")
    said = error_of(capsys, ["report", table, "--target", "active"])
    assert "one of id, active, a, b, note; got none." in said


def test_files_that_cannot_be_read(tmp_path, capsys):
    for name in ("none.csv", "none.parquet"):
        said = error_of(capsys, ask(tmp_path / name))
        assert f"No such file or directory: '{tmp_path / name}'" in said
    whole = write_table(tmp_path / "t.csv.gz").read_bytes()
    for damaged in (whole[:200], b"active,a,b\n1,2,3\n"):
        table = text_file(tmp_path, damaged, "t.csv.gz")
        assert str(table) in error_of(capsys, ask(table))
    table = text_file(tmp_path, "active,a,b\n1,2,3\n", "t.parquet")
    assert str(table) in error_of(capsys, ask(table))


def test_without_pyarrow(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = error_of(capsys, ask(tmp_path / "t.csv"))
    assert "tables need pyarrow: pip install skrank[report]" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "arguments are required: command"),
        (["report"], "arguments are required: file, --target"),
        (ask("t.csv", "--at", "0"), "a number of items, a percentage or a fraction"),
        (ask("t.csv", "--at", "x%"), "a percentage or a fraction; got 'x%'"),
        (ask("t.csv", "--at", "101%"), "got '101%'"),
        (ask("t.csv", "--ties", "random"), "invalid choice: 'random'"),
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


@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"]])
def test_help_has_an_example(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert "skrank report scores.csv --target active" in capsys.readouterr().out


# Groups

DAYS = """y,s,day
1,3,2026-03-01
0,2,2026-03-01
0,1,2026-03-01
0,3,2026-03-02
1,2,2026-03-02
0,1, 2026-03-02
"""


def test_groups_of_a_column(tmp_path, capsys):
    file = text_file(tmp_path, DAYS)
    given = ["report", str(file), "--target", "y", "--score", "s", "--at", "2"]
    assert main([*given, "--group", "day"]) == 0
    table = pd.read_csv(file, skipinitialspace=True)
    report = ranking_report(table["y"], table[["s"]], t=2, groups=table["day"])
    assert capsys.readouterr().out == f"{report}\n"
    assert report.average_precision["s"] == pytest.approx((1 + 1 / 2) / 2)
    assert "6 items, 2 targets" in str(report)
    assert "rankings   means over 2\n" in str(report)


def test_groups_that_are_missing(tmp_path, capsys):
    file = text_file(tmp_path, DAYS + "0,1, \n")
    given = ["report", str(file), "--target", "y", "--score", "s", "--group", "day"]
    assert main(given) == 2
    assert "column day` must hold a text in each row; got none in row 7" in (
        capsys.readouterr().err
    )
    assert main([*given, "--no-compare"]) == 2
    assert "`--group` must be left out with `--no-compare`" in capsys.readouterr().err


def test_clusters_metrics_and_deployment(tmp_path, capsys):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 5)
    y = (patient % 6 == 0).astype(int)
    table = pd.DataFrame({"y": y, "s": rng.normal(1.5 * y), "patient": patient})
    file = tmp_path / "images.csv"
    table.to_csv(file, index=False)
    given = ["report", str(file), "--target", "y", "--score", "s", "--at", "10"]
    assert main([*given, "--cluster", "patient", "--metric", "max_f_score"]) == 0
    judge = ranking_report(
        y,
        {"s": table["s"]},
        t=10,
        clusters=patient.astype(str),
        metrics=["max_f_score"],
        random_state=0,
    )
    assert capsys.readouterr().out.strip() == str(judge)
    assert main([*given, "--negatives-kept", "0.5"]) == 0
    assert "At deployment" in capsys.readouterr().out
    assert main([*given, "--cluster", "patient", "--group", "patient"]) == 2
    assert "`--cluster` must be left out with `--group`" in capsys.readouterr().err
