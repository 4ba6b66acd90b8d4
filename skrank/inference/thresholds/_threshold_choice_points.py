"""The thresholds among which `ThresholdChoice` chooses, and those of other samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.curves._depths import spread_counts
from skrank.ranking._items import level_at
from skrank.ranking._ranking import Ranking

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Points:
    """Thresholds at scores of targets, best first.

    Infinity is before them, and minus infinity is the last: it retrieves all items.
    `hits` and `items` are retrieved by each, and `worth` is the sum of the amounts of
    the hits.
    """

    levels: Floats
    hits: Floats
    items: Floats
    worth: Floats
    n_targets: float
    n_samples: float

    @classmethod
    def of(cls, ranking: Ranking, amounts: Floats, most: float = math.inf) -> Points:
        """Return the points of a ranking, with amounts of its targets; O(n).

        The last threshold with at most so many items is one of them.
        """
        scores = ranking.items.y_score
        of_targets = scores[ranking.items.targets]
        levels = np.unique(of_targets).astype(float)
        if levels.size and scores.min() >= levels[0]:
            levels = levels[1:]  # the last threshold retrieves all
        levels = np.unique(np.append(levels, level_within(scores, most)))
        levels = np.concatenate([[np.inf], levels[::-1], [-np.inf]])
        columns = (of_targets, None), (scores, None), (of_targets, amounts)
        hits, items, worth = (
            sums_from(levels, one, weights) for one, weights in columns
        )
        sizes = ranking.n_targets, ranking.n_samples
        return cls(levels, hits, items, worth, *sizes)

    def cells(self, scores: Floats) -> NDArray[np.intp]:
        """Return, for scores, the number of the threshold before the first below."""
        return first_of(self.levels, scores) - 1

    def at(self, index: int) -> tuple[float, float, float]:
        """Return the threshold, the items and the hits of a point."""
        parts = self.levels[index], self.items[index], self.hits[index]
        return tuple(map(float, parts))  # type: ignore[return-value]

    def thinned(self) -> Points:
        """Return some of many points, dense at the top, with the first and the last."""
        kept = some_of(self.levels.size)
        parts = self.levels[kept], self.hits[kept], self.items[kept], self.worth[kept]
        return Points(*parts, self.n_targets, self.n_samples)

    @property
    def each_hits(self) -> NDArray[np.intp]:
        """Targets from one threshold to the next."""
        return np.diff(self.hits).astype(np.intp)

    @property
    def each_amount(self) -> Floats:
        """Mean amount of the targets from one threshold to the next."""
        mean: Floats = np.diff(self.worth) / np.maximum(self.each_hits, 1)
        return mean

    @property
    def each_others(self) -> NDArray[np.intp]:
        """Non-targets from one threshold to the next."""
        return np.diff(self.items - self.hits).astype(np.intp)

    def of_others(
        self, rng: np.random.Generator, size: int, weight: float
    ) -> tuple[Floats, Floats, Floats]:
        """Draw hits, worth and items of samples of others, as many of each class."""
        # a target of the population may be below all of these data
        below = np.append(np.zeros(self.each_hits.size - 1), 0.5)
        drawn = other_sample(rng, self.each_hits, size, weight, below)
        others = other_sample(rng, self.each_others, size, weight)
        hits, worth = cumulative(drawn), cumulative(drawn * self.each_amount)
        return hits, worth, hits + cumulative(others)


def first_of(levels: Floats, scores: Floats) -> NDArray[np.intp]:
    """Return the first of the levels, best first, that retrieves each score."""
    found: NDArray[np.intp] = np.searchsorted(levels[::-1], scores, side="right")
    return levels.size - found


def sums_from(levels: Floats, scores: Floats, weights: Floats | None = None) -> Floats:
    """Return how many scores each level retrieves, or the sum of their weights."""
    first = first_of(levels, scores)
    sums: Floats = np.bincount(first, weights, levels.size).cumsum() + 0.0
    return sums


def beside(levels: Floats, chosen: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the next lower and the next higher level.

    A target of another sample is between two of these data.
    """
    lower, higher = np.minimum(chosen + 1, levels.size - 1), np.maximum(chosen - 1, 0)
    return levels[lower], levels[higher]


def some_of(n_levels: int) -> NDArray[np.intp]:
    """Return which of many levels to try: all, or some that are dense at the top."""
    # With four times as many, a choice among 4000 targets takes 5 s for 2 s; with
    # half as many, neighbouring thresholds are 1/256 of the targets apart.
    most, last = 512, n_levels - 1
    if n_levels <= most:
        return np.arange(n_levels)
    even = np.linspace(0, last, most).astype(np.intp)
    return np.union1d(even, spread_counts(last))


def level_within(scores: Floats, most: float) -> Floats:
    """Return the lowest score with at most so many items, as an array; O(n).

    It is empty if there is no such limit, or if the first tie is larger.
    """
    depth = int(min(most, scores.size))
    if math.isinf(most) or depth < 1:
        return np.empty(0)
    level = level_at(scores, depth)
    above = scores[scores > level]
    fits = scores.size - np.count_nonzero(scores < level) <= depth
    level = level if fits else above.min(initial=np.inf)
    return np.array([level], dtype=float)[: above.size if not fits else 1]


def other_sample(
    rng: np.random.Generator,
    counts: NDArray[Any],
    size: int,
    weight: float = 1.0,
    more: Any = 0.0,
) -> NDArray[np.intp]:
    """Draw counts of other samples as large, from populations that are drawn first.

    The shares of a population are drawn by the Bayesian bootstrap (Rubin 1981), in
    which an item of these data has a `weight`, and there is `more` than these data.
    """
    weights = rng.standard_gamma(weight * counts + more, size=(size, counts.size))
    weights /= weights.sum(axis=1, keepdims=True)
    return rng.multinomial(int(counts.sum()), weights)


def cumulative(counts: NDArray[Any]) -> Floats:
    """Cumulative sums of rows, from 0."""
    return np.cumsum(np.pad(counts, ((0, 0), (1, 0))), axis=1, dtype=float)
