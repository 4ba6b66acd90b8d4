"""Curves of a ranking as data.

What comes in is a ranking; what goes out is where its hits are (`_hit_curve`), what
thresholds on the score retrieve (`_operating_points`). What random selection does to a
curve is a `_band` along it.
"""

from skrank.curves._band import CurveBand, spread_counts
from skrank.curves._hit_curve import HitCurve, curve_of, hit_curve, in_fractions
from skrank.curves._operating_points import (
    OperatingPoints,
    operating_points,
    points_of,
)

__all__ = [
    "CurveBand",
    "HitCurve",
    "OperatingPoints",
    "curve_of",
    "hit_curve",
    "in_fractions",
    "operating_points",
    "points_of",
    "spread_counts",
]
