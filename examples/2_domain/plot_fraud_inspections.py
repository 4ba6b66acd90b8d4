"""
Fraud: labels of the inspected transactions only
================================================

A bank ranks the transactions of a month by a model. Inspectors look at
the top of the list, and at nothing else. Transactions that nobody
looked at have no label, and metrics of the inspected ones are too good.
Some more inspections further down, at random, give metrics of the whole
list with an interval.
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
# The inspectors looked at the top 200. The average precision of these
# rows is twice that of the list, and its interval is about other months
# with inspections of the top, too:

rank = np.argsort(np.argsort(-score))
top = rank < 200
print(MetricInterval().from_predictions(is_fraud[top], score[top]))

# %%
# From the top alone, the average precision of the list is not known.
# The error says which labels it needs:

label = np.where(top, is_fraud, np.nan)
try:
    SampledMetricInterval().from_predictions(label, score)
except ValueError as error:
    print(textwrap.fill(str(error), 70))

# %%
# A plan
# ------
# The bank can pay 500 inspections. The plan chooses them. For a guess
# of the average precision and of the share of frauds, we know the width
# of the interval before anybody looks:

plan = labels_to_collect(score, budget=500, t=200, random_state=0)
question = SampledMetricInterval()
guess = {"average_precision": 0.3, "prevalence": 0.005}
print(f"expected width: {question.expected_width(plan, **guess):.2f}")

# %%
# The strata of the plan end at 200. The rest of the top may therefore
# be inspected as well:

inspected = plan["to_label"] | top
label = np.where(inspected, is_fraud, np.nan)
print(f"{inspected.sum()} inspections")

# %%
# The whole list
# --------------
# The strata tell how the inspected transactions were chosen:

strata = plan["stratum"]
result = question.from_predictions(label, score, strata=strata)
print(result)

# %%
# Another metric of the same inspections:

print(SampledMetricInterval("recall@200").from_result(result))

# %%
# The strata, with the numbers of frauds that were found and that are
# expected among the other transactions:

result.to_frame().round(1)

# %%
# A new model
# -----------
# The bank has a new model. The labels of the plan are those of a random
# sample of the same strata, so they answer for it as well, and for its
# difference from the old one on this list:

new_score = score + rng.normal(0.8 * is_fraud, 0.7)
models = {"new": new_score, "old": score}
test = RankingComparison()
comparison = test.from_predictions(label, models, strata=strata)
print(comparison)
print(textwrap.fill(comparison.conclusion(), 70))

# %%
# Most labels are at the top of the old model. A plan for both models,
# with the tops of both, decides more with as many labels:

both = labels_to_collect(models, budget=650, t=200, random_state=0)
label_of_both = np.where(both["to_label"], is_fraud, np.nan)
comparison = test.from_predictions(label_of_both, models, strata=both)
print(textwrap.fill(comparison.conclusion(), 70))

# %%
# The picture
# -----------
# The curve is known where all transactions were inspected (solid), and
# estimated below (dashed). The band contains the frauds among the first
# *t* transactions for all *t* at once, with a probability of 95 %. The
# dotted curve is the truth of the simulation:

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
