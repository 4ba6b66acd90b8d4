"""Scores of every type are ranked by the numbers they are; -0.0 and 0.0 are one.

The judges: counting in double precision, scikit-learn's average precision, Python's
integers, and the identity that a list has the same answers in double precision.
"""

import dataclasses
import inspect

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import skrank
from cases import TIES, WITHOUT_TIES
from skrank.ranking._input import check_scores

FLOATS = ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", np.longdouble]
INTEGERS = ["i1", "u1", "<i2", ">u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8", ">u8"]
# Around the sizes from which lists are counted in another way.
SIZES = [2, 17, 2**14 - 1, 2**14, 2**16 - 1, 2**16, 2**16 + 1]
NEEDED = {"t": 9, "k": 9, "recall": 0.5}


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
    """Tie groups of a list by its distinct numbers, and what follows by counting."""

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
        if ties == "threshold":
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
        share = 1 if ties == "threshold" else (t - self.above[i]) / self.size[i]
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
    assert judge.average_precision("threshold") == pytest.approx(expected, rel=1e-11)
    depths = {1, max(size // 16, 1), size // 16 + 1, size // 2, size}
    for dtype in FLOATS:
        check(y_true, y_score.astype(dtype), judge, depths)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["<f2", "<f4"])
@pytest.mark.parametrize("size", [2**20, 2**20 + 1])
def test_signed_zeros_tie_in_long_lists(size, dtype):
    """Judged by counting; from here on ties are known one by one near the top only."""
    y_true, y_score = signed_zeros(size, 700)
    check(
        y_true, y_score.astype(dtype), Judge(y_true, y_score), [size // 16, size // 2]
    )


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
@pytest.mark.parametrize("size", [40, 2**14, 2**16 + 1])
@pytest.mark.parametrize("whole_range", [False, True])
def test_integers_are_ranked_as_those_of_python(dtype, size, whole_range):
    """Judged by sorting Python's integers; floats hold few of the large ones."""
    rng = np.random.default_rng(size)
    ends = np.iinfo(dtype)
    low, high = (ends.min, ends.max) if whole_range else (ends.max - 100, ends.max)
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
    with pytest.raises(ValueError, match="`y_score` must hold integers that keep"):
        skrank.average_precision([0, 1, 0], scores)
    held = [2**53, 2**53 + 2, 0.5, 1e300]
    assert skrank.average_precision([0, 1, 0, 0], held) == 0.5


@pytest.mark.parametrize(
    ("first", "second"), [("f2", "f4"), ("f4", "f2"), ("f8", "f2")]
)
def test_chunks_of_other_precision_are_refused(first, second):
    """What is meant to be one number is not in half and in single precision."""
    counts = skrank.RankCounts()
    counts.update([0, 1], np.array([0.1, 0.2], first))
    with pytest.raises(ValueError, match="same type in all chunks"):
        counts.update([0, 1], np.array([0.1, 0.2], second))


def test_chunks_of_another_order_of_bytes_go_together():
    counts = skrank.RankCounts.from_chunks(
        [([0, 1], np.array([0.1, 0.2], dtype)) for dtype in ("<f2", ">f2")]
    )
    assert skrank.average_precision(counts) == 1.0


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_scores_are_copied_only_where_their_type_is_not_sorted_rightly(dtype):
    """The judge is NumPy, which knows what shares memory."""
    y_score = np.arange(5).astype(dtype)
    native = y_score.dtype.isnative and y_score.dtype != np.float16
    assert np.shares_memory(check_scores(y_score), y_score) == native


# -- whatever is asked ----------------------------------------------------------------

HALVES = 300
Y, S = signed_zeros(HALVES, 30)
OTHER = np.roll(S, 7) + np.where(Y, 0.5, 0)
PLACE = np.arange(HALVES)
GROUPS = np.where(PLACE % 3, np.where(PLACE % 2, -0.0, 0.0), 1.0)


def metric_values(y_score):
    values = {}
    for name in skrank.metrics.__all__:
        metric = getattr(skrank, name)
        wanted = inspect.signature(metric).parameters
        settings = {key: NEEDED[key] for key in NEEDED if key in wanted}
        for ties in ["threshold"] if name in WITHOUT_TIES else TIES:
            more = {} if name in WITHOUT_TIES else {"ties": ties}
            values[name, ties] = metric(Y, y_score, **settings, **more)
            if ties == "threshold":
                weight = 1.0 + PLACE % 3
                values[name, "weights"] = metric(
                    Y, y_score, sample_weight=weight, **settings, **more
                )
    return values


def evaluated(y_score):
    pieces = np.array_split(PLACE, 3)
    made = skrank.RankingEvaluation()
    for piece in pieces:
        made.add(Y[piece], y_score[piece])
    return made.to_dict()


QUESTIONS = {
    "metrics": metric_values,
    "hit curve": lambda s: dataclasses.asdict(skrank.hit_curve(Y, s)),
    "operating points": lambda s: dataclasses.asdict(skrank.operating_points(Y, s)),
    "band": lambda s: dataclasses.asdict(
        skrank.hit_curve_band(Y, s, t=[9, 99], random_state=0)
    ),
    "band of a difference": lambda s: dataclasses.asdict(
        skrank.hit_curve_difference_band(
            Y, s, OTHER.astype(s.dtype), t=[9, 99], random_state=0
        )
    ),
    "test": lambda s: (
        skrank.RandomSelectionTest("recall@30", ties="threshold")
        .from_predictions(Y, s)
        .to_dict()
    ),
    "test of groups": lambda s: (
        skrank.RandomSelectionTest("recall@9")
        .from_predictions(Y, s, groups=GROUPS.astype(s.dtype))
        .to_dict()
    ),
    "variability": lambda s: skrank.MetricInterval().from_predictions(Y, s).to_dict(),
    "bootstrap": lambda s: (
        skrank.MetricInterval(method="bootstrap", n_resamples=9, random_state=0)
        .from_predictions(Y, s)
        .to_dict()
    ),
    **{
        method: lambda s, method=method: (
            skrank.RankingComparison(method=method, n_resamples=9, random_state=0)
            .from_predictions(Y, s, OTHER.astype(s.dtype))
            .to_dict()
        )
        for method in ("jackknife", "permutation", "bootstrap")
    },
    "mcnemar": lambda s: (
        skrank.RankingComparison("recall@9", method="mcnemar")
        .from_predictions(Y, s, OTHER.astype(s.dtype))
        .to_dict()
    ),
    "search": lambda s: (
        skrank.SearchSelectionTest(n_resamples=9, random_state=0)
        .from_predictions(Y, {"a": s, "b": OTHER.astype(s.dtype)})
        .to_dict()
    ),
    "report": lambda s: skrank.ranking_report(Y, s, t=9, pvalue=False).to_dict(),
    "evaluation": evaluated,
    "chunks": lambda s: skrank.average_precision(
        skrank.RankCounts.from_arrays(Y, s, chunk_size=100)
    ),
}


@pytest.fixture
def sorts_no_halves(monkeypatch):
    """Half precision is put in order wrongly by some processors: by none here."""

    def refusing(function):
        def call(array, *args, **kwargs):
            assert getattr(array, "dtype", None) not in ("<f2", ">f2")
            return function(array, *args, **kwargs)

        return call

    for name in ("sort", "argsort", "partition", "unique", "searchsorted", "isin"):
        monkeypatch.setattr(np, name, refusing(getattr(np, name)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.usefixtures("sorts_no_halves")
def test_answers_are_those_in_double_precision(question, dtype):
    """The identity: the same numbers, their zeros without signs, in doubles."""
    expected = QUESTIONS[question](S + 0.0)
    found = QUESTIONS[question](S.astype(dtype))
    np.testing.assert_equal(plain(found), plain(expected))


def plain(value):
    """Numbers in containers, whatever their type."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return np.asarray(value + 0.0, dtype=float)
    return value


def test_dask_ranks_halves_as_doubles():
    """The identity, of partitions."""
    array = pytest.importorskip("dask.array")
    y_score = array.from_array(S.astype("<f2"), chunks=70)
    found = skrank.average_precision(array.from_array(Y, chunks=70), y_score)
    assert found == skrank.average_precision(Y, S + 0.0)
