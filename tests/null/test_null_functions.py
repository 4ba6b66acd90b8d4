"""Functions of the null distribution against each other and against others."""

import math
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest, hypergeom

import oracles
from cases import METRICS, SMALL_LISTS, named, oracle_settings
from skrank import RandomSelectionNull
from skrank.null import MeanNull, _sampling
from skrank.null._centred import OutOfReachError

pytestmark = pytest.mark.arithmetic

all_cases = pytest.mark.parametrize("case", METRICS)


def small_distribution(case, sizes, n_targets):
    metric, settings = METRICS[case]
    null = RandomSelectionNull(
        sum(sizes), n_targets, tie_sizes=sizes, **named(metric, **settings)
    )
    exact = oracles.null_distribution(
        sizes, n_targets, metric, **oracle_settings(case, sum(sizes))
    )
    return null, exact


@all_cases
@pytest.mark.parametrize(("sizes", "n_targets"), SMALL_LISTS[:5])
def test_functions_against_all_placements(case, sizes, n_targets):
    null, exact = small_distribution(case, sizes, n_targets)
    values = np.array(sorted(exact), dtype=float)
    tail = np.array([oracles.tail(exact, s) for s in sorted(exact)], dtype=float)
    atom = np.array([exact[s] for s in sorted(exact)], dtype=float)
    assert_allclose(null.pvalue(values), tail, rtol=1e-10)
    assert_allclose(null.sf(values), tail - atom, rtol=1e-10, atol=1e-12)
    assert_allclose(null.cdf(values), 1 - tail + atom, rtol=1e-10)
    assert_allclose(null.support(), values[[0, -1]], rtol=1e-12, atol=1e-12)
    # between the atoms, beyond rounding, both steps are flat
    inner = (values[:-1] + values[1:]) / 2
    assert_allclose(null.sf(inner), tail[1:], rtol=1e-10, atol=1e-12)


@all_cases
@pytest.mark.parametrize(("sizes", "n_targets"), SMALL_LISTS[:3])
def test_quantiles_against_their_definition(case, sizes, n_targets):
    # scipy.stats: the least value with cdf >= q, and the least with sf <= q
    null, exact = small_distribution(case, sizes, n_targets)
    values = sorted(exact)
    below = [1 - oracles.tail(exact, s) + exact[s] for s in values]
    for q in (0.013, 0.21, 0.5, 0.77, 0.99):
        first = next(s for s, p in zip(values, below, strict=True) if p >= q)
        assert null.ppf(q) == pytest.approx(float(first), rel=1e-12, abs=1e-12)
        first = next(s for s, p in zip(values, below, strict=True) if 1 - p <= q)
        assert null.isf(q) == pytest.approx(float(first), rel=1e-12, abs=1e-12)
    assert null.ppf([0, 1]) == pytest.approx([float(values[0]), float(values[-1])])
    assert null.isf([0, 1]) == pytest.approx([float(values[-1]), float(values[0])])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "settings"),
    [
        (1000, 20, {}),
        (1000, 100, {}),
        (1000, 100, {"metric": "bedroc"}),
        (3000, 60, {"metric": "average_precision_at_k", "k": 200}),
        (2000, 50, {"tie_sizes": [1, 2, 7, 30, 60, 150, 300, 450, 1000]}),
    ],
)
def test_quantiles_invert_the_tails(n, m, settings):
    null = RandomSelectionNull(n, m, **named(**settings))
    for q in (0.5, 0.01, 1e-6):
        assert null.sf(null.isf(q)) == pytest.approx(q, rel=2e-3)
    for q in (0.05, 0.99):
        assert null.cdf(null.ppf(q)) == pytest.approx(q, rel=2e-3)
    least, most = null.support()
    assert null.isf([0.0, 1.0]) == pytest.approx([most, least])
    assert null.ppf([0.0, 1.0]) == pytest.approx([least, most])


@pytest.mark.slow
def test_quantiles_against_draws():
    # the order statistics of 100,000 draws, four standard errors wide
    null = RandomSelectionNull(2000, 40)
    draws = null.rvs(100_000, 3)
    for q in (0.2, 0.9, 0.99):
        error = 4 * math.sqrt(q * (1 - q) / draws.size)
        low, high = np.quantile(draws, [q - error, min(1.0, q + error)])
        assert low <= null.ppf(q) <= high


