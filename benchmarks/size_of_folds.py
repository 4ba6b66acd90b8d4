"""Does the test of cross-validated folds keep its level? A table, minutes to make.

Data that know nothing: random features, and labels that fall on the items at random.
How often is the p-value of ``RandomSelectionTest.from_cv`` at most 1, 5 and 10 %? The
last column is the standard deviation of the z-score, which is 1 if the law is right.
For a single fold it is; but the folds were fitted on each other's labels, and that ties
their values together. Below, the same for one held-out list.

The number of data sets can be given as an argument.
"""

import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skrank import RandomSelectionTest

N_SETS = 500
N_ITEMS, N_TARGETS, N_FEATURES = 400, 30, 5
LEVELS = (0.01, 0.05, 0.1)
MODELS = {
    "KNN, 5 neighbours": KNeighborsClassifier(5),
    "KNN, 25 neighbours": KNeighborsClassifier(25),
    "tree, leaves of 5": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    "logistic regression": LogisticRegression(),
}


def data(rng):
    """Features, and labels that have nothing to do with them."""
    features = rng.normal(size=(N_ITEMS, N_FEATURES))
    return features, rng.permutation(np.arange(N_ITEMS) < N_TARGETS)


def by_folds(test, model, items, y, seed):
    """Mean over five folds."""
    cv = StratifiedKFold(5, shuffle=True, random_state=seed)
    return test.from_cv(model, items, y, cv=cv)


def by_holdout(test, model, items, y, seed):
    """One list: a fifth of the items, by a model fitted on the others."""
    train, held_out = train_test_split(
        np.arange(y.size), test_size=0.2, stratify=y, random_state=seed
    )
    model.fit(items[train], y[train])
    return test.from_estimator(model, items[held_out], y[held_out])


def row(name, split, n_sets):
    """Shares of p-values at most each level, with standard errors."""
    rng, test = np.random.default_rng(0), RandomSelectionTest()
    pvalues, zscores = [], []
    for seed in range(n_sets):
        result = split(test, MODELS[name], *data(rng), seed)
        pvalues.append(result.pvalue)
        zscores.append(result.zscore)
    cells = []
    for level in LEVELS:
        share = np.mean(np.array(pvalues) <= level)
        error = np.sqrt(share * (1 - share) / n_sets)
        cells.append(f"{share:>9.3f} +- {error:.3f}")
    return f"{name:<22}" + "".join(cells) + f"{np.std(zscores):>9.2f}"


def main(n_sets=N_SETS):
    print(
        f"{n_sets} data sets of {N_ITEMS} items, {N_TARGETS} targets, "
        f"{N_FEATURES} features"
    )
    for title, split in (("five folds", by_folds), ("hold-out", by_holdout)):
        head = "".join(f"{f'p <= {level}':>18}" for level in LEVELS)
        print(f"{title:<22}{head}{'spread':>9}")
        for name in MODELS:
            print(row(name, split, n_sets), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
