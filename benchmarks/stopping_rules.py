"""When to stop reading: how often the recall is too low, and how much was read.

A list is read from the top until 200 documents in a row are no targets; then the rest
is read in random order, and after every 5 documents a rule asks whether a recall of
0.95 is reached. "one test" is the hypergeometric test at each look, "sequential" is
``remaining_pvalue(sequential=True)``, "windows" is the rule of Callaghan and
Mueller-Hansen (2020) for documents that are read in the order of the ranking, and
"oracle" knows the labels.

    python benchmarks/stopping_rules.py [lists] [targets ...]
"""

import sys

import numpy as np
from scipy.stats import hypergeom

from skrank.inference.sampled._remaining import nothing_known, remaining_pvalue

N, RECALL, ALPHA = 4000, 0.95, 0.05
KINDS = ("random", "poor", "fair", "good", "two topics")


def make_list(kind, m, rng):
    scores = rng.normal(size=N)
    if kind == "two topics":
        first = int(0.85 * m)
        scores[:first] += 3
        scores[first:m] -= 1
    else:
        scores[:m] += KINDS.index(kind)
    return (np.arange(N) < m)[np.argsort(-scores)]


def windows(y, step=25):
    """Smallest p-value over all windows that end here, as if each were a sample."""
    places, found = np.flatnonzero(y), np.append(0, np.cumsum(y))
    for t in range(step, N + 1, step):
        starts = np.append(0, places[places < t] + 1)
        starts = starts[starts < t]
        before = found[starts]
        left = np.floor(found[t] / RECALL + 1 - before)
        p = hypergeom.cdf(found[t] - before, N - starts, left, t - starts)
        if p.min() < ALPHA:
            return t, found[t]
    return N, found[-1]


def sampled(y, rng, dry=200, step=5):
    """Stop by each of the two rules for a random sample of the rest."""
    run = np.arange(N) - np.maximum.accumulate(np.where(y, np.arange(N), -1))
    stops = np.flatnonzero(run >= dry)
    t = stops[0] + 1 if stops.size else N
    k, rest = int(y[:t].sum()), rng.permutation(y[t:])
    n, found, done = N - t, np.append(0, np.cumsum(rest)), {}
    for r in [*range(step, n, step), n]:
        x = int(found[r])
        at_most = int((k + x) / RECALL + 1e-9) - k - x
        if "one test" not in done and (
            r == n or remaining_pvalue(n, r, x, at_most) <= ALPHA
        ):
            done["one test"] = t + r, k + x
        if r == n or nothing_known(n).after(r, x).pvalue(at_most) <= ALPHA:
            done["sequential"] = t + r, k + x
            break
    return {**dict.fromkeys(("one test", "sequential"), (N, y.sum())), **done}


def main(n_lists, targets):
    for m in targets:
        for kind in KINDS:
            found = {}
            for i in range(n_lists):
                rng = np.random.default_rng([i, m, KINDS.index(kind)])
                y = make_list(kind, m, rng)
                needed = np.argmax(np.cumsum(y) >= RECALL * m - 1e-9) + 1
                every = {"oracle": (needed, m), "windows": windows(y)}
                for rule, stop in (every | sampled(y, rng)).items():
                    found.setdefault(rule, []).append(stop)
            for rule, stops in found.items():
                read, hits = np.array(stops).T
                wrong = np.mean(hits < RECALL * m - 1e-9)
                print(
                    f"{m} targets, {kind}: {rule}: wrong {wrong:.3f}, read "
                    f"{np.mean(read) / N:.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    given = [*map(int, sys.argv[1:])]
    main(given[0] if given else 300, given[1:] or (30, 100, 300))
