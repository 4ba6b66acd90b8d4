"""Items without a score, by every entrance that takes labels and scores.

Judges: the same items with a score that is below all others; for missed targets, the
other items with `n_missed`.
"""

import math

import numpy as np
import pandas as pd
import polars
import pytest

import skrank
from skrank import (
    HitCurveDisplay,
    MetricInterval,
    PrecisionRecallDisplay,
    RandomSelectionTest,
    Ranking,
    RankingComparison,
    RankingMonitor,
    RankingReport,
    Rankings,
    SampledMetricInterval,
    ThresholdChoice,
    average_precision,
    hit_curve,
    labels_to_collect,
    labels_to_compare,
    make_metric,
    operating_points,
)
from skrank.metrics._definitions import METRICS
from tests.cases import BY_VALUE
from tests.cases import METRICS as OF_TIES

N = 120
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.2
SCORES = {name: RNG.normal(Y).round(1) for name in "ab"}
FAILED = {"a": RNG.random(N) < 0.2, "b": RNG.random(N) < 0.1}
DAY = np.repeat(np.arange(12), N // 12)
GIVEN = {name: np.where(FAILED[name], np.nan, SCORES[name]) for name in "ab"}
BELOW = {name: np.where(FAILED[name], -9.0, SCORES[name]) for name in "ab"}
LABELS = np.where(np.arange(N) % 3 > 0, Y.astype(float), np.nan)
STRATA = np.arange(N) % 2


def of_models(question):
    return lambda scores, **given: question.from_predictions(Y, scores, **given)


def of_first(question, **data):
    def asked(scores, **given):
        return question.from_predictions(Y, scores["a"], **data, **given)

    return asked


def drawn(display):
    def values(scores, **given):
        shown = display.from_predictions(Y, scores["a"], **given)
        lines = shown.ax_.lines
        return [line.get_xydata().tolist() for line in lines]

    return values


def sampled(scores, **given):
    asked = SampledMetricInterval("recall@10", n_resamples=100)
    return asked.from_predictions(LABELS, scores["a"], strata=STRATA, **given)


def updated(scores, **given):
    asked = RankingMonitor("recall@3", reference=0.4)
    return asked.update(Y, scores["a"], group=1, **given)


ENTRANCES = {
    "test": of_first(RandomSelectionTest()),
    "test of groups": of_first(RandomSelectionTest("recall@3"), groups=DAY),
    "test of strata": of_first(RandomSelectionTest(), strata=STRATA),
    "interval": of_first(MetricInterval("ndcg")),
    "interval of clusters": of_first(MetricInterval(), clusters=DAY),
    "interval of folds": of_first(MetricInterval("recall@10"), folds=DAY % 3),
    "interval of weights": of_first(MetricInterval(), sample_weight=1.0 + (Y == 0)),
    "threshold": of_first(ThresholdChoice(recall=0.5, n_resamples=99)),
    "monitor": of_first(RankingMonitor(), groups=DAY),
    "monitor of a day": updated,
    "comparison": of_models(RankingComparison()),
    "comparisons": lambda scores, **given: RankingComparison().compare_all(
        Y, scores, **given
    ),
    "report": of_models(RankingReport(t=10)),
    "evaluated sample": sampled,
    "plan": lambda scores, **given: labels_to_collect(scores, budget=30, **given),
    "plan to compare": lambda scores, **given: labels_to_compare(scores, t=9, **given),
    "curve": lambda scores, **given: hit_curve(Y, scores["a"], **given).hits.tolist(),
    "gains": lambda scores, **given: (
        hit_curve(Y, scores["a"], **given).gains_table(3).to_frame()[["hits", "ks"]]
    ),
    "points": lambda scores, **given: operating_points(
        Y, scores["a"], **given
    ).hits.tolist(),
    "ranking": lambda scores, **given: average_precision(
        Ranking.from_predictions(Y, scores["a"], **given)
    ),
    "drawn curve": drawn(HitCurveDisplay),
    "drawn precision": drawn(PrecisionRecallDisplay),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ENTRANCES)
def test_missing_scores_are_the_last_tie_by_every_entrance(name):
    ask = ENTRANCES[name]
    assert str(ask(GIVEN, missing="last")) == str(ask(BELOW))
    with pytest.raises(ValueError, match=r"`missing`='last' ranks items without"):
        ask(GIVEN)
    with pytest.raises(ValueError, match=r"`missing` must be one of 'error', 'last'"):
        ask(GIVEN, missing="drop")


@pytest.mark.parametrize("name", {**OF_TIES, **BY_VALUE})
def test_functions_of_metrics_rank_missing_scores_last(name):
    function, settings = {**OF_TIES, **BY_VALUE}[name]
    metric = getattr(skrank, function)
    expected = metric(Y, BELOW["a"], **settings)
    assert metric(Y, GIVEN["a"], missing="last", **settings) == expected
    energies = {"lower_is_better": True, "missing": "last"}
    turned = hit_curve(Y, -GIVEN["a"], **energies)
    assert turned.hits.tolist() == hit_curve(Y, BELOW["a"]).hits.tolist()
    turned = Ranking.from_predictions(Y, -GIVEN["a"], **energies)
    assert average_precision(turned) == average_precision(Y, BELOW["a"])
    assert metric(Y, -GIVEN["a"], **energies, **settings) == expected


def test_every_metric_by_name_takes_missing_scores():
    for name, kind in METRICS.items():
        cutoff = "@3" if kind.cutoff else ""
        setting = {"k_at_recall": "(0.5)", "precision_at_recall": "(0.5)"}
        setting |= {"recall_at_precision": "(0.2)"}
        setting |= {"expected_profit": "(benefit=3, cost=1)"}
        metric = make_metric(f"{name}{cutoff}{setting.get(name, '')}")
        expected = metric(Y, BELOW["a"])
        assert metric(Y, GIVEN["a"], missing="last") == expected
        assert metric(Y, [*GIVEN["a"]], missing="last") == expected


COLUMNS = {
    "list of None": [None if math.isnan(one) else one for one in GIVEN["a"]],
    "float32": GIVEN["a"].astype(np.float32),
    "objects": GIVEN["a"].astype(object),
    "nullable": pd.Series(GIVEN["a"]).astype("Float64"),
    "nullable integers": pd.Series(np.round(10 * GIVEN["a"])).astype("Int64"),
    "series": pd.Series(GIVEN["a"]),
    "polars": polars.Series([None if math.isnan(x) else x for x in GIVEN["a"]]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_missing_scores_of_every_kind_of_column(name):
    expected = average_precision(Y, BELOW["a"])
    assert average_precision(Y, COLUMNS[name], missing="last") == expected
    with pytest.raises(ValueError, match=r"`missing`='last'"):
        average_precision(Y, COLUMNS[name])


def test_large_integers_beside_missing_scores_keep_their_digits():
    scores = [2**60 + 1, 2**60, None, 2**60 + 2]
    assert average_precision([0, 1, 0, 0], scores, missing="last") == 1 / 3


@pytest.mark.filterwarnings("ignore:With `n_missed` alone:UserWarning")
def test_missed_targets_are_those_without_a_score():
    seen, missed = ~FAILED["a"], int((Y & FAILED["a"]).sum())
    expected = RandomSelectionTest().from_predictions(
        Y[seen], GIVEN["a"][seen], n_missed=missed
    )
    result = RandomSelectionTest().from_predictions(Y, GIVEN["a"], missing="missed")
    assert str(result) == str(expected)
    assert result.n_missed == missed > 0
    more = RandomSelectionTest().from_predictions(
        Y, GIVEN["a"], missing="missed", n_missed=2
    )
    assert more.n_missed == missed + 2


@pytest.mark.parametrize("metric", ["recall@3", "precision@3", "reciprocal_rank"])
def test_missed_targets_of_groups(metric):
    scores = np.where(DAY == 4, np.nan, GIVEN["a"])  # a day without any score
    failed = np.isnan(scores)
    counts = {day: int((Y & failed & (day == DAY)).sum()) for day in range(12)}
    asked = make_metric(metric)
    seen = ~failed
    expected = asked(
        Y[seen], scores[seen], groups=DAY[seen], n_missed=counts, undefined=0
    )
    given = {"groups": DAY, "missing": "missed"}
    assert asked(Y, scores, **given, undefined=0) == expected
    ranked = Rankings.from_predictions(Y, scores, **given)
    missed = [row[0].n_missed for row in ranked.parts]
    assert dict(zip(ranked.labels, missed, strict=True)) == counts


REFUSED = {
    "weights": ({"sample_weight": np.ones(N)}, "`sample_weight` must be left out"),
    "unlisted": ({"n_unlisted": 9}, "`n_unlisted` must be left out"),
    "clusters": ({"clusters": DAY}, "`missing` must be 'error' or 'last' with `clu"),
    "folds": ({"folds": DAY}, "`missing` must be 'error' or 'last' with `folds`"),
    "strata": ({"strata": DAY}, "`missing` must be 'error' or 'last' with `strata`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_missed_targets_lack_other_columns(name):
    given, said = REFUSED[name]
    with pytest.raises(ValueError, match=said):
        Rankings.from_predictions(Y, GIVEN["a"], missing="missed", **given)


def test_missed_targets_are_refused_where_they_have_no_rank():
    for ask in (
        lambda given: RankingComparison().from_predictions(Y, GIVEN, **given),
        # the first model has a score of every target
        lambda given: RankingComparison().from_predictions(
            Y, {"b": BELOW["b"], "a": GIVEN["a"]}, **given
        ),
        lambda given: MetricInterval().from_predictions(Y, GIVEN["a"], **given),
    ):
        with pytest.raises(ValueError, match=r"`missing`='last'"):
            ask({"missing": "missed"})
    with pytest.raises(ValueError, match=r"be 'error' or 'last' here"):
        labels_to_collect(GIVEN, budget=9, missing="missed")
    with pytest.raises(ValueError, match=r"with `groups` and several models"):
        Rankings.from_predictions(Y, GIVEN, groups=DAY, missing="missed")


def test_some_item_must_have_a_score():
    with pytest.raises(ValueError, match=r"`y_score` must contain at least one score"):
        average_precision(Y, np.full(N, np.nan), missing="last")


def test_rankings_have_no_missing_scores():
    ranking = Ranking.from_predictions(Y, BELOW["a"])
    with pytest.raises(ValueError, match=r"`missing` must be"):
        average_precision(ranking, missing="last")
    with pytest.raises(ValueError, match=r"`missing` must be"):
        MetricInterval().from_predictions(ranking, missing="last")


def test_models_that_lack_scores_of_other_items_are_not_compared_as_missed():
    """Without a failed target there is nothing that was missed, but other items."""
    score = {name: np.arange(N, dtype=float) for name in "ab"}
    others = np.flatnonzero(Y == 0)
    score["a"][others[:3]] = score["b"][others[3:5]] = np.nan
    with pytest.raises(ValueError, match=r"`missing`='last' ranks items without"):
        RankingComparison().from_predictions(Y, score, missing="missed")
    RankingComparison().from_predictions(Y, score, missing="last")
