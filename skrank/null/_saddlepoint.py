"""Engine "saddlepoint": the tail from the cumulant generating function.

K(u) = log E exp(u * excess) comes exactly from one tilted pass of the chain, ties and
all, so the tail needs only the root of K' and the formula of Lugannani and Rice (1980,
*Advances in Applied Probability* 12, 475-490), here in the form of Barndorff-Nielsen
(1986, *Biometrika* 73, 307-322), which differs from it little and is a probability
always. It is relative accuracy that this gives: p = 1e-300 costs no more than p = 0.1,
and no less is known of it.
"""

import math

import numpy as np
from scipy.stats import norm

from skrank.null._chain import Chain, Excess, Tail

_MAX_PASSES = 60
_NEAR = 0.1  # signed roots below which the correction is interpolated

Cumulants = tuple[float, float, float]


def tail(chain: Chain, statistic: float, sign: int) -> Tail:
    """P(value >= statistic), or <= with sign -1; exact at the ends of the support."""
    chain = chain.coarse
    excess = Excess(chain, statistic, sign)
    most, log_most = excess.maximum()
    least = -Excess(chain, statistic, -sign).maximum()[0]
    if most < -excess.slack:
        return Tail(-math.inf, (-math.inf, -math.inf))
    if least >= -excess.slack:
        return Tail(0.0, (0.0, 0.0))
    if most <= excess.slack:
        return Tail(log_most, (log_most, log_most))
    tilt, cumulants = _solve(excess)
    return Tail(min(0.0, _tail_at(excess, tilt, cumulants)))


def _solve(excess: Excess) -> tuple[float, Cumulants]:
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
        newton = slope / curvature if curvature > 0 else math.copysign(math.inf, slope)
        tilt = _next_tilt(tilt, newton, low, high)
        cumulants = excess.cumulants(tilt)
    return tilt, cumulants


def _next_tilt(tilt: float, newton: float, low: float, high: float) -> float:
    """Newton's step, at most a doubling outside the bracket, a halving inside it."""
    reach = 1.0 + 2.0 * abs(tilt)
    step = tilt - max(-reach, min(reach, newton))
    if low < step < high:
        return step
    return (low + high) / 2


def _tail_at(excess: Excess, tilt: float, cumulants: Cumulants) -> float:
    """Logarithm of the tail probability from the tilt that centres the excess at 0.

    With the signed root w = sign(u) sqrt(2 (u K'(u) - K(u))) and v = u sqrt(K''(u)) the
    tail is that of a normal variable beyond w + log(v/w) / w. Near w = 0 the correction
    is a quotient of two small numbers, so there it is interpolated.
    """
    root = _signed_root(tilt, cumulants)
    if abs(root) > _NEAR:
        return float(norm.logsf(root + _correction(tilt, cumulants)))
    width = 2 * _NEAR / math.sqrt(cumulants[2])
    ends = [(u, excess.cumulants(u)) for u in (-width, width)]
    roots = [_signed_root(*end) for end in ends]
    correction = np.interp(root, roots, [_correction(*end) for end in ends])
    return float(norm.logsf(root + correction))


def _signed_root(tilt: float, cumulants: Cumulants) -> float:
    value, slope, _ = cumulants
    return math.copysign(math.sqrt(max(0.0, 2 * (tilt * slope - value))), tilt)


def _correction(tilt: float, cumulants: Cumulants) -> float:
    root = _signed_root(tilt, cumulants)
    scaled = tilt * math.sqrt(cumulants[2])
    # the tilted law may be a single path, without any spread
    return math.log(scaled / root) / root if scaled * root > 0 else 0.0
