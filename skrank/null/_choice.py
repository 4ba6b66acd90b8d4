"""Which engine answers: the cheapest whose answer is known well enough.

The engines answer one event, the logarithm of a tail probability, and say how well
they know it. They are asked in the order of what they cost, until one knows enough. No
answer is taken that is outside of what is proven (see `Limits`); where none is left,
what is proven is the answer.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

import numpy as np

from skrank._utils._text import track
from skrank.null import (
    _coarse,
    _enumeration,
    _grid,
    _inversion,
    _levels,
    _limits,
    _normal,
    _sampling,
    _sums,
    _windows,
)
from skrank.null._centred import OutOfReachError, TailEvent, refine, tail_event
from skrank.null._facts import Facts
from skrank.null._tilting import Solution

METHODS = (
    "auto",
    "exact",
    "inversion",
    "importance_sampling",
    "grid",
    "monte_carlo",
    "normal",
)
ALTERNATIVES = ("greater", "less", "two-sided")
BEYOND = 2.001  # by what rounding may do, of the next value that is not the same
_ACCURATE = 0.015  # relative error with which "auto" is content
_TIGHT = 0.05  # and of long or large rankings, where the next engine is slow
_CERTIFIED = 0.02  # and of the grid, whose bounds are proven
_HOPELESS = 0.5  # relative error beyond which an estimate is none
_DRAWS = 2**14  # plain ones at first, and then ten times as many
_TILTED_DRAWS = 2**14, 2**16, 2**18, 2**20  # until the error is small enough
_FEWEST_DRAWS, _DRAWN_TARGETS = 1000, 2**26  # of plain draws: some seconds
_DRAWN_DEVIATIONS = 4.0  # from the mean, where enough draws may be as extreme
# Parts of the way from the mean to an end that are left: where so few placements may be
# as extreme that it pays to count them; where values are spread over orders of
# magnitude, which frequencies do not resolve, so that the grid is asked first; and
# where, near the least value, it may take as long as ever.
_OUTER, _NEAR_AN_END, _MINUTE = 0.5, 1e-2, 1e-3
_TINY = -30.0  # logarithm of a p that is negligible beside 1
_FAR, _SMALL = 2.0, -15.0  # deviations, or logarithm of a bound: p may be as small
_ROUNDING = 1e-6  # of logarithms of probabilities
_FEW_LISTS = 100  # lists as good as this one, of those without ties, to be estimated


class RefusedError(ValueError):
    """The engine that was named cannot tell the probability."""


class TailProbability(NamedTuple):
    """Probability of a value at least as extreme as the one observed.

    Attributes
    ----------
    log_pvalue : float
        Natural logarithm; minus infinity if the value cannot occur.
    log_bounds : tuple of two floats or None
        Logarithms of certified bounds, from "exact", "grid" and "bounds".
    error : float or None
        Relative error: the standard error of "importance_sampling" and "monte_carlo",
        an estimate of what was left out by "inversion". None with bounds, and where it
        is not known.
    method : str
        Method that was used; "bounds" where no method knows more than that the
        probability is between `log_bounds`: then it is the upper one.
    """

    log_pvalue: float
    log_bounds: tuple[float, float] | None
    error: float | None
    method: str

    @property
    def pvalue(self) -> float:
        """The probability itself.

        Returns
        -------
        pvalue : float
            Zero where it underflows.
        """
        return math.exp(self.log_pvalue)

    @property
    def doubt(self) -> float:
        """Relative error, or a half of what the bounds leave on one side.

        Returns
        -------
        doubt : float
            Infinity where nothing is known.
        """
        if self.log_bounds is None:
            return math.inf if self.error is None else self.error
        lower, upper = self.log_bounds
        return 0.0 if lower == upper else math.expm1(min((upper - lower) / 4, 700.0))


_T = TypeVar("_T")
_Engine = Callable[[], TailProbability | None]


@dataclass(frozen=True, eq=False)
class TailQuery:
    """One value of a distribution, and which values are more extreme."""

    facts: Facts
    statistic: float
    sign: int
    size: int | None = None
    generator: np.random.Generator | None = None
    #: Whether an error counts as it is, and not relative to the probability.
    absolute: bool = False
    #: Whether to show a bar of progress over the engines that are query.
    progress: bool = False

    def best(self) -> TailProbability:
        """Ask the engines one by one until the answer is known well enough."""
        known = self._known()
        if known is not None:
            return known
        if self.facts.is_likely(self.statistic, self.sign):
            return self._complement()
        event = self._event
        if event is None:
            return self._draw(self._most_draws)
        if self.absolute and (tiny := self._negligible(event)):
            return tiny
        best = TailProbability(self._limits.upper, self._limits, None, "bounds")
        if best.doubt <= _ROUNDING:  # all that are as extreme are alike, and counted
            return best._replace(method="exact")
        engines = self._engines(event)
        shown = track(engines, total=None, label="methods", progress=self.progress)
        for engine, enough in shown:
            found = _attempt(engine)
            if found is not None and self._is_credible(found):
                best = min(best, found, key=lambda one: one.doubt)
            answered = best.method != "bounds"
            doubt = best.doubt * (best.pvalue if self.absolute else 1.0)
            if answered and doubt <= enough:
                break
        return best if answered else self._proven(event)

    def named(self, method: str) -> TailProbability:
        """Ask one engine."""
        if method == "normal":
            tail = _normal.tail(*self.facts.moments, self.statistic, self.sign)
            return TailProbability(*tail, method)
        if method == "exact":
            found = self._enumerated(_enumeration.distribution(self.facts.terms))
        else:
            found = self._known_at_the_ends(method)
            found = found or _attempt(partial(self._named, method))
        if found is None:
            raise self._refusal(method)
        return found

    # What is known without an engine

    @cached_property
    def _slack(self) -> float:
        return self.facts.slack(self.statistic)

    def _known(self) -> TailProbability | None:
        """Answer exactly, at the ends and where each value is known."""
        found = self._known_at_the_ends("exact")
        return found or self._enumerated(self.facts.atoms)

    def _enumerated(self, atoms: _enumeration.Atoms | None) -> TailProbability | None:
        if atoms is None:
            return None
        tail = atoms.tail(self.statistic, self.sign, self._slack)
        return TailProbability(*tail, "exact")

    def _known_at_the_ends(self, method: str) -> TailProbability | None:
        """Exact answer at an end of the support, and beyond it."""
        facts, sign, slack = self.facts, self.sign, self._slack
        likely = facts.is_likely(self.statistic, sign)
        end, log_p = facts.end(-sign if likely else sign)
        beyond = sign * (self.statistic - end)
        if beyond > slack if likely else beyond < -slack:
            return None
        if not likely and beyond > slack:
            log_p = -math.inf
        elif likely or not facts.moments[1]:  # a distribution of one value
            log_p = 0.0
        return TailProbability(log_p, (log_p, log_p), None, method)

    def _complement(self) -> TailProbability:
        """One less the probability of what is less extreme."""
        beyond = self.statistic - self.sign * BEYOND * self._slack
        query = replace(self, statistic=beyond, sign=-self.sign, absolute=True)
        other = query.best()
        most = min(_limits.cantelli(self.facts.moments, beyond), 1 - 2.0**-53)

        def rest(log_p: float) -> float:
            return math.log1p(-min(math.exp(log_p), most)) or 0.0

        log_p, bounds, error = rest(other.log_pvalue), None, None
        if other.log_bounds is not None:
            bounds = rest(other.log_bounds[1]), rest(other.log_bounds[0])
        if other.error is not None:
            error = math.expm1(-log_p) * other.error
        if other.method == "bounds":
            assert bounds is not None
            log_p = bounds[1]
        return TailProbability(log_p, bounds, error, other.method)

    def _negligible(self, event: TailEvent) -> TailProbability | None:
        """Bound a tail so small that one less it is 1, where that is quick to prove."""
        upper = self._limits.upper
        far = self.facts.deviations(self.statistic) >= _FAR or upper <= _SMALL
        if upper > _TINY and far:
            upper = _limits.chernoff(event, _TINY)
        if upper > _TINY:
            return None
        return TailProbability(upper, (-math.inf, upper), None, "bounds")

    # What is proven

    @cached_property
    def _limits(self) -> _limits.Limits:
        """Bounds of the tail on the side of the mean where the value is."""
        facts, args = self.facts, (self.statistic, self.sign, self._slack)
        (_, lower), ends = facts.end(self.sign), facts.list_ends(self.sign)
        if facts.is_single:
            lower = max(lower, _limits.staircase(facts.chains[0], *args))
        most = _limits.cantelli(facts.moments, self.statistic)
        upper = math.log(most) if most > 0 else lower
        upper = min(upper, _limits.ceiling(facts.terms, ends, *args))
        return _limits.Limits(lower, max(lower, upper))

    def _proven(self, event: TailEvent) -> TailProbability:
        """Return the upper bound, where nothing better is known."""
        lower, upper = self._limits
        known = (
            _limits.chernoff(event, lower),
            *(n.log_upper for n in self._narrowed),
        )
        upper = max(lower, min(upper, *known))
        return TailProbability(upper, (lower, upper), None, "bounds")

    def _is_credible(self, found: TailProbability) -> bool:
        """Whether an answer is inside the limits, and not a mere guess.

        Engines that estimate do not resolve the last few of all untied rankings.
        """
        if found.log_bounds is not None:
            return self._limits.meet(*found.log_bounds, _ROUNDING)
        if found.doubt > _HOPELESS:
            return False
        untied = all(chain.untied for chain in self.facts.chains)
        last = math.log(_FEW_LISTS) - self.facts.log_lists
        if untied and self.sign > 0 and found.log_pvalue < last:
            return False
        log_p, slack = found.log_pvalue, math.log1p(3 * found.doubt)
        return self._limits.meet(log_p, log_p, slack)

    # The engines, in the order of what they cost

    def _engines(self, event: TailEvent) -> Iterator[tuple[_Engine, float]]:
        """Engines, each with the error that ends the search after it."""
        facts = self.facts
        folds = not facts.is_single and (facts.has_few_groups or facts.is_summable)
        outer = self._way_left < _OUTER
        if folds or (outer and (self.sign > 0 or not facts.is_rare)):
            yield partial(self._count, _enumeration.FEW_COUNTED), _CERTIFIED
        accurate = _ACCURATE if facts.is_single and not facts.is_long else _TIGHT
        if facts.has_few_groups:
            enough = _TIGHT if facts.is_large else accurate
            for narrowed in self._narrowed:
                yield partial(self._invert, narrowed), enough
        strides = self._strides(event)
        for solution in strides:
            yield partial(self._invert, solution, patient=False), accurate
        certain = _TIGHT if facts.is_rare else _CERTIFIED
        minute = self.sign < 0 and self._way_left < _MINUTE
        moves = _grid.MAX_MOVES if minute else _grid.FEW_MOVES
        lumpy: list[tuple[_Engine, float]] = [
            (partial(self._bound, certain, moves), certain),
            (partial(self._count, _enumeration.MOST_COUNTED), accurate),
        ]
        lumpy_first = facts.is_rare or self._way_left < _NEAR_AN_END
        if lumpy_first:
            yield from lumpy
        every_hit = [] if facts.is_large else self._every_hits(event)
        for solution in every_hit:
            yield partial(self._invert, solution, patient=False), accurate
        if not lumpy_first:
            yield from lumpy
        for narrowed in [] if facts.has_few_groups else self._narrowed:
            yield partial(self._invert, narrowed), accurate
        if facts.is_large:
            near = facts.deviations(self.statistic) < _DRAWN_DEVIATIONS
            if near and facts.is_lumpy:
                most = self._most_draws
                for size in sorted({min(_DRAWS, most), most}):
                    yield partial(self._draw, size), _TIGHT
            # of few groups patience takes minutes, and found nothing that a first try,
            # or windows, had left
            for solution in [] if facts.has_few_groups else strides:
                yield partial(self._invert, solution), _TIGHT
            every_hit = self._every_hits(event)
        for solution in every_hit:
            yield partial(self._invert, solution), accurate
        yield partial(self._bound, _CERTIFIED), _CERTIFIED
        if not facts.is_large:
            for solution in every_hit:
                yield partial(self._tilt, solution), accurate

    @cached_property
    def _narrowed(self) -> list[_windows.Narrowed]:
        """The tilt within windows that hold the paths of the tail alone, if found."""
        assert self._event is not None
        return _found(partial(_windows.solve, self._event, self._limits))

    def _every_hits(self, event: TailEvent) -> list[Solution]:
        """Find the tilt for every number of hits, where they can be followed."""
        if not self.facts.is_feasible:
            return []
        return _found(partial(_coarse.solve, event))

    def _strides(self, event: TailEvent) -> list[Solution]:
        """Find the tilt in strides, where a ranking has many targets, or is long."""
        facts = self.facts
        if facts.is_rare or not (facts.is_large or facts.is_long):
            return []
        return _found(partial(_levels.solve, event))

    @cached_property
    def _way_left(self) -> float:
        """Part of the way from the mean to the end of the support that is left."""
        (end, _), mean = self.facts.end(self.sign), self.facts.moments[0]
        return (end - self.statistic) / (end - mean)

    @cached_property
    def _event(self) -> TailEvent | None:
        if not self.facts.is_askable:
            return None
        return tail_event(self.facts.terms, self.statistic, self.sign)

    def _count(self, most_paths: int) -> TailProbability | None:
        """Count the placements that are as extreme, if few are."""
        if not self.facts.is_single:
            return self._add_up(most_paths)
        (chain,), (ahead,) = self.facts.chains, self.facts.to_come
        if ahead is None:
            return None
        args = self.statistic, self.sign, self._slack, most_paths
        tail = _enumeration.count(chain, ahead, *args)
        return None if tail is None else TailProbability(*tail, "exact")

    def _add_up(self, most_paths: int) -> TailProbability | None:
        """Add up several rankings whose values are few, or few near the best."""
        facts, sign, lists = self.facts, self.sign, []
        end, _ = facts.end(sign)
        wanting = sign * (end - self.statistic) + self._slack
        columns = (
            facts.terms,
            facts.list_distributions,
            facts.list_ends(sign),
            facts.to_come,
        )
        for term, atoms, (best, _), ahead in zip(*columns, strict=True):
            if atoms is None and ahead is not None:
                least = best - sign * wanting / term.weight
                args = term.chain, ahead, least, sign, most_paths
                atoms = _enumeration.extreme_distribution(*args)
            if atoms is None or not atoms.value.size:
                return None
            lists.append((atoms.times(sign * term.weight), term.copies))
        tail = _sums.tail(lists, sign * self.statistic, self._slack, _width(_CERTIFIED))
        return TailProbability(*tail, "exact")

    def _invert(self, solution: Solution, *, patient: bool = True) -> TailProbability:
        found = _inversion.tail(solution, patient=patient)
        return TailProbability(*found, "inversion")

    def _bound(
        self, enough: float, most_moves: int = _grid.MANY_MOVES
    ) -> TailProbability | None:
        """Ask the grid, which is for one ranking."""
        if self._event is None or not self.facts.is_single:
            return None
        limits = self._limits
        tail = _grid.tail(self._event, limits, _width(enough), most_moves)
        return TailProbability(*tail, "grid")

    def _tilt(self, solution: Solution) -> TailProbability:
        """Draw as many as asked for, or until the standard error is small enough."""
        draw = partial(
            _sampling.tilted_tail,
            solution,
            self.facts.terms,
            self.statistic,
            self.sign,
            generator=self.generator or np.random.default_rng(0),
        )
        sizes = [self.size] if self.size else _TILTED_DRAWS
        tails = (draw(size=size) for size in sizes)
        tail, _ = refine(((tail, tail.error or 0.0) for tail in tails), _ACCURATE)
        return TailProbability(*tail, "importance_sampling")

    @property
    def _most_draws(self) -> int:
        """Number of plain draws that take seconds."""
        targets = sum(chain.n_targets * copies for chain, _, copies in self.facts.terms)
        return min(10 * _DRAWS, max(_FEWEST_DRAWS, _DRAWN_TARGETS // targets))

    def _draw(self, size: int) -> TailProbability:
        """Plain draws, where no tilt adds up, of huge ties, of lumpy long rankings."""
        generator = self.generator or np.random.default_rng(0)
        draws = _sampling.draw(self.facts.terms, size, generator)
        tail = _sampling.tail(draws, self.statistic, self.sign, self._slack)
        return TailProbability(*tail, "monte_carlo")

    # One engine by name

    def _named(self, method: str) -> TailProbability | None:
        event = self._event
        if event is None:
            return None
        if method == "grid":
            return self._bound(_CERTIFIED)
        engine = self._invert if method == "inversion" else self._tilt
        for solution in self._solutions(event):
            found = _attempt(partial(engine, solution))
            if found is not None:
                return found
        return None

    def _solutions(self, event: TailEvent) -> Iterator[Solution]:
        """Tilts found within windows, in strides, and for every number of hits."""
        if self.facts.has_few_groups:
            yield from self._narrowed
        if self.facts.is_large:
            yield from _found(partial(_levels.solve, event))
        yield from self._every_hits(event)

    def _refusal(self, method: str) -> RefusedError:
        msg = (
            f"`method` must not be {method!r} for a distribution this large or a "
            f"probability this small, but 'auto' can be; got "
            f"{self.facts}, at {self.statistic:.4g}."
        )
        return RefusedError(msg)


def _width(doubt: float) -> float:
    """Distance of the logarithms of bounds that leave such a doubt."""
    return 4 * math.log1p(doubt)


def _attempt(engine: Callable[[], _T]) -> _T | None:
    """Ask an engine; None where it knows that it does not reach."""
    try:
        return engine()
    except OutOfReachError:
        return None


def _found(engine: Callable[[], _T]) -> list[_T]:
    """Return the solution, if there is one."""
    solution = _attempt(engine)
    return [] if solution is None else [solution]
