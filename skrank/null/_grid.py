"""Engine "grid": the chain with its partial sums on a grid, certified.

Besides the hits H, a state carries the sum x of gains so far, in cells of one width.
Each gain is rounded to cells three times over: down, which can only lose lists and
gives a lower bound; up, which gives an upper bound; and split between the two
neighbours so that its mean is kept, which gives the estimate. States that can no longer
reach the observed value are dropped, states that cannot miss it are absorbed. All terms
are positive, so the relative accuracy holds far into the tail.

It is at its best where the saddlepoint is not: few targets, or few tie groups, whose
law is lumpy.
"""

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skrank.null._chain import Chain, Excess, Step, Tail, log_binomial

_CELLS = 8000
_MAX_MOVES = 200_000  # state transitions, each some array operations
_SMALLEST = -640.0  # logarithm of a p-value that is safe from underflow

_Floats = NDArray[np.float64]
# sums by number of hits: the first cell, and per cell the chances (down, up, split)
_Cells = dict[int, tuple[int, _Floats]]


def is_feasible(chain: Chain) -> bool:
    """Whether a sweep takes seconds at most; O(n_groups)."""
    states = 1 + chain.n_targets
    moves = states * (1 + np.minimum(chain.sizes, chain.n_targets))
    return bool(moves.sum() <= _MAX_MOVES)


def tail(chain: Chain, statistic: float, sign: int) -> Tail | None:
    """P(value >= statistic), or <= with sign -1, with certified bounds.

    None where the probability is so small that terms of it may have underflown.
    """
    sweep = _Sweep(chain, statistic, sign)
    if sweep.least[0, 0] >= -sweep.excess.slack:
        return Tail(0.0, (0.0, 0.0))
    if sweep.most[0, 0] < -sweep.excess.slack:
        return Tail(-math.inf, (-math.inf, -math.inf))
    lower, upper, best = (_log(p) for p in sweep.run())
    return Tail(best, (lower, upper)) if best > _SMALLEST else None


class _Sweep:
    """One pass down the chain for one observed value."""

    def __init__(self, chain: Chain, statistic: float, sign: int) -> None:
        self.chain = chain
        self.excess = Excess(chain, statistic, sign)
        self.steps = list(chain.steps())
        self.most = self._future(best=1)
        self.least = self._future(best=-1)
        reach = -self.least if sign > 0 else self.most
        furthest = float(np.max(reach, where=np.isfinite(reach), initial=0.0))
        self.width = (furthest or 1.0) / _CELLS
        self.done = np.zeros(3)

    def _future(self, best: int) -> _Floats:
        """Extreme of the excess still to come; rows after each step, columns H."""
        chain, sign = self.chain, self.excess.sign
        table = np.full((len(self.steps) + 1, 1 + chain.n_targets), -np.inf)
        last = np.where(
            chain.closing.logweight > -np.inf, best * self.excess.last, -np.inf
        ).max(axis=0)
        table[-1, chain.least_above_last :][: last.size] = last
        for row, step in reversed(list(enumerate(self.steps))):
            for d in range(step.logcount.size):
                stop = table.shape[1] - d
                ahead = table[row + 1, d:] + best * sign * step.gain[d, :stop]
                np.maximum(table[row, :stop], ahead, out=table[row, :stop])
        return best * table

    def run(self) -> _Floats:
        """Lower bound, upper bound and estimate of the probability."""
        cells: _Cells = {0: (0, np.ones((3, 1)))}
        above = 0
        for row, step in enumerate(self.steps, 1):
            below = int(self.chain.ends[row - 1])
            cells = self._advance(cells, step, row, self._chances(above, below))
            above = below
        self._close(cells, self._chances(above, above))
        return np.minimum(self.done, 1.0)

    def _chances(self, above: int, below: int) -> tuple[_Floats, _Floats]:
        """Logarithms of the placements left at two depths, per number of hits."""
        n, m = self.chain.n_samples, self.chain.n_targets
        left = m - np.arange(m + 1)
        before, after = (
            np.where(
                left <= n - depth,
                log_binomial(n - depth, np.minimum(left, n - depth)),
                -np.inf,
            )
            for depth in (above, below)
        )
        return before, after

    def _advance(
        self, cells: _Cells, step: Step, row: int, left: tuple[_Floats, _Floats]
    ) -> _Cells:
        """Move all states down one group, settling those whose fate is sealed."""
        moved = defaultdict(list)
        before, after = left
        for hits, (first, chance) in cells.items():
            for d in range(min(step.logcount.size, step.most - hits + 1)):
                if hits + d < step.least:
                    continue
                share = math.exp(step.logcount[d] + after[hits + d] - before[hits])
                gain = self.excess.sign * float(step.gain[d, hits]) / self.width
                for shift, parts in _rounded(gain, share):
                    moved[hits + d].append((first + shift, chance * parts))
        return {
            hits: merged
            for hits, parts in moved.items()
            if (merged := self._settle(*_merge(parts), row, hits)) is not None
        }

    def _settle(
        self, first: int, chance: _Floats, row: int, hits: int
    ) -> tuple[int, _Floats] | None:
        """Absorb the sums that cannot miss, drop those that cannot reach."""
        slack = self.excess.slack
        sure = math.ceil((-slack - self.least[row, hits]) / self.width) - first
        lost = math.ceil((-slack - self.most[row, hits]) / self.width) - first
        stop = min(max(sure, 0), chance.shape[1])
        start = min(max(lost, 0), stop)
        self.done += chance[:, stop:].sum(axis=1)
        return (first + start, chance[:, start:stop]) if start < stop else None

    def _close(self, cells: _Cells, left: tuple[_Floats, _Floats]) -> None:
        """Add what reaches the observed value by the hits of the last group."""
        chain = self.chain
        total = log_binomial(chain.n_samples, chain.n_targets)
        for hits, (first, chance) in cells.items():
            column = hits - chain.least_above_last
            share = np.exp(chain.closing.logweight[:, column] + total - left[0][hits])
            need = -self.excess.last[:, column] - self.excess.slack
            sums = (first + np.arange(chance.shape[1])) * self.width
            self.done += chance @ (share @ (sums >= need[:, None]))


def _rounded(gain: float, share: float) -> Iterator[tuple[int, _Floats]]:
    """Shifts in cells, with the chances they take: rounded down, up, and split."""
    down = math.floor(gain)
    part = gain - down
    if part == 0:
        yield down, np.full((3, 1), share)
        return
    yield down, share * np.array([[1.0], [0.0], [1 - part]])
    yield down + 1, share * np.array([[0.0], [1.0], [part]])


def _merge(parts: list[tuple[int, _Floats]]) -> tuple[int, _Floats]:
    """Add up stretches of cells that begin at different places."""
    first = min(start for start, _ in parts)
    stop = max(start + chance.shape[1] for start, chance in parts)
    merged = np.zeros((3, stop - first))
    for start, chance in parts:
        merged[:, start - first : start - first + chance.shape[1]] += chance
    return first, merged


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf
