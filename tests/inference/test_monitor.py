"""Monitors of days: evidence whose mean is at most 1, and false alarms.

Judges: enumeration of all places of the targets, all sequences of values, sums and
integrals, the dates of pandas, simulation.
"""

import copy
import datetime
import itertools
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, rankdata
from sklearn.metrics import roc_auc_score

from cases import AreaUnderROC, assert_share, runs
from skrank import (
    RandomSelectionTest,
    Ranking,
    RankingMonitor,
    Rankings,
    average_precision,
    make_metric,
    recall_at_t,
)
from skrank.inference.monitor._monitor_evidence import (
    LOG_NO_EVIDENCE,
    accumulated,
    are_alike,
    are_apart,
    evidence_of_places,
    unspent,
)
from skrank.inference.monitor._monitor_state import day_text


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


def test_evidence_of_places_is_the_quotient_of_likelihoods():
    # judge: all places of two targets in five items, the middle three of them tied
    score, placed = [3, 2, 2, 2, 1], {1, 4}
    for k, found in zip(
        (0.1, 0.2, 0.4, 0.7, 1.0),
        evidence_of_places(Ranking.from_predictions([0, 1, 0, 0, 1], score)),
        strict=True,
    ):
        weight = [1, *[sum(r**-k for r in (2, 3, 4)) / 3] * 3, 5**-k]
        every = [weight[i] * weight[j] for i, j in itertools.combinations(range(5), 2)]
        expected = math.prod(weight[i] for i in placed) / np.mean(every)
        assert np.exp(found) == pytest.approx(expected)


def test_the_evidence_of_days_is_the_mean_product_over_the_settings():
    y, score, day = days_of(2, np.random.default_rng(0), 1.0, rate=0.1)
    ranked = [Ranking.from_predictions(y[day == i], score[day == i]) for i in (0, 1)]
    places = np.exp([evidence_of_places(one) for one in ranked])
    result = RankingMonitor().from_predictions(y, score, groups=day)
    expected = places[0].mean(), places.prod(axis=0).mean()
    assert_allclose(10 ** np.array(result.log10_evidences), expected)
    # a bet on the difference of two models, whose largest loss is 1
    scores = scores_for("model", score)
    result = MONITORS["model"].from_predictions(y, scores, groups=day)
    shares = np.array([[0.03], [0.1], [0.25], [0.5], [0.8]])
    expected = np.cumprod(1 + shares * result.values, axis=1).mean(axis=0)
    assert_allclose(10 ** np.array(result.log10_evidences), expected)
    assert result.method == "differences of the days"


def test_an_alarm_says_what_it_means():
    ties = RankingMonitor("recall@10", reference=0.3, ties="optimistic")
    better = "the rankings are better than random selection"
    expected = {
        "chance": better,
        "chance by a metric": f"{better} by recall@10",
        "reference": "the mean recall@10 is below 0.3",
        "model": "the mean of average_precision is larger than for old",
        "ties": "the mean recall@10, ties optimistic is below 0.3",
    }
    for name, said in expected.items():
        y, score, day = days_of(2, np.random.default_rng(0), rate=0.1)
        monitor = MONITORS.get(name, ties)
        result = monitor.from_predictions(y, scores_for(name, score), groups=day)
        assert result.alternative == f"{said}, given the days before"
        assert result.alternative in result.conclusion()


@pytest.mark.parametrize("rounded", [False, True])
def test_evidence_by_a_metric_is_that_of_the_pvalue_of_the_day(rounded):
    # up to the error of the test and 0.2 %
    powers = np.array([0.1, 0.2, 0.35, 0.5, 0.7, 0.9])
    rng, y = np.random.default_rng(0), np.arange(300) < 4
    for shift in (0.0, 1.0, 2.0, 40.0):  # the last ranking is perfect
        score = rng.normal(shift * y)
        score = np.round(score, 1) if rounded else score
        test = RandomSelectionTest().from_predictions(y, score)
        log_p, error = math.log(test.pvalue), test.pvalue_relative_error
        least, most = (
            np.log10(np.mean(powers * np.exp((powers - 1) * (log_p + more))))
            for more in (0.002 + error, -0.002 - error)
        )
        found = RankingMonitor("average_precision").from_predictions(
            y, score, groups=np.zeros(300)
        )
        assert least - 1e-9 <= found.log10_evidence <= most + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m"),
    [
        (500, 450),
        (3000, 2),
        pytest.param(20_000, 300, marks=pytest.mark.nightly),
    ],
)
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
    "reference": RankingMonitor("recall@10", reference=0.3),
    "profit": RankingMonitor("expected_profit@10(benefit=5, cost=1)", reference=-2),
    "precision": RankingMonitor("precision@10", reference=0.1),
    "model": RankingMonitor("average_precision", reference="old"),
    "targets": RankingMonitor("recall@10", reference=0.3, bet="target"),
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
        result = monitor.update(y[at], some, group=one, previous=result)
    assert_allclose(result.log10_evidences, whole.log10_evidences, rtol=1e-9)
    assert_allclose(result.values, whole.values)
    assert (result.n_samples, result.n_targets) == (1200, y.sum())
    assert result.pvalue == pytest.approx(whole.pvalue)
    copied = pickle.loads(pickle.dumps(whole))
    assert str(copied) == str(whole)
    assert copied.to_frame().equals(whole.to_frame())


