"""Two rankings of the same items."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._measures import Measure
from skrank._ranking import Ranking, rank
from skrank._validation import RankingInput


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

    def values(self, measure: Measure) -> tuple[float, float]:
        """Values of a measure for A and for B."""
        a, b = self.rankings
        return measure.value(a), measure.value(b)


def rank_pair(
    is_target: NDArray[np.bool_], score_a: NDArray[Any], score_b: NDArray[Any]
) -> PairedRankings:
    """Rank the same items by two scores."""
    targets = np.flatnonzero(is_target)
    a, b = (RankingInput(targets, score, None, 0) for score in (score_a, score_b))
    return PairedRankings((a, b), (rank(a), rank(b)))
