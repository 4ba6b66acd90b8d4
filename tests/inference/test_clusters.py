"""Items in clusters, and strata.

Judges: metrics without each cluster in turn, a loop that draws clusters, all label
patterns that may change places, and what each item as a cluster of its own gives.
"""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import logit
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.exceptions import UndefinedMetricWarning

from cases import assert_share, runs
from skrank import (
    MetricInterval,
    NullDistributionDisplay,
    RandomSelectionTest,
    Ranking,
    RankingComparison,
    hit_curve,
    hit_curve_band,
    make_metric,
)
from skrank.inference.variability._changes import ClusterChanges

N, SIZE = 40, 6
CLUSTER = np.repeat(np.arange(N), SIZE)


def images(seed=0, *, of_patients=True):
    """Labels, and scores of two models that correlate within clusters."""
    rng = np.random.default_rng(seed)
    if of_patients:  # all images of a patient have one label
        y = np.repeat(rng.permutation(N) < 12, SIZE).astype(int)
    else:
        y = (rng.random(N * SIZE) < 0.25).astype(int)
    shared = rng.normal(size=(2, N))[:, CLUSTER]
    return y, *(shared + rng.normal(size=(2, N * SIZE)) + 1.2 * y)


Y, A, B = images()


# Intervals


@pytest.mark.parametrize(
    "name", ["average_precision", "average_precision@0.2", "bedroc(alpha=20)"]
)
def test_the_jackknife_is_near_that_of_whole_clusters(name):
    # many small clusters, so that sums of influences are near to leaving them out
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(400), 3)
    y = np.repeat(rng.random(400) < 0.3, 3).astype(int)
    s = rng.normal(size=400)[cluster] + rng.normal(size=1200) + 1.5 * y
    metric = make_metric(name)
    interval = MetricInterval(metric, method="jackknife")
    result = interval.from_predictions(y, s, clusters=cluster)
    without = np.array(
        [metric(y[cluster != one], s[cluster != one]) for one in range(400)]
    )
    error = math.sqrt(399 / 400 * ((without - without.mean()) ** 2).sum())
    assert result.standard_error == pytest.approx(error, rel=0.05)
    assert result.n_clusters == 400
    assert ", 400 clusters" in str(result)


def test_degrees_of_freedom_of_clusters():
    """Judges: rationals, and influences as the public metric without each item."""
    totals = [Fraction(one) for one in (10, -1, -2, -3, -3, -1)]
    squares = [one**2 for one in totals]  # their mean is 0
    spread = sum((one - sum(squares) / 6) ** 2 for one in squares)

    def error_of(sums):
        return ClusterChanges(np.array(sums, dtype=float)[:, None], 2).error([1.0])

    found = error_of(totals)
    assert found.error == pytest.approx(math.sqrt(Fraction(6, 5) * sum(squares)))
    assert found.degrees_of_freedom == pytest.approx(2 * sum(squares) ** 2 / spread)
    assert error_of([1.0, -1, 1, -1]) == (math.sqrt(16 / 3), 3)
    assert error_of(np.zeros(4)) == (0, math.inf)
    # the interval is one of Student's t on the logit scale
    metric = make_metric("average_precision")
    kept = ~np.eye(Y.size, dtype=bool)
    moved = metric(Y, A) - np.array([metric(Y[own], A[own]) for own in kept])
    squares = np.square(moved.reshape(N, SIZE).sum(axis=1) - moved.sum() / N)
    error = math.sqrt(N / (N - 1) * squares.sum())
    freedom = 2 * squares.sum() ** 2 / (N * squares.var())
    result = MetricInterval().from_predictions(Y, A, clusters=CLUSTER)
    assert result.standard_error == pytest.approx(error)
    slope = result.value * (1 - result.value)
    limits = logit(result.confidence_interval(0.9)) - logit(result.value)
    assert_allclose(limits * slope, error * student(freedom).ppf([0.05, 0.95]))


@functools.cache
def redrawn(name):
    """Values of A and of B in 800 draws of whole clusters."""
    rng, metric, values = np.random.default_rng(1), make_metric(name), []
    for _ in range(800):
        drawn = rng.integers(N, size=N)
        items = (drawn[:, None] * SIZE + np.arange(SIZE)).ravel()
        values.append([metric(Y[items], score[items]) for score in (A, B)])
    return np.transpose(values)


