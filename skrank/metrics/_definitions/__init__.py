"""The metrics. Most are measures, of which this says what each tie group adds.

A measure says one thing, `gain`: what a group of b items with d hits adds when T items
and H hits stand above it. The value of a ranking is the sum of the gains, divided by a
constant, from an offset on. Metrics, scorers and the whole null distribution
follow from it. A metric that is no measure has a value alone (see `_curve`).

Within a tie group the order is not known. Four rules say what to do about it:

- "expected": the mean over all orders inside the groups (McSherry and Najork, 2008);
- "threshold": a group is retrieved whole, so a cutoff moves down to the end of the
  group it falls in, and every hit of a group counts as one at its end;
- "optimistic", "pessimistic": the hits of a group come first, or last.
"""

from skrank.metrics._definitions._base import Frame, Measure, Metric
from skrank.metrics._definitions._measures import (
    AveragePrecision,
    AveragePrecisionAtK,
    EnrichmentFactor,
    PrecisionAtT,
    ReciprocalRank,
)
from skrank.metrics._definitions._names import METRICS, make_measure, make_metric

__all__ = [
    "METRICS",
    "AveragePrecision",
    "AveragePrecisionAtK",
    "EnrichmentFactor",
    "Frame",
    "Measure",
    "Metric",
    "PrecisionAtT",
    "ReciprocalRank",
    "make_measure",
    "make_metric",
]
