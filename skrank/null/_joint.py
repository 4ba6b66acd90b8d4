"""The joint law of many rankings of the same items under one draw of labels.

What comes in is how each candidate ranks each list. What goes out is what luck does to
all of them at once: the same items are targets for every candidate, so that candidates
which rank alike are lucky together. Equal rankings are kept and measured once.

Lists may be folds, whose models were fitted to each other's labels. `inflation` tells
how much that spreads the mean over them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._measures import Measure
from skrank.null._chain import Chain, TieGroups
from skrank.null._moments import moments
from skrank.null._sampling import draw_places, measure_lists

#: What `inflation` is at most.
MAX_INFLATION = 2**0.5

_Floats = NDArray[np.float64]
_Ints = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class JointList:
    """One list of items as many candidates rank it.

    `above[i]` counts the items above each item in the ranking i, `chains[i]` has its
    law, and `which` says which ranking is whose.
    """

    above: _Ints
    chains: tuple[Chain, ...]
    which: _Ints

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return self.chains[0].n_targets

    @classmethod
    def of(cls, measure: Measure, above: _Ints, n_targets: int) -> "JointList":
        """Keep each ranking once; `above` has a row for each candidate."""
        above, which = np.unique(above, axis=0, return_inverse=True)
        chains = (Chain(measure, _tie_groups(row), n_targets) for row in above)
        return cls(above, tuple(chains), which.ravel())

    def values(self, targets: _Ints) -> _Floats:
        """Values by candidate and draw; `targets` has the items of a draw in a row."""
        rankings = zip(self.chains, self.above, strict=True)
        values = [
            measure_lists(chain, np.sort(row[targets], axis=1))
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
    """Law of the means over lists that are drawn independently, for all candidates.

    `means` and `variances` are those of each list, by list and candidate.
    """

    def __init__(self, lists: Sequence[JointList]) -> None:
        self.lists = tuple(lists)
        of_lists = np.array([one.moments() for one in lists])
        self.means, self.variances = of_lists[:, 0], of_lists[:, 1]
        self.mean = self.means.mean(axis=0)
        self.std = np.sqrt(self.variances.sum(axis=0)) / len(lists)

    def values(self, targets: Sequence[_Ints]) -> _Floats:
        """Values of each list, by list, candidate and draw."""
        lists = zip(self.lists, targets, strict=True)
        return np.stack([one.values(items) for one, items in lists])

    def draw(self, size: int, generator: np.random.Generator) -> _Floats:
        """Means over the lists under random selection, by candidate and draw."""
        total = sum(one.draw(size, generator) for one in self.lists)
        return np.asarray(total / len(self.lists))

    def zscores(self, values: _Floats) -> _Floats:
        """Standardise; -inf where luck has no spread, so that it never leads."""
        std = self.std[:, None]
        lowest = np.full(values.shape, -np.inf)
        excess = values - self.mean[:, None]
        return np.asarray(np.divide(excess, std, out=lowest, where=std > 0))


def inflation(refits: Sequence[JointNull], targets: Sequence[_Ints]) -> _Floats:
    """Spread of the mean over folds, over that of independent folds; by candidate.

    Fold k, by a model that was fitted to the labels r of the other folds, exceeds
    chance by E[r, k, b] if its own labels are b. Folds j and k are tied together by
    what the labels of each do to the other one: the mean of E[r, k, b] E[b, j, r] is
    their covariance. Each pair of r and b is a case of that, so that R refits make R**2
    cases. `targets` holds the labels, by fold: the targets of each draw in a row.

    The covariance is that of the terms of two folds. They double the variance at most:
    Cauchy and Schwarz for each pair.
    """
    excess = np.stack(
        [refit.values(targets) - refit.means[:, :, None] for refit in refits]
    )
    total = excess.sum(axis=1)
    shared = np.einsum("rcb,bcr->c", total, total)
    shared -= np.einsum("rkcb,bkcr->c", excess, excess)
    own = len(refits) * sum(refit.variances.sum(axis=0) for refit in refits)
    ratio = np.divide(shared, own, out=np.zeros_like(shared), where=own > 0)
    return np.asarray(np.sqrt(1 + np.clip(ratio, 0, MAX_INFLATION**2 - 1)))


def _tie_groups(above: _Ints) -> TieGroups:
    """A tie group ends where the next one begins, the last one with the list."""
    return TieGroups(np.append(np.unique(above)[1:], above.size))
