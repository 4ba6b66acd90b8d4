"""Evaluations made piece by piece: LingPipe's numbers, the metrics, and identities."""

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
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import precision_recall_curve, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

import skrank
from cases import TIES
from skrank import RankingEvaluation, hit_curve, operating_points

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


# LingPipe


def test_curves_of_lingpipe():
    evaluation = lingpipe()
    curve = evaluation.operating_points()
    assert columns(curve, "score", "recall", "precision") == [
        [-1.27, 0.25, 0.50],
        [-1.47, 0.50, 0.50],
        [-1.60, 0.75, 0.60],
        [-2.01, 1.00, 0.44],
    ]
    curve = evaluation.operating_points(interpolate=True)
    assert columns(curve, "recall", "precision") == [[0.75, 0.60], [1.00, 0.44]]
    curve = evaluation.roc_curve()
    assert columns(curve, "recall", "specificity") == [
        [0.25, 0.83],
        [0.50, 0.67],
        [0.75, 0.67],
        [1.00, 0.17],
    ]
    curve = evaluation.roc_curve(interpolate=True)
    assert columns(curve, "recall", "specificity") == [
        [0.25, 0.83],
        [0.75, 0.67],
        [1.00, 0.17],
    ]


def test_every_row_of_lingpipes_table():
    evaluation, curve = lingpipe(), lingpipe().hit_curve()
    for rank in range(10):
        t = rank + 1
        assert round(evaluation.recall_at(t), 2) == RECALL[rank]
        if rank:  # before a target is found LingPipe has no precision; ours is 0
            assert round(evaluation.precision_at(t), 2) == PRECISION[rank]
        rejected = 1 - (t - curve.at(t)) / 6
        assert round(rejected, 2) == REJECTION_RECALL[rank]
    assert evaluation.precision_at(1) == 0.0


def test_figures_of_lingpipe():
    evaluation = lingpipe()
    assert round(evaluation.average_precision(), 2) == 0.51
    assert round(evaluation.precision_recall_area(), 2) == 0.51
    assert round(evaluation.precision_recall_area(interpolate=True), 2) == 0.56
    assert round(evaluation.roc_area(), 2) == 0.58
    assert round(evaluation.roc_area(interpolate=True), 2) == 0.58
    assert round(evaluation.max_f_score(), 2) == 0.67
    assert round(evaluation.breakeven_point(), 2) == 0.60
    assert evaluation.reciprocal_rank() == 0.5
    assert evaluation.precision_at(5) == pytest.approx(0.6)
    assert evaluation.precision_at(10) == pytest.approx(0.4)
    assert evaluation.precision_at(0.5) == pytest.approx(0.6)
    point = evaluation.max_f_score_point()
    assert point == pytest.approx((-1.60, 5, 0.75, 0.60, 2 / 3))
    assert [type(number) for number in point] == [float, int, float, float, float]


