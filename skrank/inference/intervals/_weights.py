"""Bootstrap of a ranking of weighted items. Each resample is ranked again."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from skrank.metrics._definitions import AnyMetric
from skrank.ranking._input import RankingInput
from skrank.ranking._ranking import rank


@dataclass(frozen=True, slots=True, eq=False)
class WeightedBootstrap:
    """Bootstrap of items with their weights, separately for targets and non-targets."""

    metric: AnyMetric
    data: RankingInput

    def __call__(
        self, n_rankings: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return values of so many rankings; O(n log n) each."""
        is_target = self.data.is_target
        classes = self.data.targets, np.flatnonzero(~is_target)
        values = np.empty(n_rankings)
        for i in range(n_rankings):
            drawn = np.concatenate([rng.choice(one, one.size) for one in classes])
            values[i] = self.value(self.data.y_score[drawn], drawn)
        return values

    def ends(self) -> tuple[float, float]:
        """Return values of the rankings with all targets first and last, ascending."""
        every = np.arange(self.data.y_score.size)
        first = every + every.size * self.data.is_target.astype(np.float64)
        low, high = sorted(self.value(order, every) for order in (first, -first))
        return low, high

    def value(self, y_score: NDArray[np.float64], items: NDArray[np.intp]) -> float:
        """Return the value of some of the items with these scores."""
        assert self.data.weight is not None
        targets = np.flatnonzero(self.data.is_target[items])
        ranking = rank(RankingInput(targets, y_score, self.data.weight[items]))
        # a group may be shorter than a cutoff, which was checked before
        return self.metric.value(replace(ranking, several=True))
