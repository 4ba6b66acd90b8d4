"""What the null distribution answers and refuses, and identities of its functions."""

import itertools
import math
import pickle

import numpy as np
import pytest
from null import judges
from numpy.testing import assert_allclose
from scipy.stats import hypergeom, norm

from cases import TIES, named
from skrank import RandomSelectionNull, RandomSelectionTest
from skrank.null import MeanNull, TailProbability

doubt_is_allowed = pytest.mark.filterwarnings(
    "ignore:the p-value is known:RuntimeWarning"
)
MEAN = MeanNull([RandomSelectionNull(20, 2), RandomSelectionNull(12, 3)])

# Names and shapes


@pytest.mark.parametrize(
    ("null", "text"),
    [
        (
            RandomSelectionNull(100, 10, "recall@0.05"),
            "<RandomSelectionNull of recall@0.05: 10 of 100>",
        ),
        (
            RandomSelectionNull(100, 10, "average_precision@7", ties="together"),
            "<RandomSelectionNull of average_precision@7: 10 of 100>",
        ),
        (
            MeanNull([RandomSelectionNull(100, 10)] * 3),
            "<MeanNull of average_precision: 3 rankings>",
        ),
        (
            MeanNull([RandomSelectionNull(100, 10)] * 3, inflation=1.5),
            "<MeanNull of average_precision: 3 rankings, inflation 1.5>",
        ),
    ],
)
def test_repr_names_the_distribution(null, text):
    assert repr(null) == text
    assert null.metric in text


@pytest.mark.parametrize("null", [RandomSelectionNull(30, 4), MEAN])
def test_values_keep_their_shape(null):
    x = np.array([[0.1, 0.2], [0.2, 0.9]])
    for function in (null.sf, null.logsf, null.cdf, null.pvalue):
        found = function(x)
        assert found.shape == (2, 2)
        assert found[0, 1] == found[1, 0] == function(0.2)
        assert function([]).shape == (0,)
    assert isinstance(null.sf(0.2), float)
    assert isinstance(null.pvalue(0.2), float)
    assert isinstance(null.isf(0.2), float)
    assert null.ppf([[0.5]]).shape == (1, 1)
    assert_allclose(np.exp(null.logsf(x)), null.sf(x))


def test_a_tail_is_a_named_tuple():
    tail = RandomSelectionNull(30, 4).tail(0.5, method="exact")
    assert isinstance(tail, TailProbability)
    log_p, bounds, error, method = tail
    assert bounds == (log_p, log_p)
    assert error == 0.0
    assert method == "exact"
    assert tail.pvalue == pytest.approx(math.exp(log_p))
    assert tail.doubt == 0.0
    # a factor of 4 on either side of the middle of the bounds, and 2 is half of it
    apart = TailProbability(
        math.log(0.1), (math.log(0.1 / 16), math.log(0.1)), None, ""
    )
    assert apart.doubt == pytest.approx(1)


def test_draws_follow_random_state():
    null = RandomSelectionNull(100, 10)
    assert_allclose(null.rvs(5, 7), null.rvs(5, 7))
    assert null.rvs(3).shape == (3,)
    one, other = (null.rvs(50, np.random.default_rng(seed)) for seed in (0, 1))
    assert np.any(one != other)


@pytest.mark.parametrize(
    "null",
    [
        RandomSelectionNull(300, 12),
        RandomSelectionNull(60, 5, "rie", tie_sizes=[10, 50], ties="together"),
        MEAN,
        MeanNull(MEAN.nulls, inflation=1.5),
    ],
)
def test_pickles_answer_the_same(null):
    value = judges.at_z(null, 2)
    before = pickle.loads(pickle.dumps(null))
    p = null.pvalue(value)
    after = pickle.loads(pickle.dumps(null))
    for copy in (before, after):
        assert repr(copy) == repr(null)
        assert copy.pvalue(value) == p
        assert copy.support() == null.support()
        assert_allclose(copy.rvs(3, 0), null.rvs(3, 0))
    tail = null.tail(value)
    assert pickle.loads(pickle.dumps(tail)) == tail


