"""Bootstrap of one ranking; that of two is in `comparison/_pair`.

A resample is a vector of counts on levels and places (see `_sample`); items are never
sorted again. Targets and non-targets are drawn separately, so the numbers of items and
of targets do not change.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from skrank._utils._jobs import run_jobs
from skrank.inference.variability._sample import (
    Counts,
    Sample,
    asked_cut,
    groups_of,
    sample_of,
)
from skrank.metrics._definitions import AnyMetric, Frame, Metric
from skrank.ranking._ranking import HitGroups, Ranking

Floats = NDArray[np.float64]
# Draws values of so many rankings with a generator. It may be sent to other machines,
# so it has counts, and not a ranking with its items.
Engine = Callable[[int, np.random.Generator], Floats]
# Tie groups of many rankings one after the other, and the ranking of each.
RowGroups = tuple[HitGroups, NDArray[np.intp]]


def batches(n_rankings: int, width: int) -> Iterator[int]:
    """Return sizes of batches for rankings with so many counts."""
    size = max(1, 2**14 // width)  # enough for NumPy, few enough for the cache
    for start in range(0, n_rankings, size):
        yield min(size, n_rankings - start)


def bootstrap(metric: AnyMetric, ranking: Ranking) -> Engine:
    """Return a bootstrap of a ranking; O(m) for each draw, for any number of items."""
    frame = resampled_frame(metric, ranking)
    return partial(_bootstrap, metric, sample_of(ranking), frame)


def _bootstrap(
    metric: AnyMetric,
    sample: Sample,
    frame: Frame,
    n_rankings: int,
    rng: np.random.Generator,
) -> Floats:
    draw = _draw_tied if _ties(sample.others, metric) else _draw_single
    level = np.repeat(np.arange(sample.hits.size), sample.hits)
    values = []
    for size in batches(n_rankings, sample.others.size):
        drawn = level[rng.integers(level.size, size=(size, level.size))]
        groups = draw(sample, np.sort(drawn, axis=1), rng)
        values.append(_values(metric, groups, size, frame))
    return np.concatenate(values)


def _draw_single(
    sample: Sample, levels: NDArray[np.intp], rng: np.random.Generator
) -> RowGroups:
    """Draw the non-targets between the drawn targets, one after the other."""
    reached = np.cumsum(sample.others[::2]) / sample.n_non_targets
    share = np.diff(reached[levels], axis=1, prepend=0, append=1)
    others = rng.multinomial(int(sample.n_non_targets), share)
    return single_hits(np.cumsum(others[:, :-1], axis=1))


def _draw_tied(
    sample: Sample, levels: NDArray[np.intp], rng: np.random.Generator
) -> RowGroups:
    """Draw the non-targets on their places."""
    others = np.zeros((len(levels), sample.others.size), dtype=np.intp)
    held = np.flatnonzero(sample.others)
    share = sample.others[held] / sample.n_non_targets
    others[:, held] = rng.multinomial(
        int(sample.n_non_targets), share, size=len(levels)
    )
    return _tied_hits(levels, others)


def resampled_frame(metric: AnyMetric, ranking: Ranking) -> Frame:
    """Frame of a resample, in which the end of a tie at the cutoff is unknown."""
    if metric.ties == "together" and asked_cut(metric, ranking) < ranking.n_samples:
        msg = (
            "`ties` must not be 'together' when rankings are resampled, for a metric "
            f"with a cutoff, which would move with every ranking; got {metric.name}."
        )
        raise ValueError(msg)
    return metric.frame(ranking, ranking.n_targets)


def values_of_draws(
    metric: AnyMetric, levels: NDArray[np.intp], others: Counts, frame: Frame
) -> Floats:
    """Values of rankings from the levels of targets and the places of non-targets."""
    if _ties(others, metric):
        groups = _tied_hits(levels, others)
    else:
        above = np.cumsum(others[:, ::2], axis=1)
        groups = single_hits(np.take_along_axis(above, np.sort(levels, axis=1), axis=1))
    return _values(metric, groups, len(levels), frame)


def _ties(others: Counts, metric: AnyMetric) -> bool:
    """Whether targets are tied with non-targets; ties of targets matter to one rule."""
    return metric.ties == "together" or bool(others[..., 1::2].any())


def _values(
    metric: AnyMetric, found: RowGroups, n_rankings: int, frame: Frame
) -> Floats:
    """Values of rankings from their tie groups."""
    groups, row = found
    if not metric.additive:
        return metric.values(groups, row, n_rankings, frame)
    assert isinstance(metric, Metric)
    gain = metric.gain(groups.above, groups.size, groups.hits_above, groups.hits, frame)
    total = np.bincount(row, gain, n_rankings)
    return np.asarray(total / metric.divisor(frame) + metric.offset(frame))


def single_hits(others_above: Counts) -> RowGroups:
    """Groups of single hits, because the order of targets has no effect."""
    n_rankings, m = others_above.shape
    rank = np.arange(m)
    hits_above = np.broadcast_to(rank, others_above.shape).ravel()
    single, row = np.ones_like(hits_above), np.repeat(np.arange(n_rankings), m)
    return HitGroups((others_above + rank).ravel(), single, hits_above, single), row


def _tied_hits(levels: NDArray[np.intp], others: Counts) -> RowGroups:
    """Tie groups of the levels with hits."""
    n_rankings, n_levels = len(levels), others.shape[1] // 2
    flat = levels + n_levels * np.arange(n_rankings)[:, None]
    hits = np.bincount(flat.ravel(), minlength=n_rankings * n_levels)
    held = np.flatnonzero(hits)
    groups = groups_of(hits.reshape(n_rankings, n_levels), others)
    flat_groups = HitGroups(
        groups.above.ravel(), groups.size.ravel(), groups.hits_above.ravel(), hits
    )
    return flat_groups.take(held), held // n_levels


def draw_in_parallel(
    engine: Engine,
    n_rankings: int,
    generator: np.random.Generator,
    *,
    n_jobs: int | None,
    progress: bool,
) -> Floats:
    """Return values of `engine` in portions, each with its own generator.

    The portions, and so the values, do not depend on the number of jobs.
    """
    # Rankings for one job: tens of milliseconds, far above its overhead. The draws
    # depend on it, because each job has its own generator.
    portion = 1000
    sizes = [portion] * (n_rankings // portion)
    sizes += [n_rankings % portion] * (n_rankings % portion > 0)
    found = run_jobs(
        engine,
        zip(sizes, generator.spawn(len(sizes)), strict=True),
        total=len(sizes),
        label="resamples",
        n_jobs=n_jobs,
        progress=progress,
    )
    return np.concatenate(found)