def test_lingpipe_with_a_missed_target(peer_numbers):
    case = json.loads((peer_numbers / "lingpipe" / "cases.json").read_text())
    expected = {}
    for row in case["expected"]:
        expected.setdefault(row["measure"], row["expected"])
    evaluation = RankingEvaluation().add_missed(case["misses"])
    for label, score in zip(case["y"], case["score"], strict=True):
        evaluation.add(label, score)
    assert (evaluation.n_samples, evaluation.n_targets) == (10, case["n_pos_total"])
    for name, tolerance in (
        ("r_precision", 1e-4),
        ("average_precision", 1e-3),
        ("reciprocal_rank", 1e-3),
    ):
        value = getattr(evaluation, name)()
        assert value == pytest.approx(expected[name], abs=tolerance)
    assert evaluation.max_f_score() == pytest.approx(expected["max_f1"], abs=1e-3)
    # LingPipe's unit test adds (0, 1) at the start and (1, 0) at the end, so that its
    # eleven points begin with 1; no threshold attains either, and ours do without
    eleven = [
        evaluation.precision_at_recall(i / 10, interpolate=True) for i in range(11)
    ]
    theirs = expected["interpolated_precision_11pt"]
    assert theirs[0] == 1.0
    assert eleven[0] == eleven[1]
    assert_allclose(eleven[1:], theirs[1:], atol=0.01)
    theirs = expected["pr_curve_uninterpolated"]
    points = columns(evaluation.operating_points(), "recall", "precision")
    gains = [b for a, b in pairwise(theirs) if a[0] < b[0]]
    assert_allclose(points, gains[:-1], atol=0.01)
    # the interpolated curve of that release keeps the recall of dominated points
    theirs = dict(expected["pr_curve_interpolated"][1:-1])
    for recall, precision in theirs.items():
        value = evaluation.precision_at_recall(recall, interpolate=True)
        assert value == pytest.approx(precision, abs=0.01)
    roc = evaluation.roc_curve()
    corners = np.column_stack([1 - roc.specificity, roc.recall])
    theirs = expected["roc_curve_uninterpolated"]
    assert all(np.any(np.all(np.abs(theirs - c) < 0.01, axis=1)) for c in corners)
    # its area joins the best points of each specificity by straight lines, from the
    # added (0, 0) to (1, 1), as if the missed target came last; ours are steps, and the
    # missed target adds nothing: 14 of 30 pairs are in the right order
    others = np.linspace(0, 1, 7)
    best = [0.0, 0.2, 0.6, 0.6, 0.6, 0.8, 1.0]
    straight = np.sum((np.array(best[1:]) + best[:-1]) / 2 * np.diff(others))
    assert straight == pytest.approx(expected["area_under_roc_interpolated"], abs=1e-3)
    assert evaluation.roc_area() == pytest.approx(14 / 30)
    # beyond the ranking LingPipe divides by t; ours refuses, as all metrics here
    with pytest.raises(
        ValueError, match="`t` must not reach beyond the ranking; got t=20"
    ):
        evaluation.precision_at(20)


def test_printed_like_lingpipe():
    assert lingpipe().format_curve().splitlines() == [
        "     score         t precision    recall        F1",
        "     -1.27         2    0.5000    0.2500    0.3333",
        "     -1.47         4    0.5000    0.5000    0.5000",
        "      -1.6         5    0.6000    0.7500    0.6667",
        "     -2.01         9    0.4444    1.0000    0.6154",
    ]
    table = lingpipe().format_curve(interpolate=True, beta=0.5, max_rows=2)
    assert table.splitlines()[0].endswith(" precision    recall      F0.5")
    assert len(table.splitlines()) == 3
    rows = lingpipe().format_curve(max_rows=3).splitlines()
    assert [rows[1], rows[-2]] == [
        "     -1.27         2    0.5000    0.2500    0.3333",
        "     -2.01         9    0.4444    1.0000    0.6154",
    ]
    assert rows[-1] == "3 of 4 operating points"


# Areas by hand


def step_integral(evaluation, rate):
    """Integral over recall of the best rate that is left there; 0 at the end."""
    points = evaluation.operating_points()
    corners = sorted(zip(points.recall, getattr(points, rate), strict=True))
    area, before = 0.0, 0.0
    for i, (recall, _) in enumerate(corners):
        area += (recall - before) * max(value for _, value in corners[i:])
        before = recall
    return area


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
    assert evaluation.roc_area() == pytest.approx(float(area), abs=1e-14)
    # interpolated: others above the worst target of each share of the recall
    ranked = sorted((a for a in targets if a > -math.inf), reverse=True)
    below = [Fraction(sum(b < a for b in others), len(others)) for a in ranked]
    area = sum((max(below[i:]) for i in range(len(below))), Fraction()) / len(targets)
    value = evaluation.roc_area(interpolate=True)
    assert value == pytest.approx(float(area), abs=1e-14)


# The values are those of the metrics

rng = np.random.default_rng(0)
Y_TRUE = rng.permutation(np.repeat([1, 0], [20, 130]))
Y_SCORE = np.round(rng.normal(size=150) + Y_TRUE, 1)
VALUES = {
    "average_precision": ("average_precision", {}),
    "precision_recall_area": ("average_precision", {}),
    "max_f_score": ("max_f_score", {"beta": 0.5}),
    "breakeven_point": ("breakeven_point", {}),
    "r_precision": ("r_precision", {}),
    "reciprocal_rank": ("reciprocal_rank", {}),
    "precision_at": ("precision_at_t", {"t": 7}),
    "recall_at": ("recall_at_t", {"t": 0.1}),
    "k_at_recall": ("k_at_recall", {"recall": 0.8}),
    "precision_at_recall": ("precision_at_recall", {"recall": 0.3}),
}


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", VALUES)
def test_figures_are_the_metrics(name, ties):
    metric, settings = VALUES[name]
    function, tied = getattr(skrank, metric), {"ties": ties}
    if metric in ("max_f_score", "breakeven_point"):
        tied = {}
    evaluation = RankingEvaluation.from_predictions(
        Y_TRUE, Y_SCORE, n_missed=3, ties=ties
    )
    expected = function(Y_TRUE, Y_SCORE, n_missed=3, **settings, **tied)
    assert getattr(evaluation, name)(**settings) == expected
    # and so are the warnings, which point at the line that asked
    empty = RankingEvaluation(ties=ties)
    settings = {"t": 0.5} if "t" in settings else settings
    with pytest.warns(UndefinedMetricWarning, match="is undefined: `y_true` mus") as w:
        assert math.isnan(getattr(empty, name)(**settings))
    assert (len(w), w[0].filename) == (1, __file__)


