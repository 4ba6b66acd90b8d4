"""
Data larger than memory
=======================

A model has scored millions of items, and the scores lie on disk. They are counted in
two passes over chunks, never loaded and never sorted; the metrics, the hit curve and
the test against random selection are then those of the whole ranking.
"""

# %%
# Scores on disk
# --------------
# Three million items, 300 of them targets, written chunk by chunk. The same would do
# for three hundred million.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from skrank import (
    HitCurveDisplay,
    RandomSelectionTest,
    RankCounts,
    average_precision,
    enrichment_factor,
    hit_curve,
)

n_samples, n_targets, step = 3_000_000, 300, 500_000
folder = tempfile.TemporaryDirectory()
path = Path(folder.name)
rng = np.random.default_rng(0)

labels = np.lib.format.open_memmap(path / "y.npy", "w+", np.uint8, (n_samples,))
labels[rng.choice(n_samples, n_targets, replace=False)] = 1
scores = np.lib.format.open_memmap(path / "s.npy", "w+", np.float32, (n_samples,))
for start in range(0, n_samples, step):
    piece = slice(start, start + step)
    scores[piece] = rng.standard_normal(step) + 2.5 * labels[piece]
del labels, scores

# %%
# Count
# -----
# The first pass learns what the targets score, the second counts the items above and
# level with each. Between them the ranking must not change; that is checked.

y_true = np.load(path / "y.npy", mmap_mode="r")
y_score = np.load(path / "s.npy", mmap_mode="r")
counts = RankCounts.from_arrays(y_true, y_score)
print(counts)

# %%
# Metrics and test
# ----------------
# The counts stand for labels and scores. Many questions do not read the ranking again.

print(f"average precision {average_precision(counts):.4f}")
print(f"enrichment in the top 0.1 %: {enrichment_factor(counts, t=0.001):.0f} times")
print(RandomSelectionTest("recall@0.001").from_predictions(counts))

# %%
# Draw
# ----
# The curve is exact, and small: two points for each target.

plt.rcParams.update({"font.size": 11, "legend.frameon": False})
curve = hit_curve(counts)
fig, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
HitCurveDisplay(curve, name="scores on disk").plot(ax)
ax.set(xscale="log", xlim=(1, n_samples), title="300 targets among three million items")

# %%
# Several workers
# ---------------
# Workers can have a part of the ranking each. What they send back adds up: in the first
# pass the scores of their targets, in the second their counts.

parts = [slice(start, start + step) for start in range(0, n_samples, step)]


def look(part, counts):
    """Do a worker's share of a pass."""
    counts.update(y_true[part], y_score[part])
    return counts


first = sum(look(part, RankCounts()) for part in parts)
second = sum(look(part, first.second_pass()) for part in reversed(parts))
print(f"by {len(parts)} workers: {average_precision(second):.4f}")


# %%

folder.cleanup()
