"""The command: report on a file of scores, plan labels, and monitor days."""

import argparse
import csv
import io
import json
import math
import os
import re
import signal
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from importlib.metadata import version
from textwrap import fill
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_cutoff, invalid
from skrank._utils._numbers import DECIMAL
from skrank._utils._output import check_folder, written
from skrank._utils._table import Table
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.inference.monitor._monitor import CHANCE, RankingMonitor
from skrank.inference.monitor._monitor_state import day_text, in_order, is_before
from skrank.inference.sampled._labels_to_collect import (
    labels_to_collect,
    labels_to_compare,
)
from skrank.inference.thresholds._threshold_choice import ThresholdChoice
from skrank.ranking._plan_check import KNOWN
from skrank.ranking._rankings import Rankings
from skrank.report._monitor_page import MonitorPage
from skrank.report._report import RankingReport
from skrank.report._result import RankingReportResult
from skrank.report._sampled import SampledReport, sampled_report
from skrank.report._score_file import read_score_file, score_name
from skrank.report._tables import heading_of
from skrank.report._trec_files import read_runs

_NUMBER = f"[+-]?{DECIMAL}"
# What a spreadsheet would take for a formula, and is no number
_FORMULA = re.compile(r"[=+\-@\t\r](?![\d.,]+(?:[eE][+-]?\d+)?$)")
#: Exit status of an alarm; errors have 2.
_ALARM = 3
# Options of a file of scores, which runs do not have
_OF_SCORES = (
    *("target", "pos_label", "drop_missing_labels", "strata", "group", "cluster"),
    *("missing", "threshold", "gains"),
)
#: Depths that are usual for runs, unless others are given.
_DEPTHS_OF_RUNS = (10, 100)
_RULES = ("recall", "precision", "t", "benefit", "cost", "guarantee")
_FILE = ".csv or .tsv (also .gz) or .parquet; - reads standard input"
_EXAMPLES = """examples:
  skrank report scores.csv --target active \\
      --score model_a --score model_b --at 10 --at 1%
  skrank report docking.csv.gz --target active \\
      --lower-is-better 'energy_*' --html report.html
  skrank report run_a.txt run_b.txt --qrels qrels.txt --metric ndcg@10
"""

_PLAN_EXAMPLE = """example, 500 labels that include the top 100 of two models:
  skrank plan scores.csv --score model_a --score model_b \\
      --budget 500 --t 100 --keep id -o plan.csv
"""

