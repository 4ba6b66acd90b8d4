"""Two rankings of the same items: their difference, its error, its distribution.

Each item stands on a level, or a place, of either ranking. That is all it takes: the
influences of an item on the two rankings are paired, a resample draws the item in both,
and the swap permutation (Yeh 2000) exchanges its two ranks.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.inference._variability._jackknife import jackknife_of
from skrank.inference._variability._resampling import (
    Engine,
    Floats,
    batches,
    list_values,
    resampled_frame,
)
from skrank.metrics._definitions import Frame, Measure, Metric
from skrank.ranking._input import RankingInput
from skrank.ranking._ranking import Ranking, rank
from skrank.ranking._standing import Standing, ranks_as_scores, standing

Standings = tuple[Standing, Standing]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two rankings of the same items, and where the items stand in either."""

    rankings: tuple[Ranking, Ranking]
    standings: Standings


def pair_of(
    a: RankingInput, b: RankingInput, rankings: tuple[Ranking, Ranking]
) -> Pair:
    """Find where the items stand in two rankings; O(n log m)."""
    return Pair(rankings, (standing(a), standing(b)))


def pair_of_ranks(a: RankingInput, b: RankingInput) -> Pair:
    """The same two rankings, on one common axis of ranks; O(n log n).

    An item's rank is the middle of its tie, so that an exchange of the two ranks of an
    item changes nothing where the rankings agree.
    """
    a, b = ranks_as_scores(a), ranks_as_scores(b)
    levels = np.union1d(a.y_score[a.targets], b.y_score[b.targets])
    return Pair((rank(a), rank(b)), (standing(a, levels), standing(b, levels)))


def difference_error(measure: Measure, pair: Pair) -> float:
    """Standard error of the difference of the two values; O(n) beyond the ranking.

    The influences of each item on the one ranking and the other are subtracted, as
    DeLong, DeLong and Clarke-Pearson (1988) do for areas under the ROC curve.
    """
    parts = []
    for ranking, items in zip(pair.rankings, pair.standings, strict=True):
        found = jackknife_of(measure, ranking)
        parts.append((found.targets[items.levels], found.others[items.places]))
    (targets_a, others_a), (targets_b, others_b) = parts
    variance = np.square(targets_a - targets_b).sum()
    return float(np.sqrt(variance + np.square(others_a - others_b).sum()))


def paired_bootstrap(measure: Metric, pair: Pair) -> Engine:
    """Draw items with replacement; differences of the values on them, O(n) each."""
    frames = [resampled_frame(measure, ranking) for ranking in pair.rankings]
    return partial(_paired_bootstrap, measure, pair.standings, frames)


def _paired_bootstrap(
    measure: Metric,
    standings: Standings,
    frames: list[Frame],
    n_rankings: int,
    rng: np.random.Generator,
) -> Floats:
    a, b = standings
    m, n_non_targets = a.levels.size, a.places.size
    differences = []
    for size in batches(n_rankings, a.n_places + b.n_places):
        targets = rng.integers(m, size=(size, m))
        draws = (rng.integers(n_non_targets, size=n_non_targets) for _ in range(size))
        counts = [(_tally(a, drawn), _tally(b, drawn)) for drawn in draws]
        value_a, value_b = (
            list_values(measure, items.levels[targets], np.stack(others), frame)
            for frame, items, others in zip(
                frames, standings, zip(*counts, strict=True), strict=True
            )
        )
        differences.append(value_a - value_b)
    return np.concatenate(differences)


def swapped_differences(measure: Metric, pair: Pair) -> Engine:
    """Exchange the ranks of items at random; differences of the values, O(n) each.

    The pair is one on a common axis of ranks, and what the one ranking does not get of
    an item, the other gets.
    """
    frame, _ = (resampled_frame(measure, ranking) for ranking in pair.rankings)
    return partial(_swapped_differences, measure, pair.standings, frame)


def _swapped_differences(
    measure: Metric,
    standings: Standings,
    frame: Frame,
    n_rankings: int,
    rng: np.random.Generator,
) -> Floats:
    a, b = standings
    step, both = a.places - b.places, _tally(a) + _tally(b)
    differences = []
    for size in batches(n_rankings, a.n_places):
        target = rng.integers(2, size=(size, a.levels.size), dtype=bool)
        others = np.stack(
            [
                np.bincount(
                    b.places + step * _coins(step.size, rng), minlength=both.size
                )
                for _ in range(size)
            ]
        )
        value_a = list_values(
            measure, np.where(target, a.levels, b.levels), others, frame
        )
        value_b = list_values(
            measure, np.where(target, b.levels, a.levels), both - others, frame
        )
        differences.append(value_a - value_b)
    return np.concatenate(differences)


def _tally(items: Standing, drawn: Any = slice(None)) -> NDArray[np.intp]:
    """How many of the others that were drawn stand on each place."""
    return np.bincount(items.places[drawn], minlength=items.n_places)


def _coins(count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Fair tosses of a coin, eight from each random byte."""
    return np.unpackbits(
        rng.integers(256, size=count // 8 + 1, dtype=np.uint8), count=count
    )
