"""Monitors of days: evidence whose mean is at most 1, and false alarms.

Judges: enumeration of all places of the targets, all sequences of values, simulation.
"""

import datetime
import itertools
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from cases import assert_share, runs
from skrank import (
    Ranking,
    RankingMonitor,
    Rankings,
    average_precision,
    recall_at_t,
)
from skrank.inference._monitor_evidence import evidence_of_places, unspent


@pytest.mark.parametrize(("n", "m"), [(1, 0), (2, 1), (7, 3), (8, 7), (9, 4), (6, 6)])
@pytest.mark.parametrize("distinct", [1, 3, 100])
def test_evidence_of_places_has_mean_one_over_all_places(n, m, distinct):
    score = np.random.default_rng(n).integers(0, distinct, n).astype(float)
    found = [
        np.exp(
            evidence_of_places(Ranking.from_predictions(np.isin(range(n), some), score))
        )
        for some in itertools.combinations(range(n), m)
    ]
    assert_allclose(np.mean(found, axis=0), 1)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(500, 450), (3000, 2), (20_000, 300)])
def test_evidence_of_places_of_long_lists(n, m):
    # judge: the mean over random rankings, of weights that vary little
    rng, place = np.random.default_rng(0), -np.arange(n)
    found = [
        evidence_of_places(
            Ranking.from_predictions(np.isin(place, -rng.choice(n, m, False)), place)
        )[0]
        for _ in range(100)
    ]
    error = np.exp(found).std() / math.sqrt(100)
    assert abs(np.exp(found).mean() - 1) < 4 * error


def days_of(n_days, rng, shift=0.0, n=100, rate=0.03):
    day = np.repeat(np.arange(n_days), n)
    y = rng.random(day.size) < rate
    return y, rng.normal(shift * y), day


MONITORS = {
    "chance": RankingMonitor(),
    "chance by a metric": RankingMonitor("recall@10"),
    "reference": RankingMonitor("recall@10", against=0.3),
    "profit": RankingMonitor("expected_profit@10(benefit=5, cost=1)", against=-2),
    "precision": RankingMonitor("precision@10", against=0.1),
    "model": RankingMonitor("average_precision", against="old"),
}


def scores_for(name, score):
    other = np.random.default_rng(9).normal(score)
    return {"old": other, "new": score} if name == "model" else score


@pytest.mark.parametrize("name", MONITORS)
def test_one_day_after_another_gives_the_same(name):
    monitor = MONITORS[name]
    y, score, day = days_of(12, np.random.default_rng(0), 1.0)
    scores = scores_for(name, score)
    whole = monitor.from_predictions(y, scores, groups=day)
    result = None
    for one in range(12):
        at = day == one
        if result is not None and one % 2:  # by way of a file
            result = json.loads(json.dumps(result.state()))
        some = {k: v[at] for k, v in scores.items()} if name == "model" else scores[at]
        result = monitor.update(y[at], some, group=one, after=result)
    assert_allclose(result.log10_evidences, whole.log10_evidences, rtol=1e-9)
    assert_allclose(result.values, whole.values)
    assert (result.n_samples, result.n_targets) == (1200, y.sum())
    assert result.pvalue == pytest.approx(whole.pvalue)
    copied = pickle.loads(pickle.dumps(whole))
    assert str(copied) == str(whole)
    assert copied.to_frame().equals(whole.to_frame())


def test_values_and_pvalues_are_those_of_the_days():
    y, score, day = days_of(30, np.random.default_rng(1), 2.0)
    result = RankingMonitor("recall@10", against=0.9).from_predictions(
        y, score, groups=day
    )
    frame = result.to_frame()
    for one in range(30):
        at = day == one
        if y[at].any():
            expected = recall_at_t(y[at], score[at], t=10)
            assert frame["value"][one] == pytest.approx(expected)
        else:
            assert math.isnan(frame["value"][one])
    assert result.value == pytest.approx(np.nanmean(result.values))
    assert frame["pvalue"].is_monotonic_decreasing
    for pvalue in (result.pvalue, frame["pvalue"].iloc[-1]):
        assert pvalue == pytest.approx(min(1, 10 ** -max(result.log10_evidences)))
    first = frame["ranking"][frame["pvalue"] <= 0.05].iloc[0]
    assert result.alarm == first
    assert f"since {first}" in result.conclusion()
    assert f"since {first}" in str(result)


