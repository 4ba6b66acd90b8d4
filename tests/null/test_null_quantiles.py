"""Tails and quantiles at, between and beyond the values that a ranking can have."""

import math
import random
from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import hypergeom

import oracles
from cases import ALL_TIES, METRICS, TIES, named, oracle_settings
from skrank import RandomSelectionNull
from skrank.null import MeanNull

pytestmark = pytest.mark.arithmetic

SIZES = [(1,) * 7, (2, 2, 2, 1), (7,), (4, 1, 1, 1), (1, 1, 4), (1, 3, 1, 2)]
CLOSE = 1e-9  # distance from a probability at which rounding does not count
QS = [0.0, 5e-324, 1e-300, 1e-60, 1e-12, 0.5, 1 - 1e-12, 1 - 2.0**-53, 1.0]


class Exact:
    """Distribution in rational numbers: its values, and the chances below them."""

    def __init__(self, null):
        self.values = sorted(null)
        self.below = [Fraction(0), *accumulate(null[s] for s in self.values)]

    def cdf(self, x):
        return self.below[bisect_right(self.values, x)]

    def less(self, x):
        return self.below[bisect_left(self.values, x)]

    def ppf(self, q):
        """Least value with cdf(value) >= q."""
        return self.values[min(max(bisect_left(self.below, q) - 1, 0), self.last)]

    def isf(self, q):
        """Least value with sf(value) <= q, that is cdf(value) >= 1 - q."""
        return self.ppf(1 - q)

    @property
    def last(self):
        return len(self.values) - 1


@cache
def exact_distribution(case, sizes, n_targets, ties):
    settings = oracle_settings(case, sum(sizes))
    null = oracles.null_distribution(
        sizes, n_targets, METRICS[case][0], ties=ties, **settings
    )
    return Exact(null)


def small_null(case, sizes, n_targets, ties):
    metric, settings = METRICS[case]
    return RandomSelectionNull(
        sum(sizes), n_targets, tie_sizes=sizes, ties=ties, **named(metric, **settings)
    )


def places(exact):
    """Values, points between them, and beyond them, as floats."""
    values = np.array([float(s) for s in exact.values])
    between = (values[1:] + values[:-1]) / 2
    between = between[np.diff(values) > 1e-9]
    return values, np.concatenate([between, [values[0] - 0.1, values[-1] + 0.1]])


def assert_tails(null, exact, values, others):
    for x, s in [
        *zip(values, exact.values, strict=True),
        *zip(others, map(Fraction, others), strict=True),
    ]:
        below, least = exact.cdf(s), exact.less(s)
        found = [null.sf(x), null.cdf(x), null.pvalue(x)]
        found += [null.pvalue(x, alternative="less"), math.exp(null.logsf(x))]
        expected = [1 - below, below, 1 - least, below, 1 - below]
        assert_allclose(found, [float(p) for p in expected], rtol=1e-10, atol=1e-13)
        both = min(1, 2 * min(1 - least, below))
        two_sided = null.pvalue(x, alternative="two-sided")
        assert two_sided == pytest.approx(float(both), rel=1e-10, abs=1e-13)
        assert null.sf(x) + null.cdf(x) == pytest.approx(1, rel=1e-12)
        assert null.tail(x).method == "exact"


def probabilities(exact):
    """Every cumulative probability from either side, and its neighbours."""
    steps = [float(p) for p in exact.below]
    steps += [float(1 - p) for p in exact.below]
    near = [p * (1 + shift) for p in steps for shift in (-CLOSE, CLOSE)]
    return [q for q in [*QS, *steps, *near] if 0 <= q <= 1]


def assert_quantiles(null, exact):
    for q in probabilities(exact):
        for found, quantile in ((null.ppf(q), exact.ppf), (null.isf(q), exact.isf)):
            # a float stands for all that round to it
            small = Fraction(min(q, 1 - q))
            room = small / 10**11 + Fraction(1, 2**52)
            if q < 0.5:
                room = small / 10**11
            allowed = {float(quantile(Fraction(q) + e)) for e in (-room, 0, room)}
            assert any(found == pytest.approx(x, rel=1e-12, abs=1e-13) for x in allowed)


@pytest.mark.parametrize("case", METRICS)
@pytest.mark.parametrize("ties", ALL_TIES)
@pytest.mark.slow
def test_every_function_against_all_placements(case, ties):
    """All tie structures and numbers of targets; every value, and every probability."""
    for sizes in SIZES:
        for n_targets in (2, sum(sizes) - 1):
            exact = exact_distribution(case, sizes, n_targets, ties)
            null = small_null(case, sizes, n_targets, ties)
            values, others = places(exact)
            assert_tails(null, exact, values, others)
            assert_quantiles(null, exact)


