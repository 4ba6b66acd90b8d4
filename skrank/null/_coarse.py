"""Find the tilt on a coarse chain, and go on to one as fine as the p-value needs.

Finding the tilt needs no accuracy, so it is done on a coarse chain of a few dozen
blocks. That shows where the tilted hits stand, hence how fine the blocks must be for
the p-value to be right, and which numbers of hits can be left out.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from skrank.null._centred import (
    CentredSum,
    Cumulants,
    OutOfReachError,
    TailEvent,
    refine,
)
from skrank.null._chain import Chain
from skrank.null._steps import Windows
from skrank.null._tilting import (
    LEFT_OUT,
    MERGING,
    Solution,
    Tilted,
    Way,
    centre,
    total,
)

_BLOCK_HITS = 6.0  # on average, in a block of the fine chain
_GROWTH = (0.004, 0.2)  # of the blocks of the fine chain, at least and at most
_GROWTH_PER_TARGET = (
    1e-3  # the distribution of few targets is coarse: where each falls is seen
)
_MAX_FINER = 4  # chains that are tried, each with blocks half as wide
_INSIDE = 1e-9  # deviations from the best of coarse lists to be inside of them
_MISLED = 3.0, 0.03  # deviations of K', and part of K, that fine chains may change
_DEEP = (
    -4.0
)  # K of a ranking below which a left tail is asked of chains fine throughout
_FULL_CELLS = 2**20  # of a pass of the full chain, where it is preferred to blocks
_MOST_CELLS = 2**25  # of a pass of the one or the other; half a GiB

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Rough(Solution):
    """The tilt of rankings whose ways are those of coarse chains."""

    def tilted(self, tilt: float) -> tuple[list[Tilted], float]:
        """Tilt all rankings, on chains fine enough for their p-value."""
        return self._centred if tilt == self.tilt else self._refined(tilt)

    @property
    def is_right(self) -> bool:
        """Whether K and K' on fine chains are about those on the coarse ones."""
        lists, (value, slope, curvature) = self._centred[0], self.cumulants
        log_mgf = sum(one.centred.copies * one.log_mgf for one in lists)
        mean = sum(one.centred.copies * one.mean for one in lists)
        near = abs(mean - slope) <= _MISLED[0] * math.sqrt(curvature)
        return near and abs(log_mgf - value) <= 1 + _MISLED[1] * abs(value)

    @cached_property
    def _centred(self) -> tuple[list[Tilted], float]:
        return self._refined(self.tilt)

    def _refined(self, tilt: float) -> tuple[list[Tilted], float]:
        copies = [part.copies for part in self.event.parts]
        share = MERGING / sum(copies)
        pairs = zip(self.event.parts, self.ways, strict=True)
        found = [_refine(part, way.centred, tilt, share) for part, way in pairs]
        error = sum(n * gap for n, (_, gap) in zip(copies, found, strict=True))
        return [tilted for tilted, _ in found], error


def solve(event: TailEvent) -> Solution:
    """Find the tilt on coarse chains, or on finer ones where those do not reach.

    Lists that are nearly as good or as bad as can be have their targets at the very
    ends, which blocks, and windows drawn from blocks, do not resolve: there every
    number of hits is followed, on chains that are fine enough, or as they are.
    """
    above = all(part.sign > 0 for part in event.parts)
    ways = _all_steps(event, [part.chain.coarsest for part in event.parts])
    start = total(ways, 0.0)
    most = sum(way.centred.copies * way.most() for way in ways)
    if most > _INSIDE * math.sqrt(start.curvature):
        solution = _Rough(event, ways, *_centred(ways, start))
        lists = sum(part.copies for part in event.parts)
        deep = solution.cumulants.value <= _DEEP * lists
        if (above or not (solution.tilt > 0 and deep)) and solution.is_right:
            return solution
    chains = [part.chain for part in event.parts]
    whole = sum(chain.n_cells for chain in chains) <= _FULL_CELLS
    if not whole:
        chains = [chain.fine for chain in chains]
    if sum(chain.n_cells for chain in chains) > _MOST_CELLS:
        raise OutOfReachError
    if whole or not above:
        ways = [Way(part, part.chain.full_steps) for part in event.on(chains).parts]
        return Solution(event, ways, *_centred(ways, total(ways, 0.0)))
    ways = _all_steps(event, chains)
    solution = _Rough(event, ways, *_centred(ways, total(ways, 0.0)))
    if not solution.is_right:
        raise OutOfReachError
    return solution


def _all_steps(event: TailEvent, chains: Sequence[Chain]) -> list[Way]:
    return [Way(part, part.chain.likely_steps) for part in event.on(chains).parts]


def _centred(ways: Sequence[Way], start: Cumulants) -> tuple[float, Cumulants, float]:
    """Tilt, cumulants there, and the deviation without a tilt."""
    return *centre(partial(total, ways), start), math.sqrt(start.curvature)


