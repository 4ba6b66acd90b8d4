"""Scorers do in scikit-learn what its own do, and refuse what they should."""

import pickle
from collections import Counter
from typing import ClassVar

import matplotlib as mpl
import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, average_precision_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    LearningCurveDisplay,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, OneClassSVM

from skrank import (
    RandomSelectionTest,
    average_precision,
    average_precision_at_k,
    bedroc,
    breakeven_point,
    enrichment_factor,
    k_at_recall,
    make_average_precision_at_k_scorer,
    make_average_precision_scorer,
    make_metric_scorer,
    make_precision_at_t_scorer,
    make_recall_at_t_scorer,
    max_f_score,
    precision_at_recall,
    precision_at_t,
    r_precision,
    recall_at_t,
    reciprocal_rank,
    rie,
)
from skrank.metrics._scorers import RankingScorer

pytestmark = pytest.mark.contract

mpl.use("Agg")

X, Y = make_classification(
    400, n_features=6, weights=[0.9], class_sep=1.2, random_state=0
)
NAMES = np.where(Y, "active", "inert")  # the target is the first class
SCORER = make_average_precision_scorer()
CV = StratifiedKFold(3)

CLASSIFIERS = [
    KNeighborsClassifier(15),
    SVC(),
    LinearSVC(),
    LogisticRegression(),
    RandomForestClassifier(10, random_state=0),
    HistGradientBoostingClassifier(max_iter=10, random_state=0),
    make_pipeline(StandardScaler(), KNeighborsClassifier()),
    make_pipeline(StandardScaler(), SVC()),
    GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [5]}, cv=2),
]
named = pytest.mark.parametrize(
    "estimator",
    CLASSIFIERS,
    ids=[
        "KNN",
        "SVC",
        "LinearSVC",
        "logistic",
        "forest",
        "boosting",
        "KNN-pipeline",
        "SVC-pipeline",
        "search",
    ],
)


# Values


@named
def test_values_are_those_of_the_metric(estimator):
    # scikit-learn's own scorer is the judge under its tie rule
    model = clone(estimator).fit(X[:300], Y[:300])
    threshold = make_average_precision_scorer(ties="threshold")
    theirs = make_scorer(
        average_precision_score, response_method=("decision_function", "predict_proba")
    )
    assert threshold(model, X[300:], Y[300:]) == pytest.approx(
        theirs(model, X[300:], Y[300:]), abs=1e-12
    )
    scores = (
        model.decision_function(X[300:])
        if hasattr(model, "decision_function")
        else model.predict_proba(X[300:])[:, 1]
    )
    for scorer, value in (
        (SCORER, average_precision(Y[300:], scores)),
        (
            make_average_precision_at_k_scorer(10, normalize="hits"),
            average_precision_at_k(Y[300:], scores, k=10, normalize="hits"),
        ),
        (make_recall_at_t_scorer(0.1), recall_at_t(Y[300:], scores, t=0.1)),
        (make_precision_at_t_scorer(7), precision_at_t(Y[300:], scores, t=7)),
        (
            make_metric_scorer("enrichment_factor@7"),
            enrichment_factor(Y[300:], scores, t=7),
        ),
        (make_metric_scorer("reciprocal_rank"), reciprocal_rank(Y[300:], scores)),
        (make_metric_scorer("rie(alpha=5)"), rie(Y[300:], scores, alpha=5)),
        (make_metric_scorer("bedroc(alpha=5)"), bedroc(Y[300:], scores, alpha=5)),
        (
            make_metric_scorer("max_f_score(beta=2)"),
            max_f_score(Y[300:], scores, beta=2),
        ),
        (make_metric_scorer("breakeven_point"), breakeven_point(Y[300:], scores)),
        (make_metric_scorer("r_precision"), r_precision(Y[300:], scores)),
        (
            make_metric_scorer("precision_at_recall(0.8)"),
            precision_at_recall(Y[300:], scores, recall=0.8),
        ),
        (
            make_metric_scorer("k_at_recall(0.8)"),
            -k_at_recall(Y[300:], scores, recall=0.8),
        ),
    ):
        assert scorer(model, X[300:], Y[300:]) == value


