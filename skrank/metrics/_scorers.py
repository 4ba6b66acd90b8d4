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
from inspect import signature
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from skrank._utils._checks import check_undefined, invalid
from skrank._utils._columns import check_index, check_order
from skrank.metrics._definitions._base import Metric
from skrank.metrics._definitions._curve import (
    BreakevenPoint,
    KAtRecall,
    MaxFScore,
    PrecisionAtRecall,
)
from skrank.metrics._definitions._measures import (
    AveragePrecision,
    Bedroc,
    EnrichmentFactor,
    PrecisionAtT,
    RecallAtT,
    ReciprocalRank,
    RobustInitialEnhancement,
    RPrecision,
    average_precision_at,
)
from skrank.metrics._definitions._names import make_metric
from skrank.metrics._thinned import check_thinning, plug_in_value
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
        **settings: Any,
    ) -> None:
        """Store the settings of ``function(y_true, y_score, **settings)``.

        Settings at their default are left out. A scorer with a negative sign has "neg_"
        before the name of the metric.
        """
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
        self.detector_targets = detector_targets
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
        pos_label = self.settings.get("pos_label")
        points = orientation(estimator, y_true, pos_label, self.detector_targets)
        outputs = _outputs.setdefault(method_caller, {})
        if points.method not in outputs:
            outputs[points.method] = getattr(estimator, points.method)(X)
        scores = points.scores(outputs[points.method])
        if "groups" in kwargs and "groups" not in signature(self.function).parameters:
            rule = f"not be requested by a scorer of {self.__name__}, which has none"
            raise invalid("groups", rule, "values")
        check_order(X, y_true)
        for name, values in kwargs.items():  # the marks have no index
            check_index(name, values, y_true)
        marks = points.marks(y_true, pos_label)
        given = {**self.settings, **kwargs, "pos_label": None}
        return self.sign * float(self.function(marks, scores, **given))

    def __repr__(self) -> str:
        """Print the metric and the settings, with those of the orientation."""
        metric = getattr(self.function, "__self__", self.function)
        shown = [repr(metric) if isinstance(metric, Metric) else metric.__name__]
        shown += [f"{name}={value!r}" for name, value in self.settings.items()]
        if self.detector_targets is not None:
            shown.append(f"detector_targets={self.detector_targets!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


# With such a default, scikit-learn 1.5 would accept requests for `groups` only.
RankingScorer.set_score_request = _Scorer.set_score_request


def scorer_of(
    metric: Metric,
    pos_label: object,
    undefined: float | str,
    detector_targets: str | None,
) -> RankingScorer:
    """Make the scorer of a metric, negated if smaller values are better."""
    function = metric.unweighted if metric.counts_ranks else metric
    given = pos_label, undefined, detector_targets
    larger = metric.greater_is_better
    return RankingScorer(function, metric.name, *given, greater_is_better=larger)


def make_metric_scorer(
    metric: str | Metric,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
    prevalence: float | None = None,
    negatives_kept: float | None = None,
) -> RankingScorer:
    """Make a scorer from the name of a metric.

    The scorer computes the metric from the scores of an estimator. A larger score is
    better, so the value of "k_at_recall" is negated.

    Parameters
    ----------
    metric : str or Metric
        Metric by its printed name: "average_precision", "average_precision@50",
        "recall@5%", "precision@10", "enrichment_factor@0.01", "reciprocal_rank",
        "rie(alpha=20)", "bedroc(alpha=20)", "r_precision", "max_f_score(beta=1)",
        "breakeven_point", "precision_at_recall(0.8)" or "k_at_recall(0.8)". A cutoff is
        a number of items or a fraction of the fold.
        "average_precision@50(normalize=hits)" has another divisor. An object of
        :func:`make_metric` keeps its own tie rule.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule. See the function of the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of the metric on a fold without targets or without non-targets.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector. Required for an outlier detector,
        because scikit-learn's detectors give inliers higher scores. Other estimators
        are not affected.
    prevalence : float, default=None
        Prevalence at which to compute the metric, between 0 and 1. The non-targets of
        each fold are repeated to reach this prevalence.
    negatives_kept : float, default=None
        Share of the non-targets that were kept, above 0 and up to 1, in place of
        `prevalence`. Each non-target counts ``1 / negatives_kept`` times.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``, made by
        :func:`sklearn.metrics.make_scorer`. Its ``__name__`` is the name of the metric,
        with the prefix ``neg_`` if the value is negated.

    Raises
    ------
    ValueError
        If there is no such metric, or if a setting is outside its range. The scorer
        raises the error if the estimator only gives labels, does not know the class
        `pos_label`, or is an outlier detector and `detector_targets` is None, or if a
        fold has fewer items than the cutoff.

    See Also
    --------
    deployment_estimate : Metric at another prevalence, with its uncertainty.
    make_rare_target_scorers : Scorers of all metrics.
    make_random_selection_scorer : Scorer that compares a metric with random selection.

    Notes
    -----
    With `prevalence` or `negatives_kept`, each non-target is repeated, and the
    non-targets take a whole number of ranks. Candidates are then selected by their
    errors at this prevalence. The values are too high if targets are above most
    non-targets; see :func:`deployment_estimate`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrank import make_metric_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_metric_scorer("bedroc(alpha=20)", pos_label=0)
    >>> estimator = KNeighborsClassifier()
    >>> cross_val_score(estimator, X, y, scoring=scorer).round(2)
    array([0.96, 1.  , 1.  , 1.  , 0.97])
    >>> make_metric_scorer("k_at_recall(0.8)").__name__
    'neg_k_at_recall(0.8)'
    """
    made = make_metric(metric, ties)
    if prevalence is None and negatives_kept is None:
        return scorer_of(made, pos_label, undefined, detector_targets)
    share, kept = check_thinning(prevalence, negatives_kept)
    return RankingScorer(
        plug_in_value,
        made.name,
        pos_label,
        undefined,
        detector_targets,
        greater_is_better=made.greater_is_better,
        metric=made,
        prevalence=share,
        negatives_kept=kept,
    )


def make_average_precision_scorer(
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of average precision.

    The scorer computes :func:`skrank.average_precision` from the scores of an
    estimator. A larger score is better.

    Parameters
    ----------
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule. See the function of the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold without targets or without non-targets.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector. Required for an outlier detector;
        see :func:`make_metric_scorer`.

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
    make_rare_target_scorers : Scorers of all metrics.

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
    return scorer_of(AveragePrecision(ties), pos_label, undefined, detector_targets)


def make_average_precision_at_k_scorer(
    k: float,
    *,
    normalize: str = "min",
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of average precision at k.

    The scorer computes :func:`skrank.average_precision_at_k` from the scores of an
    estimator. A larger score is better.

    Parameters
    ----------
    k : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the fold.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of the sum; see :func:`average_precision_at_k`.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule. See the function of the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold without targets or without non-targets.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector. Required for an outlier detector;
        see :func:`make_metric_scorer`.

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
    metric = average_precision_at(k, normalize, ties)
    return scorer_of(metric, pos_label, undefined, detector_targets)


def make_recall_at_t_scorer(
    t: float,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of recall at t.

    The scorer computes :func:`skrank.recall_at_t` from the scores of an estimator. A
    larger score is better.

    Parameters
    ----------
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the fold.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule. See the function of the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold without targets or without non-targets.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector. Required for an outlier detector;
        see :func:`make_metric_scorer`.

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
    return scorer_of(RecallAtT(ties, t), pos_label, undefined, detector_targets)


def make_precision_at_t_scorer(
    t: float,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of precision at t.

    The scorer computes :func:`skrank.precision_at_t` from the scores of an estimator. A
    larger score is better.

    Parameters
    ----------
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the fold.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule. See the function of the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold without targets or without non-targets.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector. Required for an outlier detector;
        see :func:`make_metric_scorer`.

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
    return scorer_of(PrecisionAtT(ties, t), pos_label, undefined, detector_targets)


def make_rare_target_scorers(
    *,
    t: float,
    k: float,
    alpha: float = 20.0,
    beta: float = 1.0,
    recall: float = 0.8,
    normalize: str = "min",
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> dict[str, RankingScorer]:
    """Make the scorers of all metrics, for ``scoring`` with several metrics.

    The predictions of a fold are computed once for all scorers.

    Parameters
    ----------
    t : int or float
        Depth of recall, precision and the enrichment factor. An int counts items, and a
        float in (0, 1] is a fraction of the fold.
    k : int or float
        Depth of average precision at k. An int counts items, and a float in (0, 1] is a
        fraction of the fold.
    alpha : float, default=20.0
        Decay rate of the weights of RIE and BEDROC, above 0.
    beta : float, default=1.0
        Weight of recall relative to precision in the maximum F-score, above 0.
    recall : float, default=0.8
        Share of the targets to find, for precision at a recall and k at a recall.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of average precision at k; see :func:`average_precision_at_k`.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of all metrics that have one.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of a fold without targets or without non-targets. For k at a recall it is
        negated.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector. Required for an outlier detector;
        see :func:`make_metric_scorer`.

    Returns
    -------
    scorers : dict of str to callable
        Scorers by the names of their metrics, including parameters. A larger score is
        better for all of them, so k at a recall is negated.

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Scorer of one metric.

    Examples
    --------
    >>> from skrank import make_rare_target_scorers
    >>> for name in make_rare_target_scorers(t=0.05, k=20):
    ...     print(name)
    average_precision
    average_precision@20
    recall@0.05
    precision@0.05
    enrichment_factor@0.05
    reciprocal_rank
    rie(alpha=20)
    bedroc(alpha=20)
    max_f_score(beta=1)
    breakeven_point
    r_precision
    precision_at_recall(0.8)
    neg_k_at_recall(0.8)
    """
    metrics = (
        AveragePrecision(ties),
        average_precision_at(k, normalize, ties),
        RecallAtT(ties, t),
        PrecisionAtT(ties, t),
        EnrichmentFactor(ties, t),
        ReciprocalRank(ties),
        RobustInitialEnhancement(ties, alpha),
        Bedroc(ties, alpha),
        MaxFScore(beta=beta),
        BreakevenPoint(),
        RPrecision(ties),
        PrecisionAtRecall(ties, recall),
        KAtRecall(ties, recall),
    )
    scorers = [
        scorer_of(metric, pos_label, undefined, detector_targets) for metric in metrics
    ]
    return {scorer.__name__: scorer for scorer in scorers}
