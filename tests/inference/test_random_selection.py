"""The test against random selection: what it says, and that its p-values are right."""

import dataclasses
import math
import re
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import hypergeom, norm

import oracles
from cases import TIES, make_list, named, runs
from skrank import (
    RandomSelectionNull,
    RandomSelectionResult,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    average_precision,
)


def list_with_ap(n, hit_ranks):
    y_true = np.zeros(n, dtype=int)
    y_true[np.asarray(hit_ranks) - 1] = 1
    return y_true, -np.arange(n, dtype=float)


@pytest.fixture
def example():
    return list_with_ap(1000, [1, 3, 4, 10, 12, 31, 71, 151, 401, 801])


# The answer


def test_fields(example):
    result = RandomSelectionTest().from_predictions(*example)
    assert isinstance(result, RandomSelectionResult)
    assert result.n_samples == 1000
    assert result.n_targets == 10
    assert result.metric == "average_precision"
    assert result.method == "inversion"
    assert result.pvalue_bounds is None
    assert 0 < result.pvalue_relative_error < 0.015
    assert result.parts == result.labels == ()
    assert result.alternative == "greater"
    assert result.zscore == pytest.approx(
        (result.value - result.null_mean) / result.null_std
    )
    assert result.log10_pvalue == pytest.approx(math.log10(result.pvalue))
    assert result.null_distribution.mean() == result.null_mean
    fields = {field.name for field in dataclasses.fields(result)}
    names = {name for name in fields if name[0] != "_"}
    left_out = {"null_distribution", "null_values", "pvalue_bounds"}
    plain = names - left_out - {"parts", "labels"}
    computed = {"pvalue_lower", "pvalue_upper", "inflation"}
    computed.add("n_rankings")
    assert set(result.to_dict()) == plain | computed
    assert {type(value) for value in result.to_dict().values()} == {int, float, str}


# method -> (are there bounds, is there an error)
METHODS = {
    "exact": (True, True),
    "inversion": (False, True),
    "importance_sampling": (False, True),
    "monte_carlo": (False, True),
    "normal": (False, False),
}


@pytest.mark.filterwarnings("ignore:the p-value is known with a relative error")
@pytest.mark.parametrize("method", METHODS)
def test_the_same_fields_whatever_the_method(method):
    example = list_with_ap(40, [1, 4, 12])
    result = RandomSelectionTest(method=method).from_predictions(*example)
    assert result.method == method
    bounds, error = METHODS[method]
    assert (result.pvalue_bounds is not None) == bounds
    assert (result.pvalue_relative_error is not None) == error
    if bounds:
        assert result.pvalue_bounds[0] <= result.pvalue <= result.pvalue_bounds[1]
    assert set(result.to_dict()) == set(
        RandomSelectionTest().from_predictions(*example).to_dict()
    )


def test_bounds_hold_the_pvalue():
    """Judge: all rankings of two days with up to two hits in the top, in rationals."""
    n, m, k = 50_000, 20, 50
    y_true, y_score = list_with_ap(n, [1, 3, *range(n - m + 3, n + 1)])
    test = RandomSelectionTest(f"average_precision@{k}(normalize=hits)")
    two = np.tile(y_true, 2), np.tile(y_score, 2)
    with pytest.warns(RuntimeWarning, match="is known to be at least") as seen:
        result = test.from_predictions(*two, groups=np.repeat([0, 1], n))
    null = {Fraction(0): Fraction(math.comb(n - k, m), math.comb(n, m))}
    for hits in (1, 2):
        for ranks in combinations(range(1, k + 1), hits):
            value = sum(Fraction(j, rank) for j, rank in enumerate(ranks, 1)) / hits
            ways = Fraction(math.comb(n - k, m - hits), math.comb(n, m))
            null[value] = null.get(value, 0) + ways
    large = [pair for pair in null.items() if pair[0] >= Fraction(2, 3)]
    pairs = product(large, repeat=2)
    least = sum(p * q for (a, p), (b, q) in pairs if a + b >= Fraction(5, 3))
    most = least + 2 * (1 - sum(null.values()))  # a day has more hits
    low, high = result.pvalue_bounds
    assert result.value == pytest.approx(5 / 6)
    assert low < least < most < high == result.pvalue
    # the inequality of Cantelli
    assert high == pytest.approx(1 / (1 + result.zscore**2))
    # of the other side, the rest
    beyond = sum(
        p * q for (a, p), (b, q) in product(large, repeat=2) if a + b > Fraction(5, 3)
    )
    worse = RandomSelectionTest(test.metric, alternative="less").from_predictions(
        *two, groups=np.repeat([0, 1], n)
    )
    low_of_rest, high_of_rest = worse.pvalue_bounds
    assert 1 - high <= low_of_rest < 1 - beyond < high_of_rest == worse.pvalue
    pattern = r"at least ([\d.e-]+), and at most ([\d.e-]+) \("
    said = re.search(pattern, str(seen[0].message))
    assert [*map(float, said.groups())] == pytest.approx([low, high], rel=0.05)


