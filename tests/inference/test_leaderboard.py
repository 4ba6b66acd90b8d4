"""The best set, ranges of ranks and letters, against the closed test."""

import itertools
import math

import numpy as np
import pytest

from cases import assert_share, runs
from skrank import RankingComparison
from skrank.inference.comparison._leaderboard import leaderboard_of


def board(values, pvalues, confidence_level=0.95):
    """Leaderboard of rankings with these values, and adjusted p-values of all pairs."""
    values = np.asarray(values, dtype=float)
    return leaderboard_of(
        [f"model {i}" for i in range(values.size)],
        values,
        np.subtract.outer(values, values),
        np.log10(pvalues),
        np.zeros((values.size, values.size), dtype=bool),
        metric="average_precision",
        confidence_level=confidence_level,
    )


def closed_bonferroni(pvalues, level):
    """Whether each hypothesis is rejected in all intersections by Bonferroni.

    This closed test is the step-down method of Holm (Marcus, Peritz and Gabriel 1976).
    Products of p-values may be at the level but for their rounding.
    """
    every = range(len(pvalues))
    return [
        all(
            min(pvalues[i] for i in sub) * len(sub) <= level + 1e-9
            for size in range(1, len(pvalues) + 1)
            for sub in itertools.combinations(every, size)
            if one in sub
        )
        for one in every
    ]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_all_statements_follow_from_the_closed_test(k):
    # ranges, letters, the best and the p-values, against all intersections
    rng = np.random.default_rng(k)
    pairs = list(itertools.combinations(range(k), 2))
    for _ in range(30):
        y = np.arange(150) < 14
        scores = {f"{i}": rng.normal(rng.choice([0, 1, 2.5]) * y) for i in range(k)}
        test = RankingComparison(n_resamples=399, random_state=0)
        table = test.compare_all(y, scores)
        found = table.leaderboard()
        raw = [one.pvalue for one in table.comparisons]
        better, place = np.zeros((k, k), dtype=bool), list(map(int, found.names))
        for rejected, (i, j) in zip(closed_bonferroni(raw, 0.05), pairs, strict=True):
            if rejected:
                up = table.comparisons[pairs.index((i, j))].difference > 0
                better[(i, j) if up else (j, i)] = True
        losses, wins = better.sum(axis=0)[place], better.sum(axis=1)[place]
        assert found.rank_low.tolist() == (1 + losses).tolist()
        assert found.rank_high.tolist() == (k - wins).tolist()
        assert (found.pvalues <= 0.05 + 1e-9).tolist() == (losses > 0).tolist()
        assert found.best == tuple(found.names[i] for i in np.flatnonzero(losses == 0))
        for i, j in pairs:
            apart = not set(found.letters[i]) & set(found.letters[j])
            assert apart == better[place[i], place[j]]


def test_letters_are_shared_by_those_that_are_not_different():
    rng = np.random.default_rng(0)
    for k in (2, 3, 5, 8):
        for _ in range(20):
            pvalues = rng.choice([0.001, 0.5], size=(k, k))
            pvalues = np.minimum(pvalues, pvalues.T)
            found = board(rng.normal(size=k), pvalues)
            wins = np.zeros(k, dtype=int)
            losses = np.zeros(k, dtype=int)
            for i in range(k):
                for j in range(i + 1, k):
                    apart = not set(found.letters[i]) & set(found.letters[j])
                    wins[i] += apart
                    losses[j] += apart
            assert (found.rank_high == k - wins).all()
            assert (found.rank_low == 1 + losses).all()


def test_many_letters():
    found = board(100.0 * np.arange(30), np.full((30, 30), 1e-6))
    assert found.letters[0] == "a"
    assert found.letters[25:28] == ("z", "a1", "b1")
    assert found.best == ("model 29",)
    assert (found.rank_low == found.rank_high).all()


def test_undefined_pvalues_show_no_difference():
    pvalues = np.full((3, 3), np.nan)
    pvalues[[0, 2], [2, 0]] = 0.01
    found = board([1.0, 2.0, 3.0], pvalues)
    assert found.names == ("model 2", "model 1", "model 0")
    expected = [1, math.nan, 0.01]  # not known of model 1, which is no evidence
    assert found.pvalues.tolist() == pytest.approx(expected, nan_ok=True)
    assert found.rank_high.tolist() == [2, 3, 3]


def test_a_pvalue_of_the_level_is_significant():
    pvalues = np.where(np.eye(2), 1.0, 0.25)  # a number without rounding
    found = board([2.0, 1.0], pvalues, 0.75)
    assert (found.best, found.letters) == (("model 0",), ("a", "b"))
    assert (found.rank_low.tolist(), found.rank_high.tolist()) == ([1, 2], [1, 2])
    less = board([2.0, 1.0], pvalues, 0.76)
    assert (less.best, less.letters) == (("model 0", "model 1"), ("a", "a"))


