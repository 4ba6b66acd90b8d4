"""Counts over chunks answer as the whole ranking does, or not at all.

The judges: the same call with labels and scores in memory, and for the sources of
chunks scikit-learn's average precision.
"""

import math
import pickle
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import average_precision_score

import skrank
from cases import ALL, TIES, WITHOUT_TIES, assert_same_answers, metric_function
from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingEvaluation,
    average_precision,
    hit_curve,
)
from skrank.ranking._counts import read_counts
from skrank.ranking._ties import DETAILED

DTYPES = (np.float64, np.float32, np.float16, np.int64, np.int8, np.uint16, ">f4")
CASES = [
    pytest.param(case, ties, marks=pytest.mark.slow if ties in TIES[2:] else ())
    for case in ALL
    for ties in (TIES if ALL[case][0] not in WITHOUT_TIES else TIES[:1])
]


@st.composite
def rankings(draw):
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


def counted(y_true, y_score, first, second):
    """Counts that several workers made in both passes."""
    parts = [RankCounts() for _ in range(3)]
    for items, worker in first:
        parts[worker].update(y_true[items], y_score[items])
    blank = sum(parts).second_pass()
    parts = [pickle.loads(pickle.dumps(blank)) for _ in range(3)]
    for items, worker in second:
        parts[worker].update(y_true[items], y_score[items])
    return parts[2] + parts[0] + parts[1]


def value_or_error(metric, *data, **kwargs):
    """Return the value of a metric, or what it says where it has none."""
    try:
        return metric(*data, undefined=-1.0, **kwargs)
    except ValueError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
@pytest.mark.parametrize(("case", "ties"), CASES)
@settings(max_examples=4)
@given(data=st.data())
@pytest.mark.slow
def test_any_chunks_in_any_order_give_the_value_of_the_whole(case, ties, data):
    y_true, y_score = data.draw(rankings())
    n_missed = data.draw(st.integers(0, 2))
    first, second = (data.draw(shared_out(y_true.size)) for _ in range(2))
    counts = counted(y_true, y_score, first, second)
    metric, asked = metric_function(case), {"ties": ties, "n_missed": n_missed}
    assert value_or_error(metric, counts, **asked) == value_or_error(
        metric, y_true, y_score, **asked
    )


@given(data=st.data())
def test_any_chunks_give_the_curves_and_the_test_of_the_whole(data):
    y_true, y_score = data.draw(rankings())
    y_true[:2] = [0, 1]
    first, second = (data.draw(shared_out(y_true.size)) for _ in range(2))
    counts = counted(y_true, y_score, first, second)
    assert_same_answers(counts, (y_true, y_score))


