"""Which items of a ranking to label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_count, check_flag, check_generator, invalid
from skrank._utils._columns import has_index
from skrank._utils._table import data_frame
from skrank.curves._depths import chosen_counts
from skrank.ranking._input import check_scores, oriented

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
    lower_is_better: bool = False,
    random_state: object = 0,
) -> Any:
    """Choose the items of a list to label, for the metrics of the whole list.

    The strata double in depth, so that the top is labelled more densely: the chance of
    an item is about proportional to ``rank ** -0.5``. The choice looks at the scores
    only. The items of a tie are in one stratum.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        Scores of the items; a higher score means a likelier target.
    budget : int
        Number of labels, at least 4. With `t` more are needed, some for each stratum.
    t : int, float or sequence of them, default=None
        Depths at which a stratum shall end, such as the cutoffs of metrics, as numbers
        of items or as fractions. The interval of a metric at such a depth is narrower.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, such as docking energies.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness. The same number gives the same choice.

    Returns
    -------
    plan : pandas.DataFrame
        A row for each item, in the order and with the index of `y_score`: "stratum",
        from 0 for the best items; "rank", which tied items share; "chance" to be
        chosen; and "to_label", whether the item was chosen. The numbers of labels add
        up to the budget, or to the number of items.

    Raises
    ------
    ImportError
        If pandas is not installed.
    ValueError
        If scores or the budget are not valid, or a depth is outside the list.

    See Also
    --------
    SampledMetricInterval : Metrics of the list from these labels.

    Notes
    -----
    With few targets the upper limit of the number of targets in the strata determines
    the width of an interval: a stratum of n items with r labels and no target may hold
    ``3.7 n / r``. This asks for a chance that decreases slowly with the rank. See
    :ref:`sampled_labels` for the measured widths. The sort takes O(n log n).

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import labels_to_collect
    >>> score = np.random.default_rng(0).normal(size=1000)
    >>> plan = labels_to_collect(score, budget=100)
    >>> plan.groupby("stratum")["to_label"].agg(["size", "sum"]).T
    stratum   0   1   2   3    4    5    6
    size     16  16  32  64  128  256  488
    sum      11   5   8  11   15   21   29
    """
    # shared: lower_is_better_of_one
    scores = check_scores(y_score)
    scores = oriented(scores, check_flag("lower_is_better", lower_is_better))
    n = scores.size
    budget = min(n, check_count("budget", budget, least=_LEAST))
    rng = check_generator(random_state)
    cuts = np.zeros(0, np.intp) if t is None else chosen_counts("t", t, n)
    order = np.argsort(scores, kind="stable")[::-1]
    ordered = scores[order]
    tie_ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, n)
    for step in (*range(1, 60), 0):  # strata get longer until the budget suffices
        depths = 2.0 ** np.arange(_FIRST, 60, step) if step else np.zeros(0)
        ends = np.append(np.concatenate([depths, cuts]), n)
        # the end of the tie at each
        ends = np.unique(tie_ends[np.searchsorted(tie_ends, ends[ends <= n])])
        sizes = np.diff(ends, prepend=0)
        least = np.minimum(sizes, _LEAST)
        if least.sum() <= budget:
            break
    else:
        rule = f"be at least {least.sum()} for strata that end at `t`"
        raise invalid("budget", rule, str(budget))
    stratum = np.repeat(np.arange(ends.size), sizes)
    weights = np.add.reduceat(np.arange(1.0, n + 1) ** -0.5, ends - sizes)
    counts = _allocate(weights, least, sizes, budget)
    # one random number for each rank: the smallest ones of each stratum are chosen
    place_of_draw = np.lexsort((rng.random(n), stratum))
    chosen = np.empty(n, dtype=bool)
    chosen[place_of_draw] = np.arange(n) - (ends - sizes)[stratum] < counts[stratum]
    first = np.append(0, tie_ends[:-1])
    tie_size = tie_ends - first
    columns = {
        "stratum": stratum,
        "rank": np.repeat(first + (tie_size + 1) / 2, tie_size),
        "chance": (counts / sizes)[stratum],
        "to_label": chosen,
    }
    place = np.empty(n, np.intp)
    place[order] = np.arange(n)
    frame = data_frame({name: one[place] for name, one in columns.items()})
    return frame.set_index(y_score.index) if has_index(y_score) else frame


def _allocate(
    weights: NDArray[np.float64],
    least: NDArray[np.intp],
    most: NDArray[np.intp],
    budget: int,
) -> NDArray[np.intp]:
    """Return numbers proportional to the weights, within limits, of sum `budget`.

    Rounded after division by one number (Webster), so that none of them gets smaller
    with a larger budget.
    """

    def rounded(factor: float) -> NDArray[np.intp]:
        share = np.clip(factor * weights, least, most)
        return np.floor(share + 0.5).astype(np.intp)

    low, high = 0.0, float((most / weights).max()) + 1.0
    for _ in range(100):  # the factor of the weights, by bisection
        factor = (low + high) / 2
        if rounded(factor).sum() < budget:
            low = factor
        else:
            high = factor
    counts = rounded(low)
    # at this factor several strata may get one more, the better ones first
    more = np.flatnonzero(rounded(high) > counts)[: budget - counts.sum()]
    counts[more] += 1
    return counts
