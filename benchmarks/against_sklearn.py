"""Print how skrank's average precision compares with scikit-learn's, as ratios.

Calls alternate, and the medians of both are compared: machines are noisy, so absolute
times mean little. Memory is what a call allocates at most beyond its input.
"""

import time
import tracemalloc

import numpy as np
from sklearn.metrics import average_precision_score

from skrank import RandomSelectionTest, average_precision

CASES = [(1_000, 20), (10_000, 100), (100_000, 1_000), (1_000_000, 1_000)]


def make_list(n, m, dtype, rng):
    """Labels and scores of m targets among n items."""
    y_true = np.zeros(n, dtype=np.int64)
    y_true[rng.choice(n, m, replace=False)] = 1
    return y_true, rng.normal(y_true).astype(dtype)


def seconds(function, *args):
    """Time of one call."""
    start = time.perf_counter()
    function(*args)
    return time.perf_counter() - start


def ratio(slow, fast, args, repeats=9):
    """Median time of `slow` over that of `fast`, in alternating calls."""
    pairs = [(seconds(slow, *args), seconds(fast, *args)) for _ in range(repeats)]
    return np.divide(*np.median(pairs, axis=0))


def peak(function, *args):
    """Bytes that a call allocates at most."""
    function(*args)
    tracemalloc.start()
    function(*args)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def main():
    """Print the table."""
    rng = np.random.default_rng(0)
    print("average precision: times faster than scikit-learn, memory in score arrays")
    print(f"{'items':>10}{'targets':>9}{'scores':>9}{'faster':>9}{'memory':>9}")
    for n, m in CASES:
        for dtype in (np.float64, np.float32):
            args = make_list(n, m, dtype, rng)
            faster = ratio(average_precision_score, average_precision, args)
            memory = peak(average_precision, *args) / args[1].nbytes
            name = np.dtype(dtype).name
            print(f"{n:>10}{m:>9}{name:>9}{faster:>9.1f}{memory:>9.2f}")
    y_true, y_score = make_list(1000, 100, np.float64, rng)
    test = RandomSelectionTest()
    calls = seconds(test.from_predictions, y_true, y_score) / np.median(
        [seconds(average_precision_score, y_true, y_score) for _ in range(50)]
    )
    print(
        f"one test at (1000, 100) takes the time of {calls:.0f} calls of scikit-learn"
    )


if __name__ == "__main__":
    main()