@named
def test_string_labels_give_the_same(estimator):
    model = clone(estimator).fit(X[:300], Y[:300])
    named_model = clone(estimator).fit(X[:300], NAMES[:300])
    scorer = make_average_precision_scorer(pos_label="active")
    value = SCORER(model, X[300:], Y[300:])
    assert scorer(named_model, X[300:], NAMES[300:]) == pytest.approx(value, abs=0.05)
    # the output for the target class is the judge: its own column, or the decision
    # turned round, since it is the first of the two classes
    if hasattr(named_model, "decision_function"):
        output = -named_model.decision_function(X[300:])
    else:
        output = named_model.predict_proba(X[300:])[:, 0]
    by_hand = average_precision(NAMES[300:], output, pos_label="active")
    assert scorer(named_model, X[300:], NAMES[300:]) == by_hand
    result = RandomSelectionTest().from_estimator(
        named_model, X[300:], NAMES[300:], pos_label="active"
    )
    assert result.statistic == by_hand


def test_regressor_ranks_by_its_prediction():
    model = Ridge().fit(X[:300], Y[:300])
    value = average_precision(Y[300:], model.predict(X[300:]))
    assert SCORER(model, X[300:], Y[300:]) == value
    named_scorer = make_average_precision_scorer(pos_label="active")
    assert named_scorer(model, X[300:], NAMES[300:]) == value
    same = make_average_precision_scorer(pos_label=1)
    assert same(model, X[300:], Y[300:]) == value


def test_plain_ranker_ranks_by_its_prediction():
    class Ranker(BaseEstimator):
        def predict(self, X):
            return X[:, 0]

    assert SCORER(Ranker(), X, Y) == average_precision(Y, X[:, 0])


@pytest.mark.parametrize(
    "detector",
    [
        IsolationForest(random_state=0),
        OneClassSVM(),
        LocalOutlierFactor(novelty=True),
        make_pipeline(StandardScaler(), IsolationForest(random_state=0)),
    ],
    ids=["forest", "SVM", "LOF", "pipeline"],
)
def test_outlier_detectors_need_an_orientation(detector):
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(300, 3)), rng.normal(7, 1, size=(10, 3))]
    y = np.r_[np.zeros(300, int), np.ones(10, int)]
    detector = clone(detector).fit(X[:300])
    with pytest.raises(
        ValueError, match='`detector_targets` must be "outliers" or "in'
    ):
        SCORER(detector, X, y)
    outliers = make_average_precision_scorer(detector_targets="outliers")
    inliers = make_average_precision_scorer(detector_targets="inliers")
    assert outliers(detector, X, y) > 0.95
    assert inliers(detector, X, y) < 0.05
    assert inliers(detector, X, 1 - y) > 0.99
    # other estimators pay no heed to it
    model = KNeighborsClassifier().fit(X, y)
    assert outliers(model, X, y) == SCORER(model, X, y)


def test_detector_with_its_own_coding_of_outliers():
    # -1 may be the outlier, as detectors predict it, or what is no target
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(300, 3)), rng.normal(7, 1, size=(10, 3))]
    y = np.r_[np.ones(300, int), -np.ones(10, int)]
    detector = IsolationForest(random_state=0).fit(X[:300])
    with pytest.raises(
        ValueError, match="`pos_label` must be -1 or 1 for an outlier de"
    ):
        make_average_precision_scorer(detector_targets="outliers")(detector, X, y)
    stated = make_average_precision_scorer(detector_targets="outliers", pos_label=-1)
    assert stated(detector, X, y) > 0.95


def test_target_class_has_its_own_probabilities():
    # saturated: 1 - p(other) would tie what p(target) tells apart; scikit-learn judges
    wide = np.tile(X, 12)
    model = GaussianNB().fit(wide[:300], NAMES[:300])
    ours = make_average_precision_scorer(pos_label="active", ties="threshold")
    theirs = make_scorer(
        average_precision_score, response_method="predict_proba", pos_label="active"
    )
    value = theirs(model, wide[300:], NAMES[300:])
    assert ours(model, wide[300:], NAMES[300:]) == pytest.approx(value, abs=1e-12)


