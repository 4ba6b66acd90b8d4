"""Intervals of AP: `MetricInterval` beside percentiles of a bootstrap, by simulation.

"all" resamples all items, as CompStats and MLstatkit do, and "classes" resamples
targets and non-targets separately; both take percentiles of 500 resamples. "around"
takes the standard error of "all" and quantiles of the normal distribution around the
value. A row has the coverage of the mean of AP over samples at 95 %, the mean width,
the mean width at the level at which the coverage is 95 %, the mean of the values or of
the resamples, and the root mean square of the standard error over the deviation of AP.
The populations are those of coverage_of_intervals.py, with a prevalence of 2 %.

    python benchmarks/percentile_bootstrap.py --runs 3000
"""

import argparse

import numpy as np
from coverage_of_intervals import POPULATIONS, draw, find_shift
from scipy.stats import norm

from skrank import MetricInterval, average_precision

CELLS = [
    *(("binormal", ap) for ap in (0.05, 0.1, 0.2, 0.6)),
    ("t2", 0.2),
    ("t2", 0.4),
    ("half", 0.4),
    ("lognormal", 0.4),
]
LEVELS = np.array(
    [0.8, 0.85, 0.88, 0.9, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995, 0.999]
)


def resample(rng, is_target, score, *, classes, size=500):
    """Return AP of resamples of distinct scores, from counts by runs of the ranking.

    Copies of an item are tied, and retrieved as a whole.
    """
    place = np.flatnonzero(is_target[np.argsort(-score)])
    m, n = place.size, is_target.size
    above = np.diff(place, prepend=-1) - 1
    below = n - m - above.sum()
    if classes:
        hits = rng.multinomial(m, np.full(m, 1 / m), size)
        share = np.r_[above, below] / (n - m)
        others = rng.multinomial(n - m, share, size)[:, :m]
    else:
        share = np.r_[np.ones(m), above, below] / n
        counts = rng.multinomial(n, share, size)
        hits, others = counts[:, :m], counts[:, m : 2 * m]
    found = hits.cumsum(axis=1)
    precision = found / np.maximum(found + others.cumsum(axis=1), 1)
    return (hits * precision).sum(axis=1) / np.maximum(found[:, -1], 1)


def intervals(rng, is_target, score):
    """Return the limits at all levels, and the mean and error, by each method."""
    result = MetricInterval().from_predictions(is_target, score)
    tails = [50 * (1 - LEVELS), 50 * (1 + LEVELS)]
    found = {"skrank": [result.confidence_interval(level) for level in LEVELS]}
    centre = {"skrank": (result.value, result.standard_error)}
    for name in ("all", "classes"):
        values = resample(rng, is_target, score, classes=name == "classes")
        found[name] = np.percentile(values, tails).T
        centre[name] = values.mean(), values.std()
    half = norm.isf((1 - LEVELS) / 2) * centre["all"][1]
    found["around"] = np.transpose([result.value - half, result.value + half])
    centre["around"] = result.value, centre["all"][1]
    return found, centre


def cell(name, ap, m, runs):
    population = POPULATIONS[name]
    shift = find_shift(population, ap, 0.02)
    rng = np.random.default_rng([m, int(100 * ap), len(name)])
    values = [
        average_precision(*draw(rng, population, shift, m, 50 * m)) for _ in range(5000)
    ]
    mean, spread = np.mean(values), np.std(values)
    samples = [
        intervals(rng, *draw(rng, population, shift, m, 50 * m)) for _ in range(runs)
    ]
    print(f"{name}, AP {ap}, {m} targets: mean {mean:.4f}, deviation {spread:.4f}")
    for method in samples[0][0]:
        low, high = np.moveaxis([limits[method] for limits, _ in samples], -1, 0)
        centres, errors = np.transpose([centre[method] for _, centre in samples])
        coverage = np.mean((low <= mean) & (mean <= high), axis=0)
        width = np.mean(high - low, axis=0)
        equal = np.interp(0.95, np.maximum.accumulate(coverage), width)
        at = LEVELS == 0.95
        print(
            f"  {method:<8} {coverage[at][0]:.3f} {width[at][0]:.4f} {equal:.4f} "
            f"{centres.mean():.4f} {np.sqrt(np.mean(errors**2)) / spread:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3000)
    runs = parser.parse_args().runs
    for m in (20, 50, 100):
        for name, ap in CELLS:
            cell(name, ap, m, runs)
