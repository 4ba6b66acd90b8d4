"""Exact counting: all paths of the chain, or those that reach a value.

A path is the number of hits in each group that counts. Its probability is

    prod_j C(b_j, d_j) / C(n, m).

If there are few paths (short rankings, few targets, few tie groups, or a metric of the
top t only), the distribution is computed value by value. The distribution of the mean
over several rankings is a convolution. Near the ends of the support, few paths are as
extreme as the observed value in any ranking. These paths are followed from the top by
branch and bound: paths that cannot reach the value are dropped, and paths that cannot
miss it are added with all their C(n - T, m - H) continuations.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skrank._utils._combinatorics import log_binomial
from skrank.null._atoms import Atoms, first_hit_law
from skrank.null._chain import Chain
from skrank.null._lattice import BATCH_ITEMS, IMPOSSIBLE, Step
from skrank.null._sampling import measure_rankings
from skrank.null._tilted import Term

# Number of paths up to which a distribution is computed: half a second.
MOST_PATHS = 2**21
# Number of paths of all sums over rankings, as a multiple of those of the largest one:
# a second. Without this limit, recall at 10 over 1,000 days of 200 items takes 13 s
# instead of 1.4; with half of it, means over some hundred rankings are inverted that
# are now counted.
_MOST_ADDED = 8
# Number of groups up to which the paths near an end are followed, in loops over the
# groups: some tenths of a second. With 8,000, tails of (5000, 50) take 1.5 s longer.
_MOST_GROUPS = 2000
# Logarithm of the part of the largest probability that is still added. With half of it,
# p of a cutoff inside a tie has errors of 1e-9.
_FELT = 40.0

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


def distribution(terms: Sequence[Term], most_paths: int = MOST_PATHS) -> Atoms | None:
    """Distribution of the mean over rankings; None if there are too many paths."""
    total, added = Atoms(np.zeros(1), np.zeros(1), 0.0), 0
    if not all(is_feasible(term.chain, most_paths) for term in terms):
        return None
    for chain, weight, count in terms:
        one = _law(chain)
        for _ in range(count):
            size = total.value.size  # one before the first ranking
            n_paths = size * one.value.size
            added += n_paths
            if size > 1 and max(n_paths, added / _MOST_ADDED) > most_paths:
                return None
            total = one if size == weight == 1 else total.plus(one, weight)
    return total


def is_feasible(chain: Chain, most_paths: int = MOST_PATHS) -> bool:
    """Whether the distribution has at most `most_paths`; O(n_groups * m)."""
    m = chain.n_targets
    if chain.metric.counted_hits == 1:
        return True  # each path is a single step
    if chain.merged.any():
        return False
    if m == 1 or chain.ends.size > _MOST_GROUPS:
        return m == 1
    ways = np.eye(1, m + 1)[0]
    for end, size in zip(chain.ends.tolist(), chain.sizes.tolist(), strict=True):
        total = np.cumsum(ways)
        total[size + 1 :] -= np.cumsum(ways)[: -size - 1]
        ways = total
        ways[: max(0, m - (chain.stop - end))] = 0.0
        if ways.sum() > most_paths:  # all of them can be completed
            return False
    return True


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """Paths down to a group: numbers of hits, sums of gains, logarithms of weights."""

    hits: _Ints
    gain: _Floats
    logweight: _Floats

    def take(self, kept: NDArray[np.bool_]) -> "_Paths":
        """Return some of the paths."""
        return _Paths(self.hits[kept], self.gain[kept], self.logweight[kept])

    def onwards(self, step: Step) -> "_Paths":
        """Continue with all possible numbers of hits in the next group."""
        column = self.hits - step.above[0]
        ways = step.logcount[:, column]
        possible = ways > IMPOSSIBLE
        return _Paths(
            step.below[step.cell[:, column]][possible],
            (self.gain + step.gain[:, column])[possible],
            (self.logweight + ways)[possible],
        )


_FIRST = _Paths(np.zeros(1, dtype=np.intp), np.zeros(1), np.zeros(1))


def _law(chain: Chain) -> Atoms:
    """Follow all paths of one ranking."""
    if chain.metric.counted_hits == 1:
        return first_hit_law(chain)
    if chain.n_targets == 1:
        place = np.append(chain.depths, chain.n_samples - 1)
        n = chain.n_samples
        share = np.append(chain.sizes, n - chain.ends[-1]) / n
        value, possible = measure_rankings(chain, place[:, None]), share > 0
        return Atoms.of(value[possible], np.log(share[possible]), chain.scale)
    live, done = _FIRST, []
    for step in chain.steps(chain.possible(), down=True):
        moved = live.onwards(step)
        over = moved.hits == chain.n_targets  # the rest is determined
        done.append(moved.take(over))
        live = moved.take(~over)
    columns = zip(*((p.hits, p.gain, p.logweight) for p in (*done, live)), strict=True)
    paths = _Paths(*(np.concatenate(column) for column in columns))
    value, logchance = _finished(chain, paths)
    possible = logchance > -np.inf
    return Atoms.of(value[possible], logchance[possible], chain.scale)


def _finished(chain: Chain, paths: _Paths) -> tuple[_Floats, _Floats]:
    """Values and probabilities of paths down the body, over all continuations."""
    lattice = chain.possible()
    end, column = chain.last_group(lattice), paths.hits - lattice.least[-1]
    value = end.slope[:, column] * paths.gain + end.intercept[:, column]
    return value.ravel(), (end.logweight[:, column] + paths.logweight).ravel()


def extreme_tail(
    chain: Chain, statistic: float, sign: int, slack: float
) -> float | None:
    """Logarithm of P(value >= statistic), or <= with sign -1, from its paths only.

    None if too many paths are left between those that must and those that cannot reach
    it.
    """
    found = _extremes(chain, statistic, sign, slack, True)
    if found is None:
        return None
    return min(0.0, float(np.logaddexp.reduce(found[1], initial=-np.inf)))


def two_cells(chain: Chain, statistic: float, sign: int, slack: float) -> float:
    """Logarithm of P(value >= statistic), or <= with sign -1, for a cutoff in a tie.

    Only the numbers of hits above the tie and in it count. For each number in it, those
    above it are added, from the first one that reaches the statistic to the last one
    that is felt.
    """
    assert chain.slope is not None
    m, (above, size), depth = chain.n_targets, chain.sizes.tolist(), int(chain.ends[-1])
    over, tied = np.arange(min(m, above) + 1)[::sign], np.arange(min(m, size) + 1)
    gain = sign * chain.slope * chain.gain(0, 0 * over, over)
    wanted = sign * (statistic - chain.metric.offset(chain.frame)) - slack
    wanted = wanted - sign * chain.slope * chain.gain(1, 0 * tied, tied)
    first = np.searchsorted(gain, wanted)
    ways, inside = log_binomial(above, over), log_binomial(size, tied)
    ways, over = np.append(ways, -np.inf), np.append(over, 0)  # an end
    below = chain.log_left(depth, np.arange(over.size + tied.size)) - chain.log_total

    def logchance(place: _Ints, row: _Ints) -> _Floats:
        place = np.minimum(place, over.size - 1)
        found: _Floats = ways[place] + inside[row] + below[over[place] + tied[row]]
        return found

    # the likeliest number above a tie, given that in it
    mode = (above + 1) * (m - tied + 1) // (chain.n_samples - size + 2)
    likeliest = np.maximum(first, mode if sign > 0 else over.size - 2 - mode)
    top = logchance(likeliest, np.arange(tied.size))
    peak, total = float(top.max()), 0.0
    row = np.flatnonzero(top > peak - _FELT)
    place = first[row]
    while row.size:
        index = place[:, None] + np.arange(1 + BATCH_ITEMS // row.size)
        found = logchance(index, row[:, None])
        total += float(np.exp(found - peak).sum())
        last = index[:, -1]
        kept = (found[:, -1] > peak - _FELT) | (last < likeliest[row])
        row, place = row[kept], last[kept] + 1
    return min(0.0, peak + math.log(total))


def mean_tail(
    terms: Sequence[Term],
    ends: Sequence[float],
    statistic: float,
    sign: int,
    slack: float,
) -> float | None:
    """Logarithm of P(mean >= statistic), or <= with sign -1, over several rankings.

    For each ranking, only those values count that the ends of all others can complete.
    The rankings are added up in two halves. For each value of one half, the probability
    that the other half has at least the remainder is looked up. None if a half has too
    many values.
    """
    pairs = list(zip(terms, ends, strict=True))
    room = sum(t.copies * t.weight * end for t, end in pairs) - statistic
    halves = [Atoms(np.zeros(1), np.zeros(1), 0.0)] * 2
    for (chain, weight, copies), end in pairs:
        law = _law(chain) if is_feasible(chain) else None
        if law is None:
            found = _extremes(chain, end - room / weight, sign, slack / weight, False)
            if found is None:
                return None
            value, logchance = found
            kept = logchance > -np.inf
            law = Atoms.of(value[kept], logchance[kept], chain.scale)
        for _ in range(copies):
            fewer, more = sorted(halves, key=lambda half: half.value.size)
            if fewer.value.size > 1 and fewer.value.size * law.value.size > MOST_PATHS:
                return None
            halves = [fewer.plus(law, weight), more]
    one, other = (half if sign > 0 else half.mirrored() for half in halves)
    # for the other half, the probabilities of at least each of its values
    reached = np.logaddexp.accumulate(np.append(-np.inf, other.logchance[::-1]))
    wanting = sign * statistic - slack - one.value
    count = other.value.size - np.searchsorted(other.value, wanting)
    log_p = np.logaddexp.reduce(one.logchance + reached[count], initial=-np.inf)
    return min(0.0, float(log_p))


def _extremes(
    chain: Chain, statistic: float, sign: int, slack: float, settle: bool
) -> tuple[_Floats, _Floats] | None:
    """Values as extreme, and the logarithms of their probabilities.

    With `settle`, paths that must reach the statistic are combined, and have no values
    of their own.
    """
    lattice, slope = chain.possible(), chain.slope
    if slope is None or chain.merged.any() or not chain.is_short:
        return None
    if chain.ends.size > _MOST_GROUPS:
        return None
    # smallest and largest rest after each group, by the number of hits
    bounds = [list(_to_come(chain, slope, side))[-2::-1] for side in (-1, 1)]
    found, live, followed = [], _FIRST, 0
    for row, step in enumerate(chain.steps(lattice, down=True)):
        if live.hits.size * len(step.hits) > MOST_PATHS:
            return None
        live = live.onwards(step)
        followed += live.hits.size
        if followed > MOST_PATHS / 8:
            return None
        column = live.hits - step.below[0]
        ends = [slope * live.gain + side[row][column] for side in bounds]
        worst, best = (sign * (end - statistic) for end in ends[::sign])
        sure, lost = (worst >= -slack) & settle, best < -slack
        settled = live.take(sure)
        left = chain.log_left(int(chain.ends[row]), settled.hits) - chain.log_total
        found.append((0 * left, settled.logweight + left))
        live = live.take(~sure & ~lost)
        if live.hits.size == 0:
            break
    value, logchance = _finished(chain, live)
    reaches = sign * (value - statistic) >= -slack
    found.append((value[reaches], logchance[reaches]))
    values, logchances = (np.concatenate(part) for part in zip(*found, strict=True))
    return values, logchances


def _to_come(chain: Chain, slope: float, sign: int) -> Iterator[_Floats]:
    """Largest (or smallest) rest by the hits after each group, from the last one up."""
    lattice = chain.possible()
    end = chain.last_group(lattice)
    last = np.where(end.logweight > -np.inf, sign * end.intercept, -np.inf)
    value = last.max(axis=0)
    yield sign * value
    for step in chain.steps(lattice):
        rest = np.where(step.logcount > IMPOSSIBLE, value[step.cell], -np.inf)
        value = (sign * slope * step.gain + rest).max(axis=0)
        yield sign * value