@pytest.mark.parametrize("ties", TIES)
def test_curves_are_the_functions(ties):
    evaluation = RankingEvaluation.from_predictions(
        Y_TRUE, Y_SCORE, n_missed=3, ties=ties
    )
    shape = "expected" if ties == "threshold" else ties
    curve, same = evaluation.hit_curve(), hit_curve(Y_TRUE, Y_SCORE, ties=shape)
    assert_array_equal(curve.t, same.t)
    assert_array_equal(curve.hits, same.hits)
    assert curve.n_targets == 23
    for interpolate in (False, True):
        ours = evaluation.operating_points(interpolate)
        same = operating_points(Y_TRUE, Y_SCORE, interpolate=interpolate, n_missed=3)
        assert_array_equal(ours.score, same.score)
        assert_array_equal(ours.precision, same.precision)
        frame = evaluation.to_frame(interpolate, beta=2)
        assert list(frame) == [
            *("score", "t", "hits", "recall", "precision", "f_score", "specificity")
        ]
        assert_array_equal(frame["f_score"], same.f_score(2))
        area = evaluation.precision_recall_area(interpolate=True)
        assert area == pytest.approx(step_integral(evaluation, "precision"))
        area = evaluation.roc_area(interpolate=True)
        assert area == pytest.approx(step_integral(evaluation, "specificity"))
    best = evaluation.max_f_score_point(2)
    assert best.f_score == evaluation.max_f_score(2)
    assert_allclose(best.recall, same.recall[np.argmax(same.f_score(2))])


def test_from_estimator():
    features = np.column_stack([Y_SCORE, rng.normal(size=150)])
    model = KNeighborsClassifier(20).fit(features, Y_TRUE)
    evaluation = RankingEvaluation.from_estimator(
        model, features, Y_TRUE, ties="threshold"
    )
    value = skrank.average_precision(
        Y_TRUE, model.predict_proba(features)[:, 1], ties="threshold"
    )
    assert evaluation.average_precision() == value
    detector = IsolationForest(random_state=0).fit(features)
    evaluation = RankingEvaluation.from_estimator(
        detector, features, Y_TRUE, detector_targets="outliers"
    )
    score = -detector.decision_function(features)
    assert evaluation.average_precision() == skrank.average_precision(Y_TRUE, score)
    evaluation = RankingEvaluation.from_estimator(model, features, Y_TRUE, n_missed=3)
    assert (evaluation.n_missed, evaluation.n_targets) == (3, 23)
    proba = model.predict_proba(features)[:, 1]
    value = skrank.average_precision(Y_TRUE, proba, n_missed=3)
    assert evaluation.average_precision() == value
    with pytest.raises(
        ValueError, match='`detector_targets` must be "outliers" or "in'
    ):
        RankingEvaluation.from_estimator(detector, features, Y_TRUE)


def asked_by_name(evaluation, field):
    """What the method says whose name a field of `to_dict` has."""
    method, _, depth = field.partition("_at_")
    if depth:
        return evaluation.precision_at(int(depth))
    method, interpolate, _ = field.partition("_interpolated")
    return getattr(evaluation, method)(*[True] * bool(interpolate))


