"""Exponential tilting: a distribution whose mean is the observed value.

The event "value >= s" (or <=, with sign -1) is written as "E >= 0" for a centred sum E.
Each group of the body adds its gains, times a scale, and the last group adds the rest.
Every measure, also one whose divisor depends on the hits, thus has an additive event.
The event of several independent rankings is the sum of theirs.

Under the tilt u, every path of the chain has the weight exp(u E), divided by
``exp(K(u)) = E exp(u E)`` (Esscher 1932, *Skandinavisk Aktuarietidskrift* 15, 175-195).
The tilted distribution is again a Markov chain. One pass up the ranking gives its
transition probabilities

    p(d | H) ~ C(b, d) exp(u gain(d, H)) V(H + d),

where V is the total weight of all continuations, and also K, K' and K''. Draws and the
characteristic function follow from them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null._atoms import first_hit_law
from skrank.null._chain import Chain
from skrank.null._lattice import IMPOSSIBLE, Lattice, Orders, Step, positive

_Floats = NDArray[np.float64]
# Probability of numbers of hits that are left out of the frequencies, in the tilted
# distribution; 1e-6 changes the fourth digit of p.
_LEFT_OUT = 1e-8


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

    @property
    def deviation(self) -> float:
        """Standard deviation; an error for a single path, which has none."""
        return math.sqrt(positive(self.curvature))

    def reach(self, tilt: float) -> float:
        """Return a change of the tilt that moves the mean by three deviations.

        A tilted distribution may be a single path without variation. The result is then
        the tilt itself.
        """
        spread = math.sqrt(self.curvature)
        return 3 / spread if spread * abs(tilt) > 1e-6 or tilt == 0 else abs(tilt)


@dataclass(frozen=True, eq=False)
class Part:
    """Terms of E for rankings of one shape: ``sign * weight * (value - statistic)``.

    Without a weight, E is divided by the slope of the value, which may differ between
    last groups.
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


class Way:
    """One ranking on a lattice: the steps of a chain, and its last group.

    With a `temperature`, the logarithms of all weights are divided by it. The
    distribution is then that of a ranking so many times shorter, in which as many hits
    are one bundle.
    """

    def __init__(
        self, part: Part, chain: Chain, lattice: Lattice, temperature: int = 1
    ) -> None:
        self.part, self.chain, self.temperature = part, chain, temperature
        self.lattice = lattice
        self.steps, end = list(chain.steps(lattice)), chain.last_group(lattice)
        weight = 1 / end.slope if part.weight is None else part.weight
        centred = part.sign * weight * (end.intercept - part.statistic)
        #: The last group and the steps upwards: log-numbers of ways, gains, orders.
        self.tables = [(end.logweight, centred, end.orders)]
        self.tables += [
            (step.logcount, part.scale * step.gain, step.orders) for step in self.steps
        ]

    def weigh(
        self, table: tuple[_Floats, _Floats, Orders | None], tilt: float
    ) -> tuple[_Floats, _Floats, _Floats | float]:
        """Tilt the ways to fill a group: their weights, mean gains, and variances.

        The variance is that of the orders inside a block, which bundles do not have.
        """
        logcount, gain, orders = table
        logweight = logcount + tilt * gain
        if orders is None or self.temperature > 1:
            return logweight / self.temperature, gain, 0.0
        scale = self.part.scale
        value, slope, curvature = orders.cumulants(tilt * scale)
        return logweight + value, gain + scale * slope, scale**2 * curvature

    def cumulants(self, tilt: float) -> Cumulants:
        """Return K, K' and K'' from one pass; O(cells of the lattice)."""
        end, *tables = self.tables
        state = _mix(*self.weigh(end, tilt))
        for step, table in zip(self.steps, tables, strict=True):
            logweight, mean, variance = self.weigh(table, tilt)
            state = _mix(
                logweight + step.spread(state[0], IMPOSSIBLE),
                mean + step.spread(state[1], 0.0),
                variance + step.spread(state[2], 0.0),
            )
        value, slope, curvature = (float(part[0]) for part in state)
        return Cumulants(self.temperature * value, slope, curvature / self.temperature)


