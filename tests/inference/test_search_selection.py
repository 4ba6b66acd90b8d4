"""The test of a search: p-values against enumeration, folds, searches."""

import dataclasses
import functools
import math
import warnings
from copy import copy
from fractions import Fraction
from itertools import combinations, product

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning, NotFittedError, UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    PredefinedSplit,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oracles
from cases import METRICS, TIES, assert_share, named, oracle_settings, runs
from skrank import (
    RandomSelectionTest,
    SearchSelectionResult,
    SearchSelectionTest,
    make_average_precision_scorer,
    make_metric_scorer,
)

pytestmark = pytest.mark.contract

X, Y = make_classification(300, n_features=5, weights=[0.9], random_state=1)
NEIGHBOURS = {"n_neighbors": [1, 5, 25]}
FAST = {"n_resamples": 199, "random_state": 0}


def noise(n=300, n_candidates=4, seed=0):
    """Scores that know nothing, alike by half and in steps."""
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(n, 1)) + rng.normal(size=(n, n_candidates)), 1)


def knn_search(**settings):
    settings = {"scoring": make_average_precision_scorer(), "cv": 4, **settings}
    return GridSearchCV(KNeighborsClassifier(), NEIGHBOURS, **settings).fit(X, Y)


# The p-values, against enumeration of all placements of the targets inside the folds

SCORES = np.array(
    [
        [5, 1, 2, 3, 2, 0, 2, 7, 7, 5, 1, 4],
        [5, 1, 2, 4, 3, 0, 2, 7, 6, 5, 1, 4],
        [0, 1, 1, 0, 1, 3, 2, 2, 9, 2, 2, 0],
    ]
)
LABELS = np.array([1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0])


@functools.cache
def value_of_groups(groups, case, n_samples, ties):
    """The oracle's value, once for all placements that tie groups do not tell apart."""
    settings = oracle_settings(case, n_samples)
    return oracles.value(groups, METRICS[case][0], ties=ties, **settings)


def enumerate_fold(scores, n_targets, case, ties):
    """Values of all candidates for each placement of the targets."""
    n_samples, null = scores.shape[1], {}
    for chosen in combinations(range(n_samples), n_targets):
        y = [int(item in chosen) for item in range(n_samples)]
        lists = [tuple(oracles.tie_groups(y, row)) for row in scores.tolist()]
        values = [value_of_groups(one, case, n_samples, ties) for one in lists]
        null[chosen] = np.array(values)
    return null


def enumerate_mean(folds, case, ties):
    """The same for the mean over the folds; and the values that were observed."""
    nulls = [
        enumerate_fold(SCORES[:, fold], LABELS[fold].sum(), case, ties)
        for fold in folds
    ]
    observed = [
        null[tuple(np.flatnonzero(LABELS[fold]))]
        for null, fold in zip(nulls, folds, strict=True)
    ]
    parts = product(*(null.values() for null in nulls))
    share = Fraction(1, len(folds))
    return np.array([sum(part) * share for part in parts]), sum(observed) * share


def ends_of_metric(n_folds, case, ties):
    """Least value of a metric, and its mean over folds that are ranked perfectly."""
    metric, _ = METRICS[case]
    settings = oracle_settings(case, 12 // n_folds)
    perfect = [
        oracles.value_of_order(sorted(fold, reverse=True), metric, **settings)
        for fold in LABELS.reshape(n_folds, -1).tolist()
    ]
    below = (metric, ties) == ("bedroc", "together") or metric == "expected_profit"
    lowest = -np.inf if below else 0.0
    return lowest, float(sum(perfect) / n_folds)


@pytest.mark.parametrize(
    ("ties", "n_folds"),
    [*((rule, 1) for rule in TIES), *((rule, 2) for rule in TIES[:2])],
)
@pytest.mark.parametrize("case", METRICS)
@pytest.mark.slow
def test_all_pvalues_against_enumeration(case, ties, n_folds):
    null, observed = enumerate_mean(np.split(np.arange(12), n_folds), case, ties)
    mean = sum(null) / len(null)
    std = np.sqrt((sum((null - mean) ** 2) / len(null)).astype(float))
    wider = 1.0 if n_folds == 1 else math.sqrt(2)
    drawn = ((null - mean) / std).astype(float)
    zscores = ((observed - mean) / std).astype(float) / wider
    alone = np.mean(drawn >= zscores - 1e-9, axis=0)
    best = np.mean(drawn.max(axis=1)[:, None] >= zscores - 1e-9, axis=0)
    wide = (mean + wider * (null - mean)).astype(float).max(axis=1)
    null_maxima = wide.clip(*ends_of_metric(n_folds, case, ties))

    metric, settings = METRICS[case]
    size = 2000
    result = SearchSelectionTest(
        ties=ties, n_resamples=size, random_state=0, **named(metric, **settings)
    ).from_predictions(
        LABELS, SCORES.T, folds=None if n_folds == 1 else np.repeat([0, 1], 6)
    )
    assert_allclose(result.values, observed.astype(float), atol=1e-12)
    assert_allclose(result.null_means, mean.astype(float))
    assert_allclose(result.null_stds, std * wider)
    assert_allclose(result.zscores, zscores, atol=1e-9)
    error = 5 * math.sqrt(0.25 / size)
    assert_allclose(result.pvalues, alone, rtol=0, atol=error)
    assert_allclose(result.adjusted_pvalues, best, rtol=0, atol=error)
    error = 5 * null_maxima.std() / math.sqrt(size)
    assert result.expected_maximum == pytest.approx(
        null_maxima.mean(), abs=error + 1e-9
    )


def test_copies_of_a_candidate_cost_nothing():
    score = noise(n_candidates=1)
    test = SearchSelectionTest(random_state=0)
    one = test.from_predictions(Y, score)
    many = test.from_predictions(Y, np.exp(score) @ np.ones((1, 50)))
    assert_array_equal(many.adjusted_pvalues, np.full(50, one.pvalue))
    assert_array_equal(many.null_maxima, one.null_maxima)
    assert many.bonferroni_pvalues[0] == min(1, 50 * one.pvalue)


def test_a_candidate_without_a_choice_costs_nothing():
    # all items tied: chance has no spread, and gives just that value
    score = noise()
    test = SearchSelectionTest(random_state=0)
    few = test.from_predictions(Y, score)
    more = test.from_predictions(Y, np.c_[score, np.zeros(300)])
    assert_array_equal(more.adjusted_pvalues, [*few.adjusted_pvalues, 1.0])
    assert_array_equal(more.zscores, [*few.zscores, 0.0])
    assert more.pvalues[-1] == 1.0
    alone = test.from_predictions(Y, np.zeros((300, 1)))
    assert alone.pvalue == 1.0
    assert_allclose(alone.null_maxima, alone.null_means[0])


@pytest.mark.nightly
def test_familywise_error_of_one_list_is_exact():
    # rankings of noise, half of it shared: p is uniform but for its steps of 1/200
    rng = np.random.default_rng(5)
    y = np.arange(60) < 8
    pvalues = []
    for seed in range(runs(250)):
        score = rng.normal(size=(60, 1)) + rng.normal(size=(60, 8))
        test = SearchSelectionTest(n_resamples=199, random_state=seed)
        pvalues.append(test.from_predictions(y, score).pvalue)
    for level in (0.05, 0.2, 0.5):
        assert_share(np.array(pvalues) <= level, level, level)


# The spread of the mean over folds


def test_folds_that_copy_each_others_labels_spread_twice_in_variance():
    # each item scores the label of its twin in the other fold, so that both folds have
    # the value of the same overlap. All labels of two folds of five items: the z-score
    # has mean 0 and variance 1 if the inflation is right
    places = list(combinations(range(5), 2))
    fold, test = np.repeat([0, 1], 5), SearchSelectionTest(n_resamples=1)
    zscores = []
    for first, second in product(places, places):
        y = np.r_[np.isin(np.arange(5), first), np.isin(np.arange(5), second)]
        score = np.r_[y[5:], y[:5]].astype(float)
        result = test.from_predictions(y, score[:, None], folds=fold)
        zscores.append(result.zscores[0])
    assert np.mean(zscores) == pytest.approx(0, abs=1e-12)
    assert np.mean(np.square(zscores)) == pytest.approx(1)
    assert result.inflation == math.sqrt(2)


@pytest.mark.parametrize(
    ("metric", "best"), [("precision_at_t", 1.0), ("enrichment_factor", 12.0)]
)
def test_best_of_chance_stays_within_the_metric(metric, best):
    # folds of 12 with one target; at the top of each it is by chance in one of 144
    # draws
    y, fold = np.arange(24) % 12 == 0, np.arange(24) // 12
    test = SearchSelectionTest(random_state=0, **named(metric, t=1))
    result = test.from_predictions(y, noise(24, 3), folds=fold)
    assert result.inflation > 1
    assert result.null_maxima.min() == 0.0
    assert result.null_maxima.max() == pytest.approx(best)


def test_one_held_out_list_is_the_test_of_its_rankings():
    cv = StratifiedShuffleSplit(1, random_state=0)
    models = [KNeighborsClassifier(k) for k in (3, 9)]
    test = SearchSelectionTest(**FAST)
    result = test.from_cv(models, X, Y, cv=cv)
    (train, held_out), *_ = cv.split(X, Y)
    scores = [
        model.fit(X[train], Y[train]).predict_proba(X[held_out])[:, 1]
        for model in models
    ]
    ready = test.from_predictions(Y[held_out], np.transpose(scores))
    assert result.inflation == 1.0
    assert result.n_samples == 30
    assert_array_equal(result.null_maxima, ready.null_maxima)
    assert_array_equal(result.adjusted_pvalues, ready.adjusted_pvalues)


@pytest.mark.nightly
def test_familywise_error_of_folds():
    # neighbours in noise; the bound is not reached, so the error stays below
    rng, pvalues = np.random.default_rng(8), []
    models = [KNeighborsClassifier(k) for k in (3, 25)]
    for seed in range(runs(60)):
        y = rng.permutation(np.arange(200) < 20)
        test = SearchSelectionTest(n_resamples=99, random_state=seed)
        pvalues.append(test.from_cv(models, rng.normal(size=(200, 3)), y, cv=3).pvalue)
    for level in (0.05, 0.2):
        assert_share(np.array(pvalues) <= level, most=level)


# Searches


def test_result_joins_the_table_of_the_search():
    search = knn_search()
    result = SearchSelectionTest(**FAST).from_search(search, X, Y)
    assert isinstance(result, SearchSelectionResult)
    assert result.candidates == tuple(search.cv_results_["params"])
    assert_allclose(result.values, search.cv_results_["mean_test_score"])
    assert result.best_index == search.best_index_
    table = pd.DataFrame(search.cv_results_).join(result.to_frame())
    assert len(table) == 3
    assert table["candidate"].tolist() == table["params"].tolist()
    assert_allclose(table["value"], table["mean_test_score"])
    assert_array_equal(table["adjusted_pvalue"], result.adjusted_pvalues)


def test_other_searches():
    test = SearchSelectionTest(**FAST)
    settings = {"scoring": make_average_precision_scorer(), "cv": 3, "random_state": 0}
    search = RandomizedSearchCV(
        KNeighborsClassifier(), NEIGHBOURS, n_iter=2, **settings
    ).fit(X, Y)
    result = test.from_search(search, X, Y)
    assert_allclose(result.values, search.cv_results_["mean_test_score"])
    search = HalvingGridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, **settings)
    result = test.from_search(search.fit(X, Y), X, Y)
    assert result.n_candidates == 2
    assert result.candidates[result.best_index] == search.best_params_


MANY = X[:, 0] > np.median(X[:, 0])  # so that parts of folds hold targets


def halving_in_steps(**settings):
    """Search that begins with nine candidates, and gives up two thirds at a time."""
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5, 20]}
    scoring = make_average_precision_scorer()
    model = RandomForestClassifier(5, random_state=0)
    return HalvingGridSearchCV(
        model, grid, scoring=scoring, cv=3, random_state=0, **settings
    ).fit(X, MANY)


def as_newer(search):
    """Return what scikit-learn 1.10 keeps: the last iteration, and all apart."""
    table = search.cv_results_
    last = np.flatnonzero(np.asarray(table["iter"]) == max(table["iter"]))
    newer = copy(search)
    newer.all_cv_results_ = {k: v for k, v in table.items() if "rank_" not in k}
    newer.cv_results_ = {k: [v[i] for i in last] for k, v in table.items()}
    newer.best_index_ = last.tolist().index(search.best_index_)
    return newer


@pytest.mark.filterwarnings("ignore:The search chose its winner by other values")
@pytest.mark.parametrize(
    ("settings", "n_tried"),
    [
        ({"min_resources": 30}, 9),
        ({"resource": "n_estimators", "max_resources": 9}, 13),
    ],
    ids=["of items", "of trees"],
)
@pytest.mark.slow
def test_halving_is_tested_by_all_that_it_began_with(settings, n_tried):
    # each once, the winner among them: 9 candidates, then 3 and 1; with another
    # resource, which is a parameter of the candidates, these are others
    search = halving_in_steps(**settings)
    if "resource" not in settings:
        assert search.n_candidates_ == [9, 3, 1]
    test = SearchSelectionTest(**FAST)
    result = test.from_search(search, X, MANY)
    assert result.n_candidates == n_tried
    assert {str(one) for one in result.candidates} == {
        str(one) for one in search.cv_results_["params"]
    }
    assert result.candidates[result.best_index] == search.best_params_
    newer = test.from_search(as_newer(search), X, MANY)
    assert newer.candidates == result.candidates
    assert newer.best_index == result.best_index
    assert newer.pvalue == result.pvalue
    assert_array_equal(newer.adjusted_pvalues, result.adjusted_pvalues)


