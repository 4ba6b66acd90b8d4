"""The comparison of rankings: that it is fair, and that its numbers are right."""

import dataclasses
import math
import re
import sys
import warnings
from itertools import combinations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import binomtest, rankdata, t, ttest_rel, wilcoxon
from sklearn.exceptions import UndefinedMetricWarning

import skrank
from cases import ALL, BY_VALUE, assert_share, metric_function, named, runs
from skrank import (
    Ranking,
    RankingComparison,
    RankingComparisonResult,
    RankingComparisonTable,
    average_precision,
)
from skrank.inference.comparison._pvalues import adjust_holm, log_tail

RNG = np.random.default_rng(0)
N, M = 400, 40
Y = np.arange(N) < M
A = RNG.normal(1.8 * Y)
B = 0.5 * A + RNG.normal(0.6 * Y)
GROUPS = np.arange(N) % 8

ITEM_METHODS = ("jackknife", "bootstrap", "permutation")
CUT_METHODS = ("mcnemar", "posterior")
LIST_METHODS = ("t", "sign", "wilcoxon")
WITH_ERROR = {"jackknife", "bootstrap", "permutation", "t", *CUT_METHODS}

# method -> settings of the comparison, and whether it asks several data sets
CASES = {
    **{name: ({}, False) for name in ITEM_METHODS},
    **{name: ({"metric": "recall_at_t", "t": 40}, False) for name in CUT_METHODS},
    **{name: ({}, True) for name in LIST_METHODS},
}


def ask(method, a=A, b=B, *, y=Y, **settings):
    more, many = CASES[method]
    comparison = RankingComparison(
        method=method, n_resamples=199, random_state=0, **named(**{**more, **settings})
    )
    return comparison.from_predictions(
        y, {"A": a, "B": b}, groups=GROUPS if many else None
    )


# The answer


@pytest.mark.parametrize("method", CASES)
def test_fields(method):
    result = ask(method)
    assert isinstance(result, RankingComparisonResult)
    assert result.method == method
    assert result.alternative == "two-sided"
    assert (result.n_samples, result.n_targets) == (N, M)
    assert result.names == ("A", "B")
    assert result.difference == result.value_a - result.value_b
    assert result.value_a == pytest.approx(np.mean(result.values_a))
    assert result.log10_pvalue == pytest.approx(math.log10(result.pvalue))
    assert math.isnan(result.standard_error) == (method not in WITH_ERROR)
    has_posterior = method in ("posterior", "t")
    assert math.isnan(result.probability_superior) != has_posterior
    assert result.n_rankings == len(result.values_b) == (8 if CASES[method][1] else 1)
    assert result.labels == (tuple(range(8)) if CASES[method][1] else ())
    names = {field.name for field in dataclasses.fields(result)}
    plain = names - {"names", "values_a", "values_b", "labels", "_rule"}
    computed = {"name_a", "name_b", "low", "high", "n_rankings"}
    assert set(result.to_dict()) == plain | computed
    kinds = {type(value) for value in result.to_dict().values()}
    assert kinds == {bool, int, float, str}
    if method in WITH_ERROR:
        ends = result.to_dict()["low"], result.to_dict()["high"]
        assert ends == result.confidence_interval()


@pytest.mark.parametrize("b", [B, np.round(B)], ids=["distinct", "ties"])
@pytest.mark.parametrize("method", CASES)
def test_the_other_way_round(method, b):
    one, other = ask(method, A, b), ask(method, b, A)
    assert other.difference == -one.difference
    assert other.zscore == pytest.approx(-one.zscore)
    assert other.pvalue == pytest.approx(one.pvalue)
    assert other.standard_error == pytest.approx(one.standard_error, nan_ok=True)
    assert other.probability_superior == pytest.approx(
        1 - one.probability_superior, nan_ok=True
    )
    if method in WITH_ERROR:
        low, high = one.confidence_interval()
        assert_allclose(other.confidence_interval(), (-high, -low))


@pytest.mark.parametrize("method", CASES)
def test_one_side_and_the_other(method):
    greater, less, both = (
        ask(method, alternative=side) for side in ("greater", "less", "two-sided")
    )
    mirrored = ask(method, B, A, alternative="less")
    assert mirrored.pvalue == pytest.approx(greater.pvalue)
    assert greater.zscore == less.zscore == both.zscore
    assert greater.pvalue < 0.5 < less.pvalue
    if method == "permutation":  # counts draws on both sides, which need not be alike
        assert both.pvalue == pytest.approx(2 * greater.pvalue, abs=0.15)
    else:
        assert both.pvalue == pytest.approx(2 * greater.pvalue)