def test_values_and_pvalues_are_those_of_the_days():
    y, score, day = days_of(30, np.random.default_rng(1), 2.0)
    result = RankingMonitor("recall@10", reference=0.9).from_predictions(
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
    assert result.alarm_group == first
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
    monitor = RankingMonitor("recall@1", reference=reference)
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
                previous=after,
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


SHARES = [Fraction(one, 100) for one in (3, 10, 25, 50, 80)]


def evidence_of_targets(days, reference):
    """Return the evidence in rational numbers, by what each target of a day has.

    That is 1 above the cutoff, 0 below, or a share of the places in a tie across it.
    """
    first = [Fraction(unspent(i) - unspent(i + 1)) for i in range(len(days))]
    found = 1 - sum(first)
    for start, weight in enumerate(first):
        for share in SHARES:
            factors = [
                1 + share / (1 - reference) * (reference - one)
                for day in days[start:]
                for one in day
            ]
            found += weight * math.prod(factors) / len(SHARES)
    return found


def day_with(*places):
    """Items of a day: 4 at the top, then a tie of 4, and 4 below; the cutoff is 6.

    Each place is 0 for a target at the top, 1 in the tie, and 2 below.
    """
    y = np.zeros(12)
    for place in range(3):
        y[4 * place : 4 * place + places.count(place)] = 1
    return y, np.array([9.0, 8, 7, 6, 5, 5, 5, 5, 4, 3, 2, 1])


HALF = Fraction(1, 2)
HAS = (Fraction(1), HALF, Fraction(0))  # of two free places for four tied items


@pytest.mark.parametrize("reference", [Fraction(9, 20), Fraction(3, 4)])
def test_bets_on_targets_have_mean_one_over_all_places(reference):
    """Judge: rational bets, for all places of two and one independent targets."""
    monitor = RankingMonitor("recall@6", reference=float(reference), bet="target")
    chances = (reference - Fraction(1, 10), Fraction(1, 5))
    chances = (*chances, 1 - sum(chances))
    assert sum(a * b for a, b in zip(chances, HAS, strict=True)) == reference
    mean, by_class = Fraction(0), 0.0
    for first in itertools.product(range(3), repeat=2):
        past = monitor.update(*day_with(*first), group=1)
        for second in range(3):
            result = monitor.update(*day_with(second), group=2, previous=past)
            days = [[HAS[one] for one in first], [HAS[second]]]
            expected = evidence_of_targets(days, reference)
            assert 10**result.log10_evidence == pytest.approx(float(expected))
            # the values remain those of the days
            assert_allclose(result.values, [float(sum(d) / len(d)) for d in days])
            chance = math.prod(chances[one] for one in (*first, second))
            mean += chance * expected
            by_class += float(chance) * 10**result.log10_evidence
    assert mean == 1
    assert by_class == pytest.approx(1)


def test_bets_need_targets_that_are_independent():
    """Judge: all outcomes of two targets with given chances, in rational numbers."""
    reference, mean = Fraction(2, 5), Fraction(0)
    low, high = Fraction(1, 5), Fraction(3, 5)  # unequal targets with this mean
    for a, b in itertools.product((0, 1), repeat=2):
        chance = (low if a else 1 - low) * (high if b else 1 - high)
        mean += chance * evidence_of_targets([[a, b]], reference)
    assert mean < 1
    both = [evidence_of_targets([[one, one]], reference) for one in (0, 1)]
    assert (1 - reference) * both[0] + reference * both[1] > 1  # good and bad days


def test_bets_on_targets_are_those_of_hits_and_misses():
    """Judge: products over the hits and misses of all days, from each first day."""
    shares = np.array([0.03, 0.1, 0.25, 0.5, 0.8])
    for seed, reference in itertools.product(range(3), (0.6, 0.48)):
        rng = np.random.default_rng([seed, 11])
        m = rng.poisson(10, 120).clip(1)
        h = rng.binomial(m, np.where(np.arange(120) < 60, 0.6, 0.3))
        logs, found = np.full(5, -np.inf), []
        bet = shares / (1 - reference)
        for i in range(120):
            logs = np.logaddexp(logs, math.log(unspent(i) - unspent(i + 1)))
            logs += h[i] * np.log1p(bet * (reference - 1))
            logs += (m[i] - h[i]) * np.log1p(bet * reference)
            total = np.exp(logs).mean() + unspent(i + 1)
            found.append(total)
        each = [
            (np.r_[np.ones(b), np.zeros(40 - b), np.ones(a - b)], a - b)
            for a, b in zip(m, h, strict=True)
        ]
        y = np.concatenate([one for one, _ in each])
        day = np.repeat(np.arange(120), [40 + missed for _, missed in each])
        monitor = RankingMonitor("recall@40", reference=reference, bet="target")
        result = monitor.from_predictions(y, -np.arange(float(y.size)), groups=day)
        assert_allclose(result.log10_evidences, np.log10(found), atol=1e-9)
        first = int(np.argmax(np.array(found) >= 20))
        assert result.alarm_group == str(first)
        assert 60 <= first < 80
        by_day = RankingMonitor("recall@40", reference=reference)
        later = by_day.from_predictions(y, -np.arange(float(y.size)), groups=day)
        assert not later.alarm or int(later.alarm_group) > first
        assert result.values == later.values


def test_what_is_assumed_of_targets_is_said():
    said = "the targets of a day are independent of one another, given the days before"
    y, score, day = days_of(30, np.random.default_rng(1), 0.5, rate=0.1)
    results = [
        RankingMonitor("recall@10", reference=r, bet="target").from_predictions(
            y, score, groups=day
        )
        for r in (0.9, 0.1)
    ]
    assert [one.alarm for one in results] == [True, False]
    for result in results:
        assert f"assumes      {said}" in str(result)
        assert f"This assumes that {said}." in result.conclusion()
        assert "false alarms are more likely" in result.conclusion()
        assert result.method == "targets of the days, from any day on"
    by_day = RankingMonitor("recall@10", reference=0.9)
    result = by_day.from_predictions(y, score, groups=day)
    assert "assumes" not in str(result) + result.conclusion()


def test_limits_after_an_alarm_by_targets():
    """Limits of days are wider than the evidence of targets, and stay if they agree."""
    y, score, day = days_of(12, np.random.default_rng(1), 0.5, n=300, rate=0.1)
    monitor = RankingMonitor("recall@60", reference=0.6, bet="target")
    result = monitor.from_predictions(y, score, groups=day)
    low, high = result.confidence_interval()
    assert result.alarm
    assert low < result.value < 0.6 < high
    assert "has no limits" not in result.conclusion()
    # limits above the number do not agree with the alarm
    y, score, day = days_of(120, np.random.default_rng(1), 2.0, n=300, rate=0.1)
    changed = monitor.from_predictions(y, score - 1.5 * y * (day > 110), groups=day)
    before = changed.labels.index(changed.alarm_group) - 1
    assert before >= 110
    frame = changed.to_frame()
    assert frame["low"][before] > 0.6
    assert np.isnan(frame["low"][before + 1])


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:The values of")  # of a few runs, or of the break
@pytest.mark.parametrize("rate", [2.5, 10, 50])
def test_false_alarms_of_bets_on_targets(rate):
    """The reference is the chance of each target; halved on day 60 in other runs."""
    alarms, delays, t = [], [], int(2 * rate + 20)
    monitor = RankingMonitor(f"recall@{t}", reference=0.6, bet="target")
    for i in range(runs(60)):
        for broken in (False, True):
            rng = np.random.default_rng([i, 12])
            m = rng.poisson(rate, 200)
            later = broken * (np.arange(200) >= 60)
            h = rng.binomial(m, np.where(later, 0.3, 0.6))
            each = [
                np.r_[np.ones(b), np.zeros(t - b), np.ones(a - b)]
                for a, b in zip(m, h, strict=True)
            ]
            day = np.repeat(np.arange(200), [one.size for one in each])
            y = np.concatenate(each)
            result = monitor.from_predictions(y, -np.arange(float(y.size)), groups=day)
            if not broken:
                alarms.append(result.alarm)
            elif result.alarm and int(result.alarm_group) >= 60:
                delays.append(int(result.alarm_group) - 60)
    assert_share(alarms, most=0.05)
    # of a program of its own: median delays of 16, 4 and 1 days
    assert np.median(delays) <= 1.2 * {2.5: 16, 10: 4, 50: 1}[rate] + 0.5


def test_better_models_are_found_and_equal_ones_are_not():
    rng = np.random.default_rng(3)
    y, score, day = days_of(150, rng, 2.5)
    worse = rng.normal(score, 2)
    monitor = RankingMonitor("average_precision", reference="old")
    found = monitor.from_predictions(y, {"new": score, "old": worse}, groups=day)
    assert found.alarm
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
        ({"reference": 0.5}, "`metric` must be named"),
        (
            {"metric": "recall@5", "reference": 1.0},
            "`reference` must be between 0 and 1",
        ),
        ({"metric": "recall@5", "reference": 0}, "`reference` must be between 0 and 1"),
        ({"metric": "recall@5", "reference": None}, "`reference` must be 'random"),
        ({"metric": "precision@5", "reference": 0.05}, "`reference`.*recall@5"),
        (
            {"metric": "enrichment_factor@5", "reference": 2.0},
            "`metric` must have bounds",
        ),
        ({"metric": "max_f_score"}, "`metric` must be one that has a null"),
        ({"metric": "recall@5", "bet": "item"}, "`bet` must be one of 'day', 'target'"),
        ({"metric": "recall@5", "bet": "target"}, "`bet` must be 'day' unless"),
        ({"bet": "target", "reference": 0.5}, "`bet` must be 'day'.*for no metric"),
        *(
            ({"metric": one, "bet": "target", "reference": 0.5}, f"`bet`.*{name}")
            for one, name in [
                ("precision@5", "precision@5"),
                ("average_precision", "average_precision"),
                ("recall@5(normalize=min)", "normalize=min"),
                ("ks_statistic", "ks_statistic"),
            ]
        ),
        (
            {"metric": "recall@5", "bet": "target", "reference": "old"},
            "`bet` must be 'day' unless.*'target' for recall@5 and 'old'",
        ),
        ({"significance_level": 5}, "`significance_level`"),
    ],
)
def test_settings_that_cannot_be_monitored(settings, message):
    with pytest.raises(ValueError, match=message):
        RankingMonitor(**settings)


