"""Lists drawn from a list: bootstrap of one ranking, or of two that share their items.

A resample is counts on levels and places (see `_sample`); its items are never sorted
again. Targets and others are drawn each from their own, so that the size of the list
and the number of targets stay.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from skrank._measures import Frame, Measure
from skrank._question import track
from skrank._ranking import HitGroups, Ranking
from skrank._variability._sample import Counts, groups_of, sample_of

Floats = NDArray[np.float64]

# Counts of a batch of lists: enough for numpy, few enough for the cache.
_BATCH = 1 << 14
_PORTION = 1000  # lists for one job


def batches(n_lists: int, width: int) -> Iterator[int]:
    """Sizes of batches of lists of so many counts."""
    size = max(1, _BATCH // width)
    for start in range(0, n_lists, size):
        yield min(size, n_lists - start)


def bootstrap(
    measure: Measure, ranking: Ranking, n_lists: int, rng: np.random.Generator
) -> Floats:
    """Values of lists drawn with replacement; O(m) each, whatever the list's length."""
    sample = sample_of(ranking)
    frame = measure.frame(ranking, ranking.n_targets)
    level = np.repeat(np.arange(sample.hits.size), sample.hits)
    held = np.flatnonzero(sample.others)
    share = sample.others[held] / sample.n_others
    values = []
    for size in batches(n_lists, sample.others.size):
        drawn = level[rng.integers(level.size, size=(size, level.size))]
        others = np.zeros((size, sample.others.size), dtype=np.intp)
        others[:, held] = rng.multinomial(int(sample.n_others), share, size=size)
        values.append(list_values(measure, drawn, others, frame))
    return np.concatenate(values)


def check_resampled(measure: Measure, ranking: Ranking) -> None:
    """Refuse what resamples cannot tell: where the tie at a cut ends."""
    cut = measure.frame(ranking, ranking.n_targets).cut
    if measure.ties == "threshold" and cut < ranking.n_samples:
        msg = (
            "`ties` must not be 'threshold' when lists are resampled, for a metric "
            f"with a cut, which would move with every list; got {measure.name}."
        )
        raise ValueError(msg)


def list_values(
    measure: Measure, levels: NDArray[np.intp], others: Counts, frame: Frame
) -> Floats:
    """Values of lists from the levels of their targets and the others on places."""
    if not others[:, 1::2].any() and measure.ties != "threshold":
        groups, row = _single_hits(levels, others)
    else:
        groups, row = _tied_hits(levels, others)
    if not measure.additive:
        return measure.values(groups, row, len(levels), frame)
    gain = measure.gain(
        groups.above, groups.size, groups.hits_above, groups.hits, frame
    )
    total = np.bincount(row, gain, len(levels))
    return np.asarray(total / measure.divisor(frame) + measure.offset(frame))


def _single_hits(
    levels: NDArray[np.intp], others: Counts
) -> tuple[HitGroups, NDArray[np.intp]]:
    """Groups of one where only targets tie: their order among themselves is moot."""
    above = np.take_along_axis(
        np.cumsum(others[:, ::2], axis=1), np.sort(levels, axis=1), axis=1
    )
    rank = np.arange(levels.shape[1])
    hits_above = np.broadcast_to(rank, levels.shape).ravel()
    single = np.ones_like(hits_above)
    row = np.repeat(np.arange(len(levels)), levels.shape[1])
    return HitGroups((above + rank).ravel(), single, hits_above, single), row


def _tied_hits(
    levels: NDArray[np.intp], others: Counts
) -> tuple[HitGroups, NDArray[np.intp]]:
    """Tie groups of the levels that hold hits."""
    n_lists, n_levels = len(levels), others.shape[1] // 2
    flat = levels + n_levels * np.arange(n_lists)[:, None]
    hits = np.bincount(flat.ravel(), minlength=n_lists * n_levels)
    held = np.flatnonzero(hits)
    groups = groups_of(hits.reshape(n_lists, n_levels), others)
    flat_groups = HitGroups(
        groups.above.ravel(), groups.size.ravel(), groups.hits_above.ravel(), hits
    )
    return flat_groups.take(held), held // n_levels


def draw_in_parallel(
    engine: Callable[[int, np.random.Generator], Floats],
    n_lists: int,
    generator: np.random.Generator,
    *,
    n_jobs: int | None,
    progress: bool,
) -> Floats:
    """Values of `engine` in portions, each with its own generator.

    The portions do not depend on the number of jobs, and so neither do the values.
    """
    sizes = [_PORTION] * (n_lists // _PORTION)
    sizes += [n_lists % _PORTION] * (n_lists % _PORTION > 0)
    tasks = (
        delayed(engine)(size, child)
        for size, child in zip(sizes, generator.spawn(len(sizes)), strict=True)
    )
    shown = track(tasks, total=len(sizes), label="resamples", progress=progress)
    return np.concatenate(Parallel(n_jobs=n_jobs)(shown))
