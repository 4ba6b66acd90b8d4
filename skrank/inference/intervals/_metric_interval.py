"""Standard error and confidence interval of a metric, or of its mean over rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_option, check_undefined, invalid
from skrank._utils._rounding import ROUNDING
from skrank._utils._warnings import warn
from skrank.inference.base._interval_table import (
    MetricIntervalTable,
    check_different,
    is_several,
    metrics_of,
)
from skrank.inference.base._question import (
    MetricQuestion,
    check_values_suffice,
    choose_method,
    data_of,
)
from skrank.inference.intervals._metric_interval_result import MetricIntervalResult
from skrank.inference.intervals._survival import survival_error
from skrank.inference.intervals._weights import weighted_bootstrap, weighted_ends
from skrank.inference.variability._changes import (
    changes_of,
    cluster_changes,
    effective_number,
    fewest_of,
    item_changes,
)
from skrank.inference.variability._clusters import check_two_way, cluster_bootstrap
from skrank.inference.variability._folds import sampling_error
from skrank.inference.variability._interval_rules import (
    BetaRule,
    CertainRule,
    IntervalRule,
    NormalRule,
)
from skrank.inference.variability._moderation import (
    error_of_one_value,
    lower_end,
    moderated_rule,
    normal_rule,
    range_of,
    resampled_rule,
    zero_of,
)
from skrank.inference.variability._resampling import bootstrap, draw_in_parallel
from skrank.inference.variability._sample import asked_cut, is_certain
from skrank.metrics._definitions import (
    AnyMetric,
    AveragePrecision,
    EnrichmentFactor,
    ExpectedProfit,
    Metric,
    PrecisionAtT,
    make_metric,
)
from skrank.metrics._evaluate import for_weights
from skrank.ranking._input import RankingInput
from skrank.ranking._ranking import Ranking
from skrank.ranking._rankings import Rankings

# Methods by the data; "auto" is the first, and "bootstrap" for metrics that jump when
# an item is left out.
_METHODS = {
    "one": ("moderated", "jackknife", "bootstrap", "survival", "posterior"),
    "weights": ("bootstrap",),
    "clusters": ("jackknife", "bootstrap"),
    "groups": ("t", "bootstrap"),
    "groups with weights": ("t",),
    "groups with clusters": ("two_way",),
    "folds": ("corrected_t",),
}
METHODS = ("auto", *dict.fromkeys(name for one in _METHODS.values() for name in one))


class MetricInterval(MetricQuestion[Any]):
    """Confidence interval of metrics; if labels are missing use SampledMetricInterval.

    The interval covers the mean of the metric over other samples with the same numbers
    of targets and non-targets, from the same population and ranked by the same model.
    With few targets, this mean of average precision is above the value in the
    population.

    Parameters
    ----------
    metric : str, Metric or list of them, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object made by
        :func:`make_metric`, which has its own tie rule. A list of metrics returns a
        table.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    method : {"auto", "moderated", "jackknife", "bootstrap", "survival", \
            "posterior", "t", "corrected_t", "two_way"}, default="auto"
        Method of the standard error and the interval; see Notes.
    n_resamples : int, default=9999
        Number of rankings that "bootstrap" draws.
    n_jobs : int, default=None
        Number of joblib jobs of "bootstrap" and of a cross-validation. The result does
        not depend on it.
    progress : bool, default=False
        Whether to show a progress bar of "bootstrap"; needs tqdm.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of "bootstrap".
    undefined : float or "raise", default=nan
        Value of the metric in groups without targets or without non-targets, such as
        0.0. NaN leaves these groups out with a warning, and "raise" raises an error.
        Folds in which the metric is undefined are always left out.

    Raises
    ------
    ValueError
        If a setting is outside its range, or if the method is not defined for the
        metric.

    See Also
    --------
    MetricIntervalResult : Result of the computation.
    MetricIntervalTable : Results of several metrics or of several models.
    RankingComparison : Whether one ranking is better than another.
    RandomSelectionTest : Whether a ranking is better than chance.

    Notes
    -----
    ============= ================================================== ==================
    method        standard error and interval                        "auto" for
    ============= ================================================== ==================
    "moderated"   jackknife variance and that of binormal rankings;  smooth metrics
                  Student's t
    "jackknife"   jackknife variance; Student's t                    `clusters`, whole
    "bootstrap"   drawn targets and non-targets; Student's t         other metrics
    "survival"    ranks of the targets as survival times
    "posterior"   beta distribution of recall or precision
    "t"           Student's t of the values of several rankings      `groups`
    "corrected_t" resampled t of Nadeau and Bengio                   folds of `from_cv`
    "two_way"     variances of groups and of clusters that recur     `groups` with
                  over the groups; Student's t                       `clusters`
    ============= ================================================== ==================

    Sources: "survival" [1]_, "posterior" [2]_, "corrected_t" [3]_. For precision and k
    at a recall and for WSS, the limits are values at two targets, found by a binomial
    distribution, and the standard error comes from "bootstrap". With `clusters`, whole
    clusters are drawn or left out, the interval uses Student's t, and "auto" is
    "bootstrap" for metrics at a cutoff. With weights, items are drawn with their
    weights, and Student's t has the effective number of targets [4]_, ``sum(w)**2 /
    sum(w**2)``, minus 1 degrees of freedom. See :ref:`variability` for the choice of a
    method, :ref:`derivations` for the formulas, :ref:`clusters` for dependent items and
    :ref:`validation` for the measured coverage.

    References
    ----------
    .. [1] Su and Zhang, "Statistical inference for recall, precision and average
       precision", slides, University of Alberta.
    .. [2] Goutte and Gaussier (2005), *ECIR 2005*, 345-359.
    .. [3] Nadeau and Bengio (2003), "Inference for the generalization error", *Machine
       Learning* 52, 239-281, section 4.1.
    .. [4] Kish (1965), *Survey Sampling*, Wiley, section 11.7.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import MetricInterval
    >>> y = np.isin(range(1000), [0, 2, 3, 9, 11, 30, 70, 150, 400, 800])
    >>> print(MetricInterval().from_predictions(y, -np.arange(1000.0)))
    Interval of average_precision
      ranking         1000 items, 10 targets (prevalence 0.01)
      value           0.3613
      standard error  0.161, method: moderated
      95 % interval   0.0953 to 0.6946
    """

    # shared: ties

    _refuses: ClassVar[dict[str, str]] = {
        "strata": "intervals of items in strata are not defined here",
        "n_missed": "other samples miss other targets; `n_unlisted`, or "
        "`missing`='last', ranks them last",
    }
    _missed_in_groups: ClassVar[bool] = True
    _make = staticmethod(make_metric)
    _least_resamples = 2

    def __init__(
        self,
        metric: str | AnyMetric | Sequence[str | AnyMetric] = "average_precision",
        *,
        ties: str = "expected",
        method: str = "auto",
        n_resamples: int = 9999,
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: object = 0,
        undefined: float | str = math.nan,
    ) -> None:
        several = is_several(metric)
        draws = n_resamples, n_jobs, progress, random_state
        super().__init__(metrics_of(metric)[0], ties, *draws)
        self.undefined = check_undefined(undefined)
        check_option("method", method, METHODS)
        self.method = method
        if several:
            self.metric, self.ties = metric, ties
            self._questions()
        else:
            self._check_method(self._metric())

    def from_rankings(self, rankings: Any) -> Any:
        """Compute the interval for a ranking, or for the mean over several.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data, of one model or of several by name.

        Returns
        -------
        result : MetricIntervalResult or MetricIntervalTable
            Immutable: the value, its standard error, and a method for intervals. The
            standard error of "jackknife" and "bootstrap" is NaN, with a warning, if a
            class has a single item or a single cluster. It is 0 for every method if the
            value cannot vary. A table is returned for a list of metrics or several
            models.

        Raises
        ------
        ValueError
            If there are no targets or no non-targets, or if `method` is not valid for
            these data. For a metric with a cutoff, also if there is a tie at the cutoff
            and `ties` is not "expected", or if the method is "bootstrap" and `ties` is
            "together".
        """
        every = self._read(rankings)
        if not is_several(self.metric) and len(every.names) == 1:
            return self._interval(every)
        return MetricIntervalTable(
            {
                (metric, name): question._interval(every.only(name))
                for metric, question in self._questions().items()
                for name in every.names
            }
        )

    def _questions(self) -> dict[str, MetricInterval]:
        """Return the question of each metric, by its name."""
        settings = self.get_params()
        asked = [
            type(self)(**{**settings, "metric": one}) for one in metrics_of(self.metric)
        ]
        names = [question._metric().name for question in asked]
        check_different(names)
        return dict(zip(names, asked, strict=True))

    def _interval(self, rankings: Rankings) -> MetricIntervalResult:
        """Compute the interval of one metric and one model."""
        rankings, asked = self._asked(rankings)
        each, method = asked.single, self._choose(asked)
        metric = for_weights(self._metric(), each)
        values = asked.by_fold([metric.value(one) for one in each])
        counted, (values,) = self._completed(rankings, asked, values)
        if data_of(asked) == "groups":
            check_values_suffice(method, ["t"], asked, counted)
        if asked.kind != "one":
            rule = self._rule_of_mean(method, metric, asked, values)
        elif asked.weighted:
            rule = self._rule_of_weights(metric, each[0])
        elif asked.clusters is not None:
            rule = self._rule_of_clusters(method, metric, asked)
        else:
            rule = self._rule(method, metric, each[0])
        return MetricIntervalResult(
            value=float(values.mean()),
            standard_error=rule.standard_error,
            method=method,
            values=tuple(values.tolist()) if asked.labels else (),
            _rule=rule,
            **self._fields(counted, by_fold=True),
        )

    def _choose(self, asked: Rankings) -> str:
        """Choose the method for "auto", and check that it suits the data."""
        metric, data = self._metric(), data_of(asked)
        if asked.weighted and asked.clusters is not None:
            raise invalid("sample_weight", "be None with `clusters`", "weights")
        usual = _METHODS[data]
        if data == "groups with clusters":
            check_two_way(metric)
        elif data == "one" and not metric.smooth:
            usual = ("bootstrap", *usual)
        elif data == "clusters":
            (one,) = asked.single
            whole = asked_cut(metric, one) == one.n_samples
            usual = usual if metric.smooth and whole else usual[::-1]
        return choose_method(self.method, usual, data)

    def _rule_of_mean(
        self, method: str, metric: Any, asked: Rankings, values: NDArray[np.float64]
    ) -> IntervalRule:
        """Return Student's t of the mean over several rankings."""
        each = asked.single
        if method != "two_way" and _is_certain_mean(metric, asked, values):
            return CertainRule(float(values.mean()))
        drawn = method == "bootstrap" and len(each) > 1
        of_values = "t" if method == "bootstrap" else method
        changes = changes_of(of_values, metric, asked, values[:, None])
        error, freedom = changes.error([1.0])
        if drawn:
            error = self._two_level_error(metric, each, values)
        elif asked.kind == "folds" and not asked.grouped and values.size > 1:
            # at least that of the items
            usual = "moderated" if metric.smooth else "bootstrap"
            errors = [self._rule(usual, metric, one).standard_error for one in each]
            error = max(error, sampling_error(np.nan_to_num(errors), asked.ratio))
        return _rule_between(metric, _ends(metric, each), values, error, freedom)

    def _rule_of_weights(self, metric: AnyMetric, ranking: Ranking) -> IntervalRule:
        """Return Student's t from the bootstrap of weighted items.

        The degrees of freedom are the effective number of targets of Kish (1965), less
        one. Other samples have other weights, and so other best values.
        """
        data: RankingInput = ranking.items.data
        assert data.weight is not None
        weight = data.weight[data.targets]
        units = effective_number(weight)
        n_targets = weight.size
        n_non_targets = data.weight.size - n_targets
        if min(n_targets, n_non_targets) < 2:
            error = _unknown(metric, n_targets, n_non_targets)
        else:
            error = self._drawn_error(weighted_bootstrap(metric, ranking))
            others = effective_number(np.delete(data.weight, data.targets))
            error = max(error, metric.least_error(ranking, units, others))
        estimate, (least, best) = metric.value(ranking), weighted_ends(metric, data)
        most = _most(metric)
        best = max(best, estimate, most if most < math.inf else best)
        zero = zero_of(metric, metric.frame(ranking, ranking.n_targets), least)
        if error <= ROUNDING * (best - zero):
            if is_certain(metric, ranking):
                return CertainRule(estimate)
            error = error_of_one_value(best - zero, units)
        # another sample may contain a target of the largest weight
        one_more = effective_number(np.append(weight, data.weight.max()))
        # In simulations of 12 targets with weights of 1 and 10 it is 5, and the
        # coverage is .81 to .86; with half of the limit, a list of which only the top
        # and a sample were inspected, of weights 1 and 20 (coverage .53), has no
        # warning.
        if one_more < 12 and error > 0:
            warn(
                f"The weights are so unequal, or the targets so few, that they count "
                f"as {one_more:.3g} targets: the interval may be too narrow. It "
                "ignores targets among items that were not sampled.",
                UserWarning,
            )
        return NormalRule(
            estimate,
            error,
            min(least, estimate),
            best,
            plain_at_ends=True,
            zero=zero,
            degrees_of_freedom=units - 1,
        )

    def _two_level_error(
        self, metric: AnyMetric, rankings: list[Ranking], values: NDArray[np.float64]
    ) -> float:
        """Return the standard deviation over draws of rankings and of their items."""
        rng = self._generator()
        drawn = np.tile(values[:, None], self.n_resamples)
        for row, ranking in zip(drawn, rankings, strict=True):
            if ranking.n_targets and ranking.n_non_targets:
                row[:] = draw_in_parallel(
                    bootstrap(metric, ranking),
                    self.n_resamples,
                    rng,
                    n_jobs=self.n_jobs,
                    progress=self.progress,
                )
        means = [
            # a ranking that is drawn twice has different items each time
            drawn[rng.integers(len(drawn), size=len(drawn)), columns].mean()
            for columns in rng.integers(self.n_resamples, size=drawn.T.shape)
        ]
        return float(np.std(means, ddof=1))

    def _check_method(self, metric: Metric) -> None:
        """Check that the method is defined for the metric."""
        counts = not metric.ordered
        has_meaning = {
            "moderated": metric.smooth,
            "jackknife": metric.smooth,
            "survival": type(metric) is AveragePrecision or counts,
            "posterior": counts,
        }
        methods = [name for name in METHODS if has_meaning.get(name, True)]
        if self.method not in methods:
            asked = f"be one of {methods} for {metric.name}"
            raise invalid("method", asked, repr(self.method))

    def _rule(self, method: str, metric: Metric, ranking: Ranking) -> IntervalRule:
        """Return the rule that gives the standard error and the interval."""
        if is_certain(metric, ranking):
            return CertainRule(metric.value(ranking))
        if method == "moderated":
            return moderated_rule(metric, ranking)
        if method == "posterior":
            return self._posterior(metric, ranking)
        if method == "survival":
            return normal_rule(metric, ranking, survival_error(metric, ranking))
        counts = ranking.n_targets, ranking.n_non_targets
        if min(counts) < 2:
            error, freedom = _unknown(metric, *counts), 1.0
            if self.method == method:
                return normal_rule(metric, ranking, error)
        elif method == "jackknife":
            error, freedom = item_changes(metric, [[ranking]]).error([1.0])
            rule = normal_rule(metric, ranking, error)
            return replace(rule, degrees_of_freedom=freedom)
        else:
            error = self._drawn_error(bootstrap(metric, ranking))
            sizes = ranking.n_targets, ranking.n_non_targets
            error = max(error, metric.least_error(ranking, *sizes))
            freedom = fewest_of(ranking) - 1
        return resampled_rule(metric, ranking, error, degrees_of_freedom=freedom)

    def _rule_of_clusters(
        self, method: str, metric: Metric, asked: Rankings
    ) -> IntervalRule:
        """Return Student's t from the influences or the bootstrap of the clusters."""
        (ranking,), codes = asked.single, asked.clusters
        assert codes is not None
        if is_certain(metric, ranking):
            return CertainRule(metric.value(ranking))
        changes = cluster_changes(metric, [ranking], codes)
        if not changes.is_known:
            warn(
                f"The standard error of {metric.name} is undefined: two clusters must "
                "contain targets, and two non-targets; got one."
            )
            return normal_rule(metric, ranking, math.nan)
        error, freedom = changes.error([1.0])
        if method == "bootstrap":
            error = self._drawn_error(cluster_bootstrap(metric, (ranking,), codes))
        rule = resampled_rule(metric, ranking, error, changes.fewest, freedom)
        # other samples have other numbers of targets, and so other perfect values
        most = _most(metric)
        if isinstance(rule, NormalRule) and most < math.inf:
            return replace(rule, best=max(rule.best, most))
        return rule

    def _posterior(self, metric: Metric, ranking: Ranking) -> BetaRule:
        """Return the beta distribution of precision or recall."""
        frame = metric.frame(ranking, ranking.n_targets)
        zero = zero_of(metric, frame)
        divisor = float(metric.divisor(frame))
        hits = (metric.value(ranking) - zero) * divisor
        retrieved = PrecisionAtT | EnrichmentFactor | ExpectedProfit
        # also of capped recall, if there are more targets than places
        of_retrieved = isinstance(metric, retrieved) or divisor < frame.n_targets
        total = frame.cut if of_retrieved else frame.n_targets
        scale = total / divisor
        # the prior of Jeffreys
        return BetaRule(hits + 0.5, total - hits + 0.5, scale, zero)


