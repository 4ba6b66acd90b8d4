"""Cases that come piece by piece, and their ranking, made once for all questions.

What comes in are pieces of labels and scores, checked before they are taken. What goes
out is one ranking of the whole. What can only be told of the whole is checked there:
a piece may have one class, and scores that would be hard labels if they were all.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._ranking import Ranking, rank
from skrank._validation import (
    RankingInput,
    check_count,
    check_ranking_input,
    check_scores,
)


@dataclass(slots=True, eq=False)
class ScoredCases:
    """Labels and scores in pieces, and how many targets were never scored.

    `other` is the label of what is no target, once one was seen.
    """

    pos_label: object = None
    n_missed: int = 0
    other: Any = None
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
        is_target = np.zeros(data.y_score.size, dtype=bool)
        is_target[data.targets] = True
        self.other = same_other(self.other, _other_label(y_true, is_target))
        self.is_target.append(is_target)
        self.y_score.append(data.y_score.copy())  # the caller's array may be reused
        self._ranking = None

    def add_missed(self, count: int) -> None:
        """Count targets that were never scored."""
        self.n_missed += check_count("count", count, least=0)
        self._ranking = None

    def joined(self, cases: "ScoredCases") -> "ScoredCases":
        """Return the cases of both."""
        return ScoredCases(
            self.pos_label,
            self.n_missed + cases.n_missed,
            same_other(self.other, cases.other),
            self.is_target + cases.is_target,
            self.y_score + cases.y_score,
        )

    def ranking(self) -> Ranking:
        """Rank all cases; O(n log n) once, until something is added."""
        if self._ranking is None:
            self._ranking = rank(self._input())
        return self._ranking

    def _input(self) -> RankingInput:
        """All pieces as one list, which may be empty if all targets were missed."""
        if not self.y_score:
            nothing = np.array([], dtype=np.intp)
            return RankingInput(nothing, nothing, None, self.n_missed)
        targets = np.flatnonzero(np.concatenate(self.is_target))
        y_score = check_scores(np.concatenate(self.y_score))
        return RankingInput(targets, y_score, None, self.n_missed)


def same_other(known: Any, new: Any) -> Any:
    """Label of what is no target, the same in all pieces."""
    if known is not None and new is not None and known != new:
        msg = (
            "`y_true` must hold the same two labels in all pieces; got "
            f"{new!r} and {known!r} beside the label of the targets."
        )
        raise ValueError(msg)
    return new if known is None else known


def _other_label(y_true: ArrayLike, is_target: NDArray[np.bool_]) -> Any:
    """Label of the cases that are no targets; None if there are none."""
    first = int(is_target.argmin())
    return None if is_target[first] else np.asarray(y_true)[[first]].tolist()[0]
