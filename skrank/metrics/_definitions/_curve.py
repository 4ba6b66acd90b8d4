"""Metrics of the curve of a ranking: what its operating points come to in one number.

A measure adds up what tie groups gain, each for itself. These do not: a maximum over
the operating points, or what one of them says that is found by its recall. Their value
is read from a ranking, but they have no null distribution.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import (
    TIES,
    check_depth,
    check_option,
    check_positive,
    check_share,
)
from skrank.curves._operating_points import points_of
from skrank.metrics._definitions._measure import Metric
from skrank.metrics._definitions._tie_sums import reciprocal_rank_of_hit
from skrank.ranking._items import SLACK
from skrank.ranking._ranking import Ranking

_AREAS = {"precision": "precision_recall_area", "specificity": "roc_area"}


@dataclass(frozen=True, slots=True)
class ThresholdMetric(Metric):
    """What retrieves ties whole, and so has no tie rule to choose."""

    def __post_init__(self) -> None:
        """Check that none was chosen."""
        check_option("ties", self.ties, TIES)
        if self.ties not in ("expected", "threshold"):
            msg = (
                f"`ties` must be 'expected' or 'threshold' for {self.name}, whose "
                f"thresholds retrieve ties whole; got {self.ties!r}."
            )
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class MaxFScore(ThresholdMetric):
    """Largest F-score of the operating points."""

    beta: float = 1.0

    def __post_init__(self) -> None:
        """Check the settings."""
        object.__setattr__(self, "beta", check_positive("beta", self.beta))
        super(MaxFScore, self).__post_init__()

    @property
    def name(self) -> str:
        """Name as printed, with beta."""
        return f"max_f_score(beta={self.beta:.12g})"

    def value(self, ranking: Ranking) -> float:
        """Largest value; 0 if no target was scored."""
        return float(points_of(ranking).f_score(self.beta).max(initial=0.0))


@dataclass(frozen=True, slots=True)
class BreakevenPoint(ThresholdMetric):
    """Where the interpolated curve has recall equal to precision.

    The interpolated precision at recall r is the largest of the points of recall r or
    more. It is r or more if some point has recall and precision of r or more, that is,
    if r is at most the smaller of the two; so the last such r is the largest of these
    minima. Up to it the step function, which falls, is above the diagonal, and beyond
    it below, or at its end.
    """

    @property
    def name(self) -> str:
        """Name as printed."""
        return "breakeven_point"

    def value(self, ranking: Ranking) -> float:
        """Largest minimum of recall and precision; 0 if no target was scored."""
        points = points_of(ranking)
        least = np.minimum(points.recall, points.precision)
        return min(1.0, float(least.max(initial=0.0)))


@dataclass(frozen=True, slots=True)
class InterpolatedArea(Metric):
    """Area under the points that no other dominates, read as a step function."""

    rate: str = "precision"

    @property
    def name(self) -> str:
        """Name as printed, with the rate."""
        return f"{_AREAS[self.rate]}(interpolate=True)"

    def value(self, ranking: Ranking) -> float:
        """Area of the step function."""
        return points_of(ranking).not_dominated(self.rate).area(self.rate)


@dataclass(frozen=True, slots=True)
class RocArea(Metric):
    """Area under the ROC curve: pairs of target and non-target in the right order."""

    @property
    def name(self) -> str:
        """Name as printed."""
        return "roc_area"

    def value(self, ranking: Ranking) -> float:
        """Share of the pairs, of a tie as many as its rule says."""
        groups = ranking.groups
        tied = groups.size - groups.hits
        below = ranking.n_non_targets - (groups.above - groups.hits_above) - tied
        share = {"expected": 0.5, "optimistic": 1.0}.get(self.ties, 0.0)
        # the ratio first: products of weights can leave the range of floats
        shares = groups.hits * ((below + share * tied) / ranking.n_non_targets)
        return float(shares.sum() / ranking.n_targets)


@dataclass(frozen=True, slots=True)
class KAtRecall(Metric):
    """Items to take from the top until a share of the targets is found."""

    recall: float = 1.0

    greater_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the settings."""
        object.__setattr__(self, "recall", check_share("recall", self.recall))
        check_option("ties", self.ties, TIES)

    @property
    def name(self) -> str:
        """Name as printed, with the recall."""
        return f"k_at_recall({self.recall:.12g})"

    @property
    def orders_ties(self) -> bool:
        """A tie that is retrieved whole has one depth."""
        return self.ties != "threshold"

    def value(self, ranking: Ranking) -> float:
        """Rank of the last target that is needed; inf if it was missed."""
        hit = _last_needed(self.recall, ranking)
        return math.inf if hit is None else float(hit.rank(self.ties))


@dataclass(frozen=True, slots=True)
class PrecisionAtRecall(KAtRecall):
    """Precision at the depth that gives a recall."""

    greater_is_better: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Name as printed, with the recall."""
        return f"precision_at_recall({self.recall:.12g})"

    def value(self, ranking: Ranking) -> float:
        """Share of targets down to the last that is needed; 0 if it was missed."""
        hit = _last_needed(self.recall, ranking)
        return 0.0 if hit is None else min(1.0, float(hit.precision(self.ties)))


class _Hit(NamedTuple):
    """Hit number `place` of a tie group; with weights, the weight down to it."""

    above: Any
    size: Any
    hits_above: Any
    hits: Any
    place: Any

    def rank(self, ties: str) -> Any:
        """Mean rank over the orders inside the group, or what the rule says."""
        if ties == "expected":
            return self.above + self.place * (self.size + 1) / (self.hits + 1)
        places = {
            "threshold": self.size,
            "optimistic": self.place,
            "pessimistic": self.size - self.hits + self.place,
        }
        return self.above + places[ties]

    def precision(self, ties: str) -> Any:
        """Share of targets down to the rank, or its mean over the orders."""
        if ties == "threshold":
            return (self.hits_above + self.hits) / self.rank(ties)
        found = self.hits_above + self.place
        if ties == "expected":
            return found * reciprocal_rank_of_hit(
                above=self.above, size=self.size, hits=self.hits, place=self.place
            )
        return found / self.rank(ties)


def _last_needed(recall: float, ranking: Ranking) -> _Hit | None:
    """Return the hit that completes a share of the targets, if it was scored."""
    groups, needed = ranking.groups, _targets_needed(recall, ranking)
    index = _first_of(groups.hits_above + groups.hits, needed)
    if index == groups.hits.size:
        return None
    group = groups.take(index)
    place = needed - group.hits_above
    return _Hit(group.above, group.size, group.hits_above, group.hits, place)


def _targets_needed(recall: float, ranking: Ranking) -> float:
    """Targets that make up a share of all: whole ones, or their weight."""
    return check_depth("recall", recall, ranking.n_targets, whole=ranking.whole)


def _first_of(found: NDArray[Any], needed: float) -> int:
    """Index of the first point that has found so many, up to rounding of weights."""
    return int(np.searchsorted(found, needed * (1 - SLACK)))
