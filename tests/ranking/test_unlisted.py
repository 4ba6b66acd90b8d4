"""Items that are not in the list, and items of weight 0.

The judge of the first are the same items appended below all others with one score, and
that of the second are the data without the items.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import skrank
from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingComparison,
    RankingEvaluation,
    Rankings,
    hit_curve,
    operating_points,
)
from tests.cases import ALL, METRICS, metric_function, named

RNG = np.random.default_rng(0)
N, UNLISTED, MISSED = 60, 90, 7
Y = (RNG.random(N) < 0.3).astype(int)
SCORES = {
    "floats": np.round(RNG.normal(Y), 1),
    "integers": RNG.integers(-3, 9, N),
    "small": RNG.integers(0, 9, N).astype(np.uint8),
    "singles": RNG.normal(Y).astype(np.float32),
}
ASKED = {"n_missed": MISSED, "n_unlisted": UNLISTED}


def appended(y, score, missed, unlisted):
    """The list with the other items as one tie at its end."""
    outside = np.arange(unlisted) < missed
    below = np.full(unlisted, float(score.min()) - 1)
    return np.append(y, outside), np.append(score.astype(float), below)


@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize("kind", SCORES)
def test_metrics_are_those_of_the_whole_collection(case, kind):
    metric, settings = ALL[case]
    function, score = getattr(skrank, metric), SCORES[kind]
    expected = function(*appended(Y, score, MISSED, UNLISTED), **settings)
    assert function(Y, score, **settings, **ASKED) == expected
    made = skrank.make_metric(named(metric, **settings)["metric"])
    assert made(Y, score, **ASKED) == expected
    ranking = Ranking.from_predictions(Y, score, **ASKED)
    assert function(ranking, **settings) == expected


@pytest.mark.parametrize("case", METRICS)
def test_by_group(case):
    metric, settings = METRICS[case]
    function, score = getattr(skrank, metric), SCORES["floats"]
    group = np.array(["a", "b", "c"])[np.arange(N) % 3]
    # "d" has no item in the list, and "b" none outside
    unlisted, missed = {"a": 20, "c": 50, "d": 12}, {"a": 3, "d": 2}
    every_y, every_score, every_group = [Y], [score], [group]
    for label, size in unlisted.items():
        every_y.append(np.arange(size) < missed.get(label, 0))
        every_score.append(np.full(size, score.min() - 1))
        every_group.append(np.full(size, label))
    whole = np.concatenate(every_y), np.concatenate(every_score)
    every = np.concatenate(every_group)
    given = {"groups": group, "n_missed": missed, "n_unlisted": unlisted}
    expected = function(*whole, **settings, groups=every)
    assert function(Y, score, **settings, **given) == pytest.approx(expected)
    test = RandomSelectionTest(**named(metric, **settings))
    found = test.from_predictions(Y, score, **given)
    judge = test.from_predictions(*whole, groups=every)
    assert found.labels == judge.labels == ("a", "b", "c", "d")
    as_series = {"groups": group, "n_missed": pd.Series(missed)}
    as_series["n_unlisted"] = pd.Series(unlisted)
    assert function(Y, score, **settings, **as_series) == pytest.approx(expected)
    assert found.value == pytest.approx(judge.value)
    assert found.pvalue == pytest.approx(judge.pvalue)


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
@pytest.mark.parametrize("case", ALL)
def test_missed_targets_of_groups_without_the_collection(case):
    # judged by the mean over the lists one by one; "all" holds targets alone
    function, score = metric_function(case), SCORES["floats"]
    query = np.array(["all", "a", "b"])[np.arange(N) % 3]
    y = np.where(query == "all", 1, Y)
    missed = {"a": 2, "b": 1}
    values = [
        function(
            y[query == one],
            score[query == one],
            n_missed=missed.get(one, 0),
            undefined=0.25,
        )
        for one in ("all", "a", "b")
    ]
    given = {"groups": query, "n_missed": missed, "undefined": 0.25}
    assert function(y, score, **given) == pytest.approx(np.mean(values))


def trec_eval(rel, n_relevant, depth):
    """AP, reciprocal rank, and recall, as trec_eval -c defines them."""
    ranks = np.flatnonzero(rel) + 1
    hits = np.arange(1, ranks.size + 1)
    first = 1 / ranks[0] if ranks.size else 0.0
    return (hits / ranks).sum() / n_relevant, first, rel[:depth].sum() / n_relevant


def test_queries_of_a_qrels_file():
    # "new" is in the file of relevant documents, and the run has nothing for it
    score = SCORES["singles"]
    query = np.array(["a", "b", "c"])[np.arange(N) % 3]
    missed = {"a": 2, "c": 7, "new": 3}
    expected = [(0.0, 0.0, 0.0)]
    for one in "abc":
        own = query == one
        rel = Y[own][np.argsort(-score[own])]
        expected.append(trec_eval(rel, rel.sum() + missed.get(one, 0), 5))
    given = {"groups": query, "n_missed": missed}
    found = [
        skrank.average_precision(Y, score, **given),
        skrank.reciprocal_rank(Y, score, **given),
        skrank.recall_at_t(Y, score, t=5, **given),
    ]
    assert_allclose(found, np.mean(expected, axis=0))
    for name, value in zip(
        ("average_precision", "reciprocal_rank", "recall@5"), found, strict=True
    ):
        result = MetricInterval(name).from_predictions(Y, score, **given)
        assert result.value == pytest.approx(value)
        assert result.labels == ("a", "b", "c", "new")
    weight = np.full(N, 2.0)
    weighted = skrank.average_precision(Y, score, sample_weight=weight, **given)
    expected = [
        skrank.average_precision(
            Y[query == one],
            score[query == one],
            n_missed=missed.get(one, 0),
            sample_weight=weight[query == one],
        )
        for one in "abc"
    ]
    assert weighted == pytest.approx(np.mean([*expected, 0.0]))


@pytest.mark.parametrize("kind", SCORES)
def test_tests_intervals_and_curves(kind):
    score = SCORES[kind]
    whole = appended(Y, score, MISSED, UNLISTED)
    for ask in (
        RandomSelectionTest("bedroc(alpha=20)"),
        MetricInterval(),
        MetricInterval("precision@20"),
    ):
        found = ask.from_predictions(Y, score, **ASKED).to_dict()
        assert found == ask.from_predictions(*whole).to_dict()
    curves = hit_curve(Y, score, **ASKED), hit_curve(*whole)
    for name in ("t", "hits", "lift", "tie_ends"):
        assert_allclose(*(getattr(one, name) for one in curves))
    tables = [one.gains_table(6).to_frame() for one in curves]
    scores = [one.pop("lowest_score") for one in tables]
    assert tables[0].equals(tables[1])
    # items without a score have none
    listed = tables[0]["t"] <= score.size
    assert_allclose(scores[0], np.where(listed, scores[1], np.nan))
    points = operating_points(Y, score, **ASKED), operating_points(*whole)
    assert_allclose(*(one.recall for one in points))
    assert_allclose(points[0].score[:-1], points[1].score[:-1])  # of the list


def test_a_comparison_of_the_whole_collection():
    scores = {"a": SCORES["floats"], "b": SCORES["singles"]}
    columns = {
        name: appended(Y, one, MISSED, UNLISTED)[1] for name, one in scores.items()
    }
    labels, _ = appended(Y, scores["a"], MISSED, UNLISTED)
    test = RankingComparison(n_resamples=99)
    found = test.from_rankings(Rankings.from_predictions(Y, scores, **ASKED))
    assert (
        found.to_dict()
        == test.from_rankings(Rankings.from_predictions(labels, columns)).to_dict()
    )


def test_an_evaluation_in_batches():
    score = SCORES["floats"]
    whole = RankingEvaluation.from_predictions(Y, score, **ASKED)
    parts = RankingEvaluation().add(Y[:30], score[:30]).add_missed(3, n_unlisted=50)
    rest = RankingEvaluation().add(Y[30:], score[30:])
    parts += rest.add_missed(4, n_unlisted=40)
    assert parts.to_dict() == whole.to_dict()
    judge = RankingEvaluation.from_predictions(*appended(Y, score, MISSED, UNLISTED))
    counts = ("n_samples", "n_missed", "precision_at_100")  # 60 are scored
    found, expected = (
        {name: value for name, value in one.to_dict().items() if name not in counts}
        for one in (whole, judge)
    )
    assert found == expected
    assert "60 and 90 unlisted items, " in repr(whole)
    best = RankingEvaluation().add([0, 0, 1, 0], [3.0, 2, 1, 0])
    said = str(best.add_missed(3, n_unlisted=3))
    assert "maximum F1         0.7273 of all items (recall 1, precision 0.5714)" in said
    late = RankingEvaluation().add(Y, score).add_missed(3).add_missed(1, n_unlisted=2)
    with pytest.raises(ValueError, match="`n_unlisted` must be at least `n_missed`, 4"):
        late.ranking()


def test_weights_of_the_list():
    weight = RNG.integers(1, 4, N)
    y, score = appended(Y, SCORES["floats"], MISSED, UNLISTED)
    given = {"sample_weight": np.append(weight, np.ones(UNLISTED))}
    expected = skrank.recall_at_t(y, score, t=0.3, **given)
    given = {"sample_weight": weight, **ASKED}
    assert skrank.recall_at_t(Y, SCORES["floats"], t=0.3, **given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"n_missed": 2, "n_unlisted": 1},
            "`n_unlisted` must be at least `n_missed`, 2",
        ),
        ({"n_unlisted": -1}, "`n_unlisted` must be an int of at least 0"),
        ({"n_unlisted": 3, "groups": Y}, "`n_unlisted` must map each group"),
        (
            {"n_unlisted": {1: 3}, "n_missed": {2: 1}, "groups": Y},
            "`n_unlisted` must be at least `n_missed`, .* each group; got 0 and 1 in 2",
        ),
        (
            {"n_unlisted": {1: 3}, "n_missed": {1: 4}, "groups": Y},
            "`n_unlisted` must be at least `n_missed`, .* each group; got 3 and 4 in 1",
        ),
        (
            {"n_missed": {"1": 4}, "groups": Y},
            "`n_missed` must have the labels of `groups`, .* same type; got '1' for 1",
        ),
        ({"n_unlisted": 3, "folds": Y}, "`n_unlisted` must be left out with `folds`"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(ValueError, match=message):
        RandomSelectionTest().from_predictions(Y, SCORES["floats"], **given)


def test_no_score_is_below_the_smallest():
    least = np.array([np.iinfo(np.int64).min, 5, 7, 9])
    with pytest.raises(ValueError, match="`y_score` must be above the smallest number"):
        skrank.average_precision([0, 1, 0, 1], least, n_unlisted=2)
    counts = RankCounts.from_predictions(Y, SCORES["floats"])
    with pytest.raises(
        ValueError, match="`n_unlisted` must be left out where `y_true`"
    ):
        skrank.average_precision(counts, n_unlisted=2)


@pytest.mark.parametrize(
    "name", ["enrichment_factor@9", "rie(alpha=20)", "bedroc(alpha=20)"]
)
def test_missed_targets_alone_have_a_warning(name):
    score = SCORES["floats"]
    with pytest.warns(UserWarning, match=r"alone, .* treats all items without a score"):
        skrank.make_metric(name)(Y, score, n_missed=5)
    with pytest.warns(UserWarning, match="alone, the test treats all items"):
        found = RandomSelectionTest(name).from_predictions(Y, -score, n_missed=40)
    assert "far below chance" not in str(found)
    with pytest.warns(UserWarning, match="alone, the lift treats all items"):
        assert hit_curve(Y, score, n_missed=5).lift.size
    with pytest.warns(UserWarning, match="alone, the gains table treats all items"):
        hit_curve(Y, score, n_missed=5).gains_table()


# Items of weight 0

WEIGHT = RNG.integers(0, 4, N).astype(float)
MASK = (RNG.random(N) < 0.7).astype(float)
GROUP = np.arange(N) % 4
SAFE = {"ties": "together"}  # the order of weighted items in a tie is not known


@pytest.mark.filterwarnings("ignore:.* counts units of weight")
@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize("weight", [WEIGHT, MASK], ids=["weights", "mask"])
def test_metrics_without_items_of_weight_0(case, weight):
    metric, settings = ALL[case]
    made = skrank.make_metric(named(metric, **settings)["metric"], **SAFE)
    if made.counts_ranks and weight is WEIGHT:
        pytest.skip("weights have no ranks")
    kept, score = weight > 0, SCORES["floats"]
    for groups in (None, GROUP):
        some = None if groups is None else groups[kept]
        found = made(Y, score, sample_weight=weight, groups=groups)
        assert found == made(
            Y[kept], score[kept], sample_weight=weight[kept], groups=some
        )
    if weight is MASK:
        assert made(Y, score, sample_weight=MASK) == made(Y[kept], score[kept])


@pytest.mark.filterwarnings("ignore:The weights are so unequal")
@pytest.mark.parametrize("name", ["average_precision", "recall@0.1", "precision@0.3"])
@pytest.mark.parametrize("weight", [WEIGHT, MASK], ids=["weights", "mask"])
@pytest.mark.parametrize("given", ["", "groups", "folds"])
def test_intervals_without_items_of_weight_0(name, weight, given):
    kept, score = weight > 0, SCORES["singles"]
    ask = MetricInterval(name, n_resamples=99, random_state=0)
    every = {given: GROUP} if given else {}
    some = {given: GROUP[kept]} if given else {}
    found = ask.from_predictions(Y, score, sample_weight=weight, **every)
    args = Y[kept], score[kept]
    judge = ask.from_predictions(*args, sample_weight=weight[kept], **some)
    assert found.to_dict() == judge.to_dict()
    if weight is MASK:
        assert found.to_dict() == ask.from_predictions(*args, **some).to_dict()


def test_curves_and_clusters_without_items_of_weight_0():
    kept, score = MASK > 0, SCORES["floats"]
    found = hit_curve(Y, score, sample_weight=MASK)
    assert_allclose(found.hits, hit_curve(Y[kept], score[kept]).hits)
    test = RandomSelectionTest(n_resamples=99)
    found = test.from_predictions(Y, score, sample_weight=MASK, strata=GROUP)
    judge = test.from_predictions(Y[kept], score[kept], strata=GROUP[kept])
    assert found.to_dict() == judge.to_dict()
    with pytest.raises(ValueError, match="got 0 targets among"):
        MetricInterval().from_predictions(Y, score, sample_weight=1 - Y)


def test_few_effective_targets_have_a_warning():
    rng = np.random.default_rng(0)
    y = np.arange(900) < 40
    score, weight = rng.normal(2 * y), np.ones(900)
    ask = MetricInterval(n_resamples=99, random_state=0)
    ask.from_predictions(y, score, sample_weight=2 * weight)
    # one more target of weight 20 would count as much as 20: (40 + 20)^2 / (40 + 400)
    weight[-1] = 20
    with pytest.warns(UserWarning, match=r"that they count as 8\.18 targets"):
        ask.from_predictions(y, score, sample_weight=weight)
