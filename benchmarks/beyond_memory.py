"""Time and memory of rankings of up to a hundred million scores in a file.

The first table has the average precision of one long ranking: by `RankCounts` from
memory-mapped files, by scikit-learn from arrays in memory, and by polars and duckdb
from a Parquet file. Each runs in its own process. "anonymous" is the memory that it
takes in addition to its modules, without the pages of mapped files, which the system
frees when it needs them; "resident" is the maximum of all memory.

The second table has several metrics and tests for rankings of increasing length.
"passes" is the time in read passes, `y_score.max()` and `np.isfinite(y_score).all()`.
The times of scikit-learn beyond the longest ranking that it is given are extrapolated
as n log n, and marked by ~.

    python benchmarks/beyond_memory.py            # takes a quarter of an hour, 8 GiB
    python benchmarks/beyond_memory.py --largest 10000000
    python benchmarks/beyond_memory.py --all      # scikit-learn for all lengths
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score
from timing import (
    make_list,
    peak_bytes,
    print_head,
    read_pass,
    seconds,
    status_bytes,
    take_turns,
)

import skrank

N_LARGE, N_TARGETS = 10**8, 10_000
LONGEST_SKLEARN = 10**7
PREVALENCES = (1e-4, 1e-3, 2e-2)
LONG = 10  # seconds; calls that take longer are not repeated
MIB = 2**20
CHUNK = 10**6
TIES = "together"  # the rule that all of them have


def write_list(folder, n, m):
    """Write the ranking in chunks, as arrays and, if there is pyarrow, as Parquet."""
    rng = np.random.default_rng(0)
    targets = np.sort(rng.choice(n, m, replace=False, shuffle=False))
    columns = {
        "y": np.lib.format.open_memmap(folder / "y.npy", "w+", np.uint8, (n,)),
        "s": np.lib.format.open_memmap(folder / "s.npy", "w+", np.float32, (n,)),
    }
    for start in range(0, n, CHUNK):
        y = columns["y"][start : start + CHUNK]
        first, last = np.searchsorted(targets, [start, start + y.size])
        y[targets[first:last] - start] = 1
        scores = rng.standard_normal(y.size, dtype=np.float32)
        columns["s"][start : start + CHUNK] = scores + y
    if find_spec("pyarrow"):
        _write_parquet(folder / "list.parquet", columns)


def _write_parquet(path, columns):
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("y", pa.uint8()), ("s", pa.float32())])
    with pq.ParquetWriter(path, schema, compression="none") as writer:
        for start in range(0, columns["y"].size, CHUNK):
            piece = slice(start, start + CHUNK)
            parts = {name: column[piece] for name, column in columns.items()}
            writer.write_table(pa.table(parts, schema=schema))


def by_skrank(folder):
    """Count in two passes over the files."""
    y_true, y_score = (np.load(folder / f"{part}.npy", mmap_mode="r") for part in "ys")
    counts = skrank.RankCounts.from_predictions(y_true, y_score)
    return skrank.average_precision(counts, ties=TIES)


def by_sklearn(folder):
    """Sort in memory."""
    return average_precision_score(*(np.load(folder / f"{part}.npy") for part in "ys"))


def by_polars(folder):
    """Sort the scores alone, and find the targets' among them."""
    import polars as pl

    rows = pl.scan_parquet(folder / "list.parquet")
    levels = rows.filter(pl.col("y") == 1).group_by("s").len().sort("s")
    levels = levels.collect(engine="streaming")
    below = pl.col("s").sort().search_sorted(pl.lit(levels["s"]), side="left")
    found = rows.select(pl.len().alias("n"), below=below.implode())
    found = found.collect(engine="streaming")
    retrieved = found["n"][0] - found["below"][0].to_numpy().astype(np.int64)
    hits = levels["len"].to_numpy().astype(np.int64)
    return float(np.sum(hits * np.cumsum(hits[::-1])[::-1] / retrieved) / hits.sum())


def by_duckdb(folder):
    """Give each item the best target below it, count, and add up from the top."""
    import duckdb

    query = f"""
        with items as (from '{folder / "list.parquet"}'),
        levels as (select s, count(*) as d from items where y = 1 group by s),
        placed as (
            select levels.s, any_value(levels.d) as d, count(*) as size
            from items asof join levels on items.s >= levels.s group by levels.s
        ),
        reached as (
            select d, sum(d) over best as hits, sum(size) over best as retrieved
            from placed window best as (order by s desc)
        )
        select sum(d * hits / retrieved) / sum(d) from reached
    """
    with duckdb.connect(config={"temp_directory": str(folder / "duckdb")}) as base:
        return float(base.execute(query).fetchall()[0][0])


LARGE = {
    "skrank": by_skrank,
    "sklearn": by_sklearn,
    "polars": by_polars,
    "duckdb": by_duckdb,
}
GROWTH = {
    "average_precision": skrank.average_precision,
    "precision_at_t": partial(skrank.precision_at_t, t=1000),
    "hit_curve": skrank.hit_curve,
    "RankCounts": lambda *both: skrank.RankCounts.from_predictions(*both),
    "RandomSelectionTest": skrank.RandomSelectionTest().from_predictions,
    "sklearn": average_precision_score,
}


def answer_large(name, folder):
    """One contestant, in a process that does nothing else; ready, and then timed."""
    __import__({"skrank": "numpy"}.get(name, name))
    before = status_bytes("RssAnon")
    start = time.perf_counter()
    value = LARGE[name](Path(folder))
    spent = time.perf_counter() - start
    found = {"value": value, "seconds": spent, "before": before}
    print(json.dumps({**found, "resident": peak_bytes()}))


