"""Metrics at another number of non-targets.

Judges: all ways to remove non-targets of a small population, populations that are
thinned at random and whose value is known, and repeated items.
"""

import itertools
import math
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

from skrank import (
    average_precision,
    deployment_estimate,
    make_metric,
    make_metric_scorer,
    precision_at_t,
)

AT_RANDOM = {"n_resamples": 4000, "random_state": 0}


def population(seed, scale=lambda s: s, n=50_000, m=200, shift=2.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < m
    s = scale(rng.normal(shift * y))
    return y, s, y | (rng.random(n) < 0.02)


def logistic(s):
    return 1 / (1 + np.exp(2 - s))


@pytest.mark.parametrize(
    "name", ["average_precision", "precision@5", "reciprocal_rank"]
)
def test_bounds_are_means_over_all_divisions_of_the_removed(name):
    # targets first, between two kept ones, and last; 4 of 7 non-targets were removed
    y, s = np.array([1, 0, 1, 0, 0, 1]), -np.arange(6.0)
    with pytest.warns(UserWarning, match="their order alone"):
        result = deployment_estimate(y, s, name, prevalence=3 / 10, **AT_RANDOM)
    assert (result.n_non_targets, result.scale) == (7, "order")
    metric, values = make_metric(name), []
    # whichever of 7 places are those of the kept ones, all alike
    for places in itertools.combinations(range(7), 3):
        gaps = np.diff([-1, *places, 7]) - 1  # removed ones in each gap
        both = []
        for highest in (True, False):
            above = {0: gaps[0], 1: gaps[:2].sum() + 1, 2: gaps.sum() + 3}
            least = {0: 0, 1: gaps[0] + 1, 2: gaps[:3].sum() + 3}
            stand = least if highest else above
            ranks = [stand[i] + i for i in range(3)]
            labels = np.isin(np.arange(10), ranks).astype(int)
            both.append(metric(labels, -np.arange(10.0)))
        values.append(both)
    best, least = np.mean(values, axis=0)
    assert result.bounds == pytest.approx((least, best), abs=0.02)
    assert least <= result.estimate <= best


def test_nothing_removed_is_the_metric_itself():
    y, s, _ = population(0, n=2000, m=40)
    result = deployment_estimate(y, s, negatives_kept=1.0, n_resamples=10)
    value = average_precision(y, s)
    found = (result.plug_in, result.estimate, *result.bounds)
    assert found == pytest.approx([value] * 4)
    low, high = result.confidence_interval()
    assert low == pytest.approx(high) == pytest.approx(value)


def test_the_plug_in_repeats_non_targets():
    y, s, kept = population(1)
    y, s = y[kept], s[kept]
    many = np.where(y, 1, 50)
    repeated = np.repeat(y, many), np.repeat(s + 1e-9 * np.arange(s.size), many)
    for name in ("average_precision", "precision@100", "enrichment_factor@0.01"):
        result = deployment_estimate(y, s, name, negatives_kept=0.02, n_resamples=10)
        expected = make_metric(name)(*repeated)
        assert result.plug_in == pytest.approx(expected, rel=1e-6)
    assert result.prevalence == pytest.approx(y.sum() / repeated[0].size)


def test_a_higher_prevalence_draws_fewer():
    y, s, _ = population(2, n=3000, m=60)
    result = deployment_estimate(y, s, prevalence=0.2, **AT_RANDOM)
    assert result.n_non_targets == 240
    rng, values = np.random.default_rng(1), []
    others = np.flatnonzero(~y)
    for _ in range(2000):
        kept = np.append(np.flatnonzero(y), rng.choice(others, 240, replace=False))
        values.append(average_precision(y[kept], s[kept]))
    assert result.estimate == pytest.approx(np.mean(values), abs=0.002)
    low, high = result.confidence_interval()
    ends = np.quantile(values, [0.025, 0.975])
    assert [low, high] == pytest.approx(ends.tolist(), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "name"), [(lambda s: s, "raw"), (np.exp, "log"), (logistic, "logit")]
)
def test_intervals_hold_the_value_of_the_whole_population(scale, name):
    held, estimates, truths, scales = [], [], [], []
    for seed in range(40):
        y, s, kept = population(seed, scale)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = {"negatives_kept": 0.02, "n_resamples": 300, "random_state": seed}
            found = deployment_estimate(y[kept], s[kept], **given)
        truth = average_precision(y, s)
        low, high = found.confidence_interval()
        held.append(low <= truth <= high)
        estimates.append(found.estimate)
        truths.append(truth)
        scales.append(found.scale)
    # of 95 %, 40 runs leave 83 with a chance of one in 500
    assert np.mean(held) >= 0.83
    assert np.mean(estimates) == pytest.approx(np.mean(truths), rel=0.25)
    assert max(set(scales), key=scales.count) in (name, "raw")


