"""Coverage of the intervals of MetricVariability, by simulation.

A population has normal scores, targets shifted, or scores of 15 nearest neighbours
(binomial counts, heavily tied). Its shift gives a population AP of 0.05 to 0.8. Each
run draws m targets and the others to a prevalence, and asks whether the interval holds
the mean of the metric over all runs. The table has the share of runs where it does.

    python benchmarks/coverage_of_intervals.py --runs 2000 --metric average_precision
"""

import argparse

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit

from skrank import MetricVariability, average_precision

POPULATION_APS = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)


def binormal(rng, shift, size):
    return rng.normal(shift, 1, size)


def neighbours(rng, shift, size):
    return rng.binomial(15, expit(rng.normal(1.5 * shift, 1.5, size) - 4)).astype(float)


LAWS = {"binormal": binormal, "neighbours": neighbours}


def draw(rng, law, shift, m, n):
    y_score = np.concatenate([law(rng, shift, m), law(rng, 0.0, n - m)])
    return np.arange(n) < m, y_score


def find_shift(law, target, prevalence):
    """Shift at which the AP of a large sample is the target."""
    low, high = 0.0, 9.0
    for _ in range(16):
        middle = (low + high) / 2
        sample = draw(
            np.random.default_rng(1), law, middle, 4000, int(4000 / prevalence)
        )
        low, high = (
            (middle, high) if average_precision(*sample) < target else (low, middle)
        )
    return middle


def run(seed, name, target, shift, m, args):
    rng = np.random.default_rng(seed)
    n = round(m / args.prevalence)
    settings = {"random_state": 0, "n_resamples": 300}
    for depth in ("t", "k"):
        if getattr(args, depth) is not None:
            share = getattr(args, depth)
            settings[depth] = max(1, round(share * m))
    questions = [
        MetricVariability(args.metric, method=method, **settings)
        for method in args.methods
    ]
    found = [[] for _ in questions]
    for _ in range(args.runs):
        sample = draw(rng, LAWS[name], shift, m, n)
        for question, results in zip(questions, found, strict=True):
            results.append(question.from_predictions(*sample))
    values = np.array([result.estimate for result in found[0]])
    rows = [f"{name:<11} {target:>4}  {m:>4} {values.mean():.3f} {values.std():.3f}"]
    for results in found:
        error = np.sqrt(np.mean([r.standard_error**2 for r in results])) / values.std()
        for level in (0.95, 0.8):
            limits = np.array([r.confidence_interval(level) for r in results])
            holds = (limits[:, 0] <= values.mean()) & (values.mean() <= limits[:, 1])
            rows.append(f"{holds.mean():>6.3f}")
        rows.append(f"{error:>6.2f}")
    return " ".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", default="average_precision")
    parser.add_argument("--t", type=float, help="as a multiple of the targets")
    parser.add_argument("--k", type=float, help="as a multiple of the targets")
    parser.add_argument("--prevalence", type=float, default=0.02)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--targets", type=int, nargs="+", default=[10, 30, 100, 300])
    parser.add_argument("--aps", type=float, nargs="+", default=POPULATION_APS)
    parser.add_argument("--methods", nargs="+", default=["auto"])
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    print(
        f"{args.metric} t={args.t} k={args.k} m, {args.runs} runs; of each method the"
    )
    print("coverage at 95 and 80 %, and root mean square error over true deviation:")
    print(" ".join(args.methods))
    print("law           AP     m  mean    sd")
    tasks = []
    for name, law in LAWS.items():
        for target in args.aps:
            if target >= 2 * args.prevalence:
                shift = find_shift(law, target, args.prevalence)
                tasks += [(name, target, shift, m) for m in args.targets]
    lines = Parallel(n_jobs=args.jobs, return_as="generator")(
        delayed(run)(seed, *task, args) for seed, task in enumerate(tasks)
    )
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
