"""
Tune, test and draw a model for a rare target
=============================================

How do you tune a classifier for rare targets, and is the result better
than chance? This example goes from data to a p-value. Two models are
tuned by accuracy, by average precision (AP) and by AP at 10. Each
winner then ranks images that it has never seen.
"""

# %%
# A rare target
# -------------
# The targets are fours in the digits data of scikit-learn. We keep 34
# of 181 fours, so that 2 % of the images are targets. Noise makes the
# problem harder. Half of the images are kept for the test.

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    train_test_split,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=7.0, size=X.shape)
fours = rng.permutation(np.flatnonzero(digit == 4))
kept = np.setdiff1d(np.arange(digit.size), fours[34:])
X, y = X[kept], (digit[kept] == 4).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
print(f"{y.size} images, {y.sum()} targets: prevalence {y.mean():.3f}")

# %%
# Tuning
# ------
# Pass a scorer of skrank to ``GridSearchCV`` as ``scoring=``.

from skrank import (
    make_average_precision_at_k_scorer,
    make_average_precision_scorer,
)

scorers = {
    "accuracy": "accuracy",
    "AP": make_average_precision_scorer(),
    "AP@10": make_average_precision_at_k_scorer(10),
}
models = {
    "KNN": (
        KNeighborsClassifier(),
        {
            "kneighborsclassifier__n_neighbors": [1, 3, 5, 15, 50],
            "kneighborsclassifier__p": [1, 2],
        },
    ),
    "SVM": (
        SVC(),
        {
            "svc__C": [0.1, 1, 10, 100],
            "svc__gamma": [0.001, 0.003, 0.01, 0.03, 0.1],
        },
    ),
}
cv = StratifiedKFold(5, shuffle=True, random_state=0)

searches = {}
for model, (estimator, grid) in models.items():
    pipeline = make_pipeline(StandardScaler(), estimator)
    for name, scoring in scorers.items():
        search = GridSearchCV(pipeline, grid, scoring=scoring, cv=cv)
        searches[model, name] = search.fit(X_train, y_train)

# %%
# Test
# ----
# ``null_mean`` is the mean AP of random selection. It is above the
# prevalence. The p-value is the probability that random selection
# reaches at least the AP of the model.

from skrank import RandomSelectionTest, make_recall_at_t_scorer

test, recall = RandomSelectionTest(), make_recall_at_t_scorer(50)
rows = []
for (model, scorer), search in searches.items():
    result = test.from_estimator(search, X_test, y_test)
    rows.append(
        {
            "model": model,
            "tuned by": scorer,
            "accuracy": np.mean(search.predict(X_test) == y_test),
            "AP": result.value,
            "null_mean": result.null_mean,
            "pvalue": f"{result.pvalue:.1e}",
            "recall@50": recall(search, X_test, y_test),
        }
    )
table = pd.DataFrame(rows).round(3)
print(table.to_string(index=False))

# %%
# Reading the table:
#
# - All models have almost the same accuracy, 0.98. A model that finds
#   no target also has this accuracy.
# - AP distinguishes the models. The KNN tuned by accuracy finds only a
#   third of the targets among the first 50 images.
# - Each p-value is far below 0.05: all rankings are better than chance.
#
# Is the support vector machine better than the nearest neighbours?

from skrank import RankingComparison

comparison = RankingComparison().from_estimator(
    {"SVM": searches["SVM", "AP"], "KNN": searches["KNN", "AP"]},
    X_test,
    y_test,
)
print(comparison)

# %%
# The difference is small, and its interval contains 0.
#
# The hit curve
# -------------
# The hit curve is the number of targets among the first images of the
# ranking. A straight slope is a tie, within which the order is unknown.
# The grey band is random selection.

from skrank import HitCurveDisplay

ax = None
for model, scorer in [
    ("KNN", "AP"),
    ("KNN", "accuracy"),
    ("SVM", "AP"),
]:
    display = HitCurveDisplay.from_estimator(
        searches[model, scorer],
        X_test,
        y_test,
        name=f"{model}, tuned by {scorer}",
        top=300,
        ax=ax,
    )
    ax = display.ax_
_ = ax.set_title(
    f"{y_test.sum()} rare digits among {y_test.size} images"
)
