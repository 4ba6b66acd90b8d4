"""
Sample size: targets that a study needs
=======================================

A pilot study compares two models. How many targets must the next study
have to show the difference, and to show that each model is better than
chance?
"""

# %%
# Pilot
# -----
# The targets are 25 eights among the digits of scikit-learn. Noise
# makes the problem harder.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from skrank import RankingComparison, Rankings

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
X = X + rng.normal(scale=6.0, size=X.shape)
eights = rng.permutation(np.flatnonzero(digit == 8))
kept = np.setdiff1d(np.arange(digit.size), eights[50:])
X, y = X[kept], (digit[kept] == 8).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
models = {
    "SVM": SVC(C=10).fit(X_train, y_train),
    "linear": LogisticRegression(max_iter=10_000).fit(X_train, y_train),
}
pilot = Rankings.from_estimator(models, X_test, y_test)
RankingComparison().from_rankings(pilot)

# %%
# Power of the comparison
# -----------------------
# The plan uses the values of both models and the correlation of their
# scores from the pilot, and assumes that these are the true values. A
# pilot with 25 targets is small, so the power is uncertain. A warning
# says so.

from skrank import comparison_power

planned = comparison_power(pilot=pilot, n_targets=50, n_studies=500)
planned

# %%
# Read off the number of targets for the power that you want. The
# vertical bars are standard errors of the simulation.

curve = planned.curve([20, 40, 80, 160])
bars = {"yerr": "power_standard_error", "marker": "o", "legend": False}
axes = curve.plot("n_targets", "power", **bars)
_ = axes.set(xlabel="targets", ylabel="power", ylim=(0, 1))

# %%
# Better than chance
# ------------------
# The test of the linear model against random selection needs this
# number of targets, for a power of 0.9 at the level 0.001:

from skrank import random_selection_power

linear = Rankings.from_estimator(models["linear"], X_test, y_test)
found = random_selection_power(
    pilot=linear, power=0.9, significance_level=0.001
)
print(f"{found.n_targets} targets among {found.n_samples} items")
