"""
Daily alerts
============

A bank scores 500 transactions a day, and has the time to look at ten of them. What
counts is how many of the ten are fraud, day by day; scores of different days do not
compare. On many days there is no fraud at all, and these days count, too: ten alerts,
and none of them right.
"""

# %%
# Sixty simulated days
# --------------------
# Some 1.5 frauds a day; on busy days all transactions look more suspicious.

import numpy as np
import pandas as pd
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(0)
day = np.repeat(np.arange(60), 500)
fraud = rng.random(day.size) < 0.003
X = rng.normal(size=(day.size, 6)) + rng.normal(size=60)[day, None]
X[:, :3] += 1.3 * fraud[:, None]
amount = np.round(rng.lognormal(4 + fraud, 1.0), 2)
past, future = day < 40, day >= 40
frauds = pd.Series(fraud).groupby(day).sum()
frauds.value_counts().rename("days with so many frauds")

# %%
# Tune
# ----
# The scorer asks for the column of days, under any name, by scikit-learn's metadata
# routing. The splitter has groups of its own: here it keeps days together.

from skrank import make_precision_at_t_scorer

sklearn.set_config(enable_metadata_routing=True)
scorer = make_precision_at_t_scorer(10)
scorer = scorer.set_score_request(groups="day")
model = make_pipeline(StandardScaler(), LogisticRegression())
grid = {"logisticregression__C": [1e-5, 1e-3, 0.1]}
search = GridSearchCV(model, grid, scoring=scorer, cv=GroupKFold(4))
search.fit(X[past], fraud[past], day=day[past], groups=day[past])
table = pd.DataFrame(search.cv_results_)
table[["param_logisticregression__C", "mean_test_score"]]

# %%
# Test
# ----
# Are ten alerts a day by this model better than ten at random? The null hypothesis
# spreads the frauds of each day over that day.

from skrank import MetricInterval, RandomSelectionTest

data = X[future], fraud[future]
today = day[future]
test = RandomSelectionTest("precision@10")
test.from_estimator(search, *data, groups=today)

# %%
# How much would the mean be on other days?

interval = MetricInterval("precision@10")
interval.from_estimator(search, *data, groups=today)

# %%
# The single days, as a table:

from skrank import make_metric

score = search.decision_function(X[future])
precision = make_metric("precision@10")
precision.by_group(fraud[future], score, today).to_frame().head()

# %%
# A thin line for each day, and their mean. Days without fraud have no curve.

from skrank import HitCurveDisplay

with_fraud = np.isin(today, today[fraud[future]])
display = HitCurveDisplay.from_predictions(
    fraud[future][with_fraud],
    score[with_fraud],
    groups=today[with_fraud],
)
_ = display.ax_.set(xlim=(0, 100), title="Frauds in the first alerts of a day")

# %%
# In one ranking of all days the busy days take all the places:

from skrank import precision_at_t

by_day = precision_at_t(fraud[future], score, t=10, groups=today)
pooled = precision_at_t(fraud[future], score, t=10 * 20)
pd.Series({"ten a day": by_day, "the best 200 of 20 days": pooled})

# %%
# Compare
# -------
# Is a forest better? The days are the sample: each has a difference, and Student's t
# tells whether their mean could be 0.

from skrank import RankingComparison

forest = RandomForestClassifier(200, min_samples_leaf=5, random_state=0)
forest.fit(X[past], fraud[past])
comparison = RankingComparison("precision@10")
result = comparison.from_estimators(
    search, forest, *data, groups=today, names=("logistic", "forest")
)
result

# %%
# So many days show such a difference with a probability of 80 %, if it is real:

result.sample_size(power=0.8)

# %%
# Value
# -----
# With the amounts as weights, recall is the share of the money that is found: here by
# who checks the best 2 % of the money that is moved each day.

MetricInterval("recall@0.02").from_predictions(
    fraud[future][with_fraud],
    score[with_fraud],
    sample_weight=amount[future][with_fraud],
    groups=today[with_fraud],
)
