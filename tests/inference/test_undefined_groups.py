"""Groups without a value, and lists of different items, in intervals and comparisons.

Judges: SciPy's paired tests on values of the groups that the metric gives one by one.
"""

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.naive_bayes import GaussianNB

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    RankingEvaluation,
    Rankings,
    average_precision,
)


def days(seed=0, n_days=12):
    """Labels, two scores and days, of which the third and the last have no targets."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(n_days), 20)
    y = rng.random(day.size) < 0.2
    y[::20] = True
    y[np.isin(day, [2, n_days - 1])] = False
    return y, {"A": rng.normal(1.5 * y), "B": rng.normal(0.5 * y)}, day


Y, SCORES, DAY = days()


def values_by_day(score, undefined):
    values = []
    for one in np.unique(DAY):
        at = one == DAY
        both = 0 < Y[at].sum() < at.sum()
        values.append(average_precision(Y[at], score[at]) if both else undefined)
    return np.array(values)


def test_a_value_of_undefined_groups_counts():
    a, b = (values_by_day(score, 0.0) for score in SCORES.values())
    interval = MetricInterval(undefined=0.0)
    result = interval.from_predictions(Y, SCORES["A"], groups=DAY)
    assert result.values == tuple(a)
    assert result.value == average_precision(Y, SCORES["A"], groups=DAY, undefined=0.0)
    assert (result.n_rankings, result.labels) == (12, tuple(range(12)))
    assert result.n_samples == Y.size
    low, high = result.confidence_interval()
    assert low < result.value < high
    judges = {
        "t": ttest_rel(a, b).pvalue,
        "wilcoxon": wilcoxon(a, b).pvalue,
    }
    for method, judge in judges.items():
        test = RankingComparison(method=method, undefined=0.0)
        found = test.from_predictions(Y, SCORES, groups=DAY)
        assert found.values_a == tuple(a)
        assert found.difference == pytest.approx(np.mean(a - b))
        assert found.pvalue == pytest.approx(judge)
    table = RankingComparison(undefined=0.0).compare_all(Y, SCORES, groups=DAY)
    assert table.comparisons[0].pvalue == pytest.approx(judges["t"])
    for asked in (
        MetricInterval(method="bootstrap", undefined=0.0),
        RankingComparison(method="jackknife", undefined=0.0),
    ):
        data = SCORES if isinstance(asked, RankingComparison) else SCORES["A"]
        with pytest.raises(ValueError, match="`method` must be one of 't'"):
            asked.from_predictions(Y, data, groups=DAY)


def test_left_out_or_an_error():
    for kind in (MetricInterval, RandomSelectionTest):
        with pytest.warns(UndefinedMetricWarning, match="2 of 12 groups"):
            left = kind().from_predictions(Y, SCORES["A"], groups=DAY)
        assert left.n_rankings == 10
        with pytest.raises(ValueError, match="`y_true` must contain .* in all groups"):
            kind(undefined="raise").from_predictions(Y, SCORES["A"], groups=DAY)
    kept = ~np.isin(DAY, [2, 11])
    columns = Y[kept], {name: score[kept] for name, score in SCORES.items()}
    whole = RankingComparison(undefined="raise").from_predictions(
        *columns, groups=DAY[kept]
    )
    same = RankingComparison(undefined=0.5).from_predictions(*columns, groups=DAY[kept])
    assert whole.to_dict() == same.to_dict()
    with pytest.raises(ValueError, match="`undefined` must be nan or 'raise'"):
        RandomSelectionTest(undefined=0.0)
    with pytest.raises(ValueError, match="`undefined` must be a number or"):
        MetricInterval(undefined="zero")
    assert math.isnan(MetricInterval().get_params()["undefined"])


def test_folds_without_a_value_are_left_out():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) < 12
    held = [(np.arange(60)[::2], np.arange(60)[1::2])]
    held.append((np.arange(60)[1::2], np.arange(12, 60, 2)))
    asked = MetricInterval(undefined=0.0)
    with pytest.warns(UndefinedMetricWarning, match="1 of 2 folds"):
        result = asked.from_cv(GaussianNB(), X, y, cv=held)
    assert result.n_rankings == 1


def queries(shift, missed=()):
    """Rankings of 12 queries with 8 relevant items each, some of them not retrieved."""
    rng = np.random.default_rng(int(10 * shift))
    found = []
    for query in range(12):
        n, m = rng.integers(20, 40), rng.integers(1, 8)
        m = 0 if query in missed else m
        y = np.arange(n) < m
        one = RankingEvaluation.from_predictions(
            y, rng.normal(shift * y), n_missed=int(8 - m)
        )
        found.append(one.ranking())
    return found


def test_lists_of_different_items():
    lists = {"A": queries(2.0, missed=[3]), "B": queries(0.5)}
    a, b = (np.array([average_precision(q) for q in one]) for one in lists.values())
    judges = {"t": ttest_rel(a, b).pvalue, "wilcoxon": wilcoxon(a, b).pvalue}
    for method, judge in judges.items():
        found = RankingComparison(method=method).from_rankings(lists)
        assert found.values_a == pytest.approx(tuple(a))
        assert found.pvalue == pytest.approx(judge)
        assert found.n_rankings == 12  # a query of which A found nothing counts
    result = MetricInterval().from_rankings(lists["B"])
    assert result.value == pytest.approx(b.mean())
    for method in ("jackknife", "bootstrap"):
        with pytest.raises(ValueError, match="'wilcoxon' with n_missed"):
            RankingComparison(method=method).from_rankings(lists)
    with pytest.raises(ValueError, match="`metric` must be finite"):
        RankingComparison("k_at_recall(0.9)").from_rankings(lists)
    rng = np.random.default_rng(0)
    unlike = {
        name: [
            RankingEvaluation.from_predictions(
                np.arange(n) < 4, rng.normal(size=n)
            ).ranking()
            for n in sizes
        ]
        for name, sizes in (("A", (20, 30, 25)), ("B", (22, 18, 40)))
    }
    RankingComparison().from_rankings(unlike)
    with pytest.raises(ValueError, match="with lists of different items"):
        RankingComparison(method="jackknife").from_rankings(unlike)
    with pytest.raises(ValueError, match="rankings of the same targets"):
        Rankings.from_rankings({"A": queries(1.0), "B": unlike["A"] * 4})
    with pytest.raises(ValueError, match="rankings of the same items"):
        Rankings.from_rankings({"A": unlike["A"][0], "B": unlike["B"][0]})


def test_equal_models_that_both_miss_all_targets_of_a_group():
    y, score, group = np.arange(12) % 4 == 1, np.arange(12.0), np.repeat([0, 1, 2], 4)
    given = {"groups": group, "n_missed": {1: 2}}
    y[group == 1] = False
    result = RankingComparison().from_predictions(y, {"A": score, "B": score}, **given)
    assert (result.difference, result.pvalue) == (0, 1)
    low, high = result.confidence_interval()
    assert low <= 0 <= high
