"""Comparison of models by values that were computed elsewhere."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import binomtest, multivariate_normal, ttest_rel, wilcoxon
from scipy.stats import t as student
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skrank import RankingComparison, make_average_precision_scorer

RNG = np.random.default_rng(0)
A = np.array([0.31, 0.42, 0.38, 0.50, 0.44])
B = np.array([0.25, 0.40, 0.30, 0.46, 0.35])
TABLE = RNG.normal([0.5, 0.55, 0.7], 0.1, size=(12, 3))


def compare(values=None, method="auto", alternative="two-sided", **data):
    test = RankingComparison(method=method, alternative=alternative)
    return test.from_values({"a": A, "b": B} if values is None else values, **data)


# The methods


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_independent_rows(alternative):
    """Judges: the tests of SciPy."""
    a, b = TABLE[:, :2].T
    wins = int((a > b).sum())
    judges = {
        "auto": ttest_rel(a, b, alternative=alternative),
        "t": ttest_rel(a, b, alternative=alternative),
        "wilcoxon": wilcoxon(a, b, alternative=alternative, method="exact"),
        "sign": binomtest(wins, a.size, alternative=alternative),
    }
    for method, judge in judges.items():
        found = compare({"a": a, "b": b}, method, alternative)
        assert found.pvalue == pytest.approx(judge.pvalue)
        assert found.difference == pytest.approx(np.mean(a - b))
    found = compare({"a": a, "b": b}, alternative=alternative)
    limits = ttest_rel(a, b, alternative=alternative).confidence_interval(0.9)
    assert_allclose(found.confidence_interval(0.9), limits)


def test_folds_are_not_independent():
    """Judge: the formula of Nadeau and Bengio, in rationals but for the root."""
    d = [Fraction(int(x), 100) for x in np.rint(100 * (A - B))]
    mean = sum(d) / 5
    variance = sum((x - mean) ** 2 for x in d) / 4
    error = math.sqrt(variance * (Fraction(1, 5) + Fraction(1, 4)))
    found = compare(ratio=1 / 4)
    assert found.standard_error == pytest.approx(error)
    assert found.pvalue == pytest.approx(2 * student.sf(float(mean) / error, 4))
    assert (found.method, found.kind, found.n_rankings) == ("corrected_t", "folds", 5)
    assert found.pvalue > compare().pvalue
    # a margin inverts the interval
    low, _ = found.confidence_interval()
    assert compare({"a": A, "b": B + 0.1}, ratio=1 / 4).noninferiority_pvalue(
        0.1 - low
    ) == pytest.approx(0.025)
    assert math.isnan(found.sample_size(difference=0.1))  # more folds add no data


@pytest.mark.parametrize(
    ("cv", "ratio", "n_repeats"),
    [
        (StratifiedKFold(5), 1 / 4, 1),
        (RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0), 1 / 3, 3),
        (StratifiedShuffleSplit(6, test_size=0.25, random_state=0), 1 / 3, 1),
    ],
)
def test_values_of_scikit_learn(cv, ratio, n_repeats):
    """Judge: the comparison that fits the models itself."""
    X, y = make_classification(200, weights=[0.8], flip_y=0.1, random_state=0)
    models = {"nb": GaussianNB(), "knn": KNeighborsClassifier(5)}
    scorer = make_average_precision_scorer()
    values = {
        name: cross_val_score(one, X, y, cv=cv, scoring=scorer)
        for name, one in models.items()
    }
    found = compare(values, ratio=ratio, n_repeats=n_repeats)
    right = RankingComparison().from_cv(models, X, y, cv=cv)
    for name in ("difference", "standard_error", "degrees_of_freedom", "pvalue"):
        assert getattr(found, name) == pytest.approx(getattr(right, name), rel=1e-9)
    assert found.probability_superior == pytest.approx(right.probability_superior)


@pytest.mark.nightly
def test_posterior_of_correlated_values():
    """Judge: the posterior of Corani and Benavoli (2015, section 3), integrated.

    The differences are normal with one mean and one variance, and have the correlation
    n_test / (n_test + n_train); the prior is that of one over the variance.
    """
    d, rho = A - B, 0.2
    shape = (1 - rho) * np.eye(5) + rho

    def likelihood(mean):
        def of_scale(log_scale):
            scale = math.exp(log_scale)
            residuals = (d - mean) / scale
            return multivariate_normal.pdf(residuals, cov=shape) / scale**5

        return quad(of_scale, -6, 1, epsabs=0)[0]

    above = quad(likelihood, 0, 0.5, points=[0.06], epsabs=0, limit=200)[0]
    below = quad(likelihood, -0.5, 0, points=[-0.02], epsabs=0, limit=200)[0]
    found = compare(ratio=rho / (1 - rho))
    assert found.probability_superior == pytest.approx(
        above / (above + below), rel=1e-3
    )
    # the region of practical equivalence, by the margins
    worse = quad(likelihood, -0.5, -0.01, points=[-0.03], epsabs=0, limit=200)[0]
    margin = found.noninferiority_pvalue(0.01)
    assert margin == pytest.approx(worse / (above + below), rel=1e-2)


# Several models


def test_all_pairs():
    """Judge: the comparisons of two models, and Holm's adjustment by hand."""
    table = compare(TABLE, ratio=1 / 4)
    assert table.names == ("0", "1", "2")
    for one in table.comparisons:
        i, j = map(int, one.names)
        alone = compare({"a": TABLE[:, i], "b": TABLE[:, j]}, ratio=1 / 4)
        assert one.pvalue == pytest.approx(alone.pvalue)
    p = sorted(one.pvalue for one in table.comparisons)
    holm = np.maximum.accumulate(np.minimum(np.multiply(p, [3, 2, 1]), 1))
    assert_allclose(sorted(table.adjusted_pvalues), holm)
    board = table.leaderboard()
    assert board.names[0] == "2"
    assert_allclose(board.values, np.sort(TABLE.mean(axis=0))[::-1])
    assert "12 folds  of each model, as given" in str(table)
    assert len(compare(TABLE, baseline=1).comparisons) == 2
    best = compare(TABLE[:, 1:], baseline="best")
    assert [one.names for one in best.comparisons] == [("0", "1")]


