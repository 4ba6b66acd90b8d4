"""The mean over several rankings, against convolutions and draws."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from null import judges
from scipy.stats import hypergeom, norm

import oracles
from cases import ALL_TIES, METRICS, named, oracle_settings
from skrank import RandomSelectionNull
from skrank.null import MeanNull


def means(laws):
    """Distribution of the mean of independent values, in rational numbers."""
    null = {Fraction(0): Fraction(1)}
    for one in laws:
        total = defaultdict(Fraction)
        for (x, p), (y, q) in product(null.items(), one.items()):
            total[x + y / len(laws)] += p * q
        null = total
    return judges.Exact(null)


def lists_null(lists, metric="average_precision", **settings):
    return MeanNull(
        [
            RandomSelectionNull(sum(sizes), m, metric, tie_sizes=sizes, **settings)
            for sizes, m in lists
        ]
    )


def assert_exact(null, exact, values, rel=1e-9):
    assert null.mean() == pytest.approx(exact.mean, rel=1e-12)
    assert null.std() == pytest.approx(exact.std, rel=1e-9, abs=1e-12)
    assert null.support() == pytest.approx(exact.support, rel=1e-12, abs=1e-12)
    for s in values:
        for side, p in zip(judges.SIDES, exact.pvalues(s), strict=True):
            judges.assert_p(null.tail(float(s), alternative=side), float(p), rel)
        below = float(exact.cdf(s))
        assert null.cdf(float(s)) == pytest.approx(below, rel=rel)
        assert null.sf(float(s)) == pytest.approx(1 - below, rel=rel, abs=1e-12)


FIVE = ((1,) * 5, 2)
CONVOLVED = {
    "alike": [FIVE] * 3,
    "unlike": [FIVE, ((2, 3, 1), 2), FIVE],
    "two": [((1, 2, 2), 3), ((1, 1, 4), 1)],
    "one": [((1, 3, 1, 2), 3)],
}


@pytest.mark.parametrize("lists", CONVOLVED)
@pytest.mark.parametrize(
    "case",
    # sums of logarithms that are equal are so up to rounding only
    [case for case in METRICS if not any(x in case for x in ("hits", "4", "log_auc"))],
)
def test_means_against_convolutions(lists, case):
    """All combinations of placements, in rational numbers."""
    metric, settings = METRICS[case]
    lists = CONVOLVED[lists]
    laws = [
        oracles.null_distribution(*one, metric, **oracle_settings(case, sum(one[0])))
        for one in lists
    ]
    null = lists_null(lists, **named(metric, **settings))
    exact = means(laws)
    assert_exact(null, exact, exact.values[:: 1 + len(exact.values) // 12])


@pytest.mark.parametrize("ties", ALL_TIES)
def test_folds_of_few_ties_against_convolutions(ties):
    lists = [([6, 30], 3), ([3, 40], 3), ([20, 5, 11], 2), ([6, 30], 3)]
    laws = [
        oracles.null_distribution(*one, "average_precision", ties=ties) for one in lists
    ]
    exact = means(laws)
    values = exact.values[:: len(exact.values) // 10 + 1]
    assert_exact(lists_null(lists, ties=ties), exact, values, rel=0.02)


@pytest.mark.parametrize("value", [0.7, 0.8, 0.9, 0.95])
def test_two_rankings_near_their_best_against_all_pairs(value):
    null = MeanNull([RandomSelectionNull(20, 3), RandomSelectionNull(16, 4)])
    one, other = (judges.all_placements(n, m) for n, m in ((20, 3), (16, 4)))
    share = np.mean(np.add.outer(one, other) / 2 >= value - 1e-12)
    assert null.pvalue(value) == pytest.approx(share, rel=0.02)


@pytest.mark.parametrize("z", [-2, -1, 0, 1, 2, 4])
def test_four_first_hits_against_all_combinations(z):
    """Four folds of (40, 5): all mean reciprocal ranks, added up one by one."""
    rank = np.arange(1, 37)
    chance = np.array([math.comb(40 - int(r), 4) for r in rank]) / math.comb(40, 5)
    two = np.add.outer(1 / rank, 1 / rank).ravel() / 4
    values = np.add.outer(two, two).ravel()
    weight = np.multiply.outer(chance, chance).ravel()
    weight = np.multiply.outer(weight, weight).ravel()
    null = MeanNull([RandomSelectionNull(40, 5, "reciprocal_rank")] * 4)
    s = values[np.argmin(np.abs(values - judges.at_z(null, z)))]
    for side, sign in (("greater", 1), ("less", -1)):
        exact = weight[sign * (values - s) >= -1e-12].sum()
        assert null.pvalue(s, alternative=side) == pytest.approx(exact, rel=0.05)


def first_hits(n_samples, n_targets):
    """Reciprocal ranks without ties, and their probabilities."""
    rank = np.arange(1, n_samples - n_targets + 2)
    below = [math.comb(n_samples - int(r), n_targets - 1) for r in rank]
    return 1 / rank, np.array(below) / math.comb(n_samples, n_targets)


@pytest.mark.parametrize("value", [0.05, 0.2, 0.25, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("method", ["auto", "importance_sampling"])
@pytest.mark.parametrize("relevant", [(3, 5, 7, 9), (1, 1, 2, 2), (1, 2, 3, 90)])
def test_first_hits_of_different_queries_against_all_combinations(
    value, method, relevant
):
    """Four queries of 100 documents: sums of two pairs."""
    (one, p_one), (other, p_other) = (
        (np.add.outer(v, w).ravel() / 4, np.multiply.outer(p, q).ravel())
        for (v, p), (w, q) in (
            (first_hits(100, relevant[i]), first_hits(100, relevant[i + 1]))
            for i in (0, 2)
        )
    )
    order = np.argsort(other)
    below = np.append(0, np.cumsum(p_other[order]))
    wanted = np.searchsorted(other[order], value - 1e-9 - one)
    exact = float(p_one @ (1 - below[wanted]))
    null = MeanNull([RandomSelectionNull(100, m, "reciprocal_rank") for m in relevant])
    judges.assert_p(null.tail(value, method=method, random_state=0), exact, 0.05)


@pytest.mark.parametrize("n_queries", [6, 30, 100])
@pytest.mark.parametrize("rank", [2, 3, 4])
def test_nearly_perfect_means_of_queries_with_one_target(n_queries, rank):
    """At most one query has a rank from 2 to `rank`; the other targets are first."""
    sizes = np.random.default_rng(5).integers(20, 3000, size=n_queries)
    null = MeanNull([RandomSelectionNull(int(n), 1, "reciprocal_rank") for n in sizes])
    count = 1 + (rank - 1) * n_queries
    exact = math.log(count) - math.fsum(np.log(sizes).tolist())
    found = null.tail(1 - (1 - 1 / rank) / n_queries, random_state=0)
    assert found.log_pvalue == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize("n_rankings", [20, 100])
@pytest.mark.parametrize("ties", ALL_TIES)
def test_first_hits_of_many_tied_queries_against_draws(n_rankings, ties):
    """The first target of each ranking is drawn by numpy alone."""
    rng = np.random.default_rng(3)
    sizes = [rng.integers(1, 9, size=20) for _ in range(n_rankings)]
    null = lists_null([(one, 4) for one in sizes], "reciprocal_rank", ties=ties)
    drawn = np.zeros(4000)
    for one in sizes:
        group = np.repeat(np.arange(one.size), one)
        targets = rng.random((drawn.size, group.size)).argsort(axis=1)[:, :4]
        first = group[targets.min(axis=1)]
        hits = (group[targets] == first[:, None]).sum(axis=1)
        above, size = (np.cumsum(one) - one)[first], one[first]
        place = {"optimistic": 1, "pessimistic": size - hits + 1, "together": size}
        if ties == "expected":
            drawn += expected_first(above, size, hits) / n_rankings
        else:
            drawn += 1 / (above + place[ties]) / n_rankings
    for value in np.quantile(drawn, [0.2, 0.5, 0.8, 0.95]):
        share = np.mean(drawn >= value - 1e-9)
        error = math.sqrt(share * (1 - share) / drawn.size)
        assert null.pvalue(value) == pytest.approx(share, abs=4 * error)


def expected_first(above, size, hits):
    """Mean of 1 / rank of the first of some hits in a tie, one by one."""
    found = [
        sum(
            math.comb(s - i - 1, h - 1) / math.comb(s, h) / (a + i + 1)
            for i in range(s - h + 1)
        )
        for a, s, h in zip(above.tolist(), size.tolist(), hits.tolist(), strict=True)
    ]
    return np.array(found)


@pytest.mark.parametrize("copies", [1, 2, 5])
def test_means_of_recalls_are_sums_of_hypergeometric_hits(copies):
    null = MeanNull([RandomSelectionNull(100, 10, "recall@20")] * copies)
    hits = np.ones(1)
    for _ in range(copies):
        hits = np.convolve(hits, hypergeom(100, 10, 20).pmf(np.arange(11)))
    for h in (3, 5, 8, 10 * copies):
        exact = hits[h:].sum()
        judges.assert_p(null.tail(h / (10 * copies)), exact)


def test_mean_of_one_list_is_its_distribution():
    null, same = (
        RandomSelectionNull(1000, 30),
        MeanNull([RandomSelectionNull(1000, 30)]),
    )
    for s in (0.04, 0.1, 0.5):
        assert same.tail(s).log_pvalue == pytest.approx(null.tail(s).log_pvalue)
    assert same.mean() == null.mean()
    assert same.std() == pytest.approx(null.std(), rel=1e-12)


DRAWN = {
    "alike": [((1,) * 200, 4)] * 5,
    "unlike": [((1,) * 300, 20), ((1,) * 250, 30), ((1,) * 400, 10)],
    "tied": [([5, 20, 75, 150, 250], 25), ([1, 9, 40, 100, 350], 20)],
    "many and few": [((1,) * 5000, 1000), ((1,) * 300, 10)],
}


@pytest.mark.nightly
@pytest.mark.parametrize("lists", DRAWN)
def test_means_against_rankings_drawn_by_numpy(lists):
    rng, lists = np.random.default_rng(5), DRAWN[lists]
    null = lists_null(lists)
    size = 40_000 if sum(map(len, (sizes for sizes, _ in lists))) < 2000 else 4000
    draws = np.mean(
        [
            judges.drawn_values(sum(z), m, size, rng, None if len(z) == sum(z) else z)
            for z, m in lists
        ],
        axis=0,
    )
    assert draws.mean() == pytest.approx(
        null.mean(), abs=5 * null.std() / math.sqrt(size)
    )
    assert draws.std() == pytest.approx(null.std(), rel=0.05)
    for q in (0.02, 0.3, 0.9, 0.99, 0.999):
        s = float(np.quantile(draws, q))
        judges.assert_share(draws, s, null.pvalue(s), room=0.05)
        p = null.pvalue(s, alternative="less")
        judges.assert_share(draws, s, p, "less", room=0.05)


@pytest.mark.parametrize("inflation", [1.5, 2**0.5])
def test_inflation_spreads_the_distribution_about_its_mean(inflation):
    """What would be beyond the least or the largest value is then at it."""
    lists = [FIVE, ((2, 3, 1), 2), FIVE]
    exact = means(
        [oracles.null_distribution(*one, "average_precision") for one in lists]
    )
    nulls = lists_null(lists).nulls
    null = MeanNull(nulls, inflation=inflation)
    least, most = exact.support
    mean = exact.mean
    wider = np.clip(
        [mean + inflation * (float(s) - mean) for s in exact.values], least, most
    )
    chances = np.array([float(exact.chances[s]) for s in exact.values])
    assert null.mean() == pytest.approx(mean)
    assert null.std() == pytest.approx(inflation * exact.std)
    assert null.support() == pytest.approx((least, most))
    for x in [*wider[::9], least, most]:
        for side, sign in (("greater", 1), ("less", -1)):
            p = chances[sign * (wider - x) >= -1e-11].sum()
            assert null.pvalue(float(x), alternative=side) == pytest.approx(p, rel=1e-8)
    draws = null.rvs(4000, 0)
    assert draws.min() >= least - 1e-12
    assert draws.max() <= most + 1e-12
    for x in np.quantile(draws, [0.1, 0.9]):
        judges.assert_share(draws, x, null.pvalue(float(x)))


# Near the best, and many lists


def test_quantiles_of_two_lists_near_their_best():
    null = MeanNull([RandomSelectionNull(50, 5)] * 2)
    chance = 1 / math.comb(50, 5) ** 2
    assert null.isf(chance / 2) == 1.0
    assert null.pvalue(1.0) == pytest.approx(chance, rel=1e-6)
    # one target of one ranking a place further down: two pairs of rankings
    second = 1 - (1 - 5 / 6) / 10
    assert null.pvalue(second) == pytest.approx(3 * chance, rel=0.02)
    assert null.isf(1.5 * chance) == pytest.approx(second, abs=1e-6)


NEAR = {
    "dense": [((1,) * 40, 35)] * 2,
    "folds": [((1,) * 200, 4)] * 5,
    "unlike": [((1,) * 50, 5), ((1,) * 300, 20)],
}


@pytest.mark.nightly
@pytest.mark.parametrize("lists", NEAR)
def test_tails_up_to_the_best(lists):
    """They fall, both sides are all there is, and nothing is left to bounds."""
    null = lists_null(NEAR[lists])
    mean, most = null.mean(), null.support()[1]
    before = 0.0
    for part in (0.8, 0.3, 0.1, 0.02, 1e-5):
        value = most - part * (most - mean)
        above, below = null.tail(value), null.tail(value, alternative="less")
        assert above.doubt < 0.05
        assert above.log_pvalue < before
        before = above.log_pvalue
        p = -math.expm1(below.log_pvalue)
        assert p == pytest.approx(above.pvalue, rel=0.05, abs=1e-12)


def test_beyond_the_best_of_several_lists():
    sizes = [3, 3, 8, 9, 4, 3, 8, 2, 5, 1, 12, 1, 8, 5, 2, 3, 11, 30, 40, 120]
    null = lists_null([(sizes, 72), ((1,) * 232, 5)], ties="optimistic")
    assert null.support()[1] == pytest.approx(1.0)
    assert null.pvalue(1.000001) == 0.0
    assert null.pvalue(1.000001, alternative="less") == 1.0


def test_reversed_folds_are_no_better_than_chance():
    """All targets are among the last third of each of five lists."""
    null = MeanNull([RandomSelectionNull(360, 36, "rie")] * 5)
    places = np.arange(240, 276)
    value = np.exp(-20 * (places + 1) / 360).sum()
    value *= 360 / 36 / np.exp(-20 * np.arange(1, 361) / 360).sum()
    assert null.pvalue(float(value)) == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("metric", ["reciprocal_rank", "average_precision"])
def test_the_mean_of_very_many_lists_is_normal(metric):
    null = MeanNull([RandomSelectionNull(n, 4, metric) for n in (30, 40, 50)] * 200)
    for z in (-1, 0, 1):
        p = null.pvalue(judges.at_z(null, z))
        assert p == pytest.approx(norm.sf(z), abs=0.015)


@pytest.mark.nightly
def test_means_over_hits_against_draws():
    """A divisor that depends on the ranking: no sum adds up, but draws do."""
    lists = [RandomSelectionNull(400, 40, "average_precision@40(normalize=hits)")] * 3
    null = MeanNull(lists)
    draws = np.mean([one.rvs(4000, seed) for seed, one in enumerate(lists)], axis=0)
    for s in np.quantile(draws, [0.3, 0.6, 0.95]):
        found = null.tail(float(s), random_state=0)
        assert found.method in judges.FOUND_BY
        judges.assert_share(draws, s, found.pvalue, room=0.05)


def test_the_order_of_the_lists_does_not_matter():
    lists = [RandomSelectionNull(n, 5) for n in (40, 60, 80)]
    one, other = MeanNull(lists), MeanNull(lists[::-1])
    assert one.mean() == pytest.approx(other.mean(), rel=1e-14)
    assert one.std() == pytest.approx(other.std(), rel=1e-14)
    for s in (0.1, 0.2, 0.6):
        assert one.pvalue(s) == pytest.approx(other.pvalue(s), rel=1e-3)


def test_means_of_ratios_are_drawn():
    """AP@k over the hits has a divisor for each ranking: no sum is the event."""
    name = "average_precision@50(normalize=hits)"
    null = MeanNull([RandomSelectionNull(500, 20, name)] * 2)
    values = null.rvs(100_000, 1)
    usual = null.mean() + 2 * null.std()
    found = null.tail(usual)
    assert found.method == "monte_carlo"
    assert found.pvalue == pytest.approx(np.mean(values >= usual), rel=0.08)
    rare = null.mean() + 6 * null.std()
    with pytest.warns(RuntimeWarning, match="with a relative error of"):
        found = null.tail(rare)
    share = np.mean(values >= rare)
    assert found.pvalue == pytest.approx(share, rel=5 * found.error)
    null = MeanNull([RandomSelectionNull(50_000, 20, name)] * 2)
    with pytest.warns(RuntimeWarning, match="is known to be at least"):
        assert null.tail(0.98).method == "bounds"