def test_to_dict():
    evaluation = lingpipe()
    fields = evaluation.to_dict()
    assert {type(value) for value in fields.values()} == {int, float}
    counts = {"n_samples": 10, "n_targets": 4, "n_missed": 0, "prevalence": 0.4}
    assert counts.items() <= fields.items()
    for name in set(fields) - counts.keys():
        assert fields[name] == asked_by_name(evaluation, name)
    assert {"precision_at_5", "precision_at_10"} < set(fields)
    assert "precision_at_100" not in fields
    long = RankingEvaluation.from_predictions(Y_TRUE, Y_SCORE)
    assert long.to_dict()["precision_at_100"] == long.precision_at(100)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    ("labels", "n_missed"),
    [([1] * 6, 1), ([], 2), ([0] * 6, 2), ([0] * 6, 0), ([1] * 6, 0), ([], 0)],
    ids=["targets, missed", "missed", "others, missed", "others", "targets", "none"],
)
def test_to_dict_has_a_value_where_the_method_has(labels, n_missed, ties):
    evaluation = RankingEvaluation(ties=ties).add_missed(n_missed)
    for score, label in enumerate(labels):
        evaluation.add(label, float(score // 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        fields = evaluation.to_dict()
        methods = {name: asked_by_name(evaluation, name) for name in list(fields)[4:]}
    assert_array_equal(list(fields.values())[4:], list(methods.values()))


# Pieces


def pieces_of(y_true, y_score, cuts):
    bounds = [0, *sorted(cuts), len(y_true)]
    return [(y_true[a:b], y_score[a:b]) for a, b in pairwise(bounds) if a < b]


def added(pieces):
    evaluation = RankingEvaluation()
    for labels, scores in pieces:
        assert evaluation.add(labels, scores) is evaluation
    return evaluation


untied_or_tied = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(
            lambda y: 0 < sum(y) < len(y)
        ),
        st.lists(st.integers(-3, 12).map(float), min_size=n, max_size=n),
    )
)


@given(untied_or_tied, st.data())
def test_pieces_in_any_order_are_the_whole(data, draw):
    y_true, y_score = data
    n = len(y_true)
    pieces = pieces_of(y_true, y_score, draw.draw(st.sets(st.integers(1, n - 1))))
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


def test_a_question_between_pieces_changes_nothing():
    first, last = (LABELS[:5], SCORES[:5]), (LABELS[5:], SCORES[5:])
    evaluation = added([first])
    value = evaluation.average_precision()
    assert value == skrank.average_precision(*first)
    evaluation.add(*last)
    assert evaluation.average_precision() == lingpipe().average_precision() != value
    evaluation.add_missed(1)
    precisions = [1 / 2, 2 / 4, 3 / 5, 4 / 9]  # five targets, one is missed
    assert evaluation.average_precision() == pytest.approx(sum(precisions) / 5)


def test_joining_leaves_the_parts_alone():
    first, last = added([(LABELS[:5], SCORES[:5])]), added([(LABELS[5:], SCORES[5:])])
    both = first + last
    both.add(1, 0.0).add_missed(2)
    assert (first.n_samples, last.n_samples, both.n_samples) == (5, 5, 11)
    assert (first.n_missed, both.n_missed, both.n_targets) == (0, 2, 7)


def test_ranked_once_until_something_is_added(monkeypatch):
    ranked = []
    rank = skrank.report._evaluation._cases.rank
    monkeypatch.setattr(
        "skrank.report._evaluation._cases.rank",
        lambda data: ranked.append(1) or rank(data),
    )
    evaluation = lingpipe()
    str(evaluation), evaluation.to_dict(), evaluation.hit_curve()
    assert len(ranked) == 1
    evaluation.add(1, 0.0)
    str(evaluation), evaluation.to_dict()
    assert len(ranked) == 2


def test_an_array_that_is_reused_is_not_shared():
    scores = np.array(SCORES)
    evaluation = RankingEvaluation().add(LABELS, scores)
    scores[:] = 0
    assert evaluation.to_dict() == lingpipe().to_dict()


@pytest.mark.parametrize(
    "kind",
    [list, np.asarray, pd.Series, pl.Series],
    ids=["list", "numpy", "pandas", "polars"],
)
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
        evaluation.average_precision()
    evaluation.add(y_true[:3], votes[:3])
    value = skrank.average_precision(y_true, votes)
    assert evaluation.average_precision() == value
    with pytest.raises(ValueError, match="`y_score` must rank the items.*hard labels"):
        RankingEvaluation.from_predictions(y_true[3:], votes[3:])


# Identities


