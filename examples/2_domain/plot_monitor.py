"""
Has my fraud model stopped working?
===================================

A bank looks at the recall of its fraud model every morning. A test each
morning gives a false alarm sooner or later. A monitor may be looked at
on every day: the probability that it ever gives a false alarm is at
most 5 %.
"""

# %%
# Two hundred days
# ----------------
# A day has 500 transactions and 2.5 frauds on average. The model has
# been agreed to find half of the frauds among its first 20
# transactions. On day 120 the frauds change, and the model finds fewer:

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
# Without a metric, the monitor uses the ranks of all frauds. The alarm
# is good news here: it rejects that the rankings are random.

working = RankingMonitor().from_predictions(fraud, score, groups=day)
print(working.conclusion())

# %%
# Is it as good as agreed?
# ------------------------
# The alarm rejects that the mean recall is at least 0.5:

watch = RankingMonitor("recall@20", reference=0.5)
result = watch.from_predictions(fraud, score, groups=day)
print(result)
print(result.conclusion())

# %%
# A new day
# ---------
# In practice a day is added when its labels are complete. The state of
# the monitor is some numbers, which can be written to a file:

n = 500
last = day == 199
before = watch.from_predictions(
    fraud[~last], score[~last], groups=day[~last]
)
state = before.state()  # json.dump(state, file)
now = watch.update(fraud[last], score[last], group=199, previous=state)
print(f"p = {now.pvalue:.2g}, alarm since day {now.alarm_group}")

# %%
# The picture
# -----------
# The dots are the recall of the days. The grey range contains the mean
# with a probability of 95 % on all days together, as long as the mean
# is the same. It ends where the days do not agree on one mean. The
# evidence against a recall of 0.5 increases after day 120, which the
# black line marks, and the alarm comes when it is above 20:

display = RankingMonitorDisplay.from_result(result)
for ax in display.ax_:
    ax.axvline(120, color="black", linestyle=":")
