"""Axes, lines, bands, labels and the legend.

Displays import matplotlib here only, and only when a figure is drawn. The page of the
report saves the figures (`report/_pictures`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any
from zlib import crc32

import numpy as np

from skrank._utils._checks import invalid
from skrank._utils._numbers import format_pvalue
from skrank._utils._text import as_text, brief

# Marks, as gid of matplotlib, of curves and of the shared parts of their axes.
CURVE, SHARED = "skrank curve", "skrank shared"
# Colours of Okabe and Ito, for colour-blind readers; the styles differ in grey.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)))
CHANCE = {"color": "0.45", "linestyle": ":", "linewidth": 1.3, "zorder": 1.8}


def need_matplotlib() -> None:
    """Raise an error without matplotlib, before anything is computed."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError as error:
        msg = "a display needs matplotlib: pip install skrank[plot]"
        raise ImportError(msg) from error


def check_call(method: Any, given: Mapping[str, Any], *others: Any) -> None:
    """Check a call of a class method that draws, before anything is computed.

    It needs matplotlib, and keyword arguments that it can hand on to other methods.
    """
    need_matplotlib()
    every = [one for other in others for one in signature(other).parameters.values()]
    known = {one.name for one in every if one.kind is one.KEYWORD_ONLY}
    for name in given:
        if name not in known:
            called = f"{method.__self__.__name__}.{method.__name__}()"
            raise TypeError(f"{called} got an unexpected keyword argument {name!r}")


def new_axes(**kwargs: Any) -> Any:
    """Return new axes on a figure; keywords of ``plt.subplots``."""
    need_matplotlib()
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(layout="constrained", **kwargs)
    for ax in np.atleast_1d(axes):
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def lone_axes(width: float, height: float, **kwargs: Any) -> Any:
    """Return axes on a figure without pyplot; the size is in inches."""
    from matplotlib.figure import Figure

    axes = Figure(figsize=(width, height), layout="constrained").subplots(**kwargs)
    for ax in np.atleast_1d(axes):
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def check_axes(ax: Any) -> None:
    """Check that the argument is one axes, or None."""
    if ax is None:
        return
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise invalid("ax", "be one matplotlib Axes, or None", brief(ax))


def draw_line(ax: Any, x: Any, y: Any, line_kw: Any = None, **style: Any) -> Any:
    """Draw a line; the user's keywords replace the default style."""
    return ax.plot(x, y, **{**style, **long_names(line_kw)})[0]


def draw_band(ax: Any, x: Any, low: Any, high: Any, **style: Any) -> Any:
    """Fill between two limits."""
    return ax.fill_between(x, low, high, linewidth=0, **style)


def draw_curve(ax: Any, x: Any, y: Any, line_kw: Any, **style: Any) -> Any:
    """Draw the next curve of an axes with its own colour and style."""
    number = count_curves(ax)
    color, linestyle = COLORS[number % len(COLORS)], STYLES[number % len(STYLES)]
    usual = {"color": color, "linestyle": linestyle, "linewidth": 2, "gid": CURVE}
    return draw_line(ax, x, y, line_kw, **{**usual, **style})


def draw_shared(draw: Callable[..., Any], ax: Any, *data: Any, **style: Any) -> Any:
    """Draw a shared part, unless another display has drawn the same in these axes."""
    mark = f"{SHARED} {style['label']} {crc32(np.stack(data).tobytes())}"
    for artist in (*ax.lines, *ax.collections):
        if gid(artist) == mark:
            return artist
    return draw(ax, *data, gid=mark, **style)


def long_names(line_kw: dict[str, Any] | None) -> dict[str, Any]:
    """Convert short keywords of a line, so that "lw" replaces "linewidth"."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return dict(normalize_kwargs(line_kw or {}, Line2D))


def count_curves(ax: Any) -> int:
    """Count the curves of an axes; many with one entry in the legend count as one."""
    return sum(gid(line).startswith(CURVE) for line in ax.lines)


def gid(artist: Any) -> str:
    """Return the mark of an artist; an empty text for other artists."""
    return str(getattr(artist, "get_gid", str)() or "")


def name_days(ax: Any, days: Any, labels: Sequence[str]) -> None:
    """Name days below an axes: each of a few, and otherwise dates or some labels."""
    from matplotlib import dates as untyped
    from matplotlib.ticker import FuncFormatter, MaxNLocator, ScalarFormatter

    dates: Any = untyped
    is_dated = days.dtype.kind == "M"
    names = dict(zip(days.tolist(), map(plain, labels), strict=True))
    if days.size <= 6:  # as many as fit in a usual figure, with ten letters each
        ax.set_xticks(dates.date2num(days) if is_dated else days, [*names.values()])
        return
    if is_dated:
        locator: Any = dates.AutoDateLocator()
        form: Any = dates.ConciseDateFormatter(locator)
    else:
        locator = MaxNLocator(5, integer=True)
        form = ScalarFormatter(useOffset=False)
        if any(f"{day:g}" != name for day, name in names.items()):
            form = FuncFormatter(partial(_name_at, names))
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(form)


def _name_at(names: Mapping[Any, str], place: float, _: Any) -> str:
    return names.get(place, "")


def draw_legend(ax: Any) -> None:
    """Draw the legend: curves first, then the shared parts once each.

    The legend is at the best place in the axes. A long legend is below the axes, if
    they are the only ones of a figure with a suitable layout.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = ax.figure
    alone = figure.axes == [ax]
    for old in [ax.get_legend(), *(figure.legends if alone else [])]:
        if old is not None:
            old.remove()
    entries = {}
    for artist, label in zip(*ax.get_legend_handles_labels(), strict=True):
        is_shared = gid(artist).startswith(SHARED)
        entries[label if is_shared else id(artist)] = artist, label
    if not entries:
        return
    named = sorted(entries.values(), key=lambda one: not gid(one[0]).startswith(CURVE))
    makes_room = isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine)
    # three curves, chance, its band and the perfect curve cover some of a curve in axes
    # of the usual size; with half as many entries, one curve has its legend below
    if len(named) > 5 and alone and makes_room:
        below = {"loc": "outside lower center", "ncols": 2, "frameon": False}
        figure.legend(*zip(*named, strict=True), fontsize="small", **below)
    else:
        ax.legend(
            *zip(*named, strict=True), fontsize="small", loc="best", framealpha=1.0
        )


def describe(
    name: Any, average_precision: float | None, log10_pvalue: float | None
) -> str | None:
    """Return the legend entry of a curve: name, average precision, p-value."""
    facts = []
    if average_precision is not None:
        facts.append(f"AP {average_precision:#.3g}")
    if log10_pvalue is not None:
        facts.append(format_pvalue(log10_pvalue, called="p"))
    said = [part for part in (plain(name), ", ".join(facts)) if part]
    return ": ".join(said) or None


def plain(name: Any) -> str:
    """Return a name for a legend: no formula, short, and always visible."""
    text = "" if name is None else as_text(name)
    # 80 letters are wider than a usual figure; 20 cut off settings of an estimator
    if len(text) > 40:
        text = f"{text[:20]}…{text[-19:]}"
    text = re.sub(r"(?<!\\)\$", r"\\$", text)
    return f" {text}" if text.startswith("_") else text
