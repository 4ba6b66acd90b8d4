"""Report on a file of which a sample of the rows has labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, NamedTuple

from skrank._utils._html import page, piece_of_page
from skrank._utils._latex import latex_of
from skrank._utils._table import Table
from skrank._utils._text import as_text, columns_of
from skrank.inference.sampled._interval import SampledMetricInterval
from skrank.metrics._definitions import make_metric
from skrank.report._metric_report import DEPTHS, MetricReport
from skrank.report._tables import table_of_metrics

_TITLE = "Report on a list with labels of a sample"


class SampledReport(NamedTuple):
    """Results by metric, the first of which is average precision."""

    results: Sequence[MetricReport]

    def __str__(self) -> str:
        """Print the conclusion and the table."""
        return "\n\n".join([_TITLE, fill(self.conclusion(), 72), str(self._table())])

    def conclusion(self) -> str:
        """Return what the labels say of the first metric of each ranking."""
        found = self.results[0].estimates.items()
        if len(found) == 1:
            return " ".join(one.conclusion() for _, one in found)
        return " ".join(f"{as_text(name)}: {one.conclusion()}" for name, one in found)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of the table as lists."""
        rows = [
            {"name": name, **one.estimates[name].to_dict()}
            for name in self.results[0].values
            for one in self.results
        ]
        return {"rankings": columns_of(rows)}

    def to_html(self) -> str:
        """Return a page."""
        said, tables = self.conclusion(), [self._table()]
        return page(_TITLE, piece_of_page(_TITLE, "h1", said, {}, tables, ""))

    def to_latex(self) -> str:
        """Return the table in LaTeX."""
        return latex_of(self._table())

    def _table(self) -> Table:
        reading = (
            "Value expected of the whole list, and its 95 % interval, from the labels "
            "of a random sample of each stratum."
        )
        table = table_of_metrics(self.results, 0.95)
        return table._replace(caption="Metrics of the whole list", reading=reading)


def sampled_report(
    y_true: Any,
    y_score: Mapping[str, Any],
    strata: Any,
    *,
    metrics: Sequence[Any],
    t: Sequence[int | float] | None,
) -> SampledReport:
    """Report on each column of scores."""
    depths = [f"{one:.12g}" for one in t or DEPTHS]
    names = ["average_precision", *(f"recall@{one}" for one in depths), *metrics]
    question = SampledMetricInterval(names[0])
    first = {
        name: question.from_predictions(y_true, scores, strata=strata)
        for name, scores in y_score.items()
    }
    every = [first]
    for metric in names[1:]:
        asked = SampledMetricInterval(metric)
        every.append({name: asked.from_result(one) for name, one in first.items()})
    return SampledReport(
        [
            MetricReport(
                make_metric(metric),
                values={name: one.value for name, one in found.items()},
                estimates=found,
                intervals={k: one.confidence_interval() for k, one in found.items()},
            )
            for metric, found in zip(names, every, strict=True)
        ]
    )
