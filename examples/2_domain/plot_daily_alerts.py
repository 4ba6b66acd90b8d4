"""
Fraud detection: ten alerts a day
=================================

A bank scores 500 transactions a day, and analysts check ten of them.
How many frauds do they find, and which model finds more? The metric is
the precision of the ten alerts, as a mean over days. This example tunes
a model by it, tests it on later days, and compares it with a second
model.
"""

# %%
# Sixty simulated days
# --------------------
# A day has 1.5 frauds on average. On some days the features and the
# scores of all transactions are higher, so scores of different days are
# not comparable. The first 40 days are for tuning, and the last 20 days
# for testing.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
day = np.repeat(np.arange(60), 500)
fraud = rng.random(day.size) < 0.003
X = rng.normal(size=(day.size, 6)) + rng.normal(size=60)[day, None]
X[:, :3] += 1.3 * fraud[:, None]
amount = np.round(rng.lognormal(4 + fraud, 1.0), 2)
past, future = day < 40, day >= 40

# %%
# Tune
# ----
# The scorer ranks each day separately. It gets the days by metadata
# routing of scikit-learn: ``set_score_request(groups="day")`` says that
# they are the argument ``day`` of ``fit``. ``GroupKFold`` keeps the
# transactions of a day in one fold.

import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank import make_precision_at_t_scorer

model = make_pipeline(StandardScaler(), LogisticRegression())
with sklearn.config_context(enable_metadata_routing=True):
    scorer = make_precision_at_t_scorer(10)
    search = GridSearchCV(
        model,
        {"logisticregression__C": [1e-5, 1e-3, 0.1]},
        scoring=scorer.set_score_request(groups="day"),
        cv=GroupKFold(4),
    )
    data = X[past], fraud[past]
    search.fit(*data, day=day[past], groups=day[past])
columns = ["param_logisticregression__C", "mean_test_score"]
pd.DataFrame(search.cv_results_)[columns]

# %%
# Test
# ----
# Are ten alerts of the model better than ten random alerts? Under the
# null hypothesis each day has its frauds at random ranks.

from skrank import RandomSelectionTest

today = day[future]
RandomSelectionTest("precision@10").from_estimator(
    search, X[future], fraud[future], groups=today
)

# %%
# On average 8 % of the alerts are frauds. With random alerts it would
# be 0.35 %, the prevalence. The interval of the mean over days:

from skrank import MetricInterval

MetricInterval("precision@10").from_estimator(
    search, X[future], fraud[future], groups=today
)

# %%
# Single days
# -----------
# The grey bars are all frauds of a day, and the blue bars the frauds
# among its ten alerts. Days without fraud count with a precision of 0.

import matplotlib.pyplot as plt

score = search.decision_function(X[future])
test = RandomSelectionTest("precision@10")
frame = test.from_predictions(
    fraud[future], score, groups=today
).to_frame()
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
day = frame["ranking"]
ax.bar(day, frame["n_targets"], color="0.85", label="frauds")
ax.bar(day, 10 * frame["value"], label="among ten alerts")
ax.set(xlabel="day", ylabel="frauds")
ax.locator_params(integer=True)
_ = ax.legend()

# %%
# Do not pool the days. In one ranking of all days, most of the top 200
# come from days with high scores, and the precision is lower:

from skrank import precision_at_t

pd.Series(
    {
        "ten alerts on each of 20 days": precision_at_t(
            fraud[future], score, t=10, groups=today
        ),
        "the first 200 alerts, pooled": precision_at_t(
            fraud[future], score, t=200
        ),
    },
    name="precision",
)

# %%
# Compare
# -------
# Is a random forest with fixed settings better? Student's t test
# compares the mean of the daily differences with 0.

from sklearn.ensemble import RandomForestClassifier

from skrank import RankingComparison

forest = RandomForestClassifier(
    100, min_samples_leaf=5, random_state=0
).fit(X[past], fraud[past])
result = RankingComparison("precision@10").from_estimator(
    {"logistic": search, "forest": forest},
    X[future],
    fraud[future],
    groups=today,
)
result

# %%
# The logistic regression finds four more frauds in a hundred alerts,
# and the interval does not contain 0. The figure shows the difference
# of each day, and the interval of their mean:

difference = np.subtract(result.values_a, result.values_b)
low, high = result.confidence_interval()
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.bar(result.labels, difference, color="C0", label="one day")
ax.axhspan(low, high, color="C1", alpha=0.3, label="95 % interval")
ax.axhline(result.difference, color="C1", label="mean of 20 days")
ax.axhline(0, color="0.3", lw=1)
ax.set(xlabel="day", ylabel="difference in precision@10")
ax.locator_params(axis="x", integer=True)
_ = ax.legend()

# %%
# How many days does a new study need for a power of 80 %? A significant
# difference tends to be too large. Plan with the smallest difference
# that matters, here one fraud in two days:

print(f"{result.sample_size(power=0.8, difference=0.05):.0f} days")

# %%
# The hit curves of both models: each thin line is a day with fraud, and
# the thick line is the mean of these days. The vertical line marks ten
# alerts. There is no chance band, because it differs between days.

from skrank import HitCurveDisplay

some = np.isin(today, today[fraud[future]])
others = {
    "logistic": score,
    "forest": forest.predict_proba(X[future])[:, 1],
}
fig, axes = plt.subplots(
    1, 2, figsize=(9, 4), sharey=True, layout="constrained"
)
for ax, (name, values) in zip(axes, others.items(), strict=True):
    HitCurveDisplay.from_predictions(
        fraud[future][some],
        values[some],
        groups=today[some],
        name=name,
        top=100,
        ax=ax,
    )
    ax.axvline(10, color="C3", ls="--")

# %%
# Share of the stolen money
# -------------------------
# Which share of the stolen money is in the ten alerts?

stolen = amount[future] * fraud[future]
found = {}
for name, values in others.items():
    place = pd.Series(-values).groupby(today).rank(method="first")
    found[name] = stolen[place <= 10].sum() / stolen.sum()
pd.Series(found, name="share of the stolen money").round(3)

# %%
# The interval for the logistic regression, by a bootstrap of days:

from scipy.stats import bootstrap

money = pd.DataFrame({"day": today, "stolen": stolen})
place = pd.Series(-score).groupby(today).rank(method="first")
money["caught"] = money["stolen"].where(place <= 10, 0.0)
money = money.groupby("day").sum()


def share(caught, stolen, axis):
    return caught.sum(axis) / stolen.sum(axis)


limits = bootstrap(
    (money["caught"], money["stolen"]),
    share,
    paired=True,
    method="percentile",
    rng=np.random.default_rng(0),
).confidence_interval
print(f"95 % interval {limits.low:.2f} to {limits.high:.2f}")

# %%
# ``sample_weight`` answers another question. With amounts as weights,
# the depth is also counted in money: how much of the stolen money is in
# the first 2 % of the money of each day? For thresholds by amounts, see
# :ref:`amounts`.

MetricInterval("recall@0.02").from_predictions(
    fraud[future][some],
    score[some],
    sample_weight=amount[future][some],
    groups=today[some],
)
