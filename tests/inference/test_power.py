"""Planning of studies: power by simulation against exact and item-by-item judges."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.optimize import curve_fit
from scipy.stats import beta, binom, hypergeom, norm, spearmanr

from cases import runs
from skrank import (
    RandomSelectionNull,
    RandomSelectionTest,
    RankingComparison,
    Rankings,
    average_precision,
    comparison_power,
    make_metric,
    random_selection_power,
)
from skrank.inference.planning._power import _solve_power
from skrank.inference.planning._study import _critical as critical_value
from skrank.inference.planning._study import _subsets
from skrank.metrics._definitions import make_null_metric

STUDY = {"n_targets": 12, "prevalence": 0.02, "value": 0.1}
PAIR = {
    **{"n_targets": 15, "prevalence": 0.1, "value": 0.3, "difference": 0.3},
    **{"correlation": 0.5, "n_studies": 200},
}


def ap_of_shift(shift, spread, prevalence):
    """Average precision of a binormal population, by quadrature."""

    def precision(u):  # at the score that a share u of the targets exceeds
        others = norm.sf(shift + spread * norm.isf(u))
        return prevalence * u / (prevalence * u + (1 - prevalence) * others)

    return quad(precision, 0, 1, limit=200)[0]


def power_of_hits(shift, n, m, t, critical):
    """P(more than `critical` hits in the top t), by the order statistics of targets."""
    h = critical + 1

    def integrand(u):
        others = norm.sf(shift + norm.isf(u))
        return beta.pdf(u, h, m - h + 1) * binom.cdf(t - h, n - m, others)

    return quad(integrand, 0, 1, limit=200)[0]


@pytest.mark.parametrize("spread", [1.0, 1.5])
def test_value_is_that_of_the_population(spread):
    result = random_selection_power(**STUDY, spread=spread)
    found = ap_of_shift(result.study.shifts[0], spread, 0.02)
    assert_allclose(found, 0.1, rtol=0.01)
    assert result.value == pytest.approx(0.1, abs=1e-5)


def test_ties_lower_the_value_in_the_population():
    # two classes: half of the items, and the shares of the targets there
    metric, prevalence = "recall@50%", 0.1
    result = random_selection_power(
        metric, n_targets=20, prevalence=prevalence, value=0.8, n_distinct=2
    )
    shift = result.study.shifts[0]

    def depth(x):
        return prevalence * norm.sf(x - shift) + (1 - prevalence) * norm.sf(x)

    edge = norm.isf(0.5)
    for _ in range(60):  # the score at half of the items
        edge += (depth(edge) - 0.5) / norm.pdf(edge)
    assert_allclose(norm.sf(edge - shift), 0.8, atol=1e-4)
    assert result.sample_value == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    ("m", "n", "t", "value"), [(10, 500, 20, 0.1), (40, 800, 30, 0.2)]
)
def test_power_of_precision_is_exact(m, n, t, value):
    result = random_selection_power(
        f"precision@{t}", n_targets=m, prevalence=m / n, value=value
    )
    critical = int(hypergeom(n, m, t).isf(0.05))
    judge = power_of_hits(result.study.shifts[0], n, m, t, critical)
    assert 0.2 < judge < 0.99
    assert abs(result.power - judge) < 4 * result.power_standard_error


@pytest.mark.parametrize(
    "metric", ["average_precision", "bedroc(alpha=20)", "precision@20"]
)
def test_power_by_chance_is_the_level(metric):
    by_chance = {"average_precision": 0.02, "precision@20": 0.02}.get(metric)
    if by_chance is None:  # the mean weight of a uniform depth, scaled as BEDROC
        weight = [-math.expm1(-20 * x) / (20 * x) for x in (1, 0.02)]
        last = weight[1] * math.exp(-20 * 0.98)
        by_chance = (weight[0] - last) / (weight[1] - last)
    result = random_selection_power(
        metric, n_targets=12, prevalence=0.02, value=by_chance
    )
    level = 0.05
    if metric == "precision@20":
        null = hypergeom(600, 12, 20)
        level = null.sf(null.isf(level))
    assert abs(result.power - level) < 4 * math.sqrt(level * (1 - level) / 2000) + 0.003


def test_rare_levels_use_the_exact_critical_value():
    result = random_selection_power(
        n_targets=8, prevalence=0.1, value=0.5, significance_level=1e-4
    )
    critical = RandomSelectionNull(80, 8).isf(1e-4)
    rng = np.random.default_rng(5)
    shift, found = result.study.shifts[0], []
    is_target = np.arange(80) < 8
    for scores in rng.normal(size=(2000, 80)) + shift * is_target:
        ranks = np.sort(np.flatnonzero(np.argsort(-scores) < 8)) + 1
        found.append(np.mean(np.arange(1, 9) / ranks) > critical)
    error = math.hypot(result.power_standard_error, np.std(found) / 2000**0.5)
    assert abs(result.power - np.mean(found)) < 4 * error


@pytest.mark.parametrize("level", [0.002, 0.0006])
@pytest.mark.parametrize(("n", "m"), [(200, 10), (1000, 20)])
def test_drawn_critical_values_are_moved_to_the_level(n, m, level):
    """Judge: the null distribution; draws alone have errors of 5 % and more."""
    metric = make_null_metric("average_precision")
    critical = critical_value(metric, n, m, None, level, 0)
    assert RandomSelectionNull(n, m).sf(critical) == pytest.approx(level, rel=0.005)


def test_power_grows_with_the_size():
    frame = random_selection_power(**STUDY | {"value": 0.05}).curve([5, 10, 20, 40, 80])
    assert list(frame["n_samples"]) == [250, 500, 1000, 2000, 4000]
    assert (np.diff(frame["power"]) > 0).all()
    assert (np.diff(frame["sample_value"]) < 0).all()  # towards the population
    frame = comparison_power(**PAIR).curve([8, 30, 90])
    assert (np.diff(frame["power"]) > 0).all()


def test_solutions_agree():
    known = random_selection_power(power=0.8, prevalence=0.02, value=0.06)
    again = random_selection_power(
        n_targets=known.n_targets, prevalence=0.02, value=0.06
    )
    assert again.power == known.power
    assert abs(known.power - 0.8) < 0.03
    value = random_selection_power(
        n_targets=known.n_targets, prevalence=0.02, power=0.8
    )
    assert value.value == pytest.approx(0.06, abs=0.003)
    settings = {"n_targets": known.n_targets, "prevalence": 0.02, "value": 0.06}
    level = random_selection_power(**settings, power=0.8, significance_level=None)
    assert level.power == pytest.approx(0.8, abs=2 * level.power_standard_error)
    assert 0.03 < level.significance_level < 0.08
    assert random_selection_power(n_targets=2, prevalence=0.1, power=0.3).value < 0.9
    assert random_selection_power(power=0.3, prevalence=0.1, value=0.9).n_targets == 2


@pytest.mark.parametrize("power", [0.3, 0.8])
def test_the_line_through_powers_is_a_probit_regression(power):
    """Judge: SciPy's fit of a line, with standard errors by the delta method."""

    def power_of(place):  # no line on the probit scale
        return 0.05 + 0.9 * place**2 / (4 + place**2)

    found = _solve_power(power_of, power, 1.0, 2.0, 100.0)
    high = next(2.0**i for i in range(9) if power_of(2.0**i) >= power)
    places = np.linspace(high / 2 if high > 1 else 0.0, high, 5)
    powers = power_of(places)
    z = norm.ppf(powers)
    errors = np.sqrt(powers * (1 - powers)) / norm.pdf(z)
    (a, b), _ = curve_fit(lambda x, a, b: a + b * x, places, z, sigma=errors)
    assert found == pytest.approx((norm.ppf(power) - a) / b, rel=1e-6)


