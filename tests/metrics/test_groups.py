"""Metrics within groups of items; the judge is a loop over the groups."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedGroupKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrank
from cases import ALL, ALL_TIES, SCORES, metric_function
from skrank import Rankings, average_precision, make_metric, precision_at_t, recall_at_t

pytestmark = pytest.mark.contract


def days(n_days=6, n=300, seed=0):
    """Labels, scores with ties, and the day of each item, in no order."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    return y, np.round(rng.normal(y), 1), rng.integers(0, n_days, n)


def loop(metric, y, s, groups):
    return [metric(y[groups == one], s[groups == one]) for one in np.unique(groups)]


@pytest.mark.parametrize("ties", ALL_TIES)
@pytest.mark.parametrize("case", ALL)
def test_the_mean_is_that_of_a_loop(case, ties):
    y, s, day = days()
    metric = metric_function(case)
    expected = np.mean([metric(y[day == d], s[day == d], ties=ties) for d in range(6)])
    assert metric(y, s, ties=ties, groups=day) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ties", ["expected", "together"])
@pytest.mark.parametrize("kind", SCORES)
def test_any_scores_in_groups_of_any_size(kind, ties):
    # one group of half of the items, and many of a few, whose targets are few
    rng = np.random.default_rng(1)
    s = SCORES[kind](rng, 60_000)
    group = np.where(rng.random(s.size) < 0.5, 0, rng.integers(0, 3000, s.size))
    y = rng.random(s.size) < 0.05
    metric = make_metric("average_precision", ties)
    values = [
        metric(y[own], s[own]) if y[own].sum() else -1.0
        for own in (np.flatnonzero(group == label) for label in range(3000))
    ]
    found = metric(y, s, groups=group, undefined=-1.0)
    assert found == pytest.approx(np.mean(values), rel=1e-12)


def test_scikit_learn_in_a_loop():
    y, s, day = days(40, 4000)
    expected = np.mean(loop(average_precision_score, y, s, day))
    value = average_precision(y, s, ties="together", groups=day)
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("case", ["average_precision", "precision@0.2", "max_f_score"])
def test_weights_in_groups(case):
    y, s, day = days()
    weight = np.random.default_rng(2).random(y.size)
    s = np.random.default_rng(3).permutation(y.size)  # no ties
    metric = make_metric(case)
    expected = np.mean(
        [
            metric(y[own], s[own], sample_weight=weight[own])
            for own in (day == d for d in range(6))
        ]
    )
    value = metric(y, s, sample_weight=weight, groups=day)
    assert value == pytest.approx(expected, rel=1e-12)


def test_recall_by_value():
    # the value in the top: 10 of 40 and all of 5 among the first two items of two days
    y, s = np.array([1, 0, 1, 0, 1, 0]), np.array([9, 8, 7, 4, 3, 2])
    amount, day = np.array([10.0, 0, 30, 0, 5, 0]), np.array([1, 1, 1, 2, 2, 2])
    # the others weigh next to nothing, so that the depth is one of value
    weight = np.where(y == 1, amount, 1e-12)
    value = recall_at_t(y, s, t=0.25, sample_weight=weight, groups=day)
    assert value == pytest.approx((10 / 40 + 1.25 / 5) / 2)


# Groups without targets, or of targets alone


def test_groups_without_targets_count_as_0_in_precision():
    y, s = [1, 0, 0, 0, 1, 1], [6, 5, 4, 3, 2, 1]
    groups = ["a", "a", "b", "b", "c", "c"]
    assert precision_at_t(y, s, t=1, groups=groups) == pytest.approx((1 + 0 + 1) / 3)


@pytest.mark.parametrize("name", ["average_precision", "recall@1", "r_precision"])
def test_undefined_groups_are_left_out_with_a_warning(name):
    y, s = [1, 0, 0, 0, 1, 1], [6, 5, 4, 3, 2, 1]
    groups = ["a", "a", "b", "b", "c", "c"]
    metric = make_metric(name)
    perfect = 0.5 if name == "recall@1" else 1.0  # of targets alone
    with pytest.warns(UndefinedMetricWarning, match="in 1 of 3 groups, .* no targets:"):
        assert metric(y, s, groups=groups) == (1 + perfect) / 2
    expected = (1 + perfect + 0.25) / 3
    assert metric(y, s, groups=groups, undefined=0.25) == pytest.approx(expected)
    with pytest.raises(ValueError, match="undefined in 1 of 3 groups"):
        metric(y, s, groups=groups, undefined="raise")


