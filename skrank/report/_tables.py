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

_NULL_MEAN = "null mean"
_LAST_ROW = f"; {_NULL_MEAN} is what a random order has on average"
_AT_DEPTH = {
    "AP@K": "average_precision",
    "recall": "recall",
    "precision": "precision",
    "lift": "enrichment_factor",
}


def table_of_rankings(
    rankings: Sequence[Mapping[str, Any]],
    null_mean: float | None,
    confidence_level: float,
) -> Table:
    """Average precision: how sure it is, and how far from chance."""
    decimals = _decimals(
        [null_mean or 0.0, *(one["average_precision"] for one in rankings)]
    )
    rows = [
        (
            _name(one["name"]),
            _fixed(one["average_precision"], decimals),
            _limits(one["low"], one["high"], decimals),
            _fixed(one["zscore"], 2),
            _pvalue(one["log10_pvalue"]),
        )
        for one in rankings
    ]
    if null_mean is not None:
        rows.append((_NULL_MEAN, _fixed(null_mean, decimals), "", "", ""))
    level = _percent(confidence_level)
    return Table(
        "Average precision",
        ("ranking", "AP", f"{level} interval", "zscore", "pvalue"),
        rows,
        n_names=1,
        reading=(
            "Average precision (AP) is 1 if all targets come first"
            f"{'' if null_mean is None else _LAST_ROW}. "
            "The interval holds the mean over samples of this size, at a level of "
            f"{level}. zscore is the distance from the mean under random selection, "
            "the null mean, in standard deviations under it, the null std; pvalue is "
            "the probability of a value at least as large under random selection."
        ),
        ends_in_chance=null_mean is not None,
    )


def table_of_depths(
    at_depths: Mapping[str, Mapping[str, float]],
    null_means: Mapping[str, float],
    depths: Sequence[int | float],
    n_samples: int,
) -> Table:
    """What the top of the ranking holds, depth by depth."""
    named = {_name(name): values for name, values in at_depths.items()}
    if null_means:
        named[_NULL_MEAN] = null_means
    columns = {}
    for heading, metric in _AT_DEPTH.items():
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
            top = f"{_percent(depth)} ({check_depth('t', depth, n_samples)})"
        tops += [top, *[""] * (len(named) - 1)]
    return Table(
        "The top of the ranking",
        ("top", "ranking", *columns),
        list(zip(tops, [*named] * len(depths), *columns.values(), strict=True)),
        n_names=2,
        reading=(
            "What the first items hold, by number or as a part of all. Recall is "
            "the share of all targets that are among them, precision the share of "
            "targets in them, lift the precision as a multiple of the prevalence; AP@K "
            f"is average precision of them alone{_LAST_ROW if null_means else ''}."
        ),
        ends_in_chance=bool(null_means),
    )


def table_of_pairs(table: RankingComparisonTable, confidence_level: float) -> Table:
    """Differences of each two rankings."""
    results, level = table.comparisons, _percent(confidence_level)
    decimals = _decimals([v for r in results for v in (r.estimate_a, r.estimate_b)])
    rows, above = [], None
    for result, holm in zip(results, table.adjusted_log10_pvalues, strict=True):
        a, b = result.names
        low = high = math.nan
        if not math.isnan(result.standard_error):  # of which there was a warning
            low, high = result.confidence_interval(confidence_level)
        rows.append(
            (
                "" if a == above else _name(a),
                _name(b),
                _fixed(result.difference, decimals),
                _limits(low, high, decimals),
                _fixed(result.zscore, 2),
                _pvalue(result.log10_pvalue),
                _pvalue(holm),
            )
        )
        above = a
    return Table(
        "Differences in average precision",
        ("A", "B", "A - B", f"{level} interval", "zscore", "pvalue", "Holm"),
        rows,
        n_names=2,
        reading=(
            "Rankings of the same items, two by two; the difference is about 0 where "
            "neither is better. zscore is the difference in standard errors; pvalue "
            "is two-sided, and like the interval from Student's t distribution. Of "
            "many differences some are large by chance alone; Holm is the pvalue "
            "adjusted for their number: to believe those of at most 0.05 is wrong, in "
            "one or more of them, with a probability of at most 0.05."
        ),
    )


def _name(ranking: Any) -> str:
    """Name of a ranking, which is told from the row of chance."""
    return as_text(ranking, reserved=[_NULL_MEAN])


def _decimals(values: Iterable[float]) -> int:
    """Decimals that leave two digits of the least value; 4 to 8."""
    least = min((value for value in values if value > 0), default=1.0)
    return min(max(4, 1 - math.floor(math.log10(least))), 8)


def _fixed(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"


def _limits(low: float, high: float, decimals: int) -> str:
    return "-" if math.isnan(low) else f"{low:.{decimals}f} to {high:.{decimals}f}"


def _pvalue(log10_pvalue: float) -> str:
    return "-" if math.isnan(log10_pvalue) else format_pvalue(log10_pvalue)


def _percent(fraction: float) -> str:
    return f"{100 * fraction:g} %"
