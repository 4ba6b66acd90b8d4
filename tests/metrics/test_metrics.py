"""Values of the metrics, each against a judge that the test names."""

import math
import re
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import (
    average_precision_score,
    fbeta_score,
    ndcg_score,
    precision_recall_curve,
    roc_auc_score,
)

import oracles
from cases import (
    ALL,
    SMALL_LISTS,
    TIES,
    make_list,
    metric_function,
    oracle_settings,
)
from skrank import (
    average_precision,
    average_precision_at_k,
    bedroc,
    breakeven_point,
    enrichment_factor,
    k_at_recall,
    max_f_score,
    ndcg,
    operating_points,
    precision_at_recall,
    precision_at_t,
    r_precision,
    recall_at_t,
    reciprocal_rank,
    rie,
)
from skrank.metrics._definitions._curve import KAtRecall, MaxFScore, PrecisionAtRecall
from skrank.metrics._definitions._tie_sums import reciprocal_rank_of_hit


def ranked(labels):
    """Labels in rank order, with falling scores."""
    return labels, list(range(len(labels), 0, -1))


# Values printed in the literature


def test_against_the_slides_table_of_eight_items():
    # Su and Zhang, "Statistical Inference for Recall, Precision and Average Precision",
    # slide "Performance Measures: Example"
    first, second = ranked([1, 1, 0, 1, 0, 0, 0, 0]), ranked([0, 1, 0, 0, 1, 1, 0, 0])
    assert round(average_precision(*first), 4) == 0.9167
    assert round(average_precision(*second), 4) == 0.4667
    recall = [recall_at_t(*first, t=t) for t in range(1, 9)]
    assert_allclose(recall, np.array([1, 2, 2, 3, 3, 3, 3, 3]) / 3)
    precision = [precision_at_t(*second, t=t) for t in range(1, 9)]
    assert_allclose(precision, [0, 1 / 2, 1 / 3, 1 / 4, 2 / 5, 3 / 6, 3 / 7, 3 / 8])


def test_against_the_premise_example_corrected():
    # Bhat, "Precision, recall, and all that": x, a, y, b, c, z with a, b, c correct;
    # the last rows of its table should read 5 | c | 3/5 and 6 | z | 3/6
    premises = ranked([0, 1, 0, 1, 1, 0])
    precision = [precision_at_t(*premises, t=t) for t in range(1, 7)]
    assert_allclose(precision, [0, 1 / 2, 1 / 3, 2 / 4, 3 / 5, 3 / 6])
    at_4 = average_precision_at_k(*premises, k=4, normalize="hits")
    assert at_4 == pytest.approx((1 / 2 + 2 / 4) / 2)


def test_groups_of_three_three_two():
    # McSherry and Najork (2008): the expected value is the mean over 3 * 3 * 1 orders
    y_true, y_score = make_list((3, 3, 2), (2, 1, 0))
    values = [average_precision(y_true, y_score, ties=ties) for ties in TIES]
    assert_allclose(np.round(values, 3), [0.743, 0.611, 0.917, 0.556])


# Enumeration over all orders inside the ties, in rationals


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("case", ALL)
@pytest.mark.slow
def test_against_all_orders_inside_ties(case, ties):
    metric, _ = ALL[case]
    function = metric_function(case)
    for sizes, n_targets in SMALL_LISTS:
        for hits in product(*(range(size + 1) for size in sizes)):
            if sum(hits) != n_targets:
                continue
            exact = oracles.value(
                list(zip(sizes, hits, strict=True)),
                metric,
                ties=ties,
                **oracle_settings(case, sum(sizes)),
            )
            value = function(*make_list(sizes, hits), ties=ties)
            assert value == pytest.approx(float(exact), rel=1e-13, abs=1e-15)


@pytest.mark.filterwarnings("ignore:With `n_missed` alone")
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("case", ALL)
def test_missed_targets_against_definition(case, ties):
    metric, _ = ALL[case]
    sizes, hits = (1, 3, 2, 4), (1, 1, 0, 2)
    settings = oracle_settings(case, sum(sizes))
    groups = list(zip(sizes, hits, strict=True))
    exact = oracles.value(groups, metric, ties=ties, n_targets=7, **settings)
    value = metric_function(case)(*make_list(sizes, hits), ties=ties, n_missed=3)
    assert value == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize(
    ("above", "size"), [(0, 200), (31, 3), (32, 3), (1000, 2), (10**6, 40), (10**7, 3)]
)
def test_deep_tie_against_plain_sum(above, size):
    # all hits in one group far down: precision j / (above + j), summed one by one
    y_score = np.r_[np.full(above, 2.0), np.full(size, 1.0)]
    y_true = np.r_[np.zeros(above, dtype=bool), np.ones(size, dtype=bool)]
    y_true, y_score = np.r_[y_true, False], np.r_[y_score, 0.0]
    j = np.arange(1, size + 1)
    exact = np.mean(j / (above + j))
    assert average_precision(y_true, y_score) == pytest.approx(exact, rel=1e-12)


