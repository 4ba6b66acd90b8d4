"""
Null distribution of average precision
======================================

Is an average precision (AP) of 0.06 better than chance, with 20 targets
among 1000 items? And why not use a z-score? This example draws the null
distribution, a normal distribution with the same mean and standard
deviation, and the observed value.
"""

# %%
# A heavy tail
# ------------
# If a random ranking has one target at the top by chance, its AP is
# large. The normal distribution has no such tail.

import numpy as np

from skrank import NullDistributionDisplay, RandomSelectionTest

y_true = np.zeros(1000, dtype=int)
y_true[[3, 21, 30, 44, 58, 77, 105, 150, 201, 240]] = 1
y_true[np.arange(300, 1000, 70)] = 1
y_score = -np.arange(1000.0)
result = RandomSelectionTest().from_predictions(y_true, y_score)
result

# %%
# The p-value by the normal distribution is ten times smaller. In the
# figure, the area of the bars to the right of the line is the p-value
# of the test:

test = RandomSelectionTest(method="normal")
normal = test.from_predictions(y_true, y_score)
print(f"{result.pvalue:.2g} and {normal.pvalue:.2g}")

display = NullDistributionDisplay.from_result(result)
_ = display.ax_.set_title(
    f"p = {result.pvalue:.2g}; normal distribution {normal.pvalue:.1g}"
)

# %%
# Ties
# ----
# A shallow tree has few different scores, so the ranking consists of a
# few long ties. AP has few possible values, and the bars are their
# exact probabilities.

from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=6.0, size=X.shape)
sixes = rng.permutation(np.flatnonzero(digit == 6))
kept = np.setdiff1d(np.arange(digit.size), sixes[40:])
X, y = X[kept], (digit[kept] == 6).astype(int)
train = np.arange(y.size) % 2 == 0

tree = DecisionTreeClassifier(
    max_depth=3,
    min_samples_leaf=20,
    class_weight="balanced",
    random_state=0,
).fit(X[train], y[train])
display = NullDistributionDisplay.from_estimator(
    tree, X[~train], y[~train], bins=60
)
_ = display.ax_.set_title("Null distribution of a tree with few leaves")
