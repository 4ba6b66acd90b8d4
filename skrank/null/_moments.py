"""Exact mean and variance under random selection.

Any measure and any ties: one plain pass of the chain, O(n_groups * m). For average
precision without ties, in full or down to a cut, there is a closed form, O(1).
"""

import numpy as np
from scipy.special import digamma, zeta

from skrank._measures import AveragePrecision, AveragePrecisionOverHits
from skrank.null._chain import Chain


def moments(chain: Chain) -> tuple[float, float]:
    """Mean and variance of the measure; both exact but for rounding."""
    is_sum = isinstance(chain.measure, AveragePrecision) and not isinstance(
        chain.measure, AveragePrecisionOverHits
    )
    untied = chain.ends.size == chain.ends[-1]
    mean, variance = _untied_moments(chain) if is_sum and untied else chain.moments()
    # where ties leave luck no choice, rounding alone would be left
    return mean, variance if variance > (1e-11 * mean) ** 2 else 0.0


def _untied_moments(chain: Chain) -> tuple[float, float]:
    """Moments of (sum of h(t)/t over the hits down to the cut) / divisor.

    The sum is one of products of labels over pairs of places, so its second moment
    needs the chances that 1 to 4 given places hold targets; D collects the terms of one
    hit, O those of two.
    """
    n, m, cut = chain.n_samples, chain.n_targets, int(chain.frame.cut)
    # chance of a further target at a place, given that 1, 2, 3 others hold one
    second, third, fourth = ((m - i) / max(n - i, 1) for i in (1, 2, 3))
    one = m / n
    h1 = float(np.euler_gamma + digamma(cut + 1))
    h2 = float(zeta(2) - zeta(2, cut + 1))
    mean = one * (h1 + second * (cut - h1))
    pairs = (h1**2 - h2) / 2
    single = one * (h2 + 3 * second * (h1 - h2))
    single += one * second * third * (cut - 3 * h1 + 2 * h2)
    double = 2 * pairs
    double += third * (3 * (cut - h1) + cut * h1 - cut - 5 * pairs)
    double += (
        third
        * fourth
        * (cut * (cut - 1) / 2 - 3 * (cut - h1) - (cut * h1 - cut) + 3 * pairs)
    )
    double *= 2 * one * second
    divisor = chain.measure.divisor(chain.frame)
    return mean / divisor, max(0.0, single + double - mean**2) / divisor**2