@given(untied_or_tied)
def test_identities(data):
    y_true, y_score = data
    evaluation = RankingEvaluation.from_predictions(y_true, y_score)
    assert evaluation.breakeven_point() <= evaluation.max_f_score() + 1e-15
    best = [
        evaluation.precision_at_recall(recall, interpolate=True)
        for recall in np.linspace(0, 1, 11)
    ]
    assert np.all(np.diff(best) <= 0)
    assert best[0] == evaluation.operating_points().precision.max()
    area = roc_auc_score(y_true, y_score)
    assert evaluation.roc_area() == pytest.approx(area, abs=1e-14)
    areas = {
        ties: RankingEvaluation.from_predictions(y_true, y_score, ties=ties).roc_area()
        for ties in TIES
    }
    assert areas["threshold"] == areas["pessimistic"] <= areas["expected"]
    mean = (areas["optimistic"] + areas["pessimistic"]) / 2
    assert areas["expected"] == pytest.approx(mean)
    steps = evaluation.roc_curve().area("specificity")
    assert areas["threshold"] == pytest.approx(steps)


@given(untied_or_tied)
def test_interpolation_never_lowers_an_untied_area(data):
    y_true, y_score = data
    untied = np.asarray(y_score) + np.arange(len(y_score)) / (2 * len(y_score))
    for ties in TIES:
        evaluation = RankingEvaluation.from_predictions(y_true, untied, ties=ties)
        for area in (evaluation.precision_recall_area, evaluation.roc_area):
            assert area(interpolate=True) >= area() - 1e-14
        # the interpolated curve read as a step function, recall by recall
        m = evaluation.n_targets
        best = [
            evaluation.precision_at_recall(q / m, interpolate=True)
            for q in range(1, m + 1)
        ]
        area = evaluation.precision_recall_area(interpolate=True)
        assert np.mean(best) == pytest.approx(area, rel=1e-12)


@given(untied_or_tied)
def test_curve_against_sklearn(data):
    y_true, y_score = data
    points = RankingEvaluation.from_predictions(y_true, y_score)
    points = points.operating_points()
    precision, recall, level = precision_recall_curve(y_true, y_score)
    where = np.searchsorted(level, points.score)
    assert_array_equal(level[where], points.score)
    assert_allclose(points.precision, precision[where])
    assert_allclose(points.recall, recall[where])


# Print


