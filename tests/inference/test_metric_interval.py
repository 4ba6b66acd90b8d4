"""Standard errors and intervals of one ranking.

Judges: the metric on rankings with one item left out; all resamples of a tiny ranking;
distributions of populations known in closed form; scipy's binomial distribution; double
sums in rationals; the spread over simulated samples.
"""

import math
import warnings
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binom, chi2, geom, norm
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression

from cases import (
    ALL,
    BY_VALUE,
    METRICS,
    TIES,
    assert_share,
    make_list,
    metric_function,
    metric_of,
    named,
    runs,
)
from oracles import tie_groups, value
from skrank import MetricInterval, Ranking, ks_statistic, make_metric
from skrank.inference.variability._binormal import (
    binormal_model,
    spread_of_targets,
)
from skrank.inference.variability._jackknife import jackknife_of
from skrank.metrics._definitions import Frame, make_null_metric

SMOOTH = [case for case in METRICS if metric_of(case).smooth]
AT_CUT = [case for case in SMOOTH if "@" in case]


def question(case, **kwargs):
    name, given_settings = ALL[case]
    return MetricInterval(**named(name, **{**given_settings, **kwargs}))


def draw(rng, n_targets, n_non_targets, *, shift=1.5, grid=None):
    """Labels and scores of a binormal sample, rounded to a grid if ties are wanted."""
    scores = np.r_[rng.normal(shift, 1, n_targets), rng.normal(0, 1, n_non_targets)]
    if grid is not None:
        scores = np.round(scores / grid) * grid
    return np.arange(scores.size) < n_targets, scores


def functional_error(y_true, y_score):
    """Standard error of AP by the derivative of the functional of two distributions.

    AP is the mean over targets of prec = pi T / (pi T + (1 - pi) F), T and F the shares
    of targets and non-targets at least as high; T and F are differentiated in it.
    """
    targets, others = y_score[y_true], y_score[~y_true]
    pi = targets.size / y_score.size
    found = (targets[:, None] <= targets).mean(axis=1)
    wrong = (targets[:, None] <= others).mean(axis=1)
    retrieved = pi * found + (1 - pi) * wrong
    prec = pi * found / retrieved
    by_found = pi * (1 - pi) * wrong / retrieved**2
    by_wrong = -pi * (1 - pi) * found / retrieved**2
    of_target = prec - prec.mean()
    of_target += (
        ((targets >= targets[:, None]) - found[:, None]).T @ by_found / prec.size
    )
    of_other = ((others >= targets[:, None]) - wrong[:, None]).T @ by_wrong / prec.size
    return np.sqrt(
        np.mean(of_target**2) / targets.size + np.mean(of_other**2) / others.size
    )


@pytest.mark.parametrize("shift", [0.5, 1.5, 3.0])
def test_influence_of_many_items_is_that_of_the_functional(shift):
    y_true, y_score = draw(np.random.default_rng(6), 1500, 6000, shift=shift)
    asked = MetricInterval(method="jackknife")
    result = asked.from_predictions(y_true, y_score)
    expected = functional_error(y_true, y_score)
    assert result.standard_error == pytest.approx(expected, rel=0.005)


@pytest.mark.nightly
@pytest.mark.parametrize("grid", [None, 0.7])
@pytest.mark.parametrize("case", [*AT_CUT, "r_precision"])
def test_influence_at_a_cut_has_the_spread_of_samples(case, grid):
    name, given_settings = METRICS[case]
    depth = {key: 80 for key in ("t", "k") if key in given_settings}
    asked = MetricInterval(
        method="jackknife", **named(name, **{**given_settings, **depth})
    )
    rng, n = np.random.default_rng(5), runs(200)
    results = [
        asked.from_predictions(*draw(rng, 60, 1500, grid=grid)) for _ in range(n)
    ]
    spread = np.std([result.value for result in results])
    error = np.sqrt(np.mean([result.standard_error**2 for result in results]))
    assert error == pytest.approx(spread, rel=3 / np.sqrt(2 * n))


@pytest.mark.parametrize("method", ["moderated", "jackknife"])
@pytest.mark.parametrize("ties", TIES)
def test_a_tie_at_the_cut_moves_it_but_under_one_rule(ties, method):
    y_true, y_score = make_list((4, 6, 10), (2, 3, 1))
    asked = MetricInterval("average_precision@7", ties=ties, method=method)
    if ties == "expected":
        assert asked.from_predictions(y_true, y_score).standard_error > 0
        return
    with pytest.raises(ValueError, match="`ties` must be 'expected' with a tie"):
        asked.from_predictions(y_true, y_score)
    alone = -np.arange(20.0)
    expected = MetricInterval("average_precision@7", method=method)
    assert asked.from_predictions(y_true, alone).standard_error == pytest.approx(
        expected.from_predictions(y_true, alone).standard_error
    )