def test_values_keep_their_shape():
    null = RandomSelectionNull(100, 10)
    x = np.array([[0.1, 0.2], [0.2, 0.9]])
    for function in (null.sf, null.logsf, null.cdf, null.pvalue):
        found = function(x)
        assert found.shape == (2, 2)
        assert found[0, 1] == found[1, 0] == function(0.2)
    assert isinstance(null.sf(0.2), float)
    assert_allclose(np.log(null.sf(x)), null.logsf(x))
    assert_allclose(null.sf(x) + null.cdf(x), 1.0, rtol=5e-3)


def test_logsf_does_not_underflow():
    # log10 p of 14,906 compounds with 304 active, at AP 0.7, is below -300
    null = RandomSelectionNull(14906, 304)
    assert null.sf(0.7) == 0.0
    assert -900 < null.logsf(0.7) / math.log(10) < -310


@pytest.mark.parametrize("statistic", [np.nan, [0.1, 0.2], "0.5", None])
def test_tail_is_of_one_number(statistic):
    with pytest.raises(ValueError, match="`statistic` must be a finite number; got"):
        RandomSelectionNull(10, 2).tail(statistic)


def test_doubt_is_not_hidden(monkeypatch):
    monkeypatch.setattr("skrank.null._base._DOUBTFUL", 1e-4)
    null = RandomSelectionNull(1000, 20)
    with pytest.warns(RuntimeWarning, match="the p-value is known with a relative err"):
        assert null.tail(0.1).error > 1e-4
    with pytest.warns(RuntimeWarning, match="the p-value is known with a relative err"):
        assert null.tail(0.1, method="inversion").error > 1e-4


@pytest.mark.slow
def test_tilted_distribution_with_two_humps_is_not_trusted():
    # the tilted draws fall in a far hump, where all weights are alike and tiny
    top = [50, 450, 2000, 7500]
    null = RandomSelectionNull(50_000, 500, tie_sizes=[*top, *[500] * 80])
    s = null.mean() + 12 * null.std()
    with pytest.warns(RuntimeWarning, match="the p-value is known with a relative err"):
        drawn = null.tail(
            s, method="importance_sampling", n_resamples=20_000, random_state=0
        )
    assert drawn.error > 1
    assert null.tail(s).doubt < 0.02


def test_few_ties_are_drawn_between_the_humps():
    null = RandomSelectionNull(20_000, 200, tie_sizes=[20, 180, 800, 3000, 16_000])
    s = null.mean() + 12 * null.std()
    # the grid's bounds are the judge
    lower, upper = null.tail(s, method="grid").log_bounds
    for method in ("auto", "inversion", "importance_sampling"):
        tail = null.tail(s, method=method, n_resamples=40_000, random_state=0)
        assert tail.error < 0.05
        assert lower - 3 * tail.error < tail.log_pvalue < upper + 3 * tail.error


@pytest.mark.filterwarnings("ignore:the p-value is known with:RuntimeWarning")
@pytest.mark.slow
def test_tilted_draws_that_all_miss():
    null = RandomSelectionNull(1000, 20)
    found = [
        null.tail(0.1, method="importance_sampling", n_resamples=1, random_state=seed)
        for seed in range(20)
    ]
    missed = [one for one in found if one.log_pvalue == -math.inf]
    assert missed
    assert all(one.error == math.inf for one in missed)


def out_of_reach(*_, **__):
    """Stand for an engine that does not reach."""
    raise OutOfReachError


@pytest.mark.slow
def test_inversion_that_fails_says_so(monkeypatch):
    monkeypatch.setattr("skrank.null._inversion._invert", lambda *_: (-1.0, 0.001))
    null = RandomSelectionNull(1000, 20)
    with pytest.warns(RuntimeWarning, match="with a relative error of inf%"):
        assert null.tail(0.1, method="inversion").error == math.inf
    assert null.tail(0.1).method == "grid"
    monkeypatch.setattr("skrank.null._grid.tail", out_of_reach)
    assert null.tail(0.1).method == "importance_sampling"
    assert null.logsf(0.1) == null.logsf(0.1)  # a function, even where it is drawn


@pytest.mark.slow
def test_where_all_engines_fail_the_proven_bound_is_given(monkeypatch):
    """Nothing is refused; the bound is better than that of Cantelli."""
    null = RandomSelectionNull(1000, 20)
    truth = null.tail(0.2).log_pvalue

    for engine in ("_grid.tail", "_inversion.tail", "_sampling.tilted_tail"):
        monkeypatch.setattr(f"skrank.null.{engine}", out_of_reach)
    with pytest.warns(RuntimeWarning, match='and at most 0.000.*, by "bounds"'):
        found = null.tail(0.2)
    deviations = (0.2 - null.mean()) / null.std()
    assert found.method == "bounds"
    assert found.log_pvalue < -math.log1p(deviations**2)
    assert found.log_bounds[0] < truth < found.log_bounds[1] == found.log_pvalue
    below = null.tail(0.2, alternative="less")  # all but certain by the same bound
    assert -1e-6 < below.log_pvalue <= 0.0
    least = math.log1p(-math.exp(found.log_pvalue))
    assert below.log_bounds[0] == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize(("n", "m"), [(500, 10), (300, 30)])
