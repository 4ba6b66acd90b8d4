"""Judges of null distributions that share no code with them, and laws to be judged.

- `Exact`: all placements of the targets, in rational numbers (by `oracles`);
- `spreads`: all ways to spread the targets over tie groups, in floats;
- `all_placements`: average precision of all placements of an untied ranking;
- `ways_to_lose`: the number of placements of targets that are as good as one;
- `drawn_values`: average precision of rankings drawn by numpy alone.
"""

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations

import numpy as np
import pytest
from scipy.stats import binom

import oracles
from cases import METRICS, named, oracle_settings
from skrank import RandomSelectionNull

METHODS = (
    *("auto", "exact", "inversion", "importance_sampling"),
    *("monte_carlo", "normal"),
)
FOUND_BY = {*METHODS[1:], "bounds"}  # what the method of an answer may be
DRAWN = {"importance_sampling", "monte_carlo"}
SIDES = ("greater", "less", "two-sided")
TINY = 1e-9  # of probabilities, what rounding may do


# Small rankings, in rational numbers


class Exact:
    """Distribution in rational numbers: its values, and the chances below them."""

    def __init__(self, chances):
        self.chances = chances
        self.values = sorted(chances)
        self.below = [Fraction(0), *accumulate(chances[s] for s in self.values)]
        mean, variance = oracles.mean_and_variance(chances)
        self.mean, self.std = float(mean), math.sqrt(variance)
        self.support = float(self.values[0]), float(self.values[-1])

    def cdf(self, x):
        return self.below[bisect_right(self.values, x)]

    def less(self, x):
        return self.below[bisect_left(self.values, x)]

    def pvalues(self, x):
        """As extreme as x on either side, and on the nearer one, twice."""
        greater, less = 1 - self.less(x), self.cdf(x)
        return greater, less, min(Fraction(1), 2 * min(greater, less))

    def ppf(self, q):
        """Least number with cdf(number) >= q; below all values for q = 0."""
        if q <= 0:
            return -math.inf
        last = len(self.values) - 1
        return self.values[min(max(bisect_left(self.below, q) - 1, 0), last)]

    def isf(self, q):
        """Least number with sf(number) <= q, that is cdf(number) >= 1 - q."""
        return self.ppf(1 - q)


@cache
def exact_law(case, sizes, n_targets, ties="expected"):
    """All placements of the targets, of a metric of `cases`."""
    settings = oracle_settings(case, sum(sizes))
    metric = METRICS[case][0]
    return Exact(
        oracles.null_distribution(sizes, n_targets, metric, ties=ties, **settings)
    )


def case_null(case, sizes, n_targets, ties="expected"):
    """The distribution of a metric of `cases`."""
    metric, settings = METRICS[case]
    return RandomSelectionNull(
        sum(sizes), n_targets, tie_sizes=sizes, ties=ties, **named(metric, **settings)
    )


# Larger ones, by counting


def spreads(sizes, n_targets, gain):
    """Sums of gains of all ways to spread the targets over groups, and their chances.

    `gain(above, size, hits_above, hits)` is what a group adds; sums that are equal but
    for rounding are added up.
    """
    n, above = sum(sizes), 0
    states = {0: (np.zeros(1), np.ones(1))}  # by hits
    for size in map(int, sizes):
        after = {}
        for found, (sums, ways) in states.items():
            least = max(0, n_targets - found - (n - above - size))
            for hits in range(least, min(size, n_targets - found) + 1):
                added = sums + gain(above, size, found, hits)
                more = ways * math.comb(size, hits)
                after.setdefault(found + hits, []).append((added, more))
        states = {h: _merged(parts) for h, parts in after.items()}
        above += size
    sums, ways = states[n_targets]
    return sums, ways / math.comb(n, n_targets)


def _merged(parts):
    sums, ways = map(np.concatenate, zip(*parts, strict=True))
    if sums.size < 1000:
        return sums, ways
    order = np.argsort(sums)
    sums, ways = sums[order], ways[order]
    first = np.flatnonzero(np.diff(sums, prepend=-np.inf) > 1e-13 * np.abs(sums))
    return sums[first], np.add.reduceat(ways, first)