def test_a_day_without_targets_says_nothing():
    y, score, day = days_of(10, np.random.default_rng(2), 1.0, rate=0.1)
    y[day == 4] = False
    for name in ("chance", "reference"):
        result = MONITORS[name].from_predictions(y, score, groups=day)
        assert math.isnan(result.values[4])
        assert result.log10_evidences[4] == result.log10_evidences[3]
        without = day != 4
        same = MONITORS[name].from_predictions(
            y[without], score[without], groups=day[without]
        )
        assert_allclose(same.log10_evidence, result.log10_evidence)
    # it has a precision of 0, though
    result = MONITORS["precision"].from_predictions(y, score, groups=day)
    assert result.values[4] == 0


def mean_evidence(values, chances, reference, n_days):
    """Return the largest mean of the evidence over all sequences of values."""
    monitor = RankingMonitor("recall@1", against=reference)
    found = 0.0
    for sequence in itertools.product(range(len(values)), repeat=n_days):
        result = None
        for i in sequence:
            m = 2 if values[i] == 0.5 else 1
            y = np.zeros(6)
            y[:m] = 1
            if values[i] == 0:
                y = y[::-1]
            after = result
            result = monitor.update(
                y,
                -np.arange(6),
                group=0 if after is None else len(after.labels),
                after=after,
            )
        found += 10**result.log10_evidence * np.prod([chances[i] for i in sequence])
    return found


def test_evidence_against_a_mean_has_mean_one_over_all_sequences():
    # values 0, .5 and 1 with the mean .45; later first days keep their weight
    chances = (0.3, 0.5, 0.2)
    for n_days in (1, 4):
        found = mean_evidence((0, 0.5, 1), chances, 0.45, n_days)
        assert found == pytest.approx(1)
    assert 0 < unspent(1000) < 1


def test_better_models_are_found_and_equal_ones_are_not():
    rng = np.random.default_rng(3)
    y, score, day = days_of(150, rng, 2.5)
    worse = rng.normal(score, 2)
    monitor = RankingMonitor("average_precision", against="old")
    found = monitor.from_predictions(y, {"new": score, "old": worse}, groups=day)
    assert found.alarm is not None
    swapped = monitor.from_predictions(y, {"old": score, "new": worse}, groups=day)
    assert swapped.pvalue == 1
    same = monitor.from_predictions(y, {"old": score, "new": 2 * score}, groups=day)
    assert set(np.array(same.values)[~np.isnan(same.values)]) == {0.0}
    assert same.pvalue == 1
    low, high = found.confidence_interval()
    assert -1 <= low < found.value < high <= 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"against": 0.5}, "`metric` must be named"),
        ({"metric": "recall@5", "against": 1.0}, "`against` must be between 0 and 1"),
        ({"metric": "recall@5", "against": 0}, "`against` must be between 0 and 1"),
        ({"metric": "recall@5", "against": None}, "`against` must be 'random"),
        ({"metric": "precision@5", "against": 0.05}, "`against`.*recall@5"),
        (
            {"metric": "enrichment_factor@5", "against": 2.0},
            "`metric` must have a small",
        ),
        ({"metric": "max_f_score"}, "`metric` must be one that has a null"),
        ({"significance_level": 5}, "`significance_level`"),
    ],
)
def test_settings_that_cannot_be_monitored(settings, message):
    with pytest.raises(ValueError, match=message):
        RankingMonitor(**settings)


def test_a_reference_near_the_worst_value_has_a_warning():
    with pytest.warns(match="A loss of average_precision from 0.05 is found late"):
        RankingMonitor("average_precision", against=0.05)


