"""The law of a measure under random selection, as one object.

The engines answer one question, the logarithm of a tail probability; this is where a
method is chosen and where all of them look the same from outside.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._measures import make_measure
from skrank._validation import check_count, check_generator, check_number, check_option
from skrank.null import _enumeration, _grid, _normal, _saddlepoint, _sampling
from skrank.null._chain import Chain, Tail, TieGroups, twice_the_smaller
from skrank.null._moments import moments

METHODS = ("auto", "enumeration", "grid", "saddlepoint", "monte_carlo", "normal")
ALTERNATIVES = ("greater", "less", "two-sided")


class RandomSelectionNull:
    """Law of a metric when the targets are spread over the list at random.

    The scores, and with them the tie groups, stay as they are; the labels of
    `n_targets` targets fall on the `n_samples` items uniformly at random.

    Parameters
    ----------
    n_samples : int
        Number of items in the list.
    n_targets : int
        Number of targets among them, from 1 to ``n_samples - 1``.
    metric : {"average_precision", "average_precision_at_k", "recall_at_t", \
            "precision_at_t"}, default="average_precision"
        The metric function whose law this is.
    tie_sizes : array-like of shape (n_groups,), dtype=int, default=None
        Sizes of the tie groups, best first; they sum to `n_samples`. None: no ties.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    k, t : int or float, default=None
        Cut-off of the metrics at k and at t.
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of average precision at k.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    See Also
    --------
    skrank.RandomSelectionTest : Builds it from the scores of a ranking.

    Examples
    --------
    What average precision does luck give with 20 targets among 1000 items?

    >>> from skrank.null import RandomSelectionNull
    >>> law = RandomSelectionNull(1000, 20)
    >>> print(f"{law.mean():.4f} +- {law.std():.4f}")
    0.0264 +- 0.0114

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
        measure = make_measure(metric, k=k, t=t, normalize=normalize, ties=ties)
        groups = TieGroups(_check_sizes(tie_sizes, self.n_samples))
        self._chain = Chain(measure, groups, self.n_targets)

    def __repr__(self) -> str:
        """Name the metric and the size of the list."""
        name = self._chain.measure.name
        return f"<RandomSelectionNull of {name}: {self.n_targets} of {self.n_samples}>"

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return moments(self._chain)

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

    def pvalue(
        self, statistic: float, *, alternative: str = "greater", method: str = "auto"
    ) -> float:
        """Return the probability of a value at least as extreme.

        Parameters
        ----------
        statistic : float
            Value of the metric.
        alternative : {"greater", "less", "two-sided"}, default="greater"
            Which values are more extreme: ``P(S >= s)``, ``P(S <= s)``, or twice the
            smaller of the two.
        method : {"auto", "enumeration", "grid", "saddlepoint", "normal"}, \
                default="auto"
            See :class:`skrank.RandomSelectionTest`.

        Returns
        -------
        pvalue : float
            Probability in [0, 1].
        """
        check_option("method", method, tuple(m for m in METHODS if m != "monte_carlo"))
        log_p, *_ = self.log_pvalue(statistic, alternative=alternative, method=method)
        return math.exp(log_p)

    def log_pvalue(
        self,
        statistic: float,
        *,
        alternative: str = "greater",
        method: str = "auto",
        n_resamples: int = 9999,
        random_state: object = None,
    ) -> tuple[float, tuple[float, float] | None, str]:
        """Return the natural logarithm of the p-value, its bounds, and the method.

        Parameters
        ----------
        statistic : float
            Value of the metric.
        alternative : {"greater", "less", "two-sided"}, default="greater"
            Which values are more extreme.
        method : {"auto", "enumeration", "grid", "saddlepoint", "monte_carlo", \
                "normal"}, default="auto"
            See :class:`skrank.RandomSelectionTest`.
        n_resamples : int, default=9999
            Number of lists drawn by "monte_carlo".
        random_state : int, RandomState, Generator or None, default=None
            Source of randomness of "monte_carlo".

        Returns
        -------
        log_pvalue : float
            At most 0; minus infinity if the value cannot occur.
        log_bounds : tuple of float or None
            Logarithms of certified bounds, where the method gives them.
        method : str
            The method that was used.
        """
        statistic = check_number("statistic", statistic)
        check_option("alternative", alternative, ALTERNATIVES)
        signs = {"greater": (1,), "less": (-1,), "two-sided": (1, -1)}[alternative]
        draws = None
        if method == "monte_carlo":
            draws = self.rvs(n_resamples, random_state)
        found = [self._tail(statistic, sign, method, draws) for sign in signs]
        tail, method = min(found, key=lambda pair: pair[0].log_p)
        if alternative == "two-sided":
            tail = twice_the_smaller(*(pair[0] for pair in found))
        return tail.log_p, tail.log_bounds, method

    def rvs(self, size: int = 1, random_state: object = None) -> NDArray[np.float64]:
        """Draw values of the metric under random selection.

        Parameters
        ----------
        size : int, default=1
            Number of lists to draw.
        random_state : int, RandomState, Generator or None, default=None
            Source of randomness.

        Returns
        -------
        values : ndarray of shape (size,)
            One value for each list.
        """
        size = check_count("size", size, least=1)
        return _sampling.draw(self._chain, size, check_generator(random_state))

    def _tail(
        self, statistic: float, sign: int, method: str, draws: NDArray[Any] | None
    ) -> tuple[Tail, str]:
        """Ask one engine; "auto" takes the most accurate that is feasible."""
        check_option("method", method, METHODS)
        if draws is not None:
            return _sampling.tail(draws, statistic, sign), method
        if method == "normal":
            return _normal.tail(*self._moments, statistic, sign), method
        if method in ("auto", "enumeration"):
            tail = _enumeration.tail(self._chain, statistic, sign)
            if tail is not None:
                return tail, "enumeration"
        if method != "enumeration":
            guess = _saddlepoint.tail(self._chain, statistic, sign)
            if method == "saddlepoint":
                return guess, method
            tail = _grid.tail(self._chain, statistic, sign, guess)
            if tail is not None:
                return tail, "grid"
            if method == "auto":
                return guess, "saddlepoint"
        msg = (
            f"`method` must not be {method!r} for a law this large or a "
            f"probability this small; got {self!r} at {statistic:.4g}."
        )
        raise ValueError(msg)


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
