"""The pictures of a report: those of the displays, as data that a page can hold.

They are drawn on figures of their own, not on those of pyplot, and in the settings that
matplotlib comes with. Names are for the page to write: there they have room.
"""

import base64
import io
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from skrank._utils._text import as_text
from skrank.curves import HitCurve, OperatingPoints
from skrank.displays import HitCurveDisplay, LiftDisplay, PrecisionRecallDisplay
from skrank.displays._curve_display import CurveDisplay
from skrank.displays._drawing import COLORS, STYLES, lone_axes

_SIZE, _DPI = (6.0, 5.0), 160  # of a picture: inches, and dots in each
_MOST = 10  # curves that can be told apart
# Lengths of dashes and gaps in widths of the line, as matplotlib has them.
_DASHES = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1, 1.6)}


class Picture(NamedTuple):
    """A picture as data, what it shows in words, and how to read it."""

    caption: str
    source: str
    reading: str


class Line(NamedTuple):
    """Line of a ranking in all pictures: whose, its colour, its dashes and gaps."""

    label: str
    color: str
    dashes: Sequence[float]


class Pictures(NamedTuple):
    """Pictures, the lines in them, and what is to be said of all."""

    drawn: list[Picture]
    lines: list[Line]
    notes: list[str]


def draw_pictures(
    curves: Mapping[str, HitCurve],
    points: Mapping[str, OperatingPoints],
    average_precision: Mapping[str, float],
    ties: str,
) -> Pictures | None:
    """Draw all rankings together; None where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        return None
    best = sorted(curves, key=average_precision.__getitem__, reverse=True)[:_MOST]
    names = [name for name in curves if name in best]
    notes = []
    if len(names) < len(curves):
        notes.append(
            f"Of {len(curves)} rankings the {_MOST} of the highest average precision "
            "are drawn."
        )
    if ties == "threshold":
        notes.append("The curves are means over the orders of tied items.")
    drawn = _draw_all([curves[one] for one in names], [points[one] for one in names])
    return Pictures(drawn, _lines(names, average_precision), notes)


def _draw_all(curves: list[HitCurve], points: list[OperatingPoints]) -> list[Picture]:
    """Draw the three views of the same curves."""
    return [
        Picture(
            "Targets found down the ranking",
            _draw(HitCurveDisplay(curves)),
            "The steeper, the better. Chance is the dotted line, and stays in the "
            "grey band at any one depth with a probability of 95 %.",
        ),
        Picture(
            "Precision against recall",
            _draw(PrecisionRecallDisplay(curves, points)),
            "Average precision is the area below, but for the corners. The grey band "
            "is what is expected by chance; it is high where few targets are found.",
        ),
        Picture(
            "Lift at every depth",
            _draw(LiftDisplay(curves)),
            "Targets found as a multiple of those expected by chance, on logarithmic "
            "scales. Chance is 1, and in the grey band.",
        ),
    ]


def _lines(names: list[str], average_precision: Mapping[str, float]) -> list[Line]:
    """Lines by the order in which the displays draw them."""
    lines = []
    for number, name in enumerate(names):
        label = f"{as_text(name)}: AP {average_precision[name]:#.3g}"
        style = STYLES[number % len(STYLES)]
        dashes = _DASHES[style] if isinstance(style, str) else style[1]
        lines.append(Line(label, COLORS[number % len(COLORS)], dashes))
    return lines


def _draw(display: CurveDisplay) -> str:
    """Draw on a figure that nothing else knows of; return its address."""
    from matplotlib import style

    drawn = io.BytesIO()  # of pixels: lines of many points would make a heavy page
    with style.context("default"):
        ax = lone_axes(*_SIZE)
        display.plot(ax)
        ax.figure.savefig(drawn, format="png", dpi=_DPI)
    return f"data:image/png;base64,{base64.b64encode(drawn.getvalue()).decode()}"
