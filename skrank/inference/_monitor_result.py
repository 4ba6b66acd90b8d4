"""Result of `RankingMonitor`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from skrank._utils._checks import check_fraction, invalid
from skrank._utils._documented import documented
from skrank._utils._text import as_text, brief
from skrank.inference._metric_interval_result import ConfidenceInterval
from skrank.inference._monitor_evidence import limits_of_mean
from skrank.inference._result import Result, shown


@documented
@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class RankingMonitorResult(Result):
    """Result of :class:`RankingMonitor`.

    Attributes
    ----------
    pvalue : float
        p-value that holds on any day: at most alpha with a probability of at most
        alpha, if the hypothesis is true, however often one looked. It never increases.
    alarm : object
        Label of the first day with a p-value of at most the significance level; None
        before.
    log10_evidence : float
        Decimal logarithm of the evidence so far. The p-value is one divided by the
        largest evidence.
    value : float
        Mean of the values of the days; a difference against a model.
    values, log10_evidences : tuple of float
        Value and evidence of each day. The value is NaN for a day without targets or
        without non-targets, which leaves the evidence as it was.
    hypothesis : str
        Hypothesis that an alarm rejects.
    significance_level : float
        Probability of a false alarm ever.
    {of_results}

    See Also
    --------
    RankingMonitor : Creates this object.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingMonitor
    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(30), 100)
    >>> y = rng.random(3000) < 0.03
    >>> monitor = RankingMonitor()
    >>> result = monitor.from_predictions(y, rng.normal(y), groups=day)
    >>> result.alarm
    1
    """

    title: ClassVar[str] = "Monitor of {0.metric}"

    hypothesis: str = shown("{0}")
    value: float = shown("{0}{1._mean}")
    pvalue: float = shown("{0}, valid on any day", digits=3)
    alarm: Any
    log10_evidence: float
    values: tuple[float, ...]
    log10_evidences: tuple[float, ...]
    significance_level: float
    # logarithms of the evidence by setting, number of days that counted, and the range
    # of the values
    _logs: tuple[float, ...]
    _n_counted: int
    _models: tuple[Any, ...]
    _bounds: tuple[float, float]

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the mean of the values, which hold on all days at once.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the mean is within the limits of all days, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Limits of the last day: a confidence sequence. The mean of a day, given the
            days before, must be the same for all. NaN if no mean is within the limits
            of all days, which tells that it has changed.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        low, high = self._limits(check_fraction("confidence_level", confidence_level))
        return ConfidenceInterval(float(low[-1]), float(high[-1]))

    def conclusion(self) -> str:
        """Return what the days say, in a sentence.

        Returns
        -------
        text : str
            Whether and when there was an alarm.
        """
        level = f"{self.significance_level:.3g}"
        if self.alarm is None:
            return (
                f"No alarm in {len(self.labels)} days: the hypothesis that "
                f"{self.hypothesis} is not rejected (p = {self.pvalue:.3g}, level "
                f"{level})."
            )
        return (
            f"Alarm since {day_text(self.alarm)}: the hypothesis that "
            f"{self.hypothesis} is rejected. The probability of such an alarm on any "
            f"day is at most {level} if it is true."
        )

    def state(self) -> dict[str, Any]:
        """Return what `RankingMonitor.update` needs, for JSON.

        Returns
        -------
        state : dict
            Numbers and texts. Labels of days become texts.
        """
        return {
            "hypothesis": self.hypothesis,
            "models": list(self._models),
            "labels": list(map(day_text, self.labels)),
            "values": [None if math.isnan(one) else one for one in self.values],
            "log10_evidences": list(self.log10_evidences),
            "logs": list(self._logs),
            "n_counted": self._n_counted,
            "n_samples": self.n_samples,
            "n_targets": self.n_targets,
        }

    def _limits(self, level: float) -> tuple[Any, Any]:
        return limits_of_mean(np.array(self.values), *self._bounds, level)

    def _rows(self) -> list[tuple[str, str]]:
        said = "none" if self.alarm is None else f"since {day_text(self.alarm)}"
        return [*Result._rows(self), ("alarm", said), ("method", self.method)]

    def _columns(self) -> dict[str, Any]:
        evidences = np.array(self.log10_evidences)
        low, high = self._limits(0.95)
        return {
            "value": self.values,
            "log10_evidence": evidences,
            "pvalue": 10.0 ** -np.maximum(np.maximum.accumulate(evidences), 0),
            "low": low,
            "high": high,
        }


def day_text(label: Any) -> str:
    """Return the text of a day, which is the same for equal days of other types."""
    text = label.isoformat() if hasattr(label, "isoformat") else as_text(label)
    # midnight of a date, and zeros after the point of a number
    return re.sub(r"[T ]00:00(:00(\.0+)?)?$|(?<=\d)\.0+$", "", text)


def in_order(labels: Sequence[Any]) -> list[int]:
    """Return the order of days: that of numbers and dates, also as texts."""
    if not any(isinstance(one, str) for one in labels):
        return list(range(len(labels)))
    keys: list[Any] = list(map(str, labels))
    if all(re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", one) for one in keys):
        keys = list(map(float, keys))
    elif len(keys) > 1 and not all(
        re.match(r"\d{4}-\d\d(-\d\d|$)", one) for one in keys
    ):
        rule = "be numbers, dates, or texts as '2026-01-31', whose order is known"
        advice = "Or give the days to `update`, one after another."
        raise invalid("groups", rule, brief(labels[0]), advice)
    return sorted(range(len(keys)), key=keys.__getitem__)
