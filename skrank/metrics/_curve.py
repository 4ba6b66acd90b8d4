"""What the curve of recall and precision comes to: its best points, and one of them."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from skrank.metrics._by_group import evaluate
from skrank.metrics._definitions._curve import (
    BreakevenPoint,
    KAtRecall,
    MaxFScore,
    PrecisionAtRecall,
)
from skrank.ranking._as_ranking import Labels


def max_f_score(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    beta: float = 1.0,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Maximum F-score: the best balance of recall and precision at any threshold.

    Larger is better: 1 for a ranking that puts all targets first. The threshold is
    chosen with the labels in hand: on other items it will not do as well.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    beta : float, default=1.0
        Weight of recall relative to precision, above 0. A value above 1 favours recall.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: an item of weight 2 is two items.
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
    max_f_score : float
        Between 0, which is left to rankings whose targets were all missed, and 1; with
        all targets scored it is at least ``(1 + beta**2) m / (beta**2 m + n)``.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels; if `beta` is
        not a finite number above 0; or if the metric is undefined and
        ``undefined="raise"``.

    See Also
    --------
    breakeven_point : Where recall and precision are equal.
    operating_points : All operating points, and the F-score of each.
    sklearn.metrics.fbeta_score : The F-score of given labels.

    Notes
    -----
    With h(t) hits among the t items that a threshold retrieves,
    ``F = (1 + beta**2) h(t) / (beta**2 m + t)`` ([1]_, chapter 7), here the largest
    over the thresholds. A threshold retrieves a tie whole, so that there is no tie rule
    to choose.

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
    0.667

    The top five have three targets of four: recall 0.75, precision 0.6.
    """
    metric = MaxFScore(beta=beta)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)


def breakeven_point(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Breakeven point: where the interpolated curve has recall equal to precision.

    Larger is better: 1 for a ranking that puts all targets first. It is never above
    :func:`max_f_score`, and without ties never below :func:`r_precision`.

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
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: an item of weight 2 is two items.
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
    breakeven_point : float
        Between 0, which is left to rankings whose targets were all missed, and 1; with
        all targets scored it is at least the prevalence m/n.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels; or if the
        metric is undefined and ``undefined="raise"``.

    See Also
    --------
    r_precision : Where recall and precision are equal on the ranking itself.
    operating_points : The curve.

    Notes
    -----
    The interpolated precision at recall r is ``P(r) = max p_i`` over the operating
    points with recall ``r_i >= r``: the step function through the points that no other
    dominates. ``P(r) >= r`` says that some point has ``r_i >= r`` and ``p_i >= r``,
    that is ``min(r_i, p_i) >= r``. The last such r, where the falling steps cross the
    diagonal, is therefore ``max min(r_i, p_i)`` over the points. It is no operating
    point itself, as a rule, but a mark that one of them clears in recall and precision.

    If targets are missed, the curve may end before it crosses the diagonal. The
    breakeven point is then the recall at its end. LingPipe's
    ``ScoredPrecisionRecallEvaluation``, from which the definition is, gives 0.0 there.

    A threshold retrieves a tie whole, so that there is no tie rule to choose.

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
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(BreakevenPoint(), y_true, y_score, *given)


def k_at_recall(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    recall: float,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Depth k at a recall: the items to look at to find a share of the targets.

    Smaller is better, unlike all other metrics: it is the work that a recall costs. Its
    least value is the number of targets that are needed.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    recall : float
        Share of the targets to find, above 0, up to 1; rounded up to whole targets,
        but see `sample_weight`.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within the tie of the last target that is needed: the mean over all orders of
        its rank; the tie retrieved whole; the tie's targets first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights: k is then the weight down to the last item that is needed. The targets
        needed are a share of their weight, rounded up only if all weights are whole.
        A tie of weighted items that holds a target is
        retrieved whole, as by ``ties="threshold"``: with a warning where `ties` is
        "expected", whose mean has no closed form then; the others are refused.
    groups : array-like of shape (n_samples,), default=None
        To which ranking each item belongs, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and have no rank.
        A recall that is never reached has k = inf.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    k_at_recall : float
        A number of items, from the targets needed to the length of the ranking; inf if
        the recall is never reached. Not always whole under "expected".

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, weights with
        "optimistic" or "pessimistic" ties; if `recall` is not a number above 0, up to
        1; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    precision_at_recall : The precision at this depth.
    recall_at_t : The inverse, the recall of a depth.

    Notes
    -----
    The rank of target number ``q = ceil(recall * m)``. If that is hit j of d in a tie
    group of b items, below T items, its expected rank is ``T + j (b + 1) / (d + 1)``,
    the mean of the negative hypergeometric distribution ([1]_, section 6.2.3).

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Johnson, Kemp and Kotz (2005), *Univariate Discrete Distributions*, 3rd
       edition, Wiley.

    Examples
    --------
    >>> from skrank import k_at_recall
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> k_at_recall(y_true, y_score, recall=0.75)
    5.0
    >>> k_at_recall(y_true, y_score, recall=1.0)
    9.0

    Five items have three targets of four; for the last one needs four more.
    """
    metric = KAtRecall(ties, recall)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)


def precision_at_recall(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    recall: float,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Precision at a recall: the share of targets among what one has to look at.

    Larger is better: 1 if nothing but targets stands above the last that is needed,
    about the prevalence m/n for a random ranking.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    recall : float
        Share of the targets to find, above 0, up to 1; rounded up to whole targets,
        but see `sample_weight`.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within the tie of the last target that is needed: the mean over all orders of
        the precision at its rank; the tie retrieved whole, all its targets counted; the
        tie's targets first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights: an item is retrieved with all its weight. The targets needed are a
        share of their weight, rounded up only if all weights are whole. A tie of
        weighted items that holds a target is retrieved whole, as by
        ``ties="threshold"``: with a warning where `ties` is "expected", whose mean has
        no closed form then; the others are refused.
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
    precision_at_recall : float
        Above 0, up to 1; 0 if targets were missed and the recall is never reached.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, weights with
        "optimistic" or "pessimistic" ties; if `recall` is not a number above 0, up to
        1; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    k_at_recall : The depth at which this is the precision.
    precision_at_t : Precision at a given depth.
    average_precision : The mean over all values of recall.

    Notes
    -----
    ``q / k`` at the rank k of target number ``q = ceil(recall * m)``. Its mean over
    ``recall = 1/m, 2/m, ..., 1`` is average precision, under each tie rule. In a tie
    group of b items with d hits, below T items with H hits, hit ``j = q - H`` is at
    place i with chance ``C(i-1, j-1) C(b-i, d-j) / C(b, d)``, the negative
    hypergeometric distribution ([1]_, section 6.2.3); "expected" is the sum of this
    chance times ``q / (T + i)``, over i from j to b - d + j. "threshold" is ``(H + d) /
    (T + b)``.

    Time O(n log m) for m targets, and O(b) for the tie; memory one byte an item, O(m)
    and O(b); see :ref:`performance`.

    References
    ----------
    .. [1] Johnson, Kemp and Kotz (2005), *Univariate Discrete Distributions*, 3rd
       edition, Wiley.

    Examples
    --------
    >>> from skrank import precision_at_recall
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> precision_at_recall(y_true, y_score, recall=0.75)
    0.6
    >>> precision_at_recall(y_true, y_score, recall=1.0)
    0.444

    Three targets of four are among the top five, the fourth is at rank nine.
    """
    metric = PrecisionAtRecall(ties, recall)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)
