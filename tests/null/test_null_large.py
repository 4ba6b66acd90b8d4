"""Long rankings with many targets, whose hits are followed in strides."""

import functools
import math
from collections import Counter
from copy import copy
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import hypergeom

import oracles
from cases import named
from skrank import RandomSelectionNull
from skrank.metrics._definitions import AveragePrecision
from skrank.null import (
    MeanNull,
    _facts,
    _inversion,
    _levels,
    _moments,
    _sampling,
    _tilting,
)
from skrank.null._centred import IMPOSSIBLE, OutOfReachError, Tail, halve, tail_event
from skrank.null._centred import _extrapolated as extrapolated
from skrank.null._chain import Chain
from skrank.null._ends import end, extreme, least_of_ties
from skrank.null._moments import chain_moments, moments, pairwise_moments
from skrank.null._steps import Orders, Step
from skrank.ranking import _ties
from skrank.ranking._ties import DETAILED, TieGroups, untied

pytestmark = pytest.mark.slow

LN10 = math.log(10)
FEW_DETAILED = 2**14


def at_z(null, z):
    return null.mean() + z * null.std()


@functools.cache
def log_p(n, m, s):
    """Log p of a ranking without ties, as the package finds it, for many judges."""
    return RandomSelectionNull(n, m).tail(s).log_pvalue


@pytest.fixture
def few_detailed(monkeypatch):
    """Stretches from a depth that leaves them small; the rule is the same there."""
    for module in (_ties, _facts):
        monkeypatch.setattr(module, "DETAILED", FEW_DETAILED)


@pytest.mark.filterwarnings("ignore:the p-value is known with:RuntimeWarning")
@pytest.mark.parametrize(("n", "m", "z"), [(100_000, 1000, 3), (20_000, 2000, 10)])
def test_strides_against_tilted_draws(n, m, z):
    # unbiased draws, of every number of hits for itself
    null = RandomSelectionNull(n, m)
    s = at_z(null, z)
    truth = null.tail(s, method="importance_sampling", n_resamples=6000, random_state=0)
    found = null.tail(s)
    assert found.method == "inversion"
    assert truth.error < 0.06
    assert abs(math.expm1(found.log_pvalue - truth.log_pvalue)) < 3 * truth.error


@pytest.mark.parametrize(("n", "m", "s"), [(10_000, 400, 0.1), (100_000, 300, 0.01)])
@pytest.mark.parametrize("sign", ["greater", "less"])
def test_strides_against_every_number_of_hits(monkeypatch, n, m, s, sign):
    # the chain with all that is possible, in narrow blocks that count as ties
    s = s if sign == "greater" else 0.9 * RandomSelectionNull(n, m).mean()
    every = RandomSelectionNull(n, m).tail(s, alternative=sign)
    monkeypatch.setattr(_levels, "MANY", 10)
    strides = RandomSelectionNull(n, m).tail(s, alternative=sign)
    assert strides.log_pvalue == pytest.approx(every.log_pvalue, abs=0.015)


def drawn_cumulant(solution, sign, s, size):
    """K from draws of true lists, on a chain of every number of hits, and its error."""
    (part,) = solution.drawn(solution.tilt)
    chain, rng = part.centred.chain, np.random.default_rng(0)
    hits, merged = _sampling._descend(part, size, rng)
    values = _sampling.measure_lists(chain, _sampling._spread(chain, hits, rng))
    weight = np.exp(solution.tilt * (sign * (values - s) / chain.slope - merged))
    error = weight.std() / weight.mean() / math.sqrt(size)
    return part.log_mgf + math.log(weight.mean()), error


@pytest.mark.parametrize(
    ("n", "m", "s", "sign"),
    [
        (10**6, 1000, 0.1, 1),
        (10**6, 1000, 0.9, 1),
        (10**8, 3000, 0.001, 1),
        (10**8, 3000, 0.00002, -1),
        (60_000, 3000, 0.5, 1),
        (30_000, 3000, 0.08, -1),
    ],
)
def test_cumulants_against_tilted_draws(n, m, s, sign):
    # what p hangs on, and a judge of it that does not know of blocks or strides
    terms = RandomSelectionNull(n, m)._terms
    solution = _levels.solve(tail_event(terms, s, sign))
    truth, error = drawn_cumulant(solution, sign, s, 1000)
    parts, stated = solution.tilted(solution.tilt)
    assert error < 0.02
    assert abs(parts[0].log_mgf - truth) < 3 * error + stated


@pytest.mark.parametrize(("n", "m", "s"), [(10**5, 2000, 0.05), (10**6, 1000, 0.5)])
@pytest.mark.parametrize("growth", [0.03, 0.06, 0.12])
def test_error_of_blocks_that_are_too_wide_is_seen(monkeypatch, n, m, s, growth):
    null, truth = RandomSelectionNull(n, m), log_p(n, m, s)
    monkeypatch.setattr(_levels, "_GROWTH", (growth, growth))
    monkeypatch.setattr(_levels, "_MAX_FINER", 1)
    found = null.tail(s, method="inversion")
    assert abs(math.expm1(found.log_pvalue - truth)) < found.error


