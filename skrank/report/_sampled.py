"""Report on a file of which a sample of the rows has labels."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, NamedTuple

from skrank._utils._html import page, piece_of_page
from skrank._utils._latex import latex_of
from skrank._utils._numbers import numbers
from skrank._utils._table import Table
from skrank._utils._text import as_text, columns_of
from skrank.inference.sampled._interval import SampledMetricInterval
from skrank.inference.sampled._result import SampledMetricResult

_TITLE = "Report on a list with labels of a sample"


class SampledReport(NamedTuple):
    """Results of each ranking by each metric."""

    results: Mapping[str, Sequence[SampledMetricResult]]

    def __str__(self) -> str:
        """Print the conclusion and the table."""
        return "\n\n".join([_TITLE, fill(self.conclusion(), 72), str(self._table())])

    def conclusion(self) -> str:
        """Return what the labels say of the first metric of each ranking."""
        said = (results[0].conclusion() for results in self.results.values())
        if len(self.results) == 1:
            return next(said)
        names = map(as_text, self.results)
        return " ".join(
            f"{name}: {text}" for name, text in zip(names, said, strict=True)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of the table as lists."""
        rows = [
            {"name": name, **result.to_dict()}
            for name, results in self.results.items()
            for result in results
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
        rows = []
        for name, results in self.results.items():
            for i, result in enumerate(results):
                low, high = result.confidence_interval()
                cells = numbers((result.value, low, high))
                rows.append(("" if i else as_text(name), result.metric, *cells))
        reading = (
            "Value expected of the whole list, and its 95 % interval, from the labels "
            "of a random sample of each stratum."
        )
        header = ("name", "metric", "value", "low", "high")
        return Table("Metrics of the whole list", header, rows, 2, reading)


def sampled_report(
    y_true: Any,
    y_score: Mapping[str, Any],
    strata: Any,
    *,
    metrics: Sequence[Any],
    t: Sequence[int | float] | None,
) -> SampledReport:
    """Report on each column of scores."""
    depths = [f"{one:.12g}" for one in t or (10, 0.01, 0.1)]
    names = ["average_precision", *(f"recall@{one}" for one in depths), *metrics]
    results = {}
    for name, scores in y_score.items():
        first = SampledMetricInterval(names[0]).from_predictions(
            y_true, scores, strata=strata
        )
        others = [SampledMetricInterval(one).from_result(first) for one in names[1:]]
        results[name] = [first, *others]
    return SampledReport(results)
