"""Display of the lift curve."""

from __future__ import annotations

from typing import Any

from skrank.curves._hit_curve import HitCurve
from skrank.displays._curve_display import Array, Heights
from skrank.displays._hit_curve import HitCurveDisplay


class LiftDisplay(HitCurveDisplay):
    """Plot of the lift, or enrichment, at every depth of the ranking.

    The lift at t is the number of targets among the top t divided by the chance level.
    Both axes are logarithmic, so the top of the ranking takes most of the width. A
    factor of two in the lift has the same length everywhere. The chance level is a line
    at 1, or lower if targets were missed. The chance band becomes narrower with the
    depth. At depths where random selection most likely finds no target, the band is 0,
    which is below the axes. The lift before the first target is also 0. The perfect
    curve is at ``n / m`` until all targets are found.

    Create the display with `from_estimator`, `from_predictions` or `from_cv_results`,
    which have the settings of :class:`HitCurveDisplay`.

    Parameters
    ----------
    curve : HitCurve or list of HitCurve
        Result of :func:`hit_curve`, which can have weights, missed targets or another
        tie rule; or a list of results, preferably in fractions of the ranking.
    average_precision : float or list of float, default=None
        Average precision for the legend. None leaves it out.
    log10_pvalue : float or list of float, default=None
        Decimal logarithm of the p-value against random selection, for the legend. None
        leaves the p-value out.
    confidence_band : CurveBand, default=None
        Confidence band of the hit curve, in the units of the curve. It is drawn as
        lift. None draws no band.
    name : str or list of str, default=None
        Name of the curve in the legend, or a name for each curve.
    mean : bool, default=False
        Whether to draw the mean of several curves. The curves are then thin lines.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of them
        The lift; a list if there are several curves.
    perfect_ : matplotlib Line2D, list of them, or None
        The perfect curve.
    chance_level_ : matplotlib Line2D or list of them
        The chance level.
    chance_band_ : matplotlib PolyCollection or None
        The chance band of the first ranking, which all curves share. The legend says so
        if the rankings differ in items or targets. None if the items have weights or if
        the mean is drawn.
    confidence_band_ : matplotlib PolyCollection or None
        The confidence band of the curve.
    mean_ : matplotlib Line2D or None
        The mean of the curves.
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure of the axes.

    See Also
    --------
    enrichment_factor : Lift at one depth.
    HitCurveDisplay : The number of targets found.

    Notes
    -----
    The chance band is that of a ranking without ties, so that all rankings share it.
    With ties, random selection stays closer to its mean. The line of a long ranking is
    exact to a pixel as a whole and after zooming into the top. To zoom into the middle,
    plot ``curve.t, curve.lift``.

    Examples
    --------
    >>> from skrank import LiftDisplay
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 4, 4, 4]
    >>> display = LiftDisplay.from_predictions(y_true, y_score)
    >>> display.line_.get_label()
    'AP 0.714, p = 0.2'
    >>> display.ax_.get_xscale()
    'log'
    """

    def _view(self, curve: HitCurve, t: Array, *hits: Array) -> Heights:
        below = t > 0
        by_chance = t[below] * (curve.n_targets / curve.n_samples)
        return t[below], *(found[below] / by_chance for found in hits)

    def _set_axes(self, limit: float | None, before: tuple[Any, Any] | None) -> None:
        fractions = self._listed(self.curve)[0].unit < 1
        unit = ", as a fraction of the ranking" if fractions else ""
        self.ax_.set(
            xscale="log",
            yscale="log",
            xlabel=f"items looked at{unit}",
            ylabel="lift: targets found over those by chance",
        )
        self.ax_.set_ylim(bottom=0.1)  # a tenth of the chance level
        if limit is not None:
            self.ax_.set_xlim(right=max(limit, before[0][1]) if before else limit)
        for axis in (self.ax_.xaxis, self.ax_.yaxis):
            axis.set_major_formatter("{x:,.10g}")  # 100 instead of a power of ten