@pytest.mark.parametrize("name", ["average_precision", "recall@10", "reciprocal_rank"])
def test_the_bootstrap_draws_whole_clusters(name):
    interval = MetricInterval(
        name, method="bootstrap", n_resamples=3000, random_state=0
    )
    result = interval.from_predictions(Y, A, clusters=CLUSTER)
    # 800 and 3000 draws: 2.8 % standard error, here four of them
    assert result.standard_error == pytest.approx(redrawn(name)[0].std(), rel=0.11)
    low, high = result.confidence_interval()
    assert low < result.value <= high
    alone = MetricInterval(name).from_predictions(Y, A).confidence_interval()
    if name == "average_precision":
        assert high - low > 1.3 * (alone.high - alone.low)


def test_which_method_is_chosen():
    given = {"clusters": CLUSTER}
    ask = MetricInterval().from_predictions(Y, A, **given)
    assert ask.method == "jackknife"
    top = MetricInterval("recall@10", n_resamples=50, random_state=0)
    assert top.from_predictions(Y, A, **given).method == "bootstrap"
    with pytest.raises(ValueError, match="'jackknife', 'bootstrap' for `clusters`"):
        MetricInterval(method="survival").from_predictions(Y, A, **given)


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
def test_one_cluster_of_targets_says_nothing():
    y = (CLUSTER == 3).astype(int)
    with pytest.warns(
        UndefinedMetricWarning, match="two clusters must contain targets"
    ):
        result = MetricInterval().from_predictions(y, A, clusters=CLUSTER)
    assert math.isnan(result.standard_error)
    comparison = RankingComparison(method="jackknife")
    with pytest.warns(UndefinedMetricWarning, match="permutation"):
        pair = comparison.from_predictions(y, {"A": A, "B": B}, clusters=CLUSTER)
    assert math.isnan(pair.standard_error)
    with pytest.warns(UndefinedMetricWarning, match="too few data to estimate it"):
        pair = RankingComparison().from_predictions(
            y, {"A": A, "B": B}, clusters=CLUSTER
        )
    assert math.isnan(pair.standard_error)
    assert pair.pvalue <= 1


def test_scores_that_are_all_equal_cannot_vary():
    result = MetricInterval().from_predictions(Y, 0 * A + 0.5, clusters=CLUSTER)
    assert result.standard_error == 0
    pair = RankingComparison().from_predictions(
        Y, {"A": A, "B": 2 * A}, clusters=CLUSTER
    )
    assert pair.pvalue == 1


@pytest.mark.parametrize("question", [MetricInterval, RandomSelectionTest])
def test_a_cluster_for_each_item_is_none(question):
    alone = question().from_predictions(Y, A)
    each = question().from_predictions(Y, A, clusters=np.arange(Y.size))
    assert str(each) == str(alone)


# Comparisons


def test_the_bootstrap_of_a_difference_draws_whole_clusters():
    comparison = RankingComparison(method="bootstrap", n_resamples=3000, random_state=0)
    result = comparison.from_predictions(Y, {"A": A, "B": B}, clusters=CLUSTER)
    error = np.subtract(*redrawn("average_precision")).std()
    assert result.standard_error == pytest.approx(error, rel=0.11)
    assert ", 40 clusters" in str(result)
    by_sums = RankingComparison().from_predictions(
        Y, {"A": A, "B": B}, clusters=CLUSTER
    )
    assert by_sums.method == "permutation"
    assert by_sums.standard_error == pytest.approx(error, rel=0.25)


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
def test_whole_clusters_swap_their_ranks():
    # four clusters of two: all 16 ways to swap them
    rng = np.random.default_rng(0)
    y, cluster = np.array([1, 1, 1, 0, 0, 0, 0, 0]), np.repeat(np.arange(4), 2)
    a, b = rng.permutation(8).astype(float), rng.permutation(8).astype(float)
    metric, differences = make_metric("average_precision"), []
    for swaps in itertools.product([False, True], repeat=4):
        swap = np.array(swaps)[cluster]
        one, other = np.where(swap, b, a), np.where(swap, a, b)
        differences.append(metric(y, one) - metric(y, other))
    observed = abs(metric(y, a) - metric(y, b))
    expected = np.mean(np.abs(differences) >= observed - 1e-9)
    comparison = RankingComparison(
        method="permutation", n_resamples=4000, random_state=0
    )
    result = comparison.from_predictions(y, {"A": a, "B": b}, clusters=cluster)
    assert result.pvalue == pytest.approx(expected, abs=0.03)


