"""Engines "monte_carlo" and "importance_sampling": random rankings.

A draw is the places of the m targets, never a permutation of n labels: its cost is that
of m integers, whatever n. Plain draws count how often random selection does as well.
Tilted draws come from a chain under which what was observed is usual, and each counts
exp(-u * E), with its E on that chain: unbiased at any depth, with a standard error.
Ranks that the chain merges are drawn inside their blocks, and measured where they fall,
so that nothing is lost to the merging.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._jobs import run_draws
from skrank.null._centred import SAME, OutOfReachError, Tail, Term, slack_at
from skrank.null._chain import Chain
from skrank.null._chances import log_binomial
from skrank.null._tilting import Solution, Tilted
from skrank.ranking._ranking import HitGroups

_BATCH_ITEMS = 2**15  # places drawn at once; they stay in the processor's cache
_PORTION_ITEMS = 2**20  # places drawn in one task, which takes some tenths of a second
_TILTED_ITEMS = 2**21

_Floats = NDArray[np.float64]
_Ints = NDArray[Any]


def draw(terms: Sequence[Term], size: int, generator: np.random.Generator) -> _Floats:
    """Mean values of `size` random draws; O(size * m log m), in bounded memory."""
    n_targets = sum(chain.n_targets * count for chain, _, count in terms)
    portion = _PORTION_ITEMS // n_targets
    engine = partial(_draw_portion, terms)
    return np.concatenate(run_draws(engine, size, portion, generator))


def _draw_portion(terms: Sequence[Term], size: int, seed: int) -> _Floats:
    generator = np.random.default_rng(seed)
    total = np.zeros(size)
    for chain, weight, count in terms:
        values = _draw_lists(chain, size * count, generator)
        total += weight * values.reshape(count, size).sum(axis=0)
    return total


def tail(values: _Floats, statistic: float, sign: int, slack: float) -> Tail:
    """(C + 1) / (B + 1), C the draws at least as extreme.

    Phipson and Smyth (2010), *Statistical Applications in Genetics and Molecular
    Biology* 9(1), article 39.
    """
    reached = sign * (values - statistic) >= -slack
    count, size = int(reached.sum()), values.size
    p = (count + 1) / (size + 1)
    return Tail(math.log(p), error=math.sqrt((1 - p) / (p * size)))


def tilted_tail(
    solution: Solution,
    terms: Sequence[Term],
    statistic: float,
    sign: int,
    size: int,
    generator: np.random.Generator,
) -> Tail:
    """Unbiased estimate from `size` tilted draws, with its standard error."""
    tilt = max(solution.tilt, 0.0)
    parts = solution.drawn(tilt)
    slack = slack_at(terms, statistic)

    def reached(values: _Floats) -> NDArray[np.bool_]:
        return np.asarray(sign * (values - statistic) >= -slack)

    rows = max(1, _TILTED_ITEMS // max(_width(part) for part in parts))
    batches = [min(rows, size - start) for start in range(0, size, rows)]
    weights = np.concatenate(
        [_weights(parts, terms, tilt, reached, count, generator) for count in batches]
    )
    log_mgf = sum(part.centred.copies * part.log_mgf for part in parts)
    mean = float(weights.mean())
    if mean == 0.0:
        return Tail(-math.inf, error=math.inf)
    # a draw not seen may have had the weight 1, that of a sum of zero: without it,
    # a distribution with two humps of which only the far one was drawn would seem well
    # known
    error = math.sqrt((float(weights.var()) + 1 / size) / size) / mean
    return Tail(min(0.0, log_mgf + math.log(mean)), error=error)


def _draw_lists(chain: Chain, size: int, generator: np.random.Generator) -> _Floats:
    """Values of random rankings, batch by batch."""
    batch = max(1, _BATCH_ITEMS // chain.n_targets)
    counts = [min(batch, size - start) for start in range(0, size, batch)]
    n, m = chain.n_samples, chain.n_targets
    values = [
        measure_lists(chain, draw_places(n, m, count, generator)) for count in counts
    ]
    return np.concatenate(values)


def measure_lists(chain: Chain, places: _Ints) -> _Floats:
    """Values of rankings by the sorted places of their targets, one a row.

    Inside a tie group any place will do, its first one for all. In a stretch each place
    counts for itself, since its items are not tied.
    """
    n_rows, m = places.shape
    whole = chain.ends[-1] == chain.n_samples
    if whole and chain.untied and chain.slope is not None:
        gain = chain.measure.gain(places, 1, np.arange(m), 1, chain.frame)
        offset = chain.measure.offset(chain.frame)
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
    return chain.measure.values(groups, row[counted], n_rows, chain.frame)


def filled(chain: Chain, sign: int) -> tuple[float, float]:
    """Return the value with all hits as high up as can be, or as low, and its chance.

    Those are the ends of the support of a sum of gains that fall down the ranking.
    """
    n, m, counted = chain.n_samples, chain.n_targets, int(chain.ends[-1])
    sizes = chain.sizes
    room = sizes if sign > 0 else np.append(n - counted, sizes[::-1])
    hits = np.diff(np.minimum(np.cumsum(room), m), prepend=0)
    if sign < 0:
        hits = hits[1:][::-1]
    held, found = hits > 0, int(hits.sum())
    above = np.cumsum(hits) - hits
    logchance = log_binomial(sizes[held], hits[held]).sum()
    logchance += log_binomial(n - counted, m - found) - log_binomial(n, m)
    places = np.repeat(chain.ends - sizes, hits)[None]
    if np.any(chain.merged & held):
        inside = np.arange(found) - np.repeat(above, hits)
        if sign < 0:
            inside += np.repeat(sizes - hits, hits)
        places = places + np.where(np.repeat(chain.merged, hits), inside, 0)
    below = np.full((1, m - found), n - 1)
    value = float(measure_lists(chain, np.append(places, below, axis=1))[0])
    if sign > 0:
        logchance = max(logchance, _unfelt_below(chain, hits, places[0], value))
    return value, float(logchance)


def _unfelt_below(chain: Chain, hits: _Ints, places: _Ints, value: float) -> float:
    """Log-chance of the largest value, hits that do not matter being anywhere.

    Weights that fall exponentially leave no trace of those far down.
    """
    n, m, above = chain.n_samples, chain.n_targets, np.cumsum(hits)

    def is_felt(group: int) -> bool:
        kept = int(above[group])
        row = np.append(places[:kept], np.arange(n - m + kept, n))
        return bool(measure_lists(chain, row[None])[0] < value * (1 - 2 * SAME))

    last = int(np.searchsorted(above, above[-1]))
    group = bisect_left(range(last), True, key=lambda index: not is_felt(index))
    if group == last:
        return -math.inf
    kept = slice(0, group + 1)
    ways = log_binomial(chain.sizes[kept], hits[kept]).sum()
    ways += log_binomial(n - chain.ends[group], m - above[group])
    return float(ways - log_binomial(n, m))


def draw_places(n: int, m: int, n_rows: int, generator: np.random.Generator) -> _Ints:
    """Sorted uniform subsets of m out of n places, one a row.

    The first m distinct numbers of a sequence of uniform ones are a uniform subset:
    repeats are drawn again until none is left. Where m is more than half of n that is
    slow, and shuffling costs little more.
    """
    kind = np.int32 if n < 2**31 else np.int64
    if 2 * m > n:
        everywhere = np.broadcast_to(np.arange(n, dtype=kind), (n_rows, n))
        return np.sort(generator.permuted(everywhere, axis=1)[:, :m], axis=1)
    places = generator.integers(0, n, size=(n_rows, m), dtype=kind)
    return _part(places, lambda old: generator.integers(0, n, size=old.size))


def _part(places: _Ints, draw_again: Callable[[_Ints], _Ints]) -> _Ints:
    """Sort each row, and draw again what stands in it twice until nothing does."""
    places.sort(axis=1)
    rows: _Ints | slice = slice(None)
    while True:
        block = places[rows]
        repeated = np.flatnonzero((block[:, 1:] == block[:, :-1]).ravel())
        if repeated.size == 0:
            return places
        row, column = np.divmod(repeated, block.shape[1] - 1)
        block[row, column] = draw_again(block[row, column])
        touched = row[np.diff(row, prepend=-1) > 0]
        extrapolated = np.sort(block[touched], axis=1)
        rows = touched if isinstance(rows, slice) else rows[touched]
        places[rows] = extrapolated


def _width(part: Tilted) -> int:
    """Items that one draw takes."""
    return max(len(part.moves), part.centred.chain.n_targets) * part.centred.copies


def _weights(
    parts: list[Tilted],
    terms: Sequence[Term],
    tilt: float,
    reached: Callable[[_Floats], NDArray[np.bool_]],
    size: int,
    generator: np.random.Generator,
) -> _Floats:
    """exp(-u * centred) of tilted draws that reach the value, 0 of the others."""
    centred, value = np.zeros(size), np.zeros(size)
    for part, (chain, weight, count) in zip(parts, terms, strict=True):
        for _ in range(count):
            hits, added = _descend(part, size, generator)
            centred += added
            places = _spread(part.centred.chain, hits, generator)
            value += weight * measure_lists(chain, places)
    return np.where(reached(value), np.exp(-tilt * centred), 0.0)


def _descend(
    part: Tilted, size: int, generator: np.random.Generator
) -> tuple[_Ints, _Floats]:
    """Hits in each group of tilted draws, one draw a row, and what they add up to.

    The last column holds the hits below the groups that count.
    """
    chain = part.centred.chain
    hits = np.zeros((len(part.moves) + 2, size), dtype=np.int64)
    above, centred = np.zeros(size, dtype=np.int64), np.zeros(size)
    for row, (step, chance, gain) in enumerate(reversed(part.moves)):
        column = above - step.least
        index = _pick(chance, column, generator)
        centred += gain[index, column]
        hits[row] = step.fewest + index
        above += hits[row]
    column = above - part.least
    way = _pick(part.last_chance, column, generator)
    centred += part.last[way, column]
    left = chain.n_targets - above
    hits[-2] = left if chain.ends[-1] == chain.n_samples else way
    hits[-1] = left - hits[-2]
    return hits.T, centred


def _pick(chance: _Floats, column: _Ints, generator: np.random.Generator) -> _Ints:
    """Draw a row of a table of chances for each of some columns of it.

    Near an end of the support draws may leave the table, where rounding alone leads.
    """
    if column.min() < 0 or column.max() >= chance.shape[1]:
        raise OutOfReachError
    if chance.shape[0] == 1:
        return np.zeros(column.size, dtype=np.int64)
    beyond = 1 - np.cumsum(chance[:-1], axis=0)
    uniform = generator.random(column.size)
    if chance.shape[0] == 2:
        return np.asarray(uniform < beyond[0, column], dtype=np.int64)
    return np.asarray((uniform < beyond[:, column]).sum(axis=0))


def _spread(chain: Chain, hits: _Ints, generator: np.random.Generator) -> _Ints:
    """Sorted places of targets, given how many are in each group, one ranking a row."""
    size, m = hits.shape[0], chain.n_targets
    ends = np.append(chain.ends, chain.n_samples)
    sizes, start = np.diff(ends, prepend=0), np.append(0, ends[:-1])
    group: _Ints = np.repeat(np.tile(np.arange(ends.size), size), hits.ravel())
    group = group.reshape(size, m)
    # inside a tie any places will do: the first ones
    before = np.cumsum(hits, axis=1) - hits
    offset = np.arange(m) - np.take_along_axis(before, group, axis=1)
    free = np.append(chain.merged, False)[group]

    def draw_inside(block: _Ints) -> _Ints:
        return (generator.random(block.size) * sizes[block]).astype(np.int64)

    def draw_again(places: _Ints) -> _Ints:
        block = np.searchsorted(ends, places, side="right")
        return start[block] + draw_inside(block)

    offset[free] = draw_inside(group[free])
    return _part(start[group] + offset, draw_again)
