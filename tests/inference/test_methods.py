"""Every method of an interval and of a comparison, on all data that it is for."""

import numpy as np
import pytest
from scipy.stats import rankdata

from skrank import MetricInterval, RankingComparison
from skrank.inference.comparison import _ranking_comparison
from skrank.inference.intervals import _metric_interval

RNG = np.random.default_rng(0)
N = 300
Y = np.arange(N) % 6 == 0
A = RNG.normal(1.2 * Y)
B = 0.5 * A + RNG.normal(0.5 * Y)
PART = RNG.permutation(np.arange(N) % 10)
DATA = {
    "one": {},
    "weights": {"sample_weight": RNG.integers(1, 4, N)},
    "clusters": {"clusters": PART},
    "groups": {"groups": PART},
    "groups with weights": {"groups": PART, "sample_weight": RNG.integers(1, 4, N)},
    "groups with clusters": {"groups": PART, "clusters": np.arange(N) // 10},
    "folds": {"folds": PART},
    "values": {},
    "values of folds": {"ratio": 1 / 4},
}
METRICS = {"posterior": "recall@30", "mcnemar": "recall@30"}


def pairs(module):
    """Return each kind of data with each of its methods."""
    named = module._METHODS.items()
    return [(data, method) for data, methods in named for method in methods]


def asked(kind, method):
    metric = METRICS.get(method, "average_precision")
    return kind(metric, method=method, n_resamples=99, random_state=0)


@pytest.mark.parametrize(("data", "method"), pairs(_metric_interval))
def test_every_interval_reads_the_order_of_scores_only(data, method):
    """Judge: ranks stay if scores are raised by a strictly increasing function."""
    ask = asked(MetricInterval, method)
    result = ask.from_predictions(Y, A, **DATA[data])
    raised = ask.from_predictions(Y, np.exp(A), **DATA[data])
    assert result.method == raised.method == method
    low, high = result.confidence_interval(0.5)
    assert raised.confidence_interval(0.5) == (low, high)
    least, most = result.confidence_interval(0.95)
    assert 0 <= least < low < result.value < high < most <= 1


@pytest.mark.parametrize(("data", "method"), pairs(_ranking_comparison))
def test_every_comparison_turns_with_its_models(data, method):
    """Judge: models in the other order have the opposite difference."""
    ask = asked(RankingComparison, method)

    def answer(models):
        if data.startswith("values"):
            values = {name: rankdata(one)[Y][:9] for name, one in models.items()}
            return ask.from_values(values, **DATA[data])
        return ask.from_predictions(Y, models, **DATA[data])

    there, back = (
        answer(dict(two))
        for two in ([("a", A), ("b", B)], [("b", np.exp(B)), ("a", np.exp(A))])
    )
    assert there.method == back.method == method
    assert there.difference == pytest.approx(-back.difference, rel=1e-9) != 0
    assert there.pvalue == pytest.approx(back.pvalue, rel=1e-6)
    assert 0 < there.pvalue < 1
