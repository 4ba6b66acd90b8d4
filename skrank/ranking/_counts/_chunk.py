"""What one chunk of a ranking says: its scores, its targets, and what it is known by.

A ranking that is read twice must be the same twice. To know that, nothing of it need be
kept: its items and targets are counted, and its scores add up to a checksum that does
not depend on their order.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._columns import check_length, refuse_dask
from skrank.ranking._input import check_ranking_input, other_label, same_other

_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))  # shifts and factors
_ALL = 2**64
_PIECE = 2**14  # scores, which the processor's cache holds while they are mixed


@dataclass(frozen=True, slots=True)
class Seen:
    """Items and targets, and checksums of the scores of both, modulo 2**64."""

    n_samples: int = 0
    n_targets: int = 0
    scores: int = 0
    target_scores: int = 0

    def __add__(self, other: "Seen") -> "Seen":
        """Return what was seen of both."""
        return Seen(
            self.n_samples + other.n_samples,
            self.n_targets + other.n_targets,
            (self.scores + other.scores) % _ALL,
            (self.target_scores + other.target_scores) % _ALL,
        )

    def more_than(self, expected: "Seen") -> str | None:
        """Say of what there is more than expected, if of anything."""
        if self.n_samples > expected.n_samples:
            return f"{self.n_samples} items of {expected.n_samples}"
        if self.n_targets > expected.n_targets:
            return f"{self.n_targets} targets of {expected.n_targets}"
        return None

    def unlike(self, expected: "Seen") -> str | None:
        """Say what is not as expected, if anything."""
        if self.n_samples != expected.n_samples:
            return f"{self.n_samples} items of {expected.n_samples}"
        if self.n_targets != expected.n_targets:
            return f"{self.n_targets} targets of {expected.n_targets}"
        if self.scores != expected.scores:
            return "other scores"
        if self.target_scores != expected.target_scores:
            return "other items as targets"
        return None


@dataclass(frozen=True, slots=True)
class Kind:
    """What all chunks share: the type of the scores, and the label of no target."""

    dtype: np.dtype[Any] | None = None
    other: Any = None

    def __add__(self, new: "Kind") -> "Kind":
        """Return the kind of both, which must go together."""
        dtype = self.dtype if new.dtype is None else new.dtype
        if self.dtype is not None and self.dtype != dtype:
            msg = (
                "`y_score` must have the same type in all chunks, so that equal scores "
                "stay equal and others do not become so, as `y_score.astype` and the "
                f"`dtype` of a reader make sure; got {dtype} after {self.dtype}."
            )
            raise ValueError(msg)
        return Kind(dtype, same_other(self.other, new.other))


class Chunk(NamedTuple):
    """Clean input of one chunk."""

    scores: NDArray[Any]
    target_scores: NDArray[Any]
    kind: Kind
    seen: Seen


def read_chunk(y_true: ArrayLike, y_score: ArrayLike, pos_label: object) -> Chunk:
    """Check a chunk, which may be empty; O(n)."""
    refuse_dask("y_true", y_true)
    refuse_dask("y_score", y_score)
    shapes = np.shape(y_true), np.shape(y_score)
    if shapes == ((0,), (0,)):
        nothing = np.zeros(0)
        return Chunk(nothing, nothing, Kind(), Seen())
    if len(shapes[0]) == len(shapes[1]) == 1:
        check_length("y_score", shapes[1][0], shapes[0][0])
    data = check_ranking_input(y_true, y_score, pos_label=pos_label, whole=False)
    scores = data.y_score
    found = scores[data.targets]
    return Chunk(
        scores,
        found,
        Kind(_came_as(y_score, scores), other_label(y_true, data.targets)),
        Seen(scores.size, found.size, _checksum(scores), _checksum(found)),
    )


def _came_as(y_score: ArrayLike, scores: NDArray[Any]) -> np.dtype[Any]:
    """Type of the scores, before those in half precision were widened."""
    given = getattr(y_score, "dtype", None)
    is_half = getattr(given, "kind", "") == "f" and getattr(given, "itemsize", 0) == 2
    return np.dtype(np.float16) if is_half else scores.dtype


def extremes(scores: NDArray[Any]) -> NDArray[Any]:
    """Reduce integers to what tells whether they could be hard labels."""
    if scores.size == 0 or scores.dtype.kind == "f":
        return scores[:0]
    low, high = scores.min(), scores.max()
    has_zero = low < 0 and high == 1 and np.count_nonzero(scores) < scores.size
    return np.array([low, high, 0] if has_zero else [low, high], dtype=scores.dtype)


def _checksum(scores: NDArray[Any]) -> int:
    """Sum over the scores of their bits, well mixed, modulo 2**64."""
    total = 0
    for start in range(0, scores.size, _PIECE):
        total += int(_mixed(_bits(scores[start : start + _PIECE])).sum())
    return total % _ALL


def _bits(scores: NDArray[Any]) -> NDArray[np.uint64]:
    """Bits of each score; long doubles, which have unused ones, in parts."""
    if scores.dtype.kind == "f":
        scores = scores + scores.dtype.type(0)  # the sum of -0.0 and 0.0 is 0.0
    bits: NDArray[Any]
    if scores.dtype.itemsize <= 8:
        bits = np.ascontiguousarray(scores).view(f"u{scores.dtype.itemsize}")
        return bits.astype(np.uint64)
    mantissa, exponent = np.frexp(scores)
    bits = exponent.astype(np.uint64)
    for _ in range(2):  # a float holds the mantissa's first digits, another the rest
        digits = mantissa.astype(np.float64)
        bits = _mixed(bits) ^ digits.view(np.uint64)
        mantissa = mantissa - digits
    return bits


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits in place, so that sums tell apart what sums of scores do not.

    The finaliser of splitmix64 (Steele, Lea and Flood, 2014, figure 16).
    """
    shifted = np.empty_like(bits)
    for shift, factor in _ROUNDS:
        bits ^= np.right_shift(bits, np.uint64(shift), out=shifted)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    return bits
