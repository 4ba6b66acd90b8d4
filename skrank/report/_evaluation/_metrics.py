"""The figures that an evaluation can be asked for, and what each cannot do without.

The methods and the report read one table: a figure has the same value, or none for the
same reason, however it is asked for.
"""

from typing import NamedTuple

from skrank.metrics._definitions import (
    AveragePrecision,
    PrecisionAtT,
    RecallAtT,
    ReciprocalRank,
)
from skrank.metrics._definitions._curve import (
    BreakevenPoint,
    InterpolatedArea,
    MaxFScore,
    RocArea,
    RPrecision,
)
from skrank.metrics._evaluate import Figure, why_undefined
from skrank.ranking._ranking import Ranking

_LACKING = {"n_samples": "no scored items", "n_non_targets": "nothing but targets"}


class EvaluationMetric(NamedTuple):
    """A figure, and what it needs beside targets.

    `method` is the call that asks for it, where the figure has another name.
    """

    figure: Figure
    needed: str = "n_targets"
    method: str | None = None

    @property
    def call(self) -> str:
        """The call that asks for it."""
        return self.method or self.figure.name

    def why_undefined(self, ranking: Ranking) -> str | None:
        """Say why the figure has no value, if it has none."""
        reason = why_undefined(ranking)
        if reason is not None or getattr(ranking, self.needed):
            return reason
        return _LACKING[self.needed]


def plain_metrics(ties: str) -> dict[str, EvaluationMetric]:
    """Figures that have no settings, under the names by which they are reported."""
    area = "precision_recall_area"
    return {
        "average_precision": EvaluationMetric(AveragePrecision(ties)),
        area: EvaluationMetric(AveragePrecision(ties), method=area),
        f"{area}_interpolated": EvaluationMetric(InterpolatedArea("precision")),
        "roc_area": EvaluationMetric(RocArea(ties), "n_non_targets"),
        "roc_area_interpolated": EvaluationMetric(
            InterpolatedArea("specificity"), "n_non_targets"
        ),
        "max_f_score": EvaluationMetric(MaxFScore()),
        "breakeven_point": EvaluationMetric(BreakevenPoint()),
        "r_precision": EvaluationMetric(RPrecision(ties)),
        "reciprocal_rank": EvaluationMetric(ReciprocalRank(ties)),
    }


def precision_at(ties: str, t: float) -> EvaluationMetric:
    """Precision at a depth."""
    figure = PrecisionAtT(ties, t)
    return EvaluationMetric(figure, "n_samples", f"precision_at({figure.t})")


def recall_at(ties: str, t: float) -> EvaluationMetric:
    """Recall at a depth."""
    figure = RecallAtT(ties, t)
    return EvaluationMetric(figure, "n_samples", f"recall_at({figure.t})")