def tied_columns(n=200):
    """Labels with few targets, and scores with ties."""
    rng = np.random.default_rng(0)
    y_true = rng.permutation(np.arange(n) < n // 10).astype(int)
    return y_true, np.round(rng.normal(1.0 * y_true), 1)


@pytest.mark.parametrize("metric", ["average_precision", "recall@20"])
@pytest.mark.parametrize(
    "method", ["auto", "moderated", "jackknife", "bootstrap", "survival", "posterior"]
)
def test_intervals_are_those_of_the_whole(method, metric):
    if (method, metric) == ("posterior", "average_precision"):
        pytest.skip("it has a meaning for parts of a top only")
    columns = tied_columns()
    ask = MetricInterval(metric, method=method, n_resamples=50, random_state=0)
    expected = ask.from_predictions(*columns).to_dict()
    counts = RankCounts.from_predictions(*columns, chunk_size=33)
    assert ask.from_predictions(counts).to_dict() == expected
    ranking = Ranking.from_predictions(*columns)
    assert ask.from_predictions(ranking).to_dict() == expected


def long_columns(decimals):
    """Items that are not all known one by one, 300 of them targets."""
    rng = np.random.default_rng(0)
    y_true = np.zeros(DETAILED + 2**19, dtype=np.uint8)
    y_true[rng.choice(y_true.size, 300, replace=False)] = 1
    y_score = rng.normal(size=y_true.size) + 2 * y_true
    return y_true, y_score.round(decimals).astype(np.float32)


@pytest.mark.parametrize("decimals", [1, 9])
def test_a_long_ranking(decimals):
    y_true, y_score = long_columns(decimals)
    counts = RankCounts.from_predictions(y_true, y_score)
    for case in ALL:
        metric = metric_function(case)
        assert metric(counts) == metric(y_true, y_score)
    assert len(pickle.dumps(counts)) < 2 * DETAILED * y_score.itemsize
    expected = hit_curve(y_true, y_score)
    for one in (counts, pickle.loads(pickle.dumps(counts))):
        np.testing.assert_array_equal(hit_curve(one).hits, expected.hits)
        np.testing.assert_array_equal(hit_curve(one).tie_ends, expected.tie_ends)


def test_a_cutoff_in_a_long_ranking():
    columns = long_columns(9)
    counts = RankCounts.from_predictions(*columns)
    for t in (1, 1000, 2**20):
        found = skrank.precision_at_t(counts, t=t, ties="together")
        assert found == skrank.precision_at_t(*columns, t=t, ties="together")
    message = r"within the best 1048576 .* after 1500000 items"
    with pytest.raises(ValueError, match=message):
        skrank.precision_at_t(counts, t=1_500_000, ties="together")


def test_the_tie_of_a_target_is_known_at_any_depth():
    y_score = -np.arange(2_000_000.0)
    y_true = np.zeros(y_score.size, dtype=bool)
    y_true[[5, 1_800_000]] = True
    y_score[1_799_999] = y_score[1_800_000]
    ranking = read_counts(RankCounts.from_predictions(y_true, y_score))
    assert ranking.group_end(1_800_000) == 1_800_001
    assert ranking.items.tie_size(1_800_000) == 2


# What the passes and their parts refuse

Y, S = np.array([1, 0, 0, 1, 0]), np.array([5.0, 4.0, 3.0, 2.0, 1.0])


def two_passes():
    first = RankCounts()
    first.update(Y, S)
    return first, first.second_pass()


def altered(kind, y_true, y_score, index, other):
    """Items with a change that counts must notice, or None where there is none."""
    y_true, y_score = y_true.copy(), y_score.copy()
    if kind == "dropped":
        return np.delete(y_true, index), np.delete(y_score, index)
    if kind == "repeated":
        return np.append(y_true, y_true[index]), np.append(y_score, y_score[index])
    if kind == "relabelled":
        y_true[index] = 1 - y_true[index]
    if kind == "score of a target":
        if not y_true[index]:
            return None
        y_score[index] += 1
    if kind == "labels exchanged":
        if y_true[index] == y_true[other] or y_score[index] == y_score[other]:
            return None
        y_true[[index, other]] = y_true[[other, index]]
    return y_true, y_score


@pytest.mark.parametrize(
    "kind",
    ["dropped", "repeated", "relabelled", "score of a target", "labels exchanged"],
)
@given(data=st.data())
def test_items_that_change_between_the_passes_are_refused(kind, data):
    columns = data.draw(rankings())
    index, other = (data.draw(st.integers(0, columns[0].size - 1)) for _ in range(2))
    changed = altered(kind, *columns, index, other)
    if changed is None:
        return
    turns = iter([columns, changed])
    with pytest.raises(ValueError, match="`RankCounts` must|`y_score` must contain"):
        RankCounts.from_chunks(lambda: [next(turns)])


def test_unfinished_counts_cannot_be_read():
    first, counts = two_passes()
    with pytest.raises(ValueError, match="got 0 items of 5 in the second pass"):
        average_precision(first)
    counts.update(Y[:2], S[:2])
    with pytest.raises(ValueError, match="got 2 items of 5 and 1 targets of 2 in the"):
        hit_curve(counts)
    counts.update(Y[2:], S[2:])
    assert average_precision(counts) == 0.75


def test_complete_counts_take_no_more():
    """What is refused leaves them as they were: they can still be read."""
    first, counts = two_passes()
    half = first.second_pass()
    half.update(Y[:4], S[:4])
    counts.update(Y, S)
    before = pickle.dumps(counts)
    with pytest.raises(ValueError, match="receive each item.*got 8 items of 5; "):
        counts.update(Y[2:], S[2:])
    for total in (counts, half):
        with pytest.raises(ValueError, match="got .* items of 5; the last"):
            total + counts
    with pytest.raises(ValueError, match="got 3 targets of 2; the last"):
        half.update([1], S[:1])
    assert pickle.dumps(counts) == before
    assert average_precision(counts) == 0.75


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (([0, 1], [3.0, 2.5]), "got 2.5, which none had"),
        (([0, 1], [3.0]), "as many items"),
        (([], [3.0]), "`y_true` must contain at least one item"),
        (([0, 1], [3.0, math.inf]), "finite"),
        (([0, 1], np.array([3, 2])), "same type in .*got int64 after float64"),
        (([0, 1], np.array([3, 2], "f4")), "got float32 after float64"),
        (([0, 2], [3.0, 2.0]), "`pos_label` must name the label"),
        (([[0, 1]], [[3.0, 2.0]]), "one-dimensional"),
    ],
)
def test_a_chunk_that_is_refused_changes_nothing(chunk, message):
    first, counts = two_passes()
    asked = [first, counts]
    if "none had" in message:
        asked.remove(first)
    for one in asked:
        before = pickle.dumps(one)
        with pytest.raises(ValueError, match=message):
            one.update(*chunk)
        assert pickle.dumps(one) == before
    counts.update(Y, S)
    assert average_precision(counts) == 0.75


