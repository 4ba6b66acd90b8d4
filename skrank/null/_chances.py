"""Chances of numbers of hits among some items, which are hypergeometric."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


def log_chances(n: int, m: int, sizes: _Ints) -> _Floats:
    """Logarithms of the chances of all numbers of hits (columns) among some items."""
    size, hits = np.broadcast_arrays(sizes[:, None], np.arange(m + 1))
    possible = (hits <= size) & (m - hits <= n - size)
    size, hits = size[possible], hits[possible]
    found = np.full(possible.shape, -np.inf)
    found[possible] = log_binomial(size, hits)
    found[possible] += log_binomial(n - size, m - hits) - log_binomial(n, m)
    return found


def log_chances_of_more(n: int, m: int, sizes: _Ints) -> tuple[_Floats, _Ints]:
    """Chances of more than so many hits (columns) in groups, by size; the sizes' rows.

    Added up from the most hits down; scipy adds term by term up to the size of the
    group.
    """
    distinct, row = np.unique(sizes, return_inverse=True)
    chances = log_chances(n, m, distinct)[:, :0:-1]
    more = np.logaddexp.accumulate(chances, axis=1)[:, ::-1]
    return np.pad(more, ((0, 0), (0, 1)), constant_values=-np.inf), row


def log_binomial(n: Any, k: Any) -> Any:
    """Logarithm of C(n, k), for 0 <= k <= n."""
    return -betaln(n - k + 1.0, k + 1.0) - np.log1p(n)
