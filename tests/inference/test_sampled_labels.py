"""Metrics of lists of which a sample has labels.

Judges: loops in fractions; enumeration of all samples of a list; the hypergeometric
distribution; the metrics of the complete list.
"""

import itertools
import math
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import hypergeom
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

from cases import assert_share, runs
from skrank import (
    RandomSelectionTest,
    SampledMetricInterval,
    hit_curve,
    labels_to_collect,
    make_metric,
)

METRICS = (
    "average_precision",
    "recall@3",
    "precision@3",
    "enrichment_factor@3",
    "expected_profit@3(benefit=5, cost=1)",
    "k_at_recall(0.5)",
    "wss(0.8)",
    "ks_statistic",
)
FAST = {"n_resamples": 100}
NAN = np.nan


@pytest.mark.parametrize("seed", range(10))
def test_the_value_is_that_of_items_that_stand_for_their_stratum(seed):
    """Judge: sums in fractions over items without ties."""
    rng = np.random.default_rng(seed)
    n, strata = 40, rng.integers(0, 3, 40)
    y = np.where(rng.random(n) < 0.4, rng.random(n) < 0.4, np.nan)
    y[:2] = 0, 1  # something is known of the top
    for one in range(3):
        y[rng.choice(np.flatnonzero(strata == one))] = 1
    ratio = [
        Fraction(int(np.sum(strata == one)), int(np.sum(~np.isnan(y[strata == one]))))
        for one in range(3)
    ]
    known = [i for i in range(n) if not math.isnan(y[i])]
    weight = {i: ratio[strata[i]] for i in known}
    m = sum(weight[i] for i in known if y[i])
    hits = sum(weight[i] for i in known if y[i] and i < 9)
    total = Fraction(0)
    for i in known:
        if y[i]:
            # the labels above are known, and stand for the other items
            above = [j for j in known if j < i]
            copies = sum(weight[j] - 1 for j in above)
            share = Fraction(1, 2)
            if copies:
                share = sum(weight[j] - 1 for j in above if y[j]) / copies
            found = sum(int(y[j]) for j in above) + (i - len(above)) * share
            total += weight[i] * (1 + found) / (i + 1)
    rest, hits = m - hits, min(hits, Fraction(9))
    expected = {
        "average_precision": total / m,
        "recall@9": hits / (rest + hits),
        "precision@9": hits / 9,
        "expected_profit@9(benefit=5, cost=1)": 5 * hits - 9,
    }
    for name, value in expected.items():
        ask = SampledMetricInterval(name, **FAST)
        result = ask.from_predictions(y, -np.arange(n), strata=strata)
        assert result.value == pytest.approx(float(value), rel=1e-12)