@pytest.mark.parametrize("case", ["recall@4", "precision@4", "enrichment_factor@4"])
def test_a_top_that_is_the_whole_list_does_not_vary(case):
    sample = draw(np.random.default_rng(0), 10, 90)
    result = question(case, t=1.0).from_predictions(*sample)
    assert result.standard_error == 0
    assert result.confidence_interval() == (result.value,) * 2


@pytest.mark.parametrize("t", [90, 99])
def test_hits_of_nearly_the_whole_list_are_not_fewer_than_their_least(t):
    sample = draw(np.random.default_rng(0), 15, 85)
    result = MetricInterval(f"recall@{t}").from_predictions(*sample)
    low, high = result.confidence_interval()
    assert (15 - (100 - t)) / 15 <= low <= result.value <= high <= 1


def test_no_logit_no_interval():
    # the perfect ranking, whose survival error is not 0; and a top without hits
    perfect = make_list((1,) * 20, [1] * 5 + [0] * 15)
    empty = make_list((1,) * 20, [0] * 2 + [1] * 5 + [0] * 13)
    for sample, settings_ in (
        (perfect, {"method": "survival"}),
        (empty, {"metric": "recall_at_t", "t": 1, "method": "jackknife"}),
    ):
        result = MetricInterval(**named(**settings_)).from_predictions(*sample)
        assert result.standard_error > 0
        with pytest.warns(UndefinedMetricWarning, match="interval"):
            assert np.isnan(result.confidence_interval()).all()
        assert "95 % interval   unknown" in str(result)


def test_an_error_by_rounding_is_none():
    # the perfect list: every ranking resampled from it is perfect
    perfect = make_list((1,) * 100, [1] * 5 + [0] * 95)
    asked = MetricInterval("bedroc", method="jackknife")
    assert asked.from_predictions(*perfect).standard_error == 0
    # the error of a share of five targets that is half a target below 1
    asked = MetricInterval("bedroc", method="bootstrap", n_resamples=20)
    found = asked.from_predictions(*perfect)
    assert found.standard_error == pytest.approx((0.1 * 0.9 / 5) ** 0.5)
    assert found.confidence_interval().high == 1


# What the default promises at the ends


def all_lists(n, m):
    """Labels of all rankings, best first; ranked without ties."""
    for hits in combinations(range(n), m):
        labels = np.zeros(n, dtype=int)
        labels[list(hits)] = 1
        yield labels, -np.arange(n)


@pytest.mark.parametrize(
    ("metric", "settings"),
    [
        ("average_precision", {}),
        ("average_precision_at_k", {"k": 3}),
        ("average_precision_at_k", {"k": 3, "normalize": "hits"}),
        ("recall_at_t", {"t": 4}),
        ("precision_at_t", {"t": 2}),
        ("enrichment_factor", {"t": 3}),
        ("reciprocal_rank", {}),
        ("rie", {}),
        ("bedroc", {}),
        ("bedroc", {"alpha": 160.9}),
    ],
)
@pytest.mark.parametrize("m", [2, 3, 6])
@pytest.mark.slow
def test_every_list_has_an_interval(metric, settings, m):
    # by default: finite limits around the value, wider at 95 than at 80 %
    ask = MetricInterval(n_resamples=50, random_state=0, **named(metric, **settings))
    for y_true, y_score in all_lists(8, m):
        result = ask.from_predictions(y_true, y_score)
        wide, narrow = map(result.confidence_interval, (0.95, 0.8))
        limits = [wide.low, narrow.low, result.value, narrow.high, wide.high]
        assert np.all(np.isfinite(limits))
        assert np.all(np.diff(limits) >= -1e-9)
        assert wide.high - wide.low > 0


@pytest.mark.parametrize("metric", ["average_precision", "bedroc", "rie"])
@pytest.mark.parametrize("m", [3, 10, 40])
def test_limits_are_ordered_as_slips_from_perfect(metric, m):
    # the last target moves down, one rank after the other
    found = []
    for slip in range(6):
        y_true = np.zeros(400, dtype=int)
        y_true[[*range(m - 1), m - 1 + slip]] = 1
        result = MetricInterval(metric).from_predictions(y_true, -np.arange(400))
        found.append((result.value, *result.confidence_interval()))
    estimates, lows, _ = np.diff(found, axis=0).T
    assert np.all(estimates < 0)
    assert np.all(lows <= 0)
    assert np.all(lows < 0) or m == 3  # where all may be lost


