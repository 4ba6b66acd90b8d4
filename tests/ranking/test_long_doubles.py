"""Scores that only a long double holds. Judge: the same order in integers."""

import numpy as np
import pytest

import skrank
from cases import ALL, long_doubles, metric_function
from skrank import RankCounts

pytestmark = pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(np.float64).max,
    reason="a long double is a double here",
)


def close_and_far(rng, n_samples):
    """Order integers by scores that differ by rounding of doubles, or overflow them."""
    order = rng.integers(-200, 200, n_samples)
    far = np.longdouble(10) ** (20 * (order // 10))
    return order, far * (1 + (order % 10) * np.longdouble(2) ** -58)


QUESTIONS = {
    "test": lambda y, s: skrank.RandomSelectionTest().from_predictions(y, s).to_dict(),
    "interval": lambda y, s: skrank.MetricInterval().from_predictions(y, s).to_dict(),
    "comparison": lambda y, s: (
        skrank.RankingComparison().from_predictions(y, s, -s).to_dict()
    ),
    "search": lambda y, s: (
        skrank.SearchSelectionTest(n_resamples=9, random_state=0)
        .from_predictions(y, {"a": s, "b": -s})
        .to_dict()
    ),
    "curve": lambda y, s: skrank.hit_curve(y, s).hits.tolist(),
    "points": lambda y, s: skrank.operating_points(y, s).precision.tolist(),
    "evaluation": lambda y, s: skrank.RankingEvaluation.from_predictions(
        y, s
    ).to_dict()["average_precision"],
    "report": lambda y, s: str(skrank.ranking_report(y, s)),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_see_the_order_of_long_doubles(question):
    rng = np.random.default_rng(0)
    y_true = rng.random(300) < 0.2
    order, y_score = close_and_far(rng, 300)
    ask = QUESTIONS[question]
    assert ask(y_true, y_score) == ask(y_true, order.astype(float))


@pytest.mark.parametrize("n_samples", [2, 300, 70_000])
@pytest.mark.parametrize("case", ALL)
def test_metrics_see_the_order_of_long_doubles(case, n_samples):
    rng = np.random.default_rng(n_samples)
    y_true = rng.random(n_samples) < 0.2
    y_true[:2] = True, False
    n_samples += 4  # cutoffs at 4
    y_true = np.append(y_true, [False, True, False, False])
    metric = metric_function(case)
    order, y_score = close_and_far(rng, n_samples)
    value = metric(y_true, order.astype(float))
    assert metric(y_true, y_score) == value
    assert metric(RankCounts.from_arrays(y_true, y_score)) == value
    assert metric(y_true, long_doubles(order)) == value


@pytest.mark.parametrize("index", [0, 50, 99])
@pytest.mark.parametrize("factor", [1, 1 + np.longdouble(2) ** -60, 0.99, -1])
def test_counts_tell_changed_long_doubles(factor, index):
    # a digit beyond those of a double, and values beyond its range
    y_true = np.arange(100) >= 80
    y_score = long_doubles(np.arange(1, 101))
    first = RankCounts()
    first.update(y_true, y_score)
    other = y_score.copy()
    other[index] *= factor
    second = first.second_pass()

    def value():
        second.update(y_true, other)
        return skrank.average_precision(second)

    if factor == 1:
        assert value() == 1.0
    else:
        with pytest.raises(ValueError, match="other scores|which none had"):
            value()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_infinite_long_doubles_are_refused(value):
    y_score = long_doubles(np.arange(5))
    y_score[3] = value
    with pytest.raises(ValueError, match="`y_score` must be finite.*first at positi"):
        skrank.average_precision([1, 0, 0, 1, 0], y_score)
