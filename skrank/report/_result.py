"""The class `RankingReport`: what the report contains, and its output formats."""

import math
import re
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

from skrank._utils._checks import check_flag, invalid
from skrank._utils._html import page, piece_of_page
from skrank._utils._latex import latex_of
from skrank._utils._numbers import number
from skrank._utils._output import written
from skrank._utils._table import Table, data_frame
from skrank._utils._text import as_text, columns_of, format_size, listed
from skrank.curves._gains_table import GainsTable
from skrank.curves._hit_curve import HitCurve
from skrank.curves._operating_points import OperatingPoints
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.comparison._leaderboard import RankingLeaderboard
from skrank.inference.comparison._ranking_comparison_result import (
    RankingComparisonTable,
)
from skrank.inference.intervals._metric_interval_result import MetricIntervalResult
from skrank.inference.random_selection._random_selection import zscore_of
from skrank.inference.random_selection._random_selection_result import (
    REVERSED,
    RandomSelectionResult,
    is_far_below,
)
from skrank.inference.thresholds._threshold_choice_result import ThresholdChoiceResult
from skrank.null import RandomSelectionNull
from skrank.report._pictures import gallery
from skrank.report._tables import (
    caption_of,
    conclusion_of,
    heading_of,
    table_of_depths,
    table_of_gains,
    table_of_leaderboard,
    table_of_metrics,
    table_of_pairs,
    table_of_rankings,
    table_of_summary,
    table_of_thresholds,
)

