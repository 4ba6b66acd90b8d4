"""Counts below and level with levels. Judge: a sorted search of the whole ranking."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import SCORES
from skrank import average_precision
from skrank.ranking._counting import _LEAST_SIEVED, _MOST_SIEVED, _PIECE, LevelCounts

pytestmark = pytest.mark.arithmetic

N_SAMPLES = [1, 50, _PIECE - 1, _LEAST_SIEVED, 3 * _PIECE + 17]


def assert_counted(counts, levels, y_score):
    ordered = np.sort(y_score)
    first = np.searchsorted(ordered, levels)
    last = np.searchsorted(ordered, levels, "right")
    np.testing.assert_array_equal(counts.below, first)
    np.testing.assert_array_equal(counts.level_with, last - first)
    assert counts.n_samples == y_score.size


@pytest.mark.parametrize("n_samples", N_SAMPLES)
@pytest.mark.parametrize("kind", SCORES)
def test_counts_are_those_of_a_search(kind, n_samples):
    rng = np.random.default_rng(n_samples)
    y_score = SCORES[kind](rng, max(n_samples, 50))[-n_samples:]
    for n_levels in (0, 1, 40, _MOST_SIEVED + 1):
        chosen = rng.choice(y_score, min(n_levels, n_samples), replace=False)
        levels = np.unique(chosen)
        counts = LevelCounts(levels)
        counts.add(y_score)
        assert_counted(counts, levels, y_score)


@pytest.mark.parametrize("n_levels", [5, 3000])
def test_pieces_add_up_and_need_not_hold_a_level(n_levels):
    rng = np.random.default_rng(1)
    y_score = rng.normal(size=200_000).round(3)
    levels = np.unique(rng.normal(size=n_levels))
    counts = LevelCounts(levels)
    for piece in np.array_split(y_score, [0, 1, 100_000, 100_000]):
        counts.add(piece)
    assert_counted(counts, levels, y_score)


def test_zero_has_no_sign():
    y_score = np.tile([-0.0, 0.0, 1.0, -1.0], _LEAST_SIEVED)
    for levels in (np.array([0.0]), np.array([-1.0, -0.0])):
        counts = LevelCounts(levels)
        counts.add(y_score)
        assert counts.level_with[-1] == 2 * _LEAST_SIEVED
        assert counts.below[-1] == _LEAST_SIEVED


def test_columns_of_a_table_are_counted():
    table = np.random.default_rng(2).normal(size=(100_000, 2))
    levels = np.sort(table[:20, 1])
    counts = LevelCounts(levels)
    counts.add(table[:, 1])
    assert_counted(counts, levels, table[:, 1])


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=30),
    st.sets(st.integers(-4, 4), min_size=1),
)
def test_every_small_ranking(y_score, levels):
    levels = np.array(sorted(levels), dtype=float)
    counts = LevelCounts(levels)
    counts.add(np.array(y_score, dtype=float))
    np.testing.assert_array_equal(
        counts.below, [sum(s < v for s in y_score) for v in levels]
    )
    np.testing.assert_array_equal(
        counts.level_with, [sum(s == v for s in y_score) for v in levels]
    )


@pytest.mark.slow
@pytest.mark.parametrize("labels", [np.bool_, np.uint8, np.int64, np.float64])
@pytest.mark.parametrize("n_targets", [100, 200_000])
def test_memory_is_two_bytes_an_item_at_most(labels, n_targets):
    n_samples = 10_000_000
    rng = np.random.default_rng(3)
    y_true = (np.arange(n_samples) < n_targets).astype(labels)
    y_score = rng.random(n_samples)
    tracemalloc.start()
    average_precision(y_true, y_score)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 2 * n_samples


def test_a_tie_of_a_fifth_is_looked_at_twice_in_portions():
    n_samples, n_targets = 20 * _PIECE, 300
    rng = np.random.default_rng(4)
    y_score = rng.random(n_samples)
    y_score[rng.random(n_samples) < 0.2] = 0.5
    levels = np.unique(np.append(y_score[:n_targets], 0.5))
    counts = LevelCounts(levels)
    tracemalloc.start()
    counts.add(y_score)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_counted(counts, levels, y_score)
    assert peak <= 64 * _PIECE