_MONITOR_EXAMPLE = """example, each day with the rows of the last weeks:
  skrank monitor last_30_days.csv --target fraud --score model --group day \\
      --metric recall@30 --reference 0.4 --state monitor.json --wait
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            status: int = options.run(options)
    except (ImportError, OSError, ValueError) as error:
        message = str(error)
        for name, option in options.options.items():
            message = message.replace(f"`{name}`", f"`{option}`")
        if getattr(options, "target", None) is not None:
            message = message.replace("`y_true`", f"column {brief(options.target)}")
        _say(f"error: {message}")
        return 2  # the exit status of argparse
    for warning in dict.fromkeys(str(one.message) for one in caught):
        _say(f"warning: {warning}")
    return status


def run() -> NoReturn:
    """Run a command as a program."""
    if hasattr(signal, "SIGPIPE"):  # end quietly if the reader of a pipe has ended
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, lambda *_: sys.exit(128 + signal.SIGINT))
    sys.exit(main())


def _report(options: argparse.Namespace) -> int:
    """Write the report of a file, or of runs, then print it."""
    _check_kind(options)
    outputs = _outputs(options)
    if options.by_group and options.group is None and options.qrels is None:
        raise invalid("--by-group", "be given with `--group`", "no group")
    report: Any
    n_left_out = 0
    judged: dict[str, list[float]] = {}
    if options.strata:
        report = _sampled(options)
    else:
        # the same report for the same file
        asked = {"metrics": options.metric, "t": options.at, "random_state": 0}
        asked |= {"gains": options.gains, "thresholds": options.threshold}
        asked["sort"] = options.sort
        compare_by = options.compare_by or "average_precision"
        question = RankingReport(compare_by, **asked)
        if options.qrels is None:
            others = {"groups": options.group, "clusters": options.cluster}
            missing = "drop" if options.drop_missing_labels else "refuse"
            read, n_left_out = _read(options, others, missing)
            report = question.from_predictions(**read)
        else:
            rankings, judged = read_runs(options.qrels, options.files, options.at)
            report = question.from_rankings(rankings)
    printed, table = [str(report)], report.to_dict()["rankings"]
    if judged:
        columns = zip(*(judged[name] for name in table["name"]), strict=True)
        shares = {
            f"judged@{t}": [*one] for t, one in zip(options.at, columns, strict=True)
        }
        table |= shares
        printed.append(
            _table(
                "Judged share of the top",
                ["ranking", *shares],
                zip(table["name"], *shares.values(), strict=True),
            )
        )
    header, rows = [*table], [*zip(*table.values(), strict=True)]
    if options.by_group:
        header, rows = _by_group(report)
        printed.append(_table("Groups", header, rows))
    if n_left_out:
        printed.append(
            f"{n_left_out} items with a missing label were left out: these are metrics "
            "of the labelled rows, not of the list"
        )
        _say(printed[-1])
    _write(options, outputs, report, printed, header, rows)
    return 0


def _check_kind(options: argparse.Namespace) -> None:
    """Check what is given for a file of scores, or for runs and their judgments."""
    if options.qrels is None:
        options.file, *others = options.files
        if others:
            rule = "be one, unless they are runs with `--qrels`"
            raise invalid("file", rule, brief(options.files))
        if options.target is None:
            raise invalid("--target", "be given, or `--qrels`", "none")
        return
    for name in (*_OF_SCORES, "scores"):
        if getattr(options, name) not in (None, False, [], "error"):
            option = "--score" if name == "scores" else f"--{name.replace('_', '-')}"
            rule = "be left out with `--qrels`, whose runs have queries and scores"
            raise invalid(option, rule, "both")
    options.at = options.at or [*_DEPTHS_OF_RUNS]
    fractions = [t for t in options.at if isinstance(t, float)]
    if fractions:
        rule = "be a number of documents with `--qrels`"
        raise invalid("--at", rule, f"{100 * fractions[0]:g}%")


def _sampled(options: argparse.Namespace) -> SampledReport:
    """Report on the whole list by labels of a sample."""
    others = ("gains", "threshold", "compare_by", "sort")
    for name in ("group", "cluster", "by_group", "drop_missing_labels", *others):
        if getattr(options, name):
            option = f"--{name.replace('_', '-')}"
            raise invalid(option, "be left out with `--strata`", "both")
    read, _ = _read(options, {"strata": options.strata}, "keep")
    return sampled_report(**read, metrics=options.metric, t=options.at)


def _monitor(options: argparse.Namespace) -> int:
    """Print what a monitor says after the last day; return 3 if it is an alarm."""
    outputs = _outputs(options)
    before = None
    if options.state is not None and os.path.exists(options.state):
        before = _read_state(options.state)
    missing = "wait" if options.wait else "complete"
    read, _ = _read(options, {"groups": options.group}, missing)
    reference: Any = options.reference
    if re.fullmatch(_NUMBER, reference):
        reference = float(reference)
    elif reference not in read["y_score"] and f"{reference} (lower)" in read["y_score"]:
        reference = f"{reference} (lower)"
    settings: Any = {"reference": reference, "bet": options.bet}
    settings["significance_level"] = options.level
    monitor = RankingMonitor(options.metric, **settings)
    is_missing = np.isnan(read["y_true"].astype(float))
    read["y_true"] = read["y_true"] == 1
    rankings = Rankings.from_predictions(**read)
    result = monitor._result_after(before, rankings, "--group", missing=is_missing)
    notes = _notes(rankings, before, result, is_missing)
    table = {"day": result.labels, **result._columns()}
    printed = [str(result), *(fill(one, 72) for one in (result.conclusion(), *notes))]
    rows = [*zip(*table.values(), strict=True)]
    _write(options, outputs, MonitorPage(result, notes), printed, [*table], rows)
    return _ALARM if result.alarm else 0


def _notes(
    rankings: Rankings, before: Any, result: Any, is_missing: NDArray[np.bool_]
) -> list[str]:
    """Return which days of a file are new, were known, or wait for their labels."""
    known = set() if before is None else {*before["labels"]}
    new = [day for day in result.labels if day not in known]
    days = {day_text(one.label, "--group"): one.items for one in rankings.rows}
    notes = []
    if known:
        notes.append(f"Added {_days(new)}" + f": {listed(new, 5)}" * bool(new) + ".")
    left, last = {*days} - {*result.labels}, result.labels[-1]
    waiting = [day for day in left if not is_before(day, last)]
    if waiting:
        first = waiting[in_order(waiting, "--group", [])[0]]
        n_missing = sum(np.count_nonzero(is_missing[days[day]]) for day in waiting)
        notes.append(
            f"Left {_days(waiting)} to a later run, from {first} on (missing labels: "
            f"{n_missing})."
        )
    return notes


def _days(some: Sequence[str]) -> str:
    return f"{len(some)} day{'s' * (len(some) != 1)}"


def _plan(options: argparse.Namespace) -> int:
    """Write which rows of a file to label."""
    outputs = _outputs(options)
    if options.compare == (options.budget is not None):
        got = "both" if options.compare else "none"
        raise invalid("--budget", "be given, or `--compare`", got)
    if options.compare and options.t is None:
        raise invalid("--t", "be given with `--compare`", "none")
    marks = {"labelled": options.labelled}
    read, _ = _read(options, marks, "keep", copied=options.keep)
    table = {name: one.tolist() for name, one in read.pop("copied", {}).items()}
    if options.compare:
        plan = labels_to_compare(t=options.t, **read)
    else:
        settings = {"budget": options.budget, "random_state": options.seed}
        plan = labels_to_collect(t=options.t, **settings, **read)
    taken = [name for name in plan if name in table]
    if taken:
        raise invalid("--keep", "name no column of the plan", brief(taken[0]))
    table |= {name: plan[name].tolist() for name in plan}
    n_planned, n_known = int(plan["to_label"].sum()), (plan["stratum"] == KNOWN).sum()
    known = f", and {n_known} have a label" if n_known else ""
    printed = [f"{n_planned} of {len(plan)} rows are to be labelled{known}"]
    _write(
        options, outputs, plan, printed, [*table], [*zip(*table.values(), strict=True)]
    )
    return 0


def _read_state(path: str) -> Any:
    """Return the state of the days before from its file."""
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as error:
            rule = "name a state file, or a file that does not exist yet"
            raise invalid("--state", rule, brief(path)) from error


def _outputs(options: argparse.Namespace) -> dict[str, str]:
    """Check the files to write and the columns of scores."""
    names = ("html", "latex", "csv", "state", "output")
    given = {name: getattr(options, name, None) for name in names}
    outputs = {name: path for name, path in given.items() if path is not None}
    if sys.stdout is None:
        raise OSError("the standard output is closed")
    inputs = [options.qrels, *options.files] if "qrels" in options else [options.file]
    _check_outputs(outputs, [0 if one == "-" else one for one in inputs if one])
    printed = {score_name(*one) for one in options.scores}
    is_run = getattr(options, "qrels", None) is not None
    if not is_run and not 0 < len(printed) == len(options.scores):
        got = ", ".join(name for name, _ in options.scores)
        rule = "name one column or more to rank by, and each only once"
        raise invalid("--score", rule, brief(got) if got else "none")
    return outputs


def _read(
    options: argparse.Namespace,
    others: Mapping[str, str | None],
    missing: str,
    copied: Sequence[str] = (),
) -> tuple[dict[str, Any], int]:
    """Read the file; return its columns and the number of rows left out."""
    return read_score_file(
        options.file,
        options.scores,
        {"y_true": getattr(options, "target", None), **others},
        getattr(options, "pos_label", None),
        missing,
        copied=copied,
        missing_scores=options.missing,
        separator=options.separator,
        decimal=options.decimal,
    )


def _write(
    options: argparse.Namespace,
    outputs: Mapping[str, str],
    report: Any,
    printed: list[str],
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Write the files, then print."""
    try:  # files first, because the reader of a pipe may end
        for name, path in outputs.items():
            if name in ("csv", "output"):
                text = _csv_of(header, rows, options.separator or ",", options.decimal)
            elif name == "state":
                text = json.dumps(report.state())
            else:
                text = getattr(report, f"to_{name}")()
            if path == "-":
                printed = [text.removesuffix("\n")]
            else:
                new = "a new state, " * (name == "state" and not os.path.exists(path))
                written(text, path)
                _say(f"wrote {new}{as_text(path)}")
    finally:
        print("\n\n".join(printed), flush=True)


