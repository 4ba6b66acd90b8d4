"""Scores of an estimator: the door of rankings and that of scorers agree."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB

from skrank import (
    RandomSelectionTest,
    Ranking,
    SearchSelectionTest,
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
    message = (
        r"predict_proba of shape \(n_samples, 2\), one column per class; got shape"
    )
    with pytest.raises(ValueError, match=message):
        DOORS[door](Shaped(lambda p: p[:, columns]))


TABLES = {
    "COO matrix": scipy.sparse.coo_matrix,
    "COO array": scipy.sparse.coo_array,
    "DIA matrix": scipy.sparse.dia_matrix,
    "lists": np.ndarray.tolist,
    "frame": pd.DataFrame,
    "Arrow": lambda values: pytest.importorskip("pyarrow").table(
        {str(i): column for i, column in enumerate(values.T)}
    ),
}


@pytest.mark.parametrize("form", TABLES)
def test_items_come_in_all_tables_that_scikit_learn_divides(form):
    items, model = TABLES[form](X), LogisticRegression()
    scorer = make_average_precision_scorer()
    try:
        results = cross_validate(
            model,
            items,
            Y,
            scoring=scorer,
            return_estimator=True,
            return_indices=True,
            error_score="raise",
        )
    except (TypeError, ValueError) as refused:  # Arrow by old versions
        pytest.skip(str(refused))
    expected = pytest.approx(np.mean(results["test_score"]))
    ask = RandomSelectionTest()
    assert ask.from_cv(model, items, Y).value == expected
    assert ask.from_cv_results(results, items, Y).value == expected
    search = GridSearchCV(model, {"C": [1.0]}, scoring=scorer).fit(items, Y)
    found = SearchSelectionTest(n_resamples=9).from_search(search, items, Y)
    assert found.value == expected


class Predicts(RegressorMixin, BaseEstimator):
    """A fitted regressor with an output of some form."""

    def __init__(self, form):
        self.form = form

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.form(X[:, 0])


NO_NUMBERS = {
    "texts": (lambda x: x.astype(str), "contain real numbers, .*values like"),
    "objects": (
        lambda x: x.astype(str).astype(object),
        "contain real numbers, .* at pos",
    ),
    "dates": (lambda x: x.astype("M8[D]"), "contain real numbers, .*; got datetime64"),
    "None": (lambda x: None, "be one-dimensional; got NoneType"),
    "Nones": (lambda x: [None] * len(x), "contain real numbers, .*; got None at posi"),
    "lists": (lambda x: [[1, 2]] * len(x), r"be one-dimensional; got shape \("),
    "cells": (
        lambda x: pd.Series([[1, 2]] * len(x)),
        r"contain real num.*; got \[1, 2",
    ),
    "ragged": (
        lambda x: [[1], [2, 3]] * (len(x) // 2),
        "be one-dimensional, and readable",
    ),
    "iterator": (iter, "be one-dimensional; got"),
}


@pytest.mark.parametrize("form", NO_NUMBERS)
def test_outputs_that_are_no_numbers_are_named(form):
    output, rule = NO_NUMBERS[form]
    model = Predicts(output)
    for ask in (
        *(lambda door=door: DOORS[door](model) for door in DOORS),
        lambda: RandomSelectionTest().from_cv(model, X, Y, cv=2),
    ):
        message = rf"^`estimator.predict\(X\)` must {rule}"
        with pytest.raises(ValueError, match=message):
            ask()


def test_folds_of_other_items_are_refused():
    results = cross_validate(
        GaussianNB(), X, Y, cv=2, return_estimator=True, return_indices=True
    )
    message = "`X` must be the items that were cross-validated; got 9 for folds of 40"
    with pytest.raises(ValueError, match=message):
        RandomSelectionTest().from_cv_results(results, X[:9], Y[:9])
    del results["indices"]
    with pytest.raises(
        ValueError, match="must contain estimators and indices, as from"
    ):
        RandomSelectionTest().from_cv_results(results, X, Y)
