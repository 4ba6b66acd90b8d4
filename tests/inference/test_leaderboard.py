"""The best set, ranges of ranks and letters: published quantiles, SciPy, simulation."""

import math

import numpy as np
import pytest
from scipy.stats import norm, tukey_hsd

from skrank import RankingComparison
from skrank.inference._leaderboard import leaderboard_of


def board(zscores, errors=None, confidence_level=0.95):
    """Leaderboard of rankings with these values in units of half a variance."""
    values = np.asarray(zscores, dtype=float)
    differences = np.subtract.outer(values, values)
    if errors is None:
        errors = math.sqrt(2) * (1 - np.eye(values.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = norm.logsf(np.abs(differences) / errors) + math.log(2)
    tail[np.diag_indices(values.size)] = 0.0
    return leaderboard_of(
        [f"model {i}" for i in range(values.size)],
        values,
        differences,
        tail / math.log(10),
        errors,
        metric="average_precision",
        confidence_level=confidence_level,
    )


@pytest.mark.parametrize(
    ("n_others", "quantile"),
    # one-sided 5 % points of k correlated (1/2) normal variables: Dunnett (1955),
    # "A multiple comparison procedure", JASA 50, table 1a, infinite degrees of freedom
    [(1, 1.64), (2, 1.92), (3, 2.06), (5, 2.23), (9, 2.42)],
)
def test_the_largest_of_several_has_dunnetts_quantile(n_others, quantile):
    # the best is so many standard errors above the last, and the others equal to it
    values = np.zeros(n_others + 1)
    values[0] = quantile * math.sqrt(2)
    found = board(values)
    assert found.names[0] == "model 0"
    assert found.pvalues[-1] == pytest.approx(0.05, abs=0.003)
    assert found.pvalues[0] > 0.5


@pytest.mark.parametrize(
    ("k", "quantile"),
    # 5 % points of the studentized range, infinite degrees of freedom
    [(2, 2.77), (3, 3.31), (5, 3.86), (10, 4.47)],
)
def test_ranks_are_apart_beyond_the_studentized_range(k, quantile):
    for factor, apart in ((0.98, False), (1.02, True)):
        values = np.zeros(k)
        values[0] = factor * quantile
        found = board(values)
        assert (found.rank_high[0] == 1) == apart
        assert (found.rank_low[1] == 2) == apart


def test_days_against_tukeys_test():
    # independent days of equal variance; SciPy pools the variances of all groups
    rng = np.random.default_rng(0)
    samples = [rng.normal(shift, size=400) for shift in (0, 0.1, 0.3, 0.32, 0.6)]
    means = np.array([one.mean() for one in samples])
    variances = np.array([one.var(ddof=1) / 400 for one in samples])
    errors = np.sqrt(np.add.outer(variances, variances))
    np.fill_diagonal(errors, 0.0)
    found = board(means, errors)
    pvalues = tukey_hsd(*samples).pvalue
    order = [int(name[-1]) for name in found.names]
    significant = (pvalues[np.ix_(order, order)] <= 0.05) & (
        np.subtract.outer(found.values, found.values) > 0
    )
    assert found.rank_low.tolist() == (1 + significant.sum(axis=0)).tolist()
    assert found.rank_high.tolist() == (5 - significant.sum(axis=1)).tolist()


def test_letters_are_shared_by_those_that_are_not_different():
    rng = np.random.default_rng(0)
    for k in (2, 3, 5, 8):
        for _ in range(20):
            values = rng.normal(scale=3, size=k)
            errors = rng.uniform(0.5, 3, size=(k, k))
            errors = np.triu(errors, 1) + np.triu(errors, 1).T
            found = board(values, errors)
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
    found = board(100.0 * np.arange(30))
    assert found.letters[0] == "a"
    assert found.letters[25:28] == ("z", "a1", "b1")
    assert found.best == ("model 29",)
    assert (found.rank_low == found.rank_high).all()


def test_without_standard_errors_by_bonferroni():
    errors = np.full((4, 4), np.nan)
    values = np.array([0.0, 0, 0, 3.0])
    log10 = np.full((4, 4), math.log10(0.01))
    found = leaderboard_of(
        list("abcd"),
        values,
        np.subtract.outer(values, values),
        log10,
        errors,
        metric="average_precision",
        confidence_level=0.95,
    )
    assert found.pvalues.tolist() == pytest.approx([1, 0.015, 0.015, 0.015])
    assert found.rank_high[0] == 4  # .01 is above .05 / 6
    assert found.best == ("d",)


def scores_of(shifts, n=500, m=20, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < m
    shared = rng.normal(size=n)
    return y, {f"shift {d}": 0.7 * shared + rng.normal(d * y) for d in shifts}


def test_two_rankings_have_half_the_pvalue():
    y, scores = scores_of((1, 1.6))
    table = RankingComparison(random_state=0).compare_all(y, scores)
    found = table.leaderboard()
    assert found.names == ("shift 1.6", "shift 1")
    assert found.pvalues[1] == pytest.approx(table.comparisons[0].pvalue / 2, rel=0.05)
    assert found.values.tolist() == [
        table.comparisons[0].estimate_b,
        table.comparisons[0].estimate_a,
    ]


def test_table_of_several():
    y, scores = scores_of((0, 1, 1.2, 3))
    table = RankingComparison(random_state=0).compare_all(y, scores)
    found = table.leaderboard()
    assert table.best_set() == found.best == ("shift 3",)
    assert table.rank_intervals()["shift 3"] == (1, 1)
    wider = table.rank_intervals(0.9999)
    for name, (low, high) in table.rank_intervals(0.8).items():
        assert wider[name][0] <= low <= high <= wider[name][1]
    frame = found.to_frame()
    assert frame["name"].tolist() == list(found.names)
    assert frame["value"].is_monotonic_decreasing
    assert "1 of 4 may be the best" in str(found)
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
    assert table.best_set() == ("shift 3",)
    signed = RankingComparison(method="wilcoxon").compare_all(y, scores, groups=day)
    assert signed.leaderboard().names == table.leaderboard().names


def test_refusals():
    y, scores = scores_of((0, 1, 3))
    test = RankingComparison(random_state=0, n_resamples=99)
    with pytest.raises(ValueError, match="`baseline` must be None for a leaderboard"):
        test.compare_all(y, scores, baseline="shift 0").leaderboard()
    with pytest.raises(ValueError, match="`confidence_level` must be a number between"):
        test.compare_all(y, scores).best_set(95)
    one_sided = RankingComparison(alternative="greater", n_resamples=99)
    with pytest.raises(ValueError, match="two-sided p-values .*; got permutation, gr"):
        one_sided.compare_all(y, scores).leaderboard()


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "k"), [(10, 500, 5), (30, 1000, 4)])
def test_the_best_is_seldom_left_out(m, n, k):
    # k equally good models: each of them is a best one
    rng, left_out, different = np.random.default_rng(0), [], []
    y = np.arange(n) < m
    for seed in range(100):
        shared = rng.normal(size=(n, 1))
        scores = rng.normal(1.5 * y[:, None], size=(n, k)) + shared
        test = RankingComparison(n_resamples=499, random_state=seed)
        found = test.compare_all(y, scores).leaderboard()
        left_out.append("0" not in found.best)
        different.append((found.rank_high - found.rank_low < k - 1).any())
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100)
    assert np.mean(left_out) <= limit
    assert np.mean(different) <= limit
