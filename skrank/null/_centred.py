"""The one question that every engine answers: whether the centred sum reaches zero.

The event "value >= s" (or <=, with sign -1) is "centred sum >= 0", where each group of
the body adds its gains, times a scale, and the last group adds what is left. So every
measure, also one whose divisor depends on the hits, leads to one additive question, and
several rankings, whose centred sums are independent, to the sum of theirs.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from skrank.null._chain import Chain
from skrank.null._steps import Orders, Step

_Floats = NDArray[np.float64]
_T = TypeVar("_T")
IMPOSSIBLE = -1e300  # logarithm of the weight of a state that leads nowhere
SAME = 1e-11  # relative difference of values that may be the same but for rounding
_LEAST = -1e200  # of one that leads somewhere, whatever its tilt


class OutOfReachError(Exception):
    """An engine cannot tell: too near an end, or too large. Engines raise no other."""


def refine(answers: Iterable[tuple[_T, float]], enough: float) -> tuple[_T, float]:
    """Take the first answer whose error is small enough, or the last one there is.

    An engine that does not know beforehand how fine it has to be gives one answer after
    the other, each finer than the one before, with its error.
    """
    found = None
    for found in answers:
        if found[1] <= enough:
            break
    if found is None:
        raise OutOfReachError
    return found


class Tail(NamedTuple):
    """Logarithm of a tail probability, and what is known of its error.

    Logarithms of certified bounds where an engine has them; else the relative error,
    where an engine can tell it.
    """

    log_p: float
    log_bounds: tuple[float, float] | None = None
    error: float | None = None


class Term(NamedTuple):
    """`copies` independent rankings of one shape, each with a weight in the mean."""

    chain: Chain
    weight: float
    copies: int


class Cumulants(NamedTuple):
    """K, K' and K'' at a tilt."""

    value: float
    slope: float
    curvature: float

    def reach(self, tilt: float) -> float:
        """Return a change of the tilt that moves the mean by three deviations.

        A tilted distribution may be a single path, without any spread: then the tilt
        itself.
        """
        spread = math.sqrt(self.curvature)
        return 3 / spread if spread * abs(tilt) > 1e-6 or tilt == 0 else abs(tilt)


class Final(NamedTuple):
    """The last group, over the ways to fill it (rows) and the hits above it (columns).

    What a path weighs from here on, what it adds, the orders inside a merged block, and
    the hits of the first column.
    """

    logweight: _Floats
    centred: _Floats
    orders: Orders | None
    least: int