def test_a_table_of_comparisons_by_clusters():
    comparison = RankingComparison()
    table = comparison.compare_all(Y, {"a": A, "b": B}, clusters=CLUSTER)
    (one,) = table.comparisons
    pair = comparison.from_predictions(Y, {"a": A, "b": B}, clusters=CLUSTER)
    assert str(one) == str(pair)
    assert ", 40 clusters" in str(table)
    assert one.sample_size(difference=0.1) > 1
    with pytest.raises(ValueError, match="for `clusters`"):
        RankingComparison(method="t").from_predictions(
            Y, {"A": A, "B": B}, clusters=CLUSTER
        )


# Tests


def shares(metric, y, s, patterns):
    """Share of the label patterns that are as extreme, and mean of their values."""
    values = np.array([metric(one, s) for one in patterns])
    return np.mean(values >= metric(y, s) - 1e-9), values.mean(), values.std()


@pytest.mark.parametrize("name", ["average_precision", "recall@3", "bedroc(alpha=5)"])
def test_labels_of_whole_clusters_change_places(name):
    # two of five patients with 1 to 3 images are ill; a pattern of one label is moved
    sizes = np.array([2, 3, 1, 3, 2])
    cluster = np.repeat(np.arange(5), sizes)
    ill = np.array([1, 0, 0, 1, 0])
    s = np.random.default_rng(3).permutation(11).astype(float)
    y = ill[cluster]
    metric = make_metric(name)
    # those of two images change places, and those of three
    patterns = [
        np.isin(cluster, pair).astype(int) for pair in itertools.product([0, 4], [1, 3])
    ]
    expected = shares(metric, y, s, patterns)
    test = RandomSelectionTest(name, n_resamples=8000, random_state=0)
    result = test.from_predictions(y, s, clusters=cluster)
    found = result.pvalue, result.null_mean, result.null_std
    assert_allclose(found, expected, atol=0.025)
    assert result.method == "monte_carlo"
    assert result.n_clusters == 5
    assert "labels of whole clusters, between clusters of equal size" in str(result)


def test_patterns_change_places_between_clusters_of_one_size():
    cluster = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4])
    y = np.array([1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1])
    s = np.random.default_rng(4).permutation(11).astype(float)
    threes = itertools.permutations([y[:3], y[3:6]])
    twos = list(itertools.permutations([y[6:8], y[8:10]]))
    patterns = [
        np.concatenate([*three, *two, y[10:]]) for three in threes for two in twos
    ]
    expected = shares(make_metric("average_precision"), y, s, patterns)
    test = RandomSelectionTest(n_resamples=8000, random_state=0)
    result = test.from_predictions(y, s, clusters=cluster)
    found = result.pvalue, result.null_mean, result.null_std
    assert_allclose(found, expected, atol=0.025)
    assert "between clusters of equal size; 4 of 5 clusters are permuted" in str(result)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_labels_move_within_strata(alternative):
    strata = np.array(["a", "b"])[np.array([0, 0, 0, 1, 1, 1, 1, 0])]
    y = np.array([1, 0, 0, 0, 1, 0, 1, 0])
    s = np.random.default_rng(5).permutation(8).astype(float)
    of_a, of_b = np.flatnonzero(strata == "a"), np.flatnonzero(strata == "b")
    patterns = [
        np.isin(np.arange(8), [one, *pair]).astype(int)
        for one in of_a
        for pair in itertools.combinations(of_b, 2)
    ]
    metric = make_metric("average_precision")
    values = np.array([metric(one, s) for one in patterns])
    above = np.mean(values >= metric(y, s) - 1e-9)
    below = np.mean(values <= metric(y, s) + 1e-9)
    expected = {
        "greater": above,
        "less": below,
        "two-sided": min(1.0, 2 * min(above, below)),
    }[alternative]
    test = RandomSelectionTest(
        alternative=alternative, n_resamples=8000, random_state=0
    )
    result = test.from_predictions(y, s, strata=strata)
    assert result.pvalue == pytest.approx(expected, abs=0.03)
    assert result.n_strata == 2
    assert "labels of items, within 2 strata" in str(result)
    assert "null_values" not in result.to_dict()


