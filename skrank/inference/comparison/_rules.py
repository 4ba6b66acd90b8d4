"""Intervals of the difference of two values."""

import math
from dataclasses import dataclass

from scipy.stats import beta

from skrank._utils._rounding import ROUNDING
from skrank.inference.sampled._draws import SampleLimits
from skrank.inference.variability._interval_rules import (
    CertainRule,
    ModeratedRule,
    WidestRule,
)


@dataclass(frozen=True, slots=True)
class Loss:
    """What one model loses of the value `whole` of another: the share `lost`.

    `n_units` is the effective number of units that may be lost (Kish 1965), as some of
    them have more of the value.
    """

    lost: float
    n_units: float
    whole: float

    def beyond(self, outside: float) -> float:
        """Loss of other samples beyond that of this one.

        It is from the upper limit of the probability of a loss, that of a binomial
        share (Clopper and Pearson 1934), also for fractions of units.
        """
        kept = (1 - self.lost) * self.n_units
        if not kept > ROUNDING:
            return 0.0
        most = float(beta.isf(outside, self.lost * self.n_units + 1, kept))
        return (most - self.lost) * self.whole


@dataclass(frozen=True, slots=True)
class LossRule:
    """Interval of a difference by what each of two models may lose of the other.

    The difference can be smaller by the `loss` of A, and larger by the `gain`, which B
    loses. So no loss among few units is no proof that none is ever lost.
    """

    estimate: float
    loss: Loss
    gain: Loss

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return limits with equal tails."""
        outside = (1 - confidence_level) / 2
        return (
            self.estimate - self.loss.beyond(outside),
            self.estimate + self.gain.beyond(outside),
        )


@dataclass(frozen=True, slots=True)
class DifferenceRule:
    """Interval of the difference of two values by the intervals of both (MOVER).

    Each limit takes the distances of the limits of `a` and of `b` that lead to it, with
    the correlation of the two values (Zou and Donner 2008, *Statistics in Medicine* 27,
    1693-1702). The standard error of a difference is small where the values are small;
    their own intervals have the variance at the limits.
    """

    a: CertainRule | ModeratedRule
    b: CertainRule | ModeratedRule
    correlation: float

    @property
    def estimate(self) -> float:
        """The difference."""
        return self.a.estimate - self.b.estimate

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return the limits."""
        (low_a, high_a), (low_b, high_b) = (
            one.bounds(confidence_level) for one in (self.a, self.b)
        )
        down = self._reach(self.a.estimate - low_a, high_b - self.b.estimate)
        up = self._reach(high_a - self.a.estimate, self.b.estimate - low_b)
        return self.estimate - down, self.estimate + up

    def _reach(self, one: float, other: float) -> float:
        """Combine two distances from the estimates."""
        both = one**2 + other**2 - 2 * self.correlation * one * other
        return math.sqrt(max(both, 0.0))


PairRule = CertainRule | WidestRule | SampleLimits