def test_windows_that_are_too_narrow_are_seen(monkeypatch):
    null, truth = RandomSelectionNull(10**5, 1000), log_p(10**5, 1000, 0.1)
    monkeypatch.setattr(_levels, "_LEFT_OUT", 1e-2)
    found = null.tail(0.1, method="inversion")
    assert abs(math.expm1(found.log_pvalue - truth)) < found.error


def test_orders_of_one_hit_in_a_block_are_uniform():
    orders = Orders(np.ones(1), np.full(1, 1 / 12))  # between -1/2 and 1/2
    for u in (0.01, 1.0, 4.0):
        value, slope, curvature = (float(x[0]) for x in orders.cumulants(u))
        assert value == pytest.approx(math.log(math.sinh(u / 2) / (u / 2)), rel=0.02)
        assert slope == pytest.approx(0.5 / math.tanh(u / 2) - 1 / u, rel=0.04)
        exact = 1 / u**2 - 0.25 / math.sinh(u / 2) ** 2
        assert curvature == pytest.approx(exact, rel=0.08)
    # a strong tilt takes a hit to one end of its block, and not beyond
    assert float(orders.cumulants(1e6)[1][0]) < 0.5


@pytest.mark.parametrize(("n", "m"), [(10**5, 2000), (10**8, 200_000)])
def test_the_centre_is_normal_for_many_targets(n, m):
    # of a symmetric distribution half is above the mean; what is left is its skewness
    null = RandomSelectionNull(n, m, "rie(alpha=2.0)")
    for z, expected in ((0, 0.5), (-1, 0.8413447), (2, 0.0227501)):
        assert null.pvalue(at_z(null, z)) == pytest.approx(expected, rel=0.03)


def test_far_tails_scale_with_the_list():
    # of a ranking ten times as long the logarithm is ten times as large, but for the
    # factor in front of the exponential
    for s in (0.1, 0.5, 0.9):
        one, ten = log_p(10**5, 1000, s), log_p(10**6, 10**4, s)
        assert ten == pytest.approx(10 * one, rel=0.01)


def test_a_far_tail_is_above_that_of_a_perfect_list_and_falls():
    n, m = 10**8, 10**4
    null = RandomSelectionNull(n, m)
    perfect = -oracles.log_binomial(n, m)
    found = [null.tail(s).log_pvalue for s in (0.03, 0.9)] + [perfect]
    assert found == sorted(found, reverse=True)
    assert null.tail(1.0).log_pvalue == pytest.approx(perfect, rel=1e-9)
    assert found[-2] < -1e4 * LN10


def test_what_is_too_small_for_a_float_is_zero():
    assert log_p(10**5, 1000, 0.9) < -1000 * LN10
    assert RandomSelectionNull(10**5, 1000).pvalue(0.9) == 0.0


@pytest.mark.parametrize(
    "metric", ["precision_at_t", "recall_at_t", "enrichment_factor"]
)
def test_hits_at_a_cut_are_hypergeometric(metric):
    # a cutoff inside a stretch, too
    n, m = 10**8, 10**4
    for t in (10_000, 5_000_001):
        null = RandomSelectionNull(n, m, **named(metric, t=t))
        hits = int(hypergeom.isf(1e-6, n, m, t))
        value = {"precision_at_t": hits / t, "recall_at_t": hits / m}.get(
            metric, hits / t * n / m
        )
        exact = hypergeom.sf(hits - 1, n, m, t)
        assert null.pvalue(value) == pytest.approx(exact, rel=1e-6)


def test_stretches_against_single_items():
    # the same ranking below and above where all items are known
    n, m = DETAILED + 50_000, 2000
    short = untied(n)
    whole = TieGroups(np.arange(1, n + 1), np.zeros(n, dtype=bool))
    null = RandomSelectionNull.of_ties(short, m, AveragePrecision())
    full = RandomSelectionNull.of_ties(whole, m, AveragePrecision())
    assert null.mean() == full.mean()
    assert null.std() == full.std()
    for s in (at_z(null, 4), 0.3):
        one_by_one = full.tail(s).log_pvalue
        assert null.tail(s).log_pvalue == pytest.approx(one_by_one, abs=0.01)
    assert null.rvs(20, 3) == pytest.approx(full.rvs(20, 3), rel=1e-12)


@pytest.mark.parametrize("metric", ["average_precision", "bedroc"])
def test_moments_over_stretches(metric):
    # the closed form of average precision; of the sum over pairs for all single items
    n, m = DETAILED + 10**6, 500
    null = RandomSelectionNull(n, m, metric)
    chain = null._terms[0].chain
    whole = TieGroups(np.arange(1, n + 1), np.zeros(n, dtype=bool))
    mean, variance = moments(Chain(chain.measure, whole, m))
    assert pairwise_moments(chain) == pytest.approx((mean, variance), rel=1e-6)


