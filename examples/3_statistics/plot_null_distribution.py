"""
Null distribution
=================

Is an average precision (AP) of 0.06 with 20 targets among 1000 items better than
chance? The display shows the null distribution, the normal distribution that is often
put in its place, and the value that was observed.
"""

# %%
# Skewness
# --------
# One target at the very top gives a good AP to a ranking that is random otherwise. The
# normal distribution with the same mean and standard deviation has no such tail.

import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skrank import (
    NullDistributionDisplay,
    RandomSelectionTest,
    SearchSelectionTest,
    make_average_precision_scorer,
)

y_true = np.zeros(1000, dtype=int)
y_true[[3, 21, 30, 44, 58, 77, 105, 150, 201, 240]] = 1
y_true[np.arange(300, 1000, 70)] = 1
y_score = -np.arange(1000.0)
result = RandomSelectionTest().from_predictions(y_true, y_score)
normal = RandomSelectionTest(method="normal").from_predictions(y_true, y_score)
print(result)
print(f"\nThe normal distribution would say p = {normal.pvalue:.1g}.")

display = NullDistributionDisplay.from_result(result)
display.ax_.set_title(
    f"p = {result.pvalue:.2g}, where the normal distribution says {normal.pvalue:.1g}"
)
fig = display.figure_

# %%
# Ties
# ----
# A shallow tree gives only a few scores. The ranking is a few long ties, and average
# precision depends on little but how many targets fall into the first one. So few
# values can occur, and the bars are their exact probabilities.

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=6.0, size=X.shape)
sixes = rng.permutation(np.flatnonzero(digit == 6))
kept = np.setdiff1d(np.arange(digit.size), sixes[40:])
X, y = X[kept], (digit[kept] == 6).astype(int)
train = np.arange(y.size) % 2 == 0

tree = DecisionTreeClassifier(
    max_depth=3, min_samples_leaf=20, class_weight="balanced", random_state=0
).fit(X[train], y[train])
display = NullDistributionDisplay.from_estimator(tree, X[~train], y[~train], bins=60)
display.ax_.set_title("The null distribution for a tree with few leaves")

# %%
# The best of a search
# --------------------
# The winner of a search is the best of many, and is compared with the best of as many
# by chance. The result of a :class:`~skrank.SearchSelectionTest` is drawn with the best
# value of the same candidates in each draw of labels.

search = GridSearchCV(
    KNeighborsClassifier(),
    {"n_neighbors": [1, 3, 5, 9, 15, 25, 45], "p": [1, 2]},
    scoring=make_average_precision_scorer(),
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
)
noise = rng.normal(size=(y.size, 5)) + 0.3 * y[:, np.newaxis]
search.fit(noise, y)
result = SearchSelectionTest(random_state=0, n_resamples=2000).from_search(
    search, noise, y
)
display = NullDistributionDisplay.from_result(result)
display.ax_.set_title("The best of a search, and its null distribution")

# %%
# Run as a script, the example leaves its first picture in the file that is named.

if sys.argv[1:]:
    fig.savefig(sys.argv[1], dpi=110)
    print(f"\nThe null distribution is in {sys.argv[1]}")
