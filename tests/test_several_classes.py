"""A class among several against the rest: as on y == pos_label, wherever labels go.

The judges are the same calls on two classes, and scikit-learn's average precision of
the column of the class.
"""

import json

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import (
    GridSearchCV,
)
from sklearn.multiclass import OneVsOneClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from skrank import (
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingEvaluation,
    RankingReport,
    Rankings,
    average_precision,
    make_average_precision_scorer,
)

pytestmark = pytest.mark.contract

mpl.use("agg")

SIZES = [90, 60, 50, 30, 20]
NAMES = np.array(["bus", "car", "bike", "tram", "van"])
X, CODES = make_blobs(SIZES, n_features=3, cluster_std=6.0, random_state=0)
Y = NAMES[CODES]
VAN = Y == "van"
TRAIN, TEST = np.arange(250) % 2 == 0, np.arange(250) % 2 == 1
SCORES = np.random.default_rng(0).normal(VAN).round(1)  # with ties


def counted(y_true, pos_label):
    chunks = [(y_true[i::3], SCORES[i::3]) for i in range(3)]
    return average_precision(RankCounts.from_chunks(chunks, pos_label=pos_label))


def evaluated(y_true, pos_label):
    pieces = [
        RankingEvaluation(pos_label=pos_label).add(y_true[i::3], SCORES[i::3])
        for i in range(3)
    ]
    return sum(pieces).to_dict()["average_precision"]


# All ways by which labels enter
CALLS = {
    "metric": lambda y, label: average_precision(y, SCORES, pos_label=label),
    "chunks": counted,
    "evaluation": evaluated,
    "rankings": lambda y, label: average_precision(
        Rankings.from_predictions(y, SCORES, pos_label=label).single[0]
    ),
    "report": lambda y, label: (
        RankingReport(pvalue=False)
        .from_predictions(y, {"a": SCORES}, pos_label=label)
        .main.values["a"]
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_class_against_the_rest_is_as_two_classes(call):
    assert CALLS[call](Y, "van") == CALLS[call](VAN, None)


def test_partitions_of_dask_may_lack_the_class():
    da = pytest.importorskip("dask.array")
    order = np.argsort(CODES, kind="stable")  # the class is in the last alone
    y_true = da.from_array(CODES[order], chunks=60)
    y_score = da.from_array(SCORES[order], chunks=60)
    expected = average_precision(VAN, SCORES)
    assert average_precision(y_true, y_score, pos_label=4) == expected


# Estimators

PROBABILITIES = [
    KNeighborsClassifier(9),
    GaussianNB(),
    CalibratedClassifierCV(SVC(decision_function_shape="ovo"), cv=2),
    LogisticRegression(max_iter=1000),
    HistGradientBoostingClassifier(max_iter=5),
    GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [5, 9]}, cv=2),
]
DECISIONS = [
    SVC(),
    make_pipeline(StandardScaler(), SVC()),
    OneVsOneClassifier(LinearSVC()),
]


@pytest.mark.parametrize("n_classes", [3, 5])
@pytest.mark.parametrize(
    ("model", "method"),
    [(model, "predict_proba") for model in PROBABILITIES]
    + [(model, "decision_function") for model in DECISIONS],
    ids=str,
)
def test_an_estimator_ranks_by_the_column_of_the_class(model, method, n_classes):
    kept = 5 - n_classes <= CODES
    train, test = kept & TRAIN, kept & TEST
    model.fit(X[train], Y[train])
    output = getattr(model, method)(X[test])
    for column, label in enumerate(model.classes_):
        expected = average_precision_score(Y[test] == label, output[:, column])
        scorer = make_average_precision_scorer(pos_label=label, ties="together")
        assert scorer(model, X[test], Y[test]) == pytest.approx(expected)
        ranking = Ranking.from_estimator(model, X[test], Y[test], pos_label=label)
        value = average_precision(ranking, ties="together")
        assert value == pytest.approx(expected)


class OneAgainstOne(SVC):
    """A machine of pairs that has probabilities, as with probability=True."""

    def predict_proba(self, X):
        of = np.searchsorted(self.classes_, self.predict(X))
        votes = np.eye(len(self.classes_))[of]
        return 0.5 * votes + 0.5 / len(self.classes_)


