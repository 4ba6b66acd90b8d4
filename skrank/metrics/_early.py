"""Early recognition: reciprocal rank, NDCG, RIE and BEDROC."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from skrank.metrics._definitions._sums import (
    Bedroc,
    LogAUC,
    ReciprocalRank,
    RobustInitialEnhancement,
    ndcg_at,
)
from skrank.metrics._shared import Shared, metric_function, unweighted_function
from skrank.ranking._as_ranking import Labels


@unweighted_function
def reciprocal_rank(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """1 / rank of the first target; if you need all targets use average_precision.

    A larger value is better. The value is 1 if the first item is a target. Targets
    below the first target do not count, so use the metric if one target is enough. The
    mean over several rankings is known as MRR.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, as for docking energies.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule for the tie of the first target. "expected" uses the mean of the value
        over all orders. "together" uses the rank of the last item of the tie.
        "optimistic" ranks its targets first, and "pessimistic" ranks them last.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int or mapping, default=0
        Targets that were never scored. They count among the targets and have no rank.
    n_unlisted : int or mapping, default=None
        Number of items that were never scored, including the missed targets. They rank
        below all others, as one tie. With `groups`, pass mappings from groups to
        numbers for both.
    undefined : float or "raise", default=nan
        Value to return if the metric is undefined: without targets, and for BEDROC and
        KS also without non-targets. NaN is returned with an ``UndefinedMetricWarning``,
        another number without a warning. "raise" raises an error.

    Returns
    -------
    reciprocal_rank : float
        Between 0 and 1. It is 0 only if all targets were missed.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`.

    See Also
    --------
    average_precision : Metric in which all targets count.

    Notes
    -----
    For the first hit at rank r, ``RR = 1 / r`` ([1]_). If it is in a tie of b items
    with d hits, below T items, the mean over all orders is ``sum_{j=1..b-d+1} C(b-j,
    d-1) / C(b, d) / (T + j)``, the tie rule of [2]_.

    The metric has no weights, because a rank is a number of items.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Voorhees (1999), "The TREC-8 question answering track report", *TREC-8*,
       77-82.
    .. [2] McSherry and Najork (2008), *ECIR 2008*, LNCS 4956, 414-421.

    Examples
    --------
    >>> from skrank import reciprocal_rank
    >>> reciprocal_rank([0, 0, 1, 0, 1], [5, 4, 3, 2, 1])
    0.3333...

    If two targets and a non-target are tied, the non-target is first in one of three
    orders:

    >>> reciprocal_rank([1, 1, 0, 0], [2, 2, 2, 1])
    0.8333...
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return ReciprocalRank(ties=ties)(y_true, y_score, **shared)


@unweighted_function
def ndcg(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    k: float | None = None,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """NDCG with binary labels, as in search engines; else use average_precision.

    A larger value is better. The target at rank r adds ``1 / log2(r + 1)``, and the sum
    is divided by the sum of a ranking with all targets first. The value is 1 if the
    first items are targets. Targets at large ranks count for more than in average
    precision. The value equals scikit-learn's ``ndcg_score`` for relevances 0 and 1.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    k : int or float, default=None
        Depth down to which targets count, in the ranking and in the perfect ranking. An
        int counts items, and a float in (0, 1] is a fraction of the ranking, rounded
        up. None counts all targets.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, as for docking energies.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule. "expected" uses the mean over all orders, as scikit-learn does.
        "together" counts all targets of a tie at its last rank. "optimistic" ranks its
        targets first, and "pessimistic" ranks them last.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int or mapping, default=0
        Targets that were never scored. They count among the targets and have no rank.
    n_unlisted : int or mapping, default=None
        Number of items that were never scored, including the missed targets. They rank
        below all others, as one tie. With `groups`, pass mappings from groups to
        numbers for both.
    undefined : float or "raise", default=nan
        Value to return if the metric is undefined: without targets, and for BEDROC and
        KS also without non-targets. NaN is returned with an ``UndefinedMetricWarning``,
        another number without a warning. "raise" raises an error.

    Returns
    -------
    ndcg : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `k` is beyond the ranking.

    See Also
    --------
    average_precision : The mean precision at the ranks of the targets.
    reciprocal_rank : Metric in which only the first target counts.

    Notes
    -----
    With the ranks R of the m targets, ``NDCG = sum_{r in R, r <= k} 1 / log2(r + 1)``
    divided by ``sum_{j=1..min(m, k)} 1 / log2(j + 1)`` ([1]_, with binary gains). In a
    tie each place has the same share of the targets (McSherry and Najork, 2008).

    The metric has no weights, because a rank is a number of items. Time is O(n log m)
    and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR
       techniques", *ACM Transactions on Information Systems* 20(4), 422-446.

    Examples
    --------
    >>> from skrank import ndcg
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]
    >>> ndcg(y_true, y_score)
    0.8710...
    >>> ndcg(y_true, y_score, k=2)
    0.6131...
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return ndcg_at(k, ties)(y_true, y_score, **shared)


@metric_function
def rie(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    alpha: float = 20.0,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Robust initial enhancement (RIE); on a scale from 0 to 1 use bedroc.

    A larger value is better. The mean over random rankings is 1. All targets count, and
    the target at rank r has the weight ``exp(-alpha r / n)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    alpha : float, default=20.0
        Decay rate of the weights, above 0. The top fraction f has the share ``(1 -
        exp(-alpha f)) / (1 - exp(-alpha))`` of the weight: 80 % for f = 8 % and alpha =
        20.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, as for docking energies.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule. "expected" uses the mean over all orders of a tie. "together" ranks
        all its targets at the last rank of the tie. "optimistic" ranks its targets
        first, and "pessimistic" ranks them last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items. Not allowed with
        ``ties="together"``, which counts items down to a rank.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int or mapping, default=0
        Targets that were never scored. They count among the targets and the items and
        have no rank.
    n_unlisted : int or mapping, default=None
        Number of items that were never scored, including the missed targets. They rank
        below all others, as one tie. With `groups`, pass mappings from groups to
        numbers for both.
    undefined : float or "raise", default=nan
        Value to return if the metric is undefined: without targets, and for BEDROC and
        KS also without non-targets. NaN is returned with an ``UndefinedMetricWarning``,
        another number without a warning. "raise" raises an error.

    Returns
    -------
    rie : float
        At most ``(1 - exp(-alpha R)) / (R (1 - exp(-alpha)))`` with R = m/n, so values
        at different prevalences are not comparable. It is 0 if all targets were missed.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `alpha` is not above 0.

    See Also
    --------
    bedroc : RIE on a scale from 0 to 1.
    enrichment_factor : Metric in which all targets above a cutoff count the same.

    Notes
    -----
    RIE is the mean of ``exp(-alpha r / n)`` over the hits divided by its mean mu over
    all ranks ([1]_), ``mu = (1/n) (1 - exp(-alpha)) / (exp(alpha / n) - 1)`` ([2]_).
    With "expected", the hits of a tie have the mean weight of its ranks. Time is O(n
    log m); see :ref:`performance`.

    References
    ----------
    .. [1] Sheridan et al. (2001), *J. Chem. Inf. Comput. Sci.* 41(5), 1395-1406.
    .. [2] Truchon and Bayly (2007), *J. Chem. Inf. Model.* 47(2), 488-508.

    Examples
    --------
    >>> from skrank import rie
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0], range(10, 0, -1)
    >>> rie(y_true, y_score, alpha=5)
    2.4159...
    >>> rie(y_true, [1] * 10, alpha=5)
    1.0

    A larger `alpha` gives the first ranks more weight:

    >>> rie(y_true, y_score)
    3.279...
    """
    # shared: labels scores pos_label groups_of_metric n_unlisted undefined
    #   lower_is_better_of_one missing
    return RobustInitialEnhancement(alpha=alpha, ties=ties)(y_true, y_score, **shared)


@metric_function
def bedroc(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    alpha: float = 20.0,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """BEDROC, early recognition from 0 to 1; at one depth use enrichment_factor.

    A larger value is better. BEDROC is :func:`rie` on another scale. Both put the
    rankings of one data set in the same order.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    alpha : float, default=20.0
        Decay rate of the weights, above 0. The top fraction f has the share ``(1 -
        exp(-alpha f)) / (1 - exp(-alpha))`` of the weight: 80 % for f = 8 % and alpha =
        20.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, as for docking energies.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule. "expected" uses the mean over all orders of a tie. "together" ranks
        all its targets at the last rank of the tie. "optimistic" ranks its targets
        first, and "pessimistic" ranks them last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items. Not allowed with
        ``ties="together"``, which counts items down to a rank.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int or mapping, default=0
        Targets that were never scored. They count among the targets and the items and
        have no rank. The worst possible ranking then misses all targets.
    n_unlisted : int or mapping, default=None
        Number of items that were never scored, including the missed targets. They rank
        below all others, as one tie. With `groups`, pass mappings from groups to
        numbers for both.
    undefined : float or "raise", default=nan
        Value to return if the metric is undefined: without targets, and for BEDROC and
        KS also without non-targets. NaN is returned with an ``UndefinedMetricWarning``,
        another number without a warning. "raise" raises an error.

    Returns
    -------
    bedroc : float
        Between 0 and 1. With ``ties="together"`` it can be below 0 if a tie at the end
        of the ranking contains targets, because all of them have the last rank.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `alpha` is not above 0.

    See Also
    --------
    rie : Value relative to the mean over random rankings.

    Notes
    -----
    ``BEDROC = (RIE - RIE_min) / (RIE_max - RIE_min)`` ([1]_). With R = m/n, the RIE
    with all targets first is ``RIE_max = (1 - exp(-alpha R)) / (R (1 -
    exp(-alpha)))``. The RIE with all targets last is ``RIE_min = (1 - exp(alpha R)) /
    (R (1 - exp(alpha)))``.

    The mean over random rankings is ``(1 - RIE_min) / (RIE_max - RIE_min)``. It is not
    0.5. For rare targets it is near ``1/alpha - 1/(exp(alpha) - 1)``, which is 0.05 for
    an alpha of 20. Time is O(n log m); see :ref:`performance`.

    References
    ----------
    .. [1] Truchon and Bayly (2007), *J. Chem. Inf. Model.* 47(2), 488-508.

    Examples
    --------
    >>> from skrank import bedroc
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0], range(10, 0, -1)
    >>> bedroc(y_true, y_score, alpha=5)
    0.9244...
    >>> bedroc(y_true, [1] * 10, alpha=5)
    0.3643...

    A constant score has the chance level.
    """
    # shared: labels scores pos_label groups_of_metric n_unlisted undefined
    #   lower_is_better_of_one missing
    return Bedroc(alpha=alpha, ties=ties)(y_true, y_score, **shared)


@unweighted_function
def log_auc(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    fpr: float = 0.001,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """LogAUC, the area under a ROC curve with a log axis; at one depth use recall_at_t.

    The area is divided by its largest value. Each decade of the false positive rate has
    the same weight. A larger value is better. The mean over random rankings is ``(1 -
    fpr) / log(1 / fpr)``, which is 0.145 for an fpr of 0.001. The adjusted LogAUC is
    the value minus this mean.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    fpr : float, default=0.001
        Smallest false positive rate of the area, between 0 and 1.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, as for docking energies.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule. "expected" uses the mean over all orders of a tie. "together" ranks
        all its targets at the last rank of the tie. "optimistic" ranks its targets
        first, and "pessimistic" ranks them last.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int or mapping, default=0
        Targets that were never scored. They count among the targets and the items and
        have no rank. The worst possible ranking then misses all targets.
    n_unlisted : int or mapping, default=None
        Number of items that were never scored, including the missed targets. They rank
        below all others, as one tie. With `groups`, pass mappings from groups to
        numbers for both.
    undefined : float or "raise", default=nan
        Value to return if the metric is undefined: without targets, and for BEDROC and
        KS also without non-targets. NaN is returned with an ``UndefinedMetricWarning``,
        another number without a warning. "raise" raises an error.

    Returns
    -------
    log_auc : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `fpr` is not between 0 and 1.

    See Also
    --------
    bedroc : Early recognition with exponential weights.

    Notes
    -----
    A target with f of n non-targets above it adds the part of the axis from ``max(f/n,
    fpr)`` to 1 ([1]_), ``log(max(f/n, fpr)) / log(fpr)``, and the value is the mean of
    these parts. In a tie, "expected" is the mean over the orders, not the area under a
    straight line. With more than about 4000 items, p-values are estimated by random
    draws. Time is O(n log m); see :ref:`performance`.

    References
    ----------
    .. [1] Mysinger and Shoichet (2010), "Rapid context-dependent ligand desolvation in
       molecular docking", *J. Chem. Inf. Model.* 50(9), 1561-1573.

    Examples
    --------
    >>> from skrank import log_auc
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0], range(10, 0, -1)
    >>> log_auc(y_true, y_score, fpr=0.1)
    0.9483...

    Two targets are above all non-targets. One of the seven non-targets is above the
    third target, which therefore has a part of ``log(1/7) / log(0.1)``.
    """
    # shared: labels scores pos_label groups_of_metric n_unlisted undefined
    #   lower_is_better_of_one missing
    return LogAUC(fpr=fpr, ties=ties)(y_true, y_score, **shared)
