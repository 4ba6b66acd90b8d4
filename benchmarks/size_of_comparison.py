"""Type I error rates of the comparisons of two rankings, by simulation.

The first table has rankings of equal shape: normal scores, shifted for the targets,
correlated or not, as they are or rounded to few distinct values. It has the share of
pairs of rankings with p <= 5 % for each method; the standard error of a share is 1 %
for 500 pairs.

The second table has rankings of different shape with equal means: the populations of
``coverage_of_intervals.py``, shifted to the same average precision. The remaining
difference of their means, estimated from other samples, is subtracted from the
difference of each pair before the test. It has the shares with p <= 5 % and p <= 1 %,
by Student's t as in "jackknife" and by the normal distribution.

The third table has few targets: the shares with p <= 5 % by "permutation" (the
default) and by "jackknife", for rankings of equal shape, for nearly equal ones, with
or without a twin of each target among the non-targets, and for complementary ones,
each of which finds another half of the targets. Its last rows are the power with a
better A.

The last two tables are of equally good rankings in a leaderboard, the share of samples
with any false statement and of those in which the first is not among the best; and of
the claims that A is not worse than B, and equivalent to it, by a margin, where the
margin is the true difference, and where it is 0, with the coverage of the interval of
the difference.

    python benchmarks/size_of_comparison.py --pairs 500
"""

import argparse
import warnings
from itertools import product

import numpy as np
from coverage_of_intervals import POPULATIONS, find_shift
from joblib import Parallel, delayed
from scipy.stats import norm, t
from sklearn.exceptions import UndefinedMetricWarning

from skrank import RankingComparison

N_SAMPLES = 1000
N_SETS = 10
SHIFT = 1.5
DRAWS = {"n_resamples": 199, "random_state": 0}


def questions(n_targets):
    """The metrics with the methods that go with them; tops as long as targets."""
    methods = {
        "average_precision": ("jackknife", "bootstrap", "permutation"),
        f"recall@{n_targets}": (
            "jackknife",
            "bootstrap",
            "permutation",
        ),
        f"precision@{n_targets}": (
            "jackknife",
            "mcnemar",
            "posterior",
        ),
    }
    return {
        f"{metric} {method}": RankingComparison(metric, method=method, **DRAWS)
        for metric, names in methods.items()
        for method in names
    }


def over_data_sets():
    return {
        f"{N_SETS} sets, AP {method}": RankingComparison(method=method)
        for method in ("t", "sign", "wilcoxon", "jackknife")
    }


