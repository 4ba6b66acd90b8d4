"""Engine "saddlepoint": the tail from the cumulant generating function.

K(u) = log E exp(u * excess) comes exactly from one tilted pass of the chain, ties and
all, so the tail needs only the root of K' and the formula of Lugannani and Rice (1980,
*Advances in Applied Probability* 12, 475-490). It is relative accuracy that this gives:
p = 1e-300 costs no more than p = 0.1, and no less is known of it.
"""

import math

from scipy.special import erfcx

from skrank.null._chain import Chain, Excess

_MAX_PASSES = 60


def log_tail(chain: Chain, statistic: float, sign: int) -> float:
    """Logarithm of P(value >= statistic), or <= with sign -1."""
    excess = Excess(chain, statistic, sign)
    most, log_most = excess.maximum()
    least = -Excess(chain, statistic, -sign).maximum()[0]
    if most < -excess.slack:
        return -math.inf
    if least >= -excess.slack:
        return 0.0
    if most <= excess.slack:
        return log_most
    tilt, cumulants = _solve(excess)
    return min(0.0, max(log_most, _lugannani_rice(excess, tilt, cumulants)))


def _solve(excess: Excess) -> tuple[float, tuple[float, float, float]]:
    """Root of K', by Newton's steps kept inside a bracket.

    K' increases from the least excess to the largest, which have opposite signs, so the
    root exists and is unique.
    """
    low, high = -math.inf, math.inf
    tilt, cumulants = 0.0, excess.cumulants(0.0)
    for _ in range(_MAX_PASSES):
        _, slope, curvature = cumulants
        if abs(slope) <= 1e-7 * math.sqrt(curvature):
            break
        low, high = (tilt, high) if slope < 0 else (low, tilt)
        tilt = _next_tilt(tilt, slope / curvature, low, high)
        cumulants = excess.cumulants(tilt)
    return tilt, cumulants


def _next_tilt(tilt: float, newton: float, low: float, high: float) -> float:
    """Newton's step, at most a doubling outside the bracket, a halving inside it."""
    reach = 1.0 + 2.0 * abs(tilt)
    step = tilt - max(-reach, min(reach, newton))
    if low < step < high:
        return step
    return (low + high) / 2


def _lugannani_rice(
    excess: Excess, tilt: float, cumulants: tuple[float, float, float]
) -> float:
    """Logarithm of the tail probability from the tilt that centres the excess at 0."""
    value, _, curvature = cumulants
    root = math.copysign(math.sqrt(max(0.0, -2.0 * value)), tilt)
    scaled = tilt * math.sqrt(curvature)
    if abs(root) < 1e-3:
        return math.log(0.5 - _skewness(excess, curvature) / (6 * math.sqrt(2 * math.pi)))
    correction = 1 / scaled - 1 / root
    density = -root * root / 2 - math.log(2 * math.pi) / 2
    mills = math.sqrt(math.pi / 2) * float(erfcx(root / math.sqrt(2)))
    return density + math.log(mills + correction)


def _skewness(excess: Excess, curvature: float) -> float:
    """Skewness of the excess, from K'' on both sides of 0."""
    width = 1e-2 / math.sqrt(curvature)
    above, below = excess.cumulants(width)[2], excess.cumulants(-width)[2]
    return (above - below) / (2 * width) / curvature**1.5