def test_printed_result():
    # nothing but ranks: A has its two targets first, B has one second
    y = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    a, b = -np.arange(8.0), -np.array([2, 5, 1, 3, 4, 6, 7, 8.0])
    comparison = RankingComparison("recall@2", method="posterior")
    result = comparison.from_predictions(y, {"A": a, "B": b})
    # hits 2 and 1, posterior Dirichlet(1.5, .5, 1.5): P(beta(1.5, .5) < 1/2) is
    # 1/2 - 1/pi, and pi_1 - pi_2 has the variance (2 - 1 / 3.5) / (3.5 4.5)
    assert repr(result) == str(result)
    assert str(result).splitlines() == [
        "Comparison of two rankings by recall@2",
        "  data set        8 items, 2 targets (prevalence 0.25)",
        "  A               1",
        "  B               0.5",
        "  difference      0.5",
        "  standard error  0.33",
        "  95 % interval   -0.147 to 1.147",
        "  zscore          1.52",
        "  pvalue          0.36   two-sided, method: posterior",
        "  P(A > B)        0.8183",
    ]
    lines = str(ask("sign")).splitlines()
    assert lines[1] == "  8 groups        400 items, 40 targets (prevalence 0.1)"
    assert lines[2].endswith(" on average")
    assert lines[5] == "  standard error  unknown"


# Intervals


@pytest.mark.parametrize("method", sorted(WITH_ERROR))
def test_interval_is_the_inverted_test(method):
    result = ask(method)
    low, high = result.confidence_interval(0.9)
    assert low < result.difference < high
    greater, less = (ask(method, alternative=one) for one in ("greater", "less"))
    assert greater.confidence_interval() == pytest.approx((low, math.inf))
    assert less.confidence_interval() == pytest.approx((-math.inf, high))
    for level in (0.2, 0.5, 0.9):  # below 0.5 the limit is beyond the difference
        limits = (x.confidence_interval(level) for x in (greater, less))
        (low, _), (_, high) = limits
        assert (low < result.difference < high) == (level > 0.5) or level == 0.5
    below = ask(method, B, A)
    for one in (result, below):
        low, high = one.confidence_interval(0.9)
        for margin, claim in ((-low, 0.05), (-high, 0.95)):
            if margin > 0:
                found = one.noninferiority_pvalue(margin)
                assert found == pytest.approx(claim, rel=1e-6)
        if low < 0 < high:
            margin = max(-low, high)
            assert one.equivalence_pvalue(margin) == pytest.approx(0.05, rel=1e-6)
    if method == "t":  # the p-value is of the same distribution
        low, _ = greater.confidence_interval(1 - greater.pvalue)
        _, high = less.confidence_interval(1 - less.pvalue)
        assert (low, high) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_interval_of_paired_t_is_that_of_scipy():
    result = ask("t")
    judge = ttest_rel(result.values_a, result.values_b)
    assert_allclose(
        result.confidence_interval(0.9), judge.confidence_interval(confidence_level=0.9)
    )


def test_no_interval_without_an_error():
    with pytest.warns(
        UndefinedMetricWarning, match="'wilcoxon' gave no standard error"
    ):
        low, high = ask("wilcoxon").confidence_interval()
    assert math.isnan(low)
    assert math.isnan(high)


# Items


def jackknife_error(metric, y, a, b):
    """Delete-one jackknife of two samples, the targets and the others; slow."""
    variance = 0.0
    for index in (np.flatnonzero(y), np.flatnonzero(~y)):
        without = [np.delete(np.arange(y.size), i) for i in index]
        values = np.array([metric(y[w], a[w]) - metric(y[w], b[w]) for w in without])
        size = index.size
        variance += (size - 1) / size * ((values - values.mean()) ** 2).sum()
    return math.sqrt(variance)


@pytest.mark.parametrize("metric", ["average_precision", "rie"])
@pytest.mark.parametrize("levels", [None, 2], ids=["distinct", "ties"])
def test_influence_is_the_jackknife(metric, levels):
    a, b = (A, B) if levels is None else (np.round(levels * A), np.round(levels * B))
    result = RankingComparison(metric, method="jackknife").from_predictions(
        Y, {"A": a, "B": b}
    )
    expected = jackknife_error(getattr(skrank, metric), Y, a, b)
    assert result.standard_error == pytest.approx(expected, rel=1e-3)
    freedom = Y.sum() - 1
    assert result.degrees_of_freedom == pytest.approx(freedom)
    assert result.pvalue == pytest.approx(
        2 * t(freedom).sf(abs(result.difference) / expected), rel=0.01
    )


def test_bootstrap_is_that_of_items():
    # drawn and ranked again by the metric itself
    result = RankingComparison(
        method="bootstrap", n_resamples=999, random_state=0
    ).from_predictions(Y, {"A": A, "B": B})
    rng = np.random.default_rng(1)
    differences = []
    for _ in range(999):
        drawn = np.r_[rng.integers(0, M, M), rng.integers(M, N, N - M)]
        differences.append(
            average_precision(Y[drawn], A[drawn])
            - average_precision(Y[drawn], B[drawn])
        )
    # two standard deviations of 999 draws each: 2 % off each, and five of both
    assert result.standard_error == pytest.approx(np.std(differences), rel=0.16)
    assert result.zscore == result.difference / result.standard_error


