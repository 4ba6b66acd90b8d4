"""What a report has beside its tables of average precision.

Judges: the public functions and classes that it calls, item by item; and LaTeX's rules.
"""

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

from skrank import (
    HitCurveDisplay,
    Metric,
    MetricInterval,
    PrecisionRecallDisplay,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingComparison,
    RankingReport,
    ThresholdChoice,
    make_metric,
)

N, M = 300, 30
CLUSTER = np.repeat(np.arange(N // 5), 5)


def scores_of_two(seed=0):
    """Labels by cluster, and scores of two models that correlate within clusters."""
    rng = np.random.default_rng(seed)
    y = np.isin(CLUSTER, rng.permutation(N // 5)[: M // 5])
    shared = rng.normal(size=(2, N // 5))[:, CLUSTER]
    a, b = shared + rng.normal(size=(2, N)) + np.array([[2.0], [1.0]]) * y
    return y, {"A": a, "B": b}


Y, SCORES = scores_of_two()


# Clusters


def test_report_of_clusters_is_what_the_classes_say():
    report = RankingReport(t=10, random_state=0).from_predictions(
        Y, SCORES, clusters=CLUSTER
    )
    assert report.rankings.n_clusters == N // 5
    test = RandomSelectionTest(random_state=0)
    for name, score in SCORES.items():
        result = MetricInterval().from_predictions(Y, score, clusters=CLUSTER)
        assert report.main.intervals[name] == result.confidence_interval()
        judged = test.from_predictions(Y, score, clusters=CLUSTER)
        assert report.main.tests[name].pvalue == judged.pvalue
    row = report.to_frame().iloc[0]
    assert row["zscore"] == report.main.tests["A"].zscore
    pair = RankingComparison().from_predictions(
        Y, dict(zip("AB", SCORES.values(), strict=True)), clusters=CLUSTER
    )
    assert report.main.comparisons.comparisons[0].pvalue == pair.pvalue
    assert f"in {N // 5} clusters" in str(report)
    # clusters are exchanged with those of their size, and a mean is that of a test
    assert not report.to_dict()["null_means"]
    assert row["null_mean"] == report.main.tests["A"].null_mean
    low, high = RankingReport(t=10).from_predictions(Y, SCORES).main.intervals["A"]
    wide = report.main.intervals["A"]
    assert wide.high - wide.low > 1.2 * (high - low)


def test_clusters_of_which_none_can_move():
    codes = np.r_[np.zeros(M), 1 + np.arange(N - M)]
    codes[M // 2 : M] = N
    codes = np.where(np.arange(N) < M, codes, 1 + np.arange(N) // 7)
    y = np.arange(N) < M
    report = RankingReport(t=10).from_predictions(
        y, {"A": -np.arange(N)[::-1] * 1.0}, clusters=codes
    )
    assert report.main.tests is None
    assert "pvalue     left out, because no clusters can be exchanged" in str(report)
    with pytest.raises(ValueError, match="two of equal size with different labels"):
        RankingReport(pvalue=True).from_predictions(
            y, {"A": np.arange(N) * 1.0}, clusters=codes
        )


def test_a_reversed_ranking_of_clusters_is_noted():
    score = {"A": -SCORES["A"]}
    said = str(
        RankingReport(t=10, random_state=0).from_predictions(Y, score, clusters=CLUSTER)
    )
    assert "far below chance: A" in said


# Metrics, deployment, orientation


def test_metrics_come_with_their_intervals():
    names = ["precision@10", "bedroc(alpha=20)", make_metric("max_f_score")]
    report = RankingReport(t=10, metrics=names, random_state=0).from_predictions(
        Y, SCORES
    )
    for name, score in SCORES.items():
        for metric in names:
            judge = MetricInterval(metric, random_state=0)
            result = judge.from_predictions(Y, score)
            found = report.results[result.metric].estimates[name]
            assert found.value == result.value
            assert found.confidence_interval() == result.confidence_interval()
    row = report.to_frame().iloc[1]
    low, high = report.results["precision@10"].intervals["B"]
    assert (row["precision@10_low"], row["precision@10_high"]) == (low, high)
    assert report.to_dict()["null_means"]["precision@10"] == pytest.approx(M / N)
    assert "max_f_score(beta=1)" in str(report)
    one = RankingReport(t=10, metrics="precision@10").from_predictions(Y, SCORES)
    assert list(one.results["precision@10"].estimates) == ["A", "B"]
    with pytest.raises(ValueError, match="`metric` must"):
        RankingReport(metrics=["accuracy"]).from_predictions(Y, SCORES)


def test_lower_is_better():
    energies = {"A": -SCORES["A"], "B": SCORES["B"]}
    asked = {"t": 10, "pvalue": False}
    judge = RankingReport(**asked).from_predictions(Y, SCORES)
    for given in ("A", ["A"], np.array(["A"])):
        found = RankingReport(**asked).from_predictions(
            Y, energies, lower_is_better=given
        )
        assert found.main.values == judge.main.values
    both = {name: -score for name, score in SCORES.items()}
    found = RankingReport(**asked).from_predictions(Y, both, lower_is_better=True)
    assert found.main.values == judge.main.values
    # integers of 8 bits, of which the least has no opposite
    least = np.where(Y, -128, 127).astype(np.int8)
    found = RankingReport(**asked).from_predictions(Y, least, lower_is_better=True)
    assert found.main.values == {"model": pytest.approx(1)}
    with pytest.raises(ValueError, match="`lower_is_better` must be True, False or"):
        RankingReport().from_predictions(Y, energies, lower_is_better=["energy"])
    one = Ranking.from_predictions(Y, SCORES["A"])
    with pytest.raises(ValueError, match="`lower_is_better` must be False for a Ran"):
        RankingReport().from_predictions(one, lower_is_better=True)


def test_thresholds_of_columns_of_which_lower_scores_are_better():
    # judged by the same columns with texts as names
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.2
    energy = rng.normal(size=(200, 2)) - y[:, None]
    rule = ThresholdChoice(t=0.1, n_resamples=99)
    asked = RankingReport(thresholds=rule, pvalue=False)
    found = asked.from_predictions(y, energy, lower_is_better=True)
    named = {"0": energy[:, 0], "1": energy[:, 1]}
    expected = asked.from_predictions(y, named, lower_is_better=True)
    for name in ("0", "1"):
        (one,), (other,) = found.thresholds[name], expected.thresholds[name]
        assert one.score == "minus the given scores"
        assert (one.threshold, str(one)) == (other.threshold, str(other))
    assert str(found) == str(expected)


@pytest.mark.parametrize("name", ["strata", "sample_weight"])
def test_columns_that_a_report_does_not_use(name):
    with pytest.raises(ValueError, match=f"`{name}` must be left out for RankingRepo"):
        RankingReport().from_predictions(Y, SCORES, **{name: CLUSTER % 3 + 1})


def counted(score):
    """Counts of a ranking with few scores."""
    counts = RankCounts()
    counts.update(Y, np.round(score))
    second = counts.second_pass()
    second.update(Y, np.round(score))
    return second


def test_counts_have_no_items():
    counts = counted(SCORES["A"])
    with pytest.raises(ValueError, match="`clusters` must be left out"):
        RankingReport().from_predictions(counts, clusters=CLUSTER)


# What it says in a sentence, and in LaTeX


def test_conclusion_of_one_ranking():
    report = RankingReport(t=10).from_predictions(Y, SCORES["A"])
    low, high = report.main.intervals["model"]
    said = report.conclusion()
    value = report.main.values["model"]
    assert said.startswith(
        f"model has the average precision {value:.3f} (95 % interval {low:.3f} to "
        f"{high:.3f}). It is significantly better than random selection, whose mean is "
    )
    noise = np.random.default_rng(1).normal(size=N)
    said = RankingReport().from_predictions(Y, noise).conclusion()
    assert "It is not significantly better than random selection" in said
    assert (
        RankingReport(pvalue=False)
        .from_predictions(Y, noise)
        .conclusion()
        .endswith(").")
    )


def test_conclusion_of_several_rankings():
    rng = np.random.default_rng(2)
    a, worse = SCORES["A"], rng.normal(size=N)
    scores = {"A": a, "B": worse, "A again": a + 0.1 * rng.normal(size=N)}
    report = RankingReport(t=10, pvalue=False).from_predictions(Y, scores)
    best = max(report.main.values, key=report.main.values.get)
    other = next(name for name in ("A", "A again") if name != best)
    said = report.conclusion()
    assert said.startswith(f"{best} has the largest average precision, ")
    assert re.search(r"; B \(Holm p <= 0.0003\) is lower; ", said)
    assert re.search(rf"; {other} \(Holm p [\d.]+\) may be as good", said)
    many = {str(i): worse + i for i in range(7)} | {"A": a}
    assert (
        "; 7 others are lower."
        in RankingReport(pvalue=False).from_predictions(Y, many).conclusion()
    )
    many.pop("0"), many.pop("1")
    assert (
        "; 5 others are lower."
        in RankingReport(pvalue=False).from_predictions(Y, many).conclusion()
    )
    many.pop("2")
    said = RankingReport(pvalue=False).from_predictions(Y, many).conclusion()
    assert re.search(r"; 3 \(.*\), 4 \(.*\), 5 \(.*\) and 6 \(.*\) are lower", said)
    counts = {"A": counted(a), "B": counted(worse)}
    assert (
        RankingReport(pvalue=False)
        .from_rankings(counts)
        .conclusion()
        .endswith(", of 2 rankings.")
    )


@pytest.mark.parametrize(("seed", "is_below_best"), [(2, True), (4, False)])
def test_the_pvalue_of_a_lower_ranking_is_against_the_best(seed, is_below_best):
    """Or, if it is not significantly below the best, against another better one."""
    rng = np.random.default_rng(seed)
    y = np.arange(200) < 25
    a, b = rng.normal(1.6 * y), rng.normal(1.6 * y)
    scores = {"A": a, "B": b, "C": a + 0.9 * rng.normal(size=200)}
    report = RankingReport(pvalue=False).from_predictions(y, scores)
    table = report.main.comparisons
    holm = {
        "".join(sorted(pair.names)): pvalue
        for pair, pvalue in zip(table.comparisons, table.adjusted_pvalues, strict=True)
    }
    assert holm["AC"] < holm["BC"]
    assert (holm["BC"] <= 0.05) == is_below_best
    pvalue = holm["BC" if is_below_best else "AC"]
    said = report.conclusion()
    assert said.startswith("B has the largest average precision, ")
    assert f"; C (Holm p {pvalue:.2g}) is lower; A (" in said


def test_a_conclusion_is_at_its_level():
    score = np.random.default_rng(2).normal(size=N) + 0.4 * Y
    report = RankingReport().from_predictions(Y, score)
    pvalue = report.main.tests["model"].pvalue
    assert 0.05 < pvalue < 0.1
    for level in (0.9, 0.95):
        said = (
            RankingReport(confidence_level=level)
            .from_predictions(Y, score)
            .conclusion()
        )
        found = "is" if level == 0.9 else "is not"
        assert f"It {found} significantly better than random selection" in said
        assert f"({100 * level:.0f} % interval " in said


def test_latex_is_balanced_and_escaped():
    scores = {"a_b & 5 % of $x^2$": SCORES["A"], "B\\": SCORES["B"]}
    latex = (
        RankingReport(t=[10, 0.1], metrics=["max_f_score"])
        .from_predictions(Y, scores)
        .to_latex()
    )
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 4
    for tabular in re.findall(
        r"\\begin{tabular}{(\w+)}(.*?)\\end{tabular}", latex, re.S
    ):
        columns, body = tabular
        rows = [line for line in body.splitlines() if line.endswith(r" \\")]
        assert len(rows) >= 2
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1
    assert r"a\_b \& 5 \% of \$x\textasciicircum{}2\$" in latex
    assert r"B\textbackslash{}" in latex
    assert r"interval & $z$ & $p$ & $p$ (Holm) \\" in latex
    assert re.search(r"\$\d(\.\d)?\\times10\^{-\d+}\$", latex)
    assert not re.search(r"(?<!\\)[%#]", latex)


def test_what_is_left_out():
    report = RankingReport(t=10, pvalue=False).from_predictions(
        Y, SCORES, clusters=CLUSTER
    )
    assert report.main.tests is None
    # under other tie rules no mean by chance is the same for all rankings
    report = RankingReport(
        t=10, ties="pessimistic", metrics=["recall@5"]
    ).from_predictions(Y, SCORES)
    assert not report.to_dict()["null_means"]
    assert "null mean" not in str(report)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_conclusion_without_an_interval():
    # a single cluster holds all targets, so that none tells how clusters vary
    y = CLUSTER == 3
    report = RankingReport(t=10, pvalue=False).from_predictions(
        y, SCORES["A"], clusters=CLUSTER
    )
    assert np.isnan(report.main.intervals["model"].low)
    value = report.main.values["model"]
    assert report.conclusion() == f"model has the average precision {value:.4f}."


# Where two things meet


class NamedAsAnother(Metric):
    template = "recall@10"

    def gain(self, above, size, hits_above, hits, frame):
        return hits / (1 + frame.n_samples + 0 * above)

    def divisor(self, frame):
        return frame.n_targets


def test_pvalues_that_no_draw_reached_are_limits():
    strong = {"A": SCORES["A"] + 9.0 * Y, "B": SCORES["B"] + 9.0 * Y}
    test = RandomSelectionTest().from_predictions(Y, strong["A"], clusters=CLUSTER)
    assert "<= 0.0001" in str(test)
    asked = RankingReport(t=10)
    alone = asked.from_predictions(Y, {"A": strong["A"]}, clusters=CLUSTER)
    assert "(p <= 0.0001)." in alone.conclusion()
    both = asked.from_predictions(Y, strong, clusters=CLUSTER)
    assert str(both).split("\n\n")[2].count("<= 0.0001") == 2
    assert r"$\leq$ 0.0001" in both.to_latex()


def test_metrics_of_one_name_or_another_tie_rule_are_refused():
    message = "`ties` must be 'optimistic', the tie rule"
    with pytest.raises(ValueError, match=message):
        RankingReport(metrics=make_metric("average_precision", ties="optimistic"))
    with pytest.raises(ValueError, match="`metrics` must have a printed name that no"):
        RankingReport("bedroc(alpha=20)", metrics="bedroc(alpha=20.00001)")
    with pytest.raises(ValueError, match="printed name that no other .* 'recall@10'"):
        RankingReport(metrics=NamedAsAnother(), t=10).from_predictions(Y, SCORES)
    twice = RankingReport("recall@10", metrics=["recall@10", make_metric("recall@10")])
    found = twice.from_predictions(Y, SCORES, groups=None)
    assert list(found.results).count("recall@10") == 1


def test_letters_of_many_rankings_are_those_of_the_pvalues():
    rng = np.random.default_rng(0)
    y, day = np.arange(400) % 5 == 0, np.arange(400) // 20
    scores = {f"m{i}": rng.normal(size=400) + 4.0 * y * (i < 2) for i in range(28)}
    asked = RankingReport(["precision@4", "recall@4"], t=5, pvalue=False)
    report = asked.from_predictions(y, scores, groups=day)
    table = report.main.comparisons
    worse = {
        one.names[1]
        for one, holm in zip(table.comparisons, table.adjusted_pvalues, strict=True)
        if one.names[0] == "m0" and one.difference > 0 and holm <= 0.05
    }
    letters = [*"abcdefghijklmnopqrstuvwxyz", "a1", "b1"]
    expected = [letters[int(name[1:])] for name in scores if name in worse]
    assert "b1" in expected
    (row,) = re.findall(r"\(a\) m0 .*", report.to_latex(summary=True))
    assert re.search(r"\^\{(.*?)\}", row)[1].split(",") == expected
    assert f"<sup>{','.join(expected)}</sup>" in report.to_html()


@pytest.mark.filterwarnings("ignore:With `n_missed` alone", "ignore:.* are few")
def test_a_query_for_which_nothing_was_returned_counts_as_zero():
    group = np.arange(N) % 5
    given = {"groups": group, "n_missed": {0: 1, 9: 2}}
    report = RankingReport(t=3).from_predictions(Y, SCORES["A"], **given)
    # a random order of a collection of unknown size says nothing
    assert report.main.tests is None
    assert "left out, because missed targets have no rank" in str(report)
    assert "lift" not in str(report)
    asked = RankingReport(t=3, pvalue=True)
    with pytest.warns(UserWarning, match="1 of 6 groups have no ranked items"):
        tested = asked.from_predictions(Y, SCORES["A"], **given)
    assert tested.main.tests is not None
    metric = make_metric("average_precision")
    assert report.main.values["model"] == metric(Y, SCORES["A"], **given)
    for display in (HitCurveDisplay, PrecisionRecallDisplay):
        with pytest.warns(UserWarning, match="They are left out of the figure"):
            shown = display.from_predictions(Y, SCORES["A"], **given)
        assert len(shown.curve) == 5


@pytest.mark.filterwarnings("ignore:The interval of average_precision is undefined")
def test_comparisons_need_two_groups_with_targets():
    day = np.arange(N) % 2
    y = Y & (day == 0)
    with pytest.warns(UndefinedMetricWarning, match="1 of 2 groups have no targets"):
        report = RankingReport(t=3).from_predictions(y, SCORES, groups=day)
    assert report.main.comparisons is None
    assert "left out, because average_precision is defined in one group" in str(report)


def test_values_of_groups_in_folds_are_means_of_folds():
    """Tests are of the mean over all groups, and the print says so."""
    day = np.arange(N) // 30
    X = np.column_stack([*SCORES.values()])
    first, others = np.flatnonzero(day < 3), np.flatnonzero(day >= 3)
    folds = [(others, first), (first, others)]
    model = LogisticRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = RankingReport(t=3).from_cv(model, X, Y, cv=folds, groups=day)
        judge = MetricInterval().from_cv(model, X, Y, cv=folds, groups=day)
        test = RandomSelectionTest().from_cv(model, X, Y, cv=folds, groups=day)
    assert report.main.values["model"] == judge.value != test.value
    assert report.main.tests["model"].zscore == test.zscore
    assert report.main.null_mean is None
    assert "values are means of 2 folds, and tests of all groups" in str(report)
