"""Level or place of each item in a ranking.

Paired comparisons and resamples need, for each item, its level, or the levels between
which it stands.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.ranking._items import level_at
from skrank.ranking._level_counts import places_among


class Standing(NamedTuple):
    """Levels and places of the items; levels are the distinct scores of the targets.

    Levels are numbered from the top. They divide the non-targets into 2 L + 1 places,
    also from the top: place 2 l is between level l - 1 and level l, and place 2 l + 1
    is level l.
    """

    levels: NDArray[np.intp]
    places: NDArray[np.intp]
    n_places: int


def standing(
    y_score: NDArray[Any], targets: NDArray[np.intp], levels: NDArray[Any]
) -> Standing:
    """Return the level of each target and the place of each non-target; O(n log m).

    `levels` are ascending, and contain the scores of all targets.
    """
    is_other = np.ones(y_score.size, dtype=bool)
    is_other[targets] = False
    last = 2 * levels.size
    places = last - places_among(y_score[is_other], levels)
    of_targets = last - places_among(y_score[targets], levels)
    return Standing(of_targets // 2, places, last + 1)


def cut_places(scores: NDArray[Any], depths: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each item among the scores at the given depths; O(n log n).

    Places are numbered from the top as in `Standing`: an odd place is a tie that
    contains one of the depths.
    """
    ordered = np.sort(scores)
    levels = np.unique(ordered[ordered.size - np.asarray(depths, dtype=np.intp)])
    return 2 * levels.size - places_among(scores, levels)


def share_of_top(y_score: NDArray[Any], depth: int) -> NDArray[np.float64]:
    """Return the probability of each item to be in the top `depth`, by ties; O(n)."""
    level = level_at(y_score, depth)
    above, level_with = y_score > level, y_score == level
    room = depth - np.count_nonzero(above)
    share: NDArray[np.float64] = above + level_with * (room / level_with.sum())
    return share


def items_above(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Return, for each item, the number of items with a better score.

    The tie groups of all possible targets begin at these depths.
    """
    ordered = np.sort(scores)
    return scores.size - np.searchsorted(ordered, scores, side="right")
