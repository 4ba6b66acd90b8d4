"""
Lift
====

Lift, in virtual screening the enrichment factor, is the number of targets found over
that of chance. Both scales are logarithmic: the first ten items have as much room as
the last ten thousand, and to double the lift is the same distance everywhere.
"""

# %%
# A screen, simulated
# -------------------
# 20,000 compounds, 100 of them active. A good score sees some of the actives well and
# the rest not at all, as when they bind in two ways; a fair one sees all of them a
# little. A third knows nothing.

import numpy as np

from skrank import LiftDisplay

rng = np.random.default_rng(0)
n, m = 20_000, 100
active = np.arange(n) < m
two_ways = rng.random(n) < 0.3
scores = {
    "sees a third well": rng.normal(4.0 * (active & two_ways)),
    "sees all a little": rng.normal(1.2 * active),
    "knows nothing": rng.normal(size=n),
}

# %%
# The picture
# -----------
# The ceiling is items over targets, 200: nothing but targets. Among the first five
# items chance most likely finds nothing, and its band is 0, below the axes. From the
# sixth on one chance hit is within the band, a lift of 33, and it narrows down the
# ranking.

ax = None
for name, y_score in scores.items():
    ax = LiftDisplay.from_predictions(active, y_score, ax=ax, name=name).ax_
ax.set_title("To see a third well makes the top rich")