def test_printed_result():
    y_true, y_score = list_with_ap(20, [1, 2, 5])
    result = RandomSelectionTest(
        "precision@5", alternative="two-sided"
    ).from_predictions(y_true, y_score)
    # hypergeometric (20, 3, 5): variance 5 * 0.15 * 0.85 * 15/19, P(3 hits) = 1/114
    assert repr(result) == str(result)
    assert str(result).splitlines() == [
        "Random selection test of precision@5",
        "  ranking    20 items, 3 targets (prevalence 0.15)",
        "  value      0.6",
        "  null mean  0.15",
        "  null std   0.142",
        "  zscore     3.17",
        "  pvalue     0.018   P(null as extreme as observed), method: exact",
    ]


@pytest.mark.parametrize(("alternative", "sign"), [("less", "<="), ("greater", ">=")])
def test_the_alternative_is_printed(alternative, sign):
    test = RandomSelectionTest("precision@5", alternative=alternative)
    result = test.from_predictions(*list_with_ap(20, [1, 2, 5]))
    assert f"P(null {sign} observed), method: exact" in str(result)


@pytest.mark.parametrize("m", [8, 10, 11])
def test_more_targets_than_others_are_noted(m):
    result = RandomSelectionTest().from_predictions(
        np.arange(20) % 2 * 10 + np.arange(20) // 2 < m, np.arange(20)
    )
    assert ("most items are targets: is the other class" in str(result)) == (m > 10)


def half_of_100(hits):
    """100 items, 50 of them targets, of which so many are in the first half."""
    is_hit = np.arange(50) < hits
    return np.r_[is_hit, ~is_hit], -np.arange(100.0)


NOTE = (
    "  note       far below chance: do higher scores mean likelier targets, or the "
    "other class (the wrong column of predict_proba)?"
)


@pytest.mark.parametrize(
    ("hits", "alternative", "noted"),
    [
        (16, "greater", True),
        (17, "greater", False),
        (16, "two-sided", True),
        (16, "less", False),  # it was asked whether it is worse
        (18, "greater", False),
        (33, "greater", False),
    ],
)
def test_a_ranking_far_below_chance_may_be_read_backwards(hits, alternative, noted):
    test = RandomSelectionTest("precision@50", alternative=alternative)
    result = test.from_predictions(*half_of_100(hits))
    chance = hypergeom(100, 50, 50).cdf(hits)
    assert noted == (chance <= 0.001 and alternative != "less")
    lines = str(result).splitlines()
    assert (lines[-1] == NOTE) is noted
    assert len(lines) == 7 + noted


def test_the_note_on_several_lists_is_on_their_mean():
    y_true, y_score = half_of_100(19)
    test = RandomSelectionTest("precision@50")
    result = test.from_predictions(
        np.tile(y_true, 2), np.tile(y_score, 2), groups=np.repeat([0, 1], 100)
    )
    one = hypergeom(100, 50, 50).pmf(np.arange(51))
    both = np.convolve(one, one)[: 2 * 19 + 1].sum()
    assert both <= 0.001 < one[: 19 + 1].sum()
    assert str(result).splitlines()[-1].split() == NOTE.split()
    assert not any("note" in str(part) for part in result.parts)


@pytest.mark.parametrize(
    ("metric", "settings"),
    [
        ("average_precision", {}),
        ("average_precision", {"ties": "optimistic"}),
        ("recall_at_t", {"t": 1.0}),
        ("bedroc", {"ties": "together"}),
    ],
)
def test_a_list_that_chance_cannot_change_is_chance(metric, settings):
    test = RandomSelectionTest(**named(metric, **settings))
    y_true, y_score = np.arange(97) < 13, np.zeros(97)
    result = test.from_predictions(y_true, y_score)
    assert (result.null_std, result.zscore, result.pvalue) == (0, 0, 1)
    assert "  zscore     0" in str(result).splitlines()
    days = test.from_predictions(y_true, y_score, groups=np.arange(97) % 2)
    assert (days.null_std, days.zscore, days.pvalue) == (0, 0, 1)


