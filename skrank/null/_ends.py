"""Ends of the support: the least and the largest value, and how likely they are.

Most metrics have them where all hits are as high up as can be, or as low. Where that
is not so, the best (or worst) sum of gains for each number of hits is carried down the
chain. That is long for average precision with ties that are retrieved whole, whose
largest value is that of hits as high up as can be: those in the tie that is not full
have m/T, others at most 1, and those are as many as can be. Its least is

    min of sum (H_j - H_{j-1}) H_j / T_j,   0 <= H_j - H_{j-1} <= b_j,   H_J = m

over the hits H_j down to the ends T_j of ties of b_j items. The sum is one of convex
functions of single H_j and of differences of neighbours, so that a solution is the best
of all if it is the best among those one hit away (the optimality criterion for
L-natural-convex functions: Murota 2003, *Discrete Convex Analysis*, chapter 7). It is
looked for in steps of many hits, then of fewer.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skrank.metrics._definitions import AveragePrecision
from skrank.null import _sampling
from skrank.null._centred import SAME
from skrank.null._chain import Chain
from skrank.null._chances import log_binomial
from skrank.null._moments import MOST_CELLS, skew

_MANY_CELLS = 2**24  # of a pass: some seconds
_MOVE_CELLS = 2**12  # of a tie, that take as long as all moves do
_MOST_MOVED = 2**15  # ties, that take some ten seconds and 40 MiB
_MOVES = 2  # steps at once, to either side
_NEAR = 2  # hits from a solution within which others are looked for at first
_TOGETHER = 2**12  # ties whose gains are computed together

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


def end(chain: Chain, sign: int, *, large: bool, askable: bool) -> tuple[float, float]:
    """Return the largest value (or least, with sign -1), and its log-probability."""
    # weights that fall exponentially may hide where hits are, precision does not
    noticed = isinstance(chain.measure, AveragePrecision)
    if (large or noticed) and _is_filled(chain, sign):
        return _sampling.filled(chain, sign)
    if sign < 0 and _is_convex(chain) and _is_soon_moved(chain):
        return least_of_ties(chain)
    counted = chain.measure.counted_hits is not None
    expected = chain.measure.ties == "expected"
    blocks = chain.coarse if counted or expected else chain.runs
    if blocks.n_cells > MOST_CELLS or not askable:
        return _sampling.filled(chain, sign)
    value, logchance = extreme(blocks, sign)
    if sign > 0 and _is_filled(chain, sign):  # hits in blocks may not be noticed
        logchance = max(logchance, _sampling.filled(chain, sign)[1])
    return value, logchance


def _is_filled(chain: Chain, sign: int) -> bool:
    """Whether an end has its hits as high up, or as low, as can be, and nowhere else.

    Under "optimistic" and "pessimistic" hits in a tie that the cutoff divides may count
    nothing.
    """
    measure = chain.measure
    if not measure.ordered or measure.counted_hits is not None or chain.slope is None:
        return False
    if measure.ties == "expected":
        return True
    whole = chain.frame.cut >= chain.ends[-1]
    return bool(whole and (sign > 0 or not _is_of_whole_ties(chain)))


def _is_convex(chain: Chain) -> bool:
    """Whether it is average precision of a whole ranking, ties retrieved whole."""
    whole = chain.ends[-1] == chain.n_samples and not chain.merged.any()
    return bool(whole and chain.slope is not None and _is_of_whole_ties(chain))


def _is_of_whole_ties(chain: Chain) -> bool:
    """Whether the value is average precision of ties that are retrieved whole."""
    measure = chain.measure
    return isinstance(measure, AveragePrecision) and measure.ties == "threshold"


def _is_soon_moved(chain: Chain) -> bool:
    """Whether moves take seconds, and a pass over every number of hits takes longer."""
    ties = chain.ends.size
    return ties <= _MOST_MOVED and chain.n_cells > max(_MANY_CELLS, _MOVE_CELLS * ties)


def least_of_ties(chain: Chain) -> tuple[float, float]:
    """Least average precision of ties that are retrieved whole, and its log-chance.

    Hits are moved, many at a time, then fewer, until nothing is gained; O(n_groups) a
    move.
    """
    n, m = chain.n_samples, chain.n_targets
    hits = np.maximum(0, m - (n - np.append(0, chain.ends)))  # as low as can be
    # no tie has room for more
    scale, before = 2 ** int(math.log2(chain.sizes.max())), math.inf
    while scale:
        value, moves = _best_moves(chain.ends, hits, scale)
        if value < before * (1 - SAME):
            hits, before = hits + scale * moves, value
        else:
            scale //= 2
    assert chain.slope is not None
    ways = _n_ways(chain.ends, hits)
    return chain.slope * before, ways - float(log_binomial(n, m))


def _best_moves(stops: _Ints, hits: _Ints, scale: int) -> tuple[float, _Ints]:
    """Least sum of gains if some hits more or less are above each end, and how many.

    The least sums from one end to the next are joined in pairs, and pairs of these.
    """
    around = hits[:, None] + scale * np.arange(-_MOVES, _MOVES + 1)
    best, levels = np.concatenate([gain for gain, _, _ in _gains(stops, around)]), []
    while best.shape[0] > 1:
        last = best[best.shape[0] & ~1 :]  # has no partner
        onwards = best[1::2].transpose(0, 2, 1)
        joined = best[:-1:2, :, None, :] + onwards[:, None, :, :]
        middle = joined.argmin(axis=-1)
        levels.append(middle)
        joined = np.take_along_axis(joined, middle[..., None], axis=-1)[..., 0]
        best = np.append(joined, last, axis=0)
    place = np.array([_MOVES, _MOVES])  # nothing moves at both ends
    for level in reversed(levels):
        index = np.arange(level.shape[0])
        middle = level[index, place[index], place[index + 1]]
        place = np.insert(place, index + 1, middle)
    return float(best[0, _MOVES, _MOVES]), place - _MOVES


def _n_ways(stops: _Ints, hits: _Ints) -> float:
    """Logarithm of the number of ways to have the least value.

    They are connected, hit by hit, so that there is none beyond what none is near.
    """
    near, before = _NEAR, -math.inf
    while True:
        found = _n_ways_near(stops, hits, near)
        if math.isclose(found, before, rel_tol=1e-12):
            return found
        near, before = 2 * near, found


def _n_ways_near(stops: _Ints, hits: _Ints, near: int) -> float:
    """Count the ways within some hits of one of them."""
    around = hits[:, None] + np.arange(-near, near + 1)
    value = np.where(around[0] == 0, 0.0, np.inf)
    ways = np.where(around[0] == 0, 0.0, -np.inf)
    for gains, inside, size in _gains(stops, around):
        more = log_binomial(size, np.clip(inside, 0, size))
        for gain, count in zip(gains, more, strict=True):
            reached = value[:, None] + gain
            value = reached.min(axis=0)
            least = reached <= value * (1 + SAME)
            ways = np.logaddexp.reduce(
                np.where(least, ways[:, None] + count, -np.inf), axis=0
            )
    return float(ways[near])


def _gains(stops: _Ints, hits: _Ints) -> Iterator[tuple[_Floats, _Ints, _Ints]]:
    """Gains of ties, from hits above them to those after; infinity if impossible.

    `hits` are those considered at the top and after each tie. With the gains come the
    hits inside the ties, and the sizes of these.
    """
    sizes = np.diff(stops, prepend=0)
    for first in range(0, stops.size, _TOGETHER):
        part = slice(first, first + _TOGETHER)
        stop, size = stops[part, None, None], sizes[part, None, None]
        before, after = hits[:-1][part, :, None], hits[1:][part, None, :]
        inside = after - before
        possible = (inside >= 0) & (inside <= size)
        yield np.where(possible, inside * (after / stop), np.inf), inside, size


def extreme(chain: Chain, sign: int) -> tuple[float, float]:
    """Largest value (or least, with sign -1) and the logarithm of its probability.

    Exact if an extreme ranking has the hits in a block first, or last.
    """
    inside = "optimistic" if sign > 0 else "pessimistic"
    value, mass = np.zeros(1), np.zeros(1)
    settled = chain.merged & (chain.measure.counted_hits is None)
    for step, alone in zip(chain.steps(inside=inside), settled, strict=False):
        reached = skew(sign * step.gain + value, step, -np.inf)
        count = 0.0 if alone else step.logcount[:, None]
        ways = skew(mass + count + 0 * step.gain, step, -np.inf)
        value, mass = _best(reached, ways)
    final = _final_values(chain, value, sign)
    mass = mass + chain.terminal.logweight
    offset = abs(chain.measure.offset(chain.frame))
    top, logmass = _best(final.reshape(-1, 1), mass.reshape(-1, 1), offset)
    return sign * float(top[0]), float(logmass[0])


def _final_values(chain: Chain, best: _Floats, sign: int) -> _Floats:
    """Values of the ranking from the largest sums of gains, -inf where impossible."""
    terminal = chain.terminal
    final = sign * (terminal.slope * (sign * best) + terminal.intercept)
    return np.where(terminal.logweight > -np.inf, final, -np.inf)


def _best(
    value: _Floats, logweight: _Floats, scale: float = 0.0
) -> tuple[_Floats, _Floats]:
    """Maximum of each column, and the joint weight of all cells that reach it.

    But for rounding, which moves a value in proportion to it, or to a larger `scale`: a
    value that is taken for the end may be as far from others that are.
    """
    top = value.max(axis=0)
    with np.errstate(invalid="ignore"):  # where nothing leads
        level = ~(value < top - 2 * SAME * np.maximum(np.abs(top), scale))
    logweight = np.where(level, logweight, -np.inf)
    most = np.maximum(logweight.max(axis=0), -1e300)  # finite, where nothing leads
    with np.errstate(divide="ignore"):
        return top, most + np.log(np.exp(logweight - most).sum(axis=0))
