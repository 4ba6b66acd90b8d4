"""Metrics at another number of non-targets, for thinned data or for deployment.

All targets are kept. The F non-targets are replaced by N non-targets. The functions
compute with the numbers of non-targets above each tie group that holds targets.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_fraction,
    check_share,
    check_undefined,
    invalid,
)
from skrank.metrics._definitions._base import Metric
from skrank.metrics._evaluate import value_or
from skrank.ranking._as_ranking import as_ranking
from skrank.ranking._ranking import HitGroups, Ranking
from skrank.ranking._ties import TieGroups


def check_thinning(
    prevalence: float | None, negatives_kept: float | None
) -> tuple[float | None, float | None]:
    """Check that one of the two is given, and return both."""
    if (prevalence is None) == (negatives_kept is None):
        got = "neither" if prevalence is None else "both"
        rule = "be given, or else `negatives_kept`, and not both"
        raise invalid("prevalence", rule, got)
    if prevalence is not None:
        return check_fraction("prevalence", prevalence), None
    return None, check_share("negatives_kept", negatives_kept)


def count_non_targets(
    n_targets: float,
    n_kept: float,
    prevalence: float | None,
    negatives_kept: float | None,
) -> int:
    """Return the number of non-targets of the population or of the deployment."""
    if negatives_kept is not None:
        return round(n_kept / negatives_kept)
    assert prevalence is not None
    return max(1, round(n_targets * (1 - prevalence) / prevalence))


def with_non_targets(
    hits_above: NDArray[Any],
    hits: NDArray[Any],
    levels: NDArray[Any],
    above: NDArray[np.intp],
    through: NDArray[np.intp],
    total: int,
) -> Ranking:
    """Return the ranking of these targets among `total` non-targets.

    The numbers of non-targets are `above` each tie group, and `through` its end. Those
    between the groups are not tied.
    """
    begin = hits_above + above
    end = hits_above + hits + through
    m = int(hits.sum())
    ends = np.append(np.stack([begin, end], axis=1).ravel(), m + total)
    merged = np.arange(ends.size) % 2 == 0
    return Ranking(
        groups=HitGroups(begin, end - begin, hits_above, hits),
        levels=levels,
        n_samples=m + total,
        n_targets=m,
        n_non_targets=total,
        n_missed=0,
        items=TieGroups(ends, merged),
    )


def plug_in(ranking: Ranking, total: int) -> Ranking:
    """Return the ranking of `total` non-targets in which each kept one is repeated.

    Ranks are rounded to whole numbers, because some metrics need numbers of items.
    """
    groups = ranking.groups
    above = groups.above - groups.hits_above
    through = above + groups.size - groups.hits
    share = total / ranking.n_non_targets
    above, through = (np.rint(one * share).astype(int) for one in (above, through))
    return with_non_targets(
        groups.hits_above, groups.hits, ranking.levels, above, through, total
    )


def plug_in_value(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: Metric,
    prevalence: float | None,
    negatives_kept: float | None,
    pos_label: object = None,
    undefined: float | str = math.nan,
) -> float:
    """Return the value with repeated non-targets; see `make_metric_scorer`."""
    answer = check_undefined(undefined)
    ranking = as_ranking(y_true, y_score, pos_label=pos_label)
    m, n_kept = ranking.n_targets, ranking.n_non_targets
    if m and n_kept:
        total = count_non_targets(m, n_kept, prevalence, negatives_kept)
        ranking = plug_in(ranking, total)
    return value_or(metric, ranking, answer)
