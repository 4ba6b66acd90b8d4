"""Display of the hit curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np

from skrank._utils._checks import (
    check_flag,
    check_not_negative,
    check_option,
    check_positive,
    invalid,
)
from skrank._utils._numbers import percent
from skrank.curves._band import CurveBand
from skrank.curves._depths import spread_counts
from skrank.curves._hit_curve import HitCurve
from skrank.displays import _drawing
from skrank.displays._curve_display import Array, CurveDisplay, Heights, mean_of, thin
from skrank.inference.intervals._hit_curve_band import hit_curve_band
from skrank.ranking._rankings import Rankings


@dataclass(eq=False, repr=False)
class HitCurveDisplay(CurveDisplay):  # numpydoc ignore=PR02
    """Plot hit curves or lift; for precision use PrecisionRecallDisplay.

    The plot also shows the perfect curve, the chance level and the chance band. The
    perfect curve finds a target with each item until all targets are found. The chance
    level is the mean under random selection. At any single depth, random selection is
    within the chance band with a probability of `chance_band_level`. Create the display
    with `from_predictions`, `from_estimator`, `from_cv`, `from_cv_results` or
    `from_rankings`.

    Parameters
    ----------
    curve : HitCurve or list of HitCurve
        Result of :func:`hit_curve`, with any settings; or a list of results, preferably
        in fractions of the ranking.
    average_precision : float or list of float, default=None
        Average precision for the legend. None leaves it out.
    log10_pvalue : float or list of float, default=None
        Decimal logarithm of the p-value against random selection, for the legend. None
        leaves the p-value out.
    confidence_band : CurveBand, default=None
        Confidence band of the curve, in the units of the curve. None draws no band.
    name : str or list of str, default=None
        Name of the curve in the legend, or a name for each curve.
    mean : bool, default=False
        Whether to draw the mean of several curves. The curves are then thin lines.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of them
        The curve; a list for several curves.
    perfect_ : matplotlib Line2D, list of them, or None
        The perfect curve.
    chance_level_ : matplotlib Line2D or list of them
        The chance level.
    chance_band_ : matplotlib PolyCollection or None
        The chance band of the first ranking, which is used for all curves. If the
        rankings differ in items or targets, the legend notes this. None if the items
        have weights or if the mean is drawn.
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
    hit_curve : Computes the data.
    enrichment_factor : Lift at one depth.
    PrecisionRecallDisplay : The same hits as precision against recall.

    Notes
    -----
    The plot follows [1]_, figures 2 and 3. The chance band is hypergeometric; see
    :meth:`HitCurve.chance_band`. It is computed for a ranking without ties, so that all
    rankings share it. With ties, random selection varies less.

    The line of a long ranking has fewer points than the curve. It differs from the
    curve by less than a pixel, both in the whole plot and after zooming into the top.
    To zoom into the middle, plot ``curve.t, curve.hits``. Each curve on an axes has its
    own colour and style, so that several displays can share the axes. More than ten
    curves of one display are drawn as thin lines of one colour.

    References
    ----------
    .. [1] Zhu (2004), "Recall, precision and average precision", working paper 2004-09,
       University of Waterloo.

    Examples
    --------
    >>> from skrank import HitCurveDisplay
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 4, 4, 4]
    >>> display = HitCurveDisplay.from_predictions(y_true, y_score)
    >>> display.line_.get_label()
    'AP 0.714, p = 0.2'
    >>> display.ax_.get_xlabel()
    'inspected items'
    """

    _: KW_ONLY
    confidence_band: CurveBand | None = None

    @classmethod
    def from_rankings(
        cls,
        rankings: Any,
        *,
        as_fraction: bool = False,
        confidence_band: str | None = None,
        random_state: object = 0,
        pvalue: bool | None = None,
        ax: Any = None,
        name: str | Sequence[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw rankings.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            One ranking, or a mapping from names of models to rankings, or the rankings
            of groups or folds by one model, such as a sequence. The rankings of groups
            are drawn as thin lines, with their mean. Folds are drawn in fractions of
            the ranking.
        as_fraction : bool, default=False
            Whether depths and hits are fractions of the ranking. By default they are
            numbers of items.
        confidence_band : {"simultaneous", "pointwise"}, default=None
            95 % confidence band of the curve from :func:`hit_curve_band`, for all
            depths at once or for each single depth. None draws no band.
        random_state : int, RandomState, Generator or None, default=0
            Source of randomness of the simultaneous band.
        pvalue : bool, default=None
            Whether to show the p-value against random selection in the legend. None
            omits it if it can take more than about two seconds (few targets in a very
            long ranking), for weighted items, for groups, and for more than ten folds.
            It is never shown with clusters or strata, because it would ignore them.
        ax : matplotlib Axes, default=None
            Axes to draw on. None creates a new figure.
        name : str or sequence of str, default=None
            Name of the curve in the legend, or a name for each model or fold.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If there are no targets, or if a confidence band is requested for more than
            one ranking.
        """
        # shared: as_fraction pvalue_of_curve ax
        _drawing.check_call(cls.from_rankings, kwargs, cls.plot)
        bands = (None, "simultaneous", "pointwise")
        check_option("confidence_band", confidence_band, bands)
        rankings = Rankings.from_rankings(rankings)
        display = cls._of(rankings, as_fraction, pvalue, name)
        if confidence_band is not None:
            if len(rankings.names) > 1:
                raise invalid("confidence_band", "be None for several models", "a band")
            together = confidence_band == "simultaneous"
            band = hit_curve_band(
                rankings, simultaneous=together, random_state=random_state
            )
            unit = display._one_per_curve(display.curve)[0].unit
            heights = {"low": band.low * unit, "high": band.high * unit}
            display.confidence_band = replace(band, x=band.x * unit, **heights)
        return display.plot(ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "hits",
        name: str | Sequence[str] | None = None,
        top: float | None = None,
        chance_band_level: float | None = 0.95,
        plot_perfect: bool = True,
        line_kw: Any = None,
        chance_level_kw: dict[str, Any] | None = None,
        perfect_kw: dict[str, Any] | None = None,
        benefit: float | None = None,
        cost: float | None = None,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. None creates a new figure.
        kind : {"hits", "gain", "lift", "profit"}, default="hits"
            Quantity to draw. "hits" is the number of targets found. "gain" is the share
            of the targets against the share of the items. "lift" is the number of
            targets divided by its mean under random selection. For a lift both axes are
            logarithmic, so that the top of the ranking takes most of the width. The
            chance level of the lift is 1, or lower if targets were missed. A lift of 0
            is below the axes. "profit" is the benefit of the targets minus the cost of
            the items.
        name : str or list of str, default=None
            Name of the curve in the legend. None uses the name of the display.
        top : int or float, default=None
            Part of the ranking to show. An int is a number of items, and a float in
            (0, 1] is a fraction. The rest is drawn outside the limits of the axes. None
            shows the whole ranking. The limits of axes that already have curves are
            never narrowed.
        chance_band_level : float, default=0.95
            Probability of the chance band, between 0 and 1. At any single depth, random
            selection is within the band with this probability. None draws no band.
        plot_perfect : bool, default=True
            Whether to draw the perfect curve.
        line_kw : dict or list of dict, default=None
            Keyword arguments of ``Axes.plot`` for the curve, or for each curve.
        chance_level_kw, perfect_kw : dict, default=None
            Keyword arguments of ``Axes.plot`` for the chance level and the perfect
            curve.
        benefit, cost : float, default=None
            Benefit of finding a target and cost of inspecting an item, for "profit".

        Returns
        -------
        display : HitCurveDisplay
            The display itself.

        Raises
        ------
        ImportError
            If a new figure is needed and matplotlib is not installed.
        ValueError
            If `top` is outside the ranking, if `chance_band_level` is not between 0 and
            1, if a list does not have an entry for each curve, if `ax` is not an axes
            or has curves in other units, if there are several curves and a confidence
            band, if `plot_perfect` is not True or False, or if `benefit` or `cost` is
            missing for a profit.
        """
        plot_perfect = check_flag("plot_perfect", plot_perfect)
        check_option("kind", kind, ("hits", "gain", "lift", "profit"))
        self.kind_ = kind
        if kind == "profit":
            self.benefit_ = check_positive("benefit", benefit)
            self.cost_ = check_not_negative("cost", cost)
        limit = self._check(ax, top, chance_band_level, name, line_kw)
        curves = self._one_per_curve(self.curve)
        if self.confidence_band is not None and not isinstance(self.curve, HitCurve):
            raise invalid("confidence_band", "be None for a list of curves", "a band")
        self._start(ax)
        before = None
        if _drawing.count_curves(self.ax_):
            before = self.ax_.get_xlim(), self.ax_.get_ylim()
        by_chance = [
            replace(one, t=one.t[[0, -1]], hits=one.hits[[0, -1]]) for one in curves
        ]
        style = {**_drawing.CHANCE, "label": "chance level"}
        self.chance_level_ = self._draw_each(by_chance, chance_level_kw, style)
        self._draw_chance_band(chance_band_level)
        self.perfect_ = None
        if plot_perfect:
            perfect = [one.perfect() for one in curves]
            style = {"color": "0.6", "linewidth": 1.0, "zorder": 1.7}
            style["label"] = "perfect"
            self.perfect_ = self._draw_each(perfect, perfect_kw, style)
        self._draw_curves(name, line_kw, [self._view(c, *thin(c)) for c in curves])
        self.confidence_band_ = None
        band = self.confidence_band
        if band is not None:
            whose = _drawing.plain(name or self.name) or "the curve"
            self.confidence_band_ = _drawing.draw_band(
                self.ax_,
                *self._view(curves[0], band.x, band.low, band.high),
                label=f"{percent(band.confidence_level)} band of {whose}",
                **{"color": self.line_.get_color(), "alpha": 0.18, "zorder": 1.2},
            )
        self.ax_.set_xmargin(0)
        if kind == "lift":
            self._set_axes_of_lift(limit, before)
        else:
            if ax is None and kind == "hits" and curves[0].unit == 1:
                self.ax_.locator_params(integer=True, min_n_ticks=1)
            self._set_axes(limit, before)
        _drawing.draw_legend(self.ax_)
        return self

    def _draw_each(self, curves: list[HitCurve], line_kw: Any, style: Any) -> Any:
        """Draw a reference line for each curve, equal ones once; or their mean."""
        draw, line = _drawing.draw_shared, _drawing.draw_line
        views = [self._view(one, *thin(one)) for one in curves]
        if self.mean:
            views = [mean_of(views)] * len(views)
        lines = [draw(line, self.ax_, *xy, line_kw=line_kw, **style) for xy in views]
        return self._one_or_all(lines)

    def _chance_limits(self, level: float) -> Heights:
        first = self._one_per_curve(self.curve)[0]
        ends = spread_counts(round(first.t[-1] / first.unit))
        band = replace(first, tie_ends=ends).chance_band(level)
        # the limits increase: up to the item before the next depth the lower one holds,
        # and from the item after a depth the upper one of the next
        knots = np.append(0, ends)
        t = np.unique(np.clip(np.add.outer([-1, 0, 1], knots), 0, knots[-1]))
        low = band.low[np.searchsorted(knots, t, side="right") - 1]
        high = band.high[np.searchsorted(knots, t)]
        return self._view(first, t * first.unit, low, high)

    def _view(self, curve: HitCurve, t: Array, *hits: Array) -> Heights:
        """Convert depths and hits to what is drawn."""
        if self.kind_ == "hits":
            return t, *hits
        if self.kind_ == "gain":
            return t / curve.n_samples, *(one / curve.n_targets for one in hits)
        if self.kind_ == "profit":
            benefit, cost = self.benefit_ / curve.unit, self.cost_ / curve.unit
            return t, *(benefit * one - cost * t for one in hits)
        below = t > 0
        by_chance = t[below] * (curve.n_targets / curve.n_samples)
        return t[below], *(found[below] / by_chance for found in hits)

    def _set_axes(self, limit: float | None, before: tuple[Any, Any] | None) -> None:
        """Label the axes, and set the limits to the top or to all that was drawn."""
        curves = self._one_per_curve(self.curve)
        unit = ", as fractions of the ranking" if curves[0].unit < 1 else ""
        depth, found = f"inspected items{unit}", f"targets found{unit}"
        labels = {"hits": (depth, found), "profit": (depth, "profit")}
        labels["gain"] = "share of inspected items", "share of targets found"
        depth, found = labels[self.kind_]
        self.ax_.set(xlabel=depth, ylabel=found)
        if limit is None:
            return
        shown = [one.perfect() for one in curves] if self.perfect_ else []
        heights = []
        for one in [*shown, *curves]:
            t = np.append(one.t[one.t < limit], min(limit, one.t[-1]))
            heights.append(self._view(one, t, np.interp(t, one.t, one.hits)))
        limit = max(float(x[-1]) for x, _ in heights)
        lowest = min(float(y.min()) for _, y in heights)
        highest = max(float(y.max()) for _, y in heights)
        low, high = (
            lowest - 0.03 * (highest - lowest),
            highest + 0.05 * (highest - lowest),
        )
        (left, right), (bottom, up) = before or ((0.0, limit), (low, high))
        x, y = (min(0.0, left), max(limit, right)), (min(low, bottom), max(high, up))
        self.ax_.set(xlim=x, ylim=y)

    def _set_axes_of_lift(
        self, limit: float | None, before: tuple[Any, Any] | None
    ) -> None:
        """Make the axes logarithmic, and set the limits to the top."""
        fractions = self._one_per_curve(self.curve)[0].unit < 1
        unit = ", as a fraction of the ranking" if fractions else ""
        self.ax_.set(
            xscale="log",
            yscale="log",
            xlabel=f"inspected items{unit}",
            ylabel="lift: targets found / targets expected by chance",
        )
        self.ax_.set_ylim(bottom=0.1)  # a tenth of the chance level
        if limit is not None:
            self.ax_.set_xlim(right=max(limit, before[0][1]) if before else limit)
        for axis in (self.ax_.xaxis, self.ax_.yaxis):
            axis.set_major_formatter("{x:,.10g}")  # 100 instead of a power of ten