@pytest.mark.parametrize("n_distinct", [None, 7])
def test_tested_rankings_have_the_values_of_their_study(n_distinct):
    study = comparison_power(**PAIR, n_distinct=n_distinct).study
    scores = study.scores(15, 5, np.random.default_rng(0))
    values = [study.values_of(15, one) for one in scores]
    tested = [study.pair(15, one).rankings for one in scores.swapaxes(0, 1)]
    assert_allclose(
        np.transpose(values), [[*map(study.metric.value, one)] for one in tested]
    )


@pytest.mark.slow
def test_solutions_of_comparisons_agree():
    settings = {**PAIR, "n_targets": None}
    known = comparison_power(**settings, power=0.7)
    assert abs(known.power - 0.7) < 4 * known.power_standard_error
    settings |= {"n_targets": known.n_targets, "difference": None}
    found = comparison_power(**settings, power=0.7)
    assert found.difference == pytest.approx(0.3, abs=0.06)


def test_equally_good_models_are_rarely_different():
    result = comparison_power(**PAIR | {"difference": 0.0})
    assert result.power < 0.05 + 3 * result.power_standard_error
    turned = comparison_power(**PAIR | {"value": 0.6, "difference": -0.3})
    given = comparison_power(**PAIR)
    error = math.hypot(given.power_standard_error, turned.power_standard_error)
    assert abs(turned.power - given.power) < 4 * error
    assert turned.difference == pytest.approx(-0.3, abs=1e-5)


