"""Early recognition: the first hit alone, or all with exponentially falling weight."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from skrank._utils._checks import check_positive
from skrank.metrics._definitions._measure import Checks, Frame, Measure
from skrank.metrics._definitions._tie_sums import Array, first_hit_mean, geometric_sum
from skrank.ranking._ranking import HitGroups


@dataclass(frozen=True, slots=True)
class ReciprocalRank(Measure):
    """RR: one over the rank of the first target."""

    counted_hits: ClassVar[int | None] = 1
    template: ClassVar[str] = "reciprocal_rank"
    smooth: ClassVar[bool] = False
    orders_ties: ClassVar[bool] = True

    @property
    def counts_ranks(self) -> bool:
        """The value is one over a rank."""
        return True

    @property
    def pairwise(self) -> bool:
        """Whether a hit counts depends on all above it."""
        return False

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
            place = {"optimistic": 1, "pessimistic": size - hits + 1, "threshold": size}
            gain[first] = 1 / (above + place[self.ties])
        return gain

    def divisor(self, frame: Frame) -> float:
        """Nothing is divided."""
        return 1.0


@dataclass(frozen=True, slots=True)
class RobustInitialEnhancement(Measure):
    """RIE: mean of exp(-alpha rank / n) over the targets, relative to that by chance.

    All ranks are counted from 0 here, above and below the line: the quotient is the
    same, and the weight of the first rank cannot underflow.
    """

    alpha: float = 20.0

    template: ClassVar[str] = "rie(alpha={0.alpha:g})"
    checks: ClassVar[Checks] = {"alpha": check_positive}

    @property
    def bounds(self) -> tuple[float, float]:
        """The rarer the targets, the larger."""
        return 0.0, inf

    @property
    def counts_ranks(self) -> bool:
        """All hits of a tie count as its last item, which a unit must be."""
        return self.ties == "threshold"

    def rate(self, frame: Frame) -> float:
        """By what the logarithm of the weight falls from one rank to the next."""
        return self.alpha / frame.n_samples

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Sum of the weights of the group's hits."""
        rate = self.rate(frame)
        if self.ties == "threshold":
            return hits * np.exp(-rate * (above + size - 1))
        if self.ties == "expected":
            return hits / size * geometric_sum(rate, above, size)
        start = above if self.ties == "optimistic" else above + size - hits
        return geometric_sum(rate, start, hits)

    def divisor(self, frame: Frame) -> float:
        """Return the number of targets times the mean weight of a rank."""
        total = geometric_sum(self.rate(frame), 0, frame.n_samples)
        return float(frame.n_targets / frame.n_samples * total)


@dataclass(frozen=True, slots=True)
class Bedroc(RobustInitialEnhancement):
    """BEDROC: RIE on the scale from the worst ranking, 0, to the best, 1."""

    template: ClassVar[str] = "bedroc(alpha={0.alpha:g})"

    @property
    def bounds(self) -> tuple[float, float]:
        """A tie whose hits all count as its last rank can be worse than the worst."""
        return (-inf if self.ties == "threshold" else 0.0), 1.0

    def rate(self, frame: Frame) -> float:
        """As of RIE; a smaller alpha would change BEDROC by less than rounding."""
        return max(self.alpha, 1e-8) / frame.n_samples

    def divisor(self, frame: Frame) -> float:
        """Return the range of the sum of weights."""
        best = geometric_sum(self.rate(frame), 0, frame.n_targets)
        return float(best - self._worst(frame))

    def offset(self, frame: Frame) -> float:
        """Return the value of a ranking without weight, the worst or below it."""
        return (0.0 - self._worst(frame)) / self.divisor(frame)

    def _worst(self, frame: Frame) -> float:
        """Least sum of weights: all targets last, or nowhere if they can be missed."""
        if frame.n_missed:
            return 0.0
        others = frame.n_samples - frame.n_targets
        return float(geometric_sum(self.rate(frame), others, frame.n_targets))
