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

DETAILED = 2**20  # depth above which groups are known one by one
_WIDE = 128  # a tie is wide from this part of its depth on,
_WIDE_OF_ALL = 2**13  # and from this part of the ranking
_STRETCH = 1024  # part of its depth that a stretch takes

_Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class TieGroups:
    """The groups of a ranking, best first, by the depths they end at.

    `merged` tells the stretches, whose items are not tied, from the ties. Below the
    last group there may be places of items that were never scored: no depth reaches
    them, but targets may fall there.
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
        """Depths are counts."""
        return True

    @property
    def weighted(self) -> bool:
        """Depths are no sums of weights."""
        return False

    @property
    def untied(self) -> bool:
        """Whether there are no ties, but for those that stretches leave out."""
        sizes = np.diff(self.ends, prepend=0)
        return bool(np.all(self.merged | (sizes == 1)))

    def tie_groups(self) -> "TieGroups":
        """Return them, as searches do that have found them."""
        return self

    def group_end(self, depth: float) -> int:
        """Depth at which the tie that reaches across `depth` ends."""
        index = np.searchsorted(self.ends, depth)
        return int(depth if self.merged[index] else self.ends[index])

    def group_ends(self, depths: _Ints) -> _Ints:
        """Ends of the ties that reach across depths."""
        index = np.searchsorted(self.ends, depths)
        return np.where(self.merged[index], depths, self.ends[index])


def is_wide(start: _Ints, size: _Ints, n_samples: int) -> NDArray[np.bool_]:
    """Whether ties that begin at a depth are too wide to be left out there."""
    return (size * _WIDE >= start) & (size * _WIDE_OF_ALL >= n_samples)


def tie_groups(
    ends: _Ints, wide_start: _Ints, wide_end: _Ints, n_samples: int
) -> TieGroups:
    """Groups from what is known of a ranking, and no more than the rule allows.

    `ends` has those known one by one, ascending from the top: all of them, or at least
    those that begin above `DETAILED`. `wide_start` and `wide_end` have at least the
    wide ties below, in any order, also several times.
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
    """Groups of a ranking without ties."""
    nowhere = np.zeros(0, dtype=np.intp)
    known = np.arange(1, min(n_samples, DETAILED) + 1)
    return tie_groups(known, nowhere, nowhere, n_samples)


def _cuts(begin: int, stop: int) -> _Ints:
    """Ends of the stretches between two depths."""
    count = int(np.ceil(np.log(stop / begin) * _STRETCH))
    cuts = begin * (stop / begin) ** (np.arange(1, count + 1) / max(count, 1))
    return np.rint(cuts).astype(np.intp)
