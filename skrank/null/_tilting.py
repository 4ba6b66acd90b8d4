"""Tilt the law so that what was observed is what luck gives on average.

Under the tilt u every path of the chain is weighted by exp(u * excess). The tilted law
is a Markov chain again; one backward pass gives its steps exactly, and from there its
draws and its characteristic function.

Finding the tilt needs no accuracy, so it is done on a rough chain of a few dozen
blocks. That shows where the tilted hits stand, hence how fine the blocks must be for
the p-value to be right, and which numbers of hits can be left out.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from skrank.null._chain import Chain, Step, Windows
from skrank.null._excess import (
    IMPOSSIBLE,
    Cumulants,
    Excess,
    OutOfReachError,
    Question,
    window,
)

_Floats = NDArray[np.float64]
_MAX_PASSES = 60
_BLOCK_HITS = 6.0  # on average, in a block of the fine chain
_GROWTH = (0.004, 0.2)  # of the blocks of the fine chain, at least and at most
_GROWTH_PER_TARGET = 1e-3  # the law of few targets is rough: where each falls is seen
_MAX_FINER = 4  # chains that are tried, each with blocks half as wide
_LEFT_OUT = 1e-8  # chance of the numbers of hits outside the windows
#: Deviations from zero at which a tilted mean need not be nearer.
CENTRED = 0.5
#: Relative error of p that the blocks of all lists may cause.
MERGING = 8e-3


class _Move(NamedTuple):
    """Tilted chances of the hits in a group, and what they add, per hits above it."""

    step: Step
    chance: _Floats
    gain: _Floats


class Tilted:
    """The chain of one list, tilted."""

    def __init__(
        self, excess: Excess, tilt: float, steps: Iterable[Step], heat: float = 1.0
    ) -> None:
        self.excess = excess
        self.moves: list[_Move] = []
        steps = list(steps)
        end = excess.final(steps)
        #: The last group: what it adds, and the hits of the first column.
        logweight, self.last, hidden = excess.weigh(
            end.logweight, end.excess, end.orders, tilt
        )
        self.least = end.least
        self.last_chance, state = _normalise(logweight / heat)
        self._hidden = [hidden]
        for step in steps:
            logweight, gain, hidden = excess.weigh(
                step.logcount[:, None], excess.scale * step.gain, step.orders, tilt
            )
            later = window(step, state, IMPOSSIBLE)
            chance, state = _normalise(logweight / heat + later)
            self.moves.append(_Move(step, chance, gain))
            self._hidden.append(hidden)
        #: K at the tilt.
        self.log_mgf = heat * float(state[0])

    def marginals(self) -> list[tuple[int, _Floats, _Floats]]:
        """Chances of the numbers of hits after each group, and of those in it.

        The first is the least of the hits after the group.
        """
        chance: NDArray[Any] = np.ones(1)
        found = []
        for step, move, _ in reversed(self.moves):
            joint = chance * move
            chance = _after(step, joint)
            found.append((step.next_least, chance, joint.sum(axis=1)))
        return found

    def trimmed(self) -> "Tilted":
        """Leave out the numbers of hits that have next to no chance; nothing moves."""
        found = copy(self)
        found.inside = self.inside
        found.moves, marginals = [], self.marginals()[::-1]
        for index, (move, (_, after, inside)) in enumerate(
            zip(self.moves, marginals, strict=True)
        ):
            step, above = move.step, np.ones(1)
            if index + 1 < len(marginals):
                above = marginals[index + 1][1]
            rows, columns, later = _felt(inside), _felt(above), _felt(after)
            if index == 0:
                found.last = self.last[:, later]
                found.last_chance = self.last_chance[:, later]
                found.least = self.least + later.start * step.next_stride
            cells = rows, columns
            step = replace(
                step,
                gain=move.gain[cells],
                logcount=step.logcount[rows],
                orders=None,
                least=step.least + columns.start * step.stride,
                fewest=step.fewest + rows.start * step.stride,
                next_least=step.next_least + later.start * step.next_stride,
                next_most=step.next_least + (later.stop - 1) * step.next_stride,
            )
            found.moves.append(_Move(step, move.chance[cells].copy(), step.gain.copy()))
        return found

    def characteristic(
        self, start: int, count: int, width: float
    ) -> NDArray[np.complex128]:
        """E exp(i * w * excess) at w = width * k for k = start ... start + count - 1.

        One backward pass, O(count * n_groups * m * hits in a group).
        """
        phases = _phases(self.last, self.last_chance, start, count, width)
        state = phases.sum(axis=1)
        for step, chance, gain in self.moves:
            later = window(step, state, 0.0)
            # no hits, no gain: the first row stays as it is
            still = int(step.fewest == 0)
            phases = _phases(gain[still:], chance[still:], start, count, width)
            phases *= later[:, still:]
            state = phases.sum(axis=1)
            if still:
                state += chance[0] * later[:, 0]
        found = state[:, 0]
        if self.inside:
            frequency = width * np.arange(start, start + count)
            found = found * np.exp(-self.inside / 2 * frequency**2)
        return found  # type: ignore[no-any-return]

    @cached_property
    def inside(self) -> float:
        """Mean variance of the gains over the orders inside the blocks of a lattice."""
        above: NDArray[Any] = np.ones(1)
        total = 0.0
        for (step, chance, _), hidden in zip(
            reversed(self.moves), reversed(self._hidden[1:]), strict=True
        ):
            joint = above * chance
            total += float((joint * hidden).sum())
            above = _after(step, joint)
        return total + float((above * self.last_chance * self._hidden[0]).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The tilt that centres the excess at zero, found on rough chains.

    `spread` is the standard deviation of the excess without a tilt. Chains that are
    `fine` already are not made finer.
    """

    question: Question
    rough: Question
    tilt: float
    cumulants: Cumulants
    spread: float
    fine: bool

    def at(self, tilt: float) -> Cumulants:
        """Cumulants at another tilt."""
        return _total(self.rough, tilt, self.fine)

    def tilted(self, tilt: float) -> tuple[list[Tilted], float]:
        """Tilt all parts, on chains fine enough for their p-value.

        Returns the relative error that the blocks may cause in it, too.
        """
        if self.fine:
            return [_whole(rough, tilt) for rough in self.rough.parts], MERGING
        parts = zip(self.question.parts, self.rough.parts, strict=True)
        copies = [part.copies for part in self.question.parts]
        share = MERGING / sum(copies)
        found = [_refine(part, rough, tilt, share) for part, rough in parts]
        error = sum(n * gap for n, (_, gap) in zip(copies, found, strict=True))
        return [tilted for tilted, _ in found], error

    def drawn(self, tilt: float) -> list[Tilted]:
        """Tilt all parts, on chains from which lists can be drawn."""
        return self.tilted(tilt)[0]


