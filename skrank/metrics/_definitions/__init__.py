"""Definitions of the metrics. Most of them are measures: sums over tie groups.

A measure defines `gain`: the contribution of a group of b items with d hits, if T items
and H hits are above the group. The value of a ranking is the sum of the gains, divided
by a constant, plus an offset. Metrics, scorers and the null distribution all use this
definition. A metric that is not a measure defines its value only (see `_curve`).

The order within a tie group is unknown. There are four rules:

- "expected": the mean over all orders within the groups (McSherry and Najork, 2008);
- "threshold": a group is retrieved as a whole, so a cutoff moves down to the end of its
  group, and every hit of a group counts as if it were at the end of the group;
- "optimistic", "pessimistic": the hits of a group come first, or last.
"""

from skrank.metrics._definitions._base import Frame, Measure, Metric
from skrank.metrics._definitions._measures import (
    AveragePrecision,
    AveragePrecisionAtK,
    EnrichmentFactor,
    ExpectedProfit,
    PrecisionAtT,
    ReciprocalRank,
)
from skrank.metrics._definitions._names import METRICS, make_measure, make_metric

__all__ = [
    "METRICS",
    "AveragePrecision",
    "AveragePrecisionAtK",
    "EnrichmentFactor",
    "ExpectedProfit",
    "Frame",
    "Measure",
    "Metric",
    "PrecisionAtT",
    "ReciprocalRank",
    "make_measure",
    "make_metric",
]
