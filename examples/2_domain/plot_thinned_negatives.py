"""
Thinned negatives of a large library
====================================

A library has 200,000 compounds, and 200 of them are active. To save
time, the model is tested on all active compounds and on 2 % of the
other compounds. The example estimates the metric for the whole library.
"""

# %%
# A simulated library
# -------------------

import numpy as np

rng = np.random.default_rng(0)
active = np.arange(200_000) < 200
score = rng.normal(2.5 * active)
kept = active | (rng.random(active.size) < 0.02)
y, s = active[kept], score[kept]

# %%
# The value of the sample is much too large. In this simulation the
# value of the library is known.

import pandas as pd

from skrank import average_precision

pd.Series(
    {
        "sample": average_precision(y, s),
        "library": average_precision(active, score),
    },
    name="average precision",
).round(3)

# %%
# Estimate
# --------
# The estimate uses the order of the sample and the tail of its scores.
# It warns if it depends on the tail of the scores.

import warnings

from skrank import deployment_estimate

warnings.filterwarnings("ignore", "Fewer than 10 non-targets")
deployment_estimate(y, s, negatives_kept=0.02, random_state=0)

# %%
# The AP of the library, 0.178, is within both intervals. ``plug-in`` is
# a simpler estimate by weights, and ``bounds`` are estimates from the
# order alone.
#
# Other metrics and prevalences
# -----------------------------
# The same sample gives the metrics at another prevalence:

names = ["precision@100", "enrichment_factor@0.1%"]
rows = [
    deployment_estimate(
        y, s, name, prevalence=prevalence, random_state=0
    ).to_dict()
    for name in names
    for prevalence in (0.001, 0.01)
]
columns = ["metric", "prevalence", "plug_in", "estimate", "low", "high"]
pd.DataFrame(rows)[columns].round(3)

# %%
# The share that is kept
# ----------------------
# Each share has a sample of its own. With more non-targets the
# interval becomes shorter, and plug-in and estimate come close.

import matplotlib.pyplot as plt

rates = [0.005, 0.01, 0.02, 0.05, 0.1]
results = []
for rate in rates:
    some = active | (rng.random(active.size) < rate)
    results.append(
        deployment_estimate(
            active[some],
            score[some],
            negatives_kept=rate,
            random_state=0,
        )
    )
low, high = np.transpose([r.confidence_interval() for r in results])
truth = average_precision(active, score)

fig, ax = plt.subplots(layout="constrained")
ax.fill_between(rates, low, high, alpha=0.2, label="95 % interval")
ax.plot(rates, [r.estimate for r in results], "o-", label="estimate")
ax.plot(rates, [r.plug_in for r in results], "s--", label="plug-in")
ax.axhline(truth, color="0.4", ls=":", label="library")
ax.set(xscale="log", xlabel="share of the non-targets that is kept")
ax.set(ylabel="average precision", ylim=(0, None))
_ = ax.legend()
