"""Test of a ranking against random selection: the mean over one ranking or several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from skrank._utils._checks import (
    check_flag,
    check_option,
    check_undefined,
    invalid,
)
from skrank._utils._rounding import ROUNDING
from skrank._utils._text import brief, track
from skrank.inference.base._question import MetricQuestion
from skrank.inference.random_selection._exchange import exchange_of, exchanged_values
from skrank.inference.random_selection._random_selection_result import (
    RandomSelectionResult,
)
from skrank.metrics._definitions import AnyMetric, Metric
from skrank.null import MeanNull, RandomSelectionNull
from skrank.null._distribution import shared
from skrank.null._sampling import tail
from skrank.null._tail import ALTERNATIVES, METHODS
from skrank.ranking._folds import FOLDS_INFLATION
from skrank.ranking._group_labels import (
    warn_of_unlisted,
)
from skrank.ranking._ranking import Ranking
from skrank.ranking._rankings import Rankings


class RandomSelectionTest(MetricQuestion[RandomSelectionResult]):
    """Test a ranking against random selection; after a search use SearchSelectionTest.

    Under the null hypothesis, all assignments of the m target labels to the n items are
    equally likely, given the scores and their ties. The p-value is the probability that
    the metric is at least as large as observed.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object made by
        :func:`make_metric`, which has its own tie rule.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    method : {"auto", "exact", "inversion", "importance_sampling", "monte_carlo", \
            "normal"}, default="auto"
        Method of the p-value; see Notes.
    alternative : {"greater", "less", "two-sided"}, default="greater"
        Values that count as more extreme: large, small, or both (twice the smaller of
        the two probabilities).
    n_resamples : int, default=9999
        Number of rankings that "monte_carlo" and "importance_sampling" draw.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of methods that draw. With None, each call draws anew.
    independent : bool, default=False
        Whether to treat the folds of a cross-validation as independent rankings,
        without the factor of the square root of 2 (see Notes). This is only valid if
        the models were not fitted to the labels of other folds. Otherwise small
        p-values are too small, by a factor of up to nine at 0.001.
    n_jobs : int, default=None
        Number of joblib jobs that fit and predict the folds of a cross-validation.
    progress : bool, default=False
        Whether to show progress bars; needs tqdm.
    undefined : float or "raise", default=nan
        Value of the metric in groups or folds without targets or without non-targets.
        NaN leaves these out with a warning, and "raise" raises an error. Other values
        are not allowed, because random selection has the same value there.

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
    "exact"               enumeration over the ties, closed forms, or counting
    "inversion"           numerical inversion of the characteristic function
    "importance_sampling" rankings drawn near the observed value; unbiased
    "monte_carlo"         ``(C + 1) / (B + 1)``, with C of B draws as extreme
    "normal"              from the z-score; for comparison only
    ===================== ==========================================================

    "auto" tries the first three methods in this order if they are fast, and accepts
    only results within proven bounds. If all fail, `method` of the result is "bounds",
    the p-value is an upper bound, and a warning is issued.

    The distribution of Zhang and Su [1]_ is generalised to ties; see
    :ref:`random_selection` for the use and :ref:`pvalues` for methods and accuracy.
    With `clusters`, the labels of whole clusters of equal size are permuted [2]_; with
    `groups` too, the clusters must also have equal sizes in each group. With `strata`,
    labels are permuted within strata. Both use "monte_carlo"; see :ref:`clusters`.

    The folds of a cross-validation are not independent, because the labels of each fold
    train the models that rank the other folds. The standard deviation of their mean is
    therefore multiplied by the square root of 2, an upper bound
    (:ref:`derivations_folds`; measured type I error rates: :ref:`validation`). No item
    may be held out twice. `bonferroni_pvalue` of the result is valid for any dependence
    of the folds.

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
      value      0.3613
      null mean  0.01643
      null std   0.0141
      zscore     24.4
      pvalue     3.9e-08   P(null >= observed), method: inversion
    """

    # shared: metric ties progress

    _refuses: ClassVar[dict[str, str]] = {
        "sample_weight": "weighted items have no null distribution"
    }
    _repeated: ClassVar[bool] = False

    def __init__(
        self,
        metric: str | AnyMetric = "average_precision",
        *,
        ties: str = "expected",
        method: str = "auto",
        alternative: str = "greater",
        n_resamples: int = 9999,
        random_state: object = 0,
        independent: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
        undefined: float | str = math.nan,
    ) -> None:
        super().__init__(metric, ties, n_resamples, n_jobs, progress, random_state)
        self.undefined = check_undefined(undefined)
        if self.undefined != "raise" and not math.isnan(float(self.undefined)):
            rule = "be nan or 'raise', as random selection has the same value there"
            raise invalid("undefined", rule, brief(undefined))
        check_option("method", method, METHODS)
        check_option("alternative", alternative, ALTERNATIVES)
        self.method = method
        self.alternative = alternative
        self.independent = check_flag("independent", independent)

    def from_rankings(self, rankings: Any) -> RandomSelectionResult:
        """Test rankings of one model.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data, of one model.

        Returns
        -------
        result : RandomSelectionResult
            Immutable: the value, its null distribution and the p-value. The results of
            several rankings are in `parts`.

        Raises
        ------
        ValueError
            If there are several models, if there are no targets or no non-targets, if
            items have weights, or if `method` is not valid for clusters or strata.
        """
        _, asked = self._asked(rankings)
        asked = asked.returned("the test")
        if asked.n_missed:
            warn_of_unlisted("the test")
        if asked.clusters is not None or asked.strata is not None:
            return self._of_exchanged(asked)
        metric = self._metric()
        null: Any = null_of_mean(asked, metric, independent=self.independent)
        values = [metric.value(one) for one in asked.single]
        fields = self._fields(asked) | {"n_missed": asked.n_missed}
        if asked.labels:
            fields["parts"] = _PartResults(self, values, null.nulls, asked.single)
        mean = float(np.mean(values))
        return self._result(mean, null, progress=self.progress, **fields)

    def _of_exchanged(self, asked: Rankings) -> RandomSelectionResult:
        """Test rankings of items in clusters or strata, by permuted labels."""
        if self.method not in ("auto", "monte_carlo"):
            rule = "be 'auto' or 'monte_carlo' with `clusters` or `strata`"
            raise invalid("method", rule, repr(self.method))
        metric, each = self._metric(), asked.single
        codes: Any = asked.strata if asked.clusters is None else asked.clusters
        groups, is_target = np.full(codes.size, -1), np.zeros(codes.size, dtype=bool)
        every = asked.items or [np.arange(codes.size)]
        for number, (items, one) in enumerate(zip(every, each, strict=True)):
            groups[items], is_target[items[one.items.targets]] = number, True
        exchange = exchange_of(is_target, asked.clusters, asked.strata, groups)
        draws = exchanged_values(
            metric,
            each,
            exchange,
            groups,
            self.n_resamples,
            self._generator(),
            progress=self.progress,
        )
        values = tuple(metric.value(one) for one in each)
        statistic = float(np.mean(values))
        mean, std = draws.mean(), draws.std()
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
            value=statistic,
            zscore=float((statistic - mean) / std) if std else 0.0,
            pvalue=math.exp(log_p),
            log10_pvalue=log_p / math.log(10),
            pvalue_relative_error=error,
            null_mean=float(mean),
            null_std=float(std),
            method="monte_carlo",
            alternative=self.alternative,
            null_values=draws,
            permuted=exchange.description,
            _values=values if asked.labels else (),
            n_strata=0 if asked.strata is None else int(asked.strata.max()) + 1,
            **self._fields(asked),
        )

    def _result(
        self, value: float, null: Any, *, progress: bool, **fields: Any
    ) -> RandomSelectionResult:
        """Return the result for a value and its null distribution."""
        log_p, log_bounds, error, method = null.tail(
            value,
            alternative=self.alternative,
            method=self.method,
            n_resamples=self.n_resamples,
            random_state=self.random_state,
            progress=progress,
        )
        return RandomSelectionResult(
            value=value,
            zscore=zscore_of(value, null),
            pvalue=math.exp(log_p),
            log10_pvalue=log_p / math.log(10),
            pvalue_bounds=log_bounds
            and (math.exp(log_bounds[0]), math.exp(log_bounds[1])),
            pvalue_relative_error=error,
            null_mean=null.mean(),
            null_std=null.std(),
            method=method,
            alternative=self.alternative,
            null_distribution=null,
            **fields,
        )


class _PartResults(Sequence[RandomSelectionResult]):
    """Results of single rankings, computed on access.

    Each takes as long as the result of the mean.
    """

    def __init__(
        self,
        test: RandomSelectionTest,
        values: Sequence[float],
        nulls: Sequence[RandomSelectionNull],
        rankings: Sequence[Ranking],
    ) -> None:
        self._test = test
        self._asked = list(zip(values, nulls, rankings, strict=True))

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
        # equal values of equal distributions, unless each result has its own draws
        known: dict[Any, RandomSelectionResult] = {}
        key: Any
        shares = isinstance(self._test.random_state, Integral)
        found = []
        for i, (value, null, one) in enumerate(shown):
            key = (value, null, one.n_missed) if shares else i
            if key not in known:
                known[key] = self._test._result(
                    value,
                    null,
                    progress=False,
                    metric=null.metric,
                    n_samples=int(one.n_samples) + one.n_missed,
                    n_targets=int(one.n_targets),
                    n_missed=one.n_missed,
                )
            found.append(known[key])
        return tuple(found)


def null_of(ranking: Ranking, metric: Metric) -> RandomSelectionNull:
    """Distribution of a metric on a ranking, with its ties and missed targets.

    Parameters
    ----------
    ranking : Ranking
        The ranking.
    metric : Metric
        The metric.

    Returns
    -------
    null : RandomSelectionNull
        The null distribution.
    """
    ties = ranking.items.tie_groups()
    ties = replace(ties, n_missed=ranking.n_missed, several=ranking.several)
    return RandomSelectionNull.of_ties(ties, int(ranking.n_targets), metric)


def null_of_mean(
    rankings: Rankings, metric: Metric, *, independent: bool = False
) -> RandomSelectionNull | MeanNull:
    """Distribution of the mean over the parts, which folds of one data set inflate.

    Parameters
    ----------
    rankings : Rankings
        Rankings of one model.
    metric : Metric
        The metric.
    independent : bool, default=False
        Whether the folds are of independent items.

    Returns
    -------
    null : RandomSelectionNull or MeanNull
        The null distribution; that of the only ranking if there is one.
    """
    nulls = shared([null_of(one, metric) for one in rankings.single])
    if not rankings.labels:
        return nulls[0]
    spread = rankings.kind == "folds" and len(nulls) > 1 and not independent
    return MeanNull(nulls, inflation=FOLDS_INFLATION if spread else 1.0)


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
