"""Intervals and tests of clusters of dependent items, by simulation.

Each run draws clusters of 10 items, such as images of patients. The scores are normal
and correlated within a cluster (intraclass correlation), and 15 % of the items are
targets, whose scores are shifted. Labels belong to the clusters (a patient is ill or
not), or vary within them. For 20, 50 and 200 clusters, with ``clusters`` and without:

- the share of the runs in which the 95 % interval of ``MetricInterval`` contains the
  mean of the metric over samples of as many clusters, by "jackknife" and by
  "bootstrap", and its median width;
- the share of the runs in which the p-value of ``RankingComparison`` is at most 0.05,
  for two equally good models, by "jackknife" and by "permutation";
- the same for ``RandomSelectionTest``, for a model without information.

With ``--bands`` only, for the same populations: the share of the runs in which
``hit_curve_band`` contains the curve of the population at all of 40 depths, the share
of the depths for the pointwise band, and the share of the runs in which
``hit_curve_band`` contains 0 for two equally good models.

With ``--sizes`` only the random selection test, for clusters of 2 to 40 items with one
label each: with sizes that are independent of the labels, and with twice as many items
in the clusters of targets; also with ``strata`` of small and large clusters.

    python benchmarks/coverage_of_clusters.py --runs 400
"""

import argparse
import warnings
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    hit_curve_band,
    make_metric,
)

METRICS, KINDS = ("average_precision", "recall@0.1"), ("cluster", "item")
CORRELATIONS, CLUSTERS = (0.0, 0.2, 0.5), (20, 50, 200)
SIZE, SHARE, SHIFT = 10, 0.15, 1.5


def noise(cluster, correlation, rng):
    """Standard normal numbers that correlate within clusters."""
    own = rng.standard_normal(cluster.size)
    shared = rng.standard_normal(cluster.max() + 1)[cluster]
    return np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared


def draw(kind, n_clusters, correlation, rng):
    """Labels, noise of two models, and clusters; both classes are there."""
    cluster = np.repeat(np.arange(n_clusters), SIZE)
    y = np.zeros(cluster.size, dtype=bool)
    while not 0 < y.sum() < y.size:
        y = noise(cluster, 1.0 if kind == "cluster" else 0.3, rng) > norm.isf(SHARE)
    return y, *(noise(cluster, correlation, rng) for _ in range(2)), cluster


def run(name, kind, n_clusters, correlation, truth, seed):
    """Whether each interval covers, its width, and whether each test rejects."""
    warnings.simplefilter("ignore")
    y, a, b, cluster = draw(kind, n_clusters, correlation, np.random.default_rng(seed))
    data, given = (y, a + SHIFT * y), {"clusters": cluster}
    drawn = {"n_resamples": 400, "random_state": seed}
    found = [
        MetricInterval(name, method="jackknife").from_predictions(*data, **given),
        MetricInterval(name, method="bootstrap", **drawn).from_predictions(
            *data, **given
        ),
        MetricInterval(name).from_predictions(*data),
    ]
    limits = [one.confidence_interval() for one in found]
    unknown = [np.nan if np.isnan(low) else 1.0 for low, _ in limits]
    covers = [low <= truth <= high for low, high in limits]
    pair = y, {"A": data[1], "B": b + SHIFT * y}
    swaps = RankingComparison(name, method="permutation", **drawn)
    chance = RandomSelectionTest(name, **drawn)
    tests = [
        RankingComparison(name).from_predictions(*pair, **given),
        swaps.from_predictions(*pair, **given),
        RankingComparison(name).from_predictions(*pair),
        chance.from_predictions(y, a, **given),
        chance.from_predictions(y, a),
    ]
    return [
        *np.multiply(covers, unknown),
        *(high - low for low, high in limits),
        *(one.pvalue <= 0.05 for one in tests),
    ]


