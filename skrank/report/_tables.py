"""The tables of the report as text, rounded to meaningful digits.

A dash stands for an undefined value. An empty cell stands for a value that was not
requested.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skrank._utils._checks import check_depth
from skrank._utils._table import Table
from skrank._utils._text import as_text, format_pvalue
from skrank.inference._leaderboard import RankingLeaderboard, shown_ranks
from skrank.inference._metric_interval_result import (
    ConfidenceInterval,
    MetricIntervalResult,
)
from skrank.inference._ranking_comparison_result import RankingComparisonTable

_NULL_MEAN = "null mean"  # name of the last row of a table


def table_of_rankings(
    rankings: Sequence[Mapping[str, Any]],
    null_mean: float | None,
    confidence_level: float,
) -> Table:
    """Return the table of average precision, with intervals and tests."""
    values = [one["average_precision"] for one in rankings]
    decimals, level = _decimals([null_mean or 0, *values]), _percent(confidence_level)
    # rankings of several classes have different targets
    counted = ("targets",) if "n_targets" in rankings[0] else ()
    targets = [[str(one["n_targets"])] if counted else [] for one in rankings]
    rows = [
        (
            _name(one["name"]),
            *count,
            *_estimate(value, one["low"], one["high"], decimals),
            _fixed(one["zscore"], 2),
            _pvalue(one["log10_pvalue"]),
        )
        for one, value, count in zip(rankings, values, targets, strict=True)
    ]
    if null_mean is not None:
        rows.append((_NULL_MEAN, _fixed(null_mean, decimals), "", "", ""))
    reading = (
        f"Average precision (AP) is 1 if all targets come first{_last(null_mean)}. "
        f"The interval is the {level} confidence interval of the mean AP over samples "
        "of this size. zscore is the distance from the mean under random selection, "
        "the null mean, in standard deviations under it, the null std; pvalue is "
        "the probability of a value at least as large under random selection."
    )
    header = ("ranking", *counted, "AP", f"{level} interval", "zscore", "pvalue")
    return Table("Average precision", header, rows, 1, reading, null_mean is not None)


def table_of_depths(
    at_depths: Mapping[str, Mapping[str, float]],
    null_means: Mapping[str, float],
    depths: Sequence[int | float],
    n_samples: int | None,
) -> Table:
    """Return the table of the top of the ranking at several depths.

    Rankings of several lengths have no common number of items.
    """
    named = {_name(name): values for name, values in at_depths.items()}
    if null_means:
        named[_NULL_MEAN] = null_means
    columns = {}
    headings = {"average_precision": "AP@k", "enrichment_factor": "lift"}
    for metric in ("average_precision", "recall", "precision", "enrichment_factor"):
        heading = headings.get(metric, metric)
        values = [one.get(f"{metric}@{d}") for d in depths for one in named.values()]
        asked = [value for value in values if value is not None]
        if asked:
            decimals = 2 if heading == "lift" else _decimals(asked)
            columns[heading] = [
                "" if value is None else _fixed(value, decimals) for value in values
            ]
    tops = []
    for depth in depths:
        top = str(depth)
        if isinstance(depth, float):  # with its number of items
            top = _percent(depth)
            if n_samples is not None:
                top += f" ({check_depth('t', depth, n_samples)})"
        tops += [top, *[""] * (len(named) - 1)]
    reading = (
        "Metrics of the first items of each ranking. The depth is a number of items "
        "or a percentage of all. Recall is the share of all targets that are among "
        "them, precision is the share of targets in them, lift is the precision "
        "divided by the prevalence, and AP@k is the average precision of these items"
        f"{_last(null_means or None)}."
    )
    header = ("top", "ranking", *columns)
    rows = [*zip(tops, [*named] * len(depths), *columns.values(), strict=True)]
    return Table("The top of the ranking", header, rows, 2, reading, bool(null_means))


def table_of_metrics(
    results: Mapping[str, Mapping[str, MetricIntervalResult]],
    null_means: Mapping[str, float],
    confidence_level: float,
) -> Table:
    """Return the table of the named metrics with their intervals."""
    level, rows = _percent(confidence_level), []
    metrics = next(iter(results.values()))
    for metric in metrics:
        found = {name: of[metric] for name, of in results.items()}
        chance = null_means.get(metric)
        decimals = _decimals([chance or 0, *(one.value for one in found.values())])
        heading = metric
        for name, one in found.items():
            low, high = one.confidence_interval(confidence_level)
            cells = _estimate(one.value, low, high, decimals)
            rows.append((heading, _name(name), *cells))
            heading = ""
        if null_means:
            said = "-" if chance is None else _fixed(chance, decimals)
            rows.append(("", _NULL_MEAN, said, ""))
    reading = (
        f"Further metrics. The interval is the {level} confidence "
        "interval of the mean over samples of this size"
        f"{_last(null_means or None)}."
    )
    header = ("metric", "ranking", "value", f"{level} interval")
    return Table("Metrics", header, rows, 2, reading, bool(null_means))


def table_of_pairs(table: RankingComparisonTable, confidence_level: float) -> Table:
    """Return the table of the differences of all pairs of rankings."""
    results, level = table.comparisons, _percent(confidence_level)
    decimals = _decimals([v for r in results for v in (r.value_a, r.value_b)])
    rows, above = [], None
    for result, holm in zip(results, table.adjusted_log10_pvalues, strict=True):
        a, b = result.names
        limits = (math.nan, math.nan)
        if not math.isnan(result.standard_error):  # there was a warning for these
            limits = result.confidence_interval(confidence_level)
        estimate = _estimate(result.difference, *limits, decimals)
        pvalues = _pvalue(result.log10_pvalue), _pvalue(holm)
        names = "" if a == above else _name(a), _name(b)
        rows.append((*names, *estimate, _fixed(result.zscore, 2), *pvalues))
        above = a
    permuted = results[0].method == "permutation"
    source = "permutation of ranks" if permuted else "Student's t distribution"
    reading = (
        "Comparisons of pairs of rankings of the same items. zscore is the difference "
        f"divided by its standard deviation. pvalue is two-sided, by {source}. The "
        "interval is by Student's t. Holm is the pvalue adjusted for the number of "
        "comparisons: at the level 0.05 the probability of any false difference is "
        "at most 0.05."
    )
    header = ("A", "B", "A - B", f"{level} interval", "zscore", "pvalue", "Holm")
    return Table("Differences in average precision", header, rows, 2, reading)


def table_of_leaderboard(
    board: RankingLeaderboard, intervals: Mapping[str, ConfidenceInterval]
) -> Table:
    """Return the table of the rankings from the best to the worst, by all pairs."""
    level, decimals = _percent(board.confidence_level), _decimals(board.values.tolist())
    columns = (board.names, board.values, board.pvalues)
    rows = [
        (
            _name(name),
            *_estimate(value, *intervals[name], decimals),
            _pvalue(math.log10(pvalue)),
            ranks,
            letters,
        )
        for name, value, pvalue, ranks, letters in zip(
            *columns, shown_ranks(board), board.letters, strict=True
        )
    ]
    reading = (
        "The rankings from the best to the worst, by comparisons of all pairs. Holm p "
        "is the smallest p-value of the comparisons with better rankings, adjusted for "
        "the number of all pairs. The ranges of the rank hold all together with "
        f"{level} confidence. Rankings that share a letter are not significantly "
        "different."
    )
    header = ("ranking", "AP", f"{level} interval", "Holm p", "rank", "letters")
    return Table("Leaderboard", header, rows, 1, reading)


def conclusion_of(report: Any) -> str:
    """Return a sentence on average precision: the best ranking and the others."""
    values, tests, board = report.average_precision, report.tests, report.leaderboard
    null_mean = report.null_means.get("average_precision")
    best = max(values, key=values.__getitem__)
    alpha, name = 1 - report.confidence_level, _name(best)
    decimals = 3 if values[best] >= 0.001 else _decimals([values[best]])
    said = f"{values[best]:.{decimals}f}"
    if len(values) == 1:
        low, high = report.intervals[best]
        if not math.isnan(low):
            level = _percent(report.confidence_level)
            said += f" ({level} interval {low:.{decimals}f} to {high:.{decimals}f})"
        said = f"{name} has the average precision {said}"
        if tests is None:
            return f"{said}."
        found = "is" if tests[best].pvalue <= alpha else "is not"
        mean = "" if null_mean is None else f", whose mean is {null_mean:.{decimals}f}"
        return (
            f"{said}. It {found} significantly better than random selection{mean} "
            f"(p {_pvalue(tests[best].log10_pvalue)})."
        )
    said = f"{name} has the largest average precision, {said}"
    if board is None:
        return f"{said}, of {len(values)} rankings."
    each = zip(board.names, np.log10(board.pvalues).tolist(), strict=True)
    others = {name: log10_p for name, log10_p in each if name != best}
    good = {name: p for name, p in others.items() if name in board.best}
    lower = {name: p for name, p in others.items() if name not in good}
    parts = [
        f"{_named(some)} {what}"
        for some, what in (
            (lower, "is lower" if len(lower) == 1 else "are lower"),
            (good, "may be as good"),
        )
        if some
    ]
    return f"{said}; {'; '.join(parts)}."


def _named(pvalues: Mapping[str, float]) -> str:
    """Return names of rankings with their p-values, or their number."""
    if len(pvalues) > 4:
        return f"{len(pvalues)} others"
    said = [
        f"{_name(name)} (Holm p {_pvalue(log10_p)})"
        for name, log10_p in pvalues.items()
    ]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _name(ranking: Any) -> str:
    """Return the name of a ranking, distinguished from the row of chance."""
    return as_text(ranking, reserved=[_NULL_MEAN])


def _decimals(values: Iterable[float]) -> int:
    """Decimals that show two digits of the smallest value; 4 to 8, 1 from 100 on."""
    known = [abs(value) for value in values if abs(value) > 0]
    if max(known, default=1.0) >= 100:
        return 1
    least = min(known, default=1.0)
    return min(max(4, 1 - math.floor(math.log10(least))), 8)


def _fixed(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"


def _estimate(value: float, low: float, high: float, decimals: int) -> tuple[str, str]:
    """Print a value and its interval."""
    limits = f"{_fixed(low, decimals)} to {_fixed(high, decimals)}"
    return _fixed(value, decimals), "-" if math.isnan(low) else limits


def _last(null_mean: Any) -> str:
    """Describe the last row, if there is one."""
    said = f"; {_NULL_MEAN} is what a random order has on average"
    return "" if null_mean is None else said


def _pvalue(log10_pvalue: float) -> str:
    """Print a p-value; the exponent of a tiny one is in the result of its test."""
    if math.isnan(log10_pvalue):
        return "-"
    return "< 1e-100" if log10_pvalue < -100 else format_pvalue(log10_pvalue)


def _percent(fraction: float) -> str:
    return f"{100 * fraction:g} %"
