"""What an evaluation is made of: cases that come, and how many there are."""

from __future__ import annotations

import math
from typing import Any, Self

from numpy.typing import ArrayLike

from skrank._utils._checks import TIES, check_count, check_option
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.ranking._response import target_scores
from skrank.report._evaluation._cases import ScoredCases


class Accumulator:
    """Cases that come piece by piece, and the tie rule of what is asked of them.

    Parameters
    ----------
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
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
    ) -> Self:
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
        missed = check_count("n_missed", n_missed, least=0)
        evaluation = cls(ties=ties, pos_label=pos_label).add_missed(missed)
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
    ) -> Self:
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

    def add(self, y_true: ArrayLike, y_score: ArrayLike) -> Self:
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

    def add_missed(self, count: int) -> Self:
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

    def __add__(self, other: object) -> Self:
        """Join the cases of two evaluations of the same settings."""
        if not isinstance(other, Accumulator):
            return NotImplemented
        if (self.ties, self.pos_label) != (other.ties, other.pos_label):
            msg = (
                "`ties` and `pos_label` must be the same in evaluations that are "
                f"joined; got {self._settings()} and {other._settings()}."
            )
            raise ValueError(msg)
        both = type(self)(ties=self.ties, pos_label=self.pos_label)
        both._cases = self._cases.joined(other._cases)
        return both

    def __radd__(self, other: object) -> Self:
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
            warn("prevalence is undefined: there must be items; got none.")
            return math.nan
        return self.n_targets / (self.n_samples + self.n_missed)

    def _settings(self) -> str:
        """Settings as they would be written."""
        return f"ties={self.ties!r}, pos_label={brief(self.pos_label)}"

    def _counts(self) -> dict[str, float]:
        """Counts that are reported."""
        n_items = self.n_samples + self.n_missed
        return {
            "n_samples": self.n_samples,
            "n_targets": self.n_targets,
            "n_missed": self.n_missed,
            "prevalence": self.n_targets / n_items if n_items else math.nan,
        }
