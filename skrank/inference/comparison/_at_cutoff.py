"""Comparison of two rankings at one cutoff by the targets in their top t.

Only targets are counted, because the non-targets are their complement: for each hit
that only A has, B has one more non-target in its top t. Hits in a tie that contains the
cutoff are divided, so the counts need not be whole numbers. The functions return
differences of hits. The caller divides them by the divisor of the metric.
"""

import math
from typing import NamedTuple

import numpy as np

from skrank._utils._rounding import ROUNDING, subtract
from skrank.inference.comparison._pair import Pair
from skrank.inference.comparison._pvalues import (
    PairedResult,
    defined_error,
    join_tails,
    log_below_half,
    sign_test,
)
from skrank.metrics._definitions import Metric
from skrank.ranking._standing import share_of_top

AT_CUTOFF = ("mcnemar", "posterior")


class CutCounts(NamedTuple):
    """Numbers of targets, and of those in the top t of A, of B and of both.

    `hits_aa` and `hits_bb` are the sums of the squares of their shares: the overlap of
    a top with itself. `most` is the number of hits of a perfect ranking.
    """

    m: float
    most: float
    hits_a: float
    hits_b: float
    hits_both: float
    hits_aa: float
    hits_bb: float

    @property
    def difference(self) -> float:
        """Hits of A minus hits of B."""
        return float(subtract(self.hits_a, self.hits_b, self.most))

    @property
    def found_by_one(self) -> tuple[float, float]:
        """Numbers of targets found by A only, and by B only."""
        a, b = subtract([self.hits_a, self.hits_b], self.hits_both, self.most).tolist()
        return a, b


def count_at_cut(pair: Pair, t: int) -> CutCounts:
    """Count the targets in two tops; targets in a tie at the cutoff by their share."""
    targets = pair.targets
    in_a, in_b = (share_of_top(score, t)[targets] for score in pair.y_scores)
    sums = (in_a, in_b, in_a * in_b, in_a**2, in_b**2)
    m = targets.size
    return CutCounts(m, min(t, m), *(float(one.sum()) for one in sums))


def compare_at_cutoff(
    method: str, pair: Pair, metric: Metric, alternative: str
) -> PairedResult:
    """Test the difference of a metric by the targets that only one ranking finds."""
    frame = metric.frame(pair.a, pair.a.n_targets)
    counts = count_at_cut(pair, int(frame.cut))
    if method == "mcnemar":
        found = mcnemar(counts, alternative)
    else:
        found = posterior(counts, alternative)
    error = found.standard_error / float(metric.divisor(frame))
    return found._replace(standard_error=error)


def mcnemar(counts: CutCounts, alternative: str) -> PairedResult:
    """Exact sign test of the targets that only one ranking finds.

    The z-score is that of McNemar. Its standard error holds under the null hypothesis.
    The standard error of intervals is that of two correlated binomial variables, for
    independent targets: ``k (1 - k) / m`` for each recall and ``(k_12 - k_1 k_2) / m``
    for both (Ash and Hughes-Oliver 2022), here times m**2.
    """
    z, log_p = sign_test(counts.difference, *counts.found_by_one, alternative)
    shared = np.array([counts.hits_aa, counts.hits_bb, counts.hits_both])
    a, b = counts.hits_a, counts.hits_b
    covariances = shared - np.array([a * a, b * b, a * b]) / counts.m
    variance = float(covariances @ [1, 1, -2])
    # the root of a variance that is 0 up to rounding would not be small
    error = math.sqrt(variance) if variance > ROUNDING * shared.max() else 0.0
    error = defined_error(counts.difference, error, counts.most)
    return PairedResult(error, z, log_p)


def posterior(counts: CutCounts, alternative: str) -> PairedResult:
    """Dirichlet posterior of the targets found by A only, by B only, or by both.

    pi_1 / (pi_1 + pi_2) has a beta distribution. P(pi_1 > pi_2) of Goutte and Gaussier
    (2005, section 4), who draw it, is a tail probability of this distribution.
    """
    only_a, only_b = counts.found_by_one
    a, b = only_a + 0.5, only_b + 0.5  # the prior of Jeffreys
    log_tails = log_below_half(a, b), log_below_half(b, a)
    total = counts.m + 3 * 0.5
    variance = (a + b - (a - b) ** 2 / total) / (total * (total + 1))
    error = counts.m * math.sqrt(variance)
    return PairedResult(
        standard_error=error,
        zscore=counts.difference / error,
        log_pvalue=join_tails(*log_tails, alternative),
        probability_superior=math.exp(log_tails[1]),
    )
