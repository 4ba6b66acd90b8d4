"""
Fraud: ten alerts a day
=======================

A bank scores 500 transactions a day, and analysts check ten of them.
The metric is the precision of the ten alerts, as a mean over days. The
example tunes a model by this metric, tests it on later days, and
compares it with a second model.
"""

# %%
# Sixty simulated days
# --------------------
# A day has 1.5 frauds on average. On some days the features of all
# transactions are higher, and so are the scores. Scores of different
# days are not comparable. The first 40 days are
# for tuning, and the last 20 days are for testing.

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
# The scorer ranks each day separately. scikit-learn passes the days to
# the scorer by metadata routing: ``set_score_request`` names the
# argument of ``fit`` that holds the days. ``GroupKFold`` keeps the
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
# null hypothesis the frauds of each day are at random places of the
# ranking of this day.

from skrank import RandomSelectionTest

today = day[future]
RandomSelectionTest("precision@10").from_estimator(
    search, X[future], fraud[future], groups=today
)

# %%
# On average 8 % of the alerts are frauds. Random alerts reach 0.35 %,
# the prevalence. The interval of the mean over days:

from skrank import MetricInterval

MetricInterval("precision@10").from_estimator(
    search, X[future], fraud[future], groups=today
)

# %%
# Single days
# -----------
# Days without fraud count as well: ten alerts on such a day are ten
# false alerts.

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
# Do not pool the days. In one ranking of all days, the days with high
# scores take most of the places, and the precision is lower:

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
# Is a random forest with fixed settings better? Each day has a
# difference of two precisions, and Student's t test compares the mean
# difference with 0.

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
# The logistic regression is better by four frauds in a hundred alerts,
# and the interval does not contain 0. The differences of the days, with
# the interval of their mean:

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
# How many days would a new study need to find a difference with a
# probability of 80 %? A significant difference tends to be too large,
# so plan with the smallest one that matters: one fraud in two days.

print(f"{result.sample_size(power=0.8, difference=0.05):.0f} days")

# %%
# The curves of both models: each thin line is a day with fraud, and the
# thick line is the mean of these days. The vertical line marks ten
# alerts. The days have no common band of chance.

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
# Money
# -----
# The analysts check ten transactions, and the bank wants the share of
# the stolen money among them:

stolen = amount[future] * fraud[future]
found = {}
for name, values in others.items():
    place = pd.Series(-values).groupby(today).rank(method="first")
    found[name] = stolen[place <= 10].sum() / stolen.sum()
pd.Series(found, name="share of the stolen money").round(3)

# %%
# The interval of the logistic regression draws days with replacement:

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
# ``sample_weight`` is for another question. With amounts as weights,
# the depth is counted in money, too: how much of the stolen money is in
# the first 2 % of the money of each day?

MetricInterval("recall@0.02").from_predictions(
    fraud[future][some],
    score[some],
    sample_weight=amount[future][some],
    groups=today[some],
)
