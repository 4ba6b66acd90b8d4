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
from skrank.null._excess import Cumulants, OutOfReachError, Question
from skrank.null._tilting import (
    Solution,
    Tilted,
    centre,
    normal_tail,
    total_cumulants,
)

_MOST_GROUPS = 256  # each of which costs every pass the same, however few its hits
_MOST_VISITS, _MOST_CELLS = 2**22, 2**21  # of all depths and hits; of a pass: .1 s
_MOST_CLOSING = 2**19  # of the last group, where ways to fill it are tabled
_TILTS = 2.0 ** (np.arange(-4, 5) / 2)  # times the one that centres the whole
_LEFT_OUT = 18.0  # logarithm of the bound of the tail, over those that are left out
_UNDERFLOW = 1e-300  # of a tilted chance, which is no less for a bound
_UNLIKELY = 10.0  # the same of what p is at least, over chances without a tilt

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


def solve(question: Question, log_least: float) -> Narrowed:
    """Find windows for a tail of at least so much, and the tilt within them.

    A dozen passes up chains without blocks, within windows that leave out what is
    unlikely without a tilt. O(n_groups * hits above * hits in a group) for each.
    """
    likely = [_likely(part.chain, log_least - _UNLIKELY) for part in question.parts]
    paths = _Paths.within(question, likely)
    start = paths.cumulants(0.0)
    tilt, _ = centre(paths.cumulants, start)
    windows, log_left_out = _narrowed(paths, likely, tilt)
    paths = _Paths.within(question, windows)
    tilt, found = centre(paths.cumulants, paths.cumulants(tilt), tilt)
    left_out = math.exp(min(log_left_out - normal_tail(tilt, found), 700.0))
    spread = math.sqrt(start.curvature)
    return Narrowed(question, question, tilt, found, spread, True, paths, left_out)


def _likely(chain: Chain, log_left_out: float) -> Windows:
    """Numbers of hits that are likely enough without a tilt, where they are few."""
    groups, m = chain.ends.size, chain.n_targets
    if (
        not 1 < groups <= _MOST_GROUPS
        or groups * m > _MOST_VISITS
        or chain.merged.any()
    ):
        raise OutOfReachError
    kept = log_chances(chain, chain.depths) > log_left_out - math.log(groups * m)
    least, most = kept.argmax(axis=1), m - kept[:, ::-1].argmax(axis=1)
    widest = np.minimum(chain.sizes[:-1], most[1:] - least[:-1])
    cells = (1 + widest) * (1 + most - least)[:-1]
    if cells.sum() > _MOST_CELLS or chain.closing_size[1] > _MOST_CLOSING:
        raise OutOfReachError
    return Windows(least, most, widest)


def _narrowed(
    paths: _Paths, windows: Sequence[Windows], tilt: float
) -> tuple[list[Windows], float]:
    """Leave out what is bounded far below the tail; and all that, as a logarithm."""
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
    return [narrow for narrow, _ in cuts], left_out


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
