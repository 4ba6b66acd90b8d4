"""The two passes over a data set in chunks.

The first pass collects the scores of the targets, and a sample of all scores that tells
where wide ties can be. The second pass counts the items above and equal to each target.
Passes over parts of a data set can be merged. Parts that do not belong together raise
an error before anything is changed.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import invalid
from skrank._utils._columns import is_column, refuse_dask
from skrank.ranking._input import (
    RankingInput,
    check_ranking_input,
)
from skrank.ranking._items import CountedItems
from skrank.ranking._level_counts import LevelCounts
from skrank.ranking._pieces import Pieces
from skrank.ranking._ranking import HitGroups, Ranking
from skrank.ranking._tie_search import ScoreSample, TieSearch


def read_chunk(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: object
) -> RankingInput | None:
    """Check a chunk; the result is None for an empty chunk."""
    refuse_dask("y_true", y_true)
    refuse_dask("y_score", y_score)
    columns: tuple[Any, ...] = y_true, y_score
    if all(is_column(one) and len(one) == 0 for one in columns):
        return None
    return check_ranking_input(y_true, y_score, pos_label=pos_label, whole=False)


class FirstPass(Pieces):
    """Scores of the targets, and a sample of all scores."""

    def __init__(self, n_expected: int = 0) -> None:
        super().__init__()
        self.target_scores: list[NDArray[Any]] = []
        self.sample = ScoreSample(n_expected)

    def count(self, y_true: ArrayLike, y_score: ArrayLike, pos_label: object) -> None:
        """Count a chunk."""
        data = read_chunk(y_true, y_score, pos_label)
        if data is not None:
            self.add(data, y_true)
            self.target_scores.append(data.y_score[data.targets])
            self.sample.add(data.y_score)

    def merge(self, other: "FirstPass") -> None:
        """Add another first pass."""
        self.take(other)
        self.target_scores += other.target_scores
        self.sample.merge(other.sample)

    def _common_type(self, part: Pieces) -> NoReturn:
        rule = (
            "have the same type in all chunks, so that equal scores stay equal, as "
            "`y_score.astype` and the `dtype` of a reader make sure"
        )
        raise invalid("y_score", rule, f"{part.dtype} after {self.dtype}")

    def plan(self, pos_label: object) -> "Plan":
        """Check the data set as a whole, and return what the second pass must count."""
        if self.n_samples == 0:
            raise invalid("y_true", "contain at least one item in some chunk", "none")
        self.check_label(pos_label)
        self.check_scores()
        targets = np.concatenate([np.zeros(0, self.dtype), *self.target_scores])
        levels, hits = np.unique(targets, return_counts=True)
        search = self.sample.search()
        return Plan(self.n_samples, levels, hits, search.floor, search.candidates)

    def second(self, plan: "Plan") -> "SecondPass | None":
        """Return the second pass if the sample has all scores, else None."""
        if self.sample.stride > 1:
            return None
        second, scores = SecondPass(plan), self.sample.values()
        second.hits += plan.hits
        second.counts.add(scores)
        second.ties.add(scores)
        return second


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What the second pass counts, and which items it must have.

    `levels` are the distinct scores of targets, ascending, and `hits` their numbers of
    targets; `floor` and `candidates` are those of a `TieSearch`.
    """

    n_samples: int
    levels: NDArray[Any]
    hits: NDArray[np.intp]
    floor: Any
    candidates: NDArray[Any]

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return int(self.hits.sum())

    def same_as(self, other: "Plan") -> bool:
        """Return whether both are from the same first pass."""
        return (
            (self.n_samples, self.floor) == (other.n_samples, other.floor)
            and np.array_equal(self.levels, other.levels)
            and np.array_equal(self.hits, other.hits)
            and np.array_equal(self.candidates, other.candidates)
        )


class SecondPass:
    """Counts of all items relative to the scores of the targets."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.hits = np.zeros(plan.levels.size, dtype=np.intp)
        self.counts = LevelCounts(plan.levels)
        self.ties = TieSearch(plan.floor, plan.candidates)

    @property
    def n_samples(self) -> int:
        """Number of items that were counted."""
        return self.counts.n_samples

    @property
    def n_targets(self) -> int:
        """Number of targets that were counted."""
        return int(self.hits.sum())

    def count(self, y_true: ArrayLike, y_score: ArrayLike, pos_label: object) -> None:
        """Count a chunk, unless it has more items than remain."""
        data = read_chunk(y_true, y_score, pos_label)
        if data is None:
            return
        levels, scores = self.plan.levels, data.y_score
        if levels.size and levels.dtype != scores.dtype:
            got = f"{scores.dtype} after {levels.dtype}"
            raise invalid("y_score", "have the same type in both passes", got)
        targets = scores[data.targets]
        unknown = targets[~np.isin(targets, levels)]
        if unknown.size:
            rule = "contain the same scores of targets as in the first pass"
            raise invalid("y_score", rule, f"{unknown[0]!s}, which none had")
        hits = np.bincount(np.searchsorted(levels, targets), minlength=levels.size)
        self._check_room(scores.size, hits)
        self.hits += hits
        self.counts.add(scores)
        self.ties.add(scores)

    def merge(self, other: "SecondPass") -> None:
        """Add another second pass with the same plan."""
        if not self.plan.same_as(other.plan):
            msg = (
                "`RankCounts` can only be added if their second passes come from the "
                f"same first pass; got one of {self.plan.n_samples} items and "
                f"another of {other.plan.n_samples}."
            )
            raise ValueError(msg)
        self._check_room(other.n_samples, other.hits)
        self.hits += other.hits
        self.counts.merge(other.counts)
        self.ties.merge(other.ties)

    def _check_room(self, n_samples: int, hits: NDArray[np.intp]) -> None:
        """Check that the second pass has not more items than the first one."""
        seen = self.n_samples + n_samples
        if seen > self.plan.n_samples or np.any(self.hits + hits > self.plan.hits):
            got = f"{seen} items of {self.plan.n_samples}"
            if seen <= self.plan.n_samples:
                got = f"{self.n_targets + hits.sum()} targets of {self.plan.n_targets}"
            rule = (
                "receive each item of the first pass once in the second pass, and no "
                "other item"
            )
            raise invalid("RankCounts", rule, f"{got}; the last chunk is left out")

    def ranking(self) -> Ranking:
        """Return the ranking, after all items were counted; O(m)."""
        plan, counts, hits = self.plan, self.counts, self.hits[::-1]
        complete = self.n_samples == plan.n_samples and np.array_equal(
            self.hits, plan.hits
        )
        if not complete:
            got = (
                f"{self.n_samples} items of {plan.n_samples} and {self.n_targets} "
                f"targets of {plan.n_targets} in the second"
            )
            rule = "receive the same items in both passes before use"
            raise invalid("RankCounts", rule, got)
        size = counts.level_with[::-1]
        above = counts.n_samples - counts.below[::-1] - size
        groups = HitGroups(above, size, np.cumsum(hits) - hits, hits)
        return Ranking(
            groups=groups,
            levels=plan.levels[::-1],
            n_samples=plan.n_samples,
            n_targets=plan.n_targets,
            n_non_targets=plan.n_samples - plan.n_targets,
            n_missed=0,
            items=CountedItems(above, size, self.ties),
        )