def test_first_hit_of_a_long_list():
    # the first of m hits is at rank r or above with 1 - C(n - r, m) / C(n, m)
    n, m = 10**8, 100
    null = RandomSelectionNull(n, m, "reciprocal_rank")
    for rank in (1, 1000, DETAILED):
        exact = -math.expm1(m * math.log1p(-rank / n))
        assert null.pvalue(1 / rank) == pytest.approx(exact, rel=1e-4)
    ranks = 1 / null.rvs(20_000, 0)
    assert ranks.mean() == pytest.approx((n + 1) / (m + 1), rel=0.05)
    many = RandomSelectionNull(10**6, 10**4, "reciprocal_rank")
    assert many.mean() == pytest.approx(many.rvs(5000, 0).mean(), rel=0.1)


def test_support_of_many_targets():
    null = RandomSelectionNull(10**6, 10**4)
    least, most = null.support()
    ranks = np.arange(10**6 - 10**4 + 1, 10**6 + 1)
    assert most == 1.0
    assert least == pytest.approx(np.mean(np.arange(1, 10**4 + 1) / ranks), rel=1e-12)
    at_k = RandomSelectionNull(10**6, 10**4, "average_precision@5000")
    assert at_k.support() == pytest.approx((0.0, 1.0))


def test_ties_of_many_targets():
    # 21 groups: multinomial draws of numpy are the judge
    sizes = np.diff(np.rint(2 * 1.9 ** np.arange(20)), prepend=0).astype(int)
    n, m = int(sizes.sum()), 1000
    null = RandomSelectionNull(n, m, tie_sizes=sizes)
    draws = np.sort(null.rvs(20_000, 1))
    for q in (0.5, 0.9, 0.99):
        share = null.pvalue(float(np.quantile(draws, q)))
        assert share == pytest.approx(1 - q, abs=4 * math.sqrt(q * (1 - q) / 20_000))


def test_interpolation_of_a_polynomial_is_exact():
    x = np.arange(12.0)
    found = halve(x**3 - 2 * x)
    assert found == pytest.approx((np.arange(23) / 2) ** 3 - np.arange(23))
    assert halve(np.array([1.0, 2.0])).tolist() == [1.0, 1.5, 2.0]


def test_nothing_leads_on_between_two_that_lead_nowhere():
    weights = -((np.arange(12.0) - 3) ** 2)
    weights[9:] = IMPOSSIBLE
    twice = halve(halve(weights))
    assert np.all(twice <= 0)
    assert np.all(twice[:35] > -300)
    assert np.all(twice[36:] == IMPOSSIBLE)


@pytest.mark.parametrize("rule", ["optimistic", "pessimistic"])
def test_strides_of_wide_ties_against_all_hits_near_their_mean(rule):
    cuts = np.sort(np.random.default_rng(1).choice(np.arange(1, 10**5), 59, False))
    sizes = np.diff(cuts, prepend=0, append=10**5)
    null = RandomSelectionNull(10**5, 5 * 10**4, tie_sizes=sizes, ties=rule)
    mean, variance = _levels.moments(null._terms[0].chain)
    assert mean == pytest.approx(null.mean(), rel=1e-6)
    assert variance == pytest.approx(null.std() ** 2, rel=1e-3)


@pytest.mark.parametrize("metric", ["average_precision", "rie"])
@pytest.mark.parametrize("rule", ["optimistic", "pessimistic"])
@pytest.mark.parametrize(
    ("sizes", "m"),
    [
        (np.full(20, 1000), 800),
        (np.r_[6000, np.ones(9000, dtype=int)], 700),
        (np.full(20, 250), 4500),
    ],
)
def test_moments_in_strides_against_every_number_of_hits(metric, rule, sizes, m):
    n = int(sizes.sum())
    chain = (
        RandomSelectionNull(n, m, metric, tie_sizes=sizes, ties=rule)._terms[0].chain
    )
    mean, variance = _levels.moments(chain)
    exact = chain_moments(chain)
    assert mean == pytest.approx(exact[0], rel=1e-8)
    assert variance == pytest.approx(exact[1], rel=2e-4)


@pytest.mark.parametrize("rule", ["optimistic", "pessimistic"])
def test_moments_of_a_million_items_with_a_wide_tie(rule):
    sizes = np.r_[333_333, np.ones(666_667, dtype=int)]
    null = RandomSelectionNull(10**6, 10**4, tie_sizes=sizes, ties=rule)
    rng, wide = np.random.default_rng(0), 333_333
    draws = []
    for _ in range(400):  # what numpy draws, by the definition
        places = np.sort(rng.choice(10**6, 10**4, replace=False))
        hits = int(np.searchsorted(places, wide))
        first = 0 if rule == "optimistic" else wide - hits
        places[:hits] = first + np.arange(hits)
        draws.append(np.mean(np.arange(1, 10**4 + 1) / (places + 1)))
    assert abs(np.mean(draws) - null.mean()) < 4 * null.std() / 20
    assert np.std(draws) == pytest.approx(null.std(), rel=0.15)


def small_ties(n, share, seed=0):
    """Sizes of ties, most of them of one item, two or three."""
    sizes = np.random.default_rng(seed).geometric(share, n)
    sizes = sizes[: 1 + int(np.searchsorted(np.cumsum(sizes), n))]
    sizes[-1] -= sizes.sum() - n
    return sizes[sizes > 0]


