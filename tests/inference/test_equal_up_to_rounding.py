"""Comparisons of values that are equal in words and differ by rounding.

Judge: rational numbers. The values of the metric by their definition, all signs of the
differences, all swaps, all shares of a tie at a cutoff.
"""

import math
import warnings
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest, norm, rankdata, t
from sklearn.exceptions import UndefinedMetricWarning

from cases import named
from oracles import tie_groups, value
from skrank import RankingComparison

ALTERNATIVES = ("two-sided", "greater", "less")
# metric, its settings, and those settings in the words of the oracle
EXACT = {
    "average_precision": ("average_precision", {}, {}),
    "average_precision@2": ("average_precision_at_k", {"k": 2}, {"depth": 2}),
    "average_precision@3 relevant": (
        "average_precision_at_k",
        {"k": 3, "normalize": "relevant"},
        {"depth": 3, "normalize": "relevant"},
    ),
    "average_precision@3 hits": (
        "average_precision_at_k",
        {"k": 3, "normalize": "hits"},
        {"depth": 3, "normalize": "hits"},
    ),
    "recall@3": ("recall_at_t", {"t": 3}, {"depth": 3}),
    "precision@3": ("precision_at_t", {"t": 3}, {"depth": 3}),
    "enrichment_factor@2": ("enrichment_factor", {"t": 2}, {"depth": 2}),
    "reciprocal_rank": ("reciprocal_rank", {}, {}),
}


def draw_list(rng, *, ties):
    """Labels and two scores of five to seven items."""
    n = int(rng.integers(5, 8))
    y_true = (np.arange(n) < rng.integers(1, 4)).astype(int)
    high = 5 if ties else 10**6
    return y_true, rng.integers(2, high, size=n), rng.integers(2, high, size=n)


@cache
def of_groups(groups, case):
    metric, _, words = EXACT[case]
    return value(groups, metric, **words)


def exact(y_true, y_score, case):
    return of_groups(tuple(tie_groups(y_true, y_score)), case)


def draw_lists(case, seed, n_rankings, *, ties):
    """Several rankings, one after the other, and the exact values of A and of B."""
    rng = np.random.default_rng(seed)
    lists = [draw_list(rng, ties=ties) for _ in range(n_rankings)]
    values = [(exact(y, a, case), exact(y, b, case)) for y, a, b in lists]
    groups = np.repeat(np.arange(n_rankings), [one[0].size for one in lists])
    return (
        [np.concatenate(column) for column in zip(*lists, strict=True)],
        groups,
        values,
    )


def tails(draws, observed, alternative):
    """P-value of an observed sum in its distribution: value -> probability."""
    greater = sum(p for d, p in draws.items() if d >= observed)
    less = sum(p for d, p in draws.items() if d <= observed)
    both = min(Fraction(1), 2 * min(greater, less))
    return {"two-sided": both, "greater": greater, "less": less}[alternative]


def midranks(sizes):
    return [
        Fraction(sum(s < x for s in sizes) + sum(s <= x for s in sizes) + 1, 2)
        for x in sizes
    ]


def wilcoxon_by_all_signs(differences, alternative):
    """Signed ranks, zeros left out, tied sizes by their middle rank."""
    moved = [d for d in differences if d]
    ranks = midranks([abs(d) for d in moved])
    chances = {Fraction(0): Fraction(1)}
    for rank in ranks:
        further = {}
        for total, p in chances.items():
            for end in (total, total + rank):
                further[end] = further.get(end, Fraction(0)) + p / 2
        chances = further
    observed = sum(r for r, d in zip(ranks, moved, strict=True) if d > 0)
    return tails(chances, observed, alternative)


def sign_by_binomial(differences, alternative):
    wins = sum(d > 0 for d in differences)
    moved = sum(d != 0 for d in differences)
    chances = {w: Fraction(comb(moved, w), 2**moved) for w in range(moved + 1)}
    return tails(chances, wins, alternative)


JUDGES = {"wilcoxon": wilcoxon_by_all_signs, "sign": sign_by_binomial}


def compare(method, case, lists, groups=None, alternative="two-sided", **kwargs):
    metric, given, _ = EXACT[case]
    asked = RankingComparison(
        method=method, alternative=alternative, **named(metric, **given, **kwargs)
    )
    y_true, *scores = lists
    return asked.from_predictions(y_true, np.transpose(scores), groups=groups)