def test_a_reference_near_the_worst_value_has_a_warning():
    with pytest.warns(match="A loss of average_precision from 0.05 is detected late"):
        RankingMonitor("average_precision", reference=0.05)
    RankingMonitor("recall@5", reference=0.05, bet="target")  # a day may have many


def test_data_that_cannot_be_monitored():
    y, score, day = days_of(5, np.random.default_rng(4))
    monitor = RankingMonitor()
    with pytest.raises(ValueError, match="`groups` must contain the day"):
        monitor.from_predictions(y, score)
    with pytest.raises(ValueError, match="`clusters` must be left out"):
        monitor.from_predictions(y, score, groups=day, clusters=np.arange(500) % 50)
    with pytest.raises(ValueError, match="`rankings` must be of one model"):
        monitor.from_predictions(y, {"a": score, "b": score}, groups=day)
    with pytest.raises(ValueError, match="`rankings` must be of two models.*'old'"):
        MONITORS["model"].from_predictions(y, {"a": score, "b": score}, groups=day)
    result = monitor.from_predictions(y, score, groups=day)
    with pytest.raises(ValueError, match="`group` must contain only new days"):
        monitor.update(y[:100], score[:100], group=4, previous=result)
    with pytest.raises(ValueError, match="whose order is known; got 'fri'"):
        monitor.from_predictions(y, score, groups=np.array(["mon", "fri"])[day % 2])
    with pytest.raises(ValueError, match="`y_true` must contain labels"):
        monitor.update([1, None, 0], [3, 2, 1], group=9, previous=result)


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
    assert expected.labels == tuple(map(str, range(6)))
    assert Rankings.from_predictions(y, score, groups=day).labels == tuple(range(6))