def test_clusters_within_strata():
    hospital = (np.arange(N) < 15).astype(int)[CLUSTER]
    test = RandomSelectionTest(n_resamples=500, random_state=0)
    result = test.from_predictions(Y, A, clusters=CLUSTER, strata=hospital)
    assert "equal size, within 2 strata" in str(result)
    split = np.arange(Y.size) % 2
    with pytest.raises(ValueError, match="`strata` must be the same for all items of"):
        test.from_predictions(Y, A, clusters=CLUSTER, strata=split)


def test_ranks_that_ties_leave_no_choice_and_reversed_ones():
    test = RandomSelectionTest(n_resamples=2000, random_state=0)
    equal = test.from_predictions(Y, 0 * A + 1.5, clusters=CLUSTER)
    assert (equal.zscore, equal.pvalue, equal.null_std) == (0.0, 1.0, 0.0)
    low = test.from_predictions(Y, -(A + 9 * Y), clusters=CLUSTER)
    assert "far below chance" in str(low)
    assert low.inflation == 1.0


def test_what_is_drawn_can_be_shown():
    test = RandomSelectionTest(n_resamples=500, random_state=0)
    result = test.from_predictions(Y, A, clusters=CLUSTER)
    display = NullDistributionDisplay.from_result(result)
    assert display.ax_.get_xlabel()
    assert display.probabilities.sum() == pytest.approx(1.0)


@pytest.mark.nightly
def test_the_size_where_ill_patients_have_more_images():
    # labels that tell something of the sizes are not exchanged between sizes
    test, found = RandomSelectionTest(n_resamples=199), []
    for seed in range(runs(250)):
        rng = np.random.default_rng(seed)
        ill = rng.random(60) < 0.3
        sizes = rng.integers(2, 5, 60) + 2 * ill
        ill[:2], sizes[:2] = (True, False), 4  # there is always an exchange
        cluster = np.repeat(np.arange(60), sizes)
        s = rng.normal(size=60)[cluster] + rng.normal(size=cluster.size)
        ask = ill[cluster].astype(int), s
        found.append(test.from_predictions(*ask, clusters=cluster).pvalue)
    assert_share(np.array(found) <= 0.05, most=0.05)


@pytest.mark.parametrize("correlation", [0.0, 0.5])
@pytest.mark.nightly
def test_the_distribution_of_p_where_the_model_knows_nothing(correlation):
    test, found = RandomSelectionTest(n_resamples=199), []
    for seed in range(runs(250)):
        rng = np.random.default_rng(seed)
        y = np.repeat(rng.permutation(N) < 10, SIZE)
        s = math.sqrt(correlation) * rng.normal(size=N)[CLUSTER]
        s = s + math.sqrt(1 - correlation) * rng.normal(size=N * SIZE)
        found.append(test.from_predictions(y, s, clusters=CLUSTER).pvalue)
    for level in (0.05, 0.3):
        assert_share(np.array(found) <= level, level, level)


# Errors


def test_bad_clusters():
    ask = MetricInterval().from_predictions
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    for clusters, match in [
        ([1, 1, 2], "`clusters` must have as many items as `y_true`"),
        ([1, 1, None, None], "none missing"),
        ([1, 1, 1, 1], "`clusters` must contain two labels or more; got 1 alone"),
    ]:
        with pytest.raises(ValueError, match=match):
            ask(y, s, clusters=clusters)
    pairs = [1, 1, 2, 2]
    with pytest.raises(ValueError, match="`sample_weight` must be None with `clust"):
        ask(y, s, clusters=pairs, sample_weight=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="`clusters` must be left out where"):
        ask(Ranking.from_predictions(y, s), clusters=pairs)
    with pytest.raises(ValueError, match="have the index of `y_true`"):
        ask(pd.Series(y), s, clusters=pd.Series(pairs, index=[3, 2, 1, 0]))


