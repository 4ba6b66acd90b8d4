"""Evaluations made piece by piece: LingPipe's numbers, and the ranking of the whole."""

import json
import math
import pickle
import re
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

import skrank
from cases import DATA, TIES
from skrank import (
    Ranking,
    RankingEvaluation,
    average_precision,
    operating_points,
    precision_at_t,
    recall_at_t,
)

# LingPipe 3.9.2, documentation of com.aliasi.classify.ScoredPrecisionRecallEvaluation
LABELS = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
SCORES = [-1.21, -1.27, -1.39, -1.47, -1.60, -1.65, -1.79, -1.80, -2.01, -3.70]
RECALL = [0.00, 0.25, 0.25, 0.50, 0.75, 0.75, 0.75, 0.75, 1.00, 1.00]
PRECISION = [math.nan, 0.50, 0.33, 0.50, 0.60, 0.50, 0.43, 0.38, 0.44, 0.40]
REJECTION_RECALL = [0.83, 0.83, 0.67, 0.67, 0.67, 0.50, 0.33, 0.17, 0.17, 0.00]


def lingpipe(**settings):
    return RankingEvaluation.from_predictions(LABELS, SCORES, **settings)


def columns(points, *names):
    """Rows of an operating curve as LingPipe prints them."""
    return np.column_stack([getattr(points, name) for name in names]).round(2).tolist()


def best_precision(ranking, recall):
    """Interpolated precision at a recall, as the user guide has it."""
    points = operating_points(ranking, interpolate=True)
    place = np.searchsorted(points.recall, np.asarray(recall) - 1e-12)
    return np.append(points.precision, 0)[place]


# LingPipe


def test_every_row_of_lingpipes_table():
    ranking = lingpipe().ranking()
    curve = skrank.hit_curve(ranking)
    for rank in range(10):
        t = rank + 1
        assert round(recall_at_t(ranking, t=t), 2) == RECALL[rank]
        if rank:  # before a target is found LingPipe has no precision; ours is 0
            assert round(precision_at_t(ranking, t=t), 2) == PRECISION[rank]
        rejected = 1 - (t - curve.at(t)) / 6
        assert round(rejected, 2) == REJECTION_RECALL[rank]


def test_metrics_of_lingpipe():
    fields = {name: round(value, 2) for name, value in lingpipe().to_dict().items()}
    assert fields == {
        "n_samples": 10,
        "n_targets": 4,
        "n_missed": 0,
        "prevalence": 0.4,
        "average_precision": 0.51,
        "precision_recall_area": 0.51,
        "precision_recall_area_interpolated": 0.56,
        "roc_area": 0.58,
        "roc_area_interpolated": 0.58,
        "max_f_score": 0.67,
        "breakeven_point": 0.6,
        "r_precision": 0.5,
        "reciprocal_rank": 0.5,
        "precision_at_5": 0.6,
        "precision_at_10": 0.4,
    }
    assert {type(value) for value in lingpipe().to_dict().values()} == {int, float}


