"""Windows that hold the paths which make out a tail, and no others.

For any tilt u >= 0 the chance of a path through h hits at one depth whose excess E is
not negative is bounded by Chernoff's inequality (1952, *Annals of Mathematical
Statistics* 23, 493-507) for that path alone,

    P(H = h, E >= 0) <= E[exp(u E) 1{H = h}] = exp(K(u)) * P_u(H = h)

with P_u the tilted law. The least of these over some tilts, added up over the h at one
depth, bounds the tail; an h whose bound is far below that is left out.

A law tilted as a whole may have two humps on both sides of the observed value, as where
a tie on top counts the more the more hits it holds: neither is part of the tail, one is
too low and one too rare. Without the paths of either, a single hump is left.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null._chain import Chain, Step, Windows, log_chances
from skrank.null._excess import Cumulants, OutOfReachError, Question, window
from skrank.null._tilting import (
    Solution,
    Tilted,
    centre,
    normal_tail,
    total_cumulants,
)

_MOST_GROUPS = 256  # each of which costs every pass the same, however few its hits
_MOST_VISITS = 2**22  # numbers of hits at all depths
_FEW_CELLS, _MOST_CELLS = 2**20, 2**22  # of a pass: up to .1 s, and half a second
_MOST_CLOSING = 2**19  # of the last group, where ways to fill it are tabled
_TILTS = 2.0 ** (np.arange(-4, 5) / 2)  # times the one that centres the whole
_LEFT_OUT = 18.0  # logarithm of the bound of the tail, over those that are left out
_UNDERFLOW = 1e-300  # of a tilted chance, which is no less for a bound
_FIRST, _DEEPER = -40.0, 3.0  # chances that are left out at first, if cells are many

_Floats = NDArray[np.float64]


class _Paths(NamedTuple):
    """The ways up all lists, within windows."""

    question: Question
    ways: list[list[Step]]

    @classmethod
    def within(cls, question: Question, windows: Sequence[Windows]) -> "_Paths":
        """Return the ways up chains without blocks."""
        pairs = zip(question.parts, windows, strict=True)
        return cls(question, [list(p.chain.steps(w, upwards=True)) for p, w in pairs])

    def most(self) -> float:
        """Largest excess."""
        total = 0.0
        for part, steps in zip(self.question.parts, self.ways, strict=True):
            end = part.final(steps)
            value = np.where(end.logweight > -np.inf, end.excess, -np.inf).max(axis=0)
            for step in steps:
                ahead = window(step, value, -np.inf)
                value = (part.scale * step.gain + ahead).max(axis=0)
            total += part.copies * float(value[0])
        return total

    def cumulants(self, tilt: float) -> Cumulants:
        """Cumulants of the sum of the lists."""
        return total_cumulants(self.question.parts, self.ways, tilt)

    def tilted(self, tilt: float) -> list[Tilted]:
        """Tilt all lists."""
        pairs = zip(self.question.parts, self.ways, strict=True)
        return [Tilted(part, tilt, steps) for part, steps in pairs]

    def log_bounds(self, tilt: float) -> list[_Floats]:
        """Bounds of each list: over the hits after a group, those in it, and so on."""
        lists, parts = self.tilted(tilt), self.question.parts
        pairs = zip(parts, lists, strict=True)
        whole = sum(part.copies * one.log_mgf for part, one in pairs)
        rows = ([c for _, *both in one.marginals() for c in both] for one in lists)
        chances = (np.maximum(np.concatenate(row), _UNDERFLOW) for row in rows)
        return [whole + np.log(chance) for chance in chances]


@dataclass(frozen=True, slots=True, eq=False)
class Narrowed(Solution):
    """The tilt of lists within windows; `left_out` is relative to the tail."""

    paths: _Paths
    left_out: float

    def at(self, tilt: float) -> Cumulants:
        """Cumulants at another tilt."""
        return self.paths.cumulants(tilt)

    def tilted(self, tilt: float) -> tuple[list[Tilted], float]:
        """Tilt all parts, within the windows."""
        return self.paths.tilted(tilt), self.left_out


def solve(question: Question, log_bounds: tuple[float, float]) -> Narrowed:
    """Find windows for a tail between two bounds, and the tilt within them.

    A dozen passes up chains without blocks, within windows that leave out what is
    unlikely without a tilt: as much as can be, if the tail is not as unlikely.
    O(n_groups * hits above * hits in a group) for each.
    """
    least = log_bounds[0] - _LEFT_OUT
    few = (
        _n_cells([_likely(part.chain, least) for part in question.parts]) <= _FEW_CELLS
    )
    floor = least if few else max(min(_FIRST, log_bounds[1] - 2 * _LEFT_OUT), least)
    while True:
        found, most = _within(question, floor)
        if found is not None and floor <= max(most - _LEFT_OUT, least):
            return found
        if floor == least:
            raise OutOfReachError
        floor = max(least, _DEEPER * floor if found is None else most - 2 * _LEFT_OUT)


def _within(question: Question, floor: float) -> tuple[Narrowed | None, float]:
    """Find the tilt, all being left out that is so unlikely; and bound the tail.

    None where nothing that is left is as extreme.
    """
    likely = [_likely(part.chain, floor) for part in question.parts]
    if _n_cells(likely) > _MOST_CELLS:
        raise OutOfReachError
    paths = _Paths.within(question, likely)
    if paths.most() < 0:
        return None, 0.0
    start = paths.cumulants(0.0)
    try:
        tilt, _ = centre(paths.cumulants, start)
        most, windows, log_left_out = _narrowed(paths, likely, tilt)
        paths = _Paths.within(question, windows)
        tilt, found = centre(paths.cumulants, paths.cumulants(tilt), tilt)
    except OutOfReachError:
        return None, 0.0
    log_left_out = float(np.logaddexp(log_left_out, floor))
    left_out = math.exp(min(log_left_out - normal_tail(tilt, found), 700.0))
    spread = math.sqrt(start.curvature)
    args = question, question, tilt, found, spread, True, paths, left_out
    return Narrowed(*args), most


def _likely(chain: Chain, floor: float) -> Windows:
    """Numbers of hits that are likely enough without a tilt, where they are few."""
    groups, m = chain.ends.size, chain.n_targets
    many = not 1 < groups <= _MOST_GROUPS or groups * m > _MOST_VISITS
    if many or chain.merged.any() or chain.closing_size[1] > _MOST_CLOSING:
        raise OutOfReachError
    floor -= math.log(2 * groups * m)
    kept = log_chances(chain, chain.depths) > floor
    least, most = kept.argmax(axis=1), m - kept[:, ::-1].argmax(axis=1)
    inside = log_chances(chain, chain.sizes[:-1]) > floor
    widest = np.minimum(m - inside[:, ::-1].argmax(axis=1), most[1:] - least[:-1])
    return Windows(least, most, widest)


def _n_cells(windows: Sequence[Windows]) -> int:
    """Cells of a pass up all lists."""
    return sum(
        int(((1 + widest) * (1 + most - least)[:-1]).sum())
        for least, most, widest in windows
    )


def _narrowed(
    paths: _Paths, windows: Sequence[Windows], tilt: float
) -> tuple[float, list[Windows], float]:
    """Bound the tail, leave out what is bounded far below, and say how much that is.

    All but the windows are logarithms.
    """
    tilts = [0.0, *(_TILTS * tilt)] if tilt > 0 else [0.0]
    bounds = zip(*map(paths.log_bounds, tilts), strict=True)
    lists = [
        np.split(reduce(np.minimum, alike), _starts(steps))
        for alike, steps in zip(bounds, paths.ways, strict=True)
    ]
    most = min(_log_sum(row) for rows in lists for row in rows)
    floor = most - _LEFT_OUT
    cuts = [_cut(*one, floor) for one in zip(windows, lists, strict=True)]
    copies = np.array([part.copies for part in paths.question.parts])
    left_out = _log_sum(np.log(copies) + [outside for _, outside in cuts])
    return most, [narrow for narrow, _ in cuts], left_out


def _starts(steps: Sequence[Step]) -> NDArray[np.intp]:
    """Where the rows of bounds begin, but the first one."""
    sizes = [
        (step.next_most - step.next_least + 1, step.gain.shape[0])
        for step in reversed(steps)
    ]
    return np.cumsum(sizes)[:-1]


def _cut(
    windows: Windows, rows: Sequence[_Floats], floor: float
) -> tuple[Windows, float]:
    """Leave out numbers of hits that are bounded so far down; and the sum of these."""
    least, most, widest = (part.copy() for part in windows)
    left_out = [-np.inf]
    for index, (after, inside) in enumerate(zip(rows[::2], rows[1::2], strict=True)):
        kept, wide = np.flatnonzero(after > floor), np.flatnonzero(inside > floor)[-1]
        most[index + 1] = least[index + 1] + kept[-1]
        least[index + 1] += kept[0]
        widest[index] = wide
        left_out += [*after[: kept[0]], *after[kept[-1] + 1 :], *inside[wide + 1 :]]
    return Windows(least, most, widest), _log_sum(np.array(left_out))


def _log_sum(logchance: _Floats) -> float:
    return float(np.logaddexp.reduce(logchance, initial=-np.inf))
