"""What no other sample would change: a value that does not depend on the order.

All scores are equal, or the top t is the whole list: then the value follows from the
numbers of items and of targets alone, in every sample. Likewise the difference of two
rankings that put all items in one order.

A sample that merely has no spread is another matter. A perfect ranking stays perfect
however it is resampled, but that does not make the next one perfect.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from skrank.metrics._definitions import Metric
from skrank.ranking._ranking import Ranking


def is_certain(measure: Metric, ranking: Ranking) -> bool:
    """Whether the value is that of every ranking of so many items and targets."""
    whole = not measure.ordered and asked_cut(measure, ranking) == ranking.n_samples
    return whole or is_one_tie(ranking)


def is_one_tie(ranking: Ranking) -> bool:
    """Whether all items have the same score."""
    return bool(ranking.groups.size[0] == ranking.n_samples)


def asked_cut(measure: Metric, ranking: Ranking) -> float:
    """Depth of the cutoff as it was asked for, wherever a tie moves it."""
    return replace(measure, ties="expected").cut(ranking, ranking.n_targets)


def same_order(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two scores rank all items alike, ties and all; O(n log n)."""
    return np.array_equal(rankdata(a), rankdata(b))
