"""A ranking as counts of targets on levels and of non-targets on places.

The *levels* are the distinct scores of targets, best first. They divide the non-targets
into 2 L + 1 *places*, numbered from the top: place 2 l lies above level l and below
level l - 1, and place 2 l + 1 is tied with level l. Every metric of a ranking, and of
its resamples, is a function of the counts on levels and places. The number of items has
no effect on the time.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from skrank._utils._rounding import ROUNDING
from skrank.metrics._definitions import AnyMetric
from skrank.ranking._ranking import HitGroups, Ranking

Counts = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Numbers of targets on each level, and of non-targets on each place."""

    hits: Counts
    others: Counts

    @property
    def n_targets(self) -> float:
        """Number of targets."""
        return self.hits.sum()  # type: ignore[no-any-return]

    @property
    def n_non_targets(self) -> float:
        """Number of non-targets."""
        return self.others.sum()  # type: ignore[no-any-return]

    @property
    def groups(self) -> HitGroups:
        """The levels as tie groups."""
        return groups_of(self.hits, self.others)


def sample_of(ranking: Ranking) -> Sample:
    """Count the targets on each level and the non-targets on each place; O(m)."""
    groups = ranking.groups
    above = groups.above - groups.hits_above
    tied = groups.size - groups.hits
    bounds = np.stack([above, above + tied], axis=1).ravel()
    last = ranking.n_non_targets
    return Sample(groups.hits, np.diff(bounds, prepend=0, append=last))


def groups_of(hits: Counts, others: Counts) -> HitGroups:
    """Tie groups of rankings with these counts, on the last axis; some may be empty.

    A level without items has size 0. A level begins exactly where the one above it
    ends, also for weights.
    """
    hits_above = np.zeros_like(hits)
    np.cumsum(hits[..., :-1], axis=-1, out=hits_above[..., 1:])
    above = hits_above + np.cumsum(others, axis=-1)[..., :-1:2]
    return HitGroups(above, hits + others[..., 1::2], hits_above, hits)


# A value is certain if it does not depend on the order: all scores are equal, or the
# top t has all items. The difference of two rankings with the same order is certain as
# well. A sample without variation is a different case: all resamples of a perfect
# ranking are perfect, but the next sample need not be.


def is_certain(metric: AnyMetric, ranking: Ranking) -> bool:
    """Whether every ranking with these numbers of items and targets has the value."""
    whole = not metric.ordered and asked_cut(metric, ranking) >= ranking.n_samples
    return whole or is_one_tie(ranking)


def is_one_tie(ranking: Ranking) -> bool:
    """Whether all items have the same score."""
    size = ranking.groups.size  # empty without targets
    # sums of weights have rounding errors
    return bool(size.size and size[0] >= (1 - ROUNDING) * ranking.n_samples)


def asked_cut(metric: AnyMetric, ranking: Ranking) -> float:
    """Depth of the cutoff as requested, before it is moved to the end of a tie."""
    return float(replace(metric, ties="expected").cut(ranking, ranking.n_targets))


def same_order(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two scores have the same order with the same ties; O(n log n)."""
    return np.array_equal(rankdata(a), rankdata(b))
