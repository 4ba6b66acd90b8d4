"""The commands: what is asked in Python, asked of a file.

``python -m skrank report`` reads labels and scores from a table and prints the report.
"""

import argparse
import io
import os
import stat
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

import skrank
from skrank._utils._checks import TIES, check_cutoff
from skrank._utils._interrupt import raise_interrupts
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.ranking._input import check_scores
from skrank.report import RankingReport, check_place, ranking_report
from skrank.report._score_file import STDIN, find_targets, read_score_file, said

_PROGRAM = "python -m skrank"
_WRONG = 2  # exit status of what was asked wrongly, as argparse has it
_INTERRUPTED = 130  # and of what was interrupted, as shells have it
_STDERR = 2  # the last descriptor of the standard streams
_NAMES = 20  # names of columns that an error lists
_LINE = 600  # letters of a line that says what went wrong
_EPILOG = """\
examples:
  python -m skrank report scores.csv --target active \\
      --score model_a --score model_b --at 10 --at 1%
  python -m skrank report docking.csv.gz --target active \\
      --lower-is-better energy --html report.html
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status."""
    _hold_streams()
    try:
        raise_interrupts()
        return _answer(_parser().parse_args(arguments))
    except KeyboardInterrupt:
        _say("interrupted")
        return _INTERRUPTED


def _hold_streams() -> None:
    """Take the places of closed standard streams, which no file must come to have."""
    opened = iter(partial(os.open, os.devnull, os.O_RDWR), None)
    os.close(next(number for number in opened if number > _STDERR))
    if sys.stdout is None:  # to write there fails, as before
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _answer(options: argparse.Namespace) -> int:
    """Do what was asked, or say in a line why not."""
    try:
        with _warnings_told_once():
            _run(options)
    except (ImportError, MemoryError, OSError, ValueError) as error:
        _say(f"error: {_message(error, options.target)}")
        return _WRONG
    return 0


def _run(options: argparse.Namespace) -> None:
    """Print the report, then write the page, whose place was looked at before."""
    if options.html is not None:
        _check_page(options.html, options.file)
    report = _report(options)
    _print(str(report))
    if options.html is not None:
        report.to_html(options.html)
        _say(f"wrote {said(options.html)}")


def _report(options: argparse.Namespace) -> RankingReport:
    """Make the report of a file."""
    lower = dict(options.scores)
    if len(lower) < len(options.scores):
        got = listed([as_text(name) for name, _ in options.scores], _NAMES)
        msg = f"`--score` must name each column once; got {got}."
        raise ValueError(msg)
    names = _names(lower)
    table = read_score_file(options.file, options.target, [*lower], options.separator)
    y_scores = {
        names[name]: _ranked(name, column, lower[name])
        for name, column in table.scores.items()
    }
    return ranking_report(
        find_targets(table, options.file, options.target, options.pos_label),
        y_scores,
        t=options.at,
        ties=options.ties,
        pvalue=options.pvalue,
        random_state=0,  # the same file, the same report
    )


def _names(lower: dict[str, bool]) -> dict[str, str]:
    """Names of the columns in the report."""
    names = {name: f"{name} (lower)" if lower[name] else name for name in lower}
    if len(set(names.values())) < len(names):
        msg = (
            "`--score` must not name a column as the report calls one of "
            f"`--lower-is-better`; got {listed([*map(as_text, lower)], _NAMES)}."
        )
        raise ValueError(msg)
    return names


