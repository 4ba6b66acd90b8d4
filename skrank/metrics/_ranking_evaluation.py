"""Scored items that arrive in batches, and their ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import TIES, check_count, check_option, invalid
from skrank._utils._columns import is_column
from skrank._utils._numbers import number
from skrank._utils._printed import Printed, Shown
from skrank._utils._table import data_frame
from skrank._utils._text import brief
from skrank.curves._operating_points import points_of
from skrank.metrics._definitions import AnyMetric, make_metric
from skrank.metrics._evaluate import undefined
from skrank.ranking._input import (
    RankingInput,
    check_ranking_input,
    check_unlisted,
    with_unlisted,
)
from skrank.ranking._pieces import Pieces
from skrank.ranking._ranking import Ranking, rank
from skrank.ranking._response import target_scores


class RankingEvaluation(Printed):
    """Metrics of items that arrive in batches; for all items at once use a metric.

    An evaluation is empty at the start. Add items one by one or in arrays. Evaluations
    can be added to each other, as in ``sum(parts)``. :meth:`ranking` returns the
    ranking of all items so far, which every metric, curve and test accepts. Printing
    the evaluation shows a summary.

    Parameters
    ----------
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the summary and of :meth:`to_dict`.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.

    Raises
    ------
    ValueError
        If the tie rule is unknown.

    See Also
    --------
    Ranking : The result of :meth:`ranking`.
    operating_points, hit_curve : The curves of a ranking.

    Notes
    -----
    The summary contains the numbers of LingPipe's ``ScoredPrecisionRecallEvaluation``,
    which ranks tied items in the order in which they were added.

    Scores of different batches must be comparable and should have the same type.
    Integers are converted to floats if other batches have floats.

    Examples
    --------
    >>> from skrank import RankingEvaluation, precision_at_t
    >>> evaluation = RankingEvaluation()
    >>> _ = evaluation.add([0, 1, 0, 1, 1], [-1.21, -1.27, -1.39, -1.47, -1.60])
    >>> _ = evaluation.add([0, 0, 0, 1, 0], [-1.65, -1.79, -1.80, -2.01, -3.70])
    >>> print(evaluation)
    Ranking evaluation
      ranking            10 items, 4 targets (prevalence 0.4)
      average precision  0.5111
      area under PR      0.5111, interpolated 0.5611
      area under ROC     0.5833, interpolated 0.5833
      maximum F1         0.6667 at score -1.6 (recall 0.75, precision 0.6)
      breakeven point    0.6
      R-precision        0.5
      reciprocal rank    0.5
      precision at 5     0.6
      precision at 10    0.4
    >>> precision_at_t(evaluation.ranking(), t=5)
    0.6
    """

    def __init__(self, *, ties: str = "expected", pos_label: object = None) -> None:
        check_option("ties", ties, TIES)
        self.ties = ties
        self.pos_label = pos_label
        self._n_missed = 0
        self._n_unlisted: int | None = None
        self._pieces = Pieces()
        self._is_target: list[NDArray[np.bool_]] = []
        self._y_score: list[NDArray[Any]] = []
        self._ranking: Ranking | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: object = None,
        ties: str = "expected",
        n_missed: int = 0,
        n_unlisted: int | None = None,
    ) -> Self:
        """Create an evaluation from labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items.
        y_score : array-like of shape (n_samples,)
            Scores of the items; a higher score means a likelier target.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        ties : {"expected", "together", "optimistic", "pessimistic"}, \