# Early recognition


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 20, 160.9])
def test_against_truchon_and_bayly(alpha):
    # Truchon and Bayly (2007): RIE with the closed form of what is expected by chance,
    # its least and largest value
    rng = np.random.default_rng(3)
    n, m = 200, 9
    ranks = np.sort(rng.permutation(n)[:m]) + 1
    y_true = np.isin(np.arange(1, n + 1), ranks)
    null_means = (1 / n) * (1 - np.exp(-alpha)) / (np.exp(alpha / n) - 1)
    exact = np.mean(np.exp(-alpha * ranks / n)) / null_means
    assert rie(y_true, -np.arange(n), alpha=alpha) == pytest.approx(exact, rel=1e-11)
    ra = m / n
    least = (1 - np.exp(alpha * ra)) / (ra * (1 - np.exp(alpha)))
    most = (1 - np.exp(-alpha * ra)) / (ra * (1 - np.exp(-alpha)))
    value = bedroc(y_true, -np.arange(n), alpha=alpha)
    assert value == pytest.approx((exact - least) / (most - least), rel=1e-8)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("alpha", [1e4, 1e300])
def test_in_the_limit_of_a_large_alpha_the_first_rank_is_all(ties, alpha):
    first, second = ranked([1, 0, 1, 0, 0]), ranked([0, 1, 1, 0, 0])
    assert rie(*first, alpha=alpha, ties=ties) == pytest.approx(5 / 2)
    assert rie(*second, alpha=alpha, ties=ties) == 0.0
    assert bedroc(*first, alpha=alpha, ties=ties) == pytest.approx(1.0)
    assert bedroc(*second, alpha=alpha, ties=ties) == 0.0


@pytest.mark.parametrize("alpha", [5e-324, 1e-9, 1e-7])
def test_in_the_limit_of_a_small_alpha_all_ranks_are_alike(alpha):
    # the weights are then linear in the rank, and BEDROC is the area under the ROC
    # curve, sklearn.metrics.roc_auc_score, which takes a tie by its mean order, too
    rng = np.random.default_rng(4)
    y_true, y_score = rng.permutation([1] * 7 + [0] * 50), rng.integers(0, 20, 57)
    assert rie(y_true, y_score, alpha=alpha) == pytest.approx(1.0, abs=1e-7)
    area = roc_auc_score(y_true, y_score)
    assert bedroc(y_true, y_score, alpha=alpha) == pytest.approx(area, abs=1e-7)


def test_what_chance_gives_on_average():
    # over all rankings: EF and RIE are multiples of it; for RIE also its variance,
    # (n-m) / (m (n-1)) (s / mu**2 - 1), s and mu the means of weights and their squares
    n, m, alpha = 9, 3, 4.0
    lists = [np.isin(np.arange(n), places) for places in combinations(range(n), m)]
    factors = [enrichment_factor(y_true, -np.arange(n), t=0.4) for y_true in lists]
    assert np.mean(factors) == pytest.approx(1.0)
    values = [rie(y_true, -np.arange(n), alpha=alpha) for y_true in lists]
    weight = np.exp(-alpha * np.arange(1, n + 1) / n)
    spread = np.mean(weight**2) / np.mean(weight) ** 2 - 1
    assert np.mean(values) == pytest.approx(1.0)
    assert np.var(values) == pytest.approx((n - m) / (m * (n - 1)) * spread)


def test_bedroc_by_chance_is_not_a_half():
    # Truchon and Bayly (2007): near 1/alpha for rare targets
    y_true = np.arange(100_000) < 10
    value = bedroc(y_true, np.zeros(y_true.size))
    assert value == pytest.approx(1 / 20 - 1 / np.expm1(20), rel=2e-3)


