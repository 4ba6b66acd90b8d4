"""The command: report on a file of scores."""

import argparse
import math
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from importlib.metadata import version
from typing import Any, NoReturn

from skrank._utils._checks import TIES, check_cutoff, invalid
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.report._report import ranking_report
from skrank.report._result import RankingReport
from skrank.report._score_file import MOST_HELD, read_score_file

_PROGRAM = "skrank"


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
        return 2  # the exit status of argparse
    for warning in dict.fromkeys(str(one.message) for one in caught):
        _say(f"warning: {warning}")
    return 0


def run() -> NoReturn:
    """Run a command as a program."""
    if hasattr(signal, "SIGPIPE"):  # end quietly if the reader of a pipe has ended
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())


def _report(options: argparse.Namespace) -> None:
    """Write the report of a file, then print it."""
    source = 0 if options.file == "-" else options.file
    pages = {
        "--html": (options.html, RankingReport.to_html),
        "--latex": (options.latex, RankingReport.to_latex),
    }
    for option, (page, _) in pages.items():
        if page and os.path.exists(page) and os.path.samefile(page, source):
            raise invalid(option, "name another file than the table", brief(page))
    names = [f"{name} (lower)" if lower else name for name, lower in options.scores]
    if len(set(names)) < len(names):
        got = listed([*map(as_text, names)], 20)
        raise invalid("--score", "name each ranking once", got)
    most = {None: MOST_HELD, True: math.inf, False: 0}[options.compare]
    for name, column in (("--group", options.group), ("--cluster", options.cluster)):
        if column is not None and options.compare is False:
            rule = "be left out with `--no-compare`, which holds no items in memory"
            raise invalid(name, rule, brief(column))
    if None not in (options.group, options.cluster):
        raise invalid("--cluster", "be left out with `--group`", brief(options.cluster))
    thinning = {
        "prevalence": options.prevalence,
        "negatives_kept": options.negatives_kept,
    }
    if any(thinning.values()) and options.compare is None:
        most = math.inf  # options that need single items
    y_true, y_scores, texts = read_score_file(
        options.file,
        options.target,
        dict(zip(names, options.scores, strict=True)),
        options.pos_label,
        options.separator,
        group=options.group,
        cluster=options.cluster,
        most=most,
        progress=options.progress,
    )
    asked = {"t": options.at, "ties": options.ties, "pvalue": options.pvalue}
    asked |= {"metrics": options.metric, **thinning, **texts}
    # the same report for the same file
    report = ranking_report(y_true, y_scores, **asked, random_state=0)
    try:  # files first, because the reader of a pipe may end
        for path, write in pages.values():
            if path:
                write(report, path)
                _say(f"wrote {as_text(path)}")
    finally:
        print(report, flush=True)


def _say(message: str) -> None:
    """Print one line to the standard error."""
    print(f"{_PROGRAM}: {in_short(message, 600)}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """Parser with errors of one line."""

    def error(self, message: str) -> NoReturn:
        _say(f"error: {message}")
        sys.exit(2)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    common: Any = {
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "epilog": """examples:
  skrank report scores.csv --target active \\
      --score model_a --score model_b --at 10 --at 1%
  skrank report docking.csv.gz --target active \\
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
        help="column to rank by, higher is better, several times for several",
    )
    add(
        "--lower-is-better",
        **named,
        type=lambda name: (name, True),
        help="in place of --score, for a column where lower is better, as energies",
    )
    add("--pos-label", metavar="LABEL", help="label of the targets (default: 1, true)")
    add(
        "--separator",
        type=lambda text: "\t" if text in ("tab", "\\t") else text,
        metavar="CHARACTER",
        help="what separates the columns, or the word tab (default: by the file name)",
    )
    add(
        "--at",
        action="append",
        type=_depth,
        metavar="DEPTH",
        help="depth of the top to report: 10 items, 1%% or 0.01 of all; may be given "
        "several times (default: 10, 1%%, 10%%)",
    )
    add(
        "--group",
        metavar="NAME",
        help="column of the ranking that an item belongs to, such as its day; the "
        "report is on the mean over these",
    )
    add(
        "--cluster",
        metavar="NAME",
        help="column of what makes items depend on each other, such as the patient; "
        "clusters are the sample of intervals, tests and comparisons",
    )
    add(
        "--metric",
        action="append",
        default=[],
        metavar="METRIC",
        help="one more metric with its interval, as it is printed: precision@10, "
        "max_f_score; may be given several times",
    )
    deployed = report.add_mutually_exclusive_group()
    deployed.add_argument(
        "--prevalence",
        type=float,
        metavar="SHARE",
        help="prevalence of deployment, at which metrics are estimated",
    )
    deployed.add_argument(
        "--negatives-kept",
        type=float,
        metavar="SHARE",
        help="share of the non-targets that were kept, to estimate metrics on all",
    )
    add("--ties", choices=TIES, default=TIES[0], help="tie rule (default: %(default)s)")
    add(
        "--pvalue",
        action=argparse.BooleanOptionalAction,
        help="test against random selection, or not (default: unless it takes long)",
    )
    add(
        "--compare",
        action=argparse.BooleanOptionalAction,
        help="hold the rankings in memory, where they can be compared, or only count "
        f"them (default: if there are no more than {MOST_HELD} scores)",
    )
    add("--progress", action="store_true", help="show how far a long file is read")
    add("--html", metavar="FILE", help="also write the report as a page")
    add("--latex", metavar="FILE", help="also write the tables of the report in LaTeX")
    return parser


def _depth(text: str) -> int | float:
    """Convert a number of items, a percentage, or a fraction."""
    try:
        if text.endswith("%"):  # decimal: 1.1 / 100 is 0.011000000000000001
            return check_cutoff("--at", float(Decimal(text[:-1]) / 100))
        return check_cutoff("--at", int(text) if text.isdecimal() else float(text))
    except (InvalidOperation, ValueError) as error:
        rule = "must be a number of items, a percentage or a fraction"
        raise argparse.ArgumentTypeError(f"{rule}; got {brief(text)}") from error
