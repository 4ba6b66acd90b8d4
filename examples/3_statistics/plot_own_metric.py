"""
.. _sphx_glr_auto_examples_plot_own_metric.py:

A metric of your own
====================

A metric that is a sum of gains over the ranking has a null
distribution. This example defines normalized discounted cumulative gain
(NDCG): a target at rank r gains 1 / log2(r + 1), and the sum is divided
by the sum of the best ranking.
"""

# %%
# The metric
# ----------
# A subclass of :class:`~skrank.Metric` defines the gain of a tie
# group. The group has ``size`` items with ``hits`` targets, below
# ``above`` items with ``hits_above`` targets. This metric uses the mean
# over all orders within the tie.

import numpy as np

from skrank import Metric


def discounts(depth, n):
    sums = np.r_[0, np.cumsum(1 / np.log2(np.arange(n) + 2))]
    return np.interp(depth, np.arange(n + 1), sums)


class NDCG(Metric):
    template = "ndcg"

    def gain(self, above, size, hits_above, hits, frame):
        ends = (above + size, above)
        low, high = (discounts(end, frame.n_samples) for end in ends)
        return hits / size * (low - high)

    def divisor(self, frame):
        return discounts(frame.n_targets, frame.n_samples)


# %%
# The gain of a single target falls slowly with its rank. The curve of
# the reciprocal rank is drawn for comparison.

import matplotlib.pyplot as plt

rank = np.arange(1, 101)
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(rank, np.diff(discounts(np.arange(101), 100)), label="NDCG")
ax.plot(rank, 1 / rank, "--", label="reciprocal rank")
ax.set(xlabel="rank of the target", ylabel="gain")
_ = ax.legend()

# %%
# Value and p-value
# -----------------
# Scores are rounded, so that some items are tied.

from skrank import RandomSelectionTest

rng = np.random.default_rng(0)
y_true = rng.permutation(np.arange(1000) < 20)
y_score = np.round(rng.normal(1.5 * y_true), 1)
metric = NDCG()
result = RandomSelectionTest(metric).from_predictions(y_true, y_score)
result

# %%
# scikit-learn computes the same value:

from sklearn.metrics import ndcg_score

print(f"{ndcg_score([y_true], [y_score]):.4f}")

# %%
# The null distribution
# ---------------------
# The null distribution needs no data. The null mean is far above 0,
# since the gain falls slowly with the rank. The right tail is heavy.
# The observed value has a z-score of 7.8, for which a normal
# distribution would give a p-value of 2e-15.

from skrank import NullDistributionDisplay, RandomSelectionNull

null = RandomSelectionNull(1000, 20, metric)
print(f"null mean {null.mean():.3f}, critical value at 1 % ", end="")
print(f"{null.isf(0.01):.3f}")

display = NullDistributionDisplay.of(result)
