"""Designs of a sample of labels: those that are none, and parts that are not needed.

Judges: the same items without the rest of the list, sets of planned items, and the
identity of WSS and the depth of a recall.
"""

import numpy as np
import pytest

from skrank import SampledMetricInterval, labels_to_collect

RNG = np.random.default_rng(0)


def top_and_some():
    """Labels of the top 100 and of 100 of the other 1,900 items."""
    y = np.arange(2000) < 40
    rank = np.argsort(np.argsort(-RNG.normal(2.5 * y)))
    looked = rank < 100
    looked[RNG.choice(np.flatnonzero(~looked), 100, replace=False)] = True
    return np.where(looked, y, np.nan), -rank.astype(float)


def test_a_top_and_a_sample_are_not_one_stratum():
    y, score = top_and_some()
    ask = SampledMetricInterval("recall@100")
    with pytest.warns(UserWarning, match="random sample"):
        ask.from_predictions(y, score, strata=np.zeros(2000))
    ask.from_predictions(y, score, strata=score <= -100)  # two strata: no warning


def test_precision_of_a_sampled_top_does_not_need_the_rest():
    score = -np.arange(3000.0)
    label = np.full(3000, np.nan)
    checked = RNG.choice(500, 60, replace=False)
    label[checked] = RNG.random(60) < 0.3
    ask = SampledMetricInterval("precision@500")
    alone = ask.from_predictions(label[:500], score[:500], strata=np.zeros(500))
    whole = ask.from_predictions(label, score, strata=np.arange(3000) >= 500)
    limits = [one.confidence_interval() for one in (alone, whole)]
    assert limits[1] == pytest.approx(limits[0], abs=0.01)


def test_a_larger_plan_contains_the_smaller():
    score = RNG.normal(size=3000)
    small, large = (
        labels_to_collect(score, budget, random_state=0) for budget in (100, 200)
    )
    assert (small["stratum"] == large["stratum"]).all()
    assert large["to_label"][small["to_label"]].all()


def test_work_saved_follows_from_the_depth():
    y, score = top_and_some()
    strata = score <= -100
    depth, saved = (
        SampledMetricInterval(name).from_predictions(y, score, strata=strata)
        for name in ("k_at_recall(0.5)", "wss(0.5)")
    )
    for k, share in zip(
        depth.confidence_interval(), saved.confidence_interval()[::-1], strict=True
    ):
        assert share == pytest.approx(0.5 - k / 2000, abs=1e-9)
