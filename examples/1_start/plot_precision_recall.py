"""
Precision-recall curve with ties and a chance band
==================================================

How does the precision fall if you want to find more of the targets?
Precision is the share of targets among the inspected items. Recall is
the share of all targets that are among them. This example draws the
precision-recall curves of two models.
"""

# %%
# Data
# ----
# The targets are 60 sixes among the digits of scikit-learn. Noise makes
# the problem harder.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=8.0, size=X.shape)
sixes = rng.permutation(np.flatnonzero(digit == 6))
kept = np.setdiff1d(np.arange(digit.size), sixes[60:])
X, y = X[kept], (digit[kept] == 6).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
svm = SVC(C=10).fit(X_train, y_train)
knn = KNeighborsClassifier(9).fit(X_train, y_train)

# %%
# The curve
# ---------
# Each non-target lowers the precision, and each target raises precision
# and recall. The nearest neighbours (KNN) give many items the same
# score. Within such a tie the curve is the mean over all orders.

from skrank import PrecisionRecallDisplay

display = PrecisionRecallDisplay.from_estimator(
    svm, X_test, y_test, name="SVM"
)
PrecisionRecallDisplay.from_estimator(
    knn, X_test, y_test, name="KNN", ax=display.ax_
)
_ = display.ax_.set_title("Precision falls with the last targets")

# %%
# Operating points
# ----------------
# ``interpolate=True`` draws the highest precision of all thresholds
# that reach at least this recall. Read off the precision for the recall
# that you need.

display = PrecisionRecallDisplay.from_estimator(
    svm, X_test, y_test, name="SVM", interpolate=True
)
PrecisionRecallDisplay.from_estimator(
    knn, X_test, y_test, name="KNN", interpolate=True, ax=display.ax_
)
_ = display.ax_.set_title("Best precision for each recall")