def test_the_estimate_is_nearer_than_the_plug_in():
    y, s, kept = population(3)
    with pytest.warns(UserWarning, match="the tail of their scores"):
        result = deployment_estimate(
            y[kept], s[kept], negatives_kept=0.02, n_resamples=500, random_state=0
        )
    truth = average_precision(y, s)
    assert abs(result.estimate - truth) < abs(result.plug_in - truth)
    assert result.bounds[0] < result.estimate < result.bounds[1]
    assert "scale: " in str(result)
    assert repr(result) == str(result)
    fields = result.to_dict()
    assert fields["low"] == result.confidence_interval().low
    assert (fields["lower_bound"], fields["upper_bound"]) == result.bounds
    assert pickle.loads(pickle.dumps(result)).estimate == result.estimate


def test_tied_scores_have_no_tail():
    y, s, kept = population(4, np.round)
    given = {"negatives_kept": 0.02, "n_resamples": 200, "random_state": 0}
    with pytest.warns(UserWarning, match="their order alone"):
        result = deployment_estimate(y[kept], s[kept], **given)
    assert result.scale == "order"
    low, high = result.confidence_interval()
    assert low < average_precision(y, s) < high


def test_bad_input():
    y, s = [1, 0, 0, 1, 0], [5, 4, 3, 2, 1]
    for given, match in [
        ({}, "`prevalence` must be given, or else `negatives_kept`"),
        ({"prevalence": 0.1, "negatives_kept": 0.1}, "and not both; got both"),
        ({"prevalence": 1.0}, "`prevalence` must be a number between 0 and 1"),
        ({"negatives_kept": 0.0}, "`negatives_kept` must be a number above 0"),
        ({"negatives_kept": 0.1, "n_resamples": 1}, "`n_resamples` must be"),
    ]:
        with pytest.raises(ValueError, match=match):
            deployment_estimate(y, s, **given)
    with pytest.raises(ValueError, match="must hold targets and non-targets"):
        deployment_estimate([0] * 5, s, negatives_kept=0.1)


# Scorers and weights


def test_a_scorer_of_thinned_non_targets_repeats_them():
    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression(max_iter=5000).fit(X[:, :3], y == 0)
    s, y = model.decision_function(X[:, :3]), (y == 0).astype(int)
    scorer = make_metric_scorer("average_precision", negatives_kept=0.1)
    value = scorer(model, X[:, :3], y)
    many = np.where(y == 1, 1, 10)
    expected = average_precision(np.repeat(y, many), np.repeat(s, many))
    # a repeated item is not tied with itself here
    assert value == pytest.approx(expected, rel=0.02)
    by_prevalence = make_metric_scorer("enrichment_factor@0.01", prevalence=0.01)
    assert by_prevalence(model, X[:, :3], y) > 1
    worst = make_metric_scorer("k_at_recall(0.5)", prevalence=0.01)
    assert worst(model, X[:, :3], y) < 0
    with pytest.warns(UndefinedMetricWarning, match="no targets"):
        assert math.isnan(scorer(model, X[:, :3], 0 * y))
    assert pickle.loads(pickle.dumps(scorer))(model, X[:, :3], y) == value


def test_weights_as_of_thinned_non_targets_are_told():
    y, s = np.repeat([1, 0, 1, 0, 0], 5), np.arange(25.0, 0, -1)
    with pytest.warns(UserWarning, match="`deployment_estimate`"):
        precision_at_t(y, s, t=2, sample_weight=np.where(y == 1, 1.0, 100.0))
    # as many of each class, by weight, with targets the rarer and the more frequent
    balanced, turned = np.where(y == 1, 3.0, 2.0), np.where(y == 0, 2.0, 3.0)
    some = np.where(y == 1, 1.0, 5.0)
    of_target, of_other = some.copy(), some.copy()
    of_target[0], of_other[5] = 2.0, 4.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        precision_at_t(y, s, t=2, sample_weight=balanced)
        precision_at_t(1 - y, s, t=2, sample_weight=turned)
        precision_at_t(y, s, t=2, sample_weight=of_target)
        precision_at_t(y, s, t=2, sample_weight=of_other)
        precision_at_t(y[:8], s[:8], t=1, sample_weight=some[:8])


def test_intervals_of_new_targets_are_those_of_drawn_targets():
    # with all non-targets kept nothing but the targets varies; judge: draws of these
    rng = np.random.default_rng(4)
    y = np.arange(600) < 25
    s = np.round(rng.normal(1.5 * y), 1)
    result = deployment_estimate(y, s, negatives_kept=1.0, **AT_RANDOM)
    low, high = result.confidence_interval()
    assert_allclose([low, high, result.estimate], average_precision(y, s))
    values = [
        average_precision(y, np.append(rng.choice(s[y], 25), s[~y]))
        for _ in range(2000)
    ]
    found = result.confidence_interval(0.9, new_targets=True)
    assert_allclose(found, np.quantile(values, [0.05, 0.95]), atol=0.01)
    assert (
        result.to_dict()["new_low"] == result.confidence_interval(new_targets=True)[0]
    )


def test_intervals_of_new_targets_hold_those_of_these():
    y, s, kept = population(0)
    for given in ({"negatives_kept": 0.02}, {"prevalence": 0.3}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            result = deployment_estimate(y[kept], s[kept], **given, random_state=0)
        low, high = result.confidence_interval()
        new_low, new_high = result.confidence_interval(new_targets=True)
        assert new_low < low < high < new_high
    with pytest.raises(ValueError, match="`new_targets` must"):
        result.confidence_interval(new_targets="yes")
