"""The test over several rankings: groups, folds, and their parts."""

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
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrank
from cases import named
from skrank import RandomSelectionNull, RandomSelectionTest
from skrank.null import MeanNull

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
    test = RandomSelectionTest(**named(metric, **settings))
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
    # independent rankings: means average, variances add
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
    result = RandomSelectionTest("recall@0.1").from_predictions(
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
    with pytest.warns(
        UndefinedMetricWarning, match="1 of 4 rankings have no targets, or"
    ):
        result = RandomSelectionTest().from_predictions(y_true, y_score, groups=groups)
    assert result.labels == (0, 1, 3)


def test_groups_from_a_data_frame():
    y_true, y_score, groups = grouped_list()
    frame = pd.DataFrame({"y": y_true, "s": y_score, "day": groups + 10})
    frame["label"] = np.where(frame["y"] == 1, "fraud", "fine")
    result = RandomSelectionTest("precision@5").from_predictions(
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
    assert lines[1].startswith("  4 rankings  300 items, ")
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
    with pytest.raises(
        ValueError, match="`y_true` must hold targets and non-targets in so"
    ):
        RandomSelectionTest().from_predictions(
            [1, 1, 0], [0.1, 0.2, 0.3], groups=[1, 1, 2]
        )


# Folds


@pytest.mark.slow
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


@pytest.mark.slow
def test_folds_in_two_jobs():
    one, two = (
        RandomSelectionTest(n_jobs=n).from_cv(GaussianNB(), X, Y) for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


@pytest.mark.slow
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
        GaussianNB(), X, Y, cv=GroupKFold(4), cv_groups=groups
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


def test_constant_scores_are_chance_itself():
    result = RandomSelectionTest().from_cv(DummyClassifier(), X, Y)
    assert result.pvalue == pytest.approx(1.0)
    assert result.zscore == 0.0


# Folds vary together


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("metric", ["average_precision", "reciprocal_rank"])
def test_folds_are_placed_under_a_wider_distribution(metric, alternative):
    # the excess over the mean is divided by the square root of 2
    test = RandomSelectionTest(metric, alternative=alternative)
    for labels in (Y, np.random.default_rng(1).permutation(Y)):
        result = test.from_cv(KNeighborsClassifier(5), X, labels)
        wide = RandomSelectionTest(metric, alternative=alternative, independent=True)
        alone = wide.from_cv(KNeighborsClassifier(5), X, labels)
        assert result.inflation == pytest.approx(math.sqrt(2))
        assert alone.inflation == 1
        assert result.statistic == alone.statistic
        assert result.null_mean == alone.null_mean
        assert result.null_std == pytest.approx(math.sqrt(2) * alone.null_std)
        assert result.zscore == pytest.approx(alone.zscore / math.sqrt(2))
        inner = alone.null_mean + (alone.statistic - alone.null_mean) / math.sqrt(2)
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


def test_a_single_split_holds_out_no_item_twice():
    cv = StratifiedShuffleSplit(n_splits=1, test_size=0.4, random_state=0)
    result = RandomSelectionTest().from_cv(GaussianNB(), X, Y, cv=cv)
    assert result.inflation == 1


@pytest.mark.slow
def test_folds_of_unrelated_features_keep_the_level():
    # data sets that know nothing: rejections at 5 % are binomial at most; as if folds
    # were independent, nearest neighbours are rejected more often
    rng = np.random.default_rng(5)
    model, folds = KNeighborsClassifier(9, weights="distance"), StratifiedKFold(3)
    pvalues = []
    for _ in range(120):
        items, labels = rng.normal(size=(60, 8)), rng.permutation(np.arange(60) < 6)
        result = RandomSelectionTest().from_cv(model, items, labels, cv=folds)
        null = MeanNull(result.null_distribution.nulls)
        pvalues.append([result.pvalue, null.pvalue(result.statistic)])
    valid, independent = (np.array(pvalues) <= 0.05).sum(axis=0)
    assert binomtest(int(valid), 120, 0.05, "greater").pvalue > 0.01
    assert valid < independent


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


@pytest.mark.slow
@pytest.mark.parametrize("null", SOME_NULLS, ids=repr)
def test_wider_distribution_is_one(null):
    wider = MeanNull(null.nulls, inflation=math.sqrt(2))
    least, most = wider.support()
    assert wider.support() == null.support()
    x = np.linspace(least - 0.1, most + 0.1, 12)
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
        assert least <= wider.ppf(q) <= most
    drawn = wider.tail(x[4], method="monte_carlo", random_state=0)
    assert math.exp(drawn.log_pvalue) == pytest.approx(at_least[4], abs=0.03)


def test_wider_distribution_says_so():
    wider = MeanNull([RandomSelectionNull(60, 4)] * 3, inflation=2)
    assert repr(wider) == "<MeanNull of average_precision: 3 rankings, inflation 2>"
    with pytest.raises(ValueError, match="`inflation` must be 1 or more; got 0.5"):
        MeanNull(wider.nulls, inflation=0.5)


def test_results_without_estimators():
    found = cross_validate(GaussianNB(), X, Y)
    with pytest.raises(ValueError, match="`cv_results` must hold estimators and indi"):
        RandomSelectionTest().from_cv_results(found, X, Y)


def test_chance_on_folds_is_above_chance_on_the_whole():
    # 20 targets among 1000: 1.32 times the prevalence, and 2.20 in five folds
    whole = RandomSelectionNull(1000, 20).mean() / 0.02
    folds = RandomSelectionNull(200, 4).mean() / 0.02
    assert [whole, folds] == pytest.approx([1.32, 2.20], abs=0.005)
