"""Counts over chunks answer as the whole ranking does, or not at all."""

import math
import os
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.exceptions import UndefinedMetricWarning

import skrank
from cases import ALL, TIES, WITHOUT_TIES, assert_same_answers, metric_function
from skrank import RandomSelectionTest, RankCounts, average_precision, hit_curve
from skrank.ranking._counts._rank_counts import read_counts
from skrank.ranking._ties import DETAILED

DTYPES = (np.float64, np.float32, np.float16, np.int64, np.int8, np.uint16, ">f4")
CASES = [
    pytest.param(case, ties, marks=pytest.mark.slow if ties in TIES[2:] else ())
    for case in ALL
    for ties in (TIES if ALL[case][0] not in WITHOUT_TIES else TIES[:1])
]


@st.composite
def lists(draw):
    """Labels and scores with many ties, of at least 5 items."""
    n = draw(st.integers(5, 40))
    scores = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))
    labels = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    y_score = np.array(scores).astype(draw(st.sampled_from(DTYPES)))
    if y_score.max() <= 1:  # these would be hard labels
        y_score[0] = 2
    return np.array(labels).astype(int), y_score


@st.composite
def shared_out(draw, n):
    """Positions of n items in chunks, some empty, and the worker of each chunk."""
    order = draw(st.permutations(range(n)))
    cuts = draw(st.lists(st.integers(0, n), max_size=6))
    chunks = np.split(np.array(order, dtype=int), sorted(cuts))
    workers = [draw(st.integers(0, 2)) for _ in chunks]
    return list(zip(chunks, workers, strict=True))


def counted(y_true, y_score, first, second, **kwargs):
    """Counts that several workers made in both passes."""
    parts = [RankCounts(**kwargs) for _ in range(3)]
    for items, worker in first:
        parts[worker].update(y_true[items], y_score[items])
    blank = sum(parts).second_pass()
    parts = [pickle.loads(pickle.dumps(blank)) for _ in range(3)]
    for items, worker in second:
        parts[worker].update(y_true[items], y_score[items])
    return parts[2] + parts[0] + parts[1]


def whole(y_true, y_score):
    return RankCounts.from_arrays(y_true, y_score)


def value_or_error(metric, *data, **kwargs):
    """Return the value of a metric, or what it says where it has none."""
    try:
        return metric(*data, undefined=-1.0, **kwargs)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize(("case", "ties"), CASES)
@settings(max_examples=8)
@given(data=st.data())
def test_any_chunks_and_any_order_give_the_value_of_the_list(case, ties, data):
    y_true, y_score = data.draw(lists())
    n_missed = data.draw(st.integers(0, 2))
    first, second = (data.draw(shared_out(y_true.size)) for _ in range(2))
    counts = counted(y_true, y_score, first, second)
    metric, asked = metric_function(case), {"ties": ties, "n_missed": n_missed}
    assert value_or_error(metric, counts, **asked) == value_or_error(
        metric, y_true, y_score, **asked
    )


@given(data=st.data())
def test_any_chunks_give_the_curves_and_the_test_of_the_list(data):
    y_true, y_score = data.draw(lists())
    y_true[:2] = [0, 1]
    first, second = (data.draw(shared_out(y_true.size)) for _ in range(2))
    counts = counted(y_true, y_score, first, second)
    assert_same_answers(counts, (y_true, y_score))


def long_list(decimals, dtype=np.float32):
    """A ranking that is not known whole, with 300 targets."""
    rng = np.random.default_rng(0)
    y_true = np.zeros(DETAILED + 2**19, dtype=np.uint8)
    y_true[rng.choice(y_true.size, 300, replace=False)] = 1
    y_score = rng.normal(size=y_true.size) + 2 * y_true
    return y_true, y_score.round(decimals).astype(dtype)


@pytest.mark.parametrize("decimals", [1, 9])
def test_a_long_list(decimals):
    y_true, y_score = long_list(decimals)
    counts = whole(y_true, y_score)
    for case in ALL:
        metric = metric_function(case)
        assert metric(counts) == metric(y_true, y_score)
    curve, expected = hit_curve(counts), hit_curve(y_true, y_score)
    np.testing.assert_array_equal(curve.tie_ends, expected.tie_ends)
    ours = read_counts(counts).items.tie_groups()
    np.testing.assert_array_equal(
        ours.ends,
        read_counts(pickle.loads(pickle.dumps(counts))).items.tie_groups().ends,
    )


