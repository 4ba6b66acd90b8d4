"""The whole distribution at once, for pictures: a Fourier series of its density.

With the characteristic function phi of S - c and a period P that holds nearly all of S,

    P(a < S <= b) = (b - a) / P + 2 / P * sum of Re(phi(w) * (e(a) - e(b)) / (i w))

over the frequencies w = 2 pi k / P, k = 1, 2, ..., where e(x) = exp(-i w (x - c)). What
is beyond the period appears inside it. Of finitely many frequencies each counts less
the nearer it is to the last one, by the factors of Lanczos (1956, *Applied Analysis*,
section 4.6), without which there would be ripples beside a steep flank. So the
distribution is smoothed over about a five hundredth of the range; tails are for the
engines.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null import _coarse, _inversion, _levels
from skrank.null._centred import OutOfReachError, tail_event
from skrank.null._facts import Facts
from skrank.null._tilting import Solution, Tilted

_LOOK, _COUNT = (
    256,
    1024,
)  # frequencies: to see where the distribution is, and of the distribution
_POINTS = 1000  # at which the first look is taken
_TILTS = 0.1 * 2.0 ** np.arange(12)  # in units of the deviation, for the bounds
_ROOM = 1.25  # of the period, beyond what it must hold

_Floats = NDArray[np.float64]


class Series(NamedTuple):
    """A distribution between two values, beside which next to nothing is left."""

    low: float
    high: float
    centre: float
    phi: NDArray[np.complex128]

    def wider(self, times: float) -> "Series":
        """Distribution that is so many times as wide, about its mean."""
        low, high = (
            self.centre + times * (x - self.centre) for x in (self.low, self.high)
        )
        return self._replace(low=low, high=high)

    def below(self, values: _Floats) -> _Floats:
        """Probabilities of smaller values, but for a constant."""
        period = _ROOM * (self.high - self.low)
        k = np.arange(1, self.phi.size)
        frequency = 2 * math.pi / period * k
        factor = self.phi[1:] * np.sinc(k / self.phi.size) / (1j * frequency)
        offset = values - self.centre
        waves = np.exp(-1j * np.outer(offset, frequency)) @ factor
        return np.asarray((offset - 2 * waves.real) / period)


def expand(facts: Facts, outside: float) -> Series | None:
    """Expand between the values beyond which `outside` is left, on either side.

    O(n_groups * m * hits in a group * frequencies). None where no engine follows the
    chain, or the value is not a sum of gains.
    """
    if not facts.is_askable or any(chain.slope is None for chain in facts.chains):
        return None
    mean = facts.moments[0]
    event = tail_event(facts.terms, mean, 1)
    assert event is not None
    try:
        solve = _levels.solve if facts.is_large else _coarse.solve
        solution = solve(event)
        parts, _ = solution.tilted(0.0)
    except OutOfReachError:
        return None
    unit = facts.chains[0].slope if facts.is_single else 1.0
    assert unit is not None
    # with room: what is beyond appears inside
    low, high = _bounds(facts, solution, unit, outside / 10)
    look = Series(low, high, mean, _phi(parts, low, high, unit, _LOOK))
    values = np.linspace(low, high, _POINTS)
    below = look.below(values)
    inside = (below > below[0] + outside) & (below < below[-1] - outside)
    first, last = np.flatnonzero(inside)[[0, -1]]
    low, high = values[max(first - 1, 0)], values[min(last + 1, _POINTS - 1)]
    return Series(low, high, mean, _phi(parts, low, high, unit, _COUNT))


def _bounds(
    facts: Facts, solution: Solution, unit: float, outside: float
) -> tuple[float, float]:
    """Values beyond which no more is left, by Chernoff's inequality, on either side."""
    mean, found = facts.moments[0], []
    for sign in (-1, 1):
        tilts = _TILTS / solution.spread
        logs = np.array([solution.at(sign * tilt).value for tilt in tilts.tolist()])
        reach = float(((logs - math.log(outside)) / tilts).min()) * unit
        end, _ = facts.end(sign)
        found.append(sign * min(sign * mean + reach, sign * end))
    return found[0], found[1]


def _phi(
    parts: list[Tilted], low: float, high: float, unit: float, count: int
) -> NDArray[np.complex128]:
    """Characteristic function at the frequencies of a period with some room."""
    width = 2 * math.pi * unit / (_ROOM * (high - low))
    cells = max((move.gain.size for part in parts for move in part.moves), default=1)
    batch = max(8, _inversion.BATCH_ITEMS // cells)
    found = [
        _inversion.characteristic(parts, start, min(batch, count - start), width)
        for start in range(0, count, batch)
    ]
    return np.concatenate(found)
