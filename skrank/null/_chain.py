"""Hits down the tie groups under random selection: a Markov chain.

Random selection keeps the scores and puts the m target labels on the n items uniformly
at random. Down the ranking, (T, H) is then a Markov chain. A path of it, d_1, d_2, ...
hits in the groups of b_1, b_2, ... items, has probability prod C(b_j, d_j) / C(n, m),
so a pass over it needs only binomial coefficients and what each group adds.

The last group that counts stands apart from the ones above it, the body, because it is
there that a measure turns the sum of gains into its value (see `Measure.terminal`).
"""

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.metrics._definitions import Measure
from skrank.null._chances import log_binomial, log_chances, log_chances_of_more
from skrank.null._steps import (
    Lattice,
    Orders,
    PairWeights,
    Step,
    Terminal,
    Windows,
)
from skrank.ranking._ranking import HitGroups
from skrank.ranking._ties import TieGroups

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]
_TABLE_ITEMS = 2**18  # gains computed in one call; bounds the memory of a pass
_TERMINAL_CELLS, _TERMINAL_TERMS = 2**24, 2**28  # of the last group: some seconds
MAX_BLOCK_HITS = 128  # hits that a block of merged groups can hold
_NARROW = 1 / 2000  # of its depth: a tie in which gains are nearly those of pairs


