"""Warnings for strata whose labelled items are obviously no random sample.

Each holds for any labels: a random sample has such a warning with a probability of at
most 1e-6, by the bounds that are named below.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from skrank._utils._combinatorics import log_binomial
from skrank._utils._text import brief
from skrank._utils._warnings import warn

# Probability of a false warning of a call, over all strata. It must be small, since a
# warning is no proof in a list that is one of thousands; with the square root of it, 18
# instead of 25 of the first labels in a row, of a half of the stratum, have a warning.
_FALSE = 1e-6


def warn_of_no_sample(sample: Any) -> None:
    """Warn of strata that are no random sample, by the ranks and by the labels."""
    is_sample = (sample.n_labelled > 0) & (sample.n_labelled < sample.n_items)
    if is_sample.any():
        for name, ranks in sample.models.items():
            by = f" by the ranks of {brief(name)}" if len(sample.models) > 1 else ""
            _check_ranks(sample, ranks, is_sample, by)
        _check_labels(sample, is_sample)


def _check_ranks(s: Any, ranks: Any, is_sample: NDArray[np.bool_], by: str) -> None:
    """Warn if too many or too few of the best items of a stratum are labelled.

    If k of n items are a random sample, the i-th best of them is among the best d items
    with a hypergeometric probability, P(X >= i), which is at most that of Hoeffding
    (1963, *Journal of the American Statistical Association* 58), in each of its four
    forms. The probabilities of all i and of both tails add up. The items of a tie count
    at its worse end for one tail, and at its better end for the other.
    """
    # items by stratum, and then by rank; small codes are sorted in O(n)
    codes = s.stratum.astype(np.uint16 if len(s.names) < 2**16 else np.intp)
    order = ranks.order[np.argsort(codes[ranks.order], kind="stable")]
    stratum, above = codes[order], ranks.above[order]
    starts = np.ones(order.size, dtype=bool)
    starts[1:] = (stratum[1:] != stratum[:-1]) | (above[1:] != above[:-1])
    ends = np.append(np.flatnonzero(starts)[1:], order.size)
    labelled = np.cumsum(s.is_labelled[order])
    # the ends of ties that hold a label, and of the items before them
    tie = np.unique(np.cumsum(starts)[s.is_labelled[order]] - 1)
    at = np.unique(np.append(ends[tie], ends[tie[tie > 0] - 1]))
    begin = np.cumsum(s.n_items) - s.n_items
    h = stratum[at - 1].astype(np.intp)
    labels_before = np.append(0, labelled)[begin]
    d, c = at - begin[h], labelled[at - 1] - labels_before[h]
    inner = is_sample[h] & (d < s.n_items[h])
    h, d, c = h[inner], d[inner], c[inner]
    n, k = s.n_items[h], s.n_labelled[h]
    exponents = np.max(
        [
            _entropy(c, k, d / n),
            _entropy(d - c, n - k, d / n),
            _entropy(c, d, k / n),
            _entropy(k - c, n - d, k / n),
        ],
        axis=0,
        initial=0.0,
    )
    count = 2 * s.n_labelled[is_sample].sum() * len(s.models)
    if exponents.max(initial=0.0) < math.log(count / _FALSE):
        return
    worst = int(exponents.argmax())
    h, d, c, n, k = (int(one[worst]) for one in (h, d, c, n, k))
    # all items above the first one without a label
    top = int(np.argmin(s.is_labelled[order[begin[h] : begin[h] + n]]))
    advice = (
        (
            f"All of its best {top} items are labelled: put these in a stratum of "
            "their own."
        )
        if top > 1
        else "Put items that were sampled at different rates in different strata."
    )
    warn(
        f"The labelled items of stratum {brief(s.names[h])} are no random sample of "
        f"it{by}: {c} of its best {d} items are labelled, and {k - c} of the other "
        f"{n - d}. The interval and the number of targets left are then wrong. "
        f"{advice} Labels of items that were chosen for any other reason must be NaN, "
        "unless they have a stratum of their own.",
        UserWarning,
    )


def _entropy(count: Any, size: Any, share: Any) -> NDArray[np.float64]:
    """Return the exponent of Hoeffding's bound for so many of `size` draws."""
    part = count / size
    total = rel_entr(part, share) + rel_entr(1 - part, 1 - share)
    exponent: NDArray[np.float64] = size * total
    return exponent


def _check_labels(s: Any, is_sample: NDArray[np.bool_]) -> None:
    """Warn if all labels are those of targets, as if only these had been recorded.

    Of the whole list: such labels have a probability of at most 1e-6 if at most half of
    the items are targets. Of a stratum: the same if at most the share of the better
    strata are targets, by Fisher's exact test.
    """
    k, x = s.n_labelled, s.n_found
    text = (
        "If items were labelled because they are targets, as after a complaint, they "
        "are no random sample, and the result is wrong: use 0 for the inspected "
        "non-targets, and NaN for targets that were found in another way."
    )
    if x.sum() == k.sum() and 0.5 ** x.sum() <= _FALSE:
        warn(f"All {x.sum()} labelled items are targets. {text}", UserWarning)
        return
    ordered = s.stratum[next(iter(s.models.values())).order]
    if np.count_nonzero(np.diff(ordered)) >= len(s.names):
        return  # only strata that are runs of ranks are better than others
    better, found = np.cumsum(k) - k, np.cumsum(x) - x
    log_chance = log_binomial(found + k, k) - log_binomial(better + k, k)
    is_alone = is_sample & (x == k) & (log_chance < math.log(_FALSE / k.size))
    for h in np.flatnonzero(is_alone)[:1].tolist():
        warn(
            f"All {k[h]} labelled items of stratum {brief(s.names[h])} are targets, "
            f"but only {found[h]} of {better[h]} in better strata. {text}",
            UserWarning,
        )
