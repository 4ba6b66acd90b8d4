"""The path of every metric: check, rank, measure; and what to do without a value.

Whether a metric has a value depends on the ranking alone, and the answer where it has
none is the caller's to choose.
"""

import math
import warnings
from typing import Protocol

from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from skrank._counts import RankCounts
from skrank._ranking import Ranking
from skrank._source import ranking_of
from skrank._validation import check_undefined


class Figure(Protocol):
    """What can be read from a ranking: a measure, or a figure of its curve."""

    @property
    def name(self) -> str:
        """Name as printed, with its parameters."""

    def check_weights(self) -> None:
        """Refuse weights where they have no meaning."""

    def reach(self, n_samples: int, n_targets: int) -> float:
        """Depth below which tie groups may begin that are not asked for."""

    def value(self, ranking: Ranking) -> float:
        """Value of one ranking that has targets and others, or missed some."""


def evaluate(
    figure: Figure,
    y_true: ArrayLike | RankCounts,
    y_score: ArrayLike | None,
    pos_label: object,
    sample_weight: ArrayLike | None,
    n_missed: int,
    answer: float | str,
) -> float:
    """Check, rank, measure; a warning points at the caller of the metric."""
    check_undefined(answer)
    ranking = ranking_of(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        n_missed=n_missed,
        reach=figure.reach,
    )
    if ranking.weighted:
        figure.check_weights()
    reason = why_undefined(ranking)
    if reason is not None:
        return undefined(figure.name, reason, answer, stacklevel=3)
    return figure.value(ranking)


def why_undefined(ranking: Ranking) -> str | None:
    """Without targets there is nothing to find, with nothing else no way to miss."""
    if ranking.n_targets == 0:
        return "no targets"
    if ranking.n_others == 0 and ranking.n_missed == 0:
        return "nothing but targets"
    return None


def undefined_text(name: str, reason: str) -> str:
    """Say that a metric has no value, and why."""
    return f"{name} is undefined: `y_true` must hold targets and others; got {reason}."


def undefined(
    name: str, reason: str, undefined: float | str, *, stacklevel: int
) -> float:
    """Answer for a metric without a value; `stacklevel` 1 is the line of this call."""
    msg = undefined_text(name, reason)
    if undefined == "raise":
        raise ValueError(msg)
    answer = float(undefined)
    if math.isnan(answer):
        warnings.warn(msg, UndefinedMetricWarning, stacklevel=stacklevel + 1)
    return answer
