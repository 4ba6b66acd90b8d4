"""Comparison of values up to rounding errors.

Two values of a metric are equal if they differ by at most 1e-12 times the value of a
perfect ranking. A number that is computed from values, such as a difference, has their
rounding error, also if the number itself is small. The same tolerance therefore decides
whether a difference is 0 and whether two differences are equal.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

ROUNDING = 1e-12


def subtract(a: ArrayLike, b: ArrayLike, scale: ArrayLike) -> NDArray[np.float64]:
    """Return differences of values; 0 for values that are equal up to rounding."""
    difference = np.subtract(a, b, dtype=float)
    slack = ROUNDING * np.asarray(scale)
    return np.where(np.abs(difference) <= slack, 0.0, difference)


def levels(
    numbers: NDArray[np.float64], scales: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Number the levels of `numbers` from the smallest; equal numbers share one.

    `scales` are the values of perfect rankings.
    """
    order = np.argsort(numbers)
    slack = ROUNDING * np.maximum(scales[order][1:], scales[order][:-1])
    found = np.zeros(numbers.size, dtype=np.intp)
    found[order[1:]] = np.cumsum(np.diff(numbers[order]) > slack)
    return found
