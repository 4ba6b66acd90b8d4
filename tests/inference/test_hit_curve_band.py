"""Bands of hit curves. Judges: chemmodlab 2.0.0, influences of items, normal bands."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from scipy.stats import norm

from cases import read_rows
from skrank import (
    MetricVariability,
    hit_curve,
    hit_curve_band,
    hit_curve_difference_band,
)
from skrank.inference._variability._top import (
    Overlap,
    covariance_of_random_targets,
    critical_value,
    overlap,
    targets_around,
)
from skrank.ranking._input import RankingInput
from skrank.ranking._ranking import rank
from skrank.ranking._standing import cut_places, share_of_top


def example(n=400, m=40, shift=1.5, digits=8, seed=0):
    """Labels, and two correlated scores, tied if rounded to few digits."""
    rng = np.random.default_rng(seed)
    y_true = np.arange(n) < m
    both = rng.normal(size=n)
    a, b = (
        np.round(0.6 * both + 0.8 * rng.normal(size=n) + shift * y_true, digits)
        for _ in range(2)
    )
    return y_true, a, b


# What tops share, and how they covary


def places_of(a, b, depths):
    return cut_places(a, depths), cut_places(b, depths)


@pytest.mark.parametrize("digits", [8, 0])
def test_overlap_is_what_items_share(digits):
    y_true, a, b = example(digits=digits)
    depths = np.array([1, 5, 40, 41, 200, 400])
    found = overlap(places_of(a, b, depths), np.flatnonzero(y_true), depths)
    in_a, in_b = (
        np.array([share_of_top(scores, t) for t in depths]) for scores in (a, b)
    )
    assert_allclose(found.items, in_a @ in_b.T)
    assert_allclose(found.hits, in_a[:, y_true] @ in_b[:, y_true].T)


def test_covariance_of_random_targets_is_the_sum_of_products_of_influences():
    """Of recall (Ash and Hughes-Oliver): (y (I - k) - Lambda (I - rho)) / pi."""
    y_true, a, b = example()
    depths, around = np.array([10, 60, 300]), np.array([0.7, 0.3, 0.01])
    tops = [np.array([share_of_top(s, t) for t in depths]) for s in (a, b)]
    hits = [top[:, y_true].sum(axis=1) for top in tops]
    influences = [
        y_true * (top - h[:, np.newaxis] / 40)
        - around[:, np.newaxis] * (top - depths[:, np.newaxis] / 400)
        for top, h in zip(tops, hits, strict=True)
    ]
    found = covariance_of_random_targets(
        overlap(places_of(a, b, depths), np.flatnonzero(y_true), depths),
        (hits[0][:, np.newaxis], hits[1]),
        (depths[:, np.newaxis], depths),
        (around[:, np.newaxis], around),
        400,
        40,
    )
    assert_allclose(found, influences[0] @ influences[1].T)


def test_lambda_at_many_depths_is_that_at_each():
    y_true, a, _ = example(digits=1)
    ranking = rank(RankingInput(np.flatnonzero(y_true), a, None, 0))
    depths = np.array([1, 20, 200, 400])
    curve = hit_curve(y_true, a)
    for t, found in zip(depths, targets_around(ranking, depths), strict=True):
        first, last = max(t - max(t / 2, 5), 0), min(t + max(t / 2, 5), 400)
        share = (curve.at(last) - curve.at(first)) / (last - first)
        assert found == pytest.approx(share)


# The critical value


def sidak(size, level=0.95):
    """Quantile of the largest of independent normal variables (Sidak 1967)."""
    return norm.isf((1 - level ** (1 / size)) / 2)


def test_critical_value_in_closed_form():
    rng = np.random.default_rng(0)
    draws = 100_000
    one = critical_value(np.full((5, 5), 3.0), 0.95, draws, rng)
    assert one == pytest.approx(norm.isf(0.025), rel=0.01)
    apart = critical_value(np.diag([1.0, 4.0, 9.0]), 0.95, draws, rng)
    assert apart == pytest.approx(sidak(3), rel=0.01)
    blocks = np.kron(np.eye(2), np.ones((3, 3)))
    assert critical_value(blocks, 0.8, draws, rng) == pytest.approx(
        sidak(2, 0.8), rel=0.01
    )


def test_nothing_that_varies_has_no_deviation():
    assert critical_value(np.zeros((3, 3)), 0.95, 100, np.random.default_rng(0)) == 0.0
    some = np.diag([0.0, 2.0, 0.0])
    found = critical_value(some, 0.95, 100_000, np.random.default_rng(0))
    assert found == pytest.approx(norm.isf(0.025), rel=0.01)


@pytest.mark.parametrize("t", [30, 100])
def test_band_of_chemmodlab_by_its_published_variance(t):
    # k (1 - k)(1 - 2 Lambda) / (n pi) + Lambda**2 rho (1 - rho) / (n pi**2), with two
    # targets and two others found, and as many not, that are added before
    y_true, a, _ = example()
    n, m, hits = 408, 44, hit_curve(y_true, a).at(t) + 2
    curve, reach = hit_curve(y_true, a), t / 2
    around = (curve.at(t + reach) - curve.at(t - reach)) / t
    pi, rho, k = m / n, (t + 4) / n, hits / m
    variance = k * (1 - k) * (1 - 2 * around) / (n * pi)
    variance += around**2 * rho * (1 - rho) / (n * pi**2)
    band = hit_curve_band(y_true, a, t=t, simultaneous=False, method="chemmodlab")
    half = norm.isf(0.025) * np.sqrt(variance)
    assert band.low[0] / 40 == pytest.approx(max(k - half, 0))
    assert band.high[0] / 40 == pytest.approx(min(k + half, 1))


def test_band_does_not_depend_on_more_than_the_state():
    y_true, a, _ = example()
    first, second, other = (
        hit_curve_band(y_true, a, random_state=state) for state in (0, 0, 1)
    )
    assert_array_equal(first.low, second.low)
    assert np.any(first.low != other.low)
    assert_allclose(first.low, other.low, atol=0.05 * 40)


# chemmodlab: 3,212 ligands, 85 of them active, five docking scores, 12 depths

N, M, PLUS = 3212, 85, 2


@pytest.fixture
def chemmodlab(peer_numbers):
    """Bands of recall of its version 2.0.0 with its correction "plus"."""
    folder = peer_numbers / "chemmodlab"
    bands = {}
    for row in read_rows(folder / "pparg_perfcurvebands_2.0.0.csv.gz"):
        if (row["metric"], row["plus"]) == ("rec", "TRUE"):
            limits = [float(row[name]) for name in ("tested", "lower", "upper")]
            bands.setdefault((row["score"], row["method"]), []).append(limits)
    hits = {}
    for row in read_rows(folder / "pparg_hits.csv"):
        found = float(row["hits_strictly_above"])
        hits.setdefault(row["method"], {})[float(row["tested"])] = found
    return {
        name: (np.array(sorted(rows)), np.array(sorted(hits[name[0]].items()))[:, 1])
        for name, rows in bands.items()
    }


def half_width(limits, center):
    """Longer side of an interval, of which the other may end at what is possible."""
    return np.maximum(limits[:, 2] - center, center - limits[:, 1])


def lambda_of_interval(error, hits, depths):
    """Probability at the cutoff that gives this standard error of the hits."""
    n, m = N + 2 * PLUS, M + 2 * PLUS

    def beyond(value, h, t, e):
        both = Overlap(h, t)
        pair = (h, h), (t, t), (value, value)
        return covariance_of_random_targets(both, *pair, n, m) - e**2

    turn = (hits - hits**2 / m) / (depths - depths**2 / n)
    return np.array(
        [
            brentq(beyond, 0, top, args=(h, t, e))
            for h, t, e, top in zip(hits, depths, error, turn, strict=True)
        ]
    )


@pytest.mark.parametrize("score", ["surf", "icm", "vina", "minr", "maxz"])
def test_sup_t_of_chemmodlab(chemmodlab, score):
    """Their pointwise errors say what their Lambda is; the width of their band follows.

    Their critical value is drawn, as is ours.
    """
    pointwise, found = chemmodlab[score, "JZ"]
    band, _ = chemmodlab[score, "sup-t"]
    m, hits, depths = M + 2 * PLUS, found + PLUS, pointwise[:, 0] + PLUS
    error = half_width(pointwise, hits / m) / norm.isf(0.025)
    around = lambda_of_interval(error * m, hits, depths)
    covariances = covariance_of_random_targets(
        Overlap(np.minimum.outer(hits, hits), np.minimum.outer(depths, depths)),
        (hits[:, np.newaxis], hits),
        (depths[:, np.newaxis], depths),
        (around[:, np.newaxis], around),
        N + 2 * PLUS,
        m,
    )
    rng = np.random.default_rng(0)
    critical = critical_value(covariances, 0.95, 100_000, rng)
    theirs = half_width(band, hits / m) / error
    assert_allclose(critical, theirs[4:], rtol=0.01)


@pytest.mark.parametrize("score", ["surf", "icm", "minr", "maxz"])
def test_bands_of_chemmodlab(chemmodlab, rare_data, score):
    """From t = 16 on, where Lambda is more than that of a few ranks.

    What differs: their kernel estimate of Lambda, which ranks are counted at ties, and
    the others that we add, too. vina, which is tied there, is left out: they retrieve
    what is strictly above the threshold.
    """
    pd = pytest.importorskip("pandas")
    data = pd.read_csv(rare_data / "pparg_docking_scores.csv.gz")
    for method, simultaneous in (("JZ", False), ("sup-t", True)):
        theirs, _ = chemmodlab[score, method]
        ours = hit_curve_band(
            data["active"],
            data[score],
            t=theirs[:, 0].astype(int).tolist(),
            simultaneous=simultaneous,
            method="chemmodlab",
            random_state=0,
        )
        assert_array_equal(ours.x, theirs[:, 0])
        width = (theirs[:, 2] - theirs[:, 1])[4:]
        assert_allclose((ours.high - ours.low)[4:] / M, width, rtol=0.1)
        assert_allclose(ours.low[4:] / M, theirs[4:, 1], atol=0.1 * width.max())
        assert_allclose(ours.high[4:] / M, theirs[4:, 2], atol=0.1 * width.max())


# What must hold


def test_limits_are_possible_and_in_order():
    for seed in range(5):
        y_true, a, b = example(n=60, m=6, shift=3, digits=seed % 2 * 8, seed=seed)
        t = np.arange(1, 61)
        band = hit_curve_band(y_true, a, random_state=0)
        assert_array_equal(band.x, t)
        assert np.all(np.maximum(0, t - 54) <= band.low)
        assert np.all(band.low <= band.high)
        assert np.all(band.high <= np.minimum(t, 6))
        hits = hit_curve(y_true, a).at(t)
        assert np.all((band.low <= hits) & (hits <= band.high))
        each = hit_curve_band(y_true, a, simultaneous=False)
        assert np.all((band.low <= each.low) & (each.high <= band.high))
        band = hit_curve_difference_band(y_true, a, b, random_state=0)
        difference = hits - hit_curve(y_true, b).at(t)
        assert np.all((band.low <= difference) & (difference <= band.high))
        assert np.all(np.abs(band.low) <= np.minimum(t, 6))


def test_difference_turns_with_its_rankings():
    y_true, a, b = example()
    one = hit_curve_difference_band(y_true, a, b, simultaneous=False)
    other = hit_curve_difference_band(y_true, b, a, simultaneous=False)
    assert_allclose(one.low, -other.high, atol=1e-9)
    same = hit_curve_difference_band(y_true, a, np.exp(a), simultaneous=False)
    assert not np.any(same.low)
    assert not np.any(same.high)


@pytest.mark.parametrize("method", ["empirical_process", "chemmodlab"])
def test_difference_of_rankings_that_agree_at_the_top(method):
    # the same first 30 items in the same order, also tied; and below in another
    y_true, a, b = example(n=200, m=40, shift=2)
    a, b = np.sort(a)[::-1], np.sort(b)[::-1]
    a[30:], b[30:] = np.random.default_rng(0).permuted([a[30:]] * 2, axis=1)
    y_true = np.random.default_rng(1).permutation(y_true)
    b[:30] = a[:30] = 100 - np.arange(30) // 2
    for simultaneous in (True, False):
        band = hit_curve_difference_band(
            y_true, a, b, simultaneous=simultaneous, method=method, random_state=0
        )
        difference = hit_curve(y_true, a).at(band.x) - hit_curve(y_true, b).at(band.x)
        assert np.all(
            (band.low <= difference + 1e-9) & (difference <= band.high + 1e-9)
        )
        assert np.all(band.high - band.low >= 0)


@pytest.mark.parametrize("seed", range(3))
def test_band_of_depths_is_that_of_single_intervals(seed):
    # at three hits and misses or more: the standard errors of MetricVariability
    y_true, a, _ = example(n=1000, m=60, shift=1.5 + seed / 2, seed=seed)
    depths = [5, 10, 20, 40, 80, 160, 320]
    level = 0.5
    band = hit_curve_band(
        y_true, a, t=depths, simultaneous=False, confidence_level=level
    )
    half = (band.high - band.low) / 2 / norm.isf((1 - level) / 2)
    hits = hit_curve(y_true, a).at(band.x)
    for t, h, error in zip(depths, hits, half, strict=True):
        if min(h, t - h, 60 - h) >= 3:
            ask = MetricVariability(f"recall@{t}")
            single = 60 * ask.from_predictions(y_true, a).standard_error
            assert error == pytest.approx(single, rel=0.1)


def population_hits(depths, n, m, shift):
    """Targets that a binormal population has in its top t / n, times m."""

    def share(c, of):
        return of * norm.sf(c - shift) + (1 - of) * norm.sf(c)

    cuts = [brentq(lambda c, r=t / n: share(c, m / n) - r, -12, 15) for t in depths]
    return m * norm.sf(np.array(cuts) - shift)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "shift"), [(40, 0.7), (40, 3.0)])
def test_coverage_of_binormal_populations(m, shift):
    """Within 4 standard errors of 95 % from below, of 80 samples each."""
    n, rng = 800, np.random.default_rng(1)
    depths = np.unique(np.rint(np.geomspace(1, n - 1, 25)).astype(int))
    truth = population_hits(depths, n, m, shift)
    held, equal = [], []
    for _ in range(80):
        y_true, a, b = example(n, m, shift, seed=rng.integers(2**32))
        settings = {"t": depths.tolist(), "random_state": rng}
        band = hit_curve_band(y_true, a, **settings)
        held.append(np.all((band.low <= truth) & (truth <= band.high)))
        band = hit_curve_difference_band(y_true, a, b, **settings)
        equal.append(np.all((band.low <= 0) & (band.high >= 0)))
    assert np.mean(held) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / 80)
    assert np.mean(equal) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / 80)


# Settings


def test_depths_are_counts_or_fractions():
    y_true, a, _ = example()
    band = hit_curve_band(y_true, a, t=[0.5, 10, 0.001, 10], random_state=0)
    assert_array_equal(band.x, [1, 10, 200])
    assert band.confidence_level == 0.95
    one = hit_curve_band(y_true, a, t=10, simultaneous=False)
    assert_array_equal(one.x, [10])


def test_labels_of_any_kind():
    y_true, a, b = example()
    words = np.where(y_true, "yes", "no")
    for ask, scores in (
        (hit_curve_band, [a]),
        (hit_curve_difference_band, [a, b]),
    ):
        found = ask(words, *scores, pos_label="yes", random_state=0)
        assert_array_equal(found.low, ask(y_true, *scores, random_state=0).low)


def test_errors():
    y_true, a, b = example()
    with pytest.raises(ValueError, match=r"`t` must hold one depth or more; got none"):
        hit_curve_band(y_true, a, t=[])
    with pytest.raises(
        ValueError, match=r"`t` must not reach beyond the ranking; got t="
    ):
        hit_curve_band(y_true, a, t=[401])
    with pytest.raises(ValueError, match=r"`confidence_level` must be a number betwe"):
        hit_curve_band(y_true, a, confidence_level=1)
    with pytest.raises(ValueError, match=r"`simultaneous` must be True or False; got"):
        hit_curve_band(y_true, a, simultaneous="no")
    with pytest.raises(ValueError, match=r"`random_state` must be None, a non-negati"):
        hit_curve_band(y_true, a, random_state="0")
    with pytest.raises(
        ValueError, match=r"`y_true` must hold targets and non-targets to"
    ):
        hit_curve_band(np.ones(5), np.arange(5.0))
    with pytest.raises(ValueError, match=r"`y_score_b` must have as many items as"):
        hit_curve_difference_band(y_true, a, b[1:])