def _check_outputs(outputs: Mapping[str, str], sources: Sequence[str | int]) -> None:
    """Check that no two files are the same; `sources` are those that are read."""
    taken: dict[Any, str] = {}
    inputs = [("input", one) for one in dict.fromkeys(sources)]
    for name, path in (*inputs, *outputs.items()):
        if path == "" or (name == "state" and path == "-"):
            raise invalid(f"--{name}", "name a file", brief(path))
        is_there = os.path.exists(path)
        file = os.stat(path)[1:3] if is_there else os.path.realpath(str(path))
        if file in taken:
            rule = f"name another file than that of the {taken[file]}"
            raise invalid(f"--{name}", rule, brief(path))
        taken[file] = name
        if name != "input" and path != "-":
            check_folder(path)


def _by_group(report: RankingReportResult) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the header and the rows of a table of the groups.

    The main metric is NaN where it is undefined. Lists of different items have no
    common number of items.
    """
    metric, rows = report.main.metric, []
    parts = report.rankings.rows
    same = all(len({one.n_samples for one in part.rankings}) == 1 for part in parts)
    for part in parts:
        first, *_ = part.rankings
        others = first.n_non_targets + first.n_missed
        is_defined = metric.is_defined(first.n_targets, others)
        values = [
            metric.value(one) if is_defined else math.nan for one in part.rankings
        ]
        sizes = [int(first.n_samples)] * same + [int(first.n_targets)]
        rows.append((part.label, *sizes, *map(float, values)))
    head = ["group", *["items"] * same, "targets"]
    return [
        *head,
        *(f"{heading_of(metric.name)} {name}" for name in report.names),
    ], rows


def _csv_of(
    header: Sequence[str], rows: Sequence[Sequence[Any]], separator: str, decimal: str
) -> str:
    """Return a table as separated values; the cell of a NaN is empty.

    A text that a spreadsheet would take for a formula has an apostrophe before it.
    """

    def cell(one: Any) -> Any:
        if isinstance(one, float):
            return "" if math.isnan(one) else str(one).replace(".", decimal)
        return f"'{one}" if isinstance(one, str) and _FORMULA.match(one) else one

    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerows([map(cell, row) for row in (header, *rows)])
    return text.getvalue()


def _table(caption: str, header: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Print a table of names and numbers."""
    cells = [tuple(map(_cell, row)) for row in rows]
    return str(Table(caption, tuple(map(as_text, header)), cells, 1, ""))


