"""Planning of studies: power, number of targets, value, difference, or level."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from skrank._utils._checks import (
    check_count,
    check_fraction,
    check_generator,
    check_number,
    check_positive,
    invalid,
)
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.inference.planning._power_result import (
    CORRELATED,
    PowerResult,
    power_at,
)
from skrank.inference.planning._study import (
    MOST_EXCHANGES,
    Pilot,
    SelectionStudies,
    Studies,
    Study,
    counts_items,
)
from skrank.metrics._definitions import AnyMetric, make_null_metric
from skrank.ranking._rankings import Rankings

# Distances between the means, from far below chance to perfect rankings; and how close
# they are found without simulation.
_LOWEST, _HIGHEST, _CLOSE = -4.0, 12.0, 1e-6
# Limits of the number of targets: a comparison of more takes minutes.
_FEWEST_TARGETS, _MOST_TARGETS = 2, 5000
# Targets of a pilot from which on its power is near the truth: with 100 of them the
# root of the mean squared error is .09 to .14, and with 40 up to .2
# (benchmarks/power.py).
_FEW_OF_PILOT = 100
# Simulated studies: with fewer the standard error of a power is above .05.
_FEWEST_DRAWS = 100


def _check_correlation(name: str, value: Any) -> float:
    """Check a correlation of scores that are not the same."""
    number = check_number(name, value)
    if -1 < number < 1:
        return number
    raise invalid(name, "be between -1 and 1", brief(value))


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "prevalence": check_fraction,
    "spread": check_positive,
    "correlation": _check_correlation,
    "n_targets": partial(check_count, least=_FEWEST_TARGETS),
    "value": check_number,
    "difference": check_number,
    "power": check_fraction,
    "significance_level": check_fraction,
}


def random_selection_power(
    metric: str | AnyMetric = "average_precision",
    *,
    n_targets: int | None = None,
    prevalence: float | None = None,
    value: float | None = None,
    power: float | None = None,
    significance_level: float | None = 0.05,
    spread: float | None = None,
    n_distinct: int | None = None,
    pilot: Rankings | None = None,
    n_studies: int = 5000,
    random_state: object = 0,
) -> PowerResult:
    """Power of a test against random selection; for two models use comparison_power.

    One of `n_targets`, `value`, `power` and `significance_level` is None, and is
    computed from the others.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object made by
        :func:`make_metric`, which has its own tie rule.
    n_targets : int, default=None
        Number of targets in the study, 2 or more.
    prevalence : float, default=None
        Share of targets, between 0 and 1. The study has ``n_targets / prevalence``
        items. None is only valid with a pilot.
    value : float, default=None
        Value of the metric in the population, which is the value of a very long
        ranking.
    power : float, default=None
        Probability that the test is significant, between 0 and 1.
    significance_level : float, default=0.05
        Significance level of the test, between 0 and 1.
    spread : float, default=None
        Standard deviation of the scores of targets divided by the standard deviation of
        the scores of non-targets. None means 1. Not allowed with a pilot.
    n_distinct : int, default=None
        Number of distinct scores, all equally frequent. None means no ties.
    pilot : Rankings, default=None
        One ranking of a similar study, whose items are drawn in place of normal scores.
        It determines the prevalence if `prevalence` is None. The uncertainty of the
        pilot is ignored. A warning is issued if it has fewer than 100 targets.
    n_studies : int, default=5000
        Number of rankings that are simulated.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of the simulation. With None, each call draws anew.

    Returns
    -------
    result : PowerResult
        Immutable: all settings, including the computed one.

    Raises
    ------
    ValueError
        If not exactly one of these four arguments is None, if an argument is outside
        its range, if no study of up to 5000 targets has the power (such as for a value
        below chance), or if the metric has no null distribution or no value in the
        population.

    See Also
    --------
    comparison_power : Power of a comparison of two models.
    RandomSelectionTest : The test.

    Notes
    -----
    The scores of both classes are normally distributed [1]_, or drawn from the pilot.
    The rankings of studies are drawn from this population: scores of the targets, and
    multinomial numbers of non-targets between them. Targets of the pilot are drawn
    without replacement if the pilot has enough targets, and otherwise with replacement.
    A ranking is significant if its value is above the critical value of
    :class:`RandomSelectionNull`. All sizes use the same seed.

    The number of targets is fixed. If a study labels a number of items, use the
    expected number of targets. If the cutoff of the metric is a number of items, the
    value in the population depends on the size of the study: `value` is then the value
    at the planned size, and `n_targets` can only be computed from a pilot. See
    :ref:`planning` for the use and the measured accuracy.

    References
    ----------
    .. [1] Green and Swets (1966), *Signal Detection Theory and Psychophysics*, Wiley,
       chapter 3.

    Examples
    --------
    The power with 12 targets at a prevalence of 1 %, and the number of targets for a
    power of 0.9:

    >>> from skrank import random_selection_power
    >>> settings = {"prevalence": 0.01, "value": 0.05}
    >>> print(f"{random_selection_power(n_targets=12, **settings).power:.2f}")
    0.86
    >>> random_selection_power(power=0.9, **settings).n_targets
    14
    """
    # shared: metric
    asked = {
        "n_targets": n_targets,
        "value": value,
        "power": power,
        "significance_level": significance_level,
    }
    given = {"prevalence": prevalence, "spread": spread}
    study = _make_study(metric, 1, given, n_distinct, pilot, n_studies, random_state)
    return _solved(study, asked, None, pilot)


def comparison_power(
    metric: str | AnyMetric = "average_precision",
    *,
    n_targets: int | None = None,
    prevalence: float | None = None,
    value: float | None = None,
    difference: float | None = None,
    power: float | None = None,
    significance_level: float = 0.05,
    correlation: float | None = None,
    spread: float | None = None,
    n_distinct: int | None = None,
    pilot: Rankings | None = None,
    n_studies: int = 1000,
    random_state: object = 0,
) -> PowerResult:
    """Power of a comparison of two models; for one model use random_selection_power.

    One of `n_targets`, `difference` and `power` is None, and is computed from the
    others.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object made by
        :func:`make_metric`, which has its own tie rule.
    n_targets : int, default=None
        Number of targets in the study, 2 or more.
    prevalence : float, default=None
        Share of targets, between 0 and 1. The study has ``n_targets / prevalence``
        items. None is only valid with a pilot.
    value : float, default=None
        Value of the metric for model B in the population, which is the value of a very
        long ranking.
    difference : float, default=None
        Value of model A minus value of model B, in the population.
    power : float, default=None
        Probability that the test is significant, between 0 and 1.
    significance_level : float, default=0.05
        Significance level of the two-sided test, from 0.0001, the smallest p-value of
        the default test, to 1.
    correlation : float, default=None
        Correlation of the scores of A and B within each class, between -1 and 1. None
        assumes 0, which needs more targets than a positive correlation;
        `solved_if_correlated` of the result is then computed for 0.8. Not allowed with
        a pilot.
    spread : float, default=None
        Standard deviation of the scores of targets divided by the standard deviation of
        the scores of non-targets. None means 1. Not allowed with a pilot.
    n_distinct : int, default=None
        Number of distinct scores, all equally frequent. None means no ties.
    pilot : Rankings, default=None
        Rankings of a similar study by two models, A and B, whose items are drawn in
        place of normal scores. They determine the prevalence if `prevalence` is None.
        The uncertainty of the pilot is ignored. A warning is issued if it has fewer
        than 100 targets.
    n_studies : int, default=1000
        Number of studies that are simulated.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of the simulation. With None, each call draws anew.

    Returns
    -------
    result : PowerResult
        Immutable: all settings, including the computed one. A computed difference is
        positive.

    Raises
    ------
    ValueError
        If not exactly one of these three arguments is None, if an argument is outside
        its range, if the difference is 0 or no study of up to 5000 targets has the
        power, or if the metric has no null distribution or no value in the population.

    See Also
    --------
    random_selection_power : Power of a test against random selection.
    RankingComparison : The test.
    RankingComparisonResult.sample_size : Number of targets from the standard error of
        a pilot, by the normal distribution.

    Notes
    -----
    The scores of both classes are normally distributed and correlated between the
    models (as in [1]_ for areas under the ROC curve), or drawn from the pilot. All
    items of the studies are drawn, and the metric of both models is computed. The
    default test of :class:`RankingComparison` is applied to 40 to 200 of the studies.
    The result is a critical value that is linear in the difference, by which all
    studies are decided, and a correction (control variate). The time grows with the
    number of items. Computing the power takes about a second for 1000 items with 50
    targets, and for 20,000 items with 200 targets. Computing the number of targets
    takes three to five times as long.

    The number of targets is fixed, and a cutoff that is a number of items refers to the
    planned size, as in :func:`random_selection_power`. See :ref:`planning` for the use
    and the measured accuracy.

    References
    ----------
    .. [1] Obuchowski and McClish (1997), "Sample size determination for diagnostic
       accuracy studies involving binormal ROC curve indices", *Statistics in Medicine*
       16, 1529-1542.

    Examples
    --------
    >>> from skrank import comparison_power
    >>> result = comparison_power(
    ...     n_targets=20, prevalence=0.05, value=0.3, difference=0.2, correlation=0.5
    ... )
    >>> print(f"power {result.power:.1f}")
    power 0.4
    """
    # shared: metric
    level = _CHECKS["significance_level"]("significance_level", significance_level)
    asked = {"n_targets": n_targets, "difference": difference}
    asked |= {"power": power, "significance_level": level}
    given = {"prevalence": prevalence, "spread": spread, "correlation": correlation}
    study = _make_study(metric, 2, given, n_distinct, pilot, n_studies, random_state)
    result = _solved(study, {**asked}, value, pilot)
    if correlation is not None or pilot is not None:
        return result
    other = _solved(replace(study, correlation=CORRELATED), asked, value, None)
    return replace(result, solved_if_correlated=getattr(other, result.solved))


def _make_study(
    metric: str | AnyMetric,
    n_models: int,
    given: dict[str, float | None],
    n_distinct: int | None,
    pilot: Rankings | None,
    n_studies: int,
    random_state: object,
) -> Study:
    """Check the settings of a population; complete them from a pilot."""
    metric = make_null_metric(metric)
    if not metric.smooth or metric.ties != "expected":
        rule = "have a value in the population, and the tie rule 'expected'"
        raise invalid("metric", rule, f"{metric.name} with {metric.ties!r}")
    found: dict[str, Any] = {"spread": 1.0, "correlation": 0.0}
    if pilot is not None:
        n, m = _sizes_of_pilot(pilot, n_models)
        found = {"spread": math.nan, "correlation": math.nan, "prevalence": m / n}
        for name in ("spread", "correlation"):
            if given.get(name) is not None:
                rule = "be left out with a pilot, whose items are drawn"
                raise invalid(name, rule, brief(given[name]))
    elif given["prevalence"] is None:
        raise invalid("prevalence", "be given without a pilot", "None")
    found |= {
        name: _CHECKS[name](name, x) for name, x in given.items() if x is not None
    }
    if n_distinct is not None:
        n_distinct = check_count("n_distinct", n_distinct, least=2)
    source = check_generator(random_state)
    study = Study(
        metric=metric,
        shifts=(0.0,) * n_models,
        n_distinct=n_distinct,
        n_studies=check_count("n_studies", n_studies, least=_FEWEST_DRAWS),
        seed=int(source.integers(2**63)),
        **found,
    )
    if pilot is None:
        return study
    # fewer than a tenth of the targets in ties do not change the values
    tied = [np.mean(one.groups.size > 1) for one in pilot.parts[0]]
    if n_distinct is None and max(tied) > 0.1:
        msg = (
            "The pilot has tied scores, and the study is planned without ties. Give "
            "`n_distinct`, the number of distinct scores."
        )
        warn(msg, UserWarning)
    if m < _FEW_OF_PILOT:
        msg = (
            f"A pilot with {m} targets gives an imprecise power. Compare with the "
            "power for the lower limit of `MetricInterval`, or use a pilot with "
            f"{_FEW_OF_PILOT} targets or more."
        )
        warn(msg, UserWarning)
    return replace(study, pilot=Pilot.of(pilot.parts[0]))


def _sizes_of_pilot(pilot: Any, n_models: int) -> tuple[int, int]:
    """Return the numbers of items and targets of a pilot that can be drawn from."""
    if not isinstance(pilot, Rankings) or len(pilot.names) != n_models:
        rule = f"be Rankings of {n_models} model{'s' if n_models > 1 else ''}"
        raise invalid("pilot", rule, brief(pilot))
    n, m = pilot.sizes
    if pilot.kind != "one" or pilot.weighted or pilot.n_missed or not 1 < m < n:
        rule = "be one data set without weights, of two targets or more and non-targets"
        raise invalid("pilot", rule, brief(pilot))
    return n, m


def _solved(
    study: Study, asked: dict[str, Any], baseline: Any, pilot: Rankings | None
) -> PowerResult:
    """Compute what is None; `baseline` is the value of B."""
    effect = next(name for name in asked if name in ("value", "difference"))
    if pilot is not None and (asked.pop(effect) is not None or baseline is not None):
        raise invalid(effect, "be None with a pilot, which gives it", "a number")
    unknown = [name for name, one in asked.items() if one is None]
    if len(unknown) != 1:
        rule = "contain exactly one None, which is computed"
        raise invalid(", ".join(asked), rule, brief(unknown))
    asked |= {n: _CHECKS[n](n, x) for n, x in asked.items() if x is not None}
    m, power, level = (
        asked[one] for one in ("n_targets", "power", "significance_level")
    )
    _check_level(effect, power, level)
    if pilot is None:
        study = _with_effect(study, m, effect, asked[effect], baseline)
    drawn = None
    if unknown == ["n_targets"]:
        m, drawn = _solve_n_targets(study, effect, level, power)
    elif unknown == [effect]:
        study = _solve_effect(study, m, level, power)
    elif unknown == ["significance_level"]:
        level = _solve_level(study, m, power)
    return PowerResult(
        test="comparison" if effect == "difference" else "random selection test",
        metric=study.metric.name,
        solved=unknown[0],
        significance_level=level,
        asked_power=math.nan if power is None else power,
        study=study,
        **power_at(study, level, m, drawn),
    )


def _check_level(effect: str, power: float | None, level: float | None) -> None:
    """Check that a level is below the power, and not below all p-values."""
    if power is not None and level is not None and power <= level:
        raise invalid("power", f"be above the level {level:g}", brief(power))
    least = 1 / (MOST_EXCHANGES + 1)
    if effect == "difference" and level is not None and level < least:
        rule = f"be at least {least:g}, the smallest p-value of the comparison"
        raise invalid("significance_level", rule, brief(level))


def _with_effect(
    study: Study, m: int | None, effect: str, size: float | None, baseline: Any
) -> Study:
    """Return the study in which the models have the values that are known."""
    if m is None and counts_items(study.metric):
        rule = (
            "be given, unless by a pilot, for a metric whose value depends on the "
            "number of items"
        )
        raise invalid("n_targets", rule, f"None for {study.metric.name}")
    if effect == "difference":
        study = _with_value(study, m, 1, "value", check_number("value", baseline))
    if size is None:
        return study
    name = "value" if baseline is None else "value + difference"
    return _with_value(study, m, 0, name, size + (baseline or 0.0))


def _solve_n_targets(
    study: Study, effect: str, level: float, power: float
) -> tuple[int, Studies]:
    """Return the number of targets with which a power is reached, and such studies."""
    _check_effect(study, effect)
    rough = _rough(study)
    root = _solve_power(
        lambda root: rough.draw(_size(root), level).power(level)[0],
        *(power, _FEWEST_TARGETS**0.5, 2**0.5, _MOST_TARGETS**0.5),
    )
    return _larger(study, _size(root), level, power)


def _solve_effect(study: Study, m: int, level: float, power: float) -> Study:
    """Return the study whose first model is so good that a power is reached."""
    others, rough = study.shifts[1:], _rough(study)
    chance = _with_value(study, m, 0, "value", _by_chance(study, m))
    start = (*others, chance.shifts[0])[0]

    def moved(study: Study, distance: float) -> Study:
        return replace(study, shifts=(start + distance, *others))

    distance = _solve_power(
        lambda distance: moved(rough, distance).draw(m, level).power(level)[0],
        *(power, 0.05, 2.0, _HIGHEST),
    )
    return moved(study, distance)


def _solve_level(study: Study, m: int, power: float) -> float:
    """Return the level of the test against random selection that has a power."""
    level = SelectionStudies(study, m).level(power)
    if level >= 1:
        raise invalid("power", "be reached at a level below 1", brief(power))
    return level


def _rough(study: Study) -> Study:
    """Return fewer studies, since a line through several powers is a mean."""
    return replace(study, n_studies=max(study.n_studies // 3, _FEWEST_DRAWS))


def _larger(study: Study, m: int, level: float, power: float) -> tuple[int, Studies]:
    """Enlarge a number of targets whose power is too small by all simulated studies.

    The rough studies of the search may be too good by chance. The steps are those of a
    normal distribution (Lehr 1992).
    """
    outside, drawn = -ndtri(level), study.draw(m, level)
    for _ in range(5):
        found = drawn.power(level)[0]
        if found >= power - 0.005 or m >= _MOST_TARGETS:
            break
        ratio = (outside + ndtri(power)) / max(outside + ndtri(found), 0.5)
        m = min(max(m + 1, math.ceil(m * ratio**2)), int(_MOST_TARGETS))
        drawn = study.draw(m, level)
    return m, drawn


def _with_value(study: Study, m: Any, model: int, name: str, value: float) -> Study:
    """Return the study in which a model has a value in the population."""
    m, shifts = m or _MOST_TARGETS, list(study.shifts)
    least, most = study.population(m, [_LOWEST, _HIGHEST])
    rule = f"be between {least:.3g} and {most:.3g}, the values of binormal scores"

    def lack(shift: float) -> float:
        return float(study.population(m, [shift])[0] - value)

    shifts[model] = _root(lack, invalid(name, rule, brief(value)))
    return replace(study, shifts=tuple(shifts))


def _root(
    lack: Callable[[float], float], wrong: ValueError, step: float = _CLOSE
) -> float:
    """Return the distance between the means at which nothing is lacking."""
    lack = cache(lack)
    if not lack(_LOWEST) < 0 < lack(_HIGHEST):
        raise wrong
    return float(brentq(lack, _LOWEST, _HIGHEST, xtol=step))


def _solve_power(
    power_of: Callable[[float], float],
    power: float,
    first: float,
    growth: float,
    most: float,
) -> float:
    """Return where a power is reached, by a line through several simulations.

    The normal quantile of the power is nearly linear in the effect and in the square
    root of the number of targets, and a line has less simulation error than a point.
    The weights are those of a probit regression.
    """
    power_of, step = cache(power_of), 0
    while (found := power_of(first * growth**step)) < power:
        # the next step does not reach the power from a quarter of it, or seldom
        step += 2 if found < power / 4 and first * growth ** (step + 2) <= most else 1
        if first * growth**step > most:
            rule = f"be reached with up to {_MOST_TARGETS} targets, or by any ranking"
            raise invalid("power", rule, f"{power:g}")
    if step and power_of(first * growth ** (step - 1)) >= power:
        step -= 1
    low, high = first * growth ** (step - 1) * (step > 0), first * growth**step
    places = np.linspace(low, high, 5)
    # 0 and 1 have no quantile
    powers = np.clip([power_of(one) for one in places], 1e-4, 1 - 1e-4)
    quantiles = ndtri(powers)
    weights = np.exp(-(quantiles**2) / 2) / np.sqrt(powers * (1 - powers))
    slope, intercept = np.polyfit(places, quantiles, 1, w=weights)
    found = (ndtri(power) - intercept) / slope if slope > 0 else high
    return float(np.clip(found, low, high))


def _size(root: float) -> int:
    """Number of targets with a square root."""
    return max(math.ceil(root**2 - _CLOSE), _FEWEST_TARGETS)


def _check_effect(study: Study, effect: str) -> None:
    """Refuse a value that no size distinguishes from chance, or from the other."""
    values, chance = study.population(_MOST_TARGETS), _by_chance(study, _MOST_TARGETS)
    if effect == "value" and values[0] <= chance * (1 + _CLOSE):
        rule = f"be above {chance:.3g}, that of random selection, for `n_targets`=None"
        raise invalid("value", rule, f"{values[0]:.3g}")
    if effect == "difference" and abs(values[0] - values[1]) <= _CLOSE:
        raise invalid("difference", "not be 0 for `n_targets`=None", "0")


def _by_chance(study: Study, m: int) -> float:
    """Value of random selection in the population."""
    return float(replace(study, spread=1.0, pilot=None).population(m, [0.0])[0])
