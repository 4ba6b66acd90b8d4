"""Scorers of what the top t hold: recall, precision, the enrichment factor."""

from __future__ import annotations

from skrank.metrics import enrichment_factor, precision_at_t, recall_at_t
from skrank.metrics._definitions import EnrichmentFactor, PrecisionAtT, RecallAtT
from skrank.metrics._scorers._ranking_scorer import RankingScorer, make


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
    measure = RecallAtT(ties, t=t)
    return make(
        recall_at_t,
        measure.name,
        {"t": measure.t, "ties": ties},
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
    measure = PrecisionAtT(ties, t=t)
    return make(
        precision_at_t,
        measure.name,
        {"t": measure.t, "ties": ties},
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
    measure = EnrichmentFactor(ties, t=t)
    return make(
        enrichment_factor,
        measure.name,
        {"t": measure.t, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )
