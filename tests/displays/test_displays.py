"""The displays of curves: what they draw is the data, whatever axes they get."""

import copy
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import hypergeom
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier

from cases import make_list
from oracles import tie_groups
from skrank import (
    HitCurveDisplay,
    PrecisionRecallDisplay,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    Rankings,
    average_precision,
    expected_profit,
    hit_curve,
    hit_curve_band,
    operating_points,
)
from skrank.displays._curve_display import thin

pytestmark = pytest.mark.contract

CURVE_DISPLAYS = (HitCurveDisplay, PrecisionRecallDisplay)
N, M = 400, 30
rng = np.random.default_rng(0)
Y = np.arange(N) < M
X = rng.normal(1.2 * Y[:, np.newaxis], size=(N, 3))
SCORE = np.round(X.sum(axis=1))  # with ties
MODEL = LogisticRegression().fit(X, Y)

every = pytest.mark.parametrize("display", CURVE_DISPLAYS)
with_chance_line = pytest.mark.parametrize("display", CURVE_DISPLAYS[:1])


def folds(times=1):
    found = cross_validate(
        KNeighborsClassifier(15),
        X,
        Y,
        cv=StratifiedKFold(4, shuffle=True, random_state=0),
        return_estimator=True,
        return_indices=True,
    )
    indices = {name: list(parts) * times for name, parts in found["indices"].items()}
    return {"estimator": list(found["estimator"]) * times, "indices": indices}


def folds_without_the_second():
    found = folds()
    found["indices"]["test"][1] = np.flatnonzero(~Y)
    return found


def hits_by_definition(y_true, y_score, t):
    """Hits among the top t, those of a tie shared out, tie by tie."""
    t, found, above = np.asarray(t, dtype=float), 0.0, 0
    for size, hits in tie_groups(y_true, y_score):
        found = found + hits * np.clip((t - above) / size, 0, 1)
        above += size
    return found


def limits_at(band, x):
    """Lower and upper limit that a band is drawn with."""
    corners = band.get_paths()[0].vertices
    limits = corners[np.isclose(corners[:, 0], x), 1]
    return limits.min(), limits.max()


def texts(legend):
    return [text.get_text() for text in legend.get_texts()]


# The curve is that of the data


@pytest.mark.parametrize("unit", [1, 1 / N])
def test_hit_curve_is_that_of_the_definition(unit):
    display = HitCurveDisplay.from_predictions(Y, SCORE, as_fraction=unit < 1)
    t, hits = np.array(display.line_.get_data()) / unit
    assert hits == pytest.approx(hits_by_definition(Y, SCORE, t), abs=1e-9)
    groups = tie_groups(Y, SCORE)
    ends = np.cumsum([size for size, _ in groups])
    corners = [end for end, (_, hits) in zip(ends, groups, strict=True) if hits]
    assert np.abs(t - np.c_[corners]).min(axis=1).max() < 1e-9
    assert (t[-1], hits[-1]) == pytest.approx((N, M))


@pytest.mark.parametrize("as_fraction", [False, True])
def test_lift_is_hits_over_those_by_chance(as_fraction):
    display = HitCurveDisplay.from_predictions(
        Y, SCORE, as_fraction=as_fraction, kind="lift"
    )
    t, lift = display.line_.get_data()
    items = t * N if as_fraction else t
    assert lift == pytest.approx(hits_by_definition(Y, SCORE, items) / (items * M / N))
    assert items[0] == pytest.approx(1)
    assert lift[-1] == pytest.approx(1)
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("log", "log")


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


def test_curves_of_several_models_stand_in_one_picture():
    rng = np.random.default_rng(0)
    y, scores = np.arange(60) < 9, rng.normal(size=(60, 2))
    models = Rankings.from_predictions(y, {"a": scores[:, 0], "b": scores[:, 1]})
    display = HitCurveDisplay.from_rankings(models)
    named = display.ax_.get_legend_handles_labels()[1]
    assert [label[0] for label in named if label.startswith(("a", "b"))] == ["a", "b"]
    for line, one in zip(display.line_, scores.T, strict=True):
        alone = HitCurveDisplay.from_predictions(y, one).line_
        np.testing.assert_array_equal(line.get_xydata(), alone.get_xydata())
    with pytest.raises(ValueError, match="`confidence_band` must be None for several"):
        HitCurveDisplay.from_rankings(models, confidence_band="pointwise")
    plt.close("all")


