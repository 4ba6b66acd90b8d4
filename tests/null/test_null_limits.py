"""Proven bounds of tails, and answers at the ends of the range."""

import math

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

import oracles
from cases import METRICS, SMALL_LISTS, TIES, named, oracle_settings
from skrank import RandomSelectionNull
from skrank.null import MeanNull, _limits
from skrank.null._choice import TailQuery

pytestmark = pytest.mark.slow


def strict(null, value, sign):
    """Bound of the chance of being as extreme, whatever the engines say."""
    (term,) = null._terms
    return _limits.staircase(term.chain, value, sign, 1e-12)


def ceiling(asked):
    """Bound of the chance by the hits above one depth alone."""
    facts, sign = asked.facts, asked.sign
    ends = facts.list_ends(sign)
    return _limits.ceiling(facts.terms, ends, asked.statistic, sign, asked._slack)


def all_tails(case, ties):
    """Every tail of small rankings, by all placements in rational numbers."""
    metric, settings = METRICS[case]
    for sizes, m in SMALL_LISTS:
        n = sum(sizes)
        null = RandomSelectionNull(
            n, m, tie_sizes=sizes, ties=ties, **named(metric, **settings)
        )
        exact = oracles.null_distribution(
            sizes, m, metric, ties=ties, **oracle_settings(case, n)
        )
        for value in sorted(exact):
            above = float(oracles.tail(exact, value))
            yield null, float(value), 1, above
            yield null, float(value), -1, 1 - above + float(exact[value])


@pytest.mark.parametrize("case", METRICS)
@pytest.mark.parametrize("ties", TIES)
def test_limits_hold_all_tails(case, ties):
    for null, value, sign, p in all_tails(case, ties):
        assert math.exp(strict(null, value, sign)) <= p * (1 + 1e-9)
        asked = TailQuery(null._facts, value, sign)
        assert p <= math.exp(ceiling(asked)) * (1 + 1e-9)
        event = asked._event
        assert p <= math.exp(_limits.chernoff(event, -20.0)) * (1 + 1e-9)
        if sign * (value - null.mean()) > 1e-9 * abs(value):
            moments = null.mean(), null.std() ** 2
            assert p <= _limits.cantelli(moments, value) * (1 + 1e-9)


def test_a_staircase_is_the_chance_of_a_perfect_list():
    null = RandomSelectionNull(300, 7)
    assert strict(null, 1.0, 1) == pytest.approx(-math.log(math.comb(300, 7)))
    least = null.support()[0]
    assert strict(null, least, -1) == pytest.approx(-math.log(math.comb(300, 7)))


@pytest.mark.parametrize("r", [2, 30, 200])
def test_a_ceiling_is_the_chance_of_no_hit_above_a_rank(r):
    # a first hit at rank r is 1 / r of reciprocal rank, in whichever of the rankings
    null = RandomSelectionNull(300, 7, "reciprocal_rank")
    exact = hypergeom.logpmf(0, 300, 7, r - 1)
    log_p = ceiling(TailQuery(null._facts, 1 / r, -1))
    assert exact - 1e-9 <= log_p <= 0.8 * exact  # not all depths are tried
    # the other one is 1 / 294 at least, if their mean is that of first hits at rank r
    first = math.ceil(1 / (2 / r - 1 / 294) - 1e-9)
    exact = 2 * hypergeom.logpmf(0, 300, 7, first - 1)
    log_p = ceiling(TailQuery(MeanNull([null, null])._facts, 1 / r, -1))
    assert exact - 1e-9 <= log_p <= 0.8 * exact


def test_a_ceiling_of_what_no_list_reaches():
    null = RandomSelectionNull(300, 7)
    for value, sign in ((1.5, 1), (null.support()[0] / 2, -1)):
        assert ceiling(TailQuery(null._facts, value, sign)) == -math.inf


def test_a_ceiling_tells_reversed_folds_from_chance():
    # all targets are among the last third of each of five lists
    nulls = [RandomSelectionNull(360, 36, "rie")] * 5
    places = np.arange(240, 276)
    value = np.exp(-20 * (places + 1) / 360).sum()
    value *= 360 / 36 / np.exp(-20 * np.arange(1, 361) / 360).sum()
    tail = MeanNull(nulls).tail(float(value))
    assert tail.pvalue == 1.0
    assert tail.log_bounds[0] > -1e-12


