"""
Medicine: recall of a screening, with an interval
=================================================

A clinic can examine 40 patients again. How many of the tumours does a
model find, and is a model with more measurements better? This example
reports the recall with an interval, compares two models, and ends with
the sentence for a report.
"""

# %%
# Data
# ----
# The breast cancer data come with scikit-learn. We keep 40 malignant
# tumours, so that 10 % of the patients have one. One model uses two
# measurements, and the other uses all thirty.

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

data = load_breast_cancer(as_frame=True)
rng = np.random.default_rng(0)
malignant = rng.permutation(np.flatnonzero(data.target == 0))
kept = np.setdiff1d(np.arange(data.target.size), malignant[40:])
X, y = data.data.iloc[kept], (data.target[kept] == 0).to_numpy()
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.6, stratify=y, random_state=0
)
few = ["mean texture", "mean symmetry"]
simple = make_pipeline(StandardScaler(), LogisticRegression())
simple.fit(X_train[few], y_train)
full = make_pipeline(StandardScaler(), LogisticRegression())
full.fit(X_train, y_train)
scores = {
    "thirty measurements": full.decision_function(X_test),
    "two measurements": simple.decision_function(X_test[few]),
}

# %%
# Hit curves
# ----------
# Read off the number of tumours found among the first 40 patients:

from skrank import HitCurveDisplay

ax = None
for name, score in scores.items():
    display = HitCurveDisplay.from_predictions(
        y_test, score, name=name, ax=ax
    )
    ax = display.ax_
_ = ax.set_title("Tumours found among the patients examined")

# %%
# Recall, with an interval
# ------------------------

import pandas as pd

from skrank import MetricInterval

rows = {}
for name, score in scores.items():
    result = MetricInterval("recall@40").from_predictions(y_test, score)
    rows[name] = (result.value, *result.confidence_interval())
table = pd.DataFrame(rows, index=["recall@40", "low", "high"]).T
table.round(3)

# %%
# Compare
# -------

from skrank import RankingComparison

result = RankingComparison("recall@40").from_predictions(y_test, scores)
result

# %%
# The model with thirty measurements finds more tumours, and the
# interval of the difference does not contain 0.
#
# Confidence band of a hit curve
# ------------------------------
# The coloured band is a simultaneous confidence band: it covers the
# curve at all depths at once. With 24 tumours it is wide.

display = HitCurveDisplay.from_predictions(
    y_test,
    scores["two measurements"],
    name="two measurements",
    confidence_band="simultaneous",
    random_state=0,
    top=100,
)

# %%
# Sentence for the report
# -----------------------

low, high = result.confidence_interval()
print(
    f"The first 40 of {y_test.size} patients have "
    f"{table.iloc[0, 0]:.0%} of the {y_test.sum()} tumours\n"
    f"by thirty measurements and {table.iloc[1, 0]:.0%} by two "
    f"(difference {result.difference:.2f},\n"
    f"95 % CI {low:.2f} to {high:.2f}, p = {result.pvalue:.1g})."
)
