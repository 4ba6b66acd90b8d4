"""Displays of results: artists and their data.

Of a null distribution, of two rankings, and of the days of a monitor.
"""

import sys
from itertools import combinations, pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from scipy.stats import hypergeom, norm
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from cases import make_list, named
from skrank import (
    NullDistributionDisplay,
    RandomSelectionNull,
    RandomSelectionTest,
    Ranking,
    RankingComparison,
    RankingComparisonDisplay,
    RankingMonitor,
    RankingMonitorDisplay,
    SearchSelectionTest,
    average_precision,
    hit_curve,
    hit_curve_band,
    recall_at_t,
)
from skrank.null import MeanNull

N, M = 300, 25
rng = np.random.default_rng(0)
Y = np.arange(N) < M
X = rng.normal(1.2 * Y[:, np.newaxis], size=(N, 3))
A, B = np.round(X.sum(axis=1)), X[:, 0]
LINEAR, KNN = (
    model.fit(X, Y) for model in (LogisticRegression(), KNeighborsClassifier(9))
)


def texts(legend):
    return [text.get_text() for text in legend.get_texts()]


def all_values(y_score, n_targets, metric, **settings):
    """The metric for each way to put the targets on the items."""
    n = len(y_score)
    labels = (np.isin(np.arange(n), c) for c in combinations(range(n), n_targets))
    return np.array([metric(y, y_score, **settings) for y in labels])


# The null distribution


def assert_bars_of_draws(display, p):
    """Shares of 20,000 draws; five standard errors, and a value at an edge."""
    error = np.sqrt(p * (1 - p) / 20_000)
    assert np.all(np.abs(display.probabilities - p) <= 5 * error + 1e-3)


@pytest.mark.parametrize(
    ("sizes", "hits"),
    [
        ((1,) * 12, (0, 1, 1) + 9 * (0,)),
        ((3, 5, 4), (1, 0, 2)),
        ((1, 1, 1, 9), (1, 0, 1, 1)),
        ((12,), (3,)),
    ],
)
@pytest.mark.parametrize("metric", [average_precision, recall_at_t])
def test_bars_of_few_values_agree_with_all_placements(sizes, hits, metric):
    y_true, y_score = make_list(sizes, hits)
    settings = {} if metric is average_precision else {"t": 4}
    display = NullDistributionDisplay.from_predictions(
        y_true, y_score, bins=20, **named(metric.__name__, **settings)
    )
    values = all_values(y_score, int(y_true.sum()), metric, **settings)
    assert_bars_of_draws(display, np.histogram(values, display.edges)[0] / values.size)
    assert display.probabilities.sum() == pytest.approx(1, abs=2e-3)
    heights, ends, _ = display.bars_.get_data()
    assert heights * np.diff(ends) == pytest.approx(display.probabilities)
    assert (display.normal_ is None) == (np.ptp(values) < 1e-12)


@pytest.mark.parametrize(
    "null",
    [
        RandomSelectionNull(400, 20),
        RandomSelectionNull(4000, 600, ties="together", tie_sizes=[400] * 10),
        MeanNull([RandomSelectionNull(500, 20), RandomSelectionNull(300, 30)]),
    ],
)
@pytest.mark.nightly
def test_bars_of_many_values_agree_with_the_distribution(null):
    display = NullDistributionDisplay.from_result(null, bins=12)
    assert display.value is display.line_ is None
    assert texts(display.ax_.get_legend()) == [
        "null distribution",
        "normal distribution, same mean and spread",
    ]
    assert display.ax_.get_xlabel() == "average precision"
    x, density = display.normal_.get_data()
    assert density == pytest.approx(norm.pdf(x, null.mean(), null.std()))
    assert display.probabilities.sum() == pytest.approx(0.999, abs=1e-3)
    assert_bars_of_draws(display, np.diff(null.cdf(display.edges)))


