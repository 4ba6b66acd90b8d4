"""The scorers of all metrics at once."""

from __future__ import annotations

from skrank.metrics._definitions import (
    AveragePrecision,
    Bedroc,
    BreakevenPoint,
    EnrichmentFactor,
    KAtRecall,
    MaxFScore,
    PrecisionAtRecall,
    PrecisionAtT,
    RecallAtT,
    ReciprocalRank,
    RobustInitialEnhancement,
    RPrecision,
    average_precision_at,
)
from skrank.metrics._scorers._ranking_scorer import RankingScorer, scorer_of


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
    beta : float, default=1.0
        How many times as much recall counts as precision, for the maximum F-score.
    recall : float, default=0.8
        Share of the targets to find, for precision and k at a recall.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of average precision at k.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of all metrics that have one.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    undefined : float or "raise", default=nan
        Value of a fold without targets, or with targets alone; k at a recall turns its
        sign.
    detector_targets : {"outliers", "inliers"}, default=None
        What the targets are to an outlier detector; see
        :func:`make_metric_scorer`.

    Returns
    -------
    scorers : dict of str to callable
        Scorers under the names of their metrics, parameters included. For all of them
        larger is better: k at a recall is negated.

    Raises
    ------
    ValueError
        As the single factories.

    See Also
    --------
    make_metric_scorer : One metric, by its name.

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