@pytest.mark.parametrize("n_classes", [3, 4])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: model,
        lambda model: make_pipeline(StandardScaler(), model),
        lambda model: GridSearchCV(model, {"C": [1.0]}, cv=2),
        lambda model: GridSearchCV(
            model.set_params(decision_function_shape="ovr"),
            {"decision_function_shape": ["ovo"]},
            cv=2,
        ),
    ],
    ids=["alone", "pipeline", "search", "searched"],
)
def test_pairs_of_classes_are_no_columns(wrap, n_classes):
    # of three classes there are three pairs, so the shape does not tell
    kept = 5 - n_classes <= CODES
    asked = {"pos_label": "van"}
    pairs = wrap(SVC(decision_function_shape="ovo")).fit(X[kept], Y[kept])
    with pytest.raises(ValueError, match='must have decision_function_shape="ovr" fo'):
        Ranking.from_estimator(pairs, X[kept], Y[kept], **asked)
    model = wrap(OneAgainstOne(decision_function_shape="ovo")).fit(X[kept], Y[kept])
    ranking = Ranking.from_estimator(model, X[kept], Y[kept], **asked)
    column = model.predict_proba(X[kept])[:, list(model.classes_).index("van")]
    assert average_precision(ranking) == average_precision(VAN[kept], column)


def test_a_frozen_estimator_of_pairs_is_refused():
    frozen = pytest.importorskip("sklearn.frozen", reason="new in scikit-learn 1.6")
    kept = CODES >= 2
    model = SVC(decision_function_shape="ovo").fit(X[kept], Y[kept])
    with pytest.raises(ValueError, match='must have decision_function_shape="ovr" fo'):
        Ranking.from_estimator(
            frozen.FrozenEstimator(model), X[kept], Y[kept], pos_label="van"
        )


def test_pairs_of_two_classes_are_one_decision():
    kept = CODES >= 3
    given = X[kept], Y[kept]
    one, other = (SVC(decision_function_shape=shape) for shape in ("ovo", "ovr"))
    scorer = make_average_precision_scorer(pos_label="van")
    assert scorer(one.fit(*given), *given) == scorer(other.fit(*given), *given)


