"""Results of `RankingComparison`."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import brentq
from scipy.stats import nct, norm, t

from skrank._utils._checks import check_fraction, check_positive, invalid
from skrank._utils._numbers import format_pvalue, interval, number, numbers
from skrank._utils._printed import Printed, Shown
from skrank._utils._signature import signature_of
from skrank._utils._table import data_frame
from skrank._utils._text import as_text, columns_of, format_size
from skrank._utils._warnings import warn
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.base._result import Result, printed_field
from skrank.inference.comparison._leaderboard import RankingLeaderboard, leaderboard_of
from skrank.inference.comparison._rules import PairRule
from skrank.inference.variability._interval_rules import tail_above


@signature_of()
@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class RankingComparisonResult(Result):
    """Result of a :class:`RankingComparison` of two rankings, A and B.

    The fields are the same for all methods, and for one or several data sets.

    Attributes
    ----------
    value_a, value_b : float
        Values of the metric, or their means over several data sets.
    difference : float
        ``value_a - value_b``.
    standard_error : float
        Standard error of the difference. "permutation" uses the standard error of the
        jackknife, or NaN for metrics and clusters that have none. It is NaN for "sign"
        and "wilcoxon", and if the difference does not vary in the sample, such as for
        two rankings in the same order. It is 0 if the value does not depend on the
        order: all items are tied, or all items are in the top.
    zscore : float
        Difference divided by its standard error. "mcnemar", "permutation", "sign" and
        "wilcoxon" divide by the standard deviation under the null hypothesis. NaN for
        a sample of labels, whose p-value comes from the limits of the difference.
    pvalue : float
        Probability of a difference at least as extreme if A and B are equally good. For
        "posterior" it is the posterior probability of the opposite difference. If the
        p-value underflows to 0.0, use `log10_pvalue`.
    log10_pvalue : float
        Decimal logarithm of the p-value.
    is_pvalue_limit : bool
        Whether no random permutation has as large a difference. More permutations can
        then give a smaller p-value, so it is printed with "<=".
    probability_superior : float
        Posterior probability that A is better. For "posterior": that A finds targets
        that B misses more often than the reverse. For "t" and "corrected_t": that the
        mean of A is larger. NaN for other methods.
    alternative : str
        Differences that count as more extreme.
    names : tuple of two str
        Names of A and B.
    degrees_of_freedom : float
        Degrees of freedom of the standard error; infinite for the normal distribution.
    values_a, values_b : tuple of float
        Values of the metric for A and for B on each data set.
    metric, method : str
        Name of the metric with its cutoff, and method that was used (never "auto").
    n_samples, n_targets, n_missed : int
        Numbers of items, of targets, and of targets that were never scored, in all
        rankings together. An item in several folds counts once.
    n_rankings : int
        Number of rankings, which are groups or folds; 1 for a single ranking.
    kind : {"one", "groups", "folds"}
        Whether there is a single ranking, or a ranking for each group or fold.
    labels : tuple
        Labels of several rankings: the values of `groups`, or the numbers of the folds.
    n_clusters : int
        Number of clusters; 0 without `clusters`.
    n_labelled : int
        Number of items with a label, including the targets, if labels are missing;
        otherwise 0.

    See Also
    --------
    RankingComparison : Creates this object.

    Examples
    --------
    >>> from skrank import RankingComparison
    >>> y_true = [1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    >>> day = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    >>> a = [9, 7, 6, 5, 4, 1, 2, 6, 5, 3, 8, 1]
    >>> b = [1, 7, 6, 5, 4, 9, 8, 3, 5, 6, 2, 1]
    >>> test = RankingComparison()
    >>> result = test.from_predictions(y_true, {"A": a, "B": b}, groups=day)
    >>> round(result.difference, 3), round(result.pvalue, 3), result.method
    (0.2, 0.5, 't')
    >>> result.to_frame().round(3)
       ranking  value_a  value_b  difference
    0        1    0.867    0.467         0.4
    1        2    0.333    0.333         0.0
    """

    # shared: of_results

    title: ClassVar[str] = "Comparison of two rankings by {0.metric}"
    unit: ClassVar[str] = "data set"

    names: tuple[str, str]
    value_a: float
    value_b: float
    difference: float = printed_field()
    standard_error: float = printed_field("{1._known[0]}")
    zscore: float = printed_field(digits=3)
    pvalue: float = printed_field("{1._pvalue}")
    log10_pvalue: float
    is_pvalue_limit: bool = False
    probability_superior: float = math.nan
    alternative: str = "two-sided"
    degrees_of_freedom: float = math.inf
    values_a: tuple[float, ...] = ()
    values_b: tuple[float, ...] = ()
    n_labelled: int = 0
    _rule: PairRule | None = None

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the confidence interval of the difference.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the interval contains the difference, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Lower and upper limit. A one-sided alternative has only one finite limit.
            The limits are NaN, with a warning, if the method has no standard error.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1.

        Notes
        -----
        Each limit is the more extreme of two limits:

        * The limit from sampling variation. For "permutation" and "jackknife" with one
          data set without clusters, it combines the intervals of A and B and their
          correlation [1]_. Otherwise it is the difference plus or minus a multiple of
          the standard error: a quantile of Student's t with `degrees_of_freedom`, or of
          the normal distribution if these are infinite.
        * The limit from targets that a model can lose in other samples. A model that
          lost none of 12 targets of equal weight can lose up to 26 % of the value: a
          limit of a binomial share [2]_. It needs a metric that is a sum over targets.
          For "t", "corrected_t" and "two_way", whose data sets are a sample, it is only
          used if all differences are 0.

        The interval of two rankings in the same order therefore has a positive width.
        It is a single point only if the value does not depend on the order. `pvalue`
        has other assumptions, and can disagree with an interval that ends near 0.

        References
        ----------
        .. [1] Zou and Donner (2008), "Construction of confidence limits about effect
           measures", *Statistics in Medicine* 27(10), 1693-1702.
        .. [2] Clopper and Pearson (1934), "The use of confidence or fiducial limits",
           *Biometrika* 26(4), 404-413.
        """
        level = check_fraction("confidence_level", confidence_level)
        if self._rule is None:
            warn(
                f"Method {self.method!r} gave no standard error of the difference: the "
                "interval is undefined."
            )
        return limits_of(self, level)

    def noninferiority_pvalue(self, margin: float) -> float:
        """Return the p-value of the claim that A is worse than B by less than a margin.

        Parameters
        ----------
        margin : float
            Largest loss that does not matter, above 0, on the scale of the metric.
            Choose it before the labels are seen.

        Returns
        -------
        pvalue : float
            Probability of a difference ``A - B`` at least as large as observed if the
            true difference is ``-margin``. A small value means that A is not worse by
            the margin. NaN, with a warning, without a standard error. If smaller values
            of the metric are better, exchange A and B.

        Raises
        ------
        ValueError
            If `margin` is not a finite number above 0.

        Notes
        -----
        The p-value inverts `confidence_interval`: it is 0.025 if the two-sided 95 %
        interval begins at ``-margin``. It is never below 5e-16. With few targets a
        small margin cannot be shown, even for equal rankings: with 12 targets of equal
        weight, a margin of a tenth of the value has p = 0.9**12 = 0.28.
        """
        return self._tail_above(-check_positive("margin", margin))

    def equivalence_pvalue(self, margin: float) -> float:
        """Return the p-value of the claim that A and B differ by less than a margin.

        Parameters
        ----------
        margin : float
            Largest difference that does not matter, above 0, on the scale of the
            metric. Choose it before the labels are seen.

        Returns
        -------
        pvalue : float
            The larger of the p-values for ``A - B > -margin`` and ``A - B < margin``
            (two one-sided tests [1]_), as in `noninferiority_pvalue`. A small value
            means that A and B are equivalent. NaN, with a warning, without a standard
            error.

        Raises
        ------
        ValueError
            If `margin` is not a finite number above 0.

        References
        ----------
        .. [1] Schuirmann (1987), *J. Pharmacokinet. Biopharm.* 15(6), 657-680.
        """
        margin = check_positive("margin", margin)
        return max(self._tail_above(-margin), 1 - self._tail_above(margin))

    def conclusion(self) -> str:
        """Return the conclusion of the comparison, in sentences.

        Returns
        -------
        text : str
            Which ranking is better at the 5 % level, the difference, and its interval.
        """
        low, high = limits_of(self)
        p = format_pvalue(self.log10_pvalue, is_limit=self.is_pvalue_limit, called="p")
        limits = f"95 % interval of the difference {low:.3g} to {high:.3g}, {p}"
        if math.isnan(low):  # a method without it
            limits = p
        values = f": {self.value_a:.3g} and {self.value_b:.3g}"
        if math.isnan(self.value_a + self.value_b):
            values = ""  # not known, as hits that both have
        of_list = " on this list" if self.n_labelled else ""
        if self.pvalue <= 0.05 and low == high:
            limits = f"difference {low:.3g}, which the labels decide"
        a, b = map(as_text, self.names)
        if not self.pvalue <= 0.05:
            found = (
                f"There is no significant difference in {self.metric} between {a} and "
                f"{b}"
            )
        else:
            larger = "larger" if self.difference > 0 else "smaller"
            found = f"{a} has a {larger} {self.metric} than {b}"
        return f"{found}{of_list}{values} ({limits})."

    def _tail_above(self, value: float) -> float:
        """Probability of a difference at least as large if `value` is the true one."""
        if self._rule is None:
            warn(
                f"Method {self.method!r} gave no standard error of the difference: the "
                "p-value of a margin is undefined."
            )
            return math.nan
        return tail_above(self._rule, self.difference, value)

    def sample_size(
        self,
        power: float = 0.8,
        significance_level: float = 0.05,
        *,
        difference: float | None = None,
    ) -> float:
        """Number of data sets, clusters or targets needed to detect a difference.

        Parameters
        ----------
        power : float, default=0.8
            Probability that the difference is significant, between 0 and 1, if the true
            variance is the observed one.
        significance_level : float, default=0.05
            Level of the test with this alternative, between 0 and 1.
        difference : float, default=None
            Smallest difference that matters, above 0, on the scale of the metric. None
            uses the observed difference if it is significant at this level. It tends to
            be too large, so that the sample size is too small.

        Returns
        -------
        sample_size : float
            Whole number of data sets for several data sets, of clusters with
            `clusters`, and otherwise of targets, with non-targets in proportion. NaN,
            with a warning, for an observed difference that is not significant, which
            tends to be too small and can be 0. Also NaN if the standard error is 0 or
            missing, for the folds of a cross-validation (more folds add no data), for
            "two_way", and if labels are missing.

        Raises
        ------
        ValueError
            If `power` or `significance_level` is not between 0 and 1, or if
            `difference` is not a finite number above 0.

        Notes
        -----
        For targets the size is ``((q1 + q2) s / d)**2``, for a difference d with the
        standard error s for one unit and quantiles q1 and q2 of the normal distribution
        (Lehr 1992). For data sets and clusters the power comes from the noncentral t
        distribution, with degrees of freedom in proportion to their number; the sizes
        of new clusters must vary as in these data.
        """
        power = check_fraction("power", power)
        level = check_fraction("significance_level", significance_level)
        no_units = self.method in ("corrected_t", "two_way") or self.n_labelled
        if no_units or not self.standard_error > 0:
            return math.nan
        if difference is not None:
            difference = check_positive("difference", difference)
        elif self.pvalue <= level:
            difference = self.difference
        else:
            warn(
                f"The observed difference is not significant (p {self.pvalue:.2g}): it "
                "is too uncertain to compute a sample size. Pass the smallest "
                "difference that matters as `difference`."
            )
            return math.nan
        return self._needed(difference / self.standard_error, power, level)

    def _needed(self, ratio: float, power: float, level: float) -> float:
        """Return the sample size for a difference of so many standard errors."""
        outside = level / (2 if self.alternative == "two-sided" else 1)
        few = len(self.labels) or self.n_clusters
        per_unit = (few or self.n_targets) / ratio**2
        needed = per_unit * (norm.isf(outside) + norm.ppf(power)) ** 2
        if few and math.isfinite(self.degrees_of_freedom):
            share = self.degrees_of_freedom / max(few - 1, 1)

            def lack(n: float) -> float:
                freedom = max(share * (n - 1), 1.0)
                at = t.isf(outside, freedom)
                return float(power - nct.sf(at, freedom, math.sqrt(n / per_unit)))

            low, high = max(needed, 1e-9), 2 * needed + 4 / share
            while lack(high) > 0:
                high *= 2
            needed = brentq(lack, low, high, rtol=1e-6) if lack(low) > 0 else low
        return float(math.ceil(needed))

    @property
    def _known(self) -> tuple[str, str]:
        """The standard error and the interval, in print."""
        error, limits = self.standard_error, interval(*limits_of(self))
        return "unknown" if math.isnan(error) else number(error, 3), limits

    @property
    def _reason(self) -> str:
        """What the interval rests on, if the rankings do not show it."""
        if self.n_labelled:
            return ""
        if self.standard_error == 0:
            return "   the values do not depend on the order"
        if self._rule is not None and math.isnan(self.standard_error):
            return "   equal here, not always in other samples"
        return ""

    @property
    def _pvalue(self) -> str:
        """The p-value with its alternative and its method, in print."""
        value = format_pvalue(self.log10_pvalue, is_limit=self.is_pvalue_limit)
        return f"{value}   {self.alternative}, method: {self.method}"

    @property
    def _size(self) -> str:
        """The size of the data, in print."""
        if not self.n_samples:
            return "of each model, as given"
        return format_size(
            self.n_samples,
            self.n_targets,
            self.n_missed,
            self.n_clusters,
            n_labelled=self.n_labelled,
        )

    def _rows(self) -> list[tuple[str, str]]:
        size, difference, error, *others = Result._rows(self)
        reserved = [self._parts, "difference", "standard error", "95 % interval"]
        reserved += ["zscore", "pvalue"]
        first, second = (as_text(name, reserved=reserved) for name in self.names)
        low, high = limits_of(self)
        values = [
            (first, f"{number(self.value_a)}{self._mean}"),
            (second, f"{number(self.value_b)}{self._mean}"),
        ]
        if self.n_labelled and self.standard_error == 0 and low == high:
            exact = (difference[0], f"{difference[1]}, exact by these labels")
            is_known = not math.isnan(self.value_a + self.value_b)
            return [size, *(values * is_known), exact]
        rows = [
            size,
            *values,
            difference,
            error,
            ("95 % interval", f"{self._known[1]}{self._reason}"),
            *(row for row in others if not (self.n_labelled and row[0] == "zscore")),
        ]
        is_asked = self.method == "posterior" or not self.n_samples
        if is_asked and not math.isnan(self.probability_superior):
            rows.append((f"P({first} > {second})", number(self.probability_superior)))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields that are numbers or strings, and `n_rankings`. The names of the
            models are "name_a" and "name_b", and the limits of the 95 % interval are
            "low" and "high".
        """
        name_a, name_b = self.names
        names = {"name_a": name_a, "name_b": name_b}
        return {**names, **Result.to_dict(self), **limits_of(self)._asdict()}

    def _columns(self) -> dict[str, Any]:
        values = zip(self.values_a, self.values_b, strict=True)
        differences = [a - b for a, b in values]
        if self.n_labelled:  # which is known also where the values are not
            differences = [self.difference]
        return {
            "value_a": self.values_a,
            "value_b": self.values_b,
            "difference": differences,
        }


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RankingComparisonTable(Printed):
    """Comparisons of all pairs of models: the result of compare_all.

    Attributes
    ----------
    comparisons : tuple of RankingComparisonResult
        Result of :class:`RankingComparison` for each pair.
    adjusted_pvalues : tuple of float
        Holm-adjusted p-values in the same order, adjusted for all pairs if the baseline
        is "best". If all differences with an adjusted p-value of at most 0.05 are
        called significant, the family-wise error rate is at most 5 %.
    adjusted_log10_pvalues : tuple of float
        Decimal logarithms of the adjusted p-values. Use them if p-values underflow.
    names : tuple of str
        Names of the rankings.
    greater_is_better : bool
        Whether larger values of the metric are better.

    See Also
    --------
    RankingComparison : Creates this object; see its method `compare_all`.
    RankingLeaderboard : Ranges of ranks, returned by `leaderboard`.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingComparison
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(500) < 20
    >>> scores = {f"shift {d}": rng.normal(d * y_true) for d in (0, 1, 2)}
    >>> test = RankingComparison()
    >>> table = test.compare_all(y_true, scores, baseline="shift 0")
    >>> columns = ["name_a", "name_b", "difference", "adjusted_pvalue"]
    >>> table.to_frame()[columns].round(4)
        name_a   name_b  difference  adjusted_pvalue
    0  shift 1  shift 0      0.2446           0.0003
    1  shift 2  shift 0      0.4592           0.0002
    """

    comparisons: tuple[RankingComparisonResult, ...]
    adjusted_pvalues: tuple[float, ...]
    adjusted_log10_pvalues: tuple[float, ...]
    names: tuple[str, ...]
    greater_is_better: bool = True

    def leaderboard(self, confidence_level: float = 0.95) -> RankingLeaderboard:
        """Return the rankings from the best to the worst, with the range of each rank.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that all ranges contain the true ranks, between 0 and 1.

        Returns
        -------
        leaderboard : RankingLeaderboard
            Values, adjusted p-values, ranges of ranks, and letters.

        Raises
        ------
        ValueError
            If the table does not contain all pairs, if the method has no p-values, or
            if the level is not between 0 and 1.

        Notes
        -----
        One ranking is significantly better than another if its value is better and the
        adjusted p-value of the pair is at most 1 minus the level. The ranges of the
        ranks [1]_, the letters [2]_ and the set of best rankings follow from these
        pairs. All of them are correct together with a probability of
        `confidence_level`, for any number of rankings.

        References
        ----------
        .. [1] Al Mohamad, Goeman and van Zwet (2022), "Simultaneous confidence
           intervals for ranks", *Biometrics* 78(1), 252-261.
        .. [2] Piepho (2004), "An algorithm for a letter-based representation of all-
           pairwise comparisons", *J. Comput. Graph. Stat.* 13(2), 456-466.
        """
        level = check_fraction("confidence_level", confidence_level)
        first, k = self.comparisons[0], len(self.names)
        if len(self.comparisons) != k * (k - 1) // 2:
            raise invalid("baseline", "be None for a leaderboard", "some of the pairs")
        if first.method == "posterior" or first.alternative != "two-sided":
            rule = "give two-sided p-values for a leaderboard"
            got = f"{first.method}, {first.alternative}"
            raise invalid("method", rule, got)
        at = {name: i for i, name in enumerate(self.names)}
        differences, log10_pvalues = np.zeros((2, k, k))
        values, is_limit = np.zeros(k), np.zeros((k, k), dtype=bool)
        for one, adjusted in zip(
            self.comparisons, self.adjusted_log10_pvalues, strict=True
        ):
            i, j = (at[str(name)] for name in one.names)
            values[i], values[j] = one.value_a, one.value_b
            better = one.difference if self.greater_is_better else -one.difference
            differences[i, j], differences[j, i] = better, -better
            log10_pvalues[[i, j], [j, i]] = adjusted
            is_limit[[i, j], [j, i]] = one.is_pvalue_limit
        return leaderboard_of(
            self.names,
            values,
            differences,
            log10_pvalues,
            is_limit,
            metric=first.metric,
            confidence_level=level,
        )

    def _shown(self) -> Shown:
        first = self.comparisons[0]
        header = (
            *("A", "B", "value A", "value B", "difference", "std error"),
            *("zscore", "pvalue", "adjusted"),
        )
        results = self.comparisons
        # values and differences have one scale
        values = [(r.value_a, r.value_b, r.difference) for r in results]
        texts = numbers(np.ravel(values))
        columns = (
            *zip(*(map(as_text, r.names) for r in results), strict=True),
            *(texts[start::3] for start in range(3)),
            numbers((r.standard_error for r in results), 3),
            [f"{r.zscore:.2f}" for r in results],
            *zip(
                *map(shown_pvalues, results, self.adjusted_log10_pvalues), strict=True
            ),
        )
        cells = [header, *zip(*columns, strict=True)]
        if first.n_labelled:  # without z-scores
            at = header.index("zscore")
            cells = [(*row[:at], *row[at + 1 :]) for row in cells]
        facts = [
            (first._parts, first._size),
            ("pvalue", f"{first.alternative}, method: {first.method}"),
        ]
        title = f"Comparison of {len(self.names)} rankings by {first.metric}"
        return Shown(title, facts, cells)

    def to_dict(self) -> dict[str, list[float | int | str]]:
        """Return the table as columns of plain numbers and strings.

        Returns
        -------
        columns : dict
            Fields of :meth:`RankingComparisonResult.to_dict` as lists, with
            "adjusted_pvalue" and "adjusted_log10_pvalue".
        """
        rows = [result.to_dict() for result in self.comparisons]
        return {
            **columns_of(rows),
            "adjusted_pvalue": list(self.adjusted_pvalues),
            "adjusted_log10_pvalue": list(self.adjusted_log10_pvalues),
        }

    def to_frame(self) -> Any:
        """Return the table as a data frame.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each comparison, with the columns of `to_dict`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame(self.to_dict())


def limits_of(
    result: RankingComparisonResult, level: float = 0.95
) -> ConfidenceInterval:
    """Return the ends of the interval of a difference; NaN without a rule."""
    if result._rule is None:
        return ConfidenceInterval(math.nan, math.nan)
    sides = 2 if result.alternative == "two-sided" else 1
    inside = 1 - 2 * (1 - level) / sides
    low, high = result._rule.bounds(abs(inside))
    if inside < 0:  # a single limit on the other side of the estimate
        low, high = high, low
    return ConfidenceInterval(
        -math.inf if result.alternative == "less" else low,
        math.inf if result.alternative == "greater" else high,
    )


def shown_pvalues(
    result: RankingComparisonResult, log10_adjusted: float
) -> tuple[str, str]:
    """Return the p-value of a pair and its adjusted p-value as text."""
    both, is_limit = (result.log10_pvalue, log10_adjusted), result.is_pvalue_limit
    one, adjusted = (
        "-" if math.isnan(p) else format_pvalue(p, is_limit=is_limit) for p in both
    )
    return one, adjusted
