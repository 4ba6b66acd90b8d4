"""Engine "enumeration" of several lists: their values, added up in two halves.

The values of a list are known one by one where they are few, or where no others than
those near its best can be made up for by the best of all other lists. The lists are
added up in two halves. The sum of these is not enumerated: for each value of one half
it is looked up how likely the other has what is wanting.

Values of a half that are too many are joined: those within a cell count as the least of
them. The tail of what is then had, and that from as much less on as all cells may have
lost, are bounds of the tail asked for.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null._enumeration import Atoms
from skrank.null._excess import Tail, refine

_PAIRS = 2**18, 2**20, 2**22  # of values that are added up at once
_MOST = 2**28  # pairs times squared lists, which take longer and widen the bounds

_Floats = NDArray[np.float64]


def tail(
    lists: Sequence[tuple[Atoms, int]],
    statistic: float,
    slack: float,
    enough: float,
    most_pairs: Sequence[int] = _PAIRS,
) -> Tail:
    """P(sum >= statistic) of independent values, each of so many copies.

    Exact, or between bounds: fewer values are joined until the logarithms of the bounds
    are within `enough`. O(N log N) a list for N pairs of values; not for many lists.
    """
    least = statistic - slack
    n_lists = sum(copies for _, copies in lists)
    quick = (pairs for pairs in most_pairs if pairs * n_lists**2 <= _MOST)
    found = (_tail(_halves(lists, least, pairs), least) for pairs in quick)
    return refine(((one, _width(one)) for one in found), enough)[0]


class _Half(NamedTuple):
    """Sum of some lists: the law, the largest value, and how much values may be low."""

    law: Atoms
    most: float
    lost: float


def _halves(
    lists: Sequence[tuple[Atoms, int]], least: float, most_pairs: int
) -> list[_Half]:
    """Add up the lists, without what cannot reach the least value any more."""
    wanting = least - sum(copies * float(law.value[-1]) for law, copies in lists)
    halves = [_Half(Atoms(np.zeros(1), np.zeros(1), 0.0), 0.0, 0.0)] * 2
    for law, copies in lists:
        for _ in range(copies):
            fewer, more = sorted(halves, key=lambda half: half.law.value.size)
            fewer = _plus(fewer, law, most_pairs)
            kept = fewer.law.value + fewer.lost >= fewer.most + wanting
            halves = [fewer._replace(law=fewer.law.take(kept)), more]
    return halves


def _plus(half: _Half, law: Atoms, most_pairs: int) -> _Half:
    """Add one list, to as few values as give no more pairs."""
    joined, lost = _joined(half.law, max(1, most_pairs // law.value.size))
    return _Half(joined.plus(law), half.most + float(law.value[-1]), half.lost + lost)


def _joined(law: Atoms, most: int) -> tuple[Atoms, float]:
    """Join values to the least in their cells, and tell by how much they may be low."""
    value = law.value
    if value.size <= most:
        return law, 0.0
    cell = np.floor((value - value[0]) * (most / (value[-1] - value[0])))
    first = np.flatnonzero(np.diff(cell, prepend=-1.0))
    last = np.append(first[1:], value.size) - 1
    logchance = np.logaddexp.reduceat(law.logchance, first)
    lost = float((value[last] - value[first]).max())
    return Atoms(value[first], logchance, law.scale), lost


def _tail(halves: list[_Half], least: float) -> Tail:
    """P(sum >= least) of two halves, between bounds."""
    (one, _, low), (other, _, lower) = halves
    least_of_p = _tail_of_sum(one, other, least)
    most_of_p = _tail_of_sum(one, other, least - low - lower)
    middle = float(np.logaddexp(least_of_p, most_of_p)) - math.log(2)
    return Tail(min(max(middle, least_of_p), most_of_p), (least_of_p, most_of_p))


def _tail_of_sum(one: Atoms, other: Atoms, least: float) -> float:
    """Logarithm of P(sum >= least); O((N + M) log(N)) for N and M values."""
    reached = np.logaddexp.accumulate(np.append(-np.inf, one.logchance[::-1]))
    count = one.value.size - np.searchsorted(one.value, least - other.value)
    log_p = np.logaddexp.reduce(other.logchance + reached[count], initial=-np.inf)
    return min(0.0, float(log_p))


def _width(tail: Tail) -> float:
    """Distance of the logarithms of the bounds."""
    assert tail.log_bounds is not None
    lower, upper = tail.log_bounds
    return 0.0 if lower == upper else upper - lower
