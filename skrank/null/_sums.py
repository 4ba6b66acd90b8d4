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

Untied items between two ties are one group. The sum of gains varies with the order of
its hits, which is a normal variable here, at equally likely values. It must be small
beside the scale of the tilt.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from skrank._utils._combinatorics import log_binomial
from skrank.null._chain import Chain
from skrank.null._lattice import BATCH_ITEMS, MOST_CELLS, Lattice, Orders, require
from skrank.null._tilted import Part

#: Numbers of groups whose hits may be summed, and of untied items that stay single.
MOST_GROUPS, SHORT = 16, 10
# Least number of strides across the likely hits of a group: one in a deviation.
_FEWEST = 20
# Least and largest number of values of the orders of untied hits; their variance at the
# tilt up to which they are a normal variable: the third cumulant then changes p by up
# to 0.5 %.
_NODES, _SMALL = (8, 512), 0.1

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


class _Cells(NamedTuple):
    """Hits, sums of gains, their variance by orders, and logarithms of weights."""

    hits: _Ints
    gain: _Floats
    variance: _Floats
    logweight: _Floats

    def take(self, kept: Any) -> "_Cells":
        """Return some of the cells."""
        return _Cells(self.hits[kept], *(column[kept] for column in self[1:]))

    def with_orders(self) -> "_Cells":
        """Return the cells at equally likely values of a normal variable."""
        if not self.variance.any():
            return self
        count = int(np.clip(BATCH_ITEMS / 4 // self.hits.size, *_NODES))
        node = ndtri((np.arange(count) + 0.5) / count)[:, None]
        gain = self.gain + np.sqrt(self.variance) * (node / node.std())
        logweight = np.broadcast_to(self.logweight - math.log(count), gain.shape)
        hits = np.broadcast_to(self.hits, gain.shape)
        return _Cells(hits.ravel(), gain.ravel(), 0 * gain.ravel(), logweight.ravel())


def tail(
    part: Part, chain: Chain, lattice: Lattice, slack: float, tilt: float
) -> tuple[float, float]:
    """Logarithm of P(value >= statistic), or <= with sign -1, and its relative error.

    The hits are those of a lattice without strides; O(BATCH_ITEMS) cells.
    """
    # if all items count, the last group has the hits that are left
    stride = _strides(chain, lattice, max(0, chain.ends.size - 1 - chain.is_whole))
    is_strided = stride.max(initial=1) > 1
    found = []
    for shift in (0 * stride, stride // 2)[: 1 + is_strided]:
        cells = _above(chain, lattice, stride, shift)
        found.append(_reaching(part, chain, lattice, slack, cells, tilt))
    sums, jitter, orders = np.transpose(found)
    log_p = float(np.logaddexp.reduce(sums)) - math.log(sums.size)
    require(math.isfinite(log_p))
    apart = float(np.ptp(np.exp(sums - log_p))) / 2
    error = max(apart, float(jitter.max())) if is_strided else 0.0
    return min(0.0, log_p), error + float(orders.max())


def _strides(chain: Chain, lattice: Lattice, n_above: int) -> _Ints:
    """Strides by which all groups together have at most `BATCH_ITEMS` cells.

    Groups whose hits change the sum by more have the smaller strides.
    """
    widths = (lattice.widest - lattice.fewest + 1)[:n_above]
    hits = np.minimum((lattice.fewest + lattice.widest + 1) // 2, chain.sizes)
    stride, left = np.ones_like(widths), float(BATCH_ITEMS)
    least = np.minimum(widths, _FEWEST)
    felt = widths * np.abs([_change(chain, hits, j) for j in range(n_above)])
    for j in np.argsort(-felt).tolist():
        least[j] = 1  # of the groups to come
        room = left / math.prod(least.tolist())
        points = int(room)
        require(room > 1 and points >= min(widths[j], _FEWEST))
        stride[j] = -(-widths[j] // points)
        left /= -(-widths[j] // stride[j])
    return stride


def _change(chain: Chain, hits: _Ints, j: int) -> float:
    """Change of the sum of gains if a hit of the last group is in group j."""
    moved = hits.copy()
    moved[j] = min(hits[j] + 1, chain.sizes[j])
    moved[-1] = max(hits[-1] - 1, 0)
    gains = []
    for each in (moved, hits):
        above = np.cumsum(each) - each
        pairs = zip(above[:, None], each[:, None], strict=True)
        gains.append(
            sum(float(chain.gain(i, *pair)[0]) for i, pair in enumerate(pairs))
        )
    return gains[0] - gains[1]


def _variance(orders: Orders | None, shape: _Floats) -> _Floats:
    return 0.0 * shape + (0.0 if orders is None else orders.free * orders.single)


def _above(chain: Chain, lattice: Lattice, stride: _Ints, shift: _Ints) -> _Cells:
    """Follow all groups above the last free one."""
    none = np.zeros(1)
    cells = _Cells(none.astype(np.intp), none, none, none)
    for j, (step, start) in enumerate(
        zip(stride.tolist(), shift.tolist(), strict=True)
    ):
        first, last = int(lattice.fewest[j]), int(lattice.widest[j])
        inside = np.arange(first + start, last + 1, step)[:, None]
        hits = cells.hits + inside
        gain = cells.gain + chain.gain(j, cells.hits, inside)
        variance = _variance(chain.orders(j, cells.hits, inside), cells.variance + gain)
        variance = variance + cells.variance
        ways = log_binomial(int(chain.sizes[j]), inside) + math.log(step)
        kept = (hits >= lattice.least[j + 1]) & (hits <= lattice.most[j + 1])
        cells = _Cells(hits, gain, variance, cells.logweight + ways).take(kept)
        require(cells.hits.size > 0)
    return cells


def _reaching(
    part: Part, chain: Chain, lattice: Lattice, slack: float, cells: _Cells, tilt: float
) -> tuple[float, float, float]:
    """Logarithm of the weight of the cells that reach the value, and its errors."""
    noise, scale = float(cells.variance.max()), tilt**2 * part.scale**2 * 2
    require(scale * noise < _SMALL)
    cells = cells.with_orders()
    order = np.argsort(cells.hits, kind="stable")
    cells = cells.take(order)
    rows, begins = np.unique(cells.hits, return_index=True)
    width = (lattice.widest - lattice.fewest + 1)[max(-2, -chain.ends.size) :].min()
    require(rows.size * int(width) < MOST_CELLS)
    ends = np.append(begins[1:], cells.hits.size).tolist()
    log_p = np.full(cells.hits.size, -np.inf)
    jump = log_p.copy()
    for hits, begin, end in zip(rows.tolist(), begins.tolist(), ends, strict=True):
        last = _last(part, chain, lattice, slack, hits)
        if last.hits.size == 0:
            continue
        noise = max(noise, float(last.variance.max()))
        require(scale * noise < _SMALL)
        last = last.with_orders()
        order = np.argsort(part.sign * last.gain)
        needed, ways = part.sign * last.gain[order], last.logweight[order]
        top = float(ways.max())
        here = part.sign * cells.gain[begin:end]
        enough = np.searchsorted(needed, here, "right")
        (reached,) = np.nonzero(enough)
        at, index = begin + reached, enough[reached] - 1
        with np.errstate(divide="ignore"):
            chance = np.log(np.cumsum(np.exp(ways - top)))
        log_p[at] = cells.logweight[at] + top + chance[index]
        jump[at] = cells.logweight[at] + ways[index]
    total = float(np.logaddexp.reduce(log_p))
    require(math.isfinite(total))
    jitter = math.sqrt(float((np.exp(jump - total) ** 2).sum()) / 12)
    spread = scale * noise
    # the distribution function of a few hits differs from a normal one: by up to three
    # times as much with 4 to 10 untied hits, and by a tenth with 30
    few = 0.5 * math.sqrt(spread) / max(1.0, _inside(chain, lattice))
    return total, jitter, spread**1.5 / 6 + few


def _inside(chain: Chain, lattice: Lattice) -> float:
    """Likely hits in the untied group that has the most of them."""
    likely = (lattice.fewest + lattice.widest) / 2
    return float(likely[chain.merged].max(initial=0.0))


def _last(
    part: Part, chain: Chain, lattice: Lattice, slack: float, hits: int
) -> _Cells:
    """Sums of gains that the hits of the last free group need above it."""
    above, statistic = np.array([hits]), part.statistic - part.sign * slack
    if not chain.is_whole or chain.ends.size == 1:
        end = chain.last_group(_at(lattice, above, above))
        needed = (statistic - end.intercept) / end.slope
        variance = _variance(end.orders, needed)
        return _Cells(end.hits[:, 0], needed[:, 0], variance[:, 0], end.logweight[:, 0])
    j = chain.ends.size - 2
    inside = np.arange(int(lattice.fewest[j]), int(lattice.widest[j]) + 1)
    after = hits + inside
    inside = inside[(after >= lattice.least[-1]) & (after <= lattice.most[-1])]
    if inside.size == 0:
        return _Cells(inside, *(np.zeros(0),) * 3)
    end = chain.last_group(_at(lattice, hits + inside[:1], hits + inside[-1:]))
    needed = (statistic - end.intercept[0]) / end.slope[0] - chain.gain(
        j, above, inside
    )
    ways = log_binomial(int(chain.sizes[j]), inside) + end.logweight[0]
    variance = _variance(chain.orders(j, above, inside), needed)
    if end.orders is not None:
        variance = variance + (end.orders.free * end.orders.single)[0]
    return _Cells(inside, needed, variance, ways)


def _at(lattice: Lattice, least: _Ints, most: _Ints) -> Lattice:
    """Return the lattice with some hits above the last group only."""
    return lattice._replace(
        least=np.append(lattice.least[:-1], least),
        most=np.append(lattice.most[:-1], most),
    )
