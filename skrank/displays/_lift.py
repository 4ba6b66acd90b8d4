"""Lift as a picture: how many times as many targets as by chance."""

from __future__ import annotations

from typing import Any

from skrank.curves._hit_curve import HitCurve
from skrank.displays._curve_display import Array, Heights
from skrank.displays._hit_curve import HitCurveDisplay


class LiftDisplay(HitCurveDisplay):
    """Picture of the lift, or enrichment, at every depth of the ranking.

    The lift at t is the number of targets among the top t over that of the chance
    level. Both axes are logarithmic: the top has most of the room, and to double the
    lift is as far from 1 to 2 as from 50 to 100. Chance is a line at 1, lower if
    targets were missed, and a band that narrows down the ranking. Where chance most
    likely finds nothing yet, the band is 0, below the axes, as is the lift before the
    first target. The perfect curve stays at its ceiling, items over targets, until all
    targets are found. Make it by `from_estimator`, `from_predictions` or
    `from_cv_results`, with the settings of :class:`HitCurveDisplay`.

    Parameters
    ----------
    curve : HitCurve or list of HitCurve
        What :func:`hit_curve` returns, also with weights, missed targets or another tie
        rule; or several, best in fractions of the ranking.
    average_precision : float or list of float, default=None
        Average precision, for the legend.
    log10_pvalue : float or list of float, default=None
        Decimal logarithm of the p-value against random selection, for the legend.
    confidence_band : CurveBand, default=None
        Band of the hit curve, in the units of the curve, which is drawn as lift.
    name : str or list of str, default=None
        What the legend calls the curve, or each of them.
    mean : bool, default=False
        Whether to draw the mean of several curves, which are then thin lines.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of them
        The lift; a list where there are several curves, here and below.
    perfect_ : matplotlib Line2D, list of them, or None
        The perfect curve.
    chance_level_ : matplotlib Line2D or list of them
        The chance level.
    chance_band_ : matplotlib PolyCollection or None
        The chance band, one for all curves: that of the first ranking, as the legend
        says if rankings differ in items or targets. None where its items
        have weights, or the mean is drawn.
    confidence_band_ : matplotlib PolyCollection or None
        The band of the curve.
    mean_ : matplotlib Line2D or None
        The mean of the curves.
    ax_ : matplotlib Axes
        Where they are.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    enrichment_factor : Lift at one depth.
    HitCurveDisplay : The hits themselves.

    Notes
    -----
    The chance band is that of a ranking without ties, so that all rankings share it; on
    a ranking with ties chance stays closer to its mean. What is drawn of long rankings
    is exact to a pixel as a whole and after zooming into the top, not after zooming
    into the middle: for that, plot ``curve.t, curve.lift``.

    Examples
    --------
    >>> from skrank import LiftDisplay
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 4, 4, 4]
    >>> display = LiftDisplay.from_predictions(y_true, y_score, pvalue=False)
    >>> display.line_.get_label()
    'AP 0.714'
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
        self.ax_.set_ylim(bottom=0.1)  # a tenth of chance
        if limit is not None:
            self.ax_.set_xlim(right=max(limit, before[0][1]) if before else limit)
        for axis in (self.ax_.xaxis, self.ax_.yaxis):
            axis.set_major_formatter("{x:,.10g}")  # 100, not a power of ten