def test_bad_designs_of_a_test():
    test = RandomSelectionTest()
    y, s, pairs = [1, 0, 1, 0], [4, 3, 2, 1], [1, 1, 2, 2]
    with pytest.raises(ValueError, match="`n_missed` must be left out with `clusters`"):
        test.from_predictions(y, s, clusters=pairs, n_missed=1)
    with pytest.raises(ValueError, match="equal size with different labels; got none"):
        test.from_predictions(y, s, clusters=pairs)
    with pytest.raises(ValueError, match="equal size with different labels; got none"):
        test.from_predictions([1, 1, 0, 0], s, clusters=pairs, strata=pairs)
    with pytest.raises(ValueError, match="a stratum with targets and non-targets"):
        test.from_predictions([1, 1, 0, 0], s, strata=pairs)
    with pytest.raises(ValueError, match="'monte_carlo' with `clusters` or `strata`"):
        RandomSelectionTest(method="exact").from_predictions(y, s, strata=pairs)


def test_groups_that_look_like_clusters():
    with pytest.warns(UndefinedMetricWarning, match="use `clusters` instead"):
        MetricInterval().from_predictions(
            np.append(Y, [1, 0] * 3),
            np.append(A, range(6)),
            groups=np.append(CLUSTER, [100] * 6),
        )


# Bands of hit curves


def bands_of(y_true, a, b, **given):
    """Pointwise bands of A, and of A's hits beyond B's, at the level of 68 %."""
    given |= {"simultaneous": False, "confidence_level": 0.68}
    yield hit_curve_band(y_true, a, **given)
    yield hit_curve_band(y_true, {"A": a, "B": b}, **given)


def drawn_hits(y_true, scores, codes, depths, n_draws, rng):
    """Hits of as many targets and others as here, in samples of the clusters.

    Judge: the shares of targets and of others above each score, in each draw of as many
    clusters, make up a ranking of these numbers of targets and others.
    """
    order = np.argsort(-scores)
    hit, code = y_true[order], codes[order]
    n, m = y_true.size, y_true.sum()
    found = []
    for _ in range(n_draws):
        size = codes.max() + 1
        times = np.bincount(rng.integers(size, size=size), minlength=size)[code]
        if (times * hit).sum() == 0 or (times * ~hit).sum() == 0:
            continue
        hits, others = (
            np.r_[0, np.cumsum(times * one) / (times * one).sum()]
            for one in (hit, ~hit)
        )
        found.append(np.interp(depths, m * hits + (n - m) * others, m * hits))
    return np.array(found)


def test_bands_are_as_wide_as_draws_of_clusters():
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(150), rng.integers(1, 12, 150))
    y_true = (rng.random(150) < 0.3)[codes] ^ (rng.random(codes.size) < 0.05)
    shared = rng.normal(size=(2, 150))[:, codes]
    a, b = 0.7 * shared + 0.7 * rng.normal(size=shared.shape) + 1.2 * y_true
    depths = [60, 120, 240, 480]
    of_a, of_b = (
        drawn_hits(y_true, one, codes, depths, 2000, np.random.default_rng(0))
        for one in (a, b)
    )
    judged = of_a.std(axis=0), (of_a - of_b).std(axis=0)
    for band, error in zip(
        bands_of(y_true, a, b, t=depths, clusters=codes), judged, strict=True
    ):
        half = (band.high - band.low) / 2 / norm.isf(0.16)
        assert_allclose(half, error, rtol=0.1)


def test_bands_of_clusters_of_single_items_and_of_copies():
    rng = np.random.default_rng(0)
    y_true = np.arange(300) < 60
    a, b = rng.normal(size=(2, 300)) + 1.5 * y_true
    plain = list(bands_of(y_true, a, b, t=[20, 60, 150]))
    # one pair: nearly as if all were alone
    codes = np.r_[np.arange(299), 298]
    alone = bands_of(y_true, a, b, t=[20, 60, 150], clusters=codes)
    # a copy of each item beside it: twice the hits, with twice the error
    twice = [np.repeat(one, 2) for one in (y_true, a, b)]
    copies = bands_of(*twice, t=[40, 120, 300], clusters=np.repeat(np.arange(300), 2))
    for one, single, copied in zip(plain, alone, copies, strict=True):
        assert_allclose(single.low, one.low, rtol=0.05, atol=0.2)
        assert_allclose(single.high, one.high, rtol=0.05, atol=0.2)
        assert_allclose(copied.low, 2 * one.low, rtol=0.05, atol=0.4)
        assert_allclose(copied.high, 2 * one.high, rtol=0.05, atol=0.4)


