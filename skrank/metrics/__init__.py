"""Metrics: functions of labels and scores that return one number.

Each function makes a `Ranking`, or one for each group, and passes it to a metric. The
signature is ``(y_true, y_score, *, ...) -> float``. Larger values are better, except
for k at a recall. Metrics that depend on the order of ties have four tie rules. If a
metric is undefined, the result is NaN with a warning.

Notation: n items, m targets; h(t) is the number of targets ("hits") in the top t.
"""

from skrank.metrics._average_precision import average_precision, average_precision_at_k
from skrank.metrics._curve import (
    breakeven_point,
    k_at_recall,
    ks_statistic,
    max_f_score,
    precision_at_recall,
    recall_at_precision,
    wss,
)
from skrank.metrics._early import bedroc, log_auc, ndcg, reciprocal_rank, rie
from skrank.metrics._top import (
    enrichment_factor,
    expected_profit,
    precision_at_t,
    r_precision,
    recall_at_t,
    specificity_at_t,
)

__all__ = [
    "average_precision",
    "average_precision_at_k",
    "bedroc",
    "breakeven_point",
    "enrichment_factor",
    "expected_profit",
    "k_at_recall",
    "ks_statistic",
    "log_auc",
    "max_f_score",
    "ndcg",
    "precision_at_recall",
    "precision_at_t",
    "r_precision",
    "recall_at_precision",
    "recall_at_t",
    "reciprocal_rank",
    "rie",
    "specificity_at_t",
    "wss",
]
