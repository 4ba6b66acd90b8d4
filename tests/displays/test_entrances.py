"""Displays and columns: a figure is that of the columns, or they are refused.

The judge puts the items in order and counts, part by part.
"""

import inspect

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skrank import (
    HitCurveDisplay,
    NullDistributionDisplay,
    PrecisionRecallDisplay,
    RandomSelectionTest,
    RankingComparisonDisplay,
    RankingMonitorDisplay,
    hit_curve,
    hit_curve_band,
    operating_points,
)
from skrank._utils._signature import without

N = 120
RNG = np.random.default_rng(0)
Y = (np.arange(N) < 30).astype(int)
X = RNG.normal(1.0 * Y[:, None], size=(N, 2))
A, B = X.T
GROUP = np.arange(N) % 4
MODEL = LogisticRegression().fit(X, Y)
CURVES = [HitCurveDisplay, PrecisionRecallDisplay]
FOLDED = [*CURVES, NullDistributionDisplay]
DISPLAYS = [*FOLDED, RankingComparisonDisplay, RankingMonitorDisplay]
COLUMNS = {
    "pos_label": {"pos_label": 0},
    "lower_is_better": {"lower_is_better": True},
    "groups": {"groups": GROUP},
    "clusters": {"clusters": np.arange(N) // 2},
    "strata": {"strata": GROUP},
    "folds": {"folds": GROUP},
    "sample_weight": {"sample_weight": 1.0 + np.arange(N) % 3},
    "n_missed": {"n_missed": 7, "n_unlisted": 40},
    "n_unlisted": {"n_unlisted": 40},
}
REFUSED = {
    HitCurveDisplay: {"strata"},
    PrecisionRecallDisplay: {"strata", "clusters"},
    NullDistributionDisplay: {"sample_weight"},
    RankingComparisonDisplay: {"groups", "strata", "folds", "sample_weight"},
    RankingMonitorDisplay: {*COLUMNS} - {"pos_label", "lower_is_better", "groups"},
}
QUICK = {
    HitCurveDisplay: {"pvalue": False},
    PrecisionRecallDisplay: {"pvalue": False},
    NullDistributionDisplay: {},
    RankingComparisonDisplay: {"simultaneous": False},
    RankingMonitorDisplay: {},
}
TABLE = [(display, column) for display in DISPLAYS for column in COLUMNS]
each = pytest.mark.parametrize(
    ("display", "column"), TABLE, ids=[f"{one.__name__}-{by}" for one, by in TABLE]
)


def scores_of(display):
    return {"A": A, "B": B} if display is RankingComparisonDisplay else A


def counted(score, given):
    """Depths and hits in each part, item by item, with the number of its targets."""
    is_target = given.get("pos_label", 1) == Y
    score = -score if given.get("lower_is_better") else score
    weight = given.get("sample_weight", np.ones(N))
    part = given.get("groups", given.get("folds", np.zeros(N)))
    missed, unlisted = given.get("n_missed", 0), given.get("n_unlisted", 0)
    for label in np.unique(part):
        depths, hits = [0.0], [0.0]
        for item in sorted(np.flatnonzero(part == label), key=lambda i: -score[i]):
            depths.append(depths[-1] + weight[item])
            hits.append(hits[-1] + weight[item] * is_target[item])
        if unlisted:
            depths.append(depths[-1] + unlisted)
            hits.append(hits[-1] + missed)
        yield np.array(depths), np.array(hits)


@each
def test_a_column_changes_the_figure_or_is_refused(display, column):
    given, scores = COLUMNS[column], scores_of(display)
    if column in REFUSED[display]:
        said = f"`{column}` must be left out for {display.__name__}: "
        with pytest.raises(ValueError, match=said):
            display.from_predictions(Y, scores, **given)
        with pytest.raises(ValueError, match=said):
            display.from_estimator({"A": MODEL, "B": MODEL}, X, Y, **given)
        return
    if display is RankingMonitorDisplay:
        drawn = display.from_predictions(Y, A, **{"groups": GROUP, **given})
        label, sign = given.get("pos_label", 1), 1 - 2 * (column == "lower_is_better")
        expected = [
            average_precision_score(label == Y[i == GROUP], sign * A[i == GROUP])
            for i in range(4)
        ]
        assert drawn.line_.get_ydata() == pytest.approx(expected)
        return
    quick = {} if column in ("clusters", "sample_weight") else QUICK[display]
    drawn = display.from_predictions(Y, scores, **given, **quick)
    if display is NullDistributionDisplay:
        result = RandomSelectionTest(random_state=0).from_predictions(Y, A, **given)
        assert drawn.value == result.value
        assert drawn.null_mean in (None, result.null_mean)
        if column in ("clusters", "strata"):
            bars = np.histogram(result.null_values, drawn.edges)[0]
            assert drawn.probabilities == pytest.approx(bars / result.null_values.size)
        return
    each = scores.values() if isinstance(scores, dict) else [scores]
    expected = [one for score in each for one in counted(score, given)]
    lines = np.ravel(drawn.line_)
    assert len(lines) == len(expected)
    for line, (depths, hits) in zip(lines, expected, strict=True):
        x, y = line.get_data()
        unit = depths[-1] if column == "folds" else 1
        if display is PrecisionRecallDisplay:
            found, precision = x[y > 0][1:] * hits[-1], y[y > 0][1:]
            assert np.interp(found / precision, depths, hits) == pytest.approx(found)
            at_hits = np.flatnonzero(np.diff(hits)) + 1
            assert np.isin((hits[at_hits] / hits[-1]).round(9), x.round(9)).all()
        else:
            assert np.interp(depths, x * unit, y * unit) == pytest.approx(hits)
    if column in ("clusters", "sample_weight"):
        assert getattr(drawn, "log10_pvalue", None) is None
    if column == "groups":
        x, y = drawn.mean_.get_data()
        own = [np.interp(x, *line.get_data()) for line in lines]
        assert y == pytest.approx(np.mean(own, axis=0))


@pytest.mark.parametrize("alone", [True, False])
def test_missed_targets_have_no_precision(alone):
    """Where nothing is known of the other items, recall ends below one."""
    given = {"n_missed": 10} if alone else {"groups": GROUP, "n_missed": {0: 10, 1: 2}}
    drawn = PrecisionRecallDisplay.from_predictions(Y, A, pvalue=False, **given)
    ends = [line.get_xdata()[-1] for line in np.ravel(drawn.line_)]
    if alone:
        assert ends == pytest.approx([30 / 40])
        return
    sizes = [Y[label == GROUP].sum() for label in range(4)]
    assert ends == pytest.approx(
        [sizes[0] / (sizes[0] + 10), sizes[1] / (sizes[1] + 2), 1, 1]
    )
    assert drawn.mean_.get_xdata()[-1] == pytest.approx(min(ends))


def test_bands_are_those_of_clusters():
    given = COLUMNS["clusters"]
    drawn = HitCurveDisplay.from_predictions(Y, A, confidence_band="pointwise", **given)
    band = hit_curve_band(Y, A, simultaneous=False, **given)
    assert drawn.confidence_band.low.tolist() == band.low.tolist()
    drawn = RankingComparisonDisplay.from_predictions(Y, {"A": A, "B": B}, **given)
    band = hit_curve_band(Y, {"A": A, "B": B}, random_state=0, **given)
    assert drawn.band.low.tolist() == band.low.tolist()


@pytest.mark.parametrize(
    ("display", "settings"),
    [
        (RankingComparisonDisplay, {"n_missed": 3}),
        (HitCurveDisplay, {"n_missed": 3, "confidence_band": "pointwise"}),
    ],
)
@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_a_band_needs_all_items(display, settings):
    with pytest.raises(ValueError, match="without `n_missed` unless `n_unlisted` is"):
        display.from_predictions(Y, scores_of(display), **settings)


# The entrances


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("entrance", ["from_predictions", "from_estimator"])
def test_an_entrance_shows_what_the_figure_uses(display, entrance):
    entrance = getattr(display, entrance)
    shown = inspect.signature(entrance).parameters
    said = {line.split(" : ")[0] for line in inspect.getdoc(entrance).splitlines()}
    left_out = {"lower_is_better"} if entrance.__name__ == "from_estimator" else set()
    assert {*COLUMNS} - {*shown} == REFUSED[display] | left_out
    assert {*COLUMNS} & said == {*COLUMNS} & {*shown}


@pytest.mark.parametrize("display", DISPLAYS)
def test_estimators_are_drawn_as_their_scores(display):
    models, score = MODEL, MODEL.decision_function(X)
    if display is RankingComparisonDisplay:
        models = {"A": MODEL, "B": GaussianNB().fit(X, Y)}
        score = {"A": score, "B": models["B"].predict_proba(X)[:, 1]}
    for column in {"groups", "n_missed", "clusters"} - REFUSED[display]:
        given = {**COLUMNS[column], **QUICK[display]}
        one = display.from_estimator(models, X, Y, **given)
        other = display.from_predictions(Y, score, **given)
        pairs = zip(np.ravel(one.line_), np.ravel(other.line_), strict=True)
        for line, same in pairs:
            np.testing.assert_array_equal(line.get_xydata(), same.get_xydata())


@pytest.mark.parametrize("display", FOLDED)
def test_folds_are_fitted_or_given(display):
    cv = KFold(3, shuffle=True, random_state=0)
    kept = {"return_estimator": True, "return_indices": True}
    found = cross_validate(LogisticRegression(), X, Y, cv=cv, **kept)
    groups = np.zeros(N, dtype=int)
    for fold, index in enumerate(found["indices"]["test"]):
        groups[index] = 2 * fold + index % 2
    for given in ({}, {"groups": groups}):
        fitted = display.from_cv(
            LogisticRegression(), X, Y, cv=cv, **given, **QUICK[display]
        )
        ready = display.from_cv_results(found, X, Y, **given, **QUICK[display])
        pairs = zip(np.ravel(fitted.line_), np.ravel(ready.line_), strict=True)
        for line, same in pairs:
            np.testing.assert_array_equal(line.get_xydata(), same.get_xydata())
            assert line.get_label() == same.get_label()
    twice = [*cv.split(X)] * 2
    if display is NullDistributionDisplay:
        with pytest.raises(ValueError, match="folds that hold out no item twice"):
            display.from_cv(LogisticRegression(), X, Y, cv=twice)
    else:
        shown = display.from_cv(LogisticRegression(), X, Y, cv=twice, pvalue=False)
        assert len(shown.line_) == 6


@pytest.mark.parametrize("display", CURVES)
def test_groups_of_folds_have_their_names(display):
    labels = np.repeat(["mon", "tue", "wed", "thu"], N // 4)[RNG.permutation(N)]
    shown = display.from_predictions(
        Y, A, groups=labels, folds=np.isin(labels, ["mon", "thu"]), pvalue=False
    )
    drawn = {line.get_label().split(": ")[0]: line for line in shown.line_}
    assert {*drawn} == {"group mon", "group tue", "group wed", "group thu"}
    for label in ("mon", "tue"):
        own, line = labels == label, drawn[f"group {label}"]
        if display is HitCurveDisplay:
            curve, (x, y) = hit_curve(Y[own], A[own]), line.get_data()
            assert y * own.sum() == pytest.approx(curve.at(x * own.sum()))
        else:
            points = operating_points(Y[own], A[own])
            assert np.isin(points.recall.round(9), line.get_xdata().round(9)).all()
    for name in (["a"], list("abc")):
        with pytest.raises(ValueError, match="`name` must be one for each of 4 groups"):
            display.from_predictions(Y, A, groups=labels, folds=labels, name=name)


@pytest.mark.parametrize("display", CURVES)
def test_an_estimator_alone_is_named_by_its_class(display):
    named = [
        display.from_estimator(model, X, Y, pvalue=False, **given).line_
        for model, given in [
            (MODEL, {}),
            (MODEL, {"name": "M"}),
            ([MODEL, GaussianNB().fit(X, Y)], {}),
        ]
    ]
    said = [[one.get_label().split(": ")[0] for one in np.ravel(one)] for one in named]
    assert said == [["LogisticRegression"], ["M"], [str(MODEL), "GaussianNB()"]]


@pytest.mark.parametrize("wrong", ["tops", "kwargs", "self", "called", "repeated"])
@pytest.mark.parametrize("display", DISPLAYS)
def test_a_keyword_that_nobody_takes_is_named(display, wrong):
    """No estimator is fitted and nothing is ranked before."""
    data = {"from_predictions": [None] * 2, "from_estimator": [None] * 3}
    data |= {"from_cv": [None] * 3, "from_cv_results": [None] * 3}
    data |= {"from_rankings": [None], "from_result": [None]}
    for entrance, given in data.items():
        if hasattr(display, entrance):
            said = rf"{entrance}\(\) got an unexpected keyword argument '{wrong}'"
            with pytest.raises(TypeError, match=f"{display.__name__}.{said}"):
                getattr(display, entrance)(*given, **{wrong: 1})


def test_entrances_without_docstrings():
    """As python -OO makes them."""

    def entrance(cls, y_true, *, strata=None, folds=None):
        return y_true, strata, folds

    shown = without(entrance, {"strata": "a reason"})
    assert [*inspect.signature(shown).parameters] == ["cls", "y_true", "folds"]
    assert shown(None, 1, strata=2, folds=3) == (1, 2, 3)
