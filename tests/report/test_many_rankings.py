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
