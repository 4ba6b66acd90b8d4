"""Coverage of the limits from labels of a sample, by enumeration.

For numbers of targets of the strata, the numbers in their samples are independent and
hypergeometric. The coverage is the sum of the chances of those whose 95 % limits hold
the truth. For each cell its least value over many numbers of targets is printed, with
the share of these for which it is below .945, and its mean. Items of a stratum are
tied, so that everything depends on these numbers only.

Usage: python least_coverage_of_samples.py [draws]
"""

import itertools
import sys
import warnings

import numpy as np
from scipy.stats import hypergeom

from skrank import SampledMetricInterval, make_metric

# items and labels of the strata
CELLS = (
    ((20, 6), (20, 5)),
    ((20, 100), (20, 5)),
    ((20, 30), (20, 10)),
    ((20, 1000), (20, 20)),
    ((20, 61), (20, 60)),
    ((20, 400), (20, 60)),
    ((20, 20), (5, 5)),
    ((30, 300), (5, 5)),
    ((20, 30), (9, 9)),
    ((40, 400), (5, 20)),
    ((40, 400), (5, 60)),
    ((11, 300), (10, 10)),
    ((12, 13), (11, 11)),
    ((20, 20), (10, 10)),
    ((50, 500), (12, 12)),
    ((10, 10, 10), (5, 5, 5)),
    ((20, 40, 400), (5, 5, 5)),
    ((30, 100, 600), (5, 5, 10)),
)


def some_totals(n: int) -> np.ndarray:
    """Return numbers of targets of a stratum: few, all but a few, and between."""
    few = np.geomspace(1, n, 12).round()
    return np.unique([0, *few, *(n - few), n // 3, n // 2]).astype(int)


def labels_of(items: tuple, labels: tuple, found: tuple) -> np.ndarray:
    """Return labels of a list in which the samples of the strata hold such targets."""
    parts = [
        np.repeat([1.0, 0.0, np.nan], [x, r - x, n - r])
        for n, r, x in zip(items, labels, found, strict=True)
    ]
    return np.concatenate(parts)


def coverage(items: tuple, labels: tuple, draws: int) -> dict[str, np.ndarray]:
    """Return the coverage of each metric, and of the targets left."""
    score = -np.repeat(np.arange(len(items)), items)
    t = items[0]
    names = (f"recall@{t}", f"precision@{t + items[1] // 2}", "average_precision")
    values = [some_totals(n) for n in items]
    # a stratum whose items all have labels holds as many as were found
    known = [r == n for r, n in zip(labels, items, strict=True)]
    if known[0]:
        values[0] = np.array([0, 1, t // 2, t])
    sizes = zip(labels, known, values, strict=True)
    shapes = [one if full else range(r + 1) for r, full, one in sizes]
    found = np.array(list(itertools.product(*shapes)))
    limits = []
    for some in found:
        result, row = None, []
        for name in names:
            ask = SampledMetricInterval(name, n_resamples=draws)
            result = (
                ask.from_predictions(
                    labels_of(items, labels, some), score, strata=score
                )
                if result is None
                else ask.from_result(result)
            )
            row.append(result.confidence_interval())
        row.append(some.sum() + np.array(result.remaining()))
        limits.append(row)
    low, high = np.moveaxis(limits, 2, 0)
    covered = []
    for totals in itertools.product(*values):
        chance = hypergeom.pmf(found, items, totals, labels).prod(axis=1)
        truth = np.full(len(names), np.nan)  # of lists without targets, or only these
        if 0 < sum(totals) < sum(items):
            y = labels_of(items, items, totals)
            truth = np.array([make_metric(name)(y, score) for name in names])
        truth = np.append(truth, sum(totals))
        outside = (truth < low - 1e-9) | (truth > high + 1e-9)
        covered.append(1 - chance @ outside)
    names = ("recall", "precision", "AP", "left")
    return dict(zip(names, np.transpose(covered), strict=True))


def said(shares: np.ndarray) -> str:
    """Return the least coverage, the share of low ones, and the mean."""
    low = np.mean(shares < 0.945)
    return f"least {shares.min():.3f}, low {low:.3f}, mean {shares.mean():.3f}"


def main(draws: int) -> None:
    """Print a row for each cell, and one for each number of strata."""
    warnings.simplefilter("ignore")
    every: dict[str, dict[str, list]] = {}
    for items, labels in CELLS:
        found = coverage(items, labels, draws)
        sampled = [r for n, r in zip(items, labels, strict=True) if r < n]
        kind = f"{len(sampled)} strata, {'10+' if min(sampled) > 9 else '5 to 9'}"
        for one, shares in found.items():
            every.setdefault(kind, {}).setdefault(one, []).append(shares)
        text = "; ".join(f"{one} {said(shares)}" for one, shares in found.items())
        print(items, labels, text, flush=True)
    for kind, of_kind in every.items():
        for one, shares in of_kind.items():
            print(f"{kind}: {one} {said(np.concatenate(shares))}", flush=True)


if __name__ == "__main__":
    main(*map(int, (*sys.argv[1:], 1000)[:1]))
