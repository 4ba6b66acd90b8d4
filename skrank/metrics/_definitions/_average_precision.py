"""Average precision, in full and down to a cutoff."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from skrank._utils._checks import NORMALIZE, check_cutoff, check_option
from skrank.metrics._definitions._measure import Checks, Frame, Measure
from skrank.metrics._definitions._tie_sums import (
    Array,
    expected_precisions,
    hits_within,
    mean_over_hits,
    run_precisions,
    whole_precisions,
)
from skrank.ranking._ranking import HitGroups


@dataclass(frozen=True, slots=True)
class AveragePrecision(Measure):
    """AP: the mean over the targets of the precision at their ranks."""

    template: ClassVar[str] = "average_precision"
    orders_ties: ClassVar[bool] = True

    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Sum of the precisions of the group's hits down to the cutoff."""
        if self.ties == "threshold":
            return whole_precisions(above, size, hits_above, hits) * (above < frame.cut)
        if self.ties == "expected":
            # as np.clip, which takes three times as long for short rankings
            counted = np.minimum(np.maximum(frame.cut - above, 0), size)
            return expected_precisions(above, size, hits_above, hits, counted)
        start = above if self.ties == "optimistic" else above + size - hits
        counted = np.clip(frame.cut - start, 0, hits)
        return run_precisions(start, hits_above, counted)

    def divisor(self, frame: Frame) -> float:
        """Return the number of targets."""
        return frame.n_targets


@dataclass(frozen=True, slots=True)
class AveragePrecisionAtK(AveragePrecision):
    """AP@K with a constant divisor: the targets, or those that fit above K."""

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

    def divisor(self, frame: Frame) -> float:
        """Return the number of targets, or the most that can stand above the cutoff."""
        most = frame.cut if self.normalize == "min" else frame.n_targets
        return min(frame.n_targets, most)


@dataclass(frozen=True, slots=True)
class AveragePrecisionOverHits(AveragePrecisionAtK):
    """AP@K divided by the hits found above K; 0 where none is found."""

    additive: ClassVar[bool] = False
    smooth: ClassVar[bool] = False

    @property
    def pairwise(self) -> bool:
        """The divisor is not constant."""
        return False

    def terminal(self, groups: HitGroups, frame: Frame) -> tuple[Array, Array]:
        """Divide by the hits above the cutoff, part of which may be in these groups."""
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
    """AP@K with one of its divisors."""
    kind = AveragePrecisionOverHits if normalize == "hits" else AveragePrecisionAtK
    return kind(ties, k=k, normalize=normalize)
