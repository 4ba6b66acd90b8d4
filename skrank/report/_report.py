"""The function `ranking_report`.

Every number is computed by a public function or class. Each column of scores is ranked
once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._utils._checks import (
    TIES,
    check_cutoff,
    check_depth,
    check_flag,
    check_fraction,
    check_option,
    invalid,
)
from skrank._utils._text import brief
from skrank.curves._hit_curve import curve_of
from skrank.curves._operating_points import points_of
from skrank.inference.comparison._ranking_comparison import RankingComparison
from skrank.inference.intervals._metric_interval import MetricInterval
from skrank.inference.random_selection._exchange import NothingMovesError
from skrank.inference.random_selection._random_selection import (
    RandomSelectionTest,
    null_of_mean,
)
from skrank.inference.random_selection._random_selection_result import (
    RandomSelectionResult,
)
from skrank.inference.thresholds._threshold_choice import ThresholdChoice
from skrank.metrics._definitions import AnyMetric, Metric, make_metric, make_null_metric
from skrank.null import RandomSelectionNull
from skrank.ranking._as_ranking import Labels, columns_of
from skrank.ranking._counts import RankCounts
from skrank.ranking._ranking import Ranking
from skrank.ranking._rankings import MODEL, Rankings
from skrank.ranking._several import columns_by_name, is_table
from skrank.ranking._ties import untied
from skrank.report._result import RankingReport


def ranking_report(
    y_true: Labels | Mapping[str, Ranking | RankCounts],
    y_score: Any = None,
    *,
    metrics: str | AnyMetric | Sequence[str | AnyMetric] = (),
    t: float | Sequence[float] | None = None,
    k: float | Sequence[float] | None = None,
    compare_by: str | AnyMetric | Sequence[str | AnyMetric] = "average_precision",
    thresholds: ThresholdChoice | Sequence[ThresholdChoice] = (),
    gains: bool | int | Sequence[float] = False,
    lower_is_better: bool | Sequence[str] = False,
    pos_label: object = None,
    classes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    ties: str = "expected",
    confidence_level: float = 0.95,
    pvalue: bool | None = None,
    random_state: object = 0,
) -> RankingReport:
    """Report on one or several rankings of a data set.

    The report has average precision, or another metric, with its interval and its test
    against random selection, metrics of the top of the ranking, comparisons of the
    rankings, and optionally thresholds and gains tables. See
    :ref:`report` for the tables and for details of the settings.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Rankings, Ranking, RankCounts or mapping
        Labels of the items; both targets and non-targets. Rankings, a Ranking,
        RankCounts or a mapping from names to one of the latter two replace labels,
        scores, groups and clusters.
    y_score : mapping, DataFrame or array of shape (n_samples, n_rankings) or \
            (n_samples,), default=None
        Scores of one or more rankings by name: a mapping from names to scores, or
        columns. A higher score means a likelier target.
    metrics : str, Metric or sequence of them, default=()
        More metrics, with intervals, by their printed names (:ref:`metric_names`).
    t : int, float or sequence of them, default=None
        Depths of recall, precision and lift. An int counts items, and a float in
        (0, 1] is a fraction, rounded up. None takes 10 items, 1 % and 10 %.
    k : int, float or sequence of them, default=None
        Depths of average precision at k. None takes those of `t`.
    compare_by : str, Metric or sequence of them, default="average_precision"
        Metric of the tests, the intervals and the comparisons, such as
        "bedroc(alpha=20)" or "enrichment_factor@1%". With several, the first is the
        main one, and the rankings are compared by each.
    thresholds : ThresholdChoice or sequence of them, default=()
        Rules by which to choose a threshold for each ranking, such as
        ``ThresholdChoice(benefit=100, cost=5)`` for the largest profit.
    gains : bool, int or sequence of float, default=False
        Whether to add a gains table of each ranking: True for tenths, or the parts of
        :meth:`HitCurve.gains_table`, such as ``(0.01, 0.02, 0.05)``.
    lower_is_better : bool or sequence of str, default=False
        Whether lower scores mean likelier targets, for all or for the named rankings.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    classes : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`, such as ``estimator.classes_``, in place
        of `pos_label`. Each class is compared with the rest.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. All numbers
        are then means over the rankings (:ref:`several_rankings`).
    clusters : array-like of shape (n_samples,), default=None
        Cluster of each item, such as the patient of an image (:ref:`clusters`).
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of all metrics.
    confidence_level : float, default=0.95
        Level of the intervals, between 0 and 1.
    pvalue : bool, default=None
        Whether to test each ranking against random selection. None leaves out tests
        that may take more than about two seconds.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of tests and intervals.

    Returns
    -------
    report : RankingReport
        Report that can be printed, and exported as a data frame, LaTeX or HTML.

    Raises
    ------
    ValueError
        If the input is not rankings of the same items with two classes, if two
        rankings have the same name, if settings exclude each other, if gains tables
        are requested with groups, or if a setting is outside its range.

    See Also
    --------
    RandomSelectionTest, MetricInterval, RankingComparison, ThresholdChoice : Sources
        of the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import ranking_report
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 40
    >>> a = rng.normal(2.0 * y_true)
    >>> b = 0.6 * a + rng.normal(0.4 * y_true)
    >>> report = ranking_report(y_true, {"A": a, "B": b}, t=(20, 0.1))
    >>> print(report.conclusion())
    A has the largest average precision, 0.374; B (Holm p 0.02) is lower.
    >>> report.to_frame()[["name", "average_precision", "recall@20"]]
      name  average_precision  recall@20
    0    A              0.374      0.225
    1    B              0.172      0.125
    """
    check_option("ties", ties, TIES)
    level = check_fraction("confidence_level", confidence_level)
    if pvalue is not None:
        pvalue = check_flag("pvalue", pvalue)
    columns = {"pos_label": pos_label, "groups": groups, "clusters": clusters}
    every = _rankings(y_true, y_score, classes, lower_is_better, columns)
    settings: Any = {"ties": ties, "random_state": random_state}
    asked = [compare_by] if isinstance(compare_by, str | AnyMetric) else compare_by
    compared_by = {one.name: one for one in (make_metric(one, ties) for one in asked)}
    if not compared_by:
        raise invalid("compare_by", "name a metric", "none")
    main = next(iter(compared_by.values()))
    # the groups with targets and non-targets
    both = every.defined_for(make_metric("average_precision", ties))
    rules = [thresholds] if isinstance(thresholds, ThresholdChoice) else [*thresholds]
    if gains is not False and every.kind != "one":
        raise invalid("gains", "be False for several rankings of a model", brief(gains))

    def rankings_for(metric: AnyMetric) -> Rankings:
        return every if every.grouped and metric.always_defined else both

    # metrics
    n_least = min(int(row[0].n_samples) for row in every.parts)
    depths_t = _depths("t", t, n_least, beyond=every.grouped)
    depths_k = depths_t if k is None else _depths("k", k, n_least, beyond=every.grouped)
    of_top = [f"average_precision@{depth}" for depth in depths_k]
    for at_t in ("recall", "precision", "enrichment_factor"):
        of_top += [f"{at_t}@{depth}" for depth in depths_t]
    top = {name: make_null_metric(name, ties) for name in of_top}
    more = [metrics] if isinstance(metrics, str | AnyMetric) else list(metrics)
    others = {**compared_by}
    others |= {made.name: made for made in (make_metric(one, ties) for one in more)}
    del others[main.name]

    # results; null means otherwise depend on the targets or the ties of each ranking
    null_means: dict[str, float] = {}
    alike = all(
        (one.n_samples, one.n_missed) == (row[0].n_samples, 0)
        for row in every.parts
        for one in row
    )
    if not every.of_classes and ties == "expected" and alike:
        for name, metric in {main.name: main, **top, **others}.items():
            # with clusters, metrics of the order within the top have another mean
            if isinstance(metric, Metric) and not (every.n_clusters and metric.ordered):
                null_means[name] = _null_mean(metric, rankings_for(metric))
    nulls: dict[str, Any] = {}
    tests = None
    if isinstance(main, Metric):
        test = RandomSelectionTest(main, **settings)
        nulls, tests = _tests(test, rankings_for(main), pvalue)
    intervals = {
        metric.name: {
            name: MetricInterval(metric, **settings).from_rankings(
                rankings_for(metric).only(name)
            )
            for name in every.names
        }
        for metric in (main, *others.values())
    }
    compared = {}
    has_items = all(one.has_items for one in every.parts[0])
    if not every.of_classes and len(every.names) > 1 and has_items:
        compared = {
            name: RankingComparison(one, **settings).compare_all(rankings_for(one))
            for name, one in compared_by.items()
        }
    at_top = {at: _means(metric, rankings_for(metric)) for at, metric in top.items()}
    n_samples, n_targets = every.sizes
    curves = {}
    if every.kind == "one":
        curves = dict(zip(every.names, every.parts[0], strict=True))
    hit_curves = {name: curve_of(one, ties) for name, one in curves.items()}
    chosen = {
        n: tuple(rule.from_rankings(every.only(n)) for rule in rules)
        for n in every.names
    }
    tables = {}
    if gains is not False:
        parts: Any = {} if gains is True else {"parts": gains}
        tables = {
            name: curve.gains_table(confidence_level=level, **parts)
            for name, curve in hit_curves.items()
        }
    return RankingReport(
        metric=main.name,
        values=_means(main, rankings_for(main)),
        null_distributions=nulls,
        tests=tests,
        intervals={
            name: one.confidence_interval(level)
            for name, one in intervals[main.name].items()
        },
        at_depths={n: {at: one[n] for at, one in at_top.items()} for n in every.names},
        null_means=null_means,
        comparisons_by=compared,
        leaderboard=compared[main.name].leaderboard(level) if compared else None,
        hit_curves=hit_curves,
        operating_points={name: points_of(one) for name, one in curves.items()},
        t=depths_t,
        k=depths_k,
        n_samples=n_samples,
        n_targets={name: int(one.n_targets) for name, one in curves.items()}
        if every.of_classes
        else n_targets,
        ties=ties,
        confidence_level=level,
        kind="groups" if every.grouped else every.kind,
        n_rankings=len((every if every.grouped else both).parts),
        n_defined=len(both.parts),
        n_clusters=every.n_clusters,
        metrics={n: {at: intervals[at][n] for at in others} for n in every.names},
        thresholds=chosen,
        gains=tables,
        greater_is_better=main.greater_is_better,
        top_ties={
            name: tie for name, one in curves.items() if (tie := _tie_at_the_top(one))
        },
    )


def _tie_at_the_top(ranking: Ranking) -> tuple[int, int] | None:
    """Return the sizes of a tie of the first items, if it is large and hides targets.

    It has ten items or more, most of which are no targets.
    """
    first = ranking.groups
    if ranking.weighted or not first.above.size or first.above[0] > 0:
        return None
    size, hits = int(first.size[0]), int(first.hits[0])
    return (size, hits) if size >= 10 and 2 * hits < size else None


def _means(metric: AnyMetric, rankings: Rankings) -> dict[str, float]:
    """Return the mean value of each model over the parts."""
    columns = zip(*rankings.parts, strict=True)
    means = [float(np.mean([metric.value(r) for r in column])) for column in columns]
    return dict(zip(rankings.names, means, strict=True))


def _tests(
    test: RandomSelectionTest, both: Rankings, pvalue: bool | None
) -> tuple[dict[str, Any], dict[str, RandomSelectionResult] | None]:
    """Return null distributions, and tests if they are requested or quick."""
    each = {name: both.only(name) for name in both.names}
    if both.clusters is not None:
        # the test of these takes about two seconds: 10,000 draws take 30 to 35 us for
        # each item
        is_quick = both.sizes[0] <= 50_000
        if is_quick if pvalue is None else pvalue:
            try:
                return {}, {name: test.from_rankings(one) for name, one in each.items()}
            except NothingMovesError:
                if pvalue:
                    raise
        return {}, None
    metric = make_null_metric(test.metric, test.ties)
    nulls = {name: null_of_mean(one, metric) for name, one in each.items()}
    if pvalue is None:
        pvalue = all(null.is_quick for null in nulls.values())
    if not pvalue:
        return nulls, None
    nulls.clear()  # a test makes its own, of 60 MB if the ranking is long
    tests = {name: test.from_rankings(one) for name, one in each.items()}
    return {name: one.null_distribution for name, one in tests.items()}, tests


def _null_mean(metric: Metric, rankings: Rankings) -> float:
    """Mean under random selection without ties, which do not affect it."""
    shapes = Counter((int(r.n_samples), int(r.n_targets)) for r, *_ in rankings.parts)
    means = []
    for n_samples, n_targets in shapes:
        ties = replace(untied(n_samples), several=True)
        means.append(RandomSelectionNull.of_ties(ties, n_targets, metric).mean())
    return float(np.average(means, weights=list(shapes.values())))


def _rankings(
    y_true: Any, y_score: Any, classes: Any, lower_is_better: Any, columns: Any
) -> Rankings:
    """Return the rankings of all columns, or existing rankings, with names as text."""
    lower = None if lower_is_better is False else lower_is_better
    given = {**columns, "lower_is_better": lower}
    if classes is not None:
        for name, value in given.items():
            if value is not None:
                raise invalid(name, "be None beside `classes`", brief(value))
        return Rankings.from_classes(y_true, y_score, classes)
    found: Rankings = y_true
    is_ranked = isinstance(y_true, Mapping | Ranking | RankCounts | Rankings)
    if y_score is None and is_ranked:
        for name, value in {**given, "lower_is_better": lower or None}.items():
            if value is not None:
                rule = "be left out for rankings and counts"
                raise invalid(name, rule, brief(value))
        if not isinstance(y_true, Rankings):
            is_named = isinstance(y_true, Mapping)
            known = columns_by_name(y_true) if is_named else y_true
            found = Rankings.from_rankings(known)
    else:
        columns_of(y_true, y_score)
        if not is_table(y_score):
            called = getattr(y_score, "name", None)
            y_score = {MODEL if called in (None, "") else called: y_score}
        lower = {"lower_is_better": lower_is_better}
        found = Rankings.from_predictions(y_true, y_score, **columns, **lower)
    models = tuple(one._replace(name=str(one.name)) for one in found.models)
    return replace(found, models=models)


def _depths(
    name: str, depths: Any, n_samples: int, *, beyond: bool
) -> tuple[int | float, ...]:
    """Check one depth or several; return each once.

    They may be `beyond` the ranking if it is one of several.
    """
    if depths is None:
        # ascending; of several for the same number of items, the one in items
        default = (0.1, 0.01, 10) if n_samples >= 10 else (0.1, 0.01)
        items = {check_depth(name, depth, n_samples): depth for depth in default}
        return tuple(items[count] for count in sorted(items))
    given = [depths] if np.ndim(depths) == 0 else list(depths)
    checked = [check_cutoff(name, depth) for depth in given]
    for depth in checked:
        check_depth(name, depth, n_samples, beyond=beyond)
    return tuple({repr(depth): depth for depth in checked}.values())
