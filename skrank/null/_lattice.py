"""Lattice of the numbers of hits that a pass over the chain follows.

A sum over all numbers of hits is approximated by the sum over every h-th of them, times
h. This is the trapezoidal rule. Its relative error is ``exp(-2 (pi * deviation /
h)**2)``, which is negligible if h is well below the standard deviation. A few dozen
numbers at each depth are therefore sufficient for any number of targets. The stride h
can change with the depth.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]
IMPOSSIBLE = -1e300  # logarithm of the weight of an impossible state


class OutOfReachError(Exception):
    """A method fails near an end or for its size. Methods raise no other error."""


def positive(value: float) -> float:
    """Return a number that must be positive, or raise the error of a failed method."""
    if not value > 0:
        raise OutOfReachError
    return value


class Lattice(NamedTuple):
    """Numbers of hits that are followed at the beginning of each group, and inside it.

    From `least` to `most` above, and from `fewest` to `widest` inside, by `stride`, a
    power of two. Every number is a multiple of its stride and represents those up to
    the next one.
    """

    least: _Ints
    most: _Ints
    stride: _Ints
    fewest: _Ints
    widest: _Ints

    @property
    def last(self) -> tuple[int, int, int, int, int]:
        """Numbers above the last group, and inside it."""
        least, most, stride, fewest, widest = (int(part[-1]) for part in self)
        return least, most, stride, fewest, widest

    @property
    def n_cells(self) -> int:
        """Number of cells of one pass; 0 if no path is possible."""
        rows = 1 + (self.widest - self.fewest) // self.stride
        columns = 1 + (self.most - self.least) // self.stride
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
        ratio = 1 + 0.4 * tilt**2 * self.single
        root = np.sqrt(ratio)
        return (
            tilt**2 * variance / (1 + root),
            tilt * variance / root,
            variance / (ratio * root),
        )


class Step(NamedTuple):
    """One group of the body, by the hits in it (rows) and above it (columns).

    `hits` are the numbers of hits in the group, one for each row, or, if the stride
    below the group is larger than above it, one for each row and column. `gain` is
    their gain, and `logcount` the logarithm of the number of ways to place them, times
    the stride. `above` has the smallest number and the stride of the hits above,
    `below` the smallest, the largest and the stride of the hits after the group.
    """

    hits: _Ints
    gain: _Floats
    logcount: _Floats
    orders: Orders | None
    above: tuple[int, int]
    below: tuple[int, int, int]

    @property
    def _places(self) -> _Ints:
        """Return the index of the hits after the group among the followed ones."""
        least, _, stride = self.below
        first, width = self.above
        columns = first + width * np.arange(self.gain.shape[1])
        return np.asarray((columns + self.hits - least) // stride)

    def spread(self, later: NDArray[Any], fill: float) -> NDArray[Any]:
        """Convert values by the hits after the group to values by its cells.

        `later` has the hits after the group along its last axis. The result, which is
        read-only, is over the hits in the group and above it.
        """
        if self.below[2] > self.above[1]:
            place, size = self._places, later.shape[-1]
            found = later[..., np.clip(place, 0, size - 1)]
            return np.where((place >= 0) & (place < size), found, fill)
        # in rows and in columns, the hits after the group increase by the stride
        (above, width), (first, _, stride) = self.above, self.below
        skipped = -(first // stride) % (width // stride)
        later = later[..., skipped :: width // stride]
        rows, columns = self.gain.shape
        padded = np.full((*later.shape[:-1], rows + columns - 1), fill, later.dtype)
        offset = (first + skipped * stride - above - int(self.hits[0, 0])) // width
        later = later[..., max(0, -offset) :]
        offset = max(0, offset)
        room = padded.shape[-1] - offset
        padded[..., offset:][..., : later.shape[-1]] = later[..., : max(0, room)]
        item = padded.itemsize
        shape, strides = (*later.shape[:-1], rows, columns), (*padded.strides, item)
        return np.ndarray(shape, padded.dtype, padded, strides=strides)

    def after(self, joint: _Floats) -> _Floats:
        """Return the probabilities of the hits after the group from the cells."""
        least, most, stride = self.below
        place, size = self._places, (most - least) // stride + 1
        inside = (place >= 0) & (place < size)
        chance: Any = np.bincount(place[inside], joint[inside], size)
        if (ratio := self.above[1] / stride) > 1:  # and the cells between them
            known = np.unique(place[inside])
            chance = np.interp(np.arange(size), known, chance[known], 0.0, 0.0) / ratio
        return np.asarray(chance / positive(float(chance.sum())))  # a continuation


class LastGroup(NamedTuple):
    """The last group, by the hits in it (rows) and the hits above it (columns).

    The value of the ranking is ``slope * S + intercept``, with S the sum of gains of
    the body; `logweight` is the weight of a path from a cell on.
    """

    slope: _Floats
    intercept: _Floats
    logweight: _Floats
    orders: Orders | None
