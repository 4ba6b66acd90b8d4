"""Metrics of the curve of precision and recall: its best points, and single points."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from skrank.metrics._definitions._curve import (
    BreakevenPoint,
    KAtRecall,
    KSStatistic,
    MaxFScore,
    PrecisionAtRecall,
    RecallAtPrecision,
    WorkSaved,
)
from skrank.metrics._shared import Shared, metric_function
from skrank.ranking._as_ranking import Labels


@metric_function
def max_f_score(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    beta: float = 1.0,
    **shared: Unpack[Shared],
) -> float:
    """Largest F-score of all thresholds; to choose a threshold use ThresholdChoice.

    A larger value is better. A ranking with all targets first has the value 1. The best
    threshold is chosen with the labels, so its F-score on other items is lower on
    average.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    beta : float, default=1.0
        Weight of recall relative to precision, above 0. A value above 1 favours recall.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, as for docking energies.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items.
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
    max_f_score : float
        Between 0 and 1. It is 0 only if all targets were missed. If all targets are
        scored, it is at least ``(1 + beta**2) m / (beta**2 m + n)``.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `beta` is not a finite number above 0.

    See Also
    --------
    breakeven_point : Equal recall and precision.
    operating_points : All thresholds with their F-scores.
    sklearn.metrics.fbeta_score : F-score of predicted labels.

    Notes
    -----
    With h(t) hits among the t items that a threshold retrieves, ``F = (1 + beta**2)
    h(t) / (beta**2 m + t)`` ([1]_, chapter 7). The value is the maximum over the
    thresholds. A threshold retrieves a tie as a whole, so there is no tie rule.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] van Rijsbergen (1979), *Information Retrieval*, 2nd edition, Butterworths.

    Examples
    --------
    >>> from skrank import max_f_score
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> max_f_score(y_true, y_score)
    0.6666...

    The top five hold three of the four targets: recall 0.75 and precision 0.6.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return MaxFScore(beta=beta)(y_true, y_score, **shared)


@metric_function
def breakeven_point(
    y_true: Labels, y_score: ArrayLike | None = None, **shared: Unpack[Shared]
) -> float:
    """Point where recall equals precision; if you have a depth use precision_at_t.

    A larger value is better. A ranking with all targets first has the value 1. The
    value is at most :func:`max_f_score`. Without ties it is at least
    :func:`r_precision`.

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
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items.
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
    breakeven_point : float
        Between 0 and 1. It is 0 only if all targets were missed. If all targets are
        scored, it is at least the prevalence m/n.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`.

    See Also
    --------
    r_precision : Equal recall and precision at the depth m of the ranking.
    operating_points : The points of the curve.

    Notes
    -----
    The interpolated precision at recall r is ``P(r) = max p_i`` over the operating
    points with recall ``r_i >= r``. Therefore ``P(r) >= r`` if a point has ``min(r_i,
    p_i) >= r``. The largest such r is ``max min(r_i, p_i)`` over the points. There the
    decreasing steps cross the diagonal. This point is usually not an operating point,
    but there is an operating point with at least the same recall and precision.

    If targets are missed, the curve can end before it crosses the diagonal. The
    breakeven point is then the recall at the end of the curve. LingPipe's
    ``ScoredPrecisionRecallEvaluation``, the source of the definition, returns 0.0
    there.

    A threshold retrieves a tie as a whole, so there is no tie rule.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    Examples
    --------
    >>> from skrank import breakeven_point
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> breakeven_point(y_true, y_score)
    0.6

    The top five have a recall of 0.75 and a precision of 0.6.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return BreakevenPoint()(y_true, y_score, **shared)


@metric_function
def k_at_recall(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    recall: float,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Number of items to inspect for a recall; for new items use ThresholdChoice.

    A smaller value is better, unlike for all other metrics. The smallest possible value
    is the number of targets to find.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    recall : float
        Share of the targets to find, above 0 and up to 1. The number of targets to find
        is rounded up, except for some weights (see `sample_weight`).
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
        Tie rule for the tie of the last target to find. "expected" uses the mean of its
        rank over all orders. "together" retrieves the tie as a whole. "optimistic"
        ranks the targets of the tie first, and "pessimistic" ranks them last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. k is then the weight down to the last item that is needed.
        The targets to find are a share of the weight of all targets, rounded up only if
        all weights are whole numbers. For ties see :func:`average_precision`.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int or mapping, default=0
        Targets that were never scored. They count among the targets and have no rank.
        If the recall is never reached, k is inf.
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
    k_at_recall : float
        Number of items, from the number of targets to find to the length of the
        ranking. It is inf if the recall is never reached. It can be fractional with
        "expected".

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `recall` is outside its range.

    See Also
    --------
    precision_at_recall : Precision at this depth.
    recall_at_t : Recall at a given depth.

    Notes
    -----
    The value is the rank of target number ``q = ceil(recall * m)``. For hit j of d in a
    tie of b items, below T items, the expected rank is ``T + j (b + 1) / (d + 1)``, the
    mean of the negative hypergeometric distribution ([1]_, section 6.2.3).

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Johnson, Kemp and Kotz (2005), *Univariate Discrete Distributions*, Wiley.

    Examples
    --------
    >>> from skrank import k_at_recall
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> k_at_recall(y_true, y_score, recall=0.75)
    5.0
    >>> k_at_recall(y_true, y_score, recall=1.0)
    9.0

    The top five items hold three of the four targets. The last target is at rank nine.
    """
    # shared: labels scores pos_label groups_of_metric n_unlisted undefined
    #   lower_is_better_of_one missing
    return KAtRecall(recall, ties=ties)(y_true, y_score, **shared)


