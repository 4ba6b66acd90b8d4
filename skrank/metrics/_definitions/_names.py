"""Metrics by their printed names: "precision@10", "recall@5%", "bedroc(alpha=20)".

A name has the name of the metric; for a cutoff, "@" and a number of items ("10") or a
share of the ranking ("0.05" or "5%"); and other settings in parentheses. For places
that do not allow "@", as in logs of experiments, it may be written as "_at_". A single
setting that must be given needs no name, as the recall of "k_at_recall(0.8)".
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

from skrank._utils._checks import invalid
from skrank._utils._numbers import DECIMAL
from skrank._utils._text import brief
from skrank.metrics._definitions._base import AnyMetric, Metric
from skrank.metrics._definitions._curve import (
    BreakevenPoint,
    KAtRecall,
    KSStatistic,
    MaxFScore,
    PrecisionAtRecall,
    RecallAtPrecision,
    WorkSaved,
)
from skrank.metrics._definitions._sums import (
    NDCG,
    AveragePrecision,
    Bedroc,
    EnrichmentFactor,
    ExpectedProfit,
    ExtraRecordsFound,
    LogAUC,
    PrecisionAtT,
    RecallAtT,
    ReciprocalRank,
    RobustInitialEnhancement,
    RPrecision,
    SpecificityAtT,
    average_precision_at,
    ndcg_at,
    recall_at,
)

# Metrics by name; some have another class with a cutoff (`_AT_CUTOFF`).
METRICS: dict[str, type[AnyMetric]] = {
    "average_precision": AveragePrecision,
    "recall": RecallAtT,
    "precision": PrecisionAtT,
    "specificity": SpecificityAtT,
    "enrichment_factor": EnrichmentFactor,
    "reciprocal_rank": ReciprocalRank,
    "ndcg": NDCG,
    "rie": RobustInitialEnhancement,
    "bedroc": Bedroc,
    "log_auc": LogAUC,
    "r_precision": RPrecision,
    "expected_profit": ExpectedProfit,
    "max_f_score": MaxFScore,
    "breakeven_point": BreakevenPoint,
    "precision_at_recall": PrecisionAtRecall,
    "k_at_recall": KAtRecall,
    "recall_at_precision": RecallAtPrecision,
    "wss": WorkSaved,
    "erf": ExtraRecordsFound,
    "ks_statistic": KSStatistic,
}
# Metrics with a cutoff that is made by a function: its cutoff and other settings
_AT_CUTOFF: dict[str, tuple[Any, str, list[str]]] = {
    "average_precision": (average_precision_at, "k", ["normalize"]),
    "recall": (recall_at, "t", ["normalize"]),
    "ndcg": (ndcg_at, "k", []),
}
# Settings that have no default, with an example
_REQUIRED: dict[str, dict[str, str]] = {
    "precision_at_recall": {"recall": "0.8"},
    "k_at_recall": {"recall": "0.8"},
    "recall_at_precision": {"precision": "0.5"},
    "expected_profit": {"benefit": "200", "cost": "5"},
}
# Accepted synonyms
_ALIASES = {
    "ap": "average_precision",
    "map": "average_precision",
    "average_precision_at_k": "average_precision",
    "recall_at_t": "recall",
    "precision_at_t": "precision",
    "specificity_at_t": "specificity",
    "logauc": "log_auc",
    "ef": "enrichment_factor",
    "lift": "enrichment_factor",
    "p": "precision",
    "prec": "precision",
    "r": "recall",
    "sensitivity": "recall",
    "rprec": "r_precision",
    "ks": "ks_statistic",
    "rr": "reciprocal_rank",
    "mrr": "reciprocal_rank",
}
# What to use in place of names that are not accepted
_SUGGESTIONS = {
    **dict.fromkeys(("auprc", "aucpr", "prauc", "pr_auc"), "'average_precision'"),
    "average_precision_score": "'average_precision' with ties='together'",
    "f1": "'max_f_score(beta=1)'",
    **dict.fromkeys(
        ("roc_auc", "auc", "auroc", "auc_roc"),
        "sklearn.metrics.roc_auc_score, which weights all parts of the ranking equally",
    ),
}


def make_metric(metric: str | AnyMetric, ties: str = "expected") -> AnyMetric:
    """Make a metric with its settings by name; for a search use make_metric_scorer.

    The metric can be called with labels and scores. Classes and scorers also accept it
    in place of a name. They then use the tie rule of the metric instead of their own
    `ties`.

    Parameters
    ----------
    metric : str or Metric
        Metric by its printed name: "average_precision", "average_precision@50",
        "recall@5%", "precision@10", "specificity@5%", "enrichment_factor@0.01",
        "reciprocal_rank", "ndcg@10", "rie(alpha=20)", "bedroc(alpha=20)",
        "log_auc(fpr=0.001)", "erf@10%", "r_precision", "max_f_score(beta=1)",
        "breakeven_point", "precision_at_recall(0.8)", "k_at_recall(0.8)",
        "recall_at_precision(0.5)", "wss(0.95)", "ks_statistic" or
        "expected_profit@20(benefit=200, cost=5)". A cutoff is a number of items or a
        fraction of the ranking. "_at_" in place of "@", and the names "ap", "map",
        "lift", "ef", "sensitivity", "rr", "mrr", "ks" and "rprec" are also accepted. A
        Metric is returned unchanged.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric function.

    Returns
    -------
    metric : Metric
        Callable with the printed name as its attribute `name`. The call
        ``metric(y_true, y_score, *, pos_label, sample_weight, groups, n_missed,
        undefined)`` has the parameters of :func:`average_precision`. It returns the
        value, which is the mean over the rankings of the groups if `groups` is passed.
        A metric with a null distribution is an instance of :class:`Metric`.

    Raises
    ------
    ValueError
        If no metric has this name, or if a setting is outside its range. The message
        suggests a similar name, if there is one.

    See Also
    --------
    make_metric_scorer : Creates a scorer for scikit-learn.

    Examples
    --------
    >>> from skrank import RandomSelectionTest, make_metric
    >>> metric = make_metric("AP@3", ties="optimistic")
    >>> metric.name
    'average_precision@3'
    >>> y_true, y_score = [1, 0, 1, 0, 0, 0], [5, 5, 4, 3, 2, 1]
    >>> round(metric(y_true, y_score), 3)
    0.833
    >>> result = RandomSelectionTest(metric).from_predictions(y_true, y_score)
    >>> round(result.pvalue, 3)
    0.2
    """
    if isinstance(metric, AnyMetric):
        if ties not in ("expected", metric.ties):
            rule = f"be left out for a metric object, whose own rule is {metric.ties!r}"
            raise invalid("ties", rule, repr(ties))
        return metric
    text = metric.replace(" ", "") if isinstance(metric, str) else ""
    text = re.sub(r"_at_(?=\.?\d)", "@", text)
    found = re.fullmatch(r"(\w+)(?:@([^()@]+))?(?:\(([^()]*)\))?", text)
    word, cutoff, setting = found.groups() if found else ("", None, None)
    word = word.lower() if word.lower() in METRICS else word
    name = _ALIASES.get(word.lower(), word)
    if name not in METRICS:
        raise _unknown(metric, text.lower())
    kind: Any = METRICS[name]
    if name in _AT_CUTOFF and (cutoff or kind.cutoff):
        kind, called, allowed = _AT_CUTOFF[name]
    else:
        called = kind.cutoff
        allowed = [one for one in kind.checks if one != called]
    given: dict[str, Any] = {}
    if called and not cutoff:
        rule = f"have a cutoff, as in '{name}@10' or '{name}@5%'"
        raise invalid("metric", rule, brief(metric))
    if cutoff and not called:
        share = {"95": "0.95", "100": "1"}.get(cutoff, "...")
        hint = f" Write {name}({allowed[0]}={share})." if allowed else ""
        msg = f"`metric` {name!r} has no cutoff; got {brief(metric)}.{hint}"
        raise ValueError(msg)
    if cutoff:
        rule = "have a number after '@', as in 'precision@10', 'recall@5%' or 'ap@0.5'"
        share = cutoff.removesuffix("%")
        given[called] = _number(metric, rule, share)
        if share != cutoff:
            given[called] /= 100
        elif cutoff.isdecimal():
            given[called] = int(cutoff)
    required = _REQUIRED.get(name, {})
    for one in setting.split(",") if setting else ():
        key, _, value = one.rpartition("=")
        key = key or ("".join({"recall", "precision"} & {*allowed}))
        if key not in allowed or key in given or not value:
            but = " but " + " and ".join(f"{one}=..." for one in allowed)
            rule = f"have no settings{but if allowed else ''}"
            raise invalid("metric", rule, brief(metric))
        is_text = key in ("normalize", "rounding")
        rule = f"have a number as {key}"
        given[key] = value.strip("'\"") if is_text else _number(metric, rule, value)
    if required.keys() - given:
        settings = ", ".join(f"{key}={value}" for key, value in required.items())
        if len(required) == 1:
            (settings,) = required.values()
        example = f"{name}{'@20' if called else ''}({settings})"
        rule = f"have a {' and a '.join(required)}, as in {example!r}"
        raise invalid("metric", rule, brief(metric))
    return kind(ties=ties, **given)  # type: ignore[no-any-return]


def make_null_metric(metric: str | AnyMetric, ties: str = "expected") -> Metric:
    """Make a metric that has a null distribution.

    Parameters
    ----------
    metric : str or Metric
        As in `make_metric`.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule.

    Returns
    -------
    metric : Metric
        The metric.
    """
    made = make_metric(metric, ties)
    if isinstance(made, Metric):
        return made
    metrics = [repr(name) for name in METRICS if issubclass(METRICS[name], Metric)]
    rule = f"be one that has a null distribution here: {', '.join(metrics)}"
    advice = "Scorers, MetricInterval and RankingComparison need only the value."
    if isinstance(made, KSStatistic):
        advice += (
            " For the p-value of KS: scipy.stats.ks_2samp(score[y == 1], "
            "score[y == 0], alternative='less')."
        )
    raise invalid("metric", rule, repr(made.name), advice)


def example_of(function: str) -> str:
    """Return the name of a metric, with a cutoff and settings, from its function."""
    name = _ALIASES.get(function, function)
    settings = [f"{key}={value}" for key, value in _REQUIRED.get(name, {}).items()]
    cutoff = "@50" if METRICS[name].cutoff or name != function else ""
    return f"{name}{cutoff}" + f"({', '.join(settings)})" * bool(settings)


def _number(metric: str, rule: str, text: str) -> float:
    if re.fullmatch(rf"[+-]?{DECIMAL}(e[+-]?\d+)?", text, re.IGNORECASE):
        return float(text)
    raise invalid("metric", rule, brief(metric))


def _unknown(metric: Any, text: str) -> ValueError:
    """Return the error for an unknown name, with a suggestion."""
    loose = re.fullmatch(r"([a-z_]+?)_?(?:@|at)?(\d+(?:\.\d+)?%?)?(?:\(.*\))?", text)
    word, cutoff = loose.groups() if loose else ("", None)
    near = get_close_matches(word, [*METRICS, *_ALIASES], n=1, cutoff=0.6)
    name = _ALIASES.get(near[0], near[0]) if near else ""
    elsewhere = _SUGGESTIONS.get(text) or _SUGGESTIONS.get(word)
    if callable(metric):
        rule = f"pass a name, such as {getattr(metric, '__name__', 'recall@50')!r}."
    elif elsewhere:
        rule = f"see {elsewhere}."
    elif name:
        has_cutoff = METRICS[name].cutoff or name == "average_precision"
        meant = f"{name}@{cutoff}" if cutoff and has_cutoff else name
        rule = f"did you mean {meant!r}?"
    else:
        rule = (
            f"the metrics are {', '.join(METRICS)}, written as "
            "'precision@10', 'recall@0.05', 'recall@5%' or 'bedroc(alpha=20)'."
        )
    return ValueError(f"`metric` must name a metric; got {brief(metric)}: {rule}")
