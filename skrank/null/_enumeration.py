"""Engine "exact": every path of the chain, hence the exact distribution.

Feasible where the paths (the ways to spread m hits over the tie groups that count) are
few: short rankings, a handful of targets, few tie groups, or a measure that looks at
the top t alone. The distribution of a mean over several rankings is had by convolution.

Near the ends of the support few paths are as extreme, whatever the ranking. These are
counted without the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from skrank.null._centred import Tail, Term, best_to_come
from skrank.null._chain import Chain
from skrank.null._chances import log_binomial
from skrank.null._steps import Step

MAX_PATHS = 2**21
FEW_PATHS = 2**20  # a fraction of a second
_MAX_GROUPS = 20_000  # the pass is a loop over groups
FEW_COUNTED = 2**16  # paths followed, summed over the groups, to count extreme ones
MOST_COUNTED = 2**20
FEW_LISTED = 2**13  # paths of a ranking that is one of several
_MOST_CELLS = 2**22  # of the bounds that they are judged by, in tables
_SUMMED = 1000  # targets for which such a bound is a sum over them

_Floats = NDArray[np.float64]
# of a group and hits: the least and the largest value that may follow
ToCome = Callable[[int, NDArray[np.intp]], _Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """A discrete distribution: ascending values and the logarithms of their chances.

    Rounding moves a value in proportion to it, or to the `scale` where that is larger.
    """

    value: _Floats
    logchance: _Floats
    scale: float

    @classmethod
    def of(cls, value: _Floats, logchance: _Floats, scale: float) -> "Atoms":
        """Sort, and join values that differ by rounding alone."""
        order = np.argsort(value)
        value, logchance = value[order], logchance[order]
        gap = 1e-12 * np.maximum(np.abs(value), scale)
        first = np.flatnonzero(np.diff(value, prepend=-np.inf) > gap)
        return cls(value[first], np.logaddexp.reduceat(logchance, first), scale)

    def plus(self, other: "Atoms") -> "Atoms":
        """Distribution of the sum of two independent values."""
        value = self.value[:, None] + other.value
        logchance = self.logchance[:, None] + other.logchance
        scale = max(self.scale, other.scale)
        return Atoms.of(value.ravel(), logchance.ravel(), scale)

    def times(self, factor: float) -> "Atoms":
        """Distribution of a multiple."""
        order = slice(None, None, 1 if factor > 0 else -1)
        value, scale = factor * self.value[order], abs(factor) * self.scale
        return Atoms(value, self.logchance[order], scale)

    def take(self, kept: NDArray[np.bool_]) -> "Atoms":
        """Distribution without the values that do not count any more."""
        return Atoms(self.value[kept], self.logchance[kept], self.scale)

    def tail(self, statistic: float, sign: int, slack: float) -> Tail:
        """P(value >= statistic), or <= with sign -1."""
        reaches = sign * (self.value - statistic) >= -slack
        log_p = np.logaddexp.reduce(self.logchance[reaches], initial=-np.inf)
        log_p = min(0.0, float(log_p))
        return Tail(log_p, (log_p, log_p))

    def quantile(self, log_p: float, sign: int) -> float:
        """Least value with P(> value) <= p, or with P(<= value) >= p for sign -1."""
        if sign > 0:
            beyond = np.logaddexp.accumulate(self.logchance[:0:-1])[::-1]
            index = np.count_nonzero(beyond > log_p)
        else:
            below = np.logaddexp.accumulate(self.logchance[:-1])
            index = np.searchsorted(below, log_p)
        return float(self.value[index])


def list_distribution(chain: Chain) -> Atoms | None:
    """Distribution of one of several rankings; None where it has too many paths."""
    exact = not chain.merged.any()
    return (
        _list_distribution(chain) if exact and _is_feasible(chain, FEW_LISTED) else None
    )


def distribution(terms: Sequence[Term], max_paths: int = MAX_PATHS) -> Atoms | None:
    """Distribution of the mean over rankings; None where it has too many paths."""
    total = Atoms(np.zeros(1), np.zeros(1), 0.0)
    if not all(_is_feasible(term.chain, max_paths) for term in terms):
        return None
    for chain, weight, count in terms:
        one = _list_distribution(chain).times(weight)
        for _ in range(count):
            size = total.value.size  # one before the first ranking, whose own is known
            if size > 1 and size * one.value.size > max_paths:
                return None
            total = total.plus(one)
    return total


def _is_feasible(chain: Chain, max_paths: int) -> bool:
    """Whether the distribution has at most `max_paths` paths; O(n_groups * m)."""
    n, m = chain.n_samples, chain.n_targets
    if chain.measure.counted_hits == 1:
        return bool(_most_hits(chain).sum() <= 2 * max_paths)  # each a single step
    if chain.ends.size > _MAX_GROUPS:
        return False
    ways = np.eye(1, m + 1)[0]
    for end, size in zip(chain.ends.tolist(), chain.sizes.tolist(), strict=True):
        total = np.cumsum(ways)
        total[size + 1 :] -= np.cumsum(ways)[: -size - 1]
        ways = total
        ways[: max(0, m - (n - end))] = 0.0
        if ways.sum() > max_paths:  # all of them can be completed
            return False
    return True


def first_hit_moments(chain: Chain) -> tuple[float, float]:
    """Mean and variance of a measure that only the first group with hits adds to."""
    atoms = _first_hit_distribution(chain)
    chance = np.exp(atoms.logchance)
    mean = float(chance @ atoms.value)
    return mean, float(chance @ (atoms.value - mean) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """Paths down some groups: hits so far, summed gains, logarithm of the weight."""

    hits: NDArray[np.intp]
    gain: _Floats
    logweight: _Floats

    def take(self, index: NDArray[np.bool_]) -> "_Paths":
        """Return the paths at `index`."""
        return _Paths(self.hits[index], self.gain[index], self.logweight[index])

    @classmethod
    def join(cls, parts: Sequence["_Paths"]) -> "_Paths":
        """Put lists of paths one after the other."""
        columns = zip(*((p.hits, p.gain, p.logweight) for p in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


def count(
    chain: Chain,
    to_come: ToCome,
    statistic: float,
    sign: int,
    slack: float,
    most_paths: int,
) -> Tail | None:
    """P(value >= statistic), or <= with sign -1, by the paths that reach it alone.

    Paths that cannot reach it any more are left out, those that cannot miss it are
    followed no further. None where too many are left between.
    """
    logweights = []

    def keep(live: _Paths, depth: int, ends: _Floats) -> _Paths:
        worst, best = sign * (ends[::sign] - statistic)
        sure, lost = worst >= -slack, best < -slack
        logweights.append(_log_completed(chain, depth, live.take(sure)))
        return live.take(~sure & ~lost)

    live = _follow(chain, to_come, keep, most_paths)
    if live is None:
        return None
    ends, logchance = _finish(chain, live)
    logweights.append(logchance[sign * (ends - statistic) >= -slack])
    log_p = float(np.logaddexp.reduce(np.concatenate(logweights), initial=-np.inf))
    return Tail(log_p, (log_p, log_p))


def extreme_distribution(
    chain: Chain, to_come: ToCome, least: float, sign: int, most_paths: int
) -> Atoms | None:
    """Distribution of the values from the best to the least that count, by paths."""

    def keep(live: _Paths, _: int, ends: _Floats) -> _Paths:
        return live.take(sign * (ends[(sign + 1) // 2] - least) >= 0)

    live = _follow(chain, to_come, keep, most_paths)
    if live is None:
        return None
    value, logchance = _finish(chain, live)
    kept = (sign * (value - least) >= 0) & (logchance > -np.inf)
    return Atoms.of(value[kept], logchance[kept], chain.scale)


def _follow(
    chain: Chain,
    to_come: ToCome,
    keep: Callable[[_Paths, int, _Floats], _Paths],
    most_paths: int,
) -> _Paths | None:
    """Follow the paths that are kept down the body; None where they are too many.

    Which are is told by them, the depth, and the least and largest value of each.
    """
    assert chain.slope is not None
    live, followed = _Paths(np.zeros(1, dtype=np.intp), np.zeros(1), np.zeros(1)), 0
    for row, step in enumerate(chain.steps()):
        live = _move(live, step)
        followed += live.hits.size
        if followed > most_paths or chain.merged[row]:
            return None
        ends = chain.slope * live.gain + to_come(row, live.hits)
        live = keep(live, int(chain.ends[row]), ends)
        if live.hits.size == 0:
            break
    return live


def to_come(chain: Chain) -> ToCome | None:
    """Least and largest value still to come, after a group of the body, by the hits.

    None if the paths of the ranking cannot be counted: if its divisor is not constant,
    its order is not known throughout, or it is long.
    """
    measure, constant = chain.measure, chain.slope is not None
    falling = constant and measure.ordered and measure.counted_hits is None
    if falling and chain.untied and chain.n_targets <= _SUMMED:
        return partial(_untied_to_come, chain)
    if not constant or chain.merged.any() or chain.n_cells > _MOST_CELLS:
        return None
    tables, least = _tables_to_come(chain), chain.possible().least[1:]
    return lambda row, hits: tables[row][:, hits - least[row]]


def _untied_to_come(chain: Chain, row: int, hits: NDArray[np.intp]) -> _Floats:
    """Without ties the best that can follow is all hits at once, the worst at the end.

    O(m) for each number of hits.
    """
    distinct, index = np.unique(hits, return_inverse=True)
    left = (chain.n_targets - distinct)[:, None]
    later = np.arange(left.max())
    found = []
    for first in (chain.n_samples - left, chain.ends[row]):
        counted = (later < left) & (first + later < chain.ends[-1])
        above = distinct[:, None] + later
        gain = chain.measure.gain(first + later, 1, above, 1, chain.frame)
        found.append(np.where(counted, gain, 0.0).sum(axis=1))
    assert chain.slope is not None
    values = chain.slope * np.stack(found) + chain.measure.offset(chain.frame)
    return np.asarray(values[:, index])


def _tables_to_come(chain: Chain) -> list[_Floats]:
    """Tables over all numbers of hits, up the ranking."""
    terminal, slope, found = chain.terminal, chain.slope, []
    assert slope is not None
    possible = terminal.logweight > -np.inf
    for sign in (-1, 1):
        last = np.where(possible, sign * terminal.intercept, -np.inf).max(axis=0)
        gains = ((s, sign * slope * s.gain) for s in chain.steps(upwards=True))
        found.append([sign * table for table in best_to_come(last, gains)])
    return [np.stack(pair) for pair in zip(*found, strict=True)][-2::-1]


def _log_completed(chain: Chain, depth: int, paths: _Paths) -> _Floats:
    """Logarithm of the chance of paths down to a depth, whatever comes below."""
    n, m = chain.n_samples, chain.n_targets
    below = log_binomial(n - depth, m - paths.hits)
    return np.asarray(paths.logweight + below - log_binomial(n, m))


def _list_distribution(chain: Chain) -> Atoms:
    """Follow all paths of one ranking, those without hits left no further."""
    if chain.measure.counted_hits == 1:
        return _first_hit_distribution(chain)
    live = _Paths(np.zeros(1, dtype=np.intp), np.zeros(1), np.zeros(1))
    done = []
    for step in chain.steps():
        moved = _move(live, step)
        over = moved.hits == chain.n_targets
        done.append(moved.take(over))
        live = moved.take(~over)
    value, logchance = _finish(chain, _Paths.join([*done, live]))
    possible = logchance > -np.inf
    return Atoms.of(value[possible], logchance[possible], chain.scale)


def _finish(chain: Chain, paths: _Paths) -> tuple[_Floats, _Floats]:
    """Values and chances of paths down the body, over the ways to go on."""
    terminal, column = chain.terminal, paths.hits - chain.terminal.least
    value = terminal.slope[:, column] * paths.gain + terminal.intercept[:, column]
    return value, terminal.logweight[:, column] + paths.logweight


def _first_hit_distribution(chain: Chain) -> Atoms:
    """Distribution of a measure that only the first group with hits adds to.

    Its path is that group and the hits in it, wherever the others may fall. In a
    stretch of untied items the first hit counts as one in the middle.
    """
    n, m, frame = chain.n_samples, chain.n_targets, chain.frame
    most = _most_hits(chain)
    group = np.repeat(np.arange(most.size), most)
    hits = 1 + np.arange(group.size) - np.repeat(np.cumsum(most) - most, most)
    above, size = (chain.ends - chain.sizes)[group], chain.sizes[group]
    below = n - above - size
    loose = chain.merged[group]
    possible = (m - hits <= below) | (loose & (m <= n - above))
    above, size, hits = above[possible], size[possible], hits[possible]
    below, loose = below[possible], loose[possible]
    assert chain.slope is not None
    gain = chain.measure.gain(
        np.where(loose, above + size // 2, above),
        np.where(loose, 1, size),
        0,
        hits,
        frame,
    )
    within = np.minimum(m - hits, below)
    ways = log_binomial(size, hits) + log_binomial(below, within)
    ways[loose] = _log_first(above[loose], size[loose], n, m)
    return Atoms.of(chain.slope * gain, ways - log_binomial(n, m), chain.scale)


def _most_hits(chain: Chain) -> NDArray[np.intp]:
    """Hits of each group that make a difference."""
    return np.where(chain.merged, 1, np.minimum(chain.sizes, chain.n_targets))


def _log_first(
    above: NDArray[np.intp], size: NDArray[np.intp], n: int, m: int
) -> _Floats:
    """Logarithm of the ways that have the first hit in a group."""
    below = n - above - size
    here = log_binomial(n - above, np.minimum(m, n - above))
    later = np.where(below >= m, log_binomial(below, np.minimum(m, below)), -np.inf)
    return np.asarray(here + np.log(-np.expm1(later - here)))


def _move(paths: _Paths, step: Step) -> _Paths:
    """Go on with all numbers of hits in the next group, where that can be."""
    column = paths.hits - step.least
    hits = np.arange(step.logcount.size)[:, None]
    after = paths.hits + hits
    possible = (after >= step.next_least) & (after <= step.next_most)
    return _Paths(
        after[possible],
        (paths.gain + step.gain[:, column])[possible],
        (paths.logweight + step.logcount[:, None])[possible],
    )
