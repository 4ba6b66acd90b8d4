"""
.. _sphx_glr_auto_examples_plot_dask_backend.py:

Parallel computation on a dask cluster
======================================

Do a search and its tests take too long on one machine? skrank uses
joblib, as scikit-learn does, for fits, permutations, resamples and
folds. ``joblib.parallel_config`` chooses processes on this machine or
the workers of a `dask <https://distributed.dask.org>`__ cluster. The
results are the same.
"""

# %%
# The computation
# ---------------
# 3 % of the items are targets. The function tunes a model, tests the
# best candidate, and computes an interval on new items.

import joblib
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from skrank import (
    MetricInterval,
    SearchSelectionTest,
    make_average_precision_scorer,
)

X, y = make_classification(
    2000, 10, n_informative=4, weights=[0.97], random_state=0
)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, stratify=y, random_state=0
)


def compute():
    search = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 9, 81], "weights": ["uniform", "distance"]},
        scoring=make_average_precision_scorer(),
    ).fit(X_train, y_train)
    test = SearchSelectionTest(n_resamples=999, random_state=0)
    interval = MetricInterval(
        method="bootstrap", n_resamples=1999, random_state=0
    )
    return (
        test.from_search(search, X_train, y_train),
        interval.from_estimator(search, X_test, y_test),
    )


# %%
# A cluster
# ---------
# Here the cluster consists of two processes on this machine. For a real
# cluster, pass the address of its scheduler to ``Client``. You need not
# set ``n_jobs``: dask uses all its workers.

# sphinx_gallery_parallel = False
import logging

from dask.distributed import Client, LocalCluster


def compute_on_cluster():
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        return compute()


# %%
# Results
# -------
# The results are equal in every digit, because each batch of resamples
# has its own seed. The workers of a local cluster read the script
# again; the ``if`` prevents them from starting more clusters.

if __name__ == "__main__":
    result, interval = compute_on_cluster()
    result_here, interval_here = compute()
    assert np.array_equal(result.null_maxima, result_here.null_maxima)
    assert interval.standard_error == interval_here.standard_error
    print(result, interval, sep="\n\n")

# %%
# The null distribution of the best candidate:

from skrank import NullDistributionDisplay

if __name__ == "__main__":
    display = NullDistributionDisplay.from_result(result)

# %%
# Use a cluster for long computations: many candidates, slow models, or
# rankings of millions of items.
