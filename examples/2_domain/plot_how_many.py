"""
How many items to inspect: profit and threshold
===============================================

A response to a mailing is worth 200, and a letter costs 5. How many
customers should get a letter? This example chooses a threshold on one
mailing, checks it on other mailings, and ends with a table and a page
for colleagues.
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
# Profit of each depth
# --------------------
# The curve is the profit if the first customers get a letter. The band
# is simultaneous: it covers all depths at once, for mailings with 60
# responders.

from skrank import HitCurveDisplay

display = HitCurveDisplay.from_predictions(
    responds,
    score,
    kind="profit",
    benefit=200,
    cost=5,
    confidence_band="simultaneous",
    random_state=0,
)
_ = display.ax_.set_title("Profit of a mailing, with its band")

# %%
# Choose the threshold
# --------------------
# The maximum of the curve is too optimistic, because the responses of
# these customers chose it. The result estimates the profit of the
# threshold with other customers.

import pandas as pd

from skrank import ThresholdChoice

choice = ThresholdChoice(benefit=200, cost=5)
result = choice.from_predictions(responds, score)
result

# %%
# Check it on other mailings
# --------------------------
# In 500 other mailings, customers above the threshold get a letter. The
# mean profit is within the limits:

profits = []
for _ in range(500):
    new = rng.normal(1.6 * responds)
    letters = new >= result.threshold
    profits.append(200 * responds[letters].sum() - 5 * letters.sum())
low, high = result.confidence_interval("profit")
pd.Series(
    {
        "profit of the first mailing": result.apparent_profit,
        "expected of other mailings": result.profit,
        "lower limit": low,
        "upper limit": high,
        "mean of 500 other mailings": np.mean(profits),
    },
    name="profit",
).round(0)

# %%
# Another number of responders
# ----------------------------
# The next mailing may not have 60 responders. Draw the customers with
# replacement to include this variation:

letters = score >= result.threshold
draws = []
for _ in range(2000):
    drawn = rng.integers(3000, size=3000)
    hits = responds[drawn] & letters[drawn]
    draws.append(200 * hits.sum() - 5 * letters[drawn].sum())
pd.Series(
    np.quantile(draws, [0.025, 0.975]).round(0), index=["low", "high"]
)

# %%
# A table and a page for colleagues
# ---------------------------------
# The gains table has the response rate and the lift of the first 1, 2,
# 5 and 10 % of the customers, and of the rest; ``parts=10`` would give
# deciles. ``to_html`` and ``to_latex`` write the table.

from skrank import hit_curve

table = hit_curve(responds, score).gains_table((0.01, 0.02, 0.05, 0.1))
print(table)

# %%
# The report contains this table and the threshold on one page.

from skrank import RankingReport

RankingReport(
    thresholds=choice, gains=(0.01, 0.02, 0.05, 0.1)
).from_predictions(responds, score)