def test_without_targets_there_is_no_value():
    first = RankCounts()
    first.update([0, 0, 0], [0.3, 0.2, 0.1])
    with pytest.raises(ValueError, match="none had"):
        first.second_pass().update([0, 1], [0.3, 0.2])
    counts = first.second_pass()
    counts.update([0, 0, 0], [0.3, 0.2, 0.1])
    with pytest.warns(UndefinedMetricWarning, match="contain targets; got none"):
        assert math.isnan(average_precision(counts))
    with pytest.raises(ValueError, match="targets to make a curve"):
        hit_curve(counts)
    assert average_precision(counts, n_missed=1) == 0.0


@pytest.mark.parametrize(
    ("chunks", "are_labels"),
    [
        ([[0, 1], [1]], True),
        ([[-1, -1], [1, -1]], True),
        ([[-1], [-1], [1]], True),
        ([[1], [0]], True),
        ([[0, 1], [2]], False),
        ([[-1], [0], [1]], False),
        ([[1], [1, -2]], False),
        ([[0]], False),
    ],
)
def test_hard_labels_are_known_when_all_is_seen(chunks, are_labels):
    parts, evaluation = [RankCounts() for _ in chunks], RankingEvaluation()
    for part, scores in zip(parts, chunks, strict=True):
        part.update([1] * len(scores), scores)
        evaluation.add([1] * len(scores), scores)
    if are_labels:
        got = f"hard labels, integers {{{min(map(min, chunks))}, 1}}"
        for call in (sum(parts).second_pass, evaluation.ranking):
            with pytest.raises(ValueError, match=re.escape(got)):
                call()
    else:
        assert "second pass" in repr(sum(parts).second_pass())
        assert evaluation.ranking().n_targets == sum(map(len, chunks))


