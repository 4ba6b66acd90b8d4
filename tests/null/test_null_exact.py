"""The null distribution against all placements of the targets, and closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from null import judges
from numpy.testing import assert_allclose
from scipy.stats import binomtest, hypergeom

import oracles
import skrank
from cases import ALL_TIES, LISTS, METRICS, SMALL_LISTS, TIES, make_list, named
from skrank import RandomSelectionNull

# probabilities at which rounding does not count
QS = [0.0, 5e-324, 1e-60, 1e-12, 0.013, 0.5, 0.99, 1 - 1e-12, 1 - 2.0**-53, 1.0]


def places(exact):
    """Values, and points between and beyond them, as floats and as rationals."""
    values = np.array([float(s) for s in exact.values])
    between = (values[1:] + values[:-1]) / 2
    between = between[np.diff(values) > 1e-9]
    others = [*between, values[0] - 0.1, values[-1] + 0.1]
    yield from zip(values, exact.values, strict=True)
    yield from ((x, Fraction(x)) for x in others)


def assert_tails(null, exact):
    for x, s in places(exact):
        below = exact.cdf(s)
        expected = [1 - below, below, 1 - below, *exact.pvalues(s)]
        found = [null.sf(x), null.cdf(x), math.exp(null.logsf(x))]
        found += [null.pvalue(x, alternative=side) for side in judges.SIDES]
        assert_allclose(found, [float(p) for p in expected], rtol=1e-10, atol=1e-13)
        assert null.sf(x) + null.cdf(x) == pytest.approx(1, rel=1e-12)


def probabilities(exact):
    """Every cumulative probability from either side, and its neighbours."""
    steps = [float(p) for p in exact.below]
    steps += [float(1 - p) for p in exact.below]
    near = [p * (1 + shift) for p in steps for shift in (-1e-9, 1e-9)]
    return [q for q in [*QS, *steps, *near] if 0 <= q <= 1]


def assert_quantiles(null, exact, step=1):
    """As in scipy.stats: the least value with cdf >= q, and the least with sf <= q."""
    for q in probabilities(exact)[::step]:
        for found, quantile in ((null.ppf(q), exact.ppf), (null.isf(q), exact.isf)):
            # a float stands for all that round to it
            room = Fraction(min(q, 1 - q)) / 10**11
            room += 0 if q < 0.5 else Fraction(1, 2**52)
            allowed = {float(quantile(Fraction(q) + e)) for e in (-room, 0, room)}
            assert any(found == pytest.approx(x, rel=1e-12, abs=1e-13) for x in allowed)


# All placements, in rational numbers


@pytest.mark.parametrize("case", METRICS)
@pytest.mark.parametrize("ties", ALL_TIES)
@pytest.mark.parametrize(("sizes", "n_targets"), LISTS)
def test_small_rankings(case, ties, sizes, n_targets):
    exact = judges.exact_law(case, sizes, n_targets, ties)
    null = judges.case_null(case, sizes, n_targets, ties)
    assert null.mean() == pytest.approx(exact.mean, rel=1e-12)
    assert null.std() == pytest.approx(exact.std, rel=1e-10, abs=1e-12)
    assert null.support() == pytest.approx(exact.support, rel=1e-12, abs=1e-12)
    assert_tails(null, exact)
    assert_quantiles(null, exact, 1 + len(exact.values) // 4)


@pytest.mark.filterwarnings("ignore:the p-value is known with a relative error")
@pytest.mark.parametrize("case", METRICS)
@pytest.mark.parametrize("ties", ALL_TIES)
def test_methods_that_are_named(case, ties):
    """What is counted is exact; the inversion is at both ends, or knows its error."""
    sizes, n_targets = SMALL_LISTS[2]
    exact = judges.exact_law(case, sizes, n_targets, ties)
    null = judges.case_null(case, sizes, n_targets, ties)
    for s in exact.values:
        for side, p in zip(judges.SIDES, exact.pvalues(s), strict=True):
            found = null.tail(float(s), alternative=side, method="exact")
            assert found.method == "exact"
            assert found.pvalue == pytest.approx(float(p), rel=1e-11)
            found = null.tail(float(s), alternative=side, method="inversion")
            room = 3 * (found.error or 0) + 1e-9
            assert found.pvalue == pytest.approx(float(p), rel=room)
    least, most = exact.values[0], exact.values[-1]
    p = null.pvalue(float(most), method="inversion")
    assert p == pytest.approx(float(exact.chances[most]))
    p = null.pvalue(float(least), method="inversion", alternative="less")
    assert p == pytest.approx(float(exact.chances[least]))
    assert null.pvalue(float(least), method="inversion") == 1.0
    for method in ("auto", "exact", "inversion"):
        assert null.pvalue(float(most) + 1e-6, method=method) == 0.0


@pytest.mark.filterwarnings("ignore:the p-value is known with a relative error")
@pytest.mark.parametrize(("method", "step"), [("auto", 1), ("inversion", 10)])
def test_first_hits_below_the_top(method, step):
    """No hit among the first T items: C(n - T, m) / C(n, m) in the hypergeometric."""
    sizes = np.random.default_rng(3).geometric(0.3, size=80)
    n, m = int(sizes.sum()), 9
    null = RandomSelectionNull(
        n, m, "reciprocal_rank", ties="together", tie_sizes=sizes.tolist()
    )
    for depth in np.cumsum(sizes)[:60:step].tolist():
        found = null.tail(1 / depth, method=method)
        room = 3 * (found.error or 0) + 1e-9
        truth = hypergeom(n, m, depth).sf(0)
        assert found.pvalue == pytest.approx(truth, rel=room)


@pytest.mark.filterwarnings("ignore:the p-value is known with a relative error")
@pytest.mark.parametrize("method", ["auto", "inversion"])
def test_one_tie_that_the_cutoff_divides(method):
    """Average precision at k grows with the hits in it, which are hypergeometric."""
    sizes, n_targets, hits = (390_000, 10_000), 200_000, 195_150
    value = skrank.average_precision_at_k(
        *make_list(sizes, (hits, n_targets - hits)), k=1000
    )
    null = RandomSelectionNull(
        sum(sizes), n_targets, "average_precision@1000", tie_sizes=sizes
    )
    truth = hypergeom(sum(sizes), n_targets, sizes[0]).sf(hits - 1)
    found = null.tail(value, method=method)
    room = 3 * (found.error or 0) + 1e-8
    assert found.pvalue == pytest.approx(truth, rel=room)


@pytest.mark.parametrize("side", judges.SIDES)
@pytest.mark.parametrize(("sizes", "n_targets"), SMALL_LISTS[:3])
def test_bounds_of_exact_tails_are_the_probability(sizes, n_targets, side):
    exact = judges.exact_law("average_precision", sizes, n_targets)
    null = judges.case_null("average_precision", sizes, n_targets)
    at = judges.SIDES.index(side)
    for value in exact.values:
        found = null.tail(float(value), alternative=side)
        expected = float(exact.pvalues(value)[at])
        assert np.exp(found.log_bounds) == pytest.approx(expected, rel=1e-9)


def test_the_least_value_of_many_ties_is_bounded():
    """By the worst order of all, and by that inside the ties."""
    sizes = np.ceil(np.random.default_rng(54).pareto(1, 400)).astype(int)
    n, m = int(sizes.sum()), 9478
    null = RandomSelectionNull(n, m, ties="together", tie_sizes=sizes)
    rule = RandomSelectionNull(n, m, ties="pessimistic", tie_sizes=sizes)
    least, _ = null.support()
    assert rule.support()[0] <= least
    score = np.repeat(-np.arange(400), sizes)
    rng = np.random.default_rng(0)
    for y_true in [np.arange(n) >= n - m, *(rng.permutation(n) < m for _ in range(9))]:
        assert least <= skrank.average_precision(y_true, score, ties="together")


@pytest.mark.parametrize("case", METRICS)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.slow
def test_draws(case, ties):
    """The chance of every value, by an exact binomial test of scipy."""
    rng = np.random.default_rng(0)
    for sizes, n_targets in SMALL_LISTS[:4]:
        draws = judges.case_null(case, sizes, n_targets, ties).rvs(4000, rng)
        exact = judges.exact_law(case, sizes, n_targets, ties)
        for s, chance in exact.chances.items():
            count = int(np.isclose(draws, float(s), rtol=1e-9, atol=1e-12).sum())
            assert binomtest(count, 4000, float(chance)).pvalue > 1e-6


# Longer rankings: all placements and all ways to fill ties, in floats


def assert_law(null, values, chances, points):
    """Moments, support and both tails at these of the values."""
    room = 1e-10 * max(1e-3, np.abs(values).max())
    assert null.support() == pytest.approx((values.min(), values.max()), abs=room)
    assert null.mean() == pytest.approx(chances @ values, rel=1e-10)
    variance = chances @ (values - chances @ values) ** 2
    assert null.std() == pytest.approx(math.sqrt(variance), rel=1e-6, abs=1e-7)
    for x in points:
        if np.any((abs(values - x) < room) & (abs(values - x) > room / 1000)):
            continue  # rounding may take them for one or for two
        above, below = chances[values >= x - room], chances[values <= x + room]
        assert null.pvalue(x) == pytest.approx(above.sum(), rel=0.02)
        p = null.pvalue(x, alternative="less")
        assert p == pytest.approx(below.sum(), rel=0.02)


@pytest.mark.parametrize("seed", range(30))
def test_few_ties_by_the_values_of_metric_functions(seed):
    """The chance of the hits of each tie is multivariate hypergeometric."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 41))
    m = int(rng.integers(1, n))
    sizes = judges.cut_up(n, int(rng.integers(1, 4)), rng)
    metric, asked = judges.random_metric(n, rng)
    ties = str(rng.choice(TIES))
    null = RandomSelectionNull(
        n, m, tie_sizes=sizes, ties=ties, **named(metric, **asked)
    )
    fills = np.indices([min(size, m) + 1 for size in sizes]).reshape(sizes.size, -1).T
    fills = fills[fills.sum(axis=1) == m].tolist()
    function = getattr(skrank, metric)
    found = [function(*make_list(sizes, hits), **asked, ties=ties) for hits in fills]
    ways = [math.prod(map(math.comb, sizes.tolist(), hits)) for hits in fills]
    values, chances = np.array(found), np.array(ways) / math.comb(n, m)
    assert_law(null, values, chances, rng.choice(values, 8))


