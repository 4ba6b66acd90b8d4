"""Joint null distribution of many rankings of the same items.

The input is the ranks of the items for each candidate and each ranking. The same items
are targets for all candidates, so candidates with similar rankings have similar values
under random selection. Equal rankings are stored and measured once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.metrics._definitions import Metric
from skrank.null._chain import Chain
from skrank.null._moments import moments
from skrank.null._sampling import draw_places, measure_rankings
from skrank.ranking._ties import TieGroups, untied

_Floats = NDArray[np.float64]
_Ints = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class RankedList:
    """One list of items as it is ranked by many candidates.

    `above[i]` counts the items above each item in ranking i, `chains[i]` has its
    distribution, and `which` is the ranking of each candidate.
    """

    above: _Ints
    chains: tuple[Chain, ...]
    which: _Ints

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return self.chains[0].n_targets

    @property
    def best(self) -> float:
        """Value of a ranking with all targets first."""
        metric = self.chains[0].metric
        ties = replace(untied(self.above.shape[1]), several=True)
        chain = Chain(metric, ties, self.n_targets)
        return float(measure_rankings(chain, np.arange(self.n_targets)[None])[0])

    @classmethod
    def of(
        cls, metric: Metric, above: _Ints, n_targets: int, *, several: bool = False
    ) -> "RankedList":
        """Store each ranking once; `above` has a row for each candidate."""
        above, which = np.unique(above, axis=0, return_inverse=True)
        ties = (replace(_tie_groups(row), several=several) for row in above)
        chains = (Chain(metric, one, n_targets) for one in ties)
        return cls(above, tuple(chains), which.ravel())

    def values(self, targets: _Ints) -> _Floats:
        """Values by candidate and draw; a row of `targets` has the items of a draw."""
        rankings = zip(self.chains, self.above, strict=True)
        values = [
            measure_rankings(chain, np.sort(row[targets], axis=1))
            for chain, row in rankings
        ]
        return np.stack(values)[self.which]

    def draw(self, size: int, generator: np.random.Generator) -> _Floats:
        """Values under random selection, by candidate and draw."""
        n_samples = self.above.shape[1]
        return self.values(draw_places(n_samples, self.n_targets, size, generator))

    def moments(self) -> tuple[_Floats, _Floats]:
        """Exact mean and variance of each candidate."""
        mean, variance = np.transpose([moments(chain) for chain in self.chains])
        return mean[self.which], variance[self.which]


class JointNull:
    """Joint distribution of the means over independent lists, for all candidates."""

    def __init__(self, lists: Sequence[RankedList]) -> None:
        self.lists = tuple(lists)
        means, variances = np.swapaxes([one.moments() for one in lists], 0, 1)
        self.mean = means.mean(axis=0)
        self.std = np.sqrt(variances.sum(axis=0)) / len(lists)

    @property
    def ends(self) -> tuple[float, float]:
        """Least value of the metric on any list, and the best on these lists."""
        lowest, _ = self.lists[0].chains[0].metric.bounds
        return lowest, sum(one.best for one in self.lists) / len(self.lists)

    def values(self, targets: Sequence[_Ints]) -> _Floats:
        """Means over lists, by candidate; `targets` has the items of each list."""
        lists = zip(self.lists, targets, strict=True)
        values = [one.values(items[None])[:, 0] for one, items in lists]
        return np.asarray(np.mean(values, axis=0))

    def draw(self, size: int, generator: np.random.Generator) -> _Floats:
        """Means over the lists under random selection, by candidate and draw."""
        total = sum(one.draw(size, generator) for one in self.lists)
        return np.asarray(total / len(self.lists))

    def zscores(self, values: _Floats) -> _Floats:
        """Standardise; -inf if chance has no variation, so that it is never best."""
        centred, std = values.T - self.mean, self.std
        lowest = np.full(centred.shape, -np.inf)
        return np.asarray(np.divide(centred, std, out=lowest, where=std > 0).T)


def _tie_groups(above: _Ints) -> TieGroups:
    """Return the tie groups: one ends where the next one begins."""
    ends = np.append(np.unique(above)[1:], above.size)
    return TieGroups(ends, np.zeros(ends.size, dtype=bool))
