"""How right "auto" is: against tilted sampling, certified bounds, and the null itself.

The accuracy promised is 5 %, at every depth, with ties and without.
"""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom

import oracles
from cases import named
from skrank import RandomSelectionNull

pytestmark = pytest.mark.slow

PROMISED = 0.05
# shares of a ranking that have the same score, best first, as nearest neighbours give
KNN = (0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.2, 0.502)


def knn_sizes(n_samples):
    sizes = np.rint(np.array(KNN) * n_samples).astype(int)
    sizes[-1] += n_samples - sizes.sum()
    return sizes


def off_by(log_p, truth):
    return abs(math.expm1(log_p - truth))


RARE = [
    *[(500, 10, ap) for ap in (0.1, 0.3, 0.5, 0.8)],
    *[(1000, 20, z) for z in ("z3", "z6", "z10")],
    *[(2000, 20, ap) for ap in (0.05, 0.2, 0.4, 0.6)],
    *[(3000, 30, z) for z in ("z3", "z10")],
]


@pytest.mark.parametrize(("n", "m", "point"), RARE)
def test_rare_targets_against_certified_bounds(n, m, point):
    # the bounds are of another engine, and hold whatever the grid does
    null = RandomSelectionNull(n, m)
    s = point
    if isinstance(point, str):
        s = null.mean() + int(point[1:]) * null.std()
    found, judge = null.tail(s), null.tail(s, method="grid")
    assert found.method == "inversion"
    lower, upper = judge.log_bounds
    assert upper - lower < 0.2
    assert lower - found.error < found.log_pvalue < upper + found.error
    assert off_by(found.log_pvalue, judge.log_pvalue) < PROMISED


MINUTE = [(15000, 24, 160.9, 1e-28), (15000, 24, 160.9, 1e-37), (5000, 12, 40.0, 1e-11)]


@pytest.mark.parametrize(("n", "m", "alpha", "s"), MINUTE)
def test_minute_values_against_draws_below_the_first_rank_that_counts(n, m, alpha, s):
    # a hit above that rank gives more than s by itself, so that
    # P(S <= s) = C(rest, m) / C(n, m) * P(S <= s | all hits in the rest)
    gains = np.exp(-alpha * np.arange(1, n + 1) / n)
    gains /= m * gains.mean()  # Truchon and Bayly (2007), equation 18
    rest = gains[gains <= s]
    draws = np.random.default_rng(0).random((10_000, rest.size), dtype=np.float32)
    hits = np.argpartition(draws, m, axis=1)[:, :m]
    share = np.mean(rest[hits].sum(axis=1) <= s)
    apart = oracles.log_binomial(rest.size, m) - oracles.log_binomial(n, m)
    truth = apart + math.log(share)
    se = math.sqrt((1 - share) / share / 10_000)
    found = RandomSelectionNull(n, m, f"rie(alpha={alpha})").tail(s, alternative="less")
    assert off_by(found.log_pvalue, truth) < PROMISED / 2 + 4 * se


MANY = [
    *[(1000, 100, ap) for ap in (0.14, 0.2, 0.3, 0.8)],
    *[(3000, 245, ap) for ap in (0.1, 0.2, 0.5)],
    *[(14906, 304, ap) for ap in (0.1766, 0.256)],
]


@pytest.mark.filterwarnings("ignore:the p-value is known with:RuntimeWarning")
@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "s"), MANY)
def test_many_targets_against_tilted_sampling(n, m, s):
    # unbiased draws of the true chain, ranks unmerged; a standard error of 0.5 %, and
    # of 1.5 % where it would take a million of them
    null, wanted = RandomSelectionNull(n, m), 0.005 if n < 2000 and s < 0.25 else 0.015
    pilot = null.tail(
        s, method="importance_sampling", n_resamples=20_000, random_state=1
    ).error
    draws = int(1.2 * 20_000 * (pilot / wanted) ** 2)
    truth = null.tail(
        s, method="importance_sampling", n_resamples=draws, random_state=2
    )
    found = null.tail(s)
    assert truth.error < 1.1 * wanted
    assert off_by(found.log_pvalue, truth.log_pvalue) < 3 * truth.error + found.error
    assert off_by(found.log_pvalue, truth.log_pvalue) < PROMISED


