"""A stated value, non-inferiority and equivalence: SciPy, Newcombe, inversion."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import beta, norm, ttest_1samp
from sklearn.exceptions import UndefinedMetricWarning

from cases import assert_share, runs
from skrank import MetricInterval, RankingComparison, average_precision
from skrank.inference.comparison._rules import DifferenceRule
from skrank.inference.variability._interval_rules import tail_above
from skrank.metrics._definitions import make_metric

ALTERNATIVES = ("two-sided", "greater", "less")


def columns(n=600, m=40, shift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < m
    return y, rng.normal(shift * y)


@pytest.mark.parametrize("method", ["moderated", "jackknife", "bootstrap", "survival"])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_ends_of_an_interval_have_its_level(method, level):
    y, score = columns()
    test = MetricInterval(method=method, n_resamples=200, random_state=0)
    result = test.from_predictions(y, score)
    for value in result.confidence_interval(level):
        assert result.pvalue(value) == pytest.approx(1 - level, rel=1e-6)
        greater, less = (result.pvalue(value, one) for one in ALTERNATIVES[1:])
        assert greater + less == pytest.approx(1)
        assert min(greater, less) == pytest.approx((1 - level) / 2, rel=1e-6)
        assert (greater < less) == (value < result.value)


def test_posterior_is_that_of_the_beta_distribution():
    y, score = columns()
    result = MetricInterval("recall@50", method="posterior").from_predictions(y, score)
    hits = result.value * 40
    for value in (0.2, 0.4, 0.6):
        expected = beta(hits + 0.5, 40 - hits + 0.5).cdf(value)
        assert result.pvalue(value, "greater") == pytest.approx(expected, rel=1e-6)


def test_pvalues_decrease_with_the_distance():
    y, score = columns()
    result = MetricInterval().from_predictions(y, score)
    assert result.pvalue(result.value) == 1
    values = np.linspace(0.001, 0.999, 60)
    pvalues = np.array([result.pvalue(one) for one in values])
    above = values > result.value
    assert (np.diff(pvalues[~above]) >= 0).all()
    assert (np.diff(pvalues[above]) <= 0).all()
    assert result.pvalue(-3.0) == pytest.approx(1e-15)
    assert result.pvalue(1.5, "less") == pytest.approx(5e-16)


@pytest.mark.nightly
@pytest.mark.parametrize("shift", [0.5, 1.5])
def test_the_mean_of_samples_is_seldom_rejected(shift):
    rng = np.random.default_rng(0)
    y, results = np.arange(600) < 40, []
    for _ in range(runs(250)):
        score = rng.normal(shift * y)
        results.append(MetricInterval().from_predictions(y, score))
    truth = np.mean([one.value for one in results])
    pvalues = np.array([one.pvalue(truth) for one in results])
    for level in (0.05, 0.2):
        assert_share(pvalues <= level, level, level)


def test_stated_values_that_are_refused():
    y, score = columns()
    result = MetricInterval().from_predictions(y, score)
    with pytest.raises(ValueError, match="`value` must be a finite number"):
        result.pvalue(math.nan)
    with pytest.raises(ValueError, match="`alternative` must be one of"):
        result.pvalue(0.5, "larger")
    test = MetricInterval(method="jackknife")
    one = test.from_predictions([1, 1, 0, 0], [4.0, 3.0, 2.0, 1.0])
    with pytest.warns(UndefinedMetricWarning, match="The interval of average_precis"):
        assert math.isnan(one.pvalue(0.5))


def days(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(600) < 0.2
    a, b = rng.normal(y), rng.normal(y)
    return y, a, b, np.repeat(np.arange(20), 30)


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.3])
def test_days_against_the_tests_of_scipy(margin):
    y, a, b, day = days()
    result = RankingComparison().from_predictions(y, {"A": a, "B": b}, groups=day)
    d = np.subtract(result.values_a, result.values_b)
    above = ttest_1samp(d, -margin, alternative="greater").pvalue
    below = ttest_1samp(d, margin, alternative="less").pvalue
    assert result.noninferiority_pvalue(margin) == pytest.approx(above)
    assert result.equivalence_pvalue(margin) == pytest.approx(max(above, below))


@dataclass
class Wilson:
    """Interval of a share (Wilson 1927), in place of that of a metric."""

    hits: int
    size: int

    @property
    def estimate(self):
        return self.hits / self.size

    def bounds(self, confidence_level):
        z = norm.isf((1 - confidence_level) / 2)
        n, p = self.size, self.estimate
        middle = p + z**2 / (2 * n)
        reach = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        return (middle - reach) / (1 + z**2 / n), (middle + reach) / (1 + z**2 / n)


@pytest.mark.parametrize(
    ("a", "b", "limits"),
    # Newcombe (1998), "Interval estimation for the difference between independent
    # proportions", Statistics in Medicine 17, table II, method 10
    [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
    ],
)
def test_intervals_of_two_shares_make_that_of_the_difference(a, b, limits):
    rule = DifferenceRule(Wilson(*a), Wilson(*b), 0.0)
    assert rule.bounds(0.95) == pytest.approx(limits, abs=5e-5)
    for value, expected in zip(limits, (0.025, 0.975), strict=True):
        found = tail_above(rule, rule.estimate, value)
        assert found == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("m", [8, 12, 40])
def test_margins_are_by_the_intervals_of_both(m):
    # the errors of A, of B and of A - B give the correlation
    y, a = columns(m=m)
    b = a + 0.5 * np.random.default_rng(1).normal(size=a.size)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "With fewer than 12 targets")
        result = RankingComparison(random_state=0).from_predictions(y, {"A": a, "B": b})
    one, other = (MetricInterval().from_predictions(y, each) for each in (a, b))
    errors = [
        MetricInterval(method="jackknife").from_predictions(y, each).standard_error
        for each in (a, b)
    ]
    shared = sum(e**2 for e in errors) - result.standard_error**2
    correlation = shared / (2 * math.prod(errors))
    correlation = math.tanh(math.atanh(correlation) - 2.2 / (m - 3))
    (low_a, high_a), (low_b, high_b) = (
        each.confidence_interval(0.9) for each in (one, other)
    )
    margins = []
    for x, z in (
        (one.value - low_a, high_b - other.value),
        (high_a - one.value, other.value - low_b),
    ):
        margins.append(math.sqrt(x**2 + z**2 - 2 * correlation * x * z))
    low, high = result.difference - margins[0], result.difference + margins[1]
    assert result.noninferiority_pvalue(-low) == pytest.approx(0.05, rel=1e-4)
    expected = pytest.approx(0.05, rel=1e-4)
    assert result.equivalence_pvalue(max(-low, high)) == expected


@pytest.mark.parametrize("metric", ["average_precision", "rie", "bedroc"])
@pytest.mark.parametrize("levels", [None, 2], ids=["distinct", "ties"])
def test_lost_targets_are_judged_by_the_metric_itself(metric, levels):
    # A is B, of which two targets become the last items; the value falls by each
    y, b = columns(n=90, m=12)
    b = b if levels is None else np.round(levels * b)
    value = make_metric(metric)

    def without(*targets):
        moved = b.copy()
        moved[[*targets]] = -99.0 - np.arange(len(targets))
        return moved

    whole = value(y, b)
    last = 1 / 90 if metric == "average_precision" else 0.0  # precision there, by m
    falls = np.array([whole - value(y, without(i)) + last for i in range(12)])
    lost, outside = np.argsort(-b[:12])[:2], 0.025
    a = without(*lost)
    test = RankingComparison(metric, method="jackknife")
    rule = test.from_predictions(y, {"A": a, "B": b})._rule.rules[-1]
    assert rule.estimate == pytest.approx(value(y, a) - whole)
    n = falls.sum() ** 2 / (falls**2).sum()
    share = falls[lost].sum() / falls.sum()
    # Clopper and Pearson: the share at which so few units are lost with 2.5 %
    most = rule.loss.beyond(outside) / rule.loss.whole + share
    assert rule.loss.lost == pytest.approx(share)
    assert rule.loss.whole == pytest.approx(min(falls.sum(), whole), rel=1e-6)
    # P(X <= k) for X binomial(n, p), also for fractions
    assert beta(n * (1 - share), n * share + 1).cdf(1 - most) == pytest.approx(outside)


@pytest.mark.nightly
@pytest.mark.parametrize("m", [12, 25])
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_a_model_that_loses_targets_is_seldom_called_not_worse(share, m):
    rng, y = np.random.default_rng(0), np.arange(20 * m) < m
    values, results = [], []
    for i in range(runs(200) + 2000):
        b = rng.normal(2.5 * y)
        lost = y & (rng.random(y.size) < share)
        a = np.where(lost, rng.normal(-1, size=y.size), b)
        if i < 2000:
            values.append(average_precision(y, a) - average_precision(y, b))
            continue
        test = RankingComparison(method="jackknife")
        results.append(test.from_predictions(y, {"A": a, "B": b}))
    truth = np.mean(values)
    pvalues = np.array([one.noninferiority_pvalue(-truth) for one in results])
    assert_share(pvalues <= 0.05, 0, 0.06)
    low, high = np.transpose([one.confidence_interval() for one in results])
    assert_share((low <= truth) & (truth <= high), 0.95)
    assert (low < high).all()


def test_margins_of_equal_rankings_and_without_an_error():
    y, a, b, day = days()
    equal = RankingComparison().from_predictions(y, {"A": a, "B": 2 * a})
    assert equal.equivalence_pvalue(1e-6) == equal.noninferiority_pvalue(1e-6)
    assert equal.noninferiority_pvalue(1e-6) == pytest.approx(0.5, abs=1e-3)
    tied = RankingComparison().from_predictions(y, {"A": 0 * a, "B": 0 * a})
    assert tied.equivalence_pvalue(1e-6) < 1e-15
    assert tied.confidence_interval() == (0, 0)
    assert "the values do not depend on the order" in str(tied)
    signs = RankingComparison(method="sign").from_predictions(
        y, {"A": a, "B": b}, groups=day
    )
    with pytest.warns(UndefinedMetricWarning, match="the p-value of a margin is undef"):
        assert math.isnan(signs.noninferiority_pvalue(0.1))
    for margin in (0, -1, math.inf, "a"):
        with pytest.raises(ValueError, match="`margin` must be a finite number"):
            equal.equivalence_pvalue(margin)
