"""Ends of the support: the smallest and the largest value, and their probabilities.

For most metrics the ends have all hits as high or as low as possible. In other cases
the largest (or smallest) sum of gains for each number of hits is carried down the chain
by dynamic programming (Bellman 1957, *Dynamic Programming*), with the number of ways to
reach it. If there are many numbers of hits, only every h-th is followed, and the search
is repeated near the best path with smaller and smaller h. This is sufficient for
average precision with the tie rule "threshold", whose smallest value is

    min of sum (H_j - H_{j-1}) H_j / T_j,   0 <= H_j - H_{j-1} <= b_j,   H_J = m

over the numbers of hits H_j above the ends T_j of ties of b_j items. The sum consists
of convex functions of single H_j and of differences of neighbours, so a solution is
optimal if it is optimal among its neighbours (Murota 2003, *Discrete Convex Analysis*,
chapter 7).
"""

import math
from bisect import bisect_left
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skrank.metrics._definitions import AveragePrecision
from skrank.null._atoms import first_hit_law
from skrank.null._chain import Chain, log_binomial
from skrank.null._lattice import Lattice, Step
from skrank.null._sampling import measure_lists

SAME = 1e-11  # relative difference of values that may be equal up to rounding
# Cells of a pass over all numbers of hits, each group counted as so many: a second; and
# number of groups up to which the search uses strides. Beyond them the end is bounded.
_MOST_CELLS, _GROUP_CELLS, _MOST_GROUPS = 2**22, 2**11, 2**11
_NEAR = 4  # strides on either side of a path in which a better path is searched

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


def end(chain: Chain, sign: int) -> tuple[float, float]:
    """Return the largest value (or smallest, with sign -1), and its log-probability."""
    measure = chain.measure
    if measure.counted_hits == 1:
        law = first_hit_law(chain)
        index = -1 if sign > 0 else 0
        return float(law.value[index]), float(law.logchance[index])
    precision = isinstance(measure, AveragePrecision)
    retrieved = precision and measure.ties == "threshold"
    runs = chain.runs() if precision and chain.ends.size > 1 else chain
    short = runs.possible().n_cells + _GROUP_CELLS * runs.ends.size <= _MOST_CELLS
    # weights that decrease exponentially may hide where hits are, precision does not
    if chain.slope is not None and not (sign < 0 and retrieved):
        if (
            not short and not measure.ordered
        ):  # there may be others, which are not counted
            return filled(chain, sign)[0], -math.inf
        if not short or precision:
            return filled(chain, sign)
    few = retrieved and chain.slope and runs.ends.size <= _MOST_GROUPS
    if (short or few) and (found := _searched(runs, sign)):
        return found
    if retrieved and chain.slope:  # not smaller than in the worst order within ties
        worst = copy(chain)
        worst.measure = replace(measure, ties="pessimistic")
        return filled(worst, sign)[0], -math.inf
    return measure.bounds[sign > 0], -math.inf


def filled(chain: Chain, sign: int) -> tuple[float, float]:
    """Return the value with all hits as high, or as low, as possible; its probability.

    Hits in a tie at the cutoff, and hits with negligible exponential weights, may have
    no gain; they can also be at other places.
    """
    n, m, depth = chain.n_samples, chain.n_targets, int(chain.depths[-1])
    sizes, merged = chain.sizes[:-1], chain.merged[:-1]
    # hits in the body, as many or as few as possible
    above = min(m, depth) if sign > 0 else max(0, m - (n - depth))
    room = np.cumsum(sizes[::sign])
    hits = np.diff(np.minimum(room, above), prepend=0)[::sign]
    logways = np.where(merged, 0.0, log_binomial(sizes, hits)).sum()
    places = np.repeat(chain.ends[:-1] - sizes, hits)
    inside = np.arange(above) - np.repeat(np.cumsum(hits) - hits, hits)
    inside += 0 if sign > 0 else np.repeat(sizes - hits, hits)
    places = places + np.where(np.repeat(merged, hits), inside, 0)
    # and all numbers of hits in the last group with the same value
    size = int(chain.sizes[-1])
    least, most = max(0, m - above - (n - depth - size)), min(size, m - above)

    def value(hits: int) -> float:
        return float(measure_lists(chain, _row(chain, places, hits, sign)[None])[0])

    order = range(least, most + 1)[::-sign]
    extreme = value(order[0])
    same = bisect_left(
        order, True, key=lambda d: abs(value(d) - extreme) > 2 * SAME * abs(extreme)
    )
    last = np.array(order[:same])
    inside_last = 0.0 if chain.merged[-1] else log_binomial(size, last)
    ways = inside_last + chain.log_left(depth + size, above + last) + logways
    logchance = float(np.logaddexp.reduce(ways)) - chain.log_total
    if sign > 0:
        best = _row(chain, places, order[0], sign)
        logchance = max(logchance, _unfelt_below(chain, best, extreme))
    return extreme, min(0.0, logchance)


def _row(chain: Chain, places: _Ints, hits: int, sign: int) -> _Ints:
    """Places of a ranking with `hits` in the last group and the others below it."""
    start, size = int(chain.depths[-1]), int(chain.sizes[-1])
    first = start if sign > 0 or not chain.merged[-1] else start + size - hits
    below = np.arange(
        chain.n_samples - chain.n_targets + places.size + hits, chain.n_samples
    )
    return np.concatenate([places, first + np.arange(hits), below])