@pytest.mark.parametrize(
    "metric", ["recall_at_t", "precision_at_t", "enrichment_factor"]
)
@pytest.mark.parametrize("t", [30, 0.1])
def test_bars_of_hits_are_as_wide_as_they_are_apart(metric, t):
    display = NullDistributionDisplay.from_result(
        RandomSelectionNull(N, M, **named(metric, t=t))
    )
    depth = 30
    step = {
        "recall_at_t": 1 / M,
        "precision_at_t": 1 / depth,
        "enrichment_factor": N / M / depth,
    }[metric]
    assert np.diff(display.edges) == pytest.approx(step)
    hits = (display.edges[:-1] / step + 0.5).round(9)
    assert np.all(hits == np.round(hits))
    assert_bars_of_draws(display, hypergeom.pmf(hits, N, M, depth))


@pytest.mark.parametrize("settings", [{}, {"metric": "recall_at_t", "t": 30}])
def test_chance_without_a_choice_has_one_bar(settings):
    display = NullDistributionDisplay.from_predictions(
        Y, np.ones(N), **named(**settings)
    )
    assert display.line_.get_label().endswith(", z 0, p = 1")
    assert display.probabilities == pytest.approx([1])
    low, high = display.ax_.get_xlim()
    assert 0 < low < display.value < high < 1


def test_constructors_of_distributions_agree():
    one = NullDistributionDisplay.from_estimator(LINEAR, X, Y, bins=3)
    score, names = LINEAR.decision_function(X), np.where(Y, "t", "o")
    ranking = Ranking.from_predictions(Y, score)
    for other in (
        NullDistributionDisplay.from_predictions(names, score, pos_label="t", bins=3),
        NullDistributionDisplay.from_predictions(ranking, bins=3),
        NullDistributionDisplay.from_result(
            RandomSelectionTest().from_predictions(ranking), bins=3
        ),
    ):
        np.testing.assert_array_equal(one.probabilities, other.probabilities)
        assert one.line_.get_label() == other.line_.get_label()


def test_legend_says_what_the_test_says():
    result = RandomSelectionTest("recall@30").from_predictions(Y, A)
    display = NullDistributionDisplay.from_result(result, bins=10)
    value, z, p = (
        float(part.split()[-1])
        for part in display.line_.get_label().removeprefix("observed: ").split(",")
    )
    assert value == pytest.approx(result.value, rel=0.01)
    assert z == pytest.approx(result.zscore, rel=0.01)
    assert p == pytest.approx(result.pvalue, rel=0.06)
    assert display.ax_.get_xlabel() == "recall@30"


def test_several_rankings_and_far_values():
    groups = np.arange(N) % 3
    result = RandomSelectionTest().from_predictions(Y, Y * 10 + B, groups=groups)
    display = NullDistributionDisplay.from_result(result, bins=8)
    assert display.value == result.value == display.line_.get_xdata()[0]
    assert display.null_mean == result.null_mean
    low, high = display.ax_.get_xlim()
    assert low < display.edges[0] < display.edges[-1] < result.value < high
    assert display.ax_.get_ylim()[0] == 0


def test_search():
    scores = {"a": A, "b": B, "c": X[:, 1]}
    test = SearchSelectionTest(random_state=0, n_resamples=500)
    result = test.from_predictions(Y, scores)
    display = NullDistributionDisplay.from_result(result, bins=15)
    counts, edges = np.histogram(result.null_maxima, 15)
    assert display.probabilities * 500 == pytest.approx(counts)
    np.testing.assert_array_equal(display.edges, edges)
    assert display.line_.get_xdata()[0] == result.value
    assert display.normal_ is None
    said = texts(display.ax_.get_legend())
    assert said[1] == "best of 3 by chance"
    assert said[0].endswith(f"adjusted p <= {result.pvalue:.2g}")


