"""Definitions of the metrics. Most of them are sums over tie groups.

A `Metric` is a sum. It defines `gain`: the contribution of a group of b items with d
hits, if T items and H hits are above the group. The value of a ranking is the sum of
the gains, divided by a constant, plus an offset. Metrics, scorers and the null
distribution all use this definition. An `AnyMetric` that is not a sum defines its value
only (see `_curve`).

The order within a tie group is unknown. There are four rules:

- "expected": the mean over all orders within the groups (McSherry and Najork, 2008);
- "together": a group is retrieved as a whole, so a cutoff moves down to the end of its
  group, and every hit of a group counts as if it were at the end of the group;
- "optimistic", "pessimistic": the hits of a group come first, or last.
"""

from skrank.metrics._definitions._base import AnyMetric, Frame, Metric
from skrank.metrics._definitions._curve import KAtRecall, KSStatistic, WorkSaved
from skrank.metrics._definitions._names import METRICS, make_metric, make_null_metric
from skrank.metrics._definitions._sums import (
    AveragePrecision,
    AveragePrecisionAtK,
    EnrichmentFactor,
    ExpectedProfit,
    PrecisionAtT,
    RecallAtT,
    ReciprocalRank,
)

__all__ = [
    "METRICS",
    "AnyMetric",
    "AveragePrecision",
    "AveragePrecisionAtK",
    "EnrichmentFactor",
    "ExpectedProfit",
    "Frame",
    "KAtRecall",
    "KSStatistic",
    "Metric",
    "PrecisionAtT",
    "RecallAtT",
    "ReciprocalRank",
    "WorkSaved",
    "make_metric",
    "make_null_metric",
]