@pytest.mark.slow
def test_lists_nearly_as_bad_as_can_be_against_certified_bounds(n, m):
    null = RandomSelectionNull(n, m)
    least = null.support()[0]
    for share in (0.01, 0.1):
        value = least + share * (null.mean() - least)
        found = null.tail(value, alternative="less")
        low, high = null.tail(value, alternative="less", method="grid").log_bounds
        assert low - 0.02 <= found.log_pvalue <= high + 0.02


@pytest.mark.parametrize(
    "ranks",
    [(195, 197, 198, 199, 200), (190, 194, 196, 198, 200), (192, 193, 195, 197, 199)],
)
@pytest.mark.slow
def test_lists_nearly_as_bad_as_can_be_against_all_of_them(ranks):
    """Rankings with a target above the last 45 are better; these are all to count."""
    n, m, last = 200, 5, 45

    def value(places):
        return (np.arange(1, m + 1) / places).mean(axis=-1)

    others = np.array(list(combinations(range(n - last + 1, n + 1), m)))
    observed = value(np.array(ranks))
    assert observed < value(np.array([n - last, 197, 198, 199, 200]))
    count = np.sum(value(others) <= observed * (1 + 1e-12))
    found = RandomSelectionNull(n, m).tail(observed, alternative="less")
    p = math.exp(found.log_pvalue)
    assert p == pytest.approx(count / math.comb(n, m), rel=0.03)


@pytest.mark.parametrize("q", [-0.1, 1.1])
def test_probabilities_are_probabilities(q):
    with pytest.raises(ValueError, match="`q` must be a probability between 0 and 1"):
        RandomSelectionNull(100, 10).isf(q)


def test_support_of_untied_average_precision():
    # least: (1/m) sum of i / (n - m + i)
    n, m = 4000, 150
    least, most = RandomSelectionNull(n, m).support()
    i = np.arange(1, m + 1)
    assert least == pytest.approx(np.mean(i / (n - m + i)), rel=1e-12)
    assert most == pytest.approx(1.0, rel=1e-12)


# Several rankings


def test_mean_of_lists_against_convolution():
    # all pairs of placements, in rationals
    lists = [((1, 1, 1, 1, 1), 2), ((2, 3, 1), 2), ((1, 1, 1, 1, 1), 2)]
    nulls = [oracles.null_distribution(*one, "average_precision") for one in lists]
    exact = {}
    for a, p in nulls[0].items():
        for b, q in nulls[1].items():
            for c, r in nulls[2].items():
                s = (a + b + c) / 3
                exact[s] = exact.get(s, 0) + p * q * r
    null = MeanNull([RandomSelectionNull(sum(z), m, tie_sizes=z) for z, m in lists])
    mean, variance = oracles.mean_and_variance(exact)
    assert null.mean() == pytest.approx(float(mean), rel=1e-12)
    assert null.std() == pytest.approx(math.sqrt(variance), rel=1e-12)
    for s in exact:
        found = null.tail(float(s))
        assert found.method == "exact"
        assert found.log_pvalue == pytest.approx(math.log(oracles.tail(exact, s)))
    assert null.support() == pytest.approx([float(min(exact)), float(max(exact))])


def test_mean_of_one_list_is_its_distribution():
    null, same = (
        RandomSelectionNull(1000, 30),
        MeanNull([RandomSelectionNull(1000, 30)]),
    )
    for s in (0.04, 0.1, 0.5):
        assert same.tail(s).log_pvalue == pytest.approx(null.tail(s).log_pvalue)
    assert same.mean() == null.mean()


