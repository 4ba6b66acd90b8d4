"""
One rare class of a multiclass problem
======================================

How well does a multiclass classifier rank one rare class, such as one
kind of defect? ``pos_label`` names the target class, and all other
classes are non-targets. You need not recode the labels or change the
classifier.
"""

# %%
# Ten digits, one of them rare
# ----------------------------
# We keep 34 fours, which are 2 % of the images. Noise makes the problem
# harder.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(0)
X, y = load_digits(return_X_y=True)
X = X + rng.normal(scale=5.0, size=X.shape)
fours = rng.permutation(np.flatnonzero(y == 4))
kept = np.setdiff1d(np.arange(y.size), fours[34:])
X_train, X_test, y_train, y_test = train_test_split(
    X[kept],
    y[kept],
    test_size=0.5,
    stratify=y[kept],
    random_state=0,
)
np.bincount(y_train)

# %%
# Tune
# ----
# The forest learns all ten digits. The search chooses the settings that
# rank the fours best.

from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV

from skrank import make_average_precision_scorer

search = GridSearchCV(
    RandomForestClassifier(50, random_state=0),
    {"min_samples_leaf": [1, 10], "max_features": [2, 8]},
    scoring=make_average_precision_scorer(pos_label=4),
    cv=3,
).fit(X_train, y_train)
print(f"{search.best_params_}, AP {search.best_score_:.3f}")

# %%
# Test
# ----

from skrank import RandomSelectionTest

RandomSelectionTest().from_estimator(
    search, X_test, y_test, pos_label=4
)

# %%
# The ranking of the fours is far better than chance. Their hit curve:

from skrank import HitCurveDisplay

display = HitCurveDisplay.from_estimator(
    search, X_test, y_test, pos_label=4, name="fours", top=200
)

# %%
# All classes
# -----------
# The report uses all columns of ``predict_proba``, each class against
# the other classes. The table starts with the rarest class.

from skrank import RankingReport, Rankings

report = RankingReport(t=20).from_rankings(
    Rankings.from_classes(
        y_test, search.predict_proba(X_test), search.classes_
    )
)
frame = report.to_frame().set_index("name").sort_values("n_targets")
columns = ["n_targets", "average_precision", "null_mean", "recall@20"]
frame[columns].round(3)

# %%
# The first 20 images contain 71 % of the fours. A class with 90 images
# cannot have a recall above 0.23 at this depth. Compare the average
# precision (AP) of each class with its own null mean instead:

import matplotlib.pyplot as plt

# sphinx_gallery_thumbnail_number = 2
fig, ax = plt.subplots(layout="constrained")
ax.bar(frame.index, frame["average_precision"], label="AP")
ax.plot(frame.index, frame["null_mean"], "C1o", label="null mean")
ax.set(xlabel="class, the rarest first", ylabel="average precision")
ax.set_title("Each class against the rest")
_ = ax.legend()
