"""Metrics of the top: recall, precision, enrichment, profit, R-precision."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from skrank._utils._checks import (
    check_cutoff,
    check_depth,
    check_flag,
    check_not_negative,
    check_option,
    invalid,
)
from skrank._utils._columns import as_amounts, is_column
from skrank._utils._text import brief
from skrank.metrics._definitions._sums import (
    EnrichmentFactor,
    ExpectedProfit,
    PrecisionAtT,
    RPrecision,
    SpecificityAtT,
    recall_at,
)
from skrank.metrics._shared import Shared, metric_function
from skrank.ranking._as_ranking import Labels, columns_of
from skrank.ranking._group_labels import (
    group_codes,
    items_of_groups,
)
from skrank.ranking._input import check_ranking_input
from skrank.ranking._items import level_at
from skrank.ranking._standing import share_of_top


@metric_function
def recall_at_t(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    t: float,
    normalize: str = "relevant",
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Share of all targets in the top t; for the share of hits use precision_at_t.

    A larger value is better. The value is 1 if all targets are in the top t. The mean
    over random rankings is t/n. Capped recall (``normalize="min"``) is also 1 if all
    items of the top t are targets, so that the value 1 is possible with more than t
    targets.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the ranking,
        rounded up.
    normalize : {"relevant", "min"}, default="relevant"
        Divisor of the hits: all m targets for "relevant", or ``min(m, t)``, the hits of
        a perfect ranking, for "min". The depth t is the depth after the tie rule.
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
        Tie rule for a tie across t. "expected" spreads its targets evenly, which is the
        mean over all orders. "together" retrieves it as a whole and moves the cutoff to
        its end. "optimistic" ranks its targets first, and "pessimistic" ranks them
        last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items. The top t
        contains the weight t, or the fraction t of the total weight (rounded up if all
        weights are whole numbers). An item across the cutoff counts in part.
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
    recall_at_t : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if the cutoff is beyond the ranking.

    See Also
    --------
    precision_at_t : The share of targets among the top t.

    Notes
    -----
    ``r(t) = h(t) / m`` ([1]_, equation 1). In a tie of b items with d hits, below T < t
    items with H hits, ``h(t) = H + d (t - T) / b``.

    Time is O(n) for a cutoff in the top 1/16, else O(n log m); see :ref:`performance`.

    References
    ----------
    .. [1] Zhu (2004), working paper 2004-09, University of Waterloo.

    Examples
    --------
    >>> from skrank import recall_at_t
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> recall_at_t(y_true, y_score, t=2)
    0.6666...
    >>> recall_at_t(y_true, y_score, t=0.5)
    1.0

    The first quarter of the ranking holds two of the three targets. The first half
    holds all.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return recall_at(t, normalize, ties)(y_true, y_score, **shared)


@metric_function
def specificity_at_t(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    t: float,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Share of non-targets below the top t; for rare targets use precision_at_t.

    A larger value is better. The mean over random rankings is 1 - t/n. The false
    positive rate of the threshold at depth t is 1 minus the specificity.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the ranking,
        rounded up.
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
        Tie rule for a tie across t. "expected" spreads its targets evenly, which is the
        mean over all orders. "together" retrieves it as a whole and moves the cutoff to
        its end. "optimistic" ranks its targets first, and "pessimistic" ranks them
        last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items. The top t
        contains the weight t, or the fraction t of the total weight (rounded up if all
        weights are whole numbers). An item across the cutoff counts in part.
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
    specificity_at_t : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if the cutoff is beyond the ranking.

    See Also
    --------
    recall_at_t : The share of the targets in the top t (sensitivity).

    Notes
    -----
    With h(t) targets in the top t of n items, m of which are targets, the value is ``1
    - (t - h(t)) / (n - m)``, the true negatives over all negatives ([1]_).

    Time is O(n) for a cutoff in the top 1/16, else O(n log m); see :ref:`performance`.

    References
    ----------
    .. [1] Yerushalmy (1947), "Statistical problems in assessing methods of medical
       diagnosis", *Public Health Reports* 62(40), 1432-1449.

    Examples
    --------
    >>> from skrank import specificity_at_t
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> round(specificity_at_t(y_true, y_score, t=4), 3)
    0.8

    One of the five non-targets is in the first half of the ranking.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return SpecificityAtT(t=t, ties=ties)(y_true, y_score, **shared)


@metric_function
def precision_at_t(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    t: float,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Share of hits in the top t; for the share of all targets use recall_at_t.

    A larger value is better. The value is 1 if all items of the top t are targets. The
    mean over random rankings is the prevalence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the ranking,
        rounded up.
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
        Tie rule for a tie across t. "expected" spreads its targets evenly, which is the
        mean over all orders. "together" retrieves it as a whole and moves the cutoff to
        its end. "optimistic" ranks its targets first, and "pessimistic" ranks them
        last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items. The top t
        contains the weight t, or the fraction t of the total weight (rounded up if all
        weights are whole numbers). An item across the cutoff counts in part.
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
    precision_at_t : float
        Between 0 and 1, and at most m/t.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if the cutoff is beyond the ranking.

    See Also
    --------
    recall_at_t : The share of the targets in the top t.
    enrichment_factor : Precision divided by the prevalence.

    Notes
    -----
    ``p(t) = h(t) / t`` ([1]_, equation 1). With ``ties="together"``, t is the end of
    the tie across the cutoff. For the hits of ties see :func:`recall_at_t`.

    Time is O(n) for a cutoff in the top 1/16, else O(n log m); see :ref:`performance`.

    References
    ----------
    .. [1] Zhu (2004), working paper 2004-09, University of Waterloo.

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
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return PrecisionAtT(t=t, ties=ties)(y_true, y_score, **shared)


@metric_function
def enrichment_factor(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    t: float,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Precision at t divided by the prevalence; without a depth use bedroc.

    A larger value is better. The mean over random rankings is 1. The value is 0 if the
    top t contain no target.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the ranking,
        rounded up.
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
        Tie rule for a tie across t. "expected" spreads its targets evenly, which is the
        mean over all orders. "together" retrieves it as a whole and moves the cutoff to
        its end. "optimistic" ranks its targets first, and "pessimistic" ranks them
        last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items. The top t
        contains the weight t, or the fraction t of the total weight (rounded up if all
        weights are whole numbers). An item across the cutoff counts in part.
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
    enrichment_factor : float
        Between 0 and ``min(n / t, n / m)``. Values at different prevalences are not
        comparable.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, or if the cutoff is beyond the ranking.

    See Also
    --------
    precision_at_t : Precision without the division.
    rie : Enrichment without a cutoff.

    Notes
    -----
    ``EF(t) = (h(t) / t) / (m / n)`` ([1]_), precision at t over prevalence. With
    ``ties="together"``, t is the end of the tie across the cutoff. For the hits of
    ties see :func:`recall_at_t`.

    A fraction is rounded up to whole items, as in RDKit. Other programs, such as
    enrichvs, interpolate the hits if ``t n`` is not a whole number.

    Time is O(n) for a cutoff in the top 1/16, else O(n log m); see :ref:`performance`.

    References
    ----------
    .. [1] Truchon and Bayly (2007), *J. Chem. Inf. Model.* 47(2), 488-508.

    Examples
    --------
    >>> from skrank import enrichment_factor
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0], range(10, 0, -1)
    >>> enrichment_factor(y_true, y_score, t=0.2)
    3.333...
    >>> enrichment_factor(y_true, y_score, t=1.0)
    1.0

    The first two items are targets. Three of the ten items are targets.
    """
    # shared: labels scores pos_label groups_of_metric n_unlisted undefined
    #   lower_is_better_of_one missing
    return EnrichmentFactor(t=t, ties=ties)(y_true, y_score, **shared)


