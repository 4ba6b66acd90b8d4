"""
.. _sphx_glr_auto_examples_plot_report.py:

One report of three models
==========================

Three models search for the eights among handwritten digits, by the
upper half of the images. One call reports how good each ranking is,
whether it is better than chance, and which models differ.
"""

# %%
# Scores of new images
# --------------------

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

X, digit = load_digits(return_X_y=True)
X, y = X[:, :32], digit == 8
X_train, X_test, y_train, y_test = train_test_split(
    X, y, random_state=0
)
models = {
    "KNN": KNeighborsClassifier(15),
    "forest": RandomForestClassifier(random_state=0),
    "linear": LogisticRegression(max_iter=10_000),
}
scores = {
    name: model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    for name, model in models.items()
}

# %%
# The report
# ----------
# The depths are ten images and 10 % of all images.

from skrank import RankingReport

report = RankingReport(t=(10, 0.1)).from_predictions(y_test, scores)
print(report)

# %%
# How to read the report:
#
# - The first sentence names the best model, and says which models are
#   lower or not distinguishable from it.
# - AP is the average precision with its interval. The row "null mean"
#   is the mean of random selection.
# - The p-value of the first table tests a model against random
#   selection. The column "Holm" of the last table tests two models
#   against each other, adjusted for three comparisons.
# - The first 10 % of the images hold 75 % of the eights by the forest
#   (recall), and 80 % of these images are eights (precision). That is
#   7.5 times the prevalence (lift).
#
# In a notebook the report is a page with pictures.
# ``report.to_html("report.html")`` writes this page to a file.

report

# %%
# The same numbers as a data frame, one column for each model:

report.to_frame().set_index("name").T.round(3)

# %%
# A table for a paper
# -------------------
# With several metrics in ``compare_by``, the models are compared by
# each. The letters above a value are those of the models that are
# significantly worse by this metric. The table fits a column.

metrics = ["average_precision", "bedroc(alpha=20)", "precision@10"]
by_metrics = RankingReport(compare_by=metrics).from_predictions(
    y_test, scores
)
print(by_metrics.to_latex(summary=True))

# %%
# The intervals of average precision, as a picture:

import matplotlib.pyplot as plt

frame = report.to_frame()
value = frame["average_precision"]
sides = [value - frame["low"], frame["high"] - value]
fig, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
ax.errorbar(value, frame["name"], xerr=sides, fmt="o", capsize=4)
ax.axvline(frame["null_mean"][0], color="0.5", ls=":")
ax.set(xlabel="average precision, 95 % interval", xlim=(0, 1))
_ = ax.margins(y=0.3)
