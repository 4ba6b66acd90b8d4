"""A ranking as a sample: so many targets on each level, so many others on each place.

The *levels* are the distinct scores of targets, best first. They cut the others into 2
L + 1 *places*, numbered from the top: place 2 l lies above level l and below level l -
1, place 2 l + 1 is tied with level l. All that any measure sees of a ranking, and of
any ranking resampled from it, are the counts on levels and places; the number of items
does not matter from here on.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.ranking._ranking import HitGroups, Ranking

Counts = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """How many targets stand on each level, and how many others on each place."""

    hits: Counts
    others: Counts

    @property
    def n_targets(self) -> float:
        """Number of targets."""
        return self.hits.sum()  # type: ignore[no-any-return]

    @property
    def n_non_targets(self) -> float:
        """Number of others."""
        return self.others.sum()  # type: ignore[no-any-return]

    @property
    def groups(self) -> HitGroups:
        """The levels as tie groups."""
        return groups_of(self.hits, self.others)


def sample_of(ranking: Ranking) -> Sample:
    """Count the targets on each level and the others on each place; O(m)."""
    groups = ranking.groups
    above = groups.above - groups.hits_above
    tied = groups.size - groups.hits
    bounds = np.stack([above, above + tied], axis=1).ravel()
    last = ranking.n_non_targets
    return Sample(groups.hits, np.diff(bounds, prepend=0, append=last))


def groups_of(hits: Counts, others: Counts) -> HitGroups:
    """Tie groups of rankings with these counts, on the last axis; some may be empty.

    An empty level has size 0 where nothing else is on it.
    """
    hits_above = np.cumsum(hits, axis=-1) - hits
    above = hits_above + np.cumsum(others, axis=-1)[..., :-1:2]
    return HitGroups(above, hits + others[..., 1::2], hits_above, hits)