def answer_growth(name, folder):
    """One question of one list: time in read passes, and memory beyond the ranking."""
    y_true, y_score = (np.load(Path(folder) / f"{part}.npy") for part in "ys")
    ask = GROWTH[name]
    ask(*make_list(1000, 20))
    before = status_bytes("VmRSS")
    once = seconds(lambda: ask(y_true, y_score))
    memory = max(0, peak_bytes() - before)
    times = {"own": once, "read": seconds(lambda: read_pass(y_score))}
    if once < LONG:
        times = take_turns(
            {"own": lambda: ask(y_true, y_score), "read": lambda: read_pass(y_score)},
            budget=1,
        )
    print(json.dumps({"passes": times["own"] / times["read"], "memory": memory}))


def run(how, name, folder, limit):
    """Ask in a fresh process and watch its memory; None if it takes too long."""
    command = [sys.executable, __file__, f"--{how}", name, str(folder)]
    start, most = time.perf_counter(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            most = max(most, _anonymous(process.pid))
            time.sleep(0.005)
            if time.perf_counter() - start > limit:
                process.kill()
                return None
        output = process.stdout.read()
    if process.returncode:
        return None
    found = json.loads(output)
    return {**found, "anonymous": most - found.get("before", 0)}


def _anonymous(process_id):
    """Memory of its own that a process has now."""
    try:
        return status_bytes("RssAnon", process_id)
    except (OSError, RuntimeError):  # it has just ended
        return 0


def print_large(n, limit):
    """Print how long a ranking in a file takes."""
    m = min(N_TARGETS, n // 1000)
    print(f"average precision of {n} items, {m} targets, from files; float32 and uint8")
    print(f"{'':<9}{'seconds':>9}{'times':>8}{'anonymous':>14}{'resident':>13}")
    known = [name for name in LARGE if name == "skrank" or find_spec(name)]
    with tempfile.TemporaryDirectory() as folder:
        write_list(Path(folder), n, m)
        found = {name: run("large", name, folder, limit) for name in known}
    own = found["skrank"]
    for name, one in found.items():
        if one is None:
            print(f"{name:<9} did not end well within {limit} s")
            continue
        assert math.isclose(one["value"], own["value"], rel_tol=1e-6), (name, one, own)
        print(
            f"{name:<9}{one['seconds']:>9.2f}{one['seconds'] / own['seconds']:>8.1f}"
            f"{one['anonymous'] / MIB:>10.0f} MiB{one['resident'] / MIB:>9.0f} MiB"
            f"{_verdict(name, one, own)}",
            flush=True,
        )


def _verdict(name, one, own):
    """Say whether an aim was reached."""
    times = {"sklearn": 30, "polars": 4}.get(name)
    if times:
        reached = one["seconds"] >= times * own["seconds"]
        return f"  aim >= {times} times {'yes' if reached else 'NO'}"
    reached = one["anonymous"] <= 100 * MIB
    return f"  aim <= 100 MiB {'yes' if reached else 'NO'}" * (name == "skrank")


def print_growth(largest, longest_sklearn, limit):
    """Print time in read passes and memory in bytes an item."""
    print("\ntime in read passes (times faster than scikit-learn's average precision),")
    print("and memory beyond the ranking in MiB")
    print(f"{'items':>10}{'targets':>9}" + "".join(f"{name:>27}" for name in GROWTH))
    n = 10**5
    while n <= largest:
        for prevalence in PREVALENCES:
            print_growth_row(n, prevalence, longest_sklearn, limit)
        n *= 10


_last = {}  # by prevalence, what scikit-learn took of the longest ranking that it had


def print_growth_row(n, prevalence, longest_sklearn, limit):
    """Ask all about one ranking."""
    m = round(n * prevalence)
    with tempfile.TemporaryDirectory() as folder:
        y_true, y_score = make_list(n, m)
        np.save(Path(folder, "y.npy"), y_true.astype(np.uint8))
        np.save(Path(folder, "s.npy"), y_score)
        del y_true, y_score
        names = [one for one in GROWTH if one != "sklearn" or n <= longest_sklearn]
        found = {name: run("growth", name, folder, limit) for name in names}
    if found.get("sklearn"):
        _last[prevalence] = n, found["sklearn"]["passes"]
    longest, passes = _last[prevalence]
    passes *= math.log(n) / math.log(longest)  # a read pass itself grows as n
    cells = [_growth_cell(one, passes, n > longest, limit) for one in found.values()]
    print(f"{n:>10}{m:>9}" + "".join(f"{one:>27}" for one in cells), flush=True)


def _growth_cell(one, sklearn, extrapolated, limit):
    if one is None:
        return f"not in {limit} s"
    faster = f"{'~' * extrapolated}{sklearn / one['passes']:.3g}"
    return f"{one['passes']:.1f} ({faster}) {one['memory'] / MIB:.0f} MiB"


def main():
    """Print both tables, or answer in a fresh process for them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=N_LARGE)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--limit", type=int, default=600, help="seconds a question")
    for how in ("large", "growth"):
        parser.add_argument(f"--{how}", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.large:
        answer_large(*args.large)
    elif args.growth:
        answer_growth(*args.growth)
    else:
        print_head("polars", "duckdb", "pyarrow")
        print_large(args.largest, args.limit)
        longest = args.largest if args.all else LONGEST_SKLEARN
        print_growth(args.largest, longest, args.limit)


if __name__ == "__main__":
    main()
