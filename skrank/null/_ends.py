"""Ends of the support: the smallest and the largest value, and their probabilities.

For most metrics the ends have all hits as high or as low as possible. In other cases
the largest (or smallest) sum of gains for each number of hits is carried down the chain
by dynamic programming (Bellman 1957, *Dynamic Programming*), with the number of ways to
reach it. If there are many numbers of hits, only every h-th is followed, and the search
is repeated near the best path with smaller and smaller h. This is sufficient for
average precision with the tie rule "together", whose smallest value is

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

from skrank._utils._combinatorics import log_binomial
from skrank.metrics._definitions import AveragePrecision
from skrank.null._atoms import first_hit_law
from skrank.null._chain import Chain
from skrank.null._lattice import IMPOSSIBLE, SHORT_CELLS, Lattice
from skrank.null._sampling import measure_rankings

SAME = 1e-11  # relative difference of values that may be equal up to rounding
# Number of groups up to which the search uses strides. Beyond it the end is bounded.
_MOST_GROUPS = 2**11
# Strides on either side of a path in which a better path is searched. With 4, the least
# value of 780 ties under "together" takes three times as long.
_NEAR = 32

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


def end(chain: Chain, sign: int) -> tuple[float, float]:
    """Return the largest value (or smallest, with sign -1), and its log-probability."""
    metric = chain.metric
    if metric.counted_hits == 1:
        law = first_hit_law(chain)
        index = -1 if sign > 0 else 0
        return float(law.value[index]), float(law.logchance[index])
    precision = isinstance(metric, AveragePrecision)
    retrieved = precision and metric.ties == "together"
    runs = chain.runs() if precision and chain.ends.size > 1 else chain
    short = runs.is_short
    # weights that decrease exponentially may hide where hits are, precision does not
    if chain.slope is not None and not (sign < 0 and retrieved):
        if precision:
            return filled(chain, sign)
        if not short:  # there may be others, which are not counted
            return filled(chain, sign)[0], -math.inf
    few = retrieved and chain.slope and runs.ends.size <= _MOST_GROUPS
    if short or few:
        return _searched(runs, sign)
    if retrieved and chain.slope:  # not smaller than in the worst order within ties
        worst = copy(chain)
        worst.metric = replace(metric, ties="pessimistic")
        return filled(worst, sign)[0], -math.inf
    return metric.bounds[sign > 0], -math.inf


def filled(chain: Chain, sign: int) -> tuple[float, float]:
    """Return the value with all hits as high, or as low, as possible; its probability.

    Hits in a tie at the cutoff may have no gain; they can also be at other places.
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
        return float(measure_rankings(chain, _row(chain, places, hits, sign)[None])[0])

    order = range(least, most + 1)[::-sign]
    extreme = value(order[0])
    same = bisect_left(
        order[1:], True, key=lambda d: abs(value(d) - extreme) > 2 * SAME * abs(extreme)
    )
    last = np.array(order[: 1 + same])
    inside_last = 0.0 if chain.merged[-1] else log_binomial(size, last)
    ways = inside_last + chain.log_left(depth + size, above + last) + logways
    logchance = float(np.logaddexp.reduce(ways)) - chain.log_total
    return extreme, min(0.0, logchance)


def _row(chain: Chain, places: _Ints, hits: int, sign: int) -> _Ints:
    """Places of a ranking with `hits` in the last group and the others below it."""
    start, size = int(chain.depths[-1]), int(chain.sizes[-1])
    first = start if sign > 0 or not chain.merged[-1] else start + size - hits
    below = np.arange(
        chain.n_samples - chain.n_targets + places.size + hits, chain.n_samples
    )
    return np.concatenate([places, first + np.arange(hits), below])


def _searched(chain: Chain, sign: int) -> tuple[float, float]:
    """Search over all numbers of hits, or over some and then near the best path."""
    lattice = least, most, stride, fewest, widest = chain.possible()
    while lattice.n_cells > SHORT_CELLS:
        stride = 2 * stride
        lattice = chain.lattice(least, most, stride, fewest, widest)
    value, logchance, hits = _extreme(chain, lattice, sign)
    while chain.possible().n_cells > SHORT_CELLS:
        inside, above = np.diff(hits), hits[:-1]
        margin = _NEAR * stride[:-1]
        near = (above - margin, above + margin)
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

    The path has the hits above each group, and down to the end of the last one. It is
    exact if an extreme ranking has the hits in a merged group first, or last.
    """
    inside = "optimistic" if sign > 0 else "pessimistic"
    value, mass, moves = np.zeros(1), np.zeros(1), []
    for step, merged in zip(
        chain.steps(lattice, inside=inside, down=True), chain.merged, strict=False
    ):
        possible = step.logcount > IMPOSSIBLE
        reached = np.where(possible, sign * step.gain + value, -np.inf).ravel()
        ways = np.where(possible, mass + (0 if merged else step.logcount), -np.inf)
        # the cells by the hits after the group
        order = np.argsort(step.cell, axis=None, kind="stable")
        index, first = np.unique(step.cell.ravel()[order], return_index=True)
        value, mass, best = _best(reached[order], ways.ravel()[order], first)
        came = np.zeros(step.below.size, dtype=np.intp)
        came[index] = order[best] % step.above.size
        reaching = np.full((2, step.below.size), -np.inf)  # where no way leads
        reaching[:, index] = value, mass
        value, mass = reaching
        moves.append((came, step.above))
    end = chain.last_group(lattice)
    final = sign * (end.slope * (sign * value) + end.intercept)
    final = np.where(end.logweight > -np.inf, final, -np.inf)
    offset = abs(chain.metric.offset(chain.frame))
    ways, every = (mass + end.logweight).ravel(), np.zeros(1, dtype=np.intp)
    top, logmass, _ = _best(final.ravel(), ways, every, offset)
    row, column = divmod(int(final.argmax()), final.shape[1])
    hits = [int(lattice.above(-1)[column])]
    hits.insert(0, hits[0] + int(end.hits[row, column]))
    for came, above in reversed(moves):
        column = int(came[column])
        hits.append(int(above[column]))
    return sign * float(top[0]), float(logmass[0]), np.array(hits[::-1])


def _best(
    value: _Floats, logweight: _Floats, first: _Ints, scale: float = 0.0
) -> tuple[_Floats, _Floats, _Ints]:
    """Maximum of each run of values, the weight of all that reach it, and its place.

    Runs begin at `first`. Values are equal up to rounding, which is relative to the
    value, or to a larger `scale`.
    """
    top = np.maximum.reduceat(value, first)
    count = np.diff(first, append=value.size)
    with np.errstate(invalid="ignore"):  # no way leads here
        floor = top - 2 * SAME * np.maximum(np.abs(top), scale)
        level = ~(value < np.repeat(floor, count))
    logweight = np.where(level, logweight, -np.inf)
    most = np.maximum(np.maximum.reduceat(logweight, first), -1e300)  # finite
    share = np.exp(logweight - np.repeat(most, count))
    place = np.flatnonzero(value == np.repeat(top, count))
    run = np.searchsorted(first, place, "right") - 1
    place = place[np.unique(run, return_index=True)[1]]
    with np.errstate(divide="ignore"):
        return top, most + np.log(np.add.reduceat(share, first)), place
