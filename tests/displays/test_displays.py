"""The displays of curves: what they draw is the data, whatever axes they get."""

import copy
import sys
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import hypergeom
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier

from cases import make_list
from oracles import tie_groups
from skrank import (
    HitCurveDisplay,
    LiftDisplay,
    PrecisionRecallDisplay,
    RandomSelectionNull,
    RandomSelectionTest,
    average_precision,
    hit_curve,
    hit_curve_band,
    operating_points,
)
from skrank.displays._curve_display import thin
downsample = None

CURVE_DISPLAYS = (HitCurveDisplay, LiftDisplay, PrecisionRecallDisplay)
N, M = 400, 30
rng = np.random.default_rng(0)
Y = np.arange(N) < M
X = rng.normal(1.2 * Y[:, np.newaxis], size=(N, 3))
SCORE = np.round(X.sum(axis=1))  # with ties
MODEL = LogisticRegression().fit(X, Y)

every = pytest.mark.parametrize("display", CURVE_DISPLAYS)
with_chance_line = pytest.mark.parametrize("display", CURVE_DISPLAYS[:2])


def folds(model=None, **kwargs):
    return cross_validate(
        model or KNeighborsClassifier(15),
        X,
        Y,
        cv=StratifiedKFold(4, shuffle=True, random_state=0),
        return_estimator=True,
        return_indices=True,
        **kwargs,
    )


def hits_by_definition(y_true, y_score, t):
    """Hits among the top t, those of a tie shared out, tie by tie."""
    t, found, above = np.asarray(t, dtype=float), 0.0, 0
    for size, hits in tie_groups(y_true, y_score):
        found = found + hits * np.clip((t - above) / size, 0, 1)
        above += size
    return found


# The curve is that of the data


def test_hit_curve_is_that_of_the_definition():
    line = HitCurveDisplay.from_predictions(Y, SCORE).line_
    t, hits = line.get_data()
    assert hits == pytest.approx(hits_by_definition(Y, SCORE, t))
    groups = tie_groups(Y, SCORE)
    ends = np.cumsum([size for size, _ in groups])
    assert {end for end, (_, hits) in zip(ends, groups, strict=True) if hits} <= set(t)
    assert (t[-1], hits[-1]) == (N, M)


def test_fractions_are_items_over_the_list():
    line = HitCurveDisplay.from_predictions(Y, SCORE, as_fraction=True).line_
    t, hits = line.get_data()
    assert hits * N == pytest.approx(hits_by_definition(Y, SCORE, t * N))
    assert (t[-1], hits[-1]) == pytest.approx((1, M / N))


@pytest.mark.parametrize("as_fraction", [False, True])
def test_lift_is_hits_over_those_by_chance(as_fraction):
    display = LiftDisplay.from_predictions(Y, SCORE, as_fraction=as_fraction)
    t, lift = display.line_.get_data()
    items = t * N if as_fraction else t
    assert lift == pytest.approx(hits_by_definition(Y, SCORE, items) / (items * M / N))
    assert items[0] == pytest.approx(1)
    assert lift[-1] == pytest.approx(1)
    assert display.ax_.get_xscale() == "log"


def test_recall_and_precision_are_hits_over_targets_and_over_items():
    display = PrecisionRecallDisplay.from_predictions(Y, SCORE)
    recall, precision = display.line_.get_data()
    t = recall[1:] * M / precision[1:]
    assert recall[1:] * M == pytest.approx(hits_by_definition(Y, SCORE, t))
    assert (recall[0], recall[-1], precision[-1]) == pytest.approx((0, 1, M / N))
    assert precision[0] == precision[1]


def test_interpolated_steps_are_the_best_precision_at_a_recall():
    display = PrecisionRecallDisplay.from_predictions(Y, SCORE, interpolate=True)
    recall, precision = display.line_.get_data()
    points = operating_points(Y, SCORE)
    for r in np.linspace(0.01, 1, 50):
        best = points.precision[points.recall >= r - 1e-12].max()
        assert precision[np.searchsorted(recall, r - 1e-12)] == pytest.approx(best)


