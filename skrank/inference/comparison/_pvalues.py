"""Result of a method for the difference of two rankings, and its p-value.

The methods differ in what varies: items, labels or data sets. All return a
`PairedResult`.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta, norm, t

from skrank._utils._rounding import ROUNDING
from skrank._utils._warnings import warn


class PairedResult(NamedTuple):
    """Result of a method for a difference; NaN for what the method does not have."""

    standard_error: float
    zscore: float
    log_pvalue: float
    probability_superior: float = math.nan
    degrees_of_freedom: float = math.inf
    is_limit: bool = False  # whether more draws may give a smaller p-value


def from_error(
    difference: float,
    standard_error: float,
    scale: float,
    alternative: str,
    degrees_of_freedom: float = math.inf,
    others: Sequence[str] = (),
) -> PairedResult:
    """Compare a difference in standard errors with the normal distribution or with t.

    `scale` is the value of a perfect ranking; `others` are methods without a standard
    error, for the warning.
    """
    error = defined_error(difference, standard_error, scale, others)
    z = 0.0 if difference == 0 else difference / error
    tails = (log_tail(z, degrees_of_freedom), log_tail(-z, degrees_of_freedom))
    log_p = join_tails(*tails, alternative)
    return PairedResult(error, z, log_p, degrees_of_freedom=degrees_of_freedom)


def log_tail(z: float, degrees_of_freedom: float) -> float:
    """Logarithm of the probability of more than z, also if it underflows.

    In this case Student's t has the first term of its expansion, its density times (1 +
    z**2 / df) / z, whose relative error is of the order of 1 / z**2.
    """
    if math.isinf(degrees_of_freedom) or math.isnan(z):
        return float(norm.logsf(z))
    null = t(degrees_of_freedom)
    if z < 0 or null.sf(z) > 0:
        return float(null.logsf(z))
    return float(null.logpdf(z)) + math.log(z / degrees_of_freedom + 1 / z)


def defined_error(
    difference: float, standard_error: float, scale: float, others: Sequence[str] = ()
) -> float:
    """Return NaN for a standard error of 0, as other samples may differ, or of none.

    For a difference that is not 0 there is a warning, as it has no p-value either.
    """
    if standard_error > ROUNDING * scale:
        return standard_error
    if difference == 0:
        return math.nan
    advice = f" Methods without it are {' and '.join(map(repr, others))}."
    warn(
        "The standard error of the difference is undefined, and so are the results "
        "that depend on it: the differences do not vary, or there are too few data "
        f"to estimate it.{advice if others else ''}"
    )
    return math.nan


def join_tails(log_greater: float, log_less: float, alternative: str) -> float:
    """Logarithm of the p-value from the logarithms of both tails."""
    one_sided = {"greater": log_greater, "less": log_less}
    twice = math.log(2) + min(log_greater, log_less)
    return float(one_sided.get(alternative, min(twice, 0.0)))


def sign_test(
    difference: float, wins_a: float, wins_b: float, alternative: str
) -> tuple[float, float]:
    """z-score and logarithm of the exact p-value of wins, which may be fractions.

    P(X >= a) for X binomial(a + b, 1/2) is P(U <= 1/2) for U beta(a, b + 1), which is
    also defined for fractions.
    """
    wins = wins_a + wins_b
    z = difference / math.sqrt(wins) if wins > 0 else 0.0
    tails = (
        log_below_half(wins_a, wins_b + 1) if wins_a > 0 else 0.0,
        log_below_half(wins_b, wins_a + 1) if wins_b > 0 else 0.0,
    )
    return z, join_tails(*tails, alternative)


def log_below_half(a: float, b: float) -> float:
    """Logarithm of P(U < 1/2) for U beta(a, b); minus infinity if P underflows."""
    with np.errstate(divide="ignore"):
        return float(np.log(beta.cdf(0.5, a, b)))


def adjust_holm(log10_pvalues: ArrayLike) -> NDArray[np.float64]:
    """Adjust logarithms of p-values by the step-down method of Holm (1979).

    Each p-value is multiplied by the number of p-values that are not below it, and is
    at least the adjusted value of those below. Undefined p-values stay undefined, and
    count among the tests.
    """
    log_p = np.asarray(log10_pvalues, dtype=float)
    order = np.argsort(log_p, kind="stable")  # NaN is sorted last
    factors = np.log10(np.arange(log_p.size, 0, -1))
    adjusted = np.empty_like(log_p)
    adjusted[order] = np.minimum(np.maximum.accumulate(log_p[order] + factors), 0.0)
    return adjusted
