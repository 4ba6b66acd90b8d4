"""Report on a file of which a sample of the rows has labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any, NamedTuple

from skrank._utils._html import page, piece_of_page
from skrank._utils._latex import latex_of
from skrank._utils._table import Table
from skrank._utils._text import columns_of
from skrank.inference.comparison._leaderboard import RankingLeaderboard
from skrank.inference.comparison._ranking_comparison import RankingComparison
from skrank.inference.sampled._interval import SampledMetricInterval
from skrank.metrics._definitions import make_metric
from skrank.ranking._rankings import Rankings
from skrank.report._conclusion import conclusion_on_several
from skrank.report._metric_report import DEPTHS, MetricReport
from skrank.report._tables import (
    table_of_leaderboard,
    table_of_metrics,
    table_of_pairs,
)

_TITLE = "Report from a sample of labels"


class SampledReport(NamedTuple):
    """Results by metric, the first of which is average precision."""

    results: Sequence[MetricReport]

    def __str__(self) -> str:
        """Print the conclusion and the tables."""
        said = [_TITLE, fill(self.conclusion(), 72)]
        return "\n\n".join([*said, *map(str, self._tables)])

    def conclusion(self) -> str:
        """Return what the labels say of the first metric."""
        main = self.results[0]
        first = next(iter(main.estimates.values()))
        if len(main.estimates) == 1:
            return str(first.conclusion())
        return f"{conclusion_on_several(main, self._board)} {first._said_of_targets()}"

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
        said = self.conclusion()
        return page(_TITLE, piece_of_page(_TITLE, "h1", said, {}, self._tables, ""))

    def to_latex(self) -> str:
        """Return the tables in LaTeX."""
        return "\n\n".join(map(latex_of, self._tables))

    @property
    def _board(self) -> RankingLeaderboard | None:
        table = self.results[0].comparisons
        return None if table is None else table.leaderboard()

    @property
    def _tables(self) -> list[Table]:
        """The metrics and, of several models, the leaderboard and all differences."""
        reading = (
            "Estimate for the whole list with its 95 % interval, from a random sample "
            "of labels in each stratum."
        )
        table = table_of_metrics(self.results, 0.95)
        table = table._replace(caption="Metrics of the whole list", reading=reading)
        main, board = self.results[0], self._board
        if board is None or main.comparisons is None:
            return [table]
        pairs = table_of_pairs(main.comparisons, 0.95)
        return [table, table_of_leaderboard(board, main), pairs]


def sampled_report(
    y_true: Any,
    y_score: Mapping[str, Any],
    strata: Any,
    *,
    metrics: Sequence[Any],
    t: Sequence[int | float] | None,
    **data: Any,
) -> SampledReport:
    """Report on each column of scores, and on their differences by the first metric."""
    depths = [f"{one:.12g}" for one in t or DEPTHS]
    names = ["average_precision", *(f"recall@{one}" for one in depths), *metrics]
    names = [*dict.fromkeys(make_metric(one).name for one in names)]
    rankings = Rankings.from_sample(y_true, y_score, strata=strata, **data)
    table = SampledMetricInterval(names).from_rankings(rankings)
    results = []
    for metric in names:
        estimates = {name: table[metric, name] for name in rankings.names}
        results.append(
            MetricReport(
                make_metric(metric),
                values={name: one.value for name, one in estimates.items()},
                estimates=estimates,
                intervals={
                    k: one.confidence_interval() for k, one in estimates.items()
                },
            )
        )
    if len(y_score) > 1:
        pairs = RankingComparison(names[0]).compare_all(rankings)
        results[0] = replace(results[0], comparisons=pairs)
    return SampledReport(results)
