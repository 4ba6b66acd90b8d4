"""
The winner of a grid search against chance
==========================================

A grid search reports the largest of many scores. The largest score is
high even if no model is better than chance. The test of this example
compares the winner with the winners of the same search for random
targets.
"""

# %%
# Two searches, one without information
# -------------------------------------
# The targets are 36 of 600 patients. The first table holds five
# measurements that have nothing to do with the targets. In the second
# table two of the measurements are higher for targets.

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from skrank import make_average_precision_scorer

rng = np.random.default_rng(0)
y = np.arange(600) < 36
noise = rng.normal(size=(600, 5))
useful = noise + 0.9 * y[:, None] * np.array([1, 1, 0, 0, 0])

searches = {}
for name, X in {"noise": noise, "useful": useful}.items():
    searches[name] = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 3, 5, 9, 15, 25, 45], "p": [1, 2]},
        scoring=make_average_precision_scorer(),
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    ).fit(X, y)

# %%
# The best of fourteen models, by the mean AP over three folds:

import pandas as pd

columns = ["mean_test_score", "param_n_neighbors", "param_p"]
pd.DataFrame(
    {
        name: pd.DataFrame(search.cv_results_)[columns].loc[
            search.best_index_
        ]
        for name, search in searches.items()
    }
).T

# %%
# Test
# ----
# The prevalence is 0.06, and both winners are above it. The test
# compares z-scores, since candidates differ in their null mean and
# standard deviation. The p-value is the probability that the largest
# z-score of 14 candidates is at least that of the winner if the targets
# are random.

from skrank import SearchSelectionTest

test = SearchSelectionTest(random_state=0, n_resamples=1999)
results = {
    "noise": test.from_search(searches["noise"], noise, y),
    "useful": test.from_search(searches["useful"], useful, y),
}
results["noise"]

# %%
# The winner of the first search is not better than the winners for
# random targets. The second search:

results["useful"]

# %%
# The winner of the second search is better than chance. With 1999
# permutations of the targets, 1/2000 is the smallest possible p-value.
#
# The picture
# -----------
# The grey bars are the largest AP of 14 candidates for random targets,
# and the line is the AP of the winner.

import matplotlib.pyplot as plt

from skrank import NullDistributionDisplay

fig, axes = plt.subplots(
    1, 2, figsize=(9, 4), sharey=True, layout="constrained"
)
for ax, (name, result) in zip(axes, results.items(), strict=True):
    NullDistributionDisplay.from_result(result, ax=ax)
    ax.set_title(name)
