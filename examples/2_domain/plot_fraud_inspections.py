"""
Fraud: only inspected transactions are labelled
===============================================

A bank ranks the transactions of a month by a model, and inspectors
check the top of the list only. All other transactions are unlabeled.
How good is the whole list? Metrics computed from the inspected items
are too optimistic. Some random inspections further down give metrics of
the whole list, with an interval.
"""

# %%
# The month
# ---------
# The month has 20,000 transactions. In this simulation all 100 frauds
# are known:

import textwrap

import matplotlib.pyplot as plt
import numpy as np

from skrank import (
    HitCurveDisplay,
    MetricInterval,
    RankingComparison,
    SampledMetricInterval,
    average_precision,
    hit_curve,
    labels_to_collect,
    recall_at_t,
)

rng = np.random.default_rng(3)
is_fraud = np.arange(20_000) < 100
score = rng.normal(2.2 * is_fraud)
print(f"AP of the list: {average_precision(is_fraud, score):.3f}")
print(f"recall at 200: {recall_at_t(is_fraud, score, t=200):.3f}")

# %%
# Labels of the top
# -----------------
# The inspectors checked the top 200. The average precision of these
# rows is twice the average precision of the list. Its interval does not
# help: it also describes the top only.

rank = np.argsort(np.argsort(-score))
top = rank < 200
print(MetricInterval().from_predictions(is_fraud[top], score[top]))

# %%
# The top alone does not determine the average precision of the list.
# The error says which labels are needed:

label = np.where(top, is_fraud, np.nan)
try:
    SampledMetricInterval().from_predictions(label, score)
except ValueError as error:
    print(textwrap.fill(str(error), 70))

# %%
# A plan
# ------
# The bank can pay for 500 inspections. The plan chooses them. With a
# guess of the average precision and of the share of frauds, you know
# the width of the interval before the first inspection:

plan = labels_to_collect(score, budget=500, t=200, random_state=0)
question = SampledMetricInterval()
guess = {"average_precision": 0.3, "prevalence": 0.005}
print(f"expected width: {question.expected_width(plan, **guess):.2f}")

# %%
# A stratum of the plan ends at rank 200. The bank can therefore also
# inspect the rest of the top 200:

inspected = plan["to_label"] | top
label = np.where(inspected, is_fraud, np.nan)
print(f"{inspected.sum()} inspections")

# %%
# The whole list
# --------------
# ``strata=`` says how the inspected transactions were chosen:

strata = plan["stratum"]
result = question.from_predictions(label, score, strata=strata)
print(result)

# %%
# Another metric from the same inspections:

print(SampledMetricInterval("recall@200").from_result(result))

# %%
# A row for each stratum: ``targets`` is the number of frauds found, and
# ``remaining`` the expected number of frauds not found:

result.to_frame().round(1)

# %%
# A new model
# -----------
# The bank has a new model. The same labels also compare it with the old
# model on this list:

new_score = score + rng.normal(0.8 * is_fraud, 0.7)
models = {"new": new_score, "old": score}
test = RankingComparison()
comparison = test.from_predictions(label, models, strata=strata)
print(comparison)
print(textwrap.fill(comparison.conclusion(), 70))

# %%
# Most labels are at the top of the old model. A plan for both models
# labels the tops of both, and gives a narrower interval with about as
# many labels:

both = labels_to_collect(models, budget=650, t=200, random_state=0)
label_of_both = np.where(both["to_label"], is_fraud, np.nan)
comparison = test.from_predictions(label_of_both, models, strata=both)
print(textwrap.fill(comparison.conclusion(), 70))

# %%
# Hit curve of the list
# ---------------------
# The curve is known where all transactions were inspected (solid), and
# estimated below (dashed). With a probability of 95 %, the band
# contains the number of frauds among the first *t* transactions for all
# *t* at once. The dotted curve is the truth of the simulation:

curve, band = result.hit_curve(), result.hit_curve_band()
fig, ax = plt.subplots(figsize=(7, 4.5))
display = HitCurveDisplay(curve, confidence_band=band, name="estimated")
display.plot(
    ax,
    chance_band_level=None,
    plot_perfect=False,
    line_kw={"linestyle": "--"},
)
known = curve.t <= 200
ax.plot(curve.t[known], curve.hits[known], linewidth=3, label="known")
truth = hit_curve(is_fraud, score)
ax.plot(truth.t, truth.hits, color="black", ls=":", label="truth")
ax.set(xscale="log", xlim=(10, 20_000), ylim=(0, None))
_ = ax.legend(loc="upper left")