@pytest.mark.parametrize(
    ("sizes", "ties"), [([3, 1, 6, 10], "expected"), ([1] * 20, "together")]
)
def test_the_distribution_of_a_test_is_that_of_its_ties(sizes, ties):
    """Whatever the order of the items, and however far apart the scores."""
    scores = np.repeat(-np.arange(len(sizes), dtype=float), sizes)
    labels = np.random.default_rng(0).permutation(np.arange(20) < 4)
    result = RandomSelectionTest(ties=ties).from_predictions(labels, scores)
    null = RandomSelectionNull(20, 4, tie_sizes=sizes, ties=ties)
    order = np.random.default_rng(1).permutation(20)
    other = RandomSelectionTest(ties=ties).from_predictions(
        labels[order], np.exp(scores[order])
    )
    for one in (result, other):
        assert one.pvalue == pytest.approx(null.pvalue(result.value), rel=1e-12)
        assert one.null_distribution.mean() == pytest.approx(null.mean(), rel=1e-12)
        assert one.null_distribution.support() == pytest.approx(null.support())


# Refusals

SIZES = "`tie_sizes` must be positive ints that sum to `n_samples`; got"


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((1, 1), {}, "`n_samples` must be an int of at least 2; got 1"),
        ((10, 0), {}, "`n_targets` must be an int of at least 1; got 0"),
        ((10, 10), {}, "`n_targets` must leave items that are not targets; got 10"),
        ((10, 2), {"tie_sizes": [5, 6]}, SIZES),
        ((10, 2), {"tie_sizes": [10, 0]}, SIZES),
        ((10, 2), {"tie_sizes": [9.5, 0.5]}, SIZES),
        (
            (10, 2),
            {"tie_sizes": []},
            "`tie_sizes` must contain at least one item; got none",
        ),
        (
            (10, 2),
            {"ties": "first"},
            "`ties` must be one of 'expected', .* 'first'",
        ),
        ((10, 2, "max_f_score"), {}, "`metric` must be one that has a null distributi"),
        ((10, 2, "recall@11"), {}, "`t` must not reach beyond the ranking; got"),
    ],
)
def test_bad_rankings(args, kwargs, text):
    with pytest.raises(ValueError, match=text):
        RandomSelectionNull(*args, **kwargs)


@pytest.mark.parametrize(
    ("nulls", "inflation", "text"),
    [
        (
            [],
            1,
            "`nulls` must contain at least one null distribution; got none",
        ),
        (MEAN.nulls, 0.5, "`inflation` must be 1 or more; got 0.5"),
        (MEAN.nulls, "2", "`inflation` must be a finite number; got '2'"),
        ([MEAN, *MEAN.nulls], 1, "`nulls` must contain a RandomSelectionNull for each"),
        (
            [RandomSelectionNull(9, 2), RandomSelectionNull(9, 2, "reciprocal_rank")],
            1,
            "`nulls` must have one metric; got average_precision and reciprocal_rank",
        ),
    ],
)
def test_bad_means(nulls, inflation, text):
    with pytest.raises(ValueError, match=text):
        MeanNull(nulls, inflation=inflation)


@pytest.mark.parametrize("statistic", ["0.5", None, [0.1, "a"]])
def test_bad_statistic(statistic):
    null = RandomSelectionNull(10, 2)
    with pytest.raises(ValueError, match="`statistic` must be a number or an array"):
        null.pvalue(statistic)
    with pytest.raises(ValueError, match="`x` must be a number or an array"):
        null.sf(statistic)


FUNCTIONS = ("cdf", "sf", "logcdf", "logsf", "pmf", "logpmf")