def test_lingpipe_with_a_missed_target():
    expected = json.loads((DATA / "lingpipe_missed_target.json").read_text())
    evaluation = RankingEvaluation().add_missed(expected["misses"])
    for label, score in zip(expected["y"], expected["score"], strict=True):
        evaluation.add(label, score)
    assert (evaluation.n_samples, evaluation.n_targets) == (10, 5)
    fields, ranking = evaluation.to_dict(), evaluation.ranking()
    assert fields["r_precision"] == pytest.approx(expected["r_precision"], abs=1e-4)
    for name in ("average_precision", "reciprocal_rank"):
        assert fields[name] == pytest.approx(expected[name], abs=1e-3)
    assert fields["max_f_score"] == pytest.approx(expected["max_f1"], abs=1e-3)
    # LingPipe's unit test adds (0, 1) at the start and (1, 0) at the end, so that its
    # eleven points begin with 1; no threshold attains either, and ours do without
    eleven = best_precision(ranking, np.linspace(0, 1, 11))
    theirs = expected["interpolated_precision_11pt"]
    assert theirs[0] == 1.0
    assert eleven[0] == eleven[1]
    assert_allclose(eleven[1:], theirs[1:], atol=0.01)
    theirs = expected["pr_curve_uninterpolated"]
    points = operating_points(ranking)
    gains = [b for a, b in pairwise(theirs) if a[0] < b[0]]
    assert_allclose(columns(points, "recall", "precision"), gains[:-1], atol=0.01)
    # the interpolated curve of that release keeps the recall of dominated points
    for recall, precision in expected["pr_curve_interpolated"][1:-1]:
        value = best_precision(ranking, recall)
        assert value == pytest.approx(precision, abs=0.01)
    corners = np.column_stack([1 - points.specificity, points.recall])
    theirs = expected["roc_curve_uninterpolated"]
    assert all(np.any(np.all(np.abs(theirs - c) < 0.01, axis=1)) for c in corners)
    # its area joins the best points of each specificity by straight lines, from the
    # added (0, 0) to (1, 1), as if the missed target came last; ours are steps, and the
    # missed target adds nothing: 14 of 30 pairs are in the right order
    others = np.linspace(0, 1, 7)
    best = [0.0, 0.2, 0.6, 0.6, 0.6, 0.8, 1.0]
    straight = np.sum((np.array(best[1:]) + best[:-1]) / 2 * np.diff(others))
    assert straight == pytest.approx(expected["area_under_roc_interpolated"], abs=1e-3)
    assert fields["roc_area"] == pytest.approx(14 / 30)
    # beyond the ranking LingPipe divides by t; ours refuses, as all metrics here
    with pytest.raises(ValueError, match="`t` must not reach beyond the ranking; got "):
        precision_at_t(ranking, t=20)


def test_summary():
    # targets at ranks 2, 4, 5 and 9, one missed; below them 5, 4, 4 and 1 others of 6
    area = (1 / 2 + 2 / 4 + 3 / 5 + 4 / 9) / 5
    steps = (3 * 3 / 5 + 4 / 9) / 5
    pairs = (5 + 4 + 4 + 1) / (5 * 6)
    assert str(lingpipe(n_missed=1)) == "\n".join(
        [
            "Ranking evaluation",
            "  ranking            10 items, 5 targets, 1 of them missed "
            "(prevalence 0.4545)",
            f"  average precision  {area:.4f}",
            f"  area under PR      {area:.4f}, interpolated {steps:.4f}",
            f"  area under ROC     {pairs:.4f}, interpolated {pairs:.4f}",
            "  maximum F1         0.6 at score -1.6 (recall 0.6, precision 0.6)",
            "  breakeven point    0.6",
            "  R-precision        0.6",
            "  reciprocal rank    0.5",
            "  precision at 5     0.6",
            "  precision at 10    0.4",
        ]
    )
    evaluation = RankingEvaluation(ties="together", pos_label="a").add_missed(2)
    assert repr(evaluation) == (
        "<RankingEvaluation(ties='together', pos_label='a') of 0 items, 2 targets, "
        "2 of them missed>"
    )


# Areas by hand


# labels and scores that often tie; one other at least
items = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=1, max_size=15
).filter(lambda items: any(not label for label, _ in items))


@given(items, st.integers(0, 3), st.sampled_from(TIES))
def test_roc_area_against_counted_pairs(items, n_missed, ties):
    """All pairs one by one, in rational numbers; a missed target is never above."""
    tied = {"expected": Fraction(1, 2), "optimistic": Fraction(1)}.get(ties, Fraction())
    targets = [float(score) for label, score in items if label]
    targets += [-math.inf] * n_missed
    others = [float(score) for label, score in items if not label]
    if not targets:
        return
    pairs = [tied if a == b else Fraction(a > b) for a in targets for b in others]
    evaluation = RankingEvaluation(ties=ties).add_missed(n_missed)
    for label, score in items:
        evaluation.add(label, float(score))
    area = Fraction(sum(pairs), len(pairs))
    fields = evaluation.to_dict()
    assert fields["roc_area"] == pytest.approx(float(area), abs=1e-14)
    # interpolated: others above the worst target of each share of the recall
    ranked = sorted((a for a in targets if a > -math.inf), reverse=True)
    below = [Fraction(sum(b < a for b in others), len(others)) for a in ranked]
    area = sum((max(below[i:]) for i in range(len(below))), Fraction()) / len(targets)
    value = fields["roc_area_interpolated"]
    assert value == pytest.approx(float(area), abs=1e-14)


untied_or_tied = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(
            lambda y: 0 < sum(y) < len(y)
        ),
        st.lists(st.integers(-3, 12).map(float), min_size=n, max_size=n),
    )
)


