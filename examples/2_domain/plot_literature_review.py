"""
Systematic review: when to stop reading
=======================================

A model ranks the abstracts of a search, and reviewers read from the
top. When have they found 95 % of the relevant abstracts? The ranking
cannot show this, because relevant abstracts of a second topic can be
anywhere. A random sample of the rest can. It gives a stopping rule for
technology-assisted review.
"""

# %%
# A list with two topics
# ----------------------
# The list has 8,000 abstracts, and 400 are relevant. The model ranks
# 90 % of them high and the others at random:

import matplotlib.pyplot as plt
import numpy as np

from skrank import SampledMetricInterval

n = 8000


def ranked_list(n_relevant, seed):
    """Return whether each abstract is relevant, in reading order."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n)
    score[: int(0.9 * n_relevant)] += 3.0
    return (np.arange(n) < n_relevant)[np.argsort(-score)]


relevant = ranked_list(400, seed=1)

# %%
# Read the top, then a sample
# ---------------------------
# The reviewers read until 100 abstracts in a row are not relevant. Then
# they read the rest in random order. What they found may decide when
# they change to the random sample:

places = np.flatnonzero(relevant)
run = np.diff(np.append(places, n)) > 100
top = int(places[np.argmax(run)]) + 101
found = int(relevant[:top].sum())
print(f"{top} abstracts read, {found} relevant")

order = top + np.random.default_rng(0).permutation(n - top)
is_rest = np.arange(n) >= top
question = SampledMetricInterval(f"recall@{top}")


def look(relevant, top, order, n_sampled):
    """Return the result after n_sampled abstracts of the sample."""
    label = np.full(n, np.nan)
    label[:top] = relevant[:top]
    label[order[:n_sampled]] = relevant[order[:n_sampled]]
    rest = np.arange(n) >= top
    return question.from_predictions(label, -np.arange(n), strata=rest)


# %%
# After 500 abstracts of the sample:

result = look(relevant, top, order, 500)
print(result)
low, high = result.recall_so_far()
print(f"recall so far: {low:.2f} to {high:.2f}")

# %%
# Stop at a recall of 95 %
# ------------------------
# A recall of at least 0.95 means that at most a twentieth of the
# relevant abstracts is left. Compute the p-value after every 100
# abstracts, and stop if it is at most 0.05. With ``sequential=True``
# you can compute it as often as you like: the probability of stopping
# too early is at most 5 %.

sizes, pvalues = np.arange(100, n - top, 100), []
for size in sizes:
    result = look(relevant, top, order, size)
    at_most = int(result.n_targets / 0.95) - result.n_targets
    pvalues.append(result.remaining_pvalue(at_most, sequential=True))
    if pvalues[-1] <= 0.05:
        break
share = (top + size) / n
recall = result.n_targets / 400
print(f"{top + size} abstracts read, {share:.0%}; recall {recall:.3f}")

fig, ax = plt.subplots(figsize=(7, 4))
ax.semilogy(top + sizes[: len(pvalues)], pvalues, marker="o")
ax.axhline(0.05, color="0.5", linestyle="--")
_ = ax.set(
    xlabel="abstracts read",
    ylabel="p-value of a recall below 0.95",
)

# %%
# The figure shows the p-value after each 100 abstracts. Reading stops
# at the dashed line. The price is high, because the abstracts of the
# second topic are at random ranks: 95 % of all relevant abstracts are
# found only if most of the list is read. No stopping rule avoids this.
#
# Thirty relevant abstracts
# -------------------------
# With 30 relevant abstracts, a recall of 95 % allows one missing
# abstract. To show this, the reviewers must read nearly all. An upper
# limit of the number of missing abstracts needs fewer:

relevant = ranked_list(30, seed=2)
places = np.flatnonzero(relevant)
run = np.diff(np.append(places, n)) > 100
top = int(places[np.argmax(run)]) + 101
order = top + np.random.default_rng(0).permutation(n - top)
question = SampledMetricInterval(f"recall@{top}")
for size in (500, 1000, 2000):
    result = look(relevant, top, order, size)
    left = result.remaining(0.9).high
    print(
        f"{top + size} read, {result.n_targets} found: with 95 % "
        f"confidence at most {left:.0f} are left"
    )
