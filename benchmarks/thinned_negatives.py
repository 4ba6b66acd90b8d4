"""Estimates of average precision from 1 % of the non-targets, by simulation.

200,000 items, of which all targets and 1 % of the non-targets are kept, drawn again in
each run. The scores of non-targets are normal, and those of the targets, or of a part
of them, are shifted. Scores are used as they are, as exponentials, as logistic values,
or rounded like the votes of a forest. The table has means over the runs: the true
value, the value by weights (plug-in), the estimate, the bounds, the shares of runs in
which the 95 % interval and the bounds contain the true value, and the scale that was
chosen in the last run.

    python benchmarks/thinned_negatives.py --runs 40
"""

import argparse
import warnings
from itertools import product

import numpy as np

from skrank import average_precision, deployment_estimate

N, KEPT = 200_000, 0.01
TARGETS = {
    "shift 3, 200 targets": (200, lambda rng, m: rng.normal(3, 1, m)),
    "shift 3, 20 targets": (20, lambda rng, m: rng.normal(3, 1, m)),
    "shift 2.2, 200 targets": (200, lambda rng, m: rng.normal(2.2, 1, m)),
    "30 % at 4.5, rest at .5": (
        200,
        lambda rng, m: rng.normal(np.where(rng.random(m) < 0.3, 4.5, 0.5), 1, m),
    ),
}


def logistic(s):
    """Shares, as of a calibrated model."""
    return 1 / (1 + np.exp(3 - 1.5 * s))


SCALES = {
    "normal": lambda s: s,
    "exponential": np.exp,
    "logistic": logistic,
    "votes": lambda s: np.round(logistic(s), 2),
}


def main():
    """Print a row for each population."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    warnings.simplefilter("ignore")
    print("targets                  scores      truth plug-in estimate low high")
    for (name, (m, draw)), (scale, of) in product(TARGETS.items(), SCALES.items()):
        rows = []
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            y = np.arange(N) < m
            s = of(np.append(draw(rng, m), rng.normal(size=N - m)))
            truth = average_precision(y, s)
            kept = y | (rng.random(N) < KEPT)
            given = {"negatives_kept": KEPT, "n_resamples": 300, "random_state": seed}
            found = deployment_estimate(y[kept], s[kept], **given)
            (low, high), (least, best) = found.confidence_interval(), found.bounds
            holds = low <= truth <= high, least <= truth <= best
            values = truth, found.plug_in, found.estimate, least, best
            rows.append([*values, *holds])
        *values, covered, bounded = np.mean(rows, axis=0)
        said = " ".join(f"{value:.3f}" for value in values)
        print(
            f"{name:24} {scale:11} {said} interval {covered:.2f} bounds {bounded:.2f}"
            f" {found.scale}",
            flush=True,
        )


if __name__ == "__main__":
    main()
