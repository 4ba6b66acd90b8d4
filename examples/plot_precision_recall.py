"""
Precision and recall
====================

Precision is the share of targets among the items looked at, recall the share of all
targets that are found by then. The display draws one against the other down the
ranking, with the band of chance, which for the first targets is far above the
prevalence.
"""

# %%
# Rare sixes
# ----------
# The digits that scikit-learn ships, seen by a poor camera. Sixes are the targets,
# thinned to 60.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from skrank import PrecisionRecallDisplay

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=8.0, size=X.shape)
sixes = rng.permutation(np.flatnonzero(digit == 6))
kept = np.setdiff1d(np.arange(digit.size), sixes[60:])
X, y = X[kept], (digit[kept] == 6).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# Down the ranking
# ----------------
# Each item that is no target lowers the precision, and recall stands still; each target
# raises both. Nearest neighbours tie many items, within which the curve goes through
# the mean over all orders.

svm = SVC(C=10).fit(X_train, y_train)
knn = KNeighborsClassifier(9).fit(X_train, y_train)
display = PrecisionRecallDisplay.from_estimator(svm, X_test, y_test, name="SVM")
PrecisionRecallDisplay.from_estimator(knn, X_test, y_test, ax=display.ax_, name="KNN")
display.ax_.set_title("The last targets cost the precision")

# %%
# Thresholds
# ----------
# With ``interpolate=True`` only the operating points remain that no other beats in
# both. A step says: the best precision at this recall or a higher one.

display = PrecisionRecallDisplay.from_estimator(
    svm, X_test, y_test, interpolate=True, name="SVM"
)
PrecisionRecallDisplay.from_estimator(
    knn, X_test, y_test, interpolate=True, ax=display.ax_, name="KNN"
)
display.ax_.set_title("Thresholds that no other beats")