def test_smaller_values_may_be_better():
    test = RankingComparison("k_at_recall(0.8)")
    assert test.from_values(TABLE).leaderboard().names[-1] == "2"
    assert test.from_values(TABLE, name="accuracy").leaderboard().names[0] == "2"
    said = test.from_values({"a": A, "b": B}).conclusion()
    assert said.startswith("a has a larger k_at_recall(0.8) than b: 0.41 and 0.352")


def test_name_of_the_metric():
    found = compare(ratio=1 / 4, name="accuracy")
    assert found.metric == "accuracy"
    assert "by accuracy" in str(found)
    assert "by accuracy" in found.to_html()
    assert found.to_dict()["n_samples"] == 0
    assert found.to_frame().difference.tolist() == pytest.approx((A - B).tolist())


# Tables


def test_forms_of_a_table():
    frame = pd.DataFrame({"a": A, "b": B}, index=[*"vwxyz"])
    right = compare(ratio=1 / 4)
    for values in (
        frame,
        frame.astype("Float64"),
        {"a": A.tolist(), "b": B.tolist()},
        {"a": frame["a"], "b": B},
        np.column_stack([A, B]),
    ):
        assert compare(values, ratio=1 / 4).pvalue == right.pvalue
    assert compare(frame).labels == tuple("vwxyz")
    assert compare(frame).to_frame().ranking.tolist() == [*"vwxyz"]
    # a line of the guide: the candidates of a search
    splits = {f"split{i}_test_score": TABLE[i] for i in range(12)}
    results = pd.DataFrame({"param_C": [1, 2, 3], **splits, "std_fit_time": 0.1})
    folds = results.filter(regex="^split.*_test_score$").T
    assert_allclose(
        compare(folds, ratio=1 / 11).adjusted_pvalues,
        compare(TABLE, ratio=1 / 11).adjusted_pvalues,
    )