def test_distributions_share_axes_and_keep_their_data():
    null = RandomSelectionNull(50, 5)
    one = NullDistributionDisplay.from_result(null, bins=5)
    before = one.probabilities.copy(), one.edges.copy()
    shown = [
        one.plot(),
        NullDistributionDisplay.from_predictions(Y, A, bins=2, ax=one.ax_),
        NullDistributionDisplay.from_predictions(Y, B, bins=2, ax=one.ax_),
    ]
    assert len({display.bars_.get_facecolor() for display in shown}) == 3
    assert len({display.normal_.get_color() for display in shown}) == 3
    assert shown[1].line_.get_color() != shown[2].line_.get_color()
    said = texts(one.figure_.legends[0])
    assert said.count("null distribution") == 3
    assert sum(text.startswith("normal distribution") for text in said) == 3
    one.plot(bars_kw={"color": "red"}, normal_kw={"lw": 3})
    assert one.normal_.get_linewidth() == 3
    assert one.bars_.get_facecolor()[:3] == (1, 0, 0)
    np.testing.assert_array_equal(one.probabilities, before[0])
    np.testing.assert_array_equal(one.edges, before[1])
    assert one.plot(plot_normal=False).normal_ is None


def test_bad_settings_of_distributions_leave_no_figure():
    null = RandomSelectionNull(50, 5)
    for settings, said in (
        ({"bins": 1}, "`bins` must be an int of at least 2"),
        ({"ax": np.zeros(3)}, "`ax` must be one matplotlib Axes, or None; got array"),
        ({"plot_normal": "no"}, "`plot_normal` must be True or False; got 'no'"),
    ):
        with pytest.raises(ValueError, match=said):
            NullDistributionDisplay.from_result(null, **settings)
    with pytest.raises(ValueError, match="`result` must be the result of a test or a"):
        NullDistributionDisplay.from_result(0.5)
    assert plt.get_fignums() == []


