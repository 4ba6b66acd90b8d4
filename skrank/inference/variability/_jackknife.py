"""Influence of each item on a metric, and the jackknife variance.

The influence of an item is the change of the metric if the item is left out. Targets
and non-targets are two samples, so the variance of the metric is the sum of the squared
influences about their mean, over the targets and over the non-targets (jackknife of two
samples; Efron and Stein 1981, section 5). Without an item, the groups below it move up
by one rank. Prefix and suffix sums of the gains therefore give all n influences in O(m)
steps. The divisors of the metric are those of the ranking without the item.

A metric with a cutoff is not smooth, because the metric jumps at the cutoff. The cutoff
stays at its depth. If an item above the cutoff is left out, the next item moves above
it. A single item does not tell whether this next one is a target, so the share of
targets near the cutoff is estimated from about as many hits on either side of it as the
square root of the hits above it. Items between two hits are treated alike: if the
cutoff divides them, each counts as above the cutoff by the share that is. If a target
is left out, the gains of the others are scaled up to the original number of targets.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank.inference.variability._sample import Sample, asked_cut, sample_of
from skrank.metrics._definitions import Frame, Metric
from skrank.ranking._ranking import HitGroups, Ranking

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
    """Influences of a target on each level and of a non-target on each place.

    They are scaled so that the sum of squares over the items is the variance of the
    metric. With several samples, the influences are along the last axis.
    """

    sample: Sample
    targets: Array
    others: Array

    @property
    def variance(self) -> Array:
        """Variance of the metric."""
        return self._total(2)

    @property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of the variance.

        By Satterthwaite's (1946) moments, ``2 E[V]**2 / Var[V]``; 0 if no item has an
        influence.
        """
        sample = self.sample
        noise = self._total(4) - (
            (sample.hits * self.targets**2).sum() ** 2 / sample.n_targets
            + (sample.others * self.others**2).sum() ** 2 / sample.n_non_targets
        )
        return float(2 * self.variance**2 / noise) if noise > 0 else 0.0

    def _total(self, power: int) -> Array:
        """Sum over the items of a power of their influences."""
        targets = (self.sample.hits * self.targets**power).sum(axis=-1)
        others = (self.sample.others * self.others**power).sum(axis=-1)
        return np.asarray(targets + others)


def jackknife_of(metric: Metric, ranking: Ranking) -> Jackknife:
    """Influences of the items of a ranking; O(m)."""
    return jackknife(metric, sample_of(ranking), _frame(metric, ranking))


def values_without(metric: Metric, ranking: Ranking) -> tuple[Array, Array]:
    """Values without a target of each level, and without a non-target of each place.

    In O(m). The numbers of items and of targets are those without the item, and so is
    the depth of a cutoff that is a share of them: it decreases by less than an item, or
    by one.
    """
    frame, sample = _frame(metric, ranking), sample_of(ranking)
    falls = (1.0, 0.0)  # R-precision, whose cutoff is the number of targets
    if metric.cutoff is not None:
        depth = metric.cutoff_depth
        falls = (depth, depth) if isinstance(depth, float) else (0.0, 0.0)
    frames = _without(frame, targets=1), _without(frame, targets=0)
    values = []
    gains = _gains_without(metric, sample, frame, frames, falls)
    for gain, one, fall in zip(gains, frames, falls, strict=True):
        moved = _cut_at(one, frame.cut - fall)
        values.append(gain / metric.divisor(moved) + metric.offset(moved))
    return values[0], values[1]


def falls_of_targets(metric: Metric, ranking: Ranking) -> Array:
    """How much an additive value falls if a target of a level is not found at all.

    The item that moves up across a cutoff is not counted, as it may be a target or not.
    """
    frame, sample = metric.frame(ranking, ranking.n_targets), sample_of(ranking)
    levels, _ = _shares_above(sample, frame.cut)
    without = _gains_without_target(metric, sample, frame, levels)
    total = _gain(metric, sample.groups, frame).sum()
    return np.asarray(np.maximum(total - without, 0.0) / metric.divisor(frame))


def _frame(metric: Metric, ranking: Ranking) -> Frame:
    """Frame of a ranking whose cutoff does not depend on the left-out item."""
    cut = asked_cut(metric, ranking)
    if cut < ranking.n_samples and metric.ties != "expected":
        size = ranking.items.tie_size(cut)
        if size > 1:  # the end of the tie would move, or it is sorted by labels
            rule = (
                "be 'expected' with a tie at the cutoff, as other items would move it"
            )
            got = f"{metric.ties!r} for {metric.name}, with a tie of {size} there"
            raise invalid("ties", rule, got)
    return metric.frame(ranking, ranking.n_targets)


def jackknife(metric: Metric, sample: Sample, frame: Frame) -> Jackknife:
    """Influences of the items of samples."""
    frames = _without(frame, targets=1), _without(frame, targets=0)
    targets, others = _gains_without(metric, sample, frame, frames)
    of_targets, of_others = map(metric.divisor, frames)
    # Above a cutoff the gains without a target are scaled up to the original number of
    # targets; otherwise a metric divided by the depth of the cutoff would decrease by a
    # whole hit.
    if frame.cut < frame.n_samples:
        of_targets = of_others * frames[0].n_targets / frame.n_targets
    return Jackknife(
        sample,
        _centred(targets / of_targets, sample.hits),
        _centred(others / of_others, sample.others),
    )