def _cell(value: Any) -> str:
    """Print a cell of the table of groups."""
    if not isinstance(value, float):
        return as_text(value)
    return "-" if math.isnan(value) else f"{value:.4f}"


def _say(message: str) -> None:
    """Print one line to the standard error, if it is not closed."""
    if sys.stderr is not None:
        print(f"skrank: {in_short(message, 600)}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """Parser with errors of one line."""

    def error(self, message: str) -> NoReturn:
        _say(f"error: {message}")
        sys.exit(2)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = _Parser(
        prog="skrank",
        description="Rank rare targets, and test rankings against random selection.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=f"skrank {version('skrank')}"
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="command")
    _add_report(commands)
    _add_plan(commands)
    _add_monitor(commands)
    return parser


def _add_report(commands: Any) -> None:
    """Add the command that reports on a file."""
    report = commands.add_parser(
        "report",
        help="report on the scores in a file",
        description=(
            "Print average precision of each model with its interval and its test "
            "against\nrandom selection, metrics of the first items, and comparisons of "
            "the models."
        ),
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    report.set_defaults(run=_report, options={"t": "--at"})
    said = f"{_FILE}; with --qrels one run or several"
    report.add_argument("files", nargs="+", metavar="file", help=said)
    _add_columns(report)
    _add_labels(report, required=False)
    add = report.add_argument
    add(
        "--qrels",
        metavar="FILE",
        help="judgments of TREC (query, iteration, document, relevance); the files are "
        "then runs (query, Q0, document, rank, score, tag)",
    )
    add(
        "--drop-missing-labels",
        action="store_true",
        help="leave out rows without a label",
    )
    add(
        "--strata",
        metavar="NAME",
        help="column of the stratum of a row, if a random sample of each stratum has "
        "labels; the report is on the whole list",
    )
    add(
        "--group",
        metavar="NAME",
        help="column of the day or query of a row; the report is on the means over "
        "days or queries",
    )
    add("--by-group", action="store_true", help="also print a row for each group")
    add(
        "--cluster",
        metavar="NAME",
        help="column of the patient of a row, or of another unit whose rows are "
        "dependent",
    )
    add(
        "--metric",
        action="append",
        default=[],
        metavar="METRIC",
        help="metric to report, such as precision@10 or max_f_score; can be repeated",
    )
    add(
        "--compare-by",
        action="append",
        default=[],
        metavar="METRIC",
        help="metric of the tests and comparisons (default: average_precision)",
    )
    add(
        "--threshold",
        action="append",
        default=[],
        type=_rule,
        metavar="RULE",
        help="rule of a threshold: recall=0.8, precision=0.3, t=100 or "
        "benefit=200,cost=5",
    )
    add(
        "--gains",
        type=_parts,
        default=False,
        metavar="PARTS",
        help="add gains tables: a number of parts, or depths such as 1%%,2%%,5%%",
    )
    add(
        "--at",
        action="append",
        type=_depth,
        metavar="DEPTH",
        help="depth, such as 10 or 1%%; can be repeated (default: 10, 1%%, 10%%)",
    )
    add(
        "--html",
        metavar="FILE",
        help="write the report as a page; of these files, - is the standard output",
    )
    add("--sort", action="store_true", help="print the best ranking first")
    add("--latex", metavar="FILE", help="write the tables in LaTeX")
    add(
        "--csv",
        metavar="FILE",
        help="write a row for each model, or for each group with --by-group",
    )


def _add_plan(commands: Any) -> None:
    """Add the command that plans labels."""
    plan = commands.add_parser(
        "plan",
        help="choose the rows of a file to label",
        description=(
            "Write the stratum and the rank of each row of the file, in its order,\n"
            "the probability of being chosen, and whether to label it.\n"
            "For several models, rows are ranked by their best rank."
        ),
        epilog=_PLAN_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    said = {one: f"--{one}" for one in ("t", "budget", "labelled")}
    said["y_score"] = "--score"
    plan.set_defaults(run=_plan, options=said)
    plan.add_argument("file", help=_FILE)
    _add_columns(plan)
    add = plan.add_argument
    add("--budget", type=_count, metavar="NUMBER", help="number of new labels")
    add(
        "--t",
        action="append",
        type=_depth,
        metavar="DEPTH",
        help="cutoff of a metric, such as 100 or 1%%; can be repeated. For several "
        "models, all rows in the top of any model are labelled",
    )
    add(
        "--compare",
        action="store_true",
        help="label only the rows that decide which model has more targets in its top "
        "--t, instead of --budget",
    )
    add(
        "--labelled",
        metavar="NAME",
        help="column of existing labels, empty for the other rows",
    )
    add(
        "--keep",
        action="append",
        default=[],
        metavar="NAME",
        help="column of the file to copy to the table, such as an item number; can be "
        "repeated",
    )
    add(
        "--seed",
        type=_count,
        default=0,
        metavar="NUMBER",
        help="the same seed with a larger budget adds rows (default: 0)",
    )
    add(
        "-o",
        "--output",
        default="-",
        metavar="FILE",
        help="write the table to a file (default: -, the standard output)",
    )


def _add_monitor(commands: Any) -> None:
    """Add the command that monitors days."""
    monitor = commands.add_parser(
        "monitor",
        help="monitor a model in production, with an alarm that is valid on any day",
        description=(
            "Print whether the rankings of the days in a file are better than chance,\n"
            "worse than a number, or better than the rankings of another model.\n"
            "The exit status is 0 without an alarm, 3 with one, and 2 after an error."
        ),
        epilog=_MONITOR_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    said = {"significance_level": "--level", "previous": "--state"}
    monitor.set_defaults(run=_monitor, options=said)
    monitor.add_argument("file", help=_FILE)
    _add_columns(monitor)
    _add_labels(monitor)
    add = monitor.add_argument
    add(
        "--group",
        metavar="NAME",
        required=True,
        help="column of the day of a row: numbers, or dates as 2026-01-31, 31.01.2026 "
        "or 2026-W05",
    )
    add(
        "--metric",
        metavar="METRIC",
        help="metric of a day, such as recall@20 (default: the ranks of all targets)",
    )
    add(
        "--reference",
        metavar="NUMBER or NAME",
        default=CHANCE,
        help="number that the mean must reach, or score column of a model that the "
        "model must exceed",
    )
    add(
        "--bet",
        choices=["day", "target"],
        default="day",
        help="unit of evidence against a number: the value of a day, or each target "
        "of recall@t, which needs fewer days but assumes independent targets (default: "
        "day)",
    )
    add(
        "--level",
        type=float,
        default=0.05,
        metavar="LEVEL",
        help="probability that a false alarm ever occurs (default: 0.05)",
    )
    add(
        "--state",
        metavar="FILE",
        help="continue from this file if it exists, and write all days to it; days in "
        "the file are skipped",
    )
    add(
        "--wait",
        action="store_true",
        help="leave the first day with a missing label, and all days after it, to a "
        "later run",
    )
    add(
        "--html",
        metavar="FILE",
        help="write a page with a picture of the days; - is the standard output",
    )
    add("--csv", metavar="FILE", help="write a row for each day")


def _add_labels(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the arguments for the labels of a file."""
    add = parser.add_argument
    add("--target", metavar="NAME", required=required, help="column of the labels")
    said = "label of the targets; labels 0 and 1, -1 and 1, or true and false need none"
    add("--pos-label", metavar="LABEL", help=said)


def _add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say how a file is read."""
    add, name = parser.add_argument, "NAME"
    scores: Any = {"dest": "scores", "action": "append", "metavar": name}
    said = "column of scores, where larger is better, or a pattern such as 'model_*'; "
    said += "repeat it for each model"
    add("--score", **scores, default=[], type=lambda one: (one, False), help=said)
    said = "column of scores where smaller is better, such as docking energies"
    add("--lower-is-better", **scores, type=lambda one: (one, True), help=said)
    said = "rows without a score, such as failed dockings: an error, or the last rows"
    add("--missing", choices=["error", "last"], default="error", help=said)
    said = "character between cells, such as ';', in the input and in the output"
    add("--separator", type=_separator, metavar="CHARACTER", help=said)
    said = "decimal point or comma, in the input and in the output"
    add("--decimal", choices=[".", ","], default=".", help=said)


def _separator(text: str) -> str:
    """Check for one character, or a name of the tab."""
    one = {"tab": "\t", r"\t": "\t"}.get(text, text)
    if len(one) == 1 and one.isascii() and one not in '"\n\r':
        return one
    rule = "must be one character, or tab"
    raise argparse.ArgumentTypeError(f"{rule}; got {brief(text)}")


def _count(text: str) -> int:
    """Convert a whole number."""
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"must be a whole number; got {brief(text)}")


def _depth(text: str) -> int | float:
    """Convert a number of items, a percentage, or a fraction."""
    try:
        if text.endswith("%"):  # decimal: 1.1 / 100 is 0.011000000000000001
            return check_cutoff("--at", float(Decimal(text[:-1]) / 100))
        return check_cutoff("--at", int(text) if text.isdecimal() else float(text))
    except (InvalidOperation, ValueError) as error:
        rule = "must be a number of items, a percentage or a fraction"
        raise argparse.ArgumentTypeError(f"{rule}; got {brief(text)}") from error


def _parts(text: str) -> int | list[int | float]:
    """Convert a number of parts, or depths between commas."""
    if text.isdecimal():
        return int(text)
    try:
        return [_depth(one.strip()) for one in text.split(",")]
    except argparse.ArgumentTypeError as error:
        rule = "must be a number of parts, such as 10, or depths such as 1%,2%,5%"
        raise argparse.ArgumentTypeError(f"{rule}; got {brief(text)}") from error


def _rule(text: str) -> ThresholdChoice:
    """Convert settings such as ``benefit=200,cost=5``."""
    settings: dict[str, Any] = {}
    for one in text.split(","):
        name, _, value = (part.strip() for part in one.partition("="))
        if not re.fullmatch(_NUMBER, value) or name not in _RULES:
            rule = f"must be such as recall=0.8, with one of {', '.join(_RULES)}"
            raise argparse.ArgumentTypeError(f"{rule}; got {brief(text)}")
        settings[name] = int(value) if value.isdecimal() else float(value)
    try:
        return ThresholdChoice(**settings)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
