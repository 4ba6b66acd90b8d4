"""
Retrieval: MAP and MRR over queries
===================================

Which of two search engines is better? A user gives an image of a
handwritten digit and searches for images of the same digit. Each query
has its own ranking. This example computes MAP and MRR over the queries,
tests an engine against random selection, and compares two engines.
"""

# %%
# Queries and scores
# ------------------
# 40 images are the queries. The collection has 100 other images, of
# which 8 to 11 are relevant for a query. The images have noise. One
# engine compares pixels, the other compares twelve principal
# components.

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity

images, digit = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
images = images + rng.normal(0, 7, size=images.shape)
queries, collection = np.arange(40), np.arange(40, 140)
components = PCA(12, random_state=0).fit(images[140:])
reduced = components.transform(images)

# %%
# Each row is a pair of a query and an image of the collection. The
# column ``query`` names the ranking of the row.

data = pd.DataFrame(
    {
        "query": np.repeat(queries, collection.size),
        "relevant": np.equal.outer(
            digit[queries], digit[collection]
        ).ravel(),
        "pixels": cosine_similarity(
            images[queries], images[collection]
        ).ravel(),
        "components": cosine_similarity(
            reduced[queries], reduced[collection]
        ).ravel(),
    }
)
data.head(3).round(3)

# %%
# Metrics
# -------
# ``groups=`` ranks each query separately and returns the mean. MAP is
# the mean of average precision over the queries, and MRR the mean of
# the reciprocal rank.

from skrank import make_metric

names = {
    "average_precision": "MAP",
    "reciprocal_rank": "MRR",
    "precision@10": "precision@10",
}
engines = ["pixels", "components"]
pd.DataFrame(
    {
        label: [
            make_metric(name)(
                data["relevant"], data[engine], groups=data["query"]
            )
            for engine in engines
        ]
        for name, label in names.items()
    },
    index=engines,
).round(3)

# %%
# Test against random selection
# -----------------------------
# Is the mean better than the mean of random rankings?

from skrank import RandomSelectionTest

test = RandomSelectionTest("reciprocal_rank")
test.from_predictions(
    data["relevant"], data["pixels"], groups=data["query"]
)

# %%
# Interval
# --------
# The queries are the sample. The interval is for the mean over other
# queries like these.

from skrank import MetricInterval

MetricInterval().from_predictions(
    data["relevant"], data["components"], groups=data["query"]
)

# %%
# Compare the engines
# -------------------
# Both engines rank the same queries, so the test uses the difference of
# each query.

from skrank import RankingComparison

comparison = RankingComparison().from_predictions(
    data["relevant"],
    {"components": data["components"], "pixels": data["pixels"]},
    groups=data["query"],
)
comparison

# %%
# Difference by query
# -------------------
# Each bar is a query. The components are better for 31 of 40 queries.

import matplotlib.pyplot as plt

difference = np.sort(comparison.to_frame()["difference"])

fig, ax = plt.subplots(layout="constrained")
ax.bar(np.arange(40), difference)
ax.axhline(difference.mean(), color="black", ls="--", label="mean")
ax.set(xlabel="query, sorted", ylabel="AP of components - pixels")
_ = ax.legend()