def test_lists_that_chance_cannot_change_among_others():
    # three lists, the middle one tied; recall@1 is 1 with probability 1/2 in the others
    y_true, groups = np.tile([1, 0], 3), np.repeat([0, 1, 2], 2)
    result = RandomSelectionTest("recall@1").from_predictions(
        y_true, [2, 1, 0, 0, 2, 1], groups=groups
    )
    assert [part.zscore for part in result.parts] == pytest.approx([1, 0, 1])
    # the mean is 5/6, 1/2 by chance, with the variance 2/4/9
    assert result.zscore == pytest.approx((5 / 6 - 1 / 2) / math.sqrt(2 / 4 / 9))


@pytest.mark.parametrize(
    ("n", "m"),
    [(1000, 20), (450, 48)],
)
def test_reversed_scores_of_rare_targets_are_noted(n, m):
    # the least z-score of average precision is above -3 there; a chance ranking is none
    rng = np.random.default_rng(0)
    y_true = np.arange(n) < m
    y_score = rng.normal(2.0 * y_true)
    backwards = RandomSelectionTest().from_predictions(y_true, -y_score)
    assert backwards.zscore > -6
    assert str(backwards).endswith("(the wrong column of predict_proba)?")
    for score in (y_score, rng.normal(size=n)):
        assert "note" not in str(RandomSelectionTest().from_predictions(y_true, score))


@pytest.mark.parametrize("y_true", [[0] * 5, [1] * 5])
def test_one_class_alone_is_refused(y_true):
    with pytest.raises(
        ValueError, match="`y_true` must contain targets and non-targets "
    ):
        RandomSelectionTest().from_predictions(y_true, np.arange(5.0))


def test_deep_pvalues_are_printed():
    y_true, y_score = list_with_ap(5000, range(1, 201))
    result = RandomSelectionTest().from_predictions(y_true, y_score)
    # 1 / C(5000, 200)
    exact = math.lgamma(5001) - math.lgamma(201) - math.lgamma(4801)
    assert result.pvalue == 0.0
    assert result.log10_pvalue == pytest.approx(-exact / math.log(10))
    assert "e-364 " in str(result)


@pytest.mark.parametrize(
    ("log10_p", "text"),
    [(-5.001, "1.0e-05"), (-5.02, "9.5e-06"), (-300.002, "1.0e-300"), (-2.0, "0.01")],
)
def test_pvalues_are_printed_rounded(example, log10_p, text):
    result = RandomSelectionTest().from_predictions(*example)
    assert f" {text} " in str(dataclasses.replace(result, log10_pvalue=log10_p))


# The p-values


def test_published_setting_of_zhang_and_su():
    # n = 1000, m = 100, AP = 0.1561: 2,000,000 permutations with numpy alone reached it
    # 1778 times, p = 8.89e-4 +- 0.21e-4; the normal tail is 5e-6
    null = (
        RandomSelectionTest()
        .from_predictions(*list_with_ap(1000, range(1, 101)))
        .null_distribution
    )
    assert null.pvalue(0.1561, method="inversion") == pytest.approx(8.89e-4, rel=0.05)
    assert null.pvalue(0.1561, method="normal") == pytest.approx(5.3e-6, rel=0.02)


def test_normal_is_the_tail_of_the_zscore(example):
    result = RandomSelectionTest(method="normal").from_predictions(*example)
    assert result.log10_pvalue == pytest.approx(
        norm.logsf(result.zscore) / math.log(10)
    )


def test_monte_carlo_counts_itself():
    y_true, y_score = list_with_ap(300, [1, 2, 3, 4, 5])
    result = RandomSelectionTest(
        method="monte_carlo", n_resamples=99, random_state=0
    ).from_predictions(y_true, y_score)
    assert result.pvalue == pytest.approx(1 / 100)


def test_alternatives_are_complements(example):
    p = {
        alternative: RandomSelectionTest(alternative=alternative)
        .from_predictions(*example)
        .pvalue
        for alternative in ("greater", "less", "two-sided")
    }
    assert p["greater"] + p["less"] == pytest.approx(1.0)
    assert p["two-sided"] == pytest.approx(2 * p["greater"])


