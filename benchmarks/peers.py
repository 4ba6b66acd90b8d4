"""Speed of the metrics, beside other packages and beside one pass over the scores.

Every row is one function of one ranking. "passes" is the time of skrank in read passes,
`y_score.max()` and `np.isfinite(y_score).all()`. The columns of other packages have
their times as multiples of it. All start from the arrays of labels and scores. ranx and
pytrec_eval read dictionaries; their time includes filling them, and "(ready)" does not.
polars-ds computes four other metrics with its average precision. Each takes turns with
skrank, and the shortest times are compared.

Sorting takes up to six times as long on AMD's Zen 4, where NumPy uses AVX-512. A
processor with AVX-512 therefore has two results: with NumPy's default, and in a process
in which ``NPY_DISABLE_CPU_FEATURES`` leaves AVX2, which most other processors have.

    python benchmarks/peers.py            # all, a quarter of an hour
    python benchmarks/peers.py --quick    # without the rankings of ten million
"""

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
import tracemalloc
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.special import logit
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from timing import (
    fresh,
    has_avx512,
    make_list,
    peak_bytes,
    print_head,
    read_pass,
    seconds,
    status_bytes,
    take_turns,
)

import skrank

N_LARGE = 10**7
LONGEST_DICTIONARY = 10**5  # items; longer ones take minutes to fill
AP = "average precision"
WITHOUT_AVX512 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}

# question -> the call of skrank, and the names of ranx and pytrec_eval
QUESTIONS = {
    AP: (skrank.average_precision, "map", "map"),
    "AP@100": (
        partial(skrank.average_precision_at_k, k=100, normalize="relevant"),
        "map@100",
        "map_cut_100",
    ),
    "recall@100": (partial(skrank.recall_at_t, t=100), "recall@100", "recall_100"),
    "precision@100": (partial(skrank.precision_at_t, t=100), "precision@100", "P_100"),
    "hit curve": (skrank.hit_curve, None, None),
}


# items, targets, scores; how many times as fast as scikit-learn, with AVX-512 and AVX2
SHORT = [
    (100, 10, "", 0, 0),
    (1000, 20, "", 0, 0),
    (10**4, 200, "", 10, 11),
    (20_000, 1000, "", 0, 0),
]
LONG = [
    (10**5, 100, "", 20, 22),
    (10**5, 2000, "", 14, 15),
    (10**6, 100, "", 40, 44),
    (10**6, 1000, "", 35, 36),
    (10**6, 20_000, "", 18, 19),
    (10**6, 10**5, "", 7, 8),
    (10**6, 1000, "float32", 35, 38),
    (10**6, 1000, "21 scores", 20, 22),
    (10**6, 1000, "mostly 0", 24, 28),
    (10**6, 20_000, "lognormal", 14, 15),
]
LARGE = [
    (N_LARGE, 100, "", 60, 60),
    (N_LARGE, 10**4, "", 33, 42),
    (N_LARGE, 200_000, "", 14, 16),
    (N_LARGE, 200_000, "21 scores", 32, 38),
]


def rows(most):
    """Question, items, targets, scores, and the two aims; 0 is none."""
    yield from ((AP, *row) for row in SHORT + LONG + LARGE if row[0] <= most)
    for question in ("precision@100", "AP@100", "recall@100", "hit curve"):
        yield question, 10**5, 2000, "", 0, 0


def ranking(n, m, kind):
    """Labels, and scores of a kind."""
    distinct = 21 if kind == "21 scores" else 0
    y_true, y_score = make_list(n, m, distinct=distinct)
    if kind == "float32":
        y_score = y_score.astype(np.float32)
    elif kind == "lognormal":
        y_score = np.exp(8 * logit(y_score))
    elif kind == "mostly 0":
        y_score[np.random.default_rng(1).random(n) < 0.9] = 0
    return y_true, y_score


def sklearn_call(question, y_true, y_score):
    """The same by scikit-learn; for a hit curve the curve that it has of all cuts."""
    known = {AP: average_precision_score, "hit curve": precision_recall_curve}
    if question not in known:
        return None
    return lambda: known[question](y_true, y_score)


def torch_call(question, y_true, y_score):
    """The same by torchmetrics; its AP@k is divided by the hits, and another."""
    if not find_spec("torchmetrics"):
        return None
    import torch
    from torchmetrics.functional import retrieval
    from torchmetrics.functional.classification import binary_average_precision

    known = {
        AP: binary_average_precision,
        "recall@100": partial(retrieval.retrieval_recall, top_k=100),
        "precision@100": partial(retrieval.retrieval_precision, top_k=100),
    }
    if question not in known:
        return None
    preds, target = torch.from_numpy(y_score), torch.from_numpy(y_true)
    return lambda: float(known[question](preds, target.long()))


