"""Speed of average precision within groups, beside loops and other packages.

A million items in 100,000 groups and in 1,000, with and without ties, in order and not.
The loop calls ``average_precision_score`` for items that are sorted by group. ranx and
pytrec_eval read dictionaries: their time includes filling them, and the second figure
does not. polars-ds computes average precision and four other metrics in Rust, as an
aggregation of ``group_by``. Times are the minimum of several; the loop and the
dictionaries are timed for a part of the groups, and scaled.

    python benchmarks/groups.py
"""

import warnings
from functools import partial
from importlib.util import find_spec
from time import perf_counter

import numpy as np
from sklearn.metrics import average_precision_score

from skrank import average_precision

N = 10**6
PART = 1000  # groups of which slow ways are timed
CASES = [  # groups, targets, whether scores tie, whether items are shuffled
    (10**5, 10**5, False, False),
    (10**5, 10**5, True, False),
    (10**5, 10**5, False, True),
    (10**3, 2 * 10**4, False, False),
    (10**3, 2 * 10**4, True, False),
    (10**3, 2 * 10**4, False, True),
    (10**3, 10**5, False, False),
]


def draw(n_groups, n_targets, ties, shuffled):
    """Labels, scores and groups."""
    rng = np.random.default_rng(0)
    group = np.sort(rng.integers(0, n_groups, N))
    y = np.zeros(N, dtype=np.int64)
    y[rng.choice(N, n_targets, replace=False)] = 1
    s = rng.normal(y)
    s = np.round(2 * s) if ties else s
    order = rng.permutation(N) if shuffled else slice(None)
    return y[order], s[order], group[order]


def least(call, times=5):
    """Least time of a call, in milliseconds, and what it gives."""
    best = np.inf
    for _ in range(times):
        start = perf_counter()
        value = call()
        best = min(best, perf_counter() - start)
    return 1000 * best, value


def loop(parts):
    """Mean over the groups by scikit-learn."""
    return np.mean([average_precision_score(y, s) for y, s in parts if y.any()])


def fill(parts):
    """Dictionaries as ranx and pytrec_eval read them."""
    relevant, scored = {}, {}
    for i, (y, s) in enumerate(parts):
        names = [str(j) for j in range(y.size)]
        relevant[str(i)] = dict(zip(names, y.tolist(), strict=True))
        scored[str(i)] = dict(zip(names, s.tolist(), strict=True))
    return relevant, scored


def pytrec(relevant, scored):
    """Mean average precision by pytrec_eval."""
    import pytrec_eval

    found = pytrec_eval.RelevanceEvaluator(relevant, {"map"}).evaluate(scored)
    return np.mean([one["map"] for one in found.values()])


def ranx(relevant, scored):
    """Mean average precision by ranx."""
    from ranx import Qrels, Run, evaluate

    kept = {key: one for key, one in relevant.items() if any(one.values())}
    kept = {key: {n: v for n, v in one.items() if v} for key, one in kept.items()}
    run = Run({key: scored[key] for key in kept})
    return evaluate(Qrels(kept), run, "map", make_comparable=True)


def polars_ds(y, s, group):
    """Mean average precision by polars-ds."""
    import polars as pl
    import polars_ds as pds

    frame = pl.DataFrame({"y": y.astype(np.uint32), "s": s, "g": group})
    hits, size = pl.col("y").sum().over("g"), pl.len().over("g")
    kept = frame.filter((hits > 0) & (hits < size))  # it fails where one class is alone
    found = kept.group_by("g").agg(pds.query_binary_metrics("y", "s").alias("all"))
    return found["all"].struct.field("avg_precision").mean()


def row(n_groups, n_targets, ties, shuffled):
    """Times of one case, as a line."""
    y, s, group = draw(n_groups, n_targets, ties, shuffled)
    own, _ = least(lambda: average_precision(y, s, groups=group))
    order = np.argsort(group, kind="stable")
    bounds = np.flatnonzero(np.diff(group[order])) + 1
    columns = (np.split(column[order], bounds) for column in (y, s))
    parts = list(zip(*columns, strict=True))
    some = parts[:PART]
    scale = len(parts) / len(some) / own
    said = [f"{n_groups:7} {n_targets:8} {ties!s:6} {shuffled!s:6} {own:9.1f} ms"]
    said.append(f"loop {scale * least(lambda: loop(some), 2)[0]:.0f}x")
    for name, ask in (("pytrec_eval", pytrec), ("ranx", ranx)):
        if find_spec(name):
            ready = fill(some)
            ask(*ready)  # compiled when first called
            filled = scale * least(lambda: fill(some), 2)[0]
            asked = scale * least(partial(ask, *ready), 2)[0]
            said.append(f"{name} {filled + asked:.0f}x ({asked:.0f}x)")
    if find_spec("polars_ds"):
        took = least(lambda: polars_ds(y, s, group), 1)[0] / own
        said.append(f"polars-ds {took:.1f}x")
    return "  ".join(said)


def main():
    """Print a row for each case."""
    warnings.simplefilter("ignore")
    print("groups   targets  ties   shuffled    skrank  times as long: loop, others")
    for case in CASES:
        print(row(*case), flush=True)


if __name__ == "__main__":
    main()