@contextmanager
def _warnings_told_once() -> Iterator[None]:
    """Tell each warning in a line, and once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in dict.fromkeys(str(one.message) for one in caught):
        _say(f"warning: {warning}")


def _check_page(path: str, table: str) -> None:
    """Check that a page can be written, and not over the table."""
    got = brief(path)
    if not path.lower().endswith((".html", ".htm")):
        msg = f"`--html` must name a file that ends in .html or .htm; got {got}."
        raise ValueError(msg)
    if os.path.exists(path) and _is_read(os.stat(path), table):
        msg = f"`--html` must name another file than the table; got {got}."
        raise ValueError(msg)
    check_place(path)


def _is_read(page: os.stat_result, table: str) -> bool:
    """Whether a file is the table, by whatever name."""
    if table != STDIN:
        return os.path.samestat(page, os.stat(table))
    is_file = sys.stdin is not None and stat.S_ISREG(page.st_mode)
    return is_file and os.path.samestat(page, os.fstat(sys.stdin.fileno()))


def _ranked(name: str, scores: NDArray[Any], lower: bool) -> NDArray[Any]:
    """Turn scores around if the lower is better; integers have no overflow then."""
    checked = check_scores(scores, f"column {in_short(as_text(name))}")
    if not lower:
        return checked
    return np.invert(checked) if checked.dtype.kind in "iu" else -checked


def _message(error: Exception, target: str) -> str:
    """Say an error in one line, and in the words of the command line."""
    if isinstance(error, OSError) and error.filename:
        return f"{said(error.filename)}: {error.strerror}"
    if isinstance(error, MemoryError):
        return "the computation needs more memory than there is."
    words = {
        "`y_true`": f"column {brief(target)}",
        "`t`": "`--at`",
        "got t=": "got --at ",
    }
    message = str(error)
    for parameter, word in words.items():
        message = message.replace(parameter, word)
    return message


def _say(message: str) -> None:
    """Say one line beside the report, to whoever listens."""
    with suppress(OSError):
        print(f"{_PROGRAM}: {in_short(message, _LINE)}", file=sys.stderr, flush=True)


def _print(*text: str) -> None:
    """Print the report, to a reader who may have seen enough or lack letters."""
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        print(*text, sep="\n", end="\n" if text else "", flush=True)
    except OSError as error:
        # what was not printed must not be tried again when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            msg = f"standard output: {error.strerror}"
            raise OSError(msg) from error


class _Parser(argparse.ArgumentParser):
    """Parser whose errors are one line, as all are."""

    def error(self, message: str) -> NoReturn:
        _say(f"error: {message}")
        sys.exit(_WRONG)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End after what was asked of the parser itself; see that it is printed."""
        try:
            _print()
        except OSError as error:
            self.error(str(error))
        sys.exit(status)


def _parser() -> argparse.ArgumentParser:
    """All that can be said on the command line."""
    parser = _Parser(
        prog=_PROGRAM,
        description="Rankings of rare targets, and whether they be better than chance.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"skrank {skrank.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="command")
    _add_report(commands)
    return parser


def _add_report(commands: Any) -> None:
    """Add the options of the report."""
    report = commands.add_parser(
        "report",
        help="report on the rankings in a table of scores",
        description=(
            "Print average precision with its interval and its random selection test, "
            "what the top\nof the ranking holds, and comparisons of each two rankings."
        ),
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = report.add_argument
    add("file", help=".csv or .tsv, both also .gz, or .parquet; - is standard input")
    add("--target", required=True, metavar="NAME", help="column of the labels")
    add(
        "--score",
        dest="scores",
        action="append",
        default=[],
        type=lambda name: (name, False),
        metavar="NAME",
        help="column to rank by; may be given several times",
    )
    add(
        "--lower-is-better",
        dest="scores",
        action="append",
        type=lambda name: (name, True),
        metavar="NAME",
        help="the same for a column where lower is better, as energies",
    )
    add(
        "--at",
        action="append",
        type=_depth,
        metavar="DEPTH",
        help="depth of what is told of the top: 10 items, 1%% or 0.01 of all; may "
        "be given several times (default: 10, 1%%, 10%%)",
    )
    add(
        "--pos-label",
        metavar="LABEL",
        help="label of the targets, unless it is 1 or true",
    )
    add("--ties", choices=TIES, default=TIES[0], help="tie rule (default: %(default)s)")
    add(
        "--pvalue",
        action=argparse.BooleanOptionalAction,
        help="test against random selection, or do not "
        "(default: if it takes no more than seconds)",
    )
    add(
        "--separator",
        type=_separator,
        metavar="CHARACTER",
        help="what separates the columns of a text, or the word tab (default: by the "
        "name of the file)",
    )
    add("--html", metavar="FILE", help="write the report as a page, too")


def _depth(text: str) -> int | float:
    """Read a number of items, a percentage, or a fraction."""
    number = text.removesuffix("%")
    try:
        if number != text:
            return check_cutoff("--at", float(Decimal(number) / 100))
        return check_cutoff("--at", int(text) if text.isdecimal() else float(text))
    except (InvalidOperation, ValueError) as error:
        msg = (
            f"must be a number of items, a percentage or a fraction; got {brief(text)}."
        )
        raise argparse.ArgumentTypeError(msg) from error


def _separator(text: str) -> str:
    """Read one character."""
    character = "\t" if text in ("tab", "\\t") else text
    if len(character) == 1 and character not in '"\r\n':
        return character
    msg = f"must be one character, or the word tab; got {brief(text)}."
    raise argparse.ArgumentTypeError(msg)
