"""Scorers of what the curve of recall and precision comes to."""

from __future__ import annotations

from skrank.metrics import (
    breakeven_point,
    k_at_recall,
    max_f_score,
    precision_at_recall,
    r_precision,
)
from skrank.metrics._definitions._curve import (
    BreakevenPoint,
    KAtRecall,
    MaxFScore,
    PrecisionAtRecall,
    RPrecision,
)
from skrank.metrics._scorers._ranking_scorer import RankingScorer, make


def make_max_f_score_scorer(
    *,
    beta: float = 1.0,
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of the maximum F-score.

    The scorer's values are those of :func:`skrank.max_f_score` on the scores of an
    estimator; larger is better.

    Parameters
    ----------
    beta : float, default=1.0
        How many times as much recall counts as precision.
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
    >>> from skrank import make_max_f_score_scorer
    >>> make_max_f_score_scorer(beta=2).__name__
    'max_f_score(beta=2)'
    """
    figure = MaxFScore(beta)
    return make(
        max_f_score,
        figure.name,
        {"beta": figure.beta},
        pos_label,
        undefined,
        detector_targets,
    )


def make_breakeven_point_scorer(
    *,
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of the recall-precision breakeven point.

    The scorer's values are those of :func:`skrank.breakeven_point` on the scores of an
    estimator; larger is better.

    Parameters
    ----------
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
    >>> from skrank import make_breakeven_point_scorer
    >>> make_breakeven_point_scorer().__name__
    'breakeven_point'
    """
    figure = BreakevenPoint()
    return make(
        breakeven_point,
        figure.name,
        {},
        pos_label,
        undefined,
        detector_targets,
    )


def make_r_precision_scorer(
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of R-precision.

    The scorer's values are those of :func:`skrank.r_precision` on the scores of an
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
    >>> from skrank import make_r_precision_scorer
    >>> make_r_precision_scorer().__name__
    'r_precision'
    """
    figure = RPrecision(ties)
    return make(
        r_precision,
        figure.name,
        {"ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )


def make_k_at_recall_scorer(
    recall: float,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of k at a recall.

    The scorer's values are those of :func:`skrank.k_at_recall` on the scores of an
    estimator, with the sign turned: a smaller k is better, and of scores the larger.

    Parameters
    ----------
    recall : float
        Share of the targets to find, above 0, up to 1.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of k, which the scorer turns, of a fold without targets, or with targets
        alone.
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
    >>> from skrank import make_k_at_recall_scorer
    >>> make_k_at_recall_scorer(0.8).__name__
    'neg_k_at_recall(0.8)'
    """
    figure = KAtRecall(recall, ties)
    return make(
        k_at_recall,
        f"neg_{figure.name}",
        {"recall": figure.recall, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
        greater_is_better=False,
    )


def make_precision_at_recall_scorer(
    recall: float,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
) -> RankingScorer:
    """Make a scorer of precision at a recall.

    The scorer's values are those of :func:`skrank.precision_at_recall` on the scores of
    an estimator; larger is better.

    Parameters
    ----------
    recall : float
        Share of the targets to find, above 0, up to 1.
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
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrank import make_precision_at_recall_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KNeighborsClassifier(),
    ...     {"n_neighbors": [1, 5, 25]},
    ...     scoring=make_precision_at_recall_scorer(0.8, pos_label=0),
    ... ).fit(X, y)
    >>> search.best_params_
    {'n_neighbors': 5}

    Whoever wants 80 % of the malignant tumours, labelled 0 here, looks at the fewest
    others with 5 neighbours.
    """
    figure = PrecisionAtRecall(recall, ties)
    return make(
        precision_at_recall,
        figure.name,
        {"recall": figure.recall, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )
