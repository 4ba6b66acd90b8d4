"""Two rankings of items that vary: influences, resampled items, swapped ranks."""

import math

import numpy as np
from numpy.typing import NDArray

from skrank._measures import Measure
from skrank._paired._evidence import Evidence
from skrank._paired._pair import PairedRankings

# What draws that are equal in words differ by; a swap that changes nothing is as
# extreme as what was observed.
_ROUNDING = 1e-12


def influence_error(pair: PairedRankings, measure: Measure) -> float:
    """Standard error of the difference, from the paired influences of the items."""
    raise NotImplementedError


def bootstrap_error(
    pair: PairedRankings, measure: Measure, n_resamples: int, rng: np.random.Generator
) -> float:
    """Standard deviation of the difference over resampled targets and others."""
    raise NotImplementedError


def swap_test(
    pair: PairedRankings,
    measure: Measure,
    alternative: str,
    n_resamples: int,
    rng: np.random.Generator,
) -> Evidence:
    """Place the difference among those of rankings that swap items at random."""
    raise NotImplementedError


def count_swaps(
    difference: float, draws: NDArray[np.float64], alternative: str
) -> Evidence:
    """P-value (C + 1) / (B + 1), and z-score by the spread around 0 of the draws."""
    slack = _ROUNDING * max(1.0, abs(difference))
    extreme = {
        "greater": draws >= difference - slack,
        "less": draws <= difference + slack,
        "two-sided": np.abs(draws) >= abs(difference) - slack,
    }[alternative]
    log_p = math.log((np.count_nonzero(extreme) + 1) / (draws.size + 1))
    spread = float(np.sqrt(np.mean(draws**2)))
    return Evidence(math.nan, difference / spread if spread > 0 else 0.0, log_p)
