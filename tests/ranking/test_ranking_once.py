"""A ranking made once is taken in place of labels and scores, and not made again."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import skrank
from cases import METRICS, metric_function
from skrank import MetricInterval, RandomSelectionTest, RankCounts, Ranking
from skrank.ranking import _ranking

RNG = np.random.default_rng(0)
N = 200
Y = np.arange(N) < 21
SCORE = np.round(RNG.normal(1.0 * Y), 1)


@pytest.fixture
def ranked(monkeypatch):
    """Sizes of the data sets that were ranked."""
    found = []
    for name in ("_rank_counts", "_rank_top", "_rank_weights"):
        made = getattr(_ranking, name)

        def counted(data, *args, made=made):
            found.append(data.y_score.size)
            return made(data, *args)

        monkeypatch.setattr(_ranking, name, counted)
    return found


@pytest.mark.parametrize("case", METRICS)
def test_metrics_of_a_ranking(case, ranked):
    metric = metric_function(case)
    expected = metric(Y, SCORE)
    ranking = Ranking.from_predictions(Y, SCORE)
    ranked.clear()
    assert metric(ranking) == expected
    assert ranked == []


def test_what_takes_a_ranking_does_not_rank(ranked):
    ranking = Ranking.from_predictions(Y, SCORE)
    ranked.clear()
    for ask in (RandomSelectionTest("precision@10"), MetricInterval()):
        found = ask.from_predictions(ranking).to_dict()
        assert ranked == []
        assert found == ask.from_predictions(Y, SCORE).to_dict()
        assert ranked == [N]
        ranked.clear()
    np.testing.assert_array_equal(
        skrank.hit_curve(ranking).hits, skrank.hit_curve(Y, SCORE).hits
    )
    np.testing.assert_array_equal(
        skrank.operating_points(ranking).hits, skrank.operating_points(Y, SCORE).hits
    )


def test_a_report_ranks_each_list_once(ranked):
    scores = {"a": SCORE, "b": RNG.normal(size=N), "c": -SCORE}
    skrank.ranking_report(Y, scores, random_state=0)
    assert ranked == [N] * 3


def test_a_table_of_comparisons_ranks_each_list_once(ranked):
    scores = {"a": SCORE, "b": RNG.normal(size=N), "c": -SCORE}
    skrank.RankingComparison().compare_all(Y, scores)
    assert ranked == [N] * 3
    ranked.clear()
    skrank.RankingComparison().compare_all(Y, scores, groups=np.arange(N) % 2)
    assert ranked == [N // 2] * 6


def test_weights_and_missed_targets_stay_with_a_ranking():
    weight = RNG.integers(1, 4, N)
    weighted = Ranking.from_predictions(Y, SCORE, sample_weight=weight)
    assert skrank.recall_at_t(weighted, t=9) == skrank.recall_at_t(
        Y, SCORE, t=9, sample_weight=weight
    )
    assert repr(weighted) == (
        f"<Ranking of {weight.sum()} items, {weight[Y].sum()} targets>"
    )
    missed = Ranking.from_predictions(Y, SCORE, n_missed=3)
    assert repr(missed) == "<Ranking of 200 items, 24 targets, 3 missed>"
    test = RandomSelectionTest()
    expected = test.from_predictions(Y, SCORE, n_missed=3).to_dict()
    assert test.from_predictions(missed).to_dict() == expected
    with pytest.raises(ValueError, match="must be a ranking without missed targets"):
        MetricInterval().from_predictions(missed)
    for ask in (test, MetricInterval()):
        with pytest.raises(ValueError, match="must be a ranking without weights here"):
            ask.from_predictions(weighted)


def test_an_estimator_ranks():
    X = np.c_[SCORE, RNG.normal(size=N)]
    model = LogisticRegression().fit(X, Y)
    ranking = Ranking.from_estimator(model, X, Y)
    expected = skrank.average_precision(Y, model.decision_function(X))
    assert skrank.average_precision(ranking) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y_score": SCORE}, "`y_score` must be left out where `y_true` is a Ranking"),
        ({"pos_label": 1}, "`pos_label` must be left out where `y_true` is a Ranking"),
        (
            {"n_missed": 2},
            "`n_missed` must be left out where `y_true` is a Ranking, wh",
        ),
        ({"groups": Y}, "`groups` must be left out where `y_true` is a Ranking, whose"),
    ],
)
def test_what_a_ranking_has_is_not_given_again(given, message):
    ranking = Ranking.from_predictions(Y, SCORE)
    with pytest.raises(ValueError, match=message):
        RandomSelectionTest().from_predictions(ranking, **given)


def test_counts_are_no_ranking_of_items():
    counts = RankCounts.from_arrays(Y, SCORE)
    with pytest.raises(ValueError, match="must be given item by item"):
        MetricInterval().from_predictions(counts)
