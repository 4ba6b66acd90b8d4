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

_LACKING = {"n_samples": "no scored items", "n_others": "nothing but targets"}


class Asked(NamedTuple):
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


def plain_figures(ties: str) -> dict[str, Asked]:
    """Figures that have no settings, under the names by which they are reported."""
    area = "recall_precision_area"
    return {
        "average_precision": Asked(AveragePrecision(ties)),
        area: Asked(AveragePrecision(ties), method=area),
        f"{area}_interpolated": Asked(InterpolatedArea("precision")),
        "roc_area": Asked(RocArea(ties), "n_others"),
        "roc_area_interpolated": Asked(InterpolatedArea("specificity"), "n_others"),
        "max_f_score": Asked(MaxFScore()),
        "breakeven_point": Asked(BreakevenPoint()),
        "r_precision": Asked(RPrecision(ties)),
        "reciprocal_rank": Asked(ReciprocalRank(ties)),
    }


def precision_at(ties: str, t: float) -> Asked:
    """Precision at a depth."""
    figure = PrecisionAtT(ties, t)
    return Asked(figure, "n_samples", f"precision_at({figure.t})")


def recall_at(ties: str, t: float) -> Asked:
    """Recall at a depth."""
    figure = RecallAtT(ties, t)
    return Asked(figure, "n_samples", f"recall_at({figure.t})")
