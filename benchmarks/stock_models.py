"""P-values of the rankings of scikit-learn's models: minutes for a fiftieth of them.

Thirty models of scikit-learn, on every classification data set that it includes: each
class against the others, as it is and thinned to 10 % and 2 %, ranked on a held-out
half and over five folds; for every metric and tie rule, and each ranking reversed.
Every p-value must be within its proven bounds, and agree with 2,000 random rankings.

Without ties all tie rules are equal, and one is tested.

    python benchmarks/stock_models.py [1/50]

The argument is the share of all pairs of a model and a task, every fiftieth by default,
beginning with the first; 1/1 is all of them, which takes hours.
"""

import math
import sys
import time
import warnings
from collections import defaultdict
from itertools import islice, product

import numpy as np
from scipy.stats import binom
from sklearn import datasets, discriminant_analysis, ensemble, linear_model, svm
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrank import RandomSelectionTest

DATA = ("iris", "wine", "breast_cancer", "digits")
PREVALENCES = (None, 0.1, 0.02)
METRICS = (
    "average_precision",
    "average_precision@20",
    "recall@0.1",
    "precision@10",
    "r_precision",
    "enrichment_factor@0.05",
    "reciprocal_rank",
    "rie(alpha=20)",
    "bedroc(alpha=20)",
)
RULES = ("expected", "together", "optimistic", "pessimistic")
DRAWS = 2000
UNLIKELY = 1e-6  # chance of so many or so few draws beyond the value: a disagreement
ROUNDING = 1e-9


def models():
    """Thirty stock models, each by its name."""
    found = {f"KNN {k}": KNeighborsClassifier(k) for k in (1, 2, 3, 5, 10, 20, 50)}
    weighted = (5, 20)
    found |= {
        f"KNN {k} by distance": KNeighborsClassifier(k, weights="distance")
        for k in weighted
    }
    found |= {f"SVC {c:g}": svm.SVC(C=c) for c in (0.1, 1.0, 10.0)}
    found |= {"SVC linear": svm.SVC(kernel="linear"), "LinearSVC": svm.LinearSVC()}
    found |= {
        f"logistic {c:g}": linear_model.LogisticRegression(C=c, max_iter=2000)
        for c in (0.01, 1.0)
    }
    found |= {"ridge": linear_model.RidgeClassifier(), "Gaussian NB": GaussianNB()}
    found |= {"SGD": linear_model.SGDClassifier(random_state=0), "B. NB": BernoulliNB()}
    found |= {"LDA": discriminant_analysis.LinearDiscriminantAnalysis()}
    found |= {
        f"tree {depth}": DecisionTreeClassifier(max_depth=depth, random_state=0)
        for depth in (1, 3, None)
    }
    found |= {
        f"forest {size}": ensemble.RandomForestClassifier(size, random_state=0)
        for size in (10, 100)
    }
    found["extra trees"] = ensemble.ExtraTreesClassifier(50, random_state=0)
    found["bagging"] = ensemble.BaggingClassifier(random_state=0)
    found["AdaBoost"] = ensemble.AdaBoostClassifier(random_state=0)
    found["boosting"] = ensemble.GradientBoostingClassifier(
        n_estimators=30, random_state=0
    )
    found["histograms"] = ensemble.HistGradientBoostingClassifier(
        max_iter=30, random_state=0
    )
    found["isolation forest"] = ensemble.IsolationForest(random_state=0)
    return found


def tasks():
    """Every class of every data set against the rest, thinned."""
    rng = np.random.default_rng(0)
    for name, prevalence in product(DATA, PREVALENCES):
        X, labels = getattr(datasets, f"load_{name}")(return_X_y=True)  # noqa: N806
        for label in np.unique(labels):
            y = (labels == label).astype(int)
            kept = np.ones(y.size, dtype=bool)
            if prevalence is not None:
                most = round(prevalence / (1 - prevalence) * (y == 0).sum())
                most = max(most, 10)  # five folds, of two targets each
                targets = np.flatnonzero(y)
                kept[rng.permutation(targets)[most:]] = False
            yield f"{name} {label}, {prevalence or 'all'}", X[kept], y[kept]


