"""Intervals of several metrics and models: those of each, asked alone."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skrank import (
    MetricInterval,
    MetricIntervalResult,
    MetricIntervalTable,
    RankCounts,
    Rankings,
    SampledMetricInterval,
    make_metric,
)

RNG = np.random.default_rng(0)
Y = np.arange(400) < 30
SCORES = {"a": RNG.normal(1.5 * Y), "b": RNG.normal(1.0 * Y)}
METRICS = ["average_precision", "recall@50", "bedroc(alpha=20)", "max_f_score(beta=1)"]
DAY = np.arange(400) % 5


def same(one, other):
    """Whether two results print the same numbers."""
    return one.to_dict() == other.to_dict()


@pytest.mark.parametrize(
    "data", [{}, {"groups": DAY}, {"clusters": np.arange(400) // 2}]
)
def test_each_metric_of_each_model_as_if_it_were_alone(data):
    asked = {"n_resamples": 99, "random_state": 3}
    table = MetricInterval(METRICS, **asked).from_predictions(Y, SCORES, **data)
    assert [*table] == [(metric, name) for metric in METRICS for name in SCORES]
    for metric, name in table:
        alone = MetricInterval(metric, **asked).from_predictions(
            Y, SCORES[name], **data
        )
        assert same(table[metric, name], alone)
    frame = table.to_frame()
    columns = ["metric", "name", "value", "standard_error", "low", "high"]
    assert frame.columns.tolist() == columns
    for row, one in zip(frame.itertuples(), table.results.values(), strict=True):
        assert (row.metric, row.value) == (one.metric, one.value)
        assert (row.low, row.high) == one.confidence_interval()
        assert row.standard_error == one.standard_error


def test_a_list_makes_a_table_and_so_do_models():
    one = MetricInterval("recall@50").from_predictions(Y, SCORES["a"])
    assert isinstance(one, MetricIntervalResult)
    listed = MetricInterval(("recall@50",)).from_predictions(Y, SCORES["a"])
    assert [*listed] == [("recall@50", "model")]
    models = MetricInterval("recall@50").from_predictions(Y, SCORES)
    assert [*models] == [("recall@50", "a"), ("recall@50", "b")]
    for found in (listed["recall@50"], listed["model"], models["a"]):
        assert same(found, one)


def test_metrics_are_found_by_other_spellings():
    given = ["recall@5%", "max_f_score", "AP"]
    one = MetricInterval(given, n_resamples=99).from_predictions(Y, SCORES["a"])
    printed = ["recall@0.05", "max_f_score(beta=1)", "average_precision"]
    assert [metric for metric, _ in one] == printed
    for spelling, name in zip(given, printed, strict=True):
        assert one[spelling] is one[spelling, "model"] is one[name]


def test_names_that_several_results_have():
    table = MetricInterval(METRICS[:2]).from_predictions(Y, SCORES)
    for key, count in (("a", 2), ("recall@50", 2), ("recall", 0), (("a",), 0)):
        with pytest.raises(KeyError, match=f"name of {count} results; the names are"):
            table[key]


@pytest.mark.parametrize(
    ("given", "metrics", "heads"),
    [
        (SCORES, METRICS, ["metric", "model"]),
        (SCORES["a"], METRICS, ["metric"]),
        (SCORES, "recall@50", ["model"]),
    ],
)
def test_print(given, metrics, heads):
    table = MetricInterval(metrics, n_resamples=99).from_predictions(Y, given)
    title, size, header, *rows = str(table).splitlines()
    what = "4 metrics" if isinstance(metrics, list) else "recall@50"
    assert title == f"Intervals of {what}"
    assert size.split() == [
        "ranking",
        "400",
        "items,",
        "30",
        "targets",
        "(prevalence",
        "0.075)",
    ]
    assert header.split() == [*heads, "value", "std", "error", "low", "high"]
    assert len(rows) == len(table.results)
    for row, one in zip(rows, table.results.values(), strict=True):
        low, high = one.confidence_interval()
        printed = [float(cell) for cell in row.split()[len(heads) :]]
        right = [one.value, one.standard_error, low, high]
        assert printed == pytest.approx(right, abs=5e-4)
    for text in (table.to_html(), table.to_latex(), table._repr_html_()):
        assert "Intervals of" in text


def test_metrics_of_other_groups():
    # precision counts groups without targets
    group = np.where(Y, np.arange(400) % 3, np.arange(400) % 4)
    with pytest.warns(UndefinedMetricWarning, match="1 of 4 groups have no targets"):
        table = MetricInterval(["average_precision", "precision@3"]).from_predictions(
            Y, SCORES["a"], groups=group
        )
    n = np.count_nonzero(group < 3)
    assert str(table).splitlines()[1:3] == [
        f"  3 groups  {n} items, 30 targets (prevalence {30 / n:.4g}): "
        "average_precision",
        "  4 groups  400 items, 30 targets (prevalence 0.075): precision@3",
    ]


def test_other_entrances():
    X = np.column_stack([*SCORES.values()])
    models = {"nb": GaussianNB(), "knn": KNeighborsClassifier(9)}
    question = MetricInterval(METRICS[:2])
    table = question.from_cv(models, X, Y)
    alone = MetricInterval("recall@50").from_cv(models["knn"], X, Y)
    assert same(table["recall@50", "knn"], alone)
    counts = RankCounts.from_predictions(Y, SCORES["a"])
    counted = question.from_predictions(counts)
    right = MetricInterval("recall@50").from_predictions(Y, SCORES["a"])
    assert same(counted["recall@50"], right)
    classes = Rankings.from_classes(
        DAY, np.eye(5)[DAY] + RNG.normal(size=(400, 5)), classes=range(5)
    )
    assert len(question.from_rankings(classes).results) == 10


@pytest.mark.parametrize("kind", [MetricInterval, SampledMetricInterval])
def test_settings_of_several_metrics(kind):
    question = kind(METRICS[:2])
    assert question.get_params()["metric"] is question.metric
    assert clone(question).metric == METRICS[:2]
    assert repr(question).startswith(f"{kind.__name__}(metric=['average_precision', ")
    assert question.set_params(metric="recall@50").metric == "recall@50"
    for metrics, rule in (
        ([], "`metric` must name one metric or more"),
        (["recall@50", "recall@50"], "have different printed names; got 'recall@50'"),
        (["recall@5%", "recall@0.05"], "different printed names; got 'recall@0.05'"),
        (["recall@50", "auc"], "`metric` must name a metric"),
        ([["recall@50"]], "`metric` must name a metric"),
        ({"recall@50"}, "`metric` must name a metric"),
    ):
        with pytest.raises(ValueError, match=rule):
            kind(metrics)


def test_settings_must_fit_each_metric():
    with pytest.raises(ValueError, match=r"for max_f_score\(beta=1\); got 'jackk"):
        MetricInterval(METRICS, method="jackknife")
    own = make_metric("average_precision", ties="pessimistic")
    score = np.round(SCORES["a"])
    found = MetricInterval([own, "recall@50"]).from_predictions(Y, score)
    assert same(found["AP"], MetricInterval(own).from_predictions(Y, score))
    with pytest.raises(ValueError, match="`ties` must be left out for a metric object"):
        MetricInterval([own, "recall@50"], ties="optimistic")


def test_labels_of_a_sample():
    """Judge: the answers of one metric and one model, by the same seed."""
    y = np.where(DAY < 2, Y, math.nan)
    metrics = ["average_precision", "recall@50", "precision@20"]
    strata = np.zeros(400)
    table = SampledMetricInterval(metrics, n_resamples=200).from_predictions(
        y, SCORES, strata=strata
    )
    assert isinstance(table, MetricIntervalTable)
    assert [*table] == [(metric, name) for metric in metrics for name in SCORES]
    for metric in metrics:
        question = SampledMetricInterval(metric, n_resamples=200)
        alone = question.from_predictions(y, SCORES, strata=strata)
        for name in SCORES:
            assert same(table[metric, name], alone[name])
    assert str(table).startswith(
        "Intervals of 3 metrics from a sample of labels\n  list "
    )
    assert table.to_frame().columns.tolist() == [
        "metric",
        "name",
        "value",
        "low",
        "high",
    ]
    again = SampledMetricInterval(metrics, n_resamples=200).from_result(
        table["recall@50", "a"]
    )
    assert [*again] == [(metric, "a") for metric in metrics]
    plan = None
    with pytest.raises(ValueError, match="`metric` must be a single metric here"):
        SampledMetricInterval(metrics).expected_width(
            plan, average_precision=0.5, prevalence=0.1
        )
