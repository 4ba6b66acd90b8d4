"""What holds for every null distribution, from one end of its support to the other.

Random null distributions of all metrics and tie rules, with ties of every shape, judged
by what probabilities must obey: they fall as the value rises, the two tails add up, and
quantiles are their inverse. Errors are those that the answers state. Where placements
can be counted, or a formula has the probability, these are the judges.
"""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

import skrank
from cases import TIES, make_list, named
from skrank import RandomSelectionNull, RandomSelectionTest
from skrank.null import MeanNull
from skrank.null._choice import BEYOND

pytestmark = pytest.mark.arithmetic

ALPHAS = [20.0, 1.0, 5.0]
TINY = 1e-9  # of probabilities, what rounding may do
NOISE = 1e-9  # chance of draws that are further from a probability than they should be
STANDARD_ERRORS = 5  # of engines that draw
QS = (1e-30, 1e-6, 0.01, 0.3, 0.5, 0.9, 1 - 1e-6)

doubt_is_allowed = pytest.mark.filterwarnings(
    "ignore:the p-value is known:RuntimeWarning"
)


def few(examples):
    """So many examples; to look for simpler ones that fail, too, would take minutes."""
    return settings(max_examples=examples, phases=(Phase.explicit, Phase.generate))


# Random null distributions


def cut_up(n, parts, rng):
    """Sizes of so many groups."""
    cuts = np.sort(rng.choice(np.arange(1, n), min(parts, n) - 1, replace=False))
    return np.diff(cuts, prepend=0, append=n)


def one_wide(n, share, place, rng):
    """One tie of a share of the items, at this part of what is left; no others."""
    wide = min(n, max(2, round(share * n)))
    above = round(place * (n - wide))
    return np.repeat([1, wide, 1], [above, 1, n - wide - above])


def narrow(n, rng):
    """Ties of one to some items."""
    sizes = rng.geometric(rng.uniform(0.2, 0.9), n)
    ends = np.minimum(np.cumsum(sizes), n)
    return np.diff(ends[: 1 + int(np.argmax(ends == n))], prepend=0)


SHAPES = {
    "untied": lambda n, rng: None,
    "few wide ties": lambda n, rng: cut_up(n, int(rng.integers(2, 9)), rng),
    "many narrow ties": narrow,
    "wide tie on top": lambda n, rng: one_wide(n, rng.uniform(0.05, 0.6), 0, rng),
    "wide tie inside": lambda n, rng: one_wide(
        n, rng.uniform(0.05, 0.6), rng.random(), rng
    ),
    "wide tie below": lambda n, rng: one_wide(n, rng.uniform(0.05, 0.6), 1, rng),
    "nearly all tied": lambda n, rng: one_wide(
        n, rng.uniform(0.8, 0.99), rng.random(), rng
    ),
    "all tied": lambda n, rng: np.array([n]),
}


SETTINGS = {
    "average_precision": (),
    "average_precision_at_k": ("k", "normalize"),
    "recall_at_t": ("t",),
    "precision_at_t": ("t",),
    "enrichment_factor": ("t",),
    "reciprocal_rank": (),
    "rie": ("alpha",),
    "bedroc": ("alpha",),
}
METRICS = tuple(SETTINGS)
DEEP = ("average_precision", "rie", "bedroc", "average_precision_at_k")


@st.composite
def measures(draw, n, metrics=METRICS):
    """Name and settings of a metric for n items."""
    depth = st.one_of(st.integers(1, n), st.sampled_from([0.01, 0.1, 0.5, 1.0]))
    weight = st.sampled_from(ALPHAS)
    metric = draw(st.sampled_from(metrics))
    given_settings = {
        "t": depth,
        "k": depth,
        "alpha": weight,
        "normalize": st.sampled_from(["min", "relevant", "hits"]),
    }
    return metric, {name: draw(given_settings[name]) for name in SETTINGS[metric]}


