"""Scorers of early recognition: reciprocal rank, RIE and BEDROC."""

from __future__ import annotations

from skrank.metrics import bedroc, reciprocal_rank, rie
from skrank.metrics._definitions import Bedroc, ReciprocalRank, RobustInitialEnhancement
from skrank.metrics._scorers._ranking_scorer import RankingScorer, make


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
    measure = ReciprocalRank(ties)
    return make(
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
    measure = RobustInitialEnhancement(ties, alpha=alpha)
    return make(
        rie,
        measure.name,
        {"alpha": measure.alpha, "ties": ties},
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
    measure = Bedroc(ties, alpha=alpha)
    return make(
        bedroc,
        measure.name,
        {"alpha": measure.alpha, "ties": ties},
        pos_label,
        undefined,
        detector_targets,
    )
