"""A report by the metric of the user, with thresholds and gains tables.

Judges: the public classes that the report calls, and counts of the sorted list.
"""

import re
from itertools import pairwise

import numpy as np
import pytest

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    Ranking,
    RankingComparison,
    RankingReport,
    Rankings,
    ThresholdChoice,
    hit_curve,
)
from skrank.report._command_line import main


def lists(n=4000, m=40, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < m
    a = rng.normal(2.0 * y)
    return y, {"A": a, "B": 0.6 * a + rng.normal(0.4 * y), "C": rng.normal(size=n)}


Y, SCORES = lists()


FEW_Y, FEW = lists(800, 20, seed=1)


@pytest.mark.parametrize("metric", ["bedroc(alpha=20)", "enrichment_factor@0.05"])
def test_tests_and_comparisons_are_by_the_metric(metric):
    y, scores = FEW_Y, FEW
    report = RankingReport(compare_by=metric).from_predictions(y, scores)
    assert report.main.metric.name == metric
    for name, score in scores.items():
        test = RandomSelectionTest(metric).from_predictions(y, score)
        assert report.main.values[name] == test.value
        assert report.main.tests[name].pvalue == test.pvalue
        judge = MetricInterval(metric).from_predictions(y, score)
        assert report.main.intervals[name] == judge.confidence_interval()
    judge = RankingComparison(metric).compare_all(y, scores)
    assert report.main.comparisons.to_dict() == judge.to_dict()
    assert report.leaderboard.names == judge.leaderboard().names
    row = report.to_frame().iloc[0]
    assert row[metric] == report.main.values["A"]
    assert row["null_mean"] == report.main.tests["A"].null_mean
    assert report.conclusion().startswith(f"A has the largest {metric}, ")
    assert f"A: {metric} " in report.to_html()
    assert report.to_dict()["metric"] == metric


def test_a_metric_without_a_null_distribution_and_smaller_is_better():
    report = RankingReport(compare_by="k_at_recall(0.8)").from_predictions(Y, SCORES)
    assert report.main.tests is None
    assert "left out, because k_at_recall(0.8) has no null distribution" in str(report)
    assert report.conclusion().startswith("A has the smallest k_at_recall(0.8), ")
    assert "higher" in report.conclusion()
    assert report.leaderboard.names[0] == min(
        report.main.values, key=report.main.values.get
    )


def test_several_metrics_have_letters_of_the_worse():
    metrics = ["average_precision", "bedroc", "k_at_recall(.5)"]
    report = RankingReport(compare_by=metrics).from_predictions(FEW_Y, FEW)
    compared = [one.comparisons for one in report.results.values() if one.comparisons]
    names = [table.comparisons[0].metric for table in compared]
    assert names[1:] == ["bedroc(alpha=20)", "k_at_recall(0.5)"]
    latex = report.to_latex(summary=True)
    assert latex.count(r"\begin{table}") == 1
    tabular = latex.partition(r"\begin{tabular}")[2].partition(r"\end{tabular}")[0]
    assert tabular in report.to_latex()
    assert "(Holm, level 0.05)" in latex
    rows = re.findall(r"^\(([abc])\) ([ABC]) & (.*) \\\\$", latex, re.MULTILINE)
    letters = dict(zip("ABC", "abc", strict=True))
    assert [letter + name for letter, name, _ in rows] == ["aA", "bB", "cC"]
    for column, table in enumerate(compared):
        sign = 1 if table.greater_is_better else -1
        pairs = zip(table.comparisons, table.adjusted_pvalues, strict=True)
        beaten = dict.fromkeys("ABC", "")
        for one, holm in pairs:
            if holm <= 0.05:
                best, worst = (
                    one.names if sign * one.difference > 0 else one.names[::-1]
                )
                beaten[best] += letters[worst]
        for _, name, cells in rows:
            found = re.search(r"\$\^\{([a-c]+)\}\$", cells.split(" & ")[column])
            assert (found[1] if found else "") == "".join(sorted(beaten[name]))
    assert "<sup>" in report.to_html()
    with pytest.raises(ValueError, match="`summary` must be False"):
        RankingReport().from_predictions(FEW_Y, FEW["A"]).to_latex(summary=True)
    with pytest.raises(ValueError, match="`compare_by` must name a metric"):
        RankingReport(compare_by=[]).from_predictions(FEW_Y, FEW)


def test_thresholds_and_gains_are_those_of_the_classes():
    rules = [ThresholdChoice(benefit=100, cost=3), ThresholdChoice(recall=0.8)]
    two = {name: SCORES[name] for name in "AB"}
    report = RankingReport(thresholds=rules, gains=(0.01, "5%", 400)).from_predictions(
        Y, two
    )
    for name, score in two.items():
        for rule, found in zip(rules, report.thresholds[name], strict=True):
            judge = rule.from_predictions(Y, score)
            assert str(found) == str(judge)
            assert str(int(judge.t)) in str(report)
        table = report.gains[name]
        found = Y[np.argsort(-score)]
        ends = [0, 40, 200, 400, 4000]
        assert table.items.tolist() == np.diff(ends).tolist()
        judge = [found[a:b].mean() for a, b in pairwise(ends)]
        assert table.rate == pytest.approx(judge)
        assert f"Gains table of {name}" in str(report)
    tenths = RankingReport(gains=True).from_predictions(Y, SCORES["A"]).gains["model"]
    assert tenths.hits.tolist() == hit_curve(Y, SCORES["A"]).gains_table().hits.tolist()
    day = np.arange(Y.size) % 20
    with pytest.raises(ValueError, match="`gains` must be False for several rankings"):
        RankingReport(gains=True).from_predictions(Y, SCORES["A"], groups=day)
    by_day = RankingReport(thresholds=rules[1]).from_predictions(
        Y, SCORES["A"], groups=day
    )
    assert by_day.thresholds["model"][0].kind == "groups"


def test_a_large_tie_at_the_top_has_a_note():
    saturated = 1 / (1 + np.exp(-8 * SCORES["A"]))
    report = RankingReport().from_predictions(
        Y, {"A": SCORES["A"], "s": saturated.astype(np.float32)}
    )
    first = saturated.astype(np.float32) == 1
    assert f"s ({first.sum()} items, {Y[first].sum()} targets)" in str(report)
    assert "their order is unknown" in report.to_html()
    # a tie that is nearly all targets hides no order that matters
    votes = np.where(Y, 1.0, np.arange(Y.size) % 5 / 5)
    assert "top tie" not in str(RankingReport().from_predictions(Y, votes))
    equal = str(RankingReport().from_predictions(Y, np.zeros(Y.size)))
    assert "  top tie    model (4000 items, 40 targets); " in equal


def test_the_page_shows_the_top_of_a_long_ranking():
    page = RankingReport().from_predictions(Y, SCORES["A"]).to_html()
    assert "The figure shows the first 400 of 4000 items." in page
    short = RankingReport().from_predictions(Y[:300], SCORES["A"][:300]).to_html()
    assert "The figure shows the first" not in short


def test_the_command_has_the_same_tables(tmp_path, capsys):
    file = tmp_path / "scores.csv"
    rows = zip(FEW_Y.astype(int), *FEW.values(), strict=True)
    lines = ["active,A,B,C", *(",".join(map(repr, map(float, row))) for row in rows)]
    file.write_text("\n".join(lines))
    columns = ["--target", "active", "--score", "A", "--score", "B"]
    asked = ["--compare-by", "bedroc", "--threshold", "benefit=100,cost=3"]
    asked += ["--gains", "1%,5%", "--threshold", "recall=0.8"]
    assert main(["report", str(file), *columns, *asked]) == 0
    out = capsys.readouterr().out
    report = RankingReport(
        compare_by="bedroc",
        thresholds=[ThresholdChoice(benefit=100, cost=3), ThresholdChoice(recall=0.8)],
        gains=[0.01, 0.05],
    ).from_predictions(FEW_Y, {name: FEW[name] for name in "AB"})
    assert out.rstrip("\n") == str(report)
    assert main(["report", str(file), *columns, "--gains", "4"]) == 0
    assert "Gains table of B" in capsys.readouterr().out
    for wrong, said in (
        (["--gains", "x"], "number of parts"),
        (["--threshold", "recal=1"], "must be such as recall=0.8"),
        (["--threshold", "recall=2"], "above 0, up to 1"),
    ):
        with pytest.raises(SystemExit):
            main(["report", str(file), *columns, *wrong])
        assert said in capsys.readouterr().err


def test_thresholds_are_of_the_given_scores():
    energy = -SCORES["A"] - 10
    rule = ThresholdChoice(recall=0.8)
    report = RankingReport(thresholds=rule).from_predictions(
        Y, {"e": energy}, lower_is_better=True
    )
    found = report.thresholds["e"][0]
    row = next(line for line in str(report).splitlines() if "<=" in line)
    score, t = re.search(r"<= (-?[\d.]+) +(\d+)", row).groups()
    assert int(t) == found.t
    assert float(score) == pytest.approx(-found.threshold, abs=0.01)
    kept = energy <= -found.threshold
    assert kept.sum() == found.t


def test_other_metrics_of_compare_by_are_never_lost():
    metrics = ["average_precision", "bedroc"]
    alone = RankingReport(compare_by=metrics).from_predictions(Y, SCORES["A"])
    assert "bedroc(alpha=20)" in str(alone)
    judge = MetricInterval("bedroc").from_predictions(Y, SCORES["A"])
    assert alone.to_frame()["bedroc(alpha=20)"][0] == judge.value
    two = RankingReport(compare_by=metrics).from_predictions(Y, SCORES)
    assert "bedroc(alpha=20)_low" in two.to_frame()


def test_lists_of_different_items_have_no_common_null_mean():
    rng = np.random.default_rng(0)
    lists = {
        name: [
            Ranking.from_predictions(np.arange(n) < 4, rng.normal(size=n))
            for n in sizes
        ]
        for name, sizes in (("A", (13, 20)), ("B", (60, 70)))
    }
    report = RankingReport(t=5).from_rankings(Rankings.from_rankings(lists))
    assert report.to_dict()["null_means"] == {}
    assert report.main.tests["A"].null_mean != report.main.tests["B"].null_mean