@pytest.mark.parametrize("name", METRICS[1:])
def test_the_value_of_ties_that_are_strata_is_that_of_the_list_they_stand_for(name):
    """Judge: the metric of a list in which each label stands three times."""
    rng = np.random.default_rng(3)
    level = np.repeat(np.arange(12), 3 * rng.integers(2, 6, 12))
    some = rng.random(level.size // 3) < 0.3
    y = np.full(level.size, np.nan)
    y[::3] = some
    ask = SampledMetricInterval(name, **FAST)
    result = ask.from_predictions(y, -level, strata=level)
    metric = make_metric(name)
    assert result.value == pytest.approx(metric(np.repeat(some, 3), -level), rel=1e-12)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("distinct", [5, 10_000])
def test_all_labels_give_the_metric_and_no_doubt(name, distinct):
    rng = np.random.default_rng(1)
    score, y = rng.integers(0, distinct, 500).astype(float), rng.random(500) < 0.1
    result = SampledMetricInterval(name, **FAST).from_predictions(y, score)
    assert_allclose(result.value, make_metric(name)(y, score), rtol=1e-12)
    assert_allclose(result.confidence_interval(), result.value, rtol=1e-12)
    assert tuple(result.remaining()) == (0, 0)
    assert result.remaining_pvalue(0) == 0.0
    assert_allclose(result.recall_so_far(), 1)
    curve, full = result.hit_curve(), hit_curve(y, score)
    assert_allclose(curve.at(np.arange(501)), full.at(np.arange(501)), atol=1e-9)
    band = result.hit_curve_band([1, 50, 500])
    assert_allclose(band.low, band.high, atol=1e-9)


def test_average_precision_of_ties_is_that_of_the_labels_of_each():
    """Judge: sums over places, with the share of the other labels of the tie."""
    rng = np.random.default_rng(3)
    level = np.repeat(np.arange(6), 3 * rng.integers(2, 6, 6))
    y = np.full(level.size, np.nan)
    y[::3] = rng.random(level.size // 3) < 0.4
    total, targets, above = 0.0, 0, 0
    for one in range(6):
        some = y[(level == one) & ~np.isnan(y)]
        x, r, size = int(some.sum()), some.size, 3 * some.size
        for place in range(1, size + 1):
            before = targets + (place - 1) * (x - 1) / (r - 1)
            total += 3 * x / size * (1 + before) / (above + place) if x else 0
        targets, above = targets + 3 * x, above + size
    result = SampledMetricInterval(**FAST).from_predictions(y, -level, strata=level)
    assert result.value == pytest.approx(total / targets, rel=1e-12)


@pytest.mark.filterwarnings("ignore:All .* are targets")
@pytest.mark.parametrize(("n", "r"), [(30, 7), (60, 20), (25, 24), (12, 1)])
def test_remaining_limits_hold_for_every_number_of_targets(n, r):
    # judge: the hypergeometric probability of each number in the sample
    y = np.full(n, np.nan)
    limits = []
    for x in range(r + 1):
        y[:r] = np.arange(r) < x
        result = SampledMetricInterval("precision@1", **FAST).from_predictions(
            y, np.zeros(n), strata=np.zeros(n)
        )
        low, high = result.remaining(0.9)
        limits.append((low + x, high + x))
        for at_most in range(n - r):
            expected = hypergeom.cdf(x, n, x + at_most + 1, r)
            assert_allclose(result.remaining_pvalue(at_most), expected)
    low, high = np.transpose(limits)
    for total in range(n + 1):
        chance = hypergeom.pmf(np.arange(r + 1), n, total, r)
        assert chance[low > total].sum() <= 0.05 + 1e-12
        assert chance[high < total].sum() <= 0.05 + 1e-12


def ever_wrong(n, total, alpha, limit, *, sequential):
    """Return the exact probability to stop while more than `limit` targets are left.

    Items are labelled in random order, and all looks count.
    """
    going, wrong = {0: 1.0}, 0.0  # targets found -> probability
    for r in range(1, n):
        after = {}
        for x, chance in going.items():
            share = (total - x) / (n - r + 1)
            after[x + 1] = after.get(x + 1, 0) + chance * share
            after[x] = after.get(x, 0) + chance * (1 - share)
        going = {}
        for x, chance in after.items():
            if not chance:
                continue
            y = np.full(n, np.nan)
            y[:r] = np.arange(r) < x
            result = SampledMetricInterval("precision@1", **FAST).from_predictions(
                y, np.zeros(n), strata=np.zeros(n)
            )
            if result.remaining_pvalue(limit, sequential=sequential) > alpha:
                going[x] = chance
            elif total - x > limit:
                wrong += chance
    return wrong


@pytest.mark.parametrize(("total", "limit"), [(1, 0), (3, 1), (9, 5), (14, 12)])
def test_sequential_pvalue_holds_at_all_looks(total, limit):
    assert ever_wrong(24, total, 0.2, limit, sequential=True) <= 0.2


@pytest.mark.filterwarnings("ignore:All .* are targets")
@pytest.mark.parametrize("n_above", [0, 2])
@pytest.mark.parametrize(("n", "r"), [(8, 3), (7, 6), (6, 1)])
def test_sequential_pvalue_is_the_inverse_of_the_martingale(n, r, n_above):
    """Judge: all places of all numbers of targets, in fractions.

    A stratum with all labels above the sampled one changes nothing.
    """
    for x in range(r + 1):
        first = tuple(i < x for i in range(r))
        places = [itertools.combinations(range(n), k) for k in range(n + 1)]
        chance = [
            Fraction(
                sum(tuple(i in some for i in range(r)) == first for some in every),
                math.comb(n, k),
            )
            for k, every in enumerate(places)
        ]
        y = np.array([0.0, 1.0][:n_above] + [*first] + [math.nan] * (n - r))
        strata = np.repeat([0, 1], [n_above, n])
        ask = SampledMetricInterval("precision@1", **FAST)
        result = ask.from_predictions(y, -np.arange(y.size), strata=strata)
        for at_most in range(n - r + 2):
            # the mean over all smaller totals, divided by the chance of the total
            inverse = [
                chance[k] * k / sum(chance[:k])
                for k in range(x + at_most + 1, n - (r - x) + 1)
                if any(chance[:k])
            ]
            found = result.remaining_pvalue(at_most, sequential=True)
            assert found == pytest.approx(float(min(1, max(inverse, default=0))))


def test_pvalue_of_one_look_does_not_hold_at_all_looks():
    assert ever_wrong(24, 14, 0.2, 12, sequential=False) > 0.22


@pytest.mark.parametrize(
    ("items", "labels"),
    [((6, 6, 6), (3, 3, 3)), ((40, 40), (3, 3)), ((30, 30), (5, 5))],
)
def test_strata_of_few_labels_hold_for_all_numbers_of_targets(items, labels):
    # judge: the hypergeometric probability of all numbers that a sample can have
    n, strata = sum(items), np.repeat(np.arange(len(items)), items)
    starts = np.cumsum([0, *items])[:-1]
    found, limits = [], []
    for some in itertools.product(*(range(r + 1) for r in labels)):
        y = np.full(n, np.nan)
        for start, r, x in zip(starts, labels, some, strict=True):
            y[start : start + r] = np.arange(r) < x
        ask = SampledMetricInterval(f"precision@{n}", n_resamples=500)
        result = ask.from_predictions(y, -np.arange(n), strata=strata)
        found.append(some)
        limits.append(np.array(result.remaining()) + sum(some))
    found, limits = np.array(found), np.array(limits)
    for totals in itertools.product(*(range(0, size + 1, 2) for size in items)):
        chance = np.ones(len(found))
        for x, total, size, r in zip(found.T, totals, items, labels, strict=True):
            chance = chance * hypergeom.pmf(x, size, total, r)
        inside = (limits[:, 0] <= sum(totals)) & (sum(totals) <= limits[:, 1])
        assert chance[inside].sum() >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("part", ["one", "alternate", "halves"])
@pytest.mark.parametrize(
    "y",
    [
        (0, 2, 3, 7),
        pytest.param((9, 10, 11), marks=pytest.mark.nightly),
        pytest.param((0, 1, 2, 3, 4), marks=pytest.mark.nightly),
    ],
)
def test_intervals_hold_over_the_samples_of_small_lists(y, part):
    # judge: each fifth of all samples of 5 of 12 items
    labels, places = np.isin(range(12), y).astype(float), np.arange(12)
    score = np.array([9, 9, 8, 7, 7, 7, 6, 5, 4, 3, 2, 1])
    strata = {"one": 0 * places, "alternate": places % 2, "halves": places // 6}[part]
    samples = [
        one
        for one in itertools.combinations(range(12), 5)
        if part == "one" or np.sum(strata[list(one)]) == 2
    ]
    for name in METRICS:
        truth, missed = make_metric(name)(labels, score), []
        ask = SampledMetricInterval(name, n_resamples=300)
        for chosen in samples[::5]:
            sample = np.full(12, np.nan)
            sample[list(chosen)] = labels[list(chosen)]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                result = ask.from_predictions(sample, score, strata=strata)
            low, high = result.confidence_interval(0.8)
            missed.append(not low - 1e-9 <= truth <= high + 1e-9)
        # .2, and the error of 60 to 159 samples
        assert np.mean(missed) <= 0.25, name


def ranked_list(kind, m, rng, n=2000):
    """Return labels in the order of the ranking, of four kinds of lists."""
    scores = rng.normal(size=n)
    shifts = {"random": 0.0, "good": 3.0, "perfect": 99.0}
    scores[:m] += shifts.get(kind, 0.0)
    if kind == "two topics":
        scores[: int(0.7 * m)] += 3.5
        scores[int(0.7 * m) : m] -= 0.5
    return (np.arange(n) < m)[np.argsort(-scores)]


@pytest.mark.nightly
@pytest.mark.parametrize("m", [8, 40])
@pytest.mark.parametrize("kind", ["random", "good", "perfect", "two topics"])
def test_coverage_of_fixed_lists(kind, m):
    y = ranked_list(kind, m, np.random.default_rng(m))
    place = -np.arange(y.size)
    covered, banded = {}, []
    full = hit_curve(y, place)
    for i in range(runs(60)):
        plan = labels_to_collect(place, 250, t=100, random_state=i)
        sample, result = np.where(plan["to_label"], y, np.nan), None
        if not np.nansum(sample):
            continue  # the value is undefined
        for name in ("average_precision", "recall@100", "k_at_recall(0.8)"):
            ask = SampledMetricInterval(name, n_resamples=500, random_state=i)
            if result is None:
                result = ask.from_predictions(sample, place, strata=plan["stratum"])
            else:
                result = ask.from_result(result)
            low, high = result.confidence_interval()
            truth = make_metric(name)(y, place)
            covered.setdefault(name, []).append(low <= truth + 1e-9 <= high + 2e-9)
        band = result.hit_curve_band(np.unique(np.geomspace(1, 2000, 40).astype(int)))
        hits = full.at(band.x)
        banded.append(np.all((band.low <= hits + 1e-9) & (hits <= band.high + 1e-9)))
    for inside in (*covered.values(), banded):
        assert_share(inside, least=0.95)


@pytest.mark.nightly
@pytest.mark.parametrize("shift", [1.0, 2.0, 3.0])
def test_coverage_of_the_mean_over_lists(shift):
    def draw(seed):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=2000)
        scores[:40] += shift
        return (np.arange(2000) < 40)[np.argsort(-scores)]

    place = -np.arange(2000)
    metric = make_metric("average_precision")
    mean = np.mean([metric(draw([7, i]), place) for i in range(1000)])
    covered = []
    for i in range(runs(60)):
        plan = labels_to_collect(place, 300, random_state=i)
        sample = np.where(plan["to_label"], draw([8, i]), np.nan)
        ask = SampledMetricInterval(population=True, n_resamples=500, random_state=i)
        result = ask.from_predictions(sample, place, strata=plan["stratum"])
        low, high = result.confidence_interval()
        covered.append(low <= mean <= high)
    assert_share(covered, least=0.95)


@pytest.mark.nightly
def test_random_selection_test_of_labelled_rows():
    # exact if the items were chosen without a look at labels, by whatever chances
    n, rank, pvalues = (
        400,
        np.arange(400),
        {"top": [], "top and sample": [], "rank": []},
    )
    for i in range(runs(100)):
        rng = np.random.default_rng(i)
        y = rng.permutation(n) < 12
        looked = {
            "top": rank < 40,
            "top and sample": (rank < 20) | (rng.random(n) < 0.2),
            "rank": rng.random(n) < 3 / np.sqrt(rank + 1),
        }
        for name, some in looked.items():
            if 0 < y[some].sum() < some.sum():
                result = RandomSelectionTest().from_predictions(y[some], -rank[some])
                pvalues[name].append(result.pvalue <= 0.05)
    for small in pvalues.values():
        assert_share(small, most=0.05)


def sampled_list(n=3000, budget=300, seed=0, distinct=None):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < n // 50
    score = rng.normal(size=n) + 2 * y
    if distinct:
        score = np.round(score * distinct) / distinct
    plan = labels_to_collect(score, budget, t=100, random_state=seed)
    return np.where(plan["to_label"], y, np.nan), score, plan["stratum"].to_numpy()


def limits_of(result):
    return (result.value, *result.confidence_interval(), *result.remaining())


def test_only_the_order_of_scores_and_the_runs_of_strata_count():
    y, score, strata = sampled_list(distinct=3)
    ask = SampledMetricInterval(**FAST)
    expected = limits_of(ask.from_predictions(y, score, strata=strata))
    same = (
        ask.from_predictions(y, np.exp(score), strata=strata),
        ask.from_predictions(y, -score, strata=strata, lower_is_better=True),
        ask.from_predictions(y, score, strata=[f"s{99 - one}" for one in strata]),
        ask.from_predictions(y[::-1], score[::-1], strata=strata[::-1]),
        ask.from_predictions(1 - y, score, strata=strata, pos_label=0),
        ask.from_predictions(
            np.where(np.isnan(y), None, np.where(y == 1, "fraud", "fair")),
            score,
            strata=strata,
            pos_label="fraud",
        ),
        ask.from_predictions(pd.Series(y).astype("Int64"), score, strata=strata),
        ask.from_predictions(pd.array(y, dtype="Int64"), score, strata=strata),
        ask.from_predictions(
            [None if math.isnan(one) else int(one) for one in y],
            list(score),
            strata=list(strata),
        ),
    )
    for result in same:
        assert limits_of(result) == expected


def test_more_labels_give_narrower_intervals():
    rng = np.random.default_rng(3)
    y = (np.arange(4000) < 80)[
        np.argsort(-rng.normal(size=4000) - 2 * (np.arange(4000) < 80))
    ]
    place, widths = -np.arange(4000), []
    for budget in (200, 400, 800, 1600, 4000):
        plan = labels_to_collect(place, budget)
        sample = np.where(plan["to_label"], y, np.nan)
        result = SampledMetricInterval().from_predictions(
            sample, place, strata=plan["stratum"]
        )
        widths.append(np.ptp(result.confidence_interval()))
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0


def test_labels_of_the_top_give_what_they_can():
    y, score = np.array([1, 0, 1, NAN, NAN, NAN]), np.arange(6)[::-1]
    result = SampledMetricInterval("precision@3").from_predictions(y, score)
    assert result.value == pytest.approx(2 / 3)
    assert_allclose(result.confidence_interval(), 2 / 3)
    assert tuple(result.remaining()) == (0, 3)
    assert math.isnan(result.n_remaining)  # nobody looked at the rest
    for name in ("average_precision", "recall@3", "precision@4"):
        with pytest.raises(ValueError, match="`strata` must describe how the lab"):
            SampledMetricInterval(name).from_predictions(y, score)


GOOD = {"y_true": [1, 0, NAN, 0, NAN, 0], "y_score": [6, 5, 4, 3, 2, 1]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strata": [0, 0, 1, 1, 2, 2]}, "got one or none in 1, 2"),
        ({"strata": [0, 1, 1, 1, 1, 1]}, None),
        ({}, "`strata` must describe how the labelled items were sampled.*Pass two"),
        ({"strata": [1, 0, 0, 1, 0, 0]}, None),
        ({"strata": [0, 0, 0, 0, 1, 0]}, "must contain two labelled items each"),
        ({"y_score": {"a": [6, 5, 4, 3, 2]}, "strata": [0] * 6}, r"`y_score`\['a'\]"),
        (
            {"y_true": [1, 0, 0, 0, NAN, NAN], "strata": [0, 0, 0, 0, 1, 1]},
            "`strata` must contain two labelled items each for .*none in 1",
        ),
        ({"strata": [0, 0, 1]}, "`strata` must have as many items"),
        ({"strata": [0, 0, 1, 1, 2, None]}, "`strata` must contain labels of one kind"),
        (
            {"y_true": [NAN] * 6, "strata": [0] * 6},
            "`y_true` must contain at least one label",
        ),
        (
            {"y_true": [2, 0, NAN, 1, NAN, 0], "strata": [0] * 6},
            "`pos_label` must name",
        ),
        ({"y_score": [6, 5, 4, NAN, 2, 1]}, "`y_score` must be finite"),
        ({"y_score": [6, 5, 4]}, "`y_score` must have as many items"),
        ({"groups": [0] * 6}, "`groups` must be left out.*each group separately"),
        ({"clusters": [0] * 6}, "`clusters` must be left out"),
        ({"folds": [0] * 6}, "`folds` must be left out"),
        ({"sample_weight": [1] * 6}, "`sample_weight` must be left out.*`strata`"),
        ({"strata": [0] * 6, "pos_label": 5}, "`pos_label` must be one of the labels"),
    ],
)
def test_input_that_cannot_be_answered_for(change, message):
    given = GOOD | change
    labels, scores = given.pop("y_true"), given.pop("y_score")
    ask = SampledMetricInterval(**FAST)
    if message is None:
        assert 0 < ask.from_predictions(labels, scores, **given).value <= 1
        return
    with pytest.raises(ValueError, match=message):
        ask.from_predictions(labels, scores, **given)


def test_indexes_must_agree():
    y = pd.Series([1, 0, None, 0], index=list("abcd"))
    with pytest.raises(ValueError, match="`strata` must have the index"):
        SampledMetricInterval().from_predictions(
            y, [4, 3, 2, 1], strata=pd.Series([0] * 4, index=list("abdc"))
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "bedroc(alpha=20)"}, "`metric` must be average_precision, recall"),
        ({"metric": make_metric("recall@3", "together")}, "tie rule 'expected'"),
        ({"population": "yes"}, "`population`"),
        ({"n_resamples": 10}, "`n_resamples`"),
    ],
)
def test_settings_that_are_not_defined(arguments, message):
    with pytest.raises(ValueError, match=message):
        SampledMetricInterval(**arguments)


