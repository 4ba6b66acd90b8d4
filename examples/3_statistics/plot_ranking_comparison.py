"""
Difference of two rankings
==========================

A comparison by one number says that A is better than B, not where. The display has the
two hit curves, and below them their difference with its band, which allows for both
ranking the same items.
"""

# %%
# Two models of rare eights
# -------------------------
# The digits that scikit-learn ships, seen by a poor camera. Eights are the targets,
# thinned to 80; half of everything is kept for the comparison.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from skrank import RankingComparisonDisplay

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=4.0, size=X.shape)
eights = rng.permutation(np.flatnonzero(digit == 8))
kept = np.setdiff1d(np.arange(digit.size), eights[80:])
X, y = X[kept], (digit[kept] == 8).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
svm = SVC(C=10).fit(X_train, y_train)
linear = LogisticRegression(max_iter=10_000).fit(X_train, y_train)

# %%
# The picture
# -----------
# Where the band does not hold the dotted line, the SVM has found more targets than the
# choice of the items explains. The band holds for all depths at once, so that such a
# depth may be chosen after looking at the picture.

display = RankingComparisonDisplay.from_estimators(
    svm, linear, X_test, y_test, names=("SVM", "linear"), top=300, random_state=0
)
display.ax_[0].set_title("The SVM is ahead from the top on")
print(display.result)
