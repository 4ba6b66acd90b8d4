"""Every refusal says the parameter, the rule, and what was got."""

import re
import warnings
from collections import deque
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import oracles
from skrank import (
    HitCurveDisplay,
    MetricInterval,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingComparison,
    RankingEvaluation,
    Rankings,
    average_precision,
    average_precision_at_k,
    bedroc,
    make_average_precision_scorer,
    precision_at_t,
    recall_at_t,
    rie,
)
from skrank._utils._checks import check_cutoff, check_depth, check_generator

pytestmark = pytest.mark.contract

Y = [0, 1, 0, 1]
S = [0.1, 0.2, 0.3, 0.4]
NOT_FINITE = "`y_score` must be finite; got "
NO_NUMBERS = "`y_score` must contain real numbers, none missing; got "
HARD_LABELS = "`y_score` must rank the items.*; got hard labels, "
ONE_KIND = "`y_true` must contain labels of one kind, none missing; got "
TWO_LABELS = (
    r"`pos_label` must name the label .* not \{0, 1\}, .* or bool; got None for labels "
)


@pytest.mark.parametrize(
    ("y_true", "y_score", "text"),
    [
        (Y, [0.1, np.nan, 0.3, 0.4], NOT_FINITE + "1 NaN and 0 infinite of 4, the fir"),
        (Y, [0.1, 0.2, np.inf, -np.inf], NOT_FINITE + "0 NaN and 2 inf.* position 2"),
        (Y, pd.Series([0.1, None, 0.3, 0.4], dtype="Float64"), NOT_FINITE),
        (Y, [0.1, None, 0.3, "x"], NO_NUMBERS),
        (Y, list("abcd"), NO_NUMBERS + "'a' at position 0"),
        (Y, ["0.1", "0.2", "0.3", "0.4"], NO_NUMBERS),
        (Y, [1j, 2, 3, 4], NO_NUMBERS + "complex128"),
        (Y, [True, False, True, True], HARD_LABELS + "booleans"),
        (Y, [0, 1, 1, 0], HARD_LABELS + r"integers \{0, 1\}"),
        (Y, [-1, 1, 1, -1], HARD_LABELS + r"integers \{-1, 1\}"),
        (Y, np.array([0, 1, 1, 0], object), HARD_LABELS),
        (Y, [[0.1, 0.2, 0.3, 0.4]], r"`y_score` must be one-dimensional; got shape"),
        (Y, np.ones((4, 2)), r"`y_score` must be one-dimensional, as the column y_sco"),
        (Y, np.ones((4, 3)), r"`y_score` must be one-dimensional; got shape \(4, 3\)"),
        (Y, csr_array([S]), r"`y_score` must be one-dimensional; got csr_array"),
        (Y, S[:3], "`y_score` must have as many items as `y_true`; got 3 and 4"),
        ([], [], "`y_true` must contain at least one item; got none"),
        ([0, 1, 2, 1], S, TWO_LABELS + r"0 \(1\), 2 \(1\), 1 \(2\). For grades give"),
        ([-1, 0, 1, 1], S, TWO_LABELS + r"-1 \(1\), 0 \(1\), 1 \(2\)"),
        ([0, 0.5, 1, 1], S, TWO_LABELS + r"0 \(1\), 0.5 \(1\), 1 \(2\).$"),
        ([2, 1, 1, 2], S, TWO_LABELS + r"1 \(2\), 2 \(2\)"),
        ([0, np.nan, 1, np.nan], S, ONE_KIND + "2 missing, the first at position 1"),
        ([True, None, True, False], S, ONE_KIND + "1 missing, the first at position 1"),
        (["a", 1, "b", 0], S, ONE_KIND + "labels of int, str"),
        (["a", np.nan, "b", "nan"], S, ONE_KIND + "1 missing, the first at position 1"),
        (np.array(["a", 1, "b", 0], object), S, ONE_KIND),
        (Y, np.ma.masked_less(S, 0.2), "`y_score` must have no masked items; got some"),
        (np.ma.masked_equal(Y, 0), S, "`y_true` must have no masked items; got some"),
        (list("abab"), S, "`pos_label` must name the label.*; got None for labels"),
    ],
)
def test_bad_columns(y_true, y_score, text):
    with pytest.raises(ValueError, match=text):
        average_precision(y_true, y_score)


