"""How an evaluation is printed: its summary, and the table of its operating points."""

from typing import NamedTuple

import numpy as np

from skrank._utils._checks import check_count, check_positive
from skrank.curves import OperatingPoints


class MaxFScorePoint(NamedTuple):
    """The operating point of the largest F-score.

    Attributes
    ----------
    score : float
        Threshold: items with this score or a better one are retrieved.
    t : float
        Items retrieved.
    recall, precision, f_score : float
        What the threshold attains.

    Examples
    --------
    >>> from skrank import RankingEvaluation
    >>> cases = RankingEvaluation().add([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> cases.max_f_score_point()
    MaxFScorePoint(score=3, t=3, recall=1.0, precision=0.6666666666666666, f_score=0.8)
    """

    score: float
    t: float
    recall: float
    precision: float
    f_score: float


def format_summary(
    counts: dict[str, float],
    metrics: dict[str, float],
    best: MaxFScorePoint | None,
    reason: str | None = None,
) -> str:
    """Counts, and the metrics or why there are none, in words and numbers."""
    lines = [("list", _list_text(counts))]
    if reason is not None:
        rule = "`y_true` must hold targets and non-targets"
        lines.append(("no metrics", f"{rule}; got {reason}"))
    else:
        lines += _metric_lines(metrics, best)
    return "\n".join(
        ["Ranking evaluation", *(f"  {name:<17}  {text}" for name, text in lines)]
    )


def format_points(points: OperatingPoints, beta: float, max_rows: int | None) -> str:
    """Columns of the thresholds and what they attain, all rows or some, evenly."""
    beta = check_positive("beta", beta)
    size = len(points)
    if max_rows is not None:
        size = min(size, check_count("max_rows", max_rows, least=2))
    rows = np.rint(np.linspace(0, len(points) - 1, size)).astype(np.intp)
    columns = points.precision, points.recall, points.f_score(beta)
    names = "score", "t", "precision", "recall", f"F{beta:g}"
    lines = ["".join(f"{name:>10}" for name in names)]
    lines += [
        f"{points.score[i]:>10.4g}{points.t[i]:>10g}"
        + "".join(f"{column[i]:>10.4f}" for column in columns)
        for i in rows
    ]
    if rows.size < len(points):
        lines.append(f"{rows.size} of {len(points)} operating points")
    return "\n".join(lines)


def _list_text(counts: dict[str, float]) -> str:
    missed = counts["n_missed"]
    text = f"{counts['n_samples']} items, {counts['n_targets']} targets"
    text += f", {missed} of them missed" if missed else ""
    has_items = counts["n_samples"] + missed > 0
    return text + (f" (prevalence {counts['prevalence']:.4g})" if has_items else "")


def _metric_lines(
    metrics: dict[str, float], best: MaxFScorePoint | None
) -> list[tuple[str, str]]:
    """Name and text of each line."""
    text = {name: f"{value:.4g}" for name, value in metrics.items()}
    where = ""
    if best is not None:
        where = (
            f" at score {best.score:.4g} "
            f"(recall {best.recall:.4g}, precision {best.precision:.4g})"
        )
    area, roc = "precision_recall_area", "roc_area"
    at = [(name.replace("_", " "), text[name]) for name in text if "_at_" in name]
    return [
        ("average precision", text["average_precision"]),
        ("area under PR", f"{text[area]}, interpolated {text[f'{area}_interpolated']}"),
        ("area under ROC", f"{text[roc]}, interpolated {text[f'{roc}_interpolated']}"),
        ("maximum F1", text["max_f_score"] + where),
        ("breakeven point", text["breakeven_point"]),
        ("R-precision", text["r_precision"]),
        ("reciprocal rank", text["reciprocal_rank"]),
        *at,
    ]
