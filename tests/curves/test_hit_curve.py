"""The hit curve as data.

Judges: Zhu's lemmas (2004), all orders inside ties in rational numbers, counts down an
order, hypergeometric probabilities in rational numbers, precrec.
"""

from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import hypergeom

from cases import SMALL_LISTS, docking_scores, make_list, read_rows
from skrank import (
    RankingEvaluation,
    average_precision,
    enrichment_factor,
    hit_curve,
    recall_at_t,
)

TIES = ("expected", "optimistic", "pessimistic")

# labels and small integer scores, so that ties are frequent; at least one target
LISTS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 12)), min_size=1, max_size=40
).filter(lambda items: any(label for label, _ in items))
# as above, all scores different
ORDERS = st.lists(st.booleans(), min_size=2, max_size=60).filter(any)

WEIGHTED = st.lists(
    st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 3)),
    min_size=1,
    max_size=25,
).filter(lambda items: any(label and weight for label, _, weight in items))


def unzip(items):
    labels, scores = zip(*items, strict=True)
    return np.array(labels), np.array(scores, dtype=float)


def in_order(labels):
    return np.array(labels), -np.arange(len(labels), dtype=float)


def all_orders(y_true, y_score):
    """Labels in each order that the scores allow, ties in all orders."""
    items = sorted(range(len(y_true)), key=lambda i: -y_score[i])
    for order in permutations(items):
        if all(y_score[a] >= y_score[b] for a, b in pairwise(order)):
            yield [int(y_true[i]) for i in order]


# Zhu's lemmas, in items: t / n is Zhu's t, h / n Zhu's h


@given(ORDERS)
def test_hits_are_those_counted_down_the_list(labels):
    curve = hit_curve(*in_order(labels))
    counted = np.append(0, np.cumsum(labels))
    assert_array_equal(curve.at(np.arange(len(labels) + 1)), counted)
    assert_array_equal(curve.hits, counted[curve.t])


@given(LISTS)
def test_lemma_1_precision_is_prevalence_times_recall_over_t(items):
    y_true, y_score = unzip(items)
    curve = hit_curve(y_true, y_score, as_fraction=True)
    below = slice(1, None)
    assert_allclose(
        curve.precision[below], y_true.mean() * curve.recall[below] / curve.t[below]
    )
    assert_allclose(curve.lift * y_true.mean(), curve.precision)
    assert curve.n_targets == pytest.approx(y_true.mean())


@given(LISTS, st.sampled_from(["expected", "optimistic", "pessimistic"]))
def test_lemma_2_recall_rises_from_0_to_1(items, ties):
    curve = hit_curve(*unzip(items), ties=ties)
    assert (curve.t[0], curve.t[-1]) == (0, len(items))
    assert (curve.recall[0], curve.recall[-1]) == (0, 1)
    assert np.all(np.diff(curve.t) > 0)
    assert np.all(np.diff(curve.recall) >= 0)


@given(ORDERS)
def test_lemma_3_precision_falls_where_recall_is_concave(labels):
    """Labels sorted in runs, so that the slope of recall only falls."""
    labels = np.sort(labels)[::-1]
    assert np.all(np.diff(hit_curve(*in_order(labels)).precision) <= 1e-15)


@given(ORDERS)
def test_lemma_4_average_precision_is_the_integral_of_precision(labels):
    y_true, y_score = in_order(labels)
    if y_true.all():
        y_true[-1] = False
    curve = hit_curve(y_true, y_score)
    t = np.arange(1, len(labels) + 1)
    gained = np.diff(curve.at(np.append(0, t))) / y_true.sum()
    precision = curve.at(t) / t
    assert (precision * gained).sum() == pytest.approx(
        average_precision(y_true, y_score)
    )


@given(LISTS, st.sampled_from(["expected", "optimistic", "pessimistic"]))
def test_lemma_5_recall_rises_by_one_over_prevalence_at_most(items, ties):
    y_true, y_score = unzip(items)
    curve = hit_curve(y_true, y_score, ties=ties, as_fraction=True)
    slope = np.diff(curve.recall) / np.diff(curve.t)
    assert np.all(slope <= 1 / y_true.mean() * (1 + 1e-12))


def test_example_3_of_zhu():
    """Table 1: precisions of the items of algorithms A and B."""
    for hits, expected in (
        ([1, 2, 4], [1, 1, 2 / 3, 3 / 4, 3 / 5, 3 / 6, 3 / 7, 3 / 8, 3 / 9, 3 / 10]),
        ([1, 4, 8], [1, 1 / 2, 1 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7, 3 / 8, 3 / 9, 0.3]),
    ):
        y_true, y_score = in_order(np.isin(np.arange(1, 11), hits))
        t = np.arange(1, 11)
        assert_allclose(hit_curve(y_true, y_score).at(t) / t, expected)