@pytest.mark.parametrize("labels", [[0, 1] * 20, [False, True] * 20, [0.0, 1.0] * 20])
def test_arguments_that_are_swapped_look_so(labels):
    y_score = np.random.default_rng(0).random(40)
    assert average_precision(labels, y_score) > 0
    with pytest.raises(ValueError, match="labels as scores: the two look swapped"):
        average_precision(y_score, labels)


@pytest.mark.parametrize(
    ("values", "got"),
    [
        (object(), "object"),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, "dict"),
        (csr_matrix(S), "csr_matrix"),
        (pl.LazyFrame({"a": S}), "LazyFrame"),
    ],
)
def test_what_is_no_column_is_named(values, got):
    for ask in (average_precision, Ranking.from_predictions):
        with pytest.raises(ValueError, match=f"`y_score` must be one-dim.*; got {got}"):
            ask(Y, values)
        with pytest.raises(ValueError, match=f"`y_true` must be one-dim.*; got {got}"):
            ask(values, S)


@pytest.mark.parametrize(
    ("y_scores", "text"),
    [
        (np.c_[S, 1 - np.array(S)], "`y_score` must have a column .*two columns that"),
        (
            pd.DataFrame({"no": S, "yes": 1 - np.array(S)}),
            "got two columns that sum to 1",
        ),
        ([S, S], r"`y_score` must be one-dimensional; got shape \(2, 4\)"),
        (np.array(S), "`y_score` must contain 2 or more rankings; got 1"),
        ({"1": S, 1: S}, "`y_score` must have different names, also as text"),
        (
            pd.DataFrame([[s, s] for s in S], columns=["x", "x"]),
            r"different names, also as text; got \['x', 'x'\]",
        ),
        ({"1": S}, "`y_score` must contain 2 or more rankings; got 1"),
        ({"a": S, "b": S[1:]}, r"`y_score`\['b'\] must have as many items as `y_true`"),
        ({"a": S, "b": Y}, r"`y_score`\['b'\] must rank the items.*got hard labels"),
        ({"a": S, "b": [np.nan] * 4}, r"`y_score`\['b'\] must be finite; got 4 NaN"),
    ],
)
def test_bad_tables(y_scores, text):
    with pytest.raises(ValueError, match=text):
        RankingComparison().compare_all(Y, y_scores)


@pytest.mark.parametrize(
    "table", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=range(4)
)
def test_columns_of_a_table_are_models(table):
    # near 2**60 the next float is 256 away
    large = 2**60 + np.array([2, 4, 6, 8])
    rankings = Rankings.from_predictions(Y, table({"a": S, "large": large}))
    assert rankings.names == ("a", "large")
    for one in rankings.parts[0]:
        assert average_precision(one) == average_precision(Y, S)
    array = Rankings.from_predictions(Y, np.c_[S, -np.array(S)])
    assert array.names == (0, 1)


def test_a_deque_is_a_column():
    labels, scores = deque(Y), deque(S)
    counts = RankCounts.from_predictions(labels, scores)
    assert average_precision(counts) == average_precision(labels, scores)


def test_columns_of_pandas_must_have_one_index():
    y_true = pd.Series(Y, index=np.arange(len(Y))[::-1])
    moved = pd.Series(S)
    for ask in (
        average_precision,
        RankCounts.from_predictions,
        Ranking.from_predictions,
    ):
        with pytest.raises(ValueError, match="`y_score` must have the index of `y_tr"):
            ask(y_true, moved)
    assert average_precision(y_true, S) == average_precision(Y, S)
    kept = pd.Series(S, index=y_true.index)
    assert average_precision(y_true, kept) == average_precision(Y, S)
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
    others = pd.Series(np.ones(len(S), dtype=int))
    with pytest.raises(ValueError, match="`sample_weight` must have the index of `y_t"):
        average_precision(y_true, S, sample_weight=others)
    with pytest.raises(ValueError, match="got 0 and 3 at position 0. Align them, or "):
        RandomSelectionTest().from_predictions(y_true, S, groups=others)


# Labels

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
    "list": list,
}