def test_ranks_of_a_known_last_target_are_whole():
    y, strata = np.full(10, np.nan), np.zeros(10)
    y[[0, 5, 9]] = 1, 0, 1
    for recall in (0.3, 0.5, 1.0):
        ask = SampledMetricInterval(f"k_at_recall({recall})")
        result = ask.from_predictions(y, -np.arange(10), strata=strata)
        low, high = result.confidence_interval()
        assert (low % 1, high % 1) == (0, 0)
    assert (low, high) == (10, 10)


def test_a_level_beyond_the_draws_has_a_warning():
    y, score, strata = sampled_list()
    result = SampledMetricInterval(**FAST).from_predictions(y, score, strata=strata)
    with pytest.warns(match="needs `n_resamples`=2000"):
        result.confidence_interval(0.999)


def test_no_target_is_undefined_with_a_warning():
    y = [0, NAN, 0, NAN, 0, NAN]
    ask = SampledMetricInterval(**FAST)
    with pytest.warns(match="average_precision is undefined"):
        result = ask.from_predictions(y, range(6), strata=[0] * 6)
    assert math.isnan(result.value)
    assert result.confidence_interval().high == 1  # a lone target may be the first
    assert result.recall_so_far().low == 0
    precision = SampledMetricInterval("precision@3", **FAST).from_result(result)
    assert precision.value == 0
    depth = SampledMetricInterval("k_at_recall(0.5)", **FAST)
    with pytest.warns(match="is undefined"):
        depth = depth.from_result(result)
    assert depth.confidence_interval().high == 6  # or the last