TIED = [
    *[(500, 10, ap) for ap in (0.1, 0.3, 0.6)],
    *[(1000, 100, ap) for ap in (0.14, 0.2, 0.4)],
    *[(3000, 245, ap) for ap in (0.1, 0.15, 0.3)],
    *[(14906, 304, ap) for ap in (0.05, 0.1766)],
]


@pytest.mark.filterwarnings("ignore:the p-value is known with:RuntimeWarning")
@pytest.mark.parametrize(("n", "m", "s"), TIED)
def test_ties_as_of_nearest_neighbours(n, m, s):
    # tilted sampling; where the tilted distribution has two modes it fails, and bounds
    # judge
    null = RandomSelectionNull(n, m, tie_sizes=knn_sizes(n))
    found = null.tail(s)
    truth = null.tail(
        s, method="importance_sampling", n_resamples=200_000, random_state=2
    )
    if truth.error is not None and truth.error > 0.02:
        lower, upper = null.tail(s, method="grid").log_bounds
        assert upper - lower < 0.1
        assert lower < found.log_pvalue < upper
    else:
        assert off_by(found.log_pvalue, truth.log_pvalue) < PROMISED


@pytest.mark.parametrize("ties", ["expected", "threshold", "optimistic", "pessimistic"])
@pytest.mark.parametrize(
    ("sizes", "m"),
    [
        ([10, 30, 60, 200, 2700], 60),
        ([5, 20, 40, 100, 300, 2535], 50),
        ([1, 2, 4, 8, 16, 32, 64, 128, 256, 512], 9),
    ],
    ids=["five", "six", "ten"],
)
def test_few_groups_against_enumeration(monkeypatch, sizes, m, ties):
    # at values that occur, where a method could count half of an atom
    monkeypatch.setattr("skrank.null._enumeration.FEW_PATHS", 100)
    null = RandomSelectionNull(sum(sizes), m, tie_sizes=sizes, ties=ties)
    values = np.unique(null.rvs(300, 5))
    for s in values[np.linspace(0, values.size - 1, 4).astype(int)]:
        exact = null.tail(s, method="exact").log_pvalue
        assert off_by(null.tail(s).log_pvalue, exact) < PROMISED


@pytest.mark.parametrize(
    ("metric", "settings"),
    [
        ("average_precision_at_k", {"k": 100}),
        ("average_precision_at_k", {"k": 0.1, "normalize": "hits"}),
        ("bedroc", {}),
        ("rie", {"alpha": 100.0}),
        ("reciprocal_rank", {}),
        ("enrichment_factor", {"t": 0.05}),
    ],
)
def test_every_measure_against_draws(metric, settings):
    # 200,000 rankings; p from 0.5 to 0.001
    null = RandomSelectionNull(1000, 50, **named(metric, **settings))
    draws = np.sort(null.rvs(200_000, 6))
    for q in (0.5, 0.9, 0.99, 0.999):
        s = float(np.quantile(draws, q, method="nearest"))
        count = draws.size - int(np.searchsorted(draws, s * (1 - 1e-11)))
        low, high = binomtest(count, draws.size).proportion_ci(0.9999)
        assert low * 0.99 < math.exp(null.tail(s).log_pvalue) < high * 1.01


# The distribution of p under the null: six settings, two of them tied


