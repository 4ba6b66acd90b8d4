"""The tables of a report, as text: what was found, in the digits that tell something.

A dash stands for what is undefined, nothing for what was not asked.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from skrank._utils._checks import check_depth
from skrank._utils._table import Table
from skrank._utils._text import as_text, format_pvalue
from skrank.inference._comparison_result import (
    RankingComparisonResult,
    RankingComparisonTable,
)
from skrank.inference._variability_result import ConfidenceInterval

_NULL_MEAN = "null mean"
_NONE = "-"
# Heading of a metric: the start of its name, and its decimals if they are fixed.
_AT_DEPTH: dict[str, tuple[str, int | None]] = {
    "AP@K": ("average_precision", None),
    "recall": ("recall", None),
    "precision": ("precision", None),
    "lift": ("enrichment_factor", 2),
}


def table_of_rankings(
    rankings: Sequence[Mapping[str, Any]],
    null_means: float | None,
    confidence_level: float,
) -> Table:
    """Average precision: how sure it is, and how far from chance."""
    chance = [] if null_means is None else [null_means]
    decimals = _decimals([*(one["average_precision"] for one in rankings), *chance])
    rows = [
        (
            _name(one["name"]),
            _fixed(one["average_precision"], decimals),
            _limits(ConfidenceInterval(one["low"], one["high"]), decimals),
            _fixed(one["zscore"], 2),
            _pvalue(one["log10_pvalue"]),
        )
        for one in rankings
    ]
    level = _percent(confidence_level)
    return Table(
        "Average precision",
        ("ranking", "AP", f"{level} interval", "zscore", "pvalue"),
        rows + [(_NULL_MEAN, _fixed(value, decimals), "", "", "") for value in chance],
        n_names=1,
        reading=(
            f"Average precision (AP) is 1 if all targets come first"
            f"{_in_last_row(chance)}. "
            "The interval holds the mean over "
            f"samples of this size, at a level of {level}. zscore counts from the "
            "null mean, in standard deviations of random selection, and pvalue the "
            "probability of a value at least as large under random selection."
        ),
        ends_in_chance=bool(chance),
    )


def _in_last_row(null_means: Collection[Any]) -> str:
    """Say what the row of chance is, if there is one."""
    return "; the last row is what a random order has on average" if null_means else ""


def table_of_depths(
    at_depths: Mapping[str, Mapping[str, float]],
    null_means: Mapping[str, float],
    depths: Sequence[int | float],
    n_samples: int,
) -> Table:
    """What the top of the ranking holds, depth by depth."""
    rankings = [*at_depths.values(), *([null_means] if null_means else [])]
    columns = {
        heading: _cells(start, decimals, depths, rankings)
        for heading, (start, decimals) in _AT_DEPTH.items()
    }
    asked = {heading: cells for heading, cells in columns.items() if any(cells)}
    blank = [""] * (len(rankings) - 1)
    tops = [cell for d in depths for cell in (_depth(d, n_samples), *blank)]
    names = [*map(_name, at_depths), _NULL_MEAN][: len(rankings)] * len(depths)
    return Table(
        "The top of the ranking",
        ("top", "ranking", *asked),
        list(zip(tops, names, *asked.values(), strict=True)),
        n_names=2,
        reading=(
            "What the first items hold, by number or as a part of all. Recall is "
            "the share of all targets that are among them, precision the share of "
            "targets in them, lift the precision as a multiple of the prevalence; AP@K "
            f"is average precision of them alone{_in_last_row(null_means)}."
        ),
        ends_in_chance=bool(null_means),
    )


def table_of_pairs(table: RankingComparisonTable, confidence_level: float) -> Table:
    """Differences of each two rankings."""
    results, level = table.comparisons, _percent(confidence_level)
    decimals = _decimals([v for r in results for v in (r.estimate_a, r.estimate_b)])
    rows = [
        (
            *_names(result, above),
            _fixed(result.difference, decimals),
            _limits(_interval(result, confidence_level), decimals),
            _fixed(result.zscore, 2),
            _pvalue(result.log10_pvalue),
            _pvalue(log10_adjusted),
        )
        for above, result, log10_adjusted in zip(
            (None, *results), results, table.adjusted_log10_pvalues, strict=False
        )
    ]
    return Table(
        "Differences in average precision",
        (
            "A",
            "B",
            "A - B",
            f"{level} interval",
            "zscore",
            "pvalue",
            "Holm",
        ),
        rows,
        n_names=2,
        reading=(
            "Rankings of the same items, two by two; the difference is about 0 where "
            "neither is better. pvalue is two-sided. Of many some are good by "
            "chance alone; Holm is adjusted for their number: to believe those of "
            "at most 0.05 is wrong, in one or more of them, with a probability of at "
            "most 0.05."
        ),
    )


def _names(
    result: RankingComparisonResult, above: RankingComparisonResult | None
) -> tuple[str, str]:
    """Names of A and B; A is not said again."""
    a, b = result.names
    is_new = above is None or above.names[0] != a
    return _name(a) if is_new else "", _name(b)


def _name(ranking: Any) -> str:
    """Name of a ranking, which is told from the row of chance."""
    return as_text(ranking, reserved=[_NULL_MEAN])


def _interval(
    result: RankingComparisonResult, confidence_level: float
) -> ConfidenceInterval:
    """Interval of a difference; its warning was given when it was made."""
    if math.isnan(result.standard_error):
        return ConfidenceInterval(math.nan, math.nan)
    return result.confidence_interval(confidence_level)


def _cells(
    start: str,
    decimals: int | None,
    depths: Sequence[int | float],
    rankings: Sequence[Mapping[str, float]],
) -> list[str]:
    """Column of one metric at all depths; empty where it was not asked."""
    values = [ranking.get(f"{start}@{d}") for d in depths for ranking in rankings]
    if decimals is None:
        decimals = _decimals([value for value in values if value is not None])
    return ["" if value is None else _fixed(value, decimals) for value in values]


def _decimals(values: Iterable[float]) -> int:
    """Decimals that leave two digits of the least value; 4 to 8."""
    least = min((value for value in values if value > 0), default=1.0)
    return min(max(4, 1 - math.floor(math.log10(least))), 8)


def _fixed(value: float, decimals: int) -> str:
    return _NONE if math.isnan(value) else f"{value:.{decimals}f}"


def _limits(interval: ConfidenceInterval, decimals: int) -> str:
    if math.isnan(interval.low):
        return _NONE
    return f"{interval.low:.{decimals}f} to {interval.high:.{decimals}f}"


def _pvalue(log10_pvalue: float) -> str:
    return _NONE if math.isnan(log10_pvalue) else format_pvalue(log10_pvalue)


def _percent(fraction: float) -> str:
    return f"{100 * fraction:g} %"


def _depth(depth: int | float, n_samples: int) -> str:
    """Depth in items; a fraction with the items that it comes to."""
    if isinstance(depth, int):
        return str(depth)
    return f"{_percent(depth)} ({check_depth('t', depth, n_samples)})"