@pytest.mark.parametrize("shape", [(40, 4, 10), (2000, 300, 500)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_of_values_are_those_of_scipy(shape, function):
    """Also of NaN, infinite values and tables: recall at t is hypergeometric."""
    n, m, t = shape
    null, law = RandomSelectionNull(n, m, f"recall@{t}"), hypergeom(n, m, t)
    hits = np.array([[-np.inf, -1, 0, m // 4], [m // 2, m, np.inf, np.nan]])
    assert_allclose(
        getattr(null, function)(hits / m), getattr(law, function)(hits), 1e-9
    )
    assert np.isnan(getattr(null, function)(np.nan))


def test_quantiles_and_draws_are_those_of_scipy():
    null, law = RandomSelectionNull(40, 4, "recall@10"), hypergeom(40, 4, 10)
    q = np.array([[0.0, 1e-9, 0.1, 0.5], [0.9, 0.99, 1.0, np.nan]])
    for function in ("ppf", "isf"):
        # SciPy returns the hits below the support, -1; here values have no next one
        hits = getattr(law, function)(q)
        wanted = np.where(hits < 0, -np.inf, hits / 4)
        assert_allclose(getattr(null, function)(q), wanted)
    for confidence in (0.0, 0.5, np.array([0.5, 0.9])):
        wanted = np.array(law.interval(confidence)) / 4
        assert_allclose(null.interval(confidence), wanted)
    for size in (None, 0, 3, (2, 3), [2, 3], ()):
        assert np.shape(null.rvs(size, 0)) == np.shape(law.rvs(size))
    assert null.median() * 4 == law.median()


def test_masses_of_a_continuous_looking_distribution_are_refused():
    with pytest.raises(ValueError, match="`x` must be a value of a distribution whose"):
        RandomSelectionNull(10_000, 300).pmf(0.05)


@pytest.mark.parametrize("statistic", [np.nan, [0.1, 0.2], "0.5", None])
def test_a_tail_is_of_one_number(statistic):
    with pytest.raises(ValueError, match="`statistic` must be a finite number; got"):
        RandomSelectionNull(10, 2).tail(statistic)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"method": "bootstrap"}, "`method` must be one of 'auto', 'exact', .*'bootst"),
        ({"alternative": "more"}, "`alternative` must be one of 'greater', .*'more'"),
        ({"n_resamples": 0}, "`n_resamples` must be an int of at least 1; got 0"),
        ({"random_state": "x"}, "`random_state` must be .*'x'"),
    ],
)
def test_bad_questions(asked, text):
    with pytest.raises(ValueError, match=text):
        RandomSelectionNull(10, 2).tail(0.5, **asked)


@pytest.mark.parametrize(("n", "m", "s"), [(1000, 20, 0.03), (14_906, 304, 0.1)])
def test_what_is_too_large_is_not_enumerated(n, m, s):
    with pytest.raises(ValueError, match="`method` must not be 'exact' for a distr"):
        RandomSelectionNull(n, m).pvalue(s, method="exact")


def test_what_is_too_large_is_not_drawn():
    with pytest.raises(ValueError, match="must not be 'importance_sampling' for a dis"):
        RandomSelectionNull(10**6, 200_000).tail(0.203, method="importance_sampling")


# Methods


@pytest.mark.parametrize("side", judges.SIDES)
@pytest.mark.parametrize("method", judges.METHODS)
def test_every_method_on_a_ranking_that_is_enumerated(method, side):
    """22 items with 5 targets: 26,334 placements."""
    values = judges.all_placements(22, 5)
    null = RandomSelectionNull(22, 5)
    x = float(np.sort(values)[int(0.9 * values.size)])
    greater = np.mean(values >= x - 1e-12)
    less = np.mean(values <= x + 1e-12)
    both = min(1, 2 * min(greater, less))
    truth = {"greater": greater, "less": less, "two-sided": both}[side]
    tail = null.tail(
        x, alternative=side, method=method, n_resamples=50_000, random_state=0
    )
    assert tail.method == (method if method != "auto" else tail.method)
    assert tail.method in judges.FOUND_BY
    if method == "normal":
        z = (x - null.mean()) / null.std()
        sides = {"greater": norm.sf(z), "less": norm.cdf(z)}
        truth = sides.get(side, 2 * norm.sf(z))
    room = {"exact": 1e-11, "normal": 1e-9}.get(tail.method, 0.05)
    assert tail.pvalue == pytest.approx(truth, rel=room)


def test_draws_count_the_ranking_itself():
    null = RandomSelectionNull(500, 5)
    tail = null.tail(0.9, method="monte_carlo", n_resamples=99, random_state=0)
    assert tail.pvalue == pytest.approx(1 / 100)
    again = null.tail(0.9, method="monte_carlo", n_resamples=99, random_state=0)
    assert again == tail


def test_doubt_is_not_hidden():
    asked = {"method": "importance_sampling", "n_resamples": 10, "random_state": 0}
    with pytest.warns(RuntimeWarning, match="The p-value is known"):
        tail = RandomSelectionNull(1000, 20).tail(0.1, **asked)
    assert tail.doubt > 0.05


def test_logsf_does_not_underflow():
    # log10 p of 14,906 compounds with 304 active, at AP 0.7, is below -300
    null = RandomSelectionNull(14_906, 304)
    assert null.sf(0.7) == null.pvalue(0.7) == 0.0
    assert null.cdf(0.7) == 1.0
    assert -900 < null.logsf(0.7) / math.log(10) < -310


# What must contain for every distribution, from one end of its support to the other


def random_null(rng, least=2, most=60, cells=10**9):
    """A distribution of any metric, tie rule and kind of ties."""
    n = int(rng.integers(least, most + 1))
    share = float(rng.choice([0.95, 0.6, 0.3, 0.1, 0.02, 0.0]))
    m = min(round(share * n) + int(rng.integers(0, 5)), n - 1, cells // n)
    sizes = judges.SHAPES[str(rng.choice(list(judges.SHAPES)))](n, rng)
    metric, asked = judges.random_metric(n, rng)
    ties = str(rng.choice(TIES))
    return RandomSelectionNull(
        n, max(1, m), tie_sizes=sizes, ties=ties, **named(metric, **asked)
    )


def places(null, draws, points):
    """Statistics from beyond one end of the support to beyond the other."""
    least, most = null.support()
    mean, beyond = null.mean(), 1e-6 * max(1.0, most)
    parts = np.linspace(0, 1, points)[1:-1]
    found = [
        *(least - beyond, least, most, most + beyond, mean),
        *(least + parts * (mean - least)),
        *(mean + parts * (most - mean)),
        *np.quantile(draws, parts, method="nearest"),
    ]
    return np.unique(np.clip(found, least - beyond, most + beyond)).tolist()


def assert_ends(null):
    least, most = null.support()
    beyond = 1e-6 * max(1.0, most)
    room = 1e-11 * max(1.0, most)
    assert least - room <= null.mean() <= most + room
    assert 0 <= null.std() <= (most - least) / 2 + room
    assert null.pvalue(least) == pytest.approx(1, abs=judges.TINY)
    assert null.pvalue(most, alternative="less") == pytest.approx(1, abs=judges.TINY)
    assert null.pvalue(least - beyond) == pytest.approx(1, abs=judges.TINY)
    assert null.pvalue(most + beyond) == null.sf(most) == 0
    assert null.pvalue(least - beyond, alternative="less") == 0
    assert null.tail(most).log_pvalue > -math.inf
    assert null.tail(least, alternative="less").log_pvalue > -math.inf


def assert_tails(null, points=4, n_draws=400):
    """One tail falls, the other grows, together they are certain; draws agree."""
    draws = null.rvs(n_draws, 0)
    values = places(null, draws, points)
    above = [null.tail(x) for x in values]
    below = [null.tail(x, alternative="less") for x in values]
    for tail in [*above, *below]:
        assert tail.log_pvalue <= 0  # and no NaN
        assert tail.method in judges.FOUND_BY
        low, high = judges.between(tail)
        assert low <= tail.log_pvalue <= high
    for falling in (above, below[::-1]):
        lowest = math.inf
        for low, high in map(judges.between, falling):
            assert low <= lowest
            lowest = min(lowest, high)
    mean, std = null.mean(), null.std()
    for x, greater, less in zip(values, above, below, strict=True):
        (low, high), (low_less, high_less) = map(judges.between, (greater, less))
        assert math.exp(high) + math.exp(high_less) >= 1 - judges.TINY
        if greater.method != "bounds" != less.method:
            assert null.sf(x) + null.cdf(x) == pytest.approx(1, abs=0.01)
        twice = min(0.0, math.log(2) + min(greater.log_pvalue, less.log_pvalue))
        both = null.tail(x, alternative="two-sided").log_pvalue
        assert both == pytest.approx(twice, rel=1e-9, abs=0.02)
        if std > 0 and abs(x - mean) > 1e-11 * max(1.0, mean):  # Cantelli (1929)
            limit = -math.log1p(((x - mean) / std) ** 2)
            assert (low if x > mean else low_less) <= limit + judges.TINY
        for side, tail in (("greater", greater), ("less", less)):
            judges.assert_drawn(draws, x, *map(math.exp, judges.between(tail)), side)


@pytest.mark.parametrize("seed", judges.some_slow(range(60), 16, pytest.mark.nightly))
def test_tails_of_short_rankings(seed):
    null = random_null(np.random.default_rng(seed))
    assert_ends(null)
    assert_tails(null)


@doubt_is_allowed
@pytest.mark.nightly
@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6, 7, 8])  # 2 and 9 take a minute
def test_tails_of_long_rankings(seed):
    null = random_null(np.random.default_rng(seed), 61, 3000, 10_000)
    assert_ends(null)
    assert_tails(null, 3)