@given(untied_or_tied)
def test_area_against_sklearn(data):
    area = roc_auc_score(*data)
    evaluation = RankingEvaluation.from_predictions(*data)
    assert evaluation.to_dict()["roc_area"] == pytest.approx(area, abs=1e-14)


@given(untied_or_tied)
def test_interpolation_never_lowers_an_untied_area(data):
    y_true, y_score = data
    untied = np.asarray(y_score) + np.arange(len(y_score)) / (2 * len(y_score))
    evaluation = RankingEvaluation.from_predictions(y_true, untied)
    fields, m = evaluation.to_dict(), evaluation.n_targets
    for area in ("precision_recall_area", "roc_area"):
        assert fields[f"{area}_interpolated"] >= fields[area] - 1e-14
    # the interpolated curve read as a step function, recall by recall
    mean = best_precision(evaluation.ranking(), np.arange(1, m + 1) / m).mean()
    area = fields["precision_recall_area_interpolated"]
    assert mean == pytest.approx(area, rel=1e-12)


# The ranking of all cases

rng = np.random.default_rng(0)
Y_TRUE = rng.permutation(np.repeat([1, 0], [20, 130]))
Y_SCORE = np.round(rng.normal(size=150) + Y_TRUE, 1)


@pytest.mark.parametrize("ties", TIES)
def test_numbers_are_those_of_the_metrics(ties):
    evaluation = RankingEvaluation.from_predictions(
        Y_TRUE, Y_SCORE, n_missed=3, ties=ties
    )
    fields, ranking = evaluation.to_dict(), evaluation.ranking()
    assert isinstance(ranking, Ranking)
    assert (ranking.n_samples, ranking.n_targets, ranking.n_missed) == (150, 23, 3)
    for name in ("average_precision", "r_precision", "reciprocal_rank"):
        metric = getattr(skrank, name)
        judge = metric(Y_TRUE, Y_SCORE, n_missed=3, ties=ties)
        assert fields[name] == metric(ranking, ties=ties) == judge
    for name in ("max_f_score", "breakeven_point"):
        assert fields[name] == getattr(skrank, name)(Y_TRUE, Y_SCORE, n_missed=3)
    for t in (5, 10, 100):
        judge = precision_at_t(Y_TRUE, Y_SCORE, t=t, n_missed=3, ties=ties)
        assert fields[f"precision_at_{t}"] == judge
    best = operating_points(Y_TRUE, Y_SCORE, n_missed=3).f_score().argmax()
    score = operating_points(Y_TRUE, Y_SCORE, n_missed=3).score[best]
    assert f" at score {score:.4g} " in str(evaluation)


def test_from_estimator():
    features = np.column_stack([Y_SCORE, rng.normal(size=150)])
    detector = IsolationForest(random_state=0).fit(features)
    evaluation = RankingEvaluation.from_estimator(
        detector,
        features,
        Y_TRUE,
        detector_targets="outliers",
        ties="together",
        n_missed=3,
    )
    score = -detector.decision_function(features)
    value = average_precision(Y_TRUE, score, n_missed=3, ties="together")
    assert evaluation.to_dict()["average_precision"] == value


def test_ranked_once_until_something_is_added():
    evaluation = lingpipe()
    first = evaluation.ranking()
    str(evaluation), evaluation.to_dict()
    assert evaluation.ranking() is first
    assert average_precision(evaluation.add(1, 0.0).ranking()) > average_precision(
        first
    )
    missed = evaluation.ranking()
    assert evaluation.add_missed(1).ranking() is not missed


# Pieces


def added(pieces):
    evaluation = RankingEvaluation()
    for labels, scores in pieces:
        assert evaluation.add(labels, scores) is evaluation
    return evaluation


@given(untied_or_tied, st.data())
def test_pieces_in_any_order_are_the_whole(data, draw):
    y_true, y_score = data
    n = len(y_true)
    bounds = [0, *sorted(draw.draw(st.sets(st.integers(1, n - 1)))), n]
    pieces = [(y_true[a:b], y_score[a:b]) for a, b in pairwise(bounds)]
    shuffled = draw.draw(st.permutations(pieces))
    whole = RankingEvaluation.from_predictions(y_true, y_score, n_missed=2)
    one_by_one = added(zip(y_true, y_score, strict=True)).add_missed(1).add_missed(1)
    parts = [added([piece]) for piece in shuffled]
    parts[0].add_missed(2)
    joined = sum(parts)
    fields = whole.to_dict()
    assert added(shuffled).add_missed(2).to_dict() == fields
    assert one_by_one.to_dict() == joined.to_dict() == fields
    assert str(joined) == str(one_by_one) == str(whole)
    again = pickle.loads(pickle.dumps(joined))
    assert again.to_dict() == fields
    assert again.add(1, 99.0).n_samples == n + 1 == joined.n_samples + 1


