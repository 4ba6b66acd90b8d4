"""
At which depths is one model better?
====================================

A test says that one model has a higher average precision. At which
depths does it find more targets? This example draws the hit curves of
two models, and their difference with a confidence band.
"""

# %%
# Data
# ----
# The targets are 80 eights among the digits of scikit-learn. Noise
# makes the problem harder. Half of the images are kept for the
# comparison.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

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
# Figure
# ------
# The SVM finds more targets at all depths at which the band of the
# difference is above the line at zero. The band covers all depths at
# once, so you can choose the depth from the figure.

from skrank import RankingComparisonDisplay

display = RankingComparisonDisplay.from_estimator(
    {"SVM": svm, "linear": linear},
    X_test,
    y_test,
    top=300,
    random_state=0,
)
display.figure_.set_size_inches(7, 4.5)

# %%
# The display contains the test of average precision:

display.result
