"""Where items stand among the levels. Judge: numpy's search of every score."""

import numpy as np
import pytest
from scipy.stats import rankdata

from skrank._counting import _LEAST_SEARCHED
from skrank._ranking import ranks_as_scores, standing
from skrank._validation import check_ranking_input

SCORES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: np.exp(30 * rng.normal(size=n)),
    "ties": lambda rng, n: np.round(3 * rng.normal(size=n)),
    "single precision": lambda rng, n: rng.random(n, dtype=np.float32),
    "bytes": lambda rng, n: rng.integers(0, 255, n, dtype=np.uint8),
    "large integers": lambda rng, n: rng.integers(-(2**62), 2**62, n),
    "nearly no width": lambda rng, n: 1 + 1e-15 * rng.integers(0, 5, n),
    "no width": lambda rng, n: np.full(n, 2.5),
    "next to nothing": lambda rng, n: 1e-308 * rng.random(n),
    "others out of reach": lambda rng, n: np.r_[
        rng.normal(size=40), rng.choice([-1.7e308, 1.7e308, 0.5], n - 40)
    ],
    "all there is": lambda rng, n: rng.choice([-1.7e308, 0.0, 1.7e308], n),
}


@pytest.mark.parametrize("n_samples", [50, _LEAST_SEARCHED + 100])
@pytest.mark.parametrize("kind", SCORES)
def test_standing_is_that_of_a_search(kind, n_samples):
    rng = np.random.default_rng(0)
    y_score = SCORES[kind](rng, n_samples)
    y_true = np.arange(n_samples) < 40
    found = standing(check_ranking_input(y_true, y_score))
    levels = np.unique(y_score[:40])
    places = 2 * levels.size - (
        np.searchsorted(levels, y_score) + np.searchsorted(levels, y_score, "right")
    )
    np.testing.assert_array_equal(found.levels, places[:40] // 2)
    np.testing.assert_array_equal(found.places, places[40:])
    assert found.n_places == 2 * levels.size + 1


def test_ranks_are_the_middles_of_ties():
    y_score = np.array([0.1, 0.4, 0.4, -2.0])
    ranks = ranks_as_scores(check_ranking_input([1, 0, 0, 0], y_score))
    np.testing.assert_array_equal(ranks.y_score, rankdata(y_score))