def first_hit_at(rank, n=400):
    y_true = np.zeros(n, dtype=int)
    y_true[[rank - 1, *range(n - 9, n)]] = 1
    return y_true, -np.arange(n)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_limits_of_the_reciprocal_rank_hold_its_mean_if_ranks_are_geometric(level):
    ask = MetricInterval("reciprocal_rank", n_resamples=2, random_state=0)
    ranks = np.arange(1, 301)
    limits = np.array(
        [
            ask.from_predictions(*first_hit_at(rank)).confidence_interval(level)
            for rank in ranks
        ]
    )
    assert np.all(np.diff(limits, axis=0) <= 0)  # ordered as the values are
    assert limits[0, 1] == 1
    for share in (0.05, 0.1, 0.3, 0.5, 0.8, 0.95):
        null = geom(share)
        mean = null.expect(lambda rank: 1 / rank)
        holds = (limits[:, 0] <= mean) & (mean <= limits[:, 1])
        assert null.pmf(ranks[holds]).sum() >= level - null.sf(ranks[-1])


def test_spread_of_targets_is_that_of_their_distribution():
    # of the better half, by the normal scores of shares of non-targets, as far as there
    # are others above them; 1.2 % is added
    rng = np.random.default_rng(0)
    for spread in (0.5, 1.0, 2.0):
        y_true = np.arange(60_000) < 20_000
        y_score = np.where(
            y_true, rng.normal(-1.0, spread, 60_000), rng.normal(size=60_000)
        )
        ranking = Ranking.from_predictions(y_true, y_score)
        assert spread_of_targets(ranking) == pytest.approx(spread, rel=0.1)


def test_spread_of_targets_is_not_that_of_the_worse_half():
    # half of the targets one behind the other at the top, the others anywhere below
    y_true, y_score = np.zeros(2000, dtype=int), -np.arange(2000.0)
    y_true[:20] = 1
    below = [np.linspace(30, low, 20).astype(int) for low in (60, 500, 1999)]
    found = []
    for positions in below:
        labels = y_true.copy()
        labels[positions] = 1
        found.append(spread_of_targets(Ranking.from_predictions(labels, y_score)))
    assert found[0] == found[1] == found[2] < 1


def recall_variance(shift, spread, cut, n_targets, n_non_targets):
    """Of recall at a fixed depth, from the two normal distributions."""
    high, low, of_targets = 10.0, -10.0, norm(shift, spread)
    for _ in range(60):
        middle = (high + low) / 2
        depth = n_targets * of_targets.sf(middle) + n_non_targets * norm.sf(middle)
        high, low = (high, middle) if depth > cut else (middle, low)
    found, wrong = of_targets.sf(middle), norm.sf(middle)
    density = n_targets * of_targets.pdf(middle), n_non_targets * norm.pdf(middle)
    share = density[0] / sum(density)
    targets = (1 - share) ** 2 * found * (1 - found) / n_targets
    others = share**2 * n_non_targets * wrong * (1 - wrong) / n_targets**2
    return found, targets + others


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("shift", [0.5, 1.5, 2.5])
def test_binormal_variance_of_recall_is_that_of_the_two_normal_distributions(
    shift, spread
):
    frame = Frame(10_000, 200, 400)
    metric = make_null_metric("recall@400")
    values, variances, _ = binormal_model(metric, frame, spread)
    found, variance = recall_variance(shift, spread, 400, 200, 9800)
    close = 0.03 if spread >= 1 else 0.05  # cells of a tenth of the spread
    assert np.interp(found, values, variances) == pytest.approx(variance, rel=close)


@pytest.mark.parametrize("case", ["average_precision", "bedroc", "rie"])
def test_binormal_variance_is_that_of_a_large_sample(case):
    name, given_settings = METRICS[case]
    metric = make_null_metric(**named(name, **given_settings))
    ranking = Ranking.from_predictions(*draw(np.random.default_rng(1), 20_000, 380_000))
    variance = jackknife_of(metric, ranking).variance
    values, variances, _ = binormal_model(metric, Frame(400_000, 20_000, 400_000), 1.0)
    expected = np.interp(metric.value(ranking), values, variances)
    assert variance == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("ties", TIES)