def test_example_2_of_zhu_perfect_detection():
    curve = hit_curve([0, 1, 0, 0, 1, 0], [1, 2, 3, 4, 5, 6]).perfect()
    assert_array_equal(curve.t, [0, 2, 6])
    assert_array_equal(curve.hits, [0, 2, 2])
    assert_array_equal(hit_curve([1, 1], [1.5, 2]).perfect().hits, [0, 2])


# Ties


@pytest.mark.parametrize(("sizes", "m"), [((3, 2, 2), 3), ((1, 4, 2), 2), ((6,), 3)])
def test_ties_against_all_orders(sizes, m):
    n = sum(sizes)
    for targets in combinations(range(n), m):
        y_score = make_list(sizes, [0] * len(sizes))[1]
        y_true = np.isin(np.arange(n), targets)
        counted = [np.cumsum(order) for order in all_orders(y_true, y_score)]
        t = np.arange(1, n + 1)
        mean = [
            Fraction(sum(int(c[i]) for c in counted), len(counted)) for i in range(n)
        ]
        assert_allclose(hit_curve(y_true, y_score).at(t), np.array(mean, dtype=float))
        for ties, best in (("optimistic", np.max), ("pessimistic", np.min)):
            found = hit_curve(y_true, y_score, ties=ties).at(t)
            assert_array_equal(found, best(counted, axis=0))


@given(LISTS, st.integers(1, 40))
def test_the_curve_has_the_values_of_the_metrics(items, t):
    y_true, y_score = unzip(items)
    t = min(t, len(items))
    if y_true.all():
        return
    curve = hit_curve(y_true, y_score)
    assert curve.at(t) / y_true.sum() == pytest.approx(
        recall_at_t(y_true, y_score, t=t)
    )
    at_points = curve.t[1:].tolist()
    lifts = [enrichment_factor(y_true, y_score, t=depth) for depth in at_points]
    assert_allclose(curve.lift[1:], lifts)


def test_ties_of_precrec():
    """Expected hits at every rank of vina's 66 distinct scores, by precrec 0.14.4."""
    y_true, scores = docking_scores()
    rows = read_rows("precrec_vina_hits.csv.gz")
    curve = hit_curve(y_true, scores["vina"])
    depths = [float(row["rank"]) for row in rows]
    hits = [float(row["tp"]) for row in rows]
    assert_allclose(curve.at(depths), hits, rtol=0, atol=1e-9)


# Weights, missed targets, units


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 5), st.integers(1, 4)),
        min_size=1,
        max_size=12,
    ).filter(lambda items: any(label for label, *_ in items))
)
def test_weights_are_repetition(items):
    y_true, y_score, weight = map(np.array, zip(*items, strict=True))
    curve = hit_curve(y_true, y_score.astype(float), sample_weight=weight)
    repeated = hit_curve(
        np.repeat(y_true, weight), np.repeat(y_score.astype(float), weight)
    )
    assert_allclose(curve.t, repeated.t)
    assert_allclose(curve.hits, repeated.hits)
    assert curve.n_targets == repeated.n_targets


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_missed_targets_are_never_found():
    curve = hit_curve([1, 0, 0], [3.5, 2, 1], n_missed=3)
    assert_allclose(curve.recall, [0, 1 / 4, 1 / 4])
    assert (curve.n_samples, curve.n_targets) == (6, 4)
    assert_allclose(curve.lift, [1.5, 1.5, 0.5])
    assert_array_equal(curve.perfect().hits, [0, 1, 1])


def test_precision_at_the_start_is_the_slope():
    tied = hit_curve([1, 0, 0, 0], [2, 2, 1, 1])
    assert_allclose(tied.precision, [0.5, 0.5, 0.25])
    late = hit_curve([0, 0, 1], [3.5, 2, 1])
    assert_allclose(late.precision, [0, 0, 1 / 3])


@given(LISTS)
def test_fractions_are_counts_over_n(items):
    y_true, y_score = unzip(items)
    counts, share = (hit_curve(y_true, y_score, as_fraction=a) for a in (False, True))
    assert_allclose(share.t * len(items), counts.t)
    assert_allclose(share.hits * len(items), counts.hits)
    middle = np.interp(0.5 * len(items), counts.t, counts.hits)
    assert_allclose([share.at(0.5), counts.at(0.5) / len(items)], middle / len(items))
    ends = [curve.chance_band(0.9) for curve in (counts, share)]
    assert_allclose(ends[1].high * len(items), ends[0].high)


