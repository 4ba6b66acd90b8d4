"""Scores of every type are ranked by the numbers they are; -0.0 and 0.0 are one.

The judges: counting in double precision, scikit-learn's average precision, and Python's
integers.
"""

import types

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import average_precision_score

import skrank
from cases import TIES
from skrank.ranking._input import check_scores

pytestmark = pytest.mark.contract

FLOATS = ["<f4", ">f4", "<f8", ">f8"]
INTEGERS = ["i1", "u1", ">u2", "<i4", "<u4", "<i8", ">i8", "<u8", ">u8"]
# Around the sizes from which rankings are counted in another way.
SIZES = [2, 17, 2**14, 2**16 - 1, 2**16 + 1]


def signed_zeros(size, n_targets):
    """Labels and scores that half precision holds, a third of them zeros."""
    rng = np.random.default_rng(size)
    y_true = np.zeros(size, dtype=int)
    y_true[rng.choice(size, n_targets, replace=False)] = 1
    y_score = (rng.normal(size=size) + y_true).astype(np.float16).astype(np.float64)
    zero = rng.random(size) < 1 / 3
    y_score[zero] = rng.choice([-0.0, 0.0], np.count_nonzero(zero))
    return y_true, y_score


class Judge:
    """Tie groups of a ranking by its distinct numbers, and what follows by counting."""

    def __init__(self, y_true, y_score):
        _, group = np.unique(-(y_score + 0.0), return_inverse=True)
        self.size = np.bincount(group)
        self.hits = np.bincount(group, y_true)
        self.above = self.size.cumsum() - self.size
        self.hits_above = self.hits.cumsum() - self.hits
        self.m = y_true.sum()
        self.order = {
            "optimistic": y_true[np.lexsort((-y_true, group))],
            "pessimistic": y_true[np.lexsort((y_true, group))],
        }

    def average_precision(self, ties):
        if ties in self.order:
            ranks = 1 + np.flatnonzero(self.order[ties])
            return (np.arange(1, self.m + 1) / ranks).mean()
        if ties == "together":
            precision = (self.hits_above + self.hits) / (self.above + self.size)
            return (self.hits * precision).sum() / self.m
        return sum(map(self.expected_precisions, np.flatnonzero(self.hits))) / self.m

    def expected_precisions(self, i):
        b, d, j = self.size[i], self.hits[i], np.arange(1, self.size[i] + 1)
        more = (j - 1) * (d - 1) / max(b - 1, 1)
        return (d / b * (self.hits_above[i] + 1 + more) / (self.above[i] + j)).sum()

    def recall(self, t, ties):
        if ties in self.order:
            return self.order[ties][:t].sum() / self.m
        i = np.searchsorted(self.above, t) - 1
        share = 1 if ties == "together" else (t - self.above[i]) / self.size[i]
        return (self.hits_above[i] + self.hits[i] * share) / self.m


