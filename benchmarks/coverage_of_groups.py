"""Intervals and comparisons of the mean over days, by simulation.

Each run draws days of 400 items, with a Poisson number of targets with mean 6. The
scores are normal, and those of the targets are shifted by an amount that varies from
day to day. For the mean over the days:

- the share of the runs in which the 95 % interval of ``MetricInterval`` contains the
  mean over a large number of days, by "t" and by "bootstrap", and its median width;
- the same for the interval of all items in one ranking, without ``groups`` ("pooled"),
  for the mean over days;
- the share of the runs in which the p-value of ``RankingComparison`` is at most 0.05,
  for two equally good models.

    python benchmarks/coverage_of_groups.py --runs 400
"""

import argparse
import warnings
from itertools import product

import numpy as np
from joblib import Parallel, delayed

from skrank import MetricInterval, RankingComparison, make_metric

METRICS = ("average_precision", "precision@10", "recall@0.1")
SHIFTS, DAYS = (1.2, 2.5), (5, 20, 100)
N, M, BETWEEN = 400, 6, 0.5


def draw(n_days, shift, rng):
    """Labels, scores of two models, and days."""
    m = rng.poisson(M, n_days)
    day = np.repeat(np.arange(n_days), N)
    y = np.tile(np.arange(N), n_days) < np.repeat(m, N)
    signal = y * (shift + BETWEEN * rng.standard_normal(n_days))[day]
    both = (
        rng.standard_normal((2, y.size)) + rng.standard_normal(y.size) + signal * 2**0.5
    )
    return y, both[0], both[1], day


def run(name, n_days, shift, truth, seed):
    """Whether each interval covers, its width, and the p-value of the comparison."""
    warnings.simplefilter("ignore")
    y, a, b, day = draw(n_days, shift, np.random.default_rng(seed))
    t = MetricInterval(name, method="t")
    drawn = MetricInterval(name, method="bootstrap", n_resamples=400, random_state=seed)
    limits = [one.from_predictions(y, a, groups=day) for one in (t, drawn)]
    limits.append(MetricInterval(name).from_predictions(y, a))
    found = [one.confidence_interval() for one in limits]
    covers = [low <= truth <= high for low, high in found]
    widths = [high - low for low, high in found]
    p = RankingComparison(name).from_predictions(y, {"A": a, "B": b}, groups=day).pvalue
    return [*covers, *widths, p <= 0.05]


def main():
    """Print a row for each population."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    warnings.simplefilter("ignore")
    print(
        "metric             shift  truth  days | covered: t  bootstrap  pooled | size"
    )
    for name, shift in product(METRICS, SHIFTS):
        y, a, _, day = draw(20_000, shift, np.random.default_rng(0))
        truth = make_metric(name)(y, a, groups=day)
        for n_days in DAYS:
            found = np.array(
                Parallel(n_jobs=2)(
                    delayed(run)(name, n_days, shift, truth, seed)
                    for seed in range(runs)
                ),
                dtype=float,
            )
            covered, size = np.nanmean(found[:, :3], axis=0), found[:, 6].mean()
            widths = np.nanmedian(found[:, 3:6], axis=0)
            said = "  ".join(
                f"{c:.3f} ({w:.2f})" for c, w in zip(covered, widths, strict=True)
            )
            print(
                f"{name:18} {shift:5} {truth:6.3f} {n_days:5} | {said} | {size:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