def test_bootstrap_against_all_resamples(ties):
    y_true, y_score = make_list((1, 2, 1, 1), (1, 1, 1, 0))
    targets, others = np.flatnonzero(y_true), np.flatnonzero(y_true == 0)
    values = [
        float(value(tie_groups(y_true[i], y_score[i]), "average_precision", ties=ties))
        for drawn in product(targets, repeat=3)
        for rest in product(others, repeat=2)
        for i in [np.array(drawn + rest)]
    ]
    asked = MetricInterval(
        ties=ties, method="bootstrap", n_resamples=40_000, random_state=0
    )
    result = asked.from_predictions(y_true, y_score)
    assert result.standard_error == pytest.approx(np.std(values), rel=0.02)


@pytest.mark.parametrize(
    "case",
    [
        "average_precision",
        "average_precision@4 hits",
        "reciprocal_rank",
        "r_precision",
        # all items have a precision of 0.6, so that all resamples have a recall of 1
        *(
            pytest.param(case, marks=pytest.mark.slow)
            for case in BY_VALUE
            if case != "recall_at_precision(0.4)"
        ),
    ],
)
def test_bootstrap_without_ties_against_all_resamples(case):
    y_true, y_score = make_list((1,) * 5, (1, 0, 1, 0, 1))
    targets, others = np.flatnonzero(y_true), np.flatnonzero(y_true == 0)
    metric = metric_function(case)
    values = [
        metric(y_true[i], y_score[i])
        for drawn in product(targets, repeat=3)
        for rest in product(others, repeat=2)
        for i in [np.array(drawn + rest)]
    ]
    asked = question(case, n_resamples=10_000, random_state=1, method="bootstrap")
    result = asked.from_predictions(y_true, y_score)
    error = np.std(values)
    if case == "ks_statistic":
        # at least that of the shares above the best threshold, which retrieves one of
        # three targets and none of two others, with half an item more of each
        shares = np.array([1.5 / 4, 0.5 / 3])
        error = max(error, np.sqrt(np.sum(shares * (1 - shares) / [3, 2])))
    # a standard error of .7 % for normal draws
    assert result.standard_error == pytest.approx(error, rel=0.03)


def test_survival_view_of_average_precision_is_a_double_sum():
    y_true, y_score = make_list((1,) * 9, (1, 0, 1, 1, 0, 0, 1, 0, 0))
    ranks = [Fraction(r) for r in (1, 3, 4, 7)]
    recall = [Fraction(i, 4) for i in range(1, 5)]
    variance = sum(
        recall[min(i, j)] * (1 - recall[max(i, j)]) / 4 / (ranks[i] * ranks[j])
        for i, j in product(range(4), repeat=2)
    )
    result = MetricInterval(method="survival").from_predictions(y_true, y_score)
    assert result.standard_error == pytest.approx(float(variance) ** 0.5)


def test_survival_view_of_hits_at_a_cut():
    # r (1 - r) / m, and (m / t)**2 of that for precision (slides of Su and Zhang)
    y_true, y_score = make_list((1,) * 12, (1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0))
    recall = (3 / 4 * 1 / 4 / 4) ** 0.5
    scale = {"recall_at_t": 1, "precision_at_t": 4 / 5, "enrichment_factor": 12 / 5}
    for name, factor in scale.items():
        asked = MetricInterval(method="survival", **named(name, t=5))
        result = asked.from_predictions(y_true, y_score)
        assert result.standard_error == pytest.approx(factor * recall)


@pytest.mark.parametrize(
    ("name", "hits", "total", "scale"),
    [
        ("recall_at_t", 3, 4, 1),
        ("precision_at_t", 3, 5, 1),
        ("enrichment_factor", 3, 5, 12 / 4),
    ],
)
def test_posterior_is_a_beta_distribution(name, hits, total, scale):
    # the prior of Jeffreys: tails between those of two binomial distributions
    y_true, y_score = make_list((1,) * 12, (1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0))
    asked = MetricInterval(method="posterior", **named(name, t=5))
    low, high = asked.from_predictions(y_true, y_score).confidence_interval(0.9)
    assert binom.sf(hits, total, low / scale) < 0.05
    assert binom.sf(hits - 1, total, low / scale) > 0.05
    assert binom.cdf(hits - 1, total, high / scale) < 0.05
    assert binom.cdf(hits, total, high / scale) > 0.05


def test_posterior_shares_out_ties():
    y_true, y_score = make_list((2, 4, 3), (1, 2, 0))
    result = MetricInterval("recall@4", method="posterior").from_predictions(
        y_true, y_score
    )
    a, b = 2 + 0.5, 1 + 0.5
    variance = a * b / (a + b) ** 2 / (a + b + 1)
    assert result.standard_error == pytest.approx(variance**0.5)


