"""Two rankings at one cutoff: enumeration, other programs' numbers, formulas."""

import math
import warnings
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import dblquad
from scipy.stats import beta, binomtest, dirichlet, norm

from cases import docking_scores, read_rows
from skrank import Ranking
from skrank.inference.comparison._at_cutoff import (
    CutCounts,
    count_at_cut,
    mcnemar,
    posterior,
)
from skrank.inference.comparison._pair import Pair
from skrank.ranking._standing import share_of_top


def cut_counts(hits_a, hits_b, hits_both, *, t=50, m=40):
    """Counts without a tie at the cutoff: a top shares with itself what it has."""
    return CutCounts(m, min(t, m), hits_a, hits_b, hits_both, hits_a, hits_b)


COUNTS = cut_counts(17, 9, 4)


def random_pair(seed, n=60, m=12, levels=None):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < m
    a, b = rng.normal(1.5 * y), rng.normal(1.0 * y)
    if levels:
        a, b = np.round(a * levels), np.round(b * levels)
    return Pair(*(Ranking.from_predictions(y, score) for score in (a, b)))


# Counts


def shuffled_tops(y_score, t, rng, n_orders=4000):
    """Which items are among the top t, ties broken at random again and again."""
    order = np.lexsort(
        (rng.random((n_orders, y_score.size)), -y_score + np.zeros((n_orders, 1)))
    )
    tops = np.zeros((n_orders, y_score.size))
    np.put_along_axis(tops, order[:, :t], 1.0, axis=1)
    return tops


@pytest.mark.parametrize("t", [1, 5, 17, 60])
def test_share_of_top_is_the_chance_under_random_order(t):
    y_score = np.random.default_rng(0).integers(0, 6, size=60).astype(float)
    tops = shuffled_tops(y_score, t, np.random.default_rng(1))
    share = share_of_top(y_score, t)
    assert share.sum() == pytest.approx(t)
    assert_allclose(tops.mean(axis=0), share, atol=5 * 0.5 / math.sqrt(4000))


def test_counts_without_ties_are_those_of_the_sets():
    pair = random_pair(3)
    a, b = (set(np.argsort(-x)[:10]) for x in pair.y_scores)
    targets = set(range(12))
    counts = count_at_cut(pair, 10)
    assert (counts.m, counts.most) == (12, 10)
    assert counts.hits_a == len(a & targets)
    assert counts.hits_b == len(b & targets)
    assert counts.hits_both == len(a & b & targets)
    assert counts.found_by_one == (len((a - b) & targets), len((b - a) & targets))


def test_counts_with_ties_are_means_over_random_orders():
    pair = random_pair(4, levels=1)
    rng = np.random.default_rng(0)
    a, b = (shuffled_tops(x, 10, rng) for x in pair.y_scores)
    counts = count_at_cut(pair, 10)
    drawn = (a * b)[:, :12].sum(axis=1)
    assert counts.hits_both == pytest.approx(drawn.mean(), abs=5 * drawn.std() / 63)


# McNemar


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("hits_a", "hits_b"), [(17, 9), (9, 17), (12, 12), (4, 30)])
def test_mcnemar_is_the_binomial_test(alternative, hits_a, hits_b):
    counts = cut_counts(hits_a, hits_b, 4)
    only_a, only_b = hits_a - 4, hits_b - 4
    judge = binomtest(only_a, only_a + only_b, alternative=alternative)
    found = mcnemar(counts, alternative)
    assert math.exp(found.log_pvalue) == pytest.approx(judge.pvalue)
    assert found.zscore == (hits_a - hits_b) / math.sqrt(only_a + only_b)


@pytest.mark.parametrize("seed", range(8))
def test_mcnemar_of_shared_hits_errs_on_the_safe_side(seed):
    # enumeration: each target swaps its shares of the two tops, all ways equally likely
    rng = np.random.default_rng(seed)
    share_a, share_b = rng.choice([0, 0.2, 0.5, 0.8, 1], size=(2, 10))
    signs = np.array(list(product([-1, 1], repeat=10)))
    difference = (share_a - share_b).sum()
    null = signs @ (share_a - share_b)
    exact = np.mean(np.abs(null) >= abs(difference) - 1e-12)
    pairs = (share_a @ share_b, share_a @ share_a, share_b @ share_b)
    counts = CutCounts(10, 10, share_a.sum(), share_b.sum(), *pairs)
    found = mcnemar(counts, "two-sided")
    assert math.exp(found.log_pvalue) >= exact - 1e-12
    assert abs(found.zscore) <= abs(difference) / null.std() + 1e-12


