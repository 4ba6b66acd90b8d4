"""Variance of a metric for normally distributed scores.

A sample with few targets has little information on the variance: most of the variance
of average precision comes from a few hits at the top, and a sample has them or not. The
variance is therefore also computed for the binormal ranking with the same value of the
metric, in which the scores of targets and of non-targets are normal and differ in mean
and standard deviation (Green and Swets 1966, chapter 3). This ranking is long, so that
its items are dense, and the same influences are computed for it.

The ratio of the standard deviations is estimated from the better half of the targets,
because this estimate depends less on the first few hits than the metric does. The ratio
is below 1 if the scores of non-targets have the heavier tail; the hits then come late,
and the metric varies less. It is above 1 if some targets are at the top and the others
are anywhere.

A metric that is not a function of shares, such as the mean of 1 / rank over the
targets, has other values for longer rankings. Rankings of the sample's own size are
drawn for it: their mean value and their variance.
"""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from skrank.inference.variability._jackknife import jackknife
from skrank.inference.variability._resampling import single_hits
from skrank.inference.variability._sample import Sample
from skrank.metrics._definitions import Frame, Metric
from skrank.ranking._ranking import Ranking

# Bounds of the cells of scores; and the number of targets of the ideal ranking.
_BOUNDS = np.linspace(13, -6, 381)
_DENSE = 1e7
# Targets that are drawn for each shift of a metric that is no function of shares, in 16
# to 500 rankings. With half of the rankings, the variance of 12 targets has an error of
# 9 % in place of 6 %, which is below that of the sample; a tenth of a second for all.
_DRAWN = 2**14

Array = NDArray[np.float64]


