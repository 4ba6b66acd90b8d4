"""Legends of displays: they fit, they name every curve, and they hide little."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skrank import (
    HitCurveDisplay,
    LiftDisplay,
    PrecisionRecallDisplay,
    RankingComparisonDisplay,
    average_precision,
    hit_curve,
    operating_points,
)

N, M = 300, 25
rng = np.random.default_rng(0)
Y = np.arange(N) < M
SCORES = [rng.normal(strength * Y) for strength in (2, 1.5, 1.2, 0.9, 0.5, 0.2)]
LONG = "RandomForestClassifier(max_depth=12, max_features=3, n_estimators=500)"

every = pytest.mark.parametrize(
    "display", [HitCurveDisplay, LiftDisplay, PrecisionRecallDisplay]
)


def draw(score=SCORES[0], *, display=HitCurveDisplay, **kwargs):
    return display.from_predictions(Y, score, pvalue=False, **kwargs)


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def boxes(ax):
    """Where the legend and the axes are, once all is laid out."""
    ax.figure.figure.draw_without_rendering()
    return ax.get_legend().get_window_extent(), ax.get_window_extent()


def is_within(box, space):
    return (
        space.x0 - 1 <= box.x0
        and box.x1 <= space.x1 + 1
        and space.y0 - 1 <= box.y0
        and box.y1 <= space.y1 + 1
    )


# Where they stand


@every
def test_a_layout_that_has_been_made_makes_no_room(display):
    figure, ax = plt.subplots()
    figure.tight_layout()
    draw(ax=ax, name="model", display=display)
    assert is_within(*boxes(ax))


@pytest.mark.parametrize("layout", ["constrained", "tight", "compressed"])
def test_a_layout_that_is_made_on_drawing_makes_room(layout):
    _, ax = plt.subplots(layout=layout)
    draw(ax=ax, name="model")
    box, axes = boxes(ax)
    assert box.y1 < axes.y0
    assert is_within(box, ax.figure.bbox)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "display"),
    [
        (None, HitCurveDisplay),
        (None, LiftDisplay),
        (None, PrecisionRecallDisplay),
        ("constrained", PrecisionRecallDisplay),
    ],
)
def test_axes_of_a_grid_stay_large(layout, display):
    figure, grid = plt.subplots(2, 2, layout=layout)
    for ax in grid.ravel():
        for score, name in zip(SCORES[:2], ("good", "poor"), strict=True):
            draw(score, ax=ax, name=name, display=display)
    for ax in grid.ravel():
        box, axes = boxes(ax)
        assert is_within(box, figure.bbox)
        assert box.height < axes.height
        assert axes.height > 0.15 * figure.bbox.height
        assert {text.split(":")[0] for text in texts(ax)} >= {"good", "poor"}


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_small_axes_have_a_small_legend_without_chance(layout):
    _, ax = plt.subplots(figsize=(3, 2.5), layout=layout)
    HitCurveDisplay.from_predictions(Y, SCORES[0], ax=ax, name="RandomForestClassifier")
    assert is_within(*boxes(ax))
    assert len(texts(ax)) == 1
    assert texts(ax)[0].startswith("RandomForestClassifier: AP 0.")
    size = ax.get_legend().get_texts()[0].get_fontsize()
    assert size < plt.rcParams["font.size"]


def test_in_tiny_axes_it_is_as_small_as_it_gets():
    _, ax = plt.subplots(figsize=(1.5, 1.2))
    draw(ax=ax, name=LONG)
    assert ax.get_legend().get_texts()[0].get_fontsize() < 6


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_six_models_leave_most_of_a_small_figure_to_the_curves(layout):
    figure, ax = plt.subplots(figsize=(5, 4), layout=layout)
    for number, score in enumerate(SCORES):
        draw(score, ax=ax, name=f"model {number}")
    box, axes = boxes(ax)
    assert is_within(box, figure.bbox)
    assert box.height < 0.6 * axes.height
    assert axes.height > 0.4 * figure.bbox.height
    assert [text[:8] for text in texts(ax)[:6]] == [f"model {i}:" for i in range(6)]


def test_the_figure_is_laid_out_again_where_no_legend_fits_below():
    figure, ax = plt.subplots(figsize=(3, 2.5), layout="constrained")
    draw(ax=ax, name=LONG)
    assert is_within(boxes(ax)[0], figure.bbox)
    assert ax.get_window_extent().height > 0.6 * figure.bbox.height


def test_nothing_named_has_no_legend():
    curve, points = hit_curve(Y, SCORES[0]), operating_points(Y, SCORES[0])
    shown = PrecisionRecallDisplay(curve, points).plot(chance_band_level=None)
    assert shown.ax_.get_legend() is None
    _, ax = plt.subplots()
    assert "perfect" in texts(HitCurveDisplay(curve).plot(ax).ax_)


def test_comparison_has_one_legend_or_two():
    curves = [hit_curve(Y, score) for score in SCORES[:2]]
    shown = RankingComparisonDisplay(*curves).plot()
    upper, lower = shown.ax_
    assert upper.get_legend() is None
    assert is_within(boxes(lower)[0], shown.figure_.bbox)
    _, axes = plt.subplots(1, 2, figsize=(6, 3), layout="constrained")
    RankingComparisonDisplay(*curves).plot(axes)
    assert [texts(ax)[0] for ax in axes] == ["A", "A - B"]
    _, axes = plt.subplots(2, figsize=(3, 2), sharex=True, layout="constrained")
    RankingComparisonDisplay(*curves).plot(axes)
    assert [texts(ax)[0] for ax in axes] == ["A", "A - B"]


# What they say


@every
def test_long_names_are_shortened_in_the_middle(display):
    label = draw(name=LONG, display=display).line_.get_label()
    name = label.split(": AP")[0]
    first, last = name.split("…")
    assert len(name) == 40
    assert LONG.startswith(first)
    assert LONG.endswith(last)
    assert abs(len(first) - len(last)) <= 1


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_long_names_fit(layout):
    _, ax = plt.subplots(layout=layout)
    HitCurveDisplay.from_predictions(Y, SCORES[0], name=LONG, ax=ax)
    assert is_within(boxes(ax)[0], ax.figure.bbox)


@every
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("_hidden", " _hidden"),
        ("$5 to $10", r"\$5 to \$10"),
        (r"\$5 to \$10", r"\$5 to \$10"),
        (3, "3"),
        ("two\nlines", r"'two\nlines'"),
    ],
)
def test_names_are_shown_as_they_are(display, name, shown):
    display = draw(name=name, display=display)
    assert display.line_.get_label().startswith(f"{shown}: AP")
    assert texts(display.ax_)[0] == display.line_.get_label()
    box, _ = boxes(display.ax_)
    assert box.width > 0  # and matplotlib can print it


@every
def test_names_that_are_the_same_are_two_entries(display):
    one = draw(name="model", display=display)
    draw(name="model", ax=one.ax_, display=display)
    assert len(set(texts(one.ax_)[:2])) == 1
    assert len(texts(one.ax_)) == len(set(texts(one.ax_))) + 1


def test_a_curve_of_the_name_of_another_line_does_not_swallow_it():
    for name in ("perfect", "chance level"):
        shown = HitCurveDisplay(hit_curve(Y, Y * 2.0), name=name).plot()
        assert texts(shown.ax_).count(name) == 2
        assert shown.perfect_ is not shown.line_


def test_artists_of_others_are_named():
    _, ax = plt.subplots()
    ax.bar([10], [3], label="mine")
    ax.plot([0, 10], [3, 3], label="perfect")
    draw(ax=ax)
    assert texts(ax).count("mine") == 1
    assert texts(ax).count("perfect") == 2


def test_a_legend_drawn_again_shows_changes():
    shown = draw(name="model")
    shown.line_.set_color("black")
    legend = shown.ax_.legend(loc="center right")
    colors = {
        text.get_text(): line.get_color()
        for text, line in zip(legend.get_texts(), legend.legend_handles, strict=True)
        if hasattr(line, "get_color")
    }
    assert colors[shown.line_.get_label()] == "black"
    shown = draw(name="model", line_kw={"color": "black"})
    assert shown.ax_.get_legend().get_lines()[0].get_color() == "black"


# Many curves


def many(display, count=50, **kwargs):
    lists = [(Y[i::2], SCORES[i % 6][i::2]) for i in (0, 1)] * (count // 2)
    data = [[hit_curve(*one, as_fraction=True) for one in lists]]
    if display is PrecisionRecallDisplay:
        data.append([operating_points(*one) for one in lists])
    values = [average_precision(*one) for one in lists]
    return display(*data, **{"average_precision": values, **kwargs}), values


@every
def test_many_curves_are_one_entry_in_one_colour(display):
    shown, values = many(display, name="50 folds")
    shown.plot(line_kw={"alpha": 0.3})
    said = f"50 folds, AP {min(values):#.3g} to {max(values):#.3g}"
    assert [text for text in texts(shown.ax_) if "AP" in text] == [said]
    assert len(shown.line_) == 50
    assert len({line.get_color() for line in shown.line_}) == 1
    assert {line.get_linewidth() for line in shown.line_} == {0.8}
    assert {line.get_alpha() for line in shown.line_} == {0.3}
    one = HitCurveDisplay(hit_curve(Y, SCORES[0], as_fraction=True), name="one")
    if display is HitCurveDisplay:  # the next curve has the next colour
        line = one.plot(shown.ax_).line_
        assert line.get_color() != shown.line_[0].get_color()
        assert len([text for text in texts(shown.ax_) if text == "chance level"]) == 1


def test_many_curves_without_a_name_or_values():
    shown, _ = many(
        HitCurveDisplay, 12, average_precision=None, name=list("abcdefghijkl")
    )
    shown.plot()
    assert texts(shown.ax_)[0] == "12 curves"
    assert [line.get_label() for line in shown.line_[1:3]] == ["_b", "_c"]
    shown, _ = many(HitCurveDisplay, 10)
    shown.plot()
    assert sum(text.startswith("AP") for text in texts(shown.ax_)) == 10
