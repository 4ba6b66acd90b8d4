"""The null distribution of a metric as a picture."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import hypergeom, norm

from skrank._utils._checks import check_count, check_depth
from skrank._utils._text import format_pvalue
from skrank.displays import _drawing
from skrank.displays._legend import draw_legend
from skrank.inference._random_selection import RandomSelectionTest
from skrank.inference._search_result import SearchSelectionResult
from skrank.inference._selection_result import RandomSelectionResult
from skrank.metrics._definitions import Metric
from skrank.null import MeanNull, RandomSelectionNull
from skrank.ranking._response import target_scores

_OUTSIDE = 1e-4  # probability that is left out on either side
_FIRST_STEP, _HALVINGS = 4.0, 4  # of the search for that; in standard deviations
_NORMAL_POINTS = 201
_LATTICES = ("recall", "precision", "enrichment_factor")  # of hits at a depth
_ALONE = 0.05  # half the width of the bar of a single value, as a share of it
_LAW = "skrank distribution"  # marks the bars among all that may stand in an axes
# Colours of bars, normal distribution and value, for the distributions of an axes in
# turn.
_COLORS = (
    ("0.5", _drawing.COLORS[0], _drawing.COLORS[1]),
    *((color,) * 3 for color in _drawing.COLORS[2:]),
)

Null = RandomSelectionNull | MeanNull


class NullDistributionDisplay:
    """Null distribution of a metric, and the value that was observed.

    The bars are probabilities of the distribution, not a sample: those of random
    selection, or of the best of a search by chance. Beside them stands the normal
    distribution that has the same mean and standard deviation. Make it by
    `from_result`, `from_null`, `from_predictions` or `from_estimator`.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Ends of the bars, ascending.
    probabilities : ndarray of shape (n_bins,)
        Probability of a value above one end and up to the next.
    metric : str
        Name of the metric.
    null_name : str, default="null distribution"
        What the legend calls the distribution.
    null_mean, null_std : float, default=None
        Mean and standard deviation, for the normal distribution; None draws none.
    statistic : float, default=None
        Value that was observed; None marks none.
    description : str, default=""
        What the legend says of the value.

    Attributes
    ----------
    bars_ : matplotlib StepPatch
        The distribution, as a density.
    normal_ : matplotlib Line2D or None
        The normal distribution.
    line_ : matplotlib Line2D or None
        The observed value.
    ax_ : matplotlib Axes
        Where they are.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    RandomSelectionTest : The test that is shown.
    RandomSelectionNull : The null distribution.

    Notes
    -----
    The picture is that of [1]_, figure 1, with the distribution itself in place of a
    simulation. Where it is known value by value, and where its values are hits at a
    depth, so are the bars. Else they are those of a Fourier series of 1024 terms, which
    smooths a distribution of few targets over a tenth of a bar: some seconds, however
    many the items are.

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

    def __init__(
        self,
        edges: NDArray[np.float64],
        probabilities: NDArray[np.float64],
        *,
        metric: str,
        null_name: str = "null distribution",
        null_mean: float | None = None,
        null_std: float | None = None,
        statistic: float | None = None,
        description: str = "",
    ) -> None:
        self.edges = edges
        self.probabilities = probabilities
        self.metric = metric
        self.null_name = null_name
        self.null_mean = null_mean
        self.null_std = null_std
        self.statistic = statistic
        self.description = description

    @classmethod
    def from_result(
        cls,
        result: RandomSelectionResult | SearchSelectionResult,
        *,
        bins: int = 50,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the result of a test.

        Parameters
        ----------
        result : RandomSelectionResult or SearchSelectionResult
            Of one ranking or of several; or of a search, for which the bars are the
            draws of the best value by chance, and the p-value is the adjusted one of
            the winner.
        bins : int, default=50
            Number of bars.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : NullDistributionDisplay
            With the data, and what was drawn.

        Raises
        ------
        ValueError
            If `bins` is not at least 2, or the result is another.
        """
        _drawing.need_matplotlib()
        bins = check_count("bins", bins, least=2)
        if isinstance(result, SearchSelectionResult):
            data = _data_of_search(result, bins)
        elif isinstance(result, RandomSelectionResult):
            data = _data_of_result(result, bins)
        else:
            msg = (
                "`result` must be a RandomSelectionResult or a SearchSelectionResult; "
                f"got {type(result).__name__}."
            )
            raise ValueError(msg)
        return cls(**data).plot(ax, **kwargs)

    @classmethod
    def from_null(
        cls,
        null: Null,
        *,
        bins: int = 50,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a distribution alone, as before there are data.

        Parameters
        ----------
        null : RandomSelectionNull or MeanNull
            The null distribution.
        bins : int, default=50
            Number of bars.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : NullDistributionDisplay
            With the data, and what was drawn.

        Raises
        ------
        ValueError
            If `bins` is not at least 2.
        """
        _drawing.need_matplotlib()
        bins = check_count("bins", bins, least=2)
        return cls(**_data_of_distribution(null, bins)).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        metric: str | Metric = "average_precision",
        pos_label: object = None,
        bins: int = 50,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Test a ranking given as labels and scores, and draw the result.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels; both targets and non-targets.
        y_score : array-like of shape (n_samples,)
            Scores; higher means a likelier target.
        metric : str or Metric, default="average_precision"
            The metric, as it is printed: "precision@10"; see
            :class:`RandomSelectionTest`, which has more settings: draw its result by
            `from_result`.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        bins : int, default=50
            Number of bars.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : NullDistributionDisplay
            With the data, and what was drawn.

        Raises
        ------
        ValueError
            If the input is not a ranking of two classes, or a setting is outside its
            range.
        """
        _drawing.need_matplotlib()
        test = RandomSelectionTest(metric, random_state=0)
        result = test.from_predictions(y_true, y_score, pos_label=pos_label)
        return cls.from_result(result, bins=bins, ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Test the ranking that a fitted estimator gives, and draw the result.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. It ranks by
            ``decision_function``, else ``predict_proba``, else ``predict``.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not those it was fitted on.
        y : array-like of shape (n_samples,)
            Their labels.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector, which must be stated for one.
        **kwargs : dict
            Passed to `from_predictions`.

        Returns
        -------
        display : NullDistributionDisplay
            With the data, and what was drawn.

        Raises
        ------
        ValueError
            If the estimator can only give labels, is an outlier detector of unstated
            orientation, or the input is not valid for `from_predictions`.
        """
        _drawing.need_matplotlib()
        y_score = target_scores(
            estimator, X, y, pos_label=pos_label, detector_targets=detector_targets
        )
        return cls.from_predictions(y, y_score, pos_label=pos_label, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        plot_normal: bool = True,
        bars_kw: dict[str, Any] | None = None,
        normal_kw: dict[str, Any] | None = None,
        line_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the distribution and the value.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        plot_normal : bool, default=True
            Whether to draw the normal distribution, where there is one.
        bars_kw : dict, default=None
            Keywords of ``Axes.stairs`` for the null distribution.
        normal_kw, line_kw : dict, default=None
            Keywords of ``Axes.plot`` for the normal distribution, and of
            ``Axes.axvline`` for the value.

        Returns
        -------
        display : NullDistributionDisplay
            Itself.

        Raises
        ------
        ImportError
            If a new figure is wanted and matplotlib is not installed.
        ValueError
            If `ax` is no axes.
        """
        _drawing.check_axes(ax)
        self.ax_ = _drawing.new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        self.line_ = self.normal_ = None
        number = sum(_drawing.gid(one) == _LAW for one in self.ax_.patches)
        of_bars, of_normal, of_value = _COLORS[number % len(_COLORS)]
        self.bars_ = self._draw_bars(of_bars, bars_kw)
        if plot_normal and self.null_mean is not None and self.null_std:
            null = norm(self.null_mean, self.null_std)
            self.normal_ = self._draw_normal(null.pdf, of_normal, normal_kw)
        if self.statistic is not None:
            self.line_ = _drawing.draw_mark(
                self.ax_,
                self.statistic,
                f"observed: {self.description}",
                line_kw,
                color=of_value,
            )
        self.ax_.set(xlabel=self.metric.replace("_", " "), ylabel="density")
        self.ax_.set_ylim(bottom=0, auto=None)
        draw_legend(self.ax_)
        return self

    def _draw_bars(self, color: str, bars_kw: dict[str, Any] | None) -> Any:
        """Draw the distribution, so that another can be seen behind it."""
        style = {
            "fill": True,
            "color": color,
            "alpha": 0.45,
            "linewidth": 0,
            "label": _drawing.plain(self.null_name),
            "gid": _LAW,
        }
        density = self.probabilities / np.diff(self.edges)
        return self.ax_.stairs(density, self.edges, **{**style, **(bars_kw or {})})

    def _draw_normal(
        self, density: Any, color: str, normal_kw: dict[str, Any] | None
    ) -> Any:
        """Draw the normal distribution over the width of the bars."""
        x = np.linspace(self.edges[0], self.edges[-1], _NORMAL_POINTS)
        style = {
            "color": color,
            "linestyle": "--",
            "linewidth": 1.8,
            "label": "normal distribution, same mean and spread",
        }
        return _drawing.draw_line(self.ax_, x, density(x), style, normal_kw)


def _data_of_result(result: RandomSelectionResult, bins: int) -> dict[str, Any]:
    """Distribution and value of a test."""
    z, p = f"{result.zscore:.3g}", format_pvalue(result.log10_pvalue)
    return {
        **_data_of_distribution(result.null_distribution, bins),
        "metric": result.metric,
        "statistic": result.statistic,
        "description": f"{result.statistic:.3g}, z {z}, p = {p}",
    }


def _data_of_search(result: SearchSelectionResult, bins: int) -> dict[str, Any]:
    """Draws of the best by chance, and the winner."""
    counts, edges = np.histogram(result.null_maxima, bins)
    zscore = result.zscores[result.best_index]
    said = f"winner {result.statistic:.3g}, z {zscore:.3g}"
    return {
        "edges": edges,
        "probabilities": counts / result.n_resamples,
        "metric": result.metric,
        "null_name": f"best of {result.n_candidates} by chance",
        "statistic": result.statistic,
        "description": f"{said}, adjusted p = {result.pvalue:.2g}",
    }


def _data_of_distribution(null: Null, bins: int) -> dict[str, Any]:
    """Probabilities of the distribution between ends that are equally far apart."""
    mean, std = null.mean(), null.std()
    step = _spacing(null, mean, std) if std else None
    series = null._series(_OUTSIDE) if std and not step else None
    if series is not None:
        least, most = null.support()
        edges = _between(null, max(series.low, least), min(series.high, most), bins)
        ends = min(edges[0], series.low), max(edges[-1], series.high)
        below = series.below(np.array([ends[0], *edges[1:-1], ends[1]]))
        probabilities = np.diff(below)
    else:
        edges = _edges(null, mean, step, bins)
        probabilities = _probabilities(null, edges)
    return {
        "edges": edges,
        "probabilities": np.maximum(probabilities, 0),
        "metric": null.metric,
        "null_mean": mean,
        "null_std": std,
    }


def _probabilities(null: Null, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Differences of tails, each on its side of the mean."""
    lower = edges < null.mean()
    below, above = null.cdf(edges[lower]), null.sf(edges[~lower])
    middle = [1 - below[-1] - above[0]]
    return np.concatenate([np.diff(below), middle, -np.diff(above)])


def _edges(
    null: Null, mean: float, step: float | None, bins: int
) -> NDArray[np.float64]:
    """Ends of the bars, as many as are wanted unless the values are fewer."""
    if null.std() == 0:  # one value, and a bar around it
        return mean * np.array([1 - _ALONE, 1 + _ALONE])
    low, high = (_reach(null, sign) for sign in (-1, 1))
    if step:  # bars around the values, each of as many
        first, last = np.ceil(low / step - 1e-6), np.floor(high / step + 1e-6)
        each = np.ceil((last - first + 1) / bins)
        count = np.ceil((last - first + 1) / each)
        edges: NDArray[np.float64] = step * (first - 0.5 + each * np.arange(count + 1))
        return edges
    return _between(null, low, high, bins)


def _between(null: Null, low: float, high: float, bins: int) -> NDArray[np.float64]:
    """Ends of bars between two values."""
    if low <= null.support()[0]:  # which may be likely: in the middle of a bar
        low -= (high - low) / (2 * bins - 1)
    return np.linspace(low, high, bins + 1)


def _spacing(null: Null, mean: float, std: float) -> float | None:
    """What a hit counts, where the values are hits at a depth that parts no tie."""
    name, _, cut = null.metric.partition("@")
    if name not in _LATTICES or not isinstance(null, RandomSelectionNull):
        return None
    n, m = null.n_samples, null.n_targets
    t = check_depth("t", int(cut) if cut.isdigit() else float(cut), n)
    hits = hypergeom(n, m, t)
    step = float(mean / hits.mean())
    # shared out among the orders of a tie, hits vary less
    return step if math.isclose(step * hits.std(), std, rel_tol=1e-9) else None


def _reach(null: Null, sign: int) -> float:
    """Where hardly anything is left of a tail, or its end if that has an atom."""
    mean, std, end = null.mean(), null.std(), null.support()[sign > 0]
    tail = null.sf if sign > 0 else null.cdf
    near, far, step = mean, mean + sign * _FIRST_STEP * std, _FIRST_STEP * std
    while (end - far) * sign > 0 and tail(far) > _OUTSIDE:
        near, far, step = far, far + sign * step, 2 * step
    far = min(far * sign, end * sign) * sign
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        near, far = (middle, far) if tail(middle) > _OUTSIDE else (near, middle)
    return float(far)
