"""The one question that every engine answers, whether the excess reaches zero.

The event "value >= s" (or <=, with sign -1) is "excess >= 0", where each group of the
body adds its gains, times a scale, and the last group adds what is left. So every
measure, also one whose divisor depends on the hits, leads to one additive question, and
several lists, the excess of each being independent of the others, to the sum of theirs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null._chain import Chain, Step

_Floats = NDArray[np.float64]
IMPOSSIBLE = -1e300  # logarithm of the weight of a state that leads nowhere


class Tail(NamedTuple):
    """Logarithm of a tail probability, and what is known of its error.

    Logarithms of certified bounds where an engine has them; else the relative error,
    where an engine can tell it.
    """

    log_p: float
    log_bounds: tuple[float, float] | None = None
    error: float | None = None


class Term(NamedTuple):
    """`copies` independent lists of one shape, each with a weight in the mean value."""

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

        A tilted law may be a single path, without any spread: then the tilt itself.
        """
        spread = math.sqrt(self.curvature)
        return 3 / spread if spread * abs(tilt) > 1e-6 or tilt == 0 else abs(tilt)


@dataclass(frozen=True, slots=True, eq=False)
class Excess:
    """What one list adds: `scale` times the gains of the body, and `last`."""

    chain: Chain
    scale: float
    last: _Floats
    copies: int = 1

    def on(self, chain: Chain) -> "Excess":
        """Return the same on a chain with other groups in its body."""
        return replace(self, chain=chain)

    def final(self, steps: Sequence[Step]) -> tuple[_Floats, _Floats, int]:
        """Weights and excess of the last group, where `steps` up the body begin.

        Over the ways to fill it (rows) and the hits above it (columns); and the least
        of these.
        """
        logweight, least = self.chain.closing.logweight, self.chain.closing.least
        if not steps:
            return logweight, self.last, least
        first, last = (n - least for n in (steps[0].next_least, steps[0].next_most))
        columns = slice(first, last + 1)
        return logweight[:, columns], self.last[:, columns], steps[0].next_least

    def cumulants(self, tilt: float, steps: Sequence[Step]) -> Cumulants:
        """K, K', K'' in one pass up the body; O(n_groups * m * hits in a group)."""
        logweight, last, _ = self.final(steps)
        state = _mix(logweight + tilt * last, last, np.zeros_like(last))
        for step in steps:
            value, mean, variance = (
                window(step, part, fill)
                for part, fill in zip(state, (IMPOSSIBLE, 0.0, 0.0), strict=True)
            )
            gain = self.scale * step.gain
            logweight = step.logcount[:, None] + tilt * gain + value
            state = _mix(logweight, gain + mean, variance)
        return Cumulants(*(float(part[0]) for part in state))


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Does the sum of the parts reach zero? `slack` is what rounding may add to it."""

    parts: tuple[Excess, ...]
    slack: float

    def on(self, chains: Iterable[Chain]) -> "Question":
        """Return the same on other chains."""
        pairs = zip(self.parts, chains, strict=True)
        return Question(tuple(part.on(chain) for part, chain in pairs), self.slack)


def ask(terms: Sequence[Term], statistic: float, sign: int) -> Question | None:
    """Ask for "mean value of the lists >= statistic", or <= with sign -1.

    None for several lists of a measure whose divisor is not constant.
    """
    if len(terms) == 1 and terms[0].copies == 1:
        return _ask_one(terms[0].chain, statistic, sign)
    parts = []
    for chain, weight, copies in terms:
        if chain.slope is None:
            return None
        last = sign * weight * (chain.closing.intercept - statistic)
        parts.append(Excess(chain, sign * weight * chain.slope, last, copies))
    return Question(tuple(parts), slack_at(terms, statistic))


def _ask_one(chain: Chain, statistic: float, sign: int) -> Question:
    """Divide by the slope, which may differ from one last group to another."""
    closing = chain.closing
    last = sign * (closing.intercept - statistic) / closing.slope
    slack = slack_at([Term(chain, 1.0, 1)], statistic) / float(closing.slope.min())
    return Question((Excess(chain, float(sign), last),), slack)


def slack_at(terms: Sequence[Term], statistic: float) -> float:
    """Return by how much rounding may move a value near `statistic`."""
    return 1e-11 * max(abs(statistic), *(term.chain.scale for term in terms))


def window(step: Step, later: NDArray[Any], fill: float) -> NDArray[Any]:
    """Lay `later`, over the hits after a group, out over the hits in and above it.

    Cell [..., d, i] of the result, which is read-only, is what follows on d hits below
    ``least + i``.
    """
    rows, columns = step.gain.shape
    padded = np.full((*later.shape[:-1], rows + columns - 1), fill, later.dtype)
    offset = step.next_least - step.least
    room = padded.shape[-1] - offset
    padded[..., offset:][..., : later.shape[-1]] = later[..., : max(0, room)]
    item = padded.itemsize
    return np.ndarray(
        (*later.shape[:-1], rows, columns),
        padded.dtype,
        padded,
        strides=(*padded.strides[:-1], item, item),
    )


def _mix(
    logweight: _Floats, mean: _Floats, variance: _Floats
) -> tuple[_Floats, _Floats, _Floats]:
    """Weight, mean and variance of what follows on a state, all ways together."""
    top = np.maximum(logweight.max(axis=0), IMPOSSIBLE)
    share = np.exp(logweight - top)
    total = np.maximum(share.sum(axis=0), 1e-300)
    share /= total
    centre = (share * mean).sum(axis=0)
    spread = (share * (variance + (mean - centre) ** 2)).sum(axis=0)
    return top + np.log(total), centre, spread
