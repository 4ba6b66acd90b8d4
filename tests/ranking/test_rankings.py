"""How data enter: the same answer through every entrance, or an error that says why.

Judges: `from_predictions` on the scores of the estimator, hand-made parts, and labels
that are converted beforehand.
"""

import inspect
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_equal
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingComparison,
    RankingEvaluation,
    RankingMonitor,
    RankingReport,
    Rankings,
    SearchSelectionTest,
    ThresholdChoice,
    average_precision,
    make_average_precision_scorer,
    make_metric,
)

pytestmark = pytest.mark.contract

RNG = np.random.default_rng(0)
N = 300
Y = (np.arange(N) % 10 == 0).astype(int)
A = RNG.normal(size=N) + 1.5 * Y
B = 0.6 * A + RNG.normal(size=N)
DAY = np.arange(N) // 60
CLUSTER = np.arange(N) // 3
X = np.column_stack([A, B])
MODEL = LogisticRegression().fit(X[::2], Y[::2])
OTHER = LogisticRegression(C=1e-3).fit(X[::5], Y[::5])
SCORES = {"A": MODEL.decision_function(X), "B": OTHER.decision_function(X)}
RARE = np.where(Y, "rare", "usual")
QUESTIONS = {
    "test": RandomSelectionTest("recall@10", n_resamples=50, random_state=0),
    "interval": MetricInterval("recall@10", n_resamples=50, random_state=0),
    "search": SearchSelectionTest("recall@10", n_resamples=50, random_state=0),
    "comparison": RankingComparison("recall@10", n_resamples=50, random_state=0),
}
# How one model enters, or a pair of models
ENTRANCES = {
    "estimator": (
        lambda ask, **data: ask.from_estimator(MODEL, X, Y, **data),
        lambda ask, **data: ask.from_estimator({"A": MODEL, "B": OTHER}, X, Y, **data),
    ),
    "predictions": (
        lambda ask, **data: ask.from_predictions(
            RARE, SCORES["A"], pos_label="rare", **data
        ),
        lambda ask, **data: ask.from_predictions(
            RARE, SCORES, pos_label="rare", **data
        ),
    ),
    "rankings of estimators": (
        lambda ask, **data: ask.from_rankings(
            Rankings.from_estimator(MODEL, X, Y, **data)
        ),
        lambda ask, **data: ask.from_rankings(
            Rankings.from_estimator({"A": MODEL, "B": OTHER}, X, Y, **data)
        ),
    ),
    "rankings": (
        lambda ask, **data: ask.from_rankings(ranked("A", **data)),
        lambda ask, **data: ask.from_rankings(
            {"A": ranked("A", **data), "B": ranked("B", **data)}
        ),
    ),
}


def ranked(name, groups=None):
    """Return rankings that are made already."""
    given = SCORES[name]
    if groups is None:
        return Ranking.from_predictions(Y, given)
    days = [day == groups for day in range(5)]
    return [Ranking.from_predictions(Y[day], given[day]) for day in days]


def judge_of(name, scores, **data):
    """Answer of a question about the rankings of columns."""
    scores = scores if name == "comparison" else scores["A"]
    return (
        QUESTIONS[name]
        .from_rankings(Rankings.from_predictions(Y, scores, **data))
        .to_dict()
    )


def plain(answer):
    """Numbers of an answer, without the name of a candidate."""
    return {k: v for k, v in answer.items() if not k.startswith("candidate")}


@pytest.mark.parametrize("data", [{}, {"groups": DAY}, {"folds": DAY}], ids=str)
@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_entrance_leads_to_one_answer(question, entrance, data):
    if entrance == "rankings" and "folds" in data:
        return  # which are of one data set
    enter = ENTRANCES[entrance][question == "comparison"]
    found = plain(enter(QUESTIONS[question], **data).to_dict())
    expected = plain(judge_of(question, SCORES, **data))
    assert found == pytest.approx(expected, nan_ok=True)


CV = StratifiedKFold(5)
MODELS = {"A": LogisticRegression(), "B": LogisticRegression(C=1e-3)}
FITS = {
    name: cross_validate(model, X, Y, cv=CV, return_estimator=True, return_indices=True)
    for name, model in MODELS.items()
}


