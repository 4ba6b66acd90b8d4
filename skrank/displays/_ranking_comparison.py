"""Display of two rankings of the same items: hit curves and their difference."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from skrank._utils._checks import check_flag, invalid
from skrank._utils._numbers import format_pvalue, number, percent
from skrank.curves._band import CurveBand
from skrank.curves._hit_curve import HitCurve, curve_of
from skrank.displays import _drawing
from skrank.displays._curve_display import thin
from skrank.displays._entrances import FromData
from skrank.displays._hit_curve import HitCurveDisplay
from skrank.inference.comparison._ranking_comparison import RankingComparison
from skrank.inference.comparison._ranking_comparison_result import (
    RankingComparisonResult,
)
from skrank.inference.intervals._hit_curve_band import hit_curve_band
from skrank.ranking._rankings import Rankings


@dataclass(eq=False, repr=False)
class RankingComparisonDisplay(FromData):  # numpydoc ignore=PR02
    """Plot two hit curves and their difference; for more use HitCurveDisplay.

    At depths where the band of the difference excludes 0, one ranking finds more
    targets than sampling variation explains. Both rank the same items, so this band is
    narrower than the bands of the two curves suggest. Create the display with
    `from_predictions` or `from_estimator`. Pass the scores of two models, or two
    estimators, as a mapping; its keys are the names in the legends.

    Parameters
    ----------
    curve_a, curve_b : HitCurve
        Results of :func:`hit_curve` for the two rankings, in the same units.
    band : CurveBand, default=None
        Result of :func:`hit_curve_band`. None draws no band.
    result : RankingComparisonResult, default=None
        Result of :class:`RankingComparison` for the legends. None leaves it out.
    names : tuple of two str, default=("A", "B")
        Names of the two rankings in the legends.

    Attributes
    ----------
    line_ : list of two matplotlib Line2D
        The hit curves of A and B.
    difference_ : matplotlib Line2D
        Hits of A minus hits of B.
    band_ : matplotlib PolyCollection or None
        The band of the difference.
    zero_ : matplotlib Line2D
        Line at zero.
    hit_curves_ : HitCurveDisplay
        Display of the upper plot.
    ax_ : ndarray of two matplotlib Axes
        The upper and the lower axes.
    figure_ : matplotlib Figure
        Figure of the axes.

    See Also
    --------
    RankingComparison : Tests the difference in a metric.
    hit_curve_band : Computes the band.

    Notes
    -----
    The display needs the two rankings, because a `RankingComparisonResult` contains
    values of a metric but no curves.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingComparisonDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 40
    >>> a = rng.normal(2.0 * y_true)
    >>> b = 0.6 * a + rng.normal(0.4 * y_true)
    >>> display = RankingComparisonDisplay.from_predictions(
    ...     y_true, {"A": a, "B": b}, random_state=0
    ... )
    >>> [line.get_label() for line in display.line_]
    ['A: AP 0.374', 'B: AP 0.172']
    >>> display.difference_.get_label()
    'A - B: AP 0.202, p = 0.017'
    """

    curve_a: HitCurve
    curve_b: HitCurve
    band: CurveBand | None = None
    _: KW_ONLY
    result: RankingComparisonResult | None = None
    names: tuple[str, str] = ("A", "B")

    _refuses: ClassVar[dict[str, str]] = {
        "groups": "it compares two rankings of all items",
        "strata": "the band and the test take items from one population",
        "folds": "it compares two rankings of all items",
        "sample_weight": "the band and the test count items",
    }

    @classmethod
    def from_rankings(
        cls,
        rankings: Any,
        *,
        simultaneous: bool = True,
        random_state: object = 0,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the rankings of two models.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of two models, with or without clusters.
        simultaneous : bool, default=True
            Whether the 95 % band covers all depths at once. If False, it covers each
            single depth.
        random_state : int, RandomState, Generator or None, default=0
            Source of randomness of the simultaneous band.
        ax : pair of matplotlib Axes, default=None
            Axes to draw on, the upper axes first. None creates a new figure.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : RankingComparisonDisplay
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If the number of models is not two, or if there are several rankings of each
            model.
        """
        _drawing.check_call(cls.from_rankings, kwargs, cls.plot)
        rankings = Rankings.from_rankings(rankings)
        band = hit_curve_band(
            rankings, simultaneous=simultaneous, random_state=random_state
        )
        result = RankingComparison().from_rankings(rankings)
        a, b = map(curve_of, rankings.parts[0])
        return cls(a, b, band, result=result, names=result.names).plot(ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        top: float | None = None,
        chance_band_level: float | None = 0.95,
        plot_perfect: bool = True,
        line_kw: Any = None,
        difference_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the two curves and their difference.

        Parameters
        ----------
        ax : pair of matplotlib Axes, default=None
            Axes to draw on, the upper axes first. None creates a new figure.
        top : int or float, default=None
            Part of the data set to show. An int is a number of items, and a float in
            (0, 1] is a fraction. None shows the whole data set.
        chance_band_level : float, default=0.95
            Probability of the chance band, between 0 and 1. At any single depth, random
            selection is within the band with this probability. None draws no band.
        plot_perfect : bool, default=True
            Whether to draw the perfect curve.
        line_kw : dict or list of two dict, default=None
            Keyword arguments of ``Axes.plot`` for the two hit curves.
        difference_kw : dict, default=None
            Keyword arguments of ``Axes.plot`` for the difference.

        Returns
        -------
        display : RankingComparisonDisplay
            The display itself.

        Raises
        ------
        ImportError
            If a new figure is needed and matplotlib is not installed.
        ValueError
            If `ax` is not a pair of axes or has curves in other units, if `top` is
            outside the data set, if `chance_band_level` is not between 0 and 1, or if
            `plot_perfect` is not True or False.
        """
        pair = [None, None] if ax is None else np.ravel(ax)
        if len(pair) != 2:
            raise invalid("ax", "be two axes, or None", f"{len(pair)}")
        found = self.result
        values = None if found is None else [found.value_a, found.value_b]
        pairs: Any = {"average_precision": values, "name": list(self.names)}
        self.hit_curves_ = HitCurveDisplay([self.curve_a, self.curve_b], **pairs)
        _drawing.check_axes(pair[1])
        check_flag("plot_perfect", plot_perfect)
        shown = {"top": top, "chance_band_level": chance_band_level, "line_kw": line_kw}
        self.hit_curves_._check(pair[0], name=None, **shown)
        if ax is None:
            size = {"figsize": (6.4, 6.2), "height_ratios": (2, 1)}
            pair = _drawing.new_axes(nrows=2, sharex=True, **size)
        self.ax_ = np.asarray(pair)
        upper, lower = self.ax_
        self.figure_ = upper.figure
        self.hit_curves_.plot(upper, plot_perfect=plot_perfect, **shown)
        self.line_ = self.hit_curves_.line_
        self._draw_difference(lower, difference_kw, upper.get_xlim(), top)
        lower.set(xlabel=upper.get_xlabel(), ylabel="difference in targets")
        if upper.get_shared_x_axes().joined(upper, lower):
            upper.set_xlabel("")
        if ax is None and self.curve_a.unit == 1:
            for one in self.ax_:
                one.locator_params(integer=True, min_n_ticks=1)
        _drawing.draw_legend(lower)
        return self

    def _draw_difference(
        self, ax: Any, difference_kw: Any, shown: tuple[float, float], top: Any
    ) -> None:
        """Draw the difference of the hits, with its band and a line at zero."""
        t = np.union1d(thin(self.curve_a)[0], thin(self.curve_b)[0])
        t = t[t <= min(self.curve_a.t[-1], self.curve_b.t[-1])]
        a, b = (np.interp(t, one.t, one.hits) for one in (self.curve_a, self.curve_b))
        gained = a - b
        heights = [np.zeros(1), gained[t <= shown[1]]]
        self.band_ = None
        band = self.band
        if band is not None:
            heights += [limit[band.x <= shown[1]] for limit in (band.low, band.high)]
            label = f"difference, {percent(band.confidence_level)} band"
            style = {"color": _drawing.COLORS[3], "alpha": 0.3, "label": label}
            limits = band.x, band.low, band.high
            self.band_ = _drawing.draw_band(ax, *limits, **style)
        self.zero_ = _drawing.draw_line(ax, t[[0, -1]], [0, 0], **_drawing.CHANCE)
        said = " - ".join(map(_drawing.plain, self.names))
        if self.result is not None:
            found = self.result
            limit: Any = {"is_limit": found.is_pvalue_limit, "called": "p"}
            p = format_pvalue(found.log10_pvalue, **limit)
            said += f": AP {number(found.difference, 3)}, {p}"
        # the colour of text is visible on every background
        color = ax.yaxis.label.get_color()
        self.difference_ = _drawing.draw_curve(
            ax, t, gained, difference_kw, label=said, color=color
        )
        ax.set_xlim(shown)
        if top is not None:  # limits outside of the axes are not shown
            low, high = np.min(np.concatenate(heights)), np.max(np.concatenate(heights))
            room = 0.05 * (high - low) or 1.0
            ax.set_ylim(low - room, high + room)
