"""Average precision and hits, given how many targets each stratum holds.

The input is a `SampledRanking` and the targets of each stratum that were not found,
`extra`, of shape (n_draws, n_strata). The places of these targets among those without a
label are at random ("mean"), which gives the expected value, or the first or the last
ones of the stratum. No other places give a larger or a smaller average precision, or
number of hits, since a target that moves up raises both.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._rounding import ROUNDING
from skrank.metrics._definitions._tie_sums import harmonic_sums, run_precisions
from skrank.ranking._sampled import SampledRanking

Floats = NDArray[np.float64]


class Placements:
    """Sums over the blocks, from which the metrics follow for any numbers of targets.

    Notation: a block has `a` targets that were found and `u` items without a label,
    `w` is the mean of 1 / place over its tie or run, and `q` is the mean of 1 / (lower
    place) over two of its places, divided by 2. Each pair of targets in different ties
    adds w of the lower one to the sum of precisions, a pair in one tie adds 2 q, and
    each target adds w for itself.
    """

    def __init__(self, ranking: SampledRanking) -> None:
        """Compute the sums; O(number of blocks)."""
        self.ranking = r = ranking
        # the first block of each stratum, and its items without a label
        self.first = np.searchsorted(r.stratum, np.arange(len(r.strata)))
        self.rooms = r.n_items - r.n_labelled
        self.is_unknown = r.n_labelled == 0
        # the targets among these that are expected
        self.expected = self.rooms * r.n_found / np.maximum(r.n_labelled, 1)
        # targets and items without a label before each block, and at the end
        self._hits = np.append(0, np.cumsum(r.hits))
        self._room = np.append(0, np.cumsum(r.unlabelled))
        self._ends = np.maximum.accumulate(np.append(r.above[1:], r.n_samples))
        begin = self.first[r.stratum]
        a, u = r.hits.astype(float), r.unlabelled.astype(float)
        a_before = self._hits[:-1] - self._hits[begin]
        u_before = self._room[:-1] - self._room[begin]
        single, double = harmonic_sums(r.above, r.size)
        size = r.size.astype(float)
        w = single / size
        q = (0.0 if double is None else double) / np.maximum(size * (size - 1), 1)
        q = np.broadcast_to(q, w.shape)
        self._w, self._q, self._a_before, self._u_before = w, q, a_before, u_before
        found = a * w * (1 + a_before) + a * (a - 1) * q
        linear = u * w * (1 + a_before) + a * w * u_before + 2 * a * u * q
        square = u * w * u_before + u * (u - 1) * q
        # of each stratum, for targets at random
        self._of_strata = [
            np.add.reduceat(one, self.first)
            for one in (found, a * w, u * w, linear, square)
        ]
        # up to each block, for blocks full of targets
        self._own, self._crossed, self._aw, self._uw = (
            np.append(0.0, np.cumsum(one))
            for one in (
                linear - a * w * u_before + square,
                a * w * u_before,
                a * w,
                u * w,
            )
        )
        # pairs of blocks in one tie, which is cut by the ends of strata
        self._pairs = [
            (i, j)
            for i in self.first[1:] - 1
            for j in range(i + 1, np.searchsorted(r.above, r.above[i], side="right"))
            if r.in_tie[j] and r.above[i] == r.above[j]
        ]

    def precisions(self, extra: Floats, side: str) -> Floats:
        """Return the sum of the precisions at the ranks of all targets."""
        found, aw, uw, linear, square = self._of_strata
        if side == "mean":
            share = extra / np.maximum(self.rooms, 1)
            second = share * np.maximum(extra - 1, 0) / np.maximum(self.rooms - 1, 1)
            inner, outer = found + share * linear + second * square, aw + share * uw
        else:
            inner, outer = np.empty(extra.shape), np.empty(extra.shape)
            for h in range(aw.size):
                counts, of_draw = np.unique(extra[:, h], return_inverse=True)
                within, across = self._one_side(h, counts, side)
                inner[:, h] = (found[h] + within)[of_draw]
                outer[:, h] = (aw[h] + across)[of_draw]
        targets = self.ranking.n_found + extra
        above = targets.cumsum(axis=1) - targets
        total: Floats = (inner + above * outer).sum(axis=1)
        for i, j in self._pairs:  # those were counted as if in different ties
            both = self._in_block(i, extra, side) * self._in_block(j, extra, side)
            total += both * (2 * self._q[j] - self._w[j])
        return total

    def _one_side(self, h: int, extra: Floats, side: str) -> tuple[Floats, Floats]:
        """Return what the targets on the first or last places of a stratum add.

        The first sum is that within the stratum, the second one that of w. Blocks are
        full before (or after) one that is divided.
        """
        r, room = self.ranking, self.rooms[h]
        begin = self.first[h]
        end = self.first[h + 1] if h + 1 < self.first.size else r.above.size
        empty = 0 if side == "first" else room - extra  # places above the targets
        until = self._room[begin] + (extra if side == "first" else empty)
        j = np.searchsorted(self._room, until, side="right") - 1
        j = np.minimum(j, end - 1)  # the divided block
        inside = until - self._room[j]
        if side == "first":
            rest, before = inside, self._u_before[j]
            own = self._own[j] - self._own[begin]
            crossed = self._crossed[j + 1] - self._crossed[begin]
            below, outer = (
                self._aw[end] - self._aw[j + 1],
                self._uw[j] - self._uw[begin],
            )
            total = own + crossed + extra * below
        else:
            rest, before = r.unlabelled[j] - inside, 0
            outer = self._uw[end] - self._uw[j + 1]
            own = self._own[end] - self._own[j + 1] - empty * outer
            crossed = self._crossed[end] - self._crossed[j + 1]
            below = self._aw[end] - self._aw[j + 1]
            total = own + crossed - empty * below
        above = self._a_before[j] + before
        tied = rest * (
            self._w[j] * (1 + above) + (rest - 1 + 2 * r.hits[j]) * self._q[j]
        )
        start = r.above[j] + (0 if side == "first" else inside)
        run = run_precisions(start, above, rest)
        of_run = harmonic_sums(start, rest)[0]
        in_tie = r.in_tie[j]
        return (
            total + np.where(in_tie, tied, run),
            outer + np.where(in_tie, rest * self._w[j], of_run),
        )

    def _in_block(self, i: int, extra: Floats, side: str) -> Floats:
        """Return the targets of a block."""
        h = self.ranking.stratum[i]
        ends = self._u_before[i] + np.array([0, self.ranking.unlabelled[i]])
        above, down_to = (self._above(extra[:, h], h, one, side) for one in ends)
        found: Floats = self.ranking.hits[i] + down_to - above
        return found

    def _above(self, extra: Any, h: Any, places: Any, side: str) -> Any:
        """Return the targets on the first `places` without a label of stratum h."""
        room = self.rooms[h]
        if side == "first":
            return np.minimum(extra, places)
        if side == "last":
            return np.maximum(extra - (room - places), 0)
        return extra * (places / np.maximum(room, 1))

    def hits(self, extra: Floats, depth: Any, side: str) -> Floats:
        """Return the hits above each depth, of shape (n_draws, n_depths).

        A tie that contains a depth is divided.
        """
        r, depth = self.ranking, np.asarray(depth, dtype=float)
        block = np.searchsorted(self._ends, depth)
        block = np.minimum(block, r.above.size - 1)
        start, stop = self._tie_of(block)
        inside = depth - r.above[block]
        in_tie = r.in_tie[block]
        run = self._down_to(extra, block, np.where(in_tie, 0, inside), side)
        low = self._down_to(extra, start, 0, side)
        high = self._down_to(extra, stop, 0, side)
        return np.where(in_tie, low + inside / r.size[block] * (high - low), run)

    def depends_down_to(self, depth: float) -> int:
        """Return the items that hits above a depth depend on: all of a divided tie."""
        start, stop = self._tie_of(np.searchsorted(self._ends, depth))
        if not self.ranking.in_tie[start]:
            return math.ceil(depth)
        return int(self._ends[stop - 1])

    def _tie_of(self, block: Any) -> tuple[Any, Any]:
        """Return the first block of a tie, and the next block below it."""
        above = self.ranking.above
        start = np.searchsorted(above, above[block])
        return start, np.searchsorted(above, above[block], side="right")

    def _down_to(self, extra: Floats, block: Any, places: Any, side: str) -> Floats:
        """Return the hits before a block and in so many more places without labels."""
        room = self._room[block] + places
        starts = self._room[self.first]
        h = np.maximum(np.searchsorted(starts, room, side="right") - 1, 0)
        row = np.arange(len(extra))[:, None]
        above = np.cumsum(extra, axis=1) - extra
        inside = self._above(extra[row, h], h, room - starts[h], side)
        found: Floats = self._hits[block] + above[row, h] + inside
        return found

    def rank_of(self, extra: Floats, number: Floats, side: str) -> Floats:
        """Return the rank of a target by its number from the top; of each draw.

        Within a tie, or a run of targets at random, it is the mean over the orders.
        """
        r = self.ranking
        ties = np.unique(r.above, return_index=True)[1]
        low, high = np.zeros(len(extra), np.intp), np.full(len(extra), ties.size - 1)
        while np.any(low < high):  # the first tie down to whose end it was found
            middle = (low + high) // 2
            stop = self._tie_of(ties[middle])[1]
            found = self._down_to(extra, stop[:, None], 0, side)[:, 0]
            enough = found >= number * (1 - ROUNDING)
            low, high = (
                np.where(enough, low, middle + 1),
                np.where(enough, middle, high),
            )
        block = ties[low]
        start, stop = self._tie_of(block)
        before = self._down_to(extra, start[:, None], 0, side)[:, 0]
        hits = self._down_to(extra, stop[:, None], 0, side)[:, 0] - before
        place, size = number - before, r.size[block]
        if side != "mean":
            run = place + (size - hits if side == "last" else 0)
            place = np.where(r.in_tie[block], place * (size + 1) / (hits + 1), run)
        else:
            place = place * (size + 1) / (hits + 1)
        rank: Floats = r.above[block] + place
        return rank
