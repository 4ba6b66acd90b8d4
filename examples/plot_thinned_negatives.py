"""
Thinned negatives
=================

Of 200,000 compounds that were screened 200 are active. To save time, the model is
tested on the active ones and on one in fifty of the others. How good is its ranking of
all?
"""

# %%
# What was kept
# -------------
# Here all are known, so that the answer can be checked.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
active = np.arange(200_000) < 200
score = rng.normal(3.0 * active)
kept = active | (rng.random(active.size) < 0.02)
y, s = active[kept], score[kept]

# %%
# The thinned ranking looks far better than that of all compounds:

from skrank import average_precision

pd.Series(
    {
        "thinned": average_precision(y, s),
        "all": average_precision(active, score),
    },
    name="average precision",
)

# %%
# Estimate
# --------
# How many of the removed compounds stand above an active one is known from the order of
# the kept ones as far as these reach, and from the tail of their scores beyond.

import warnings

from skrank import deployment_estimate

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that the estimate rests on the tail
    result = deployment_estimate(y, s, negatives_kept=0.02, random_state=0)
result

# %%
# Other metrics, at other rates
# -----------------------------
# Precision among the first hundred of all compounds, and at the prevalence of another
# library:

names = ["precision@100", "enrichment_factor@0.1%", "average_precision"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    rows = [
        deployment_estimate(y, s, name, prevalence=p, random_state=0).to_dict()
        for name in names
        for p in (0.001, 0.01)
    ]
table = pd.DataFrame(rows)
table[["metric", "prevalence", "plug_in", "estimate", "low", "high"]].round(3)

# %%
# The more are kept, the surer
# ----------------------------

import matplotlib.pyplot as plt

rates = [0.005, 0.01, 0.02, 0.05, 0.1, 0.3]
found = []
for rate in rates:
    some = active | (rng.random(active.size) < rate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.append(
            deployment_estimate(
                active[some], score[some], negatives_kept=rate, random_state=0
            )
        )
low, high = np.transpose([one.confidence_interval() for one in found])

fig, ax = plt.subplots(layout="constrained")
ax.fill_between(rates, low, high, alpha=0.2, label="95 % interval")
ax.plot(rates, [one.estimate for one in found], "o-", label="estimate")
ax.plot(rates, [one.plug_in for one in found], "s--", label="plug-in")
ax.axhline(average_precision(active, score), color="0.4", ls=":", label="all")
ax.set(xscale="log", xlabel="share of the inactive ones that is kept")
ax.set(ylabel="average precision", ylim=(0, None))
_ = ax.legend()
