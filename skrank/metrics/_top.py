"""How many targets the top holds: recall, precision, enrichment, and R-precision."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from skrank.metrics._by_group import evaluate
from skrank.metrics._definitions._measures import (
    EnrichmentFactor,
    PrecisionAtT,
    RecallAtT,
    RPrecision,
)
from skrank.metrics._evaluate import depth_called
from skrank.ranking._as_ranking import Labels


@depth_called("t", other="k")
def recall_at_t(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    t: float,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Recall at t: the share of the targets that the top t hold.

    Larger is better; 1 if all targets are in the top t, t/n on average for a random
    ranking.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the ranking,
        rounded up.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie across t: its targets shared out evenly, which is the mean over all
        orders; the tie retrieved whole, the cutoff moving down to its end; its targets
        first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: the top t is then the head of the ranking that
        holds the weight t (a fraction t: that part of all weight, rounded up if all
        weights are whole), and an item across its end counts in part.
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
    recall_at_t : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, a cutoff
        beyond the ranking; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    precision_at_t : The share of targets among the top t.

    Notes
    -----
    ``r(t) = h(t) / m`` ([1]_, equation 1). In a tie group of b items with d hits, below
    T < t items with H hits, ``h(t) = H + d (t - T) / b``.

    Time O(n) for a cutoff in the best sixteenth of the ranking, else O(n log m) for m
    targets; memory one byte an item and O(m); see :ref:`performance`.

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

    Checking a quarter of the ranking finds two targets of three; half of it finds all.
    """
    metric = RecallAtT(ties, t=t)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)


@depth_called("t", other="k")
def precision_at_t(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    t: float,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Precision at t: the share of targets among the top t.

    Larger is better; 1 if the top t are all targets, the prevalence on average for a
    random ranking.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the ranking,
        rounded up.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie across t: its targets shared out evenly, which is the mean over all
        orders; the tie retrieved whole, the cutoff moving down to its end; its targets
        first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: the top t is then the head of the ranking that
        holds the weight t (a fraction t: that part of all weight, rounded up if all
        weights are whole), and an item across its end counts in part.
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
    precision_at_t : float
        Between 0 and 1; at most m/t.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, a cutoff
        beyond the ranking; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    recall_at_t : The share of the targets that the top t hold.
    enrichment_factor : The same as a multiple of the prevalence.

    Notes
    -----
    ``p(t) = h(t) / t`` ([1]_, equation 1); with ``ties="threshold"``, t is the end of
    the tie that reaches across it. Ties share out their hits as in :func:`recall_at_t`.

    Time O(n) for a cutoff in the best sixteenth of the ranking, else O(n log m) for m
    targets; memory one byte an item and O(m); see :ref:`performance`.

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
    metric = PrecisionAtT(ties, t=t)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)


@depth_called("t", other="k")
def enrichment_factor(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    t: float,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_missed: int = 0,
    undefined: float | str = math.nan,
) -> float:
    """Enrichment factor at t: the precision as a multiple of the prevalence.

    Larger is better; 1 on average for a random ranking, 0 if the top t hold no target.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. The larger label is the target unless `pos_label` is given.
        A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    t : int or float
        Depth: an int counts items, a float in (0, 1] is a fraction of the ranking,
        rounded up.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Within a tie across t: its targets shared out evenly, which is the mean over all
        orders; the tie retrieved whole, the cutoff moving down to its end; its targets
        first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: the top t is then the head of the ranking that
        holds the weight t (a fraction t: that part of all weight, rounded up if all
        weights are whole), and an item across its end counts in part.
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
    enrichment_factor : float
        Between 0 and ``min(n / t, n / m)``; so values of rankings of different
        prevalence are not on one scale.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels, a cutoff
        beyond the ranking; or if the metric is undefined and ``undefined="raise"``.

    See Also
    --------
    precision_at_t : Not divided by the prevalence.
    rie : Enrichment without a cutoff.

    Notes
    -----
    ``EF(t) = (h(t) / t) / (m / n)`` ([1]_), precision at t over prevalence; with
    ``ties="threshold"``, t is the end of the tie that reaches across it. Ties share out
    their hits as in :func:`recall_at_t`.

    A fraction is rounded up to whole items, as by RDKit. Other programs interpolate the
    hits at ``t n`` instead, enrichvs for one, and differ where that is not whole.

    Time O(n) for a cutoff in the best sixteenth of the ranking, else O(n log m) for m
    targets; memory one byte an item and O(m); see :ref:`performance`.

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
    metric = EnrichmentFactor(ties, t=t)
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(metric, y_true, y_score, *given)


def r_precision(
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
    """R-precision: precision, and recall, at the depth of the number of targets.

    Larger is better: 1 for a ranking that puts all targets first, the prevalence m/n on
    average for a random one.

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
        Within a tie across rank m: its targets shared out evenly, which is the mean
        over all orders; the tie retrieved whole, the cutoff moving down to its end; its
        targets first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: the depth is then the weight of the targets, and
        an item across it counts in part.
    groups : array-like of shape (n_samples,), default=None
        To which ranking each item belongs, such as its query or its day. The value is
        then the mean over the rankings; see :ref:`several_rankings`.
    n_missed : int, default=0
        Targets that were never scored: they count among the m targets and have no rank.
        Where the depth is beyond the scored items, the ranks that are missing hold no
        hits.
    undefined : float or "raise", default=nan
        Answer where the metric has no value: no targets, or targets alone. NaN comes
        with an ``UndefinedMetricWarning``, any other number without.

    Returns
    -------
    r_precision : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels; or if the
        metric is undefined and ``undefined="raise"``.

    See Also
    --------
    precision_at_t : At any other depth.
    breakeven_point : Recall and precision equal on the interpolated curve.

    Notes
    -----
    ``h(m) / m`` with h(m) hits among the top m ([1]_); trec_eval calls it ``Rprec``.
    Under "threshold" it is ``h(t) / t`` at the end t of the tie across rank m.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    References
    ----------
    .. [1] Manning, Raghavan and Schuetze (2008), *Introduction to Information
       Retrieval*, Cambridge University Press, section 8.4.

    Examples
    --------
    >>> from skrank import r_precision
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> r_precision(y_true, y_score)
    0.5

    There are four targets, and two of them are among the top four.
    """
    given = pos_label, sample_weight, groups, n_missed, undefined
    return evaluate(RPrecision(ties), y_true, y_score, *given)
