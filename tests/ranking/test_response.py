"""Scores of an estimator: the door of rankings and that of scorers agree."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skrank import (
    RandomSelectionTest,
    Ranking,
    average_precision,
    make_average_precision_scorer,
)

pytestmark = pytest.mark.contract

RNG = np.random.default_rng(0)
Y = (np.arange(40) % 4 == 0).astype(int)
X = np.c_[RNG.normal(Y), RNG.normal(size=40)]
CHANCE = 1 / (1 + np.exp(-X[:, 0]))
DOORS = {
    "ranking": lambda model: average_precision(Ranking.from_estimator(model, X, Y)),
    "scorer": lambda model: make_average_precision_scorer()(model, X, Y),
    "test": lambda model: RandomSelectionTest().from_estimator(model, X, Y).value,
}


class Shaped(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose probabilities come in some form."""

    classes_ = np.array([0, 1])

    def __init__(self, form):
        self.form = form

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        chance = 1 / (1 + np.exp(-X[:, 0]))
        return self.form(np.column_stack([1 - chance, chance]))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "form",
    [lambda p: p.tolist(), pd.DataFrame, memoryview],
    ids=["list", "frame", "memoryview"],
)
def test_probabilities_may_come_in_any_form(form, door):
    assert DOORS[door](Shaped(form)) == average_precision(Y, CHANCE)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("columns", [[0, 1, 1], [1], 1], ids=str)
def test_probabilities_of_another_shape_are_refused(columns, door):
    message = r"predict_proba of shape \(n_samples, 2\), one column a class; got shape"
    with pytest.raises(ValueError, match=message):
        DOORS[door](Shaped(lambda p: p[:, columns]))


def test_folds_of_other_items_are_refused():
    results = cross_validate(
        GaussianNB(), X, Y, cv=2, return_estimator=True, return_indices=True
    )
    message = "`X` must be the items that were cross-validated; got 9 for folds of 40"
    with pytest.raises(ValueError, match=message):
        RandomSelectionTest().from_cv_results(results, X[:9], Y[:9])
    del results["indices"]
    with pytest.raises(ValueError, match="must hold estimators and indices, as from"):
        RandomSelectionTest().from_cv_results(results, X, Y)
