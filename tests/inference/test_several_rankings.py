"""The test over several rankings: groups, folds, and their parts."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import (
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedShuffleSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import skrank
from skrank import RandomSelectionNull, RandomSelectionTest
from skrank.null import MeanNull

X, Y = make_classification(400, n_features=5, weights=[0.9], random_state=2)


def test_groups_in_print_and_as_parts():
    rng = np.random.default_rng(0)
    labels, groups = rng.random(300) < 0.1, rng.integers(0, 4, 300)
    score = rng.normal(labels)
    result = RandomSelectionTest().from_predictions(labels, score, groups=groups)
    lines = str(result).splitlines()
    assert lines[1].startswith("  4 groups   300 items, ")
    assert lines[2].endswith(" on average")
    values = [
        skrank.average_precision(labels[groups == g], score[groups == g])
        for g in range(4)
    ]
    assert_allclose([part.value for part in result.parts], values)
    assert result.labels == (0, 1, 2, 3)
    with pytest.raises(ValueError, match="must contain targets and non-targets in so"):
        RandomSelectionTest().from_predictions(
            [1, 1, 0], [0.1, 0.2, 0.3], groups=[1, 1, 2]
        )


# Folds vary together


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "alternative"),
    [
        ("average_precision", "greater"),
        ("average_precision", "two-sided"),
        ("reciprocal_rank", "less"),
    ],
)
def test_folds_are_placed_under_a_wider_distribution(metric, alternative):
    # the excess over the mean is divided by the square root of 2
    test = RandomSelectionTest(metric, alternative=alternative)
    for labels in (Y, np.random.default_rng(1).permutation(Y)):
        result = test.from_cv(KNeighborsClassifier(5), X, labels)
        wide = RandomSelectionTest(metric, alternative=alternative, independent=True)
        alone = wide.from_cv(KNeighborsClassifier(5), X, labels)
        assert result.inflation == pytest.approx(math.sqrt(2))
        assert alone.inflation == 1
        assert result.value == alone.value
        assert result.null_mean == alone.null_mean
        assert result.null_std == pytest.approx(math.sqrt(2) * alone.null_std)
        assert result.zscore == pytest.approx(alone.zscore / math.sqrt(2))
        inner = alone.null_mean + (alone.value - alone.null_mean) / math.sqrt(2)
        expected = alone.null_distribution.pvalue(inner, alternative=alternative)
        assert result.pvalue == pytest.approx(expected, rel=0.02)
        assert [one.pvalue for one in result.parts] == [p.pvalue for p in alone.parts]


def test_smallest_p_of_folds_times_their_number():
    result = RandomSelectionTest().from_cv(GaussianNB(), X, Y)
    pvalues = [part.pvalue for part in result.parts]
    assert result.bonferroni_pvalue == 5 * min(pvalues)
    assert result.parts[0].bonferroni_pvalue == pvalues[0]
    noise = RandomSelectionTest().from_cv(DummyClassifier(), X, Y)
    assert noise.bonferroni_pvalue == 1.0
    groups = RandomSelectionTest().from_predictions(Y, X[:, 0], groups=X[:, 1] > 0)
    assert groups.inflation == 1


def test_one_fold_of_two_classes_shares_its_chance_with_none():
    # its p is that of the ranking, not of a wider distribution
    labels, folds = Y.copy(), np.arange(400) // 100
    labels[folds == 2], labels[folds == 3] = 0, 1
    keep = folds > 0
    with pytest.warns(UndefinedMetricWarning, match="2 of 3 folds have no targets, or"):
        result = RandomSelectionTest().from_cv(
            GaussianNB(), X[keep], labels[keep], cv=PredefinedSplit(folds[keep])
        )
    assert result.inflation == 1
    assert result.pvalue == pytest.approx(result.parts[0].pvalue)


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        StratifiedShuffleSplit(n_splits=3, test_size=0.4, random_state=0),
    ],
    ids=["repeated", "shuffled"],
)
def test_splits_that_hold_out_an_item_twice_are_refused(cv):
    with pytest.raises(ValueError, match="`cv` must make folds that hold out no item"):
        RandomSelectionTest().from_cv(GaussianNB(), X, Y, cv=cv)
    found = cross_validate(
        GaussianNB(), X, Y, cv=cv, return_estimator=True, return_indices=True
    )
    with pytest.raises(ValueError, match="`cv_results` must make folds that hold out"):
        RandomSelectionTest().from_cv_results(found, X, Y)
    single = StratifiedShuffleSplit(n_splits=1, test_size=0.4, random_state=0)
    result = RandomSelectionTest().from_cv(GaussianNB(), X, Y, cv=single)
    assert result.inflation == 1


SOME_NULLS = [
    MeanNull([RandomSelectionNull(40, 2)] * 3),
    MeanNull([RandomSelectionNull(40, 3, "recall@5")] * 2),
    MeanNull([RandomSelectionNull(30, 2, "bedroc")] * 2),
    MeanNull([RandomSelectionNull(30, 25, tie_sizes=[10, 10, 10])] * 4),
]


@pytest.mark.parametrize("null", SOME_NULLS, ids=repr)
def test_wider_distribution_against_draws(null):
    # values of independent rankings, spread about their mean and cut off at the ends
    wider = MeanNull(null.nulls, inflation=1.5)
    drawn = null.rvs(20_000, random_state=0)
    drawn = np.clip(null.mean() + 1.5 * (drawn - null.mean()), *null.support())
    assert_allclose(wider.rvs(20_000, random_state=0), drawn)
    assert wider.std() == pytest.approx(1.5 * null.std())
    for x in np.quantile(drawn, [0.001, 0.1, 0.5, 0.9, 0.99]):
        count = int((drawn > x + 1e-9).sum())
        assert binomtest(count, drawn.size, wider.sf(x)).pvalue > 1e-4


@pytest.mark.nightly
@pytest.mark.parametrize("null", SOME_NULLS[::2], ids=repr)
def test_wider_distribution_is_one(null):
    wider = MeanNull(null.nulls, inflation=math.sqrt(2))
    least, most = wider.support()
    assert wider.support() == null.support()
    x = np.linspace(least - 0.1, most + 0.1, 9)
    at_least, above = wider.pvalue(x), wider.sf(x)
    assert_allclose(above + wider.cdf(x), 1)
    assert np.all(np.diff(at_least) <= 1e-9)
    assert np.all(above <= at_least + 1e-9)
    assert_allclose(wider.pvalue(x, alternative="less"), wider.cdf(x), atol=0.03)
    assert wider.pvalue(least) == 1
    assert wider.pvalue(most, alternative="less") == pytest.approx(1)
    assert wider.sf(most) == 0
    assert wider.pvalue(most) > null.pvalue(most)
    for q in (0.0, 1e-3, 0.4):
        assert wider.sf(wider.isf(q)) <= q * (1 + 1e-6)
        assert wider.cdf(wider.ppf(q)) >= q * (1 - 1e-6)
        assert (least if q else -math.inf) <= wider.ppf(q) <= most
    drawn = wider.tail(x[4], method="monte_carlo", random_state=0)
    assert math.exp(drawn.log_pvalue) == pytest.approx(at_least[4], abs=0.03)


def test_wider_distribution_says_so():
    wider = MeanNull([RandomSelectionNull(60, 4)] * 3, inflation=2)
    assert repr(wider) == "<MeanNull of average_precision: 3 rankings, inflation 2>"
    with pytest.raises(ValueError, match="`inflation` must be 1 or more; got 0.5"):
        MeanNull(wider.nulls, inflation=0.5)


def test_chance_on_folds_is_above_chance_on_the_whole():
    # 20 targets among 1000: 1.32 times the prevalence, and 2.20 in five folds
    whole = RandomSelectionNull(1000, 20).mean() / 0.02
    folds = RandomSelectionNull(200, 4).mean() / 0.02
    assert [whole, folds] == pytest.approx([1.32, 2.20], abs=0.005)