@pytest.mark.parametrize("kind", TEXT_COLUMNS)
def test_texts_are_labels_in_any_column(kind):
    column = TEXT_COLUMNS[kind]
    expected = average_precision([1, 0, 1, 0], S)
    assert average_precision(column(TEXTS), S, pos_label="hit") == expected
    assert average_precision(column(["hit"] * 4), S, pos_label="hit") == 1.0
    with pytest.warns(UndefinedMetricWarning, match="contain targets; got none"):
        average_precision(column(["miss"] * 4), S, pos_label="hit")
    several = column(["hit", "miss", "hit", "other"])
    assert average_precision(several, S, pos_label="hit") == expected
    with pytest.raises(ValueError, match=r"labels 'miss' \(1\), 'other' \(1\), 'hit'"):
        average_precision(several, S)
    if kind != "texts":
        with pytest.raises(ValueError, match=ONE_KIND):
            average_precision(column(["hit", None, "hit", "miss"]), S, pos_label="hit")


@pytest.mark.parametrize(
    "groups",
    [
        [None, None, 1, 1],
        [1.0, np.nan, 1, 1],
        ["a", 1, "a", 1],
        [pd.NaT] * 4,
        np.array([np.nan, 1, 1, 1]),
        np.array(["NaT", "2026-01-01"] * 2, "M8[D]"),
        pd.Series(["a", None, "a", "a"], dtype="string"),
        pd.Series([1, None, 1, 1], dtype="Int64"),
    ],
    ids=range(8),
)
def test_groups_that_are_missing_or_mixed_are_refused(groups):
    message = "`groups` must contain labels of one kind, none missing; got "
    with pytest.raises(ValueError, match=message):
        RandomSelectionTest().from_predictions(Y, S, groups=groups)


@pytest.mark.parametrize(
    ("y_true", "pos_label", "text"),
    [
        (
            list("abab"),
            "c",
            r"one of the labels in `y_true`; got 'c' for labels 'a' \(2",
        ),
        (list("abca"), "d", r"got 'd' for labels 'b' \(1\), 'c' \(1\), 'a' \(2\)"),
        (
            Y,
            2,
            r"one of the labels in `y_true`; got 2 for labels [01] \(2\), [01] \(2\)",
        ),
        (Y, "1", r"must be one of the labels in `y_true`; got '1' for labels"),
        (Y, [1], r"`pos_label` must be one label; got \[1\]"),
    ],
)
def test_unknown_labels(y_true, pos_label, text):
    with pytest.raises(ValueError, match=text):
        average_precision(y_true, S, pos_label=pos_label)


MEAN_MISSING = ["NA", "#N/A", "#NA", "", " ", "null", "?", "-", ".", "Unknown"]


@pytest.mark.parametrize("text", MEAN_MISSING)
@pytest.mark.parametrize("form", [list, np.array, pd.Series])
def test_texts_that_mean_missing_beside_two_labels_are_refused(text, form):
    labels = form(["yes", text, "no", text, "yes"])
    message = f"2 of {text!r}, the first at positions 1, 3. Leave these items out"
    for ask in (average_precision, RandomSelectionTest().from_predictions):
        with pytest.raises(ValueError, match=re.escape(message)):
            ask(labels, [*S, 0.5], pos_label="yes")
    # beside one other they are the other class, and a target is what it is called
    two = average_precision(form(["yes", text] * 2), S, pos_label="yes")
    assert two == average_precision([1, 0, 1, 0], S)
    three = average_precision(form(["a", text, "b", text]), S, pos_label=text)
    assert three == average_precision(Y, S)


@pytest.mark.parametrize("form", [list, np.array, pd.Series, np.float32])
def test_minus_one_beside_zero_and_one_is_told(form):
    labels = form([0, 1, -1, 1])
    message = "label -1 counts as a non-target, as 0 does. Leave these items out if"
    for ask in (
        average_precision,
        RandomSelectionTest().from_predictions,
        Ranking.from_predictions,
        RankingEvaluation.from_predictions,
        lambda y, s, pos_label: RankCounts.from_chunks([(y, s)], pos_label=pos_label),
    ):
        with pytest.warns(UserWarning, match=message):
            ask(labels, S, pos_label=1)
    # no other label is doubtful
    for others in ([0, 1, 0, 1], [-1, 1, -1, 1], [0, 1, 2, 1]):
        assert average_precision(form(others), S, pos_label=1) == average_precision(
            Y, S
        )


