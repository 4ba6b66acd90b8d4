"""Coverage of the intervals of lists of which a sample has labels.

Seven kinds of lists with 8, 40 and 300 targets among 4,000 items, three ways to choose
328 labels, five metrics. The list is fixed, the sample is random. Beside the interval
of the package stand those of other estimators: the normal interval by the delta method,
as of statAP (Aslam, Pavlu and Yilmaz 2006), and the posterior of Jeffreys in each
stratum, both of the expected value (xinfAP, Yilmaz, Kanoulas and Aslam 2008); and the
bootstrap of the labelled items with inverse chances as weights.

Usage: python coverage_of_sampled_lists.py [samples] [samples of the weights]
"""

import sys
import warnings

import numpy as np
from scipy.stats import norm

from skrank import MetricInterval, SampledMetricInterval, labels_to_collect, make_metric
from skrank.inference.sampled._interval import metric_values
from skrank.inference.sampled._placements import Placements
from skrank.inference.sampled._result import ranking_of

N, T, BUDGET, LISTS = 4000, 128, 328, 5
KINDS = ("random", "poor", "fair", "good", "perfect", "two topics", "clumps")
DESIGNS = ("rank^-1/2", "top and sample", "uniform")
METRICS = (
    "average_precision",
    f"recall@{T}",
    f"precision@{T}",
    f"expected_profit@{T}(benefit=20, cost=1)",
    "k_at_recall(0.8)",
)


def make_list(kind: str, m: int, rng: np.random.Generator) -> np.ndarray:
    """Return labels in the order of the ranking."""
    y, scores = np.arange(N) < m, rng.normal(size=N)
    if kind == "perfect":
        return y
    if kind == "two topics":
        first = int(0.7 * m)
        scores[:first] += 3.5
        scores[first:m] -= 0.5
    elif kind == "clumps":
        scores[:m] += np.repeat(rng.normal(1.5, 1.2, m // 5 + 1), 5)[:m]
    else:
        scores[:m] += KINDS.index(kind)
    return y[np.argsort(-scores)]


def sample(design: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return whether each item has a label, its stratum, and its chance."""
    place = np.arange(N)
    if design == "rank^-1/2":
        plan = labels_to_collect(-place, BUDGET, t=T, random_state=seed)
        return tuple(plan[one].to_numpy() for one in ("to_label", "stratum", "chance"))
    top = T if design == "top and sample" else 0
    rng, chosen = np.random.default_rng(seed), place < top
    chosen[top + rng.choice(N - top, BUDGET - top, replace=False)] = True
    chance = np.where(place < top, 1.0, (BUDGET - top) / (N - top))
    return chosen, (place >= top).astype(int), chance


def others(metric: object, result: object) -> dict[str, tuple[float, float]]:
    """Return the intervals of other estimators of the same sample."""
    ranking, rng = ranking_of(result), np.random.default_rng(0)
    at, x, r = Placements(ranking), ranking.n_found, ranking.n_labelled
    draws = rng.binomial(at.rooms, rng.beta(x + 0.5, r - x + 0.5, (500, x.size)))
    values = metric_values(metric, at, draws.astype(float), "mean")
    values = values[~np.isnan(values)]
    found = {"Jeffreys": tuple(np.quantile(values, [0.025, 0.975]))}
    share, n = x / r, ranking.n_items
    variance = at.rooms * n * share * (1 - share) / np.maximum(r - 1, 1)
    step = np.diag(np.maximum(1e-4 * n, 1e-6))
    high, low = (
        metric_values(metric, at, np.maximum(at.expected + sign * step, 0), "mean")
        for sign in (1, -1)
    )
    slope = (high - low) / (2 * np.diag(step))
    half = norm.isf(0.025) * np.sqrt(np.nansum(slope**2 * variance))
    return found | {"delta": (result.value - half, result.value + half)}


def main(n_samples: int, n_weighted: int) -> None:
    """Print a row for each design, kind of list, number of targets and metric."""
    warnings.simplefilter("ignore")
    print("design, list, targets, metric: one more target (width); others")
    worst: dict[tuple[str, ...], float] = {}
    for design in DESIGNS:
        for m in (8, 40, 300):
            for kind in KINDS:
                covered: dict[tuple[str, str], list[bool]] = {}
                widths: dict[str, list[float]] = {}
                for i in range(n_samples):
                    seed = [i % LISTS, m, KINDS.index(kind)]
                    y = make_list(kind, m, np.random.default_rng(seed))
                    chosen, strata, chance = sample(design, i)
                    labels, place = np.where(chosen, y, np.nan), -np.arange(N)
                    result = None
                    for name in METRICS:
                        metric = make_metric(name)
                        truth = metric(y, place)
                        ask = SampledMetricInterval(
                            name, n_resamples=500, random_state=i
                        )
                        result = (
                            ask.from_predictions(labels, place, strata=strata)
                            if result is None
                            else ask.from_result(result)
                        )
                        limits = tuple(result.confidence_interval())
                        widths.setdefault(name, []).append(limits[1] - limits[0])
                        found = {"one more target": limits} | others(metric, result)
                        if (
                            i < n_weighted
                            and name == METRICS[0]
                            and labels[chosen].sum() > 1
                        ):
                            weighted = MetricInterval(name, n_resamples=200)
                            found["weights"] = weighted.from_predictions(
                                y[chosen],
                                place[chosen],
                                sample_weight=1 / chance[chosen],
                            ).confidence_interval()
                        for method, (low, high) in found.items():
                            inside = low - 1e-9 <= truth <= high + 1e-9
                            covered.setdefault((name, method), []).append(inside)
                for name in METRICS:
                    shares = {
                        method: np.mean(values)
                        for (one, method), values in covered.items()
                        if one == name
                    }
                    for method, share in shares.items():
                        key = (method, name, design)
                        worst[key] = min(worst.get(key, 1.0), share)
                    text = ", ".join(
                        f"{one} {share:.3f}" for one, share in shares.items()
                    )
                    width = np.mean(widths[name])
                    print(
                        f"{design}, {kind}, {m}, {name}: {text}; width {width:.3g}",
                        flush=True,
                    )
    for key, share in sorted(worst.items()):
        print("worst:", *key, f"{share:.3f}", flush=True)


if __name__ == "__main__":
    main(*map(int, (*sys.argv[1:], 500, 50)[:2]))
