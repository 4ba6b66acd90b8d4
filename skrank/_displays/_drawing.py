"""Axes, lines, bands and legends in the manner of the house.

The only module that loads matplotlib, and only to draw.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._displays._trace import thin
from skrank._presentation import format_pvalue

# Okabe and Ito: told apart by the colour-blind; the styles also in grey.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)))
LUCK = {"color": "0.35", "linestyle": ":", "linewidth": 1.3, "zorder": 1.8}
PERFECT = {"color": "0.6", "linewidth": 1.0, "zorder": 1.7}
LUCK_BAND = {"color": "0.9", "zorder": 0.6}
_LINES = 3.5  # of text between axes and legend: ticks, their labels, the axis label
_LINE = 1.6  # height of a line of text, in the size of its letters
_LETTER, _HANDLE = 0.56, 6  # width of a letter in its size; of a handle in letters
_TOO_WIDE = 1.2  # times the width of the axes, for a legend below them
_CURVE = "skrank curve"  # marks the curves among all that may stand in an axes


def new_axes(**kwargs: Any) -> Any:
    """Make a figure and its axes; keywords of ``plt.subplots``."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = "`plot` needs matplotlib: pip install skrank[plot]"
        raise ImportError(msg) from error
    _, axes = plt.subplots(layout="constrained", **kwargs)
    for ax in np.atleast_1d(axes):
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def lone_axes(width: float, height: float) -> Any:
    """Make axes on a figure that pyplot does not know of; its size in inches."""
    from matplotlib.figure import Figure

    ax = Figure(figsize=(width, height), layout="constrained").add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_curve(
    ax: Any, x: ArrayLike, y: ArrayLike, label: str | None, line_kw: Any, **style: Any
) -> Any:
    """Draw the next curve of an axes, in a colour and a style of its own."""
    number = sum(line.get_gid() == _CURVE for line in ax.lines)
    usual = {
        "color": COLORS[number % len(COLORS)],
        "linestyle": STYLES[number % len(STYLES)],
        "linewidth": 2,
        "label": label,
        "gid": _CURVE,
    }
    return _line(ax, x, y, {**usual, **style, **_long_names(line_kw)})


def draw_line(
    ax: Any, x: ArrayLike, y: ArrayLike, style: dict[str, Any], line_kw: Any
) -> Any:
    """Draw a line to compare with, once if it is there already."""
    line = _line(ax, x, y, {**style, **_long_names(line_kw)})
    twins = [
        one
        for one in ax.lines[:-1]
        if one.get_label() == line.get_label()
        and np.array_equal(one.get_xydata(), line.get_xydata())
    ]
    return _only(line, twins)


def draw_mark(ax: Any, x: float, label: str, line_kw: Any) -> Any:
    """Mark a value by a line from bottom to top; the axes come to include it."""
    style = {"color": COLORS[1], "linewidth": 2, "label": label, "gid": _CURVE}
    return ax.axvline(x, **{**style, **_long_names(line_kw)})


def draw_band(
    ax: Any, x: ArrayLike, low: ArrayLike, high: ArrayLike, style: dict[str, Any]
) -> Any:
    """Fill between two limits, once if the same band is there already."""
    band = ax.fill_between(x, low, high, **{"linewidth": 0, **style})
    shape = band.get_paths()[0].vertices
    twins = [
        one
        for one in ax.collections[:-1]
        if one.get_label() == band.get_label()
        and np.array_equal(one.get_paths()[0].vertices, shape)
    ]
    return _only(band, twins)


def plain_ticks(ax: Any) -> None:
    """Write 100 on logarithmic scales, not a power of ten."""
    from matplotlib.ticker import FuncFormatter

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def has_room(ax: Any) -> bool:
    """Whether the layout of the figure makes room for what stands beside the axes."""
    return ax.figure.get_layout_engine() is not None


