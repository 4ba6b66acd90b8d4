"""The null distribution: moments and engines, judged by enumeration."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import comb
from scipy.stats import binomtest, hypergeom

import oracles
from cases import LISTS, METRICS, SMALL_LISTS, TIES, named, oracle_settings
from skrank import RandomSelectionNull
from skrank.null._chain import Chain
from skrank.null._moments import chain_moments
from skrank.ranking._ties import TieGroups

pytestmark = pytest.mark.arithmetic

all_cases = pytest.mark.parametrize("case", METRICS)
all_ties = pytest.mark.parametrize("ties", TIES)


def make_null(case, sizes, n_targets, ties="expected"):
    metric, settings = METRICS[case]
    return RandomSelectionNull(
        sum(sizes), n_targets, tie_sizes=sizes, ties=ties, **named(metric, **settings)
    )


def exact_distribution(case, sizes, n_targets, ties="expected"):
    metric, _ = METRICS[case]
    settings = oracle_settings(case, sum(sizes))
    return oracles.null_distribution(sizes, n_targets, metric, ties=ties, **settings)


# All placements of the targets, in rationals


@all_cases
@all_ties
@pytest.mark.parametrize(("sizes", "n_targets"), LISTS)
def test_mean_and_std_against_all_placements(case, ties, sizes, n_targets):
    null = make_null(case, sizes, n_targets, ties)
    mean, variance = oracles.mean_and_variance(
        exact_distribution(case, sizes, n_targets, ties)
    )
    assert null.mean() == pytest.approx(float(mean), rel=1e-12)
    assert null.std() == pytest.approx(math.sqrt(variance), rel=1e-10, abs=1e-12)


@all_cases
@all_ties
@pytest.mark.parametrize(("sizes", "n_targets"), LISTS)
@pytest.mark.slow
def test_enumeration_against_all_placements(case, ties, sizes, n_targets):
    null = make_null(case, sizes, n_targets, ties)
    judge = exact_distribution(case, sizes, n_targets, ties)
    for s in judge:
        greater, less = oracles.tail(judge, s), 1 - oracles.tail(judge, s) + judge[s]
        exact = [greater, less, min(1, 2 * min(greater, less))]
        values = [
            null.pvalue(float(s), alternative=alternative, method="exact")
            for alternative in ("greater", "less", "two-sided")
        ]
        assert_allclose(values, np.array(exact, dtype=float), rtol=1e-11)


@all_cases
@all_ties
@pytest.mark.parametrize(("sizes", "n_targets"), LISTS)
def test_inversion_is_exact_at_the_ends_of_the_support(case, ties, sizes, n_targets):
    null = make_null(case, sizes, n_targets, ties)
    judge = exact_distribution(case, sizes, n_targets, ties)
    best, worst = max(judge), min(judge)
    assert null.pvalue(float(best), method="inversion") == pytest.approx(
        float(judge[best])
    )
    assert null.pvalue(float(worst), method="inversion") == 1.0
    less = null.pvalue(float(worst), alternative="less", method="inversion")
    assert less == pytest.approx(float(judge[worst]))
    for method in ("exact", "inversion"):
        assert null.pvalue(float(best) + 1e-6, method=method) == 0.0


@all_cases
@all_ties
@pytest.mark.slow
def test_draws_against_all_placements(case, ties):
    # every atom of the distribution by an exact binomial test, scipy.stats.binomtest
    rng = np.random.default_rng(0)
    for sizes, n_targets in SMALL_LISTS[:4]:
        null = exact_distribution(case, sizes, n_targets, ties)
        draws = make_null(case, sizes, n_targets, ties).rvs(4000, rng)
        for s, chance in null.items():
            count = int(np.isclose(draws, float(s), rtol=1e-9, atol=1e-12).sum())
            assert binomtest(count, 4000, float(chance)).pvalue > 1e-6


# Closed forms


@pytest.mark.parametrize(
    ("n", "m", "mean", "std"),
    [
        (1000, 100, 0.105843, 0.011408),
        (2000, 500, 0.252693, 0.009946),
        (3000, 245, 0.083989, 0.0056135),
    ],
)
def test_untied_moments_against_two_ways(n, m, mean, std):
    # the settings of Zhang and Su (2012, Table III) and of Su and Zhang's slides; the
    # closed form and the chain are independent of each other. For the mean:
    # (m-1)/(n-1) + (n-m) H_n / (n(n-1))
    null = RandomSelectionNull(n, m)
    assert_allclose([null.mean(), null.std()], [mean, std], rtol=1e-4)
    harmonic = np.sum(1 / np.arange(1, n + 1))
    by_hand = (m - 1) / (n - 1) + (n - m) * harmonic / (n * (n - 1))
    assert null.mean() == pytest.approx(by_hand, rel=1e-13)
    chain_mean, chain_variance = chain_moments(null._terms[0].chain)
    assert chain_mean == pytest.approx(null.mean(), rel=1e-11)
    assert math.sqrt(chain_variance) == pytest.approx(null.std(), rel=1e-9)


@pytest.mark.parametrize(
    ("n", "m", "k"), [(300, 30, 40), (300, 1, 300), (5, 2, 3), (40, 39, 7), (3, 2, 2)]
)
@pytest.mark.parametrize("normalize", ["min", "relevant"])
def test_moments_at_k_closed_form_against_chain(n, m, k, normalize):
    null = RandomSelectionNull(n, m, f"average_precision@{k}(normalize={normalize})")
    mean, variance = chain_moments(null._terms[0].chain)
    assert null.mean() == pytest.approx(mean, rel=1e-12)
    assert null.std() == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-12)


def test_expected_ties_do_not_change_the_mean():
    sizes = [50, 1, 1, 148, 300, 500]
    tied = RandomSelectionNull(1000, 30, tie_sizes=sizes)
    assert tied.mean() == pytest.approx(RandomSelectionNull(1000, 30).mean(), rel=1e-11)
    assert tied.std() < RandomSelectionNull(1000, 30).std()


@pytest.mark.parametrize("metric", ["recall_at_t", "precision_at_t"])
@pytest.mark.parametrize("sizes", [None, [7, 43, 50, 900], [100, 900]])
def test_top_t_against_hypergeometric(metric, sizes):
    # scipy.stats.hypergeom: hits among the top 100 of 1000 with 60 targets
    null = RandomSelectionNull(1000, 60, tie_sizes=sizes, **named(metric, t=100))
    divisor = 60 if metric == "recall_at_t" else 100
    hits = np.arange(61)
    judge = hypergeom(1000, 60, 100)
    for alternative, exact in (
        ("greater", judge.sf(hits - 1)),
        ("less", judge.cdf(hits)),
    ):
        values = [null.pvalue(h / divisor, alternative=alternative) for h in hits]
        assert_allclose(values, exact, rtol=1e-9)
    assert null.mean() == pytest.approx(judge.mean() / divisor)
    assert null.std() == pytest.approx(judge.std() / divisor)


def test_tie_across_t_against_two_hypergeometrics():
    # h = H + d (100 - 80) / 50 with H of the 80 above, d of the 50 tied
    null = RandomSelectionNull(1000, 40, "recall@100", tie_sizes=[30, 50, 50, 870])
    above, tied = np.meshgrid(np.arange(41), np.arange(41), indexing="ij")
    chance = hypergeom.pmf(above, 1000, 40, 80)
    chance = chance * hypergeom.pmf(tied, 920, np.maximum(40 - above, 0), 50)
    value = above + 0.4 * tied
    for s in (2.0, 6.8, 12.0, 20.4):
        exact = chance[value >= s - 1e-9].sum()
        assert null.pvalue(s / 40) == pytest.approx(exact, rel=1e-9)


def test_perfect_ranking_against_the_number_of_placements():
    # P(AP = 1) = 1 / C(n, m), here about 1e-643
    null = RandomSelectionNull(14906, 304)
    log_p, bounds, *_ = null.tail(1.0)
    assert bounds == (log_p, log_p)
    exact = -(math.lgamma(14907) - math.lgamma(305) - math.lgamma(14603))
    assert log_p == pytest.approx(exact, rel=1e-10)
    assert null.pvalue(1.0) == 0.0


def test_one_target_is_uniform_over_the_ranks():
    null = RandomSelectionNull(5000, 1)
    for rank in (1, 2, 7, 4999, 5000):
        assert null.pvalue(1 / rank) == pytest.approx(rank / 5000)


# The grid


@pytest.mark.filterwarnings("ignore:the p-value is known to be:RuntimeWarning")
@all_cases
@all_ties
@pytest.mark.parametrize(("sizes", "n_targets"), LISTS)
@pytest.mark.slow
def test_grid_bounds_against_all_placements(case, ties, sizes, n_targets):
    # certified: the exact probability of an atom lies between the bounds
    null = make_null(case, sizes, n_targets, ties)
    judge = exact_distribution(case, sizes, n_targets, ties)
    atoms = sorted(judge)
    for i in np.unique(np.linspace(0, len(atoms) - 1, 12).astype(int)):
        s = atoms[i]
        greater, less = oracles.tail(judge, s), 1 - oracles.tail(judge, s) + judge[s]
        two_sided = min(1, 2 * min(greater, less))
        for alternative, exact in (
            ("greater", greater),
            ("less", less),
            ("two-sided", two_sided),
        ):
            log_p, bounds, *_ = null.tail(
                float(s), alternative=alternative, method="grid"
            )
            lower, p, upper = np.exp([bounds[0], log_p, bounds[1]])
            assert lower * (1 - 1e-11) <= float(exact) <= upper * (1 + 1e-11)
            assert lower <= p * (1 + 1e-11) <= upper * (1 + 2e-11)


@pytest.mark.slow
@pytest.mark.parametrize("ties", TIES)
def test_grid_against_enumeration_deep_in_the_tail(ties):
    # ties as from nearest neighbours; a few percent is what the documentation promises
    null = RandomSelectionNull(
        3000, 50, tie_sizes=[5, 20, 40, 100, 300, 2535], ties=ties
    )
    deepest = 0.0
    for s in np.geomspace(null.mean(), 0.75, 5):
        exact = null.tail(s, method="exact").log_pvalue
        log_p, bounds, *_ = null.tail(s, method="grid")
        assert bounds[0] <= exact + 1e-9 <= bounds[1] + 2e-9
        assert log_p == pytest.approx(exact, abs=0.05)
        deepest = min(deepest, exact)
    assert deepest < -60


def test_grid_against_draws_where_the_distribution_is_lumpy():
    # n = 1000, m = 20, z = 6: true 2.1e-3, normal 1e-9
    null = RandomSelectionNull(1000, 20)
    s = null.mean() + 6 * null.std()
    draws = null.rvs(400_000, np.random.default_rng(3))
    count = int(np.sum(draws >= s))
    p = null.pvalue(s, method="grid")
    assert binomtest(count, draws.size, p).pvalue > 1e-3
    assert p == pytest.approx(2.1e-3, rel=0.02)
    assert null.pvalue(s, method="normal") == pytest.approx(1e-9, rel=0.1)


@pytest.mark.slow
def test_rare_targets_against_all_pairs():
    # all 4,498,500 placements of two targets among 3000 items
    n = 3000
    first, second = np.triu_indices(n, 1)
    values = np.sort((1 / (first + 1) + 2 / (second + 1)) / 2)
    null = RandomSelectionNull(n, 2)
    for s in values[[-1, -10, -1000, -100_000, -500_000, -2_000_000]]:
        exact = 1 - np.searchsorted(values, s - 1e-12) / values.size
        # ten placements are few: the atom at s itself is a part of them
        tolerance = 0.1 if exact < 1e-5 else 0.02
        assert null.pvalue(s, method="grid") == pytest.approx(exact, rel=tolerance)


def test_one_rare_target_against_its_rank():
    # the ranking is too long to be enumerated
    null = RandomSelectionNull(21_000, 1)
    for rank in (1, 3, 15_000):
        assert null.pvalue(1 / rank) == pytest.approx(rank / 21_000, rel=0.02)


def test_few_hits_above_the_cut_against_hypergeometric():
    # AP@100 of 100 targets among 100,000 is above 0 with the chance of any hit
    settings = {"metric": "average_precision_at_k", "k": 100}
    null = RandomSelectionNull(100_000, 100, **named(**settings))
    any_hit = hypergeom.sf(0, 100_000, 100, 100)
    assert null.pvalue(0.01 / 100) == pytest.approx(any_hit, rel=1e-3)


@pytest.mark.slow
def test_rare_targets_against_simulated_lists():
    # 200,000 rankings drawn by numpy alone; p falls as average precision rises
    rng = np.random.default_rng(8)
    n, m = 15_000, 24
    places = np.sort(rng.integers(1, n + 1, size=(200_000, m)), axis=1)
    places = places[np.all(np.diff(places, axis=1) > 0, axis=1)]
    draws = np.sort((np.arange(1, m + 1) / places).mean(axis=1))
    null = RandomSelectionNull(n, m)
    before = 1.0
    for s in (0.0022, 0.004, 0.03):
        log_p, bounds, _, method = null.tail(s, method="grid")
        count = draws.size - int(np.searchsorted(draws, s))
        assert method == "grid"
        assert binomtest(count, draws.size, math.exp(log_p)).pvalue > 1e-3
        assert bounds[0] < log_p < bounds[1]
        assert math.exp(log_p) < before
        before = math.exp(log_p)


def test_coarse_chain_against_the_full_one():
    # merging far ranks changes neither the mean nor, to six digits, the spread
    chain = RandomSelectionNull(6000, 40)._terms[0].chain
    assert chain.coarse.ends.size < 600
    mean, variance = chain_moments(chain)
    coarse_mean, coarse_variance = chain_moments(chain.coarse)
    assert coarse_mean == pytest.approx(mean, rel=1e-9)
    assert coarse_variance == pytest.approx(variance, rel=1e-4)


def test_coarse_chain_keeps_short_lists_and_large_ties():
    short = RandomSelectionNull(150, 10)._terms[0].chain
    assert not short.coarse.merged.any()
    sizes = [1] * 300 + [2000] + [1] * 5000 + [900]
    tied = RandomSelectionNull(8200, 20, tie_sizes=sizes)._terms[0].chain.coarse
    assert 2000 in tied.sizes[~tied.merged]
    assert tied.sizes[-1] == 900
    assert tied.ends[-1] == 8200
    assert tied.sizes[tied.merged].max() <= 2 * 8200 / 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the p-value is known to be:RuntimeWarning")
@pytest.mark.parametrize("left_out", [1e-3, 1.0, 30.0])
def test_grid_bounds_hold_whatever_is_left_out(monkeypatch, left_out):
    # enumeration is the judge; what is left out is in the bounds
    monkeypatch.setattr("skrank.null._grid._LEFT_OUT", math.log(left_out))
    null = RandomSelectionNull(80, 4)
    for s in (0.05, 0.1, 0.3, 0.6):
        exact = null.tail(s, method="exact").log_pvalue
        _, bounds, *_ = null.tail(s, method="grid")
        assert bounds[0] - 1e-11 <= exact <= bounds[1] + 1e-11


def test_grid_is_not_for_too_many_states(monkeypatch):
    monkeypatch.setattr("skrank.null._grid._MAX_STATES", 1000)
    with pytest.raises(
        ValueError, match="`method` must not be 'grid' for a distribution"
    ):
        RandomSelectionNull(1000, 20).pvalue(0.5, method="grid")


def test_grid_knows_the_ends():
    null = RandomSelectionNull(200, 8)
    assert null.pvalue(1.01, method="grid") == 0.0
    worst = np.mean(np.arange(1, 9) / np.arange(193, 201))
    assert null.pvalue(worst, method="grid") == 1.0
    assert null.pvalue(1.0, method="grid") == pytest.approx(1 / comb(200, 8), rel=0.02)


# Between the ends


def test_hits_divisor_without_ties_against_mixture_of_distributions():
    # given h hits in the top k they are spread over it at random, so the distribution
    # is a hypergeometric mixture of the distributions of AP on rankings of length k
    n, m, k, s = 500, 25, 12, 0.65
    null = RandomSelectionNull(n, m, f"average_precision@{k}(normalize=hits)")
    exact = sum(
        hypergeom.pmf(h, n, m, k) * RandomSelectionNull(k, h).pvalue(s)
        for h in range(1, k)
    ) + hypergeom.pmf(k, n, m, k)
    assert null.pvalue(s, method="exact") == pytest.approx(exact, rel=1e-9)


def test_inversion_where_one_path_is_left():
    null = RandomSelectionNull(
        73, 36, "average_precision@11", ties="pessimistic", tie_sizes=[41, 21, 11]
    )
    with pytest.warns(RuntimeWarning, match="with a relative error of 50% only"):
        log_p, *_ = null.tail(1e-9, method="inversion")
    assert -math.inf < log_p <= 0


def test_inversion_is_refused_where_the_tilt_is_not_found(monkeypatch):
    monkeypatch.setattr("skrank.null._tilting._MAX_PASSES", 1)
    with pytest.raises(
        ValueError, match="`method` must not be 'inversion' for a distribution"
    ):
        RandomSelectionNull(1000, 20).pvalue(0.5, method="inversion")


# Choice of the method, shapes, refusals


def method_of(null, statistic=0.5):
    return null.tail(statistic).method


def test_auto_is_the_most_accurate_that_is_feasible():
    assert method_of(RandomSelectionNull(30, 4)) == "exact"
    assert method_of(RandomSelectionNull(1000, 20)) == "inversion"
    assert method_of(RandomSelectionNull(14906, 304), 0.1766) == "inversion"
    at_top = RandomSelectionNull(10**5, 500, "precision@50")
    assert method_of(at_top) == "exact"
    tied = RandomSelectionNull(1000, 20, tie_sizes=[10, 90, 900])
    assert method_of(tied) == "exact"


def test_enumeration_is_for_few_groups(monkeypatch):
    monkeypatch.setattr("skrank.null._enumeration._MAX_GROUPS", 100)
    assert method_of(RandomSelectionNull(101, 2)) != "exact"
    assert method_of(RandomSelectionNull(100, 2)) == "exact"


def test_number_of_paths_against_binomial_coefficient():
    # untied, the paths are the C(n, m) placements: the limits lie between these
    assert comb(22, 11) < 2**20 < comb(23, 11)
    assert method_of(RandomSelectionNull(22, 11)) == "exact"
    assert method_of(RandomSelectionNull(23, 11)) == "inversion"
    assert comb(23, 11) < 2**21 < comb(24, 12)
    assert 0 < RandomSelectionNull(23, 11).pvalue(0.7, method="exact") < 1
    with pytest.raises(ValueError, match="`method` must not be 'exact' for a di"):
        RandomSelectionNull(24, 12).pvalue(0.7, method="exact")


@pytest.mark.slow
def test_grid_leaves_alone_what_could_underflow():
    # all targets at the top have the probability 1 / C(10000, 200), near 1e-420
    null = RandomSelectionNull(10_000, 200, tie_sizes=[1] * 390 + [9610])
    assert null.tail(0.1, method="grid").log_bounds is not None
    with pytest.raises(
        ValueError, match="`method` must not be 'grid' for a distribution this l"
    ):
        null.pvalue(0.999, method="grid")


@pytest.mark.parametrize(("method", "n"), [("exact", 1000), ("grid", 14_906)])
def test_methods_refuse_what_is_too_large(method, n):
    with pytest.raises(
        ValueError, match=f"`method` must not be '{method}' for a distribution"
    ):
        RandomSelectionNull(n, n // 50).pvalue(0.5, method=method)


def test_constant_score_leaves_chance_no_choice():
    null = RandomSelectionNull(100, 10, tie_sizes=[100])
    assert null.std() == 0.0
    for method in ("exact", "inversion", "normal"):
        for alternative in ("greater", "less", "two-sided"):
            p = null.pvalue(null.mean(), alternative=alternative, method=method)
            assert p == pytest.approx(1.0, rel=1e-12)
    assert null.pvalue(0.9, method="normal") == 0.0


def test_distribution_without_spread_has_no_rounding_for_one():
    # 150 targets among 5 + 6 + 239: the hits come last and only 75 fit above the cutoff
    null = RandomSelectionNull(
        250, 150, "recall@175", ties="pessimistic", tie_sizes=[5, 6, 239]
    )
    assert null.std() == 0.0
    assert null.pvalue(null.mean(), method="normal") == 1.0


def test_more_targets_than_others():
    null = RandomSelectionNull(60, 45)
    draws = null.rvs(20_000, 0)
    assert draws.mean() == pytest.approx(null.mean(), abs=5 * null.std() / 141)
    assert draws.std() == pytest.approx(null.std(), rel=0.03)


def test_draws_follow_random_state():
    null = RandomSelectionNull(100, 10)
    assert_allclose(null.rvs(5, 7), null.rvs(5, 7))
    assert null.rvs(3).shape == (3,)


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((1, 1), {}, "`n_samples` must be an int of at least 2; got 1"),
        ((10, 0), {}, "`n_targets` must be an int of at least 1; got 0"),
        ((10, 10), {}, "`n_targets` must leave items that are not targets; got 10"),
        ((10, 2), {"tie_sizes": [5, 6]}, "`tie_sizes` must be positive ints that sum"),
        ((10, 2), {"tie_sizes": [10, 0]}, "`tie_sizes` must be positive ints that sum"),
        ((10, 2), {"tie_sizes": [9.5, 0.5]}, "`tie_sizes` must be positive ints that"),
        ((10, 2), {"tie_sizes": []}, "`tie_sizes` must be positive ints that sum"),
        (
            (10, 2, "recall_at_t"),
            {"t": 11},
            "`t` must not reach beyond the ranking; got",
        ),
    ],
)
def test_bad_lists(args, kwargs, text):
    with pytest.raises(ValueError, match=text):
        RandomSelectionNull(*args[:2], **named(*args[2:], **kwargs))


@pytest.mark.parametrize("statistic", [np.nan, np.inf, [0.1, np.nan], "0.5", None])
def test_bad_statistic(statistic):
    with pytest.raises(ValueError, match="`statistic` must be a finite number or an a"):
        RandomSelectionNull(10, 2).pvalue(statistic)


def test_bad_method():
    with pytest.raises(ValueError, match="`method` must be one of 'auto', 'exact', "):
        RandomSelectionNull(10, 2).pvalue(0.5, method="bootstrap")


def test_repr_names_the_distribution():
    null = RandomSelectionNull(100, 10, "recall@0.05")
    assert repr(null) == "<RandomSelectionNull of recall@0.05: 10 of 100>"


def test_gain_tables_are_bounded(monkeypatch):
    # chopping the pass into small tables changes nothing
    sizes = [1] * 100 + [2] * 50 + [100]
    chain = RandomSelectionNull(300, 20, tie_sizes=sizes)._terms[0].chain
    whole = chain_moments(chain)
    monkeypatch.setattr("skrank.null._chain._TABLE_ITEMS", 50)
    chopped = Chain(chain.measure, TieGroups(chain.ends, chain.merged), 20)
    assert_allclose(chain_moments(chopped), whole)