def run_bands(kind, n_clusters, correlation, seed):
    """What bands hold: all depths, the share of depths, no difference; also without."""
    y, a, b, cluster = draw(kind, n_clusters, correlation, np.random.default_rng(seed))
    n, m = y.size, int(y.sum())
    depths = np.unique(np.geomspace(max(5, n // 100), n - 1, 40).astype(int))
    cutoffs = np.linspace(-8, 12, 4001)
    of_targets = m * norm.sf(cutoffs - SHIFT)
    above = of_targets + (n - m) * norm.sf(cutoffs)
    truth = np.interp(depths, above[::-1], of_targets[::-1])
    held, settings = [], {"t": depths.tolist(), "random_state": seed}
    for given in ({"clusters": cluster}, {}):
        given |= settings
        try:
            bands = [
                hit_curve_band(y, a + SHIFT * y, **given),
                hit_curve_band(y, a + SHIFT * y, simultaneous=False, **given),
            ]
        except ValueError:  # a single cluster holds all targets
            held += [np.nan] * 3
            continue
        inside = [(band.low <= truth) & (truth <= band.high) for band in bands]
        band = hit_curve_band(y, {"A": a + SHIFT * y, "B": b + SHIFT * y}, **given)
        same = np.all((band.low <= 1e-9) & (band.high >= -1e-9))
        held += [inside[0].all(), inside[1].mean(), same]
    return held


def run_sizes(related, n_clusters, correlation, seed):
    """Whether the test rejects a model that knows nothing, with clusters of any size.

    Without clusters, with them, and with them within strata by size.
    """
    rng = np.random.default_rng(seed)
    ill = np.zeros(n_clusters, dtype=bool)
    while not 0 < ill.sum() < n_clusters:
        ill = rng.random(n_clusters) < SHARE
    size = rng.integers(2, 21, n_clusters) * (2 if not related else 1 + ill)
    cluster = np.repeat(np.arange(n_clusters), size)
    y, score = ill[cluster], noise(cluster, correlation, rng)
    strata = (size > np.median(size))[cluster]
    test = RandomSelectionTest(n_resamples=400, random_state=seed)
    rejected = []
    for given in ({}, {"clusters": cluster}, {"clusters": cluster, "strata": strata}):
        try:
            p = test.from_predictions(y, score, **given).pvalue
        except ValueError:  # all targets are in one stratum, and nothing else
            p = np.nan
        rejected.append(np.nan if np.isnan(p) else p <= 0.05)
    return rejected


def main():
    """Print a row for each population."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--bands", action="store_true")
    asked = parser.parse_args()
    jobs = Parallel(n_jobs=2)
    if asked.sizes:
        print("sizes      icc  clusters | size: without  clusters  and strata")
        for related, icc, n in product((False, True), CORRELATIONS, CLUSTERS):
            tasks = (delayed(run_sizes)(related, n, icc, i) for i in range(asked.runs))
            size = np.nanmean(np.array(jobs(tasks), dtype=float), axis=0)
            name = "related" if related else "unrelated"
            print(f"{name:9} {icc:4} {n:9} | " + "  ".join(f"{x:.3f}" for x in size))
        return
    if asked.bands:
        print(
            "labels   icc  clusters | all depths, each, difference | without clusters"
        )
        for kind, icc, n in product(KINDS, CORRELATIONS, CLUSTERS):
            tasks = (delayed(run_bands)(kind, n, icc, i) for i in range(asked.runs))
            held = np.nanmean(np.array(jobs(tasks), dtype=float), axis=0)
            said = "  ".join(f"{x:.3f}" for x in held)
            print(f"{kind:7} {icc:4} {n:9} | {said}", flush=True)
        return
    print(
        "metric             labels   icc  clusters  truth | covered: jackknife  "
        "bootstrap  without | size of comparison: jackknife permutation without | "
        "size of test: clusters without"
    )
    for name, kind, icc, n in product(METRICS, KINDS, CORRELATIONS, CLUSTERS):
        metric, rng = make_metric(name), np.random.default_rng(0)
        samples = (draw(kind, n, icc, rng) for _ in range(4000))
        truth = np.mean([metric(y, a + SHIFT * y) for y, a, *_ in samples])
        tasks = (delayed(run)(name, kind, n, icc, truth, i) for i in range(asked.runs))
        found = np.array(jobs(tasks), dtype=float)
        covered, widths = np.nanmean(found[:, :3], axis=0), np.nanmedian(found, axis=0)
        said = "  ".join(
            f"{c:.3f} ({w:.2f})" for c, w in zip(covered, widths[3:6], strict=True)
        )
        size = [f"{x:.3f}" for x in found[:, 6:].mean(axis=0)]
        print(
            f"{name:18} {kind:7} {icc:4} {n:9}  {truth:.3f} | {said} | "
            f"{' '.join(size[:3])} | {' '.join(size[3:])}",
            flush=True,
        )


if __name__ == "__main__":
    main()
