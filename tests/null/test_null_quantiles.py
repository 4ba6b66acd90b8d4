"""Quantiles of long rankings, point masses, and counting near both ends."""

import math
from itertools import combinations

import numpy as np
import pytest
from null import judges
from numpy.testing import assert_allclose

from cases import named
from skrank import RandomSelectionNull
from skrank.null import MeanNull

# Point masses

POINTS = {
    "no hit above the cutoff": (
        RandomSelectionNull(10, 3, "recall@3", tie_sizes=[10], ties="pessimistic"),
        0.0,
    ),
    "all above the cutoff": (
        RandomSelectionNull(10, 2, "precision@3", tie_sizes=[10], ties="optimistic"),
        2 / 3,
    ),
    "retrieved whole": (
        RandomSelectionNull(10, 3, tie_sizes=[10], ties="together"),
        0.3,
    ),
    "weights that underflow": (
        RandomSelectionNull(
            10, 3, "rie(alpha=100000.0)", tie_sizes=[10], ties="pessimistic"
        ),
        0.0,
    ),
    # the hits come last, and only 75 fit above the cutoff
    "no room for rounding": (
        RandomSelectionNull(
            250, 150, "recall@175", ties="pessimistic", tie_sizes=[5, 6, 239]
        ),
        0.5,
    ),
    "one score": (RandomSelectionNull(100, 10, "bedroc", tie_sizes=[100]), None),
    "a mean": (MeanNull([RandomSelectionNull(10, 3, "recall@10")] * 2), 1.0),
}


@pytest.mark.parametrize("point", POINTS)
def test_every_function_of_a_point_mass(point):
    null, value = POINTS[point]
    value = null.mean() if value is None else value
    assert null.mean() == pytest.approx(value)
    assert null.std() == 0.0
    assert null.support() == pytest.approx((value, value))
    x = np.array([value - 0.1, null.support()[0], value + 0.1])
    assert_allclose(null.cdf(x), [0, 1, 1])
    assert_allclose(null.sf(x), [1, 0, 0])
    assert_allclose(null.logsf(x), [0, -np.inf, -np.inf])
    assert_allclose(null.pvalue(x), [1, 1, 0])
    assert_allclose(null.pvalue(x, alternative="less"), [0, 1, 1])
    assert_allclose(null.pvalue(x, alternative="two-sided"), [0, 1, 0])
    for method in ("auto", "exact", "inversion", "normal"):
        for side in judges.SIDES:
            p = null.pvalue(null.mean(), alternative=side, method=method)
            assert p == pytest.approx(1, rel=1e-12)
        assert null.pvalue(value + 0.1, method=method) == 0.0
    assert null.ppf(0) == null.isf(1) == -math.inf  # below the support, as by SciPy
    for q in (1e-300, 0.3, 1 - 2.0**-53, 1.0):
        assert null.ppf(q) == pytest.approx(value)
    assert null.isf([0.0, 1e-300, 0.3]) == pytest.approx([value] * 3)
    assert_allclose(null.pmf(x), [0, 1, 0])
    assert_allclose(null.rvs(5, 0), value)


# Counting near the ends

LONG = [(50, 5), (100, 10), (200, 10), (1000, 20), (450, 48)]


def best_values(n, m, reach=12):
    """AP of the best rankings, all of which have at least m - 2 hits on top.

    The best of the others have three hits one rank down, or one far down.
    """
    rank = np.arange(1, m + 1)
    lists = [
        np.append(rank[: m - 2], two)
        for two in combinations(range(m - 1, m + reach), 2)
    ]
    others = [
        np.append(rank[: m - 3], rank[m - 3 :] + 1),
        np.append(rank[:-1], m + reach),
    ]
    values = np.array([(rank / ranks).mean() for ranks in lists])
    limit = max((rank / ranks).mean() for ranks in others)
    return np.sort(values[values > limit + 1e-9])[::-1]


@pytest.mark.parametrize(("n", "m"), judges.some_slow(LONG, 3, pytest.mark.nightly))
def test_best_rankings_by_counting(n, m):
    null, values = RandomSelectionNull(n, m), best_values(n, m)
    total = math.log(math.comb(n, m))
    assert values.size > 5
    for value in values[:8:2]:
        count = np.count_nonzero(values > value - 1e-12)
        found = null.tail(value)
        assert found.log_pvalue == pytest.approx(math.log(count) - total, abs=1e-6)
    chances = np.exp(np.log(np.arange(1, values.size + 1)) - total)
    second = np.unique(np.round(values, 12))[-2]
    q = chances[np.count_nonzero(values > second + 1e-9) - 1]
    assert null.isf(q) == pytest.approx(second, abs=1e-6)
    assert null.isf(q * (1 - 1e-9)) > second + 1e-9
    assert null.isf(chances[0] / 2) == 1.0


