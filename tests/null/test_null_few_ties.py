"""Rankings of few ties: the sum over all numbers of hits, by code of its own."""

import math

import numpy as np
import pytest
from null import judges
from numpy.testing import assert_allclose
from scipy.special import gammaln, logsumexp
from scipy.stats import hypergeom

from cases import TIES
from skrank import RandomSelectionNull

METRICS = ("average_precision", "average_precision@{k}", "rie(alpha=20)", "bedroc(20)")


def log_choose(n, k):
    ways = gammaln(n + 1) - gammaln(np.clip(k, 0, n) + 1)
    ways -= gammaln(n - np.clip(k, 0, n) + 1)
    return np.where((k >= 0) & (k <= n), ways, -np.inf)


class Ties:
    """A ranking of ties, its metric, and sums over the hits in all ties but the last.

    What d hits below H others add is tabulated by rank: precisions of hits in order, or
    weights of ranks.
    """

    def __init__(self, sizes, m, metric, ties, cut=None, alpha=None):
        self.sizes, self.m, self.metric, self.ties = sizes, m, metric, ties
        self.ends = np.cumsum(sizes)
        self.n, self.alpha = int(self.ends[-1]), alpha
        self.cut = self.n if cut is None else cut
        if ties == "together" and cut is not None:
            self.cut = int(self.ends[np.searchsorted(self.ends, cut)])
        rank = np.arange(1, self.n + 1)
        counted = rank <= self.cut
        weight = counted / rank if alpha is None else np.exp(-alpha * rank / self.n)
        self.sums = np.append(0.0, np.cumsum(weight))
        self.places = np.append(0.0, np.cumsum(weight * rank))

    def gain(self, j, above, hits):
        end, size = int(self.ends[j]), int(self.sizes[j])
        start = end - size
        if self.ties == "together":
            each = self.sums[end] - self.sums[end - 1]
            return hits * each * (1.0 if self.alpha else above + hits)
        first, last = start, end
        if self.ties == "optimistic":
            last = start + hits
        if self.ties == "pessimistic":
            first = np.maximum(end - hits, start)
        once = self.sums[np.minimum(last, end)] - self.sums[first]
        inside = self.places[np.minimum(last, end)] - self.places[first] - first * once
        share = hits / size if self.ties == "expected" else 1.0
        if self.alpha:
            return share * once
        if self.ties == "expected":  # place i has (i - 1) (d - 1) / (b - 1) hits above
            inside = (inside - once) * (hits - 1) / max(size - 1, 1)
            return share * ((above + 1) * once + inside)
        return above * once + inside

    def value(self, total):
        if self.alpha is None:
            most = self.cut if "@" in self.metric else self.n
            return total / min(self.m, most)
        if self.metric.startswith("rie"):
            return total / (self.m * self.sums[-1] / self.n)
        best, worst = self.sums[self.m], self.sums[-1] - self.sums[self.n - self.m]
        return (total - worst) / (best - worst)

    def values(self, hits):
        """Values of rankings from the hits in each tie, arrays."""
        above, total = 0, 0.0
        for j, inside in enumerate(hits):
            total = total + self.gain(j, above, inside)
            above = above + inside
        return self.value(total)

    def log_tail(self, statistic, sign):
        """Sum over all hits of all ties."""
        axes = [np.arange(min(int(size), self.m) + 1) for size in self.sizes[:-1]]
        logs = []
        for first in axes[0]:  # one number of hits in the first tie after the other
            rest = np.meshgrid(*axes[1:], indexing="ij", sparse=True)
            hits = [np.asarray(first), *rest]
            last = self.m - sum(hits)
            possible = (last >= 0) & (last <= self.sizes[-1])
            hits.append(np.where(possible, last, 0))
            off = sign * (self.values(hits) - statistic)
            reached = possible & (off >= 0)
            pairs = zip(self.sizes, hits, strict=True)
            ways = sum(log_choose(float(size), each) for size, each in pairs)
            logs.append(logsumexp(np.where(reached, ways, -np.inf)))
        return logsumexp(logs) - float(log_choose(float(self.n), self.m))