def test_no_group_has_a_value():
    with pytest.warns(UndefinedMetricWarning, match="in 2 of 2"):
        assert math.isnan(average_precision([0] * 4, range(4), groups=[1, 1, 2, 2]))
    assert precision_at_t([0] * 4, range(4), t=1, groups=[1, 1, 2, 2]) == 0


@pytest.mark.filterwarnings("ignore:`t`=1 counts units of weight")
def test_weights_that_leave_a_group_undefined():
    y, s, weight = [1, 0, 0, 0], [4, 3, 2, 1], [1.0, 2, 3, 4]
    groups = [1, 1, 2, 2]
    with pytest.warns(UndefinedMetricWarning, match="in 1 of 2"):
        value = average_precision(y, s, sample_weight=weight, groups=groups)
    assert value == 1.0
    assert precision_at_t(y, s, t=1, sample_weight=weight, groups=groups) == 0.5
    # a group without weight is as if absent
    for t in (1, 0.5):
        value = precision_at_t(y, s, t=t, sample_weight=[1, 1, 0, 0], groups=groups)
        assert value == 1.0


@pytest.mark.parametrize("ties", ["expected", "together"])
def test_a_cutoff_may_reach_beyond_a_group(ties):
    # as trec_eval has it: the places below the last item hold no hits
    y, s = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    groups = [1, 1, 1, 2, 2, 2, 2, 2]
    given = {"ties": ties, "groups": groups}
    assert precision_at_t(y, s, t=4, **given) == pytest.approx((2 / 4 + 2 / 4) / 2)
    assert recall_at_t(y, s, t=4, **given) == 1
    expected = (average_precision(y[:3], s[:3]) + (1 + 2 / 4) / 2) / 2
    value = skrank.average_precision_at_k(y, s, k=4, **given)
    assert value == pytest.approx(expected)
    with pytest.raises(ValueError, match="not reach beyond the ranking"):
        precision_at_t(y, s, t=9, ties=ties)


# Labels of groups

LABELS = {
    "texts": lambda day: np.array([f"day {d}" for d in day]),
    "list": lambda day: [f"day {d}" for d in day],
    "far apart": lambda day: day * 10**12,
    "negative, with gaps": lambda day: 3 * day - 7,
    "dates": lambda day: np.datetime64("2026-01-01") + day,
    "nanoseconds": lambda day: np.datetime64("2026-01-01", "ns") + day * 10**9,
    "pandas dates": lambda day: pd.Series(
        pd.Timestamp("2026-01-01") + day * pd.Timedelta("1D")
    ),
    "categories": lambda day: pd.Series(day).astype("category"),
    "polars": lambda day: pl.Series(day),
    "bool": lambda day: day > 2,
    "large": lambda day: 2**63 + day.astype(np.uint64),
    "narrow": lambda day: (50 * day - 128).astype(np.int8),
}


@pytest.mark.parametrize("is_sorted", [True, False])
@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind(kind, is_sorted):
    y, s, day = days()
    day = np.sort(day) if is_sorted else day
    groups = LABELS[kind](day)
    expected = loop(average_precision, y, s, np.asarray(groups))
    value = average_precision(y, s, groups=groups)
    assert value == pytest.approx(np.mean(expected), rel=1e-12)
    rankings = Rankings.from_predictions(y, s, groups=groups)
    values = [average_precision(one) for (one,) in rankings.parts]
    assert_allclose(values, expected, rtol=1e-12)
    assert list(rankings.labels) == sorted(rankings.labels)


def test_dates_keep_their_days():
    groups = pd.to_datetime(["2026-03-01", "2026-03-01", "2026-03-02", "2026-03-02"])
    found = Rankings.from_predictions([1, 0, 0, 1], [4, 3, 2, 1], groups=groups)
    assert [str(one) for one in found.labels] == [
        "2026-03-01 00:00:00",
        "2026-03-02 00:00:00",
    ]