@pytest.mark.parametrize("gap", [math.nan, None, pd.NA])
def test_rows_with_a_gap_are_left_out_for_all(gap):
    frame = pd.DataFrame(TABLE[:6], columns=[*"abc"], dtype=object)
    frame.iloc[2, 0] = frame.iloc[4, 2] = gap
    with pytest.warns(UserWarning, match=r"left out, 2 of 6: 2, 4\. If a model failed"):
        found = compare(frame, ratio=1 / 4)
    right = compare(TABLE[[0, 1, 3, 5]], ratio=1 / 4)
    assert_allclose(found.adjusted_pvalues, right.adjusted_pvalues)
    assert found.comparisons[0].labels == (0, 1, 3, 5)


def test_gaps_of_repeated_folds():
    # a fold that is left out stays one of its repetition
    values = {"a": RNG.normal(size=6), "b": RNG.normal(size=6)}
    values["a"][1] = np.nan
    with pytest.warns(UserWarning, match="1 of 6"):
        found = compare(values, ratio=1 / 2, n_repeats=2)
    d = values["a"] - values["b"]
    squares = np.var(d[[0, 2]]) * 2 + np.var(d[3:]) * 3
    assert found.degrees_of_freedom == 3
    assert found.standard_error >= math.sqrt(squares / 3 * (1 / 5 + 1 / 2))


def test_equal_values():
    found = compare({"a": A, "b": A}, ratio=1 / 4)
    assert (found.difference, found.pvalue, found.probability_superior) == (0, 1, 0.5)
    with pytest.warns(UndefinedMetricWarning, match="the interval is undefined"):
        assert np.isnan(found.confidence_interval()).all()
    assert found.conclusion().endswith(": 0.41 and 0.41 (p = 1).")
    # a constant difference has no error, but signs
    with pytest.warns(UndefinedMetricWarning, match="'sign' and 'wilcoxon'"):
        found = compare({"a": A, "b": A - 0.25})
    assert math.isnan(found.pvalue)
    assert compare({"a": A, "b": A - 0.25}, "sign").pvalue == 2 / 2**5


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        ({"a": A}, {}, "`values` must contain values of 2 or more models; got 1"),
        ({"a": A[:1], "b": B[:1]}, {}, "have 2 or more rows in which .* got 1 of 1"),
        ({"a": A, "b": B[:4]}, {}, "have as many items as `values"),
        (
            {"a": A, "b": B.astype(str)},
            {},
            r"`values`\['b'\] must contain real numbers",
        ),
        ({"a": A, "b": B * math.inf}, {}, r"`values`\['b'\] must be a finite number"),
        ({1: A, "1": B}, {}, "have different names, also as text"),
        ([A, B], {}, r"from names to values.*\(n_values, n_rankings\).* got list"),
        (A, {}, "got ndarray of shape"),
        (np.stack([A, B]), {}, "a column for each model; got shape"),
        ({"a": A, "b": 1e200 * B}, {}, r"\['b'\] must be at most 1e\+100 in size"),
        (None, {"name": 3}, "`name` must be a text or None; got 3"),
        (None, {"ratio": 0}, "`ratio` must be a finite number above 0"),
        (
            None,
            {"ratio": 1 / 4, "n_repeats": 2},
            "divide the 5 rows into rep",
        ),
        (None, {"n_repeats": 5}, "`n_repeats` must be 1 without `ratio`"),
        (None, {"baseline": "c"}, "`baseline` must be one of"),
        (None, {"method": "jackknife"}, "'t', 'sign', 'wilcoxon' for values without"),
        (None, {"ratio": 1, "method": "t"}, "'corrected_t' for values with `ratio`"),
    ],
)
def test_refused(values, settings, message):
    with pytest.raises(ValueError, match=message):
        compare(values, **settings)
