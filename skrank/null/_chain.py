"""Markov chain of the number of hits down the tie groups, under random selection.

The scores are fixed, and the m target labels are placed on the n items uniformly at
random. Then (T, H), the depth and the number of hits above it, is a Markov chain. A
path with d_1, d_2, ... hits in groups of b_1, b_2, ... items has the probability

    prod_j C(b_j, d_j) / C(n, m)

(Fisher's multivariate hypergeometric distribution). A pass over the chain therefore
needs only binomial coefficients and the gain of each group. The last group that counts
is separate from the groups above it, the body, because a metric converts the sum of
gains into its value there (see `Metric.terminal`).

At large depths, neighbouring ranks have nearly equal weights, so groups are merged into
blocks. The hits of a block are in random order within it. The mean over this order is
exact, and its variance is kept.
"""

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._combinatorics import log_binomial
from skrank.metrics._definitions import Metric
from skrank.null._lattice import (
    IMPOSSIBLE,
    SHORT_CELLS,
    LastGroup,
    Lattice,
    Orders,
    Step,
)
from skrank.null._pairs import PairWeights
from skrank.ranking._level_counts import pieces
from skrank.ranking._ranking import HitGroups
from skrank.ranking._ties import TieGroups

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]

# Number of ranks at the top that are not merged into blocks, because there each rank
# has a much larger weight than the next one. With half of it, p of (14906, 304) at z =
# 20 has an error of 0.1 %; with twice as many it takes a quarter longer.
_SINGLE = 50
# Ratio of the sizes of a block and of a tie that may be merged, if its gains are not
# sums over pairs of hits. With half of it, p = exp(-5169) of 9,000 optimistic ties has
# an error of 7 %.
_NARROWER = 5
#: Cells that take as long as the rest of a step. With twice as many, the moments of
# 5,000 groups are not exact if hits are in the divisor.
GROUP_CELLS = 2**9