def polars_call(question, y_true, y_score):
    """The same by polars-ds, whose average precision is in Rust and for float64."""
    known = question == AP and y_score.dtype == np.float64
    if not (known and find_spec("polars_ds")):
        return None
    import polars
    import polars_ds

    def ask():
        frame = polars.DataFrame({"y": y_true, "s": y_score})
        metrics = frame.select(polars_ds.query_binary_metrics("y", "s"))
        return metrics.item()["avg_precision"]

    return ask


def dictionaries(y_true, y_score):
    """Labels and scores as ranx and pytrec_eval take them, of one query."""
    names = [f"d{i}" for i in range(y_true.size)]
    targets = np.flatnonzero(y_true).tolist()
    relevant = {"q": {names[i]: 1 for i in targets}}
    return relevant, {"q": dict(zip(names, y_score.tolist(), strict=True))}


def ranx_calls(question, y_true, y_score):
    """The same by ranx, from the arrays and from its own objects."""
    name = QUESTIONS[question][1]
    if not (name and find_spec("ranx") and y_true.size <= LONGEST_DICTIONARY):
        return {}
    from ranx import Qrels, Run, evaluate

    def fill():
        relevant, scores = dictionaries(y_true, y_score)
        return Qrels(relevant), Run(scores)

    ready = fill()
    return {
        "ranx": lambda: evaluate(*fill(), name),
        "ranx (ready)": lambda: evaluate(*ready, name),
    }


def pytrec_calls(question, y_true, y_score):
    """The same by pytrec_eval, from the arrays and from dictionaries."""
    name = QUESTIONS[question][2]
    if not (name and find_spec("pytrec_eval") and y_true.size <= LONGEST_DICTIONARY):
        return {}
    import pytrec_eval

    def ask(relevant, scores):
        judge = pytrec_eval.RelevanceEvaluator(relevant, {name.replace("_1", ".1")})
        return judge.evaluate(scores)["q"][name]

    ready = dictionaries(y_true, y_score)
    return {
        "pytrec": lambda: ask(*dictionaries(y_true, y_score)),
        "pytrec (ready)": lambda: ask(*ready),
    }


PEERS = (
    "sklearn",
    "polars-ds",
    "torch",
    "ranx",
    "ranx (ready)",
    "pytrec",
    "pytrec (ready)",
)


def contestants(question, y_true, y_score):
    """Calls by name, of those that can answer."""
    calls = {
        "read": lambda: read_pass(y_score),
        "skrank": lambda: QUESTIONS[question][0](y_true, y_score),
        "sklearn": sklearn_call(question, y_true, y_score),
        "polars-ds": polars_call(question, y_true, y_score),
        "torch": torch_call(question, y_true, y_score),
    }
    return {name: call for name, call in calls.items() if call}


def slower(calls):
    """How many times as long as skrank the others take; each takes turns with it alone.

    In turns of all, threads that one leaves spinning and caches that another fills are
    counted as time of the next.
    """
    own, ratios = [], {}
    for name, call in calls.items():
        if name != "skrank":
            times = take_turns({"skrank": calls["skrank"], name: call})
            own.append(times["skrank"])
            ratios[name] = times[name] / times["skrank"]
    return min(own), ratios


def check_agreement(question, calls, y_true, y_score):
    """All must say the same; average precision by the tie rule of scikit-learn."""
    if question == "hit curve":
        return
    values = {name: call() for name, call in calls.items() if name != "read"}
    if question == AP:
        values["skrank"] = skrank.average_precision(y_true, y_score, ties="together")
    tolerance = 1e-3 if y_score.dtype == np.float32 else 1e-6  # single ones may tie
    for name, value in values.items():
        if abs(value - values["skrank"]) > tolerance * values["skrank"]:
            msg = f"{name} says {value}, skrank {values['skrank']} to {question}"
            raise AssertionError(msg)


def verdict(aim, ratios):
    """Aim of a row, and whether it was reached."""
    if not aim:
        return ""
    return f">= {aim} {'yes' if ratios['sklearn'] >= aim else 'NO'}"