# spellings of one day, by pandas or by the number
SAME_DAY = [
    "2026-01-05",
    " 2026-01-05T00:00 ",
    "2026-01-05 00:00:00.000",
    "2026-01-05T00:00:00Z",
    "2026-01-05T00:00:00+0100",
    datetime.date(2026, 1, 5),
    datetime.datetime(2026, 1, 5),
    datetime.datetime(2026, 1, 5, tzinfo=datetime.UTC),
    *(np.datetime64("2026-01-05", unit) for unit in ("D", "h", "s", "us", "ns")),
    pd.Timestamp("2026-01-05"),
    pd.Timestamp("2026-01-05", tz="Asia/Tokyo"),
    pd.Period("2026-01-05", "D"),
    pd.Period("2026-01-05", "W"),
    str(pd.Period("2026-01-05", "W")),
    *("2026/01/05", "2026/1/5", "2026.01.05", "2026-1-5", "2026/01/05 00:00"),
    *("05.01.2026", "5.1.2026", "05.01.2026 00:00:00"),
    *("2026-W02", "2026W02", "2026-w2", "2026-W02-1", "2026W021"),
]
SAME_NUMBER = [7, 7.0, np.int8(7), np.float32(7), np.array(7), "7", "007", "+7.0"]
SAME_MONTH = [
    "2026-02",
    pd.Period("2026-02", "M"),
    np.datetime64("2026-02"),
    "2026-02-01",
]


@pytest.mark.parametrize(
    ("spellings", "other"),
    [
        (SAME_DAY, "2026-01-06"),
        (SAME_NUMBER, 8),
        (SAME_MONTH, "2026-03"),
        ([0, "0", -0.0], -1),
        ([0.5, ".5", "0.50", np.float32(0.5)], "-.5"),
        (["2026-01-05T13:00", pd.Timestamp("2026-01-05 13:00")], "2026-01-05T14:00"),
        (["05.01.2026 13:00", "2026/01/05 13:00:00"], "2026-01-05T14:00"),
        (["2026/02", "2026-2", "01.02.2026"], "2026/03"),
        (["Monday", " Monday "], "Tuesday"),
    ],
)
def test_a_day_is_the_same_in_every_type_and_spelling(spellings, other):
    y, score, _ = days_of(1, np.random.default_rng(6), 1.0, rate=0.1)
    monitor, labels = RankingMonitor(), set()
    for i, one in enumerate(spellings):
        result = monitor.update(y, score, group=one)
        labels.add(result.labels)
        after = json.loads(json.dumps(result.state(), allow_nan=False))
        with pytest.raises(ValueError, match="`group` must contain only new days"):
            monitor.update(y, score, group=spellings[i - 1], previous=after)
        later = monitor.update(y, score, group=other, previous=(after, result)[i % 2])
        assert len(set(later.labels)) == 2
    assert len(labels) == 1
    label = labels.pop()[0]
    assert label in monitor.update(y, score - 9 * ~y, group=label).conclusion()
    # as numbers and dates of pandas tell
    if spellings is SAME_DAY:
        assert pd.Timestamp(label) == pd.Timestamp("2026-01-05")
    # twice in one call
    texts = [one for one in spellings if isinstance(one, str)]
    two = np.repeat(texts[:2], y.size)
    with pytest.raises(ValueError, match="`groups` must"):
        monitor.from_predictions(np.tile(y, 2), np.tile(score, 2), groups=two)


NO_DAYS = [None, math.nan, np.float64("nan"), math.inf, pd.NaT, pd.NA, True, (1, 2)]
NO_DAYS += [
    np.datetime64("NaT"),
    "",
    "  ",
    "nan",
    "NaT",
    "NA",
    "None",
    datetime.time(1),
]


@pytest.mark.parametrize(
    "day", NO_DAYS, ids=lambda day: f"{type(day).__name__} {day!r}"
)
def test_what_is_no_day(day):
    y, score, _ = days_of(1, np.random.default_rng(6), 1.0, rate=0.1)
    with pytest.raises(ValueError, match="`group` must be a number, a date or a text"):
        RankingMonitor().update(y, score, group=day)
    groups = np.empty(2 * y.size, object)
    groups[:] = [day] * y.size + ["2026-01-05"] * y.size
    with pytest.raises(ValueError, match="`groups`"):
        RankingMonitor().from_predictions(
            np.tile(y, 2), np.tile(score, 2), groups=groups
        )


def test_weeks_begin_as_those_of_the_calendar():
    # judge: strptime
    for year in range(2015, 2035):
        for week in (1, 7, 52, 53):
            for day in (1, 4, 7):
                text = f"{year}-W{week:02}-{day}"
                exists = week < 53 or year in (2015, 2020, 2026, 2032)
                if exists:
                    expected = datetime.datetime.strptime(text, "%G-W%V-%u").date()
                    assert day_text(text, "group") == str(expected)
                else:
                    with pytest.raises(ValueError, match="dates that exist"):
                        day_text(text, "group")


@pytest.mark.parametrize(
    "day",
    [
        *("31/01/2026", "01/31/2026", "1/2/26", "26-01-31", "31-01-2026", "1.2.26"),
        *("31/01/2026 13:00", "2026-02-30", "2026/13/01", "01.31.2026", "0.1.2026"),
        *("2026-00", "2026-W54", "2025-W53", "2026-W00", "29.02.2025"),
    ],
)
def test_dates_that_are_not_clear_or_do_not_exist(day):
    said = f"`group` must be dates that exist.*'2026-01-31'.*got '{day}'"
    with pytest.raises(ValueError, match=said):
        RankingMonitor().update([1, 0], [2.0, 1.0], group=day)


@pytest.mark.parametrize("day", ["20260131", "31.01", "2026.01", "202601", "2026"])
def test_numbers_are_no_dates(day):
    assert float(day_text(day, "group")) == float(day)


