"""Display of precision against recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from skrank._utils._checks import check_flag
from skrank.curves._hit_curve import HitCurve
from skrank.curves._operating_points import OperatingPoints, points_of
from skrank.displays import _drawing
from skrank.displays._curve_display import CurveDisplay, Heights, mean_of, thin
from skrank.ranking._ranking import Ranking


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(CurveDisplay):  # numpydoc ignore=PR02
    """Plot precision against recall; for the first items use HitCurveDisplay.

    The curve shows precision ``p = h / t`` against recall ``r = h / m`` for every depth
    t. It falls at each non-target. Within a tie it follows the mean over all orders.
    Average precision is the area under the curve, apart from the corners. The chance
    band is high at the first targets, and its mean is not a horizontal line at the
    prevalence. Create the display with `from_predictions`, `from_estimator`, `from_cv`,
    `from_cv_results` or `from_rankings`.

    Parameters
    ----------
    curve : HitCurve or list of HitCurve
        Result of :func:`hit_curve`, or a list of results.
    points : OperatingPoints or list of OperatingPoints
        Result of :func:`operating_points` for the same rankings.
    average_precision : float or list of float, default=None
        Average precision for the legend. None leaves it out.
    log10_pvalue : float or list of float, default=None
        Decimal logarithm of the p-value against random selection, for the legend. None
        leaves the p-value out.
    name : str or list of str, default=None
        Name of the curve in the legend, or a name for each curve.
    mean : bool, default=False
        Whether to draw the mean of several curves. The curves are then thin lines.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of them
        The curve; a list for several curves.
    chance_band_ : matplotlib PolyCollection or None
        The chance band of the first ranking, which is used for all curves. If the
        rankings differ in items or targets, the legend notes this. None if the items
        have weights, if there is only one target, or if the mean is drawn.
    mean_ : matplotlib Line2D or None
        The mean of the curves, up to the recall that all of them reach.
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure of the axes.

    See Also
    --------
    operating_points : Computes the operating points.
    sklearn.metrics.PrecisionRecallDisplay : Steps between operating points.

    Notes
    -----
    The chance band is computed for a ranking without ties, so that all rankings share
    it. With ties, random selection varies less. The limits of the band are exact at
    each target, or at about 400 targets if there are more than 256, with straight lines
    between them. The line of a long ranking is exact to a pixel, both in the whole plot
    and after zooming into the first targets. To zoom into the middle, plot
    ``curve.recall, curve.precision``.

    Examples
    --------
    >>> from skrank import PrecisionRecallDisplay
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 4, 4, 4]
    >>> display = PrecisionRecallDisplay.from_predictions(
    ...     y_true, y_score, interpolate=True, pvalue=False
    ... )
    >>> display.line_.get_xydata().round(1).tolist()
    [[0.0, 1.0], [0.3, 1.0], [0.3, 0.7], [0.7, 0.7], [0.7, 0.4], [1.0, 0.4]]
    """

    points: OperatingPoints | Sequence[OperatingPoints]

    _refuses: ClassVar[dict[str, str]] = {
        **CurveDisplay._refuses,
        "clusters": "no confidence band is drawn, which would need them",
    }

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | Sequence[str] | None = None,
        interpolate: bool = False,
        chance_band_level: float | None = 0.95,
        line_kw: Any = None,
    ) -> Self:
        """Draw precision against recall.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. None creates a new figure.
        name : str or list of str, default=None
            Name of the curve in the legend. None uses the name of the display.
        interpolate : bool, default=False
            Whether to draw, at each recall, the highest precision at this recall or any
            higher recall. The line then has steps between the operating points that are
            not dominated.
        chance_band_level : float, default=0.95
            Probability of the chance band, between 0 and 1. At any single recall,
            random selection is within the band with this probability. None draws no
            band.
        line_kw : dict or list of dict, default=None
            Keyword arguments of ``Axes.plot`` for the curve, or for each curve.

        Returns
        -------
        display : PrecisionRecallDisplay
            The display itself.

        Raises
        ------
        ImportError
            If a new figure is needed and matplotlib is not installed.
        ValueError
            If `chance_band_level` is not between 0 and 1, if a list does not have an
            entry for each curve, if `ax` is not an axes, or if `interpolate` is not
            True or False.
        """
        interpolate = check_flag("interpolate", interpolate)
        self._check(ax, None, chance_band_level, name, line_kw)
        self._start(ax)
        self._draw_chance_band(chance_band_level)
        views = map(_steps, self._one_per_curve(self.points))
        if not interpolate:
            views = map(_view, self._one_per_curve(self.curve))
        self._draw_curves(name, line_kw, views)
        self.ax_.set(
            xlabel="recall: share of targets found",
            ylabel="precision: share of targets in the top",
            xlim=(0, 1),
        )
        self.ax_.set_ylim(0, min(self.ax_.get_ylim()[1], 1.03), auto=None)
        _drawing.draw_legend(self.ax_)
        return self

    @classmethod
    def _measure(
        cls, ranking: Ranking, *, as_fraction: bool, pvalue: bool | None
    ) -> dict[str, Any]:
        data = super()._measure(ranking, as_fraction=as_fraction, pvalue=pvalue)
        return {**data, "points": points_of(ranking)}

    def _chance_limits(self, level: float) -> Heights:
        band = self._one_per_curve(self.points)[0].chance_band(level)
        return band.x, band.low, band.high

    def _mean(self, views: list[Heights]) -> Heights:
        """Return the mean up to the recall that all rankings reach."""
        x, y = mean_of(views)
        reached = x <= min(recall[-1] for recall, _ in views)
        return x[reached], y[reached]

    def _mark_of_curves(self, ax: Any) -> str:
        """Return the mark of curves; recall and precision have no units."""
        return _drawing.CURVE


def _view(curve: HitCurve) -> Heights:
    """Return recall and precision of a curve."""
    t, hits = thin(curve)
    precision = hits[1:] / t[1:]
    return hits / curve.n_targets, np.append(precision[0], precision)


def _steps(points: OperatingPoints) -> Heights:
    """Return the best precision at a recall or a higher one, as corners of steps."""
    best = points.not_dominated("precision")
    return np.repeat(np.append(0, best.recall), 2)[1:-1], np.repeat(best.precision, 2)