# Refusals


class FloatLabels(ClassifierMixin, BaseEstimator):
    """A classifier with nothing but labels, and they are floats."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.mark.parametrize("labels", [Y, Y.astype(float), 2 * Y - 1, Y.astype(bool)])
def test_classifiers_with_labels_alone_are_refused(labels):
    text = "`estimator` must have decision_function or predict_proba, since labels do"
    voting = VotingClassifier([("knn", KNeighborsClassifier()), ("svm", LinearSVC())])
    for model in (
        voting,
        FloatLabels(),
        make_pipeline(StandardScaler(), FloatLabels()),
    ):
        model.fit(X, labels)
        with pytest.raises(ValueError, match=text):
            SCORER(model, X, labels)


@pytest.mark.parametrize("classes", [NAMES, Y + 1], ids=["names", "1 and 2"])
def test_labels_coded_otherwise_than_in_training_are_refused(classes):
    # nothing says which of the classes the targets of the test set are
    model = KNeighborsClassifier().fit(X, classes)
    with pytest.raises(ValueError, match="must (name the target class|have some)"):
        SCORER(model, X, Y)


class WithoutTags(BaseEstimator):
    """Has classes, but is no classifier to scikit-learn."""

    classes_ = ("active", "inert")

    def decision_function(self, X):
        return X[:, 0]


def test_classes_without_a_classifier_are_refused():
    with pytest.raises(
        ValueError, match="`estimator` must be a classifier to scikit-le"
    ):
        make_average_precision_scorer(pos_label="active")(WithoutTags(), X, NAMES)


def test_unfitted_classifier():
    with pytest.raises(NotFittedError):
        SCORER(KNeighborsClassifier(), X, Y)


def test_other_refusals():
    model = KNeighborsClassifier().fit(X, Y)
    three = KNeighborsClassifier().fit(X, np.arange(400) % 3)
    named_model = KNeighborsClassifier().fit(X, NAMES)
    with pytest.raises(ValueError, match=r"`pos_label` must be one of \[0, 1\]; got 2"):
        make_average_precision_scorer(pos_label=2)(model, X, Y)
    with pytest.raises(ValueError, match="`pos_label` must name the target class of a"):
        SCORER(three, X, Y)
    with pytest.raises(
        ValueError, match="`pos_label` must name the target class of a c"
    ):
        SCORER(named_model, X, NAMES)
    with pytest.raises(
        ValueError, match="`pos_label` must be the larger label for a r"
    ):
        make_average_precision_scorer(pos_label=0)(Ridge().fit(X, Y), X, Y)
    with pytest.raises(
        ValueError, match="`pos_label` must be the larger label for a r"
    ):
        make_average_precision_scorer(pos_label=0)(
            Ridge().fit(X, Y), X, Y.astype(object)
        )
    with pytest.raises(ValueError, match="`pos_label` must be one of the labels in"):
        make_average_precision_scorer(pos_label="active")(Ridge().fit(X, Y), X, Y)
    with pytest.raises(
        ValueError, match="`t` must not reach beyond the ranking; got t=500"
    ):
        make_recall_at_t_scorer(500)(model, X, Y)


@pytest.mark.parametrize(
    ("factory", "text"),
    [
        (lambda: make_average_precision_scorer(ties="mean"), "`ties` must be one of"),
        (
            lambda: make_average_precision_scorer(undefined="x"),
            "`undefined` must be a n",
        ),
        (
            lambda: make_average_precision_scorer(detector_targets="x"),
            "`detector_targets` must be one of None, 'outliers', 'inliers'; got 'x'",
        ),
        (
            lambda: make_average_precision_at_k_scorer(0),
            "`k` must be an int of at least",
        ),
        (
            lambda: make_average_precision_at_k_scorer(5, normalize="n"),
            "`normalize` must be one of",
        ),
        (lambda: make_recall_at_t_scorer(1.2), "`t` must be an int of at least 1"),
        (lambda: make_precision_at_t_scorer(-3), "`t` must be .*; got -3"),
        (
            lambda: make_metric_scorer("bedroc(alpha=0)"),
            "`alpha` must be a finite number above",
        ),
        (
            lambda: make_metric_scorer("max_f_score(beta=0)"),
            "`beta` must be a finite number ab",
        ),
        (
            lambda: make_metric_scorer("precision_at_recall(0)"),
            "`recall` must be a number abov",
        ),
        (
            lambda: make_metric_scorer("k_at_recall(80)"),
            "`recall` must be a number above 0, u",
        ),
        (
            lambda: make_metric_scorer("r_precision", ties="mean"),
            "`ties` must be one of .*mean",
        ),
    ],
)
def test_bad_settings_fail_in_the_factory(factory, text):
    with pytest.raises(ValueError, match=text):
        factory()


# As scikit-learn's own


def test_they_are_scorers_of_make_scorer():
    assert isinstance(SCORER, type(make_scorer(accuracy_score)))
    scorer = make_average_precision_at_k_scorer(20, pos_label="active", undefined=0.0)
    assert repr(scorer) == (
        "RankingScorer(AveragePrecisionAtK(ties='expected', k=20, normalize='min'), "
        "pos_label='active', undefined=0.0)"
    )
    scorer = make_average_precision_scorer(detector_targets="outliers")
    assert repr(scorer).endswith("ties='expected'), detector_targets='outliers')")


def test_the_hook_of_scikit_learn_is_there():
    # `_score` is what scikit-learn calls, of one scorer and of several, with an object
    # of its own for each call. If this fails, scikit-learn has moved it: override the
    # method that `_MultimetricScorer.__call__` calls now; if the class of scorers has
    # become public, derive from it by its name.
    calls = []

    class Recording(RankingScorer):
        def _score(self, method_caller, *args, **kwargs):
            calls.append(method_caller)
            return super()._score(method_caller, *args, **kwargs)

    def recording():
        return Recording(average_precision, "AP", None, float("nan"), None)

    model = KNeighborsClassifier().fit(X, Y)
    recording()(model, X, Y)
    assert len(calls) == 1
    cross_validate(model, X, Y, scoring={"a": recording(), "b": recording()}, cv=CV)
    assert len(calls) == 1 + 2 * 3
    assert len(set(map(id, calls))) == 1 + 3  # one for both scorers of a fold


METRICS = [
    "average_precision",
    "average_precision@5",
    "recall@0.02",
    "precision@0.02",
    "enrichment_factor@0.02",
    "reciprocal_rank",
    "rie(alpha=80.5)",
    "bedroc(alpha=80.5)",
    "max_f_score(beta=0.5)",
    "breakeven_point",
    "r_precision",
    "precision_at_recall(0.9)",
    "k_at_recall(0.9)",
]


@pytest.mark.parametrize(
    "copied",
    [lambda s: clone(s, safe=False), lambda s: pickle.loads(pickle.dumps(s))],
    ids=["clone", "pickle"],
)
def test_clone_and_pickle(copied):
    model = IsolationForest(random_state=0).fit(X)
    for name in METRICS:
        scorer = make_metric_scorer(name, detector_targets="outliers")
        again = copied(scorer)
        assert again(model, X, Y) == scorer(model, X, Y)
        assert again.__name__ == scorer.__name__
        assert repr(again) == repr(scorer)


def test_names_carry_the_cut_off():
    names = [make_metric_scorer(name).__name__ for name in METRICS]
    assert names == [*METRICS[:-1], f"neg_{METRICS[-1]}"]


class Counting(KNeighborsClassifier):
    """Counts its predictions by method."""

    calls: ClassVar[Counter] = Counter()

    def predict_proba(self, X):
        self.calls["predict_proba"] += 1
        return super().predict_proba(X)


def test_multimetric_search_predicts_once_a_fold():
    Counting.calls.clear()
    scoring = {name: make_metric_scorer(name) for name in METRICS}
    search = GridSearchCV(
        Counting(), {"n_neighbors": [3, 9]}, scoring=scoring, refit=False, cv=CV
    )
    search.fit(X, Y)
    assert Counting.calls["predict_proba"] == 2 * 3
    for name, scorer in scoring.items():
        alone = GridSearchCV(Counting(), search.param_grid, scoring=scorer, cv=CV)
        assert_allclose(
            alone.fit(X, Y).cv_results_["mean_test_score"],
            search.cv_results_[f"mean_test_{name}"],
        )


@pytest.mark.parametrize("model", [KNeighborsClassifier(), SVC(), LinearSVC()])
def test_scorers_with_different_targets_do_not_share_scores(model):
    # scikit-learn's cache ignores `pos_label`; each alone is the judge
    scoring = {
        label: make_average_precision_scorer(pos_label=label)
        for label in ("active", "inert")
    }
    for order in (["active", "inert"], ["inert", "active"]):
        both = cross_validate(model, X, NAMES, scoring={k: scoring[k] for k in order})
        for label, scorer in scoring.items():
            alone = cross_val_score(model, X, NAMES, scoring=scorer)
            assert_allclose(both[f"test_{label}"], alone)
            assert alone.mean() > 0.6


@pytest.mark.parametrize("model", [KNeighborsClassifier(), SVC()])
@pytest.mark.parametrize("label", ["active", "inert"])
def test_scorers_of_scikit_learn_beside_ours(model, label):
    # scikit-learn's own scorer turns the scores before they are cached
    scoring = {
        "ours": make_average_precision_scorer(pos_label=label, ties="threshold"),
        "theirs": make_scorer(
            average_precision_score,
            response_method=("decision_function", "predict_proba"),
            pos_label=label,
        ),
    }
    for order in (["ours", "theirs"], ["theirs", "ours"]):
        both = cross_validate(model, X, NAMES, scoring={k: scoring[k] for k in order})
        assert_allclose(both["test_ours"], both["test_theirs"], rtol=1e-12)
        alone = cross_val_score(model, X, NAMES, scoring=scoring["ours"])
        assert_allclose(both["test_ours"], alone)


def test_detector_scorers_share_predictions_but_not_signs():
    scoring = {
        side: make_average_precision_scorer(detector_targets=side)
        for side in ("outliers", "inliers")
    }
    model = IsolationForest(random_state=0)
    both = cross_validate(model, X, Y, scoring=scoring, cv=CV)
    for side, scorer in scoring.items():
        alone = cross_val_score(model, X, Y, scoring=scorer, cv=CV)
        assert_allclose(both[f"test_{side}"], alone)


GRID = {"kneighborsclassifier__n_neighbors": [1, 5, 25]}
PIPELINE = make_pipeline(StandardScaler(), KNeighborsClassifier())


def by_hand(n_neighbors):
    """Mean over the folds of the metric, without scikit-learn's machinery."""
    values = []
    for train, test in CV.split(X, Y):
        model = make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors))
        model.fit(X[train], Y[train])
        values.append(average_precision(Y[test], model.predict_proba(X[test])[:, 1]))
    return np.mean(values)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(n_jobs):
    search = GridSearchCV(PIPELINE, GRID, scoring=SCORER, cv=CV, n_jobs=n_jobs)
    search.fit(X, Y)
    assert_allclose(
        search.cv_results_["mean_test_score"], [by_hand(k) for k in (1, 5, 25)]
    )
    assert search.score(X, Y) == SCORER(search.best_estimator_, X, Y)
    pickle.loads(pickle.dumps(search))


