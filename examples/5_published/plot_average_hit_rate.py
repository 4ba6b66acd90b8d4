"""
Average hit rate with ties, as in EPX
=====================================

Does skrank agree with the average hit rate of the R package EPX (Tomal
et al. 2015)? The average hit rate (``AHR``) is another name of average
precision. With ties, EPX takes the mean over all orders of the tied
items, and so does skrank by default. The manual of EPX works out two
rankings by hand.

The sources are the manual of EPX 1.0.4, and Wang (2005), *Statistical
methods for high throughput screening drug discovery data*, chapter 3,
University of Waterloo.
"""

# %%
# Without ties
# ------------
# The scores of five items increase, and the first and the last item are
# targets. Their ranks are 5 and 1.

from skrank import average_precision

value = average_precision([1, 0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5])
print(f"by hand {(1 + 2 / 5) / 2:.6f}, skrank {value:.6f}")

# %%
# With ties
# ---------
# The first three items are tied, and two of them are targets. These
# targets have the ranks 1 and 2, 1 and 3, or 2 and 3, with equal
# probabilities. The third target has rank 8.

from itertools import combinations

y_true = [1, 1, 0, 0, 0, 0, 0, 1, 0, 0]
y_score = [1, 1, 1, 0.4, 0.4, 0.3, 0.2, 0.15, 0.1, 0]
orders = [
    (1 / a + 2 / b + 3 / 8) / 3 for a, b in combinations((1, 2, 3), 2)
]
value = average_precision(y_true, y_score)
print(f"by hand {sum(orders) / 3:.6f}, skrank {value:.6f}")

# %%
# Other rules for ties give other values:

import pandas as pd

rules = ("expected", "together", "optimistic", "pessimistic")
pd.Series(
    {
        rule: average_precision(y_true, y_score, ties=rule)
        for rule in rules
    },
    name="average precision",
)

# %%
# The dots are the values of all orders of the tied items. The lines are
# the values by each rule:

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
ax.plot(orders, [0, 0, 0], "o", zorder=3, label="single orders")
for place, rule in enumerate(rules):
    value = average_precision(y_true, y_score, ties=rule)
    ax.axvline(value, color=f"C{place + 1}", label=rule)
ax.set(xlabel="average precision", yticks=[], ylim=(-1, 1))
_ = ax.legend(loc="upper center", ncols=3)
