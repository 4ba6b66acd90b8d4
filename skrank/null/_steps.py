"""What a pass down the chain is made of: numbers of hits to follow, and its steps."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


class Windows(NamedTuple):
    """Which numbers of hits are considered: at the top, and after each body group.

    `widest` is the most hits that each group is allowed.
    """

    least: _Ints
    most: _Ints
    widest: _Ints

    @property
    def n_cells(self) -> int:
        """Numbers that one pass within them computes."""
        return int(((1 + self.widest) * (1 + self.most - self.least)[:-1]).sum())


class Lattice(NamedTuple):
    """Which numbers of hits are followed: at the top, and after each body group.

    From `least` to `most`, by `stride`, which is a power of two; within the groups from
    `fewest` to `widest`. Every number is a multiple of its stride, and stands for those
    up to the next one.
    """

    least: _Ints
    most: _Ints
    stride: _Ints
    fewest: _Ints
    widest: _Ints

    @property
    def _table(self) -> tuple[_Ints, _Ints]:
        """Rows and columns of the groups."""
        rows = 1 + (self.widest - self.fewest) // self.stride[:-1]
        return rows, 1 + ((self.most - self.least) // self.stride)[:-1]

    @property
    def n_cells(self) -> int:
        """Numbers that one pass over it computes."""
        rows, columns = self._table
        return int((rows * columns).sum())

    @property
    def is_open(self) -> bool:
        """Whether there is a way down."""
        return all(part.min() > 0 for part in self._table)


class Orders(NamedTuple):
    """The orders inside a merged block: hits that are free, variance of what one adds.

    A hit is about as likely anywhere in the block, and what it adds changes evenly. So
    its K is close to ``2.5 * (sqrt(1 + 0.4 * v * u**2) - 1)`` with v the variance: like
    that of a uniform distribution to the fourth cumulant, and no steeper far out.
    """

    free: _Floats
    single: _Floats

    def cumulants(self, tilt: float) -> tuple[_Floats, _Floats, _Floats]:
        """K, K' and K'' of what all of them add."""
        variance = self.free * self.single
        ratio = 1 + 0.4 * tilt**2 * self.single
        root = np.sqrt(ratio)
        return (
            tilt**2 * variance / (1 + root),
            tilt * variance / root,
            variance / (ratio * root),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One group of the body, over the hits in it (rows) and above it (columns).

    `gain[d, i]` is what d hits add below ``least + i``, `logcount[d]` the logarithm of
    the number of ways to place them; ``next_least`` to ``next_most`` hits may follow.
    On a lattice rows begin with `fewest` hits, both go by `stride`, those that follow
    by `next_stride`, and `orders` are those inside a merged block.
    """

    gain: _Floats
    logcount: _Floats
    least: int
    next_least: int
    next_most: int
    fewest: int = 0
    stride: int = 1
    next_stride: int = 1
    orders: Orders | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Terminal:
    """The last group, over the ways to fill it (rows) and the hits above it (columns).

    The value of the ranking is ``slope * S + intercept``, S the gains of the body;
    `logweight` is what a path through a cell weighs from here on. The first column is
    that of `least` hits. `orders` are those inside a merged block.
    """

    slope: _Floats
    intercept: _Floats
    logweight: _Floats
    least: int
    orders: Orders | None = None


class PairWeights(NamedTuple):
    """Gains of groups as ``cross * d * H + item * d + inside * d * (d - 1)``.

    With d hits in a group and H above it; arrays over the groups.
    """

    cross: _Floats
    item: _Floats
    inside: _Floats

    def gain(self, index: Any, hits_above: Any, hits: Any) -> _Floats:
        """Gain of groups; `index` picks them and shapes them like the hits."""
        cross, item, inside = (part[index] for part in self)
        gain = hits * (cross * hits_above + item + inside * (hits - 1))
        return np.asarray(gain, dtype=float)

    def joined(self, above: _Ints, sizes: _Ints, starts: _Ints) -> "PairWeights":
        """Weights of blocks that begin at the groups `starts`.

        They are means over all placements of a block's hits on its items: of the
        d * (d - 1) pairs as large a part is in two groups, or in one, as of all pairs
        of the block's items.
        """
        size = np.add.reduceat(sizes, starts).astype(float)
        first = np.repeat(above[starts], np.diff(starts, append=sizes.size))
        pairs = self.cross * (above - first) + self.inside * (sizes - 1)
        cross, item, inside = (
            np.add.reduceat(sizes * part, starts) / size
            for part in (self.cross, self.item, pairs)
        )
        return PairWeights(cross, item, inside / np.maximum(size - 1, 1))