# Chance and the perfect curve


def test_band_of_chance_of_hits():
    band = HitCurveDisplay.from_predictions(
        Y, X[:, 0], chance_band_level=0.9
    ).chance_band_
    corners = band.get_paths()[0].vertices
    for t in (1, 2, 5, 20, 100, N):
        limits = corners[corners[:, 0] == t, 1]
        within = hypergeom.ppf([0.05, 0.95], N, M, t)
        assert (limits.min(), limits.max()) == pytest.approx(tuple(within))
    assert band.get_label() == "chance, 90 %"


def test_band_of_chance_of_lift():
    band = LiftDisplay.from_predictions(Y, X[:, 0], chance_band_level=0.9).chance_band_
    corners = band.get_paths()[0].vertices
    for t in (1, 2, 5, 20, N):
        limits = corners[corners[:, 0] == t, 1]
        within = hypergeom.ppf([0.05, 0.95], N, M, t) / (t * M / N)
        assert (limits.min(), limits.max()) == pytest.approx(tuple(within))


def test_band_of_chance_of_precision():
    display = PrecisionRecallDisplay.from_predictions(Y, SCORE, chance_band_level=0.9)
    corners = display.chance_band_.get_paths()[0].vertices
    t = np.arange(1, N + 1)
    for j in (1, 2, 10, M):
        limits = corners[np.isclose(corners[:, 0], j / M), 1]
        found = hypergeom.sf(j - 1, N, M, t)
        first, last = t[found >= 0.05][0], t[found >= 0.95][0]
        assert (limits.min(), limits.max()) == pytest.approx((j / last, j / first))


def test_chance_and_perfect_lines():
    display = HitCurveDisplay.from_predictions(Y, SCORE)
    t, hits = display.chance_level_.get_data()
    assert hits == pytest.approx(t * M / N)
    t, hits = display.perfect_.get_data()
    assert hits == pytest.approx(np.minimum(t, M))
    display = LiftDisplay.from_predictions(Y, SCORE)
    assert display.chance_level_.get_ydata() == pytest.approx(1)
    t, lift = display.perfect_.get_data()
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("log", "log")
    assert lift == pytest.approx(np.minimum(t, M) / t * N / M)
    assert lift[0] == pytest.approx(N / M)  # the ceiling


@with_chance_line
def test_what_is_not_wanted_is_not_drawn(display):
    shown = display.from_predictions(
        Y, SCORE, chance_band_level=None, plot_perfect=False
    )
    assert shown.chance_band_ is None
    assert shown.perfect_ is None
    assert len(shown.ax_.collections) == 0
    assert len(shown.ax_.lines) == 2


@every
def test_weights_have_no_band_of_chance(display):
    weight = rng.integers(1, 4, N).astype(float)
    data = [hit_curve(Y, SCORE, sample_weight=weight)]
    if display is PrecisionRecallDisplay:
        data.append(operating_points(Y, SCORE, sample_weight=weight))
    shown = display(*data).plot()
    assert shown.chance_band_ is None
    whole = display.from_predictions(
        np.repeat(Y, weight.astype(int)), np.repeat(SCORE, weight.astype(int))
    )
    x, y = shown.line_.get_data()
    expected = np.interp(x[1:], *whole.line_.get_data())
    if display is not PrecisionRecallDisplay:  # where lines are upright
        assert y[1:] == pytest.approx(expected, rel=1e-4)
    names = shown.ax_.get_legend_handles_labels()[1]
    assert "chance, 95 %" not in names