def test_matplotlib_is_missed_before_anything_is_computed(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    null, two = NullDistributionDisplay, RankingComparisonDisplay
    for make, count in (
        (null.from_result, 1),
        (null.from_predictions, 2),
        (null.from_estimator, 3),
        (two.from_predictions, 2),
        (two.from_estimator, 3),
    ):
        with pytest.raises(ImportError, match="needs matplotlib"):
            make(*[None] * count)


# Two rankings


def two_curves(**kwargs):
    return hit_curve(Y, A, **kwargs), hit_curve(Y, B, **kwargs)


@pytest.mark.parametrize("simultaneous", [True, False])
def test_comparison_draws_both_and_their_difference(simultaneous):
    settings = {"simultaneous": simultaneous, "random_state": 0}
    display = RankingComparisonDisplay.from_predictions(Y, {"A": A, "B": B}, **settings)
    for line, score in zip(display.line_, (A, B), strict=True):
        t, hits = line.get_data()
        assert hits == pytest.approx(hit_curve(Y, score).at(t))
    t, gained = display.difference_.get_data()
    assert gained == pytest.approx(hit_curve(Y, A).at(t) - hit_curve(Y, B).at(t))
    assert (t[0], t[-1]) == (0, N)
    assert np.all(display.zero_.get_ydata() == 0)
    band = hit_curve_band(Y, {"A": A, "B": B}, **settings)
    np.testing.assert_array_equal(display.band.low, band.low)
    drawn = display.band_.get_paths()[0].get_extents()
    assert (drawn.y0, drawn.y1) == pytest.approx((band.low.min(), band.high.max()))


def test_comparison_says_what_the_comparison_says():
    display = RankingComparisonDisplay.from_predictions(Y, {"_sum": A, "$1$": B})
    result = RankingComparison().from_predictions(Y, {"A": A, "B": B})
    upper, lower = display.ax_
    assert texts(upper.get_legend())[:2] == [
        f" _sum: AP {result.value_a:#.3g}",
        rf"\$1\$: AP {result.value_b:#.3g}",
    ]
    label, band = texts(lower.get_legend())
    assert label.startswith(rf" _sum - \$1\$: AP {result.difference:.3g}, p = ")
    assert float(label.split(" = ")[1]) == pytest.approx(result.pvalue, rel=0.06)
    assert band == "difference, 95 % band"
    assert upper.get_xlabel() == ""
    assert lower.get_xlabel() == "inspected items"


def test_comparison_from_estimators():
    one = RankingComparisonDisplay.from_estimator([LINEAR, KNN], X, Y)
    other = RankingComparisonDisplay.from_predictions(
        np.where(Y, "t", "o"),
        {"A": LINEAR.decision_function(X), "B": KNN.predict_proba(X)[:, 1]},
        pos_label="t",
        random_state=0,
    )
    assert one.names == ("LogisticRegression()", "KNeighborsClassifier(n_neighbors=9)")
    for mine, theirs in zip(one.line_, other.line_, strict=True):
        np.testing.assert_array_equal(mine.get_xydata(), theirs.get_xydata())
    same = RankingComparisonDisplay.from_estimator(
        {"A": KNN, "B": KNN}, X, Y, simultaneous=False
    )
    assert same.names == ("A", "B")
    assert np.all(same.difference_.get_ydata() == 0)
    named = RankingComparisonDisplay.from_estimator(
        {"k": KNN, "l": LINEAR}, X, Y, simultaneous=False
    )
    assert named.line_[1].get_label().startswith("l: AP")


def test_comparison_of_curves_alone():
    curves = two_curves()
    display = RankingComparisonDisplay(*curves).plot(
        top=50,
        chance_band_level=None,
        plot_perfect=False,
        difference_kw={"lw": 1, "c": "red"},
    )
    assert display.band_ is None
    assert [line.get_label() for line in display.line_] == ["A", "B"]
    assert display.difference_.get_label() == "A - B"
    assert display.difference_.get_color() == "red"
    assert all(ax.get_xlim() == (0, 50) for ax in display.ax_)
    t, hits = curves[0].t.copy(), curves[0].hits.copy()
    display.plot()
    np.testing.assert_array_equal(display.curve_a.t, t)
    np.testing.assert_array_equal(display.curve_a.hits, hits)


def test_comparison_takes_two_axes_side_by_side():
    figure, axes = plt.subplots(1, 2)
    display = RankingComparisonDisplay(*two_curves()).plot(axes)
    assert list(display.ax_) == list(axes)
    assert display.figure_ is figure
    assert [ax.get_xlabel() for ax in axes] == ["inspected items"] * 2
    assert [texts(ax.get_legend())[0] for ax in axes] == ["A", "A - B"]


def test_the_difference_has_the_scale_of_what_is_shown():
    band = hit_curve_band(Y, {"A": A, "B": B}, simultaneous=False)
    for drawn in (None, band):
        display = RankingComparisonDisplay(*two_curves(), drawn).plot(top=10)
        t, gained = display.difference_.get_data()
        shown = [0, *gained[t <= 10]]
        if drawn is not None:
            shown += [*band.low[band.x <= 10], *band.high[band.x <= 10]]
        low, high = display.ax_[1].get_ylim()
        assert low < min(shown)
        assert max(shown) < high
        assert high - low == pytest.approx(1.1 * np.ptp(shown))
    same = RankingComparisonDisplay(*[hit_curve(Y, A)] * 2).plot(top=10)
    assert same.ax_[1].get_ylim() == (-1, 1)


def test_ticks_are_whole_items():
    few = [hit_curve([1, 0, 0, 0], scores) for scores in ([4, 3, 2, 1], [3, 4, 2, 1])]
    display = RankingComparisonDisplay(*few).plot()
    for ax in display.ax_:
        for ticks in (ax.get_xticks(), ax.get_yticks()):
            assert np.all(ticks == np.round(ticks))
    display = RankingComparisonDisplay(*two_curves(as_fraction=True)).plot()
    assert np.ptp(display.ax_[0].get_yticks()) < 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"chance_band_level": 95}, "`chance_band_level` must be a number between 0"),
        ({"top": N + 1}, "`top` must not reach beyond"),
        ({"line_kw": [{}]}, "`line_kw` must have one value for each curve; got 1 for"),
        ({"plot_perfect": "no"}, "`plot_perfect` must be True or False; got 'no'"),
        ({"ax": np.zeros(3)}, "`ax` must be two axes, or None; got 3"),
        ({"ax": ["a", "b"]}, "`ax` must be one matplotlib Axes, or None; got"),
    ],
)
def test_bad_settings_of_two_leave_no_figure(settings, said):
    with pytest.raises(ValueError, match=said):
        RankingComparisonDisplay(*two_curves()).plot(**settings)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_the_difference_is_seen_on_any_background(style):
    with plt.style.context(style):
        display = RankingComparisonDisplay(*two_curves()).plot()
        line = np.array(to_rgb(display.difference_.get_color()))
        behind = np.array(to_rgb(display.ax_[1].get_facecolor()))
    assert np.abs(line - behind).min() > 0.9


