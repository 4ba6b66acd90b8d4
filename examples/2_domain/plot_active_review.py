"""
Active learning: when to stop reading
=====================================

In active learning (continuous active learning, CAL) a model ranks the
unread items, people read the first ones, and the model is fitted again
with their labels. When have you found enough? The items that the model
chose cannot show this. Random batches of unread items can. Their
evidence is valid for every model, and you can check it after each
batch.
"""

# %%
# The task
# --------
# The archive has 1,797 scanned digits. You need all eights, and only a
# person can recognise them:

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank import ReviewProgress

X, digit = load_digits(return_X_y=True)
is_eight = digit == 8
rng = np.random.default_rng(0)
model = make_pipeline(StandardScaler(), LogisticRegression())


def first_of_model(unread, is_read, size):
    """Return the unread scans that a new model ranks best."""
    model.fit(X[is_read], is_eight[is_read])
    score = model.decision_function(X[unread])
    return unread[np.argsort(-score)[:size]]


# %%
# Read, fit, read
# ---------------
# The first batches are random, until there is an eight to learn from.
# Then the model chooses 25 scans at a time, until two batches in a row
# contain no eight. The next batches are random samples of the unread
# scans. If one of them contains an eight, the model learns from it and
# chooses again.
#
# After each batch, pass three facts to ``update``: the number of scans
# read, the number of eights among them, and whether they were a random
# sample of the unread scans. Reading stops when the p-value of
# "the recall is below 0.95" is at most 0.05:

progress = ReviewProgress(n_samples=len(X))
is_read = np.zeros(len(X), dtype=bool)
rows, n_empty = [], 0
while progress.recall_pvalue(0.95) > 0.05:
    unread = np.flatnonzero(~is_read)
    at_random = not progress.n_targets or n_empty >= 2
    if at_random:
        batch = rng.choice(unread, min(25, unread.size), replace=False)
    else:
        batch = first_of_model(unread, is_read, 25)
    is_read[batch] = True
    found = int(is_eight[batch].sum())
    n_empty = 0 if found else n_empty + 1
    progress = progress.update(len(batch), found, at_random=at_random)
    low, high = progress.recall_so_far()
    rows.append(
        (progress.n_read, progress.n_targets, low, high, at_random)
    )

print(progress)
print(progress.conclusion())

# %%
# Each limit of a 95 % interval is wrong in at most 2.5 % of the
# reviews. The lower limit is therefore a little below 0.95 when the
# p-value falls to 0.05. The simulation knows all labels and can check
# the recall:

print(f"recall {progress.n_targets / is_eight.sum():.3f}")

# %%
# Recall during the review
# ------------------------
# The line is the true recall, which the readers do not know. The grey
# band is its 95 % interval, which they know. While the model chooses
# (white background), the limits hardly move, although the model finds
# nearly all eights: there could be other eights that look different.
# The random batches (shaded) raise the lower limit.

n_read, n_found, low, high, at_random = np.transpose(rows)
fig, ax = plt.subplots(figsize=(7, 4))
ax.plot(n_read, n_found / is_eight.sum(), label="recall")
ax.fill_between(n_read, low, high, color="0.8", label="95 % limits")
starts = np.append(0, n_read[:-1])
for i in np.flatnonzero(at_random):
    ax.axvspan(starts[i], n_read[i], color="C1", alpha=0.2, lw=0)
ax.axhline(0.95, color="0.5", linestyle="--")
ax.axvline(n_read[-1], color="red", label="stop")
ax.set(xlabel="scans read", ylabel="recall", xlim=(0, len(X)))
_ = ax.legend(loc="lower right")

# %%
# What a recall costs
# -------------------
# The last eights are expensive. The readers knew of a recall of 90 %
# much earlier than of 95 %:

for goal in (0.7, 0.8, 0.9):
    known = int(n_read[np.argmax(low >= goal)])
    print(f"recall {goal}: {known} scans read")

# %%
# You can change to random batches at any time, continue the review next
# week, or replace the model. Keep the batches in a file:

state = progress.state()  # json.dump(state, file)
print(state["batches"][-1])
print(ReviewProgress(**state).remaining())