def test_band_of_the_curve():
    for simultaneous, word in ((True, "simultaneous"), (False, "pointwise")):
        display = HitCurveDisplay.from_predictions(
            Y, SCORE, confidence_band=word, random_state=0
        )
        band = hit_curve_band(Y, SCORE, simultaneous=simultaneous, random_state=0)
        drawn = display.confidence_band_.get_paths()[0].get_extents()
        assert drawn.y0 == pytest.approx(band.low.min())
        assert drawn.y1 == pytest.approx(band.high.max())
        assert display.confidence_band.high == pytest.approx(band.high)
        label = display.confidence_band_.get_label()
        assert label == "95 % band of the curve"
    display = HitCurveDisplay.from_predictions(
        Y, SCORE, confidence_band="pointwise", as_fraction=True, name="model"
    )
    assert display.confidence_band.high * N == pytest.approx(band.high)
    assert display.confidence_band_.get_label() == "95 % band of model"


# Constructors agree


@every
def test_from_estimator_is_from_predictions(display):
    one = display.from_estimator(MODEL, X, Y)
    other = display.from_predictions(Y, MODEL.decision_function(X))
    np.testing.assert_array_equal(one.line_.get_xydata(), other.line_.get_xydata())
    label = other.line_.get_label()
    assert one.line_.get_label() == f"LogisticRegression: {label}"
    assert display.from_estimator(MODEL, X, Y, name="M").name == "M"


@every
def test_legend_says_average_precision_and_p(display):
    label = display.from_predictions(Y, SCORE, name="model").line_.get_label()
    p = RandomSelectionTest().from_predictions(Y, SCORE).pvalue
    value = average_precision(Y, SCORE)
    said = label.removeprefix("model: AP ").split(", p = ")
    assert [float(number) for number in said] == pytest.approx([value, p], rel=0.05)
    label = display.from_predictions(Y, SCORE, pvalue=False).line_.get_label()
    assert label == f"AP {value:.3f}"


@pytest.mark.slow
@every
@pytest.mark.parametrize("said", [True, False])
def test_p_is_left_out_where_it_takes_long(monkeypatch, display, said):
    asked = []
    monkeypatch.setattr(RandomSelectionNull, "_is_quick", said)
    monkeypatch.setattr(
        RandomSelectionTest,
        "from_predictions",
        lambda *args, **kwargs: asked.append(1) or SimpleNamespace(log10_pvalue=-2.0),
    )
    y_true, y_score = np.arange(90) < 7, -np.arange(90.0)
    label = display.from_predictions(y_true, y_score).line_.get_label()
    assert label == ("AP 1.00, p = 0.01" if said else "AP 1.00")
    display.from_predictions(y_true, y_score, pvalue=False)
    assert len(asked) == said
    display.from_predictions(y_true, y_score, pvalue=True)
    assert len(asked) == said + 1


@every
def test_pos_label(display):
    names = np.where(Y, "fraud", "fair")
    one = display.from_predictions(names, SCORE, pos_label="fraud", pvalue=False)
    other = display.from_predictions(Y, SCORE, pvalue=False)
    np.testing.assert_array_equal(one.line_.get_xydata(), other.line_.get_xydata())


def test_outlier_detectors_say_what_they_look_for():
    detector = IsolationForest(random_state=0).fit(X)
    with pytest.raises(ValueError, match="`detector_targets` must be"):
        HitCurveDisplay.from_estimator(detector, X, Y)
    display = HitCurveDisplay.from_estimator(detector, X, Y, detector_targets="inliers")
    t, hits = display.line_.get_data()
    assert hits == pytest.approx(hits_by_definition(Y, detector.score_samples(X), t))


