"""Hits of one tie that are summed, where they decide the value.

A large tie may have most of the variance of E. If the rest varies by less than the gain
of a few hits of the tie, E is nearly on a lattice of this gain. Its characteristic
function then increases again, far beyond the frequencies that are followed. The numbers
a of hits above the tie and d in it are therefore summed. With A items above the tie of
b items, which ends at depth T,

    P(E >= 0) = sum over a, d of P(a, d) P(E >= 0 | a, d),
    P(a, d) = C(A, a) C(b, d) C(n - T, m - a - d) / C(n, m).

For most d the question is decided, because the rest is eight deviations or more away
from the value that it needs. The few others are inverted together.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null import _inversion
from skrank.null._chain import Chain, log_binomial
from skrank.null._lattice import OutOfReachError
from skrank.null._tilted import FirstHitWay
from skrank.null._walk import Solution, normal_tail

# Least variance of the hits that are summed. Those of smaller ties are all followed.
_WIDE = 16
# Largest numbers of hits above the tie, and of undecided hits in it. With more of
# these, the rest hides the steps of the tie.
_FEW_ABOVE, _UNDECIDED = 24, 24
_SURE = 8.0  # deviations of the rest
_FELT = 0.01  # part of the variance of E
_INTERPOLATED = 0.1  # error of a mean between two strides, in gains of a hit
_LEFT_OUT = 1e-9  # probability of hits above the tie that are left out
_CERTAIN = 1e-6  # relative error of the sum

_Floats = NDArray[np.float64]


class _Given(NamedTuple):
    """E by the hits above the end of a tie: its means, and deviations of the rest."""

    hits: NDArray[np.intp]
    mean: _Floats
    deviation: _Floats


def tail(solution: Solution, slack: float) -> tuple[float, float] | None:
    """Logarithm of P(E >= 0), and its relative error; None if no tie decides."""
    (tilted,) = solution.lists
    j = _deciding(solution)
    if j is None:
        return None
    # E is the difference of two values, divided by the slope
    slack /= float(np.abs(tilted.way.end.slope).max())
    chain, move = tilted.way.chain, tilted.moves[j]
    above = tilted.way.lattice.above(j)[move.above > _LEFT_OUT]
    if above.size > _FEW_ABOVE or np.any(np.diff(above) > 1):
        return None
    found, rough = [], normal_tail(solution.tilt, solution.at(solution.tilt))
    for a in above.tolist():
        one = _with_above(solution, j, a, slack, rough)
        if one is None:
            return None
        found.append(one)
    found.append((_beyond_fence(tilted.way.part.sign, chain, j), 0.0))
    logs, errors = np.array(found).T
    log_p = float(np.logaddexp.reduce(logs))
    if math.isinf(log_p):
        return None
    error = float(np.exp(logs - log_p) @ errors)
    return log_p, error + _CERTAIN


def _deciding(solution: Solution) -> int | None:
    """Return the only wide tie, if few items are above it, and its hits vary."""
    (tilted,) = solution.lists
    if isinstance(tilted.way, FirstHitWay):
        return None
    chain = tilted.way.chain
    tied = np.flatnonzero(~chain.merged & (chain.sizes > 1)).tolist()
    tied = [j for j in tied if j != chain.ends.size - 1]
    # other ties may have a second mode, which only the fence excludes
    if len(tied) != 1:
        return None
    j, move = tied[0], tilted.moves[tied[0]]
    felt = move.variance(move.gain) > _FELT * solution.found.curvature
    few = chain.depths[j] - chain.start < _FEW_ABOVE
    return j if felt and few and move.variance(tilted.hits(move)) > _WIDE else None


def _with_above(
    solution: Solution, j: int, a: int, slack: float, rough: float
) -> tuple[float, float] | None:
    """Logarithm of P(E >= 0, a hits above group j), and its relative error.

    None if many numbers of hits in the group are undecided. The logarithm of the sum
    over all a is nearly `rough`.
    """
    chain = solution.lists[0].way.chain
    some = solution.within(j, a)
    every, sign = min(chain.n_targets, a + int(chain.sizes[j])) + 1, 0
    for _ in range(2):  # between strides, then for each number of hits
        given = _given(some, j)
        if given.hits.size > 1 and not sign:
            signs = np.sign(np.diff(given.mean))
            sign = int(signs[0])
            if np.any(signs != sign):
                return None
        hits = np.arange(given.hits[0], given.hits[-1] + 1)
        mean = np.interp(hits, given.hits, given.mean) + slack
        reach = _SURE * np.interp(hits, given.hits, given.deviation)
        if hits.size > given.hits.size:
            reach += _INTERPOLATED * np.abs(np.gradient(mean))
        # E increases with the hits, or decreases: those beyond some are certain
        sure = int(np.sum(mean > reach))
        ends = (hits[-1] + 1 - sure, every) if sign > 0 else (a, hits[0] + sure)
        log_sure = _log_chance(chain, j, a, *ends)
        undecided = hits[np.abs(mean) <= reach]
        if undecided.size == 0:
            return log_sure, 0.0
        if undecided.size > _UNDECIDED:
            return None
        limits = int(undecided[0]), int(undecided[-1])
        some = solution.within(j, a, limits)
    try:
        if some.tilt * some.found.deviation < 0.5:  # too long a period, as in `solve`
            some = solution.within(j, a, limits, 0.5 / some.found.deviation)
        log_p, error = _inversion.tail(some, float(np.logaddexp(log_sure, rough - 1)))
    except OutOfReachError:  # somewhere between nothing and all of the undecided hits
        whole = _log_chance(chain, j, a, limits[0], limits[1] + 1)
        log_p, error = whole - math.log(2), 1.0
    whole = float(np.logaddexp(log_p, log_sure))
    return whole, error * math.exp(log_p - whole)


def _given(solution: Solution, j: int) -> _Given:
    """E by the hits above the end of group j, if those above the group are known."""
    (tilted,) = solution.lists
    chain, move, whole = tilted.way.chain, tilted.moves[j], tilted.cumulants
    assert move.step is not None
    joint, cell = move.joint[:, 0], move.step.cell[:, 0]
    below, variance = (later[cell] for later in move.later)
    mean = move.gain[:, 0] + below
    if chain.depths[j] > chain.start:  # the groups above have the rest of the moments
        mean = mean + whole.slope - joint @ mean
        explained = float(joint @ (variance + (mean - whole.slope) ** 2))
        variance = variance + max(0.0, whole.curvature - explained)
    kept = joint > 0
    return _Given(move.step.below[cell][kept], mean[kept], np.sqrt(variance[kept]))


def _beyond_fence(sign: int, chain: Chain, j: int) -> float:
    """Logarithm of the probability of hits above group j that the fence decides."""
    least, most = (int(x[j]) for x in chain.possible()[:2])
    depth = int(chain.depths[j])
    room = min(chain.n_targets, depth - chain.start)
    hits = np.arange(most + 1, room + 1) if sign > 0 else np.arange(least)
    ways = log_binomial(depth - chain.start, hits) + chain.log_left(depth, hits)
    return float(np.logaddexp.reduce(ways, initial=-np.inf)) - chain.log_total


def _log_chance(chain: Chain, j: int, a: int, least: int, stop: int) -> float:
    """Logarithm of P(a hits above group j, least <= hits above its end < stop)."""
    size, hits = int(chain.sizes[j]), np.arange(least, stop)
    ways = log_binomial(size, hits - a) + chain.log_left(int(chain.ends[j]), hits)
    over = log_binomial(int(chain.depths[j]) - chain.start, a) - chain.log_total
    return float(np.logaddexp.reduce(ways + over, initial=-np.inf))
