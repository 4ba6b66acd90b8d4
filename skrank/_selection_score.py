"""A ranking's place under luck as one number, to score candidates by.

Folds of different size and prevalence have different chance levels, so that means of
raw values compare unlike things. What is relative to luck compares.
"""

import math

from numpy.typing import ArrayLike

from skrank._measures import make_measure
from skrank._random_selection import RandomSelectionTest
from skrank._ranking import Ranking, rank
from skrank._validation import check_option, check_ranking_input, check_undefined
from skrank.metrics._evaluate import undefined_value, why_undefined

STATISTICS = ("zscore", "log10_pvalue", "chance_adjusted")


def selection_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    statistic: str,
    pos_label: object = None,
    undefined: float | str = math.nan,
    metric: str = "average_precision",
    k: float | None = None,
    t: float | None = None,
    alpha: float | None = None,
    normalize: str = "min",
    ties: str = "expected",
) -> float:
    """Return a value relative to luck; see ``make_random_selection_scorer``.

    "log10_pvalue" is the one that is better the smaller it is.
    """
    check_undefined(undefined)
    test = RandomSelectionTest(
        metric, k=k, t=t, alpha=alpha, normalize=normalize, ties=ties
    )
    check_statistic(statistic, test)
    ranking = rank(check_ranking_input(y_true, y_score, pos_label=pos_label))
    reason = why_undefined(ranking)
    if reason is None and statistic == "zscore" and test.null(ranking).std() == 0:
        reason = "ties that leave luck no choice"
    if reason is not None:
        return undefined_value(statistic, reason, undefined)
    return _score(test, ranking, statistic)


def check_statistic(statistic: str, test: RandomSelectionTest) -> None:
    """Check that the statistic has a meaning for the metric of the test."""
    check_option("statistic", statistic, STATISTICS)
    measure = make_measure(test.metric, **test.settings())
    if statistic == "chance_adjusted" and math.isinf(measure.bounds[1]):
        msg = (
            '`statistic` must not be "chance_adjusted" for a metric without a largest '
            f"value; got metric={test.metric!r}."
        )
        raise ValueError(msg)


def _score(test: RandomSelectionTest, ranking: Ranking, statistic: str) -> float:
    null = test.null(ranking)
    value = make_measure(test.metric, **test.settings()).value(ranking)
    if statistic == "log10_pvalue":
        return null.tail(value).log_pvalue / math.log(10)
    above = value - null.mean()
    if statistic == "chance_adjusted":
        return above / (1 - null.mean())
    return above / null.std()
