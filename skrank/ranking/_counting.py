"""Count the scores below and level with given levels; no item is put in order.

All that a measure asks of a ranking is, for each distinct score of a target, how many
items stand above it and how many share it. Two ways lead to these counts, and both are
exact:

- The *sieve*, for few levels: scores fall into buckets of equal width. Where a bucket
  holds no level, counting its scores is enough; the few that share a bucket with a
  level are looked at twice.
- Else the score *values* are sorted in pieces that stay in the processor's cache, and
  the levels are looked up in each piece.

The rule: the sieve for up to ``_MOST_SIEVED`` levels among ``_LEAST_SIEVED`` or more
scores, until more than ``_MOST_HELD`` of a piece have to be looked at twice, as where
scores tie; the sort otherwise.
Where sorting is vectorised the two differ by less than half; where it is not, the sieve
is ten times as fast. Extra memory is that of a few pieces, whatever the length.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_SIEVED = 2**9  # levels; with more, too many scores share a bucket with one
_MOST_HELD = 1 / 4  # share of the scores that are looked at twice, as ties are
_LEAST_SIEVED = 2**16  # scores; fewer are sorted in the time it takes to begin
_LEAST_SEARCHED = 2**14  # scores from which the sieve is faster than the search alone
_PIECE = 2**16  # scores or levels, which the cache holds with their buckets
_LONG_PIECE = 2**22  # bytes at most, where there are many levels to look up in each
_BUCKETS = 2**14  # of scores; their counts stay in the processor's cache


def count_levels(
    scores: NDArray[Any], levels: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count the scores of one ranking below and level with each level.

    A short ranking is a single piece, and needs no more than its two searches.
    """
    if scores.size < _PIECE:
        ordered = np.sort(scores)
        first = ordered.searchsorted(levels)
        return first, ordered.searchsorted(levels, side="right") - first
    counts = LevelCounts(levels)
    counts.add(scores)
    return counts.below, counts.level_with


class LevelCounts:
    """How many of the scores added so far are below, and level with, each level.

    `levels` are distinct and ascending, of the type of the scores. Cost of `add`: O(n)
    with few levels; else O(n log p + m n / p) for pieces of p scores.
    """

    def __init__(self, levels: NDArray[Any]) -> None:
        self.levels = levels.astype(_sorted_type(levels.dtype), copy=False)
        self.n_samples = 0
        self.below = np.zeros(levels.size, dtype=np.int64)
        self.level_with = np.zeros(levels.size, dtype=np.int64)

    def add(self, scores: NDArray[Any]) -> None:
        """Count more scores."""
        n, m = scores.size, self.levels.size
        self.n_samples += n
        if m == 0 or n == 0:
            return
        sieve = None
        if m <= _MOST_SIEVED and n >= _LEAST_SIEVED:
            sieve = sieve_of(self.levels)
        if sieve is not None:
            self._sift(scores, sieve)
        else:
            self._sort_and_search(scores)

    def merge(self, other: "LevelCounts") -> None:
        """Take the counts of other scores, on the same levels."""
        self.n_samples += other.n_samples
        self.below += other.below
        self.level_with += other.level_with

    def _sift(self, scores: NDArray[Any], sieve: "Sieve") -> None:
        """Count by buckets; look twice at scores that share one with a level."""
        counts = np.zeros(sieve.held.size, dtype=np.int64)
        unsure = scores[:0]
        for start in range(0, scores.size, _PIECE):
            piece = scores[start : start + _PIECE]
            bucket = sieve.buckets(piece)
            counts += np.bincount(bucket, minlength=counts.size)
            held = piece[sieve.held[bucket]]
            unsure = np.concatenate([unsure, held])
            if held.size > _MOST_HELD * piece.size:
                self._sort_and_search(scores[start + _PIECE :])
                break
            if unsure.size >= _PIECE:
                self._sort_and_search(unsure)
                unsure = scores[:0]
        counts[sieve.held] = 0
        self.below += np.cumsum(counts)[sieve.buckets(self.levels)]
        self._sort_and_search(unsure)

    def _sort_and_search(self, scores: NDArray[Any]) -> None:
        """Sort the values piece by piece, and look the levels up in each."""
        most = min(_LONG_PIECE // self.levels.itemsize, scores.size)
        length = min(max(_PIECE, 32 * self.levels.size), most)
        room = np.empty(length, self.levels.dtype)  # made once: fresh memory is slow
        for start in range(0, scores.size, max(length, 1)):
            piece = scores[start : start + length]
            ordered = room[: piece.size]
            ordered[:] = piece
            ordered.sort()
            for first in range(0, self.levels.size, _PIECE):
                self._search(ordered, slice(first, first + _PIECE))

    def _search(self, ordered: NDArray[Any], part: slice) -> None:
        """Look up levels; where one is found, look for the end of its tie too."""
        levels = self.levels[part]
        first = ordered.searchsorted(levels)
        self.below[part] += first
        found = ordered[np.minimum(first, ordered.size - 1)] == levels
        present = found.nonzero()[0]
        last = ordered.searchsorted(levels[present], side="right")
        self.level_with[part][present] += last - first[present]


class Sieve:
    """Buckets of equal width between the levels, in the same order as they are."""

    def __init__(self, levels: NDArray[Any], scale: np.floating[Any]) -> None:
        self.start, self.scale = scale.dtype.type(levels[0]), scale
        self.held = np.zeros(_BUCKETS + 2, dtype=bool)  # buckets that hold a level
        self.held[self.buckets(levels)] = True

    def buckets(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        """Bucket of each score; the first and the last are outside all levels."""
        with np.errstate(over="ignore"):  # the infinite is outside too
            place: NDArray[Any] = np.subtract(
                scores, self.start, dtype=self.scale.dtype
            )
            place *= self.scale
        np.clip(place, -1, _BUCKETS, out=place)
        place += 1
        bucket: NDArray[np.intp] = place.astype(np.intp)
        return bucket


def _sorted_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type to sort in: integers of less than 32 bits are widened, which sort faster."""
    return np.promote_types(dtype, np.int32) if dtype.itemsize < 4 else dtype


def sieve_of(levels: NDArray[Any]) -> Sieve | None:
    """Sieve between ascending levels, if the computer's numbers can tell them apart."""
    width = float(levels[-1]) - float(levels[0])
    with np.errstate(divide="ignore", over="ignore"):
        scale = np.result_type(levels, np.float32).type(np.divide(_BUCKETS - 1, width))
    return Sieve(levels, scale) if 0 < scale < np.inf else None


def levels_below(scores: NDArray[Any], levels: NDArray[Any]) -> NDArray[np.intp]:
    """Number of levels below each score: a sorted search, spared where it can be.

    Where a bucket holds no level, all its scores have the same levels below them.
    """
    sieve = sieve_of(levels) if scores.size >= _LEAST_SEARCHED else None
    if sieve is None:
        return np.searchsorted(levels, scores)
    held = np.bincount(sieve.buckets(levels), minlength=sieve.held.size)
    bucket = sieve.buckets(scores)
    below: NDArray[np.intp] = np.cumsum(held)[bucket]
    unsure = np.flatnonzero(sieve.held[bucket])
    below[unsure] = np.searchsorted(levels, scores[unsure])
    return below