def test_correlated_models_need_fewer_targets():
    a, b = (comparison_power(**PAIR | {"correlation": r}).power for r in (0.0, 0.9))
    assert b > a


@pytest.mark.parametrize(
    "solved", [pytest.param("n_targets", marks=pytest.mark.slow), "power"]
)
def test_an_assumed_correlation_is_said_with_its_range(solved):
    settings = PAIR | {"difference": 0.5, "power": 0.7, "n_studies": 100, solved: None}
    del settings["correlation"]
    assumed = comparison_power(**settings)
    none, high = (comparison_power(**settings, correlation=r) for r in (0.0, 0.8))
    assert getattr(assumed, solved) == getattr(none, solved)
    assert assumed.solved_if_correlated == getattr(high, solved)
    assert "correlation 0 (assumed)" in str(assumed)
    assert f"solved for  {solved}; " in str(assumed)
    assert " with correlation 0.8" in str(assumed)
    for given in (none, high):
        assert math.isnan(given.solved_if_correlated)
        assert "assumed" not in str(given)


def test_as_many_scores_as_items_are_no_ties():
    for power, settings in ((random_selection_power, STUDY), (comparison_power, PAIR)):
        tied, untied = power(**settings, n_distinct=10**4), power(**settings)
        assert tied.power == pytest.approx(untied.power, abs=0.005)
    tied = comparison_power("recall@20%", **PAIR | {"value": 0.5}, n_distinct=5)
    assert 0 < tied.power < 1


def test_a_seed_gives_the_same_result():
    one, same, other = (
        random_selection_power(**STUDY, random_state=seed).to_dict()
        for seed in (1, 1, 2)
    )
    assert one == same
    assert one["power"] != other["power"]
    assert abs(one["power"] - other["power"]) < 6 * one["power_standard_error"]


def heavy_tails(rng, m, n):
    y = np.arange(n) < m
    return y, rng.standard_t(3, n) + 0.8 * y


def few_found(rng, m, n):
    y = np.arange(n) < m
    return y, rng.normal(size=n) + 3.0 * (y & (rng.random(n) < 0.15))


def half_found(rng, m, n):
    y = np.arange(n) < m
    return y, rng.normal(size=n) + 2.0 * (y & (rng.random(n) < 0.5))


