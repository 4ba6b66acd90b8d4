"""Two rankings at one cutoff: which targets each of them has among its top t.

The engines take counts and nothing else, so that counts from anywhere will do;
`count_at_cut` makes those of a pair. Hits in a tie that reaches across the cutoff are
shared out, so counts need not be whole. All that is said here is about the difference
of the *hits*, until it is divided by what the metric divides by.

Notation of Ash and Hughes-Oliver (2022): of n items, m of them targets, t are tested;
pi = m/n, rho = t/n, k = hits/m, p = hits/t, and Lambda is the probability that an item
scored at the cutoff is a target.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._rounding import ROUNDING, subtract
from skrank.inference._paired._pair import PairedRankings
from skrank.inference._paired._paired_result import (
    PairedResult,
    defined_error,
    join_tails,
    log_below_half,
    sign_test,
)
from skrank.inference._variability._jackknife import share_at_cut
from skrank.inference._variability._sample import sample_of
from skrank.inference._variability._top import (
    Overlap,
    covariance,
    covariance_of_random_targets,
    targets_around,
)
from skrank.metrics._definitions import Measure, PrecisionAtT
from skrank.ranking._ranking import Ranking
from skrank.ranking._standing import share_of_top

METHODS = ("mcnemar", "posterior", "binomial", "empirical_process", "chemmodlab")


@dataclass(frozen=True, slots=True)
class CutCounts:
    """What two rankings of n items, m of them targets, have among their top t.

    `hits_both` are the targets, and `n_both` the items, that are in both tops. A top
    shares with itself what it has, unless a tie reaches across the cutoff: then each
    item of it counts by the square of its share.
    """

    t: float
    n: float
    m: float
    hits_a: float
    hits_b: float
    hits_both: float
    n_both: float
    hits_aa: float | None = None
    hits_bb: float | None = None
    n_aa: float | None = None
    n_bb: float | None = None

    @property
    def shared_hits(self) -> NDArray[np.float64]:
        """Hits that (A, A), (B, B) and (A, B) share."""
        own_a = self.hits_a if self.hits_aa is None else self.hits_aa
        own_b = self.hits_b if self.hits_bb is None else self.hits_bb
        return np.array([own_a, own_b, self.hits_both])

    @property
    def shared_items(self) -> NDArray[np.float64]:
        """Items that (A, A), (B, B) and (A, B) share."""
        own_a = self.t if self.n_aa is None else self.n_aa
        own_b = self.t if self.n_bb is None else self.n_bb
        return np.array([own_a, own_b, self.n_both])

    @property
    def difference(self) -> float:
        """Hits of A beyond those of B."""
        return float(subtract(self.hits_a, self.hits_b, self.most))

    @property
    def most(self) -> float:
        """Hits of a perfect data set."""
        return min(self.t, self.m)

    @property
    def found_by_one(self) -> tuple[float, float]:
        """Targets found by A only, and by B only."""
        found = [self.hits_a, self.hits_b]
        a, b = subtract(found, self.hits_both, self.most).tolist()
        return a, b


def count_at_cut(pair: PairedRankings, t: int) -> CutCounts:
    """Count hits and items of two tops; an item of a tie at the cutoff by its share."""
    in_a, in_b = (share_of_top(x.y_score, t) for x in pair.inputs)
    in_both, hits = in_a * in_b, pair.targets
    own = {"aa": in_a**2, "bb": in_b**2}
    return CutCounts(
        t=t,
        n=pair.n_samples,
        m=hits.size,
        hits_a=float(in_a[hits].sum()),
        hits_b=float(in_b[hits].sum()),
        hits_both=float(in_both[hits].sum()),
        n_both=float(in_both.sum()),
        **{f"hits_{which}": float(own[which][hits].sum()) for which in own},
        **{f"n_{which}": float(own[which].sum()) for which in own},
    )


def error_at_cut(method: str, pair: PairedRankings, measure: Measure) -> float:
    """Standard error of the difference of a metric.

    By "binomial", "empirical_process" or "chemmodlab".
    """
    counts = count_at_cut(pair, int(measure.cut(pair.rankings[0], pair.targets.size)))
    precision = isinstance(measure, PrecisionAtT)
    if method == "empirical_process":
        hits = (counts.hits_a, counts.hits_b)
        error = emproc_error(counts, *map(_share_at_cut, pair.rankings, hits))
    elif method == "binomial":
        binomial = binomial_precision_error if precision else binomial_recall_error
        error = binomial(counts)
    else:
        published = random_precision_error if precision else random_recall_error
        error = published(
            counts, *(targets_around(ranking, counts.t) for ranking in pair.rankings)
        )
    return error / _divisor(pair, measure)


def _share_at_cut(ranking: Ranking, hits: float) -> float:
    return float(share_at_cut(sample_of(ranking), np.asarray(hits)))


def weigh_at_cut(
    method: str, pair: PairedRankings, measure: Measure, alternative: str, prior: float
) -> PairedResult:
    """Weigh the difference of a metric by the targets that one ranking only has."""
    counts = count_at_cut(pair, int(measure.cut(pair.rankings[0], pair.targets.size)))
    if method == "mcnemar":
        found = mcnemar(counts, alternative)
    else:
        found = posterior(counts, prior, alternative)
    error = found.standard_error / _divisor(pair, measure)
    return found._replace(standard_error=error)


def mcnemar(counts: CutCounts, alternative: str) -> PairedResult:
    """Exact sign test of the targets that one ranking only has found.

    The z-score is McNemar's. Its standard error would be that under the null; the one
    that goes into intervals is the binomial's.
    """
    z, log_p = sign_test(counts.difference, *counts.found_by_one, alternative)
    error = binomial_recall_error(counts)
    error = defined_error(counts.difference, error, counts.most)
    return PairedResult(error, z, log_p)


def posterior(counts: CutCounts, prior: float, alternative: str) -> PairedResult:
    """Dirichlet posterior of who finds a target: A only, B only, or both alike.

    pi_1 / (pi_1 + pi_2) has a beta distribution, so that P(pi_1 > pi_2) of Goutte and
    Gaussier (2005, section 4), who sample it, is a tail of that.
    """
    only_a, only_b = counts.found_by_one
    a, b = only_a + prior, only_b + prior
    log_tails = log_below_half(a, b), log_below_half(b, a)
    total = counts.m + 3 * prior
    variance = (a + b - (a - b) ** 2 / total) / (total * (total + 1))
    error = counts.m * math.sqrt(variance)
    return PairedResult(
        standard_error=error,
        zscore=counts.difference / error,
        log_pvalue=join_tails(*log_tails, alternative),
        probability_superior=math.exp(log_tails[1]),
    )


def binomial_recall_error(counts: CutCounts) -> float:
    """Standard error of recall if each target is found or not by itself.

    The correlated binomial of Ash and Hughes-Oliver (2022): k (1 - k) / m for each, and
    (k_12 - k_1 k_2) / m for the two, here times m**2.
    """
    both = counts.shared_hits
    hits_1, hits_2 = _pairs(counts.hits_a, counts.hits_b)
    return _error_of_difference(both - hits_1 * hits_2 / counts.m, both)


def binomial_precision_error(counts: CutCounts) -> float:
    """Standard error of precision if each item looked at is a hit or not by itself.

    p (1 - p) / t for each, here times t**2; the two covary by the items that are in
    both tops, and by the precision among those, as chemmodlab had it.
    """
    both = counts.shared_hits
    tested = counts.shared_items
    missed = 1 - both / np.where(tested > 0, tested, 1.0)
    return _error_of_difference(both * missed, both)


def emproc_error(counts: CutCounts, lambda_a: float, lambda_b: float) -> float:
    """Standard error of the hits as an empirical process with an estimated cutoff.

    Of samples of as many targets and as many non-targets, where recall and precision
    are the hits by a constant. With k_12 = k the covariance of k_1 and k_2 is the
    variance.
    """
    return _covariance_error(covariance, counts, lambda_a, lambda_b)


def random_recall_error(counts: CutCounts, lambda_a: float, lambda_b: float) -> float:
    """Return that of recall if the number of targets varies, as chemmodlab has it.

    Ash and Hughes-Oliver (2022).
    """
    return _covariance_error(covariance_of_random_targets, counts, lambda_a, lambda_b)


def _covariance_error(
    engine: Callable[..., Any], counts: CutCounts, lambda_a: float, lambda_b: float
) -> float:
    """Standard error of the difference of the hits, from covariances at one cutoff."""
    tested = counts.shared_items
    found = engine(
        Overlap(counts.shared_hits, tested),
        _pairs(counts.hits_a, counts.hits_b),
        (counts.t, counts.t),
        _pairs(lambda_a, lambda_b),
        counts.n,
        counts.m,
    )
    return _error_of_difference(found, tested)


def random_precision_error(
    counts: CutCounts, lambda_a: float, lambda_b: float
) -> float:
    """Return that of precision if the number of targets varies.

    Ash and Hughes-Oliver (2022) have, for one ranking, the variance
    [p (1 - p) + (1 - rho)(p - Lambda)**2] / (n rho), here times t**2: that of the sum
    of (y - Lambda) over the items above the cutoff. Two such sums covary likewise.
    """
    both = counts.shared_hits
    hits_1, hits_2 = _pairs(counts.hits_a, counts.hits_b)
    tested = counts.shared_items
    lambda_1, lambda_2 = _pairs(lambda_a, lambda_b)
    excess_1, excess_2 = hits_1 - lambda_1 * counts.t, hits_2 - lambda_2 * counts.t
    return _error_of_difference(
        both * (1 - lambda_1 - lambda_2)
        + tested * lambda_1 * lambda_2
        - excess_1 * excess_2 / counts.n,
        tested,
    )


def _pairs(a: float, b: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of the pairs (A, A), (B, B), (A, B): what the first has, and the second."""
    return np.array([a, b, a]), np.array([a, b, b])


def _error_of_difference(
    covariance: NDArray[np.float64], counts: NDArray[np.float64]
) -> float:
    """Standard error of A - B, from the covariances of (A, A), (B, B) and (A, B).

    These are sums over so many items. The root of a variance that is 0 but for rounding
    would be no small number.
    """
    variance = float(covariance @ [1, 1, -2])
    return math.sqrt(variance) if variance > ROUNDING * counts.max() else 0.0


def _divisor(pair: PairedRankings, measure: Measure) -> float:
    """Return what the metric divides hits by."""
    return measure.divisor(measure.frame(pair.rankings[0], pair.targets.size))
