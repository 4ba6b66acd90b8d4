"""Thresholds whose recall or precision on other items is promised with a probability.

`doubt` is the probability that a promise may be missed. The items of the data must be
drawn like other items, and must not have been used to fit the model.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc
from scipy.stats import binom

# Depths at which a sequence of tests begins. By benchmarks/thresholds.py, for a
# precision of .3 with 120 targets of 4000 normal scores; with half as many, .27 of the
# samples have no threshold, and .01 with these.
_STARTS = 2


def targets_needed(recall: float, doubt: float) -> int:
    """Return the fewest targets with which a recall can be promised."""
    return math.ceil(math.log(doubt) / math.log(recall))


def hits_needed(n_targets: Any, recall: float, doubt: float) -> Any:
    """Return how many targets a threshold must retrieve for a promised recall.

    The share of the population above the score of the j-th of m targets has the
    distribution Beta(j, m - j + 1), whatever the scores are (Wilks 1941); ties increase
    it. It is below the recall as often as a binomial number of m is j or more. With too
    few targets, the result is ``m + 1``.
    """
    return binom.isf(doubt, n_targets, recall) + 1


def first_start(precision: float, doubt: float) -> int:
    """Return the fewest items at which a precision can be promised."""
    return math.ceil(math.log(doubt / _STARTS) / math.log(precision))


def deepest_promise(
    hits: NDArray[Any], items: NDArray[Any], precision: float, doubt: float
) -> Any:
    """Return the index of the deepest threshold whose precision can be promised, or 0.

    Thresholds are along the last axis, and the last of them retrieves all items. From
    each of some depths, which share `doubt`, binomial tests go down until one fails
    (Learn then Test).
    """
    passed = bdtrc(hits - 1, items.astype(np.intp), precision) <= doubt / _STARTS
    n_points = passed.shape[-1]
    # index of the first failure from each threshold on
    failed = np.where(passed, n_points, np.arange(n_points))
    failed = np.minimum.accumulate(failed[..., ::-1], axis=-1)[..., ::-1]
    first = first_start(precision, doubt)
    last = np.maximum(first, hits[..., -1:] / precision)
    best = np.zeros(passed.shape[:-1], dtype=np.intp)
    for step in range(_STARTS):
        depth = first * (last / first) ** (step / _STARTS)
        start = np.minimum((items < depth).sum(axis=-1), n_points - 1)
        end = np.take_along_axis(failed, start[..., None], axis=-1)[..., 0]
        best = np.maximum(best, np.where(end > start, end - 1, 0))
    return best
