"""
Is the best model of a grid search better than chance?
======================================================

A grid search reports the largest of many scores. The largest score is
high even if no model has learned anything. How large would it be by
chance? The test of this example compares the winner with the winners
of the same search for randomly permuted targets.
"""

# %%
# Two searches, one without information
# -------------------------------------
# The targets are 36 of 600 patients. The first table contains five
# measurements that are unrelated to the targets. In the second table
# two of the measurements are higher for targets.

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
# The prevalence is 0.06, and both winners have a higher AP. The test
# compares z-scores, because candidates differ in their null mean and
# standard deviation. The p-value is the probability that the largest of
# 14 z-scores reaches the z-score of the winner if the targets are
# random.

from skrank import SearchSelectionTest

test = SearchSelectionTest(random_state=0, n_resamples=1999)
results = {
    "noise": test.from_search(searches["noise"], noise, y),
    "useful": test.from_search(searches["useful"], useful, y),
}
results["noise"]

# %%
# The first winner is not better than winners for random targets. The
# second search:

results["useful"]

# %%
# The second winner is better than chance. With 1999 permutations of the
# targets, 1/2000 is the smallest possible p-value.
#
# Figures
# -------
# The grey bars are the largest AP of 14 candidates for random targets,
# and the line is the AP of the winner. The winner of the search without
# information is among the bars:

from skrank import NullDistributionDisplay

display = NullDistributionDisplay.from_result(results["noise"])
_ = display.ax_.set_title("Search without information")

# %%
# The winner of the other search is far above the bars:

display = NullDistributionDisplay.from_result(results["useful"])
_ = display.ax_.set_title("Search with useful measurements")
