"""
Folds and days
==============

Rare targets leave few to test on. Cross-validation makes a test item of every one of
them, but each fold is a ranking by another model, so that there are several short
rankings and not one long one. It is the same with a ranking that is made anew each day.
The test against random selection takes each ranking for itself, and all of them by
their mean.
"""

# %%
# Folds
# -----
# Sixes are the targets, thinned to 24 among some 1600 images; the camera is poor.
# Chance is not the prevalence: on rankings as short as a fold, chance is worth far
# more.

import matplotlib.pyplot as plt
import numpy as np
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

print(f"{'fold':<6}{'items':>6}{'targets':>9}{'prevalence':>12}{'chance':>8}", end="")
print(f"{'critical':>10}{'AP':>8}{'p':>9}")
for fold, part in zip(result.labels, result.parts, strict=True):
    critical = part.null_distribution.isf(0.01)
    print(
        f"{fold:<6}{part.n_samples:>6}{part.n_targets:>9}"
        f"{part.n_targets / part.n_samples:>12.4f}{part.null_mean:>8.4f}"
        f"{critical:>10.4f}{part.statistic:>8.4f}{part.pvalue:>9.1e}"
    )
chance = result.null_distribution
critical = chance.isf(0.01)
print(
    f"{'mean':<6}{result.n_samples:>6}{result.n_targets:>9}"
    f"{y.mean():>12.4f}{result.null_mean:>8.4f}"
    f"{critical:>10.4f}{result.statistic:>8.4f}{result.pvalue:>9.1e}"
)

# %%
# In one ranking the same targets would have a chance level nearer to the prevalence. So
# an AP averaged over folds compares with the chance of the folds, and with nothing
# else.

whole = RandomSelectionNull(y.size, int(y.sum()))
print(f"prevalence {y.mean():.4f}")
print(f"null mean of one ranking {whole.mean():.4f}, over folds {chance.mean():.4f}")

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

# %%
# Days
# ----
# Each day brings 300 transactions, and one has the time to look at 10 of them. The
# scores of one day do not compare with those of another: there are busy days, when all
# are higher. Ranked in one ranking, the busy days take all the places.

days, per_day = 20, 300
day = np.repeat(np.arange(days), per_day)
fraud = np.zeros(day.size, dtype=bool)
for today in range(days):
    fraud[rng.choice(np.flatnonzero(day == today), 3, replace=False)] = True
score = rng.normal(fraud * 1.0) + rng.normal(scale=3.0, size=days)[day]

depth = 10
daily = RandomSelectionTest(f"recall@{depth}")
by_day = daily.from_predictions(fraud, score, groups=day)
season = RandomSelectionTest(f"recall@{depth * days}")
at_once = season.from_predictions(fraud, score)
for name, found in (("day by day", by_day), ("in one ranking", at_once)):
    print(
        f"{name:<12} recall {found.statistic:.3f}, by chance {found.null_mean:.3f}",
        end="",
    )
    print(f", p {found.pvalue:.1e} by {found.method}")

# %%
# Alone, not even the best day proves anything: it is the best of twenty, so its p-value
# is to be multiplied by twenty. Together the days do.

least = min(part.pvalue for part in by_day.parts)
print(f"least p of a day {least:.2g}, times {days}: {days * least:.2g}")
