"""Scorers of average precision, over the whole ranking and at k."""

from __future__ import annotations

from skrank.metrics import average_precision, average_precision_at_k
from skrank.metrics._definitions import AveragePrecision, average_precision_at
from skrank.metrics._scorers._ranking_scorer import RankingScorer, make


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
        its cutoff.

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
    measure = AveragePrecision(ties)
    return make(
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
    measure = average_precision_at(k, normalize, ties)
    return make(
        average_precision_at_k,
        measure.name,
        {"k": measure.k, "normalize": normalize, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )
