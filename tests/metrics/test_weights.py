"""Weights: their unit, their ties, and searches that hand them to a scorer."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.tree import DecisionTreeClassifier

import skrank
from cases import ALL, TIES, metric_function, metric_of
from skrank import SearchSelectionTest

# rounded in units of weight, or without a meaning under weights
IN_UNITS = ("reciprocal_rank", "ndcg", "rie", "bedroc", "log_auc")
FRACTIONS = {
    "average_precision@4 min": {"k": 0.4},
    "average_precision@1 min": {"k": 0.01},
    "average_precision@4 relevant": {"k": 0.4},
    "average_precision@4 hits": {"k": 0.4},
    "recall@4": {"t": 0.4},
    "recall@4 min": {"t": 0.4},
    "precision@4": {"t": 0.4},
    "specificity@4": {"t": 0.4},
    "enrichment_factor@4": {"t": 0.4},
    "expected_profit@4": {"t": 0.4},
}
# those whose value depends on an order inside ties
ORDERED = [
    case
    for case in ALL
    if case.startswith(("average", "k_at", "precision_at_recall", "wss"))
]
EXPONENTS = [-960, -541, -1, 1, 511, 960]


def weighted_columns(n=60, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    y_true, y_score = rng.random(n) < 0.3, rng.normal(size=n)
    weight = rng.exponential(size=n) * rng.choice([1.0, 1e-6, 1e6, 0.0], size=n)
    weight[np.flatnonzero(y_true)[0]] = 1.0
    return y_true, np.round(y_score) if ties else y_score, weight


def in_fractions(case):
    """Return the metric of a case, with a cutoff that is a share of the weight."""
    metric = metric_function(case)
    return lambda *args, **kwargs: metric(
        *args, **{**FRACTIONS.get(case, {}), **kwargs}
    )


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    "case", [case for case in ALL if not case.startswith(IN_UNITS)]
)
def test_metrics_have_no_unit_of_weight(case, ties):
    # powers of two are exact, so that sums and ratios stay the same to the last bit,
    # unless a product or a quotient of weights leaves the range of floats on the way
    metric = in_fractions(case)
    for seed in range(3):
        tied = case not in ORDERED or ties == "together"
        y_true, y_score, weight = weighted_columns(seed=seed, ties=tied)
        value = metric(y_true, y_score, ties=ties, sample_weight=weight)
        if not case.startswith(("k_at_recall", "expected_profit")):
            scaled = [
                metric(y_true, y_score, ties=ties, sample_weight=weight * 2.0**exponent)
                for exponent in EXPONENTS
            ]
            assert scaled == [value] * len(EXPONENTS)
            continue
        for exponent in EXPONENTS:  # a depth or a profit, in units of weight itself
            scaled = weight * 2.0**exponent
            depth = metric(y_true, y_score, ties=ties, sample_weight=scaled)
            assert depth == value * 2.0**exponent


@pytest.mark.parametrize("ties", ["expected", "optimistic", "pessimistic"])
@pytest.mark.parametrize("case", ["rie", "bedroc", "bedroc alpha=3"])
def test_early_recognition_has_no_unit_of_weight(case, ties):
    metric = metric_function(case)
    y_true, y_score, weight = weighted_columns(ties=True)
    value = metric(y_true, y_score, ties=ties, sample_weight=weight)
    for exponent in EXPONENTS:
        scaled = weight * 2.0**exponent
        other = metric(y_true, y_score, ties=ties, sample_weight=scaled)
        assert other == pytest.approx(value, rel=1e-13)


RANKS_COUNT = [
    *(("reciprocal_rank", ties) for ties in TIES),
    *(("ndcg", ties) for ties in TIES),
    *((name, "together") for name in ("rie", "bedroc(alpha=3)")),
]


@pytest.mark.parametrize(("name", "ties"), RANKS_COUNT)
def test_what_counts_ranks_refuses_weights(name, ties):
    metric = skrank.make_metric(name, ties)
    y_true, y_score, weight = weighted_columns()
    with pytest.raises(ValueError, match="`sample_weight` must be None for .* a rank"):
        metric(y_true, y_score, sample_weight=weight)
    ranking = skrank.Ranking.from_predictions(y_true, y_score, sample_weight=weight)
    with pytest.raises(ValueError, match="`sample_weight` must be None for .* a rank"):
        metric(ranking)
    assert "sample_weight" not in inspect.signature(skrank.reciprocal_rank).parameters


def test_tiny_and_huge_weights_against_sklearn():
    for seed in range(20):
        y_true, y_score, weight = weighted_columns(seed=seed, ties=seed % 2 == 0)
        for factor in (1e-300, 1e-165, 1.0, 1e154, 1e290):
            given = {"sample_weight": weight * factor}
            ours = skrank.average_precision(y_true, y_score, ties="together", **given)
            theirs = average_precision_score(y_true, y_score, **given)
            assert ours == pytest.approx(theirs, rel=1e-12)


def test_weights_by_which_nothing_can_be_divided_are_refused():
    y_true, y_score, _ = weighted_columns()
    with pytest.raises(ValueError, match="`sample_weight` must be finite.*1e-300; got"):
        skrank.rie(y_true, y_score, sample_weight=np.full(60, 1e-310))


# Ties of weighted items


@given(
    st.lists(
        st.tuples(st.booleans(), st.floats(1, 1000)), min_size=2, max_size=25
    ).filter(lambda items: 0 < sum(hit for hit, _ in items) < len(items))
)
def test_without_ties_every_rule_is_that_of_sklearn(items):
    y_true, weight = (np.array(column) for column in zip(*items, strict=True))
    y_score = np.arange(y_true.size, 0, -1.0)
    judge = average_precision_score(y_true, y_score, sample_weight=weight)
    for ties in TIES:  # warnings are errors
        settings = {"ties": ties, "sample_weight": weight}
        value = skrank.average_precision(y_true, y_score, **settings)
        assert value == pytest.approx(judge, rel=1e-12)


@pytest.mark.parametrize("case", [case for case in FRACTIONS if "min" not in case])
def test_an_int_cutoff_with_weights_is_told(case):
    # as with amounts of money: the first four units, and not the first four items
    metric, (name, share) = metric_function(case), *FRACTIONS[case].items()
    y_true, y_score, weight = weighted_columns()
    amount = weight * 4 / share / weight.sum()
    with pytest.warns(UserWarning, match=f"`{name}`=4 counts units of weight") as w:
        value = metric(y_true, y_score, sample_weight=amount)
    assert w[0].filename.endswith("cases.py")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judge = in_fractions(case)(y_true, y_score, sample_weight=amount)
    with pytest.warns(UserWarning, match=f"`{name}`=4 counts units of weight"):
        metric(y_true, y_score, sample_weight=np.ceil(amount))  # as of a search
    assert value == pytest.approx(judge, rel=1e-12)


@pytest.mark.filterwarnings("ignore:The weights are so unequal")
def test_an_interval_tells_of_an_int_cutoff_once_and_not_by_each_resample():
    y_true, y_score, weight = weighted_columns()
    interval = skrank.MetricInterval("recall@2", n_resamples=20)
    given = {"sample_weight": weight / 3}
    with pytest.warns(UserWarning, match="`t`=2 counts units of weight") as caught:
        interval.from_predictions(y_true, y_score, **given)
    told = [one.filename for one in caught if "counts units" in str(one.message)]
    assert told == [__file__]


@pytest.mark.parametrize("case", ORDERED)
def test_ties_of_weighted_items_are_retrieved_whole_with_a_warning(case):
    metric = in_fractions(case)
    y_true, y_score, weight = weighted_columns(ties=True)
    whole = metric(y_true, y_score, ties="together", sample_weight=weight)
    with pytest.warns(UserWarning, match="ties as a whole.*ties='together'") as w:
        assert metric(y_true, y_score, sample_weight=weight) == whole
    assert w[0].filename.endswith("cases.py")  # the caller of the metric
    for ties in ("optimistic", "pessimistic"):
        message = "`ties` must be 'together' or 'expected' when .*sample_weight.*; got"
        with pytest.raises(ValueError, match=message):
            metric(y_true, y_score, ties=ties, sample_weight=weight)


def test_a_tie_is_one_of_a_target_with_other_weight():
    def value(y_true, y_score, sample_weight):
        return skrank.average_precision(y_true, y_score, sample_weight=sample_weight)

    assert value([1, 0, 0], [2.0, 1, 1], [1, 2, 3]) == 1  # a tie without targets
    assert value([1, 0, 0], [2.0, 2, 1], [2, 0, 3]) == 1  # one with nothing
    for y_true in ([1, 0, 0], [1, 1, 0]):
        with pytest.warns(UserWarning, match="retrieves ties as a whole"):
            value(y_true, [2.0, 2, 1], [1, 2, 3])


@pytest.mark.parametrize(
    "case", [case for case in ALL if not metric_of(case).counts_ranks]
)
def test_weights_of_one_are_no_weights(case):
    metric = metric_function(case)
    y_true, y_score, _ = weighted_columns(ties=True)
    for ties in TIES:
        plain = metric(y_true, y_score, ties=ties)
        for ones in (np.ones(60), [1] * 60):
            assert metric(y_true, y_score, ties=ties, sample_weight=ones) == plain


# Searches that are fitted with weights

X, Y = make_classification(300, n_features=5, weights=[0.8], random_state=1)
WEIGHT = np.random.default_rng(2).exponential(size=Y.size)
MODELS = {
    "linear": (LogisticRegression(), {"C": [1e-3, 0.1, 10]}),
    "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 6]}),
}


def weighted_search(model, scoring, **settings):
    estimator, grid = MODELS[model]
    search = GridSearchCV(estimator, grid, scoring=scoring, cv=4, **settings)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* retrieves ties as a whole")
        warnings.filterwarnings("ignore", "The scoring .* does not support sample_wei")
        return search.fit(X, Y, sample_weight=WEIGHT)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_a_search_with_weights_is_that_of_sklearn(model, routing):
    # weighted or not, as the version of scikit-learn has it
    with sklearn.config_context(enable_metadata_routing=routing):
        ours = skrank.make_average_precision_scorer()
        theirs = make_scorer(average_precision_score, response_method="predict_proba")
        if routing:
            ours.set_score_request(sample_weight=True)
            theirs.set_score_request(sample_weight=True)
            MODELS[model][0].set_fit_request(sample_weight=True)
        searches = [weighted_search(model, scorer) for scorer in (ours, theirs)]
    values, expected = (one.cv_results_["mean_test_score"] for one in searches)
    assert np.isfinite(values).all()
    if model == "linear" or routing:  # ties, and no weights: another rule
        np.testing.assert_allclose(values, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["reciprocal_rank", "rie", "bedroc"])
def test_a_search_scores_ranks_without_weights(name):
    """The judge fits with weights, and ranks the held-out items without."""
    metric = skrank.make_metric(name, "together")
    search = weighted_search("tree", skrank.make_metric_scorer(metric))
    estimator, grid = MODELS["tree"]
    values = [
        [
            metric(Y[test], fitted.predict_proba(X[test])[:, 1])
            for train, test in StratifiedKFold(4).split(X, Y)
            for fitted in [
                clone(estimator)
                .set_params(max_depth=depth)
                .fit(X[train], Y[train], sample_weight=WEIGHT[train])
            ]
        ]
        for depth in grid["max_depth"]
    ]
    found = search.cv_results_["mean_test_score"]
    np.testing.assert_allclose(found, np.mean(values, axis=1), rtol=1e-12)


def broken(y_true, y_score):
    raise ValueError("no value")


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test")
def test_a_search_in_which_no_candidate_has_a_score_is_refused():
    bad = make_scorer(broken, response_method="predict_proba")
    estimator, grid = MODELS["linear"]
    message = "`search` must have a candidate with a score; got NaN for all 3 in mean_"
    for scoring, refit in ((bad, True), ({"a": bad, "b": "roc_auc"}, "a")):
        search = GridSearchCV(estimator, grid, scoring=scoring, refit=refit, cv=4)
        with pytest.raises(ValueError, match=message):
            SearchSelectionTest(n_resamples=9).from_search(search.fit(X, Y), X, Y)
    search = GridSearchCV(estimator, grid, scoring={"a": bad}, refit=False, cv=4)
    with pytest.raises(ValueError, match="got NaN for all 3 in "):
        SearchSelectionTest(n_resamples=9).from_search(search.fit(X, Y), X, Y)


def test_a_search_without_scores_is_tested_as_it_is():
    search = weighted_search("linear", "roc_auc")
    expected = SearchSelectionTest(n_resamples=9, random_state=0)
    expected = expected.from_cv(
        [LogisticRegression(C=C) for C in MODELS["linear"][1]["C"]], X, Y, cv=4
    )
    search.cv_results_ = {"params": search.cv_results_["params"]}
    del search.best_index_
    test = SearchSelectionTest(n_resamples=9, random_state=0)
    result = test.from_search(search, X, Y)
    np.testing.assert_array_equal(result.values, expected.values)


@pytest.mark.slow
@pytest.mark.parametrize("form", [np.asarray, list])
def test_parameters_of_fit_are_those_of_a_cross_validation(form):
    estimator, _ = MODELS["linear"]
    params = {"sample_weight": form(WEIGHT)}
    scores = cross_val_predict(
        estimator, X, Y, cv=4, params=params, method="decision_function"
    )
    folds = np.zeros(Y.size)
    for number, (_, test) in enumerate(StratifiedKFold(4).split(X, Y)):
        folds[test] = number
    test = SearchSelectionTest(n_resamples=9, random_state=0)
    expected = test.from_predictions(Y, {"model": scores}, folds=folds)
    for n_jobs in (None, 2):
        test = SearchSelectionTest(n_resamples=9, random_state=0, n_jobs=n_jobs)
        result = test.from_cv([estimator], X, Y, cv=4, params=params)
        np.testing.assert_array_equal(result.values, expected.values)
    plain = test.from_cv([estimator], X, Y, cv=4)
    assert plain.values != result.values


def test_a_weighted_search_is_tested_with_its_weights():
    test = SearchSelectionTest(n_resamples=9, random_state=0)
    scorer = make_scorer(
        skrank.average_precision, response_method="predict_proba", ties="together"
    )
    with sklearn.config_context(enable_metadata_routing=True):
        MODELS["linear"][0].set_fit_request(sample_weight=True)
        search = weighted_search(
            "linear", scorer.set_score_request(sample_weight=False)
        )
    # the weights of the fits are given: the values are those of the search, no warning
    result = test.from_search(search, X, Y, params={"sample_weight": WEIGHT})
    assert result.best_index == search.best_index_
    np.testing.assert_allclose(result.values, search.cv_results_["mean_test_score"])
    with pytest.warns(UserWarning, match="different `params` of fit; weights that its"):
        test.from_search(search, X, Y)


def test_parameters_of_fit_have_names():
    message = (
        "`params` must be a mapping from names to parameters of fit.*; got ndarray"
    )
    with pytest.raises(ValueError, match=message):
        SearchSelectionTest().from_cv([LogisticRegression()], X, Y, params=WEIGHT)


@pytest.mark.parametrize(
    ("targets", "others", "warned"),
    [
        ([1, 1], [5] * 10, True),
        ([1], [5] * 10, False),  # one weight can be equal to itself only
        ([1, 1], [5] * 9, False),  # few weights can be equal by chance
        ([1, 2], [5] * 10, False),
        ([2, 1], [5] * 10, False),
        ([1, 1], [5] * 9 + [6], False),
        ([1, 1], [1] * 10, False),
        ([1, 1], [0.5] * 10, False),
        ([10, 10], [20] * 10, True),
        ([60, 60], [12] * 10, False),
        ([1] * 20, [2] * 10, False),  # the classes are balanced
        ([1] * 19, [2] * 10, True),
    ],
)
def test_weights_as_of_some_of_the_non_targets_bring_a_warning(targets, others, warned):
    """Judge: the words of the warning; weights that balance classes are no sample."""
    y_true = np.repeat([1, 0], [len(targets), len(others)])
    weight = np.array([*targets, *others], dtype=float)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        skrank.average_precision(y_true, -np.arange(y_true.size), sample_weight=weight)
    assert [
        ("a part of the non-targets was kept" in str(one.message)) for one in caught
    ] == [True] * warned
