"""Scorers do in scikit-learn what its own do, and refuse what they should."""

import inspect
import math
import pickle
import re
import types
from collections import Counter
from typing import ClassVar

import matplotlib as mpl
import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, average_precision_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    LearningCurveDisplay,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import skrank
from skrank import (
    average_precision,
    make_average_precision_at_k_scorer,
    make_average_precision_scorer,
    make_metric,
    make_metric_scorer,
    make_precision_at_t_scorer,
    make_recall_at_t_scorer,
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
    threshold = make_average_precision_scorer(ties="together")
    theirs = make_scorer(
        average_precision_score, response_method=("decision_function", "predict_proba")
    )
    assert threshold(model, X[300:], Y[300:]) == pytest.approx(
        theirs(model, X[300:], Y[300:]), abs=1e-12
    )


def test_a_scorer_has_the_value_of_its_metric():
    model = KNeighborsClassifier(15).fit(X[:300], Y[:300])
    scores = model.predict_proba(X[300:])[:, 1]
    pairs = [(make_metric_scorer(name), name) for name in METRICS]
    pairs += [
        (
            make_average_precision_at_k_scorer(10, normalize="hits"),
            "AP@10(normalize=hits)",
        ),
        (make_recall_at_t_scorer(0.1), "recall@0.1"),
        (make_precision_at_t_scorer(7), "precision@7"),
    ]
    for scorer, name in pairs:
        sign = -1 if name.startswith("k_at_recall") else 1
        value = sign * make_metric(name)(Y[300:], scores)
        assert scorer(model, X[300:], Y[300:]) == value


def test_regressor_ranks_by_its_prediction():
    model = Ridge().fit(X[:300], Y[:300])
    value = average_precision(Y[300:], model.predict(X[300:]))
    assert SCORER(model, X[300:], Y[300:]) == value
    named_scorer = make_average_precision_scorer(pos_label="active")
    assert named_scorer(model, X[300:], NAMES[300:]) == value
    same = make_average_precision_scorer(pos_label=1)
    assert same(model, X[300:], Y[300:]) == value


def test_detector_with_its_own_coding_of_outliers():
    # -1 may be the outlier, as detectors predict it, or what is no target
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(300, 3)), rng.normal(7, 1, size=(10, 3))]
    y = np.r_[np.ones(300, int), -np.ones(10, int)]
    detector = IsolationForest(random_state=0).fit(X[:300])
    with pytest.raises(ValueError, match="`pos_label` must be -1 or 1 for an outlier "):
        make_average_precision_scorer(detector_targets="outliers")(detector, X, y)
    stated = make_average_precision_scorer(detector_targets="outliers", pos_label=-1)
    assert stated(detector, X, y) > 0.95


def test_target_class_has_its_own_probabilities():
    # saturated: 1 - p(other) would tie what p(target) tells apart; scikit-learn judges
    wide = np.tile(X, 12)
    model = GaussianNB().fit(wide[:300], NAMES[:300])
    ours = make_average_precision_scorer(pos_label="active", ties="together")
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
    text = "`estimator` must have decision_function or predict_proba, as labels do no"
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
    """Has classes, but is no classifier to scikit-learn, as FLAML's AutoML."""

    classes_ = ("active", "inert")

    def decision_function(self, X):
        return X[:, 0]


def test_classes_say_what_the_scores_are_of():
    scorer = make_average_precision_scorer(pos_label="active")
    assert scorer(WithoutTags(), X, NAMES) == average_precision(Y, -X[:, 0])
    WithoutTags.classes_ = ()  # as of a ranker of CatBoost
    assert scorer(WithoutTags(), X, NAMES) == average_precision(Y, X[:, 0])


class Raw(ClassifierMixin, BaseEstimator):
    """Predicts scores, as CatBoost with a loss of classes."""

    classes_ = (0, 1)

    def predict(self, X):
        return X[:, 0]