SWAPPED = [
    "average_precision",
    "r_precision",
    *(pytest.param(one, marks=pytest.mark.slow) for one in BY_VALUE),
]


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@pytest.mark.parametrize("case", SWAPPED)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_swap_is_the_enumeration_of_all_swaps(alternative, case):
    # Yeh (2000): 2**9 ways to swap the ranks of nine items
    y = np.array([1, 0, 1, 0, 0, 1, 0, 0, 0]) == 1
    a, b = -np.arange(9.0), -np.array([3, 1, 8, 0, 2, 4, 5, 6, 7.0])
    swaps = np.array(list(product([False, True], repeat=9)))
    metric = metric_function(case)
    name, settings = ALL[case]
    null = np.array(
        [metric(y, np.where(s, b, a)) - metric(y, np.where(s, a, b)) for s in swaps]
    )
    difference = null[0]
    extreme = {
        "two-sided": np.abs(null) >= abs(difference) - 1e-12,
        "greater": null >= difference - 1e-12,
        "less": null <= difference + 1e-12,
    }[alternative]
    result = RankingComparison(
        **named(name, **settings),
        method="permutation",
        alternative=alternative,
        n_resamples=1999,
        random_state=0,
    ).from_predictions(y, {"A": a, "B": b})
    count = round(result.pvalue * 2000) - 1
    assert binomtest(count, 1999, extreme.mean()).pvalue > 1e-3
    assert result.zscore == pytest.approx(difference / null.std(), rel=0.07)


def blocks_of(y, a, b):
    """Units of the exchanges: blocks of one target, and the items of other blocks.

    A block ends at a depth at which the tops of both rankings have the same items.
    """
    tops = [{frozenset(np.flatnonzero(s >= x)) for x in s} for s in (a, b)]
    ends = sorted(tops[0] & tops[1], key=len)
    found = []
    for start, end in zip([frozenset(), *ends], ends, strict=False):
        block = sorted(end - start)
        single = y[block].sum() == 1
        found += [block] if single else [[item] for item in block]
    return found


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@pytest.mark.parametrize("metric", ["average_precision", "bedroc", "recall@11"])
@pytest.mark.parametrize("n_swaps", [1, 2, 5, 8])
def test_exchanged_neighbours_are_coins(n_swaps, metric):
    # each target and its neighbour change places, all in favour of A: a sign test
    y = np.zeros(60, dtype=bool)
    y[10 : 10 + 2 * n_swaps : 2] = True
    y[50:54] = True
    a = -np.arange(60.0)
    b = a.copy()
    for i in np.flatnonzero(y)[:n_swaps]:
        b[[i, i + 1]] = b[[i + 1, i]]
    coins = 1 if metric == "recall@11" else n_swaps
    for alternative, p in (("two-sided", 2), ("greater", 1), ("less", 2**coins)):
        result = RankingComparison(metric, alternative=alternative).from_predictions(
            y, {"A": a, "B": b}
        )
        assert result.method == "permutation"
        assert result.pvalue == pytest.approx(p / 2**coins)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@pytest.mark.parametrize("metric", ["average_precision", "bedroc", "recall@12"])
@pytest.mark.parametrize("m", [8, 25])
@pytest.mark.parametrize("noise", [0.001, 0.1])
def test_models_that_differ_by_noise_are_seldom_different(noise, m, metric):
    # each target has a twin among the non-targets
    rng = np.random.default_rng(0)
    y, pvalues = np.arange(2 * m + 100) < m, []
    test = RankingComparison(metric, method="permutation", n_resamples=299)
    for _ in range(runs(200)):
        targets = rng.normal(size=m)
        score = np.r_[targets, targets, rng.normal(-1, size=100)]
        a, b = score + noise * rng.normal(size=(2, y.size))
        pvalues.append(test.from_predictions(y, {"A": a, "B": b}).pvalue)
    for level in (0.01, 0.05):
        assert_share(np.array(pvalues) <= level, 0, 1.4 * level)


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("tied", [False, True])
def test_few_changing_items_are_exchanged_in_all_ways(tied, alternative):
    # nine of 30 items change their ranks; all exchanges, by the metric itself
    rng = np.random.default_rng(5)
    y = np.isin(np.arange(30), rng.permutation(30)[:6])
    a = rng.permutation(30).astype(float)
    b = a.copy()
    changed = rng.permutation(30)[:9]
    b[changed] = a[np.roll(changed, 1)]
    if tied:
        a, b = a // 3, b // 3
    ranks_a, ranks_b = rankdata(a), rankdata(b)
    units = [one for one in blocks_of(y, a, b) if (ranks_a != ranks_b)[one].any()]
    null = []
    for ways in product([False, True], repeat=len(units)):
        swap = np.zeros(30, dtype=bool)
        for unit, is_swapped in zip(units, ways, strict=True):
            swap[unit] = is_swapped
        one, other = (
            np.where(swap, second, first)
            for first, second in ((ranks_a, ranks_b), (ranks_b, ranks_a))
        )
        null.append(average_precision(y, one) - average_precision(y, other))
    null = np.array(null)
    extreme = {
        "two-sided": np.abs(null) >= abs(null[0]) - 1e-12,
        "greater": null >= null[0] - 1e-12,
        "less": null <= null[0] + 1e-12,
    }[alternative]
    result = RankingComparison(alternative=alternative).from_predictions(
        y, {"A": a, "B": b}
    )
    assert result.method == "permutation"
    assert result.pvalue == pytest.approx(extreme.mean())
    assert result.zscore == pytest.approx(null[0] / null.std())