@pytest.mark.parametrize("ranks", [[], [3], [5, 9], [1, 2, 3, 4]])
@pytest.mark.parametrize("name", ["average_precision@20", "recall@20", "precision@20"])
def test_limits_of_few_hits_are_those_of_garwood(name, ranks):
    """Judge: Poisson limits by chi-squared; a hit has the mean value of a lone one."""
    n, m, metric = 2000, 30, make_metric(name)

    def labels(ranks):  # the other targets are last
        places = [rank - 1 for rank in ranks]
        return np.isin(np.arange(n), [*places, *range(n - m + len(ranks), n)])

    y_score, h = -np.arange(n), len(ranks)
    lone = np.mean([metric(labels([rank]), y_score) for rank in range(1, 21)])
    result = MetricInterval(metric, method="moderated").from_predictions(
        labels(ranks), y_score
    )
    for level in (0.5, 0.95):
        low, high = result.confidence_interval(level)
        few = chi2.ppf((1 - level) / 2, 2 * h) / 2 if h else 0.0
        assert low == pytest.approx(few * result.value / max(h, 1))
        many = lone * chi2.isf((1 - level) / 2, 2 * h + 2) / 2
        if h and "average" in name:  # limits by the variance may be wider
            assert high > many
        else:
            assert high == pytest.approx(many)


@pytest.mark.parametrize("case", SMOOTH)
def test_moderation_fades_with_more_targets(case):
    name, given_settings = METRICS[case]
    given_settings = {**given_settings}
    for depth in ("t", "k"):
        if depth in given_settings:
            given_settings[depth] = 0.1
    sample = draw(np.random.default_rng(2), 3000, 20_000)
    errors = [
        MetricInterval(method=method, **named(name, **given_settings))
        .from_predictions(*sample)
        .standard_error
        for method in ("moderated", "jackknife")
    ]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)


@pytest.mark.parametrize("grid", [None, 0.75])
def test_coverage_of_the_default(grid):
    rng = np.random.default_rng(11)
    asked = MetricInterval()
    results = [
        asked.from_predictions(*draw(rng, 30, 1470, grid=grid)) for _ in range(300)
    ]
    truth = np.mean([result.value for result in results])
    limits = np.array([result.confidence_interval() for result in results])
    covered = np.mean((limits[:, 0] <= truth) & (truth <= limits[:, 1]))
    assert 0.95 - 3 * 0.0126 <= covered <= 0.95 + 3 * 0.0126  # sqrt(.95 * .05 / 300)


@pytest.mark.parametrize("hits", [(1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 1, 1)])
@pytest.mark.parametrize("case", SMOOTH)
def test_the_best_and_the_worst_list_have_an_interval(case, hits):
    y_true, y_score = make_list((5,) * 6, [5 * d for d in hits])
    result = question(case).from_predictions(y_true, y_score)
    low, high = result.confidence_interval()
    assert result.standard_error > 0
    least = {"expected_profit@4": -4 * 0.5, "expected_profit@0.5": -15 * 1}
    assert least.get(case, 0) <= low <= result.value <= high
    assert low < high


@pytest.mark.parametrize("name", ["average_precision", "recall@12"])
def test_the_bootstrap_of_untied_scores_is_that_of_drawn_lists(name):
    """Judge: lists of targets and of others that numpy draws, one by one."""
    rng, metric = np.random.default_rng(0), make_metric(name)
    score = rng.normal(size=60) + np.repeat([1.0, 0.0], [12, 48])
    values = []
    for _ in range(1000):
        at = np.append(rng.integers(0, 12, 12), rng.integers(12, 60, 48))
        drawn = score[at] + 1e-9 * rng.random(60)  # copies have any order
        values.append(metric(np.arange(60) < 12, drawn))
    asked = MetricInterval(metric, method="bootstrap", n_resamples=4000, random_state=0)
    result = asked.from_predictions(np.arange(60) < 12, score)
    assert result.standard_error == pytest.approx(np.std(values), rel=0.1)