def test_winner_of_a_search_by_several_metrics():
    names = ("average_precision", "precision@10")
    scoring = {name: make_metric_scorer(name) for name in names}
    test = SearchSelectionTest(**named("precision_at_t", t=10, **FAST))
    search = knn_search(scoring=scoring, refit="precision@10")
    result = test.from_search(search, X, Y)
    assert result.best_index == search.best_index_
    assert_allclose(result.values, search.cv_results_["mean_test_precision@10"])
    result = test.from_search(knn_search(scoring=scoring, refit=False), X, Y)
    assert result.best_index == np.argmax(result.zscores)


class Picky(LogisticRegression):
    """Cannot be fitted with some values of C."""

    def fit(self, X, y):
        if self.C in (2, 3):
            message = "not with this C"
            raise RuntimeError(message)
        return super().fit(X, y)


def test_failed_candidates_are_left_out():
    scoring = {"ap": make_average_precision_scorer(), "auc": "roc_auc"}
    grid = GridSearchCV(Picky(), {"C": [3, 1, 2, 10]}, scoring=scoring, refit=False)
    with warnings.catch_warnings(action="ignore"):
        search = grid.fit(X, Y)
    test = SearchSelectionTest(**FAST)
    with pytest.warns(FitFailedWarning, match="2 of 4 candidates have no") as caught:
        result = test.from_search(search, X, Y)
    assert caught[0].filename == __file__
    assert_allclose(result.values, search.cv_results_["mean_test_ap"])
    assert result.best_index == np.nanargmax(result.zscores)
    assert "best of           4 candidates, 2 failed\n" in str(result)
    table = result.to_frame()
    assert table["candidate"].tolist() == search.cv_results_["params"]
    tested = test.from_cv([Picky(C=1), Picky(C=10)], X, Y).to_frame()
    numbers = table.drop(columns=["candidate", "is_best"])
    assert_array_equal(numbers.iloc[[1, 3]], tested[numbers.columns])
    assert numbers.iloc[[0, 2]].isna().all(axis=None)


def test_errors_name_the_candidate():
    models = {"good": Picky(), "bad": Picky(C=3)}
    for n_jobs in (1, 2):
        with (
            joblib.parallel_config(backend="threading"),
            pytest.raises(RuntimeError, match="not with this C") as caught,
        ):
            SearchSelectionTest(n_jobs=n_jobs).from_cv(models, X, Y)
        assert caught.value.__notes__ == ["The model was 'bad'."]


def halving():
    grid = {"C": [0.01, 0.1, 1]}
    settings = {"scoring": make_average_precision_scorer(), "random_state": 0}
    search = HalvingGridSearchCV(
        LogisticRegression(), grid, cv=2, min_resources=200, **settings
    )
    return search.fit(X, Y)


@pytest.mark.parametrize(
    ("search", "items"),
    [
        (knn_search, np.c_[X, np.arange(300)]),
        (functools.partial(knn_search, scoring="roc_auc"), X),
        (halving, X),
        (
            functools.partial(
                knn_search,
                scoring={
                    name: make_metric_scorer(name)
                    for name in ("average_precision", "recall@10")
                },
                refit="recall@10",
            ),
            X,
        ),
    ],
    ids=["data", "metric", "halving", "one of several"],
)
def test_a_search_that_chose_by_other_values_is_told_of(search, items):
    search = search()
    message = "chose its winner by other values: 3 of 3 candidates differ"
    with pytest.warns(UserWarning, match=message) as caught:
        result = SearchSelectionTest(**FAST).from_search(search, items, Y)
    assert [warning.filename for warning in caught] == [__file__]
    name = "mean_test_recall@10" if search.multimetric_ else "mean_test_score"
    apart = np.abs(result.values - search.cv_results_[name])
    assert f"Candidate {apart.argmax()} differs most" in str(caught[0].message)


