"""Tails and quantiles of hits by chance. Judge: SciPy's hypergeometric distribution."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import hypergeom

from skrank.curves._hypergeometric import (
    depths_by_chance,
    hits_by_chance,
    probability_of,
)

SIZES = [(1, 0), (1, 1), (7, 3), (40, 40), (300, 2), (300, 290), (2000, 500)]


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_tails_and_quantiles_are_those_of_scipy(n, m):
    t = np.unique(np.linspace(0, n, 60).astype(int))
    hits = np.random.default_rng(0).integers(0, m + 2, t.size)
    tail = hypergeom.sf(hits - 1, n, m, t)
    assert_allclose(probability_of(hits, n, m, t), tail, rtol=1e-9, atol=1e-300)
    for q in (1e-4, 0.025, 0.5, 0.975, 0.9999):
        assert_array_equal(hits_by_chance(q, n, m, t), hypergeom.ppf(q, n, m, t))
        targets = np.arange(1, m + 1)
        depth = depths_by_chance(q, n, m, targets)
        # the first depth at which so many hits have this probability
        assert np.all(hypergeom.sf(targets - 1, n, m, depth) >= q * (1 - 1e-9))
        assert np.all(hypergeom.sf(targets - 1, n, m, depth - 1) < q * (1 + 1e-9))


def test_the_last_depth_of_a_tail_that_is_just_too_large():
    """In integers, P(hits(3093) < 15) is 5.86e-10 above 0.0005."""
    n, m, t = 5000, 40, 3093
    below = sum(comb(m, k) * comb(n - m, t - k) for k in range(15))
    assert 0 < Fraction(below, comb(n, t)) - Fraction(1, 2000) < 6e-10
    assert depths_by_chance(0.9995, n, m, np.array([15])).tolist() == [t + 1]
