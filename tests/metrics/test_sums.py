"""What metrics promise to the distribution: judged by what their gains do."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cases import METRICS, TIES, make_list, named
from skrank.metrics._definitions import make_null_metric
from skrank.ranking._input import check_ranking_input
from skrank.ranking._ranking import rank

RANKING = rank(
    check_ranking_input(*make_list((1,) * 20 + (8, 300), (1,) * 10 + (0,) * 12))
)
ABOVE, HITS_ABOVE, HITS = np.ix_([0, 1, 4, 20], [0, 1, 5], range(6))

all_cases = pytest.mark.parametrize("case", METRICS)
all_ties = pytest.mark.parametrize("ties", TIES)


def gain_table(case, ties, size, above=ABOVE, hits_above=HITS_ABOVE, hits=HITS):
    """Gains over items above, hits above and hits, and the metric."""
    metric, settings = METRICS[case]
    metric = make_null_metric(ties=ties, **named(metric, **settings))
    frame = metric.frame(RANKING, RANKING.n_targets)
    return metric.gain(above, size, hits_above, hits, frame), metric


@all_cases
@all_ties
@pytest.mark.parametrize("size", [5, 300])
def test_a_table_of_gains_is_its_cells(case, ties, size):
    table, _ = gain_table(case, ties, size)
    cells = np.broadcast_arrays(ABOVE, HITS_ABOVE, HITS)
    cells = [np.ravel(cell) for cell in cells]
    one_by_one = [
        gain_table(case, ties, size, *(np.array([x]) for x in cell))[0][0]
        for cell in zip(*cells, strict=True)
    ]
    table = np.broadcast_to(table, (4, 3, 6)).ravel()
    assert_allclose(table, one_by_one, rtol=1e-13)


@all_ties
def test_hits_below_those_counted_add_nothing(ties):
    table, metric = gain_table("reciprocal_rank", ties, 8)
    assert metric.counted_hits == 1
    assert np.all(table[:, 0, 1:] > 0)
    assert not np.any(table[:, 1:])


def test_a_list_in_which_nothing_is_gained_has_the_offset():
    # by definition, the weights of the last and of the first 10 of 328 ranks added up
    _, metric = gain_table("bedroc", "expected", 8)
    frame = metric.frame(RANKING, RANKING.n_targets)
    nothing = RANKING.groups.take(np.zeros(0, dtype=np.intp))
    values = metric.values(nothing, np.zeros(0, dtype=np.intp), 2, frame)
    weight = np.exp(-20 * np.arange(1, 329) / 328)
    best, worst = weight[:10].sum(), weight[-10:].sum()
    assert_allclose(values, -worst / (best - worst), rtol=1e-12)
