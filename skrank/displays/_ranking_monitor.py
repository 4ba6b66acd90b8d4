"""Display of the days of a monitor: values, limits, evidence, and the alarm."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_fraction, invalid, is_real
from skrank._utils._numbers import number, percent
from skrank.displays import _drawing
from skrank.displays._entrances import FromData
from skrank.inference.monitor._monitor import CHANCE, RankingMonitor
from skrank.inference.monitor._monitor_result import RankingMonitorResult
from skrank.inference.monitor._monitor_state import is_date, is_number
from skrank.metrics._definitions import AnyMetric

#: How two new axes are placed.
ROWS = {"nrows": 2, "sharex": True, "height_ratios": (3, 2)}
# Larger numbers of days, such as 20260131, are names of days: they are equally spaced
_LARGE = 1e6


@dataclass(eq=False, repr=False)
class RankingMonitorDisplay(FromData):  # numpydoc ignore=PR02
    """Plot the days of a RankingMonitor; for one day use HitCurveDisplay.

    The upper plot shows the value of each day, the limits of the mean, and the
    reference value of the monitor. The lower plot shows the evidence after each day, on
    a logarithmic scale. An alarm occurs when the evidence reaches ``1 / alpha``. Create
    the display with `from_result`, or with `from_predictions`, `from_estimator` or
    `from_rankings`, which need the day of each item as `groups`.

    Parameters
    ----------
    labels : tuple of str
        The days.
    values, low, high : ndarray of shape (n_days,)
        Values of the days, and limits of the mean after each day. NaN if undefined.
    log10_evidences : ndarray of shape (n_days,)
        Decimal logarithm of the evidence after each day.
    metric : str
        Name of the metric, or of its difference.
    reference : float, default=None
        Reference value for the mean; 0 for the difference of two models. None draws no
        line.
    significance_level : float, default=0.05
        Level of the alarm.
    confidence_level : float, default=0.95
        Level of the limits, for the legend.
    alarm_group : str, default=None
        First day of the alarm. None marks no day.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The values of the days.
    band_ : matplotlib PolyCollection
        The limits of the mean.
    reference_ : matplotlib Line2D or None
        The reference value.
    evidence_ : matplotlib Line2D
        The evidence.
    threshold_ : matplotlib Line2D
        The evidence that is needed for an alarm.
    alarm_ : list of two matplotlib Line2D, or None
        The first day of the alarm in both axes.
    ax_ : ndarray of two matplotlib Axes
        The upper and the lower axes.
    figure_ : matplotlib Figure
        Figure of the axes.

    See Also
    --------
    RankingMonitor : Computes the data.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingMonitor, RankingMonitorDisplay
    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(100), 500)
    >>> y = rng.random(day.size) < 0.01
    >>> score = rng.normal(np.where(day < 60, 2.0, 0.5) * y)
    >>> monitor = RankingMonitor("recall@20", reference=0.4)
    >>> result = monitor.from_predictions(y, score, groups=day)
    >>> display = RankingMonitorDisplay.from_result(result)
    >>> display.alarm_[0].get_label()
    'alarm since 91'
    """

    labels: tuple[str, ...]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    log10_evidences: NDArray[np.float64]
    _: KW_ONLY
    metric: str
    reference: float | None = None
    significance_level: float = 0.05
    confidence_level: float = 0.95
    alarm_group: str | None = None

    _refuses: ClassVar[dict[str, str]] = {
        **RankingMonitor._refuses,
        "folds": "the days are its only rankings",
        "n_unlisted": "missed targets have no rank",
    }

    @classmethod
    def from_result(
        cls,
        result: RankingMonitorResult,
        *,
        confidence_level: float = 0.95,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the result of a monitor.

        Parameters
        ----------
        result : RankingMonitorResult
            Result of :class:`RankingMonitor`, with any settings.
        confidence_level : float, default=0.95
            Level of the limits of the mean, between 0 and 1.
        ax : pair of matplotlib Axes, default=None
            Axes to draw on, the upper axes first. None creates a new figure.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : RankingMonitorDisplay
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If `result` has another type, or if `confidence_level` is not between 0 and
            1.
        """
        _drawing.check_call(cls.from_result, kwargs, cls.plot)
        level = check_fraction("confidence_level", confidence_level)
        if not isinstance(result, RankingMonitorResult):
            rule = "be the result of a RankingMonitor"
            raise invalid("result", rule, type(result).__name__)
        return cls._of_result(result, level).plot(ax, **kwargs)

    @classmethod
    def _of_result(cls, result: RankingMonitorResult, level: float) -> Self:
        """Return the display of a result before it is drawn."""
        low, high = result._limits(level)
        metric, reference = result.metric, result._settings["reference"]
        if not is_real(reference):
            metric = metric if reference == CHANCE else f"difference in {metric}"
            reference = None if reference == CHANCE else 0.0
        return cls(
            result.labels,
            np.array(result.values),
            low,
            high,
            np.array(result.log10_evidences),
            metric=metric,
            reference=reference,
            significance_level=result.significance_level,
            confidence_level=level,
            alarm_group=result.alarm_group,
        )

    @classmethod
    def from_rankings(
        cls,
        rankings: Any,
        *,
        metric: str | AnyMetric | None = None,
        reference: float | str = CHANCE,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Monitor the rankings of days, and draw the result.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of the days. If `reference` is a model, they contain both models.
        metric : str or Metric, default=None
            Metric by its printed name, such as "recall@20" (:ref:`metric_names`), or an
            object made by :func:`make_metric`. None uses the ranks of all targets. For
            other settings, pass a result of :class:`RankingMonitor` to `from_result`.
        reference : "random selection", float or str, default="random selection"
            Reference for the rankings: random selection, a number that the mean of the
            metric must reach, or the name of a model.
        ax : pair of matplotlib Axes, default=None
            Axes to draw on, the upper axes first. None creates a new figure.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : RankingMonitorDisplay
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If there are no groups, or if a setting is outside its range.
        """
        _drawing.check_call(cls.from_rankings, kwargs, cls.plot)
        result = RankingMonitor(metric, reference=reference).from_rankings(rankings)
        return cls.from_result(result, ax=ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        line_kw: dict[str, Any] | None = None,
        evidence_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the values of the days, and the evidence.

        Parameters
        ----------
        ax : pair of matplotlib Axes, default=None
            Axes to draw on, the upper axes first. None creates a new figure.
        line_kw : dict, default=None
            Keyword arguments of ``Axes.plot`` for the values of the days.
        evidence_kw : dict, default=None
            Keyword arguments of ``Axes.plot`` for the evidence.

        Returns
        -------
        display : RankingMonitorDisplay
            The display itself.

        Raises
        ------
        ImportError
            If a new figure is needed and matplotlib is not installed.
        ValueError
            If `ax` is not a pair of axes.
        """
        pair = [None, None] if ax is None else np.ravel(ax)
        if len(pair) != 2:
            raise invalid("ax", "be two axes, or None", f"{len(pair)}")
        for one in pair:
            _drawing.check_axes(one)
        if ax is None:
            pair = _drawing.new_axes(figsize=(6.4, 5.6), **ROWS)
        self.ax_ = np.asarray(pair)
        upper, lower = self.ax_
        self.figure_ = upper.figure
        days = self._days()
        style = {"color": _drawing.COLORS[0], "gid": _drawing.CURVE}
        self.line_ = _drawing.draw_line(
            upper,
            days,
            self.values,
            line_kw,
            **{"linestyle": "none", "marker": ".", "markersize": 7, "alpha": 0.55},
            **{"markeredgewidth": 0, "label": "value of a day", **style},
        )
        label = f"{percent(self.confidence_level)} limits of the mean"
        limits = {"color": "0.8", "zorder": 1, "label": label}
        self.band_ = _drawing.draw_band(upper, days, self.low, self.high, **limits)
        self.reference_ = self.alarm_ = None
        dashed = {"color": _drawing.COLORS[1], "linestyle": "--", "linewidth": 1.5}
        if self.reference is not None:
            label = f"reference {number(self.reference, 3)}"
            self.reference_ = upper.axhline(self.reference, **dashed, label=label)
        # ticks beyond, up to twice as far, are still numbers
        evidence = 10.0 ** np.clip(self.log10_evidences, -150, 150)
        self.evidence_ = _drawing.draw_line(
            lower, days, evidence, evidence_kw, **style, marker="." * (days.size == 1)
        )
        least = 1 / self.significance_level
        dotted = {"color": "0.3", "linestyle": ":", "linewidth": 1.5}
        label = f"alarm above {number(least, 3)}"
        self.threshold_ = lower.axhline(least, **dotted, label=label)
        if self.alarm_group is not None:
            day = days[self.labels.index(self.alarm_group)]
            shown = {"color": _drawing.COLORS[3], "linewidth": 1.5, "zorder": 1.5}
            label = f"alarm since {_drawing.plain(self.alarm_group)}"
            self.alarm_ = [one.axvline(day, **shown, label=label) for one in self.ax_]
        self._name_axes(days)
        return self

    def _days(self) -> NDArray[Any]:
        """Return where the days are: at dates or numbers, or one after another."""
        if all(map(is_date, self.labels)):
            return np.array(self.labels, dtype="M8[us]")
        if all(is_number(one) and abs(float(one)) < _LARGE for one in self.labels):
            return np.array(self.labels, dtype=float)
        return np.arange(float(len(self.labels)))

    def _name_axes(self, days: NDArray[Any]) -> None:
        """Write the scales, the days, and the legend above the upper axes."""
        upper, lower = self.ax_
        for ax in self.ax_:
            _drawing.name_days(ax, days, self.labels)
        upper.set_ylabel(self.metric.replace("_", " "))
        lower.set(xlabel="day", ylabel="evidence", yscale="log")
        if upper.get_shared_x_axes().joined(upper, lower):
            upper.tick_params(labelbottom=False)
            upper.xaxis.get_offset_text().set_visible(False)
        named = [
            *(self.line_, self.band_, self.reference_, self.threshold_),
            *(self.alarm_ or [])[:1],
        ]
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.3}
        upper.legend(
            handles=[one for one in named if one is not None],
            **above,
            **{"ncols": 2, "fontsize": "small", "frameon": False},
        )