def test_bedroc_is_below_zero_where_a_last_tie_counts_as_its_end():
    # by definition: a whole tie of 2 targets counts as rank 3 twice, worse than 2 and 3
    weight = np.exp(-np.arange(1, 4) / 3)
    best, worst = weight[:2].sum(), weight[1:].sum()
    value = bedroc([0, 1, 1], [2, 1, 1], alpha=1, ties="together")
    assert value == pytest.approx((2 * weight[2] - worst) / (best - worst))
    assert value < 0
    assert bedroc([0, 1, 1], [2, 1, 1], alpha=1) == 0.0


@pytest.mark.parametrize(
    ("above", "size", "hits"),
    [
        (0, 2, 1),
        (0, 500, 1),
        (7, 500, 299),
        (7, 500, 300),
        (1000, 1500, 2),
        (0, 20_000, 300),
        (10**6, 3000, 40),
    ],
)
def test_first_hit_of_a_large_tie_against_rational_sum(above, size, hits):
    # the first of d hits is at place j with chance C(b - j, d - 1) / C(b, d), here to
    # 80 bits, and below 1e-29 beyond place 4000
    y_score = np.repeat([2.0, 1.0, 0.0], [above, size, 1])
    y_true = np.arange(y_score.size) - above
    y_true = (y_true >= 0) & (y_true < hits)
    ways, total = comb(size - 1, hits - 1), Fraction(0)
    for j in range(1, min(size - hits + 1, 4000) + 1):
        total += Fraction(round(Fraction(ways << 80, comb(size, hits))), above + j)
        ways = ways * (size - j - hits + 1) // max(size - j, 1)
    exact = float(total / 2**80)
    assert reciprocal_rank(y_true, y_score) == pytest.approx(exact, rel=1e-13)


# scikit-learn

scored_lists = st.integers(2, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.booleans(), min_size=n, max_size=n).filter(
            lambda y: 0 < sum(y) < len(y)
        ),
        st.lists(st.integers(-3, 12), min_size=n, max_size=n),
        st.lists(st.floats(0.001, 1000), min_size=n, max_size=n),
    )
)


@given(scored_lists)
def test_threshold_against_sklearn(data):
    y_true, y_score, weight = data
    y_score = np.asarray(y_score, dtype=float)
    ours = average_precision(y_true, y_score, ties="together")
    theirs = average_precision_score(y_true, y_score)
    assert ours == pytest.approx(theirs, abs=1e-12)
    ours = average_precision(y_true, y_score, ties="together", sample_weight=weight)
    theirs = average_precision_score(y_true, y_score, sample_weight=weight)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_threshold_against_sklearn_on_a_long_list():
    rng = np.random.default_rng(5)
    y_true = rng.random(50_000) < 0.01
    weight = rng.exponential(size=y_true.size)
    for y_score in (rng.normal(size=y_true.size), rng.integers(0, 40, y_true.size)):
        for kwargs in ({}, {"sample_weight": weight}):
            ours = average_precision(y_true, y_score, ties="together", **kwargs)
            theirs = average_precision_score(y_true, y_score, **kwargs)
            assert ours == pytest.approx(theirs, abs=1e-12)


# Weights are repetition


@pytest.mark.filterwarnings("ignore:.* counts units of weight")
@given(scored_lists, st.data())
def test_whole_weights_against_repetition(data, draw):
    y_true, y_score, _ = data
    counts = draw.draw(
        st.lists(st.integers(0, 4), min_size=len(y_true), max_size=len(y_true))
    )
    repeated = np.repeat(y_true, counts), np.repeat(np.asarray(y_score, float), counts)
    if not 0 < repeated[0].sum() < repeated[0].size:
        return
    y_score = np.asarray(y_score, dtype=float)
    t = draw.draw(st.integers(1, repeated[0].size) | st.floats(0.01, 1.0))
    for metric, settings in (
        (recall_at_t, {"t": t}),
        (precision_at_t, {"t": t}),
        (enrichment_factor, {"t": t}),
        (rie, {"alpha": 7.5}),
        (bedroc, {"alpha": 7.5}),
    ):
        for ties in TIES:
            if ties == "together" and metric in (rie, bedroc):
                continue  # the last item of a tie has a rank, which weights have not
            settings["ties"] = ties
            weighted = metric(y_true, y_score, sample_weight=counts, **settings)
            assert weighted == pytest.approx(metric(*repeated, **settings), abs=1e-14)
    settings = {"k": t, "ties": "together"}
    for normalize in ("min", "relevant", "hits"):
        weighted = average_precision_at_k(
            y_true, y_score, normalize=normalize, sample_weight=counts, **settings
        )
        plain = average_precision_at_k(*repeated, normalize=normalize, **settings)
        assert weighted == pytest.approx(plain)


