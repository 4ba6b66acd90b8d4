"""Monotone maps of scores to buckets, and a sort by buckets.

Counting by any monotone map is exact, because equal scores have the same bucket, and a
lower bucket has lower scores. With a good map there are few levels in a bucket.

A map has `size`, the number of its buckets. The first and the last bucket are for
scores below and above the levels that the map was made from, so outliers do not affect
the other buckets.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray


class EqualWidth:
    """Buckets of equal width between two levels."""

    def __init__(
        self, low: Any, high: Any, n_buckets: int, dtype: np.dtype[Any]
    ) -> None:
        kind = np.result_type(dtype, np.float32).type
        with np.errstate(divide="ignore", over="ignore"):
            self.scale = kind(np.divide(n_buckets - 3, float(high) - float(low)))
            self.start = kind(float(low) - np.divide(1.5, float(self.scale)))
        self.size = n_buckets
        self._last = kind(n_buckets - 1)
        self._make_room(0)

    @property
    def usable(self) -> bool:
        """Whether the two levels differ in floating-point numbers."""
        return bool(0 < self.scale < np.inf and np.isfinite(self.start))

    def __call__(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        """Return the bucket of each score, in memory that the next call overwrites."""
        n = scores.size
        if n > self._bucket.size:
            self._make_room(n)
        place, narrow, bucket = self._place[:n], self._narrow[:n], self._bucket[:n]
        np.subtract(scores, self.start, out=place, dtype=place.dtype, casting="unsafe")
        np.multiply(place, self.scale, out=place)
        np.clip(place, 0, self._last, out=place)
        np.copyto(narrow, place, casting="unsafe")
        np.copyto(bucket, narrow)
        return bucket

    def _make_room(self, n: int) -> None:
        """Allocate the buffers once, because this takes longer than the rest."""
        self._place = np.empty(n, self.scale.dtype)
        self._narrow = np.empty(n, np.int32)  # the fastest conversion of floats
        self._bucket = np.empty(n, np.intp)


class LeadingBits:
    """Buckets by the leading bits of floats: of equal width in the logarithm."""

    usable = True

    def __init__(
        self, low: Any, high: Any, n_buckets: int, dtype: np.dtype[Any]
    ) -> None:
        self._float = np.result_type(dtype, np.float32)
        self._int = np.dtype(f"i{self._float.itemsize}")
        self._signed = bool(low <= 0)  # otherwise negative scores are below all levels
        first, last = self._keys(np.array([low, high])).tolist()
        self._shift = ((last - first) // (n_buckets - 4)).bit_length()
        self._first = (first >> self._shift) - 1
        self._last = (last >> self._shift) + 1
        self.size = self._last - self._first + 1

    def __call__(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        """Return the bucket of each score."""
        key = self._keys(scores) >> self._shift
        np.clip(key, self._first, self._last, out=key)
        bucket: NDArray[np.intp] = np.subtract(key, self._first, dtype=np.intp)
        return bucket

    def _keys(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return integers in the order of the floats; -0.0 and 0.0 are equal."""
        floats = scores.astype(self._float, copy=False)
        if not self._signed:
            return floats.view(self._int)
        bits = (floats + self._float.type(0)).view(self._int)
        sign = bits >> (8 * self._int.itemsize - 1)
        keys: NDArray[Any] = bits ^ (sign & np.iinfo(self._int).max)
        return keys


Buckets: TypeAlias = EqualWidth | LeadingBits


def sorted_values(values: NDArray[Any]) -> NDArray[Any]:
    """Return sorted values, in a time that is independent of vector instructions.

    The stable sorts of NumPy used here are a radix sort of 16-bit integers, and a sort
    that takes one pass over nearly sorted values. If few buckets have most of the
    values, the plain sort is used.
    """
    if values.dtype.kind != "f" and values.dtype.itemsize <= 2:
        return np.sort(values, kind="stable")
    # Fewer values are sorted directly in less time; of more values, too many share one
    # of the 2**16 buckets. Set by 1,000 and 10,000 items and by 20,000 targets in
    # benchmarks/peers.py. With half of the first, 1,000 items take 3 to 10 us more;
    # with half of the second, 50,000 values take four times as long on AMD Zen 4, where
    # NumPy sorts by AVX-512.
    if not 2_000 <= values.size <= 2**16:
        return np.sort(values)
    kind = np.result_type(values, np.float32).type
    low = kind(values.min())
    with np.errstate(divide="ignore", over="ignore"):
        scale = kind(np.divide(2**16 - 1, kind(values.max()) - low))
    if not 0 < scale < np.inf:
        return np.sort(values)
    place = np.subtract(values, low, dtype=kind, casting="unsafe")
    place *= scale
    nearly: NDArray[Any] = values.take(place.astype(np.uint16).argsort(kind="stable"))
    n_falls = np.count_nonzero(nearly[1:] < nearly[:-1])
    # Set by 2**16 values of uniform and of normal distribution; with half of the share,
    # these are sorted twice.
    if n_falls:
        nearly.sort(kind=None if n_falls > values.size / 4 else "stable")
    return nearly