def test_estimators_of_a_grid_are_not_fitted_themselves():
    model = KNeighborsClassifier(3)
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression": [model, LogisticRegression()]}
    search = GridSearchCV(pipe, grid, scoring=make_average_precision_scorer()).fit(X, Y)
    result = SearchSelectionTest(**FAST).from_search(search, X, Y)
    assert_allclose(result.values, search.cv_results_["mean_test_score"])
    assert not hasattr(model, "classes_")


# Refusals


def test_folds_of_one_class_are_left_out():
    fold = np.repeat([0, 1, 2], 100)
    y = Y.copy()
    y[:100] = 0
    test = SearchSelectionTest(**FAST)
    cv = PredefinedSplit(fold)
    message = "1 of 3 folds have no targets"
    with pytest.warns(UndefinedMetricWarning, match=message) as first:
        result = test.from_predictions(y, noise(), folds=fold)
    with pytest.warns(UndefinedMetricWarning, match=message) as second:
        fitted = test.from_cv([KNeighborsClassifier()], X, y, cv=cv)
    assert first[0].filename == second[0].filename == __file__
    assert result.n_rankings == fitted.n_rankings == 2
    assert result.n_samples == fitted.n_samples == 200


# The test and its result as objects


def test_printed_result():
    y = np.arange(20) < 3
    score = np.c_[-np.arange(20.0), np.arange(20.0), np.zeros(20)]
    table = pd.DataFrame(score, columns=["good", "bad", "flat"])
    test = SearchSelectionTest("precision@5", n_resamples=99, random_state=0)
    result = test.from_predictions(y, table)
    assert repr(result) == str(result)
    lines = str(result).splitlines()
    # hypergeometric (20, 3, 5): variance 5 * 0.15 * 0.85 * 15/19
    assert lines == [
        "Search selection test of precision@5",
        "  ranking           20 items, 3 targets (prevalence 0.15)",
        "  candidate         good",
        "  best of           3 candidates",
        "  value             0.6",
        "  null mean         0.15",
        "  null std          0.142",
        f"  expected maximum  {result.null_maxima.mean():.4g}",
        "  zscore            3.17",
        f"  pvalue            {result.pvalue:.2g}   P(largest null zscore >= observed)",
        f"  unadjusted        {result.pvalues[0]:.2g}, "
        f"Bonferroni {3 * result.pvalues[0]:.2g}",
    ]
    assert "2 folds" in str(test.from_predictions(y, score, folds=np.arange(20) % 2))


def test_result_as_plain_numbers():
    result = SearchSelectionTest(**FAST).from_predictions(Y, noise())
    fields = result.to_dict()
    assert {type(value) for value in fields.values()} == {int, float, str}
    assert fields["candidate"] == str(result.best_index)
    assert fields["value"] == result.value
    assert fields["adjusted_pvalue"] == result.pvalue
    assert fields["n_candidates"] == 4
    assert fields["n_resamples"] == 199
    table = result.to_frame()
    assert len(table) == 4
    assert np.flatnonzero(table["is_best"]).tolist() == [result.best_index]


@pytest.mark.parametrize(
    ("value", "printed"),
    [(np.float64(0.1), "0.1"), ([np.str_("a"), np.True_], "['a', True]")],
)
def test_names_are_printed_with_plain_numbers(value, printed):
    result = SearchSelectionTest(n_resamples=1).from_predictions(Y, noise()[:, :1])
    named = dataclasses.replace(result, candidates=({"C": value},))
    assert f"  candidate         {{'C': {printed}}}\n" in str(named)
    assert "  best of           1 candidate\n" in str(named)
    assert named.to_dict()["candidate"] == f"{{'C': {printed}}}"


# Refusals


def test_search_must_be_fitted_and_keep_its_folds():
    test = SearchSelectionTest(**FAST)
    search = GridSearchCV(KNeighborsClassifier(), NEIGHBOURS)
    with pytest.raises(NotFittedError, match="got GridSearchCV without cv_results_."):
        test.from_search(search, X, Y)
    search.cv_results_ = {"mean_test_score": [0.5]}  # as of OptunaSearchCV
    message = r"got GridSearchCV without cv_results_\['params'\]"
    with pytest.raises(NotFittedError, match=message):
        test.from_search(search, X, Y)
    for other in (KNeighborsClassifier().fit(X, Y), [KNeighborsClassifier()]):
        name = type(other).__name__
        with pytest.raises(ValueError, match=f"`search` must be .*; got {name}"):
            test.from_search(other, X, Y)
    search = knn_search(cv=StratifiedKFold(3, shuffle=True))
    with pytest.raises(ValueError, match="`search.cv` must make the same folds"):
        test.from_search(search, X, Y)
    search = knn_search(cv=iter([(np.arange(200), np.arange(200, 300))]))
    with pytest.raises(ValueError, match="`cv` must make folds each time.*got none"):
        test.from_search(search, X, Y)