@pytest.mark.parametrize("law", [heavy_tails, few_found, half_found])
def test_a_pilot_of_any_shape_gives_its_power(law):
    """Judge: studies of the population itself, by the exact critical value."""
    pilot = Rankings.from_predictions(*law(np.random.default_rng(2), 4000, 200_000))
    result = random_selection_power(n_targets=16, pilot=pilot)
    rng, critical = np.random.default_rng(3), RandomSelectionNull(800, 16).isf(0.05)
    found, hits = [], np.arange(1, 17)
    for _ in range(1500):
        y, score = law(rng, 16, 800)
        ranks = np.flatnonzero(y[np.argsort(-score)]) + 1
        found.append(np.mean(hits / ranks) > critical)
    # the share of a pilot's targets that are found has an error of its own
    assert abs(result.power - np.mean(found)) < 0.02 + 3 * np.std(found) / 1500**0.5


@pytest.mark.parametrize("decimals", [None, 1])
def test_a_pilot_gives_the_population(decimals):
    rng = np.random.default_rng(0)
    y, noise = np.arange(20_000) < 1000, rng.normal(size=(2, 20_000))
    noise[1] = 0.6 * noise[0] + 0.8 * noise[1]
    a, b = np.where(y, [[1.5], [1.0]] + 1.2 * noise, noise)
    settings = {"n_targets": 10, "n_distinct": None if decimals is None else 10_000}
    if decimals is not None:
        a, b = np.round(a, decimals), np.round(b, decimals)
    single = random_selection_power(
        pilot=Rankings.from_predictions(y, a), significance_level=0.01, **settings
    )
    assert single.study.prevalence == 0.05
    # with a thousand targets the value of the pilot is that of the population
    of_a, of_b = (average_precision(y, one) for one in (a, b))
    assert single.value == pytest.approx(of_a, rel=0.02)
    assert of_a == pytest.approx(ap_of_shift(1.5, 1.2, 0.05), rel=0.1)
    pilot = Rankings.from_predictions(y, {"a": a, "b": b})
    both = comparison_power(pilot=pilot, n_studies=100, **settings)
    assert both.difference == pytest.approx(of_a - of_b, rel=0.05)
    other = (
        random_selection_power(
            pilot=Rankings.from_predictions(y, a), prevalence=0.01, power=0.9
        )
        if decimals is None
        else both
    )
    assert other.study.prevalence == (0.01 if decimals is None else 0.05)
    assert "drawn from the pilot" in str(both)


def test_two_models_keep_the_places_of_an_item():
    """Of equal models the studies are equal; of others the items go together."""
    rng = np.random.default_rng(0)
    y, a = np.arange(3000) < 150, rng.normal(size=3000)
    a[y] += 1.0
    b = a + 0.5 * rng.normal(size=3000)
    for other in (3 * a, b):
        pilot = Rankings.from_predictions(y, {"a": a, "b": other})
        study = comparison_power(
            pilot=pilot, n_targets=12, n_studies=100, difference=None
        ).study
        drawn = study.scores(12, 300, rng)
        if other is not b:
            assert_allclose(*drawn)
            continue
        for of, part in ((y, drawn[..., :12]), (~y, drawn[..., 12:])):
            found = spearmanr(*part.reshape(2, -1))[0]
            assert found == pytest.approx(spearmanr(a[of], b[of])[0], abs=0.03)


@pytest.mark.parametrize("m", [3, 8, 40])
def test_different_targets_are_drawn(m):
    """All subsets are equally likely, and larger samples repeat targets."""
    rows = _subsets(10, (4000, m), np.random.default_rng(0))
    assert rows.shape == (4000, m)
    counts = np.stack([np.bincount(row, minlength=10) for row in rows])
    assert (counts.max(axis=1) > 1).all() == (m > 10)
    error = math.sqrt(m / 10 / 4000)
    assert_allclose(counts.mean(axis=0), m / 10, atol=4 * error)
    if m < 10:  # pairs, too
        pairs = (counts.T @ counts)[np.triu_indices(10, 1)] / 4000
        assert_allclose(pairs, m * (m - 1) / 90, atol=4 * error)


