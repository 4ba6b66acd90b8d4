"""What is written: files are whole, the old or the new, and streams keep their meaning.

The judge is the file system: what stands in the folder before and after.
"""

import importlib
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

from skrank import ranking_report
from skrank._utils import _interrupt
from skrank.report._command_line import main

OLD = "old\n"


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    rows = "".join(f"{i < 9:d},{rng.normal()}\n" for i in range(60))
    (tmp_path / "t.csv").write_text(f"y,a\n{rows}")
    return tmp_path / "t.csv"


@pytest.fixture(scope="module")
def report():
    y = np.arange(60) < 9
    return ranking_report(y, {"a": np.random.default_rng(0).normal(y)}, pvalue=False)


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    """Pages have no pictures here, which take long."""
    monkeypatch.setattr("skrank.report._pictures.find_spec", lambda name: None)


def ask(table, *options):
    start = ["report", str(table), "--target", "y", "--score", "a", "--no-pvalue"]
    return [*start, *map(str, options)]


COMMAND = """import runpy, sys
sys.modules["matplotlib"] = None  # as if it were not installed
runpy.run_module("skrank", run_name="__main__", alter_sys=True)
"""


def run(line, **settings):
    """Run a line of a shell, in which "skrank" is the command."""
    settings = {"capture_output": True, "text": True, **settings}
    line = f"skrank() {{ '{sys.executable}' -c '{COMMAND}' \"$@\"; }}; {line}"
    return subprocess.run(["bash", "-c", line], **settings)


def one_of(cases):
    """Cases of which the first runs always, the others as slow tests."""
    rest = [pytest.param(*case, marks=pytest.mark.slow) for case in cases[1:]]
    return [pytest.param(*cases[0]), *rest]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def is_page(path):
    text = path.read_text(encoding="utf-8")
    return text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n")


# The table is not the page


def same(page, table):
    table.rename(page)


def symbolic(page, table):
    page.symlink_to(table.name)


def hard(page, table):
    page.hardlink_to(table)


def indirect(page, table):
    (page.parent / "link").symlink_to(table.name)
    page.symlink_to("link")


@pytest.mark.parametrize("link", [same, symbolic, hard, indirect])
@pytest.mark.parametrize("by", ["name", "standard input"])
def test_page_is_not_written_onto_the_table(table, link, by, capsys, monkeypatch):
    page = table.with_name("t.html")
    link(page, table)
    before = contents(table.parent)
    source = page if link is same else table
    with open(source) as opened:
        monkeypatch.setattr(sys, "stdin", opened)
        arguments = ask("-" if by == "standard input" else source, "--html", page)
        assert main([*arguments, "--separator", ","]) == 2
    assert "`--html` must name another file than the table" in capsys.readouterr().err
    assert contents(table.parent) == before


# Whole or not at all


def full(monkeypatch):
    def fail(path, content):
        with open(path, "wb") as opened:
            opened.write(content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "write_bytes", fail)
    return OSError


def interrupted(monkeypatch):
    def stop(path, content):
        with open(path, "wb") as opened:
            opened.write(content[:100])
        raise KeyboardInterrupt

    monkeypatch.setattr(pathlib.Path, "write_bytes", stop)
    return KeyboardInterrupt


def interrupted_at_the_end(monkeypatch):
    def stop(old, new):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    return KeyboardInterrupt


@pytest.mark.parametrize("old", [OLD, None])
@pytest.mark.parametrize("failure", [full, interrupted, interrupted_at_the_end])
def test_what_fails_leaves_what_was_there(tmp_path, report, monkeypatch, old, failure):
    page = tmp_path / "p.html"
    if old is not None:
        page.write_text(old)
    before = contents(tmp_path)
    with pytest.raises(failure(monkeypatch)) as failed:
        report.to_html(page)
    assert contents(tmp_path) == before
    if failure is full:
        assert (failed.value.filename, failed.value.errno) == (str(page), 28)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a limit of files")
@pytest.mark.parametrize("old", one_of([(OLD,), (None,)]))
def test_disk_without_room(table, old):
    page = table.with_name("p.html")
    if old is not None:
        page.write_text(old)
    before = contents(table.parent)
    line = "ulimit -f 2; skrank " + " ".join(ask(table, "--html", page))
    done = run(line)
    assert done.returncode == 2
    assert done.stdout.startswith("Ranking report")
    assert done.stderr == f"python -m skrank: error: {page}: File too large\n"
    assert contents(table.parent) == before


