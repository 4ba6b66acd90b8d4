"""The law of a metric under random selection, as one object.

The engines answer one question, the logarithm of a tail probability; this is where a
method is chosen and where all of them look the same from outside. A law is that of one
list, or of the mean over several.
"""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from skrank._measures import make_measure
from skrank._validation import (
    check_count,
    check_generator,
    check_number,
    check_numbers,
    check_option,
)
from skrank.null import (
    _enumeration,
    _grid,
    _inversion,
    _normal,
    _saddlepoint,
    _sampling,
)
from skrank.null._chain import Chain, TieGroups
from skrank.null._excess import Question, Tail, Term, ask, slack_at
from skrank.null._moments import extreme, moments
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
_SIGNS = {"greater": (1,), "less": (-1,), "two-sided": (1, -1)}
_ACCURATE = 0.01  # error of "inversion" beyond which "auto" goes on to "tilted"
_TIGHT = 0.05  # logarithm of the ratio of bounds, likewise for "grid"
_DRAWS = 2**14  # of "tilted" in "auto", doubled until the error is small enough
_MAX_DRAWS = 2**20

_Floats = NDArray[np.float64]


class TailProbability(NamedTuple):
    """Probability of a value at least as extreme as the one observed.

    Attributes
    ----------
    log_pvalue : float
        Natural logarithm; minus infinity if the value cannot occur.
    log_bounds : tuple of two floats or None
        Logarithms of certified bounds, from "enumeration" and "grid".
    error : float or None
        Relative error: the standard error of "tilted" and "monte_carlo", an estimate of
        what was left out by "inversion". None with bounds, and where it is not known.
    method : str
        Method that was used.
    """

    log_pvalue: float
    log_bounds: tuple[float, float] | None
    error: float | None
    method: str