@pytest.mark.parametrize("kind", ["best", "worst", "any", "clusters"])
@pytest.mark.parametrize("method", ["moderated", "bootstrap", "posterior"])
def test_limits_of_a_profit_are_those_of_the_precision(kind, method):
    """Judge: a profit is a linear function of the precision at the same cutoff."""
    y, given = np.arange(40) < 6, {}
    if kind == "clusters":
        method, given = "bootstrap", {"clusters": np.arange(40) // 2}
    score = {"worst": np.arange(40.0), "any": np.sin(np.arange(40.0))}
    precision, profit = (
        MetricInterval(name, method=method, n_resamples=200, random_state=0)
        .from_predictions(y, score.get(kind, -np.arange(40.0)), **given)
        .confidence_interval()
        for name in ("precision@4", "expected_profit@4(benefit=5, cost=1)")
    )
    assert_allclose(profit, 4 * (5 * np.array(precision) - 1), atol=1e-9)
    assert profit.low < profit.high


@given(st.integers(0, 10**6), st.sampled_from(["moderated", "jackknife", "bootstrap"]))
@settings(max_examples=25, deadline=None)
def test_intervals_are_nested_and_possible(seed, method):
    rng = np.random.default_rng(seed)
    sample = draw(rng, rng.integers(2, 12), rng.integers(2, 60))
    asked = MetricInterval(method=method, n_resamples=50, random_state=0)
    result = asked.from_predictions(*sample)
    if not result.standard_error > 0:
        return
    wide = result.confidence_interval(0.99)
    assert {type(limit) for limit in wide} == {float}
    narrow = result.confidence_interval(0.5)
    assert 0 <= wide.low <= narrow.low < narrow.high <= wide.high <= 1


def test_auto_moderates_where_it_can():
    sample = draw(np.random.default_rng(0), 10, 90)
    methods = {
        case: question(case, n_resamples=20, random_state=0)
        .from_predictions(*sample)
        .method
        for case in METRICS
    }
    assert {case for case, name in methods.items() if name == "moderated"} == set(
        SMOOTH
    )
    assert set(methods.values()) == {"moderated", "bootstrap"}


@pytest.mark.parametrize("case", BY_VALUE)
def test_metrics_by_value_are_resampled_and_nothing_else(case):
    name, settings = BY_VALUE[case]
    metric = named(name, **settings)["metric"]
    rng = np.random.default_rng(5)
    for m, n, spread in ((8, 80, 1.0), (8, 80, 0.0), (1, 9, 1.0), (3, 3, 1.0)):
        y_true = np.arange(n + m) < m
        y_score = np.round(rng.normal(2.0 * y_true * spread, spread), 1)
        asked = MetricInterval(metric, n_resamples=99, random_state=0)
        if m == 1 and spread:
            with pytest.warns(
                UndefinedMetricWarning, match="`y_true` must contain two"
            ):
                asked.from_predictions(y_true, y_score)
            continue
        result = asked.from_predictions(y_true, y_score)
        assert result.method == "bootstrap"
        assert result.value == metric_function(case)(y_true, y_score)
        assert result.standard_error >= 0
        limits = [result.confidence_interval(level) for level in (0.99, 0.9, 0.5)]
        assert np.all(np.diff([low for low, _ in limits]) >= 0)
        assert np.all(np.diff([high for _, high in limits]) <= 0)
        assert limits[-1].low <= result.value <= limits[-1].high
        most = n + m if name == "k_at_recall" else 1
        least = -0.5 if name == "wss" else 0
        assert least <= limits[0].low <= limits[0].high <= most
    for method in ("moderated", "jackknife", "survival", "posterior"):
        with pytest.raises(ValueError, match="`method` must be one of .*'bootstrap'"):
            MetricInterval(metric, method=method)


def test_the_result_prints_itself_and_becomes_a_dict():
    result = MetricInterval().from_predictions(*draw(np.random.default_rng(0), 9, 90))
    low, high = result.confidence_interval()
    assert f"{low:.4g} to {high:.4g}" in str(result) == repr(result)
    found = result.to_dict()
    assert (found["low"], found["high"]) == (low, high)
    assert found["n_targets"] == 9
    assert found["method"] == "moderated"
    assert "method='auto'" in repr(MetricInterval())


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_one_target_does_not_tell_how_much_it_varies(method):
    y_true, y_score = make_list((1, 1, 1, 1), (0, 1, 0, 0))
    asked = MetricInterval(method=method)
    X = y_score[:, None]
    model = LinearRegression().fit(X, y_score)
    with pytest.warns(UndefinedMetricWarning, match="two targets") as caught:
        result = asked.from_predictions(y_true, y_score)
    with pytest.warns(UndefinedMetricWarning, match="two targets") as later:
        asked.from_estimator(model, X, y_true)
    assert caught[0].filename == later[0].filename == __file__
    assert np.isnan(result.standard_error)
    with pytest.warns(UndefinedMetricWarning, match="interval"):
        assert np.isnan(result.confidence_interval()).all()
    assert "nan" in str(result)
    low, high = MetricInterval().from_predictions(y_true, y_score).confidence_interval()
    assert low < 0.5 < high


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"method": "delong"}, "`method` must be one of"),
        ({"method": "posterior"}, r"`method` must be one of \['auto', .*'posterior'"),
        ({"metric": "bedroc", "method": "survival"}, "got 'survival'"),
        ({"metric": "reciprocal_rank", "method": "jackknife"}, "got 'jackknife'"),
        ({"n_resamples": 1}, "`n_resamples` must be an int of at least 2"),
        ({"metric": "recall"}, "`metric` must have a cutoff"),
    ],
)
def test_settings_are_checked(kwargs, message):
    with pytest.raises(ValueError, match=message):
        MetricInterval(**kwargs)


