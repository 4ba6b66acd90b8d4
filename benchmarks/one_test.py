"""Time of a random selection test, as ratios to scikit-learn's average precision.

A permutation is one shuffle of the labels and one call of ``average_precision_score``;
a p-value of 1e-4 requires 10,000 of them. Their median time is taken in the same run as
that of the test. Memory is the maximum that a test allocates in addition to its input.
"""

import sys
import time
import tracemalloc

import numpy as np
from sklearn.metrics import average_precision_score

from skrank import RandomSelectionNull, RandomSelectionTest

# items, targets, by how much the targets score higher, distinct scores (0: no ties)
CASES = [
    (1_000, 100, 0.25, 0),
    (14_906, 304, 1.2, 0),
    (100_000, 300, 1.0, 0),
    (100_000, 300, 1.0, 21),
    (1_000_000, 1_000, 0.35, 0),
    (10_000_000, 1_000, 0.35, 0),
    (1_000_000, 10_000, 0.35, 0),
    (1_000_000, 10_000, 2.5, 0),
]


def make_list(n, m, shift, distinct, rng):
    """Labels and scores; with few distinct scores, as of nearest neighbours."""
    y_true = np.zeros(n, dtype=np.uint8)
    y_true[rng.choice(n, m, replace=False)] = 1
    if distinct:
        chance = np.where(y_true, 0.08, 0.03)
        return y_true, rng.binomial(distinct - 1, chance).astype(float)
    return y_true, rng.normal(shift * y_true)


def seconds(function, *args, repeats=5):
    """Median time of some calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def permute_and_score(y_true, y_score, rng):
    return average_precision_score(rng.permutation(y_true), y_score)


def peak(function, *args):
    """MiB that a call allocates at most."""
    tracemalloc.start()
    function(*args)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 2**20


def tests(cases, rng):
    """Print what one test costs."""
    print("one test, method='auto': cost in calls of average_precision_score")
    print(
        f"{'items':>9} {'targets':>7} {'scores':>7} {'log10 p':>8}  {'by':<11}"
        f"{'calls':>7} {'10,000 permutations':>21} {'memory':>9}"
    )
    for n, m, shift, distinct in cases:
        y_true, y_score = make_list(n, m, shift, distinct, rng)
        repeats = 5 if n < 10**6 else 1
        call = seconds(average_precision_score, y_true, y_score, repeats=3 * repeats)
        shuffled = seconds(
            permute_and_score, y_true, y_score, rng, repeats=60 if n < 10**5 else 3
        )
        run = RandomSelectionTest().from_predictions
        spent = seconds(run, y_true, y_score, repeats=repeats)
        result = run(y_true, y_score)
        memory = peak(run, y_true, y_score)
        print(
            f"{n:>9} {m:>7} {distinct or 'all':>7} {result.log10_pvalue:>8.1f}  "
            f"{result.method:<11}{spent / call:>7.1f} "
            f"{1e4 * shuffled / spent:>15,.0f} times {memory:>5.0f} MiB",
            flush=True,
        )


def draws(rng):
    """Print how many rankings are drawn and measured, against scikit-learn's loop."""
    print("drawing lists and measuring them, against shuffling and scoring one by one")
    for n, m in ((1_000, 100), (14_906, 304), (100_000, 200)):
        y_true, y_score = make_list(n, m, 0, 0, rng)
        null, size = RandomSelectionNull(n, m), 30_000
        one = seconds(permute_and_score, y_true, y_score, rng, repeats=60)
        many = seconds(null.rvs, size, rng, repeats=5) / size
        print(f"{n:>9} {m:>7} {1 / many:>12,.0f} a second, {one / many:>7,.0f} times")


if __name__ == "__main__":
    cases = CASES[: int(sys.argv[1])] if len(sys.argv) > 1 else CASES
    generator = np.random.default_rng(0)
    tests(cases, generator)
    draws(generator)
