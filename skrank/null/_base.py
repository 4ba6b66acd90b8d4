"""Base class of null distributions. The methods have the names of ``scipy.stats``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_count,
    check_generator,
    check_number,
    check_option,
    invalid,
)
from skrank._utils._columns import check_numbers
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.null import _sampling, _walk
from skrank.null._quantile import Shape, search_quantile
from skrank.null._tail import (
    ALTERNATIVES,
    METHODS,
    NullProperties,
    TailProbability,
    TailQuery,
)
from skrank.null._tilted import Term

# A relative error above this, and above what is sufficient, gives a warning.
_DOUBTFUL = 0.05
_SMALLER = math.log(0.4)  # a tail below this is the smaller one, despite its error
# Cells of all rankings that are followed in two seconds: with twice as many, a mean
# over 30 rankings with "optimistic" ties takes five.
_MUCH_WORK = 2**20
_Floats = NDArray[np.float64]


class NullDistribution:
    """Distribution of the mean value of one ranking or of several.

    S is the mean over independent rankings. If the rankings may be dependent, the
    deviation of S from its mean is multiplied by `inflation`, up to the possible
    values.
    """

    _terms: tuple[Term, ...]
    inflation = 1.0

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of a pickle what can be computed again."""
        return {k: v for k, v in self.__dict__.items() if k != "_properties"}

    @property
    def metric(self) -> str:
        """Name of the metric with its cutoff.

        Returns
        -------
        metric : str
            Name as in the results of :class:`skrank.RandomSelectionTest`.
        """
        return self._terms[0].chain.metric.name

    def mean(self) -> float:
        """Return the mean, which is the chance level of the metric.

        The mean is exact up to rounding. For very long rankings its relative error is
        at most 10**-5.

        Returns
        -------
        mean : float
            Mean of the metric under random selection.
        """
        return self._properties.moments[0]

    def std(self) -> float:
        """Return the standard deviation under random selection.

        It is exact up to rounding. For very long rankings its relative error is at most
        10**-3.

        Returns
        -------
        std : float
            Standard deviation of the metric. It is 0.0 if the ties allow only a single
            value.
        """
        return self.inflation * math.sqrt(self._properties.moments[1])

    def var(self) -> float:
        """Return the variance, the square of :meth:`std`.

        Returns
        -------
        var : float
            Variance of the metric.
        """
        return self.std() ** 2

    def median(self) -> float:
        """Return the median, the smallest value with a :meth:`cdf` of at least 1/2.

        Returns
        -------
        median : float
            Median of the metric. It is below the mean for most metrics.
        """
        return float(self.ppf(0.5))

    def interval(self, confidence: ArrayLike) -> tuple[Any, Any]:
        """Return a range with equal tails, as SciPy does.

        Parameters
        ----------
        confidence : array-like
            Probabilities of ranges, in [0, 1].

        Returns
        -------
        low, high : float or ndarray of the shape of `confidence`
            Quantiles at ``(1 - confidence) / 2`` and ``(1 + confidence) / 2``. The
            probability of values beyond each limit is at most ``(1 - confidence) / 2``.

        Raises
        ------
        ValueError
            If a probability is outside [0, 1].
        """
        level = _check_probabilities("confidence", confidence)
        return self.ppf((1 - level) / 2), self.ppf((1 + level) / 2)

    @property
    def is_quick(self) -> bool:
        """Whether a tail probability takes at most about two seconds.

        Returns
        -------
        is_quick : bool
            False if the tie rule is "optimistic" or "pessimistic" and all rankings
            together have more than some thousand ties that must be processed one by
            one, or more than about ten ties with many targets each. Also False for many
            different rankings with many targets.
        """
        return sum(_walk.work(term.chain) for term in self._terms) <= _MUCH_WORK

    def support(self) -> tuple[float, float]:
        """Return the smallest and the largest possible value.

        Returns
        -------
        least, largest : float
            Ends of the support. Both values can occur.
        """
        return self._properties.end(-1)[0], self._properties.end(1)[0]

    def sf(self, x: ArrayLike) -> Any:
        """Return the probability of a value above `x`, the survival function.

        Parameters
        ----------
        x : array-like
            Values of the metric.

        Returns
        -------
        sf : float or ndarray of the shape of `x`
            ``P(S > x)``. For ``P(S >= x)`` use :meth:`pvalue`.
        """
        return np.exp(self.logsf(x))[()]

    def logsf(self, x: ArrayLike) -> Any:
        """Return the natural logarithm of the survival function.

        Parameters
        ----------
        x : array-like
            Values of the metric.

        Returns
        -------
        logsf : float or ndarray of the shape of `x`
            ``log P(S > x)``, which does not underflow.
        """
        return self._each(x, lambda value: self._log_tail(value, 1))

    def cdf(self, x: ArrayLike) -> Any:
        """Return the probability of a value of at most `x`.

        Parameters
        ----------
        x : array-like
            Values of the metric.

        Returns
        -------
        cdf : float or ndarray of the shape of `x`
            ``P(S <= x)``.
        """
        return np.exp(self.logcdf(x))[()]

    def logcdf(self, x: ArrayLike) -> Any:
        """Return the natural logarithm of :meth:`cdf`.

        Parameters
        ----------
        x : array-like
            Values of the metric.

        Returns
        -------
        logcdf : float or ndarray of the shape of `x`
            ``log P(S <= x)``, which does not underflow.
        """
        return self._each(x, lambda value: self._log_tail(value, -1))

    def ppf(self, q: ArrayLike) -> Any:
        """Return quantiles, the inverse of :meth:`cdf`.

        Parameters
        ----------
        q : array-like
            Probabilities in [0, 1].

        Returns
        -------
        x : float or ndarray of the shape of `q`
            Smallest values with ``cdf(x) >= q``. Minus infinity for ``q = 0``, because
            SciPy's discrete distributions return a value below the support.

        Raises
        ------
        ValueError
            If a probability is outside [0, 1].
        """
        return self._quantiles(q, -1)

    def isf(self, q: ArrayLike) -> Any:
        """Return critical values, the inverse of :meth:`sf`.

        Parameters
        ----------
        q : array-like
            Probabilities in [0, 1].

        Returns
        -------
        x : float or ndarray of the shape of `q`
            Smallest values with ``sf(x) <= q``; minus infinity for ``q = 1``. Values
            above these are significantly better than chance at the level q.

        Raises
        ------
        ValueError
            If a probability is outside [0, 1].
        """
        return self._quantiles(q, 1)

    def pmf(self, x: ArrayLike) -> Any:
        """Return the probability of the value `x`, as for a discrete distribution.

        Parameters
        ----------
        x : array-like
            Values of the metric. Values that differ only by rounding are equal.

        Returns
        -------
        pmf : float or ndarray of the shape of `x`
            ``P(S = x)``.

        Raises
        ------
        ValueError
            If the number of values is too large to compute single probabilities. Use
            :meth:`cdf` then.
        """
        return np.exp(self.logpmf(x))[()]

    def logpmf(self, x: ArrayLike) -> Any:
        """Return the natural logarithm of :meth:`pmf`.

        Parameters
        ----------
        x : array-like
            Values of the metric.

        Returns
        -------
        logpmf : float or ndarray of the shape of `x`
            ``log P(S = x)``, which does not underflow.

        Raises
        ------
        ValueError
            As for :meth:`pmf`.
        """
        return self._each(x, self._log_mass)

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
            Values that count as more extreme: ``P(S >= s)``, ``P(S <= s)``, or twice
            the smaller of the two.
        method : {"auto", "exact", "inversion", "importance_sampling", \
                "monte_carlo", "normal"}, default="auto"
            Method of the p-value, as in :class:`skrank.RandomSelectionTest`.

        Returns
        -------
        pvalue : float or ndarray of the shape of `statistic`
            Probabilities in [0, 1]. NaN for NaN.
        """
        least, most = self.support()
        below, above = 2 * least - most - 1, 2 * most - least + 1

        def one(value: float) -> float:
            value = min(max(below, value), above)  # an infinite value, too
            return self.tail(value, alternative=alternative, method=method).pvalue

        return self._each(statistic, one, name="statistic")

    def tail(
        self,
        statistic: float,
        *,
        alternative: str = "greater",
        method: str = "auto",
        n_resamples: int = 9999,
        random_state: object = 0,
        progress: bool = False,
    ) -> TailProbability:
        """Return the logarithm of the p-value, with its error and its method.

        Parameters
        ----------
        statistic : float
            Value of the metric.
        alternative : {"greater", "less", "two-sided"}, default="greater"
            Values that count as more extreme.
        method : {"auto", "exact", "inversion", "importance_sampling", \
                "monte_carlo", "normal"}, default="auto"
            Method of the p-value, as in :class:`skrank.RandomSelectionTest`.
        n_resamples : int, default=9999
            Number of rankings that "monte_carlo" and "importance_sampling" draw.
        random_state : int, RandomState, Generator or None, default=0
            Source of randomness of the methods that draw. With None, each call draws
            anew.
        progress : bool, default=False
            Whether to show the method that "auto" is trying; needs tqdm.

        Returns
        -------
        tail : TailProbability
            Named tuple of `log_pvalue`, `log_bounds`, `error` and `method`.
        """
        statistic = check_number("statistic", statistic)
        check_option("alternative", alternative, ALTERNATIVES)
        check_option("method", method, METHODS)
        size = check_count("n_resamples", n_resamples, least=1)
        signs = {"greater": (1,), "less": (-1,)}.get(alternative, (1, -1))
        if statistic < self._properties.moments[0]:  # the closer side first
            signs = signs[::-1]
        found, alone = [], not self._properties.is_asked
        self._properties.is_asked = True
        for sign in signs:
            inner = self._inner(statistic, sign)
            source = check_generator(random_state)
            named = size if method != "auto" else None
            null = self._properties
            query = TailQuery(null, inner, sign, named, source, progress, alone=alone)
            found.append(query.best() if method == "auto" else query.named(method))
            if method != "monte_carlo" and found[-1].log_pvalue < _SMALLER:
                break
        tail = _twice(found) if alternative == "two-sided" else found[0]
        if method != "monte_carlo":  # an error of Monte Carlo is expected
            _warn_of_doubt(tail)
        return tail

    def rvs(
        self, size: int | Sequence[int] | None = None, random_state: object = None
    ) -> Any:
        """Draw values of the metric under random selection.

        Parameters
        ----------
        size : int, sequence of int or None, default=None
            Number of values to draw, or the shape of the array. None draws one number.
        random_state : int, RandomState, Generator or None, default=None
            Source of randomness of the draws. With None, each call draws anew.

        Returns
        -------
        values : float, or ndarray of shape (size,) or of the shape `size`
            Independent draws of the metric.
        """
        given = () if size is None else size if isinstance(size, Sequence) else (size,)
        shape = tuple(check_count("size", number, least=0) for number in given)
        generator = check_generator(random_state)
        if math.prod(shape) == 0:
            return np.zeros(shape)
        drawn = _sampling.draw(self._terms, math.prod(shape), generator)
        return np.asarray(self._outer(drawn)).reshape(shape)[()]

    @cached_property
    def _properties(self) -> NullProperties:
        return NullProperties(self._terms)

    def _inner(self, x: float, sign: int) -> float:
        """Return the value of S that corresponds to the value x of the distribution.

        A value that cannot be exceeded is reached by the whole distribution beyond it.
        """
        if self.inflation == 1.0:
            return x
        slack, (least, most) = self._properties.slack(x), self.support()
        nearest, furthest = (least, most) if sign > 0 else (-most, -least)
        if not nearest + slack < sign * x <= furthest + slack:
            return x
        mean = self.mean()
        return mean + (x - mean) / self.inflation

    def _outer(self, values: Any) -> Any:
        """Return values of the distribution from values of S."""
        if self.inflation == 1.0:
            return values
        mean = self.mean()
        return np.clip(mean + self.inflation * (values - mean), *self.support())[()]

    def _each(
        self, x: ArrayLike, function: Callable[[float], float], name: str = "x"
    ) -> Any:
        """Apply a function of one number to an array, once for equal numbers.

        The result for NaN is NaN, as by SciPy.
        """
        numbers = check_numbers(name, x, finite=False)
        distinct, where = np.unique(numbers, return_inverse=True)
        found = np.array(
            [math.nan if x != x else function(x) for x in distinct.tolist()]
        )
        return found[where].reshape(numbers.shape)[()]

    def _quantiles(self, q: ArrayLike, sign: int) -> Any:
        """Quantiles of an array of probabilities."""
        levels = _check_probabilities("q", q)
        return self._each(levels, lambda value: self._quantile(value, sign), name="q")

    def _quantile(self, q: float, sign: int) -> float:
        """Least value with P(S > value) <= q, or P(S <= value) >= q for sign -1.

        One tail is at most q if the other one is at least 1 - q, so the search uses the
        smaller probability. Rounding must not skip a value with the probability.
        """
        if q == (0.0 if sign < 0 else 1.0):
            return -math.inf
        small, rounding = min(q, 1 - q), 1e-12 * min(q, 1 - q)
        if q > 0.5:
            sign, rounding = -sign, rounding + min(small, 2.0**-53)
        wanted = small + sign * rounding
        log_p = math.log(wanted) if wanted > 0 else -math.inf
        if self._properties.atoms is not None:
            return float(self._outer(self._properties.atoms.quantile(log_p, sign)))
        return float(self._outer(self._search(log_p, sign)))

    def _search(self, log_p: float, sign: int) -> float:
        """Return `_quantile` of a smooth distribution; it may be an end."""
        (least, _), (most, log_most) = self._properties.end(-1), self._properties.end(1)
        if self._tail_of(least, sign).log_pvalue * sign <= log_p * sign:
            return least
        # the probability of the largest value does not belong to its neighbours
        if sign > 0 and log_most > log_p:
            return most
        shape = Shape(least, most, self.mean(), self.std())
        return search_quantile(partial(self._tail_of, sign=sign), shape, log_p, sign)

    def _log_tail(self, x: float, sign: int) -> float:
        """Logarithm of P(S > x), or of P(S <= x) for sign -1."""
        if math.isinf(x):
            return 0.0 if sign * x < 0 else -math.inf
        inside = self._inner(x, -1)  # from the probability of at most x, and the rest
        tail = self._tail_of(inside, sign)
        _warn_of_doubt(tail)
        return tail.log_pvalue

    def _log_mass(self, x: float) -> float:
        """Logarithm of P(S = x)."""
        if math.isinf(x):
            return -math.inf
        inside = self._inner(x, -1)
        sign = 1 if inside > self._properties.moments[0] else -1
        return TailQuery(self._properties, inside, sign).log_mass()

    def _tail_of(self, x: float, sign: int) -> TailProbability:
        """Tail above x, or up to x for sign -1."""
        below = TailQuery(self._properties, x, -1)
        return (below.other if sign > 0 else below).best()


def _check_probabilities(name: str, values: ArrayLike) -> _Floats:
    """Check that an argument holds probabilities; NaN is allowed."""
    numbers = check_numbers(name, values, finite=False)
    if np.any((numbers < 0) | (numbers > 1)):
        raise invalid(name, "be a probability between 0 and 1", brief(values))
    return numbers


def _warn_of_doubt(tail: TailProbability) -> None:
    """Warn if a probability is not accurate enough."""
    enough = max(_DOUBTFUL, _walk.tolerance(tail.log_pvalue))
    if tail.doubt <= enough or (tail.log_bounds is None and tail.error is None):
        return
    if tail.log_bounds is None:
        known = f"with a relative error of {tail.error:.0%} only"
    else:
        lower, upper = (math.exp(bound) for bound in tail.log_bounds)
        known = f"to be at least {lower:.2g}, and at most {upper:.2g}"
    exponent = tail.log_pvalue / math.log(10)
    msg = (
        f'The p-value is known {known} (method "{tail.method}"). The returned '
        f"value is 10 ** {exponent:.4g}."
    )
    warn(msg, RuntimeWarning)


def _twice(found: list[TailProbability]) -> TailProbability:
    """Two-sided tail from both sides, or from the one known to be smaller."""
    smaller = min(found, key=lambda tail: tail.log_pvalue)
    bounds = None
    pairs = [tail.log_bounds for tail in found if tail.log_bounds is not None]
    if len(pairs) == len(found):
        lower, upper = (
            min(0.0, min(ends) + math.log(2)) for ends in zip(*pairs, strict=True)
        )
        bounds = (lower, upper)
    log_p = min(0.0, smaller.log_pvalue + math.log(2))
    return TailProbability(log_p, bounds, smaller.error, smaller.method)