@pytest.mark.slow
def test_random_lists_against_all_placements():
    generator = random.Random(3)
    for _ in range(30):
        cuts = sorted(generator.sample(range(1, 9), generator.randint(0, 7)))
        sizes = tuple(b - a for a, b in zip([0, *cuts], [*cuts, 9], strict=True))
        args = generator.choice(sorted(METRICS)), sizes, generator.randint(1, 8)
        ties = generator.choice(TIES)
        exact, null = exact_distribution(*args, ties), small_null(*args, ties)
        assert_tails(null, exact, *places(exact))
        assert_quantiles(null, exact)


@pytest.mark.parametrize("q", [1e-300, 1e-9, 0.01, 0.5, 0.99, 1 - 1e-9])
@pytest.mark.parametrize("metric", ["recall_at_t", "precision_at_t"])
@pytest.mark.parametrize("t", [1, 20, 999])
def test_quantiles_of_hits_against_scipy(q, metric, t):
    hits, scale = hypergeom(1000, 50, t), 50 if metric == "recall_at_t" else t
    null = RandomSelectionNull(1000, 50, **named(metric, t=t))
    assert null.ppf(q) == pytest.approx(hits.ppf(q) / scale)
    assert null.isf(q) == pytest.approx(hits.isf(q) / scale)


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
        RandomSelectionNull(10, 3, tie_sizes=[10], ties="threshold"),
        0.3,
    ),
    "weights that underflow": (
        RandomSelectionNull(
            10, 3, "rie(alpha=100000.0)", tie_sizes=[10], ties="pessimistic"
        ),
        0.0,
    ),
    "a mean": (
        MeanNull([RandomSelectionNull(10, 3, "recall@10")] * 2),
        1.0,
    ),
}


@pytest.mark.parametrize("point", POINTS)
def test_every_function_of_a_point_mass(point):
    null, value = POINTS[point]
    assert null.mean() == pytest.approx(value)
    assert null.std() == 0.0
    assert null.support() == pytest.approx((value, value))
    x = np.array([value - 0.1, value, value + 0.1])
    assert_allclose(null.cdf(x), [0, 1, 1])
    assert_allclose(null.sf(x), [1, 0, 0])
    assert_allclose(null.logsf(x), [0, -np.inf, -np.inf])
    assert_allclose(null.pvalue(x), [1, 1, 0])
    assert_allclose(null.pvalue(x, alternative="less"), [0, 1, 1])
    assert_allclose(null.pvalue(x, alternative="two-sided"), [0, 1, 0])
    assert null.tail(value).log_bounds == (0.0, 0.0)
    assert null.pvalue(value, method="normal") == 1.0
    for q in (0.0, 1e-300, 0.3, 1 - 2.0**-53, 1.0):
        assert null.ppf(q) == pytest.approx(value)
        assert null.isf(q) == pytest.approx(value)
    assert_allclose(null.rvs(5, 0), value)


def test_no_value_above_zero_is_left_out_or_counted_twice():
    # a tie at the cutoff that adds nothing for its first two hits
    settings = {"t": 5, "tie_sizes": [3, 7], "ties": "pessimistic"}
    null = RandomSelectionNull(10, 3, **named("recall_at_t", **settings))
    none = math.comb(7, 3) / math.comb(10, 3)
    assert null.cdf(0) == pytest.approx(none)
    assert null.sf(0) == pytest.approx(1 - none)


# Lists too long to enumerate: counting near the ends, and invariants

LONG = [(50, 5), (100, 10), (200, 10), (1000, 20), (450, 48)]


def best_lists(n, m, reach=12):
    """AP of the best rankings, all of which have at least m - 2 hits on top.

    The best of the others have three hits one rank down, or one far down.
    """
    rank = np.arange(1, m + 1)
    top = rank[: m - 2]
    lists = [np.append(top, two) for two in combinations(range(m - 1, m + reach), 2)]
    others = [
        np.append(rank[: m - 3], rank[m - 3 :] + 1),
        np.append(rank[:-1], m + reach),
    ]
    values = np.array([(rank / ranks).mean() for ranks in lists])
    limit = max((rank / ranks).mean() for ranks in others)
    return np.sort(values[values > limit + 1e-9])[::-1]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), LONG)
def test_best_lists_against_counting(n, m):
    null, values = RandomSelectionNull(n, m), best_lists(n, m)
    total = math.log(math.comb(n, m))
    assert values.size > 5
    for value in values[:8:2]:
        count = np.count_nonzero(values > value - 1e-12)
        found = null.tail(value)
        assert found.log_pvalue == pytest.approx(math.log(count) - total, abs=1e-9)
        assert found.method == "exact"
    chances = np.exp(np.log(np.arange(1, values.size + 1)) - total)
    distinct = np.unique(np.round(values, 12))[::-1]
    for value in distinct[1:2]:
        q = chances[np.count_nonzero(values > value + 1e-9) - 1]
        assert null.isf(q) == pytest.approx(value, abs=1e-6)
        assert null.isf(q * (1 - CLOSE)) > value + 1e-9
    assert null.isf(chances[0] / 2) == 1.0