def held_out():
    """Folds, and the scores of models that are fitted to the others."""
    fold, scores = np.empty(N, int), {name: np.empty(N) for name in MODELS}
    for i, (train, test) in enumerate(CV.split(X, Y)):
        fold[test] = i
        for name, model in MODELS.items():
            fitted = clone(model).fit(X[train], Y[train])
            scores[name][test] = fitted.decision_function(X[test])
    return fold, scores


@pytest.mark.parametrize("entrance", ["from_cv", "from_cv_results"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_entrance_of_folds_leads_to_one_answer(question, entrance):
    fold, scores = held_out()
    expected = plain(judge_of(question, scores, folds=fold))
    models = MODELS if entrance == "from_cv" else FITS
    models = models if question == "comparison" else models["A"]
    asked = [(X, Y, {})]
    if entrance == "from_cv":
        asked = [(X, Y, {"cv": CV}), (X, RARE, {"cv": CV, "pos_label": "rare"})]
    if (question, entrance) == ("test", "from_cv"):  # one is enough for all tables
        tables = pd.DataFrame(X), csr_array(X), X.tolist()
        asked += [(items, Y, {"cv": CV}) for items in tables]
    for items, labels, settings in asked:
        enter = getattr(QUESTIONS[question], entrance)
        found = plain(enter(models, items, labels, **settings).to_dict())
        assert found == pytest.approx(expected, nan_ok=True)
    assert not hasattr(MODELS["A"], "classes_")


def test_parts_are_the_rankings_of_their_items():
    rankings = Rankings.from_predictions(Y, {"a": A, "b": B}, groups=DAY)
    assert repr(rankings) == "<Rankings of 2 models, 5 groups, 300 items, 30 targets>"
    assert (rankings.names, rankings.labels) == (("a", "b"), (0, 1, 2, 3, 4))
    for label, row in zip(rankings.labels, rankings.parts, strict=True):
        own = label == DAY
        for score, one in zip((A, B), row, strict=True):
            assert average_precision(one) == average_precision(Y[own], score[own])
    assert rankings.only("b").names == ("b",)
    given = [row[0] for row in rankings.parts]
    found = MetricInterval().from_rankings(given)
    by_groups = MetricInterval().from_predictions(Y, A, groups=DAY)
    assert found.confidence_interval() == by_groups.confidence_interval()


def test_a_question_says_what_it_does_not_use():
    weight, stratum = np.linspace(1, 2, N), np.arange(N) % 2
    for ask, given in (
        (RandomSelectionTest(), {"sample_weight": weight}),
        (MetricInterval(), {"strata": stratum}),
        (MetricInterval(), {"n_missed": 2}),
        (SearchSelectionTest(), {"clusters": CLUSTER}),
    ):
        (name,) = given
        message = f"`{name}` must be left out for {type(ask).__name__}: "
        with pytest.raises(ValueError, match=message):
            ask.from_predictions(Y, A, **given)
        if name != "n_missed":
            with pytest.raises(ValueError, match=message):
                ask.from_estimator(MODEL, X, Y, **given)
    with pytest.raises(ValueError, match="`sample_weight` must be left out for Rank"):
        RankingComparison().from_predictions(Y, {"A": A, "B": B}, sample_weight=weight)
    with pytest.raises(ValueError, match="`rankings` must be of one model here"):
        RandomSelectionTest().from_predictions(Y, {"a": A, "b": B})
    for ask in (RandomSelectionTest(), MetricInterval()):
        with pytest.raises(ValueError, match="`rankings` must be Rankings, or"):
            ask.from_rankings(Y)
        one = Ranking.from_predictions(Y, A)
        same = ask.from_rankings(Rankings.from_rankings(one))
        assert str(ask.from_rankings(one)) == str(same)
    with pytest.raises(ValueError, match="`n_missed` must map each group"):
        RandomSelectionTest().from_predictions(Y, A, groups=DAY, n_missed=1)


@pytest.mark.parametrize("name", ["groups", "clusters", "strata", "sample_weight"])
def test_columns_of_pandas_must_have_the_index_of_the_labels(name):
    y = pd.Series(Y)
    column = pd.Series(DAY + 1).sample(frac=1, random_state=0)
    for ask in (RandomSelectionTest(), MetricInterval()):
        with pytest.raises(ValueError, match=f"`{name}` must have the index of"):
            ask.from_estimator(MODEL, X, y, **{name: column})
        with pytest.raises(ValueError, match=f"`{name}` must have the index of"):
            ask.from_predictions(y, A, **{name: column})
        with pytest.raises(ValueError, match=f"`{name}` must have as many items"):
            ask.from_estimator(MODEL, X, y, **{name: DAY[1:]})


def test_folds_are_the_sample_instead_of_clusters():
    with pytest.raises(TypeError, match="clusters"):
        MetricInterval().from_cv(LogisticRegression(), X, Y, clusters=CLUSTER)
    with pytest.raises(ValueError, match="left out for folds, which `cv_groups`"):
        RandomSelectionTest().from_predictions(Y, A, folds=DAY, clusters=CLUSTER)


def test_models_of_one_cross_validation_share_its_folds():
    models = {"one": LogisticRegression(), "two": LogisticRegression(C=1e-3)}
    rankings = Rankings.from_cv(models, X, Y, cv=3)
    table = RankingComparison().compare_all(rankings)
    alone = RankingComparison().from_cv(models, X, Y, cv=3)
    assert table.comparisons[0].difference == alone.difference
    assert str(alone).splitlines()[1].startswith("  3 folds ")
    asked = {"return_estimator": True, "return_indices": True}
    fits = {
        name: cross_validate(one, X, Y, cv=cv, **asked)
        for (name, one), cv in zip(models.items(), (3, 4), strict=True)
    }
    with pytest.raises(ValueError, match="`cv_results` must be of the same folds"):
        Rankings.from_cv_results(fits, X, Y)


# Labels


def test_a_column_of_labels_and_of_scores_is_taken():
    expected = average_precision(Y, A)
    assert average_precision(Y[:, None], A[:, None]) == expected
    frame = pd.DataFrame({"y": Y})
    assert average_precision(frame, A) == expected
    search = GridSearchCV(
        LogisticRegression(), {"C": [1.0]}, scoring=make_average_precision_scorer()
    )
    with pytest.warns(UserWarning, match="A column-vector y was passed"):
        found = search.fit(X, frame).best_score_
    assert found == search.fit(X, Y).best_score_


@pytest.mark.parametrize("missing", ["NA", "nan", "NULL", "None", "", r"\N"])
def test_texts_of_missing_labels_beside_two_others_are_refused(missing):
    labels = np.where(Y == 1, "yes", "no").astype(object)
    labels[[7, 20, 40]] = missing
    message = f"contain labels, none missing; got 3 of {re.escape(repr(missing))}, the "
    for ask in (average_precision, RandomSelectionTest().from_predictions):
        with pytest.raises(ValueError, match=f"{message}first at positions 7, 20, 40"):
            ask(labels, A, pos_label="yes")


def test_two_classes_may_be_called_a_and_na():
    labels = np.where(Y == 1, "NA", "A")
    for label, marks in (("NA", Y == 1), ("A", Y == 0)):
        expected = average_precision(marks, A)
        assert average_precision(labels, A, pos_label=label) == expected


@pytest.mark.parametrize("labels", [["low", "mid", "hot"], ["0", "1", "2"]])
def test_labels_and_classes_of_two_codings_are_listed(labels):
    X, y = make_classification(300, n_classes=3, n_informative=4, random_state=0)
    model = LogisticRegression(max_iter=999).fit(X, y)
    text = np.array(labels)[y]
    message = rf"`y_true` must have some of the classes 0, 1, 2; got .*'{labels[2]}'"
    for ask in (
        lambda: make_average_precision_scorer(pos_label=2)(model, X, text),
        lambda: RandomSelectionTest().from_estimator(model, X, text, pos_label=2),
        lambda: RankingReport().from_rankings(
            Rankings.from_classes(text, model.predict_proba(X), model.classes_)
        ),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


def test_chunks_and_batches_have_labels_of_one_kind():
    chunks = [([1, 2, 1], [3.0, 2, 1]), (["1", "2", "x"], [3.0, 2, 1])]
    message = "`y_true` must have labels of one kind .*got texts as '1' after numbers"
    with pytest.raises(ValueError, match=message):
        RankCounts.from_chunks(chunks, pos_label=2)
    evaluation = RankingEvaluation(pos_label=2).add(*chunks[0])
    with pytest.raises(ValueError, match=message):
        evaluation.add(*chunks[1])
    assert evaluation.n_samples == 3
    for count in (
        lambda: RankCounts.from_predictions(["a", "b"], [1.0, 2], pos_label="A"),
        lambda: RankCounts.from_chunks([(["a", "b"], [1.0, 2])], pos_label="A"),
    ):
        with pytest.raises(ValueError, match="`pos_label` must be one of the labels"):
            count()


def test_decimals_are_numbers():
    scores = [Decimal(v) for v in ("0.9", "0.8", "0.7", "0.6")]
    y = [1, 0, 1, 0]
    for column in (scores, pd.Series(scores), pl.Series(scores)):
        assert average_precision(y, column) == pytest.approx(5 / 6)
    close = [Decimal(2**53), Decimal(2**53) + 1, Decimal(1), Decimal(2)]
    with pytest.raises(ValueError, match="contain numbers that stay different in"):
        average_precision(y, close)


@pytest.mark.parametrize("name", ["groups", "clusters", "strata", "y_true"])
@pytest.mark.parametrize(
    "values",
    [
        [Decimal(1)] * 3 + [Decimal(2)] * 2 + [Decimal("nan")],
        [[1], [1, 1], [1], [2], [2, 2], [2]],
        np.array([(1, 1)] * 3 + [(2, 2)] * 3, dtype=[("a", int), ("b", int)]),
    ],
    ids=["NaN", "ragged", "records"],
)
def test_what_is_no_column_of_labels_is_named(name, values):
    given = {"y_true": [1, 0, 0, 1, 0, 0], "y_score": [6, 5, 4, 3, 2, 1.5]}
    given |= {name: values, "pos_label": 1}
    with pytest.raises(ValueError, match=f"`{name}` must "):
        RandomSelectionTest().from_predictions(**given)


def test_a_metric_object_keeps_its_tie_rule():
    metric = make_metric("recall@5", ties="together")
    assert MetricInterval(metric).ties == "together"
    with pytest.raises(ValueError, match="`ties` must be left out for a metric object"):
        MetricInterval(metric, ties="optimistic")


def test_targets_that_are_most_items_have_a_note():
    said = str(RandomSelectionTest().from_predictions(1 - Y, -A))
    assert "most items are targets: is the other class the target" in said
    assert "most items are targets" not in str(
        RandomSelectionTest().from_predictions(Y, A)
    )


# Estimators


class Outliers(BaseEstimator):
    """A detector with the conventions of PyOD: 1 is an outlier, and scores higher."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "outlier_detector"
        return tags

    _estimator_type = "outlier_detector"  # of scikit-learn before 1.6

    def fit(self, X, y=None):
        self.threshold_ = np.quantile(np.abs(X[:, 0]), 0.95)
        return self

    def decision_function(self, X):
        return np.abs(X[:, 0])

    def predict(self, X):
        return (self.decision_function(X) > self.threshold_).astype(int)


class Silent(Outliers):
    """A detector whose labels do not tell."""

    def predict(self, X):
        return np.ones(len(X), dtype=int)


class Scored(Outliers):
    """A detector without labels."""

    @property
    def predict(self):
        raise AttributeError


@pytest.mark.parametrize(
    "wrap",
    [lambda d: d, lambda d: make_pipeline(StandardScaler(), d)],
    ids=["alone", "pipeline"],
)
@pytest.mark.parametrize("targets", ["outliers", "inliers"])
def test_detectors_point_where_their_labels_say(wrap, targets):
    y = np.arange(N) < 15
    items = np.random.default_rng(1).normal(size=(N, 2))
    items[y] *= 6
    marks = y if targets == "outliers" else ~y
    for detector, sign in (
        (Outliers(), 1),
        (IsolationForest(n_estimators=20, random_state=0), -1),
    ):
        model = wrap(detector).fit(items)
        direction = sign if targets == "outliers" else -sign
        expected = average_precision(marks, direction * model.decision_function(items))
        scorer = make_average_precision_scorer(detector_targets=targets)
        assert scorer(model, items, marks) == expected
        test = RandomSelectionTest()
        found = test.from_estimator(model, items, marks, detector_targets=targets)
        assert found.value == expected


def test_a_detector_that_does_not_tell_is_refused():
    with pytest.raises(
        ValueError, match='`detector_targets` must be "outliers" or "in'
    ):
        Rankings.from_estimator(Outliers().fit(X), X, Y)
    with pytest.raises(ValueError, match="`estimator` must have one of the methods de"):
        Rankings.from_estimator(StandardScaler().fit(X), X, Y)
    scorer = make_average_precision_scorer(detector_targets="outliers")
    message = "whether larger scores mean outliers; pass its scores to from_predict"
    with pytest.raises(ValueError, match=message):
        scorer(Silent().fit(X), X, Y)
    with pytest.raises(ValueError, match=message):
        scorer(make_pipeline(StandardScaler(), Silent()).fit(X), X, Y)
    with pytest.raises(ValueError, match=message):
        scorer(Scored().fit(X), X, Y)
    # all items are inliers to this one, which is scikit-learn's
    forest = IsolationForest(n_estimators=5, random_state=0).fit(X)
    inside = X[forest.predict(X) == 1]
    few = Rankings.from_estimator(
        forest, inside, np.arange(len(inside)) < 9, detector_targets="outliers"
    )
    assert few.sizes == (len(inside), 9)


def test_what_is_no_estimator_of_scikit_learn_is_told_the_way():
    class Booster:
        def predict(self, X):
            return X[:, 0]

    message = r"to from_predictions, as in from_predictions\(y, scores\); got Boost"
    for ask in (
        lambda: make_average_precision_scorer()(Booster(), X, Y),
        lambda: RandomSelectionTest().from_estimator(Booster(), X, Y),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


def test_models_that_print_alike_are_numbered():
    models = [LogisticRegression().fit(X[i:], Y[i:]) for i in (0, 100)]
    found = Rankings.from_estimator(models, X, Y)
    assert found.names == ("LogisticRegression() [0]", "LogisticRegression() [1]")
    for model, one in zip(models, found.parts[0], strict=True):
        alone = average_precision(Y, model.decision_function(X))
        assert average_precision(one) == pytest.approx(alone)


def test_sparse_scores_are_refused():
    with pytest.raises(ValueError, match="an array of shape .*; got csr_array"):
        Rankings.from_predictions(Y, csr_array(X))


def test_a_comparison_of_three_models_is_compare_all():
    three = Rankings.from_predictions(Y, {"a": A, "b": B, "c": A + B})
    with pytest.raises(
        ValueError, match="two models; use `compare_all` for more; got 3"
    ):
        RankingComparison().from_rankings(three)
    assert len(RankingComparison().compare_all(three).to_frame()) == 3


def test_lower_scores_of_one_of_two_models():
    both = {"kept": A, "turned": -A}
    rankings = Rankings.from_predictions(Y, both, lower_is_better=["turned"])
    kept, turned = (
        ThresholdChoice(t=10, n_resamples=99).from_rankings(rankings.only(name))
        for name in both
    )
    assert (kept.t, kept.threshold) == (turned.t, turned.threshold)
    assert kept.score == "the given scores"
    assert turned.score == "minus the given scores"


def test_scores_of_two_indexes_beside_a_list():
    one = pd.Series(A)
    scores = {"list": A.tolist(), "one": one, "other": one[::-1]}
    with pytest.raises(ValueError, match=r"`y_score`\['other'\] must have the index"):
        Rankings.from_predictions(Y, scores)


@pytest.mark.filterwarnings("ignore:5 rankings are few")
@pytest.mark.parametrize("name", [*QUESTIONS, "monitor", "threshold"])
def test_a_list_of_rankings_is_that_of_groups(name):
    """Judge: the same items with the number of their list as group."""
    others = {
        "monitor": RankingMonitor("recall@3", reference=0.3),
        "threshold": ThresholdChoice(t=3, n_resamples=99),
    }
    ask = {**QUESTIONS, **others}[name]
    names = ["A", "B"] if name in ("comparison", "search") else ["A"]
    lists = {one: ranked(one, groups=DAY) for one in names}
    scores = {one: SCORES[one] for one in names}
    expected = ask.from_predictions(Y, scores, groups=DAY).to_dict()
    found = ask.from_rankings(lists).to_dict()
    for result in (found, expected):
        result.pop("names", None)
    assert_equal(found, expected)


@pytest.mark.parametrize("ask", [*QUESTIONS.values(), ThresholdChoice(t=3)])
def test_entrances_show_what_a_question_uses(ask):
    columns = {"clusters": CLUSTER, "strata": DAY, "sample_weight": 1.0 + DAY}
    scores = SCORES if isinstance(ask, RankingComparison) else A
    for name, values in columns.items():
        shown = inspect.signature(ask.from_predictions).parameters
        documented = f"\n{name} : " in inspect.getdoc(ask.from_predictions)
        assert (name in shown) == documented, name
        if name not in shown:
            with pytest.raises(ValueError, match=f"`{name}` must be left out for"):
                ask.from_predictions(Y, scores, **{name: values})


def test_counts_are_no_candidates():
    counts = RankCounts.from_predictions(Y, A)
    with pytest.raises(ValueError, match="`rankings` must have the items themselves"):
        SearchSelectionTest(n_resamples=99).from_rankings(counts)


@pytest.mark.parametrize("given", [{"groups": DAY}, {"folds": DAY}, {}])
def test_parts_that_are_left_out_take_their_labels_with_them(given):
    """Judge: the items of the days that have targets, ranked alone."""
    some = np.where(DAY % 2, 0, Y)
    rankings = Rankings.from_predictions(some, {"a": A, "b": B}, **given)
    ap = make_metric("average_precision")
    if given:
        with pytest.warns(match=f"2 of 5 {rankings.kind} have no targets"):
            rankings = rankings.defined_for(ap)
    assert rankings.labels == ((0, 2, 4) if given else ())
    assert len(rankings.parts) == len(rankings.labels or (0,))
    for label, (of_b, of_a) in zip(
        rankings.labels or [None], rankings.only("b", "a").parts, strict=True
    ):
        own = label == DAY if given else slice(None)
        assert average_precision(of_a) == average_precision(some[own], A[own])
        assert average_precision(of_b) == average_precision(some[own], B[own])


def test_whether_items_are_known_or_only_counted():
    weighted = Ranking.from_predictions(Y, A, sample_weight=np.linspace(1, 2, N))
    (counts,) = Rankings.from_rankings(RankCounts.from_predictions(Y, A)).single
    assert Ranking.from_predictions(Y, A).has_items
    assert weighted.has_items
    assert not counts.has_items


def test_rankings_that_cannot_be_taken():
    one = Ranking.from_predictions(Y, A)
    weighted = Ranking.from_predictions(Y, A, sample_weight=np.linspace(1, 2, N))
    for given, message in (
        ([], r"contain at least one ranking; got \[\]"),
        ({}, r"contain at least one ranking; got \{\}"),
        (
            {"A": [], "B": []},
            r"contain at least one ranking; got \{'A': \[\], 'B': \[\]\}",
        ),
        ([one, weighted], "have weights in all rankings, or in none; got 1 of 2 with"),
        ({"A": one, "B": weighted}, "have weights in all rankings, or in none; got 1"),
    ):
        with pytest.raises(ValueError, match=f"`rankings` must {message}"):
            Rankings.from_rankings(given)
    # lists are no values of an argument `groups`
    some = Ranking.from_predictions(np.zeros(N, dtype=bool), A)
    with pytest.raises(ValueError, match="contain targets and .*; got none such.$"):
        MetricInterval().from_rankings([some, some])


def test_labels_of_a_cross_validation_are_checked_before_it():
    class Never(LogisticRegression):
        def fit(self, X, y):
            raise AssertionError

    fits = cross_validate(MODEL, X, Y, cv=3, return_estimator=True, return_indices=True)
    missing, mixed = np.where(Y, 1, np.nan), ["rare", *Y[1:].tolist()]
    for y, message in (
        (missing, "`y` must contain labels of one kind, none missing; got 270 missing"),
        (mixed, "`y` must contain labels of one kind, none missing; got labels of int"),
        (RARE, "`pos_label` must name the label of the targets"),
    ):
        with pytest.raises(ValueError, match=message):
            Rankings.from_cv(Never(), X, y)
        with pytest.raises(ValueError, match=message):
            Rankings.from_cv_results(fits, X, y)
