"""
Fraud: ten alerts a day
=======================

A bank scores 500 transactions a day, and analysts check ten of them.
The metric is the precision of the ten alerts of each day. Scores of
different days are not comparable. Days without fraud count as well: ten
alerts on such a day are ten false alerts.
"""

# %%
# Sixty simulated days
# --------------------
# A day has 1.5 frauds on average. On busy days all scores are higher.

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
# The scorer requests the column of days by metadata routing. The
# splitter keeps the transactions of a day in one fold.

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
# Are ten alerts of the model better than ten random alerts? The null
# hypothesis spreads the frauds of each day over that day at random.

from skrank import RandomSelectionTest

today = day[future]
RandomSelectionTest("precision@10").from_estimator(
    search, X[future], fraud[future], groups=today
)

# %%
# The interval is the one of the mean over days:

from skrank import MetricInterval

MetricInterval("precision@10").from_estimator(
    search, X[future], fraud[future], groups=today
)

# %%
# The values of single days:

from skrank import make_metric

score = search.decision_function(X[future])
by_day = make_metric("precision@10").by_group(
    fraud[future], score, today
)
by_day.to_frame().head()

# %%
# Each thin line is a day with fraud. The thick line is their mean.

from skrank import HitCurveDisplay

some = np.isin(today, today[fraud[future]])
display = HitCurveDisplay.from_predictions(
    fraud[future][some], score[some], groups=today[some]
)
_ = display.ax_.set(xlim=(0, 100), title="Hits in the first alerts")

# %%
# Do not pool the days. In one ranking of all days, the busy days take
# most of the places.

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
# Is a random forest better? Each day has a difference, and Student's t
# test compares the mean difference with 0.

from sklearn.ensemble import RandomForestClassifier

from skrank import RankingComparison

forest = RandomForestClassifier(
    100, min_samples_leaf=5, random_state=0
).fit(X[past], fraud[past])
result = RankingComparison("precision@10").from_estimators(
    search,
    forest,
    X[future],
    fraud[future],
    groups=today,
    names=("logistic", "forest"),
)
result

# %%
# The number of days for a power of 80 %, if the true difference equals
# the observed difference:

result.sample_size(power=0.8)

# %%
# Money
# -----
# With the amounts as weights, recall is the share of the stolen money
# that is found. The depth is also measured in money: 2 % of the money
# of each day, which is more than ten transactions.

MetricInterval("recall@0.02").from_predictions(
    fraud[future][some],
    score[some],
    sample_weight=amount[future][some],
    groups=today[some],
)
