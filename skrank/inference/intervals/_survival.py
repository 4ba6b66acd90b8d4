"""Standard error by survival analysis: the ranks of the targets are survival times.

Recall at t is one minus the share of targets that survive rank t. The targets are
treated as independent (Su and Zhang, slides).
"""

import numpy as np

from skrank.metrics._definitions import AveragePrecision, Metric
from skrank.ranking._ranking import HitGroups, Ranking


def survival_error(metric: Metric, ranking: Ranking) -> float:
    """Standard error of hits above a cutoff, or of average precision; O(m)."""
    frame = metric.frame(ranking, ranking.n_targets)
    if isinstance(metric, AveragePrecision):
        return _average_precision_error(ranking.groups, ranking.n_targets)
    hits = (metric.value(ranking) - metric.offset(frame)) * metric.divisor(frame)
    recall = hits / frame.n_targets
    variance = frame.n_targets * recall * (1 - recall)
    return float(np.sqrt(variance) / metric.divisor(frame))


def _average_precision_error(groups: HitGroups, n_targets: float) -> float:
    """Standard error of the sum of r(t) / t over the ranks t of the hits, as fixed.

    Cov(r(s), r(t)) = r(s) (1 - r(t)) / m for s <= t. Hits in a tie are evenly spaced.
    """
    index = np.repeat(np.arange(groups.hits.size), groups.hits)
    found = np.arange(1, index.size + 1)
    step = (groups.size[index] + 1) / (groups.hits[index] + 1)
    rank = groups.above[index] + (found - groups.hits_above[index]) * step
    recall = found / n_targets
    reached, left = recall / rank, (1 - recall) / rank
    pairs = reached * (left + 2 * (np.cumsum(left[::-1])[::-1] - left))
    return float(np.sqrt(pairs.sum() / n_targets))
