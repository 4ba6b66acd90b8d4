"""Power that is predicted for a study, and the power of simulated studies.

Each row is a setting: the metric, the targets, the prevalence, the values of the models
in the population, the correlation of two models, the number of distinct scores, and the
level. The prediction is that of `random_selection_power` or `comparison_power`. The
other power is the share of simulated data sets, drawn item by item, in which
`RandomSelectionTest` or `RankingComparison` is significant, with its standard error.
For the former the p-value is compared with the level by the exact critical value, which
is that of all data sets of a setting, so there are four times as many data sets.
The values in the population are computed here from the normal distributions, by sums
over a fine grid of scores.

The last table plans 16 targets of 800 items from pilots of several sizes and shapes:
the bias of the planned power, and the root of its mean squared error.

    python benchmarks/power.py --runs 1000
"""

import argparse
import math
import warnings

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata

from skrank import (
    RandomSelectionNull,
    RandomSelectionTest,
    RankingComparison,
    Rankings,
    comparison_power,
    make_metric,
    random_selection_power,
)

GRID = np.linspace(13, -9, 40_001)

# metric, targets, prevalence, shift, spread, distinct scores, level
ONE = (
    ("average_precision", 8, 0.01, 0.9, 1, None, 0.05),
    ("average_precision", 12, 0.01, 0.4, 1, None, 0.05),
    ("average_precision", 12, 0.01, 1.2, 1, None, 0.001),
    ("average_precision", 20, 0.002, 0.7, 1, None, 0.05),
    ("average_precision", 30, 0.3, 0.45, 1, None, 0.05),
    ("average_precision", 50, 0.05, 0.35, 1.3, None, 0.05),
    ("average_precision", 20, 0.05, 0.5, 1, 10, 0.05),
    ("average_precision", 200, 0.02, 0.25, 1, None, 0.001),
    ("average_precision@50", 20, 0.02, 0.8, 1, None, 0.05),
    ("average_precision@50", 100, 0.1, 0.5, 1, None, 0.05),
    ("recall@5%", 8, 0.02, 0.8, 1, None, 0.05),
    ("recall@5%", 50, 0.05, 0.4, 1, None, 0.05),
    ("recall@5%", 30, 0.02, 1.0, 1, 8, 0.001),
    ("precision@20", 20, 0.02, 1.2, 1, None, 0.05),
    ("precision@20", 100, 0.1, 0.6, 0.8, None, 0.05),
    ("bedroc(alpha=20)", 10, 0.01, 0.7, 1, None, 0.05),
    ("bedroc(alpha=20)", 40, 0.1, 0.7, 1, 20, 0.001),
)
# metric, targets, prevalence, shifts of A and B, correlation, distinct scores, level
TWO = (
    ("average_precision", 8, 0.05, 2.2, 0.6, 0.5, None, 0.05),
    ("average_precision", 12, 0.02, 2.2, 1.4, 0.9, None, 0.05),
    ("average_precision", 20, 0.05, 1.9, 1.3, 0.0, None, 0.05),
    ("average_precision", 20, 0.02, 2.5, 1.7, 0.5, None, 0.001),
    ("average_precision", 30, 0.3, 1.5, 0.8, 0.3, None, 0.05),
    ("average_precision", 40, 0.05, 1.8, 1.3, 0.6, 10, 0.05),
    ("average_precision", 60, 0.1, 1.3, 0.9, 0.9, None, 0.05),
    ("average_precision", 200, 0.1, 1.4, 1.1, 0.5, None, 0.05),
    ("average_precision@50", 20, 0.02, 2.2, 1.4, 0.5, None, 0.05),
    ("recall@5%", 20, 0.05, 2.2, 1.2, 0.5, None, 0.05),
    ("recall@5%", 60, 0.05, 1.8, 1.2, 0.0, None, 0.05),
    ("precision@20", 20, 0.02, 2.4, 1.4, 0.5, None, 0.05),
    ("precision@20", 60, 0.1, 1.7, 0.9, 0.8, 12, 0.05),
    ("bedroc(alpha=20)", 10, 0.02, 2.2, 1.0, 0.5, None, 0.05),
    ("bedroc(alpha=20)", 50, 0.05, 1.7, 1.2, 0.7, None, 0.05),
)


def population_value(metric, shift, spread, n, m, n_distinct):
    """Value in an infinite population; a count of items is a share of the study."""
    hits, others = ndtr((shift - GRID) / spread), ndtr(-GRID)
    depth = m / n * hits + (1 - m / n) * others
    if n_distinct is not None:
        ends = np.arange(n_distinct + 1) / n_distinct
        grid = np.union1d(np.geomspace(1e-7, 1, 40_001), ends)
        hits = np.interp(grid, ends, np.interp(ends, depth, hits))
        depth = grid
    middle, gain = (depth[1:] + depth[:-1]) / 2, np.diff(hits)
    name, _, cut = metric.partition("@")
    if name == "recall":
        return np.interp(0.05, depth, hits)
    if name == "precision":
        return np.interp(20 / n, depth, hits) * m / 20
    if name.startswith("bedroc"):
        weight = np.exp(-20 * middle) @ gain
        best, worst = (
            abs(math.exp(-20 * a) - math.exp(-20 * b)) / (20 * m / n)
            for a, b in ((0, m / n), (1 - m / n, 1))
        )
        return (weight - worst) / (best - worst)
    precision = m / n * (hits[1:] + hits[:-1]) / 2 / middle
    most = int(cut) / n if cut else 1.0
    return (precision * gain)[middle <= most].sum() / min(1.0, most * n / m)


