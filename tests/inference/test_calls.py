"""Calls that go wrong are told by the names that a caller knows."""

import inspect

import numpy as np
import pyarrow as pa
import pytest
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import skrank
from skrank import (
    MetricVariability,
    RandomSelectionTest,
    RankingComparison,
    SearchSelectionTest,
    make_average_precision_scorer,
    ranking_report,
)

RNG = np.random.default_rng(0)
Y = np.arange(60) % 6 == 0
X = RNG.normal(Y[:, None], size=(60, 2))
CLASSES = RandomSelectionTest, MetricVariability, RankingComparison, SearchSelectionTest
METHODS = [
    pytest.param(asked, name, id=f"{asked.__name__}.{name}")
    for asked in CLASSES
    for name in dir(asked)
    if name.startswith("from_") or name == "compare_all"
]


@pytest.mark.parametrize(("asked", "name"), METHODS)
def test_a_method_called_on_the_class_says_how_it_is_called(asked, name):
    called = f"{asked.__name__}.{name}"
    expected = f"{called} must be called on an instance, .*: {asked.__name__}\\(\\)"
    for given in ((), (Y, X[:, 0]), (GaussianNB(), X, Y)):
        with pytest.raises(TypeError, match=expected):
            getattr(asked, name)(*given)
    with pytest.raises(TypeError, match=rf"^{called}\(\) missing \d required posit"):
        getattr(asked(), name)()
    method = getattr(asked, name)
    assert method.__qualname__ == called
    assert next(iter(inspect.signature(method).parameters)) == "self"
    assert inspect.getdoc(method)


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
        lambda: MetricVariability().from_cv(estimator, X, Y),
        lambda: RankingComparison().from_cv(estimator, GaussianNB(), X, Y),
        lambda: make_average_precision_scorer()(estimator, X, Y),
        lambda: skrank.HitCurveDisplay.from_estimator(estimator, X, Y),
    )
    for call in calls:
        with pytest.raises(ValueError, match=f"`estimator` {got}"):
            call()


def test_a_class_of_splitters():
    with pytest.raises(ValueError, match=r"`cv` must be a splitter, as KFold\(\)"):
        RandomSelectionTest().from_cv(GaussianNB(), X, Y, cv=KFold)


def test_tables_of_pyarrow_have_names():
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    plain = {"a": X[:, 0], "b": X[:, 1]}
    asked = RankingComparison()
    assert str(asked.compare_all(Y, table)) == str(asked.compare_all(Y, plain))
    search = SearchSelectionTest(n_resamples=99, random_state=0)
    found, expected = (search.from_predictions(Y, one) for one in (table, plain))
    assert str(found) == str(expected)
    assert str(ranking_report(Y, table)) == str(ranking_report(Y, plain))


def test_lazy_tables_are_refused():
    pl = pytest.importorskip("polars")
    lazy = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}).lazy()
    calls = (
        RankingComparison().compare_all,
        SearchSelectionTest().from_predictions,
        ranking_report,
    )
    for call in calls:
        with pytest.raises(
            ValueError, match=r"give y_scores.collect\(\); got LazyFrame"
        ):
            call(Y, lazy)