default="expected"
            Tie rule.
        n_missed : int, default=0
            Targets that were never scored. They count among the targets and have no
            rank.
        n_unlisted : int, default=None
            Number of items that were never scored, including the missed targets. They
            rank below all others, as one tie.

        Returns
        -------
        evaluation : RankingEvaluation
            Evaluation to which more items can be added.

        Raises
        ------
        ValueError
            As in :meth:`add`; also if the scores are hard labels.
        """
        check_unlisted(n_missed, n_unlisted)
        evaluation = cls(ties=ties, pos_label=pos_label).add(y_true, y_score)
        # hard labels raise an error
        evaluation.add_missed(n_missed, n_unlisted=n_unlisted)._ranked()
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
        n_unlisted: int | None = None,
        detector_targets: str | None = None,
    ) -> Self:
        """Create an evaluation from the scores of a fitted estimator.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. See
            :ref:`scores_of_estimators` for the method that computes the scores.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not the items to which the estimator was fitted.
        y : array-like of shape (n_samples,)
            Labels of the items.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        ties : {"expected", "together", "optimistic", "pessimistic"}, \
default="expected"
            Tie rule.
        n_missed : int, default=0
            Targets that were never scored. They count among the targets and have no
            rank.
        n_unlisted : int, default=None
            Number of items that were never scored, including the missed targets. They
            rank below all others, as one tie.
        detector_targets : {"outliers", "inliers"}, default=None
            Whether the targets are the outliers or the inliers of an outlier detector.
            Required for an outlier detector; no effect on other estimators.

        Returns
        -------
        evaluation : RankingEvaluation
            Evaluation to which more items can be added.

        Raises
        ------
        ValueError
            If the estimator only predicts labels, if it is an outlier detector and
            `detector_targets` is None, or if the input is not valid for
            `from_predictions`.
        """
        asked: Any = {"pos_label": pos_label, "detector_targets": detector_targets}
        y_score = target_scores(estimator, X, y, **asked)
        given: Any = {"pos_label": pos_label, "ties": ties, "n_missed": n_missed}
        given["n_unlisted"] = n_unlisted
        return cls.from_predictions(y, y_score, **given)

    def add(self, y_true: ArrayLike, y_score: ArrayLike) -> Self:
        """Add scored items.

        Parameters
        ----------
        y_true : array-like of shape (n_cases,), or a label
            Labels of the items. A batch can contain a single class.
        y_score : array-like of shape (n_cases,), or a number
            Scores of the items; a higher score means a likelier target.

        Returns
        -------
        evaluation : RankingEvaluation
            The evaluation itself.

        Raises
        ------
        ValueError
            If lengths differ, if there are no items, if scores are missing or infinite,
            or if labels are unknown. Nothing is added in these cases. Hard labels as
            scores raise an error only in :meth:`ranking`.
        """
        if not (is_column(y_true) or is_column(y_score)):
            y_true, y_score = [y_true], [y_score]  # type: ignore[assignment]
        label = self.pos_label
        data = check_ranking_input(y_true, y_score, pos_label=label, whole=False)
        self._pieces.add(data, y_true)
        self._is_target.append(data.is_target)
        self._y_score.append(data.y_score.copy())  # the caller may change the array
        self._ranking = None
        return self

    def add_missed(self, count: int, *, n_unlisted: int | None = None) -> Self:
        """Add targets that were never scored.

        Parameters
        ----------
        count : int
            Number of missed targets. They count among the targets and have no rank.
        n_unlisted : int, default=None
            Number of items that were never scored, including these targets. They rank
            below all scored items, as one tie. If it is passed once, it must be passed
            for all missed targets.

        Returns
        -------
        evaluation : RankingEvaluation
            The evaluation itself.

        Raises
        ------
        ValueError
            If `count` is not a whole number of at least 0, or if `n_unlisted` is not a
            whole number of at least `count`.
        """
        count = check_count("count", count, least=0)
        _, unlisted = check_unlisted(count, n_unlisted)
        self._n_missed += count
        if unlisted is not None:
            self._n_unlisted = (self._n_unlisted or 0) + unlisted
        self._ranking = None
        return self

    def __copy__(self) -> Self:
        """Return an independent evaluation, since items can be added."""
        return deepcopy(self)

    def __add__(self, other: object) -> Self:
        """Return the cases of two evaluations with the same settings."""
        if not isinstance(other, RankingEvaluation):
            return NotImplemented
        if (self.ties, self.pos_label) != (other.ties, other.pos_label):
            rule = "be the same in evaluations that are joined, as is `pos_label`"
            raise invalid("ties", rule, f"{self!r} and {other!r}")
        both = type(self)(ties=self.ties, pos_label=self.pos_label)
        for one in (self, other):
            both._pieces.take(one._pieces)
            both._is_target += one._is_target
            both._y_score += one._y_score
            both.add_missed(one._n_missed)
            if one._n_unlisted is not None:
                both._n_unlisted = (both._n_unlisted or 0) + one._n_unlisted
        return both

    def __radd__(self, other: object) -> Self:
        """Begin a ``sum`` of evaluations, which starts with 0."""
        return self if other == 0 else NotImplemented

    @property
    def n_samples(self) -> int:
        """Number of scored items.

        Returns
        -------
        n_samples : int
            Number of items, without missed targets.
        """
        return self._pieces.n_samples

    @property
    def n_targets(self) -> int:
        """Number of targets.

        Returns
        -------
        n_targets : int
            Number of targets, including missed targets.
        """
        return self._pieces.n_targets + self.n_missed

    @property
    def n_missed(self) -> int:
        """Number of targets that were never scored.

        Returns
        -------
        n_missed : int
            Number of missed targets, as added by :meth:`add_missed`.
        """
        return self._n_missed

    def ranking(self) -> Ranking:
        """Rank all items. The ranking is kept until more items are added.

        Returns
        -------
        ranking : Ranking
            Ranking to use in place of labels and scores in metrics, curves and tests.

        Raises
        ------
        ValueError
            If the scores are hard labels, or if no item has the label `pos_label` and
            no targets were missed.
        """
        self._pieces.check_label(self.pos_label, self.n_missed)
        return self._ranked()

    def _ranked(self) -> Ranking:
        """Rank all items, which may be a part without targets."""
        if self._ranking is None:
            targets, y_score = np.array([], dtype=np.intp), np.array([])
            if self._y_score:  # all targets may have been missed
                targets = np.flatnonzero(np.concatenate(self._is_target))
                y_score = np.concatenate(self._y_score, dtype=self._pieces.dtype)
            self._pieces.check_scores()
            data = RankingInput(targets, y_score)
            self._ranking = rank(with_unlisted(data, self._n_missed, self._n_unlisted))
        return self._ranking

    def to_dict(self) -> dict[str, float]:
        """Return counts and metrics as plain numbers.

        Returns
        -------
        fields : dict
            The printed numbers. Undefined numbers are NaN, with one warning.
        """
        values = self._values()
        if any(map(math.isnan, values.values())):
            reason = "`y_true` must contain targets and non-targets; got "
            undefined("some metric", reason + self._size(), math.nan)
        return values

    def to_frame(
        self, metrics: str | AnyMetric | Sequence[str | AnyMetric] = ()
    ) -> Any:
        """Return counts and metrics as a data frame of one row.

        Parameters
        ----------
        metrics : str, Metric or sequence of them, default=()
            Additional metrics by their printed names (:ref:`metric_names`), each in a
            column. Metrics by name have the tie rule of the evaluation.

        Returns
        -------
        frame : pandas.DataFrame
            The columns of :meth:`to_dict`, and the additional metrics.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If a metric is unknown, or if it is not defined for the ranking.
        """
        asked = [metrics] if isinstance(metrics, str | AnyMetric) else metrics
        ranking, values = self.ranking(), self.to_dict()
        for one in asked:
            made = one if isinstance(one, AnyMetric) else make_metric(one, self.ties)
            values[made.name] = made(ranking)
        return data_frame({name: [value] for name, value in values.items()})

    def __repr__(self) -> str:
        """Print the settings and the numbers of items."""
        settings = f"ties={self.ties!r}, pos_label={brief(self.pos_label)}"
        return f"<RankingEvaluation({settings}) of {self._size()}>"

    def _shown(self) -> Shown:
        """Return the counts and the metrics."""
        size = self._size()
        if self._n_items:
            size += f" (prevalence {number(self.n_targets / self._n_items)})"
        if not self.n_targets:
            why = "`y_true` must contain targets; got none"
            return Shown("Ranking evaluation", [("ranking", size), ("metrics", why)])
        said = {name: number(value) for name, value in self._values().items()}
        points = points_of(self.ranking())
        if len(points):
            i = int(np.argmax(points.f_score()))
            listed = points.t[i] <= max(self.n_samples, 1)  # else it has no score
            at = f" at score {number(points.score[i])}" if listed else " of all items"
            shares = (
                f"recall {number(points.recall[i])}, "
                f"precision {number(points.precision[i])}"
            )
            said["max_f_score"] += f"{at} ({shares})"
        for area in ("precision_recall_area", "roc_area"):
            said[area] += f", interpolated {said.pop(f'{area}_interpolated')}"
        names = {
            "precision_recall_area": "area under PR",
            "roc_area": "area under ROC",
            "max_f_score": "maximum F1",
            "r_precision": "R-precision",
        }
        rows = [
            (names.get(name, name.replace("_", " ")), text)
            for name, text in [*said.items()][4:]  # below the counts
        ]
        return Shown("Ranking evaluation", [("ranking", size), *rows])

    def _values(self) -> dict[str, float]:
        """Return counts and metrics; NaN if one is undefined."""
        ranking, n_items = self.ranking(), self._n_items
        is_defined = ranking.n_targets > 0
        has_roc = is_defined and ranking.n_non_targets > 0

        def value(name: str, ties: str = self.ties) -> float:
            return make_metric(name, ties).value(ranking) if is_defined else math.nan

        def area(rate: str, there: bool) -> float:
            if not there:
                return math.nan
            return points_of(ranking).not_dominated(rate).area(rate)

        values = {
            "n_samples": self.n_samples,
            "n_targets": self.n_targets,
            "n_missed": self.n_missed,
            "prevalence": self.n_targets / n_items if n_items else math.nan,
            "average_precision": value("average_precision"),
            "precision_recall_area": value("average_precision"),
            "precision_recall_area_interpolated": area("precision", is_defined),
            "roc_area": _roc_area(ranking, self.ties) if has_roc else math.nan,
            "roc_area_interpolated": area("specificity", has_roc),
            "max_f_score": value("max_f_score", "expected"),
            "breakeven_point": value("breakeven_point", "expected"),
            "r_precision": value("r_precision"),
            "reciprocal_rank": value("reciprocal_rank"),
        }
        depths = [t for t in (5, 10, 100) if t <= self.n_samples]
        return values | {f"precision_at_{t}": value(f"precision@{t}") for t in depths}

    @property
    def _n_items(self) -> int:
        """Number of all items, scored or not."""
        unlisted = self._n_unlisted
        return self.n_samples + (self.n_missed if unlisted is None else unlisted)

    def _size(self) -> str:
        missed = f", {self.n_missed} of them missed" if self.n_missed else ""
        n, unlisted = self.n_samples, self._n_unlisted
        listed = f" and {unlisted} unlisted" if unlisted else ""
        return f"{n}{listed} items, {self.n_targets} targets{missed}"


def _roc_area(ranking: Ranking, ties: str) -> float:
    """Return the share of pairs of target and non-target in the right order.

    Pairs in a tie count according to the tie rule.
    """
    groups, n_non_targets = ranking.groups, ranking.n_non_targets
    tied = groups.size - groups.hits
    below = n_non_targets - (groups.above - groups.hits_above) - tied
    share = {"expected": 0.5, "optimistic": 1.0}.get(ties, 0.0)
    pairs = groups.hits * ((below + share * tied) / n_non_targets)
    return float(pairs.sum() / ranking.n_targets)
