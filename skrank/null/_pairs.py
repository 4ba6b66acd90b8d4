"""Gains that are sums over pairs of hits.

Average precision, and all sums of weights that decrease with the rank, are sums over
pairs of hits. The gain of d hits in a group with H hits above it is

    cross * d * H + item * d + inside * d * (d - 1).

Blocks of groups have the same form, with the means over all placements of their hits.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


class PairWeights(NamedTuple):
    """Gains of groups as ``cross * d * H + item * d + inside * d * (d - 1)``.

    With d hits in a group and H above it; arrays over the groups.
    """

    cross: _Floats
    item: _Floats
    inside: _Floats

    def gain(self, index: Any, hits_above: Any, hits: Any) -> Any:
        """Gain of groups; `index` selects them and has the shape of the hits."""
        cross, item, inside = (part[index] for part in self)
        return hits * (cross * hits_above + item + inside * (hits - 1))

    def joined(self, above: _Ints, sizes: _Ints, starts: _Ints) -> "PairWeights":
        """Weights of blocks that begin at the groups `starts`.

        They are means over all placements of a block's hits on its items: the share of
        the d * (d - 1) pairs of hits that are in two groups, or in one, is that of all
        pairs of items.
        """
        size = np.add.reduceat(sizes, starts).astype(float)
        inside = above - np.repeat(above[starts], np.diff(starts, append=sizes.size))
        pairs = inside * self.cross
        pairs += self.inside * (sizes - 1)
        cross, item, inside = (
            np.add.reduceat(sizes * part, starts) / size
            for part in (self.cross, self.item, pairs)
        )
        return PairWeights(cross, item, inside / np.maximum(size - 1, 1))
