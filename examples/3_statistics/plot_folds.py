"""
Test a model by cross-validation with few targets
=================================================

With 24 targets you cannot keep a test set. Cross-validation uses every
target for testing, but each fold has only a few. Is the mean over the
folds better than chance? ``from_cv`` tests this mean.
"""

# %%
# Data
# ----
# The targets are 24 sixes among 1640 images. Noise makes the problem
# harder.

import numpy as np
from sklearn.datasets import load_digits

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=10.0, size=X.shape)
sixes = rng.permutation(np.flatnonzero(digit == 6))
kept = np.setdiff1d(np.arange(digit.size), sixes[24:])
X, y = X[kept], digit[kept] == 6

# %%
# Test
# ----

from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank import RandomSelectionTest

knn = make_pipeline(StandardScaler(), KNeighborsClassifier(15))
cv = StratifiedKFold(5, shuffle=True, random_state=0)
result = RandomSelectionTest().from_cv(knn, X, y, cv=cv)
result

# %%
# Single folds have four or five targets, so their values and p-values
# differ much:

columns = ["ranking", "n_samples", "n_targets", "value", "pvalue"]
frame = result.to_frame()[columns]
frame

# %%
# The test of the mean uses all 24 targets. Its p-value is smaller than
# the p-value of every fold. In the figure, compare the mean of the
# folds (line) with the mean of random selection (dotted):

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
folds = [part.value for part in result.parts]
ax.bar(range(1, 6), folds, color="C0", label="AP of a fold")
ax.axhline(result.value, color="C1", label="mean of the folds")
ax.axhline(result.null_mean, color="0.3", ls=":", label="null mean")
ax.set(xlabel="fold", ylabel="average precision")
_ = ax.legend(loc="upper center")

# %%
# The null mean
# -------------
# The null mean of five short rankings is larger than the null mean of
# one long ranking. Always compare a mean over folds with the null
# distribution of folds:

import pandas as pd

from skrank import RandomSelectionNull

null = result.null_distribution
pd.Series(
    {
        "prevalence": y.mean(),
        "null mean of one ranking": RandomSelectionNull(
            y.size, int(y.sum())
        ).mean(),
        "null mean of five folds": null.mean(),
        "critical value of five folds, 1 %": null.isf(0.01),
    }
).round(4)

# %%
# Null distribution of the mean
# -----------------------------
# The folds are not independent: the labels of a fold train the models
# of the other folds. The test therefore makes the null distribution
# wider than for independent rankings, by a factor of the square root
# of 2.

from skrank import NullDistributionDisplay

display = NullDistributionDisplay.from_result(result)
height = 0.05 * display.ax_.get_ylim()[1]
display.ax_.plot(
    folds, [height] * len(folds), "o", mfc="white", label="single folds"
)
_ = display.ax_.legend()
