"""Type I error and coverage for clusters that recur over groups, such as machines.

Machines have 24 items on each of 10 days. Labels do not depend on the scores. A machine
has its own level of the scores and its own share of targets: the same on all days
("persistent"), or other ones each day ("redrawn"). For `groups=` alone, and with
`clusters=`, the table has the share of tests with p at most .05, the share of 95 %
intervals that contain the mean over the runs, and the share of comparisons of two such
scores with p at most .05.

    python benchmarks/clusters_over_groups.py [runs]
"""

import sys
import warnings

import numpy as np

from skrank import MetricInterval, RandomSelectionTest, RankingComparison

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
N_DAYS, N_HOURS = 10, 24


def draw(rng, n_machines, persistent):
    """Return labels, two scores, days and machines."""
    machine = np.tile(np.repeat(np.arange(n_machines), N_HOURS), N_DAYS)
    day = np.repeat(np.arange(N_DAYS), n_machines * N_HOURS)
    at = machine if persistent else day * n_machines + machine
    levels = rng.normal(size=(3, N_DAYS * n_machines))[:, at]
    share = np.minimum(0.05 * np.exp(levels[2]), 0.6)
    noise = 0.5 * rng.normal(size=(2, day.size))
    return rng.random(day.size) < share, *(levels[:2] + noise), day, machine


def main():
    """Print a row for each setting."""
    warnings.simplefilter("ignore")
    print("machines  effects     metric             tests  coverage  comparisons")
    for n_machines in (20, 60):
        for persistent in (True, False):
            for metric in ("precision@5", "average_precision"):
                rng, found = np.random.default_rng(1), []
                for seed in range(RUNS):
                    y, a, b, day, machine = draw(rng, n_machines, persistent)
                    for given in ({}, {"clusters": machine}):
                        given = {"groups": day, **given}
                        test = RandomSelectionTest(
                            metric, n_resamples=199, random_state=seed
                        ).from_predictions(y, a, **given)
                        interval = MetricInterval(metric).from_predictions(
                            y, a, **given
                        )
                        comparison = RankingComparison(metric).from_predictions(
                            y, {"A": a, "B": b}, **given
                        )
                        limits = interval.confidence_interval()
                        small = test.pvalue <= 0.05, test.pvalue < 1e-6
                        found.append(
                            (*small, *limits, interval.value, comparison.pvalue)
                        )
                table = np.array(found, dtype=float).reshape(RUNS, 2, 6)
                mean = table[:, :, 4].mean()
                inside = (table[:, :, 2] <= mean) & (mean <= table[:, :, 3])
                tests, tiny = table[:, :, 0].mean(axis=0), table[:, :, 1].mean(axis=0)
                compared = (table[:, :, 5] <= 0.05).mean(axis=0)
                effects = "persistent" if persistent else "redrawn"
                for i, what in enumerate(("groups", "both")):
                    print(
                        f"{n_machines:8d}  {effects:<10}  {metric:<17} {what:<6} "
                        f"{tests[i]:.3f} ({tiny[i]:.3f} below 1e-6)  "
                        f"{inside[:, i].mean():.3f}  {compared[i]:.3f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
