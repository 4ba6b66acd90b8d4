"""Base classes of tests and intervals: settings of the metric, and the constructors.

An object of these classes holds settings only. Its ``from_...`` methods take data and
return a frozen result. They do not change the object.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

from numpy.typing import ArrayLike

from skrank._utils._checks import (
    check_count,
    check_flag,
    check_jobs,
    check_random_state,
)
from skrank.metrics._definitions import Metric, make_measure
from skrank.ranking._response import marks_and_scores

Result = TypeVar("Result")


class MetricSettings:
    """Base class with the settings of a metric; subclasses add other settings."""

    _least_resamples = 1

    #: Makes the metric; by default one that has a null distribution.
    _make: ClassVar[Callable[..., Any]] = staticmethod(make_measure)

    def __init__(
        self,
        metric: str | Metric,
        ties: str,
        n_resamples: int,
        n_jobs: int | None,
        progress: bool,
        random_state: object,
    ) -> None:
        self.metric = metric
        self.ties = self._make(metric, ties).ties
        least = self._least_resamples
        self.n_resamples = check_count("n_resamples", n_resamples, least=least)
        self.n_jobs = check_jobs(n_jobs)
        self.progress = check_flag("progress", progress)
        self.random_state = check_random_state(random_state)

    def __repr__(self) -> str:
        """Print the settings as they would be written."""
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"

    def _measure(self) -> Any:
        return self._make(self.metric, self.ties)


class RankingInference(MetricSettings, ABC, Generic[Result]):
    """Base class of methods for one ranking in any form of input."""

    @abstractmethod
    def from_predictions(
        self,
        y_true: Any,
        y_score: Any = None,
        *,
        pos_label: object = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> Result:
        """Compute the result for a ranking given as labels and scores."""

    def from_estimator(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> Result:
        """Compute the result for the ranking of a fitted estimator.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. For the
            method that gives the scores see :ref:`scores_of_estimators`.
        X : array-like of shape (n_samples, n_features)
            Items to rank, other than those on which the estimator was fitted.
        y : array-like of shape (n_samples,)
            Their labels.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, as in `from_predictions`.
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, as in `from_predictions`.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector. Other estimators are not affected.

        Returns
        -------
        result : frozen result
            Result, as from `from_predictions`.

        Raises
        ------
        ValueError
            If the estimator only gives labels, if it is an outlier detector and
            `detector_targets` is None, or if the input is not valid for
            `from_predictions`.
        """
        marks, y_score = marks_and_scores(estimator, X, y, pos_label, detector_targets)
        return self.from_predictions(marks, y_score, groups=groups, clusters=clusters)