def spread_of_targets(ranking: Ranking) -> float:
    """Standard deviation of the better half of the targets' scores, from the median.

    The scores are transformed so that those of the non-targets are normal: normal
    scores of the shares of non-targets above each target, with ties at their middle.
    The worse half hardly affects the metric, and a heavy tail at the bottom would hide
    how late the first targets come. If few targets are close together by chance, the
    interval would be too short, so more than one standard error is added.
    """
    groups, m = ranking.groups, ranking.groups.hits.sum()
    above = groups.above - groups.hits_above
    tied = groups.size - groups.hits
    scores = ndtri((above + tied / 2 + 0.5) / (ranking.n_non_targets + 1))
    found = groups.hits_above + groups.hits
    better = np.clip(m / 2 - groups.hits_above, 0, groups.hits)
    median = scores[found.searchsorted([(m + 1) // 2, m // 2 + 1])].mean()
    variance = (better * (scores - median) ** 2).sum() / max((m - 1) / 2, 1)
    # Chosen by benchmarks/coverage_of_intervals.py together with the weight of the
    # model: a standard error of the standard deviation of m normal targets is 0.71 /
    # sqrt(m), and with half of them 1 / sqrt(m)
    spread = np.sqrt(variance) * (1 + 1.75 / np.sqrt(m))
    # from .5 to 4, four to each doubling, so that models are cached
    return float(2 ** (np.rint(4 * np.log2(np.clip(spread, 0.5, 4.0))) / 4))


def value_by_chance(metric: Metric, frame: Frame) -> float:
    """Mean value of rankings without information."""
    if not metric.of_shares:
        return _drawn(metric, frame, 0.0, 1.0)[0]
    dense = _dense(frame)
    metric = _of_dense(metric, frame, dense)
    return float(_values(metric, _sample(np.zeros(1), 1.0, dense), dense)[0])


def binormal_values(
    metric: Metric,
    frame: Frame,
    shifts: Array,
    spread: float,
    n_distinct: int | None = None,
) -> Array:
    """Values of dense binormal rankings, one for each distance between the means.

    The items may have `n_distinct` equally frequent scores.
    """
    dense = _dense(frame)
    sample = _sample(shifts, spread, dense)
    return _dense_values(metric, frame, sample, n_distinct)


def values_of_shares(
    metric: Metric,
    frame: Frame,
    depths: Array,
    hits: Array,
    n_distinct: int | None = None,
) -> float:
    """Value of a dense ranking, by its targets between depths of the non-targets.

    Both are shares: the depths of the non-targets, from 0 to 1, and the targets.
    """
    dense = _dense(frame)
    others = np.zeros((1, 2 * hits.size + 1))
    n_non_targets = dense.n_samples - dense.n_targets
    others[0, 1::2] = n_non_targets * np.diff(depths)
    sample = Sample(dense.n_targets * hits[None], others)
    return float(_dense_values(metric, frame, sample, n_distinct)[0])


def _dense_values(
    metric: Metric, frame: Frame, sample: Sample, n_distinct: int | None
) -> Array:
    """Values of dense rankings, whose items may have few distinct scores."""
    dense = _dense(frame)
    if n_distinct is not None:
        before = ((0, 0), (1, 0))
        hits = np.pad(sample.hits, before)
        depths = np.cumsum(hits + np.pad(sample.others[:, 1::2], before), axis=1)
        ends = dense.n_samples * np.arange(1, n_distinct + 1) / n_distinct
        found = [
            np.interp(ends, row, np.cumsum(one))
            for row, one in zip(depths, hits, strict=True)
        ]
        hits = np.diff(found, prepend=0.0, axis=1)
        others = np.zeros((len(hits), 2 * n_distinct + 1))
        others[:, 1::2] = dense.n_samples / n_distinct - hits
        sample = Sample(hits, others)
    return _values(_of_dense(metric, frame, dense), sample, dense)


class BinormalModel(NamedTuple):
    """Values of binormal rankings, ascending, and their variances at the sample size.

    A sample's own variance has at most `degrees_of_freedom`: a sum of gains of which
    few targets have nearly all does not show its variance in a sample without them.
    """

    values: Array
    variances: Array
    degrees_of_freedom: Array


@lru_cache(maxsize=128)
def binormal_model(metric: Metric, frame: Frame, spread: float) -> BinormalModel:
    """Return the model in which the scores of non-targets have the spread 1."""
    if not metric.of_shares:
        drawn = [_drawn(metric, frame, x, spread) for x in np.arange(-2, 8.5, 0.5)]
        return BinormalModel(*np.transpose(sorted(drawn)))
    dense = _dense(frame)
    metric = _of_dense(metric, frame, dense)
    # distances of the means, from worse than chance to a perfect ranking
    sample = _sample(np.linspace(-2, 8, 51), spread, dense)
    variances = jackknife(metric, sample, dense).variance
    scale = dense.n_targets / frame.n_targets
    values = _values(metric, sample, dense)
    return BinormalModel(values, scale * variances, np.full(values.size, _DENSE))


def draw_shares(
    size: tuple[int, int], shift: float, spread: float, rng: np.random.Generator
) -> Array:
    """Draw the shares of the non-targets above targets of binormal rankings."""
    return np.asarray(ndtr(-(shift + spread * rng.standard_normal(size))))


def draw_others(
    shares: Array, frame: Frame, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw rankings: the number of non-targets above each target, by their shares."""
    m = int(frame.n_targets)
    tails = np.sort(shares, axis=1)
    between = np.diff(tails, prepend=0.0, append=1.0, axis=1)
    drawn = rng.multinomial(int(frame.n_samples) - m, between)
    above: NDArray[np.intp] = drawn[:, :-1].cumsum(axis=1)
    return above


def _drawn(
    metric: Metric, frame: Frame, shift: float, spread: float
) -> tuple[float, float, float]:
    """Mean, variance and degrees of freedom of drawn rankings of the sample's size.

    The degrees of freedom are those of a sum of squares of as many independent gains
    with their kurtosis (Satterthwaite 1946).
    """
    m = int(frame.n_targets)
    size = int(np.clip(_DRAWN // m, 16, 500))
    rng = np.random.default_rng(0)
    others = draw_others(draw_shares((size, m), shift, spread, rng), frame, rng)
    groups, row = single_hits(others)
    values = metric.values(groups, row, size, frame)
    gains = metric.gain(groups.above, 1, groups.hits_above, 1, frame)
    squares = (gains - gains.mean()) ** 2
    noise = squares.var()
    freedom = 2 * m * squares.mean() ** 2 / noise if noise > 0 else m
    return float(values.mean()), float(values.var(ddof=1)), float(freedom)


def _dense(frame: Frame) -> Frame:
    """Frame with the same shares, and so many items that they are dense."""
    scale = _DENSE / frame.n_targets
    return Frame(scale * frame.n_samples, _DENSE, scale * frame.cut)


def _of_dense(metric: Metric, frame: Frame, dense: Frame) -> Metric:
    """Metric whose values for dense rankings are those at the sample size."""
    scaled = metric.scaled(dense.n_targets / frame.n_targets)
    return replace(scaled, ties="expected")


def _sample(shifts: Array, spread: float, dense: Frame) -> Sample:
    """Dense rankings of both classes in cells of scores, one for each shift."""
    hits = np.diff(ndtr((shifts[:, None] - _BOUNDS) / spread), axis=1)
    tied = np.diff(ndtr(-_BOUNDS))
    others = np.zeros((shifts.size, 2 * tied.size + 1))
    others[:, 1::2] = tied
    n_non_targets = dense.n_samples - dense.n_targets
    return Sample(
        _DENSE * hits / hits.sum(axis=1, keepdims=True), n_non_targets * others
    )


def _values(metric: Metric, sample: Sample, dense: Frame) -> Array:
    groups = sample.groups
    gains = metric.gain(
        groups.above, groups.size, groups.hits_above, groups.hits, dense
    )
    values = gains.sum(axis=1) / metric.divisor(dense) + metric.offset(dense)
    return np.asarray(values)