class Chain:
    """The chain of one measure on one ranking, which every engine reads."""

    def __init__(self, measure: Measure, ties: TieGroups, n_targets: int) -> None:
        # without ties all rules are one
        self.measure = replace(measure, ties="expected") if ties.untied else measure
        self.n_samples = ties.n_samples
        self.n_targets = n_targets
        self.frame = measure.frame(ties, n_targets)
        self.ends, self.merged = _counted(measure, ties, self.frame.cut)
        #: Part of the variance of places inside a block that ties leave, if kept.
        self.freedom: _Floats | None = None
        #: Gains of the groups, where ties may be merged that are not "expected" ones.
        self.weights: PairWeights | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of a pickle what can be computed again."""
        made = ("measure", "n_samples", "n_targets", "frame", "ends", "merged")
        return {name: self.__dict__[name] for name in (*made, "freedom", "weights")}

    @property
    def sizes(self) -> _Ints:
        """Sizes of the groups that count."""
        return np.diff(self.ends, prepend=0)

    @cached_property
    def untied(self) -> bool:
        """Whether no two items that count are tied."""
        return bool(np.all(self.merged | (self.sizes == 1)))

    @property
    def depths(self) -> _Ints:
        """Depths at the top and after each group of the body."""
        return np.append(0, self.ends[:-1])

    def coarsen(
        self,
        growth: float,
        block_hits: float,
        single: int = 0,
        *,
        mixed: float | None = None,
    ) -> "Chain":
        """Merge far groups into blocks whose width grows with the depth.

        Far down the ranking neighbouring ranks count nearly the same. In a block it is
        left open where the hits stand. It takes `growth` times its depth, at most the
        items that hold `block_hits` hits on average; at both ends of the ranking
        `single` items are not merged. Ties are merged, too, if gains are those of
        pairs, or nearly so; under another rule than "expected" at most those that take
        `mixed` times their depth, where that is given.
        """
        coarse = copy(self)
        mixed = self._mixed if mixed is None else mixed
        mergeable = self.merged | (self.sizes == 1)
        mergeable |= self.measure.ties == "expected"
        mergeable |= self.sizes <= mixed * self.ends
        mergeable &= self.ends <= self.n_samples - single
        widest = block_hits * self.n_samples / self.n_targets
        body = _merge_far(self.ends[:-1], mergeable[:-1], growth, widest, single)
        coarse.ends = np.append(body, self.ends[-1])
        coarse._mark_merged(self)
        return coarse

    @property
    def _mixed(self) -> float:
        """Part of their depth that ties may take to be merged."""
        measure = self.measure
        if measure.pairwise:
            return math.inf
        return _NARROW if measure.additive and measure.counted_hits is None else 0.0

    def _mark_merged(self, whole: "Chain") -> None:
        """Say which groups are several of another chain, or stretches of it."""
        starts = np.searchsorted(whole.ends, self.depths, "right")
        last = np.searchsorted(whole.ends, self.ends)
        self.merged = (last > starts) | whole.merged[last]
        if self.measure.ties != "expected" and self._mixed:
            weights = whole.weights or whole.pair_weights
            self.weights = weights.joined(whole.depths, whole.sizes, starts)

    @cached_property
    def pair_weights(self) -> PairWeights:
        """Gains of the groups by pairs, exact for measures that are `pairwise`.

        Else they are exact for one hit and for as many as a group holds on average.
        """
        above, size = self.depths, self.sizes
        among = replace(self.measure, ties="expected")

        def gain(hits_above: int, hits: Any) -> _Floats:
            args = above, size, hits_above, hits, self.frame
            found = np.where(self.merged, among.gain(*args), self.measure.gain(*args))
            return np.asarray(found, dtype=float)

        item, some = gain(0, 1), np.full(size.shape, 2)
        if not self.measure.pairwise:
            mean = np.rint(size * self.n_targets / self.n_samples).astype(np.intp)
            some = np.clip(mean, 2, size)
        cross = (gain(1, some) - gain(0, some)) / some
        inside = (gain(0, some) / some - item) / np.maximum(some - 1, 1)
        return PairWeights(cross, item, np.where(size > 1, inside, 0.0))

    @cached_property
    def coarse(self) -> "Chain":
        """The same chain in blocks so fine that bounds can be drawn from them.

        As many ranks as there are targets stay single at both ends, so that the ends of
        the support are exact.
        """
        return self.coarsen(0.03, 2.0, max(200, self.n_targets), mixed=0.0)

    @property
    def runs(self) -> "Chain":
        """The same chain with all ties as they are, and what is between them in runs.

        Of an extreme ranking the hits in a run are its first, or its last items.
        """
        found = copy(self)
        single = self.merged | (self.sizes == 1)
        tied = np.flatnonzero(~single)
        place = np.arange(self.ends.size)
        # groups since the last tie; a run ends before a tie, or when it is full
        since = place - np.append(-1, tied)[np.searchsorted(tied, place, "right")]
        last = ~single | (since % MAX_BLOCK_HITS == 0)
        last[tied[tied > 0] - 1] = True
        last[-2:] = True
        found.ends = self.ends[last]
        found._mark_merged(self)
        return found

    @property
    def fine(self) -> "Chain":
        """The same chain in blocks as fine, which merge all ties that may be merged."""
        return self.coarsen(0.03, 2.0, max(200, self.n_targets))

    @cached_property
    def coarsest(self) -> "Chain":
        """The same chain in a few dozen blocks, to find out where the hits stand."""
        return self.coarsen(0.6, 24.0, mixed=math.inf)

    def blocks(self, growth: float, head: int = 0, single: int = 0) -> "Chain":
        """Merge the ranking into blocks that grow with the depth, its last group too.

        The first `head` items are one block, and at least as many hits can vary at the
        end of each, down to the last; if `head` is 0, at least `single` items
        are kept apart. Ties are merged only where they are narrower than the blocks,
        and where gains are those of pairs, or nearly so, unless there is a `head`.
        """
        coarse = copy(self)
        coarse.ends = self._block_ends(growth, head, single)
        least, most, _ = coarse.possible()
        roomy = (most - least)[1:] >= head
        coarse.ends = coarse.ends[np.append(roomy, True)]
        coarse._mark_merged(self)
        bounds = np.searchsorted(self.ends, coarse.ends)
        cubes = np.where(self.merged, 1, self.sizes).astype(float) ** 2 * self.sizes
        tied = np.diff(np.cumsum(cubes)[bounds], prepend=0.0)
        coarse.freedom = np.maximum(0.0, 1 - tied / coarse.sizes.astype(float) ** 3)
        return coarse

    def _block_ends(self, growth: float, head: int, single: int) -> _Ints:
        first = head or max(math.ceil(1 / growth), single)
        body = self.ends if self.ends[-1] == self.n_samples else self.ends[:-1]
        count = math.ceil(math.log(max(body[-1] / first, 1.0)) / math.log1p(growth))
        cuts = first * (1 + growth) ** np.arange(count)
        index = np.searchsorted(body, cuts, "right") - 1
        alone = np.flatnonzero(body <= (0 if head else first))
        index = np.concatenate([index, alone]).astype(int)
        index = index[(index >= 0) & (body[index] * (1 + growth / 8) < body[-1])]
        kept = self._kept(growth, loose=head > 0)[: body.size]
        wide = np.flatnonzero(kept & (body > head))
        index = np.concatenate([index, wide[wide > 0] - 1, wide])
        return np.union1d(body[index], np.append(body[-1:], self.ends[-1:]))

    def _kept(self, growth: float, *, loose: bool) -> NDArray[np.bool_]:
        """Which ties remain as they are in blocks of some growth."""
        expected = loose or self.measure.ties == "expected"
        widest = growth / 2 if expected else min(growth / 2, self._mixed)
        return (self.sizes > 1) & ~self.merged & (self.sizes > widest * self.ends)

    @cached_property
    def n_cells(self) -> int:
        """Numbers that one pass over the body computes, and keeps where it is kept."""
        windows = self.possible()
        limit = np.where(self.merged[:-1], MAX_BLOCK_HITS, self.n_targets)
        return windows._replace(widest=np.minimum(windows.widest, limit)).n_cells

    @cached_property
    def full_steps(self) -> list[Step]:
        """All steps upwards with all that is possible, kept."""
        return list(self.steps(upwards=True))

    @cached_property
    def likely_steps(self) -> list[Step]:
        """All steps upwards, kept; for short chains.

        Far below the top, where even a strong tilt moves few hits, blocks are not
        allowed many more than they hold on average.
        """
        least, most, widest = self.possible()
        mean = widest * self.n_targets / self.n_samples
        likely = np.ceil(1.5 * mean + 9 * np.sqrt(mean) + 8).astype(np.intp)
        far = self.depths[:-1] > 8 * self.n_targets
        widest = np.where(far, np.minimum(widest, likely), widest)
        return list(self.steps(Windows(least, most, widest), upwards=True))

    def possible(self) -> Windows:
        """All numbers of hits that can be."""
        depths, n, m = self.depths, self.n_samples, self.n_targets
        most = np.minimum(m, depths)
        return Windows(np.maximum(0, m - (n - depths)), most, self.sizes[:-1])

    def likely(
        self, log_left_out: float, block_hits: int = MAX_BLOCK_HITS
    ) -> tuple[Windows, float]:
        """Numbers of hits that are not next to impossible, without a tilt.

        Blocks hold at most `block_hits`. The logarithm of the chance of all others is
        about `log_left_out` or less; it is returned, too.
        """
        n, m, hits = self.n_samples, self.n_targets, np.arange(self.n_targets + 1)
        visited = log_chances(n, m, self.depths)
        rare = log_left_out - math.log(2 * visited.size)
        kept = visited > rare
        least, most = kept.argmax(axis=1), m - kept[:, ::-1].argmax(axis=1)
        outside = (hits < least[:, None]) | (hits > most[:, None])
        more, row = log_chances_of_more(n, m, self.sizes[:-1])
        widest = (more > rare).sum(axis=1)[row]
        widest = np.minimum(widest, np.where(self.merged[:-1], block_hits, m))
        left_out = np.append(visited[outside], more[row, widest])
        widest = np.minimum(widest, most[1:] - least[:-1])
        return Windows(least, most, widest), float(np.logaddexp.reduce(left_out))

    def lattice(self, windows: Windows, stride: _Ints, fewest: _Ints) -> Lattice:
        """Lay a lattice over windows, no further than can be.

        Its numbers are multiples of the strides.
        """
        possible = self.possible()
        least = np.maximum(windows.least // stride, -(-possible.least // stride))
        most = np.minimum(-(-windows.most // stride), possible.most // stride)
        least, most = least * stride, most * stride
        room = np.minimum(self.sizes[:-1], most[1:] - least[:-1])
        widest = np.minimum(windows.widest, np.maximum(room, 0))
        return Lattice(least, most, stride, np.clip(fewest, 0, widest), widest)

    def strides(self, per_deviation: float) -> _Ints:
        """Strides by the deviations of the hits after groups and in them."""
        n, m = self.n_samples, self.n_targets
        share = m / n * (1 - m / n)
        inside = np.sqrt(self.sizes[:-1] * share)
        above = np.sqrt(self.depths * share * (1 - self.depths / n))
        smooth = np.minimum(above, np.append(inside, np.inf))
        smooth = np.minimum(smooth, np.append(above[1:], np.inf))
        units = np.maximum(smooth / per_deviation, 1.0)
        return np.asarray(2 ** np.floor(np.log2(units)).astype(np.intp))

    def steps(
        self,
        windows: Windows | None = None,
        *,
        inside: str = "expected",
        upwards: bool = False,
    ) -> Iterator[Step]:
        """Go down (or up) the body; gains are computed for stretches of like groups.

        `inside` is the tie rule within merged blocks.
        """
        least, most, widest = windows or self.possible()
        limit = np.where(self.merged[:-1], MAX_BLOCK_HITS, self.n_targets)
        rows = 1 + np.minimum(np.minimum(widest, limit), most[1:] - least[:-1])
        columns = 1 + (most - least)[:-1]
        order = -1 if upwards else 1
        for first, stop in _stretches(rows * columns)[::order]:
            here = slice(first, stop)
            shape = rows[here], columns[here]
            tables = self._tables(np.arange(first, stop), *shape, least[here], inside)
            for j in range(first, stop)[::order]:
                gain, logcount = tables[j - first]
                yield Step(
                    gain[: rows[j], : columns[j]],
                    logcount[: rows[j]],
                    int(least[j]),
                    int(least[j + 1]),
                    int(most[j + 1]),
                )

    def steps_on(self, lattice: Lattice, temperature: int = 1) -> Iterator[Step]:
        """Go up the body on a lattice; orders in blocks count at `temperature` 1."""
        least, most, stride, fewest, widest = (part.tolist() for part in lattice)
        for j in range(len(fewest))[::-1]:
            s, room = stride[j], most[j + 1] - least[j]
            low = max(fewest[j], least[j + 1] - most[j], 0)
            high = min(widest[j], room)
            low = -(-low // s) * s
            hits = np.arange(low, max(high, low) + 1, s)[:, None]
            above = np.arange(least[j], most[j] + 1, s)
            size = int(self.sizes[j])
            gain, orders = self._inside(j, above, hits)
            yield Step(
                gain,
                log_binomial(size, hits[:, 0]) + math.log(s),
                least[j],
                least[j + 1],
                most[j + 1],
                int(hits[0, 0]),
                s,
                stride[j + 1],
                orders if temperature == 1 else None,
            )

    def _inside(
        self, j: int, above: _Ints, hits: _Ints
    ) -> tuple[_Floats, Orders | None]:
        """Gain of a group, and the orders inside a merged one.

        To move a hit down by one place changes the sum of gains as the gain of a single
        hit there changes; from the change over each third of the block follows that
        over the block as a polynomial of the third degree, and its variance.
        """
        measure, frame = self.measure, self.frame
        start, size = int(self.depths[j]), int(self.sizes[j])
        shape = np.broadcast_shapes(above.shape, hits.shape)
        if not self.merged[j] or size == 1:  # a stretch of one item has one order
            gain = measure.gain(start, size, above, hits, frame)
            return np.broadcast_to(gain, shape), None
        measure = replace(measure, ties="expected")
        if self.weights is None:
            gain = measure.gain(start, size, above, hits, frame)
        else:
            gain = self.weights.gain(j, above, hits)
        places = start + (size - 1) * np.arange(4) / 3
        alone = [measure.gain(places, 1, h, 1, frame) * np.ones(4) for h in (0, 1)]
        once, more = np.diff(alone[0]), np.diff(alone[1] - alone[0])
        scale = size / (size - 1)
        before = scale * (hits - 1.0).clip(0) / 6  # hits of the block above a third / k
        first, middle, last = (
            1.5 * scale * (once[i] + more[i] * (above + before * (2 * i + 1)))
            for i in range(3)
        )
        p1 = 0.75 * (last - first)
        p2 = 2.25 * ((first + last) / 2 - middle)
        p0 = middle - p2 / 27
        single = p0**2 / 3 + p1**2 / 45 + 2 * p0 * p2 / 15 + p2**2 / 63
        freedom = 0.0 if self.freedom is None else self.freedom[j]
        free = hits * (1 - hits / size) * scale * freedom
        single = np.broadcast_to(single, shape)
        return np.broadcast_to(gain, shape), Orders(np.asarray(free), single)

    def _tables(
        self, groups: _Ints, rows: _Ints, columns: _Ints, least: _Ints, inside: str
    ) -> list[tuple[_Floats, _Floats]]:
        """Gains over hits in groups and above them; ways to place the hits.

        Groups with like tables are computed together, as large as the largest.
        """
        found: list[Any] = [None] * groups.size
        height, width = np.frexp(rows)[1], np.frexp(columns)[1]
        kinds = 64 * (2 * height + self.merged[groups]) + width
        for kind in np.unique(kinds):
            alike = np.flatnonzero(kinds == kind)
            hits = np.arange(rows[alike].max())
            above = least[alike, None] + np.arange(columns[alike].max())
            pairs = zip(*self._alike(groups[alike], hits, above, inside), strict=True)
            for place, pair in zip(alike.tolist(), pairs, strict=True):
                found[place] = pair
        return found

    def _alike(
        self, groups: _Ints, hits: _Ints, hits_above: _Ints, inside: str
    ) -> tuple[_Floats, _Floats]:
        """Tables of groups that are all merged, or all not."""
        measure, size = self.measure, self.sizes[groups, None]
        hits = np.minimum(hits, size)  # groups smaller than the largest
        cells = hits_above[:, None, :], hits[:, :, None]
        shape = (*hits.shape, hits_above.shape[1])
        if self.merged[groups[0]]:
            measure = replace(measure, ties=inside)
            if self.weights is not None and inside == "expected":
                gain = self.weights.gain(groups[:, None, None], *cells)
                return gain, log_binomial(size, hits)
        above = self.depths[groups, None, None]
        gain = measure.gain(above, size[:, :, None], *cells, self.frame)
        return np.broadcast_to(gain, shape), log_binomial(size, hits)

    @property
    def terminal_size(self) -> tuple[int, int]:
        """Cells of the table of the last group, and the terms that are summed there."""
        n, m, above = self.n_samples, self.n_targets, int(self.depths[-1])
        ways = 1 + min(int(self.sizes[-1]), m)
        cells = 1 + min(m, above) - max(0, m - (n - above))
        if self.ends[-1] < n:
            cells *= ways
        summed = not self.measure.additive and self.measure.ties == "expected"
        return cells, cells * ways if summed else cells

    @property
    def is_closable(self) -> bool:
        """Whether the table of the last group takes seconds, and fits in memory."""
        cells, terms = self.terminal_size
        return cells <= _TERMINAL_CELLS and terms <= _TERMINAL_TERMS

    @cached_property
    def terminal(self) -> Terminal:
        """The last group for every state that the body can end in."""
        n, m, above = self.n_samples, self.n_targets, int(self.depths[-1])
        size = int(self.sizes[-1])
        hits_above = np.arange(max(0, m - (n - above)), min(m, above) + 1)[None, :]
        # at the end of the ranking the hits left are all in this group
        whole = self.ends[-1] == n
        hits = m - hits_above if whole else np.arange(1 + min(size, m))[:, None]
        return self.terminal_at(hits_above, hits)

    def terminal_at(self, hits_above: _Ints, hits: _Ints) -> Terminal:
        """Return the last group for some states, a row of them, and hits in it."""
        n, m, above = self.n_samples, self.n_targets, int(self.depths[-1])
        end, size = int(self.ends[-1]), int(self.sizes[-1])
        left = m - hits_above - hits
        possible = (left >= 0) & (left <= n - end)
        logweight = np.where(
            possible,
            log_binomial(size, hits)
            + log_binomial(n - end, np.clip(left, 0, n - end))
            - log_binomial(n, m),
            -np.inf,
        )
        groups = HitGroups(np.asarray(above), np.asarray(size), hits_above, hits)
        measure, orders = self.measure, None
        if self.merged[-1]:
            measure = replace(measure, ties="expected")
        slope, intercept = measure.terminal(groups, self.frame)
        if self.merged[-1] and self.weights is not None:
            gain = self.weights.gain(-1, hits_above, hits)
            intercept = slope * gain + measure.offset(self.frame)
        shape = logweight.shape
        if self.freedom is not None:
            orders = self._inside(self.ends.size - 1, hits_above, hits)[1]
        return Terminal(
            np.broadcast_to(slope, shape),
            np.broadcast_to(intercept, shape),
            logweight,
            int(hits_above[0, 0]),
            orders,
        )

    @cached_property
    def slope(self) -> float | None:
        """Factor of the summed gains in the value, if all rankings share it."""
        if self.measure.additive:
            return 1 / self.measure.divisor(self.frame)
        if not self.is_closable:  # so many are not alike
            return None
        slope = self.terminal.slope
        first = float(slope.flat[0])
        return first if np.all(slope == first) else None

    @cached_property
    def scale(self) -> float:
        """Size of the least number that values are made of: the offset, or a gain.

        It is never zero, so that there is room between a value of zero and the next:
        one hit of a tie at the cutoff may add nothing, and weights may underflow.
        """
        above, size = int(self.depths[-1]), int(self.sizes[-1])
        gains = (self.measure.gain(above, size, 0, d, self.frame) for d in (1, size))
        gain = next((float(gain) for gain in gains if gain > 0), 0.0)
        slope = self.slope or 1.0  # the largest there is, of one hit
        offset = abs(self.measure.offset(self.frame))
        return max(gain * slope, offset, float(np.finfo(float).tiny))


def _counted(
    measure: Measure, ties: TieGroups, cut: float
) -> tuple[_Ints, NDArray[np.bool_]]:
    """Ends of the groups that begin above the cutoff, merged if their order is moot.

    A stretch that the cutoff falls in ends there: its items are not tied.
    """
    count = 1 + int(np.searchsorted(ties.ends, cut))
    ends, merged = ties.ends[:count], ties.merged[:count]
    if merged[-1] and ends[-1] > cut:
        # the last item stands alone, so that there are two ways to fill the last group
        last = np.arange(int(cut) - 1, int(cut) + 1)
        last = last[last > (ends[-2] if count > 1 else 0)]
        ends = np.append(ends[:-1], last)
        merged = np.append(merged[:-1], np.array([True, False])[-last.size :])
    if measure.ordered:
        return ends, merged
    kept = slice(-2 if ends[-1] > cut and ends.size > 1 else -1, None)
    return ends[kept], merged[kept]


def _merge_far(
    ends: _Ints,
    mergeable: NDArray[np.bool_],
    growth: float,
    widest: float,
    single: int,
) -> _Ints:
    """Ends of the groups, those that can be merged joined to blocks of some width."""
    kept = []
    alone = np.flatnonzero(np.append(~mergeable, True))
    first = int(np.searchsorted(ends, max(single, int(1 / growth)), side="right"))
    index = first
    while index < ends.size:
        start = int(ends[index - 1]) if index else 0
        reach = int(start + min(growth * start, widest))  # a float would cast all ends
        last = min(
            int(np.searchsorted(ends, reach, side="right")),
            int(alone[np.searchsorted(alone, index)]),
        )
        index = max(index, last - 1)
        kept.append(index)
        index += 1
    return np.concatenate([ends[:first], ends[np.array(kept, dtype=np.intp)]])


def _stretches(cells: _Ints) -> list[tuple[int, int]]:
    """Stretches of groups with tables of bounded memory together."""
    part = np.cumsum(cells) // _TABLE_ITEMS
    bounds = np.append(np.flatnonzero(np.diff(part, prepend=-1)), cells.size)
    return list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