@pytest.mark.parametrize("metric", ["average_precision", "rie", "bedroc"])
@pytest.mark.parametrize("above", [0, 3])
def test_gains_of_joined_ties_are_means_over_placements(metric, above):
    # every placement of the hits on the items of four ties, one by one
    start, sizes, m, n = 10, np.array([2, 1, 3, 2]), 8, 30
    ends = np.r_[start, sizes, np.ones(n - start - sizes.sum(), dtype=int)]
    null = RandomSelectionNull(n, m, metric, tie_sizes=ends, ties="threshold")
    chain = null._terms[0].chain
    block = copy(chain)
    block.ends = np.delete(chain.ends, [1, 2, 3])
    block._mark_merged(chain)
    for hits in range(1, 6):
        found = block.weights.gain(1, above, hits)
        means = []
        for places in combinations(range(sizes.sum()), hits):
            inside = np.bincount(np.repeat(range(4), sizes)[list(places)], minlength=4)
            before = np.cumsum(inside) - inside + above
            depth = start + np.cumsum(sizes) - sizes
            gain = chain.measure.gain(depth, sizes, before, inside, chain.frame)
            means.append(gain.sum())
        assert found == pytest.approx(np.mean(means), rel=1e-12)


@pytest.mark.parametrize(("n", "m", "share"), [(2000, 25, 0.4), (3000, 650, 0.2)])
@pytest.mark.parametrize("rule", ["threshold", "optimistic", "pessimistic"])
@pytest.mark.parametrize("z", [-2, 4])
def test_joined_ties_against_single_ones(monkeypatch, n, m, share, rule, z):
    sizes = small_ties(n, share)
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties=rule)
    value, side = at_z(null, z), "greater" if z > 0 else "less"
    joined = null.tail(value, alternative=side)
    monkeypatch.setattr(Chain, "_mixed", 0.0)
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties=rule)
    single = null.tail(value, alternative=side)
    assert joined.log_pvalue == pytest.approx(single.log_pvalue, abs=0.015)


@pytest.mark.parametrize("rule", ["threshold", "optimistic", "pessimistic"])
@pytest.mark.parametrize("seed", range(4))
def test_ends_in_runs_against_every_group(rule, seed):
    rng = np.random.default_rng(seed)
    n, m = (int(size) for size in rng.integers(5, 400, 2))
    n, m = max(n, m + 1), min(n, m)
    sizes = rng.permutation(small_ties(n, rng.choice([0.3, 0.9, 0.98]), seed))
    k = int(rng.integers(1, n + 1))
    for metric, settings in [
        ("average_precision", {}),
        ("average_precision_at_k", {"k": k}),
        ("average_precision_at_k", {"k": k, "normalize": "hits"}),
        ("rie", {}),
    ]:
        null = RandomSelectionNull(
            n, m, tie_sizes=sizes, ties=rule, **named(metric, **settings)
        )
        chain = null._terms[0].chain
        for sign in (-1, 1):
            value, log_chance = extreme(chain, sign)
            found = extreme(chain.runs, sign)
            assert found == pytest.approx((value, log_chance), rel=1e-9, abs=1e-9)


def values_of_ties(sizes, m):
    """Every average precision of ties that are retrieved whole, and its placements."""
    found = Counter()
    for hits in product(*(range(size + 1) for size in sizes)):
        if sum(hits) == m:
            depths, above = np.cumsum(sizes).tolist(), np.cumsum(hits).tolist()
            parts = zip(hits, above, depths, strict=True)
            value = sum(Fraction(d * h, depth) for d, h, depth in parts) / m
            found[value] += math.prod(map(math.comb, sizes, hits))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_ends_of_ties_that_are_retrieved_whole_against_rationals(seed):
    # the judge is every way to spread the targets over the ties, in rationals
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, rng.integers(2, 7)).tolist()
    n = sum(sizes)
    m = int(rng.integers(1, n))
    judge = values_of_ties(sizes, m)
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties="threshold")
    chain = null._terms[0].chain
    for found, value in [
        (least_of_ties(chain), min(judge)),
        (end(chain, 1, large=True, askable=True), max(judge)),
    ]:
        chance = math.log(Fraction(judge[value], math.comb(n, m)))
        assert found == pytest.approx((float(value), chance), rel=1e-10, abs=1e-10)


def test_least_value_of_many_targets_in_ties_that_are_retrieved_whole():
    # the judge is a pass over every number of hits
    sizes = np.repeat([500, 300, 700], 7)
    null = RandomSelectionNull(10_500, 2500, tie_sizes=sizes, ties="threshold")
    chain = null._terms[0].chain
    value, log_chance = extreme(chain, -1)
    assert null.support()[0] == pytest.approx(value, rel=1e-10)
    least = null.tail(value, alternative="less")
    assert least.log_pvalue == pytest.approx(log_chance, rel=1e-9)
    lower = 1 - 1e-6
    assert null.tail(value * lower, alternative="less").log_pvalue == -math.inf