@metric_function
def precision_at_recall(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    recall: float,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Precision at the depth of a recall; for the depth itself use k_at_recall.

    A larger value is better. The value is 1 if all items down to the last target to
    find are targets. A random ranking has about the prevalence m/n.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    recall : float
        Share of the targets to find, above 0 and up to 1. The number of targets to find
        is rounded up, except for some weights (see `sample_weight`).
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
        Tie rule for the tie of the last target to find. "expected" uses the mean of the
        precision at its rank over all orders. "together" retrieves the tie as a whole
        and counts all its targets. "optimistic" ranks the targets of the tie first, and
        "pessimistic" ranks them last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. The targets to find are a share of the weight of all
        targets, rounded up only if all weights are whole numbers. For ties see
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
    precision_at_recall : float
        Between 0 and 1. It is 0 only if targets were missed and the recall is not
        reached.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `recall` is outside its range.

    See Also
    --------
    k_at_recall : Depth of this precision.
    precision_at_t : Precision at a given depth.
    average_precision : Mean over all values of recall.

    Notes
    -----
    The value is ``q / k`` at the rank k of target number ``q = ceil(recall * m)``. Its
    mean over ``recall = 1/m, 2/m, ..., 1`` is average precision. In a tie of b items
    with d hits, below T items with H hits, hit ``j = q - H`` has place i with
    probability ``C(i-1, j-1) C(b-i, d-j) / C(b, d)``, the negative hypergeometric
    distribution ([1]_, section 6.2.3). "expected" is the mean of ``q / (T + i)`` under
    this distribution, and "together" is ``(H + d) / (T + b)``. Time is O(n log m + b);
    see :ref:`performance`.

    References
    ----------
    .. [1] Johnson, Kemp and Kotz (2005), *Univariate Discrete Distributions*, Wiley.

    Examples
    --------
    >>> from skrank import precision_at_recall
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> round(precision_at_recall(y_true, y_score, recall=0.75), 3)
    0.6
    >>> precision_at_recall(y_true, y_score, recall=1.0)
    0.4444...

    Three of the four targets are among the top five. The last target is at rank nine.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return PrecisionAtRecall(recall, ties=ties)(y_true, y_score, **shared)


@metric_function
def recall_at_precision(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    precision: float,
    **shared: Unpack[Shared],
) -> float:
    """Largest recall with a precision; to choose a threshold use ThresholdChoice.

    A larger value is better. A ranking with all targets first has the value 1. The
    threshold is chosen with the labels, so on other items its precision is lower on
    average.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    precision : float
        Smallest share of targets among the items that a threshold retrieves, above 0
        and up to 1.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, as for docking energies.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items.
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
    recall_at_precision : float
        Between 0 and 1. It is 0 if no threshold has the precision.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `precision` is outside its range.

    See Also
    --------
    precision_at_recall : Precision at a given recall.
    ThresholdChoice : The threshold, with its interval.
    operating_points : All thresholds.

    Notes
    -----
    With h(t) hits among the t items that a threshold retrieves, the value is the
    maximum of ``h(t) / m`` over the thresholds with ``h(t) / t >= precision``. A
    threshold retrieves a tie as a whole, so there is no tie rule.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    Examples
    --------
    >>> from skrank import recall_at_precision
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> recall_at_precision(y_true, y_score, precision=0.6)
    0.75
    >>> recall_at_precision(y_true, y_score, precision=0.7)
    0.0

    The top five hold three of the four targets. No threshold has a higher precision.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return RecallAtPrecision(precision=precision)(y_true, y_score, **shared)


@metric_function
def wss(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    recall: float = 0.95,
    rounding: str = "up",
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Work saved over sampling (WSS) at a recall; for the depth use k_at_recall.

    WSS is the share of the items that need not be read to find a share of the targets,
    minus the share ``1 - recall`` that a random order saves with many targets. A larger
    value is better. The mean over random rankings is about 0, and above 0 with few
    targets: at a recall of 0.95 it is 0.12 with 5 targets and 0.04 with 10 targets.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    recall : float, default=0.95
        Share of the targets to find, above 0 and up to 1. The number of targets to find
        is rounded, except for some weights.
    rounding : {"up", "even", "down"}, default="up"
        Rounding of the number of targets to find, which is at least 1. "up" reaches the
        recall. "even" rounds to the nearest number, and .5 to the nearest even number,
        as Python's ``round`` and the evaluation script of CLEF TAR do. "down" rounds
        down, as Python's ``int`` does.
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
        Tie rule for the tie of the last target to find, as in :func:`k_at_recall`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items, as in :func:`k_at_recall`.
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
    wss : float
        At least ``recall - 1``, if all items must be read or the recall is never
        reached. At most ``recall`` minus the number of targets to find divided by the
        number of items.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if `recall` is outside its range.

    See Also
    --------
    k_at_recall : Number of items to read.

    Notes
    -----
    The value is ``(n - k) / n - (1 - recall) = recall - k / n`` for k items to read of
    n ([1]_, section 4.1). Time is O(n log m) and memory O(m) + n bytes; see
    :ref:`performance`.

    References
    ----------
    .. [1] Cohen, Hersh, Peterson and Yen (2006), "Reducing workload in systematic
       review preparation using automated citation classification", *JAMIA* 13(2),
       206-219.

    Examples
    --------
    >>> from skrank import wss
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> wss(y_true, y_score, recall=0.75)
    0.25
    >>> round(wss(y_true, y_score), 3)
    0.05

    Five of the ten items hold three of the four targets: half of the items need not be
    read, where a random order saves a quarter. The last target is at rank nine.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return WorkSaved(recall, rounding, ties=ties)(y_true, y_score, **shared)


@metric_function
def ks_statistic(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    **shared: Unpack[Shared],
) -> float:
    """Kolmogorov-Smirnov (KS) statistic; if only the top matters use recall_at_t.

    The KS statistic is the largest difference between the share of the targets and the
    share of the non-targets that a threshold retrieves. A larger value is better. A
    random ranking has a value above 0, because the threshold is chosen with the labels.

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
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items.
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
    ks_statistic : float
        Between 0 and 1. It is 0 if no threshold retrieves a larger share of the targets
        than of the non-targets, as in a reversed ranking. The two-sided statistic of
        SciPy is above 0 there.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`.

    See Also
    --------
    HitCurve.gains_table : The difference at the ends of deciles.
    scipy.stats.ks_2samp : Test of equal distributions of the scores.

    Notes
    -----
    The value is the maximum of ``h(t) / m - (t - h(t)) / (n - m)`` over the thresholds,
    for h(t) hits among t items. It is the statistic of the one-sided test of two
    samples ([1]_, section 5.1), the targets and the non-targets, and the largest Youden
    index (recall plus specificity minus 1). A threshold retrieves a tie as a whole, so
    there is no tie rule. Time is O(n log m) and memory O(m) + n bytes; see
    :ref:`performance`.

    For a p-value against random scores use SciPy's ``ks_2samp(score[y == 1], score[y ==
    0], alternative="less")``. With ties it is too large.

    References
    ----------
    .. [1] Gibbons and Chakraborti (2010), *Nonparametric Statistical Inference*, 5th
       edition, CRC Press.

    Examples
    --------
    >>> from skrank import ks_statistic
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> ks_statistic(y_true, y_score)
    0.4166...

    The top five items hold three of the four targets and two of the six others. SciPy
    has the p-value:

    >>> import numpy as np
    >>> from scipy.stats import ks_2samp
    >>> y, score = np.array(y_true), np.array(y_score)
    >>> test = ks_2samp(score[y == 1], score[y == 0], alternative="less")
    >>> round(float(test.statistic), 3), round(float(test.pvalue), 3)
    (0.417, 0.352)
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return KSStatistic()(y_true, y_score, **shared)
