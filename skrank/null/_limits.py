"""Proven bounds of a tail, which no answer of an engine may leave.

Above stands the inequality of Cantelli (1929, *Atti del Congresso Internazionale dei
Matematici* 6, 47-60): with the exact mean and variance, P(S >= mean + d) is at most
``variance / (variance + d**2)``; and that of Chernoff (1952, *Annals of Mathematical
Statistics* 23, 493-507), P(X >= 0) <= E exp(u X) for any u > 0.

Where all rankings with h hits or more among the first T items are less extreme, p is at
most the chance of fewer, and where all with h or fewer are, that of more. Chances from
h on fall faster than a geometric series, since those of a hypergeometric distribution
are log-concave, so that their sum is at most ``p_h / (1 - p_{h+1} / p_h)`` (Johnson,
Kemp and Kotz 2005, *Univariate Discrete Distributions*, chapter 6, have the ratio).

Below stand the chance of the end of the support, and that of a staircase of one step:
if all rankings with h hits among the first T items are as extreme as observed, p
is at least ``C(T, h) C(n - T, m - h) / C(n, m)``. The least extreme of them has its
hits as low as can be, above T and below, since every measure of constant slope grows
when a hit moves up. Only the "threshold" rule breaks this; average precision by it is
at least that of the worst order inside the ties.
"""

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.metrics._definitions import AveragePrecision
from skrank.null import _sampling
from skrank.null._centred import CentredSum, TailEvent, Term
from skrank.null._chain import MAX_BLOCK_HITS, Chain
from skrank.null._chances import log_binomial, log_chances_of_more
from skrank.null._steps import Step
from skrank.null._tilting import Way, total

_STEPS = 32  # depths of the staircase, from either end
_MOST_CELLS = 2**22  # of a pass; some tenths of a second
_MOST_TILTS = 16
_CANCELLED = 1e-14  # of a value, where nearly equal ones are taken from each other
_ITEMS = 2**21  # places of the rankings that are tried for one number of hits

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


class Limits(NamedTuple):
    """Logarithms of what p is at least, and at most."""

    lower: float
    upper: float

    def meet(self, lower: float, upper: float, slack: float) -> bool:
        """Whether what is between two logarithms may be, but for their own error."""
        return lower <= self.upper + slack and upper >= self.lower - slack


def cantelli(moments: tuple[float, float], statistic: float) -> float:
    """Most that the tail beyond a value can be which is on that side of the mean."""
    mean, variance = moments
    if statistic == mean:
        return 1.0
    return variance / (variance + (statistic - mean) ** 2)


def chernoff(event: TailEvent, enough: float) -> float:
    """Logarithm of the most that the tail can be, by tilts u > 0.

    Of ``exp(K(u))``, in blocks of far ranks whose hits count as much as they can; the
    tilt is doubled, or halved, while that helps, until the bound is as low as `enough`.
    To it comes the chance of more hits in a block than are followed. O(n_blocks * m *
    hits in a block) for each tilt; 0.0 where that is too much.
    """
    chains = [part.chain.coarse for part in event.parts]
    if any(chain.n_cells > _MOST_CELLS or chain.merged[-1] for chain in chains):
        return 0.0
    parts = event.on(chains).parts
    ways = [Way(part, _best_steps(part)) for part in parts]
    start = total(ways, 0.0)
    if start.slope >= 0 or start.curvature <= 0:
        return 0.0

    def bound(tilt: float) -> float:
        return total(ways, tilt).value + tilt * event.slack

    tilt = -start.slope / start.curvature
    best = bound(tilt)
    further = 2.0 if best < 0 else 0.5
    for _ in range(_MOST_TILTS - 1):
        if best <= enough:
            break
        tilt *= further
        before, best = best, min(best, bound(tilt))
        if best == before < 0:
            break
    crowded = sum(part.copies * _crowded(part.chain) for part in parts)
    return min(0.0, float(np.logaddexp(best, math.log(crowded + 1e-300))))


def _best_steps(part: CentredSum) -> list[Step]:
    inside = "optimistic" if part.scale > 0 else "pessimistic"
    return list(part.chain.steps(inside=inside, upwards=True))


def _crowded(chain: Chain) -> float:
    """Chance that a merged block holds more hits than are followed, at most."""
    more, row = log_chances_of_more(
        chain.n_samples, chain.n_targets, chain.sizes[:-1][chain.merged[:-1]]
    )
    last = min(MAX_BLOCK_HITS, chain.n_targets)
    return float(np.exp(more[row, last]).sum())