Y, SCORES = [1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
ONE_MODEL = Rankings.from_predictions(Y, SCORES)
EQUAL = Rankings.from_predictions(Y, {"a": SCORES, "b": SCORES[::-1]})
PILOT = Rankings.from_predictions(np.arange(300) < 100, -np.arange(300.0))
NONE = {"n_targets": None, "value": None, "power": 0.8}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"power": 0.8}, "exactly one None"),
        ({"value": None}, "exactly one None"),
        ({"significance_level": None}, "exactly one None"),
        ({"n_targets": 1}, "`n_targets` must be an int of at least 2"),
        ({"n_targets": 10.0}, "`n_targets` must be an int of at least 2"),
        ({"prevalence": 1}, "`prevalence` must be a number between 0 and 1"),
        ({"prevalence": None}, "`prevalence` must be given without a pilot"),
        ({"value": 1.5}, "`value` must be between"),
        ({"value": "a"}, "`value` must be a finite number"),
        (
            {"significance_level": 0},
            "`significance_level` must be a number between 0 and 1",
        ),
        ({"spread": 0}, "`spread` must be a finite number above 0"),
        ({"n_distinct": 1}, "`n_distinct` must be an int of at least 2"),
        ({"n_studies": 10}, "`n_studies` must be an int of at least 100"),
        ({"metric": "reciprocal_rank"}, "`metric` must have a value in the population"),
        ({"metric": "max_f_score"}, "`metric` must be one that has a null"),
        ({"value": None, "power": 0.01}, "`power` must be above the level 0.05"),
        (
            {"n_targets": None, "power": 0.8, "value": 0.02},
            "`value` must be above 0.02",
        ),
        (
            {"n_targets": None, "power": 0.9, "metric": "recall@5%", "value": 0.0501},
            "with up to 5000 targets",
        ),
        (
            {"significance_level": None, "power": 0.99, "metric": "recall@5%"},
            "`power` must be reached at a level below 1",
        ),
        (
            {"n_targets": None, "power": 0.8, "metric": "precision@20"},
            "`n_targets` must be given, unless by a pilot, for a metric",
        ),
        ({"pilot": PILOT}, "`value` must be None with a pilot"),
        (NONE | {"pilot": PILOT, "spread": 1.0}, "`spread` must be left out with a p"),
        (NONE | {"pilot": [1]}, "`pilot` must be Rankings of 1 model;"),
        (NONE | {"pilot": EQUAL}, "`pilot` must be Rankings of 1 model;"),
        (
            NONE | {"pilot": Rankings.from_predictions(Y, SCORES, groups=[0, 1] * 4)},
            "`pilot` must be one data set",
        ),
        (
            NONE | {"pilot": Rankings.from_predictions([1, 0, 0], [1, 2, 3])},
            "`pilot` must be one data set",
        ),
    ],
)
def test_errors(given, said):
    with pytest.raises(ValueError, match=said):
        random_selection_power(**STUDY | given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"correlation": 1}, "`correlation` must be between -1 and 1"),
        (
            {"significance_level": 0.00005},
            "`significance_level` must be at least 0.0001",
        ),
        ({"value": None}, "`value` must be a finite number"),
        ({"difference": 0.8}, "`value \\+ difference` must be between"),
        (
            {"n_targets": None, "power": 0.8, "difference": 0},
            "`difference` must not be 0",
        ),
        ({"pilot": ONE_MODEL}, "`pilot` must be Rankings of 2 models"),
    ],
)
def test_errors_of_comparisons(given, said):
    with pytest.raises(ValueError, match=said):
        comparison_power(**PAIR | given)


