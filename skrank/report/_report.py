"""All that is to be said of some rankings of one data set, in one call.

Every number is that of a public function or class; each column is ranked once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
from skrank.inference._metric_interval import MetricInterval
from skrank.inference._random_selection import RandomSelectionTest, null_of
from skrank.inference._ranking_comparison import RankingComparison
from skrank.metrics._definitions import Measure, make_measure
from skrank.null import MeanNull, RandomSelectionNull
from skrank.ranking._as_ranking import Labels, columns_of
from skrank.ranking._counts import RankCounts
from skrank.ranking._items import ListedItems
from skrank.ranking._ranking import Ranking
from skrank.ranking._several import (
    both_classes,
    columns_by_name,
    rank_classes,
    rank_columns,
    rank_scored,
)
from skrank.ranking._ties import untied
from skrank.report._result import RankingReport


def ranking_report(
    y_true: Labels | Mapping[str, Ranking | RankCounts],
    y_scores: Any = None,
    *,
    t: float | Sequence[float] | None = None,
    k: float | Sequence[float] | None = None,
    pos_label: object = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    ties: str = "expected",
    confidence_level: float = 0.95,
    pvalue: bool | None = None,
    random_state: object = None,
) -> RankingReport:
    """Report on one ranking of a data set, or on several: the table for a paper.

    Average precision with its interval and its test against random selection, what the
    top of the ranking holds, and the comparisons of each two rankings.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking, RankCounts or mapping
        Labels; both targets and non-targets. Or a ranking or its counts, or a mapping
        from names to these, which stand for labels and scores. What was only counted is
        not compared, as it is not known which items two rankings have at the top.
    y_scores : mapping, DataFrame or array of shape (n_samples, n_rankings) or \
            (n_samples,), default=None
        Scores of one ranking or more for the same items, by name: a mapping from names
        to scores, or columns. Columns of an array are called by their number. A Series
        is one ranking and keeps its name; a vector is one that is called "model".
        Higher means a likelier target. Left out with rankings or counts.
    t : int, float or sequence of them, default=None
        Depths of recall, precision and lift: an int counts items, a float in (0, 1] is
        a fraction of the ranking, rounded up. None is 10 items, 1 % and 10 % of the
        ranking, by depth and each once; the 10 items only if the ranking has as many.
    k : int, float or sequence of them, default=None
        Depths of average precision at k, likewise. None is those of `t`.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_scores`, as ``estimator.classes_`` has them of
        ``estimator.predict_proba(X)``. Each class is reported against the rest, by its
        column; classes of no item are left out with a warning. In place of `pos_label`.
    groups : array-like of shape (n_samples,), default=None
        To which ranking each item belongs, such as its query or its day. All numbers
        are then means over these rankings, with intervals by Student's t; groups
        without targets, or with nothing else, count in precision alone. Not with
        `labels`, rankings or counts.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of all metrics.
    confidence_level : float, default=0.95
        Level of the intervals, between 0 and 1.
    pvalue : bool, default=None
        Whether to test each ranking against random selection. None does so where that
        takes no more than some two seconds for each: not for few targets in very long
        rankings, nor where these fall into few ties. Without the test there is no
        p-value, but still a z-score.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of the test against random selection, which draws rankings
        only where no other method is fast enough.

    Returns
    -------
    report : RankingReport
        All numbers; it prints itself as tables, and makes a data frame or a page.

    Raises
    ------
    ValueError
        If the input is not rankings of two classes, or one of the classes is absent;
        if two rankings have the same name or are not of as many items and targets; if a
        depth is invalid or beyond the ranking, or was not counted, as in
        :func:`precision_at_t` with ``ties="threshold"``; if `labels` are not as many
        as columns, or `pos_label` is given with them; if `pvalue` is not True, False or
        None; or if another setting is outside its range.

    See Also
    --------
    RankingReport : What it returns.
    RandomSelectionTest : Where the z-scores and p-values come from.
    MetricInterval : The intervals, of any metric.
    RankingComparison : The comparisons, by any metric and method.

    Notes
    -----
    ============================ ======================================================
    what                         by
    ============================ ======================================================
    AP, AP@K                     :func:`average_precision`,
                                 :func:`average_precision_at_k`
    interval of AP               :class:`MetricInterval`
    zscore                       mean and standard deviation of AP under
                                 :class:`RandomSelectionNull`, with the ties of the
                                 ranking
    pvalue                       :class:`RandomSelectionTest` of AP
    recall, precision, lift      :func:`recall_at_t`, :func:`precision_at_t`,
                                 :func:`enrichment_factor`
    comparisons                  :class:`RankingComparison` by AP, p-values after Holm
    null mean                    :class:`RandomSelectionNull`; told if `ties` is
                                 "expected", when it is the same for all rankings
                                 of the same targets
    ============================ ======================================================

    The rankings of several classes have targets of their own: they are not compared.

    Each ranking takes a few sorts, O(n log n), and each two of them one more; most of
    the time of a long ranking is that of the tests.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import ranking_report
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 40
    >>> a = rng.normal(2.0 * y_true)
    >>> b = 0.6 * a + rng.normal(0.4 * y_true)
    >>> report = ranking_report(y_true, {"A": a, "B": b}, t=(20, 0.1))
    >>> print(report)
    Ranking report
      data set   2000 items, 40 targets (prevalence 0.02)
      ties       expected
    <BLANKLINE>
    Average precision
      ranking        AP     95 % interval  zscore   pvalue
      A          0.3741  0.2374 to 0.5310   55.17  2.6e-23
      B          0.1720  0.0792 to 0.3195   23.37  4.5e-10
      null mean  0.0235
    <BLANKLINE>
    The top of the ranking
      top         ranking      AP@K  recall  precision   lift
      20          A          0.3646  0.2250     0.4500  22.50
                  B          0.1414  0.1250     0.2500  12.50
                  null mean  0.0039  0.0100     0.0200   1.00
      10 % (200)  A          0.3448  0.7500     0.1500   7.50
                  B          0.1458  0.5500     0.1100   5.50
                  null mean  0.0048  0.1000     0.0200   1.00
    <BLANKLINE>
    Differences in average precision
      A  B   A - B     95 % interval  zscore  pvalue  Holm
      A  B  0.2021  0.0338 to 0.3703    2.43    0.02  0.02

    As plain numbers:

    >>> frame = report.to_frame()
    >>> frame[["name", "average_precision", "recall@20", "enrichment_factor@0.1"]]
      name  average_precision  recall@20  enrichment_factor@0.1
    0    A              0.374      0.225                    7.5
    1    B              0.172      0.125                    5.5
    """
    check_option("ties", ties, TIES)
    level = check_fraction("confidence_level", confidence_level)
    if pvalue is not None:
        pvalue = check_flag("pvalue", pvalue)
    if labels is not None:
        if pos_label is not None:
            raise invalid("pos_label", "be None beside `labels`", brief(pos_label))
        if groups is not None:
            raise invalid("groups", "be None beside `labels`", type(groups).__name__)
        single = rank_classes(y_true, y_scores, labels)  # type: ignore[arg-type]
        rankings = {name: [one] for name, one in single.items()}
    else:
        group_labels, rankings = _rankings(y_true, y_scores, pos_label, groups)
    first = next(iter(rankings.values()))
    shapes = [(int(one.n_samples), int(one.n_targets)) for one in first]
    # a metric that needs both classes is asked of these
    kept = [0]
    if groups is not None:
        kept = both_classes([(m, n) for n, m in shapes], grouped=True)

    n_least = min(n for n, _ in shapes)
    beyond = groups is not None
    depths_t = _depths("t", t, n_least, beyond=beyond)
    depths_k = depths_t if k is None else _depths("k", k, n_least, beyond=beyond)
    names = [f"average_precision@{depth}" for depth in depths_k]
    for metric in ("recall", "precision", "enrichment_factor"):
        names += [f"{metric}@{depth}" for depth in depths_t]
    metrics = {name: make_measure(name, ties) for name in names}
    ap = make_measure("average_precision", ties)

    def each(question: Callable[[list[Ranking]], Any]) -> dict[str, Any]:
        return {name: question(parts) for name, parts in rankings.items()}

    def asked(measure: Measure, parts: list[Any]) -> list[Any]:
        is_all = measure.always_defined and groups is not None
        return parts if is_all else [parts[i] for i in kept]

    def value(measure: Measure, parts: list[Ranking]) -> float:
        return float(np.mean([measure.value(one) for one in asked(measure, parts)]))

    null_means = {}
    # else they depend on the targets or the ties of each ranking
    if labels is None and ties == "expected":
        for name, measure in {"average_precision": ap, **metrics}.items():
            counts = Counter(asked(measure, shapes))
            by_chance = [
                times * _chance_of(n, m, measure) for (n, m), times in counts.items()
            ]
            null_means[name] = float(sum(by_chance) / counts.total())
    nulls = each(lambda parts: _null_of([null_of(parts[i], ap) for i in kept]))
    if pvalue is None:
        pvalue = all(null.is_quick for null in nulls.values())
    test = RandomSelectionTest(ties=ties, random_state=random_state)
    interval, tests = MetricInterval(ties=ties), None
    named = () if groups is None else tuple(group_labels[i] for i in kept)
    if pvalue:
        nulls.clear()  # a test makes its own, of 60 MB if the ranking is long
        tests = each(lambda parts: test.test_ranked([parts[i] for i in kept], named))
        nulls = {name: one.null_distribution for name, one in tests.items()}
    comparisons = None
    is_listed = all(
        isinstance(parts[0].items, ListedItems) for parts in rankings.values()
    )
    if len(rankings) > 1 and labels is None and is_listed:
        ranked = each(lambda parts: [parts[i] for i in kept])
        comparisons = RankingComparison(ties=ties).compare_ranked(ranked, named)
    n_targets = sum(m for _, m in shapes)
    return RankingReport(
        average_precision=each(partial(value, ap)),
        null_distributions=nulls,
        tests=tests,
        intervals=each(
            lambda parts: interval.of_ranked(
                [parts[i] for i in kept], named
            ).confidence_interval(level)
        ),
        at_depths=each(
            lambda parts: {at: value(one, parts) for at, one in metrics.items()}
        ),
        null_means=null_means,
        comparisons=comparisons,
        hit_curves={} if named else each(lambda parts: curve_of(parts[0], ties)),
        operating_points={} if named else each(lambda parts: points_of(parts[0])),
        t=depths_t,
        k=depths_k,
        n_samples=sum(n for n, _ in shapes),
        n_targets=n_targets
        if labels is None
        else each(lambda parts: int(parts[0].n_targets)),
        ties=ties,
        confidence_level=level,
        n_rankings=len(shapes),
    )


def _null_of(nulls: list[RandomSelectionNull]) -> RandomSelectionNull | MeanNull:
    """Distribution of one value, or of the mean over several."""
    return nulls[0] if len(nulls) == 1 else MeanNull(nulls)


def _chance_of(n_samples: int, n_targets: int, measure: Measure) -> float:
    """Mean under random selection, without ties, on which it does not depend."""
    ties = replace(untied(n_samples), several=True)
    return RandomSelectionNull.of_ties(ties, n_targets, measure).mean()


def _rankings(
    y_true: Any, y_scores: Any, pos_label: object, groups: ArrayLike | None
) -> tuple[tuple[Any, ...], dict[str, list[Ranking]]]:
    """Labels of the groups, and by name rankings of the same items, one a group."""
    if groups is not None:
        y_true, y_scores = columns_of(y_true, y_scores)
    if y_scores is not None:
        if len(getattr(y_scores, "shape", ())) == 1:
            name = getattr(y_scores, "name", None)
            columns = {"model" if name in (None, "") else name: y_scores}
        else:
            columns = columns_by_name(y_scores, least=1)
        named = {f"y_scores[{name!r}]": column for name, column in columns.items()}
        found, ranked = rank_columns(
            y_true, named, pos_label, groups, always_defined=True
        )
        pairs = zip(columns, ranked.values(), strict=True)
        return found, {str(name): parts for name, parts in pairs}
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


def _depths(
    name: str, depths: Any, n_samples: int, *, beyond: bool
) -> tuple[int | float, ...]:
    """Check one depth or several; each is there once.

    They may be `beyond` the ranking if it is one of several.
    """
    if depths is None:
        # the least first; of several that come to the same items, that in items
        default = (0.1, 0.01, 10) if n_samples >= 10 else (0.1, 0.01)
        items = {check_depth(name, depth, n_samples): depth for depth in default}
        return tuple(items[count] for count in sorted(items))
    given = [depths] if np.ndim(depths) == 0 else list(depths)
    checked = [check_cutoff(name, depth) for depth in given]
    for depth in checked:
        check_depth(name, depth, n_samples, beyond=beyond)
    return tuple({repr(depth): depth for depth in checked}.values())
