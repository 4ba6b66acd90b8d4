"""Limits of an interval, which the results of all questions have."""

from typing import NamedTuple


class ConfidenceInterval(NamedTuple):
    """Lower and upper limit: what confidence_interval() of a result returns.

    Attributes
    ----------
    low, high : float
        Lower and upper limit.

    See Also
    --------
    MetricInterval : Computes the interval of a metric.

    Examples
    --------
    >>> from skrank import MetricInterval
    >>> y_true, y_score = [1, 0, 1, 0, 0], [5, 4, 3, 2, 1]
    >>> result = MetricInterval().from_predictions(y_true, y_score)
    >>> low, high = result.confidence_interval()
    >>> bool(low < result.value < high)
    True
    """

    low: float
    high: float
