"""The measures: what each tie group adds to a ranking's value.

A measure says one thing, `gain`: what a group of b items with d hits adds when T items
and H hits stand above it. The value of a ranking is the sum of the gains, divided by a
constant, from an offset on. Metrics, scorers and the whole law under random selection
follow from it.

Within a tie group the order is not known. Four rules say what to do about it:

- "expected": the mean over all orders inside the groups (McSherry and Najork, 2008);
- "threshold": a group is retrieved whole, so a cut moves down to the end of the group
  it falls in, and every hit of a group counts as one at its end;
- "optimistic", "pessimistic": the hits of a group come first, or last.
"""

from typing import Any, NamedTuple

from skrank._utils._checks import NORMALIZE, check_option
from skrank._utils._text import brief
from skrank.metrics._definitions._average_precision import (
    AveragePrecision,
    AveragePrecisionAtK,
    AveragePrecisionOverHits,
)
from skrank.metrics._definitions._early import (
    Bedroc,
    ReciprocalRank,
    RobustInitialEnhancement,
)
from skrank.metrics._definitions._measure import Frame, ListShape, Measure
from skrank.metrics._definitions._tie_sums import reciprocal_rank_of_hit
from skrank.metrics._definitions._top import EnrichmentFactor, PrecisionAtT, RecallAtT

__all__ = [
    "METRICS",
    "AveragePrecision",
    "AveragePrecisionAtK",
    "AveragePrecisionOverHits",
    "Bedroc",
    "EnrichmentFactor",
    "Frame",
    "ListShape",
    "Measure",
    "PrecisionAtT",
    "RecallAtT",
    "ReciprocalRank",
    "RobustInitialEnhancement",
    "make_measure",
    "plain_settings",
    "reciprocal_rank_of_hit",
]


class _Kind(NamedTuple):
    """What a metric's name stands for: a class, options it must or may be given."""

    measure: type[Measure]
    needed: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


_KINDS = {
    "average_precision": _Kind(AveragePrecision),
    "average_precision_at_k": _Kind(AveragePrecisionAtK, needed=("k",)),
    "recall_at_t": _Kind(RecallAtT, needed=("t",)),
    "precision_at_t": _Kind(PrecisionAtT, needed=("t",)),
    "enrichment_factor": _Kind(EnrichmentFactor, needed=("t",)),
    "reciprocal_rank": _Kind(ReciprocalRank),
    "rie": _Kind(RobustInitialEnhancement, optional=("alpha",)),
    "bedroc": _Kind(Bedroc, optional=("alpha",)),
}
METRICS = tuple(_KINDS)


def make_measure(
    metric: str,
    *,
    k: float | None = None,
    t: float | None = None,
    alpha: float | None = None,
    normalize: str = "min",
    ties: str = "expected",
) -> Measure:
    """Build the measure that a metric function's name and parameters stand for."""
    check_option("metric", metric, METRICS)
    given = _check_given(metric, {"k": k, "t": t, "alpha": alpha})
    check_option("normalize", normalize, NORMALIZE)
    kind = _KINDS[metric].measure
    if kind is AveragePrecisionAtK:
        kind = AveragePrecisionOverHits if normalize == "hits" else kind
        given["normalize"] = normalize
    return kind(ties, **given)


def plain_settings(metric: str, **settings: Any) -> dict[str, Any]:
    """Settings of a metric as they were given, checked, as numbers of Python's."""
    measure = make_measure(metric, **settings)
    return {
        name: value if value is None else getattr(measure, name, value)
        for name, value in settings.items()
    }


def _check_given(metric: str, options: dict[str, float | None]) -> dict[str, Any]:
    """Return the options that are given, all of which must have a meaning."""
    kind = _KINDS[metric]
    for name, value in options.items():
        if value is None and name in kind.needed:
            rule = "must be given"
        elif value is not None and name not in kind.needed + kind.optional:
            rule = "has no meaning"
        else:
            continue
        msg = f"`{name}` {rule} for metric {metric!r}; got {name}={brief(value)}."
        raise ValueError(msg)
    return {name: value for name, value in options.items() if value is not None}