@given(WEIGHTED, st.sampled_from(TIES), st.booleans())
def test_the_unit_of_weights_does_not_matter(items, ties, as_fraction):
    """Tenths add up with rounding errors, whole numbers without."""
    y_true, y_score, weight = map(np.array, zip(*items, strict=True))
    whole, tenths = (
        hit_curve(
            y_true,
            y_score.astype(float),
            ties=ties,
            as_fraction=as_fraction,
            sample_weight=one,
        )
        for one in (weight, 0.1 * weight)
    )
    unit = 1 if as_fraction else 10
    for ours, exact in ((tenths, whole), (tenths.perfect(), whole.perfect())):
        assert ours.t.size == exact.t.size
        assert_allclose(unit * ours.t, exact.t, atol=1e-9)
        assert_allclose(unit * ours.hits, exact.hits, atol=1e-9)
        assert_allclose(ours.precision, exact.precision, atol=1e-9)
        assert np.all(np.diff(ours.hits) >= 0)
        assert ours.precision.max() <= 1
        assert ours.recall.max() <= 1


def test_a_tiny_weight_at_the_top_is_a_point():
    curve = hit_curve([1, 0, 1], [3.5, 2, 1], sample_weight=[1e-14, 1.0, 1.0])
    assert_array_equal(curve.t[:2], [0, 1e-14])
    assert_array_equal(curve.hits[:2], [0, 1e-14])


# Nothing found


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_all_targets_missed():
    curve = hit_curve([0, 0], [1.0, 2.0], n_missed=2)
    assert_array_equal(curve.t, [0, 2])
    assert_array_equal(curve.hits, [0, 0])
    assert (curve.n_samples, curve.n_targets) == (4, 2)
    for view in (curve.recall, curve.precision, curve.lift, curve.perfect().hits):
        assert_array_equal(view, [0, 0])
    assert curve.at(1) == 0
    joined = RankingEvaluation().add([0, 0], [1.5, 2]).add_missed(3)
    joined = hit_curve(joined.ranking())
    assert (joined.t.tolist(), joined.hits.tolist()) == ([0, 2], [0, 0])
    band = curve.chance_band()
    assert_array_equal(band.x, [0, 1, 2])
    assert_array_equal([band.low, band.high], np.zeros((2, 3)))
    share = hit_curve([0, 0], [1.0, 2.0], n_missed=2, as_fraction=True)
    assert_array_equal(share.t, [0, 0.5])
    weighted = hit_curve([0, 0], [1.0, 2.0], n_missed=1, sample_weight=[0.5, 1])
    assert_array_equal(weighted.t, [0, 1.5])


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_curve_without_items():
    curve = hit_curve(RankingEvaluation().add_missed(3).ranking())
    assert (curve.t.tolist(), curve.hits.tolist()) == ([0], [0])
    assert curve.recall.tolist() == [0]
    assert np.isnan([*curve.precision, *curve.lift]).tolist() == [True, True]
    assert (curve.at(0), curve.perfect().t.tolist()) == (0, [0])
    assert repr(curve) == "<HitCurve of 3 targets among 3 items: 1 points>"
    assert curve.to_frame().shape == (1, 5)
    band = curve.chance_band()
    assert [band.x.tolist(), band.low.tolist(), band.high.tolist()] == [[0], [0], [0]]


# The chance band


def probability(n, m, t, h):
    return Fraction(comb(m, h) * comb(n - m, t - h), comb(n, t))


@pytest.mark.parametrize(("n", "m"), [(12, 3), (20, 7), (9, 1), (30, 15)])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_chance_band_against_rational_numbers(n, m, level):
    band = hit_curve(*in_order(np.arange(n) < m)).chance_band(level)
    assert band.confidence_level == level
    assert_array_equal(band.x, np.arange(n + 1))
    tail = (1 - Fraction(level)) / 2
    for t, low, high in zip(
        *(a.tolist() for a in (band.x, band.low, band.high)), strict=True
    ):
        hits = range(max(0, t - (n - m)), min(m, t) + 1)
        null = {h: probability(n, m, t, h) for h in hits}
        assert sum(p for h, p in null.items() if h < low) < tail
        assert sum(p for h, p in null.items() if h <= low) >= tail
        assert sum(p for h, p in null.items() if h > high) <= tail
        assert sum(p for h, p in null.items() if h >= high) > tail


@pytest.mark.parametrize(("sizes", "m"), SMALL_LISTS)
def test_chance_band_of_ties_against_all_placements(sizes, m):
    """Exact where ties end; within them chance stays inside the limits of both ends."""
    level, n = 0.8, sum(sizes)
    y_score = make_list(sizes, [0] * len(sizes))[1]
    curves = [
        hit_curve(np.isin(np.arange(n), targets), y_score)
        for targets in combinations(range(n), m)
    ]
    band = curves[0].chance_band(level)
    assert_array_equal(band.x, np.append(0, np.cumsum(sizes)))
    t = np.linspace(0, n, 2 * n + 1)
    low = band.low[np.searchsorted(band.x, t, side="right") - 1]
    high = band.high[np.searchsorted(band.x, t)]
    hits = np.array([curve.at(t) for curve in curves])
    outside = np.mean(hits < low - 1e-9, axis=0), np.mean(hits > high + 1e-9, axis=0)
    assert np.max(outside) <= (1 - level) / 2 + 1e-9


