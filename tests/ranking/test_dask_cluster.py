"""Rankings on a cluster of dask, of real worker processes that may die."""

import itertools
import os

import numpy as np
import pytest

import skrank
from cases import ALL, TIES, WITHOUT_TIES, metric_function
from skrank import RankCounts, average_precision

distributed = pytest.importorskip("distributed")
pytest.importorskip("pandas")

import dask
import dask.array as da

from cases import assert_same_answers
from dask_cases import UNEVEN, in_arrays, in_frame, tied_columns

pytestmark = pytest.mark.nightly

COLUMNS = tied_columns()


def test_every_metric_on_a_cluster(client):
    counts = RankCounts.from_predictions(*in_arrays(COLUMNS))
    for case in ALL:
        metric = metric_function(case)
        for ties in TIES if ALL[case][0] not in WITHOUT_TIES else TIES[:1]:
            assert metric(counts, ties=ties) == metric(*COLUMNS, ties=ties)


@pytest.mark.parametrize("how", [in_arrays, in_frame])
def test_metrics_curves_and_the_test_on_a_cluster(client, how):
    data = how(COLUMNS)
    for metric in (average_precision, skrank.r_precision):
        assert metric(*data, n_missed=2) == metric(*COLUMNS, n_missed=2)
    assert_same_answers(data, COLUMNS)


def test_a_worker_that_is_killed_in_the_second_pass(client, tmp_path):
    """Its partitions are counted again by another."""
    passes, killed = tmp_path / "passes", tmp_path / "killed"

    def read(scores, number):
        """Scores of a partition; the last one dies once when it is read again."""
        if number == 5:
            if passes.exists() and not killed.exists():
                killed.touch()
                os.kill(os.getpid(), 9)
            passes.touch()
        return scores

    edges = np.cumsum((0, *UNEVEN))
    parts = [
        da.from_delayed(
            dask.delayed(read)(COLUMNS[1][a:b], number), (b - a,), COLUMNS[1].dtype
        )
        for number, (a, b) in enumerate(itertools.pairwise(edges))
    ]
    y_score = da.concatenate(parts)
    assert average_precision(COLUMNS[0], y_score) == average_precision(*COLUMNS)
    assert killed.exists()
