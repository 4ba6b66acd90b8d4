"""Coverage of the bands of hit curves, by simulation.

The scores of a population are normal, and those of targets shifted; or they have
Student's t with 2 degrees of freedom; or there are decoys: half of the targets and one
in a hundred of the non-targets are shifted by twice as much, and the others are random.
Each run draws m targets and the non-targets. The table has the share of runs in which
the 95 % band contains the hit curve of the population: at all of 60 depths and, for the
pointwise band, the mean share of the depths and that of the worst depth; and the share
of runs in which the band of the difference of two correlated, equally good rankings
contains 0. The curve of the population is that of a ranking 200 times as long. The last
column is the standard error of the band divided by that of
``MetricInterval("recall@50")``: the smallest and the largest ratio over the depths with
at least 3 hits on average, as many non-targets above the cutoff, and as many targets
below it.

    python benchmarks/coverage_of_bands.py --runs 400
"""

import argparse
from itertools import product

import numpy as np
from coverage_of_intervals import POPULATIONS
from joblib import Parallel, delayed
from scipy.stats import norm

from skrank import (
    MetricInterval,
    hit_curve,
    hit_curve_band,
)

LISTS = ((1000, 20), (5000, 100), (3000, 300))
SHIFTS = (0.5, 1.5, 3.0)
LONG = 200


FARTHER = {"binormal": 1, "t2": 1, "decoys": 2}  # in units of the shift


def draw(rng, population, y_true, shift):
    return POPULATIONS[population](rng, FARTHER[population] * shift, y_true)


def population_hits(depths, n, m, population, shift):
    """Targets that the population has in its top t / n, times m."""
    y_true = np.arange(LONG * n) < LONG * m
    curve = hit_curve(y_true, draw(np.random.default_rng(0), population, y_true, shift))
    return curve.at(LONG * depths) / LONG


def inside(band, truth):
    return (band.low <= truth + 1e-9) & (band.high >= truth - 1e-9)


def errors(y_true, scores, depths):
    """Standard errors of the hits by the band, and by MetricInterval."""
    level = 0.5
    band = hit_curve_band(
        y_true, scores, t=depths, simultaneous=False, confidence_level=level
    )
    half = (band.high - band.low) / 2 / norm.isf((1 - level) / 2)
    single = [
        MetricInterval(f"recall@{t}").from_predictions(y_true, scores) for t in depths
    ]
    return half, y_true.sum() * np.array([one.standard_error for one in single])


def run(seed, n, m, population, shift, truth, depths):
    rng = np.random.default_rng(seed)
    y_true = np.arange(n) < m
    common, a, b = (draw(rng, population, y_true, shift) for _ in range(3))
    scores = [0.8 * common + 0.6 * own for own in (a, b)]
    settings = {"t": depths.tolist(), "random_state": rng}
    one = inside(hit_curve_band(y_true, common, **settings), truth)
    two = inside(hit_curve_band(y_true, np.stack(scores, axis=1), **settings), 0)
    settings["simultaneous"] = False
    band = hit_curve_band(y_true, common, **settings)
    hits = hit_curve(y_true, common).at(depths)
    compared = errors(y_true, common, depths.tolist()) if seed < 20 else None
    return one.all(), two.all(), inside(band, truth), hits, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    names = ("curve", "difference", "each", "worst depth", "t", "error, over MV")
    print(f"{'':<24}" + "".join(f"{name:>13}" for name in names))
    for population, (n, m), shift in product(FARTHER, LISTS, SHIFTS):
        depths = np.unique(np.rint(np.geomspace(1, n - 1, 60)).astype(int))
        truth = population_hits(depths, n, m, population, shift)
        found = Parallel(n_jobs=args.jobs)(
            delayed(run)(seed, n, m, population, shift, truth, depths)
            for seed in range(args.runs)
        )
        one, two, each, hits, compared = zip(*found, strict=True)
        held, mean = np.mean(each, axis=0), np.mean(hits, axis=0)
        rest = np.minimum(depths - mean, m - mean)
        half, single = np.transpose([pair for pair in compared if pair], (1, 0, 2))
        ratio = np.sqrt((half**2).mean(axis=0) / (single**2).mean(axis=0))
        ratio = ratio[(mean >= 3) & (rest >= 3)]
        cells = [np.mean(one), np.mean(two), held.mean(), held.min()]
        what = f"{population} {shift}, {m} of {n}"
        print(
            f"{what:<24}"
            + "".join(f"{cell:>13.3f}" for cell in cells)
            + f"{depths[held.argmin()]:>13}{ratio.min():>8.2f} {ratio.max():.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
