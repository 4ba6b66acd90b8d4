"""Coverage of the intervals of MetricInterval, by simulation.

Each population has a distribution of the scores of targets and one of non-targets, and
a shift between them that gives a population AP of 0.05 to 0.8, if it can be reached:

- binormal: normal scores;
- t2: heavy tails of both, Student's t with 2 degrees of freedom;
- lognormal: skewed scores, those of targets shifted;
- half: half of the targets are shifted, and half are like the non-targets;
- decoys: the same, and one in a hundred of the non-targets is shifted;
- neighbours: counts among 15 nearest neighbours, with many ties;
- tie: normal scores, all below 1 tied.

Each run draws m targets and the non-targets for a prevalence, and checks whether the
interval contains the mean of the metric over all runs. A row has this mean, the
standard deviation, and for each method the coverage at 95 and 80 %, the median width at
95 %, and the standard error divided by the standard deviation, as a root mean square.

    python benchmarks/coverage_of_intervals.py --runs 2000 --metric average_precision
    python benchmarks/coverage_of_intervals.py --metric recall --cutoff 1
"""

import argparse

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit

from skrank import MetricInterval, average_precision

POPULATION_APS = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)


def binormal(rng, shift, is_target):
    return rng.normal(shift * is_target)


def t2(rng, shift, is_target):
    return rng.standard_t(2, is_target.size) + shift * is_target


def lognormal(rng, shift, is_target):
    return rng.lognormal(size=is_target.size) + shift * is_target


def half(rng, shift, is_target, decoys=0.0):
    share = np.where(is_target, 0.5, decoys)
    return rng.normal(shift * (rng.random(is_target.size) < share))


def decoys(rng, shift, is_target):
    return half(rng, shift, is_target, decoys=0.01)


def neighbours(rng, shift, is_target):
    odds = rng.normal(1.5 * shift * is_target, 1.5) - 4
    return rng.binomial(15, expit(odds)).astype(float)


def tie(rng, shift, is_target):
    return np.maximum(rng.normal(shift * is_target), 1.0)


POPULATIONS = {
    population.__name__: population
    for population in (binormal, t2, lognormal, half, decoys, neighbours, tie)
}


def draw(rng, population, shift, m, n):
    is_target = np.arange(n) < m
    return is_target, population(rng, shift, is_target)


def find_shift(population, target, prevalence):
    """Shift at which the AP of a large sample is the target."""
    low, high = 0.0, 30.0
    for _ in range(16):
        middle = (low + high) / 2
        sample = draw(
            np.random.default_rng(1), population, middle, 4000, int(4000 / prevalence)
        )
        low, high = (
            (middle, high) if average_precision(*sample) < target else (low, middle)
        )
    return middle if abs(average_precision(*sample) - target) < target / 10 else None


def run(seed, name, target, shift, m, args):
    rng = np.random.default_rng(seed)
    n = round(m / args.prevalence)
    metric = args.metric
    if args.cutoff is not None:
        metric += f"@{max(1, round(args.cutoff * m))}"
    questions = [
        MetricInterval(metric, method=method, n_resamples=300, random_state=0)
        for method in args.methods
    ]
    found = [[] for _ in questions]
    for _ in range(args.runs):
        sample = draw(rng, POPULATIONS[name], shift, m, n)
        for question, results in zip(questions, found, strict=True):
            results.append(question.from_predictions(*sample))
    values = np.array([result.value for result in found[0]])
    rows = [f"{name:<11} {target:>4}  {m:>4} {values.mean():.3f} {values.std():.3f}"]
    for results in found:
        error = np.sqrt(np.mean([r.standard_error**2 for r in results])) / values.std()
        for level in (0.95, 0.8):
            limits = np.array([r.confidence_interval(level) for r in results])
            holds = (limits[:, 0] <= values.mean()) & (values.mean() <= limits[:, 1])
            rows.append(f"{holds.mean():>6.3f}")
            if level == 0.95:
                width = np.median(limits[:, 1] - limits[:, 0])
        rows.append(f"{width:>6.3f}")
        rows.append(f"{error:>6.2f}")
    return " ".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", default="average_precision")
    parser.add_argument("--cutoff", type=float, help="as a multiple of the targets")
    parser.add_argument("--prevalence", type=float, default=0.02)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--targets", type=int, nargs="+", default=[10, 30, 100, 300])
    parser.add_argument("--aps", type=float, nargs="+", default=POPULATION_APS)
    parser.add_argument(
        "--populations", nargs="+", choices=POPULATIONS, default=list(POPULATIONS)
    )
    parser.add_argument("--methods", nargs="+", default=["auto"])
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    print(
        f"{args.metric}, cutoff {args.cutoff} m, {args.runs} runs; of each method the"
    )
    print("coverage at 95 and 80 %, width, root mean square error over true deviation:")
    print(" ".join(args.methods))
    print("distribution           AP     m  mean    sd")
    tasks = []
    for name in args.populations:
        population = POPULATIONS[name]
        for target in args.aps:
            if target >= 2 * args.prevalence:
                shift = find_shift(population, target, args.prevalence)
                if shift is None:
                    continue
                tasks += [(name, target, shift, m) for m in args.targets]
    lines = Parallel(n_jobs=args.jobs, return_as="generator")(
        delayed(run)(seed, *task, args) for seed, task in enumerate(tasks)
    )
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