def test_joining_leaves_the_parts_alone():
    first, last = added([(LABELS[:5], SCORES[:5])]), added([(LABELS[5:], SCORES[5:])])
    both = first + last
    both.add(1, 0.0).add_missed(2)
    assert (first.n_samples, last.n_samples, both.n_samples) == (5, 5, 11)
    assert (first.n_missed, both.n_missed, both.n_targets) == (0, 2, 7)


@pytest.mark.parametrize("kind", [list, np.asarray, pd.Series, pl.Series], ids=range(4))
def test_kinds_of_pieces_and_labels(kind):
    names = ["active" if y else "inert" for y in LABELS]
    evaluation = RankingEvaluation(pos_label="active")
    evaluation.add(kind(names[:3]), kind(SCORES[:3])).add(names[3], SCORES[3])
    evaluation.add(kind(names[4:]), kind(SCORES[4:]))
    assert evaluation.to_dict() == lingpipe().to_dict()
    mixed = RankingEvaluation().add(kind([bool(y) for y in LABELS[:3]]), SCORES[:3])
    mixed.add(kind(LABELS[3:]), np.float64(SCORES[3:]))
    assert mixed.to_dict() == lingpipe().to_dict()


def test_a_piece_of_votes_may_hold_zero_and_one():
    # counts of votes: only the whole tells them from hard labels
    votes = np.array([5, 3, 4, 1, 0, 1, 0])
    y_true = np.array([1, 0, 1, 0, 1, 0, 0])
    evaluation = RankingEvaluation().add(y_true[3:], votes[3:])
    with pytest.raises(ValueError, match="`y_score` must rank the items.*hard labels"):
        evaluation.ranking()
    evaluation.add(y_true[:3], votes[:3])
    value = average_precision(y_true, votes)
    assert average_precision(evaluation.ranking()) == value
    with pytest.raises(ValueError, match="`y_score` must rank the items.*hard labels"):
        RankingEvaluation.from_predictions(y_true[3:], votes[3:])


# No value


@pytest.mark.parametrize(
    ("evaluation", "text"),
    [
        (RankingEvaluation(), "0 items, 0 targets\n  metrics .* targets; got none$"),
        (
            RankingEvaluation().add(0, 3.0),
            "1 items, 0 targets .*must contain targets; got none$",
        ),
        (RankingEvaluation().add(1, 3.0), r"average precision  1\n"),
        (RankingEvaluation().add_missed(2), r"maximum F1 +0\n"),
    ],
    ids=["empty", "others", "targets", "missed"],
)
def test_what_has_no_metrics_prints_without_a_warning(evaluation, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        printed = str(evaluation)
    assert re.search(text, printed, re.DOTALL)
    with pytest.warns(UndefinedMetricWarning, match="some metric is undefined") as w:
        fields = evaluation.to_dict()
    assert (len(w), w[0].filename) == (1, __file__)
    assert math.isnan(fields["roc_area"])


@pytest.mark.parametrize("ties", TIES)
def test_all_targets_missed(ties):
    # nothing was found, which is a value; what needs scored items has none
    evaluation = RankingEvaluation(ties=ties).add_missed(2)
    with pytest.warns(UndefinedMetricWarning, match="got 0 items, 2 targets, 2 of"):
        fields = evaluation.to_dict()
    assert fields["prevalence"] == 1.0
    assert {fields[name] for name in list(fields)[4:] if "roc" not in name} == {0.0}
    ranking = evaluation.ranking()
    assert average_precision(ranking, ties=ties) == 0.0
    assert skrank.k_at_recall(ranking, recall=0.5) == math.inf
    assert len(operating_points(ranking)) == 0


# Bad input


@pytest.mark.parametrize(
    ("piece", "text"),
    [
        (([1, 0], [1.0, math.nan]), "`y_score` must be finite; got 1 NaN"),
        (([1, 2], [1.0, 2.0]), "`pos_label` must name the label of the targets"),
        (("a", 2.0), "`pos_label` must name the label of the targets"),
        ((1, [2.0]), "`y_true` must be one-dimensional; got int"),
        (
            ([1, 0], np.array([2**53 + 1, 2])),
            "`y_score` must contain integers of at most",
        ),
    ],
)
def test_bad_pieces_lose_nothing(piece, text):
    evaluation = lingpipe()
    with pytest.raises(ValueError, match=text):
        evaluation.add(*piece)
    assert evaluation.to_dict() == lingpipe().to_dict()


LARGE = 2**53 + 1  # no double


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.array([LARGE, 5]), [0.5]),
        ([0.5], np.array([5, -LARGE])),
        (np.array([5, LARGE]), np.array([7], dtype=np.uint64)),
        (np.array([2**64 - 1], dtype=np.uint64), [-1]),
        (np.array([-(2**63)]), np.float64([1])),
    ],
    ids=range(5),
)
def test_integers_that_would_tie_are_refused(first, second):
    evaluation = RankingEvaluation().add([1] * len(first), first)
    text = r"`y_score` must contain integers of at most .* common type float64; got"
    with pytest.raises(ValueError, match=text):
        evaluation.add([0] * len(second), second)
    assert (evaluation.n_samples, evaluation.n_targets) == (len(first), len(first))
    other = RankingEvaluation().add([0] * len(second), second)
    with pytest.raises(ValueError, match=text):
        evaluation + other


