"""Tails of long rankings, judged from outside.

Judges: counts of the placements near the best; all ways to spread few targets over tie
groups; draws of numpy; the inequality of Cantelli (1929); and numbers that were found
once by two programs which share nothing with the package: proven bounds of a dynamic
programme over a grid of values, less than 6 % apart, and importance sampling by guided
draws, with a standard error of 1 %.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from null import judges
from scipy.special import digamma
from scipy.stats import hypergeom, norm

import oracles
from skrank import Metric, RandomSelectionNull
from skrank.null import MeanNull

PROMISED = 0.05
# the first cases of each run in every suite
nightly = pytest.mark.nightly

# All but perfect rankings: the number of placements that are as good

SLIPS = [
    *[(300, [1, 2, 30]), (640, [*range(1, 8), 30]), (1000, [*range(1, 20), 26])],
    *[(2000, [1, 2, 3, 4, 12]), (20_000, [*range(1, 50), 60])],
    *[(10_000, [*range(1, 20), 40]), (10_000, [*range(1, 100), 103])],
    *[(10**6, [1, 3, 4]), (150_000, [*range(1, 100), 110])],
]


@pytest.mark.parametrize(("n", "ranks"), SLIPS)
def test_rankings_with_one_slip(n, ranks):
    m = len(ranks)
    lost = sum((Fraction(r - i, r) for i, r in enumerate(ranks, 1)), Fraction(0))
    ways = judges.ways_to_lose(lost, m)
    if n == 300:
        assert ways == 32
    found = RandomSelectionNull(n, m).tail(1 - float(lost) / m)
    exact = math.log(ways) - oracles.log_binomial(n, m)
    assert judges.off_by(found.log_pvalue, exact) < PROMISED


@pytest.mark.nightly
def test_three_targets_among_ten_billion():
    """One is first and another among the first four, or no ranking is as good."""
    n = 10**10
    log_lists = math.log(n) + math.log(n - 1) + math.log(n - 2) - math.log(6)
    found = RandomSelectionNull(n, 3).tail(0.5).log_pvalue
    # with the third wherever it is; others are as good only near the top
    assert found == pytest.approx(math.log(3 * n) - log_lists, abs=0.01)


# Numbers of other programs: the logarithm of p

LONG = [247, 2137, 3308, 16509, 2, 117, 3332, 65, 1, 5437, 1828, 10348]
LONG += [2234, 16827, 7900, 21195, 971, 1105, 3132, 3269, 36]
PAIRS = np.ones(359, dtype=int)
PAIRS[40:320:20] = 2
TIES = {
    "nine": [40, 100, 260, 600, 1500, 3500, 4000, 5000, 5000],
    "humps": [20, 180, 800, 3000, 16_000],
    "neighbours": LONG,  # ties of 2, 1, 65 and 36 items among some of thousands
    "pairs": PAIRS,
    "large tie on top": [96, *[1] * 289],
}
UNTIED = {
    (500, 10): [(0.1, -3.72538), (0.3, -11.17856), (0.5, -19.42036), (0.8, -34.14659)],
    (1000, 20): [
        *[(0.0606698551298, -3.64785), (0.0949775866928, -6.15978)],
        *[(0.140721228777, -9.29286), (0.5, -37.42534)],
    ],
    (2000, 20): [(0.05, -4.50182), (0.2, -17.48993), (0.6, -56.23912)],
    (3000, 30): [(0.0280092734749, -3.94537), (0.0641894770227, -8.17131)],
    (15_000, 24): [(0.004, -3.19911), (0.03, -6.41725)],
    (10_000, 20): [(0.1, -12.45997)],
    (1000, 100): [(0.14, -4.74691), (0.2, -13.945), (0.3, -32.209), (0.8, -180.898)],
    (3000, 245): [(0.1, -4.8218), (0.2, -45.698), (0.5, -220.897)],
    (10_000, 400): [(0.1, -53.243)],
    (14_906, 304): [(0.1766, -155.148), (0.256, -241.339)],
    (20_000, 2000): [(0.122089134758, -33.116)],
    (100_000, 1000): [(0.0111794731814, -4.851)],
}
WORSE = {
    (500, 10): [(0.011269768166, -24.46020), (0.0130976699052, -7.46095)],
    (300, 30): [(0.054044880258, -59.82840), (0.0596681634125, -22.22818)],
    (450, 48): [(0.0576, -79.24087)],
    (1000, 100): [(0.0716172873882, -16.032)],
    (14_906, 304): [(0.0145718546037, -37.689)],
}
TIED = {
    (500, 10): [(0.1, -3.74016), (0.6, -24.29776)],
    (1000, 100): [(0.14, -4.82318), (0.4, -54.52792)],
    (3000, 245): [(0.1, -4.96972), (0.15, -24.30454), (0.3, -97.44264)],
    (14_906, 304): [(0.05, -36.10083), (0.1766, -160.037)],
}
AP, STEEP = "average_precision", "bedroc(alpha=160.9)"
OTHERS = [  # n targets, value, log p; the alternative is "less" for values below
    (200, 0.0175683094903, -11.84471, AP, "expected", "nine"),
    (200, 0.0150052595834, -12.19518, AP, "together", "nine"),
    (200, 0.045032555218, -12.80026, AP, "optimistic", "nine"),
    (200, 0.0122777266988, -13.31906, AP, "pessimistic", "nine"),
    (200, 0.00913825889193, -3.28959, AP, "expected", "nine"),
    (200, 0.00930434851449, -3.12923, AP, "together", "nine"),
    (200, 0.0108407316247, -8.52919, AP, "optimistic", "nine"),
    (200, 0.00744243831618, -3.08165, AP, "pessimistic", "nine"),
    (200, 0.0209417067131, -14.78323, AP, "expected", "humps"),
    (300, 0.00604114520176, -32.15788, AP, "together", "neighbours"),
    (300, 0.00935394099916, -43.92660, AP, "expected", "neighbours"),
    (167, 0.998975794892, -153.95885, "bedroc", "together", "pairs"),
    (167, 0.999268338499, -177.86873, "bedroc", "together", "pairs"),
    (189, 1.91309115261e-16, -99.19256, STEEP, "together", "large tie on top"),
]
JUDGED = [
    *[
        ((m, n, AP, judges.knn_sizes(n) if table is TIED else None), *one)
        for table in (UNTIED, WORSE, TIED)
        for (n, m), row in table.items()
        for one in row
    ],
    *[
        ((m, None, metric, TIES[sizes], ties), s, log_p)
        for m, s, log_p, metric, ties, sizes in OTHERS
    ],
]


def make(m, n=None, metric="average_precision", sizes=None, ties="expected"):
    n = int(np.sum(sizes)) if n is None else n
    return RandomSelectionNull(n, m, metric, tie_sizes=sizes, ties=ties)


@pytest.mark.parametrize(
    ("shape", "s", "log_p"), judges.some_slow(JUDGED[::-1], 5, nightly)
)
def test_tails_against_other_programs(shape, s, log_p):
    null = make(*shape)
    side = "greater" if s > null.mean() else "less"
    found = null.tail(s, alternative=side)
    assert judges.off_by(found.log_pvalue, log_p) < PROMISED
    assert found.doubt < PROMISED


# Far below chance: p is 1


@pytest.mark.parametrize(
    ("n", "m", "s"),
    [
        (200, 10, 0.028),  # z = -1.3
        (450, 48, 0.0576),  # -3.2
        (5000, 200, 0.0208),  # -6.2
        (600, 30, "z-2.2"),
        (800, 400, "z-9"),
    ],
)
def test_rankings_far_worse_than_chance(n, m, s):
    null = RandomSelectionNull(n, m)
    s = judges.at_z(null, float(s[1:])) if isinstance(s, str) else s
    tail = null.tail(s)
    assert tail.pvalue == pytest.approx(1, abs=0.01)
    assert null.sf(s) == pytest.approx(tail.pvalue, abs=0.01)
    draws = judges.drawn_values(n, m, 2000, np.random.default_rng(0))
    judges.assert_share(draws, s, tail.pvalue, room=0.005)
    assert null.pvalue(s, alternative="less") < 1 / (1 + 1.2**2)


# Steep weights: values of a tail differ by powers of ten

STEEP_LAWS = [(15_000, 24, 160.9, 1e-28), (15_000, 24, 160.9, 1e-37)]
STEEP_LAWS += [(5000, 12, 40.0, 1e-11), (5000, 12, 40.0, 1e-7)]


@pytest.mark.parametrize(("n", "m", "alpha", "s"), STEEP_LAWS)
@nightly
def test_minute_values_against_draws_below_the_first_rank_that_counts(n, m, alpha, s):
    """A hit above that rank gives more than s by itself, so that.

    P(S <= s) = C(rest, m) / C(n, m) * P(S <= s | all hits in the rest).
    """
    gains = np.exp(-alpha * np.arange(1, n + 1) / n)
    gains /= m * gains.mean()  # Truchon and Bayly (2007), equation 18
    rest = gains[gains <= s]
    draws = np.random.default_rng(0).random((10_000, rest.size), dtype=np.float32)
    hits = np.argpartition(draws, m, axis=1)[:, :m]
    share = np.mean(rest[hits].sum(axis=1) <= s)
    apart = oracles.log_binomial(rest.size, m) - oracles.log_binomial(n, m)
    se = math.sqrt((1 - share) / share / 10_000)
    null = RandomSelectionNull(n, m, f"rie(alpha={alpha})")
    found = null.tail(s, alternative="less").log_pvalue
    assert judges.off_by(found, apart + math.log(share)) < PROMISED / 2 + 4 * se


@pytest.mark.parametrize(("n", "m", "tie"), [(188, 23, 56), (20_000, 1000, 8000)])
def test_hits_that_are_not_felt_may_be_anywhere(n, m, tie):
    # exp(-100 * rank / n) at the end of the tie, and below it, is lost in rounding
    sizes = [1, tie, *[1] * (n - tie - 1)]
    null = make(m, n, "rie(alpha=100.0)", sizes, "together")
    gains = np.exp(-100 * np.arange(1, n + 1) / n)
    for share in (1, 1 - 1e-12, 1 - 1e-10):
        s = share * float(gains[0] / gains.mean() / m)
        assert null.pvalue(s) == pytest.approx(m / n, rel=1e-9)


# Few targets in many ties: all ways to spread them


def exponential_ties(n, scale):
    """Ties of scores that are cut to whole numbers."""
    scores = np.floor(np.random.default_rng(0).exponential(scale, n))
    return np.unique(-scores, return_counts=True)[1]


# wrong by up to 9 % where a grid of values is laid
NEW = [
    (4, 14, "bedroc", 160.9, "expected"),
    (5, 6, "bedroc", 160.9, "expected"),
    (3, 14, "bedroc", 160.9, "expected"),
    (4, 14, "bedroc", 100.0, "together"),
    (3, 25, "bedroc", 60.0, "expected"),
    (4, 10, "rie", 160.9, "expected"),
    (6, 4, "bedroc", 160.9, "together"),
]


@pytest.mark.parametrize(
    ("m", "scale", "metric", "alpha", "ties"), judges.some_slow(NEW, 2, nightly)
)
def test_few_targets_in_many_ties(m, scale, metric, alpha, ties):
    """Values that occur, whose own chance belongs to the tail, on both sides."""
    n = 5000
    sizes = exponential_ties(n, scale)
    values, chances = judges.early_recognition(metric, n, m, alpha, sizes, ties)
    order = np.argsort(values)
    values, chances = values[order], chances[order]
    null = make(m, n, f"{metric}(alpha={alpha})", sizes, ties)
    mean = float(chances @ values)
    assert null.mean() == pytest.approx(mean, rel=1e-9)
    above = np.cumsum(chances[::-1])[::-1]
    asked = [values[np.searchsorted(-above, -p)] for p in (0.5, 0.2, 0.18, 0.1, 0.01)]
    asked += [values[values < mean][-1], values[values >= mean][0]]
    for s in [*asked, mean * (1 - 1e-3), mean * 0.9]:
        near = 1e-11 * abs(s)
        exact = chances[values >= s - near].sum()
        assert null.pvalue(float(s)) == pytest.approx(exact, rel=PROMISED)
        exact = chances[values <= s + near].sum()
        p = null.pvalue(float(s), alternative="less")
        assert p == pytest.approx(exact, rel=PROMISED)


# Average precision down to a cutoff


def test_a_cutoff_far_above_the_end():
    null = RandomSelectionNull(1615, 807, "average_precision@128")
    assert null.pvalue(0.236) == pytest.approx(0.680, rel=PROMISED)


@pytest.mark.parametrize("seed", judges.some_slow(range(60), 10, nightly))
def test_cutoffs_against_draws(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 3000))
    m = min(n - 1, max(1, round(n * 10 ** rng.uniform(-2.5, -0.2))))
    k = max(1, round(n * rng.uniform(0.01, 0.15)))
    null = RandomSelectionNull(n, m, f"average_precision@{k}")
    draws = null.rvs(2000, seed)
    s = float(np.quantile(draws, rng.uniform(0.05, 0.98), method="nearest"))
    p, share = null.pvalue(s), np.mean(draws >= s - 1e-11)
    assert p == pytest.approx(share, abs=4 * math.sqrt(p * (1 - p) / 2000) + 1e-3)
    assert null.sf(s) + null.cdf(s) == pytest.approx(1, abs=1e-6)


# Ties that make two humps, or very few values


@pytest.mark.parametrize("ties", ["expected", "together"])
def test_a_large_tie_on_top_with_some_of_the_targets(ties):
    """Six of 30 targets in a tie of 64 on top, the rest at the end of a long ranking.

    Every ranking with six targets in the tie is as good, and hardly any other.
    """
    n, m, top, hits = 95_156, 30, 64, 6
    null = make(m, n, sizes=[top, *[1] * (n - top)], ties=ties)
    first = judges.precision_gain(ties)(0, top, 0, hits)
    last = np.arange(hits + 1, m + 1) / np.arange(n - m + hits + 1, n + 1)
    value = float((first + last.sum()) / m)
    least = hypergeom.sf(hits - 1, n, m, top)
    assert least == pytest.approx(4.3e-14, rel=0.01)
    p = null.pvalue(value * (1 - 1e-9))
    assert least * (1 - 1e-6) <= p <= 1.05 * least


HUMPS = [
    (4441, 53, 2664, "average_precision", "optimistic", 38),
    (4441, 53, 2664, "average_precision", "optimistic", 35),
    (12_501, 60, 3750, "bedroc(alpha=100.0)", "expected", 22),
]


@nightly
@pytest.mark.parametrize(("n", "m", "top", "metric", "ties", "hits"), HUMPS)
def test_between_two_humps(n, m, top, metric, ties, hits):
    """As many hits in the tie or more, and hardly any other ranking."""
    null = make(m, n, metric, [top, *[1] * (n - top)], ties)
    draws = null.rvs(20_000, 0)
    value = float(np.quantile(draws, 1 - hypergeom.sf(hits - 1, n, m, top)))
    for s in (value * 0.995, value * 1.005):
        judges.assert_share(draws, s, null.pvalue(s), room=0.02)


DENSE = [
    (300, [4762] * 20 + [4760], "expected"),  # 21 scores cut at equal distances
    (300, [100, 500, 2000, 7400, 20_000, 70_000], "expected"),  # of 5 neighbours
    (2956, [189, 283, 5, 1, 153, 453, 187, 210, 784, 1687, 915, 5], "together"),
    (300, [300, 450, 750, 1500, 3000, 9000], "optimistic"),
    (1057, [189, 283, 5, 1, 153, 453, 187, 210, 784, 1687, 915, 391], "optimistic"),
    (700, judges.growing(12_000, 0.2), "pessimistic"),
]


@pytest.mark.parametrize(("m", "sizes", "ties"), judges.some_slow(DENSE, 1, nightly))
def test_many_targets_in_few_ties_against_draws(m, sizes, ties):
    n = int(np.sum(sizes))
    null = make(m, sizes=sizes, ties=ties)
    draws = judges.drawn_values(n, m, 4000, np.random.default_rng(1), sizes, ties)
    for q in (0.05, 0.5, 0.97):
        s = float(np.quantile(draws, q))
        p, less = null.pvalue(s), null.pvalue(s, alternative="less")
        judges.assert_share(draws, s, p, room=PROMISED)
        judges.assert_share(draws, s, less, "less", room=PROMISED)
        assert p + less >= 1 - 0.01


@nightly
def test_values_on_the_lattice_of_a_large_tie():
    """The hits above a tie of 3732, drawn with their places, and those that lead it."""
    n, m, top, tied, metric = 6221, 269, 44, 3732, "bedroc(alpha=100.0)"
    null = make(m, n, metric, [*[1] * top, tied, *[1] * (n - top - tied)], "optimistic")
    rng, size = np.random.default_rng(0), 300_000
    hits = rng.hypergeometric(top, n - top, m, size=size)
    held = rng.hypergeometric(tied, n - top - tied, m - hits)
    weights = np.exp(-100 * np.arange(1, n + 1) / n)
    is_hit = rng.random((size, top)).argsort(axis=1) < hits[:, None]
    leading = np.append(0, np.cumsum(weights[top : top + tied]))
    total = is_hit @ weights[:top] + leading[held]  # the weights below are nothing
    # the value is the share of the way from the least to the largest sum
    values = (total - weights[-m:].sum()) / (weights[:m].sum() - weights[-m:].sum())
    for q in (0.039, 0.5):
        s = float(np.quantile(values, q, method="nearest"))
        tail = null.tail(s, alternative="less", random_state=0)
        room = 3 * tail.error
        judges.assert_share(values, s, math.exp(tail.log_pvalue), "less", room)


# The distribution of p under the null

SIZES = [(1000, 100, True), (1000, 100, False), (1000, 20, False), (300, 60, False)]
SIZES += [(2000, 10, False), (3000, 30, True)]


@pytest.mark.parametrize(("n", "m", "tied"), judges.some_slow(SIZES, 2, nightly))
def test_p_of_random_rankings_is_no_smaller_than_it_should_be(n, m, tied):
    """It falls as the value rises, so the rankings with p <= alpha are the best."""
    rng = np.random.default_rng(n + m)
    sizes = judges.knn_sizes(n) if tied else None
    values = np.sort(judges.drawn_values(n, m, 10_000, rng, sizes))[::-1]
    null = make(m, n, sizes=sizes)
    for alpha in (0.001, 0.01, 0.05):
        most = alpha + 3.5 * math.sqrt(alpha * (1 - alpha) / values.size)
        assert null.pvalue(values[int(most * values.size)]) > alpha
        if not tied and alpha > 0.001:  # where values are many, not much larger
            assert null.pvalue(values[int(0.6 * alpha * values.size) - 1]) <= alpha


# Very long rankings

CANTELLI = [
    (10**6, 10**4, None, "expected"),
    (88_000, 30, "narrow", "together"),
    (100_000, 2000, "even", "together"),
]


@nightly
@pytest.mark.filterwarnings("ignore:the p-value is known:RuntimeWarning")
@pytest.mark.parametrize(("n", "m", "kind", "ties"), CANTELLI)
def test_long_rankings_are_answered_within_proven_limits(n, m, kind, ties):
    sizes = {
        None: None,
        "narrow": judges.narrow(n, 0.9, np.random.default_rng(0)),
        "even": np.full(n // 100, 100),
    }[kind]
    null = make(m, n, sizes=sizes, ties=ties)
    least, most = null.support()
    last = 0.0
    for z in (2, 12):
        s = judges.at_z(null, z)
        p = null.pvalue(s)
        assert 0 < p <= 1 / (1 + z * z) < 1
        assert p < math.exp(last)
        last = math.log(p)
    assert null.pvalue(max(least, judges.at_z(null, -6))) >= 1 - 1 / 37
    assert null.pvalue(most + 1e-6) == 0


@pytest.mark.parametrize(("n", "m"), [(10**5, 2000), (10**8, 200_000)])
@nightly
def test_the_centre_is_normal_for_many_targets(n, m):
    null = RandomSelectionNull(n, m, "rie(alpha=2.0)")
    for z in (0, -1, 2):
        assert null.pvalue(judges.at_z(null, z)) == pytest.approx(norm.sf(z), rel=0.03)


@nightly
@pytest.mark.filterwarnings("ignore:the p-value is known:RuntimeWarning")
def test_a_long_ranking_that_is_all_but_perfect():
    found = RandomSelectionNull(10**6, 10_000).tail(0.9999)
    assert -oracles.log_binomial(10**6, 10_000) < found.log_pvalue < math.log(1e-7)


# A metric of one's own


@dataclass(frozen=True, slots=True)
class DiscountedGain(Metric):
    """Normalized discounted cumulative gain; a tie has the mean over its ranks."""

    template: ClassVar[str] = "ndcg"

    def gain(self, above, size, hits_above, hits, frame):
        total = np.append(0, np.cumsum(discounts(int(frame.n_samples))))
        start, stop = np.asarray(above, dtype=int), np.asarray(above + size, dtype=int)
        return hits / size * (total[stop] - total[start])

    def divisor(self, frame):
        return float(discounts(int(frame.n_targets)).sum())


def discounts(n):
    return 1 / np.log2(np.arange(1, n + 1) + 1)


@pytest.mark.parametrize("sizes", [[1] * 9, [2, 4, 3], [5, 1, 2, 20, 12]])
def test_a_metric_of_ones_own_against_all_placements(sizes):
    n, m = sum(sizes), 4
    sums, chances = judges.spreads(sizes, m, judges.weight_gain(discounts(n)))
    values = sums / discounts(m).sum()
    null = RandomSelectionNull(n, m, DiscountedGain(), tie_sizes=sizes)
    assert null.metric == "ndcg"
    assert null.mean() == pytest.approx(chances @ values, rel=1e-10)
    assert null.support() == pytest.approx((values.min(), values.max()))
    for s in np.random.default_rng(0).choice(values, 10):
        exact = chances[values >= s - 1e-10].sum()
        assert null.pvalue(float(s)) == pytest.approx(exact, rel=0.01)
        p = null.pvalue(float(s), alternative="less")
        assert p == pytest.approx(chances[values <= s + 1e-10].sum(), rel=0.01)


@dataclass(frozen=True, slots=True)
class FirstTargets(Metric):
    """Sum of 1 / rank over the first targets, or over one of them."""

    first: int = 0
    stop: int = 1
    template: ClassVar[str] = "first_targets"

    def gain(self, above, size, hits_above, hits, frame):
        counts = (self.first <= hits_above) & (hits_above < self.stop) & (hits > 0)
        total = digamma(above + size + 1.0) - digamma(above + 1.0)
        return np.where(counts, total / size, 0.0)

    def divisor(self, frame):
        return sum(1 / (1 + i) for i in range(self.first, self.stop))


def test_gains_of_the_first_three_targets_against_all_triples():
    """Of 6 targets among 300 items; groups of items must not be merged."""
    n, m = 300, 6
    first, second, third = np.ogrid[1 : n + 1, 1 : n + 1, 1 : n + 1]
    value = (1 / first + 1 / second + 1 / third) / (1 + 1 / 2 + 1 / 3)
    ways = np.array([math.comb(n - r, m - 3) for r in range(1, n + 1)], dtype=float)
    chance = (first < second) * (second < third) * ways / math.comb(n, m)
    null = RandomSelectionNull(n, m, FirstTargets(first=0, stop=3))
    assert null.mean() == pytest.approx((chance * value).sum(), rel=1e-9)
    for s in (0.02, 0.05, 0.1, 0.3, 0.6):
        exact = chance[value >= s - 1e-12].sum()  # rounding
        judges.assert_p(null.tail(s), exact, PROMISED)


@pytest.mark.nightly
def test_gain_of_the_second_target_of_a_long_ranking():
    """The rank of the second target has a negative hypergeometric distribution."""
    n, m = 5000, 60
    null = RandomSelectionNull(n, m, FirstTargets(first=1, stop=2))
    for rank in (20, 100, 140, 300):
        exact = hypergeom(n, m, rank).sf(1)
        judges.assert_p(null.tail(2 / rank), exact, PROMISED)


@pytest.mark.parametrize(
    "number",
    [2, 4, *(pytest.param(one, marks=pytest.mark.nightly) for one in (5, 6, 10, 20))],
)
def test_gain_of_a_later_target(number):
    n, m = 300, 20
    null = RandomSelectionNull(n, m, FirstTargets(first=number - 1, stop=number))
    rank = np.arange(number, n - m + number + 1)
    chance = -np.diff([hypergeom(n, m, r).sf(number - 1) for r in rank], prepend=0)
    assert null.mean() == pytest.approx(-chance @ (number / rank), rel=1e-9)
    for r in rank[len(rank) // 4 :: len(rank) // 4].tolist():
        exact = hypergeom(n, m, r).sf(number - 1)
        judges.assert_p(null.tail(number / r), exact, PROMISED)


@pytest.mark.parametrize("sizes", [None, [100, 300, 600]])
def test_a_metric_of_ones_own_against_draws(sizes):
    null = RandomSelectionNull(1000, 20, DiscountedGain(), tie_sizes=sizes)
    weights = discounts(1000)
    if sizes is not None:
        weights = np.concatenate(
            [
                np.full(b, part.mean())
                for b, part in zip(
                    sizes, np.split(weights, np.cumsum(sizes)[:-1]), strict=True
                )
            ]
        )
    rng = np.random.default_rng(0)
    hits = np.argpartition(rng.random((10_000, 1000), dtype=np.float32), 20, axis=1)
    draws = weights[hits[:, :20]].sum(axis=1) / discounts(20).sum()
    assert null.mean() == pytest.approx(draws.mean(), abs=5 * null.std() / 100)
    assert null.std() == pytest.approx(draws.std(), rel=0.05)
    for q in (0.1, 0.5, 0.9, 0.99):
        s = float(np.quantile(draws, q))
        judges.assert_share(draws, s, null.pvalue(s), room=PROMISED)
    critical = null.isf(0.05)
    judges.assert_share(draws, critical + 1e-9, null.sf(critical), room=PROMISED)
    assert null.sf(critical) <= 0.05 * (1 + PROMISED)


@nightly
def test_a_fold_near_its_best_does_not_break_the_mean():
    null = MeanNull([RandomSelectionNull(200, 4)] * 5)
    found = [null.tail(s) for s in np.linspace(null.mean(), 1.0, 5)]
    assert all(one.doubt < PROMISED for one in found)
    assert np.all(np.diff([one.log_pvalue for one in found]) < 0)
    # 1000 items with 20 targets in five folds, all of them on top
    best = -5 * math.log(math.comb(200, 4))
    assert found[-1].log_pvalue == pytest.approx(best, rel=1e-9)
