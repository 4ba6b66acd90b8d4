"""Thresholds and depths with an amount for each item, limits and budgets of days.

Judges: plain sums over the items by NumPy, a search of all thresholds, expected_profit,
and choices with a benefit that is a number.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from skrank import Ranking, ThresholdChoice, expected_profit
from tests.cases import assert_share, runs

N_DAYS, N = 24, 50
DAY = np.repeat(np.arange(N_DAYS), N)
RNG = np.random.default_rng(3)
Y = RNG.random(DAY.size) < 0.06
SCORE = RNG.normal(1.5 * Y).round(2)  # with ties
AMOUNT = RNG.lognormal(3, 1, DAY.size)
COST = 4.0
QUANTITIES = ("threshold", "t", "recall", "precision", "profit")


def savings(threshold):
    chosen = threshold <= SCORE
    return AMOUNT[Y & chosen].sum() - COST * chosen.sum()


def ask(groups=None, *, benefit=AMOUNT, **rule):
    choice = ThresholdChoice(benefit=benefit, cost=COST, n_resamples=199, **rule)
    return choice.from_predictions(Y, SCORE, groups=groups)


@pytest.mark.parametrize("groups", [None, DAY])
def test_the_largest_savings_of_all_thresholds(groups):
    result = ask(groups, groups_share="threshold")
    best = max(np.unique(SCORE), key=savings)
    units = 1 if groups is None else N_DAYS
    assert result.threshold == best
    assert result.t == (best <= SCORE).sum() / units
    assert result.apparent_profit == pytest.approx(savings(best) / units)
    low, high = result.confidence_interval("profit")
    assert low < result.profit < high


def test_savings_of_a_budget():
    with pytest.warns(UserWarning, match="103 items, not 100"):
        result = ask(t=100)
    cut = np.sort(SCORE)[-100]
    assert result.threshold == cut
    assert result.profit == result.apparent_profit == pytest.approx(savings(cut))


def test_a_budget_in_the_mean_over_days():
    result = ask(DAY, t=8, groups_share="threshold")
    fits = [one for one in np.unique(SCORE) if (one <= SCORE).sum() <= 8 * N_DAYS]
    assert result.threshold == min(fits)
    assert result.t == (min(fits) <= SCORE).sum() / N_DAYS
    assert result.apparent_profit == pytest.approx(savings(min(fits)) / N_DAYS)
    share = ask(DAY, t=8 / N, groups_share="threshold")
    assert share.threshold == result.threshold


@pytest.mark.parametrize("groups", [None, DAY])
def test_equal_amounts_are_a_number(groups):
    for share in ("depth", "threshold"):
        for rule in ({}, {"t": 0.1}, {"precision": 0.3}):
            each = ask(groups, benefit=np.full(DAY.size, 30.0), groups_share=share)
            one = ask(groups, benefit=30.0, groups_share=share)
            assert each.t == one.t, rule
            for name in ("profit", "apparent_profit", "recall", "precision"):
                assert getattr(each, name) == pytest.approx(getattr(one, name))
            limits = [x.confidence_interval("profit") for x in (each, one)]
            width = np.ptp(limits[1])
            assert np.allclose(*limits, atol=0.15 * width)  # of other draws


def test_amounts_follow_their_items():
    """The order of the rows does not count, nor does the index of pandas hide it."""
    order = RNG.permutation(DAY.size)
    other = ThresholdChoice(benefit=AMOUNT[order], cost=COST, n_resamples=99)
    found = other.from_predictions(Y[order], SCORE[order])
    assert found.threshold == ask().threshold
    assert found.apparent_profit == pytest.approx(ask().apparent_profit)
    indexed = pd.Series(AMOUNT, index=order)
    choice = ThresholdChoice(benefit=indexed, cost=COST)
    with pytest.raises(ValueError, match="`benefit` must have the index of `y_true`"):
        choice.from_predictions(pd.Series(Y), pd.Series(SCORE))


def test_amounts_of_a_ranking_and_of_folds():
    ranking = Ranking.from_predictions(Y, SCORE)
    choice = ThresholdChoice(benefit=AMOUNT, cost=COST, n_resamples=99)
    assert choice.from_rankings(ranking).threshold == ask().threshold
    folds = RNG.permutation(DAY.size) % 3
    held_out = choice.from_predictions(Y, SCORE, folds=folds)
    assert held_out.threshold == ask().threshold
    assert held_out.apparent_profit == pytest.approx(ask().apparent_profit)


def test_a_classifier_with_the_largest_savings():
    X = np.column_stack([SCORE, RNG.normal(size=DAY.size)])
    model = LogisticRegression()
    choice = ThresholdChoice(benefit=AMOUNT, cost=COST, groups_share="threshold")
    for groups in (None, DAY):
        result = choice.from_cv(model, X, Y, groups=groups, cv=4)
        classifier = result.classifier(model).fit(X, Y)
        scores = classifier.estimator_.decision_function(X)
        assert np.array_equal(classifier.predict(X), scores >= result.threshold)


def test_one_amount_above_all_others_does_not_move_the_estimate_out_of_its_interval():
    huge = np.where(np.arange(Y.size) == np.flatnonzero(Y)[0], 1e7, AMOUNT)
    result = ask(benefit=huge)
    low, high = result.confidence_interval("profit")
    assert low <= result.profit < result.apparent_profit <= high


def test_a_tie_that_is_larger_than_the_budget():
    choice = ThresholdChoice(t=8, groups_share="threshold", n_resamples=9)
    with pytest.warns(UserWarning, match="keeps t = 8, as the first tie is larger"):
        result = choice.from_predictions(Y, np.ones(Y.size), groups=DAY)
    assert result.t == 0


# Two limits


@pytest.mark.parametrize("groups", [None, DAY])
@pytest.mark.parametrize("share", ["depth", "threshold"])
def test_a_budget_and_a_precision(groups, share):
    for t in (5, 60):
        result = ask(groups, t=t, precision=0.35, groups_share=share)
        alone = ask(groups, precision=0.35, groups_share=share)
        assert result.t <= t
        assert result.apparent_precision >= 0.35
        if alone.t <= t:
            assert result.t == alone.t
    assert "precision 0.35 and t at most 60" in str(result)


def test_the_deepest_threshold_within_both_limits():
    """Judge: all thresholds at scores of targets."""
    for t in (4, 20, 60, 400):
        chosen = [one <= SCORE for one in np.unique(SCORE[Y])]
        kept = [x for x in chosen if x.sum() <= t and Y[x].mean() >= 0.35]
        result = ask(t=t, precision=0.35)
        assert result.t == max((x.sum() for x in kept), default=0)


@pytest.mark.parametrize("groups", [None, DAY])
@pytest.mark.parametrize("share", ["depth", "threshold"])
def test_a_budget_and_a_recall(groups, share):
    alone = ask(groups, recall=0.6, groups_share=share)
    enough = int(np.ceil(alone.t))
    assert ask(groups, t=enough, recall=0.6, groups_share=share).t == alone.t
    with pytest.warns(UserWarning, match=r"within t = 2 has a recall of 0\.6: the nu"):
        short = ask(groups, t=2, recall=0.6, groups_share=share)
    assert short.t == 2 if share == "depth" or groups is None else 0 < short.t <= 2


def held_out_savings(rng, gain, score, n_divisions):
    """Choose a level without a fold, and sum what it saves in the fold."""
    levels, total = np.unique(score)[::-1], 0.0
    for _ in range(n_divisions):
        fold = rng.permutation(np.arange(score.size) % 10)
        for out in (fold == k for k in range(10)):
            saved = [gain[~out & (score >= one)].sum() for one in levels]
            if max(saved) > 0:
                total += gain[out & (score >= levels[np.argmax(saved)])].sum()
    return total / n_divisions


def test_the_estimate_of_savings_with_ties_by_a_plain_cross_validation():
    """The amounts of single targets are held out, also of those in one tie."""
    rng, apart, optimism = np.random.default_rng(5), [], []
    for _ in range(12):
        y = np.arange(400) < 12
        score = np.clip(np.round(rng.normal(1.5 * y)), -2, 3)
        amount = rng.lognormal(0, 1.5, 400)
        judged = held_out_savings(rng, np.where(y, amount, 0) - 0.2, score, 25)
        choice = ThresholdChoice(benefit=amount, cost=0.2, n_resamples=9)
        result = choice.from_predictions(y, score)
        apart.append(result.profit - judged)
        optimism.append(result.apparent_profit - judged)
    assert abs(np.mean(apart)) < 0.3 * np.mean(optimism)


def test_items_without_a_score_are_named_if_all_are_to_be_looked_at():
    score = np.where(np.arange(Y.size) % 2 == 0, np.nan, SCORE)
    choice = ThresholdChoice(recall=0.95, n_resamples=9)
    with pytest.warns(UserWarning, match="leaves out items without a score"):
        result = choice.from_predictions(Y, score, missing="last")
    assert result.threshold == -np.inf


def test_a_depth_within_a_budget_is_that_of_expected_profit():
    result = ask(DAY, t=7, precision=0.2)
    settings = {"benefit": AMOUNT, "cost": COST, "t": int(result.t), "groups": DAY}
    assert result.apparent_profit == pytest.approx(
        expected_profit(Y, SCORE, **settings)
    )


def test_one_depth_for_long_days_within_a_budget():
    """Of long days not all depths are tried, but the budget itself is."""
    y = np.tile(np.arange(5000) < 900, 12)
    day = np.repeat(np.arange(12), 5000)
    score = -np.tile(np.arange(5000.0), 12)
    choice = ThresholdChoice(t=777, precision=0.5, n_resamples=9)
    assert choice.from_predictions(y, score, groups=day).t == 777


@pytest.mark.parametrize("share", ["depth", "threshold"])
@pytest.mark.filterwarnings("ignore:No threshold has a pr")
def test_no_item_and_all_items_of_days(share):
    for benefit, t in ((1e-9, 0), (1e9, N)):
        result = ask(DAY, benefit=np.full(DAY.size, benefit), groups_share=share)
        assert result.t == t if t == 0 else result.t <= t
        for name in QUANTITIES[share == "depth" :]:
            if not np.isnan(getattr(result, name)):
                low, high = result.confidence_interval(name)
                assert low <= getattr(result, name) <= high


# Coverage; benchmarks/savings.py has more cells


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:No threshold has")
@pytest.mark.parametrize("amounts", ["lognormal", "Pareto"])
@pytest.mark.parametrize(("m", "n"), [(12, 1000), (40, 2000)])
def test_intervals_of_savings_hold_by_simulation(amounts, m, n):
    """The truth of a threshold follows from the normal distribution of the scores."""
    rng, held = np.random.default_rng(0), []
    for _ in range(runs(150)):
        y = np.arange(n) < m
        amount = rng.lognormal(0, 1, n)
        mean = np.exp(0.5)
        if amounts == "Pareto":
            amount, mean = 1 + rng.pareto(2, n), 2.0
        given = {"benefit": amount, "cost": 2 * mean * m / n, "n_resamples": 399}
        choice = ThresholdChoice(t=0.1, **given, random_state=rng)
        result = choice.from_predictions(y, rng.normal(1.5 * y))
        hits = m * norm.sf(result.threshold - 1.5)
        items = hits + (n - m) * norm.sf(result.threshold)
        truth = hits * mean - given["cost"] * items
        low, high = result.confidence_interval("profit")
        held.append(low <= truth <= high)
    assert_share(held, 0.90, 1.0)
