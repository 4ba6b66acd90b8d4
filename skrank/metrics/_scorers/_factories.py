"""Scorers of one metric: of any, and of the four that searches are tuned by most."""

from __future__ import annotations

from skrank.metrics._definitions import (
    AveragePrecision,
    Metric,
    PrecisionAtT,
    RecallAtT,
    average_precision_at,
    make_metric,
)
from skrank.metrics._scorers._ranking_scorer import RankingScorer, scorer_of


def make_metric_scorer(
    metric: str | Metric,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of any metric, by its name.

    The scorer's values are those of the metric's function on the scores of an
    estimator, of "k_at_recall" with the sign turned: of scores the larger is better.

    Parameters
    ----------
    metric : str or Metric
        The metric, as it is printed: "average_precision", "average_precision@50",
        "recall@5%", "precision@10", "enrichment_factor@0.01", "reciprocal_rank",
        "rie(alpha=20)", "bedroc(alpha=20)", "r_precision", "max_f_score(beta=1)",
        "breakeven_point", "precision_at_recall(0.8)" or "k_at_recall(0.8)". A cutoff is
        a number of items or a part of the fold; "average_precision@50(normalize=hits)"
        has another divisor. Or what :func:`make_metric` made, with its own tie rule.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of the metric on a fold without targets, or with targets alone.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector. scikit-learn's detectors score
        inliers higher, so there is no default: without it a detector is refused. Other
        estimators are not affected.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``, made by
        :func:`sklearn.metrics.make_scorer`. Its ``__name__`` is that of the metric,
        behind ``neg_`` where the sign is turned.

    Raises
    ------
    ValueError
        Here, if there is no such metric, or a setting is outside its range; from the
        scorer, if the estimator can only give labels, knows other than two classes, or
        is an outlier detector of unstated orientation, or if a fold has fewer items
        than the cutoff counts.

    See Also
    --------
    make_rare_target_scorers : Several metrics at once.
    make_random_selection_scorer : A metric relative to chance.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrank import make_metric_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_metric_scorer("bedroc(alpha=20)", pos_label=0)
    >>> cross_val_score(KNeighborsClassifier(), X, y, scoring=scorer).round(2)
    array([0.96, 1.  , 1.  , 1.  , 0.97])
    >>> make_metric_scorer("k_at_recall(0.8)").__name__
    'neg_k_at_recall(0.8)'
    """
    made = make_metric(metric, ties)
    return scorer_of(made, pos_label, undefined, detector_targets)


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
        What the targets are to an outlier detector; see :func:`make_metric_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Any metric.
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
        What the targets are to an outlier detector; see :func:`make_metric_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Any metric.

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
        What the targets are to an outlier detector; see :func:`make_metric_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Any metric.

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
        What the targets are to an outlier detector; see :func:`make_metric_scorer`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``.

    Raises
    ------
    ValueError
        As in :func:`make_metric_scorer`.

    See Also
    --------
    make_metric_scorer : Any metric.

    Examples
    --------
    >>> from skrank import make_precision_at_t_scorer
    >>> make_precision_at_t_scorer(50).__name__
    'precision@50'
    """
    return scorer_of(PrecisionAtT(ties, t), pos_label, undefined, detector_targets)
