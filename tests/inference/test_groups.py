"""Tests, intervals, comparisons and searches over several rankings.

Judges: all placements within small groups, scipy's t test, a loop that draws, and the
same question asked of the items that are left when folds are made by hand.
"""

import itertools
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from scipy.stats import nct, poisson, sem, t
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB

from cases import assert_share, runs
from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    Rankings,
    SearchSelectionTest,
    make_metric,
    make_metric_scorer,
)

NAMES = (
    "precision@3",
    "precision@5",
    "recall@5",
    "average_precision",
    "average_precision@5",
    "average_precision@5(normalize=hits)",
    "enrichment_factor@5",
    "r_precision",
    "reciprocal_rank",
    "bedroc(alpha=20)",
)
TIES = ("expected", "together", "optimistic", "pessimistic")
rng = np.random.default_rng(0)
X = rng.normal(size=(900, 4))
Y = (rng.random(900) < 1 / (1 + np.exp(3 - 2 * X[:, 0]))).astype(int)
DAY = np.repeat(np.arange(18), 50)


def placements(metric, y, s, groups):
    """Sums over the groups, for all placements of targets in each; who counts."""
    totals, n_groups, observed = np.zeros(1), 0, 0.0
    for one in np.unique(groups):
        own, m = np.flatnonzero(groups == one), int(y[groups == one].sum())
        values = []
        for places in itertools.combinations(range(own.size), m):
            labels = np.isin(np.arange(own.size), places).astype(int)
            values.append(value_in_a_group(metric, labels, s[own]))
        if values[0] != -1:
            totals = np.add.outer(totals, values).ravel()
            value = value_in_a_group(metric, y[own], s[own])
            observed, n_groups = observed + value, n_groups + 1
    return observed / n_groups, totals / n_groups