def test_days_of_one_monitor_are_of_one_kind():
    # 20260106 is a number: its date would be another day
    y, score, _ = days_of(1, np.random.default_rng(6), 1.0, rate=0.1)
    monitor, days = RankingMonitor(), ("2026-01-05", 20260106, "Tue")
    for first, second in itertools.permutations(days, 2):
        past = monitor.update(y, score, group=first)
        with pytest.raises(ValueError, match="`group` must contain days of one kind"):
            monitor.update(y, score, group=second, previous=past)


@pytest.mark.parametrize(
    "y_true", [(one for one in (1, 0, 0)), None, 1, {0, 1}, [[1, 2], [3], 4], "100"]
)
def test_labels_that_are_no_column(y_true):
    with pytest.raises(ValueError, match="`y_true`"):
        RankingMonitor().update(y_true, [3.0, 2.0, 1.0], group=1)


def test_scores_that_are_labels():
    for entrance, day in (("update", {"group": 1}), ("from_predictions", {})):
        ask = getattr(RankingMonitor(), entrance)
        days = day or {"groups": [1, 1, 2, 2]}
        with pytest.raises(ValueError, match="`y_score` must rank the items"):
            ask([1, 0, 0, 1], [1, 0, 0, 1], **days)


def test_the_ranking_of_a_day():
    y, score, _ = days_of(1, np.random.default_rng(7), 1.0, rate=0.1)
    monitor = MONITORS["reference"]
    expected = monitor.update(y, score, group=1)
    ranked = Ranking.from_predictions(y, score)
    assert str(monitor.update(ranked, None, group=1)) == str(expected)


def states():
    """Return a state of each monitor, and scores of another day."""
    for name, monitor in MONITORS.items():
        y, score, day = days_of(6, np.random.default_rng(8), 1.0, rate=0.05)
        y[day == 3] = False
        result = monitor.from_predictions(y, scores_for(name, score), groups=day)
        other = {"old": score[:100], "new": score[:100]}
        scores = other if name == "model" else score[:100]
        state = json.loads(json.dumps(result.state(), allow_nan=False))
        yield monitor, state, (y[:100], scores)


ODD = [None, math.nan, math.inf, -3, 1.5, 0, 1, True, "", "0.5", "2026-01-01", b"1"]
ODD += [[], {}, [[1]], 10**400, {1}, "NaN", ()]


def damages(state, rng):
    """Yield states with a single damage."""
    for name, value in state.items():
        yield {key: one for key, one in state.items() if key != name}
        changed = [*ODD, str(value), [value]]
        if isinstance(value, list) and value:
            for at in rng.integers(len(value), size=4):
                for one in ODD:
                    changed.append(copy.deepcopy(value))
                    changed[-1][at] = one
            changed += [value[:-1], value[1:], value[::-1], [*value, value[-1]]]
            changed += [[*map(str, value)], [value[-1], *value[1:]]]
        if isinstance(value, float):
            changed += [-value, np.nextafter(value, 9), 2 * value + 1]
        if isinstance(value, int):
            changed += [-value, value + 1, value - 1, str(value)]
        yield from ({**state, name: one} for one in changed)


def test_a_damaged_state_is_refused():
    def plain(value):  # equal, up to tuples and kinds of numbers
        if isinstance(value, list | tuple):
            return [*map(plain, value)]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if not is_number or abs(value) > 1e300 else float(value)

    result = MONITORS["reference"].update([1, 0, 0], [3.0, 2.0, 1.0], group=1)
    result.state()["models"].append("other")
    assert result.state()["models"] == ["model"]
    n_damages, rng = 0, np.random.default_rng(0)
    for monitor, state, day in states():
        result = monitor.update(*day, group=9, previous=state)
        for damaged in damages(state, rng):
            if repr(plain([*damaged.items()])) == repr(plain([*state.items()])):
                continue
            n_damages += 1
            with pytest.raises(ValueError, match="state"):
                monitor.update(*day, group=9, previous=damaged)
        # other entries, another order, another kind of numbers have no effect
        moved = {"note": "of a file", **dict(reversed(state.items()))}
        moved["n_counted"] = float(moved["n_counted"])
        moved["values"] = [-0.0 if one == 0 else one for one in moved["values"]]
        assert str(monitor.update(*day, group=9, previous=moved)) == str(result)
    assert n_damages > 1000


# of RankingMonitor("recall@2", reference=0.5) after one day, in a file
STORED = {
    "schema": 2,
    "metric": "recall@2",
    "ties": "expected",
    "bet": "day",
    "reference": 0.5,
    "significance_level": 0.05,
    "bounds": [0.0, 1.0],
    "models": ["model"],
    "labels": ["1"],
    "values": [0.0],
    "log10_evidences": [0.005392894769716595],
    "logs": [
        -3.2622223842828637,
        -3.1964710067200834,
        -3.0686376352101985,
        -2.886316078416244,
        -2.703994521622289,
    ],
    "n_counted": 1,
    "n_samples": [4],
    "n_targets": [2],
    "checksum": 1824134990,
}


def test_a_state_that_was_stored_goes_on():
    """Judge: the days in one call. Files of other versions must be readable."""
    monitor = RankingMonitor("recall@2", reference=0.5)
    days = np.repeat([1, 2], 4)
    y, score = np.array([0, 0, 1, 1, 0, 1, 0, 1]), np.tile([4.0, 3.0, 2.0, 1.0], 2)
    result = monitor.update(y[4:], score[4:], group=2, previous=STORED)
    expected = monitor.from_predictions(y, score, groups=days)
    assert result.log10_evidences == pytest.approx(expected.log10_evidences)
    assert (result.values, result.labels) == ((0.0, 0.5), ("1", "2"))


