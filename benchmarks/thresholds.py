"""Coverage of the intervals of a chosen threshold, and misses of a guarantee.

A population is a distribution of the scores of targets and one of non-targets. A
threshold is chosen on a sample by `ThresholdChoice`. Its true recall, precision and
profit are those of a large sample of the population; its threshold and its number of
items are compared with those of another sample. A row has the share of 95 % intervals
that hold what they are for. The next rows are those of models that are fitted to all
items after a cross-validation, and of days. The last rows have the share of samples in
which a guaranteed recall or precision is missed, and the mean number of items.

    python benchmarks/thresholds.py [number of samples]
"""

import sys
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skrank import ThresholdChoice

LEAVES = np.array([0.02, 0.05, 0.1, 0.3, 0.6, 0.9])
OF_TARGETS, OF_OTHERS = (
    [0.1, 0.1, 0.15, 0.2, 0.2, 0.25],
    [0.6, 0.2, 0.1, 0.06, 0.03, 0.01],
)
POPULATIONS = {
    "normal": lambda rng, y: rng.normal(1.8 * y),
    "unequal variances": lambda rng, y: rng.normal(0.9 * y, 1 + 1.5 * y),
    "half undetectable": lambda rng, y: rng.normal(
        3.3 * (y & (rng.random(y.size) < 0.5))
    ),
    "heavy tails": lambda rng, y: rng.standard_t(2, y.size) + 2.5 * y,
    "skewed": lambda rng, y: rng.gamma(0.8 + 0.4 * y, 0.7 + 1.2 * y),
    "votes of 7": lambda rng, y: votes(rng, y, 7, 0.35),
    "votes of 20": lambda rng, y: votes(rng, y, 20, 0.6),
    "scorecard": lambda rng, y: np.round(2 * rng.normal(1.6 * y)) * 5.0,
    "tree": lambda rng, y: np.where(
        y,
        rng.choice(LEAVES, y.size, p=OF_TARGETS),
        rng.choice(LEAVES, y.size, p=OF_OTHERS),
    ),
    "perfect": lambda rng, y: rng.random(y.size) + y,
    "hardly any profit": lambda rng, y: rng.normal(0.3 * y),
    "reversed": lambda rng, y: rng.normal(-1.5 * y),
}
MODELS = {
    "5 neighbours": KNeighborsClassifier(5),
    "tree": DecisionTreeClassifier(min_samples_leaf=6, random_state=0),
    "logistic regression": LogisticRegression(),
    "naive Bayes": GaussianNB(),
}


def votes(rng, y, n_votes, other):
    share = np.where(y, rng.beta(2, 2.4, y.size), rng.beta(other, 10 * other, y.size))
    return rng.binomial(n_votes, share).astype(float)


def above(scores, threshold):
    return np.mean(scores >= threshold)


def truth_of(rule, m, n, shares):
    """True recall, precision and profit of a threshold above which are these shares."""
    hits, others = m * shares[0], (n - m) * shares[1]
    items = hits + others
    profit = rule.get("benefit", np.nan) * hits - rule.get("cost", np.nan) * items
    return {
        "recall": hits / m,
        "precision": hits / items if items else np.nan,
        "profit": profit,
    }


def holds(result, name, value):
    if np.isnan(value):
        return np.nan
    low, high = result.confidence_interval(name)
    slack = 1e-9 * abs(value)
    return float(low - slack <= value <= high + slack)


def row(name, found):
    values = np.array([list(one.values()) for one in found], dtype=float)
    enough = np.sum(~np.isnan(values), axis=0) >= 30
    means = np.where(enough, np.nanmean(values, axis=0), np.nan)
    shown = "".join(f"{value:11.3f}" for value in means)
    print(f"{name:62s}{shown}", flush=True)


