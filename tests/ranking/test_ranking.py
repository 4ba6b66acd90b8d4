"""Where items stand among the levels. Judge: numpy's search of every score."""

import numpy as np
import pytest

from cases import SCORES
from skrank import Ranking, precision_at_t
from skrank.metrics._definitions import make_null_metric
from skrank.ranking._input import check_ranking_input
from skrank.ranking._level_counts import _LEAST_SIEVED
from skrank.ranking._ranking import rank
from skrank.ranking._standing import standing
from skrank.ranking._ties import DETAILED, tie_groups


@pytest.mark.parametrize("n_samples", [50, _LEAST_SIEVED + 100])
@pytest.mark.parametrize("kind", SCORES)
def test_standing_is_that_of_a_search(kind, n_samples):
    rng = np.random.default_rng(0)
    y_score = SCORES[kind](rng, n_samples)
    levels = np.unique(y_score[:40])
    found = standing(y_score, np.arange(40), levels)
    places = 2 * levels.size - (
        np.searchsorted(levels, y_score) + np.searchsorted(levels, y_score, "right")
    )
    np.testing.assert_array_equal(found.levels, places[:40] // 2)
    np.testing.assert_array_equal(found.places, places[40:])
    assert found.n_places == 2 * levels.size + 1


@pytest.mark.parametrize("n_samples", [1000, 300_000])
@pytest.mark.parametrize("kind", SCORES)
def test_a_top_is_ranked_as_in_the_whole(kind, n_samples):
    rng = np.random.default_rng(4)
    y_score = SCORES[kind](rng, n_samples)
    data = check_ranking_input(rng.random(n_samples) < 0.03, y_score)
    whole = rank(data)
    for depth in (1, 7, n_samples // 100, n_samples // 16):
        top = rank(data, depth)
        counted = whole.groups.above < depth
        np.testing.assert_array_equal(top.levels, whole.levels[counted])
        for name in ("above", "size", "hits_above", "hits"):
            np.testing.assert_array_equal(
                getattr(top.groups, name), getattr(whole.groups, name)[counted]
            )
        for ties in ("expected", "together"):
            metric = make_null_metric(f"precision@{depth}", ties)
            assert metric.value(top) == metric.value(whole)


@pytest.mark.parametrize("kind", SCORES)
def test_ties_of_all_items(kind):
    n_samples = 2000
    y_score = SCORES[kind](np.random.default_rng(5), n_samples)
    ranking = rank(check_ranking_input(np.arange(n_samples) < 20, y_score))
    levels, sizes = np.unique(y_score, return_counts=True)
    groups = ranking.items.tie_groups()
    np.testing.assert_array_equal(groups.ends, np.cumsum(sizes[::-1]))
    for depth in (1, 50, 700, n_samples):
        level = np.sort(y_score)[::-1][depth - 1]
        assert ranking.items.tie_size(depth) == sizes[levels == level].item()
        end = np.count_nonzero(y_score >= level)
        assert ranking.group_end(depth) == end
        assert ranking.items.group_ends(np.array([depth])) == end


def test_ties_of_a_long_ranking_are_those_of_its_sorted_scores():
    n_samples = DETAILED + 200_000
    rng = np.random.default_rng(6)
    y_score = rng.normal(size=n_samples)
    y_score[rng.random(n_samples) < 0.05] = -1.25  # far down, and wide
    ranking = rank(check_ranking_input(np.arange(n_samples) < 20, y_score))
    _, sizes = np.unique(y_score, return_counts=True)
    ends = np.cumsum(sizes[::-1])
    expected = tie_groups(ends, ends[:0], ends[:0], n_samples)
    found = ranking.items.tie_groups()
    np.testing.assert_array_equal(found.ends, expected.ends)
    np.testing.assert_array_equal(found.merged, expected.merged)
    assert expected.merged.any()
    depths = rng.integers(1, n_samples, 500)
    wide = np.flatnonzero(sizes[::-1] > n_samples / 100)
    start, end = ends[wide - 1], ends[wide]
    inside = (depths > start) & (depths <= end)
    np.testing.assert_array_equal(
        ranking.items.group_ends(depths), np.where(inside, end, depths)
    )


def test_rankings_of_other_scores_are_not_equal():
    y_true = np.arange(20) < 5
    one, other = (Ranking.from_predictions(y_true, s * np.arange(20)) for s in (1, -1))
    assert one != other
    assert len({one, other}) == 2


SHAPES = {
    "different": lambda rng, n: rng.normal(size=n),
    "three": lambda rng, n: rng.integers(0, 3, size=n),
    "zeros": lambda rng, n: np.where(rng.random(n) < 0.9, 0.0, rng.normal(size=n)),
    "equal": lambda rng, n: np.zeros(n),
    "ascending": lambda rng, n: np.arange(n),
    "periodic": lambda rng, n: np.sin(np.arange(n)).round(1).astype(np.float16),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_tie_at_a_depth_is_that_of_the_sorted_scores(shape):
    rng = np.random.default_rng(1)
    for n in (10, 1024, 5000):
        scores = SHAPES[shape](rng, n)
        y_true = rng.random(n) < 0.1
        y_true[:2] = True, False
        ordered = np.sort(scores)[::-1]
        for t in {1, 2, n // 100 + 1, n // 20 + 1, n // 3 + 1}:
            kept = scores >= ordered[t - 1]
            found = precision_at_t(y_true, scores, t=t, ties="together")
            assert found == pytest.approx(y_true[kept].mean())
