"""A report on more rankings than pairs are listed of: the leaderboard."""

import numpy as np
import pytest

from skrank import RankingReport


@pytest.fixture(scope="module")
def report():
    rng = np.random.default_rng(0)
    y = np.arange(800) < 40
    base = rng.normal(size=800)
    shifts = (0, 0.5, 1, 1.5, 2, 2.1)
    scores = {f"m{i}": 0.6 * base + rng.normal(d * y) for i, d in enumerate(shifts)}
    profit = "expected_profit@100(benefit=100, cost=5)"
    return RankingReport(t=10, metrics=profit, random_state=0).from_predictions(
        y, scores
    )


def test_leaderboard_is_in_place_of_the_pairs(report):
    assert "Differences in average precision" not in str(report)
    last = str(report).split("\n\n")[-1].splitlines()
    found = report.leaderboard
    assert last[0] == "Leaderboard"
    assert [line.split()[0] for line in last[2:]] == list(found.names)
    assert [line.split()[-1] for line in last[2:]] == list(found.letters)
    assert r"\caption{Leaderboard}" in report.to_latex()
    assert "Leaderboard" in report.to_html()
    assert len(report.to_dict()["comparisons"]["name_a"]) == 15


def test_conclusion_agrees_with_the_leaderboard(report):
    found = report.leaderboard
    said, alike = report.conclusion().split("are lower")
    best, *others = found.names
    assert said.startswith(f"{best} has the largest average precision")
    assert 1 < len(found.best) < 5
    for name in others:
        assert (f"{name} (Holm p " in alike) == (name in found.best)
        assert (f"{name} (Holm p " in said) == (name not in found.best)


def test_large_values_have_all_digits(report):
    rows = str(report).split("\n\n")[4].splitlines()
    assert rows[0] == "Metrics"
    value = report.results["expected_profit@100(benefit=100, cost=5)"].values["m5"]
    assert f"  {value:.0f}  " in "\n".join(rows)


@pytest.mark.parametrize(
    ("metric", "sign"),
    [("average_precision", 1), ("r_precision", 1), ("k_at_recall(recall=0.5)", -1)],
)
def test_the_best_come_first_if_sorted(metric, sign):
    rng = np.random.default_rng(0)
    y = np.arange(300) < 30
    scores = {
        name: rng.normal(d * y) for name, d in {"a": 1, "b": 3, "c": 0, "d": 2}.items()
    }
    day = np.arange(300) % 10
    given = RankingReport(metric, metrics="recall@20", t=5)
    ours = RankingReport(metric, metrics="recall@20", t=5, sort=True)
    before, after = (
        one.from_predictions(y, scores, groups=day) for one in (given, ours)
    )
    assert before.names == tuple("abcd")
    values = before.main.values
    # without equal values
    assert after.names == tuple(sorted(values, key=lambda name: -sign * values[name]))
    assert after.names != before.names
    for name, one in before.results.items():
        assert after.results[name].values == one.values
        assert [*after.results[name].values] == [*after.names]
        assert after.results[name].intervals == one.intervals
    assert after.to_frame()["name"].tolist() == [*after.names]
    assert after.main.comparisons.comparisons[0].names == after.names[:2]
