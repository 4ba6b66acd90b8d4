"""Scorers of any metric: its value, or its position in its null distribution.

Folds of different size and prevalence have different chance levels, so a mean of raw
values mixes values that are not comparable. Values relative to chance are comparable.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from skrank._utils._checks import check_option, check_undefined, invalid
from skrank.inference.random_selection._random_selection import null_of, zscore_of
from skrank.metrics._definitions import AnyMetric, Metric, make_metric, make_null_metric
from skrank.metrics._evaluate import undefined as undefined_value
from skrank.metrics._evaluate import why_undefined
from skrank.metrics._scorers import RankingScorer, scorer_of
from skrank.null import RandomSelectionNull
from skrank.ranking._as_ranking import as_ranking


def selection_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    statistic: str,
    pos_label: object = None,
    undefined: float | str = math.nan,
    metric: str | AnyMetric = "average_precision",
    ties: str = "expected",
) -> float:
    """Return a value relative to chance; see `make_metric_scorer`.

    Smaller values are better for "log10_pvalue" only.
    """
    answer = check_undefined(undefined)
    made = make_null_metric(metric, ties)
    check_statistic(statistic, made)
    ranking = as_ranking(y_true, y_score, pos_label=pos_label)
    reason = why_undefined(ranking, made)
    if reason is None:
        null = null_of(ranking, made)
        return _score(statistic, made.value(ranking), null, made.bounds[1])
    return undefined_value(statistic, reason, answer)


def check_statistic(statistic: str, metric: Metric) -> None:
    """Check that the statistic is defined for the metric."""
    check_option("statistic", statistic, ("zscore", "log10_pvalue", "chance_adjusted"))
    if statistic == "chance_adjusted" and math.isinf(metric.bounds[1]):
        rule = 'not be "chance_adjusted" for a metric without a largest value'
        raise invalid("statistic", rule, metric.name)


def _score(
    statistic: str, value: float, null: RandomSelectionNull, most: float
) -> float:
    if statistic == "log10_pvalue":
        return null.tail(value).log_pvalue / math.log(10)
    if statistic == "zscore":
        return zscore_of(value, null)
    mean = null.mean()
    # a ranking with the largest value in every order is not better than chance
    return 0.0 if null.std() == 0 else float((value - mean) / (most - mean))


def make_metric_scorer(
    metric: str | AnyMetric,
    *,
    ties: str = "expected",
    pos_label: object = None,
    undefined: float | str = float("nan"),
    detector_targets: str | None = None,
    statistic: str | None = None,
    average: str = "binary",
) -> RankingScorer:
    """Scorer of any metric by its name; for a value use the function of the metric.

    The scorer computes the metric from the scores of an estimator. A larger score is
    better, so the value of "k_at_recall" is negated.

    Parameters
    ----------
    metric : str or Metric
        Metric by its printed name: "average_precision", "average_precision@50",
        "recall@5%", "precision@10", "enrichment_factor@0.01", "reciprocal_rank",
        "rie(alpha=20)", "bedroc(alpha=20)", "r_precision", "max_f_score(beta=1)",
        "breakeven_point", "precision_at_recall(0.8)", "k_at_recall(0.8)",
        "recall_at_precision(0.5)", "wss(0.95)", "ks_statistic" or
        "expected_profit@20(benefit=200, cost=5)". A cutoff is a number of items or a
        fraction of the fold. "average_precision@50(normalize=hits)" has another
        divisor. An object made by :func:`make_metric` keeps its own tie rule.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule; see the metric function.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    undefined : float or "raise", default=nan
        Value of the metric on a fold without targets or without non-targets.
    detector_targets : {"outliers", "inliers"}, default=None
        Whether the targets are the outliers or the inliers of an outlier detector.
        Required for an outlier detector, because scikit-learn's detectors give inliers
        higher scores; no effect on other estimators.
    statistic : {"zscore", "log10_pvalue", "chance_adjusted"}, default=None
        Comparison of the value S with its mean E and standard deviation D under random
        selection in the fold, which makes folds of different sizes comparable. "zscore"
        is ``(S - E) / D``. "log10_pvalue" is the decimal logarithm of the p-value
        ``P(null >= S)`` with the sign changed, so that 3 means p = 0.001.
        "chance_adjusted" is ``(S - E) / (1 - E)``, 0 for the chance level and 1 for a
        perfect ranking; a metric of your own has its upper bound in place of 1. Not
        available for metrics without a null distribution: "max_f_score",
        "breakeven_point", "k_at_recall", "precision_at_recall", "wss", "ks_statistic"
        and "recall_at_precision". None uses the value itself.
    average : {"binary", "macro"}, default="binary"
        "binary" computes the metric for the class `pos_label`. "macro" computes the
        mean over the classes of a classifier, each against the rest and with equal
        weight; the name of the scorer then begins with ``"macro_"``. A class without
        items in the fold has the value `undefined`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y) -> float``, made by
        :func:`sklearn.metrics.make_scorer`. Its ``__name__`` is the name of the metric,
        with the prefix ``neg_`` if the value is negated. With a `statistic`, it is a
        name such as "zscore(average_precision)".

    Raises
    ------
    ValueError
        If the metric is unknown, or if a setting is outside its range. The scorer
        raises the error if the estimator only predicts labels, does not know the class
        `pos_label`, or is an outlier detector and `detector_targets` is None, or if a
        fold has fewer items than the cutoff.

    See Also
    --------
    make_average_precision_scorer : Scorer of average precision.
    RandomSelectionTest : The test with its full result.

    Notes
    -----
    All statistics are finite for every fold with targets and non-targets. They are 0
    for constant scores, and if other ties allow only a single value. A perfect ranking
    of m targets among n items without ties has the p-value 1 / C(n, m), and its
    logarithm does not underflow. The mean and the standard deviation are exact and
    fast. A p-value takes from ten milliseconds to seconds.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrank import make_metric_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_metric_scorer("bedroc(alpha=20)", pos_label=0)
    >>> estimator = KNeighborsClassifier()
    >>> cross_val_score(estimator, X, y, scoring=scorer).round(2)
    array([0.96, 1.  , 1.  , 1.  , 0.97])
    >>> make_metric_scorer("k_at_recall(0.8)").__name__
    'neg_k_at_recall(0.8)'
    >>> scorer = make_metric_scorer(
    ...     "average_precision", statistic="chance_adjusted", pos_label=0
    ... )
    >>> cross_val_score(estimator, X, y, scoring=scorer).round(2)
    array([0.87, 0.93, 0.97, 0.94, 0.9 ])
    """
    if statistic is None:
        made = make_metric(metric, ties)
        return scorer_of(made, pos_label, undefined, detector_targets, average)
    made = make_null_metric(metric, ties)
    check_statistic(statistic, made)
    answer = check_undefined(undefined)
    larger = statistic != "log10_pvalue"  # smaller p-values are better
    if not larger and isinstance(answer, float):
        answer = -answer  # the sign of the scorer reverses this
    return RankingScorer(
        selection_score,
        f"{'macro_' * (average == 'macro')}{statistic}({made.name})",
        pos_label,
        answer,
        detector_targets,
        greater_is_better=larger,
        average=average,
        statistic=statistic,
        metric=metric,
        ties=ties,
    )
