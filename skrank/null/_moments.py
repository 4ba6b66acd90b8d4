"""Mean and variance under random selection.

A metric that is a sum over targets and over pairs of targets has both in closed form,
in O(n_groups) steps. All other cases take one pass over the chain, with all possible
numbers of hits or, if that takes seconds, with the likely ones in blocks. The relative
error of the mean is then below 1e-5, and that of the variance below 1e-3.
"""

import numpy as np
from numpy.typing import NDArray

from skrank.null._atoms import first_hit_law
from skrank.null._chain import Chain
from skrank.null._lattice import Lattice
from skrank.null._tilted import Part, Tilted, Way, normalise
from skrank.null._walk import Path

_Floats = NDArray[np.float64]
_PER_DEVIATION = 2.0  # numbers of hits in a standard deviation


def moments(chain: Chain) -> tuple[float, float]:
    """Return mean and variance."""
    if chain.metric.counted_hits == 1:
        mean, variance = first_hit_law(chain).moments()
    elif chain.slope is None:
        mean, _ = _passed(*_followed(chain), 0.0)
        rest, variance = _passed(*_followed(chain), mean)  # no digits are lost
        mean += rest
    elif chain.is_pairwise:
        mean, variance = _pairwise(chain)
    else:
        # E is the value divided by the slope, and K' and K'' are its moments
        way = Way(Part(chain, 1, 0.0), *_followed(chain))
        _, mean, variance = Tilted(way, 0.0).cumulants
        mean, variance = chain.slope * mean, chain.slope**2 * variance
    # rounding only, if ties allow one value
    variance = variance if variance > (1e-11 * mean) ** 2 else 0.0
    return float(mean), float(variance)


def _followed(chain: Chain) -> tuple[Chain, Lattice]:
    """Return all numbers of hits, or those within seven deviations, in blocks.

    Without blocks if groups cannot be merged: a second for each 20,000 items.
    """
    if chain.is_short:
        return chain, chain.possible()
    chain = chain.blocks(0.01) if chain.ends.size > 1 and chain.is_linear else chain
    return chain, Path.plain(chain).lattice(chain, _PER_DEVIATION)


def _passed(chain: Chain, lattice: Lattice, centre: float) -> tuple[float, float]:
    """Moments about a centre, if the divisor depends on the hits.

    With the sum A of the gains so far, the value is ``slope * A + rest``. Both are
    random given the hits so far. A pass up the ranking computes the means of slope,
    rest, slope**2, slope * rest and rest**2.
    """
    end = chain.last_group(lattice)
    chance, state = normalise(end.logweight)
    s, r = end.slope, end.intercept - centre
    means = np.stack([(chance * x).sum(axis=0) for x in (s, r, s * s, s * r, r * r)])
    for step in chain.steps(lattice):
        chance, state = normalise(step.logcount + state[step.cell])
        s, r, ss, sr, rr = means[:, step.cell]
        g = step.gain
        rests = (s, r + g * s, ss, sr + g * ss, rr + g * (2 * sr + g * ss))
        means = np.stack([(chance * x).sum(axis=0) for x in rests])
    mean = float(means[1, 0])
    return mean, max(0.0, float(means[4, 0]) - mean**2)


def _pairwise(chain: Chain) -> tuple[float, float]:
    """Moments of gains A d H + B d + C d (d - 1) of a group of d hits below H others.

    The sum has weights for single targets, B, and for pairs of targets: A of the lower
    one's group, or 2 C inside a group. Its second moment needs the probabilities that 1
    to 4 given items are targets.
    """
    n, m = chain.n_samples, chain.n_targets
    cross, item, inside = chain.weights
    above, size = chain.depths, chain.sizes
    level = inside * (size - 1)
    # of the weights of pairs: sum over all, of squares, and over those with one item
    pairs = float((size * (cross * above + level)).sum())
    squares = float((size * (cross**2 * above + 2 * level * inside)).sum())
    row = cross * size
    row = row[::-1].cumsum()[::-1] - row  # with the items below
    row += cross * above
    row += 2 * level
    del level  # long rankings need the memory
    touching = float((size * row**2).sum())
    one, two, three, four = np.cumprod([(m - i) / max(n - i, 1) for i in range(4)])
    mean = one * float((size * item).sum()) + two * pairs
    # the mean is divided among the m targets, so that the sum is centred at zero
    share = mean / max(m, 1)
    item, rest = item - share, n - int(chain.ends[-1])  # the rest does not count
    items = float((size * item).sum()) - rest * share
    item_squares = float((size * item**2).sum()) + rest * share**2
    both = float((size * item * row).sum())
    terms = [one * item_squares, two * (items**2 - item_squares)]
    terms += [2 * two * both, 2 * three * (items * pairs - both)]
    terms += [two * squares, three * (touching - 2 * squares)]
    terms += [four * (pairs**2 - touching + squares)]
    slope = chain.slope or 1.0
    # rounding only, if ties allow one value
    rounding = 1e-13 * sum(abs(term) for term in terms) + (1e-15 * mean) ** 2
    second = sum(terms)
    mean = slope * mean + chain.metric.offset(chain.frame)
    return mean, slope**2 * second * (second > rounding)
