"""The sentence of the report on the main metric."""

import math
from collections.abc import Mapping
from typing import Any

from skrank._utils._numbers import number, numbers, percent
from skrank._utils._text import as_text
from skrank.inference.comparison._leaderboard import shown_holm
from skrank.inference.comparison._ranking_comparison_result import shown_pvalues
from skrank.report._tables import caption_of, name_of, pvalue_of


def conclusion_on(report: Any) -> str:
    """Return the sentence on one ranking, on several, or on several classes."""
    if len(report.names) == 1:
        return _on_one(report)
    if report.rankings.of_classes:
        return _on_classes(report)
    return _on_several(report)


def _on_one(report: Any) -> str:
    """Return the value, its interval, and what the test against chance found."""
    (name,), main = report.names, report.main
    called, value, test = caption_of(report.metric), report.values[name], report.tests
    low, high = main.intervals[name]
    said, *_ = numbers([value], 3)
    if not math.isnan(low):
        said, *limits = numbers([value, low, high], 3)
        level = percent(report.confidence_level)
        said += f" ({level} interval {limits[0]} to {limits[1]})"
    the = "the " * (called != report.metric)
    said = f"{name_of(name)} has {the}{called} {said}"
    if test is None:
        return f"{said}."
    found = "is" if test[name].pvalue <= 1 - report.confidence_level else "is not"
    mean = ""
    if main.null_mean is not None:
        mean = f", whose mean is {numbers([main.null_mean], 3)[0]}"
    return (
        f"{said}. It {found} significantly better than random selection{mean} "
        f"(p {pvalue_of(test[name].log10_pvalue)})."
    )


def _on_classes(report: Any) -> str:
    """Return the range of the values, which have different targets."""
    first, *_, last = sorted(report.names, key=report.values.__getitem__)
    low, high = (
        f"{number(report.values[name], 3)} ({as_text(name)})" for name in (first, last)
    )
    return (
        f"The {caption_of(report.metric)} of {len(report.names)} classes is {low} to "
        f"{high}. The values cannot be compared, because the prevalences differ."
    )


def _on_several(report: Any) -> str:
    """Return the best ranking, and which others are worse or may be as good."""
    is_greater = report.main.metric.greater_is_better
    best = (max if is_greater else min)(report.names, key=report.values.__getitem__)
    said, *_ = numbers([report.values[best]], 3)
    most = "largest" if is_greater else "smallest"
    said = f"{name_of(best)} has the {most} {caption_of(report.metric)}, {said}"
    board, table = report.leaderboard, report.comparisons
    if board is None:
        return f"{said}, of {len(report.names)} rankings."
    pvalues = dict(zip(board.names, shown_holm(board), strict=True))
    del pvalues[best]
    # against the best, if it is significantly better, or if both may be the best
    log10_alpha = math.log10(1 - report.confidence_level)
    for pair, holm in zip(table.comparisons, table.adjusted_log10_pvalues, strict=True):
        name = pair.names[pair.names[0] == best]
        if best in pair.names and (holm <= log10_alpha or name in board.best):
            pvalues[name] = shown_pvalues(pair, holm)[1]
    good = {name: p for name, p in pvalues.items() if name in board.best}
    worse = {name: p for name, p in pvalues.items() if name not in good}
    parts = [said]
    if worse:
        verb, what = "is" if len(worse) == 1 else "are", "lower"
        parts.append(f"{_named(worse)} {verb} {what if is_greater else 'higher'}")
    if good:
        parts.append(f"{_named(good)} may be as good")
    return f"{'; '.join(parts)}."


def _named(pvalues: Mapping[str, str]) -> str:
    """Return names of rankings with their p-values, or their number."""
    if len(pvalues) > 4:
        return f"{len(pvalues)} others"
    said = [f"{name_of(name)} (Holm p {pvalue})" for name, pvalue in pvalues.items()]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