def test_default_is_reproducible_and_has_the_error_of_the_jackknife():
    one, again = (
        RankingComparison().from_predictions(Y, {"A": A, "B": B}) for _ in range(2)
    )
    assert one.pvalue == again.pvalue
    other = RankingComparison(random_state=1).from_predictions(Y, {"A": A, "B": B})
    assert one.pvalue != other.pvalue
    judge = RankingComparison(method="jackknife").from_predictions(Y, {"A": A, "B": B})
    assert one.standard_error == judge.standard_error
    assert one.confidence_interval() == judge.confidence_interval()
    assert one.sample_size(difference=0.1) == judge.sample_size(difference=0.1)


def test_long_rankings_are_exchanged_in_blocks():
    # other blocks and other draws than those of short rankings: the same distribution
    rng = np.random.default_rng(0)
    y = np.arange(9000) < 30
    a, b = rng.normal(size=(2, 9000)) + 1.5 * y
    ranks = np.stack([rankdata(a), rankdata(b)])
    null = []
    for _ in range(300):
        one, other = np.where(rng.integers(2, size=9000), ranks, ranks[::-1])
        null.append(average_precision(y, one) - average_precision(y, other))
    result = RankingComparison(n_resamples=1500).from_predictions(y, {"A": a, "B": b})
    # standard errors of 4 % and 2 %
    assert result.difference / result.zscore == pytest.approx(np.std(null), rel=0.15)
    expected = np.mean(np.abs(null) >= abs(result.difference))
    assert result.pvalue == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("case", BY_VALUE)
def test_metrics_by_value_are_compared_by_draws_and_over_data_sets(case):
    name, settings = BY_VALUE[case]
    metric, value = named(name, **settings), metric_function(case)
    asked = RankingComparison(**metric, n_resamples=199, random_state=0)
    result = asked.from_predictions(Y, {"A": A, "B": B})
    assert result.method == "permutation"
    assert (result.value_a, result.value_b) == (value(Y, A), value(Y, B))
    days = asked.from_predictions(Y, {"A": A, "B": B}, groups=GROUPS)
    differences = np.subtract(days.values_a, days.values_b)
    assert days.method == "t"
    expected = ttest_rel(days.values_a, days.values_b)
    assert days.pvalue == pytest.approx(expected.pvalue)
    assert days.difference == pytest.approx(differences.mean())
    again = RankingComparison(
        **metric, method="bootstrap", n_resamples=199, random_state=0
    ).from_predictions(Y, {"A": A, "B": B})
    assert again.standard_error > 0
    assert np.sign(again.zscore) == np.sign(result.difference)
    with pytest.raises(ValueError, match="which may jump when one item is left out"):
        RankingComparison(**metric, method="jackknife")
    with pytest.raises(ValueError, match="`metric` must be recall, precision or"):
        RankingComparison(**metric, method="mcnemar")


def test_what_is_optional_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    comparison = RankingComparison(method="permutation", n_resamples=9, progress=True)
    with pytest.raises(ImportError, match="`progress` must be False where tqdm is"):
        comparison.from_predictions(Y, {"A": A, "B": B})
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = RankingComparison().compare_all(Y, np.c_[A, B])
    with pytest.raises(ImportError, match="A data frame needs pandas"):
        table.to_frame()


@pytest.mark.parametrize(
    ("metric", "method"), [("average_precision", "jackknife"), ("rie", "permutation")]
)
@pytest.mark.nightly
def test_size_of_the_test(metric, method):
    # rankings equally good, of new items each time: p <= 0.05 in about 5 %
    rng = np.random.default_rng(0)
    comparison = RankingComparison(metric, method=method, n_resamples=399)
    y = np.arange(500) < 40
    pvalues = []
    for _ in range(runs(250)):
        common = rng.normal(size=500)
        a, b = (common + rng.normal(2.0 * y) for _ in range(2))
        pvalues.append(comparison.from_predictions(y, {"A": a, "B": b}).pvalue)
    assert_share(np.array(pvalues) <= 0.05, 0.05, 0.05)


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@pytest.mark.nightly
def test_size_and_power_with_few_targets():
    # each ranking finds another half of eight targets; and one is better with ten
    comparison = RankingComparison("bedroc(alpha=20)", n_resamples=399)
    rng, small = np.random.default_rng(0), []
    y = np.arange(400) < 8
    for _ in range(runs(250)):
        half, noise = rng.random(400) < 0.5, rng.normal(size=(2, 400))
        a, b = noise[0] + 3 * (y & half), noise[1] + 3 * (y & ~half)
        small.append(comparison.from_predictions(y, {"A": a, "B": b}).pvalue <= 0.05)
    assert_share(small, 0.05, 0.05)
    comparison, found = RankingComparison(n_resamples=199), []
    y = np.arange(500) < 10
    for _ in range(runs(120)):
        common, noise = rng.standard_t(3, 500), rng.standard_t(3, (2, 500))
        a, b = math.sqrt(0.5) * (common + noise) + 2.3 * y
        better = {"A": a + 1.5 * y, "B": b}
        found.append(comparison.from_predictions(y, better).pvalue <= 0.05)
    assert_share(found, 0.6)  # the jackknife: 0.36


# One cut