def _unfelt_below(chain: Chain, places: _Ints, value: float) -> float:
    """Log-probability of the largest value, with hits of negligible gain anywhere."""
    n, m = chain.n_samples, chain.n_targets
    groups, hits = np.unique(
        np.searchsorted(chain.ends, places, "right"), return_counts=True
    )
    above = np.cumsum(hits)

    def is_felt(index: int) -> bool:
        kept = int(above[index])
        row = np.append(places[:kept], np.arange(n - m + kept, n))
        return bool(measure_lists(chain, row[None])[0] < value * (1 - 2 * SAME))

    # all of them together have a gain, and none below the cutoff has
    index = bisect_left(range(above.size), True, key=lambda index: not is_felt(index))
    kept = slice(0, index + 1)
    merged, sizes = chain.merged[groups[kept]], chain.sizes[groups[kept]]
    ways = np.where(merged, 0.0, log_binomial(sizes, hits[kept])).sum()
    return (
        float(ways + chain.log_left(chain.ends[groups[index]], above[index]))
        - chain.log_total
    )


def _searched(chain: Chain, sign: int) -> tuple[float, float] | None:
    """Search over all numbers of hits, or over some and then near the best path.

    None if the strides skip all possible numbers at some depth.
    """
    least, most, stride, fewest, widest = chain.possible()
    lattice = chain.possible()
    while lattice.n_cells > _MOST_CELLS:
        stride = 2 * stride
        lattice = chain.lattice(least, most, stride, fewest, widest)
    if not lattice.n_cells:
        return None
    value, logchance, hits = _extreme(chain, lattice, sign)
    while chain.possible().n_cells > _MOST_CELLS:
        inside = np.diff(hits, append=chain.n_targets)
        margin = _NEAR * stride
        near = (hits - margin, hits + margin)
        wide = (inside - 2 * margin, inside + 2 * margin)
        before, lattice = value, chain.lattice(*near, stride, *wide)
        value, logchance, hits = _extreme(chain, lattice, sign)
        if not sign * (value - before) > SAME * abs(before):
            if stride[0] == 1:
                break
            stride = stride // 2
    return value, logchance


def _extreme(chain: Chain, lattice: Lattice, sign: int) -> tuple[float, float, _Ints]:
    """Largest (or smallest) value on a lattice, its log-probability, a path to it.

    It is exact if an extreme ranking has the hits in a merged group first, or last.
    """
    inside = "optimistic" if sign > 0 else "pessimistic"
    value, mass, moves = np.zeros(1), np.zeros(1), []
    for step, merged in zip(
        chain.steps(lattice, inside=inside, down=True), chain.merged, strict=False
    ):
        reached = _skewed(sign * step.gain + value, step)
        count = 0.0 if merged else step.logcount
        ways = _skewed(mass + count + 0 * step.gain, step)
        moves.append((step, reached.argmax(axis=0), reached.shape[0]))
        value, mass = _best(reached, ways)
    end = chain.last_group(lattice)
    final = sign * (end.slope * (sign * value) + end.intercept)
    final = np.where(end.logweight > -np.inf, final, -np.inf)
    offset = abs(chain.measure.offset(chain.frame))
    every = (mass + end.logweight).reshape(-1, 1)
    top, logmass = _best(final.reshape(-1, 1), every, offset)
    first, _, stride, _, _ = lattice.last
    hits = [first + stride * int(final.max(axis=0).argmax())]
    for step, best, rows in reversed(moves):
        least, _, below = step.below
        row = int(best[(hits[-1] - least) // below])
        by_hits = rows == step.gain.shape[0]
        first, width = step.above
        above = hits[-1] - int(step.hits[row, 0]) if by_hits else first + width * row
        hits.append(above)
    return sign * float(top[0]), float(logmass[0]), np.array(hits[::-1])


def _skewed(table: _Floats, step: Step) -> _Floats:
    """Arrange the ways to one number of hits after the group in one column.

    Cell [d, H] moves to [d, H + d], or to [H, H + d] if that is shorter.
    """
    table = table.T if table.shape[0] > table.shape[1] else table
    rows, columns = table.shape
    least, most, below = step.below
    first = (least - step.above[0] - int(step.hits[0, 0])) // below
    last = (most - step.above[0] - int(step.hits[0, 0])) // below
    width = max(columns + rows - 1, last + 1) + max(0, -first)
    flat = np.full(rows * (width + 1), -np.inf)
    shift = max(0, -first)
    flat.reshape(rows, width + 1)[:, shift : shift + columns] = table
    skew = flat[: rows * width].reshape(rows, width)
    return skew[:, first + shift : last + shift + 1]


def _best(
    value: _Floats, logweight: _Floats, scale: float = 0.0
) -> tuple[_Floats, _Floats]:
    """Maximum of each column, and the total weight of all cells that reach it.

    Values are equal up to rounding, which is relative to the value, or to a larger
    `scale`.
    """
    top = value.max(axis=0)
    with np.errstate(invalid="ignore"):  # no way leads here
        level = ~(value < top - 2 * SAME * np.maximum(np.abs(top), scale))
    logweight = np.where(level, logweight, -np.inf)
    most = np.maximum(logweight.max(axis=0), -1e300)  # finite, if no way leads here
    with np.errstate(divide="ignore"):
        return top, most + np.log(np.exp(logweight - most).sum(axis=0))
