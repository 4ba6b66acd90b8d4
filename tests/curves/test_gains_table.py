"""The gains table against counts item by item, and SciPy's distributions."""

import re
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest, hypergeom, ks_2samp

from skrank import hit_curve


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
        "The first 50 of 100 items (50 %) hold 5 of 5 targets (100 %), 2 times as many "
        "as random selection finds on average. Random selection finds 0 to 5 in 95 of "
        "100 cases."
    )
    header, *rows = str(table).splitlines()[5:]
    assert re.split(r"\s{2,}", header.strip()) == [
        *("part", "items", "targets", "rate", "lift", "recall", "interval"),
        *("cum. lift", "KS"),
    ]
    assert rows[0].split()[:6] == ["1", "50", "5", "0.1000", "2.00", "1.000"]
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
