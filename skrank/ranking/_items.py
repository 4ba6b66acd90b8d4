"""Ties of all items of a ranking, computed when they are needed.

The classes are for items in memory, with or without weights, and for items that were
only counted (`CountedItems`). All have the attributes and methods `weighted`, `whole`
(whether depths are counts: no weights, or whole-number weights), `group_end`,
`group_ends`, `tie_size` and `tie_groups`.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._rounding import ROUNDING
from skrank.ranking._input import RankingInput, oriented
from skrank.ranking._tie_search import ScoreSample, TieSearch
from skrank.ranking._ties import DETAILED, TieGroups

#: Part of the ranking down to whose depth a search of the top comes first.
SHALLOW = 1 / 16


class ListedItems:
    """Items in memory; their ties are computed when they are needed."""

    weighted = False

    def __init__(
        self,
        y_score: NDArray[Any],
        targets: NDArray[np.intp] | None = None,
        data: RankingInput | None = None,
    ) -> None:
        self.y_score = y_score
        self.targets = targets  # positions of the targets, for item-wise functions
        self.data = data

    @property
    def whole(self) -> bool:
        """Return True, because depths are counts."""
        return True

    @property
    def lower_is_better(self) -> bool:
        """Whether lower ones of the scores that were given are better."""
        return self.data is not None and self.data.turned is not None

    def in_order(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the scores that were given, best first, and the depth of each item.

        Unlisted items have none and are left out; O(n log n).
        """
        scores = self._as_given(np.sort(self.y_score)[::-1])
        return scores, np.arange(1, scores.size + 1)

    def _as_given(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the ordered scores of the items that have one, as they were given."""
        data = self.data
        if data is None:
            return scores
        if data.lowest is not None:
            scores = scores[scores >= data.lowest]
        if data.turned is None:
            return scores
        return oriented(scores.astype(data.turned), True)

    def group_end(self, depth: float) -> float:
        """Return the number of items with at least the score at a depth; O(n)."""
        level = level_at(self.y_score, int(depth))
        return int(np.count_nonzero(self.y_score >= level))

    def group_ends(self, depths: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the ends of the ties at many depths."""
        if self.y_score.size > DETAILED:
            return self.tie_groups().group_ends(depths)
        ordered = np.sort(self.y_score)
        levels = ordered[ordered.size - depths]
        return ordered.size - np.searchsorted(ordered, levels)

    def tie_size(self, depth: float) -> int:
        """Return the number of items with the score at a depth; O(n)."""
        level = level_at(self.y_score, int(depth))
        return int(np.count_nonzero(self.y_score == level))

    def tie_groups(self) -> TieGroups:
        """Return the ties of all items, or of a long ranking in bounded memory.

        O(n log n), or O(n).
        """
        search = TieSearch(None, self.y_score[:0])
        if self.y_score.size > DETAILED:
            sample = ScoreSample()
            sample.add(self.y_score)
            search = sample.search()
        search.add(self.y_score)
        return search.tie_groups()


class WeightedItems(ListedItems):
    """Sorted items with weights; `depth` is the cumulative weight down to each item.

    `data` has the items in their original order.
    """

    weighted = True

    def __init__(
        self, ordered: NDArray[Any], depth: NDArray[Any], data: RankingInput | None
    ) -> None:
        super().__init__(ordered, data=data)
        self.depth = depth

    @property
    def whole(self) -> bool:
        """Whether all weights are whole numbers."""
        return bool(np.all(self.depth == np.rint(self.depth)))

    def in_order(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the scores that were given, best first, and the depth of each item."""
        scores = self._as_given(self.y_score[::-1])
        return scores, self.depth[::-1][: scores.size]

    def group_end(self, depth: float) -> float:
        """Return the cumulative weight down to the end of a tie; O(log n)."""
        reached = np.searchsorted(-self.depth, -depth * (1 - ROUNDING), side="right")
        level = self.y_score[max(int(reached) - 1, 0)]
        return float(self.depth[np.searchsorted(self.y_score, level)])


class CountedItems:
    """Ties of counted items: those of targets, those near the top, and wide ones."""

    weighted = False
    whole = True

    def __init__(
        self,
        above: NDArray[np.intp],
        size: NDArray[np.intp],
        ties: TieSearch | TieGroups,
    ) -> None:
        self._above, self._size = above, size
        self._ties = ties

    def group_end(self, depth: float) -> float:
        """Return the depth at which the tie group at `depth` ends; O(log m)."""
        return self._tie_at(depth)[1]

    def tie_size(self, depth: float) -> int:
        """Return the size of the tie group that contains `depth`; O(log m)."""
        start, end = self._tie_at(depth)
        return end - start

    def group_ends(self, depths: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the depths at which ties end, by `tie_groups`."""
        return self.tie_groups().group_ends(depths)

    def tie_groups(self) -> TieGroups:
        """Return all tie groups, best first, and release the memory of the search."""
        self._ties = self._ties.tie_groups()
        return self._ties

    def _tie_at(self, depth: float) -> tuple[int, int]:
        """Return the beginning and the end of the tie group that contains a depth."""
        above, size = self._above, self._size
        index = int(np.searchsorted(above, depth)) - 1
        if index >= 0 and depth <= above[index] + size[index]:
            return int(above[index]), int(above[index] + size[index])
        ties = self.tie_groups()
        index = int(np.searchsorted(ties.ends, depth))
        if ties.merged[index]:
            rule = (
                "be 'expected', or the cutoff be within the best "
                f"{DETAILED} items or in a tie that holds a target, where items were "
                "only counted"
            )
            raise invalid("ties", rule, f"a cutoff after {depth:.15g} items")
        return int(ties.ends[index - 1]) if index else 0, int(ties.ends[index])


def level_at(y_score: NDArray[Any], depth: int) -> Any:
    """Return the score of the item at a depth; O(n).

    Only the scores above a bound are sorted, which is from a sample of all scores. A
    partition takes up to twenty times as long if most scores are tied.
    """
    n, depth = y_score.size, max(depth, 1)  # 0 without targets
    # with half of the sample, recall at 1 % of a million items takes a third longer
    sample = np.sort(y_score[:: n // 1024 + 1])
    expected = depth / n * sample.size
    rank = math.ceil(expected + 4 * math.sqrt(expected)) + 1
    if rank <= sample.size:
        bound = sample[-rank]
        best = y_score[y_score > bound]
        if best.size >= depth:
            return np.sort(best)[-depth]
        if best.size + np.count_nonzero(y_score == bound) >= depth:
            return bound
    return np.sort(y_score)[-depth]
