"""Metrics that are sums: average precision, hits above a cutoff, early recognition."""

from abc import ABC
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln

from skrank._utils._checks import (
    NORMALIZE,
    check_cutoff,
    check_fraction,
    check_not_negative,
    check_option,
    check_positive,
)
from skrank.metrics._definitions._base import Checks, Frame, Metric
from skrank.metrics._definitions._tie_sums import (
    Array,
    discounts,
    expected_precisions,
    first_hit_mean,
    geometric_sum,
    hits_within,
    mean_over_hits,
    run_precisions,
    whole_precisions,
)
from skrank.ranking._ranking import HitGroups


@dataclass(frozen=True, slots=True)
class _Named(Metric, ABC):
    """Metric of this package, whose gain has all tie rules and sizes at once."""

    derived: ClassVar[bool] = False
    of_all_items: ClassVar[bool] = False
    of_shares: ClassVar[bool] = True

    @property
    def bounds(self) -> tuple[float, float]:
        """Most of them are shares."""
        return 0.0, 1.0


@dataclass(frozen=True, slots=True)
class AveragePrecision(_Named):
    """AP: the mean over the targets of the precision at their ranks."""

    template: ClassVar[str] = "average_precision"
    orders_ties: ClassVar[bool] = True

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Sum of the precisions of the group's hits down to the cutoff."""
        if self.ties == "together":
            return whole_precisions(above, size, hits_above, hits) * (above < frame.cut)
        if self.ties == "expected":
            # equal to np.clip, which takes three times as long for short rankings
            counted = np.minimum(np.maximum(frame.cut - above, 0), size)
            return expected_precisions(above, size, hits_above, hits, counted)
        start = above if self.ties == "optimistic" else above + size - hits
        counted = np.clip(frame.cut - start, 0, hits)
        return run_precisions(start, hits_above, counted)

    def divisor(self, frame: Frame) -> Array:
        """Return the number of targets."""
        return frame.n_targets


@dataclass(frozen=True, slots=True)
class AveragePrecisionAtK(AveragePrecision):
    """AP@k with a constant divisor: all targets, or at most k."""

    k: float = 1
    normalize: str = "min"

    template: ClassVar[str] = "average_precision@{0.k}"
    cutoff: ClassVar[str | None] = "k"
    checks: ClassVar[Checks] = {"k": check_cutoff}

    def __post_init__(self) -> None:
        """Check the settings."""
        check_option("normalize", self.normalize, NORMALIZE)
        super(AveragePrecisionAtK, self).__post_init__()

    @property
    def name(self) -> str:
        """Name as printed, with the cutoff, and the divisor if it is not "min"."""
        divisor = "" if self.normalize == "min" else f"(normalize={self.normalize})"
        return self.template.format(self) + divisor

    def divisor(self, frame: Frame) -> Array:
        """Return the number of targets, or the largest number above the cutoff."""
        most = frame.cut if self.normalize == "min" else frame.n_targets
        return np.minimum(frame.n_targets, most)


@dataclass(frozen=True, slots=True)
class AveragePrecisionOverHits(AveragePrecisionAtK):
    """AP@k divided by the hits above k; 0 without hits."""

    additive: ClassVar[bool] = False
    smooth: ClassVar[bool] = False

    def terminal(self, groups: HitGroups, frame: Frame) -> tuple[Array, Array]:
        """Divide by the hits above the cutoff, some of which may be in these groups."""
        counted = np.clip(frame.cut - groups.above, 0, groups.size)
        if self.ties == "expected":
            return mean_over_hits(groups, counted)
        found = groups.hits_above + hits_within(self.ties, groups, counted)
        gain = self._gain_of(groups, frame)
        found = np.where(found > 0, found, 1)
        return 1 / found, gain / found


def average_precision_at(
    k: float, normalize: str = "min", ties: str = "expected"
) -> AveragePrecisionAtK:
    """Return AP@k with one of its divisors."""
    kind = AveragePrecisionOverHits if normalize == "hits" else AveragePrecisionAtK
    return kind(ties=ties, k=k, normalize=normalize)


