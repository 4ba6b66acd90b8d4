"""`ThresholdChoice` against choices by going through all thresholds, and simulation."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logit
from scipy.stats import beta, betabinom, binom, binomtest, norm
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from cases import assert_share, runs
from skrank import RankCounts, Ranking, ThresholdChoice, expected_profit
from skrank.inference.thresholds._guarantee import deepest_promise, sums_needed
from skrank.inference.thresholds._threshold_choice_points import Points, beside

RULES = [
    {"recall": 0.8},
    {"precision": 0.3},
    {"benefit": 100, "cost": 8},
    {"t": 60},
    {"t": 0.1, "benefit": 100, "cost": 8},
]
QUANTITIES = ("threshold", "t", "recall", "precision", "profit")


def columns(*, n=600, share=0.08, shift=1.5, decimals=None, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    score = rng.normal(shift * y)
    return y, score if decimals is None else np.round(score, decimals)


def best_by_all(y, score, rule):
    """The best threshold, by going through all scores and infinity."""
    best = None
    for level in [math.inf, *sorted(set(score.tolist()), reverse=True)]:
        above = score >= level
        t, hits = int(above.sum()), int(y[above].sum())
        level = -math.inf if t == y.size else level
        if "recall" in rule:
            if hits >= rule["recall"] * y.sum():
                return level, t, hits
        elif "precision" in rule:
            if hits >= rule["precision"] * t and (best is None or hits > best[2]):
                best = level, t, hits
        elif "t" in rule:
            if t >= math.ceil(rule["t"] * (1 if rule["t"] > 1 else y.size)):
                return level, t, hits
        else:
            profit = rule["benefit"] * hits - rule["cost"] * t
            if best is None or profit > best[3]:
                best = level, t, hits, profit
    return best[:3]


@pytest.mark.filterwarnings("ignore:The tie at the threshold")
@pytest.mark.parametrize("decimals", [None, 1, 0])
@pytest.mark.parametrize("rule", RULES)
def test_the_choice_is_the_best_of_all(rule, decimals):
    for seed in range(10):
        y, score = columns(n=200, share=0.15, decimals=decimals, seed=seed)
        if rule.get("t") == 60:
            rule = {"t": 35}
        level, t, hits = best_by_all(y, score, rule)
        choice = ThresholdChoice(**rule, n_resamples=20)
        result = choice.from_predictions(y, score)
        assert (result.threshold, result.t) == (level, t)
        assert result.apparent_recall == pytest.approx(hits / y.sum())
        assert result.apparent_precision == pytest.approx(hits / t)
        if "benefit" in rule:
            profit = rule["benefit"] * hits - rule["cost"] * t
            assert result.apparent_profit == pytest.approx(profit)
        else:
            assert math.isnan(result.profit)


@pytest.mark.parametrize("rule", RULES)
def test_what_is_expected_of_other_items_is_less(rule):
    # on average over samples; a depth is chosen without the labels
    lost = []
    for seed in range(30):
        y, score = columns(n=300, seed=seed)
        choice = ThresholdChoice(**rule, n_resamples=200, random_state=seed)
        result = choice.from_predictions(y, score)
        for name in ("recall", "precision"):
            low, high = result.confidence_interval(name)
            assert 0 <= low <= getattr(result, name) <= high <= 1
        lost.append(result.apparent_recall - result.recall)
    if "t" in rule:
        assert max(map(abs, lost)) == 0
    else:
        assert np.mean(lost) > 0.005


@pytest.mark.parametrize("seed", [0, 1])
def test_no_more_items_are_expected_than_there_are(seed):
    """A recall of 1 takes all 60 items; recall and precision tell how many of each."""
    y = np.append(np.random.default_rng(seed).permutation(np.arange(59) < 5), True)
    choice = ThresholdChoice(recall=1.0, n_resamples=20, random_state=seed)
    result = choice.from_predictions(y, -np.arange(60.0))
    assert (result.t, result.threshold) == (60, -math.inf)
    assert (result.recall, result.precision) == (1, 0.1)
    for name in ("recall", "precision", "t"):  # no other items can change them
        assert result.confidence_interval(name) == (getattr(result, name),) * 2


def test_profit_at_a_recall_is_that_of_the_hits_and_the_items():
    rule = {"recall": 0.8, "benefit": 100, "cost": 8, "n_resamples": 99}
    y, score = columns()
    result = ThresholdChoice(**rule, random_state=0).from_predictions(y, score)
    hits = result.recall * y.sum()
    assert result.profit == pytest.approx(100 * hits - 8 * hits / result.precision)


def test_thresholds_beside_each():
    """The first and the last are beside themselves."""
    ranking = Ranking.from_predictions([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0])
    points = Points.of(ranking, np.array([5.0, 7.0]))
    assert points.worth.tolist() == [0, 5, 12, 12]
    lower, higher = beside(points.levels, np.arange(4))
    assert points.levels.tolist() == [np.inf, 4, 2, -np.inf]
    assert lower.tolist() == [4, 2, -np.inf, -np.inf]
    assert higher.tolist() == [np.inf, np.inf, 4, 2]


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:No threshold has")
@pytest.mark.parametrize(
    ("m", "n", "shift", "cost"),
    [(10, 1000, 1.5, 2.0), (30, 1000, 0.7, 2.0), (30, 3000, 2.5, 6.0)],
)
def test_profit_on_other_items_by_simulation(m, n, shift, cost):
    # the truth of a threshold is known from the normal distribution
    rule = {"benefit": 1.0, "cost": cost * m / n}
    rng, found = np.random.default_rng(0), []
    for _ in range(runs(120)):
        y = np.arange(n) < m
        choice = ThresholdChoice(**rule, n_resamples=399, random_state=rng)
        result = choice.from_predictions(y, rng.normal(shift * y))
        hits = m * norm.sf(result.threshold - shift)
        items = hits + (n - m) * norm.sf(result.threshold)
        truth = hits - rule["cost"] * items
        low, high = result.confidence_interval("profit")
        covered = low <= truth <= high
        found.append((result.apparent_profit - truth, result.profit - truth, covered))
    assert_share([one[2] for one in found], 0.93)
    apparent, error, _ = np.mean(found, axis=0)
    spread = np.std([one[1] for one in found]) / math.sqrt(len(found))
    assert abs(error) < 3 * spread < apparent


@pytest.mark.nightly
def test_interval_of_the_threshold_at_a_depth_by_simulation():
    # the threshold above which 5 % of another sample are
    rng, covered = np.random.default_rng(0), []
    for _ in range(runs(250)):
        y = rng.random(1000) < 0.1
        score, other = rng.normal(size=(2, 1000))
        choice = ThresholdChoice(t=0.05, n_resamples=399, random_state=rng)
        result = choice.from_predictions(y, score)
        low, high = result.confidence_interval("threshold", 0.9)
        covered.append(low <= np.sort(other)[-50] <= high)
    assert_share(covered, 0.9, 0.9)


def days(n_days=60, per_day=50, seed=0):
    y, score = columns(n=n_days * per_day, share=0.04, seed=seed)
    y[:per_day] = False  # a day without targets
    return y, score, np.repeat(np.arange(n_days), per_day)


def test_depth_of_each_day():
    y, score, day = days()
    choice = ThresholdChoice(benefit=200, cost=5, n_resamples=500)
    result = choice.from_predictions(y, score, groups=day)
    profits = [
        expected_profit(y, score, benefit=200, cost=5, t=t, groups=day)
        for t in range(1, 51)
    ]
    assert result.t == 1 + np.argmax(profits)
    assert result.apparent_profit == pytest.approx(max(profits))
    assert result.profit < result.apparent_profit
    assert result.n_rankings == 60  # with the day without targets
    assert math.isnan(result.threshold)
    with pytest.raises(ValueError, match="several rankings, which have no threshold"):
        result.confidence_interval("threshold")
    assert "a depth t of each ranking, no threshold" in result.to_dict()["score"]
    assert "a depth t of each ranking, no threshold" in str(result)
    low, high = result.confidence_interval("t")
    assert low <= result.t <= high
    low, high = result.confidence_interval("profit")
    assert low < result.profit < high
    with pytest.raises(ValueError, match="`groups` must be left out, or passed with"):
        result.classifier(GaussianNB())


@pytest.mark.parametrize("t", [5, 0.1])
def test_given_depth_of_each_day(t):
    # nothing is chosen, so the values are those of the days
    y, score, day = days()
    rule = {"t": t, "benefit": 200, "cost": 5}
    result = ThresholdChoice(**rule).from_predictions(y, score, groups=day)
    profit = expected_profit(y, score, **rule, groups=day)
    assert (result.t, result.profit) == (5, pytest.approx(profit))
    assert result.profit == pytest.approx(result.apparent_profit)
    each = [
        expected_profit(y[day == one], score[day == one], **rule, undefined=-25)
        for one in range(60)
    ]
    low, high = result.confidence_interval("profit")
    found = np.bincount(day, y)
    alike = found.sum() ** 2 / (found**2).sum()  # as many days of equal targets
    half = student.isf(0.025, alike - 1) * np.std(each, ddof=1) / math.sqrt(60)
    assert_allclose([low, high], [profit - half, profit + half], rtol=1e-9)
    hits = [
        y[day == one][np.argsort(-score[day == one])[:5]].sum() for one in range(60)
    ]
    middle = np.mean(hits) / 5
    half = student.isf(0.025, alike - 1) * np.std(hits, ddof=1) / 5 / math.sqrt(60)
    limits = result.confidence_interval("precision")
    assert_allclose(limits, [middle - half, middle + half], rtol=1e-9)


def test_depth_of_days_of_other_lengths():
    y, score, day = days()
    kept = np.r_[0:20, 50 : y.size]
    result = ThresholdChoice(t=30).from_predictions(
        y[kept], score[kept], groups=day[kept]
    )
    assert result.t == pytest.approx((20 + 59 * 30) / 60)
    choice = ThresholdChoice(recall=1.0, n_resamples=20)
    result = choice.from_predictions(y[kept], score[kept], groups=day[kept])
    assert 20 < result.t <= result.confidence_interval("t").high <= 50


@pytest.mark.filterwarnings("ignore:2 rankings are few")
def test_many_items_of_a_day():
    y, score = columns(n=6000, share=0.05)
    day = np.repeat([0, 1], 3000)
    choice = ThresholdChoice(benefit=10, cost=1, n_resamples=20)
    result = choice.from_predictions(y, score, groups=day)
    depths = np.arange(1, 3001)
    profits = sum(
        10 * np.cumsum(y[day == one][np.argsort(-score[day == one])]) - depths
        for one in (0, 1)
    )
    # of a long ranking, every 12th depth is tried, which costs 6 on average
    assert profits.max() / 2 - 12 <= result.apparent_profit <= profits.max() / 2


def test_many_targets():
    # choices on parts of the items try some of the thresholds only
    y, score = columns(n=20_000, share=0.9)
    choice = ThresholdChoice(recall=0.8, n_resamples=300)
    result = choice.from_predictions(y, score)
    assert result.apparent_recall == pytest.approx(0.8, abs=1 / y.sum())
    assert result.recall == pytest.approx(0.8, abs=0.01)
    low, high = result.confidence_interval("threshold")
    assert low < result.threshold < high
    assert high - low < 0.1


def test_a_tie_beyond_the_budget_is_said():
    y, score = np.arange(100) % 20 == 0, np.repeat([2.0, 1.0], [40, 60])
    with pytest.warns(UserWarning, match="inspected whole: 40 items, not 10"):
        assert ThresholdChoice(t=10).from_predictions(y, score).t == 40


def test_folds_are_pooled():
    X, y = load_breast_cancer(return_X_y=True)
    X, y, cv = X[:, :4], y == 0, KFold(5, shuffle=True, random_state=0)
    choice = ThresholdChoice(recall=0.9, n_resamples=100)
    result = choice.from_cv(GaussianNB(), X, y, cv=cv)
    held_out = cross_val_predict(GaussianNB(), X, y, cv=cv, method="predict_proba")
    level, t, _ = best_by_all(y, held_out[:, 1], {"recall": 0.9})
    assert (result.threshold, result.t) == (level, t)
    assert result.kind == "folds"
    fitted = result.classifier(GaussianNB()).fit(X, y)
    proba = fitted.estimator_.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(fitted.predict(X), proba >= level)


def test_classifier_uses_the_scores_of_the_ranking():
    # a linear model is ranked by decision_function, which "auto" would not take
    X, y = load_breast_cancer(return_X_y=True)
    label = np.where(y == 0, "malignant", "benign")
    model = LogisticRegression(max_iter=10_000).fit(X, label)
    choice = ThresholdChoice(t=150)
    result = choice.from_estimator(model, X, label, pos_label="malignant")
    fixed = result.classifier(model).fit(X, label)
    assert (fixed.predict(X) == "malignant").sum() == result.t == 150
    given = choice.from_predictions(
        label, model.predict_proba(X)[:, 1], pos_label="malignant"
    )
    for unscored in (None, "predict"):
        with pytest.raises(ValueError, match="`response_method` must be one of"):
            given.classifier(model, response_method=unscored)
    fixed = given.classifier(model, response_method="predict_proba").fit(X, label)
    assert (fixed.predict(X) == "malignant").sum() == 150
    with pytest.raises(ValueError, match="must have decision_function"):
        result.classifier(GaussianNB())
    with pytest.raises(ValueError, match="`estimator` must be an estimator"):
        result.classifier(KFold())


def test_detector():
    X, y = load_breast_cancer(return_X_y=True)
    forest = IsolationForest(random_state=0).fit(X)
    choice = ThresholdChoice(t=100)
    given = {"pos_label": 0, "detector_targets": "outliers"}
    result = choice.from_estimator(forest, X, y, **given)
    assert result.threshold == pytest.approx(
        np.sort(-forest.decision_function(X))[-100]
    )
    assert result.score == "minus decision_function"
    assert "minus decision_function" in str(result)
    line = re.escape("`-estimator.decision_function(X) >= result.threshold`")
    with pytest.raises(ValueError, match=f"classifier of two classes; got Iso.*{line}"):
        result.classifier(forest)
    assert (-forest.decision_function(X) >= result.threshold).sum() == 100


@pytest.mark.filterwarnings("ignore:The tie at the threshold")
@pytest.mark.parametrize("rule", RULES)
def test_extreme_rankings(rule):
    choice = ThresholdChoice(**rule, n_resamples=50)
    y = np.repeat([True, False], [20, 180])
    for score in (-np.arange(200.0), np.arange(200.0), np.zeros(200)):
        if not ({"precision", "benefit"} & set(rule)) or score[0] == 0 > score[-1]:
            result = choice.from_predictions(y, score)
            limits = [result.confidence_interval(name) for name in QUANTITIES[:4]]
            assert not np.isnan(limits).any()
    perfect = choice.from_predictions(y, -np.arange(200.0))
    if "t" not in rule:
        at = 15 if rule == {"recall": 0.8} else 19
        assert perfect.threshold == (-at if "precision" not in rule else -19)


@pytest.mark.filterwarnings("ignore:4 rankings are few")
@pytest.mark.parametrize("rule", [{"precision": 0.3}, {"benefit": 1, "cost": 2}])
@pytest.mark.parametrize("groups", [None, np.repeat([0, 1, 2, 3], 50)])
def test_no_item_is_worth_it(rule, groups):
    y = np.tile([False] * 45 + [True] * 5, 4)
    score = np.tile(-np.arange(50.0), 4)
    choice = ThresholdChoice(**rule, n_resamples=50)
    with pytest.warns(UserWarning, match="No threshold has a .*: no item is inspected"):
        result = choice.from_predictions(y, score, groups=groups)
    assert (result.t, result.recall, result.apparent_recall) == (0, 0, 0)
    assert math.isnan(result.precision)
    if groups is None:
        assert result.threshold == math.inf
    if "cost" in rule:
        assert result.profit == 0
        assert result.confidence_interval("profit") == (0, 0)


def test_the_seed_and_the_order_of_items():
    y, score = columns()
    choice = ThresholdChoice(benefit=100, cost=8, n_resamples=100)
    first, second = (choice.from_predictions(y, score) for _ in range(2))
    shuffled = np.random.default_rng(0).permutation(y.size)
    third = choice.from_predictions(y[shuffled], score[shuffled])
    assert first.to_dict() == second.to_dict() == third.to_dict()
    assert first.to_frame().columns.tolist() == list(QUANTITIES)
    other = ThresholdChoice(benefit=100, cost=8, n_resamples=100, random_state=1)
    assert other.from_predictions(y, score).profit != first.profit
    assert other.from_predictions(y, score).threshold == first.threshold


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({}, "`t`, `recall` or `precision` must be given, or else `benefit"),
        ({"precision": 0.3, "recall": 0.5}, "be given one at a time, alone or with `t"),
        ({"t": 3, "recall": 0.5, "guarantee": 0.9}, "`guarantee` .* without `t`"),
        ({"t": 3, "groups_share": "score"}, "`groups_share` must be one of 'depth', "),
        (
            {"recall": 0.5, "guarantee": 0.9, "groups_share": "threshold"},
            "`guarantee` must be left out with `groups_share`='threshold'",
        ),
        ({"benefit": 3}, "`cost` must be given with `benefit`; got 3 and None"),
        ({"t": 3, "cost": 3}, "`cost` must be given with `benefit`; got None and 3"),
        ({"t": 0}, "`t` must be an int of at least 1"),
        ({"recall": 0}, "`recall` must be a number above 0, up to 1"),
        ({"precision": 1.2}, "`precision` must be a number above 0, up to 1"),
        ({"benefit": 0, "cost": 1}, "`benefit` must be a finite number above 0"),
        ({"benefit": 1, "cost": -1}, "`cost` must be a finite number of at least 0"),
        ({"t": 1, "n_resamples": 1}, "`n_resamples` must be an int of at least 2"),
        ({"t": 5, "guarantee": 0.95}, "`guarantee` must be left out, or given with"),
        ({"benefit": 5, "cost": 1, "guarantee": 0.9}, "with `recall` or `precision`"),
        ({"recall": 0.5, "guarantee": 1}, "`guarantee` must be a number between 0 a"),
        ({"recall": 1, "guarantee": 0.9}, "`recall` must be below 1 with a guarant"),
        ({"precision": 1, "guarantee": 0.9}, "`precision` must be below 1 with a g"),
    ],
)
def test_settings_that_are_refused(rule, message):
    with pytest.raises(ValueError, match=message):
        ThresholdChoice(**rule)


def test_data_that_are_refused():
    choice = ThresholdChoice(recall=0.5)
    with pytest.raises(ValueError, match="contain 5 targets or more; got 4"):
        choice.from_predictions([1, 1, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    with pytest.raises(ValueError, match="contain 2 targets or more; got 1"):
        ThresholdChoice(t=1).from_predictions([1, 0, 0], [3, 2, 1])
    with pytest.raises(ValueError, match="two rankings or more; got 1"):
        choice.from_predictions([1, 0, 0], [3, 2, 1], groups=[1, 1, 1])
    with pytest.raises(ValueError, match="be left out for ThresholdChoice"):
        choice.from_predictions([1, 1, 0], [3, 2, 1], clusters=[1, 1, 2])
    with pytest.raises(ValueError, match="whose scores are thresholds; got RankCounts"):
        choice.from_predictions(RankCounts.from_chunks([([1, 1, 0], [3.0, 2.0, 1.0])]))
    with pytest.raises(ValueError, match="not reach beyond the ranking"):
        ThresholdChoice(t=4).from_predictions([1, 1, 0], [3, 2, 1])
    with pytest.raises(ValueError, match="`quantity` must be one of"):
        ThresholdChoice(t=1).from_predictions([1, 1, 0], [3, 2, 1]).confidence_interval(
            "ap"
        )


def test_days_inside_folds_are_days():
    X, y = load_breast_cancer(return_X_y=True)
    day = np.arange(y.size) % 19
    choice = ThresholdChoice(benefit=3, cost=1, n_resamples=50)
    result = choice.from_cv(GaussianNB(), X[:, :4], y == 0, groups=day)
    assert result.n_rankings == 19  # each day is held out whole
    assert math.isnan(result.threshold)
    assert "19 groups" in str(result)
    assert 8 <= result.t <= 16  # a day has 30 items with 11 targets


def test_limits_reach_0_and_1():
    # the exact limits of a share of which nothing or all is found: .025 ** (1 / m)
    y = np.arange(200) < 12
    result = ThresholdChoice(t=40).from_predictions(y, -np.arange(200.0))
    low, high = result.confidence_interval("recall")
    assert high == 1
    assert low == pytest.approx(0.025 ** (1 / 12), abs=0.015)
    result = ThresholdChoice(t=40).from_predictions(y, np.arange(200.0))
    low, high = result.confidence_interval("recall")
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 12), abs=0.015)
    assert result.confidence_interval("precision").low == 0
    result = ThresholdChoice(t=8).from_predictions(y, -np.arange(200.0))
    assert result.confidence_interval("precision").high == 1


def votes(rng, y):
    share = np.where(y, rng.beta(2, 2.4, y.size), rng.beta(0.35, 4, y.size))
    return rng.binomial(7, share).astype(float)


POPULATIONS = {
    "votes": votes,
    "scorecard": lambda rng, y: np.round(2 * rng.normal(1.6 * y)) * 5,
    "half": lambda rng, y: rng.normal(3.3 * (y & (rng.random(y.size) < 0.5))),
}


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:No threshold has")
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("rule", [{"benefit": 1, "cost": 0.06}, {"recall": 0.8}])
def test_intervals_hold_what_they_say_by_simulation(name, rule):
    draw, y = POPULATIONS[name], np.arange(400) < 12
    rng, held, last = np.random.default_rng(0), [], None
    many = [draw(rng, np.full(100_000, one)) for one in (True, False)]
    for _ in range(runs(120)):
        choice = ThresholdChoice(**rule, n_resamples=399, random_state=rng)
        result = choice.from_predictions(y, draw(rng, y))
        hits, others = (
            size * np.mean(one >= result.threshold)
            for size, one in zip((12, 388), many, strict=True)
        )
        values = {"recall": hits / 12, "t": np.sum(draw(rng, y) >= result.threshold)}
        if hits + others > 0:
            values["precision"] = hits / (hits + others)
        if "cost" in rule:
            values["profit"] = hits - 0.06 * (hits + others)
        if last is not None:
            values["threshold"] = last
        for key, value in values.items():
            low, high = result.confidence_interval(key)
            held.append((key, low - 1e-9 <= value <= high + 1e-9))
        last = result.threshold
    for key in values:
        assert_share([ok for one, ok in held if one == key], 0.93)


@pytest.mark.parametrize(("m", "recall"), [(29, 0.9), (40, 0.8), (60, 0.9)])
def test_guaranteed_recall_is_the_least_by_the_beta_distribution(m, recall):
    y, score = np.arange(500) < m, -np.arange(500.0)
    choice = ThresholdChoice(recall=recall, guarantee=0.95, n_resamples=20)
    j = choice.from_predictions(y, score).t  # the targets come first
    assert beta.cdf(recall, j, m - j + 1) <= 0.05
    assert j == 1 or beta.cdf(recall, j - 1, m - j + 2) > 0.05


def test_too_few_targets_for_a_guarantee():
    y, score = np.arange(500) < 28, -np.arange(500.0)  # .9**29 < .05 < .9**28
    choice = ThresholdChoice(recall=0.9, guarantee=0.95, n_resamples=20)
    with pytest.warns(UserWarning, match="needs 29 targets or more, and got 28: all"):
        result = choice.from_predictions(y, score)
    assert (result.t, result.threshold, result.recall) == (500, -math.inf, 1)
    assert result.metric == "recall 0.9 or more, with probability 0.95"
    # two starts share .05: .3**4 < .025 < .3**3
    choice = ThresholdChoice(precision=0.3, guarantee=0.95, n_resamples=20)
    with pytest.warns(UserWarning, match="the first 4 items must be targets"):
        result = choice.from_predictions(y[::-1], score)
    assert (result.t, result.threshold) == (0, math.inf)


def test_guaranteed_precision_goes_down_to_the_first_failure():
    # a perfect start of 40 targets: the tests from the top end where the tail of the
    # binomial distribution exceeds .025
    rng = np.random.default_rng(0)
    y = np.append(np.ones(40, dtype=bool), rng.random(400) < 0.2)
    choice = ThresholdChoice(precision=0.3, guarantee=0.95, n_resamples=20)
    result = choice.from_predictions(y, -np.arange(440.0))
    t, hits = np.arange(1, 441), np.cumsum(y)
    passed = binom.sf(hits - 1, t, 0.3) <= 0.025
    at = np.flatnonzero(y & (t >= 4))
    assert result.t == t[at[np.argmin(passed[at]) - 1]]


@pytest.mark.nightly
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("rule", [{"recall": 0.8}, {"precision": 0.3}])
@pytest.mark.filterwarnings("ignore:A precision of 0.3 cannot be guaranteed")
def test_guarantee_is_missed_at_most_as_often_as_promised(name, rule):
    draw, y = POPULATIONS[name], np.arange(2000) < 60
    rng, missed = np.random.default_rng(0), 0
    many = [draw(rng, np.full(50_000, one)) for one in (True, False)]
    choice = ThresholdChoice(**rule, guarantee=0.9, n_resamples=2)
    for _ in range(150):
        result = choice.from_predictions(y, draw(rng, y))
        hits, others = (
            size * np.mean(one >= result.threshold)
            for size, one in zip((60, 1940), many, strict=True)
        )
        if "recall" in rule:
            missed += hits / 60 < 0.8
        elif result.t:
            missed += hits / (hits + others) < 0.3
    assert missed / 150 < 0.1 + 3 * 0.0245  # sqrt(.1 * .9 / 150)


def test_guarantee_of_a_ranking_without_information():
    """Of rankings at random with .29 targets, at most .05 have a precision of .3."""
    rng, chosen = np.random.default_rng(0), 0
    for _ in range(1000):
        y = rng.random(500) < 0.29
        hits = np.append(np.arange(y.sum() + 1.0), y.sum())
        items = np.concatenate([[0], np.flatnonzero(y) + 1.0, [500]])
        chosen += deepest_promise(hits, items, y.sum(), 0.3, 0.05) > 0
    assert chosen / 1000 < 0.05 + 3 * 0.0069  # sqrt(.05 * .95 / 1000)


def test_guarantee_is_not_for_the_models_of_folds():
    choice = ThresholdChoice(recall=0.8, guarantee=0.95)
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="must be of one model, .* models of 5 folds"):
        choice.from_cv(GaussianNB(), X, y)
    with pytest.raises(ValueError, match="rank others by `from_estimator`"):
        choice.from_cv(GaussianNB(), X, y, groups=np.arange(y.size) % 6)


@pytest.mark.parametrize("rule", [{"recall": 0.8}, {"precision": 0.3}])
@pytest.mark.parametrize("guarantee", [0.9, 0.95])
def test_limit_of_a_promise_is_one_sided_at_its_level(rule, guarantee):
    """Judge: limits of Clopper and Pearson by the binomial distribution."""
    rng = np.random.default_rng(0)
    y = np.arange(2000) < 100
    score = rng.normal(2.5 * y)
    choice = ThresholdChoice(**rule, guarantee=guarantee, n_resamples=20)
    result = choice.from_predictions(y, score)
    ((name, value),) = rule.items()
    low, high = result.confidence_interval(name)
    assert value - 1e-9 <= low < getattr(result, name)
    assert high == 1
    hits = np.count_nonzero(y & (score >= result.threshold))
    if name == "recall":  # of no ties, the target of this order is the threshold
        for level in (guarantee, 0.99):
            low = result.confidence_interval(name, level).low
            assert binom.sf(hits - 1, 100, low) == pytest.approx(1 - level)
    else:
        assert low == value
        wide = result.confidence_interval(name, 0.9999).low
        assert binom.sf(hits - 1, result.t, wide) == pytest.approx(0.0001 / 2)
    assert f"or more, with probability {guarantee}, on other items" in str(result)
    assert "   95 %: " in str(result)  # of what is not promised


@pytest.mark.parametrize("share", [0.35, 0.2])
def test_what_can_be_promised_of_a_precision(share):
    """The promised precision and the needed items pass the binomial tests."""
    rng = np.random.default_rng(0)
    y = np.append(rng.random(60) < share, rng.random(500) < 0.02)
    if share < 0.3:
        y[:60] = np.arange(60) % 5 == 4
    choice = ThresholdChoice(precision=0.3, guarantee=0.95, n_resamples=2)
    with pytest.warns(UserWarning, match="cannot be guaranteed with probab") as said:
        assert choice.from_predictions(y, -np.arange(560.0)).t == 0
    text = str(said[0].message)
    promised, items = re.search(
        r"a precision of ([\d.]+) can be guaranteed for the first (\d+) items", text
    ).groups()
    hits = y[: int(items)].sum()
    assert binom.sf(hits - 1, int(items), float(promised)) == pytest.approx(
        0.025,
        rel=0.3,  # two digits of the precision
    )
    if share > 0.3:
        needed = re.search(r"needs about (\d+) items with (\d+) targets", text).groups()
        items, hits = map(int, needed)
        assert binom.sf(hits - 1, items, 0.3) <= 0.025
        assert binom.sf(hits - 1, items, 0.3) > 0.001
    else:
        assert "The nearest threshold has" in text


def test_sums_that_show_a_mean():
    """Judge: the bound of Bentkus with binomial probabilities summed in rationals."""
    for n, mean, doubt in (
        (14, Fraction(4, 5), Fraction(1, 20)),
        (9, *[Fraction(1, 4)] * 2),
    ):
        p = [math.comb(n, k) * mean**k * (1 - mean) ** (n - k) for k in range(n + 1)]
        needed = float(sums_needed(n, float(mean), float(doubt)))
        bounds = [
            sum((k - h) * p[k] for k in range(h + 1, n + 1)) / (Fraction(needed) - h)
            for h in range(n)
            if h < needed
        ]
        assert float(min(bounds)) == pytest.approx(float(doubt))
    # if all values are 1, as many as of a binomial test
    assert sums_needed(13, 0.8, 0.05) > 13
    assert sums_needed(14, 0.8, 0.05) < 14
    assert sums_needed(0, 0.8, 0.05) == math.inf


VALUES = {
    "0 or 1": lambda rng, size: (rng.random(size) < 0.7).astype(float),
    "thirds": lambda rng, size: rng.binomial(3, 0.7, size) / 3,
    "beta": lambda rng, size: rng.beta(1.4, 0.6, size),
    "rarely 0": lambda rng, size: np.where(rng.random(size) < 0.3, 0.0, 1.0),
}


@pytest.mark.parametrize("n", [9, 30])
@pytest.mark.parametrize("name", VALUES)
def test_a_mean_is_not_shown_too_often(name, n):
    sums = VALUES[name](np.random.default_rng(0), (4000, n)).sum(axis=1)
    assert_share(sums >= sums_needed(n, 0.7, 0.05), most=0.05)


def promised_days(rng, n_days):
    """Days of unequal sizes, shares and difficulty."""
    day = np.repeat(np.arange(n_days), rng.integers(30, 70, n_days))
    y = rng.random(day.size) < np.minimum(0.6, rng.gamma(1, 0.08, n_days))[day]
    return y, rng.normal(rng.gamma(4, 0.5, n_days)[day] * y), day


@pytest.mark.nightly
@pytest.mark.parametrize("rule", [{"recall": 0.7}, {"precision": 0.15}])
@pytest.mark.filterwarnings("ignore:A precision of 0.15 cannot be guaranteed")
def test_promise_of_days_is_kept(rule):
    """The mean over 4000 other days misses it at most as often as promised."""
    rng = np.random.default_rng(0)
    y, score, day = promised_days(rng, 4000)
    order = np.lexsort((-score, day))
    rank = np.arange(y.size) - np.searchsorted(day, day)
    hits = np.zeros((4000, 71))
    hits[day, rank + 1] = y[order]
    hits = hits.cumsum(axis=1)
    if "recall" in rule:
        some = hits[:, -1] > 0
        true = (hits[some] / hits[some, -1:]).mean(axis=0)
    else:
        sizes = np.minimum(np.arange(71), np.bincount(day)[:, None])
        true = (hits / np.maximum(sizes, 1)).mean(axis=0)
    (value,) = rule.values()
    choice, missed = ThresholdChoice(**rule, guarantee=0.9, n_resamples=2), []
    for _ in range(runs(100)):
        y, score, day = promised_days(rng, 30)
        t = choice.from_predictions(y, score, groups=day).t
        missed.append(t > 0 and true[min(int(t), 70)] < value)
    assert_share(missed, most=0.1)


def test_promise_of_days():
    y, score, day = days()
    choice = ThresholdChoice(recall=0.8, guarantee=0.95, n_resamples=20)
    result = choice.from_predictions(y, score, groups=day)
    assert result.metric == "mean recall 0.8 or more, with probability 0.95"
    assert result.confidence_interval("recall") == pytest.approx((0.8, 1))
    # a longer depth than without a promise, and the first with such a sum of recalls
    plain = ThresholdChoice(recall=0.8).from_predictions(y, score, groups=day)
    assert result.t > plain.t
    recalls = {t: [] for t in (result.t, result.t - 1)}
    for one in np.unique(day):
        found = y[day == one][np.argsort(-score[day == one])]
        if found.any():
            for t, each in recalls.items():
                each.append(found[: int(t)].sum() / found.sum())
    n = len(recalls[result.t])
    needed = sums_needed(n, 0.8, 0.05)
    assert sum(recalls[result.t]) >= needed > sum(recalls[result.t - 1])
    assert result.apparent_recall == pytest.approx(np.mean(recalls[result.t]))


def test_too_few_days_for_a_promise():
    y, score, day = days(n_days=12)
    choice = ThresholdChoice(recall=0.8, guarantee=0.95, n_resamples=20)
    with pytest.warns(UserWarning, match="needs 14 groups with targets or more, and g"):
        result = choice.from_predictions(y, score, groups=day)
    assert (result.recall, result.t) == (1, 50)  # all items
    choice = ThresholdChoice(precision=0.5, guarantee=0.95, n_resamples=20)
    with pytest.warns(UserWarning, match="At least 6 days must have a precision"):
        result = choice.from_predictions(y, score, groups=day)
    assert result.t == 0
    # no number of days is enough if their best mean is below the promise
    first = [y[day == one][np.argsort(-score[day == one])] for one in range(12)]
    best = (np.cumsum(first, axis=1) / np.arange(1, 51)).mean(axis=0).max()
    choice = ThresholdChoice(precision=0.95, guarantee=0.95, n_resamples=20)
    said = f"The largest mean precision here is {best:.2g} at a depth of"
    with pytest.warns(UserWarning, match=re.escape(said)):
        choice.from_predictions(y, score, groups=day)


def test_few_days_are_said():
    y, score, day = days(n_days=5)
    with pytest.warns(UserWarning, match="5 rankings are few: with 5, 95 % intervals"):
        ThresholdChoice(t=5).from_predictions(y, score, groups=day)


@pytest.mark.parametrize(
    ("model", "label", "score"),
    [
        (LogisticRegression(max_iter=10_000), "malignant", "decision_function"),
        (LogisticRegression(max_iter=10_000), "benign", "minus decision_function"),
        (GaussianNB(), "benign", "predict_proba of class benign"),
    ],
)
def test_the_score_is_named(model, label, score):
    X, y = load_breast_cancer(return_X_y=True)
    names = np.where(y == 0, "malignant", "benign")
    result = ThresholdChoice(t=150).from_estimator(
        model.fit(X, names), X, names, pos_label=label
    )
    assert result.score == result.to_dict()["score"] == score
    fixed = result.classifier(model).fit(X, names)
    assert (fixed.predict(X) == label).sum() == result.t


def test_the_score_of_one_class_of_three_and_of_a_regressor():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    result = ThresholdChoice(t=40).from_estimator(model, X, y, pos_label=2)
    assert result.score == "predict_proba of class 2"
    line = re.escape("`estimator.predict_proba(X)[:, 2] >= result.threshold`")
    with pytest.raises(ValueError, match=line):
        result.classifier(model)
    assert (model.predict_proba(X)[:, 2] >= result.threshold).sum() == 40
    ridge = Ridge().fit(X, y == 2)
    result = ThresholdChoice(t=40).from_estimator(ridge, X, y == 2)
    assert result.score == "predict"
    with pytest.raises(ValueError, match=re.escape("`estimator.predict(X) >= result")):
        result.classifier(ridge)


def test_all_targets_on_one_day_have_no_recall():
    y, day = np.arange(1200) < 30, np.repeat(np.arange(12), 100)
    choice = ThresholdChoice(t=20, benefit=10, cost=1)
    with pytest.warns(UndefinedMetricWarning, match="one of the rankings has all"):
        result = choice.from_predictions(y, -np.arange(1200), groups=day)
    assert np.isnan([result.recall, *result.confidence_interval("recall")]).all()
    assert "recall" not in str(result)


def days_with_amounts(seed=0, n_days=40):
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(n_days), 60)
    y = rng.random(day.size) < rng.uniform(0, 0.1, n_days)[day]
    score = np.round(rng.normal(1.5 * y), 1)
    return y, score, day, rng.lognormal(4, 1, day.size)


def test_equal_amounts_of_items_are_one_benefit():
    y, score, day, _ = days_with_amounts()
    one = ThresholdChoice(benefit=50, cost=5).from_predictions(y, score, groups=day)
    each = ThresholdChoice(benefit=np.full(y.size, 50), cost=5)
    found = each.from_predictions(y, score, groups=day)
    for name in ("t", "recall", "precision", "profit"):
        assert getattr(found, name) == pytest.approx(getattr(one, name))
        assert found.confidence_interval(name) == pytest.approx(
            one.confidence_interval(name)
        )
    assert "benefit of each item, cost 5" in str(found)


def test_amounts_go_with_their_items_and_choose_the_best_depth():
    # judged by the mean profit of all depths, day by day
    y, score, day, amounts = days_with_amounts()
    choice = ThresholdChoice(benefit=amounts, cost=8)
    found = choice.from_predictions(y, score, groups=day)
    profits = [
        expected_profit(y, score, benefit=amounts, cost=8, t=t, groups=day)
        for t in range(1, 61)
    ]
    assert found.t == 1 + np.argmax(profits)
    assert found.apparent_profit == pytest.approx(max(profits))
    order = np.random.default_rng(1).permutation(y.size)
    shuffled = ThresholdChoice(benefit=amounts[order], cost=8)
    again = shuffled.from_predictions(y[order], score[order], groups=day[order])
    assert again.to_dict() == pytest.approx(found.to_dict(), nan_ok=True)


@pytest.mark.parametrize("rule", [{"recall": 0.8}, {"precision": 0.15}, {"t": 12}])
def test_amounts_do_not_change_what_is_chosen_by_hits(rule):
    y, score, day, amounts = days_with_amounts()
    one = ThresholdChoice(**rule, benefit=50, cost=5)
    each = ThresholdChoice(**rule, benefit=amounts, cost=5)
    judge = one.from_predictions(y, score, groups=day)
    found = each.from_predictions(y, score, groups=day)
    for name in ("t", "recall", "precision"):
        assert getattr(found, name) == pytest.approx(getattr(judge, name))
        limits = judge.confidence_interval(name)
        assert found.confidence_interval(name) == pytest.approx(limits)
    t = int(found.t)
    profit = expected_profit(y, score, benefit=amounts, cost=5, t=t, groups=day)
    assert found.apparent_profit == pytest.approx(profit)


def test_amounts_that_are_refused():
    y, score, day, amounts = days_with_amounts()
    choice = ThresholdChoice(benefit=amounts, cost=8)
    with pytest.raises(ValueError, match="`benefit` must be a number if items"):
        choice.from_predictions(y, score, n_unlisted=3)
    with pytest.raises(ValueError, match="`benefit` must"):
        choice.from_predictions(y[:600], score[:600], groups=day[:600])
    for wrong in ([1, -1], [1, np.nan]):
        with pytest.raises(ValueError, match="`benefit` must be"):
            ThresholdChoice(benefit=wrong, cost=1)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:No threshold has a profit")
def test_the_interval_of_a_profit_by_amounts_holds():
    y, score, day, amounts = days_with_amounts(seed=99, n_days=4000)
    truth, held = {}, []
    for seed in range(runs(100)):
        *data, some = days_with_amounts(seed, n_days=12)
        asked = ThresholdChoice(benefit=some, cost=8, n_resamples=99)
        found = asked.from_predictions(data[0], data[1], groups=data[2])
        t = int(found.t)
        if t and t not in truth:
            truth[t] = expected_profit(
                y, score, benefit=amounts, cost=8, t=t, groups=day
            )
        low, high = found.confidence_interval("profit")
        held.append(low <= truth.get(t, 0.0) <= high)
    assert_share(held, 0.90, 1.0)


# What limits and promises rest on


@pytest.mark.parametrize(("n", "depth"), [(20, 5), (12, 1), (12, 11)])
def test_limits_of_the_threshold_at_a_depth_are_those_of_its_place(n, depth):
    """Judge: the chances of the place of another sample's item, in fractions.

    So many of these items are above the item at that depth of as many others.
    """
    ways = [
        math.comb(depth - 1 + j, j) * math.comb(2 * n - depth - j, n - j)
        for j in range(n + 1)
    ]
    below = np.cumsum([float(Fraction(one, math.comb(2 * n, n))) for one in ways])
    assert below[-1] == pytest.approx(1)
    score = -np.arange(float(n))
    choice = ThresholdChoice(t=depth, n_resamples=400_000)
    result = choice.from_predictions(np.arange(n) % 4 == 0, score)
    edges = np.concatenate([[math.inf], score, [-math.inf]])
    for outside in (0.4, 0.25, 0.1, 0.05, 0.02):
        ends = [np.searchsorted(below, one) for one in (outside, 1 - outside)]
        if np.abs(np.subtract.outer(below, [outside, 1 - outside])).min() > 0.003:
            found = result.confidence_interval("threshold", 1 - 2 * outside)
            assert found == (edges[ends[1] + 1], edges[ends[0]])


@pytest.mark.parametrize("m", [6, 15])
def test_a_target_of_others_may_be_below_all_of_these(m):
    """Judge: the targets of another sample that reach the last ones, beta-binomial."""
    y = np.zeros(200, dtype=bool)
    y[: 3 * m : 3] = True
    choice = ThresholdChoice(recall=0.8, n_resamples=20_000)
    result = choice.from_predictions(y, -np.arange(200.0))
    spared = m - math.ceil(0.8 * m)
    # the limit is below all if that many others are at the last target or below it,
    # which have the weight of one target and a half
    chance = betabinom.sf(spared, m, 1.5, m - 1)
    for outside, is_below in ((chance - 0.015, True), (chance + 0.015, False)):
        low, _ = result.confidence_interval("threshold", 1 - 2 * outside)
        assert (low == -math.inf) == is_below


@pytest.mark.parametrize(("n", "share"), [(3000, 0.1), (1000, 0.5)])
def test_limits_of_t_are_those_of_the_items_above_in_another_sample(n, share):
    """Judge: the variances of binomial numbers, of these data and of the others."""
    y = np.arange(n) < share * n
    score = np.random.default_rng(0).normal(1.5 * y)
    t, m = n // 5, y.sum()
    choice = ThresholdChoice(t=t, n_resamples=40_000)
    result = choice.from_predictions(y, score)
    hits = np.count_nonzero(y[np.argsort(-score)[:t]])
    variance = hits * (1 - hits / m) + (t - hits) * (1 - (t - hits) / (n - m))
    for level in (0.8, 0.95):
        z = norm.isf((1 - level) / 2)
        half = z * math.sqrt(variance + t * (1 - t / n))
        low, high = result.confidence_interval("t", level)
        assert_allclose([t - low, high - t], half, rtol=0.1)
        # with the prior of Jeffreys
        posterior = beta(hits + 0.5, m - hits + 0.5)
        limits = result.confidence_interval("recall", level)
        assert_allclose(limits, posterior.interval(level), rtol=0.01)
    # the logarithm of hits / others varies as both do
    error = math.sqrt((1 - hits / m) / hits + (1 - (t - hits) / (n - m)) / (t - hits))
    low, high = logit(result.confidence_interval("precision"))
    at = logit(hits / t)
    assert_allclose([at - low, high - at], norm.isf(0.025) * error, rtol=0.1)


def test_limits_of_a_recall_of_all_targets():
    """Judge: the limit of Clopper and Pearson, which is 1 on the other side."""
    y = np.arange(200) < 12
    result = ThresholdChoice(t=50, n_resamples=40_000).from_predictions(
        y, -np.arange(200.0)
    )
    low, high = result.confidence_interval("recall")
    assert (low, high) == (pytest.approx(beta.ppf(0.025, 12, 1), rel=0.01), 1)
    low, high = result.confidence_interval("precision")
    assert low < 12 / 50 < high < 0.4


def test_limits_are_wider_for_the_models_of_folds():
    """A model of all items has other scores than those of the folds."""
    y, score = columns()
    choice = ThresholdChoice(t=100, n_resamples=20_000)
    alone, folds = (
        choice.from_predictions(y, score, folds=folds)
        for folds in (None, np.arange(y.size) % 5)
    )
    for name in ("t", "recall", "precision"):
        (low, high), limits = (one.confidence_interval(name) for one in (folds, alone))
        assert low < limits.low < limits.high < high


@pytest.mark.parametrize(("m", "shift", "seed"), [(8, 1.0, 0), (30, 0.7, 1)])
def test_limits_of_a_choice_are_of_here_and_elsewhere(m, shift, seed):
    """Judge: other draws by the prior of Jeffreys, of what is further apart."""
    rng, n = np.random.default_rng(seed), 500
    y = np.arange(n) < m
    choice = ThresholdChoice(benefit=30, cost=2, n_resamples=40_000)
    result = choice.from_predictions(y, rng.normal(shift * y))
    here = result.apparent_recall * m
    hits = sorted([result.recall * m, here])
    others = sorted([result.recall * m * (1 / result.precision - 1), result.t - here])
    assert hits[1] - hits[0] > 2
    assert others[1] - others[0] > 2
    (few, many), (less, more) = (
        [size * rng.beta(one + 0.5, size - one + 0.5, 40_000) for one in ends]
        for size, ends in ((m, hits), (n - m, others))
    )
    pairs = {
        "t": [rng.binomial(n, one / n) for one in (few + less, many + more)],
        "recall": [few / m, many / m],
        "precision": [few / (few + more), many / (many + less)],
    }
    for name, (lows, highs) in pairs.items():
        limits = np.quantile(lows, 0.025), np.quantile(highs, 0.975)
        found = result.confidence_interval(name)
        assert_allclose(found, limits, rtol=0.02, atol=name == "t")


def by_days(seed=0, n_days=40, per_day=30):
    """Days with few or many targets, one of them without, and hits at each depth."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(n_days), per_day)
    y = rng.random(day.size) < np.where(day % 3, 0.3, 0.15)
    y[day == 3] = False
    score = rng.normal(2 * y)
    first = [y[day == one][np.argsort(-score[day == one])] for one in range(n_days)]
    return y, score, day, np.pad(np.cumsum(first, axis=1), ((0, 0), (1, 0)))


