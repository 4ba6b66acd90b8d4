"""Every refusal says the parameter, the rule, and what was got."""

from collections import deque
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.exceptions import UndefinedMetricWarning

import oracles
from skrank import (
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingComparison,
    SearchSelectionTest,
    average_precision,
    average_precision_at_k,
    bedroc,
    precision_at_t,
    recall_at_t,
    rie,
)
from skrank._utils._checks import check_cutoff, check_depth, check_generator

Y = [0, 1, 0, 1]
S = [0.1, 0.2, 0.3, 0.4]


@pytest.mark.parametrize(
    ("y_true", "y_score", "text"),
    [
        (Y, [0.1, np.nan, 0.3, 0.4], "`y_score` must be finite; got NaN or infinity"),
        (Y, [0.1, np.inf, 0.3, 0.4], "`y_score` must be finite; got NaN or infinity"),
        (Y, [0.1, -np.inf, 0.3, 0.4], "`y_score` must be finite; got NaN or infinity"),
        (Y, [[0.1, 0.2, 0.3, 0.4]], r"`y_score` must be one-dimensional; got shape"),
        (Y, np.ones((4, 2)), r"`y_score` must be one-dimensional, as the column y"),
        (Y, csr_array([S]), r"`y_score` must be one-dimensional; got csr_array"),
        (np.ones((4, 1)), S, r"`y_true` must be one-dimensional; got shape \(4, 1\)"),
        (Y, S[:3], "`y_score` must have as many items as `y_true`; got 3 and 4"),
        ([], [], "`y_true` must hold at least one item; got an empty list"),
        (Y, list("abcd"), "`y_score` must hold real numbers, none missing; got <U1"),
        (Y, [1j, 2, 3, 4], "`y_score` must hold real numbers, none missing; got comp"),
        (Y, [0.1, None, 0.3, "x"], "`y_score` must hold real numbers, none missing"),
        (
            Y,
            pd.Series([0.1, None, 0.3, 0.4], dtype="Float64"),
            "`y_score` must (hold real numbers, none missing|be finite)",
        ),
        (
            Y,
            [True, False, True, True],
            "`y_score` must rank the items.*got hard labels",
        ),
        (Y, [0, 1, 1, 0], r"`y_score` must rank.*; got hard labels, integers \{0, 1\}"),
        (
            Y,
            [-1, 1, 1, -1],
            r"`y_score` must rank.*got hard labels, integers \{-1, 1\}",
        ),
        (
            [0, 1, 2, 1],
            S,
            r"`y_true` must hold labels \{0, 1\}.*; got values from 0 to",
        ),
        ([-1, 0, 1, 1], S, r"`y_true` must hold labels \{0, 1\}.*; got values from -1"),
        ([0, 0.5, 1, 1], S, r"`y_true` must hold labels \{0, 1\}.*; got values from 0"),
        ([2, 1, 1, 2], S, r"`y_true` must hold labels \{0, 1\}.*; got values from 1"),
        ([0, np.nan, 1, 1], S, "`y_true` must hold labels of one kind, none missing"),
        ([True, None, True, False], S, "`y_true` must hold labels of one kind, none"),
        (["a", 1, "b", 0], S, "`y_true` must hold labels of one kind, none missing"),
        (
            ["a", np.nan, "b", "a"],
            S,
            "`y_true` must hold labels of one kind, none missi",
        ),
        (
            Y,
            ["0.1", "0.2", "0.3", "0.4"],
            "`y_score` must hold real numbers, none miss",
        ),
        (Y, np.array([0, 1, 1, 0], object), "`y_score` must rank.*; got hard labels"),
        (Y, np.ma.masked_less(S, 0.2), "`y_score` must have no masked items; got some"),
        (np.ma.masked_equal(Y, 0), S, "`y_true` must have no masked items; got some"),
        (
            np.array(["a", 1, "b", 0], object),
            S,
            "`y_true` must hold labels of one kind",
        ),
        (list("abab"), S, "`pos_label` must name the label.*; got pos_label=None and"),
    ],
)
def test_bad_lists(y_true, y_score, text):
    with pytest.raises(ValueError, match=text):
        average_precision(y_true, y_score)