def precision_gain(ties):
    """What a group adds to the sum of precisions."""

    def gain(above, size, found, hits):
        place = np.arange(1, size + 1)
        if ties == "together":
            return hits * (found + hits) / (above + size)
        if ties == "expected":
            first = (1 / (above + place)).sum()
            other = ((place - 1) / (above + place)).sum() / max(size - 1, 1)
            return hits / size * ((found + 1) * first + (hits - 1) * other)
        start = above if ties == "optimistic" else above + size - hits
        place = place[:hits]
        return ((found + place) / (start + place)).sum()

    return gain


def weight_gain(weights, ties="expected"):
    """What a group adds to the sum of the weights of the ranks of targets."""

    def gain(above, size, found, hits):
        inside = weights[above : above + size]
        if ties == "together":
            return hits * inside[-1]
        if ties == "expected":
            return hits * inside.mean()
        return (inside[:hits] if ties == "optimistic" else inside[size - hits :]).sum()

    return gain


def early_recognition(metric, n, m, alpha, sizes, ties="expected"):
    """Values of RIE or BEDROC, of all ways to spread the targets, and their chances."""
    weights = np.exp(-alpha * np.arange(1, n + 1) / n)
    sums, chances = spreads(sizes, m, weight_gain(weights, ties))
    if metric == "rie":
        return sums / (m * weights.mean()), chances
    best, worst = weights[:m].sum(), weights[n - m :].sum()
    return (sums - worst) / (best - worst), chances


def all_placements(n, m):
    """Average precision of all placements of the targets of an untied ranking."""
    places = np.array(list(combinations(range(1, n + 1), m)))
    return (np.arange(1, m + 1) / places).mean(axis=1)


def ways_to_lose(most, n_targets, target=1, others=0):
    """Count rankings by the others above each target that lose no more than `most`.

    A target of rank r with i - 1 targets above it loses (r - i) / r.
    """
    if target > n_targets:
        return 1
    count = 0
    while Fraction(others, target + others) <= most:
        left = most - Fraction(others, target + others)
        count += ways_to_lose(left, n_targets, target + 1, others)
        others += 1
    return count


# Drawn by numpy alone


