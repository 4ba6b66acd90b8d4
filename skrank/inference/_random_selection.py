"""Test of a ranking against random selection.

The input is a ranking, as labels and scores or as a fitted estimator, or several
rankings as folds or groups. The output is a frozen result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_flag, check_generator, check_option, invalid
from skrank._utils._rounding import ROUNDING
from skrank._utils._text import brief, track
from skrank.inference._base import RankingInference
from skrank.inference._random_selection_result import RandomSelectionResult
from skrank.inference._variability._clusters import n_clusters
from skrank.metrics._definitions import Measure, Metric
from skrank.null import MeanNull, RandomSelectionNull
from skrank.null._exchange import exchange_of, exchanged_values
from skrank.null._sampling import tail
from skrank.null._tail import ALTERNATIVES, METHODS
from skrank.ranking._as_ranking import Labels, columns_of
from skrank.ranking._cv_results import held_out, rank_held_out
from skrank.ranking._folds import (
    FOLDS_INFLATION,
    check_held_out_once,
    fit_folds,
    make_folds,
)
from skrank.ranking._ranking import Ranking
from skrank.ranking._several import (
    check_clusters,
    n_items,
    rank_both_classes,
    rank_within,
)


class RandomSelectionTest(RankingInference[RandomSelectionResult]):
    """Test whether a ranking is better than random selection.

    Under the null hypothesis all assignments of the m target labels to the n items are
    equally likely, given the scores and their ties. The p-value is the probability
    that the metric is at least as large as observed.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object of :func:`make_metric`
        with its own tie rule.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    method : {"auto", "exact", "inversion", "importance_sampling", "monte_carlo", \
            "normal"}, default="auto"
        Method of the p-value; see Notes.
    alternative : {"greater", "less", "two-sided"}, default="greater"
        Values that count as more extreme: large, small, or both (twice the smaller of
        the two probabilities).
    n_resamples : int, default=9999
        Number of rankings that "monte_carlo" and "importance_sampling" draw.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of methods that draw. None is a fixed seed, so that the
        same ranking has the same p-value.
    n_jobs : int, default=None
        Number of joblib jobs that fit and predict the folds of a cross-validation.
    progress : bool, default=False
        Whether to show progress bars; needs tqdm.

    Raises
    ------
    ValueError
        If a setting is outside its range.

    See Also
    --------
    RandomSelectionNull : The null distribution of a metric.
    RandomSelectionResult : Result of the test.

    Notes
    -----
    ===================== ==========================================================
    method                p-value
    ===================== ==========================================================
    "exact"               enumeration over the tie groups, closed forms, or counting
    "inversion"           numerical inversion of the characteristic function
    "importance_sampling" rankings drawn near the observed value; unbiased
    "monte_carlo"         ``(C + 1) / (B + 1)``, with C of B draws as extreme
    "normal"              from the z-score; for comparison only
    ===================== ==========================================================

    "auto" tries the first three methods in this order if they are fast, and accepts
    only results within proven bounds. If none succeeds, `method` of the result is
    "bounds", the p-value is an upper bound, and a warning is given.

    The distribution is that of Zhang and Su [1]_, generalised to ties; see
    :ref:`random_selection` for the use and :ref:`pvalues` for methods and accuracy.
    `clusters` permutes the labels of whole clusters of equal size [2]_, and `strata`
    permutes labels within strata; see :ref:`clusters`.

    References
    ----------
    .. [1] Zhang and Su (2012), *FSKD 2012*, 1348-1352.
    .. [2] Winkler et al. (2015), *NeuroImage* 123, 253-268.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RandomSelectionTest
    >>> y = np.isin(range(1000), [0, 2, 3, 9, 11, 30, 70, 150, 400, 800])
    >>> print(RandomSelectionTest().from_predictions(y, -np.arange(1000.0)))
    Random selection test of average_precision
      ranking    1000 items, 10 targets (prevalence 0.01)
      statistic  0.3613
      null mean  0.01643
      null std   0.0141
      zscore     24.4
      pvalue     3.9e-08   P(null >= observed), method: inversion
    """

    def __init__(
        self,
        metric: str | Metric = "average_precision",
        *,
        ties: str = "expected",
        method: str = "auto",
        alternative: str = "greater",
        n_resamples: int = 9999,
        random_state: object = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        super().__init__(metric, ties, n_resamples, n_jobs, progress, random_state)
        check_option("method", method, METHODS)
        check_option("alternative", alternative, ALTERNATIVES)
        self.method = method
        self.alternative = alternative

    def from_predictions(
        self,
        y_true: Labels,
        y_score: ArrayLike | None = None,
        *,
        pos_label: object = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        n_missed: int = 0,
    ) -> RandomSelectionResult:
        """Test a ranking given as labels and scores, or the rankings of groups.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), Ranking or RankCounts
            Labels of the items; both targets and non-targets. A Ranking or RankCounts
            replaces labels and scores.
        y_score : array-like of shape (n_samples,), default=None
            Scores of the items; a higher score means a likelier target. Required unless
            `y_true` is a Ranking or RankCounts.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each ranking, and cutoffs apply to each. The statistic is the
            mean over the rankings.
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, such as the patient of an image. Items with the same
            label depend on each other. All items are in one ranking, and the null
            distribution permutes the labels of whole clusters. The method is
            "monte_carlo". Not with `groups` or `n_missed`.
        strata : array-like of shape (n_samples,), default=None
            Stratum of each item, such as its hospital. All items are in one ranking,
            and the null distribution permutes labels, or clusters, within strata only.
            The method is "monte_carlo". Not with `groups` or `n_missed`.
        n_missed : int, default=0
            Targets that were never scored. They count among the targets and have no
            rank. Under the null hypothesis the targets, found and missed, are spread at
            random over ``n_samples + n_missed`` places. Targets at the last `n_missed`
            places add nothing to the metric. Not with `groups`.

        Returns
        -------
        result : RandomSelectionResult
            The statistic, its null distribution and the p-value. With `groups`, the
            results of the rankings are in `parts`. Rankings without targets or without
            non-targets are left out with a warning, except for precision at t.

        Raises
        ------
        ValueError
            If the input is not a ranking of two classes, if a class is absent among the
            scored items, or if `n_missed` is given with `groups`.
        """
        if clusters is not None or strata is not None:
            y_true, y_score = columns_of(y_true, y_score, "clusters` and `strata")
            if n_missed != 0:
                rule = "be 0 with `clusters` or `strata`"
                raise invalid("n_missed", rule, brief(n_missed))
            codes, levels = (
                check_clusters(one, y_true, groups, name)
                for one, name in ((clusters, "clusters"), (strata, "strata"))
            )
            ranking = rank_both_classes(y_true, y_score, pos_label)
            if codes is None and levels is None:
                return self.test_ranked([ranking])
            return self.test_exchanged(ranking, codes, levels)
        if groups is None:
            ranking = rank_both_classes(y_true, y_score, pos_label, n_missed)
            return self.test_ranked([ranking])
        if n_missed != 0:
            raise invalid("n_missed", "be 0 with `groups`", brief(n_missed))
        defined = self._measure().always_defined
        labels, rankings = rank_within(
            y_true, y_score, pos_label, groups, always_defined=defined
        )
        return self.test_ranked(rankings, labels)

    def test_exchanged(
        self,
        ranking: Ranking,
        codes: NDArray[np.intp] | None,
        strata: NDArray[np.intp] | None = None,
    ) -> RandomSelectionResult:
        """Test a ranking of items in numbered clusters or strata.

        Parameters
        ----------
        ranking : Ranking
            The ranking.
        codes, strata : ndarray of shape (n_samples,), default=None
            Number of the cluster and of the stratum of each item.

        Returns
        -------
        result : RandomSelectionResult
            Result, as from `from_predictions`.
        """
        if self.method not in ("auto", "monte_carlo"):
            rule = "be 'auto' or 'monte_carlo' with `clusters` or `strata`"
            raise invalid("method", rule, repr(self.method))
        measure = self._measure()
        is_target = np.zeros(int(ranking.n_samples), dtype=bool)
        is_target[ranking.items.targets] = True
        exchange = exchange_of(is_target, codes, strata)
        source = 0 if self.random_state is None else self.random_state
        draws = exchanged_values(
            measure,
            ranking,
            exchange,
            self.n_resamples,
            check_generator(source),
            progress=self.progress,
        )
        statistic, mean, std = measure.value(ranking), draws.mean(), draws.std()
        slack = ROUNDING * abs(draws).max()
        std = std if std > slack else 0.0
        sides = {
            "greater": [draws >= statistic - slack],
            "less": [draws <= statistic + slack],
        }
        sides["two-sided"] = [side for (side,) in sides.values()]
        tails = [tail(draws, reached) for reached in sides[self.alternative]]
        log_p, error = min(tails)
        log_p = min(0.0, log_p + math.log(len(tails)))
        return RandomSelectionResult(
            statistic=statistic,
            zscore=float((statistic - mean) / std) if std else 0.0,
            pvalue=math.exp(log_p),
            log10_pvalue=log_p / math.log(10),
            pvalue_bounds=None,
            pvalue_error=error,
            null_mean=float(mean),
            null_std=float(std),
            n_samples=n_items(ranking),
            n_targets=int(ranking.n_targets),
            metric=measure.name,
            method="monte_carlo",
            alternative=self.alternative,
            null_distribution=None,
            null_values=draws,
            permuted=exchange.said,
            n_clusters=n_clusters(codes),
            n_strata=n_clusters(strata),
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
        independent: bool = False,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> RandomSelectionResult:
        """Cross-validate an estimator, and test its rankings of the held-out folds.

        The statistic is the mean over the folds, as in
        :func:`sklearn.model_selection.cross_validate`. Under the null hypothesis the
        features and the labels are independent: within each fold the targets are
        spread at random.

        The folds are not independent, because the labels of each fold train the models
        that rank the other folds. The standard deviation of the mean is therefore
        multiplied by the square root of 2, an upper bound (:ref:`derivations_folds`),
        before the p-value is computed.

        The type I error rate was simulated with normal features that are independent of
        the labels, 300 items, 25 targets and five folds. For the worst of seven
        learners with 4 features, p was at most 0.05, 0.01 and 0.001 in 4.9, 1.1 and
        0.1 % of 1000 data sets. With 8 features the shares were 4.2, 0.8 and 0.03 % of
        3000 data sets; see :ref:`validation`. The p-values of single folds, in `parts`,
        need no bound. `bonferroni_pvalue` of the result is valid for any dependence of
        the folds.

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
            As in :func:`sklearn.model_selection.cross_validate`. An int makes
            stratified folds for a classifier. No item may be held out twice, as in
            repeated or shuffled splits.
        cv_groups : array-like of shape (n_samples,), default=None
            Groups for splitters that keep them together, such as
            :class:`sklearn.model_selection.GroupKFold`.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, as in `from_predictions`. The held-out
            items of a fold are ranked within each ranking.
        independent : bool, default=False
            Whether to treat the folds as independent rankings, without the square root
            of 2. Small p-values are then too small, by up to nine times at 0.001,
            unless the models were not fitted to the labels of other folds.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector.

        Returns
        -------
        result : RandomSelectionResult
            The combined result. The results of the folds are its `parts`.

        Raises
        ------
        ValueError
            As in `from_estimator`; also if no fold holds targets and non-targets, or if
            an item is held out twice.
        """
        check_flag("independent", independent)  # check before the models are fitted
        folds = make_folds(cv, [estimator], X, np.asarray(y), cv_groups)
        return self.from_cv_results(
            fit_folds(estimator, X, y, folds, self.n_jobs),
            X,
            y,
            groups=groups,
            independent=independent,
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
        independent: bool = False,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> RandomSelectionResult:
        """Test the rankings of held-out folds by estimators that are already fitted.

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
        independent : bool, default=False
            As in `from_cv`.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector.

        Returns
        -------
        result : RandomSelectionResult
            The combined result. The results of the folds are its `parts`.

        Raises
        ------
        ValueError
            If estimators or indices are missing, and as in `from_cv`.
        """
        independent = check_flag("independent", independent)
        check_held_out_once(held_out(cv_results), "cv_results")
        folds = rank_held_out(
            cv_results,
            X,
            y,
            self.n_jobs,
            pos_label,
            detector_targets,
            groups,
            always_defined=self._measure().always_defined,
        )
        inflation = 1.0 if independent else FOLDS_INFLATION
        return self.test_ranked(folds.rankings, folds.labels, inflation)

    def test_ranked(
        self,
        rankings: list[Ranking],
        labels: tuple[Any, ...] = (),
        inflation: float = 1.0,
    ) -> RandomSelectionResult:
        """Test an existing ranking, or the mean over several.

        Parameters
        ----------
        rankings : list of Ranking
            The rankings.
        labels : tuple, default=()
            Labels of the rankings. Empty for a single ranking.
        inflation : float, default=1.0
            Inflation of :class:`MeanNull`, for several rankings.

        Returns
        -------
        result : RandomSelectionResult
            Result, as from `from_predictions`.
        """
        measure = self._measure()
        asked = [
            _Asked(
                measure.value(ranking),
                null_of(ranking, measure),
                n_items(ranking),
                int(ranking.n_targets),
                ranking.n_missed,
            )
            for ranking in rankings
        ]
        if not labels:
            return self._result(asked[0], progress=self.progress)
        values, nulls, *sizes = zip(*asked, strict=True)
        together = MeanNull(nulls, inflation=inflation if len(nulls) > 1 else 1.0)
        mean = _Asked(float(np.mean(values)), together, *map(sum, sizes))
        return self._result(
            mean, _PartResults(self, asked), labels, progress=self.progress
        )

    def _result(
        self,
        asked: _Asked,
        parts: Sequence[RandomSelectionResult] = (),
        labels: tuple[Any, ...] = (),
        *,
        progress: bool = False,
    ) -> RandomSelectionResult:
        """Return the result for a value and its null distribution."""
        null = asked.null
        log_p, log_bounds, error, method = null.tail(
            asked.statistic,
            alternative=self.alternative,
            method=self.method,
            n_resamples=self.n_resamples,
            random_state=self.random_state,
            progress=progress,
        )
        return RandomSelectionResult(
            statistic=asked.statistic,
            zscore=zscore_of(asked.statistic, null),
            pvalue=math.exp(log_p),
            log10_pvalue=log_p / math.log(10),
            pvalue_bounds=log_bounds
            and (math.exp(log_bounds[0]), math.exp(log_bounds[1])),
            pvalue_error=error,
            null_mean=null.mean(),
            null_std=null.std(),
            n_samples=asked.n_samples,
            n_targets=asked.n_targets,
            metric=null.metric,
            method=method,
            alternative=self.alternative,
            null_distribution=null,
            parts=parts,
            labels=labels,
            n_missed=asked.n_missed,
        )


class _Asked(NamedTuple):
    """A value, its null distribution, and the numbers of its items."""

    statistic: float
    null: RandomSelectionNull | MeanNull
    n_samples: int
    n_targets: int
    n_missed: int


class _PartResults(Sequence[RandomSelectionResult]):
    """Results of single rankings, computed on access.

    Each takes as long as the result of the mean.
    """

    def __init__(self, test: RandomSelectionTest, asked: list[_Asked]) -> None:
        self._test, self._asked = test, asked

    def __len__(self) -> int:
        """Return their number, without a test."""
        return len(self._asked)

    def __getitem__(self, index: Any) -> Any:
        """Return one result, or several as a tuple."""
        return self._results[index]

    @cached_property
    def _results(self) -> tuple[RandomSelectionResult, ...]:
        shown = track(
            self._asked,
            total=len(self._asked),
            label="rankings",
            progress=self._test.progress,
        )
        return tuple(map(self._test._result, shown))


def null_of(ranking: Ranking, measure: Measure) -> RandomSelectionNull:
    """Distribution of a metric on a ranking, with its ties and missed targets.

    Parameters
    ----------
    ranking : Ranking
        The ranking.
    measure : Measure
        The metric.

    Returns
    -------
    null : RandomSelectionNull
        The null distribution.
    """
    ties = ranking.items.tie_groups()
    ties = replace(ties, n_missed=ranking.n_missed, several=ranking.several)
    return RandomSelectionNull.of_ties(ties, int(ranking.n_targets), measure)


def zscore_of(value: float, null: RandomSelectionNull | MeanNull) -> float:
    """Place of a value under its distribution, in standard deviations from the mean.

    Parameters
    ----------
    value : float
        Value of the metric, or its mean over several rankings.
    null : RandomSelectionNull or MeanNull
        Its null distribution.

    Returns
    -------
    zscore : float
        0.0 where ties allow one value only: the value is then the mean, of which
        rounding may differ.
    """
    std = null.std()
    return 0.0 if std == 0 else float((value - null.mean()) / std)