def test_names_that_no_encoding_has_are_written(tmp_path):
    y, rng = np.arange(60) < 9, np.random.default_rng(0)
    scores = {"\ud800": rng.normal(size=60), "b": rng.normal(size=60)}
    ranking_report(y, scores, pvalue=False).to_html(tmp_path / "p.html")
    assert is_page(tmp_path / "p.html")
    assert r"\ud800" in (tmp_path / "p.html").read_text()


# As a plain open does


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_a_plain_open(tmp_path, report, mask):
    before = os.umask(mask)
    try:
        (tmp_path / "plain").write_text(OLD)
        report.to_html(tmp_path / "new.html")
    finally:
        os.umask(before)
    modes = [path.stat().st_mode for path in tmp_path.iterdir()]
    assert modes[0] == modes[1]


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o640])
def test_permissions_of_an_old_file_are_kept(tmp_path, report, mode):
    (tmp_path / "p.html").write_text(OLD)
    (tmp_path / "p.html").chmod(mode)
    report.to_html(tmp_path / "p.html")
    assert is_page(tmp_path / "p.html")
    assert (tmp_path / "p.html").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("old", [OLD, None])
def test_links_lead_to_what_is_written(tmp_path, report, old):
    (tmp_path / "to").mkdir()
    target, link = tmp_path / "to" / "p.html", tmp_path / "link.html"
    if old is not None:
        target.write_text(old)
    link.symlink_to(target)
    report.to_html(link)
    assert link.is_symlink()
    assert is_page(target)
    assert len(list((tmp_path / "to").iterdir())) == 1


def test_paths_relative_to_here(tmp_path, report, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report.to_html("p.html")
    assert is_page(tmp_path / "p.html")
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["", "none/p.html", "file/p.html"])
def test_places_that_are_none(tmp_path, report, name, table, capsys):
    (tmp_path / "file").write_text(OLD)
    before = contents(tmp_path)
    with pytest.raises(OSError, match=r"[^\n]*") as failed:
        report.to_html(tmp_path / name)
    assert failed.value.filename == str(tmp_path / name)
    if name:
        assert main(ask(table, "--html", tmp_path / name)) == 2
        out, err = capsys.readouterr()
        assert out == ""  # it is said before the report is made
        assert str(tmp_path / name) in err
    assert contents(tmp_path) == before


def test_folder_is_no_page(tmp_path, report, table, capsys):
    (tmp_path / "p.html").mkdir()
    with pytest.raises(IsADirectoryError):
        report.to_html(tmp_path / "p.html")
    assert main(ask(table, "--html", tmp_path / "p.html")) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs devices")
def test_devices_stay_devices(report):
    report.to_html("/dev/null")
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        report.to_html("/dev/full")
    for device in ("/dev/null", "/dev/full"):
        assert pathlib.Path(device).is_char_device()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_are_written_to(tmp_path, table):
    os.mkfifo(tmp_path / "p.html")
    page = tmp_path / "p.html"
    line = f"cat {page} & skrank {' '.join(ask(table))} --html {page}"
    done = run(f"{line} > {tmp_path}/out; wait", timeout=120)
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert done.stdout.endswith("</html>\n")
    assert page.is_fifo()


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs its name")
@pytest.mark.parametrize("to", one_of([("> {0}; cat {0}",), ("| cat",)]))
def test_standard_output_has_the_report_and_the_page(table, to):
    page = table.with_name("p.html")
    page.symlink_to("/dev/stdout")
    to = to.format(table.with_name("out"))
    done = run(f"skrank {' '.join(ask(table))} --html {page} {to}")
    assert done.stdout.startswith("Ranking report")
    assert done.stdout.endswith("</html>\n")
    assert page.is_symlink()


@pytest.mark.parametrize("stream", [1, 2])
def test_page_goes_on_where_a_stream_stands(tmp_path, report, stream):
    before, kept = tmp_path / "p.html", os.dup(stream)
    before.write_text("")
    with open(before, "wb") as opened:
        os.dup2(opened.fileno(), stream)
    try:
        os.write(stream, b"first\n")
        report.to_html(before)
        os.write(stream, b"last\n")
    finally:
        os.dup2(kept, stream)
        os.close(kept)
    assert before.read_text(encoding="utf-8") == f"first\n{report.to_html()}last\n"


@pytest.mark.slow
def test_page_and_report_in_one_file(table):
    page = table.with_name("p.html")
    run(f"skrank {' '.join(ask(table))} --html {page} > {page}")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Ranking report")
    assert text.endswith("</html>\n")


# Streams


