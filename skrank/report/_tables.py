"""The tables of the report as text: the rows of its results.

A dash stands for an undefined value. An empty cell stands for a value that was not
requested.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from skrank._utils._checks import check_depth
from skrank._utils._numbers import format_pvalue, number, numbers, percent
from skrank._utils._printed import printed_table
from skrank._utils._table import Table
from skrank._utils._text import as_text
from skrank.curves._gains_table import GainsTable
from skrank.inference.comparison._leaderboard import (
    RankingLeaderboard,
    letter_of,
    shown_holm,
    shown_ranks,
)
from skrank.inference.comparison._ranking_comparison_result import (
    RankingComparisonTable,
    limits_of,
    shown_pvalues,
)
from skrank.inference.thresholds._threshold_choice_result import ThresholdChoiceResult
from skrank.report._metric_report import (
    MetricReport,
    numbers_of_test,
    value_with_limits,
)

_NULL_MEAN = "null mean"  # name of the last row of a table
_AP = "average_precision"
# metrics of the top, with the heads of their columns
_OF_TOP = {_AP: "AP@k", "recall": "recall", "precision": "precision"}
_OF_TOP["enrichment_factor"] = "lift"


def heading_of(metric: str) -> str:
    """Return the name of a metric at the head of a column."""
    return "AP" if metric == _AP else metric


def caption_of(metric: str) -> str:
    """Return the name of a metric in a caption."""
    return "average precision" if metric == _AP else metric


def name_of(ranking: Any) -> str:
    """Return the name of a ranking, distinguished from the row of chance."""
    return as_text(ranking, reserved=[_NULL_MEAN])


def pvalue_of(main: MetricReport, name: str) -> str:
    """Print a p-value; the exponent of a tiny one is in the result of its test."""
    if main.tests is None:
        return "-"
    test = main.tests[name]
    if test.log10_pvalue < -100:
        return "< 1e-100"
    return format_pvalue(test.log10_pvalue, is_limit=test.is_pvalue_limit)


def table_of_main(
    main: MetricReport, level: float, n_targets: Mapping[str, int] | None
) -> Table:
    """Return the table of the main metric, with intervals and tests.

    `n_targets` are those of several classes, which have different targets.
    """
    metric, is_ap = main.metric.name, main.metric.name == _AP
    *estimates, last = _estimates_of(main)
    rows = []
    for name, estimate in zip(main.values, estimates, strict=True):
        test = numbers_of_test(main, name)
        counted = [] if n_targets is None else [str(n_targets[name])]
        tested = _with_decimals(test["zscore"], 2), pvalue_of(main, name)
        rows.append((name_of(name), *counted, *estimate, *tested))
    what = "Average precision (AP) is 1 if all targets come first. " if is_ap else ""
    if main.null_mean is not None:
        rows.append((_NULL_MEAN, last[0], "", "", ""))
        what += f"The {_NULL_MEAN} is the mean over random orders. "
    reading = (
        f"{what}The interval is the {percent(level)} confidence interval of "
        f"the mean {heading_of(metric)} over samples of this size. zscore is the "
        "distance from the mean under random selection (null mean), divided by the "
        "standard deviation under random selection (null std). pvalue is the "
        "probability of a value at least as large under random selection."
    )
    head = ("ranking",) if n_targets is None else ("ranking", "targets")
    columns = (heading_of(metric), f"{percent(level)} interval", "zscore", "pvalue")
    caption, ends = caption_of(metric), main.null_mean is not None
    caption = caption.capitalize() if is_ap else caption
    return Table(caption, (*head, *columns), rows, 1, reading, ends)


def table_of_top(
    results: Mapping[str, MetricReport],
    depths: Sequence[int | float],
    n_samples: int | None,
) -> Table:
    """Return the table of the top of the ranking at several depths.

    Rankings of several lengths have no common number of items.
    """
    names = [name_of(name) for name in next(iter(results.values())).values]
    has_chance = any(one.null_mean is not None for one in results.values())
    names += [_NULL_MEAN] * has_chance
    columns = {}
    for metric, heading in _OF_TOP.items():
        values: list[float | None] = []
        for depth in depths:
            one = results.get(f"{metric}@{depth}")
            each = [] if one is None else [*one.values.values(), one.null_mean]
            values += each[: len(names)] or [None] * len(names)
        texts = iter(numbers(value for value in values if value is not None))
        cells = ["" if value is None else next(texts) for value in values]
        if any(cells):
            columns[heading] = cells
    tops = []
    for depth in depths:
        top = str(depth)
        if isinstance(depth, float):  # with its number of items
            top = percent(depth)
            if n_samples is not None:
                top += f" ({check_depth('t', depth, n_samples)})"
        tops += [top, *[""] * (len(names) - 1)]
    reading = (
        "Metrics of the first items of each ranking. The depth is a number of items "
        "or a percentage of all. Recall is the share of all targets that are among "
        "them, precision is the share of targets in them, lift is the precision "
        "divided by the prevalence, and AP@k is the average precision of these items"
        f"{_last(has_chance)}."
    )
    header = ("top", "ranking", *columns)
    rows = [*zip(tops, names * len(depths), *columns.values(), strict=True)]
    return Table("The top of the ranking", header, rows, 2, reading, has_chance)


def table_of_metrics(results: Sequence[MetricReport], level: float) -> Table:
    """Return the table of metrics with their intervals."""
    rows = []
    has_chance = any(one.null_mean is not None for one in results)
    for one in results:
        *estimates, last = _estimates_of(one)
        names = [name_of(name) for name in one.values]
        if has_chance:
            names.append(_NULL_MEAN)
            estimates.append((last[0], ""))
        heads = [one.metric.name, *[""] * (len(names) - 1)]
        rows += [
            (head, name, *cells)
            for head, name, cells in zip(heads, names, estimates, strict=True)
        ]
    reading = (
        f"The interval is the {percent(level)} confidence interval of the mean over "
        f"samples of this size{_last(has_chance)}."
    )
    header = ("metric", "ranking", "value", f"{percent(level)} interval")
    return Table("Metrics", header, rows, 2, reading, has_chance)


def table_of_pairs(table: RankingComparisonTable, confidence_level: float) -> Table:
    """Return the table of the differences of all pairs of rankings."""
    results, level = table.comparisons, percent(confidence_level)
    # there was a warning for those without an interval
    limits = [tuple(limits_of(result, confidence_level)) for result in results]
    estimates = _estimates([result.difference for result in results], limits)
    by_sample = results[0].n_labelled > 0
    rows, above = [], None
    for result, estimate, holm in zip(
        results, estimates, table.adjusted_log10_pvalues, strict=True
    ):
        a, b = result.names
        names = "" if a == above else name_of(a), name_of(b)
        pvalues = shown_pvalues(result, holm)
        tested = [] if by_sample else [_with_decimals(result.zscore, 2)]
        rows.append((*names, *estimate, *tested, *pvalues))
        above = a
    permuted = results[0].method == "permutation"
    source = "permutation of ranks" if permuted else "Student's t distribution"
    test = (
        "pvalue is two-sided, from the limits of the difference on this list."
        if by_sample
        else "zscore is the difference divided by its standard deviation. pvalue is "
        f"two-sided, by {source}. The interval allows for targets that one ranking "
        "may lose."
    )
    reading = (
        f"Comparisons of pairs of rankings of the same items. {test} Holm is the "
        "pvalue adjusted for the number of comparisons: at the level 0.05, the "
        "probability of any false positive is at most 0.05."
    )
    zscore = [] if by_sample else ["zscore"]
    header = ("A", "B", "A - B", f"{level} interval", *zscore, "pvalue", "Holm")
    caption = f"Differences in {caption_of(results[0].metric)}"
    return Table(caption, header, rows, 2, reading)


def table_of_leaderboard(board: RankingLeaderboard, main: MetricReport) -> Table:
    """Return the table of the rankings from the best to the worst, by all pairs."""
    level = percent(board.confidence_level)
    limits = [tuple(main.intervals[name]) for name in board.names]
    columns = (
        _estimates(board.values.tolist(), limits),
        shown_holm(board),
        shown_ranks(board),
        board.letters,
    )
    rows = [
        (name_of(name), *estimate, *others)
        for name, estimate, *others in zip(board.names, *columns, strict=True)
    ]
    reading = (
        "The rankings from the best to the worst, by comparisons of all pairs. Holm p "
        "is the smallest p-value of the comparisons with better rankings, adjusted for "
        f"the number of all pairs. With {level} confidence, all ranges contain the "
        "true ranks. Rankings that share a letter are not significantly different."
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
        rows += [*zip(heads, map(name_of, thresholds), *columns, strict=True)]
    reading = (
        "Inspect the items with this score or more; t is their number. The other "
        f"columns are estimates for other items, with the {level} interval in "
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
    table, facts = printed_table(gains, f"Gains table of {name_of(name)}")
    del facts["ranking"]  # its size is that of the report
    said = "; ".join(f"{name}: {text}" for name, text in facts.items())
    return table._replace(reading=f"{gains.conclusion()} Columns {said}.")


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
        beaten: dict[str, list[str]] = {name: [] for name in first.names}
        for one, holm in zip(table.comparisons, table.adjusted_pvalues, strict=True):
            a, b = one.names
            values |= {a: one.value_a, b: one.value_b}
            better = one.difference if table.greater_is_better else -one.difference
            if holm <= alpha and better:
                winner, loser = (a, b) if better > 0 else (b, a)
                beaten[winner].append(letter[loser])
        texts = numbers(values[name] for name in first.names)
        # "a1" follows "z", and is not "a" and "1"
        comma = "," if len(letter) > 26 else ""
        order = [*letter.values()].index
        above = (comma.join(sorted(beaten[name], key=order)) for name in first.names)
        columns.append(
            [
                f"{text}^{of}" if of else text
                for text, of in zip(texts, above, strict=True)
            ]
        )
    names = [f"({letter[name]}) {name_of(name)}" for name in first.names]
    reading = (
        "The letters after a value name the rankings that are significantly worse by "
        f"this metric, with p-values adjusted for all pairs (Holm, level {alpha:.3g})."
    )
    header = ("ranking", *map(heading_of, comparisons))
    return Table(
        "Several metrics", header, [*zip(names, *columns, strict=True)], 1, reading
    )


def _estimates_of(one: MetricReport) -> list[tuple[str, str]]:
    """Print the values of a metric with their intervals, and last the null mean."""
    mean = math.nan if one.null_mean is None else one.null_mean
    rows = [
        *(value_with_limits(one, name) for name in one.values),
        (mean, math.nan, math.nan),
    ]
    return _estimates([value for value, *_ in rows], [row[1:] for row in rows])


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


def _with_decimals(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"


def _last(has_chance: bool) -> str:
    """Describe the last row, if it is that of random selection."""
    return f"; {_NULL_MEAN} is the mean over random orders" * has_chance
