"""
Dependent items: images of patients
===================================

Ten images of each patient are ranked by a tumour score. Images of a
patient are similar, so the patients are the sample. ``clusters=`` names
the patient of each image.
"""

# %%
# Eighty simulated patients
# -------------------------
# All images of an ill patient show the tumour. Each patient has a
# random effect on the scores.

import numpy as np

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(80), 10)
ill = np.repeat(rng.random(80) < 0.15, 10)
effect = rng.normal(size=(80, 2))[patient]
scores = effect + rng.normal(size=(800, 2))
model, older = (scores + [2.0, 1.5] * ill[:, None]).T

# %%
# Interval
# --------

from skrank import MetricInterval

interval = MetricInterval()
result = interval.from_predictions(ill, model, clusters=patient)
result

# %%
# Without ``clusters`` the interval is too short, because it treats 800
# images as independent.

import pandas as pd

naive = interval.from_predictions(ill, model)
pd.DataFrame(
    [result.confidence_interval(), naive.confidence_interval()],
    index=["80 patients", "800 images"],
).round(3)

# %%
# Test
# ----
# The null hypothesis permutes the labels of whole patients.

from skrank import RandomSelectionTest

test = RandomSelectionTest(n_resamples=4999, random_state=0)
result = test.from_predictions(ill, model, clusters=patient)
result

# %%
# The values of the permutations:

from skrank import NullDistributionDisplay

display = NullDistributionDisplay.from_result(result)
_ = display.ax_.set_title("Labels of patients permuted")

# %%
# Comparison with the older model
# -------------------------------

from skrank import RankingComparison

comparison = RankingComparison()
result = comparison.from_predictions(
    ill, model, older, clusters=patient, names=("model", "older")
)
result

# %%
# Without ``clusters`` the p-value is too small:

naive = comparison.from_predictions(ill, model, older)
pvalues = {"80 patients": result.pvalue, "800 images": naive.pvalue}
pd.Series(pvalues, name="pvalue")
