"""Intervals and comparisons of the mean over folds, by simulation.

Each run draws a data set: normal features, shifted for the targets. Two models of one
kind use three different features each, with the same distribution, so neither is
better. For average precision over the folds:

- the share of the runs in which the 95 % interval of ``MetricInterval.from_cv``
  contains the mean over all runs; its median width; its standard error divided by the
  true one, both as root mean squares; and the same for the plain resampled t, without
  the minimum by the variance of the items, and without the logit;
- the share of the runs in which the p-value of ``RankingComparison.from_cv`` is at most
  0.05 and 0.01: by "corrected_t", and by Student's t for independent folds.

The last table has two models of two features each, on repeated folds of few items: the
shares of the p-values, with equal models and with unequal ones (power), and the
correlation of the differences of two repetitions.

    python benchmarks/coverage_of_folds.py --runs 300
"""

import argparse
import time
import warnings
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import t, ttest_rel
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from skrank import MetricInterval, RankingComparison

MODELS = {
    "logistic": LogisticRegression(),
    "15 neighbours": KNeighborsClassifier(15, weights="distance"),
    "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
}
SPLITS = {
    "5 folds": lambda seed: StratifiedKFold(5, shuffle=True, random_state=seed),
    "10 folds": lambda seed: StratifiedKFold(10, shuffle=True, random_state=seed),
    "3 times 5": lambda seed: RepeatedStratifiedKFold(
        n_splits=5, n_repeats=3, random_state=seed
    ),
}
RATIO = {"5 folds": 1 / 4, "10 folds": 1 / 9, "3 times 5": 1 / 4}
POPULATIONS = ((300, 30, 0.3), (300, 30, 1.0), (1000, 30, 1.0))  # n, m, shift
LEVELS = (0.05, 0.01)
# model, items, targets, folds, repetitions, degrees of freedom of the features
REPEATED = (
    (KNeighborsClassifier(9), 120, 20, 4, 3, np.inf),
    (KNeighborsClassifier(9), 120, 20, 4, 10, np.inf),
    (KNeighborsClassifier(9), 120, 20, 4, 30, np.inf),
    (KNeighborsClassifier(15), 300, 30, 5, 3, np.inf),
    (KNeighborsClassifier(7), 150, 25, 5, 4, np.inf),
    (KNeighborsClassifier(9), 90, 16, 3, 6, 3),
    (KNeighborsClassifier(15), 200, 30, 10, 10, np.inf),
    (KNeighborsClassifier(5), 100, 20, 2, 5, np.inf),
    (DecisionTreeClassifier(max_depth=3, random_state=0), 200, 30, 5, 3, np.inf),
    (LogisticRegression(), 120, 20, 4, 3, 3),
    (GaussianNB(), 90, 12, 3, 5, 3),
    (GaussianNB(), 200, 30, 10, 2, np.inf),
)


def on(model, columns):
    """Let a model see some features only."""
    return make_pipeline(ColumnTransformer([("kept", "passthrough", columns)]), model)


def run(model, split, n, m, shift, seed):
    """Estimate, limits, values and p-values of one data set."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) < m)
    items = rng.normal(size=(n, 6)) + shift * y[:, None]
    models = on(model, [0, 1, 2]), on(model, [3, 4, 5])
    cv = SPLITS[split](seed)
    one = MetricInterval().from_cv(models[0], items, y, cv=cv)
    two = RankingComparison().from_cv(dict(enumerate(models)), items, y, cv=cv)
    return {
        "estimate": one.value,
        "error": one.standard_error,
        "limits": one.confidence_interval(),
        "spread": np.std(one.values, ddof=1),
        "n_folds": len(one.values),
        "pvalues": (
            two.pvalue,
            ttest_rel(two.values_a, two.values_b).pvalue,
        ),
    }


def row(found, ratio):
    """Coverage of both intervals, and sizes of the two tests."""
    column = {name: np.array([one[name] for one in found]) for name in found[0]}
    estimate, (low, high) = column["estimate"], column["limits"].T
    truth, count = estimate.mean(), found[0]["n_folds"]
    plain = column["spread"] * np.sqrt(1 / count + ratio)
    reach = t(count - 1).isf(0.025) * plain
    cells = [
        f"{truth:>7.3f}",
        f"{np.mean((low <= truth) & (truth <= high)):>8.3f}",
        f"{np.median(high - low):>7.3f}",
        f"{np.sqrt(np.mean(column['error'] ** 2)) / estimate.std():>7.2f}",
        f"{np.mean(np.abs(estimate - truth) <= reach):>9.3f}",
        f"{np.median(2 * reach):>7.3f}",
        f"{np.sqrt(np.mean(plain**2)) / estimate.std():>7.2f} ",
    ]
    for pvalues in column["pvalues"].T:
        cells += [f"{np.mean(pvalues <= level):>7.3f}" for level in LEVELS]
    return "".join(cells)


def run_repeated(cell, shifts, seed):
    """P-value of two models of one data set, and the differences of repetitions."""
    warnings.simplefilter("ignore")
    model, n, m, n_folds, n_repeats, freedom = cell
    rng = np.random.default_rng(seed)
    y = rng.permutation(n) < m
    heavy = np.isfinite(freedom)
    items = rng.standard_t(freedom, (n, 4)) if heavy else rng.normal(size=(n, 4))
    items += np.repeat(shifts, 2) * y[:, None]
    models = {"A": on(model, [0, 1]), "B": on(model, [2, 3])}
    cv = RepeatedStratifiedKFold(
        n_splits=n_folds, n_repeats=n_repeats, random_state=seed
    )
    found = RankingComparison().from_cv(models, items, y, cv=cv)
    each = np.subtract(found.values_a, found.values_b).reshape(n_repeats, n_folds)
    return found.pvalue, each.mean(axis=1)


def repeated(runs, parallel):
    """Print the sizes and the power on repeated folds."""
    for cell in REPEATED:
        cells = []
        for shifts in ((0.6, 0.6), (1.0, 0.4)):
            found = parallel(
                delayed(run_repeated)(cell, shifts, seed) for seed in range(runs)
            )
            pvalues, means = zip(*found, strict=True)
            cells += [f"{np.mean(np.array(pvalues) <= x):>7.3f}" for x in LEVELS]
            if shifts[0] == shifts[1]:
                every = np.corrcoef(np.transpose(means))
                alike = (every.sum() - len(every)) / (every.size - len(every))
                cells.append(f"{alike:>7.2f}")
        what = f"{cell[2]} of {cell[1]}, {cell[4]} times {cell[3]}, {cell[0]}"
        print(f"{what:<70}{''.join(cells)}", flush=True)


def main(runs, n_jobs):
    start = time.perf_counter()
    print(f"{runs} data sets a row; error of .95: {np.sqrt(0.95 * 0.05 / runs):.3f}")
    print(
        f"{'':<42}{'AP':>7}{'interval':>9} width  SE/SD  plain t  width  SE/SD"
        f"{'corrected_t':>15}{'independent':>14}"
    )
    with Parallel(n_jobs=n_jobs) as parallel:
        for (n, m, shift), name, split in product(POPULATIONS, MODELS, SPLITS):
            found = parallel(
                delayed(run)(MODELS[name], split, n, m, shift, seed)
                for seed in range(runs)
            )
            what = f"{m} of {n}, {shift}, {name}, {split}"
            print(f"{what:<42}{row(found, RATIO[split])}", flush=True)
        repeated(runs, parallel)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    main(args.runs, args.jobs)
