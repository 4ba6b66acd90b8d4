"""Engine "saddlepoint": the tail from the cumulant generating function in closed form.

K(u) = log E exp(u * excess) comes exactly from one tilted pass of the chain, ties and
all, so the tail needs only the root of K' and the formula of Lugannani and Rice (1980,
*Advances in Applied Probability* 12, 475-490), here in the form of Barndorff-Nielsen
(1986, *Biometrika* 73, 307-322), which differs from it little and is a probability
always. It is relative accuracy that this gives: p = 1e-300 costs no more than p = 0.1,
and no less is known of it. How much that is, it does not say: "inversion" does.
"""

import math

import numpy as np
from scipy.stats import norm

from skrank.null._excess import Cumulants, Tail
from skrank.null._tilting import Solution, newton

_NEAR = 0.1  # signed roots below which the correction is interpolated


def tail(solution: Solution) -> Tail:
    """Probability that the excess is at least zero."""
    cumulants_at = solution.finely(solution.tilt)
    start = cumulants_at(solution.tilt)
    tilt, found = newton(cumulants_at, start, tolerance=1e-7, tilt=solution.tilt)
    root = _signed_root(tilt, found)
    if abs(root) > _NEAR:
        correction = _correction(tilt, found)
    else:  # a quotient of two small numbers
        width = 2 * _NEAR / math.sqrt(found.curvature)
        ends = [(u, cumulants_at(u)) for u in (-width, width)]
        roots = [_signed_root(*end) for end in ends]
        correction = float(np.interp(root, roots, [_correction(*end) for end in ends]))
    return Tail(min(0.0, float(norm.logsf(root + correction))))


def _signed_root(tilt: float, cumulants: Cumulants) -> float:
    """Return w = sign(u) sqrt(2 (u K'(u) - K(u)))."""
    value, slope, _ = cumulants
    return math.copysign(math.sqrt(max(0.0, 2 * (tilt * slope - value))), tilt)


def _correction(tilt: float, cumulants: Cumulants) -> float:
    """log(v / w) / w with v = u sqrt(K''(u)), beyond w + which the tail is normal."""
    root = _signed_root(tilt, cumulants)
    scaled = tilt * math.sqrt(cumulants.curvature)
    # the tilted law may be a single path, without any spread
    return math.log(scaled / root) / root if scaled * root > 0 else 0.0