def rank(model, X, y, rng):  # noqa: N803
    """Rankings of a half held out, and of each of five folds."""
    seed = int(rng.integers(2**31))
    half = train_test_split(
        np.arange(y.size), test_size=0.5, stratify=y, random_state=seed
    )
    yield "half", y[half[1]], scores_of(model, X, y, *half), None
    scores, groups = np.zeros(y.size), np.zeros(y.size)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
    for group, (train, test) in enumerate(folds):
        scores[test], groups[test] = scores_of(model, X, y, train, test), group
    yield "folds", y, scores, groups


def scores_of(model, X, y, train, test):  # noqa: N803
    """Scores of what is held out."""
    model.fit(X[train], y[train])
    if hasattr(model[-1], "decision_function"):
        return model.decision_function(X[test])
    return model.predict_proba(X[test])[:, 1]


def rules_of(scores, groups):
    """All tie rules; one of them where nothing is tied."""
    pairs = np.stack([np.zeros(scores.size) if groups is None else groups, scores])
    return RULES[:1] if np.unique(pairs, axis=1).shape[1] == scores.size else RULES


def disagrees(result, rng):
    """Whether p and draws differ by more than chance."""
    if result.pvalue < 1e-3:  # draws say little there
        return False
    draws = result.null_distribution.rvs(DRAWS, rng)
    beyond = int((draws >= result.value - 1e-11 * abs(result.value)).sum())
    p = result.pvalue
    tails = binom.sf(beyond - 1, DRAWS, p * 1.02), binom.cdf(beyond, DRAWS, p / 1.02)
    return min(tails) < UNLIKELY


def faults(result, rng):
    """What is wrong with a result, if anything is."""
    log_p = result.log10_pvalue
    if math.isnan(log_p) or log_p > ROUNDING:
        yield "no probability"
    if result.pvalue_bounds is not None:
        lower, upper = result.pvalue_bounds
        if not lower * (1 - 1e-6) <= result.pvalue <= upper * (1 + 1e-6):
            yield "outside its bounds"
    if result.pvalue_relative_error is not None and result.pvalue_relative_error > 0.05:
        yield "in doubt"
    if disagrees(result, rng):
        yield "unlike draws"


def main(part, parts):
    """Test a part of all rankings, and print a table of methods."""
    times, count, wrong = defaultdict(list), 0, 0
    warnings.simplefilter("ignore")
    pairs = enumerate(product(tasks(), models().items()))
    for index, (task, (name, model)) in islice(pairs, part - 1, None, parts):
        rng = np.random.default_rng(index)
        pipe = make_pipeline(StandardScaler(), model)
        for kind, labels, scores, groups in rank(pipe, *task[1:], rng):
            rules = rules_of(scores, groups)
            for metric, rule, sign in product(METRICS, rules, (1, -1)):
                test = RandomSelectionTest(metric, ties=rule, random_state=0)
                start = time.perf_counter()
                result = test.from_predictions(labels, sign * scores, groups=groups)
                times[result.method].append(time.perf_counter() - start)
                count += 1
                for one in (result, *result.parts):
                    for fault in faults(one, rng):
                        wrong += 1
                        print(task[0], name, kind, metric, rule, sign, fault, one)
    print(f"{count} rankings, {wrong} faults")
    print("method          number  median s  total s  longest s")
    for method, spent in sorted(times.items()):
        print(
            f"{method:14} {len(spent):7} {np.median(spent):9.3f} {sum(spent):8.0f} "
            f"{max(spent):10.3f}",
        )


if __name__ == "__main__":
    main(*map(int, (sys.argv[1:] or ["1/50"])[0].split("/")))