# The days of a monitor


def days_of(n_days, names=str, change=60, **settings):
    """Return the result of days whose model gets worse, by the names of the days."""
    draw = np.random.default_rng(1)
    day = np.repeat(np.arange(n_days), 100)
    y = draw.random(day.size) < 0.05
    score = draw.normal(np.where(day < change, 2.0, 0.3) * y)
    settings = {"metric": "recall@10", "reference": 0.5, **settings}
    groups = np.array([names(int(one)) for one in day])
    return RankingMonitor(**settings).from_predictions(y, score, groups=groups)


def as_date(day):
    return str(np.datetime64("2025-12-20") + day)


def test_the_days_of_a_monitor():
    """Judge: the table of the result."""
    result = days_of(120, as_date)
    display = RankingMonitorDisplay.from_result(result)
    frame = result.to_frame()
    x, y = display.line_.get_data()
    assert x.astype("M8[D]").astype(str).tolist() == frame["ranking"].tolist()
    np.testing.assert_array_equal(y, frame["value"])
    x, y = display.evidence_.get_data()
    assert np.log10(y) == pytest.approx(frame["log10_evidence"].to_numpy())
    assert display.low == pytest.approx(frame["low"].to_numpy(), nan_ok=True)
    assert display.high == pytest.approx(frame["high"].to_numpy(), nan_ok=True)
    upper, lower = display.ax_
    assert lower.get_yscale() == "log"
    assert display.reference_.get_ydata() == [0.5, 0.5]
    assert display.threshold_.get_ydata() == [20, 20]
    first = frame["ranking"][(frame["pvalue"] <= 0.05).to_numpy()].iloc[0]
    for line in display.alarm_:
        assert {str(one.astype("M8[D]")) for one in line.get_xdata()} == {first}
    assert texts(upper.get_legend()) == [
        "value of a day",
        "95 % limits of the mean",
        "reference 0.5",
        "alarm above 20",
        f"alarm since {first}",
    ]
    assert upper.get_ylabel() == "recall@10"
    # limits of another level, in given axes, with other styles
    axes = plt.subplots(2)[1]
    other = RankingMonitorDisplay.from_result(
        result,
        confidence_level=0.8,
        ax=axes,
        line_kw={"c": "red"},
        evidence_kw={"lw": 5},
    )
    assert other.ax_.tolist() == axes.tolist()
    assert other.low[50] > display.low[50]
    assert "80 % limits of the mean" in texts(axes[0].get_legend())
    assert to_rgb(other.line_.get_color()) == (1, 0, 0)
    assert other.evidence_.get_linewidth() == 5


