"""Two rankings of items that vary: influences, resampled items, swapped ranks."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skrank._utils._rounding import ROUNDING
from skrank.inference._paired._pair import PairedRankings, values_of
from skrank.inference._paired._paired_result import PairedResult
from skrank.inference._variability._pair import (
    difference_error,
    pair_of,
    pair_of_ranks,
    paired_bootstrap,
    swapped_differences,
)
from skrank.inference._variability._resampling import Engine
from skrank.metrics._definitions import Measure, Metric

Floats = NDArray[np.float64]
# Draws differences, so many of them, by an engine that draws some with a generator.
Draw = Callable[[Engine], Floats]


def jackknife_error(pair: PairedRankings, measure: Measure) -> float:
    """Standard error of the difference, from the paired influences of the items."""
    return difference_error(measure, pair_of(*pair.inputs, pair.rankings))


def freedom_of_error(errors: list[float], pairs: list[PairedRankings]) -> float:
    """Degrees of freedom of a standard error, put together from those of data sets.

    Of one data set they are those of its fewer targets or non-targets; of several those
    of a sum of variances (Satterthwaite 1946). Infinite where nothing varies.
    """
    fewest = [
        min(pair.targets.size, pair.n_samples - pair.targets.size) for pair in pairs
    ]
    variances = np.square(errors)
    noise = float((variances**2 / np.maximum(np.array(fewest) - 1, 1)).sum())
    return float(variances.sum() ** 2 / noise) if noise > 0 else math.inf


def bootstrap_error(pair: PairedRankings, measure: Metric, draw: Draw) -> float:
    """Standard deviation of the difference over resampled targets and non-targets."""
    both = pair_of(*pair.inputs, pair.rankings)
    return float(draw(paired_bootstrap(measure, both)).std(ddof=1))


def swap_test(
    pair: PairedRankings, measure: Metric, alternative: str, draw: Draw
) -> PairedResult:
    """Place the difference among those of rankings that swap items at random."""
    both = pair_of_ranks(*pair.inputs)
    draws = draw(swapped_differences(measure, both))
    found = values_of([pair], measure)
    return count_swaps(found.difference, draws, alternative, found.scale)


def count_swaps(
    difference: float, draws: Floats, alternative: str, scale: float
) -> PairedResult:
    """P-value (C + 1) / (B + 1), and z-score by the spread around 0 of the draws.

    A swap that changes nothing is as extreme as what was observed. `scale` is the
    value of a perfect data set.
    """
    slack = ROUNDING * scale
    extreme = {
        "greater": draws >= difference - slack,
        "less": draws <= difference + slack,
        "two-sided": np.abs(draws) >= abs(difference) - slack,
    }[alternative]
    log_p = math.log((np.count_nonzero(extreme) + 1) / (draws.size + 1))
    spread = float(np.sqrt(np.mean(draws**2)))
    if spread <= slack:  # no swap made a difference
        return PairedResult(math.nan, 0.0 if difference == 0 else math.nan, log_p)
    return PairedResult(math.nan, difference / spread, log_p)
