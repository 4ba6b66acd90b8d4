"""The gains table against counts item by item, and SciPy's distributions."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest, hypergeom, ks_2samp

from skrank import RankCounts, Rankings, hit_curve


def columns(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.06
    return y, rng.normal(1.5 * y)


def test_the_parts_are_counted():
    y, score = columns()
    table = hit_curve(y, score).gains_table(parts=7)
    ordered = y[np.argsort(-score)]
    ends = np.rint(np.arange(8) * 1000 / 7).astype(int)
    targets = [ordered[low:high].sum() for low, high in pairwise(ends)]
    assert table.items.tolist() == np.diff(ends).tolist()
    assert table.targets.tolist() == targets
    assert table.t.tolist() == ends[1:].tolist()
    assert_allclose(table.recall, np.cumsum(targets) / y.sum())
    assert_allclose(table.cumulative_lift, table.recall / (ends[1:] / 1000))


@pytest.mark.parametrize("n", range(3, 200))
def test_a_curve_in_fractions_has_the_same_parts(n):
    y, score = np.arange(n) % 3 == 0, np.arange(n) % 7
    tables = [
        hit_curve(y, score, as_fraction=fraction).gains_table(parts=n)
        for fraction in (False, True)
    ]
    assert_allclose(tables[1].t, tables[0].t)
    assert_allclose(tables[1].hits, tables[0].hits, atol=1e-9)


def test_one_part_for_each_item_has_the_statistic_of_kolmogorov_and_smirnov():
    y, score = columns()
    table = hit_curve(y, score).gains_table(parts=1000)
    assert table.ks.max() == pytest.approx(ks_2samp(score[y], score[~y]).statistic)


def test_range_of_random_selection_is_hypergeometric():
    y, score = columns()
    table = hit_curve(y, score).gains_table(parts=10, confidence_level=0.9)
    m = y.sum()
    for depth, low, high in zip(
        table.t, table.chance_low * m, table.chance_high * m, strict=True
    ):
        null = hypergeom(1000, m, int(depth))
        assert null.cdf(round(low) - 1) < 0.05 <= null.cdf(round(low))
        assert null.sf(round(high)) <= 0.05 + 1e-12 < null.sf(round(high) - 1) + 2e-12


def test_interval_is_between_those_of_clopper_and_wilson():
    # the interval of Jeffreys is inside that of Clopper and Pearson
    y, score = columns()
    table = hit_curve(y, score).gains_table()
    for hits, low, high in zip(table.hits[:-1], table.low, table.high, strict=False):
        exact = binomtest(int(hits), int(y.sum())).proportion_ci(method="exact")
        assert exact.low <= low < hits / y.sum() or hits == 0
        assert hits / y.sum() < high <= exact.high or hits == y.sum()
    assert table.low[-1] == table.high[-1] == 1


def test_ties_follow_the_rule_of_the_curve():
    y, score = [1, 0, 0, 0, 1, 0], [3, 3, 3, 3, 2, 2]
    parts = {"expected": [0.5, 0.5, 1], "optimistic": [1, 0, 1]}
    parts["pessimistic"] = [0, 1, 1]
    for ties, targets in parts.items():
        table = hit_curve(y, score, ties=ties).gains_table(parts=3)
        assert_allclose(table.targets, targets)


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_missed_targets_and_fractions():
    y, score = columns()
    table = hit_curve(y, score).gains_table()
    share = hit_curve(y, score, as_fraction=True).gains_table()
    for name in ("items", "targets", "recall", "low", "chance_high", "lift", "ks"):
        assert_allclose(getattr(share, name), getattr(table, name), atol=1e-9)
    missed = hit_curve(y, score, n_missed=5).gains_table()
    assert missed.recall[-1] == pytest.approx(y.sum() / (y.sum() + 5))
    assert missed.low[-1] == missed.high[-1] == missed.recall[-1]


def test_weights_have_no_ranges():
    y, score = columns()
    weight = np.random.default_rng(0).random(1000)
    table = hit_curve(y, score, sample_weight=weight).gains_table()
    assert_allclose(table.items, weight.sum() / 10)
    assert_allclose(table.targets.sum(), weight[y].sum())
    assert np.isnan([table.low, table.chance_low]).all()
    assert "Random selection finds" not in table.conclusion()
    assert "chance" not in str(table)


def test_what_is_printed():
    y = np.repeat([1, 0], [5, 95])
    table = hit_curve(y, -np.arange(100)).gains_table(parts=2)
    assert table.conclusion() == (
        "The first 50 of 100 items (50 %) contain 5 of 5 targets (100 %), 2 times as "
        "many as random selection finds on average. Random selection finds 0 to 5 in "
        "95 of 100 cases."
    )
    header, *rows = str(table).splitlines()[5:]
    assert re.split(r"\s{2,}", header.strip()) == [
        *("part", "items", "score", "targets", "rate", "lift", "recall", "interval"),
        *("cum. lift", "KS"),
    ]
    assert rows[0].split()[:7] == ["1", "50", "-49", "5", "0.1000", "2.00", "1.000"]
    assert len(rows) == 2
    frame = table.to_frame()
    assert frame["part"].tolist() == [1, 2]
    assert frame["hits"].tolist() == [5, 5]


def test_ends():
    only = hit_curve([1, 1], [2, 1]).gains_table(parts=2)
    assert np.isnan(only.ks).all()
    assert only.cumulative_lift.tolist() == [1, 1]
    with pytest.raises(ValueError, match="`parts` must be at most one for each of 2 i"):
        hit_curve([1, 0], [2, 1]).gains_table(parts=3)
    with pytest.raises(ValueError, match="`parts` must be an int of at least 1"):
        hit_curve([1, 0], [2, 1]).gains_table(parts=0)
    with pytest.raises(ValueError, match="`confidence_level` must be a number betw"):
        hit_curve([1, 0], [2, 1]).gains_table(parts=2, confidence_level=1)


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
def test_missed_targets_have_no_range_in_the_sentence():
    # the range is that of the scored targets, and the lift that of all
    y, score = columns()
    said = hit_curve(y, score, n_missed=20).gains_table(parts=5).conclusion()
    hits = y[np.argsort(-score)[:200]].sum()
    share = hits / (y.sum() + 20)
    assert said.endswith(f"{hits} of {y.sum() + 20} targets ({100 * share:.2g} %).")


@pytest.mark.parametrize("as_fraction", [False, True])
def test_parts_end_at_given_depths(as_fraction):
    # judged by counting items of the sorted list
    y, score = columns()
    curve = hit_curve(y, score, as_fraction=as_fraction)
    table = curve.gains_table(parts=(0.01, 25, "5%"))
    ends = [0, 10, 25, 50, 1000]
    found = [y[np.argsort(-score)][a:b] for a, b in pairwise(ends)]
    assert table.labels == ("1 %", "25", "5 %", "rest")
    assert_allclose(table.items, np.diff(ends))
    assert_allclose(table.targets, [part.sum() for part in found])
    assert_allclose(table.rate, [part.mean() for part in found])
    assert_allclose(table.lift, [part.mean() / y.mean() for part in found])
    assert_allclose(table.hits, np.cumsum([part.sum() for part in found]))
    whole = curve.gains_table(parts=[0.5, 1.0])
    assert whole.labels == ("50 %", "100 %")
    assert_allclose(whole.recall, curve.gains_table(parts=2).recall)
    for parts in ((0.5, 0.2), (2000,), (10, 0.01)):
        with pytest.raises(ValueError, match="`parts` must"):
            curve.gains_table(parts=parts)


# Scores of the parts


@pytest.mark.parametrize("as_fraction", [False, True])
def test_lowest_score_of_each_part(as_fraction):
    """Judge: the smallest score of the items between two depths of the sorted list."""
    y, score = columns()
    score = np.round(score, 1)  # with ties across parts
    table = hit_curve(y, score, as_fraction=as_fraction).gains_table(parts=7)
    ends = np.rint(np.arange(8) * 1000 / 7).astype(int)
    parts = [np.sort(score)[::-1][a:b] for a, b in pairwise(ends)]
    assert table.lowest_score.tolist() == [part.min() for part in parts]
    assert table.to_frame()["lowest_score"].tolist() == table.lowest_score.tolist()
    assert np.isnan(hit_curve(y, score).perfect().gains_table().lowest_score).all()


TYPES = ["f8", "f4", "i8", "i1", "u1", "u8"]


@pytest.mark.parametrize("unlisted", [0, 3])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("kind", TYPES)
def test_scores_are_those_that_were_given(kind, lower, unlisted):
    """Judge: the list in the order of Python, with the ends of the type."""
    ends = [-3.5, 2.5] if kind[0] == "f" else [np.iinfo(kind).min, np.iinfo(kind).max]
    score = np.array([*ends, 7, 5, 5, 1, 0, 4], kind)
    if unlisted and kind[1] == "8" and kind != "f8":
        score = score[2:]  # there is no number for the items that have no score
    y = np.arange(score.size) % 2
    rankings = Rankings.from_predictions(
        y, {"a": score}, lower_is_better=lower, n_unlisted=unlisted or None
    )
    curve = hit_curve(rankings.parts[0][0])
    table = curve.gains_table(parts=score.size + unlisted)
    listed = sorted(score.tolist(), reverse=not lower)
    assert table.lowest_score[: score.size].tolist() == listed
    assert np.isnan(table.lowest_score[score.size :].astype(float)).all()
    assert ("highest score" in str(table)) == lower
    cuts = curve.gains_table(scores=(0.5, 4) if lower else (4, 0.5))
    better = [sum(x <= 0.5 if lower else x >= 4 for x in listed)]
    better.append(sum(x <= 4 if lower else x >= 0.5 for x in listed))
    assert cuts.t[:2].tolist() == better
    assert cuts.labels[0] == ("<= 0.5" if lower else ">= 4")


def test_parts_end_at_scores():
    """Judge: the groups of pandas."""
    y, score = columns()
    table = hit_curve(y, score).gains_table(scores=(9, 2, 1.999, 0.5, 0))
    bands = pd.cut(-score, [-np.inf, -9, -2, -1.999, -0.5, 0, np.inf])
    judge = pd.DataFrame({"y": y, "score": score}).groupby(bands, observed=False)
    assert table.labels == (">= 9", ">= 2", ">= 1.999", ">= 0.5", ">= 0", "rest")
    assert table.items.tolist() == judge.size().tolist()
    assert table.targets.tolist() == judge["y"].sum().tolist()
    assert_allclose(table.lowest_score, judge["score"].min())
    with np.errstate(invalid="ignore"):
        assert_allclose(table.rate, judge["y"].sum() / judge.size())
    # an empty first part: nothing is found, and the conclusion is on the next one
    assert (table.low[0], table.chance_low[0], table.chance_high[0]) == (0, 0, 0)
    assert table.high[0] < 0.1
    assert table.conclusion().startswith(f"The first {(score >= 2).sum()} of 1000 ")
    depths = table.t[table.items > 0].astype(int).tolist()
    known = hit_curve(y, score).gains_table(parts=depths)
    for name in ("recall", "cumulative_lift", "ks", "low", "high", "chance_high"):
        assert_allclose(getattr(table, name)[table.items > 0], getattr(known, name))
    assert "nan" not in str(table)
    whole = hit_curve(y, score).gains_table(scores=score.min())
    assert (whole.labels, whole.recall.tolist()) == ((f">= {score.min():.15g}",), [1])


def test_scores_of_weighted_items():
    """Judge: each item as often as its weight says."""
    y, score = columns(60)
    weight = np.arange(60) % 4
    curve = hit_curve(y, score, sample_weight=weight)
    repeated = hit_curve(np.repeat(y, weight), np.repeat(score, weight))
    for asked in ({"parts": 9}, {"scores": (1.5, 0.0)}):
        one, other = curve.gains_table(**asked), repeated.gains_table(**asked)
        assert_allclose(one.lowest_score, other.lowest_score)
        assert_allclose(one.items, other.items)
        assert_allclose(one.hits, other.hits)


def test_counted_items_have_no_scores():
    y, score = columns()
    curve = hit_curve(RankCounts.from_predictions(y, score))
    table = curve.gains_table()
    assert np.isnan(table.lowest_score).all()
    assert "score" not in str(table)
    with pytest.raises(ValueError, match="`scores` must be left out for a curve of"):
        curve.gains_table(scores=(1, 0))


@pytest.mark.parametrize("scores", [(0, 1), (1, 1), (), [[1, 0]]])
def test_scores_in_another_order(scores):
    curve = hit_curve(*columns())
    with pytest.raises(ValueError, match="`scores` must be one or more, descending"):
        curve.gains_table(scores=scores)
    with pytest.raises(ValueError, match="`scores` must be a finite number"):
        curve.gains_table(scores=(np.inf, 1))
    with pytest.raises(ValueError, match="`parts` must be left out with `scores`"):
        curve.gains_table(parts=5, scores=(1, 0))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unlisted", [0, 2])
def test_items_without_a_score_have_none(lower, unlisted):
    # beside unlisted items, and with weights of 0
    score = np.array([4.0, np.nan, 3.0, 1.0, np.nan, 2.0])
    rankings = Rankings.from_predictions(
        np.arange(6) % 2,
        {"a": -score if lower else score},
        lower_is_better=lower,
        missing="last",
        n_unlisted=unlisted or None,
    )
    table = hit_curve(rankings.parts[0][0]).gains_table(parts=6 + unlisted)
    listed = [-4, -3, -2, -1] if lower else [4, 3, 2, 1]
    assert_allclose(table.lowest_score, [*listed, *[np.nan] * (2 + unlisted)])
    weighted = hit_curve(
        np.arange(6) % 2, score, missing="last", sample_weight=[1, 1, 0, 2, 1, 1]
    )
    assert_allclose(
        weighted.gains_table(parts=(1, 2, 4, 6)).lowest_score, [4, 2, 1, np.nan]
    )
