"""Two rankings on several lists, which are a sample of lists to come.

What comes in is one difference for each list, of the values of A and of B; the items
are not seen. The tests are those that Yeh (2000) considers.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, sem, wilcoxon

from skrank._paired._evidence import Evidence, from_error, join_tails, sign_test

Values = NDArray[np.float64]


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
    greater = wilcoxon(moved, alternative="greater").pvalue
    less = wilcoxon(moved, alternative="less").pvalue
    log_p = join_tails(math.log(greater), math.log(less), alternative)
    return Evidence(math.nan, z, log_p)


LIST_TESTS = {"paired_t": paired_t, "sign": sign, "wilcoxon": signed_rank}