@pytest.mark.parametrize(("n", "m"), [(60, 1), (3000, 25), (5000, 2500)])
@pytest.mark.parametrize("as_fraction", [False, True])
@pytest.mark.parametrize("kind", ["hits", "lift"])
def test_drawn_band_of_chance_holds_at_every_depth(n, m, as_fraction, kind):
    y, t = np.arange(n) < m, np.arange(1, n + 1)
    options = {"as_fraction": as_fraction, "kind": kind, "plot_perfect": False}
    display = HitCurveDisplay.from_predictions(y, t[::-1], **options)
    corners = display.chance_band_.get_paths()[0].vertices.copy()
    if as_fraction:
        corners *= (n, 1 if kind == "lift" else n)
    if kind == "lift":  # on logarithmic axes, a straight line has a number of hits
        corners[:, 1] *= corners[:, 0] * m / n
    size = (len(corners) - 3) // 2  # the lower limit, then the upper one, backwards
    low = np.interp(t, *corners[1 : size + 1].T)
    high = np.interp(t, *corners[size + 2 : -1][::-1].T)
    null = hypergeom(n, m, t)
    inside = null.cdf(np.floor(high + 1e-6)) - null.cdf(np.ceil(low - 1e-6) - 1)
    assert inside.min() >= 0.95 - 1e-12


def test_band_of_chance_of_precision():
    display = PrecisionRecallDisplay.from_predictions(Y, SCORE, chance_band_level=0.9)
    t = np.arange(1, N + 1)
    for j in (1, 2, 10, M):
        found = hypergeom.sf(j - 1, N, M, t)
        first, last = t[found >= 0.05][0], t[found >= 0.95][0]
        limits = limits_at(display.chance_band_, j / M)
        assert limits == pytest.approx((j / last, j / first))


def test_chance_and_perfect_lines():
    display = HitCurveDisplay.from_predictions(Y, SCORE)
    t, hits = display.chance_level_.get_data()
    assert hits == pytest.approx(t * M / N)
    t, hits = display.perfect_.get_data()
    assert hits == pytest.approx(np.minimum(t, M))
    display = HitCurveDisplay.from_predictions(Y, SCORE, kind="lift")
    assert display.chance_level_.get_ydata() == pytest.approx(1)
    t, lift = display.perfect_.get_data()
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
def test_weights_have_no_band_of_chance_and_no_pvalue(display):
    weight = rng.integers(1, 4, N)
    ranking = Ranking.from_predictions(Y, SCORE, sample_weight=weight.astype(float))
    shown = display.from_predictions(ranking)
    assert shown.chance_band_ is None
    assert shown.log10_pvalue is None
    whole = display.from_predictions(
        np.repeat(Y, weight), np.repeat(SCORE, weight), pvalue=False
    )
    x, y = shown.line_.get_data()
    expected = np.interp(x[1:], *whole.line_.get_data())
    if display is not PrecisionRecallDisplay:  # where lines are upright
        assert y[1:] == pytest.approx(expected, rel=1e-4)


@every
@pytest.mark.parametrize("kind", ["clusters", "strata"])
def test_no_pvalue_that_ignores_clusters_or_strata(display, kind):
    rankings = Rankings.from_predictions(Y, SCORE, **{kind: np.arange(N) % 40})
    assert display.from_rankings(rankings).line_.get_label().startswith("AP 0.")
    assert display.from_rankings(rankings).log10_pvalue is None
    with pytest.raises(ValueError, match="`pvalue` must be None or False with clust"):
        display.from_rankings(rankings, pvalue=True)


def test_band_of_clusters():
    rankings = Rankings.from_predictions(Y, SCORE, clusters=np.arange(N) % 40)
    band = {"confidence_band": "simultaneous", "random_state": 0}
    shown = HitCurveDisplay.from_rankings(rankings, **band)
    assert shown.log10_pvalue is None
    expected = hit_curve_band(rankings, random_state=0)
    assert shown.confidence_band.low.tolist() == expected.low.tolist()
    with pytest.raises(ValueError, match="which the p-value of the legend ignores"):
        HitCurveDisplay.from_rankings(rankings, pvalue=True, **band)


