"""
Hit curve
=========

The hit curve counts: so many items looked at, so many targets found. Here the items are
patients and the targets those with a malignant tumour, made rare. Who can examine 40 of
them again wants to know what is found by then, whether a better model is worth its
measurements, and whether chance would have done as well.
"""

# %%
# Rare tumours
# ------------
# The breast cancer data that scikit-learn ships. Of the malignant tumours 40 stay, one
# in ten. One model sees two measurements of each image, the other all thirty.

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank import HitCurveDisplay

data = load_breast_cancer()
rng = np.random.default_rng(0)
malignant = rng.permutation(np.flatnonzero(data.target == 0))
kept = np.setdiff1d(np.arange(data.target.size), malignant[40:])
X, y = data.data[kept], (data.target[kept] == 0).astype(int)
few = [
    list(data.feature_names).index(f"mean {name}") for name in ("texture", "symmetry")
]
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.6, stratify=y, random_state=0
)

# %%
# Curves of two models
# --------------------
# Displays share their axes: curves get colours and styles of their own, chance and the
# perfect curve are drawn once.

simple = make_pipeline(StandardScaler(), LogisticRegression())
simple.fit(X_train[:, few], y_train)
full = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)

display = HitCurveDisplay.from_estimator(
    full, X_test, y_test, name="thirty measurements"
)
HitCurveDisplay.from_estimator(
    simple, X_test[:, few], y_test, ax=display.ax_, name="two measurements"
)
display.ax_.set_title("After 40 patients: 23 tumours by one model, 13 by the other")

# %%
# Confidence band
# ---------------
# The grey band is chance, the coloured one is the curve's own: another sample of
# patients would have a curve within it, at all depths at once. ``top`` shows the part
# of the ranking that counts.

display = HitCurveDisplay.from_estimator(
    simple,
    X_test[:, few],
    y_test,
    name="two measurements",
    confidence_band="simultaneous",
    random_state=0,
    top=100,
)
display.ax_.set_title("With 24 targets, a curve is not known well")

# %%
# Folds
# -----
# Each held-out fold of a cross-validation is a ranking of its own. In fractions of
# their lengths they are on one scale. Nearest neighbours have long ties, along which
# the curve is a straight slope: it is the mean over all orders within the tie.

knn = make_pipeline(StandardScaler(), KNeighborsClassifier(9))
found = cross_validate(
    knn,
    X,
    y,
    cv=StratifiedKFold(4, shuffle=True, random_state=0),
    return_estimator=True,
    return_indices=True,
)
display = HitCurveDisplay.from_cv_results(found, X, y, top=0.5)
display.ax_.set_title("Four folds agree")
