"""
.. _sphx_glr_auto_examples_plot_report.py:

Report of several models: intervals, p-values, comparisons
==========================================================

How good is each of three models, is it better than chance, and which
models differ? One call answers these questions. The targets are eights
among handwritten digits, and the models see the upper half of each
image.
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
# ``t=(10, 0.1)`` evaluates the first ten images and the first 10 %.

from skrank import RankingReport

report = RankingReport(t=(10, 0.1)).from_predictions(y_test, scores)
print(report)

# %%
# Reading the report:
#
# - The first sentence names the best model, and says which models are
#   worse and which may be as good.
# - "AP" is the average precision with its interval. The row "null mean"
#   is the mean of random selection.
# - "pvalue" of the first table compares a model with random selection.
#   "Holm" of the last table is the p-value of the comparison of two
#   models, adjusted for three comparisons.
# - With the forest, the first 10 % of the images contain 75 % of the
#   eights (recall), and 80 % of these images are eights (precision).
#   This is 7.5 times the prevalence (lift).
#
# In a notebook the report is a page with figures.
# ``report.to_html("report.html")`` writes this page to a file.

report

# %%
# The same numbers as a data frame, one column for each model:

report.to_frame().set_index("name").T.round(3)

# %%
# A table for a paper
# -------------------
# With several metrics in ``compare_by``, the models are compared by
# each metric. The letters after a value name the models that are
# significantly worse by this metric. The table fits a narrow column.

metrics = ["average_precision", "bedroc(alpha=20)", "precision@10"]
by_metrics = RankingReport(compare_by=metrics).from_predictions(
    y_test, scores
)
print(by_metrics.to_latex(summary=True))

# %%
# Figure of the intervals of average precision. The dotted line is the
# mean of random selection:

import matplotlib.pyplot as plt

frame = report.to_frame()
value = frame["average_precision"]
sides = [value - frame["low"], frame["high"] - value]
fig, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
ax.errorbar(value, frame["name"], xerr=sides, fmt="o", capsize=4)
ax.axvline(frame["null_mean"][0], color="0.5", ls=":")
ax.set(xlabel="average precision, 95 % interval", xlim=(0, 1))
_ = ax.margins(y=0.3)
