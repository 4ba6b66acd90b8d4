"""Precision against recall as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from skrank._utils._checks import check_flag
from skrank.curves import CurveBand, HitCurve, OperatingPoints, points_of
from skrank.displays import _drawing
from skrank.displays._curve_display import CurveDisplay, Points, thin
from skrank.ranking._as_ranking import Labels
from skrank.ranking._ranking import Ranking


class PrecisionRecallDisplay(CurveDisplay):
    """Picture of precision against recall, down the ranking.

    The curve is that of the hits, ``p = h / t`` against ``r = h / m``: it falls where
    items are no targets, and within a tie it goes through the means over its orders.
    Average precision is the area under it but for the corners. Chance is a band, which
    is high at the first targets; on average it is no line at the prevalence. Make it by
    `from_estimator`, `from_predictions` or `from_cv_results`.

    Parameters
    ----------
    curve : HitCurve or list of HitCurve
        What :func:`hit_curve` returns; or several.
    points : OperatingPoints or list of OperatingPoints
        What :func:`operating_points` returns for the same rankings.
    average_precision : float or list of float, default=None
        Average precision, for the legend.
    log10_pvalue : float or list of float, default=None
        Decimal logarithm of the p-value against random selection, for the legend.
    name : str or list of str, default=None
        What the legend calls the curve, or each of them.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of them
        The curve; a ranking if there are several, here and below.
    chance_band_ : matplotlib PolyCollection or None
        The chance band, one for all curves: that of the first ranking, which the legend
        says if lists differ in items or targets. None where its items have weights, or
        it has one target.
    ax_ : matplotlib Axes
        Where they are.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    operating_points : The operating points.
    sklearn.metrics.PrecisionRecallDisplay : Steps between operating points.

    Notes
    -----
    The chance band is that of a ranking without ties, so that all rankings share it; on
    a ranking with ties chance stays closer to its mean. What is drawn of long rankings
    is exact to a pixel as a whole and after zooming into the first targets, not after
    zooming into the middle: for that, plot ``curve.recall, curve.precision``.

    Examples
    --------
    >>> from skrank import PrecisionRecallDisplay
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 4, 4, 4]
    >>> display = PrecisionRecallDisplay.from_predictions(
    ...     y_true, y_score, interpolate=True, pvalue=False
    ... )
    >>> display.line_.get_xydata().round(2).tolist()
    [[0.0, 1.0], [0.33, 1.0], [0.33, 0.67], [0.67, 0.67], [0.67, 0.38], [1.0, 0.38]]
    """

    def __init__(
        self,
        curve: HitCurve | Sequence[HitCurve],
        points: OperatingPoints | Sequence[OperatingPoints],
        *,
        average_precision: float | Sequence[float] | None = None,
        log10_pvalue: float | Sequence[float] | None = None,
        name: str | Sequence[str] | None = None,
    ) -> None:
        super().__init__(
            curve,
            average_precision=average_precision,
            log10_pvalue=log10_pvalue,
            name=name,
        )
        self.points = points

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_score: ArrayLike | None = None,
        *,
        pos_label: object = None,
        pvalue: bool | None = None,
        ax: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a ranking given as labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), Ranking or RankCounts
            Labels. Or a ranking or its counts, which stand for labels and scores.
        y_score : array-like of shape (n_samples,), default=None
            Scores; higher means a likelier target. Left out with a ranking or counts,
            and needed otherwise.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        pvalue : bool, default=None
            Whether the legend has the p-value against random selection. None leaves it
            out where it may take more than some two seconds, as for few targets in very
            long rankings, and where items have weights.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            What the legend calls the curve.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : PrecisionRecallDisplay
            With the data, and what was drawn.

        Raises
        ------
        ValueError
            If the input is not a ranking of two classes, or there are no targets.
        """
        settings = {"pos_label": pos_label, "pvalue": pvalue, "ax": ax, "name": name}
        return super().from_predictions(y_true, y_score, **settings, **kwargs)

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
            Where to draw; None makes a new figure.
        name : str or list of str, default=None
            What the legend calls the curve; None is the name of the display.
        interpolate : bool, default=False
            Whether to draw the best precision at a recall or a higher one, as steps
            between the operating points that are not dominated.
        chance_band_level : float, default=0.95
            Probability of random selection to be within the band, at any one recall;
            None draws no band.
        line_kw : dict or list of dict, default=None
            Keywords of ``Axes.plot`` for the curve, or for each of them.

        Returns
        -------
        display : PrecisionRecallDisplay
            Itself.

        Raises
        ------
        ImportError
            If a new figure is wanted and matplotlib is not installed.
        ValueError
            If `chance_band_level` is not between 0 and 1, a ranking not as long as that
            of the curves, or `ax` no axes.
        """
        interpolate = check_flag("interpolate", interpolate)
        self._check(ax, chance_band_level, name, line_kw)
        self._start(ax)
        self._draw_chance_band(chance_band_level)
        steps = list(map(_steps, self._listed(self.points))) if interpolate else None
        self._draw_curves(name, line_kw, steps)
        self.ax_.set(
            xlabel="recall: share of the targets found",
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

    @staticmethod
    def _view(curve: HitCurve) -> Points:
        t, hits = thin(curve)
        precision = hits[1:] / t[1:]
        return hits / curve.n_targets, np.append(precision[0], precision)

    def _chance_band(self, chance_band_level: float) -> CurveBand:
        points: OperatingPoints = self._listed(self.points)[0]
        return points.chance_band(chance_band_level)

    def _mark_of_curves(self, ax: Any) -> str:
        """Mark of the curves; recall and precision have the same units anywhere."""
        return _drawing.CURVE


def _steps(points: OperatingPoints) -> Points:
    """Best precision at a recall or a higher one, as corners of steps."""
    best = points.not_dominated("precision")
    return np.repeat(np.append(0, best.recall), 2)[1:-1], np.repeat(best.precision, 2)
