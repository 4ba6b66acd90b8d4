"""Metrics of the operating points of a ranking.

These metrics are a maximum over the operating points, or the value at the point with a
given recall. They are not sums over tie groups and have no null distribution.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import (
    check_depth,
    check_option,
    check_positive,
    check_share,
    invalid,
)
from skrank._utils._rounding import ROUNDING
from skrank.curves._operating_points import OperatingPoints, points_of
from skrank.metrics._definitions._base import AnyMetric, Checks, Frame
from skrank.metrics._definitions._tie_sums import reciprocal_rank_of_hit
from skrank.ranking._ranking import HitGroups, Ranking


def check_rounding(name: str, value: Any) -> str:
    """Check how a number of targets is rounded."""
    check_option(name, value, ("up", "even", "down"))
    return str(value)


@dataclass(frozen=True, slots=True)
class ThresholdMetric(AnyMetric):
    """Base of metrics that are the largest of the values at all thresholds.

    They retrieve whole ties, and have no tie rule.
    """

    #: Smallest and largest value over all rankings.
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __post_init__(self) -> None:
        """Check that no tie rule was given."""
        super(ThresholdMetric, self).__post_init__()
        if self.ties not in ("expected", "together"):
            rule = (
                f"be 'expected' or 'together' for {self.name}, whose thresholds "
                "retrieve ties whole"
            )
            raise invalid("ties", rule, repr(self.ties))

    @abstractmethod
    def at_thresholds(self, points: OperatingPoints) -> NDArray[np.float64]:
        """Return the value at each point, above 0 if it counts."""

    def value(self, ranking: Ranking) -> float:
        """Return the largest value; 0 if no target was scored."""
        found = self.at_thresholds(points_of(ranking))
        return min(1.0, float(found.max(initial=0.0)))

    def values(
        self, groups: HitGroups, row: NDArray[np.intp], n_rows: int, frame: Frame
    ) -> NDArray[np.float64]:
        """Return the largest values of many rankings; O(tie groups)."""
        n, m = (np.broadcast_to(one, n_rows) for one in frame[:2])
        points = OperatingPoints(
            score=groups.above,
            t=groups.above + groups.size,
            hits=groups.hits_above + groups.hits,
            n_samples=n[row],  # type: ignore[arg-type]
            n_targets=m[row],  # type: ignore[arg-type]
            n_non_targets=(n - m)[row],
        )
        found = np.zeros(n_rows)
        np.maximum.at(found, row, self.at_thresholds(points))
        return np.where(m > 0, np.minimum(found, 1.0), math.nan)


@dataclass(frozen=True, slots=True)
class MaxFScore(ThresholdMetric):
    """Largest F-score of the operating points."""

    beta: float = 1.0

    template: ClassVar[str] = "max_f_score(beta={0.beta:.12g})"
    checks: ClassVar[Checks] = {"beta": check_positive}

    def at_thresholds(self, points: OperatingPoints) -> NDArray[np.float64]:
        """Return the F-scores."""
        return points.f_score(self.beta)


@dataclass(frozen=True, slots=True)
class BreakevenPoint(ThresholdMetric):
    """Point at which the interpolated curve has recall equal to precision.

    The interpolated precision at recall r is the largest precision at a recall of at
    least r. It is at least r if some point has recall and precision of at least r, that
    is, if r is at most the smaller of the two. The largest such r is therefore the
    largest of these minima. The interpolated precision, which decreases, is above the
    diagonal up to this r, and below it, or at its end, beyond.
    """

    template: ClassVar[str] = "breakeven_point"

    def at_thresholds(self, points: OperatingPoints) -> NDArray[np.float64]:
        """Return the smaller one of recall and precision."""
        return np.minimum(points.recall, points.precision)


@dataclass(frozen=True, slots=True)
class RecallAtPrecision(ThresholdMetric):
    """Largest recall of the thresholds with at least a given precision."""

    precision: float = 0.5

    template: ClassVar[str] = "recall_at_precision({0.precision:.12g})"
    checks: ClassVar[Checks] = {"precision": check_share}

    def at_thresholds(self, points: OperatingPoints) -> NDArray[np.float64]:
        """Return the recall, and 0 at thresholds without the precision."""
        precise = points.precision >= self.precision * (1 - ROUNDING)
        return np.where(precise, points.recall, 0.0)


@dataclass(frozen=True, slots=True)
class KSStatistic(ThresholdMetric):
    """Largest difference of the shares of targets and of non-targets retrieved."""

    template: ClassVar[str] = "ks_statistic"
    needs_both_classes: ClassVar[bool] = True

    def at_thresholds(self, points: OperatingPoints) -> NDArray[np.float64]:
        """Return the differences, which are negative where chance is better."""
        n_others = np.where(points.n_non_targets == 0, 1, points.n_non_targets)
        apart: NDArray[np.float64] = points.recall - (points.t - points.hits) / n_others
        return apart

    def least_error(self, ranking: Ranking, n_targets: float, n_others: float) -> float:
        """Return the error of two shares at the best threshold, with half an item each.

        Resamples repeat the targets near the threshold, and find a better one.
        """
        points = points_of(ranking)
        apart = self.at_thresholds(points)
        if not apart.size:
            return 0.0
        at = int(apart.argmax())
        found = np.array([points.hits[at], points.t[at] - points.hits[at]])
        found = found / [ranking.n_targets, ranking.n_non_targets]
        sizes = np.array([n_targets, n_others], dtype=float)
        shares = (found * sizes + 0.5) / (sizes + 1)
        return float(np.sqrt(np.sum(shares * (1 - shares) / sizes)))


@dataclass(frozen=True, slots=True)
class KAtRecall(AnyMetric):
    """Number of items from the top until a share of the targets is found."""

    recall: float = 1.0

    template: ClassVar[str] = "k_at_recall({0.recall:.12g})"
    checks: ClassVar[Checks] = {"recall": check_share}
    greater_is_better: ClassVar[bool] = False
    orders_ties: ClassVar[bool] = True

    def value(self, ranking: Ranking) -> float:
        """Return the rank of the last required target; inf if it was missed."""
        found = self._last_needed(ranking)
        return math.inf if found is None else float(self._rank(*found))

    def values_of_targets(self, ranking: Ranking) -> tuple[int, NDArray[np.float64]]:
        """Return which target is required, and the value if another one were.

        The other ones are all m targets, best first, between the first and the last
        possible rank. None of them was missed.
        """
        m, hits = int(ranking.n_targets), ranking.groups.hits
        needed = int(self.needed(m, whole=True))
        place = np.arange(1, m + 1) - np.repeat(ranking.groups.hits_above, hits)
        ranks = self._rank(
            ranking.groups.take(np.arange(hits.size).repeat(hits)), place
        )
        ends = needed, ranking.n_samples - m + needed
        ranks = np.clip(np.concatenate([ends[:1], ranks, ends[1:]]), *ends)
        return needed, self.of_rank(ranks, needed, ranking.n_samples)

    def of_rank(self, rank: Any, needed: int, n_samples: float) -> Any:
        """Return the value by the rank of the last required target."""
        return rank

    def needed(self, n_targets: Any, *, whole: bool) -> Any:
        """Return how many targets, or how much weight, must be found."""
        return check_depth("recall", self.recall, n_targets, whole=whole)

    def _last_needed(self, ranking: Ranking) -> tuple[Any, Any] | None:
        """Return the group of the hit that completes the share, and its number."""
        groups = ranking.groups
        needed = self.needed(ranking.n_targets, whole=ranking.whole)
        found = groups.hits_above + groups.hits
        index = int(
            np.searchsorted(found, needed * (1 - ROUNDING))
        )  # rounding of weights
        if index == found.size:
            return None
        group = groups.take(index)
        return group, needed - group.hits_above

    def _rank(self, group: Any, place: Any) -> Any:
        """Return the rank of a hit: its mean over the orders, or by the tie rule."""
        size, hits = group.size, group.hits
        if self.ties == "expected":
            return group.above + place * (size + 1) / (hits + 1)
        last = {"optimistic": place, "pessimistic": size - hits + place}
        return group.above + last.get(self.ties, size)


@dataclass(frozen=True, slots=True)
class PrecisionAtRecall(KAtRecall):
    """Precision at the depth with a given recall."""

    template: ClassVar[str] = "precision_at_recall({0.recall:.12g})"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    greater_is_better: ClassVar[bool] = True

    def value(self, ranking: Ranking) -> float:
        """Return the share of targets down to the last required one; 0 if missed."""
        found = self._last_needed(ranking)
        if found is None:
            return 0.0
        group, place = found
        hits = group.hits_above + (group.hits if self.ties == "together" else place)
        if self.ties == "expected":
            above, size = group.above, group.size
            share = hits * reciprocal_rank_of_hit(above, size, group.hits, place)
        else:
            share = hits / self._rank(group, place)
        return min(1.0, float(share))

    def of_rank(self, rank: Any, needed: int, n_samples: float) -> Any:
        """Return the share of targets down to the rank."""
        return needed / rank


@dataclass(frozen=True, slots=True)
class WorkSaved(KAtRecall):
    """Share of the items that need not be read at a recall, less that of chance."""

    recall: float = 0.95
    rounding: str = "up"

    template: ClassVar[str] = "wss({0.recall:.12g})"
    checks: ClassVar[Checks] = {"recall": check_share, "rounding": check_rounding}
    greater_is_better: ClassVar[bool] = True

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value over all rankings: all items read, or none."""
        return self.recall - 1, self.recall

    @property
    def name(self) -> str:
        """Printed name, with the rounding if it is not up."""
        name = self.template.format(self)
        return (
            name if self.rounding == "up" else f"{name[:-1]}, rounding={self.rounding})"
        )

    def needed(self, n_targets: Any, *, whole: bool) -> Any:
        """Return how many targets must be found, at least one, by the rounding."""
        up = check_depth("recall", self.recall, n_targets, whole=whole)
        if self.rounding == "up" or not whole:
            return up
        exact = self.recall * n_targets
        if abs(exact - round(exact)) <= ROUNDING * exact:  # .95 of 20 is 19
            return up
        rounded = math.floor(exact) if self.rounding == "down" else round(exact)
        return max(1, rounded)

    def value(self, ranking: Ranking) -> float:
        """Return the recall less the share of the items read; all if it is missed."""
        found = self._last_needed(ranking)
        n_items = ranking.n_samples + ranking.n_missed
        read = n_items if found is None else self._rank(*found)
        return float(self.of_rank(read, 0, n_items))

    def of_rank(self, rank: Any, needed: int, n_samples: float) -> Any:
        """Return the recall less the share of the items read."""
        return self.recall - rank / n_samples