def test_a_cut_in_a_long_list():
    y_true, y_score = long_list(9)
    counts = whole(y_true, y_score)
    for t in (1, 1000, 2**20):
        assert skrank.precision_at_t(counts, t=t, ties="threshold") == (
            skrank.precision_at_t(y_true, y_score, t=t, ties="threshold")
        )
        assert read_counts(counts).items.tie_size(t) == np.sum(
            y_score == np.sort(y_score)[-t]
        )
    with pytest.raises(
        ValueError, match=r"within the best 1048576 .* after 1500000 items"
    ):
        skrank.precision_at_t(counts, t=1_500_000, ties="threshold")


def test_the_tie_of_a_target_is_known_at_any_depth():
    y_score = -np.arange(2_000_000.0)
    y_true = np.zeros(y_score.size, dtype=bool)
    y_true[[5, 1_800_000]] = True
    y_score[1_799_999] = y_score[1_800_000]
    ranking = read_counts(whole(y_true, y_score))
    assert ranking.group_end(1_800_000) == 1_800_001
    assert ranking.items.tie_size(1_800_000) == 2


# What the parts and passes refuse


def two_passes():
    y_true, y_score = np.array([1, 0, 0, 1, 0]), np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    first = RankCounts()
    first.update(y_true, y_score)
    return first, first.second_pass(), y_true, y_score


TAMPERED = ("dropped", "repeated", "altered", "relabelled", "swapped", "nan")


def tampered(kind, y_true, y_score, index, other):
    """Return the ranking with a change, or None where there is none."""
    y_true, y_score = y_true.copy(), y_score.copy()
    if kind == "dropped":
        return np.delete(y_true, index), np.delete(y_score, index)
    if kind == "repeated":
        return np.append(y_true, y_true[index]), np.append(y_score, y_score[index])
    if kind == "altered":
        y_score[index] += 1
    if kind == "relabelled":
        y_true[index] = 1 - y_true[index]
    if kind == "swapped":
        if y_true[index] == y_true[other] or y_score[index] == y_score[other]:
            return None
        y_true[[index, other]] = y_true[[other, index]]
    if kind == "nan":
        y_score = y_score.astype(float)
        y_score[index] = math.nan
    return y_true, y_score


@pytest.mark.parametrize("kind", TAMPERED)
@given(data=st.data())
def test_what_has_changed_between_the_passes_is_refused(kind, data):
    y_true, y_score = data.draw(lists())
    index, other = (data.draw(st.integers(0, y_true.size - 1)) for _ in range(2))
    changed = tampered(kind, y_true, y_score, index, other)
    if changed is None:
        return
    first = RankCounts()
    first.update(y_true, y_score)
    counts = first.second_pass()

    def count_and_read():
        counts.update(*changed)
        average_precision(counts)

    with pytest.raises(ValueError, match="`"):
        count_and_read()
    turns = iter([(y_true, y_score), changed])
    with pytest.raises(ValueError, match="chunk 0"):
        RankCounts.from_chunks(lambda: iter([next(turns)]))


def test_targets_that_change_places_are_refused():
    """Neither the items nor the number of targets tell, nor the scores they have."""
    y_score = [2.0, 2.0, 1.0]
    first = RankCounts()
    first.update([1, 0, 1], y_score)
    counts = first.second_pass()
    counts.update([1, 1, 0], y_score)
    with pytest.raises(ValueError, match="got other items as targets in the second"):
        average_precision(counts)


def test_equal_sums_of_scores_do_not_hide_a_change():
    first = RankCounts()
    first.update([1, 0, 0], np.array([9, 1, 3]))
    counts = first.second_pass()
    counts.update([1, 0, 0], np.array([9, 2, 2]))
    with pytest.raises(ValueError, match="other scores"):
        average_precision(counts)


def test_zeros_of_either_sign_are_one_score():
    for dtype in (np.float16, np.float32, np.float64):
        zeros = np.array([0.0, -0.0, 0.0, -0.0], dtype=dtype)
        first = RankCounts()
        first.update([1, 0, 0, 1], zeros)
        counts = first.second_pass()
        counts.update([1, 0, 1, 0], -zeros[[0, 2, 1, 3]])
        assert average_precision(counts) == average_precision([1, 1, 0, 0], zeros)


def test_interrupted_counts_are_refused(monkeypatch):
    _, counts, y_true, y_score = two_passes()

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(counts._pass.ties, "add", interrupt)
        with pytest.raises(KeyboardInterrupt):
            counts.update(y_true, y_score)
    counts.update(y_true, y_score)
    with pytest.raises(ValueError, match="broken off"):
        average_precision(counts)


