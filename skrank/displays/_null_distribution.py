"""Display of the null distribution of a metric."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from skrank._utils._checks import check_count, check_flag, invalid
from skrank._utils._numbers import format_counted_pvalue, format_pvalue, number
from skrank.displays import _drawing
from skrank.displays._entrances import FromFolds
from skrank.inference.random_selection._random_selection import RandomSelectionTest
from skrank.inference.random_selection._random_selection_result import (
    RandomSelectionResult,
)
from skrank.inference.search._search_selection_result import SearchSelectionResult
from skrank.metrics._definitions import AnyMetric
from skrank.null import MeanNull, RandomSelectionNull

Null = RandomSelectionNull | MeanNull


@dataclass(eq=False, repr=False)
class NullDistributionDisplay(FromFolds):  # numpydoc ignore=PR02
    """Plot a null distribution; for the p-value alone use RandomSelectionTest.

    The bars show the distribution of a metric under random selection, or the
    distribution of the largest value of a search under random selection. A line shows
    the normal distribution with the same mean and standard deviation. Create the
    display with `from_result`, `from_predictions`, `from_estimator`, `from_cv`,
    `from_cv_results` or `from_rankings`.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bars in ascending order.
    probabilities : ndarray of shape (n_bins,)
        Probability of a value in each bar.
    metric : str
        Name of the metric.
    null_name : str, default="null distribution"
        Name of the distribution in the legend.
    null_mean, null_std : float, default=None
        Mean and standard deviation of the normal distribution. None draws no normal
        distribution.
    value : float, default=None
        Observed value. None marks no value.
    description : str, default=""
        Description of the observed value in the legend.

    Attributes
    ----------
    bars_ : matplotlib StepPatch
        The distribution, as a density.
    normal_ : matplotlib Line2D or None
        The normal distribution.
    line_ : matplotlib Line2D or None
        The observed value.
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure of the axes.

    See Also
    --------
    RandomSelectionTest : The test that the plot shows.
    RandomSelectionNull : The null distribution.

    Notes
    -----
    The plot follows [1]_, figure 1. The bars are shares of 20,000 draws with a fixed
    seed. A bar with a probability of 5 % is accurate to about 3 % of its height. The
    bars omit one value in 2000 at each end.

    References
    ----------
    .. [1] Zhang and Su (2012), "Statistical inference on recall, precision and average
       precision under random selection", *FSKD 2012*, 1348-1352.

    Examples
    --------
    >>> from skrank import NullDistributionDisplay
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 4, 4, 4]
    >>> display = NullDistributionDisplay.from_predictions(y_true, y_score)
    >>> display.line_.get_label()
    'observed: 0.714, z 1.06, p = 0.2'
    >>> print(f"{display.probabilities.sum():.3f}")
    1.000
    """

    edges: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    _: KW_ONLY
    metric: str
    null_name: str = "null distribution"
    null_mean: float | None = None
    null_std: float | None = None
    value: float | None = None
    description: str = ""

    _refuses: ClassVar[dict[str, str]] = {
        "sample_weight": "weighted items have no null distribution"
    }
    _repeated: ClassVar[bool] = False

    @classmethod
    def from_result(
        cls,
        result: RandomSelectionResult | SearchSelectionResult | Null,
        *,
        bins: int = 50,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the result of a test, or a null distribution.

        Parameters
        ----------
        result : RandomSelectionResult, SearchSelectionResult, RandomSelectionNull or \
                MeanNull
            Result for one ranking, for several rankings, or for a search. For a search,
            the bars show draws of the largest value under random selection, and the
            p-value is the adjusted p-value of the winner. A null distribution has no
            observed value.
        bins : int, default=50
            Number of bars, at least 2.
        ax : matplotlib Axes, default=None
            Axes to draw on. None creates a new figure.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : NullDistributionDisplay
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If `bins` is below 2, or if `result` has another type.
        """
        _drawing.check_call(cls.from_result, kwargs, cls.plot)
        bins = check_count("bins", bins, least=2)
        if isinstance(result, RandomSelectionNull | MeanNull):
            return cls(**_data_of_distribution(result, bins)).plot(ax, **kwargs)
        name, null = "null distribution", getattr(result, "null_distribution", None)
        if isinstance(result, SearchSelectionResult):
            name = f"best of {result.n_candidates} by chance"
            drawn: Any = result.null_maxima
            zscore = result.zscores[result.best_index]
            p = format_counted_pvalue(result.pvalue, result.n_resamples, "p")
            value = number(result.value, 3)
            said = f"winner {value}, z {number(zscore, 3)}, adjusted {p}"
        elif isinstance(result, RandomSelectionResult):
            drawn = result.null_values  # with clusters or strata
            limit: Any = {"is_limit": result.is_pvalue_limit, "called": "p"}
            p = format_pvalue(result.log10_pvalue, **limit)
            said = f"{number(result.value, 3)}, z {number(result.zscore, 3)}, {p}"
        else:
            rule = "be the result of a test or a null distribution"
            raise invalid("result", rule, type(result).__name__)
        if null is not None:
            data = _data_of_distribution(null, bins)
        else:
            counts, edges = np.histogram(drawn, bins)
            data = {"edges": edges, "probabilities": counts / drawn.size}
            data["metric"] = result.metric
        observed: Any = {"value": result.value, "description": said}
        display = cls(**data, null_name=name, **observed)
        return display.plot(ax, **kwargs)

    @classmethod
    def from_rankings(
        cls,
        rankings: Any,
        *,
        metric: str | AnyMetric = "average_precision",
        bins: int = 50,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Test rankings, and draw the result.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data, of one model.
        metric : str or Metric, default="average_precision"
            Metric by its printed name, such as "precision@10" (:ref:`metric_names`), or
            an object made by :func:`make_metric`. For other settings of the test, pass
            a result of :class:`RandomSelectionTest` to `from_result`.
        bins : int, default=50
            Number of bars, at least 2.
        ax : matplotlib Axes, default=None
            Axes to draw on. None creates a new figure.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : NullDistributionDisplay
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If there are several models, if there are no targets or no non-targets, if
            items have weights, or if a setting is outside its range.
        """
        # shared: ax
        _drawing.check_call(cls.from_rankings, kwargs, cls.plot)
        result = RandomSelectionTest(metric, random_state=0).from_rankings(rankings)
        return cls.from_result(result, bins=bins, ax=ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        plot_normal: bool = True,
        bars_kw: dict[str, Any] | None = None,
        normal_kw: dict[str, Any] | None = None,
        line_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the distribution and the observed value.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. None creates a new figure.
        plot_normal : bool, default=True
            Whether to draw the normal distribution, if the display has one.
        bars_kw : dict, default=None
            Keyword arguments of ``Axes.stairs`` for the null distribution.
        normal_kw, line_kw : dict, default=None
            Keyword arguments of ``Axes.plot`` for the normal distribution, and of
            ``Axes.axvline`` for the observed value.

        Returns
        -------
        display : NullDistributionDisplay
            The display itself.

        Raises
        ------
        ImportError
            If a new figure is needed and matplotlib is not installed.
        ValueError
            If `ax` is not an axes, or if `plot_normal` is not True or False.
        """
        plot_normal = check_flag("plot_normal", plot_normal)
        _drawing.check_axes(ax)
        self.ax_ = _drawing.new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        self.line_ = self.normal_ = None
        # each distribution of the axes has its own colour; the first is grey
        number = sum(
            _drawing.gid(one) == "skrank distribution" for one in self.ax_.patches
        )
        color = _drawing.COLORS[(number + 1) % len(_drawing.COLORS)]
        grey, blue = ("0.5", _drawing.COLORS[0]) if number == 0 else (color, color)
        style = {
            "fill": True,
            "color": grey,
            "alpha": 0.45,  # so that others are visible behind it
            "linewidth": 0,
            "label": _drawing.plain(self.null_name),
            "gid": "skrank distribution",
        }
        density = self.probabilities / np.diff(self.edges)
        self.bars_ = self.ax_.stairs(
            density, self.edges, **{**style, **(bars_kw or {})}
        )
        if plot_normal and self.null_mean is not None and self.null_std:
            x = np.linspace(self.edges[0], self.edges[-1], 201)  # smooth on a screen
            self.normal_ = _drawing.draw_line(
                self.ax_,
                x,
                norm.pdf(x, self.null_mean, self.null_std),
                normal_kw,
                label="normal distribution, same mean and spread",
                **{"color": blue, "linestyle": "--", "linewidth": 1.8},
            )
        if self.value is not None:
            style = {"color": color, "linewidth": 2, "gid": _drawing.CURVE}
            style["label"] = f"observed: {self.description}"
            self.line_ = self.ax_.axvline(
                self.value, **{**style, **_drawing.long_names(line_kw)}
            )
        self.ax_.set(xlabel=self.metric.replace("_", " "), ylabel="density")
        self.ax_.set_ylim(bottom=0, auto=None)
        _drawing.draw_legend(self.ax_)
        return self


def _data_of_distribution(null: Null, bins: int) -> dict[str, Any]:
    """Return probabilities of bars of equal width, and the moments."""
    # The height of a bar of one value in twenty is accurate to 3 %; with half as many
    # draws the error is visible. A million items with 10,000 targets take 7 seconds.
    n_draws = 20_000
    drawn = null.rvs(n_draws, random_state=0)
    edges = _edges(drawn, bins)
    return {
        "edges": edges,
        "probabilities": np.histogram(drawn, edges)[0] / n_draws,
        "metric": null.metric,
        "null_mean": null.mean(),
        "null_std": null.std(),
    }


def _edges(drawn: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Return edges of bars; each with equally many values, if these are a lattice."""
    values = np.unique(drawn.round(12))
    if values.size == 1:
        return values + np.array([-1, 1]) * (values / 20 or 0.05)
    low, high = np.quantile(drawn, [5e-4, 1 - 5e-4], method="inverted_cdf")
    # is each a whole number of steps above the first?
    n_steps = round(np.ptp(values) / np.diff(values).min())
    step = np.ptp(values) / n_steps
    above = (values - values[0]) / step
    if np.allclose(above, above.round(), rtol=0, atol=0.01):
        shown = round((high - low) / step) + 1
        each = -(-shown // bins)
        ends = each * np.arange(-(-shown // each) + 1) - 0.5
        return np.asarray(low + step * ends)
    low -= (high - low) / (2 * bins - 1)  # in the middle of a bar, as it may be likely
    return np.linspace(low, high, bins + 1)