def test_a_state_of_another_monitor_is_refused():
    class Same(type(make_metric("recall@10"))):
        bounds = 0.0, 2.0

    others = [
        *MONITORS.values(),
        RankingMonitor("recall@11", reference=0.3),
        RankingMonitor("recall@10", reference=0.3, ties="optimistic"),
        RankingMonitor("recall@11", reference=0.3, bet="target"),
        RankingMonitor("recall@10", reference=0.3 + 1e-14),
        RankingMonitor("recall@10", reference=0.3, significance_level=0.01),
        RankingMonitor(Same(10), reference=0.3),
    ]
    for monitor, state, (y, scores) in states():
        for other in others:
            if other is not monitor:
                score = scores["old"] if isinstance(scores, dict) else scores
                given = scores_for("model" if other.reference == "old" else "", score)
                for after in (state, {}, [], "", 5, state["labels"], json.dumps(state)):
                    with pytest.raises(
                        ValueError, match=r"`previous` must be the .*state"
                    ):
                        other.update(y, given, group=9, previous=after)
        names = ["old", "other"] if isinstance(scores, dict) else ["other"]
        given = dict.fromkeys(names, score)
        with pytest.raises(ValueError, match=r"`state\['models'\]`"):
            monitor.update(y, given, group=9, previous=state)
        before = {key: one for key, one in state.items() if key != "schema"}
        with pytest.raises(ValueError, match="a state without 'schema'"):
            monitor.update(y, scores, group=9, previous=before)


def test_no_day_counts():
    _, score, day = days_of(3, np.random.default_rng(8))
    ks = RankingMonitor("ks_statistic", reference=0.3)
    monitors = MONITORS["chance"], MONITORS["chance by a metric"], ks
    cases = [(one, number) for one in monitors for number in (0, 1)]
    for monitor, number in [*cases, (MONITORS["reference"], 0)]:
        labels = np.full(300, number)
        with pytest.warns(match="There is no evidence yet"):
            result = monitor.from_predictions(labels, score, groups=day)
        assert (result.alarm, result.pvalue) == (False, 1.0)
        with pytest.warns(match="There is no evidence yet"):
            monitor.update(labels, score, group=7, previous=result.state())
        labels[0] = 1 - number
        monitor.from_predictions(labels, score, groups=day)
    # the metric has a value: no target in the top, and a tenth of the targets
    for name, number, value in (("precision", 0, 0.0), ("reference", 1, 0.1)):
        labels = np.full(300, number)
        result = MONITORS[name].from_predictions(labels, score, groups=day)
        assert result.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("expected_profit@2(benefit=3, cost=0.5)", -1, 5),
        ("expected_profit@4(benefit=1, cost=2)", -8, -4),
        ("precision@2", 0, 1),
        ("ks_statistic", 0, 1),
        ("wss(0.5)", -0.5, 0.5 - 1 / 6),  # one item must be read
    ],
)
def test_the_range_of_a_metric_is_that_of_all_rankings(name, low, high):
    # judge: all places of the targets in six items
    metric, scores = make_metric(name), -np.arange(6)
    places = [one for one in itertools.product([0, 1], repeat=6) if 0 < sum(one) < 6]
    values = [metric(one, scores) for one in places]
    assert_allclose([min(values), max(values)], [low, high])
    high = 0.5 if name == "wss(0.5)" else high
    for beyond in (low, high, high + 1):
        with pytest.raises(ValueError, match=f"be between {low} and {high} for"):
            RankingMonitor(name, reference=beyond)
    # of the best and the worst day, by shares of the largest bet
    reference = (low + high) / 2
    monitor = RankingMonitor(name, reference=reference)
    shares = np.array([0.03, 0.1, 0.25, 0.5, 0.8])
    for place in (places[np.argmin(values)], places[np.argmax(values)]):
        result = monitor.update(place, scores, group=1)
        won = (reference - result.value) / (high - reference)
        spent = 1 - unspent(1)
        expected = spent * np.mean(1 + shares * won) + unspent(1)
        assert 10**result.log10_evidence == pytest.approx(expected)


@pytest.mark.parametrize(
    "name",
    ["expected_profit@2(benefit=3, cost=0.5)", "expected_profit@4(benefit=2, cost=3)"],
)
def test_a_bet_on_two_models_is_a_share_of_the_largest_loss(name):
    """Judge: the differences of all pairs of rankings of six items."""
    metric, scores = make_metric(name), -np.arange(6)
    places = [one for one in itertools.product([0, 1], repeat=6) if sum(one) in (1, 4)]
    values = [metric(one, scores) for one in places]
    largest = max(values) - min(values)
    y, score, day = days_of(3, np.random.default_rng(3), 1.0, rate=0.4, n=30)
    other = np.random.default_rng(9).normal(size=score.size)
    result = RankingMonitor(name, reference="old").from_predictions(
        y, {"old": other, "new": score}, groups=day
    )
    differences = [
        metric(y[day == i], score[day == i]) - metric(y[day == i], other[day == i])
        for i in range(3)
    ]
    shares = np.array([[0.03], [0.1], [0.25], [0.5], [0.8]])
    expected = np.cumprod(1 + shares * differences / largest, axis=1).mean(axis=0)
    assert_allclose(10 ** np.array(result.log10_evidences), expected)
    low, high = result.confidence_interval()
    assert -largest <= low < result.value < high <= largest


def test_a_share_of_a_day_has_no_largest_profit():
    with pytest.raises(ValueError, match="`metric` must have bounds"):
        RankingMonitor("expected_profit@10%(benefit=3, cost=1)", reference=1)


def test_evidence_of_a_loss_is_the_sum_over_first_days():
    """Judge: the weight and the bets of each first day. Undefined days do not count."""
    y, score, day = days_of(9, np.random.default_rng(3), rate=0.2, n=30)
    y[np.isin(day, [0, 4])] = False
    result = RankingMonitor("recall@10", reference=0.6).from_predictions(
        y, score, groups=day
    )
    x = np.arange(11, 1_000_000)
    weights = 1 / (x * np.log(x) ** 2)
    rest = weights.sum() + 1 / math.log(x[-1] + 0.5)
    weights = weights / rest
    values = np.array(result.values)
    bets = [
        np.full(5, 1.0)
        if math.isnan(one)
        else 1 + np.array([0.03, 0.1, 0.25, 0.5, 0.8]) * (0.6 - one) / 0.4
        for one in values
    ]
    defined = np.flatnonzero(~np.isnan(values)).tolist()
    assert defined == [1, 2, 3, 5, 6, 7, 8]
    for last in range(9):
        first_days = [one for one in defined if one <= last]
        found = 1 - weights[: len(first_days)].sum()
        for number, first in enumerate(first_days):
            found += weights[number] * np.prod(bets[first : last + 1], axis=0).mean()
        assert 10 ** result.log10_evidences[last] == pytest.approx(found)