def test_labels_of_any_kind():
    y_true = np.array(["hit", "miss", "hit", "miss"])
    y_score = np.array([4.0, 3.0, 2.0, 1.0])
    counts = RankCounts.from_predictions(y_true, y_score, pos_label="hit", chunk_size=1)
    assert average_precision(counts) == average_precision(y_true == "hit", y_score)
    part, other = RankCounts(pos_label="hit"), RankCounts(pos_label="hit")
    part.update(["hit", "none"], [2.0, 1.0])
    other.update(["miss"], [1.0])
    assert (part + other).n_samples == 3
    with pytest.raises(ValueError, match="`pos_label` must be the same in all parts"):
        part + RankCounts(pos_label="miss")


def test_what_does_not_go_together_is_not_added():
    first, counts = two_passes()
    with pytest.raises(ValueError, match="in the same pass"):
        first + counts
    other = RankCounts()
    other.update(Y, S + 1)
    with pytest.raises(ValueError, match="come from the same first pass; got one of 5"):
        counts + other.second_pass()
    with pytest.raises(ValueError, match="called on a first pass; got RankCounts.sec"):
        counts.second_pass()
    with pytest.raises(ValueError, match="at least one item in some chunk"):
        RankCounts().second_pass()
    with pytest.raises(TypeError):
        first + 1
    with pytest.raises(TypeError):
        1 + first


def test_a_sum_leaves_its_parts_as_they_are():
    first, counts = two_passes()
    before = pickle.dumps((first, counts))
    assert (first + first).n_samples == 10
    assert repr(counts + counts) == repr(counts)
    assert pickle.dumps((first, counts)) == before


def test_repr_says_the_pass_and_what_was_seen():
    first, counts = two_passes()
    assert repr(first) == "RankCounts(first pass: 5 items, 2 targets)"
    counts.update(Y[:2], S[:2])
    assert repr(counts) == "RankCounts(second pass: 2 of 5 items, 1 of 2 targets)"
    counts.update(Y[2:], S[2:])
    assert repr(counts) == "RankCounts(complete: 5 items, 2 targets)"
    assert (counts.n_samples, counts.n_targets) == (5, 2)


def test_counts_are_refused_where_items_are_needed():
    counts = RankCounts.from_predictions(Y, S)
    comparison = skrank.RankingComparison("average_precision")
    refused = [
        lambda: average_precision(Y, counts),
        lambda: average_precision(Y, S, sample_weight=counts),
        lambda: RandomSelectionTest().from_predictions(Y, S, groups=counts),
        lambda: MetricInterval().from_predictions(Y, counts),
        lambda: comparison.from_predictions(counts, {"A": S, "B": S}),
        lambda: comparison.from_predictions(Y, {"A": S, "B": counts}),
        lambda: RankCounts().update(counts, counts),
    ]
    message = r"item by item.*HitCurveDisplay\(hit_curve|must be left out where `y_tr"
    for ask in refused:
        with pytest.raises(ValueError, match=message):
            ask()


# Whole columns


class Sliced:
    """What h5py and zarr give: a shape, a length, and arrays for slices."""

    def __init__(self, values):
        self.values, self.shape = values, values.shape

    def __len__(self):
        return len(self.values)

    def __getitem__(self, piece):
        assert isinstance(piece, slice)
        return np.asarray(self.values[piece])


def as_memmap(folder, name, values):
    path = folder / name
    np.asarray(values).tofile(path)
    return np.memmap(path, dtype=np.asarray(values).dtype, mode="r")


KINDS = {
    "list": lambda values: values.tolist(),
    "tuple": lambda values: tuple(values.tolist()),
    "array": np.asarray,
    "sliced": Sliced,
    "pandas": lambda values: pytest.importorskip("pandas").Series(
        values, index=np.arange(values.size)[::-1]
    ),
    "polars": lambda values: pytest.importorskip("polars").Series(values),
    "pyarrow": lambda values: pytest.importorskip("pyarrow").array(values),
}


@pytest.mark.parametrize("kind", [*KINDS, "memmap"])
def test_columns_of_any_kind(kind, tmp_path):
    columns = tied_columns()
    if kind == "memmap":
        given = tuple(as_memmap(tmp_path, str(i), c) for i, c in enumerate(columns))
    else:
        given = tuple(map(KINDS[kind], columns))
    counts = RankCounts.from_predictions(*given, chunk_size=7)
    assert_same_answers(counts, columns)


