"""Scorers relative to chance, judged by the test itself."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from cases import named
from skrank import RandomSelectionTest, make_metric_scorer

X, Y = make_classification(300, n_features=5, weights=[0.9], random_state=2)
STATISTICS = ("zscore", "log10_pvalue", "chance_adjusted")


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"metric": "recall_at_t", "t": 0.1},
        {"metric": "average_precision_at_k", "k": 20, "normalize": "hits"},
        {"metric": "bedroc", "alpha": 10.0, "ties": "together"},
    ],
)
def test_scores_are_those_of_the_test(settings):
    model = KNeighborsClassifier(9).fit(X[::2], Y[::2])
    result = RandomSelectionTest(**named(**settings)).from_estimator(
        model, X[1::2], Y[1::2]
    )
    expected = {
        "zscore": result.zscore,
        "log10_pvalue": -result.log10_pvalue,
        "chance_adjusted": (result.value - result.null_mean) / (1 - result.null_mean),
    }
    for statistic, value in expected.items():
        scorer = make_metric_scorer(statistic=statistic, **named(**settings))
        assert scorer(model, X[1::2], Y[1::2]) == pytest.approx(value)


def test_perfect_ranking_is_one_after_adjustment():
    class Oracle(GaussianNB):
        def predict_proba(self, X):
            return np.c_[1 - X[:, 0], X[:, 0]]

    scorer = make_metric_scorer("AP", statistic="chance_adjusted")
    model = Oracle().fit(np.c_[Y, Y], Y)
    assert scorer(model, np.c_[Y + np.arange(300) * 1e-4, Y], Y) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("model", "grid", "target", "n_items"),
    [
        (KNeighborsClassifier(), {"n_neighbors": [1, 5, 400]}, 0, 600),
        (SVC(), {"C": [1e-9, 1.0], "kernel": ["rbf", "linear"]}, 0, 600),
        # near the perfect ranking, and too long a ranking to enumerate
        (SVC(), {"C": [1e-9, 1.0]}, 1, 1797),
    ],
)
def test_no_candidate_of_a_search_is_without_a_score(model, grid, target, n_items):
    """One digit against the rest: nearly perfect candidates, and constant ones."""
    items, digit = load_digits(return_X_y=True)
    search = GridSearchCV(
        model,
        grid,
        scoring={name: make_metric_scorer("AP", statistic=name) for name in STATISTICS},
        refit="log10_pvalue",
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(items[:n_items], digit[:n_items] == target)
    for name in STATISTICS:
        scores = search.cv_results_[f"mean_test_{name}"]
        assert np.isfinite(scores).all()
        assert scores[search.best_index_] > 0


def test_names_say_what_is_better():
    names = [make_metric_scorer("AP", statistic=name).__name__ for name in STATISTICS]
    assert names == [
        "zscore(average_precision)",
        "neg_log10_pvalue(average_precision)",
        "chance_adjusted(average_precision)",
    ]


@pytest.mark.parametrize("statistic", STATISTICS)
def test_undefined_is_the_users_choice(statistic):
    # the number is the score, whatever the direction
    model = GaussianNB().fit(X, Y)
    nothing = np.zeros(20, dtype=int)
    with pytest.warns(UndefinedMetricWarning, match=f"{statistic} is undefined: `y_tr"):
        assert math.isnan(
            make_metric_scorer("AP", statistic=statistic)(model, X[:20], nothing)
        )
    scorer = make_metric_scorer(
        "average_precision", statistic=statistic, undefined=-1.0
    )
    assert scorer(model, X[:20], nothing) == -1.0
    with pytest.raises(ValueError, match="is undefined"):
        make_metric_scorer("AP", statistic=statistic, undefined="raise")(
            model, X[:20], nothing
        )


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ties": "optimistic"},  # the largest value, whatever the order
        {"metric": "recall_at_t", "t": 60},
        {"metric": "bedroc", "ties": "pessimistic"},
    ],
)
def test_constant_scores_are_chance(statistic, settings):
    model = KNeighborsClassifier(240).fit(X[:240], Y[:240])
    scorer = make_metric_scorer(statistic=statistic, **named(**settings))
    assert scorer(model, X[240:], Y[240:]) == 0


def test_perfect_ranking_has_the_least_pvalue():
    # C(300, m) placements, one of them perfect
    oracle = Ridge().fit(np.c_[Y], Y)
    items = np.c_[Y + np.arange(300) * 1e-4]
    scorer = make_metric_scorer("AP", statistic="log10_pvalue")
    expected = math.log10(math.comb(300, int(Y.sum())))
    assert scorer(oracle, items, Y) == pytest.approx(expected)
    assert scorer(oracle, np.c_[Y], Y) == pytest.approx(expected)


def test_cross_validate_scores_folds_of_chance_near_zero():
    # labels that have nothing to do with the items: z has mean 0
    rng = np.random.default_rng(0)
    scorer = make_metric_scorer("AP", statistic="zscore")
    scores = [
        cross_validate(
            GaussianNB(),
            rng.normal(size=(200, 2)),
            rng.permutation(200) < 20,
            scoring=scorer,
        )["test_score"].mean()
        for _ in range(40)
    ]
    assert abs(np.mean(scores)) < 4 * np.std(scores) / math.sqrt(40)


@pytest.mark.parametrize("metric", ["rie", "enrichment_factor"])
def test_adjustment_needs_a_largest_value(metric):
    settings = {"t": 10} if metric == "enrichment_factor" else {}
    with pytest.raises(ValueError, match='`statistic` must not be "chance_adjusted"'):
        make_metric_scorer(statistic="chance_adjusted", **named(metric, **settings))


def test_bad_statistic():
    with pytest.raises(ValueError, match="`statistic` must be one of 'zscore', 'log10"):
        make_metric_scorer("AP", statistic="pvalue")
