"""Average precision and hits, given how many targets each stratum holds.

The input is a `SampledRanking` and the targets of each stratum that were not found,
`extra`, of shape (n_draws, n_strata), or `Exchanged` ones. The places of these targets
among those without a label are at random ("mean"), which gives the expected value, or
the first or the last ones of the stratum. No other places give a larger or a smaller
average precision, or number of hits, since a target that moves up raises both.
"""

import math
from typing import Any

import numpy as np

from skrank._utils._rounding import ROUNDING
from skrank.inference.sampled._draws import Choice, Exchanged, Floats, as_drawn
from skrank.metrics._definitions._tie_sums import harmonic_sums, run_precisions
from skrank.ranking._sampled import SampledRanking

# Blocks, and numbers of places without a label in them, above which hits count
Cut = tuple[Any, Any]


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
        # the first block of the tie of each block, and the next one below it
        self._tie = np.searchsorted(r.above, r.above)
        self._below = np.searchsorted(r.above, r.above, side="right")
        # blocks of ties that the ends of strata cut
        self._cut = np.flatnonzero(self._below - self._tie > 1)

    def sums_of_strata(self, extra: Floats, side: str) -> tuple[Floats, Floats]:
        """Return what the targets of each stratum add to the sum of precisions.

        The first sums are those within each stratum, the second ones are those that
        each target of a better stratum adds.
        """
        found, aw, uw, linear, square = self._of_strata
        if side == "mean":
            share = extra / np.maximum(self.rooms, 1)
            second = share * np.maximum(extra - 1, 0) / np.maximum(self.rooms - 1, 1)
            return found + share * linear + second * square, aw + share * uw
        inner, outer = np.empty(extra.shape), np.empty(extra.shape)
        for h in range(aw.size):
            counts, of_draw = np.unique(extra[:, h], return_inverse=True)
            within, across = self._one_side(h, counts, side)
            inner[:, h] = (found[h] + within)[of_draw]
            outer[:, h] = (aw[h] + across)[of_draw]
        return inner, outer

    def precisions(
        self, choice: Choice, drawn: Floats, sums: tuple[Floats, Floats], side: str
    ) -> Floats:
        """Return the sums of the precisions at the ranks of all targets.

        `drawn` are the targets without a label, and `sums` are those of the strata, of
        which `choice` takes the usual ones and exchanges some. O(n_draws) for each.
        """
        targets = choice.of(self.ranking.n_found + drawn)
        inner, outer = map(choice.of, sums)
        below = outer.usual.sum(axis=1)[:, None] - outer.usual - outer.better
        # in the same order for any number of draws, so that equal sums stay equal
        terms = np.ascontiguousarray(inner.usual + targets.better * outer.usual)
        total: Floats = terms.sum(axis=1)[:, None] + inner.change
        total += targets.better[:, choice.at] * outer.change
        total += below[:, choice.at] * targets.change
        if not self._cut.size:
            return total
        # pairs in a tie of several strata were counted as if in different ties
        h = self.ranking.stratum[self._cut]
        number, at = np.nonzero(choice.at[:, None] == h)
        of_blocks = Choice(choice.usual[h], at, choice.other[number])
        hits = of_blocks.of(self._in_cut_blocks(drawn, side))
        pair = (2 * self._q - self._w)[self._cut]
        tie = np.unique(self._tie[self._cut], return_index=True, return_inverse=True)
        in_tie = np.add.reduceat(hits.usual, tie[1], axis=1)[:, tie[2]]
        added = pair * (in_tie - hits.usual)  # by each target of the block
        total += (hits.usual * added).sum(axis=1)[:, None] / 2
        np.add.at(total.T, number, (added[:, at] * hits.change).T)
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

    def _in_cut_blocks(self, extra: Floats, side: str) -> Floats:
        """Return the targets of the blocks of ties that the ends of strata cut."""
        h, before = self.ranking.stratum[self._cut], self._u_before[self._cut]
        ends = before, before + self.ranking.unlabelled[self._cut]
        above, down_to = (self.in_room(extra[..., h], h, one, side) for one in ends)
        found: Floats = self.ranking.hits[self._cut] + down_to - above
        return found

    def in_room(self, extra: Any, h: Any, places: Any, side: str) -> Any:
        """Return the targets on the first `places` without a label of stratum h."""
        room = self.rooms[h]
        if side == "first":
            return np.minimum(extra, places)
        if side == "last":
            return np.maximum(extra - (room - places), 0)
        return extra * (places / np.maximum(room, 1))

    def hits(self, extra: Exchanged, depth: Any, side: str) -> Floats:
        """Return the hits above a depth for each exchange, or above depths for one.

        A tie that contains a depth is divided.
        """
        cuts, share = self.cuts(depth)
        low, high = (self.hits_down_to(extra, *one, side) for one in cuts)
        return np.asarray(low + share * (high - low))

    def expected_hits(self, depths: Any) -> Floats:
        """Return the hits above depths, for the targets that are expected."""
        choice, drawn = as_drawn(self.expected[None])
        hits: Floats = self.hits(choice.of(drawn), depths, "mean")[0]
        return hits

    def cuts(self, depth: Any) -> tuple[tuple[Cut, Cut], Floats]:
        """Return the ends of the tie of each depth, and the share of it above.

        An end is a block, and so many places without labels in it. Those of a run are
        both at the depth.
        """
        r, depth = self.ranking, np.asarray(depth, dtype=float)
        block = np.minimum(np.searchsorted(self._ends, depth), r.above.size - 1)
        inside, in_tie = depth - r.above[block], r.in_tie[block]
        places = np.where(in_tie, 0, inside)
        low = np.where(in_tie, self._tie[block], block), places
        high = np.where(in_tie, self._below[block], block), places
        return (low, high), np.where(in_tie, inside / r.size[block], 0.0)

    def depends_down_to(self, depth: float) -> int:
        """Return the items that hits above a depth depend on: all of a divided tie."""
        block = np.searchsorted(self._ends, depth)
        if not self.ranking.in_tie[block]:
            return math.ceil(depth)
        return int(self._ends[self._below[block] - 1])

    def room_above(self, block: Any, places: Any, h: Any) -> Any:
        """Return the items of stratum h without a label above a cut."""
        until = self._room[block] + places - self._room[self.first[h]]
        return np.clip(until, 0, self.rooms[h])

    def hits_down_to(
        self, extra: Exchanged, block: Any, places: Any, side: str
    ) -> Floats:
        """Return the hits before a block and in so many more places without labels."""
        room = self._room[block] + places
        starts = self._room[self.first]
        h = np.maximum(np.searchsorted(starts, room, side="right") - 1, 0)
        row = np.arange(len(extra.usual))[:, None]
        of_stratum = np.where(h == extra.at, extra.other, extra.usual[row, h])
        inside = self.in_room(of_stratum, h, room - starts[h], side)
        better = extra.better[row, h] + (h > extra.at) * extra.change
        found: Floats = self._hits[block] + better + inside
        return found

    def rank_of(self, extra: Exchanged, number: Floats, side: str) -> Floats:
        """Return the rank of a target by its number from the top; of each exchange.

        Within a tie, or a run of targets at random, it is the mean over the orders.
        """
        r, ties = self.ranking, np.unique(self._tie)
        low, high = (np.full(number.shape, one) for one in (0, ties.size - 1))
        while np.any(low < high):  # the first tie down to whose end it was found
            middle = (low + high) // 2
            found = self.hits_down_to(extra, self._below[ties[middle]], 0, side)
            enough = found >= number * (1 - ROUNDING)
            low, high = (
                np.where(enough, low, middle + 1),
                np.where(enough, middle, high),
            )
        block = ties[low]
        before = self.hits_down_to(extra, block, 0, side)
        hits = self.hits_down_to(extra, self._below[block], 0, side) - before
        place, size = number - before, r.size[block]
        if side != "mean":
            run = place + (size - hits if side == "last" else 0)
            place = np.where(r.in_tie[block], place * (size + 1) / (hits + 1), run)
        else:
            place = place * (size + 1) / (hits + 1)
        rank: Floats = r.above[block] + place
        return rank
