"""Conventions of reviews and of virtual screening, by their definitions elsewhere."""

import math

import numpy as np
import pytest
from sklearn.metrics import recall_score, roc_curve

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    log_auc,
    make_metric,
    recall_at_t,
    specificity_at_t,
    wss,
)

RNG = np.random.default_rng(0)
Y = RNG.random(900) < 0.05
SCORE = RNG.normal(1.2 * Y)


def read_until(needed, y, score):
    """Rank of the target that completes a number of them."""
    ranks = 1 + np.flatnonzero(y[np.argsort(-score)])
    return ranks[needed - 1]


@pytest.mark.parametrize("m", [1, 3, 9, 10, 11, 20, 30, 39, 41])
@pytest.mark.parametrize(
    ("rounding", "whole"),
    [("up", math.ceil), ("even", round), ("down", int)],  # of Python
)
def test_wss_with_three_numbers_of_targets(m, rounding, whole):
    y = RNG.permutation(np.arange(400) < m)
    score = RNG.normal(y)
    needed = max(1, whole(round(0.95 * m, 9)))
    saved = 0.95 - read_until(needed, y, score) / 400
    assert wss(y, score, rounding=rounding) == pytest.approx(saved)
    name = "wss(0.95)" if rounding == "up" else f"wss(0.95, rounding={rounding})"
    metric = make_metric(name)
    assert metric.name == name
    assert metric(y, score) == pytest.approx(saved)


def test_roundings_that_are_refused():
    with pytest.raises(ValueError, match="`rounding` must be one of 'up', 'even', 'd"):
        wss(Y, SCORE, rounding="floor")


def test_an_interval_of_wss_goes_with_its_rounding():
    values = []
    for rounding in ("up", "even", "down"):
        result = MetricInterval(f"wss(0.9, rounding={rounding})").from_predictions(
            Y, SCORE
        )
        low, high = result.confidence_interval()
        assert low < result.value < high
        values.append(result.value)
    assert values == sorted(values)


def test_extra_records_found_are_recall_less_chance():
    for t in (9, 0.1, 450, 900):
        share = t if isinstance(t, float) else t / 900
        expected = recall_at_t(Y, SCORE, t=t) - share
        metric = make_metric(f"erf@{t}")
        assert metric(Y, SCORE) == pytest.approx(expected)
        found, other = (
            RandomSelectionTest(f"{one}@{t}").from_predictions(Y, SCORE)
            for one in ("erf", "recall")
        )
        assert found.pvalue == pytest.approx(other.pvalue)
        assert found.null_mean == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("method", ["auto", "survival", "jackknife"])
def test_intervals_of_shifted_recalls_are_those_of_recall(method):
    """A constant is added, or the unit is changed."""
    n, m, t = Y.size, int(Y.sum()), 60
    recall, erf, specificity = (
        MetricInterval(f"{name}@{t}", method=method).from_predictions(Y, SCORE)
        for name in ("recall", "erf", "specificity")
    )
    assert erf.standard_error == pytest.approx(recall.standard_error, rel=0.02)
    if method == "survival":
        scale = m / (n - m)
        assert specificity.standard_error == pytest.approx(
            scale * recall.standard_error
        )


def test_specificity_is_the_recall_of_the_other_class():
    for t in (1, 50, 0.2, 900):
        depth = t if isinstance(t, int) else round(t * 900)
        chosen = np.zeros(900, dtype=bool)
        chosen[np.argsort(-SCORE)[:depth]] = True
        expected = recall_score(~Y, ~chosen)
        assert specificity_at_t(Y, SCORE, t=t) == pytest.approx(expected)


@pytest.mark.parametrize("fpr", [0.001, 0.01, 0.3])
def test_log_auc_is_the_area_under_the_curve_of_scikit_learn(fpr):
    rates, recalls, _ = roc_curve(Y, SCORE, drop_intermediate=False)
    # of a step function, exactly: between the rates it is constant
    at = np.unique(np.append(rates[rates > fpr], [fpr, 1]))
    height = recalls[np.searchsorted(rates, at[:-1], side="right") - 1]
    area = height @ np.diff(np.log(at)) / -math.log(fpr)
    assert log_auc(Y, SCORE, fpr=fpr) == pytest.approx(area)


def test_log_auc_of_random_selection():
    """Judge: the area under the diagonal."""
    y, fpr = np.arange(100_000) < 500, 0.001
    expected = (1 - fpr) / -math.log(fpr)
    assert log_auc(y, np.zeros(y.size)) == pytest.approx(expected, rel=2e-3)
    small = RandomSelectionTest("log_auc").from_predictions(Y, SCORE)
    assert small.null_mean == pytest.approx(log_auc(Y, np.zeros(900)))
    assert small.pvalue < 1e-6
