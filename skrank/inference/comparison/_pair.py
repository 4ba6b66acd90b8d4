"""Difference of two rankings of the same items: its standard error and distribution.

Each item has a level or a place in both rankings (see `Standing`). The influences of an
item on both rankings are paired, a bootstrap resample draws an item for both rankings,
and the permutation test (Yeh 2000) exchanges the two ranks of an item.

Two nearly equal rankings differ in blocks: items that share a range of ranks in both,
such as two neighbours in another order. The exchange of one of two neighbours makes a
tie, and a difference that the models would not have. All items of a block with a single
target are therefore exchanged together, which makes two other rankings of the models.
In a block of several targets, each item is exchanged, as one coin for all of them has
no power: the only block of unrelated rankings holds all items.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from scipy.stats import rankdata

from skrank._utils._rounding import ROUNDING
from skrank.inference.comparison._pvalues import PairedResult
from skrank.inference.variability._changes import shared_targets
from skrank.inference.variability._clusters import Codes
from skrank.inference.variability._resampling import (
    Engine,
    Floats,
    batches,
    resampled_frame,
    values_of_draws,
)
from skrank.inference.variability._sample import is_certain
from skrank.metrics._definitions import AnyMetric, Frame
from skrank.ranking._ranking import Ranking
from skrank.ranking._standing import Standing, standing

# Targets from which "auto" is the jackknife: all pairs of 8 rankings of 1e5 items then
# take a second in place of a minute. With 100 targets its size is .045 to .053 at .05,
# and .007 to .014 at .01 (benchmarks/size_of_comparison.py). Nothing breaks with half
# of them: with 60 targets it is .041 to .053, and .003 to .011.
MANY_TARGETS = 100

Standings = tuple[Standing, Standing]

# Exchanges that are evaluated together, and items in a block: one coin for each fills
# the cache. For 1e5 items and 400 places this was the fastest of five pairs of sizes,
# from 512 items and 4000 draws to 8192 and 256; the others took 15 to 40 % longer.
_DRAWS, _BLOCK = 512, 1 << 11


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Rankings A and B. Methods that need single items require them in memory."""

    a: Ranking
    b: Ranking

    @property
    def rankings(self) -> tuple[Ranking, Ranking]:
        """Both rankings."""
        return self.a, self.b

    @property
    def targets(self) -> NDArray[np.intp]:
        """Positions of the targets, the same in both."""
        return shared_targets(self.rankings)

    @property
    def y_scores(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Scores of the items."""
        a, b = (one.items.y_score for one in self.rankings)
        return a, b

    def is_certain(self, metric: AnyMetric) -> bool:
        """Whether the values are equal in every sample."""
        return all(is_certain(metric, ranking) for ranking in self.rankings)

    @property
    def is_of_items(self) -> bool:
        """Whether both rank the same items, which are in memory."""
        a, b = (getattr(one.items, "targets", None) for one in self.rankings)
        if a is None or b is None or self.a.n_samples != self.b.n_samples:
            return False
        return np.array_equal(a, b)

    def standings(self) -> Standings:
        """Return the levels and places of the items in both rankings; O(n log m)."""
        targets = self.targets
        a, b = (
            standing(score, targets, np.unique(score[targets]))
            for score in self.y_scores
        )
        return a, b

    def standings_by_rank(self) -> Standings:
        """Return the same on one common axis of ranks; O(n log n).

        The rank of an item is the middle of its tie, so an exchange of the two ranks of
        an item changes nothing if the rankings agree.
        """
        targets, ranks = self.targets, [rankdata(score) for score in self.y_scores]
        levels = np.union1d(ranks[0][targets], ranks[1][targets])
        a, b = (standing(one, targets, levels) for one in ranks)
        return a, b

    def units(self) -> NDArray[np.intp]:
        """Number the items, with one number for a block of a single target.

        Blocks are the smallest sets of items that hold the same range of ranks in both
        rankings; a tie holds all its ranks. O(n log n).
        """
        ranks = [(rankdata(one, "min"), rankdata(one, "max")) for one in self.y_scores]
        (low_a, high_a), (low_b, high_b) = ranks
        low, high = np.minimum(low_a, low_b), np.maximum(high_a, high_b)
        order = np.argsort(low, kind="stable")
        reach = np.maximum.accumulate(high[order])
        block = np.empty(low.size, dtype=np.intp)
        block[order] = np.cumsum(np.r_[False, low[order][1:] > reach[:-1]])
        first = np.empty(low.size, dtype=np.intp)
        first[block[order[::-1]]] = order[::-1]  # of each block, in place of its number
        single = np.bincount(block[self.targets], minlength=low.size)[block] == 1
        return np.where(single, first[block], np.arange(low.size))

    def bootstrap(self, metric: AnyMetric) -> Engine:
        """Return a bootstrap of the differences of the values; O(n) for each draw."""
        frames = [resampled_frame(metric, ranking) for ranking in self.rankings]
        return partial(_bootstrap, metric, self.standings(), frames)

    def swaps(self, metric: AnyMetric, codes: Codes | None = None) -> "Swaps":
        """Return the exchanges of the ranks of each item or block, or each cluster."""
        frame, (a, b) = resampled_frame(metric, self.a), self.standings_by_rank()
        units = self.units() if codes is None else codes
        of_targets, of_others = units[self.targets], np.delete(units, self.targets)
        places, moved = np.stack([a.places, b.places]), a.places != b.places
        # the first stays also if it changes nothing, so that there is one
        changing = np.r_[units[:1], of_others[moved], of_targets[a.levels != b.levels]]
        changing = np.unique(changing)
        at = np.minimum(np.searchsorted(changing, of_targets), changing.size - 1)
        moves = np.repeat(np.array([[1], [-1]], np.int32), moved.sum(), axis=1)
        of_moved = np.tile(np.searchsorted(changing, of_others[moved]), 2)
        shape = a.n_places, changing.size
        change = csc_array(
            (moves.ravel(), (places[:, moved].ravel(), of_moved)), shape=shape
        )
        blocks = []
        for start in range(0, changing.size, _BLOCK):
            block = change[:, start : start + _BLOCK].tocsr()
            largest = int(abs(block).sum(axis=1).max())
            blocks.append(block.astype(np.min_scalar_type(-largest - 1)))
        tallies = _tally(a), _tally(b)
        return Swaps(metric, frame, (a.levels, b.levels), at, tallies, blocks)


@dataclass(frozen=True, slots=True, eq=False)
class Swaps:
    """Exchanges of the ranks of A and B; differences of the values, O(n) each.

    Called with a number and a generator, it exchanges each unit, an item, a block or a
    cluster, with probability 1/2. Units whose exchange changes nothing are left out.
    `units` is the unit of each target, and `blocks` has the change of the number of
    non-targets on each place by the exchange of each unit.
    """

    metric: AnyMetric
    frame: Frame
    levels: tuple[NDArray[np.intp], NDArray[np.intp]]
    units: NDArray[np.intp]
    tallies: tuple[NDArray[np.intp], NDArray[np.intp]]
    blocks: list[Any]

    @property
    def n_units(self) -> int:
        """Number of units whose exchange changes the rankings."""
        return sum(block.shape[1] for block in self.blocks)

    def __call__(self, n_rankings: int, rng: np.random.Generator) -> Floats:
        """Return differences after so many random exchanges."""
        found = []
        # at most 64 MB of bits
        draws = max(8, min(_DRAWS, (1 << 29) // self.n_units // 8 * 8))
        for start in range(0, n_rankings, draws):
            size = min(draws, n_rankings - start)
            shape = self.n_units, -(-size // 8)
            found.append(self.exchange(rng.integers(256, size=shape, dtype=np.uint8)))
        return np.concatenate([one[:draws] for one in found])[:n_rankings]

    def all(self) -> Floats:
        """Return the differences after all exchanges."""
        ways = np.arange(1 << self.n_units)
        coins = (ways >> np.arange(self.n_units)[:, None]) & 1
        return self.exchange(np.packbits(coins, axis=1))[: ways.size]

    def exchange(self, bits: NDArray[np.uint8]) -> Floats:
        """Return differences; the units have rows of `bits`, eight exchanges a byte."""
        tally_a, tally_b = self.tallies
        change = np.zeros((tally_a.size, 8 * bits.shape[1]), np.int32)
        start = 0
        for block in self.blocks:
            coins = np.unpackbits(bits[start : start + block.shape[1]], axis=1)
            change += block @ coins.view(np.int8).astype(block.dtype, copy=False)
            start += block.shape[1]
        target = np.unpackbits(bits[self.units], axis=1).astype(bool).T
        others, both = tally_b + np.ascontiguousarray(change.T), tally_a + tally_b
        a, b = self.levels
        first, differences = 0, []
        for size in batches(len(others), both.size):
            part = slice(first, first + size)
            first += size
            value_a, value_b = (
                values_of_draws(self.metric, levels, counts, self.frame)
                for levels, counts in (
                    (np.where(target[part], a, b), others[part]),
                    (np.where(target[part], b, a), both - others[part]),
                )
            )
            differences.append(value_a - value_b)
        return np.concatenate(differences)


def _bootstrap(
    metric: AnyMetric,
    standings: Standings,
    frames: list[Frame],
    n_rankings: int,
    rng: np.random.Generator,
) -> Floats:
    a, b = standings
    m, n_non_targets = a.levels.size, a.places.size
    differences = []
    for size in batches(n_rankings, a.n_places + b.n_places):
        targets = rng.integers(m, size=(size, m))
        draws = (rng.integers(n_non_targets, size=n_non_targets) for _ in range(size))
        counts = [(_tally(a, drawn), _tally(b, drawn)) for drawn in draws]
        value_a, value_b = (
            values_of_draws(metric, items.levels[targets], np.stack(others), frame)
            for frame, items, others in zip(
                frames, standings, zip(*counts, strict=True), strict=True
            )
        )
        differences.append(value_a - value_b)
    return np.concatenate(differences)


def _tally(items: Standing, drawn: Any = slice(None)) -> NDArray[np.intp]:
    """Count the drawn non-targets on each place."""
    return np.bincount(items.places[drawn], minlength=items.n_places)


def count_swaps(
    difference: float,
    draws: Floats,
    alternative: str,
    scale: float,
    *,
    every: bool,
    error: tuple[float, float],
) -> PairedResult:
    """P-value by permutation, and z-score by the root mean square of the draws.

    The p-value is (C + 1) / (B + 1), or C / B if the B draws are all permutations. A
    permutation that changes nothing is as extreme as the observed difference. `scale`
    is the value of a perfect ranking, and `error` the standard error with its degrees
    of freedom, which another method has estimated.
    """
    slack = ROUNDING * scale
    spread = float(np.sqrt(np.mean(draws**2)))
    extreme = {
        "greater": draws >= difference - slack,
        "less": draws <= difference + slack,
        "two-sided": np.abs(draws) >= abs(difference) - slack,
    }[alternative]
    observed = 0 if every else 1
    count = np.count_nonzero(extreme) + observed
    log_p = math.log(count / (draws.size + observed))
    z = difference / spread if spread > slack else math.nan
    if difference == 0:  # also if no permutation changes the difference
        z = 0.0
    standard_error, freedom = error if error[0] > slack else (math.nan, math.inf)
    is_limit = bool(not every and count == 1)
    return PairedResult(standard_error, z, log_p, math.nan, freedom, is_limit)
