"""
Rare digits: tuning and test
============================

The main job, from data to p-value. The digits that scikit-learn ships are turned into a
rare-target problem: one digit is thinned until it makes up about 2 % of the images. Two
families of models are tuned by average precision (AP), and by AP at 10, the depth of
the ranking that we can afford to look at. Then each winner ranks images it has never
seen, and the test against random selection says what that ranking is worth.

Nearest neighbours give only a few distinct scores, so the ranking is full of ties; the
p-value takes them into account.
"""

# %%
# A rare target
# -------------
# Fours are the targets. Of 181 only 34 stay; half of everything is kept for the test.

import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tqdm import tqdm

from skrank import (
    HitCurveDisplay,
    RandomSelectionTest,
    average_precision_at_k,
    make_average_precision_at_k_scorer,
    make_average_precision_scorer,
    precision_at_t,
    recall_at_t,
)

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=7.0, size=X.shape)  # a poor camera: else it is too easy
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
# The scorers are handed to ``GridSearchCV`` like any other.

K = 10
scorers = {
    "AP": make_average_precision_scorer(),
    f"AP@{K}": make_average_precision_at_k_scorer(K),
}
models = {
    "KNN": (
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {
            "kneighborsclassifier__n_neighbors": [1, 3, 5, 9, 15, 25],
            "kneighborsclassifier__p": [1, 2],
        },
    ),
    "SVM": (
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": [0.1, 1, 10, 100], "svc__gamma": [0.001, 0.003, 0.01, 0.03, 0.1]},
    ),
}
cv = StratifiedKFold(5, shuffle=True, random_state=0)

searches = {}
jobs = [(model, scorer) for model in models for scorer in scorers]
for model, scorer in tqdm(jobs, desc="Tuning", unit="search"):
    pipeline, grid = models[model]
    search = GridSearchCV(pipeline, grid, scoring=scorers[scorer], cv=cv, n_jobs=2)
    searches[model, scorer] = search.fit(X_train, y_train)

# %%
# Test
# ----
# The test set was not touched until now. Chance AP is what is expected by chance; it is
# above the prevalence. z counts standard deviations above it, but it is the p-value
# that says how often random selection does as well. Chance, z and p belong to the AP
# before them.

test = RandomSelectionTest()
results, scores = {}, {}
for (model, scorer), search in searches.items():
    results[model, scorer] = test.from_estimator(search, X_test, y_test)
    method = "decision_function" if model == "SVM" else "predict_proba"
    output = getattr(search, method)(X_test)
    scores[model, scorer] = output if output.ndim == 1 else output[:, 1]

columns = f"{'model':<7}{'tuned by':<10}{'best parameters':<22}{'AP':>6}"
columns += f"{'chance':>8}{'z':>6}{'p':>9}"
columns += "".join(f"{name:>9}" for name in (f"AP@{K}", f"rec@{K}", f"prec@{K}"))
print(f"\nOn the test half: {y_test.size} images, {y_test.sum()} targets")
print(columns + "\n" + "-" * len(columns))
for (model, scorer), search in searches.items():
    best = ", ".join(
        f"{name.split('__')[1]}={value}" for name, value in search.best_params_.items()
    )
    result, y_score = results[model, scorer], scores[model, scorer]
    at_k = (
        average_precision_at_k(y_test, y_score, k=K),
        recall_at_t(y_test, y_score, t=K),
        precision_at_t(y_test, y_score, t=K),
    )
    print(
        f"{model:<7}{scorer:<10}{best:<22}{result.statistic:>6.3f}"
        f"{result.null_mean:>8.3f}{result.zscore:>6.1f}{result.pvalue:>9.1e}"
        + "".join(f"{value:>9.3f}" for value in at_k)
    )

# %%
# The hit curve
# -------------
# How many of the targets one has found after looking at so many images. Within a tie
# the curve is a straight slope, since any order is as good as another: nearest
# neighbours have a few long ties, the SVM has none. The grey band is chance.

ax = None
for model in models:
    display = HitCurveDisplay.from_predictions(
        y_test, scores[model, "AP"], name=f"{model}, tuned by AP", top=300, ax=ax
    )
    ax = display.ax_
ax.set_title(f"{y_test.sum()} rare digits among {y_test.size} images")

# %%
# Run as a script, the example leaves the picture in the file that is named.

if sys.argv[1:]:
    display.figure_.savefig(sys.argv[1], dpi=110)
    print(f"\nThe hit curve is in {sys.argv[1]}")