def bentkus(total, n, mean):
    """Bound of the probability of such a sum of values from 0 to 1."""
    k = np.arange(n + 1)
    chance = binom.pmf(k, n, mean)
    bounds = [
        (np.maximum(k - h, 0) * chance).sum() / (total - h)
        for h in range(n)
        if h < total
    ]
    return min(bounds)


def test_promised_mean_precision_of_days():
    """Judge: tests by the bound of Bentkus, down from two depths until one fails."""
    y, score, day, hits = by_days()
    means = hits[:, 1:] / np.arange(1, 31)
    for precision in (0.3, 0.45, 0.6):
        deepest = 0
        for start in (1, round(math.sqrt(30))):
            for t in range(start, 31):
                if bentkus(means[:, t - 1].sum(), 40, precision) > 0.05 / 2:
                    break
                deepest = max(deepest, t)
        choice = ThresholdChoice(precision=precision, guarantee=0.95, n_resamples=200)
        result = choice.from_predictions(y, score, groups=day)
        assert result.t == deepest > 0
        total = means[:, deepest - 1].sum()
        assert result.apparent_precision == pytest.approx(total / 40)
        assert result.precision == pytest.approx(total / 40, abs=0.05)
        assert result.confidence_interval("precision") == (precision, 1)
        for level in (0.9995, 0.99999):
            low, high = result.confidence_interval("precision", level)
            assert (low < precision, high) == (True, 1)
            assert bentkus(total, 40, low) == pytest.approx((1 - level) / 2)