class Tensor:
    """One or more values, compared by value, whose hash is its identity, as torch's."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or self.values.dtype)

    def __int__(self):
        return int(self.values)

    def __float__(self):
        return float(self.values)

    def __eq__(self, other):
        return bool(self.values == np.asarray(other))

    def __lt__(self, other):
        return bool(self.values < np.asarray(other))

    __hash__ = object.__hash__


@pytest.mark.parametrize("shape", [(), (1,)], ids=str)
@pytest.mark.parametrize("form", [list, lambda values: pd.Series(values, dtype=object)])
def test_tensors_of_one_value_are_their_values(form, shape):
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(20), 5)
    y_true = (cluster < 6) ^ (rng.random(100) < 0.1)
    y_score = rng.normal(1.0 * y_true)

    def tensors(values):
        return form([Tensor(np.reshape(one, shape)) for one in values])

    expected = average_precision(y_true, y_score)
    assert average_precision(tensors(y_true * 1), y_score) == expected
    assert average_precision(tensors(y_true * 1), y_score, pos_label=1) == expected
    assert average_precision(y_true, tensors(y_score)) == expected
    test = RandomSelectionTest(n_resamples=99, random_state=0)
    for name in ("groups", "clusters", "strata", "folds"):
        values = np.resize([0, 1], 100) if name == "folds" else cluster
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of clusters of one class
            found, wanted = (
                test.from_predictions(y_true, y_score, **{name: one})
                for one in (tensors(values), values)
            )
        assert found.to_dict() == wanted.to_dict()
        assert found.labels == wanted.labels


def test_cells_of_several_values_are_refused():
    labels = pd.Series([Tensor([i, 1]) for i in (0, 0, 1, 1)], dtype=object)
    lists = pd.Series([[1, 2], [3, 4], [5, 6], [7, 8]])
    for cells, kind in ((labels, "Tensor"), (lists, "list")):
        with pytest.raises(
            ValueError, match=f"`groups` must contain .*labels of {kind}"
        ):
            average_precision(Y, S, groups=cells)
        with pytest.raises(ValueError, match=NO_NUMBERS + r".* at position 0"):
            average_precision(Y, cells)
    mixed = pd.Series([0, 1, [0, 1], 1])
    with pytest.raises(ValueError, match=ONE_KIND + "labels of int, list"):
        average_precision(mixed, S)


def test_labels_that_no_float_holds():
    other, target = 2**63 + 1, 2**63 + 2
    expected = average_precision([0, 1, 0, 1], S)
    for one in (other, -1):
        labels = [one, target, one, target]
        assert average_precision(labels, S, pos_label=target) == expected
    several = [target, other, target, -1]
    expected = average_precision([1, 0, 1, 0], S)
    assert average_precision(several, S, pos_label=target) == expected


def test_pos_label_absent_from_one_class_means_no_targets():
    assert recall_at_t(["a"] * 3, [1.0, 2, 3], t=1, pos_label="b", undefined=-1) == -1


# Scores


def test_hard_labels_may_rank_as_floats():
    exact = oracles.value([(2, 1), (2, 1)], "average_precision")
    assert average_precision(Y, [0.0, 1.0, 1.0, 0.0]) == pytest.approx(float(exact))


@pytest.mark.skipif(np.longdouble(1) + 2.0**-60 == 1, reason="as narrow as doubles")
def test_wide_floats_stay_different_or_are_refused():
    wide = np.array([4, 3, 2, 1], np.longdouble)
    assert average_precision(Y, wide) == average_precision(Y, [4.0, 3, 2, 1])
    assert average_precision(Y, wide * 0) == average_precision(Y, [0.0] * 4)
    close = 1 + wide * np.longdouble(2) ** -60
    for scores in (close, close.tolist(), pd.Series(close.astype(object))):
        message = (
            "contain numbers that stay different in double precision; got 3 that do"
        )
        with pytest.raises(ValueError, match=message):
            average_precision(Y, scores)
    with pytest.raises(ValueError, match=NOT_FINITE + "0 NaN and 1 infinite"):
        average_precision(Y, [*wide[:3], np.finfo(np.longdouble).max])
    with pytest.raises(ValueError, match=NOT_FINITE + "2 NaN"):
        average_precision(Y, wide + np.array([0, 0, np.nan, np.nan]))


def test_constant_integers_are_scores():
    assert average_precision(Y, [1, 1, 1, 1]) == average_precision(Y, [7, 7, 7, 7])


def test_object_scores_keep_their_type():
    y_score = np.array([2**53, 2**53 + 1, 0], dtype=object)
    assert average_precision([0, 1, 0], y_score) == 1.0


# Cutoffs, weights and other settings


@pytest.mark.parametrize("t", [0, -1, 0.0, 1.5, -0.1, np.nan, True, "3", None, 2.0])
def test_bad_depth(t):
    text = "`t` must be an int of at least 1 .* or a float in .*; got"
    with pytest.raises(ValueError, match=text):
        recall_at_t(Y, S, t=t)


def test_depth_beyond_the_ranking():
    for metric in (recall_at_t, precision_at_t):
        assert metric(Y, S, t=4) > 0
        with pytest.raises(ValueError, match="`t` must not reach beyond .*; got t=5 f"):
            metric(Y, S, t=5)
    with pytest.raises(ValueError, match="`k` must not reach beyond the ranking; got "):
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
    assert np.cumsum(weight)[-1] < 1
    with pytest.warns(UserWarning, match="`t`=1 counts units of weight"):
        whole = recall_at_t(y_true, y_score, t=1, sample_weight=weight)
    assert whole == pytest.approx(1)
    head = precision_at_t(y_true, y_score, t=0.3, sample_weight=weight, ties="together")
    assert head == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        ([1, 1, 1], "`sample_weight` must have as many items as `y_true`; got 3 and 4"),
        ([1, 1, -1, 1], "`sample_weight` must be finite, not neg.*; got minimum -1"),
        (
            [0, 0, 0, 0],
            "`sample_weight` must be finite, not negative, and not all zero",
        ),
        ([1, np.nan, 1, 1], "`sample_weight` must be finite, not negative, .*got min"),
        ([1, np.inf, 1, 1], "`sample_weight` must be finite, not negative, .*got min"),
        (
            ["a", "b", "c", "d"],
            "`sample_weight` must contain real numbers, none missing",
        ),
    ],
)
def test_bad_weights(weight, text):
    with pytest.raises(ValueError, match=text):
        average_precision(Y, S, ties="together", sample_weight=weight)


@pytest.mark.parametrize(
    ("metric", "settings", "text"),
    [
        (
            average_precision,
            {"ties": "random"},
            "`ties` must be one of 'expected', '.*",
        ),
        (average_precision, {"n_missed": -1}, "`n_missed` must be an int of at least"),
        (average_precision, {"n_missed": 1.5}, "`n_missed` must be an int of at least"),
        (
            average_precision,
            {"undefined": "nan"},
            '`undefined` must be a number or "ra',
        ),
        (
            average_precision_at_k,
            {"k": 2, "normalize": "max"},
            "`normalize` must be on",
        ),
        *(
            (metric, {"alpha": alpha}, "`alpha` must be a finite number above 0; got ")
            for metric in (rie, bedroc)
            for alpha in (0, -1.0, np.nan, np.inf, True, "20")
        ),
    ],
)
def test_bad_settings(metric, settings, text):
    with pytest.raises(ValueError, match=text):
        metric(Y, S, **settings)


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


def test_rows_and_labels_in_two_orders():
    """As in scikit-learn other labels of the rows do not matter, but an order does."""
    X, y = make_classification(200, weights=[0.8], random_state=0)
    X, y = pd.DataFrame(X), pd.Series(y)
    turned = y[::-1]
    renamed = turned.set_axis(range(1000, 1200))
    model, cv = LogisticRegression().fit(X, y), StratifiedKFold(3)
    interval = MetricInterval()
    calls = [
        partial(interval.from_estimator, model, X),
        partial(interval.from_cv, model, X, cv=cv),
        partial(make_average_precision_scorer(), model, X),
        partial(HitCurveDisplay.from_estimator, model, X),
    ]
    for call in calls:
        call(y)
        with pytest.raises(ValueError, match="`X` must have the index of `y_true`"):
            call(turned)
    value = interval.from_estimator(model, X, renamed).value
    assert value == interval.from_estimator(model, X, turned.to_numpy()).value