def test_randomized_search():
    search = RandomizedSearchCV(
        PIPELINE, GRID, n_iter=2, scoring=SCORER, cv=CV, random_state=0
    ).fit(X, Y)
    k = search.best_params_["kneighborsclassifier__n_neighbors"]
    assert search.best_score_ == pytest.approx(by_hand(k))


def test_halving_search():
    search = HalvingGridSearchCV(
        PIPELINE, GRID, scoring=SCORER, cv=CV, min_resources=150, random_state=0
    ).fit(X, Y)
    last = search.cv_results_["iter"] == search.n_iterations_ - 1
    assert search.best_score_ == search.cv_results_["mean_test_score"][last].max()
    assert search.score(X, Y) == SCORER(search.best_estimator_, X, Y)


def test_cross_val_score_and_learning_curve():
    scores = cross_val_score(PIPELINE, X, Y, scoring=SCORER, cv=CV)
    assert scores.mean() == pytest.approx(by_hand(5))
    sizes, _, test = learning_curve(
        PIPELINE, X, Y, scoring=SCORER, cv=CV, train_sizes=[0.5, 1.0]
    )
    assert test.shape == (2, 3)
    # 266 of the 266 or 267 items of each training part
    assert test[-1].mean() == pytest.approx(by_hand(5), abs=0.005)
    assert sizes[-1] == 266


