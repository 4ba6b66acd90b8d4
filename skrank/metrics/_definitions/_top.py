"""Hits among the top t: recall, precision, enrichment. Their order does not matter."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from skrank._utils._checks import TIES, check_cutoff, check_option
from skrank.metrics._definitions._measure import (
    Frame,
    ListShape,
    Measure,
    place_cut,
    reach_of,
)
from skrank.metrics._definitions._tie_sums import Array, hits_within
from skrank.ranking._ranking import HitGroups


@dataclass(frozen=True, slots=True)
class _HitsAbove(Measure):
    """Hits above a cutoff, in whatever order, over a constant."""

    ordered: ClassVar[bool] = False

    def gain(
        self,
        above: Array,
        size: Array,
        hits_above: Array,
        hits: Array,
        frame: Frame,
    ) -> Array:
        """Hits of the group above the cutoff."""
        groups = HitGroups(above, size, hits_above, hits)
        return hits_within(self.ties, groups, np.clip(frame.cut - above, 0, size))


@dataclass(frozen=True, slots=True)
class RPrecision(_HitsAbove):
    """Precision, and recall, at the depth of the number of targets."""

    @property
    def name(self) -> str:
        """Name as printed."""
        return "r_precision"

    def cut(self, shape: ListShape, n_targets: float) -> float:
        """Depth m, moved to the end of its tie group under "threshold"."""
        cut = min(n_targets, shape.n_scored)
        return shape.group_end(cut) if self.ties == "threshold" and cut else cut

    def reach(self, n_samples: int, n_targets: int) -> float:
        """Depth of the number of targets."""
        return n_targets

    def divisor(self, frame: Frame) -> float:
        """Return the depth; beyond the scored items there are no hits."""
        return max(frame.cut, frame.n_targets)


@dataclass(frozen=True, slots=True)
class RecallAtT(_HitsAbove):
    """Share of the targets among the top t."""

    t: float = 1

    def __post_init__(self) -> None:
        """Check the settings."""
        check_option("ties", self.ties, TIES)
        object.__setattr__(self, "t", check_cutoff("t", self.t))

    @property
    def name(self) -> str:
        """Name as printed, with the cutoff."""
        return f"recall@{self.t}"

    def cut(self, shape: ListShape, n_targets: float) -> float:
        """Depth t, moved to the end of its tie group under "threshold"."""
        return place_cut("t", self.t, self.ties, shape)

    def reach(self, n_samples: int, n_targets: int) -> float:
        """Depth t, or one more."""
        return reach_of(self.t, n_samples)

    def divisor(self, frame: Frame) -> float:
        """Return the number of targets."""
        return frame.n_targets


@dataclass(frozen=True, slots=True)
class PrecisionAtT(RecallAtT):
    """Share of targets among the top t."""

    @property
    def name(self) -> str:
        """Name as printed, with the cutoff."""
        return f"precision@{self.t}"

    def divisor(self, frame: Frame) -> float:
        """Return the depth of the cutoff."""
        return frame.cut


@dataclass(frozen=True, slots=True)
class EnrichmentFactor(RecallAtT):
    """EF: how many times the prevalence the precision at t is."""

    @property
    def name(self) -> str:
        """Name as printed, with the cutoff."""
        return f"enrichment_factor@{self.t}"

    @property
    def bounds(self) -> tuple[float, float]:
        """The rarer the targets, the larger."""
        return 0.0, inf

    def divisor(self, frame: Frame) -> float:
        """Return the hits that a top of this depth has by chance."""
        return frame.n_targets * (frame.cut / frame.n_samples)