class WithoutBounds(AreaUnderROC):
    template = "of_any_size"
    bounds = -math.inf, math.inf


def test_metrics_of_the_users_own():
    # judge: scikit-learn
    y, score, day = days_of(12, np.random.default_rng(0), 1.0, rate=0.1)
    score = np.round(score, 1)
    monitor = RankingMonitor(AreaUnderROC(), reference=0.5)
    result = monitor.from_predictions(y, score, groups=day)
    expected = [roc_auc_score(y[day == i], score[day == i]) for i in range(12)]
    assert_allclose(result.values, expected)
    past = monitor.from_predictions(y[day < 11], score[day < 11], groups=day[day < 11])
    state = json.loads(json.dumps(past.state()))
    now = monitor.update(y[day == 11], score[day == 11], group=11, previous=state)
    assert str(now) == str(result)
    with pytest.raises(ValueError, match="`metric` must have bounds"):
        RankingMonitor(WithoutBounds(), reference=0.5)


def test_weights_of_first_days_add_up_to_one():
    # judge: the sum to a million, and the integral of the others
    x = np.arange(11, 1_000_000)
    terms = 1 / (x * np.log(x) ** 2)
    rest = 1 / math.log(x[-1] + 0.5)
    total = terms.sum() + rest
    for n_days in (0, 1, 7, 1000):
        expected = (terms[n_days:].sum() + rest) / total
        assert unspent(n_days) == pytest.approx(expected, rel=1e-7)
    for n_days in (1, 7, 1000):
        first = accumulated(
            np.array([LOG_NO_EVIDENCE]), np.zeros(1), n_days, any_start=True
        )
        assert np.exp(first[0]) == pytest.approx(terms[n_days - 1] / total, rel=1e-7)


def test_no_limits_of_one_mean_after_a_change():
    y, score, day = days_of(120, np.random.default_rng(4), 2.0, n=300, rate=0.02)
    monitor = RankingMonitor("recall@20", reference=0.4)
    stable = monitor.from_predictions(y, score, groups=day)
    low, high = stable.confidence_interval()
    assert not stable.alarm
    assert 0.4 < low < stable.value < high
    assert "has no limits" not in stable.conclusion()
    changed = monitor.from_predictions(y, score - 2 * y * (day > 60), groups=day)
    frame = changed.to_frame()
    since = changed.labels.index(changed.alarm_group)
    assert since > 60
    # an alarm says that the mean is below the number: limits above do not agree
    assert np.isnan(frame["low"][since:]).all()
    assert_allclose(frame["low"][:61], stable.to_frame()["low"][:61])
    assert frame["high"][since - 1] > 0.4
    assert np.isnan(changed.confidence_interval()).all()
    assert "The mean seems to have changed" in changed.conclusion()
    # a model that was bad from the first day on
    always = monitor.from_predictions(y, score - 1.5 * y, groups=day)
    low, high = always.confidence_interval()
    assert always.alarm
    assert low < always.value < high < 0.4


def naive_sum_of_correlations(values):
    """Correlations of ranks with those before, after the best change, in errors."""
    ranks, n = rankdata(values), len(values)

    def apart(k):
        return [one - one.mean() for one in (ranks[:k], ranks[k:])]

    best = min(range(1, n), key=lambda k: sum((one**2).sum() for one in apart(k)))
    left = np.concatenate(apart(best))
    total = sum(
        left[i] * left[i - lag] / 2 ** (lag - 1)
        for lag in range(1, 7)
        for i in range(lag, n)
    )
    error = math.sqrt(sum(1 / 4**lag for lag in range(6)) / n)
    return total / sum(left**2) / error


def autoregressive(n_days, strength, rng):
    noise = rng.normal(size=n_days) * math.sqrt(1 - strength**2)
    values = [rng.normal()]
    for one in noise[1:]:
        values.append(strength * values[-1] + one)
    return np.array(values)


