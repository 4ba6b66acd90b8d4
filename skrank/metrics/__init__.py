"""The metrics: labels and scores in, one number out.

Every function reads the same `Ranking` and hands it to one measure. Each is
``(y_true, y_score, *, ...) -> float``, larger is better, and each knows the same four
rules for ties. Where a metric has no value it is NaN with a warning, never a number
that could be mistaken for one.

Notation: n items, m of them targets; h(t) targets ("hits") stand among the top t.
"""

from skrank.metrics._average_precision import (
    average_precision,
    average_precision_at_k,
)
from skrank.metrics._early import (
    bedroc,
    reciprocal_rank,
    rie,
)
from skrank.metrics._top import (
    enrichment_factor,
    precision_at_t,
    recall_at_t,
)

__all__ = [
    "average_precision",
    "average_precision_at_k",
    "bedroc",
    "enrichment_factor",
    "precision_at_t",
    "recall_at_t",
    "reciprocal_rank",
    "rie",
]