def test_data_that_cannot_be_monitored():
    y, score, day = days_of(5, np.random.default_rng(4))
    monitor = RankingMonitor()
    with pytest.raises(ValueError, match="`groups` must hold the day"):
        monitor.from_predictions(y, score)
    with pytest.raises(ValueError, match="`clusters` must be left out"):
        monitor.from_predictions(y, score, groups=day, clusters=np.arange(500) % 50)
    with pytest.raises(ValueError, match="`y_score` must be of one model"):
        monitor.from_predictions(y, {"a": score, "b": score}, groups=day)
    with pytest.raises(ValueError, match="`y_score` must hold two models.*'old'"):
        MONITORS["model"].from_predictions(y, {"a": score, "b": score}, groups=day)
    result = monitor.from_predictions(y, score, groups=day)
    with pytest.raises(ValueError, match="`groups` must hold days that were not"):
        monitor.update(y[:100], score[:100], group=4, after=result)
    with pytest.raises(ValueError, match="`after` must be the result"):
        MONITORS["reference"].update(y[:100], score[:100], group=7, after=result)
    with pytest.raises(ValueError, match="`after` must be the result"):
        monitor.update(y[:100], score[:100], group=7, after={})
    ties = RankingMonitor("recall@10", against=0.3, ties="optimistic")
    state = MONITORS["reference"].from_predictions(y, score, groups=day).state()
    with pytest.raises(ValueError, match="`after` must be the result"):
        ties.update(y[:100], score[:100], group=7, after=state)
    pair = MONITORS["model"].from_predictions(
        y, {"old": score, "new": score}, groups=day
    )
    with pytest.raises(ValueError, match="`after` must be of the models"):
        MONITORS["model"].update(
            y[:100], {"old": score[:100], "other": score[:100]}, group=7, after=pair
        )
    with pytest.raises(ValueError, match="whose order is known; got 'fri'"):
        monitor.from_predictions(y, score, groups=np.array(["mon", "fri"])[day % 2])
    with pytest.raises(ValueError, match="`y_true` must hold labels"):
        monitor.update([1, None, 0], [3, 2, 1], group=9, after=result)


def test_days_of_any_label_and_lower_scores():
    y, score, day = days_of(6, np.random.default_rng(5), 1.0)
    dates = pd.to_datetime("2026-01-01") + pd.to_timedelta(day, unit="D")
    monitor = RankingMonitor()
    expected = monitor.from_predictions(y, score, groups=day)
    for groups in (dates, dates.strftime("%Y-%m-%d"), day + 7):
        result = monitor.from_predictions(y, score, groups=groups)
        assert result.log10_evidences == expected.log10_evidences
        assert json.dumps(result.state())
    texts = monitor.from_predictions(y, score, groups=(day + 7).astype(str))
    assert texts.log10_evidences == expected.log10_evidences  # 10 is after 9
    lower = monitor.from_predictions(y, -score, groups=day, lower_is_better=True)
    assert lower.log10_evidences == expected.log10_evidences
    frame = expected.to_frame()
    assert_allclose(
        frame["value"],
        [
            average_precision(y[day == one], score[day == one])
            if y[day == one].any()
            else math.nan
            for one in range(6)
        ],
    )
    assert Rankings.from_predictions(y, score, groups=day).labels == tuple(range(6))


@pytest.mark.parametrize(
    "same",
    [
        np.datetime64("2026-01-05"),
        np.datetime64("2026-01-05", "ns"),
        pd.Timestamp("2026-01-05"),
        datetime.date(2026, 1, 5),
        datetime.datetime(2026, 1, 5),
        "2026-01-05",
    ],
)
def test_a_day_is_the_same_in_every_type(same):
    y, score, _ = days_of(1, np.random.default_rng(6), 1.0, rate=0.1)
    monitor = RankingMonitor()
    for first in (pd.Timestamp("2026-01-05"), "2026-01-05"):
        result = monitor.update(y, score, group=first)
        for after in (result, json.loads(json.dumps(result.state(), allow_nan=False))):
            with pytest.raises(ValueError, match="`groups` must hold days that were"):
                monitor.update(y, score, group=same, after=after)
            later = monitor.update(y, score, group="2026-01-06", after=after)
            assert len(later.labels) == 2
    assert "2026-01-05" in monitor.update(y, score - 9 * ~y, group=same).conclusion()
    number = monitor.update(y, score, group=5)
    with pytest.raises(ValueError, match="`groups` must hold days that were"):
        monitor.update(
            y, score, group=5.0, after=json.loads(json.dumps(number.state()))
        )


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["chance", "chance by a metric", "reference", "model"])
def test_false_alarms_ever(name):
    alarms, missed = [], []
    for i in range(runs(40)):
        rng = np.random.default_rng([i, 5])
        y, score, day = days_of(200, rng)
        if name == "model":
            scores = {"old": score, "new": rng.normal(size=score.size)}
        else:
            scores = score
        monitor = MONITORS[name]
        if name == "reference":
            # the mean recall in the top 10 of 100 items is a tenth
            monitor = RankingMonitor("recall@10", against=0.1)
        result = monitor.from_predictions(y, scores, groups=day)
        alarms.append(result.alarm is not None)
        if name in ("reference", "model"):
            frame, mean = result.to_frame(), 0.1 if name == "reference" else 0.0
            missed.append(np.any((frame["low"] > mean) | (frame["high"] < mean)))
    assert_share(alarms, most=0.05)
    if missed:
        assert_share(missed, most=0.05)
