"""Engine "enumeration": every path of the chain, hence the exact law.

Feasible where the paths (the ways to spread m hits over the tie groups that count) are
few: short lists, a handful of targets, few tie groups, or a measure that looks at the
top t alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from skrank.null._chain import Chain

MAX_PATHS = 2**20
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


def log_tail(chain: Chain, statistic: float, sign: int) -> float:
    """Logarithm of P(value >= statistic), or <= with sign -1; exact."""
    value, logweight = law(chain)
    reaches = sign * (value - statistic) >= -1e-11 * abs(statistic)
    return float(logsumexp(np.append(logweight[reaches], -np.inf)))


def law(chain: Chain) -> tuple[_Floats, _Floats]:
    """Values of the measure on all paths, and the logarithms of their chances."""
    live = Paths(np.zeros(1, dtype=np.intp), np.zeros(1), np.zeros(1))
    done = [live.take(np.zeros(1, dtype=bool))]
    for step in chain.steps():
        hits = np.arange(step.logcount.size)[:, None]
        after = live.hits + hits
        possible = (after >= step.least) & (after <= step.most)
        gain = live.gain + step.gain[:, live.hits]
        logweight = live.logweight + step.logcount[:, None]
        moved = Paths(after[possible], gain[possible], logweight[possible])
        finished = moved.hits == chain.n_targets
        done.append(moved.take(finished))
        live = moved.take(~finished)
    done.append(live)
    return _close(chain, done)


def _close(chain: Chain, paths: list[Paths]) -> tuple[_Floats, _Floats]:
    """Spread each path over the last group and read off its value."""
    end = Paths(
        np.concatenate([path.hits for path in paths]),
        np.concatenate([path.gain for path in paths]),
        np.concatenate([path.logweight for path in paths]),
    )
    closing = chain.closing
    column = end.hits - chain.least_above_last
    logweight = end.logweight + closing.logweight[:, column]
    value = end.gain * closing.slope[:, column] + closing.intercept[:, column]
    possible = logweight > -np.inf
    return value[possible], logweight[possible]