UNTIED = [(20, 3), (16, 4), (60, 3), (14, 13), (24, 6), (45, 4)]


@pytest.mark.parametrize(("n", "m"), UNTIED)
def test_average_precision_of_all_placements(n, m):
    values = judges.all_placements(n, m)
    chances = np.full(values.size, 1 / values.size)
    ordered = np.sort(values)
    points = ordered[np.linspace(0, values.size - 1, 12).astype(int)]
    assert_law(RandomSelectionNull(n, m), values, chances, points)


@pytest.mark.slow
def test_two_targets_among_three_thousand():
    n = 3000
    first, second = np.triu_indices(n, 1)
    values = np.sort((1 / (first + 1) + 2 / (second + 1)) / 2)
    null = RandomSelectionNull(n, 2)
    for s in values[[-1, -10, -1000, -100_000, -500_000, -2_000_000]]:
        exact = 1 - np.searchsorted(values, s - 1e-12) / values.size
        assert null.pvalue(s) == pytest.approx(exact, rel=0.05)


FEW_GROUPS = [
    ([10, 30, 60, 200, 2700], 60),
    ([8, 400, 1592, 3000], 25),
    ([1, 2, 4, 8, 16, 32, 64, 128, 256, 512], 6),
]


@pytest.mark.parametrize("ties", ALL_TIES)
@pytest.mark.parametrize(("sizes", "m"), FEW_GROUPS)
def test_few_groups_by_all_ways_to_fill_them(sizes, m, ties):
    """At values that occur, where a method could count half of an atom."""
    sums, chances = judges.spreads(sizes, m, judges.precision_gain(ties))
    values = sums / m
    null = RandomSelectionNull(sum(sizes), m, tie_sizes=sizes, ties=ties)
    order = np.argsort(values)[::-1]
    tail = np.cumsum(chances[order])
    for p in (0.9, 0.3, 0.01, 1e-5, 1e-12, 1e-20):
        x = values[order[min(np.searchsorted(tail, p), values.size - 1)]]
        exact = chances[values >= x - 1e-12].sum()
        assert null.pvalue(x) == pytest.approx(exact, rel=0.05)
        exact = chances[values <= x + 1e-12].sum()
        assert null.pvalue(x, alternative="less") == pytest.approx(exact, rel=0.05)


