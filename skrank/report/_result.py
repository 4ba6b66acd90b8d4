"""The class `RankingReportResult`: the results of a report, and its output formats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from textwrap import fill
from typing import Any

from skrank._utils._checks import check_flag, invalid
from skrank._utils._html import page, piece_of_page
from skrank._utils._latex import latex_of
from skrank._utils._output import written
from skrank._utils._signature import signature_of
from skrank._utils._table import Table, data_frame
from skrank._utils._text import as_text, columns_of, format_size, listed
from skrank.curves._gains_table import GainsTable
from skrank.curves._hit_curve import HitCurve, curve_of
from skrank.curves._operating_points import points_of
from skrank.inference.comparison._leaderboard import RankingLeaderboard
from skrank.inference.comparison._ranking_comparison_result import (
    RankingComparisonTable,
)
from skrank.inference.random_selection._random_selection_result import (
    REVERSED,
)
from skrank.inference.thresholds._threshold_choice_result import ThresholdChoiceResult
from skrank.ranking._ranking import Ranking
from skrank.ranking._rankings import Rankings
from skrank.report._conclusion import (
    conclusion_on_classes,
    conclusion_on_one,
    conclusion_on_several,
)
from skrank.report._metric_report import (
    MetricReport,
    may_be_reversed,
    numbers_of_test,
    value_with_limits,
)
from skrank.report._pictures import figures_html
from skrank.report._tables import (
    heading_of,
    table_of_gains,
    table_of_leaderboard,
    table_of_main,
    table_of_metrics,
    table_of_pairs,
    table_of_summary,
    table_of_thresholds,
    table_of_top,
)

UNKNOWN_ORDER = (
    "the first items have equal scores, so their order is unknown; if probabilities "
    "were rounded to 1, rank by the decision function"
)


@signature_of()
@dataclass(frozen=True, repr=False, eq=False)
class RankingReportResult:
    """Result of a :class:`RankingReport`: rankings, and results by metric.

    The printed report contains tables of the main metric, of the top of the ranking, of
    the additional metrics, and of the comparisons. A dash is an undefined value. A note
    names rankings so far below chance that random selection is as low with a
    probability of at most 0.001. The scores of such a ranking may be reversed.

    Attributes
    ----------
    rankings : Rankings
        The rankings.
    results : dict of str to MetricReport
        Results by the printed name of the metric, the main metric first: values,
        intervals, tests and comparisons.
    t, k : tuple of int or float
        Depths as numbers of items or fractions of the ranking.
    confidence_level : float
        Level of the intervals.
    thresholds : dict of str to tuple of ThresholdChoiceResult
        Thresholds of each ranking, one for each rule.
    gains : dict of str to GainsTable
        Gains table of each ranking.

    See Also
    --------
    RankingReport : Creates this object.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingReport
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(300) < 15
    >>> scores = {"noise": rng.normal(size=300), "some": rng.normal(y_true)}
    >>> report = RankingReport(t=[10, 0.1]).from_predictions(y_true, scores)
    >>> report.names
    ('noise', 'some')
    >>> round(report.results["recall@10"].values["some"], 3)
    0.2
    >>> columns = ["name", "average_precision", "low", "high", "zscore"]
    >>> report.to_frame()[columns].round(3)
        name  average_precision    low   high  zscore
    0  noise              0.046  0.035  0.094  -0.792
    1   some              0.303  0.110  0.564   9.103
    """

    rankings: Rankings
    results: dict[str, MetricReport]
    t: tuple[int | float, ...]
    k: tuple[int | float, ...]
    confidence_level: float
    thresholds: dict[str, tuple[ThresholdChoiceResult, ...]]
    gains: dict[str, GainsTable]

    @property
    def main(self) -> MetricReport:
        """Results of the main metric.

        Returns
        -------
        results : MetricReport
            The first of `results`.
        """
        return next(iter(self.results.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rankings.

        Returns
        -------
        names : tuple of str
            Names in the order of the input, or from the best to the worst with `sort`.
        """
        return tuple(self.main.values)

    @cached_property
    def leaderboard(self) -> RankingLeaderboard | None:
        """Rankings from the best to the worst by the main metric.

        Returns
        -------
        leaderboard : RankingLeaderboard or None
            None without comparisons.
        """
        table = self.main.comparisons
        return None if table is None else table.leaderboard(self.confidence_level)

    @cached_property
    def hit_curves(self) -> dict[str, HitCurve]:
        """Hit curves.

        Returns
        -------
        hit_curves : dict of str to HitCurve
            The curve of each ranking. Empty with groups and folds.
        """
        ties = self.main.metric.ties
        return {name: curve_of(one, ties) for name, one in self._whole.items()}

    @property
    def _whole(self) -> dict[str, Ranking]:
        """The rankings of all items by name; none with groups and folds."""
        if self.rankings.kind != "one":
            return {}
        return dict(zip(self.names, self.rankings.parts[0], strict=True))

    @property
    def _compared(self) -> dict[str, RankingComparisonTable]:
        """The comparisons by metric."""
        return {
            name: one.comparisons
            for name, one in self.results.items()
            if one.comparisons is not None
        }

    @property
    def _n_targets_of_classes(self) -> dict[str, int] | None:
        """Numbers of targets of several classes, which differ."""
        if not self.rankings.of_classes:
            return None
        return {name: int(one.n_targets) for name, one in self._whole.items()}

    def __str__(self) -> str:
        """Print the facts and the tables."""
        facts = [f"  {name:<10} {said}" for name, said in self._facts().items()]
        head = "\n".join(["Ranking report", *facts])
        # no line break between p and its value
        said = re.sub(r"\bp (?=\d)", "p\xa0", self.conclusion())
        said = fill(said, 72).replace("\xa0", " ")
        return "\n\n".join([head, said, *map(str, self._tables())])

    def __repr__(self) -> str:
        """Print the report, also where a console shows it."""
        return str(self)

    def conclusion(self) -> str:
        """Return a sentence about the values of the rankings by the main metric.

        Returns
        -------
        sentence : str
            For one ranking, the value, its interval, and whether it is significantly
            better than random selection. For several classes, the range of the values.
            For several rankings, the best value, and which other rankings are
            significantly lower or may be as good, by the p-values of the leaderboard.
            With a probability of `confidence_level`, no ranking that is as good as all
            others is called lower.
        """
        if len(self.names) == 1:
            return conclusion_on_one(self.main, self.confidence_level)
        if self.rankings.of_classes:
            return conclusion_on_classes(self.main)
        return conclusion_on_several(self.main, self.leaderboard)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain numbers and strings, for JSON.

        Returns
        -------
        fields : dict
            The size of the data set, the settings and "null_means" by metric.
            "rankings" contains the columns of :meth:`to_frame` as lists. "comparisons"
            contains the columns of :meth:`RankingComparisonTable.to_dict` for the main
            metric, or is None. "n_targets" and "prevalence" are dicts by name for
            several classes. Undefined numbers are NaN, which ``json.dumps`` writes as
            ``NaN``.
        """
        n_samples, n_targets = self.rankings.sizes
        sizes: Any = n_targets, n_targets / n_samples
        if (of_classes := self._n_targets_of_classes) is not None:
            shares = {name: m / n_samples for name, m in of_classes.items()}
            sizes = of_classes, shares
        table = self.main.comparisons
        null_means = {name: one.null_mean for name, one in self.results.items()}
        return {
            "n_samples": n_samples,
            "n_targets": sizes[0],
            "prevalence": sizes[1],
            "ties": self.main.metric.ties,
            "metric": self.main.metric.name,
            "confidence_level": self.confidence_level,
            "null_means": {k: v for k, v in null_means.items() if v is not None},
            "rankings": columns_of([self._row(name) for name in self.names]),
            "comparisons": None if table is None else table.to_dict(),
        }

    def to_frame(self) -> Any:
        """Return the rankings as a data frame with a row for each ranking.

        Returns
        -------
        frame : pandas.DataFrame
            Table with the columns "name", the main metric, "low" and "high" (its
            interval), "zscore", "pvalue", "log10_pvalue", "null_mean" and "null_std"
            (mean and standard deviation under random selection, with the ties of the
            ranking), and a column for each metric of the top. The p-values are NaN
            without `tests`. Several classes have "n_targets" after "name". Each other
            metric has three columns, such as "max_f_score", "max_f_score_low" and
            "max_f_score_high".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame(self.to_dict()["rankings"])

    def to_latex(self, path: Any = None, *, summary: bool = False) -> str | None:
        r"""Make the tables in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write the tables to, in UTF-8. None returns them.
        summary : bool, default=False
            Whether to return only the table of the metrics of `compare_by`, which fits
            a column of text: a row for each ranking, with the letters of the
            significantly worse rankings as superscripts.

        Returns
        -------
        latex : str or None
            A ``table`` with its caption for each table of the report. Names are
            escaped, and p-values are typeset as :math:`2.6 \times 10^{-23}`. None if
            the tables were written to a file.

        Raises
        ------
        ValueError
            If there are no comparisons to summarize.
        """
        if check_flag("summary", summary):
            compared = self._compared
            if not compared:
                rule = "be False for a report without comparisons"
                raise invalid("summary", rule, "True")
            one = table_of_summary(compared, 1 - self.confidence_level)
            return written(latex_of(one, one.reading), path)
        return written("\n".join(map(latex_of, self._tables())), path)

    def to_html(self, path: Any = None) -> str | None:
        """Write or return the report as one self-contained HTML page.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write the page to, in UTF-8. None returns the page. An existing file
            is replaced only after the whole page is written.

        Returns
        -------
        html : str or None
            The page, or None if it was written to a file. It has the tables and, if
            matplotlib is installed, the hit curves, precision against recall and the
            lift, each with a sentence on how to read it. There are no curves with
            groups.
        """
        return written(page("Ranking report", self._piece("h1")), path)

    def _repr_html_(self) -> str:
        """Show the report in a notebook, below its headings."""
        return self._piece("h2")

    def _piece(self, heading: str) -> str:
        """Return the tables and figures as a piece of a page."""
        curves, metric = self.hit_curves, self.main.metric
        pictures = (
            "<p>With groups, the report draws no curves. HitCurveDisplay draws the "
            "mean curve over the groups.</p>\n"
        )
        if curves:
            points = {name: points_of(one) for name, one in self._whole.items()}
            shown = (
                self.main.values,
                heading_of(self.main.metric.name),
                metric.greater_is_better,
            )
            pictures = figures_html(curves, points, *shown, metric.ties)
        facts, tables, said = self._facts(), self._tables(), self.conclusion()
        return piece_of_page("Ranking report", heading, said, facts, tables, pictures)

    def _row(self, name: str) -> dict[str, Any]:
        """Return the numbers of one ranking."""
        named: dict[str, Any] = {"name": name}
        if (of_classes := self._n_targets_of_classes) is not None:
            named["n_targets"] = of_classes[name]
        value, low, high = value_with_limits(self.main, name)
        numbers = {self.main.metric.name: value, "low": low, "high": high}
        numbers |= numbers_of_test(self.main, name)
        numbers |= {at: one.values[name] for at, one in self._top.items()}
        for one in self._others:
            value, low, high = value_with_limits(one, name)
            at = one.metric.name
            numbers |= {at: value, f"{at}_low": low, f"{at}_high": high}
        return named | {key: float(number) for key, number in numbers.items()}

    @property
    def _top(self) -> dict[str, MetricReport]:
        """The metrics of the table of depths, by name."""
        names = names_of_top(self.t, self.k)
        return {name: self.results[name] for name in names if name in self.results}

    @property
    def _others(self) -> list[MetricReport]:
        """The metrics beside the main one that have intervals."""
        _, *others = self.results.values()
        return [one for one in others if one.intervals]

    def _facts(self) -> dict[str, str]:
        """Return the data set, the settings, and notes."""
        rankings, main = self.rankings, self.main
        size = format_size(*rankings.sizes)
        if rankings.of_classes:
            size = f"{rankings.sizes[0]} items, each class against the rest"
        clusters = f" in {rankings.n_clusters} clusters" * (rankings.n_clusters > 0)
        if any(one.n_missed for row in rankings.parts for one in row):
            size = f"{rankings.sizes[1]} targets, ranked or missed"
        facts = {"data set": size + clusters}
        if rankings.kind != "one":
            facts["rankings"] = self._means()
        facts["ties"] = main.metric.ties
        if main.comparisons is None and len(self.names) > 1:
            facts["comparison"] = f"left out, because {self._no_comparison()}"
        if main.tests is None:
            facts["pvalue"] = f"left out, {main.untested}"
        if far := [as_text(name) for name in self.names if may_be_reversed(main, name)]:
            facts["note"] = f"far below chance: {listed(far, 3)}; {REVERSED}"
        tied = [
            f"{as_text(name)} ({tie[0]} items, {tie[1]} targets)"
            for name, one in self._whole.items()
            if (tie := _tie_at_the_top(one))
        ]
        if tied:
            facts["top tie"] = f"{listed(tied, 3)}; {UNKNOWN_ORDER}"
        return facts

    def _means(self) -> str:
        """Return over how many groups or folds the values are means."""
        rankings, n = self.rankings, len(self.rankings.parts)
        kind = "groups" if rankings.grouped else "folds"
        counted = sorted({one.n_rankings for one in self.results.values()})
        said = f"means over {n} {kind}"
        if counted[0] < n:  # precision is defined in all groups
            count = " to ".join(str(one) for one in {counted[0]: 0, counted[-1]: 0})
            said = f"means over {count} of {n} {kind}, in which the metric is defined"
        if rankings.kind == "folds" and rankings.grouped:
            n_folds = len(set(rankings.folds))
            said += f"; values are means of {n_folds} folds, and tests of all groups"
        return said

    def _no_comparison(self) -> str:
        """Return why several rankings are not compared."""
        if self.rankings.of_classes:
            return "each class has targets of its own"
        if self.rankings.grouped and self.main.n_rankings == 1:
            return f"{self.main.metric.name} is defined in one group"
        return "it needs rankings in memory, and some were only counted"

    def _tables(self) -> list[Table]:
        """Return all tables."""
        level, main = self.confidence_level, self.main
        tables = [table_of_main(main, level, self._n_targets_of_classes)]
        if top := self._top:
            n_samples = self.rankings.sizes[0] if self._whole else None
            depths = [*{repr(depth): depth for depth in self.t + self.k}.values()]
            tables.append(table_of_top(top, depths, n_samples))
        if others := self._others:
            tables.append(table_of_metrics(others, level))
        # at most 6 pairs are listed; more rankings are in the order of a leaderboard
        if main.comparisons is not None and len(self.names) <= 4:
            tables.append(table_of_pairs(main.comparisons, level))
        elif self.leaderboard is not None:
            tables.append(table_of_leaderboard(self.leaderboard, main))
        if len(compared := self._compared) > 1:
            tables.append(table_of_summary(compared, 1 - level))
        if any(self.thresholds.values()):
            tables.append(table_of_thresholds(self.thresholds, level))
        return tables + [table_of_gains(name, one) for name, one in self.gains.items()]


def names_of_top(t: tuple[int | float, ...], k: tuple[int | float, ...]) -> list[str]:
    """Return the names of the metrics of the top at the depths."""
    of_hits = ("recall", "precision", "enrichment_factor")
    each = [("average_precision", k), *((metric, t) for metric in of_hits)]
    return [f"{metric}@{depth}" for metric, depths in each for depth in depths]


def _tie_at_the_top(ranking: Ranking) -> tuple[int, int] | None:
    """Return the sizes of a tie of the first items, if it is large and hides targets.

    It has ten items or more, most of which are no targets.
    """
    first = ranking.groups
    if ranking.weighted or not first.above.size or first.above[0] > 0:
        return None
    size, hits = int(first.size[0]), int(first.hits[0])
    return (size, hits) if size >= 10 and 2 * hits < size else None
