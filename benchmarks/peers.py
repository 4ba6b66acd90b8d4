"""How fast are the metrics, beside other packages and beside reading the scores once?

Every row is one question about one ranking. "passes" is the time of skrank in read
passes, `y_score.max()` and `np.isfinite(y_score).all()`; the columns of other packages
say how many times as long they take. All start from the arrays of labels and scores.
ranx and pytrec_eval read dictionaries; the time to fill them is theirs, and "(ready)"
is without it. Calls alternate, and medians are compared.

    python benchmarks/peers.py            # all, some minutes
    python benchmarks/peers.py --quick    # without the rankings of ten million
"""

import argparse
import cProfile
import json
import pstats
import tempfile
import tracemalloc
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from timing import (
    fresh,
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
FLOATS = (np.float64, np.float32)

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


def rows():
    """Question, items, targets, labels, distinct scores, aim; each in both types.

    The aim is how many times as fast as scikit-learn, or so many read passes if
    negative.
    """
    both = ("int64", "bool")
    for n, labels in ((10**4, both), (10**5, both), (10**6, both), (N_LARGE, both)):
        for kind in labels:
            yield AP, n, n // 50, kind, 0, 12
    for n in (10**4, 10**5, 10**6, N_LARGE):
        yield AP, n, n // 1000, "int64", 0, 25
    for kind in both:
        yield AP, N_LARGE, 100, kind, 0, 60
    for n in (10**6, N_LARGE):
        yield AP, n, n // 50, "int64", 21, 20
    for kind in both:
        yield AP, 1000, 20, kind, 0, 10
    yield "precision@100", 10**5, 2000, "int64", 0, -20
    for n in (10**5, 10**6):
        for question in ("AP@100", "recall@100", "hit curve"):
            yield question, n, n // 50, "int64", 0, None


def sklearn_call(question, y_true, y_score):
    """The same by scikit-learn; for a hit curve the curve that it has of all cuts."""
    known = {AP: average_precision_score, "hit curve": precision_recall_curve}
    if question not in known:
        return None
    return lambda: known[question](y_true, y_score)


def torch_call(question, y_true, y_score):
    """The same by torchmetrics; its AP at k is divided by the hits, and another."""
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


PEERS = ("sklearn", "torch", "ranx", "ranx (ready)", "pytrec", "pytrec (ready)")


def contestants(question, y_true, y_score):
    """Calls by name, of those that can answer."""
    calls = {
        "read": lambda: read_pass(y_score),
        "skrank": lambda: QUESTIONS[question][0](y_true, y_score),
        "sklearn": sklearn_call(question, y_true, y_score),
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
    """All must say the same; where scores tie, skrank by the rule of scikit-learn."""
    if question == "hit curve":
        return
    values = {name: call() for name, call in calls.items() if name != "read"}
    if np.unique(y_score[:1000]).size < 100:
        own = skrank.average_precision(y_true, y_score, ties="threshold")
        values = {"skrank": own, "sklearn": values["sklearn"]}
    tolerance = 1e-3 if y_score.dtype == np.float32 else 1e-6  # single ones may tie
    for name, value in values.items():
        if abs(value - values["skrank"]) > tolerance * values["skrank"]:
            msg = f"{name} says {value}, skrank {values['skrank']} to {question}"
            raise AssertionError(msg)


def verdict(aim, ratios):
    """Aim of a row, and whether it was reached."""
    if aim is None:
        return ""
    if aim < 0:
        reached = -aim * ratios["read"] >= 1
        return f"<= {-aim} passes {'yes' if reached else 'NO'}"
    reached = ratios["sklearn"] >= aim
    return f">= {aim} {'yes' if reached else 'NO'}"


def print_row(question, n, m, labels, distinct, aim, dtype):
    """Ask one question, and print a line."""
    y_true, y_score = make_list(n, m, dtype=dtype, distinct=distinct)
    y_true = y_true.astype(labels)
    arrays = contestants(question, y_true, y_score)
    named = ranx_calls(question, y_true, y_score)
    named |= pytrec_calls(question, y_true, y_score)
    check_agreement(question, arrays | named, y_true, y_score)
    own, ratios = slower(arrays | named)
    name = f"{question}, {distinct} scores" if distinct else question
    print(
        f"{name:<29}{n:>9}{m:>7} {np.dtype(dtype).name} {labels:<6}"
        f"{1e3 * own:>9.3f}{1 / ratios['read']:>8.1f}"
        + "".join(cell(ratios.get(peer), len(peer) + 2) for peer in PEERS)
        + f"  {verdict(aim, ratios)}",
        flush=True,
    )


def cell(ratio, width):
    """Print a ratio, or that there is none."""
    return f"{'-' if ratio is None else f'{ratio:.1f}':>{width}}"


def print_speed(most):
    """Print the table of speed."""
    print("milliseconds of skrank, and the time of others over that of skrank")
    print(
        f"{'question':<29}{'items':>9}{'targets':>7} {'scores':<8}{'labels':<6}"
        f"{'ms':>9}{'passes':>8}"
        + "".join(f"{p:>{len(p) + 2}}" for p in PEERS)
        + "  aim"
    )
    for question, n, m, labels, distinct, aim in rows():
        if n <= most:
            for dtype in FLOATS:
                print_row(question, n, m, labels, distinct, aim, dtype)


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
            aim = f"  aim <= 2 {'yes' if traced <= 2 else 'NO'}"
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
        if name == "average_precision"
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
    parser.add_argument("--memory", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.memory:
        measure_memory(*args.memory)
        return
    warnings.filterwarnings("ignore", message="unsafe cast")  # numba, of ranx
    print_head("torchmetrics", "torch", "ranx", "pytrec-eval-terrier")
    most = 10**6 if args.quick else N_LARGE
    print_speed(most)
    print_memory(most)
    print_share()


if __name__ == "__main__":
    main()
