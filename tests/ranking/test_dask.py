"""Rankings in the partitions of dask: the answers are those of arrays in memory."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import skrank
from dask_cases import UNEVEN, in_arrays, in_frame, tied_columns
from skrank import RankCounts, average_precision
from skrank.ranking import _tie_search

pytestmark = pytest.mark.contract

bag = pytest.importorskip("dask.bag")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")
pd = pytest.importorskip("pandas")


@pytest.fixture
def columns():
    """Columns in memory."""
    return tied_columns()


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
@pytest.mark.parametrize(
    "sizes",
    [(400,), UNEVEN, (*(1,) * 40, 360), (0, 400, 0)],
    ids=["one", "uneven", "single", "0"],
)
def test_partitions_of_any_size(columns, sizes, scheduler):
    with dask.config.set(scheduler=scheduler):
        for data in (in_arrays(columns, (sizes,)), in_frame(columns, sizes)):
            assert average_precision(*data) == average_precision(*columns)


def test_columns_that_are_split_otherwise(columns):
    y_true, y_score = in_arrays(columns)
    expected = average_precision(*columns)
    others = [
        (y_true.rechunk(7), y_score),
        (columns[0], y_score),
        (y_true, columns[1]),
        (columns[0].tolist(), y_score),
        (columns[0], in_frame(columns)[1]),
        (in_frame(columns)[0], columns[1]),
        (y_true, in_frame(columns)[1]),
        (in_frame(columns)[0], y_score),
        (in_frame(columns)[0].to_dask_array(), y_score),
        (in_frame(columns, (200, 200))[0], y_score),
    ]
    for data in others:
        assert average_precision(*data) == expected


def test_a_column_of_pandas_in_another_order_is_refused(columns):
    labels, scores = map(pd.Series, columns)
    lazy = [dd.from_pandas(one, npartitions=4) for one in (labels, scores)]
    expected = average_precision(labels, scores)
    order = np.argsort(-scores.to_numpy(), kind="stable")
    for own, mixed in (
        (labels, lambda one: (one, lazy[1])),
        (scores, lambda one: (lazy[0], one)),
    ):
        assert average_precision(*mixed(own)) == expected
        assert average_precision(*mixed(own.to_numpy())) == expected
        for ask in (average_precision, RankCounts.from_predictions):
            with pytest.raises(ValueError, match="must have the index of `y_true`"):
                ask(*mixed(own.iloc[order]))


def test_columns_that_do_not_go_together(columns):
    y_true, y_score = in_arrays(columns)
    unequal = in_frame(columns, (51, 0, 0, 300, 0, 49))
    refused = [
        ((y_true, y_score[:300]), "same partitions.*got 300 and 400 items"),
        ((columns[0], y_score[:300]), "same partitions.*got 300 and 400 items"),
        ((in_frame(columns, (400,))[0], in_frame(columns)[1]), "got 6 and 1 partit"),
        ((unequal[0], in_frame(columns)[1]), "as many items as|at least one item"),
        ((y_true, y_score.reshape(-1, 1)), "`y_score` must be one-dimensional"),
        ((y_true.reshape(-1, 1), y_score), "`y_true` must be one-dimensional"),
        ((y_true, [columns[1]]), "`y_score` must be one-dimensional"),
        ((y_true, RankCounts.from_predictions(*columns)), "must be given item by item"),
        ((y_true, bag.from_sequence([0.5])), "one-dimensional.* got Bag"),
        ((columns[0], dask.delayed(columns[1])), "one-dimensional; got Delayed"),
    ]
    for data, message in refused:
        with pytest.raises(ValueError, match=message):
            average_precision(*data)


def test_an_interval_is_that_of_arrays(columns):
    ask = skrank.MetricInterval(method="jackknife")
    expected = ask.from_predictions(*columns).to_dict()
    assert ask.from_predictions(*in_frame(columns)).to_dict() == expected


def test_labels_of_any_kind_in_a_frame(columns):
    y_true = np.where(columns[0] == 1, "hit", "miss")
    frame = dd.from_pandas(pd.DataFrame({"y": y_true, "s": columns[1]}), npartitions=3)
    value = average_precision(frame["y"], frame["s"], pos_label="hit")
    assert value == average_precision(*columns)


def read_by(function, columns):
    """Labels, and scores of partitions that a function reads."""
    parts = [
        da.from_delayed(dask.delayed(function)(part), (part.size,), part.dtype)
        for part in np.split(columns[1], 4)
    ]
    return da.from_array(columns[0], chunks=100), da.concatenate(parts)


@pytest.mark.parametrize("error", [KeyError, OSError, RuntimeError, ValueError])
def test_an_error_in_a_partition_is_shown_with_a_note(error, columns):
    text = "my own"

    def read(scores):
        raise error(text)

    with pytest.raises(error, match=text) as raised:
        average_precision(*read_by(read, columns))
    assert "partitions by dask, on the active scheduler" in raised.value.__notes__[0]


def test_what_is_refused_in_a_partition_is_shown_with_a_note(columns):
    y_score = columns[1].copy()
    y_score[60] = np.nan
    with pytest.raises(ValueError, match="`y_score` must be finite") as raised:
        average_precision(*in_arrays((columns[0], y_score)))
    assert "partitions by dask" in raised.value.__notes__[0]


@pytest.fixture
def two_passes(monkeypatch):
    """As with long rankings, whose scores the first pass does not keep."""
    monkeypatch.setattr(_tie_search, "_LARGEST", 8)


@pytest.mark.usefixtures("two_passes")
def test_counts_of_two_passes(columns):
    assert average_precision(*in_arrays(columns)) == average_precision(*columns)


@pytest.mark.usefixtures("two_passes")
def test_scores_that_are_drawn_anew_are_refused(columns):
    rng = np.random.default_rng(0)
    y_score = da.from_delayed(dask.delayed(rng.random, pure=False)(400), (400,), float)
    with pytest.raises(ValueError, match="same scores of targets as in the first pass"):
        average_precision(da.from_array(columns[0], chunks=400), y_score)


@pytest.mark.usefixtures("two_passes")
def test_items_that_go_between_the_passes_are_refused(columns):
    sizes = iter([400, 390])

    def read():
        return pd.DataFrame({"y": columns[0], "s": columns[1]})[: next(sizes)]

    meta = {"y": np.int8, "s": np.float32}
    frame = dd.from_delayed([dask.delayed(read, pure=False)()], meta=meta)
    with pytest.raises(ValueError, match="same items in both.*got 390 items of 400"):
        average_precision(frame["y"], frame["s"])


def test_dask_without_clusters(columns, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert average_precision(*in_arrays(columns)) == average_precision(*columns)


def test_a_ranking_longer_than_what_is_known_whole():
    rng = np.random.default_rng(0)
    y_true = rng.random(1_500_000) < 1e-4
    y_score = (rng.normal(size=y_true.size) + y_true).astype(np.float32)
    data = in_arrays((y_true, y_score), 200_000)
    curve, expected = skrank.hit_curve(*data), skrank.hit_curve(y_true, y_score)
    np.testing.assert_array_equal(curve.hits, expected.hits)
    np.testing.assert_array_equal(curve.tie_ends, expected.tie_ends)


def test_settings_that_dask_has_itself(columns):
    data = in_arrays(columns)
    for settings in ({"chunk_size": 10}, {"progress": True}):
        with pytest.raises(ValueError, match="must be left out with dask"):
            RankCounts.from_predictions(*data, **settings)
    with pytest.raises(ValueError, match="`sample_weight` must be left out where"):
        average_precision(*data, sample_weight=np.ones(400))
    with pytest.raises(ValueError, match="`y_score` must be given"):
        average_precision(data[0])
    for name in ("groups", "clusters", "strata", "folds", "sample_weight"):
        with pytest.raises(ValueError, match=f"`{name}` must be left out with dask"):
            skrank.Rankings.from_predictions(*data, **{name: np.arange(400) % 4})


def test_what_needs_items_in_memory_does_not_fetch_them(columns):
    """Nothing is computed unasked."""
    y_true, y_score = columns
    given = in_arrays(columns), in_frame(columns)
    comparison = skrank.RankingComparison("average_precision")
    refused = [
        lambda y, s: skrank.hit_curve_band(y, s),
        lambda y, s: comparison.from_predictions(y_true, {"A": y_score, "B": s}),
        lambda y, s: skrank.RankingEvaluation().add(y, s),
        lambda y, s: average_precision(y_true, y_score, sample_weight=s),
        lambda y, s: RankCounts().update(y, s),
        lambda y, s: RankCounts.from_chunks([(y, s)]),
    ]
    with dask.config.set(scheduler=refuse_to_compute):
        for data, ask in itertools.product(given, refused):
            with pytest.raises(ValueError, match=r"in memory here.*compute\(\); got"):
                ask(*data)


def refuse_to_compute(*_, **__):
    raise AssertionError


def test_dask_is_not_loaded_for_arrays():
    code = (
        "import sys, skrank; skrank.average_precision([0, 1], [0.2, 0.1]); "
        "print('dask' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