@every
def test_folds_are_lines_of_their_own(display):
    found = folds()
    shown = display.from_cv_results(found, X, Y)
    assert len(shown.line_) == len(shown.curve) == 4
    for number, line in enumerate(shown.line_):
        index = found["indices"]["test"][number]
        score = found["estimator"][number].predict_proba(X[index])[:, 1]
        kwargs = {} if display is PrecisionRecallDisplay else {"as_fraction": True}
        alone = display.from_predictions(Y[index], score, **kwargs)
        assert line.get_xydata() == pytest.approx(alone.line_.get_xydata())
        assert line.get_label() == f"fold {number}: {alone.line_.get_label()}"
    styles = {(line.get_color(), line.get_linestyle()) for line in shown.line_}
    assert len(styles) == 4


def test_names_of_folds():
    shown = HitCurveDisplay.from_cv_results(folds(), X, Y, name="KNN", pvalue=False)
    assert shown.line_[2].get_label().startswith("KNN, fold 2: AP ")
    shown.plot(name=list("abcd"), line_kw=[{"alpha": a / 10} for a in range(4)])
    assert shown.line_[3].get_label().startswith("d: AP ")
    assert [line.get_alpha() for line in shown.line_] == [0, 0.1, 0.2, 0.3]
    shown = HitCurveDisplay.from_cv_results(folds(), X, Y, name=list("efgh"))
    assert shown.line_[0].get_label().startswith("e: AP ")


def test_folds_of_one_class_are_left_out():
    found = folds()
    found["indices"]["test"] = list(found["indices"]["test"])
    found["indices"]["test"][1] = np.flatnonzero(~Y)
    with pytest.warns(UndefinedMetricWarning, match="1 of 4 rankings"):
        shown = LiftDisplay.from_cv_results(found, X, Y)
    assert list(shown.name) == ["fold 0", "fold 2", "fold 3"]


def test_folds_need_estimators():
    with pytest.raises(ValueError, match="`cv_results` must hold estimators"):
        HitCurveDisplay.from_cv_results({"test_score": [1]}, X, Y)


# Axes


@every
def test_axes_are_made_or_taken(display):
    made = display.from_predictions(Y, SCORE)
    assert made.figure_ is made.ax_.figure
    figure, ax = plt.subplots()
    taken = display.from_predictions(Y, SCORE, ax=ax)
    assert (taken.ax_, taken.figure_) == (ax, figure)
    assert figure.get_layout_engine() is None
    assert len(plt.get_fignums()) == 2


@every
def test_displays_share_axes(display):
    one = display.from_predictions(Y, X[:, 0], name="one")
    other = display.from_predictions(Y, X[:, 1], ax=one.ax_, name="other")
    assert one.line_.get_color() != other.line_.get_color()
    assert one.line_.get_linestyle() != other.line_.get_linestyle()
    assert one.chance_band_ is other.chance_band_
    texts = [text.get_text() for text in one.ax_.get_legend().get_texts()]
    assert len(set(texts)) == len(texts)
    assert texts[0].startswith("one: AP")
    assert texts[1].startswith("other: AP")
    assert len(plt.get_fignums()) == 1


@with_chance_line
def test_lines_to_compare_with_are_shared_only_if_they_are_the_same(display):
    one = display.from_predictions(Y, X[:, 0])
    other = display.from_predictions(Y, X[:, 1], ax=one.ax_)
    assert one.perfect_ is other.perfect_
    assert one.chance_level_ is other.chance_level_
    shorter = display.from_predictions(Y[:-20], X[:-20, 1], ax=one.ax_)
    assert shorter.perfect_ is not one.perfect_
    assert shorter.chance_band_ is not one.chance_band_


@every
def test_legend_hides_nothing_where_there_is_room(display):
    shown = display.from_predictions(Y, SCORE, name="a name")
    shown.figure_.canvas.draw()
    box = shown.ax_.get_legend().get_window_extent()
    assert box.y1 < shown.ax_.xaxis.label.get_window_extent().y0
    assert box.y0 >= 0
    _, ax = plt.subplots()
    shown.plot(ax)
    ax.figure.canvas.draw()
    box, inside = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert inside.y0 <= box.y0
    assert box.y1 <= inside.y1


