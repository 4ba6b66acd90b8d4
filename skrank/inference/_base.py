"""What all questions share: settings of a metric, and the lists they are asked of.

A question is an object that holds settings only. It is asked of data by its
``from_...`` methods, is not changed by that, and answers with a frozen result.
"""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from numpy.typing import ArrayLike

from skrank.metrics._definitions import Measure, make_measure, plain_settings
from skrank.ranking._response import target_scores

Result = TypeVar("Result")


_METRIC_SETTINGS = ("k", "t", "alpha", "normalize", "ties")


class Question:
    """Settings of a metric, checked; subclasses add theirs."""

    metric: str

    def __init__(
        self,
        metric: str,
        *,
        k: float | None,
        t: float | None,
        alpha: float | None,
        normalize: str,
        ties: str,
    ) -> None:
        given = plain_settings(
            metric, k=k, t=t, alpha=alpha, normalize=normalize, ties=ties
        )
        self.metric = metric
        self.k: float | None = given["k"]
        self.t: float | None = given["t"]
        self.alpha: float | None = given["alpha"]
        self.normalize = normalize
        self.ties = ties

    def __repr__(self) -> str:
        """Print the settings as they would be written."""
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _METRIC_SETTINGS}

    def _measure(self) -> Measure:
        return make_measure(self.metric, **self._settings())


class RankingQuestion(Question, ABC, Generic[Result]):
    """A question about one ranking, however it comes."""

    @abstractmethod
    def from_predictions(
        self, y_true: Any, y_score: ArrayLike, *, pos_label: object = None
    ) -> Result:
        """Ask about a ranking given as labels and scores."""

    def from_estimator(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> Result:
        """Ask about the ranking that a fitted estimator gives.

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
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector, which must be stated for one.

        Returns
        -------
        result : frozen result
            As of `from_predictions`.

        Raises
        ------
        ValueError
            If the estimator can only give labels, is an outlier detector of unstated
            orientation, or the input is not valid for `from_predictions`.
        """
        y_score = target_scores(
            estimator, X, y, pos_label=pos_label, detector_targets=detector_targets
        )
        return self.from_predictions(y, y_score, pos_label=pos_label)
