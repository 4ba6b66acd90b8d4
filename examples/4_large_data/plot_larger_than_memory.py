"""
Scores that do not fit into memory
==================================

Your scores are in files that are larger than memory. skrank reads them
twice, in chunks, and counts the items above each target. It neither
loads nor sorts the whole ranking. Metrics, curves and tests have the
same values as for the whole ranking in memory.
"""

# %%
# Scores on disk
# --------------
# The code writes three million items in chunks; 300 of them are
# targets. More items need more time, but not more memory.

import tempfile
from pathlib import Path

import numpy as np

n_samples, step = 3_000_000, 500_000
folder = tempfile.TemporaryDirectory()
path = Path(folder.name)
rng = np.random.default_rng(0)
y = np.lib.format.open_memmap(
    path / "y.npy", "w+", np.uint8, (n_samples,)
)
y[rng.choice(n_samples, 300, replace=False)] = 1
score = np.lib.format.open_memmap(
    path / "score.npy", "w+", np.float32, (n_samples,)
)
parts = [slice(i, i + step) for i in range(0, n_samples, step)]
for part in parts:
    score[part] = rng.standard_normal(step) + 2.5 * y[part]

# %%
# Count
# -----
# The first pass collects the scores of the targets. The second pass
# counts the items with higher scores and with equal scores. skrank
# calls the function once for each pass. :ref:`large_data` has such
# functions for Parquet files, DuckDB and Polars.

from skrank import RankCounts


def read():
    for part in parts:
        yield y[part], score[part]


counts = RankCounts.from_chunks(read)
counts

# %%
# Metrics and test
# ----------------
# Pass the counts in place of labels and scores. The files are not read
# again.

import pandas as pd

from skrank import average_precision, enrichment_factor

pd.Series(
    {
        "average_precision": average_precision(counts),
        "enrichment_factor@0.1%": enrichment_factor(counts, t=0.001),
    }
).round(4)

# %%

from skrank import RandomSelectionTest

RandomSelectionTest("recall@0.1%").from_predictions(counts)

# %%
# Hit curve
# ---------
# The curve is exact, and has two points for each target.

from skrank import HitCurveDisplay

display = HitCurveDisplay.from_predictions(
    counts, name="scores on disk"
)
_ = display.ax_.set(xscale="log", xlim=(1, n_samples))

# %%
# Several workers
# ---------------
# Each worker counts a part of the items. Add the counts:


def count(part, counts):
    counts.update(y[part], score[part])
    return counts


first = sum(count(part, RankCounts()) for part in parts)
second = sum(count(part, first.second_pass()) for part in parts)
round(average_precision(second), 4)

# %%

folder.cleanup()
