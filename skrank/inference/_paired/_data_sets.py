"""Two rankings on several data sets, which are a sample of data sets to come.

What comes in are the values of A and of B on each data set; the items are not seen. The
tests of independent data sets are those that Yeh (2000) considers; those of folds have
the corrected variance of Nadeau and Bengio (2003).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from scipy.stats import norm, rankdata

from skrank._utils._rounding import ROUNDING, levels
from skrank.inference._paired._pair import PairedValues
from skrank.inference._paired._paired_result import (
    PairedResult,
    from_error,
    join_tails,
    sign_test,
)
from skrank.inference._variability._folds import corrected_error

# Lists up to which the distribution of signed ranks is computed in full.
_FEW = 500


def paired_t(lists: PairedValues, alternative: str) -> PairedResult:
    """Student's t of the differences on data sets that share nothing."""
    return _student(lists, 0.0, alternative, ("sign", "wilcoxon"))


def sign(lists: PairedValues, alternative: str) -> PairedResult:
    """On how many data sets each is better; those without a winner do not count."""
    differences = lists.differences
    wins_a, wins_b = int((differences > 0).sum()), int((differences < 0).sum())
    return PairedResult(
        math.nan, *sign_test(wins_a - wins_b, wins_a, wins_b, alternative)
    )


def signed_rank(lists: PairedValues, alternative: str) -> PairedResult:
    """Wilcoxon's signed ranks of the differences other than 0."""
    ranks = _signed_ranks(lists)
    if not ranks.size:
        return PairedResult(math.nan, 0.0, 0.0)
    z = float(ranks.sum() / np.linalg.norm(ranks))
    tails = (float(norm.logsf(z)), float(norm.logcdf(z)))
    if ranks.size <= _FEW:
        tails = _exact_tails(ranks)
    return PairedResult(math.nan, z, join_tails(*tails, alternative))


def _signed_ranks(lists: PairedValues) -> NDArray[np.float64]:
    """Middle ranks of the sizes of the differences, with their signs; no zeros."""
    moved = lists.differences != 0
    found, scales = lists.differences[moved], lists.scales[moved]
    signs: NDArray[np.float64] = np.sign(found)
    return signs * rankdata(levels(np.abs(found), scales))


def _exact_tails(ranks: NDArray[np.float64]) -> tuple[float, float]:
    """Logarithms of P(W >= w) and P(W <= w), W the sum of the positive ranks.

    Each sign is positive with probability 1/2. Twice a middle rank is a whole number,
    so that the distribution of W is one over whole numbers, with or without ties.
    """
    twice = np.rint(2 * np.abs(ranks)).astype(int)
    chance = np.zeros(twice.sum() + 1)
    chance[0] = 1.0
    for step in twice:
        moved = np.concatenate([np.zeros(step), chance[:-step]])
        chance = (chance + moved) / 2
    at = twice[ranks > 0].sum()
    return float(np.log(chance[at:].sum())), float(np.log(chance[: at + 1].sum()))


def corrected_t(lists: PairedValues, ratio: float, alternative: str) -> PairedResult:
    """Student's t of the differences on folds, with a corrected variance.

    `ratio` is the number of items held out for each that a model is fitted to.
    """
    return _student(lists, ratio, alternative)


def _student(
    lists: PairedValues, ratio: float, alternative: str, others: Sequence[str] = ()
) -> PairedResult:
    error, freedom = corrected_error(lists.differences, ratio), lists.scales.size - 1
    return from_error(
        lists.difference, error, lists.scale, alternative, freedom, others
    )


def corrected_logit_t(
    lists: PairedValues, ratio: float, alternative: str
) -> PairedResult:
    """Return the same for the difference of the logits of the means.

    The means are shares of the value of perfect data sets; the slope of the logit there
    turns the values on the folds into their contributions. A mean without a logit, 0 or
    perfect, leaves the difference as it is.
    """
    plain = corrected_t(lists, ratio, alternative)
    shares = lists.values / lists.scales[:, None]
    mean = shares.mean(axis=0)
    if mean.min() < ROUNDING or mean.max() > 1 - ROUNDING or not plain.zscore:
        return plain
    moved = shares / (mean * (1 - mean))
    a, b = logit(mean).tolist()
    error = corrected_error(moved[:, 0] - moved[:, 1], ratio)
    found = from_error(a - b, error, 1.0, alternative, lists.scales.size - 1)
    return found._replace(standard_error=plain.standard_error)


LIST_TESTS = {"paired_t": paired_t, "sign": sign, "wilcoxon": signed_rank}
FOLD_TESTS = {"corrected_t": corrected_t, "corrected_logit_t": corrected_logit_t}
