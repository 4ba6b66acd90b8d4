"""Early recognition: reciprocal rank, RIE and BEDROC."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from skrank.metrics._by_group import evaluate
from skrank.metrics._definitions._measures import (
    Bedroc,
    ReciprocalRank,
    RobustInitialEnhancement,
)
from skrank.ranking._as_ranking import Labels


def reciprocal_rank(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    pos_label: object = None,
    ties: str = "expected",
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Reciprocal rank: one over the rank of the first target.

    Larger is better: 1 if a target comes first. Nothing below the first target counts;
    it is the metric for whoever stops at one. Its mean over rankings is known as MRR.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within the tie of the first target: the mean over all orders of one over the
        rank; the rank of the tie's last item; its targets first, or last.
    groups : array-like of shape (n_samples,), default=None
        To which ranking each item belongs, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and have no rank.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    reciprocal_rank : float
        Between 0, which is left to rankings whose targets were all missed, and 1.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels; or if the
        metric is undefined and ``undefined="raise"``.

    See Also
    --------
    average_precision : All targets count.

    Notes
    -----
    ``RR = 1 / r`` for the first hit at rank r ([1]_). In a tie group of b items with d
    hits, below T items without any, the expected value is
    ``sum_{j=1..b-d+1} C(b-j, d-1) / C(b, d) / (T + j)``, the mean over all orders, of
    which [2]_ make the rule for this metric, too.

    A rank counts items, and so there are no weights.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Voorhees (1999), "The TREC-8 question answering track report", *TREC-8*,
       77-82.
    .. [2] McSherry and Najork (2008), "Computing information retrieval performance
       measures efficiently in the presence of tied scores", *ECIR 2008*, LNCS 4956,
       414-421.

    Examples
    --------
    >>> from skrank import reciprocal_rank
    >>> reciprocal_rank([0, 0, 1, 0, 1], [5, 4, 3, 2, 1])
    0.333

    Two targets and an other in a tie: one time in three the other comes first.

    >>> reciprocal_rank([1, 1, 0, 0], [2, 2, 2, 1])
    0.833
    """
    metric = ReciprocalRank(ties)
    given = pos_label, None, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)


def rie(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    alpha: float = 20.0,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Robust initial enhancement: enrichment with a weight that falls with the rank.

    Larger is better; 1 on average for a random ranking. All targets count, the one at
    rank r with weight ``exp(-alpha r / n)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    alpha : float, default=20.0
        How early is early, above 0: the first fraction f of the ranking holds the part
        ``(1 - exp(-alpha f)) / (1 - exp(-alpha))`` of all weight, which at 20 is 80 %
        for the first 8 %.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie: the mean over all orders, the tie retrieved whole (each target has
        the rank of the tie's last item), its targets first, or its targets last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: an item of weight 2 is two items. Refused with
        ``ties="threshold"``, which counts items down to a rank.
    groups : array-like of shape (n_samples,), default=None
        To which ranking each item belongs, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and the n items
        and have no rank.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    rie : float
        Above 0, or 0 if all targets were missed. At most ``(1 - exp(-alpha R)) / (R (1
        - exp(-alpha)))`` with R = m/n; so values of rankings of different prevalence
        are not on one scale.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, an alpha that
        is not above 0; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    bedroc : The same on a scale from 0 to 1.
    enrichment_factor : All targets above a cutoff count alike.

    Notes
    -----
    ``RIE = (1/m) sum over the hits of exp(-alpha r / n) / mu``, with mu the mean of
    ``exp(-alpha r / n)`` over all ranks r = 1..n ([1]_; in closed form [2]_),
    ``mu = (1/n) (1 - exp(-alpha)) / (exp(alpha / n) - 1)``. The hits of a tie group
    have, in expectation, the mean weight of its ranks.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Sheridan, Singh, Fluder and Kearsley (2001), "Protocols for bridging the
       peptide to nonpeptide gap in topological similarity searches", *Journal of
       Chemical Information and Computer Sciences* 41(5), 1395-1406.
    .. [2] Truchon and Bayly (2007), "Evaluating virtual screening methods: good and bad
       metrics for the 'early recognition' problem", *Journal of Chemical Information
       and Modeling* 47(2), 488-508.

    Examples
    --------
    >>> from skrank import rie
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0], range(10, 0, -1)
    >>> rie(y_true, y_score, alpha=5)
    2.416
    >>> rie(y_true, [1] * 10, alpha=5)
    1.0

    The larger alpha, the more the very first places count:

    >>> rie(y_true, y_score)
    3.28
    """
    metric = RobustInitialEnhancement(ties, alpha=alpha)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)


def bedroc(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    alpha: float = 20.0,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """BEDROC: early recognition on a scale from the worst ranking, 0, to the best, 1.

    Larger is better. It is robust initial enhancement, see :func:`rie`, scaled: the
    order of two rankings of one data set is the same by both.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    alpha : float, default=20.0
        How early is early, above 0: the first fraction f of the ranking holds the part
        ``(1 - exp(-alpha f)) / (1 - exp(-alpha))`` of all weight, which at 20 is 80 %
        for the first 8 %.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie: the mean over all orders, the tie retrieved whole (each target has
        the rank of the tie's last item), its targets first, or its targets last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: an item of weight 2 is two items. Refused with
        ``ties="threshold"``, which counts items down to a rank.
    groups : array-like of shape (n_samples,), default=None
        To which ranking each item belongs, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and the n items
        and have no rank. The worst ranking is then one that misses all targets.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    bedroc : float
        Between 0 and 1. With ``ties="threshold"`` it can be below 0, for a tie at the
        end of the ranking: all its targets count as the last item.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, an alpha that
        is not above 0; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    rie : The same as a multiple of what is expected by chance.

    Notes
    -----
    ``BEDROC = (RIE - RIE_min) / (RIE_max - RIE_min)`` ([1]_). With R = m/n, ``RIE_max =
    (1 - exp(-alpha R)) / (R (1 - exp(-alpha)))`` is the RIE of a ranking with all
    targets first, ``RIE_min = (1 - exp(alpha R)) / (R (1 - exp(alpha)))`` of one with
    all targets last.

    A random ranking has RIE 1 on average, and so BEDROC
    ``(1 - RIE_min) / (RIE_max - RIE_min)``. That is not 0.5: for rare targets it is
    near ``1/alpha - 1/(exp(alpha) - 1)``, 0.05 for an alpha of 20. See
    :class:`skrank.RandomSelectionTest` for what is expected by chance.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Truchon and Bayly (2007), "Evaluating virtual screening methods: good and bad
       metrics for the 'early recognition' problem", *Journal of Chemical Information
       and Modeling* 47(2), 488-508.

    Examples
    --------
    >>> from skrank import bedroc
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0], range(10, 0, -1)
    >>> bedroc(y_true, y_score, alpha=5)
    0.924
    >>> bedroc(y_true, [1] * 10, alpha=5)
    0.364

    The constant score has what is expected by chance.
    """
    metric = Bedroc(ties, alpha=alpha)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)
