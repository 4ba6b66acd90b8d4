"""The class `RankingReport`: several questions about the same rankings.

Every number is computed by a public class or function. Each column of scores is ranked
once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from skrank._utils._checks import (
    TIES,
    check_cutoff,
    check_depth,
    check_flag,
    check_fraction,
    check_jobs,
    check_option,
    check_random_state,
    invalid,
)
from skrank._utils._text import brief
from skrank.inference.base._question import Question
from skrank.inference.comparison._ranking_comparison import RankingComparison
from skrank.inference.intervals._metric_interval import MetricInterval
from skrank.inference.random_selection._exchange import NothingMovesError
from skrank.inference.random_selection._random_selection import (
    RandomSelectionTest,
    null_of_mean,
)
from skrank.inference.thresholds._threshold_choice import ThresholdChoice
from skrank.metrics._definitions import AnyMetric, Metric, make_metric, make_null_metric
from skrank.metrics._definitions._curve import ThresholdMetric
from skrank.null import RandomSelectionNull
from skrank.ranking._rankings import Rankings
from skrank.ranking._ties import untied
from skrank.report._metric_report import COLUMNS, DEPTHS, MetricReport
from skrank.report._result import RankingReportResult, names_of_top


class RankingReport(Question[RankingReportResult]):
    """Report on several models and metrics in one call; for one metric use its class.

    The report contains average precision, or another metric, with its interval and its
    test against random selection, metrics of the top of the ranking, comparisons of the
    rankings, and optionally thresholds and gains tables. See :ref:`report` for the
    tables and for details of the settings.

    Parameters
    ----------
    compare_by : str, Metric or sequence of them, default="average_precision"
        Metric of the tests, the intervals and the comparisons, such as
        "bedroc(alpha=20)" or "enrichment_factor@1%". If there are several, the first is
        the main metric, and the rankings are compared by each of them.
    metrics : str, Metric or sequence of them, default=()
        Additional metrics with intervals, by their printed names (:ref:`metric_names`).
    t : int, float or sequence of them, default=None
        Depths of recall, precision and lift. An int is a number of items, and a float
        in (0, 1] is a fraction, rounded up. None uses 10 items, 1 % and 10 %.
    k : int, float or sequence of them, default=None
        Depths of average precision at k. None uses the depths `t`.
    thresholds : ThresholdChoice or sequence of them, default=()
        Rules for choosing a threshold for each ranking, such as
        ``ThresholdChoice(benefit=100, cost=5)`` for the largest profit.
    gains : bool, int or sequence of float, default=False
        Whether to add a gains table for each ranking: True for deciles, or the parts of
        :meth:`HitCurve.gains_table`, such as ``(0.01, 0.02, 0.05)``.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of all metrics.
    confidence_level : float, default=0.95
        Level of the intervals, between 0 and 1.
    sort : bool, default=False
        Whether to print the best ranking first, by the main metric. Otherwise the
        rankings keep the order of the input.
    pvalue : bool, default=None
        Whether to test each ranking against random selection. None omits tests that can
        take more than about two seconds, and tests of lists with missed targets.
    n_jobs : int, default=None
        Number of joblib jobs that fit and predict the folds of a cross-validation.
    progress : bool, default=False
        Whether to show progress bars; needs tqdm.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of tests and intervals.

    Raises
    ------
    ValueError
        If a setting is outside its range.

    See Also
    --------
    RankingReportResult : Result, which can be printed and exported as a data frame,
        LaTeX or HTML.
    RandomSelectionTest, MetricInterval, RankingComparison, ThresholdChoice : Sources
        of the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingReport
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 40
    >>> a = rng.normal(2.0 * y_true)
    >>> b = 0.6 * a + rng.normal(0.4 * y_true)
    >>> asked = RankingReport(t=(20, 0.1))
    >>> report = asked.from_predictions(y_true, {"A": a, "B": b})
    >>> print(report.conclusion())
    A has the largest average precision, 0.374; B (Holm p 0.017) is lower.
    >>> report.to_frame()[["name", "average_precision", "recall@20"]].round(3)
      name  average_precision  recall@20
    0    A              0.374      0.225
    1    B              0.172      0.125
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "strata": "only the test against random selection permutes within strata",
        "sample_weight": "random selection has no weights",
    }

    def __init__(
        self,
        compare_by: str | AnyMetric | Sequence[str | AnyMetric] = "average_precision",
        *,
        metrics: str | AnyMetric | Sequence[str | AnyMetric] = (),
        t: float | Sequence[float] | None = None,
        k: float | Sequence[float] | None = None,
        thresholds: ThresholdChoice | Sequence[ThresholdChoice] = (),
        gains: bool | int | Sequence[float] = False,
        ties: str = "expected",
        confidence_level: float = 0.95,
        sort: bool = False,
        pvalue: bool | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: object = 0,
    ) -> None:
        check_option("ties", ties, TIES)
        self.compare_by, self.metrics, self.ties = compare_by, metrics, ties
        if not _each(compare_by):
            raise invalid("compare_by", "name a metric", "none")
        self._made([*_each(compare_by), *_each(metrics)])
        self.t, self.k = _checked("t", t), _checked("k", k)
        for rule in _each(thresholds):
            if not isinstance(rule, ThresholdChoice):
                raise invalid(
                    "thresholds", "contain ThresholdChoice alone", brief(rule)
                )
        self.thresholds, self.gains = thresholds, gains
        self.confidence_level = check_fraction("confidence_level", confidence_level)
        self.sort = check_flag("sort", sort)
        self.pvalue = None if pvalue is None else check_flag("pvalue", pvalue)
        self.n_jobs = check_jobs(n_jobs)
        self.progress = check_flag("progress", progress)
        self.random_state = check_random_state(random_state)

    def _made(self, metrics: Any) -> dict[str, AnyMetric]:
        """Return metrics by their names."""
        found: dict[str, AnyMetric] = {}
        for one in (make_metric(one, self.ties) for one in _each(metrics)):
            if one.ties != self.ties and not isinstance(one, ThresholdMetric):
                rule = f"be {one.ties!r}, the tie rule of the metric {one.name}"
                raise invalid("ties", rule, repr(self.ties))
            if one.name in COLUMNS or found.get(one.name, one) != one:
                rule = "have a printed name that no other metric or column has"
                raise invalid("metrics", rule, repr(one.name))
            found[one.name] = one
        return found

    def _metric(self) -> AnyMetric:
        """Return the main metric."""
        return next(iter(self._made(self.compare_by).values()))

    def from_rankings(self, rankings: Any) -> RankingReportResult:
        """Report on existing rankings of one data set, or of several.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data, of one model or of several models by name. The
            rankings of :meth:`Rankings.from_classes` are for several classes, which are
            not compared.

        Returns
        -------
        report : RankingReportResult
            Immutable report, which can be printed and exported as a data frame, LaTeX
            or HTML.

        Raises
        ------
        ValueError
            If there are no targets or no non-targets, if a depth is beyond the ranking,
            or if gains tables are requested with groups or folds.
        """
        every = self._read(rankings)
        if self.gains is not False and every.kind != "one":
            rule = "be False for several rankings of a model"
            raise invalid("gains", rule, brief(self.gains))
        # the parts with targets; precision of groups is defined without these
        both = every.defined_for(make_metric("average_precision", self.ties))

        def rankings_for(metric: AnyMetric) -> Rankings:
            is_defined = every.grouped and metric.always_defined
            return (every if is_defined else both).defined_for(metric)

        if self.sort:
            every = _sorted(every, rankings_for(self._metric()), self._metric())
            both = both.only(*every.names)

        # the metrics, each once: the main one, those of the top, and the others
        n_least = min(int(row[0].n_samples) for row in every.parts)
        t = _depths("t", self.t, n_least, beyond=every.grouped)
        k = t if self.k is None else _depths("k", self.k, n_least, beyond=every.grouped)
        compared, more = self._made(self.compare_by), self._made(self.metrics)
        main, *_ = compared
        named = compared | more
        names = names_of_top(t, k)
        if any(one.n_missed for row in every.parts for one in row):
            # the share of targets in a collection of unknown size
            names = [name for name in names if not name.startswith("enrichment")]
        top = {name: make_null_metric(name, self.ties) for name in names}
        for name in top.keys() & named.keys():
            self._made([top.pop(name), named[name]])  # the same metric, or an error
        metrics = {main: named.pop(main), **top, **named}

        is_compared = (
            len(every.names) > 1
            and not every.of_classes
            and all(one.has_items for one in every.parts[0])
        )
        results = {}
        for name, metric in metrics.items():
            ranked = rankings_for(metric)
            found: dict[str, Any] = {}
            if name in top:
                found["values"] = _means(metric, ranked)
            else:
                found = self._estimated(metric, ranked)
            if name == main:
                found |= self._tested(metric, ranked)
            # one group tells nothing of others
            is_mean = not ranked.grouped or len(ranked.parts) > 1
            if name in compared and is_compared and is_mean:
                question = RankingComparison(metric, **self._settings)
                found["comparisons"] = question.compare_all(ranked)
            results[name] = MetricReport(
                metric=metric,
                n_rankings=len(ranked.parts),
                null_mean=_null_mean(metric, ranked),
                **found,
            )
        rules = _each(self.thresholds)
        report = RankingReportResult(
            rankings=every,
            results=results,
            t=t,
            k=k,
            confidence_level=self.confidence_level,
            thresholds={
                str(name): tuple(rule.from_rankings(every.only(name)) for rule in rules)
                for name in every.names
            },
            gains={},
        )
        if self.gains is False:
            return report
        asked: Any = {} if self.gains is True else {"parts": self.gains}
        asked["confidence_level"] = self.confidence_level
        curves = report.hit_curves.items()
        gains = {name: curve.gains_table(**asked) for name, curve in curves}
        return replace(report, gains=gains)

    @property
    def _settings(self) -> Any:
        """Settings of tests, intervals and comparisons."""
        names = ("ties", "n_jobs", "progress", "random_state")
        return {name: getattr(self, name) for name in names}

    def _estimated(self, metric: AnyMetric, asked: Rankings) -> dict[str, Any]:
        """Return values and intervals by the name of the ranking."""
        question = MetricInterval(metric, **self._settings)
        found = {
            str(name): question.from_rankings(asked.only(name)) for name in asked.names
        }
        level = self.confidence_level
        return {
            "values": {name: one.value for name, one in found.items()},
            "estimates": found,
            "intervals": {
                k: one.confidence_interval(level) for k, one in found.items()
            },
        }

    def _tested(self, metric: AnyMetric, asked: Rankings) -> dict[str, Any]:
        """Return null distributions and tests, or why there are no tests."""
        if not isinstance(metric, Metric):
            return {"untested": f"because {metric.name} has no null distribution"}
        if self.pvalue is None and any(r.n_missed for row in asked.parts for r in row):
            why = "because missed targets have no rank without `n_unlisted`"
            return {"untested": why}
        asked, found = asked.returned("the test"), {}
        each = {str(name): asked.only(name) for name in asked.names}
        # 10,000 draws of the test take 30 to 35 us for each item: two seconds
        is_quick = asked.sizes[0] <= 50_000
        if asked.clusters is None:
            nulls: Any = {k: null_of_mean(one, metric) for k, one in each.items()}
            is_quick = all(null.is_quick for null in nulls.values())
            found = {"null_distributions": nulls}
        if not (is_quick if self.pvalue is None else self.pvalue):
            why = "as asked"
            if self.pvalue is None:
                why = "because it may take a long time; set `pvalue`"
            return {**found, "untested": why}
        found.clear()  # a test makes its own, of 60 MB if the ranking is long
        test = RandomSelectionTest(metric, **self._settings)
        try:
            tests = {name: test.from_rankings(one) for name, one in each.items()}
        except NothingMovesError:
            if self.pvalue:
                raise
            return {"untested": "because no clusters can be exchanged"}
        if asked.clusters is None:
            nulls = {name: one.null_distribution for name, one in tests.items()}
            found = {"null_distributions": nulls}
        return {**found, "tests": tests}


