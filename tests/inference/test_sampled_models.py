"""Several models whose items have labels in a sample, of strata of any kind.

Judges: the metrics of complete lists; coverage over random samples of fixed lists;
enumeration of the labels that decide.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from cases import assert_share, runs
from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    RankingReport,
    Rankings,
    SampledMetricInterval,
    ThresholdChoice,
    labels_to_collect,
    labels_to_compare,
    make_metric,
)

METRICS = (
    "average_precision",
    "recall@50",
    "precision@50",
    "enrichment_factor@50",
    "expected_profit@50(benefit=5, cost=1)",
    "k_at_recall(0.8)",
    "wss(0.9)",
    "ks_statistic",
)


def list_of(kind, seed, n=1000, m=40):
    """Return labels and scores of two models of a list of some kind."""
    rng = np.random.default_rng(seed)
    y, a, b = np.arange(n) < m, rng.normal(size=n), rng.normal(size=n)
    if kind == "half":
        y = np.arange(n) < n // 2
    if kind == "disagree":  # each finds targets of its own
        return (
            y,
            a + 3 * (y & (np.arange(n) % 2 == 0)),
            b + 3 * (y & (np.arange(n) % 2 == 1)),
        )
    if kind == "perfect":
        return y, a + 99 * y, a + 99 * (y & (np.arange(n) > 4))
    if kind == "reversed":
        return y, a - 2 * y, a + 2 * y
    a, b = a + 2 * y, 0.8 * a + 0.6 * b + 1.8 * y
    if kind == "ties":
        return y, np.round(a), np.round(2 * b)
    return y, a, b


def sample_of(kind, y, a, b, seed):
    """Return strata and labels of a sample of some design."""
    n, rng = y.size, np.random.default_rng(seed)
    if kind == "plan":
        plan = labels_to_collect({"a": a, "b": b}, 200, random_state=seed)
        return plan["stratum"].to_numpy(), np.where(plan["to_label"], y, np.nan)
    rank = np.argsort(np.argsort(-a))
    strata = {
        "days": np.arange(n) % 9,
        "ranks": np.digitize(rank, [50, 120, 400]),
        "crossed": 3 * np.digitize(rank, [50, 120, 400]) + np.arange(n) % 3,
    }[kind]
    label = np.full(n, np.nan)
    for one in np.unique(strata):
        items = np.flatnonzero(strata == one)
        some = rng.choice(items, min(items.size, 200 // (strata.max() + 1)), False)
        label[some] = y[some]
    return strata, label


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("kind", ["normal", "ties"])
def test_full_labels_give_both_values_and_the_exact_difference(name, kind):
    y, a, b = list_of(kind, 0)
    strata = np.arange(1000) % 4
    label = y.astype(float)
    result = SampledMetricInterval(name).from_predictions(
        label, {"a": a, "b": b}, strata=strata
    )
    metric = make_metric(name)
    expected = metric(y, a), metric(y, b)
    for one, value in zip(("a", "b"), expected, strict=True):
        assert result[one].value == pytest.approx(value, rel=1e-12)
        assert tuple(result[one].confidence_interval()) == pytest.approx((value, value))
    # one item without a label: the difference is known but for this
    label[np.argmin(a + b)] = np.nan
    if not y[np.argmin(a + b)]:
        pair = RankingComparison(name).from_predictions(
            label, {"a": a, "b": b}, strata=strata
        )
        near = pytest.approx(expected[0] - expected[1], abs=0.05, rel=0.01)
        assert pair.difference == near
        low, high = pair.confidence_interval()
        assert low <= expected[0] - expected[1] <= high


@pytest.mark.parametrize("design", ["plan", "days", "ranks", "crossed"])
@pytest.mark.parametrize(
    "kind", ["normal", "ties", "half", "disagree", "perfect", "reversed"]
)
@pytest.mark.nightly
def test_coverage_of_values_and_differences(kind, design):
    y, a, b = list_of(kind, 1)
    inside = {}
    for seed in range(runs(60)):
        strata, label = sample_of(design, y, a, b, seed)
        if not np.nansum(label):
            continue
        rankings = Rankings.from_sample(label, {"a": a, "b": b}, strata=strata)
        for name in METRICS:
            metric = make_metric(name)
            of_a, of_b = metric(y, a), metric(y, b)
            ask = SampledMetricInterval(name, n_resamples=300)
            pair = RankingComparison(name, n_resamples=300)
            for what, truth, found in (
                (name, of_a, ask.from_rankings(rankings)["a"]),
                (f"difference of {name}", of_a - of_b, pair.from_rankings(rankings)),
            ):
                low, high = found.confidence_interval()
                covers = low - 1e-9 <= truth <= high + 1e-9
                inside.setdefault(what, []).append(covers)
    for covered in inside.values():
        assert_share(covered, least=0.93)


@pytest.mark.parametrize("name", ["average_precision", "recall@50"])
@pytest.mark.nightly
def test_models_that_are_equally_good_are_rarely_different(name):
    # pairs of items with the same label have their scores exchanged
    n, small = 2000, []
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n // 2) < 20, 2)
    a = rng.normal(2.0 * y)
    b = a.reshape(-1, 2)[:, ::-1].ravel()
    for seed in range(runs(100)):
        plan = labels_to_collect(a, 250, t=50, random_state=seed)
        label = np.where(plan["to_label"], y, np.nan)
        result = RankingComparison(name, n_resamples=300).from_predictions(
            label, {"a": a, "b": b}, strata=plan
        )
        small.append(result.pvalue <= 0.05)
    assert_share(small, most=0.06)


def test_the_order_of_models_turns_the_difference():
    y, a, b = list_of("normal", 2)
    strata, label = sample_of("plan", y, a, b, 0)
    one, other = (
        RankingComparison().from_predictions(label, scores, strata=strata)
        for scores in ({"a": a, "b": b}, {"b": b, "a": a})
    )
    assert one.difference == pytest.approx(-other.difference)
    assert one.pvalue == pytest.approx(other.pvalue, abs=0.02)
    low, high = one.confidence_interval()
    assert (-high, -low) == pytest.approx(tuple(other.confidence_interval()), abs=0.02)
    equal = RankingComparison().from_predictions(label, {"a": a, "b": a}, strata=strata)
    assert equal.difference == 0
    assert tuple(equal.confidence_interval()) == (0, 0)
    assert equal.pvalue == 1
    assert (
        "There is no significant difference in average_precision between a and b"
        in equal.conclusion()
    )


@pytest.mark.parametrize(
    ("alternative", "expected"), [("greater", 0.0), ("less", 1.0), ("two-sided", 0.0)]
)
def test_labels_that_decide_leave_no_doubt(alternative, expected):
    """Judge: all labels of the other items give the same difference of hits."""
    y, a, b = list_of("reversed", 3)
    plan = labels_to_compare({"b": b, "a": a}, t=50)
    label = np.where(plan["to_label"], y, np.nan)
    test = RankingComparison("precision@50", alternative=alternative)
    result = test.from_predictions(label, {"b": b, "a": a}, strata=plan)
    rng, metric = np.random.default_rng(0), make_metric("precision@50")
    for _ in range(20):
        full = np.where(np.isnan(label), rng.random(1000) < rng.random(), label)
        difference = metric(full, b) - metric(full, a)
        assert result.difference == pytest.approx(difference)
    assert result.pvalue == expected
    assert result.to_frame()["difference"].tolist() == [result.difference]
    assert np.isnan(result.value_a)  # the hits that both have are not known
    scores = {"b": b, "a": a, "same": b}
    table = RankingComparison("precision@50").compare_all(label, scores, strata=plan)
    assert table.leaderboard().names[-1] == "a"
    limits = (result.difference,) * 2 if alternative == "two-sided" else None
    if limits:
        assert tuple(result.confidence_interval()) == pytest.approx(limits)
        assert "which the labels decide" in result.conclusion()
    with pytest.raises(ValueError, match="two labelled items each for recall"):
        RankingComparison("recall@50").from_predictions(
            label, {"a": a, "b": b}, strata=plan
        )


def test_all_pairs_and_the_leaderboard():
    y, a, b = list_of("normal", 4, n=2000, m=100)
    scores = {"a": a, "b": b, "random": np.random.default_rng(9).normal(size=2000)}
    plan = labels_to_collect(scores, 800)
    label = np.where(plan["to_label"], y, np.nan)
    table = RankingComparison().compare_all(label, scores, strata=plan)
    assert [one.names for one in table.comparisons] == [
        ("a", "b"),
        ("a", "random"),
        ("b", "random"),
    ]
    alone = RankingComparison().from_predictions(
        label, {"a": a, "random": scores["random"]}, strata=plan
    )
    assert table.comparisons[1].difference == pytest.approx(alone.difference)
    board = table.leaderboard()
    assert board.names[-1] == "random"
    assert board.rank_low[-1] == 3
    assert "800 labelled" in str(table)
    assert "800 labelled" in str(alone)
    best = RankingComparison().compare_all(
        label, scores, strata=plan, baseline="random"
    )
    assert len(best.comparisons) == 2


def test_estimators_and_frames_are_accepted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(900, 3))
    y = (x[:, 0] + rng.normal(size=900) > 1.8).astype(int)
    models = {
        "linear": LogisticRegression().fit(x[:300], y[:300]),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0).fit(
            x[:300], y[:300]
        ),
    }
    scores = pd.DataFrame(
        {
            "linear": models["linear"].decision_function(x[300:]),
            "tree": models["tree"].predict_proba(x[300:])[:, 1],
        }
    )
    plan = labels_to_collect(scores, 200)
    label = pd.Series(y[300:]).where(plan["to_label"]).astype("Int64")
    ask, pair = SampledMetricInterval("recall@50"), RankingComparison("recall@50")
    expected = ask.from_predictions(label, scores, strata=plan)
    found = ask.from_estimator(models, x[300:], label, strata=plan)
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    one = pair.from_predictions(label, scores, strata=plan)
    other = pair.from_estimator(models, x[300:], label, strata=plan["stratum"])
    assert one.to_dict() == other.to_dict()
    rankings = Rankings.from_sample(label, scores, strata=plan)
    assert pair.from_rankings(rankings).to_dict() == one.to_dict()
    alone = ask.from_rankings(rankings.only("tree"))
    assert alone.value == expected["tree"].value
    assert "200 labelled" in repr(rankings)


@pytest.mark.parametrize(
    "question",
    [
        RandomSelectionTest(),
        MetricInterval(),
        ThresholdChoice(recall=0.8),
        RankingReport(),
    ],
    ids=lambda one: type(one).__name__,
)
def test_other_questions_refuse_labels_of_a_sample(question):
    y, a, b = list_of("normal", 5)
    strata, label = sample_of("days", y, a, b, 0)
    rankings = Rankings.from_sample(label, a, strata=strata)
    with pytest.raises(
        ValueError, match="`y_true` must contain the labels of all items"
    ):
        question.from_rankings(rankings)
    for name in ("parts", "kind", "labels", "sizes"):
        with pytest.raises(ValueError, match="of all items here; got 802 of 1000"):
            getattr(rankings, name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "jackknife"}, "`method` must be 'auto' for labels of a sample"),
        ({"metric": "ndcg"}, "`metric` must be average_precision, recall@t"),
        ({"metric": make_metric("recall@9", "optimistic")}, "`metric` must be"),
        ({"strata": None}, "none missing"),
        ({"y_true": np.arange(1000) < 40}, "`strata` must be left out"),
        ({"clusters": np.arange(1000) // 2}, "`clusters` must be left out for labels"),
        ({"groups": np.arange(1000) // 500}, "`groups` must be left out for labels"),
    ],
)
def test_comparisons_that_cannot_be_made(change, message):
    y, a, b = list_of("normal", 6)
    strata, label = sample_of("days", y, a, b, 0)
    given = {"y_true": label, "y_score": {"a": a, "b": b}, "strata": strata}
    settings = {k: change.pop(k) for k in ("method", "metric") if k in change}
    with pytest.raises(ValueError, match=message):
        RankingComparison(**settings).from_predictions(**(given | change))


def test_a_plan_is_checked_against_the_labels_that_came_back():
    y, a, b = list_of("normal", 7)
    plan = labels_to_collect({"a": a, "b": b}, 200, random_state=1)
    label = np.where(plan["to_label"], y, np.nan)
    planned = np.flatnonzero(plan["to_label"])
    ask = SampledMetricInterval()
    whole = ask.from_predictions(label, a, strata=plan)
    by_column = ask.from_predictions(label, a, strata=plan["stratum"])
    assert whole.to_dict() == by_column.to_dict()
    gaps = label.copy()
    gaps[planned[-3:]] = np.nan
    with pytest.warns(UserWarning, match="3 of 200 planned items have no label"):
        ask.from_predictions(gaps, a, strata=plan)
    extra = label.copy()
    extra[np.flatnonzero(np.isnan(label))[:2]] = 1
    with pytest.warns(UserWarning, match="2 labelled items were not planned"):
        found = ask.from_predictions(extra, a, strata=plan)
    assert found.to_dict() == whole.to_dict()  # which are left out