class _Law:
    """The law of the mean value over one list or several independent ones."""

    _terms: tuple[Term, ...]

    def mean(self) -> float:
        """Return the exact mean, what luck gives on average.

        Returns
        -------
        mean : float
            Chance level of the metric.
        """
        return self._moments[0]

    def std(self) -> float:
        """Return the exact standard deviation.

        Returns
        -------
        std : float
            Standard deviation of the metric; 0.0 if ties leave luck no choice.
        """
        return math.sqrt(self._moments[1])

    def support(self) -> tuple[float, float]:
        """Return the least and the largest value that can occur.

        Returns
        -------
        least, largest : float
            Ends of the support; both can be attained.
        """
        return self._ends[0][0], self._ends[1][0]

    def sf(self, x: ArrayLike) -> Any:
        """Survival function, the probability of a value above `x`.

        Parameters
        ----------
        x : array-like
            Values of the metric.

        Returns
        -------
        sf : float or ndarray of the shape of `x`
            ``P(S > x)``. The probability of at least `x` is :meth:`pvalue`.
        """
        return np.exp(self.logsf(x))[()]

    def logsf(self, x: ArrayLike) -> Any:
        """Natural logarithm of the survival function.

        Parameters
        ----------
        x : array-like
            Values of the metric.

        Returns
        -------
        logsf : float or ndarray of the shape of `x`
            ``log P(S > x)``; does not underflow.
        """
        return self._each(
            x, lambda value: self._tail(self._beyond(value), 1).log_pvalue
        )

    def cdf(self, x: ArrayLike) -> Any:
        """Cumulative distribution function, the probability of at most `x`.

        Parameters
        ----------
        x : array-like
            Values of the metric.

        Returns
        -------
        cdf : float or ndarray of the shape of `x`
            ``P(S <= x)``.
        """
        found = self._each(x, lambda value: self._tail(value, -1).log_pvalue)
        return np.exp(found)[()]

    def ppf(self, q: ArrayLike) -> Any:
        """Quantiles, the inverse of :meth:`cdf`.

        Parameters
        ----------
        q : array-like
            Probabilities in [0, 1].

        Returns
        -------
        x : float or ndarray of the shape of `q`
            Least values with ``cdf(x) >= q``.
        """
        return self._each(q, lambda value: self._quantile(value, -1), name="q")

    def isf(self, q: ArrayLike) -> Any:
        """Critical values, the inverse of :meth:`sf`.

        Parameters
        ----------
        q : array-like
            Probabilities in [0, 1].

        Returns
        -------
        x : float or ndarray of the shape of `q`
            Least values with ``sf(x) <= q``: what is above them beats luck at level q.
        """
        return self._each(q, lambda value: self._quantile(value, 1), name="q")

    def pvalue(
        self,
        statistic: ArrayLike,
        *,
        alternative: str = "greater",
        method: str = "auto",
    ) -> Any:
        """Return the probability of a value at least as extreme.

        Parameters
        ----------
        statistic : array-like
            Values of the metric.
        alternative : {"greater", "less", "two-sided"}, default="greater"
            Which values are more extreme: ``P(S >= s)``, ``P(S <= s)``, or twice the
            smaller of the two.
        method : {"auto", "enumeration", "inversion", "tilted", "grid", \
                "saddlepoint", "monte_carlo", "normal"}, default="auto"
            See :class:`skrank.RandomSelectionTest`.

        Returns
        -------
        pvalue : float or ndarray of the shape of `statistic`
            Probabilities in [0, 1].
        """

        def one(value: float) -> float:
            found = self.tail(value, alternative=alternative, method=method)
            return math.exp(found.log_pvalue)

        return self._each(statistic, one, name="statistic")

    def tail(
        self,
        statistic: float,
        *,
        alternative: str = "greater",
        method: str = "auto",
        n_resamples: int = 9999,
        random_state: object = None,
    ) -> TailProbability:
        """Return the logarithm of the p-value, what is known of its error, and how.

        Parameters
        ----------
        statistic : float
            Value of the metric.
        alternative : {"greater", "less", "two-sided"}, default="greater"
            Which values are more extreme.
        method : {"auto", "enumeration", "inversion", "tilted", "grid", \
                "saddlepoint", "monte_carlo", "normal"}, default="auto"
            See :class:`skrank.RandomSelectionTest`.
        n_resamples : int, default=9999
            Number of lists drawn by "monte_carlo" and "tilted".
        random_state : int, RandomState, Generator or None, default=None
            Source of randomness of the methods that draw.

        Returns
        -------
        tail : TailProbability
            Named tuple of `log_pvalue`, `log_bounds`, `error` and `method`.
        """
        statistic = check_number("statistic", statistic)
        check_option("alternative", alternative, ALTERNATIVES)
        check_option("method", method, METHODS)
        size = check_count("n_resamples", n_resamples, least=1)
        generator = check_generator(random_state)
        if method == "monte_carlo":
            draws = _sampling.draw(self._terms, size, generator)
            slack = slack_at(self._terms, statistic)
            found = [
                TailProbability(*_sampling.tail(draws, statistic, sign, slack), method)
                for sign in _SIGNS[alternative]
            ]
        else:
            found = [
                self._tail(statistic, sign, method, size, generator)
                for sign in _SIGNS[alternative]
            ]
        return found[0] if len(found) == 1 else _twice_the_smaller(*found)

    def rvs(self, size: int = 1, random_state: object = None) -> _Floats:
        """Draw values of the metric under random selection.

        Parameters
        ----------
        size : int, default=1
            Number of values to draw.
        random_state : int, RandomState, Generator or None, default=None
            Source of randomness.

        Returns
        -------
        values : ndarray of shape (size,)
            Independent values.
        """
        size = check_count("size", size, least=1)
        return _sampling.draw(self._terms, size, check_generator(random_state))

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """Mean and variance: those of independent lists add."""
        mean = variance = 0.0
        for chain, weight, count in self._terms:
            one = moments(chain)
            mean += count * weight * one[0]
            variance += count * weight**2 * one[1]
        return mean, variance

    @cached_property
    def _atoms(self) -> _enumeration.Atoms | None:
        """The law value by value, where that is quick."""
        return _enumeration.law(self._terms, _enumeration.FEW_PATHS)

    @cached_property
    def _ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Least and largest value, each with the logarithm of its probability."""
        return self._extreme("coarse", np.min), self._extreme("coarse", np.max)

    @cached_property
    def _rough_ends(self) -> tuple[float, float]:
        """Values between which the rough chains can be tilted."""
        least, most = (self._extreme("rough", best)[0] for best in (np.min, np.max))
        room = 1e-9 * (most - least)
        return least + room, most - room

    def _extreme(self, kind: str, best: Callable[..., Any]) -> tuple[float, float]:
        value = logchance = 0.0
        for chain, weight, count in self._terms:
            one = extreme(getattr(chain, kind), best)
            value += count * weight * one[0]
            logchance += count * one[1]
        return value, logchance

    def _each(
        self, x: ArrayLike, function: Callable[[float], float], name: str = "x"
    ) -> Any:
        """Apply a function of one number to an array, to equal numbers once."""
        numbers = check_numbers(name, x)
        distinct, where = np.unique(numbers, return_inverse=True)
        found = np.array([function(float(number)) for number in distinct])
        return found[where].reshape(numbers.shape)[()]

    def _quantile(self, q: float, sign: int) -> float:
        """Where the tail above (sign 1) or below has the probability q."""
        if not 0.0 <= q <= 1.0:
            msg = f"`q` must be a probability between 0 and 1; got {q!r}."
            raise ValueError(msg)
        least, most = self.support()
        log_q = math.log(q) if q > 0 else -math.inf
        if self._atoms is not None:
            return self._atoms.quantile(log_q, -sign)
        if q in (0.0, 1.0):
            return most if (q == 0.0) == (sign > 0) else least

        def surplus(value: float) -> float:
            log_p = self._tail(
                self._beyond(value) if sign > 0 else value, sign
            ).log_pvalue
            return max(log_p, -1e6) - log_q

        low, high = self._bracket(surplus, sign, least, most)
        return float(brentq(surplus, low, high, xtol=1e-9 * self.std(), rtol=1e-12))

    def _bracket(
        self, surplus: Callable[[float], float], sign: int, least: float, most: float
    ) -> tuple[float, float]:
        """Interval around a quantile, widened from the mean by standard deviations."""
        start, step = self.mean(), sign * self.std()
        if surplus(start) < 0:  # the quantile is on the other side of the mean
            step = -step
        wanted = surplus(start) > 0
        while True:
            end = min(max(start + step, least), most)
            if (surplus(end) > 0) != wanted or end in (least, most):
                return min(start, end), max(start, end)
            start, step = end, 2 * step

    def _beyond(self, value: float) -> float:
        """Return what leaves out `value` itself, whatever rounding does to it."""
        return value + 3 * slack_at(self._terms, value)

    def _tail(
        self,
        statistic: float,
        sign: int,
        method: str = "auto",
        size: int | None = None,
        generator: np.random.Generator | None = None,
    ) -> TailProbability:
        """Ask one engine; "auto" takes the most accurate that is feasible."""
        if method == "normal":
            tail = _normal.tail(*self._moments, statistic, sign)
            return TailProbability(*tail, method)
        atoms = self._atoms if method in ("auto", "enumeration") else None
        if atoms is None and method == "enumeration":
            atoms = _enumeration.law(self._terms)
        if atoms is not None:
            tail = atoms.tail(statistic, sign, slack_at(self._terms, statistic))
            return TailProbability(*tail, "enumeration")
        question = None
        if method != "enumeration":
            question = ask(self._terms, statistic, sign)
        if question is None:
            return self._without_question(statistic, sign, method, generator)
        known = self._at_the_ends(statistic, sign)
        if known is not None:
            named = "enumeration" if method == "auto" else method
            return TailProbability(*known, named)
        return self._ask(question, statistic, sign, method, size, generator)

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
        solution = self._solve(question, statistic)
        if method == "saddlepoint":
            return TailProbability(*_saddlepoint.tail(solution), method)
        if method in ("auto", "inversion"):
            tail = _inversion.tail(solution)
            if method == "inversion" or (tail.error or 0.0) <= _ACCURATE:
                return TailProbability(*tail, "inversion")
        if method in ("auto", "grid") and len(question.parts) == 1:
            bounded = _grid.tail(question, _saddlepoint.tail(solution).log_p)
            if bounded is not None and (method == "grid" or _is_tight(bounded)):
                return TailProbability(*bounded, "grid")
        if method == "grid":
            raise self._refusal(statistic, method)
        tail = self._tilted(solution, statistic, sign, size, generator)
        return TailProbability(*tail, "tilted")

    def _tilted(
        self,
        solution: Solution,
        statistic: float,
        sign: int,
        size: int | None,
        generator: np.random.Generator | None,
    ) -> Tail:
        """Draw as many as asked for, or until the standard error is small enough."""
        generator = generator or np.random.default_rng()
        args = solution, self._terms, statistic, sign
        if size is not None:
            return _sampling.tilted_tail(*args, size, generator)
        size = _DRAWS
        while True:
            tail = _sampling.tilted_tail(*args, size, generator)
            if (tail.error or 0.0) <= _ACCURATE or size >= _MAX_DRAWS:
                return tail
            size *= 4

    def _solve(self, question: Question, statistic: float) -> Solution:
        """Find the tilt, on the full chains where the rough ones do not reach."""
        least, most = self._rough_ends
        if least < statistic < most:
            return solve(question, [part.chain.rough for part in question.parts])
        return solve(question, [part.chain.coarse for part in question.parts])

    def _at_the_ends(self, statistic: float, sign: int) -> Tail | None:
        """Exact answer at an end of the support, and beyond it."""
        least, most = self._rough_ends
        if least < statistic < most:
            return None
        slack = slack_at(self._terms, statistic)
        ends = [(sign * value, log_p) for value, log_p in self._ends]
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
            self._terms, 10 * _DRAWS, generator or np.random.default_rng()
        )
        slack = slack_at(self._terms, statistic)
        tail = _sampling.tail(draws, statistic, sign, slack)
        return TailProbability(*tail, "monte_carlo")

    def _refusal(self, statistic: float, method: str) -> ValueError:
        msg = (
            f"`method` must not be {method!r} for a law this large or a "
            f"probability this small; got {self!r} at {statistic:.4g}."
        )
        return ValueError(msg)


class RandomSelectionNull(_Law):
    """Law of a metric when the targets are spread over the list at random.

    The scores, and with them the tie groups, stay as they are; the labels of
    `n_targets` targets fall on the `n_samples` items uniformly at random. Its methods
    are named and meant as those of the distributions in :mod:`scipy.stats`.

    Parameters
    ----------
    n_samples : int
        Number of items in the list.
    n_targets : int
        Number of targets among them, from 1 to ``n_samples - 1``.
    metric : {"average_precision", "average_precision_at_k", "recall_at_t", \
            "precision_at_t", "reciprocal_rank", "enrichment_factor", "rie", \
            "bedroc"}, default="average_precision"
        The metric function whose law this is.
    tie_sizes : array-like of shape (n_groups,), dtype=int, default=None
        Sizes of the tie groups, best first; they sum to `n_samples`. None: no ties.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    k, t : int or float, default=None
        Cut-off of the metrics at k and at t.
    alpha : float, default=None
        Weight of the top in "rie" and "bedroc"; None is their default.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of average precision at k.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    See Also
    --------
    RandomSelectionTest : Builds it from the scores of a ranking.

    Examples
    --------
    What average precision does luck give with 20 targets among 1000 items, and what
    does it take to beat it at the level of 1 %?

    >>> from skrank import RandomSelectionNull
    >>> law = RandomSelectionNull(1000, 20)
    >>> print(f"{law.mean():.4f} +- {law.std():.4f}, critical {law.isf(0.01):.4f}")
    0.0264 +- 0.0114, critical 0.0760

    It is above the prevalence of 0.02, and far from normal: a list five standard
    deviations above the mean turns up by chance once in some 170 lists, not once in
    three million.

    >>> print(f"{law.pvalue(law.mean() + 5 * law.std()):.3f}")
    0.006
    """

    def __init__(
        self,
        n_samples: int,
        n_targets: int,
        metric: str = "average_precision",
        *,
        tie_sizes: ArrayLike | None = None,
        ties: str = "expected",
        k: float | None = None,
        t: float | None = None,
        alpha: float | None = None,
        normalize: str = "min",
    ) -> None:
        self.n_samples = check_count("n_samples", n_samples, least=2)
        self.n_targets = check_count("n_targets", n_targets, least=1)
        if n_targets >= n_samples:
            msg = (
                "`n_targets` must leave items that are not targets; "
                f"got {n_targets} targets among {n_samples} items."
            )
            raise ValueError(msg)
        measure = make_measure(
            metric, k=k, t=t, alpha=alpha, normalize=normalize, ties=ties
        )
        groups = TieGroups(_check_sizes(tie_sizes, self.n_samples))
        self._terms = (Term(Chain(measure, groups, self.n_targets), 1.0, 1),)

    def __repr__(self) -> str:
        """Name the metric and the size of the list."""
        name = self._terms[0].chain.measure.name
        return f"<RandomSelectionNull of {name}: {self.n_targets} of {self.n_samples}>"


class MeanNull(_Law):
    """Law of the mean of a metric over independent lists, as folds or queries.

    The labels of each list are spread over that list at random, independently of the
    others, so that means, variances and cumulant generating functions add.

    Parameters
    ----------
    nulls : sequence of RandomSelectionNull
        Laws of the lists.

    Raises
    ------
    ValueError
        If there is no list.

    See Also
    --------
    RandomSelectionNull : Law of one list.

    Examples
    --------
    Chance is higher on short lists: five folds of 200 items with 4 targets each, and
    the 1000 items with their 20 targets in one list.

    >>> from skrank import RandomSelectionNull
    >>> from skrank.null import MeanNull
    >>> folds = MeanNull([RandomSelectionNull(200, 4)] * 5)
    >>> print(f"{folds.mean():.4f}, {RandomSelectionNull(1000, 20).mean():.4f}")
    0.0439, 0.0264
    """

    def __init__(self, nulls: Sequence[RandomSelectionNull]) -> None:
        if len(nulls) == 0:
            msg = "`nulls` must hold the law of at least one list; got none."
            raise ValueError(msg)
        self.nulls = tuple(nulls)
        self._terms = _alike([null._terms[0].chain for null in nulls])

    def __repr__(self) -> str:
        """Name the metric and the number of lists."""
        name = self._terms[0].chain.measure.name
        return f"<MeanNull of {name}: {len(self.nulls)} lists>"


def _alike(chains: list[Chain]) -> tuple[Term, ...]:
    """Count lists of one shape together: their laws are the same."""
    found: dict[Any, list[Chain]] = {}
    for chain in chains:
        key = (chain.measure, chain.n_samples, chain.n_targets, chain.ends.tobytes())
        found.setdefault(key, []).append(chain)
    weight = 1 / len(chains)
    return tuple(Term(same[0], weight, len(same)) for same in found.values())


def _is_tight(tail: Tail) -> bool:
    """Whether the bounds leave no more doubt than "auto" promises."""
    assert tail.log_bounds is not None
    lower, upper = tail.log_bounds
    return upper - lower <= _TIGHT


def _twice_the_smaller(one: TailProbability, other: TailProbability) -> TailProbability:
    """Join the two tails of a two-sided test."""
    smaller = min(one, other, key=lambda tail: tail.log_pvalue)
    bounds = None
    if one.log_bounds is not None and other.log_bounds is not None:
        lower, upper = (
            min(0.0, min(pair) + math.log(2))
            for pair in zip(one.log_bounds, other.log_bounds, strict=True)
        )
        bounds = (lower, upper)
    log_p = min(0.0, smaller.log_pvalue + math.log(2))
    return TailProbability(log_p, bounds, smaller.error, smaller.method)


def _check_sizes(tie_sizes: ArrayLike | None, n_samples: int) -> NDArray[np.intp]:
    """Turn the sizes of the tie groups into the depths they end at."""
    if tie_sizes is None:
        return np.arange(1, n_samples + 1)
    sizes = np.asarray(tie_sizes)
    valid = sizes.ndim == 1 and sizes.dtype.kind in "iu" and sizes.size > 0
    if not valid or sizes.min() < 1 or sizes.sum() != n_samples:
        msg = (
            "`tie_sizes` must be positive ints that sum to `n_samples`; "
            f"got {tie_sizes!r} for {n_samples} items."
        )
        raise ValueError(msg)
    return np.cumsum(sizes)
