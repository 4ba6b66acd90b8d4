"""Scorer factories: a metric, its settings bound, as scikit-learn's ``scoring=``.

What comes in are a metric's settings. What goes out is a scorer made by
:func:`sklearn.metrics.make_scorer`, so that searches, cross-validation and curves treat
it as their own: it is pickled, cloned, routed, and computes the predictions of a fold
once for all scorers of a multi-metric search. There is no arithmetic here.

A scorer ranks by ``decision_function``, else ``predict_proba``, else, for regressors
and plain rankers, ``predict``. What a scorer of ``make_scorer`` does not do is look at
the estimator it is given: a classifier with nothing but labels would be scored on them,
an outlier detector upside down, and scorers with different `pos_label` would read each
other's predictions. So it gets one more step here, which orients the scores or refuses.
There is no public hook for that step: it overrides the method that scikit-learn's
multi-metric scorer calls, the same from 1.5 on, as the tests make sure.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from skrank._measures import make_measure
from skrank._response import (
    RESPONSE_METHODS,
    check_detector_targets,
    orientation,
)
from skrank._validation import check_undefined
from skrank.metrics import (
    average_precision,
    average_precision_at_k,
    bedroc,
    enrichment_factor,
    precision_at_t,
    recall_at_t,
    reciprocal_rank,
    rie,
)

__all__ = [
    "make_average_precision_at_k_scorer",
    "make_average_precision_scorer",
    "make_bedroc_scorer",
    "make_enrichment_factor_scorer",
    "make_precision_at_t_scorer",
    "make_rare_target_scorers",
    "make_recall_at_t_scorer",
    "make_reciprocal_rank_scorer",
    "make_rie_scorer",
]

_Scorer: Any = type(make_scorer(average_precision))


class RankingScorer(_Scorer):  # type: ignore[misc]
    """A scorer of ``make_scorer`` that orients the scores before it measures them."""

    detector_targets: str | None = None

    def _score(
        self,
        method_caller: Callable[..., Any],
        estimator: Any,
        X: Any,  # noqa: N803
        y_true: Any,
        **kwargs: Any,
    ) -> float:
        """Score predictions for the target class, shared by all that have the same."""
        pos_label = self._kwargs.get("pos_label")
        points = orientation(estimator, y_true, pos_label, self.detector_targets)

        def oriented(estimator: Any, method: str, *args: Any, **_: Any) -> Any:
            if points.target_class is None:
                return points.sign * np.asarray(method_caller(estimator, method, *args))
            # scikit-learn caches by the method, whatever the target class. A tuple that
            # names the method once or twice means the same to it, but is another key.
            key = (method,) * (1 + points.target_class)
            target = estimator.classes_[points.target_class]
            return method_caller(estimator, key, *args, pos_label=target)

        return float(super()._score(oriented, estimator, X, y_true, **kwargs))

    def __repr__(self) -> str:
        """Print the settings, the orientation included."""
        text: str = super().__repr__()
        if self.detector_targets is None:
            return text
        return f"{text[:-1]}, detector_targets={self.detector_targets})"


def make_average_precision_scorer(
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of average precision.

    The scorer's values are those of :func:`skrank.average_precision` on the scores of
    an estimator; larger is better.

    Parameters
    ----------
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector. scikit-learn's detectors score
        inliers higher, so there is no default: without it a detector is refused. Other
        estimators are not affected.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``, made by
        :func:`sklearn.metrics.make_scorer`. Its ``__name__`` is that of the metric with
        its cut-off.

    Raises
    ------
    ValueError
        Here, if a setting is outside its range; from the scorer, if the estimator can
        only give labels, knows other than two classes, or is an outlier detector of
        unstated orientation.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.

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

    The malignant tumours, labelled 0 here, are the targets.
    """
    measure = make_measure("average_precision", ties=ties)
    return _make(
        average_precision,
        measure.name,
        {"ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )


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

    The scorer's values are those of :func:`skrank.average_precision_at_k` on the scores
    of an estimator; larger is better.

    Parameters
    ----------
    k : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the fold.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor; see the metric.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_average_precision_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_average_precision_scorer`; from the scorer also if a fold has
        fewer than `k` items.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.

    Examples
    --------
    >>> from skrank import make_average_precision_at_k_scorer
    >>> make_average_precision_at_k_scorer(100).__name__
    'average_precision@100'
    """
    settings = {"k": k, "normalize": normalize, "ties": ties}
    measure = make_measure(
        "average_precision_at_k", k=k, normalize=normalize, ties=ties
    )
    return _make(
        average_precision_at_k,
        measure.name,
        settings,
        pos_label,
        undefined,
        detector_targets,
    )


def make_recall_at_t_scorer(
    t: float,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of recall at t.

    The scorer's values are those of :func:`skrank.recall_at_t` on the scores of an
    estimator; larger is better.

    Parameters
    ----------
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the fold.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_average_precision_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_average_precision_scorer`; from the scorer also if a fold has
        fewer than `t` items.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.

    Examples
    --------
    >>> from skrank import make_recall_at_t_scorer
    >>> make_recall_at_t_scorer(0.05).__name__
    'recall@0.05'
    """
    measure = make_measure("recall_at_t", t=t, ties=ties)
    return _make(
        recall_at_t,
        measure.name,
        {"t": t, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )


def make_precision_at_t_scorer(
    t: float,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of precision at t.

    The scorer's values are those of :func:`skrank.precision_at_t` on the scores of an
    estimator; larger is better.

    Parameters
    ----------
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the fold.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_average_precision_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_average_precision_scorer`; from the scorer also if a fold has
        fewer than `t` items.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.

    Examples
    --------
    >>> from skrank import make_precision_at_t_scorer
    >>> make_precision_at_t_scorer(50).__name__
    'precision@50'
    """
    measure = make_measure("precision_at_t", t=t, ties=ties)
    return _make(
        precision_at_t,
        measure.name,
        {"t": t, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )


def make_enrichment_factor_scorer(
    t: float,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of the enrichment factor at t.

    The scorer's values are those of :func:`skrank.enrichment_factor` on the scores of
    an estimator; larger is better.

    Parameters
    ----------
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the fold.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_average_precision_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_average_precision_scorer`; from the scorer also if a fold has
        fewer than `t` items.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.

    Examples
    --------
    >>> from skrank import make_enrichment_factor_scorer
    >>> make_enrichment_factor_scorer(0.01).__name__
    'enrichment_factor@0.01'
    """
    measure = make_measure("enrichment_factor", t=t, ties=ties)
    return _make(
        enrichment_factor,
        measure.name,
        {"t": t, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )


def make_reciprocal_rank_scorer(
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of the reciprocal rank of the first target.

    The scorer's values are those of :func:`skrank.reciprocal_rank` on the scores of an
    estimator; larger is better.

    Parameters
    ----------
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_average_precision_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_average_precision_scorer`.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.

    Examples
    --------
    >>> from skrank import make_reciprocal_rank_scorer
    >>> make_reciprocal_rank_scorer().__name__
    'reciprocal_rank'
    """
    measure = make_measure("reciprocal_rank", ties=ties)
    return _make(
        reciprocal_rank,
        measure.name,
        {"ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )


def make_rie_scorer(
    *,
    alpha: float = 20.0,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of robust initial enhancement.

    The scorer's values are those of :func:`skrank.rie` on the scores of an
    estimator; larger is better.

    Parameters
    ----------
    alpha : float, default=20.0
        How early is early; see the metric.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_average_precision_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_average_precision_scorer`.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.

    Examples
    --------
    >>> from skrank import make_rie_scorer
    >>> make_rie_scorer().__name__
    'rie(alpha=20)'
    """
    measure = make_measure("rie", alpha=alpha, ties=ties)
    return _make(
        rie,
        measure.name,
        {"alpha": alpha, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )


def make_bedroc_scorer(
    *,
    alpha: float = 20.0,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of BEDROC.

    The scorer's values are those of :func:`skrank.bedroc` on the scores of an
    estimator; larger is better.

    Parameters
    ----------
    alpha : float, default=20.0
        How early is early; see the metric.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_average_precision_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_average_precision_scorer`.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.

    Examples
    --------
    >>> from skrank import make_bedroc_scorer
    >>> make_bedroc_scorer(alpha=80.5).__name__
    'bedroc(alpha=80.5)'
    """
    measure = make_measure("bedroc", alpha=alpha, ties=ties)
    return _make(
        bedroc,
        measure.name,
        {"alpha": alpha, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )


def make_rare_target_scorers(
    *,
    t: float,
    k: float,
    alpha: float = 20.0,
    normalize: str = "min",
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> dict[str, RankingScorer]:
    """Make the scorers of all metrics, for a multi-metric ``scoring=``.

    The predictions of a fold are computed once for all of them.

    Parameters
    ----------
    t : int or float
        Depth of recall, precision and the enrichment factor.
    k : int or float
        Depth of average precision at k.
    alpha : float, default=20.0
        How early is early, for RIE and BEDROC.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of average precision at k.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of all metrics.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_average_precision_scorer`.

    Returns
    -------
    scorers : dict of str to callable
        Scorers under the names of their metrics, cut-offs and alpha included.

    Raises
    ------
    ValueError
        As the single factories.

    See Also
    --------
    make_average_precision_scorer : One metric.

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
    """
    shared: dict[str, Any] = {
        "ties": ties,
        "pos_label": pos_label,
        "undefined": undefined,
        "detector_targets": detector_targets,
    }
    scorers = (
        make_average_precision_scorer(**shared),
        make_average_precision_at_k_scorer(k, normalize=normalize, **shared),
        make_recall_at_t_scorer(t, **shared),
        make_precision_at_t_scorer(t, **shared),
        make_enrichment_factor_scorer(t, **shared),
        make_reciprocal_rank_scorer(**shared),
        make_rie_scorer(alpha=alpha, **shared),
        make_bedroc_scorer(alpha=alpha, **shared),
    )
    return {scorer.__name__: scorer for scorer in scorers}


def _make(
    metric: Callable[..., float],
    name: str,
    settings: dict[str, Any],
    pos_label: object,
    undefined: float | str,
    detector_targets: str | None,
) -> RankingScorer:
    """Make the scorer and give it what ``make_scorer`` has no room for."""
    check_undefined(undefined)
    check_detector_targets(detector_targets)
    if pos_label is not None:
        settings = {**settings, "pos_label": pos_label}
    if undefined == "raise" or not np.isnan(undefined):
        settings = {**settings, "undefined": undefined}
    scorer: Any = make_scorer(metric, response_method=RESPONSE_METHODS, **settings)
    scorer.__class__ = RankingScorer
    scorer.detector_targets = detector_targets
    scorer.__name__ = name  # what scikit-learn's displays label an axis with
    return scorer  # type: ignore[no-any-return]