# Figures of the curve


def test_k_at_recall_of_the_premise_example():
    # Bhat, "Precision, recall, and all that": x, a, y, b, c, z with a, b, c correct;
    # k@recall inverts recall@k, and average precision is the integral of
    # precision@recall(r) = precision@k(k@recall(r))
    premises = ranked([0, 1, 0, 1, 1, 0])
    recalls = [1 / 3, 2 / 3, 1.0]
    ks = [k_at_recall(*premises, recall=r) for r in recalls]
    assert ks == [2, 4, 5]
    precisions = [precision_at_recall(*premises, recall=r) for r in recalls]
    assert_allclose(precisions, [precision_at_t(*premises, t=int(k)) for k in ks])
    assert np.mean(precisions) == pytest.approx(average_precision(*premises))


def test_breakeven_point_where_the_curve_ends_above_the_diagonal():
    # 2 targets of 5 are scored, both on top: precision is 1 up to recall 0.4
    lists = ranked([1, 1, 0, 0])
    assert breakeven_point(*lists, n_missed=3) == pytest.approx(0.4)
    assert breakeven_point(*lists) == 1.0


def test_r_precision_beyond_the_scored_list():
    # trec_eval divides by the number of targets: 2 hits in 4 ranks, 6 targets
    for ties in TIES:
        value = r_precision(*ranked([1, 0, 1, 0]), n_missed=4, ties=ties)
        assert value == pytest.approx(2 / 6)


def test_recall_that_is_never_reached():
    lists = ranked([1, 1, 0, 0])
    assert k_at_recall(*lists, recall=0.5, n_missed=2) == 2
    assert precision_at_recall(*lists, recall=0.5, n_missed=2) == 1.0
    assert k_at_recall(*lists, recall=0.51, n_missed=2) == np.inf
    assert precision_at_recall(*lists, recall=0.51, n_missed=2) == 0.0


@pytest.mark.parametrize("number", [0.07, np.float32(0.07), Fraction(7, 100)])
def test_recall_is_rounded_up_but_not_by_rounding_errors(number):
    # 0.07 * 100 is 7.000000000000001, and np.float32(0.07) above 0.07
    lists = ranked([1] * 100 + [0])
    assert k_at_recall(*lists, recall=number) == 7
    assert k_at_recall(*lists, recall=0.0701) == 8
    assert k_at_recall(*lists, recall=1) == 100


@pytest.mark.parametrize("recall", [0, -0.1, 1.01, 80, np.nan, True, "0.8", None])
@pytest.mark.parametrize("metric", [k_at_recall, precision_at_recall])
def test_bad_recall(metric, recall):
    text = "`recall` must be a number above 0, up to 1; got "
    with pytest.raises(ValueError, match=text):
        metric(*ranked([1, 0]), recall=recall)


@pytest.mark.parametrize(
    ("metric", "setting"),
    [(KAtRecall, "recall"), (PrecisionAtRecall, "recall"), (MaxFScore, "beta")],
)
def test_different_settings_have_different_names(metric, setting):
    for value in (0.123457, 0.1234568, 1 / 3):
        printed = re.search(r"[\d.]+(?=\)$)", metric(**{setting: value}).name)
        assert float(printed[0]) == pytest.approx(value, rel=1e-11)
    single, double = metric(**{setting: np.float32(0.1)}), metric(**{setting: 0.1})
    assert single.name == double.name


@given(scored_lists)
def test_average_precision_is_the_mean_of_precision_at_recall(data):
    y_true, y_score, _ = data
    y_score, m = np.asarray(y_score, dtype=float), sum(y_true)
    for ties in TIES:
        precisions = [
            precision_at_recall(y_true, y_score, recall=q / m, ties=ties)
            for q in range(1, m + 1)
        ]
        exact = average_precision(y_true, y_score, ties=ties)
        assert np.mean(precisions) == pytest.approx(exact, rel=1e-12)


