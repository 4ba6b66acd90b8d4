"""Variance and bootstrap for clusters of items, such as the images of a patient.

Another sample would have other clusters, and so other numbers of targets and of items.
The contribution of a cluster is the sum of the influences of its items (the variance of
totals, as in Obuchowski 1997 for areas under the ROC curve). The bootstrap draws whole
clusters with replacement.
"""

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from skrank._utils._checks import invalid
from skrank.inference.variability._jackknife import values_without
from skrank.inference.variability._resampling import (
    Engine,
    Floats,
    batches,
    resampled_frame,
)
from skrank.inference.variability._sample import groups_of
from skrank.metrics._definitions import AnyMetric, Metric
from skrank.ranking._grouped import GroupedRankings, rank_groups
from skrank.ranking._input import RankingInput
from skrank.ranking._ranking import HitGroups, Ranking
from skrank.ranking._standing import Standing, standing

Codes = NDArray[np.intp]


def clusters_of_classes(ranking: Ranking, codes: Codes) -> tuple[int, int]:
    """Numbers of clusters with targets, and of clusters with non-targets."""
    targets, others = (int(np.count_nonzero(held)) for held in _counts(ranking, codes))
    return targets, others


def influences(metric: Metric, ranking: Ranking) -> Floats:
    """Change of the value by each item, if it is left out; O(n log m)."""
    items, is_target = _standing(ranking), _is_target(ranking)
    without = np.empty(is_target.size)
    of_targets, of_others = values_without(metric, ranking)
    without[ranking.items.targets] = of_targets[items.levels]
    without[~is_target] = of_others[items.places]
    return metric.value(ranking) - without


def check_two_way(metric: AnyMetric) -> None:
    """Check that the metric changes little if one item of many is left out."""
    if not (isinstance(metric, Metric) and metric.smooth):
        rule = "change little if an item is left out, for `groups` with `clusters`"
        raise invalid("metric", rule, metric.name)


def cell_changes(metric: Metric, ranking: Ranking, codes: Codes) -> Floats:
    """Change of the value by each cluster in a ranking, if it is left out.

    `codes` are numbered without gaps. The change is NaN if the metric is then
    undefined. O(n) for each cluster of several items, and O(n log m) for single items
    together.
    """
    size, is_target = np.bincount(codes), _is_target(ranking)
    n_targets, n_others = ranking.n_targets, ranking.n_non_targets
    if n_targets == 0 or not metric.is_defined(n_targets, n_others):
        return np.zeros(size.size)
    changes = np.bincount(codes, influences(metric, ranking)).astype(np.float64)
    # 64 MB of items of rankings without a cluster are held at once; half of it takes as
    # long, and benchmarks/clusters_over_groups.py stays below it
    n_portions = 1 + codes.size * size.size // 2**23
    for several in np.array_split(np.flatnonzero(size > 1), n_portions):
        row, items = np.nonzero(codes != several[:, None])
        data = RankingInput(is_target[items].nonzero()[0], ranking.items.y_score[items])
        many = rank_groups(data, row, several.size)
        with np.errstate(divide="ignore", invalid="ignore"):  # for undefined values
            frame = metric.frame(many, many.n_targets)
            values = metric.values(many.groups, many.row, several.size, frame)
        others = many.n_samples - many.n_targets
        values[~metric.is_defined(many.n_targets, others)] = math.nan
        changes[several] = metric.value(ranking) - values
    return changes


def satterthwaite(
    squares: NDArray[np.floating], fourths: NDArray[np.floating], n: int
) -> Floats:
    """Degrees of freedom of a sum of n squares, from it and the 4th powers.

    They are at most ``n - 1``, and fewer if a few totals make up most of the sum, such
    as those of the few ill patients (Satterthwaite 1946).
    """
    noise = np.asarray(fourths - squares**2 / n)
    most = np.full(noise.shape, n - 1.0)
    effective = np.divide(2 * squares**2, noise, where=noise > 0, out=most.copy())
    freedom: Floats = np.minimum(most, effective)
    return freedom


def cluster_bootstrap(
    metric: AnyMetric, rankings: tuple[Ranking, ...], codes: Codes
) -> Engine:
    """Bootstrap of clusters: values of a ranking, or differences; O(n) each."""
    for ranking in rankings:
        resampled_frame(metric, ranking)
    tables = [_tables(_standing(ranking), ranking, codes) for ranking in rankings]
    return partial(_bootstrap, metric, tables, _counts(rankings[0], codes))


def _bootstrap(
    metric: AnyMetric,
    tables: list[tuple[Any, Any]],
    counts: NDArray[np.intp],
    n_rankings: int,
    rng: np.random.Generator,
) -> Floats:
    values = []
    for size in batches(n_rankings, sum(others.shape[0] for _, others in tables)):
        times = _draw_clusters(size, counts, rng)
        found = [
            _values(metric, (hits @ times.T).T, (others @ times.T).T)
            for hits, others in tables
        ]
        values.append(found[0] if len(found) == 1 else found[0] - found[1])
    return np.concatenate(values)


def _draw_clusters(
    size: int, counts: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw the frequency of each cluster; again if a class is absent."""
    n = counts.shape[1]
    times = np.zeros((size, n), dtype=np.intp)
    lacking = np.arange(size)
    while lacking.size:
        times[lacking] = rng.multinomial(n, np.full(n, 1 / n), size=lacking.size)
        lacking = np.flatnonzero((times @ counts.T == 0).any(axis=1))
    return times


def _values(metric: AnyMetric, hits: Any, others: Any) -> Floats:
    """Values of rankings, a row each, by hits on levels, non-targets on places."""
    n_rankings, n_levels = hits.shape
    groups = groups_of(hits, others)
    parts = groups.above, groups.size, groups.hits_above, groups.hits
    held = np.flatnonzero(hits)
    found = HitGroups(*(part.ravel()[held] for part in parts))
    m, none = hits.sum(axis=1), np.empty(0, dtype=np.intp)
    many = GroupedRankings(
        found, held // n_levels, m + others.sum(axis=1), m, none, none
    )
    return metric.values(found, many.row, n_rankings, metric.frame(many, m))


def _tables(items: Standing, ranking: Ranking, codes: Codes) -> tuple[Any, Any]:
    """Numbers of a cluster's targets on each level and non-targets on each place."""
    is_target = _is_target(ranking)
    n, n_levels = int(codes.max()) + 1, items.n_places // 2
    pairs = (
        (items.levels, codes[ranking.items.targets], n_levels),
        (items.places, codes[~is_target], items.n_places),
    )
    hits, others = (
        csr_array((np.ones(at.size, dtype=np.intp), (at, of)), shape=(size, n))
        for at, of, size in pairs
    )
    return hits, others


def _counts(ranking: Ranking, codes: Codes) -> NDArray[np.intp]:
    """Numbers of targets and of non-targets in each cluster."""
    items = np.bincount(codes)
    targets = np.bincount(codes[ranking.items.targets], minlength=items.size)
    return np.stack([targets, items - targets])


def _standing(ranking: Ranking) -> Standing:
    return standing(ranking.items.y_score, ranking.items.targets, ranking.levels[::-1])


def _is_target(ranking: Ranking) -> NDArray[np.bool_]:
    return RankingInput(ranking.items.targets, ranking.items.y_score).is_target
