"""Count the scores below and equal to given levels, without sorting all items.

A metric needs, for each distinct score of a target, the number of items above it and
the number of items that share it. There are two methods. Both are exact, and faster
than ``np.sort``, whose time differs by a factor of six between machines:

- The *sieve*: scores are assigned to buckets by a monotone map. If a bucket holds no
  level, its scores are only counted. The few scores that share a bucket with a level
  are compared with the levels of the bucket by one to three steps of a search.
- A ranking shorter than ``_LEAST_SIEVED`` is sorted, and the levels are looked up.

The levels, in ascending order, divide all numbers into 2 m + 1 places, from below:
place 2 j + 1 is level j, and place 2 j is between level j - 1 and level j.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.ranking._buckets import Buckets, EqualWidth, LeadingBits, sorted_values

# Number of scores below which they are sorted, because the sieve needs some time to
# start. Set by 10,000 and 20,000 items in benchmarks/peers.py; with half of it, the
# former take twice the time.
_LEAST_SIEVED = 2**14

# Number of scores in a piece, which stays in the processor's cache with its buckets: an
# eighth of the ranking, within these bounds. Set by 20,000 and a million items in
# benchmarks/peers.py; with half of the bounds, the overhead of NumPy calls adds a tenth
# and a twentieth of the time.
_LEAST_PIECE, _MOST_PIECE = 2**13, 2**16


def count_levels(
    scores: NDArray[Any], levels: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count the scores below and equal to each level; O(n + m) for long rankings.

    `levels` are distinct and ascending, and have the type of the scores.
    """
    if scores.size < _LEAST_SIEVED or not levels.size:
        ordered = sorted_values(scores)
        below = ordered.searchsorted(levels)
        return below, ordered.searchsorted(levels, side="right") - below
    with np.errstate(over="ignore"):  # infinite scores are outside of all levels
        counts = _sieve_for(scores, levels).count(scores)
    return counts.cumsum()[:-1:2], counts[1::2]


