"""A ranking's position in its null distribution as one number, to score candidates by.

Folds of different size and prevalence have different chance levels, so that means of
raw values compare unlike things. What is relative to chance compares.
"""

import math

from numpy.typing import ArrayLike

from skrank._utils._checks import check_option, check_undefined
from skrank.inference._random_selection import null_of, zscore_of
from skrank.metrics._definitions import Measure, Metric, make_measure
from skrank.metrics._evaluate import undefined as undefined_value
from skrank.metrics._evaluate import why_undefined
from skrank.null import RandomSelectionNull
from skrank.ranking._as_ranking import as_ranking

STATISTICS = ("zscore", "log10_pvalue", "chance_adjusted")


def selection_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    statistic: str,
    pos_label: object = None,
    undefined: float | str = math.nan,
    metric: str | Metric = "average_precision",
    ties: str = "expected",
) -> float:
    """Return a value relative to chance; see ``make_random_selection_scorer``.

    "log10_pvalue" is the one that is better the smaller it is.
    """
    answer = check_undefined(undefined)
    measure = make_measure(metric, ties)
    check_statistic(statistic, measure)
    ranking = as_ranking(y_true, y_score, pos_label=pos_label)
    reason = why_undefined(ranking)
    if reason is None:
        null = null_of(ranking, measure)
        return _score(statistic, measure.value(ranking), null)
    return undefined_value(statistic, reason, answer)


def check_statistic(statistic: str, measure: Measure) -> None:
    """Check that the statistic has a meaning for the measure."""
    check_option("statistic", statistic, STATISTICS)
    if statistic == "chance_adjusted" and math.isinf(measure.bounds[1]):
        msg = (
            '`statistic` must not be "chance_adjusted" for a metric without a largest '
            f"value; got {measure.name}."
        )
        raise ValueError(msg)


def _score(statistic: str, value: float, null: RandomSelectionNull) -> float:
    if statistic == "log10_pvalue":
        return null.tail(value).log_pvalue / math.log(10)
    if statistic == "zscore":
        return zscore_of(value, null)
    mean = null.mean()
    # a ranking that has the largest value in any order is no better than chance
    return 0.0 if null.std() == 0 else float((value - mean) / (1 - mean))
