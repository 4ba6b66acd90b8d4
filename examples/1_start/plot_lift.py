"""
Lift and enrichment by depth
============================

Which score is the best if you can only inspect the top of the ranking?
Lift is precision divided by the prevalence; in virtual screening it is
called the enrichment factor. This example draws the lift of three
scores at every depth.
"""

# %%
# A simulated screen
# ------------------
# 100 of 20,000 compounds are active. The first score ranks 30 % of the
# active compounds high and the others at random. The second score ranks
# all of them a little higher. The third score is noise.

import numpy as np

rng = np.random.default_rng(0)
active = np.arange(20_000) < 100
well = active & (rng.random(active.size) < 0.3)
scores = {
    "30 % ranked high": rng.normal(4.0 * well),
    "all a little higher": rng.normal(1.2 * active),
    "noise": rng.normal(size=active.size),
}

# %%
# Lift chart
# ----------
# Both axes are logarithmic, so the first ten items have as much room as
# the last ten thousand. The largest possible lift is 200, the number of
# items divided by the number of targets. The grey band is random
# selection. It narrows with the depth.

from skrank import HitCurveDisplay

ax = None
for name, y_score in scores.items():
    display = HitCurveDisplay.from_predictions(
        active, y_score, kind="lift", name=name, ax=ax
    )
    ax = display.ax_
_ = ax.set_title("The first score has the richest top")

# %%
# The first score is best for a short list. The second score is best if
# you inspect a thousand items or more. The third score stays within the
# band of random selection.
