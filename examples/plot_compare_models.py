"""
Comparison of four models
=========================

Which of four models finds rare items best, and how sure is that? Nearest neighbours, a
support vector machine, a random forest and gradient boosting rank the same new items,
as in a screen of compounds of which few are active. All pairs are compared by average
precision (AP), with an interval of each difference and p-values adjusted for the number
of comparisons.
"""

# %%
# A rare target
# -------------
# The nines among the digits that scikit-learn ships, thinned to 2.5 % and seen by a
# poor camera. Half of the images are kept for the comparison.

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from skrank import MetricInterval, RankingComparison

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=3.0, size=X.shape)
nines = rng.permutation(np.flatnonzero(digit == 9))
kept = np.setdiff1d(np.arange(digit.size), nines[42:])
X, y = X[kept], (digit[kept] == 9).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
print(f"{y_test.size} images to rank, {y_test.sum()} targets among them")

# %%
# Four rankings of the same items
# -------------------------------

models = {
    "KNN": KNeighborsClassifier(9, weights="distance"),
    "SVM": SVC(C=10),
    "forest": RandomForestClassifier(
        300,
        max_features=16,
        min_samples_leaf=5,
        class_weight="balanced_subsample",
        random_state=0,
    ),
    "boosting": HistGradientBoostingClassifier(learning_rate=0.05, random_state=0),
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
# With 21 targets, not very. The intervals overlap, but that does not compare models
# that rank the same items.

for name, y_score in scores.items():
    result = MetricInterval().from_predictions(y_test, y_score)
    low, high = result.confidence_interval()
    print(f"{name:<9} AP {result.estimate:.3f}, 95 % interval {low:.3f} to {high:.3f}")

# %%
# All pairs
# ---------
# The standard errors are those of differences: all models rank the same images, so a
# hard image is hard for all of them.

table = RankingComparison().compare_all(y_test, scores)
print(table)

# %%
# Differences with their intervals
# --------------------------------
# An interval that does not reach 0 tells two models apart, as far as this one pair
# goes. With six comparisons one looks at the adjusted p-value instead; pairs that pass
# it at 5 % have a full dot.

fig, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
rows = sorted(
    zip(table.comparisons, table.adjusted_pvalues, strict=True),
    key=lambda row: row[0].difference,
)
for place, (result, adjusted) in enumerate(rows):
    low, high = result.confidence_interval()
    sure = adjusted <= 0.05
    ax.plot([low, high], [place, place], color="#0072B2", lw=2)
    ax.plot(
        result.difference,
        place,
        "o",
        ms=8,
        color="#0072B2",
        mfc="#0072B2" if sure else "white",
    )
ax.axvline(0, color="0.5", lw=1, zorder=0)
ax.set_yticks(
    range(len(rows)), [" - ".join(result.names) for result, _ in rows], fontsize=11
)
right = ax.secondary_yaxis("right")
right.set_yticks(
    range(len(rows)), [f"p = {adjusted:.2g}" for _, adjusted in rows], fontsize=11
)
right.tick_params(length=0)
right.spines["right"].set_visible(False)
ax.spines[["top", "right"]].set_visible(False)
ax.set_ylim(-0.6, len(rows) - 0.4)
ax.set_xlabel("difference in AP, 95 % interval; p after Holm")
values = {
    name: value
    for result, _ in rows
    for name, value in zip(
        result.names, (result.estimate_a, result.estimate_b), strict=True
    )
}
ax.set_title("AP: " + ", ".join(f"{name} {values[name]:.2f}" for name in models))

# %%
# Run as a script, the example leaves the picture in the file that is named.

if sys.argv[1:]:
    fig.savefig(sys.argv[1], dpi=120)
    print(f"\nThe differences are in {sys.argv[1]}")
