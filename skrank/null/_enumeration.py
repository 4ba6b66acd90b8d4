"""Engine "enumeration": every path of the chain, hence the exact law.

Feasible where the paths (the ways to spread m hits over the tie groups that count) are
few: short lists, a handful of targets, few tie groups, or a measure that looks at the
top t alone. The law of a mean over several lists is had by convolution.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skrank.null._chain import Chain, Step, log_binomial
from skrank.null._excess import Tail, Term

MAX_PATHS = 2**21
FEW_PATHS = 2**20  # a fraction of a second
_MAX_GROUPS = 20_000  # the pass is a loop over groups

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """A discrete law: ascending values and the logarithms of their chances."""

    value: _Floats
    logchance: _Floats

    @classmethod
    def of(cls, value: _Floats, logchance: _Floats) -> "Atoms":
        """Sort, and join values that differ by rounding alone."""
        order = np.argsort(value)
        value, logchance = value[order], logchance[order]
        gap = 1e-12 * np.abs(value).max()
        first = np.flatnonzero(np.diff(value, prepend=-np.inf) > gap)
        return cls(value[first], np.logaddexp.reduceat(logchance, first))

    def plus(self, other: "Atoms") -> "Atoms":
        """Law of the sum of two independent values."""
        value = self.value[:, None] + other.value
        logchance = self.logchance[:, None] + other.logchance
        return Atoms.of(value.ravel(), logchance.ravel())

    def times(self, factor: float) -> "Atoms":
        """Law of a multiple."""
        return Atoms(factor * self.value, self.logchance)

    def tail(self, statistic: float, sign: int, slack: float) -> Tail:
        """P(value >= statistic), or <= with sign -1."""
        reaches = sign * (self.value - statistic) >= -slack
        log_p = np.logaddexp.reduce(self.logchance[reaches], initial=-np.inf)
        log_p = min(0.0, float(log_p))
        return Tail(log_p, (log_p, log_p))

    def quantile(self, log_q: float, sign: int) -> float:
        """Least value with P(<= value) >= q, or with P(> value) <= q for sign -1."""
        if sign > 0:
            below = np.logaddexp.accumulate(self.logchance)
            index = np.searchsorted(below, log_q - 1e-12)
        else:
            beyond = np.logaddexp.accumulate(self.logchance[::-1])[::-1]
            index = np.count_nonzero(np.append(beyond[1:], -np.inf) > log_q + 1e-12)
        return float(self.value[min(int(index), self.value.size - 1)])


def law(terms: Sequence[Term], max_paths: int = MAX_PATHS) -> Atoms | None:
    """Law of the mean value of the lists; None where it has too many paths."""
    total = Atoms(np.zeros(1), np.zeros(1))
    if not all(_is_feasible(term.chain, max_paths) for term in terms):
        return None
    for chain, weight, count in terms:
        one = _list_law(chain).times(weight)
        for _ in range(count):
            if total.value.size * one.value.size > max_paths:
                return None
            total = total.plus(one)
    return total


def _is_feasible(chain: Chain, max_paths: int) -> bool:
    """Whether the law has at most `max_paths` paths; O(n_groups * m)."""
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
    atoms = _first_hit_law(chain)
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


def _list_law(chain: Chain) -> Atoms:
    """Follow all paths of one list, those without hits left no further."""
    if chain.measure.counted_hits == 1:
        return _first_hit_law(chain)
    closing = chain.closing
    live = _Paths(np.zeros(1, dtype=np.intp), np.zeros(1), np.zeros(1))
    done = []
    for step in chain.steps():
        moved = _move(live, step)
        over = moved.hits == chain.n_targets
        done.append(moved.take(over))
        live = moved.take(~over)
    paths = _Paths.join([*done, live])
    column = paths.hits - closing.least
    value = closing.slope[:, column] * paths.gain + closing.intercept[:, column]
    logchance = closing.logweight[:, column] + paths.logweight
    possible = logchance > -np.inf
    return Atoms.of(value[possible], logchance[possible])


def _first_hit_law(chain: Chain) -> Atoms:
    """Law of a measure that only the first group with hits adds to.

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
    return Atoms.of(chain.slope * gain, ways - log_binomial(n, m))


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
