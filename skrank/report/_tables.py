"""The tables of the report as text.

A dash stands for an undefined value. An empty cell stands for a value that was not
requested.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from skrank._utils._checks import check_depth
from skrank._utils._numbers import format_pvalue, number, numbers, percent
from skrank._utils._table import Table
from skrank._utils._text import as_text
from skrank.curves._gains_table import GainsTable
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.comparison._leaderboard import (
    RankingLeaderboard,
    letter_of,
    shown_ranks,
)
from skrank.inference.comparison._ranking_comparison_result import (
    RankingComparisonTable,
    shown_pvalues,
)
from skrank.inference.intervals._metric_interval_result import MetricIntervalResult
from skrank.inference.thresholds._threshold_choice_result import ThresholdChoiceResult

_NULL_MEAN = "null mean"  # name of the last row of a table
_AP = "average_precision"


def heading_of(metric: str) -> str:
    """Return the name of a metric at the head of a column."""
    return "AP" if metric == _AP else metric


def caption_of(metric: str) -> str:
    """Return the name of a metric in a caption."""
    return "average precision" if metric == _AP else metric


def table_of_rankings(
    metric: str,
    rankings: Sequence[Mapping[str, Any]],
    null_mean: float | None,
    confidence_level: float,
) -> Table:
    """Return the table of the main metric, with intervals and tests."""
    level, chance = percent(confidence_level), null_mean is not None
    values = [one[metric] for one in rankings]
    limits = [(one["low"], one["high"]) for one in rankings]
    expected = math.nan if null_mean is None else null_mean
    *estimates, last = _estimates([*values, expected], [*limits, (math.nan, math.nan)])
    # rankings of several classes have different targets
    counted = ("targets",) if "n_targets" in rankings[0] else ()
    rows = [
        (
            _name(one["name"]),
            *([str(one["n_targets"])] if counted else []),
            *estimate,
            _fixed(one["zscore"], 2),
            _pvalue(one["log10_pvalue"]),
        )
        for one, estimate in zip(rankings, estimates, strict=True)
    ]
    if chance:
        rows.append((_NULL_MEAN, last[0], "", "", ""))
    is_ap = metric == _AP
    what = "Average precision (AP) is 1 if all targets come first. " if is_ap else ""
    if null_mean is not None:
        what += f"The {_NULL_MEAN} is what a random order has on average. "
    reading = (
        f"{what}The interval is the {level} confidence interval of "
        f"the mean {heading_of(metric)} over samples of this size. zscore is the "
        "distance from the mean under random selection, the null mean, in standard "
        "deviations under it, the null std; pvalue is the probability of a value at "
        "least as large under random selection."
    )
    head = ("ranking", *counted, heading_of(metric), f"{level} interval")
    caption = "Average precision" if is_ap else metric
    return Table(caption, (*head, "zscore", "pvalue"), rows, 1, reading, chance)


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
    headings = {_AP: "AP@k", "enrichment_factor": "lift"}
    for metric in (_AP, "recall", "precision", "enrichment_factor"):
        values = [one.get(f"{metric}@{d}") for d in depths for one in named.values()]
        asked = numbers([value for value in values if value is not None])
        if asked:
            texts = iter(asked)
            columns[headings.get(metric, metric)] = [
                "" if value is None else next(texts) for value in values
            ]
    tops = []
    for depth in depths:
        top = str(depth)
        if isinstance(depth, float):  # with its number of items
            top = percent(depth)
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
    level, rows = percent(confidence_level), []
    metrics = next(iter(results.values()))
    for metric in metrics:
        found = [of[metric] for of in results.values()]
        names, limits = [_name(name) for name in results], []
        limits = [tuple(one.confidence_interval(confidence_level)) for one in found]
        values = [one.value for one in found]
        if null_means:
            names.append(_NULL_MEAN)
            values.append(null_means.get(metric, math.nan))
            limits.append((math.nan, math.nan))
        estimates = _estimates(values, limits)
        if null_means:
            estimates[-1] = (estimates[-1][0], "")
        heads = [metric, *[""] * (len(names) - 1)]
        rows += [
            (head, name, *cells)
            for head, name, cells in zip(heads, names, estimates, strict=True)
        ]
    reading = (
        f"Further metrics. The interval is the {level} confidence "
        "interval of the mean over samples of this size"
        f"{_last(null_means or None)}."
    )
    header = ("metric", "ranking", "value", f"{level} interval")
    return Table("Metrics", header, rows, 2, reading, bool(null_means))


def table_of_pairs(table: RankingComparisonTable, confidence_level: float) -> Table:
    """Return the table of the differences of all pairs of rankings."""
    results, level = table.comparisons, percent(confidence_level)
    # there was a warning for those without an interval
    limits = [tuple(result._limits(confidence_level)) for result in results]
    estimates = _estimates([result.difference for result in results], limits)
    rows, above = [], None
    for result, estimate, holm in zip(
        results, estimates, table.adjusted_log10_pvalues, strict=True
    ):
        a, b = result.names
        names = "" if a == above else _name(a), _name(b)
        pvalues = shown_pvalues(result, holm)
        rows.append((*names, *estimate, _fixed(result.zscore, 2), *pvalues))
        above = a
    permuted = results[0].method == "permutation"
    source = "permutation of ranks" if permuted else "Student's t distribution"
    reading = (
        "Comparisons of pairs of rankings of the same items. zscore is the difference "
        f"divided by its standard deviation. pvalue is two-sided, by {source}. The "
        "interval allows for targets that one ranking may lose. Holm is the pvalue "
        "adjusted for the number of comparisons: at the level 0.05 the probability of "
        "any false difference is at most 0.05."
    )
    header = ("A", "B", "A - B", f"{level} interval", "zscore", "pvalue", "Holm")
    caption = f"Differences in {caption_of(results[0].metric)}"
    return Table(caption, header, rows, 2, reading)


def table_of_leaderboard(
    board: RankingLeaderboard, intervals: Mapping[str, ConfidenceInterval]
) -> Table:
    """Return the table of the rankings from the best to the worst, by all pairs."""
    level = percent(board.confidence_level)
    limits = [tuple(intervals[name]) for name in board.names]
    columns = (
        _estimates(board.values.tolist(), limits),
        board._pvalues(),
        shown_ranks(board),
        board.letters,
    )
    rows = [
        (_name(name), *estimate, *others)
        for name, estimate, *others in zip(board.names, *columns, strict=True)
    ]
    reading = (
        "The rankings from the best to the worst, by comparisons of all pairs. Holm p "
        "is the smallest p-value of the comparisons with better rankings, adjusted for "
        "the number of all pairs. The ranges of the rank hold all together with "
        f"{level} confidence. Rankings that share a letter are not significantly "
        "different."
    )
    head = ("ranking", heading_of(board.metric), f"{level} interval")
    header = (*head, "Holm p", "rank", "letters")
    return Table("Leaderboard", header, rows, 1, reading)


def table_of_thresholds(
    thresholds: Mapping[str, Sequence[ThresholdChoiceResult]], confidence_level: float
) -> Table:
    """Return the table of the thresholds of each rule, with what they give."""
    level, rows = percent(confidence_level), []
    each = [*next(iter(thresholds.values()))]
    shown = [
        name
        for name in ("recall", "precision", "profit")
        if not all(math.isnan(getattr(one, name)) for one in each)
    ]
    for i, first in enumerate(each):
        results = [of[i] for of in thresholds.values()]
        columns = [_scores_kept(results), [number(one.t, 6) for one in results]]
        for name in shown:
            limits = [
                tuple(one.confidence_interval(name, confidence_level))
                for one in results
            ]
            values = [getattr(one, name) for one in results]
            pairs = _estimates(values, limits, 2)
            columns.append(
                [
                    value if value == "-" else f"{value} ({text})"
                    for value, text in pairs
                ]
            )
        heads = [first.metric, *[""] * (len(results) - 1)]
        rows += [*zip(heads, map(_name, thresholds), *columns, strict=True)]
    reading = (
        "The scores at which to look at an item, the number t of such items, and what "
        f"to expect of other items with this rule, with the {level} interval in "
        "parentheses."
    )
    header = ("rule", "ranking", "score", "t", *shown)
    return Table("Thresholds", header, rows, 2, reading)


def _scores_kept(results: Sequence[ThresholdChoiceResult]) -> list[str]:
    """Return the scores at or above the threshold, of the given scores."""
    signs = ["<=" if one.score.startswith("minus") else ">=" for one in results]
    scores = numbers(
        -one.threshold if sign == "<=" else one.threshold
        for sign, one in zip(signs, results, strict=True)
    )
    pairs = zip(signs, scores, strict=True)
    return ["-" if score == "-" else f"{sign} {score}" for sign, score in pairs]


def table_of_gains(name: str, gains: GainsTable) -> Table:
    """Return the gains table of one ranking."""
    _, facts, cells = gains._shown()
    header, *rows = (tuple(row) for row in cells)
    said = "; ".join(f"{name}: {text}" for name, text in facts[1:])
    reading = f"{gains.conclusion()} Columns {said}."
    return Table(f"Gains table of {_name(name)}", header, rows, 1, reading)


def table_of_summary(
    comparisons: Mapping[str, RankingComparisonTable], alpha: float
) -> Table:
    """Return the values by several metrics, with letters of the rankings beaten.

    The letters are superscripts in LaTeX and follow "^" in print.
    """
    first = next(iter(comparisons.values()))
    letter = {name: letter_of(i) for i, name in enumerate(first.names)}
    columns = []
    for table in comparisons.values():
        values: dict[str, float] = {}
        beaten: dict[str, str] = dict.fromkeys(first.names, "")
        for one, holm in zip(table.comparisons, table.adjusted_pvalues, strict=True):
            a, b = one.names
            values |= {a: one.value_a, b: one.value_b}
            better = one.difference if table.greater_is_better else -one.difference
            if holm <= alpha and better:
                winner, loser = (a, b) if better > 0 else (b, a)
                beaten[winner] += letter[loser]
        texts = numbers(values[name] for name in first.names)
        above = ("".join(sorted(beaten[name])) for name in first.names)
        columns.append(
            [
                f"{text}^{of}" if of else text
                for text, of in zip(texts, above, strict=True)
            ]
        )
    names = [f"({letter[name]}) {_name(name)}" for name in first.names]
    reading = (
        "Letters at a value are those of the rankings that are significantly worse by "
        f"this metric, by p-values adjusted for all pairs (Holm, level {alpha:.3g})."
    )
    header = ("ranking", *map(heading_of, comparisons))
    return Table(
        "Several metrics", header, [*zip(names, *columns, strict=True)], 1, reading
    )


def conclusion_of(report: Any) -> str:
    """Return a sentence on the main metric: the best ranking and the others."""
    values, tests, board = report.values, report.tests, report.leaderboard
    null_mean = report.null_means.get(report.metric)
    sign = 1 if report.greater_is_better else -1
    best = max(values, key=lambda name: sign * values[name])
    called, most = caption_of(report.metric), "largest" if sign > 0 else "smallest"
    alpha, name = 1 - report.confidence_level, _name(best)
    said, *_ = numbers([values[best]], 3)
    if len(values) == 1:
        low, high = report.intervals[best]
        if not math.isnan(low):
            level = percent(report.confidence_level)
            said, *limits = numbers([values[best], low, high], 3)
            said += f" ({level} interval {limits[0]} to {limits[1]})"
        said = f"{name} has {'the ' * (called != report.metric)}{called} {said}"
        if tests is None:
            return f"{said}."
        found = "is" if tests[best].pvalue <= alpha else "is not"
        mean = ""
        if null_mean is not None:
            mean = f", whose mean is {numbers([null_mean], 3)[0]}"
        return (
            f"{said}. It {found} significantly better than random selection{mean} "
            f"(p {_pvalue(tests[best].log10_pvalue)})."
        )
    said = f"{name} has the {most} {called}, {said}"
    if board is None:
        return f"{said}, of {len(values)} rankings."
    each = zip(board.names, board._pvalues(), strict=True)
    others = {name: p for name, p in each if name != best}
    table = report.comparisons
    for pair, holm in zip(table.comparisons, table.adjusted_pvalues, strict=True):
        name = pair.names[pair.names[0] == best]
        if best in pair.names and (holm <= alpha or name in board.best):
            others[name] = shown_pvalues(pair, math.log10(holm))[1]
    good = {name: p for name, p in others.items() if name in board.best}
    worse = {name: p for name, p in others.items() if name not in good}
    what = "lower" if sign > 0 else "higher"
    parts = [
        f"{_named(some)} {what}"
        for some, what in (
            (worse, f"is {what}" if len(worse) == 1 else f"are {what}"),
            (good, "may be as good"),
        )
        if some
    ]
    return f"{said}; {'; '.join(parts)}."


def _named(pvalues: Mapping[str, str]) -> str:
    """Return names of rankings with their p-values, or their number."""
    if len(pvalues) > 4:
        return f"{len(pvalues)} others"
    said = [f"{_name(name)} (Holm p {pvalue})" for name, pvalue in pvalues.items()]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _name(ranking: Any) -> str:
    """Return the name of a ranking, distinguished from the row of chance."""
    return as_text(ranking, reserved=[_NULL_MEAN])


def _estimates(
    values: Sequence[float], limits: Sequence[tuple[float, ...]], digits: int = 4
) -> list[tuple[str, str]]:
    """Print values and their intervals with the same decimals."""
    each = [(value, *pair) for value, pair in zip(values, limits, strict=True)]
    texts = iter(numbers((one for row in each for one in row), digits))
    return [
        (value, "-" if low == "-" else f"{low} to {high}")
        for value, low, high in zip(texts, texts, texts, strict=True)
    ]


def _fixed(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"


def _last(null_mean: Any) -> str:
    """Describe the last row, if there is one."""
    said = f"; {_NULL_MEAN} is what a random order has on average"
    return "" if null_mean is None else said


def _pvalue(log10_pvalue: float) -> str:
    """Print a p-value; the exponent of a tiny one is in the result of its test."""
    if math.isnan(log10_pvalue):
        return "-"
    return "< 1e-100" if log10_pvalue < -100 else format_pvalue(log10_pvalue)
