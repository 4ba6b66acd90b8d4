"""Mean and variance under random selection.

Average precision without ties, in full or down to a cutoff, has a closed form, O(1), or
O(m) where the divisor is the number of hits. So has any measure that is a sum over
targets and pairs of targets, O(n_groups). What is left takes one pass down the chain,
O(n_groups * m * hits in a group), or, where that takes seconds, one over some numbers
of hits, or in strides: the relative error of the mean is then below 1e-5, that of the
variance below 1e-3.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebval, chebvander
from numpy.typing import NDArray
from scipy.special import digamma, zeta
from scipy.stats import hypergeom

from skrank.metrics._definitions import AveragePrecision, AveragePrecisionAtK
from skrank.null import _levels
from skrank.null._centred import OutOfReachError
from skrank.null._chain import Chain
from skrank.null._chances import log_binomial
from skrank.null._steps import Step, Terminal
from skrank.ranking._ties import TieGroups

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]
# mean and variance of gains, by the hits above a depth
_ByHits = Callable[[_Ints], _Floats]
_MANY_CELLS = 2**24  # of a pass down the chain: some seconds
_STEP_CELLS = 2**11  # that take as long as what each step takes besides
_MANY_GROUPS = 2**13  # that take seconds one by one
MOST_CELLS = 2**30  # of a pass: some minutes
_DEVIATIONS, _FEW_HITS = 8, 20  # from the mean, beyond which no hits are looked for
_NUMBERS, _NODES = 64, 12  # of hits that are looked at, and from which to interpolate


def moments(chain: Chain) -> tuple[float, float]:
    """Mean and variance: exact but for rounding, and for strides in large rankings."""
    known = _closed(chain)
    if known is None:
        cells = chain.n_cells + chain.terminal_size[1] + _STEP_CELLS * chain.ends.size
        if cells <= _MANY_CELLS:
            known = chain_moments(chain)
    mean, variance = known or _strided(chain) or _given_hits(chain)
    # rounding alone, where ties allow one value only
    return mean, variance if variance > (1e-11 * mean) ** 2 else 0.0


def _closed(chain: Chain) -> tuple[float, float] | None:
    """Closed forms, O(n_groups + m) at most, where there are any."""
    if not (chain.untied and isinstance(chain.measure, AveragePrecision)):
        return pairwise_moments(chain) if chain.measure.pairwise else None
    n, m, cut = chain.n_samples, chain.n_targets, int(chain.frame.cut)
    if chain.slope is None:
        return _moments_over_hits(n, m, cut)
    mean, variance = _untied_moments(n, np.array([m]), cut)
    return chain.slope * float(mean[0]), chain.slope**2 * float(variance[0])


def _strided(chain: Chain) -> tuple[float, float] | None:
    """Moments of rankings of many groups, in strides."""
    if chain.ends.size <= _MANY_GROUPS or chain.slope is None or not chain.is_closable:
        return None
    try:
        return _levels.moments(chain)
    except OutOfReachError:
        return None


def _given_hits(chain: Chain) -> tuple[float, float]:
    """Moments from those of the gains given the hits above a group.

    They change smoothly from one number of hits to the next, so that some are enough.
    """
    depth, size = int(chain.depths[-1]), int(chain.sizes[-1])
    above = _likely_hits(chain, depth)[None]
    # sums over numbers evenly spaced of what changes evenly are those over all
    above = above[:, :: 1 + above.size // _NUMBERS]
    whole = chain.ends[-1] == chain.n_samples
    hits = chain.n_targets - above if whole else _likely_hits(chain, size)[:, None]
    mean, variance = _body_moments(chain)(above)
    terminal = chain.terminal_at(above, hits)
    return _closed_moments((log_binomial(depth, above), mean, variance), terminal)


def _likely_hits(chain: Chain, items: int) -> _Ints:
    """Numbers of hits among some items that are not next to impossible."""
    return _likely(chain.n_samples, chain.n_targets, items)


def _likely(n: int, m: int, items: int) -> _Ints:
    mean = m * items / n
    width = _DEVIATIONS * math.sqrt(mean * (1 - m / n)) + _FEW_HITS
    least = max(0, m - (n - items), math.floor(mean - width))
    most = min(m, items, math.ceil(mean + width))
    return np.arange(least, most + 1)


def _body_moments(chain: Chain) -> _ByHits:
    """Mean and variance of the gains above the last group, by the hits there."""
    measure, nodes = chain.measure, _nodes(chain, int(chain.depths[-1]))
    alone = AveragePrecision(ties=measure.ties)
    if not (isinstance(measure, AveragePrecisionAtK) and alone.pairwise):
        return _descended(chain)
    body = TieGroups(chain.ends[:-1], chain.merged[:-1])
    found = [
        moments(Chain(alone, body, hits)) if hits else (0.0, 0.0)
        for hits in nodes.tolist()
    ]
    means, variances = np.array(found).T
    return _interpolated(nodes, nodes * means, nodes**2 * variances)


def _descended(chain: Chain) -> _ByHits:
    """Go down group by group; O(n_groups * nodes * hits in a group)."""
    found = _interpolated(np.zeros(1), np.zeros(1), np.zeros(1))
    among = replace(chain.measure, ties="expected")  # items that are not tied
    groups = chain.depths[:-1], chain.sizes[:-1], chain.merged[:-1]
    for above, size, merged in zip(*(part.tolist() for part in groups), strict=True):
        measure = among if merged else chain.measure
        nodes = _nodes(chain, above + size)
        inside = [_likely(above + size, hits, size) for hits in nodes.tolist()]
        starts = np.cumsum([0, *(some.size for some in inside[:-1])])
        rows = np.repeat(np.arange(nodes.size), [some.size for some in inside])
        hits = np.concatenate(inside)
        before = nodes[rows] - hits
        chance = _chances(above, before, size, hits)
        chance /= np.add.reduceat(chance, starts)[rows]
        mean, variance = found(before)
        mean = mean + measure.gain(above, size, before, hits, chain.frame)
        centre = np.add.reduceat(chance * mean, starts)
        variance = variance + (mean - centre[rows]) ** 2
        found = _interpolated(nodes, centre, np.add.reduceat(chance * variance, starts))
    return found


def _chances(above: int, before: _Ints, size: int, hits: _Ints) -> _Floats:
    """Chances of hits in a group, given those at its end."""
    ways = log_binomial(above, before) + log_binomial(size, hits)
    return np.asarray(np.exp(ways - log_binomial(above + size, before + hits)))


def _nodes(chain: Chain, depth: int) -> _Ints:
    """Numbers of hits at a depth from which to interpolate, denser at their ends."""
    likely = _likely_hits(chain, depth)
    places = (1 - np.cos(np.linspace(0, math.pi, _NODES))) / 2
    return np.unique(np.rint(likely[0] + places * (likely.size - 1)).astype(np.intp))


def _interpolated(nodes: NDArray[Any], mean: _Floats, variance: _Floats) -> _ByHits:
    """Polynomials through the values at all nodes."""
    least, width = nodes[0], max(nodes[-1] - nodes[0], 1)

    def scaled(hits: Any) -> _Floats:
        return np.asarray(2 * (hits - least) / width - 1)

    values = np.stack([mean, variance], axis=1)
    factors = np.linalg.solve(chebvander(scaled(nodes), nodes.size - 1), values)

    def found(hits: _Ints) -> _Floats:
        return np.asarray(chebval(scaled(hits), factors))

    return found


def _moments_over_hits(n: int, m: int, cut: int) -> tuple[float, float]:
    """Moments of the mean precision of the hits above a cutoff: over their number."""
    hits = np.arange(min(m, cut) + 1)
    chance = hypergeom.pmf(hits, n, m, cut)
    mean, variance = (part[1:] for part in _untied_moments(cut, hits, cut))
    mean = np.append(0.0, mean / hits[1:])  # no hits, no precision
    variance = np.append(0.0, variance / hits[1:] ** 2)
    centre = float(chance @ mean)
    return centre, float(chance @ (variance + (mean - centre) ** 2))


def _untied_moments(n: int, m: _Ints, cut: int) -> tuple[_Floats, _Floats]:
    """Moments of the sum of h(t)/t over the hits down to the cutoff, for some m.

    The sum is one of products of labels over pairs of places, so its second moment
    needs the chances that 1 to 4 given places hold targets; D collects the terms of one
    hit, O those of two.
    """
    # chance of a further target at a place, given that 1, 2, 3 others hold one
    second, third, fourth = ((m - i) / max(n - i, 1) for i in (1, 2, 3))
    one = m / n
    h1 = float(np.euler_gamma + digamma(cut + 1))
    h2 = float(zeta(2) - zeta(2, cut + 1))
    mean = one * (h1 + second * (cut - h1))
    pairs = (h1**2 - h2) / 2
    single = one * (
        h2 + 3 * second * (h1 - h2) + second * third * (cut - 3 * h1 + 2 * h2)
    )
    double = 2 * pairs + third * (
        3 * (cut - h1)
        + (cut * h1 - cut - 5 * pairs)
        + fourth * (cut * (cut - 1) / 2 - 3 * (cut - h1) - (cut * h1 - cut) + 3 * pairs)
    )
    double = 2 * one * second * double
    return mean, np.maximum(0.0, single + double - mean**2)


def pairwise_moments(chain: Chain) -> tuple[float, float]:
    """Moments where a group of d hits below H others adds A d H + B d + C d (d - 1).

    The sum is one of weights over the items that are targets, B, and over their pairs:
    A of the lower one's group, or 2 C inside a group. Its second moment needs the
    chances that 1 to 4 given items are targets.
    """
    n, m = chain.n_samples, chain.n_targets
    # the items that do not count are a last group, of weight 0
    cross, item, inside = (np.append(part, 0.0) for part in chain.pair_weights)
    above = np.append(chain.depths, chain.ends[-1])
    size = np.diff(above, append=n).astype(float)
    level = 2 * inside * (size - 1)
    below = np.cumsum((cross * size)[::-1])[::-1] - cross * size
    # of the weights of pairs: sum over those with one item, over all, of squares
    row = cross * above + level + below
    pairs = float((size * (cross * above + level / 2)).sum())
    squares = float((size * (cross**2 * above + level * inside)).sum())
    touching = float((size * row**2).sum())
    one, two, three, four = np.cumprod([(m - i) / max(n - i, 1) for i in range(4)])
    mean = one * float((size * item).sum()) + two * pairs
    # the m targets share the mean out among them: the sum is then centred at zero
    item = item - mean / m
    items, item_squares = float((size * item).sum()), float((size * item**2).sum())
    both = float((size * item * row).sum())
    terms = [one * item_squares, two * (items**2 - item_squares)]
    terms += [2 * two * both, 2 * three * (items * pairs - both)]
    terms += [two * squares, three * (touching - 2 * squares)]
    terms += [four * (pairs**2 - touching + squares)]
    assert chain.slope is not None
    mean_value = chain.slope * mean + chain.measure.offset(chain.frame)
    # rounding alone, where ties allow one value only
    rounding = 1e-13 * sum(abs(term) for term in terms) + (1e-15 * mean) ** 2
    second = sum(terms)
    return mean_value, chain.slope**2 * second * (second > rounding)


def chain_moments(chain: Chain) -> tuple[float, float]:
    """Mean and variance, by a pass that carries both for each number of hits."""
    zero = np.zeros(1)
    state = zero, zero, zero
    for step in chain.steps():
        state = _go_on(state, step)
    return _closed_moments(state, chain.terminal)


def _closed_moments(
    state: tuple[_Floats, _Floats, _Floats], terminal: Terminal
) -> tuple[float, float]:
    """Moments of the values, given those of the gains by the hits above."""
    logweight, mean, variance = state
    chance = np.exp(logweight + terminal.logweight)
    chance /= chance.sum()
    mean = terminal.slope * mean + terminal.intercept
    centre = float((chance * mean).sum())
    spread = terminal.slope**2 * variance + (mean - centre) ** 2
    return centre, float((chance * spread).sum())


def _go_on(
    state: tuple[_Floats, _Floats, _Floats], step: Step
) -> tuple[_Floats, _Floats, _Floats]:
    """Merge, for each number of hits after a group, the ways that lead to it."""
    logweight = skew(state[0] + step.logcount[:, None], step, -np.inf)
    mean = skew(state[1] + step.gain, step, 0.0)
    spread = skew(state[2] + 0 * step.gain, step, 0.0)
    top = logweight.max(axis=0)
    share = np.exp(logweight - top)
    total = share.sum(axis=0)
    share /= total
    centre = (share * mean).sum(axis=0)
    spread = (share * (spread + (mean - centre) ** 2)).sum(axis=0)
    return top + np.log(total), centre, spread


def skew(table: _Floats, step: Step, fill: float) -> _Floats:
    """Lay the ways to as many hits after the group out over one column.

    Cell [d, H] goes to [d, H + d], or to [H, H + d] if there are fewer columns.
    """
    n_rows, n_cols = sorted(table.shape)
    table = table if table.shape[0] == n_rows else table.T
    last = step.next_most - step.least + 1
    width = max(n_cols + n_rows - 1, last)
    flat = np.full(n_rows * (width + 1), fill)
    flat.reshape(n_rows, width + 1)[:, :n_cols] = table
    first = step.next_least - step.least
    return flat[: n_rows * width].reshape(n_rows, width)[:, first:last]
