"""The sentence of the report on the main metric."""

import math
from collections.abc import Mapping

from skrank._utils._numbers import number, numbers, percent
from skrank._utils._text import as_text
from skrank.inference.comparison._leaderboard import RankingLeaderboard, shown_holm
from skrank.inference.comparison._ranking_comparison_result import shown_pvalues
from skrank.report._metric_report import MetricReport, value_with_limits
from skrank.report._tables import caption_of, name_of, pvalue_of


def conclusion_on_one(main: MetricReport, level: float) -> str:
    """Return the value, its interval, and what the test against chance found."""
    (name,), caption = main.values, caption_of(main.metric.name)
    value, low, high = value_with_limits(main, name)
    said, *_ = numbers([value], 3)
    if not math.isnan(low):
        said, *limits = numbers([value, low, high], 3)
        said += f" ({percent(level)} interval {limits[0]} to {limits[1]})"
    if caption != main.metric.name:  # in words
        caption = f"the {caption}"
    said = f"{name_of(name)} has {caption} {said}"
    if main.tests is None:
        return f"{said}."
    test, mean = main.tests[name], ""
    found = "is" if test.pvalue <= 1 - level else "is not"
    if main.null_mean is not None:
        mean = f", whose mean is {numbers([main.null_mean], 3)[0]}"
    return (
        f"{said}. It {found} significantly better than random selection{mean} "
        f"(p {pvalue_of(main, name)})."
    )


def conclusion_on_classes(main: MetricReport) -> str:
    """Return the range of the values, which have different targets."""
    first, *_, last = sorted(main.values, key=main.values.__getitem__)
    low, high = (
        f"{number(main.values[name], 3)} ({as_text(name)})" for name in (first, last)
    )
    return (
        f"The {caption_of(main.metric.name)} of {len(main.values)} classes is {low} to "
        f"{high}. The values cannot be compared, because the prevalences differ."
    )


def conclusion_on_several(main: MetricReport, board: RankingLeaderboard | None) -> str:
    """Return the best ranking, and which others are worse or may be as good."""
    most, less = ("largest", "lower")
    best = max(main.values, key=main.values.__getitem__)
    if not main.metric.greater_is_better:
        most, less = ("smallest", "higher")
        best = min(main.values, key=main.values.__getitem__)
    caption, (value, *_) = caption_of(main.metric.name), numbers([main.values[best]], 3)
    said = f"{name_of(best)} has the {most} {caption}, {value}"
    if board is None or main.comparisons is None:
        return f"{said}, of {len(main.values)} rankings."
    pvalues = dict(zip(board.names, shown_holm(board), strict=True))
    del pvalues[best]
    # against the best, if it is significantly better, or if both may be the best
    table, log10_alpha = main.comparisons, math.log10(1 - board.confidence_level)
    for pair, holm in zip(table.comparisons, table.adjusted_log10_pvalues, strict=True):
        a, b = pair.names
        name = b if a == best else a
        if best in pair.names and (holm <= log10_alpha or name in board.best):
            pvalues[name] = shown_pvalues(pair, holm)[1]
    good = {name: p for name, p in pvalues.items() if name in board.best}
    worse = {name: p for name, p in pvalues.items() if name not in good}
    if worse:
        said += f"; {_named(worse)} {'is' if len(worse) == 1 else 'are'} {less}"
    if good:
        said += f"; {_named(good)} may be as good"
    return f"{said}."


def _named(pvalues: Mapping[str, str]) -> str:
    """Return names of rankings with their p-values, or their number."""
    if len(pvalues) > 4:
        return f"{len(pvalues)} others"
    said = [f"{name_of(name)} (Holm p {pvalue})" for name, pvalue in pvalues.items()]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