class OfPairs(ClassifierMixin, BaseEstimator):
    """A classifier that tells in no parameter that its columns are pairs."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.ones((len(X), 10))


def test_decisions_of_another_shape_are_refused():
    message = r"decision_function of shape \(n_samples, 5\), .*; got shape \(250, 10"
    with pytest.raises(ValueError, match=message):
        Ranking.from_estimator(OfPairs().fit(X, Y), X, Y, pos_label="van")


@pytest.mark.parametrize("pos_label", [None, "van"])
def test_several_outputs_are_refused(pos_label):
    model = MultiOutputClassifier(GaussianNB()).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="two classes and one output"):
        Ranking.from_estimator(model, X, Y, pos_label=pos_label)


# Classes that do not occur

UNDEFINED = pytest.warns(UndefinedMetricWarning, match="must contain targets; got none")


def test_a_fold_without_the_class_has_no_targets():
    model = GaussianNB().fit(X, Y)
    part = CODES < 4
    with UNDEFINED:
        assert np.isnan(
            make_average_precision_scorer(pos_label="van")(model, X[part], Y[part])
        )
    with UNDEFINED:
        average_precision(
            Ranking.from_estimator(model, X[part], Y[part], pos_label="van")
        )
    chunks = [(Y[part], SCORES[part])]
    with pytest.raises(ValueError, match="got 'van', which none of 230 items has"):
        RankCounts.from_chunks(chunks, pos_label="van")
    days = np.where(VAN, 1, CODES % 3)
    with pytest.warns(UserWarning, match="2 of 3 groups have no targets"):
        found = RandomSelectionTest().from_predictions(
            Y, SCORES, groups=days, pos_label="van"
        )
    judge = average_precision(VAN[days == 1], SCORES[days == 1])
    assert found.value == judge


def test_labels_alone_tell_a_class_that_is_none():
    message = r"be one of the labels in `y_true`; got 'vam' for labels 'van' \(20\)"
    for call in set(CALLS) - {"chunks", "evaluation"}:
        with pytest.raises(ValueError, match=message):
            CALLS[call](Y, "vam")
    model = GaussianNB().fit(X, Y)
    message = r"`pos_label` must be one of \['bike', 'bus', .*\]; got 'vam'"
    with pytest.raises(ValueError, match=message):
        make_average_precision_scorer(pos_label="vam")(model, X, Y)


def test_the_classes_are_listed_where_none_is_named():
    message = (
        r"name the .*; got None for labels 'van' \(20\), 'tram' \(30\), 'bike' \(50"
    )
    for call in CALLS:
        is_part = call in ("chunks", "evaluation")  # which count for themselves
        with pytest.raises(ValueError, match=message[:34] if is_part else message):
            CALLS[call](Y, None)
    model = GaussianNB().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        Ranking.from_estimator(model, X, Y)
    with pytest.raises(ValueError, match=r"got None for labels 'van' \(0\), 'tram'"):
        Ranking.from_estimator(model, X[CODES < 4], Y[CODES < 4])
    with pytest.raises(ValueError, match=r"for labels 0 \(1\), .* and 240 more"):
        average_precision(np.arange(250), SCORES)


def test_an_estimator_of_one_class_is_refused():
    model = GaussianNB().fit(X[VAN], Y[VAN])
    with pytest.raises(ValueError, match=r"must have at least two classes.*\['van'\]"):
        Ranking.from_estimator(model, X, Y, pos_label="van")


# The report of all classes


@pytest.mark.parametrize(
    "kind", [np.asarray, pd.DataFrame, pl.DataFrame], ids=["array", "pandas", "polars"]
)
def test_a_report_has_a_row_for_each_class(kind):
    model = GaussianNB().fit(X[TRAIN], Y[TRAIN])
    matrix = model.predict_proba(X[TEST])
    report = RankingReport(t=10).from_rankings(
        Rankings.from_classes(Y[TEST], kind(matrix), model.classes_)
    )
    assert report.names == tuple(model.classes_)
    assert report.main.comparisons is None
    assert report.to_dict()["null_means"] == {}
    frame = report.to_frame().set_index("name")
    for column, label in enumerate(model.classes_):
        alone = RankingReport(t=10).from_predictions(
            Y[TEST], matrix[:, column], pos_label=label
        )
        row = alone.to_frame().set_index("name").loc["model"]
        assert_array_equal(frame.loc[label].drop("n_targets"), row)
        assert frame.loc[label, "n_targets"] == (Y[TEST] == label).sum()
        assert report.to_dict()["prevalence"][label] == alone.to_dict()["prevalence"]
    assert json.loads(json.dumps(report.to_dict()))["n_targets"] == {
        str(label): int((Y[TEST] == label).sum()) for label in model.classes_
    }
    printed = str(report)
    assert "125 items, each class against the rest" in printed
    assert "comparison left out, because each class has targets of its own" in printed
    assert "null mean" not in printed
    assert "The grey band is for bike." in report.to_html()


def test_a_report_of_two_classes_takes_both_columns():
    kept = CODES >= 3
    model = GaussianNB().fit(X[kept], Y[kept])
    matrix = model.predict_proba(X[kept])
    report = RankingReport().from_rankings(
        Rankings.from_classes(Y[kept], matrix, model.classes_)
    )
    pairs = zip(model.classes_, matrix.T, strict=True)
    judge = [average_precision(Y[kept] == label, score) for label, score in pairs]
    assert list(report.main.values.values()) == judge


def test_a_report_leaves_out_classes_of_no_item():
    model = GaussianNB().fit(X, Y)
    part = CODES < 4
    matrix = model.predict_proba(X[part])
    with pytest.warns(UserWarning, match="1 of 5 rankings have no targets"):
        report = RankingReport().from_rankings(
            Rankings.from_classes(Y[part], matrix, model.classes_)
        )
    assert report.names == ("bike", "bus", "car", "tram")


@pytest.mark.parametrize(
    ("y_scores", "classes", "text"),
    [
        (
            np.ones((250, 2)),
            ["a"],
            r"`classes` must name the class of each",
        ),
        (None, ["a"], r"got shape \(1,\) for scores of shape \(\)"),
        (np.ones((250, 2)), ["a", "a"], "`classes` must be different"),
    ],
)
def test_labels_that_name_no_columns(y_scores, classes, text):
    with pytest.raises(ValueError, match=text):
        Rankings.from_classes(Y, y_scores, classes)
