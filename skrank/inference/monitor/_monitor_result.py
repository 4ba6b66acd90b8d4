"""Result of `RankingMonitor`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from skrank._utils._checks import check_fraction, is_real
from skrank._utils._signature import signature_of
from skrank._utils._text import as_text
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.base._result import Result, printed_field
from skrank.inference.monitor._monitor_evidence import limits_of_mean
from skrank.inference.monitor._monitor_state import as_state

#: What is said of days that depend on one another.
ALIKE = (
    "The values of neighbouring days are correlated: the mean drifts, or good and bad "
    "days come in periods. An alarm can be a bad period of a model that has not "
    "changed."
)
#: What bets on targets assume.
ASSUMED = "the targets of a day are independent of one another, given the days before"
#: What is said if they are not.
APART = (
    "The values of the days vary more than independent targets would: some days are "
    "better than others, and false alarms are more likely. Use bet='day'."
)


@signature_of()
@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class RankingMonitorResult(Result):
    """Result of :class:`RankingMonitor`.

    Attributes
    ----------
    pvalue : float
        p-value that is valid on every day, however often you inspect it: under the null
        hypothesis, the probability that it ever falls to alpha or below is at most
        alpha. It never increases.
    alarm : bool
        Whether the p-value was at most the significance level, on this day or earlier.
    alarm_group : str or None
        First day of the alarm.
    log10_evidence : float
        Decimal logarithm of the evidence so far. The p-value is one divided by the
        largest evidence.
    value : float
        Mean of the values of the days. If `reference` is a model, values are
        differences.
    values, log10_evidences : tuple of float
        Value and evidence of each day. A day on which the metric is undefined is
        skipped: its value is NaN.
    alternative : str
        Meaning of an alarm: the alternative hypothesis for a day, given the earlier
        days.
    significance_level : float
        Largest probability that a false alarm ever occurs.
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
    >>> result.alarm, result.alarm_group
    (True, '1')
    """

    # shared: of_results

    title: ClassVar[str] = "Monitor of {0.metric}"

    alternative: str = printed_field("{0}")
    value: float = printed_field("{0}{1._mean}")
    pvalue: float = printed_field("{0}, valid on any day", digits=3)
    alarm: bool
    alarm_group: str | None
    log10_evidence: float
    values: tuple[float, ...]
    log10_evidences: tuple[float, ...]
    significance_level: float
    # logarithms of the evidence by setting, number of days that counted, numbers of
    # items and of targets of each day, range of the values, the settings of the monitor
    # with the names of the models, and whether the days depend on one another, or their
    # targets, where the level needs that not
    _logs: tuple[float, ...]
    _n_counted: int
    _sizes: tuple[tuple[int, ...], tuple[int, ...]]
    _bounds: tuple[float, float]
    _settings: dict[str, Any]
    _are_alike: bool
    _are_apart: bool

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the mean of the values that are valid on all days at once.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the mean is within the limits on all days, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Limits on the last day (a confidence sequence). They assume that all days
            have the same mean, given the earlier days. NaN if the mean has changed: the
            limits of the days contradict each other, or contradict an alarm against a
            number.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        low, high = self._limits(check_fraction("confidence_level", confidence_level))
        return ConfidenceInterval(float(low[-1]), float(high[-1]))

    def conclusion(self) -> str:
        """Return a sentence about the alarm.

        Returns
        -------
        text : str
            Whether and when there was an alarm.
        """
        level = f"{self.significance_level:.3g}"
        n = len(self.labels)
        if not self.alarm:
            said = (
                f"No alarm in {n} day{'s' * (n != 1)}: no significant evidence that "
                f"{self.alternative} (p = {self.pvalue:.3g}, level {level})."
            )
        else:
            said = (
                f"Alarm since {as_text(self.alarm_group)}: {self.alternative}. The "
                f"probability of a false alarm on any day is at most {level}."
            )
        if self._bets_on_targets:
            doubt = "If some days are better than others, false alarms are more likely."
            said += (
                f" This assumes that {ASSUMED}. {APART if self._are_apart else doubt}"
            )
        if self._are_alike:
            said += f" {ALIKE}"
        has_limits = self._n_counted and math.isfinite(np.ptp(self._bounds))
        if has_limits and math.isnan(self.confidence_interval()[0]):
            said += (
                " The mean seems to have changed, so there is no confidence interval."
            )
        return said

    def state(self) -> dict[str, Any]:
        """Return the state that `RankingMonitor.update` needs, for JSON.

        Returns
        -------
        state : dict
            Numbers and strings, with a checksum.
        """
        return as_state(
            self._settings,
            labels=list(self.labels),
            values=[None if math.isnan(one) else one for one in self.values],
            log10_evidences=list(self.log10_evidences),
            logs=list(self._logs),
            n_counted=self._n_counted,
            n_samples=list(self._sizes[0]),
            n_targets=list(self._sizes[1]),
        )

    def _limits(self, level: float) -> tuple[Any, Any]:
        """Return the limits after each day; from an alarm on only if they agree."""
        low, high = limits_of_mean(np.array(self.values), *self._bounds, level)
        reference = self._settings["reference"]
        if self.alarm and is_real(reference):
            days = np.arange(len(self.labels)) >= self.labels.index(self.alarm_group)
            # limits are of days: those of an alarm by targets may still hold the number
            at_odds = low if self._bets_on_targets else high
            rejected = days & (at_odds >= reference)
            low[rejected] = high[rejected] = math.nan
        return low, high

    def _rows(self) -> list[tuple[str, str]]:
        said = "none" if not self.alarm else f"since {as_text(self.alarm_group)}"
        rows = [*Result._rows(self), ("alarm", said), ("method", self.method)]
        return rows + [("assumes", ASSUMED)] * self._bets_on_targets

    @property
    def _bets_on_targets(self) -> bool:
        return bool(self._settings["bet"] == "target")

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