def test_unfinished_counts_cannot_be_read():
    first, counts, y_true, y_score = two_passes()
    with pytest.raises(ValueError, match="got 0 items of 5 in the second pass"):
        average_precision(first)
    counts.update(y_true[:2], y_score[:2])
    with pytest.raises(ValueError, match="got 2 items of 5 in the second"):
        hit_curve(counts)
    counts.update(y_true[2:], y_score[2:])
    assert average_precision(counts) == 0.75


def test_complete_counts_take_no_more():
    """What is refused leaves them as they were: they can still be read."""
    first, counts, y_true, y_score = two_passes()
    half = first.second_pass()
    half.update(y_true[:4], y_score[:4])
    counts.update(y_true, y_score)
    before = pickle.dumps(counts)
    with pytest.raises(ValueError, match="see each item once.*got 8 items of 5, and"):
        counts.update(y_true[2:], y_score[2:])
    for total in (counts, half):
        with pytest.raises(ValueError, match="got .* items of 5, and left"):
            total + counts
    with pytest.raises(ValueError, match="got 3 targets of 2, and left"):
        half.update([1], y_score[:1])
    assert pickle.dumps(counts) == before
    assert average_precision(counts) == 0.75


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (([0, 1], [3.0, 2.5]), "got 2.5, which none had"),
        (([0, 1], [3.0]), "as many items"),
        (([], [3.0]), "as many items as `y_true`; got 1 and 0"),
        (([0, 1], [3.0, math.inf]), "finite"),
        (([0, 1], np.array([3, 2])), "same type in all chunks.*int64 after float64"),
        (([0, 1], np.array([3, 2], dtype=np.float32)), "got float32 after float64"),
        (([-1, 1], [3.0, 2.0]), "same two labels"),
        (([0, 2], [3.0, 2.0]), "labels {0, 1}"),
        (([[0, 1]], [[3.0, 2.0]]), "one-dimensional"),
    ],
)
def test_a_chunk_that_is_refused_changes_nothing(chunk, message):
    first, counts, y_true, y_score = two_passes()
    for one in [counts] if "none had" in message else [first, counts]:
        before = pickle.dumps(one)
        with pytest.raises(ValueError, match=message):
            one.update(*chunk)
        assert pickle.dumps(one) == before
    counts.update(y_true, y_score)
    assert average_precision(counts) == 0.75


def test_no_scores_of_targets_are_known_without_targets():
    first = RankCounts()
    first.update([0, 0], [0.5, 0.2])
    with pytest.raises(ValueError, match="none had"):
        first.second_pass().update([0, 1], [0.5, 0.2])


def test_a_list_without_targets_has_no_value():
    counts = whole([0, 0, 0], [0.3, 0.2, 0.1])
    with pytest.warns(UndefinedMetricWarning, match="got no targets"):
        assert math.isnan(average_precision(counts))
    with pytest.raises(ValueError, match="targets to make a curve"):
        hit_curve(counts)
    assert average_precision(counts, n_missed=1) == 0.0


@pytest.mark.parametrize(
    "chunks",
    [[[0, 1], [1]], [[-1, -1], [1, -1]], [[-1], [-1], [1]], [[1], [0]]],
)
def test_hard_labels_are_refused_when_the_whole_is_known(chunks):
    first = RankCounts()
    for chunk in chunks:
        first.update([1] * len(chunk), chunk)
    with pytest.raises(ValueError, match="hard labels"):
        first.second_pass()


@pytest.mark.parametrize(
    "chunks", [[[0, 1], [2]], [[-1], [0], [1]], [[-1, 0], [1]], [[1], [1, -2]], [[0]]]
)
def test_integers_that_rank_are_no_hard_labels(chunks):
    first = RankCounts()
    for chunk in chunks:
        first.update([1] * len(chunk), chunk)
    assert "second pass" in repr(first.second_pass())


def test_labels_of_any_kind():
    y_true = np.array(["hit", "miss", "hit", "miss"])
    y_score = np.array([4.0, 3.0, 2.0, 1.0])
    counts = RankCounts.from_arrays(y_true, y_score, pos_label="hit", chunk_size=1)
    assert average_precision(counts) == average_precision(y_true == "hit", y_score)
    part = RankCounts(pos_label="hit")
    part.update(["hit", "none"], [2.0, 1.0])
    other = RankCounts(pos_label="hit")
    other.update(["miss"], [1.0])
    with pytest.raises(ValueError, match="same two labels"):
        part + other
    with pytest.raises(ValueError, match="`pos_label` must be the same in all parts"):
        part + RankCounts(pos_label="miss")


