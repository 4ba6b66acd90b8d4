"""Is ranking A better than ranking B? Two rankings of the same items, or several.

What comes in is two rankings, as labels and two scores or as two fitted estimators, or
more than two; what goes out is a frozen result, or a table of them. The comparison
holds settings alone and is not changed by running.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_count,
    check_flag,
    check_generator,
    check_jobs,
    check_option,
    check_positive,
    check_random_state,
)
from skrank._utils._columns import check_index
from skrank._utils._text import track
from skrank.inference._base import MetricSettings
from skrank.inference._comparison_result import (
    RankingComparisonResult,
    RankingComparisonTable,
)
from skrank.inference._paired._data_sets import FOLD_TESTS
from skrank.inference._paired._input import check_columns, check_names, pairs_of
from skrank.inference._paired._items import Draw
from skrank.inference._paired._method import (
    FOLDS,
    METHODS,
    ONE_DATA_SET,
    SEVERAL_DATA_SETS,
    PairedQuestion,
    check_data_sets,
    check_method,
    choose_method,
)
from skrank.inference._paired._pair import (
    PairedRankings,
    PairedValues,
    Ranked,
    paired,
    rank_one,
    rank_pair,
    values_of,
)
from skrank.inference._paired._paired_result import (
    PairedResult,
    adjust_holm,
    certainty,
)
from skrank.inference._variability._folds import (
    check_same_folds,
    count_items,
    ratio_of_folds,
)
from skrank.inference._variability._resampling import draw_in_parallel
from skrank.metrics._definitions import Metric, make_metric
from skrank.ranking._cv_results import folds_of_cv_results
from skrank.ranking._folds import fit_folds, make_folds
from skrank.ranking._response import target_scores
from skrank.ranking._several import Part, columns_by_name, keep_both_classes, split

ALTERNATIVES = ("two-sided", "greater", "less")


class RankingComparison(MetricSettings):
    """Compare two rankings of the same items, or several two by two.

    The question is whether A finds the targets earlier than B, by a metric. Both rank
    the same items, so they vary together: what counts is the variance of the
    difference, which is far smaller than that of two rankings of different items.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The metric, as it is printed: "average_precision", "average_precision@50",
        "recall@5%", "precision@10", "r_precision", "enrichment_factor@0.01",
        "reciprocal_rank", "rie(alpha=20)" or "bedroc(alpha=20)". A cutoff is a number
        of items or a part of the ranking; "average_precision@50(normalize=relevant)"
        has another divisor. Or what :func:`make_metric` made, with its own tie rule.
        Also those without a null distribution: "max_f_score(beta=1)",
        "breakeven_point", "precision_at_recall(0.8)" and "k_at_recall(0.8)".
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    method : {"auto", "jackknife", "bootstrap", "permutation", "mcnemar", \
            "posterior", "binomial", "empirical_process", "chemmodlab", "paired_t", \
            "sign", "wilcoxon", "corrected_t", "corrected_logit_t"}, default="auto"
        What the difference is held against; see Notes.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Differences that count as more extreme: both signs, those where the value of A
        is greater, or where that of B is.
    prior : float, default=0.5
        Parameter of the symmetric Dirichlet prior of "posterior": 0.5 is that of
        Jeffreys, 1 is uniform.
    n_resamples : int, default=9999
        Number of resamples that "bootstrap" and "permutation" draw.
    n_jobs : int, default=None
        Number of jobs, by joblib, to draw in, and to fit and predict the folds of a
        cross-validation.
    progress : bool, default=False
        Whether to show a bar of progress over the draws, or over the pairs of
        `compare_all`; it needs tqdm.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of "bootstrap" and "permutation".

    Raises
    ------
    ValueError
        If a setting is outside its range, or if a method for a cutoff is to go with a
        metric without one, or with a tie rule other than "expected".

    See Also
    --------
    RankingComparisonResult : What the comparison of two returns.
    RankingComparisonTable : What the comparison of several returns.
    RandomSelectionTest : The test whether one ranking is better than chance.

    Notes
    -----
    What varies, and what is assumed. For one data set or several:

    "jackknife"
        Items; the error of the difference is that of the items' paired influences.
    "bootstrap"
        Items, drawn again, targets and non-targets each from their own.

    For metrics of the top t, one data set or several:

    "binomial"
        The targets (for precision, the items looked at), each found or not.
    "empirical_process"
        Items, and with them where the cutoff falls.
    "chemmodlab"
        The same, and the number of targets.

    For one data set; the last two for metrics of the top t:

    "permutation"
        Nothing but who is called A: each item swaps its two ranks with probability 1/2;
        ``p = (C + 1) / (B + 1)`` [1]_.
    "mcnemar"
        Who finds a target that one only finds: exact binomial distribution.
    "posterior"
        The same, Bayesian, by `prior`.

    For several data sets, which are the sample:

    "paired_t"
        Student's t of the differences.
    "sign"
        On how many is A better? Exact.
    "wilcoxon"
        Signed ranks.

    The error of "jackknife", "bootstrap" and "empirical_process" is estimated from m
    targets and n - m non-targets, and the difference in errors referred to Student's t
    with one degree of freedom less than the smaller of these two; over several data
    sets their degrees of freedom are put together by Satterthwaite's formula.
    "binomial" and
    "chemmodlab" have the normal quantiles of their authors.

    For one data set "auto" is "jackknife", or "permutation" for the metrics that may
    jump when one item is left out: "reciprocal_rank",
    "average_precision@k(normalize=hits)", and those without a null distribution. For
    several it is "paired_t": data sets such as queries or days are a sample of those to
    come, and differ by more than their items do. The methods by items take the data
    sets as given; the variances of the data sets then add up.

    *Folds* of a cross-validation are ranked by models that were fitted to mostly the
    same items, and are not independent. "corrected_t", which "auto" is there, is the
    resampled t of Nadeau and Bengio [5]_: with J folds, the variance of the mean
    difference is ``1 / J + n_test / n_train`` times that of the differences, and
    Student's t has J - 1 degrees of freedom; for k-fold, repeated and shuffled splits.
    "corrected_logit_t" is the same for the difference of the logits of the two means.
    It sees more where the mean is small, and keeps the level less well there: see the
    user guide.

    *At a cutoff.* Let A find h_1, B find h_2 and both find h_12 of the m targets among
    their top t. "mcnemar" is exact on the targets that one only finds; its z-score is
    (h_1 - h_2) / sqrt(h_1 + h_2 - 2 h_12) (McNemar [2]_), its standard error that of
    "binomial" for recall, scaled. "binomial" is the correlated binomial of Ash and
    Hughes-Oliver [3]_, and "chemmodlab" their empirical process, as in the R package of
    that name: for samples of n items, among which the number of targets varies. With
    k_i = h_i / m, pi = m/n, rho = t/n, and Lambda_i the probability that an item at the
    cut is a target, the latter has

    .. code-block:: text

        Cov(k_1, k_2) = (pi (k_12 - k_1 k_2) (1 - Lambda_1 - Lambda_2)
                         + (rho_12 - rho^2) Lambda_1 Lambda_2) / (n pi^2)

    where Lambda is counted among the ranks from t/2 to 3t/2. "empirical_process" is for
    samples of m targets and n - m non-targets, as everything else here: with f_i the
    shares of the others above the cutoff,

    .. code-block:: text

        Cov(k_1, k_2) = (1 - Lambda_1) (1 - Lambda_2) (k_12 - k_1 k_2) / m
            + Lambda_1 Lambda_2 ((1 - pi) / pi)^2 (f_12 - f_1 f_2) / (n - m)

    and Lambda is that of "jackknife". With Lambda = 0 both are the former. "posterior"
    is that of Goutte and Gaussier [4]_: a target is found by A only, by B only, or by
    both or neither, with probabilities pi_1, pi_2, pi_3 and a Dirichlet prior; they
    sample P(pi_1 > pi_2), which is a tail of a beta distribution. Its p-value is the
    probability of the other side, its standard error the posterior standard deviation
    of pi_1 - pi_2. Only targets are counted. At one cutoff t the others mirror them,
    since every hit that A has beyond B is a false alarm that B has beyond A; to count
    them too would be to count each difference twice.

    *Ties at the cutoff* are shared out, as the metric does: hits become fractions.
    "posterior" takes them as they are, and so does "mcnemar", by P(U <= 1/2) for U
    beta(a, b + 1), which is P(X >= a) for X binomial(a + b, 1/2) where a and b are
    whole. Fractions count for more variance than they have, so p errs on the safe side.

    *Equal up to rounding* are values that differ by at most 1e-12 of the value of a
    perfect data set. By that slack differences are 0, or of one size, or as large as
    another, in all methods. "wilcoxon" leaves out the data sets with a difference of 0;
    its p-value is exact up to 500 of the others, with ties or without, and normal
    beyond.

    *A difference that cannot vary*, of rankings with all items in one order or with
    equal scores throughout, or where the top t is the whole data set, is 0 in every
    sample: its standard error is 0 and p is 1. Another difference that is not 0 but has
    a standard error of 0, or none because there is a single target, has no p-value:
    NaN, with a warning.

    References
    ----------
    .. [1] Yeh (2000), "More accurate tests for the statistical significance of result
       differences", *COLING 2000*, volume 2, 947-953.
    .. [2] McNemar (1947), "Note on the sampling error of the difference between
       correlated proportions or percentages", *Psychometrika* 12, 153-157.
    .. [3] Ash and Hughes-Oliver (2022), "Confidence bands and hypothesis tests for hit
       enrichment curves", *Journal of Cheminformatics* 14, article 50.
    .. [4] Goutte and Gaussier (2005), "A probabilistic interpretation of precision,
       recall and F-score, with implication for evaluation", *ECIR 2005*, 345-359.
    .. [5] Nadeau and Bengio (2003), "Inference for the generalization error", *Machine
       Learning* 52, 239-281, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingComparison
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 40
    >>> a = rng.normal(2.0 * y_true)
    >>> b = 0.6 * a + rng.normal(0.4 * y_true)
    >>> result = RankingComparison().from_predictions(y_true, a, b)
    >>> print(result)
    Comparison of two rankings by average_precision
      data set        2000 items, 40 targets (prevalence 0.02)
      A               0.3741
      B               0.172
      difference      0.2021
      standard error  0.0832
      95 % interval   0.03378 to 0.3703
      zscore          2.43
      pvalue          0.02   two-sided, method: jackknife
    >>> low, high = result.confidence_interval(0.9)
    >>> print(f"{low:.3f} to {high:.3f}")
    0.062 to 0.342

    Of the targets among the top 50, 13 are found by A only and 5 by B only:

    >>> at_50 = RankingComparison("recall@50", method="posterior")
    >>> print(at_50.from_predictions(y_true, a, b))
    Comparison of two rankings by recall@50
      data set        2000 items, 40 targets (prevalence 0.02)
      A               0.425
      B               0.225
      difference      0.2
      standard error  0.0995
      95 % interval   0.005004 to 0.395
      zscore          2.01
      pvalue          0.056   two-sided, method: posterior
      P(A > B)        0.9719

    A third ranking, and p-values adjusted for three comparisons:

    >>> scores = {"A": a, "B": b, "rounded A": np.round(a)}
    >>> print(RankingComparison().compare_all(y_true, scores))
    Comparison of 3 rankings by average_precision
      data set  2000 items, 40 targets (prevalence 0.02)
      pvalue    two-sided, method: jackknife
      A  B          value A  value B  difference  std error  zscore  pvalue  adjusted
      A  B           0.3741   0.1720      0.2021     0.0832    2.43    0.02      0.04
      A  rounded A   0.3741   0.2764      0.0976     0.0311    3.14  0.0032    0.0097
      B  rounded A   0.1720   0.2764     -0.1044     0.0777   -1.34    0.19      0.19
    """

    _make = staticmethod(make_metric)

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
        super().__init__(metric, ties)
        check_option("method", method, METHODS)
        check_option("alternative", alternative, ALTERNATIVES)
        self.method = method
        self.alternative = alternative
        self.prior = check_positive("prior", prior)
        self.n_resamples = check_count("n_resamples", n_resamples, least=2)
        self.n_jobs = check_jobs(n_jobs)
        self.progress = check_flag("progress", progress)
        self.random_state = check_random_state(random_state)
        check_method(method, self._measure())

    def from_predictions(
        self,
        y_true: ArrayLike,
        y_score_a: ArrayLike,
        y_score_b: ArrayLike,
        *,
        pos_label: object = None,
        groups: ArrayLike | None = None,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Compare two rankings given as labels and two scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels; both targets and non-targets.
        y_score_a, y_score_b : array-like of shape (n_samples,)
            Scores of A and of B for the same items; higher means a likelier target.
            Only their order counts, so they need no common scale.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        groups : array-like of shape (n_samples,), default=None
            To which data set each item belongs, such as its query or its day. The items
            are then ranked within each data set, where cutoffs count too, and what is
            compared is the mean over the data sets.
        names : pair of str, default=("A", "B")
            What the two are called in print.

        Returns
        -------
        result : RankingComparisonResult
            The two values, their difference, its error and its p-value. Data sets
            without targets, or of targets alone, are left out with a warning.

        Raises
        ------
        ValueError
            If the input is not two rankings of two classes, or if the method does not
            go with one data set, or with several.
        """
        scores = {"y_score_a": y_score_a, "y_score_b": y_score_b}
        is_target, columns = check_columns(y_true, scores, pos_label)
        check_index("groups", groups, y_true)
        parts = split(is_target, groups)
        a, b = (_rank_parts(parts, column) for column in columns)
        return self._compare(parts, a, b, check_names(names))

    def from_estimators(
        self,
        a: Any,
        b: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Compare the rankings that two fitted estimators give of the same items.

        Parameters
        ----------
        a, b : estimator instance
            Fitted classifiers, regressors, rankers or outlier detectors. They rank by
            ``decision_function``, else ``predict_proba``, else ``predict``.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not those the estimators were fitted on.
        y : array-like of shape (n_samples,)
            Their labels.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector, which must be stated for one.
        names : pair of str, default=("A", "B")
            What the two are called in print.

        Returns
        -------
        result : RankingComparisonResult
            The two values, their difference, its error and its p-value.

        Raises
        ------
        ValueError
            If an estimator can only give labels, is an outlier detector of unstated
            orientation, or the input is not valid for `from_predictions`.
        """
        score_a, score_b = (
            target_scores(
                estimator, X, y, pos_label=pos_label, detector_targets=detector_targets
            )
            for estimator in (a, b)
        )
        return self.from_predictions(
            y, score_a, score_b, pos_label=pos_label, names=names
        )

    def from_cv(
        self,
        a: Any,
        b: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        cv: Any = 5,
        cv_groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Cross-validate two estimators on the same folds, and compare their means.

        Parameters
        ----------
        a, b : estimator instance
            Classifiers, regressors, rankers or outlier detectors; cloned and fitted for
            each fold.
        X : array-like of shape (n_samples, n_features)
            Items.
        y : array-like of shape (n_samples,)
            Their labels.
        cv : int, cross-validation generator or iterable, default=5
            As in :func:`sklearn.model_selection.cross_validate`; splits may be
            repeated or shuffled, and are the same for both.
        cv_groups : array-like of shape (n_samples,), default=None
            Groups for splitters that keep them together, as
            :class:`sklearn.model_selection.GroupKFold` does.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector.
        names : pair of str, default=("A", "B")
            What the two are called in print.

        Returns
        -------
        result : RankingComparisonResult
            The two means over the folds, their difference, its error and its p-value.

        Raises
        ------
        ValueError
            As `from_estimators`; also if no two folds hold targets and non-targets, or
            if `method` is not for folds.
        """
        folds = make_folds(cv, [a, b], X, np.asarray(y), cv_groups, repeated=True)
        found_a, found_b = (fit_folds(one, X, y, folds, self.n_jobs) for one in (a, b))
        return self.from_cv_results(
            found_a,
            found_b,
            X,
            y,
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
        pos_label: object = None,
        detector_targets: str | None = None,
        names: tuple[str, str] = ("A", "B"),
    ) -> RankingComparisonResult:
        """Compare two cross-validations on the same folds.

        Parameters
        ----------
        cv_results_a, cv_results_b : dict
            What :func:`sklearn.model_selection.cross_validate` returns with
            ``return_estimator=True, return_indices=True``, by the same splits.
        X : array-like of shape (n_samples, n_features)
            The items that were cross-validated.
        y : array-like of shape (n_samples,)
            Their labels.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector.
        names : pair of str, default=("A", "B")
            What the two are called in print.

        Returns
        -------
        result : RankingComparisonResult
            The two means over the folds, their difference, its error and its p-value.
            Folds without targets, or of targets alone, are left out with a warning.

        Raises
        ------
        ValueError
            If estimators or indices are missing, if the folds are not the same; and as
            `from_cv`.
        """
        measure = self._measure()
        method = choose_method(self.method, measure, FOLDS)
        names = check_names(names)
        check_same_folds(cv_results_a, cv_results_b)
        of_a, of_b = (
            folds_of_cv_results(
                one,
                X,
                y,
                n_jobs=self.n_jobs,
                pos_label=pos_label,
                detector_targets=detector_targets,
            )
            for one in (cv_results_a, cv_results_b)
        )
        kept = keep_both_classes(of_a)  # which B's folds are, too: their items are one
        pairs = [
            rank_pair(is_target, score_a, of_b[number][2])
            for number, is_target, score_a in kept
        ]
        lists = values_of(pairs, measure)
        if all(pair.is_certain(measure) for pair in pairs):
            found = certainty(method)
        else:
            ratio = ratio_of_folds(cv_results_a)
            found = FOLD_TESTS[method](lists, ratio, self.alternative)
        result = self._result(
            method, found, pairs, lists, names, tuple(one[0] for one in kept)
        )
        n_samples, n_targets = count_items(cv_results_a, kept)
        return replace(result, n_samples=n_samples, n_targets=n_targets)

    def compare_all(
        self,
        y_true: ArrayLike,
        y_scores: Any,
        *,
        baseline: Any = None,
        pos_label: object = None,
        groups: ArrayLike | None = None,
    ) -> RankingComparisonTable:
        """Compare several rankings, each two of them or all with one baseline.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels; both targets and non-targets.
        y_scores : mapping, DataFrame or array of shape (n_samples, n_rankings)
            Scores of two rankings or more for the same items, by name: a mapping from
            names to scores, or columns. Columns of an array are called by their number.
        baseline : str or int, default=None
            Name of the ranking to compare the others with, which is then B of each
            comparison; None compares each two.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        groups : array-like of shape (n_samples,), default=None
            To which data set each item belongs, as in `from_predictions`.

        Returns
        -------
        table : RankingComparisonTable
            The comparisons, and their p-values adjusted for their number.

        Raises
        ------
        ValueError
            As `from_predictions`; also if there are fewer than two rankings, if two
            have the same name, or if there is no ranking of the baseline's name.
        """
        scores = columns_by_name(y_scores, least=2)
        pairs = pairs_of(tuple(scores), baseline)
        columns = {f"y_scores[{name!r}]": scores[name] for name in scores}
        is_target, checked = check_columns(y_true, columns, pos_label)
        check_index("groups", groups, y_true)
        parts = split(is_target, groups)
        ranked = {
            name: _rank_parts(parts, column)
            for name, column in zip(scores, checked, strict=True)
        }
        return self._compare_ranked(parts, ranked, pairs)

    def _compare_ranked(
        self,
        parts: list[Part],
        ranked: Mapping[Any, list[Ranked]],
        pairs: list[tuple[Any, Any]],
    ) -> RankingComparisonTable:
        """Compare rankings that are made already, of each data set by each name."""
        shown = track(pairs, total=len(pairs), label="pairs", progress=self.progress)
        quiet = copy(self)
        quiet.progress = False  # one bar is enough
        results = [
            quiet._compare(parts, ranked[a], ranked[b], (str(a), str(b)))
            for a, b in shown
        ]
        adjusted = adjust_holm([result.log10_pvalue for result in results])
        return RankingComparisonTable(
            tuple(results),
            tuple((10**adjusted).tolist()),
            tuple(adjusted.tolist()),
            tuple(map(str, ranked)),
        )

    def _compare(
        self,
        parts: list[Part],
        a: list[Ranked],
        b: list[Ranked],
        names: tuple[str, str],
    ) -> RankingComparisonResult:
        """Compare A and B on one data set, or on several and in the mean over them."""
        labels = tuple(label for label, *_ in parts if label is not None)
        data = SEVERAL_DATA_SETS if labels else ONE_DATA_SET
        measure = self._measure()
        method = choose_method(self.method, measure, data)
        check_data_sets(method, len(parts))
        pairs = list(map(paired, a, b))
        lists = values_of(pairs, measure)
        question = PairedQuestion(measure, self.alternative, self.prior, self._draw)
        found = question.ask(method, pairs, lists, grouped=bool(labels))
        return self._result(method, found, pairs, lists, names, labels)

    def _draw(self) -> Draw:
        """Draw resamples by any engine."""
        return partial(
            draw_in_parallel,
            n_rankings=self.n_resamples,
            generator=check_generator(self.random_state),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def _result(
        self,
        method: str,
        found: PairedResult,
        pairs: list[PairedRankings],
        lists: PairedValues,
        names: tuple[str, str],
        labels: tuple[Any, ...],
    ) -> RankingComparisonResult:
        """Write down what was found."""
        estimate_a, estimate_b = lists.estimates
        return RankingComparisonResult(
            estimate_a=estimate_a,
            estimate_b=estimate_b,
            difference=lists.difference,
            standard_error=found.standard_error,
            zscore=found.zscore,
            pvalue=math.exp(found.log_pvalue),
            log10_pvalue=found.log_pvalue / math.log(10),
            probability_superior=found.probability_superior,
            method=method,
            alternative=self.alternative,
            metric=self._measure().name,
            n_samples=sum(pair.n_samples for pair in pairs),
            n_targets=sum(pair.targets.size for pair in pairs),
            n_rankings=len(pairs),
            names=names,
            degrees_of_freedom=found.degrees_of_freedom,
            values_a=tuple(lists.values[:, 0].tolist()),
            values_b=tuple(lists.values[:, 1].tolist()),
            labels=labels,
        )


def _rank_parts(parts: list[Part], score: NDArray[Any]) -> list[Ranked]:
    """Rank the items of each data set by one score."""
    return [rank_one(is_target, score[items]) for _, is_target, items in parts]
