"""Several rankings whose values are added up in two halves."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import oracles
from cases import TIES
from skrank import RandomSelectionNull
from skrank.null import MeanNull
from skrank.null._centred import OutOfReachError
from skrank.null._choice import TailQuery
from skrank.null._enumeration import Atoms
from skrank.null._sums import _PAIRS, tail

pytestmark = pytest.mark.arithmetic

SIDES = [1, -1]


def added(nulls):
    """Distribution of the mean of independent values, in rational numbers."""
    null = {Fraction(0): Fraction(1)}
    for one in nulls:
        total = defaultdict(Fraction)
        for (x, p), (y, q) in product(null.items(), one.items()):
            total[x + y / len(nulls)] += p * q
        null = total
    return null


def all_values(n, m):
    places = np.array(list(combinations(range(1, n + 1), m)))
    return (np.arange(1, m + 1) / places).mean(axis=1)


@pytest.mark.parametrize("value", [0.7, 0.8, 0.9, 0.95])
def test_lists_near_their_best_are_counted_together(value):
    """All pairs of placements of two rankings; the second is of another shape."""
    null = MeanNull([RandomSelectionNull(20, 3), RandomSelectionNull(16, 4)])
    pairs = np.add.outer(*(all_values(n, m) for n, m in ((20, 3), (16, 4)))) / 2
    found = TailQuery(null._facts, value, 1)._count(10**6)
    share = np.mean(pairs >= value - 1e-12)
    assert math.exp(found.log_pvalue) == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.slow
def test_folds_of_few_ties_against_all_combinations(ties):
    """All combinations of the values of four lists, in rational numbers."""
    lists = [([6, 30], 3), ([3, 40], 3), ([20, 5, 11], 2), ([6, 30], 3)]
    judge = added(
        [
            oracles.null_distribution(s, m, "average_precision", ties=ties)
            for s, m in lists
        ]
    )
    null = MeanNull(
        [RandomSelectionNull(sum(s), m, tie_sizes=s, ties=ties) for s, m in lists]
    )
    values = sorted(judge)
    for value, sign in product(values[:: len(values) // 10 + 1], SIDES):
        exact = float(sum(p for x, p in judge.items() if sign * (x - value) >= 0))
        found = TailQuery(null._facts, float(value), sign)._count(10**5)
        assert found.pvalue == pytest.approx(exact, rel=1e-9), sign


@pytest.fixture(scope="module")
def first_hits():
    """Four folds of (40, 5): all mean reciprocal ranks, and their chances."""
    rank = np.arange(1, 37)
    chance = np.array([math.comb(40 - int(r), 4) for r in rank]) / math.comb(40, 5)
    value, weight = np.zeros(1), np.ones(1)
    for _ in range(4):
        value = np.add.outer(value, 1 / rank / 4).ravel()
        weight = np.multiply.outer(weight, chance).ravel()
    return value, weight


@pytest.mark.parametrize("sign", SIDES)
@pytest.mark.parametrize("pairs", [2**8, 2**12, 2**20])
def test_bounds_of_joined_values_hold_all_combinations(first_hits, pairs, sign):
    """The judge adds up all 36^4 combinations, one by one."""
    value, weight = first_hits
    null = MeanNull([RandomSelectionNull(40, 5, "reciprocal_rank")] * 4)
    (judge,) = null._facts.list_distributions
    lists = [(judge.times(sign / 4), 4)]
    places = np.random.default_rng(0).integers(0, value.size, 40)
    places = np.append(places, [0, value.size - 1])  # both ends, where few are left
    for place in places:
        s = value[place]
        exact = math.log(weight[sign * (value - s) >= -1e-12].sum())
        found = tail(lists, sign * s, 1e-12, 0.0, (pairs,))
        lower, upper = found.log_bounds
        assert lower - 1e-9 <= exact <= upper + 1e-9
        assert lower <= found.log_p <= upper
        if pairs == 2**20:
            assert upper - lower < 0.1


def test_finer_cells_are_taken_until_the_bounds_are_near(first_hits):
    value, weight = first_hits
    null = MeanNull([RandomSelectionNull(40, 5, "reciprocal_rank")] * 4)
    (judge,) = null._facts.list_distributions
    s = float(null.mean() + null.std())
    exact = math.log(weight[value >= s].sum())
    widths = []
    for enough in (1.0, 0.1, 0.01):
        lower, upper = tail([(judge.times(1 / 4), 4)], s, 1e-12, enough).log_bounds
        assert lower - 1e-9 <= exact <= upper + 1e-9
        widths.append(upper - lower)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.01


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=12, unique=True),
    st.integers(1, 4),
    st.integers(-40, 130),
)
def test_bounds_of_whole_numbers(values, copies, least):
    """Sums of whole numbers, all alike likely, counted by convolution."""
    null = Atoms(
        np.sort(values).astype(float), np.full(len(values), -math.log(len(values))), 1.0
    )
    ways = np.ones(1)
    for _ in range(copies):
        ways = np.convolve(ways, np.bincount(values) / len(values))
    exact = ways[max(least, 0) :].sum()
    for pairs in (4, 16, _PAIRS[0]):
        lower, upper = tail([(null, copies)], least, 1e-9, 0.0, (pairs,)).log_bounds
        assert math.exp(lower) <= exact * (1 + 1e-9)
        assert math.exp(upper) >= exact * (1 - 1e-9)
    assert lower == upper


@pytest.mark.slow
def test_folds_by_first_hit_take_one_way_for_both_sides():
    """The mean reciprocal rank of ten folds of unlike sizes."""
    folds = [
        RandomSelectionNull(n, m, "reciprocal_rank")
        for n, m in [(330, 7), (360, 36), (114, 43)]
    ]
    null = MeanNull(folds * 3)
    for deviations in (-2, -1, 1, 3, 6):
        value = null.mean() + deviations * null.std()
        above, below = null.tail(value), null.tail(value, alternative="less")
        assert above.method == below.method == "exact"
        assert above.pvalue + below.pvalue == pytest.approx(1, abs=0.02)
        assert above.doubt < 0.02


def test_very_many_lists_are_left_to_others():
    """Their mean is normal, nearly, in the centre."""
    null = MeanNull(
        [RandomSelectionNull(n, 4, "reciprocal_rank") for n in (30, 40, 50)] * 200
    )
    asked = TailQuery(null._facts, null.mean() + null.std(), 1)
    with pytest.raises(OutOfReachError):
        asked._count(1000)
    found = null.tail(null.mean() + null.std())
    assert found.method != "exact"
    assert found.pvalue == pytest.approx(norm.sf(1), abs=0.01)


def test_folds_of_too_many_paths_are_not_counted():
    null = MeanNull([RandomSelectionNull(300, 30)] * 5)
    asked = TailQuery(null._facts, null.mean() + null.std(), 1)
    assert asked._count(1000) is None
