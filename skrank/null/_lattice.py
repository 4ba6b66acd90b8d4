"""Lattice of the numbers of hits that a pass over the chain follows.

A sum over all numbers of hits is approximated by the sum over every h-th of them, times
h. This is the trapezoidal rule. Its relative error is ``exp(-2 (pi * deviation /
h)**2)``, which is negligible if h is well below the standard deviation. A few dozen
numbers at each depth are therefore sufficient for any number of targets. The stride h
can change with the depth.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]
IMPOSSIBLE = -1e300  # logarithm of the weight of an impossible state
#: Numbers computed in one step over frequencies, tilts or draws: some 30 MiB. With half
#: of them, nothing takes longer.
BATCH_ITEMS = 2**20
#: Cells of one pass that takes tenths of a second, and that takes seconds.
SHORT_CELLS, MOST_CELLS = 2**22, 2**24
#: Number of groups up to which a sum of gains may be near a lattice. If it is 0, p of
#: six ties has errors of up to 23 %.
FEW_GROUPS = 64


class OutOfReachError(Exception):
    """A method fails near an end or for its size. Methods raise no other error."""


def require(condition: bool) -> None:
    """Raise the error of a failed method unless a condition holds."""
    if not condition:
        raise OutOfReachError


def require_positive(value: float) -> float:
    """Return a number that must be positive, or raise the error of a failed method."""
    require(value > 0)
    return value


class Lattice(NamedTuple):
    """Numbers of hits that are followed above each group, and inside it.

    Above each group from `least` to `most` by `stride`; inside it at least `fewest` and
    at most `widest`. The stride has one more entry, for the hits in the last group.
    """

    least: _Ints
    most: _Ints
    stride: _Ints
    fewest: _Ints
    widest: _Ints

    def above(self, j: int) -> _Ints:
        """Return the followed numbers of hits above a group."""
        stride = int(self.stride[:-1][j])
        return np.arange(int(self.least[j]), int(self.most[j]) + 1, stride)

    @property
    def n_cells(self) -> int:
        """Number of cells of one pass; 0 if no path is possible."""
        columns = 1 + (self.most - self.least) // self.stride[:-1]
        rows = 1 + (self.widest - self.fewest) // self.stride[1:]
        rows[:-1] = np.minimum(rows[:-1], columns[1:])
        return int((rows * columns).sum()) if columns.min() > 0 else 0


class Orders(NamedTuple):
    """The orders inside a merged block: free hits, variance of the gain of each.

    A hit is nearly uniform in the block, and its gain changes evenly. Its K is
    approximately ``2.5 * (sqrt(1 + 0.4 * v * u**2) - 1)`` with the variance v: like
    that of a uniform distribution up to the fourth cumulant, and not steeper for large
    tilts.
    """

    free: _Floats
    single: _Floats

    def cumulants(self, tilt: float) -> tuple[_Floats, _Floats, _Floats]:
        """K, K' and K'' of the sum of all gains."""
        variance = self.free * self.single
        with np.errstate(over="ignore"):  # of a tilt near an end
            ratio = 1 + 0.4 * tilt**2 * self.single
            root = np.sqrt(ratio)
            return (
                tilt**2 * variance / (1 + root),
                tilt * variance / root,
                variance / (ratio * root),
            )


class Step(NamedTuple):
    """One group of the body, by the hits in it (rows) and above it (columns).

    `below` are the numbers of hits that are followed after the group, and `cell` is
    the place of each cell among them. `hits` are the hits in the group, `gain` is their
    gain, and `logcount` the logarithm of the number of ways to place them, times the
    stride.
    """

    above: _Ints
    below: _Ints
    cell: _Ints
    hits: _Ints
    gain: _Floats
    logcount: _Floats
    orders: Orders | None

    def after(self, joint: _Floats) -> _Floats:
        """Return the probabilities of the hits after the group from the cells."""
        chance = np.bincount(self.cell.ravel(), joint.ravel(), self.below.size)
        total = require_positive(float(chance.sum()))
        return np.asarray(chance / total)  # a continuation


class LastGroup(NamedTuple):
    """The last group, by the hits in it (rows) and the hits above it (columns).

    The value of the ranking is ``slope * S + intercept``, with S the sum of gains of
    the body; `logweight` is the weight of a path from a cell on.
    """

    hits: _Ints
    slope: _Floats
    intercept: _Floats
    logweight: _Floats
    orders: Orders | None
