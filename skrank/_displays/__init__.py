"""Pictures, one display a file. Nothing else in the package draws."""

from skrank._displays._hit_curve import HitCurveDisplay
from skrank._displays._lift import LiftDisplay
from skrank._displays._null_distribution import NullDistributionDisplay
from skrank._displays._ranking_comparison import RankingComparisonDisplay
from skrank._displays._recall_precision import RecallPrecisionDisplay

__all__ = [
    "HitCurveDisplay",
    "LiftDisplay",
    "NullDistributionDisplay",
    "RankingComparisonDisplay",
    "RecallPrecisionDisplay",
]
