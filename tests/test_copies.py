"""Copies of everything public: equal to the original, and independent of it.

The judge is what the original prints and returns, before and after a change.
"""

import copy
import pickle
from functools import cache
from inspect import isclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import skrank

RNG = np.random.default_rng(0)
Y = np.arange(120) < 20
A, B = RNG.normal(size=(2, 120)) + Y
SCORES = {"a": A, "b": B}
DAY = np.arange(120) % 10
SMALL = {"n_resamples": 199, "random_state": 0}


def searched():
    X = np.column_stack([*SCORES.values()])
    search = GridSearchCV(
        LogisticRegression(),
        {"C": [0.1, 1.0]},
        scoring=skrank.make_average_precision_scorer(),
        cv=2,
    )
    return skrank.SearchSelectionTest(n_resamples=99).from_search(
        search.fit(X, Y), X, Y
    )


def counted():
    counts = skrank.RankCounts()
    counts.update(Y, SCORES["a"])
    return counts


QUESTIONS = [
    skrank.MetricInterval("recall@10", **SMALL),
    skrank.RandomSelectionTest("bedroc"),
    skrank.RankingComparison("precision@10", **SMALL),
    skrank.RankingMonitor("recall@10", reference=0.3),
    skrank.SampledMetricInterval("recall@10", **SMALL),
    skrank.SearchSelectionTest(**SMALL),
    skrank.ThresholdChoice(benefit=200 - np.arange(120.0), cost=5, **SMALL),
    skrank.RankingReport(pvalue=False, t=5),
]


@cache
def made():
    """Return an object of each public class."""
    interval, test, comparison, monitor, sampled, _, choice, report = QUESTIONS
    rankings = skrank.Rankings.from_predictions(Y, SCORES, groups=DAY)
    curve = skrank.hit_curve(Y, A)
    three = comparison.compare_all(Y, {**SCORES, "c": RNG.normal(size=120)})
    return [
        *QUESTIONS,
        interval.from_predictions(Y, A),
        interval.from_predictions(Y, A).confidence_interval(),
        test.from_predictions(Y, A, groups=DAY),
        comparison.from_predictions(Y, SCORES),
        three,
        three.leaderboard(),
        monitor.from_predictions(Y, A, groups=DAY),
        sampled.from_predictions(
            np.where(DAY == 0, Y, np.nan), A, strata=np.zeros(120)
        ),
        sampled.from_predictions(
            np.where(DAY == 0, Y, np.nan), SCORES, strata=np.zeros(120)
        ),
        searched(),
        choice.from_predictions(Y, A, groups=DAY),
        skrank.random_selection_power(n_targets=5, prevalence=0.1, value=0.4),
        skrank.RandomSelectionNull(50, 5),
        skrank.make_metric("recall@10"),
        skrank.Ranking.from_predictions(Y, A),
        rankings,
        counted(),
        skrank.ReviewProgress(120).update(30, 9, at_random=True),
        skrank.RankingEvaluation().add(Y, A),
        report.from_predictions(Y, SCORES),
        report.from_predictions(Y, SCORES).main,
        curve,
        curve.gains_table(),
        skrank.hit_curve_band(Y, A, random_state=0),
        skrank.operating_points(Y, A),
        skrank.HitCurveDisplay.from_predictions(Y, A),
        skrank.PrecisionRecallDisplay.from_predictions(Y, A),
        skrank.NullDistributionDisplay.from_predictions(Y, A),
        skrank.RankingComparisonDisplay.from_predictions(Y, SCORES),
        skrank.RankingMonitorDisplay.from_predictions(Y, A, groups=DAY),
    ]


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "clone": clone,
}


def content(one):
    """Return what a user sees: the print, the fields, and the table."""
    if hasattr(one, "ax_"):
        return [
            line.get_xydata().tolist() for ax in np.ravel(one.ax_) for line in ax.lines
        ]
    seen = [repr(one)]
    seen += [str(one.to_dict())] if hasattr(one, "to_dict") else []
    seen += [one.to_frame().to_csv()] if hasattr(one, "to_frame") else []
    return seen


def test_the_table_holds_all_public_classes():
    public = {getattr(skrank, name) for name in skrank.__all__}
    found = {type(one) for one in made()}
    missed = {one for one in public if isclass(one)} - found
    assert missed == {skrank.Metric}  # the base of own metrics


@pytest.mark.parametrize("kind", COPIES)
def test_copies_are_equal(kind):
    # scikit-learn clones the questions
    for one in QUESTIONS if kind == "clone" else made():
        copied = COPIES[kind](one)
        assert type(copied) is type(one)
        assert content(copied) == content(one)


CHANGES = {
    skrank.RankCounts: lambda one: one.update(Y[:50], B[:50]),
    skrank.RankingEvaluation: lambda one: one.add(Y[:50], B[:50]),
    skrank.MetricInterval: lambda one: one.set_params(n_resamples=300),
}


@pytest.mark.parametrize("kind", ["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("changed", CHANGES, ids=lambda one: one.__name__)
def test_copies_are_independent(kind, changed):
    (one,) = (one for one in made() if type(one) is changed)
    before, copied = content(one), COPIES[kind](one)
    CHANGES[changed](copied)
    assert content(copied) != before
    assert content(one) == before
