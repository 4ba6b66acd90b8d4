"""Standard error and confidence interval of a metric.

The input is one ranking, as labels and scores or as a fitted estimator, or several
rankings as groups or folds. The output is a frozen result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_generator,
    check_option,
    check_positive,
    invalid,
)
from skrank._utils._rounding import ROUNDING
from skrank._utils._warnings import warn
from skrank.inference._base import RankingInference
from skrank.inference._metric_interval_result import MetricIntervalResult
from skrank.inference._variability._clusters import (
    cluster_bootstrap,
    clusters_of_classes,
    error_of_totals,
    jackknife_totals,
    n_clusters,
)
from skrank.inference._variability._folds import (
    corrected_error,
    ratio_of_folds,
    sampling_error,
)
from skrank.inference._variability._interval import (
    BetaRule,
    CertainRule,
    IntervalRule,
    NormalRule,
)
from skrank.inference._variability._jackknife import jackknife_of
from skrank.inference._variability._moderation import (
    moderated_rule,
    normal_rule,
    reach_of,
    resampled_rule,
)
from skrank.inference._variability._resampling import (
    Engine,
    bootstrap,
    draw_in_parallel,
)
from skrank.inference._variability._sample import asked_cut, is_certain
from skrank.inference._variability._survival import survival_error
from skrank.inference._variability._weights import WeightedBootstrap
from skrank.metrics._definitions import (
    AveragePrecision,
    EnrichmentFactor,
    Measure,
    Metric,
    PrecisionAtT,
    make_metric,
)
from skrank.metrics._evaluate import for_weights
from skrank.ranking._as_ranking import Labels, columns_of
from skrank.ranking._cv_results import rank_held_out
from skrank.ranking._folds import fit_folds, make_folds
from skrank.ranking._input import (
    RankingInput,
    check_both_classes,
    check_ranking_input,
)
from skrank.ranking._ranking import Ranking, rank
from skrank.ranking._several import (
    check_clusters,
    group_codes,
    items_of_groups,
    rank_scored,
    rank_within,
    take_parts,
)

# the last two are for several rankings, and for the folds of a cross-validation
METHODS = (
    *("auto", "moderated", "jackknife", "bootstrap", "survival", "posterior"),
    *("t", "corrected_t"),
)


class MetricInterval(RankingInference[MetricIntervalResult]):
    """Standard error and confidence interval of a metric of one ranking.

    The interval covers the mean of the metric over other samples with the same numbers
    of targets and non-targets, from the same population and ranked by the same model.
    For average precision of few targets this mean is above the value in the population.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object of :func:`make_metric`
        with its own tie rule.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    method : {"auto", "moderated", "jackknife", "bootstrap", "survival", \
            "posterior", "t", "corrected_t"}, default="auto"
        Method of the standard error and the interval; see Notes.
    prior : float, default=0.5
        Prior of "posterior": 0.5 is the prior of Jeffreys, and 1 is the uniform prior.
    n_resamples : int, default=9999
        Number of rankings that "bootstrap" draws.
    n_jobs : int, default=None
        Number of joblib jobs of "bootstrap" and of a cross-validation. The result does
        not depend on it.
    progress : bool, default=False
        Whether to show a progress bar of "bootstrap"; needs tqdm.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of "bootstrap".

    Raises
    ------
    ValueError
        If a setting is outside its range, or the method is not defined for the metric.

    See Also
    --------
    MetricIntervalResult : Result of the computation.
    RankingComparison : Whether one ranking is better than another.
    RandomSelectionTest : Whether a ranking is better than chance.

    Notes
    -----
    ============= ================================================== ==================
    method        standard error and interval                        "auto" for
    ============= ================================================== ==================
    "moderated"   jackknife variance and that of binormal rankings;  smooth metrics
                  Student's t
    "jackknife"   jackknife variance; normal quantiles               `clusters`, whole
    "bootstrap"   drawn targets and non-targets; normal quantiles    other metrics
    "survival"    ranks of the targets as survival times
    "posterior"   beta distribution of recall or precision
    "t"           Student's t of the values of several rankings      `groups`
    "corrected_t" resampled t of Nadeau and Bengio                   folds of `from_cv`
    ============= ================================================== ==================

    Sources: "survival" [1]_, "posterior" [2]_, "corrected_t" [3]_. With `clusters`,
    whole clusters are drawn or left out, with Student's t, and "auto" is "bootstrap"
    for metrics at a cutoff. See :ref:`variability` for the choice of a
    method, :ref:`derivations` for the formulas, :ref:`clusters` for dependent items and
    :ref:`validation` for the measured coverage.

    References
    ----------
    .. [1] Su and Zhang, "Statistical inference for recall, precision and average
       precision", slides, University of Alberta.
    .. [2] Goutte and Gaussier (2005), *ECIR 2005*, 345-359.
    .. [3] Nadeau and Bengio (2003), "Inference for the generalization error", *Machine
       Learning* 52, 239-281, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import MetricInterval
    >>> y = np.isin(range(1000), [0, 2, 3, 9, 11, 30, 70, 150, 400, 800])
    >>> print(MetricInterval().from_predictions(y, -np.arange(1000.0)))
    Interval of average_precision
      ranking         1000 items, 10 targets (prevalence 0.01)
      estimate        0.3613
      standard error  0.161, method: moderated
      95 % interval   0.09534 to 0.6946
    """

    _make = staticmethod(make_metric)
    _least_resamples = 2

    def __init__(
        self,
        metric: str | Metric = "average_precision",
        *,
        ties: str = "expected",
        method: str = "auto",
        prior: float = 0.5,
        n_resamples: int = 9999,
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: object = None,
    ) -> None:
        super().__init__(metric, ties, n_resamples, n_jobs, progress, random_state)
        check_option("method", method, METHODS)
        self.method = method
        self.prior = check_positive("prior", prior)
        self._check_method(self._measure())

    def from_predictions(
        self,
        y_true: Labels,
        y_score: ArrayLike | None = None,
        *,
        pos_label: object = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> MetricIntervalResult:
        """Compute the interval for a ranking, or for the mean over several.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), Ranking or RankCounts
            Labels of the items; both targets and non-targets. A Ranking or RankCounts,
            without weights and missed targets, replaces labels and scores.
        y_score : array-like of shape (n_samples,), default=None
            Scores of the items; a higher score means a likelier target. Required unless
            `y_true` is a Ranking or RankCounts.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the items, as in the metric functions. With amounts as weights,
            recall is the share of the total amount. The method is "bootstrap", or "t"
            with `groups`.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each ranking, and cutoffs apply to each. The interval is for
            the mean over a population of rankings, of which these are a sample.
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, such as the patient of an image. Items with the same
            label depend on each other. All items are in one ranking, and the clusters
            are the sampling units. Only with "jackknife" and "bootstrap", without
            `groups` and `sample_weight`.

        Returns
        -------
        result : MetricIntervalResult
            The value, its standard error, and a method for intervals. The standard
            error of "jackknife" and "bootstrap" is NaN, with a warning, if a class has
            a single item or a single cluster. If the value cannot vary, it is 0 for
            every method.

        Raises
        ------
        ValueError
            If the input is not a ranking of two classes, or if a class is absent. For a
            metric with a cutoff also if a tie reaches the cutoff and `ties` is not
            "expected", or if the method is "bootstrap" and `ties` is "threshold".
        """
        measure = self._measure()
        codes = None
        if clusters is not None:
            if sample_weight is not None:
                raise invalid("sample_weight", "be None with `clusters`", "weights")
            y_true, y_score = columns_of(y_true, y_score, "clusters")
            codes = check_clusters(clusters, y_true, groups)
        if sample_weight is not None:
            y_true, y_score = columns_of(y_true, y_score)
            given: Any = {"pos_label": pos_label, "sample_weight": sample_weight}
            data = check_ranking_input(y_true, y_score, **given)
            if data.weight is not None:  # weights of 1 are no weights
                args = y_true, y_score, groups, given
                return self._of_weights(measure, data, *args)
        if groups is not None:
            defined = measure.always_defined
            labels, rankings = rank_within(
                y_true, y_score, pos_label, groups, always_defined=defined
            )
            return self.of_ranked(rankings, labels)
        ranking = rank_scored(y_true, y_score, pos_label)
        if codes is not None:
            return self.of_clusters(ranking, codes)
        return self.of_ranked([ranking])

    def of_clusters(
        self, ranking: Ranking, codes: NDArray[np.intp]
    ) -> MetricIntervalResult:
        """Compute the interval for a ranking of items in numbered clusters.

        Parameters
        ----------
        ranking : Ranking
            The ranking.
        codes : ndarray of shape (n_samples,)
            Number of the cluster of each item.

        Returns
        -------
        result : MetricIntervalResult
            Result, as from `from_predictions`.
        """
        measure = self._measure()
        method = self._method_of_clusters(measure, ranking)
        rule = self._rule_of_clusters(method, measure, ranking, codes)
        return MetricIntervalResult(
            estimate=measure.value(ranking),
            standard_error=rule.standard_error,
            method=method,
            metric=measure.name,
            n_samples=int(ranking.n_samples),
            n_targets=int(ranking.n_targets),
            _rule=rule,
            n_clusters=n_clusters(codes),
        )

    def from_cv(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        cv: Any = 5,
        cv_groups: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> MetricIntervalResult:
        """Cross-validate an estimator; compute the interval for the mean over folds.

        Parameters
        ----------
        estimator : estimator instance
            Classifier, regressor, ranker or outlier detector. It is cloned and fitted
            for each fold.
        X : array-like of shape (n_samples, n_features)
            Items to fit and to rank.
        y : array-like of shape (n_samples,)
            Their labels.
        cv : int, cross-validation generator or iterable, default=5
            As in :func:`sklearn.model_selection.cross_validate`. Splits can be repeated
            or shuffled.
        cv_groups : array-like of shape (n_samples,), default=None
            Groups for splitters that keep them together, such as
            :class:`sklearn.model_selection.GroupKFold`.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, as in `from_predictions`. The held-out
            items of a fold are ranked within each ranking.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector.

        Returns
        -------
        result : MetricIntervalResult
            The mean over the folds, its standard error, and a method for intervals.

        Raises
        ------
        ValueError
            As in `from_estimator`; also if no fold holds targets and non-targets, or if
            `method` is not for folds.
        """
        folds = make_folds(cv, [estimator], X, np.asarray(y), cv_groups, repeated=True)
        return self.from_cv_results(
            fit_folds(estimator, X, y, folds, self.n_jobs),
            X,
            y,
            groups=groups,
            pos_label=pos_label,
            detector_targets=detector_targets,
        )

    def from_cv_results(
        self,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> MetricIntervalResult:
        """Compute the interval for the mean over the folds of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            Result of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            Items of the cross-validation.
        y : array-like of shape (n_samples,)
            Their labels.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, as in `from_predictions`. The held-out
            items of a fold are ranked within each ranking.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector.

        Returns
        -------
        result : MetricIntervalResult
            The mean over the folds, its standard error, and a method for intervals.
            Folds without targets or without non-targets are left out with a warning. A
            single remaining fold has no standard error.

        Raises
        ------
        ValueError
            If estimators or indices are missing, and as in `from_cv`.
        """
        if self.method not in ("auto", "corrected_t"):
            asked = "be 'auto' or 'corrected_t' for the folds of a cross-validation"
            raise invalid("method", asked, repr(self.method))
        measure = self._measure()
        folds = rank_held_out(
            cv_results,
            X,
            y,
            self.n_jobs,
            pos_label,
            detector_targets,
            groups,
            always_defined=measure.always_defined,
        )
        each = [measure.value(ranking) for ranking in folds.rankings]
        values = folds.mean_by_fold(each)
        ratio = ratio_of_folds(cv_results)
        if all(is_certain(measure, ranking) for ranking in folds.rankings):
            rule: IntervalRule = CertainRule(float(values.mean()))
        else:
            error = corrected_error(values, ratio)  # the error of one fold is NaN
            if groups is None and values.size > 1:  # at least that of the items
                rules = [self._rule(measure, one) for one in folds.rankings]
                errors = np.nan_to_num([one.standard_error for one in rules])
                error = max(error, sampling_error(errors, ratio))
            rule = _rule_of_mean(measure, _ends(measure, folds.rankings), values, error)
        return MetricIntervalResult(
            estimate=float(values.mean()),
            standard_error=rule.standard_error,
            method="corrected_t",
            metric=measure.name,
            n_samples=folds.n_samples,
            n_targets=folds.n_targets,
            _rule=rule,
            values=tuple(values.tolist()),
            labels=tuple(dict.fromkeys(folds.numbers)),
        )

    def of_ranked(
        self, rankings: list[Ranking], labels: tuple[Any, ...] = ()
    ) -> MetricIntervalResult:
        """Compute the interval for an existing ranking, or for the mean over several.

        Parameters
        ----------
        rankings : list of Ranking
            Rankings without weights and missed targets.
        labels : tuple, default=()
            Labels of the rankings. Empty for a single ranking.

        Returns
        -------
        result : MetricIntervalResult
            Result, as from `from_predictions`.
        """
        measure = self._measure()
        if not labels:
            if self.method in ("t", "corrected_t"):
                asked = f"not be {self.method!r}, which needs several, for one ranking"
                raise invalid("method", asked, repr(self.method))
            (ranking,) = rankings
            rule = self._rule(measure, ranking)
            return MetricIntervalResult(
                estimate=measure.value(ranking),
                standard_error=rule.standard_error,
                method=self._method(measure),
                metric=measure.name,
                n_samples=int(ranking.n_samples),
                n_targets=int(ranking.n_targets),
                _rule=rule,
            )
        method = "t" if self.method == "auto" else self.method
        if method not in ("t", "bootstrap"):
            asked = "be 'auto', 't' or 'bootstrap' for several rankings"
            raise invalid("method", asked, repr(self.method))
        values = np.array([measure.value(ranking) for ranking in rankings])
        if method == "t" or len(rankings) == 1:
            error = corrected_error(values, 0.0)
        else:
            error = self._two_level_error(measure, rankings, values)
        rule = _rule_of_mean(measure, _ends(measure, rankings), values, error)
        return MetricIntervalResult(
            estimate=float(values.mean()),
            standard_error=rule.standard_error,
            method=method,
            metric=measure.name,
            n_samples=sum(int(one.n_samples) for one in rankings),
            n_targets=sum(int(one.n_targets) for one in rankings),
            _rule=rule,
            values=tuple(values.tolist()),
            labels=labels,
        )

    def _of_weights(
        self,
        measure: Metric,
        data: RankingInput,
        y_true: ArrayLike,
        y_score: ArrayLike,
        groups: ArrayLike | None,
        given: dict[str, Any],
    ) -> MetricIntervalResult:
        """Return the interval of weighted items, in one ranking or in several."""
        method = "bootstrap" if groups is None else "t"
        if self.method not in ("auto", method):
            several = "" if groups is None else " in several rankings"
            asked = f"be 'auto' or {method!r} for weighted items{several}"
            raise invalid("method", asked, repr(self.method))
        check_both_classes(data.targets.size, data.y_score.size)
        _check_weighted_classes(data)
        bootstrap = WeightedBootstrap(for_weights(measure, [rank(data)]), data)
        if groups is None:
            values = np.array([measure(y_true, y_score, **given)])
            error = float(self._draw(bootstrap).std(ddof=1))
            (estimate,), labels, (least, best) = values, (), bootstrap.ends()
            limits = min(least, estimate), max(best, estimate)
            rule = NormalRule(float(estimate), error, *limits, plain_at_ends=True)
        else:
            found = measure.by_group(y_true, y_score, groups, **given)
            defined = np.flatnonzero(~np.isnan(found.values))
            if defined.size == 0:
                asked = "be above 0 for targets and non-targets in some ranking"
                raise invalid("sample_weight", asked, "none such")
            values = found.values[defined]
            labels = tuple(found.labels[i] for i in defined)
            codes = group_codes(data, groups)[1]
            parts = take_parts(data, items_of_groups(codes, len(found.labels)))
            ends = [replace(bootstrap, data=parts[i]).ends() for i in defined]
            rule = _rule_of_mean(measure, ends, values, corrected_error(values, 0.0))
        return MetricIntervalResult(
            estimate=rule.estimate,
            standard_error=rule.standard_error,
            method=method,
            metric=measure.name,
            n_samples=data.y_score.size,
            n_targets=data.targets.size,
            _rule=rule,
            values=() if groups is None else tuple(values.tolist()),
            labels=labels,
        )

    def _two_level_error(
        self, measure: Metric, rankings: list[Ranking], values: NDArray[np.float64]
    ) -> float:
        """Return the standard deviation over draws of rankings and of their items."""
        rng = check_generator(self.random_state)
        drawn = np.tile(values[:, None], self.n_resamples)
        for row, ranking in zip(drawn, rankings, strict=True):
            if ranking.n_targets and ranking.n_non_targets:
                row[:] = draw_in_parallel(
                    bootstrap(measure, ranking),
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

    def _method(self, measure: Measure) -> str:
        if self.method not in ("auto", "t", "corrected_t"):
            return self.method
        return "moderated" if measure.smooth else "bootstrap"

    def _method_of_clusters(self, measure: Measure, ranking: Ranking) -> str:
        """Choose the jackknife for smooth metrics without a cutoff, else bootstrap."""
        if self.method not in ("auto", "jackknife", "bootstrap"):
            rule = "be 'auto', 'jackknife' or 'bootstrap' with `clusters`"
            raise invalid("method", rule, repr(self.method))
        if self.method != "auto":
            return self.method
        whole = asked_cut(measure, ranking) == ranking.n_samples
        return "jackknife" if measure.smooth and whole else "bootstrap"

    def _check_method(self, measure: Measure) -> None:
        """Check that the method is defined for the metric."""
        counts = not measure.ordered
        has_meaning = {
            "moderated": measure.smooth,
            "jackknife": measure.smooth,
            "survival": type(measure) is AveragePrecision or counts,
            "posterior": counts,
        }
        methods = [name for name in METHODS if has_meaning.get(name, True)]
        if self.method not in methods:
            asked = f"be one of {methods} for {measure.name}"
            raise invalid("method", asked, repr(self.method))

    def _rule(self, measure: Measure, ranking: Ranking) -> IntervalRule:
        """Return the rule that gives the standard error and the interval."""
        if is_certain(measure, ranking):
            return CertainRule(measure.value(ranking))
        method = self._method(measure)
        if method == "moderated":
            return moderated_rule(measure, ranking)
        if method == "posterior":
            return self._posterior(measure, ranking)
        error = self._error(method, measure, ranking)
        named = self.method == method
        return (normal_rule if named else resampled_rule)(measure, ranking, error)

    def _rule_of_clusters(
        self,
        method: str,
        measure: Measure,
        ranking: Ranking,
        codes: NDArray[np.intp],
    ) -> IntervalRule:
        """Return Student's t from the influences or the bootstrap of the clusters."""
        if is_certain(measure, ranking):
            return CertainRule(measure.value(ranking))
        fewest = min(clusters_of_classes(ranking, codes))
        if fewest < 2:
            return normal_rule(measure, ranking, _unknown(measure, ranking, fewest))
        freedom: float = fewest - 1
        if measure.smooth:
            totals = jackknife_totals(measure, ranking, codes)
            error, freedom = error_of_totals(totals)
        if method == "bootstrap":
            engine = cluster_bootstrap(measure, (ranking,), codes)
            error = float(self._draw(engine).std(ddof=1))
        rule = resampled_rule(measure, ranking, error, fewest, freedom)
        # other samples have other numbers of targets, and so other perfect values
        most = _most(measure)
        if isinstance(rule, NormalRule) and most < math.inf:
            return replace(rule, best=max(rule.best, most))
        return rule

    def _error(self, method: str, measure: Measure, ranking: Ranking) -> float:
        if method == "survival":
            return survival_error(measure, ranking)
        if min(ranking.n_targets, ranking.n_non_targets) < 2:
            return _unknown(measure, ranking)
        if method == "jackknife":
            return float(np.sqrt(jackknife_of(measure, ranking).variance))
        return float(self._draw(bootstrap(measure, ranking)).std(ddof=1))

    def _draw(self, engine: Engine) -> NDArray[np.float64]:
        return draw_in_parallel(
            engine,
            self.n_resamples,
            check_generator(self.random_state),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def _posterior(self, measure: Measure, ranking: Ranking) -> BetaRule:
        """Return the beta distribution of precision or recall."""
        frame = measure.frame(ranking, ranking.n_targets)
        hits = measure.value(ranking) * measure.divisor(frame)
        of_retrieved = isinstance(measure, PrecisionAtT | EnrichmentFactor)
        total = frame.cut if of_retrieved else frame.n_targets
        scale = total / measure.divisor(frame)
        return BetaRule(hits + self.prior, total - hits + self.prior, scale)


def _check_weighted_classes(data: RankingInput) -> None:
    """Check that some targets and some non-targets have a weight above 0."""
    assert data.weight is not None
    weighted = data.weight > 0
    n_targets, n_samples = int(weighted[data.targets].sum()), int(weighted.sum())
    if not 0 < n_targets < n_samples:
        asked = "be above 0 for some targets and some non-targets"
        got = f"{n_targets} such targets among {n_samples} such items"
        raise invalid("sample_weight", asked, got)


def _most(measure: Metric) -> float:
    """Return the largest value over all rankings; infinity for a metric without it."""
    most: float = getattr(measure, "bounds", (0.0, math.inf))[1]
    return most


def _ends(measure: Metric, rankings: list[Ranking]) -> list[tuple[float, float]]:
    """Return the values of the worst and the best ranking of each size."""
    return [reach_of(measure, measure.frame(one, one.n_targets)) for one in rankings]


def _rule_of_mean(
    measure: Metric,
    ends: list[tuple[float, float]],
    values: NDArray[np.float64],
    error: float,
) -> NormalRule:
    """Return Student's t on the logit scale, between the ends of the rankings.

    If the ends differ, as with the number of targets, those of other samples differ as
    well, and the interval is limited by those of the metric.
    """
    estimate = float(values.mean())
    least, best = min(low for low, _ in ends), max(high for _, high in ends)
    most = _most(measure)
    if most < math.inf and len(set(ends)) > 1:
        best = max(best, most)
    return NormalRule(
        estimate,
        0.0 if error <= ROUNDING * best else error,
        min(least, estimate),
        max(best, estimate),
        plain_at_ends=True,
        zero=0.0 if measure.ordered else least,
        degrees_of_freedom=values.size - 1,
    )


def _unknown(measure: Measure, ranking: Ranking, fewest_clusters: int = 0) -> float:
    """Warn that one item of a class, or one cluster, gives no standard error."""
    if fewest_clusters:
        warn(
            f"The standard error of {measure.name} is undefined: two clusters must "
            "hold targets, and two non-targets; got one."
        )
        return math.nan
    warn(
        f"The standard error of {measure.name} is undefined: `y_true` must hold two "
        f"targets and two non-targets; got {ranking.n_targets} and "
        f"{ranking.n_non_targets}."
    )
    return math.nan
