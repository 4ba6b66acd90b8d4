"""Lift as a picture: how many times as many targets as by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

from skrank._utils._checks import check_flag
from skrank.curves import CurveBand, HitCurve
from skrank.displays import _drawing
from skrank.displays._curve_display import CurveDisplay, Points, thin


class LiftDisplay(CurveDisplay):
    """Picture of the lift, or enrichment, at every depth of the ranking.

    The lift at t is the number of targets among the top t over that of the chance
    level. Both are on logarithmic scales: it is the top that counts, and twice as many
    as by chance is as much to see at a lift of 1 as at one of 100. Chance is a line at
    1, lower
    if targets were missed, and a band that narrows down the ranking. Where chance most
    likely finds nothing yet, the band is 0, below the axes, as is the lift before the
    first target. The perfect curve stays at its ceiling, items over targets, until all
    targets are found. Make it by `from_estimator`,
    `from_predictions` or `from_cv_results`.

    Parameters
    ----------
    curve : HitCurve or list of HitCurve
        What :func:`hit_curve` returns, also with weights, missed targets or another tie
        rule; or several, best in fractions of the ranking.
    average_precision : float or list of float, default=None
        Average precision, for the legend.
    log10_pvalue : float or list of float, default=None
        Decimal logarithm of the p-value against random selection, for the legend.
    name : str or list of str, default=None
        What the legend calls the curve, or each of them.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of them
        The lift; a ranking if there are several curves, here and below.
    perfect_ : matplotlib Line2D, list of them, or None
        The perfect curve.
    chance_level_ : matplotlib Line2D or list of them
        The chance level.
    chance_band_ : matplotlib PolyCollection or None
        The chance band, one for all curves: that of the first ranking, which the legend
        says if lists differ in items or targets. None where its items have weights.
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
    a ranking with ties chance stays closer to its line. What is drawn of long rankings
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

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | Sequence[str] | None = None,
        chance_band_level: float | None = 0.95,
        plot_perfect: bool = True,
        line_kw: Any = None,
        chance_level_kw: dict[str, Any] | None = None,
        perfect_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the lift.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure. Its scales become logarithmic, and
            it ends at a tenth of chance.
        name : str or list of str, default=None
            What the legend calls the curve; None is the name of the display.
        chance_band_level : float, default=0.95
            Probability of random selection to be within the band, at any one depth;
            None draws no band.
        plot_perfect : bool, default=True
            Whether to draw the perfect curve.
        line_kw : dict or list of dict, default=None
            Keywords of ``Axes.plot`` for the curve, or for each of them.
        chance_level_kw, perfect_kw : dict, default=None
            Keywords of ``Axes.plot`` for the chance level and for the perfect curve.

        Returns
        -------
        display : LiftDisplay
            Itself.

        Raises
        ------
        ImportError
            If a new figure is wanted and matplotlib is not installed.
        ValueError
            If `chance_band_level` is not between 0 and 1, a ranking not as long as that
            of the curves, `ax` no axes, or one with curves in other units.
        """
        plot_perfect = check_flag("plot_perfect", plot_perfect)
        self._check(ax, chance_band_level, name, line_kw)
        self._start(ax)
        self._draw_references(
            chance_band_level, chance_level_kw, perfect_kw, plot_perfect=plot_perfect
        )
        self._draw_curves(name, line_kw)
        fractions = self._listed(self.curve)[0].unit < 1
        unit = ", as a fraction of the ranking" if fractions else ""
        self.ax_.set(
            xscale="log",
            yscale="log",
            xlabel=f"items looked at{unit}",
            ylabel="lift: targets found over those by chance",
        )
        self.ax_.set_xmargin(0)
        self.ax_.set_ylim(bottom=0.1)  # a tenth of chance
        for axis in (self.ax_.xaxis, self.ax_.yaxis):
            axis.set_major_formatter("{x:,.10g}")  # 100, not a power of ten
        _drawing.draw_legend(self.ax_)
        return self

    @staticmethod
    def _view(curve: HitCurve) -> Points:
        t, hits = (values[1:] for values in thin(curve))
        return t, hits / t * (curve.n_samples / curve.n_targets)

    def _chance_band(self, chance_band_level: float) -> CurveBand:
        band, curve = (
            super()._chance_band(chance_band_level),
            self._listed(self.curve)[0],
        )
        x = band.x[1:]
        low, high = (
            limit[1:] / x * (curve.n_samples / curve.n_targets)
            for limit in (band.low, band.high)
        )
        return replace(band, x=x, low=low, high=high)
