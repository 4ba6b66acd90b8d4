"""
Lift of three scores
====================

Lift is precision divided by the prevalence. In virtual screening it is
called the enrichment factor. Both axes are logarithmic, so that the
first ten items have as much room as the last ten thousand.
"""

# %%
# A simulated screen
# ------------------
# 100 of 20,000 compounds are active. The first score finds 30 % of the
# active compounds well and does not find the others. The second score
# finds all of them a little. The third score is noise.

import numpy as np

rng = np.random.default_rng(0)
active = np.arange(20_000) < 100
well = active & (rng.random(active.size) < 0.3)
scores = {
    "30 % found well": rng.normal(4.0 * well),
    "all found a little": rng.normal(1.2 * active),
    "noise": rng.normal(size=active.size),
}

# %%
# The picture
# -----------
# The largest possible lift is 200, the number of items divided by the
# number of targets. The band of chance narrows with the depth. Among
# the first items chance finds no target with a large probability.

from skrank import HitCurveDisplay

ax = None
for name, y_score in scores.items():
    display = HitCurveDisplay.from_predictions(
        active, y_score, kind="lift", name=name, ax=ax
    )
    ax = display.ax_
_ = ax.set_title("The first score has the richest top")

# %%
# The first score is the best one for a short list. The second score is
# the best one if a thousand items or more are examined. The third score
# stays within the band of chance.
