"""What labels and scores that arrive in pieces must have in common.

`RankingEvaluation` keeps all items beside it, and the first pass of `RankCounts` the
scores of the targets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._utils._checks import hard_labels, invalid
from skrank.ranking._input import (
    RankingInput,
    check_same_kind,
    kind_of_labels,
    small_integers,
    unknown_label,
)


class Pieces:
    """Numbers of items and targets in pieces, and the kinds of labels and of scores."""

    def __init__(self) -> None:
        self.n_samples = self.n_targets = 0
        self.dtype: Any = None  # of all scores
        self._largest = 0  # largest integer of the scores, by absolute value
        # distinct scores, while all are integers from -1 to 1, which may be labels
        self._small: set[int] | None = set()
        self._labels = ""  # kind of all labels, numbers or texts

    def add(self, data: RankingInput, y_true: ArrayLike) -> None:
        """Add a checked piece with its labels; on errors, nothing is changed."""
        scores, part = data.y_score, Pieces()
        part.n_samples, part.n_targets = scores.size, data.targets.size
        part.dtype, part._small = scores.dtype, small_integers(scores)
        if scores.dtype.kind in "iu":
            part._largest = max(-int(scores.min()), int(scores.max()))
        part._labels = kind_of_labels(y_true)
        self.take(part)

    def take(self, part: Pieces) -> None:
        """Add other pieces; on errors, nothing is changed."""
        dtype = part.dtype if self.dtype is None else self.dtype
        if part.dtype is not None and part.dtype != dtype:
            dtype = self._common_type(part)
        self._labels = check_same_kind(self._labels, part._labels)
        self.dtype = dtype
        self.n_samples += part.n_samples
        self.n_targets += part.n_targets
        self._largest = max(self._largest, part._largest)
        both = self._small is not None and part._small is not None
        self._small = self._small | part._small if both else None  # type: ignore[operator]

    def _common_type(self, part: Pieces) -> Any:
        """Return the type that holds the scores of both, which are of two types."""
        dtype = np.result_type(self.dtype, part.dtype)
        largest = max(self._largest, part._largest)
        if dtype.kind == "f" and largest > 2**53:  # floats hold all integers up to it
            rule = f"contain integers of at most 2**53 in pieces of common type {dtype}"
            raise invalid("y_score", rule, f"one of absolute value {largest}")
        return dtype

    def check_label(self, pos_label: object, n_missed: int = 0) -> None:
        """Check that some item has the label of the targets, if there are items."""
        n_targets = self.n_targets + n_missed
        if pos_label is not None and self.n_samples and not n_targets:
            raise unknown_label(pos_label, self.n_samples)

    def check_scores(self) -> None:
        """Check that the scores of all pieces together are not hard labels."""
        if self._small in ({0, 1}, {-1, 1}):
            raise hard_labels("y_score", f"integers {{{min(self._small)}, 1}}")
