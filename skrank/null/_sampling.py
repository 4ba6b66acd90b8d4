"""Random rankings, plain and from a tilted distribution.

A draw is the set of places of the m targets, and not a permutation of n labels. Its
cost is O(m). The p-value from plain draws is the share of draws that are as extreme.
Tilted draws come from a chain whose mean is the observed value, and

    P(S >= s) = exp(K(u)) * E_u[exp(-u E) 1{S >= s}]

is the mean of their weights: unbiased for any p-value, with a standard error. Ranks
that the chain merges are drawn within their blocks, and measured at their own depth, so
merging causes no error.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._jobs import run_draws
from skrank.null._chain import Chain
from skrank.null._lattice import BATCH_ITEMS, require, require_positive
from skrank.null._tilted import FirstHitWay, Term, Tilted, total
from skrank.ranking._ranking import HitGroups

_Floats = NDArray[np.float64]
_Ints = NDArray[Any]


def draw(terms: Sequence[Term], size: int, generator: np.random.Generator) -> _Floats:
    """Mean values of `size` random draws; O(size * m log m), in bounded memory."""
    n_targets = sum(chain.n_targets * count for chain, _, count in terms)
    portion = BATCH_ITEMS // n_targets
    engine = partial(_draw_portion, terms)
    return np.concatenate(run_draws(engine, size, portion, generator))


def _draw_portion(terms: Sequence[Term], size: int, seed: int) -> _Floats:
    generator = np.random.default_rng(seed)
    total = np.zeros(size)
    for chain, weight, count in terms:
        n, m = chain.n_samples, chain.n_targets
        places = draw_places(n, m, size * count, generator)
        values = measure_rankings(chain, places)
        total += weight * values.reshape(count, size).sum(axis=0)
    return total


def tail(values: _Floats, reached: NDArray[np.bool_]) -> tuple[float, float]:
    """Logarithm of (C + 1) / (B + 1) with C extreme draws; its relative error.

    Phipson and Smyth (2010), *Statistical Applications in Genetics and Molecular
    Biology* 9(1), article 39.
    """
    count, size = int(reached.sum()), values.size
    p = (count + 1) / (size + 1)
    return math.log(p), math.sqrt((1 - p) / (p * size))


def tilted_tail(
    rankings: Sequence[Tilted],
    terms: Sequence[Term],
    reached: Callable[[_Floats], NDArray[np.bool_]],
    size: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Logarithm of the mean weight of `size` tilted draws, and its relative error."""
    rows = max(1, BATCH_ITEMS // max(width(one) for one in rankings))
    batches = [min(rows, size - start) for start in range(0, size, rows)]
    weights = np.concatenate(
        [_weights(rankings, terms, reached, count, generator) for count in batches]
    )
    mean = require_positive(float(weights.mean()))
    # a draw not seen may have the weight 1, that of a sum of zero: without it, the
    # error would be too small if only the rarer part of a distribution was drawn
    error = math.sqrt((float(weights.var()) + 1 / size) / size) / mean
    log_mgf = total(rankings).value
    return min(0.0, log_mgf + math.log(mean)), error


def measure_rankings(chain: Chain, places: _Ints) -> _Floats:
    """Values of rankings from the sorted places of their targets, one per row.

    Inside a tie group, all places are equivalent to its first one. In a stretch each
    place counts, because its items are not tied.
    """
    n_rows, m = places.shape
    whole = chain.ends[-1] == chain.n_samples
    if whole and chain.is_untied and chain.slope is not None:
        gain = chain.metric.gain(places, 1, np.arange(m), 1, chain.frame)
        offset = chain.metric.offset(chain.frame)
        return np.asarray(chain.slope * gain.sum(axis=1) + offset)
    group = np.searchsorted(chain.ends, places, side="right")
    first = np.ones(group.shape, dtype=bool)
    loose = np.append(chain.merged, False)[group]
    first[:, 1:] = (group[:, 1:] != group[:, :-1]) | loose[:, 1:]
    start = np.flatnonzero(first)
    row, hits_above = np.divmod(start, m)
    hits = np.diff(start, append=group.size)
    index = group.ravel()[start]
    counted = index < chain.ends.size
    index, loose = index[counted], loose.ravel()[start][counted]
    above = np.where(loose, places.ravel()[start][counted], chain.depths[index])
    size = np.where(loose, 1, chain.sizes[index])
    groups = HitGroups(above, size, hits_above[counted], hits[counted])
    return chain.metric.values(groups, row[counted], n_rows, chain.frame)


def draw_places(n: int, m: int, n_rows: int, generator: np.random.Generator) -> _Ints:
    """Sorted uniform subsets of m out of n places, one per row.

    The first m distinct numbers of a sequence of uniform numbers are a uniform subset:
    duplicates are drawn again until none is left. If m is more than half of n, this is
    slow, and shuffling costs little more.
    """
    kind = np.int32 if n < 2**31 else np.int64
    if 2 * m > n:
        everywhere = np.broadcast_to(np.arange(n, dtype=kind), (n_rows, n))
        return np.sort(generator.permuted(everywhere, axis=1)[:, :m], axis=1)
    places = generator.integers(0, n, size=(n_rows, m), dtype=kind)
    return _distinct(places, n, generator)


def _distinct(places: _Ints, n: int, generator: np.random.Generator) -> _Ints:
    """Sort each row, and draw duplicates again until there are none."""
    places = np.sort(places, axis=1)
    rows = np.arange(len(places))
    while True:
        block = places[rows]
        row, column = np.nonzero(block[:, 1:] == block[:, :-1])
        if row.size == 0:
            return places
        block[row, column] = generator.integers(0, n, size=row.size)
        touched = np.unique(row)
        rows = rows[touched]
        places[rows] = np.sort(block[touched], axis=1)


def width(tilted: Tilted) -> int:
    """Number of groups and of places of one draw."""
    part = tilted.way.part
    places = 0 if _is_exact(tilted) else part.chain.n_targets
    return (len(tilted.moves) + places) * part.copies


def _weights(
    rankings: Sequence[Tilted],
    terms: Sequence[Term],
    reached: Callable[[_Floats], NDArray[np.bool_]],
    size: int,
    generator: np.random.Generator,
) -> _Floats:
    """exp(-u * E) of tilted draws that reach the value, 0 for the others."""
    centred, value = np.zeros(size), np.zeros(size)
    for tilted, (chain, weight, count) in zip(rankings, terms, strict=True):
        for _ in range(count):
            if isinstance(tilted.way, FirstHitWay):
                (move,) = tilted.moves
                chance = move.chance[:, 0] / move.chance.sum()
                index = generator.choice(chance.size, size, p=chance)
                added, drawn = move.gain[index, 0], tilted.way.law.value[index]
            else:
                hits, added = _descend(tilted, size, generator)
                if _is_exact(tilted):
                    drawn = _value_of(tilted, added)
                else:
                    places = _spread(tilted.way.chain, hits, generator)
                    drawn = measure_rankings(chain, places)
            centred += added
            value += weight * drawn
    return np.where(reached(value), np.exp(-rankings[0].tilt * centred), 0.0)


def _is_exact(tilted: Tilted) -> bool:
    """Whether the hits in each group give the value: groups are ties, or single items.

    The factor of the sum of gains must be constant. Without places to draw, p of ties
    near the maximum, whose weights vary most, has an error of 1 % instead of 8 %.
    """
    chain = tilted.way.chain
    single = chain.sizes == 1
    return chain.slope is not None and not np.any(chain.merged & ~single)


def _value_of(tilted: Tilted, centred: _Floats) -> _Floats:
    """Values of rankings from their part of E."""
    part = tilted.way.part
    assert part.chain.slope is not None
    weight = 1 / part.chain.slope if part.weight is None else part.weight
    return np.asarray(part.statistic + part.sign * centred / weight)


def _descend(
    tilted: Tilted, size: int, generator: np.random.Generator
) -> tuple[_Ints, _Floats]:
    """Hits in each group of tilted draws, one draw per row, and the sums of gains.

    The last column has the hits below the groups that count.
    """
    hits = np.zeros((len(tilted.moves) + 1, size), dtype=np.int64)
    column, centred = np.zeros(size, dtype=np.int64), np.zeros(size)
    for row, move in enumerate(tilted.moves):
        cell = _pick(move.chance, column, generator), column
        centred += move.gain[cell]
        hits[row] = tilted.hits(move)[cell]
        if move.step is not None:
            column = move.step.cell[cell]
    hits[-1] = tilted.way.chain.n_targets - hits[:-1].sum(axis=0)
    return hits.T, centred


def _pick(chance: _Floats, column: _Ints, generator: np.random.Generator) -> _Ints:
    """Draw a row of a table of probabilities for each of some of its columns.

    Near an end of the support, rounding errors may lead draws outside of the table.
    """
    require(column.min() >= 0 and column.max() < chance.shape[1])
    # the columns one after another, each with probabilities up to 1
    upto = np.minimum(np.cumsum(chance, axis=0), 1.0)
    upto[-1] = 1.0
    ends = (upto + np.arange(chance.shape[1])).T.ravel()
    found = np.searchsorted(ends, column + generator.random(column.size), "right")
    return np.asarray(np.minimum(found - column * len(chance), len(chance) - 1))


def _spread(chain: Chain, hits: _Ints, generator: np.random.Generator) -> _Ints:
    """Sorted places of targets from the hits in each group, one ranking per row.

    Inside a tie, and below the groups that count, the first places are used.
    """
    ends = np.append(chain.ends, chain.stop)
    sizes = np.diff(ends, prepend=chain.start).tolist()
    free = np.append(chain.merged & (chain.sizes > 1), False)
    found = []
    for inside, end, size, is_free in zip(hits.T, ends, sizes, free, strict=True):
        index = np.arange(inside.max())
        if index.size == 0:
            continue
        kept = index < inside[:, None]
        places = np.broadcast_to(index, kept.shape)
        if is_free and 2 * index.size > size:
            everywhere = np.broadcast_to(np.arange(size), (len(hits), size))
            places = generator.permuted(everywhere, axis=1)[:, : index.size]
        elif is_free:  # those that are not kept are below the block
            drawn = generator.integers(0, size, size=kept.shape)
            places = _distinct(np.where(kept, drawn, size + index), size, generator)
        row, _ = np.nonzero(kept)
        found.append(row * chain.n_samples + end - size + places[kept])
    return np.sort(np.concatenate(found)).reshape(len(hits), -1) % chain.n_samples