def value_in_a_group(metric, y, s):
    """The value of a group that may be undefined, -1, or shorter than the cutoff."""
    other = metric([0, 1], [0.0, 1.0], groups=[1, 1])
    pair = np.append(y, [0, 1]), np.append(s, [0.0, 1.0])
    groups = np.append(np.zeros(len(y)), [1, 1])
    return 2 * metric(*pair, groups=groups, undefined=-1.0) - other


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", NAMES)
def test_the_null_of_groups_of_any_size(name, ties, seed):
    # groups shorter than the cutoff, without targets, and of targets alone
    rng = np.random.default_rng(seed)
    groups = np.repeat([0, 1, 2, 3, 4], [3, 4, 7, 6, 2])
    y = (rng.random(22) < 0.3).astype(int)
    y[groups == 0], y[groups == 4] = 0, int(seed == 1)
    s = rng.integers(0, 4, 22) + 0.5 if seed else rng.random(22)
    metric = make_metric(name, ties)
    statistic, null = placements(metric, y, s, groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        result = RandomSelectionTest(metric).from_predictions(y, s, groups=groups)
    pvalue = np.mean(null >= statistic - 1e-9)
    found = result.value, result.pvalue, result.null_mean, result.null_std
    expected = statistic, pvalue, null.mean(), null.std()
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_days_without_targets_count_in_precision_everywhere():
    y = np.where(np.isin(DAY, (3, 4)), 0, Y)
    s, other = X[:, 0], X[:, 0] + X[:, 1]
    value = make_metric("precision@5")(y, s, groups=DAY)
    a = RandomSelectionTest("precision@5").from_predictions(y, s, groups=DAY)
    b = MetricInterval("precision@5").from_predictions(y, s, groups=DAY)
    c = RankingComparison("precision@5").from_predictions(
        y, {"A": s, "B": other}, groups=DAY
    )
    found = a.value, b.value, c.value_a
    assert_allclose(found, value, rtol=1e-12)
    assert len(a.parts) == b.n_rankings == c.n_rankings == 18
    with pytest.warns(UndefinedMetricWarning, match="2 of 18 groups"):
        left = MetricInterval().from_predictions(y, s, groups=DAY)
    assert left.n_rankings == 16


# Intervals


def test_an_interval_by_t_is_that_of_scipy():
    result = MetricInterval("recall@10").from_predictions(Y, X[:, 0], groups=DAY)
    metric = make_metric("recall@10")
    values = [metric(Y[own], X[own, 0]) for own in (day == DAY for day in range(18))]
    assert result.method == "t"
    assert_allclose(result.values, values, rtol=1e-12)
    assert list(result.to_frame()["ranking"]) == list(range(18))
    assert result.standard_error == pytest.approx(sem(values))
    # on the scale of the logit, by the delta method
    mean, error = np.mean(values), sem(values)
    half = t.isf(0.05, 17) * error / (mean * (1 - mean))
    by_logit = expit([logit(mean) - half, logit(mean) + half])
    assert_allclose(result.confidence_interval(0.9), by_logit, rtol=1e-9)


@pytest.mark.parametrize("n_days", [5, 30])
def test_coverage_where_days_differ_in_their_numbers_of_targets(n_days):
    """Judge: all targets are found; precision at 10 is min(m, 10) / 10, m Poisson."""
    rng, truth = (
        np.random.default_rng(0),
        poisson(2).expect(lambda m: np.minimum(m, 10)),
    )
    day, places = np.repeat(np.arange(n_days), 40), np.tile(np.arange(40), n_days)
    covered = 0
    for _ in range(200):
        y = places < np.repeat(rng.poisson(2, n_days), 40)
        interval = MetricInterval("precision@10").from_predictions(
            y, -places, groups=day
        )
        low, high = interval.confidence_interval()
        covered += low <= truth / 10 <= high
    assert covered >= 0.9 * 200


@pytest.mark.parametrize("name", ["precision@10", "average_precision"])
def test_a_bootstrap_of_equal_scores_or_of_one_day(name):
    bootstrap = MetricInterval(name, method="bootstrap", n_resamples=99, random_state=0)
    y = np.tile([1, 0, 0, 0], 90)
    same = bootstrap.from_predictions(y, 0 * y, groups=np.arange(360) % 36 // 4)
    assert same.standard_error == 0
    one = bootstrap.from_predictions(Y, X[:, 0], groups=0 * DAY)
    assert math.isnan(one.standard_error)
    with pytest.warns(UndefinedMetricWarning, match="is undefined by bootstrap"):
        assert np.isnan(one.confidence_interval()).all()


def test_group_splitters_need_their_groups():
    given = {"X": X, "y": Y, "cv": GroupKFold(3)}
    for test in (MetricInterval(), RandomSelectionTest()):
        with pytest.raises(ValueError, match="`cv_groups` must be the groups of the s"):
            test.from_cv(LogisticRegression(), **given)


def test_the_bootstrap_draws_days_and_then_items():
    y, s, day = Y[:250], X[:250, 0], DAY[:250]
    bootstrap = MetricInterval(
        "average_precision", method="bootstrap", n_resamples=3000, random_state=0
    )
    result = bootstrap.from_predictions(y, s, groups=day)
    rng, metric, means = np.random.default_rng(1), make_metric("average_precision"), []
    for _ in range(1500):
        parts = []
        for one in rng.integers(5, size=5):
            own = day == one
            items = [
                rng.choice(np.flatnonzero(own & (y == c)), np.sum(own & (y == c)))
                for c in (0, 1)
            ]
            items = np.concatenate(items)
            parts.append((y[items], s[items]))
        labels, scores = map(np.concatenate, zip(*parts, strict=True))
        means.append(metric(labels, scores, groups=np.repeat(np.arange(5), 50)))
    # 1500 and 3000 draws: 2.2 % standard error, here four of them
    assert result.standard_error == pytest.approx(np.std(means), rel=0.09)
    again = bootstrap.from_predictions(y, s, groups=day)
    assert again.standard_error == result.standard_error


def test_methods_are_those_of_one_ranking_or_of_several():
    with pytest.raises(ValueError, match="one of 'auto', 't', 'bootstrap' for several"):
        MetricInterval(method="jackknife").from_predictions(Y, X[:, 0], groups=DAY)
    with pytest.raises(ValueError, match="for one data set, wit.*; got 't'"):
        MetricInterval(method="t").from_predictions(Y, X[:, 0])


def test_days_without_targets_have_one_value_in_the_bootstrap():
    y = np.where(DAY == 3, 0, Y)
    interval = MetricInterval(
        "precision@5", method="bootstrap", n_resamples=200, random_state=0
    )
    result = interval.from_predictions(y, X[:, 0], groups=DAY)
    assert result.n_rankings == 18
    assert 0 < result.standard_error < 0.1


# Comparisons


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_sample_size_has_the_power(alternative):
    comparison = RankingComparison("precision@5", alternative=alternative)
    result = comparison.from_predictions(
        Y, {"A": X[:, 0] + 0.4 * X[:, 1], "B": X[:, 0] + 0.8 * X[:, 2]}, groups=DAY
    )
    differences = np.subtract(result.values_a, result.values_b)
    effect = abs(result.difference) / differences.std(ddof=1)
    tail = 0.025 if alternative == "two-sided" else 0.05

    def power(n):  # of the t test, by the noncentral t distribution
        return nct.sf(t.isf(tail, n - 1), n - 1, effect * math.sqrt(n))

    found = abs(result.difference)
    n = result.sample_size(0.8, difference=found)
    assert n == round(n) > 2
    assert power(1.03 * n) > 0.8 > power(0.97 * n - 1)
    more = result.sample_size(0.9, difference=found)
    assert more > n > result.sample_size(0.8, 0.1, difference=found)
    # two thirds of a difference need about 9 / 4 of the days
    less = result.sample_size(difference=2 / 3 * found)
    assert less == pytest.approx(9 / 4 * n, rel=0.1)


@pytest.mark.parametrize("found_by_b", [1, 2, 3])
def test_sample_size_of_a_large_effect_has_the_power(found_by_b):
    """A few sets are enough, where the noncentral t is far from the normal."""
    day, y = np.repeat(np.arange(3), 40), np.tile(np.arange(40) < 10, 3)
    b = np.where(y, -1.0, 0.0)
    b[80 : 80 + found_by_b] = 1.0
    result = RankingComparison("recall@10").from_predictions(
        y, {"A": 1.0 * y, "B": b}, groups=day
    )
    differences = np.array([1, 1, 1 - found_by_b / 10])
    assert result.difference == pytest.approx(differences.mean())
    effect = differences.mean() / differences.std(ddof=1)
    for wanted, level in [(0.5, 1e-4), (0.8, 0.05), (0.9, 1e-3), (0.999, 0.01)]:
        n = result.sample_size(wanted, level, difference=result.difference)

        def power(n, level=level):  # of the t test, by the noncentral t distribution
            freedom = max(n - 1, 1)
            return nct.sf(t.isf(level / 2, freedom), freedom, effect * math.sqrt(n))

        assert power(n) > wanted - 1e-6
        assert n == 1 or power(n - 1) < wanted


def test_sample_size_of_one_data_set_counts_targets():
    comparison = RankingComparison()
    result = comparison.from_predictions(
        Y, {"A": X[:, 0] + X[:, 1], "B": X[:, 0] + 1.1 * X[:, 2]}
    )
    # Lehr (1992): 16 s**2 / d**2 for two samples, so 8 for one of differences
    share = (result.standard_error / result.difference) ** 2
    n = result.sample_size(difference=abs(result.difference))
    assert n == pytest.approx(7.849 * share * result.n_targets, abs=1)
    with pytest.raises(ValueError, match="`power` must be a number between 0 and 1"):
        result.sample_size(power=1)


def test_sample_size_that_there_is_none_of():
    comparison = RankingComparison("recall@1")
    same = comparison.from_predictions(Y, {"A": X[:, 0], "B": X[:, 0]})
    assert math.isnan(same.sample_size())
    folds = RankingComparison().from_cv(
        {"A": LogisticRegression(), "B": GaussianNB()}, X, Y
    )
    assert math.isnan(folds.sample_size())
    # A finds the target first on the one day, B on the other
    y, a, b = [1, 0, 0, 1], [2.0, 1, 2, 1], [1.0, 2, 1, 2]
    even = comparison.from_predictions(y, {"A": a, "B": b}, groups=[0, 0, 1, 1])
    with pytest.warns(UndefinedMetricWarning, match=r"not significant \(p 1\)"):
        assert math.isnan(even.sample_size())
    assert even.sample_size(difference=0.5) > 2
    with pytest.raises(ValueError, match="`difference` must be a finite number"):
        even.sample_size(difference=0)


@pytest.mark.nightly
def test_sample_size_of_a_stated_difference_is_that_of_the_population():
    """The observed one is not asked; 70 targets have the power .8 (simulated)."""
    rng = np.random.default_rng(0)
    y = np.arange(600) < 30
    results = []
    for _ in range(runs(60)):
        z = 0.6 * rng.normal(size=600)
        a, b = (z + 0.8 * rng.normal(size=600) + x * y for x in (2.0, 1.5))
        result = RankingComparison(method="jackknife").from_predictions(
            y, {"A": a, "B": b}
        )
        results.append(result)
    truth = np.mean([one.difference for one in results])
    needed = [one.sample_size(difference=truth) for one in results]
    assert 70 / 1.5 < np.median(needed) < 70 * 1.5


# Cross-validation


def held_out(model, cv, groups=None):
    s, fold = np.zeros(Y.size), np.zeros(Y.size, dtype=int)
    for i, (train, test) in enumerate(cv.split(X, Y, groups)):
        fitted = model.fit(X[train], Y[train])
        s[test], fold[test] = fitted.decision_function(X[test]), i
    return s, fold


@pytest.mark.parametrize("name", ["precision@5", "recall@5"])
def test_folds_of_whole_days(name):
    cv, model = GroupKFold(3), LogisticRegression()
    s, fold = held_out(model, cv, DAY)
    given = {"cv": cv, "cv_groups": DAY, "groups": DAY}
    test = RandomSelectionTest(name, independent=True)
    result = test.from_cv(model, X, Y, **given)
    by_hand = test.from_predictions(Y, s, groups=DAY)
    # the labels are in the order of the folds
    assert sorted(result.labels) == list(by_hand.labels)
    assert result.value == pytest.approx(by_hand.value, rel=1e-12)
    assert result.log10_pvalue == pytest.approx(by_hand.log10_pvalue, rel=1e-6)
    metric = make_metric(name)
    values = [
        metric(Y[fold == i], s[fold == i], groups=DAY[fold == i]) for i in range(3)
    ]
    interval = MetricInterval(name).from_cv(model, X, Y, **given)
    assert_allclose(interval.values, values, rtol=1e-12)
    assert interval.labels == (0, 1, 2)
    # Nadeau and Bengio (2003), one item held out for two that are fitted to
    error = math.sqrt((1 / 3 + 1 / 2) * np.var(values, ddof=1))
    assert interval.standard_error == pytest.approx(error, rel=1e-9)
    comparison = RankingComparison(name).from_cv(
        {"A": model, "B": GaussianNB()}, X, Y, **given
    )
    assert_allclose(comparison.values_a, values, rtol=1e-12)


def test_days_that_are_in_several_folds():
    cv, model = StratifiedKFold(3, shuffle=True, random_state=0), LogisticRegression()
    s, fold = held_out(model, cv)
    test = RandomSelectionTest("precision@5")
    with pytest.warns(UserWarning, match="^18 of 18 groups are split between folds, s"):
        result = test.from_cv(model, X, Y, cv=cv, groups=DAY)
    pairs = [(i, day) for i in range(3) for day in range(18)]
    assert list(result.labels) == pairs
    values = [
        Y[own][np.argsort(-s[own])[:5]].sum() / 5
        for own in ((fold == i) & (day == DAY) for i, day in pairs)
    ]
    assert result.value == pytest.approx(np.mean(values))
    assert result.n_samples == 900


@pytest.mark.parametrize(
    "cv", [None, 5, np.int64(3), GroupKFold(4), GroupShuffleSplit(3)]
)
def test_days_are_held_out_whole(cv):
    # judged by the definition of a group splitter: no day has items in both parts
    model = LogisticRegression()
    rankings = Rankings.from_cv(model, X, Y, cv=cv, groups=DAY)
    assert all(
        (DAY[one] == day).all() and one.size == 50
        for one, day in zip(
            rankings.items,
            np.array(
                [one[1] if isinstance(one, tuple) else one for one in rankings.labels]
            ),
            strict=True,
        )
    )
    patient = np.arange(900) % 90
    apart = Rankings.from_cv(model, X, Y, cv=5, cv_groups=patient)
    held = [set(patient[one]) for one in apart.items]
    assert sum(map(len, held)) == 90 == len(set.union(*held))


def test_too_few_days_for_the_folds():
    with pytest.raises(
        ValueError, match="`cv` must be at most .* 5 folds for 3 groups"
    ):
        MetricInterval().from_cv(LogisticRegression(), X, Y, groups=DAY % 3)


# Searches


@pytest.mark.parametrize("name", ["precision@2", "precision@4", "average_precision"])
def test_a_search_over_groups_by_all_placements(name):
    rng = np.random.default_rng(3)
    groups, y = np.repeat([0, 1, 2], [5, 6, 3]), np.zeros(14, dtype=int)
    y[[0, 3, 6]] = 1
    scores = {"a": rng.normal(y), "b": rng.integers(0, 3, 14) + 0.5, "c": rng.normal(y)}
    metric, drawn = make_metric(name), []

    def values(labels):
        return [metric(labels, s, groups=groups) for s in scores.values()]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for pair in itertools.combinations(range(5), 2):
            for one in range(5, 11):
                labels = np.isin(np.arange(14), [*pair, one]).astype(int)
                drawn.append(values(labels))
        observed = np.array(values(y))
        test = SearchSelectionTest(metric, n_resamples=4999, random_state=0)
        result = test.from_predictions(y, scores, groups=groups)
    drawn = np.array(drawn)
    mean, std = drawn.mean(axis=0), drawn.std(axis=0)
    assert_allclose(result.values, observed)
    assert_allclose(result.null_means, mean)
    assert_allclose(result.null_stds, std)
    largest = ((drawn - mean) / std).max(axis=1)
    expected = [np.mean(largest >= z - 1e-9) for z in (observed - mean) / std]
    assert_allclose(result.adjusted_pvalues, expected, atol=0.03)


def test_a_search_by_day():
    scoring = make_metric_scorer("precision@5")
    cv, grid = GroupKFold(3), {"C": [0.001, 1.0]}
    search = GridSearchCV(LogisticRegression(), grid, scoring=scoring, cv=cv)
    search.fit(X, Y, groups=DAY)
    test = SearchSelectionTest("precision@5", n_resamples=99, random_state=0)
    given = {"cv_groups": DAY, "groups": DAY}
    with pytest.warns(UserWarning, match="chose its winner by other values"):
        result = test.from_search(search, X, Y, **given)
    for model, value in zip(grid["C"], result.values, strict=True):
        s, _ = held_out(LogisticRegression(C=model), cv, DAY)
        assert value == pytest.approx(make_metric("precision@5")(Y, s, groups=DAY))
    models = [LogisticRegression(C=c) for c in grid["C"]]
    again = test.from_cv(models, X, Y, cv=cv, **given)
    assert_allclose(again.values, result.values)
    assert again.n_rankings == 18


# Weights

AMOUNT = np.random.default_rng(5).lognormal(3.0, 1.0, 900).round(2)


def test_an_interval_of_the_share_of_value_draws_items_with_their_amounts():
    interval = MetricInterval("recall@0.1", n_resamples=1500, random_state=0)
    result = interval.from_predictions(Y, X[:, 0], sample_weight=AMOUNT)
    metric, rng = make_metric("recall@0.1"), np.random.default_rng(1)
    value = metric(Y, X[:, 0], sample_weight=AMOUNT)
    assert result.value == pytest.approx(value)
    assert result.method == "bootstrap"
    classes = [np.flatnonzero(one == Y) for one in (0, 1)]
    draws = []
    for _ in range(1500):
        drawn = np.concatenate([rng.choice(one, one.size) for one in classes])
        draws.append(metric(Y[drawn], X[drawn, 0], sample_weight=AMOUNT[drawn]))
    # 1500 draws each: 2.6 % standard error of the ratio, here four of them
    assert result.standard_error == pytest.approx(np.std(draws), rel=0.11)
    low, high = result.confidence_interval()
    assert 0 < low < value < high < 1
    assert (result.n_samples, result.n_targets) == (900, Y.sum())


@pytest.mark.filterwarnings("ignore:The weights are so unequal")
@pytest.mark.nightly
@pytest.mark.parametrize("name", ["recall@0.05", "average_precision"])
def test_coverage_of_few_targets_whose_amounts_grow_with_their_scores(name):
    """Judge: the mean of the metric over other samples."""
    rng, metric, y = np.random.default_rng(0), make_metric(name), np.arange(600) < 12

    def draw():
        amount = np.exp(0.9 * rng.normal(size=600))
        score = rng.standard_t(4, 600) + y * (2.2 + 0.6 * np.log(amount))
        return score, {"sample_weight": amount}

    truth = np.mean(
        [metric(y, score, **given) for score, given in (draw() for _ in range(20_000))]
    )
    interval, covered = MetricInterval(name, n_resamples=199, random_state=0), []
    for score, given in (draw() for _ in range(runs(120))):
        low, high = interval.from_predictions(y, score, **given).confidence_interval()
        covered.append(low <= truth <= high)
    assert_share(covered, 0.95)


def test_an_interval_of_weights_is_that_of_students_t():
    interval = MetricInterval("average_precision", n_resamples=300, random_state=0)
    result = interval.from_predictions(Y, X[:, 0], sample_weight=AMOUNT)
    of_targets, mean = AMOUNT[Y == 1], result.value
    effective = of_targets.sum() ** 2 / (of_targets**2).sum()
    half = t.isf(0.05, effective - 1) * result.standard_error / (mean * (1 - mean))
    limits = expit([logit(mean) - half, logit(mean) + half])
    assert_allclose(result.confidence_interval(0.9), limits, rtol=1e-9)


def test_limits_of_a_weighted_metric_without_a_largest_value():
    """Judge: recall at t / n items, of which enrichment is a multiple for given t."""
    weight = np.linspace(1, 2, 200)
    y = np.arange(200) % 9 == 0
    given = {"sample_weight": weight}
    score = np.random.default_rng(0).normal(1.0 * y)
    enrichment, recall = (
        MetricInterval(f"{name}@0.1", n_resamples=99, random_state=0)
        .from_predictions(y, score, **given)
        .confidence_interval()
        for name in ("enrichment_factor", "recall")
    )
    # recall has another largest value, so that limits are nearly in proportion
    assert_allclose(enrichment, 10 * np.array(recall), rtol=0.5)


@pytest.mark.filterwarnings("ignore:The weights are so unequal")
def test_limits_of_weighted_targets_that_are_all_found():
    y, weight = np.arange(200) < 8, np.linspace(1, 3, 200)
    interval = MetricInterval("recall@0.5", n_resamples=99, random_state=0)
    low, high = interval.from_predictions(
        y, -np.arange(200), sample_weight=weight
    ).confidence_interval()
    assert 0.7 < low < high == 1
    whole = MetricInterval("recall@1.0", n_resamples=99, random_state=0)
    certain = whole.from_predictions(y, -np.arange(200), sample_weight=weight)
    assert certain.confidence_interval() == (1, 1)


@pytest.mark.filterwarnings("ignore:.*must contain two targets and two non-targets")
def test_no_limits_from_one_target_with_a_weight():
    y, weight = np.arange(50) < 3, np.where(np.arange(50) % 50 < 2, 0.0, 2.0)
    interval = MetricInterval("average_precision", n_resamples=99, random_state=0)
    with pytest.warns(UndefinedMetricWarning, match="got 1 and 47"):
        result = interval.from_predictions(y, -np.arange(50), sample_weight=weight)
    assert math.isnan(result.standard_error)


def test_weighted_values_of_days():
    interval = MetricInterval("recall@0.1")
    given = {"sample_weight": AMOUNT, "groups": DAY}
    result = interval.from_predictions(Y, X[:, 0], **given)
    metric = make_metric("recall@0.1")
    values = [
        metric(Y[own], X[own, 0], sample_weight=AMOUNT[own])
        for own in (day == DAY for day in range(18))
    ]
    assert result.method == "t"
    assert_allclose(result.values, values)
    assert result.labels == tuple(range(18))
    assert result.standard_error == pytest.approx(sem(values))
    y = np.where(DAY == 2, 0, Y)
    with pytest.warns(UndefinedMetricWarning, match="1 of 18 groups"):
        left = interval.from_predictions(y, X[:, 0], **given)
    assert left.n_rankings == 17
    assert 2 not in left.labels


def test_weights_of_one_class_or_of_another_method():
    given = {"sample_weight": AMOUNT}
    with pytest.raises(ValueError, match="be one of 'auto', 'bootstrap' for weighted "):
        MetricInterval(method="jackknife").from_predictions(Y, X[:, 0], **given)
    with pytest.raises(ValueError, match="'t' for weighted items in several data"):
        MetricInterval(method="bootstrap").from_predictions(
            Y, X[:, 0], groups=DAY, **given
        )
    with pytest.raises(ValueError, match="must contain targets and non-targets"):
        MetricInterval().from_predictions(0 * Y, X[:, 0], **given)


@pytest.mark.parametrize("name", ["average_precision", "recall@10%", "precision@5"])
def test_weights_of_zero_for_a_whole_class(name):
    interval = MetricInterval(name)
    for weight in (Y, 1 - Y):
        for groups in (None, DAY):
            with pytest.raises(ValueError, match="contain targets and non-targets"):
                interval.from_predictions(
                    Y, X[:, 0], sample_weight=weight, groups=groups
                )


@pytest.mark.parametrize("groups", [None, DAY])
def test_weights_of_one_are_no_weights(groups):
    interval = MetricInterval("precision@5")
    plain = interval.from_predictions(Y, X[:, 0], groups=groups)
    weighted = interval.from_predictions(
        Y, X[:, 0], groups=groups, sample_weight=np.ones(Y.size)
    )
    assert plain.method == weighted.method
    assert plain.confidence_interval() == weighted.confidence_interval()


@pytest.mark.parametrize("name", ["precision@20", "recall@20"])
def test_days_of_which_all_items_count(name):
    # 20 items and 3 targets each: the value does not vary
    y, groups = np.tile(np.arange(20) < 3, 4), np.repeat(np.arange(4), 20)
    result = MetricInterval(name).from_predictions(y, np.arange(80), groups=groups)
    assert result.value == (1 if name == "recall@20" else pytest.approx(0.15))
    assert result.standard_error == 0
    assert result.confidence_interval() == (result.value, result.value)


@pytest.mark.parametrize("method", ["t", "bootstrap"])
@pytest.mark.parametrize(("found", "ends"), [(True, (0.3, 1)), (False, (0, 0.7))])
def test_days_of_one_value(method, found, ends):
    y = np.tile(np.arange(20) == 0, 6)
    score = np.arange(120.0) * (-1 if found else 1)
    interval = MetricInterval("precision@1", method=method, random_state=0)
    result = interval.from_predictions(y, score, groups=np.arange(120) // 20)
    low, high = result.confidence_interval()
    assert result.standard_error > 0
    assert ends[0] < low < high <= 1 if found else 0 <= low < high < ends[1]
    assert result.value == (high if found else low) == ends[found]


@pytest.mark.parametrize("n_days", [5, 10])
@pytest.mark.parametrize("share", [0.03, 0.9])
def test_coverage_where_days_may_have_one_value(n_days, share):
    """Judge: the target of a day is first with a known probability."""
    rng, interval = np.random.default_rng(n_days), MetricInterval("precision@1")
    y, groups = np.tile([1, 0, 0], n_days), np.repeat(np.arange(n_days), 3)
    covered = 0
    for _ in range(200):
        first = np.repeat(rng.random(n_days) < share, 3)
        score = np.where(y, np.where(first, 3, 0), np.tile([0, 1, 2], n_days))
        low, high = interval.from_predictions(
            y, score, groups=groups
        ).confidence_interval()
        covered += low <= share <= high
    assert covered >= 0.9 * 200


@pytest.mark.parametrize("groups", [None, np.arange(30) // 10])
def test_constant_scores_of_weighted_items(groups):
    y, weight = np.tile([1, 0, 0, 0, 0], 6), np.linspace(1, 3, 30)
    interval = MetricInterval("recall@0.2", n_resamples=99, random_state=0)
    result = interval.from_predictions(y, 0 * y, sample_weight=weight, groups=groups)
    assert result.standard_error == 0
    assert_allclose(result.confidence_interval(), 0.2)


def test_days_whose_certain_values_differ():
    # one of four items is a target, or three: constant scores within each day
    y, groups = [1, 0, 0, 0, 1, 1, 1, 0], [1] * 4 + [2] * 4
    result = MetricInterval("precision@2").from_predictions(y, [0] * 8, groups=groups)
    low, high = result.confidence_interval()
    assert_allclose(result.values, [0.25, 0.75])
    assert low < 0.5 < high


def test_days_that_are_shorter_than_the_cutoff():
    # 3 and 1 targets of 4 items: precision at 5 is .6 and .2, whatever the order
    y, groups = [1, 1, 1, 0, 1, 0, 0, 0], [1] * 4 + [2] * 4
    result = MetricInterval("precision@5").from_predictions(y, range(8), groups=groups)
    assert_allclose(result.values, [0.6, 0.2])
    low, high = result.confidence_interval()
    assert 0 < low < 0.4 < high < 1


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_a_day_without_targets_has_no_standard_error(method):
    # the day counts in precision, and its single class does not tell how it varies
    rng = np.random.default_rng(0)
    day = np.arange(400) // 100
    y = (rng.random(400) < 0.1) & (day > 0)
    a, b = rng.normal(size=(2, 400)) + y
    metric = make_metric("precision@10")
    compare = RankingComparison(metric, method=method, n_resamples=50)
    with pytest.warns(UndefinedMetricWarning, match="standard error of the difference"):
        result = compare.from_predictions(y, {"A": a, "B": b}, groups=day)
    assert math.isnan(result.pvalue)
    assert result.difference == pytest.approx(
        metric(y, a, groups=day) - metric(y, b, groups=day)
    )
