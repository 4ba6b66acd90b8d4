"""The profit is a linear function of precision at t, and so is all that follows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skrank import (
    MetricInterval,
    RandomSelectionNull,
    RandomSelectionTest,
    RankingComparison,
    expected_profit,
    make_metric,
)

BENEFIT, COST = 200.0, 20.0
DEPTHS = (20, 0.05, 300)


def profit_of(precision, t):
    return t * (BENEFIT * np.asarray(precision) - COST)


def metrics_at(t, ties="expected"):
    profit = f"expected_profit@{t}(benefit={BENEFIT}, cost={COST})"
    return [make_metric(name, ties) for name in (f"precision@{t}", profit)]


def columns(*, tied, seed=0, n=600):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.08
    a, b = rng.normal(1.2 * y), rng.normal(0.6 * y)
    return (y, np.round(a), np.round(b)) if tied else (y, a, b)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("t", DEPTHS)
def test_null_distribution(t, tied):
    y, score, _ = columns(tied=tied)
    items = t if isinstance(t, int) else round(t * y.size)
    tests = [RandomSelectionTest(one) for one in metrics_at(t)]
    precision, profit = (one.from_predictions(y, score) for one in tests)
    assert profit.value == pytest.approx(profit_of(precision.value, items))
    assert profit.null_mean == pytest.approx(profit_of(precision.null_mean, items))
    assert profit.pvalue == pytest.approx(precision.pvalue, rel=1e-12)
    assert profit.zscore == pytest.approx(precision.zscore)
    nulls = [RandomSelectionNull(600, 48, one) for one in metrics_at(t)]
    levels = [0.01, 0.3, 0.9]
    expected = profit_of(nulls[0].ppf(levels), items)
    assert_allclose(nulls[1].ppf(levels), expected, atol=1e-9)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("method", ["auto", "bootstrap", "posterior", "jackknife"])
@pytest.mark.parametrize("t", DEPTHS)
def test_intervals(t, method, tied):
    y, score, _ = columns(tied=tied)
    items = t if isinstance(t, int) else round(t * y.size)
    settings = {"method": method, "n_resamples": 200, "random_state": 0}
    questions = [MetricInterval(one, **settings) for one in metrics_at(t)]
    precision, profit = (one.from_predictions(y, score) for one in questions)
    limits = profit_of(precision.confidence_interval(), items)
    assert_allclose(profit.confidence_interval(), limits, rtol=1e-7)
    error = profit.standard_error
    assert error == pytest.approx(precision.standard_error * items * BENEFIT)


@pytest.mark.parametrize("score", ["perfect", "worst", "no hit", "one hit"])
@pytest.mark.parametrize("method", ["auto", "posterior"])
def test_intervals_at_the_ends(score, method):
    # the top 20 hold all targets, none, or one: the interval stays finite and inside
    y = np.repeat([1, 0], [30, 570])
    scores = {
        "perfect": -np.arange(600),
        "worst": np.arange(600),
        "no hit": np.r_[np.full(30, 0.5), np.ones(20), np.zeros(550)],
        "one hit": np.r_[2, np.full(29, 0.5), np.ones(20), np.zeros(550)],
    }
    settings = {"method": method, "n_resamples": 200, "random_state": 0}
    questions = [MetricInterval(one, **settings) for one in metrics_at(20)]
    precision, profit = (one.from_predictions(y, scores[score]) for one in questions)
    limits = profit_of(precision.confidence_interval(), 20)
    assert_allclose(profit.confidence_interval(), limits, rtol=1e-7, atol=1e-6)


def test_intervals_and_comparisons_of_days():
    # the mean over days is the profit of a day, also of days without targets
    y, a, b = columns(tied=False)
    day = np.repeat(np.arange(12), 50)
    y[:50] = False
    data = {"groups": day}
    precision, profit = (
        MetricInterval(one).from_predictions(y, a, **data) for one in metrics_at(10)
    )
    assert profit.n_rankings == 12
    limits = profit_of(precision.confidence_interval(), 10)
    # the perfect ranking of days with other numbers of targets differs: the metric
    # precision ends at 1 then, which a profit does not have
    assert profit.value == pytest.approx(profit_of(precision.value, 10))
    assert_allclose(profit.confidence_interval(), limits, atol=10)  # of up to 1800
    pairs = [RankingComparison(one) for one in metrics_at(10)]
    precision, profit = (
        one.from_predictions(y, {"A": a, "B": b}, **data) for one in pairs
    )
    assert profit.pvalue == pytest.approx(precision.pvalue)
    assert profit.difference == pytest.approx(precision.difference * 10 * BENEFIT)


def test_comparison_of_one_data_set():
    y, a, b = columns(tied=False, seed=1)
    pairs = [RankingComparison(one, random_state=0) for one in metrics_at(20)]
    precision, profit = (one.from_predictions(y, {"A": a, "B": b}) for one in pairs)
    assert (profit.pvalue, profit.method) == (precision.pvalue, precision.method)
    assert profit.standard_error == pytest.approx(
        precision.standard_error * 20 * BENEFIT
    )


def test_weights_count_as_items():
    y, a, _ = columns(tied=False)
    weight = np.random.default_rng(0).integers(1, 4, y.size)
    with pytest.warns(UserWarning, match="`t`=30 counts units of weight, not items"):
        weighted = metrics_at(30)[1](y, a, sample_weight=weight)
    repeated = metrics_at(30)[1](np.repeat(y, weight), np.repeat(a, weight))
    assert weighted == pytest.approx(repeated)


@pytest.mark.parametrize("ties", ["expected", "together"])
def test_amounts_of_items_against_all_orders_of_the_ties(ties):
    # judged by sums over items, in all orders of a tie across the cutoff
    y = np.array([1, 0, 1, 1, 0, 1, 0, 0])
    score = np.array([9, 9, 5, 5, 5, 4, 1, 0])
    amounts = np.array([100.0, 7, 30, 50, 9, 20, 8, 3])
    for t in range(1, 9):
        depth = t
        profits = []
        if ties == "together":
            depth = int((score >= np.sort(score)[::-1][t - 1]).sum())
        for seed in range(400):
            order = np.lexsort((np.random.default_rng(seed).random(8), -score))
            top = order[:depth]
            profits.append((amounts * y)[top].sum() - 4.0 * depth)
        found = expected_profit(y, score, benefit=amounts, cost=4, t=t, ties=ties)
        error = np.std(profits) / 20
        assert abs(found - np.mean(profits)) <= 4 * error + 1e-9


def test_equal_amounts_are_one_benefit():
    rng = np.random.default_rng(0)
    for t in (5, 0.3):
        y, day = rng.random(60) < 0.3, rng.integers(0, 3, 60)
        score = rng.integers(0, 6, 60)
        for given in ({}, {"groups": day}):
            given = {"cost": 0.5, "t": t, **given}
            one = expected_profit(y, score, benefit=7.0, **given)
            found = expected_profit(y, score, benefit=np.full(60, 7.0), **given)
            assert found == pytest.approx(one)


def test_amounts_that_are_refused():
    y, score, amounts = [1, 0, 1], [3, 2, 1], [5.0, 6.0, 7.0]
    given = {"cost": 1, "t": 2}
    for wrong, match in (
        ({"benefit": amounts[:2]}, "`benefit` must"),
        ({"benefit": [5, -1, 2]}, "`benefit` must be 0 or more"),
        ({"benefit": [5, np.nan, 2]}, "`benefit` must be finite; got 1 of"),
        ({"benefit": amounts, "ties": "optimistic"}, "`ties` must be one of"),
        ({"benefit": amounts, "sample_weight": [1, 1, 2]}, "`sample_weight` must be"),
        ({"benefit": amounts, "sample_weight": np.ones(3)}, "`sample_weight` must"),
        ({"benefit": amounts, "n_missed": 1}, "`n_missed` must be left out"),
        ({"benefit": amounts, "t": 4}, "`t` must not reach beyond"),
        ({"benefit": amounts, "cost": -1}, "`cost` must be"),
    ):
        with pytest.raises(ValueError, match=match):
            expected_profit(y, score, **{**given, **wrong})
