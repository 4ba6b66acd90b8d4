"""Time of resampling, as ratios to a loop over a function of scikit-learn.

The loop draws the items, or exchanges their ranks, and calls average_precision_score.
It runs a few times, and its time is scaled. Both take turns, and medians are compared.
The comparison by influences is measured in sorts of both score arrays.

    python benchmarks/resampling.py
"""

from statistics import median
from time import perf_counter

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

from skrank import MetricInterval, RankingComparison

ROUNDS = 5
N_RESAMPLES = 2000
LOOP = 20


def lists(n_samples, n_targets):
    rng = np.random.default_rng(0)
    y_true = np.arange(n_samples) < n_targets
    common = rng.normal(size=n_samples) + 2 * y_true
    noise = rng.normal(size=(2, n_samples))
    return y_true, common + 0.7 * noise[0], common + 0.7 * noise[1]


def seconds(function):
    start = perf_counter()
    function()
    return perf_counter() - start


def resampled(rng, y_true):
    targets, others = np.flatnonzero(y_true), np.flatnonzero(~y_true)
    return np.r_[rng.choice(targets, targets.size), rng.choice(others, others.size)]


def loop_bootstrap(y_true, *scores):
    rng = np.random.default_rng(0)
    for _ in range(LOOP):
        index = resampled(rng, y_true)
        for y_score in scores:
            average_precision_score(y_true[index], y_score[index])


def loop_swap(y_true, a, b):
    rng = np.random.default_rng(0)
    rank_a, rank_b = rankdata(a), rankdata(b)
    for _ in range(LOOP):
        swap = rng.random(y_true.size) < 0.5
        average_precision_score(y_true, np.where(swap, rank_b, rank_a))
        average_precision_score(y_true, np.where(swap, rank_a, rank_b))


def ratio(ours, loop):
    times = [(seconds(ours), seconds(loop)) for _ in range(ROUNDS)]
    own, other = (median(part) for part in zip(*times, strict=True))
    return own, other * N_RESAMPLES / LOOP / own


def main():
    settings = {"n_resamples": N_RESAMPLES, "random_state": 0}
    bootstrap = MetricInterval(method="bootstrap", **settings)
    paired = RankingComparison(method="bootstrap", **settings)
    swap = RankingComparison(method="permutation", **settings)
    print(f"{N_RESAMPLES} resamples of AP, times faster than a loop")
    for n_samples, n_targets in ((10_000, 100), (100_000, 200)):
        y_true, a, b = lists(n_samples, n_targets)
        work = {
            "bootstrap": (
                lambda y=y_true, a=a: bootstrap.from_predictions(y, a),
                lambda y=y_true, a=a: loop_bootstrap(y, a),
            ),
            "paired bootstrap": (
                lambda y=y_true, a=a, b=b: paired.from_predictions(y, {"A": a, "B": b}),
                lambda y=y_true, a=a, b=b: loop_bootstrap(y, a, b),
            ),
            "swap of ranks": (
                lambda y=y_true, a=a, b=b: swap.from_predictions(y, {"A": a, "B": b}),
                lambda y=y_true, a=a, b=b: loop_swap(y, a, b),
            ),
        }
        for name, (ours, loop) in work.items():
            own, times = ratio(ours, loop)
            print(f"({n_samples}, {n_targets}) {name:<17} {own:6.3f} s {times:7.0f}")
    y_true, a, b = lists(1_000_000, 1000)
    compare = RankingComparison()
    times = [
        (
            seconds(lambda: compare.from_predictions(y_true, {"A": a, "B": b})),
            seconds(lambda: (np.sort(a), np.sort(b))),
        )
        for _ in range(2 * ROUNDS)
    ]
    own, sorts = (median(part) for part in zip(*times, strict=True))
    print(f"(1000000, 1000) influences: {own:.3f} s, {own / sorts:.1f} value sorts")


if __name__ == "__main__":
    main()
