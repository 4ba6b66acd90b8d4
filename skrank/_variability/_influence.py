"""What every single item contributes to the sampling error of a metric.

The influence of an item is what the metric changes when the item is left out. Targets
and others are two samples, so that the variance of the metric is the sum of squared
influences about their mean, over the targets and over the others (the jackknife of two
samples; Efron and Stein 1981, section 5). Leaving out an item moves the groups below it
up by one, so prefix and suffix sums of the gains have all n influences in O(m).

A cut is different: when an item above it goes, the next item moves in, and the effect
hangs on the share of targets *around* the cut, which a single item does not tell. So
the hits around the cut are made one tie group first, with about the square root of the
hits above it on either side: a nearest-neighbour estimate of that share.
"""

from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from skrank._measures import Frame, Measure, ReciprocalRank
from skrank._ranking import HitGroups, Ranking
from skrank._variability._sample import (
    Sample,
    merge_levels,
    sample_of,
    unmerge_levels,
    unmerge_places,
)

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """Influence of a target on each level and of an other on each place.

    So scaled that the sum of squares over the items is the variance of the metric.
    """

    targets: Array
    others: Array

    def variance(self, sample: Sample) -> float:
        """Variance of the metric; along the last axis."""
        return _total(self, sample, 2)

    def degrees_of_freedom(self, sample: Sample) -> float:
        """How many normal squares vary as much as the variance does.

        By Satterthwaite's (1946) match of moments, ``2 E[V]**2 / Var[V]``; 0 where
        no item has any influence.
        """
        variance = self.variance(sample)
        noise = _total(self, sample, 4) - (
            (sample.hits * self.targets**2).sum() ** 2 / sample.n_targets
            + (sample.others * self.others**2).sum() ** 2 / sample.n_others
        )
        return float(2 * variance**2 / noise) if noise > 0 else 0.0


def is_smooth(measure: Measure) -> bool:
    """Whether a metric changes by little when one item is left out."""
    return measure.additive and not isinstance(measure, ReciprocalRank)


def influence_of(measure: Measure, ranking: Ranking) -> tuple[Sample, Influence]:
    """Influences of the items of a ranking; O(m)."""
    sample = sample_of(ranking)
    frame = measure.frame(ranking, ranking.n_targets)
    if frame.cut >= ranking.n_samples:
        return sample, influence(measure, sample, frame)
    if measure.ties == "threshold" and ranking.tie_size(frame.cut) > 1:
        return sample, influence(measure, sample, frame, hold=True)
    first, last = _around(sample, frame.cut)
    found = influence(
        replace(measure, ties="expected"), merge_levels(sample, first, last), frame
    )
    return sample, Influence(
        unmerge_levels(found.targets, first, last),
        unmerge_places(found.others, first, last),
    )


def influence(
    measure: Measure, sample: Sample, frame: Frame, *, hold: bool = False
) -> Influence:
    """Influences along the last axis; with `hold` the set above the cut stays.

    That is what happens where a large tie is retrieved whole.
    """
    groups = sample.groups
    cut = frame.cut - 1 if hold else frame.cut
    without = frame._replace(n_samples=frame.n_samples - 1)
    targets = _without_target(
        measure, groups, without._replace(n_targets=frame.n_targets - 1), cut
    )
    others = _without_other(measure, groups, without, cut)
    return Influence(_centred(targets, sample.hits), _centred(others, sample.others))


def _around(sample: Sample, cut: float) -> tuple[int, int]:
    """First and last level of the hits around the cut."""
    groups = sample.groups
    reached = np.cumsum(sample.hits)
    above = int(reached[np.searchsorted(groups.above, cut) - 1]) if cut else 0
    width = ceil(sqrt(above + 1))
    wanted = np.array([above - width + 1, above + width])
    first, last = np.searchsorted(reached, np.clip(wanted, 1, reached[-1]))
    return int(first), int(last)


def _without_target(
    measure: Measure, groups: HitGroups, frame: Frame, cut: float
) -> Array:
    """Values without one of the targets of each level."""
    moved = frame._replace(cut=cut)
    own = _gain(measure, groups, moved, size=1, hits=1)
    below = _gain(measure, groups, moved, above=1, hits_above=1)
    gain = _above(_gain(measure, groups, frame)) + own + _below(below)
    return gain / measure.divisor(frame)


def _without_other(
    measure: Measure, groups: HitGroups, frame: Frame, cut: float
) -> Array:
    """Values without one of the others of each place."""
    moved = frame._replace(cut=cut)
    base = _above(_gain(measure, groups, frame))
    below = _gain(measure, groups, moved, above=1)
    tied = base + _gain(measure, groups, moved, size=1) + _below(below)
    gap = base + below + _below(below)
    pairs = np.stack([gap, tied], axis=-1)
    flat = pairs.reshape(*gap.shape[:-1], -1)
    whole = _gain(measure, groups, frame).sum(axis=-1, keepdims=True)
    return np.concatenate([flat, whole], axis=-1) / measure.divisor(frame)


def _gain(
    measure: Measure,
    groups: HitGroups,
    frame: Frame,
    *,
    above: int = 0,
    size: int = 0,
    hits_above: int = 0,
    hits: int = 0,
) -> Array:
    """Gains of groups with so many fewer items; 0 of those that hold no hit then.

    Where there is no item to leave out, the group stays possible, and nobody asks.
    """
    held = groups.hits > hits
    fewer_hits = np.where(held, groups.hits - hits, 1)
    fewer_above = np.maximum(groups.hits_above - hits_above, 0)
    gain = measure.gain(
        np.maximum(groups.above - above, fewer_above),
        np.maximum(groups.size - size, fewer_hits),
        fewer_above,
        fewer_hits,
        frame,
    )
    return np.where(held, gain, 0.0)


def _above(gain: Array) -> Array:
    """Sum of the gains above each group."""
    return np.cumsum(gain, axis=-1) - gain


def _below(gain: Array) -> Array:
    """Sum of the gains below each group."""
    return _above(gain[..., ::-1])[..., ::-1]


def _centred(values: Array, counts: NDArray[np.float64]) -> Array:
    """Deviations from the mean, scaled for the jackknife; none if there is one item."""
    total = counts.sum(axis=-1, keepdims=True)
    mean = (counts * values).sum(axis=-1, keepdims=True) / total
    deviations: Array = np.sqrt((total - 1) / total) * (mean - values)
    return deviations


def _total(found: Influence, sample: Sample, power: int) -> float:
    """Sum over the items of a power of their influences, along the last axis."""
    targets = (sample.hits * found.targets**power).sum(axis=-1)
    return targets + (sample.others * found.others**power).sum(axis=-1)  # type: ignore[no-any-return]
