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
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

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
Ranks = tuple[NDArray[np.intp], NDArray[np.intp]]

# Exchanges that are evaluated together, and rows in a block: its coins fill the cache.
# For 1e4 and 1e5 items these were within 3 % of the fastest of 25 pairs of sizes. Half
# of both takes 10 % longer, and blocks of 4096 rows up to 50 %.
_DRAWS, _BLOCK = 256, 1 << 10


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

    def ranks(self) -> list[Ranks]:
        """Return the smallest and the largest rank of the tie of each item."""
        found = []
        for score in self.y_scores:
            _, tie, size = np.unique(score, return_inverse=True, return_counts=True)
            end = np.cumsum(size)
            found.append(((end - size + 1)[tie], end[tie]))
        return found

    def standings_by_rank(self, ranks: list[Ranks]) -> Standings:
        """Return the same on one common axis of ranks; O(n log n).

        The rank of an item is the middle of its tie, so an exchange of the two ranks of
        an item changes nothing if the rankings agree.
        """
        targets, middles = self.targets, [(low + high) / 2 for low, high in ranks]
        levels = np.union1d(middles[0][targets], middles[1][targets])
        a, b = (standing(one, targets, levels) for one in middles)
        return a, b

    def units(self, ranks: list[Ranks]) -> NDArray[np.intp]:
        """Number the items, with one number for a block of a single target.

        Blocks are the smallest sets of items that hold the same range of ranks in both
        rankings; a tie holds all its ranks. O(n log n).
        """
        (low_a, high_a), (low_b, high_b) = ranks
        low, high = np.minimum(low_a, low_b), np.maximum(high_a, high_b)
        # the last rank of the items that begin at a rank, or before it
        reach = np.zeros(low.size + 1, dtype=np.intp)
        np.maximum.at(reach, low, high)
        reach = np.maximum.accumulate(reach)
        starts = np.arange(1, low.size + 1) > reach[:-1]
        block = np.cumsum(starts)[low - 1] - 1
        first = np.full(low.size, low.size)
        np.minimum.at(first, block, np.arange(low.size))
        single = np.bincount(block[self.targets], minlength=low.size)[block] == 1
        return np.where(single, first[block], np.arange(low.size))

    def bootstrap(self, metric: AnyMetric) -> Engine:
        """Return a bootstrap of the differences of the values; O(n) for each draw."""
        frames = [resampled_frame(metric, ranking) for ranking in self.rankings]
        return partial(_bootstrap, metric, self.standings(), frames)

    def swaps(self, metric: AnyMetric, codes: Codes | None = None) -> "Swaps":
        """Return the exchanges of the ranks of each item or block, or each cluster."""
        frame, ranks = resampled_frame(metric, self.a), self.ranks()
        a, b = self.standings_by_rank(ranks)
        units = self.units(ranks) if codes is None else codes
        of_targets, of_others = units[self.targets], np.delete(units, self.targets)
        moved = a.places != b.places
        at, to, of_moved = a.places[moved], b.places[moved], of_others[moved]
        # non-targets that are units, and have the same places, are alike
        held = np.bincount(of_others, minlength=units.size)
        alone = held[of_moved] == 1
        alone &= ~np.isin(of_moved, of_targets)
        # the first stays also if it changes nothing, so that there is one
        changing = np.r_[units[:1], of_moved[~alone], of_targets[a.levels != b.levels]]
        changing = np.unique(changing)
        kinds, first, n_alike = np.unique(
            at[alone] * a.n_places + to[alone], return_index=True, return_counts=True
        )
        # the same order of B and A
        order = np.argsort(first)
        kinds, n_alike = kinds[order], n_alike[order]
        # a row of coins is for one unit, or for eight that are alike
        n_rows = -(-n_alike // 8)
        kind = np.repeat(np.arange(kinds.size), n_rows)
        rest = np.arange(kind.size) - np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
        n_coins = np.minimum(n_alike[kind] - 8 * rest, 8)
        n_coins = np.r_[np.ones(changing.size, n_coins.dtype), n_coins]
        from_place, to_place = np.divmod(kinds[kind], a.n_places)
        row = np.r_[
            np.searchsorted(changing, of_moved[~alone]),
            changing.size + np.arange(kind.size),
        ]
        places = np.r_[at[~alone], from_place, to[~alone], to_place]
        moves = np.repeat(np.array([1, -1], np.int32), row.size)
        shape = a.n_places, n_coins.size
        change = csc_array((moves, (places, np.tile(row, 2))), shape=shape)
        blocks = []
        for start in range(0, n_coins.size, _BLOCK):
            block = change[:, start : start + _BLOCK].tocsr()
            largest = int((abs(block) @ n_coins[start : start + _BLOCK]).max())
            blocks.append(block.astype(np.min_scalar_type(-largest - 1)))
        of_target = np.minimum(np.searchsorted(changing, of_targets), changing.size - 1)
        tallies = _tally(a), _tally(b)
        levels = a.levels, b.levels
        return Swaps(
            metric, frame, levels, of_target, tallies, blocks, n_coins, changing.size
        )


@dataclass(frozen=True, slots=True, eq=False)
class Swaps:
    """Exchanges of the ranks of A and B; differences of the values, O(n) each.

    Called with a number and a generator, it exchanges each unit, an item, a block or a
    cluster, with probability 1/2. Units whose exchange changes nothing are left out.
    The coins of a unit, or of up to eight items that are alike, are a row: `units` is
    the row of each target, `n_coins` the coins of each, and `blocks` have the change of
    the number of non-targets on each place by a coin of each row.
    """

    metric: AnyMetric
    frame: Frame
    levels: tuple[NDArray[np.intp], NDArray[np.intp]]
    units: NDArray[np.intp]
    tallies: tuple[NDArray[np.intp], NDArray[np.intp]]
    blocks: list[Any]
    n_coins: NDArray[np.intp]
    n_single: int

    @property
    def n_units(self) -> int:
        """Number of units whose exchange changes the rankings."""
        return int(self.n_coins.sum())

    def __call__(self, n_rankings: int, rng: np.random.Generator) -> Floats:
        """Return differences after so many random exchanges."""
        sizes = [block.shape[1] for block in self.blocks]
        found = []
        for start in range(0, n_rankings, _DRAWS):
            coins = (
                rng.integers(2**64, size=(rows, _DRAWS // 8), dtype=np.uint64)
                for rows in sizes
            )
            draws = min(_DRAWS, n_rankings - start)
            found.append(self.exchange(one.view(np.uint8)[:, :draws] for one in coins))
        return np.concatenate(found)

    def all(self) -> Floats:
        """Return the differences after all exchanges."""
        ways = np.arange(1 << self.n_units)
        before = np.cumsum(self.n_coins) - self.n_coins
        return self.exchange([(ways >> before[:, None]).astype(np.uint8)])

    def exchange(self, coins: Iterable[NDArray[np.uint8]]) -> Floats:
        """Return differences; blocks have a byte of coins for each row and exchange."""
        masks = ((1 << self.n_coins) - 1).astype(np.uint8)[:, None]
        start, change, of_units = 0, np.zeros((1, 1), np.int32), []
        for block, thrown in zip(self.blocks, coins, strict=True):
            heads = thrown & masks[start : start + len(thrown)]
            of_units.append(heads[: max(self.n_single - start, 0)].astype(bool))
            _count_bits(heads)
            number = heads.view(np.int8).astype(block.dtype, copy=False)
            change = change + block @ number
            start += len(thrown)
        target = np.concatenate(of_units)[self.units].T
        tally_a, tally_b = self.tallies
        others, both = tally_b + np.ascontiguousarray(change.T), tally_a + tally_b
        a, b = self.levels
        first, differences = 0, []
        for size in batches(len(others), both.size):
            heads, of_a = target[first : first + size], others[first : first + size]
            first += size
            levels = np.concatenate([np.where(heads, a, b), np.where(heads, b, a)])
            counts = np.concatenate([of_a, both - of_a])
            values = values_of_draws(self.metric, levels, counts, self.frame)
            differences.append(values[:size] - values[size:])
        return np.concatenate(differences)


def _count_bits(byte: NDArray[np.uint8]) -> None:
    """Replace each byte by the number of its bits; NumPy 2.0 has a function for it."""
    half = byte >> 1
    half &= 0x55
    byte -= half
    np.right_shift(byte, 2, out=half)
    half &= 0x33
    byte &= 0x33
    byte += half
    np.right_shift(byte, 4, out=half)
    byte += half
    byte &= 0x0F


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