def a_ranking(seed):
    """Two to five ties, any metric and rule, and the value of hits of random odds."""
    rng = np.random.default_rng([3, seed])
    count = int(rng.integers(2, 6))
    n, most = round(10 ** rng.uniform(3, 5)), {2: 3000, 3: 400, 4: 90, 5: 40}[count]
    sizes = 1 + np.rint(rng.dirichlet(np.full(count, 0.7)) * n).astype(int)
    n = int(sizes.sum())
    m = int(min(rng.integers(most // 3, most), n // 3))
    metric, ties = str(rng.choice(METRICS)), str(rng.choice(TIES))
    cut = int(rng.integers(1, n)) if "k" in metric else None
    alpha = 20.0 if "20" in metric else None
    name = metric.format(k=cut).replace("(20)", "(alpha=20)")
    judge = Ties(sizes, m, name, ties, cut, alpha)
    null = RandomSelectionNull(n, m, name, tie_sizes=sizes, ties=ties)
    up = rng.random() < 0.7
    odds = np.exp((1 if up else -1) * rng.uniform(0, 2.5) * np.arange(count)[::-1])
    hits = rng.multivariate_hypergeometric(sizes, m)
    moved = rng.multinomial(m, sizes * odds / (sizes * odds).sum())
    hits = moved if np.all(moved <= sizes) else hits
    value = float(judge.values(list(hits)))
    sign = 1 if value > null.mean() else -1
    return null, judge, value - sign * 1e-7 * abs(value), sign  # beyond all rounding


@pytest.mark.parametrize("seed", judges.some_slow(list(range(120)), 24))
def test_two_to_five_ties_against_the_sum_over_all_hits(seed):
    null, judge, value, sign = a_ranking(seed)
    found = null.tail(value, alternative="greater" if sign > 0 else "less")
    exact = judge.log_tail(value, sign)
    assert found.method != "bounds"
    assert found.log_pvalue == pytest.approx(exact, abs=3 * found.error + 1e-6)
    # three digits down to 1e-6, 2 % to 1e-20, 10 % below
    p = math.exp(exact)
    assert found.error <= (0.005 if p > 1e-6 else 0.02 if p > 1e-20 else 0.1)


def test_targets_may_all_be_below_the_cutoff():
    """The least AP at k is 0 if the last tie has room for all targets."""
    null = RandomSelectionNull(
        560_032,
        11_953,
        "average_precision@75838",
        tie_sizes=[13_303, 219_082, 327_647],
        ties="together",
    )
    assert null.support()[0] == 0.0
    assert null.pvalue(null.mean() + 9 * null.std()) < 1e-10


@pytest.mark.nightly
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("metric", ["average_precision", "rie(alpha=20)"])
def test_large_ties_with_untied_items_between_them_against_draws(metric, ties):
    """Labels drawn by numpy; the values are those of the metric itself."""
    sizes = [600, *[1] * 30, 1500, *[1] * 200, 800]
    n, m = sum(sizes), 25
    null = RandomSelectionNull(n, m, metric, tie_sizes=sizes, ties=ties)
    draws = null.rvs(40_000, 1)
    for q in (0.05, 0.5, 0.9, 0.99):
        value = float(np.quantile(draws, q, method="inverted_cdf"))
        for side in ("greater", "less"):
            tail = null.tail(value, alternative=side)
            judges.assert_share(draws, value, tail.pvalue, side, 0.005)


def test_saturated_scores_have_the_tail_of_the_tie_on_top():
    """Weights below the tie on top are exp(-145): hits in it are hypergeometric."""
    sizes = [119_981, *[1] * 1000, 12_332]
    n, m, d = sum(sizes), 3734, 3420
    null = RandomSelectionNull(n, m, "rie(alpha=160.9)", tie_sizes=sizes)
    law = hypergeom(n, sizes[0], m)
    weights = -np.expm1(-160.9 * sizes[0] / n) / -np.expm1(-160.9)
    value = d / m * weights * n / sizes[0] * (1 - 1e-9)
    assert null.logsf(value) == pytest.approx(law.logsf(d - 1), abs=1e-6)


@pytest.mark.slow
def test_two_likely_numbers_of_hits_under_one_tilt():
    """Seven scores, 1000 of 100,000: draws near the cheapest hits that reach the value.

    Hits are piled in the top ties or spread out: the tilted distribution has two modes.
    """
    rng = np.random.default_rng(0)
    n, m = 100_000, 1000
    y = np.zeros(n, dtype=int)
    y[rng.choice(n, m, replace=False)] = 1
    score = np.round(np.clip(rng.normal(1.0 * y), 0, 3) * 2)
    sizes = np.array([(score == v).sum() for v in range(6, -1, -1)])
    hits = np.array([y[score == v].sum() for v in range(6, -1, -1)])
    judge = Ties(sizes, m, "average_precision", "expected")
    value = float(judge.values(list(hits)))
    # odds of the draws: about the likeliest hits that reach the value
    rate = np.array([94, 28, 25, 59, 109, 156, 529]) / sizes
    drawn = rng.binomial(sizes[:6, None], rate[:6, None], (6, 200_000))
    last = m - drawn.sum(axis=0)
    reached = (last >= 0) & (judge.values([*drawn, last]) >= value * (1 - 1e-12))
    every = np.vstack([drawn, last])[:, reached]
    weights = log_choose(sizes[:, None].astype(float), every).sum(axis=0)
    first = every[:6]
    weights -= (
        log_choose(sizes[:6, None].astype(float), first)
        + first * np.log(rate[:6, None])
        + (sizes[:6, None] - first) * np.log1p(-rate[:6, None])
    ).sum(axis=0)
    exact = logsumexp(weights) - math.log(drawn.shape[1])
    exact -= float(log_choose(float(n), m))
    found = RandomSelectionNull(n, m, tie_sizes=sizes).tail(value)
    assert found.log_pvalue == pytest.approx(exact, abs=0.5)
    assert found.error < 0.1


@pytest.mark.nightly
def test_errors_of_long_lists_are_small():
    """Between powers of ten of a Weibull-like tail: log p is concave in the value."""
    null = RandomSelectionNull(10_000_000, 10_000)
    values = null.mean() + np.array([500, 550, 600]) * null.std()
    tails = [null.tail(value) for value in values]
    assert max(tail.error for tail in tails) < 0.1
    logs = np.array([tail.log_pvalue for tail in tails])
    assert logs[1] > (logs[0] + logs[2]) / 2 - 10
    assert_allclose(np.sort(logs)[::-1], logs)