def solve(
    question: Question, chains: Iterable[Chain], *, fine: bool = False
) -> Solution:
    """Find the tilt on rough chains; the value must be inside their support."""
    rough = question.on(chains)
    ask = partial(_total, rough, fine=fine)
    start = ask(0.0)
    tilt, cumulants = centre(ask, start)
    spread = math.sqrt(start.curvature)
    return Solution(question, rough, tilt, cumulants, spread, fine)


def centre(
    cumulants_at: Callable[[float], Cumulants], start: Cumulants, tilt: float = 0.0
) -> tuple[float, Cumulants]:
    """Find the root of K', and check that it is one."""
    tilt, found = newton(cumulants_at, start, tilt)
    check_centred(found)
    return tilt, found


def newton(
    cumulants_at: Callable[[float], Cumulants], start: Cumulants, tilt: float = 0.0
) -> tuple[float, Cumulants]:
    """Root of K', by Newton's steps kept inside a bracket, that begin at a tilt.

    K' increases from the least excess to the largest, which have opposite signs, so the
    root exists and is unique. It is found to half a standard deviation.
    """
    low, high, found = -math.inf, math.inf, start
    reach = start.reach(tilt)
    for _ in range(_MAX_PASSES):
        if abs(found.slope) <= CENTRED * math.sqrt(found.curvature):
            break
        low, high = (tilt, high) if found.slope < 0 else (low, tilt)
        tilt = _next_tilt(tilt, found, low, high, reach)
        found = cumulants_at(tilt)
    return tilt, found


def check_centred(found: Cumulants) -> None:
    """Check that a tilt was found, which near an end of the support there may not be.

    There the tilted law is a single list, or rounding hides where it stands.
    """
    spread = math.sqrt(max(0.0, found.curvature))
    if not (math.isfinite(found.value) and abs(found.slope) <= CENTRED * spread > 0):
        raise OutOfReachError