@pytest.mark.parametrize(("n", "m"), [(40, 1), (300, 7), (2000, 60), (2000, 1900)])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_chance_band_at_every_depth(n, m, level):
    y_true, t = np.arange(n) < m, np.arange(1, n + 1)
    curve = hit_curve(y_true, np.arange(n) // 9)  # with ties
    band = curve.chance_band(level, t=t.tolist())
    assert_array_equal(band.x, t)
    null = hypergeom(n, m, t)
    tails = null.cdf(band.low - 1), null.sf(band.high)
    assert np.max(tails) <= (1 - level) / 2 + 1e-12
    # one hit less is too narrow
    assert np.all(null.cdf(band.low) >= (1 - level) / 2 - 1e-12)
    assert np.all(null.sf(band.high - 1) >= (1 - level) / 2 - 1e-12)


def test_depths_of_the_chance_band():
    y_true, y_score = in_order(np.arange(40) % 4 == 0)
    every = hit_curve(y_true, y_score).chance_band()
    some = hit_curve(y_true, y_score).chance_band(t=[0.5, 3, 0.101, 3])
    assert_array_equal(some.x, [3, 5, 20])
    assert_array_equal(some.high, every.high[[3, 5, 20]])
    assert_array_equal(some.low, every.low[[3, 5, 20]])
    share = hit_curve(y_true, y_score, as_fraction=True).chance_band(t=0.5)
    assert_allclose([*share.x, *share.low], [0.5, every.low[20] / 40])
    curve = hit_curve(y_true, y_score)
    for wrong in (0, 41, 1.5, "all"):
        with pytest.raises(ValueError, match=r"`t` must "):
            curve.chance_band(t=wrong)


def test_chance_band_does_not_spread_what_was_missed():
    y_true, y_score = in_order(np.arange(10) < 4)
    some, none = (hit_curve(y_true, y_score, n_missed=k).chance_band() for k in (5, 0))
    assert_array_equal(some.high, none.high)


def test_chance_band_of_a_long_list_is_dense_enough():
    curve = hit_curve(*in_order(np.arange(200_000) % 100 == 0))
    band = curve.chance_band()
    assert 300 < band.x.size < 600
    assert_array_equal(band.x[:6], [0, 1, 2, 3, 4, 5])
    assert band.x[-1] == 200_000
    assert np.diff(band.x).max() <= 200_000 / 255 + 1


# Bad input


def test_errors():
    y_true, y_score = in_order([1, 0, 0])
    with pytest.raises(ValueError, match=r"`ties` must be one of 'expected', 'optim"):
        hit_curve(y_true, y_score, ties="together")
    with pytest.raises(
        ValueError, match=r"`y_true` must contain targets to make a cur"
    ):
        hit_curve([0, 0], y_score[:2])
    with pytest.raises(ValueError, match=r"`y_score` must be finite"):
        hit_curve(y_true, [1, np.nan, 2])
    for flag in ("no", 0, None):
        with pytest.raises(ValueError, match=r"`as_fraction` must be True or False; g"):
            hit_curve(y_true, y_score, as_fraction=flag)
    assert hit_curve(y_true, y_score, as_fraction=np.True_).t[-1] == 1
    curve = hit_curve(y_true, y_score)
    for depth in (-1, 4, [1, 3.5]):
        with pytest.raises(ValueError, match=r"`depth` must be between 0 and 3; got"):
            curve.at(depth=depth)
    with pytest.raises(ValueError, match=r"`confidence_level` must be a number betw"):
        curve.chance_band(1)
    weighted = hit_curve(y_true, y_score, sample_weight=[1, 1, 2])
    with pytest.raises(ValueError, match=r"`sample_weight` must be None for a chance "):
        weighted.chance_band()


def test_frames():
    curve = hit_curve([1, 0, 1, 0], [4, 3, 2, 1])
    frame = curve.to_frame()
    assert list(frame) == ["t", "hits", "recall", "precision", "lift"]
    assert_array_equal(frame["lift"], curve.lift)
    band = curve.chance_band()
    frame = band.to_frame()
    assert list(frame) == ["x", "low", "high"]
    assert_array_equal(frame["high"], band.high)


def test_results_are_frozen():
    curve = hit_curve([1, 0], [2.5, 1])
    with pytest.raises(AttributeError):
        curve.t = None
    with pytest.raises(AttributeError):
        curve.chance_band().low = None
