"""Which engine answers: by the size of the law, by its ties, by what is known of p.

The engines answer one question, the logarithm of a tail probability. Here a method is
chosen by a stated rule, and what is the same for all values of one law is kept.
"""

import math
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank._ties import DETAILED
from skrank.null import (
    _enumeration,
    _grid,
    _inversion,
    _levels,
    _normal,
    _saddlepoint,
    _sampling,
)
from skrank.null._chain import Chain, log_binomial
from skrank.null._excess import Question, Tail, Term, ask, slack_at
from skrank.null._moments import MOST_CELLS, extreme, extreme_value, moments
from skrank.null._tilting import Solution, solve

METHODS = (
    "auto",
    "enumeration",
    "inversion",
    "tilted",
    "grid",
    "saddlepoint",
    "monte_carlo",
    "normal",
)
ALTERNATIVES = ("greater", "less", "two-sided")
_ACCURATE = 0.015  # error of "inversion" beyond which "auto" goes on to "tilted"
_TIGHT = 0.05  # logarithm of the ratio of bounds, likewise for "grid"
_FEW_FREQUENCIES = 4096  # of "inversion" before "grid" is tried
_FEW_GROUPS, _FEW_CELLS = 64, 2**23  # of lists that need no strides
_HOPELESS = 0.5  # error of "inversion" at which more do not help; refused in strides
_FEW_MOVES = 100_000  # of "grid" in "auto"
_DRAWS = 2**14  # of "tilted" in "auto", doubled until the error is small enough
_MAX_DRAWS = 2**20
_MOST_LAST = 2**24  # cells of the last group, where it is a tie that the cut divides
_OUTER = 0.5  # part of the way from the mean to an end beyond which counting may do
_DEEP = -4.0  # K below which a left tail is asked of chains that are fine throughout
_ROUGH_CELLS = 2**24  # of a pass of the rough chain, where strides fail
_FULL_CELLS = 2**20  # of a pass of the full chain, where it is preferred to blocks
_FEW_LISTS = 100  # lists as good as this one, of those without ties; fewer are refused
# Near an end of the support hardly a path is left, and engines find nothing to go on.
_UNANSWERED = (_levels.OutOfReachError, ZeroDivisionError, IndexError, ValueError)


class RefusedError(ValueError):
    """No engine can tell the probability."""


class TailProbability(NamedTuple):
    """Probability of a value at least as extreme as the one observed.

    Attributes
    ----------
    log_pvalue : float
        Natural logarithm; minus infinity if the value cannot occur.
    log_bounds : tuple of two floats or None
        Logarithms of certified bounds, from "enumeration", "grid" and "cantelli".
    error : float or None
        Relative error: the standard error of "tilted" and "monte_carlo", an estimate of
        what was left out by "inversion". None with bounds, and where it is not known.
    method : str
        Method that was used; "cantelli" for the bound of a value on the far side of
        the mean, where no method can tell how little is left.
    """

    log_pvalue: float
    log_bounds: tuple[float, float] | None
    error: float | None
    method: str