def test_simultaneous_bands_of_clusters_are_possible():
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(25), 8)
    y_true = np.isin(codes, rng.permutation(25)[:6])
    for a in (rng.normal(size=200), 9.0 * y_true, -9.0 * y_true, np.zeros(200)):
        b = a + rng.normal(size=200)
        given = {"clusters": codes, "random_state": 0}
        band = hit_curve_band(y_true, a, **given)
        hits = hit_curve(y_true, a).at(band.x)
        assert np.all((band.low <= hits + 1e-9) & (hits <= band.high + 1e-9))
        assert np.all((band.low >= 0) & (band.high <= np.minimum(band.x, 48)))
        band = hit_curve_band(y_true, {"A": a, "B": b}, **given)
        difference = hits - hit_curve(y_true, b).at(band.x)
        assert np.all(band.low <= difference + 1e-9)
        assert np.all(difference <= band.high + 1e-9)


def test_bands_need_two_clusters_of_each_class():
    codes = np.repeat(np.arange(5), 4)
    y_true, a = codes == 0, np.arange(20.0)
    with pytest.raises(ValueError, match="targets in two clusters or more.*got 1 with"):
        hit_curve_band(y_true, a, clusters=codes)
    with pytest.raises(ValueError, match="`clusters`"):
        hit_curve_band(y_true, {"A": a, "B": -a}, clusters=codes[:-1])


# Clusters that recur over groups


def recurring(rng, n_days=3, n_machines=4, n_items=2):
    """Labels, scores, days and machines, each machine on every day."""
    day = np.repeat(np.arange(n_days), n_machines * n_items)
    machine = np.tile(np.repeat(np.arange(n_machines), n_items), n_days)
    y = rng.random(day.size) < 0.4
    y[day == 0] = np.arange(n_machines * n_items) < 2
    return y.astype(int), rng.normal(size=day.size).round(1), day, machine


def test_labels_of_machines_change_places_within_their_days():
    """Judge: all orders of the machines, each with its labels of all days."""
    rng = np.random.default_rng(2)
    y, s, day, machine = recurring(rng)
    metric = make_metric("precision@2")
    labels = y.reshape(3, 4, 2)
    values = np.array(
        [
            metric(labels[:, order].ravel(), s, groups=day)
            for order in map(list, itertools.permutations(range(4)))
        ]
    )
    test = RandomSelectionTest(metric, n_resamples=20_000, random_state=0)
    order = np.lexsort((day, machine))  # items of a machine on a day keep their order
    given = {"groups": day[order], "clusters": machine[order]}
    result = test.from_predictions(y[order], s[order], **given)
    assert result.value == pytest.approx(metric(y, s, groups=day))
    # 20,000 draws: standard errors of .0035 of p, and of .007 of the deviation
    assert result.null_mean == pytest.approx(values.mean(), abs=0.004)
    assert result.null_std == pytest.approx(values.std(), rel=0.03)
    expected = np.mean(values >= result.value - 1e-9)
    assert result.pvalue == pytest.approx(expected, abs=0.014)
    assert (result.kind, result.n_clusters, result.labels) == ("groups", 4, (0, 1, 2))
    assert "between clusters of equal size in each group" in str(result)


