"""The function `ranking_report`.

Every number is computed by a public function or class. Each column of scores is ranked
once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    TIES,
    check_cutoff,
    check_depth,
    check_flag,
    check_fraction,
    check_generator,
    check_option,
    invalid,
)
from skrank._utils._text import brief, listed
from skrank.curves._hit_curve import curve_of
from skrank.curves._operating_points import points_of
from skrank.inference._deployment_estimate import DEPLOYMENT_DRAWS, deployment_of
from skrank.inference._metric_interval import MetricInterval
from skrank.inference._metric_interval_result import MetricIntervalResult
from skrank.inference._random_selection import RandomSelectionTest, null_of
from skrank.inference._random_selection_result import RandomSelectionResult
from skrank.inference._ranking_comparison import RankingComparison
from skrank.inference._ranking_comparison_result import RankingComparisonTable
from skrank.inference._variability._clusters import n_clusters
from skrank.metrics._definitions import Measure, Metric, make_measure, make_metric
from skrank.metrics._thinned import check_thinning
from skrank.null import MeanNull, RandomSelectionNull
from skrank.null._exchange import NothingMovesError
from skrank.ranking._as_ranking import Labels, columns_of
from skrank.ranking._counts import RankCounts
from skrank.ranking._items import ListedItems
from skrank.ranking._ranking import Ranking
from skrank.ranking._several import (
    both_classes,
    check_clusters,
    columns_by_name,
    rank_classes,
    rank_columns,
    rank_scored,
)
from skrank.ranking._ties import untied
from skrank.report._result import RankingReport

# Number of items in clusters whose test takes about two seconds: 10,000 draws take 30
# to 35 us for each item. Twice as many take twice as long.
_MOST_IN_CLUSTERS = 50_000


def ranking_report(
    y_true: Labels | Mapping[str, Ranking | RankCounts],
    y_scores: Any = None,
    *,
    metrics: str | Metric | Sequence[str | Metric] = (),
    t: float | Sequence[float] | None = None,
    k: float | Sequence[float] | None = None,
    lower_is_better: bool | Sequence[str] = False,
    pos_label: object = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    prevalence: float | None = None,
    negatives_kept: float | None = None,
    ties: str = "expected",
    confidence_level: float = 0.95,
    pvalue: bool | None = None,
    random_state: object = None,
) -> RankingReport:
    """Report on one or several rankings of a data set.

    The report has average precision with its interval and its test against random
    selection, metrics of the top of the ranking, and comparisons of the rankings. See
    :ref:`report` for the tables and for details of the settings.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking, RankCounts or mapping
        Labels of the items; both targets and non-targets. A Ranking, RankCounts or a
        mapping from names to them replaces labels and scores.
    y_scores : mapping, DataFrame or array of shape (n_samples, n_rankings) or \
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
    lower_is_better : bool or sequence of str, default=False
        Whether lower scores mean likelier targets, for all or for the named rankings.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_scores`, such as ``estimator.classes_``, in place
        of `pos_label`. Each class is compared with the rest.
    groups : array-like of shape (n_samples,), default=None
        Ranking that each item belongs to, such as its query or its day. All numbers
        are then means over the rankings (:ref:`several_rankings`).
    clusters : array-like of shape (n_samples,), default=None
        Cluster of each item, such as the patient of an image (:ref:`clusters`).
    prevalence, negatives_kept : float, default=None
        Adds a table for this prevalence, or for this share of kept non-targets, by
        :func:`deployment_estimate`. Give one of them.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of all metrics.
    confidence_level : float, default=0.95
        Level of the intervals, between 0 and 1.
    pvalue : bool, default=None
        Whether to test each ranking against random selection. None leaves out tests
        that may take more than about two seconds.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of tests, intervals and deployment.

    Returns
    -------
    report : RankingReport
        Report that can be printed, and exported as a data frame, LaTeX or HTML.

    Raises
    ------
    ValueError
        If the input is not rankings of the same items with two classes, if two
        rankings have the same name, if settings exclude each other, or if a setting is
        outside its range.

    See Also
    --------
    RandomSelectionTest, MetricInterval, RankingComparison : Sources of the numbers.

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
    thinning = None
    if prevalence is not None or negatives_kept is not None:
        thinning = check_thinning(prevalence, negatives_kept)
    _check_apart(labels, pos_label, groups, clusters, thinning, lower_is_better)

    # rankings
    codes, group_labels = None, None
    if clusters is not None:
        y_true, y_scores = columns_of(y_true, y_scores, "clusters")  # type: ignore[arg-type]
        codes = check_clusters(clusters, y_true, groups)
    if labels is not None:
        single = rank_classes(y_true, y_scores, labels)  # type: ignore[arg-type]
        rankings = {name: [one] for name, one in single.items()}
    else:
        found, rankings = _rankings(
            y_true, y_scores, pos_label, groups, lower_is_better
        )
        group_labels = None if groups is None else found
    asked = _Asked(rankings, group_labels, codes, ties, random_state)
    if thinning is not None and not asked.is_listed:
        rule = "be None where items were only counted"
        raise invalid("prevalence` and `negatives_kept", rule, brief(y_true))

    # metrics
    n_least, beyond = min(n for n, _ in asked.shapes), groups is not None
    depths_t = _depths("t", t, n_least, beyond=beyond)
    depths_k = depths_t if k is None else _depths("k", k, n_least, beyond=beyond)
    names = [f"average_precision@{depth}" for depth in depths_k]
    for at_t in ("recall", "precision", "enrichment_factor"):
        names += [f"{at_t}@{depth}" for depth in depths_t]
    of_top = {name: make_measure(name, ties) for name in names}
    ap = make_measure("average_precision", ties)
    more = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    others = {made.name: made for made in (make_metric(one, ties) for one in more)}

    # results
    null_means: dict[str, float] = {}
    # otherwise they depend on the targets or the ties of each ranking
    if labels is None and ties == "expected":
        null_means = asked.null_means({"average_precision": ap, **of_top, **others})
    nulls, tests = asked.tests(ap, pvalue)
    deployed = {}
    if thinning is not None:
        rng, wanted = check_generator(random_state), [ap, *others.values()]
        deployed = asked.each(
            lambda parts: deployment_of(
                parts[0], wanted, thinning, DEPLOYMENT_DRAWS, rng
            )
        )
    intervals = asked.intervals(ap)
    by_metric = {at: asked.intervals(metric) for at, metric in others.items()}
    at_top = {at: asked.values(metric) for at, metric in of_top.items()}
    n_targets: int | dict[str, int] = sum(m for _, m in asked.shapes)
    if labels is not None:
        n_targets = asked.each(lambda parts: int(parts[0].n_targets))
    curves = {} if beyond else rankings
    return RankingReport(
        average_precision=asked.values(ap),
        null_distributions=nulls,
        tests=tests,
        intervals={
            name: one.confidence_interval(level) for name, one in intervals.items()
        },
        at_depths=_by_name(at_top, rankings),
        null_means=null_means,
        comparisons=None if labels is not None else asked.comparisons(),
        hit_curves={name: curve_of(one, ties) for name, (one,) in curves.items()},
        operating_points={name: points_of(one) for name, (one,) in curves.items()},
        t=depths_t,
        k=depths_k,
        n_samples=sum(n for n, _ in asked.shapes),
        n_targets=n_targets,
        ties=ties,
        confidence_level=level,
        n_rankings=len(asked.shapes),
        n_clusters=n_clusters(codes),
        metrics=_by_name(by_metric, rankings),
        deployment=deployed,
    )


def _check_apart(
    labels: Any,
    pos_label: Any,
    groups: Any,
    clusters: Any,
    thinning: Any,
    lower_is_better: Any,
) -> None:
    """Check that no settings are given that exclude each other."""
    thinned = {"prevalence` and `negatives_kept": thinning}
    lower = None if lower_is_better is False else lower_is_better
    beside_labels = {"pos_label": pos_label, "groups": groups, "clusters": clusters}
    excluded = [
        ("labels", labels, {**beside_labels, "lower_is_better": lower, **thinned}),
        ("groups", groups, thinned),
        ("clusters", clusters, thinned),
    ]
    for name, value, others in excluded:
        for other, given in others.items():
            if value is not None and given is not None:
                raise invalid(other, f"be None beside `{name}`", brief(given))


def _by_name(
    found: Mapping[str, Mapping[str, Any]], names: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Convert results by metric and ranking to results by ranking and metric."""
    return {name: {at: one[name] for at, one in found.items()} for name in names}


class _Asked:
    """Rankings by name, and the results of the other classes for them.

    There is one ranking for a data set, or one for each group, with the labels of the
    groups. With clusters, `codes` is the number of each item's cluster.
    """

    def __init__(
        self,
        rankings: dict[str, list[Ranking]],
        labels: tuple[Any, ...] | None,
        codes: NDArray[np.intp] | None,
        ties: str,
        random_state: Any,
    ) -> None:
        self.rankings, self.labels, self.codes = rankings, labels, codes
        self.settings = {"ties": ties, "random_state": random_state}
        first = next(iter(rankings.values()))
        self.shapes = [(int(one.n_samples), int(one.n_targets)) for one in first]
        # for metrics that need both classes
        self.kept = [0]
        if labels is not None:
            sizes = [(m, n) for n, m in self.shapes]
            self.kept = both_classes(sizes, grouped=True)
        self.named = () if labels is None else tuple(labels[i] for i in self.kept)

    @property
    def is_listed(self) -> bool:
        """Whether single items are known."""
        return all(
            isinstance(ps[0].items, ListedItems) for ps in self.rankings.values()
        )

    def each(self, question: Callable[[list[Ranking]], Any]) -> dict[str, Any]:
        """Apply a function to each list of rankings."""
        return {name: question(parts) for name, parts in self.rankings.items()}

    def both(self, parts: list[Ranking]) -> list[Ranking]:
        """Return the rankings of a list with both classes."""
        return [parts[i] for i in self.kept]

    def where_defined(self, metric: Metric, parts: Sequence[Any]) -> list[Any]:
        """Return the rankings of a list for which a metric is defined."""
        is_all = metric.always_defined and self.labels is not None
        return [*parts] if is_all else [parts[i] for i in self.kept]

    def values(self, metric: Metric) -> dict[str, float]:
        """Value of each ranking, or its mean over the groups."""
        return self.each(
            lambda parts: float(
                np.mean(
                    [metric.value(one) for one in self.where_defined(metric, parts)]
                )
            )
        )

    def intervals(self, metric: Metric) -> dict[str, MetricIntervalResult]:
        """Interval of each ranking, or of the mean over groups."""
        interval, codes = MetricInterval(metric, **self.settings), self.codes
        if codes is not None:
            return self.each(lambda parts: interval.of_clusters(parts[0], codes))
        named: tuple[Any, ...] = ()
        if self.labels is not None:
            named = tuple(self.where_defined(metric, self.labels))
        return self.each(
            lambda parts: interval.of_ranked(self.where_defined(metric, parts), named)
        )

    def null_means(self, metrics: Mapping[str, Metric]) -> dict[str, float]:
        """Means under random selection without ties, for metrics that have one.

        With clusters, metrics of the order within the top have another mean.
        """
        means = {}
        for name, metric in metrics.items():
            is_known = self.codes is None or not metric.ordered
            if isinstance(metric, Measure) and is_known:
                counts = Counter(self.where_defined(metric, self.shapes))
                chance = [k * _chance_of(n, m, metric) for (n, m), k in counts.items()]
                means[name] = float(sum(chance) / counts.total())
        return means

    def tests(
        self, ap: Measure, pvalue: bool | None
    ) -> tuple[dict[str, Any], dict[str, RandomSelectionResult] | None]:
        """Null distributions, and tests if they are requested or quick."""
        test, codes = RandomSelectionTest(**self.settings), self.codes
        if codes is not None:
            is_quick = self.shapes[0][0] <= _MOST_IN_CLUSTERS
            if is_quick if pvalue is None else pvalue:
                try:
                    return {}, self.each(lambda ps: test.test_exchanged(ps[0], codes))
                except NothingMovesError:
                    if pvalue:
                        raise
            return {}, None
        nulls = self.each(
            lambda parts: _null_of([null_of(one, ap) for one in self.both(parts)])
        )
        if pvalue is None:
            pvalue = all(null.is_quick for null in nulls.values())
        if not pvalue:
            return nulls, None
        nulls.clear()  # a test makes its own, of 60 MB if the ranking is long
        tests = self.each(lambda parts: test.test_ranked(self.both(parts), self.named))
        return {name: one.null_distribution for name, one in tests.items()}, tests

    def comparisons(self) -> RankingComparisonTable | None:
        """Comparisons of all pairs of rankings, if single items are known."""
        if len(self.rankings) < 2 or not self.is_listed:
            return None
        compare, ranked = RankingComparison(**self.settings), self.each(self.both)
        return compare.compare_ranked(ranked, self.named, codes=self.codes)


def _null_of(nulls: list[RandomSelectionNull]) -> RandomSelectionNull | MeanNull:
    """Distribution of one value, or of the mean over several."""
    return nulls[0] if len(nulls) == 1 else MeanNull(nulls)


def _chance_of(n_samples: int, n_targets: int, measure: Measure) -> float:
    """Mean under random selection without ties, which do not affect it."""
    ties = replace(untied(n_samples), several=True)
    return RandomSelectionNull.of_ties(ties, n_targets, measure).mean()


def _rankings(
    y_true: Any,
    y_scores: Any,
    pos_label: object,
    groups: ArrayLike | None,
    lower_is_better: Any,
) -> tuple[tuple[Any, ...], dict[str, list[Ranking]]]:
    """Return the labels of the groups, and by name the rankings, one for each group."""
    if groups is not None:
        y_true, y_scores = columns_of(y_true, y_scores)
    if y_scores is not None:
        if len(getattr(y_scores, "shape", ())) == 1:
            name = getattr(y_scores, "name", None)
            columns = {"model" if name in (None, "") else name: y_scores}
        else:
            columns = columns_by_name(y_scores, least=1)
        named = {f"y_scores[{name!r}]": column for name, column in columns.items()}
        lower = _lower(lower_is_better, dict(zip(columns, named, strict=True)))
        found, ranked = rank_columns(
            y_true, named, pos_label, groups, lower=lower, always_defined=True
        )
        pairs = zip(columns, ranked.values(), strict=True)
        return found, {str(name): parts for name, parts in pairs}
    if lower_is_better is not False:
        got = brief(lower_is_better)
        raise invalid("lower_is_better", "be False for rankings and counts", got)
    given = {"model": y_true}
    if isinstance(y_true, Mapping):
        given = columns_by_name(y_true, least=1)
    if not all(isinstance(one, Ranking | RankCounts) for one in given.values()):
        rule = (
            "be given with `y_true`, unless that is a Ranking or RankCounts, or a "
            "mapping from names to these"
        )
        raise invalid("y_scores", rule, f"y_true={brief(y_true)} alone")
    rankings = {
        str(name): rank_scored(one, None, pos_label) for name, one in given.items()
    }
    sizes = {(one.n_samples, one.n_targets) for one in rankings.values()}
    if len(sizes) > 1:
        raise invalid("y_true", "hold rankings of the same items", brief(y_true))
    return (), {name: [one] for name, one in rankings.items()}


def _lower(lower_is_better: Any, names: Mapping[Any, str]) -> list[str]:
    """Return the columns in which lower scores are better, by their names in errors."""
    if isinstance(lower_is_better, bool | np.bool_):
        return [*names.values()] if lower_is_better else []
    by_text = {str(name): said for name, said in names.items()}
    given = [lower_is_better] if np.ndim(lower_is_better) == 0 else [*lower_is_better]
    unknown = [name for name in map(str, given) if name not in by_text]
    if unknown:
        rule = f"be True, False or names of {listed([*by_text], 5)}"
        raise invalid("lower_is_better", rule, brief(unknown[0]))
    return [by_text[name] for name in dict.fromkeys(map(str, given))]


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