@pytest.mark.parametrize("as_fraction", [False, True])
def test_band_of_the_curve(as_fraction):
    unit = 1 / N if as_fraction else 1
    for word in ("simultaneous", "pointwise"):
        settings = {"confidence_band": word, "random_state": 0, "name": "model"}
        shown, lift = (
            HitCurveDisplay.from_predictions(
                Y, SCORE, as_fraction=as_fraction, kind=kind, **settings
            )
            for kind in ("hits", "lift")
        )
        band = hit_curve_band(
            Y, SCORE, simultaneous=word == "simultaneous", random_state=0
        )
        assert shown.confidence_band.high == pytest.approx(band.high * unit)
        for x, *limits in list(zip(band.x, band.low, band.high, strict=True))[::50]:
            drawn = limits_at(shown.confidence_band_, x * unit)
            assert drawn == pytest.approx([limit * unit for limit in limits])
            drawn = limits_at(lift.confidence_band_, x * unit)
            assert drawn == pytest.approx([limit / (x * M / N) for limit in limits])
        assert shown.confidence_band_.get_label() == "95 % band of model"
    alone = HitCurveDisplay(shown.curve, confidence_band=shown.confidence_band).plot()
    assert alone.confidence_band_.get_label() == "95 % band of the curve"


def test_band_of_chance_of_rankings_that_differ_is_that_of_the_first():
    one = hit_curve(Y, X[:, 0], as_fraction=True)
    other = hit_curve(Y[:-90], X[:-90, 0], as_fraction=True)
    shown = HitCurveDisplay([one, other]).plot()
    assert shown.chance_band_.get_label() == "chance, 95 % (first ranking)"
    low, high = limits_at(shown.chance_band_, 1 / N)
    assert (high - low) * N == pytest.approx(1)
    assert HitCurveDisplay([one, one]).plot().chance_band_.get_label() == "chance, 95 %"


# Constructors agree


@every
def test_constructors_agree(display):
    one = display.from_estimator(MODEL, X, Y)
    score = MODEL.decision_function(X)
    label = one.line_.get_label().removeprefix("LogisticRegression: ")
    names = np.where(Y, "fraud", "fair")
    counts = RankCounts.from_chunks([(Y, score)])
    for other in (
        display.from_predictions(Y, score),
        display.from_predictions(names, score, pos_label="fraud"),
        display.from_predictions(Ranking.from_predictions(Y, score)),
        display.from_predictions(counts),
    ):
        np.testing.assert_array_equal(one.line_.get_xydata(), other.line_.get_xydata())
        assert other.line_.get_label() == label
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


# Folds


@every
def test_folds_are_lines_of_their_own(display):
    found = folds()
    shown = display.from_cv_results(found, X, Y)
    assert len(shown.line_) == len(shown.curve) == 4
    for number, line in enumerate(shown.line_):
        index = found["indices"]["test"][number]
        score = found["estimator"][number].predict_proba(X[index])[:, 1]
        alone = display.from_predictions(Y[index], score, as_fraction=True)
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


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        (None, ["fold 0", "fold 2", "fold 3"]),
        (np.array(list("abcd")), ["a", "c", "d"]),
    ],
)
def test_folds_of_one_class_are_left_out(name, kept):
    with pytest.warns(UndefinedMetricWarning, match="1 of 4 folds"):
        shown = HitCurveDisplay.from_cv_results(
            folds_without_the_second(), X, Y, name=name, pvalue=False
        )
    assert list(shown.name) == kept


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_folds_that_cannot_be_drawn_leave_no_figure():
    from_cv_results = HitCurveDisplay.from_cv_results
    with pytest.raises(ValueError, match="`cv_results` must contain estimators"):
        from_cv_results({"test_score": [1]}, X, Y)
    with pytest.raises(ValueError, match="`X` must be the items .*; got 300 for folds"):
        from_cv_results(folds(), X[:300], Y[:300])
    with pytest.raises(ValueError, match="`name` must be one for each of 4 folds; got"):
        from_cv_results(folds_without_the_second(), X, Y, name=list("acd"))
    assert plt.get_fignums() == []


@every
@pytest.mark.parametrize(("name", "said"), [(None, ""), ("KNN", "KNN, ")])
def test_many_folds_are_thin_lines_of_one_colour(display, name, said):
    shown = display.from_cv_results(folds(3), X, Y, name=name, line_kw={"alpha": 0.3})
    assert shown.log10_pvalue == [None] * 12
    values = shown.average_precision
    said += f"12 folds, AP {min(values):#.3g} to {max(values):#.3g}"
    assert [one for one in texts(shown.ax_.get_legend()) if "AP" in one] == [said]
    assert len(shown.line_) == 12
    assert len({line.get_color() for line in shown.line_}) == 1
    assert {line.get_linewidth() for line in shown.line_} == {0.8}
    assert {line.get_alpha() for line in shown.line_} == {0.3}
    again = display.from_cv_results(folds(), X, Y, ax=shown.ax_)
    assert again.line_[0].get_color() != shown.line_[0].get_color()