def test_estimator_ranks_all_items():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    y = (x[:, 0] + rng.normal(size=600) > 2).astype(float)
    model = LogisticRegression().fit(x[:200], y[:200])
    score = model.decision_function(x[200:])
    plan = labels_to_collect(score, 150)
    seen = np.where(plan["to_label"], y[200:], np.nan)
    ask = SampledMetricInterval(**FAST)
    result = ask.from_estimator(model, x[200:], seen, strata=plan["stratum"])
    expected = ask.from_predictions(seen, score, strata=plan["stratum"])
    assert limits_of(result) == limits_of(expected)
    with pytest.raises(ValueError, match="`y` must contain at least one label"):
        ask.from_estimator(model, x[200:], np.full(400, np.nan))


def test_other_lists_vary_more_than_samples_of_one():
    y, score, strata = sampled_list()
    for name in METRICS:
        name = name.replace("@3", "@100")
        narrow, wide = (
            SampledMetricInterval(name, population=one, n_resamples=1000)
            .from_predictions(y, score, strata=strata)
            .confidence_interval()
            for one in (False, True)
        )
        assert np.ptp(wide) > 0.98 * np.ptp(narrow)
    ask = SampledMetricInterval(population=True)
    with pytest.raises(ValueError, match="`population` must be False if all items"):
        ask.from_predictions(np.arange(3000) < 60, score)