def rounded(scores, n_distinct):
    """Round scores to equally frequent values."""
    if n_distinct is None:
        return scores
    ends = np.rint(np.arange(1, n_distinct + 1) / n_distinct * scores.size)
    return -np.searchsorted(ends, rankdata(-scores))


def share(found):
    return np.mean(found), np.std(found) / math.sqrt(len(found))


def judge_one(setting, runs, rng):
    metric, m, prevalence, shift, spread, n_distinct, level = setting
    n, test = round(m / prevalence), RandomSelectionTest(metric)
    is_target, found = np.arange(n) < m, []
    sizes = np.unique(rounded(np.arange(n), n_distinct), return_counts=True)[1]
    null = RandomSelectionNull(n, m, metric, tie_sizes=sizes[::-1])
    critical, metric = null.isf(level), make_metric(metric)
    for run in range(4 * runs):
        scores = rng.normal(size=n) * np.where(is_target, spread, 1) + shift * is_target
        scores = rounded(scores, n_distinct)
        found.append(metric(is_target, scores) > critical + 1e-12)
        if run < 5:  # all data sets have the same null distribution
            pvalue = test.from_predictions(is_target, scores).pvalue
            assert found[-1] == (pvalue <= level)
    value = population_value(metric, shift, spread, n, m, n_distinct)
    result = random_selection_power(
        metric,
        **{
            "n_targets": m,
            "prevalence": prevalence,
            "value": value,
            "significance_level": level,
        },
        **{"spread": spread, "n_distinct": n_distinct},
    )
    return (value,), result, share(found)


def judge_two(setting, runs, rng):
    metric, m, prevalence, a, b, correlation, n_distinct, level = setting
    n = round(m / prevalence)
    # with the exchanges of the default, 9999, the table would take hours
    n_resamples = 1999 if level >= 0.05 else 9999
    test = RankingComparison(metric, n_resamples=n_resamples)
    is_target, found = np.arange(n) < m, []
    for _ in range(runs):
        common, *own = rng.normal(size=(3, n))
        scores = math.sqrt(correlation) * common + math.sqrt(
            1 - correlation
        ) * np.array(own)
        scores += np.outer((a, b), is_target)
        pair = np.stack([rounded(one, n_distinct) for one in scores], axis=1)
        found.append(test.from_predictions(is_target, pair).pvalue <= level)
    values = [population_value(metric, one, 1, n, m, n_distinct) for one in (a, b)]
    result = comparison_power(
        metric,
        **{"n_targets": m, "prevalence": prevalence, "significance_level": level},
        **{"value": values[1], "difference": values[0] - values[1]},
        **{"correlation": correlation, "n_distinct": n_distinct},
    )
    return values, result, share(found)


PILOTS = {
    "normal": lambda rng, y: rng.normal(0.9 * y),
    "t3": lambda rng, y: rng.standard_t(3, y.size) + 1.2 * y,
    "half found": lambda rng, y: rng.normal(1.5 * (y & (rng.random(y.size) < 0.5))),
    "few found": lambda rng, y: rng.normal(3.0 * (y & (rng.random(y.size) < 0.15))),
}


def pilots(runs):
    """Print the errors of the power that is planned from pilots."""
    warnings.simplefilter("ignore")
    rng, metric = np.random.default_rng(0), make_metric("average_precision")
    critical, y = RandomSelectionNull(800, 16).isf(0.05), np.arange(800) < 16
    for name, law in PILOTS.items():
        true = np.mean([metric(y, law(rng, y)) > critical for _ in range(20 * runs)])
        for m in (20, 40, 100, 400, 1500):
            of_pilot, errors = np.arange(50 * m) < m, []
            for seed in range(runs):
                pilot = Rankings.from_predictions(of_pilot, law(rng, of_pilot))
                found = random_selection_power(
                    n_targets=16, pilot=pilot, n_studies=1000, random_state=seed
                )
                errors.append(found.power - true)
            root = np.sqrt(np.mean(np.square(errors)))
            print(f"{name:<12}{m:>6}{true:8.3f}{np.mean(errors):8.3f}{root:8.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    print(f"{'':<58}{'predicted':>16}{'simulated':>16}{'differ':>8}")
    for settings, judge in ((ONE, judge_one), (TWO, judge_two)):
        for setting in settings:
            values, result, (power, error) = judge(setting, args.runs, rng)
            metric, m, prevalence, *_, correlation, n_distinct, level = setting
            shown = ", ".join(f"{value:.3g}" for value in values)
            kind = f"spread {correlation}" if len(values) == 1 else f"r {correlation}"
            name = f"{metric} {m} {prevalence} ({shown}) {kind} {n_distinct} {level}"
            predicted = f"{result.power:.3f} ({result.power_standard_error:.3f})"
            print(
                f"{name:<58}{predicted:>16}{f'{power:.3f} ({error:.3f})':>16}"
                f"{result.power - power:>8.3f}",
                flush=True,
            )
    pilots(max(args.runs // 10, 20))


if __name__ == "__main__":
    main()