class FirstHitWay(Way):
    """One ranking of which only the first hit counts: all its values, in one step."""

    def __init__(self, part: Part) -> None:
        self.part, self.chain, self.temperature = part, part.chain, 1
        self.lattice, self.steps = part.chain.possible(), []
        #: Distribution of the value.
        self.law = first_hit_law(part.chain)
        scale = part.sign * (1.0 if part.weight is None else part.weight)
        gain = scale * (self.law.value - part.statistic)
        self.tables = [(self.law.logchance[:, None], gain[:, None], None)]


class _Move(NamedTuple):
    """A group of the tilted chain, from the top: probabilities of hits, and gains."""

    step: Step | None  # None for the last group
    chance: _Floats
    gain: _Floats
    unresolved: _Floats | float
    #: Probabilities of the hits above, and of those in it and above it.
    above: _Floats
    joint: _Floats


class Tilted:
    """The tilted chain of one ranking."""

    def __init__(self, way: Way, tilt: float) -> None:
        self.way, self.tilt, found = way, tilt, []
        state = np.zeros(0)
        for step, table in zip([None, *way.steps], way.tables, strict=True):
            logweight, gain, unresolved = way.weigh(table, tilt)
            if step is not None:
                logweight = logweight + step.spread(state, IMPOSSIBLE)
            chance, state = _normalise(logweight)
            found.append((step, chance, gain, unresolved))
        #: K at the tilt.
        self.log_mgf = way.temperature * float(state[0])
        self.moves, above = [], np.ones(1)
        for step, chance, gain, unresolved in reversed(found):
            joint = above * chance
            self.moves.append(_Move(step, chance, gain, unresolved, above, joint))
            above = above if step is None else step.after(joint)

    def hits(self, index: int) -> NDArray[np.intp]:
        """Numbers of hits in a group, over its rows, or over all its cells."""
        move = self.moves[index]
        if move.step is not None:
            return move.step.hits
        if isinstance(self.way, FirstHitWay):
            return np.ones((move.joint.shape[0], 1), dtype=np.intp)
        _, _, stride, fewest, _ = self.way.lattice.last
        first = -(-fewest // stride) * stride
        return first + stride * np.arange(move.joint.shape[0])[:, None]

    def deviations(self) -> _Floats:
        """Standard deviations of the hits in groups, given those above them.

        Infinite for the last group of a whole ranking, whose hits are the rest.
        """
        found = []
        for index, move in enumerate(self.moves):
            hits = self.hits(index)
            mean = (move.chance * hits).sum(axis=0)
            variance = (move.chance * (hits - mean) ** 2).sum(axis=0)
            found.append(float(move.above @ variance))
        if self.way.chain.is_whole:
            found[-1] = np.inf
        return np.sqrt(found)

    def variances(self) -> _Floats:
        """Variances of each group's gains and hits, and their covariance."""
        found = []
        for index, move in enumerate(self.moves):
            joint, hits = move.joint, self.hits(index)
            gained = move.gain - (joint * move.gain).sum()
            held = hits - (joint * hits).sum()
            parts = gained**2, held**2, gained * held
            found.append([float((joint * part).sum()) for part in parts])
        return np.array(found).T

    def trimmed(self) -> list[tuple[Step | None, _Floats, _Floats, _Floats | float]]:
        """Steps, probabilities, gains and their variances, without negligible ones."""
        found, later = [], slice(None)
        felt = [
            (_felt(move.joint.sum(axis=1)), _felt(move.above)) for move in self.moves
        ]
        for move, (rows, columns) in zip(self.moves[::-1], felt[::-1], strict=True):
            step, cells = move.step, (rows, columns)
            if step is not None:
                least, _, stride = step.below
                first, count = least + later.start * stride, later.stop - later.start
                above, width = step.above
                skewed = step.hits.shape[1] > 1  # one number for each cell
                step = step._replace(
                    hits=step.hits[cells] if skewed else step.hits[rows],
                    gain=move.gain[cells],
                    above=(above + columns.start * width, width),
                    below=(first, first + (count - 1) * stride, stride),
                )
            within = np.broadcast_to(move.unresolved, move.gain.shape)[cells]
            within = within.copy() if within.any() else 0.0
            chance, gain = move.chance[cells].copy(), move.gain[cells].copy()
            found.append((step, chance, gain, within))
            later = columns
        return found


class Characteristic:
    """E exp(i w E) of one ranking on trimmed steps, at equally spaced frequencies."""

    def __init__(self, tilted: Tilted) -> None:
        self.moves, self.copies = tilted.trimmed(), tilted.way.part.copies
        self.sizes = [gain.size for _, _, gain, _ in self.moves]

    def at(self, start: int, count: int, width: float) -> NDArray[np.complex128]:
        """Values at w = width * k, k = start ... start + count - 1; O(count cells)."""
        state = np.zeros(0)
        square = (width * np.arange(start, start + count)[:, None, None]) ** 2
        for step, chance, gain, within in self.moves:
            # no hits have no gain: the first row stays as it is
            still = int(step is not None and not step.hits[0].any())
            phases = _phases(gain[still:], chance[still:], start, count, width)
            if isinstance(within, np.ndarray):
                # by the variance of each cell: its mean would hide hits that are
                # certain, and with them the atoms of the distribution
                phases *= np.exp(-0.5 * square * within[still:])
            if step is None:
                state = phases.sum(axis=1)
                continue
            later = step.spread(state, 0.0)
            phases *= later[:, still:]
            state = phases.sum(axis=1)
            if still:
                state += chance[0] * later[:, 0]
        return np.asarray(state[:, 0] ** self.copies)


def event(
    terms: Sequence[Term], statistic: float, sign: int
) -> tuple[Part, ...] | None:
    """Parts whose sum is at least zero if and only if the mean value is as extreme.

    None if the divisor of one of several rankings is not constant: no such sum exists.
    """
    if len(terms) == 1 and terms[0].copies == 1:
        return (Part(terms[0].chain, sign, statistic),)
    if any(term.chain.slope is None for term in terms):
        return None
    return tuple(Part(c, sign, statistic, weight, n) for c, weight, n in terms)


def total(ways: Sequence[Way], tilt: float) -> Cumulants:
    """Cumulants of the sum of independent rankings."""
    found = [(way.part.copies, way.cumulants(tilt)) for way in ways]
    return Cumulants(*(sum(n * one[i] for n, one in found) for i in range(3)))


def _mix(
    logweight: _Floats, mean: _Floats, variance: _Floats | float
) -> tuple[_Floats, _Floats, _Floats]:
    """Weight, mean and variance of all continuations of a state together."""
    share, state = _normalise(logweight)
    centre = (share * mean).sum(axis=0)
    spread = (share * (variance + (mean - centre) ** 2)).sum(axis=0)
    return state, centre, spread


def _normalise(logweight: _Floats) -> tuple[_Floats, _Floats]:
    """Probabilities within each column, and the logarithm of its total weight."""
    top = np.maximum(logweight.max(axis=0), IMPOSSIBLE)
    chance = np.exp(logweight - top)
    total = np.maximum(chance.sum(axis=0), 1e-300)
    chance /= total
    return chance, top + np.log(total)


def _felt(chance: _Floats) -> slice:
    """Slice of the probabilities that are not negligible."""
    kept = np.flatnonzero(chance > _LEFT_OUT)
    return slice(int(kept[0]), int(kept[-1]) + 1)


def _phases(
    gain: _Floats, chance: _Floats, start: int, count: int, width: float
) -> NDArray[np.complex128]:
    """Probabilities times exp(i * width * k * gain), k = start ... start + count - 1.

    The exponentials are powers of one number, so most are computed by multiplication.
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
    """Return exp(i * angle), by sine and cosine, which are faster."""
    found = np.empty(angle.shape, dtype=complex)
    np.cos(angle, out=found.real)
    np.sin(angle, out=found.imag)
    return found
