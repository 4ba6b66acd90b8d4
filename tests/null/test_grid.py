"""Bounds of all tails from one pass, against all placements and against inversion."""

import math

import numpy as np
import pytest

import oracles
from skrank import RandomSelectionNull, make_metric
from skrank.null._grid import GridTails, _Grid, tails_of_shape


@pytest.mark.parametrize("ties", ["expected", "together", "optimistic", "pessimistic"])
@pytest.mark.parametrize(("sizes", "m"), [([1] * 9, 3), ([2, 3, 1, 1, 4], 4), ([5], 2)])
def test_bounds_of_short_lists_are_the_tails_with_and_without_a_value(sizes, m, ties):
    null = oracles.null_distribution(sizes, m, "average_precision", ties=ties)
    if len(null) == 1:
        return
    metric = make_metric("average_precision", ties=ties)
    ends = np.cumsum(sizes, dtype=np.intp)
    merged = np.zeros(ends.size, dtype=bool)
    shape = ends.tobytes(), merged.tobytes(), False, m
    of_shape = tails_of_shape(metric, *shape)
    chain = of_shape._null._terms[0].chain
    grid = _Grid(chain, float(min(null)), float(max(null)))
    for value, mass in null.items():
        tail = oracles.tail(null, value)
        lower, upper = np.exp(grid.log_bounds(float(value)))
        assert upper == pytest.approx(float(tail), rel=1e-9)
        assert lower == pytest.approx(float(tail - mass), rel=1e-9, abs=1e-12)
        # such lists are counted
        log_p = of_shape.log_pvalue(float(value))
        assert log_p == pytest.approx(math.log(tail), abs=1e-9)


@pytest.mark.parametrize("name", ["average_precision", "bedroc(alpha=20)"])
def test_bounds_of_long_lists_contain_the_probability_by_inversion(name):
    null = RandomSelectionNull(300, 4, make_metric(name))
    tails, (_, most) = GridTails(null), null.support()
    for deviations in (2, 4, 6):
        value = null.mean() + deviations * null.std()
        exact = null.tail(value)
        lower, upper = tails._grid.log_bounds(value)
        error = exact.error + 1e-9
        assert lower - error <= exact.log_pvalue <= upper + error
        assert tails.log_pvalue(value) == pytest.approx(
            exact.log_pvalue, abs=error + 2e-3
        )
    # a single placement has no other one near it
    assert tails.log_pvalue(most) is None


def test_lists_have_no_grid_if_they_are_long_and_need_none_for_one_target():
    assert GridTails(RandomSelectionNull(20_000, 300)).log_pvalue(0.1) is None
    one = GridTails(RandomSelectionNull(50, 1)).log_pvalue(1.0)
    assert one == pytest.approx(-math.log(50))
