"""Comparison of two or more rankings of the same items, or of several data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_option, check_undefined, invalid
from skrank._utils._rounding import ROUNDING, subtract
from skrank._utils._text import brief, track
from skrank._utils._warnings import warn
from skrank.inference.base._question import (
    MetricQuestion,
    check_values_suffice,
    choose_method,
    data_of,
)
from skrank.inference.comparison._at_cutoff import AT_CUTOFF, compare_at_cutoff
from skrank.inference.comparison._data_sets import SIGN_TESTS
from skrank.inference.comparison._losses import loss_rule
from skrank.inference.comparison._pair import MANY_TARGETS, Pair, Swaps, count_swaps
from skrank.inference.comparison._pvalues import (
    PairedResult,
    adjust_holm,
    defined_error,
    from_error,
    log_tail,
)
from skrank.inference.comparison._ranking_comparison_result import (
    RankingComparisonResult,
    RankingComparisonTable,
)
from skrank.inference.comparison._rules import DifferenceRule, LossRule, PairRule
from skrank.inference.comparison._values import ValueTable, read_values
from skrank.inference.sampled._comparison import SampledModels
from skrank.inference.sampled._draws import METHOD
from skrank.inference.variability._changes import (
    Changes,
    ClusterChanges,
    ItemChanges,
    PartChanges,
    StandardError,
    changes_of,
    error_of_fixed,
    fewest_of,
)
from skrank.inference.variability._clusters import (
    check_two_way,
    cluster_bootstrap,
    clusters_of_classes,
)
from skrank.inference.variability._interval_rules import (
    CertainRule,
    ModeratedRule,
    StudentRule,
    WidestRule,
)
from skrank.inference.variability._moderation import moderated_rule, range_of
from skrank.inference.variability._sample import is_certain
from skrank.metrics._definitions import AnyMetric, make_metric
from skrank.ranking._input import RANKED_LAST
from skrank.ranking._rankings import Rankings

# Methods by the data; "auto" is the first, or the second of the items of one data set.
_ITEMS = ("permutation", "jackknife", "bootstrap")
_METHODS = {
    "one": (*_ITEMS, *AT_CUTOFF),
    "clusters": _ITEMS,
    "groups": ("t", *SIGN_TESTS, "jackknife", "bootstrap"),
    "folds": ("corrected_t",),
    "groups with clusters": ("two_way",),
    "values": ("t", *SIGN_TESTS),
    "values of folds": ("corrected_t",),
}
# Methods by Student's t of the values of the data sets or folds.
_OF_VALUES = ("t", "corrected_t")
METHODS = ("auto", *dict.fromkeys(name for one in _METHODS.values() for name in one))


class RankingComparison(MetricQuestion[RankingComparisonResult]):
    """Compare models on the same items; to monitor them every day use RankingMonitor.

    The test compares the values of a metric of two models, A and B, which are the
    entries of a mapping or the columns of a table. The standard error of the difference
    takes into account that both models rank the same items, so that their values vary
    together.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object made by
        :func:`make_metric`, which has its own tie rule.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    method : {"auto", "jackknife", "bootstrap", "permutation", "mcnemar", \
            "posterior", "t", "sign", "wilcoxon", "corrected_t", "two_way"}, \
            default="auto"
        Method of the p-value; see Notes.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Differences A - B that count as more extreme: of both signs, above 0, or below
        0.
    n_resamples : int, default=9999
        Number of resamples that "bootstrap" and "permutation" draw.
    n_jobs : int, default=None
        Number of joblib jobs of the draws and of a cross-validation.
    progress : bool, default=False
        Whether to show a progress bar; needs tqdm.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of "bootstrap" and "permutation". With None, each
        call draws anew.
    undefined : float or "raise", default=nan
        Value of the metric in groups without targets or without non-targets, such as
        0.0. NaN leaves these groups out with a warning, and "raise" raises an error.
        Folds in which the metric is undefined are always left out.

    Raises
    ------
    ValueError
        If a setting is outside its range, or if a method for a cutoff is combined with
        a metric without a cutoff or with a tie rule other than "expected".

    See Also
    --------
    RankingComparisonResult : Result for two rankings.
    RankingComparisonTable : Result for several rankings.

    Notes
    -----
    ======================== ============== ==========================================
    method                   data           sample, and "auto"
    ======================== ============== ==========================================
    "permutation"            one data set   swaps of A and B; "auto" up to 99 targets
    "jackknife", "bootstrap" one or several items; "jackknife" is "auto" for more
    "mcnemar", "posterior"   one data set,  targets that one of the two finds
                             metric@t
    "t", "sign", "wilcoxon"  several        data sets; "auto" is "t"
    "corrected_t"            folds          folds of `from_cv`, or values with `ratio`
    "two_way"                groups and     data sets, and clusters that recur over
                             clusters       them
    ======================== ============== ==========================================

    "permutation" swaps the ranks of A and B for each item, or for a block of items
    around one target that occupies the same ranks in both rankings. If C of B random
    swaps have at least as large a difference, the p-value is (C + 1) / (B + 1). Up to
    4096 swaps are enumerated. The standard error comes from the jackknife.

    Sources: "permutation" [1]_, "mcnemar" [2]_, "posterior" [3]_, "corrected_t" [4]_.
    With `clusters`, whole clusters are left out, drawn or swapped. If labels are
    missing, `strata` describes how the labelled items were chosen
    (:ref:`sampled_labels`). See :ref:`ranking_comparison` for the choice of a method,
    :ref:`derivations` for the formulas and :ref:`validation` for the measured type I
    error rates.

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
    >>> result = RankingComparison().from_predictions(y_true, {"A": a, "B": b})
    >>> print(f"{result.difference:.3f}, p {result.pvalue:.2g}")
    0.202, p 0.017
    """

    # shared: metric ties

    _refuses: ClassVar[dict[str, str]] = {
        "strata": "they describe a sample of labels, but no label is missing",
        "sample_weight": "comparisons of weighted items are not defined here",
        "n_missed": "a missed target has no rank to compare; `missing`='last' ranks "
        "items without a score",
    }
    _missed_in_groups: ClassVar[bool] = True
    _of_samples: ClassVar[bool] = True
    _make = staticmethod(make_metric)
    _least_resamples = 2

    def __init__(
        self,
        metric: str | AnyMetric = "average_precision",
        *,
        ties: str = "expected",
        method: str = "auto",
        alternative: str = "two-sided",
        n_resamples: int = 9999,
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: object = 0,
        undefined: float | str = math.nan,
    ) -> None:
        super().__init__(metric, ties, n_resamples, n_jobs, progress, random_state)
        self.undefined = check_undefined(undefined)
        check_option("method", method, METHODS)
        check_option("alternative", alternative, ("two-sided", "greater", "less"))
        self.method = method
        self.alternative = alternative
        _check_method(method, self._metric())

    def from_rankings(self, rankings: Any) -> RankingComparisonResult:
        """Compare the rankings of two models, A and B.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data, of two models. The first is A.

        Returns
        -------
        result : RankingComparisonResult
            Immutable: the two values, their difference, its standard error and its
            p-value.

        Raises
        ------
        ValueError
            If the number of models is not two, if there are no targets or no
            non-targets, or if `method` is not valid for these data.
        """
        rankings = Rankings.from_rankings(rankings)
        if len(rankings.names) != 2:
            rule = "be of two models; use `compare_all` for more"
            got = f"{len(rankings.names)} by the names {brief(list(rankings.names))}"
            raise invalid("rankings", rule, got)
        (result,) = self._compare(self._models(rankings), [(0, 1)])
        return result

    def compare_all(
        self,
        y_true: Any,
        y_score: Any = None,
        *,
        baseline: Any = None,
        pos_label: object = None,
        lower_is_better: bool | Sequence[str] = False,
        missing: str = "error",
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        folds: ArrayLike | None = None,
    ) -> RankingComparisonTable:
        """Compare all pairs of several rankings, or all rankings with a baseline.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), Rankings or mapping
            Labels of the items; both targets and non-targets. Rankings of any data, or
            a mapping from names to rankings as in `from_rankings`, replace labels and
            scores.
        y_score : mapping, DataFrame or array of shape (n_samples, n_rankings), \
                default=None
            Scores of two or more rankings of the same items, as a mapping from names to
            scores or as columns. The columns of an array are named by their numbers.
        baseline : str or int, default=None
            Name of the ranking to compare all others with. Choose it before the labels
            are seen. It is B in each comparison. "best" uses the ranking with the best
            value, and adjusts the p-values for this choice. None compares all pairs.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        lower_is_better : bool or sequence of str, default=False
            Whether lower scores mean likelier targets, as for docking energies. A
            sequence of names applies to these models only.
        missing : {"error", "last", "missed"}, default="error"
            How to treat items whose score is NaN, None or NA, such as compounds whose
            docking failed. "error" raises an error. "last" ranks them below all others,
            as one tie. "missed" leaves them out and counts the targets among them as
            `n_missed`.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each group, cutoffs apply to each group, and the value is the
            mean over the groups. A cross-validation holds out whole groups. If items of
            different groups depend on each other, such as the items of one machine on
            several days, also pass `clusters` (:ref:`clusters_over_groups`).
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, such as the patient of an image. Items of one cluster
            may depend on each other (:ref:`clusters`).
        strata : array-like of shape (n_samples,), default=None
            Stratum of each item, such as its hospital. A test against random selection
            permutes labels within strata. A comparison uses strata if labels are
            missing: the labelled items of each stratum are then a random sample of it
            (:ref:`sampled_labels`), and a plan of :func:`labels_to_collect` is
            accepted.
        folds : array-like of shape (n_samples,), default=None
            Fold in which each item was held out, if its score comes from a model that
            was fitted to the other folds. Items are ranked within each fold.

        Returns
        -------
        table : RankingComparisonTable
            Immutable: the comparisons, with p-values adjusted for their number.

        Raises
        ------
        ValueError
            As in `from_predictions`; also if there are fewer than two rankings, if two
            rankings have the same name, or if no ranking is named `baseline`.
        """
        # shared: pos_label lower_is_better groups clusters strata folds missing
        data: Any = {"pos_label": pos_label, "groups": groups, "clusters": clusters}
        data |= {"y_score": y_score, "folds": folds, "strata": strata}
        if isinstance(y_true, Rankings | Mapping):
            rankings = Rankings.from_rankings(y_true)
            data["lower_is_better"] = lower_is_better or None
            data["missing"] = None if missing == "error" else missing
            given = [name for name, one in data.items() if one is not None]
            if given:
                raise invalid(given[0], "be left out for rankings")
        else:
            data |= {"lower_is_better": lower_is_better, "missing": missing}
            rankings = Rankings.from_predictions(y_true, **data)
        models = self._models(rankings)
        if len(models.names) < 2:
            rule = "contain 2 or more rankings"
            raise invalid("y_score", rule, str(len(models.names)))
        return self._table(models, baseline, self._metric().greater_is_better)

    def from_values(
        self,
        values: Any,
        *,
        ratio: float | None = None,
        n_repeats: int = 1,
        baseline: Any = None,
        name: str | None = None,
    ) -> RankingComparisonResult | RankingComparisonTable:
        """Compare models by values of a metric that were computed elsewhere.

        Parameters
        ----------
        values : mapping, DataFrame or array of shape (n_values, n_models)
            Values of each model, in a column or under its name. Each row contains the
            values of one fold, data set or seed. Rows in which a value is missing (NaN)
            are left out for all models, with a warning.
        ratio : float, default=None
            Number of test items divided by the number of training items, such as 1/4
            for five folds. It is required for folds and random splits of one data set,
            because their models share training items. Use None if the rows are
            independent: data sets, days, or seeds.
        n_repeats : int, default=1
            Number of repetitions of the cross-validation, as in
            :class:`~sklearn.model_selection.RepeatedStratifiedKFold`. The rows must
            contain the folds of the first repetition, then the folds of the second, and
            so on. Use 1 for random splits.
        baseline : str or int, default=None
            Name of the model to compare the others with, or "best", as in
            `compare_all`.
        name : str, default=None
            Name of another metric, such as "accuracy". Larger values must be better.
            None uses the name of `metric`. The values are not computed again: `ties`,
            `undefined` and the settings of draws are not used.

        Returns
        -------
        result : RankingComparisonResult or RankingComparisonTable
            Immutable: the comparison of two models, or a table of comparisons if there
            are more models or a baseline.

        Raises
        ------
        ValueError
            If there are fewer than two models, or fewer than two rows without missing
            values; if a value is infinite; if two models have the same name; or if
            `method` is not "t", "sign" or "wilcoxon" ("corrected_t" with `ratio`).

        Notes
        -----
        The meaning of the p-value depends on the rows:

        * Folds of one data set: whether models that are fitted to other data of this
          kind differ. Without `ratio`, the type I error rate is several times too
          large.
        * Data sets: whether the models differ on average over such data sets.
        * Seeds of one split: whether the models differ on these items over repeated
          training. It says nothing about other items.

        `probability_superior` is the posterior probability that the mean of A is
        larger. For the folds of one cross-validation it comes from the Bayesian
        correlated t-test [1]_.

        References
        ----------
        .. [1] Corani and Benavoli (2015), "A Bayesian approach for comparing cross-
           validated algorithms on multiple data sets", *Machine Learning* 100, 285-304.

        Examples
        --------
        >>> from skrank import RankingComparison
        >>> a = [0.31, 0.42, 0.38, 0.50, 0.44]  # cross_val_score(..., cv=5) of a
        >>> b = [0.25, 0.40, 0.30, 0.46, 0.35]  # and of b, by the same folds
        >>> result = RankingComparison().from_values({"a": a, "b": b}, ratio=1 / 4)
        >>> print(result)
        Comparison of two rankings by average_precision
          5 folds         of each model, as given
          a               0.41 on average
          b               0.352 on average
          difference      0.058
          standard error  0.0192
          95 % interval   0.0047 to 0.1113
          zscore          3.02
          pvalue          0.039   two-sided, method: corrected_t
          P(a > b)        0.9804
        """
        table = read_values(values, ratio, n_repeats)
        if name is not None and not (isinstance(name, str) and name):
            raise invalid("name", "be a text or None", brief(name))
        models = _ComparedValues(self, table, name)
        if len(models.names) == 2 and baseline is None:
            (result,) = self._compare(models, [(0, 1)])
            return result
        greater = name is not None or self._metric().greater_is_better
        return self._table(models, baseline, greater)

    def _table(
        self,
        models: _ComparedValues | SampledModels,
        baseline: Any,
        greater_is_better: bool,
    ) -> RankingComparisonTable:
        """Compare all pairs, or all models with the baseline."""
        names, k = models.names, len(models.names)
        pairs, others = list(combinations(range(k), 2)), []
        at = None
        if baseline == "best" and "best" not in names:
            if self.alternative != "two-sided":
                rule = "be 'two-sided' for `baseline`='best', chosen by the data"
                raise invalid("alternative", rule, repr(self.alternative))
            sign = 1 if greater_is_better else -1
            at = int(np.argmax(sign * models.values.mean(axis=0)))
            # any pair could have become one of those shown, so all are adjusted for
            others = [pair for pair in pairs if at not in pair]
        elif baseline is not None:
            if baseline not in names:
                rule = f"be one of {brief([*names])}"
                raise invalid("baseline", rule, brief(baseline))
            at = names.index(baseline)
        if at is not None:
            pairs = [(i, at) for i in range(k) if i != at]
        n_shown = len(pairs)
        results = self._compare(models, pairs + others)
        adjusted = adjust_holm([result.log10_pvalue for result in results])[:n_shown]
        if results[0].method in ("permutation", METHOD):
            sides = 2 if results[0].method == METHOD else 1
            self._warn_of_few_draws(len(results), sides)
        return RankingComparisonTable(
            tuple(results[:n_shown]),
            tuple((10**adjusted).tolist()),
            tuple(adjusted.tolist()),
            tuple(map(str, names)),
            greater_is_better,
        )

    def _models(self, rankings: Rankings) -> _ComparedModels | SampledModels:
        """Return the models of full labels, or of those of a sample."""
        if rankings.sample is None:
            sizes = [one.n_samples for one in rankings.parts[0]]
            if len(set(sizes)) > 1 and not rankings.labels:  # by `missing`
                rule = "not be 'missed' for models that lack scores of different items"
                raise invalid("missing", rule, f"{brief(sizes)} items", RANKED_LAST)
            return _ComparedModels(self, rankings)
        if self.method not in ("auto", METHOD):
            rule = f"be 'auto' for labels of a sample, which is {METHOD!r}"
            raise invalid("method", rule, repr(self.method))
        metric, seed = self._metric(), self._seed()
        return SampledModels.of(metric, rankings, self.n_resamples, seed)

    def _warn_of_few_draws(self, n_pairs: int, sides: int) -> None:
        """Warn if no adjusted p-value can be at most 5 %."""
        least = math.ceil(sides * n_pairs / 0.05) - 1
        if self.n_resamples < least:
            warn(
                f"With {n_pairs} comparisons no adjusted p-value can be 0.05 or less: "
                f"`n_resamples` must be at least {least}; got {self.n_resamples}.",
                UserWarning,
            )

    def _choose(self, asked: Rankings) -> str:
        """Choose the method for "auto", and check that it suits the data."""
        metric, units = self._metric(), asked.sizes[1]
        usual = _METHODS[data_of(asked)]
        if data_of(asked) == "clusters" and asked.clusters is not None:
            units = min(clusters_of_classes(asked.parts[0][0], asked.clusters))
        # permutations do not hold the end of a tie at the cutoff; with many targets
        # they take too long, and the jackknife has the right size
        cut = metric.cutoff is not None or not metric.ordered
        moves = metric.ties == "together" and cut
        if (
            usual[0] == "permutation"
            and metric.smooth
            and (moves or units >= MANY_TARGETS)
        ):
            usual = ("jackknife", *usual)
        method = choose_method(self.method, usual, data_of(asked))
        if method == "two_way":
            check_two_way(metric)
        if data_of(asked) == "groups" and len(asked.parts) < 2 and method not in _ITEMS:
            rule = (
                f"form at least two data sets with both classes for method {method!r}"
            )
            raise invalid("groups", rule, str(len(asked.parts)))
        return method

    def _compare(
        self,
        models: _ComparedValues | SampledModels,
        pairs: Sequence[tuple[int, int]],
    ) -> list[RankingComparisonResult]:
        """Compare pairs of models, all of which have one table of changes."""
        several = len(pairs) > 1
        shown = track(
            pairs, total=len(pairs), label="pairs", progress=self.progress and several
        )
        one = copy(self)
        one.progress = self.progress and not several  # one progress bar is enough
        results = [one._result(models, i, j) for i, j in shown]
        if isinstance(models, _ComparedModels):
            _warn_of_few_targets(results[0])
        return results

    def _result(
        self, models: _ComparedValues | SampledModels, i: int, j: int
    ) -> RankingComparisonResult:
        """Compare the models i and j."""
        a, b = models.values[:, [i, j]].T
        values: dict[str, Any] = {
            "names": (str(models.names[i]), str(models.names[j])),
            "value_a": float(a.mean()),
            "value_b": float(b.mean()),
            "values_a": tuple(a.tolist()),
            "values_b": tuple(b.tolist()),
            "method": models.method,
            "alternative": self.alternative,
        }
        if isinstance(models, SampledModels):
            values |= models.compare(i, j, self.alternative)
            return RankingComparisonResult(metric=self._metric().name, **values)
        if isinstance(models, _ComparedModels):
            found = self._ask(models, i, j)
        else:
            found = self._ask_values(models, i, j)
        return RankingComparisonResult(
            difference=models.difference(i, j),
            standard_error=found.standard_error,
            zscore=found.zscore,
            pvalue=math.exp(found.log_pvalue),
            log10_pvalue=found.log_pvalue / math.log(10),
            is_pvalue_limit=found.is_limit,
            probability_superior=found.probability_superior,
            degrees_of_freedom=found.degrees_of_freedom,
            _rule=models.rule(i, j, found),
            **values,
            **models.fields,
        )

    def _ask_values(self, models: _ComparedValues, i: int, j: int) -> PairedResult:
        """Test the difference by the values of the data sets or folds.

        With the prior 1 / s the posterior of the mean difference is Student's t, with
        the same error: of folds that of Corani and Benavoli (2015).
        """
        difference, scale = models.difference(i, j), float(models.scales.max())
        if models.method in SIGN_TESTS:
            (a, b), scales = models.values[:, [i, j]].T, models.scales
            differences = subtract(a, b, scales)
            return SIGN_TESTS[models.method](differences, scales, self.alternative)
        error, freedom = models.error(i, j)
        others = ["sign", "wilcoxon"] if models.method == "t" else []
        found = from_error(difference, error, scale, self.alternative, freedom, others)
        superior = math.exp(log_tail(-found.zscore, freedom))
        return found._replace(probability_superior=superior)

    def _ask(self, models: _ComparedModels, i: int, j: int) -> PairedResult:
        """Test the difference of the models i and j by the method."""
        metric, asked, method = models.metric, models.asked, models.method
        codes: Any = asked.clusters
        pairs = [Pair(row[i], row[j]) for row in asked.parts]
        difference, scale = models.difference(i, j), float(models.scales.max())
        certain = [pair.is_certain(metric) for pair in pairs]
        if all(certain):
            even = method in ("posterior", *_OF_VALUES)
            superior = 0.5 if even else math.nan
            return PairedResult(0.0, 0.0, 0.0, probability_superior=superior)
        if method in (*SIGN_TESTS, *_OF_VALUES):
            return self._ask_values(models, i, j)
        if method in AT_CUTOFF:
            return compare_at_cutoff(method, pairs[0], metric, self.alternative)
        error, changes = models.error(i, j, certain), models.changes
        if method == "permutation":
            if metric.smooth:  # else no method has a standard error
                known = defined_error(difference, error.error, scale)
                error = error._replace(error=known)
            swaps = pairs[0].swaps(metric, codes)
            return self._permute(swaps, difference, scale, error)
        if method == "bootstrap" and isinstance(changes, ClusterChanges):
            if changes.is_known:
                engine = cluster_bootstrap(metric, pairs[0].rankings, codes)
                error = error._replace(error=self._drawn_error(engine))
        elif method == "bootstrap":
            error = self._bootstrap_items(pairs, certain)
        # methods without a standard error, for the warning
        others = []
        if data_of(asked) == "groups" and len(pairs) > 1:
            others = ["sign", "wilcoxon"]
        elif data_of(asked) in ("one", "clusters") and metric.ties != "together":
            others = ["permutation"]
        return from_error(
            difference,
            error.error,
            scale,
            self.alternative,
            error.degrees_of_freedom,
            others,
        )

    def _permute(
        self, swaps: Swaps, difference: float, scale: float, error: StandardError
    ) -> PairedResult:
        """Test the difference by exchanges of ranks: all of them, or random ones."""
        # 4096 exchanges take less time than the draws; half as many units, 6, would
        # leave p-values of 7 to 12 units to draws
        every = swaps.n_units <= 12
        return count_swaps(
            difference,
            swaps.all() if every else self._draw(swaps),
            self.alternative,
            scale,
            every=every,
            error=error,
        )

    def _bootstrap_items(
        self, pairs: Sequence[Pair], certain: Sequence[bool]
    ) -> StandardError:
        """Return the standard error by bootstrap samples of each data set."""
        errors, fewest = [], [fewest_of(pair.a) for pair in pairs]
        for pair, few, is_sure in zip(pairs, fewest, certain, strict=True):
            if is_sure:
                errors.append(0.0)
            elif few < 2:
                errors.append(math.nan)
            else:
                errors.append(self._drawn_error(pair.bootstrap(self._metric())))
        return error_of_fixed(errors, fewest)


class _ComparedValues:
    """Values of several models, and the table of what changes them.

    `values` has a row for each data set or fold, and a column for each model. `scales`
    are the sizes of the values of each row, for rounding. `fields` are those of a
    result.
    """

    names: tuple[Any, ...]
    method: str
    values: NDArray[np.float64]
    scales: NDArray[np.float64]
    fields: dict[str, Any]

    def __init__(
        self, test: RankingComparison, table: ValueTable, name: str | None
    ) -> None:
        self._table = table
        self.names, self.values = table.names, table.values
        self.scales = abs(table.values).max(axis=1)
        data = "values of folds" if table.ratio else "values"
        self.method = choose_method(test.method, _METHODS[data], data)
        self.fields = {
            "metric": test._metric().name if name is None else name,
            "n_samples": 0,
            "n_targets": 0,
            "kind": "folds" if table.ratio else "values",
            "labels": table.labels,
        }

    @cached_property
    def changes(self) -> Changes | None:
        """The table of the method, or None of a method or a metric without it."""
        table = self._table
        return PartChanges(table.values, table.ratio, table.repetition)

    def error(self, i: int, j: int, certain: Sequence[bool] = ()) -> StandardError:
        """Return the standard error of the difference of the models i and j.

        The difference is `certain` not to vary on some of the data sets.
        """
        weights = np.zeros(len(self.names))
        weights[[i, j]] = 1, -1
        if isinstance(self.changes, ItemChanges):
            return self.changes.error(weights, certain)
        if self.changes is None:
            return StandardError(math.nan, math.inf)
        return self.changes.error(weights)

    def difference(self, i: int, j: int) -> float:
        """Mean of model i minus that of model j."""
        a, b = self.values[:, [i, j]].mean(axis=0).tolist()
        return float(subtract(a, b, self.scales.max()))

    def rule(self, i: int, j: int, found: PairedResult) -> PairRule | None:
        """Return the interval of a difference, which also tests margins; or None."""
        if not found.standard_error > 0:
            return None
        return WidestRule([self._by_error(i, j, found)])

    def _by_error(self, i: int, j: int, found: PairedResult) -> StudentRule:
        """Return the interval by the standard error of the difference."""
        error, freedom = found.standard_error, found.degrees_of_freedom
        ends = -math.inf, math.inf
        return StudentRule(self.difference(i, j), error, freedom, *ends)


class _ComparedModels(_ComparedValues):
    """Values of several models on the same data, and the table of what changes them.

    `scales` are the largest of the values of perfect and of the worst rankings.
    """

    def __init__(self, test: RankingComparison, rankings: Rankings) -> None:
        _, self.asked = test._asked(rankings)
        self.metric = test._metric()
        self.method, self.names = test._choose(self.asked), self.asked.names
        parts = self.asked.parts
        self.values = self.asked.by_fold(
            [[self.metric.value(one) for one in row] for row in parts]
        )
        if np.isinf(self.values).any():
            rule = "be finite: its targets were missed, so pass `n_unlisted`"
            raise invalid("metric", rule, self.metric.name)
        frames = [self.metric.frame(row[0], row[0].n_targets) for row in parts]
        self.scales = self.asked.by_fold(
            [max(map(abs, range_of(self.metric, one))) for one in frames]
        )
        counted, (self.values, self.scales) = test._completed(
            rankings, self.asked, self.values, self.scales
        )
        self.fields = test._fields(counted, by_fold=True)
        if data_of(self.asked) == "groups":
            of_values = ["t", *SIGN_TESTS]
            check_values_suffice(self.method, of_values, self.asked, counted)

    @cached_property
    def changes(self) -> Changes | None:
        """The table of the method, or None of a method or a metric without it."""
        of_items = self.method in ("permutation", "jackknife") and self.metric.smooth
        of_parts = self.method in _OF_VALUES
        if of_items or of_parts or self.asked.clusters is not None:
            return changes_of(self.method, self.metric, self.asked, self.values)
        return None

    def rule(self, i: int, j: int, found: PairedResult) -> PairRule | None:
        """Return the interval of a difference, which also tests margins; or None.

        It is the wider of two on either side: that by the variation in the sample, and
        that by what one model may lose of the other although it did not here. Data sets
        that are a sample have the second one only if all their differences are 0.
        """
        if found.standard_error == 0:  # the values do not depend on the order
            return CertainRule(self.difference(i, j))
        rules = list[Any]()
        varies = found.standard_error > 0
        if varies and isinstance(self.changes, ItemChanges) and not self.asked.labels:
            rules.append(self._by_values(i, j, found.standard_error))
        elif varies:
            rules.append(self._by_error(i, j, found))
        of_values = self.method in (*_OF_VALUES, "two_way")
        equal = self.difference(i, j) == 0 and self.method not in SIGN_TESTS
        asks_losses = not of_values if varies else equal
        if asks_losses and self._has_losses(i, j):
            losses = self._by_losses(i, j)
            if losses.loss.whole > 0 or losses.gain.whole > 0:
                rules.append(losses)
        return WidestRule(rules) if rules else None

    def _has_losses(self, i: int, j: int) -> bool:
        """Whether each target has a part of both values."""
        of_targets = self.metric.additive and self.metric.smooth
        parts = self.asked.parts
        return of_targets and all(Pair(row[i], row[j]).is_of_items for row in parts)

    def _by_losses(self, i: int, j: int) -> LossRule:
        """Return the interval by the losses of the units, targets or clusters."""
        asked, rows = self.asked, [(row[i], row[j]) for row in self.asked.parts]
        # lists that were given have items of their own
        ends = np.cumsum([int(row[0].n_samples) for row in rows])
        places = asked.items or np.split(np.arange(ends[-1]), ends[:-1])
        units = [
            items[row[0].items.targets] for items, row in zip(places, rows, strict=True)
        ]
        if asked.clusters is not None:
            units = [asked.clusters[one] for one in units]
        # the mean over folds is that of the means over the groups of each
        fold = np.array(asked.folds or range(len(rows)))
        weights = 1 / (len(self.values) * np.bincount(fold)[fold])
        return loss_rule(self.metric, rows, units, weights.tolist())

    def _by_values(self, i: int, j: int, error: float) -> DifferenceRule:
        """Return the interval by those of both values and their correlation."""
        slack = ROUNDING * self.scales.max()
        of_a, of_b, of_both = (
            x**2 if x > slack else 0.0 for x in (self.errors[i], self.errors[j], error)
        )
        correlation, both = 0.0, math.sqrt(of_a * of_b)
        if both > 0:
            correlation = (of_a + of_b - of_both) / (2 * both)
        # The correlation of few targets is too large where some cannot be found. With
        # half of 2.2, where half of the targets cannot be found, a margin was met by
        # chance in 8 % of the samples at .05 (benchmarks/size_of_comparison.py).
        nearly = 1 - ROUNDING
        fisher = math.atanh(min(max(correlation, -nearly), nearly))
        m = self.asked.sizes[1]
        correlation = math.tanh(fisher - 2.2 / max(m - 3, 1))
        return DifferenceRule(self.rules[i], self.rules[j], correlation)

    @cached_property
    def errors(self) -> list[float]:
        """Standard errors of the values of the models."""
        assert self.changes is not None
        return [self.changes.error(one).error for one in np.eye(len(self.names))]

    @cached_property
    def rules(self) -> list[CertainRule | ModeratedRule]:
        """Moderated intervals of the models."""
        return [
            CertainRule(self.metric.value(one))
            if is_certain(self.metric, one)
            else moderated_rule(self.metric, one)
            for one in self.asked.parts[0]
        ]


def _check_method(method: str, metric: AnyMetric) -> None:
    """Check that the method is defined for the metric and its tie rule."""
    if method in AT_CUTOFF and metric.ordered:
        rule = (
            "be recall, precision or the enrichment factor at a cutoff, or "
            f"'r_precision', for method {method!r}"
        )
        raise invalid("metric", rule, metric.name)
    if method in AT_CUTOFF and metric.ties != "expected":
        rule = (
            f"be 'expected' for method {method!r}, which divides the hits of a tie at "
            "the cutoff"
        )
        raise invalid("ties", rule, repr(metric.ties))
    if method == "jackknife" and not metric.smooth:
        rule = (
            f"not be 'jackknife' for {metric.name}, which may jump when one item is "
            "left out; choose 'auto'"
        )
        raise invalid("method", rule, repr(method))


def _warn_of_few_targets(result: RankingComparisonResult) -> None:
    """Warn that permutations of few targets need rankings of the same kind."""
    # With 8 targets up to 10 % of pairs of rankings of the shapes "narrow" and "third"
    # of benchmarks/size_of_comparison.py had p <= .05, with 12 and more up to 8 %; with
    # half of them, these would have no warning.
    fewest, equal = 12, result.pvalue == 1
    if result.method == "permutation" and result.n_targets < fewest and not equal:
        warn(
            f"With fewer than {fewest} targets ({result.n_targets}) the p-value can be "
            "too small if one ranking finds targets that the other cannot find, or if "
            "the ranks of their targets vary more in one ranking.",
            UserWarning,
        )