def _each(given: Any) -> list[Any]:
    """Return a list of what is given alone or in a sequence."""
    is_several = isinstance(given, Iterable) and not isinstance(given, str)
    return [*given] if is_several else [given]


def _checked(name: str, depths: Any) -> Any:
    """Check one depth, several, or None."""
    if depths is None:
        return None
    if np.ndim(depths) == 0:
        return check_cutoff(name, depths)
    for depth in depths:
        check_cutoff(name, depth)
    return depths


def _means(metric: AnyMetric, rankings: Rankings) -> dict[str, float]:
    """Return the mean value of each model over the parts."""
    values = [[metric.value(one) for one in row] for row in rankings.parts]
    columns = zip(*rankings.by_fold(values).tolist(), strict=True)
    means = [float(np.mean(column)) for column in columns]
    return dict(zip(map(str, rankings.names), means, strict=True))


def _sorted(every: Rankings, asked: Rankings, metric: AnyMetric) -> Rankings:
    """Return the rankings from the best to the worst by a metric."""
    values = np.array([*_means(metric, asked).values()])
    order = np.argsort(-values if metric.greater_is_better else values, kind="stable")
    return every.only(*(every.names[i] for i in order))


def _null_mean(metric: AnyMetric, rankings: Rankings) -> float | None:
    """Return the mean under random selection, if it is the same for all rankings.

    Without ties, which do not affect it under the rule "expected".
    """
    depends = rankings.of_classes or metric.ties != "expected"
    # clusters are exchanged with those of their size, and a mean over the groups of
    # folds is not that of the test
    depends |= rankings.n_clusters > 0 or (
        rankings.kind == "folds" and rankings.grouped
    )
    if depends or not isinstance(metric, Metric):
        return None
    for row in rankings.parts:
        if any((one.n_samples, one.n_missed) != (row[0].n_samples, 0) for one in row):
            return None
    shapes = Counter((int(r.n_samples), int(r.n_targets)) for r, *_ in rankings.parts)
    means = []
    for n_samples, n_targets in shapes:
        ties = replace(untied(n_samples), several=True)
        means.append(RandomSelectionNull.of_ties(ties, n_targets, metric).mean())
    return float(np.average(means, weights=list(shapes.values())))


def _depths(
    name: str, depths: Any, n_samples: int, *, beyond: bool
) -> tuple[int | float, ...]:
    """Check one depth or several; return each once.

    They may be `beyond` the ranking if it is one of several.
    """
    if depths is None:
        # ascending; of several for the same number of items, the one in items
        known = [depth for depth in reversed(DEPTHS) if depth <= n_samples]
        items = {check_depth(name, depth, n_samples): depth for depth in known}
        return tuple(items[count] for count in sorted(items))
    checked = [check_cutoff(name, depth) for depth in _each(depths)]
    for depth in checked:
        check_depth(name, depth, n_samples, beyond=beyond)
    return tuple({repr(depth): depth for depth in checked}.values())
