"""The figures of the report, and of a monitor, as images in the HTML page.

They are drawn on figures that pyplot does not know, with matplotlib's default settings.
The names of the rankings are beside the figures, where there is room for long names.
"""

import base64
import io
from collections.abc import Mapping
from html import escape
from importlib.util import find_spec
from typing import Any

from skrank._utils._text import as_text
from skrank.curves._hit_curve import HitCurve
from skrank.curves._operating_points import OperatingPoints
from skrank.displays._curve_display import MANY, CurveDisplay
from skrank.displays._drawing import COLORS, STYLES, lone_axes
from skrank.displays._hit_curve import HitCurveDisplay
from skrank.displays._precision_recall import PrecisionRecallDisplay
from skrank.displays._ranking_monitor import ROWS, RankingMonitorDisplay
from skrank.inference.monitor._monitor_result import RankingMonitorResult

_NOT_INSTALLED = "<p>The pictures need matplotlib, which is not installed.</p>\n"


def figures_html(
    curves: Mapping[str, HitCurve],
    points: Mapping[str, OperatingPoints],
    values: Mapping[str, float],
    metric: str,
    greater_is_better: bool,
    ties: str,
) -> str:
    """Draw all rankings, as HTML with a legend beside the first figure."""
    if find_spec("matplotlib") is None:
        return _NOT_INSTALLED
    best = sorted(curves, key=values.__getitem__, reverse=greater_is_better)[:MANY]
    names = [name for name in curves if name in best]
    shown = [curves[name] for name in names]
    # of a long ranking, the top: ten times the targets
    n = int(shown[0].t[-1])
    top = min(n, max(100, 10 * int(max(one.n_targets for one in shown))))
    part = f" The figure shows the first {top} of {n} items." if top < n else ""
    # in words, what the lines show: as many items as there are targets
    depth = min(n, max(1, int(shown[0].n_targets)))
    recalls = [one.at(depth) / one.n_targets for one in shown]
    found = {
        "recall": [f"{recall:.0%} of the targets" for recall in recalls],
        "value": [f"{metric} {values[name]:#.3g}" for name in names],
        "lift": [f"lift {recall * n / depth:.3g}" for recall in recalls],
    }
    said = {
        what: "; ".join(f"{as_text(a)}: {b}" for a, b in zip(names, each, strict=True))
        for what, each in found.items()
    }
    at_depth = f"in the first {depth} of {n} items"
    figures = [
        _figure(
            "Targets found down the ranking",
            HitCurveDisplay(shown),
            "A steep curve is good. The dotted line is the mean under random "
            "selection. At each depth, random selection is in the grey band with a "
            f"probability of at least 95 %.{part}",
            f"Hit curves, {at_depth}. {said['recall']}.",
            top=top,
        ),
        _figure(
            "Precision against recall",
            PrecisionRecallDisplay(shown, [points[name] for name in names]),
            "Average precision is approximately the area below the curve. The grey "
            "band is the range of random selection. It is high where few targets are "
            "found.",
            f"Curves of precision against recall. {said['value']}.",
        ),
        _figure(
            "Lift at every depth",
            HitCurveDisplay(shown),
            "Targets found, divided by the number expected by chance, on logarithmic "
            "scales. Random selection has a mean of 1; the grey band is its range.",
            f"Curves of lift, {at_depth}. {said['lift']}.",
            kind="lift",
        ),
    ]
    legend = [
        _line(i, name, f"{metric} {values[name]:#.3g}") for i, name in enumerate(names)
    ]
    notes = ""
    if len(names) < len(curves):
        notes += f"<p>Of {len(curves)} rankings the best {MANY} are drawn.</p>"
    if len({curve.n_targets for curve in shown}) > 1:
        notes += f"<p>The grey band is for {escape(as_text(names[0]))}.</p>"
    if ties == "together":
        notes += "<p>The curves are means over the orders of tied items.</p>"
    first, *others = figures
    return f"""<div class="pictures">
{first}<div>
<ul>
{"".join(legend)}</ul>
{notes}</div>
{"".join(others)}</div>
"""


def days_html(result: RankingMonitorResult) -> str:
    """Draw the days of a monitor, as HTML."""
    if find_spec("matplotlib") is None:
        return _NOT_INSTALLED
    display = RankingMonitorDisplay._of_result(result, 0.95)
    figure = _figure(
        "Values of the days, and the evidence",
        display,
        "The grey range contains the mean with a probability of 95 % on all days "
        "together, as long as the mean is the same. An alarm occurs when the evidence "
        f"reaches {1 / result.significance_level:.3g}.",
        f"{display.metric} of {len(result.labels)} days. {result.conclusion()}",
        ROWS,
    )
    return f'<div class="pictures">\n{figure}</div>\n'


def _figure(
    caption: str,
    display: CurveDisplay | RankingMonitorDisplay,
    reading: str,
    said: str,
    rows: Mapping[str, Any] | None = None,
    **settings: Any,
) -> str:
    """Draw on a figure without pyplot; return it with its explanation.

    `said` has the numbers of the figure, in place of it.
    """
    from matplotlib import style

    drawn = io.BytesIO()  # as pixels: lines of many points make a large page
    with style.context("default"):
        display.plot(lone_axes(6.0, 5.0, **(rows or {})), **settings)
        display.figure_.savefig(drawn, format="png", dpi=160)  # 960 pixels wide
    source = base64.b64encode(drawn.getvalue()).decode()
    return f"""<figure>
<figcaption>{caption}</figcaption>
<img src="data:image/png;base64,{source}" alt="{escape(said)}"/>
<p>{reading}</p>
</figure>
"""


def _line(number: int, name: str, value: str) -> str:
    """Return a line in the style of the displays, and its legend text."""
    color, style = COLORS[number % len(COLORS)], STYLES[number % len(STYLES)]
    # lengths of dashes and gaps in line widths, as in matplotlib
    dashed = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1, 1.6)}
    lengths = dashed[style] if isinstance(style, str) else style[1]
    dashes = " ".join(f"{2.5 * length:g}" for length in lengths) or "none"
    label = escape(f"{as_text(name)}: {value}")
    return f"""<li><svg width="40" height="8" aria-hidden="true">
<line x1="0" y1="4" x2="40" y2="4" stroke="{color}" stroke-width="2.5"
 stroke-dasharray="{dashes}"/></svg>{label}</li>
"""
