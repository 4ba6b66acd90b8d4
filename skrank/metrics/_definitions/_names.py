"""Metrics by their printed names: "precision@10", "recall@5%", "bedroc(alpha=20)".

A name is that of the metric; where it has a cutoff, "@" and a number of items ("10") or
a part of the ranking ("0.05" or "5%"); and other settings in parentheses, the recall of
"k_at_recall(0.8)" without its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from skrank._utils._checks import invalid
from skrank._utils._text import brief
from skrank.metrics._definitions._average_precision import (
    AveragePrecision,
    average_precision_at,
)
from skrank.metrics._definitions._curve import (
    BreakevenPoint,
    KAtRecall,
    MaxFScore,
    PrecisionAtRecall,
)
from skrank.metrics._definitions._early import (
    Bedroc,
    ReciprocalRank,
    RobustInitialEnhancement,
)
from skrank.metrics._definitions._measure import Measure, Metric
from skrank.metrics._definitions._top import (
    EnrichmentFactor,
    PrecisionAtT,
    RecallAtT,
    RPrecision,
)


class _Kind(NamedTuple):
    """What makes it, the name of its cutoff if it has one, and its other settings.

    `needed` is the setting that it cannot do without.
    """

    build: Callable[..., Metric]
    cutoff: str | None = None
    settings: tuple[str, ...] = ()
    needed: str | None = None


# Metrics by name, and average precision with a cutoff, which is another class.
_KINDS = {
    "average_precision": _Kind(AveragePrecision),
    "recall": _Kind(RecallAtT, "t"),
    "precision": _Kind(PrecisionAtT, "t"),
    "enrichment_factor": _Kind(EnrichmentFactor, "t"),
    "reciprocal_rank": _Kind(ReciprocalRank),
    "rie": _Kind(RobustInitialEnhancement, None, ("alpha",)),
    "bedroc": _Kind(Bedroc, None, ("alpha",)),
    "r_precision": _Kind(RPrecision),
    "max_f_score": _Kind(MaxFScore, None, ("beta",)),
    "breakeven_point": _Kind(BreakevenPoint),
    "precision_at_recall": _Kind(PrecisionAtRecall, None, ("recall",), "recall"),
    "k_at_recall": _Kind(KAtRecall, None, ("recall",), "recall"),
}
_AT_CUTOFF = {"average_precision": _Kind(average_precision_at, "k", ("normalize",))}
_ALIASES = {
    "ap": "average_precision",
    "map": "average_precision",
    "average_precision_at_k": "average_precision",
    "recall_at_t": "recall",
    "precision_at_t": "precision",
    "ef": "enrichment_factor",
    "p": "precision",
    "r": "recall",
    "rprec": "r_precision",
    "rr": "reciprocal_rank",
    "mrr": "reciprocal_rank",
}
# What others call these metrics, and where there are those that are none of the top.
_ELSEWHERE = {
    **dict.fromkeys(("auprc", "aucpr", "prauc", "pr_auc"), "'average_precision'"),
    "average_precision_score": "'average_precision' with ties='threshold'",
    "lift": "'enrichment_factor@5%'",
    "f1": "'max_f_score(beta=1)'",
    "ndcg": "sklearn.metrics.ndcg_score, which discounts gains by the logarithm",
    **dict.fromkeys(
        ("roc_auc", "auc", "auroc", "auc_roc"),
        "sklearn.metrics.roc_auc_score, which looks at the whole ranking alike",
    ),
}
METRICS = tuple(_KINDS)

_NAME = re.compile(r"(\w+)(?:@([^()@]+))?(?:\(([^()]*)\))?")
_LOOSE = re.compile(r"([a-z_]+?)_?(@|at)?(\d+(?:\.\d+)?%?)?(?:\(.*\))?")
_COUNT = re.compile(r"\d+")
_SHARE = re.compile(r"(\d*\.\d+|\d+\.?|\d+(?:\.\d*)?[eE][+-]?\d+)(%?)")
_EXAMPLES = "'precision@10', 'recall@0.05', 'recall@5%' or 'bedroc(alpha=20)'"


def make_metric(metric: str | Metric, ties: str = "expected") -> Metric:
    """Make the metric that a name stands for, with its tie rule.

    A metric is a function of labels and scores, and what classes and scorers take in
    place of its name. A made metric brings its own tie rule, whatever `ties` they are
    given.

    Parameters
    ----------
    metric : str or Metric
        The metric, as it is printed: "average_precision", "average_precision@50",
        "recall@5%", "precision@10", "enrichment_factor@0.01", "reciprocal_rank",
        "rie(alpha=20)", "bedroc(alpha=20)", "r_precision", "max_f_score(beta=1)",
        "breakeven_point", "precision_at_recall(0.8)" or "k_at_recall(0.8)". A cutoff is
        a number of items or a part of the ranking; "ap", "map", "ef", "rr", "mrr" and
        "rprec" are understood. A metric is returned as it is.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the function of the metric.

    Returns
    -------
    metric : Metric
        Its `name` is what it is printed as. Called as
        ``metric(y_true, y_score, *, pos_label, sample_weight, n_missed, undefined)``,
        with the parameters of :func:`average_precision`, it gives its value.

    Raises
    ------
    ValueError
        If there is no such metric, which may say what is meant, or a setting is outside
        its range.

    See Also
    --------
    make_metric_scorer : A scorer for scikit-learn.

    Examples
    --------
    >>> from skrank import RandomSelectionTest, make_metric
    >>> metric = make_metric("AP@3", ties="optimistic")
    >>> metric.name
    'average_precision@3'
    >>> y_true, y_score = [1, 0, 1, 0, 0, 0], [5, 5, 4, 3, 2, 1]
    >>> round(metric(y_true, y_score), 3)
    0.833
    >>> RandomSelectionTest(metric).from_predictions(y_true, y_score).pvalue
    0.2
    """
    if isinstance(metric, Metric):
        return metric
    found = (
        _NAME.fullmatch(metric.replace(" ", "")) if isinstance(metric, str) else None
    )
    if found is None:
        raise _unknown(metric)
    word, cutoff, settings = found.groups()
    name = _ALIASES.get(word.lower(), word)
    if name not in _KINDS:
        raise _unknown(metric)
    kind = _AT_CUTOFF.get(name, _KINDS[name]) if cutoff else _KINDS[name]
    given = _settings(metric, name, kind, settings)
    if kind.cutoff is not None or cutoff:
        given |= _cutoff(metric, name, kind, cutoff)
    return kind.build(ties=ties, **given)


def make_measure(metric: str | Metric, ties: str = "expected") -> Measure:
    """Make a metric that has a null distribution.

    Parameters
    ----------
    metric : str or Metric
        As in `make_metric`.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule.

    Returns
    -------
    measure : Measure
        The metric.
    """
    made = make_metric(metric, ties)
    if isinstance(made, Measure):
        return made
    measures = [
        repr(name)
        for name, kind in _KINDS.items()
        if isinstance(kind.build, type) and issubclass(kind.build, Measure)
    ]
    raise invalid(
        "metric",
        f"be one that has a null distribution here: {', '.join(measures)}",
        f"{made.name!r}, of which scorers, MetricInterval and RankingComparison need "
        "only the value",
    )


def _unknown(metric: Any) -> ValueError:
    """Error for a name that is none, with the one that may be meant."""
    text = metric.lower().replace(" ", "") if isinstance(metric, str) else ""
    loose = _LOOSE.fullmatch(text)
    word, _, cutoff = loose.groups() if loose else ("", "", "")
    near = get_close_matches(word, [*_KINDS, *_ALIASES], n=1, cutoff=0.6)
    if word in _ELSEWHERE or text in _ELSEWHERE:
        rule = f"see {_ELSEWHERE.get(text) or _ELSEWHERE[word]}."
    elif near:
        name = _ALIASES.get(near[0], near[0])
        has_cutoff = cutoff and (_KINDS[name].cutoff or name in _AT_CUTOFF)
        rule = f"did you mean {(f'{name}@{cutoff}' if has_cutoff else name)!r}?"
    else:
        rule = (
            f"the metrics are {', '.join(map(repr, METRICS))}, written as {_EXAMPLES}."
        )
    return ValueError(f"`metric` must name a metric; got {brief(metric)}: {rule}")


def _cutoff(
    metric: str, name: str, kind: _Kind, cutoff: str | None
) -> Mapping[str, float]:
    """Turn what stands behind "@" into a number of items or a part of the ranking."""
    if kind.cutoff is None:
        raise ValueError(f"`metric` {name!r} has no cutoff; got {brief(metric)}.")
    if cutoff is None:
        rule = f"have a cutoff, as in '{name}@10' or '{name}@5%'"
        raise invalid("metric", rule, brief(metric))
    if _COUNT.fullmatch(cutoff):
        return {kind.cutoff: int(cutoff)}
    share = _SHARE.fullmatch(cutoff)
    if share is None:
        rule = (
            "have a number behind '@', as in 'precision@10', 'precision@0.05' or "
            "'precision@5%'"
        )
        raise invalid("metric", rule, brief(metric))
    number, percent = share.groups()
    return {kind.cutoff: float(number) / 100 if percent else float(number)}


def _settings(
    metric: str, name: str, kind: _Kind, settings: str | None
) -> dict[str, Any]:
    """Read "alpha=20", "normalize=hits" or "0.8"; numbers become floats."""
    given: dict[str, Any] = {}
    for part in filter(None, (settings or "").split(",")):
        key, _, value = part.rpartition("=")
        key = key or kind.needed or ""
        if key not in kind.settings or not value:
            allowed = " or ".join(f"{one}=..." for one in kind.settings) or "none"
            raise invalid("metric", f"have no settings but {allowed}", brief(metric))
        is_text = key == "normalize"
        given[key] = value.strip("'\"") if is_text else _number(metric, key, value)
    if kind.needed not in (None, *given):
        raise invalid(
            "metric", f"have a {kind.needed}, as in '{name}(0.8)'", repr(metric)
        )
    return given


def _number(metric: str, key: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        rule = f"have a number as {key}"
        raise invalid("metric", rule, brief(metric)) from None