@pytest.mark.filterwarnings("ignore:the p-value is known with a relative error")
@pytest.mark.nightly
@pytest.mark.parametrize("method", ["auto", "inversion"])
@pytest.mark.parametrize("ties", ["expected", "together"])
def test_distribution_of_pvalues_under_the_null_with_ties(method, ties):
    # scores like those of 7 nearest neighbours, labels at random: P(p <= a) <= a, and
    # not far below for a distribution this fine; 3 standard errors of the rankings
    rng = np.random.default_rng(4)
    n, m, n_rankings = 250, 25, runs(2000 if method == "auto" else 150)
    y_score = rng.binomial(4, rng.beta(0.5, 3, size=n)) / 4
    test = RandomSelectionTest(ties=ties, method=method)
    y_true = np.repeat([True, False], [m, n - m])
    null = test.from_predictions(y_true, y_score).null_distribution
    values = null.rvs(n_rankings, rng)
    p = np.array([null.pvalue(s, method=method) for s in np.unique(values)])
    p = p[np.searchsorted(np.unique(values), values)]
    for level in (0.01, 0.05, 0.2, 0.5):
        error = 3 * math.sqrt(level * (1 - level) / n_rankings)
        slack = 0.0 if method == "auto" else 0.25 * level
        assert np.mean(p <= level) <= level + error + slack
        assert np.mean(p <= level) >= 0.6 * level - error


# Targets that were never scored

SETTINGS_OF_METRICS = [
    ("average_precision", {}),
    ("average_precision_at_k", {"k": 3}),
    ("average_precision_at_k", {"k": 3, "normalize": "hits"}),
    ("recall_at_t", {"t": 3}),
    ("precision_at_t", {"t": 4}),
    ("enrichment_factor", {"t": 2}),
    ("reciprocal_rank", {}),
    ("rie", {"alpha": 5.0}),
    ("bedroc", {"alpha": 5.0}),
]


def law_with_missed(sizes, n_targets, metric, *, n_missed, **settings):
    """All placements over the ranking and the places below it: value -> probability."""
    null = {}
    ways = math.comb(sum(sizes) + n_missed, n_targets)
    for hits in product(*(range(size + 1) for size in sizes)):
        left = n_targets - sum(hits)
        if 0 <= left <= n_missed:
            counts = map(math.comb, (*sizes, n_missed), (*hits, left))
            value = oracles.value(
                list(zip(sizes, hits, strict=True)),
                metric,
                n_targets=n_targets,
                n_missed=n_missed,
                **settings,
            )
            null[value] = null.get(value, 0) + Fraction(math.prod(counts), ways)
    assert sum(null.values()) == 1
    return null


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("metric", "settings"), SETTINGS_OF_METRICS)
@pytest.mark.parametrize(
    ("sizes", "hits", "n_missed"),
    [
        ((1, 1, 1, 1, 1, 1), (1, 0, 1, 0, 0, 0), 1),
        ((1, 1, 3, 1), (0, 1, 1, 0), 2),
        ((6,), (2,), 4),  # more were missed than scored
    ],
)
def test_missed_targets_against_all_placements(
    sizes, hits, n_missed, metric, settings, ties
):
    groups, n_targets = list(zip(sizes, hits, strict=True)), sum(hits) + n_missed
    words = {"depth" if key in "kt" else key: settings[key] for key in settings}
    words |= {"ties": ties, "n_missed": n_missed}
    null = law_with_missed(sizes, n_targets, metric, **words)
    value = oracles.value(groups, metric, n_targets=n_targets, **words)
    result = RandomSelectionTest(
        ties=ties, **named(metric, **settings)
    ).from_predictions(*make_list(sizes, hits), n_missed=n_missed)
    # exponential weights are rounded in the oracle
    pvalue = oracles.tail(null, value - Fraction(1, 10**12))
    mean, variance = oracles.mean_and_variance(null)
    assert result.value == pytest.approx(float(value))
    assert result.pvalue == pytest.approx(float(pvalue))
    assert result.null_mean == pytest.approx(float(mean))
    assert result.null_std == pytest.approx(math.sqrt(variance), abs=1e-12)


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_missed_targets_of_a_long_list_are_below_a_cut(example):
    """The same distribution, seen as that of the top 1000 of a ranking of 1030."""
    result = RandomSelectionTest().from_predictions(*example, n_missed=30)
    null = RandomSelectionNull(1030, 40, "average_precision@1000(normalize=relevant)")
    assert (result.n_samples, result.n_targets, result.n_missed) == (1030, 40, 30)
    assert result.value == average_precision(*example, n_missed=30)
    assert result.pvalue == null.pvalue(result.value)
    assert (result.null_mean, result.null_std) == (null.mean(), null.std())


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_missed_targets_in_print_and_in_counts():
    y_true, y_score = list_with_ap(20, [1, 2, 5])
    test = RandomSelectionTest("recall@5")
    result = test.from_predictions(y_true, y_score, n_missed=2)
    line = "  ranking    22 items, 5 targets, 2 of them missed (prevalence 0.2273)"
    assert str(result).splitlines()[1] == line
    counts = RankCounts.from_predictions(y_true, y_score)
    assert test.from_predictions(counts, n_missed=2).to_dict() == result.to_dict()
    # they alone make a ranking worse than chance, which is read forwards
    y_true, y_score = half_of_100(25)
    test = RandomSelectionTest()
    result = test.from_predictions(y_true, y_score, n_missed=100)
    assert result.null_distribution.cdf(result.value) <= 0.001
    assert "far below chance" not in str(result)


