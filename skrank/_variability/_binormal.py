"""How much a metric varies where targets and others have normal scores.

A sample of few targets says little about its own variability: most of the variance of
average precision comes from a few hits at the top, which a sample has or has not. So
the variance is also computed for an ideal ranking of the same metric value, the
binormal one, in which targets and others have normal scores that differ in their mean
(Green and Swets 1966). It is a list like any other, only so long that its items are
dense, and goes through the same influences.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from skrank._measures import Frame, Measure
from skrank._variability._influence import influence
from skrank._variability._sample import Sample

# Distances between the means, from a ranking that knows nothing to one without fault;
# bounds of the cells of scores; and how many targets the ideal list has.
_SHIFTS = np.linspace(0, 8, 41)
_BOUNDS = np.linspace(13, -6, 381)
_DENSE = 1e7


@lru_cache(maxsize=32)
def binormal_variances(
    measure: Measure, frame: Frame
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of binormal rankings, ascending, and the variances at this list's size."""
    measure = replace(measure, ties="expected")
    scale = _DENSE / frame.n_targets
    dense = Frame(scale * frame.n_samples, _DENSE, scale * frame.cut)
    hits = np.diff(ndtr(_SHIFTS[:, None] - _BOUNDS), axis=1)
    tied = np.diff(ndtr(-_BOUNDS))
    others = np.zeros((_SHIFTS.size, 2 * tied.size + 1))
    others[:, 1::2] = tied
    n_others = dense.n_samples - dense.n_targets
    sample = Sample(_DENSE * hits / hits.sum(axis=1, keepdims=True), n_others * others)
    groups = sample.groups
    gains = measure.gain(
        groups.above, groups.size, groups.hits_above, groups.hits, dense
    )
    values = gains.sum(axis=1) / measure.divisor(dense) + measure.offset(dense)
    return values, np.asarray(scale * influence(measure, sample, dense).variance)
