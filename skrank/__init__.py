"""Ranking metrics for rare targets, and tests of rankings against random selection.

All public names are here; the page of the API has them by subject.
"""

from skrank.curves._band import CurveBand
from skrank.curves._gains_table import GainsTable
from skrank.curves._hit_curve import HitCurve, hit_curve
from skrank.curves._operating_points import OperatingPoints, operating_points
from skrank.displays._hit_curve import HitCurveDisplay
from skrank.displays._null_distribution import NullDistributionDisplay
from skrank.displays._precision_recall import PrecisionRecallDisplay
from skrank.displays._ranking_comparison import RankingComparisonDisplay
from skrank.displays._ranking_monitor import RankingMonitorDisplay
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.base._interval_table import MetricIntervalTable
from skrank.inference.comparison._leaderboard import RankingLeaderboard
from skrank.inference.comparison._ranking_comparison import RankingComparison
from skrank.inference.comparison._ranking_comparison_result import (
    RankingComparisonResult,
    RankingComparisonTable,
)
from skrank.inference.intervals._hit_curve_band import hit_curve_band
from skrank.inference.intervals._metric_interval import MetricInterval
from skrank.inference.intervals._metric_interval_result import MetricIntervalResult
from skrank.inference.monitor._monitor import RankingMonitor
from skrank.inference.monitor._monitor_result import RankingMonitorResult
from skrank.inference.planning._power import comparison_power, random_selection_power
from skrank.inference.planning._power_result import PowerResult
from skrank.inference.random_selection._random_selection import RandomSelectionTest
from skrank.inference.random_selection._random_selection_result import (
    RandomSelectionResult,
)
from skrank.inference.random_selection._scorer import make_metric_scorer
from skrank.inference.sampled._interval import SampledMetricInterval
from skrank.inference.sampled._labels_to_collect import (
    labels_to_collect,
    labels_to_compare,
)
from skrank.inference.sampled._result import SampledMetricResult
from skrank.inference.sampled._review import ReviewProgress
from skrank.inference.search._search_selection import SearchSelectionTest
from skrank.inference.search._search_selection_result import SearchSelectionResult
from skrank.inference.search._within_noise import within_noise
from skrank.inference.thresholds._threshold_choice import ThresholdChoice
from skrank.inference.thresholds._threshold_choice_result import ThresholdChoiceResult
from skrank.metrics import (
    average_precision,
    average_precision_at_k,
    bedroc,
    breakeven_point,
    enrichment_factor,
    expected_profit,
    k_at_recall,
    ks_statistic,
    log_auc,
    max_f_score,
    ndcg,
    precision_at_recall,
    precision_at_t,
    r_precision,
    recall_at_precision,
    recall_at_t,
    reciprocal_rank,
    rie,
    specificity_at_t,
    wss,
)
from skrank.metrics._definitions import Metric, make_metric
from skrank.metrics._ranking_evaluation import RankingEvaluation
from skrank.metrics._scorers import (
    make_average_precision_at_k_scorer,
    make_average_precision_scorer,
    make_precision_at_t_scorer,
    make_recall_at_t_scorer,
)
from skrank.null import RandomSelectionNull
from skrank.ranking._counts import RankCounts
from skrank.ranking._ranking import Ranking
from skrank.ranking._rankings import Rankings
from skrank.report._metric_report import MetricReport
from skrank.report._report import RankingReport
from skrank.report._result import RankingReportResult

__version__ = "1.0.0rc1"

__all__ = [
    "ConfidenceInterval",
    "CurveBand",
    "GainsTable",
    "HitCurve",
    "HitCurveDisplay",
    "Metric",
    "MetricInterval",
    "MetricIntervalResult",
    "MetricIntervalTable",
    "MetricReport",
    "NullDistributionDisplay",
    "OperatingPoints",
    "PowerResult",
    "PrecisionRecallDisplay",
    "RandomSelectionNull",
    "RandomSelectionResult",
    "RandomSelectionTest",
    "RankCounts",
    "Ranking",
    "RankingComparison",
    "RankingComparisonDisplay",
    "RankingComparisonResult",
    "RankingComparisonTable",
    "RankingEvaluation",
    "RankingLeaderboard",
    "RankingMonitor",
    "RankingMonitorDisplay",
    "RankingMonitorResult",
    "RankingReport",
    "RankingReportResult",
    "Rankings",
    "ReviewProgress",
    "SampledMetricInterval",
    "SampledMetricResult",
    "SearchSelectionResult",
    "SearchSelectionTest",
    "ThresholdChoice",
    "ThresholdChoiceResult",
    "average_precision",
    "average_precision_at_k",
    "bedroc",
    "breakeven_point",
    "comparison_power",
    "enrichment_factor",
    "expected_profit",
    "hit_curve",
    "hit_curve_band",
    "k_at_recall",
    "ks_statistic",
    "labels_to_collect",
    "labels_to_compare",
    "log_auc",
    "make_average_precision_at_k_scorer",
    "make_average_precision_scorer",
    "make_metric",
    "make_metric_scorer",
    "make_precision_at_t_scorer",
    "make_recall_at_t_scorer",
    "max_f_score",
    "ndcg",
    "operating_points",
    "precision_at_recall",
    "precision_at_t",
    "r_precision",
    "random_selection_power",
    "recall_at_precision",
    "recall_at_t",
    "reciprocal_rank",
    "rie",
    "specificity_at_t",
    "within_noise",
    "wss",
]