def untied_values(n, m, n_rankings, rng):
    """Average precision of random rankings, by numpy alone."""
    values = []
    for _ in range(n_rankings // 2000):
        keys = rng.random((2000, n), dtype=np.float32)
        ranks = 1 + np.sort(np.argpartition(keys, m, axis=1)[:, :m], axis=1)
        values.append((np.arange(1, m + 1) / ranks).mean(axis=1))
    return np.concatenate(values)


def tied_values(sizes, m, n_rankings, rng):
    """Mean average precision over the orders inside ties, by numpy alone."""
    hits = rng.multivariate_hypergeometric(sizes, m, n_rankings)
    total = np.zeros(n_rankings)
    above = np.cumsum(sizes) - sizes
    hits_above = np.cumsum(hits, axis=1) - hits
    for j, b in enumerate(sizes):
        place = np.arange(1, b + 1)
        first = (1 / (above[j] + place)).sum()
        second = ((place - 1) / (above[j] + place)).sum() / max(b - 1, 1)
        d, h = hits[:, j], hits_above[:, j]
        total += d / b * ((h + 1) * first + (d - 1) * second)
    return total / m


@pytest.mark.parametrize(
    ("n", "m", "tied", "lumpy"),
    [
        (1000, 100, False, False),
        (1000, 20, False, False),
        (300, 60, False, False),
        (2000, 10, False, False),
        (1000, 100, True, False),
        (3000, 30, True, True),
    ],
)
def test_distribution_of_pvalues_under_the_null(n, m, tied, lumpy):
    # p falls as the value rises, so the rankings with p <= alpha are the best ones
    rng = np.random.default_rng(n + m)
    sizes = knn_sizes(n)
    make = tied_values if tied else untied_values
    values = np.sort(make(sizes if tied else n, m, 40_000, rng))[::-1]
    null = RandomSelectionNull(n, m, tie_sizes=sizes if tied else None)
    for alpha in (0.001, 0.01, 0.05):
        most = alpha + 3 * math.sqrt(alpha * (1 - alpha) / values.size)
        assert null.pvalue(values[int(most * values.size)]) > alpha
        if not lumpy:
            assert null.pvalue(values[int(0.6 * alpha * values.size) - 1]) <= alpha


FEW_IN_A_WIDE_TIE = [
    (4441, 53, [2664, *[1] * 1777], "average_precision", {"ties": "optimistic"}, 38),
    (4441, 53, [2664, *[1] * 1777], "average_precision", {"ties": "optimistic"}, 35),
    (12501, 60, [3750, *[1] * 8751], "bedroc", {"alpha": 100.0}, 22),
]


@pytest.mark.parametrize(
    ("n", "m", "sizes", "metric", "settings", "hits"), FEW_IN_A_WIDE_TIE
)
def test_a_wide_tie_that_makes_humps(n, m, sizes, metric, settings, hits):
    # between two humps: as many hits in the tie or more, and hardly any other ranking
    null = RandomSelectionNull(n, m, tie_sizes=sizes, **named(metric, **settings))
    draws = null.rvs(20_000, 0)
    share = hypergeom.sf(hits - 1, n, m, sizes[0])
    value = float(np.quantile(draws, 1 - share))
    for s in (value * 0.995, value * 1.005):
        drawn = np.mean(draws >= s)
        error = 4 * math.sqrt(drawn * (1 - drawn) / draws.size)
        assert null.pvalue(s) == pytest.approx(drawn, abs=error + 0.01 * drawn)


@pytest.mark.parametrize(("n", "m", "tie"), [(188, 23, 56), (20_000, 1000, 8000)])
def test_hits_that_are_not_felt_may_be_anywhere(n, m, tie):
    # exp(-100 * rank / n) at the end of the tie, and below it, is lost in rounding
    null = RandomSelectionNull(
        n,
        m,
        "rie(alpha=100.0)",
        ties="threshold",
        tie_sizes=[1, tie, *[1] * (n - tie - 1)],
    )
    gains = np.exp(-100 * np.arange(1, n + 1) / n)
    for share in (1, 1 - 1e-12, 1 - 1e-10):
        s = share * float(gains[0] / gains.mean() / m)
        assert null.pvalue(s) == pytest.approx(m / n, rel=1e-9)