def _is_certain_mean(
    metric: AnyMetric, asked: Rankings, values: NDArray[np.float64]
) -> bool:
    """Whether a mean over rankings cannot vary; certain values of days may differ."""
    equal = np.ptp(values) <= ROUNDING * abs(values).max()
    return bool(equal or asked.kind != "groups") and all(
        is_certain(metric, one) for one in asked.single
    )


def _most(metric: AnyMetric) -> float:
    """Return the largest value over all rankings; infinity for a metric without it."""
    return metric.bounds[1]


def _ends(metric: AnyMetric, rankings: list[Ranking]) -> list[tuple[float, float]]:
    """Return the values of the worst and the best ranking of each size."""
    if rankings[0].weighted:
        return [weighted_ends(metric, one.items.data) for one in rankings]
    return [range_of(metric, metric.frame(one, one.n_targets)) for one in rankings]


def _rule_between(
    metric: AnyMetric,
    ends: list[tuple[float, float]],
    values: NDArray[np.float64],
    error: float,
    degrees_of_freedom: float,
) -> IntervalRule:
    """Return Student's t on the logit scale, between the ends of the rankings.

    If the ends differ, as with the number of targets, those of other samples differ as
    well, and the interval is limited by those of the metric. If all values are equal,
    the error is that of a share that is half a ranking away from them, as in
    `resampled_rule`.
    """
    estimate = float(values.mean())
    least, best = min(low for low, _ in ends), max(high for _, high in ends)
    most = _most(metric)
    if most < math.inf and len(set(ends)) > 1:
        best = max(best, most)
    zero = lower_end(metric, least)
    if not best > zero:  # every ranking of these sizes has this value
        return CertainRule(estimate)
    if len(set(ends)) > 1 and math.isfinite(metric.bounds[0]):
        least = min(least, metric.bounds[0])
    if error <= ROUNDING * (best - zero):
        error = error_of_one_value(best - zero, values.size)
    return NormalRule(
        estimate,
        error,
        min(least, estimate),
        max(best, estimate),
        plain_at_ends=True,
        zero=zero,
        degrees_of_freedom=degrees_of_freedom,
    )


def _unknown(metric: AnyMetric, n_targets: float, n_non_targets: float) -> float:
    """Warn that one item of a class gives no standard error."""
    warn(
        f"The standard error of {metric.name} is undefined: `y_true` must contain two "
        f"targets and two non-targets; got {n_targets} and {n_non_targets}."
    )
    return math.nan