def test_integers_of_any_type_keep_their_order():
    evaluation = RankingEvaluation().add([0, 1], np.array([2**53, 2**15 - 1]))
    evaluation.add([1], np.uint16([2**16 - 1])).add([0], np.int8([-128]))
    evaluation.add([0, 0], np.float16([0.5, 3])).add(1, 0.25)
    scores = [2**53, 2**15 - 1, 2**16 - 1, -128, 0.5, 3.0, 0.25]
    value = average_precision([0, 1, 1, 0, 0, 0, 1], scores)
    assert average_precision(evaluation.ranking()) == value
    large = RankingEvaluation().add([1, 0, 0], np.array([LARGE, LARGE - 1, 0]))
    assert average_precision(large.ranking()) == 1.0


def test_bad_settings():
    evaluation = lingpipe()
    for count in (-1, 1.5, True, None):
        with pytest.raises(ValueError, match="`count` must be an int of at least 0"):
            evaluation.add_missed(count)
    with pytest.raises(ValueError, match="`n_missed` must be an int of at least 0"):
        lingpipe(n_missed=-1)
    with pytest.raises(ValueError, match="`ties` must be one of"):
        RankingEvaluation(ties="mean")
    assert evaluation.to_dict() == lingpipe().to_dict()


def test_a_label_that_no_item_has():
    message = (
        "`pos_label` must be one of the labels in `y_true`; got 'A', which none of"
    )
    parts = [
        RankingEvaluation.from_predictions(y, [1.0, 2.0], pos_label="A")
        for y in (["a", "b"], ["b", "A"])
    ]
    with pytest.raises(ValueError, match=f"{message} 2 items has"):
        parts[0].to_dict()
    assert sum(parts).to_dict()["n_targets"] == 1  # one of them may have none
    evaluation = RankingEvaluation(pos_label="A").add(["a", "b"], [1.0, 2.0])
    for ask in (evaluation.ranking, evaluation.to_dict):
        with pytest.raises(ValueError, match=message):
            ask()
    assert "got none" in str(evaluation)  # so far
    assert evaluation.add("A", 0.5).ranking().n_targets == 1


def test_evaluations_that_cannot_be_joined():
    evaluation = RankingEvaluation(pos_label="a").add(["a", "b"], [1.0, 2.0])
    with pytest.raises(ValueError, match="`ties` must be the same in evaluations .* a"):
        evaluation + RankingEvaluation()
    with pytest.raises(ValueError, match="`ties` must be the same in evaluations .* a"):
        RankingEvaluation(ties="together") + RankingEvaluation()
    other = RankingEvaluation(pos_label="a").add(["c"], [1.0])
    assert (evaluation + other).n_targets == 1  # of three classes
    with pytest.raises(TypeError, match="unsupported operand"):
        evaluation + 1
    with pytest.raises(TypeError, match="unsupported operand"):
        sum([evaluation], start=1)
