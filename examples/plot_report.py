"""
Report of three models
======================

Three models look for the eights among handwritten digits, by the upper half of the
image alone. One call says what there is to say of their rankings: how good each is and
how sure that is, whether it is better than chance, what the top of the ranking holds,
and which model is better than which.
"""

# %%
# Rankings of items that the models have not seen
# -----------------------------------------------

import sys

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from skrank import ranking_report

X, digit = load_digits(return_X_y=True)
X, y = X[:, :32], digit == 8
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

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
# Ten images, and a tenth of all. The nearest neighbours have 16 scores at most, so many
# images are tied; the report counts the mean over all orders of ties.

report = ranking_report(y_test, scores, t=(10, 0.1))
print(report)

# %%
# A notebook shows it as a page, with pictures, and ``report.to_html("report.html")``
# writes that page to a file:

report

# %%
# The numbers alone, a model a row:

report.to_frame().set_index("name").T.round(3)

# %%
# Run as a script, the example leaves the page in the file that is named.

if sys.argv[1:]:
    report.to_html(sys.argv[1])
    print(f"\nThe page is {sys.argv[1]}")
