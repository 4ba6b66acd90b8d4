"""Average precision of nearly perfect rankings of a million items.

The first targets are counted by their loss, on a fine grid; the last ones are drawn
from proposals over all places, with weights. Nothing of it is from skrank.
"""

import math

import numpy as np
import pytest

from skrank import RandomSelectionNull


def log_chance(n, m, last, n_draws=400_000, bins=20_000, most=100):
    """Logarithm of P(AP >= s) with all but the `last` targets nearly on top.

    With c others above a target that is number j, its loss of precision is c / (j + c).
    """
    value = (m - last + last * 4e-5) / m
    room = m - m * value * (1 - 1e-13)
    width, top = room / bins, m - last
    patterns = np.zeros((most, bins + 1))  # by the others above, and by the loss
    patterns[0, 0] = 1
    for j in range(1, top + 1):
        before, patterns = np.cumsum(patterns, axis=0), np.zeros_like(patterns)
        for c in range(most):
            lost = round(c / (j + c) / width)
            if lost <= bins:
                patterns[c, lost:] = before[c, : bins + 1 - lost]
    upto = np.cumsum(np.cumsum(patterns, axis=0), axis=1)
    # the others above the last targets: half of the draws are uniform, half log-uniform
    rng, places = np.random.default_rng(0), n - m + 1
    shape = n_draws, last
    even = np.floor(rng.random(shape) * places) + 1
    steep = np.floor(places ** rng.random(shape)).clip(1, places)
    drawn = np.where(rng.random(shape) < 0.5, even, steep)
    steps = np.log(np.minimum(drawn + 1, places) / drawn) / math.log(places)
    chance = np.prod(0.5 / places + 0.5 * steps, axis=1)
    above = np.sort(drawn, axis=1) - 1
    # as many orders of the drawn numbers have this sorted one
    same = (np.diff(above, axis=1) == 0).sum(axis=1)
    orders = np.where(same > 0, 1 if last < 3 else 3, math.factorial(last))
    orders = np.where(same > 1, 1, orders)
    j = np.arange(top + 1, m + 1)
    left = room - (above / (j + above)).sum(axis=1)
    index = np.clip(np.rint(left / width), 0, bins).astype(int)
    ways = upto[np.minimum(above[:, 0], most - 1).astype(int), index]
    ways = np.where(left >= 0, ways, 0.0) / (chance * orders)
    error = ways.std() / math.sqrt(n_draws) / ways.mean()
    assert error < 0.005
    return value, math.log(ways.mean()) - math.log(math.comb(n, m))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "last"),
    [(10**6, 20, 1), (10**6, 20, 3), (10**6, 30, 2), (10**6, 30, 3), (10**5, 30, 2)],
)
def test_all_but_the_last_targets_are_on_top(n, m, last):
    value, truth = log_chance(n, m, last)
    found = RandomSelectionNull(n, m).tail(value)
    # 10 % are accepted below 1e-20
    assert found.error <= 0.1
    assert found.log_pvalue == pytest.approx(truth, abs=max(0.04, 1.5 * found.error))