def test_input_and_levels_are_checked():
    sample = draw(np.random.default_rng(0), 10, 90)
    with pytest.raises(ValueError, match="targets and non-targets"):
        MetricInterval().from_predictions(np.zeros(5), np.arange(5.0))
    asked = MetricInterval("recall@5", ties="together", method="bootstrap")
    with pytest.raises(ValueError, match="`ties` must not be 'together'"):
        asked.from_predictions(*sample)
    result = MetricInterval().from_predictions(*sample)
    with pytest.raises(ValueError, match="`confidence_level` must be a number between"):
        result.confidence_interval(95)


@pytest.mark.nightly
def test_the_interval_of_a_high_ks_statistic_holds():
    # the error of the resamples alone covers .74
    y = np.arange(500) < 30
    mean = np.mean(
        [
            ks_statistic(y, np.random.default_rng(10_000 + seed).normal(3.8 * y))
            for seed in range(1000)
        ]
    )
    held = []
    for seed in range(runs(100)):
        score = np.random.default_rng(seed).normal(3.8 * y)
        asked = MetricInterval("ks_statistic", n_resamples=199)
        low, high = asked.from_predictions(y, score).confidence_interval()
        held.append(low <= mean <= high)
    assert_share(held, 0.93, 1.0)


# Metrics of the rank of one target


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    ("m", "recall"), [(12, 0.5), (40, 0.5), (60, 0.8), (200, 0.95)]
)
def test_limits_of_a_rank_are_between_those_of_whole_targets(m, recall, level):
    """Targets whose numbers are quantiles of a binomial distribution, by SciPy."""
    rng = np.random.default_rng(m)
    y = np.arange(40 * m) < m
    score = rng.normal(1.5 * y)
    ranks = np.flatnonzero(y[np.argsort(-score)]) + 1
    ask = MetricInterval(f"k_at_recall({recall})", n_resamples=50)
    low, high = ask.from_predictions(y, score).confidence_interval(level)
    ranks = np.maximum(ranks, math.ceil(recall * m))  # the first possible rank
    share = math.ceil(recall * m) / (m + 1)
    few, many = binom.ppf([(1 - level) / 2, (1 + level) / 2], m, share).astype(int)
    assert ranks[few - 1] <= low <= ranks[few]
    ranks = np.append(ranks, y.size)  # beyond the last target
    assert ranks[many - 1] <= high <= ranks[many]
    found = MetricInterval(f"wss({recall})", n_resamples=50).from_predictions(y, score)
    wss = found.confidence_interval(level)
    assert wss == pytest.approx((recall - high / y.size, recall - low / y.size))
    ask = MetricInterval(f"precision_at_recall({recall})", n_resamples=50)
    low, high = ask.from_predictions(y, score).confidence_interval(level)
    precision = math.ceil(recall * m) / ranks
    assert precision[many] <= low <= precision[many - 1]
    assert precision[few] <= high <= precision[few - 1]


@pytest.mark.parametrize("m", [2, 3, 8])
def test_limits_of_a_rank_with_few_targets(m):
    """The last rank is as late as the list is long, for all that is known."""
    y = np.arange(300) < m
    ask = MetricInterval("k_at_recall(1.0)", n_resamples=50)
    result = ask.from_predictions(y, -np.arange(300))
    low, high = result.confidence_interval()
    assert low <= result.value == m
    assert high > 150


@pytest.mark.nightly
@pytest.mark.parametrize("m", [12, 25, 50])
@pytest.mark.parametrize("name", ["wss(0.95)", "k_at_recall(0.8)"])
def test_intervals_of_a_rank_cover(name, m):
    rng, y = np.random.default_rng(m), np.arange(30 * m) < m

    def drawn():
        return np.where(y, rng.beta(2, 3, y.size), rng.beta(0.6, 6, y.size))

    metric = make_metric(name)
    true, held = np.mean([metric(y, drawn()) for _ in range(2000)]), []
    ask = MetricInterval(metric, n_resamples=50)
    for _ in range(runs(100)):
        low, high = ask.from_predictions(y, drawn()).confidence_interval()
        held.append(low <= true <= high)
    assert_share(held, least=0.92)


