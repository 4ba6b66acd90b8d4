"""Coverage of the savings of a threshold or a depth, with an amount for each item.

Normal scores, of targets shifted by 1.5, and amounts that are independent of them:
lognormal with standard deviations of the logarithm of 1 and 1.5, and Pareto with the
shapes 3 and 2. The rule is a budget, or the largest savings. The true savings of the
chosen threshold follow from the normal distribution and the mean amount. Days have 200
items; their shares of targets, their scores and their amounts vary from day to day, and
the truth is that of 200,000 other days. A row has the share of 95 % intervals that hold
the truth, the shares that are above and below it, and the median width divided by the
truth. With 400 samples the standard error of .95 is .011.

The last rows have 40 days with 0.8 targets on average and five items a day, of which a
good model finds nearly all targets and a reversed one hardly any, so that the days of
most samples agree: the share of intervals of recall, precision and profit that hold.

    python benchmarks/savings.py [number of samples]
"""

import sys
import warnings

import numpy as np
from scipy.stats import norm

from skrank import ThresholdChoice

SHIFT = 1.5
AMOUNTS = {
    "lognormal 1": (lambda rng, size: rng.lognormal(0, 1, size), np.exp(0.5)),
    "lognormal 1.5": (lambda rng, size: rng.lognormal(0, 1.5, size), np.exp(1.125)),
    "Pareto 3": (lambda rng, size: 1 + rng.pareto(3, size), 1.5),
    "Pareto 2": (lambda rng, size: 1 + rng.pareto(2, size), 2.0),
}


COST = 0.1  # of an item of a day


def row(name, found):
    low, high, truth = np.transpose(found)
    above, below = np.mean(low > truth), np.mean(high < truth)
    width = np.median((high - low) / np.abs(truth))
    shares = f"{1 - above - below:.3f} {above:6.3f} {below:6.3f}"
    print(f"{name:46s}{shares} {width:7.2f}", flush=True)


def of_items(rng, m, n, amounts, rule):
    """Limits and truth for one sample of items."""
    draw, mean = AMOUNTS[amounts]
    y = np.arange(n) < m
    cost = 2 * mean * m / n  # twice what a random item is worth
    given = {"benefit": draw(rng, n), "cost": cost, "n_resamples": 999}
    choice = ThresholdChoice(**rule, **given, random_state=rng)
    result = choice.from_predictions(y, rng.normal(SHIFT * y))
    hits = m * norm.sf(result.threshold - SHIFT)
    items = hits + (n - m) * norm.sf(result.threshold)
    return *result.confidence_interval("profit"), hits * mean - cost * items


def days_of(rng, n_days, amounts):
    """Labels, scores and amounts of days that vary, by day."""
    draw, _ = AMOUNTS[amounts]
    share = 0.02 * np.exp(rng.normal(-0.125, 0.5, (n_days, 1)))
    y = rng.random((n_days, 200)) < share
    score = rng.normal(SHIFT * y) + rng.normal(0, 0.3, (n_days, 1))
    level = np.exp(rng.normal(0, 0.3, (n_days, 1)))
    return y, score, level * draw(rng, y.shape)


def of_days(rng, n_days, amounts, rule, population):
    """Limits and truth for one sample of days."""
    y, score, amount = days_of(rng, n_days, amounts)
    day = np.repeat(np.arange(n_days), y.shape[1])
    given = {"benefit": amount.ravel(), "cost": COST, "n_resamples": 499}
    choice = ThresholdChoice(**rule, **given, random_state=rng)
    result = choice.from_predictions(y.ravel(), score.ravel(), groups=day)
    limits = result.confidence_interval("profit")
    return *limits, population(result.threshold, int(result.t))


def population_of(rng, amounts):
    """Return the mean savings of a day by a threshold, or else by a depth."""
    parts = [days_of(rng, 20_000, amounts) for _ in range(10)]
    order = [np.argsort(-score, axis=1) for _, score, _ in parts]
    worth = [
        np.take_along_axis(y * a, at, axis=1).cumsum(axis=1).mean(axis=0)
        for (y, _, a), at in zip(parts, order, strict=True)
    ]
    of_depth = np.append(0, np.mean(worth, axis=0) - COST * np.arange(1, 201))
    grid = np.linspace(-4, 6, 1001)
    of_level = np.zeros(grid.size)
    for y, score, amount in parts:
        at = np.digitize(score.ravel(), grid)
        gain = (y * amount - COST).ravel()
        sums = np.bincount(at, weights=gain, minlength=grid.size + 1)
        of_level += sums[::-1].cumsum()[::-1][1:] / len(y) / len(parts)

    def truth(threshold, t):
        if np.isnan(threshold):
            return of_depth[t]
        return float(np.interp(threshold, grid, of_level))

    return truth


def of_few(rng, shift, shared, n_draws):
    """Share of intervals that hold, if nearly all targets are found or hardly any."""
    rate, n, t, cost, mean = 0.004, 200, 5, 5.0, np.exp(4.5)
    y = rng.random((20_000, n)) < rate
    top = np.argpartition(-rng.normal(shift * y), t, axis=1)[:, :t]
    hits = np.take_along_axis(y, top, axis=1).sum()
    day, held = np.repeat(np.arange(40), n), np.zeros(3)
    for _ in range(n_draws):
        labels = rng.random(day.size) < rate
        given = {"benefit": rng.lognormal(4, 1, day.size), "cost": cost, "t": t}
        choice = ThresholdChoice(**given, groups_share=shared, n_resamples=499)
        result = choice.from_predictions(labels, rng.normal(shift * labels), groups=day)
        recall, items = hits / y.sum(), float(t)
        if shared == "threshold":
            recall = norm.sf(result.threshold - shift)
            items = n * (rate * recall + (1 - rate) * norm.sf(result.threshold))
        found = n * rate * recall
        truth = recall, found / items, found * mean - cost * items
        limits = map(result.confidence_interval, ("recall", "precision", "profit"))
        held += [a <= one <= b for (a, b), one in zip(limits, truth, strict=True)]
    return held / n_draws


def main(n_draws=400):
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    print(f"{'':46s} held  above  below   width")
    for amounts in AMOUNTS:
        for m, n in ((12, 1000), (12, 10_000), (40, 1000), (200, 20_000)):
            for said, rule in (("t = 10 %", {"t": 0.1}), ("largest", {})):
                found = [of_items(rng, m, n, amounts, rule) for _ in range(n_draws)]
                row(f"{amounts}, {m} of {n}, {said}", found)
    for amounts in AMOUNTS:
        truth = population_of(rng, amounts)
        for n_days in (10, 30, 90):
            for shared in ("depth", "threshold"):
                for said, rule in (("t = 10", {"t": 10}), ("largest", {})):
                    given = {**rule, "groups_share": shared}
                    found = [
                        of_days(rng, n_days, amounts, given, truth)
                        for _ in range(n_draws // 2)
                    ]
                    row(f"{amounts}, {n_days} days, {shared}, {said}", found)
    for shift in (4.2, 3.5, -3.0):
        for shared in ("depth", "threshold"):
            held = of_few(rng, shift, shared, n_draws // 2)
            print(f"{f'40 days, shift {shift}, {shared}':46s}{held.round(3)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
