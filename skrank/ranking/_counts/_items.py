"""How items are tied that were only counted."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank.ranking._ranking import HitGroups
from skrank.ranking._tie_search import TieSearch
from skrank.ranking._ties import DETAILED, TieGroups


class CountedItems:
    """Ties of counted items: those of targets, those near the top, and wide ones."""

    weighted = False
    whole = True

    def __init__(self, groups: HitGroups, search: TieSearch) -> None:
        self._groups = groups
        self._search = search

    def group_end(self, depth: float) -> float:
        """Depth at which the tie group that reaches across `depth` ends; O(log m)."""
        return self._tie_at(depth)[1]

    def tie_size(self, depth: float) -> int:
        """Size of the tie group that reaches across `depth`; O(log m)."""
        start, end = self._tie_at(depth)
        return end - start

    def group_ends(self, depths: NDArray[np.intp]) -> NDArray[np.intp]:
        """Depths at which ties end, as `tie_groups` knows them."""
        return self._ties.group_ends(depths)

    def tie_groups(self) -> TieGroups:
        """Return all tie groups, best first."""
        return self._ties

    @cached_property
    def _ties(self) -> TieGroups:
        return self._search.tie_groups()

    def _tie_at(self, depth: float) -> tuple[int, int]:
        """Where the tie group that reaches across a depth begins and ends."""
        above, size = self._groups.above, self._groups.size
        index = int(np.searchsorted(above, depth)) - 1
        if index >= 0 and depth <= above[index] + size[index]:
            return int(above[index]), int(above[index] + size[index])
        ends = self._ties.ends
        index = int(np.searchsorted(ends, depth))
        if self._ties.merged[index]:
            rule = (
                "be 'expected', or the cutoff be within the best "
                f"{DETAILED} items or in a tie that holds a target, where items were "
                "only counted"
            )
            raise invalid("ties", rule, f"a cutoff after {depth:.15g} items")
        return int(ends[index - 1]) if index else 0, int(ends[index])
