"""Work shared out by joblib: the same answers wherever it is done.

The judge is the same question asked in this process. The other machines are two worker
processes of a dask cluster.
"""

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    SearchSelectionTest,
    make_average_precision_scorer,
)

RNG = np.random.default_rng(0)
Y = (np.arange(600) % 12 == 0).astype(int)
X = RNG.normal(size=(600, 4)) + np.outer(Y, [1.0, 0.5, 0.0, 0.0])
A, B = X[:, 0], X[:, 0] + X[:, 1]
DRAWS = {"n_resamples": 2500, "random_state": 0}


def bootstrap():
    question = MetricInterval(method="bootstrap", **DRAWS)
    return question.from_predictions(Y, A).standard_error


def comparison(method):
    question = RankingComparison(method=method, **DRAWS)
    result = question.from_predictions(Y, {"A": A, "B": B})
    return result.pvalue, result.zscore


def folds():
    result = RandomSelectionTest().from_cv(LogisticRegression(), X, Y)
    return result.value, result.log10_pvalue, *(p.pvalue for p in result.parts)


def search():
    grid = GridSearchCV(
        LogisticRegression(),
        {"C": [0.001, 0.1, 10.0]},
        scoring=make_average_precision_scorer(),
    ).fit(X, Y)
    result = SearchSelectionTest(**DRAWS).from_search(grid, X, Y)
    tested = [*result.values, *result.pvalues, *result.null_maxima]
    return [*grid.cv_results_["mean_test_score"], *tested]


def chance():
    test = RandomSelectionTest(method="monte_carlo", n_resamples=50_000, random_state=0)
    return test.from_predictions(Y, A).pvalue


WORK = {
    "chance": chance,
    "bootstrap": bootstrap,
    "paired bootstrap": lambda: comparison("bootstrap"),
    "permutation": lambda: comparison("permutation"),
    "folds": folds,
    "search": search,
    "candidates": lambda: tuple(
        SearchSelectionTest(**DRAWS).from_predictions(Y, {"A": A, "B": B}).null_maxima
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_the_same_on_dask(work, client):
    here = work()
    with joblib.parallel_config(backend="dask"):
        assert work() == here


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_the_same_in_threads(work):
    here = work()
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert work() == here