def test_the_interval_of_profits_over_lists_has_their_unit_and_zero():
    y, score, strata = sampled_list(n=1000, budget=200)
    found = [
        SampledMetricInterval(f"expected_profit@20({unit})", population=True, **FAST)
        .from_predictions(y, score, strata=strata)
        .confidence_interval()
        for unit in (
            "benefit=5, cost=0.1",
            "benefit=5000, cost=100",
            "benefit=5, cost=9",
        )
    ]
    assert_allclose(1000 * np.array(found[0]), found[1])
    assert_allclose(found[0], np.array(found[2]) + 20 * 8.9)
    assert found[1].high > 1000


def test_the_interval_of_ranks_over_lists_ends_with_the_list():
    y, place = np.full(1000, math.nan), -np.arange(1000)
    y[::10] = False
    y[[100, 500, 900]] = True
    ask = SampledMetricInterval("k_at_recall(0.8)", population=True, **FAST)
    result = ask.from_predictions(y, place, strata=np.zeros(1000))
    assert 900 < result.confidence_interval().high <= 1000


def test_result_says_what_is_known():
    y, score, strata = sampled_list()
    result = SampledMetricInterval("recall@100", **FAST).from_predictions(
        y, score, strata=strata
    )
    frame = result.to_frame()
    assert frame["items"].sum() == result.n_samples == 3000
    assert frame["labelled"].sum() == result.n_labelled == 300
    assert frame["targets"].sum() == result.n_targets == np.nansum(y)
    assert frame["remaining"].sum() == pytest.approx(result.n_remaining)
    assert_array_equal(frame["first"].iloc[1:], frame["last"].iloc[:-1] + 1)
    low, left = result.confidence_interval().low, result.remaining()
    for text in (str(result), result.conclusion(), result._repr_html_()):
        assert f"{low:.4g}" in text or f"{low:.3g}" in text
        assert str(left.high) in text
    assert result.to_dict()["n_labelled"] == 300
    again = pickle.loads(pickle.dumps(result))
    assert limits_of(again) == limits_of(result)
    assert again.recall_so_far().low == result.n_targets / (
        result.n_targets + left.high
    )