def normal_tail(tilt: float, found: Cumulants) -> float:
    """Logarithm of p if the tilted law were normal."""
    _, slope, curvature = found
    from_zero = (tilt * curvature - slope) / math.sqrt(2 * curvature)
    log_share = math.log(float(erfcx(from_zero)) / 2)
    return found.value - slope**2 / (2 * curvature) + log_share


def _next_tilt(
    tilt: float, found: Cumulants, low: float, high: float, reach: float
) -> float:
    """Newton's step, at most a tripling outside the bracket, a halving inside it."""
    reach += 2.0 * abs(tilt)
    towards = -found.slope / max(found.curvature, 1e-300)
    towards = max(-reach, min(reach, towards))
    step = tilt + towards
    return step if low < step < high else (low + high) / 2


def _total(question: Question, tilt: float, fine: bool) -> Cumulants:
    """Cumulants on the steps that chains keep."""
    steps = [p.chain.stairs if fine else p.chain.ladder for p in question.parts]
    return total_cumulants(question.parts, steps, tilt)


def total_cumulants(
    parts: Sequence[Excess], ways: Iterable[Sequence[Step]], tilt: float
) -> Cumulants:
    """Cumulants of the sum of parts, each by its own way up its chain."""
    pairs = zip(parts, ways, strict=True)
    return add_cumulants(parts, (part.cumulants(tilt, up) for part, up in pairs))


def add_cumulants(parts: Iterable[Excess], cumulants: Iterable[Cumulants]) -> Cumulants:
    """Cumulants of independent parts add."""
    counted = [
        [part.copies * number for number in one]
        for part, one in zip(parts, cumulants, strict=True)
    ]
    return Cumulants(*(sum(column) for column in zip(*counted, strict=True)))


def _refine(
    excess: Excess, rough: Excess, tilt: float, merging: float
) -> tuple[Tilted, float]:
    """Tilt one list on a chain that is fine enough, within windows that hold its hits.

    Merging loses the variance of the gains inside the blocks, to a relative error of
    about tilt**2 * variance / 2 in p; the growth of the blocks keeps that to `merging`.
    Blocks half as wide lose a quarter, so that the difference tells what is lost still.
    """
    found = _whole(rough, tilt)
    if not found.moves:
        return found, 0.0
    profile = _Profile(found)
    growth = math.sqrt(24 * merging / max(tilt**2 * profile.roughness(), 1e-12))
    widest = min(_GROWTH[1], _GROWTH_PER_TARGET * excess.chain.n_targets)
    growth = 2 * min(max(growth, _GROWTH[0]), max(widest, 0.01))
    finer, lost = 0, math.inf
    while finer < 2 or (lost > merging / 2 and finer < _MAX_FINER):
        before, chain = found.log_mgf, excess.chain.coarsen(growth, _BLOCK_HITS)
        steps = chain.steps(profile.windows(chain), upwards=True)
        found = Tilted(excess.on(chain), tilt, steps)
        if chain.ends.size == excess.chain.ends.size:
            return found, 0.0
        lost = abs(found.log_mgf - before) / 3
        growth, finer = growth / 2, finer + 1
    return found, merging / 2 + lost


def _whole(excess: Excess, tilt: float) -> Tilted:
    """Tilt one list with all that is possible."""
    return Tilted(excess, tilt, excess.chain.steps(upwards=True))