def test_the_first_score_that_is_not_finite_is_named():
    with pytest.raises(ValueError, match=r"maximum inf\), first at position 2"):
        average_precision(Y, [0.1, 0.2, np.inf, -np.inf])


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        (object(), "one-dimensional; got object"),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, "one-dimensional; got dict"),
        (csr_matrix(S), "one-dimensional; got csr_matrix"),
        (pl.LazyFrame({"a": S}), r"in memory: give \w+.collect\(\); got LazyFrame"),
    ],
)
def test_what_is_no_column_is_named(values, rule):
    for ask in (average_precision, Ranking.from_predictions):
        with pytest.raises(ValueError, match=f"`y_score` must be .*{rule}"):
            ask(Y, values)
        with pytest.raises(ValueError, match=f"`y_true` must be .*{rule}"):
            ask(values, S)
    for given in ((Y, values), (values, S)):
        with pytest.raises(ValueError, match="`y_(true|score)` must .*; got "):
            RankCounts.from_arrays(*given)


def test_a_deque_is_a_column():
    labels, scores = deque(Y), deque(S)
    counts = RankCounts.from_arrays(labels, scores)
    assert average_precision(counts) == average_precision(labels, scores)


def test_columns_of_pandas_must_have_one_index():
    y_true = pd.Series(Y, index=np.arange(len(Y))[::-1])
    moved = pd.Series(S)
    for ask in (average_precision, RankCounts.from_arrays, Ranking.from_predictions):
        with pytest.raises(ValueError, match="`y_score` must have the index of `y_tr"):
            ask(y_true, moved)
    assert average_precision(y_true, S) == average_precision(Y, S)
    kept = pd.Series(S, index=y_true.index)
    assert average_precision(y_true, kept) == average_precision(Y, S)
    weights = pd.Series(np.arange(1.0, len(S) + 1))
    with pytest.raises(ValueError, match="`sample_weight` must have the index of `y_"):
        average_precision(y_true, S, sample_weight=weights)
    kinds = (
        pd.CategoricalIndex(list("abcd")),
        pd.MultiIndex.from_product([[1, 2], [None, 2]]),
        pd.Index([1, pd.NA, 3, 4], dtype="object"),
        pd.date_range("2026-01-01", periods=4, tz="UTC"),
    )
    for one, other in combinations(kinds, 2):
        with pytest.raises(ValueError, match="must have the index .* at position 0"):
            average_precision(pd.Series(Y, index=one), pd.Series(S, index=other))
        average_precision(pd.Series(Y, index=one), pd.Series(S, index=one))
    groups = pd.Series(np.zeros(len(S), dtype=int))
    with pytest.raises(ValueError, match="got 0 and 3 at position 0. Align them, or "):
        RandomSelectionTest().from_predictions(y_true, S, groups=groups)
    with pytest.raises(ValueError, match="`groups` must have the index of `y_true`"):
        RankingComparison().from_predictions(y_true, S, S, groups=groups)
    with pytest.raises(ValueError, match="`folds` must have the index of `y_true`"):
        SearchSelectionTest().from_predictions(y_true, {"a": S}, folds=groups)


TEXTS = ["hit", "miss", "hit", "miss"]
TEXT_COLUMNS = {
    **{
        f"pandas {dtype}": lambda labels, dtype=dtype: pd.Series(
            labels, dtype=dtype, index=np.arange(len(labels))[::-1]
        )
        for dtype in ("object", "string", "category")
    },
    **{
        f"polars {dtype}": lambda labels, dtype=dtype: pl.Series(labels, dtype=dtype)
        for dtype in (pl.String, pl.Categorical, pl.Enum(["hit", "miss", "other"]))
    },
    "objects": lambda labels: np.array(labels, dtype=object),
    "texts": lambda labels: np.array(labels),
}


@pytest.mark.parametrize("kind", TEXT_COLUMNS)
def test_texts_are_labels_in_any_column(kind):
    column = TEXT_COLUMNS[kind]
    expected = average_precision([1, 0, 1, 0], S)
    assert average_precision(column(TEXTS), S, pos_label="hit") == expected
    with pytest.warns(UndefinedMetricWarning, match="nothing but targets"):
        average_precision(column(["hit"] * 4), S, pos_label="hit")
    with pytest.warns(UndefinedMetricWarning, match="no targets"):
        average_precision(column(["miss"] * 4), S, pos_label="hit")
    refused = [
        (["hit", "miss", "hit", "other"], "must hold two labels, 'hit' and one other"),
        (["hit", None, "hit", "miss"], "none missing|must hold two labels"),
        (["hit", None, "hit", "hit"], "none missing|must hold labels"),
        ([None, "miss", "hit", "miss"], "none missing|must hold two labels"),
        ([], "at least one item"),
    ]
    for labels, message in refused:
        if kind == "texts" and None in labels:
            continue
        with pytest.raises(ValueError, match=message):
            average_precision(column(labels), S[: len(labels)], pos_label="hit")


