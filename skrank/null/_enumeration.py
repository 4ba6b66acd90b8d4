"""Engine "enumeration": every path of the chain, hence the exact law.

Feasible where the paths (the ways to spread m hits over the tie groups that count) are
few: short lists, a handful of targets, few tie groups, or a measure that looks at the
top t alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from skrank.null._chain import Chain, Step, Tail

MAX_PATHS = 2**21
_MAX_GROUPS = 20_000  # the pass is a loop over groups

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Paths down some groups: hits so far, summed gains, logarithm of the weight."""

    hits: NDArray[np.intp]
    gain: _Floats
    logweight: _Floats

    def take(self, index: NDArray[np.bool_]) -> "Paths":
        """Return the paths at `index`."""
        return Paths(self.hits[index], self.gain[index], self.logweight[index])

    @classmethod
    def join(cls, parts: list["Paths"]) -> "Paths":
        """Put lists of paths one after the other."""
        return cls(
            np.concatenate([part.hits for part in parts]),
            np.concatenate([part.gain for part in parts]),
            np.concatenate([part.logweight for part in parts]),
        )


def is_feasible(chain: Chain) -> bool:
    """Whether the law has at most ``MAX_PATHS`` paths; O(n_groups * m)."""
    if chain.ends.size > _MAX_GROUPS:
        return False
    n, m = chain.n_samples, chain.n_targets
    ways = np.eye(1, m + 1)[0]
    for end, size in zip(chain.ends, chain.sizes, strict=True):
        total = np.cumsum(ways)
        total[size + 1 :] -= np.cumsum(ways)[: -size - 1]
        ways = np.minimum(total, 1e200)  # beyond count, but never infinite
        ways[: max(0, m - (n - end))] = 0.0
    return bool(ways.sum() <= MAX_PATHS)


def tail(chain: Chain, statistic: float, sign: int) -> Tail | None:
    """P(value >= statistic), or <= with sign -1; exact, or None if not feasible."""
    if not is_feasible(chain):
        return None
    value, logweight = law(chain)
    reaches = sign * (value - statistic) >= -1e-11 * abs(statistic)
    log_p = min(0.0, float(logsumexp(np.append(logweight[reaches], -np.inf))))
    return Tail(log_p, (log_p, log_p))


def law(chain: Chain) -> tuple[_Floats, _Floats]:
    """Values of the measure on all paths, and the logarithms of their chances."""
    live = Paths(np.zeros(1, dtype=np.intp), np.zeros(1), np.zeros(1))
    done = []
    for step in chain.steps():
        moved = Paths.join([_take(live, step, d) for d in range(step.logcount.size)])
        finished = moved.hits == chain.n_targets
        done.append(moved.take(finished))
        live = moved.take(~finished)
    ends = Paths.join([*done, live])
    pieces = [_close(chain, ends, d) for d in range(chain.closing.slope.shape[0])]
    value, logweight = zip(*pieces, strict=True)
    return np.concatenate(value), np.concatenate(logweight)


def _take(paths: Paths, step: Step, hits: int) -> Paths:
    """Go on with `hits` hits in the next group, where that can be."""
    after = paths.hits + hits
    possible = (after >= step.least) & (after <= step.most)
    paths = paths.take(possible)
    return Paths(
        after[possible],
        paths.gain + step.gain[hits, paths.hits],
        paths.logweight + step.logcount[hits],
    )


def _close(chain: Chain, paths: Paths, hits: int) -> tuple[_Floats, _Floats]:
    """Read off values and weights of paths with `hits` hits in the last group."""
    closing = chain.closing
    column = paths.hits - chain.least_above_last
    possible = (closing.logweight[hits] > -np.inf)[column]
    paths, column = paths.take(possible), column[possible]
    value = paths.gain * closing.slope[hits, column] + closing.intercept[hits, column]
    return value, paths.logweight + closing.logweight[hits, column]