@pytest.mark.parametrize("method", CUT_METHODS)
def test_enrichment_is_recall_in_other_units(method):
    recall = ask(method)
    enrichment = ask(method, metric="enrichment_factor")
    assert enrichment.zscore == pytest.approx(recall.zscore)
    assert enrichment.pvalue == pytest.approx(recall.pvalue)
    assert enrichment.standard_error == pytest.approx(recall.standard_error * N / 40)


def test_an_error_of_nothing_is_no_certainty():
    # the one target is found by A and not by B: there is no spread to judge it by
    y = np.arange(6) == 0
    comparison = RankingComparison("recall@1", method="jackknife")
    with pytest.warns(UndefinedMetricWarning, match="too few data to estimate it"):
        result = comparison.from_predictions(
            y, {"A": -np.arange(6.0), "B": np.arange(6.0)}
        )
    assert result.difference == 1
    assert math.isnan(result.standard_error)
    assert math.isnan(result.zscore)
    assert math.isnan(result.pvalue)


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
def test_one_target_has_no_error():
    y = np.arange(60) == 3
    with pytest.warns(UndefinedMetricWarning, match="too few data to estimate it"):
        result = RankingComparison().from_predictions(y, {"A": A[:60], "B": B[:60]})
    assert math.isnan(result.standard_error)
    assert result.pvalue > 0.05


# Several data sets


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_lists_by_scipy(alternative):
    paired, sign, ranks = (ask(m, alternative=alternative) for m in LIST_METHODS)
    a, b = np.array(paired.values_a), np.array(paired.values_b)
    judge = ttest_rel(a, b, alternative=alternative)
    assert (paired.zscore, paired.pvalue) == pytest.approx(judge)
    assert paired.degrees_of_freedom == 7
    wins = int((a > b).sum())
    judge = binomtest(wins, int((a != b).sum()), alternative=alternative)
    assert sign.pvalue == pytest.approx(judge.pvalue)
    judge = wilcoxon(a, b, alternative=alternative)
    assert ranks.pvalue == pytest.approx(judge.pvalue)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # older SciPy: only eight lists
        approximate = wilcoxon(a, b, method="approx", alternative="greater")
    assert ranks.zscore == pytest.approx(approximate.zstatistic)


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_errors_of_lists_add_up(method):
    comparison = RankingComparison(method=method, n_resamples=50, random_state=0)
    together = comparison.from_predictions(Y, {"A": A, "B": B}, groups=GROUPS)
    alone = [
        comparison.from_predictions(Y[day], {"A": A[day], "B": B[day]})
        for day in (label == GROUPS for label in range(8))
    ]
    errors = np.array([result.standard_error for result in alone])
    assert together.standard_error == pytest.approx(math.sqrt((errors**2).sum()) / 8)
    assert together.difference == pytest.approx(np.mean([r.difference for r in alone]))
    assert together.zscore == together.difference / together.standard_error
    # of Satterthwaite
    fewest = [Y[label == GROUPS].sum() - 1 for label in range(8)]
    freedom = (errors**2).sum() ** 2 / (errors**4 / fewest).sum()
    assert together.degrees_of_freedom == pytest.approx(freedom)


