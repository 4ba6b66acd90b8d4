"""Thresholds whose recall or precision on other items is promised with a probability.

`doubt` is the probability that a promise may be missed. The items of the data, or the
days, must be drawn like others, and must not have been used to fit the model.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import bdtrc
from scipy.stats import beta, binom

Floats = NDArray[np.float64]

# Depths at which a sequence of tests begins. By benchmarks/thresholds.py, for a
# precision of .3 with 120 targets of 4000 normal scores; with half as many, .27 of the
# samples have no threshold, and .01 with these.
_STARTS = 2
# Items or days up to which a number that a promise needs is looked for.
_MOST = 10**7


def targets_needed(recall: float, doubt: float) -> int:
    """Return the fewest targets, or days, with which a recall can be promised."""
    return math.ceil(math.log(doubt) / math.log(recall))


def hits_needed(n_targets: Any, recall: float, doubt: float) -> Any:
    """Return how many targets a threshold must retrieve for a promised recall.

    The share of the population above the score of the j-th of m targets has the
    distribution Beta(j, m - j + 1), whatever the scores are (Wilks 1941); ties increase
    it. It is below the recall as often as a binomial number of m is j or more. With too
    few targets, the result is ``m + 1``.
    """
    return binom.isf(doubt, n_targets, recall) + 1


def share_shown(hits: float, n: float, doubt: float) -> float:
    """Return the recall, or the precision, that so many hits of n show.

    It is the lower limit of Clopper and Pearson (1934), and for a recall the one that
    the score of the target of this order reaches.
    """
    return float(beta.ppf(doubt, hits, n - hits + 1)) if hits else 0.0


def first_start(precision: float, doubt: float) -> int:
    """Return the fewest items at which a precision can be promised."""
    return math.ceil(math.log(doubt / _STARTS) / math.log(precision))


def deepest_promise(
    hits: Floats, items: Floats, n_targets: Any, precision: float, doubt: float
) -> Any:
    """Return the index of the deepest threshold whose precision can be promised, or 0.

    Thresholds are along the last axis, and the last of them retrieves all items. From
    each of some depths, which share `doubt`, binomial tests go down until one fails
    (Learn then Test).
    """
    passed = bdtrc(hits - 1, items.astype(np.intp), precision) <= doubt / _STARTS
    return _deepest(passed, _starts(hits, items, precision, doubt))


def _starts(
    hits: NDArray[Any], items: NDArray[Any], precision: float, doubt: float
) -> list[Any]:
    """Return the indices of the depths at which tests of a precision begin."""
    first = first_start(precision, doubt)
    last = np.maximum(first, hits[..., -1:] / precision)
    depths = (first * (last / first) ** (step / _STARTS) for step in range(_STARTS))
    most = items.shape[-1] - 1
    return [np.minimum((items < one).sum(axis=-1), most) for one in depths]


def _deepest(passed: NDArray[np.bool_], starts: Sequence[Any]) -> Any:
    """Return the last index before a failure, from the best start; 0 if none."""
    n_points = passed.shape[-1]
    # index of the first failure from each threshold on
    failed = np.where(passed, n_points, np.arange(n_points))
    failed = np.minimum.accumulate(failed[..., ::-1], axis=-1)[..., ::-1]
    best = np.zeros(passed.shape[:-1], dtype=np.intp)
    for start in starts:
        at = np.broadcast_to(start, best.shape)
        end = np.take_along_axis(failed, at[..., None], axis=-1)[..., 0]
        best = np.maximum(best, np.where(end > at, end - 1, 0))
    return best


def precision_promised(
    shown: Callable[[float, float, float], float],
    precision: float,
    gain: float,
    n: float,
    doubt: float,
) -> float:
    """Return the limit of a promised precision, which is itself at its own level.

    One of the tests shows it, by `share_shown` or `mean_shown`.
    """
    return min(precision, shown(gain, n, doubt / _STARTS))


def other_promise(
    hits: Floats, items: Floats, n_targets: int, precision: float, doubt: float
) -> str:
    """Say what can be promised if a precision cannot, and what it needs.

    The tests of the asked precision begin at fixed depths, at which the limits of the
    precision hold together.
    """
    starts = [int(one) for one in _starts(hits, items, precision, doubt)]
    shown = [share_shown(hits[at], items[at], doubt / _STARTS) for at in starts]
    best, at = max(zip(shown, starts, strict=True))
    said = "With these data no precision can be guaranteed"
    if best > 0:
        said = f"With these data a precision of {best:.2g} can be guaranteed for the "
        said += f"first {items[at]:g} items"
    # the threshold that is nearest to the promise
    at = 1 + int(np.argmin(bdtrc(hits[1:] - 1, items[1:].astype(np.intp), precision)))
    share = hits[at] / items[at]
    sizes = np.unique(np.geomspace(1, _MOST, 2000).astype(np.intp))
    enough = bdtrc(np.floor(share * sizes) - 1, sizes, precision) <= doubt / _STARTS
    here = f"{hits[at]:g} targets among the first {items[at]:g}"
    if share > precision and enough.any():
        size = sizes[np.argmax(enough)]
        needed = f"about {size} items with {math.floor(share * size)} targets"
        said += f". A guarantee of {precision:g} needs {needed}, at the best share "
        said += f"of targets here ({here})"
    else:
        said += f". The nearest threshold has {here}"
    least = first_start(precision, doubt)
    return f"{said}. At least the first {least} items must be targets."


def sums_needed(n_values: Any, mean: float, doubt: float) -> Any:
    """Return the least sum of values from 0 to 1 that shows a mean above `mean`.

    For n independent values whose mean is not above it and a convex function f, the
    mean of f of the sum is at most that for a binomial number B (Hoeffding 1963). With
    ``f(s) = max(s - h, 0)`` this gives ``P(S >= s) <= E f(B) / (s - h)`` for every h,
    of which the best whole number is taken (Bentkus 2004, *Annals of Probability* 32,
    1650-1673). With too few values the result is above their number. If all are 1, as
    many are needed as of a binomial test.
    """
    sizes, which = np.unique(np.asarray(n_values), return_inverse=True)
    h, size = np.arange(max(int(sizes[-1]), 1)), sizes[:, None]
    above: Any = binom.sf(h, size, mean)
    excess = above[:, ::-1].cumsum(axis=1)[:, ::-1]
    least = np.where(h < size, h + excess / doubt, np.inf).min(axis=1)
    return least[which].reshape(np.shape(n_values))


def mean_shown(total: float, n_values: float, doubt: float) -> float:
    """Return the lower limit of a mean of values from 0 to 1, by their sum."""
    if total <= 0:
        return 0.0

    def lack(mean: float) -> float:
        return float(sums_needed(n_values, mean, doubt)) - total

    tiny = np.finfo(float).eps
    return float(brentq(lack, tiny, 1 - tiny)) if lack(tiny) < 0 else 0.0


def deepest_promise_of_days(
    sums: Floats, items: Floats, n_days: Any, precision: float, doubt: float
) -> Any:
    """Return the index of the deepest depth whose mean precision is promised, or 0.

    Tests go down from the first depth and from one further down, which share `doubt`.
    """
    passed = sums >= sums_needed(n_days, precision, doubt / _STARTS)
    passed[..., 0] = False  # no item
    return _deepest(passed, _depths(sums))


def _depths(sums: Floats) -> list[int]:
    """Return the indices at which tests of days begin, whatever the labels are."""
    n_points = sums.shape[-1] - 1
    return [round(n_points ** (step / _STARTS)) for step in range(_STARTS)]


def other_promise_of_days(
    sums: Floats, depths: NDArray[Any], n_days: int, precision: float, doubt: float
) -> str:
    """Say what mean precision can be promised if the asked one cannot."""
    shown = [
        (mean_shown(sums[at], n_days, doubt / _STARTS), at) for at in _depths(sums)
    ]
    best, at = max(shown)
    said = "With these days no mean precision can be guaranteed"
    if best > 0:
        said = (
            f"With these days a mean precision of {best:.2g} can be guaranteed for a "
        )
        said += f"depth of {depths[at]}"
    at = 1 + int(np.argmax(sums[1:]))
    share = float(sums[at]) / n_days
    here = f"{share:.2g} at a depth of {depths[at]}"
    sizes = np.unique(np.geomspace(1, 10_000, 200).astype(np.intp))
    enough = share * sizes >= sums_needed(sizes, precision, doubt / _STARTS)
    if enough.any():
        size = sizes[np.argmax(enough)]
        said += f". A guarantee of {precision:g} needs about {size} days, at the "
        said += f"largest mean precision here ({here})"
    else:
        said += f". The largest mean precision here is {here}"
    least = first_start(precision, doubt)
    return f"{said}. At least {least} days must have a precision of 1."


@dataclass(frozen=True, slots=True)
class Promises:
    """What can be promised of the items of a ranking, or of days.

    A promise is shown by `gains` of `n` units: hits of as many targets or items, or the
    sum of the values of as many days.
    """

    #: Units of a recall, in print.
    units: str
    #: ``needed(n, recall, doubt)``
    needed: Callable[[Any, float, float], Any]
    #: ``shown(gain, n, doubt)``
    shown: Callable[[float, float, float], float]
    #: ``deepest(gains, items, n, precision, doubt)``
    deepest: Callable[[Floats, Floats, Any, float, float], Any]
    #: ``other(gains, items, n, precision, doubt)``
    other: Callable[[Floats, NDArray[Any], int, float, float], str]


OF_ITEMS = Promises("targets", hits_needed, share_shown, deepest_promise, other_promise)
OF_DAYS = Promises(
    "groups with targets",
    sums_needed,
    mean_shown,
    deepest_promise_of_days,
    other_promise_of_days,
)