def test_band_contains_the_curve_and_ends_at_the_remaining_targets():
    y, score, strata = sampled_list(distinct=5)
    result = SampledMetricInterval(**FAST).from_predictions(y, score, strata=strata)
    curve = result.hit_curve()
    for simultaneous in (False, True):
        band = result.hit_curve_band(simultaneous=simultaneous)
        hits = curve.at(band.x)
        assert np.all(band.low <= hits + 1e-9)
        assert np.all(band.high >= hits - 1e-9)
        assert np.all(np.diff(band.high) >= 0)
    point = result.hit_curve_band([0.5, 1.0], simultaneous=False)
    left = result.remaining()
    assert point.x.tolist() == [1500, 3000]
    # the strata with one more item are those of all depths
    assert point.low[-1] == pytest.approx(result.n_targets + left.low, rel=0.1)
    assert point.high[-1] == pytest.approx(result.n_targets + left.high, rel=0.1)
    together = result.hit_curve_band([1500, 3000])
    assert np.all(together.low <= point.low)
    assert np.all(together.high >= point.high)


def test_the_value_depends_on_the_first_stratum_without_a_label():
    y = np.array([1, 0, math.nan, math.nan, 0, 1, math.nan, math.nan])
    given = {"y_true": y, "y_score": -np.arange(8), "strata": np.repeat(range(4), 2)}
    result = SampledMetricInterval("precision@2", **FAST).from_predictions(**given)
    assert tuple(result.confidence_interval()) == (0.5, 0.5)
    for t in (3, 4, 5, 6):
        ask = SampledMetricInterval(f"precision@{t}", **FAST)
        with pytest.raises(ValueError, match="got one or none in 1"):
            ask.from_predictions(**given)


