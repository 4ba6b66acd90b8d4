"""The metrics: labels and scores in, one number out.

Every function reads the same `Ranking` and hands it to one measure. Each is
``(y_true, y_score, *, ...) -> float``, larger is better, and each knows the same four
rules for ties. Where a metric has no value it is NaN with a warning, never a number
that could be mistaken for one.

Notation: n items, m of them targets; h(t) targets ("hits") stand among the top t.
"""

import math
import warnings

from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from skrank._measures import Measure, make_measure
from skrank._ranking import Ranking, rank
from skrank._validation import check_ranking_input, check_undefined

__all__ = [
    "average_precision",
    "average_precision_at_k",
    "bedroc",
    "enrichment_factor",
    "precision_at_t",
    "recall_at_t",
    "reciprocal_rank",
    "rie",
]


def average_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Average precision: the mean over the targets of the precision at their ranks.

    Larger is better: 1 for a list that puts all targets first, about the prevalence
    for a random one (see :class:`skrank.RandomSelectionTest` for what exactly luck
    gives). It rewards finding targets early, and finding many.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the
        target; other labels need `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, in any unit: only their order counts, higher meaning a likelier target.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie: the mean over all orders, the tie retrieved whole (as in
        scikit-learn's ``average_precision_score``), its targets first, or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: an item of weight 2 is two items. Only with
        ``ties="threshold"``; the other rules order the items inside a tie, and with
        unequal weights that has no closed form.
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
        another tie rule than "threshold"; or if the metric is undefined and
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

    Time O(n log n), one sort of score values; memory one copy of the scores.

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
    measure = make_measure("average_precision", ties=ties)
    return _evaluate(
        measure, y_true, y_score, pos_label, sample_weight, n_missed, undefined
    )


def average_precision_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float,
    normalize: str = "min",
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Average precision at k: only the hits among the top k count.

    Larger is better; 1 for a perfect top (with ``normalize="relevant"``: if all targets
    fit in it).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the
        target; other labels need `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, in any unit: only their order counts, higher meaning a likelier target.
    k : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the list, rounded
        up.
    normalize : {"min", "relevant", "hits"}, default="min"
        What the sum is divided by: ``min(m, k)``, so that a perfect top scores 1; all m
        targets; or the hits found in the top k. Beware of "hits": a list with one hit,
        at rank 1, then beats one with hits at ranks 2 to 5.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie: the mean over all orders, the tie retrieved whole (a tie across k
        moves the cut down to its end), its targets first, or its targets last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition; `k` then counts units of weight. Only with
        ``ties="threshold"``.
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
        missing or infinite values, hard labels as scores, unknown labels, a cut beyond
        the list, weights with another tie rule than "threshold"; or if the metric is
        undefined and ``undefined="raise"``.

    See Also
    --------
    average_precision : The whole list counts.
    precision_at_t : Counts the hits without regard to their order.

    Notes
    -----
    ``AP@K = (1/c) sum over the hits in the top k of h(t)/t``, with
    ``c = min(m, k)``, m or h(k). The last is the division that [1]_ arrives at; unlike
    the others it is not constant over rankings of one list. Ties are as in
    :func:`average_precision` ([2]_, section 3), the sum over j ending at the cut.

    Time O(n log n), one sort of score values; memory one copy of the scores.

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
    measure = make_measure(
        "average_precision_at_k", k=k, normalize=normalize, ties=ties
    )
    return _evaluate(
        measure, y_true, y_score, pos_label, sample_weight, n_missed, undefined
    )


