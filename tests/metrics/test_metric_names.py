"""Metrics by their printed names; the judge is the function that a name stands for."""

import numpy as np
import pytest

import skrank
from cases import ALL, BY_VALUE, METRICS, named
from skrank import RandomSelectionNull, RandomSelectionTest
from skrank.metrics._definitions import METRICS as NAMES
from skrank.metrics._definitions import make_metric, make_null_metric


@pytest.fixture
def ranking():
    rng = np.random.default_rng(0)
    y_true = np.arange(40) < 9
    return y_true, np.round(rng.normal(y_true), 1)


@pytest.mark.parametrize("case", METRICS)
def test_a_name_is_the_function_with_its_settings(case, ranking):
    metric, settings = METRICS[case]
    name = named(metric, **settings)["metric"]
    result = RandomSelectionTest(name).from_predictions(*ranking)
    assert result.value == getattr(skrank, metric)(*ranking, **settings)


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
@pytest.mark.parametrize("case", ALL)
def test_a_name_is_callable_as_the_function_is(case, ranking):
    metric, settings = ALL[case]
    made = make_metric(named(metric, **settings)["metric"])
    function = getattr(skrank, metric)
    assert made(*ranking) == function(*ranking, **settings)
    assert made(*ranking, n_missed=3) == function(*ranking, **settings, n_missed=3)


@pytest.mark.parametrize("case", ALL)
def test_a_printed_name_is_taken_as_it_is_printed(case):
    metric, settings = ALL[case]
    made = make_metric(named(metric, **settings)["metric"])
    again = make_metric(made.name)
    assert again == made
    assert again.name == made.name
    assert make_metric(again) is again


@pytest.mark.parametrize("case", BY_VALUE)
def test_a_metric_without_a_null_distribution_says_so(case):
    metric, settings = BY_VALUE[case]
    name = named(metric, **settings)["metric"]
    for asked in (name, make_metric(name)):
        with pytest.raises(ValueError, match="must be one that has a null") as error:
            RandomSelectionTest(asked)
        assert "'recall', 'precision'" in str(error.value)
        assert repr(make_metric(name).name) in str(error.value)