def test_what_can_be_promised_of_a_mean_precision():
    """The promised mean and the needed days pass the tests by the bound of Bentkus."""
    y, score, day, hits = by_days(n_days=8)
    means = hits[:, 1:] / np.arange(1, 31)
    choice = ThresholdChoice(precision=0.6, guarantee=0.95, n_resamples=20)
    with (
        pytest.warns(UserWarning, match="8 rankings are few"),
        pytest.warns(UserWarning, match="cannot be guaranteed") as said,
    ):
        assert choice.from_predictions(y, score, groups=day).t == 0
    text = " ".join(str(one.message) for one in said)
    promised, depth = re.search(
        r"a mean precision of ([\d.]+) can be guaranteed for a depth of (\d+)", text
    ).groups()
    totals = means.sum(axis=0)
    total = totals[int(depth) - 1]
    within = [bentkus(total, 8, float(promised) + one) for one in (-0.005, 0.005)]
    assert within[0] <= 0.025 <= within[1]
    needed, best, at = re.search(
        r"needs about (\d+) days, .*largest .*\(([\d.]+) at a depth of (\d+)\)", text
    ).groups()
    assert totals[int(at) - 1] == totals.max()
    assert float(best) == pytest.approx(totals.max() / 8, abs=0.005)
    share, needed = totals.max() / 8, int(needed)
    assert bentkus(share * needed, needed, 0.6) <= 0.025
    fewer = int(0.85 * needed)
    assert bentkus(share * fewer, fewer, 0.6) > 0.025