def staircase(chain: Chain, statistic: float, sign: int, slack: float) -> float:
    """Logarithm of the likeliest step all of whose lists are as extreme.

    O(64 * m * log(m)).
    """
    depths, hits = _steps(chain, statistic, sign, -slack / 2)
    return float(np.max(_log_chance(chain, depths, hits), initial=-np.inf))


def ceiling(
    terms: Sequence[Term],
    ends: Sequence[tuple[float, float]],
    statistic: float,
    sign: int,
    slack: float,
) -> float:
    """Logarithm of the most the tail can be, by the hits above one depth a ranking.

    `ends` are the most extreme values of the rankings, and their chances: what a
    ranking must reach is what is wanting where the others are there. O(64 * m * log(m))
    a ranking.
    """
    whole = sum(
        copies * w * end for (_, w, copies), (end, _) in zip(terms, ends, strict=True)
    )
    slack += _CANCELLED * abs(whole)
    log_p = 0.0
    for (chain, weight, copies), (end, _) in zip(terms, ends, strict=True):
        least = end + (statistic - whole) / weight
        log_p += copies * _list_ceiling(chain, least, sign, slack / weight)
    return log_p


def _list_ceiling(chain: Chain, statistic: float, sign: int, slack: float) -> float:
    n, m = chain.n_samples, chain.n_targets
    depths, hits = _steps(chain, statistic, -sign, 2 * slack)
    hits = hits + sign  # the first number that is not ruled out
    likely = (hits >= np.maximum(0, m - (n - depths))) & (hits <= np.minimum(m, depths))
    if not likely.all():
        return -math.inf
    misses = n - depths - (m - hits)
    falling = (m - hits) * (depths - hits) / ((hits + 1) * (misses + 1))
    rising = hits * misses / ((m - hits + 1) * (depths - hits + 1))
    ratio = np.minimum(falling if sign > 0 else rising, 1.0)
    with np.errstate(divide="ignore"):  # where more hits are likelier
        chance = _log_chance(chain, depths, hits) - np.log1p(-ratio)
    return float(np.min(chance, initial=0.0))


def _log_chance(chain: Chain, depths: _Ints, hits: _Ints) -> _Floats:
    """Logarithm of the chance of so many hits above a depth."""
    n, m = chain.n_samples, chain.n_targets
    ways = log_binomial(depths, hits) + log_binomial(n - depths, m - hits)
    return np.asarray(ways - log_binomial(n, m))


def _steps(
    chain: Chain, statistic: float, sign: int, margin: float
) -> tuple[_Ints, _Ints]:
    """Depths, and the hits there from which on all rankings are beyond, by a margin."""
    judged, n, m = _of_strict_order(chain, sign), chain.n_samples, chain.n_targets
    if judged is None or 2 * _STEPS * m > _ITEMS:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    depths = _depths(chain)
    fewest, most = np.maximum(0, m - (n - depths)), np.minimum(m, depths)
    low, high = np.zeros_like(depths), most - fewest + 1
    while np.any(low < high):  # more and more extreme numbers of hits, halved
        middle = (low + high) // 2
        hits = fewest + middle if sign > 0 else most - middle
        places = _places(n, m, depths, np.clip(hits, fewest, most), sign)
        values = _sampling.measure_lists(judged, places)
        enough = sign * (values - statistic) >= margin
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        high = np.maximum(low, high)
    found = low <= most - fewest
    hits = fewest + low if sign > 0 else most - low
    return depths[found], hits[found]


def _of_strict_order(chain: Chain, sign: int) -> Chain | None:
    """Return a chain whose values are no more extreme, and grow with every hit."""
    if chain.slope is None:
        return None
    if chain.untied or chain.measure.ties != "threshold":
        return chain
    if sign < 0 or not isinstance(chain.measure, AveragePrecision):
        return None
    judged = copy(chain)
    judged.measure = replace(chain.measure, ties="pessimistic")
    return judged


def _depths(chain: Chain) -> _Ints:
    """Ends of groups: near both ends of the ranking, and ever further from them."""
    n, ends = chain.n_samples, chain.ends[chain.ends < chain.n_samples]
    if ends.size == 0:
        return ends
    away = np.geomspace(1, n, _STEPS).astype(np.intp)
    wanted = np.union1d(away, n - away)
    return np.unique(ends[np.searchsorted(ends, np.clip(wanted, 1, ends[-1]))])


def _places(n: int, m: int, depths: _Ints, hits: _Ints, sign: int) -> _Ints:
    """Places of m hits, so many above each depth, as low as can be, or as high."""
    index, hits, depths = np.arange(m), hits[:, None], depths[:, None]
    if sign > 0:
        return np.where(index < hits, depths - hits + index, n - m + index)
    return np.where(index < hits, index, depths - hits + index)
