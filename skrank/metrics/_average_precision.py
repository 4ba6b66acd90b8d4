"""Average precision, over the whole ranking and at k."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from skrank.metrics._by_group import evaluate
from skrank.metrics._definitions._measures import (
    AveragePrecision,
    average_precision_at,
)
from skrank.metrics._evaluate import depth_called
from skrank.ranking._as_ranking import Labels


def average_precision(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Average precision: the mean over the targets of the precision at their ranks.

    Larger is better: 1 for a ranking that puts all targets first, about the prevalence
    for a random one (see :class:`skrank.RandomSelectionTest` for what exactly chance
    gives). It rewards finding targets early, and finding many.

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
        Within a tie: the mean over all orders, the tie retrieved whole (as in
        scikit-learn's ``average_precision_score``), its targets first, or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights: an item is retrieved with all its weight. A tie of weighted items that
        holds a target is retrieved whole, as by ``ties="threshold"``: with a warning
        where `ties` is "expected", whose mean has no closed form then; the others are
        refused.
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
    average_precision : float
        At most 1; at least ``sum(i / (n - m + i)) / m`` over i = 1..m, if all targets
        are scored.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, weights with
        "optimistic" or "pessimistic" ties; or if the metric is undefined and
        ``undefined="raise"``.

    See Also
    --------
    average_precision_at_k : Only the top k count.
    sklearn.metrics.average_precision_score : The same with ``ties="threshold"``.

    Notes
    -----
    With h(t) hits among the top t, ``AP = (1/m) sum over the hits of h(t)/t`` ([1]_,
    Definition 1 and Example 3; [2]_, equation 2). In a tie group of b items with d
    hits, below T items with H hits, the expected sum is
    ``sum_{j=1..b} (d/b) (H + 1 + (j-1)(d-1)/(b-1)) / (T + j)`` ([3]_, section 3).

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Zhu (2004), "Recall, precision and average precision", working paper 2004-09,
       University of Waterloo.
    .. [2] Zhang and Su (2012), "Statistical inference on recall, precision and average
       precision under random selection", *FSKD 2012*, 1348-1352.
    .. [3] McSherry and Najork (2008), "Computing information retrieval performance
       measures efficiently in the presence of tied scores", *ECIR 2008*, LNCS 4956,
       414-421.

    Examples
    --------
    >>> from skrank import average_precision
    >>> average_precision([1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    0.917

    With three distinct scores, the order inside each is left open:

    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0], [3, 3, 3, 2, 2, 2, 1, 1]
    >>> average_precision(y_true, y_score)
    0.743
    >>> average_precision(y_true, y_score, ties="threshold")
    0.611

    Whatever an order inside the ties could make of it lies between 0.556
    (``ties="pessimistic"``) and 0.917 (``ties="optimistic"``).
    """
    metric = AveragePrecision(ties)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)


@depth_called("k", other="t")
def average_precision_at_k(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    k: float,
    normalize: str = "min",
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Average precision at k: only the hits among the top k count.

    Larger is better; 1 for a perfect top (with ``normalize="relevant"``: if all targets
    fit in it).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    k : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the ranking,
        rounded up.
    normalize : {"min", "relevant", "hits"}, default="min"
        What the sum is divided by: ``min(m, k)``, so that a perfect top scores 1; all m
        targets; or the hits found in the top k. Beware of "hits": a ranking with one
        hit, at rank 1, then beats one with hits at ranks 2 to 5.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie: the mean over all orders, the tie retrieved whole (a tie across k
        moves the cutoff down to its end), its targets first, or its targets last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; `k` then counts units of weight. A tie of weighted items that holds a
        target is retrieved whole, as by ``ties="threshold"``: with a warning where
        `ties` is "expected", whose mean has no closed form then; the others are
        refused.
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
    average_precision_at_k : float
        Between 0 and 1. 0 if the top k hold no target.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, a cutoff
        beyond the ranking, weights with "optimistic" or "pessimistic" ties; or if the
        metric is undefined and ``undefined="raise"``.

    See Also
    --------
    average_precision : The whole ranking counts.
    precision_at_t : Counts the hits without regard to their order.

    Notes
    -----
    ``AP@K = (1/c) sum over the hits in the top k of h(t)/t``, with
    ``c = min(m, k)``, m or h(k). The last is the division that [1]_ arrives at; unlike
    the others it is not constant over rankings of one data set. Ties are as in
    :func:`average_precision` ([2]_, section 3), the sum over j ending at the cutoff.

    Time O(n) for a cutoff in the best sixteenth of the ranking, else O(n log m) for m
    targets; memory one byte an item and O(m); see :ref:`performance`.

    References
    ----------
    .. [1] Bhat, "Precision, recall, and all that", pixel-druid.com.
    .. [2] McSherry and Najork (2008), "Computing information retrieval performance
       measures efficiently in the presence of tied scores", *ECIR 2008*, LNCS 4956,
       414-421.

    Examples
    --------
    >>> from skrank import average_precision_at_k
    >>> y_true, y_score = [0, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1]
    >>> average_precision_at_k(y_true, y_score, k=2)
    0.25
    >>> average_precision_at_k(y_true, y_score, k=2, normalize="relevant")
    0.167
    >>> average_precision_at_k(y_true, y_score, k=2, normalize="hits")
    0.5

    One of the two places holds a target, at rank 2, where the precision is 1/2.
    """
    metric = average_precision_at(k, normalize, ties)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)