@pytest.mark.parametrize("top", [None, 100])
def test_legend_inside_hides_no_curve_if_it_can(top):
    _, ax = plt.subplots()
    for column, name in enumerate("ab"):
        HitCurveDisplay.from_predictions(Y, X[:, column], name=name, top=top, ax=ax)
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    for line in ax.lines[2:]:
        if line.get_label()[:2] in ("a:", "b:"):
            across = np.linspace(0, top or N, 2000)
            points = np.column_stack([across, np.interp(across, *line.get_data())])
            x, y = ax.transData.transform(points).T
            assert not np.any((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1))


def test_axes_of_a_part_of_a_figure():
    part = plt.figure(layout="constrained").subfigures(1, 2)[1]
    shown = HitCurveDisplay.from_predictions(Y, SCORE, ax=part.subplots())
    assert shown.figure_ is part
    part.figure.canvas.draw()
    box = shown.ax_.get_legend().get_window_extent()
    assert box.y1 < shown.ax_.xaxis.label.get_window_extent().y0


def test_long_names_are_not_cut_off():
    shown = HitCurveDisplay.from_predictions(Y, SCORE, name="a very long name " * 2)
    shown.figure_.canvas.draw()
    box = shown.ax_.get_legend().get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= shown.figure_.bbox.x1


@every
def test_drawing_does_not_change_the_data(display):
    shown = display.from_predictions(Y, SCORE)
    data = {k: v for k, v in vars(shown).items() if not k.endswith("_")}
    before = copy.deepcopy(data)
    shown.plot(line_kw={"lw": 5, "c": "red"}, name="other")
    assert shown.line_.get_linewidth() == 5
    for key, value in before.items():
        now = getattr(shown, key)
        if hasattr(value, "hits"):
            np.testing.assert_array_equal(value.t, now.t)
            np.testing.assert_array_equal(value.hits, now.hits)
        else:
            assert value == now
    assert shown.line_.get_label().startswith("other: ")


def test_a_curve_alone_has_no_name():
    shown = HitCurveDisplay(hit_curve(Y, SCORE)).plot()
    texts = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert texts == ["chance level", "chance, 95 %", "perfect"]


def test_top_shows_a_part():
    for top in (40, 0.1):
        ax = HitCurveDisplay.from_predictions(Y, SCORE, top=top).ax_
        assert ax.get_xlim() == (0, 40)
        assert M < ax.get_ylim()[1] < 1.1 * M  # room for the perfect curve
    ax = HitCurveDisplay.from_predictions(Y, SCORE, top=40, plot_perfect=False).ax_
    most = hits_by_definition(Y, SCORE, 40)
    assert most < ax.get_ylim()[1] < 1.1 * most
    ax = HitCurveDisplay.from_predictions(Y, SCORE, top=40, as_fraction=True).ax_
    assert ax.get_xlim() == pytest.approx((0, 0.1))


# Errors


@pytest.mark.parametrize("top", [0, 1.5, -3, "10", N + 1])
def test_top_is_checked_before_anything_is_drawn(top):
    with pytest.raises(ValueError, match="`top` must"):
        HitCurveDisplay.from_predictions(Y, SCORE, top=top)
    assert plt.get_fignums() == []


@every
def test_bad_input(display):
    with pytest.raises(ValueError, match="`chance_band_level` must be a number"):
        display.from_predictions(Y, SCORE, chance_band_level=95)
    with pytest.raises(ValueError, match="`y_score` must have as many items"):
        display.from_predictions(Y, SCORE[:-1])
    with pytest.raises(ValueError, match="`y_true` must hold targets to make a curve"):
        display.from_predictions(0 * Y, SCORE)


def test_confidence_band_is_one_of_three():
    with pytest.raises(ValueError, match="`confidence_band` must be one of None, 'si"):
        HitCurveDisplay.from_predictions(Y, SCORE, confidence_band=True)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"needs matplotlib: pip install skrank\[plo"):
        HitCurveDisplay.from_predictions(Y, SCORE)


