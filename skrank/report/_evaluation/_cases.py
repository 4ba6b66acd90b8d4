"""Cases that come piece by piece, and their ranking, made once for all questions.

What comes in are pieces of labels and scores, checked before they are taken. What goes
out is one ranking of the whole. What can only be told of the whole is checked there:
a piece may have one class, and scores that would be hard labels if they were all.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_count
from skrank.ranking._input import (
    RankingInput,
    check_ranking_input,
    check_scores,
    other_label,
    same_other,
)
from skrank.ranking._ranking import Ranking, rank


@dataclass(slots=True, eq=False)
class ScoredCases:
    """Labels and scores in pieces, and how many targets were never scored.

    `other` is the label of what is no target, once one was seen; `dtype` the type that
    has room for all scores, once there are some.
    """

    pos_label: object = None
    n_missed: int = 0
    other: Any = None
    dtype: np.dtype[Any] | None = None
    is_target: list[NDArray[np.bool_]] = field(default_factory=list)
    y_score: list[NDArray[Any]] = field(default_factory=list)
    _ranking: Ranking | None = None

    @property
    def n_samples(self) -> int:
        """Number of scored cases."""
        return sum(piece.size for piece in self.y_score)

    @property
    def n_targets(self) -> int:
        """Number of targets, those included that were missed."""
        return sum(int(piece.sum()) for piece in self.is_target) + self.n_missed

    def add(self, y_true: ArrayLike, y_score: ArrayLike, *, whole: bool) -> None:
        """Take a piece, or one case; nothing changes if there is an error."""
        if np.ndim(y_true) == 0 and np.ndim(y_score) == 0:
            y_true, y_score = [y_true], [y_score]  # type: ignore[assignment]
        data = check_ranking_input(
            y_true, y_score, pos_label=self.pos_label, whole=whole
        )
        is_target, y_score = data.is_target, data.y_score.copy()  # theirs is reused
        other = other_label(y_true, data.targets)
        self._take(
            ScoredCases(
                other=other,
                dtype=y_score.dtype,
                is_target=[is_target],
                y_score=[y_score],
            )
        )

    def add_missed(self, count: int) -> None:
        """Count targets that were never scored."""
        self._take(ScoredCases(n_missed=check_count("count", count, least=0)))

    def joined(self, cases: "ScoredCases") -> "ScoredCases":
        """Return the cases of both."""
        both = ScoredCases(self.pos_label)
        both._take(self)
        both._take(cases)
        return both

    def ranking(self) -> Ranking:
        """Rank all cases; O(n log n) once, until something is added."""
        if self._ranking is None:
            self._ranking = rank(self._input())
        return self._ranking

    def _take(self, cases: "ScoredCases") -> None:
        """Take the cases of another; nothing changes if they do not fit."""
        other, dtype = same_other(self.other, cases.other), _common_type(self, cases)
        self.other, self.dtype = other, dtype
        self.n_missed += cases.n_missed
        self.is_target += cases.is_target
        self.y_score += cases.y_score
        self._ranking = None

    def _input(self) -> RankingInput:
        """All pieces as one ranking, which may be empty if all targets were missed."""
        if not self.y_score:
            nothing = np.array([], dtype=np.intp)
            return RankingInput(nothing, nothing, None, self.n_missed)
        targets = np.flatnonzero(np.concatenate(self.is_target))
        y_score = check_scores(np.concatenate(self.y_score, dtype=self.dtype))
        return RankingInput(targets, y_score, None, self.n_missed)


def _common_type(*both: ScoredCases) -> np.dtype[Any] | None:
    """Type for the scores of both, in which no two integers become one."""
    types = [cases.dtype for cases in both if cases.dtype is not None]
    common = np.result_type(*types) if types else None
    for cases in both:
        if cases.dtype != common:
            for piece in cases.y_score:
                _check_exact(piece, common)
    return common


def _check_exact(piece: NDArray[Any], common: np.dtype[Any] | None) -> None:
    """Refuse integers that the common type of all pieces does not hold."""
    if piece.dtype.kind == "f":
        return
    changed = piece.astype(common)
    # one above the largest is a power of two, and cannot be turned back
    inside = changed < float(int(np.iinfo(piece.dtype).max) + 1)
    lost = ~inside
    lost[inside] = changed[inside].astype(piece.dtype) != piece[inside]
    if np.any(lost):
        msg = (
            "`y_score` must hold integers that keep their value in the common type of "
            f"all pieces; got {piece[lost][0]} where that is {common}."
        )
        raise ValueError(msg)