@pytest.mark.parametrize("first", [100, 70])
def test_ends_where_the_cut_divides_a_tie(first):
    # the judge is the chance of hits above the tie, of scipy: those in it may be many
    n, m, k = 30_000, 700, 400
    sizes = np.ones(n - 4999, dtype=int)
    sizes[first] = 5000
    settings = {"k": k, "tie_sizes": sizes}
    null = RandomSelectionNull(
        n, m, ties="pessimistic", **named("average_precision_at_k", **settings)
    )
    chance = hypergeom.logpmf(0, n, m, first)
    assert null._facts.end(-1) == pytest.approx((0.0, chance))
    assert null.tail(0.0, alternative="less").log_pvalue == pytest.approx(chance)
    null = RandomSelectionNull(
        n, m, ties="optimistic", **named("average_precision_at_k", **settings)
    )
    chance = hypergeom.logpmf(first, n, m, first)
    chance += hypergeom.logsf(k - first - 1, n - first, m - first, 5000)
    assert null._facts.end(1) == pytest.approx((1.0, chance))
    assert null.tail(1.0).log_pvalue == pytest.approx(chance)


def test_ends_of_the_first_hit_alone():
    # many rankings have it first
    null = RandomSelectionNull(3000, 600, "reciprocal_rank")
    assert null._facts.end(1) == pytest.approx((1.0, math.log(600 / 3000)))


def test_a_long_list_of_narrow_ties_against_draws():
    sizes = small_ties(20_000, 0.5)
    null = RandomSelectionNull(20_000, 600, tie_sizes=sizes, ties="threshold")
    draws = null.rvs(4000, 0)
    for q in (0.03, 0.8):
        value = float(np.quantile(draws, q))
        (above, error), (below, other) = both_tails(null, value)
        assert above * (1 + error) + below * (1 + other) >= 1
        assert above == pytest.approx(np.mean(draws >= value), abs=0.03)


