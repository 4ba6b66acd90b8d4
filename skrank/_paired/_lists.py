"""Two rankings on several lists, which are a sample of lists to come.

What comes in is one difference for each list, of the values of A and of B; the items
are not seen. The tests are those that Yeh (2000) considers.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import permutation_test, rankdata, sem, wilcoxon

from skrank._paired._evidence import Evidence, from_error, join_tails, sign_test

Values = NDArray[np.float64]

# Lists whose signs are few enough to go through.
_FEW = 13


def paired_t(differences: Values, alternative: str) -> Evidence:
    """Student's t of the differences."""
    error = float(sem(differences))
    freedom = differences.size - 1
    return from_error(float(differences.mean()), error, alternative, freedom)


def sign(differences: Values, alternative: str) -> Evidence:
    """On how many lists each is better; those without a winner do not count."""
    wins_a, wins_b = int((differences > 0).sum()), int((differences < 0).sum())
    return Evidence(math.nan, *sign_test(wins_a, wins_b, alternative))


def signed_rank(differences: Values, alternative: str) -> Evidence:
    """Wilcoxon's signed ranks of the differences other than 0."""
    moved = differences[differences != 0]
    if not moved.size:
        return Evidence(math.nan, 0.0, 0.0)
    ranks = np.sign(moved) * rankdata(np.abs(moved))
    z = float(ranks.sum() / np.linalg.norm(ranks))
    greater, less = (_rank_tail(ranks, side) for side in ("greater", "less"))
    return Evidence(math.nan, z, join_tails(greater, less, alternative))


def _rank_tail(ranks: Values, side: Any) -> float:
    """Logarithm of the p-value of signed ranks.

    Ranks without ties have SciPy's law, exact up to 50 lists. Few with ties go through
    all their signs, which older versions of SciPy do not do by themselves.
    """
    tied = np.unique(np.abs(ranks)).size < ranks.size
    if tied and ranks.size <= _FEW:
        signs = {"permutation_type": "samples", "n_resamples": 2**_FEW}
        found = permutation_test((ranks,), np.sum, alternative=side, **signs)
        return math.log(found.pvalue)
    law: Any = "approx" if tied else "auto"
    return math.log(wilcoxon(ranks, alternative=side, method=law).pvalue)


LIST_TESTS = {"paired_t": paired_t, "sign": sign, "wilcoxon": signed_rank}
