"""Two passes over a ranking in chunks: what to count, and the counts.

The first pass tells the scores of the targets, and by a sample of all scores where to
look for wide ties. The second counts the items above and level with each target. Both
can be shared out: passes over parts of a ranking are merged. What does not go together
is refused before anything is changed, and what was seen is noted last, so that a pass
that was interrupted can be told from a complete one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.ranking._counting import LevelCounts
from skrank.ranking._counts._chunk import Chunk, Kind, Seen, extremes
from skrank.ranking._counts._items import CountedItems
from skrank.ranking._input import check_scores
from skrank.ranking._ranking import HitGroups, Ranking
from skrank.ranking._tie_search import ScoreSample, TieSearch


@dataclass(frozen=True, slots=True)
class Start:
    """What is known before the first pass: about how many items there will be."""

    n_expected: int = 0

    def blank(self) -> "FirstPass":
        """Return a pass that has seen nothing."""
        return FirstPass(self.n_expected)


class FirstPass:
    """Scores of the targets, and a sample of all scores."""

    def __init__(self, n_expected: int = 0) -> None:
        self.kind = Kind()
        self.seen = Seen()
        self.sample = ScoreSample(n_expected)
        self.target_scores: list[NDArray[Any]] = []
        self.extremes: NDArray[Any] = np.zeros(0)

    def add(self, chunk: Chunk) -> None:
        """Take a chunk."""
        self._take(chunk.kind, [chunk.target_scores], extremes(chunk.scores))
        self.sample.add(chunk.scores)
        self.seen += chunk.seen

    def merge(self, other: "FirstPass") -> None:
        """Take what another has seen."""
        self._take(other.kind, other.target_scores, other.extremes)
        self.sample.merge(other.sample)
        self.seen += other.seen

    def blank(self) -> "FirstPass":
        """Return a pass that has seen nothing."""
        return FirstPass()

    def plan(self) -> "Plan":
        """Check the ranking as a whole, and say what to count of it."""
        if self.seen.n_samples == 0:
            msg = "`y_true` must hold at least one item in some chunk; got none."
            raise ValueError(msg)
        if self.extremes.size:
            check_scores(self.extremes)
        targets = np.concatenate([np.zeros(0, self.kind.dtype), *self.target_scores])
        levels, hits = np.unique(targets, return_counts=True)
        search = self.sample.search()
        return Plan(self.kind, self.seen, levels, hits, search.floor, search.candidates)

    def _take(
        self, kind: Kind, target_scores: list[NDArray[Any]], ends: NDArray[Any]
    ) -> None:
        self.kind += kind
        self.target_scores += [scores for scores in target_scores if scores.size]
        if ends.size:
            self.extremes = extremes(np.append(self.extremes.astype(ends.dtype), ends))


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What to count in the second pass, and what must be seen in it.

    `levels` are the distinct scores of targets, ascending, and `hits` how many targets
    have each; `floor` and `candidates` are those of a `TieSearch`.
    """

    kind: Kind
    seen: Seen
    levels: NDArray[Any]
    hits: NDArray[np.intp]
    floor: Any
    candidates: NDArray[Any]

    def blank(self) -> "SecondPass":
        """Return a pass that has counted nothing."""
        return SecondPass(self)

    def same_as(self, other: "Plan") -> bool:
        """Whether both come from the same first pass."""
        return (
            self.seen == other.seen
            and self.floor == other.floor
            and np.array_equal(self.levels, other.levels)
            and np.array_equal(self.hits, other.hits)
            and np.array_equal(self.candidates, other.candidates)
        )


class SecondPass:
    """Counts of all items against the scores of the targets."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.kind = plan.kind
        self.seen = Seen()
        self.hits = np.zeros(plan.levels.size, dtype=np.intp)
        self.counts = LevelCounts(plan.levels)
        self.ties = TieSearch(plan.floor, plan.candidates)
        self._ranking: Ranking | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of a pickle what can be computed again."""
        return {**self.__dict__, "_ranking": None}

    def blank(self) -> "SecondPass":
        """Return a pass that has counted nothing."""
        return self.plan.blank()

    def add(self, chunk: Chunk) -> None:
        """Take a chunk, unless it is more than was left."""
        kind = self.kind + chunk.kind
        hits = self._hits_of(chunk.target_scores)
        self._check_room(chunk.seen)
        self.counts.add(chunk.scores)
        self.ties.add(chunk.scores)
        self.kind = kind
        self.hits += hits
        self._note(chunk.seen)

    def merge(self, other: "SecondPass") -> None:
        """Take what another has counted by the same plan."""
        if not self.plan.same_as(other.plan):
            msg = (
                "`RankCounts` can only be added if their second passes come from the "
                f"same first pass; got one of {self.plan.seen.n_samples} items and "
                f"another of {other.plan.seen.n_samples}."
            )
            raise ValueError(msg)
        self._check_room(other.seen)
        self.kind += other.kind
        self.counts.merge(other.counts)
        self.ties.merge(other.ties)
        self.hits += other.hits
        self._note(other.seen)

    def ranking(self) -> Ranking:
        """Ranking of the whole ranking, once all of it was seen; O(m)."""
        self._check_complete()
        if self._ranking is None:
            self._ranking = self._rank()
        return self._ranking

    def _check_room(self, new: Seen) -> None:
        """Check that no more is counted than the first pass has seen."""
        got = (self.seen + new).more_than(self.plan.seen)
        if got is not None:
            msg = (
                "`RankCounts` must see each item once in the second pass, and none "
                f"that the first has not seen; got {got}, and left the last out."
            )
            raise ValueError(msg)

    def _note(self, seen: Seen) -> None:
        self.seen += seen
        self._ranking = None

    def _hits_of(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        """Count targets on each level."""
        levels = self.plan.levels
        unknown = scores[~np.isin(scores, levels)]
        if unknown.size:
            msg = (
                "`y_score` must give the targets the scores that they had in the first "
                f"pass; got {unknown[0]!s}, which none had."
            )
            raise ValueError(msg)
        return np.bincount(np.searchsorted(levels, scores), minlength=levels.size)

    def _check_complete(self) -> None:
        """Check that exactly the items of the first pass were counted."""
        got = self.seen.unlike(self.plan.seen)
        counted_all = self.counts.n_samples == self.seen.n_samples
        if got is None and not (
            counted_all and np.array_equal(self.hits, self.plan.hits)
        ):
            got = "a chunk that was broken off"
        if got is not None:
            msg = (
                "`RankCounts` must see the same items in both passes before they are "
                f"read; got {got} in the second."
            )
            raise ValueError(msg)

    def _rank(self) -> Ranking:
        counts, hits = self.counts, self.hits[::-1]
        size = counts.level_with[::-1]
        above = counts.n_samples - counts.below[::-1] - size
        groups = HitGroups(above, size, np.cumsum(hits) - hits, hits)
        return Ranking(
            groups=groups,
            levels=self.plan.levels[::-1],
            n_samples=self.seen.n_samples,
            n_targets=self.seen.n_targets,
            n_non_targets=self.seen.n_samples - self.seen.n_targets,
            n_missed=0,
            items=CountedItems(groups, self.ties),
        )
