"""Metrics by their printed names: "precision@10", "recall@5%", "bedroc(alpha=20)".

A name is that of the metric; where it has a cutoff, "@" and a number of items ("10") or
a part of the ranking ("0.05" or "5%"); and other settings in parentheses.
"""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from skrank._utils._text import brief
from skrank.metrics._definitions._average_precision import (
    AveragePrecision,
    average_precision_at,
)
from skrank.metrics._definitions._early import (
    Bedroc,
    ReciprocalRank,
    RobustInitialEnhancement,
)
from skrank.metrics._definitions._measure import Measure
from skrank.metrics._definitions._top import EnrichmentFactor, PrecisionAtT, RecallAtT


class _Kind(NamedTuple):
    """What makes it, the name of its cutoff if it has one, and its other settings."""

    build: Callable[..., Measure]
    cutoff: str | None = None
    settings: tuple[str, ...] = ()


# Metrics by name, and average precision with a cutoff, which is another class.
_KINDS = {
    "average_precision": _Kind(AveragePrecision),
    "recall": _Kind(RecallAtT, "t"),
    "precision": _Kind(PrecisionAtT, "t"),
    "enrichment_factor": _Kind(EnrichmentFactor, "t"),
    "reciprocal_rank": _Kind(ReciprocalRank),
    "rie": _Kind(RobustInitialEnhancement, None, ("alpha",)),
    "bedroc": _Kind(Bedroc, None, ("alpha",)),
}
_AT_CUTOFF = {"average_precision": _Kind(average_precision_at, "k", ("normalize",))}
_ALIASES = {
    "ap": "average_precision",
    "map": "average_precision",
    "average_precision_at_k": "average_precision",
    "recall_at_t": "recall",
    "precision_at_t": "precision",
    "ef": "enrichment_factor",
    "rr": "reciprocal_rank",
    "mrr": "reciprocal_rank",
}
METRICS = tuple(_KINDS)

_NAME = re.compile(r"(\w+)(?:@([^()@]+))?(?:\(([^()]*)\))?")
_COUNT = re.compile(r"\d+")
_SHARE = re.compile(r"(\d*\.\d+|\d+\.?|\d+(?:\.\d*)?[eE][+-]?\d+)(%?)")
_EXAMPLES = "'precision@10', 'recall@0.05', 'recall@5%' or 'bedroc(alpha=20)'"


def make_measure(metric: Any, ties: str = "expected") -> Measure:
    """Build the measure that a printed name stands for; a measure is left as it is."""
    if isinstance(metric, Measure):
        return metric
    found = (
        _NAME.fullmatch(metric.replace(" ", "")) if isinstance(metric, str) else None
    )
    if found is None:
        raise _unknown(metric)
    word, cutoff, settings = found.groups()
    name = _ALIASES.get(word.lower(), word)
    if name not in _KINDS:
        raise _unknown(metric, word.lower())
    kind = _AT_CUTOFF.get(name, _KINDS[name]) if cutoff else _KINDS[name]
    given = _settings(metric, kind, settings)
    if kind.cutoff is not None or cutoff:
        given |= _cutoff(metric, name, kind, cutoff)
    return kind.build(ties=ties, **given)


def _unknown(metric: Any, word: str = "") -> ValueError:
    """Error for a name that is none, with the one that may be meant."""
    near = get_close_matches(word, [*_KINDS, *_ALIASES], n=1, cutoff=0.6)
    if near:
        rule = f"did you mean {_ALIASES.get(near[0], near[0])!r}?"
    else:
        listed = ", ".join(map(repr, METRICS))
        rule = f"the metrics are {listed}, written as {_EXAMPLES}."
    return ValueError(f"`metric` must name a metric; got {brief(metric)}: {rule}")


def _cutoff(
    metric: str, name: str, kind: _Kind, cutoff: str | None
) -> Mapping[str, float]:
    """Turn what stands behind "@" into a number of items or a part of the ranking."""
    if kind.cutoff is None:
        msg = f"`metric` {name!r} has no cutoff; got {brief(metric)}."
        raise ValueError(msg)
    if cutoff is None:
        msg = (
            f"`metric` must have a cutoff, as in '{name}@10' or '{name}@5%'; "
            f"got {brief(metric)}."
        )
        raise ValueError(msg)
    if _COUNT.fullmatch(cutoff):
        return {kind.cutoff: int(cutoff)}
    share = _SHARE.fullmatch(cutoff)
    if share is None:
        msg = (
            "`metric` must have a number behind '@', as in 'precision@10', "
            f"'precision@0.05' or 'precision@5%'; got {brief(metric)}."
        )
        raise ValueError(msg)
    number, percent = share.groups()
    return {kind.cutoff: float(number) / 100 if percent else float(number)}


def _settings(metric: str, kind: _Kind, settings: str | None) -> dict[str, Any]:
    """Read "alpha=20" or "normalize=hits"; numbers become floats."""
    given: dict[str, Any] = {}
    for part in filter(None, (settings or "").split(",")):
        key, _, value = part.partition("=")
        if key not in kind.settings or not value:
            allowed = " or ".join(f"{one}=..." for one in kind.settings) or "none"
            msg = f"`metric` may have the settings: {allowed}; got {brief(metric)}."
            raise ValueError(msg)
        given[key] = _number(metric, value) if key == "alpha" else value.strip("'\"")
    return given


def _number(metric: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        msg = f"`metric` must have a number as alpha; got {brief(metric)}."
        raise ValueError(msg) from None