@pytest.mark.parametrize("pos_label", [0, 1])
def test_raw_scores_that_a_classifier_predicts_are_scores(pos_label):
    scorer = make_average_precision_scorer(pos_label=pos_label)
    scores = X[:, 0] if pos_label else -X[:, 0]
    assert scorer(Raw(), X, Y) == average_precision(Y, scores, pos_label=pos_label)


class NoClasses(BaseEstimator):
    """Has probabilities, but nobody knows of what."""

    def predict_proba(self, X):
        return X


def test_probabilities_of_unknown_classes_are_refused():
    with pytest.raises(ValueError, match="must be a classifier for .* or have classes"):
        SCORER(NoClasses(), X, Y)
    # of regressors they are not read
    NoClasses._estimator_type, NoClasses.predict = "regressor", lambda _, X: X[:, 0]
    assert SCORER(NoClasses(), X, Y) == average_precision(Y, X[:, 0])


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
    with pytest.raises(ValueError, match="`pos_label` must name the target class of a"):
        SCORER(named_model, X, NAMES)
    with pytest.raises(ValueError, match="`pos_label` must be the larger label for a "):
        make_average_precision_scorer(pos_label=0)(Ridge().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="`pos_label` must be the larger label for a "):
        make_average_precision_scorer(pos_label=0)(
            Ridge().fit(X, Y), X, Y.astype(object)
        )
    with pytest.raises(ValueError, match="`pos_label` must be one of the labels in"):
        make_average_precision_scorer(pos_label="active")(Ridge().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="`t` must not reach beyond the ranking; got "):
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
    [clone, lambda s: pickle.loads(pickle.dumps(s))],
    ids=["clone", "pickle"],
)
def test_clone_and_pickle(copied):
    model = IsolationForest(n_estimators=10, random_state=0).fit(X)
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
        "ours": make_average_precision_scorer(pos_label=label, ties="together"),
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
    model = IsolationForest(n_estimators=10, random_state=0)
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


def test_grid_search():
    search = GridSearchCV(PIPELINE, GRID, scoring=SCORER, cv=CV)
    search.fit(X, Y)
    assert_allclose(
        search.cv_results_["mean_test_score"], [by_hand(k) for k in (1, 5, 25)]
    )
    assert search.score(X, Y) == SCORER(search.best_estimator_, X, Y)
    pickle.loads(pickle.dumps(search))


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


def test_tuned_threshold_classifier():
    # a model whose threshold was tuned ranks as before; the metrics themselves know no
    # threshold and refuse to tune one
    model = LogisticRegression()
    tuned = TunedThresholdClassifierCV(model, cv=CV).fit(X, Y)
    assert SCORER(tuned, X, Y) == SCORER(model.fit(X, Y), X, Y)
    said = r"`y_score` must rank the items.*hard labels.*ThresholdChoice\(recall=0.9\)"
    with pytest.raises(ValueError, match=said):
        TunedThresholdClassifierCV(model, scoring=SCORER, cv=CV).fit(X, Y)
    # the line that the error names
    choice = skrank.ThresholdChoice(recall=0.9).from_cv(model, X, Y)
    assert 0 < choice.t < Y.size