def _gains_without(
    metric: Metric,
    sample: Sample,
    frame: Frame,
    frames: tuple[Frame, Frame],
    falls: tuple[float, float] = (0.0, 0.0),
) -> tuple[Array, Array]:
    """Sums of the gains without a target, and without a non-target.

    The cutoff decreases by `falls` items in the two cases.
    """
    levels, places = _shares_above(sample, frame.cut)
    targets = _gains_without_target(metric, sample, frames[0], levels)
    others = _gains_without_other(metric, sample, frames[1], levels)
    if frame.cut < frame.n_samples:
        refill = _refill(metric, sample, frame)[..., None]
        targets = targets + refill * (levels - falls[0])
        others = others + refill * (places - falls[1])
    return targets, others


def _without(frame: Frame, *, targets: int) -> Frame:
    """Frame without an item; the last target and the last non-target stay."""
    m = max(frame.n_targets - targets, 1)
    return frame._replace(n_samples=max(frame.n_samples - 1, m + 1), n_targets=m)


def _refill(metric: Metric, sample: Sample, frame: Frame) -> Array:
    """Expected gain of the item that moves up across the cutoff."""
    above = (sample.hits * _shares_above(sample, frame.cut)[0]).sum(axis=-1)
    hit = metric.gain(frame.cut - 1, 1, np.maximum(above - 1, 0), 1, frame)
    return np.asarray(share_at_cut(sample, above) * hit)


def share_at_cut(sample: Sample, above: Array) -> Array:
    """Share of targets near a cutoff with `above` hits above it.

    It is the share among the items between the first and the last hit nearby, with the
    gaps beyond them: n hits have n + 1 gaps, which makes it unbiased. For one sample at
    several cutoffs, or for each of several samples at its own.
    """
    if sample.hits.ndim > 1:
        rows = zip(sample.hits, sample.others, above, strict=True)
        return np.array([share_at_cut(Sample(*row[:2]), row[2]) for row in rows])
    groups, reached = sample.groups, np.cumsum(sample.hits)
    width = np.sqrt(above + 1)
    first = np.searchsorted(reached, above - width, side="right")
    last = np.searchsorted(reached, above + width, side="left")
    last = np.minimum(last, reached.size - 1)
    total = sample.n_targets + sample.n_non_targets
    hits = np.concatenate([[0], reached])
    start = np.concatenate([[0], groups.above + groups.size])
    end = np.concatenate([groups.above, [total]])
    found = hits[last + 1] - hits[first]
    return np.asarray(found / (end[last + 1] - start[first]))


def _shares_above(sample: Sample, cut: float) -> tuple[Array, Array]:
    """Shares of each level and each place that are above the cutoff."""
    groups, gaps = sample.groups, sample.others[..., ::2]
    end = groups.above[..., -1:] + groups.size[..., -1:]
    levels = _share_above(groups.above, groups.size, cut)
    start = np.concatenate([groups.above - gaps[..., :-1], end], axis=-1)
    return levels, _interleave(_share_above(start, gaps, cut), levels)


def _share_above(start: Array, size: Array, cut: float) -> Array:
    return np.clip((cut - start) / np.maximum(size, 1), 0, 1)


def _gains_without_target(
    metric: Metric, sample: Sample, frame: Frame, levels: Array
) -> Array:
    """Sum of the gains without one of the targets of each level."""
    groups = sample.groups
    inside = _cut_at(frame, frame.cut - levels)
    own = _gain(metric, groups, inside, less_size=1, less_hits=1)
    below = _gain(
        metric, groups, _cut_at(frame, frame.cut - 1), less_above=1, less_hits_above=1
    )
    return _above(_gain(metric, groups, frame)) + own + _below(below)


def _gains_without_other(
    metric: Metric, sample: Sample, frame: Frame, levels: Array
) -> Array:
    """Sum of the gains without one of the non-targets of each place."""
    groups = sample.groups
    base = _gain(metric, groups, frame)
    inside = _cut_at(frame, frame.cut - levels)
    own = _gain(metric, groups, inside, less_size=1)
    below = _gain(metric, groups, _cut_at(frame, frame.cut - 1), less_above=1)
    above, rest = _above(base), _below(below)
    last = base.sum(axis=-1, keepdims=True)
    gaps = np.concatenate([above + below + rest, last], axis=-1)
    return _interleave(gaps, above + own + rest)


def _cut_at(frame: Frame, cut: Any) -> Frame:
    """Return another cutoff, or one for each group."""
    return frame._replace(cut=cut)


def _interleave(gaps: Array, levels: Array) -> Array:
    """Values of the places from those of the gaps and of the levels between them."""
    places = np.empty((*gaps.shape[:-1], 2 * gaps.shape[-1] - 1))
    places[..., ::2], places[..., 1::2] = gaps, levels
    return places


def _gain(
    metric: Metric,
    groups: HitGroups,
    frame: Frame,
    *,
    less_above: int = 0,
    less_size: int = 0,
    less_hits_above: int = 0,
    less_hits: int = 0,
) -> Array:
    """Gains of groups with fewer items; 0 for groups without hits.

    A group with no item to leave out is not changed, and its value is not used.
    """
    held = groups.hits > less_hits
    fewer_hits = np.where(held, groups.hits - less_hits, 1)
    fewer_above = np.maximum(groups.hits_above - less_hits_above, 0)
    gain = metric.gain(
        np.maximum(groups.above - less_above, fewer_above),
        np.maximum(groups.size - less_size, fewer_hits),
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
    """Deviations from the mean, scaled for the jackknife."""
    total = counts.sum(axis=-1, keepdims=True)
    mean = (counts * values).sum(axis=-1, keepdims=True) / total
    deviations: Array = np.sqrt((total - 1) / total) * (mean - values)
    return deviations
