"""Accuracy of the p-values of ``method="auto"``: a table, in minutes.

The reference values are from tilted sampling of the original chain, which is unbiased,
with a standard error of half a percent or four million draws; or from enumeration.
"""

import math

import numpy as np

from skrank import RandomSelectionNull

# groups of scores as nearest neighbours give them: many items share the lowest
KNN = (0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.2, 0.5)
SE = 0.005
MOST = 4_000_000  # draws


def at_z(*scores):
    return [("z", z) for z in scores]


def at(*values):
    return [("AP", value) for value in values]


CASES = [
    (500, 10, at(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
    (1000, 20, at_z(3, 6, 10)),
    (2000, 20, at(0.05, 0.1, 0.2, 0.4, 0.6)),
    (3000, 30, at_z(3, 6, 10)),
    (1000, 100, at(0.14, 0.1561, 0.2, 0.3, 0.5, 0.8)),
    (3000, 245, at(0.1, 0.12, 0.2, 0.3, 0.5)),
    (14906, 304, at(0.1766, 0.256)),
    (100_000, 1000, [*at_z(3, 6), *at(0.1, 0.5, 0.9)]),
    (1_000_000, 1000, [*at_z(3), *at(0.1)]),
]
TIED = [
    (500, 10, at(0.1, 0.3, 0.6)),
    (1000, 100, at(0.14, 0.2, 0.4)),
    (3000, 245, at(0.1, 0.15, 0.3)),
    (14906, 304, at(0.05, 0.1766)),
]


def knn_sizes(n_samples):
    sizes = np.maximum(1, np.rint(np.array(KNN) * n_samples)).astype(int)
    sizes[-1] += n_samples - sizes.sum()
    return sizes


def judge(null, value):
    """Logarithm of the true p, its relative error, and who says so."""
    try:
        return null.tail(value, method="exact").log_pvalue, 0.0, "exact"
    except ValueError:
        pass
    draws = 20_000
    while True:
        found = null.tail(
            value, method="importance_sampling", n_resamples=draws, random_state=0
        )
        if found.error <= SE or draws == MOST:
            return found.log_pvalue, found.error, f"tilted, {draws} draws"
        draws = int(min(1.2 * draws * (found.error / SE) ** 2, MOST))


def main():
    print(
        f"{'n':>6} {'m':>4}  {'AP':>6}  {'log10 p':>8}  by           "
        "states   is off   judge"
    )
    worst = 0.0
    for tied, cases in ((False, CASES), (True, TIED)):
        print("tied as by nearest neighbours" if tied else "without ties")
        for n, m, points in cases:
            null = RandomSelectionNull(n, m, tie_sizes=knn_sizes(n) if tied else None)
            for kind, point in points:
                value = point if kind == "AP" else null.mean() + point * null.std()
                auto = null.tail(value)
                truth, error, who = judge(null, value)
                off = math.expm1(auto.log_pvalue - truth)
                worst = max(worst, abs(off) - 2 * error)
                states = "bounds" if auto.error is None else f"{auto.error:.2%}"
                print(
                    f"{n:>6} {m:>4}  {value:6.4f}  {truth / math.log(10):8.2f}  "
                    f"{auto.method:<12} {states:>6}  {off:+7.2%}   "
                    f"+-{error:.2%} ({who})",
                    flush=True,
                )
    print(f"worst, beyond two standard errors of the judge: {worst:.2%}")


if __name__ == "__main__":
    main()