UNKNOWN_ORDER = (
    "the first items have equal scores, so their order is unknown; if probabilities "
    "were rounded to 1, rank by the decision function"
)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RankingReport:
    """Report of :func:`ranking_report` on the rankings of one data set.

    The printed report has tables of average precision, of the top of the ranking, of
    the named metrics, and of the comparisons. A dash stands for an undefined value. A
    note names each ranking that is so far below chance that random selection is as low
    with a probability of at most 0.001. The scores of such a ranking may be reversed.

    Attributes
    ----------
    metric : str
        Main metric: that of the tests, the intervals and the comparisons.
    values : dict of str to float
        Value of the main metric of each ranking.
    null_distributions : dict of str to RandomSelectionNull
        Distribution of the value under random selection, with the ties of each ranking.
        Empty with clusters, and for a metric without a null distribution.
    tests : dict of str to RandomSelectionResult, or None
        Result of :class:`RandomSelectionTest` for each ranking. None without the test.
    intervals : dict of str to ConfidenceInterval
        Confidence interval of the value of each ranking.
    at_depths : dict of str to dict
        Values of each ranking by name: "average_precision@k" for each k, and
        "recall@t", "precision@t" and "enrichment_factor@t" for each t.
    null_means : dict of str to float
        Exact means under random selection by name, for the main metric and the names
        in `at_depths` and `metrics`. Empty for tie rules other than "expected"
        and for several classes, where the means of rankings differ. Metrics without a
        null distribution have no entry. With clusters, only recall, precision and the
        enrichment factor have one.
    comparisons_by : dict of str to RankingComparisonTable
        Comparisons of all pairs of rankings, by the main metric and the others of
        `compare_by`. Empty for a single ranking, for counts, and for several classes.
    leaderboard : RankingLeaderboard or None
        Rankings from the best to the worst by the main metric. None without
        comparisons.
    hit_curves : dict of str to HitCurve
        Hit curve of each ranking. Empty with groups.
    operating_points : dict of str to OperatingPoints
        Operating points of each ranking. Empty with groups.
    t, k : tuple of int or float
        Depths as numbers of items or fractions of the ranking.
    n_samples : int
        Number of items.
    n_targets : int, or dict of str to int
        Number of targets, or the number for each class.
    ties : str
        Tie rule of all metrics.
    confidence_level : float
        Level of the intervals.
    kind : {"one", "groups", "folds"}
        Whether there is one ranking of all items, or one for each group or fold.
    n_rankings, n_defined : int
        Number of groups or folds, and of those with targets and non-targets; 1 without
        these. Precision is the mean over all groups, and other metrics are means over
        the groups with targets and non-targets.
    n_clusters : int
        Number of clusters; 0 without clusters.
    metrics : dict of str to dict of str to MetricIntervalResult
        Intervals of the named metrics, by ranking and by name.
    thresholds : dict of str to tuple of ThresholdChoiceResult
        Thresholds of each ranking, by each rule.
    gains : dict of str to GainsTable
        Gains table of each ranking.
    greater_is_better : bool
        Whether larger values of the main metric are better.
    top_ties : dict of str to tuple of two int
        Sizes of a large tie at the top of a ranking, and of the targets in it.

    See Also
    --------
    ranking_report : Creates this object.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import ranking_report
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(300) < 15
    >>> scores = {"noise": rng.normal(size=300), "some": rng.normal(y_true)}
    >>> report = ranking_report(y_true, scores, t=[10, 0.1])
    >>> report.names
    ('noise', 'some')
    >>> columns = ["name", "average_precision", "low", "high", "zscore"]
    >>> report.to_frame()[columns].round(3)
        name  average_precision    low   high  zscore
    0  noise              0.046  0.035  0.094  -0.792
    1   some              0.303  0.110  0.564   9.103
    """

    metric: str
    values: dict[str, float]
    null_distributions: dict[str, RandomSelectionNull]
    tests: dict[str, RandomSelectionResult] | None
    intervals: dict[str, ConfidenceInterval]
    at_depths: dict[str, dict[str, float]]
    null_means: dict[str, float]
    comparisons_by: dict[str, RankingComparisonTable]
    leaderboard: RankingLeaderboard | None
    hit_curves: dict[str, HitCurve]
    operating_points: dict[str, OperatingPoints]
    t: tuple[int | float, ...]
    k: tuple[int | float, ...]
    n_samples: int
    n_targets: int | dict[str, int]
    ties: str
    confidence_level: float
    kind: str = "one"
    n_rankings: int = 1
    n_defined: int = 1
    n_clusters: int = 0
    metrics: dict[str, dict[str, MetricIntervalResult]] = field(default_factory=dict)
    thresholds: dict[str, tuple[ThresholdChoiceResult, ...]] = field(
        default_factory=dict
    )
    gains: dict[str, GainsTable] = field(default_factory=dict)
    greater_is_better: bool = True
    top_ties: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the rankings.

        Returns
        -------
        names : tuple of str
            Names in the order of the input.
        """
        return tuple(self.values)

    @property
    def comparisons(self) -> RankingComparisonTable | None:
        """Return the comparisons of all pairs of rankings by the main metric.

        Returns
        -------
        comparisons : RankingComparisonTable or None
            None for a single ranking, for counts, and for several classes.
        """
        return self.comparisons_by.get(self.metric)

    @property
    def prevalence(self) -> float | dict[str, float]:
        """Share of targets in the data set.

        Returns
        -------
        prevalence : float, or dict of str to float
            ``n_targets / n_samples``; a dict by name for several classes.
        """
        if isinstance(self.n_targets, dict):
            return {name: m / self.n_samples for name, m in self.n_targets.items()}
        return self.n_targets / self.n_samples

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
            For several rankings, the largest value, and which other rankings are lower
            or may be as good, by the p-values of the leaderboard: with the confidence
            level as probability, no ranking is called lower that is as good as all
            others.
        """
        if isinstance(self.n_targets, dict) and len(self.names) > 1:
            first, *_, last = sorted(self.names, key=self.values.__getitem__)
            low, high = (
                f"{number(self.values[name], 3)} ({as_text(name)})"
                for name in (first, last)
            )
            n = len(self.names)
            return (
                f"The {caption_of(self.metric)} of {n} classes is {low} to {high}. The "
                "values cannot be compared, because the prevalences differ."
            )
        return conclusion_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain numbers and strings, for JSON.

        Returns
        -------
        fields : dict
            The size of the data set, the settings and "null_means". "rankings" has the
            columns of :meth:`to_frame` as lists. "comparisons" has those of
            :meth:`RankingComparisonTable.to_dict` by the main metric, or is None.
        """
        table = self.comparisons
        return {
            "n_samples": self.n_samples,
            "n_targets": self.n_targets,
            "prevalence": self.prevalence,
            "ties": self.ties,
            "metric": self.metric,
            "confidence_level": self.confidence_level,
            "null_means": dict(self.null_means),
            "rankings": columns_of([self._row(name) for name in self.names]),
            "comparisons": None if table is None else table.to_dict(),
        }

    def to_latex(self, path: Any = None, *, summary: bool = False) -> str | None:
        r"""Make the tables in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write the tables to, in UTF-8. With None, they are returned.
        summary : bool, default=False
            Whether to make only the table of the metrics of `compare_by`, which fits a
            column: a row for each ranking, with the letters of the significantly worse
            rankings as superscripts.

        Returns
        -------
        latex : str or None
            A ``table`` with its caption for each table of the report. Names are
            escaped, and p-values are typeset as :math:`2.6 \times 10^{-23}`. None if a
            file was written.

        Raises
        ------
        ValueError
            If there are no comparisons to summarize.
        """
        if check_flag("summary", summary):
            if not self.comparisons_by:
                rule = "be False for a report without comparisons"
                raise invalid("summary", rule, "True")
            one = table_of_summary(self.comparisons_by, 1 - self.confidence_level)
            return written(latex_of(one, one.reading), path)
        return written("\n".join(map(latex_of, self._tables())), path)

    def to_frame(self) -> Any:
        """Return the rankings as a data frame with a row for each ranking.

        Returns
        -------
        frame : pandas.DataFrame
            Table with the columns "name", the main metric, "low" and "high" (its
            interval), "zscore", "pvalue", "log10_pvalue", "null_mean" and "null_std"
            (mean and standard deviation under random selection, with the ties of the
            ranking), and the columns of `at_depths`. The p-values are NaN without
            `tests`. Several classes have "n_targets" after "name". Each of `metrics`
            has three more columns, such as "max_f_score", "max_f_score_low" and
            "max_f_score_high".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame(self.to_dict()["rankings"])

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
        curves, points = self.hit_curves, self.operating_points
        pictures = (
            "<p>With groups, the report draws no curves. HitCurveDisplay draws the "
            "mean curve over the groups.</p>\n"
        )
        if curves:
            shown = self.values, heading_of(self.metric), self.greater_is_better
            pictures = gallery(curves, points, *shown, self.ties)
        facts, tables, said = self._facts(), self._tables(), self.conclusion()
        return piece_of_page("Ranking report", heading, said, facts, tables, pictures)

    def _row(self, name: str) -> dict[str, float | str]:
        """Return the numbers of one ranking."""
        value, test = self.values[name], (self.tests or {}).get(name)
        null = self.null_distributions.get(name)  # None with clusters
        chance = {"zscore": math.nan, "null_mean": math.nan, "null_std": math.nan}
        if test is not None:
            chance = {one: getattr(test, one) for one in chance}
        elif null is not None:
            moments = zscore_of(value, null), null.mean(), null.std()
            chance = dict(zip(chance, moments, strict=True))
        numbers = {
            self.metric: value,
            **self.intervals[name]._asdict(),
            "zscore": chance.pop("zscore"),
            "pvalue": test.pvalue if test else math.nan,
            "log10_pvalue": test.log10_pvalue if test else math.nan,
            **chance,
            **self.at_depths[name],
        }
        for at, one in self.metrics.get(name, {}).items():
            low, high = one.confidence_interval(self.confidence_level)
            numbers |= {at: one.value, f"{at}_low": low, f"{at}_high": high}
        named: dict[str, float | str] = {"name": name}
        if isinstance(self.n_targets, dict):
            named["n_targets"] = self.n_targets[name]
        return named | {key: float(number) for key, number in numbers.items()}

    def _facts(self) -> dict[str, str]:
        """Return the data set and the settings."""
        size = f"{self.n_samples} items, each class against the rest"
        why = "because each class has targets of its own"
        if isinstance(self.n_targets, int):
            size = format_size(self.n_samples, self.n_targets)
            why = "because it needs rankings in memory, and some were only counted"
        if self.n_clusters:
            size += f" in {self.n_clusters} clusters"
        facts = {"data set": size}
        if self.n_rankings > 1:
            facts["rankings"] = f"means over {self.n_rankings} {self.kind}"
            if self.n_defined < self.n_rankings:
                facts["rankings"] = (
                    f"means over {self.n_defined} of {self.n_rankings} {self.kind} "
                    "with targets; precision over all"
                )
        facts["ties"] = self.ties
        if self.comparisons is None and len(self.names) > 1:
            facts["comparison"] = f"left out, {why}"
        if self.tests is None:
            quick = all(null.is_quick for null in self.null_distributions.values())
            why = "as asked" if quick else "because it may take long; set `pvalue`"
            if self.n_clusters:
                why = "set `pvalue`"
            elif not self.null_distributions:
                why = f"because {self.metric} has no null distribution here"
            facts["pvalue"] = f"left out, {why}"
        far = [as_text(name) for name in self.names if self._is_far_below(name)]
        if far:
            facts["note"] = f"far below chance: {listed(far, 3)}; {REVERSED}"
        if self.top_ties:
            tied = [
                f"{as_text(name)} ({size} items, {hits} targets)"
                for name, (size, hits) in self.top_ties.items()
            ]
            facts["top tie"] = f"{listed(tied, 3)}; {UNKNOWN_ORDER}"
        return facts

    def _is_far_below(self, name: str) -> bool:
        """Whether a ranking may be reversed, if this is quick to compute."""
        null = self.null_distributions.get(name)  # None with clusters
        if self.tests is not None:
            return self.tests[name]._is_far_below()
        value = self.values[name]
        return null is not None and null.is_quick and is_far_below(value, null)

    def _tables(self) -> list[Table]:
        """Return all tables."""
        level, chance = self.confidence_level, self.null_means.get(self.metric)
        rows = [self._row(name) for name in self.names]
        tables = [table_of_rankings(self.metric, rows, chance, level)]
        depths = [*{repr(depth): depth for depth in self.t + self.k}.values()]
        if depths:
            values, null_means = self.at_depths, self.null_means
            n_samples = self.n_samples if self.n_rankings == 1 else None
            tables.append(table_of_depths(values, null_means, depths, n_samples))
        if any(self.metrics.values()):
            tables.append(table_of_metrics(self.metrics, self.null_means, level))
        # at most 6 pairs are listed; more rankings are in the order of a leaderboard
        if self.leaderboard is not None and self.comparisons is not None:
            if len(self.names) <= 4:
                tables.append(table_of_pairs(self.comparisons, level))
            else:
                board = table_of_leaderboard(self.leaderboard, self.intervals)
                tables.append(board)
        if len(self.comparisons_by) > 1:
            tables.append(table_of_summary(self.comparisons_by, 1 - level))
        if any(self.thresholds.values()):
            tables.append(table_of_thresholds(self.thresholds, level))
        tables += [table_of_gains(name, one) for name, one in self.gains.items()]
        return tables