class Chain:
    """The Markov chain of one metric for one ranking.

    All m targets are among the items from depth `start` to depth `stop`, which are all
    items at first; `ends` are the depths at which the counted groups end.
    """

    def __init__(self, metric: Metric, ties: TieGroups, n_targets: int) -> None:
        # without ties, all tie rules are equal
        self.metric = replace(metric, ties="expected") if ties.untied else metric
        self.n_samples, self.n_targets = ties.n_samples, n_targets
        self.frame = metric.frame(ties, n_targets)
        self.ends, self.merged = _counted(metric, ties, self.frame.cut)
        self._count(0, self.n_samples, self.ends)
        #: Depths, and the smallest and largest numbers of hits above them that are
        #: followed.
        self.fence: tuple[_Ints, _Ints, _Ints] | None = None
        #: Share of the variance of places inside a block that remains with its ties.
        self.freedom = np.broadcast_to(1.0, self.ends.size)

    def _count(self, start: int, stop: int, ends: _Ints) -> None:
        """Set the ends of the groups, their sizes, and their beginnings."""
        self.start, self.stop, self.ends = start, stop, ends
        self.__dict__.pop("_changes", None)
        self.sizes = np.diff(ends, prepend=start)
        self.depths = np.append(start, ends[:-1])

    @property
    def is_untied(self) -> bool:
        """Whether no two counted items are tied."""
        return bool(np.all(self.merged | (self.sizes == 1)))

    @property
    def is_whole(self) -> bool:
        """Whether all items count."""
        return bool(self.ends[-1] == self.stop)

    @property
    def is_short(self) -> bool:
        """Whether a pass over all possible numbers of hits takes up to a second."""
        cells = self.possible().n_cells + GROUP_CELLS * self.ends.size
        return cells <= SHORT_CELLS

    @property
    def log_total(self) -> float:
        """Logarithm of the number of placements."""
        return float(log_binomial(self.stop - self.start, self.n_targets))

    def log_left(self, depth: Any, hits: Any) -> Any:
        """Logarithm of the number of placements below a depth; -inf if none."""
        room, left = self.stop - depth, self.n_targets - hits
        possible = (left >= 0) & (left <= room)
        ways = log_binomial(room, np.where(possible, left, 0))
        return np.where(possible, ways, -np.inf)

    @property
    def slope(self) -> float | None:
        """Factor of the summed gains in the value, if all rankings share it."""
        return 1 / self.metric.divisor(self.frame) if self.metric.additive else None

    @cached_property
    def scale(self) -> float:
        """Smallest unit of the values of the whole ranking: the offset, or a gain.

        It is never zero, so that there is room between a value of zero and the next
        one: a hit of a tie at the cutoff may have no gain, and weights may underflow.
        """
        above, size = int(self.depths[-1]), int(self.sizes[-1])
        gains = (self.metric.gain(above, size, 0, d, self.frame) for d in (1, size))
        gain = next((float(gain) for gain in gains if gain > 0), 0.0)
        slope = self.slope or 1.0  # the largest possible gain of one hit
        offset = abs(float(self.metric.offset(self.frame)))
        return max(gain * slope, offset, float(np.finfo(float).tiny))

    # Gains

    @cached_property
    def weights(self) -> PairWeights:
        """Gains by pairs of hits, exact for one hit, and for the mean of a group."""
        usual = self.sizes * self.n_targets / self.n_samples
        return self._weights_at(usual)

    def _weights_at(self, usual: _Floats) -> PairWeights:
        weights = PairWeights(*np.empty((3, self.sizes.size)))
        for here in pieces(self.sizes.size):
            sizes, some = self.sizes[here], np.rint(usual[here]).astype(np.intp)
            once = np.clip(some, 1, sizes)
            several = np.minimum(np.maximum(some, 2), sizes)
            item = self._gain(here, 0, 1)
            cross = self._gain(here, 1, once) - self._gain(here, 0, once)
            inside = self._gain(here, 0, several) / several - item
            weights.cross[here], weights.item[here] = cross / once, item
            weights.inside[here] = np.where(
                sizes > 1, inside / np.maximum(several - 1, 1), 0.0
            )
        return weights

    @cached_property
    def is_pairwise(self) -> bool:
        """Whether the gains by pairs are exact for all numbers of hits."""
        if not self.is_linear:
            return False
        # single hits everywhere; several in ties, and in the last group, which the
        # cutoff may divide
        most = np.minimum(self.sizes, self.n_targets)
        some = np.union1d(np.flatnonzero(most > 1), most.size - 1)
        tied = most[some]
        hits = np.stack([0 * tied + 1, 0 * tied + 2, (tied + 1) // 2, tied - 1, tied])
        hits = np.tile(np.clip(hits, 1, tied), (3, 1))
        above = np.repeat([0, 1, 3], 5)[:, None]
        single = ((here, 2, np.minimum(1, most[here])) for here in pieces(most.size))
        for here, over, inside in (*single, (some, above, hits)):
            gain = self._gain(here, over, inside)
            by_pairs = self.weights.gain(here, over, inside)
            if np.any(np.abs(gain - by_pairs) > 1e-9 * np.abs(gain)):
                return False
        return True

    @cached_property
    def is_linear(self) -> bool:
        """Whether the gain of an untied hit is linear in the number of hits above it.

        It is for all sums over pairs of hits. Otherwise groups must not be merged,
        because the gain of a block would depend on more than mean numbers of hits.
        """
        if self.n_targets < 3:  # two points are on a line
            return True
        first, last = int(self.depths[0]), int(self.ends[-1]) - 1
        depths = np.unique(np.geomspace(1 + first, 1 + last, 32).astype(int)) - 1
        # all of the first 256 numbers, since one target alone may count
        hits = np.geomspace(1, self.n_targets, 32).astype(int) - 1
        hits = np.union1d(hits, np.arange(min(256, self.n_targets)))[:, None]
        among = replace(self.metric, ties="expected")
        gain: Any = among.gain(depths, 1, hits, 1, self.frame)
        gain = np.broadcast_to(gain, (hits.size, depths.size))
        line = gain[0] + hits * (gain[1] - gain[0])
        return bool(np.all(np.abs(gain - line) <= 1e-9 * np.abs(gain).max()))

    def _gain(self, here: Any, hits_above: Any, hits: Any) -> _Floats:
        """Gain of some groups; merged groups are not ties under any rule."""
        among, merged = replace(self.metric, ties="expected"), self.merged[here]
        args = self.depths[here], self.sizes[here], hits_above, hits, self.frame
        found = self.metric.gain(*args)
        if merged.any():
            found = np.where(merged, among.gain(*args), found)
        shape = np.broadcast_shapes(merged.shape, np.shape(hits))
        return np.broadcast_to(np.asarray(found, dtype=float), shape)

    def gain(self, j: int, hits_above: _Ints, hits: _Ints, inside: str = "") -> _Floats:
        """Gain of one group; `inside` is the order in a merged one, if not the mean.

        In an extreme ranking the hits of a merged group are its first, or its last.
        """
        shape = np.broadcast_shapes(hits_above.shape, hits.shape)
        if (self.merged[j] or self.is_pairwise) and not inside:
            gain = self.weights.gain(j, hits_above, hits)
        else:
            loose = self.merged[j] and inside
            metric = replace(self.metric, ties=inside) if loose else self.metric
            tie = int(self.depths[j]), int(self.sizes[j])
            least, most = int(hits.min()), int(hits.max())
            if self.is_linear and most - least < hits.size / 4:
                # once for each number of hits, and linear in the hits above
                every, here = np.arange(least, most + 1), hits - least
                none, one = (
                    np.broadcast_to(
                        metric.gain(*tie, h, every, self.frame), every.shape
                    )
                    for h in (0, 1)
                )
                gain = none[here] + hits_above * (one - none)[here]
            else:
                gain = metric.gain(*tie, hits_above, hits, self.frame)
        return np.asarray(np.broadcast_to(gain, shape), dtype=float)

    @cached_property
    def _changes(self) -> tuple[_Floats, _Floats]:
        """Change of the gain of one hit over each third of each merged group.

        Without hits above, and for each of them.
        """
        among = replace(self.metric, ties="expected")
        places = self.depths + (self.sizes - 1) * np.arange(4)[:, None] / 3
        alone, under = (
            np.broadcast_to(among.gain(places, 1, h, 1, self.frame), places.shape)
            for h in (0, 1)
        )
        scale = 1.5 * self.sizes / np.maximum(self.sizes - 1, 1)
        once, more = np.diff(alone, axis=0), np.diff(under - alone, axis=0)
        return (scale * once).T, (scale * more).T

    def orders(self, j: int, hits_above: _Ints, hits: _Ints) -> Orders | None:
        """Variation of the gain over the orders of the hits inside a merged group.

        If a hit moves down by one place, the sum of gains changes like the gain of a
        single hit. The change over each third of the block gives the gain over the
        block as a polynomial of the third degree, and so its variance.
        """
        size = int(self.sizes[j])
        if not self.merged[j] or size == 1 or not self.freedom[j]:
            return None
        once, more = self._changes[0][j].tolist(), self._changes[1][j].tolist()
        scale = size / (size - 1)
        before = scale * (hits - 1.0).clip(0) / 6  # hits of the block above a third / k
        first, middle, last = (
            once[i] + more[i] * (hits_above + before * (2 * i + 1)) for i in range(3)
        )
        p1, p2 = 0.75 * (last - first), 2.25 * ((first + last) / 2 - middle)
        p0 = middle - p2 / 27
        single = p0**2 / 3 + p1**2 / 45 + 2 * p0 * p2 / 15 + p2**2 / 63
        free = hits * (1 - hits / size) * scale * self.freedom[j]
        return Orders(free, single)

    # Chains of parts of the ranking

    def unfenced(self) -> "Chain":
        """Return the chain with all numbers of hits."""
        chain = copy(self)
        chain.fence = None
        return chain

    def within(self, start: int, stop: int) -> "Chain":
        """Return the chain of rankings with all targets between two group ends."""
        part = copy(self)
        groups = slice(*np.searchsorted(self.ends, (start + 1, stop + 1)).tolist())
        part._count(start, stop if self.is_whole else self.stop, self.ends[groups])
        part.merged = self.merged[groups]
        part.freedom = self.freedom[groups]
        part.scale, part.is_pairwise = self.scale, self.is_pairwise
        part.weights = PairWeights(*(weight[groups] for weight in self.weights))
        return part

    def with_usual(self, hits: _Floats) -> "Chain":
        """Return the chain whose gains by pairs are exact for other numbers of hits.

        The gains of ties under "optimistic" and "pessimistic" are no sums over pairs.
        """
        chain = copy(self)
        chain.weights = self._weights_at(hits)
        return chain

    def blocks(self, growth: float) -> "Chain":
        """Return the chain with groups merged into blocks that grow with the depth.

        The last group is merged as well. Ties are merged if they are narrower than the
        blocks and their gains are sums over pairs, at least nearly.
        """
        body = self.ends if self.is_whole else self.ends[:-1]
        if body.size == 0:
            return self
        first = max(math.ceil(1 / growth), _SINGLE)
        base = max(first, self.start)
        count = math.ceil(math.log(max(body[-1] / base, 1.0)) / math.log1p(growth))
        cuts = base * (1 + growth) ** np.arange(count)
        index = np.searchsorted(body, cuts, "right") - 1
        index = np.concatenate([index, np.flatnonzero(body <= first)])
        index = index[(index >= 0) & (body[index] * (1 + growth / 8) < body[-1])]
        # wide ties stay as they are
        exact = self.is_pairwise or self.metric.ties == "expected"
        widest = growth / 2 if exact else growth / 2 / _NARROWER
        kept = (self.sizes > 1) & ~self.merged & (self.sizes > widest * self.ends)
        wide = np.flatnonzero(kept[: body.size])
        index = np.concatenate([index, wide[wide > 0] - 1, wide]).astype(np.intp)
        ends = np.union1d(body[index], np.append(body[-1:], self.ends[-1:]))
        chain = self._joined(ends)
        bounds = np.searchsorted(self.ends, ends)
        cubes = np.where(self.merged, 1, self.sizes).astype(float) ** 2 * self.sizes
        tied = np.diff(np.cumsum(cubes)[bounds], prepend=0.0)
        chain.freedom = np.maximum(0.0, 1 - tied / chain.sizes.astype(float) ** 3)
        return chain

    def runs(self, short: int = 0) -> "Chain":
        """Return the chain with the groups between ties merged if they are not few."""
        single = self.merged | (self.sizes == 1)
        last = ~single
        last[:-1] |= ~single[1:]
        last[-2:] = True
        if short:
            which = np.cumsum(~single)  # a run begins with a tie
            last |= np.bincount(which)[which] <= short + 1
        return self._joined(self.ends[last])

    def _joined(self, ends: _Ints) -> "Chain":
        """Return the chain of groups with these ends: unions of groups, or parts."""
        chain = copy(self)
        chain.scale, chain.is_pairwise = self.scale, self.is_pairwise
        chain._count(self.start, self.stop, ends)
        starts = np.searchsorted(self.ends, chain.depths, "right")
        last = np.searchsorted(self.ends, ends)
        chain.merged = (last > starts) | self.merged[last]
        chain.weights = self.weights.joined(self.depths, self.sizes, starts)
        chain.freedom = np.broadcast_to(1.0, ends.size)
        return chain

    # Steps of a pass

    def possible(self) -> Lattice:
        """Return the lattice of all possible numbers of hits inside the fence.

        Between two of its depths, the fence is the union of those at both depths.
        """
        depths, m = self.depths, self.n_targets
        least = np.maximum(0, m - (self.stop - depths))
        most = np.minimum(m, depths - self.start)
        if self.fence is not None:
            known, fewest, largest = self.fence
            least = np.maximum(least, fewest[np.searchsorted(known, depths, "right")])
            most = np.minimum(most, largest[np.searchsorted(known, depths)])
        one, none = np.broadcast_to(1, depths.size + 1), np.broadcast_to(0, depths.size)
        return Lattice(least, most, one, none, np.minimum(self.sizes, m))

    def lattice(
        self, least: Any, most: Any, stride: Any, fewest: Any, widest: Any
    ) -> Lattice:
        """Return a lattice over the given numbers of hits, as far as they are possible.

        The whole numbers next to the limits are followed, at least four strides, and in
        each group some hits that lead from one depth to the next.
        """
        possible, few = self.possible(), np.zeros_like(self.sizes)
        least = np.clip(np.floor(least), possible.least, possible.most).astype(np.intp)
        most = np.clip(np.ceil(most), least, possible.most).astype(np.intp)
        stride = np.minimum(stride, np.append(most - least, self.n_targets) // 4)
        stride = np.maximum(stride, 1).astype(np.intp)
        fewest, widest = np.array(fewest), np.array(widest)
        fewest[:-1] = np.minimum(fewest[:-1], most[1:] - least[:-1])
        widest[:-1] = np.maximum(widest[:-1], least[1:] - most[:-1])
        fewest = np.clip(np.floor(fewest), few, possible.widest).astype(np.intp)
        widest = np.clip(np.ceil(widest), fewest, possible.widest).astype(np.intp)
        return Lattice(least, most, stride, fewest, widest)

    def steps(
        self, lattice: Lattice, *, inside: str = "", down: bool = False
    ) -> Iterator[Step]:
        """Return the steps of the body on a lattice, upwards or downwards."""
        order = range(self.ends.size - 1)
        for j in order if down else reversed(order):
            above, below = lattice.above(j), lattice.above(j + 1)
            size, stride = int(self.sizes[j]), int(lattice.stride[j + 1])
            fewest, widest = int(lattice.fewest[j]), int(lattice.widest[j])
            first = np.maximum(0, -((below[0] - above - fewest) // stride))
            last = np.minimum((above + widest - below[0]) // stride, below.size - 1)
            rows = max(1, int((last - first).max()) + 1)
            index = first + np.arange(rows)[:, None]
            within = index < below.size
            index = np.minimum(index, below.size - 1)
            hits = below[index] - above
            room = np.clip(hits, 0, size)
            possible = within & (hits == room)
            ways = _log_ways(size, room) + math.log(stride)
            yield Step(
                above,
                below,
                index,
                room,
                self.gain(j, above, room, inside),
                np.where(possible, ways, IMPOSSIBLE),
                None if inside else self.orders(j, above, room),
            )

    def last_group(self, lattice: Lattice) -> LastGroup:
        """Return the last group, for all states in which the body can end."""
        m, above = self.n_targets, lattice.above(-1)[None, :]
        # at the end of the ranking, this group has all remaining hits
        fewest, widest = int(lattice.fewest[-1]), int(lattice.widest[-1])
        stride = 1 if self.is_whole else int(lattice.stride[-1])
        rows = np.arange(fewest, widest + 1, stride)[:, None]
        hits = m - above if self.is_whole else rows + 0 * above
        depth, size, end = (int(x[-1]) for x in (self.depths, self.sizes, self.ends))
        inside = np.clip(hits, 0, size)
        possible = (hits == inside) & (above + hits <= m)
        logweight = log_binomial(size, inside) + math.log(stride) - self.log_total
        logweight = logweight + self.log_left(end, above + hits)
        # the rows have the same hits for all hits above, except if these leave the rest
        column = inside if self.is_whole else inside[:, :1]
        groups = HitGroups(np.asarray(depth), np.asarray(size), above, column)
        metric = self.metric
        if self.merged[-1]:
            metric = replace(metric, ties="expected")
        slope, intercept = metric.terminal(groups, self.frame)
        if self.merged[-1]:
            gain = self.weights.gain(-1, above, inside)
            intercept = slope * gain + metric.offset(self.frame)
        shape = logweight.shape
        return LastGroup(
            inside,
            np.broadcast_to(slope, shape),
            np.broadcast_to(intercept, shape),
            np.where(possible, logweight, -np.inf),
            self.orders(self.ends.size - 1, above, inside),
        )


def _log_ways(size: int, hits: _Ints) -> _Floats:
    """Logarithms of C(size, hits), each number of hits once if they are few."""
    least, most = int(hits.min()), int(hits.max())
    if most - least >= hits.size:
        return np.asarray(log_binomial(size, hits))
    ways: _Floats = log_binomial(size, np.arange(least, most + 1))
    return ways[hits - least]


def _counted(
    metric: Metric, ties: TieGroups, cut: float
) -> tuple[_Ints, NDArray[np.bool_]]:
    """Return the ends of the groups above the cutoff, merged if order is irrelevant.

    A stretch with the cutoff ends at the cutoff, because its items are not tied.
    """
    count = 1 + int(np.searchsorted(ties.ends, cut))
    ends, merged = ties.ends[:count], ties.merged[:count]
    if merged[-1] and ends[-1] > cut:
        # the last item is separate, so that there are two ways to fill the last group
        last = np.arange(int(cut) - 1, int(cut) + 1)
        last = last[last > (ends[-2] if count > 1 else 0)]
        ends = np.append(ends[:-1], last)
        merged = np.append(merged[:-1], np.array([True, False])[-last.size :])
    if metric.ordered:
        return ends, merged
    kept = slice(-2 if ends[-1] > cut and ends.size > 1 else -1, None)
    return ends[kept], merged[kept]
