"""The test over several lists: groups, folds, and their parts."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import (
    GroupKFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrank
from skrank import RandomSelectionNull, RandomSelectionTest

X, Y = make_classification(400, n_features=5, weights=[0.9], random_state=2)


def grouped_list(seed=0):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 4, 300)
    y_true = (rng.random(300) < 0.1).astype(int)
    return y_true, rng.normal(y_true), groups


# Groups


@pytest.mark.parametrize(
    ("metric", "settings"),
    [
        ("average_precision", {}),
        ("precision_at_t", {"t": 10}),
        ("average_precision_at_k", {"k": 0.1}),
        ("bedroc", {"alpha": 5.0}),
        ("reciprocal_rank", {}),
    ],
)
def test_groups_are_ranked_one_by_one(metric, settings):
    # the mean of the metric function over the groups, top t inside each
    y_true, y_score, groups = grouped_list()
    test = RandomSelectionTest(metric, **settings)
    result = test.from_predictions(y_true, y_score, groups=groups)
    function = getattr(skrank, metric)
    values = [
        function(y_true[groups == g], y_score[groups == g], **settings)
        for g in range(4)
    ]
    assert result.statistic == pytest.approx(np.mean(values))
    assert_allclose([part.statistic for part in result.parts], values)
    assert result.labels == (0, 1, 2, 3)
    assert result.n_samples == 300
    assert result.n_targets == y_true.sum()


def test_moments_of_the_mean_are_those_of_the_parts():
    # independent lists: means average, variances add
    result = RandomSelectionTest().from_predictions(
        *grouped_list()[:2], groups=grouped_list()[2]
    )
    parts = result.parts
    assert result.null_mean == pytest.approx(np.mean([p.null_mean for p in parts]))
    variance = np.sum([p.null_std**2 for p in parts]) / len(parts) ** 2
    assert result.null_std == pytest.approx(math.sqrt(variance))


def test_groups_against_permutations_within_them():
    # numpy shuffles the labels inside each group, the metric function scores
    y_true, y_score, groups = grouped_list()
    y_score = np.round(y_score * 2) / 2
    result = RandomSelectionTest("recall_at_t", t=0.1).from_predictions(
        y_true, y_score, groups=groups
    )
    rng = np.random.default_rng(1)
    members = [np.flatnonzero(groups == g) for g in range(4)]
    count = 0
    for _ in range(1000):
        values = [
            skrank.recall_at_t(rng.permutation(y_true[i]), y_score[i], t=0.1)
            for i in members
        ]
        count += np.mean(values) >= result.statistic - 1e-12
    assert binomtest(int(count), 1000, result.pvalue).pvalue > 1e-3


def test_one_group_is_the_list():
    y_true, y_score, _ = grouped_list()
    whole = RandomSelectionTest().from_predictions(y_true, y_score)
    one = RandomSelectionTest().from_predictions(y_true, y_score, groups=["all"] * 300)
    assert one.log10_pvalue == pytest.approx(whole.log10_pvalue)
    assert one.labels == ("all",)


def test_groups_without_targets_are_left_out():
    y_true, y_score, groups = grouped_list()
    y_true[groups == 2] = 0
    with pytest.warns(UndefinedMetricWarning, match="1 of 4 lists hold no targets or"):
        result = RandomSelectionTest().from_predictions(y_true, y_score, groups=groups)
    assert result.labels == (0, 1, 3)


def test_groups_from_a_data_frame():
    y_true, y_score, groups = grouped_list()
    frame = pd.DataFrame({"y": y_true, "s": y_score, "day": groups + 10})
    frame["label"] = np.where(frame["y"] == 1, "fraud", "fine")
    result = RandomSelectionTest("precision_at_t", t=5).from_predictions(
        frame["label"], frame["s"], pos_label="fraud", groups=frame["day"]
    )
    assert result.labels == (10, 11, 12, 13)
    table = pd.DataFrame([p.to_dict() for p in result.parts], index=result.labels)
    assert table["statistic"].mean() == pytest.approx(result.statistic)


def test_printed_result_of_lists():
    lines = str(
        RandomSelectionTest().from_predictions(
            *grouped_list()[:2], groups=grouped_list()[2]
        )
    ).splitlines()
    assert lines[1].startswith("  4 lists    300 items, ")
    assert lines[2].endswith(" on average")


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ([1, 2], "`groups` must have as many items as `y_true`; got 2 and 300"),
        ([1.0] * 299 + [np.nan], "`groups` must hold labels of one kind, none missi"),
        (np.ones((300, 2)), "`groups` must be one-dimensional; got shape"),
    ],
)
def test_bad_groups(groups, text):
    with pytest.raises(ValueError, match=text):
        RandomSelectionTest().from_predictions(*grouped_list()[:2], groups=groups)


def test_no_group_of_both_classes():
    with pytest.raises(ValueError, match="`y_true` must hold targets and others in so"):
        RandomSelectionTest().from_predictions([1, 0], [0.1, 0.2], groups=[1, 2])


# Folds


@pytest.mark.parametrize("cv", [5, StratifiedKFold(4, shuffle=True, random_state=0)])
def test_folds_are_those_of_scikit_learn(cv):
    # cross_val_score with our scorer is the judge of the values
    model = KNeighborsClassifier(7)
    result = RandomSelectionTest().from_cv(model, X, Y, cv=cv)
    scores = cross_val_score(
        model, X, Y, cv=cv, scoring=skrank.make_average_precision_scorer()
    )
    assert_allclose([part.statistic for part in result.parts], scores)
    assert result.statistic == pytest.approx(scores.mean())
    assert result.labels == tuple(range(len(scores)))
    assert not hasattr(model, "classes_")


def test_folds_from_cross_validate():
    model = make_pipeline(StandardScaler(), GaussianNB())
    found = cross_validate(model, X, Y, return_estimator=True, return_indices=True)
    result = RandomSelectionTest().from_cv_results(found, X, Y)
    assert result.to_dict() == RandomSelectionTest().from_cv(model, X, Y).to_dict()


def test_folds_in_two_jobs():
    one, two = (
        RandomSelectionTest().from_cv(GaussianNB(), X, Y, n_jobs=n) for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    "items",
    [pd.DataFrame(X), csr_array(X), X.tolist()],
    ids=["frame", "sparse", "list"],
)
def test_folds_of_any_table(items):
    model = KNeighborsClassifier(7)
    result = RandomSelectionTest().from_cv(model, items, Y)
    expected = RandomSelectionTest().from_cv(clone(model), X, Y)
    assert result.statistic == pytest.approx(expected.statistic)


def test_folds_that_keep_groups_together():
    groups = np.arange(400) // 20
    result = RandomSelectionTest().from_cv(
        GaussianNB(), X, Y, cv=GroupKFold(4), groups=groups
    )
    assert len(result.parts) == 4


def test_folds_with_other_labels_and_a_detector():
    named = np.where(Y == 1, "rare", "usual")
    result = RandomSelectionTest().from_cv(GaussianNB(), X, named, pos_label="rare")
    assert result.n_targets == Y.sum()
    detector = IsolationForest(n_estimators=5, random_state=0)
    result = RandomSelectionTest().from_cv(
        detector, X, Y, detector_targets="outliers", cv=StratifiedKFold(3)
    )
    assert len(result.parts) == 3


def test_constant_scores_are_luck_itself():
    result = RandomSelectionTest().from_cv(DummyClassifier(), X, Y)
    assert result.pvalue == pytest.approx(1.0)
    assert result.zscore == 0.0


def test_results_without_estimators():
    found = cross_validate(GaussianNB(), X, Y)
    with pytest.raises(ValueError, match="`cv_results` must hold estimators and indi"):
        RandomSelectionTest().from_cv_results(found, X, Y)


def test_chance_on_folds_is_above_chance_on_the_whole():
    # 20 targets among 1000: 1.32 times the prevalence, and 2.20 in five folds
    whole = RandomSelectionNull(1000, 20).mean() / 0.02
    folds = RandomSelectionNull(200, 4).mean() / 0.02
    assert [whole, folds] == pytest.approx([1.32, 2.20], abs=0.005)
