"""What cases come to in one number: a method for each metric."""

import math

import numpy as np

from skrank._utils._checks import check_flag
from skrank._utils._warnings import warn
from skrank.curves import points_of
from skrank.metrics._definitions._curve import (
    InterpolatedPrecision,
    KAtRecall,
    MaxFScore,
    PrecisionAtRecall,
)
from skrank.metrics._evaluate import undefined_text
from skrank.report._evaluation._accumulator import Accumulator
from skrank.report._evaluation._metrics import (
    EvaluationMetric,
    plain_metrics,
    precision_at,
    recall_at,
)
from skrank.report._evaluation._text import MaxFScorePoint

_DEPTHS = (5, 10, 100)  # at which precision is reported, if the ranking is that long


class RankingMetrics(Accumulator):
    """Metrics of one ranking of all cases."""

    def precision_recall_area(self, interpolate: bool = False) -> float:
        """Area under precision as a step function of recall.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to take, at each recall, the best precision there is at that recall
            or a higher one. A tie is then retrieved whole.

        Returns
        -------
        area : float
            Between 0 and 1; not interpolated it is average precision.

        Raises
        ------
        ValueError
            If `interpolate` is not True or False.
        """
        return self._plain_value("precision_recall_area", interpolate)

    def average_precision(self) -> float:
        """Mean over the targets of the precision at their ranks.

        Returns
        -------
        average_precision : float
            As of :func:`skrank.average_precision`.
        """
        return self._plain_value("average_precision")

    def roc_area(self, interpolate: bool = False) -> float:
        """Area under specificity as a step function of recall, the ROC curve.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to take, at each recall, the best specificity there is at that
            recall or a higher one. A tie is then retrieved whole.

        Returns
        -------
        area : float
            Between 0 and 1, 0.5 by chance; not interpolated it is the share of the
            pairs of a target and an other in the right order. Of a tied pair "expected"
            counts half, as :func:`sklearn.metrics.roc_auc_score` does, "optimistic" all
            and the other rules nothing. A missed target is below all others.

        Raises
        ------
        ValueError
            If `interpolate` is not True or False.
        """
        return self._plain_value("roc_area", interpolate)

    def max_f_score(self, beta: float = 1.0) -> float:
        """Largest F-score of the operating points.

        Parameters
        ----------
        beta : float, default=1.0
            How many times as much recall counts as precision.

        Returns
        -------
        max_f_score : float
            As of :func:`skrank.max_f_score`.

        Raises
        ------
        ValueError
            If `beta` is not a finite number above 0.
        """
        return self._value(EvaluationMetric(MaxFScore(beta=beta)))

    def max_f_score_point(self, beta: float = 1.0) -> MaxFScorePoint:
        """Operating point of the largest F-score, the first if there are several.

        Parameters
        ----------
        beta : float, default=1.0
            How many times as much recall counts as precision.

        Returns
        -------
        point : MaxFScorePoint
            Threshold, and what it attains; NaN with a warning if no target was scored
            or there is nothing but targets.

        Raises
        ------
        ValueError
            If `beta` is not a finite number above 0.
        """
        score = EvaluationMetric(MaxFScore(beta=beta))
        reason = score.why_undefined(self._cases.ranking())
        if reason is None and self.n_targets == self.n_missed:
            reason = "no scored targets"
        if reason is not None:
            call = score.call.replace("score", "score_point", 1)
            warn(undefined_text(call, reason))
            return MaxFScorePoint(*[math.nan] * len(MaxFScorePoint._fields))
        return self._best_point(beta)

    def breakeven_point(self) -> float:
        """Recall and precision where they are equal on the interpolated curve.

        Returns
        -------
        breakeven_point : float
            As of :func:`skrank.breakeven_point`.
        """
        return self._plain_value("breakeven_point")

    def r_precision(self) -> float:
        """Precision at the depth of the number of targets.

        Returns
        -------
        r_precision : float
            As of :func:`skrank.r_precision`.
        """
        return self._plain_value("r_precision")

    def reciprocal_rank(self) -> float:
        """One over the rank of the first target.

        Returns
        -------
        reciprocal_rank : float
            As of :func:`skrank.reciprocal_rank`.
        """
        return self._plain_value("reciprocal_rank")

    def precision_at(self, t: float) -> float:
        """Share of targets among the top t.

        Parameters
        ----------
        t : int or float
            Depth: an int counts items, a float in (0, 1] is a fraction of the ranking.

        Returns
        -------
        precision : float
            As of :func:`skrank.precision_at_t`.

        Raises
        ------
        ValueError
            If `t` is neither, or beyond the ranking.
        """
        return self._value(precision_at(self.ties, t))

    def recall_at(self, t: float) -> float:
        """Share of the targets that the top t hold.

        Parameters
        ----------
        t : int or float
            Depth: an int counts items, a float in (0, 1] is a fraction of the ranking.

        Returns
        -------
        recall : float
            As of :func:`skrank.recall_at_t`.

        Raises
        ------
        ValueError
            If `t` is neither, or beyond the ranking.
        """
        return self._value(recall_at(self.ties, t))

    def k_at_recall(self, recall: float) -> float:
        """Depth to look to for a share of the targets; smaller is better.

        Parameters
        ----------
        recall : float
            Share of the targets to find, above 0, up to 1.

        Returns
        -------
        k : float
            As of :func:`skrank.k_at_recall`.

        Raises
        ------
        ValueError
            If `recall` is not a number above 0, up to 1.
        """
        return self._value(EvaluationMetric(KAtRecall(self.ties, recall)))

    def precision_at_recall(self, recall: float, interpolate: bool = False) -> float:
        """Share of targets among the items to look at to find a share of the targets.

        Parameters
        ----------
        recall : float
            Share of the targets to find, above 0, up to 1; from 0 if `interpolate`.
        interpolate : bool, default=False
            Whether to take the best precision there is at that recall or a higher one.
            A tie is then retrieved whole.

        Returns
        -------
        precision : float
            As of :func:`skrank.precision_at_recall`; 0 if the recall is never reached.

        Raises
        ------
        ValueError
            If `recall` is not such a number, or `interpolate` not True or False.
        """
        if check_flag("interpolate", interpolate):
            return self._value(EvaluationMetric(InterpolatedPrecision(recall=recall)))
        return self._value(EvaluationMetric(PrecisionAtRecall(self.ties, recall)))

    def _plain_value(self, name: str, interpolate: bool = False) -> float:
        """Value of a metric that has no settings but whether it is interpolated."""
        if check_flag("interpolate", interpolate):
            name = f"{name}_interpolated"
        return self._value(plain_metrics(self.ties)[name])

    def _value(self, one: EvaluationMetric) -> float:
        """Value of a metric; NaN with a warning if it has none."""
        reason = one.why_undefined(self._cases.ranking())
        if reason is not None:
            warn(undefined_text(one.call, reason))
        return self._value_or_nan(one)

    def _value_or_nan(self, one: EvaluationMetric) -> float:
        """Value of a metric, NaN if it has none."""
        ranking = self._cases.ranking()
        return math.nan if one.why_undefined(ranking) else one.metric.value(ranking)

    def _reported(self) -> dict[str, EvaluationMetric]:
        """Metrics that are reported, by name."""
        depths = [t for t in _DEPTHS if t <= self.n_samples]
        at = {f"precision_at_{t}": precision_at(self.ties, t) for t in depths}
        return {**plain_metrics(self.ties), **at}

    def _best_point(self, beta: float = 1.0) -> MaxFScorePoint:
        """Operating point of the largest F-score of some."""
        points = points_of(self._cases.ranking())
        score = points.f_score(beta)
        best = int(np.argmax(score))
        columns = (points.score, points.t, points.recall, points.precision, score)
        return MaxFScorePoint(*(column[best].item() for column in columns))