@pytest.mark.parametrize("ties", ["expected", "threshold"])
def test_a_tie_on_top_that_makes_two_humps(ties):
    """Six of 30 targets in a tie of 64 on top, the rest at the end of a long ranking.

    Every list with six targets in the tie is as good, and hardly any other.
    """
    n, m, top, hits = 95_156, 30, 64, 6
    null = RandomSelectionNull(n, m, tie_sizes=[top, *[1] * (n - top)], ties=ties)
    inside = (0.5 + np.arange(top)[:, None]).T  # places, to average over
    if ties == "threshold":
        first = hits * hits / top
    else:
        above = np.arange(top) * (hits - 1) / (top - 1)
        first = hits * np.mean((above + 1) / (inside + 0.5))
    last = np.arange(hits + 1, m + 1) / np.arange(n - m + hits + 1, n + 1)
    value = (first + last.sum()) / m
    least = hypergeom.sf(hits - 1, n, m, top)
    p = math.exp(null.tail(value * (1 - 1e-9)).log_pvalue)
    assert least * (1 - 1e-6) <= p <= 1.05 * least


@pytest.mark.parametrize("z", [-1.5, 8])
@pytest.mark.parametrize("ties", TIES)
def test_few_groups_in_strides_against_certified_bounds(ties, z):
    sizes = [40, 100, 260, 600, 1500, 3500, 4000, 5000, 5000]
    null = RandomSelectionNull(20_000, 200, tie_sizes=sizes, ties=ties)
    assert null._facts.is_large
    value = null.mean() + z * null.std()
    alternative = "greater" if z > 0 else "less"
    found = null.tail(value, alternative=alternative)
    low, high = null.tail(value, alternative=alternative, method="grid").log_bounds
    assert low - 0.005 <= found.log_pvalue <= high + 0.005
    assert high - low < 0.1


def test_dense_targets_in_few_groups_against_normal():
    """Near the middle a distribution of thousands of targets is normal."""
    sizes = [189, 283, 5, 1, 153, 453, 187, 210, 784, 1687, 915, 5]
    null = RandomSelectionNull(4872, 2956, tie_sizes=sizes, ties="threshold")
    for z in (-1.0, 0.5, 1.5):
        p = null.pvalue(null.mean() + z * null.std())
        assert p == pytest.approx(0.5 * math.erfc(z / math.sqrt(2)), abs=0.015)


@pytest.mark.parametrize("value", [0.01, 0.03, 0.1])
def test_left_tails_of_steep_weights_against_certified_bounds(value):
    """Few targets whose weights fall by far within a block of ranks."""
    null = RandomSelectionNull(5000, 12, "rie(alpha=40.0)")
    found = null.tail(value, alternative="less")
    low, high = null.tail(value, alternative="less", method="grid").log_bounds
    assert low - 0.01 <= found.log_pvalue <= high + 0.01


def test_best_lists_but_one_slip_are_answered():
    """Digits: 46 of 450 with AP .9768, too many placements to count quickly."""
    null = RandomSelectionNull(450, 46)
    values = np.linspace(0.95, 1.0, 7)
    found = [null.tail(value) for value in values]
    assert all(one.doubt < 0.03 for one in found)
    falls = np.diff([one.log_pvalue for one in found])
    assert np.all(falls < 0)
    assert found[-1].log_pvalue == pytest.approx(-math.log(math.comb(450, 46)))


LISTS = [
    (200, 10, None),
    (60, 50, None),
    (400, 40, [30, 1, 1, 100, 200, 68]),
    (1000, 10, [30, *[1] * 300, 670]),
    (1000, 300, [10, 990]),
    (800, 60, [1] * 400 + [400]),
]


@pytest.mark.parametrize("ties", ["expected", "threshold"])
@pytest.mark.parametrize(("n", "m", "sizes"), LISTS)
def test_tails_over_the_whole_support(n, m, sizes, ties):
    """Bounded, falling, and each the rest of the other, from end to end."""
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties=ties)
    least, most = null.support()
    values = np.linspace(least, most, 7)
    found = [null.tail(value) for value in values]
    logs = np.array([one.log_pvalue for one in found])
    assert abs(logs[0]) < 1e-9
    assert logs[-1] == pytest.approx(
        TailQuery(null._facts, most, 1)._known().log_pvalue
    )
    assert np.all(np.diff(logs) <= 0.03)
    assert all(one.doubt < 0.05 for one in found)
    for value, log_p in zip(values, logs, strict=True):
        assert null.logsf(value) <= log_p + 0.03
        assert null.sf(value) + null.cdf(value) == pytest.approx(1, abs=0.01)
        less = null.tail(value, alternative="less").log_pvalue
        assert math.exp(less) + math.exp(log_p) >= 0.99


def test_a_fold_near_its_best_does_not_break_the_mean():
    nulls = [RandomSelectionNull(200, 4)] * 5
    null = MeanNull(nulls)
    for value in np.linspace(null.mean(), 1.0, 6):
        assert null.tail(value).doubt < 0.03


