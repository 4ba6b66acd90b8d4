"""Bias and coverage of the profit, recall and precision of a chosen threshold.

Normal scores, of targets shifted by d. A threshold is chosen on a sample by
`ThresholdChoice`, and its true profit, recall and precision on other samples of the
same size are computed from the normal distribution. A row has the means over many
samples of the value on the sample itself ("apparent"), of the estimate for other
samples, and of the truth, and the share of 95 % intervals that contain the truth. The
last rows are those of days, with the profit of a day at the depth that was chosen.

    python benchmarks/profit.py [number of samples]
"""

import sys
import warnings

import numpy as np
from scipy.stats import norm

from skrank import ThresholdChoice

SIZES = [(10, 1000), (30, 1000), (100, 5000), (30, 30_000)]
SHIFTS = (0.7, 1.5, 2.5)
# cost of an item as a multiple of what a random item is worth
COSTS = (0.6, 2.0, 6.0)


def row(name, found):
    apparent, estimate, truth, covered = np.nanmean(found, axis=0)
    line = f"{apparent:9.3f} {estimate:9.3f} {truth:9.3f} {covered:8.3f}"
    print(f"{name:46s}{line}", flush=True)


def of_one(rng, m, n, shift, quantity, n_draws, **rule):
    """Apparent value, estimate, truth and coverage for single rankings."""
    found = []
    for _ in range(n_draws):
        y = np.arange(n) < m
        choice = ThresholdChoice(**rule, n_resamples=999, random_state=rng)
        result = choice.from_predictions(y, rng.normal(shift * y))
        hits = m * norm.sf(result.threshold - shift)
        items = hits + (n - m) * norm.sf(result.threshold)
        truth = {
            "recall": hits / m,
            "precision": hits / items if items else np.nan,
            "profit": rule.get("benefit", 0) * hits - rule.get("cost", 0) * items,
        }[quantity]
        low, high = result.confidence_interval(quantity)
        values = [getattr(result, f"{one}{quantity}") for one in ("apparent_", "")]
        slack = 1e-9 * abs(truth)
        covered = low - slack <= truth <= high + slack if items else np.nan
        found.append([*values, truth, covered])
    return found


def of_days(rng, n_days, shift, n_draws):
    """Likewise for the profit of a day: 100 items, 3 targets on average."""
    rule = {"benefit": 200.0, "cost": 5.0}

    def draw(count):
        y = rng.random((count, 100)) < rng.uniform(0, 0.06, size=(count, 1))
        order = np.argsort(-rng.normal(shift * y), axis=1)
        return np.take_along_axis(y, order, axis=1)

    ranked = draw(200_000)
    depths = np.arange(1, 101)
    profit = 200 * np.cumsum(ranked, axis=1).mean(axis=0) - 5 * depths
    best = int(profit.argmax())
    print(f"best depth {depths[best]}, profit {profit[best]:.1f}")
    found = []
    for _ in range(n_draws):
        y = draw(n_days)
        score = np.tile(-np.arange(100.0), n_days)
        day = np.repeat(np.arange(n_days), 100)
        choice = ThresholdChoice(**rule, n_resamples=199, random_state=rng)
        result = choice.from_predictions(y.ravel(), score, groups=day)
        truth = profit[int(result.t) - 1]
        low, high = result.confidence_interval("profit")
        covered = low <= truth <= high
        found.append([result.apparent_profit, result.profit, truth, covered])
    return found


def main(n_draws=300):
    warnings.filterwarnings("ignore", message="No threshold has")
    rng = np.random.default_rng(0)
    print(f"{'':46s} apparent  estimate     truth  covered")
    for m, n in SIZES:
        for shift in SHIFTS:
            for cost in COSTS:
                rule = {"benefit": 1.0, "cost": cost * m / n}
                found = of_one(rng, m, n, shift, "profit", n_draws, **rule)
                row(f"profit, {m} of {n}, shift {shift}, cost {cost}", found)
    for m, n in SIZES:
        for shift in SHIFTS:
            found = of_one(rng, m, n, shift, "recall", n_draws, recall=0.8)
            row(f"recall .8, {m} of {n}, shift {shift}", found)
            found = of_one(rng, m, n, shift, "precision", n_draws, precision=0.3)
            row(f"precision .3, {m} of {n}, shift {shift}", found)
    for n_days in (10, 30, 100):
        row(f"profit of a day, {n_days} days", of_days(rng, n_days, 1.5, n_draws))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