@pytest.mark.parametrize(
    "name", ["k_at_recall(0.5)", "wss(0.5)", "expected_profit@0.5(benefit=2, cost=1)"]
)
def test_limits_of_weighted_items_are_on_both_sides(name):
    rng, y = np.random.default_rng(3), np.arange(120) % 5 == 0
    score = np.round(rng.normal(1.5 * y))
    weight = 1 + np.arange(120) % 3
    for one in (score, score + rng.normal(scale=0.01, size=120)):
        with warnings.catch_warnings():  # of ties
            warnings.simplefilter("ignore", UserWarning)
            ask = MetricInterval(name, n_resamples=50)
            result = ask.from_predictions(y, one, sample_weight=weight)
        low, high = result.confidence_interval()
        assert low < result.value < high


# weights: of a sample of the non-targets; of few large amounts; of amounts
WEIGHTS = {
    "1 and 20": lambda rng, y: np.where(y | (rng.random(y.size) < 0.5), 1.0, 20.0),
    "1 and 50": lambda rng, y: np.where(rng.random(y.size) < 0.05, 50.0, 1.0),
    "lognormal": lambda rng, y: rng.lognormal(0, 1.5, y.size),
}


@pytest.mark.nightly
@pytest.mark.parametrize("is_tied", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_error_of_weighted_items_is_that_of_drawn_items(weights, is_tied):
    # judge: items drawn one by one with their weights, measured by the functions
    rng, y = np.random.default_rng(5), np.arange(240) < 20
    score = rng.normal(1.5 * y)
    score = np.round(score) if is_tied else score
    weight, draws = WEIGHTS[weights](rng, y), 2000
    names = ["average_precision", "recall@5%", "k_at_recall(0.5)", "precision@9"]
    metrics = [make_metric(one, ties="together") for one in names]
    metrics += map(make_metric, ["bedroc", "max_f_score", "recall@20"])
    drawn = np.empty((len(metrics), draws))
    with warnings.catch_warnings():  # of weights
        warnings.simplefilter("ignore", UserWarning)
        for i in range(draws):
            of_targets, of_others = (
                rng.integers(20, size=20),
                rng.integers(220, size=220),
            )
            at = np.r_[of_targets, 20 + of_others]
            ranking = Ranking.from_predictions(y, score[at], sample_weight=weight[at])
            drawn[:, i] = [metric(ranking) for metric in metrics]
        for metric, values in zip(metrics, drawn, strict=True):
            ask = MetricInterval(metric, n_resamples=4000)
            result = ask.from_predictions(y, score, sample_weight=weight)
            assert result.standard_error == pytest.approx(values.std(), rel=0.1)


@pytest.mark.parametrize("t", [10, 60])
def test_capped_recall_is_precision_or_recall(t):
    # judge: the metric with the same divisor, by each method that it has
    rng, y = np.random.default_rng(0), np.arange(200) < 30
    score = np.round(rng.normal(1.2 * y), 1)
    same = f"precision@{t}" if t < 30 else f"recall@{t}"
    for method in ("auto", "posterior", "jackknife", "bootstrap", "survival"):
        capped, other = (
            MetricInterval(one, method=method, n_resamples=99)
            .from_predictions(y, score)
            .confidence_interval()
            for one in (f"recall@{t}(normalize=min)", same)
        )
        assert_allclose(capped, other, rtol=1e-12)


def test_equal_weights_do_not_change_the_error_of_a_few_items():
    # of two non-targets a bootstrap knows little, with and without weights
    rng, y = np.random.default_rng(1), np.arange(62) < 60
    score, ask = rng.normal(1.2 * y), MetricInterval("ks_statistic", n_resamples=99)
    plain = ask.from_predictions(y, score).standard_error
    for weight in (2.0, 0.3):
        given = {"sample_weight": np.full(62, weight)}
        found = ask.from_predictions(y, score, **given).standard_error
        assert found == pytest.approx(plain, rel=1e-12)


def test_huge_and_tiny_weights_have_an_interval():
    # powers of two are exact, and their squares are no floats
    rng, y = np.random.default_rng(0), np.arange(200) < 40
    score, weight = rng.normal(1.5 * y), rng.random(200) + 0.5
    ask = MetricInterval(n_resamples=200)
    errors = [
        ask.from_predictions(y, score, sample_weight=weight * factor).standard_error
        for factor in (1.0, 2.0**-700, 2.0**700)
    ]
    assert_allclose(errors, errors[0], rtol=1e-9)
