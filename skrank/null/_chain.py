"""Hits down the tie groups under random selection: a Markov chain.

Random selection keeps the scores and puts the m target labels on the n items uniformly
at random. Down the list, (T, H) is then a Markov chain. A path of it, d_1, d_2, ...
hits in the groups of b_1, b_2, ... items, has probability prod C(b_j, d_j) / C(n, m),
so a forward pass needs only binomial coefficients, and tilting it (each step weighted
by exp(u * gain)) costs nothing more. All is kept in logarithms, with the mean and the
variance of the summed gains beside each state: nothing under- or overflows, and no
variance is a difference of large numbers.

The last group that counts stands apart from the ones above it, the body, because it is
there that a measure turns the sum of gains into its value (see `Measure.closing`).
"""

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp

from skrank._measures import Measure
from skrank._ranking import HitGroups

_Floats = NDArray[np.float64]
_TABLE_ITEMS = 2**20  # gains computed in one call; bounds the memory of a pass

# Coarse chains: ranks kept single at both ends of the list, growth of the blocks with
# the depth, hits that a block holds on average at most, and hits that it can hold.
_NEAR = 200
_GROWTH = 0.03
_BLOCK_HITS = 2.0
MAX_BLOCK_HITS = 25


@dataclass(frozen=True, slots=True, eq=False)
class TieGroups:
    """The tie groups of a list of scores, best first, by the depths they end at."""

    ends: NDArray[np.intp]

    @property
    def n_samples(self) -> int:
        """Number of items."""
        return int(self.ends[-1])

    @property
    def whole(self) -> bool:
        """Depths are counts."""
        return True

    def group_end(self, depth: float) -> int:
        """Depth at which the tie group that reaches across `depth` ends."""
        return int(self.ends[np.searchsorted(self.ends, depth)])


class Tail(NamedTuple):
    """Logarithm of a tail probability; certified bounds where an engine has them."""

    log_p: float
    log_bounds: tuple[float, float] | None = None


def twice_the_smaller(one: Tail, other: Tail) -> Tail:
    """Join the two tails of a two-sided test."""
    log_p = min(0.0, min(one.log_p, other.log_p) + math.log(2))
    if one.log_bounds is None or other.log_bounds is None:
        return Tail(log_p)
    lower, upper = (
        min(0.0, min(pair) + math.log(2))
        for pair in zip(one.log_bounds, other.log_bounds, strict=True)
    )
    return Tail(log_p, (lower, upper))


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One group of the body: what its hits add, and which states it leads to.

    `gain[d, H]` is the gain of d hits below H, `logcount[d]` the logarithm of the
    number of ways to place them; `least` and `most` bound the hits afterwards.
    """

    gain: _Floats
    logcount: _Floats
    least: int
    most: int


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The chain after some groups: per number of hits, from `least` on, its law."""

    least: int
    logweight: _Floats
    mean: _Floats
    variance: _Floats


@dataclass(frozen=True, slots=True, eq=False)
class Closing:
    """The last group, over the grid of hits in it (rows) and above it (columns).

    The value of the list is ``slope * S + intercept``, S the gains of the body;
    `logweight` is what a path through a cell weighs from here on.
    """

    slope: _Floats
    intercept: _Floats
    logweight: _Floats