def test_two_draws_have_a_spread():
    """Judge: of two values it is finite, with one degree of freedom."""
    comparison = RankingComparison(method="bootstrap", n_resamples=2, random_state=0)
    for clusters in (None, np.arange(Y.size) // 2):
        result = comparison.from_predictions(Y, {"A": A, "B": B}, clusters=clusters)
        assert 0 < result.standard_error < 1


def test_lists_of_one_class_are_left_out():
    groups = np.where(np.arange(N) > N - 5, 99, GROUPS)
    with pytest.warns(UndefinedMetricWarning, match="1 of 9 groups have no targets"):
        result = RankingComparison().from_predictions(
            Y, {"A": A, "B": B}, groups=groups
        )
    assert result.labels == tuple(range(8))
    assert result.n_samples == N - 4


def test_what_auto_is():
    def method(groups=None, **settings):
        comparison = RankingComparison(n_resamples=50, **named(**settings))
        return comparison.from_predictions(Y, {"A": A, "B": B}, groups=groups).method

    assert method() == "permutation"
    assert method(metric="rie") == "permutation"
    assert method(metric="average_precision_at_k", k=20) == "permutation"
    assert method(metric="reciprocal_rank") == "permutation"
    assert method(ties="together") == "permutation"
    assert method(metric="precision_at_t", t=20, ties="together") == "jackknife"
    assert method(metric="r_precision", ties="together") == "jackknife"
    assert method(GROUPS) == method(GROUPS, metric="recall_at_t", t=5) == "t"


# Several rankings


SCORES = {"one": A, "two": B, "three": np.round(B)}


def test_all_pairs():
    comparison = RankingComparison()
    table = comparison.compare_all(Y, SCORES)
    assert isinstance(table, RankingComparisonTable)
    assert table.names == ("one", "two", "three")
    pairs = list(combinations(SCORES, 2))
    for pair, result in zip(pairs, table.comparisons, strict=True):
        expected = comparison.from_predictions(Y, {name: SCORES[name] for name in pair})
        assert result.names == pair
        assert result.pvalue == expected.pvalue
    pvalues = [result.pvalue for result in table.comparisons]
    assert_allclose(table.adjusted_pvalues, holm_by_closure(pvalues))


def test_all_against_a_baseline():
    table = RankingComparison().compare_all(Y, SCORES, baseline="two")
    assert [r.names for r in table.comparisons] == [("one", "two"), ("three", "two")]


def test_all_against_the_best():
    comparison = RankingComparison()
    table = comparison.compare_all(Y, SCORES, baseline="best")
    every = comparison.compare_all(Y, SCORES)
    assert [r.names for r in table.comparisons] == [("two", "one"), ("three", "one")]
    assert table.comparisons[0].difference < 0
    # the p-values are those of the pairs, adjusted for all pairs
    assert_allclose(table.adjusted_pvalues, every.adjusted_pvalues[:2])
    # a smaller k is better, so the best has the smallest
    lowest = RankingComparison("k_at_recall(recall=0.5)", n_resamples=99)
    values = {n: lowest._metric()(Y, s) for n, s in SCORES.items()}
    table = lowest.compare_all(Y, SCORES, baseline="best")
    assert table.comparisons[0].names[1] == min(values, key=values.get)
    named = comparison.compare_all(Y, {"best": B, "other": A}, baseline="best")
    assert named.comparisons[0].names == ("other", "best")
    with pytest.raises(ValueError, match="`alternative` must be 'two-sided' for"):
        RankingComparison(alternative="less").compare_all(Y, SCORES, baseline="best")


@pytest.mark.nightly
def test_the_best_of_four_equals_is_not_better():
    rng, y, false = np.random.default_rng(0), np.arange(500) < 40, []
    comparison = RankingComparison(n_resamples=199)
    for _ in range(runs(250)):
        scores = rng.normal(size=(500, 4)) + 1.5 * y[:, None]
        table = comparison.compare_all(y, scores, baseline="best")
        false.append(min(table.adjusted_pvalues) <= 0.05)
    assert_share(false, most=0.05)


def holm_by_closure(pvalues):
    """Reject what every set of hypotheses that holds it rejects by Bonferroni."""
    indices = range(len(pvalues))
    sets = [s for size in indices for s in combinations(indices, size + 1)]
    return [
        max(min(1.0, len(s) * min(pvalues[j] for j in s)) for s in sets if i in s)
        for i in indices
    ]


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_the_closed_test(seed):
    rng = np.random.default_rng(seed)
    pvalues = rng.choice([0.001, 0.01, 0.02, 0.03, 0.2, 0.6], size=6)
    adjusted = 10 ** adjust_holm(np.log10(pvalues))
    assert_allclose(adjusted, holm_by_closure(pvalues.tolist()))


def test_holm_of_an_undefined_pvalue():
    adjusted = 10 ** adjust_holm(np.log10([0.2, math.nan, 0.01]))
    assert_allclose(adjusted, [0.4, math.nan, 0.03])


@pytest.mark.parametrize("ties", ["expected", "together", "optimistic"])
@pytest.mark.parametrize(
    ("metric", "settings"),
    [
        ("average_precision", {}),
        ("average_precision_at_k", {"k": 3}),
        ("recall_at_t", {"t": 2}),
    ],
)
@pytest.mark.parametrize("n_rankings", [None, 1, 3])
def test_methods_that_are_recommended_are_accepted(metric, settings, ties, n_rankings):
    # a single target a data set has no standard error; whatever else is named must run
    settings = {"metric": metric, "ties": ties, "n_resamples": 20, **settings}
    y, groups = np.tile([1, 0, 0, 0], n_rankings or 1), None
    if n_rankings is not None:
        groups = np.repeat(np.arange(n_rankings), 4)
    a, b = (
        np.tile([4, 3, 2, 1], n_rankings or 1),
        np.tile([1, 2, 3, 4], n_rankings or 1),
    )
    method = "jackknife" if ties == "expected" else "bootstrap"
    with pytest.warns(
        UndefinedMetricWarning, match="too few data to estimate"
    ) as caught:
        RankingComparison(method=method, **named(**settings)).from_predictions(
            y, {"A": a, "B": b}, groups=groups
        )
    recommended = re.findall(r"'(\w+)'", str(caught[0].message))
    assert recommended or n_rankings == 1 or ties == "together"
    for other in recommended:
        comparison = RankingComparison(method=other, **named(**settings))
        with warnings.catch_warnings(action="ignore"):  # of intervals
            result = comparison.from_predictions(y, {"A": a, "B": b}, groups=groups)
        assert result.method == other
        assert 0 < result.pvalue <= 1


@pytest.mark.parametrize(
    ("freedom", "z"), [(3, 1e120), (19, 1e20), (300, 300.0), (1e5, 40.0)]
)
def test_tails_of_student_go_on_where_they_underflow(freedom, z):
    # quadrature of the density, in units of its decay at z
    null = t(freedom)
    assert null.sf(z) == 0
    decay = (z**2 + freedom) / (freedom + 1) / z
    at_z = null.logpdf(z)
    area, _ = quad(lambda u: math.exp(null.logpdf(z + u * decay) - at_z), 0, np.inf)
    expected = at_z + math.log(area * decay)
    assert log_tail(z, freedom) == pytest.approx(expected, abs=0.01)


def test_holm_of_pvalues_that_underflow():
    """Twice the least, as Bonferroni has it; the other alone; in print alike."""
    assert_allclose(adjust_holm([-50000.0, -40000.0]), [math.log10(2) - 5e4, -4e4])
    y = np.arange(400_000) % 2 == 0
    noise = np.random.default_rng(0).normal(size=y.size)
    table = RankingComparison().compare_all(y, {"a": y + 0.1 * noise, "b": noise})
    assert table.comparisons[0].method == "jackknife"  # of so many targets
    assert table.adjusted_pvalues == (0.0,)
    assert table.adjusted_log10_pvalues == (table.comparisons[0].log10_pvalue,)
    p, holm = str(table).splitlines()[-1].split()[-2:]
    assert p == holm != "0"


def test_pairs_on_lists_and_with_a_bar(capsys):
    pytest.importorskip("tqdm")
    comparison = RankingComparison(progress=True, method="t")
    table = comparison.compare_all(Y, SCORES, groups=GROUPS)
    assert [result.n_rankings for result in table.comparisons] == [8, 8, 8]
    assert str(table).splitlines()[1].startswith("  8 groups  400 items, ")
    assert "3/3" in capsys.readouterr().err
    assert comparison.progress


def test_printed_table():
    y = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    scores = {
        "perfect": -np.arange(8.0),
        "half": -np.array([2, 5, 1, 3, 4, 6, 7, 8.0]),
    }
    comparison = RankingComparison("recall@2", method="posterior")
    table = comparison.compare_all(y, scores)
    assert repr(table) == str(table)
    assert str(table).splitlines() == [
        "Comparison of 2 rankings by recall@2",
        "  data set  8 items, 2 targets (prevalence 0.25)",
        "  pvalue    two-sided, method: posterior",
        "  A        B     value A  value B  difference  std error  zscore  pvalue"
        "  adjusted",
        "  perfect  half   1.0000   0.5000      0.5000      0.330    1.52    0.36"
        "      0.36",
    ]


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_the_alternative_is_printed(alternative):
    test = RankingComparison(alternative=alternative)
    pair = {name: SCORES[name] for name in ("one", "two")}
    result, table = test.from_predictions(Y, pair), test.compare_all(Y, SCORES)
    for shown in (result, table):
        assert f"{alternative}, method: {result.method}" in str(shown)
        assert "two-sided" not in str(shown)


def test_table_as_columns():
    table = RankingComparison().compare_all(Y, SCORES)
    columns = table.to_dict()
    assert columns["name_a"] == ["one", "one", "two"]
    assert columns["adjusted_pvalue"] == list(table.adjusted_pvalues)
    logs = columns["adjusted_log10_pvalue"]
    assert_allclose(logs, np.log10(table.adjusted_pvalues))
    frame = table.to_frame()
    assert list(frame) == list(columns)
    assert frame["pvalue"].tolist() == columns["pvalue"]


# Errors


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "guess"}, "`method` must be one of 'auto'"),
        ({"alternative": "better"}, "`alternative` must be one of 'two-sided'"),
        ({"n_resamples": 1}, "`n_resamples` must be an int of at least 2; got 1"),
        ({"metric": "auc"}, "`metric` must name a metric"),
        (
            {"method": "mcnemar"},
            "`metric` must be recall, precision or the enrichment factor at a cutoff, "
            "or 'r_precision', for method 'mcnemar'; got average_precision",
        ),
        (
            {
                "metric": "recall_at_t",
                "t": 5,
                "method": "posterior",
                "ties": "together",
            },
            "`ties` must be 'expected' for method 'posterior'.*got 'together'",
        ),
        (
            {"metric": "reciprocal_rank", "method": "jackknife"},
            "`method` must not be 'jackknife' for reciprocal_rank, which may jump",
        ),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        RankingComparison(**named(**settings))