def test_learning_curve_display_has_a_name_for_its_axis():
    scorer = make_average_precision_at_k_scorer(20)
    display = LearningCurveDisplay.from_estimator(
        PIPELINE, X, Y, scoring=scorer, cv=CV, train_sizes=[0.5, 1.0]
    )
    assert display.ax_.get_ylabel().lower() == "average precision@20"


def test_permutation_test_score():
    score, _, pvalue = permutation_test_score(
        PIPELINE, X, Y, scoring=SCORER, cv=CV, n_permutations=20, random_state=0
    )
    assert score == pytest.approx(by_hand(5))
    assert pvalue == pytest.approx(1 / 21)


def test_tuned_threshold_classifier():
    # a model whose threshold was tuned ranks as before; the metrics themselves know no
    # threshold and refuse to tune one
    model = LogisticRegression()
    tuned = TunedThresholdClassifierCV(model, cv=CV).fit(X, Y)
    assert SCORER(tuned, X, Y) == SCORER(model.fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="`y_score` must rank the items.*hard labels"):
        TunedThresholdClassifierCV(model, scoring=SCORER, cv=CV).fit(X, Y)


def test_sample_weight():
    weight = np.random.default_rng(0).exponential(size=Y.size)
    scorer = make_average_precision_scorer(ties="threshold")
    model = KNeighborsClassifier().fit(X, Y)
    scores = model.predict_proba(X)[:, 1]
    expected = average_precision_score(Y, scores, sample_weight=weight)
    assert scorer(model, X, Y, sample_weight=weight) == pytest.approx(expected)