def test_the_pvalue_of_several_strata_is_that_of_the_limits():
    """Judge: the largest number that is not rejected at a level is its upper limit."""
    y, strata = np.full(400, math.nan), np.repeat([0, 1], 200)
    y[::8] = np.arange(50) % 5 < 2
    result = SampledMetricInterval("precision@400").from_predictions(
        y, -np.arange(400), strata=strata
    )
    for level in (0.8, 0.9, 0.95):
        _, high = result.remaining(level)
        outside = (1 - level) / 2
        assert result.remaining_pvalue(high) <= outside + 0.001
        assert result.remaining_pvalue(high - 1) >= outside - 0.001


def test_several_strata_have_a_pvalue_but_no_sequential_one():
    y, score, strata = sampled_list()
    result = SampledMetricInterval(**FAST).from_predictions(y, score, strata=strata)
    pvalues = [result.remaining_pvalue(one) for one in (0, 20, 60, 200, 3000)]
    assert pvalues == sorted(pvalues, reverse=True)
    assert pvalues[-1] == 0
    with pytest.raises(ValueError, match="`sequential` must be False"):
        result.remaining_pvalue(5, sequential=True)
    with pytest.raises(ValueError, match="`at_most`"):
        result.remaining_pvalue(-1)


@pytest.mark.parametrize("n", [1, 3, 16, 17, 100, 5000])
@pytest.mark.parametrize("distinct", [1, 4, 10**6])
@pytest.mark.parametrize("t", [None, 0.1, [3, 0.5]])
def test_plan_keeps_its_promises(n, distinct, t):
    rng = np.random.default_rng(n)
    score = rng.integers(0, distinct, n)
    if n == 1 or (t == [3, 0.5] and n < 3):
        t = None
    score = score + 5
    for budget in (12, 60, 4000):
        plan = labels_to_collect(score, budget, t=t, random_state=3)
        assert plan["to_label"].sum() == min(n, budget)
        assert plan.groupby("stratum")["to_label"].sum().min() >= min(1, n)
        by_stratum = plan.groupby("stratum")
        expected = by_stratum["to_label"].mean()
        assert_allclose(by_stratum["chance"].first(), expected)
        assert by_stratum["chance"].nunique().max() == 1
        # strata are runs of ranks, and ties are not cut
        runs_of = plan.assign(score=score).groupby("stratum")["score"]
        low, high = runs_of.min().to_numpy(), runs_of.max().to_numpy()
        assert np.all(low[:-1] > high[1:])
        assert_allclose(plan["rank"], pd.Series(-score).rank())
        again = labels_to_collect(score, budget, t=t, random_state=3)
        pd.testing.assert_frame_equal(plan, again)