class _Profile:
    """Where the hits of a tilted rough chain stand."""

    def __init__(self, tilted: Tilted) -> None:
        self.excess = tilted.excess
        self.depths = self.excess.chain.depths
        rows = [(0, 0.0, 0, 0)]
        for least, after, inside in tilted.marginals():
            kept = np.flatnonzero(after > _LEFT_OUT)
            mean = least + after @ np.arange(after.size) / after.sum()
            widest = np.flatnonzero(inside > _LEFT_OUT)[-1]
            rows.append((least + kept[0], mean, least + kept[-1], widest))
        self.least, self.mean, self.most, self.widest = np.array(rows, dtype=float).T

    def roughness(self) -> float:
        """Variance of the gains inside blocks that grow by 1, all blocks together."""
        chain = self.excess.chain
        start, stop = self.depths[:-1], self.depths[1:]
        far = start >= 5
        start, stop, above = start[far], stop[far], self.mean[:-1][far]
        ends = [
            chain.measure.gain(depth, 1, np.rint(above), 1, chain.frame)
            for depth in (start, stop - 1)
        ]
        change = self.excess.scale * (ends[0] - ends[1]) / np.log(stop / start)
        return float((np.diff(self.mean)[far] * change**2).sum())

    def windows(self, chain: Chain) -> Windows:
        """Numbers of hits to consider at the depths of a finer chain."""
        depths = chain.depths
        possible = chain.possible()
        least = np.interp(depths, self.depths, self.least)
        most = np.interp(depths, self.depths, self.most)
        # between two depths the hits vary by as much again as a bridge does
        inside = np.interp(depths, self.depths[1:], np.diff(self.mean))
        inside = np.maximum(inside, 0)  # rounding
        half = (most - least) / 2
        slack = 1 + np.sqrt(half**2 + 8 * inside) - half
        slack[np.isin(depths, self.depths)] = 0
        least, most = np.floor(least - slack), np.ceil(most + slack)
        widest = self._widest(depths)
        # hits do not become fewer
        least, most = (
            np.minimum.accumulate(least[::-1])[::-1],
            np.maximum.accumulate(most),
        )
        return Windows(
            np.maximum(possible.least, least.astype(np.intp)),
            np.minimum(possible.most, most.astype(np.intp)),
            np.minimum(possible.widest, widest.astype(np.intp)),
        )

    def _widest(self, depths: NDArray[np.intp]) -> _Floats:
        """Hits to consider in groups that are parts of the rough chain's blocks."""
        first = np.searchsorted(self.depths, depths[:-1], side="right")
        last = np.searchsorted(self.depths, depths[1:])
        whole = self.widest[last] + self.widest[first] * (first < last)
        share = np.minimum(1.0, np.diff(depths) / np.diff(self.depths)[last - 1])
        part = share * whole
        part += 7 * np.sqrt(part * (1 - share)) + 6 * (share < 1)
        return np.asarray(np.minimum(np.ceil(part), whole))


def _after(step: Step, joint: _Floats) -> _Floats:
    """Chances of the hits after a group, on their stride."""
    rows, columns = np.indices(joint.shape)
    first = step.least + step.fewest
    after = np.bincount((rows + columns).ravel(), joint.ravel())
    count = (step.next_most - step.next_least) // step.next_stride + 1
    hits = step.next_least + step.next_stride * np.arange(count)
    if step.stride == step.next_stride:
        place = (hits - first) // step.stride
        inside = (place >= 0) & (place < after.size)
        return np.where(inside, after[np.clip(place, 0, after.size - 1)], 0.0)
    known = first + step.stride * np.arange(after.size)
    found = np.interp(hits, known, after, left=0.0, right=0.0)
    total = float(found.sum())
    if not total > 0:  # the windows hold no way on
        raise OutOfReachError
    return np.asarray(found / total)


def _felt(chance: _Floats) -> slice:
    """Where chances are felt, from the first to the last."""
    kept = np.flatnonzero(chance > _LEFT_OUT)
    return slice(int(kept[0]), int(kept[-1]) + 1)


def _normalise(logweight: _Floats) -> tuple[_Floats, _Floats]:
    """Chances within each column, and the logarithm of its total weight."""
    top = np.maximum(logweight.max(axis=0), IMPOSSIBLE)
    chance = np.exp(logweight - top)
    total = np.maximum(chance.sum(axis=0), 1e-300)
    chance /= total
    return chance, top + np.log(total)


def _phases(
    gain: _Floats, chance: _Floats, start: int, count: int, width: float
) -> NDArray[np.complex128]:
    """Chances times exp(i * width * k * gain) for k = start ... start + count - 1.

    The exponentials are powers of one, so most are had by multiplication.
    """
    found = np.empty((count, *gain.shape), dtype=complex)
    found[0] = _turn(width * start * gain) * chance if start else chance
    power = _turn(width * gain)
    filled = 1
    while filled < count:
        stop = min(2 * filled, count)
        np.multiply(found[: stop - filled], power, out=found[filled:stop])
        power *= power
        filled = stop
    return found


def _turn(angle: _Floats) -> NDArray[np.complex128]:
    """Return exp(i * angle), by sine and cosine, which are the faster."""
    found = np.empty(angle.shape, dtype=complex)
    np.cos(angle, out=found.real)
    np.sin(angle, out=found.imag)
    return found