def places_among(scores: NDArray[Any], levels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each score among at least one level."""
    if scores.size < _LEAST_SIEVED:
        below = levels.searchsorted(scores)
        tied: NDArray[np.bool_] = levels.take(below, mode="clip") == scores
        return 2 * below + tied
    with np.errstate(over="ignore"):
        return _sieve_for(scores, levels).places(scores)


class LevelCounts:
    """Counts of the scores added so far that are below, and equal to, each level.

    `levels` are distinct and ascending, and have the type of the scores.
    """

    def __init__(self, levels: NDArray[Any]) -> None:
        self.levels = levels
        self.n_samples = 0
        self.below = np.zeros(levels.size, dtype=np.int64)
        self.level_with = np.zeros(levels.size, dtype=np.int64)

    def add(self, scores: NDArray[Any]) -> None:
        """Count more scores."""
        self.n_samples += scores.size
        if scores.size >= _LEAST_SIEVED:
            below, level_with = count_levels(scores, self.levels)
            self.below += below
            self.level_with += level_with
        elif scores.size:  # a few scores can equal few of the levels only
            ordered = sorted_values(scores)
            first = ordered.searchsorted(self.levels)
            self.below += first
            found: NDArray[np.bool_] = ordered.take(first, mode="clip") == self.levels
            present = found.nonzero()[0]
            last = ordered.searchsorted(self.levels.take(present), side="right")
            self.level_with[present] += last - first.take(present)

    def merge(self, other: "LevelCounts") -> None:
        """Add the counts of other scores at the same levels."""
        self.n_samples += other.n_samples
        self.below += other.below
        self.level_with += other.level_with


class _Sieve:
    """Buckets of scores, some of which hold levels.

    Each bucket has a usual place. A bucket without levels has all of its scores in this
    place. In other buckets, the usual place is that of the first level, if scores are
    tied. All scores that can be in another place are searched. `cost` is the cost of
    the search for each score, in steps.
    """

    def __init__(
        self, levels: NDArray[Any], buckets: Buckets, sample: NDArray[Any]
    ) -> None:
        self.levels, self.buckets = levels, buckets
        n_levels = np.zeros(buckets.size, np.intp)
        for part in pieces(levels.size):
            np.add.at(n_levels, buckets(levels[part]), 1)
        self.held = n_levels > 0
        self.start = n_levels.cumsum() - n_levels  # number of levels in lower buckets
        self.steps = int(n_levels.max()).bit_length()
        self.first: NDArray[Any] | None = None  # level of each bucket, if scores tie
        self.common = levels[:0]  # scores that many items share, then
        bucket = buckets(sample)
        held = self.held.take(bucket)
        unsure = np.count_nonzero(held) / sample.size
        # With half of the fixed cost of searching a score, or of the share from which
        # scores may be ties, the order of the costs stays.
        self.look = 2.5 + self.steps
        self.cost = unsure * self.look
        if unsure > 1 / 8:
            self._tell_ties(sample, bucket, held)

    def _tell_ties(
        self, sample: NDArray[Any], bucket: NDArray[np.intp], held: NDArray[np.bool_]
    ) -> None:
        """Compare scores with a level of their bucket first, if this is cheaper."""
        first = self.levels.take(self.start, mode="clip")
        unsure = np.count_nonzero(held & (first.take(bucket) != sample)) / sample.size
        cost = 0.4 + unsure * self.look  # the first is that of comparing, in steps
        if cost < self.cost:
            self.cost, self.first = cost, first
            values, sizes = np.unique(sample, return_counts=True)
            # these are compared with all scores; set by 21 distinct scores in
            # benchmarks/peers.py; with half of the share the time is the same
            self.common = values[sizes > sample.size / 10]

    def count(self, scores: NDArray[Any]) -> NDArray[np.int64]:
        """Return the number of scores in each place."""
        total = np.zeros(2 * self.levels.size + 1, np.int64)
        number = np.int32 if scores.size < 2**31 else np.int64
        counts, one = np.zeros(self.buckets.size, number), number(1)
        waiting: list[tuple[NDArray[Any], NDArray[np.intp]]] = []
        n_waiting = 0
        for piece in self._uncommon(scores, total):
            bucket = self.buckets(piece)
            np.add.at(counts, bucket, one)
            where = self._unsure(piece, bucket)
            waiting.append((piece.take(where), bucket.take(where)))
            n_waiting += where.size
            # Set by 100,000 items with 2,000 targets in benchmarks/peers.py; with half
            # of it, the overhead of NumPy calls adds 7 % of the time.
            if n_waiting >= 2**14:
                self._look(waiting, counts, total)
                n_waiting, waiting = 0, []
        self._look(waiting, counts, total)
        if self.first is None:
            counts[self.held] = 0
        np.add.at(total, self._usual(), counts.astype(np.int64, copy=False))
        return total

    def places(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        """Return the place of each score."""
        places, usual = np.empty(scores.size, np.intp), self._usual()
        for part in pieces(scores.size):
            piece, out = scores[part], places[part]
            bucket = self.buckets(piece)
            usual.take(bucket, out=out, mode="clip")
            where = self._unsure(piece, bucket)
            out[where] = self._search(piece.take(where), bucket.take(where))
        return places

    def _uncommon(
        self, scores: NDArray[Any], total: NDArray[np.int64]
    ) -> Iterator[NDArray[Any]]:
        """Yield pieces of the scores; the common values are counted here."""
        if not self.common.size:
            yield from (scores[part] for part in pieces(scores.size))
            return
        places = self._search(self.common, self.buckets(self.common))
        rest = scores[:0]
        for part in pieces(scores.size):
            piece = scores[part]
            is_other = np.ones(piece.size, dtype=bool)
            for value, place in zip(self.common, places, strict=True):
                differs = piece != value
                total[place] += piece.size - np.count_nonzero(differs)
                is_other &= differs
            rest = np.concatenate([rest, piece.compress(is_other)])
            if rest.size >= _LEAST_PIECE:
                yield rest
                rest = scores[:0]
        yield rest

    def _usual(self) -> NDArray[np.intp]:
        """Return the usual place of each bucket."""
        return 2 * self.start + self.held

    def _unsure(
        self, scores: NDArray[Any], bucket: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return which scores may be outside of the usual place of their bucket."""
        if self.first is None:
            return self.held.take(bucket).nonzero()[0]
        differs: NDArray[np.bool_] = self.first.take(bucket) != scores
        where = differs.nonzero()[0]
        return where.compress(self.held.take(bucket.take(where)))

    def _look(
        self,
        waiting: list[tuple[NDArray[Any], NDArray[np.intp]]],
        counts: NDArray[Any],
        total: NDArray[np.int64],
    ) -> None:
        """Count collected scores in their places instead of their buckets."""
        if waiting:
            scores, bucket = map(np.concatenate, zip(*waiting, strict=True))
            np.add.at(total, self._search(scores, bucket), 1)
            if self.first is not None:
                np.subtract.at(counts, bucket, counts.dtype.type(1))

    def _search(
        self, scores: NDArray[Any], bucket: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return the place of scores by bisection of the levels in their buckets.

        A step may reach a level of a higher bucket, which is above every score of this
        bucket, or go beyond the last level.
        """
        rank = self.start.take(bucket)  # number of levels below or equal to the score
        for step in reversed(range(self.steps)):
            reached = self.levels.take(rank + (2**step - 1), mode="clip") <= scores
            rank += np.left_shift(reached, step, dtype=np.intp)
        np.minimum(rank, self.levels.size, out=rank)
        place: NDArray[np.intp] = 2 * rank
        place -= self.levels.take(rank - 1, mode="clip") == scores
        return place


def _sieve_for(scores: NDArray[Any], levels: NDArray[Any]) -> _Sieve:
    """Return the sieve whose map has the lowest cost for a sample of the scores.

    Buckets of equal width suit most rankings. Buckets of equal width in the logarithm
    suit scores of different orders of magnitude. Buckets between the inner levels suit
    a narrow peak of scores with a few levels far away.
    """
    n, m = scores.size, levels.size
    # Set by benchmarks/peers.py: by a million items with 1,000 targets and 100,000 with
    # 2,000, of which with half of the buckets for a level more scores share a bucket
    # with a level, and counting takes a fifth longer; and by 100,000 items with 100
    # targets and ten million with 200,000, of which counting takes 7 % and a quarter
    # longer with half of the least and of the most, whose tables take about 10 MiB.
    n_buckets = max(32 * m, 2**13)
    n_buckets = min(n_buckets, n // 6, 2**19)
    # of 512 lognormal scores; with half, the costs vary by a tenth, without harm
    sample = scores[:: n // 512]
    sieves = []
    for kind, cut in (EqualWidth, 0), (LeadingBits, 0), (EqualWidth, m // 64):
        buckets = kind(levels[cut], levels[m - 1 - cut], n_buckets, levels.dtype)
        if buckets.usable:
            sieves.append(_Sieve(levels, buckets, sample))
            # with half of it, 20,000 items with 1,000 targets try all maps, which takes
            # 50 % longer
            if sieves[-1].cost < 0.6 * (1 + 12 * m / n_buckets):
                break
    return min(sieves, key=lambda sieve: sieve.cost)


def pieces(n: int) -> Iterator[slice]:
    """Yield consecutive slices of a long array."""
    length = min(max(n // 8, _LEAST_PIECE), _MOST_PIECE)
    return (slice(start, start + length) for start in range(0, n, length))