def scores_of(shifts, n=500, m=20, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < m
    shared = rng.normal(size=n)
    return y, {f"shift {d}": 0.7 * shared + rng.normal(d * y) for d in shifts}


def test_two_rankings_have_their_pvalue():
    y, scores = scores_of((1, 1.6))
    table = RankingComparison(random_state=0).compare_all(y, scores)
    found = table.leaderboard()
    assert found.names == ("shift 1.6", "shift 1")
    assert found.pvalues[1] == pytest.approx(table.comparisons[0].pvalue)
    assert found.values.tolist() == [
        table.comparisons[0].value_b,
        table.comparisons[0].value_a,
    ]


def test_table_of_several():
    y, scores = scores_of((0, 1, 1.2, 3))
    table = RankingComparison(random_state=0).compare_all(y, scores)
    found = table.leaderboard()
    assert found.best == ("shift 3",)
    assert (found.rank_low[0], found.rank_high[0]) == (1, 1)
    wider, narrower = table.leaderboard(0.9999), table.leaderboard(0.8)
    assert (wider.rank_low <= narrower.rank_low).all()
    assert (narrower.rank_low <= narrower.rank_high).all()
    assert (narrower.rank_high <= wider.rank_high).all()
    frame = found.to_frame()
    assert frame["name"].tolist() == list(found.names)
    assert frame["value"].is_monotonic_decreasing
    assert "1 of 4 may be the best" in str(found)
    first, *others = (line.split() for line in str(found).splitlines()[-4:])
    assert (first[3], "<=" in first) == ("1", False)  # no draw makes it smaller
    assert any("<=" in one for one in others)
    assert "<td>shift 3</td>" in found._repr_html_()


def test_smaller_values_can_be_better():
    y, scores = scores_of((0, 3))
    test = RankingComparison("k_at_recall(0.5)", random_state=0)
    found = test.compare_all(y, scores).leaderboard()
    assert found.names == ("shift 3", "shift 0")
    assert found.values[0] < found.values[1]


def test_equal_rankings_share_the_first_rank():
    y, scores = scores_of((1, 3))
    scores["copy"] = scores["shift 3"]
    table = RankingComparison(random_state=0).compare_all(y, scores)
    found = table.leaderboard()
    assert set(found.best) == {"shift 3", "copy"}
    assert [found.rank_low[0], found.rank_high[0]] == [1, 2]
    same = {"a": scores["copy"], "b": scores["copy"]}
    found = RankingComparison(random_state=0).compare_all(y, same).leaderboard()
    assert found.pvalues.tolist() == [1, 1]


def test_days():
    y, scores = scores_of((0, 1, 3), n=600, m=60)
    day = np.arange(600) % 12
    table = RankingComparison().compare_all(y, scores, groups=day)
    assert table.leaderboard().best == ("shift 3",)
    signed = RankingComparison(method="wilcoxon").compare_all(y, scores, groups=day)
    assert signed.leaderboard().names == table.leaderboard().names


def test_refusals():
    y, scores = scores_of((0, 1, 3))
    test = RankingComparison(random_state=0, n_resamples=99)
    with pytest.raises(ValueError, match="`baseline` must be None for a leaderboard"):
        test.compare_all(y, scores, baseline="shift 0").leaderboard()
    with pytest.raises(ValueError, match="`confidence_level` must be a number between"):
        test.compare_all(y, scores).leaderboard(95)
    one_sided = RankingComparison(alternative="greater", n_resamples=99)
    with pytest.raises(ValueError, match="two-sided p-values .*; got permutation, gr"):
        one_sided.compare_all(y, scores).leaderboard()


def test_too_few_draws_for_all_pairs_have_a_warning():
    y, scores = scores_of((0, 1, 3))
    test = RankingComparison(n_resamples=58, random_state=0)
    with pytest.warns(UserWarning, match="`n_resamples` must be at least 59; got 58"):
        table = test.compare_all(y, scores)
    assert min(table.adjusted_pvalues) > 0.05  # 3 / 59


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@pytest.mark.nightly
@pytest.mark.parametrize(("m", "n", "k"), [(10, 500, 5), (30, 1000, 4)])
def test_the_best_is_seldom_left_out(m, n, k):
    # k equally good models: each of them is a best one
    rng, left_out, different = np.random.default_rng(0), [], []
    y = np.arange(n) < m
    for seed in range(runs(100)):
        shared = rng.normal(size=(n, 1))
        scores = rng.normal(1.5 * y[:, None], size=(n, k)) + shared
        test = RankingComparison(n_resamples=499, random_state=seed)
        found = test.compare_all(y, scores).leaderboard()
        left_out.append("0" not in found.best)
        different.append((found.rank_high - found.rank_low < k - 1).any())
    assert_share(left_out, most=0.05)
    assert_share(different, most=0.05)