def test_nothing_found_by_one_only():
    counts = cut_counts(9, 9, 9)
    for alternative in ("two-sided", "greater", "less"):
        error, *found = mcnemar(counts, alternative)[:3]
        assert found == [0.0, 0.0]
        assert math.isnan(error)  # other samples may differ


# The posterior


def test_posterior_is_that_of_the_dirichlet():
    # Monte Carlo, as Goutte and Gaussier (2005) do it
    found = posterior(COUNTS, "greater")
    draws = dirichlet.rvs([13.5, 5.5, 22.5], size=200_000, random_state=0)
    superior = np.mean(draws[:, 0] > draws[:, 1])
    assert found.probability_superior == pytest.approx(superior, abs=0.002)
    assert math.exp(found.log_pvalue) == pytest.approx(1 - superior, abs=0.002)
    difference = draws[:, 0] - draws[:, 1]
    assert found.standard_error / COUNTS.m == pytest.approx(difference.std(), rel=0.01)


def test_posterior_in_closed_form():
    # P(pi_1 > pi_2) as the integral of the Dirichlet density over the triangle
    alphas = np.array([13.5, 5.5, 22.5])
    inside, _ = dblquad(
        lambda y, x: dirichlet.pdf([x, y], alphas),
        0,
        1,
        0,
        lambda x: min(x, 1 - x),
        epsabs=1e-9,
    )
    found = posterior(COUNTS, "two-sided")
    assert found.probability_superior == pytest.approx(inside, abs=1e-6)
    assert math.exp(found.log_pvalue) == pytest.approx(2 * (1 - inside), abs=1e-6)
    assert found.probability_superior == pytest.approx(beta.sf(0.5, 13.5, 5.5))


def test_error_of_mcnemar_is_that_of_paired_proportions():
    # 13 targets by A only, 5 by B only, 4 by both, 18 by none
    per_target = np.repeat([1, -1, 0], [13, 5, 22])
    expected = math.sqrt(40 * per_target.var())
    assert mcnemar(COUNTS, "two-sided").standard_error == pytest.approx(expected)


# chemmodlab


def pparg_counts():
    """Counts by pair and t, of items strictly above the threshold as chemmodlab has."""
    hits = {
        (row["score"], row["tested"]): float(row["hits_above"])
        for row in read_rows("chemmodlab_hits.csv")
    }
    return {
        (row["s1"], row["s2"], row["tested"]): cut_counts(
            hits[row["s1"], row["tested"]],
            hits[row["s2"], row["tested"]],
            float(row["hits12"]),
            t=float(row["tested"]),
            m=85,
        )
        for row in read_rows("chemmodlab_pair_hits.csv")
    }


def pparg_tests(method):
    """Rows of its version 2.0.0 without the plus correction, with their counts."""
    counts = pparg_counts()
    for row in read_rows("chemmodlab_tests.csv"):
        if row["method"] == method:
            yield row, counts[row["s1"], row["s2"], row["tested"]]


def test_binomial_of_chemmodlab():
    rows = list(pparg_tests("binomial"))
    assert len(rows) == 120
    for row, counts in rows:
        assert counts.difference / 85 == pytest.approx(float(row["diff"]), abs=1e-12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an error of 0
            error = mcnemar(counts, "two-sided").standard_error / 85
        error = 0 if math.isnan(error) else error
        assert error == pytest.approx(float(row["se"]), abs=2e-9)


def test_mcnemar_of_chemmodlab():
    rows = list(pparg_tests("mcnemar"))
    assert len(rows) == 120
    for row, counts in rows:
        found = mcnemar(counts, "two-sided")
        pvalue = 2 * norm.sf(abs(found.zscore))
        assert pvalue == pytest.approx(float(row["p_value"]), rel=1e-9)
        # where no target is found by one only, ours is undefined
        error = np.nan_to_num(found.standard_error) / 85
        assert error == pytest.approx(float(row["se"]), abs=2e-9)


def test_hits_of_the_shared_ties():
    # its own counts above and at the threshold; the tie's targets are shared out evenly
    targets, scores = docking_scores()
    for row in read_rows("chemmodlab_hits.csv"):
        t, above, n_above, n_at, hits_at = (
            int(row[name])
            for name in ("tested", "hits_above", "n_above", "n_at", "hits_at")
        )
        expected = above + (t - n_above) * hits_at / n_at
        share = share_of_top(scores[row["score"]], t)
        assert share[targets].sum() == pytest.approx(expected)