CLOSED = [
    # what is closed, its exit status, whether there is a report, and an error
    (">&-", 2, False, True),
    ("2>&-", 0, True, False),
    ("<&-", 0, True, False),
    (">&- 2>&-", 2, False, False),
    ("<&- >&- 2>&-", 2, False, False),
    ("<&- 2>&-", 0, True, False),
    (">/dev/full", 2, False, True),
    ("2>/dev/full", 0, True, False),
]


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(("closed", "status", "is_told", "is_wrong"), one_of(CLOSED))
def test_closed_streams(table, closed, status, is_told, is_wrong):
    before = contents(table.parent)
    done = run(f"skrank {' '.join(ask(table))} {closed}")
    assert done.returncode == status
    assert done.stdout.startswith("Ranking report") == is_told
    assert (done.stderr != "") == is_wrong
    assert done.stderr.count("\n") == is_wrong
    assert done.stderr.startswith(
        "python -m skrank: error: standard output: " * is_wrong
    )
    assert contents(table.parent) == before


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("closed", one_of([("<&- 2>&-",), ("2>&-",), ("<&-",)]))
def test_page_beside_closed_streams_holds_nothing_else(table, closed):
    page = table.with_name("p.html")
    done = run(f"skrank {' '.join(ask(table, '--html', page))} {closed}")
    assert done.returncode == 0
    assert is_page(page)
    assert page.read_text(encoding="utf-8").count("wrote") == 0


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("line", "status", "err"),
    one_of(
        [
            ("--help | head -1", 0, ""),
            ("report --help | head -1", 0, ""),
            ("--version | true", 0, ""),
            ("--version > /dev/full", 2, "standard output: No space left on device"),
            ("--version >&-", 2, "standard output: Bad file descriptor"),
            ("--help >&- 2>&-", 2, ""),
            ("--version 2>&-", 0, ""),
            ("--unknown 2>&-", 2, ""),
            ("--unknown 2>/dev/full", 2, ""),
        ]
    ),
)
def test_closed_streams_of_what_is_no_report(line, status, err):
    done = run(f"set -o pipefail; skrank {line}")
    assert done.returncode == status
    assert done.stderr == (f"python -m skrank: error: {err}\n" if err else "")


def test_streams_that_python_has_not(table, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert main(ask(table)) == 2
    sys.stdout.close()
    sys.stderr.close()


def test_help_to_a_full_device(monkeypatch, capsys, tmp_path):
    class Full:
        def write(self, text):
            return len(text)

        def flush(self):
            raise OSError(28, "No space left on device")

        def fileno(self):
            return opened.fileno()

    with open(tmp_path / "out", "w") as opened:
        monkeypatch.setattr(sys, "stdout", Full())
        with pytest.raises(SystemExit) as ended:
            main(["--help"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("output: No space left on device\n")


# Interrupts


def test_interrupt_is_no_traceback(table, monkeypatch, capsys):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("skrank.report._command_line.ranking_report", stop)
    assert main(ask(table)) == 128 + signal.SIGINT
    assert capsys.readouterr() == ("", "python -m skrank: interrupted\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("module", ["joblib", "argparse"])
@pytest.mark.parametrize("command", [["-m", "skrank"], ["-mskrank", "report", "t"]])
def test_interrupt_while_python_imports(tmp_path, module, command):
    """The first module that the package needs, and one that the command needs."""
    (tmp_path / f"{module}.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    found = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == -signal.SIGINT
    assert found.stderr == ""


def test_interrupts_end_the_process_until_they_are_raised(monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(sys, "argv", ["-m"])
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "skrank"])
    try:
        importlib.reload(_interrupt)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        _interrupt.raise_interrupts()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_interrupts_of_other_programs_are_theirs(tmp_path):
    """The package is imported by a module that is run, its arguments name it."""
    (tmp_path / "other.py").write_text(
        "import signal\n"
        "before = signal.getsignal(signal.SIGINT)  # ignored, in the background\n"
        "import skrank\n"
        "assert signal.getsignal(signal.SIGINT) is before\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    subprocess.run(
        [sys.executable, "-m", "other", "skrank"],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        timeout=120,
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_interrupt_of_a_process(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    (tmp_path / "p.html").write_text(OLD)
    command = ask(tmp_path / "t.csv", "--html", tmp_path / "p.html")
    with (
        subprocess.Popen(
            [sys.executable, "-m", "skrank", *command],
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
        open(tmp_path / "t.csv", "w") as opened,
    ):  # waits until it is read
        opened.write("y,a\n0,1.5\n")
        opened.flush()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode in (128 + signal.SIGINT, -signal.SIGINT)
    assert err == "python -m skrank: interrupted\n"
    assert (tmp_path / "p.html").read_text() == OLD
    assert len(list(tmp_path.iterdir())) == 2
