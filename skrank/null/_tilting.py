"""Tilt the distribution so that what was observed is what is expected by chance.

Under the tilt u every path of the chain is weighted by exp(u * centred). The tilted
distribution is a Markov chain again; one backward pass gives its steps exactly, and
from there its draws and its characteristic function.

The tilt is the root of K', which grows with it. What is known of a ranking there
follows from the steps up its chain, with all numbers of hits or within windows, hit by
hit or in strides: a way up the ranking.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from skrank.null._centred import (
    IMPOSSIBLE,
    CentredSum,
    Cumulants,
    OutOfReachError,
    TailEvent,
    best_to_come,
    window,
)
from skrank.null._steps import Step

_Floats = NDArray[np.float64]
_MAX_PASSES = 60
_CENTRED = 0.5  # deviations from zero at which a tilted mean need not be nearer
#: Chance of a number of hits, in the tilted distribution, that is left out.
LEFT_OUT = 1e-8
#: Relative error of p that the blocks of all rankings may cause.
MERGING = 8e-3


class _Move(NamedTuple):
    """Tilted chances of the hits in a group, and what they add, per hits above it."""

    step: Step
    chance: _Floats
    gain: _Floats


class Tilted:
    """The chain of one ranking, tilted."""

    def __init__(
        self,
        centred: CentredSum,
        tilt: float,
        steps: Iterable[Step],
        temperature: int = 1,
    ) -> None:
        self.centred, self.temperature = centred, temperature
        self.moves: list[_Move] = []
        steps = list(steps)
        end = centred.final(steps)
        #: The last group: what it adds, and the hits of the first column.
        logweight, self.last, unresolved = centred.weigh(
            end.logweight, end.centred, end.orders, tilt
        )
        self.least = end.least
        self.last_chance, state = _normalise(logweight / temperature)
        self._unresolved = [unresolved]
        for step in steps:
            logweight, gain, unresolved = centred.weigh(
                step.logcount[:, None], centred.scale * step.gain, step.orders, tilt
            )
            later = window(step, state, IMPOSSIBLE)
            chance, state = _normalise(logweight / temperature + later)
            self.moves.append(_Move(step, chance, gain))
            self._unresolved.append(unresolved)
        #: K at the tilt.
        self.log_mgf = temperature * float(state[0])

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
        """E exp(i * w * centred) at w = width * k for k = start ... start + count - 1.

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
        groups = zip(self._groups(), reversed(self._unresolved), strict=True)
        return sum(
            float((joint * unresolved).sum()) for (joint, *_), unresolved in groups
        )

    @property
    def mean(self) -> float:
        """Mean of the centred sum."""
        return sum(float((joint * gain).sum()) for joint, gain, _ in self._groups())

    def variances(self) -> tuple[_Floats, _Floats]:
        """Variances of what each group adds, and of the hits in it."""
        found = []
        for joint, gain, stride in self._groups():
            inside, hits = joint.sum(axis=1), stride * np.arange(joint.shape[0])
            away = gain - (joint * gain).sum()
            found.append(
                ((joint * away**2).sum(), inside @ (hits - inside @ hits) ** 2)
            )
        gained, held = np.array(found).T
        return gained, held

    def _groups(self) -> Iterator[tuple[_Floats, _Floats, int]]:
        """Go down the list: chances of the hits in and above a group, gains, stride."""
        above: NDArray[Any] = np.ones(1)
        for step, chance, gain in reversed(self.moves):
            joint = above * chance
            yield joint, gain, step.stride
            above = _after(step, joint)
        yield above * self.last_chance, self.last, 1


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One ranking, by the steps up its chain.

    Under `temperature` the logarithms of all weights are divided by it, so that hits go
    together; see :mod:`skrank.null._levels`.
    """

    centred: CentredSum
    steps: Sequence[Step]
    temperature: int = 1

    def cumulants(self, tilt: float) -> Cumulants:
        """Return those of the ranking."""
        return self.centred.cumulants(tilt, self.steps, self.temperature)

    def tilted(self, tilt: float) -> Tilted:
        """Tilt the ranking."""
        return Tilted(self.centred, tilt, self.steps, self.temperature)

    def most(self) -> float:
        """Largest centred, of chains in which orders inside blocks count nothing."""
        end = self.centred.final(self.steps)
        last = np.where(end.logweight > -np.inf, end.centred, -np.inf).max(axis=0)
        gains = ((step, self.centred.scale * step.gain) for step in self.steps)
        *_, value = best_to_come(last, gains)
        return float(value[0])


def total(ways: Iterable[Way], tilt: float) -> Cumulants:
    """Cumulants of the sum of independent rankings: they add."""
    lists = [(way.centred.copies, way.cumulants(tilt)) for way in ways]
    columns = zip(*([n * part for part in one] for n, one in lists), strict=True)
    return Cumulants(*map(sum, columns))


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The tilt at which the sum is zero on average, found on a way up each ranking.

    `spread` is the standard deviation of the centred sum without a tilt; `error` the
    relative one of p for what is not on the ways.
    """

    event: TailEvent
    ways: Sequence[Way]
    tilt: float
    cumulants: Cumulants
    spread: float
    error: float = MERGING

    def at(self, tilt: float) -> Cumulants:
        """Cumulants at another tilt."""
        return total(self.ways, tilt)

    def tilted(self, tilt: float) -> tuple[list[Tilted], float]:
        """Tilt all rankings, and tell the error of a p-value that is had from them."""
        return [way.tilted(tilt) for way in self.ways], self.error

    def drawn(self, tilt: float) -> list[Tilted]:
        """Tilt all rankings, on chains from which they can be drawn."""
        return self.tilted(tilt)[0]


def centre(
    cumulants_at: Callable[[float], Cumulants], start: Cumulants, tilt: float = 0.0
) -> tuple[float, Cumulants]:
    """Find the root of K', and check that it is one.

    Near an end of the support there may be none: there the tilted distribution is a
    single ranking, or rounding hides where it stands.
    """
    tilt, found = newton(cumulants_at, start, tilt)
    spread = math.sqrt(max(0.0, found.curvature))
    if not (math.isfinite(found.value) and abs(found.slope) <= _CENTRED * spread > 0):
        raise OutOfReachError
    return tilt, found


def newton(
    cumulants_at: Callable[[float], Cumulants], start: Cumulants, tilt: float = 0.0
) -> tuple[float, Cumulants]:
    """Root of K', by Newton's steps kept inside a bracket, that begin at a tilt.

    K' increases from the least centred to the largest, which have opposite signs, so
    the root exists and is unique. It is found to half a standard deviation.
    """
    low, high, found = -math.inf, math.inf, start
    reach = start.reach(tilt)
    for _ in range(_MAX_PASSES):
        if abs(found.slope) <= _CENTRED * math.sqrt(found.curvature):
            break
        low, high = (tilt, high) if found.slope < 0 else (low, tilt)
        tilt = _next_tilt(tilt, found, low, high, reach)
        found = cumulants_at(tilt)
    return tilt, found


def normal_tail(tilt: float, found: Cumulants) -> float:
    """Logarithm of p if the tilted distribution were normal."""
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
    """Where chances are noticed, from the first to the last."""
    kept = np.flatnonzero(chance > LEFT_OUT)
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