# Closed forms


@pytest.mark.parametrize("seed", range(25))
def test_hits_above_a_cut_between_ties_are_hypergeometric(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 1000))
    m = int(rng.integers(1, min(n, (10, n)[seed % 2] + 1)))
    t = int(rng.integers(1, n))
    parts = [judges.cut_up(part, int(rng.integers(1, 30)), rng) for part in (t, n - t)]
    units = {
        "recall_at_t": 1 / m,
        "precision_at_t": 1 / t,
        "enrichment_factor": n / (m * t),
    }
    metric = str(rng.choice(list(units)))
    unit, ties = units[metric], str(rng.choice(TIES))
    sizes = None if seed % 5 == 0 else np.concatenate(parts)
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties=ties, **named(metric, t=t))
    hits = hypergeom(n, m, t)
    least, most = hits.support()
    assert null.support() == pytest.approx((unit * least, unit * most), rel=1e-12)
    assert null.mean() == pytest.approx(unit * m * t / n)
    spread = math.sqrt(m * t * (n - m) * (n - t) / (n - 1)) / n
    assert null.std() == pytest.approx(unit * spread)
    h = np.unique(np.linspace(least, most, 20).astype(int))
    close = {"rel": 1e-7, "abs": 1e-290}
    assert null.pvalue(unit * h) == pytest.approx(hits.sf(h - 1), **close)
    less = null.pvalue(unit * h, alternative="less")
    assert less == pytest.approx(hits.cdf(h), **close)
    q = np.append(rng.random(5), [1e-300, 1e-9, 1 - 1e-9])
    assert null.ppf(q) == pytest.approx(unit * hits.ppf(q), rel=1e-12)
    assert null.isf(q) == pytest.approx(unit * hits.isf(q), rel=1e-12)


