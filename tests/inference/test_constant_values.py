"""Values that cannot vary have an interval of one point, and no others have.

Judges: all samples of tiny rankings, in rational numbers, drawn with replacement,
targets and others apart; and all placements of the targets among the same items.
"""

import math
import re
import warnings
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from cases import METRICS, TIES, make_list, named
from oracles import tie_groups, value
from skrank import (
    MetricInterval,
    RankingComparison,
    hit_curve_band,
)
from skrank._utils._numbers import interval as in_print

DEPTHS = (1, 2, 0.5, 1.0)
# metric -> settings; of those with a cutoff, one for each depth
QUESTIONS = {
    f"{case} {depth}": (name, {**given_settings, **cut})
    for case, (name, given_settings) in METRICS.items()
    for key in ("t", "k")
    if key in given_settings
    for depth in DEPTHS
    for cut in [{key: depth}]
} | {case: one for case, one in METRICS.items() if "@" not in case}
SIZES = ((5,), (1, 1, 1, 1), (2, 2), (1, 3), (3, 1), (1, 1, 3), (2, 1), (1, 1), (1, 4))
METHODS = ("moderated", "jackknife", "bootstrap", "survival", "posterior")


def in_words_of_the_oracle(kwargs, n):
    kwargs = dict(kwargs)
    depth = kwargs.pop("t", kwargs.pop("k", None))
    if isinstance(depth, float):
        depth = math.ceil(depth * n)
    return kwargs if depth is None else {**kwargs, "depth": depth}


@cache
def exact_value(groups, case, ties):
    metric, kwargs = QUESTIONS[case]
    n = sum(size for size, _ in groups)
    return value(groups, metric, ties=ties, **in_words_of_the_oracle(kwargs, n))


def resampled_values(y_true, y_score, case, ties):
    """Values of all rankings drawn from a ranking, targets and non-targets apart."""
    parts = [
        combinations_with_replacement(np.flatnonzero(y_true == kind), count)
        for kind, count in enumerate(np.bincount(y_true, minlength=2))
    ]
    drawn = (list(others + targets) for others, targets in product(*parts))
    lists = (tuple(tie_groups(y_true[i], y_score[i])) for i in drawn)
    return {exact_value(groups, case, ties) for groups in lists}


def placed_values(sizes, n_targets, case, ties):
    """Values of the same items, whichever of them are the targets."""
    of = np.repeat(np.arange(len(sizes)), sizes)
    placed = combinations(range(of.size), n_targets)
    hits = {tuple(np.bincount(of[list(p)], minlength=len(sizes))) for p in placed}
    groups = (tuple(zip(sizes, map(int, h), strict=True)) for h in hits)
    return {exact_value(one, case, ties) for one in groups}


def close(values):
    """Whether values are one but for the rounding of exponential weights."""
    return max(values) - min(values) <= Fraction(1, 10**9)


def ask(case, y_true, y_score, **kwargs):
    """Result of a method, or None if it refuses the metric or its ties."""
    metric, given_settings = QUESTIONS[case]
    try:
        asked = MetricInterval(
            n_resamples=20, random_state=0, **named(metric, **given_settings, **kwargs)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return asked.from_predictions(y_true, y_score)
    except ValueError as error:
        if not re.match("`(method|ties)` must", str(error)):
            raise
    return None


def interval(result):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return result.confidence_interval(0.9)


@st.composite
def tiny_lists(draw):
    sizes = draw(st.sampled_from(SIZES))
    ends = np.cumsum((0, *sizes))
    n_targets = draw(st.integers(1, sum(sizes) - 1))
    targets = draw(st.permutations(range(sum(sizes))))[:n_targets]
    return sizes, tuple(map(int, np.histogram(targets, ends - 0.5)[0]))


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(list(QUESTIONS)), st.sampled_from(TIES), tiny_lists())
@pytest.mark.slow
def test_one_point_is_the_interval_of_what_no_sample_changes(case, ties, sized):
    """All samples and all placements have one value, where a method is certain.

    And the other way round under the default tie rule. The rest are optimistic and the
    like with a tie at a cutoff, where a ranking can be at the end of what is possible.
    """
    sizes, hits = sized
    y_true, y_score = make_list(sizes, hits)
    fixed = close(resampled_values(y_true, y_score, case, ties)) and close(
        placed_values(sizes, sum(hits), case, ties)
    )
    results = [ask(case, y_true, y_score, ties=ties, method=m) for m in METHODS]
    for result in filter(None, results):
        is_point = interval(result) == (result.value,) * 2
        assert fixed or not is_point
        if fixed and ties == "expected":
            assert is_point
            assert result.standard_error == 0
            assert in_print(result.value, result.value) in str(result)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("case", QUESTIONS)
