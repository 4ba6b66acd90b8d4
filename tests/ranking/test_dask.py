"""Rankings in the partitions of dask: the answers are those of arrays in memory."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import skrank
from dask_cases import UNEVEN, in_arrays, in_frame, tied_columns
from skrank import RankCounts, average_precision

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
    ]
    for data in others:
        assert average_precision(*data) == expected


def test_columns_that_do_not_go_together(columns):
    y_true, y_score = in_arrays(columns)
    unequal = in_frame(columns, (51, 0, 0, 300, 0, 49))
    refused = [
        ((y_true, y_score[:300]), "same partitions.*got 300 and 400 items"),
        ((columns[0], y_score[:300]), "got 400 items beside 300"),
        ((in_frame(columns, (200, 200))[0], y_score), "got 6 and 2 partitions"),
        (
            (unequal[0], y_score),
            "as many items as `y_true`; got (50 and 51|1 and 0).*in chunk",
        ),
        ((y_true, y_score.reshape(-1, 1)), "`y_score` must be one-dimensional"),
        ((y_true.reshape(-1, 1), y_score), "`y_true` must be one-dimensional"),
        ((y_true, dask.delayed([0.5])), "`y_score` must be one-dimensional"),
        ((y_true, [columns[1]]), "`y_score` must be one-dimensional"),
        ((y_true, RankCounts.from_arrays(*columns)), "must be given item by item"),
        ((y_true, bag.from_sequence([0.5])), "one-dimensional.* got Bag"),
    ]
    for data, message in refused:
        with pytest.raises(ValueError, match=message):
            average_precision(*data)


def test_labels_of_any_kind_in_a_frame(columns):
    y_true = np.where(columns[0] == 1, "hit", "miss")
    frame = dd.from_pandas(pd.DataFrame({"y": y_true, "s": columns[1]}), npartitions=3)
    value = average_precision(frame["y"], frame["s"], pos_label="hit")
    assert value == average_precision(*columns)


def test_what_is_refused_in_a_partition_is_named(columns):
    y_score = columns[1].copy()
    y_score[60] = np.nan
    with pytest.raises(ValueError, match="finite.*in chunk 3, counted from 0"):
        average_precision(*in_arrays((columns[0], y_score)))


def test_scores_that_are_drawn_anew_are_refused():
    rng = np.random.default_rng(0)
    parts = [
        da.from_delayed(dask.delayed(rng.random, pure=False)(5), (5,), float)
        for _ in range(2)
    ]
    with pytest.raises(ValueError, match="(first pass; got|must not change).*in chunk"):
        average_precision(da.from_array([0, 1] * 5, chunks=5), da.concatenate(parts))


def test_a_list_longer_than_what_is_known_whole():
    rng = np.random.default_rng(0)
    y_true = rng.random(1_500_000) < 1e-4
    y_score = (rng.normal(size=y_true.size) + y_true).astype(np.float32)
    data = in_arrays((y_true, y_score), 200_000)
    curve, expected = skrank.hit_curve(*data), skrank.hit_curve(y_true, y_score)
    np.testing.assert_array_equal(curve.hits, expected.hits)
    np.testing.assert_array_equal(curve.tie_ends, expected.tie_ends)


def test_partitions_of_unequal_lengths_are_told_from_empty_ones(columns):
    data = in_frame(columns)[0], in_frame(columns, (49, 1, 1, 300, 0, 49))[1]
    with pytest.raises(
        ValueError, match=r"as many items as `y_true`; got (1 and 0|49)"
    ):
        average_precision(*data)


def test_delayed_values_are_no_columns(columns):
    for data in ((columns[0], dask.delayed(columns[1])), (dask.delayed([1]), [0.5])):
        with pytest.raises(ValueError, match="be sliceable.*got Delayed"):
            RankCounts.from_arrays(*data)
        with pytest.raises(ValueError, match="one-dimensional; got Delayed"):
            average_precision(*data)


def test_settings_that_dask_has_itself(columns):
    data = in_arrays(columns)
    for settings in ({"n_jobs": 2}, {"chunk_size": 10}, {"progress": True}):
        with pytest.raises(ValueError, match="must be left out with dask"):
            RankCounts.from_arrays(*data, **settings)
    with pytest.raises(ValueError, match="`sample_weight` must be left out with dask"):
        average_precision(*data, sample_weight=np.ones(400))
    with pytest.raises(ValueError, match="`y_score` must be given"):
        average_precision(data[0])


def test_what_needs_the_list_in_memory_does_not_fetch_it(columns):
    """Nothing is computed unasked."""
    y_true, y_score = columns
    given = in_arrays(columns), in_frame(columns)
    comparison = skrank.RankingComparison("average_precision")
    refused = [
        lambda y, s: skrank.MetricInterval().from_predictions(y, s),
        lambda y, s: skrank.hit_curve_band(y, s),
        lambda y, s: comparison.from_predictions(y_true, y_score, s),
        lambda y, s: skrank.RankingEvaluation().add(y, s),
        lambda y, s: skrank.ranking_report(y, {"a": y_score}),
        lambda y, s: average_precision(y_true, y_score, sample_weight=s),
        lambda y, s: RankCounts().update(y, s),
        lambda y, s: RankCounts(pos_label="a").update(y, s),
        lambda y, s: RankCounts.from_chunks([(y, s)], n_jobs=2),
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