@pytest.mark.parametrize("metric", ["precision_at_t", "recall_at_t"])
@pytest.mark.parametrize("t", [10_000, 5_000_001])
def test_hits_at_a_cut_of_a_hundred_million(metric, t):
    n, m = 10**8, 10**4
    hits = int(hypergeom.isf(1e-6, n, m, t))
    value = hits / (t if metric == "precision_at_t" else m)
    exact = hypergeom.sf(hits - 1, n, m, t)
    null = RandomSelectionNull(n, m, **named(metric, t=t))
    assert null.pvalue(value) == pytest.approx(exact, rel=1e-6)


def test_more_hits_above_the_cut_than_are_counted_one_by_one():
    """All items above the cut are one group, of more than 2**21 possible hits."""
    n, m, t = 6_000_000, 2_500_000, 3_000_000
    null, law = RandomSelectionNull(n, m, f"recall@{t}"), hypergeom(n, m, t)
    for z, side in ((4, "greater"), (-3, "less")):
        hits = round(law.mean() + z * law.std())
        found = null.tail(hits / m, alternative=side)
        expected = law.logsf(hits - 1) if z > 0 else law.logcdf(hits)
        assert found.method == "exact"
        assert found.log_pvalue == pytest.approx(expected, abs=1e-7)


def test_a_tie_across_the_cut_is_of_two_hypergeometrics():
    # h = H + d (100 - 80) / 50 with H of the 80 above, d of the 50 tied
    null = RandomSelectionNull(1000, 40, "recall@100", tie_sizes=[30, 50, 50, 870])
    above, tied = np.meshgrid(np.arange(41), np.arange(41), indexing="ij")
    chance = hypergeom.pmf(above, 1000, 40, 80)
    chance = chance * hypergeom.pmf(tied, 920, np.maximum(40 - above, 0), 50)
    value = above + 0.4 * tied
    for s in (2.0, 6.8, 12.0, 20.4):
        exact = chance[value >= s - 1e-9].sum()
        assert null.pvalue(s / 40) == pytest.approx(exact, rel=1e-9)


@pytest.mark.slow
def test_a_tie_of_thousands_of_targets_across_the_cut():
    """Half of the hits of the tie count; the judge is a sum over hypergeometrics."""
    sizes, m = [20_000, 20_000, 20_000], 15_000
    null = RandomSelectionNull(60_000, m, "recall@30000", tie_sizes=sizes)
    above = np.arange(4000, 6001)
    inside = np.ceil(2 * (0.503 * m - above) - 1e-9)
    beyond = hypergeom.sf(inside - 1, 40_000, m - above, 20_000)
    truth = float(hypergeom.pmf(above, 60_000, m, 20_000) @ beyond)
    tail = null.tail(0.503)
    assert tail.pvalue == pytest.approx(truth, rel=max(0.05, 4 * tail.doubt))