def draw_legend(ax: Any, *others: Any) -> Any:
    """Name what is drawn in the axes and others, curves first and nothing twice.

    It stands below the axes, where it hides nothing, if there is room, else in the
    corner where it hides least of the curves.
    """
    drawn = [one.get_legend_handles_labels() for one in (*others, ax)]
    pairs = [pair for found in drawn for pair in zip(*found, strict=True)]
    pairs.sort(key=lambda pair: pair[0].get_gid() != _CURVE)
    named = {label: handle for handle, label in reversed(pairs)}
    labels = list(dict.fromkeys(label for _, label in pairs))
    outside = has_room(ax)
    place = _below(ax, labels) if outside else {"loc": _corner(ax, labels)}
    handles = [named[label] for label in labels]
    return ax.legend(handles, labels, frameon=not outside, edgecolor="none", **place)


def _below(ax: Any, labels: list[str]) -> dict[str, Any]:
    """Place of a legend below the label of the x-axis, in columns if they fit."""
    from matplotlib.transforms import ScaledTranslation

    size = ax.xaxis.label.get_size() / 72  # of the letters, in inches
    shift = ScaledTranslation(0, -_LINES * size, ax.figure.dpi_scale_trans)
    half = (len(labels) + 1) // 2
    width = _width(ax, labels[:half]) + _width(ax, labels[half:])
    return {
        "loc": "upper center",
        "bbox_to_anchor": (0.5, 0),
        "bbox_transform": ax.transAxes + shift,
        "ncols": 2 if width <= _TOO_WIDE else 1,
    }


def _corner(ax: Any, labels: list[str]) -> str:
    """Place within the axes where a legend hides least of the curves."""
    curves = [one for one in ax.lines if one.get_gid() == _CURVE]
    if all(len(one.get_xdata()) == 2 for one in curves):  # nothing but a mark
        return "best"
    size = ax.xaxis.label.get_size() / 72 * ax.figure.dpi
    high = _LINE * size * len(labels) / ax.get_window_extent().height
    wide = _width(ax, labels)
    points = [one.get_transform().transform(one.get_xydata()) for one in curves]
    x, y = ax.transAxes.inverted().transform(np.concatenate(points)).T
    hidden = {}
    for row, bottom in (("lower", 0), ("upper", 1 - high), ("center", (1 - high) / 2)):
        for column, left in (("right", 1 - wide), ("left", 0.0)):
            inside = (np.abs(x - left - wide / 2) < wide / 2) & (
                np.abs(y - bottom - high / 2) < high / 2
            )
            hidden[f"{row} {column}"] = np.count_nonzero(inside)
    return min(hidden, key=hidden.__getitem__)


def _width(ax: Any, labels: list[str]) -> float:
    """Width of a legend in one column, as a share of that of the axes; roughly."""
    size = ax.xaxis.label.get_size() / 72 * ax.figure.dpi
    letters = _HANDLE + max(map(len, labels), default=0)
    return float(letters * _LETTER * size / ax.get_window_extent().width)


def describe(
    name: str | None, average_precision: float | None, log10_pvalue: float | None
) -> str | None:
    """Say in a legend whose curve it is, its average precision and its p-value."""
    facts = []
    if average_precision is not None:
        facts.append(f"AP {average_precision:#.3g}")
    if log10_pvalue is not None:
        facts.append(f"p = {format_pvalue(log10_pvalue)}")
    said = [part for part in (name, ", ".join(facts)) if part]
    return ": ".join(said) or None


def _line(ax: Any, x: ArrayLike, y: ArrayLike, style: dict[str, Any]) -> Any:
    data = thin(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    return ax.plot(*data, **style)[0]


def _only(artist: Any, twins: list[Any]) -> Any:
    """Keep the first of equal artists, so that several displays share it."""
    if not twins:
        return artist
    artist.remove()
    return twins[0]


def _long_names(line_kw: dict[str, Any] | None) -> dict[str, Any]:
    """Spell out keywords of a line, so that "lw" takes the place of "linewidth"."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return dict(normalize_kwargs(line_kw or {}, Line2D))
