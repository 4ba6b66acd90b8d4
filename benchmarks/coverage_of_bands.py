"""Coverage of the bands of hit curves, by simulation.

A population has normal scores, targets shifted. Each run draws m targets and the others
and asks whether the band of 95 % holds the hit curve of the population: at all of 60
depths, and at which share of them if it is pointwise; and whether the band of the
difference of two correlated, equally good rankings holds 0.

    python benchmarks/coverage_of_bands.py --runs 200
"""

import argparse

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import brentq
from scipy.stats import norm

from skrank import hit_curve_band, hit_curve_difference_band

LISTS = ((1000, 20), (5000, 100), (3000, 300))
SHIFTS = (0.5, 1.5, 3.0)


def population_hits(depths, n, m, shift):
    """Targets that the population has in its top t / n, times m."""

    def share(cut, t):
        return m / n * norm.sf(cut - shift) + (1 - m / n) * norm.sf(cut) - t / n

    return m * norm.sf([brentq(share, -15, 15, args=(t,)) - shift for t in depths])


def inside(band, truth):
    return (band.low <= truth + 1e-9) & (band.high >= truth - 1e-9)


def run(seed, n, m, shift):
    rng = np.random.default_rng(seed)
    depths = np.unique(np.rint(np.geomspace(1, n - 1, 60)).astype(int))
    y_true = np.arange(n) < m
    common, a, b = rng.normal(size=(3, n))
    scores = [shift * y_true + 0.8 * common + 0.6 * own for own in (a, b)]
    truth = population_hits(depths, n, m, shift)
    settings = {"t": depths.tolist(), "random_state": rng}
    found = []
    for simultaneous in (True, False):
        settings["simultaneous"] = simultaneous
        found.append(inside(hit_curve_band(y_true, scores[0], **settings), truth))
        band = hit_curve_difference_band(y_true, *scores, **settings)
        found.append(inside(band, 0))
    one, two, each, each_of_two = found
    return one.all(), two.all(), each.mean(), each_of_two.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    names = ("curve", "difference", "curve, each", "difference, each")
    print(f"{'n':>6} {'m':>5} {'shift':>6}" + "".join(f"{name:>18}" for name in names))
    for n, m in LISTS:
        for shift in SHIFTS:
            found = Parallel(n_jobs=args.jobs)(
                delayed(run)(seed, n, m, shift) for seed in range(args.runs)
            )
            shares = "".join(f"{share:>18.3f}" for share in np.mean(found, axis=0))
            print(f"{n:>6} {m:>5} {shift:>6}{shares}", flush=True)


if __name__ == "__main__":
    main()