@pytest.mark.parametrize(
    ("n", "m"), judges.some_slow([*LONG[:3], LONG[4]], 3, pytest.mark.nightly)
)
def test_worst_rankings_by_counting(n, m):
    """Least: all hits last; next: the first of them one rank up, or two."""
    rank, worst = np.arange(1, m + 1), np.arange(n - m + 1, n + 1)
    null, total = RandomSelectionNull(n, m), math.log(math.comb(n, m))
    values = [(rank / (worst - up * (rank == 1))).mean() for up in range(2)]
    for place, value in enumerate(values):
        found = null.tail(value, alternative="less")
        assert found.log_pvalue == pytest.approx(math.log(place + 1) - total, abs=1e-6)
    chance = math.exp(-total)
    assert null.ppf([chance / 2, chance]) == pytest.approx([values[0]] * 2, rel=1e-12)
    assert null.ppf(1.5 * chance) > values[0]


@pytest.mark.parametrize(
    "ranks",
    [(195, 197, 198, 199, 200), (190, 194, 196, 198, 200), (192, 193, 195, 197, 199)],
)
def test_rankings_nearly_as_bad_as_can_be_by_counting(ranks):
    """Rankings with a target above the last 45 are better; these are all to count."""
    n, m, last = 200, 5, 45
    others = np.array(list(combinations(range(n - last + 1, n + 1), m)))
    others = (np.arange(1, m + 1) / others).mean(axis=1)
    observed = (np.arange(1, m + 1) / ranks).mean()
    count = np.sum(others <= observed * (1 + 1e-12))
    p = RandomSelectionNull(n, m).pvalue(observed, alternative="less")
    assert p == pytest.approx(count / math.comb(n, m), rel=0.05)


# Quantiles and tails invert each other

INVERTED = [
    (1000, 20, {}),
    (1000, 100, {"metric": "bedroc"}),
    (1000, 30, {"metric": "average_precision_at_k", "k": 100}),
    (1000, 40, {"tie_sizes": [1, 2, 7, 30, 60, 150, 300, 450]}),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "m", "settings"), INVERTED)
def test_quantiles_invert_the_tails(n, m, settings):
    null = RandomSelectionNull(n, m, **named(**settings))
    x = null.isf([0.01, 1e-6])
    assert x[0] < x[1]
    assert null.sf(x) == pytest.approx([0.01, 1e-6], rel=0.01)
    assert np.all(null.sf(x - 2e-3 * null.std()) > [0.01, 1e-6])
    low = null.ppf(0.05)
    assert low < x[0]
    assert null.cdf(low) == pytest.approx(0.05, rel=0.01)
    _, most = null.support()
    assert null.isf([0.0, 1.0]) == pytest.approx([most, -math.inf])
    assert null.ppf([0.0, 1.0]) == pytest.approx([-math.inf, most])


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("n", "m", "metric", "qs"),
    [
        (2000, 40, "average_precision", (0.9,)),
        (6000, 24, "bedroc(alpha=80.5)", (0.05,)),
    ],
)
def test_quantiles_against_draws(n, m, metric, qs):
    """The order statistics of 40,000 draws, four standard errors wide."""
    null = RandomSelectionNull(n, m, metric)
    draws = null.rvs(40_000, 3)
    for q in qs:
        error = 4 * math.sqrt(q * (1 - q) / draws.size)
        low, high = np.quantile(draws, [max(0.0, q - error), min(1.0, q + error)])
        assert low <= null.ppf(q) <= high
        assert null.cdf(null.ppf(q)) == pytest.approx(q, rel=0.05)


@pytest.mark.parametrize("q", [-0.1, 1.1, [0.5, 2]])
@pytest.mark.parametrize("quantile", ["isf", "ppf"])
def test_probabilities_are_probabilities(q, quantile):
    with pytest.raises(ValueError, match="`q` must be a probability between 0 and 1"):
        getattr(RandomSelectionNull(100, 10), quantile)(q)
