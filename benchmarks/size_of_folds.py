"""Type I error rate of the test of cross-validated folds: a table, in minutes.

The data have no signal: random features, and random labels. The table has the shares of
data sets with a p-value of at most 0.05, 0.01 and 0.001, for average precision over
five shuffled stratified folds. Ties are broken at random, so one null distribution
serves all data sets. The rules, from the same values:

- default: the rule of ``RandomSelectionTest.from_cv``, the excess divided by sqrt(2);
- independent: the folds as independent rankings, ``independent=True``;
- Bonferroni: the number of folds times the smallest p of a fold, `bonferroni_pvalue`;
- one fold: the first fold only, whose p needs no assumption on the others.

With a shift, two features of the targets differ by so many standard deviations, and the
shares are the power.

    python benchmarks/size_of_folds.py --sets 1000
    python benchmarks/size_of_folds.py --sets 1000 --shift 0.5 --features 4
"""

import argparse
import time

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skrank import RandomSelectionNull, average_precision
from skrank.null import MeanNull

N_ITEMS, N_TARGETS, N_FOLDS = 300, 25, 5
LEVELS = (0.05, 0.01, 0.001)
RULES = ("default", "independent", "Bonferroni", "one fold")
MODELS = {
    "KNN, 5 neighbours": KNeighborsClassifier(5),
    "KNN, 25, by distance": KNeighborsClassifier(25, weights="distance"),
    "tree, leaves of 5": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    "forest of 20": RandomForestClassifier(20, random_state=0),
    "naive Bayes": GaussianNB(),
    "logistic regression": LogisticRegression(),
    "SVC": SVC(),
}


def fold_values(model, n_features, shift, seed):
    """Average precision of each fold of one data set."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(N_ITEMS) < N_TARGETS)
    items = rng.normal(size=(N_ITEMS, n_features))
    items[:, :2] += shift * y[:, None]
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    values = []
    for train, test in folds.split(items, y):
        fitted = clone(model).fit(items[train], y[train])
        by_distance = hasattr(fitted, "decision_function")
        score = (
            fitted.decision_function(items[test])
            if by_distance
            else fitted.predict_proba(items[test])[:, 1]
        )
        order = np.lexsort([rng.random(test.size), score])  # ties broken at random
        values.append(average_precision(y[test][order], np.arange(test.size)))
    return values


def critical_values():
    """Values that are significant, by rule and level."""
    folds = [RandomSelectionNull(N_ITEMS // N_FOLDS, N_TARGETS // N_FOLDS)] * N_FOLDS
    each = [level / N_FOLDS for level in LEVELS]
    return {
        "default": MeanNull(folds, inflation=2**0.5).isf(LEVELS),
        "independent": MeanNull(folds).isf(LEVELS),
        "Bonferroni": folds[0].isf(each),
        "one fold": folds[0].isf(LEVELS),
    }


def shares(values, critical):
    """Shares of the data sets that are significant, by rule and level."""
    mean, best, first = values.mean(axis=1), values.max(axis=1), values[:, 0]
    asked = dict(zip(RULES, (mean, mean, best, first), strict=True))
    return [
        np.mean(asked[rule] > level + 1e-9)
        for rule in RULES
        for level in critical[rule]
    ]


def main(n_sets, n_features, shift, n_jobs):
    print(
        f"{n_sets} data sets a learner: {N_ITEMS} items, {N_TARGETS} targets, "
        f"{n_features} features, shift {shift}, {N_FOLDS} folds"
    )
    print(" " * 22 + "".join(f"{rule:^24}" for rule in RULES))
    print(f"{'p at most':<22}" + "".join(f"{x:>8}" for x in LEVELS) * len(RULES))
    critical, found, start = critical_values(), [], time.perf_counter()
    with Parallel(n_jobs=n_jobs) as parallel:
        for number, (name, model) in enumerate(MODELS.items()):
            seeds = np.random.SeedSequence([number, n_features]).generate_state(n_sets)
            asked = (
                delayed(fold_values)(model, n_features, shift, int(seed))
                for seed in seeds
            )
            found.append(np.array(parallel(asked)))
            cells = "".join(f"{share:>8.4f}" for share in shares(found[-1], critical))
            print(f"{name:<22}{cells}", flush=True)
    cells = shares(np.concatenate(found), critical)
    print(f"{'all':<22}" + "".join(f"{share:>8.4f}" for share in cells))
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--features", type=int, default=8)
    parser.add_argument("--shift", type=float, default=0.0)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    main(args.sets, args.features, args.shift, args.jobs)
