"""Numbers of combinations."""

from typing import Any

import numpy as np
from scipy.special import betaln


def log_binomial(n: Any, k: Any) -> Any:
    """Logarithm of C(n, k), for 0 <= k <= n.

    Differences of logarithms of factorials would lose the digits of large n.
    """
    return -betaln(n - k + 1.0, k + 1.0) - np.log1p(n)
