"""Scorer factories: a metric and its settings as ``scoring=`` of scikit-learn.

The scorers are made by :func:`sklearn.metrics.make_scorer`. They can be pickled, cloned
and routed, and a multi-metric search computes the predictions of a fold once for all
scorers. This module computes no metrics.

A scorer uses ``decision_function``, else ``predict_proba``, else, for regressors and
plain rankers, ``predict``.

A scorer of ``make_scorer`` does not inspect the estimator: it would score a classifier
without scores by its labels, it would reverse an outlier detector, and scorers with
different `pos_label` would use each other's predictions. Therefore `_score`, which
scikit-learn calls in single and in multi-metric scoring, orients the output of the
estimator or raises an error. It is the only private name of scikit-learn here;
`tests/metrics/test_scorers.py` says what to do if it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from inspect import signature
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from skrank._utils._checks import check_option, check_undefined, invalid
from skrank._utils._columns import check_index, check_order
from skrank._utils._text import brief
from skrank.metrics._definitions._base import AnyMetric
from skrank.metrics._definitions._sums import (
    AveragePrecision,
    PrecisionAtT,
    average_precision_at,
    recall_at,
)
from skrank.ranking._response import (
    RESPONSE_METHODS,
    check_detector_targets,
    orientation,
)

_Scorer: Any = type(make_scorer(AveragePrecision()))

# Outputs of an estimator by method, for the scorers of one call. The key is the object
# that scikit-learn creates for each call of one or of several scorers to share
# predictions. Scikit-learn itself shares the output for one class only, the one
# requested first.
_outputs: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


class RankingScorer(_Scorer):  # type: ignore[misc]
    """A scorer of ``make_scorer`` that orients the scores before the metric."""

    # Unless a scorer requests its own groups, the groups that are passed are for the
    # splitter. This is scikit-learn's documented way to state a default request.
    __metadata_request__score = {"groups": False}  # noqa: RUF012

    def __init__(
        self,
        function: Callable[..., float],
        name: str,
        pos_label: object,
        undefined: float | str,
        detector_targets: str | None,
        *,
        greater_is_better: bool = True,
        average: str = "binary",
        **settings: Any,
    ) -> None:
        """Store the settings of ``function(y_true, y_score, **settings)``.

        Settings at their default are left out. A scorer with a negative sign has "neg_"
        before the name of the metric. With `average` "macro", the score is the mean
        over the classes.
        """
        check_option("average", average, ("binary", "macro"))
        if average == "macro" and pos_label is not None:
            raise invalid(
                "pos_label", "be None with `average` 'macro'", brief(pos_label)
            )
        answer = check_undefined(undefined)
        check_detector_targets(detector_targets)
        if pos_label is not None:
            settings["pos_label"] = pos_label
        if answer == "raise" or not np.isnan(answer):
            settings["undefined"] = answer
        made = make_scorer(
            function,
            response_method=RESPONSE_METHODS,
            greater_is_better=greater_is_better,
            **settings,
        )
        self.__dict__.update(vars(made))
        self.function, self.settings = function, settings
        self.sign = 1 if greater_is_better else -1
        self.detector_targets, self.average = detector_targets, average
        # the label of axes in scikit-learn's displays
        self.__name__ = name if greater_is_better else f"neg_{name}"

    def _score(
        self,
        method_caller: Any,
        estimator: Any,
        X: Any,  # noqa: N803
        y_true: ArrayLike,
        **kwargs: Any,
    ) -> float:
        """Score the estimator's output for the target class."""
        if "groups" in kwargs and "groups" not in signature(self.function).parameters:
            rule = f"not be requested for {self.__name__}, which takes none"
            raise invalid("groups", rule, "values")
        check_order(X, y_true)
        for name, values in kwargs.items():  # the marks have no index
            check_index(name, values, y_true)
        given = {**self.settings, **kwargs, "pos_label": None}
        labels: list[Any] = [self.settings.get("pos_label")]
        if self.average == "macro":
            if not hasattr(estimator, "classes_"):
                rule = "be 'binary' for an estimator without classes"
                raise invalid("average", rule, "'macro'")
            labels = estimator.classes_.tolist()
        outputs, values = _outputs.setdefault(method_caller, {}), []
        for label in labels:
            points = orientation(estimator, X, y_true, label, self.detector_targets)
            if points.method not in outputs:
                outputs[points.method] = getattr(estimator, points.method)(X)
            scores = points.scores(outputs[points.method])
            values.append(self.function(points.marks(y_true, label), scores, **given))
        return self.sign * float(np.mean(values))

    def __sklearn_clone__(self) -> RankingScorer:
        """Return a copy, as `sklearn.base.clone` asks for it."""
        return deepcopy(self)

    def __repr__(self) -> str:
        """Print the metric and the settings, with those of the orientation."""
        metric = getattr(self.function, "__self__", self.function)
        shown = [repr(metric) if isinstance(metric, AnyMetric) else metric.__name__]
        shown += [f"{name}={value!r}" for name, value in self.settings.items()]
        if self.detector_targets is not None:
            shown.append(f"detector_targets={self.detector_targets!r}")
        if self.average != "binary":
            shown.append(f"average={self.average!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


# With such a default, scikit-learn 1.5 would accept requests for `groups` only.
RankingScorer.set_score_request = _Scorer.set_score_request


def scorer_of(
    metric: AnyMetric,
    pos_label: object,
    undefined: float | str,
    detector_targets: str | None,
    average: str = "binary",
) -> RankingScorer:
    """Make the scorer of a metric, negated if smaller values are better."""
    function = metric.unweighted if metric.counts_ranks else metric
    given = pos_label, undefined, detector_targets
    name = "macro_" * (average == "macro") + metric.name
    larger = metric.greater_is_better
    return RankingScorer(
        function, name, *given, greater_is_better=larger, average=average
    )


def make_average_precision_scorer(
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
    average: str = "binary",
) -> RankingScorer:
    """Scorer of average precision for a search; for others use make_metric_scorer.

    The scorer computes :func:`skrank.average_precision` from the scores of an
    estimator. A larger score is better.

    Parameters
    ----------
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric function.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold in which the metric is undefined, such as a fold without
        targets.
    detector_targets : {"outliers", "inliers"}, default=None
        Whether the targets are the outliers or the inliers of an outlier detector.
        Required for an outlier detector; see :func:`make_metric_scorer`.
    average : {"binary", "macro"}, default="binary"
        "binary" computes the metric for the class `pos_label`. "macro" computes the
        mean over the classes, each against the rest.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, *, sample_weight=None) -> float``. With metadata
        routing ``set_score_request(groups=...)`` requests one ranking for each day or
        query (:ref:`several_rankings`).

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Scorer of any metric.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrank import make_average_precision_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KNeighborsClassifier(),
    ...     {"n_neighbors": [1, 5, 25]},
    ...     scoring=make_average_precision_scorer(pos_label=0),
    ... ).fit(X, y)
    >>> search.best_params_
    {'n_neighbors': 25}

    The targets are the malignant tumours, which have the label 0.
    """
    # shared: ties_of_scorer pos_label undefined_of_scorer detector_targets_of_scorer
    #   average scorer
    given = pos_label, undefined, detector_targets, average
    return scorer_of(AveragePrecision(ties=ties), *given)


def make_average_precision_at_k_scorer(
    k: float,
    *,
    normalize: str = "min",
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
    average: str = "binary",
) -> RankingScorer:
    """Scorer of average precision at k; for other metrics use make_metric_scorer.

    The scorer computes :func:`skrank.average_precision_at_k` from the scores of an
    estimator. A larger score is better.

    Parameters
    ----------
    k : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the fold.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of the sum; see :func:`average_precision_at_k`.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric function.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold in which the metric is undefined, such as a fold without
        targets.
    detector_targets : {"outliers", "inliers"}, default=None
        Whether the targets are the outliers or the inliers of an outlier detector.
        Required for an outlier detector; see :func:`make_metric_scorer`.
    average : {"binary", "macro"}, default="binary"
        "binary" computes the metric for the class `pos_label`. "macro" computes the
        mean over the classes, each against the rest.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, *, sample_weight=None) -> float``. With metadata
        routing ``set_score_request(groups=...)`` requests one ranking for each day or
        query (:ref:`several_rankings`).

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Scorer of any metric.

    Examples
    --------
    >>> from skrank import make_average_precision_at_k_scorer
    >>> make_average_precision_at_k_scorer(100).__name__
    'average_precision@100'
    """
    # shared: ties_of_scorer pos_label undefined_of_scorer detector_targets_of_scorer
    #   average scorer
    metric = average_precision_at(k, normalize, ties)
    return scorer_of(metric, pos_label, undefined, detector_targets, average)


def make_recall_at_t_scorer(
    t: float,
    *,
    normalize: str = "relevant",
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
    average: str = "binary",
) -> RankingScorer:
    """Scorer of recall at t; for other metrics use make_metric_scorer.

    The scorer computes :func:`skrank.recall_at_t` from the scores of an estimator. A
    larger score is better.

    Parameters
    ----------
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the fold.
    normalize : {"relevant", "min"}, default="relevant"
        Divisor of the hits; see :func:`recall_at_t`.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric function.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold in which the metric is undefined, such as a fold without
        targets.
    detector_targets : {"outliers", "inliers"}, default=None
        Whether the targets are the outliers or the inliers of an outlier detector.
        Required for an outlier detector; see :func:`make_metric_scorer`.
    average : {"binary", "macro"}, default="binary"
        "binary" computes the metric for the class `pos_label`. "macro" computes the
        mean over the classes, each against the rest.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, *, sample_weight=None) -> float``. With metadata
        routing ``set_score_request(groups=...)`` requests one ranking for each day or
        query (:ref:`several_rankings`).

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Scorer of any metric.

    Examples
    --------
    >>> from skrank import make_recall_at_t_scorer
    >>> make_recall_at_t_scorer(0.05).__name__
    'recall@0.05'
    """
    # shared: ties_of_scorer pos_label undefined_of_scorer detector_targets_of_scorer
    #   average scorer
    metric = recall_at(t, normalize, ties)
    return scorer_of(metric, pos_label, undefined, detector_targets, average)


def make_precision_at_t_scorer(
    t: float,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
    average: str = "binary",
) -> RankingScorer:
    """Scorer of precision at t; for other metrics use make_metric_scorer.

    The scorer computes :func:`skrank.precision_at_t` from the scores of an estimator. A
    larger score is better.

    Parameters
    ----------
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the fold.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric function.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold in which the metric is undefined, such as a fold without
        targets.
    detector_targets : {"outliers", "inliers"}, default=None
        Whether the targets are the outliers or the inliers of an outlier detector.
        Required for an outlier detector; see :func:`make_metric_scorer`.
    average : {"binary", "macro"}, default="binary"
        "binary" computes the metric for the class `pos_label`. "macro" computes the
        mean over the classes, each against the rest.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, *, sample_weight=None) -> float``. With metadata
        routing ``set_score_request(groups=...)`` requests one ranking for each day or
        query (:ref:`several_rankings`).

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Scorer of any metric.

    Examples
    --------
    >>> from skrank import make_precision_at_t_scorer
    >>> make_precision_at_t_scorer(50).__name__
    'precision@50'
    """
    # shared: ties_of_scorer pos_label undefined_of_scorer detector_targets_of_scorer
    #   average scorer
    return scorer_of(
        PrecisionAtT(t, ties=ties), pos_label, undefined, detector_targets, average
    )
