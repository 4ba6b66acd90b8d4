"""Rank once: scores become tie groups, best first. The only place that sorts.

What comes in is clean input. What goes out is all that any measure asks of a ranking:
for each distinct score of a target, how many items stand above it and how many share
it. To count those it is enough to sort the score *values*; the order of the items, and
with it a sort of indices, is never needed. Weights are the one exception, because they
have to travel with their scores.

Notation, here and in every module to the right: T items and H targets ("hits") stand
above a tie group of b items that holds d hits. With weights, all four are sums of
weights.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from skrank._validation import RankingInput

SLACK = 1e-12  # of sums of weights, relative

_BUCKETS = 2**14  # of scores; their counts stay in the processor's cache
_MANY = 2**14  # scores from which buckets are faster than the search alone
_LEAST_WIDTH = 1e-300  # of all levels; the number of buckets over it is finite


@dataclass(frozen=True, slots=True, eq=False)
class HitGroups:
    """The tie groups that hold targets, best first: T, b, H and d of each."""

    above: NDArray[Any]
    size: NDArray[Any]
    hits_above: NDArray[Any]
    hits: NDArray[Any]

    def take(self, index: Any) -> "HitGroups":
        """Return the groups at `index`."""
        return HitGroups(
            self.above[index],
            self.size[index],
            self.hits_above[index],
            self.hits[index],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """A list of items in the order of their scores, seen from its targets.

    `n_samples`, `n_targets` and `n_others` are weights where there are weights; targets
    that were never scored count in `n_targets` alone. `levels` are the scores of the
    groups, best first. `ordered` holds all scores, ascending; `depth` the weight of
    each item and all above it (None: every item counts 1).
    """

    groups: HitGroups
    levels: NDArray[Any]
    n_samples: float
    n_targets: float
    n_others: float
    n_missed: int
    ordered: NDArray[Any]
    depth: NDArray[np.float64] | None = None

    @property
    def whole(self) -> bool:
        """Whether depths are counts: no weights, or whole-number weights."""
        return self.depth is None or bool(np.all(self.depth == np.rint(self.depth)))

    def group_end(self, depth: float) -> float:
        """Depth at which the tie group that reaches across `depth` ends; O(log n)."""
        if self.depth is None:
            level = self.ordered[self.ordered.size - int(depth)]
            return int(self.ordered.size - np.searchsorted(self.ordered, level))
        reached = np.searchsorted(-self.depth, -depth * (1 - SLACK), side="right")
        level = self.ordered[max(int(reached) - 1, 0)]
        return float(self.depth[np.searchsorted(self.ordered, level)])

    def tie_size(self, depth: float) -> int:
        """Size of the tie group that reaches across `depth`; O(log n)."""
        level = self.ordered[self.ordered.size - int(depth)]
        first = np.searchsorted(self.ordered, level)
        return int(np.searchsorted(self.ordered, level, side="right") - first)

    def tie_sizes(self) -> NDArray[np.intp]:
        """Sizes of all tie groups, best first; O(n)."""
        first = np.flatnonzero(self.ordered[1:] != self.ordered[:-1]) + 1
        bounds = np.concatenate([[0], first, [self.ordered.size]])
        return np.diff(bounds)[::-1]


class Standing(NamedTuple):
    """Where each item stands among the levels, the distinct scores of the targets.

    Levels count from the top. They cut the others into 2 L + 1 places, from the top
    too: place 2 l lies between level l - 1 and level l, place 2 l + 1 is level l.
    """

    levels: NDArray[np.intp]
    places: NDArray[np.intp]
    n_places: int


def standing(data: RankingInput, levels: NDArray[Any] | None = None) -> Standing:
    """Level of each target and place of each other; O(n log m).

    `levels`, ascending, are those of the targets unless they are given.
    """
    is_other = np.ones(data.y_score.size, dtype=bool)
    is_other[data.targets] = False
    targets = data.y_score[data.targets]
    if levels is None:
        levels = np.unique(targets)
    last = 2 * levels.size
    places = last - _places_from_below(data.y_score[is_other], levels)
    return Standing((last - _places_from_below(targets, levels)) // 2, places, last + 1)


def _places_from_below(scores: NDArray[Any], levels: NDArray[Any]) -> NDArray[np.intp]:
    """Twice the levels below each score, and one more where it is a level."""
    below = _levels_below(scores, levels)
    tied: NDArray[np.bool_] = levels[np.minimum(below, levels.size - 1)] == scores
    return 2 * below + tied


def _levels_below(scores: NDArray[Any], levels: NDArray[Any]) -> NDArray[np.intp]:
    """Number of levels below each score: a sorted search, spared where it can be.

    Scores and levels fall into buckets of equal width, in the same order as they are.
    Where a bucket holds no level, all its scores have the same levels below them.
    """
    start, width = float(levels[0]), float(levels[-1]) - float(levels[0])
    if scores.size < _MANY or not _LEAST_WIDTH < width < np.inf:
        return np.searchsorted(levels, scores)
    scale = (_BUCKETS - 1) / width
    held = np.bincount(_buckets(levels, start, scale), minlength=_BUCKETS + 2)
    reached = np.cumsum(held)
    bucket = _buckets(scores, start, scale)
    below: NDArray[np.intp] = reached[bucket]
    unsure = np.flatnonzero(held[bucket])
    below[unsure] = np.searchsorted(levels, scores[unsure])
    return below


def _buckets(scores: NDArray[Any], start: float, scale: float) -> NDArray[np.intp]:
    with np.errstate(over="ignore"):  # the infinite is outside all levels
        place = np.subtract(scores, start, dtype=np.float64)
        place *= scale
    np.clip(place, -1, _BUCKETS, out=place)
    place += 1
    return np.asarray(place, dtype=np.intp)


def ranks_as_scores(data: RankingInput) -> RankingInput:
    """Score the items by the middle ranks of their ties; O(n log n)."""
    return replace(data, y_score=rankdata(data.y_score))


def rank(data: RankingInput) -> Ranking:
    """Rank clean input; O(n log n) in one sort of score values, one array of memory."""
    ranking = _rank_counts(data) if data.weight is None else _rank_weights(data)
    return replace(ranking, n_targets=ranking.n_targets + data.n_missed)


def hits_at(ranking: Ranking, depths: Any) -> Any:
    """Hits down to each depth, those of a tie that reaches across it shared out."""
    groups = ranking.groups
    t = np.stack([groups.above, groups.above + groups.size], axis=1).ravel()
    hits = np.stack([groups.hits_above, groups.hits_above + groups.hits], axis=1)
    return np.interp(depths, t, hits.ravel())


def cut_places(scores: NDArray[Any], depths: NDArray[Any]) -> NDArray[np.intp]:
    """Place of each item among the scores at which these tops end; O(n log n).

    Places count from the top, as those of a `Standing` do: an odd one is a tie in which
    a top ends.
    """
    ordered = np.sort(scores)
    levels = np.unique(ordered[ordered.size - np.asarray(depths, dtype=np.intp)])
    return 2 * levels.size - _places_from_below(scores, levels)


def share_of_top(y_score: NDArray[Any], depth: int) -> NDArray[np.float64]:
    """Chance of each item to be among the top `depth`, ties in random order; O(n)."""
    level = np.partition(y_score, -depth)[-depth]
    above, level_with = y_score > level, y_score == level
    room = depth - np.count_nonzero(above)
    share: NDArray[np.float64] = above + level_with * (room / level_with.sum())
    return share


def items_above(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Count, for each item, those with a better score: its list, ties and all.

    Whichever items are the targets, they stand in the tie groups that begin there.
    """
    ordered = np.sort(scores)
    return scores.size - np.searchsorted(ordered, scores, side="right")


