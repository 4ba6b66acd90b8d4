"""Does a ranking beat luck? The test against random selection.

What comes in is a ranking, as labels and scores or as a fitted estimator; what goes out
is a frozen result. The test object holds settings alone and is not changed by running.
"""

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from skrank._measures import make_measure
from skrank._ranking import Ranking, rank
from skrank._response import target_scores
from skrank._validation import check_count, check_option, check_ranking_input
from skrank.null import RandomSelectionNull
from skrank.null._distribution import ALTERNATIVES, METHODS


@dataclass(frozen=True, slots=True, repr=False)
class RandomSelectionResult:
    """Result of a :class:`RandomSelectionTest`.

    The fields are the same whatever the method.

    Attributes
    ----------
    statistic : float
        Value of the metric.
    zscore : float
        ``(statistic - null_mean) / null_std``; NaN if luck has no spread. Not a route
        to the p-value: the law is skewed.
    pvalue : float
        Probability of a value at least as extreme under random selection. Where it
        underflows to 0.0, `log10_pvalue` does not.
    log10_pvalue : float
        Its decimal logarithm.
    pvalue_bounds : tuple of two floats or None
        Certified bounds of the p-value, from "enumeration" and "grid".
    null_mean, null_std : float
        Exact mean and standard deviation of the metric under random selection.
    n_samples, n_targets : int
        Number of items, and of targets among them.
    metric : str
        Name of the metric with its cut-off.
    method : str
        Method that gave the p-value; never "auto".
    alternative : str
        Which values count as more extreme.
    null_distribution : RandomSelectionNull
        The law itself.
    """

    statistic: float
    zscore: float
    pvalue: float
    log10_pvalue: float
    pvalue_bounds: tuple[float, float] | None
    null_mean: float
    null_std: float
    n_samples: int
    n_targets: int
    metric: str
    method: str
    alternative: str
    null_distribution: RandomSelectionNull

    def __str__(self) -> str:
        """Say what was found, in words and numbers."""
        beyond = {"greater": ">=", "less": "<=", "two-sided": "as far out as"}
        lines = [
            f"Random selection test of {self.metric}",
            f"  list       {self.n_samples} items, {self.n_targets} targets "
            f"(prevalence {self.n_targets / self.n_samples:.4g})",
            f"  value      {self.statistic:.4g}",
            f"  by luck    {self.null_mean:.4g} on average, "
            f"standard deviation {self.null_std:.3g}",
            f"  z          {self.zscore:.3g}",
            f"  p          {_format_pvalue(self.log10_pvalue)}   "
            f"P(luck {beyond[self.alternative]} value), by {self.method}",
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Print the summary, also where a notebook shows the result."""
        return str(self)

    def to_dict(self) -> dict[str, float | int | str]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields but the law; the bounds as "pvalue_lower" and "pvalue_upper",
            NaN where there are none.
        """
        fields = {name: getattr(self, name) for name in self.__slots__}
        del fields["null_distribution"]
        lower, upper = fields.pop("pvalue_bounds") or (math.nan, math.nan)
        return {**fields, "pvalue_lower": lower, "pvalue_upper": upper}


class RandomSelectionTest:
    """Test whether a ranking beats random selection.

    The null hypothesis is that the scores know nothing of the labels: all ways to put
    the m target labels on the n items are equally likely. The statistic is a metric;
    the p-value is the probability that luck does at least as well. Tied scores, as
    from nearest neighbours and trees, are part of the null.

    Parameters
    ----------
    metric : {"average_precision", "average_precision_at_k", "recall_at_t", \
            "precision_at_t", "enrichment_factor", "reciprocal_rank", "rie", \
            "bedroc"}, default="average_precision"
        The metric function to test by.
    k : int or float, default=None
        Depth of "average_precision_at_k".
    t : int or float, default=None
        Depth of "recall_at_t", "precision_at_t" and "enrichment_factor".
    normalize : {"min", "relevant", "hits"}, default="min"
        Divisor of "average_precision_at_k".
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    method : {"auto", "enumeration", "grid", "saddlepoint", "monte_carlo", "normal"}, \
            default="auto"
        How to compute the p-value; see Notes.
    alternative : {"greater", "less", "two-sided"}, default="greater"
        Values that count as more extreme: large, small, or both (twice the smaller of
        the two probabilities).
    n_resamples : int, default=9999
        Number of lists that "monte_carlo" draws.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of "monte_carlo".

    Raises
    ------
    ValueError
        If a setting is outside its range.

    See Also
    --------
    skrank.null.RandomSelectionNull : The law of a metric under random selection.

    Notes
    -----
    ================ ===================================== =========================
    method           p-value                               cost
    ================ ===================================== =========================
    "enumeration"    exact, by all ways to spread the      at most 2**21 ways
                     targets over the tie groups
    "grid"           to a few percent, with certified      seconds; refused where it
                     bounds; not below 1e-277              would take more
    "saddlepoint"    at any depth. To 10 % where the       about ten passes of
                     top of the list holds many targets    O(n_groups * n_targets)
                     by luck, as 100 in 1000; wrong by
                     a factor of 2 for 20 in 1000, of
                     5 and more for rarer ones or few
                     tie groups, less so deep in the tail
    "monte_carlo"    (C + 1) / (B + 1) from B draws; not   O(B * n_targets)
                     below 1 / (B + 1)
    "normal"         of the z-score; for comparison only,  one pass
                     wrong by orders of magnitude
    "auto"           the first of "enumeration", "grid",   as the one it takes;
                     "saddlepoint" that is feasible        seconds for the first two
    ================ ===================================== =========================

    Mean and standard deviation are exact for every metric and tie rule. The tail of
    average precision is heavy because luck that strikes at the top counts most: with 20
    targets among 1000 items, z = 6 has a p-value of 0.002, not the normal 1e-9.

    The law is that of Zhang and Su [1]_, generalised to ties: down the tie groups the
    hits form a Markov chain with hypergeometric steps, whose cumulant generating
    function is exact; the saddlepoint formula is that of Lugannani and Rice [2]_. Where
    the law has few atoms and is not enumerated, the saddlepoint counts about half of
    the observed one.

    References
    ----------
    .. [1] Zhang and Su (2012), "Statistical inference on recall, precision and average
       precision under random selection", *FSKD 2012*, 1348-1352.
    .. [2] Lugannani and Rice (1980), "Saddle point approximation for the distribution
       of the sum of independent random variables", *Advances in Applied Probability*
       12, 475-490.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RandomSelectionTest
    >>> y_true = np.zeros(1000, dtype=int)
    >>> y_true[[0, 2, 3, 9, 11, 30, 70, 150, 400, 800]] = 1
    >>> y_score = -np.arange(1000.0)
    >>> result = RandomSelectionTest().from_predictions(y_true, y_score)
    >>> print(result)
    Random selection test of average_precision
      list       1000 items, 10 targets (prevalence 0.01)
      value      0.3613
      by luck    0.01643 on average, standard deviation 0.0141
      z          24.4
      p          3.9e-08   P(luck >= value), by grid

    Luck does not find half of the targets within the first dozen items.
    """

    def __init__(
        self,
        metric: str = "average_precision",
        *,
        k: float | None = None,
        t: float | None = None,
        normalize: str = "min",
        ties: str = "expected",
        method: str = "auto",
        alternative: str = "greater",
        n_resamples: int = 9999,
        random_state: object = None,
    ) -> None:
        make_measure(metric, k=k, t=t, normalize=normalize, ties=ties)
        check_option("method", method, METHODS)
        check_option("alternative", alternative, ALTERNATIVES)
        check_count("n_resamples", n_resamples, least=1)
        self.metric = metric
        self.k = k
        self.t = t
        self.normalize = normalize
        self.ties = ties
        self.method = method
        self.alternative = alternative
        self.n_resamples = n_resamples
        self.random_state = random_state

    def __repr__(self) -> str:
        """Print the settings as they would be written."""
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"

    def from_estimator(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> RandomSelectionResult:
        """Test the ranking that a fitted estimator gives.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. It ranks by
            ``decision_function``, else ``predict_proba``, else ``predict``.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not those it was fitted on.
        y : array-like of shape (n_samples,)
            Their labels.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector, which must be stated for one.

        Returns
        -------
        result : RandomSelectionResult
            The value, its place under the null, and the p-value.

        Raises
        ------
        ValueError
            If the estimator can only give labels, is an outlier detector of unstated
            orientation, or the input is not valid for `from_predictions`.
        """
        y_score = target_scores(
            estimator, X, y, pos_label=pos_label, detector_targets=detector_targets
        )
        return self.from_predictions(y, y_score, pos_label=pos_label)

    def from_predictions(
        self, y_true: ArrayLike, y_score: ArrayLike, *, pos_label: object = None
    ) -> RandomSelectionResult:
        """Test a ranking given as labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels; both targets and others.
        y_score : array-like of shape (n_samples,)
            Scores; higher means a likelier target.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.

        Returns
        -------
        result : RandomSelectionResult
            The value, its place under the null, and the p-value.

        Raises
        ------
        ValueError
            If the input is not a ranking of two classes, or one of them is absent.
        """
        ranking = rank(check_ranking_input(y_true, y_score, pos_label=pos_label))
        _check_both_classes(ranking)
        settings: dict[str, Any] = {
            "k": self.k,
            "t": self.t,
            "normalize": self.normalize,
            "ties": self.ties,
        }
        measure = make_measure(self.metric, **settings)
        n_samples, n_targets = int(ranking.n_samples), int(ranking.n_targets)
        null = RandomSelectionNull(
            n_samples,
            n_targets,
            self.metric,
            tie_sizes=ranking.tie_sizes(),
            **settings,
        )
        statistic = measure.value(ranking)
        log_p, log_bounds, method = null.log_pvalue(
            statistic,
            alternative=self.alternative,
            method=self.method,
            n_resamples=self.n_resamples,
            random_state=self.random_state,
        )
        mean, std = null.mean(), null.std()
        return RandomSelectionResult(
            statistic=statistic,
            zscore=(statistic - mean) / std if std > 0 else math.nan,
            pvalue=math.exp(log_p),
            log10_pvalue=log_p / math.log(10),
            pvalue_bounds=log_bounds
            and (math.exp(log_bounds[0]), math.exp(log_bounds[1])),
            null_mean=mean,
            null_std=std,
            n_samples=n_samples,
            n_targets=n_targets,
            metric=measure.name,
            method=method,
            alternative=self.alternative,
            null_distribution=null,
        )


def _check_both_classes(ranking: Ranking) -> None:
    if not 0 < ranking.n_targets < ranking.n_samples:
        msg = (
            "`y_true` must hold targets and others to test a ranking; "
            f"got {ranking.n_targets} targets among {ranking.n_samples} items."
        )
        raise ValueError(msg)


def _format_pvalue(log10_pvalue: float) -> str:
    """Print a p-value of any depth."""
    if log10_pvalue > -4 or math.isinf(log10_pvalue):
        return f"{10**log10_pvalue:.2g}"
    exponent = math.floor(log10_pvalue + math.log10(20 / 19.9))  # 9.95 rounds to 10
    mantissa = max(1.0, 10 ** (log10_pvalue - exponent))
    return f"{mantissa:.1f}e{exponent:03d}"
