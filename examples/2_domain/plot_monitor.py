"""
Monitoring a fraud model in production
======================================

A bank checks the recall of its fraud model every morning. Has the model
become worse, for example by concept drift? A test each morning gives a
false alarm sooner or later. You can check a monitor every day: the
probability that it ever gives a false alarm is at most 5 %.
"""

# %%
# Two hundred days
# ----------------
# A day has 500 transactions and 2.5 frauds on average. The first 20
# transactions of the ranking should contain half of the frauds. On day
# 120 the frauds change, and the model finds fewer:

import numpy as np

from skrank import RankingMonitor, RankingMonitorDisplay

rng = np.random.default_rng(1)
day = np.repeat(np.arange(200), 500)
fraud = rng.random(day.size) < 0.005
shift = np.where(day < 120, 2.2, 0.9)
score = rng.normal(shift * fraud)

# %%
# Does the model work at all?
# ---------------------------
# Without a metric, the monitor uses the ranks of all frauds. Here an
# alarm is good news: it means that the rankings are better than random
# selection.

working = RankingMonitor().from_predictions(fraud, score, groups=day)
print(working.conclusion())

# %%
# Has the model become worse?
# ---------------------------
# With ``reference=0.5`` an alarm means that the mean recall has fallen
# below 0.5:

watch = RankingMonitor("recall@20", reference=0.5)
result = watch.from_predictions(fraud, score, groups=day)
print(result)
print(result.conclusion())

# %%
# A new day
# ---------
# In production, add a day when its labels are complete. The state of
# the monitor is a small dictionary, which you can write to a file:

n = 500
last = day == 199
before = watch.from_predictions(
    fraud[~last], score[~last], groups=day[~last]
)
state = before.state()  # json.dump(state, file)
now = watch.update(fraud[last], score[last], group=199, previous=state)
print(f"p = {now.pvalue:.2g}, alarm since day {now.alarm_group}")

# %%
# Figure
# ------
# The dots are the recall of the days. The grey range is a confidence
# sequence of the mean recall: it is valid on all days together while
# the mean does not change, and ends when the days contradict every
# mean. After the change on day 120 (black line) the evidence increases.
# The alarm comes when the evidence is above 20.

display = RankingMonitorDisplay.from_result(result)
for ax in display.ax_:
    ax.axvline(120, color="black", linestyle=":")
display.figure_.set_size_inches(7, 4.5)