@pytest.mark.parametrize("seed", range(15))
def test_the_first_hit_has_no_hit_above_it(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 1000))
    m = int(rng.integers(1, min(n, (10, n)[seed % 2] + 1)))
    last = n - m + 1
    rank = rng.integers(1, last + 1, 5)
    null = RandomSelectionNull(n, m, "reciprocal_rank")
    assert null.support() == pytest.approx((1 / last, 1.0))
    close = {"rel": 1e-7, "abs": 1e-290}
    none_so_far = hypergeom.sf(0, n, m, rank)
    assert null.pvalue(1 / rank) == pytest.approx(none_so_far, **close)
    less = null.pvalue(1 / rank, alternative="less")
    assert less == pytest.approx(hypergeom.pmf(0, n, m, rank - 1), **close)


@pytest.mark.parametrize("n", [5000, 21_000])
def test_one_target_is_uniform_over_the_ranks(n):
    null = RandomSelectionNull(n, 1)
    for rank in (1, 2, 7, n - 1, n):
        assert null.pvalue(1 / rank) == pytest.approx(rank / n, rel=0.02)


@pytest.mark.parametrize("seed", range(15))
def test_the_best_ranking_by_the_number_of_placements(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 1000))
    m, k = int(rng.integers(1, n)), int(rng.integers(1, n + 1))
    # hits on top, and the rest where it does not count
    on_top = math.comb(n - k, m - k) if k < m else 1
    any_on_top = sum(math.comb(n - k, m - h) for h in range(1, min(m, k) + 1))
    cases = [
        ("average_precision", {}, 1),
        ("rie", {"alpha": 5.0}, 1),
        ("bedroc", {"alpha": 5.0}, 1),
        ("average_precision_at_k", {"k": k}, on_top),
        ("average_precision_at_k", {"k": k, "normalize": "relevant"}, on_top),
        ("average_precision_at_k", {"k": k, "normalize": "hits"}, any_on_top),
    ]
    for metric, asked, count in cases:
        null = RandomSelectionNull(n, m, **named(metric, **asked))
        found = null.tail(null.support()[1])
        exact = math.log(count) - math.log(math.comb(n, m))
        assert found.log_pvalue == pytest.approx(exact, rel=1e-10, abs=1e-9), metric


@pytest.mark.parametrize(("n", "m"), [(14_906, 304), (300, 7), (10**8, 10**4)])
def test_the_best_and_the_worst_ranking_are_one_placement_each(n, m):
    null, exact = RandomSelectionNull(n, m), -oracles.log_binomial(n, m)
    i = np.arange(1, m + 1)
    assert null.support()[0] == pytest.approx(np.mean(i / (n - m + i)), rel=1e-12)
    assert null.tail(1.0).log_pvalue == pytest.approx(exact, rel=1e-9)
    if n < 10**6:  # where other values are not the same but for rounding
        less = null.tail(null.support()[0], alternative="less")
        assert less.log_pvalue == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("first", [100, 70])
def test_ends_where_the_cut_divides_a_tie(first):
    """The judge is the chance of the hits above the tie, and of those in it."""
    n, m, k = 30_000, 700, 400
    sizes = np.ones(n - 4999, dtype=int)
    sizes[first] = 5000
    metric = f"average_precision@{k}"
    null = RandomSelectionNull(n, m, metric, tie_sizes=sizes, ties="pessimistic")
    chance = hypergeom.logpmf(0, n, m, first)
    assert null.tail(0.0, alternative="less").log_pvalue == pytest.approx(chance)
    null = RandomSelectionNull(n, m, metric, tie_sizes=sizes, ties="optimistic")
    chance = hypergeom.logpmf(first, n, m, first)
    chance += hypergeom.logsf(k - first - 1, n - first, m - first, 5000)
    assert null.tail(1.0).log_pvalue == pytest.approx(chance)


def test_few_hits_above_the_cut():
    # AP@100 of 100 targets among 100,000 is above 0 with the chance of any hit
    null = RandomSelectionNull(100_000, 100, "average_precision@100")
    any_hit = hypergeom.sf(0, 100_000, 100, 100)
    assert null.pvalue(0.01 / 100) == pytest.approx(any_hit, rel=1e-3)


def test_mean_over_hits_is_a_mixture():
    # given h hits in the top k they are spread over it at random, so that it is a
    # hypergeometric mixture of average precision on rankings of length k
    n, m, k, s = 500, 25, 12, 0.65
    null = RandomSelectionNull(n, m, f"average_precision@{k}(normalize=hits)")
    exact = sum(
        hypergeom.pmf(h, n, m, k) * np.mean(judges.all_placements(k, h) >= s - 1e-12)
        for h in range(1, k + 1)
    )
    assert null.pvalue(s) == pytest.approx(exact, rel=1e-9)