def test_many_curves_without_a_name_or_values():
    curve = hit_curve(Y, SCORE)
    shown = HitCurveDisplay([curve] * 12, name=list("abcdefghijkl")).plot()
    assert texts(shown.ax_.get_legend())[0] == "12 curves"
    assert [line.get_label() for line in shown.line_[1:3]] == ["_b", "_c"]


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
    one = display.from_predictions(Y, np.round(X[:, 0]), name="one")
    other = display.from_predictions(Y, X[:, 1], ax=one.ax_, name="other")
    assert one.line_.get_color() != other.line_.get_color()
    assert one.line_.get_linestyle() != other.line_.get_linestyle()
    assert one.chance_band_ is other.chance_band_
    assert len(one.ax_.collections) == 1
    said = texts(one.ax_.get_legend())
    assert len(set(said)) == len(said)
    assert said[0].startswith("one: AP")
    assert said[1].startswith("other: AP")


@with_chance_line
def test_what_curves_compare_with_is_drawn_twice_if_it_differs(display):
    one = display.from_predictions(Y, X[:, 0])
    same = display.from_predictions(Y, X[:, 1], ax=one.ax_)
    shorter = display.from_predictions(Y[:-20], X[:-20, 1], ax=one.ax_)
    for key in ("perfect_", "chance_band_"):
        assert getattr(one, key) is getattr(same, key)
        assert getattr(one, key) is not getattr(shorter, key)
    assert texts(one.figure_.legends[0]).count("perfect") == 1


@with_chance_line
@pytest.mark.parametrize("as_fraction", [False, True])
def test_axes_have_one_unit(display, as_fraction):
    curves = [
        hit_curve(Y, SCORE, as_fraction=f) for f in (as_fraction, not as_fraction)
    ]
    shown = display(curves[0]).plot()
    drawn = len(shown.ax_.lines)
    for refused, ax in ((curves[1], shown.ax_), (curves, None)):
        with pytest.raises(ValueError, match="must have all curves in items"):
            display(refused).plot(ax)
    assert len(shown.ax_.lines) == drawn
    assert len(plt.get_fignums()) == 1


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


def test_top_shows_a_part():
    for top in (40, 0.1):
        ax = HitCurveDisplay.from_predictions(Y, SCORE, top=top).ax_
        assert ax.get_xlim() == (0, 40)
        assert M < ax.get_ylim()[1] < 1.1 * M  # room for the perfect curve
    ax = HitCurveDisplay.from_predictions(Y, SCORE, top=40, plot_perfect=False).ax_
    most = hits_by_definition(Y, SCORE, 40)
    assert most < ax.get_ylim()[1] < 1.1 * most
    ax = HitCurveDisplay.from_predictions(Y, SCORE, top=40, kind="lift").ax_
    assert ax.get_xlim()[1] == 40
    ax = HitCurveDisplay.from_predictions(Y, SCORE, top=40, as_fraction=True).ax_
    assert ax.get_xlim() == pytest.approx((0, 0.1))


@with_chance_line
def test_top_does_not_cut_off_what_others_show(display):
    for first, second, shown in ((100, 40, 100), (40, 100, 100), (None, 40, N)):
        one = display.from_predictions(Y, SCORE, top=first)
        low, high = one.ax_.get_ylim()
        display.from_predictions(Y, X[:, 0], top=second, ax=one.ax_)
        assert one.ax_.get_xlim()[1] == pytest.approx(shown)
        assert one.ax_.get_ylim()[0] <= low
        assert one.ax_.get_ylim()[1] >= high


def test_band_of_chance_is_seen_on_white_and_on_black():
    red, green, blue, alpha = HitCurveDisplay.from_predictions(
        Y, SCORE, pvalue=False
    ).chance_band_.get_facecolor()[0]
    assert red == green == blue
    on_black, on_white = alpha * red, alpha * red + (1 - alpha)
    assert on_black < 0.25
    assert 0.75 < on_white < 0.95


# Legends

LONG = "RandomForestClassifier(max_depth=12, max_features=3, n_estimators=500)"