@dataclass(frozen=True, slots=True)
class _HitsAbove(_Named, ABC):
    """Hits above a cutoff, in any order, over a constant."""

    ordered: ClassVar[bool] = False

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Hits of the group above the cutoff."""
        groups = HitGroups(above, size, hits_above, hits)
        return hits_within(self.ties, groups, np.clip(frame.cut - above, 0, size))


@dataclass(frozen=True, slots=True)
class RPrecision(_HitsAbove):
    """Precision, and also recall, at the depth of the number of targets."""

    template: ClassVar[str] = "r_precision"

    def cut(self, shape: Any, n_targets: Array) -> Array:
        """Depth m, moved to the end of its tie group under "together"."""
        cut = np.minimum(n_targets, shape.n_scored)
        moves = self.ties == "together" and np.any(cut)
        return shape.group_end(cut) if moves else cut

    def reach(self, n_samples: int, n_targets: int) -> float:
        """Depth of the number of targets."""
        return n_targets

    def divisor(self, frame: Frame) -> Array:
        """Return the depth; there are no hits beyond the scored items."""
        return np.maximum(frame.cut, frame.n_targets)


@dataclass(frozen=True, slots=True)
class _HitsAtT(_HitsAbove, ABC):
    """Hits in the top t, over a constant."""

    t: float = 1

    cutoff: ClassVar[str | None] = "t"
    checks: ClassVar[Checks] = {"t": check_cutoff}


@dataclass(frozen=True, slots=True)
class RecallAtT(_HitsAtT):
    """Share of the targets in the top t."""

    template: ClassVar[str] = "recall@{0.t}"

    def divisor(self, frame: Frame) -> Array:
        """Return the number of targets."""
        return frame.n_targets


@dataclass(frozen=True, slots=True)
class CappedRecallAtT(RecallAtT):
    """Hits in the top t as a share of those of the best ranking, min(m, t)."""

    template: ClassVar[str] = "recall@{0.t}(normalize=min)"

    def divisor(self, frame: Frame) -> Array:
        """Return the number of targets, or the largest number above the cutoff."""
        return np.minimum(frame.n_targets, frame.cut)


def recall_at(
    t: float, normalize: str = "relevant", ties: str = "expected"
) -> RecallAtT:
    """Return recall at t with one of its divisors."""
    check_option("normalize", normalize, ("relevant", "min"))
    kind = CappedRecallAtT if normalize == "min" else RecallAtT
    return kind(t=t, ties=ties)


@dataclass(frozen=True, slots=True)
class PrecisionAtT(RecallAtT):
    """Share of targets in the top t."""

    template: ClassVar[str] = "precision@{0.t}"
    always_defined: ClassVar[bool] = True

    def divisor(self, frame: Frame) -> Array:
        """Return the depth of the cutoff."""
        return frame.cut


@dataclass(frozen=True, slots=True)
class EnrichmentFactor(RecallAtT):
    """EF: precision at t divided by the prevalence."""

    template: ClassVar[str] = "enrichment_factor@{0.t}"
    of_all_items: ClassVar[bool] = True

    @property
    def bounds(self) -> tuple[float, float]:
        """The bound increases as targets become rarer."""
        return 0.0, inf

    def divisor(self, frame: Frame) -> Array:
        """Return the expected number of hits at this depth under random selection."""
        return frame.n_targets * (frame.cut / frame.n_samples)


@dataclass(frozen=True, slots=True)
class ExtraRecordsFound(RecallAtT):
    """ERF: recall at t less the recall of random selection, t/n."""

    template: ClassVar[str] = "erf@{0.t}"
    of_all_items: ClassVar[bool] = True

    @property
    def bounds(self) -> tuple[float, float]:
        """All targets are in the top, or none is."""
        return -1.0, 1.0

    def offset(self, frame: Frame) -> Array:
        """Return the value if no item of the top t is a target."""
        return 0.0 - np.minimum(frame.cut, frame.n_samples) / frame.n_samples


@dataclass(frozen=True, slots=True)
class SpecificityAtT(_HitsAtT):
    """Share of the non-targets below the top t."""

    template: ClassVar[str] = "specificity@{0.t}"
    needs_both_classes: ClassVar[bool] = True
    of_all_items: ClassVar[bool] = True

    def divisor(self, frame: Frame) -> Array:
        """Return the number of non-targets; none are retrieved if there are none."""
        others = np.asarray(frame.n_samples - frame.n_targets)
        return np.where(others == 0, 1, others)[()]

    def offset(self, frame: Frame) -> Array:
        """Return the value if no item of the top t is a target."""
        retrieved = np.minimum(frame.cut, frame.n_samples - frame.n_missed)
        return 1.0 - retrieved / self.divisor(frame)


@dataclass(frozen=True, slots=True)
class ExpectedProfit(RecallAtT):
    """Benefit of the hits in the top t, less the cost of looking at t items."""

    benefit: float = 1.0
    cost: float = 0.0

    template: ClassVar[str] = (
        "expected_profit@{0.t}(benefit={0.benefit:.12g}, cost={0.cost:.12g})"
    )
    checks: ClassVar[Checks] = {
        "t": check_cutoff,
        "benefit": check_positive,
        "cost": check_not_negative,
    }
    always_defined: ClassVar[bool] = True

    @property
    def bounds(self) -> tuple[float, float]:
        """Profits increase with the number of items, and so do losses."""
        return -inf, inf

    def divisor(self, frame: Frame) -> Array:
        """Return the share of a hit in one unit of profit."""
        return 1 / self.benefit

    def offset(self, frame: Frame) -> Array:
        """Return the loss if no item of the top t is a target."""
        return 0.0 - self.cost * frame.cut

    def scaled(self, scale: float) -> Metric:
        """Divide benefit and cost, since the profit increases with the items."""
        return replace(self, benefit=self.benefit / scale, cost=self.cost / scale)


@dataclass(frozen=True, slots=True)
class ReciprocalRank(_Named):
    """RR: one divided by the rank of the first target."""

    counted_hits: ClassVar[int | None] = 1
    template: ClassVar[str] = "reciprocal_rank"
    smooth: ClassVar[bool] = False
    of_shares: ClassVar[bool] = False
    orders_ties: ClassVar[bool] = True

    @property
    def counts_ranks(self) -> bool:
        """The value depends on a rank."""
        return True

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """One over the rank, if the first hit of the ranking is in the group."""
        groups = HitGroups(*np.broadcast_arrays(above, size, hits_above, hits))
        first = (groups.hits_above == 0) & (groups.hits > 0)
        gain = np.zeros(first.shape)
        above, size = groups.above[first], groups.size[first]
        hits = groups.hits[first]
        if self.ties == "expected":
            gain[first] = first_hit_mean(above, size, hits)
        else:
            place = {"optimistic": 1, "pessimistic": size - hits + 1, "together": size}
            gain[first] = 1 / (above + place[self.ties])
        return gain

    def divisor(self, frame: Frame) -> Array:
        """The divisor is 1."""
        return 1.0


@dataclass(frozen=True, slots=True)
class NDCG(_Named):
    """NDCG: discounted gains of the targets, relative to all targets first."""

    template: ClassVar[str] = "ndcg"
    of_shares: ClassVar[bool] = False
    orders_ties: ClassVar[bool] = True

    @property
    def counts_ranks(self) -> bool:
        """A discount is that of a rank."""
        return True

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Sum of the discounts of the group's hits down to the cutoff."""
        if self.ties == "together":
            return hits * discounts(above + size - 1, 1) * (above < frame.cut)
        if self.ties == "expected":
            counted = np.clip(frame.cut - above, 0, size)
            return hits / size * discounts(above, counted)
        start = above if self.ties == "optimistic" else above + size - hits
        return discounts(start, np.clip(frame.cut - start, 0, hits))

    def divisor(self, frame: Frame) -> Array:
        """Return the sum of the discounts of the best ranking."""
        return discounts(0, np.minimum(frame.n_targets, frame.cut))[()]