def test_texts_and_others_are_not_mixed():
    for other in (1, pd.NA, np.nan):
        for column in (np.array, pd.Series):
            mixed = column(["hit", other, "hit", other], dtype=object)
            with pytest.raises(ValueError, match="one kind, none missing"):
                average_precision(mixed, S, pos_label="hit")


def test_masked_texts_are_refused():
    labels = np.ma.masked_array(TEXTS, mask=[True, False, False, False])
    with pytest.raises(ValueError, match="no masked items"):
        average_precision(labels, S, pos_label="hit")


def test_texts_in_a_column_of_data_frames_make_no_objects(monkeypatch):
    """Not even to tell the label of the others, as what counts chunks does."""
    column, convert = pd.Series(TEXTS, dtype="category"), pd.Series.__array__

    def of_few_or_bool(series, *args, **kwargs):
        assert series.size <= 1 or series.dtype == bool
        return convert(series, *args, **kwargs)

    monkeypatch.setattr(pd.Series, "__array__", of_few_or_bool)
    expected = average_precision([1, 0, 1, 0], S)
    assert average_precision(column, S, pos_label="hit") == expected
    counts = RankCounts.from_arrays(column, S, pos_label="hit", chunk_size=2)
    assert average_precision(counts) == expected


def test_hard_labels_may_rank_as_floats():
    exact = oracles.value([(2, 1), (2, 1)], "average_precision")
    assert average_precision(Y, [0.0, 1.0, 1.0, 0.0]) == pytest.approx(float(exact))


def test_constant_integers_are_scores():
    assert average_precision(Y, [1, 1, 1, 1]) == average_precision(Y, [7, 7, 7, 7])


@pytest.mark.parametrize(
    ("y_true", "pos_label", "text"),
    [
        (list("abca"), "a", r"`y_true` must hold two labels, 'a' and one other, as"),
        (list("abab"), "c", r"`pos_label` must be one of the labels in `y_true`; got"),
        (Y, 2, r"`pos_label` must be one of the labels in `y_true`; got pos_label=2"),
        (
            Y,
            "1",
            r"`pos_label` must be one of the labels in `y_true`; got pos_label='1",
        ),
        (Y, [1], r"`pos_label` must be one label; got \[1\]"),
        ([0, 1, 2, 3], 1, r"`y_true` must hold two labels, 1 and one other, as does"),
    ],
)
def test_unknown_labels(y_true, pos_label, text):
    with pytest.raises(ValueError, match=text):
        average_precision(y_true, S, pos_label=pos_label)


@pytest.mark.parametrize("t", [0, -1, 0.0, 1.5, -0.1, np.nan, True, "3", None, 2.0])
def test_bad_depth(t):
    text = "`t` must be an int of at least 1 .* or a float in .*; got"
    with pytest.raises(ValueError, match=text):
        recall_at_t(Y, S, t=t)


def test_depth_beyond_the_list():
    for metric in (recall_at_t, precision_at_t):
        assert metric(Y, S, t=4) > 0
        with pytest.raises(
            ValueError, match="`t` must not reach beyond .*; got t=5 for"
        ):
            metric(Y, S, t=5)
    with pytest.raises(
        ValueError, match="`k` must not reach beyond the ranking; got k"
    ):
        average_precision_at_k(Y, S, k=np.int64(9))


@pytest.mark.parametrize(
    ("n", "fraction", "items"),
    [(100, 0.07, 7), (100, 0.071, 8), (10, 0.01, 1), (3, 1.0, 3), (1000, 0.003, 3)],
)
def test_fractions_are_rounded_up(n, fraction, items):
    assert check_depth("t", fraction, n) == items
    assert check_depth("t", check_cutoff("t", np.float32(fraction)), n) == items