@pytest.mark.parametrize(
    ("n_days", "names", "place", "shown"),
    [
        (3, as_date, "M8[D]", ["2025-12-20", "2025-12-21", "2025-12-22"]),
        (300, as_date, "M8[D]", None),
        (4, lambda i: str(5 + i), float, ["5", "6", "7", "8"]),
        (200, lambda i: str(i + 7), float, None),
        (40, lambda i: str(20251201 + i), int, None),
        (1, as_date, "M8[D]", ["2025-12-20"]),
    ],
)
def test_days_are_named(n_days, names, place, shown):
    result = days_of(n_days, names)
    display = RankingMonitorDisplay.from_result(result)
    x = display.line_.get_xdata()
    if place == "M8[D]":
        assert x.astype(place).astype(str).tolist() == list(result.labels)
    else:  # names of days, such as 20251201, have equal distances
        expected = [*map(float, result.labels)] if place is float else range(n_days)
        assert x.tolist() == list(expected)
    display.figure_.canvas.draw()
    lower = display.ax_[1]
    labels = [one for one in lower.get_xticklabels() if one.get_text()]
    if shown:
        assert [one.get_text() for one in labels] == shown
    elif place != "M8[D]":
        low, high = lower.get_xlim()
        for one in labels:
            x = one.get_position()[0]
            if low <= x <= high:
                expected = f"{x:g}" if place is float else result.labels[int(x)]
                assert one.get_text() == expected
    # nothing overlaps, and the legend is in the figure, above the axes
    boxes = [one.get_window_extent() for one in labels]
    boxes = sorted((one.x0, one.x1) for one in boxes)
    assert all(a[1] < b[0] for a, b in pairwise(boxes))
    legend = display.ax_[0].get_legend().get_window_extent()
    assert legend.x1 <= display.figure_.bbox.x1
    assert legend.y0 >= display.ax_[0].bbox.y1 - 1


def test_monitors_of_chance_of_models_and_of_texts():
    chance = RankingMonitorDisplay.from_result(
        days_of(30, metric=None, reference="random selection")
    )
    assert chance.reference is chance.reference_ is None
    assert (
        chance.alarm_group == chance.labels[np.argmax(chance.log10_evidences > 1.302)]
    )
    draw = np.random.default_rng(0)
    day = np.repeat(np.arange(20), 50)
    y = draw.random(day.size) < 0.1
    scores = {"old": draw.normal(size=1000), "new": draw.normal(2.0 * y)}
    models = RankingMonitorDisplay.from_predictions(
        y, scores, groups=day, metric="average_precision", reference="old"
    )
    assert models.reference_.get_ydata() == [0, 0]
    assert models.ax_[0].get_ylabel() == "difference in average precision"
    result, monitor = None, RankingMonitor("recall@5", reference=0.5)
    for name in ("mon $x$", "tue"):
        result = monitor.update(y[:50], scores["new"][:50], group=name, previous=result)
    named = RankingMonitorDisplay.from_result(result)
    assert named.line_.get_xdata().tolist() == [0, 1]
    assert named.alarm_ is None
    # evidence beyond the largest number
    for far in ([0, 900.0], [0, -900.0], [-900.0, 900.0]):
        drawn = RankingMonitorDisplay(
            ("1", "2"), *np.zeros((3, 2)), np.array(far), metric="x"
        ).plot()
        assert np.log10(drawn.evidence_.get_ydata()) == pytest.approx(
            np.clip(far, -150, 150)
        )
        drawn.figure_.canvas.draw()


def test_what_a_display_of_days_refuses():
    with pytest.raises(ValueError, match="`result` must be the result of a RankingMon"):
        RankingMonitorDisplay.from_result(5)
    result = days_of(3)
    with pytest.raises(ValueError, match="`ax` must be two axes"):
        RankingMonitorDisplay.from_result(result, ax=plt.subplots()[1])
    with pytest.raises(ValueError, match="`ax` must be one matplotlib Axes"):
        RankingMonitorDisplay.from_result(result, ax=[1, 2])
    with pytest.raises(ValueError, match="`confidence_level` must be"):
        RankingMonitorDisplay.from_result(result, confidence_level=95)
    with pytest.raises(ValueError, match="`groups` must contain the day of each item"):
        RankingMonitorDisplay.from_predictions(Y, A)
