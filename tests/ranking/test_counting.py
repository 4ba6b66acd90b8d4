"""Counts below and level with levels. Judge: a sorted search of the whole ranking."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import SCORES
from skrank import average_precision
from skrank.ranking._buckets import sorted_values
from skrank.ranking._level_counts import LevelCounts, count_levels, places_among

DTYPES = (
    *("float64", "float32", "int64", "int32", "int16", "int8"),
    *("uint64", "uint32", "uint16", "uint8"),
)

# what SCORES has not: spikes, values that most items have, and zeros of both signs
HOSTILE = {
    "far from zero": lambda rng, n: 1e9 + rng.normal(size=n),
    "narrow and far from zero": lambda rng, n: 1 + 1e-14 * rng.normal(size=n),
    "orders of magnitude": lambda rng, n: 10.0 ** rng.uniform(-300, 300, n),
    "orders of both signs": lambda rng, n: (
        10.0 ** rng.uniform(-300, 300, n) * rng.choice([-1, 1], n)
    ),
    "subnormal": lambda rng, n: 5e-324 * rng.integers(0, 5000, n),
    "zeros of both signs": lambda rng, n: (
        rng.integers(-10, 11, n) / 20 * rng.choice([-1.0, 1.0], n)
    ),
    "2000 scores": lambda rng, n: rng.integers(0, 2000, n) / 7,
    "mostly zero": lambda rng, n: np.where(
        rng.random(n) < 0.9, rng.choice([-0.0, 0.0], n), rng.normal(size=n)
    ),
    "all but one": lambda rng, n: np.where(np.arange(n) == n // 2, 0.5, 0.3),
    "pairs": lambda rng, n: np.repeat(rng.normal(size=n // 2 + 1), 2)[:n],
    "spike and outliers": lambda rng, n: np.where(
        np.arange(n) % (n // 2 + 1) == 0,
        rng.choice([-1e6, 1e6], n),
        0.5 + 1e-9 * rng.normal(size=n),
    ),
    "cauchy": lambda rng, n: rng.standard_cauchy(n),
    "neighbours": lambda rng, n: 1 + 2.0**-52 * rng.integers(1, 64, n),
    "two scales": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.normal(size=n), 10.0 ** rng.uniform(-300, -200, n)
    ),
    "ascending": lambda rng, n: np.sort(rng.normal(size=n)),
}


def in_type(y_score, dtype):
    """The same in another type; integers spread over its range, or are thousandths."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        most = np.finfo(dtype).max
        with np.errstate(under="ignore"):
            return np.clip(y_score, -most, most).astype(dtype)
    info = np.iinfo(dtype)
    scale = {1: 50, 2: 1000, 4: 1e5, 8: 1e15}[dtype.itemsize]
    least, most = max(info.min, -(2**62)), min(info.max, 2**62)
    narrow = np.clip(y_score, -1e4, 1e4) * scale
    return np.clip(narrow, least, most).astype(dtype)


