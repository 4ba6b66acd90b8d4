"""Comparison of two or more rankings of the same items, or of several data sets.

The input is labels and two scores, or two fitted estimators, or more than two. The
output is a frozen result, or a table of results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_generator,
    check_option,
    check_positive,
    invalid,
)
from skrank._utils._text import brief, track
from skrank.inference._base import MetricSettings
from skrank.inference._paired._at_cutoff import AT_CUTOFF, weigh_at_cut
from skrank.inference._paired._data_sets import DATA_SET_TESTS, corrected_t
from skrank.inference._paired._pair import (
    Pair,
    PairedValues,
    count_swaps,
    freedom_of_error,
    values_of,
)
from skrank.inference._paired._paired_result import (
    PairedResult,
    adjust_holm,
    certainty,
    from_error,
)
from skrank.inference._ranking_comparison_result import (
    RankingComparisonResult,
    RankingComparisonTable,
)
from skrank.inference._variability._clusters import (
    cluster_bootstrap,
    clusters_of_classes,
    n_clusters,
)
from skrank.inference._variability._folds import check_same_folds, ratio_of_folds
from skrank.inference._variability._resampling import (
    Engine,
    Floats,
    draw_in_parallel,
)
from skrank.metrics._definitions import Metric, make_metric
from skrank.ranking._counts import RankCounts
from skrank.ranking._cv_results import rank_held_out
from skrank.ranking._folds import fit_folds, make_folds
from skrank.ranking._ranking import Ranking
from skrank.ranking._response import marks_and_scores
from skrank.ranking._several import (
    check_clusters,
    columns_by_name,
    rank_columns,
    rank_scored,
)

ALTERNATIVES = ("two-sided", "greater", "less")

# Methods by what they use: standard errors, which are combined over data sets; the
# targets or ranks of one data set; the values on several data sets, or on folds.
_BY_ERROR = ("jackknife", "bootstrap")
_METHODS = {
    "one data set, without `groups`": (*_BY_ERROR, "permutation", *AT_CUTOFF),
    "several data sets": (*_BY_ERROR, *DATA_SET_TESTS),
    "the folds of a cross-validation": ("corrected_t",),
    "`clusters`": (*_BY_ERROR, "permutation"),
}
_ONE, _SEVERAL, _FOLDS, _CLUSTERS = _METHODS
METHODS = tuple(
    dict.fromkeys(("auto", *(name for one in _METHODS.values() for name in one)))
)


class RankingComparison(MetricSettings):
    """Compare two rankings of the same items, or all pairs of several.

    The test is of the difference of a metric between A and B. Its standard error takes
    into account that both rank the same items and vary together.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object of :func:`make_metric`
        with its own tie rule.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    method : {"auto", "jackknife", "bootstrap", "permutation", "mcnemar", \
            "posterior", "paired_t", "sign", "wilcoxon", "corrected_t"}, default="auto"
        Method of the p-value; see Notes.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Differences A - B that count as more extreme: those of both signs, those above
        0, or those below 0.
    prior : float, default=0.5
        Parameter of the symmetric Dirichlet prior of "posterior": 0.5 is that of
        Jeffreys, 1 is uniform.
    n_resamples : int, default=9999
        Number of resamples that "bootstrap" and "permutation" draw.
    n_jobs : int, default=None
        Number of joblib jobs of the draws and of a cross-validation.
    progress : bool, default=False
        Whether to show a progress bar; needs tqdm.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of "bootstrap" and "permutation".

    Raises
    ------
    ValueError
        If a setting is outside its range, or a method for a cutoff is used with a
        metric without one or with a tie rule other than "expected".

    See Also
    --------
    RankingComparisonResult : Result for two rankings.
    RankingComparisonTable : Result for several rankings.

    Notes
    -----
    ======================== ============== ==========================================
    method                   data           sample, and "auto"
    ======================== ============== ==========================================
    "jackknife", "bootstrap" one or several items; "jackknife" for smooth metrics
    "permutation"            one data set   swaps of A and B; "auto" for other metrics
    "mcnemar", "posterior"   one data set,  targets that one of the two finds
                             metric@t
    "paired_t", "sign",      several        data sets; "auto" is "paired_t"
    "wilcoxon"
    "corrected_t"            `from_cv`      folds
    ======================== ============== ==========================================

    Sources: "permutation" [1]_, "mcnemar" [2]_, "posterior" [3]_, "corrected_t" [4]_.
    With `clusters`, whole clusters are left out, drawn or swapped. See
    :ref:`ranking_comparison` for the choice of a method, :ref:`derivations` for the
    formulas and :ref:`validation` for the measured type I error rates.

    References
    ----------
    .. [1] Yeh (2000), *COLING 2000*, volume 2, 947-953.
    .. [2] McNemar (1947), *Psychometrika* 12, 153-157.
    .. [3] Goutte and Gaussier (2005), *ECIR 2005*, 345-359.
    .. [4] Nadeau and Bengio (2003), *Machine Learning* 52, 239-281, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingComparison
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 40
    >>> a = rng.normal(2.0 * y_true)
    >>> b = 0.6 * a + rng.normal(0.4 * y_true)
    >>> result = RankingComparison().from_predictions(y_true, a, b)
    >>> print(f"{result.difference:.3f}, p {result.pvalue:.2g}")
    0.202, p 0.02
    """

    _make = staticmethod(make_metric)
    _least_resamples = 2

    def __init__(
        self,
        metric: str | Metric = "average_precision",
        *,
        ties: str = "expected",
        method: str = "auto",
        alternative: str = "two-sided",
        prior: float = 0.5,
        n_resamples: int = 9999,
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: object = None,
    ) -> None:
        super().__init__(metric, ties, n_resamples, n_jobs, progress, random_state)
        check_option("method", method, METHODS)
        check_option("alternative", alternative, ALTERNATIVES)
        self.method = method
        self.alternative = alternative
        self.prior = check_positive("prior", prior)
        _check_method(method, self._measure())

    def from_predictions(
        self,
        y_true: ArrayLike,
        y_score_a: ArrayLike,
        y_score_b: ArrayLike,
        *,
        pos_label: object = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Compare two rankings given as labels and two sets of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items; both targets and non-targets.
        y_score_a, y_score_b : array-like of shape (n_samples,)
            Scores of A and of B for the same items; a higher score means a likelier
            target. Only the order counts, so the scores need no common scale.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        groups : array-like of shape (n_samples,), default=None
            Data set that each item belongs to, such as its query or its day. Items are
            ranked within each data set, and cutoffs apply to each. The comparison is of
            the means over the data sets.
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, such as the patient of an image. Items with the same
            label depend on each other. All items are in one ranking, and the clusters
            are the sampling units. Only with "jackknife", "bootstrap" and
            "permutation", without `groups`.
        names : pair of str, default=("A", "B")
            Names of A and B in print.

        Returns
        -------
        result : RankingComparisonResult
            The two values, their difference, its standard error and its p-value. Data
            sets without targets or without non-targets are left out with a warning,
            except for precision, which is defined there.

        Raises
        ------
        ValueError
            If the input is not two rankings of two classes, or if `method` is not for
            one data set, or for several.
        """
        scores = {"y_score_a": y_score_a, "y_score_b": y_score_b}
        names = _check_names(names)
        labels, ranked = rank_columns(
            y_true,
            scores,
            pos_label,
            groups,
            always_defined=self._measure().always_defined,
        )
        codes = check_clusters(clusters, y_true, groups)
        pairs = list(map(Pair, *ranked.values()))
        return self._compare(pairs, labels, names, codes)

    def from_rankings(
        self,
        rankings_a: Ranking | RankCounts | Sequence[Ranking | RankCounts],
        rankings_b: Ranking | RankCounts | Sequence[Ranking | RankCounts],
        *,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Compare existing rankings on one data set or on several.

        Parameters
        ----------
        rankings_a, rankings_b : Ranking, RankCounts or sequence of them
            Rankings of the same items by A and by B, or sequences with a ranking for
            each data set. The methods "paired_t", "sign" and "wilcoxon" accept
            RankCounts. All other methods need a :class:`Ranking` in memory, with the
            same items in the same order.
        names : pair of str, default=("A", "B")
            Names of A and B in print.

        Returns
        -------
        result : RankingComparisonResult
            The two values, their difference, its standard error and its p-value. The
            labels of the data sets are their numbers.

        Raises
        ------
        ValueError
            If the numbers of rankings by A and by B differ, if two rankings of a data
            set differ in their items or targets, if a ranking has weights, missed
            targets or only one class, or if `method` is not for these data.
        """
        single = isinstance(rankings_a, Ranking | RankCounts)
        given: Any = (rankings_a, rankings_b)
        of_a, of_b = (
            [rank_scored(ranking) for ranking in ([one] if single else one)]
            for one in given
        )
        sizes = [
            [(one.n_samples, one.n_targets) for one in part] for part in (of_a, of_b)
        ]
        if not of_a or sizes[0] != sizes[1]:
            rule = "rank the same items as `rankings_a`"
            raise invalid("rankings_b", rule, f"{brief(of_b)} beside {brief(of_a)}")
        labels = () if single else tuple(range(len(of_a)))
        return self._compare(list(map(Pair, of_a, of_b)), labels, _check_names(names))

    def from_estimators(
        self,
        a: Any,
        b: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Compare the rankings of the same items by two fitted estimators.

        Parameters
        ----------
        a, b : estimator instance
            Fitted classifiers, regressors, rankers or outlier detectors. For the
            method that gives the scores see :ref:`scores_of_estimators`.
        X : array-like of shape (n_samples, n_features)
            Items to rank, other than those on which the estimators were fitted.
        y : array-like of shape (n_samples,)
            Their labels.
        groups : array-like of shape (n_samples,), default=None
            Data set that each item belongs to, as in `from_predictions`.
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, as in `from_predictions`.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector. Other estimators are not affected.
        names : pair of str, default=("A", "B")
            Names of A and B in print.

        Returns
        -------
        result : RankingComparisonResult
            The two values, their difference, its standard error and its p-value.

        Raises
        ------
        ValueError
            If an estimator only gives labels, if an estimator is an outlier detector
            and `detector_targets` is None, or if the input is not valid for
            `from_predictions`.
        """
        (marks, score_a), (_, score_b) = (
            marks_and_scores(estimator, X, y, pos_label, detector_targets)
            for estimator in (a, b)
        )
        given: Any = {"groups": groups, "clusters": clusters}
        return self.from_predictions(marks, score_a, score_b, names=names, **given)

    def from_cv(
        self,
        a: Any,
        b: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        cv: Any = 5,
        cv_groups: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Cross-validate two estimators on the same folds, and compare their means.

        Parameters
        ----------
        a, b : estimator instance
            Classifiers, regressors, rankers or outlier detectors. They are cloned and
            fitted for each fold.
        X : array-like of shape (n_samples, n_features)
            Items to fit and to rank.
        y : array-like of shape (n_samples,)
            Their labels.
        cv : int, cross-validation generator or iterable, default=5
            As in :func:`sklearn.model_selection.cross_validate`. Splits can be repeated
            or shuffled, and are the same for both estimators.
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
        names : pair of str, default=("A", "B")
            Names of A and B in print.

        Returns
        -------
        result : RankingComparisonResult
            The two means over the folds, their difference, its standard error and its
            p-value.

        Raises
        ------
        ValueError
            As in `from_estimators`; also if fewer than two folds hold targets and
            non-targets, or if `method` is not for folds.
        """
        folds = make_folds(cv, [a, b], X, np.asarray(y), cv_groups, repeated=True)
        found_a, found_b = (fit_folds(one, X, y, folds, self.n_jobs) for one in (a, b))
        return self.from_cv_results(
            found_a,
            found_b,
            X,
            y,
            groups=groups,
            pos_label=pos_label,
            detector_targets=detector_targets,
            names=names,
        )

    def from_cv_results(
        self,
        cv_results_a: Mapping[str, Any],
        cv_results_b: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Compare two cross-validations on the same folds.

        Parameters
        ----------
        cv_results_a, cv_results_b : dict
            Results of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``, for the same splits.
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
        names : pair of str, default=("A", "B")
            Names of A and B in print.

        Returns
        -------
        result : RankingComparisonResult
            The two means over the folds, their difference, its standard error and its
            p-value. Folds without targets or without non-targets are left out with a
            warning.

        Raises
        ------
        ValueError
            If estimators or indices are missing, if the folds differ, and as in
            `from_cv`.
        """
        method, names = self._choose(_FOLDS), _check_names(names)
        check_same_folds(cv_results_a, cv_results_b)
        measure = self._measure()
        common = X, y, self.n_jobs, pos_label, detector_targets, groups
        a = rank_held_out(cv_results_a, *common, always_defined=measure.always_defined)
        b = rank_held_out(cv_results_b, *common, kept=a.kept)
        pairs = list(map(Pair, a.rankings, b.rankings))
        each = values_of(pairs, measure)
        values = PairedValues(a.mean_by_fold(each.values), a.mean_by_fold(each.scales))
        if all(pair.is_certain(measure) for pair in pairs):
            found = certainty(method)
        else:
            ratio = ratio_of_folds(cv_results_a)
            found = corrected_t(values, ratio, self.alternative)
        labels = tuple(dict.fromkeys(a.numbers))
        result = self._result(method, found, pairs, values, names, labels)
        return replace(result, n_samples=a.n_samples, n_targets=a.n_targets)

    def compare_all(
        self,
        y_true: ArrayLike,
        y_scores: Any,
        *,
        baseline: Any = None,
        pos_label: object = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> RankingComparisonTable:
        """Compare all pairs of several rankings, or all rankings with a baseline.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items; both targets and non-targets.
        y_scores : mapping, DataFrame or array of shape (n_samples, n_rankings)
            Scores of two or more rankings of the same items by name: a mapping from
            names to scores, or columns. The names of array columns are their numbers.
        baseline : str or int, default=None
            Name of the ranking to compare the others with. It is B in each comparison.
            None compares all pairs.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        groups : array-like of shape (n_samples,), default=None
            Data set that each item belongs to, as in `from_predictions`.
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, as in `from_predictions`.

        Returns
        -------
        table : RankingComparisonTable
            The comparisons, with p-values adjusted for their number.

        Raises
        ------
        ValueError
            As in `from_predictions`; also if there are fewer than two rankings, if two
            rankings have the same name, or if no ranking has the name `baseline`.
        """
        columns = columns_by_name(y_scores, least=2)
        if baseline is not None and baseline not in columns:
            raise invalid(
                "baseline", f"be one of {brief(list(columns))}", brief(baseline)
            )
        scores = {f"y_scores[{name!r}]": columns[name] for name in columns}
        labels, ranked = rank_columns(
            y_true,
            scores,
            pos_label,
            groups,
            always_defined=self._measure().always_defined,
        )
        codes = check_clusters(clusters, y_true, groups)
        by_name = dict(zip(columns, ranked.values(), strict=True))
        return self.compare_ranked(by_name, labels, baseline, codes)

    def compare_ranked(
        self,
        ranked: Mapping[Any, list[Ranking]],
        labels: tuple[Any, ...] = (),
        baseline: Any = None,
        codes: NDArray[np.intp] | None = None,
    ) -> RankingComparisonTable:
        """Compare existing rankings, given as a list of data sets for each name.

        Parameters
        ----------
        ranked : dict of list of Ranking
            Rankings of the same data sets for each name.
        labels : tuple, default=()
            Labels of the data sets. Empty for a single data set.
        baseline : str or int, default=None
            As in `compare_all`.
        codes : ndarray of shape (n_samples,), default=None
            Number of the cluster of each item, in a single data set.

        Returns
        -------
        table : RankingComparisonTable
            Table, as from `compare_all`.
        """
        pairs = list(combinations(ranked, 2))
        if baseline is not None:
            pairs = [(name, baseline) for name in ranked if name != baseline]
        shown = track(pairs, total=len(pairs), label="pairs", progress=self.progress)
        quiet = copy(self)
        quiet.progress = False  # one progress bar is enough
        results = [
            quiet._compare(
                list(map(Pair, ranked[a], ranked[b])), labels, (str(a), str(b)), codes
            )
            for a, b in shown
        ]
        adjusted = adjust_holm([result.log10_pvalue for result in results])
        return RankingComparisonTable(
            tuple(results),
            tuple((10**adjusted).tolist()),
            tuple(adjusted.tolist()),
            tuple(map(str, ranked)),
        )

    def _choose(self, data: str) -> str:
        """Choose the method for "auto", and check that it suits the data."""
        usual = {
            _ONE: "jackknife" if self._measure().smooth else "permutation",
            _SEVERAL: "paired_t",
            _FOLDS: "corrected_t",
        }
        usual[_CLUSTERS] = usual[_ONE]
        method = usual[data] if self.method == "auto" else self.method
        if method not in _METHODS[data]:
            rule = f"be one of {', '.join(map(repr, _METHODS[data]))} for {data}"
            raise invalid("method", rule, repr(method))
        return method

    def _compare(
        self,
        pairs: list[Pair],
        labels: tuple[Any, ...],
        names: tuple[str, str],
        codes: NDArray[np.intp] | None = None,
    ) -> RankingComparisonResult:
        """Compare A and B on one data set, or by their means over several."""
        data = _ONE if codes is None else _CLUSTERS
        method = self._choose(_SEVERAL if labels else data)
        if method in DATA_SET_TESTS and len(pairs) < 2:
            rule = f"make two data sets or more of both classes for method {method!r}"
            raise invalid("groups", rule, str(len(pairs)))
        values = values_of(pairs, self._measure())
        if codes is None:
            found = self._ask(method, pairs, values, grouped=bool(labels))
        else:
            found = self._ask_clusters(method, pairs[0], values, codes)
        result = self._result(method, found, pairs, values, names, labels)
        return replace(result, n_clusters=n_clusters(codes))

    def _ask(
        self, method: str, pairs: list[Pair], values: PairedValues, *, grouped: bool
    ) -> PairedResult:
        """Test the difference by the method."""
        measure = self._measure()
        if all(pair.is_certain(measure) for pair in pairs):
            return certainty(method)
        if method in DATA_SET_TESTS:
            return DATA_SET_TESTS[method](values, self.alternative)
        if method == "permutation":
            draws = self._draw(pairs[0].swaps(measure))
            return count_swaps(values.difference, draws, self.alternative, values.scale)
        if method in AT_CUTOFF:
            return weigh_at_cut(method, pairs[0], measure, self.alternative, self.prior)
        # The data sets are fixed, so their variances are added.
        errors = [self._error(method, pair) for pair in pairs]
        error = float(np.linalg.norm(errors)) / len(errors)
        if grouped:  # methods without a standard error, for the warning
            others = ["sign", "wilcoxon"] if len(pairs) > 1 else []
        else:
            others = [] if measure.ties == "threshold" else ["permutation"]
        return from_error(
            values.difference,
            error,
            values.scale,
            self.alternative,
            freedom_of_error(errors, pairs),
            others,
        )

    def _ask_clusters(
        self,
        method: str,
        pair: Pair,
        values: PairedValues,
        codes: NDArray[np.intp],
    ) -> PairedResult:
        """Test the difference by the clusters of one data set."""
        measure = self._measure()
        if pair.is_certain(measure):
            return certainty(method)
        if method == "permutation":
            draws = self._draw(pair.swaps(measure, codes))
            return count_swaps(values.difference, draws, self.alternative, values.scale)
        fewest = min(clusters_of_classes(pair.a, codes))
        error, freedom = math.nan, max(fewest - 1.0, 1.0)
        if fewest > 1 and measure.smooth:
            error, freedom = pair.error_of_clusters(measure, codes)
        if fewest > 1 and method == "bootstrap":
            engine = cluster_bootstrap(measure, pair.rankings, codes)
            error = float(self._draw(engine).std(ddof=1))
        others = [] if measure.ties == "threshold" else ["permutation"]
        return from_error(
            values.difference, error, values.scale, self.alternative, freedom, others
        )

    def _error(self, method: str, pair: Pair) -> float:
        """Return the standard error of the difference on one data set."""
        measure = self._measure()
        if pair.is_certain(measure):
            return 0.0
        if pair.fewest < 2:  # one item of a class gives no variance
            return math.nan
        if method == "jackknife":
            return pair.jackknife_error(measure)
        return float(self._draw(pair.bootstrap(measure)).std(ddof=1))

    def _draw(self, engine: Engine) -> Floats:
        """Draw differences, with the same seed for each data set."""
        return draw_in_parallel(
            engine,
            self.n_resamples,
            check_generator(self.random_state),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def _result(
        self,
        method: str,
        found: PairedResult,
        pairs: list[Pair],
        values: PairedValues,
        names: tuple[str, str],
        labels: tuple[Any, ...],
    ) -> RankingComparisonResult:
        """Return the result object."""
        estimate_a, estimate_b = values.estimates
        return RankingComparisonResult(
            estimate_a=estimate_a,
            estimate_b=estimate_b,
            difference=values.difference,
            standard_error=found.standard_error,
            zscore=found.zscore,
            pvalue=math.exp(found.log_pvalue),
            log10_pvalue=found.log_pvalue / math.log(10),
            probability_superior=found.probability_superior,
            method=method,
            alternative=self.alternative,
            metric=self._measure().name,
            n_samples=sum(pair.n_samples for pair in pairs),
            n_targets=sum(pair.n_targets for pair in pairs),
            n_rankings=len(pairs),
            names=names,
            degrees_of_freedom=found.degrees_of_freedom,
            values_a=tuple(values.values[:, 0].tolist()),
            values_b=tuple(values.values[:, 1].tolist()),
            labels=labels,
        )


def _check_method(method: str, measure: Metric) -> None:
    """Check that the method is defined for the metric and its tie rule."""
    if method in AT_CUTOFF and measure.ordered:
        rule = (
            "be recall, precision or the enrichment factor at a cutoff, or "
            f"'r_precision', for method {method!r}"
        )
        raise invalid("metric", rule, measure.name)
    if method in AT_CUTOFF and measure.ties != "expected":
        rule = (
            f"be 'expected' for method {method!r}, which shares out the hits of a tie "
            "at the cutoff"
        )
        raise invalid("ties", rule, repr(measure.ties))
    if method == "jackknife" and not measure.smooth:
        rule = (
            f"not be 'jackknife' for {measure.name}, which may jump when one item is "
            "left out; choose 'auto'"
        )
        raise invalid("method", rule, repr(method))


def _check_names(names: Any) -> tuple[str, str]:
    """Check the names of two rankings."""
    if isinstance(names, tuple | list) and len(names) == 2:
        first, second = names
        if isinstance(first, str) and isinstance(second, str) and first != second:
            return first, second
    raise invalid("names", "be two different texts", brief(names))