@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "ties"])
@pytest.mark.parametrize("n_rankings", [2, 9, pytest.param(16, marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", EXACT)
def test_tests_of_lists_are_those_of_the_exact_differences(case, n_rankings, ties):
    """Their p-values have all digits."""
    for seed in range(2):
        lists, groups, values = draw_lists(case, seed, n_rankings, ties=ties)
        differences = [a - b for a, b in values]
        for method, alternative in product(JUDGES, ALTERNATIVES):
            result = compare(method, case, lists, groups, alternative)
            expected = JUDGES[method](differences, alternative)
            assert result.pvalue == pytest.approx(float(expected), rel=1e-11)
        assert (result.difference == 0) == (sum(differences) == 0)


def even_lists(n_rankings):
    """Rankings on which A has a third more recall at 3 than B, and as many with less.

    The one is 2/3 - 1/3, the other 2/3 - 1, which differ in floating point.
    """
    orders = {1: (0, 3, 4, 1, 2, 5), 2: (0, 1, 3, 2, 4, 5), 3: (0, 1, 2, 3, 4, 5)}
    y_true, scores = np.array([1, 1, 1, 0, 0, 0]), {}
    for hits, order in orders.items():
        scores[hits] = np.empty(6)
        scores[hits][list(order)] = np.arange(6.0, 0, -1)
    pairs = [(2, 1)] * n_rankings + [(2, 3)] * n_rankings
    a, b = (
        np.concatenate([scores[h] for h in column])
        for column in zip(*pairs, strict=True)
    )
    return [np.tile(y_true, len(pairs)), a, b], np.repeat(np.arange(len(pairs)), 6)


@pytest.mark.parametrize("method", ["wilcoxon", "sign", "t"])
@pytest.mark.parametrize("n_rankings", [1, 6, 13, 40, 300])
def test_differences_that_are_even_are_no_evidence(method, n_rankings):
    """By symmetry the p-value is 1, and the z-score 0."""
    lists, groups = even_lists(n_rankings)
    result = compare(method, "recall@3", lists, groups)
    assert (result.pvalue, result.zscore, result.difference) == (1, 0, 0)


@pytest.mark.parametrize("method", ["wilcoxon", "sign", "t"])
def test_lists_without_a_winner_are_no_evidence(method):
    """The rankings differ, but nowhere in their recall of thirds."""
    scores = np.tile(np.array([6.0, 4, 2, 5, 3, 1]), 4)
    lists = np.tile([1, 1, 1, 0, 0, 0], 4), scores, np.where(scores > 3, 7, scores)
    result = compare(method, "recall@3", lists, np.repeat(np.arange(4), 6))
    assert (result.pvalue, result.zscore, result.difference) == (1, 0, 0)


@pytest.mark.parametrize("case", EXACT)
def test_paired_t_is_that_of_the_exact_differences(case):
    for seed in range(6):
        lists, groups, values = draw_lists(case, seed, 7, ties=bool(seed % 2))
        differences = [a - b for a, b in values]
        mean = sum(differences) / 7
        variance = sum((d - mean) ** 2 for d in differences) / 42
        result = compare("t", case, lists, groups)
        z = float(mean) / math.sqrt(variance)
        assert result.zscore == pytest.approx(z, rel=1e-12, abs=1e-300)
        assert result.pvalue == pytest.approx(2 * t.sf(abs(z), 6), rel=1e-9)


@pytest.mark.parametrize("n_rankings", [2, 3, 50])
def test_differences_of_one_size_have_no_spread(n_rankings):
    """2/3 - 1/3, 1 - 2/3, and the like: Student's t is undefined."""
    lists, _ = even_lists(n_rankings)
    y_true, a, b = lists
    half = 6 * n_rankings  # the second half with A and B exchanged: a third more, too
    lists = y_true, np.r_[a[:half], b[half:]], np.r_[b[:half], a[half:]]
    groups = np.repeat(np.arange(2 * n_rankings), 6)
    with pytest.warns(UndefinedMetricWarning, match="standard error"):
        result = compare("t", "recall@3", lists, groups)
    assert result.difference == pytest.approx(1 / 3)
    assert math.isnan(result.standard_error)
    assert math.isnan(result.pvalue)


def test_signed_ranks_of_very_many_lists_are_normal():
    """With the variance of signed middle ranks, the sum of their squares."""
    lists, groups, values = draw_lists("recall@3", 1, 800, ties=True)
    moved = [a - b for a, b in values if a != b]
    assert len(moved) > 500
    result = compare("wilcoxon", "recall@3", lists, groups)
    sizes = sorted({abs(d) for d in moved})
    ranks = rankdata([sizes.index(abs(d)) for d in moved])
    z = sum(np.sign(float(d)) * r for r, d in zip(ranks, moved, strict=True))
    z /= np.linalg.norm(ranks)
    assert result.zscore == pytest.approx(z)
    assert result.pvalue == pytest.approx(2 * norm.sf(abs(z)))


# Swaps


def swaps(y_true, a, b, case):
    """Distribution of the exact difference over all swaps of ranks."""
    ranks = [midranks(scores.tolist()) for scores in (a, b)]
    chances = {}
    for coins in product([0, 1], repeat=y_true.size):
        swapped = [[ranks[c ^ k][i] for i, c in enumerate(coins)] for k in (0, 1)]
        one, other = (exact(y_true, scores, case) for scores in swapped)
        chances[one - other] = chances.get(one - other, 0) + Fraction(1, 2**y_true.size)
    return chances


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "ties"])
@pytest.mark.parametrize("case", EXACT)
@pytest.mark.slow
def test_swaps_are_as_extreme_as_in_rational_numbers(case, ties):
    """The draws of swaps against all of them; a swap is one in 32 at least."""
    for seed in range(2):
        lists = draw_list(np.random.default_rng(100 + seed), ties=ties)
        lists = [column[-5:] for column in (lists[0][::-1], *lists[1:])]
        chances = swaps(*lists, case)
        observed = exact(lists[0], lists[1], case) - exact(lists[0], lists[2], case)
        share = {
            "greater": sum(p for d, p in chances.items() if d >= observed),
            "less": sum(p for d, p in chances.items() if d <= observed),
            "two-sided": sum(p for d, p in chances.items() if abs(d) >= abs(observed)),
        }
        for alternative, expected in share.items():
            result = compare(
                "permutation",
                case,
                lists,
                None,
                alternative,
                n_resamples=2000,
                random_state=0,
            )
            count = round(result.pvalue * 2001) - 1
            assert binomtest(min(count, 2000), 2000, float(expected)).pvalue > 1e-5


# Cuts


def exact_shares(y_score, depth):
    """Share of each item among the top, ties in random order."""
    level = sorted(y_score, reverse=True)[depth - 1]
    above = sum(s > level for s in y_score)
    room = Fraction(depth - above, sum(s == level for s in y_score))
    return [Fraction(1) if s > level else room * (s == level) for s in y_score]


def recall_variance(y_true, a, b):
    """Variance of the difference of the hits by the correlated binomial, exactly."""
    hits_a, hits_b = (
        [s for s, y in zip(shares, y_true, strict=True) if y] for shares in (a, b)
    )
    m = len(hits_a)
    moved = [x - y for x, y in zip(hits_a, hits_b, strict=True)]
    return sum(d * d for d in moved) - Fraction(sum(moved) ** 2, m)


@pytest.mark.parametrize("method", ["mcnemar", "posterior"])
@pytest.mark.parametrize("depth", [2, 3, 5, 7])
def test_hits_of_ties_at_a_cut_differ_as_their_shares_do(method, depth):
    """A difference, a z-score and an error are 0 where they are in rational numbers."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y_true = (np.arange(12) < 5).astype(int)
        a, b = rng.integers(3, size=(2, 12))
        shares = [exact_shares(scores.tolist(), depth) for scores in (a, b)]
        hits = [sum(s * int(y) for s, y in zip(x, y_true, strict=True)) for x in shares]
        asked = RankingComparison(f"recall@{depth}", method=method)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            result = asked.from_predictions(y_true, {"A": a, "B": b})
        difference = (hits[0] - hits[1]) / 5
        assert result.difference == pytest.approx(float(difference), rel=1e-11, abs=0)
        assert result.zscore == 0 or math.isnan(result.zscore) or difference
        if method == "mcnemar":
            variance = recall_variance(y_true, *shares)
            error = result.standard_error
            if variance > 0:
                assert error == pytest.approx(math.sqrt(variance) / 5, rel=1e-6)
            else:  # 0 if other samples cannot differ, and else unknown
                assert not error > 0
