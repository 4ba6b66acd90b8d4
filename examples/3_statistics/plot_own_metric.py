"""
.. _sphx_glr_auto_examples_plot_own_metric.py:

Define your own metric
======================

Does your field use a metric that skrank does not have? If it is a sum
of gains over the ranking, a small class gives it a null distribution,
intervals, comparisons and a scorer. This example defines
:func:`~skrank.ndcg` again, with an additional setting: a target at
rank r gains 1 / log(r + 1), but the first ranks can all gain the same.
The sum is divided by the sum of the best ranking.
"""

# %%
# The metric
# ----------
# A subclass of :class:`~skrank.Metric` defines the gain of a tie group.
# The group has ``size`` items with ``hits`` targets. ``above`` items
# with ``hits_above`` targets are ranked higher. The gain is the mean
# over all orders within the tie. A setting is a field of a frozen
# dataclass: here all ranks up to ``patience`` gain the same.
# :ref:`own_metrics` lists what a metric must define.

from dataclasses import dataclass

import numpy as np

from skrank import Metric


@dataclass(frozen=True)
class NDCG(Metric):
    patience: int = 1

    template = "ndcg(patience={0.patience})"
    bounds = 0.0, 1.0

    def discounts(self, depth, n):
        rank = np.maximum(np.arange(n) + 1, self.patience)
        sums = np.r_[0, np.cumsum(1 / np.log2(rank + 1))]
        return np.interp(depth, np.arange(n + 1), sums)

    def gain(self, above, size, hits_above, hits, frame):
        n = frame.n_samples
        total = self.discounts(above + size, n) - self.discounts(
            above, n
        )
        return hits / size * total

    def divisor(self, frame):
        return self.discounts(frame.n_targets, frame.n_samples)


# %%
# The gain of a single target falls slowly with its rank, compared with
# the reciprocal rank:

import matplotlib.pyplot as plt

rank = np.arange(1, 101)
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for metric in NDCG(), NDCG(patience=10):
    gains = np.diff(metric.discounts(np.arange(101), 100))
    ax.plot(rank, gains, label=metric.name)
ax.plot(rank, 1 / rank, "--", label="reciprocal rank")
ax.set(xlabel="rank of the target", ylabel="gain")
_ = ax.legend()

# %%
# Value and p-value
# -----------------
# The scores are rounded, so that some items are tied.

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
# The null distribution depends only on the numbers of items and
# targets. The null mean is far above 0, because the gain falls slowly
# with the rank. The right tail is heavy: the observed value has a
# z-score of 7.8, for which a normal distribution would give a p-value
# of 2e-15.

from skrank import NullDistributionDisplay, RandomSelectionNull

null = RandomSelectionNull(1000, 20, metric)
print(f"null mean {null.mean():.3f}, critical value at 1 % ", end="")
print(f"{null.isf(0.01):.3f}")

display = NullDistributionDisplay.from_result(result)

# %%
# Intervals and comparisons
# -------------------------
# Every class accepts the metric in place of a name. Is the loss of a
# noisy model below 0.1? A large p-value means that this is not shown.

from skrank import MetricInterval, RankingComparison

print(MetricInterval(metric).from_predictions(y_true, y_score))

noisy = y_score + rng.normal(size=1000)
models = {"noisy": noisy, "model": y_score}
test = RankingComparison(metric)
comparison = test.from_predictions(y_true, models)
print(comparison)
p = comparison.noninferiority_pvalue(0.1)
print(f"p of a loss below 0.1: {p:.2f}")

# %%
# A scorer for cross-validation and searches:

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from skrank import make_metric_scorer

X = np.stack([y_score, noisy], axis=1)
scorer = make_metric_scorer(NDCG(patience=10))
model = LogisticRegression()
scores = cross_val_score(model, X, y_true, scoring=scorer)
print(f"{scorer.__name__}: {scores.mean():.2f}")