class Chain:
    """The chain of one measure on one list; every engine reads the law from it."""

    def __init__(self, measure: Measure, ties: TieGroups, n_targets: int) -> None:
        self.measure = measure
        self.n_samples = ties.n_samples
        self.n_targets = n_targets
        self.frame = measure.frame(ties, n_targets)
        self.ends = _counted_ends(measure, ties.ends, self.frame.cut)
        self.merged = np.zeros(self.ends.size, dtype=bool)

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Sizes of the groups that count."""
        return np.diff(self.ends, prepend=0)

    @cached_property
    def coarse(self) -> "Chain":
        """The same chain, its far groups merged into blocks of growing width.

        Far down the list neighbouring ranks count nearly the same. A block is treated
        as a tie: where in it the hits stand is left open.
        """
        coarse = copy(self)
        near = max(_NEAR, self.n_targets)
        # the mean order inside a block is that of single items, and of "expected" ties
        mergeable = (self.sizes == 1) | (self.measure.ties == "expected")
        mergeable &= self.ends <= self.n_samples - near
        widest = _BLOCK_HITS * self.n_samples / self.n_targets
        body = _merge_far(self.ends[:-1], mergeable[:-1], near, widest)
        coarse.ends = np.append(body, self.ends[-1])
        starts = np.searchsorted(self.ends, np.append(0, coarse.ends[:-1]), "right")
        coarse.merged = np.searchsorted(self.ends, coarse.ends) > starts
        return coarse

    def steps(self, inside: str = "expected") -> Iterator[Step]:
        """Go down the body; gains are computed for many groups of one size at once.

        `inside` is the tie rule within merged blocks.
        """
        sizes, ends, merged = self.sizes[:-1], self.ends[:-1], self.merged[:-1]
        for first, stop in _runs(sizes, merged, self.n_targets):
            size, block = int(sizes[first]), bool(merged[first])
            measure = replace(self.measure, ties=inside) if block else self.measure
            most = min(size, self.n_targets, MAX_BLOCK_HITS if block else size)
            hits = np.arange(1 + most)
            logcount = log_binomial(size, hits)
            tables = self._gain_tables(measure, ends[first:stop] - size, size, hits)
            for end, gain in zip(ends[first:stop].tolist(), tables, strict=True):
                least = max(0, self.n_targets - (self.n_samples - end))
                yield Step(gain, logcount, least, min(self.n_targets, end))

    def _gain_tables(
        self,
        measure: Measure,
        above: NDArray[np.intp],
        size: int,
        hits: NDArray[np.intp],
    ) -> _Floats:
        """Gains over groups, hits in them and hits above them."""
        hits_above = np.arange(1 + self.n_targets)
        gain = measure.gain(
            above[:, None, None], size, hits_above, hits[:, None], self.frame
        )
        return np.broadcast_to(gain, (above.size, hits.size, hits_above.size))

    def forward(self, tilt: float = 0.0) -> State:
        """Pass down the body, paths weighted by exp(tilt * gains)."""
        zero = np.zeros(1)
        state = State(0, zero, zero, zero)
        for step in self.steps():
            state = _advance(state, step, tilt)
        return state

    @property
    def least_above_last(self) -> int:
        """Fewest hits that can stand above the last group."""
        return max(0, self.n_targets - (self.n_samples - self._above_last))

    @property
    def _above_last(self) -> int:
        return int(self.ends[-1] - self.sizes[-1])

    @cached_property
    def closing(self) -> Closing:
        """The last group for every state that the body can end in."""
        n, m, above = self.n_samples, self.n_targets, self._above_last
        end, size = int(self.ends[-1]), int(self.sizes[-1])
        hits_above = np.arange(self.least_above_last, min(m, above) + 1)[None, :]
        hits = np.arange(1 + min(size, m))[:, None]
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
        slope, intercept = self.measure.closing(groups, self.frame)
        shape = logweight.shape
        return Closing(
            np.broadcast_to(slope, shape), np.broadcast_to(intercept, shape), logweight
        )

    def moments(self) -> tuple[float, float]:
        """Mean and variance of the measure."""
        state, closing = self.forward(), self.closing
        chance = np.exp(state.logweight + closing.logweight)
        mean = closing.slope * state.mean + closing.intercept
        spread = closing.slope**2 * state.variance
        centre = float((chance * mean).sum())
        return centre, float((chance * (spread + (mean - centre) ** 2)).sum())


class Excess:
    """By how much a list passes an observed value, as one sum of gains.

    The event "value >= s" (or <=, with sign -1) is "excess >= 0" where the body adds
    its gains and the last group adds ``(intercept - s) / slope``; so every measure,
    also one whose divisor depends on the hits, leads to one additive question.
    """

    def __init__(self, chain: Chain, statistic: float, sign: int) -> None:
        self.chain = chain
        self.sign = sign
        closing = chain.closing
        self.last = sign * (closing.intercept - statistic) / closing.slope
        #: What rounding may add to or take from the excess.
        self.slack = 1e-11 * abs(statistic) / float(closing.slope.min())

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """K, K' and K'' of the excess at `tilt`; O(n_groups * m * hits in a group)."""
        state = self.chain.forward(self.sign * tilt)
        logweight = state.logweight + self.chain.closing.logweight + tilt * self.last
        total = float(logsumexp(logweight))
        chance = np.exp(logweight - total)
        mean = self.sign * state.mean + self.last
        first = float((chance * mean).sum())
        spread = state.variance + (mean - first) ** 2
        return total, first, float((chance * spread).sum())

    def maximum(self) -> tuple[float, float]:
        """Largest excess and the logarithm of its probability."""
        least, best, mass = 0, np.zeros(1), np.zeros(1)
        for step in self.chain.steps("optimistic" if self.sign > 0 else "pessimistic"):
            columns = slice(step.least - least, step.most - least + 1)
            gain = step.gain[:, least : least + best.size]
            value = _skew(best + self.sign * gain, -np.inf)[:, columns]
            weight = _skew(mass + step.logcount[:, None] + 0 * gain, -np.inf)
            best, mass = _best(value, weight[:, columns])
            least = step.least
        closing = self.chain.closing.logweight
        value = np.where(closing > -np.inf, best + self.last, -np.inf)
        top, logmass = _best(value.reshape(-1, 1), (mass + closing).reshape(-1, 1))
        return float(top[0]), float(logmass[0])


