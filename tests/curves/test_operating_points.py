"""Operating points. Judges: LingPipe, scikit-learn's curves, rational numbers."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import fbeta_score, precision_recall_curve, roc_curve

from skrank import average_precision, operating_points

# LingPipe 3.9.2, documentation of ScoredPrecisionRecallEvaluation: correct, score
CORRECT = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
SCORES = [-1.21, -1.27, -1.39, -1.47, -1.60, -1.65, -1.79, -1.80, -2.01, -3.70]

LISTS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 12)), min_size=2, max_size=40
).filter(lambda items: len({label for label, _ in items}) == 2)

WEIGHTED = st.lists(
    st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 3)),
    min_size=1,
    max_size=25,
).filter(lambda items: any(label and weight for label, _, weight in items))


def unzip(items):
    labels, scores = zip(*items, strict=True)
    return np.array(labels), np.array(scores, dtype=float)


def test_example_of_lingpipe():
    points = operating_points(CORRECT, SCORES)
    assert len(points) == 4
    assert_allclose(points.recall, [0.25, 0.50, 0.75, 1.00])
    assert_allclose(points.precision, [0.50, 0.50, 0.60, 0.44], atol=0.005)
    assert_allclose(points.specificity, [0.83, 0.67, 0.67, 0.17], atol=0.005)
    assert_allclose(points.score, [-1.27, -1.47, -1.60, -2.01])
    assert_array_equal(points.t, [2, 4, 5, 9])
    assert points.area("precision") == pytest.approx(0.51, abs=0.005)
    assert points.area("specificity") == pytest.approx(0.58, abs=0.005)
    assert points.f_score().max() == pytest.approx(0.67, abs=0.005)


def test_example_of_lingpipe_without_dominated_points():
    points = operating_points(CORRECT, SCORES, interpolate=True)
    assert_allclose(points.recall, [0.75, 1.00])
    assert_allclose(points.precision, [0.60, 0.44], atol=0.005)
    assert points.area("precision") == pytest.approx(0.56, abs=0.005)
    roc = operating_points(CORRECT, SCORES).not_dominated("specificity")
    assert_allclose(roc.recall, [0.25, 0.75, 1.00])
    assert_allclose(roc.specificity, [0.83, 0.67, 0.17], atol=0.005)
    assert roc.area("specificity") == pytest.approx(0.58, abs=0.005)


@given(LISTS)
def test_against_the_curves_of_scikit_learn(items):
    y_true, y_score = unzip(items)
    points = operating_points(y_true, y_score)
    precision, recall, thresholds = precision_recall_curve(y_true, y_score)
    where = np.searchsorted(thresholds, points.score)
    assert_array_equal(thresholds[where], points.score)
    assert_allclose(points.precision, precision[where])
    assert_allclose(points.recall, recall[where])
    fpr, tpr, thresholds = roc_curve(y_true, y_score, drop_intermediate=False)
    where = np.searchsorted(-thresholds, -points.score)
    assert_allclose(1 - points.specificity, fpr[where], atol=1e-12)
    assert_allclose(points.recall, tpr[where])
    assert points.area("precision") == pytest.approx(
        average_precision(y_true, y_score, ties="together")
    )


@given(LISTS, st.sampled_from([0.3, 1.0, 2.0]))
def test_f_score_is_that_of_the_items_retrieved(items, beta):
    y_true, y_score = unzip(items)
    points = operating_points(y_true, y_score)
    expected = [
        fbeta_score(y_true, y_score >= score, beta=beta) for score in points.score
    ]
    assert_allclose(points.f_score(beta), expected)
    if beta == 1:
        assert_allclose(points.f_score(), expected)


@given(LISTS, st.sampled_from(["precision", "specificity"]))
def test_points_that_no_other_equals_or_beats(items, rate):
    points = operating_points(*unzip(items))
    values, recall = getattr(points, rate), points.recall
    kept = [
        i
        for i in range(len(points))
        if not any(values[j] >= values[i] for j in range(i + 1, len(points)))
    ]
    found = points.not_dominated(rate)
    assert_array_equal(found.score, points.score[kept])
    assert_array_equal(found.recall, recall[kept])
    assert np.all(np.diff(getattr(found, rate)) < 0)
    assert found.recall[-1] == 1
    assert found.area(rate) >= points.area(rate) - 1e-12


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 5), st.integers(1, 4)),
        min_size=1,
        max_size=12,
    ).filter(lambda items: any(label for label, *_ in items))
)
def test_weights_are_repetition(items):
    y_true, y_score, weight = map(np.array, zip(*items, strict=True))
    points = operating_points(y_true, y_score.astype(float), sample_weight=weight)
    repeated = operating_points(
        np.repeat(y_true, weight), np.repeat(y_score.astype(float), weight)
    )
    for name in ("score", "t", "hits", "precision", "recall", "specificity"):
        assert_allclose(getattr(points, name), getattr(repeated, name), atol=1e-12)


def test_missed_targets_are_never_retrieved():
    points = operating_points([1, 0, 1], [3.5, 2, 1], n_missed=2)
    assert_allclose(points.recall, [1 / 4, 2 / 4])
    assert_allclose(points.precision, [1, 2 / 3])
    assert_allclose(points.specificity, [1, 0])


def test_specificity_without_others_is_nan():
    points = operating_points([1, 1], [3.5, 2])
    assert np.isnan(points.specificity).all()
    # the sum of the weights of all is not that of the targets, summed in tie groups
    weight = [0.1, 0.2, 0.1, 0.1, 0.2, 0.2]
    y_score = [1.0, 0.0, 0.0, 0.0, 0.0, 2.0]
    points = operating_points([1] * 6, y_score, sample_weight=weight)
    assert np.isnan(points.specificity).all()
    points = operating_points(
        [1, 0, 1], [3.5, 2, 1], sample_weight=[0.1, 0, 0.2], n_missed=1
    )
    assert np.isnan(points.specificity).all()


@given(WEIGHTED)
def test_the_unit_of_weights_does_not_matter(items):
    """Tenths add up with rounding errors, whole numbers without."""
    y_true, y_score, weight = map(np.array, zip(*items, strict=True))
    whole, tenths = (
        operating_points(y_true, y_score.astype(float), sample_weight=one)
        for one in (weight, 0.1 * weight)
    )
    both = [(tenths, whole)]
    both += [
        (tenths.not_dominated(rate), whole.not_dominated(rate))
        for rate in ("precision", "specificity")
    ]
    for ours, exact in both:
        assert_array_equal(ours.score, exact.score)
        assert_allclose(10 * ours.t, exact.t, atol=1e-9)
        for name in ("recall", "precision", "specificity"):
            rate = getattr(ours, name)
            assert_allclose(rate, getattr(exact, name), atol=1e-9)
            assert np.all(np.isnan(rate) | ((rate >= 0) & (rate <= 1)))
        assert not ours.area("precision") > 1
        assert not ours.area("specificity") > 1


def test_all_targets_missed():
    points = operating_points([0, 0], [1.0, 2.0], n_missed=2)
    assert (len(points), points.not_dominated("precision").t.size) == (0, 0)
    band = points.chance_band()
    assert band.x.size == band.low.size == band.high.size == 0
    assert repr(band) == "<CurveBand of 95 %: 0 points>"
    assert band.to_frame().shape == (0, 3)


# The chance band


@pytest.mark.parametrize(("n", "m"), [(12, 3), (20, 7), (9, 1), (10, 10)])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_chance_band_against_rational_numbers(n, m, level):
    """Depth of the j-th of m targets, spread over n items in all ways."""
    band = operating_points(np.arange(n) < m, -np.arange(n * 1.0)).chance_band(level)
    assert_allclose(band.x * m, np.arange(1, m + 1))
    tail = (1 - Fraction(level)) / 2
    for j, low, high in zip(range(1, m + 1), band.low, band.high, strict=True):
        null = {
            depth: Fraction(comb(depth - 1, j - 1) * comb(n - depth, m - j), comb(n, m))
            for depth in range(j, n - m + j + 1)
        }
        assert sum(null.values()) == 1
        first, last = round(j / high), round(j / low)
        assert high == pytest.approx(j / first)
        assert low == pytest.approx(j / last)
        assert sum(p for depth, p in null.items() if depth <= first) >= tail
        assert sum(p for depth, p in null.items() if depth < first) < tail
        assert sum(p for depth, p in null.items() if depth <= last) >= 1 - tail
        assert sum(p for depth, p in null.items() if depth < last) < 1 - tail


def test_chance_band_at_chosen_targets():
    m = 300
    points = operating_points(np.arange(900) < m, -np.arange(900.0))
    few, every = points.chance_band(), points.chance_band(hits=range(1, m + 1))
    assert few.x.size < m == every.x.size
    at = np.rint(few.x * m).astype(int) - 1
    assert_array_equal(few.low, every.low[at])
    assert_array_equal(few.high, every.high[at])
    some = points.chance_band(hits=[0.5, 7])
    assert_array_equal(some.low, every.low[[6, 149]])
    # one more target at most with each item
    deepest, first = (every.x * m / limit for limit in (every.low, every.high))
    assert np.diff(np.rint([deepest, first])).min() >= 1
    for wrong in (0, m + 1, 1.5, []):
        with pytest.raises(ValueError, match="`hits` must "):
            points.chance_band(hits=wrong)


def test_chance_band_does_not_spread_what_was_missed():
    y_true, y_score = np.arange(12) < 4, -np.arange(12.0)
    some, none = (
        operating_points(y_true, y_score, n_missed=k).chance_band() for k in (4, 0)
    )
    assert_allclose(some.low, none.low)
    assert_allclose(some.x, none.x / 2)


def test_errors():
    points = operating_points(CORRECT, SCORES)
    with pytest.raises(ValueError, match=r"`rate` must be one of 'precision', 'speci"):
        points.not_dominated("recall")
    with pytest.raises(ValueError, match=r"`rate` must be one of 'precision', 'speci"):
        points.area("recall")
    with pytest.raises(ValueError, match=r"`beta` must be a finite number above 0; g"):
        points.f_score(0)
    with pytest.raises(ValueError, match=r"`confidence_level` must be a number betwe"):
        points.chance_band(95)
    with pytest.raises(
        ValueError, match=r"`y_true` must contain targets to make a curv"
    ):
        operating_points([0, 0], [1.5, 2])
    for flag in ("no", 0, None):
        with pytest.raises(ValueError, match=r"`interpolate` must be True or False; g"):
            operating_points(CORRECT, SCORES, interpolate=flag)
    assert len(operating_points(CORRECT, SCORES, interpolate=np.True_)) == 2
    weighted = operating_points([1, 0], [1.5, 2], sample_weight=[1, 2])
    with pytest.raises(ValueError, match=r"`sample_weight` must be None for a chance"):
        weighted.chance_band()


def test_frame():
    points = operating_points(CORRECT, SCORES)
    assert repr(points) == "<OperatingPoints of 4 targets among 10 items: 4 points>"
    frame = points.to_frame()
    assert list(frame) == [
        "score",
        "t",
        "hits",
        "recall",
        "precision",
        "specificity",
    ]
    assert_array_equal(frame["precision"], points.precision)


@pytest.mark.parametrize("beta", [5e-324, 1e-200, 1e-9, 1e9, 1e200, 1.7e308])
def test_f_score_of_any_beta_is_recall_or_precision_at_the_ends(beta):
    points = operating_points([1, 0, 1, 0, 0], [5.0, 4, 3, 2, 1])
    end = points.precision if beta < 1 else points.recall
    np.testing.assert_allclose(points.f_score(beta), end, rtol=1e-15)
