"""What is given is read once, and a ranking made once stands for labels and scores."""

import numpy as np
import pytest

import skrank
from cases import METRICS, metric_function
from skrank import MetricInterval, RandomSelectionTest, RankCounts, Ranking

RNG = np.random.default_rng(0)
N = 200
Y = np.arange(N) < 21
SCORE = np.round(RNG.normal(1.0 * Y), 1)
DRAWS = {"n_resamples": 9, "random_state": 0}


class Column:
    """A column that counts how often its items are read."""

    def __init__(self, values):
        self.values, self.n_read = values, 0

    def __array__(self, dtype=None, copy=None):
        self.n_read += 1
        return self.values


ASKED = {
    "metric": lambda y, s: skrank.average_precision(y, s),
    "ranking": lambda y, s: Ranking.from_predictions(y, s),
    "hit curve": lambda y, s: skrank.hit_curve(y, s),
    "operating points": lambda y, s: skrank.operating_points(y, s),
    "test": lambda y, s: RandomSelectionTest().from_predictions(y, s),
    "test of groups": lambda y, s: RandomSelectionTest().from_predictions(
        y, s, groups=np.arange(N) % 2
    ),
    "interval": lambda y, s: MetricInterval().from_predictions(y, s),
    "band": lambda y, s: skrank.hit_curve_band(y, s, t=[9]),
    "comparison": lambda y, s: skrank.RankingComparison().from_predictions(
        Y, {"A": s, "B": SCORE[::-1]}
    ),
    "comparisons": lambda y, s: skrank.RankingComparison().compare_all(
        Y, {"a": s, "b": SCORE[::-1]}
    ),
    "search": lambda y, s: skrank.SearchSelectionTest(**DRAWS).from_predictions(
        Y, {"a": s, "b": SCORE[::-1]}
    ),
}


@pytest.mark.parametrize("question", ASKED)
def test_columns_are_read_once(question):
    y_true, y_score = Column(Y), Column(SCORE)
    ASKED[question](y_true, y_score)
    assert y_score.n_read == 1
    assert y_true.n_read <= 1


@pytest.mark.parametrize("case", METRICS)
def test_metrics_of_a_ranking(case):
    metric = metric_function(case)
    assert metric(Ranking.from_predictions(Y, SCORE)) == metric(Y, SCORE)


def test_curves_and_tests_of_a_ranking():
    ranking = Ranking.from_predictions(Y, SCORE)
    for ask in (RandomSelectionTest("precision@10"), MetricInterval()):
        expected = ask.from_predictions(Y, SCORE).to_dict()
        assert ask.from_predictions(ranking).to_dict() == expected
    for made in (skrank.hit_curve, skrank.operating_points):
        np.testing.assert_array_equal(made(ranking).hits, made(Y, SCORE).hits)


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_weights_and_missed_targets_stay_with_a_ranking():
    weight = RNG.integers(1, 4, N)
    weighted = Ranking.from_predictions(Y, SCORE, sample_weight=weight)
    assert skrank.recall_at_t(weighted, t=0.1) == skrank.recall_at_t(
        Y, SCORE, t=0.1, sample_weight=weight
    )
    assert repr(weighted) == (
        f"<Ranking of {weight.sum()} items, {weight[Y].sum()} targets>"
    )
    missed = Ranking.from_predictions(Y, SCORE, n_missed=3)
    assert repr(missed) == "<Ranking of 200 items, 24 targets, 3 missed>"
    test = RandomSelectionTest()
    expected = test.from_predictions(Y, SCORE, n_missed=3).to_dict()
    assert test.from_predictions(missed).to_dict() == expected
    counts = RankCounts.from_predictions(Y, SCORE)
    assert test.from_predictions(counts, n_missed=3).to_dict() == expected
    with pytest.raises(ValueError, match="`n_missed` must be left out for MetricInter"):
        MetricInterval().from_predictions(missed)
    with pytest.raises(ValueError, match="`sample_weight` must be left out for Random"):
        test.from_predictions(weighted)
    # the bootstrap draws the weighted items of the ranking
    draw = MetricInterval("recall@0.1", n_resamples=9, random_state=0)
    found = draw.from_predictions(weighted).to_dict()
    expected = draw.from_predictions(Y, SCORE, sample_weight=weight).to_dict()
    assert found == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y_score": SCORE}, "`y_score` must be left out where `y_true` is a Ranking"),
        ({"pos_label": 1}, "`pos_label` must be left out where `y_true` is a Ranking"),
        ({"n_missed": 2}, "`n_missed` must be left out where `y_true` is a Ranking, w"),
        ({"groups": Y}, "`groups` must be left out where `y_true` is a Ranking, whose"),
    ],
)
def test_what_a_ranking_has_is_not_given_again(given, message):
    ranking = Ranking.from_predictions(Y, SCORE)
    with pytest.raises(ValueError, match=message):
        RandomSelectionTest().from_predictions(ranking, **given)
