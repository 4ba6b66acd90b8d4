"""Every metric through every question and kind of data; metrics of the user's own.

Each answer is finite and agrees with the value of the metric, also for other labels in
another order, or it is refused by an error that names a parameter. Metrics are those of
`cases`, to which `test_public_api` compares the public ones; questions are all public
names that take a metric.
"""

import inspect
import itertools
import math
import pickle
import re
import warnings
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB

import skrank
from cases import (
    ALL,
    DCG,
    OWN,
    SMALL_LISTS,
    TIES,
    EarlyGain,
    assert_share,
    make_list,
    named,
    runs,
)
from skrank import (
    Metric,
    MetricInterval,
    RandomSelectionTest,
    RankCounts,
    RankingComparison,
    Rankings,
    make_metric,
)

pytestmark = pytest.mark.filterwarnings("ignore")

# other tests ask the metrics of this package as well
CASES = [*OWN, *(pytest.param(name, marks=pytest.mark.nightly) for name in ALL)]


def metric_of(case, ties="expected"):
    if case in OWN:
        return replace(OWN[case][0], ties=ties)
    name, settings = ALL[case]
    return make_metric(named(name, **settings)["metric"], ties=ties)


# Two models on 120 items in 6 groups, with 4 targets each
N, RNG = 120, np.random.default_rng(3)
GROUP = np.arange(N) % 6
Y = np.isin(np.arange(N) // 6, [0, 3, 8, 14])
A = RNG.normal(1.5 * Y)
SCORES = {"a": A, "b": A + RNG.normal(size=N)}
ROUNDED = {name: np.round(score) for name, score in SCORES.items()}
MISSED = dict.fromkeys(range(6), 1)

# kind of data -> scores, columns, tie rule
DATA = {
    "one": (SCORES, {}, "expected"),
    "groups": (SCORES, {"groups": GROUP}, "expected"),
    "folds": (SCORES, {"folds": GROUP}, "expected"),
    "clusters": (SCORES, {"clusters": np.arange(N) // 2}, "expected"),
    "groups with clusters": (
        SCORES,
        {"groups": GROUP, "clusters": np.arange(N) // 6},
        "expected",
    ),
    "strata": (SCORES, {"strata": np.arange(N) % 2}, "expected"),
    "weights": (SCORES, {"sample_weight": 1 + np.arange(N) % 3}, "expected"),
    "fractions as weights": (
        SCORES,
        {"sample_weight": 0.5 + np.arange(N) % 3},
        "expected",
    ),
    "missed": (SCORES, {"n_missed": 2, "n_unlisted": 30}, "expected"),
    "missed in groups": (
        SCORES,
        {"groups": GROUP, "n_missed": MISSED, "n_unlisted": {**MISSED, 0: 9}},
        "expected",
    ),
    **{f"ties, {rule}": (ROUNDED, {}, rule) for rule in TIES},
    **{f"ties in groups, {rule}": (ROUNDED, {"groups": GROUP}, rule) for rule in TIES},
    "tied weights": (ROUNDED, {"sample_weight": 1 + np.arange(N) % 3}, "expected"),
}


def rankings_of(kind, *, models=("a", "b"), other=False):
    """Rankings of the data; `other` has other labels and another order."""
    scores, columns, _ = DATA[kind]
    order = np.random.default_rng(1).permutation(N) if other else np.arange(N)
    y, given = Y[order], {}
    if other:
        y, given = np.where(y, "yes", "no"), {"pos_label": "yes"}
    for name, column in columns.items():
        given[name] = column[order] if isinstance(column, np.ndarray) else column
    score = {name: scores[name][order] for name in models}
    return Rankings.from_predictions(
        y, score if len(models) > 1 else score[models[0]], **given
    )


def answered(ask):
    """Return the answer, or None if it is refused by the name of a parameter."""
    try:
        return ask()
    except ValueError as error:
        if not re.search(r"`[a-z_]+`", str(error)):
            raise
        return None


# Questions: every public name that takes a metric

FAST = {"n_resamples": 60, "random_state": 0}
# of two models, and of one
OF_TWO = {"RankingComparison", "SearchSelectionTest"}


def has_metric(called):
    """Whether a metric is among the parameters."""
    found = inspect.signature(called).parameters.values()
    return any("AnyMetric" in str(one.annotation) for one in found)


def takes_metric(name):
    """Whether a metric is among the parameters of a public name, or of its methods."""
    called = getattr(skrank, name)
    if inspect.isclass(called):
        methods = [one for one in dir(called) if one.startswith("from_")]
        calls = [getattr(called, one) for one in methods]
        return any(has_metric(one) for one in [called, *calls] if callable(one))
    return inspect.isfunction(called) and has_metric(called)


TAKE = {name for name in skrank.__all__ if takes_metric(name)}
QUESTIONS = sorted(
    name
    for name in TAKE
    if hasattr(getattr(skrank, name), "get_params")
    and has_metric(getattr(skrank, name))
)


def asked(name, metric):
    """Make a question with a metric, and few draws."""
    called = getattr(skrank, name)
    settings = inspect.signature(called).parameters
    return called(metric, **{key: FAST[key] for key in FAST if key in settings})


def check_answer(result, values):
    """Check the numbers of a result; `values` are those of the models."""
    found = [getattr(result, one, None) for one in ("value", "value_a", "value_b")]
    found = [one for one in found if one is not None]
    if isinstance(result, skrank.RankingReportResult):
        found = [*result.main.values.values()]
    found = found or list(np.mean(result.values, axis=-1))
    if len(found) == len(values):
        assert_allclose(found, values, rtol=1e-9, atol=1e-12)
    assert np.isfinite(found).all()
    pvalue = getattr(result, "pvalue", None)
    if isinstance(pvalue, float):
        assert 0 < pvalue <= 1
    if not math.isnan(getattr(result, "standard_error", math.nan)):
        low, high = result.confidence_interval()
        middle = getattr(result, "difference", found[0])
        assert low <= middle <= high
        assert low < high or result.standard_error == 0
    if hasattr(result, "noninferiority_pvalue"):
        margin = 0.1 * max(abs(found[0]), 0.1)
        for p in (
            result.noninferiority_pvalue(margin),
            result.equivalence_pvalue(margin),
        ):
            assert 0 <= p <= 1 or math.isnan(result.standard_error)
    assert str(result)


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("case", CASES)
def test_a_question_of_data(case, name, kind):
    scores, columns, rule = DATA[kind]
    models = ("a", "b") if name in OF_TWO else ("a",)
    metric = answered(lambda: metric_of(case, rule))
    ask = metric and answered(lambda: asked(name, metric))
    if not ask:
        return
    if name == "SampledMetricInterval":
        labels = np.where(np.arange(N) % 2, Y.astype(float), math.nan)
        strata = (scores["a"] < np.median(scores["a"])).astype(int)
        if answered(lambda: ask.from_predictions(labels, scores["a"], strata=strata)):
            assert type(metric).__module__.startswith("skrank.")
        return
    result = answered(lambda: ask.from_rankings(rankings_of(kind, models=models)))
    if result is None:
        assert (case, kind) not in MUST_ANSWER or name not in MUST_ANSWER[case, kind]
        return
    kept = {k: v for k, v in columns.items() if k not in ("clusters", "strata")}
    parts = {"groups": kept.pop("folds")} if "folds" in kept else kept
    values = [metric(Y, scores[one], **parts) for one in models]
    check_answer(result, values)
    again = ask.from_rankings(rankings_of(kind, models=models, other=True))
    check_answer(again, values)


# what is not refused, as users do it daily
MUST_ANSWER = {
    (case, kind): ("MetricInterval", "RankingComparison", "RandomSelectionTest")
    for case in OWN
    for kind in DATA
    if not kind.startswith(("missed", "strata", "fractions", "tied", "weights"))
    and "clusters" not in kind
}


@pytest.mark.parametrize("case", CASES)
def test_counts_rankings_and_a_leaderboard(case):
    metric = metric_of(case)
    value = metric(Y, A)
    counts = RankCounts.from_predictions(Y, A)
    ranking = skrank.Ranking.from_predictions(Y, A)
    assert metric(ranking) == pytest.approx(value)
    assert metric(counts) == pytest.approx(value)
    for data in (counts, ranking):
        result = answered(
            lambda d=data: asked("MetricInterval", metric).from_rankings(
                Rankings.from_predictions(d)
            )
        )
        assert result is None or result.value == pytest.approx(value)
    three = {**SCORES, "c": RNG.normal(size=N)}
    table = RankingComparison(metric, **FAST).compare_all(Y, three)
    board = table.leaderboard()
    assert dict(zip(board.names, board.values, strict=True)) == pytest.approx(
        {name: metric(Y, score) for name, score in three.items()}
    )


@pytest.mark.parametrize("groups", [None, GROUP])
@pytest.mark.parametrize("case", CASES)
def test_report(case, groups):
    metric = metric_of(case)
    asked = skrank.RankingReport(metric, pvalue=False)
    report = asked.from_predictions(Y, SCORES, groups=groups)
    for name, score in SCORES.items():
        value = metric(Y, score, groups=groups)
        assert report.main.values[name] == pytest.approx(value)
        low, high = report.main.intervals[name]
        assert low <= value <= high
        assert low < high
    assert report.to_html()
    asked = skrank.RankingReport("precision@5", metrics=metric, pvalue=False)
    more = asked.from_predictions(Y, A, groups=groups)
    (found,) = more.results[metric.name].values.values()
    assert found == pytest.approx(metric(Y, A, groups=groups))


@pytest.mark.parametrize("statistic", [None, "zscore", "chance_adjusted"])
@pytest.mark.parametrize("case", CASES)
def test_scorer_of_a_search(case, statistic):
    """A scorer is cloned and pickled with its search; GaussianNB gives the scores."""
    metric = metric_of(case)
    scorer = answered(lambda: skrank.make_metric_scorer(metric, statistic=statistic))
    if scorer is None:
        assert statistic is not None
        return
    X = np.stack([A, SCORES["b"]], axis=1)
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, scoring=scorer)
    search = pickle.loads(pickle.dumps(clone(search))).fit(X, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    if statistic is None:
        sign = 1 if metric.greater_is_better else -1
        model = GaussianNB().fit(X, Y)
        value = metric(Y, model.predict_proba(X)[:, 1])
        assert scorer(model, X, Y) == pytest.approx(sign * value)
        found = cross_validate(GaussianNB(), X, Y, scoring={"own": scorer}, cv=3)
        assert np.isfinite(found["test_own"]).all()


def power_of(name, metric):
    effect = {"difference": 0.1} if name == "comparison_power" else {}
    value = metric(Y, A)
    called = getattr(skrank, name)
    return called(
        metric, n_targets=12, prevalence=0.1, value=value, n_studies=100, **effect
    )


def display_of(name, metric):
    return skrank.NullDistributionDisplay.from_predictions(Y, A, metric=metric)


def monitor_of(name, metric):
    scores = {"a": A, "b": SCORES["b"]}
    reference = "a" if np.isfinite(metric.bounds).all() else "random selection"
    scores = scores if reference == "a" else A
    days = np.arange(N) % 4
    return skrank.RankingMonitorDisplay.from_predictions(
        Y, scores, groups=days, metric=metric, reference=reference
    )


def null_of(name, metric):
    return skrank.RandomSelectionNull(N, 24, metric)


# other public names that take a metric; these are asked above
OTHERS = {
    "NullDistributionDisplay": display_of,
    "RandomSelectionNull": null_of,
    "RankingMonitorDisplay": monitor_of,
    "comparison_power": power_of,
    "random_selection_power": power_of,
}
# MetricReport is a part of the result of RankingReport
ABOVE = {"make_metric", "make_metric_scorer", "MetricReport"}


def test_every_public_name_that_takes_a_metric_is_asked():
    assert {*QUESTIONS, *OTHERS, *ABOVE} == TAKE


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("case", CASES)
def test_other_questions(case, name):
    metric = metric_of(case)
    result = answered(lambda: OTHERS[name](name, metric))
    assert result is not None or not isinstance(metric, Metric) or "power" in name
    if name == "RandomSelectionNull" and result is not None:
        assert result.sf(result.isf(0.05)) <= 0.05 + 1e-9
    if "power" in name and result is not None:
        assert 0 <= result.power <= 1
    plt.close("all")


# Metrics of one's own, by their definition


def by_definition(case, ranks, n, m):
    _, gain_of = OWN[case]
    return sum(gain_of(rank, n, m) for rank in ranks)


def orders_of(sizes, hits):
    """Ranks of the targets in each order of the ties."""
    start, found = 0, []
    for size, d in zip(sizes, hits, strict=True):
        places = range(start + 1, start + size + 1)
        found.append(list(itertools.combinations(places, d)))
        start += size
    return [tuple(itertools.chain(*one)) for one in itertools.product(*found)]


@pytest.mark.parametrize("case", OWN)
@pytest.mark.parametrize(("sizes", "m"), SMALL_LISTS)
def test_tie_rules_by_all_orders(case, sizes, m):
    n = sum(sizes)
    hits = np.random.default_rng(m).multivariate_hypergeometric(sizes, m)
    y, score = make_list(sizes, hits)
    values = [by_definition(case, ranks, n, m) for ranks in orders_of(sizes, hits)]
    last = np.repeat(np.cumsum(sizes), hits)
    expected = {
        "expected": np.mean(values),
        "optimistic": max(values),
        "pessimistic": min(values),
        "together": by_definition(case, last, n, m),
    }
    for rule, value in expected.items():
        assert metric_of(case, rule)(y, score) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("rule", TIES)
@pytest.mark.parametrize("case", OWN)
def test_null_distribution_by_all_placements(case, rule):
    sizes, m = (3, 1, 4, 2, 2), 3
    n, metric = sum(sizes), metric_of(case, rule)
    values = []
    for places in itertools.combinations(range(n), m):
        y = np.isin(np.arange(n), places)
        values.append(metric(y, -np.repeat(np.arange(len(sizes)), sizes)))
    null = skrank.RandomSelectionNull(n, m, metric, tie_sizes=sizes)
    assert null.mean() == pytest.approx(np.mean(values))
    for value in sorted(values)[::20]:
        share = np.mean(np.array(values) >= value - 1e-10)
        assert null.pvalue(value) == pytest.approx(share, rel=1e-6)


@pytest.mark.parametrize("case", OWN)
def test_weights_are_repeated_items(case):
    metric, weight = metric_of(case), 1 + np.arange(N) % 3
    for scores in (SCORES, ROUNDED):
        repeated = metric(np.repeat(Y, weight), np.repeat(scores["a"], weight))
        assert metric(Y, scores["a"], sample_weight=weight) == pytest.approx(repeated)


@pytest.mark.parametrize("case", OWN)
def test_copies_are_equal(case):
    metric = metric_of(case, "pessimistic")
    copied = pickle.loads(pickle.dumps(metric))
    assert copied == metric
    assert hash(copied) == hash(metric)
    assert copied(Y, ROUNDED["a"]) == metric(Y, ROUNDED["a"])
    assert clone(metric, safe=False) == metric
    assert metric != replace(metric, ties="expected")


def test_settings_tell_metrics_apart():
    assert EarlyGain(3.0) != EarlyGain(4.0)
    assert EarlyGain(3.0).name == "early_gain(rate=3)"
    errors = [
        MetricInterval(EarlyGain(rate)).from_predictions(Y, A).standard_error
        for rate in (0.1, 30.0)
    ]
    assert errors[1] > 2 * errors[0]


def test_a_stated_upper_bound_is_the_best_of_a_scorer():
    class Doubled(EarlyGain):
        bounds = 0.0, 2.0

        def divisor(self, frame):
            return frame.n_targets / 2

    ask = {"statistic": "chance_adjusted"}
    half, double = (
        skrank.make_metric_scorer(one, **ask) for one in (EarlyGain(9), Doubled(9))
    )
    X = A[:, None]
    model = GaussianNB().fit(X, Y)
    assert double(model, X, Y) == pytest.approx(half(model, X, Y))
    with pytest.raises(ValueError, match="for a metric without a largest value"):
        skrank.make_metric_scorer(DCG(), **ask)


# The contract


def test_a_class_that_is_not_complete():
    def gain(self, above, size, hits_above, hits, frame):
        return hits / (above + size)

    def divisor(self, frame):
        return 1.0

    whole = {"gain": gain, "divisor": divisor, "template": "one"}
    for lacks in whole:
        some = {name: one for name, one in whole.items() if name != lacks}
        with pytest.raises(TypeError, match=f"One must .*`{lacks}`"):
            type("One", (Metric,), some)
    for wrong in ((1.0, 0.0), 1.0, (0.0, math.nan)):
        with pytest.raises(TypeError, match=r"`bounds` of One must be its smallest"):
            type("One", (Metric,), whole | {"bounds": wrong})
    first_of_top = whole | {"counted_hits": 1, "cutoff": "t"}
    with pytest.raises(
        TypeError, match="One must have `counted_hits` or `cutoff`, not"
    ):
        type("One", (Metric,), first_of_top)


def test_a_setting_that_copies_would_lose():
    class Init(DCG):
        def __init__(self, rate):
            self.rate = rate

    @dataclass(frozen=True)
    class Both(DCG):
        rate: float = 1.0

        def __init__(self, rate):
            object.__setattr__(self, "rate", rate)

    for make in (Init, Both):
        with pytest.raises(TypeError, match=r"Write @dataclass\(frozen=True\) above"):
            make(3.0)

    @dataclass(frozen=True)
    class Listed(DCG):
        table: object = ()

    with pytest.raises(ValueError, match="`table` must be hashable"):
        Listed([1.0, 2.0])


WRONG = {
    "not increase with the rank": lambda above, size, hits: hits * (above + size / 2),
    "be the mean over the orders": lambda above, size, hits: hits / (above + 1.0),
    "be 0 .* for a tie without": lambda above, size, hits: 1 / (above + size) ** 0.01,
    "return a finite number": lambda above, size, hits: hits / above,
    "return a finite number for each": lambda above, size, hits: np.zeros(3),
}


@pytest.mark.parametrize("said", WRONG)
def test_a_gain_that_would_give_wrong_pvalues(said):
    class Wrong(DCG):
        def gain(self, above, size, hits_above, hits, frame):
            return WRONG[said](above, size, hits)

    asks = (
        lambda: Wrong()(Y, A),
        lambda: skrank.RandomSelectionNull(50, 5, Wrong()),
        lambda: RandomSelectionTest(Wrong()).from_predictions(Y, A),
        lambda: MetricInterval(Wrong()).from_predictions(Y, A),
    )
    for ask in asks:
        with (
            np.errstate(divide="ignore"),
            pytest.raises(ValueError, match=f"`gain` must {said}"),
        ):
            ask()


def test_missed_targets_without_the_number_of_items():
    class OfRanks(DCG):
        of_all_items = False

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert OfRanks()(Y, A, n_missed=3) == pytest.approx(DCG()(Y, A))
    with pytest.warns(UserWarning, match="n_unlisted"):
        assert DCG()(Y, A, n_missed=3) == pytest.approx(DCG()(Y, A))


def test_values_outside_the_bounds_are_an_error():
    class Bounded(DCG):
        bounds = 0.0, 1.0

    with pytest.raises(ValueError, match=r"`bounds` must contain all values of dcg"):
        Bounded()(Y, A)

    class Divided(DCG):
        def divisor(self, frame):
            return 0.0

    with pytest.raises(ValueError, match="`divisor` must be a number above 0 for dcg"):
        Divided()(Y, A)


def test_no_ranking_is_longer_than_the_data():
    longest = []

    class Noted(DCG):
        def gain(self, above, size, hits_above, hits, frame):
            longest.append(frame.n_samples)
            return super().gain(above, size, hits_above, hits, frame)

    MetricInterval(Noted()).from_predictions(Y, A).confidence_interval()
    result = RankingComparison(Noted(), **FAST).from_predictions(Y, SCORES)
    result.noninferiority_pvalue(0.1)
    assert max(longest) == N


# Simulations


def draw(rng, m, n, kind, shift):
    y = np.arange(n) < m
    if kind == "half":
        return y, rng.normal(shift * (y & (rng.random(n) < 0.5)))
    return y, (rng.standard_t(2, n) if kind == "t2" else rng.normal(size=n)) + shift * y


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["normal", "half", "t2"])
@pytest.mark.parametrize(("m", "shift"), [(12, 1.0), (12, 2.5), (25, 1.5), (60, 1.5)])
@pytest.mark.parametrize("case", OWN)
def test_intervals_cover(case, m, shift, kind):
    rng, metric, n = np.random.default_rng(m), metric_of(case), 40 * m
    true = np.mean([metric(*draw(rng, m, n, kind, shift)) for _ in range(2000)])
    ask, held = MetricInterval(metric), []
    for _ in range(runs(100)):
        result = ask.from_predictions(*draw(rng, m, n, kind, shift))
        low, high = result.confidence_interval()
        held.append(low <= true <= high)
    assert_share(held, least=0.92)


@pytest.mark.nightly
@pytest.mark.parametrize("m", [12, 30])
@pytest.mark.parametrize("case", OWN)
def test_sizes(case, m):
    """Of equally good models, of random ones, and of one that is worse by a margin."""
    rng, metric, n = np.random.default_rng(m), metric_of(case), 25 * m
    y, ask = np.arange(n) < m, RankingComparison(metric, n_resamples=199)

    def pair(shift_a, shift_b):
        both = rng.normal(size=n)
        return {
            name: both + rng.normal(size=n) + shift * y
            for name, shift in (("a", shift_a), ("b", shift_b))
        }

    many = [pair(2.0, 3.0) for _ in range(2000)]
    margin = np.mean([metric(y, one["b"]) - metric(y, one["a"]) for one in many])
    equal, worse, random = [], [], []
    for _ in range(runs(100)):
        equal.append(ask.from_predictions(y, pair(2.0, 2.0)).pvalue <= 0.05)
        result = ask.from_predictions(y, pair(2.0, 3.0))
        worse.append(result.noninferiority_pvalue(margin) <= 0.05)
        score = rng.normal(size=n)
        random.append(
            RandomSelectionTest(metric).from_predictions(y, score).pvalue <= 0.05
        )
    for seen in (equal, worse, random):
        assert_share(seen, most=0.07)