def recall_at_t(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    t: float,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Recall at t: the share of the targets that the top t hold.

    Larger is better; 1 if all targets are in the top t, t/n on average for a random
    list.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the
        target; other labels need `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, in any unit: only their order counts, higher meaning a likelier target.
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the list, rounded
        up.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie across t: its targets shared out evenly, which is the mean over all
        orders; the tie retrieved whole, the cut moving down to its end; its targets
        first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: the top t is then the head of the list that holds
        the weight t (a fraction t: that part of all weight, rounded up if all weights
        are whole), and an item across its end counts in part.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and have no rank.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    recall_at_t : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, a cut beyond
        the list; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    precision_at_t : The share of targets among the top t.

    Notes
    -----
    ``r(t) = h(t) / m`` ([1]_, equation 1). In a tie group of b items with d hits, below
    T < t items with H hits, ``h(t) = H + d (t - T) / b``.

    Time O(n log n), one sort of score values; memory one copy of the scores.

    References
    ----------
    .. [1] Zhu (2004), "Recall, precision and average precision", working paper 2004-09,
       University of Waterloo.

    Examples
    --------
    >>> from skrank import recall_at_t
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> recall_at_t(y_true, y_score, t=2)
    0.667
    >>> recall_at_t(y_true, y_score, t=0.5)
    1.0

    Checking a quarter of the list finds two targets of three; half of it finds all.
    """
    measure = make_measure("recall_at_t", t=t, ties=ties)
    return _evaluate(
        measure, y_true, y_score, pos_label, sample_weight, n_missed, undefined
    )


def precision_at_t(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    t: float,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Precision at t: the share of targets among the top t.

    Larger is better; 1 if the top t are all targets, the prevalence on average for a
    random list.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the
        target; other labels need `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, in any unit: only their order counts, higher meaning a likelier target.
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the list, rounded
        up.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie across t: its targets shared out evenly, which is the mean over all
        orders; the tie retrieved whole, the cut moving down to its end; its targets
        first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: the top t is then the head of the list that holds
        the weight t (a fraction t: that part of all weight, rounded up if all weights
        are whole), and an item across its end counts in part.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and have no rank.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    precision_at_t : float
        Between 0 and 1; at most m/t.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, a cut beyond
        the list; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    recall_at_t : The share of the targets that the top t hold.
    enrichment_factor : The same as a multiple of the prevalence.

    Notes
    -----
    ``p(t) = h(t) / t`` ([1]_, equation 1); with ``ties="threshold"``, t is the end of
    the tie that reaches across it. Ties share out their hits as in :func:`recall_at_t`.

    Time O(n log n), one sort of score values; memory one copy of the scores.

    References
    ----------
    .. [1] Zhu (2004), "Recall, precision and average precision", working paper 2004-09,
       University of Waterloo.

    Examples
    --------
    >>> from skrank import precision_at_t
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> precision_at_t(y_true, y_score, t=2)
    1.0
    >>> precision_at_t(y_true, y_score, t=4)
    0.75

    Three of the first four items are targets.
    """
    measure = make_measure("precision_at_t", t=t, ties=ties)
    return _evaluate(
        measure, y_true, y_score, pos_label, sample_weight, n_missed, undefined
    )


def enrichment_factor(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    t: float,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Enrichment factor at t: by how much the top t is richer in targets than the list.

    Larger is better; 1 on average for a random list, 0 if the top t hold no target.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the
        target; other labels need `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, in any unit: only their order counts, higher meaning a likelier target.
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the list, rounded
        up.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie across t: its targets shared out evenly, which is the mean over all
        orders; the tie retrieved whole, the cut moving down to its end; its targets
        first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: the top t is then the head of the list that holds
        the weight t (a fraction t: that part of all weight, rounded up if all weights
        are whole), and an item across its end counts in part.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and the n items
        and have no rank.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    enrichment_factor : float
        Between 0 and ``min(n / t, n / m)``; so values of lists of different prevalence
        are not on one scale.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, a cut beyond
        the list; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    precision_at_t : Not divided by the prevalence.
    rie : Enrichment without a cut.

    Notes
    -----
    ``EF(t) = (h(t) / t) / (m / n)`` ([1]_), precision at t over prevalence; with
    ``ties="threshold"``, t is the end of the tie that reaches across it. Ties share out
    their hits as in :func:`recall_at_t`.

    A fraction is rounded up to whole items, as by RDKit. Other programs interpolate the
    hits at ``t n`` instead, enrichvs for one, and differ where that is not whole.

    Time O(n log n), one sort of score values; memory one copy of the scores.

    References
    ----------
    .. [1] Truchon and Bayly (2007), "Evaluating virtual screening methods: good and bad
       metrics for the 'early recognition' problem", *Journal of Chemical Information
       and Modeling* 47(2), 488-508.

    Examples
    --------
    >>> from skrank import enrichment_factor
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0], range(10, 0, -1)
    >>> enrichment_factor(y_true, y_score, t=0.2)
    3.33
    >>> enrichment_factor(y_true, y_score, t=1.0)
    1.0

    The first two items are both targets, of which there are three in ten.
    """
    measure = make_measure("enrichment_factor", t=t, ties=ties)
    return _evaluate(
        measure, y_true, y_score, pos_label, sample_weight, n_missed, undefined
    )


def reciprocal_rank(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Reciprocal rank: one over the rank of the first target.

    Larger is better: 1 if a target comes first. Nothing below the first target counts;
    it is the metric for whoever stops at one. Its mean over lists is known as MRR.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the
        target; other labels need `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, in any unit: only their order counts, higher meaning a likelier target.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within the tie of the first target: the mean over all orders of one over the
        rank; the rank of the tie's last item; its targets first, or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: an item of weight 2 is two items, and the rank is
        the weight down to the end of the tie, the unit being one item. Only with
        ``ties="threshold"``.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and have no rank.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    reciprocal_rank : float
        Between 0, which is left to lists whose targets were all missed, and 1.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, weights with
        another tie rule than "threshold"; or if the metric is undefined and
        ``undefined="raise"``.

    See Also
    --------
    average_precision : All targets count.

    Notes
    -----
    ``RR = 1 / r`` for the first hit at rank r ([1]_). In a tie group of b items with d
    hits, below T items without any, the expected value is
    ``sum_{j=1..b-d+1} C(b-j, d-1) / C(b, d) / (T + j)``, the mean over all orders, of
    which [2]_ make the rule for this metric, too.

    Time O(n log n), one sort of score values; memory one copy of the scores.

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
    measure = make_measure("reciprocal_rank", ties=ties)
    return _evaluate(
        measure, y_true, y_score, pos_label, sample_weight, n_missed, undefined
    )


def rie(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alpha: float = 20.0,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Robust initial enhancement: enrichment with a weight that falls with the rank.

    Larger is better; 1 on average for a random list. All targets count, the one at rank
    r with weight ``exp(-alpha r / n)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the
        target; other labels need `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, in any unit: only their order counts, higher meaning a likelier target.
    alpha : float, default=20.0
        How early is early, above 0: the first fraction f of the list holds the part
        ``(1 - exp(-alpha f)) / (1 - exp(-alpha))`` of all weight, which at 20 is 80 %
        for the first 8 %.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie: the mean over all orders, the tie retrieved whole (each target has
        the rank of the tie's last item), its targets first, or its targets last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: an item of weight 2 is two items. With
        ``ties="threshold"`` their unit matters, one being an item.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and the n items
        and have no rank.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    rie : float
        Above 0, or 0 if all targets were missed. At most
        ``(1 - exp(-alpha R)) / (R (1 - exp(-alpha)))`` with R = m/n; so values of lists
        of different prevalence are not on one scale.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, an alpha that
        is not above 0; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    bedroc : The same on a scale from 0 to 1.
    enrichment_factor : All targets above a cut count alike.

    Notes
    -----
    ``RIE = (1/m) sum over the hits of exp(-alpha r / n) / mu``, with mu the mean of
    ``exp(-alpha r / n)`` over all ranks r = 1..n ([1]_; in closed form [2]_),
    ``mu = (1/n) (1 - exp(-alpha)) / (exp(alpha / n) - 1)``. The hits of a tie group
    have, in expectation, the mean weight of its ranks.

    Time O(n log n), one sort of score values; memory one copy of the scores.

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
    measure = make_measure("rie", alpha=alpha, ties=ties)
    return _evaluate(
        measure, y_true, y_score, pos_label, sample_weight, n_missed, undefined
    )


def bedroc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alpha: float = 20.0,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """BEDROC: early recognition on a scale from the worst list, 0, to the best, 1.

    Larger is better. It is robust initial enhancement, see :func:`rie`, scaled: the
    order of two rankings of one list is the same by both.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the
        target; other labels need `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, in any unit: only their order counts, higher meaning a likelier target.
    alpha : float, default=20.0
        How early is early, above 0: the first fraction f of the list holds the part
        ``(1 - exp(-alpha f)) / (1 - exp(-alpha))`` of all weight, which at 20 is 80 %
        for the first 8 %.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie: the mean over all orders, the tie retrieved whole (each target has
        the rank of the tie's last item), its targets first, or its targets last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: an item of weight 2 is two items. With
        ``ties="threshold"`` their unit matters, one being an item.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and the n items
        and have no rank. The worst list is then one that misses all targets.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    bedroc : float
        Between 0 and 1. With ``ties="threshold"`` it can be below 0, for a tie at the
        end of the list: all its targets count as the last item.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, an alpha that
        is not above 0; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    rie : The same as a multiple of what luck gives.

    Notes
    -----
    ``BEDROC = (RIE - RIE_min) / (RIE_max - RIE_min)`` ([1]_). With R = m/n,
    ``RIE_max = (1 - exp(-alpha R)) / (R (1 - exp(-alpha)))`` is the RIE of a list with
    all targets first, ``RIE_min = (1 - exp(alpha R)) / (R (1 - exp(alpha)))`` of one
    with all targets last.

    A random list has RIE 1 on average, and so BEDROC
    ``(1 - RIE_min) / (RIE_max - RIE_min)``. That is not 0.5: for rare targets it is
    near ``1/alpha - 1/(exp(alpha) - 1)``, 0.05 for an alpha of 20. See
    :class:`skrank.RandomSelectionTest` for what luck gives.

    Time O(n log n), one sort of score values; memory one copy of the scores.

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

    The constant score has what luck gives on average.
    """
    measure = make_measure("bedroc", alpha=alpha, ties=ties)
    return _evaluate(
        measure, y_true, y_score, pos_label, sample_weight, n_missed, undefined
    )


def _evaluate(
    measure: Measure,
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: object,
    sample_weight: ArrayLike | None,
    n_missed: int,
    undefined: float | str,
) -> float:
    """Check, rank, measure: the path of every metric."""
    check_undefined(undefined)
    data = check_ranking_input(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        n_missed=n_missed,
    )
    if data.weight is not None:
        measure.check_weights()
    ranking = rank(data)
    reason = _why_undefined(ranking)
    if reason is not None:
        return _undefined(measure.name, reason, undefined)
    low, high = measure.bounds
    return min(max(low, measure.value(ranking)), high)  # rounding may step over them


def _why_undefined(ranking: Ranking) -> str | None:
    """Without targets there is nothing to find, with nothing else no way to miss."""
    if ranking.n_targets == 0:
        return "no targets"
    if ranking.n_others == 0 and ranking.n_missed == 0:
        return "nothing but targets"
    return None


def _undefined(name: str, reason: str, undefined: float | str) -> float:
    msg = f"{name} is undefined: `y_true` must hold targets and others; got {reason}."
    if undefined == "raise":
        raise ValueError(msg)
    answer = float(undefined)
    if math.isnan(answer):
        warnings.warn(msg, UndefinedMetricWarning, stacklevel=4)
    return answer
