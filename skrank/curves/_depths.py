"""Depths at which a curve is drawn or a band has limits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_cutoff, check_depth, invalid


def spread_counts(largest: int) -> NDArray[np.intp]:
    """Whole numbers from 1 to `largest`, dense enough for both scales of a figure."""
    if largest == 0:
        return np.array([], dtype=np.intp)
    # on both scales denser than a screen; with half as many, steps are visible
    linear, logarithmic = np.linspace(1, largest, 256), np.geomspace(1, largest, 256)
    return np.unique(np.rint(np.concatenate([linear, logarithmic])).astype(np.intp))


def chosen_counts(name: str, values: Any, largest: int) -> NDArray[np.intp]:
    """Return numbers of items in ascending order, of counts or fractions of all."""
    given = [values] if np.ndim(values) == 0 else list(values)
    counts = [check_depth(name, check_cutoff(name, one), largest) for one in given]
    if not counts:
        raise invalid(name, "contain one number or more", "none")
    return np.unique(np.array(counts, dtype=np.intp))