@metric_function
def expected_profit(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    benefit: float | ArrayLike,
    cost: float,
    t: float,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Profit of the top t; to choose t for new items use ThresholdChoice.

    A larger value is better. The mean over random rankings is ``t (benefit m / n -
    cost)`` for m targets among n items.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    benefit : float or array-like of shape (n_samples,)
        Benefit of finding a target, above 0, in any currency. Pass an array for a
        benefit of each item, at least 0, such as the amount of each transaction; only
        the benefits of targets count. An array can be combined with `groups`, but not
        with weights or missed targets, and `ties` must be "expected" or "together".
    cost : float
        Cost of inspecting an item, target or not, at least 0, in the same currency.
    t : int or float
        Depth. An int counts items, and a float in (0, 1] is a fraction of the ranking,
        rounded up.
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
        Tie rule for a tie across t. "expected" spreads its targets evenly, which is the
        mean over all orders. "together" retrieves it as a whole and moves the cutoff to
        its end. "optimistic" ranks its targets first, and "pessimistic" ranks them
        last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items. The top t
        contains the weight t, or the fraction t of the total weight (rounded up if all
        weights are whole numbers). An item across the cutoff counts in part.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. The value is
        then the mean over the rankings, such as the profit per day, including days
        without targets; see :ref:`several_rankings`.
    n_missed : int or mapping, default=0
        Targets that were never scored. They have no rank.
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
    expected_profit : float
        Profit in the currency of `benefit` and `cost`, at least ``-cost t``.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`, if the cutoff is beyond the ranking, or if `benefit`
        or `cost` is outside its range.

    See Also
    --------
    precision_at_t : The profit is positive if it is above ``cost / benefit``.
    ThresholdChoice : The threshold or the depth with the largest profit.

    Notes
    -----
    The value is ``benefit h(t) - cost t`` with h(t) hits. It is a linear function of
    precision at t, and therefore has the same p-values. With ``ties="together"``, t is
    the end of the tie across the cutoff. For the hits of ties see :func:`recall_at_t`.

    Time is O(n) for a cutoff in the top 1/16, else O(n log m); see :ref:`performance`.

    Examples
    --------
    >>> from skrank import expected_profit
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> expected_profit(y_true, y_score, benefit=200, cost=50, t=2)
    300.0
    >>> expected_profit(y_true, y_score, benefit=200, cost=50, t=8)
    200.0

    The first two items are targets. The last four items cost 200.

    >>> amounts = [500, 20, 90, 70, 10, 30, 60, 40]
    >>> expected_profit(y_true, y_score, benefit=amounts, cost=50, t=2)
    420.0
    """
    # shared: labels scores pos_label n_unlisted undefined lower_is_better_of_one
    #   missing
    if is_column(benefit):
        return _profit_of_amounts(y_true, y_score, benefit, cost, t, ties, **shared)
    each: Any = benefit
    metric = ExpectedProfit(t=t, benefit=each, cost=cost, ties=ties)
    return metric(y_true, y_score, **shared)


def _profit_of_amounts(
    y_true: Any,
    y_score: Any,
    benefit: Any,
    cost: float,
    t: float,
    ties: str,
    *,
    pos_label: object = None,
    lower_is_better: bool = False,
    missing: str = "error",
    groups: ArrayLike | None = None,
    **others: Any,
) -> float:
    """Mean profit over the groups, with the benefit of each item; O(n).

    A target in a tie across the cutoff counts with the share of the tie above it.
    """
    check_option("ties", ties, ("expected", "together"))
    cost, t = check_not_negative("cost", cost), check_cutoff("t", t)
    for name, value in others.items():
        is_left_out = value is None or (np.ndim(value) == 0 and value == 0)
        if not is_left_out and name != "undefined":
            rule = "be left out for a benefit of each item"
            raise invalid(name, rule, brief(value))
    y_true, y_score = columns_of(y_true, y_score)
    # a missed target has no profit, and costs nothing
    given: dict[str, Any] = {"pos_label": pos_label, "missing": missing}
    given["lower_is_better"] = check_flag("lower_is_better", lower_is_better)
    data = check_ranking_input(y_true, y_score, **given)
    assert data.of_items is not None
    amounts = data.of_items.read("benefit", benefit, as_amounts)
    amounts = amounts if data.kept is None else amounts[data.kept]
    is_target = data.is_target
    parts = [np.arange(amounts.size)]
    if groups is not None:
        labels, codes = group_codes(data, groups)
        parts = items_of_groups(codes, len(labels))
    profits = []
    for items in parts:
        cut = check_depth("t", t, items.size, beyond=groups is not None)
        scores = data.y_score[items]
        if ties == "together" and cut <= items.size:  # down to the end of the tie
            cut = np.count_nonzero(scores >= level_at(scores, cut))
        share = share_of_top(scores, min(cut, items.size))
        profits.append(share @ (amounts * is_target)[items] - cost * cut)
    return float(np.mean(profits))


@metric_function
def r_precision(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    ties: str = "expected",
    **shared: Unpack[Shared],
) -> float:
    """Precision at the number of targets; if you have a depth use precision_at_t.

    A larger value is better. A ranking with all targets first has the value 1. The mean
    over random rankings is the prevalence m/n.

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
        Tie rule for a tie across rank m. "expected" spreads its targets evenly, which
        is the mean over all orders. "together" retrieves it as a whole and moves the
        cutoff to its end. "optimistic" ranks its targets first, and "pessimistic" ranks
        them last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items. The depth is the
        weight of the targets, and an item across this depth counts in part.
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
    r_precision : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the input is invalid or the metric is undefined, as in
        :func:`average_precision`.

    See Also
    --------
    precision_at_t : Precision at any other depth.
    breakeven_point : Equal recall and precision on the interpolated curve.

    Notes
    -----
    The value is ``h(m) / m`` with h(m) hits among the top m ([1]_). trec_eval calls it
    ``Rprec``. With "together" it is ``h(t) / t`` at the end t of the tie across rank
    m.

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

    Two of the four targets are among the top four.
    """
    # shared: labels scores pos_label groups_of_metric n_missed_of_metric n_unlisted
    #   undefined lower_is_better_of_one missing
    return RPrecision(ties=ties)(y_true, y_score, **shared)