def test_plan_ends_strata_at_cutoffs_and_keeps_the_index():
    score = pd.Series(np.arange(1000.0)[::-1], index=np.arange(1000) + 7)
    plan = labels_to_collect(score, 200, t=[50, 0.3])
    ends = plan.groupby("stratum")["rank"].max()
    assert {50, 300} <= set(ends)
    assert plan.index.equals(score.index)
    lower = labels_to_collect(-score, 200, t=[50, 0.3], lower_is_better=True)
    pd.testing.assert_frame_equal(plan, lower)
    chances = plan.groupby("stratum")["chance"].first()
    assert chances.is_monotonic_decreasing
    other = labels_to_collect(score, 200, t=[50, 0.3], random_state=1)
    assert not other["to_label"].equals(plan["to_label"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 3}, "`budget`"),
        ({"budget": 5.5}, "`budget`"),
        ({"budget": 10, "t": 101}, "`t`"),
        ({"budget": 10, "t": [20, 30]}, "`budget` must be at least 12 for strata that"),
        ({"budget": 10, "lower_is_better": 1}, "`lower_is_better`"),
    ],
)
def test_plans_that_cannot_be_made(arguments, message):
    with pytest.raises(ValueError, match=message):
        labels_to_collect(np.arange(100.0), **arguments)


def test_expected_width_is_that_of_such_lists():
    # judge: lists that are made and ranked here
    n, m, rng = 3000, 60, np.random.default_rng(5)
    y = np.arange(n) < m
    plan = labels_to_collect(rng.normal(size=n), 400, t=m)
    values, widths, ask = [], [], SampledMetricInterval(n_resamples=200)
    for i in range(25):
        scores = rng.normal(size=n) + 2 * y
        order = np.argsort(-scores)
        values.append(make_metric("average_precision")(y, scores))
        one = labels_to_collect(-np.arange(n), 400, t=m, random_state=i)
        seen = np.where(one["to_label"], y[order], np.nan)
        result = ask.from_predictions(seen, -np.arange(n), strata=one["stratum"])
        widths.append(np.ptp(result.confidence_interval()))
    guess = {"average_precision": np.mean(values), "prevalence": m / n}
    found = ask.expected_width(plan, **guess)
    assert found == pytest.approx(np.median(widths), rel=0.15)
    with pytest.raises(ValueError, match="`plan` must be a result of labels_to_coll"):
        SampledMetricInterval().expected_width(3, **guess)
    for wrong in (0.001, 1.0):
        guess["average_precision"] = wrong
        with pytest.raises(ValueError, match="`average_precision` must be above"):
            SampledMetricInterval().expected_width(plan, **guess)