def _refine(
    centred: CentredSum, coarse: CentredSum, tilt: float, merging: float
) -> tuple[Tilted, float]:
    """Tilt one ranking on a chain fine enough, within windows that hold its hits.

    Merging loses the variance of the gains inside the blocks, to a relative error of
    about tilt**2 * variance / 2 in p; the growth of the blocks keeps that to `merging`.
    Blocks half as wide lose a quarter, so that the difference tells what is lost still.
    """
    found = _whole(coarse, tilt)
    if not found.moves:
        return found, 0.0
    profile = _Profile(found)
    growth = math.sqrt(24 * merging / max(tilt**2 * profile.roughness(), 1e-12))
    widest = min(_GROWTH[1], _GROWTH_PER_TARGET * centred.chain.n_targets)
    growth = 2 * min(max(growth, _GROWTH[0]), max(widest, 0.01))
    return refine(_finer(centred, profile, tilt, growth, merging / 2), merging)


def _finer(
    centred: CentredSum, profile: "_Profile", tilt: float, growth: float, least: float
) -> Iterator[tuple[Tilted, float]]:
    """Tilt one ranking on chains with ever finer blocks, which lose `least` or more."""
    before = math.nan
    for _ in range(_MAX_FINER):
        chain = centred.chain.coarsen(growth, _BLOCK_HITS)
        steps = chain.steps(profile.windows(chain), upwards=True)
        found = Tilted(centred.on(chain), tilt, steps)
        if chain.ends.size == centred.chain.ends.size:
            yield found, 0.0
        lost = abs(found.log_mgf - before) / 3  # not known of the first
        yield found, math.inf if math.isnan(lost) else least + lost
        before, growth = found.log_mgf, growth / 2


def _whole(centred: CentredSum, tilt: float) -> Tilted:
    """Tilt one ranking with all that is possible."""
    return Tilted(centred, tilt, centred.chain.steps(upwards=True))


class _Profile:
    """Where the hits of a tilted coarse chain stand."""

    def __init__(self, tilted: Tilted) -> None:
        self.centred = tilted.centred
        self.depths = self.centred.chain.depths
        rows = [(0, 0.0, 0, 0)]
        for least, after, inside in tilted.marginals():
            kept = np.flatnonzero(after > LEFT_OUT)
            mean = least + after @ np.arange(after.size) / after.sum()
            widest = np.flatnonzero(inside > LEFT_OUT)[-1]
            rows.append((least + kept[0], mean, least + kept[-1], widest))
        self.least, self.mean, self.most, self.widest = np.array(rows, dtype=float).T

    def roughness(self) -> float:
        """Variance of the gains inside blocks that grow by 1, all blocks together."""
        chain = self.centred.chain
        start, stop = self.depths[:-1], self.depths[1:]
        far = start >= 5
        start, stop, above = start[far], stop[far], self.mean[:-1][far]
        ends = [
            chain.measure.gain(depth, 1, np.rint(above), 1, chain.frame)
            for depth in (start, stop - 1)
        ]
        change = self.centred.scale * (ends[0] - ends[1]) / np.log(stop / start)
        return float((np.diff(self.mean)[far] * change**2).sum())

    def windows(self, chain: Chain) -> Windows:
        """Numbers of hits to consider at the depths of a finer chain."""
        depths = chain.depths
        possible = chain.possible()
        least = np.interp(depths, self.depths, self.least)
        most = np.interp(depths, self.depths, self.most)
        # between two depths the hits vary by as much again as a bridge does
        inside = np.interp(depths, self.depths[1:], np.diff(self.mean))
        inside = np.maximum(inside, 0)  # rounding
        half = (most - least) / 2
        slack = 1 + np.sqrt(half**2 + 8 * inside) - half
        slack[np.isin(depths, self.depths)] = 0
        least, most = np.floor(least - slack), np.ceil(most + slack)
        widest = self._widest(depths)
        # hits do not become fewer
        least, most = (
            np.minimum.accumulate(least[::-1])[::-1],
            np.maximum.accumulate(most),
        )
        return Windows(
            np.maximum(possible.least, least.astype(np.intp)),
            np.minimum(possible.most, most.astype(np.intp)),
            np.minimum(possible.widest, widest.astype(np.intp)),
        )

    def _widest(self, depths: NDArray[np.intp]) -> _Floats:
        """Hits to consider in groups that are parts of the coarse chain's blocks."""
        first = np.searchsorted(self.depths, depths[:-1], side="right")
        last = np.searchsorted(self.depths, depths[1:])
        whole = self.widest[last] + self.widest[first] * (first < last)
        share = np.minimum(1.0, np.diff(depths) / np.diff(self.depths)[last - 1])
        part = share * whole
        part += 7 * np.sqrt(part * (1 - share)) + 6 * (share < 1)
        return np.asarray(np.minimum(np.ceil(part), whole))
