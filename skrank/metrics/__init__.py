"""The metrics: labels and scores in, one number out.

Every function reads the same `Ranking` and hands it to one metric. Each is
``(y_true, y_score, *, ...) -> float``, larger is better, but for k at a recall, and
each knows the same four rules for ties, if their order matters to it. Where a metric
has no value it is NaN with a warning, never a number that could be mistaken for one.

Notation: n items, m of them targets; h(t) targets ("hits") stand among the top t.
"""

from skrank.metrics._average_precision import average_precision, average_precision_at_k
from skrank.metrics._curve import (
    breakeven_point,
    k_at_recall,
    max_f_score,
    precision_at_recall,
)
from skrank.metrics._early import bedroc, reciprocal_rank, rie
from skrank.metrics._top import (
    enrichment_factor,
    precision_at_t,
    r_precision,
    recall_at_t,
)

__all__ = [
    "average_precision",
    "average_precision_at_k",
    "bedroc",
    "breakeven_point",
    "enrichment_factor",
    "k_at_recall",
    "max_f_score",
    "precision_at_recall",
    "precision_at_t",
    "r_precision",
    "recall_at_t",
    "reciprocal_rank",
    "rie",
]
