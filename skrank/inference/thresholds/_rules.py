"""Intervals of a chosen threshold, and of what is expected of it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skrank.inference.variability._interval_rules import (
    CertainRule,
    StudentRule,
    WidestRule,
)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRule:
    """Interval of quantiles of drawn values, each of which is one of them.

    The lower limit is a quantile of `lows`, the upper one of `highs`.
    """

    estimate: float
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return limits with equal tails."""
        outside = (1 - confidence_level) / 2
        at = ((self.lows, outside), (self.highs, 1 - outside))
        low, high = (np.quantile(*one, method="inverted_cdf") for one in at)
        return float(low), float(high)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnDepthRule:
    """Interval of the quantiles of drawn depths, and of their mirror images.

    The mirror is the estimate, on the scale of the square root, on which a count varies
    alike at all sizes. Quantiles alone miss depths that are deeper than those of few
    days: in `benchmarks/profit.py` they hold .78 to .93 of the depths for .95.
    """

    estimate: float
    values: NDArray[np.intp]
    most: float

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return the limits."""
        outside = (1 - confidence_level) / 2
        limits = np.quantile(self.values, [outside, 1 - outside], method="inverted_cdf")
        mirrored = np.maximum(0, 2 * math.sqrt(self.estimate) - np.sqrt(limits)) ** 2
        low, high = min(limits[0], mirrored[1]), max(limits[1], mirrored[0])
        return float(low), float(min(high, self.most))


@dataclass(frozen=True, slots=True, eq=False)
class PromisedRule:
    """Value with a one-sided limit, which is that of a promise at its own level."""

    estimate: float
    limit: Callable[[float], float]

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return the limit for a doubt of one less the level, and 1."""
        return self.limit(1 - confidence_level), 1.0


ChoiceRule = (
    CertainRule | StudentRule | WidestRule | DrawnRule | DrawnDepthRule | PromisedRule
)