@pytest.mark.parametrize("method", LIST_METHODS)
def test_methods_of_lists_need_lists(method):
    comparison = RankingComparison(method=method)
    with pytest.raises(ValueError, match="`method` must .* for one data set, without"):
        comparison.from_predictions(Y, {"A": A, "B": B})
    with pytest.raises(ValueError, match="`groups` must form at least two data sets"):
        comparison.from_predictions(Y, {"A": A, "B": B}, groups=np.zeros(N, dtype=int))


@pytest.mark.parametrize("method", ["permutation", "mcnemar", "posterior"])
def test_methods_of_one_list_refuse_lists(method):
    settings, _ = CASES[method]
    comparison = RankingComparison(method=method, **named(**settings))
    with pytest.raises(ValueError, match="`method` must .* for several data sets; got"):
        comparison.from_predictions(Y, {"A": A, "B": B}, groups=GROUPS)


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_one_target_tells_nothing_of_targets(method):
    rng = np.random.default_rng(0)
    y, a, b = np.arange(60) < 1, rng.normal(size=60), rng.normal(size=60)
    at_cut = {"metric": "recall_at_t", "t": int((a >= a[0]).sum())}
    asked = RankingComparison(method=method, n_resamples=50, **named(**at_cut))
    with pytest.warns(UndefinedMetricWarning, match="'permutation'") as caught:
        result = asked.from_predictions(y, {"A": a, "B": -np.abs(b) * y + b * ~y})
    assert caught[0].filename == __file__
    assert math.isnan(result.pvalue)
    assert "pvalue          nan" in str(result)


