"""Comparison of two rankings on several data sets.

The input is the values of A and of B on each data set. The tests of independent data
sets are those of Yeh (2000). The test of folds has the corrected variance of Nadeau and
Bengio (2003).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from skrank._utils._rounding import levels
from skrank.inference._paired._pair import PairedValues
from skrank.inference._paired._paired_result import (
    PairedResult,
    from_error,
    join_tails,
    sign_test,
)
from skrank.inference._variability._folds import corrected_error


def paired_t(found: PairedValues, alternative: str) -> PairedResult:
    """Student's t test of the differences on independent data sets."""
    return _student(found, 0.0, alternative, ("sign", "wilcoxon"))


def sign(found: PairedValues, alternative: str) -> PairedResult:
    """Sign test by the data sets on which each is better; ties are left out."""
    differences = found.differences
    wins_a, wins_b = int((differences > 0).sum()), int((differences < 0).sum())
    return PairedResult(
        math.nan, *sign_test(wins_a - wins_b, wins_a, wins_b, alternative)
    )


def signed_rank(found: PairedValues, alternative: str) -> PairedResult:
    """Wilcoxon's signed-rank test of the differences other than 0."""
    moved = found.differences != 0
    differences, scales = found.differences[moved], found.scales[moved]
    ranks = np.sign(differences) * rankdata(levels(np.abs(differences), scales))
    if not ranks.size:
        return PairedResult(math.nan, 0.0, 0.0)
    z = float(ranks.sum() / np.linalg.norm(ranks))
    tails = (float(norm.logsf(z)), float(norm.logcdf(z)))
    # exact up to 500 differences, 0.2 s; 1,000 take 3 s, and with them the logarithm of
    # a tail of 3e-4 differs from that of the normal distribution by .02
    if ranks.size <= 500:
        tails = _exact_tails(ranks)
    return PairedResult(math.nan, z, join_tails(*tails, alternative))


def _exact_tails(ranks: NDArray[np.float64]) -> tuple[float, float]:
    """Return the logarithms of P(W >= w) and P(W <= w), W the sum of positive ranks.

    Each sign is positive with probability 1/2. Twice a mid-rank is a whole number, so
    the distribution of W is over whole numbers, with or without ties.
    """
    twice = np.rint(2 * np.abs(ranks)).astype(int)
    chance = np.zeros(twice.sum() + 1)
    chance[0] = 1.0
    for step in twice:
        moved = np.concatenate([np.zeros(step), chance[:-step]])
        chance = (chance + moved) / 2
    at = twice[ranks > 0].sum()
    return float(np.log(chance[at:].sum())), float(np.log(chance[: at + 1].sum()))


def corrected_t(found: PairedValues, ratio: float, alternative: str) -> PairedResult:
    """Student's t test of the differences on folds, with a corrected variance.

    `ratio` is the number of held-out items for each item that a model is fitted to.
    """
    return _student(found, ratio, alternative)


def _student(
    found: PairedValues, ratio: float, alternative: str, others: Sequence[str] = ()
) -> PairedResult:
    error, freedom = corrected_error(found.differences, ratio), found.scales.size - 1
    return from_error(
        found.difference, error, found.scale, alternative, freedom, others
    )


DATA_SET_TESTS = {"paired_t": paired_t, "sign": sign, "wilcoxon": signed_rank}