def test_depth_in_units_of_weight_allows_for_rounding():
    # ten weights of 0.1 are a little less than 1, and the first three more than 0.3
    y_true, weight = [0, 1, 0, 1, 0, 0, 0, 1, 0, 0], [0.1] * 10
    y_score = np.arange(10, 0, -1.0)
    assert sum(weight) < 1
    assert recall_at_t(y_true, y_score, t=1, sample_weight=weight) == pytest.approx(1)
    head = precision_at_t(
        y_true, y_score, t=0.3, sample_weight=weight, ties="threshold"
    )
    assert head == pytest.approx(1 / 3)


def test_tiny_weights_still_count():
    # scikit-learn gives 0.9999999999999: what weighs little is not nothing
    value = average_precision(
        [1, 0, 1, 0],
        [4.0, 3.0, 2.0, 1.0],
        ties="threshold",
        sample_weight=[1, 1e-13, 1, 1e-13],
    )
    assert value == pytest.approx(1.0, abs=1e-12)


def test_object_scores_keep_their_type():
    y_score = np.array([2**53, 2**53 + 1, 0], dtype=object)
    assert average_precision([0, 1, 0], y_score) == 1.0


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        ([1, 1, 1], "`sample_weight` must have as many items as `y_true`; got 3 and 4"),
        (
            [1, 1, -1, 1],
            "`sample_weight` must be finite, not negative.*; got minimum -1",
        ),
        (
            [0, 0, 0, 0],
            "`sample_weight` must be finite, not negative, and not all zero",
        ),
        ([1, np.nan, 1, 1], "`sample_weight` must be finite, not negative, .*got min"),
        ([1, np.inf, 1, 1], "`sample_weight` must be finite, not negative, .*got min"),
        (["a", "b", "c", "d"], "`sample_weight` must hold real numbers, none missing"),
    ],
)
def test_bad_weights(weight, text):
    with pytest.raises(ValueError, match=text):
        average_precision(Y, S, ties="threshold", sample_weight=weight)


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        (
            {"ties": "random"},
            "`ties` must be one of 'expected', 'threshold', .*; got 'ra",
        ),
        ({"n_missed": -1}, "`n_missed` must be an int of at least 0; got -1"),
        ({"n_missed": 1.5}, "`n_missed` must be an int of at least 0; got 1.5"),
        ({"undefined": "nan"}, "`undefined` must be a number or \"raise\"; got 'nan'"),
    ],
)
def test_bad_settings(kwargs, text):
    with pytest.raises(ValueError, match=text):
        average_precision(Y, S, **kwargs)


def test_bad_normalize():
    with pytest.raises(
        ValueError, match="`normalize` must be one of 'min', 'relevant'"
    ):
        average_precision_at_k(Y, S, k=2, normalize="max")


@pytest.mark.parametrize("metric", [rie, bedroc])
@pytest.mark.parametrize("alpha", [0, -1.0, np.nan, np.inf, True, "20"])
def test_bad_alpha(metric, alpha):
    text = f"`alpha` must be a finite number above 0; got {alpha!r}"
    with pytest.raises(ValueError, match=text):
        metric(Y, S, alpha=alpha)


def test_pos_label_absent_from_one_class_means_no_targets():
    assert recall_at_t(["a"] * 3, [1.0, 2, 3], t=1, pos_label="b", undefined=-1) == -1


def test_random_state_in_all_its_forms():
    draws = [check_generator(s).random() for s in (3, np.int64(3))]
    assert draws[0] == draws[1]
    legacy = [check_generator(np.random.RandomState(3)).random() for _ in range(2)]
    assert legacy[0] == legacy[1]
    generator = np.random.default_rng(1)
    assert check_generator(generator) is generator
    assert check_generator(None).random() != check_generator(None).random()
    for bad in ("3", -1, 1.5):
        with pytest.raises(ValueError, match="`random_state` must be None, a non-neg"):
            check_generator(bad)


def test_settings_of_the_test_are_checked_at_once():
    for kwargs, text in (
        (
            {"metric": "auc"},
            "`metric` must name a metric; got 'auc': the metrics are ",
        ),
        ({"metric": "recall"}, "`metric` must have a cutoff, as in 'recall@10'"),
        ({"ties": "first"}, "`ties` must be one of 'expected', "),
        ({"method": "true"}, "`method` must be one of 'auto', .*; got 'true'"),
        ({"alternative": "more"}, "`alternative` must be one of 'greater', 'less', "),
        ({"n_resamples": 0}, "`n_resamples` must be an int of at least 1; got 0"),
    ):
        with pytest.raises(ValueError, match=text):
            RandomSelectionTest(**kwargs)
