"""Engine "monte_carlo": lists drawn under random selection.

A draw is the places of the m targets, never a permutation of n labels: its cost is that
of m integers, whatever n.
"""

import numpy as np
from numpy.typing import NDArray

from skrank._ranking import HitGroups
from skrank.null._chain import Chain, Tail

_BATCH_ITEMS = 2**19  # places drawn at once; bounds the memory


def draw(
    chain: Chain, size: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Values of `size` random lists; O(size * m log m) time, bounded memory."""
    batch = max(1, _BATCH_ITEMS // chain.n_targets)
    counts = [min(batch, size - start) for start in range(0, size, batch)]
    return np.concatenate([_draw_batch(chain, count, generator) for count in counts])


def tail(values: NDArray[np.float64], statistic: float, sign: int) -> Tail:
    """(C + 1) / (B + 1), C the draws at least as extreme.

    Phipson and Smyth (2010), *Statistical Applications in Genetics and Molecular
    Biology* 9(1), article 39.
    """
    extreme = sign * (values - statistic) >= -1e-11 * abs(statistic)
    return Tail(float(np.log((extreme.sum() + 1) / (values.size + 1))))


def _draw_batch(
    chain: Chain, n_rows: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Draw places, group them by the ties they fall in, and measure."""
    n, m = chain.n_samples, chain.n_targets
    places = _draw_places(n, m, n_rows, generator)
    group = np.searchsorted(chain.ends, places, side="right")
    first = np.ones(group.shape, dtype=bool)
    first[:, 1:] = group[:, 1:] != group[:, :-1]
    start = np.flatnonzero(first)
    row, hits_above = np.divmod(start, m)
    hits = np.diff(start, append=group.size)
    counted = group.ravel()[start] < chain.ends.size
    index = group.ravel()[start][counted]
    groups = HitGroups(
        chain.ends[index] - chain.sizes[index],
        chain.sizes[index],
        hits_above[counted],
        hits[counted],
    )
    return chain.measure.values(groups, row[counted], n_rows, chain.frame)


def _draw_places(
    n: int, m: int, n_rows: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Sorted uniform subsets of m out of n places, one a row.

    The first m distinct numbers of a sequence of uniform ones are a uniform subset:
    repeats are drawn again until none is left. Where m is more than half of n that is
    slow, and shuffling costs little more.
    """
    if 2 * m > n:
        everywhere = np.broadcast_to(np.arange(n), (n_rows, n))
        return np.sort(generator.permuted(everywhere, axis=1)[:, :m], axis=1)
    places = np.sort(generator.integers(0, n, size=(n_rows, m)), axis=1)
    rows = np.arange(n_rows)
    while rows.size:
        block = places[rows]
        repeated = np.zeros(block.shape, dtype=bool)
        repeated[:, 1:] = block[:, 1:] == block[:, :-1]
        rows, repeated = rows[repeated.any(axis=1)], repeated[repeated.any(axis=1)]
        block = places[rows]
        block[repeated] = generator.integers(0, n, size=int(repeated.sum()))
        places[rows] = np.sort(block, axis=1)
    return places
