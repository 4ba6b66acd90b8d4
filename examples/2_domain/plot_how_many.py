"""
How many items to inspect
=========================

A hit is worth 200, and an inspection costs 5. How many items of the
ranking should be inspected? The simultaneous band of the hit curve
gives the range of the profit. It holds at all depths at once, so the
depth may be chosen from the picture. The band is about mailings with
the same number of responders. In the last section, the number of
responders varies between mailings.
"""

# %%
# A simulated mailing
# -------------------
# 60 of 3000 customers respond.

import numpy as np

rng = np.random.default_rng(0)
responds = np.arange(3000) < 60
score = rng.normal(1.6 * responds)

# %%
# Hits and their band
# -------------------

from skrank import hit_curve, hit_curve_band

depths = np.arange(20, 2001, 20)
curve = hit_curve(responds, score)
hits = np.interp(depths, curve.t, curve.hits)
band = hit_curve_band(
    responds, score, t=depths.tolist(), random_state=0
)

# %%
# Profit
# ------

import pandas as pd


def profit(n_hits):
    return 200 * n_hits - 5 * depths


table = pd.DataFrame(
    {
        "hits": hits,
        "profit": profit(hits),
        "low": profit(band.low),
        "high": profit(band.high),
    },
    index=pd.Index(depths, name="items"),
)
table.loc[[100, 200, 400, 600, 800, 1200, 2000]].round(0)

# %%
# The depth with the largest profit, and the depth with the largest
# lower limit:

best = {name: table[name].idxmax() for name in ("profit", "low")}
pd.Series(best, name="items to inspect")

# %%
# Both rules choose 600 customers.
#
# The picture
# -----------
# From 400 to 1200 customers the profit is at least 5800. The lower
# limit is a careful choice: the profit at this depth is at least this
# large, with a confidence of 95 % for all depths together, in mailings
# with 60 responders.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(layout="constrained")
ax.fill_between(
    depths, table["low"], table["high"], alpha=0.2, label="95 % band"
)
ax.plot(depths, table["profit"], label="profit")
ax.plot(depths, profit(60 * depths / 3000), "k:", label="chance")
ax.axvline(best["low"], color="0.5", ls="--", label="careful choice")
ax.axhline(0, color="0.5", lw=1)
ax.set(xlabel="items inspected", ylabel="profit")
_ = ax.legend()

# %%
# Another number of responders
# ----------------------------
# In the next mailing the number of responders may not be 60. Draw the
# customers with replacement: the number of responders then varies, and
# so does the profit. The band describes only a part of this variation.

draws = []
for _ in range(500):
    drawn = rng.integers(3000, size=3000)
    curve = hit_curve(responds[drawn], score[drawn])
    draws.append(profit(np.interp(depths, curve.t, curve.hits)))
low, high = np.quantile(draws, [0.025, 0.975], axis=0)
chosen = depths == best["low"]
pd.DataFrame(
    {
        "low": [table.loc[best["low"], "low"], low[chosen][0]],
        "high": [table.loc[best["low"], "high"], high[chosen][0]],
    },
    index=["60 responders, all depths", "any number, this depth"],
).round(0)