@pytest.mark.parametrize(
    "name", ["average_precision", "average_precision@20", "precision@6"]
)
def test_the_variance_over_days_and_machines_is_that_of_a_loop(name):
    rng = np.random.default_rng(0)
    _, s, day, machine = recurring(rng, 6, 9, 4)
    y, other = (rng.random(s.size) < 0.3).astype(int), rng.normal(size=s.size)
    metric = make_metric(name)
    if name == "average_precision@20":  # a day of targets, and one without machine 3
        y[day == 1], y[day == 2] = 1, machine[day == 2] != 3
    if name == "precision@6":  # without machine 3, day 2 has no target, but a value
        y[(day == 2) & (machine != 3)] = 0
        y[(day == 2) & (machine == 3)] = 1
        s[(day == 2) & (machine == 3)] += 2

    def without(score, left_out):
        kept = machine != left_out
        parts = (kept & own for own in days)
        return [metric(y[one], score[one], undefined=0.0) for one in parts]

    days = [day == one for one in range(6)]
    tables = []
    for score in (s, other):
        values = np.array([metric(y[own], score[own]) for own in days])
        tables.append((values, values - [without(score, one) for one in range(9)]))
    given = {"groups": day, "clusters": machine}
    interval = MetricInterval(metric).from_predictions(y, s, **given)
    compared = RankingComparison(metric).from_predictions(
        y, {"A": s, "B": other}, **given
    )
    (values_a, cells_a), (values_b, cells_b) = tables
    for found, values, cells in (
        (interval, values_a, cells_a),
        (compared, values_a - values_b, cells_a - cells_b),
    ):
        of_day = values.var(ddof=1) / 6
        of_machine = 9 * (cells.sum(axis=1) / 6).var() * 9 / 8
        of_both = np.square(cells / 6).sum()
        variance = max(of_day + of_machine - of_both, of_day, of_machine)
        assert found.standard_error == pytest.approx(variance**0.5, rel=1e-9)
        assert (found.method, found.n_clusters) == ("two_way", 9)


def test_days_of_one_class_change_nothing_of_a_mean_over_both_days():
    """Precision is 0 on a day without targets, whatever clusters are left out."""
    rng = np.random.default_rng(3)
    y, s, day, machine = recurring(rng, 6, 9, 4)
    metric = "precision@10"
    y[day == 2] = 0
    found = MetricInterval(metric).from_predictions(y, s, groups=day, clusters=machine)
    assert found.values[2] == 0
    assert 0 < found.standard_error < 1


def test_single_items_as_clusters_are_no_clusters_over_groups():
    rng = np.random.default_rng(0)
    y, s, day, _ = recurring(rng, 6, 9, 4)
    for ask in (MetricInterval(), RandomSelectionTest("recall@5")):
        alone = ask.from_predictions(y, s, groups=day).to_dict()
        items = np.arange(y.size)
        both = ask.from_predictions(y, s, groups=day, clusters=items).to_dict()
        assert both == pytest.approx(alone, nan_ok=True)
    for metric in ("max_f_score", "reciprocal_rank"):
        with pytest.raises(ValueError, match="`metric` must change little if an item"):
            MetricInterval(metric).from_predictions(y, s, groups=day, clusters=day % 2)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:The interval of precision@5 is undefined")
@pytest.mark.parametrize("persistent", [True, False])
def test_machines_that_recur_over_days_keep_their_levels(persistent):
    """Judge: labels unrelated to the scores, in draws of 20 machines."""
    rng, small, limits, values, compared = np.random.default_rng(1), [], [], [], []
    machine, day = np.tile(np.repeat(np.arange(20), 24), 10), np.repeat(range(10), 480)
    at = machine if persistent else day * 20 + machine
    for seed in range(runs(70)):
        levels = rng.normal(size=(3, 200))[:, at]
        y = rng.random(day.size) < np.minimum(0.05 * np.exp(levels[2]), 0.6)
        a, b = levels[:2] + 0.5 * rng.normal(size=(2, day.size))
        given = {"groups": day, "clusters": machine}
        test = RandomSelectionTest("precision@5", n_resamples=99, random_state=seed)
        small.append(test.from_predictions(y, a, **given).pvalue <= 0.05)
        found = MetricInterval("precision@5").from_predictions(y, a, **given)
        limits.append(found.confidence_interval()), values.append(found.value)
        comparison = RankingComparison("precision@5")
        compared.append(
            comparison.from_predictions(y, {"A": a, "B": b}, **given).pvalue <= 0.05
        )
    low, high = np.transpose(limits)
    inside = (low <= np.mean(values)) & (np.mean(values) <= high)
    assert_share(small, most=0.07)
    assert_share(inside, 0.9)
    assert_share(compared, most=0.07)