def _advance(state: State, step: Step, tilt: float) -> State:
    """Merge, for each number of hits after a group, the ways that lead to it."""
    columns = slice(step.least - state.least, step.most - state.least + 1)
    gain = step.gain[:, state.least : state.least + state.logweight.size]
    logweight = _skew(state.logweight + step.logcount[:, None] + tilt * gain, -np.inf)[
        :, columns
    ]
    mean = _skew(state.mean + gain, 0.0)[:, columns]
    spread = _skew(state.variance + 0 * gain, 0.0)[:, columns]
    top = logweight.max(axis=0)
    share = np.exp(logweight - top)
    total = share.sum(axis=0)
    share /= total
    centre = (share * mean).sum(axis=0)
    spread = (share * (spread + (mean - centre) ** 2)).sum(axis=0)
    return State(step.least, top + np.log(total), centre, spread)


def _skew(table: _Floats, fill: float) -> _Floats:
    """Move cell [d, H] to [d, H + d]: columns become the hits after the group."""
    n_rows, n_cols = table.shape
    width = n_cols + n_rows - 1
    flat = np.full(n_rows * (width + 1), fill)
    flat.reshape(n_rows, width + 1)[:, :n_cols] = table
    return flat[: n_rows * width].reshape(n_rows, width)


def _best(value: _Floats, logweight: _Floats) -> tuple[_Floats, _Floats]:
    """Maximum of each column, and the joint weight of all cells that reach it."""
    top = value.max(axis=0)
    level = value >= top - 1e-12 * np.maximum(np.abs(top), 1.0)
    logweight = np.where(level, logweight, -np.inf)
    most = logweight.max(axis=0)
    return top, most + np.log(np.exp(logweight - most).sum(axis=0))


def _counted_ends(
    measure: Measure, ends: NDArray[np.intp], cut: float
) -> NDArray[np.intp]:
    """Ends of the groups that begin above the cut, merged if their order is moot."""
    counted = ends[: 1 + int(np.searchsorted(ends, cut))]
    if measure.ordered:
        return counted
    across = counted[-1] > cut and counted.size > 1
    return counted[-2:] if across else counted[-1:]


def _merge_far(
    ends: NDArray[np.intp], mergeable: NDArray[np.bool_], near: int, widest: float
) -> NDArray[np.intp]:
    """Ends of the groups, those that can be merged joined to blocks of some width."""
    kept = []
    alone = np.flatnonzero(np.append(~mergeable, True))
    index = int(np.searchsorted(ends, near, side="right"))
    first = index
    while index < ends.size:
        start = int(ends[index - 1]) if index else 0
        reach = start + min(_GROWTH * start, widest)
        last = min(
            int(np.searchsorted(ends, reach, side="right")),
            int(alone[np.searchsorted(alone, index)]),
        )
        index = max(index, last - 1)
        kept.append(index)
        index += 1
    return np.concatenate([ends[:first], ends[np.array(kept, dtype=np.intp)]])


def _runs(
    sizes: NDArray[np.intp], merged: NDArray[np.bool_], n_targets: int
) -> Iterator[tuple[int, int]]:
    """Stretches of groups of one size, each with a gain table of bounded memory."""
    kind = 2 * sizes + merged
    bounds = np.flatnonzero(np.diff(kind, prepend=0, append=0))
    for first, stop in pairwise(bounds.tolist()):
        cells = (1 + n_targets) * (1 + min(int(sizes[first]), n_targets))
        length = max(1, _TABLE_ITEMS // cells)
        for begin in range(first, stop, length):
            yield begin, min(stop, begin + length)


def log_binomial(n: Any, k: Any) -> Any:
    """Logarithm of C(n, k), for 0 <= k <= n."""
    return -betaln(n - k + 1.0, k + 1.0) - np.log1p(n)
