"""Which items of a ranking to label, for the metrics of one model or of several."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_count, check_generator, invalid
from skrank._utils._columns import Items
from skrank._utils._table import data_frame
from skrank.curves._depths import chosen_counts
from skrank.ranking._input import mark_labelled
from skrank.ranking._label_sample import ModelRanks
from skrank.ranking._plan_check import KNOWN
from skrank.ranking._score_table import scores_by_name

# Binary logarithm of the first stratum, and the fewest labels of one. Chosen together
# with strata that double in depth, by the widths of intervals of AP of five real lists:
# of all designs without a guess of the result, none was narrower by more than the
# simulation error. With half of the latter, a target may stand for half of its stratum.
_FIRST, _LEAST = 4, 4


def labels_to_collect(
    y_score: Any,
    budget: int,
    *,
    t: Any = None,
    lower_is_better: Any = False,
    missing: str = "error",
    labelled: ArrayLike | None = None,
    random_state: object = 0,
) -> Any:
    """Choose items to label, for all metrics; to compare models use labels_to_compare.

    The depth of the strata doubles, so that the top is labelled more densely: the
    chance that an item is chosen is about proportional to ``rank ** -0.5``. The choice
    depends only on the scores. The items of a tie are in the same stratum.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,), mapping, data frame or array of shape \
        (n_samples, n_models)
        Scores of the items; a higher score means a likelier target. Pass the scores of
        several models as a mapping from names to scores, or as columns.
    budget : int
        Number of new labels, at least 4. With `t`, more labels are needed: some for
        each stratum.
    t : int, float or sequence of them, default=None
        Cutoffs of the metrics, as numbers of items or as fractions. For one model,
        strata end at these cutoffs. For several models, all items in the top t of any
        model are labelled, for the largest t; they form a stratum, without ties across
        the cutoff. Intervals of metrics at these cutoffs, and of their differences, are
        then narrower.
    lower_is_better : bool or sequence of str, default=False
        Whether lower scores mean likelier targets, as for docking energies. A sequence
        of names applies to these models only.
    missing : {"error", "last"}, default="error"
        How to treat items whose score is NaN, None or NA. "error" raises an error.
        "last" ranks them below all others, as one tie.
    labelled : array-like of shape (n_samples,), default=None
        Items that already have a label: booleans, or the labels, with NaN, None or NA
        for the other items. They form stratum -1, count exactly, and are not chosen
        again.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness. The same seed makes the same choice: each item has a
        random number that depends on its position, and the items with the smallest
        numbers in each stratum are chosen.

    Returns
    -------
    plan : pandas.DataFrame
        A row for each item, in the order and with the index of `y_score`. The columns
        are "stratum" (from 0 for the best items; -1 for items that already have a
        label), "rank" (shared by tied items; for several models by the best rank of an
        item), "chance" (probability of being chosen) and "to_label" (whether the item
        was chosen). The number of chosen items is the budget, or the number of items
        without a label if this is smaller.

    Raises
    ------
    ImportError
        If pandas is not installed.
    ValueError
        If an argument is not valid, a depth is outside the list, or the budget is too
        small for `t`.

    See Also
    --------
    labels_to_compare : The fewest labels for comparing models at a cutoff.
    SampledMetricInterval : Intervals of metrics from these labels.

    Notes
    -----
    With few targets, the width of an interval depends on the upper limits of the
    numbers of targets in the strata: a stratum of n items with r labels and no targets
    found can contain ``3.7 n / r`` targets. The chance should therefore decrease slowly
    with the rank. See :ref:`sampled_labels` for the measured widths. The sort takes O(n
    log n).

    A plan with a larger budget contains the plan with a smaller budget if all other
    arguments and the order of the items are the same. The exception is a budget of less
    than four labels for each stratum: strata are then joined, and a sample of joined
    strata can have more items from one of them than the larger plan.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import labels_to_collect
    >>> rng = np.random.default_rng(0)
    >>> score = rng.normal(size=1000)
    >>> plan = labels_to_collect(score, budget=100)
    >>> plan.groupby("stratum")["to_label"].agg(["size", "sum"]).T
    stratum   0   1   2   3    4    5    6
    size     16  16  32  64  128  256  488
    sum      11   5   8  11   15   21   29

    Two models, of which the top 30 items are all labelled:

    >>> models = {"a": score, "b": score + rng.normal(size=1000)}
    >>> plan = labels_to_collect(models, budget=100, t=30)
    >>> plan.groupby("stratum")["to_label"].agg(["size", "sum"]).T
    stratum   0   1   2   3   4    5    6    7
    size     48  16  16  32  64  128  256  440
    sum      48   6   4   4   5    8   11   14
    """
    # shared: y_score_of_plan lower_is_better labelled missing_or_last
    listing = _Listing.of(y_score, lower_is_better, missing)
    known, n = mark_labelled(labelled, listing.of_items), listing.of_items.size
    budget = min(check_count("budget", budget, least=_LEAST), int(np.sum(~known)))
    cuts = np.zeros(0, np.intp) if t is None else chosen_counts("t", t, n)
    # not the first numbers of the seed, which simulated data may be made of
    seed = check_generator(random_state).integers(2**63, size=4)
    number = np.random.default_rng(seed).random(n)
    is_top, reason = np.zeros(n, dtype=bool), "strata that end at `t`"
    if len(listing.models) > 1 and t is not None:
        last = np.min([one.above + one.size for one in listing.models], axis=0)
        is_top = ~known & (last <= cuts.max())
        reason = (
            f"{is_top.sum()} items in the top {cuts.max()} of any model, and others"
        )
        cuts = cuts[:0]
    n_tops = int(np.sum(is_top))
    # the other items without a label, by their ranks
    order = np.flatnonzero(~known & ~is_top)
    order = order[np.argsort(listing.best.above[order], kind="stable")]
    ends = _ends_of_strata(listing.best.above[order], cuts, budget - n_tops)
    sizes = np.diff(ends, prepend=0)
    least = n_tops + np.minimum(sizes, _LEAST).sum()
    if least > budget:
        raise invalid("budget", f"be at least {least} for {reason}", str(budget))
    place = np.repeat(np.arange(ends.size), sizes)
    within = np.arange(order.size) - (ends - sizes)[place]
    # Labels go where they are due (Webster): a larger budget takes none away.
    weights = np.bincount(place, np.arange(1.0, order.size + 1) ** -0.5)
    due = weights[place] / (within + 0.5)
    due[within < _LEAST] = np.inf
    first = np.argsort(-due, kind="stable")[: budget - n_tops]
    # the smallest numbers of each stratum
    by_number = order[np.lexsort((number[order], place))]
    stratum, chance, chosen = np.where(known, KNOWN, 0), np.ones(n), is_top.copy()
    stratum[order] = place + min(n_tops, 1)
    chance[order] = (np.bincount(place[first], minlength=ends.size) / sizes)[place]
    chosen[by_number[first]] = True
    return listing.plan(stratum, chance, chosen)


def labels_to_compare(
    y_score: Any,
    t: Any,
    *,
    lower_is_better: Any = False,
    missing: str = "error",
    labelled: ArrayLike | None = None,
) -> Any:
    """Choose items to label, to compare hits; for other metrics use labels_to_collect.

    These are the items that are in the top t of some models but not of all models. All
    other items add the same number of hits to each model. Nothing is random: with these
    labels the differences in hits, precision and expected profit are exact. Differences
    in recall and enrichment have the same signs as the differences in hits.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,), mapping, data frame or array of shape \
        (n_samples, n_models)
        Scores of the items; a higher score means a likelier target. Pass the scores of
        several models as a mapping from names to scores, or as columns.
    t : int, float or sequence of them
        Cutoff of the metric, as a number of items or as a fraction; or several.
    lower_is_better : bool or sequence of str, default=False
        Whether lower scores mean likelier targets, as for docking energies. A sequence
        of names applies to these models only.
    missing : {"error", "last"}, default="error"
        How to treat items whose score is NaN, None or NA. "error" raises an error.
        "last" ranks them below all others, as one tie.
    labelled : array-like of shape (n_samples,), default=None
        Items that already have a label: booleans, or the labels, with NaN, None or NA
        for the other items. They form stratum -1, count exactly, and are not chosen
        again.

    Returns
    -------
    plan : pandas.DataFrame
        A row for each item, with the columns of :func:`labels_to_collect`. Label all
        items of stratum 0, and no items of stratum 1.

    Raises
    ------
    ImportError
        If pandas is not installed.
    ValueError
        If an argument is not valid, or if there is only one model.

    See Also
    --------
    labels_to_collect : Labels for intervals of metrics, such as average precision.

    Notes
    -----
    A tie across the cutoff is partly in the top, with the same share for each of its
    items. All items whose shares differ between models are chosen.

    Examples
    --------
    >>> from skrank import labels_to_compare
    >>> models = {"a": [9, 8, 7, 6, 5, 4], "b": [9, 5, 8, 7, 6, 4]}
    >>> labels_to_compare(models, t=3)
       stratum  rank  chance  to_label
    0        1   1.0     0.0     False
    1        0   2.5     1.0      True
    2        1   2.5     0.0     False
    3        0   4.0     1.0      True
    4        1   5.0     0.0     False
    5        1   6.0     0.0     False
    """
    # shared: y_score_of_plan lower_is_better labelled missing_or_last
    listing = _Listing.of(y_score, lower_is_better, missing)
    if len(listing.models) < 2:
        raise invalid("y_score", "contain scores of two models or more", "one")
    known = mark_labelled(labelled, listing.of_items)
    differs = np.zeros(known.size, dtype=bool)
    for cut in chosen_counts("t", t, known.size).tolist():
        share = [one.share_above(cut) for one in listing.models]
        differs |= np.ptp(share, axis=0) > 0
    stratum = np.where(known, KNOWN, np.where(differs, 0, 1))
    return listing.plan(stratum, np.where(stratum == 1, 0.0, 1.0), stratum == 0)


class _Listing(NamedTuple):
    """Ranks of the items by each model, and by the best of these ranks."""

    of_items: Items
    models: list[ModelRanks]
    best: ModelRanks

    @classmethod
    def of(cls, y_score: Any, lower_is_better: Any, missing: str) -> Self:
        """Rank the items."""
        scores, of_items = scores_by_name(y_score, lower_is_better, missing)
        models = [ModelRanks.of(one) for one in scores.values()]
        if len(models) == 1:
            return cls(of_items, models, models[0])
        best = -np.min([one.rank for one in models], axis=0)
        return cls(of_items, models, ModelRanks.of(best))

    def plan(self, stratum: Any, chance: Any, to_label: Any) -> Any:
        """Return the data frame of a plan."""
        columns = {"stratum": stratum, "rank": self.best.rank, "chance": chance}
        frame = data_frame({**columns, "to_label": to_label})
        index = self.of_items.index
        return frame if index is None else frame.set_index(index)


def _ends_of_strata(
    above: NDArray[np.intp], cuts: NDArray[np.intp], budget: int
) -> NDArray[np.intp]:
    """Return where strata end that are as short as the budget allows.

    `above` are numbers of better items, ascending. The strata end at the ends of ties;
    the last attempt, for a budget that does not suffice, has those at the cuts only.
    """
    n = above.size
    tie_ends = np.append(np.flatnonzero(above[1:] != above[:-1]) + 1, n)
    for step in (*range(1, 60), 0):  # strata get longer until the budget suffices
        depths = 2.0 ** np.arange(_FIRST, 60, step) if step else np.zeros(0)
        wanted = np.concatenate([depths[depths < n], np.searchsorted(above, cuts), [n]])
        # the end of the tie at each
        ends = np.unique(tie_ends[np.searchsorted(tie_ends, wanted[wanted > 0])])
        if np.minimum(np.diff(ends, prepend=0), _LEAST).sum() <= budget:
            break
    return ends
