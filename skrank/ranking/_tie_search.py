"""Find the ties of a ranking in chunks, in two steps.

The first step draws a sample of the scores. It determines which scores are surely among
the best, where every tie counts, and which scores may be wide ties further down. The
second step reads all scores again, keeps the best, and counts the others that were
named. The result does not depend on the sample if the sample is sufficient, which fails
at six standard deviations. Parts of both steps can be merged.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.ranking._level_counts import LevelCounts
from skrank.ranking._ties import DETAILED, TieGroups, is_wide, tie_groups

_LARGEST = 2**19  # scores in a sample, or down to half of it; twice if it has all
_CANDIDATE = 8  # a tie may be so many times wider than in the sample


class ScoreSample:
    """One random score of each run of `stride` scores; all scores, if they are few.

    Each sample uses new random numbers. Workers with the same seed would draw similar
    samples, whose errors have the same sign and add up.

    `n_expected` is the approximate number of scores of all parts, if it is known. Each
    part is then as small as possible.
    """

    def __init__(self, n_expected: int = 0) -> None:
        self.n_samples = 0
        self.stride = 1
        while n_expected > self.stride * self._most:
            self.stride *= 2
        self._pieces: list[NDArray[Any]] = []
        self._size = 0

    def add(self, scores: NDArray[Any]) -> None:
        """Draw from more scores; O(n / stride)."""
        self.n_samples += scores.size
        while self._size + math.ceil(scores.size / self.stride) > self._most:
            self._thin()
        if self.stride == 1:
            scores = scores.copy()  # the caller may change its array
        self._keep(_one_of_each(scores, self.stride))

    def merge(self, other: "ScoreSample") -> None:
        """Add the sample of another part."""
        self.n_samples += other.n_samples
        while self.stride < other.stride:
            self._thin()
        for piece in other._pieces:
            self._keep(_one_of_each(piece, self.stride // other.stride))
        while self._size > self._most:
            self._thin()

    def search(self) -> "TieSearch":
        """Return what the second step must count; O(sample)."""
        index = depth_in_sample(DETAILED, self.stride)
        if self.n_samples <= DETAILED or index > self._size:
            return TieSearch(None, self._pieces[0][:0] if self._pieces else np.zeros(0))
        ordered = np.sort(self.values())
        floor = ordered[-index]
        first = _first_of_ties(ordered)
        size = np.diff(first, append=ordered.size)
        start = ordered.size - first - size  # depths in the sample
        wide = is_wide(start, _CANDIDATE * size, ordered.size)
        levels = ordered[first]
        return TieSearch(floor, levels[wide & (levels < floor)])

    def values(self) -> NDArray[Any]:
        """Return the sample."""
        return np.concatenate(self._pieces) if self._pieces else np.zeros(0)

    @property
    def _most(self) -> int:
        return _LARGEST * (2 if self.stride == 1 else 1)

    def _keep(self, scores: NDArray[Any]) -> None:
        if scores.size:
            self._pieces.append(scores)
            self._size += scores.size

    def _thin(self) -> None:
        """Keep one random score of each two."""
        values = self.values()
        self.stride *= 2
        self._pieces, self._size = [], 0
        self._keep(_one_of_each(values, 2))


class TieSearch:
    """Keep the scores above `floor`, and count those equal to it or to `candidates`.

    It stores about 2**20 scores for rankings of up to 1e10 items. `floor` None keeps
    all.
    """

    def __init__(self, floor: Any, candidates: NDArray[Any]) -> None:
        self.floor = floor
        self.candidates = candidates
        self.n_samples = 0
        self._best: list[NDArray[Any]] = []
        self._at_floor = 0
        self._counts = LevelCounts(candidates)

    def add(self, scores: NDArray[Any]) -> None:
        """Read more scores."""
        self.n_samples += scores.size
        if self.floor is None:
            self._best.append(scores.copy())  # the caller may change its array
            return
        best = np.flatnonzero(scores > self.floor)
        if best.size:
            self._best.append(scores[best])
        self._at_floor += int(np.count_nonzero(scores == self.floor))
        if self.candidates.size:
            self._counts.add(scores)

    def merge(self, other: "TieSearch") -> None:
        """Add another search with the same candidates."""
        self.n_samples += other.n_samples
        self._best += other._best
        self._at_floor += other._at_floor
        self._counts.merge(other._counts)

    def tie_groups(self) -> TieGroups:
        """Return the ties of all scores that were read."""
        best = np.sort(np.concatenate([self.candidates[:0], *self._best]))
        ends = (best.size - _first_of_ties(best))[::-1]
        if self.floor is not None:
            ends = np.append(ends, best.size + self._at_floor)
        end = self.n_samples - self._counts.below
        return tie_groups(ends, end - self._counts.level_with, end, self.n_samples)


def depth_in_sample(depth: int, stride: int) -> int:
    """Return a depth in a sample that is surely not above `depth` of the ranking."""
    expected = depth / stride
    return math.ceil(expected + 6 * math.sqrt(expected) + 12)  # standard deviations


def _one_of_each(scores: NDArray[Any], stride: int) -> NDArray[Any]:
    """Return one random score of each run, or sometimes none of an incomplete run."""
    if stride == 1:
        return scores
    starts = np.arange(0, scores.size, stride)
    drawn = starts + np.random.default_rng().integers(stride, size=starts.size)
    sample: NDArray[Any] = scores[drawn[drawn < scores.size]]
    return sample


def _first_of_ties(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index at which each tie begins in ascending scores."""
    differs = ordered[1:] != ordered[:-1]
    return np.flatnonzero(np.append(np.ones(min(ordered.size, 1), dtype=bool), differs))
