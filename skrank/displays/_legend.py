"""Legends: below the axes where the layout makes room, else inside, hiding little."""

import warnings
from typing import Any

import numpy as np

from skrank.displays._drawing import CURVE, SHARED, gid

_LINES = 3.5  # of text between axes and legend: ticks, their labels, the axis label
_NARROWER = 0.8  # what a legend below must leave of the width of its axes
_HIGH = 0.6  # of the height of the axes that a legend below may have
_MOST = 0.35  # of the axes that a legend inside may cover
_SIZES = ("small", "x-small", "xx-small")  # of letters inside; the last in any case
_COMPACT = {"edgecolor": "none", "handlelength": 1.5, "handletextpad": 0.4}

_Entries = tuple[list[Any], list[str]]


def draw_legend(ax: Any, *others: Any) -> None:
    """Name what is drawn, curves first and chance once.

    One legend of all stands below `ax`, where it hides nothing, if there is room; else
    one is inside each of the axes, in the corner where it hides least of the curves.
    """
    for one in (*others, ax):
        if one.get_legend() is not None:
            one.get_legend().remove()
    entries = _entries(*others, ax)
    if entries[0] and not _draw_below(ax, others, entries):
        for one in (*others, ax):
            _draw_inside(one)


def _entries(*axes: Any, shared: bool = True) -> _Entries:
    """What a legend names: each curve, and what curves share once for all."""
    found = [one.get_legend_handles_labels() for one in axes]
    pairs = [pair for drawn in found for pair in zip(*drawn, strict=True)]
    pairs.sort(key=lambda pair: not gid(pair[0]).startswith(CURVE))
    once: dict[Any, tuple[Any, str]] = {}
    for handle, label in pairs:
        if gid(handle) != SHARED:
            once[id(handle)] = handle, label
        elif shared:
            once.setdefault(label, (handle, label))
    return [handle for handle, _ in once.values()], [name for _, name in once.values()]


def _draw_below(ax: Any, others: tuple[Any, ...], entries: _Entries) -> bool:
    """Draw a legend below the label of the x-axis, if there is room for it."""
    from matplotlib.transforms import ScaledTranslation

    if not _makes_room(ax):
        return False
    size = ax.xaxis.label.get_size() / 72  # of the letters, in inches
    shift = ScaledTranslation(0, -_LINES * size, ax.figure.dpi_scale_trans)
    alone = _place(ax)
    for columns in (2, 1):
        legend = ax.legend(
            *entries,
            loc="upper center",
            bbox_to_anchor=(0.5, 0),
            bbox_transform=ax.transAxes + shift,
            ncols=columns,
            frameon=False,
        )
        if _fits(legend, alone, ax, *others):
            return True
        legend.remove()
    _place(ax)  # as it was
    return False


def _makes_room(ax: Any) -> bool:
    """Whether the layout of the figure minds what stands beside the axes."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine, TightLayoutEngine

    engine = ax.figure.get_layout_engine()
    return isinstance(engine, ConstrainedLayoutEngine | TightLayoutEngine)


def _fits(legend: Any, alone: Any, ax: Any, *others: Any) -> bool:
    """Whether a legend is within the figure, and leaves enough to the axes."""
    whole = ax.figure.bbox
    if legend.get_window_extent().width > whole.width:
        return False
    left, box = _place(ax), legend.get_window_extent()
    high = left.height + sum(one.get_window_extent().height for one in others)
    return bool(
        whole.x0 - 1 <= box.x0
        and box.x1 <= whole.x1 + 1
        and whole.y0 - 1 <= box.y0
        and left.width >= _NARROWER * alone.width
        and box.height <= _HIGH * high
    )


def _place(ax: Any) -> Any:
    """Lay the figure out; return where the axes are, in pixels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a layout that does not fit
        ax.figure.figure.draw_without_rendering()
    return ax.get_window_extent()


def _draw_inside(ax: Any) -> None:
    """Draw a legend in a corner, without chance where that would cover the curves."""
    space, full = ax.get_window_extent(), _entries(ax)
    short = _entries(ax, shared=False)
    tried = [(full, _SIZES[0])]
    if short[0]:
        tried += [(short, size) for size in _SIZES]
    for entries, size in tried:
        legend = ax.legend(*entries, fontsize=size, loc="lower right", **_COMPACT)
        box = legend.get_window_extent()
        covered = box.width * box.height / (space.width * space.height)
        if box.width <= space.width and covered <= _MOST:
            break
    legend.set_loc(_corner(ax, box.width / space.width, box.height / space.height))


def _corner(ax: Any, wide: float, high: float) -> str:
    """Place within the axes where a legend of that size hides least of the curves."""
    curves = [one for one in ax.lines if gid(one).startswith(CURVE)]
    if all(len(one.get_xdata()) == 2 for one in curves):  # nothing but a mark
        return "best"
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