def test_what_does_not_go_together_is_not_added():
    first, counts, y_true, y_score = two_passes()
    with pytest.raises(ValueError, match="in the same pass"):
        first + counts
    other = RankCounts()
    other.update(y_true, y_score + 1)
    with pytest.raises(ValueError, match="come from the same first pass; got one of 5"):
        counts + other.second_pass()
    with pytest.raises(
        ValueError, match="asked of a first pass; got RankCounts.second"
    ):
        counts.second_pass()
    with pytest.raises(ValueError, match="at least one item in some chunk"):
        RankCounts().second_pass()
    with pytest.raises(TypeError):
        first + 1
    with pytest.raises(TypeError):
        1 + first


def test_a_sum_leaves_its_parts_as_they_are():
    first, counts, _, _ = two_passes()
    before = pickle.dumps((first, counts))
    assert (first + first).n_samples == 10
    assert repr(counts + counts) == repr(counts)
    assert pickle.dumps((first, counts)) == before


def test_repr_says_the_pass_and_what_was_seen():
    first, counts, y_true, y_score = two_passes()
    assert repr(first) == "RankCounts(first pass: 5 items, 2 targets)"
    counts.update(y_true[:2], y_score[:2])
    assert repr(counts) == ("RankCounts(second pass: 2 of 5 items, 1 of 2 targets)")
    counts.update(y_true[2:], y_score[2:])
    assert repr(counts) == "RankCounts(complete: 5 items, 2 targets)"
    assert (counts.n_samples, counts.n_targets) == (5, 2)


def test_pickles_are_small():
    y_true, y_score = long_list(1)
    counts = whole(y_true, y_score)
    assert len(pickle.dumps(counts)) < 2 * DETAILED * y_score.itemsize
    read_counts(counts).items.tie_groups()
    assert len(pickle.dumps(counts)) < 2 * DETAILED * y_score.itemsize


def test_counts_are_refused_where_items_are_needed():
    y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]
    counts = whole(y_true, y_score)
    comparison = skrank.RankingComparison("average_precision")
    refused = [
        lambda: average_precision(y_true, counts),
        lambda: average_precision(y_true, y_score, sample_weight=counts),
        lambda: RandomSelectionTest().from_predictions(y_true, y_score, groups=counts),
        lambda: skrank.MetricInterval().from_predictions(counts, None),
        lambda: skrank.MetricInterval().from_predictions(y_true, counts),
        lambda: skrank.hit_curve_band(counts, None),
        lambda: comparison.from_predictions(counts, y_score, y_score),
        lambda: comparison.from_predictions(y_true, y_score, counts),
        lambda: skrank.RankingEvaluation().add(counts, None),
        lambda: skrank.RankingEvaluation.from_predictions(y_true, counts),
        lambda: skrank.ranking_report(counts, {"a": y_score}),
        lambda: RankCounts().update(counts, counts),
    ]
    for ask in refused:
        with pytest.raises(
            ValueError, match=r"item by item.*HitCurveDisplay\(hit_curve"
        ):
            ask()
    assert skrank.HitCurveDisplay(hit_curve(counts)).curve.hits[-1] == 2


# Whole lists