def test_candidates_are_checked():
    test = SearchSelectionTest(**FAST)
    with pytest.raises(ValueError, match="`estimator` must contain at least one"):
        test.from_cv([], X, Y)
    spent = (fold for fold in ())
    with pytest.raises(ValueError, match="`cv` must make folds each time.*got none"):
        test.from_cv([KNeighborsClassifier()], X, Y, cv=spent)


def test_the_same_folds_twice_are_those_folds():
    """A repetition that adds nothing changes nothing but the draws."""
    models = [KNeighborsClassifier(k) for k in (5, 25)]
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, Y))
    test = SearchSelectionTest(n_resamples=1999, random_state=0)
    once, twice = (test.from_cv(models, X, Y, cv=cv) for cv in (folds, 2 * folds))
    for name in ("values", "null_means", "null_stds", "zscores"):
        assert_allclose(getattr(twice, name), getattr(once, name))
    assert (once.inflation, twice.inflation) == (math.sqrt(2), math.sqrt(2))
    error = np.sqrt(once.adjusted_pvalues * (1 - once.adjusted_pvalues) / 1000)
    gap = np.abs(once.adjusted_pvalues - twice.adjusted_pvalues)
    assert np.all(gap < 4 * error + 0.001)


def test_repeated_folds_vary_as_one_repetition():
    """Judge: the test of the folds of each repetition alone."""
    model = KNeighborsClassifier(9)
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    folds = list(cv.split(X, Y))
    alone = [
        RandomSelectionTest().from_cv(model, X, Y, cv=folds[i : i + 4])
        for i in (0, 4, 8)
    ]
    result = SearchSelectionTest(**FAST).from_cv([model], X, Y, cv=cv)
    assert result.n_rankings == 12
    assert result.value == pytest.approx(np.mean([one.value for one in alone]))
    variance = np.mean([one.null_std**2 for one in alone])
    assert result.null_stds[0] == pytest.approx(math.sqrt(variance))
    search = knn_search(cv=cv)
    values = SearchSelectionTest(**FAST).from_search(search, X, Y).values
    assert_allclose(values, search.cv_results_["mean_test_score"])


class KnowsNothingOfSomeFolds(KNeighborsClassifier):
    """Gives all items one score if its first training item is below 0."""

    def fit(self, X, y):
        self.is_constant = X[0, 0] < 0
        return super().fit(X, y)

    def predict_proba(self, X):
        found = super().predict_proba(X)
        return np.full_like(found, 0.5) if self.is_constant else found


def test_a_repetition_without_a_choice_has_one_value():
    """Judge: half of the draws are of the repetition in which all items are tied."""
    rng = np.random.default_rng(0)
    items, y = np.abs(rng.normal(size=(120, 2))), np.arange(120) % 3 == 0
    items[:2] *= -1
    even, odd = np.arange(0, 120, 2), np.arange(1, 120, 2)
    folds = [(even, odd), (odd, even), (even[::-1], odd), (odd[::-1], even)]
    test = SearchSelectionTest(n_resamples=4000, random_state=0)
    result = test.from_cv([KnowsNothingOfSomeFolds()], items, y, cv=folds)
    mean = result.null_means[0]
    tied = np.isclose(result.null_maxima, mean, atol=1e-12)
    assert_share(tied, 0.5, 0.5)
    assert result.null_maxima[~tied].std() > 0


def test_random_splits_are_repetitions_of_one_fold():
    cv = StratifiedShuffleSplit(5, test_size=0.3, random_state=0)
    result = SearchSelectionTest(**FAST).from_cv([KNeighborsClassifier()], X, Y, cv=cv)
    assert result.inflation == 1


@pytest.mark.nightly
def test_size_on_repeated_folds():
    rng, found = np.random.default_rng(4), []
    models = [KNeighborsClassifier(k) for k in (1, 3, 9, 25)]
    for seed in range(runs(40)):
        y, items = rng.permutation(160) < 20, rng.normal(size=(160, 4))
        cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=seed)
        result = SearchSelectionTest(**FAST).from_cv(models, items, y, cv=cv)
        found.append(result.pvalue <= 0.05)
    assert_share(found, most=0.05)