# What is asked for is checked before anything is drawn


@every
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"name": ["a", "b"]},
            "`name` must have one value for each curve; got 2 for 1",
        ),
        ({"line_kw": []}, "`line_kw` must have one value for each curve; got 0 for 1"),
        (
            {"chance_band_level": 1.0},
            "`chance_band_level` must be a number between 0 and 1; got 1.0",
        ),
        ({"ax": np.zeros((2, 2))}, "`ax` must be one matplotlib Axes, or None; got 4"),
        ({"ax": "here"}, "`ax` must be one matplotlib Axes, or None; got str"),
    ],
)
def test_bad_settings_leave_no_figure(display, settings, said):
    with pytest.raises(ValueError, match=said):
        display.from_predictions(Y, SCORE, pvalue=False, **settings)
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    "name", [("a", "b"), np.array(["a", "b"]), iter("ab"), {"a": 1, "b": 2}.keys()]
)
def test_lists_are_any_sequence(name):
    curves = (hit_curve(Y, SCORE), hit_curve(Y, X[:, 0]))
    values = np.array([0.25, 0.5])
    name = list(name) if hasattr(name, "__next__") else name
    shown = LiftDisplay(curves, name=name, average_precision=values).plot()
    labels = [line.get_label() for line in shown.line_]
    assert labels == ["a: AP 0.250", "b: AP 0.500"]


def test_data_have_the_length_of_the_curves():
    curve, points = hit_curve(Y, SCORE), operating_points(Y, SCORE)
    for key in ("average_precision", "log10_pvalue"):
        with pytest.raises(ValueError, match=f"`{key}` must have one value for each"):
            HitCurveDisplay([curve, curve], **{key: [0.1]}).plot()
    with pytest.raises(ValueError, match="`points` must have one .*; got 0 for 1"):
        PrecisionRecallDisplay(curve, []).plot()
    with pytest.raises(ValueError, match="`points` must have one .*; got 1 for 2"):
        PrecisionRecallDisplay([curve, curve], [points]).plot()
    with pytest.raises(
        ValueError, match="`curve` must be one curve or a ranking of at"
    ):
        HitCurveDisplay([]).plot()
    assert plt.get_fignums() == []


def test_a_confidence_band_belongs_to_one_curve():
    band = hit_curve_band(Y, SCORE, simultaneous=False)
    curve = hit_curve(Y, SCORE)
    with pytest.raises(ValueError, match="`confidence_band` must be None if .* 2 curv"):
        HitCurveDisplay([curve, curve], confidence_band=band).plot()
    assert plt.get_fignums() == []


@with_chance_line
@pytest.mark.parametrize("as_fraction", [False, True])
def test_axes_have_one_unit(display, as_fraction):
    curves = [
        hit_curve(Y, SCORE, as_fraction=f) for f in (as_fraction, not as_fraction)
    ]
    shown = display(curves[0]).plot()
    drawn = len(shown.ax_.lines)
    with pytest.raises(ValueError, match="`ax` must hold curves in the same units"):
        display(curves[1]).plot(shown.ax_)
    assert len(shown.ax_.lines) == drawn
    with pytest.raises(ValueError, match="`curve` must hold curves in the same units"):
        display(curves).plot()
    assert len(plt.get_fignums()) == 1


def test_folds_share_the_axes_of_recall_with_others():
    shown = PrecisionRecallDisplay.from_predictions(Y, SCORE)
    other = PrecisionRecallDisplay.from_cv_results(folds(), X, Y, ax=shown.ax_)
    assert other.ax_ is shown.ax_


