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


def warn_of_no_sample(ranking: Any) -> None:
    """Warn of strata that are no random sample, by the ranks and by the labels."""
    r = ranking
    is_sample = (r.n_labelled > 0) & (r.n_labelled < r.n_items)
    if is_sample.any():
        _check_ranks(r, is_sample)
        _check_labels(r, is_sample)


def _check_ranks(r: Any, is_sample: NDArray[np.bool_]) -> None:
    """Warn if too many or too few of the best items of a stratum are labelled.

    If k of n items are a random sample, the i-th best of them is among the best d items
    with a hypergeometric probability, P(X >= i), which is at most that of Hoeffding
    (1963, *Journal of the American Statistical Association* 58), in each of its four
    forms. The probabilities of all i and of both tails add up. The items of a tie count
    at its worse end for one tail, and at its better end for the other.
    """
    labelled = r.lengths - r.unlabelled
    begin = np.searchsorted(r.stratum, np.arange(r.n_items.size))
    items, chosen = r.n_items, r.n_labelled
    # items and labelled ones of the stratum, down to the end of each block
    depth = np.cumsum(r.lengths) - (np.cumsum(items) - items)[r.stratum]
    count = np.cumsum(labelled) - (np.cumsum(chosen) - chosen)[r.stratum]
    inner = np.flatnonzero(is_sample[r.stratum] & (depth < items[r.stratum]))
    h, d, c = r.stratum[inner], depth[inner], count[inner]
    n, k = items[h], chosen[h]
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
    if exponents.max(initial=0.0) < math.log(2 * chosen[is_sample].sum() / _FALSE):
        return
    at = int(exponents.argmax())
    h, d, c, n, k = (int(one[at]) for one in (h, d, c, n, k))
    gap = begin[h] + int(np.argmax(r.unlabelled[begin[h] :] > 0))
    top = int((depth - r.lengths)[gap])  # all items above the first without a label
    advice = (
        f"All of its best {top} items are labelled: give these a stratum of their own."
        if top > 1
        else "Give runs of ranks that were sampled at different rates different strata."
    )
    warn(
        f"The labelled items of stratum {brief(r.strata[h])} are no random sample of "
        f"it: {c} of its best {d} items are labelled, and {k - c} of the other "
        f"{n - d}. The interval and the number of targets left are then wrong. "
        f"{advice} Labels of items that were chosen for any other reason must be NaN.",
        UserWarning,
    )


def _entropy(count: Any, size: Any, share: Any) -> NDArray[np.float64]:
    """Return the exponent of Hoeffding's bound for so many of `size` draws."""
    part = count / size
    total = rel_entr(part, share) + rel_entr(1 - part, 1 - share)
    exponent: NDArray[np.float64] = size * total
    return exponent


def _check_labels(r: Any, is_sample: NDArray[np.bool_]) -> None:
    """Warn if all labels are those of targets, as if only these had been recorded.

    Of the whole list: such labels have a probability of at most 1e-6 if at most half of
    the items are targets. Of a stratum: the same if at most the share of the better
    strata are targets, by Fisher's exact test.
    """
    k, x = r.n_labelled, r.n_found
    text = (
        "If items were labelled because they are targets, as after a complaint, these "
        "are no sample, and the result is wrong: give 0 for the items that somebody "
        "looked at in vain, and NaN for targets that were found in another way."
    )
    if x.sum() == k.sum() and 0.5 ** x.sum() <= _FALSE:
        warn(f"All {x.sum()} labels are those of targets. {text}", UserWarning)
        return
    better, found = np.cumsum(k) - k, np.cumsum(x) - x
    log_chance = log_binomial(found + k, k) - log_binomial(better + k, k)
    is_alone = is_sample & (x == k) & (log_chance < math.log(_FALSE / k.size))
    for h in np.flatnonzero(is_alone)[:1].tolist():
        warn(
            f"All {k[h]} labels of stratum {brief(r.strata[h])} are those of targets, "
            f"and {found[h]} of the {better[h]} labels of better strata. {text}",
            UserWarning,
        )
