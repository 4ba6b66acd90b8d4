"""The tie structure found in chunks is that of the sorted scores, whatever the draw."""

import pickle

import numpy as np
import pytest
from scipy.stats import binom, chisquare, poisson

from skrank.ranking import _tie_search
from skrank.ranking._tie_search import ScoreSample, depth_in_sample
from skrank.ranking._ties import DETAILED, tie_groups

N = 2**21
NOWHERE = np.zeros(0, dtype=np.intp)


def draw(seed):
    return np.random.default_rng(seed)


RANKINGS = {
    "few items": lambda: draw(0).integers(0, 50, 300),
    "one item": lambda: np.array([0.5]),
    "known whole": lambda: draw(1).random(DETAILED),
    "just longer": lambda: draw(2).random(DETAILED + 1),
    "no ties": lambda: draw(3).permutation(N).astype(np.float32),
    "thousand values": lambda: draw(4).random(N).round(3),
    "small ties": lambda: draw(5).integers(0, N // 8, N),
    "21 values": lambda: draw(6).integers(0, 21, N).astype(np.uint8),
    "one wide tie": lambda: np.maximum(draw(7).random(N), 0.4),
    "a tie across": lambda: np.clip(draw(8).random(N), None, 0.6),
    "heavy tail": lambda: np.minimum(draw(9).zipf(1.3, N), 10**6),
    "signed zeros": lambda: np.where(draw(10).random(N) < 0.5, -0.0, 0.0),
}


def structure(scores):
    """Tie groups of a ranking that is sorted."""
    _, size = np.unique(-scores.astype(np.float64), return_counts=True)
    return tie_groups(np.cumsum(size), NOWHERE, NOWHERE, scores.size)


def found(chunks, workers):
    """Tie groups found by several workers, which share the chunks out."""
    samples = [ScoreSample() for _ in range(workers)]
    for number, chunk in enumerate(chunks):
        samples[number % workers].add(chunk)
    search = merged(ScoreSample(), samples).search()
    blank = pickle.dumps(search)
    searches = [pickle.loads(blank) for _ in range(workers)]
    for number, chunk in enumerate(reversed(chunks)):
        searches[number % workers].add(chunk)
    return merged(search, searches).tie_groups()


def merged(total, parts):
    """The sum of some parts."""
    for part in parts:
        total.merge(part)
    return total


@pytest.mark.parametrize("name", RANKINGS)
def test_chunks_give_the_structure_of_the_sorted_scores(name):
    scores = RANKINGS[name]()
    got = found(np.array_split(scores, 7), workers=3)
    expected = structure(scores)
    np.testing.assert_array_equal(got.ends, expected.ends)
    np.testing.assert_array_equal(got.merged, expected.merged)


@pytest.mark.parametrize("n_expected", [0, N])
@pytest.mark.parametrize("n_chunks", [1, 5, 3000])
def test_size_of_the_sample_of_a_long_ranking(n_expected, n_chunks):
    sample = ScoreSample(n_expected)
    for chunk in np.array_split(np.arange(N + 17), n_chunks):
        sample.add(chunk)
    spare = 6 * np.sqrt(n_chunks)  # of each chunk, the last run may be left out
    assert 2**18 - spare <= sum(map(len, sample._pieces)) <= 2**19
    assert sample.n_samples == N + 17


def test_parts_of_unequal_size_are_sampled_alike(monkeypatch):
    """Each item is drawn as often as any other, by Pearson's chi-squared test."""
    rng = draw(0)
    monkeypatch.setattr(_tie_search, "_LARGEST", 8)
    monkeypatch.setattr(np.random, "default_rng", lambda: rng)
    count = np.zeros(50)
    for _ in range(4000):
        long, short = ScoreSample(), ScoreSample()
        for chunk in (np.arange(11), np.arange(11, 40), np.arange(40, 43)):
            long.add(chunk)
        short.add(np.arange(43, 50))
        total = merged(ScoreSample(), [short, long])
        assert total.stride == long.stride or total.stride == 2 * long.stride
        drawn = np.concatenate(total._pieces)
        assert np.unique(drawn).size == drawn.size <= 8
        count[drawn] += total.stride
    assert chisquare(count / 8).pvalue > 0.001
    assert count.sum() / 4000 == pytest.approx(50, rel=0.02)


@pytest.mark.parametrize("stride", [2**power for power in range(1, 25)])
def test_the_floor_is_deep_enough(stride):
    """A draw at random, which spreads more than one of each run, is a bound."""
    index = depth_in_sample(DETAILED, stride)
    assert binom.sf(index - 1, DETAILED - 1, 1 / stride) < 2e-9


def test_a_wide_tie_is_seen_in_the_sample():
    """The smallest that is looked for is 1 / 2**13 of the ranking."""
    least = 2**18 / 2**13
    assert poisson.cdf(np.ceil(least / _tie_search._CANDIDATE) - 1, least) < 1e-10


def test_chunks_may_be_used_again():
    buffer = np.array([3.0, 1.0])
    sample = ScoreSample()
    sample.add(buffer)
    search = sample.search()
    search.add(buffer)
    buffer[:] = 1.0
    np.testing.assert_array_equal(search.tie_groups().ends, [1, 2])