def test_summary():
    # targets at ranks 2, 4, 5 and 9, one missed; below them 5, 4, 4 and 1 others of 6
    area = (1 / 2 + 2 / 4 + 3 / 5 + 4 / 9) / 5
    steps = (3 * 3 / 5 + 4 / 9) / 5
    pairs = (5 + 4 + 4 + 1) / (5 * 6)
    assert str(lingpipe(n_missed=1)) == "\n".join(
        [
            "Ranking evaluation",
            "  list               10 items, 5 targets, 1 of them missed "
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
    evaluation = RankingEvaluation(ties="threshold", pos_label="a").add_missed(2)
    assert repr(evaluation) == (
        "<RankingEvaluation(ties='threshold', pos_label='a') of 0 items, 2 targets, "
        "2 of them missed>"
    )


@pytest.mark.parametrize(
    ("evaluation", "text"),
    [
        (RankingEvaluation(), "0 items, 0 targets\n  no metrics .* got no targets$"),
        (RankingEvaluation().add(0, 3.0), "1 items, 0 targets .*got no targets$"),
        (RankingEvaluation().add(1, 3.0), "got nothing but targets$"),
        (RankingEvaluation().add_missed(2), r"maximum F1 +0\n"),
    ],
    ids=["empty", "others", "targets", "missed"],
)
def test_what_has_no_figures_prints_without_a_warning(evaluation, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        printed = str(evaluation)
    assert re.search(text, printed, re.DOTALL)
    with pytest.warns(UndefinedMetricWarning, match="some metric is undefined") as w:
        fields = evaluation.to_dict()
    assert (len(w), w[0].filename) == (1, __file__)
    assert math.isnan(fields["roc_area"])


# No value


@pytest.mark.parametrize("ties", TIES)
def test_all_targets_missed(ties):
    # nothing was found, which is a value; what needs scored items has none
    evaluation = RankingEvaluation(ties=ties).add_missed(2)
    assert evaluation.average_precision() == 0.0
    assert evaluation.precision_recall_area(interpolate=True) == 0.0
    assert evaluation.max_f_score() == evaluation.breakeven_point() == 0.0
    assert evaluation.r_precision() == evaluation.reciprocal_rank() == 0.0
    assert evaluation.k_at_recall(0.5) == math.inf
    assert evaluation.precision_at_recall(0, interpolate=True) == 0.0
    assert len(evaluation.operating_points()) == 0
    assert evaluation.prevalence == 1.0
    asked = {
        evaluation.precision_at: "no scored items",
        evaluation.recall_at: "no scored items",
    }
    for figure, reason in asked.items():
        with pytest.warns(UndefinedMetricWarning, match=reason):
            assert math.isnan(figure(0.5))
    with pytest.warns(UndefinedMetricWarning, match="nothing but targets"):
        assert math.isnan(evaluation.roc_area())
    with pytest.warns(UndefinedMetricWarning, match="got no scored targets"):
        assert np.isnan(evaluation.max_f_score_point()).all()


def test_no_value():
    empty = RankingEvaluation()
    with pytest.warns(UndefinedMetricWarning, match="prevalence is undefined") as w:
        assert math.isnan(empty.prevalence)
    assert w[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning, match="got no targets"):
        assert np.isnan(empty.max_f_score_point()).all()
    # a warning names the call that was made
    for method, settings, written in (
        ("average_precision", {}, ""),
        ("precision_recall_area", {}, ""),
        ("precision_recall_area", {"interpolate": True}, "(interpolate=True)"),
        ("roc_area", {}, ""),
        ("roc_area", {"interpolate": True}, "(interpolate=True)"),
        ("max_f_score", {"beta": 0.5}, "(beta=0.5)"),
        ("max_f_score_point", {"beta": 0.5}, "(beta=0.5)"),
        ("breakeven_point", {}, ""),
        ("r_precision", {}, ""),
        ("reciprocal_rank", {}, ""),
        ("precision_at", {"t": 0.5}, "(0.5)"),
        ("recall_at", {"t": 5}, "(5)"),
        ("k_at_recall", {"recall": 0.5}, "(0.5)"),
        ("precision_at_recall", {"recall": 0.5}, "(0.5)"),
        (
            "precision_at_recall",
            {"recall": 0.5, "interpolate": True},
            "(0.5, interpolate=True)",
        ),
    ):
        with pytest.warns(UndefinedMetricWarning) as w:
            value = getattr(empty, method)(**settings)
        assert np.isnan(value).all()
        assert str(w[0].message).startswith(f"{method}{written} is undefined: ")
    for curve in (empty.operating_points, empty.roc_curve, empty.format_curve):
        with pytest.raises(ValueError, match="`y_true` must hold targets to make a cu"):
            curve()
    targets = RankingEvaluation().add([1, 1], [1.0, 2.0])
    with pytest.raises(ValueError, match="`y_true` must hold others to make a ROC cu"):
        targets.roc_curve()


# Bad input


def test_flags_are_true_or_false():
    evaluation = lingpipe()
    for ask in (
        evaluation.operating_points,
        evaluation.roc_curve,
        evaluation.precision_recall_area,
        evaluation.roc_area,
        evaluation.to_frame,
        evaluation.format_curve,
        lambda interpolate: evaluation.precision_at_recall(0.5, interpolate),
    ):
        for flag in ("no", 1, None):
            with pytest.raises(ValueError, match="`interpolate` must be True or Fals"):
                ask(interpolate=flag)
    area = evaluation.roc_area(interpolate=np.True_)
    assert area == evaluation.roc_area(interpolate=True)


@pytest.mark.parametrize(
    ("piece", "text"),
    [
        (([1, 0], [1.0]), "`y_score` must have as many items as `y_true`; got 1 and 2"),
        (([], []), "`y_true` must hold at least one item; got an empty list"),
        (([1, 0], [1.0, math.nan]), "`y_score` must be finite; got NaN"),
        (
            ([1, 0], [True, False]),
            "`y_score` must rank the items.*got hard labels, boo",
        ),
        (([1, 2], [1.0, 2.0]), "`y_true` must hold labels {0, 1}, {-1, 1} or bool"),
        (("a", 2.0), "`pos_label` must name the label of the targets"),
        ((1, [2.0]), "`y_true` must be one-dimensional; got int"),
        (([1, -1], [1.0, 2.0]), "`y_true` must hold the same two labels in all pieces"),
    ],
)
def test_bad_pieces_lose_nothing(piece, text):
    evaluation = lingpipe()
    with pytest.raises(ValueError, match=text):
        evaluation.add(*piece)
    assert evaluation.to_dict() == lingpipe().to_dict()


LARGE = 2**53 + 1  # no double


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (np.array([LARGE, 5]), [0.5], f"got {LARGE} where that is float64"),
        ([0.5], np.array([5, LARGE]), f"got {LARGE} where that is float64"),
        (np.array([5, LARGE]), np.array([7], dtype=np.uint64), f"got {LARGE} where"),
        (np.array([2**64 - 1], dtype=np.uint64), [-1], f"got {2**64 - 1} where that"),
        (np.array([2**63 - 1]), np.float64([1]), f"got {2**63 - 1} where that is"),
    ],
    ids=range(5),
)
def test_integers_that_would_tie_are_refused(first, second, text):
    evaluation = RankingEvaluation().add([1] * len(first), first)
    with pytest.raises(ValueError, match=f"`y_score` must hold integers.*{text}"):
        evaluation.add([0] * len(second), second)
    assert (evaluation.n_samples, evaluation.n_targets) == (len(first), len(first))
    other = RankingEvaluation().add([0] * len(second), second)
    with pytest.raises(ValueError, match=f"`y_score` must hold integers.*{text}"):
        evaluation + other


def test_integers_of_any_type_keep_their_order():
    # 2**60 is a double, as are all small integers
    evaluation = RankingEvaluation().add([0, 1], np.array([2**60, 2**15 - 1]))
    evaluation.add([1], np.uint16([2**16 - 1])).add([0], np.int8([-128]))
    evaluation.add([0, 0], np.float16([0.5, 3])).add(1, 0.25)
    scores = [2**60, 2**15 - 1, 2**16 - 1, -128, 0.5, 3.0, 0.25]
    value = skrank.average_precision([0, 1, 1, 0, 0, 0, 1], scores)
    assert evaluation.average_precision() == value
    large = RankingEvaluation().add([1, 0, 0], np.array([LARGE, LARGE - 1, 0]))
    assert large.average_precision() == 1.0


def test_bad_counts_of_missed():
    evaluation = lingpipe()
    for count in (-1, 1.5, True, None):
        with pytest.raises(ValueError, match="`count` must be an int of at least 0"):
            evaluation.add_missed(count)
    assert evaluation.to_dict() == lingpipe().to_dict()


def test_evaluations_that_cannot_be_joined():
    evaluation = RankingEvaluation(pos_label="a").add(["a", "b"], [1.0, 2.0])
    with pytest.raises(ValueError, match="`ties` and `pos_label` must be the same in"):
        evaluation + RankingEvaluation()
    with pytest.raises(ValueError, match="`ties` and `pos_label` must be the same in"):
        RankingEvaluation(ties="threshold") + RankingEvaluation()
    other = RankingEvaluation(pos_label="a").add(["c"], [1.0])
    with pytest.raises(
        ValueError, match="`y_true` must hold the same two labels .*'c'"
    ):
        evaluation + other
    with pytest.raises(TypeError, match="unsupported operand"):
        evaluation + 1
    with pytest.raises(TypeError, match="unsupported operand"):
        sum([evaluation], start=1)


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda e: e.precision_at(0), "`t` must be an int of at least 1"),
        (lambda e: e.recall_at(11), "`t` must not reach beyond the ranking; got t=11"),
        (lambda e: e.k_at_recall(0), "`recall` must be a number above 0, up to 1; got"),
        (lambda e: e.precision_at_recall(0), "`recall` must be a number above 0, u"),
        (
            lambda e: e.precision_at_recall(1.1, interpolate=True),
            "`recall` must be a number from 0 to 1; got 1.1",
        ),
        (lambda e: e.max_f_score(0), "`beta` must be a finite number above 0; got 0"),
        (lambda e: e.max_f_score_point(-1), "`beta` must be a finite number above 0; "),
        (lambda e: e.format_curve(max_rows=1), "`max_rows` must be an int of at leas"),
        (lambda e: RankingEvaluation(ties="mean"), "`ties` must be one of"),
    ],
    ids=range(9),
)
def test_bad_settings(ask, text):
    with pytest.raises(ValueError, match=text):
        ask(lingpipe())
