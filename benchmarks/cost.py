"""Cost of what people do daily, in calls of scikit-learn's average precision.

A call is one ``average_precision_score`` of labels and scores of the same sizes; other
units are named. Operation and call take turns, and the shortest times of the process
are compared, so that other processes matter little. The slope says how the time grows:
with twice the items (or groups, strata, rankings, days) it is 2 ** slope times as long.

    python benchmarks/cost.py                          all operations
    python benchmarks/cost.py weights pairs            operations with such a word
    python benchmarks/cost.py --save before.json       keep what was measured
    python benchmarks/cost.py --before before.json     print it beside the new numbers
    python benchmarks/cost.py --table                  rows of the table of the guide
"""

import argparse
import functools
import gc
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score
from timing import make_list, print_head

import skrank

Call = Callable[[], Any]
SHORT = 1.0  # seconds that short operations are repeated for
OPERATIONS: dict[str, "Operation"] = {}


@dataclass(frozen=True)
class Operation:
    """Makes calls of an operation, and of its unit, from a size."""

    make: Callable[[int], tuple[Call, Call]]
    sizes: tuple[int, ...]
    of: str
    unit: str


def operation(name, *sizes, of="items", unit="AP of scikit-learn"):
    """Add an operation to the table."""

    def add(make):
        OPERATIONS[name] = Operation(make, sizes, of, unit)
        return make

    return add