def draw(rng, n_targets, correlation, tied):
    """Labels and two scores whose noise is correlated within each class."""
    y_true = np.arange(N_SAMPLES) % (N_SAMPLES // n_targets) == 0
    noise = rng.normal(size=(3, N_SAMPLES))
    scores = np.sqrt(correlation) * noise[0] + np.sqrt(1 - correlation) * noise[1:]
    scores += SHIFT * y_true
    return y_true, (np.round(2 * scores) if tied else scores).T


def run(seed, n_targets, correlation, tied, pairs):
    warnings.simplefilter("ignore", UndefinedMetricWarning)
    rng = np.random.default_rng(seed)
    single, several = questions(n_targets), over_data_sets()
    called = dict.fromkeys([*single, *several], 0)
    lists = np.arange(N_SAMPLES) // (N_SAMPLES // N_SETS)
    for _ in range(pairs):
        sample = draw(rng, n_targets, correlation, tied)
        for name, question in single.items():
            called[name] += question.from_predictions(*sample).pvalue <= 0.05
        for name, question in several.items():
            result = question.from_predictions(*sample, groups=lists)
            called[name] += result.pvalue <= 0.05
    return {name: count / pairs for name, count in called.items()}


UNLIKE = (
    ("binormal", "binormal", 0.3),
    ("binormal", "binormal", 0.1),
    ("binormal", "half", 0.3),
    ("t2", "binormal", 0.3),
    ("lognormal", "half", 0.3),
)
SIZES = ((8, 1000), (15, 1000), (20, 5000), (60, 3000))


def run_unlike(seed, populations, target, m, n, pairs):
    """Sizes by Student's t and by the normal distribution, at 5 and at 1 %."""
    rng, y_true = np.random.default_rng(seed), np.arange(n) < m
    shifts = [
        find_shift(POPULATIONS[population], target, m / n) for population in populations
    ]
    found = []
    for _ in range(pairs):
        scores = {
            i: POPULATIONS[population](rng, x, y_true)
            for i, (population, x) in enumerate(zip(populations, shifts, strict=True))
        }
        result = RankingComparison().from_predictions(y_true, scores)
        found.append([result.difference, result.standard_error])
    difference, error = np.transpose(found)
    z = np.abs(difference - difference.mean()) / error
    pvalues = 2 * t(m - 1).sf(z), 2 * norm.sf(z)
    return [np.mean(p <= level) for p in pvalues for level in (0.05, 0.01)]


def main_unlike(pairs, jobs):
    settings = list(product(SIZES, UNLIKE))
    rows = Parallel(n_jobs=jobs)(
        delayed(run_unlike)(seed, populations, target, m, n, pairs)
        for seed, ((m, n), (*populations, target)) in enumerate(settings)
    )
    print(f"{'':<36}{'t .05':>7}{'.01':>7}{'z .05':>7}{'.01':>7}")
    for ((m, n), (a, b, target)), row in zip(settings, rows, strict=True):
        cells = "".join(f"{share:>7.3f}" for share in row)
        print(f"{f'{m} of {n}, {a}, {b}, {target}':<36}{cells}")


FEW = ("normal", "t3", "ties", "rare", "correlated", "complementary")
# Two models that differ by noise of this size
ALIKE = {"alike .001": 0.001, "alike .01": 0.01, "alike .1": 0.1, "twins": 0.001}
METRICS = ("average_precision", "precision@20", "bedroc(alpha=20)")


def draw_few(rng, population, m):
    """Labels and scores of two equally good rankings; 2 % targets, or 1 % if rare."""
    n = (100 if population == "rare" else 50) * m
    y_true, noise = np.arange(n) < m, rng.normal(size=(3, n))
    if population == "t3":
        return y_true, (rng.standard_t(3, (2, n)) + 2 * y_true).T
    if population == "ties":
        share = rng.beta(1 + 1.2 * y_true, 6 - 2.5 * y_true, (2, n))
        return y_true, np.round(7 * share).T
    if population == "correlated":
        scores = np.sqrt(0.8) * noise[0] + np.sqrt(0.2) * noise[1:]
        return y_true, (scores + 1.5 * y_true).T
    if population in ALIKE:
        score = rng.normal(1.5 * y_true)
        if population == "twins":
            score[m : 2 * m] = score[:m]
        scores = score + ALIKE[population] * noise[1:]
        return y_true, scores.T
    if population == "complementary":
        half = rng.random(n) < 0.5
        found = np.stack([y_true & half, y_true & ~half])
        return y_true, (noise[1:] + 3 * found).T
    return y_true, (noise[1:] + (2 if population == "rare" else 1.5) * y_true).T


def draw_better(rng, m, shift):
    """Labels, and scores of t3 with common noise, of which A has a larger shift."""
    y_true = np.arange(50 * m) < m
    noise = rng.standard_t(3, (3, 50 * m))
    scores = np.sqrt(0.5) * (noise[0] + noise[1:]) + 2.3 * y_true
    scores[0] += shift * y_true
    return y_true, scores.T


def run_few(seed, draw_pair, args, pairs):
    rng = np.random.default_rng(seed)
    tests = [
        RankingComparison(metric, method=method, n_resamples=999, random_state=rng)
        for metric in METRICS
        for method in ("permutation", "jackknife")
    ]
    samples = (draw_pair(rng, *args) for _ in range(pairs))
    found = [
        [one.from_predictions(*s).pvalue <= 0.05 for one in tests] for s in samples
    ]
    return np.mean(found, axis=0)


def main_few(pairs, jobs):
    sizes = [(draw_few, setting) for setting in product((*FEW, *ALIKE), (8, 15, 40))]
    powers = [(draw_better, setting) for setting in ((10, 1.5), (15, 1.2))]
    rows = Parallel(n_jobs=jobs)(
        delayed(run_few)(seed, *setting, pairs)
        for seed, setting in enumerate(sizes + powers)
    )
    print("permutation and jackknife by " + ", ".join(METRICS))
    for (_, setting), row in zip(sizes + powers, rows, strict=True):
        name = " ".join(map(str, setting))
        print(f"{name:<20}" + "".join(f"{share:>7.3f}" for share in row))


# Leaderboards: equally good rankings, of equal shape or of several
SHAPES = {
    "norm": lambda rng, x, y: rng.normal(x * y),
    "narrow": lambda rng, x, y: np.where(
        y, rng.normal(x, 0.25, y.size), rng.normal(size=y.size)
    ),
    "wide": lambda rng, x, y: np.where(
        y, rng.normal(x, 2.5, y.size), rng.normal(size=y.size)
    ),
    "half": lambda rng, x, y: rng.normal(x * (y & (rng.random(y.size) < 0.5))),
    "third": lambda rng, x, y: rng.normal(x * (y & (rng.random(y.size) < 0.3))),
}
BOARDS = {
    "2 equal": ("norm",) * 2,
    "6 equal": ("norm",) * 6,
    "15 equal": ("norm",) * 15,
    "narrow, third": ("narrow", "third"),
    "6 unlike": ("narrow", "wide", "half", "norm", "narrow", "wide"),
    "15 unlike": ("narrow", "wide", "half", "norm", "third") * 3,
}


def shift_of(shape, m, n, target, size=4000):
    """The shift with a mean AP of `target` in samples of m targets, by bisection."""
    y, (low, high) = np.arange(n) < m, (-1.0, 9.0)
    for _ in range(14):
        middle, rng = (low + high) / 2, np.random.default_rng(0)
        scores = (SHAPES[shape](rng, middle, y) for _ in range(size))
        ranks = np.stack([np.sort((-s).argsort().argsort()[:m]) for s in scores]) + 1
        above = np.mean(np.arange(1, m + 1) / ranks) > target
        low, high = (low, middle) if above else (middle, high)
    return middle


def run_board(seed, name, m, samples):
    """Shares of samples with any false statement, and without the first as the best."""
    rng, n = np.random.default_rng(seed), 400 if m < 40 else 1000
    y, shapes = np.arange(n) < m, BOARDS[name]
    shifts = {one: shift_of(one, m, n, 0.35) for one in set(shapes)}
    test, found = RankingComparison(n_resamples=4999), []
    warnings.simplefilter("ignore", UserWarning)
    for _ in range(samples):
        shared = rng.normal(size=n) if "equal" in name else 0.0
        scores = {
            f"{i}": 0.8 * SHAPES[one](rng, shifts[one], y) + 0.6 * shared
            for i, one in enumerate(shapes)
        }
        board = test.compare_all(y, scores).leaderboard()
        found.append([(board.rank_low > 1).any(), "0" not in board.best])
    return np.mean(found, axis=0)


# Margins: A is worse than B by the margin, or as good; kinds with their two shifts
MARGINS = {
    "normal": (1.3, 1.9),
    "half": (2.2, 3.6),
    "t3": (1.5, 2.5),
    "gamma": (1.2, 2.2),
    "votes": (2.0, 3.0),
    # shares of the targets that each loses of one ranking
    "lost .05": (0.05, 0.0),
    "lost .1": (0.1, 0.0),
    "lost .2": (0.2, 0.0),
    "lost .4": (0.4, 0.0),
}


def draw_margin(rng, kind, m, n, shifts):
    y = np.arange(n) < m
    if kind.startswith("lost"):
        score, below = rng.normal(2.5 * y), rng.normal(-1, size=n)
        lost = [y & (rng.random(n) < x) for x in shifts]
        return y, {i: np.where(one, below, score) for i, one in enumerate(lost)}
    if kind == "votes":
        item = rng.normal(size=n) - 2.4
        shares = (1 / (1 + np.exp(-item - x * y)) for x in shifts)
        return y, {i: rng.binomial(9, share) for i, share in enumerate(shares)}
    noise = {"t3": rng.standard_t(3, (3, n)), "gamma": rng.gamma(1, 1, (3, n))}
    one, *own = noise.get(kind, rng.normal(size=(3, n)))
    seen = y & (rng.random(n) < 0.5) if kind == "half" else y
    pairs = enumerate(zip(own, shifts, strict=True))
    return y, {i: np.sqrt(0.5) * (one + each) + x * seen for i, (each, x) in pairs}


def run_margin(seed, kind, m, samples):
    """Shares of claims at .05 and .01 at the margin, and of equal models; coverage."""
    rng, n, (a, b) = np.random.default_rng(seed), 400 if m < 20 else 600, MARGINS[kind]
    warnings.simplefilter("ignore", UserWarning)
    test, shares = RankingComparison(n_resamples=2), []
    values = [
        test.from_predictions(*draw_margin(rng, kind, m, n, (a, b))).difference
        for _ in range(2000)
    ]
    margin = -np.mean(values)
    for shifts in ((a, b), (a, a)):
        results = [
            test.from_predictions(*draw_margin(rng, kind, m, n, shifts))
            for _ in range(samples)
        ]
        for claim in ("noninferiority_pvalue", "equivalence_pvalue"):
            p = np.array([getattr(one, claim)(margin) for one in results])
            shares += [np.mean(p <= 0.05), np.mean(p <= 0.01)]
        if shifts == (a, b):
            limits = np.array([one.confidence_interval() for one in results])
            held = (limits[:, 0] <= -margin) & (-margin <= limits[:, 1])
    return [*shares, held.mean()]


def main_decisions(samples, jobs):
    boards = list(product(BOARDS, (8, 12, 40)))
    rows = Parallel(n_jobs=jobs)(
        delayed(run_board)(seed, *setting, samples)
        for seed, setting in enumerate(boards)
    )
    print("leaderboards: any false statement, the first left out")
    for (name, m), row in zip(boards, rows, strict=True):
        print(f"{f'{name}, {m}':<20}" + "".join(f"{share:>7.3f}" for share in row))
    margins = list(product(MARGINS, (8, 12, 25)))
    rows = Parallel(n_jobs=jobs)(
        delayed(run_margin)(seed, *setting, samples)
        for seed, setting in enumerate(margins)
    )
    print(
        "margins: not worse .05, .01, equivalent .05, .01; the same of equal models; "
        "coverage of the difference"
    )
    for (name, m), row in zip(margins, rows, strict=True):
        print(f"{f'{name}, {m}':<20}" + "".join(f"{share:>7.3f}" for share in row))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    settings = list(product((20, 100), (0.0, 0.7), (False, True)))
    columns = Parallel(n_jobs=args.jobs)(
        delayed(run)(seed, *setting, args.pairs)
        for seed, setting in enumerate(settings)
    )
    print("targets        " + " ".join(f"{m:>5}" for m, _, _ in settings))
    print("correlation    " + " ".join(f"{r:>5}" for _, r, _ in settings))
    print(
        "ties           " + " ".join(f"{'yes' if t else 'no':>5}" for *_, t in settings)
    )
    for name in columns[0]:
        print(f"{name:<29}" + " ".join(f"{c[name]:>5.3f}" for c in columns))
    main_unlike(args.pairs, args.jobs)
    main_few(args.pairs, args.jobs)
    main_decisions(args.pairs, args.jobs)


if __name__ == "__main__":
    main()