@dataclass(frozen=True, eq=False)
class CentredSum:
    """What one ranking adds: `scale` times the gains of the body, and `last`.

    The value is compared with `statistic`, both times `weight`; or, without a weight,
    both divided by the slope of the value, which may differ between last groups.
    """

    chain: Chain
    sign: int
    statistic: float
    weight: float | None = None
    copies: int = 1

    @cached_property
    def scale(self) -> float:
        """Factor of the gains."""
        if self.weight is None:
            return float(self.sign)
        assert self.chain.slope is not None
        return self.sign * self.weight * self.chain.slope

    @cached_property
    def last(self) -> _Floats:
        """What the last group adds, over its rows and columns."""
        terminal = self.chain.terminal
        weight = 1 / terminal.slope if self.weight is None else self.weight
        return np.asarray(self.sign * weight * (terminal.intercept - self.statistic))

    def on(self, chain: Chain) -> "CentredSum":
        """Return the same on a chain with other groups."""
        return replace(self, chain=chain)

    def final(self, steps: Sequence[Step]) -> Final:
        """Return the last group, where `steps` up the body begin."""
        terminal, columns, least = (
            self.chain.terminal,
            slice(None),
            self.chain.terminal.least,
        )
        if steps:
            below = steps[0]
            first, last = (n - least for n in (below.next_least, below.next_most))
            columns, least = slice(first, last + 1, below.next_stride), below.next_least
        orders = terminal.orders
        if orders is not None:
            shape = terminal.logweight.shape
            parts = (np.broadcast_to(part, shape)[:, columns] for part in orders)
            orders = Orders(*parts)
        return Final(
            terminal.logweight[:, columns], self.last[:, columns], orders, least
        )

    def weigh(
        self, logcount: _Floats, gain: _Floats, orders: Orders | None, tilt: float
    ) -> tuple[_Floats, _Floats, _Floats | float]:
        """Tilt ways to fill a group: what each weighs, adds on average, its variance.

        `gain` has the scale already; what the orders inside a block hide has not.
        """
        logweight = logcount + tilt * gain
        if orders is None:
            return logweight, gain, 0.0
        value, slope, curvature = orders.cumulants(tilt * self.scale)
        return logweight + value, gain + self.scale * slope, self.scale**2 * curvature

    def cumulants(
        self, tilt: float, steps: Sequence[Step], temperature: float = 1.0
    ) -> Cumulants:
        """K, K', K'' in one pass up the body; O(n_groups * m * hits in a group).

        Under `temperature` the logarithms of all weights are divided by it: the
        distribution is that of a ranking so many times shorter, and K that of the
        ranking itself.
        """
        end = self.final(steps)
        logweight, mean, variance = self.weigh(
            end.logweight, end.centred, end.orders, tilt
        )
        state = _mix(logweight / temperature, mean, variance)
        for step in steps:
            value, after, spread = (
                window(step, part, fill)
                for part, fill in zip(state, (IMPOSSIBLE, 0.0, 0.0), strict=True)
            )
            logweight, mean, variance = self.weigh(
                step.logcount[:, None], self.scale * step.gain, step.orders, tilt
            )
            state = _mix(
                logweight / temperature + value, mean + after, variance + spread
            )
        whole, slope, curvature = (float(part[0]) for part in state)
        return Cumulants(temperature * whole, slope, curvature / temperature)


@dataclass(frozen=True, slots=True, eq=False)
class TailEvent:
    """Does the sum of the parts reach zero? `slack` is what rounding may add to it."""

    parts: tuple[CentredSum, ...]
    slack: float

    def on(self, chains: Iterable[Chain]) -> "TailEvent":
        """Return the same on other chains."""
        pairs = zip(self.parts, chains, strict=True)
        return TailEvent(tuple(part.on(chain) for part, chain in pairs), self.slack)


def tail_event(terms: Sequence[Term], statistic: float, sign: int) -> TailEvent | None:
    """Ask for "mean value of the rankings >= statistic", or <= with sign -1.

    None for several lists of a measure whose divisor is not constant.
    """
    if len(terms) == 1 and terms[0].copies == 1:
        return _event_of_one(terms[0].chain, statistic, sign)
    parts = []
    for chain, weight, copies in terms:
        if chain.slope is None:
            return None
        parts.append(CentredSum(chain, sign, statistic, weight, copies))
    return TailEvent(tuple(parts), slack_at(terms, statistic))


def _event_of_one(chain: Chain, statistic: float, sign: int) -> TailEvent:
    """Divide by the slope, which may differ from one last group to another."""
    least = chain.slope or float(chain.terminal.slope.min())
    slack = slack_at([Term(chain, 1.0, 1)], statistic) / least
    return TailEvent((CentredSum(chain, sign, statistic),), slack)


def slack_at(terms: Sequence[Term], statistic: float) -> float:
    """Return by how much rounding may move a value near `statistic`."""
    return SAME * max(abs(statistic), *(term.chain.scale for term in terms))


def window(step: Step, later: NDArray[Any], fill: float) -> NDArray[Any]:
    """Lay `later`, over the hits after a group, out over the hits in and above it.

    Cell [..., d, i] of the result, which is read-only, is what follows on d hits below
    ``least + i``.
    """
    first, later = _on_stride(step, later)
    rows, columns = step.gain.shape
    padded = np.full((*later.shape[:-1], rows + columns - 1), fill, later.dtype)
    offset = (first - step.least - step.fewest) // step.stride
    later = later[..., max(0, -offset) :]
    offset = max(0, offset)
    room = padded.shape[-1] - offset
    padded[..., offset:][..., : later.shape[-1]] = later[..., : max(0, room)]
    item = padded.itemsize
    return np.ndarray(
        (*later.shape[:-1], rows, columns),
        padded.dtype,
        padded,
        strides=(*padded.strides[:-1], item, item),
    )


