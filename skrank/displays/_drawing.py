"""Axes, lines, bands and what they are called, in the manner of the house.

This module and `_legend` alone load matplotlib, and only to draw.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._utils._text import as_text, format_pvalue
from skrank.displays._downsample import thin

# Marks of artists among all that may stand in an axes: curves, and what they share.
CURVE, SHARED = "skrank curve", "skrank shared"
_UNITS = {True: " in fractions", False: " in items"}
_HIDDEN = " of many"  # those that are in the legend as one
_LETTERS = 40  # of a name in a legend
# Okabe and Ito: told apart by the colour-blind; the styles also in grey.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)))
CHANCE = {
    "color": "0.45",
    "linestyle": ":",
    "linewidth": 1.3,
    "zorder": 1.8,
    "gid": SHARED,
}
PERFECT = {"color": "0.6", "linewidth": 1.0, "zorder": 1.7, "gid": SHARED}
# Grey half through: light on white, dim on black.
CHANCE_BAND = {"color": "0.5", "alpha": 0.2, "zorder": 0.6, "gid": SHARED}


def need_matplotlib() -> None:
    """Say that matplotlib is missing, before anything is computed for it."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError as error:
        msg = "a display needs matplotlib: pip install skrank[plot]"
        raise ImportError(msg) from error


def new_axes(**kwargs: Any) -> Any:
    """Make a figure and its axes; keywords of ``plt.subplots``."""
    need_matplotlib()
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(layout="constrained", **kwargs)
    for ax in np.atleast_1d(axes):
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def check_axes(ax: Any) -> None:
    """Check that what is given to draw in is one axes, or nothing."""
    if ax is None:
        return
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        got = f"{np.size(ax)} of them" if np.ndim(ax) else type(ax).__name__
        msg = f"`ax` must be one matplotlib Axes, or None; got {got}."
        raise ValueError(msg)


def mark_of_curves(ax: Any, *, fractions: bool) -> str:
    """Mark of curves in these units; refuse axes that hold curves in others."""
    other = CURVE + _UNITS[not fractions]
    if ax is not None and any(gid(line).startswith(other) for line in ax.lines):
        msg = (
            "`ax` must hold curves in the same units, items or fractions; "
            f"got{_UNITS[fractions]} for axes with curves{_UNITS[not fractions]}."
        )
        raise ValueError(msg)
    return CURVE + _UNITS[fractions]


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
    number = count_curves(ax)
    usual = {
        "color": COLORS[number % len(COLORS)],
        "linestyle": STYLES[number % len(STYLES)],
        "linewidth": 2,
        "label": label,
        "gid": CURVE,
    }
    return _line(ax, x, y, {**usual, **style, **_long_names(line_kw)})


def count_curves(ax: Any) -> int:
    """Count the curves of an axes, many that are in the legend as one for one."""
    marks = [gid(line) for line in ax.lines]
    return sum(m.startswith(CURVE) and not m.endswith(_HIDDEN) for m in marks)


def styles_of_many(ax: Any, mark: str, labels: list[Any], said: Any) -> list[Any]:
    """Make thin lines of one colour, the first of which is in the legend for all."""
    color = COLORS[count_curves(ax) % len(COLORS)]
    thin_line = {"color": color, "linestyle": "-", "linewidth": 0.8, "alpha": 0.7}
    hidden = [
        {**thin_line, "gid": mark + _HIDDEN, "label": f"_{label}"}
        for label in labels[1:]
    ]
    return [{**thin_line, "gid": mark, "label": said}, *hidden]


def draw_line(
    ax: Any, x: ArrayLike, y: ArrayLike, style: dict[str, Any], line_kw: Any
) -> Any:
    """Draw a line to compare with, once if curves share it."""
    line = _line(ax, x, y, {**style, **_long_names(line_kw)})
    twins = [
        one
        for one in ax.lines[:-1]
        if gid(one) == SHARED
        and one.get_label() == line.get_label()
        and np.array_equal(one.get_xydata(), line.get_xydata())
    ]
    return _only(line, twins)


def draw_mark(ax: Any, x: float, label: str, line_kw: Any, **style: Any) -> Any:
    """Mark a value by a line from bottom to top; the axes come to include it."""
    usual = {"linewidth": 2, "label": label, "gid": CURVE}
    return ax.axvline(x, **{**usual, **style, **_long_names(line_kw)})


def draw_band(
    ax: Any, x: ArrayLike, low: ArrayLike, high: ArrayLike, style: dict[str, Any]
) -> Any:
    """Fill between two limits, once if curves share the band."""
    band = ax.fill_between(x, low, high, **{"linewidth": 0, **style})
    shape = band.get_paths()[0].vertices
    twins = [
        one
        for one in ax.collections[:-1]
        if gid(one) == SHARED
        and one.get_label() == band.get_label()
        and np.array_equal(one.get_paths()[0].vertices, shape)
    ]
    return _only(band, twins)


def integer_ticks(ax: Any) -> None:
    """Put ticks at whole numbers of items, also where there are few."""
    from matplotlib.ticker import MaxNLocator

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(
            MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
        )


def text_color() -> str:
    """Colour that is seen on the background, be it light or dark."""
    import matplotlib as mpl

    return str(mpl.rcParams["text.color"])


def plain_ticks(ax: Any) -> None:
    """Write 100 on logarithmic scales, not a power of ten."""
    from matplotlib.ticker import FuncFormatter

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def describe(
    name: Any, average_precision: float | None, log10_pvalue: float | None
) -> str | None:
    """Say in a legend whose curve it is, its average precision and its p-value."""
    facts = []
    if average_precision is not None:
        facts.append(f"AP {average_precision:#.3g}")
    if log10_pvalue is not None:
        facts.append(f"p = {format_pvalue(log10_pvalue)}")
    said = [part for part in (plain(name), ", ".join(facts)) if part]
    return ": ".join(said) or None


def describe_many(
    name: Any, count: int, average_precision: list[float | None]
) -> str | None:
    """Say in a legend what many curves are, and where their average precision is."""
    who = plain(name) or f"{count} curves"
    values = [value for value in average_precision if value is not None]
    if not values:
        return who
    return f"{who}, AP {min(values):#.3g} to {max(values):#.3g}"


def plain(name: Any) -> str:
    """Name as a legend prints it: no formula, not too long, and never left out."""
    text = "" if name is None else as_text(name)
    if len(text) > _LETTERS:
        text = f"{text[: _LETTERS // 2]}…{text[1 - _LETTERS // 2 :]}"
    text = re.sub(r"(?<!\\)\$", r"\\$", text)
    return f" {text}" if text.startswith("_") else text


def gid(artist: Any) -> str:
    """Mark of an artist; none on those of others."""
    return str(getattr(artist, "get_gid", str)() or "")


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
