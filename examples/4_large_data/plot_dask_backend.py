"""
.. _sphx_glr_auto_examples_plot_dask_backend.py:

A search and its tests on a cluster
===================================

All work of skrank that can be shared out goes through joblib, as scikit-learn's does:
the fits of a search, the draws of chance, resampled rankings, folds. So it goes where
`joblib.parallel_config` says, to processes on this machine or to the workers of a
`dask <https://distributed.dask.org>`__ cluster. The answers do not depend on it.
"""

import logging

import joblib
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from skrank import (
    MetricInterval,
    SearchSelectionTest,
    make_average_precision_scorer,
)

# %%
# The computation
# ---------------
# Rare targets, 3 % of the items, and three questions: which number of neighbours ranks
# best, how far that is above the chance of the best of all candidates, and how sure its
# value on new items is.

X, y = make_classification(
    3000, 10, n_informative=4, weights=[0.97], flip_y=0.005, random_state=0
)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)


def ask():
    """Search, test the winner, and ask how sure its value is."""
    search = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 3, 9, 27, 81], "weights": ["uniform", "distance"]},
        scoring=make_average_precision_scorer(),
    ).fit(X_train, y_train)
    test = SearchSelectionTest(n_resamples=1999, random_state=0)
    spread = MetricInterval(method="bootstrap", n_resamples=4999, random_state=0)
    return (
        search,
        test.from_search(search, X_train, y_train),
        spread.from_estimator(search, X_test, y_test),
    )


# %%
# A cluster
# ---------
# Two processes on this machine stand for it here; on a real one, ``Client`` is given
# the address of its scheduler. Nothing else changes but the backend. `n_jobs` need not
# be set: under the backend of dask all its workers are used.


def ask_on_cluster():
    """Ask the same of two worker processes."""
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.ERROR,
        ) as two,
        Client(two),
        joblib.parallel_config(backend="dask"),
    ):
        return ask()


# %%
# Results
# -------
# The numbers are the same to the last bit, since each batch of draws has a seed of its
# own. The workers of a local cluster read the script again, and stop at this ``if``.
#
# In the picture: the best of ten candidates by chance alone, and the values that the
# candidates have.

if __name__ == "__main__":
    search, result, spread = ask_on_cluster()
    _, result_here, spread_here = ask()
    assert np.array_equal(result.null_maxima, result_here.null_maxima)
    assert spread.standard_error == spread_here.standard_error
    print(search.best_params_, result, spread, sep="\n\n")

    figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    ax.hist(result.null_maxima, bins=40, color="0.75", label="best of ten, by chance")
    ax.vlines(result.values, 0, 100, color="C0", lw=1, label="candidates")
    ax.axvline(result.statistic, color="C1", lw=2, label="the winner")
    ax.set(xlabel="average precision, mean over the folds", ylabel="draws")
    ax.legend(loc="upper center")

# %%
# So small a task is hardly worth the way. What pays is what takes long: many
# candidates, models that fit slowly, two rankings of a million items that are swapped
# 10,000 times.
