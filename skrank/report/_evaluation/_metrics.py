"""The metrics that an evaluation can be asked for, and what each cannot do without.

The methods and the report read one table: a metric has the same value, or none for the
same reason, however it is asked for.
"""

from typing import NamedTuple

from skrank.metrics._definitions import (
    AveragePrecision,
    BreakevenPoint,
    MaxFScore,
    Metric,
    PrecisionAtT,
    RecallAtT,
    ReciprocalRank,
    RPrecision,
)
from skrank.metrics._definitions._curve import InterpolatedArea, RocArea
from skrank.metrics._evaluate import why_undefined
from skrank.ranking._ranking import Ranking

_LACKING = {"n_samples": "no scored items", "n_non_targets": "nothing but targets"}


class EvaluationMetric(NamedTuple):
    """A metric, and what it needs beside targets.

    `method` is the call that asks for it, where the metric has another name.
    """

    metric: Metric
    needed: str = "n_targets"
    method: str | None = None

    @property
    def call(self) -> str:
        """The call that asks for it."""
        return self.method or self.metric.name

    def why_undefined(self, ranking: Ranking) -> str | None:
        """Say why the metric has no value, if it has none."""
        reason = why_undefined(ranking)
        if reason is not None or getattr(ranking, self.needed):
            return reason
        return _LACKING[self.needed]


def plain_metrics(ties: str) -> dict[str, EvaluationMetric]:
    """Metrics that have no settings, under the names by which they are reported."""
    area = "precision_recall_area"
    return {
        "average_precision": EvaluationMetric(AveragePrecision(ties)),
        area: EvaluationMetric(AveragePrecision(ties), method=area),
        f"{area}_interpolated": EvaluationMetric(InterpolatedArea(rate="precision")),
        "roc_area": EvaluationMetric(RocArea(ties), "n_non_targets"),
        "roc_area_interpolated": EvaluationMetric(
            InterpolatedArea(rate="specificity"), "n_non_targets"
        ),
        "max_f_score": EvaluationMetric(MaxFScore()),
        "breakeven_point": EvaluationMetric(BreakevenPoint()),
        "r_precision": EvaluationMetric(RPrecision(ties)),
        "reciprocal_rank": EvaluationMetric(ReciprocalRank(ties)),
    }


def precision_at(ties: str, t: float) -> EvaluationMetric:
    """Precision at a depth."""
    metric = PrecisionAtT(ties, t)
    return EvaluationMetric(metric, "n_samples", f"precision_at({metric.t})")


def recall_at(ties: str, t: float) -> EvaluationMetric:
    """Recall at a depth."""
    metric = RecallAtT(ties, t)
    return EvaluationMetric(metric, "n_samples", f"recall_at({metric.t})")