class Sliced:
    """What h5py and zarr give: a length, and arrays for slices."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, piece):
        assert isinstance(piece, slice)
        return np.asarray(self.values[piece])


def as_memmap(folder, name, values):
    path = folder / name
    np.asarray(values).tofile(path)
    return np.memmap(path, dtype=np.asarray(values).dtype, mode="r")


@pytest.mark.parametrize("kind", ["list", "array", "memmap", "sliced", "pandas"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_columns_of_any_kind(kind, n_jobs, tmp_path):
    rng = np.random.default_rng(0)
    columns = rng.permutation(np.arange(100) < 9).astype(int), rng.normal(size=100)
    given = columns
    if kind == "list":
        given = tuple(column.tolist() for column in columns)
    if kind == "memmap":
        given = tuple(as_memmap(tmp_path, str(i), c) for i, c in enumerate(columns))
    if kind == "sliced":
        given = tuple(map(Sliced, columns))
    if kind == "pandas":
        pandas = pytest.importorskip("pandas")
        index = np.arange(100)[::-1] + 0.5  # positions count, not labels
        given = tuple(pandas.Series(column, index=index) for column in columns)
    counts = RankCounts.from_arrays(*given, chunk_size=7, n_jobs=n_jobs)
    assert average_precision(counts) == average_precision(*columns)
    assert_same_answers(counts, columns)


def test_other_byte_orders_are_the_same_type():
    first = RankCounts()
    first.update([1, 0], np.array([0.5, 0.25], dtype=">f4"))
    first.update([1, 0], np.array([0.4, 0.75], dtype="<f4"))
    assert first.n_samples == 4


def test_long_doubles():
    y_score = np.array([3.0, 2.0, 1.0], dtype=np.longdouble)
    assert average_precision(whole([0, 1, 0], y_score)) == 0.5


def test_chunks_go_to_the_backend_that_is_configured():
    y_true, y_score = np.arange(200) % 7 == 0, np.arange(200.0) % 31
    with parallel_config("threading", n_jobs=3):
        counts = RankCounts.from_arrays(y_true, y_score, chunk_size=9)
    with parallel_config("loky", n_jobs=2):
        other = RankCounts.from_arrays(y_true, y_score, chunk_size=30)
    expected = average_precision(y_true, y_score)
    assert average_precision(counts) == average_precision(other) == expected


class Here:
    """A column that says in which process it is read, and cannot leave this one."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.read_in = set()

    @property
    def iloc(self):
        return self

    def __getitem__(self, piece):
        return self.values[piece]

    def __array__(self, dtype=None, copy=None):
        self.read_in.add(os.getpid())
        return self.values

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise AssertionError


def test_chunks_are_never_sent_to_other_processes():
    columns = Here([1, 0, 1]), Here([0.9, 0.8, 0.7])
    for backend in ("loky", "threading"):
        with parallel_config(backend, n_jobs=2):
            counts = RankCounts.from_chunks([columns, ([0], [0.5])])
        assert average_precision(counts) == average_precision(*columns)
    assert columns[1].read_in == {os.getpid()}


@pytest.mark.parametrize("kind", ["array", "list", "pandas", "polars", "bytes"])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_chunks_may_come_in_the_same_arrays(kind, n_jobs):
    """Readers that fill one buffer again and again are counted chunk by chunk."""
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, size=(20, 7)), rng.normal(size=(20, 7))
    labels, scores = np.zeros(7, dtype=int), np.zeros(7)
    given = labels, scores
    if kind == "list":
        given = [0] * 7, [0.0] * 7
    if kind == "pandas":
        pandas = pytest.importorskip("pandas")
        given = tuple(pandas.Series(column, copy=False) for column in given)
    if kind == "polars":
        polars, arrow = map(pytest.importorskip, ("polars", "pyarrow"))
        given = tuple(polars.from_arrow(arrow.array(column)) for column in given)
    if kind == "bytes":
        given = np.frombuffer(bytearray(56), int), np.frombuffer(bytearray(56))
    filled = given if kind in ("list", "bytes") else (labels, scores)

    def read():
        for chunk in zip(y_true, y_score, strict=True):
            for column, values in zip(filled, chunk, strict=True):
                column[:] = values.tolist()
            yield given

    expected = average_precision(y_true.ravel(), y_score.ravel())
    assert average_precision(RankCounts.from_chunks(read, n_jobs=n_jobs)) == expected
    with parallel_config(n_jobs=n_jobs):
        assert average_precision(RankCounts.from_chunks(read)) == expected


def test_chunks_of_several_types_are_named():
    chunks = [([1, 0], [0.9, 0.8]), ([0, 1], [2, 3])]
    with pytest.raises(
        ValueError, match="`dtype` of a reader.*int64 after.*in chunk 1"
    ):
        RankCounts.from_chunks(chunks)


