"""Engine "normal": the asymptotic test of Zhang and Su (2012), for comparison.

Under random selection average precision is skewed to the right, strongly so where the
targets are rare, and the normal tail is then too small by orders of magnitude: it finds
what is not there. It is kept because it is what the literature reports.
"""

import math

from scipy.stats import norm

from skrank.null._centred import Tail


def tail(mean: float, variance: float, statistic: float, sign: int) -> Tail:
    """Normal tail beyond the z-score (Zhang and Su 2012, section II.B)."""
    distance = sign * (statistic - mean)
    if variance == 0.0:
        return Tail(0.0 if distance <= 1e-11 * abs(mean) else -math.inf)
    return Tail(float(norm.logsf(distance / math.sqrt(variance))))