def test_results_print_their_settings():
    result = comparison_power(**PAIR, n_distinct=10)
    for text in (str(result), result._repr_html_()):
        assert "150 items, 15 targets (prevalence 0.1)" in text
        assert "spread 1, 10 distinct, correlation 0.5" in text
        assert "value of B" in text
    assert "no ties" in str(random_selection_power(**STUDY))
    assert result.to_dict()["n_targets"] == 15


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("metric", "m", "prevalence", "value", "level"),
    [
        ("average_precision", 10, 0.02, 0.08, 0.05),
        ("average_precision@50", 30, 0.05, 0.1, 0.05),
        ("recall@5%", 20, 0.02, 0.3, 0.001),
        ("bedroc(alpha=20)", 20, 0.05, 0.2, 0.001),
    ],
)
def test_power_is_that_of_the_test(metric, m, prevalence, value, level):
    result = random_selection_power(
        metric,
        n_targets=m,
        prevalence=prevalence,
        value=value,
        significance_level=level,
    )
    rng, n = np.random.default_rng(1), round(m / prevalence)
    is_target, shift = np.arange(n) < m, result.study.shifts[0]
    critical = RandomSelectionNull(n, m, metric).isf(level)
    found, metric = [], make_metric(metric)
    for run in range(runs(400)):
        scores = rng.normal(shift * is_target)
        found.append(metric(is_target, scores) > critical + 1e-12)
        if run < 3:  # the test decides by its p-value alike
            test = RandomSelectionTest(metric).from_predictions(is_target, scores)
            assert found[-1] == (test.pvalue <= level)
    error = np.std(found) / len(found) ** 0.5
    assert abs(result.power - np.mean(found)) < 0.01 + 3 * error


@pytest.mark.filterwarnings("ignore:With fewer than 12 targets")
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("metric", "m", "prevalence", "value", "difference", "correlation", "base"),
    [
        ("average_precision", 10, 0.05, 0.2, 0.4, 0.5, 100),
        ("precision@20", 20, 0.05, 0.3, 0.3, 0.0, 100),
        ("recall@5%", 30, 0.05, 0.3, 0.25, 0.8, 100),
        ("average_precision", 1200, 0.5, 0.7, 0.02, 0.5, 50),  # by the jackknife
    ],
)
def test_power_is_that_of_the_comparison(
    metric, m, prevalence, value, difference, correlation, base
):
    result = comparison_power(
        metric,
        **{"n_targets": m, "prevalence": prevalence, "value": value},
        **{"difference": difference, "correlation": correlation},
    )
    rng, n = np.random.default_rng(1), round(m / prevalence)
    is_target, shifts = np.arange(n) < m, np.array(result.study.shifts)

    question, found = RankingComparison(metric, n_resamples=1999), []
    for _ in range(runs(base)):
        noise = rng.normal(size=(3, n))
        scores = math.sqrt(correlation) * noise[0]
        scores = scores + math.sqrt(1 - correlation) * noise[1:]
        scores += shifts[:, None] * is_target
        found.append(question.from_predictions(is_target, scores.T).pvalue <= 0.05)
    error = math.hypot(
        np.std(found) / math.sqrt(len(found)), result.power_standard_error
    )
    assert abs(result.power - np.mean(found)) < 0.01 + 3 * error


@pytest.mark.parametrize("t", [20, 0.05])
def test_a_profit_has_the_power_of_its_precision(t):
    settings = {"n_targets": 20, "prevalence": 0.05}
    profit = f"expected_profit@{t}(benefit=10, cost=1)"
    first = random_selection_power(f"precision@{t}", value=0.2, **settings)
    second = random_selection_power(profit, value=20 * (10 * 0.2 - 1), **settings)
    assert second.power == first.power
    assert second.sample_value == pytest.approx(20 * (10 * first.sample_value - 1))


def test_a_small_pilot_is_said():
    with pytest.warns(
        UserWarning, match="A pilot with 3 targets gives an imprecise po"
    ):
        random_selection_power(n_targets=5, pilot=ONE_MODEL, n_studies=100)


def test_a_tied_pilot_is_said():
    y = np.arange(2000) < 100
    score = np.round(np.random.default_rng(0).normal(y), 0)
    pilot = Rankings.from_predictions(y, score)
    with pytest.warns(UserWarning, match="The pilot has tied scores"):
        random_selection_power(pilot=pilot, n_targets=20, n_studies=100)