@dataclass(frozen=True, slots=True)
class NDCGAtK(NDCG):
    """NDCG of the first k items."""

    k: float = 1

    template: ClassVar[str] = "ndcg@{0.k}"
    cutoff: ClassVar[str | None] = "k"
    checks: ClassVar[Checks] = {"k": check_cutoff}


def ndcg_at(k: float | None = None, ties: str = "expected") -> NDCG:
    """Return NDCG, down to a depth if it is given."""
    return NDCG(ties=ties) if k is None else NDCGAtK(ties=ties, k=k)


@dataclass(frozen=True, slots=True)
class RobustInitialEnhancement(_Named):
    """RIE: mean of exp(-alpha rank / n) over the targets, relative to chance.

    Ranks begin at 0 here, in numerator and denominator: the quotient is the same, and
    the weight of the first rank cannot underflow.
    """

    alpha: float = 20.0

    template: ClassVar[str] = "rie(alpha={0.alpha:g})"
    of_all_items: ClassVar[bool] = True
    checks: ClassVar[Checks] = {"alpha": check_positive}

    @property
    def bounds(self) -> tuple[float, float]:
        """The bound increases as targets become rarer."""
        return 0.0, inf

    @property
    def counts_ranks(self) -> bool:
        """All hits of a tie count as its last item, which must be a unit."""
        return self.ties == "together"

    def rate(self, frame: Frame) -> Array:
        """Decrease of the logarithm of the weight from one rank to the next."""
        return self.alpha / frame.n_samples

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Sum of the weights of the group's hits."""
        rate = self.rate(frame)
        if self.ties == "together":
            return hits * np.exp(-rate * (above + size - 1))
        if self.ties == "expected":
            return hits / size * geometric_sum(rate, above, size)
        start = above if self.ties == "optimistic" else above + size - hits
        return geometric_sum(rate, start, hits)

    def divisor(self, frame: Frame) -> Array:
        """Return the number of targets times the mean weight of a rank."""
        total = geometric_sum(self.rate(frame), 0, frame.n_samples)
        return frame.n_targets / frame.n_samples * total


