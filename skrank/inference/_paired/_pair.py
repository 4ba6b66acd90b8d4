"""Two rankings of the same items."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._rounding import subtract
from skrank.inference._variability._constant import is_certain, same_order
from skrank.inference._variability._moderation import reach_of
from skrank.metrics._definitions import Metric
from skrank.ranking._input import RankingInput
from skrank.ranking._ranking import Ranking, rank

# Clean input, and the ranking it makes.
Ranked = tuple[RankingInput, Ranking]


@dataclass(frozen=True, slots=True, eq=False)
class PairedRankings:
    """Clean input of A and of B, with the same targets, and the rankings they make."""

    inputs: tuple[RankingInput, RankingInput]
    rankings: tuple[Ranking, Ranking]

    @property
    def n_samples(self) -> int:
        """Number of items."""
        return self.inputs[0].y_score.size

    @property
    def targets(self) -> NDArray[np.intp]:
        """Positions of the targets among them."""
        return self.inputs[0].targets

    def values(self, measure: Metric) -> tuple[float, float]:
        """Values of a measure for A and for B."""
        a, b = self.rankings
        return measure.value(a), measure.value(b)

    def scale(self, measure: Metric) -> float:
        """Value of a perfect data set."""
        frame = measure.frame(self.rankings[0], self.targets.size)
        return reach_of(measure, frame).best

    def is_certain(self, measure: Metric) -> bool:
        """Whether the values are equal in every sample."""
        if all(is_certain(measure, ranking) for ranking in self.rankings):
            return True
        above_a, above_b = (ranking.groups.above for ranking in self.rankings)
        score_a, score_b = (data.y_score for data in self.inputs)
        return np.array_equal(above_a, above_b) and same_order(score_a, score_b)


@dataclass(frozen=True, slots=True, eq=False)
class PairedValues:
    """Values of A and of B, a row for each data set, and those of perfect data sets."""

    values: NDArray[np.float64]
    scales: NDArray[np.float64]

    @property
    def differences(self) -> NDArray[np.float64]:
        """Values of A less those of B."""
        return subtract(self.values[:, 0], self.values[:, 1], self.scales)

    @property
    def estimates(self) -> tuple[float, float]:
        """Means over the data sets."""
        a, b = self.values.mean(axis=0).tolist()
        return a, b

    @property
    def difference(self) -> float:
        """Mean of A less that of B."""
        a, b = self.estimates
        return float(subtract(a, b, self.scale))

    @property
    def scale(self) -> float:
        """Largest of the perfect values."""
        return float(self.scales.max())


def values_of(pairs: list[PairedRankings], measure: Metric) -> PairedValues:
    """Values of a measure on data sets."""
    return PairedValues(
        np.array([pair.values(measure) for pair in pairs]),
        np.array([pair.scale(measure) for pair in pairs]),
    )


def rank_one(is_target: NDArray[np.bool_], score: NDArray[Any]) -> Ranked:
    """Rank items by one score, and keep them."""
    data = RankingInput(np.flatnonzero(is_target), score, None, 0)
    return data, rank(data)


def paired(a: Ranked, b: Ranked) -> PairedRankings:
    """Pair two rankings of the same items."""
    return PairedRankings((a[0], b[0]), (a[1], b[1]))


def rank_pair(
    is_target: NDArray[np.bool_], score_a: NDArray[Any], score_b: NDArray[Any]
) -> PairedRankings:
    """Rank the same items by two scores."""
    return paired(rank_one(is_target, score_a), rank_one(is_target, score_b))