def test_days_that_are_alike():
    # judge: another computation of the statistic, whose limit is 2.5 errors
    rng, found = np.random.default_rng(0), []
    for i in range(60):
        values = autoregressive(10 + i, (0, 0.5, 0.7)[i % 3], rng)
        expected = naive_sum_of_correlations(values) > 2.5
        found.append(expected)
        assert are_alike(np.insert(values, i // 2, math.nan)) == expected
        assert are_alike(np.exp(5 * values)) == expected
    assert 10 < sum(found) < 50
    assert not are_alike(np.zeros(50))
    assert not are_alike(np.repeat([0.0, 1.0], 50))  # a change
    assert not are_alike(np.arange(9.0))


@pytest.mark.parametrize("name", ["reference", "model"])
def test_days_that_depend_on_one_another_warn(name):
    rng = np.random.default_rng(1)
    season = np.repeat(autoregressive(150, 0.9, rng), 100)
    y, score, day = days_of(150, rng, rate=0.1)
    scores = score + (1.5 + season) * y
    if name == "model":
        scores = {"old": score + (1.5 - season) * y, "new": scores}
    with pytest.warns(UserWarning, match="values of neighbouring days are correlated"):
        result = MONITORS[name].from_predictions(y, scores, groups=day)
    assert "values of neighbouring days are correlated" in result.conclusion()
    assert "given the days before" in result.conclusion()
    # random rankings stay so, whatever the days before had
    MONITORS["chance by a metric"].from_predictions(y, score + season * y, groups=day)


def naive_sum_of_squares(h, m):
    """Squared errors after the likeliest change, in standard errors, by pmfs."""

    fits = []
    for k in range(1, len(h)):
        parts = [h[:k].sum() / m[:k].sum(), h[k:].sum() / m[k:].sum()]
        p = np.repeat(parts, [k, len(h) - k])
        fits.append((binom.logpmf(h, m, p).sum(), -k, p))
    p = max(fits, key=lambda one: one[:2])[2]
    total = variance = 0.0
    for hits, size, chance in zip(h, m, p, strict=True):
        if 0 < chance < 1:
            every = np.arange(size + 1)
            squares = (every - size * chance) ** 2 / (size * chance * (1 - chance)) - 1
            variance += binom.pmf(every, size, chance) @ squares**2
            total += squares[hits]
    return total / math.sqrt(variance)


def test_days_whose_targets_depend_on_one_another():
    # judge: another computation of the statistic, whose limit is 2.5 errors
    rng, found = np.random.default_rng(0), []
    for i in range(60):
        n = 10 + i
        logits = (
            0.4 + (0, 0.5, 0.9)[i % 3] * rng.normal(size=n) - 2.0 * (np.arange(n) > 9)
        )
        m = rng.poisson((2, 12, 30)[i // 3 % 3], n).clip(1)
        h = rng.binomial(m, 1 / (1 + np.exp(-logits)))
        expected = naive_sum_of_squares(h, m) > 2.5
        found.append(expected)
        values = np.insert(h / m, i // 2, math.nan)  # a day without targets
        assert are_apart(values, np.insert(m, i // 2, 0).astype(float)) == expected
    assert 10 < sum(found) < 50
    ten = np.full(20, 10.0)
    for values in (np.zeros(20), np.ones(20), np.repeat([1.0, 0.0], 10)):
        assert not are_apart(values, ten)  # the last one is a change
    assert are_apart(np.tile([1.0, 0.0], 10), ten)
    assert not are_apart(np.tile([1.0, 0.0], 4), ten[:8])
    assert not are_apart(np.tile([1.0, 0.0], 10), np.ones(20))  # one target a day


def test_targets_that_depend_on_one_another_warn():
    rng = np.random.default_rng(1)
    y, score, day = days_of(40, rng, rate=0.3)
    scores = score + (1.5 + 2 * rng.normal(size=40)[day]) * y
    monitor = RankingMonitor("recall@30", reference=0.4, bet="target")
    with pytest.warns(UserWarning, match="vary more than independent"):
        result = monitor.from_predictions(y, scores, groups=day)
    assert (
        "some days are better than others, and false alarms are more"
        in result.conclusion()
    )
    by_day = RankingMonitor("recall@30", reference=0.4)
    assert (
        "independent" not in by_day.from_predictions(y, scores, groups=day).conclusion()
    )


@pytest.mark.nightly
@pytest.mark.parametrize("rate", [2.5, 10, 50])
@pytest.mark.parametrize("later", [0.6, 0.3])
def test_independent_targets_do_not_differ_by_days(rate, later):
    # looked at on each of 200 days
    found = []
    for i in range(runs(100)):
        rng = np.random.default_rng([i, 7])
        m = rng.poisson(rate, 200)
        h = rng.binomial(m, np.where(np.arange(200) < 60, 0.6, later))
        values = np.where(m > 0, h / np.maximum(m, 1), math.nan)
        found.append(any(are_apart(values[:n], m[:n] + 0.0) for n in range(10, 201)))
    assert_share(found, most=0.04)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["normal", "skewed", "few values", "rare", "change"])
def test_independent_days_are_not_alike(kind):
    # looked at on each of 200 days
    found = []
    for i in range(runs(100)):
        rng = np.random.default_rng([i, 6])
        values = rng.normal(size=200) + 2 * (kind == "change") * (np.arange(200) < 80)
        if kind == "skewed":
            values = np.exp(3 * values)
        elif kind == "few values":
            values = np.rint(values)
        elif kind == "rare":
            values = (values > 1.6).astype(float)
        found.append(any(are_alike(values[:n]) for n in range(10, 201)))
    assert_share(found, most=0.04)


@pytest.mark.parametrize("score_of", ["equal", "reversed", "perfect"])
@pytest.mark.parametrize("rate", [0.05, 0.9])
def test_rankings_of_all_kinds_of_days(score_of, rate):
    rng = np.random.default_rng(2)
    y, noise, day = days_of(30, rng, n=40, rate=rate)
    y[::40], y[1::40] = True, False
    scores = {"equal": 0 * noise, "reversed": noise - 9 * y, "perfect": noise + 9 * y}
    score = scores[score_of]
    chance = RankingMonitor().from_predictions(y, score, groups=day)
    assert (chance.alarm) == (score_of == "perfect")
    for name in ("ks_statistic", "wss(0.5)", "bedroc(alpha=20)"):
        metric = make_metric(name)
        worst, best = (
            metric(y[:40], s[:40]) for s in (scores["reversed"], 9 * y - 0.1)
        )
        monitor = RankingMonitor(name, reference=(worst + 2 * best) / 3)
        result = monitor.from_predictions(y, score, groups=day)
        expected = [metric(y[day == i], score[day == i]) for i in range(30)]
        assert_allclose(result.values, expected)
        if score_of == "perfect":
            assert not result.alarm


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
            monitor = RankingMonitor("recall@10", reference=0.1)
        result = monitor.from_predictions(y, scores, groups=day)
        alarms.append(result.alarm)
        if name in ("reference", "model"):
            frame, mean = result.to_frame(), 0.1 if name == "reference" else 0.0
            missed.append(np.any((frame["low"] > mean) | (frame["high"] < mean)))
    assert_share(alarms, most=0.05)
    if missed:
        assert_share(missed, most=0.05)
