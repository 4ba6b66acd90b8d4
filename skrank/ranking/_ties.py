"""The ties of a ranking in bounded memory, for any length of the ranking.

Near the top, every tie group is stored. At large depths only ties that are wide
relative to their depth are stored. The items between them are divided into stretches,
which are counted together, as if their order had no effect: neighbouring ranks differ
by at most a thousandth there. A stretch is not a tie. The result is the same for data
in memory and in chunks.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DETAILED = 2**20  # depth down to which groups are stored one by one

_Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class TieGroups:
    """The groups of a ranking, best first, by the depths at which they end.

    `merged` tells which groups are stretches, whose items are not tied. Missed targets
    have places below the last group. Depths do not reach them, but targets can be
    placed there.
    """

    ends: _Ints
    merged: NDArray[np.bool_]
    n_missed: int = 0
    several: bool = False  # whether it is one of several rankings; see `Ranking`

    @property
    def n_scored(self) -> int:
        """Number of items in the groups."""
        return int(self.ends[-1])

    @property
    def n_samples(self) -> int:
        """Number of items, scored or not."""
        return self.n_scored + self.n_missed

    @property
    def whole(self) -> bool:
        """Return True, because depths are counts."""
        return True

    @property
    def untied(self) -> bool:
        """Whether there are no ties, apart from those that stretches leave out."""
        sizes = np.diff(self.ends, prepend=0)
        return bool(np.all(self.merged | (sizes == 1)))

    def tie_groups(self) -> "TieGroups":
        """Return the groups, as the classes in `_items` do."""
        return self

    def group_end(self, depth: float) -> int:
        """Return the depth at which the tie that contains `depth` ends."""
        index = np.searchsorted(self.ends, depth)
        return int(depth if self.merged[index] else self.ends[index])

    def group_ends(self, depths: _Ints) -> _Ints:
        """Return the ends of the ties that contain the depths."""
        index = np.searchsorted(self.ends, depths)
        return np.where(self.merged[index], depths, self.ends[index])


def is_wide(start: _Ints, size: _Ints, n_samples: int) -> NDArray[np.bool_]:
    """Return whether ties that begin at a depth are too wide to be left out there."""
    # shares of the depth and of the ranking
    return (size * 128 >= start) & (size * 2**13 >= n_samples)


def tie_groups(
    ends: _Ints, wide_start: _Ints, wide_end: _Ints, n_samples: int
) -> TieGroups:
    """Return the groups of a ranking from its ends and its wide ties.

    `ends` has the ends of single groups, ascending from the top: of all groups, or at
    least of those that begin above `DETAILED`. `wide_start` and `wide_end` have at
    least the wide ties below, in any order; duplicates are allowed.
    """
    last = int(np.searchsorted(ends, DETAILED))
    if last + 1 >= ends.size and ends[-1] == n_samples:
        return TieGroups(ends, np.zeros(ends.size, dtype=bool))
    unknown = wide_start >= ends[-1]
    start, first = np.unique(
        np.append(ends[last:-1], wide_start[unknown]), return_index=True
    )
    end = np.append(ends[last + 1 :], wide_end[unknown])[first]
    wide = is_wide(start, end - start, n_samples)
    start, end = start[wide], end[wide]
    known = ends[: last + 1]
    cuts = [
        _cuts(begin, stop)
        for begin, stop in zip(
            np.append(known[-1], end).tolist(),
            np.append(start, n_samples).tolist(),
            strict=True,
        )
    ]
    below = np.unique(np.concatenate([end, *cuts]))
    tied = np.isin(below, end, assume_unique=True)
    return TieGroups(
        np.append(known, below), np.append(np.zeros(known.size, dtype=bool), ~tied)
    )


def untied(n_samples: int) -> TieGroups:
    """Return the groups of a ranking without ties."""
    nowhere = np.zeros(0, dtype=np.intp)
    known = np.arange(1, min(n_samples, DETAILED) + 1)
    return tie_groups(known, nowhere, nowhere, n_samples)


def _cuts(begin: int, stop: int) -> _Ints:
    """Return the ends of the stretches between two depths."""
    count = int(np.ceil(np.log(stop / begin) * 1024))  # a share of 1/1024 of the depth
    cuts = begin * (stop / begin) ** (np.arange(1, count + 1) / max(count, 1))
    return np.rint(cuts).astype(np.intp)
