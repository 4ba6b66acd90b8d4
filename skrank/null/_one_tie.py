"""Tail probability of a ranking whose value is decided by the hits of one tie.

If a large tie near the top has most of the weight, the sum E is nearly on a lattice of
the gain of one of its hits. Its characteristic function then increases again where
these gains are in phase, far beyond the frequencies that are followed. The number H of
hits above the end of the tie, which is hypergeometric, is therefore summed:

    P(E >= 0) = sum over h of P(H = h) P(E >= 0 | H = h).

The rest is inverted with H = h, for numbers of hits at most one standard deviation of
the rest apart, until it is certain on one side, and not felt on the other one. Between
them the normal deviate of the probability is interpolated.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.special import log_ndtr, ndtri_exp

from skrank.null import _inversion
from skrank.null._chain import log_binomial
from skrank.null._lattice import OutOfReachError
from skrank.null._limits import Fence
from skrank.null._tilted import Part, Tilted, Way
from skrank.null._walk import MOSTLY, PER_DEVIATION, Solution, solve

# Largest variance of the rest with which E is nearly on a lattice, as a part of the
# square of the change of E by one stride of the hits.
_LUMPY = 0.4
_CERTAIN = 1e-6  # part of p that is not felt


class _Tie(NamedTuple):
    """Depth of the end of a tie, likely hits above it, and the stride of these.

    The variance of E is `single` for each unit of the variance of the hits.
    """

    depth: int
    hits: int
    stride: int
    single: float


def tail(
    part: Part, other: Part, solution: Solution, fence: Fence
) -> tuple[float, float] | None:
    """Logarithm of P(E >= 0), and its relative error; None if no tie decides.

    The `other` part is the event E < 0. Numbers of hits outside the fence are certain.
    """
    tie = _deciding(solution)
    if tie is None:
        return None
    chain, sign, hits = part.chain, part.sign, np.arange(part.chain.n_targets + 1)
    room = tie.depth - chain.start
    ways = log_binomial(room, np.minimum(hits, room)) - chain.log_total
    logchance = np.where(hits <= room, ways + chain.log_left(tie.depth, hits), -np.inf)

    def given(h: int, asked: Part) -> tuple[float, float]:
        """Logarithm of P(asked | H = h), and its error."""
        found = solve((replace(asked, chain=chain.pinned(tie.depth, h)),))
        log_p, error = _inversion.tail(found)
        return min(log_p - float(logchance[h]), -1e-16), error

    where = int(np.searchsorted(fence.depths, tie.depth))
    least, most = int(fence.fewest[where]), int(fence.most[where])
    known: dict[int, tuple[float, float]] = {}
    if least <= most:
        first = min(max(tie.hits, least), most)
        tilted = solution.lists[0].way.chain.pinned(tie.depth, first)
        assert solution.paths[0] is not None
        likely = Way(part, tilted, solution.paths[0].lattice(tilted, PER_DEVIATION))
        rest = Tilted(likely, solution.root).cumulants.curvature
        if rest > _LUMPY * tie.single * tie.stride**2:
            return None
        log_q, error = given(first, part)
        stride = max(1, int(math.sqrt(rest / tie.single)))
        known[first] = log_q, error
        if log_q > math.log(0.5):
            known[first] = _complement(*given(first, other))
        unfelt = float(logchance[first]) + log_q + math.log(_CERTAIN)
        for way, asked in ((sign, other), (-sign, part)):
            before, h = first, min(max(first + way * stride, least), most)
            while h != before:
                try:
                    log_q, error = given(h, asked)
                except OutOfReachError:  # certain
                    break
                known[h] = log_q, error
                if asked is other:
                    known[h] = _complement(log_q, error)
                if logchance[h] + log_q < unfelt:
                    break
                before, h = h, min(max(h + way * stride, least), most)
    edge = max((sign * h for h in known), default=sign * (most if sign > 0 else least))
    log_p, error = np.logaddexp.reduce(logchance[sign * hits > edge]), _CERTAIN
    if known:
        at = np.array(sorted(known))
        log_q, errors = np.array([known[h] for h in at.tolist()]).T
        # the deviate of a normal distribution is nearly linear in the hits
        deviate = make_interp_spline(at, ndtri_exp(log_q), min(3, at.size - 1))
        between = hits[at[0] : at[-1] + 1]
        each = logchance[between] + log_ndtr(deviate(between))
        log_p = np.logaddexp.reduce(np.append(each, log_p))
        error += float(np.exp(each - log_p) @ np.interp(between, at, errors))
    return float(log_p), error


def _complement(log_p: float, error: float) -> tuple[float, float]:
    """Logarithm of the other probability, and its relative error."""
    p = math.exp(log_p)
    return min(math.log1p(-p), -1e-16), error * p / (1 - p)


def _deciding(solution: Solution) -> _Tie | None:
    """Return the tie with most of the variance, if there is one near the top."""
    (tilted,) = solution.lists
    chain, lattice, moves = tilted.way.chain, tilted.way.lattice, tilted.moves
    wide = ~chain.merged & (chain.sizes > 1)
    near = np.flatnonzero(wide & (2 * chain.sizes > chain.ends - chain.start))
    some = [(moves[j].variance(moves[j].gain), int(j)) for j in near]
    most, j = max(some, default=(0.0, 0))
    curvature = solution.found.curvature
    if most <= MOSTLY * curvature:
        return None
    move, depth = moves[j], int(chain.ends[j])
    if move.step is not None:
        hits, chance = move.step.below, moves[j + 1].above
    elif chain.is_whole:  # the tie has all other hits
        hits, chance, depth = lattice.above(-1), move.above, int(chain.depths[j])
    else:
        hits, chance = tilted.hits(move) + lattice.above(-1), move.joint
    mean = float((chance * hits).sum())
    held = float((chance * (hits - mean) ** 2).sum())
    return _Tie(depth, round(mean), int(lattice.stride[j + 1]), curvature / held)
