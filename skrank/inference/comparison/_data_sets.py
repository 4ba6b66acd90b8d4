"""Comparison of two rankings on several data sets.

The tests by signs and ranks of the differences are those of Yeh (2000).
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from skrank._utils._rounding import levels
from skrank.inference.comparison._pvalues import (
    PairedResult,
    join_tails,
    sign_test,
)

Floats = NDArray[np.float64]


def sign(differences: Floats, scales: Floats, alternative: str) -> PairedResult:
    """Sign test by the data sets on which each is better; ties are left out."""
    wins_a, wins_b = int((differences > 0).sum()), int((differences < 0).sum())
    return PairedResult(
        math.nan, *sign_test(wins_a - wins_b, wins_a, wins_b, alternative)
    )


def signed_rank(differences: Floats, scales: Floats, alternative: str) -> PairedResult:
    """Wilcoxon's signed-rank test of the differences other than 0.

    `scales` are the values of perfect rankings.
    """
    moved = differences != 0
    differences, scales = differences[moved], scales[moved]
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


SIGN_TESTS = {"sign": sign, "wilcoxon": signed_rank}