@pytest.mark.parametrize(
    ("y_true", "settings", "message"),
    [
        ([0, 0, 0, 0], {}, "got 0 targets among 4 items"),
        ([1, 1, 1, 1], {}, "got 4 targets among 4 items"),
        ([1, 0, 1, 0], {"groups": [0, 0, 1, 1]}, "`n_missed` must map each group"),
        ([1, 0, 1, 0], {"n_missed": -1}, "`n_missed` must be an int of at least 0"),
    ],
)
def test_refusals_with_missed_targets(y_true, settings, message):
    with pytest.raises(ValueError, match=message):
        RandomSelectionTest().from_predictions(
            y_true, [4.0, 3, 2, 1], **{"n_missed": 2, **settings}
        )


def test_a_test_draws_once_or_more():
    with pytest.raises(ValueError, match="`n_resamples` must be an int of at least 1"):
        RandomSelectionTest(n_resamples=0)


def test_progress_is_shown_over_methods_and_lists(capsys):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.random(600) < 0.1, rng.random(600)
    quiet, loud = RandomSelectionTest(), RandomSelectionTest(progress=True)
    expected = quiet.from_predictions(y_true, y_score)
    assert capsys.readouterr().err == ""
    found = loud.from_predictions(y_true, y_score)
    assert found.log10_pvalue == expected.log10_pvalue
    shown = capsys.readouterr().err
    assert "methods" in shown
    assert "rankings" not in shown
    days = np.arange(600) % 2
    expected = quiet.from_predictions(y_true, y_score, groups=days)
    found = loud.from_predictions(y_true, y_score, groups=days)
    assert found.log10_pvalue == expected.log10_pvalue
    assert "rankings" not in capsys.readouterr().err
    part, other = found.parts[0], expected.parts[0]
    assert part.pvalue == pytest.approx(other.pvalue, rel=1e-12)
    assert "rankings" in capsys.readouterr().err


def test_a_monte_carlo_pvalue_that_no_draw_reached_is_a_limit():
    y = np.arange(200) < 10
    test = RandomSelectionTest(method="monte_carlo", n_resamples=99)
    assert "<= 0.01" in str(test.from_predictions(y, -np.arange(200.0)))
    score = np.random.default_rng(0).normal(size=200)
    assert "<=" not in str(test.from_predictions(y, score))
    # one draw reached it: (1 + 1) / (99 + 1) is no limit
    for seed in range(200):
        score = np.random.default_rng(seed).normal(0.6 * y)
        result = test.from_predictions(y, score)
        if result.pvalue == 2 / 100:
            break
    assert result.pvalue == 2 / 100
    assert "<=" not in str(result)


def test_precision_counts_given_rankings_without_targets():
    rng = np.random.default_rng(0)
    y = rng.random((8, 50)) < 0.1
    y[:2] = False
    score, day = rng.normal(y), np.repeat(np.arange(8), 50)
    rankings = [Ranking.from_predictions(*one) for one in zip(y, score, strict=True)]
    test = RandomSelectionTest("precision@10")
    by_day = test.from_predictions(y.ravel(), score.ravel(), groups=day)
    given = test.from_rankings(rankings)
    assert (given.value, given.pvalue) == (by_day.value, by_day.pvalue)
    assert given.n_rankings == 8