def test_equal_scores_have_one_value_by_all_methods(case, ties):
    """Every sample is one tie; so is that of a single target."""
    for n, m in ((2, 1), (5, 1), (40, 7), (40, 39)):
        y_true, y_score = make_list((n,), (m,))
        for method in ("auto", *METHODS):
            result = ask(case, y_true, y_score, ties=ties, method=method)
            if result is not None:
                assert result.standard_error == 0
                assert result.confidence_interval() == (result.value,) * 2


@pytest.mark.parametrize("case", QUESTIONS)
def test_a_perfect_list_is_not_certain(case):
    """Its resamples are all perfect, and the next sample may not be."""
    y_true, y_score = make_list((1,) * 12, (1,) * 4 + (0,) * 8)
    if QUESTIONS[case][1].get("t") == 1.0:
        return
    for method in METHODS:
        result = ask(case, y_true, y_score, method=method)
        if result is not None:
            low, high = interval(result)
            assert math.isnan(low) or low < high


@pytest.mark.parametrize("method", ["bootstrap", "jackknife", "moderated"])
def test_a_tie_that_moves_the_cut_to_the_end_is_refused(method):
    """All placements have recall 1, but other samples have another cut."""
    y_true, y_score = make_list((2, 4), (1, 2))
    case = "recall@4 0.5"
    assert placed_values((2, 4), 3, case, "together") == {1}
    assert len(resampled_values(y_true, y_score, case, "together")) > 1
    asked = MetricInterval("recall@0.5", ties="together", method=method)
    with pytest.raises(ValueError, match="`ties` must"):
        asked.from_predictions(y_true, y_score)


# Two rankings

COMPARED = {
    **dict.fromkeys(
        ("jackknife", "bootstrap", "permutation"), ("average_precision", {})
    ),
    **dict.fromkeys(
        ("mcnemar", "posterior"),
        ("recall_at_t", {"t": 3}),
    ),
    **dict.fromkeys(("t", "sign", "wilcoxon"), ("average_precision", {})),
}


def compare(method, a, b, y_true, metric, kwargs, alternative):
    groups = np.arange(y_true.size) % 2 if method in (*COMPARED,)[-3:] else None
    asked = RankingComparison(
        method=method,
        alternative=alternative,
        n_resamples=50,
        **named(metric, **kwargs),
    )
    return asked.from_predictions(y_true, {"A": a, "B": b}, groups=groups)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", COMPARED)
@pytest.mark.parametrize("which", ["equal scores", "whole ranking"])
def test_rankings_that_cannot_differ_do_not(method, which, alternative):
    """Nothing is unknown then: by all methods difference 0, error 0, p 1."""
    rng = np.random.default_rng(0)
    y_true = np.tile([1, 1, 0, 0, 0, 0], 4)
    a, (metric, kwargs) = np.round(rng.normal(size=24), 1), COMPARED[method]
    b = {"equal scores": np.zeros(24), "whole ranking": -a}[which]
    if which == "equal scores":
        a = np.ones(24)
    if which == "whole ranking":
        metric, kwargs = "precision_at_t", {"t": 1.0}
    result = compare(method, a, b, y_true, metric, kwargs, alternative)
    assert result.difference == result.zscore == result.standard_error == 0
    assert result.pvalue == 1
    low, high = result.confidence_interval()
    assert (low, high) == (
        -math.inf if alternative == "less" else 0,
        math.inf if alternative == "greater" else 0,
    )
    assert "nan" not in str(result).replace(f"P(A > B)   {math.nan}", "")
    has_posterior = method in ("posterior", "t")
    assert math.isnan(result.probability_superior) != has_posterior


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", COMPARED)
@pytest.mark.parametrize("n_targets", [1, 3, 6])
def test_rankings_in_the_same_order_may_differ_in_other_samples(
    n_targets, method, alternative
):
    """A may lose targets that it has here; the limit is that of none lost (Hanley)."""
    y_true = np.zeros(48, dtype=bool)
    y_true[: 2 * n_targets] = True  # the first items of two rankings
    scores = -np.arange(48.0)
    result = compare(
        method, scores, 2 * scores, y_true, "recall_at_t", {"t": 12}, alternative
    )
    assert (result.difference, result.zscore) == (0, 0)
    assert (result.standard_error > 0) == (method == "posterior")
    if method in ("sign", "wilcoxon"):
        assert math.isnan(interval(result)[0])
    elif method != "posterior":
        # all targets are found, so each has the same part of the value
        sides = 2 if alternative == "two-sided" else 1
        most = 1 - (0.1 / sides) ** (1 / (2 * n_targets))
        low, high = result.confidence_interval(0.9)
        assert low == pytest.approx(-math.inf if alternative == "less" else -most)
        assert high == pytest.approx(math.inf if alternative == "greater" else most)
        assert "not always in other samples" in str(result)
        expected = pytest.approx(0.75 ** (2 * n_targets), rel=1e-6)
        if n_targets > 1:
            assert result.noninferiority_pvalue(0.25) == expected
            assert result.equivalence_pvalue(0.25) == expected