def test_bad_groups():
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    for groups, match in [
        ([1, 1, 2], "`groups` must have as many items as `y_true`"),
        ([1, 1, None, None], "none missing"),
        ([1.0, 1.0, math.nan, 2.0], "none missing"),
        ([1, 2, 3, 4], "one item is no ranking; got 4 labels"),
    ]:
        with pytest.raises(ValueError, match=match):
            average_precision(y, s, groups=groups)
    with pytest.raises(ValueError, match="`n_missed` must map each group"):
        average_precision(y, s, groups=[1, 1, 2, 2], n_missed=1)
    ranking = skrank.Ranking.from_predictions(y, s)
    with pytest.raises(ValueError, match="`groups` must be left out"):
        average_precision(ranking, groups=[1, 1, 2, 2])
    index = pd.Series([1, 1, 2, 2], index=[3, 2, 1, 0])
    with pytest.raises(ValueError, match="have the index of `y_true`"):
        average_precision(pd.Series(y), s, groups=index)


# Scorers

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 4))
Y = (rng.random(600) < 1 / (1 + np.exp(3 - 2 * X[:, 0]))).astype(int)
DAY, PATIENT = np.repeat(np.arange(12), 50), rng.integers(0, 40, 600)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_day(test, train):
    fitted = MODEL.fit(X[train], Y[train])
    s = fitted.decision_function(X[test])
    return np.mean(loop(top_five, Y[test], s, DAY[test]))


def top_five(y, s):
    return y[np.argsort(-s)[:5]].sum() / 5


@pytest.mark.usefixtures("routing")
def test_scorers_take_a_column_as_groups_beside_those_of_the_splitter():
    scoring = {
        "by day": skrank.make_precision_at_t_scorer(5).set_score_request(groups="day"),
        "all": skrank.make_average_precision_scorer(),
    }
    cv = GroupKFold(3)
    params = {"day": DAY, "groups": PATIENT}
    found = cross_validate(MODEL, X, Y, cv=cv, scoring=scoring, params=params)
    folds = list(cv.split(X, Y, PATIENT))
    assert_allclose(
        found["test_by day"], [by_day(test, train) for train, test in folds]
    )
    # scorers that ask for no groups do not get those of the splitter
    for (train, test), value in zip(folds, found["test_all"], strict=True):
        s = MODEL.fit(X[train], Y[train]).decision_function(X[test])
        assert value == pytest.approx(average_precision(Y[test], s))


@pytest.mark.usefixtures("routing")
def test_scorers_that_have_no_groups_say_so():
    scorer = skrank.make_metric_scorer("average_precision", statistic="zscore")
    with pytest.raises(ValueError, match="`groups` must not be requested for zscore"):
        scorer.set_score_request(groups="day")(MODEL.fit(X, Y), X, Y, groups=DAY)


@pytest.mark.usefixtures("routing")
def test_searches_tune_by_day():
    scorer = skrank.make_precision_at_t_scorer(5).set_score_request(groups="day")
    search = GridSearchCV(
        MODEL,
        {"logisticregression__C": [1.0]},
        scoring=scorer,
        cv=StratifiedGroupKFold(3),
    ).fit(X, Y, groups=PATIENT, day=DAY)
    folds = StratifiedGroupKFold(3).split(X, Y, PATIENT)
    expected = np.mean([by_day(test, train) for train, test in folds])
    assert search.best_score_ == pytest.approx(expected)
    every = np.arange(600)
    assert search.score(X, Y, day=DAY) == pytest.approx(by_day(every, every))


@pytest.mark.parametrize("name", ["reciprocal_rank", "k_at_recall(0.5)"])
@pytest.mark.usefixtures("routing")
def test_scorers_of_ranks_take_groups(name):
    scorer = skrank.make_metric_scorer(name).set_score_request(groups=True)
    fitted = MODEL.fit(X, Y)
    sign = 1 if name == "reciprocal_rank" else -1
    kept = np.isin(DAY, np.unique(DAY[Y == 1]))
    parts = Y[kept], fitted.decision_function(X)[kept], DAY[kept]
    expected = np.mean(loop(make_metric(name), *parts))
    assert scorer(fitted, X[kept], Y[kept], groups=DAY[kept]) == pytest.approx(
        sign * expected
    )