def test_a_curve_alone_has_no_name():
    shown = HitCurveDisplay(hit_curve(Y, SCORE)).plot()
    said = texts(shown.ax_.get_legend())
    assert said == ["chance level", "chance, 95 %", "perfect"]
    curve, points = hit_curve(Y, SCORE), operating_points(Y, SCORE)
    shown = PrecisionRecallDisplay(curve, points).plot(chance_band_level=None)
    assert shown.ax_.get_legend() is None
    # one target has one recall, along which no band is drawn
    shown = PrecisionRecallDisplay.from_predictions(np.arange(9) == 3, -np.arange(9.0))
    assert [said[:2] for said in texts(shown.ax_.get_legend())] == ["AP"]


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_a_legend_of_few_entries_is_inside(layout):
    _, ax = plt.subplots(layout=layout)
    HitCurveDisplay.from_predictions(Y, SCORE, name=LONG, ax=ax)
    ax.figure.canvas.draw()
    box, space = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert space.x0 <= box.x0 <= box.x1 <= space.x1
    assert space.y0 <= box.y0 <= box.y1 <= space.y1


def test_a_legend_of_many_entries_is_below_where_the_figure_makes_room():
    def draw(ax, number):
        HitCurveDisplay.from_predictions(
            Y, X[:, number % 3], ax=ax, name=f"model {number}", pvalue=False
        )

    _, ax = plt.subplots(layout="constrained")
    for number in range(6):
        draw(ax, number)
    assert ax.get_legend() is None
    (legend,) = ax.figure.legends
    assert [said[:8] for said in texts(legend)[:6]] == [f"model {i}:" for i in range(6)]
    ax.figure.canvas.draw()
    box = legend.get_window_extent()
    assert box.y0 >= 0
    assert box.y1 < ax.xaxis.label.get_window_extent().y0
    for other in (plt.subplots()[1], *plt.subplots(1, 2, layout="constrained")[1]):
        for number in range(6):
            draw(other, number)
        assert other.figure.legends == []
        assert len(texts(other.get_legend())) == 9


@every
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("_hidden", " _hidden"),
        ("$5 to $10", r"\$5 to \$10"),
        (r"\$5 to \$10", r"\$5 to \$10"),
        (3, "3"),
        ("two\nlines", r"'two\nlines'"),
        (LONG, f"{LONG[:20]}…{LONG[-19:]}"),
    ],
)
@pytest.mark.slow
def test_names_are_shown_as_they_are(display, name, shown):
    display = display.from_predictions(Y, SCORE, name=name, pvalue=False)
    assert display.line_.get_label().startswith(f"{shown}: AP")
    legend = display.ax_.get_legend()
    assert texts(legend)[0] == display.line_.get_label()
    display.figure_.canvas.draw()  # and matplotlib can print it


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
        ({"chance_band_level": 95}, "`chance_band_level` must be a number between 0"),
        ({"ax": np.zeros(4)}, "`ax` must be one matplotlib Axes, or None; got array"),
        ({"as_fraction": "False"}, "`as_fraction` must be True or False; got 'False'"),
        ({"pvalue": "False"}, "`pvalue` must be True or False; got 'False'"),
    ],
)
def test_bad_settings_leave_no_figure(display, settings, said):
    with pytest.raises(ValueError, match=said):
        display.from_predictions(Y, SCORE, **{"pvalue": False, **settings})
    assert plt.get_fignums() == []


@with_chance_line
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        *(({"top": top}, "`top` must") for top in (0, 1.5, -3, "10", N + 1)),
        ({"plot_perfect": "no"}, "`plot_perfect` must be True or False; got 'no'"),
        ({"confidence_band": True}, "`confidence_band` must be one of None, 'simul"),
    ],
)
def test_bad_settings_of_curves_by_depth(display, settings, said):
    with pytest.raises(ValueError, match=said):
        display.from_predictions(Y, SCORE, pvalue=False, **settings)
    assert plt.get_fignums() == []


def test_bad_input():
    with pytest.raises(ValueError, match="`y_score` must have as many items"):
        HitCurveDisplay.from_predictions(Y, SCORE[:-1])
    with pytest.raises(
        ValueError, match="`y_true` must contain targets to make a curve"
    ):
        HitCurveDisplay.from_predictions(0 * Y, SCORE)
    with pytest.raises(ValueError, match="`interpolate` must be True or False"):
        PrecisionRecallDisplay.from_predictions(Y, SCORE, interpolate="no")
    counts = RankCounts.from_predictions(Y, SCORE)
    with pytest.raises(ValueError, match="models, with items in memory; got <Rankin"):
        HitCurveDisplay.from_predictions(counts, confidence_band="pointwise")


