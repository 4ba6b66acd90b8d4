"""Many targets in large ties, and means over many different rankings."""

import math

import numpy as np
import pytest
from null import judges
from scipy.stats import hypergeom

from skrank import RandomSelectionNull
from skrank.null import MeanNull


def drawn_precision(sizes, m, n_draws):
    """AP by the means over the orders in ties, of hits that numpy draws."""
    rng = np.random.default_rng(0)
    hits = rng.multivariate_hypergeometric(sizes, m, n_draws, method="marginals")
    total, above, depth = np.zeros(n_draws), np.zeros(n_draws), 0
    for size, d in zip(sizes, hits.T, strict=True):
        place = np.arange(size)
        once = (1 / (depth + 1 + place)).sum()
        later = (place / (depth + 1 + place)).sum() / max(size - 1, 1)
        total += d / size * ((above + 1) * once + (d - 1) * later)
        above, depth = above + d, depth + size
    return total / m


def equal_sizes(n, k):
    return [n // k + (i < n % k) for i in range(k)]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("n", "m", "k"),
    [(10**6, 10**5, 21), (10**5, 50_000, 21), (200_000, 10**5, 6), (10**6, 10**4, 150)],
)
def test_many_targets_in_large_ties_against_draws(n, m, k):
    sizes = equal_sizes(n, k)
    values = drawn_precision(sizes, m, 100_000)
    null = RandomSelectionNull(n, m, tie_sizes=sizes)
    for z in (2, -2):
        value = null.mean() + z * null.std()
        side = "greater" if z > 0 else "less"
        found = null.tail(value, alternative=side)
        share = np.mean(values >= value) if z > 0 else np.mean(values <= value)
        assert found.method == "inversion"
        # four standard errors of the draws
        error = 4 * math.sqrt(1 / (share * values.size))
        assert found.pvalue == pytest.approx(share, rel=error)


def test_six_ties_with_many_steps_inside_a_deviation_against_draws():
    """Sums of the weights of the last ranks of each tie, of hits that numpy draws."""
    sizes, m, z = [253_871, 63_621, 21_322, 6616, 1678, 251], 64_488, 3
    n, ends = sum(sizes), np.cumsum(sizes)
    weights = np.cumsum(np.append(0.0, np.exp(-20 * np.arange(1, n + 1) / n)))
    rng = np.random.default_rng(0)
    hits = rng.multivariate_hypergeometric(sizes, m, 10**6, method="marginals")
    sums = (weights[ends] - weights[ends - hits]).sum(axis=1)
    worst = weights[n] - weights[n - m]
    values = (sums - worst) / (weights[m] - worst)
    null = RandomSelectionNull(
        n, m, "bedroc(alpha=20)", tie_sizes=sizes, ties="pessimistic"
    )
    value = null.mean() + z * null.std()
    found, share = null.tail(value), np.mean(values >= value)
    assert found.method == "inversion"
    # four standard errors of the draws
    error = 4 * math.sqrt(1 / (share * values.size))
    assert found.pvalue == pytest.approx(share, rel=error)


def test_a_tie_across_the_cutoff_beside_a_long_ranking_against_draws():
    """The tie holds all counted ranks of its ranking, which has no other groups."""
    metric, size, rng = "average_precision@5%", 100_000, np.random.default_rng(0)
    tied = RandomSelectionNull(1000, 20, metric, tie_sizes=[60] + [1] * 940)
    null = MeanNull([tied, RandomSelectionNull(20_000, 50, metric)])
    # given d hits in the tie: place j has one with d / 60, and above it (d - 1) / 59
    d, j = hypergeom.rvs(1000, 20, 60, size=size, random_state=rng), np.arange(1, 51)
    first = d / 60 * ((1 / j).sum() + (d - 1) / 59 * ((j - 1) / j).sum()) / 20
    ranks = np.sort(rng.integers(1, 20_001, (size, 50)), axis=1)
    while (same := (np.diff(ranks, axis=1) == 0).any(axis=1)).any():
        ranks[same] = np.sort(rng.integers(1, 20_001, (same.sum(), 50)), axis=1)
    precision = np.arange(1, 51) / ranks * (ranks <= 1000)
    values = (first + precision.sum(axis=1) / 50) / 2
    value = null.mean() + 2 * null.std()
    share = np.mean(values >= value)
    # four standard errors of the draws
    error = 4 * math.sqrt(1 / (share * values.size))
    assert null.pvalue(value) == pytest.approx(share, rel=error)


@pytest.mark.parametrize("z", [3, 7])
def test_a_tie_with_most_of_the_variance_given_its_hits(z):
    """The chance of the hits in the tie on top is exact; numpy draws the others."""
    tie, n, m = 1025, 3417, 53
    null = RandomSelectionNull(n, m, tie_sizes=[tie, *[1] * (n - tie)], ties="together")
    value, exact = null.mean() + z * null.std(), 0.0
    rng = np.random.default_rng(0)
    for d in range(m + 1):
        draws = [rng.choice(n - tie, m - d, replace=False) for _ in range(1000)]
        others = np.sort(draws, axis=1)
        precision = (d + np.arange(1, m - d + 1)) / (others + 1 + tie)
        values = (d * d / tie + precision.sum(axis=1)) / m
        exact += hypergeom.pmf(d, n, m, tie) * np.mean(values >= value)
    assert null.pvalue(value) == pytest.approx(exact, rel=0.03)


@pytest.mark.parametrize("ties", ["expected", "together"])
def test_many_different_rankings_against_the_convolution_of_all(ties):
    """The distributions in rational numbers are put on a grid, and convolved."""
    rng = np.random.default_rng(1)
    shapes = [(tuple(rng.integers(1, 4, 5).tolist()), 2 + i % 2) for i in range(24)]
    bins, factor = 2**18, 8000
    transformed = np.ones(bins // 2 + 1, dtype=complex)
    for sizes, m in shapes:
        law = judges.exact_law("average_precision", sizes, m, ties)
        place = [round(float(value) * factor) for value in law.chances]
        chance = [float(one) for one in law.chances.values()]
        transformed *= np.fft.rfft(np.bincount(place, chance, bins))
    chance = np.fft.irfft(transformed)
    null = MeanNull(
        [RandomSelectionNull(sum(s), m, tie_sizes=s, ties=ties) for s, m in shapes]
    )
    for z in (2, 3, 4):
        value = null.mean() + z * null.std()
        exact = chance[math.ceil(value * len(shapes) * factor) :].sum()
        found = null.tail(value)
        assert found.method == "inversion"
        assert found.pvalue == pytest.approx(exact, rel=0.01)
        value = null.mean() - z * null.std()
        exact = chance[: math.floor(value * len(shapes) * factor) + 1].sum()
        assert null.cdf(value) == pytest.approx(exact, rel=0.01)


def test_many_rankings_with_a_tie_too_large_for_one_array():
    """The ways to place 150 targets in 60,000 items overflow; numpy draws beside."""
    sizes = [*[1] * 40, 60_000, 30_000]
    null = MeanNull(
        [
            RandomSelectionNull(100_000 + i, 150, tie_sizes=[*sizes, 9_960 + i])
            for i in range(16)
        ]
    )
    value = null.mean() + 2 * null.std()
    share = np.mean(null.rvs(20_000, 0) >= value)
    error = 4 * math.sqrt(1 / (share * 20_000))
    assert null.pvalue(value) == pytest.approx(share, rel=error)
