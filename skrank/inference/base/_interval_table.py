"""Intervals of several metrics, or of several models, in a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skrank._utils._checks import invalid
from skrank._utils._numbers import numbers
from skrank._utils._printed import Printed, Shown
from skrank._utils._table import data_frame
from skrank._utils._text import as_text, brief, columns_of
from skrank.metrics._definitions import make_metric


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MetricIntervalTable(Printed):
    """Intervals of several metrics or models: a result of MetricInterval.

    Do not compare the intervals of two models, because their values vary together. Use
    the interval of the difference from :class:`RankingComparison`.

    Attributes
    ----------
    results : dict from (metric, model) to MetricIntervalResult or SampledMetricResult
        Result of each metric, by its printed name, and of each model.
        ``table["recall@50"]`` and ``table["a"]`` also work if only one result has this
        name.

    See Also
    --------
    MetricInterval, SampledMetricInterval : Create this object.
    RankingComparison : Differences of the models.
    RankingReport : Intervals with tests and figures.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import MetricInterval
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(1000) < 30
    >>> question = MetricInterval(["average_precision", "recall@50", "ks_statistic"])
    >>> table = question.from_predictions(y_true, rng.normal(2.0 * y_true))
    >>> print(table)
    Intervals of 3 metrics
      ranking  1000 items, 30 targets (prevalence 0.03)
      metric              value  std error     low    high
      average_precision  0.4335     0.0894  0.2653  0.6142
      recall@50          0.5667     0.0828  0.3947  0.7243
      ks_statistic       0.7698     0.0650  0.6122  0.8762
    >>> low, high = table["recall@50"].confidence_interval(0.9)
    >>> print(f"{low:.2f} to {high:.2f}")
    0.42 to 0.70
    """

    results: Mapping[tuple[str, Any], Any]

    def __getitem__(self, key: Any) -> Any:
        """Return the result of a metric, of a model, or of a pair of them."""
        asked = _printed_name(key)
        if isinstance(key, tuple) and len(key) == 2:
            asked = _printed_name(key[0]), key[1]
        found = [
            one for pair, one in self.results.items() if asked == pair or asked in pair
        ]
        if len(found) != 1:
            raise KeyError(
                f"{brief(key)} is the name of {len(found)} results; the names are "
                f"{brief([*self.results])}"
            )
        return found[0]

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Return the names of the metric and of the model of each result."""
        return iter(self.results)

    def to_frame(self) -> Any:
        """Return the values and the 95 % intervals as a pandas data frame.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each metric and model, with the columns of `to_dict`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame(self.to_dict())

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame` as lists.

        Returns
        -------
        columns : dict
            "metric", "name" (of the model), "value", "low" and "high"; also
            "standard_error", unless labels are missing.
        """
        return columns_of(
            [
                {"metric": metric, "name": name, **one._estimate()}
                for (metric, name), one in self.results.items()
            ]
        )

    def _shown(self) -> Shown:
        columns, first = self.to_dict(), next(iter(self.results.values()))
        metrics, names = columns.pop("metric"), columns.pop("name")
        shown = {"metric": metrics, "model": [as_text(one) for one in names]}
        what = f"{len({*metrics})} metrics"
        if len({*metrics}) == 1:
            what = shown.pop("metric")[0]
        elif len({*names}) == 1:
            del shown["model"]
        # metrics have scales of their own
        texts = map(numbers, zip(*columns.values(), strict=True))
        rows = zip(*shown.values(), *zip(*texts, strict=True), strict=True)
        header = [*shown, *(one.replace("standard_", "std ") for one in columns)]
        title = f"Intervals of {what}{first.title.partition('{0.metric}')[2]}"
        return Shown(title, self._sizes(), [header, *rows])

    def _sizes(self) -> list[tuple[str, str]]:
        """Return the size of the data, and for which metrics, if they differ."""
        metrics_of_size: dict[tuple[str, str], list[str]] = {}
        for (metric, _), one in self.results.items():
            metrics_of_size.setdefault((one._parts, one._size), []).append(metric)
        if len(metrics_of_size) == 1:
            return [*metrics_of_size]
        return [
            (name, f"{size}: {', '.join(dict.fromkeys(metrics))}")
            for (name, size), metrics in metrics_of_size.items()
        ]


def _printed_name(metric: Any) -> Any:
    """Return the printed name of a metric, such as "recall@0.05" of "recall@5%"."""
    try:
        return make_metric(metric).name
    except ValueError:  # the name of a model
        return metric


def is_several(metric: Any) -> bool:
    """Whether an argument is a list of metrics, which may not be empty."""
    if isinstance(metric, list | tuple) and not metric:
        raise invalid("metric", "name one metric or more", brief(metric))
    return isinstance(metric, list | tuple)


def metrics_of(metric: Any) -> list[Any]:
    """Return one metric or several as a list."""
    return [*metric] if is_several(metric) else [metric]


def check_different(names: list[str]) -> None:
    """Refuse metrics that cannot be told apart by their names."""
    for one in names:
        if names.count(one) > 1:
            raise invalid("metric", "have different printed names", repr(one))