def _rank_counts(data: RankingInput) -> Ranking:
    """Count the items above and level with each distinct score of a target."""
    levels, hits = np.unique(data.y_score[data.targets], return_counts=True)
    ordered = np.sort(data.y_score)
    first = np.searchsorted(ordered, levels, side="left")
    last = np.searchsorted(ordered, levels, side="right")
    groups = _from_top(above=ordered.size - last, size=last - first, hits=hits)
    n, m = ordered.size, data.targets.size
    return Ranking(groups, levels[::-1], n, m, n - m, data.n_missed, ordered)


def _rank_weights(data: RankingInput) -> Ranking:
    """Sum the weights above and level with each distinct score of a target."""
    assert data.weight is not None
    order = np.argsort(data.y_score)
    ordered, weight = data.y_score[order], data.weight[order]
    depth = np.cumsum(weight[::-1])[::-1]
    hit_weight = np.zeros(ordered.size)
    hit_weight[data.targets] = data.weight[data.targets]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    hits = np.add.reduceat(hit_weight[order], first)
    size = np.add.reduceat(weight, first)
    above = np.append(depth[first[1:]], 0.0)
    held = hits > 0
    groups = _from_top(above=above[held], size=size[held], hits=hits[held])
    total = float(groups.hits.sum())
    others = float(np.delete(data.weight, data.targets).sum())
    return Ranking(
        groups=groups,
        levels=ordered[first][held][::-1],
        n_samples=float(depth[0]),
        n_targets=total,
        n_others=others,
        n_missed=data.n_missed,
        ordered=ordered,
        depth=depth,
    )


def _from_top(
    *, above: NDArray[Any], size: NDArray[Any], hits: NDArray[Any]
) -> HitGroups:
    """Turn ascending groups best first and count the hits above each."""
    hits = hits[::-1]
    return HitGroups(above[::-1], size[::-1], np.cumsum(hits) - hits, hits)