def test_a_table_prints_what_is_undefined():
    y = np.arange(60) < 5
    scores = {"best": 1.0 * y - np.arange(60), "worst": np.arange(60) - 1.0 * y}
    scores["third"] = np.random.default_rng(0).normal(size=60)
    with pytest.warns(UndefinedMetricWarning, match="undefined") as caught:
        table = RankingComparison(method="jackknife").compare_all(y, scores)
    assert caught[0].filename == __file__
    assert " nan " in str(table)
    assert math.isnan(table.to_dict()["adjusted_pvalue"][0])


def test_swaps_that_all_agree_have_no_zscore():
    # one tie of two places: a swap of both items changes nothing but the sign
    y_true = np.arange(200) < 20
    score = y_true.astype(float)
    test = RankingComparison(
        "reciprocal_rank", method="permutation", n_resamples=199, random_state=0
    )
    result = test.from_predictions(y_true, {"A": score, "B": -score})
    assert result.difference > 0.9
    assert result.pvalue < 0.05
    assert math.isnan(result.zscore)
    same = test.from_predictions(
        y_true, {"A": score, "B": np.where(y_true, 1.0, score)}
    )
    assert same.zscore == 0.0


# Rankings that are made already


def test_counts_of_several_data_sets_are_compared_by_their_values():
    days = [day == GROUPS for day in range(8)]
    counts = {
        name: [skrank.RankCounts.from_predictions(Y[day], score[day]) for day in days]
        for name, score in (("A", A), ("B", B))
    }
    for method in LIST_METHODS:
        expected = RankingComparison(method=method).from_predictions(
            Y, {"A": A, "B": B}, groups=GROUPS
        )
        found = RankingComparison(method=method).from_rankings(counts)
        assert found.to_dict() == pytest.approx(expected.to_dict(), nan_ok=True)
        assert found.labels == tuple(range(8))


def test_rankings_that_cannot_be_compared():
    asked, ranking = RankingComparison(), skrank.Ranking.from_predictions(Y, A)
    counts = skrank.RankCounts.from_predictions(Y, B)
    other = skrank.Ranking.from_predictions(Y[::-1], B)
    short = skrank.Ranking.from_predictions(Y[:50], A[:50])
    missed = skrank.Ranking.from_predictions(Y, A, n_missed=1)
    for one, message in (
        (counts, "rank the same items, in the same order and in memory"),
        (other, "rank the same items, in the same order and in memory"),
        (short, "`rankings` must contain rankings of the same items"),
        (missed, "`rankings` must contain rankings of the same items"),
    ):
        with pytest.raises(ValueError, match=message):
            asked.from_rankings({"A": ranking, "B": one})
    with pytest.raises(ValueError, match="`n_missed` must be left out for RankingComp"):
        asked.from_rankings({"A": missed, "B": missed})
    with pytest.raises(ValueError, match="contain rankings of the same targets"):
        asked.from_rankings({"A": [ranking], "B": [ranking, short]})


def test_all_pairs_of_rankings_that_are_made_already():
    # judged by the same scores
    scores = {"A": A, "B": B, "C": A + B}
    made = {name: skrank.Ranking.from_predictions(Y, s) for name, s in scores.items()}
    asked = RankingComparison(n_resamples=99)
    expected = asked.compare_all(Y, scores).to_dict()
    assert asked.compare_all(made).to_dict() == expected
    assert asked.compare_all(skrank.Rankings.from_rankings(made)).to_dict() == expected
    for given in ({"y_score": A}, {"groups": GROUPS}, {"lower_is_better": True}):
        (name,) = given
        with pytest.raises(ValueError, match=f"`{name}` must be left out for rankings"):
            asked.compare_all(made, **given)
    with pytest.raises(ValueError, match="Ranking and RankCounts alone; got dict"):
        asked.compare_all(scores)


@pytest.mark.nightly
@pytest.mark.parametrize("noise", [0.001, 0.1])
def test_nearly_equal_models_are_seldom_called_different(noise):
    # without wider exchanges .18 and .09 of these pairs have p <= .05
    found = []
    for seed in range(runs(120)):
        rng = np.random.default_rng(seed)
        y = np.arange(1000) < 30
        scores = rng.normal(1.5 * y) + noise * rng.normal(size=(2, 1000))
        test = RankingComparison(n_resamples=199)
        pair = dict(zip("AB", scores, strict=True))
        found.append(test.from_predictions(y, pair).pvalue <= 0.05)
    assert_share(found, 0.0, 0.06)


def test_lists_of_equal_models_have_the_interval_of_their_groups():
    rng = np.random.default_rng(0)
    y_true, group = np.arange(300) % 20 == 0, np.arange(300) // 60
    score = rng.normal(y_true)
    lists = [
        Ranking.from_predictions(y_true[group == i], score[group == i])
        for i in range(5)
    ]
    found = RankingComparison().from_rankings({"A": lists, "B": lists})
    both = {"A": score, "B": score}
    judge = RankingComparison().from_predictions(y_true, both, groups=group)
    assert found.confidence_interval() == judge.confidence_interval()