def cpu(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def measured(call, unit):
    """Shortest CPU time of a call and of its unit, which take turns."""
    first = cpu(call)
    times, units = [first], [cpu(unit), cpu(unit)]
    gc.collect()
    gc.disable()
    while sum(times) < SHORT and len(times) < 50:
        times.append(cpu(call))
        units.append(cpu(unit))
    gc.enable()
    return min(times), min(units)


def sklearn_ap(y, score):
    return functools.partial(average_precision_score, y, score)


def few_scores(n):
    """One target among a hundred, and six scores, of which 90 % are 0."""
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.01
    return y, rng.binomial(5, np.where(y, 0.3, 0.02)) / 5


def models(n, m, k):
    """Scores of k models, which have three quarters of their variance in common."""
    rng = np.random.default_rng(0)
    y = np.arange(n) < m
    common = rng.normal(1.5 * y)
    scores = {f"model {i}": common + rng.normal(scale=0.6, size=n) for i in range(k)}
    return y, scores


@operation("recall at 1 %, six scores", 10_000, 100_000, 1_000_000, unit="AP of skrank")
def recall_of_few_scores(n):
    y, score = few_scores(n)
    call = functools.partial(skrank.recall_at_t, y, score, t=0.01)
    return call, functools.partial(skrank.average_precision, y, score)


@operation("AP@100, six scores", 10_000, 100_000, 1_000_000, unit="AP of skrank")
def top_ap_of_few_scores(n):
    y, score = few_scores(n)
    call = functools.partial(skrank.average_precision_at_k, y, score, k=100)
    return call, functools.partial(skrank.average_precision, y, score)


@operation("interval of AP with weights", 10_000, 100_000, 1_000_000)
def interval_with_weights(n):
    y, score = make_list(n, max(50, n // 2000))
    weight = np.random.default_rng(1).random(n) + 0.5
    ask = skrank.MetricInterval().from_predictions
    return functools.partial(ask, y, score, sample_weight=weight), sklearn_ap(y, score)


@operation("all pairs of 8 rankings", 10_000, 100_000)
def pairs_of_eight(n):
    y, scores = models(n, 50, 8)
    ask = skrank.RankingComparison()

    def call():
        ask.compare_all(skrank.Rankings.from_predictions(y, scores))

    return call, sklearn_ap(y, scores["model 0"])


@operation("all pairs of rankings of 10,000 items", 4, 8, 12, of="rankings")
def pairs_of_twelve(k):
    y, scores = models(10_000, 50, k)
    ask = skrank.RankingComparison()

    def call():
        ask.compare_all(skrank.Rankings.from_predictions(y, scores))

    return call, sklearn_ap(y, scores["model 0"])


@operation("report of one ranking", 10_000, 100_000, 1_000_000)
def report(n):
    y, score = make_list(n, 200)
    ask = skrank.RankingReport().from_predictions
    return functools.partial(ask, y, score), sklearn_ap(y, score)


@operation("page of such a report", 10_000, 100_000, 1_000_000)
def page(n):
    y, score = make_list(n, 200)
    ask = skrank.RankingReport().from_predictions

    def write():
        with tempfile.TemporaryDirectory() as folder:
            ask(y, score).to_html(Path(folder) / "page.html")

    return write, sklearn_ap(y, score)


@operation("report by AP, BEDROC and KS, 10,000 items", 3, 6, 12, of="rankings")
def report_of_twelve(k):
    y, scores = models(10_000, 200, k)
    ask = skrank.RankingReport(metrics=["average_precision", "bedroc", "ks"])
    call = functools.partial(ask.from_predictions, y, scores)
    return call, sklearn_ap(y, scores["model 0"])


def sampled(n, n_strata, share):
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.02
    score = rng.normal(2.0 * y)
    strata = np.argsort(np.argsort(-score)) * n_strata // n
    label = np.where(rng.random(n) < share, y, np.nan)
    ask = skrank.SampledMetricInterval().from_predictions
    return functools.partial(ask, label, score, strata=strata), sklearn_ap(y, score)


@operation("interval of a sample of labels, 20,000 items", 30, 120, of="strata")
def interval_of_strata(n_strata):
    return sampled(20_000, n_strata, 0.3)


@operation("interval of 2,000 labels", 100_000, 1_000_000)
def interval_of_labels(n):
    y = np.arange(n) < n // 100
    score = np.random.default_rng(0).normal(2.0 * y)
    plan = skrank.labels_to_collect(score, 2000)
    label, strata = np.where(plan["to_label"], y, np.nan), plan["stratum"].to_numpy()
    ask = skrank.SampledMetricInterval().from_predictions
    return functools.partial(ask, label, score, strata=strata), sklearn_ap(y, score)


@operation("comparison of two models by 2,000 labels", 100_000, 1_000_000)
def comparison_by_labels(n):
    y, scores = models(n, n // 100, 2)
    plan = skrank.labels_to_collect(scores, 2000)
    label, strata = np.where(plan["to_label"], y, np.nan), plan["stratum"].to_numpy()
    ask = skrank.RankingComparison().from_predictions
    call = functools.partial(ask, label, scores, strata=strata)
    return call, sklearn_ap(y, scores["model 0"])


@operation("band of a sample of labels, 20,000 items", 40, 154, of="strata")
def band_of_strata(n_strata):
    call, unit = sampled(20_000, n_strata, 0.3)
    result = call()
    return lambda: result.hit_curve_band(), unit


@operation("monitor by AP of days of 500 items", 100, 1000, of="days")
def monitor(n_days):
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(n_days), 500)
    y = np.tile(np.arange(500) < 5, n_days)
    score = rng.normal(1.0 * y)
    ask = skrank.RankingMonitor("average_precision").from_predictions
    return functools.partial(ask, y, score, groups=day), sklearn_ap(y, score)


@operation("number of targets of a comparison, for a power", 10_000)
def targets_for_power(n):
    def ask():
        skrank.comparison_power(
            prevalence=0.01, value=0.3, difference=0.05, power=0.8, correlation=0.6
        )

    return ask, sklearn_ap(*make_list(n, 100))


@operation("KS by group of ten", 10_000, 100_000, of="groups", unit="AP by group")
def ks_by_group(n_groups):
    rng = np.random.default_rng(0)
    group, y = np.repeat(np.arange(n_groups), 10), np.tile(np.arange(10) < 2, n_groups)
    score = rng.normal(1.0 * y)
    call = functools.partial(skrank.ks_statistic, y, score, groups=group)
    return call, functools.partial(skrank.average_precision, y, score, groups=group)


@operation("AP with labels as texts", 100_000, 1_000_000, unit="AP of integers")
def text_labels(n):
    y, score = make_list(n, n // 100)
    text = np.where(y == 1, "yes", "no").astype(object)
    call = functools.partial(skrank.average_precision, text, score, pos_label="yes")
    return call, functools.partial(skrank.average_precision, y, score)


@operation("AP with categorical labels", 100_000, 1_000_000, unit="AP of integers")
def categorical_labels(n):
    y, score = make_list(n, n // 100)
    text = pd.Series(np.where(y == 1, "yes", "no"), dtype="category")
    call = functools.partial(skrank.average_precision, text, score, pos_label="yes")
    return call, functools.partial(skrank.average_precision, y, score)


def by_group(n, dtype):
    y, score = make_list(n, n // 10)
    group = np.arange(n) // 1000
    other = pd.Series(group.astype(str), dtype=dtype)
    ask = functools.partial(skrank.average_precision, y, score)
    return functools.partial(ask, groups=other), functools.partial(ask, groups=group)


@operation("AP with groups as texts", 100_000, 1_000_000, unit="AP of integers")
def text_groups(n):
    return by_group(n, object)


@operation("AP with categorical groups", 100_000, 1_000_000, unit="AP of integers")
def categorical_groups(n):
    return by_group(n, "category")


@operation("AP of ten chunks of dask", 100_000, 1_000_000, unit="AP of skrank")
def chunks_of_dask(n):
    import dask.array as da

    y, score = make_list(n, n // 100)
    chunks = [da.from_array(one, chunks=n // 10) for one in (y, score)]
    call = functools.partial(skrank.average_precision, *chunks)
    return call, functools.partial(skrank.average_precision, y, score)


@operation("test of groups of 1,000 items, 21 scores", 100, 1000, of="groups")
def test_of_groups(n_groups):
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(n_groups), 1000)
    y = rng.random(group.size) < 0.02
    score = rng.binomial(20, np.where(y, 0.2, 0.1))
    ask = skrank.RandomSelectionTest().from_predictions
    return functools.partial(ask, y, score, groups=group), sklearn_ap(y, score)


@operation("test of 20 targets, 90 % of the scores are 0", 1_000, 10_000)
def test_of_zeros(n):
    rng = np.random.default_rng(0)
    y = np.arange(n) < 20
    score = np.where(rng.random(n) < 0.9, 0, rng.random(n)) + 0.3 * y * rng.random(n)
    ask = skrank.RandomSelectionTest().from_predictions
    return functools.partial(ask, y, score), sklearn_ap(y, score)


@operation("test against random selection", 10_000, 100_000, 1_000_000)
def test(n):
    y, score = make_list(n, max(100, n // 1000))
    ask = skrank.RandomSelectionTest().from_predictions
    return functools.partial(ask, y, score), sklearn_ap(y, score)


@operation("table of a test by group of 20 items", 300, 2646, of="groups")
def table_of_groups(n_groups):
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(n_groups), 20)
    y = rng.random(group.size) < 0.1
    y[::20] = True
    score = rng.normal(1.0 * y)
    ask = skrank.RandomSelectionTest().from_predictions
    # the rows are computed once by each result
    return lambda: ask(y, score, groups=group).to_frame(), sklearn_ap(y, score)


def memory_of_test(n=1_000_000):
    """Bytes for an item that a test allocates in addition to its input."""
    y, score = make_list(n, n // 1000)
    ask = skrank.RandomSelectionTest().from_predictions
    ask(y[:1000], score[:1000])
    tracemalloc.start()
    ask(y, score)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / n


def command_of_csv(n=5_000_000):
    """Seconds and MB that the command needs for a csv of so many rows."""
    y, score = make_list(n, n // 1000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        table = pd.DataFrame({"target": y, "score": np.round(score, 12)})
        table.to_csv(path, index=False)
        size = path.stat().st_size / 1e6
        del table, y, score
        command = [sys.executable, "-m", "skrank", "report", str(path)]
        command += ["--target", "target", "--score", "score"]
        script = (
            "import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
            "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
            "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, *command],
            check=True,
            capture_output=True,
            text=True,
        )
    seconds, most = map(float, done.stdout.split())
    return size, seconds, most


def import_time(rounds=7):
    """Time of the import of skrank, as a ratio to that of sklearn.metrics."""
    code = (
        "import time; start = time.process_time(); import {}; "
        "print(time.process_time() - start)"
    )
    times = {"skrank": [], "sklearn.metrics": []}
    # compiled once, as installed packages are
    given = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(rounds):
        for name, spent in times.items():
            command = [sys.executable, "-c", code.format(name)]
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, env=given
            )
            spent.append(float(done.stdout))
    return min(times["skrank"]) / min(times["sklearn.metrics"])


OTHERS = {
    "memory of a test, bytes for each of a million items": memory_of_test,
    "command, csv of 5 million rows: MB, seconds, MB of memory": command_of_csv,
    "import, as a ratio to sklearn.metrics": import_time,
}


def costs(operation, longest):
    """Calls and seconds of an operation by size, but for sizes that take longer."""
    found, expected = {}, 0.0
    for size, larger in zip(operation.sizes, [*operation.sizes[1:], 0], strict=True):
        if expected > longest:
            break
        spent, unit = measured(*operation.make(size))
        expected = spent * larger / size
        found[size] = spent / unit, spent
    return found


def slope(found):
    """Exponent by which the time grows from the smallest to the largest size."""
    small, large = min(found), max(found)
    if small == large:
        return math.nan
    return math.log(found[large][1] / found[small][1]) / math.log(large / small)


def print_costs(name, operation, found, before):
    print(f"{name} (1 = {operation.unit})")
    for size, (calls, seconds) in found.items():
        old = before.get(str(size))
        print(
            f"{size:>11,} {operation.of:<9}{calls:>10,.2f} calls {seconds:>9.4f} s"
            + (f"   before: {old[0]:>10,.2f} calls {old[1]:>9.4f} s" if old else "")
        )
    print(f"{'slope':>21}{slope(found):>11.2f}", flush=True)


def print_row(name, operation, found):
    """Print a row of the table of the guide: the calls at each size, and the slope."""
    sizes = " / ".join(f"{size:,}" for size in found)
    calls = " / ".join(
        f"{calls:,.0f}" if calls >= 10 else f"{calls:.2g}"
        for calls, _ in found.values()
    )
    unit = operation.unit.removesuffix(" of scikit-learn")
    row = name, f"{sizes} {operation.of}", calls, unit, f"{slope(found):.1f}"
    print("   " + ", ".join(f'"{cell}"' for cell in row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--longest", type=float, default=60, help="seconds of a call")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    before = json.loads(asked.before.read_text()) if asked.before else {}
    saved = {}

    def is_asked(name):
        return not asked.words or any(word in name for word in asked.words)

    print_head()
    for name, one in OPERATIONS.items():
        if is_asked(name):
            saved[name] = costs(one, asked.longest)
            if asked.table:
                print_row(name, one, saved[name])
            else:
                print_costs(name, one, saved[name], before.get(name, {}))
    for name, measure in OTHERS.items():
        if is_asked(name):
            saved[name] = measure()
            print(f"{name}: {saved[name]}, before: {before.get(name)}", flush=True)
    if asked.save:
        asked.save.write_text(json.dumps(saved, indent=1))


if __name__ == "__main__":
    main()