def print_row(question, n, m, kind, aim):
    """Ask one question, and print a line."""
    y_true, y_score = ranking(n, m, kind)
    arrays = contestants(question, y_true, y_score)
    named = ranx_calls(question, y_true, y_score)
    named |= pytrec_calls(question, y_true, y_score)
    check_agreement(question, arrays | named, y_true, y_score)
    own, ratios = slower(arrays | named)
    print(
        f"{question:<17}{n:>9}{m:>8} {kind or 'float64':<9}"
        f"{1e3 * own:>9.3f}{1 / ratios['read']:>8.1f}"
        + "".join(cell(ratios.get(peer), len(peer) + 2) for peer in PEERS)
        + f"  {verdict(aim, ratios)}",
        flush=True,
    )


def cell(ratio, width):
    """Print a ratio, or that there is none."""
    return f"{'-' if ratio is None else f'{ratio:.1f}':>{width}}"


def print_speed(world, most):
    """Print the table of speed in this process, whose world has a name."""
    print(
        f"\n{world}: milliseconds of skrank, and the time of others over that of skrank"
    )
    print(
        f"{'question':<17}{'items':>9}{'targets':>8} {'scores':<9}"
        f"{'ms':>9}{'passes':>8}"
        + "".join(f"{p:>{len(p) + 2}}" for p in PEERS)
        + "  aim"
    )
    for *row, with_avx512, with_avx2 in rows(most):
        print_row(*row, with_avx512 if world == "AVX-512" else with_avx2)


def print_worlds(most):
    """Print a table for each world that this processor has, by a process for each."""
    worlds = {"AVX-512": {}, "AVX2": WITHOUT_AVX512}
    if not has_avx512():
        print("no AVX-512 here: its table is left out")
        del worlds["AVX-512"]
    for world, settings in worlds.items():
        command = [sys.executable, __file__, "--world", world, "--most", str(most)]
        subprocess.run(command, env={**os.environ, **settings}, check=True)


def measure_memory(folder, who, how):
    """Print what a call needs beyond its input; this process does nothing else."""
    y_true, y_score = (np.load(Path(folder, f"{part}.npy")) for part in ("y", "s"))
    ask = {"skrank": skrank.average_precision, "sklearn": average_precision_score}[who]
    ask(*make_list(1000, 20))
    if how == "traced":
        tracemalloc.start()
        ask(y_true, y_score)
        most = tracemalloc.get_traced_memory()[1]
    else:
        before = status_bytes("VmRSS")
        ask(y_true, y_score)
        most = peak_bytes() - before
    print(json.dumps(most / y_true.size))


def print_memory(n):
    """Print bytes an item, as allocated and as resident in a fresh process."""
    print(f"\nextra memory of average precision, bytes an item, n = {n}")
    with tempfile.TemporaryDirectory() as folder:
        for part, array in zip("ys", make_list(n, n // 50), strict=True):
            np.save(Path(folder, f"{part}.npy"), array)
        for who in ("skrank", "sklearn"):
            traced, resident = (
                fresh(__file__, "--memory", folder, who, how)
                for how in ("traced", "resident")
            )
            aim = f"  aim <= 4 {'yes' if traced <= 4 else 'NO'}"
            print(
                f"{who:<8} allocated {traced:6.2f}, resident {resident:6.2f}"
                + aim * (who == "skrank")
            )


def print_share():
    """Print what share of a search by nearest neighbours is spent in the metric."""
    rng = np.random.default_rng(0)
    y = np.arange(10_000) % 50 == 0
    items = rng.normal(size=(10_000, 10))
    items[:, 0] += 2 * y
    search = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 5, 15, 45]},
        scoring=skrank.make_average_precision_scorer(),
    )
    profile = cProfile.Profile()
    total = seconds(lambda: profile.runcall(search.fit, items, y))
    spent = sum(
        cumulative
        for (_, _, name), (_, _, _, cumulative, _) in pstats.Stats(
            profile
        ).stats.items()
        if name == "evaluate"
    )
    share = spent / total
    print(
        "\nGridSearchCV of KNeighborsClassifier, 10,000 items of 10 features, 20 fits: "
        f"{total:.1f} s,\nof which the metric takes {share:.2%}"
        f"  aim < 1 % {'yes' if 0 < share < 0.01 else 'NO'}"
    )


def main():
    """Print everything, or measure in a fresh process for it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--most", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--world", help=argparse.SUPPRESS)
    parser.add_argument("--memory", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.memory:
        measure_memory(*args.memory)
        return
    if args.world:
        warnings.filterwarnings("ignore", message="unsafe cast")  # numba, of ranx
        print_speed(args.world, args.most)
        return
    print_head("polars-ds", "torchmetrics", "torch", "ranx", "pytrec-eval-terrier")
    most = 10**6 if args.quick else N_LARGE
    print_worlds(most)
    print_memory(most)
    print_share()


if __name__ == "__main__":
    main()