def test_data_have_the_length_of_the_curves():
    curve, points = hit_curve(Y, SCORE), operating_points(Y, SCORE)
    for key in ("average_precision", "log10_pvalue"):
        with pytest.raises(ValueError, match=f"`{key}` must have one value for each"):
            HitCurveDisplay([curve, curve], **{key: [0.1]}).plot()
    with pytest.raises(ValueError, match="`points` must have one .*; got 1 for 2"):
        PrecisionRecallDisplay([curve, curve], [points]).plot()
    with pytest.raises(ValueError, match="a hit curve or a list of them; got"):
        HitCurveDisplay([]).plot()
    band = hit_curve_band(Y, SCORE, simultaneous=False)
    with pytest.raises(ValueError, match="`confidence_band` must be None for a list o"):
        HitCurveDisplay([curve, curve], confidence_band=band).plot()
    assert plt.get_fignums() == []


@pytest.mark.parametrize("missing", ["matplotlib", "matplotlib.pyplot"])
@every
def test_matplotlib_is_missed_before_anything_is_computed(
    monkeypatch, display, missing
):
    monkeypatch.setitem(sys.modules, missing, None)
    for make, count in (
        (display.from_predictions, 2),
        (display.from_estimator, 3),
        (display.from_cv_results, 3),
    ):
        with pytest.raises(ImportError, match=r"needs matplotlib: pip install skrank"):
            make(*[None] * count)


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
    t, hits = long_curve.t, long_curve.hits
    x, y = thin(long_curve)
    assert x.size < t.size / 2
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
    # precision between the points that are drawn, in columns of a logarithmic scale
    x, t, precision = x[1:], t[1:], hits[1:] / t[1:]
    column = np.floor(np.log(t) / np.log(t[-1]) * PIXELS)
    first = np.flatnonzero(np.diff(column, prepend=-1) > 0)
    shown = np.interp(t, x, y[1:] / x)
    for extreme in (np.minimum, np.maximum):
        drawn, full = (extreme.reduceat(one, first) for one in (shown, precision))
        assert drawn == pytest.approx(full, abs=0.5 / PIXELS)


def test_short_curves_are_not_thinned():
    y_true, y_score = make_list((2, 4, 1, 1), (1, 2, 0, 1))
    line = HitCurveDisplay.from_predictions(y_true, y_score).line_
    assert np.isin(hit_curve(y_true, y_score).t, line.get_xdata()).all()


@pytest.mark.parametrize("as_fraction", [False, True])
def test_gain_is_a_share_against_a_share(as_fraction):
    display = HitCurveDisplay.from_predictions(
        Y, SCORE, as_fraction=as_fraction, kind="gain"
    )
    curve = hit_curve(Y, SCORE)
    x, y = display.line_.get_data()
    np.testing.assert_allclose(y, curve.at(x * N) / Y.sum(), atol=1e-12)
    assert (x[-1], y[-1]) == (1, 1)
    assert display.ax_.get_ylabel() == "share of targets found"
    top = HitCurveDisplay.from_predictions(
        Y, SCORE, as_fraction=as_fraction, kind="gain", top=0.5
    )
    assert top.ax_.get_xlim()[1] == pytest.approx(0.5, abs=1 / N)


@pytest.mark.parametrize("as_fraction", [False, True])
def test_profit_is_the_benefit_less_the_cost(as_fraction):
    options = {"as_fraction": as_fraction, "kind": "profit", "benefit": 9, "cost": 2}
    display = HitCurveDisplay.from_predictions(Y, SCORE, **options)
    unit = 1 / N if as_fraction else 1
    x, y = display.line_.get_data()
    for t in (1, 7, 50, N):
        profit = expected_profit(Y, SCORE, benefit=9, cost=2, t=t)
        assert np.interp(t * unit, x, y) == pytest.approx(profit, abs=0.02)
    assert display.ax_.get_ylabel() == "profit"
    low, high = HitCurveDisplay.from_predictions(
        Y, SCORE, top=5, **options
    ).ax_.get_ylim()
    seen = y[x <= 5 * unit * (1 + 1e-9)]
    assert low < seen.min() < seen.max() < high
    with pytest.raises(ValueError, match="`benefit` must be a finite number above 0"):
        display.plot(kind="profit", cost=2)
    with pytest.raises(ValueError, match="`cost` must be a finite number of at least"):
        display.plot(kind="profit", benefit=2)
