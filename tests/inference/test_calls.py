"""Calls that go wrong are told by the names that a caller knows."""

import math

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import skrank
from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    SearchSelectionTest,
    make_average_precision_scorer,
)

RNG = np.random.default_rng(0)
Y = np.arange(60) % 6 == 0
X = RNG.normal(Y[:, None], size=(60, 2))
CLASSES = RandomSelectionTest, MetricInterval, RankingComparison, SearchSelectionTest


@pytest.mark.parametrize("asked", CLASSES)
def test_settings_are_checked_where_they_are_given(asked):
    for progress in ("x", 1, None):
        with pytest.raises(ValueError, match="`progress` must be True or False; got "):
            asked(progress=progress)
    for n_jobs in ("a", 1.5, 0):
        with pytest.raises(ValueError, match="`n_jobs` must be an int other than 0, o"):
            asked(n_jobs=n_jobs)


@pytest.mark.parametrize(
    ("estimator", "got"),
    [
        (None, "must .*; got None"),
        ("x", "must .*; got '?(x|str)"),
        (GaussianNB, r"must be an instance, as GaussianNB\(\); got the class Gaussian"),
    ],
)
def test_what_is_no_estimator(estimator, got):
    calls = (
        lambda: RandomSelectionTest().from_estimator(estimator, X, Y),
        lambda: RandomSelectionTest().from_cv(estimator, X, Y),
        lambda: MetricInterval().from_cv(estimator, X, Y),
        lambda: RankingComparison().from_cv({"A": estimator, "B": GaussianNB()}, X, Y),
        lambda: make_average_precision_scorer()(estimator, X, Y),
        lambda: skrank.HitCurveDisplay.from_estimator(estimator, X, Y),
    )
    for call in calls:
        with pytest.raises(ValueError, match=f"`estimator` {got}"):
            call()


def test_a_class_of_splitters():
    with pytest.raises(ValueError, match=r"`cv` must be a splitter, as KFold\(\)"):
        RandomSelectionTest().from_cv(GaussianNB(), X, Y, cv=KFold)


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
def test_what_two_rankings_are_called():
    asked, names = RankingComparison(), ("bayes", "noise")
    noise = RNG.normal(size=60)
    result = asked.from_predictions(Y, {"bayes": X[:, 0], "noise": noise})
    assert result.names == names
    assert "\n  bayes " in str(result)
    assert "\n  noise " in str(result)
    model, other = GaussianNB().fit(X, Y), GaussianNB().fit(X[:, :1] * [1, 0], Y)
    models = dict(zip(names, (model, other), strict=True))
    assert asked.from_estimator(models, X, Y).names == names
    assert asked.from_cv(models, X, Y).names == names
    assert asked.from_predictions(Y, np.stack([X[:, 0], noise], 1)).names == ("0", "1")
    assert asked.from_predictions(Y, {"A": X[:, 0], "B": noise}).names == ("A", "B")
    for wrong in (noise, {"A": noise}, dict.fromkeys("ABC", noise)):
        with pytest.raises(ValueError, match="`rankings` must be of two models"):
            asked.from_predictions(Y, wrong)


def test_rankings_and_data_sets_are_rows():
    groups = np.repeat(["one", "two"], 30)
    test = RandomSelectionTest().from_predictions(Y, X[:, 0], groups=groups)
    frame = test.to_frame()
    assert list(frame["ranking"]) == ["one", "two"]
    assert list(frame["pvalue"]) == [part.pvalue for part in test.parts]
    assert test.n_rankings == 2
    one = RandomSelectionTest().from_predictions(Y, X[:, 0])
    assert len(one.to_frame()) == one.n_rankings == 1
    assert one.to_frame()["value"][0] == one.value
    compared = RankingComparison().from_predictions(Y, X, groups=groups)
    frame = compared.to_frame()
    assert list(frame["value_a"] - frame["value_b"]) == list(frame["difference"])
    assert list(frame["ranking"]) == ["one", "two"]
    varied = MetricInterval().from_cv(GaussianNB(), X, Y)
    assert tuple(varied.to_frame()["value"]) == varied.values
    assert varied.n_rankings == varied.to_dict()["n_rankings"] == 5
    alone = MetricInterval().from_predictions(Y, X[:, 0])
    assert list(alone.to_frame()["value"]) == [alone.value]
    assert alone.n_rankings == 1


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
def test_an_unknown_error_is_printed_as_a_dash():
    asked = RankingComparison("reciprocal_rank", n_resamples=99, random_state=0)
    table = asked.compare_all(Y, X)
    assert math.isnan(table.to_dict()["standard_error"][0])
    assert str(table).splitlines()[-1].split()[5] == "-"
    assert "nan" not in str(table)
