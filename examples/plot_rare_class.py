"""
A rare class
============

Often the targets are one class among several: one kind of defect, of cell, of customer.
The labels stay as they are, and so does the classifier of all classes; `pos_label`
names the class that is looked for, against the rest.
"""

# %%
# Ten digits, one of them rare
# ----------------------------
# Of the fours that scikit-learn ships 34 stay, some 2 % of the images, and the camera
# is poor. The other nine digits are as frequent as they were.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, train_test_split

from skrank import (
    HitCurveDisplay,
    RandomSelectionTest,
    make_average_precision_scorer,
    ranking_report,
)

rng = np.random.default_rng(0)
X, y = load_digits(return_X_y=True)
X = X + rng.normal(scale=5.0, size=X.shape)
fours = rng.permutation(np.flatnonzero(y == 4))
kept = np.setdiff1d(np.arange(y.size), fours[34:])
X_train, X_test, y_train, y_test = train_test_split(
    X[kept], y[kept], test_size=0.5, stratify=y[kept], random_state=0
)
np.bincount(y_train)

# %%
# Tuning
# ------
# The forest is fitted on all ten digits. The search chooses the one that ranks the
# fours best, by the column of ``predict_proba`` that is theirs.

search = GridSearchCV(
    RandomForestClassifier(random_state=0),
    {"min_samples_leaf": [1, 3, 10], "max_features": [2, 8]},
    scoring=make_average_precision_scorer(pos_label=4),
    cv=3,
).fit(X_train, y_train)
search.best_params_, search.best_score_

# %%
# Test
# ----
# Are the fours of the test half found better than by random selection?

RandomSelectionTest().from_estimator(search, X_test, y_test, pos_label=4)

# %%
# How many of them one has found after looking at so many images:

display = HitCurveDisplay.from_estimator(
    search, X_test, y_test, pos_label=4, name="fours", top=200
)

# %%
# All classes
# -----------
# The report takes all columns of ``predict_proba`` at once, with the classes that they
# are of: each class against the rest. The rows have targets of their own, so they are
# not compared with each other. As a data frame, the rarest class first:

report = ranking_report(
    y_test, search.predict_proba(X_test), labels=search.classes_, t=20
)
frame = report.to_frame().set_index("name").sort_values("n_targets")
frame[["n_targets", "average_precision", "null_mean", "zscore", "recall@20"]].round(3)