def test_chunks_of_a_list_and_of_a_function():
    chunks = [([1, 0], [0.9, 0.8]), ([], []), ([0, 1], [0.7, 0.6])]
    expected = average_precision([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6])
    for one in (chunks, lambda: iter(chunks), lambda: chunks):
        assert average_precision(RankCounts.from_chunks(one)) == expected
    shuffled = iter([chunks, chunks])
    assert average_precision(RankCounts.from_chunks(lambda: next(shuffled))) == expected


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (iter([]), "gone over twice.*got list_iterator"),
        ((pair for pair in ()), "got generator"),
        (3, "got int"),
        ([3], "pairs .y_true, y_score.; got int"),
        ([([1, 0],)], "pairs"),
        ([], "at least one item"),
        ([([1, 0], [0.5, 0.2]), ([1], [math.nan])], "finite.*in chunk 1, counted"),
    ],
)
def test_chunks_that_cannot_be_counted(chunks, message):
    with pytest.raises(ValueError, match=message):
        RankCounts.from_chunks(chunks)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ([1, 0], "got 2 chunks of 3"),
        ([1, 0, 2, 2], "got more chunks than the 3 of the first in the second"),
        ([1, 2, 0], "chunk 1, counted from 0, in the second"),
    ],
)
def test_chunks_that_change_between_the_passes(second, message):
    chunks = [([1, 0], [3.0, 8.0]), ([0, 1], [7.0, 6.0]), ([0, 0, 1], [5.0, 4.0, 3.0])]
    orders = iter([[1, 0, 2], second])
    with pytest.raises(ValueError, match=message):
        RankCounts.from_chunks(lambda: [chunks[i] for i in next(orders)])


@pytest.mark.parametrize(
    ("given", "settings", "message"),
    [
        (([0, 1], [0.5]), {}, "as many items as `y_true`; got 1 and 2"),
        (([0, 1], iter([0.5, 0.2])), {}, "`y_score` must have a length"),
        ((3, [0.5]), {}, "`y_true` must have a length"),
        (([], []), {}, "at least one item"),
        (([0, 1], [0.5, 0.2]), {"chunk_size": 0}, "`chunk_size` must be an int"),
    ],
)
def test_columns_that_cannot_be_counted(given, settings, message):
    with pytest.raises(ValueError, match=message):
        RankCounts.from_arrays(*given, **settings)


def test_progress_is_shown_for_each_pass(capsys):
    pytest.importorskip("tqdm")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm without widgets
        RankCounts.from_arrays([0, 1, 0], [0.3, 0.2, 0.1], chunk_size=1, progress=True)
    shown = capsys.readouterr().err
    assert "first pass: 100%" in shown
    assert "second pass: 100%" in shown
    assert "3/3" in shown


# The door


def test_counts_stand_for_labels_and_scores():
    counts = whole([1, 0, 0], [0.3, 0.2, 0.1])
    with pytest.raises(ValueError, match="`y_score` must be left out where `y_true`"):
        average_precision(counts, [0.3, 0.2, 0.1])
    with pytest.raises(ValueError, match="`pos_label` must be left out"):
        average_precision(counts, pos_label=1)
    with pytest.raises(ValueError, match="`sample_weight` must be left out"):
        skrank.hit_curve(counts, sample_weight=[1, 1, 1])
    with pytest.raises(ValueError, match="`groups` must be left out"):
        RandomSelectionTest().from_predictions(counts, groups=[1, 1, 2])
    with pytest.raises(ValueError, match="`n_missed` must be an int of at least 0"):
        average_precision(counts, n_missed=-1)


@pytest.mark.parametrize("name", [*skrank.metrics.__all__, "hit_curve"])
def test_labels_need_scores(name):
    needed = {"k", "t", "recall"} & set(
        __import__("inspect").signature(getattr(skrank, name)).parameters
    )
    with pytest.raises(ValueError, match="`y_score` must be given with `y_true`"):
        getattr(skrank, name)([1, 0, 1], **dict.fromkeys(needed, 1))


def test_a_test_of_labels_needs_scores():
    for groups in (None, [1, 2]):
        with pytest.raises(ValueError, match="`y_score` must be given"):
            RandomSelectionTest().from_predictions([1, 0], groups=groups)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1.5, 1.25, 1.75], [1.5, 1.5, 1.5]),
        ([4.0, 1.0, 5.0, 6.0], [4.0, 2.0, 3.0, 7.0]),  # equal sums of squares, too
        (np.array([4, 1, 5, 6]), np.array([4, 2, 3, 7])),
        (np.array([4, 1, 5, 6], "f4") / 8, np.array([4, 2, 3, 7], "f4") / 8),
        (
            np.array([2, 4, 4, 5], np.longdouble),
            np.array([2, np.nextafter(np.longdouble(4), 5), 4, 5]),
        ),
    ],
)
def test_changes_that_leave_the_sums_as_they_were_are_noticed(before, after):
    y_true = [1] + [0] * (len(before) - 1)
    first = RankCounts()
    first.update(y_true, before)
    counts = first.second_pass()
    counts.update(y_true, after)
    with pytest.raises(ValueError, match="other scores in the second"):
        average_precision(counts)
