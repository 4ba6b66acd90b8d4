"""Tail probability of a null distribution, and the choice of its method.

    1. "exact": the distribution value by value, or the few placements that are as
       extreme (`_counting`).
    2. "inversion": the characteristic function of a tilted chain (`_inversion`). The
       hits of few ties are summed (`_sums`): all of them ("exact"), or some of them.
    3. "importance_sampling": rankings drawn from that chain, or "monte_carlo": plain
       rankings, if there is no such chain (`_sampling`).
    4. "bounds": limits from the moments and from the hits above one depth (`_limits`).
       An answer outside the limits is rejected. If no answer is left, the upper limit
       is returned.

A method is used if the methods before it are not accurate enough. It is applied to a
ranking whose top and bottom are trimmed (see `_limits`). Of the two tails at a value,
the smaller one is computed. The observed value belongs to the tail.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from skrank._utils._text import track
from skrank.null import (
    _counting,
    _inversion,
    _limits,
    _sampling,
    _sums,
    _tilted,
    _walk,
)
from skrank.null._atoms import Atoms
from skrank.null._chain import Chain
from skrank.null._ends import SAME, end
from skrank.null._lattice import OutOfReachError, require
from skrank.null._many import MANY, Many
from skrank.null._moments import moments
from skrank.null._tilted import Term

METHODS = (
    "auto",
    "exact",
    "inversion",
    "importance_sampling",
    "monte_carlo",
    "normal",
)
ALTERNATIVES = ("greater", "less", "two-sided")
_BEYOND = 2.001  # distance of the next value that differs by more than rounding
# Relative error that is too large for an estimate.
_HOPELESS = 0.5
_DRAWS = (2**12, 2**14, 2**16, 2**18)  # until the error is small enough
_PLACES = 2**25  # of all targets in all draws: seconds
_QUICK = 2**13  # cells of a pass with so few paths that counting is tried first
# Paths up to which all values take less time than one tail. With none, two-sided tests
# of 60 groups of 20 items take 1.3 times as long.
_FEW_PATHS = 2**13
_NEAR = 0.5  # of the distance from the mean to the end; few paths may be left
_CERTAIN = 1e-6  # of logarithms of probabilities: rounding only
_SEEN = 100  # draws as extreme, from which a probability is estimated

_Floats = NDArray[np.float64]
_Found = TypeVar("_Found")


class RefusedError(ValueError):
    """The requested method cannot compute the probability."""


class TailProbability(NamedTuple):
    """Probability of a value at least as extreme as the observed value.

    Attributes
    ----------
    log_pvalue : float
        Natural logarithm of the p-value. It is minus infinity if the value cannot
        occur.
    log_bounds : tuple of two floats or None
        Natural logarithms of the proven bounds of "exact" and "bounds". None for other
        methods.
    error : float or None
        Relative error of the p-value. For "importance_sampling" and "monte_carlo" it is
        the standard error. For "inversion" it is an estimate of the omitted part. It is
        0.0 for "exact", and None for "bounds" and if the error is not known.
    method : str
        Method of the p-value. "bounds" means that only `log_bounds` are known, and that
        `log_pvalue` is the upper bound.

    Examples
    --------
    >>> from skrank import RandomSelectionNull
    >>> tail = RandomSelectionNull(1000, 20).tail(0.3)
    >>> print(f"log10 p {tail.log_pvalue / 2.302585:.1f} by {tail.method}")
    log10 p -9.1 by inversion
    """

    log_pvalue: float
    log_bounds: tuple[float, float] | None
    error: float | None
    method: str

    @property
    def pvalue(self) -> float:
        """The p-value.

        Returns
        -------
        pvalue : float
            Probability, which is 0.0 if it underflows.
        """
        return math.exp(self.log_pvalue)

    @property
    def doubt(self) -> float:
        """Relative error, or half of the relative range of the bounds on one side.

        Returns
        -------
        doubt : float
            The error; infinite if nothing is known about it.
        """
        if self.log_bounds is None:
            return math.inf if self.error is None else self.error
        lower, upper = self.log_bounds
        return 0.0 if lower == upper else math.expm1(min((upper - lower) / 4, 700.0))


def _exact(log_p: float, method: str = "exact") -> TailProbability:
    return TailProbability(log_p, (log_p, log_p), 0.0, method)


class NullProperties:
    """Properties of a distribution that all its tails share: moments, ends, values."""

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.terms = terms
        self.is_asked = False  # for a tail before
        self._ends: dict[int, list[tuple[float, float]]] = {}

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and variance; those of independent rankings are added."""
        found = [(*moments(c), w, count) for c, w, count in self.terms]
        mean = sum(count * w * mean for mean, _, w, count in found)
        return mean, sum(count * w**2 * v for _, v, w, count in found)

    @cached_property
    def atoms(self) -> Atoms | None:
        """The distribution value by value, if that is quick; else None."""
        return _counting.distribution(self.terms)

    @property
    def n_draws(self) -> int:
        """Number of plain draws that take a few seconds."""
        targets = sum(term.chain.n_targets * term.copies for term in self.terms)
        return min(_DRAWS[-1], max(1000, _PLACES // targets))

    @cached_property
    def draws(self) -> _Floats:
        """Values of plain draws of a fixed seed, for all tails of a quantile."""
        return _sampling.draw(self.terms, self.n_draws, np.random.default_rng(0))

    def ends_of_rankings(self, sign: int) -> list[tuple[float, float]]:
        """Return the ends of each ranking on one side, with their log-probabilities."""
        if sign not in self._ends:
            self._ends[sign] = [end(term.chain, sign) for term in self.terms]
        return self._ends[sign]

    def end(self, sign: int) -> tuple[float, float]:
        """Return the end of the mean, with its log-probability."""
        pairs = list(zip(self.terms, self.ends_of_rankings(sign), strict=True))
        value = sum(term.copies * term.weight * one for term, (one, _) in pairs)
        return value, min(0.0, sum(term.copies * log_p for term, (_, log_p) in pairs))

    @property
    def is_single(self) -> bool:
        """Whether there is one ranking."""
        return len(self.terms) == 1 and self.terms[0].copies == 1

    def slack(self, statistic: float) -> float:
        """Return the largest rounding error of a value near `statistic`."""
        return SAME * max(abs(statistic), *(term.chain.scale for term in self.terms))

    def __str__(self) -> str:
        """Name the metric and the size."""
        chain, number = self.terms[0].chain, sum(term.copies for term in self.terms)
        size = f"{chain.n_targets} of {chain.n_samples}"
        return f"{chain.metric.name}, {size if number == 1 else f'{number} rankings'}"


@dataclass(frozen=True, eq=False)
class TailQuery:
    """A tail of a distribution: a value, and the direction of more extreme values."""

    null: NullProperties
    statistic: float
    sign: int
    size: int | None = None
    generator: np.random.Generator | None = None
    #: Whether to show a progress bar of the methods.
    progress: bool = False
    #: The query of the other side, if that was asked first.
    less: "TailQuery | None" = None
    #: Whether it is the first one, so that all values are not worth their time.
    alone: bool = False

    @np.errstate(under="ignore")  # what is negligible becomes 0
    def best(self) -> TailProbability:
        """Compute the smaller tail; the other one is the complement."""
        if self.alone and "atoms" not in vars(self.null):
            counted = self._count_alone()
            if counted is not None:
                return counted
        known = self._known("exact", self.null.atoms)
        if known is not None:
            rest = self.other._known("exact", self.null.atoms)
            # the smaller one has more digits; both are 1 if only one value is possible
            if rest is not None and rest.log_pvalue < min(known.log_pvalue, -0.7):
                return self._complement(rest)
            return known
        asked = self.other if self._is_likely else self
        found = asked._try_methods()
        if found.log_pvalue > math.log(0.5) and found.method != "bounds":
            asked = asked.other
            found = asked._try_methods()
        return found if asked.sign == self.sign else self._complement(found)

    def _count_alone(self) -> TailProbability | None:
        """Count the smaller tail if all values would take longer; None elsewhere."""
        known = self._known("exact", None)
        chain = self.null.terms[0].chain
        if known is not None or not self.null.is_single or chain.slope is None:
            return known
        known_whole = chain.metric.counted_hits == 1 or chain.n_targets == 1
        few = known_whole or _counting.is_feasible(chain, _FEW_PATHS)
        if few or not _counting.is_feasible(chain):
            return None
        asked = self.other if self._is_likely else self
        slack = self.null.slack(self.statistic)
        log_p = _counting.extreme_tail(chain, asked.statistic, asked.sign, slack)
        if log_p is None:
            return None
        return _exact(log_p) if asked is self else self._complement(_exact(log_p))

    def log_mass(self) -> float:
        """Logarithm of the probability of this value: a tail without the rest of it."""
        slack = self.null.slack(self.statistic)
        if self.null.atoms is not None:
            return self.null.atoms.mass(self.statistic, slack)
        further = self.statistic + self.sign * _BEYOND * slack
        tails = self.best(), replace(self, statistic=further).best()
        log_p, log_rest = (tail.log_pvalue for tail in tails)
        if log_p == -math.inf:
            return log_p
        if any(tail.method != "exact" for tail in tails):
            msg = (
                "`x` must be a value of a distribution whose values can be counted; "
                f"got {self.statistic:.4g} of {self.null}."
            )
            raise RefusedError(msg)
        rest = min(log_rest - log_p, 0.0)
        return log_p + (math.log(-math.expm1(rest)) if rest < 0 else -math.inf)

    def _try_methods(self) -> TailProbability:
        """Try the methods in order until one is accurate enough; else return bounds."""
        known = self._known("exact", None)
        if known is not None:
            return known
        best = TailProbability(self._bounds.upper, self._bounds, None, "bounds")
        if best.doubt <= _CERTAIN:  # all values as extreme are equal
            return best._replace(method="exact", error=0.0)
        shown = track(
            self._methods(), total=None, label="methods", progress=self.progress
        )
        for method in shown:
            enough = math.log(self.null.n_draws / _SEEN)
            if method == self._plain and best.log_pvalue < -enough:
                break  # too few draws would be as extreme
            found = _attempt(method)
            if found is not None and self._is_credible(found):
                best = min(best, found, key=lambda one: one.doubt)
            enough = _walk.tolerance(best.log_pvalue)
            if best.method != "bounds" and best.doubt <= enough:
                break
        return best

    def named(self, method: str) -> TailProbability:
        """Use one method."""
        if method == "normal":
            return TailProbability(self._normal(), None, None, method)
        if method == "monte_carlo":
            return self._plain(self.size)
        atoms = _counting.distribution(self.null.terms) if method == "exact" else None
        found = self._known(method, atoms)
        if found is None and self._is_likely:
            return self._complement(self.other.named(method))
        if found is None and method != "exact":
            draw = partial(self._draw, (self.size or _DRAWS[1],))
            found = _attempt(self._invert if method == "inversion" else draw)
        if found is None:  # near an end few placements are left, or none
            found = _attempt(self._count)
        if found is None:
            found = _attempt(self._sum)
            found = found and (found if found.method == method else None)
        if found is None:
            msg = (
                f"`method` must not be {method!r} for a distribution this large or a "
                f"probability this small, but 'auto' can be; got "
                f"{self.null}, at {self.statistic:.4g}."
            )
            raise RefusedError(msg)
        return found

    def _methods(self) -> Iterator[Callable[[], TailProbability | None]]:
        (end, _), mean = self.null.end(self.sign), self.null.moments[0]
        few = self.null.is_single and self._trimmed.chain.possible().n_cells <= _QUICK
        few = few or self._is_of_two_cells
        if few or abs(end - self.statistic) < _NEAR * abs(end - mean):
            yield from (self._count, self._sum, self._invert)
        else:
            yield from (self._sum, self._invert, self._count)
        yield partial(self._draw, _DRAWS)
        yield self._plain

    def _plain(self, size: int | None = None) -> TailProbability:
        """Draw plain rankings, and count those that are as extreme."""
        if size is None and self.generator is None:
            values = self.null.draws
        else:
            size = size or self.null.n_draws
            values = _sampling.draw(self.null.terms, size, self._source)
        tail = _sampling.tail(values, self._reached(values))
        return TailProbability(tail[0], None, tail[1], "monte_carlo")

    # Values without computation

    def _known(self, method: str, atoms: Atoms | None) -> TailProbability | None:
        """Answer at the ends of the support, beyond them, and from known values."""
        sign, slack = self.sign, self.null.slack(self.statistic)
        (far, log_p), (near, _) = self.null.end(sign), self.null.end(-sign)
        if sign * (self.statistic - near) <= slack or not self.null.moments[1]:
            inside = sign * (self.statistic - far) <= slack
            return _exact(0.0 if inside else -math.inf, method)
        beyond = sign * (self.statistic - far)
        if beyond > slack or (beyond >= -slack and log_p > -math.inf):
            return _exact(log_p if beyond <= slack else -math.inf, method)
        if atoms is None:
            return None
        return _exact(atoms.tail(self.statistic, sign, slack), method)

    @property
    def _is_likely(self) -> bool:
        """Whether the mean is as extreme, so that the other tail is the smaller one."""
        mean, _ = self.null.moments
        return self.statistic < mean if self.sign > 0 else self.statistic >= mean

    @property
    def other(self) -> "TailQuery":
        """The query of the less extreme values."""
        if self.less is not None:
            return self.less
        slack = self.null.slack(self.statistic)
        beyond = self.statistic - self.sign * _BEYOND * slack
        return replace(self, statistic=beyond, sign=-self.sign, less=self)

    def _complement(self, other: TailProbability) -> TailProbability:
        """Return the complement of a probability."""

        def rest(log_p: float) -> float:
            return math.log1p(-min(math.exp(log_p), 1 - 2.0**-53)) or 0.0

        log_p, bounds, error = rest(other.log_pvalue), None, None
        if other.log_bounds is not None:
            bounds = rest(other.log_bounds[1]), rest(other.log_bounds[0])
            log_p = bounds[1] if other.method == "bounds" else log_p
        if other.error is not None:
            error = math.expm1(-log_p) * other.error
        return TailProbability(log_p, bounds, error, other.method)

    def _normal(self) -> float:
        """Logarithm of the normal tail beyond the z-score, as in Zhang and Su (2012).

        Average precision is skewed, strongly so if targets are rare. This tail is then
        too small by orders of magnitude. It is the one reported in the literature.
        """
        mean, variance = self.null.moments
        distance = self.sign * (self.statistic - mean)
        if variance == 0.0:
            return 0.0 if distance <= SAME * abs(mean) else -math.inf
        return float(norm.logsf(distance / math.sqrt(variance)))

    # The methods

    @property
    def _is_of_two_cells(self) -> bool:
        """Whether only the hits above a tie and in it count, in any order."""
        chain = self.null.terms[0].chain
        one = self.null.is_single and chain.ends.size == 2
        return one and not chain.metric.ordered

    @cached_property
    def _fence(self) -> _limits.Fence:
        """Numbers of hits above single depths that leave the question open."""
        chain, slack = self.null.terms[0].chain, self.null.slack(self.statistic)
        return _limits.fence(chain, self.statistic, self.sign, slack)

    @cached_property
    def _trimmed(self) -> _limits.Trimmed:
        """The ranking without the parts that decide the question."""
        (term, *_) = self.null.terms
        if not self.null.is_single or term.chain.metric.counted_hits == 1:
            return _limits.Trimmed(term.chain, -math.inf, 0.0)
        return _limits.trimmed(term.chain, self._fence, self.sign)

    @cached_property
    def _parts(self) -> tuple[_tilted.Part, ...] | None:
        """The event as a sum over the rankings, or over a shorter ranking."""
        terms = self.null.terms
        if self.null.is_single:
            terms = (terms[0]._replace(chain=self._trimmed.chain),)
        return _tilted.event(terms, self.statistic, self.sign)

    @cached_property
    def _found(self) -> _walk.Solution | None:
        """The tilted rankings, or None; searched once."""
        if self._parts is None:
            return None
        return _attempt(partial(_walk.solve, self._parts))

    @cached_property
    def _many(self) -> Many | None:
        """All of many different rankings, or None."""
        parts = self._parts or ()
        if len(parts) < MANY or not all(
            part.chain.is_pairwise and part.chain.metric.ordered for part in parts
        ):
            return None
        deviation = math.sqrt(self.null.moments[1])
        return _attempt(partial(Many, parts, deviation))

    @property
    def _solution(self) -> _walk.Solution:
        if self._found is None:
            raise OutOfReachError
        return self._found

    def _sum(self) -> TailProbability | None:
        """Sum the hits of few groups: of ties, and of the items between them."""
        if not self.null.is_single:
            return None
        chain, slack = self._trimmed.chain, self.null.slack(self.statistic)
        if chain.ends.size > _sums.MOST_GROUPS and chain.is_linear:
            chain = chain.runs(_sums.SHORT)
        if chain.ends.size > _sums.MOST_GROUPS:
            return None
        (path,), (one,) = self._solution.paths, self._solution.rankings
        if path is None:
            return None
        lattice, part = path.among(chain).lattice(chain, math.inf), one.way.part
        found = _sums.tail(part, chain, lattice, slack, one.tilt)
        summed = self._with_sure(self._log_sure(chain), *found, "inversion")
        return summed if summed.error else _exact(summed.log_pvalue)

    def _count(self) -> TailProbability | None:
        """Count the placements that are as extreme, if there are few."""
        args = self.statistic, self.sign, self.null.slack(self.statistic)
        if self._is_of_two_cells:
            return _exact(_counting.two_cells(self.null.terms[0].chain, *args))
        chain, log_p = self._trimmed.chain, None
        if not self.null.is_single:
            ends = [end for end, _ in self.null.ends_of_rankings(self.sign)]
            log_p = _counting.mean_tail(self.null.terms, ends, *args)
        elif chain.possible().n_cells:
            log_p = _counting.extreme_tail(chain.unfenced(), *args)
        else:
            log_p = _limits.log_sure(chain, self.sign)
        return None if log_p is None else _exact(self._trimmed.log_p(log_p))

    def _invert(self) -> TailProbability:
        many = self._many
        if many is not None:
            log_p, error = _inversion.tail(many)
            return TailProbability(log_p, None, error, "inversion")
        rankings = self._solution.rankings
        log_sure = self._log_sure(rankings[0].way.chain)
        sure = float(np.logaddexp(self._trimmed.sure, log_sure))
        found = _inversion.tail(self._solution, sure)
        return self._with_sure(log_sure, *found, "inversion")

    def _draw(self, sizes: tuple[int, ...]) -> TailProbability:
        """Draw tilted rankings until their standard error is small enough."""
        source, terms = self._source, self.null.terms
        # in blocks, all places are drawn
        places = sum(
            term.chain.n_targets * term.copies
            for term in terms
            if term.chain.ends.size > _walk.SHORT
        )
        require(self.size is not None or sizes[0] * places < _PLACES)
        rankings = self._solution.drawable()
        width = sum(_sampling.width(one) for one in rankings)
        quick = [size for size in sizes if size * width <= _PLACES or self.size]
        require(len(quick) > 0)
        for size in quick:
            drawn = _sampling.tilted_tail(rankings, terms, self._reached, size, source)
            # a standard error, which an error may exceed
            if drawn[1] <= max(_walk.tolerance(drawn[0]) / 4, 0.004):
                break
        log_sure = self._log_sure(rankings[0].way.chain)
        return self._with_sure(log_sure, *drawn, "importance_sampling")

    def _log_sure(self, chain: Chain) -> float:
        """Logarithm of the probability that the fence decides for the extreme side."""
        return -math.inf if chain.fence is None else _limits.log_sure(chain, self.sign)

    def _with_sure(
        self, log_sure: float, log_p: float, error: float, method: str
    ) -> TailProbability:
        """Add the certain part, which has no error."""
        whole = self._trimmed.log_p(float(np.logaddexp(log_sure, log_p)))
        error *= math.exp(self._trimmed.log_rest + log_p - whole)
        return TailProbability(whole, None, error, method)

    @property
    def _source(self) -> np.random.Generator:
        return self.generator or np.random.default_rng(0)

    def _reached(self, values: _Floats) -> NDArray[np.bool_]:
        slack = self.null.slack(self.statistic)
        return np.asarray(self.sign * (values - self.statistic) >= -slack)

    # The bounds

    @cached_property
    def _bounds(self) -> _limits.Limits:
        """Bounds of the tail."""
        lower, upper = self.null.end(self.sign)[1], 0.0
        if not self._is_likely:
            most = _limits.cantelli(self.null.moments, self.statistic)
            upper = math.log(most) if most > 0 else lower
        if self.null.is_single:
            chain = self.null.terms[0].chain
            proven = _limits.limits(chain, self._fence, self.sign)
            lower, upper = max(lower, proven.lower), min(upper, proven.upper)
        return _limits.Limits(lower, max(lower, upper))

    def _is_credible(self, found: TailProbability) -> bool:
        """Whether an answer is inside the bounds, and accurate enough."""
        if found.log_bounds is not None:
            return self._bounds.hold(found.log_pvalue, _CERTAIN)
        slack = math.log1p(3 * found.doubt)
        return found.doubt <= _HOPELESS and self._bounds.hold(found.log_pvalue, slack)


def _attempt(method: Callable[[], _Found | None]) -> _Found | None:
    """Call a method; None if it fails by its own limits."""
    try:
        return method()
    except OutOfReachError:
        return None