def test_two_rankings_without_hits_have_no_interval():
    y_true = np.arange(40) >= 36
    a = -np.arange(40.0)
    result = RankingComparison("recall@5", method="jackknife").from_predictions(
        y_true, {"A": a, "B": a}
    )
    with pytest.warns(UndefinedMetricWarning, match="the interval is undefined"):
        assert np.isnan(result.confidence_interval()).all()


def test_a_list_that_is_certain_adds_no_error():
    """The error of the mean of two rankings is half that of the one that varies."""
    rng = np.random.default_rng(1)
    y_true, a, b = np.arange(60) < 12, rng.normal(size=60), rng.normal(size=60)
    alone = RankingComparison().from_predictions(y_true, {"A": a, "B": b})
    more = np.r_[y_true, True, np.zeros(9, bool)]
    scores = {"A": np.r_[a, np.zeros(10)], "B": np.r_[b, np.zeros(10)]}
    both = RankingComparison(method="jackknife").from_predictions(
        more, scores, groups=np.repeat([0, 1], [60, 10])
    )
    assert both.standard_error == pytest.approx(alone.standard_error / 2)


# Bands


@pytest.mark.parametrize("simultaneous", [True, False])
def test_bands_of_what_cannot_vary_have_no_width(simultaneous):
    rng = np.random.default_rng(2)
    y_true, a = np.arange(30) < 8, rng.normal(size=30)
    kwargs = {"simultaneous": simultaneous, "random_state": 0}
    band = hit_curve_band(y_true, np.zeros(30), **kwargs)
    np.testing.assert_allclose(band.low, 8 * band.x / 30)  # m t / n
    np.testing.assert_array_equal(band.low, band.high)
    band = hit_curve_band(y_true, a, **kwargs)
    np.testing.assert_array_equal(band.low == band.high, band.x == 30)
    band = hit_curve_band(y_true, {"A": a, "B": rng.normal(size=30)}, **kwargs)
    np.testing.assert_array_equal(band.low == band.high, band.x == 30)
    band = hit_curve_band(y_true, {"A": a, "B": np.exp(a)}, **kwargs)
    assert not band.low.any()
    assert not band.high.any()


ITEMS = np.arange(60)
COLUMNS = {
    "one": {},
    "clusters": {"clusters": ITEMS // 3},
    "groups": {"groups": ITEMS % 12},
    "groups and clusters": {"groups": ITEMS % 12, "clusters": ITEMS % 20},
    "folds": {"folds": ITEMS % 4},
}


@pytest.mark.parametrize("question", [MetricInterval, RankingComparison])
@pytest.mark.parametrize("columns", COLUMNS)
def test_recall_of_whole_rankings_is_one(columns, question):
    """By its definition, in all data; groups may end before the cutoff."""
    rng = np.random.default_rng(5)
    y_true, y_score = ITEMS % 5 < 2, rng.normal(size=60)
    models = {"A": y_score, "B": -y_score}
    metric = "recall@60" if "groups" in COLUMNS[columns] else "recall@100%"
    is_pair = question is RankingComparison
    result = question(metric).from_predictions(
        y_true, models if is_pair else y_score, **COLUMNS[columns]
    )
    assert (result.difference if is_pair else result.value) == 1 - is_pair
    assert result.confidence_interval() == (1 - is_pair, 1 - is_pair)
    assert "nan" not in str(result)
