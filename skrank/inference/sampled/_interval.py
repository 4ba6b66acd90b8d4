"""Metrics of a list of which only a sample of the items has labels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from sklearn.exceptions import UndefinedMetricWarning

from skrank._utils._checks import (
    check_count,
    check_flag,
    check_fraction,
    check_random_state,
    invalid,
)
from skrank._utils._columns import check_index
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.inference.base._interval_table import (
    MetricIntervalTable,
    check_different,
    is_several,
    metrics_of,
)
from skrank.inference.base._question import Settings
from skrank.inference.sampled._draws import METHOD, SampleDraws
from skrank.inference.sampled._result import SampledMetricResult
from skrank.inference.sampled._statements import kind_of
from skrank.inference.variability._binormal import binormal_values
from skrank.metrics._definitions import AnyMetric, AveragePrecision, Frame, make_metric
from skrank.ranking._label_sample import LabelSample
from skrank.ranking._rankings import Rankings, named_estimators
from skrank.ranking._response import marks_and_scores
from skrank.ranking._score_table import MODEL

# Distance of the means at which a normal ranking is nearly perfect
_LARGEST = 12.0


class SampledMetricInterval(Settings):
    """Interval of a metric from a sample of labels; with all labels use MetricInterval.

    Missing labels are NaN, None or NA. The labelled items of each stratum must be a
    random sample of its items, or all of them. Strata can be ranges of ranks, also of
    another model, days or regions: any parts of the list that do not depend on the
    labels. The interval is for the metric of this list if all its items had labels,
    over repeated samples of labels; with `population=True`, for the mean of the metric
    over similar lists.

    Parameters
    ----------
    metric : str, Metric or list of them, default="average_precision"
        Metric by its printed name: "average_precision", "recall@100", "precision@1%",
        "enrichment_factor@1%", "expected_profit@50(benefit=200, cost=5)",
        "k_at_recall(0.8)", "wss(0.95)" or "ks_statistic" (:ref:`metric_names`), or such
        an object made by :func:`make_metric` with the tie rule "expected". A list of
        metrics returns a table; all use the same draws.
    population : bool, default=False
        Whether the interval is for the mean over similar lists of the same size.
    n_resamples : int, default=1000
        Number of draws of the list.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of the draws.

    Raises
    ------
    ValueError
        If a setting is outside its range, or if the metric is not supported.

    See Also
    --------
    labels_to_collect : Which items to label.
    RankingComparison : Differences of models, from the same labels.
    SampledMetricResult : Result, with the number of targets that were not found.
    MetricIntervalTable : Results of several metrics or of several models.
    MetricInterval : Interval if all items have labels.

    Notes
    -----
    If r of the n items of a stratum have labels, each of them represents n / r items.
    In each draw, a labelled item represents itself and a random number of items without
    a label. The limits are quantiles over draws in which one stratum has one more
    labelled item [1]_: a target whose copies are the items without a label that change
    the metric most, or a non-target. Each limit is the most extreme one over the strata
    in which one more item has the largest effect.

    See :ref:`validation_sampled` for the coverage. Time and memory are proportional to
    the number of labels times `n_resamples`, after O(n log n) for n items.

    References
    ----------
    .. [1] Fay and Feuer (1997), *Statistics in Medicine* 16, 791-801.

    Examples
    --------
    The first 100 of 2,000 items have labels, and a sample of the others:

    >>> import numpy as np
    >>> from skrank import SampledMetricInterval
    >>> rank = np.arange(2000)
    >>> y = np.isin(rank, [0, 1, 3, 6, 9, 17, 40, 77, 150, 800]).astype(float)
    >>> looked = (rank < 100) | (rank % 10 == 0)
    >>> y[~looked] = np.nan
    >>> question = SampledMetricInterval("recall@100")
    >>> print(question.from_predictions(y, -rank, strata=rank >= 100))
    Interval of recall@100 from a sample of labels
      list           2000 items, 290 labelled, 10 targets found
      value          0.2857, method: sampled
      95 % interval  0.0976 to 0.7361
      not found      1 to 66 targets (95 % interval)
    """

    def __init__(
        self,
        metric: str | AnyMetric | Sequence[str | AnyMetric] = "average_precision",
        *,
        population: bool = False,
        n_resamples: int = 1000,
        random_state: object = 0,
    ) -> None:
        self.metric = metric
        self._metrics()
        self.population = check_flag("population", population)
        self.n_resamples = check_count("n_resamples", n_resamples, least=100)
        self.random_state = check_random_state(random_state)

    def from_predictions(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        strata: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_better: bool | Sequence[str] = False,
        missing: str = "error",
        groups: None = None,
        clusters: None = None,
        folds: None = None,
        sample_weight: None = None,
    ) -> Any:
        """Compute the interval from scores and labels, some of which are missing.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items; NaN, None or NA for items without a label.
        y_score : array-like of shape (n_samples,), mapping, data frame or array of \
            shape (n_samples, n_models)
            Scores of all items; a higher score means a likelier target. Pass the scores
            of several models as a mapping from names to scores, or as columns.
        strata : array-like of shape (n_samples,) or data frame, default=None
            Stratum of each item, such as its day, or a plan of
            :func:`labels_to_collect`, which is checked against the labels. In each
            stratum, a random sample of the items, all items or no items must have
            labels. None means that nothing is known about the items without a label.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        lower_is_better : bool or sequence of str, default=False
            Whether lower scores mean likelier targets, as for docking energies. A
            sequence of names applies to these models only.
        missing : {"error", "last"}, default="error"
            How to treat items whose score is NaN, None or NA. "error" raises an error.
            "last" ranks them below all others, as one tie.
        groups, clusters, folds, sample_weight : None
            Not supported; the error describes what to do instead.

        Returns
        -------
        result : SampledMetricResult or MetricIntervalTable
            Immutable result, or a table for a list of metrics or several models. The
            value is NaN, with a warning, if no labelled item is a target, except for
            precision and profit.

        Raises
        ------
        ValueError
            If a column is not valid, or if the metric depends on a stratum without
            labels.

        Warns
        -----
        UserWarning
            If the labelled items of a stratum are obviously not a random sample of it,
            because of their ranks or because all are targets; the probability of this
            warning for a random sample is at most 1e-6. Also if items of a plan have no
            label, or if items outside the plan have one.
        """
        # shared: pos_label lower_is_better missing_or_last
        return self._answer(
            Rankings.from_sample(
                y_true,
                y_score,
                strata=strata,
                pos_label=pos_label,
                lower_is_better=lower_is_better,
                missing=missing,
                groups=groups,
                clusters=clusters,
                folds=folds,
                sample_weight=sample_weight,
            )
        )

    def from_estimator(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        strata: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> Any:
        """Compute the interval for the ranking of a fitted estimator.

        Parameters
        ----------
        estimator : estimator instance or mapping
            Fitted classifier, regressor, ranker or outlier detector, or a mapping from
            names to estimators. See :ref:`scores_of_estimators` for the method that
            computes the scores.
        X : array-like of shape (n_samples, n_features)
            All items to rank; not the items to which the estimator was fitted.
        y : array-like of shape (n_samples,)
            Labels of the items; NaN, None or NA for items without a label.
        strata : array-like of shape (n_samples,) or data frame, default=None
            Stratum of each item, or a plan, as in `from_predictions`.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            Whether the targets are the outliers or the inliers of an outlier detector.
            Required for an outlier detector; no effect on other estimators.

        Returns
        -------
        result : SampledMetricResult or MetricIntervalTable
            Immutable, as from `from_predictions`.

        Raises
        ------
        ValueError
            As in `from_predictions`; also if the estimator only predicts labels, or if
            it is an outlier detector and `detector_targets` is None.
        """
        # shared: pos_label detector_targets
        check_index("strata", strata, y)
        named = named_estimators(estimator)
        found = {
            name: marks_and_scores(one, X, y, pos_label, detector_targets, gaps=True)
            for name, one in named.items()
        }
        scores: Any = {name: scores for name, (_, scores, _) in found.items()}
        marks = next(iter(found.values()))[0]
        if [*scores] == [MODEL]:
            scores = scores[MODEL]
        return self._answer(Rankings.from_sample(marks, scores, strata=strata))

    def from_rankings(self, rankings: Rankings) -> Any:
        """Compute the interval for rankings of a list in which labels are missing.

        Parameters
        ----------
        rankings : Rankings
            Result of ``Rankings.from_sample``.

        Returns
        -------
        result : SampledMetricResult or MetricIntervalTable
            Immutable, as from `from_predictions`.

        Raises
        ------
        ValueError
            As in `from_predictions`; also if no labels are missing in `rankings`.
        """
        if not isinstance(rankings, Rankings) or rankings.sample is None:
            rule = "come from Rankings.from_sample, as labels are missing"
            raise invalid("rankings", rule, brief(rankings))
        return self._answer(rankings)

    def from_result(
        self, result: SampledMetricResult
    ) -> SampledMetricResult | MetricIntervalTable:
        """Compute the interval of this or another metric from the data of a result.

        Parameters
        ----------
        result : SampledMetricResult
            Result whose data are used again.

        Returns
        -------
        result : SampledMetricResult or MetricIntervalTable
            Immutable, as from `from_predictions`.

        Raises
        ------
        ValueError
            As in `from_predictions`; also if `result` has another type.
        """
        if not isinstance(result, SampledMetricResult):
            rule = "be the SampledMetricResult of these data for some metric"
            raise invalid("result", rule, brief(result))
        return self._of_sample(result._draws.sample.only(result._model))

    def expected_width(
        self,
        plan: Any,
        *,
        average_precision: float,
        prevalence: float,
        confidence_level: float = 0.95,
        n_lists: int = 20,
    ) -> float:
        """Return the expected width of the interval of a plan, before labelling.

        Parameters
        ----------
        plan : pandas.DataFrame
            Result of :func:`labels_to_collect`.
        average_precision, prevalence : float
            Guesses of the average precision and of the prevalence in the list. The
            average precision must be above the prevalence.
        confidence_level : float, default=0.95
            Level of the interval, between 0 and 1.
        n_lists : int, default=20
            Number of simulated lists, with normally distributed scores in both classes.

        Returns
        -------
        width : float
            Median width over the lists, on the scale of the metric.

        Raises
        ------
        ValueError
            If an argument is outside its range, or if no such list has the guessed
            values.
        """
        check_fraction("confidence_level", confidence_level)
        if is_several(self.metric):
            raise invalid("metric", "be a single metric here", brief(self.metric))
        if not {"stratum", "to_label"} <= {*getattr(plan, "columns", ())}:
            raise invalid("plan", "be a result of labels_to_collect", brief(plan))
        # the items by rank; those that had a label count as labelled
        ordered = plan.sort_values("rank", kind="stable")
        stratum = np.unique(ordered["stratum"], return_inverse=True)[1]
        labelled = ordered["to_label"] | (ordered["stratum"] < 0)
        counts = np.bincount(stratum, labelled).astype(int)
        n = stratum.size
        m = max(1, round(check_fraction("prevalence", prevalence) * n))
        frame = Frame(n, m, n)

        def lack(shift: float) -> float:
            value = binormal_values(AveragePrecision(), frame, np.array([shift]), 1.0)
            return float(value[0]) - average_precision

        if not lack(0.0) < 0 < lack(_LARGEST):
            rule = f"be above the prevalence, {prevalence:.3g}, and below 1"
            raise invalid("average_precision", rule, brief(average_precision))
        shift, rng, widths = brentq(lack, 0.0, _LARGEST), self._generator(), []
        place, by_stratum = np.arange(n), np.sort(stratum)
        is_left = place - np.searchsorted(by_stratum, by_stratum) >= counts[by_stratum]
        for _ in range(check_count("n_lists", n_lists, least=1)):
            scores = rng.standard_normal(n)
            scores[:m] += shift
            y = np.where(np.argsort(-scores) < m, 1.0, 0.0)
            # a sample of each stratum: the items with the smallest of random numbers
            order = np.lexsort((rng.random(n), stratum))
            y[order[is_left]] = np.nan
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                result = self.from_predictions(y, -place, strata=stratum)
            low, high = result.confidence_interval(confidence_level)
            widths.append(high - low)
        return float(np.median(widths))

    def _metrics(self) -> list[str]:
        """Return the names of the metrics."""
        for one in metrics_of(self.metric):
            kind_of(one)
        names = [make_metric(one).name for one in metrics_of(self.metric)]
        check_different(names)
        return names

    def _answer(self, rankings: Rankings) -> SampledMetricResult | MetricIntervalTable:
        """Answer for each metric and model, by the same draws."""
        sample = rankings.sample
        assert sample is not None
        if self.population and not sample.sampled.size:
            rule = "be False if all items have labels; see MetricInterval"
            raise invalid("population", rule, "True")
        return self._of_sample(sample)

    def _of_sample(
        self, sample: LabelSample
    ) -> SampledMetricResult | MetricIntervalTable:
        draws = self._draws(sample)
        results = {
            (metric, name): self._of_model(draws, metric, name)
            for metric in self._metrics()
            for name in sample.models
        }
        if len(results) > 1 or is_several(self.metric):
            return MetricIntervalTable(results)
        return next(iter(results.values()))

    def _draws(self, sample: LabelSample) -> SampleDraws:
        return SampleDraws(
            sample, self.n_resamples, self._seed(), population=self.population
        )

    def _of_model(
        self, draws: SampleDraws, metric: str, model: Any
    ) -> SampledMetricResult:
        sample = draws.sample
        value = draws.limits_of(metric, model).value
        if math.isnan(value):
            warn(f"{metric} is undefined: no labelled item is a target.")
        return SampledMetricResult(
            metric=metric,
            method=METHOD,
            n_samples=sample.n_samples,
            n_labelled=int(sample.n_labelled.sum()),
            n_targets=sample.targets.size,
            value=value,
            n_remaining=float(draws.remaining.sum()),
            _draws=draws,
            _model=model,
            _population=self.population,
        )
