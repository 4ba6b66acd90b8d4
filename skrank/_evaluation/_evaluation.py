"""An evaluation of a ranking: cases added piece by piece, then all curves and figures.

What comes in are labels and scores, as they come; what goes out is what the metrics and
the curves say of all of them, from one ranking. There is no arithmetic here.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._curves import HitCurve, OperatingPoints, curve_of, points_of
from skrank._curves._figures import (
    BreakevenPoint,
    InterpolatedArea,
    InterpolatedPrecision,
    KAtRecall,
    MaxFScore,
    PrecisionAtRecall,
    RocArea,
    RPrecision,
)
from skrank._evaluation._cases import ScoredCases
from skrank._evaluation._text import MaxFScorePoint, format_points, format_summary
from skrank._measures import AveragePrecision, PrecisionAtT, RecallAtT, ReciprocalRank
from skrank._presentation import data_frame
from skrank._question import warn_undefined
from skrank._response import target_scores
from skrank._validation import TIES, check_option
from skrank.metrics._evaluate import Figure, undefined_text, why_undefined

_DEPTHS = (5, 10, 100)  # at which precision is reported, if the list is that long
_LACKING = {"n_samples": "no scored items", "n_others": "nothing but targets"}


class RankingEvaluation:
    """Evaluation of a ranking whose cases come piece by piece.

    It starts empty. Cases are added one by one or in arrays, and may be joined from
    several evaluations, as ``sum(parts)`` does. Whatever is asked is asked of all cases
    so far; they are ranked once, until something is added.

    Parameters
    ----------
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the figures that have one: within a tie the mean over all orders;
        the tie retrieved whole; its targets first; or last.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.

    Raises
    ------
    ValueError
        If the tie rule is unknown.

    See Also
    --------
    average_precision : The metrics of one ranking, as functions.
    recall_precision_curve, hit_curve : The curves.

    Notes
    -----
    It does what LingPipe's ``ScoredPrecisionRecallEvaluation`` does, which takes tied
    cases in the order in which they were added.

    A figure without a value is NaN with an ``UndefinedMetricWarning``: there are no
    targets, or nothing else.

    Scores of different pieces must be comparable, and should be of one type: beside
    floats, integers become floats.

    Examples
    --------
    >>> from skrank import RankingEvaluation
    >>> evaluation = RankingEvaluation()
    >>> evaluation.add([0, 1, 0, 1, 1], [-1.21, -1.27, -1.39, -1.47, -1.60])
    <RankingEvaluation(ties='expected', pos_label=None) of 5 items, 3 targets>
    >>> evaluation.add([0, 0, 0, 1, 0], [-1.65, -1.79, -1.80, -2.01, -3.70])
    <RankingEvaluation(ties='expected', pos_label=None) of 10 items, 4 targets>
    >>> print(evaluation)
    Ranking evaluation
      list               10 items, 4 targets (prevalence 0.4)
      average precision  0.5111
      area under PR      0.5111, interpolated 0.5611
      area under ROC     0.5833, interpolated 0.5833
      maximum F1         0.6667 at score -1.6 (recall 0.75, precision 0.6)
      breakeven point    0.6
      R-precision        0.5
      reciprocal rank    0.5
      precision at 5     0.6
      precision at 10    0.4
    """

    def __init__(self, *, ties: str = "expected", pos_label: object = None) -> None:
        check_option("ties", ties, TIES)
        self.ties = ties
        self.pos_label = pos_label
        self._cases = ScoredCases(pos_label)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: object = None,
        ties: str = "expected",
        n_missed: int = 0,
    ) -> "RankingEvaluation":
        """Evaluate a ranking given as labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        y_score : array-like of shape (n_samples,)
            Scores, higher meaning a likelier target.
        pos_label : int, float, bool or str, default=None
            Label of the targets.
        ties : {"expected", "threshold", "optimistic", "pessimistic"}, \
default="expected"
            Tie rule.
        n_missed : int, default=0
            Targets that were never scored.

        Returns
        -------
        evaluation : RankingEvaluation
            More can be added.

        Raises
        ------
        ValueError
            As in :meth:`add`, also if the scores are hard labels.
        """
        evaluation = cls(ties=ties, pos_label=pos_label).add_missed(n_missed)
        evaluation._cases.add(y_true, y_score, whole=True)
        return evaluation

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        ties: str = "expected",
        n_missed: int = 0,
        detector_targets: str | None = None,
    ) -> "RankingEvaluation":
        """Evaluate the ranking that a fitted estimator gives.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. It ranks by
            ``decision_function``, else ``predict_proba``, else ``predict``.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not those it was fitted on.
        y : array-like of shape (n_samples,)
            Their labels.
        pos_label : int, float, bool or str, default=None
            Label of the targets.
        ties : {"expected", "threshold", "optimistic", "pessimistic"}, \