def choose_levels(rng, y_score, m, how):
    """Levels all over the ranking, of its top, or of a part in the middle."""
    first = {"top": y_score.size - m, "middle": (y_score.size - m) // 2}
    if how == "random":
        return np.unique(rng.choice(y_score, m, replace=False))
    return np.unique(np.sort(y_score)[first[how] :][:m])


def assert_right(y_score, levels):
    """Check counts, places and order against searches."""
    ordered = np.sort(y_score)
    first = np.searchsorted(ordered, levels)
    last = np.searchsorted(ordered, levels, "right")
    below, level_with = count_levels(y_score, levels)
    np.testing.assert_array_equal(below, first)
    np.testing.assert_array_equal(level_with, last - first)
    places = np.searchsorted(levels, y_score)
    places += np.searchsorted(levels, y_score, "right")
    np.testing.assert_array_equal(places_among(y_score, levels), places)
    np.testing.assert_array_equal(sorted_values(y_score), ordered)


@pytest.mark.parametrize("n_samples", [50, 5_000, 20_000])
@pytest.mark.parametrize("kind", [*SCORES, *HOSTILE])
def test_counts_are_those_of_a_search(kind, n_samples):
    rng = np.random.default_rng(n_samples)
    y_score = {**SCORES, **HOSTILE}[kind](rng, n_samples)
    for m in (1, 40, n_samples // 10, n_samples):
        assert_right(y_score, choose_levels(rng, y_score, min(m, n_samples), "random"))


@pytest.mark.parametrize("n_samples", [3_000, 20_000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_counts_in_every_type(dtype, n_samples):
    rng = np.random.default_rng(5)
    for kind in ("normal", "cauchy", "mostly zero", "orders of both signs"):
        made = {**SCORES, **HOSTILE}[kind](rng, n_samples)
        y_score = in_type(made, dtype)
        for m in (1, 300, n_samples // 2):
            assert_right(y_score, choose_levels(rng, y_score, m, "random"))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["random", "top", "middle"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", HOSTILE)
def test_counts_of_hostile_scores_in_every_type(kind, dtype, how):
    rng = np.random.default_rng(6)
    # the longest, which are counted as those before them, once
    for n_samples in (1, 2, 50, 5_000, 20_000, *[100_000] * (how == "top")):
        y_score = in_type(HOSTILE[kind](rng, n_samples), dtype)
        sizes = (1, 3, n_samples // 500, n_samples // 50, n_samples // 2, n_samples)
        for m in {min(max(m, 1), n_samples) for m in sizes}:
            assert_right(y_score, choose_levels(rng, y_score, m, how))


@pytest.mark.parametrize("n_levels", [0, 5, 3000, 60_000])
def test_pieces_add_up_and_need_not_hold_a_level(n_levels):
    rng = np.random.default_rng(1)
    y_score = rng.normal(size=200_000).round(3)
    levels = np.unique(rng.normal(size=n_levels))
    counts, others = LevelCounts(levels), LevelCounts(levels)
    for piece in np.array_split(y_score, [0, 1, 100_000, 100_000]):
        counts.add(piece)
    others.add(y_score[:20_000])
    counts.merge(others)
    ordered = np.sort(np.append(y_score, y_score[:20_000]))
    first = np.searchsorted(ordered, levels)
    np.testing.assert_array_equal(counts.below, first)
    last = np.searchsorted(ordered, levels, "right")
    np.testing.assert_array_equal(counts.level_with, last - first)
    assert counts.n_samples == ordered.size


def test_zero_has_no_sign():
    y_score = np.tile([-0.0, 0.0, 1.0, -1.0], 2**15)
    for levels in (np.array([0.0]), np.array([-1.0, -0.0]), np.array([-0.0, 1e300])):
        assert_right(y_score, levels)


@pytest.mark.parametrize("n_samples", [9_000, 100_000])
def test_columns_of_a_table_are_counted(n_samples):
    table = np.random.default_rng(2).normal(size=(n_samples, 2))
    table[:, 0] = np.exp(20 * table[:, 0])
    for column in table.T:
        assert_right(column, np.sort(column[:20]))


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=30),
    st.sets(st.integers(-4, 4), min_size=1),
    st.sampled_from([1, 2000]),
)
def test_every_small_ranking(y_score, levels, times):
    levels = np.array(sorted(levels), dtype=float)
    below, level_with = count_levels(np.array(y_score * times, dtype=float), levels)
    expected = [times * sum(s < v for s in y_score) for v in levels]
    np.testing.assert_array_equal(below, expected)
    expected = [times * sum(s == v for s in y_score) for v in levels]
    np.testing.assert_array_equal(level_with, expected)


@pytest.mark.nightly
@pytest.mark.parametrize("labels", [np.bool_, np.float64])
@pytest.mark.parametrize(("n_targets", "mebibytes"), [(10_000, 16), (200_000, 40)])
def test_memory_of_ten_million_items(labels, n_targets, mebibytes):
    n_samples = 10_000_000
    rng = np.random.default_rng(3)
    y_true = (np.arange(n_samples) < n_targets).astype(labels)
    y_score = rng.random(n_samples)
    tracemalloc.start()
    average_precision(y_true, y_score)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= mebibytes * 2**20


def test_a_tie_of_a_fifth_is_looked_at_twice_in_portions():
    n_samples, n_targets = 1_500_000, 300
    rng = np.random.default_rng(4)
    y_score = rng.random(n_samples)
    y_score[rng.random(n_samples) < 0.2] = 0.5
    levels = np.unique(np.append(y_score[:n_targets], 0.5))
    tracemalloc.start()
    count_levels(y_score, levels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_right(y_score, levels)
    assert peak <= 4 * n_samples