@pytest.mark.parametrize(
    ("given", "settings", "message"),
    [
        (([0, 1], [0.5]), {}, "as many items as `y_true`; got 1 and 2"),
        (([0, 1], iter([0.5, 0.2])), {}, "`y_score` must be one-dimensional"),
        ((3, [0.5]), {}, "`y_true` must be one-dimensional; got int"),
        (([0, 1], csr_array([[0.0, 0.5]])), {}, "one-dimensional; got csr_array"),
        (([], []), {}, "at least one item"),
        (([0, 1], [0.5, 0.2]), {"chunk_size": 0}, "`chunk_size` must be an int"),
        (([0, 1], [0.5, 0.2]), {"progress": 1}, "`progress` must be True or False"),
    ],
)
def test_columns_that_cannot_be_counted(given, settings, message):
    with pytest.raises(ValueError, match=message):
        RankCounts.from_predictions(*given, **settings)


# Sources of chunks

CHUNKS = [([1, 0], [3.0, 8.0]), ([], []), ([0, 1], [7.0, 6.0]), ([0], [5.0])]
VALUE = average_precision_score([1, 0, 0, 1, 0], [3.0, 8.0, 7.0, 6.0, 5.0])


@pytest.mark.parametrize(
    "chunks",
    [CHUNKS, lambda: iter(CHUNKS), lambda: CHUNKS],
    ids=["list", "function of an iterator", "function of a list"],
)
@pytest.mark.parametrize("progress", [False, True])
def test_chunks_may_be_gone_over_in_any_way(chunks, progress, capsys):
    if progress:
        pytest.importorskip("tqdm")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm without widgets
        counts = RankCounts.from_chunks(chunks, progress=progress)
    found = average_precision(counts, ties="together")
    assert found == pytest.approx(VALUE, rel=1e-12)
    shown = capsys.readouterr().err
    assert ("first pass" in shown) is ("second pass" in shown) is progress


def test_a_reader_may_fill_the_same_arrays_again():
    y_true, y_score = (column.reshape(20, 10) for column in tied_columns())
    labels, scores = np.zeros(10, dtype=int), np.zeros(10)

    def read():
        for labels[:], scores[:] in zip(y_true, y_score, strict=True):
            yield labels, scores

    counts = RankCounts.from_chunks(read)
    assert average_precision(counts) == average_precision(*tied_columns())


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (iter(CHUNKS), "iterable twice.*a function that returns.*got list_iterator"),
        ((pair for pair in CHUNKS), "got generator"),
        (lambda: None, "iterable twice.*got NoneType"),
        (iter(CHUNKS).__iter__, "same items in both passes.*got 0 items of 5 and 0"),
        (3, "got int"),
        ([3], "pairs .y_true, y_score.; got int"),
        ([([1, 0],)], "pairs"),
        ([], "at least one item"),
        ([([1, 0], [0.5, 0.2]), ([1], [math.nan])], "finite.*in chunk 1, counted fr"),
        (
            [([1, 0], [0.9, 0.8]), ([0, 1], [2, 3])],
            "`dtype` of a reader.*int64 after float64.*in chunk 1",
        ),
    ],
)
def test_chunks_that_cannot_be_counted(chunks, message):
    with pytest.raises(ValueError, match=message):
        RankCounts.from_chunks(chunks)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ([0, 2], "got 4 items of 5 and 2 targets of 2 in the second"),
        ([0, 2, 3, 3], "got 6 items of 5; the last chunk is left out.*in chunk 3"),
    ],
)
def test_chunks_that_change_between_the_passes(second, message):
    turns = iter([range(4), second])
    with pytest.raises(ValueError, match=message):
        RankCounts.from_chunks(lambda: [CHUNKS[i] for i in next(turns)])
