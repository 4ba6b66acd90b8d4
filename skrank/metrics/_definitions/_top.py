"""Hits among the top t: recall, precision, enrichment. Their order does not matter."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from skrank._utils._checks import check_cutoff
from skrank.metrics._definitions._measure import Checks, Frame, Measure, Shape
from skrank.metrics._definitions._tie_sums import Array, hits_within
from skrank.ranking._ranking import HitGroups


@dataclass(frozen=True, slots=True)
class _HitsAbove(Measure):
    """Hits above a cutoff, in whatever order, over a constant."""

    ordered: ClassVar[bool] = False

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Hits of the group above the cutoff."""
        groups = HitGroups(above, size, hits_above, hits)
        return hits_within(self.ties, groups, np.clip(frame.cut - above, 0, size))


@dataclass(frozen=True, slots=True)
class RPrecision(_HitsAbove):
    """Precision, and recall, at the depth of the number of targets."""

    template: ClassVar[str] = "r_precision"

    def cut(self, shape: Shape, n_targets: float) -> float:
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

    template: ClassVar[str] = "recall@{0.t}"
    cutoff: ClassVar[str | None] = "t"
    checks: ClassVar[Checks] = {"t": check_cutoff}

    def divisor(self, frame: Frame) -> float:
        """Return the number of targets."""
        return frame.n_targets


@dataclass(frozen=True, slots=True)
class PrecisionAtT(RecallAtT):
    """Share of targets among the top t."""

    template: ClassVar[str] = "precision@{0.t}"

    def divisor(self, frame: Frame) -> float:
        """Return the depth of the cutoff."""
        return frame.cut


@dataclass(frozen=True, slots=True)
class EnrichmentFactor(RecallAtT):
    """EF: how many times the prevalence the precision at t is."""

    template: ClassVar[str] = "enrichment_factor@{0.t}"

    @property
    def bounds(self) -> tuple[float, float]:
        """The rarer the targets, the larger."""
        return 0.0, inf

    def divisor(self, frame: Frame) -> float:
        """Return the hits that a top of this depth has by chance."""
        return frame.n_targets * (frame.cut / frame.n_samples)
