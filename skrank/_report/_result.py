"""What a report holds, and how it is shown: in print, as a frame, as a page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skrank._comparison_result import RankingComparisonTable
from skrank._curves import HitCurve, OperatingPoints
from skrank._presentation import data_frame
from skrank._report._html import fragment, page
from skrank._report._pictures import draw_pictures
from skrank._report._tables import table_of_depths, table_of_lists, table_of_pairs
from skrank._selection_result import RandomSelectionResult
from skrank._table import Table
from skrank._variability_result import ConfidenceInterval

_TITLE = "Ranking report"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RankingReport:
    """Report of :func:`ranking_report` on the rankings of one list.

    Printed, it is a table of average precision, one of the top of the list, and one of
    the comparisons. A dash stands for what is undefined.

    Attributes
    ----------
    tests : dict of str to RandomSelectionResult
        What :class:`RandomSelectionTest` says of each ranking by average precision
        (AP), its value included.
    intervals : dict of str to ConfidenceInterval
        Interval of AP of each ranking.
    at_depths : dict of str to dict
        Values of each ranking at the depths, by name: "average_precision@k" for each k,
        "recall@t", "precision@t" and "enrichment_factor@t" for each t.
    by_luck : dict of str to float
        What luck gives on average: of "average_precision", and of each name in
        `at_depths`. It is exact, and the same for all rankings, if `ties` is
        "expected"; under other rules it depends on the ties of each ranking, which its
        test knows, and none is told here.
    comparisons : RankingComparisonTable or None
        Comparisons of each two rankings by AP; None if there is one ranking only.
    hit_curves : dict of str to HitCurve
        Hits at every depth of each ranking.
    operating_points : dict of str to OperatingPoints
        Recall and precision at every cut of each ranking.
    t, k : tuple of int or float
        The depths: numbers of items, and fractions of the list.
    n_samples, n_targets : int
        Number of items, and of targets among them.
    ties : str
        Tie rule of all metrics.
    confidence_level : float
        Level of the intervals.
    """

    tests: dict[str, RandomSelectionResult]
    intervals: dict[str, ConfidenceInterval]
    at_depths: dict[str, dict[str, float]]
    by_luck: dict[str, float]
    comparisons: RankingComparisonTable | None
    hit_curves: dict[str, HitCurve]
    operating_points: dict[str, OperatingPoints]
    t: tuple[int | float, ...]
    k: tuple[int | float, ...]
    n_samples: int
    n_targets: int
    ties: str
    confidence_level: float

    @property
    def names(self) -> tuple[str, ...]:
        """What the rankings are called.

        Returns
        -------
        names : tuple of str
            In the order in which they were given.
        """
        return tuple(self.tests)

    @property
    def prevalence(self) -> float:
        """Share of targets in the list.

        Returns
        -------
        prevalence : float
            ``n_targets / n_samples``.
        """
        return self.n_targets / self.n_samples

    def __str__(self) -> str:
        """Print the list and the tables."""
        facts = [f"  {name:<10} {said}" for name, said in self._facts().items()]
        head = "\n".join([_TITLE, *facts])
        return "\n\n".join([head, *map(str, self._tables())])

    def __repr__(self) -> str:
        """Print the report, also where a console shows it."""
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain numbers and strings, fit for JSON.

        Returns
        -------
        fields : dict
            The size of the list and the settings; "by_luck"; under "rankings" the
            columns of `to_frame` as lists; under "comparisons" those of
            :meth:`RankingComparisonTable.to_dict`, or None.
        """
        rows = [self._row(name) for name in self.names]
        table = self.comparisons
        return {
            "n_samples": self.n_samples,
            "n_targets": self.n_targets,
            "prevalence": self.prevalence,
            "ties": self.ties,
            "confidence_level": self.confidence_level,
            "by_luck": dict(self.by_luck),
            "rankings": {key: [row[key] for row in rows] for key in rows[0]},
            "comparisons": None if table is None else table.to_dict(),
        }

    def to_frame(self) -> Any:
        """Return the rankings as a pandas DataFrame, one a row.

        Returns
        -------
        frame : pandas.DataFrame
            The columns "name", "average_precision", "low", "high" (its interval),
            "zscore", "pvalue", "log10_pvalue", "null_mean", "null_std" (its law by
            luck, with the ties of the ranking), and those of `at_depths`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame(self.to_dict()["rankings"])

    def to_html(self, path: Any = None) -> str:
        """Return the report as one page that needs nothing else.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write the page to, in UTF-8; None writes none.

        Returns
        -------
        html : str
            The page: the tables and, if matplotlib is installed, the hit curves,
            precision against recall and the lift, each with a sentence on how to read
            it.
        """
        html = page(self._repr_html_(), _TITLE)
        if path is not None:
            Path(path).write_text(html, encoding="utf-8")
        return html

    def _repr_html_(self) -> str:
        """Show the tables and pictures in a notebook."""
        pictures = draw_pictures(
            self.hit_curves,
            self.operating_points,
            [test.statistic for test in self.tests.values()],
        )
        return fragment(_TITLE, self._facts(), self._tables(), pictures)

    def _row(self, name: str) -> dict[str, float | str]:
        """Numbers of one ranking."""
        test = self.tests[name]
        return {
            "name": name,
            "average_precision": test.statistic,
            **self.intervals[name]._asdict(),
            "zscore": test.zscore,
            "pvalue": test.pvalue,
            "log10_pvalue": test.log10_pvalue,
            "null_mean": test.null_mean,
            "null_std": test.null_std,
            **self.at_depths[name],
        }

    def _facts(self) -> dict[str, str]:
        """What was ranked, and by which rule."""
        return {
            "list": f"{self.n_samples} items, {self.n_targets} targets "
            f"(prevalence {self.prevalence:.4g})",
            "ties": self.ties,
        }

    def _tables(self) -> list[Table]:
        """All tables there are."""
        level, chance = self.confidence_level, self.by_luck.get("average_precision")
        tables = [table_of_lists(self.tests, self.intervals, chance, level)]
        depths = tuple({repr(depth): depth for depth in self.t + self.k}.values())
        if depths:
            tables.append(
                table_of_depths(self.at_depths, self.by_luck, depths, self.n_samples)
            )
        if self.comparisons is not None:
            tables.append(table_of_pairs(self.comparisons, level))
        return tables