@pytest.mark.parametrize("name", ["max_f_score", "breakeven_point"])
def test_a_tie_rule_for_what_retrieves_ties_whole_is_refused(name):
    assert make_metric(name, "together")([0, 1], [1, 2]) == 1
    with pytest.raises(ValueError, match="whose thresholds retrieve ties whole; got"):
        make_metric(name, "optimistic")


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("ap", "average_precision"),
        ("AP@50", "average_precision@50"),
        ("MAP", "average_precision"),
        ("recall@5%", "recall@0.05"),
        ("recall@.05", "recall@0.05"),
        ("recall@5e-2", "recall@0.05"),
        ("recall@1.0", "recall@1.0"),
        ("recall@100%", "recall@1.0"),
        ("precision_at_t@10", "precision@10"),
        ("P@10", "precision@10"),
        ("recall_at_10", "recall@10"),
        ("recall_at_.05", "recall@0.05"),
        ("average_precision_at_50", "average_precision@50"),
        ("R@10", "recall@10"),
        ("ef@1%", "enrichment_factor@0.01"),
        ("mrr", "reciprocal_rank"),
        ("ndcg@10", "ndcg@10"),
        ("bedroc", "bedroc(alpha=20)"),
        ("bedroc(alpha = 80.5)", "bedroc(alpha=80.5)"),
        ("average_precision@9(normalize=hits)", "average_precision@9(normalize=hits)"),
        ("average_precision@9(normalize=min)", "average_precision@9"),
        ("recall@9(normalize=min)", "recall@9(normalize=min)"),
        ("recall@9(normalize=relevant)", "recall@9"),
        ("Rprec", "r_precision"),
        (
            "expected_profit@5%(cost=5,benefit=200)",
            "expected_profit@0.05(benefit=200, cost=5)",
        ),
    ],
)
def test_what_is_understood(name, printed):
    assert make_null_metric(name).name == printed
    assert RandomSelectionNull(100, 5, name).metric == printed


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("max_f_score", "max_f_score(beta=1)"),
        ("k_at_recall(.8)", "k_at_recall(0.8)"),
        ("precision_at_recall(recall=0.8)", "precision_at_recall(0.8)"),
        ("recall_at_precision(.5)", "recall_at_precision(0.5)"),
        ("recall_at_precision(precision=1)", "recall_at_precision(1)"),
    ],
)
def test_what_is_understood_of_metrics_by_value(name, printed):
    assert make_metric(name).name == printed


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("precison@10", "did you mean 'precision@10'?"),
        ("precision10", "did you mean 'precision@10'?"),
        ("p10", "did you mean 'precision@10'?"),
        ("recall10%", "did you mean 'recall@10%'?"),
        ("EF1%", "did you mean 'enrichment_factor@1%'?"),
        ("AP50", "did you mean 'average_precision@50'?"),
        ("auprc", "see 'average_precision'"),
        ("average_precision_score", "see 'average_precision' with ties='together'"),
        ("lift", "have a cutoff, as in 'enrichment_factor@10'"),
        ("ndcg(k=10)", "must have no settings; got"),
        ("roc_auc", "see sklearn.metrics.roc_auc_score, which"),
        ("avg_precision", "did you mean 'average_precision'"),
        ("recal", "did you mean 'recall'"),
        ("xyz", "the metrics are average_precision, recall"),
        ("", "`metric` must name a metric; got ''"),
        ("a@b@c", "`metric` must name a metric"),
        (7, "`metric` must name a metric; got 7"),
        (None, "`metric` must name a metric; got None"),
        (
            "recall",
            "must have a cutoff, as in 'recall@10' or 'recall@5%'; got 'recall'",
        ),
        ("recall@x", "must have a number after '@'"),
        ("recall@-1", "`t` must be an int of at least 1"),
        ("recall@0", "`t` must be an int of at least 1"),
        ("recall@1.5", "`t` must be an int of at least 1"),
        ("average_precision@0%", "`k` must be an int of at least 1"),
        ("rie@10", "'rie' has no cutoff; got 'rie@10'"),
        (
            "rie(beta=2)",
            "`metric` must have no settings but alpha=...; got 'rie(beta=2)'",
        ),
        ("rie(alpha)", "no settings but alpha=..."),
        ("rie(alpha=x)", "must have a number as alpha"),
        ("rie(alpha=-2)", "`alpha` must be a finite number above 0"),
        ("recall@5(alpha=2)", "must have no settings but normalize=...; got"),
        ("recall@5(normalize=hits)", "`normalize` must be one of"),
        ("average_precision(normalize=hits)", "must have no settings; got"),
        ("average_precision@5(normalize=all)", "`normalize` must be one of"),
        ("k_at_recall", "must have a recall, as in 'k_at_recall(0.8)'; got 'k_at_rec"),
        ("precision_at_recall(80%)", "must have a number as recall"),
        (
            "expected_profit@9",
            "a benefit and a cost, as in 'expected_profit@20(benefit",
        ),
        ("expected_profit@9(benefit=2)", "must have a benefit and a cost, as in"),
        ("expected_profit(benefit=2, cost=1)", "must have a cutoff, as in"),
        ("expected_profit@9(7)", "no settings but benefit=... and cost=...; got"),
        ("expected_profit@9(cost=1, cost=2)", "no settings but benefit=... and"),
        ("expected_profit@9(benefit=0, cost=1)", "`benefit` must be a finite number a"),
        ("expected_profit@9(benefit=1, cost=-1)", "`cost` must be a finite number of"),
        ("max_f_score(2)", "no settings but beta=...; got 'max_f_score(2)'"),
    ],
)
def test_what_is_refused(name, message):
    with pytest.raises(
        ValueError, match="metric|`t`|`k`|`alpha`|`normalize`|`benefit`|`cost`"
    ) as error:
        RandomSelectionTest(name)
    assert message in str(error.value)


def test_a_measure_carries_its_tie_rule(ranking):
    metric = make_null_metric("average_precision", "optimistic")
    test = RandomSelectionTest(metric)
    assert test.ties == "optimistic"
    expected = RandomSelectionTest(ties="optimistic").from_predictions(*ranking)
    assert test.from_predictions(*ranking).value == expected.value


def test_all_names_are_those_of_metrics():
    needed = dict.fromkeys(("recall", "precision", "enrichment_factor"), "@3")
    needed |= dict.fromkeys(("specificity", "erf"), "@3")
    needed["expected_profit"] = "@3(benefit=2, cost=1)"
    by_value = ("k_at_recall", "precision_at_recall", "recall_at_precision")
    needed |= dict.fromkeys(by_value, "(0.5)")
    for name in NAMES:
        assert make_metric(name + needed.get(name, "")).name.startswith(name)
