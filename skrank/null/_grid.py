"""Engine "grid": the chain with its partial sums on a grid, certified.

Besides the hits H, a state carries the sum x of gains so far, in cells of one width.
Each gain is rounded to cells three times over: down, which can only lose lists and
gives a lower bound; up, which gives an upper bound; and split between the two
neighbours so that its mean is kept, which gives the estimate. Inside a merged block of
far ranks the hits come last for the lower bound and first for the upper one.

Three things keep it small. States that can no longer reach the observed value are
dropped, states that cannot miss it are absorbed, and numbers of hits that are next to
impossible at their depth are left out, their whole probability being added to the upper
and taken from the lower bound. All terms are positive, so the relative accuracy holds
far into the tail.

It is at its best where the saddlepoint is not: where the targets are rare or the tie
groups few, and the distribution is lumpy.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null._centred import (
    CentredSum,
    OutOfReachError,
    Tail,
    TailEvent,
    best_to_come,
    refine,
)
from skrank.null._chain import Chain
from skrank.null._chances import log_binomial
from skrank.null._steps import Step, Windows

# Transitions between states, of all sweeps together, each some array operations: where
# other engines may follow, where none may, and where none knows better.
FEW_MOVES, MANY_MOVES, MAX_MOVES = 150_000, 450_000, 2_000_000
_CELLS = (1000, 8000)  # of the observed sum: at least, and at most
_WORK = 4e8  # cells times moves, between these two
_MAX_STATES = 5_000_000  # depths times targets
_SMALLEST = -640.0  # logarithm of a p-value that is safe from underflow
_MAX_BLOCK_HITS = 25  # hits considered in a block of merged ranks
_LEFT_OUT = math.log(1e-3)  # what may be left out, relative to the p-value
_FAR = 30.0  # below its upper bound a p-value is not looked for at first
_MAX_FINER = 3  # times that the blocks are halved

_Floats = NDArray[np.float64]
_DOWN, _UP, _SPLIT, _ALL = slice(0, 1), slice(1, 2), slice(2, 3), slice(0, 3)
# sums by number of hits: the first cell, and per cell the chances (down, up, split)
_Cells = dict[int, tuple[int, _Floats]]


def tail(
    event: TailEvent,
    limits: tuple[float, float],
    enough: float,
    most_moves: int,
) -> Tail:
    """P(centred sum of one ranking >= 0), with certified bounds.

    Blocks and cells are made finer until the logarithms of the bounds are within
    `enough`, or it takes too long; the `limits` of the logarithm say what is
    negligible.
    """
    found, _ = refine(_finer(event, limits, most_moves), enough)
    if found.log_p == -math.inf:
        raise OutOfReachError
    return found


def _finer(
    event: TailEvent, limits: tuple[float, float], most_moves: int
) -> Iterator[tuple[Tail, float]]:
    """Sweep over ever finer blocks, and tell how far the bounds are apart."""
    (centred,) = event.parts
    least, finer, spent = max(limits[0], _SMALLEST), 0, 0
    guess = max(least, limits[1] - _FAR)
    if 2 * centred.chain.n_targets**2 > _MAX_STATES:  # as many ranks stay single
        return
    while finer <= _MAX_FINER:
        chain = _blocks(centred.chain, 2**finer)
        if chain.ends.size * chain.n_targets > _MAX_STATES:
            return
        kept, log_left_out = chain.likely(guess + _LEFT_OUT, _MAX_BLOCK_HITS)
        left_out = math.exp(log_left_out)
        spent += kept.n_cells * (1 + finer)
        if spent > most_moves:
            return
        sweep = _Sweep(centred.on(chain), event.slack, kept, 4**finer)
        found = _bounded(sweep.run(), left_out)
        lower, upper = found.log_bounds or (0.0, 0.0)
        yield found, upper - lower
        if guess > least and left_out > math.exp(upper) / 100:
            guess = max(least, upper - _FAR)
        else:
            guess, finer = max(guess, lower), finer + 1


def _blocks(chain: Chain, finer: int) -> Chain:
    """Merge far ranks, those of the coarse chain or so many times finer."""
    if finer == 1:
        return chain.coarse
    single = max(200, chain.n_targets)
    return chain.coarsen(0.03 / finer, 2.0 / finer, single)


def _bounded(swept: _Floats, left_out: float) -> Tail:
    """Count what was left out below and above."""
    lower, upper, best = swept.tolist()
    bounds = (_log(lower - left_out), _log(min(1.0, upper + left_out)))
    return Tail(min(max(_log(best), bounds[0]), bounds[1]), bounds)


class _Move(NamedTuple):
    """Chances that go on, by cells, and how: rows, shifts in cells, and shares."""

    first: int
    chance: _Floats
    parts: list[tuple[slice, int, float]]


class _Sweep:
    """One pass down the chain for one observed value."""

    def __init__(
        self, centred: CentredSum, slack: float, windows: Windows, finer: int
    ) -> None:
        self.chain = centred.chain
        self.centred = centred
        self.slack = slack
        self.windows = windows
        self.groups = list(self._groups())
        self.most = self._future(best=1)
        self.least = self._future(best=-1)
        cells = min(max(_WORK / max(windows.n_cells, 1), _CELLS[0]), _CELLS[1])
        self.width = self._range() / (finer * cells)
        self.done = np.zeros(3)

    def _range(self) -> float:
        """How far the sums are apart, at most, that may reach the value, or miss it.

        No further than the best of all is above it, or the worst below.
        """
        lowest = [-t for t in self.least] if self.centred.scale > 0 else self.most
        reach = np.concatenate(lowest)
        furthest = np.max(reach, where=np.isfinite(reach), initial=0.0)
        spans = float(furthest), float(self.most[0][0]), -float(self.least[0][0])
        return min((span for span in spans if span > 0), default=1.0)

    def _groups(self) -> Iterator[tuple[Step, _Floats]]:
        """Steps down the body, and what they add to the sum: least, most, mean."""
        rules = ("pessimistic", "optimistic", "expected")
        rules = rules if self.centred.scale > 0 else (rules[1], rules[0], rules[2])
        passes = (self.chain.steps(self.windows, inside=rule) for rule in rules)
        for group in zip(*passes, strict=True):
            gain = np.stack([step.gain for step in group])
            yield group[0], self.centred.scale * gain

    def _future(self, best: int) -> list[_Floats]:
        """Extremes of the sum still to come, after each group, over the hits."""
        terminal, windows = self.chain.terminal, self.windows
        possible = terminal.logweight > -np.inf
        last = np.where(possible, best * self.centred.last, -np.inf).max(axis=0)
        first = windows.least[-1] - terminal.least
        last = last[first : windows.most[-1] - terminal.least + 1]
        rule = 1 if best > 0 else 0
        gains = ((step, best * gain[rule]) for step, gain in reversed(self.groups))
        return [best * table for table in best_to_come(last, gains)][::-1]

    def run(self) -> _Floats:
        """Probability, sums rounded down, up, and split."""
        cells: _Cells = {0: (0, np.ones((3, 1)))}
        left = self._log_left(0)
        for row in range(len(self.groups)):
            below = self._log_left(row + 1)
            cells = self._advance(cells, row, left, below)
            left = below
        self._close(cells, left)
        return np.minimum(self.done, 1.0)

    def _log_left(self, row: int) -> _Floats:
        """Logarithms of the placements left at a depth, per number of hits."""
        left = self.chain.n_targets - np.arange(self.chain.n_targets + 1)
        room = self.chain.n_samples - int(self.chain.depths[row])
        ways = log_binomial(room, np.minimum(left, room))
        return np.where(left <= room, ways, -np.inf)

    def _advance(
        self, cells: _Cells, row: int, before: _Floats, after: _Floats
    ) -> _Cells:
        """Move all states down one group, settling those whose fate is sealed."""
        step, gains = self.groups[row]
        gains = gains / self.width
        least, most = self.windows.least[row + 1], self.windows.most[row + 1]
        moved: defaultdict[int, list[_Move]] = defaultdict(list)
        for hits, (first, chance) in cells.items():
            column = hits - self.windows.least[row]
            fewest = max(0, least - hits)
            for d in range(fewest, min(self.windows.widest[row], most - hits) + 1):
                # -inf where the way on leaves the windows
                reach = self.most[row + 1][hits + d - least]
                stop = first + chance.shape[1] + (reach + self.slack) / self.width
                if (
                    stop + math.ceil(gains[1, d, column]) <= 0
                ):  # no sum can reach, however far off
                    continue
                share = math.exp(step.logcount[d] + after[hits + d] - before[hits])
                gain = gains[:, d, column].tolist()
                moved[hits + d].append(_Move(first, chance, _rounded(gain, share)))
        return {
            hits: settled
            for hits, moves in moved.items()
            if (settled := self._settle(*_merge(moves), row + 1, hits)) is not None
        }

    def _settle(
        self, first: int, chance: _Floats, row: int, hits: int
    ) -> tuple[int, _Floats] | None:
        """Absorb the sums that cannot miss, drop those that cannot reach."""
        slack = self.slack
        column = hits - self.windows.least[row]
        sure = math.ceil((-slack - self.least[row][column]) / self.width) - first
        lost = math.ceil((-slack - self.most[row][column]) / self.width) - first
        stop = min(max(sure, 0), chance.shape[1])
        start = min(max(lost, 0), stop)
        self.done += chance[:, stop:].sum(axis=1)
        return (first + start, chance[:, start:stop]) if start < stop else None

    def _close(self, cells: _Cells, left: _Floats) -> None:
        """Add what reaches the observed value by the hits of the last group."""
        chain = self.chain
        total = log_binomial(chain.n_samples, chain.n_targets)
        for hits, (first, chance) in cells.items():
            column = hits - chain.terminal.least
            share = np.exp(chain.terminal.logweight[:, column] + total - left[hits])
            need = -self.centred.last[:, column] - self.slack
            sums = (first + np.arange(chance.shape[1])) * self.width
            self.done += chance @ (share @ (sums >= need[:, None]))


def _rounded(gain: list[float], share: float) -> list[tuple[slice, int, float]]:
    """Shifts of a share of the chances: rounded down, up, and split by the mean."""
    least, most, mean = gain
    middle = math.floor(mean)
    if least == most == middle:  # nothing to be rounded, as where no hit is gained
        return [(_ALL, middle, share)]
    further = share * (mean - middle)
    parts = [(_DOWN, math.floor(least), share), (_UP, math.ceil(most), share)]
    parts.append((_SPLIT, middle, share - further))
    return [*parts, (_SPLIT, middle + 1, further)] if further > 0 else parts


def _merge(moves: list[_Move]) -> tuple[int, _Floats]:
    """Add up chances that begin at different cells."""
    first = min(start + shift for start, _, parts in moves for _, shift, _ in parts)
    stop = max(
        start + shift + chance.shape[1]
        for start, chance, parts in moves
        for _, shift, _ in parts
    )
    merged = np.zeros((3, stop - first))
    for start, chance, parts in moves:
        for rows, shift, share in parts:
            place = start + shift - first
            merged[rows, place : place + chance.shape[1]] += share * chance[rows]
    return first, merged


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf
