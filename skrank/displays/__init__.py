"""Pictures, one display a file. Nothing else in the package draws."""

from skrank.displays._hit_curve import HitCurveDisplay
from skrank.displays._lift import LiftDisplay
from skrank.displays._null_distribution import NullDistributionDisplay
from skrank.displays._precision_recall import PrecisionRecallDisplay
from skrank.displays._ranking_comparison import RankingComparisonDisplay

__all__ = [
    "HitCurveDisplay",
    "LiftDisplay",
    "NullDistributionDisplay",
    "PrecisionRecallDisplay",
    "RankingComparisonDisplay",
]
