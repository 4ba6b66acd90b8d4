"""Type I error rate of the test of a search: a table, in minutes.

The data have no signal: random features, and random labels. The table has the share of
data sets in which the p-value of the winner of a grid is at most 5 %: by
``SearchSelectionTest``; without its inflation, as for independent folds; and by
Bonferroni. The last columns are the largest value of the grid, and its expected maximum
under random selection.

With a shift, the targets differ by so many standard deviations in two features, and
the shares are the power. Number of data sets, shift and repetitions of the folds can be
given as arguments.
"""

import sys
from unittest import mock

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skrank import SearchSelectionTest

N_SETS = 100
N_ITEMS, N_TARGETS, N_FEATURES = 400, 30, 5
LEVEL, N_RESAMPLES = 0.05, 499
GRIDS = {
    "KNN": [KNeighborsClassifier(k) for k in (1, 3, 5, 9, 15, 25, 40, 60)],
    "logistic": [LogisticRegression(C=10.0**c) for c in range(-3, 3)],
    "near-equal": [LogisticRegression(C=10 * 1.05**c) for c in range(12)],
    "trees": [
        DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        for depth in (2, 4, None)
        for leaf in (3, 10)
    ],
    "forests": [
        RandomForestClassifier(
            10, max_features=features, min_samples_leaf=leaf, random_state=0
        )
        for features in (1, 3)
        for leaf in (1, 5)
    ],
    "mixed": [
        KNeighborsClassifier(5),
        KNeighborsClassifier(25),
        LogisticRegression(C=0.01),
        LogisticRegression(C=10),
        DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        GaussianNB(),
        RandomForestClassifier(10, random_state=0),
    ],
}


def data(rng, shift):
    """Features of items, and labels that they know by `shift`."""
    y = rng.permutation(np.arange(N_ITEMS) < N_TARGETS)
    items = rng.normal(size=(N_ITEMS, N_FEATURES))
    items[:, :2] += shift * y[:, None]
    return items, y


def results(grid, items, y, seed, n_repeats):
    """The test as it is, and as if folds were independent."""
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=n_repeats, random_state=seed)
    test = SearchSelectionTest(n_resamples=N_RESAMPLES, random_state=seed)
    yield test.from_cv(grid, items, y, cv=cv)
    with mock.patch("skrank.inference.search._search_selection.FOLDS_INFLATION", 1.0):
        yield test.from_cv(grid, items, y, cv=cv)


def row(name, n_sets, shift, n_repeats):
    """Shares of p-values at most the level, and the values of the winner."""
    rng, pvalues, values = np.random.default_rng(0), [], []
    for seed in range(n_sets):
        found = list(results(GRIDS[name], *data(rng, shift), seed, n_repeats))
        beside = found[0].bonferroni_pvalues[found[0].best_index]
        pvalues.append([*(result.pvalue for result in found), beside])
        values.append([found[0].values.max(), found[0].expected_maximum])
    shares = np.mean(np.array(pvalues) <= LEVEL, axis=0)
    cells = "".join(f"{share:>13.3f}" for share in shares)
    return f"{name:<12}{cells}" + "".join(f"{v:>13.3f}" for v in np.mean(values, 0))


def main(n_sets=N_SETS, shift=0.0, n_repeats=1):
    n_sets, shift, n_repeats = int(n_sets), float(shift), int(n_repeats)
    print(f"{n_sets} data sets of {N_ITEMS} items, {N_TARGETS} targets, shift {shift}")
    print(f"standard error of 5 %: {np.sqrt(0.05 * 0.95 / n_sets):.3f}")
    heads = ("test", "independent", "Bonferroni", "best", "by chance")
    print(f"{f'p <= {LEVEL}':<12}" + "".join(f"{head:>13}" for head in heads))
    for name in GRIDS:
        print(row(name, n_sets, shift, n_repeats), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
