"""
.. _sphx_glr_auto_examples_plot_own_metric.py:

A metric of one's own
=====================

A metric that is a sum of gains down the ranking has a null distribution, whoever wrote
it. Here it is discounted cumulative gain (DCG) over that of the best ranking: a target
at rank r gains 1 / log2(r + 1).
"""

# %%
# The metric
# ----------
# A subclass of `Measure` says what a tie group of `size` items with `hits` targets
# adds below `above` items with `hits_above` targets, and what the sum is divided by.
# This one knows the tie rule "expected": a target gains the mean discount over the
# ranks of its tie. In long rankings the null distribution asks for places between two
# ranks, so that the sums of discounts are interpolated.

from functools import lru_cache

import numpy as np
from sklearn.metrics import ndcg_score

from skrank import (
    Measure,
    NullDistributionDisplay,
    RandomSelectionNull,
    RandomSelectionTest,
)


@lru_cache
def sums_of_discounts(n):
    return np.r_[0, np.cumsum(1 / np.log2(np.arange(n) + 2))]


def discounts_above(depth, frame):
    n = frame.n_samples
    return np.interp(depth, np.arange(n + 1), sums_of_discounts(n))


class NDCG(Measure):
    template = "ndcg"

    def gain(self, above, size, hits_above, hits, frame):
        gained = discounts_above(above + size, frame) - discounts_above(above, frame)
        return hits / size * gained

    def divisor(self, frame):
        return discounts_above(frame.n_targets, frame)


# %%
# Value and p-value
# -----------------
# The test takes the metric in place of a name. 1000 items, 20 of them targets, have
# scores rounded to one digit, so that there are ties. The value is scikit-learn's.

rng = np.random.default_rng(0)
y_true = np.isin(np.arange(1000), rng.choice(1000, 20, replace=False))
y_score = np.round(rng.normal(1.5 * y_true), 1)
metric = NDCG()
result = RandomSelectionTest(metric).from_predictions(y_true, y_score)
print(result)
print(f"\nscikit-learn: {ndcg_score([y_true], [y_score]):.4f}")

# %%
# The null distribution
# ---------------------
# It needs no data. The chance level of a ranking without ties is far above 0, since the
# discount falls slowly: even the last of 1000 ranks has a tenth of the first.

null = RandomSelectionNull(1000, 20, metric)
print(f"chance level {null.mean():.3f}, critical value at 1 % {null.isf(0.01):.3f}")

display = NullDistributionDisplay.from_result(result)
display.ax_.set_title(f"p = {result.pvalue:.2g}")