@given(scored_lists)
def test_breakeven_point_is_between_r_precision_and_max_f1(data):
    y_true, y_score, weight = data
    y_score = np.asarray(y_score, dtype=float)
    middle = breakeven_point(y_true, y_score)
    assert middle <= max_f_score(y_true, y_score) + 1e-15
    untied = y_score + np.arange(y_score.size) / (2 * y_score.size)
    least = r_precision(y_true, untied)
    assert least <= breakeven_point(y_true, untied) + 1e-15
    m = sum(y_true)
    for ties in TIES:
        value = r_precision(y_true, y_score, ties=ties)
        exact = precision_at_t(y_true, y_score, t=m, ties=ties)
        assert value == pytest.approx(exact, rel=1e-14)
    middle = breakeven_point(y_true, y_score, sample_weight=weight)
    best = max_f_score(y_true, y_score, sample_weight=weight)
    assert middle <= best * (1 + 1e-12)


@given(scored_lists, st.floats(0.1, 10))
def test_max_f_score_against_sklearn(data, beta):
    # the F-score of each point of sklearn.metrics.precision_recall_curve, with weights
    # too; the last point, which it adds, has a recall of 0
    y_true, y_score, weight = data
    y_score = np.asarray(y_score, dtype=float)
    for sample_weight in (None, weight):
        p, r, _ = precision_recall_curve(y_true, y_score, sample_weight=sample_weight)
        found = r > 0
        theirs = (1 + beta**2) * p[found] * r[found] / (beta**2 * p[found] + r[found])
        ours = max_f_score(y_true, y_score, beta=beta, sample_weight=sample_weight)
        assert ours == pytest.approx(theirs.max(), rel=1e-9)
    # and sklearn.metrics.fbeta_score of the labels that the best threshold gives
    level = operating_points(y_true, y_score)
    best = y_score >= level.score[np.argmax(level.f_score(beta))]
    ours = max_f_score(y_true, y_score, beta=beta)
    assert ours == pytest.approx(fbeta_score(y_true, best, beta=beta), rel=1e-9)


@given(scored_lists, st.floats(0.01, 1.0))
def test_points_of_a_recall_against_sklearn(data, recall):
    # the best precision that sklearn.metrics.precision_recall_curve has at the lowest
    # recall that is enough, and the items down to its threshold
    y_true, y_score, weight = data
    y_score = np.asarray(y_score, dtype=float)
    for sample_weight in (None, weight):
        precision, reached, level = precision_recall_curve(
            y_true, y_score, sample_weight=sample_weight
        )
        last = np.flatnonzero(reached[:-1] >= recall * (1 - 1e-12))[-1]
        settings = {"recall": recall, "ties": "together"}
        ours = precision_at_recall(
            y_true, y_score, sample_weight=sample_weight, **settings
        )
        assert ours == pytest.approx(precision[last], rel=1e-9)
        taken = np.ones(y_score.size) if sample_weight is None else np.array(weight)
        depth = taken[y_score >= level[last]].sum()
        ours = k_at_recall(y_true, y_score, sample_weight=sample_weight, **settings)
        assert ours == pytest.approx(depth, rel=1e-9)


@given(scored_lists, st.data())
def test_whole_weights_of_figures_against_repetition(data, draw):
    y_true, y_score, _ = data
    counts = draw.draw(
        st.lists(st.integers(0, 4), min_size=len(y_true), max_size=len(y_true))
    )
    y_score = np.asarray(y_score, float)
    repeated = np.repeat(y_true, counts), np.repeat(y_score, counts)
    if not 0 < repeated[0].sum() < repeated[0].size:
        return
    recall = draw.draw(st.floats(0.01, 1.0))
    cases = [
        (max_f_score, {"beta": 2.0}),
        (breakeven_point, {}),
        (k_at_recall, {"recall": recall, "ties": "together"}),
        (precision_at_recall, {"recall": recall, "ties": "together"}),
        *((r_precision, {"ties": ties}) for ties in TIES),
    ]
    for metric, settings in cases:
        for n_missed in (0, 3):
            weighted = metric(
                y_true, y_score, sample_weight=counts, n_missed=n_missed, **settings
            )
            plain = metric(*repeated, n_missed=n_missed, **settings)
            assert weighted == pytest.approx(plain, rel=1e-13)


@given(
    st.lists(st.floats(0.001, 1000), min_size=3, max_size=40),
    st.integers(1, 2),
    st.floats(0.1, 10),
)
def test_figures_of_a_perfect_ranking_do_not_step_over_one(weight, n_non_targets, beta):
    y_true, y_score = ranked([1] * (len(weight) - n_non_targets) + [0] * n_non_targets)
    for sample_weight in (None, weight):
        settings = {"sample_weight": sample_weight}
        values = [
            max_f_score(y_true, y_score, beta=beta, **settings),
            breakeven_point(y_true, y_score, **settings),
            r_precision(y_true, y_score, **settings),
            precision_at_recall(
                y_true, y_score, recall=1.0, ties="together", **settings
            ),
        ]
        assert max(values) <= 1
        assert_allclose(values, 1, rtol=1e-9)