default="expected"
            Tie rule.
        n_missed : int, default=0
            Targets that were never scored.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector, which must be stated for one.

        Returns
        -------
        evaluation : RankingEvaluation
            More can be added.

        Raises
        ------
        ValueError
            If the estimator can only give labels, is an outlier detector of unstated
            orientation, or the input is not valid for `from_predictions`.
        """
        y_score = target_scores(
            estimator, X, y, pos_label=pos_label, detector_targets=detector_targets
        )
        return cls.from_predictions(
            y, y_score, pos_label=pos_label, ties=ties, n_missed=n_missed
        )

    def add(self, y_true: ArrayLike, y_score: ArrayLike) -> "RankingEvaluation":
        """Add scored cases.

        Parameters
        ----------
        y_true : array-like of shape (n_cases,), or a label
            Labels; a piece may have one class only.
        y_score : array-like of shape (n_cases,), or a number
            Scores, higher meaning a likelier target.

        Returns
        -------
        evaluation : RankingEvaluation
            The same object.

        Raises
        ------
        ValueError
            If lengths differ, there are no cases, scores are missing or infinite, or
            labels are unknown or others than before. Nothing is then added. Whether
            scores are hard labels is told of all cases, when something is asked of
            them.
        """
        self._cases.add(y_true, y_score, whole=False)
        return self

    def add_missed(self, count: int) -> "RankingEvaluation":
        """Add targets that were never scored.

        Parameters
        ----------
        count : int
            How many. They count among the targets and have no rank.

        Returns
        -------
        evaluation : RankingEvaluation
            The same object.

        Raises
        ------
        ValueError
            If the count is not a whole number of at least 0.
        """
        self._cases.add_missed(count)
        return self

    def __add__(self, other: object) -> "RankingEvaluation":
        """Join the cases of two evaluations of the same settings."""
        if not isinstance(other, RankingEvaluation):
            return NotImplemented
        if (self.ties, self.pos_label) != (other.ties, other.pos_label):
            msg = (
                "`ties` and `pos_label` must be the same in evaluations that are "
                f"joined; got {self._settings()} and {other._settings()}."
            )
            raise ValueError(msg)
        both = RankingEvaluation(ties=self.ties, pos_label=self.pos_label)
        both._cases = self._cases.joined(other._cases)
        return both

    def __radd__(self, other: object) -> "RankingEvaluation":
        """Begin a ``sum`` of evaluations, which starts with 0."""
        return self if other == 0 else NotImplemented

    @property
    def n_samples(self) -> int:
        """Number of scored cases.

        Returns
        -------
        n_samples : int
            Those that were missed are not counted.
        """
        return self._cases.n_samples

    @property
    def n_targets(self) -> int:
        """Number of targets.

        Returns
        -------
        n_targets : int
            Those that were missed are counted.
        """
        return self._cases.n_targets

    @property
    def n_missed(self) -> int:
        """Number of targets that were never scored.

        Returns
        -------
        n_missed : int
            As added by :meth:`add_missed`.
        """
        return self._cases.n_missed

    @property
    def prevalence(self) -> float:
        """Share of targets among all items, scored or missed.

        Returns
        -------
        prevalence : float
            Between 0 and 1; NaN with a warning if there are no items.
        """
        if not self.n_samples + self.n_missed:
            warn_undefined("prevalence is undefined: there must be items; got none.")
            return math.nan
        return self.n_targets / (self.n_samples + self.n_missed)

    def recall_precision_curve(self, interpolate: bool = False) -> OperatingPoints:
        """Recall and precision of every threshold that retrieves another target.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to leave out points that another equals or beats in recall and
            precision.

        Returns
        -------
        points : OperatingPoints
            As of :func:`skrank.recall_precision_curve`.

        Raises
        ------
        ValueError
            If there are no targets.
        """
        points = points_of(self._cases.ranking())
        return points.not_dominated("precision") if interpolate else points

    def roc_curve(self, interpolate: bool = False) -> OperatingPoints:
        """Recall and specificity of every threshold that retrieves another target.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to leave out points that another equals or beats in recall and
            specificity.

        Returns
        -------
        points : OperatingPoints
            Their ``recall``, or sensitivity, against their ``specificity``.

        Raises
        ------
        ValueError
            If there are no targets, or no others among the scored cases.
        """
        ranking = self._cases.ranking()
        points = points_of(ranking)
        if not ranking.n_others:
            msg = "`y_true` must hold others to make a ROC curve; got targets alone."
            raise ValueError(msg)
        return points.not_dominated("specificity") if interpolate else points

    def hit_curve(self) -> HitCurve:
        """Curve of the targets found against the items looked at.

        Returns
        -------
        curve : HitCurve
            As of :func:`skrank.hit_curve`, with ties as set here; under "threshold" it
            is straight along a tie, as under "expected".

        Raises
        ------
        ValueError
            If there are no targets.
        """
        ties = "expected" if self.ties == "threshold" else self.ties
        return curve_of(self._cases.ranking(), ties)

    def recall_precision_area(self, interpolate: bool = False) -> float:
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
        """
        figure: Figure = AveragePrecision(self.ties)
        return self._value(InterpolatedArea("precision") if interpolate else figure)

    def average_precision(self) -> float:
        """Mean over the targets of the precision at their ranks.

        Returns
        -------
        average_precision : float
            As of :func:`skrank.average_precision`.
        """
        return self._value(AveragePrecision(self.ties))

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
            Between 0 and 1, 0.5 by luck; not interpolated it is the share of the pairs
            of a target and an other in the right order. Of a tied pair "expected"
            counts half, as :func:`sklearn.metrics.roc_auc_score` does, "optimistic" all
            and the other rules nothing. A missed target is below all others.
        """
        figure: Figure = RocArea(self.ties)
        return self._value(
            InterpolatedArea("specificity") if interpolate else figure, "n_others"
        )

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
        return self._value(MaxFScore(beta))

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
        figure = MaxFScore(beta)
        reason = self._why_undefined()
        if reason is None and self.n_targets == self.n_missed:
            reason = "no scored targets"
        if reason is not None:
            warn_undefined(undefined_text(f"point of {figure.name}", reason))
            return MaxFScorePoint(*[math.nan] * len(MaxFScorePoint._fields))
        return self._best_point(beta)

    def breakeven_point(self) -> float:
        """Recall and precision where they are equal on the interpolated curve.

        Returns
        -------
        breakeven_point : float
            As of :func:`skrank.breakeven_point`.
        """
        return self._value(BreakevenPoint())

    def r_precision(self) -> float:
        """Precision at the depth of the number of targets.

        Returns
        -------
        r_precision : float
            As of :func:`skrank.r_precision`.
        """
        return self._value(RPrecision(self.ties))

    def reciprocal_rank(self) -> float:
        """One over the rank of the first target.

        Returns
        -------
        reciprocal_rank : float
            As of :func:`skrank.reciprocal_rank`.
        """
        return self._value(ReciprocalRank(self.ties))

    def precision_at(self, t: float) -> float:
        """Share of targets among the top t.

        Parameters
        ----------
        t : int or float
            Depth: an int counts items, a float in (0, 1] is a fraction of the list.

        Returns
        -------
        precision : float
            As of :func:`skrank.precision_at_t`.

        Raises
        ------
        ValueError
            If `t` is neither, or beyond the list.
        """
        return self._value(PrecisionAtT(self.ties, t), "n_samples")

    def recall_at(self, t: float) -> float:
        """Share of the targets that the top t hold.

        Parameters
        ----------
        t : int or float
            Depth: an int counts items, a float in (0, 1] is a fraction of the list.

        Returns
        -------
        recall : float
            As of :func:`skrank.recall_at_t`.

        Raises
        ------
        ValueError
            If `t` is neither, or beyond the list.
        """
        return self._value(RecallAtT(self.ties, t), "n_samples")

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
        return self._value(KAtRecall(recall, self.ties))

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
            If `recall` is not such a number.
        """
        if interpolate:
            return self._value(InterpolatedPrecision(recall))
        return self._value(PrecisionAtRecall(recall, self.ties))

    def to_dict(self) -> dict[str, float]:
        """Return counts and figures as plain numbers.

        Returns
        -------
        fields : dict
            What is printed, under the names of the methods; "_interpolated" and the
            depth are added to the name. What is undefined is NaN, with one warning.
        """
        fields = {**self._counts(), **self._figures()}
        reason = self._why_undefined("n_others")
        if reason is not None:
            warn_undefined(undefined_text("some figure", reason))
        return fields

    def to_frame(self, interpolate: bool = False, beta: float = 1.0) -> Any:
        """Return the operating points as a pandas DataFrame.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to leave out points that another equals or beats in recall and
            precision.
        beta : float, default=1.0
            How many times as much recall counts as precision.

        Returns
        -------
        frame : pandas.DataFrame
            The columns "score", "t", "hits", "recall", "precision", "f_score" and
            "specificity".

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If there are no targets, or `beta` is not a finite number above 0.
        """
        points = self.recall_precision_curve(interpolate)
        before = ("score", "t", "hits", "recall", "precision")
        columns = {name: getattr(points, name) for name in before}
        columns["f_score"] = points.f_score(beta)
        return data_frame({**columns, "specificity": points.specificity})

    def format_curve(
        self,
        interpolate: bool = False,
        beta: float = 1.0,
        max_rows: int | None = None,
    ) -> str:
        """Return the operating points as a table to print.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to leave out points that another equals or beats in recall and
            precision.
        beta : float, default=1.0
            How many times as much recall counts as precision.
        max_rows : int, default=None
            Most rows to print, 2 or more, spread evenly over the points from the first
            to the last; None prints all.

        Returns
        -------
        table : str
            The columns threshold ("score"), items retrieved ("t"), precision, recall
            and F-score, best score first.

        Raises
        ------
        ValueError
            If there are no targets, or a setting is outside its range.
        """
        points = self.recall_precision_curve(interpolate)
        return format_points(points, beta, max_rows)

    def __repr__(self) -> str:
        """Print the settings, and how much there is."""
        missed = f", {self.n_missed} of them missed" if self.n_missed else ""
        return (
            f"<RankingEvaluation({self._settings()}) of {self.n_samples} items, "
            f"{self.n_targets} targets{missed}>"
        )

    def __str__(self) -> str:
        """Say what was found, in words and numbers."""
        reason = self._why_undefined()
        if reason is not None:
            return format_summary(self._counts(), {}, None, reason)
        scored = self.n_targets > self.n_missed
        best = self._best_point() if scored else None
        return format_summary(self._counts(), self._figures(), best)

    def _settings(self) -> str:
        return f"ties={self.ties!r}, pos_label={self.pos_label!r}"

    def _why_undefined(self, needed: str = "n_targets") -> str | None:
        """Say why a figure that needs something has no value, if it has none."""
        ranking = self._cases.ranking()
        reason = why_undefined(ranking)
        return reason if reason or getattr(ranking, needed) else _LACKING[needed]

    def _value(self, figure: Figure, needed: str = "n_targets") -> float:
        """Value of a figure; NaN with a warning if it has none."""
        reason = self._why_undefined(needed)
        if reason is not None:
            warn_undefined(undefined_text(figure.name, reason))
            return math.nan
        return figure.value(self._cases.ranking())

    def _counts(self) -> dict[str, float]:
        n_items = self.n_samples + self.n_missed
        return {
            "n_samples": self.n_samples,
            "n_targets": self.n_targets,
            "n_missed": self.n_missed,
            "prevalence": self.n_targets / n_items if n_items else math.nan,
        }

    def _figures(self) -> dict[str, float]:
        """Values of the figures that are reported, NaN where they have none."""
        depths = [t for t in _DEPTHS if t <= self.n_samples]
        figures: dict[str, Figure] = {
            "average_precision": AveragePrecision(self.ties),
            "recall_precision_area": AveragePrecision(self.ties),
            "recall_precision_area_interpolated": InterpolatedArea("precision"),
            "roc_area": RocArea(self.ties),
            "roc_area_interpolated": InterpolatedArea("specificity"),
            "max_f_score": MaxFScore(),
            "breakeven_point": BreakevenPoint(),
            "r_precision": RPrecision(self.ties),
            "reciprocal_rank": ReciprocalRank(self.ties),
            **{f"precision_at_{t}": PrecisionAtT(self.ties, t) for t in depths},
        }
        return {
            name: math.nan
            if self._why_undefined("n_others" if "roc" in name else "n_targets")
            else figure.value(self._cases.ranking())
            for name, figure in figures.items()
        }

    def _best_point(self, beta: float = 1.0) -> MaxFScorePoint:
        """Operating point of the largest F-score of some."""
        points = points_of(self._cases.ranking())
        score = points.f_score(beta)
        best = int(np.argmax(score))
        columns = (points.score, points.t, points.recall, points.precision, score)
        return MaxFScorePoint(*(column[best].item() for column in columns))