@pytest.mark.parametrize(
    ("n", "m", "k", "size"),
    [(10**6, 10**4, 500_000, 2), (10**6, 10**5, 10**5, 10), (10**5, 10**4, 9999, 5000)],
)
def test_precision_over_hits_of_long_lists_against_draws(n, m, k, size):
    settings = {"k": k, "normalize": "hits", "tie_sizes": np.full(n // size, size)}
    null = RandomSelectionNull(n, m, **named("average_precision_at_k", **settings))
    draws = null.rvs(300, 0)
    assert abs(draws.mean() - null.mean()) < 4 * null.std() / math.sqrt(300)
    assert draws.std() == pytest.approx(null.std(), rel=0.2)
    value = null.mean() + null.std()
    assert null.tail(value).pvalue == pytest.approx(np.mean(draws >= value), abs=0.1)


@pytest.mark.parametrize("rule", ["optimistic", "pessimistic"])
def test_two_huge_ties_against_the_hits_in_the_first(rule):
    n, m, first = 10**5, 5 * 10**4, 47_319
    hits = np.arange(max(0, m - (n - first)), first + 1)
    one = 1 / np.arange(1, n + 1)
    harmonic = np.append(0.0, np.cumsum(one))
    if rule == "optimistic":
        start, stop = hits, first + m - hits
        values = hits + (m - hits) + (hits - first) * (harmonic[stop] - harmonic[first])
    else:
        start, below = first - hits, n - (m - hits)
        values = hits - start * (harmonic[first] - harmonic[start])
        values += m - hits + (hits - below) * (harmonic[n] - harmonic[below])
    chance = np.exp(hypergeom.logpmf(hits, n, m, first))
    chance /= chance.sum()
    null = RandomSelectionNull(n, m, tie_sizes=[first, n - first], ties=rule)
    mean = chance @ values / m
    assert null.mean() == pytest.approx(mean, rel=1e-9)
    assert null.std() == pytest.approx(
        math.sqrt(chance @ (values / m - mean) ** 2), rel=1e-4
    )
    beyond = values / m >= null.mean() + 3 * null.std()
    tail = null.tail(null.mean() + 3 * null.std())
    assert tail.pvalue == pytest.approx(chance[beyond].sum(), rel=1e-6)


def test_dense_lists_of_wide_ties_have_moments(monkeypatch):
    # in strides, and by the hits that are near their mean
    cuts = np.sort(np.random.default_rng(1).choice(np.arange(1, 10**5), 299, False))
    sizes = np.diff(cuts, prepend=0, append=10**5)
    null = RandomSelectionNull(10**5, 5 * 10**4, tie_sizes=sizes, ties="pessimistic")
    expected = null.mean(), null.std()
    monkeypatch.setattr(_moments, "_MANY_GROUPS", 0)
    mean, variance = moments(null._terms[0].chain)
    assert mean == pytest.approx(expected[0], rel=1e-6)
    assert variance == pytest.approx(expected[1] ** 2, rel=1e-3)
    draws = law_of_draws(null, 10**5, 5 * 10**4, sizes, "pessimistic", 200)
    assert abs(draws.mean() - expected[0]) < 4 * expected[1] / math.sqrt(200)
    assert draws.std() == pytest.approx(expected[1], rel=0.2)


def law_of_draws(null, n, m, sizes, rule, size):
    """Average precision of hypergeometric draws of numpy, by its definition."""
    hits = np.random.default_rng(0).multivariate_hypergeometric(
        sizes, m, size=size, method="marginals"
    )
    found, ends = np.cumsum(hits, axis=1), np.cumsum(sizes)
    above, depth = found - hits, ends - sizes
    if rule == "threshold":
        return (hits * found / ends).sum(axis=1) / m
    total = np.zeros(size)
    for j in range(int(hits.max())):  # the j-th target of each group
        first = depth if rule == "optimistic" else depth + sizes[None] - hits
        total += ((j < hits) * (above + j + 1) / (first + j + 1)).sum(axis=1)
    return total / m


def growing(n, part, least=1):
    ends = [0]
    while ends[-1] < n:
        ends.append(min(n, ends[-1] + max(least, round(part * ends[-1]))))
    return np.diff(ends)


def both_tails(null, value):
    """Log and error of P(>= value) and of P(<= value)."""
    found = (null.tail(value, alternative=side) for side in ("greater", "less"))
    return [(math.exp(tail.log_pvalue), tail.error) for tail in found]


@pytest.mark.parametrize("rule", ["threshold", "optimistic", "pessimistic"])
@pytest.mark.parametrize(
    ("m", "sizes"),
    [
        (600, growing(12_000, 0.05)),
        (510, growing(1700, 0.02, 3)),
        (700, np.append(np.ones(74, dtype=int), 661)),
    ],
)
def test_ties_under_every_rule_against_draws(m, sizes, rule):
    n = int(sizes.sum())
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties=rule)
    draws = law_of_draws(null, n, m, sizes, rule, 4000)
    for q in (0.1, 0.8):
        value = float(np.quantile(draws, q))
        (above, error), (below, _) = both_tails(null, value)
        assert above == pytest.approx(np.mean(draws >= value), abs=0.025)
        assert below == pytest.approx(np.mean(draws <= value), abs=0.025)
        assert (error or 0.0) < 0.015  # none where all placements are counted


@pytest.mark.parametrize(("rule", "z"), [("optimistic", 5), ("threshold", -10)])
def test_narrow_ties_above_a_wide_one_against_every_number_of_hits(
    monkeypatch, rule, z
):
    sizes = np.append(np.ones(1530, dtype=int), 170)
    null = RandomSelectionNull(1700, 600, tie_sizes=sizes, ties=rule)
    side = "greater" if z > 0 else "less"
    strides = null.tail(at_z(null, z), alternative=side)
    monkeypatch.setattr(_levels, "MANY", 10_000)
    null = RandomSelectionNull(1700, 600, tie_sizes=sizes, ties=rule)
    every = null.tail(at_z(null, z), alternative=side)
    assert strides.log_pvalue == pytest.approx(every.log_pvalue, abs=0.025)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_lost_on_random_lists(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(501, 1500))
    n = int(m * math.exp(rng.uniform(0.05, 3)))
    first = int(rng.integers(1, n // 2))
    groups = int(rng.integers(64, 300))
    cuts = np.sort(rng.choice(np.arange(1, n), groups, replace=False))
    sizes = [
        np.append(np.ones(first, dtype=int), n - first),
        np.append(first, np.ones(n - first, dtype=int)),
        np.diff(cuts, prepend=0, append=n),
        growing(n, rng.uniform(0.01, 0.04)),
    ][seed % 4]
    null = RandomSelectionNull(n, m, tie_sizes=sizes)
    draws = null.rvs(2000, seed)
    for q in (0.02, 0.7):
        value = float(np.quantile(draws, q))
        (above, error), (below, other) = both_tails(null, value)
        assert above * (1 + error) + below * (1 + other) >= 1
        assert above == pytest.approx(np.mean(draws >= value), abs=0.04)


def most_of(tail):
    """Return the most that p may be: its certified bound, or by its error."""
    if tail.log_bounds is None:
        return tail.pvalue * (1 + tail.error)
    return math.exp(tail.log_bounds[1])


@pytest.mark.parametrize(
    ("n", "m", "last"), [(1200, 1190, 0), (700, 697, 200), (2000, 1700, 600)]
)
def test_few_items_that_are_no_targets(n, m, last):
    # the hits vary by as little as their number; bundles of hits must be smaller
    sizes = np.r_[np.ones(n - last, dtype=int), last]
    null = RandomSelectionNull(n, m, tie_sizes=sizes[sizes > 0])
    draws = null.rvs(4000, 0)
    for q in (0.02, 0.7):
        value = float(np.quantile(draws, q))
        above, below = (
            null.tail(value, alternative=side) for side in ("greater", "less")
        )
        assert most_of(above) + most_of(below) >= 1
        assert above.pvalue == pytest.approx(np.mean(draws >= value), abs=0.03)
    least, most = null.support()
    near = null.tail(most - 1e-3 * (most - null.mean())).log_pvalue
    assert null.tail(most).log_pvalue <= near <= null.tail(least).log_pvalue == 0.0


@pytest.mark.parametrize("z", [-4, 0.1, 4])
def test_two_sides_are_twice_the_smaller(z):
    null = RandomSelectionNull(10_000, 600)
    value = at_z(null, z)
    sides = [p for p, _ in both_tails(null, value)]
    both = math.exp(null.tail(value, alternative="two-sided").log_pvalue)
    assert both == pytest.approx(2 * min(sides), rel=1e-12)
    assert sum(sides) == pytest.approx(1, abs=0.02)


def test_two_sides_far_from_chance():
    null, one = RandomSelectionNull(10**5, 1000), log_p(10**5, 1000, 0.5)
    both = null.tail(0.5, alternative="two-sided").log_pvalue
    assert both == pytest.approx(one + math.log(2), rel=1e-12)
    assert null.cdf(0.5) == 1.0


def test_where_strides_fail_every_number_of_hits_is_followed(monkeypatch):
    s = at_z(RandomSelectionNull(5000, 700), 4)
    strides = RandomSelectionNull(5000, 700).tail(s)
    monkeypatch.setattr(_levels, "_CUT", -1.0)
    every = RandomSelectionNull(5000, 700).tail(s)
    assert every.log_pvalue == pytest.approx(strides.log_pvalue, abs=0.02)
    monkeypatch.setattr(_facts, "_COARSE_CELLS", 0)
    with pytest.warns(RuntimeWarning, match='by "bounds"'):
        bounded = RandomSelectionNull(5000, 700).tail(s)
    assert bounded.log_bounds[0] < strides.log_pvalue < bounded.log_pvalue
    with pytest.raises(
        ValueError, match="`method` must not be 'inversion' for a distribution"
    ):
        RandomSelectionNull(5000, 700).tail(s, method="inversion")


def test_windows_of_the_finest_lattice_are_looked_at(monkeypatch):
    terms = RandomSelectionNull(5000, 700)._terms
    solution = _levels.solve(tail_event(terms, 0.2, 1))
    monkeypatch.setattr(_levels, "_CUT", -1.0)
    with pytest.raises(_levels.OutOfReachError):
        solution.tilted(solution.tilt)


@pytest.mark.parametrize(("hopeless", "count"), [(0.0, 1), (math.inf, 3)])
def test_lattices_are_made_finer_while_that_helps(monkeypatch, hopeless, count):
    """If two never agree: until they differ too much, or three have been laid."""
    solution = _levels.solve(tail_event(RandomSelectionNull(5000, 700)._terms, 0.2, 1))
    laid, refined = [], _levels._refined
    monkeypatch.setattr(_levels, "_AGREED", -1.0)
    monkeypatch.setattr(_levels, "_HOPELESS", hopeless)
    monkeypatch.setattr(
        _levels, "_refined", lambda *args: laid.append(args) or refined(*args)
    )
    solution.tilted(solution.tilt)
    assert len(laid) == count


def test_windows_that_hold_no_way_on_are_out_of_reach():
    with pytest.raises(OutOfReachError):
        halve(np.full(5, IMPOSSIBLE))
    # one hit at most here, and ten at least from here on
    step = Step(np.zeros((1, 1)), np.zeros(1), 0, 10, 14, stride=4, next_stride=2)
    with pytest.raises(OutOfReachError):
        _tilting._after(step, np.ones((1, 1)))


def test_where_strides_fail_moments_are_those_of_a_pass(monkeypatch):
    settings = {"tie_sizes": [30] * 10, "ties": "optimistic"}
    exact = moments(RandomSelectionNull(300, 40, **named(**settings))._terms[0].chain)
    monkeypatch.setattr(_moments, "_MANY_CELLS", 0)
    monkeypatch.setattr(_moments, "_MANY_GROUPS", 0)
    monkeypatch.setattr(_levels, "_MOST_CELLS", 1)
    found = moments(RandomSelectionNull(300, 40, **named(**settings))._terms[0].chain)
    assert found == pytest.approx(exact, rel=1e-7)


def test_windows_that_cut_off_chances_are_widened():
    hits = np.arange(10, 20, 2)
    chance = np.full(5, 0.2)  # as likely at the ends as in the middle
    window = _levels._Range(hits, chance, 2, 0, 21)
    assert window.cut() == (0.2, 0.2)
    assert window.kept(1e-9) == (0, 21)
    whole = _levels._Range(hits, chance, 2, 9, 19)
    assert whole.cut() == (0.0, 0.0)
    assert whole.kept(1e-9) == (10, 18)


def test_weights_of_nothing_are_gone_on_in_a_straight_line():
    weights = np.array([IMPOSSIBLE, IMPOSSIBLE, 3.0, 5.0, 6.0, IMPOSSIBLE])
    np.testing.assert_allclose(extrapolated(weights), [-1.0, 1.0, 3.0, 5.0, 6.0, 7.0])
    np.testing.assert_array_equal(extrapolated(weights[2:5]), weights[2:5])


def test_lists_of_unlike_sizes_together():
    null = MeanNull([RandomSelectionNull(3000, 600), RandomSelectionNull(20_000, 4000)])
    s = at_z(null, 1.5)
    draws = null.rvs(20_000, random_state=0)
    share = np.mean(draws >= s)
    error = math.sqrt(share * (1 - share) / draws.size)
    assert math.exp(null.tail(s).log_pvalue) == pytest.approx(share, abs=4 * error)


@pytest.mark.usefixtures("few_detailed")
def test_few_targets_just_beyond_what_is_known_one_by_one():
    inside, beyond = (
        RandomSelectionNull(FEW_DETAILED + by, 300).tail(0.03) for by in (-100, 100)
    )
    # log p falls by at most one log(n) for each target
    assert beyond.method == "inversion"
    step = 300 * math.log1p(200 / FEW_DETAILED) + 0.05
    assert inside.log_pvalue - step <= beyond.log_pvalue <= inside.log_pvalue + 0.05


def ways_to_lose(most, target, others, n_targets):
    """Count lists by the others above each target that lose no more than `most`."""
    if target > n_targets:
        return 1
    count = 0
    while Fraction(others, target + others) <= most:
        left = most - Fraction(others, target + others)
        count += ways_to_lose(left, target + 1, others, n_targets)
        others += 1
    return count


@pytest.mark.usefixtures("few_detailed")
@pytest.mark.parametrize("n", [10_000, FEW_DETAILED + 2000])
@pytest.mark.parametrize(("m", "last"), [(20, 23), (20, 40), (100, 103), (100, 110)])
def test_few_targets_in_a_list_that_is_all_but_perfect(n, m, last):
    # the last target at that rank, the others above it
    most = Fraction(last - m, last)
    ways = ways_to_lose(most, 1, 0, m)
    null, s = RandomSelectionNull(n, m), 1 - float(most) / m - 1e-12
    exact = math.log(ways) - oracles.log_binomial(n, m)
    tolerance = 0.05 if ways > 1000 else 1e-9  # few are counted
    assert null.tail(s).log_pvalue == pytest.approx(exact, abs=tolerance)


@pytest.mark.parametrize("last", [[5000, 1], [5000, 1, 5000]])
def test_a_single_item_beside_a_wide_tie_of_a_long_list(few_detailed, last):
    # far down one item more or less in the tie makes next to no difference
    n, m = FEW_DETAILED + 20_001, 1000
    above = (n - sum(last)) // 10
    null, near = (
        RandomSelectionNull(
            n, m, tie_sizes=[*[10] * above, n - sum(low) - 10 * above, *low]
        )
        for low in (last, [sum(last)])
    )
    for z in (-2, 3):
        found = null.tail(at_z(near, z)).log_pvalue
        assert found == pytest.approx(near.tail(at_z(near, z)).log_pvalue, abs=0.02)


def test_support_of_many_tied_targets():
    sizes = np.full(5000, 100)
    null = RandomSelectionNull(500_000, 5000, tie_sizes=sizes, ties="threshold")
    least, largest = null.support()
    assert largest == 1.0
    # the last 50 groups hold all targets; to spread them out further is worse still
    hits = 100 * np.arange(1, 51)
    assert 0.98 < least / np.mean(hits / (495_000 + hits)) < 1


def test_draws_answer_where_inversion_does_not(monkeypatch):
    # the judge is the inversion, where it does
    null = RandomSelectionNull(200_000, 600, tie_sizes=np.full(200, 1000))
    near, far = null.mean() + null.std(), null.mean() + 2.5 * null.std()
    expected, expected_far = null.tail(near), null.tail(far)
    assert expected.method == expected_far.method == "inversion"
    monkeypatch.setattr("skrank.null._choice._DRAWS", 2**11)
    monkeypatch.setattr(_inversion, "tail", lambda *_, **__: Tail(0.0, error=math.inf))
    monkeypatch.setattr("skrank.null._grid._MAX_STATES", 0)
    found = null.tail(near)
    assert found.method == "monte_carlo"
    assert found.error < 0.05
    difference = found.log_pvalue - expected.log_pvalue
    assert abs(difference) < 4 * found.error
    # where draws are too few they are the best that is known, and say so
    with pytest.warns(RuntimeWarning, match='by "monte_carlo"'):
        found = null.tail(far)
    assert 0.05 < found.error < 0.2
    assert abs(found.log_pvalue - expected_far.log_pvalue) < 4 * found.error


def test_support_where_targets_reach_into_stretches():
    assert RandomSelectionNull(3_000_000, 1_200_000).support()[1] == 1.0


def test_tops_of_many_targets_against_draws():
    null = RandomSelectionNull(6000, 700, metric="average_precision@2500")
    s = at_z(null, 1.5)
    draws = null.rvs(20_000, random_state=0)
    share = np.mean(draws >= s)
    error = math.sqrt(share * (1 - share) / draws.size)
    assert math.exp(null.tail(s).log_pvalue) == pytest.approx(share, abs=4 * error)


@pytest.mark.parametrize(("found", "error"), [(-1e9, 0.0), (-10.0, 0.9)])
def test_what_cannot_be_is_not_taken(monkeypatch, found, error):
    monkeypatch.setattr(_inversion, "tail", lambda *_, **__: Tail(found, error=error))
    with pytest.warns(RuntimeWarning, match='by "bounds"'):
        bounded = RandomSelectionNull(5000, 700).tail(0.3)
    assert bounded.log_pvalue != found


def test_an_error_of_many_targets_is_told(monkeypatch):
    monkeypatch.setattr(_inversion, "tail", lambda *_, **__: Tail(-10.0, error=0.03))
    assert RandomSelectionNull(5000, 700).tail(0.3).error == 0.03
