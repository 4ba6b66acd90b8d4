"""Coverage of intervals of lists of which a sample has labels, by one model and two.

Lists of twelve kinds, from 5 targets among 10,000 items to 500 among 1,000, with ties,
targets at the ends of strata, and models that agree or not; and samples of seven
designs: a plan for one model or for both, the tops of both and a plan of the rest, 20
days, parts of 5 to 15 labels, runs of ranks that cut ties, and runs crossed with days.
The lists are fixed and the samples are random. A row has the coverage of 95 % intervals
of each metric by model A, and of the difference from model B, with the shares of
samples whose interval is below or above the truth, and its mean width.

Usage: python coverage_of_sampled_lists.py [samples] [number of parts] [part]
"""

import sys
import warnings

import numpy as np

from skrank import (
    RankingComparison,
    Rankings,
    SampledMetricInterval,
    labels_to_collect,
    make_metric,
)

CELLS = (
    ("rare", "plan of A"),
    ("normal", "few labels"),
    ("normal", "days"),
    ("ties", "ties cut"),
    ("trees", "plan of both"),
    ("ends", "plan of A"),
    ("clumps", "few labels"),
    ("disagree", "plan of both"),
    ("disagree", "tops and plan"),
    ("perfect", "tops and plan"),
    ("reversed", "crossed"),
    ("equal", "plan of A"),
    ("many", "plan of A"),
    ("300 targets", "plan of both"),
    ("half", "few labels"),
)
METRICS = (
    "average_precision",
    "recall@100",
    "wss(0.9)",
    "ks_statistic",
)
SIZES = {"rare": (10_000, 5), "half": (1000, 500), "many": (3000, 450)}
SIZES |= {"300 targets": (8000, 300)}


def make_list(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return labels and the scores of two models, whose errors are correlated."""
    n, m = SIZES.get(kind, (4000, 40))
    y, a = np.arange(n) < m, rng.normal(size=n)
    b = 0.8 * a + 0.6 * rng.normal(size=n)
    if kind == "disagree":
        b = rng.normal(size=n)
        return (
            y,
            a + 2.5 * (y & (rng.random(n) < 0.6)),
            b + 2.5 * (y & (rng.random(n) < 0.6)),
        )
    if kind == "ties":
        return y, np.round(1.5 * (a + 2 * y)), np.round(1.2 * (b + 1.8 * y))
    if kind == "trees":
        return y, np.floor(8 / (1 + np.exp(1 - a - 1.6 * y))), b + 2.0 * y
    if kind == "reversed":
        return y, a - y, b + y
    if kind == "perfect":
        return y, y + 1e-3 * a, (np.arange(n) < m - 5) + 1e-3 * b
    if kind == "equal":  # pairs of items with one label have their scores exchanged
        a = a + 2 * y
        return y, a, a.reshape(-1, 2)[:, ::-1].ravel()
    if kind in ("clumps", "ends"):
        starts, size = (20, 250, 900, 2600), 10
        if kind == "ends":  # of the strata of a plan
            starts, size = (11, 27, 59, 95, 123, 251, 507, 1019), 5
        places = np.ravel([np.arange(start, start + size) for start in starts])
        y = np.zeros(n, dtype=bool)
        y[np.argsort(-a)[places]] = True
        return y, a, a + 0.2 * b
    shift = 1.0 if kind == "half" else 2.0
    return y, a + shift * y, b + shift * 1.15 * y


def rank(scores: np.ndarray) -> np.ndarray:
    """Return ranks from 0, with ties in the order of the items."""
    ranks = np.empty(scores.size, dtype=int)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(scores.size)
    return ranks


def design(kind: str, a: np.ndarray, b: np.ndarray, seed: int) -> tuple:
    """Return the stratum of each item, and whether it has a label."""
    n, rng = a.size, np.random.default_rng([seed, 1])
    budget = 300 if n < 5000 else 400
    if kind.endswith("plan") or kind.startswith("plan"):
        scores = a if kind == "plan of A" else {"A": a, "B": b}
        t = 100 if kind == "tops and plan" else None
        plan = labels_to_collect(scores, budget, t=t, random_state=seed)
        return plan["stratum"].to_numpy(), plan["to_label"].to_numpy()
    day, ranks = np.random.default_rng(n).integers(0, 40, n), rank(a)
    strata, labels = {
        "days": (day % 20, np.full(20, budget // 20)),
        "few labels": (day, 5 + np.arange(40) % 11),
        "ties cut": (np.digitize(ranks, [37, 111, 500, 1500]), np.full(5, budget // 5)),
        "crossed": (
            3 * np.digitize(ranks, [100, 400, 1600]) + day % 3,
            np.full(12, budget // 12),
        ),
    }[kind]
    looked = np.zeros(n, dtype=bool)
    for one in np.unique(strata):
        items = np.flatnonzero(strata == one)
        looked[rng.choice(items, min(items.size, labels[one]), replace=False)] = True
    return strata, looked


def row(kind: str, sample: str, n_samples: int) -> dict[str, np.ndarray]:
    """Return what is below, above, and the width, by statement and sample."""
    found: dict[str, list] = {}
    for seed in range(n_samples):
        y, a, b = make_list(kind, np.random.default_rng([seed % 5, 7]))
        strata, looked = design(sample, a, b, seed)
        scores = {"A": a, "B": b}
        rankings = Rankings.from_sample(
            np.where(looked, y, np.nan), scores, strata=strata
        )
        draws = {"n_resamples": 300, "random_state": seed}
        for name in METRICS:
            of_a, of_b = (make_metric(name)(y, one) for one in (a, b))
            alone = SampledMetricInterval(name, **draws)
            pair = RankingComparison(name, **draws)
            for what, truth, limits in (
                (name, of_a, alone.from_rankings(rankings.only("A"))),
                (f"d {name}", of_a - of_b, pair.from_rankings(rankings)),
            ):
                low, high = limits.confidence_interval()
                outside = high < truth - 1e-9, low > truth + 1e-9
                found.setdefault(what, []).append((*outside, high - low))
    return {what: np.mean(values, axis=0) for what, values in found.items()}


def main(n_samples: int, n_parts: int, part: int) -> None:
    """Print a row for each cell, and the least coverage of each statement."""
    warnings.simplefilter("ignore")
    least: dict[str, tuple[float, str]] = {}
    for kind, sample in CELLS[part::n_parts]:
        texts = []
        for what, (below, above, width) in row(kind, sample, n_samples).items():
            covered = 1 - below - above
            texts.append(
                f"{what} {covered:.3f} ({below:.3f}, {above:.3f}; {width:.3g})"
            )
            least[what] = min(
                least.get(what, (1.0, "")), (covered, f"{kind}, {sample}")
            )
        print(f"{kind}, {sample}:", "; ".join(texts), flush=True)
    for what, (covered, cell) in least.items():
        print(f"least: {what} {covered:.3f} ({cell})", flush=True)


if __name__ == "__main__":
    main(*map(int, (*sys.argv[1:], *(500, 1, 0)[len(sys.argv) - 1 :])))
