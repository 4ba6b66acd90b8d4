"""Properties that metrics share, as one table: a metric that is not in it fails."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

import oracles
import skrank.metrics
from cases import ALL, TIES, WITHOUT_TIES, metric_function, metric_of, oracle_settings

# undefined for targets alone: their definitions divide by zero there
NEED_BOTH = {"bedroc", "bedroc alpha=3", "ks_statistic", "specificity@4"}
NEED_BOTH |= {"log_auc fpr=0.2"}


def weights(alpha):
    """Exponential weights of the 30 ranks below."""
    return np.exp(-alpha * np.arange(1, 31) / 30)


def rie_of_targets_first(alpha):
    return weights(alpha)[:5].mean() / weights(alpha).mean()


def bedroc_of_weight(mean_weight, alpha):
    worst, best = weights(alpha)[-5:].mean(), weights(alpha)[:5].mean()
    return (mean_weight - worst) / (best - worst)


def log_auc_of_tie(fpr):
    """Mean over 0 to 25 non-targets above a target."""
    return np.mean(np.log(np.maximum(np.arange(26) / 25, fpr)) / np.log(fpr))


# 5 targets at the top of 30 items, by definition; 1 by the metrics that are not here
PERFECT = {
    "average_precision@4 relevant": 4 / 5,
    "recall@4": 4 / 5,
    "precision@0.5": 5 / 15,
    "enrichment_factor@4": 6,
    "enrichment_factor@0.3": (5 / 9) / (5 / 30),
    "expected_profit@4": 4 * 3 - 4 * 0.5,
    "expected_profit@0.5": 5 * 2 - 15 * 1,
    "rie": rie_of_targets_first(20),
    "rie alpha=3": rie_of_targets_first(3),
    "k_at_recall(0.5)": 3,
    "k_at_recall(0.3)": 2,
    "wss(0.5)": 0.5 - 3 / 30,
}
DISCOUNTS = 1 / np.log2(np.arange(1, 31) + 1)
# 5 targets in a tie of 30 items: "expected" (None: see the enumerations), "together"
CONSTANT = {
    "recall@4": (4 / 30, 1),
    "recall@4 min": (5 / 30, 1),
    "precision@4": (5 / 30, 5 / 30),
    "precision@0.5": (5 / 30, 5 / 30),
    "enrichment_factor@4": (1, 1),
    "enrichment_factor@0.3": (1, 1),
    "expected_profit@4": (4 * 3 / 6 - 4 * 0.5, 5 * 3 - 30 * 0.5),
    "expected_profit@0.5": (15 * 2 / 6 - 15 * 1, 5 * 2 - 30 * 1),
    "reciprocal_rank": (None, 1 / 30),
    "ndcg": (None, 5 / math.log2(31) / DISCOUNTS[:5].sum()),
    "ndcg@4": (5 / 30, 5 / math.log2(31) / DISCOUNTS[:5].sum()),
    "rie": (1, weights(20)[-1] / weights(20).mean()),
    "rie alpha=3": (1, weights(3)[-1] / weights(3).mean()),
    "bedroc": tuple(
        bedroc_of_weight(weight, 20) for weight in (weights(20).mean(), weights(20)[-1])
    ),
    "bedroc alpha=3": tuple(
        bedroc_of_weight(weight, 3) for weight in (weights(3).mean(), weights(3)[-1])
    ),
    "log_auc fpr=0.2": (log_auc_of_tie(0.2), 0),
    "specificity@4": (26 / 30, 0),
    "max_f_score": (2 * 5 / (5 + 30), 2 * 5 / (5 + 30)),
    "max_f_score beta=2": (5 * 5 / (4 * 5 + 30), 5 * 5 / (4 * 5 + 30)),
    "breakeven_point": (5 / 30, 5 / 30),
    "recall_at_precision(0.4)": (0, 0),
    "r_precision": (5 / 30, 5 / 30),
    "k_at_recall(0.5)": (3 * 31 / 6, 30),
    "k_at_recall(0.3)": (2 * 31 / 6, 30),
    "wss(0.5)": (0.5 - 3 * 31 / 6 / 30, 0.5 - 1),
    "ks_statistic": (0, 0),
}
# not raised by a hit that moves up
NOT_MONOTONE = {"average_precision@4 hits"}
SMALLER_IS_BETTER = {"k_at_recall(0.5)", "k_at_recall(0.3)"}
# without a hit in six items; 0 by the metrics that are not here
WORST = {
    **dict.fromkeys(SMALLER_IS_BETTER, math.inf),
    "expected_profit@4": -4 * 0.5,
    "specificity@4": 1 - 4 / 6,
    "expected_profit@0.5": -3 * 1,
    "wss(0.5)": 0.5 - 1,
}

rng = np.random.default_rng(0)
Y_TRUE = rng.permutation(np.repeat([1, 0], [5, 25]))
Y_SCORE = rng.integers(0, 12, Y_TRUE.size) / 12

all_cases = pytest.mark.parametrize("case", ALL)


def test_every_metric_is_in_the_table():
    assert {name for name, _ in ALL.values()} == set(skrank.metrics.__all__)
    exceptions = PERFECT.keys() | CONSTANT.keys() | NOT_MONOTONE | SMALLER_IS_BETTER
    assert set(ALL) >= exceptions


@all_cases
def test_neither_the_order_of_items_nor_a_rising_map_of_scores_matters(case):
    metric = metric_function(case)
    shuffled = np.random.default_rng(1).permutation(Y_TRUE.size)
    for ties in TIES:
        value = metric(Y_TRUE, Y_SCORE, ties=ties)
        assert metric(Y_TRUE[shuffled], Y_SCORE[shuffled], ties=ties) == value
        for rising in (np.exp, lambda s: 3 * s - 100, np.cbrt):
            assert metric(Y_TRUE, rising(Y_SCORE), ties=ties) == value


@all_cases
def test_perfect_ranking(case):
    y_score = Y_TRUE + np.linspace(0, 0.5, 30)
    for ties in TIES:
        value = metric_function(case)(Y_TRUE, y_score, ties=ties)
        assert value == pytest.approx(PERFECT.get(case, 1.0))


@all_cases
def test_constant_score(case):
    constant = np.zeros(Y_TRUE.size)
    expected, whole = CONSTANT.get(case, (None, 5 / 30))
    value = metric_function(case)(Y_TRUE, constant, ties="together")
    assert value == pytest.approx(whole, rel=1e-12)
    if expected is not None:
        assert metric_function(case)(Y_TRUE, constant) == pytest.approx(expected)


@all_cases
def test_tie_rules_are_in_order_and_agree_without_ties(case):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 30))
        y_true, y_score = rng.permutation(n) < 2, rng.integers(2, 10, size=n)
        if case not in NOT_MONOTONE:
            low, mean, high = (
                metric_function(case)(y_true, y_score, ties=ties)
                for ties in ("pessimistic", "expected", "optimistic")
            )
            if case in SMALLER_IS_BETTER:
                low, high = high, low
            assert low <= mean + 1e-12 <= high + 2e-12
        untied = y_score + np.arange(n) / (2 * n)
        values = [metric_function(case)(y_true, untied, ties=ties) for ties in TIES]
        assert_allclose(values, values[0], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("case", [case for case in ALL if case not in NOT_MONOTONE])
def test_a_hit_that_moves_up_never_harms(case):
    metric = metric_function(case)
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n, ties = int(rng.integers(6, 30)), TIES[seed % 4]
        order, y_score = rng.permutation(n) < 3, np.arange(n, 0, -1.0)
        before = metric(order, y_score, ties=ties)
        below = rng.choice(np.flatnonzero(order[1:])) + 1  # may be a hit below a hit
        order[[below - 1, below]] = order[[below, below - 1]]
        gained = metric(order, y_score, ties=ties) - before
        assert (-gained if case in SMALLER_IS_BETTER else gained) >= -1e-12


def test_over_hits_is_not_monotone():
    # one hit at rank 1 beats hits at ranks 2 to 5
    score = np.arange(9, 0, -1.0)
    one, four = [1, 0, 0, 0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 0, 0, 0, 0]
    over_hits = {"k": 5, "normalize": "hits"}
    assert skrank.average_precision_at_k(one, score, **over_hits) == 1.0
    assert skrank.average_precision_at_k(four, score, **over_hits) < 0.75


def test_rounding_does_not_step_over_one():
    y_true = np.repeat([1, 0], [22, 60])
    y_score = np.repeat([1.0, 0.0], [40, 42])
    for k in range(1, 23):
        value = skrank.average_precision_at_k(y_true, y_score, k=k, ties="optimistic")
        assert value <= 1.0


# Kinds of input

LABELS = {
    "list": Y_TRUE.tolist(),
    "bool": Y_TRUE.astype(bool),
    "signs": 2 * Y_TRUE - 1,
    "float": Y_TRUE.astype(float),
    "float signs": 2.0 * Y_TRUE - 1,
    "uint8": Y_TRUE.astype(np.uint8),
    "object": Y_TRUE.astype(bool).astype(object),
    "pandas": pd.Series(Y_TRUE, index=np.arange(30)[::-1]),
    "nullable pandas": pd.Series(Y_TRUE, dtype="Int8"),
    "polars": pl.Series(Y_TRUE),
    "polars bool": pl.Series(Y_TRUE.astype(bool)),
}
SCORES = {
    "list": Y_SCORE.tolist(),
    "float32": Y_SCORE.astype(np.float32),
    "float16": Y_SCORE.astype(np.float16),
    "int": np.rint(12 * Y_SCORE).astype(int),
    "uint8": np.rint(12 * Y_SCORE).astype(np.uint8),
    "pandas": pd.Series(Y_SCORE, index=np.arange(30)[::-1]),
    "nullable pandas": pd.Series(Y_SCORE, dtype="Float64"),
    "polars": pl.Series(Y_SCORE),
    "not contiguous": np.column_stack([Y_SCORE, -Y_SCORE])[:, 0],
    "negative stride": Y_SCORE[::-1].copy()[::-1],
    "big endian": Y_SCORE.astype(">f8"),
}


def read_only(array):
    array = np.array(array)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("kind", LABELS)
def test_kinds_of_labels(kind):
    value = skrank.average_precision(Y_TRUE, Y_SCORE)
    assert skrank.average_precision(LABELS[kind], Y_SCORE) == value


@pytest.mark.parametrize("kind", SCORES)
def test_kinds_of_scores(kind):
    value = skrank.average_precision(Y_TRUE, Y_SCORE)
    assert skrank.average_precision(Y_TRUE, SCORES[kind]) == value


@all_cases
def test_a_float_is_returned_and_the_input_not_changed(case):
    weight = np.ones(Y_TRUE.size)
    arguments = read_only(Y_TRUE), read_only(Y_SCORE)
    value = metric_function(case)(*arguments, ties="together")
    assert type(value) is float
    if not metric_of(case).counts_ranks:  # which takes weights
        weighted = metric_function(case)(
            *arguments, ties="together", sample_weight=read_only(weight)
        )
        assert weighted == pytest.approx(value, rel=1e-12)


@all_cases
@pytest.mark.parametrize(
    ("labels", "target"),
    [(np.where(Y_TRUE, "ham", "spam"), "ham"), (Y_TRUE + 3, 4), (1 - Y_TRUE, 0)],
)
def test_pos_label_names_the_targets(case, labels, target):
    value = metric_function(case)(Y_TRUE, Y_SCORE)
    for kind in (np.asarray, list, pd.Series, pl.Series):
        assert metric_function(case)(kind(labels), Y_SCORE, pos_label=target) == value


# No value


@all_cases
def test_undefined_is_nan_with_a_warning(case):
    function, scores = metric_function(case), np.arange(6.0)
    lists = [[0] * 6, [-1] * 6, [False] * 6]
    if case in NEED_BOTH:
        lists.append([1] * 6)
    for labels in lists:
        with pytest.warns(UndefinedMetricWarning, match="is undefined") as record:
            assert math.isnan(function(labels, scores))
        assert record[0].filename.endswith("cases.py")  # the caller of the metric
        assert function(labels, scores, undefined=0) == 0.0  # without a warning
        with pytest.raises(
            ValueError, match="is undefined: `y_true` must contain .*; go"
        ):
            function(labels, scores, undefined="raise")


def test_undefined_with_weights():
    weight = [1.0, 0.3, 0.0, 0.1]
    with pytest.warns(UndefinedMetricWarning, match="contain targets; got none"):
        skrank.recall_at_t([0, 0, 1, 0], [1.0, 2, 3, 4], t=0.5, sample_weight=weight)
    with pytest.warns(UndefinedMetricWarning, match="nothing but targets"):
        skrank.ks_statistic([1, 1, 0, 1], [1.0, 2, 3, 4], sample_weight=weight)


@pytest.mark.parametrize("case", sorted(set(ALL) - NEED_BOTH))
@pytest.mark.parametrize("ties", TIES)
def test_targets_alone_have_a_value(case, ties):
    # judged by the definition, which needs no other items
    scores = [5.0, 4.0, 4.0, 2.0, 1.0, 1.0]
    settings = oracle_settings(case, 6)
    name = ALL[case][0]
    given = {} if name in WITHOUT_TIES else {"ties": settings.pop("ties", ties)}
    expected = oracles.value(
        [(1, 1), (2, 2), (1, 1), (2, 2)], name, **given, **settings
    )
    found = metric_function(case)([1] * 6, scores, **given)
    assert found == pytest.approx(float(expected))


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
@all_cases
def test_missed_targets_define_what_would_be_undefined(case):
    scores = np.arange(6.0)
    worst = WORST.get(case, 0.0)
    assert metric_function(case)([0] * 6, scores, n_missed=2) == worst
    least = 0 if case.startswith("wss") else 0.5
    assert metric_function(case)([1] * 6, scores, n_missed=2) >= least


@pytest.mark.parametrize("case", ALL)
def test_lower_is_better_is_the_negative_score(case):
    metric = metric_function(case)
    rng = np.random.default_rng(5)
    y, day = np.arange(60) % 6 == 0, np.arange(60) % 5
    for score in (rng.normal(size=60), rng.integers(0, 9, 60), rng.integers(0, 2, 60)):
        for given in ({}, {"groups": day}):
            lower = metric(y, score + 0.0, lower_is_better=True, **given)
            assert lower == metric(y, -score + 0.0, **given)
    least = rng.integers(0, 9, 60).astype("u1")  # has no negative values
    found = metric(y, least, lower_is_better=True)
    assert found == metric(y, -least.astype(float))
    ranking = skrank.Ranking.from_predictions(y, least)
    with pytest.raises(ValueError, match="`lower_is_better` must be left out where"):
        metric(ranking, lower_is_better=True)
    with pytest.raises(ValueError, match="`lower_is_better` must be"):
        metric(y, least, lower_is_better="no")
