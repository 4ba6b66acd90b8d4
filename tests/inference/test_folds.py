"""Mean over the folds of a cross-validation: its interval, and two models compared."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from scipy.stats import t as student
from scipy.stats import ttest_rel
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import (
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from cases import assert_share, runs
from skrank import (
    MetricInterval,
    RankingComparison,
    make_average_precision_scorer,
)

pytestmark = pytest.mark.contract

X, Y = make_classification(
    400, n_features=5, weights=[0.85], flip_y=0.1, random_state=4
)
SPLITS = {
    "folds": (StratifiedKFold(5, shuffle=True, random_state=0), 80, 320, 5),
    "repeated": (
        RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0),
        1,
        3,
        4,
    ),
    "shuffled": (
        StratifiedShuffleSplit(n_splits=4, test_size=0.25, random_state=0),
        1,
        3,
        4,
    ),
}
MODELS = GaussianNB(), KNeighborsClassifier(3)


def scores(model, cv):
    return cross_val_score(model, X, Y, cv=cv, scoring=make_average_precision_scorer())


def n_held_out(cv):
    return len({int(item) for _, test in cv.split(X, Y) for item in test})


def nadeau_bengio(values, n_test, n_train, n_folds=None):
    """Judge: the corrected standard error, from their paper, and its freedom.

    Repetitions of some folds have the mean of their variances, and their mean has at
    least .8 of the variance of one.
    """
    n_folds = n_folds or len(values)
    each = np.reshape(values, (-1, n_folds))
    repeats = len(each)
    variance = np.mean([np.var(one, ddof=1) for one in each]) * (0.8 + 0.2 / repeats)
    error = math.sqrt((1 / n_folds + n_test / n_train) * variance)
    return error, repeats * (n_folds - 1)


# One model


@pytest.mark.parametrize("split", SPLITS)
def test_interval_is_that_of_nadeau_and_bengio(split):
    # whose standard error is not less, but for what the items vary
    cv, n_test, n_train, n_folds = SPLITS[split]
    model = KNeighborsClassifier(1)
    values = scores(model, cv)
    result = MetricInterval().from_cv(model, X, Y, cv=cv)
    assert_allclose(result.values, values)
    assert result.value == pytest.approx(values.mean())
    assert (result.n_samples, result.method) == (n_held_out(cv), "corrected_t")
    assert result.n_targets == Y.sum() or split == "shuffled"
    error, freedom = nadeau_bengio(values, n_test, n_train, n_folds)
    assert result.standard_error >= error - 1e-12
    quantile = student(freedom).isf(0.05)
    half = quantile * result.standard_error
    low, high = result.confidence_interval(0.9)
    half /= values.mean() * (1 - values.mean())
    around = logit(values.mean()) + np.array([-half, half])
    assert_allclose([low, high], expit(around))


def test_error_is_the_larger_of_two():
    # shuffled targets leave the spread of the folds, equal folds that of the items
    for seed in range(8):
        labels = np.random.default_rng(seed).permutation(Y)
        cv = StratifiedKFold(5, shuffle=True, random_state=seed)
        result = MetricInterval().from_cv(GaussianNB(), X, labels, cv=cv)
        of_folds, _ = nadeau_bengio(result.values, 80, 320)
        model = GaussianNB()
        errors = [
            MetricInterval()
            .from_estimator(model.fit(X[train], labels[train]), X[test], labels[test])
            .standard_error
            for train, test in cv.split(X, labels)
        ]
        of_items = math.sqrt(np.square(errors).sum()) / 5  # independent items
        assert result.standard_error == pytest.approx(max(of_folds, of_items))


def test_perfect_folds_are_not_certain():
    # no fold differs from another, and the items do not say that they never will
    known = np.column_stack([Y, Y]).astype(float)
    result = MetricInterval().from_cv(GaussianNB(), known, Y)
    assert result.value == pytest.approx(1)
    low, high = result.confidence_interval()
    assert 0.5 < low < 1
    assert high == pytest.approx(1)


def test_what_cannot_vary_has_no_error():
    result = MetricInterval().from_cv(DummyClassifier(), X, Y)
    assert result.standard_error == 0
    assert result.confidence_interval() == (result.value, result.value)


def test_a_single_fold_does_not_tell():
    cv = PredefinedSplit(np.where(np.arange(400) < 200, 0, -1))
    result = MetricInterval().from_cv(GaussianNB(), X, Y, cv=cv)
    assert math.isnan(result.standard_error)
    with pytest.warns(UndefinedMetricWarning, match="is undefined by corrected_t"):
        assert math.isnan(result.confidence_interval().low)


# Two models


@pytest.mark.parametrize("split", SPLITS)
def test_comparison_is_that_of_nadeau_and_bengio(split):
    cv, n_test, n_train, n_folds = SPLITS[split]
    a, b = (scores(model, cv) for model in MODELS)
    result = RankingComparison().from_cv(dict(enumerate(MODELS)), X, Y, cv=cv)
    assert_allclose([result.values_a, result.values_b], [a, b])
    assert (result.n_rankings, result.n_samples) == (len(a), n_held_out(cv))
    error, freedom = nadeau_bengio(a - b, n_test, n_train, n_folds)
    z = (a - b).mean() / error
    assert result.standard_error == pytest.approx(error)
    assert result.zscore == pytest.approx(z)
    null = student(freedom)
    assert result.pvalue == pytest.approx(2 * null.sf(abs(z)))
    half = null.isf(0.025) * error
    expected = (a - b).mean() - half, (a - b).mean() + half
    assert_allclose(result.confidence_interval(), expected)
    other = RankingComparison(alternative="less").from_cv(
        dict(enumerate(MODELS)), X, Y, cv=cv
    )
    assert other.pvalue == pytest.approx(null.cdf(z))


def test_many_random_splits_tell_no_more_than_repeated_folds():
    """More splits of the same items hardly change the standard error."""
    cvs = (
        StratifiedShuffleSplit(n_splits=40, test_size=0.25, random_state=0),
        RepeatedStratifiedKFold(n_splits=4, n_repeats=10, random_state=0),
    )
    models = dict(enumerate(MODELS))
    errors = []
    for cv in cvs:
        result = RankingComparison().from_cv(models, X, Y, cv=cv)
        variance = np.var(np.subtract(result.values_a, result.values_b), ddof=1)
        errors.append(result.standard_error / math.sqrt(variance))
    expected = math.sqrt((1 / 4 + 1 / 3) * (0.8 + 0.2 / 10))
    assert errors[0] == pytest.approx(expected)
    assert errors[1] == pytest.approx(expected, rel=0.15)


def test_a_model_against_itself():
    for method in ("auto", "corrected_t"):
        result = RankingComparison(method=method).from_cv(
            {"A": GaussianNB(), "B": GaussianNB()}, X, Y
        )
        assert (result.difference, result.pvalue) == (0, 1)


def test_methods_of_folds_are_for_folds():
    with pytest.raises(ValueError, match="'corrected_t' for the folds of a cross"):
        RankingComparison(method="t").from_cv(dict(enumerate(MODELS)), X, Y)
    with pytest.raises(ValueError, match="for one data set, without `groups`; got 'co"):
        RankingComparison(method="corrected_t").from_predictions(
            Y, {"A": X[:, 0], "B": X[:, 1]}
        )


@pytest.mark.nightly
def test_equal_models_on_repeated_folds():
    # models of features that are alike: as if folds were independent, equal models
    # differ several times as often
    models = [
        make_pipeline(
            ColumnTransformer([("kept", "passthrough", columns)]),
            KNeighborsClassifier(9),
        )
        for columns in ([0, 1], [2, 3])
    ]
    rng, corrected, plain = np.random.default_rng(8), [], []
    for seed in range(runs(40)):
        labels = rng.permutation(np.arange(120) < 20)
        items = rng.normal(size=(120, 4)) + 0.6 * labels[:, None]
        cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=seed)
        result = RankingComparison().from_cv(
            dict(enumerate(models)), items, labels, cv=cv
        )
        corrected.append(result.pvalue <= 0.05)
        plain.append(ttest_rel(result.values_a, result.values_b).pvalue <= 0.05)
    assert_share(corrected, most=0.065)
    assert np.mean(plain) > 2 * max(np.mean(corrected), 0.075)
