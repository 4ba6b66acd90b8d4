"""
Folds
=====

Rare targets leave few to test on. Cross-validation makes a test item of every one of
them, but each fold is a ranking by another model, so that there are several short
rankings and not one long one. The test against random selection takes each ranking for
itself, and all of them by their mean.
"""

# %%
# Folds
# -----
# Sixes are the targets, thinned to 24 among some 1600 images; the camera is poor.
# Chance is not the prevalence: on rankings as short as a fold, chance is worth far
# more.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank import RandomSelectionNull, RandomSelectionTest

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=10.0, size=X.shape)
sixes = rng.permutation(np.flatnonzero(digit == 6))
kept = np.setdiff1d(np.arange(digit.size), sixes[24:])
X, y = X[kept], digit[kept] == 6

knn = make_pipeline(StandardScaler(), KNeighborsClassifier(15))
cv = StratifiedKFold(5, shuffle=True, random_state=0)
result = RandomSelectionTest().from_cv(knn, X, y, cv=cv)

table = result.to_frame().set_index("ranking")
table["critical value"] = [one.null_distribution.isf(0.01) for one in result.parts]
table[["n_samples", "n_targets", "null_mean", "critical value", "statistic", "pvalue"]]

# %%
# Their mean:

result

# %%
# What would it take to be significant at 1 %?

chance = result.null_distribution
critical = chance.isf(0.01)
critical

# %%
# In one ranking the same targets would have a chance level nearer to the prevalence. So
# an AP averaged over folds compares with the chance of the folds, and with nothing
# else.

whole = RandomSelectionNull(y.size, int(y.sum()))
pd.Series(
    {
        "prevalence": y.mean(),
        "null mean of one ranking": whole.mean(),
        "null mean over the folds": chance.mean(),
    }
)

# %%
# Null mean
# ---------
# The null distribution of the mean over the folds, by 50,000 draws. It is that of
# independent folds, spread about its mean by the square root of 2: the labels of a fold
# train the models of the others, so that their mean may vary as much as that.
# What would be below the least possible value is drawn at it.

BLUE, ORANGE = "#0072B2", "#D55E00"
plt.rcParams.update({"font.size": 11, "axes.spines.top": False})
plt.rcParams.update({"axes.spines.right": False, "legend.frameon": False})

fig, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
draws = chance.rvs(50_000, random_state=0)
most = 1.08 * max(result.statistic, *(part.statistic for part in result.parts))
bins = np.linspace(0, most, 120)
ax.hist(draws, bins, density=True, color="0.82", label="mean over 5 folds, by chance")
ax.axvline(y.mean(), color="0.35", ls=":", lw=1.5, label="prevalence")
ax.axvline(chance.mean(), color=BLUE, lw=2, label="null mean")
ax.axvline(critical, color=BLUE, ls="--", lw=2, label="critical value, 1 %")
ax.axvline(result.statistic, color=ORANGE, lw=2, label="mean over 5 folds, observed")
folds = [part.statistic for part in result.parts]
height = np.full(len(folds), 0.06 * ax.get_ylim()[1])
ax.plot(
    folds, height, "o", color=ORANGE, ms=8, mfc="white", mew=2, label="single folds"
)
ax.set(
    xlabel="average precision",
    ylabel="density",
    title=f"Five folds with {y.sum()} targets among {y.size} images",
    xlim=(0, most),
)
ax.legend(loc="upper right")