@pytest.mark.parametrize(
    ("above", "size", "hits", "place"),
    [
        (0, 2, 1, 1),
        (3, 40, 40, 17),
        (10, 500, 20, 13),
        (0, 3000, 1500, 700),
        (1000, 3000, 2, 2),
        (10**6, 3000, 40, 1),
    ],
)
def test_precision_at_a_hit_of_a_large_tie_against_rational_sum(
    above, size, hits, place
):
    # hit j of d at place i of b with chance C(i-1, j-1) C(b-i, d-j) / C(b, d)
    y_score = np.repeat([2.0, 1.0, 0.0], [above, size, 1])
    y_true = np.arange(y_score.size) - above
    y_true = (y_true >= 0) & (y_true < hits)
    ways, total = comb(size - place, hits - place), Fraction(0)
    for i in range(place, size - hits + place + 1):
        total += Fraction(round(Fraction(ways << 80, comb(size, hits))), above + i)
        more = size - i - hits + place
        ways = ways * i * more // ((i - place + 1) * max(size - i, 1))
    exact = place * float(total / 2**80)
    value = precision_at_recall(y_true, y_score, recall=place / hits)
    assert value == pytest.approx(exact, rel=1e-12)


def test_precision_in_a_tie_of_a_million():
    # average precision and reciprocal rank, in closed form or by recurrence, judge
    size = 10**6
    constant = np.zeros(size)
    for hits in (1, 3):
        y_true = np.arange(size) < hits
        precisions = [
            precision_at_recall(y_true, constant, recall=q / hits)
            for q in range(1, hits + 1)
        ]
        exact = average_precision(y_true, constant)
        assert np.mean(precisions) == pytest.approx(exact, rel=1e-12)
    y_true = np.arange(size) < 1000
    first = precision_at_recall(y_true, constant, recall=0.001)
    assert first == pytest.approx(reciprocal_rank(y_true, constant), rel=1e-12)


@pytest.mark.parametrize(
    ("size", "hits", "place"),
    [(10**6, 2, 2), (10**6, 1000, 997), (10**6, 500_000, 7), (10**7, 5000, 2500)],
)
def test_mean_over_places_of_a_hit(size, hits, place):
    # (j-1)/(i-1) C(i-1, j-1) = C(i-2, j-2), and the sum over i of the latter times
    # C(b-i, d-j) is C(b-1, d-1): so the mean of (j-1)/(i-1) is d/b
    mean = (place - 1) * reciprocal_rank_of_hit(-1, size, hits, place)
    assert mean == pytest.approx(hits / size, rel=1e-11)


@pytest.mark.parametrize("n", [5, 60, 9000])
def test_ndcg_is_that_of_sklearn(n):
    # beyond 4096 items sums of discounts are approximated
    rng = np.random.default_rng(n)
    for i in range(12):
        y_true = rng.random(n) < rng.choice([0.01, 0.3, 0.9])
        y_true[rng.integers(n)] = True
        y_score = rng.normal(0.5 * y_true)
        y_score = np.round(y_score, 1) if i % 2 else y_score
        for k in (None, 1, 3, n // 2, n):
            theirs = ndcg_score([y_true], [y_score], k=k)
            assert ndcg(y_true, y_score, k=k) == pytest.approx(theirs, rel=1e-12)


def test_ndcg_of_a_long_ranking():
    # judge: the discounts one by one
    rank = np.array([4, 4096, 4097, 60_000, 2_999_999])
    y_true = np.isin(np.arange(1, 3_000_001), rank)
    gain = math.fsum(1 / math.log2(one + 1) for one in rank)
    best = math.fsum(1 / math.log2(one + 1) for one in range(1, 6))
    value = ndcg(y_true, -np.arange(3_000_000))
    assert value == pytest.approx(gain / best, rel=1e-14)
    tie = math.fsum(1 / math.log2(one + 1) for one in range(3, 1_000_001))
    value = ndcg(np.arange(10**6) < 2, np.zeros(10**6))
    first = 1 + 1 / math.log2(3)
    assert value == pytest.approx(2 * (tie + first) / 10**6 / first, rel=1e-12)
