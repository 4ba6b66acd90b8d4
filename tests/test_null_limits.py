"""Proven bounds of tails, and answers at the ends of the range."""

import math

import numpy as np
import pytest
from scipy.stats import hypergeom

import oracles
from cases import METRICS, SMALL_LISTS, TIES, oracle_settings
from skrank import RandomSelectionNull
from skrank.null import MeanNull, _limits
from skrank.null._choice import Asked


def strict(null, value, sign):
    """Bound of the chance of being as extreme, whatever the engines say."""
    (term,) = null._terms
    return _limits.staircase(term.chain, value, sign, 1e-12)


@pytest.mark.parametrize("case", METRICS)
@pytest.mark.parametrize("ties", TIES)
def test_limits_hold_all_tails(case, ties):
    """Every tail of small lists, by all placements in rational numbers."""
    metric, settings = METRICS[case]
    for sizes, m in SMALL_LISTS:
        n = sum(sizes)
        null = RandomSelectionNull(n, m, metric, tie_sizes=sizes, ties=ties, **settings)
        exact = oracles.null_law(
            sizes, m, metric, ties=ties, **oracle_settings(case, n)
        )
        for value in sorted(exact):
            above = float(oracles.tail(exact, value))
            below = 1 - above + float(exact[value])
            for sign, p in ((1, above), (-1, below)):
                assert math.exp(strict(null, float(value), sign)) <= p * (1 + 1e-9)
                distance = sign * (float(value) - null.mean())
                if distance > 1e-9 * abs(float(value)):
                    moments = null.mean(), null.std() ** 2
                    most = _limits.cantelli(moments, float(value))
                    assert p <= most * (1 + 1e-9)


def test_a_staircase_is_the_chance_of_a_perfect_list():
    null = RandomSelectionNull(300, 7)
    assert strict(null, 1.0, 1) == pytest.approx(-math.log(math.comb(300, 7)))
    least = null.support()[0]
    assert strict(null, least, -1) == pytest.approx(-math.log(math.comb(300, 7)))


@pytest.mark.parametrize("ties", ["expected", "threshold"])
def test_a_tie_on_top_that_makes_two_humps(ties):
    """Six of 30 targets in a tie of 64 on top, the rest at the end of a long list.

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
    """Near the middle a law of thousands of targets is normal."""
    sizes = [189, 283, 5, 1, 153, 453, 187, 210, 784, 1687, 915, 5]
    null = RandomSelectionNull(4872, 2956, tie_sizes=sizes, ties="threshold")
    for z in (-1.0, 0.5, 1.5):
        p = null.pvalue(null.mean() + z * null.std())
        assert p == pytest.approx(0.5 * math.erfc(z / math.sqrt(2)), abs=0.015)


@pytest.mark.parametrize("value", [0.01, 0.03, 0.1])
def test_left_tails_of_steep_weights_against_certified_bounds(value):
    """Few targets whose weights fall by far within a block of ranks."""
    null = RandomSelectionNull(5000, 12, "rie", alpha=40.0)
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
    (3000, 20, [100, *[1] * 900, 2000]),
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
    assert logs[-1] == pytest.approx(Asked(null._facts, most, 1)._known().log_pvalue)
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
