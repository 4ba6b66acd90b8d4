"""
.. _sphx_glr_auto_examples_plot_compare_models.py:

Compare several models on one test set
======================================

Four models rank the same new images. Which one is the best, and which
differences could be chance? This example compares all pairs by average
precision (AP). The p-values are adjusted for the number of pairs.
"""

# %%
# Data
# ----
# The targets are 42 nines among the digits of scikit-learn, which are
# 2.5 % of the images. Noise makes the problem harder. Half of the
# images are kept for the comparison.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=3.0, size=X.shape)
nines = rng.permutation(np.flatnonzero(digit == 9))
kept = np.setdiff1d(np.arange(digit.size), nines[42:])
X, y = X[kept], (digit[kept] == 9).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# Four rankings of the same items
# -------------------------------

models = {
    "KNN": KNeighborsClassifier(9, weights="distance"),
    "SVM": SVC(C=10),
    "forest": RandomForestClassifier(
        class_weight="balanced_subsample",
        min_samples_leaf=5,
        random_state=0,
    ),
    "boosting": HistGradientBoostingClassifier(
        learning_rate=0.05, random_state=0
    ),
}
scores = {}
for name, model in models.items():
    model.fit(X_train, y_train)
    if hasattr(model, "decision_function"):
        scores[name] = model.decision_function(X_test)
    else:
        scores[name] = model.predict_proba(X_test)[:, 1]

# %%
# Intervals
# ---------
# The intervals are wide, because there are only 21 targets. Do not
# compare models by the overlap of these intervals: all models rank the
# same items.

import pandas as pd

from skrank import MetricInterval

rows = {}
for name, y_score in scores.items():
    result = MetricInterval().from_predictions(y_test, y_score)
    rows[name] = (result.value, *result.confidence_interval())
pd.DataFrame(rows, index=["AP", "low", "high"]).T.round(3)

# %%
# All pairs
# ---------
# Each row has the paired difference of two models. Its standard error
# is smaller than two separate errors suggest, because an image that is
# hard for one model is often hard for the others.

from skrank import RankingComparison

table = RankingComparison().compare_all(y_test, scores)
table

# %%
# After the adjustment one p-value is at most 0.05: KNN is better than
# boosting. More targets are needed to distinguish the others.
# ``table.to_frame()`` returns a data frame. The leaderboard has a row
# for each model. Models that share a letter do not differ
# significantly:

table.leaderboard()

# %%
# Figure
# ------
# Each line is the 95 % interval of one difference. A full dot marks an
# adjusted p-value of at most 0.05.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
pairs = zip(table.comparisons, table.adjusted_pvalues, strict=True)
labels = []
for place, (result, adjusted) in enumerate(pairs):
    low, high = result.confidence_interval()
    fill = "C0" if adjusted <= 0.05 else "white"
    ax.plot([low, high], [place, place], "C0")
    ax.plot(result.difference, place, "o", color="C0", mfc=fill)
    labels.append(f"{' - '.join(result.names)}, p = {adjusted:.2g}")
ax.axvline(0, color="0.5", lw=1)
ax.set_yticks(range(len(labels)), labels)
_ = ax.set_xlabel("difference in AP, 95 % interval; p after Holm")
