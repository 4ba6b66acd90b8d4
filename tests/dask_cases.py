"""Columns in the partitions of dask; what needs it is skipped without."""

import itertools

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")
pd = pytest.importorskip("pandas")

UNEVEN = (50, 0, 1, 300, 0, 49)


def tied_columns():
    """Labels and scores with ties, the targets among the last items."""
    rng = np.random.default_rng(0)
    y_true = np.zeros(400, dtype=np.int8)
    y_true[rng.choice(np.arange(150, 400), 30, replace=False)] = 1
    return y_true, (rng.normal(size=400) + y_true).round(1).astype(np.float32)


def in_arrays(columns, chunks=(UNEVEN,)):
    return tuple(da.from_array(column, chunks=chunks) for column in columns)


def in_frame(columns, sizes=UNEVEN):
    """Columns of a data frame of partitions whose sizes dask does not know."""
    edges = np.cumsum((0, *sizes))
    parts = [
        dask.delayed(
            pd.DataFrame({"y": columns[0][a:b], "s": columns[1][a:b]}), traverse=False
        )
        for a, b in itertools.pairwise(edges)
    ]
    frame = dd.from_delayed(parts, meta={"y": np.int8, "s": np.float32})
    return frame["y"], frame["s"]
