"""
.. _example_recall_coverage:

.. _sphx_glr_auto_examples_plot_recall_coverage.py:

Coverage of confidence intervals for recall
===========================================

How often does a 95 % interval of recall contain the true value? Su and
Zhang treat the rank of a target as a survival time: recall at t is the
share of targets found by rank t. This view gives standard errors of
recall and average precision (AP). Their table has the coverage of the
intervals on 10,000 random rankings. This example computes the table for
recall without a simulation, and the row of AP with one.

The source is Su and Zhang, "Statistical inference for recall, precision
and average precision", slides, University of Alberta.
"""

# %%
# The printed values
# ------------------
# A ranking has 3000 items, and 245 of them are targets. The columns are
# the mean and the standard deviation of the estimate, the mean of the
# standard error, and the coverage of 80 % and 95 % intervals.

import numpy as np
import pandas as pd

N, M = 3000, 245
COLUMNS = ["mean", "std", "mean error", "80 %", "95 %"]
slides = {
    50: (0.01680, 0.00791, 0.00793, 0.7407, 0.9241),
    100: (0.03341, 0.01108, 0.01130, 0.7763, 0.9160),
    245: (0.08168, 0.01682, 0.01739, 0.8014, 0.9406),
    500: (0.16675, 0.02289, 0.02373, 0.8206, 0.9563),
    1500: (0.49948, 0.03052, 0.03188, 0.8208, 0.9538),
    2500: (0.83296, 0.02290, 0.02375, 0.8197, 0.9541),
}

# %%
# Recall, exactly
# ---------------
# The number of hits among the first t items is hypergeometric. The
# standard error of recall r is sqrt(r (1 - r) / m). The coverage is the
# total probability of all numbers of hits whose interval contains the
# true mean t/n.

from scipy.stats import hypergeom, norm

hits = np.arange(M + 1)
recall = hits / M
error = np.sqrt(recall * (1 - recall) / M)


def exact_row(t):
    weight = hypergeom.pmf(hits, N, M, t)
    covered = [
        weight
        @ (np.abs(recall - t / N) <= norm.isf((1 - level) / 2) * error)
        for level in (0.8, 0.95)
    ]
    std = hypergeom.std(N, M, t) / M
    return t / N, std, weight @ error, *covered


exact = {t: exact_row(t) for t in slides}
table = pd.concat(
    {
        "slides": pd.DataFrame(slides, index=COLUMNS).T,
        "exact": pd.DataFrame(exact, index=COLUMNS).T,
    }
)
table.swaplevel().sort_index(ascending=[True, False]).round(4)

# %%
# The printed values of recall are right: the coverages differ from the
# exact values by at most two standard errors of a simulation with
# 10,000 rankings. The differences in these units:

difference = table.loc["slides"] - table.loc["exact"]
share = table.loc["exact"]
simulation = np.sqrt(share * (1 - share) / 10_000)
(difference / simulation)[["80 %", "95 %"]].round(1)

# %%
# Two reasons for wrong coverage
# ------------------------------
# At large depths the intervals are too wide. The survival view treats
# the targets as independent, but random selection is without
# replacement. The variance is too large by a factor that is the same at
# all depths: (n-1)/(n-m) - 1/m. The standard error is too large by 4 %.

ratio = (N - 1) / (N - M) - 1 / M
print(f"{np.sqrt(ratio):.4f}")

# %%
# At small depths there are few hits. Each number of hits has one
# interval, and the coverage jumps at each depth at which an interval
# begins or ceases to contain the mean.

import matplotlib.pyplot as plt

depth = np.arange(20, 2801, 5)
lines = np.array([exact_row(t)[3:] for t in depth])
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.plot(depth, lines, lw=0.9, label=["exact, 80 %", "exact, 95 %"])
for column in (3, 4):
    values = [row[column] for row in slides.values()]
    ax.plot(list(slides), values, "ko", mfc="white")
ax.plot([], [], "ko", mfc="white", label="slides")
for level in (0.8, 0.95):
    ax.axhline(level, color="0.5", ls="--", lw=1)
ax.set(xscale="log", ylim=(0.6, 1.0), xlabel="depth t")
ax.set_ylabel("coverage")
_ = ax.legend(loc="lower right")

# %%
# Average precision
# -----------------
# AP is the sum of r(t)/t over the ranks t of the targets, and the
# covariance of r(s) and r(t) is r(s) (1 - r(t)) / m.
# ``method="survival"`` of :class:`~skrank.MetricInterval` uses this
# formula.


def survival_error(ranks, recall):
    found, left = recall / ranks, (1 - recall) / ranks
    later = np.cumsum(left[..., ::-1], axis=-1)[..., ::-1] - left
    return np.sqrt(np.sum(found * (left + 2 * later), axis=-1) / M)


rng = np.random.default_rng(0)
order = np.argpartition(rng.random((10_000, N)), M, axis=1)
ranks = np.sort(order[:, :M] + 1, axis=1)
i = np.arange(1, M + 1)
ap = np.mean(i / ranks, axis=1)

# %%
# Both give the same standard error for one ranking:

from skrank import MetricInterval

y_true = np.isin(np.arange(1, N + 1), ranks[0])
interval = MetricInterval(method="survival")
result = interval.from_predictions(y_true, -np.arange(N))

by_formula = survival_error(ranks, i / M)[0]
print(f"{result.standard_error:.6f} and {by_formula:.6f}")

# %%
# The slides print a mean error of 0.00514, and the formula gives
# 0.0058. A variant that counts each hit after its own rank, with the
# recall (i-1)/m at hit i, fits the printed values within the error of
# the simulation. The row in brackets in the slides is then the coverage
# of another mean, 0.08164, which is m/(n+1). This is an inference from
# the numbers.

from skrank import RandomSelectionNull

truth = RandomSelectionNull(N, M).mean()
rows = {"slides": (0.00514, 0.7642, 0.9320, 0.7586, 0.9359)}
variants = {"survival": i / M, "before the hit": (i - 1) / M}
for name, recall_at_hit in variants.items():
    ap_error = survival_error(ranks, recall_at_hit)
    covered = [
        np.mean(
            np.abs(ap - mean) <= norm.isf((1 - level) / 2) * ap_error
        )
        for mean in (truth, 0.08164)
        for level in (0.8, 0.95)
    ]
    rows[name] = (ap_error.mean(), *covered)
columns = ["mean error", "80 %", "95 %", ".08164, 80 %", ".08164, 95 %"]
pd.DataFrame(rows, index=columns).T.round(5)

# %%
# For good rankings the intervals of the survival view are much too
# wide. :ref:`validation_methods` compares the coverage of the methods.