@st.composite
def lists(draw, least=2, most=60, cells=10**9):
    """Number of items and of targets, whose product is limited, and sizes of ties."""
    n = draw(st.integers(least, most))
    share = draw(st.sampled_from([0.95, 0.6, 0.3, 0.1, 0.02, 0.005, 0.0]))
    m = min(round(share * n) + draw(st.integers(0, 4)), n - 1, cells // n)
    m = max(1, m)
    shape = draw(st.sampled_from(tuple(SHAPES)))
    sizes = SHAPES[shape](n, np.random.default_rng(draw(st.integers(0, 99))))
    return n, m, None if sizes is None else sizes.tolist()


@st.composite
def nulls(draw, metrics=METRICS, **limits):
    """Arguments of a null distribution, by position and by name."""
    n, m, sizes = draw(lists(**limits))
    metric, asked = draw(measures(n, metrics))
    ties = draw(st.sampled_from(TIES))
    return (n, m, metric), {"tie_sizes": sizes, "ties": ties, **asked}


@st.composite
def means(draw, metrics=METRICS, **limits):
    """Arguments of null distributions of some rankings, alike or not, of one metric.

    Divisors that depend on the ranking leave plain draws only, which are judged
    elsewhere.
    """
    first = draw(lists(**limits))
    metric, asked = draw(measures(first[0], metrics))
    if asked.get("normalize") == "hits":
        asked["normalize"] = "min"
    for name in asked.keys() & {"k", "t"}:
        asked[name] = 0.1 if isinstance(asked[name], float) else min(asked[name], 2)
    ties = draw(st.sampled_from(TIES))
    others = draw(st.lists(st.one_of(st.just(first), lists(**limits)), max_size=3))
    return [
        ((n, m, metric), {"tie_sizes": sizes, "ties": ties, **asked})
        for n, m, sizes in [first, *others]
    ]


def make(event):
    (n, m, metric), settings = event
    return RandomSelectionNull(n, m, **named(metric, **settings))


def make_mean(events):
    return MeanNull([make(event) for event in events])


# What must hold


def is_drawn(tail):
    return tail.method in ("importance_sampling", "monte_carlo")


def between(tail):
    """Logarithms between which the probability is, by what the answer states."""
    if tail.log_bounds is not None:
        low, high = tail.log_bounds
        return low - TINY, high + TINY
    error = (STANDARD_ERRORS if is_drawn(tail) else 1) * tail.error + TINY
    return tail.log_pvalue + log(1 - error), tail.log_pvalue + log(1 + error)


def log(x):
    return math.log(x) if x > 0 else -math.inf


def grid(null, points, draws):
    """Statistics from beyond one end of the support to beyond the other."""
    least, most = null.support()
    mean, beyond = null.mean(), 1e-6 * max(1.0, most)
    parts = np.linspace(0, 1, points)[1:-1]
    found = [
        *(least - beyond, least, most, most + beyond, mean),
        *(least + parts * (mean - least)),
        *(mean + parts * (most - mean)),
        *np.quantile(draws, parts, method="nearest"),
    ]
    return np.unique(np.clip(found, least - beyond, most + beyond)).tolist()


def assert_moments(null):
    least, most = null.support()
    room = 1e-11 * max(1.0, most)  # of sums of thousands of probabilities
    assert least - room <= null.mean() <= most + room
    assert 0 <= null.std() <= (most - least) / 2 + room


def assert_tails(null, points, draws):
    """One tail falls, the other grows, and together they are certain."""
    values = grid(null, points, draws)
    above = [null.tail(x) for x in values]
    below = [null.tail(x, alternative="less") for x in values]
    for tail in [*above, *below]:
        assert tail.log_pvalue <= 0  # and no NaN
        low, high = between(tail)
        assert low <= tail.log_pvalue <= high
    for falling in (above, below[::-1]):
        lowest = math.inf
        for tail in falling:
            low, high = between(tail)
            assert low <= lowest
            lowest = min(lowest, high)
    for x, greater, less in zip(values, above, below, strict=True):
        more = null.tail(above_all_rounding(null, x))
        (low, high), (low_less, high_less) = between(greater), between(less)
        assert between(more)[0] <= high
        assert_rest(more, less)
        assert math.exp(high) + math.exp(high_less) >= 1 - TINY
        assert_cantelli(null, x, low, low_less)
        assert_drawn(draws, x, (low, high), (low_less, high_less))
    for place in range(0, len(values), 4):
        assert_functions(null, values[place], above[place], below[place])


def above_all_rounding(null, x):
    """Where sf(x) asks for what is at least so large."""
    return x + BEYOND * null._facts.slack(x)


def assert_rest(more, less):
    """What is more than a value, and what is at most that, are all there is.

    The larger is known as the rest of the smaller, but an upper bound as that of both.
    """
    if "bounds" not in (more.method, less.method):
        p, rest = math.exp(more.log_pvalue), math.exp(less.log_pvalue)
        error = 2 * math.expm1(min(max(width(more), width(less)), 700))
        assert p + rest == pytest.approx(1, abs=TINY + error * min(p, rest))


def assert_functions(null, x, greater, less):
    """The functions of numbers against the tails that they are made of."""
    more, both = (
        null.tail(above_all_rounding(null, x)),
        null.tail(x, alternative="two-sided"),
    )
    if any(map(is_drawn, (greater, less, more))):
        return
    assert null.pvalue(x) == math.exp(greater.log_pvalue)
    assert null.pvalue(x, alternative="less") == math.exp(less.log_pvalue)
    assert null.sf(x) == np.exp(more.log_pvalue)
    assert null.cdf(x) == np.exp(less.log_pvalue)
    assert null.logsf(x) == more.log_pvalue
    twice = math.log(2) + min(greater.log_pvalue, less.log_pvalue)
    assert both.log_pvalue == pytest.approx(min(0.0, twice), rel=1e-12, abs=TINY)


def assert_cantelli(null, x, low, low_less):
    """Neither tail is above the inequality of Cantelli (1929)."""
    mean, std = null.mean(), null.std()
    if std == 0 or abs(x - mean) <= 1e-11 * max(1.0, mean):  # but for rounding
        return
    most = -math.log1p(((x - mean) / std) ** 2)
    assert (low if x > mean else low_less) <= most + TINY


def assert_drawn(draws, x, above, below):
    """The shares of draws are what binomial draws can be."""
    room = 1e-11 * max(1.0, abs(x))
    for count, logs in (
        (np.count_nonzero(draws >= x - room), above),
        (np.count_nonzero(draws <= x + room), below),
    ):
        low, high = (min(1.0, math.exp(log_p)) for log_p in logs)
        assert binom.cdf(count, draws.size, low) > NOISE
        assert binom.sf(count - 1, draws.size, high) > NOISE


def assert_ends(null):
    least, most = null.support()
    beyond = 1e-6 * max(1.0, most)
    assert null.pvalue(least) == pytest.approx(1, abs=TINY)
    assert null.pvalue(least - beyond) == pytest.approx(1, abs=TINY)
    assert null.pvalue(most, alternative="less") == pytest.approx(1, abs=TINY)
    assert null.pvalue(most + beyond) == null.sf(most) == 0
    assert null.pvalue(least - beyond, alternative="less") == 0
    assert null.tail(most).log_pvalue > -math.inf
    assert null.tail(least, alternative="less").log_pvalue > -math.inf


def assert_invariants(null, points=4, n_draws=300):
    draws = null.rvs(n_draws, 0)
    assert_moments(null)
    assert_tails(null, points, draws)
    assert_ends(null)


def assert_quantiles(null, qs=QS):
    """isf(q) is the least x with sf(x) <= q, and ppf(q) that with cdf(x) >= q.

    The smaller probability is what is compared: sf(x) <= q is cdf(x) >= 1 - q.
    """
    least, most = null.support()
    rounding = 1e-12 * max(1.0, most)
    for q in qs:
        for x, is_upper in ((null.isf(q), q <= 0.5), (null.ppf(q), q > 0.5)):
            assert least - rounding <= x <= most + rounding
            before = max(least, x - 3e-7 * null.std() - 10 * rounding)
            sign, side = (1, "greater") if is_upper else (-1, "less")
            room = max(width(null.tail(z, alternative=side)) for z in (before, x))
            wanted = log(min(q, 1 - q))
            assert sign * log_of(null, x, is_upper) <= sign * wanted + room
            if before > least:
                assert sign * log_of(null, before, is_upper) >= sign * wanted - room


def log_of(null, x, is_upper):
    return null.logsf(x) if is_upper else log(null.cdf(x))


def width(tail):
    """By how much two answers may differ, as logarithms."""
    if tail.log_pvalue == -math.inf:
        return TINY
    low, high = between(tail)
    return high - low


# One ranking


@few(50)
@given(nulls())
@pytest.mark.slow
def test_short_lists(event):
    assert_invariants(make(event))


@doubt_is_allowed  # where engines know no more than bounds
@few(2)
@given(nulls(DEEP, least=61, most=3000, cells=10_000))
def test_long_lists(event):
    assert_invariants(make(event), 3)


@pytest.mark.slow
@few(25)
@given(nulls())
def test_quantiles_of_short_lists(event):
    assert_quantiles(make(event))


@doubt_is_allowed
@few(2)
@given(nulls(DEEP, least=61, most=200, cells=2000))
@pytest.mark.slow
def test_quantiles_of_long_lists(event):
    assert_quantiles(make(event), (0.01,))


# The mean over several rankings


@few(20)
@given(means(most=30))
def test_means_of_short_lists(events):
    assert_invariants(make_mean(events))
    assert_quantiles(make_mean(events), (1e-6, 0.5, 0.9))


@doubt_is_allowed
@few(2)
@given(means(DEEP, least=61, most=400, cells=5000))
def test_means_of_long_lists(events):
    assert_invariants(make_mean(events), 3)


# Judged by counting and by formulas


@few(30)
@given(st.data())
def test_few_ties_against_all_ways_to_fill_them(data):
    """The chance of the hits of each tie is multivariate hypergeometric."""
    n = data.draw(st.integers(2, 40))
    m = data.draw(st.integers(1, n - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    sizes = cut_up(n, data.draw(st.integers(1, 3)), rng)
    metric, asked = data.draw(measures(n))
    ties = data.draw(st.sampled_from(TIES))
    null = RandomSelectionNull(
        n, m, tie_sizes=sizes, ties=ties, **named(metric, **asked)
    )
    values, ways = [], []
    for hits in product(*(range(min(size, m) + 1) for size in sizes)):
        if sum(hits) == m:
            values.append(
                getattr(skrank, metric)(*make_list(sizes, hits), **asked, ties=ties)
            )
            ways.append(math.prod(map(math.comb, sizes.tolist(), hits)))
    values, chances = np.array(values), np.array(ways, dtype=float) / math.comb(n, m)
    room = 1e-10 * max(1.0, values.max())
    assert null.support() == pytest.approx((values.min(), values.max()), abs=room)
    assert null.mean() == pytest.approx(chances @ values, rel=1e-10)
    variance = chances @ (values - chances @ values) ** 2
    assert null.std() == pytest.approx(math.sqrt(variance), rel=1e-6, abs=1e-7)
    for x in rng.choice(values, 8):
        if np.any((abs(values - x) < room) & (abs(values - x) > room / 1000)):
            continue  # rounding may take them for one or for two
        above, below = chances[values >= x - room], chances[values <= x + room]
        assert null.pvalue(x) == pytest.approx(above.sum(), rel=TINY)
        less = null.pvalue(x, alternative="less")
        assert less == pytest.approx(below.sum(), rel=TINY)


@st.composite
def counts(draw, most=1000):
    """Number of items and of targets: any, or few."""
    n = draw(st.integers(2, most))
    m = draw(st.one_of(st.integers(1, n - 1), st.integers(1, min(10, n - 1))))
    return n, m


@few(30)
@given(counts(), st.data())
def test_hits_above_a_cut_between_ties_are_hypergeometric(size, data):
    (n, m), t = size, data.draw(st.integers(1, size[0] - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    parts = [cut_up(part, int(rng.integers(1, 30)), rng) for part in (t, n - t)]
    metric, unit = data.draw(
        st.sampled_from(
            [
                ("recall_at_t", 1 / m),
                ("precision_at_t", 1 / t),
                ("enrichment_factor", n / (m * t)),
            ]
        )
    )
    ties = data.draw(st.sampled_from(TIES))
    sizes = np.concatenate(parts)
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties=ties, **named(metric, t=t))
    hits = hypergeom(n, m, t)
    least, most = hits.support()
    assert null.support() == pytest.approx((unit * least, unit * most), rel=1e-12)
    assert null.mean() == pytest.approx(unit * m * t / n)
    spread = math.sqrt(m * t * (n - m) * (n - t) / (n - 1)) / n
    assert null.std() == pytest.approx(unit * spread)
    h = np.unique(np.linspace(least, most, 20).astype(int))
    close = {"rel": 1e-7, "abs": 1e-290}
    assert null.pvalue(unit * h) == pytest.approx(hits.sf(h - 1), **close)
    less = null.pvalue(unit * h, alternative="less")
    assert less == pytest.approx(hits.cdf(h), **close)
    q = rng.random(5)
    assert null.ppf(q) == pytest.approx(unit * hits.ppf(q), rel=1e-12)
    assert null.isf(q) == pytest.approx(unit * hits.isf(q), rel=1e-12)


@few(15)
@given(counts(), st.data())
def test_the_first_hit_against_lists_without_hits_above_it(size, data):
    n, m = size
    last = n - m + 1
    rank = np.array(data.draw(st.lists(st.integers(1, last), min_size=1, max_size=5)))
    null = RandomSelectionNull(n, m, "reciprocal_rank")
    assert null.support() == pytest.approx((1 / last, 1.0))
    close = {"rel": 1e-7, "abs": 1e-290}
    none_so_far = hypergeom.sf(0, n, m, rank)
    assert null.pvalue(1 / rank) == pytest.approx(none_so_far, **close)
    less = null.pvalue(1 / rank, alternative="less")
    assert less == pytest.approx(hypergeom.pmf(0, n, m, rank - 1), **close)


@few(15)
@given(counts(), st.data())
def test_the_best_list_against_the_number_of_placements(size, data):
    n, m = size
    k = data.draw(st.integers(1, n))
    # hits on top, and the rest where it does not count
    on_top = math.comb(n - k, m - k) if k < m else 1
    any_on_top = sum(math.comb(n - k, m - h) for h in range(1, min(m, k) + 1))
    events = [
        ("average_precision", {}, 1),
        ("rie", {"alpha": 5.0}, 1),
        ("bedroc", {"alpha": 5.0}, 1),
        ("average_precision_at_k", {"k": k}, on_top),
        ("average_precision_at_k", {"k": k, "normalize": "relevant"}, on_top),
        ("average_precision_at_k", {"k": k, "normalize": "hits"}, any_on_top),
    ]
    metric, asked, count = data.draw(st.sampled_from(events))
    null = RandomSelectionNull(n, m, **named(metric, **asked))
    found = null.tail(null.support()[1])
    exact = math.log(count) - math.log(math.comb(n, m))
    assert found.log_pvalue == pytest.approx(exact, rel=1e-10, abs=1e-9)
    assert found.log_bounds == (found.log_pvalue, found.log_pvalue)


# Rankings and their reverse


@doubt_is_allowed
@few(12)
@given(counts(most=150), st.data())
def test_a_ranking_and_its_reverse(size, data):
    """Without ties both have one null distribution, where they are in order."""
    n, m = size
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    y_true = rng.permutation(np.arange(n) < m)
    y_score = rng.normal(size=n) + data.draw(st.sampled_from([0, 0.5, 3])) * y_true
    digits = data.draw(st.sampled_from([None, 1, 0]))
    if digits is not None:
        y_score = np.round(y_score, digits)
    metric, asked = data.draw(measures(n))
    ties = data.draw(st.sampled_from(TIES))
    test = RandomSelectionTest(ties=ties, random_state=0, **named(metric, **asked))
    results = [test.from_predictions(y_true, sign * y_score) for sign in (1, -1)]
    for result in results:
        null, value = result.null_distribution, result.statistic
        assert 0 <= result.pvalue <= 1
        assert result.log10_pvalue > -math.inf  # for it has occurred
        tails = [
            null.tail(value, alternative=side, random_state=0)
            for side in ("greater", "less")
        ]
        low, low_less = (between(tail)[0] for tail in tails)
        assert_cantelli(null, value, low, low_less)
        assert math.log10(math.e) * tails[0].log_pvalue == pytest.approx(
            result.log10_pvalue
        )
    if digits is None:
        better, worse = sorted(results, key=lambda one: -one.statistic)
        ends = []
        for result in (better, worse):
            tail = result.null_distribution.tail(result.statistic, random_state=0)
            ends.append(between(tail))
        assert ends[0][0] <= ends[1][1]