class TailFinder:
    """Tails of the law of the mean value over one list or several independent ones."""

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.terms = terms

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and variance: those of independent lists add."""
        mean = variance = 0.0
        for chain, weight, count in self.terms:
            one = self._list_moments(chain)
            mean += count * weight * one[0]
            variance += count * weight**2 * one[1]
        return mean, variance

    def _list_moments(self, chain: Chain) -> tuple[float, float]:
        if chain.measure.counted_hits == 1 and chain.n_cells > MOST_CELLS:
            return _enumeration.first_hit_moments(chain)
        return moments(chain)

    @cached_property
    def atoms(self) -> _enumeration.Atoms | None:
        """The law value by value, where that is quick."""
        return _enumeration.law(self.terms, _enumeration.FEW_PATHS)

    @cached_property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Least and largest value, each with the logarithm of its probability."""
        return self._end(-1), self._end(1)

    @cached_property
    def _is_large(self) -> bool:
        """Whether hits are followed in strides."""
        chains = [term.chain for term in self.terms]
        if all(chain.ends.size < _FEW_GROUPS for chain in chains):
            return max(chain.n_cells for chain in chains) > _FEW_CELLS
        return max(chain.n_targets for chain in chains) > _levels.MANY

    @cached_property
    def _is_feasible(self) -> bool:
        """Whether every number of hits can be followed, where strides fail."""
        cells = max(term.chain.rough.n_cells for term in self.terms)
        return cells <= _ROUGH_CELLS

    def _end(self, sign: int) -> tuple[float, float]:
        value = logchance = 0.0
        for chain, weight, copies in self.terms:
            one = self._list_end(chain, sign)
            value += copies * weight * one[0]
            logchance += copies * one[1]
        return value, logchance

    def _list_end(self, chain: Chain, sign: int) -> tuple[float, float]:
        falling = chain.measure.pairwise and chain.measure.ordered
        expected = chain.untied or chain.measure.ties == "expected"
        if self._is_large and falling and expected:
            return _sampling.filled(chain, sign)
        if chain.coarse.n_cells > MOST_CELLS:
            return _sampling.filled(chain, sign)
        return extreme(chain.coarse, sign)

    @cached_property
    def _least_rough(self) -> float:
        return self._rough_end(-1)

    @cached_property
    def _most_rough(self) -> float:
        return self._rough_end(1)

    def _rough_end(self, sign: int) -> float:
        if self._is_large:
            return self.ends[(sign + 1) // 2][0]
        return sum(
            copies * weight * extreme_value(chain.rough, sign)
            for chain, weight, copies in self.terms
        )

    def _is_inside(self, statistic: float) -> bool:
        """Whether rough chains can be tilted to the value; one end is to be feared."""
        mean, variance = self.moments
        room = 1e-9 * (abs(mean) + math.sqrt(variance))
        if statistic > mean:
            return statistic < self._most_rough - room
        return statistic > self._least_rough + room

    def beyond(self, value: float) -> float:
        """Return what leaves out `value` itself, whatever rounding does to it."""
        return value + 3 * slack_at(self.terms, value)

    def tail(
        self,
        statistic: float,
        sign: int,
        method: str = "auto",
        size: int | None = None,
        generator: np.random.Generator | None = None,
    ) -> TailProbability:
        """Ask one engine; "auto" takes the most accurate that is feasible."""
        if method == "normal":
            tail = _normal.tail(*self.moments, statistic, sign)
            return TailProbability(*tail, method)
        atoms = self.atoms if method in ("auto", "enumeration") else None
        if atoms is None and method == "enumeration":
            atoms = _enumeration.law(self.terms)
        if atoms is not None:
            tail = atoms.tail(statistic, sign, slack_at(self.terms, statistic))
            return TailProbability(*tail, "enumeration")
        largest = max(_last_cells(term.chain) for term in self.terms)
        if largest > _MOST_LAST:
            raise self._refusal(statistic, method)
        question = None
        if method != "enumeration":
            question = ask(self.terms, statistic, sign)
        if question is None:
            return self._without_question(statistic, sign, method, generator)
        known = self._at_the_ends(statistic, sign)
        if known is not None:
            named = "enumeration" if method == "auto" else method
            return TailProbability(*known, named)
        if method != "auto":
            return self._asked(question, statistic, sign, method, size, generator)
        if self._is_likely(statistic, sign):
            return self._complement(statistic, sign)
        few, most = _enumeration.FEW_COUNTED, _enumeration.MOST_COUNTED
        if self._is_extreme(statistic, sign):
            counted = self._counted(statistic, sign, few)
            if counted is not None:
                return counted
        try:
            return self._asked(question, statistic, sign, method, size, generator)
        except RefusedError:
            counted = self._counted(statistic, sign, most)
            if counted is None:
                raise
            return counted

    def _is_extreme(self, statistic: float, sign: int) -> bool:
        """Whether so few placements may be as extreme that it pays to count them."""
        mean, end = self.moments[0], self.ends[(sign + 1) // 2][0]
        return sign * (statistic - mean) > _OUTER * sign * (end - mean)

    def _counted(
        self, statistic: float, sign: int, most_paths: int
    ) -> TailProbability | None:
        """Count the placements that are as extreme, if few are."""
        if self._to_come is None:
            return None
        tail = _enumeration.count(
            self.terms[0].chain,
            self._to_come,
            statistic,
            sign,
            slack_at(self.terms, statistic),
            most_paths,
        )
        return None if tail is None else TailProbability(*tail, "enumeration")

    @cached_property
    def _to_come(self) -> list[NDArray[np.float64]] | None:
        """What is still to come down the list, if it is one."""
        single = len(self.terms) == 1 and self.terms[0].copies == 1
        return _enumeration.to_come(self.terms[0].chain) if single else None

    def _asked(
        self,
        question: Question,
        statistic: float,
        sign: int,
        method: str,
        size: int | None,
        generator: np.random.Generator | None,
    ) -> TailProbability:
        """Ask an engine, and refuse what it cannot know."""
        try:
            found = self._ask(question, statistic, sign, method, size, generator)
        except _UNANSWERED as error:
            raise self._refusal(statistic, method) from error
        if self._is_large and found.log_pvalue < self.ends[(sign + 1) // 2][1]:
            raise self._refusal(statistic, method)  # the end itself is as likely
        if method == "auto" and sign > 0 and self._is_hardly_possible(found):
            raise self._refusal(statistic, method)
        return found

    def _is_hardly_possible(self, found: TailProbability) -> bool:
        """Whether so few lists are as good that the engines do not resolve them."""
        tied = not all(term.chain.untied for term in self.terms)
        if tied or found.log_bounds is not None:
            return False
        logcount = sum(
            copies * float(log_binomial(chain.n_samples, chain.n_targets))
            for chain, _, copies in self.terms
        )
        return found.log_pvalue < math.log(_FEW_LISTS) - logcount

    def _is_likely(self, statistic: float, sign: int) -> bool:
        """Whether the mean is as extreme, so that the rest is what is asked for."""
        mean, _ = self.moments
        return statistic < mean if sign > 0 else statistic >= mean

    def _complement(self, statistic: float, sign: int) -> TailProbability:
        """One less the probability of what is less extreme: Cantelli's at most.

        Where no engine tells that probability, most often because hardly a placement
        is less extreme, it is only known that p is between Cantelli's bound and 1.
        """
        beyond = statistic - sign * 3 * slack_at(self.terms, statistic)
        mean, variance = self.moments
        cantelli = variance / (variance + (statistic - mean) ** 2)
        most = min(cantelli, 1 - 2.0**-53)
        try:
            other = self.tail(beyond, -sign)
        except RefusedError:
            return TailProbability(0.0, (math.log1p(-most), 0.0), None, "cantelli")

        def rest(log_p: float) -> float:
            return math.log1p(-min(math.exp(log_p), most)) or 0.0

        log_p, bounds, error = rest(other.log_pvalue), None, None
        if other.log_bounds is not None:
            lower, upper = other.log_bounds
            bounds = rest(upper), rest(lower)
        if other.error is not None:
            error = math.expm1(-log_p) * other.error
        return TailProbability(log_p, bounds, error, other.method)

    def _ask(
        self,
        question: Question,
        statistic: float,
        sign: int,
        method: str,
        size: int | None,
        generator: np.random.Generator | None,
    ) -> TailProbability:
        """Tilt, and hand over to an engine."""
        if method == "auto" and not self._is_large:
            quick = self._quick_if_long(question)
            if quick is not None:
                return quick
        answer = partial(self._answer, question, statistic, sign, method)
        if self._is_large:
            try:
                return answer(_levels.solve(question), size, generator)
            except _levels.OutOfReachError:
                if not self._is_feasible:
                    raise
        return answer(self._solve(question, statistic, sign), size, generator)

    def _answer(
        self,
        question: Question,
        statistic: float,
        sign: int,
        method: str,
        solution: Solution,
        size: int | None,
        generator: np.random.Generator | None,
    ) -> TailProbability:
        """Ask an engine, the tilt being known."""
        if method == "saddlepoint":
            return TailProbability(*_saddlepoint.tail(solution), method)
        if method == "inversion":
            return TailProbability(*_inversion.tail(solution), method)
        if method == "grid":
            bounded = self._bounded(question, solution, _grid.MAX_MOVES)
            if bounded is None:
                raise self._refusal(statistic, method)
            return TailProbability(*bounded, method)
        found = self._quickest(question, solution) if method == "auto" else None
        if found is not None:
            return found
        tail = self._tilted(solution, statistic, sign, size, generator)
        return TailProbability(*tail, "tilted")

    def _quick_if_long(self, question: Question) -> TailProbability | None:
        """Try strides on long lists of few targets, where they may be enough."""
        if max(term.chain.n_samples for term in self.terms) <= DETAILED:
            return None
        try:
            tail = _inversion.tail(_levels.solve(question), _FEW_FREQUENCIES)
        except _levels.OutOfReachError:
            return None
        return TailProbability(*tail, "inversion") if self._is_enough(tail) else None

    def _is_enough(self, tail: Tail) -> bool:
        """Whether the error is what "auto" promises; draws of long lists are slow."""
        longest = max(term.chain.n_samples for term in self.terms)
        assert tail.error is not None
        return tail.error <= (_ACCURATE if longest <= DETAILED else _TIGHT)

    def _quickest(
        self, question: Question, solution: Solution
    ) -> TailProbability | None:
        """Try the engines that are not drawn, in the order of what they cost."""
        tail = _inversion.tail(solution, _FEW_FREQUENCIES)
        assert tail.error is not None
        if self._is_enough(tail):
            return TailProbability(*tail, "inversion")
        bounded = self._bounded(question, solution, _FEW_MOVES)
        if bounded is not None and _is_tight(bounded):
            return TailProbability(*bounded, "grid")
        if not self._is_large or tail.error <= _HOPELESS:
            tail = _inversion.tail(solution)
        assert tail.error is not None
        if self._is_large:  # there is nothing better
            other = self._is_feasible and isinstance(solution, _levels.Levels)
            if tail.error > (_TIGHT if other else _HOPELESS):
                raise _levels.OutOfReachError
            return TailProbability(*tail, "inversion")
        return TailProbability(*tail, "inversion") if self._is_enough(tail) else None

    def _bounded(
        self, question: Question, solution: Solution, max_moves: int
    ) -> Tail | None:
        """Ask the grid, which is for one list."""
        if len(question.parts) > 1 or question.parts[0].copies > 1:
            return None
        return _grid.tail(question, _saddlepoint.tail(solution).log_p, max_moves)

    def _tilted(
        self,
        solution: Solution,
        statistic: float,
        sign: int,
        size: int | None,
        generator: np.random.Generator | None,
    ) -> Tail:
        """Draw as many as asked for, or until the standard error is small enough."""
        generator = generator or np.random.default_rng(0)
        args = solution, self.terms, statistic, sign
        if size is not None:
            return _sampling.tilted_tail(*args, size, generator)
        size = _DRAWS
        while True:
            tail = _sampling.tilted_tail(*args, size, generator)
            if (tail.error or 0.0) <= _ACCURATE or size >= _MAX_DRAWS:
                return tail
            size *= 4

    def _solve(self, question: Question, statistic: float, sign: int) -> Solution:
        """Find the tilt, on the full chains where the rough ones do not reach.

        Lists that are nearly as bad as can be have their targets at the very end, which
        blocks, and windows drawn from blocks, do not resolve.
        """
        if self._is_inside(statistic):
            chains = [part.chain.rough for part in question.parts]
            solution = solve(question, chains)
            deep = solution.tilt > 0 and solution.cumulants.value <= _DEEP
            if sign > 0 or not deep:
                return solution
        chains = [part.chain for part in question.parts]
        if sign > 0 or sum(chain.n_cells for chain in chains) > _FULL_CELLS:
            chains = [chain.coarse for chain in chains]
        return solve(question, chains, fine=sign < 0)

    def _at_the_ends(self, statistic: float, sign: int) -> Tail | None:
        """Exact answer at an end of the support, and beyond it."""
        if self._is_inside(statistic):
            return None
        slack = slack_at(self.terms, statistic)
        ends = [(sign * value, log_p) for value, log_p in self.ends]
        (low, _), (high, log_high) = sorted(ends)
        if sign * statistic > high + slack:
            log_p = -math.inf
        elif sign * statistic <= low + slack:
            log_p = 0.0
        elif sign * statistic >= high - slack:
            log_p = log_high
        else:
            return None
        return Tail(log_p, (log_p, log_p))

    def _without_question(
        self,
        statistic: float,
        sign: int,
        method: str,
        generator: np.random.Generator | None,
    ) -> TailProbability:
        """Several lists whose divisors are not constant: draws are all there is."""
        if method != "auto":
            raise self._refusal(statistic, method)
        draws = _sampling.draw(
            self.terms, 10 * _DRAWS, generator or np.random.default_rng(0)
        )
        slack = slack_at(self.terms, statistic)
        tail = _sampling.tail(draws, statistic, sign, slack)
        return TailProbability(*tail, "monte_carlo")

    def _describe(self) -> str:
        chain = self.terms[0].chain
        size = f"{chain.n_targets} of {chain.n_samples}"
        lists = sum(term.copies for term in self.terms)
        return f"{chain.measure.name}, {size if lists == 1 else f'{lists} lists'},"

    def _refusal(self, statistic: float, method: str) -> RefusedError:
        msg = (
            f"`method` must not be {method!r} for a law this large or a "
            f"probability this small, but 'monte_carlo' or 'normal' can be; got "
            f"{self._describe()} at {statistic:.4g}."
        )
        return RefusedError(msg)


def _last_cells(chain: Chain) -> int:
    """Ways to fill the last group times the hits above it."""
    if chain.ends[-1] == chain.n_samples:
        return 1
    m = chain.n_targets
    return (1 + min(int(chain.sizes[-1]), m)) * (1 + min(int(chain.depths[-1]), m))


def _is_tight(tail: Tail) -> bool:
    """Whether the bounds leave no more doubt than "auto" promises."""
    assert tail.log_bounds is not None
    lower, upper = tail.log_bounds
    return upper - lower <= _TIGHT
