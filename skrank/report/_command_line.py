"""The command ``python -m skrank report``: the report on a file of scores."""

import argparse
import math
import os
import sys
import warnings
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from importlib.metadata import version
from typing import Any, NoReturn

from skrank._utils._checks import TIES, check_cutoff, invalid
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.report._report import ranking_report
from skrank.report._score_file import MOST_HELD, read_score_file

_PROGRAM = "python -m skrank"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _report(options)
    except (ImportError, OSError, ValueError) as error:
        message = str(error).replace("`t`", "`--at`")
        message = message.replace("`y_true`", f"column {brief(options.target)}")
        _say(f"error: {message}")
        return 2  # as argparse has it
    for warning in dict.fromkeys(str(one.message) for one in caught):
        _say(f"warning: {warning}")
    return 0


def _report(options: argparse.Namespace) -> None:
    """Print the report of a file, then write the page."""
    source = 0 if options.file == "-" else options.file
    page = options.html
    if page and os.path.exists(page) and os.path.samefile(page, source):
        raise invalid("--html", "name another file than the table", brief(page))
    names = [f"{name} (lower)" if lower else name for name, lower in options.scores]
    if len(set(names)) < len(names):
        got = listed([*map(as_text, names)], 20)
        raise invalid("--score", "name each ranking once", got)
    most = {None: MOST_HELD, True: math.inf, False: 0}[options.compare]
    y_true, y_scores = read_score_file(
        options.file,
        options.target,
        dict(zip(names, options.scores, strict=True)),
        options.pos_label,
        options.separator,
        most=most,
        progress=options.progress,
    )
    asked = {"t": options.at, "ties": options.ties, "pvalue": options.pvalue}
    # the same file, the same report
    report = ranking_report(y_true, y_scores, **asked, random_state=0)
    print(report, flush=True)
    if page:
        report.to_html(page)
        _say(f"wrote {as_text(page)}")


def _say(message: str) -> None:
    """Say one line beside the report."""
    print(f"{_PROGRAM}: {in_short(message, 600)}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """Parser whose errors are one line, as all are."""

    def error(self, message: str) -> NoReturn:
        _say(f"error: {message}")
        sys.exit(2)


def _parser() -> argparse.ArgumentParser:
    """All that can be said on the command line."""
    common: Any = {
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "epilog": """examples:
  python -m skrank report scores.csv --target active \\
      --score model_a --score model_b --at 10 --at 1%
  python -m skrank report docking.csv.gz --target active \\
      --lower-is-better energy --html report.html
""",
    }
    about = "Rank rare targets, and test rankings against random selection."
    parser = _Parser(prog=_PROGRAM, description=about, **common)
    said = f"skrank {version('skrank')}"
    parser.add_argument("--version", action="version", version=said)
    commands = parser.add_subparsers(title="commands", required=True, metavar="command")
    about = (
        "Print average precision with its interval and its test against random\n"
        "selection, what the top of each ranking holds, and the comparisons of\n"
        "each two rankings."
    )
    said = "report on the rankings in a file of scores"
    report = commands.add_parser("report", help=said, description=about, **common)
    add = report.add_argument
    add("file", help=".csv or .tsv, both also .gz, or .parquet; - is standard input")
    add("--target", required=True, metavar="NAME", help="column of the labels")
    named: Any = {"dest": "scores", "action": "append", "metavar": "NAME"}
    add(
        "--score",
        **named,
        default=[],
        type=lambda name: (name, False),
        help="column to rank by, higher is better; may be given several times",
    )
    add(
        "--lower-is-better",
        **named,
        type=lambda name: (name, True),
        help="the same for a column where lower is better, such as energies",
    )
    add(
        "--at",
        action="append",
        type=_depth,
        metavar="DEPTH",
        help="depth of the top to report: 10 items, 1%% or 0.01 of all; may be given "
        "several times (default: 10, 1%%, 10%%)",
    )
    add("--pos-label", metavar="LABEL", help="label of the targets (default: 1, true)")
    add("--ties", choices=TIES, default=TIES[0], help="tie rule (default: %(default)s)")
    add(
        "--pvalue",
        action=argparse.BooleanOptionalAction,
        help="test against random selection, or not (default: if it takes seconds)",
    )
    add(
        "--compare",
        action=argparse.BooleanOptionalAction,
        help="hold the rankings in memory, where they can be compared, or only count "
        f"them (default: if there are no more than {MOST_HELD} scores)",
    )
    add("--progress", action="store_true", help="show how far a long file is read")
    add(
        "--separator",
        type=lambda text: "\t" if text in ("tab", "\\t") else text,
        metavar="CHARACTER",
        help="what separates the columns, or the word tab (default: by the file name)",
    )
    add("--html", metavar="FILE", help="also write the report as a page")
    return parser


def _depth(text: str) -> int | float:
    """Read a number of items, a percentage, or a fraction."""
    try:
        if text.endswith("%"):  # a decimal, as 1.1 / 100 is 0.011000000000000001
            return check_cutoff("--at", float(Decimal(text[:-1]) / 100))
        return check_cutoff("--at", int(text) if text.isdecimal() else float(text))
    except (InvalidOperation, ValueError) as error:
        rule = "must be a number of items, a percentage or a fraction"
        raise argparse.ArgumentTypeError(f"{rule}; got {brief(text)}") from error