def best_to_come(
    last: _Floats, gains: Iterable[tuple[Step, _Floats]]
) -> Iterator[_Floats]:
    """Largest sum that may follow, over the hits after each group, up the ranking.

    From that of the last group on; the gains belong to the steps up the body.
    """
    value = last
    yield value
    for step, gain in gains:
        value = (gain + window(step, value, -np.inf)).max(axis=0)
        yield value


def _on_stride(step: Step, later: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Bring what follows to the stride of a step: its first number of hits, and it."""
    first, ratio = step.next_least, step.stride // step.next_stride
    if ratio:
        skipped = -(first // step.next_stride) % ratio
        return first + skipped * step.next_stride, later[..., skipped::ratio]
    for _ in range((step.next_stride // step.stride).bit_length() - 1):
        later = halve(later)
    return first, later


def halve(values: NDArray[Any]) -> NDArray[Any]:
    """Interpolate a smooth sequence half way between its members, along the last axis.

    The polynomial of the fifth degree through the six nearest; members that lead
    nowhere, and those beyond the ends, go on as their neighbours do, but what is
    between two that lead nowhere does not.
    """
    if values.dtype.kind == "f":
        found, dead = _halved(_extrapolated(values)), values <= _LEAST
        found[::2][dead] = IMPOSSIBLE
        found[1::2][dead[1:] & dead[:-1]] = IMPOSSIBLE
        return found
    return _halved(values)


def _halved(values: NDArray[Any]) -> NDArray[Any]:
    size = values.shape[-1]
    found = np.empty((*values.shape[:-1], 2 * size - 1), values.dtype)
    found[..., ::2] = values
    if size < 4:
        found[..., 1::2] = (values[..., 1:] + values[..., :-1]) / 2
        return found
    for _ in range(2):
        ends = [
            4 * edge[..., 0] - 6 * edge[..., 1] + 4 * edge[..., 2] - edge[..., 3]
            for edge in (values[..., :4], values[..., :-5:-1])
        ]
        values = np.concatenate(
            [ends[0][..., None], values, ends[1][..., None]], axis=-1
        )
    count = size - 1
    parts = (values[..., i : i + count] for i in range(6))
    factors = np.array([3, -25, 150, 150, -25, 3]) / 256
    found[..., 1::2] = sum(f * part for f, part in zip(factors, parts, strict=True))
    return found


def _extrapolated(logweight: _Floats) -> _Floats:
    """Go on in a straight line where logarithms of weights are those of nothing."""
    good = np.flatnonzero(logweight > _LEAST)
    if good.size == 0:  # the windows hold no way to the end
        raise OutOfReachError
    if good.size == logweight.size:
        return logweight
    place, found = np.arange(logweight.size), logweight.copy()
    first, last = int(good[0]), int(good[-1])
    slopes = np.diff(logweight[good]) if good.size > 1 else np.zeros(1)
    found[:first] = logweight[first] + slopes[0] * (place[:first] - first)
    found[last:] = logweight[last] + slopes[-1] * (place[last:] - last)
    return found


def _mix(
    logweight: _Floats, mean: _Floats, variance: _Floats | float
) -> tuple[_Floats, _Floats, _Floats]:
    """Weight, mean and variance of what follows on a state, all ways together."""
    top = np.maximum(logweight.max(axis=0), IMPOSSIBLE)
    share = np.exp(logweight - top)
    total = np.maximum(share.sum(axis=0), 1e-300)
    share /= total
    centre = (share * mean).sum(axis=0)
    spread = (share * (variance + (mean - centre) ** 2)).sum(axis=0)
    return top + np.log(total), centre, spread
