"""
Patients
========

Ten images of each patient are ranked by how likely they show a tumour. All images are
in one ranking, but those of a patient are alike: the sample are the patients. What does
not know that takes its numbers for much surer than they are.
"""

# %%
# Eighty patients
# ---------------
# Simulated: some are ill, and then all of their images show it. Half of what a score
# has by chance is the patient's own.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(80), 10)
ill = np.repeat(rng.random(80) < 0.15, 10)
own = rng.normal(size=(80, 2))[patient]
scores = own + rng.normal(size=(800, 2)) + [2.0, 1.5] * ill[:, None]
model, older = scores.T

# %%
# How sure is the number?
# -----------------------

from skrank import MetricInterval

interval = MetricInterval("average_precision")
result = interval.from_predictions(ill, model, clusters=patient)
result

# %%
# Without ``clusters`` the interval is that of 800 independent images.

alone = interval.from_predictions(ill, model)
pd.DataFrame(
    [result.confidence_interval(), alone.confidence_interval()],
    index=["80 patients", "800 images"],
)

# %%
# Is it better than chance?
# -------------------------
# The labels of whole patients change places.

from skrank import RandomSelectionTest

test = RandomSelectionTest(n_resamples=4999, random_state=0)
found = test.from_predictions(ill, model, clusters=patient)
found

# %%
# The values that were drawn, and the one that was observed:

from skrank import NullDistributionDisplay

display = NullDistributionDisplay.from_result(found)
_ = display.ax_.set_title("Labels of patients exchanged")

# %%
# Is it better than the older model?
# ----------------------------------

from skrank import RankingComparison

comparison = RankingComparison("average_precision")
names = ("model", "older")
pair = comparison.from_predictions(ill, model, older, clusters=patient, names=names)
pair

# %%
# As if images were independent:

wrong = comparison.from_predictions(ill, model, older, names=names)
pd.Series({"80 patients": pair.pvalue, "800 images": wrong.pvalue}, name="p")
