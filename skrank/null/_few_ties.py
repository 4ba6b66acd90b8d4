"""Hits of few groups that are summed, where their hits decide the value.

If few ties have most of the hits, the sum of gains is nearly on a lattice, and its
characteristic function increases again beyond the frequencies that are followed. The
tail is then the sum

    P(S >= s) = sum over d_1, d_2, ... of prod_j C(b_j, d_j) / C(n, m)

over the numbers of hits with a value of at least s, as far as they are likely in the
tilted distribution. The hits of the last group that is free are added up for each
number of hits above it, from the easiest to the hardest, so that a sum of gains above
it finds the probability to reach s by bisection.

If there are too many numbers of hits above the last group, only every h-th in each
group is followed. The sum above it then needs a whole number of hits where s needs a
fraction. This rounding differs from cell to cell, like a uniform random number, and its
error is that of a mean of independent numbers. Two sums that are shifted by half a
stride show an error that is not independent.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null._chain import Chain, log_binomial
from skrank.null._lattice import BATCH_ITEMS, Lattice, positive
from skrank.null._tilted import Part
from skrank.null._walk import Path

# Least number of strides across the likely hits of a group: one in a deviation.
_FEWEST = 20

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


class _Cells(NamedTuple):
    """Cells above the last free group: hits, sum of gains, logarithm of weights."""

    hits: _Ints
    gain: _Floats
    logweight: _Floats


def tail(part: Part, chain: Chain, path: Path, slack: float) -> tuple[float, float]:
    """Logarithm of P(value >= statistic), or <= with sign -1, and its relative error.

    The hits are within those of a `path`; O(BATCH_ITEMS) cells.
    """
    lattice = path.lattice(chain, math.inf)
    # if all items count, the last group has the hits that are left
    n_above = chain.ends.size - 1 - chain.is_whole
    widths = (lattice.widest - lattice.fewest + 1)[:n_above]
    stride = _strides(widths)
    shifts = [np.zeros_like(stride)]
    if stride.max(initial=1) > 1:
        shifts.append(stride // 2)
    found = []
    for shift in shifts:
        cells = _above(chain, lattice, stride, shift)
        found.append(_reaching(part, chain, lattice, slack, cells))
    sums, errors = np.transpose(found)
    log_p = float(np.logaddexp.reduce(sums)) - math.log(sums.size)
    positive(math.isfinite(log_p))
    if sums.size == 1:
        return min(0.0, log_p), 0.0
    apart = float(np.abs(np.diff(np.exp(sums - log_p)))[0]) / 2
    return min(0.0, log_p), max(apart, float(errors.max()))


def _strides(widths: _Ints) -> _Ints:
    """Strides by which all groups together have at most `BATCH_ITEMS` cells."""
    left, count = math.log(BATCH_ITEMS), widths.size
    for width in np.sort(widths).tolist():
        most = int(math.exp(left / count))  # for this group, and for all wider ones
        if width > most:
            positive(most - _FEWEST)
            return -(-widths // most)
        left, count = left - math.log(width), count - 1
    return np.ones_like(widths)


def _above(chain: Chain, lattice: Lattice, stride: _Ints, shift: _Ints) -> _Cells:
    """Follow all groups above the last free one."""
    cells = _Cells(np.zeros(1, dtype=np.intp), np.zeros(1), np.zeros(1))
    for j, (step, start) in enumerate(zip(stride.tolist(), shift.tolist(), strict=True)):
        size, m = int(chain.sizes[j]), chain.n_targets
        first, last = int(lattice.fewest[j]), int(lattice.widest[j])
        inside = np.arange(first + start, last + 1, step)[:, None]
        hits = cells.hits + inside
        gain = cells.gain + chain.gain(j, cells.hits, inside)
        ways = cells.logweight + log_binomial(size, inside) + math.log(step)
        kept = (hits >= lattice.least[j + 1]) & (hits <= lattice.most[j + 1])
        cells = _Cells(hits[kept], gain[kept], ways[kept])
        positive(cells.hits.size)
    return cells


def _reaching(
    part: Part, chain: Chain, lattice: Lattice, slack: float, cells: _Cells
) -> tuple[float, float]:
    """Logarithm of the weight of the cells that reach the value, and its error."""
    order = np.argsort(cells.hits, kind="stable")
    cells = _Cells(*(column[order] for column in cells))
    rows, begins = np.unique(cells.hits, return_index=True)
    ends = np.append(begins[1:], cells.hits.size)
    log_p = np.full(cells.hits.size, -np.inf)
    jump = log_p.copy()
    for hits, begin, end in zip(rows.tolist(), begins.tolist(), ends.tolist(), strict=True):
        needed, ways = _last(part, chain, lattice, slack, hits)
        order = np.argsort(part.sign * needed)
        ways, top = ways[order], float(ways.max())
        chance = np.exp(ways - top)
        enough = np.searchsorted(
            part.sign * needed[order], part.sign * cells.gain[begin:end], "right"
        )
        (reached,) = np.nonzero(enough)
        at, last = begin + reached, enough[reached] - 1
        with np.errstate(divide="ignore"):
            log_p[at] = cells.logweight[at] + top + np.log(np.cumsum(chance)[last])
        jump[at] = cells.logweight[at] + ways[last]
    total = float(np.logaddexp.reduce(log_p))
    positive(math.isfinite(total))
    error = math.sqrt(float((np.exp(jump - total) ** 2).sum()) / 12)
    return total, error


def _last(
    part: Part, chain: Chain, lattice: Lattice, slack: float, hits: int
) -> tuple[_Floats, _Floats]:
    """Sums of gains that the hits of the last free group need above it; their weights."""
    here = np.array([hits])
    statistic = part.statistic - part.sign * slack
    if not chain.is_whole:
        end = chain.last_group(_at(lattice, here, here))
        slope, intercept, ways = end.slope[:, 0], end.intercept[:, 0], end.logweight[:, 0]
        return (statistic - intercept) / slope, ways
    if chain.ends.size == 1:
        end = chain.last_group(lattice)
        return ((statistic - end.intercept) / end.slope)[:, 0], end.logweight[:, 0]
    j = chain.ends.size - 2
    inside = np.arange(int(lattice.fewest[j]), int(lattice.widest[j]) + 1)
    after = hits + inside
    inside = inside[(after >= lattice.least[-1]) & (after <= lattice.most[-1])]
    positive(inside.size)
    after = hits + inside
    end = chain.last_group(_at(lattice, after[:1], after[-1:]))
    row = 0 if end.slope.shape[0] == 1 else slice(None)
    needed = (statistic - end.intercept[0]) / end.slope[0] - chain.gain(j, here, inside)
    return needed, log_binomial(int(chain.sizes[j]), inside) + end.logweight[0]


def _at(lattice: Lattice, least: _Ints, most: _Ints) -> Lattice:
    """Return the lattice with some hits above the last group only."""
    return lattice._replace(
        least=np.append(lattice.least[:-1], least), most=np.append(lattice.most[:-1], most)
    )