@dataclass(frozen=True, slots=True)
class Bedroc(RobustInitialEnhancement):
    """BEDROC: RIE scaled to 0 for the worst ranking and 1 for the best."""

    template: ClassVar[str] = "bedroc(alpha={0.alpha:g})"
    needs_both_classes: ClassVar[bool] = True

    @property
    def bounds(self) -> tuple[float, float]:
        """The lower bound is below 0 if all hits of a tie count as its last rank."""
        return (-inf if self.ties == "together" else 0.0), 1.0

    def rate(self, frame: Frame) -> Array:
        """As for RIE; a smaller alpha would change BEDROC by less than rounding."""
        return max(self.alpha, 1e-8) / frame.n_samples

    def divisor(self, frame: Frame) -> Array:
        """Return the range of the sum of weights."""
        best = geometric_sum(self.rate(frame), 0, frame.n_targets)
        return best - self._worst(frame)

    def offset(self, frame: Frame) -> Array:
        """Return the value of a ranking with weight 0, the worst or below it."""
        return (0.0 - self._worst(frame)) / self.divisor(frame)

    def _worst(self, frame: Frame) -> Array:
        """Smallest sum of weights: all targets last, or without a rank if missed."""
        others = frame.n_samples - frame.n_targets
        last = geometric_sum(self.rate(frame), others, frame.n_targets)
        return last * np.equal(frame.n_missed, 0)


@dataclass(frozen=True, slots=True)
class LogAUC(Metric):
    """Area under the ROC curve, whose false positive rate is on a logarithmic axis.

    A target below f of n non-targets has the part of the axis from f/n to 1. In a tie
    the number of non-targets above a target is uniform. The other tie rules, and values
    of rankings of several sizes, are derived.
    """

    fpr: float = 0.001

    template: ClassVar[str] = "log_auc(fpr={0.fpr:.12g})"
    checks: ClassVar[Checks] = {"fpr": check_fraction}
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs_both_classes: ClassVar[bool] = True
    of_shares: ClassVar[bool] = True

    @property
    def counts_ranks(self) -> bool:
        """The value depends on whole numbers of non-targets."""
        return True

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Sum of the parts of the axis, in a tie their mean over the orders."""
        others = max(frame.n_samples - frame.n_targets, 1)
        first = np.maximum(above - np.asarray(hits_above, dtype=float), 0.0)
        tied = np.maximum(size - np.asarray(hits, dtype=float), 0.0)
        least = self.fpr * others
        single = np.log(np.maximum(first, least) / others)
        # from `start` on the logarithm of the number counts, and above it the least
        start = np.ceil(np.maximum(first, least))
        flat = np.clip(start - first, 0, tied + 1)
        logs = gammaln(first + tied + 1) - gammaln(np.maximum(start, 1))
        logs = np.where(flat > tied, 0.0, logs) - (tied + 1 - flat) * np.log(others)
        logs = (logs + flat * np.log(self.fpr)) / (tied + 1)
        return hits * (np.where(tied == 0, single, logs) / np.log(self.fpr))

    def divisor(self, frame: Frame) -> Array:
        """Return the number of targets."""
        return frame.n_targets