FUNCTIONS = [
    name
    for name in sorted(skrank.__all__)
    if isinstance(getattr(skrank, name), types.FunctionType)
    and {"y_score", "undefined"}
    <= {*inspect.signature(getattr(skrank, name)).parameters}
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_metric_that_is_given_as_a_scorer_names_the_scorer(name):
    assert len(FUNCTIONS) > 15
    function, model = getattr(skrank, name), LogisticRegression().fit(X, Y)
    with pytest.raises(
        TypeError, match="not a scorer of scikit-learn. As `scoring`"
    ) as of:
        function(model, X, Y)
    (line,) = re.findall(r"make_metric_scorer\('(.*)'\)", str(of.value))
    # the line works, and is that of the function
    assert math.isfinite(make_metric_scorer(line)(model, X, Y))
    assert function.__name__.split("_at_")[0] in line
    metric = make_metric(line)
    with pytest.raises(TypeError, match=re.escape(f"scorer({metric.name!r})")):
        metric(model, X, Y)


@pytest.mark.parametrize("scoring", [average_precision, make_metric("recall@10")])
def test_a_search_tells_the_line_of_a_scorer(scoring):
    with pytest.warns(UserWarning, match=r"Scoring failed[^$]*make_metric_scorer\('"):
        cross_val_score(LogisticRegression(), X, Y, scoring=scoring, cv=CV)


def test_a_scorer_is_cloned():
    model = LogisticRegression().fit(X, Y)
    for scorer in (SCORER, make_metric_scorer("max_f_score", pos_label=1)):
        assert clone(scorer)(model, X, Y) == scorer(model, X, Y)


def test_metadata_routing_of_sample_weight():
    weight = np.random.default_rng(0).exponential(size=Y.size)
    with sklearn.config_context(enable_metadata_routing=True):
        ours = make_average_precision_scorer(ties="together")
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


def test_fold_without_targets_is_nan_and_warns():
    model = KNeighborsClassifier().fit(X, Y)
    alone = Y == 0
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning):
        assert np.isnan(SCORER(model, X[alone], Y[alone]))
    other = make_average_precision_scorer(undefined=0.0)
    assert other(model, X[alone], Y[alone]) == 0.0
    work = make_metric_scorer("k_at_recall(0.8)", undefined=50)
    assert work(model, X[alone], Y[alone]) == -50


@pytest.mark.parametrize("estimator", [LogisticRegression(C=0.01), SVC()])
def test_macro_is_the_mean_over_the_classes(estimator):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600] / 16, y[:600] // 2
    estimator.fit(X[:300], y[:300])
    scorer = make_average_precision_scorer(average="macro")
    assert scorer.__name__ == "macro_average_precision"
    assert "average='macro'" in repr(scorer)
    values = [
        make_average_precision_scorer(pos_label=label)(estimator, X[300:], y[300:])
        for label in range(5)
    ]
    assert scorer(estimator, X[300:], y[300:]) == pytest.approx(np.mean(values))
    again = pickle.loads(pickle.dumps(scorer))
    assert again(estimator, X[300:], y[300:]) == scorer(estimator, X[300:], y[300:])
    for make, depth in (
        (make_recall_at_t_scorer, 20),
        (make_precision_at_t_scorer, 20),
        (make_average_precision_at_k_scorer, 20),
    ):
        each = [make(depth, pos_label=label) for label in range(5)]
        mean = np.mean([one(estimator, X[300:], y[300:]) for one in each])
        macro = make(depth, average="macro")
        assert macro(estimator, X[300:], y[300:]) == pytest.approx(mean)
    by_name = make_metric_scorer("k_at_recall(0.5)", average="macro")
    assert by_name.__name__ == "neg_macro_k_at_recall(0.5)"
    adjusted = make_metric_scorer("ap", statistic="zscore", average="macro")
    assert adjusted.__name__ == "macro_zscore(average_precision)"
    assert adjusted(estimator, X[300:], y[300:]) > 5


def test_macro_of_an_absent_class_and_of_no_classes():
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(C=0.01).fit(X[:200] / 16, y[:200])
    some = y != 3
    scorer = make_average_precision_scorer(average="macro")
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(scorer(model, X[some], y[some]))
    zero = make_average_precision_scorer(average="macro", undefined=0.0)
    present = [
        make_average_precision_scorer(pos_label=label)(model, X[some], y[some])
        for label in range(10)
        if label != 3
    ]
    found = zero(model, X[some], y[some])
    assert found == pytest.approx(sum(present) / 10)
    with pytest.raises(ValueError, match="`average` must be 'binary' for an estimator"):
        scorer(Ridge().fit(X, y), X, y)
    with pytest.raises(ValueError, match="`pos_label` must be None with `average`"):
        make_average_precision_scorer(average="macro", pos_label=1)
    with pytest.raises(ValueError, match="`average` must be one of 'binary', 'macro'"):
        make_average_precision_scorer(average="micro")
