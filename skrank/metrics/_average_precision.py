"""Average precision, of the whole ranking and at k."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from skrank.metrics._definitions._sums import AveragePrecision, average_precision_at
from skrank.metrics._shared import Shared, metric_function
from skrank.ranking._as_ranking import Labels


@metric_function
def average_precision(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Average precision over all depths; if you have a depth use precision_at_t.

    A larger value is better. A ranking with all targets first has the value 1. The mean
    over random rankings is near the prevalence (:class:`skrank.RandomSelectionTest`).

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
        Tie rule. "expected" uses the mean over all orders of a tie. "together"
        retrieves a tie as a whole, as scikit-learn's ``average_precision_score`` does.
        "optimistic" ranks its targets first, and "pessimistic" ranks them last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item is retrieved with its whole weight. A weighted tie
        that contains a target is also retrieved as a whole, with a warning if `ties` is
        "expected".
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
    average_precision : float
        At most 1; ``sum(i / (n - m + i)) / m`` over i = 1..m if all targets are last.

    Raises
    ------
    ValueError
        If labels or scores are invalid (different lengths, no items, missing or
        infinite values, hard labels as scores, unknown labels), if
        ``undefined="raise"`` and the metric is undefined, or if `ties` is "optimistic"
        or "pessimistic" for a weighted tie.

    See Also
    --------
    average_precision_at_k : Average precision of the top k.
    sklearn.metrics.average_precision_score : The same with ``ties="together"``.

    Notes
    -----
    With h(t) hits among the top t, ``AP = (1/m) sum over the hits of h(t)/t`` ([1]_,
    Definition 1 and Example 3; [2]_, equation 2). A tie of b items with d hits, below T
    items with H hits, has the expected sum ``sum_{j=1..b} (d/b) (H + 1 +
    (j-1)(d-1)/(b-1)) / (T + j)`` ([3]_, section 3). Time is O(n log m); see
    :ref:`performance`.

    References
    ----------
    .. [1] Zhu (2004), working paper 2004-09, University of Waterloo.
    .. [2] Zhang and Su (2012), *FSKD 2012*, 1348-1352.
    .. [3] McSherry and Najork (2008), *ECIR 2008*, LNCS 4956, 414-421.

    Examples
    --------
    >>> from skrank import average_precision
    >>> average_precision([1, 1, 0, 1, 0, 0, 0, 0], range(8, 0, -1))
    0.9166...

    With ties, the value depends on the tie rule. It is between 0.556 ("pessimistic")
    and 0.917 ("optimistic"):

    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0], [3, 3, 3, 2, 2, 2, 1, 1]
    >>> average_precision(y_true, y_score)
    0.7425...
    >>> average_precision(y_true, y_score, ties="together")
    0.6111...
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return AveragePrecision(ties=ties)(y_true, y_score, **shared)


@metric_function
def average_precision_at_k(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    k: float,
    normalize: str = "min",
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Average precision of the top k; for all depths use average_precision.

    A larger value is better. A perfect top has the value 1; with
    ``normalize="relevant"`` only if all targets fit in the top k.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    k : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the ranking,
        rounded up.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of the sum: ``min(m, k)`` for "min", all m targets for "relevant", or
        the hits in the top k for "hits". With "hits", one hit at rank 1 gives a larger
        value than hits at ranks 2 to 5.
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
        Tie rule. "expected" uses the mean over all orders of a tie. "together"
        retrieves a tie as a whole, so a tie across k moves the cutoff to its end.
        "optimistic" ranks its targets first, and "pessimistic" ranks them last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items; `k` then counts units of weight. For ties see
        :func:`average_precision`.
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
    average_precision_at_k : float
        Between 0 and 1. It is 0 if the top k contain no target.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if the cutoff is beyond the ranking.

    See Also
    --------
    average_precision : Average precision of the whole ranking.
    precision_at_t : Share of hits in the top, regardless of their order.

    Notes
    -----
    ``AP@k = (1/c) sum over the hits in the top k of h(t)/t`` with the divisor c. The
    divisor "hits", from [1]_, differs between rankings of the same data set. Ties are
    treated as in :func:`average_precision` ([2]_, section 3), with the sum over j up to
    the cutoff. Time is O(n) for a cutoff in the top 1/16, else O(n log m); see
    :ref:`performance`.

    References
    ----------
    .. [1] Bhat, "Precision, recall, and all that", pixel-druid.com.
    .. [2] McSherry and Najork (2008), *ECIR 2008*, LNCS 4956, 414-421.

    Examples
    --------
    >>> from skrank import average_precision_at_k
    >>> y_true, y_score = [0, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1]
    >>> average_precision_at_k(y_true, y_score, k=2)
    0.25
    >>> average_precision_at_k(y_true, y_score, k=2, normalize="relevant")
    0.1666...
    >>> average_precision_at_k(y_true, y_score, k=2, normalize="hits")
    0.5

    The top two hold one target. It has rank 2, where the precision is 1/2.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return average_precision_at(k, normalize, ties)(y_true, y_score, **shared)
