"""The pictures of a report: those of the displays, as data that a page can hold.

They are drawn on figures of their own, not on those of pyplot.
"""

import base64
import io
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

from skrank._curves import HitCurve, OperatingPoints
from skrank._displays import HitCurveDisplay, LiftDisplay, RecallPrecisionDisplay
from skrank._displays._drawing import lone_axes
from skrank._presentation import as_text

_SIZE, _DPI = (6.0, 5.0), 160  # of a picture: inches, and dots in each


class Picture(NamedTuple):
    """A picture as data, what it shows in words, and how to read it."""

    caption: str
    source: str
    reading: str


def draw_pictures(
    curves: Mapping[str, HitCurve],
    points: Mapping[str, OperatingPoints],
    average_precision: list[float],
) -> list[Picture] | None:
    """Draw all rankings together; None where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        return None
    listed = list(curves.values())
    told: dict[str, Any] = {
        "average_precision": average_precision,
        "name": [_plain(as_text(name)) for name in curves],
    }
    hits = HitCurveDisplay(listed, **told)
    recall = RecallPrecisionDisplay(listed, list(points.values()), **told)
    lift = LiftDisplay(listed, **told)
    return [
        Picture(
            "Targets found down the list",
            _draw(hits.plot),
            "The steeper, the better. Luck runs along the dotted line and stays in the "
            "grey band at any one depth with a probability of 95 %.",
        ),
        Picture(
            "Precision against recall",
            _draw(recall.plot),
            "Average precision is the area below, but for the corners. The grey band "
            "is what luck has; it is high where few targets are found.",
        ),
        Picture(
            "Lift at every depth",
            _draw(lift.plot),
            "Targets found as a multiple of what luck finds on average, on logarithmic "
            "scales. Luck is 1, and in the grey band.",
        ),
    ]


def _draw(plot: Callable[..., Any], **settings: Any) -> str:
    """Draw on a figure that nothing else knows of; return its address."""
    ax = lone_axes(*_SIZE)
    plot(ax, **settings)
    drawn = io.BytesIO()  # of pixels: lines of many points would make a heavy page
    ax.figure.savefig(drawn, format="png", dpi=_DPI)
    return f"data:image/png;base64,{base64.b64encode(drawn.getvalue()).decode()}"


def _plain(name: str) -> str:
    """Name as a legend prints it: no formula, and not left out for its first letter."""
    escaped = name.replace("$", r"\$")
    return f" {escaped}" if escaped.startswith("_") else escaped