@pytest.mark.parametrize("missing", ["matplotlib", "matplotlib.pyplot"])
@every
def test_matplotlib_is_missed_before_anything_is_computed(
    monkeypatch, display, missing
):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        display.from_predictions(None, None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        display.from_estimator(None, None, None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        display.from_cv_results({}, None, None)


# Folds that are left out, many, or of other items


def folds_without_the_second():
    found = folds()
    found["indices"]["test"] = list(found["indices"]["test"])
    found["indices"]["test"][1] = np.flatnonzero(~Y)
    return found


@pytest.mark.parametrize("name", [list("abcd"), np.array(list("abcd"))])
def test_names_are_those_of_the_folds_that_are_left(name):
    with pytest.warns(UndefinedMetricWarning, match="1 of 4 rankings"):
        shown = LiftDisplay.from_cv_results(
            folds_without_the_second(), X, Y, name=name, pvalue=False
        )
    assert [line.get_label()[0] for line in shown.line_] == ["a", "c", "d"]


def test_each_fold_has_a_name():
    with (
        pytest.warns(UndefinedMetricWarning, match="1 of 4 rankings"),
        pytest.raises(ValueError, match="`name` must have one .* each fold .* 3 for 4"),
    ):
        LiftDisplay.from_cv_results(folds_without_the_second(), X, Y, name=list("acd"))
    assert plt.get_fignums() == []


@pytest.mark.parametrize("items", [X[:300], X[:300].tolist()])
def test_folds_are_of_these_items(items):
    with pytest.raises(ValueError, match="`X` must be the items .*; got 300 for folds"):
        HitCurveDisplay.from_cv_results(folds(), items, Y[:300])
    assert plt.get_fignums() == []


@pytest.mark.parametrize(("name", "said"), [(None, ""), ("KNN", "KNN, ")])
def test_many_folds_are_named_together(name, said):
    found = folds()
    found["estimator"] = list(found["estimator"]) * 3
    found["indices"]["test"] = list(found["indices"]["test"]) * 3
    shown = HitCurveDisplay.from_cv_results(found, X, Y, name=name)
    assert shown.line_[0].get_label().startswith(f"{said}12 folds, AP 0.")
    assert shown.log10_pvalue == [None] * 12
    assert len(shown.line_) == 12


# One chance band for all


@every
def test_rankings_with_and_without_ties_share_the_band_of_chance(display):
    tied = display.from_predictions(Y, np.round(SCORE / 4), pvalue=False)
    untied = display.from_predictions(Y, X[:, 0], pvalue=False, ax=tied.ax_)
    assert tied.chance_band_ is untied.chance_band_
    assert len(tied.ax_.collections) == 1


def test_band_of_chance_of_lists_that_differ_is_that_of_the_first():
    one = hit_curve(Y, X[:, 0], as_fraction=True)
    other = hit_curve(Y[:-90], X[:-90, 0], as_fraction=True)
    shown = HitCurveDisplay([one, other]).plot()
    assert shown.chance_band_.get_label() == "chance, 95 % (first ranking)"
    corners = shown.chance_band_.get_paths()[0].vertices
    limits = corners[np.isclose(corners[:, 0], 1 / N), 1]
    assert np.ptp(limits) * N == pytest.approx(1)
    assert HitCurveDisplay([one, one]).plot().chance_band_.get_label() == "chance, 95 %"


def test_one_target_has_no_band_along_its_recall():
    one = np.arange(50) == 3
    shown = PrecisionRecallDisplay.from_predictions(one, -np.arange(50.0))
    assert shown.chance_band_ is None
    texts = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert [text[:2] for text in texts] == ["AP"]


def test_band_of_chance_is_seen_on_white_and_on_black():
    red, green, blue, alpha = HitCurveDisplay.from_predictions(
        Y, SCORE, pvalue=False
    ).chance_band_.get_facecolor()[0]
    assert red == green == blue
    on_black, on_white = alpha * red, alpha * red + (1 - alpha)
    assert on_black < 0.25
    assert 0.75 < on_white < 0.95


# Limits and ticks


def test_top_does_not_cut_off_what_others_show():
    for first, second, shown in ((100, 40, 100), (40, 100, 100), (None, 40, N)):
        one = HitCurveDisplay.from_predictions(Y, SCORE, top=first)
        low, high = one.ax_.get_ylim()
        HitCurveDisplay.from_predictions(Y, X[:, 0], top=second, ax=one.ax_)
        assert one.ax_.get_xlim() == (0, shown)
        assert one.ax_.get_ylim()[0] <= low
        assert one.ax_.get_ylim()[1] >= high
    _, ax = plt.subplots()  # that has no curves yet
    assert HitCurveDisplay.from_predictions(Y, SCORE, top=40, ax=ax).ax_ is ax
    assert ax.get_xlim() == (0, 40)


def test_ticks_are_whole_items():
    shown = HitCurveDisplay.from_predictions(np.arange(5) < 1, -np.arange(5.0))
    for axis in (shown.ax_.xaxis, shown.ax_.yaxis):
        ticks = axis.get_majorticklocs()
        assert np.all(ticks == np.round(ticks))


# What a screen shows of long curves


PIXELS = 1000  # of an axis


@pytest.fixture(scope="module")
def long_curve():
    generator = np.random.default_rng(1)
    y_true = generator.random(2_000_000) < 0.03
    return hit_curve(y_true, generator.normal(1.5 * y_true))


def aside(t, hits, x, y):
    """Where the line has the height of points of the curve: the place next to them."""
    left = np.interp(hits, y, x)
    right = -np.interp(-hits, -y[::-1], -x[::-1])
    return np.clip(t, np.minimum(left, right), np.maximum(left, right))


def test_thinned_line_is_exact_to_half_a_pixel(long_curve):
    t, hits = downsample(long_curve)
    x, y = thin(t, hits)
    assert x.size < t.size / 2
    assert np.isin(x, t).all()
    assert y == pytest.approx(long_curve.at(x))
    assert (x[-1], y[-1]) == (t[-1], long_curve.n_targets)
    up = np.abs(np.interp(t, x, y) - hits)
    beside = aside(t, hits, x, y)
    assert up.max() <= 0.5 * hits[-1] / PIXELS
    assert np.abs(beside - t).max() <= 0.5 * t[-1] / PIXELS
    wide = np.log(np.maximum(beside, 1) / np.maximum(t, 1))
    assert np.abs(wide).max() <= 0.5 * np.log(t[-1]) / PIXELS
    for top in (100, 3000, 100_000):  # zooming in
        part = t <= top
        assert np.abs(beside - t)[part].max() <= 0.5 * top / PIXELS


def test_thinned_line_keeps_extremes(long_curve):
    t, hits = downsample(long_curve)
    t, precision = t[1:], hits[1:] / t[1:]
    kept = np.isin(t, thin(t, precision)[0])
    assert kept.sum() < t.size / 2
    for column in (t / t[-1], np.log(t) / np.log(t[-1])):
        edges = np.flatnonzero(np.diff(np.floor(column * PIXELS), prepend=-1) > 0)
        for extreme, other in ((np.minimum, np.inf), (np.maximum, -np.inf)):
            shown = extreme.reduceat(np.where(kept, precision, other), edges)
            full = extreme.reduceat(precision, edges)
            assert shown == pytest.approx(full, abs=0.5 / PIXELS)


def test_short_curves_are_not_thinned():
    y_true, y_score = make_list((2, 4, 1, 1), (1, 2, 0, 1))
    x, y = thin(*map(np.asarray, ([0.0, 1.0, 5.0], [0.0, 0.0, 0.0])))
    assert x.tolist() == [0, 1, 5]
    assert y.tolist() == [0, 0, 0]
    line = HitCurveDisplay.from_predictions(y_true, y_score).line_
    assert np.isin(hit_curve(y_true, y_score).t, line.get_xdata()).all()
