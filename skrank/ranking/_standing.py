"""Level or place of each item in a ranking.

Paired comparisons and resamples need, for each item, its level, or the levels between
which it stands.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.ranking._counting import places_among
from skrank.ranking._items import level_at


class Standing(NamedTuple):
    """Where each item stands among the levels, the distinct scores of the targets.

    Levels count from the top. They cut the others into 2 L + 1 places, from the top
    too: place 2 l lies between level l - 1 and level l, place 2 l + 1 is level l.
    """

    levels: NDArray[np.intp]
    places: NDArray[np.intp]
    n_places: int


def standing(
    y_score: NDArray[Any], targets: NDArray[np.intp], levels: NDArray[Any]
) -> Standing:
    """Level of each target and place of each other; O(n log m).

    `levels` are ascending, and hold the scores of all targets.
    """
    is_other = np.ones(y_score.size, dtype=bool)
    is_other[targets] = False
    last = 2 * levels.size
    places = last - places_among(y_score[is_other], levels)
    of_targets = last - places_among(y_score[targets], levels)
    return Standing(of_targets // 2, places, last + 1)


def cut_places(scores: NDArray[Any], depths: NDArray[Any]) -> NDArray[np.intp]:
    """Place of each item among the scores at which these tops end; O(n log n).

    Places count from the top, as those of a `Standing` do: an odd one is a tie in which
    a top ends.
    """
    ordered = np.sort(scores)
    levels = np.unique(ordered[ordered.size - np.asarray(depths, dtype=np.intp)])
    return 2 * levels.size - places_among(scores, levels)


def share_of_top(y_score: NDArray[Any], depth: int) -> NDArray[np.float64]:
    """Chance of each item to be among the top `depth`, ties in random order; O(n)."""
    level = level_at(y_score, depth)
    above, level_with = y_score > level, y_score == level
    room = depth - np.count_nonzero(above)
    share: NDArray[np.float64] = above + level_with * (room / level_with.sum())
    return share


def items_above(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Count, for each item, those with a better score: its ranking, ties and all.

    Whichever items are the targets, they stand in the tie groups that begin there.
    """
    ordered = np.sort(scores)
    return scores.size - np.searchsorted(ordered, scores, side="right")