def of_predictions(rng, draw, m, n, rule, n_draws):
    many = [np.sort(draw(rng, np.full(200_000, one))) for one in (True, False)]
    y, found, last = np.arange(n) < m, [], np.nan
    choice = ThresholdChoice(**rule, n_resamples=999, random_state=0)
    for _ in range(n_draws):
        result = choice.from_predictions(y, draw(rng, y))
        shares = [1 - np.searchsorted(one, result.threshold) / one.size for one in many]
        other = np.sum(draw(rng, y) >= result.threshold)
        values = {**truth_of(rule, m, n, shares), "t": other, "threshold": last}
        found.append({name: holds(result, name, one) for name, one in values.items()})
        last = result.threshold
    return found


def items_of(rng, n, m):
    y = rng.permutation(n) < m
    columns = rng.standard_t(3, size=(n, 5))
    columns[:, :2] += np.outer(y, [1.5, 0.8])
    return columns, y


def of_cv(rng, model, m, n, rule, n_draws):
    others, labels = items_of(rng, 6000, 6000 * m // n)
    found, last = [], np.nan
    choice = ThresholdChoice(**rule, n_resamples=999, random_state=0)
    for _ in range(n_draws):
        columns, y = items_of(rng, n, m)
        result = choice.from_cv(model, columns, y)
        chosen = result.classifier(model).fit(columns, y).predict(others)
        shares = [chosen[labels].mean(), chosen[~labels].mean()]
        other = rng.binomial([m, n - m], shares).sum()
        values = {**truth_of(rule, m, n, shares), "t": other, "threshold": last}
        found.append({name: holds(result, name, one) for name, one in values.items()})
        last = result.threshold
    return found


def even_days(rng, n_days):
    day = np.repeat(np.arange(n_days), 100)
    y = rng.random(day.size) < rng.uniform(0, 0.06, n_days)[day]
    return y, rng.normal(1.5 * y), day


def uneven_days(rng, n_days):
    day = np.repeat(np.arange(n_days), rng.integers(30, 120, n_days))
    y = rng.random(day.size) < np.minimum(0.6, rng.gamma(1, 0.06, n_days))[day]
    shift = rng.gamma(4, 0.5, n_days)
    return y, np.round(rng.standard_t(3, day.size) + shift[day] * y, 1), day


def days_of_votes(rng, n_days):
    day = np.repeat(np.arange(n_days), 60)
    y = rng.random(day.size) < rng.beta(0.8, 10, n_days)[day]
    return y, votes(rng, y, 7, 0.35), day


def of_days(rng, draw, n_days, rule, n_draws):
    y, score, day = draw(rng, 8000)
    order = np.lexsort((rng.random(y.size), -score, day))
    rank = np.arange(y.size) - np.searchsorted(day, np.arange(8000))[day]
    hits = np.cumsum(np.bincount(rank, y[order], minlength=121)) / 8000
    items = np.cumsum(np.bincount(rank, minlength=121)) / 8000
    found, last = [], np.nan
    choice = ThresholdChoice(**rule, n_resamples=499, random_state=0)
    while len(found) < n_draws:
        y, score, day = draw(rng, n_days)
        if y.sum() < 5:
            continue
        result = choice.from_predictions(y, score, groups=day)
        t = int(result.t)
        h, o = (hits[t - 1], items[t - 1]) if t else (0.0, 0.0)
        profit = rule.get("benefit", np.nan) * h - rule.get("cost", np.nan) * o
        values = {"recall": h / hits[-1], "precision": h / o if t else np.nan}
        values |= {"profit": profit, "t": last, "threshold": np.nan}
        found.append({name: holds(result, name, one) for name, one in values.items()})
        last = result.t
    return found


def of_guarantee(rng, draw, m, n, rule, n_draws):
    many = [np.sort(draw(rng, np.full(200_000, one))) for one in (True, False)]
    y, found = np.arange(n) < m, []
    choice = ThresholdChoice(**rule, n_resamples=2)
    name = "recall" if "recall" in rule else "precision"
    for _ in range(n_draws):
        result = choice.from_predictions(y, draw(rng, y))
        shares = [1 - np.searchsorted(one, result.threshold) / one.size for one in many]
        true = truth_of(rule, m, n, shares)
        found.append(
            {
                "missed": float(true[name] < rule[name] - 1e-9),
                "items": result.t,
                "recall": true["recall"],
                "none": float(result.t == 0),
            }
        )
    return found


def of_promised_days(rng, draw, n_days, rule, n_draws):
    """Misses of the mean over days of the recall or precision, of 8000 days."""
    y, score, day = draw(rng, 8000)
    order = np.lexsort((rng.random(y.size), -score, day))
    rank, sizes = np.arange(y.size) - np.searchsorted(day, day), np.bincount(day)
    hits = np.zeros((8000, 122))
    hits[day, rank + 1] = y[order]
    hits = hits.cumsum(axis=1)
    some, items = hits[:, -1] > 0, np.minimum(np.arange(122), sizes[:, None])
    true = {
        "recall": (hits[some] / hits[some, -1:]).mean(axis=0),
        "precision": (hits / np.maximum(items, 1)).mean(axis=0),
    }
    name = "recall" if "recall" in rule else "precision"
    found, choice = [], ThresholdChoice(**rule, n_resamples=2)
    for _ in range(n_draws):
        y, score, day = draw(rng, n_days)
        t = int(choice.from_predictions(y, score, groups=day).t)
        reached = true[name][t]
        found.append(
            {
                "missed": float(t > 0 and reached < rule[name]),
                "items": t,
                "reached": reached,
                "none": float(t == 0),
            }
        )
    return found


def main(n_draws=200):
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    print("recall, precision, profit, t, threshold")
    for m, n in ((12, 400), (20, 300), (100, 2000)):
        rules = [{"benefit": 1.0, "cost": cost * m / n} for cost in (2, 8)]
        rules += [{"recall": 0.8}, {"precision": 0.3}]
        rules += [{"t": max(m, 10), "benefit": 1.0, "cost": 2 * m / n}]
        for name, draw in POPULATIONS.items():
            for rule in rules:
                found = of_predictions(rng, draw, m, n, rule, n_draws)
                row(f"{name}, {m} of {n}, {rule}", found)
    for name, model in MODELS.items():
        for m, n in ((12, 200), (20, 300), (60, 900)):
            for rule in (
                {"recall": 0.8},
                {"benefit": 1.0, "cost": 0.15},
                {"precision": 0.3},
            ):
                found = of_cv(rng, model, m, n, rule, n_draws // 2)
                row(f"{name} of all items, {m} of {n}, {rule}", found)
    money = {"benefit": 20.0, "cost": 1.0}
    for draw in (even_days, uneven_days, days_of_votes):
        for n_days in (5, 10, 30):
            for rule in ({}, {"recall": 0.7}, {"precision": 0.12}, {"t": 10}):
                found = of_days(rng, draw, n_days, {**rule, **money}, n_draws)
                row(f"{draw.__name__}, {n_days}, {rule}", found)
    print("missed, items, recall, none")
    for name, draw in POPULATIONS.items():
        for rule in ({"recall": 0.8}, {"recall": 0.9}, {"precision": 0.3}):
            for guarantee in ({}, {"guarantee": 0.95}):
                chosen = {**rule, **guarantee}
                found = of_guarantee(rng, draw, 120, 4000, chosen, 5 * n_draws)
                row(f"{name}, 120 of 4000, {chosen}", found)
    for draw in (even_days, uneven_days, days_of_votes):
        for n_days in (30, 60):
            for rule in ({"recall": 0.7}, {"recall": 0.8}, {"precision": 0.12}):
                for guarantee in ({}, {"guarantee": 0.95}):
                    chosen = {**rule, **guarantee}
                    found = of_promised_days(rng, draw, n_days, chosen, n_draws)
                    row(f"{draw.__name__}, {n_days}, {chosen}", found)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
