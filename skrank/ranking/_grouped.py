"""Ranking of many groups, such as days or queries, at once.

The input is checked arrays and the group number of each item. The output is the tie
groups that hold targets, of all rankings one after another. As for one ranking (see
`_level_counts`), items are not sorted: the distinct scores of the targets are sorted by
group, and the items of each group are counted below and equal to them, by buckets of
equal width between the smallest and the largest level of the group.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.ranking._input import RankingInput
from skrank.ranking._ranking import HitGroups

_Ints = NDArray[np.intp]

# Number of scores in a piece, which stays in the processor's cache with its buckets.
# Set by a million items in 1,000 groups in benchmarks/groups.py; with half of it,
# counting takes 6 % longer.
_PIECE = 2**15


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRankings:
    """Rankings of the groups, in the order of their numbers.

    `groups` are the tie groups that hold targets, those of each ranking best first.
    `row`, in ascending order, is the ranking of each. `n_samples` and `n_targets` count
    the items and targets of each ranking; `n_missed` of the targets have no rank, and
    `n_unlisted` of the items are a tie at its end. `codes` and `y_score` belong to the
    listed items.
    """

    groups: HitGroups
    row: _Ints
    n_samples: _Ints
    n_targets: _Ints
    codes: _Ints
    y_score: NDArray[Any]
    n_missed: Any = 0
    n_unlisted: Any = 0

    whole = True
    several = True

    @property
    def n_scored(self) -> _Ints:
        """Number of items of each ranking."""
        return self.n_samples

    @property
    def n_others(self) -> _Ints:
        """Number of non-targets of each ranking, and of places of missed targets."""
        n_others: _Ints = self.n_samples - self.n_targets + 2 * self.n_missed
        return n_others

    def group_end(self, depths: _Ints) -> _Ints:
        """Return, for each ranking, the depth at which the tie at a depth ends.

        There are no ties beyond the end of a ranking. O(n log n).
        """
        order = np.lexsort((-self.y_score, self.codes))
        score, code = self.y_score[order], self.codes[order]
        listed = self.n_samples - self.n_unlisted
        first = listed.cumsum() - listed
        is_last = np.append((score[1:] != score[:-1]) | (code[1:] != code[:-1]), True)
        ends = is_last.nonzero()[0]
        inside = np.minimum(depths, listed)
        reached = ends[np.searchsorted(ends, first + inside - 1)] + 1 - first
        reached = np.where(depths > listed, self.n_samples, reached)
        return np.where(depths > self.n_samples, depths, reached)


def rank_groups(
    data: RankingInput,
    codes: _Ints,
    n_groups: int,
    missed: _Ints | int = 0,
    unlisted: _Ints | None = None,
) -> GroupedRankings:
    """Rank items within their groups; O(n + m log m) for m targets.

    The `missed` targets of each group are among its `unlisted` items, a tie at the end,
    or have no rank. The items of this tie are only counted.
    """
    n_samples = np.bincount(codes, minlength=n_groups)
    score, row = data.y_score.take(data.targets), codes.take(data.targets)
    n_targets = np.bincount(row, minlength=n_groups)
    order = score.argsort()
    short = row.take(order).astype(np.min_scalar_type(n_groups))  # radix sort
    order = order.take(short.argsort(kind="stable"))
    score, row = score.take(order), row.take(order)
    is_first = np.ones(score.size, dtype=bool)
    is_first[1:] = (score[1:] != score[:-1]) | (row[1:] != row[:-1])
    first = is_first.nonzero()[0]
    hits = np.diff(first, append=score.size)
    score, row = score.take(first), row.take(first)
    below, size = _count_levels(data.y_score, codes, score, row, n_groups)
    n_levels = np.bincount(row, minlength=n_groups)
    end = n_levels.cumsum()
    best_first = (2 * end - n_levels - 1).take(row) - np.arange(row.size)
    below, size = below.take(best_first), size.take(best_first)
    hits = hits.take(best_first)
    before = n_targets.cumsum() - n_targets
    groups = HitGroups(
        above=n_samples.take(row) - below - size,
        size=size,
        hits_above=hits.cumsum() - hits - before.take(row),
        hits=hits,
    )
    if unlisted is None:
        sizes = n_samples, n_targets + missed
        return GroupedRankings(groups, row, *sizes, codes, data.y_score, missed)
    with_tails = HitGroups(
        above=np.append(groups.above, n_samples),
        size=np.append(groups.size, unlisted),
        hits_above=np.append(groups.hits_above, n_targets),
        hits=np.append(groups.hits, missed),
    )
    row = np.append(row, np.arange(n_groups))
    order = np.argsort(row, kind="stable")
    order = order[with_tails.hits[order] > 0]
    sizes = n_samples + unlisted, n_targets + missed
    return GroupedRankings(
        with_tails.take(order), row[order], *sizes, codes, data.y_score, 0, unlisted
    )


def _count_levels(
    scores: NDArray[Any], codes: _Ints, levels: NDArray[Any], row: _Ints, n_groups: int
) -> tuple[_Ints, _Ints]:
    """Count the items of its group below and equal to each level.

    The levels, in the order of their groups and then ascending, divide the items of a
    group with k levels into 2 k + 1 places, from below. In group g, place 2 j + 1 + g
    is level j, and place 2 j + g is between level j - 1 and level j. Any monotone map
    to buckets is exact: all scores of a bucket without levels have the same place, and
    scores of a bucket with levels are searched among these levels.
    """
    if not levels.size:
        return row, row
    n_levels = np.bincount(row, minlength=n_groups)
    end = n_levels.cumsum()
    # Buckets for each level are set by a million items in 100,000 groups, half of them
    # targets, in benchmarks/groups.py, where twice as many take 40 % longer; with half
    # of them, 20,000 targets in 1,000 groups take a tenth longer.
    n_buckets = 4 * n_levels + 3
    first_bucket = n_buckets.cumsum() - n_buckets
    least: _Ints = end - n_levels
    low = levels.take(least, mode="clip").astype(np.float64)
    high = levels.take(end - 1, mode="clip").astype(np.float64)
    with np.errstate(all="ignore"):
        scale = (n_buckets - 3) / (high - low)
    # if a group has one level, scores below and above it are in the outer buckets
    scale[~((scale > 0) & (scale < np.inf))] = 1e300
    buckets: Any = first_bucket, low, scale, n_buckets - 1.0

    level_bucket = _buckets(levels, row, *buckets)
    in_bucket = np.bincount(level_bucket, minlength=int(n_buckets.sum()))
    held, crowded, stop = in_bucket > 0, in_bucket > 1, in_bucket.cumsum()
    start = stop - in_bucket
    steps = int(in_bucket.max(initial=0)).bit_length()

    number = np.int32 if scores.size < 2**31 else np.int64
    counts, one = np.zeros(held.size, number), number(1)
    places = np.zeros(2 * levels.size + n_groups, np.intp)
    for at in range(0, scores.size, _PIECE):
        piece, group = scores[at : at + _PIECE], codes[at : at + _PIECE]
        bucket = _buckets(piece, group, *buckets)
        np.add.at(counts, bucket, one)
        where = held.take(bucket).nonzero()[0]
        piece, bucket, group = piece.take(where), bucket.take(where), group.take(where)
        rank = start.take(bucket)
        level = levels.take(rank)
        place = 2 * rank + group + (piece >= level) + (piece > level)
        # most buckets hold one level; a search follows above the first of several
        where = ((piece > level) & crowded.take(bucket)).nonzero()[0]
        piece, rank, bucket = piece.take(where), rank.take(where), bucket.take(where)
        last = stop.take(bucket)
        for step in reversed(range(steps)):
            probe = rank + (2**step - 1)
            reached = levels.take(probe, mode="clip") <= piece
            reached &= probe < last
            rank += np.left_shift(reached, step, dtype=np.intp)
        tied = levels.take(rank - 1) == piece
        place[where] = 2 * rank - tied + group.take(where)
        np.add.at(places, place, 1)
    counts[held] = 0
    group_of_bucket = np.repeat(np.arange(n_groups), n_buckets)
    np.add.at(places, 2 * start + group_of_bucket, counts.astype(np.intp))

    place = 2 * np.arange(levels.size) + 1 + row
    n_before = np.append(0, places.cumsum())
    of_group = (2 * least + np.arange(n_groups)).take(row)
    return n_before.take(place) - n_before.take(of_group), places.take(place)


def _buckets(
    scores: NDArray[Any],
    codes: _Ints,
    first: _Ints,
    low: NDArray[np.float64],
    scale: NDArray[np.float64],
    last: NDArray[np.float64],
) -> _Ints:
    """Return the bucket of each score; a group's buckets begin with its first one."""
    with np.errstate(over="ignore"):  # infinite scores are outside of all levels
        place = np.subtract(scores, low.take(codes), dtype=float)
        place *= scale.take(codes)
    place += 1
    np.clip(place, 0, last.take(codes), out=place)
    bucket: _Ints = place.astype(np.int32).astype(np.intp)
    bucket += first.take(codes)
    return bucket
