"""The report: its numbers are those of the functions, its page is whole and safe."""

import base64
import functools
import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

import skrank
from cases import docking_scores, read_rows
from skrank import (
    MetricInterval,
    RandomSelectionNull,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingComparison,
    RankingReport,
    Rankings,
    average_precision,
    enrichment_factor,
    make_average_precision_scorer,
    recall_at_t,
)
from skrank.null import MeanNull

# reports on two rankings with five targets
pytestmark = pytest.mark.filterwarnings("ignore:With fewer than 12 targets")

AT = (5, 0.03, 0.2)


def two_rankings(seed=0, n=100, m=5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < m
    return y, {"plain": rng.normal(2.0 * y), "tied": np.round(rng.normal(1.5 * y))}


@functools.cache
def plain_report():
    """The report of the two rankings: for tests of its parts, once."""
    return RankingReport().from_predictions(*two_rankings())


@functools.cache
def plain_piece():
    return plain_report()._repr_html_()


def counts_of(y, scores):
    """Return counts, of which a report has all but the comparison."""
    return {
        name: RankCounts.from_predictions(y, score) for name, score in scores.items()
    }


@pytest.fixture
def without_pictures(monkeypatch):
    """Pages of text alone, as if matplotlib were not installed."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@functools.cache
def plain_page():
    return plain_report().to_html()


class Page(HTMLParser):
    """What a page holds: its elements, its text, and whether all is closed."""

    VOID = ("meta", "img")

    def __init__(self, html):
        super().__init__()
        self.open, self.elements, self.text = [], [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


# Numbers


@pytest.mark.parametrize("ties", ["expected", "together", "optimistic", "pessimistic"])
def test_numbers_are_those_of_the_functions(ties):
    y, scores = two_rankings()
    frame = (
        RankingReport(t=AT, ties=ties, random_state=0)
        .from_predictions(y, scores)
        .to_frame()
    )
    for name, row in frame.set_index("name").iterrows():
        s = scores[name]
        test = RandomSelectionTest(ties=ties, random_state=0).from_predictions(y, s)
        result = MetricInterval(ties=ties).from_predictions(y, s)
        assert row["average_precision"] == skrank.average_precision(y, s, ties=ties)
        assert (row["low"], row["high"]) == result.confidence_interval()
        for field in ("zscore", "pvalue", "log10_pvalue", "null_mean", "null_std"):
            assert row[field] == getattr(test, field)
        for depth in AT:
            ap = skrank.average_precision_at_k(y, s, k=depth, ties=ties)
            assert row[f"average_precision@{depth}"] == ap
            for metric, start in {
                "recall_at_t": "recall",
                "precision_at_t": "precision",
                "enrichment_factor": "enrichment_factor",
            }.items():
                value = getattr(skrank, metric)(y, s, t=depth, ties=ties)
                assert row[f"{start}@{depth}"] == value
    assert len(frame.columns) == 9 + 4 * len(AT)


def test_comparisons_are_those_of_compare_all():
    y, scores = two_rankings()
    scores["third"] = -scores["plain"]
    report = RankingReport().from_predictions(y, scores)
    judge = RankingComparison().compare_all(y, scores)
    assert report.main.comparisons.to_dict() == judge.to_dict()
    alone = RankingReport().from_predictions(y, {"one": scores["plain"]})
    assert alone.main.comparisons is None
    assert "Differences" not in str(alone)


@pytest.mark.parametrize("ties", ["expected", "pessimistic"])
def test_counts_have_the_report_of_their_items(ties):
    y, scores = two_rankings()
    asked = {"ties": ties, "random_state": 0}
    expected = RankingReport(**asked).from_predictions(y, {"plain": scores["plain"]})
    counts = RankCounts.from_predictions(y, scores["plain"], chunk_size=33)
    for one in (
        {"plain": counts},
        {"plain": Ranking.from_predictions(y, scores["plain"])},
    ):
        report = RankingReport(**asked).from_rankings(one)
        assert report.to_dict() == expected.to_dict()
        assert str(report) == str(expected)
    assert RankingReport(pvalue=False).from_rankings(counts).names == ("model",)


def test_rankings_are_compared_unless_they_were_counted():
    y, scores = two_rankings()
    rankings = {name: Ranking.from_predictions(y, s) for name, s in scores.items()}
    expected = RankingReport(random_state=0).from_predictions(y, scores)
    assert str(RankingReport(random_state=0).from_rankings(rankings)) == str(expected)
    counts = {name: RankCounts.from_predictions(y, s) for name, s in scores.items()}
    for given in (counts, {**rankings, "plain": counts["plain"]}):
        report = RankingReport(random_state=0).from_rankings(given)
        assert report.main.comparisons is None
        assert report.to_dict()["rankings"] == expected.to_dict()["rankings"]
        note = "  comparison left out, because it needs rankings in memory, and some"
        assert note in str(report)


def test_rankings_that_do_not_go_together():
    y, scores = two_rankings()
    counts = RankCounts.from_predictions(y, scores["plain"])
    fewer = RankCounts.from_predictions(y[:60], scores["plain"][:60])
    report = RankingReport()
    for given, message in (
        ({"a": counts, "b": fewer}, "`rankings` must contain rankings of the same it"),
        ({"a": counts, "b": y}, "`rankings` must be Rankings, or contain Ranking and "),
        ({}, "`rankings` must"),
    ):
        with pytest.raises(ValueError, match=message):
            report.from_rankings(given)
    with pytest.raises(ValueError, match="`y_score` must be given with `y_true`"):
        report.from_predictions(y)
    with pytest.raises(ValueError, match="left out where `y_true` is a RankCounts"):
        report.from_predictions(counts, scores)


def test_chance_is_the_mean_of_a_random_order():
    y, scores = two_rankings()
    null_means = (
        RankingReport(t=AT, k=4).from_predictions(y, scores).to_dict()["null_means"]
    )
    n, m = y.size, int(y.sum())
    for depth, items in zip(AT, (5, 3, 20), strict=True):
        assert null_means[f"recall@{depth}"] == pytest.approx(items / n)
        assert null_means[f"precision@{depth}"] == pytest.approx(m / n)
        assert null_means[f"enrichment_factor@{depth}"] == pytest.approx(1)
    harmonic = sum(1 / i for i in range(1, n + 1))
    chance = ((m - 1) / (n - 1) * (n - harmonic) + harmonic) / n  # Bestgen (2015)
    assert null_means["average_precision"] == pytest.approx(chance)
    null = RandomSelectionNull(n, m, "average_precision@4")
    assert null_means["average_precision@4"] == null.mean()


def test_enrichment_of_rdkit():
    y, scores = docking_scores()
    expected = {
        float(row["parameter"]): float(row["value"])
        for row in read_rows("rdkit_values.csv")
        if (row["score"], row["function"]) == ("icm", "enrichment")
    }
    report = RankingReport(t=list(expected), k=()).from_predictions(
        y, {"icm": scores["icm"]}
    )
    for fraction, value in expected.items():
        found = report.results[f"enrichment_factor@{fraction}"].values["icm"]
        assert found == pytest.approx(value, abs=1e-10)
    assert len(expected) == 9


def test_labels_and_level():
    y, scores = two_rankings()
    text = np.where(y, "active", "decoy")
    report = RankingReport(confidence_level=0.8).from_predictions(
        text, scores, pos_label="active"
    )
    variability = MetricInterval().from_predictions(y, scores["plain"])
    assert report.main.intervals["plain"] == variability.confidence_interval(0.8)
    assert [
        report.to_dict()[one] for one in ("n_samples", "n_targets", "prevalence")
    ] == [
        100,
        5,
        0.05,
    ]
    assert "80 % interval" in str(report)


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic", "expected"])
def test_curves_follow_the_tie_rule(ties):
    y, scores = two_rankings()
    report = RankingReport(ties=ties).from_predictions(y, scores)
    judge = skrank.hit_curve(y, scores["tied"], ties=ties)
    assert np.array_equal(report.hit_curves["tied"].t, judge.t)
    assert np.array_equal(report.hit_curves["tied"].hits, judge.hits)


def test_one_ranking_as_a_vector():
    y, scores = two_rankings()
    plain = scores["plain"]
    assert RankingReport().from_predictions(y, plain).names == ("model",)
    assert RankingReport().from_predictions(y, pd.Series(plain)).names == ("model",)
    report = RankingReport().from_predictions(y, pd.DataFrame({"forest": plain}))
    assert str(report) == str(RankingReport().from_predictions(y, {"forest": plain}))


# The test against random selection may be left out


@pytest.mark.parametrize(
    ("n", "m", "sizes", "ties", "quick"),
    [
        (569, 200, None, "expected", True),
        (60_000, 15_000, None, "expected", True),
        (1_000_000, 10_000, None, "expected", True),
        (10_000_000, 200_000, None, "together", True),
        (100_000, 50_000, [25_000] * 4, "optimistic", True),
        (100_000, 300, [40] * 2500, "together", True),
        (10_000_000, 300_000, None, "expected", True),
        (100_000, 50_000, [10] * 10_000, "pessimistic", False),  # of ties not merged
    ],
)
def test_whatis_quick(n, m, sizes, ties, quick):
    # as timed; a shape stands for its like
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties=ties)
    assert null.is_quick is quick


def test_ties_of_many_groups_are_not_quick():
    day = RandomSelectionNull(200, 5, tie_sizes=[2, 3] * 40, ties="optimistic")
    assert MeanNull([day] * 30).is_quick
    days = [
        RandomSelectionNull(200 + i, 5, tie_sizes=[2, 3] * 40 + [i], ties="optimistic")
        for i in range(1, 31)
    ]
    assert not MeanNull(days).is_quick


def test_tiny_pvalues_are_printed_as_a_bound():
    y_true = np.repeat([1, 0], [200, 4800])
    report = RankingReport().from_predictions(y_true, -np.arange(5000.0))
    assert "  < 1e-100" in str(report)
    assert report.main.tests["model"].log10_pvalue < -300


def test_what_takes_long_is_not_tested_unasked():
    n, m = 50_000, 50
    y = np.arange(n) % (n // m) == 0
    score = np.random.default_rng(0).permutation(n) // 10 + 2000 * y
    report = RankingReport(ties="pessimistic").from_predictions(y, {"A": score})
    assert report.main.tests is None
    sizes = np.unique(-score, return_counts=True)[1]
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties="pessimistic")
    row = report.to_frame().iloc[0]
    value = skrank.average_precision(y, score, ties="pessimistic")
    assert row["zscore"] == pytest.approx((value - null.mean()) / null.std())
    assert math.isnan(row["pvalue"])
    assert math.isnan(row["log10_pvalue"])
    lines = str(report).splitlines()
    assert lines[3].split()[:3] == ["pvalue", "left", "out,"]
    assert "because it may take a long time; set `pvalue`" in lines[3]
    assert lines[9].split()[-2:] == [f"{row['zscore']:.2f}", "-"]


def test_the_test_is_there_if_asked_and_not_if_not():
    y, scores = two_rankings()
    without = RankingReport(pvalue=False).from_predictions(y, scores)
    tested = RankingReport(pvalue=True).from_predictions(y, scores)
    assert str(tested) == str(RankingReport().from_predictions(y, scores))
    assert "  pvalue     left out, as asked" in str(without).splitlines()
    assert "left out" not in str(tested)
    drop = ["pvalue", "log10_pvalue"]
    assert (
        without.to_frame()
        .drop(columns=drop)
        .equals(tested.to_frame().drop(columns=drop))
    )


# Depths


@pytest.mark.parametrize(
    ("n", "depths"),
    [
        (9, (0.01,)),  # 1 and 10 % are one item
        (10, (0.01, 10)),  # 10 % are the same item as 1 %
        (50, (0.01, 0.1, 10)),
        (100, (0.01, 10)),
        (500, (0.01, 10, 0.1)),
        (1000, (10, 0.1)),
        (2000, (10, 0.01, 0.1)),
    ],
)
def test_default_depths_are_those_the_list_has_by_depth(n, depths):
    report = RankingReport().from_predictions(
        np.arange(n) < 3, {"A": -np.arange(float(n))}
    )
    assert report.t == report.k == depths


def test_depths_are_taken_once_and_k_may_differ():
    y, scores = two_rankings()
    report = RankingReport(t=(5, 5, np.int64(5), 0.1), k=7).from_predictions(y, scores)
    assert (report.t, report.k) == ((5, 0.1), (7,))
    assert list(report.results) == [
        "average_precision",
        "average_precision@7",
        "recall@5",
        "recall@0.1",
        "precision@5",
        "precision@0.1",
        "enrichment_factor@5",
        "enrichment_factor@0.1",
    ]
    lines = str(report).splitlines()
    top = [line.split() for line in lines[lines.index("The top of the ranking") :]]
    assert top[1] == ["top", "ranking", "AP@k", "recall", "precision", "lift"]
    assert [len(line) for line in top[2:11]] == [5, 4, 5, 7, 4, 5, 3, 2, 3]


def test_without_depths_there_is_no_top():
    y, scores = two_rankings()
    assert "AP@k" not in str(RankingReport(t=5, k=()).from_predictions(y, scores))
    report = RankingReport(t=()).from_predictions(y, scores)
    assert "top" not in str(report)
    assert list(report.to_dict()["null_means"]) == ["average_precision"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"t": 101}, "`t` must not reach beyond the ranking; got t=101"),
        ({"k": (10, 400)}, "`k` must not reach beyond the ranking; got k=400"),
        ({"t": 0}, "`t` must be an int of at least 1"),
        ({"t": (10, 1.5)}, "`t` must be an int of at least 1"),
        ({"k": "10"}, "`k` must be an int of at least 1"),
        ({"ties": "random"}, "`ties` must be one of"),
        ({"confidence_level": 1.0}, "`confidence_level` must be a number between"),
        ({"pvalue": "False"}, "`pvalue` must be True or False; got 'False'"),
    ],
)
def test_bad_settings(settings, message):
    y, scores = two_rankings()
    with pytest.raises(ValueError, match=message):
        RankingReport(**settings).from_predictions(y, scores)


# Print


def test_rankings_with_both_classes_are_all_counted():
    y, score = np.tile(np.arange(20) < 4, 3), np.random.default_rng(0).normal(size=60)
    report = RankingReport().from_predictions(
        y, score, groups=np.repeat(np.arange(3), 20)
    )
    assert "  rankings   means over 3 groups\n" in str(report)


@pytest.mark.usefixtures("without_pictures")
def test_undefined_is_a_dash():
    y = np.arange(50) == 3
    scores = {"flat": np.zeros(50), "other": np.arange(50.0)}
    with pytest.warns(UndefinedMetricWarning, match="too few data to estimate it"):
        report = RankingReport().from_predictions(y, scores)
    assert "nan" not in str(report)
    lines = str(report).splitlines()
    flat = next(line.split() for line in lines if line.startswith("  flat "))
    assert flat[-2:] == ["0.00", "1"]  # just what is expected by chance
    assert (
        re.split(r"\s{2,}", lines[-1])[4] == "-"
    )  # one target has no interval, but a p-value
    assert "<td>-</td>" in report.to_html()
    row = report.to_frame().iloc[0]
    assert (row["zscore"], row["null_std"]) == (0, 0)


NOTE = (
    "; do higher scores mean likelier targets, or the other class (the wrong column of "
    "predict_proba)?"
)


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize(
    ("n_reversed", "named"), [(1, "<0>"), (5, "<0>, <1>, <2> and 2 more")]
)
def test_rankings_far_below_chance_are_named(n_reversed, named):
    rng = np.random.default_rng(0)
    y = np.arange(150) < 48
    scores = {"good": rng.normal(y), "noise": rng.normal(size=150)}
    scores |= {f"<{i}>": rng.normal(-8.0 * y) for i in range(n_reversed)}
    report = RankingReport(pvalue=False).from_rankings(counts_of(y, scores))
    null = RandomSelectionNull(150, 48)
    z = (np.array(list(report.main.values.values())) - null.mean()) / null.std()
    assert np.all(z[:2] > -3)
    assert np.all(z[2:] < -3)
    line = f"  note       far below chance: {named}{NOTE}"
    assert line in str(report).splitlines()
    assert line.split(maxsplit=1)[1] in Page(report.to_html()).text
    only = {name: scores[name] for name in ("good", "noise")}
    assert "note" not in str(RankingReport(pvalue=False).from_predictions(y, only))


def test_six_rankings_fit_100_columns():
    rng = np.random.default_rng(1)
    y = np.arange(100) < 5
    names = [f"a rather long name {i}" for i in range(6)]
    report = RankingReport().from_predictions(
        y, {name: rng.normal(y) for name in names}
    )
    assert max(map(len, str(report).splitlines())) <= 100
    assert repr(report) == str(report)


def test_cells_of_the_print_are_the_numbers():
    y, scores = two_rankings()
    report = RankingReport(t=5).from_predictions(y, scores)
    lines = [line.split() for line in str(report).splitlines()]
    ap = skrank.average_precision(y, scores["plain"])
    low, high = report.main.intervals["plain"]
    z = report.main.tests["plain"].zscore
    row = f"plain {ap:.4f} {low:.4f} to {high:.4f} {z:.2f}"
    assert lines[9][:6] == row.split()
    result = report.main.comparisons.comparisons[0]
    low, high = result.confidence_interval()
    row = f"plain tied {result.difference:.4f} {low:.4f} to {high:.4f}"
    assert lines[-1][:6] == row.split()
    assert f"{skrank.recall_at_t(y, scores['plain'], t=5):.4f}" in lines[15]


@pytest.mark.parametrize("pvalue", [True, False])
def test_numbers_are_plain_and_fit_for_json(pvalue):
    report = RankingReport(pvalue=pvalue, t=5).from_predictions(*two_rankings())
    fields = json.loads(json.dumps(report.to_dict()))
    assert fields["rankings"]["name"] == ["plain", "tied"]
    assert fields["n_targets"] == 5
    assert fields["comparisons"]["name_a"] == ["plain"]
    numbers = [*report.to_dict()["null_means"].values(), *report.main.values.values()]
    numbers += [one for each in report.results.values() for one in each.values.values()]
    for columns in (report.to_dict()["rankings"], report.to_dict()["comparisons"]):
        numbers += [one for column in columns.values() for one in column]
    assert {type(one) for one in numbers} == {bool, float, int, str}


def test_a_single_target_is_one():
    y = np.arange(50) == 3
    assert "50 items, 1 target (prev" in str(
        RankingReport().from_predictions(y, -np.arange(50.0))
    )


def test_printed_names_are_attributes_and_explained():
    y, scores = two_rankings()
    report = RankingReport().from_predictions(y, scores)
    rows = {"null mean", "null std", "zscore", "pvalue"}
    assert {row.replace(" ", "_") for row in rows} <= set(report.to_frame().columns)
    heads = [table.split("\n")[1] for table in str(report).split("\n\n")[2:]]
    said = Page(plain_page()).text
    assert all(row in said for row in rows)
    guide = Path(__file__).parents[2] / "doc" / "user_guide" / "report.rst"
    if not guide.is_file():
        pytest.skip("the documentation is not here")
    text = guide.read_text(encoding="utf-8")
    words = {word for head in heads for word in re.split("  +", head.strip())}
    words -= {"ranking", "top", "AP", "95 % interval", "A", "B"}
    assert words == {
        "zscore",
        "pvalue",
        "AP@k",
        *["recall", "precision", "lift", "Holm"],
        "A - B",
    }
    assert [word for word in words | rows if f"**{word}**" not in text] == []


# Page


def test_page_is_whole_and_needs_nothing_else(tmp_path):
    report, html = plain_report(), plain_page()
    assert report.to_html(tmp_path / "report.html") is None
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == html
    page = Page(html)
    assert page.open == []
    assert page.elements[0] == ("html", {"lang": "en"})
    assert {"charset": "utf-8"} in page.all("meta")
    assert len(page.all("title")) == len(page.all("h1")) == 1
    assert len(page.all("table")) == len(page.all("caption")) == 3
    assert "http" not in html
    assert "url(" not in html
    assert not {"script", "link", "iframe", "object"} & {
        tag for tag, _ in page.elements
    }
    assert ET.fromstring(html).tag == "html"  # also as XML


def test_pictures_are_data():
    images = Page(plain_page()).all("img")
    assert len(images) == 3
    for image in images:
        start, data = image["src"].split(",")
        assert start == "data:image/png;base64"
        assert base64.b64decode(data, validate=True).startswith(b"\x89PNG")
    # the numbers of the figures, by the public functions
    y, scores = two_rankings()
    for name, score in scores.items():
        recall = recall_at_t(y, score, t=int(y.sum()))
        assert f"{name}: {recall:.0%} of the targets" in images[0]["alt"]
        assert f"{name}: AP {average_precision(y, score):#.3g}" in images[1]["alt"]
        lift = enrichment_factor(y, score, t=int(y.sum()))
        assert f"{name}: lift {lift:.3g}" in images[2]["alt"]


@pytest.mark.usefixtures("without_pictures")
def test_page_without_matplotlib():
    page = Page(plain_report().to_html())
    assert page.all("img") == []
    assert len(page.all("table")) == 3
    assert page.text.count("The pictures need matplotlib, which is not installed.") == 1


@pytest.mark.usefixtures("without_pictures")
def test_names_are_escaped():
    y, scores = two_rankings()
    names = "<script>alert(1)</script>", "a & b", '" onload="x', "$x^$", "_hidden", "$"
    rankings = dict.fromkeys(names, scores["tied"])
    page = Page(RankingReport(pvalue=False).from_predictions(y, rankings).to_html())
    assert page.open == []
    assert all(name in page.text for name in names)
    assert not page.all("script")
    assert all("onload" not in attrs for _, attrs in page.elements)


@pytest.fixture
def drawn(monkeypatch):
    """Figures as they are saved."""
    from matplotlib.figure import Figure

    figures, save = [], Figure.savefig

    def look(figure, *args, **kwargs):
        figures.append(figure)
        save(figure, *args, **kwargs)

    monkeypatch.setattr(Figure, "savefig", look)
    return figures


def curves_in(figure):
    return [
        line
        for line in figure.axes[0].lines
        if str(line.get_gid()).startswith("skrank curve")
    ]


def test_legend_of_the_page_has_the_lines_of_the_pictures(drawn):
    import matplotlib as mpl

    rng = np.random.default_rng(0)
    y = np.arange(100) < 9
    names = ["_a", "$b$", "<c>", "n" * 90, "\N{CJK UNIFIED IDEOGRAPH-4E2D}", "f", "g"]
    scores = {name: rng.normal(y) for name in names}
    page = Page(
        RankingReport(pvalue=False).from_rankings(counts_of(y, scores)).to_html()
    )
    strokes = page.all("line")
    assert len(drawn) == 3
    for figure in drawn:
        colors = [line.get_color() for line in curves_in(figure)]
        assert [one["stroke"] for one in strokes] == colors
        shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        assert all(text.startswith(("chance", "perfect")) for text in shown)
    dashes = [one["stroke-dasharray"] for one in strokes]
    assert dashes[0] == dashes[5] == "none"
    assert len(set(dashes)) == 5
    for place, style in ((1, "dashed"), (2, "dashdot")):
        pattern = [float(one) / 2.5 for one in dashes[place].split()]
        assert pattern == mpl.rcParamsDefault[f"lines.{style}_pattern"]
    for name, score in scores.items():
        ap = skrank.average_precision(y, score)
        assert f"{name}: AP {ap:#.3g}" in page.text


def test_of_many_rankings_the_best_are_drawn(drawn):
    rng = np.random.default_rng(0)
    y = np.arange(100) < 9
    scores = {f"r{i}": rng.normal(y) for i in range(12)}
    page = Page(
        RankingReport(pvalue=False).from_rankings(counts_of(y, scores)).to_html()
    )
    assert [len(curves_in(figure)) for figure in drawn] == [10] * 3
    assert "Of 12 rankings the best 10 are" in page.text
    worst = sorted(scores, key=lambda name: skrank.average_precision(y, scores[name]))
    legend = [name for name in scores if f"{name}: AP" in page.text]
    assert legend == [name for name in scores if name not in worst[:2]]


def test_pictures_are_those_of_no_user():
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    report, usual = plain_report(), plain_page()
    with mpl.rc_context({"font.size": 30, "axes.grid": True, "savefig.dpi": 20}):
        assert report.to_html() == usual
        assert plt.get_fignums() == []  # pyplot is left alone
        assert mpl.rcParams["font.size"] == 30


def test_curves_that_are_means_say_so():
    report = RankingReport(ties="together", pvalue=False).from_predictions(
        *two_rankings()
    )
    said = "The curves are means over the orders of tied items."
    assert said in Page(report.to_html()).text
    assert said not in Page(plain_page()).text


def test_headings_of_notebooks_are_not_those_of_pages():
    piece, page = Page(plain_piece()), Page(plain_page())
    assert (len(piece.all("h1")), len(piece.all("h2"))) == (0, 1)
    assert (len(page.all("h1")), len(page.all("h2"))) == (1, 0)


def test_wide_tables_are_reached_by_keyboard_and_named():
    page = Page(plain_page())
    regions = [one for one in page.all("div") if one.get("class") == "wide"]
    assert [one["aria-label"] for one in regions] == [
        "Average precision",
        "The top of the ranking",
        "Differences in average precision",
    ]
    assert all((one["tabindex"], one["role"]) == ("0", "region") for one in regions)


def test_long_names_are_short_in_print_and_whole_on_the_page():
    y, scores = two_rankings()
    long = "first" + 80 * "x" + "last!"
    report = RankingReport().from_predictions(
        y, {long: scores["plain"], "b": scores["tied"]}
    )
    assert long not in str(report)
    assert max(map(len, str(report).splitlines())) <= 100
    assert f"  {long[:20]}...{long[-20:]}  " in str(report)
    assert (
        Page(report.to_html()).text.count(long) == 6
    )  # the conclusion, 4 rows and the legend


def test_notebook_piece_is_scoped():
    piece = plain_piece()
    page = Page(piece)
    assert page.elements[0] == ("div", {"class": "skrank-report"})
    assert not {"html", "head", "body"} & {tag for tag, _ in page.elements}
    style = piece[piece.index("<style>") + 7 : piece.index("</style>")]
    style = re.sub(r"@media [^{]*{|\([^)]*\)", "", style)  # a, b in :is(a, b)
    selectors = [rule.split("{")[0] for rule in style.split("}")]
    single = [one.strip() for several in selectors for one in several.split(",")]
    assert all(one.startswith(".skrank-report") for one in single if one)
    body = piece[piece.index("</h2>") + 5 :]
    assert body in plain_page()


@pytest.mark.usefixtures("without_pictures")
def test_groups_of_rows_are_headed_once():
    y, scores = two_rankings()
    scores["third"] = -scores["plain"]
    page = Page(
        RankingReport(t=(5, 10), pvalue=False).from_predictions(y, scores).to_html()
    )
    spans = [attrs["rowspan"] for attrs in page.all("th") if "rowspan" in attrs]
    assert spans == ["4", "4", "2"]  # three rankings and chance at two depths; A of two
    chance = [attrs for attrs in page.all("tr") if attrs.get("class") == "chance"]
    assert len(chance) == 3


# Groups


@pytest.mark.usefixtures("without_pictures")
def test_a_report_on_groups_is_that_of_the_classes():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(12), 50)
    y = ((rng.random(600) < 0.1) & (day != 4)).astype(int)
    scores = {"a": rng.normal(y), "b": rng.normal(y)}
    with pytest.warns(UndefinedMetricWarning, match="1 of 12 groups have no targets"):
        report = RankingReport(t=[5, 0.1, 60]).from_predictions(y, scores, groups=day)
    kept = day != 4
    given = {"groups": day[kept]}
    for name, score in scores.items():
        asked = y[kept], score[kept]
        interval = MetricInterval().from_predictions(*asked, **given)
        assert report.main.intervals[name] == interval.confidence_interval()
        test = RandomSelectionTest().from_predictions(*asked, **given)
        assert report.main.tests[name].log10_pvalue == test.log10_pvalue
        assert report.main.values[name] == test.value
        for at in ("recall@5", "average_precision@0.1", "precision@60"):
            # the day without targets counts in precision
            every = at.startswith("precision")
            parts = (y, score, day) if every else (*asked, day[kept])
            value = skrank.make_metric(at)(parts[0], parts[1], groups=parts[2])
            assert report.results[at].values[name] == pytest.approx(value, rel=1e-12)
            chance = RandomSelectionTest(at).from_predictions(
                parts[0], parts[1], groups=parts[2]
            )
            assert report.to_dict()["null_means"][at] == pytest.approx(
                chance.null_mean, rel=1e-9
            )
    pair = RankingComparison().from_predictions(
        y[kept], {name: one[kept] for name, one in scores.items()}, **given
    )
    (found,) = report.main.comparisons.comparisons
    assert found.log10_pvalue == pair.log10_pvalue
    assert "data set   600 items" in str(report)
    counted = "means over 11 to 12 of 12 groups, in which the metric is defined"
    assert counted in str(report)
    assert "10 %  a" in str(report)
    assert "With groups, the report draws no curves" in report.to_html()


def test_groups_of_a_ranking_are_refused():
    one = Ranking.from_predictions([1, 0, 1, 0], [4, 3, 2, 1])
    with pytest.raises(ValueError, match="`groups` must be left out where `y_true` is"):
        RankingReport().from_predictions(one, groups=[1, 1, 2, 2])


@pytest.mark.parametrize("groups", [None, np.arange(300) // 30])
def test_reports_on_estimators_are_on_their_scores(groups):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 10 < 2
    X = rng.normal(size=(300, 3)) + y[:, None]
    models = {"lr": LogisticRegression(), "nb": GaussianNB()}
    fitted = {name: model.fit(X, y) for name, model in models.items()}
    scores = {name: model.predict_proba(X)[:, 1] for name, model in fitted.items()}
    asked = RankingReport(t=5, pvalue=False)
    report = asked.from_estimator(fitted, X, y, groups=groups)
    assert str(report) == str(asked.from_predictions(y, scores, groups=groups))
    report = asked.from_cv(models, X, y, cv=3, groups=groups)
    if groups is None:
        scorer = make_average_precision_scorer()
        found = cross_validate(models["nb"], X, y, cv=3, scoring=scorer)
        assert report.main.values["nb"] == pytest.approx(found["test_score"].mean())
    test = RandomSelectionTest().from_cv(models["nb"], X, y, cv=3, groups=groups)
    tested = RankingReport(t=5).from_cv(models, X, y, cv=3, groups=groups)
    assert tested.main.tests["nb"].pvalue == test.pvalue
    results = {
        name: cross_validate(
            model, X, y, cv=3, return_estimator=True, return_indices=True
        )
        for name, model in models.items()
    }
    judge = asked.from_cv(models, X, y, cv=3)
    assert str(asked.from_cv_results(results, X, y)) == str(judge)


def test_rankings_are_reported_as_the_data_they_are_from():
    y, scores = two_rankings()
    group = np.arange(len(y)) % 3
    for given in ({}, {"groups": group}, {"clusters": np.arange(len(y)) // 2}):
        rankings = Rankings.from_predictions(y, scores, **given)
        expected = str(RankingReport().from_predictions(y, scores, **given))
        assert str(RankingReport().from_rankings(rankings)) == expected
    folds = Rankings.from_predictions(y, scores, folds=group)
    report = RankingReport().from_rankings(folds)
    assert "  rankings   means over 3 folds\n" in str(report)
    test = RandomSelectionTest().from_rankings(folds.only("plain"))
    assert report.main.tests["plain"].zscore == test.zscore
    untested = RankingReport(pvalue=False).from_rankings(folds)
    assert untested.main.null_distributions["plain"].std() == pytest.approx(
        test.null_std
    )
    assert report.hit_curves == {}


def test_rankings_of_classes_are_not_compared():
    rng = np.random.default_rng(0)
    y, scores = np.arange(90) % 3, rng.random((90, 3))
    rankings = Rankings.from_classes(y, scores, [0, 1, 2])
    report = RankingReport().from_rankings(rankings)
    assert report.main.comparisons is None
    assert "left out, because each class has targets of its own" in str(report)
    low, high = np.sort(list(report.main.values.values()))[[0, -1]]
    assert f"of 3 classes is {low:.3g} (" in report.conclusion()
    assert f" to {high:.3g} (" in report.conclusion()


def test_groups_and_clusters_are_printed():
    y, scores = two_rankings()
    given = {"groups": np.arange(len(y)) % 3, "clusters": np.arange(len(y)) // 6}
    report = RankingReport().from_predictions(y, scores, **given)
    assert "means over 3 groups" in str(report)
    assert "clusters" in str(report)