@pytest.mark.slow
@pytest.mark.parametrize(
    "lists",
    [
        [(200, 4, None)] * 5,
        [(300, 20, None), (250, 30, None), (400, 10, None)],
        [(500, 25, [5, 20, 75, 150, 250]), (500, 20, [1, 9, 40, 100, 350])],
    ],
    ids=["alike", "unlike", "tied"],
)
def test_mean_of_lists_against_draws(lists):
    null = MeanNull([RandomSelectionNull(n, m, tie_sizes=z) for n, m, z in lists])
    draws = null.rvs(200_000, 5)
    assert draws.mean() == pytest.approx(null.mean(), abs=5 * null.std() / 447)
    assert draws.std() == pytest.approx(null.std(), rel=0.02)
    for q in (0.3, 0.9, 0.99, 0.999):
        s = float(np.quantile(draws, q))
        count = int(np.sum(draws >= s - 1e-12))
        for method in ("auto", "importance_sampling"):
            p = min(1.0, math.exp(null.tail(s, method=method, random_state=1)[0]))
            low, high = binomtest(count, draws.size).proportion_ci(0.9999)
            assert low * 0.93 < p < high * 1.07


def test_mean_of_recalls_against_hypergeometric_sum():
    # hits of two rankings: convolution of two hypergeometric distributions
    null = MeanNull([RandomSelectionNull(100, 10, "recall@20")] * 2)
    judge = hypergeom(100, 10, 20).pmf(np.arange(11))
    hits = np.convolve(judge, judge)
    for h in (3, 8, 15):
        assert null.pvalue(h / 20) == pytest.approx(hits[h:].sum(), rel=1e-9)


@pytest.mark.slow
def test_hits_divisor_in_several_lists_is_left_to_draws():
    # no tilt adds up when the divisor depends on the ranking; the judge is the mean
    settings = {"metric": "average_precision_at_k", "k": 40, "normalize": "hits"}
    null = MeanNull([RandomSelectionNull(400, 40, **named(**settings))] * 3)
    found = null.tail(null.mean(), random_state=0)
    assert found.method == "monte_carlo"
    assert 0.3 < math.exp(found.log_pvalue) < 0.6
    with pytest.warns(RuntimeWarning, match='by "monte_carlo"'):
        far = null.tail(0.9, random_state=0)  # no draw of all is as good
    assert math.exp(far.log_pvalue) == pytest.approx(1 / (10 * 2**14 + 1))
    for method in ("inversion", "grid", "importance_sampling"):
        with pytest.raises(ValueError, match="`method` must not be"):
            null.tail(0.5, method=method)


@pytest.mark.slow
def test_a_cut_that_divides_a_tie_of_thousands_of_targets():
    """Half of the hits of the tie count; the judge is the sum over hypergeometrics."""
    sizes, m = [20_000, 20_000, 20_000], 15_000
    null = RandomSelectionNull(60_000, m, "recall@30000", tie_sizes=sizes)
    above = np.arange(4000, 6001)
    inside = np.ceil(2 * (0.503 * m - above) - 1e-9)
    beyond = hypergeom.sf(inside - 1, 40_000, m - above, 20_000)
    truth = float(hypergeom.pmf(above, 60_000, m, 20_000) @ beyond)
    found = null.tail(0.503)
    assert found.method == "monte_carlo"
    assert math.exp(found.log_pvalue) == pytest.approx(truth, abs=0.02)


@pytest.mark.slow
def test_a_list_that_is_all_but_perfect_is_bounded():
    with pytest.warns(RuntimeWarning, match='by "bounds"'):
        found = RandomSelectionNull(10**6, 10_000).tail(0.9999)
    assert found.log_bounds[0] < found.log_pvalue < math.log(1e-7)


def test_grid_is_for_one_list():
    null = MeanNull([RandomSelectionNull(300, 20), RandomSelectionNull(300, 25)])
    with pytest.raises(ValueError, match="`method` must not be 'grid'"):
        null.tail(0.3, method="grid")


def test_mean_of_no_list():
    with pytest.raises(
        ValueError, match="`nulls` must hold the distribution of at least one"
    ):
        MeanNull([])


def test_repr_of_means():
    null = MeanNull([RandomSelectionNull(100, 10)] * 3)
    assert repr(null) == "<MeanNull of average_precision: 3 rankings>"


def test_a_draw_that_leaves_the_table_is_out_of_reach():
    with pytest.raises(OutOfReachError):
        _sampling._pick(np.ones((1, 2)), np.array([0, 2]), np.random.default_rng(0))


@pytest.mark.slow
def test_a_lumpy_distribution_that_neither_grid_nor_inversion_answers(monkeypatch):
    null = RandomSelectionNull(10_000, 20)
    low, high = null.tail(0.1, method="grid").log_bounds

    for engine in ("_grid.tail", "_inversion.tail"):
        monkeypatch.setattr(f"skrank.null.{engine}", out_of_reach)
    found = null.tail(0.1)
    assert found.method == "importance_sampling"
    assert low - 4 * found.error <= found.log_pvalue <= high + 4 * found.error