@pytest.mark.parametrize("rule", [{"recall": 0.7}, {"precision": 0.4}])
def test_limits_of_the_depth_of_days_are_those_of_other_days(rule):
    """Judge: the choice by going through all depths, for days that are drawn."""
    y, score, day, hits = by_days(n_days=25)
    rng, drawn = np.random.default_rng(1), []
    for share in rng.dirichlet(np.ones(25), 4000):
        found = rng.multinomial(25, share) @ hits
        if "recall" in rule:
            drawn.append(np.flatnonzero(found >= 0.7 * found[-1])[0])
        else:
            good = np.flatnonzero(found >= 0.4 * 25 * np.arange(31))
            drawn.append(good[np.argmax(found[good])])
    result = ThresholdChoice(**rule, n_resamples=4000).from_predictions(
        y, score, groups=day
    )
    limits = np.quantile(drawn, [0.025, 0.975])
    mirrored = (2 * math.sqrt(result.t) - np.sqrt(limits[::-1])) ** 2
    low, high = result.confidence_interval("t")
    assert low == pytest.approx(min(limits[0], mirrored[0]), abs=0.51)
    assert high == pytest.approx(max(limits[1], mirrored[1]), abs=0.51)


@pytest.mark.parametrize("share", ["depth", "threshold"])
@pytest.mark.parametrize("found", [True, False])
def test_days_that_agree_do_not_make_a_share_certain(share, found):
    """The judge is the interval of Clopper and Pearson of as many days, by SciPy.

    Each of 30 days has one target, the first of all items or the last of all.
    """
    day, y = np.repeat(np.arange(30), 20), np.tile(np.arange(20) == 0, 30)
    score = np.where(y, 1.0, 0.0) * (1 if found else -1)
    score = score + np.linspace(0, 0.5, y.size)
    choice = ThresholdChoice(t=2, benefit=100, cost=1, groups_share=share)
    result = choice.from_predictions(y, score, groups=day)
    assert result.recall == float(found)
    exact = binomtest(30 * found, 30).proportion_ci(0.95, method="exact")
    low, high = result.confidence_interval("recall")
    assert (low, high) == pytest.approx((exact.low, exact.high))
    low, high = result.confidence_interval("profit")
    of_recall = 100 * exact.low - 2, 100 * exact.high - 2
    if share == "depth":
        assert (low, high) == pytest.approx(of_recall)
    else:  # a threshold without a fold may be another one
        assert low <= of_recall[0] + 1e-9
        assert high >= of_recall[1] - 1e-9
    low, high = result.confidence_interval("precision")
    assert high - low > 0.03  # other days may have more or fewer targets
