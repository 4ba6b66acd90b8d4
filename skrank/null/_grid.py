"""All tails of a null distribution at once, by values on a grid.

The paths of a chain are counted by their hits and by the sum of their gains, each of
which is rounded to the grid. A group with hits moves the sum by at most half of a step
of the grid, so the number of paths with at least some value is between two sums of such
counts, and their mean is close to it. One pass down the groups gives these for all
values, which suits many rankings of one shape, such as those of days.
"""

import math
from functools import cached_property, lru_cache

import numpy as np

from skrank.metrics._definitions import Metric
from skrank.null._chain import Chain
from skrank.null._distribution import RandomSelectionNull
from skrank.null._lattice import IMPOSSIBLE
from skrank.ranking._ties import TieGroups

# Steps of the grid for each group with hits. The bounds of 500 items with 5 targets are
# then .3 % apart at p = .001, and 1.4 % at p = .6; with half of them, twice as much.
_STEPS = 2**13
# Steps of the grid times cells of the chain. With as many, 500 items with 10 targets
# take as long as one tail by inversion; with half of it, they have no grid.
_MOST = 2**30
_LARGEST = 600.0  # logarithm of the number of paths, which must not overflow
# Largest distance of the bounds of a logarithm. The mean of such bounds is within 1 %
# of p, and was within .2 % of 61 tails by counting or inversion, whose own error is as
# large. With half of it, tails of 3 targets among 1000 items near the mean have none.
_CLOSE = 0.02


class GridTails:
    """P(S >= s) for the rankings of one shape."""

    def __init__(self, null: RandomSelectionNull) -> None:
        self._null = null

    def log_pvalue(self, statistic: float) -> float | None:
        """Return the logarithm of P(S >= s) within 1 %; None if it is not known so."""
        if self._null._properties.atoms is not None:
            return self._null.tail(statistic).log_pvalue
        if self._grid is None:
            return None
        lower, upper = self._grid.log_bounds(statistic)
        mean = float(np.logaddexp(lower, upper)) - math.log(2)
        return mean if upper - lower < _CLOSE else None

    @cached_property
    def _grid(self) -> "_Grid | None":
        chain = self._null._terms[0].chain
        size = _STEPS * (chain.n_targets + 1) * chain.possible().n_cells
        is_sum = chain.slope is not None and not chain.merged.any()
        if not is_sum or size > _MOST or chain.log_total > _LARGEST:
            return None
        return _Grid(chain, *self._null.support())


@lru_cache(maxsize=16)
def tails_of_shape(
    metric: Metric, ends: bytes, merged: bytes, several: bool, n_targets: int
) -> GridTails:
    """Return the tails of a metric, for ties that end at depths."""
    ties = TieGroups(
        np.frombuffer(ends, np.intp), np.frombuffer(merged, bool), several=several
    )
    return GridTails(RandomSelectionNull.of_ties(ties, n_targets, metric))


class _Grid:
    """Shares of the paths with at least each value of a grid."""

    def __init__(self, chain: Chain, least: float, most: float) -> None:
        m, lattice = chain.n_targets, chain.possible()
        end = chain.last_group(lattice)
        self._step = (most - least) / (_STEPS * (m + 1))
        self._first = float(end.intercept.min())
        # half a step for each group with hits, and for the last one
        self._moved = (m + 1) / 2
        size = math.ceil((most - self._first) / self._step + self._moved) + 1
        paths, filled = np.zeros((m + 1, size)), np.zeros(m + 1, dtype=np.intp)
        paths[0, 0], filled[0] = 1.0, 1
        for step in chain.steps(lattice, down=True):
            gain = np.rint(float(chain.slope or 0.0) * step.gain / self._step)
            ways, places = np.exp(step.logcount), gain.astype(np.intp)
            # paths with more hits first, since those with fewer are added to them
            for column, row in np.argwhere(step.logcount.T > IMPOSSIBLE)[::-1]:
                above, hits = step.above[column], step.hits[row, column]
                first, width = places[row, column], filled[above]
                if hits and width:
                    added = paths[above, :width]
                    if ways[row, column] != 1:
                        added = added * ways[row, column]
                    paths[above + hits, first : first + width] += added
                    filled[above + hits] = max(filled[above + hits], first + width)
        shares, above = np.zeros(size), lattice.above(-1)
        places = np.rint((end.intercept - self._first) / self._step).astype(np.intp)
        for row, column in np.argwhere(end.logweight > -np.inf):
            first, width = places[row, column], filled[above[column]]
            added = math.exp(end.logweight[row, column]) * paths[above[column], :width]
            shares[first : first + width] += added
        self._tail = np.append(shares[::-1].cumsum()[::-1], 0.0)

    def log_bounds(self, statistic: float) -> tuple[float, float]:
        """Return bounds of the logarithm of P(S >= s)."""
        place = (statistic - self._first) / self._step
        moved = self._moved + 1e-6  # and rounding
        at = np.ceil([place + moved, place - moved]).astype(np.intp)
        with np.errstate(divide="ignore"):
            lower, upper = np.log(self._tail[np.clip(at, 0, self._tail.size - 1)])
        return float(lower), min(0.0, float(upper))