@pytest.mark.parametrize("value", [0.0376])
def test_two_tails_add_up_on_both_sides_of_the_mean(value):
    for null in (
        RandomSelectionNull(300, 15),
        MeanNull([RandomSelectionNull(90, 9)] * 3),
    ):
        for x in (value, null.mean(), null.mean() - 1e-9):
            assert null.sf(x) + null.cdf(x) == pytest.approx(1, abs=1e-9)


def test_names_of_scipy():
    # judged by the enumeration of 2 targets among 6 items
    values = [(1 / a + 2 / b) / 2 for a, b in itertools.combinations(range(1, 7), 2)]
    null = RandomSelectionNull(6, 2)
    assert null.var() == pytest.approx(np.var(values))
    assert null.median() == pytest.approx(np.sort(values)[7])
    low, high = null.interval(0.8)
    assert np.mean(np.array(values) < low - 1e-9) <= 0.1
    assert np.mean(np.array(values) > high + 1e-9) <= 0.1
    assert (low, high) == tuple(null.ppf([0.1, 0.9]))
    at = np.array([0.3, 0.55, 1.0])
    shares = [np.mean(np.array(values) <= one + 1e-9) for one in at]
    np.testing.assert_allclose(null.logcdf(at), np.log(shares), atol=1e-12)
    drawn = null.rvs((3, 4), 0)
    assert drawn.shape == (3, 4)
    np.testing.assert_array_equal(drawn.ravel(), null.rvs(12, 0))
    with pytest.raises(ValueError, match="`size` must be an int of at least 0"):
        null.rvs((3, -1))
    with pytest.raises(ValueError, match="`confidence` must be a probability"):
        null.interval(1.5)
    # a tail that underflows
    assert RandomSelectionNull(40_000, 4000).logcdf(0.06) < -1000
