"""The tables of a report, as text: what was found, in the digits that tell something.

A dash stands for what is undefined, nothing for what was not asked.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skrank._utils._checks import check_depth
from skrank._utils._table import Table
from skrank._utils._text import as_text, format_pvalue
from skrank.inference._ranking_comparison_result import RankingComparisonTable

_NULL_MEAN = "null mean"  # the last row of a table, by chance


def table_of_rankings(
    rankings: Sequence[Mapping[str, Any]],
    null_mean: float | None,
    confidence_level: float,
) -> Table:
    """Average precision: how sure it is, and how far from chance."""
    values = [one["average_precision"] for one in rankings]
    decimals, level = _decimals([null_mean or 0, *values]), _percent(confidence_level)
    # of several classes, each has targets of its own
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
        "The interval holds the mean over samples of this size, at a level of "
        f"{level}. zscore is the distance from the mean under random selection, "
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
    """What the top of the ranking holds, depth by depth.

    Rankings of several lengths have no one number of items.
    """
    named = {_name(name): values for name, values in at_depths.items()}
    if null_means:
        named[_NULL_MEAN] = null_means
    columns = {}
    headings = {"average_precision": "AP@K", "enrichment_factor": "lift"}
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
        if isinstance(depth, float):  # with the items that it comes to
            top = _percent(depth)
            if n_samples is not None:
                top += f" ({check_depth('t', depth, n_samples)})"
        tops += [top, *[""] * (len(named) - 1)]
    reading = (
        "What the first items hold, by number or as a part of all. Recall is "
        "the share of all targets that are among them, precision the share of "
        "targets in them, lift the precision as a multiple of the prevalence; AP@K "
        f"is average precision of them alone{_last(null_means or None)}."
    )
    header = ("top", "ranking", *columns)
    rows = [*zip(tops, [*named] * len(depths), *columns.values(), strict=True)]
    return Table("The top of the ranking", header, rows, 2, reading, bool(null_means))


def table_of_pairs(table: RankingComparisonTable, confidence_level: float) -> Table:
    """Differences of each two rankings."""
    results, level = table.comparisons, _percent(confidence_level)
    decimals = _decimals([v for r in results for v in (r.estimate_a, r.estimate_b)])
    rows, above = [], None
    for result, holm in zip(results, table.adjusted_log10_pvalues, strict=True):
        a, b = result.names
        limits = (math.nan, math.nan)
        if not math.isnan(result.standard_error):  # of which there was a warning
            limits = result.confidence_interval(confidence_level)
        estimate = _estimate(result.difference, *limits, decimals)
        pvalues = _pvalue(result.log10_pvalue), _pvalue(holm)
        names = "" if a == above else _name(a), _name(b)
        rows.append((*names, *estimate, _fixed(result.zscore, 2), *pvalues))
        above = a
    reading = (
        "Rankings of the same items, two by two; the difference is about 0 where "
        "neither is better. zscore is the difference in standard errors; pvalue "
        "is two-sided, and like the interval from Student's t distribution. Of "
        "many differences some are large by chance alone; Holm is the pvalue "
        "adjusted for their number: to believe those of at most 0.05 is wrong, in "
        "one or more of them, with a probability of at most 0.05."
    )
    header = ("A", "B", "A - B", f"{level} interval", "zscore", "pvalue", "Holm")
    return Table("Differences in average precision", header, rows, 2, reading)


def _name(ranking: Any) -> str:
    """Name of a ranking, which is told from the row of chance."""
    return as_text(ranking, reserved=[_NULL_MEAN])


def _decimals(values: Iterable[float]) -> int:
    """Decimals that leave two digits of the least value; 4 to 8."""
    least = min((value for value in values if value > 0), default=1.0)
    return min(max(4, 1 - math.floor(math.log10(least))), 8)


def _fixed(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"


def _estimate(value: float, low: float, high: float, decimals: int) -> tuple[str, str]:
    """Print a value and its interval."""
    limits = f"{_fixed(low, decimals)} to {_fixed(high, decimals)}"
    return _fixed(value, decimals), "-" if math.isnan(low) else limits


def _last(null_mean: Any) -> str:
    """Say what the last row is, where there is one."""
    said = f"; {_NULL_MEAN} is what a random order has on average"
    return "" if null_mean is None else said


def _pvalue(log10_pvalue: float) -> str:
    return "-" if math.isnan(log10_pvalue) else format_pvalue(log10_pvalue)


def _percent(fraction: float) -> str:
    return f"{100 * fraction:g} %"
