"""Engine "exact" of several rankings: their values, added up in two halves.

The values of a ranking are known one by one where they are few, or where no others than
those near its best can be made up for by the best of all other rankings. The rankings
are added up in two halves. The sum of these is not enumerated: for each value of one
half it is looked up how likely the other has what is wanting.

Values of a half that are too many are joined: those within a cell count as the least of
them. The tail of what is then had, and that from as much less on as all cells may have
lost, are bounds of the tail asked for.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null._centred import Tail, refine
from skrank.null._enumeration import Atoms

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
    are within `enough`. O(N log N) a ranking for N pairs of values; not for many
    rankings.
    """
    least = statistic - slack
    n_rankings = sum(copies for _, copies in lists)
    quick = (pairs for pairs in most_pairs if pairs * n_rankings**2 <= _MOST)
    found = (_tail(_halves(lists, least, pairs), least) for pairs in quick)
    return refine(((one, _width(one)) for one in found), enough)[0]


class _Half(NamedTuple):
    """Sum of rankings: its values, the largest, by how much they may be low."""

    atoms: Atoms
    most: float
    lost: float


def _halves(
    lists: Sequence[tuple[Atoms, int]], least: float, most_pairs: int
) -> list[_Half]:
    """Add up the rankings, without what cannot reach the least value any more."""
    wanting = least - sum(copies * float(atoms.value[-1]) for atoms, copies in lists)
    halves = [_Half(Atoms(np.zeros(1), np.zeros(1), 0.0), 0.0, 0.0)] * 2
    for atoms, copies in lists:
        for _ in range(copies):
            fewer, more = sorted(halves, key=lambda half: half.atoms.value.size)
            fewer = _plus(fewer, atoms, most_pairs)
            kept = fewer.atoms.value + fewer.lost >= fewer.most + wanting
            halves = [fewer._replace(atoms=fewer.atoms.take(kept)), more]
    return halves


def _plus(half: _Half, atoms: Atoms, most_pairs: int) -> _Half:
    """Add one ranking, to as few values as give no more pairs."""
    joined, lost = _joined(half.atoms, max(1, most_pairs // atoms.value.size))
    return _Half(
        joined.plus(atoms), half.most + float(atoms.value[-1]), half.lost + lost
    )


def _joined(atoms: Atoms, most: int) -> tuple[Atoms, float]:
    """Join values to the least in their cells, and tell by how much they may be low."""
    value = atoms.value
    if value.size <= most:
        return atoms, 0.0
    cell = np.floor((value - value[0]) * (most / (value[-1] - value[0])))
    first = np.flatnonzero(np.diff(cell, prepend=-1.0))
    last = np.append(first[1:], value.size) - 1
    logchance = np.logaddexp.reduceat(atoms.logchance, first)
    lost = float((value[last] - value[first]).max())
    return Atoms(value[first], logchance, atoms.scale), lost


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
