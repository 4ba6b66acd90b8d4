"""Page of a monitor: what the days say, the last of them, and their picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from skrank._utils._html import page, piece_of_page
from skrank._utils._numbers import format_pvalue, numbers
from skrank._utils._table import Table
from skrank._utils._text import as_text
from skrank.inference.monitor._monitor_result import RankingMonitorResult
from skrank.report._pictures import days_html

# Days in the table of the page: two weeks
_LAST = 14


class MonitorPage(NamedTuple):
    """Result of a monitor, with what was done with the days of a file."""

    result: RankingMonitorResult
    notes: Sequence[str]

    def state(self) -> dict[str, Any]:
        """Return the state of the monitor."""
        return self.result.state()

    def to_html(self) -> str:
        """Return a page."""
        title, rows, _ = self.result._shown()
        said = " ".join([self.result.conclusion(), *self.notes])
        picture = days_html(self.result)
        piece = piece_of_page(title, "h1", said, dict(rows), [self._table], picture)
        return page(title, piece)

    @property
    def _table(self) -> Table:
        """The last days, the newest first."""
        result, columns = self.result, self.result._columns()
        last = slice(-1, -_LAST - 1, -1)
        largest = np.maximum.accumulate(np.maximum(columns["log10_evidence"], 0.0))
        cells = {
            "day": [as_text(one) for one in result.labels[last]],
            "items": [str(one) for one in result._sizes[0][last]],
            "targets": [str(one) for one in result._sizes[1][last]],
            **{one: numbers(columns[one][last], 3) for one in ("value", "low", "high")},
            "p": [format_pvalue(-one) for one in largest[last]],
        }
        rows = [*zip(*cells.values(), strict=True)]
        return Table(
            f"The last {len(rows)} of {len(result.labels)} days, the newest first",
            tuple(cells),
            rows,
            1,
            f"value: of the day, by {result.metric}; low and high: 95 % limits of the "
            "mean after the day; p: valid on any day.",
        )
