"""
Dependent items: several images of each patient
===============================================

A model ranks ten images of each of 80 patients by a tumour score.
Images of a patient are similar, so 800 images contain less information
than 800 patients. How wide is the interval, and is a new model better?
``clusters=`` names the patient of each image.
"""

# %%
# Eighty simulated patients
# -------------------------
# All images of an ill patient show the tumour. The scores of a patient
# share a random effect.

import numpy as np

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(80), 10)
ill = np.repeat(rng.random(80) < 0.15, 10)
effect = rng.normal(size=(80, 2))[patient]
scores = effect + rng.normal(size=(800, 2))
model, older = (scores + [2.0, 1.5] * ill[:, None]).T

# %%
# In the figure, each column of dots is a patient. The scores of a
# patient are similar.

import matplotlib.pyplot as plt

means = np.bincount(patient, model) / 10
place = means.argsort().argsort()[patient]
fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.plot(place[~ill], model[~ill], ".", color="0.7", label="healthy")
ax.plot(place[ill], model[ill], ".", color="C3", label="ill")
ax.set(xlabel="patients, by mean score", ylabel="score of the model")
_ = ax.legend()

# %%
# Interval
# --------

from skrank import MetricInterval

interval = MetricInterval()
result = interval.from_predictions(ill, model, clusters=patient)
result

# %%
# Without ``clusters=`` the interval is too short, because it treats 800
# images as independent:

import pandas as pd

naive = interval.from_predictions(ill, model)
pd.DataFrame(
    [result.confidence_interval(), naive.confidence_interval()],
    index=["80 patients", "800 images"],
).round(3)

# %%
# Test
# ----
# The test permutes the labels of whole patients.

from skrank import RandomSelectionTest

test = RandomSelectionTest(n_resamples=4999, random_state=0)
result = test.from_predictions(ill, model, clusters=patient)
result

# %%
# The figure shows the values of the permutations and the observed
# value (line):

from skrank import NullDistributionDisplay

display = NullDistributionDisplay.from_result(result)
_ = display.ax_.set_title("Labels of patients permuted")

# %%
# Comparison with the older model
# -------------------------------

from skrank import RankingComparison

comparison = RankingComparison()
result = comparison.from_predictions(
    ill, {"model": model, "older": older}, clusters=patient
)
result

# %%
# Without ``clusters=`` the p-value is too small:

naive = comparison.from_predictions(ill, {"A": model, "B": older})
pvalues = {"80 patients": result.pvalue, "800 images": naive.pvalue}
pd.Series(pvalues, name="pvalue")

# %%
# The model is significantly better than the older model (p < 0.05). To
# get a smaller p-value or a shorter interval, collect more patients.
# More images of the same patients hardly help.