@pytest.mark.parametrize(("n", "m"), [(300, 40), (2000, 30)])
def test_chernoff_in_blocks_against_tails(n, m):
    null = RandomSelectionNull(n, m)
    for z in (-2.5, 2.5, 6.0):
        value, sign = null.mean() + z * null.std(), 1 if z > 0 else -1
        if value <= null.support()[0]:
            continue
        event = TailQuery(null._facts, value, sign)._event
        upper = _limits.chernoff(event, -1000.0)
        tail = null.tail(value, alternative="greater" if z > 0 else "less")
        assert tail.log_pvalue < upper < 0.15 * tail.log_pvalue


def test_what_is_next_to_certain_is_proven_at_once():
    """The wrong column of a classifier's probabilities: p is 1, to the last bit."""
    null = RandomSelectionNull(5000, 200)
    value = 0.0208  # six deviations below the mean
    found = null.tail(value)
    assert found.log_pvalue == 0.0
    assert found.log_bounds[0] > -1e-16
    below = null.tail(value, alternative="less")
    assert below.log_pvalue < -300


def test_bounds_of_long_lists_are_not_computed():
    null = RandomSelectionNull(1_000_000, 900)
    event = TailQuery(null._facts, null.mean() / 2, -1)._event
    assert _limits.chernoff(event, -40.0) == 0.0


def bounds(tail):
    """What a probability may be, by what its answer says."""
    if tail.log_bounds is not None:
        return np.exp(np.minimum(tail.log_bounds, 0.0))
    p = math.exp(tail.log_pvalue)
    return p * (1 - tail.error), min(1.0, p * (1 + tail.error))


@pytest.mark.filterwarnings("ignore:the p-value is known:RuntimeWarning")
@pytest.mark.parametrize(
    ("n", "m", "metric", "ties", "sizes"),
    [
        (5183, 23, "bedroc", "pessimistic", [2592, 1295, 648, 324, 162, 100, 62]),
        (197, 89, "rie", "threshold", [99, 49, 24, 13, 6, 3, 1, 1, 1]),
        (149, 7, "bedroc", "optimistic", [1, 2, 7, 15, 27, 37, 34, 20, 6]),
    ],
)
def test_values_of_steep_weights_are_told_apart(n, m, metric, ties, sizes):
    """All values are tiny, or most are: draws say how often each comes."""
    null = RandomSelectionNull(
        n, m, ties=ties, tie_sizes=sizes, **named(metric, alpha=100.0)
    )
    draws = null.rvs(4000, random_state=0)
    for value in np.quantile(draws, [0.1, 0.3, 0.5, 0.7, 0.9], method="nearest"):
        for alternative, sign in (("greater", 1), ("less", -1)):
            near = 1e-9 * abs(value)
            seen = int((sign * (draws - value) >= -near).sum())
            low, high = bounds(null.tail(value, alternative=alternative))
            assert binom.sf(seen - 1, 4000, high) > 1e-6
            assert binom.cdf(seen, 4000, low) > 1e-6
    ends = null.support()
    assert ends[0] <= draws.min()
    assert draws.max() <= ends[1] * (1 + 1e-9)


def test_beyond_the_best_of_several_lists():
    """Coarse chains that merge ties reach further than the rankings do."""
    sizes = [*[3] * 2, 8, 9, 4, 3, 8, 2, 5, 1, 12, 1, 8, 5, 2, 3, 11, 30, 40, 120]
    null = MeanNull(
        [
            RandomSelectionNull(sum(sizes), 72, tie_sizes=sizes, ties="optimistic"),
            RandomSelectionNull(232, 5, ties="optimistic"),
        ]
    )
    assert null.support()[1] == pytest.approx(1.0)
    assert null.pvalue(1.000001) == 0.0
    assert null.pvalue(1.000001, alternative="less") == 1.0


def test_a_quantile_near_nothing():
    """Few targets and a steep weight: the values of a tail differ by powers of ten."""
    null = RandomSelectionNull(15_000, 24, "bedroc(alpha=160.9)")
    value = null.ppf(0.05)
    assert null.cdf(value) == pytest.approx(0.05, rel=0.03)
    assert value < 1e-8
    draws = np.sort(null.rvs(20_000, random_state=0))
    expected, spread = 1000, math.sqrt(0.05 * 0.95 * 20_000)
    assert abs(np.searchsorted(draws, value) - expected) < 4 * spread + 0.03 * expected


def test_three_targets_among_ten_billion():
    """One is first and another among the first four, or no ranking is as good."""
    n = 10**10
    null = RandomSelectionNull(n, 3)
    log_lists = math.log(n) + math.log(n - 1) + math.log(n - 2) - math.log(6)
    # with the third wherever it is; others are as good only near the top
    expected = math.log(3 * n) - log_lists
    assert null.tail(0.5).log_pvalue == pytest.approx(expected, abs=1e-6)