def test_metadata_routing_of_sample_weight():
    weight = np.random.default_rng(0).exponential(size=Y.size)
    with sklearn.config_context(enable_metadata_routing=True):
        ours = make_average_precision_scorer(ties="threshold")
        theirs = make_scorer(average_precision_score, response_method="predict_proba")
        results = [
            cross_validate(
                KNeighborsClassifier(),
                X,
                Y,
                scoring={"score": scorer.set_score_request(sample_weight=True)},
                params={"sample_weight": weight},
                cv=CV,
            )["test_score"]
            for scorer in (ours, theirs)
        ]
    assert_allclose(*results, rtol=1e-12)


def test_search_by_the_work_that_a_recall_costs():
    # the precision at a recall and the depth of it rank candidates alike on one fold
    scoring = {
        "precision": make_metric_scorer("precision_at_recall(0.8)", ties="optimistic"),
        "work": make_metric_scorer("k_at_recall(0.8)", ties="optimistic"),
    }
    one_fold = [(np.arange(300), np.arange(300, 400))]
    search = GridSearchCV(PIPELINE, GRID, scoring=scoring, refit="work", cv=one_fold)
    results = search.fit(X, Y).cv_results_
    assert list(results["rank_test_work"]) == list(results["rank_test_precision"])
    needed = np.ceil(0.8 * Y[300:].sum())
    work = results["mean_test_work"]
    assert_allclose(-needed / work, results["mean_test_precision"])
    assert search.best_score_ == work.max() < 0


def test_fold_without_targets_is_nan_and_warns():
    model = KNeighborsClassifier().fit(X, Y)
    alone = Y == 0
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning):
        assert np.isnan(SCORER(model, X[alone], Y[alone]))
    other = make_average_precision_scorer(undefined=0.0)
    assert other(model, X[alone], Y[alone]) == 0.0
    work = make_metric_scorer("k_at_recall(0.8)", undefined=50)
    assert work(model, X[alone], Y[alone]) == -50