def check(y_true, y_score, judge, depths):
    for ties in TIES:
        found = skrank.average_precision(y_true, y_score, ties=ties)
        assert found == pytest.approx(judge.average_precision(ties), rel=1e-11)
        for t in depths:
            found = skrank.recall_at_t(y_true, y_score, t=t, ties=ties)
            assert found == pytest.approx(judge.recall(t, ties), rel=1e-11)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_signed_zeros_tie_in_every_type(size, many):
    """Judged by counting and by scikit-learn; depths on both sides of a sixteenth."""
    y_true, y_score = signed_zeros(size, 1 + many * size // 25 + size // 5000)
    judge = Judge(y_true, y_score)
    expected = average_precision_score(y_true, y_score + 0.0)
    assert judge.average_precision("together") == pytest.approx(expected, rel=1e-11)
    depths = {1, max(size // 16, 1), size // 16 + 1, size // 2, size}
    for dtype in FLOATS:
        check(y_true, y_score.astype(dtype), judge, depths)


@pytest.mark.slow
@pytest.mark.parametrize("size", [2**20, 2**20 + 1])
def test_signed_zeros_tie_in_long_rankings(size):
    """Judged by counting; from here on ties are known one by one near the top only."""
    y_true, y_score = signed_zeros(size, 700)
    depths = [size // 16, size // 2]
    check(y_true, y_score.astype(np.float32), Judge(y_true, y_score), depths)


@pytest.mark.parametrize("dtype", FLOATS)
def test_signed_zeros_tie_in_chunks(dtype):
    """Judged by counting; each of the chunks has zeros of its own sign."""
    y_true, y_score = signed_zeros(2**16 + 1, 900)
    judge = Judge(y_true, y_score)
    chunks, parts = [], np.array_split(np.arange(y_true.size), 3)
    for part, sign in zip(parts, (1, -1, 1), strict=True):
        scores = np.where(y_score[part] == 0, sign * 0.0, y_score[part])
        chunks.append((y_true[part], scores.astype(dtype)))
    counts = skrank.RankCounts.from_chunks(chunks)
    for ties in TIES:
        found = skrank.average_precision(counts, ties=ties)
        assert found == pytest.approx(judge.average_precision(ties), rel=1e-11)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("size", [40, 2**16 + 1])
def test_integers_are_ranked_as_those_of_python(dtype, size):
    """Judged by sorting Python's integers; floats hold few of the large ones."""
    rng = np.random.default_rng(size)
    ends = np.iinfo(dtype)
    low, high = (ends.min, ends.max) if size > 40 else (ends.max - 100, ends.max)
    y_score = rng.integers(low, high, size, np.dtype(dtype).newbyteorder("="), True)
    y_true = (rng.random(size) < 0.1).astype(int)
    y_true[:2] = 0, 1
    places = {score: i for i, score in enumerate(sorted(set(y_score.tolist())))}
    ranks = np.array([places[score] for score in y_score.tolist()], dtype=float)
    judge = Judge(y_true, ranks)
    check(y_true, y_score.astype(dtype), judge, [1, size // 16, size // 2])


@pytest.mark.parametrize(
    "scores",
    [
        [2**53, 2**53 + 1, 0.5],
        [2**63, 2**63 + 1, -1],
        [np.uint64(2**53), np.int64(2**53 + 1), 0],
        np.array([2**53, 2**53 + 1, 0.5], dtype=object),
    ],
    ids=range(4),
)
def test_integers_that_would_tie_as_floats_are_refused(scores):
    """In a list the types may be mixed: the larger of the first two would be lost."""
    with pytest.raises(ValueError, match="`y_score` must contain integers that keep"):
        skrank.average_precision([0, 1, 0], scores)
    held = [2**53, 2**53 + 2, 0.5, 1e300]
    assert skrank.average_precision([0, 1, 0, 0], held) == 0.5


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_scores_are_copied_only_where_their_bytes_are_swapped(dtype):
    """The judge is NumPy, which knows what shares memory."""
    y_score = np.arange(5).astype(dtype)
    native = y_score.dtype.isnative
    assert np.shares_memory(check_scores(y_score), y_score) == native


@pytest.mark.parametrize("dtype", ["<f2", ">f2", np.longdouble])
def test_half_and_long_doubles_become_doubles(dtype):
    """The judge is the cast."""
    y_true, y_score = signed_zeros(300, 30)
    scores = check_scores(y_score.astype(dtype))
    assert scores.dtype == np.float64
    expected = skrank.average_precision(y_true, y_score)
    assert skrank.average_precision(y_true, y_score.astype(dtype)) == expected
    chunks = [
        (y_true[:100], y_score[:100]),
        (y_true[100:], y_score[100:].astype(dtype)),
    ]
    counts = skrank.RankCounts.from_chunks(chunks)
    assert skrank.average_precision(counts) == expected


@pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(np.float64).max,
    reason="a long double is a double here",
)
@pytest.mark.parametrize("move", ["float", "astype"])
def test_floats_that_numpy_does_not_have_become_single(move):
    """Tensors of torch are no arrays of NumPy then, and arrays of JAX no numbers."""
    y_true, y_score = np.arange(9) % 3 == 0, np.arange(9, dtype=np.float32)[::-1]
    scores = types.SimpleNamespace(dtype="torch.bfloat16")
    setattr(scores, move, lambda *_: y_score)
    expected = skrank.average_precision(y_true, y_score)
    assert skrank.average_precision(y_true, scores) == expected


def test_a_long_double_beyond_all_doubles_is_refused():
    y_score = np.array([1, np.finfo(np.longdouble).max])
    refused = pytest.raises(ValueError, match="`y_score` must be finite")
    with np.errstate(over="ignore"), refused:
        check_scores(y_score)


class OnDevice:
    """A tensor on a GPU, as NumPy sees it."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy.")


@pytest.mark.parametrize("name", ["y_true", "y_score", "sample_weight", "groups"])
def test_arrays_on_a_device_are_refused(name):
    given = {"y_true": [0, 1], "y_score": [0.2, 0.1], name: OnDevice()}
    message = rf"`{name}` must be .*np.asarray\({name}.cpu\(\)\).*OnDevice: can't"
    with pytest.raises(ValueError, match=message):
        skrank.average_precision(**given)


def test_predictions_on_a_device_are_refused():
    class Model(BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return OnDevice()

    scorer = skrank.make_average_precision_scorer()
    with pytest.raises(ValueError, match=r"`estimator.predict\(X\)` must be in host"):
        scorer(Model(), [[0], [1]], [0, 1])
