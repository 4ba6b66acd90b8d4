"""Coverage of the default interval of every metric that has a name, and of weighted AP.

Each run draws m targets and the non-targets for a prevalence of 2 % from four
populations of `coverage_of_intervals.py` with an AP of 0.1 or 0.4, and checks whether
the 95 % interval contains the mean of the metric over at least 500 samples. A row has
a metric and a number of targets, the lowest coverage of the populations, where it is,
the median and the highest. `--own` has the metrics of a user in tests/cases.py.

`--weights` has AP and recall in the top 10 % of 60 weighted targets, with normal
scores: of non-targets of which one in ten was kept, with the weight 10; and of items
that were sampled with a probability that increases with the score, weighted by its
inverse. The truth is the mean over whole lists with 60 targets.

    python benchmarks/coverage_of_every_metric.py --runs 200
    python benchmarks/coverage_of_every_metric.py --own
    python benchmarks/coverage_of_every_metric.py --runs 1000 --weights
"""

import argparse
import itertools
import sys
import warnings
from pathlib import Path

import numpy as np
from coverage_of_intervals import POPULATIONS, draw, find_shift

from skrank import MetricInterval, Ranking, Rankings, make_metric
from skrank.metrics._definitions import METRICS

SOME = ("binormal", "t2", "half", "neighbours")
# settings where there is no default; a cutoff is m or 10 %
SETTINGS = {
    "precision_at_recall": ("(0.5)", "(0.8)"),
    "k_at_recall": ("(0.5)", "(0.95)"),
    "recall_at_precision": ("(0.5)", "(0.2)"),
    "wss": ("(0.8)", "(0.95)"),
    "bedroc": ("(alpha=20)", "(alpha=160.9)"),
    "expected_profit": ("@0.1(benefit=10, cost=1)",),
    "average_precision": ("", "@0.02"),
}


def names():
    """Names of all metrics, with cutoffs and settings."""
    for name, kind in METRICS.items():
        for setting in SETTINGS.get(name, ("@0.1" if kind.cutoff else "",)):
            yield name + setting


def own_metrics():
    """Return the metrics of a user that the tests have."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from cases import OWN

    return [metric for metric, _ in OWN.values()]


def held(question, rankings, truth):
    """Share of the intervals of rankings that contain the truth."""
    limits = [
        question.from_rankings(Rankings.from_predictions(one)) for one in rankings
    ]
    limits = np.array([one.confidence_interval() for one in limits])
    return np.mean((limits[:, 0] <= truth) & (truth <= limits[:, 1]))


def every_metric(args):
    metrics = own_metrics() if args.own else list(map(make_metric, names()))
    found = {(metric, m): {} for metric in metrics for m in args.targets}
    for name, ap in itertools.product(SOME, (0.1, 0.4)):
        shift = find_shift(POPULATIONS[name], ap, 0.02)
        for m in args.targets if shift is not None else ():
            rng = np.random.default_rng(m)
            many = [
                Ranking.from_predictions(
                    *draw(rng, POPULATIONS[name], shift, m, 50 * m)
                )
                for _ in range(max(500, args.runs))
            ]
            for metric in metrics:
                truth = np.mean([metric(one) for one in many])
                question = MetricInterval(metric, n_resamples=300)
                share = held(question, many[: args.runs], truth)
                found[metric, m][f"{name}, {ap}"] = share
    for (metric, m), shares in found.items():
        worst, every = min(shares, key=shares.get), list(shares.values())
        print(
            f"{metric.name:<42} {m:>4} {min(every):.3f} ({worst}) "
            f"median {np.median(every):.3f} best {max(every):.3f}"
        )


def thinned(rng, m=60, n=60_000):
    """One in ten of the non-targets, with the weight 10."""
    y = np.arange(n // 10) < m
    return y, rng.normal(1.5 * y), np.where(y, 1, 10)


def by_score(rng, m=600, n=30_000):
    """Items sampled with probabilities that increase with the score."""
    y = np.arange(n) < m
    score = rng.normal(1.5 * y)
    chance = np.clip(np.exp(score - 2), 0.05, 1.0) / 7
    kept = rng.random(n) < chance
    return y[kept], score[kept], 1 / chance[kept]


def weighted(args):
    asked = make_metric("average_precision", ties="together"), make_metric("recall@0.1")
    for sample_of, prevalence in ((thinned, 0.001), (by_score, 0.02)):
        rng = np.random.default_rng(0)
        y = np.arange(60 / prevalence) < 60
        whole = [rng.normal(1.5 * y) for _ in range(300)]
        many = [
            Ranking.from_predictions(y, score, sample_weight=weight)
            for y, score, weight in (sample_of(rng) for _ in range(args.runs))
        ]
        for metric in asked:
            question = MetricInterval(metric, n_resamples=300)
            truth = np.mean([metric(y, score) for score in whole])
            share = held(question, many, truth)
            print(f"{sample_of.__name__:<9} {metric.name:<18} {share:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--targets", type=int, nargs="+", default=[12, 25, 50])
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--weights", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    (weighted if args.weights else every_metric)(args)


if __name__ == "__main__":
    main()