def drawn_values(n, m, size, rng, sizes=None, ties="expected"):
    """Average precision of random rankings; of ties the mean, or by the tie rule."""
    if sizes is None:
        rows = max(1, 2**22 // n)
        parts = []
        for start in range(0, size, rows):
            keys = rng.random((min(rows, size - start), n), dtype=np.float32)
            ranks = 1 + np.sort(np.argpartition(keys, m, axis=1)[:, :m], axis=1)
            parts.append((np.arange(1, m + 1) / ranks).mean(axis=1))
        return np.concatenate(parts)
    hits = rng.multivariate_hypergeometric(sizes, m, size, method="marginals")
    above, found = np.cumsum(sizes) - sizes, np.cumsum(hits, axis=1) - hits
    total = np.zeros(size)
    for j, one in enumerate(sizes):
        gain = precision_gain(ties)
        pairs, which = np.unique(
            np.stack([found[:, j], hits[:, j]]), axis=1, return_inverse=True
        )
        gains = [gain(int(above[j]), int(one), h, d) for h, d in pairs.T]
        total += np.array(gains)[which.ravel()]
    return total / m


def assert_share(draws, x, p, side="greater", room=0.0):
    """Check p, known to a part of it, against the share of draws as extreme."""
    assert_drawn(draws, x, p * (1 - room), p * (1 + room), side)


def assert_drawn(draws, x, low, high, side):
    """Check that so many draws as extreme are what binomial draws can be."""
    near = 1e-11 * max(1.0, abs(x))
    seen = draws >= x - near if side == "greater" else draws <= x + near
    count = np.count_nonzero(seen)
    assert binom.cdf(count, draws.size, max(0.0, low)) > 1e-5
    assert binom.sf(count - 1, draws.size, min(1.0, high)) > 1e-5


def some_slow(cases, first, mark=pytest.mark.slow):
    """Cases of which only the first are quick."""
    one_by_one = [one if isinstance(one, tuple) else (one,) for one in cases]
    slow = [pytest.param(*one, marks=mark) for one in one_by_one[first:]]
    return [*cases[:first], *slow]


# What answers say of themselves


def between(tail):
    """Logarithms between which the probability is, by what the answer states."""
    if tail.log_bounds is not None:
        low, high = tail.log_bounds
        return low - TINY, high + TINY
    error = (5 if tail.method in DRAWN else 3) * tail.error + TINY
    low = math.log1p(-error) if error < 1 else -math.inf
    return tail.log_pvalue + low, tail.log_pvalue + math.log1p(error)


def assert_p(tail, exact, rel=0.02):
    """Check a probability; what is said to be exact must be."""
    rel = 1e-9 if tail.method == "exact" else rel
    if tail.method in DRAWN:  # three of its own standard errors
        rel = max(rel, 3 * tail.error)
    assert tail.pvalue == pytest.approx(exact, rel=rel)


def off_by(log_p, truth):
    """Relative error of a probability."""
    return abs(math.expm1(log_p - truth))


def at_z(null, z):
    """Value so many standard deviations above the mean."""
    return null.mean() + z * null.std()


# Sizes of tie groups, best first

KNN = (0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.2, 0.502)


def knn_sizes(n):
    """Shares of a ranking that have the same score, as nearest neighbours give."""
    sizes = np.rint(np.array(KNN) * n).astype(int)
    sizes[-1] += n - sizes.sum()
    return sizes


def cut_up(n, parts, rng):
    """Sizes of so many groups."""
    cuts = np.sort(rng.choice(np.arange(1, n), min(parts, n) - 1, replace=False))
    return np.diff(cuts, prepend=0, append=n)


def one_wide(n, share, place):
    """One tie of a share of the items, at this part of what is left; no others."""
    wide = min(n, max(2, round(share * n)))
    above = round(place * (n - wide))
    return np.repeat([1, wide, 1], [above, 1, n - wide - above])


def narrow(n, share, rng):
    """Ties of one item, two or three, most of them."""
    ends = np.minimum(np.cumsum(rng.geometric(share, n)), n)
    return np.diff(ends[: 1 + int(np.argmax(ends == n))], prepend=0)


def growing(n, part, least=1):
    """Each tie a part of what is above it."""
    ends = [0]
    while ends[-1] < n:
        ends.append(min(n, ends[-1] + max(least, round(part * ends[-1]))))
    return np.diff(ends)


SHAPES = {
    "untied": lambda n, rng: None,
    "few wide ties": lambda n, rng: cut_up(n, int(rng.integers(2, 9)), rng),
    "many narrow ties": lambda n, rng: narrow(n, rng.uniform(0.2, 0.9), rng),
    "wide tie on top": lambda n, rng: one_wide(n, rng.uniform(0.05, 0.6), 0),
    "wide tie inside": lambda n, rng: one_wide(n, rng.uniform(0.05, 0.6), rng.random()),
    "wide tie below": lambda n, rng: one_wide(n, rng.uniform(0.05, 0.6), 1),
    "nearly all tied": lambda n, rng: one_wide(n, rng.uniform(0.8, 0.99), rng.random()),
    "all tied": lambda n, rng: np.array([n]),
}


# Metrics with random settings


def random_metric(n, rng):
    """Name of a metric with settings for n items."""
    names = ("average_precision", "average_precision_at_k", "recall_at_t", "rie")
    names += ("precision_at_t", "enrichment_factor", "reciprocal_rank", "bedroc")
    metric = str(rng.choice(names))
    depth = int(rng.integers(1, n + 1))
    if rng.random() < 0.4:
        depth = float(rng.choice([0.01, 0.1, 0.5, 1.0]))
    if metric == "average_precision_at_k":
        normalize = str(rng.choice(["min", "relevant", "hits"]))
        return metric, {"k": depth, "normalize": normalize}
    if metric in ("recall_at_t", "precision_at_t", "enrichment_factor"):
        return metric, {"t": depth}
    if metric in ("rie", "bedroc"):
        return metric, {"alpha": float(rng.choice([20.0, 1.0, 5.0]))}
    return metric, {}
