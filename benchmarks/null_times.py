"""Times of p-values and quantiles: two tables, on one thread.

The first has rankings of fixed shapes, in seconds and in calls of scikit-learn's
``average_precision_score`` for a ranking of this shape in the same run. The second, by
``--shapes number [seed]``, has the quantiles of the time of one p-value for random
shapes, metrics and ties, the slowest of them, those without an answer, and memory.

    python benchmarks/null_times.py
    python benchmarks/null_times.py --shapes 300 0 --largest 1000000
"""

import argparse
import resource
import signal
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from judged_distributions import RULES, tied_sizes, whole_sizes
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from skrank import RandomSelectionNull, make_metric

FIXED = [  # items, targets, distinct scores (0: no ties), is a quantile asked for?
    (1000, 20, 0, True),
    (1000, 100, 0, False),
    (14_906, 304, 0, True),
    (100_000, 300, 0, False),
    (100_000, 300, 21, False),
    (100_000, 300, 6, False),
    (1_000_000, 1000, 0, False),
    (1_000_000, 10_000, 0, False),
    (10_000_000, 1000, 0, False),
]
DEVIATIONS = (3, 20)  # above the mean
LIMIT = 60  # seconds of one call
TIES = ("untied", "neighbours", "geometric ties", "lognormal ties")
TIES += ("tie on top", "tie in the middle")
VALUES = ("typical", "good", "near perfect", "left")
METRICS = (
    *("average_precision",) * 3,
    *("average_precision@{cut}", "average_precision@{cut}(normalize=hits)"),
    *("recall@{cut}", "precision@{cut}", "enrichment_factor@{cut}", "r_precision"),
    *("reciprocal_rank", "rie(alpha={alpha})", "bedroc(alpha={alpha})"),
)


class OutOfTimeError(BaseException):
    """Not an Exception, so that nothing catches it on its way."""


@contextmanager
def limited():
    """Raise an error where a call takes too long."""

    def stop(*_):
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def seconds(function, *args):
    """Median time of three calls; inf if one takes too long."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        try:
            with limited():
                function(*args)
        except OutOfTimeError:
            return np.inf
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def fixed_shapes():
    """Print the first table; each call has a new distribution, which knows nothing."""
    print("seconds of one tail at z, and in calls of average_precision_score (AP)")
    tails = "".join(f"{f'z = {z}':>10} {'calls':>6}" for z in DEVIATIONS)
    print(f"{'items':>9} {'targets':>7} {'scores':>6} {'AP':>8}{tails}  isf(0.01)")
    rng = np.random.default_rng(0)
    for n, m, distinct, quantile in FIXED:
        # the lowest score has 200 times as many items as the highest
        weights = 200 ** np.linspace(0, 1, distinct) if distinct else np.ones(n)
        sizes = whole_sizes(weights, n) if distinct else None
        groups = np.repeat(np.arange(distinct), sizes) if distinct else np.arange(n)
        labels, score = np.arange(n) < m, -rng.permutation(groups).astype(float)
        call = seconds(average_precision_score, labels, score)

        def ask(method, value, n=n, m=m, sizes=sizes):
            getattr(RandomSelectionNull(n, m, tie_sizes=sizes), method)(value)

        null = RandomSelectionNull(n, m, tie_sizes=sizes)
        values = null.mean() + np.array(DEVIATIONS) * null.std()
        spent = [seconds(ask, "tail", value) for value in values]
        row = "".join(f"{tail:>10.3f} {tail / call:>6.0f}" for tail in spent)
        if quantile:
            row += f"  {seconds(ask, 'isf', 0.01) / spent[0]:.1f} tails at z = 3"
        print(f"{n:>9} {m:>7} {distinct or 'all':>6} {call:>8.4f}{row}", flush=True)


def draw_hits(kind, n, m, rng):
    """Draw which items are targets: anywhere, near the top, nearly perfect, low."""
    slope = {"typical": 0, "good": 1, "near perfect": 0, "left": -1}[kind]
    slope *= np.exp(rng.uniform(np.log(0.5), np.log(8)))
    order = np.argsort(rng.exponential(size=n) * np.exp(slope * np.arange(n) / n))
    if kind == "near perfect":  # up to three are missing from the top
        missing = np.arange(m - min(int(rng.integers(1, 4)), m, n - m), m)
        order = np.r_[np.delete(np.arange(m), missing), order[order >= m]]
    return np.isin(np.arange(n), order[:m])


class Answer(NamedTuple):
    """How long an answer took, how it was found, for what kind of value, and all."""

    seconds: float
    outcome: str
    kind: str
    text: str


def ask_at_random(seed, index, largest=100_000):
    """Draw a shape, a metric with its tie rule, and a value, and ask for its tail."""
    rng = np.random.default_rng([seed, index])
    n = round(np.exp(rng.uniform(np.log(20), np.log(largest))))
    share = rng.uniform(0.2, 0.9) if rng.random() < 0.3 else 0.2 * n ** -rng.random()
    m = min(max(round(share * n), 1), n - 1)
    sizes = tied_sizes(str(rng.choice(TIES)), n, rng)
    cut = max(1, round(n * 10 ** rng.uniform(-2.5, -0.3)))
    name = str(rng.choice(METRICS)).format(cut=cut, alpha=rng.choice([5, 20, 100]))
    ties, kind = str(rng.choice(RULES)), str(rng.choice(VALUES))
    scores = -np.repeat(np.arange(sizes.size), sizes)
    value = make_metric(name, ties)(draw_hits(kind, n, m, rng), scores)
    start = time.perf_counter()
    try:
        with limited(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            null = RandomSelectionNull(n, m, name, ties=ties, tie_sizes=sizes)
            side = "less" if kind == "left" else "greater"
            outcome = null.tail(value, alternative=side).method
            outcome += " with a warning" if caught else ""
    except (OutOfTimeError, ValueError, MemoryError) as error:
        outcome = repr(error)
    spent = time.perf_counter() - start
    text = (
        f"{spent:.2f} s, {outcome}: {kind} value {value:.6g} of {name}, {ties}, "
        f"{m} of {n} in {sizes.size} groups\n"
        f"    null_times.ask_at_random({seed}, {index}, {largest})"
    )
    return Answer(spent, outcome, kind, text)


def random_shapes(number, seed=0, largest=100_000):
    """Print the second table."""
    answers = [ask_at_random(seed, index, largest) for index in range(number)]
    print(f"{'seconds of a tail':<18} {'number':>6}    p50    p90    p99    max")
    for kind in ("all", *VALUES):
        spent = [one.seconds for one in answers if kind in ("all", one.kind)]
        row = np.quantile(spent, [0.5, 0.9, 0.99, 1]) if spent else []
        print(f"{kind:<18} {len(spent):>6}", *(f"{x:>6.2f}" for x in row))
    counts = Counter(one.outcome for one in answers).most_common()
    print("answered by " + ", ".join(f"{outcome} {x}" for outcome, x in counts))
    slowest = sorted(answers, key=lambda one: -one.seconds)[:5]
    refused = [one for one in answers if " " in one.outcome or "(" in one.outcome]
    print("\nslowest:", *(one.text for one in slowest), sep="\n")
    print("\nwith a warning, or no answer:", *(one.text for one in refused), sep="\n")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nmost memory of the process: {peak:.0f} MiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shapes", type=int, nargs="+", help="number, and a seed")
    parser.add_argument("--largest", type=int, default=100_000, help="most items")
    given = parser.parse_args()
    with threadpool_limits(1):
        if given.shapes:
            random_shapes(*given.shapes, largest=given.largest)
        else:
            fixed_shapes()
