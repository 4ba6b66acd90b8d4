"""Exponential tilting: a distribution whose mean is the observed value.

The event "value >= s" (or <=, with sign -1) is written as "E >= 0" for a centred sum E.
Each group of the body adds its gains, times a scale, and the last group adds the rest.
Every metric, also one whose divisor depends on the hits, thus has an additive event.
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
from skrank.null._lattice import IMPOSSIBLE, Lattice, Orders, Step, require_positive

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
        return math.sqrt(require_positive(self.curvature))

    def tilt_step(self, tilt: float) -> float:
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
    """One ranking on a lattice: the steps of a chain, and its last group."""

    def __init__(self, part: Part, chain: Chain, lattice: Lattice) -> None:
        self.part, self.chain, self.lattice = part, chain, lattice
        self.steps, self.end = list(chain.steps(lattice)), chain.last_group(lattice)
        weight = 1 / self.end.slope if part.weight is None else part.weight
        centred = part.sign * weight * (self.end.intercept - part.statistic)
        #: The last group and the steps upwards: log-numbers of ways, gains, orders.
        self.tables = [(self.end.logweight, centred, self.end.orders)]
        self.tables += [
            (step.logcount, part.scale * step.gain, step.orders) for step in self.steps
        ]

    def weigh(
        self, table: tuple[_Floats, _Floats, Orders | None], tilt: float
    ) -> tuple[_Floats, _Floats, _Floats | None]:
        """Tilt the ways to fill a group: their weights, mean gains, and variances.

        The variance is that of the orders inside a block.
        """
        logcount, gain, orders = table
        logweight = logcount + tilt * gain
        if orders is None:
            return logweight, gain, None
        scale = self.part.scale
        value, slope, curvature = orders.cumulants(tilt * scale)
        return logweight + value, gain + scale * slope, scale**2 * curvature


class FirstHitWay(Way):
    """One ranking of which only the first hit counts: all its values, in one step."""

    def __init__(self, part: Part) -> None:
        self.part, self.chain, self.steps = part, part.chain, []
        #: Distribution of the value.
        self.law = first_hit_law(part.chain)
        scale = part.sign * (1.0 if part.weight is None else part.weight)
        gain = scale * (self.law.value - part.statistic)
        self.tables = [(self.law.logchance[:, None], gain[:, None], None)]


class Move(NamedTuple):
    """A group of the tilted chain, from the top: probabilities of hits, and gains."""

    step: Step | None  # None for the last group
    chance: _Floats
    gain: _Floats
    unresolved: _Floats | None
    #: Probabilities of the hits above, and of those in it and above it.
    above: _Floats
    joint: _Floats
    #: Means and variances of all gains below, by the hits after the group.
    later: tuple[_Floats, _Floats]

    def variance(self, values: NDArray[np.number]) -> float:
        """Variance of values of the cells."""
        centred = values - (self.joint * values).sum()
        return float((self.joint * centred**2).sum())


class Tilted:
    """The tilted chain of one ranking: one pass up the groups, O(cells)."""

    def __init__(self, way: Way, tilt: float) -> None:
        self.way, self.tilt, self._passed = way, tilt, []
        value = centre = spread = np.zeros(0)
        for step, table in zip([None, *way.steps], way.tables, strict=True):
            logweight, gain, unresolved = way.weigh(table, tilt)
            later = centre, spread
            mean, variance = gain, 0.0 if unresolved is None else unresolved
            if step is not None:
                logweight = logweight + value[step.cell]
                mean = mean + centre[step.cell]
                variance = variance + spread[step.cell]
            chance, value = normalise(logweight)
            # all continuations of a state together
            centre = (chance * mean).sum(axis=0)
            spread = (chance * (variance + (mean - centre) ** 2)).sum(axis=0)
            self._passed.append((step, chance, gain, unresolved, later))
        #: K, K' and K'' at the tilt.
        self.cumulants = Cumulants(*(float(x[0]) for x in (value, centre, spread)))

    @cached_property
    def moves(self) -> list[Move]:
        """The groups from the top, by one pass down."""
        found, above = [], np.ones(1)
        for step, chance, gain, unresolved, later in reversed(self._passed):
            joint = above * chance
            found.append(Move(step, chance, gain, unresolved, above, joint, later))
            above = above if step is None else step.after(joint)
        return found

    def hits(self, move: Move) -> NDArray[np.intp]:
        """Numbers of hits in a group, over its cells."""
        if isinstance(self.way, FirstHitWay):
            return np.ones(move.joint.shape, dtype=np.intp)
        return self.way.end.hits if move.step is None else move.step.hits


class Characteristic:
    """E exp(i w E) of one ranking at equally spaced frequencies.

    Cells of a negligible probability are left out.
    """

    def __init__(self, tilted: Tilted) -> None:
        self.copies, self.tables, later = tilted.way.part.copies, [], slice(0, 0)
        for move in reversed(tilted.moves):
            cells = _felt(move.joint.sum(axis=1)), _felt(move.above)
            chance, index, within = move.chance[cells], None, None
            if move.step is not None:
                index = move.step.cell[cells] - later.start
                inside = (index >= 0) & (index < later.stop - later.start)
                chance, index = (
                    np.where(inside, chance, 0.0),
                    np.where(inside, index, 0),
                )
            if move.unresolved is not None:
                within = move.unresolved[cells]
            self.tables.append((index, chance, move.gain[cells], within))
            later = cells[1]
        self.sizes = [chance.size for _, chance, _, _ in self.tables]

    def at(self, start: int, count: int, width: float) -> NDArray[np.complex128]:
        """Values at w = width * k, k = start ... start + count - 1; O(count cells)."""
        state = np.zeros(0)
        square = (width * np.arange(start, start + count)[:, None, None]) ** 2
        for index, chance, gain, within in self.tables:
            phases = _phases(gain, chance, start, count, width)
            if within is not None:
                # by the variance of each cell: its mean would hide hits that are
                # certain, and with them the atoms of the distribution
                phases *= np.exp(-0.5 * square * within)
            if index is not None:
                phases *= np.take(state, index, axis=1)
            state = phases.sum(axis=1)
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


def total(rankings: Sequence[Tilted]) -> Cumulants:
    """Cumulants of the sum of independent rankings."""
    found = [(one.way.part.copies, one.cumulants) for one in rankings]
    return Cumulants(*(sum(n * one[i] for n, one in found) for i in range(3)))


def normalise(logweight: _Floats) -> tuple[_Floats, _Floats]:
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
    found[0] = np.exp(1j * width * start * gain) * chance if start else chance
    power = np.exp(1j * width * gain)
    filled = 1
    while filled < count:
        stop = min(2 * filled, count)
        np.multiply(found[: stop - filled], power, out=found[filled:stop])
        power *= power
        filled = stop
    return found