@pytest.mark.parametrize(
    ("n", "m"),
    [*LONG[:3], *(pytest.param(*size, marks=pytest.mark.slow) for size in LONG[3:])],
)
def test_worst_lists_against_counting(n, m):
    """Least: all hits last; next: the first of them one rank up, or two."""
    rank, worst = np.arange(1, m + 1), np.arange(n - m + 1, n + 1)
    null, total = RandomSelectionNull(n, m), math.log(math.comb(n, m))
    values = []
    for up in range(3):
        ranks = worst - up * (rank == 1)
        values.append((rank / ranks).mean())
    for place, value in enumerate(values[:2]):
        found = null.tail(value, alternative="less")
        assert found.log_pvalue == pytest.approx(math.log(place + 1) - total, abs=1e-9)
    chance = math.exp(-total)
    assert null.ppf([chance / 2, chance]) == pytest.approx([values[0]] * 2, rel=1e-12)
    assert null.ppf(1.5 * chance) > values[0]


@pytest.mark.parametrize(
    ("n", "m"),
    [pytest.param(*size, marks=pytest.mark.slow) for size in LONG[::2]],
)
def test_quantiles_are_monotone_bounded_and_inverse(n, m):
    """Over the whole range of q; what the engines leave open is some per cent of p."""
    null = RandomSelectionNull(n, m)
    least, most = null.support()
    room = 1e-6 * null.std()
    small = [10.0**-e for e in (60, 20, 9, 6, 4, 2, 1)]
    for quantile, tail, grows in (
        (null.ppf, null.cdf, 1),
        (null.isf, null.sf, -1),
    ):
        q = np.array([*small, 0.3, 0.5, 0.7, *(1 - np.array(small[::-1][:5]))])
        x = quantile(q)
        assert np.all(grows * np.diff(x) >= -room)
        assert np.all((x >= least) & (x <= most))
        slack = 1e-11 * q + 1e-15
        if grows > 0:
            assert np.all(tail(x) >= q - slack)
        else:
            assert np.all(tail(x) <= q + slack)
        inner = x[(x > least + room) & (x < most - room)]
        below = tail(inner - 2 * room)
        wanted = q[(x > least + room) & (x < most - room)]
        assert np.all(below < wanted) if grows > 0 else np.all(below > wanted)


@pytest.mark.slow
@pytest.mark.parametrize("value", [0.02, 0.0376, 0.0377, 0.05, 0.1, 0.3])
def test_the_two_tails_add_up(value):
    for null in (
        RandomSelectionNull(300, 15),
        MeanNull([RandomSelectionNull(90, 9)] * 3),
    ):
        for x in (value, null.mean(), null.mean() - 1e-9):
            assert null.sf(x) + null.cdf(x) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "m", "deviations"), [(200, 10, 1.26), (600, 30, 2.1), (450, 48, 3.2)]
)
def test_lists_far_worse_than_chance_against_draws(n, m, deviations):
    null = RandomSelectionNull(n, m)
    value = null.mean() - deviations * null.std()
    draws = null.rvs(100_000, 0)
    share = np.mean(draws >= value)
    found = null.tail(value)
    assert math.exp(found.log_pvalue) == pytest.approx(share, abs=0.005)


def test_lists_that_engines_refuse_are_counted(monkeypatch):
    null, value = RandomSelectionNull(50, 5), 0.9
    at_once = null.tail(value)
    monkeypatch.setattr("skrank.null._enumeration.FEW_COUNTED", 0)
    assert null.tail(value).log_bounds == pytest.approx(at_once.log_bounds)  # the grid
    monkeypatch.setattr("skrank.null._grid._MAX_STATES", 0)
    assert null.tail(value) == at_once


def test_quantiles_of_several_lists_near_their_best():
    null = MeanNull([RandomSelectionNull(50, 5)] * 2)
    chance = 1 / math.comb(50, 5) ** 2
    assert null.isf(chance / 2) == 1.0
    # one target of one ranking a place further down: two pairs of rankings
    assert null.isf(1.5 * chance) == pytest.approx(1 - (1 - 5 / 6) / 10, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("part", [1e-5, 0.02, 0.1, 0.3])
def test_both_sides_of_several_lists_near_their_best(part):
    """The mean of rankings just below its maximum: nothing is left to bounds."""
    for null in (
        MeanNull([RandomSelectionNull(40, 35)] * 2),
        MeanNull([RandomSelectionNull(200, 4)] * 5),
        MeanNull([RandomSelectionNull(50, 5), RandomSelectionNull(300, 20)]),
    ):
        most = null.support()[1]
        value = most - part * (most - null.mean())
        above = null.tail(value)
        below = null.tail(value, alternative="less")
        assert above.method != "bounds"
        assert math.expm1(below.log_pvalue) == pytest.approx(
            -math.exp(above.log_pvalue), rel=0.05
        )
