"""All that is to be said of some rankings of one data set, in one call.

What comes in is labels and scores by name; what goes out is a frozen report. Every
number is that of a public function or class; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._utils._checks import (
    TIES,
    check_cutoff,
    check_depth,
    check_fraction,
    check_option,
)
from skrank.curves import curve_of, points_of
from skrank.inference._metric_variability import MetricVariability
from skrank.inference._paired._input import check_columns, pairs_of
from skrank.inference._paired._pair import rank_one
from skrank.inference._random_selection import RandomSelectionTest, null_of
from skrank.inference._ranking_comparison import RankingComparison
from skrank.metrics._definitions import (
    AveragePrecision,
    EnrichmentFactor,
    Measure,
    PrecisionAtT,
    RecallAtT,
    average_precision_at,
)
from skrank.null import RandomSelectionNull
from skrank.ranking._ranking import Ranking
from skrank.ranking._several import (
    columns_by_name,
    split,
)
from skrank.report._result import RankingReport

# A metric by its name and cut, as the functions and classes take them.

_DEPTHS: tuple[int | float, ...] = (10, 0.01, 0.1)


def ranking_report(
    y_true: ArrayLike,
    y_scores: Any,
    *,
    t: float | Sequence[float] | None = None,
    k: float | Sequence[float] | None = None,
    pos_label: object = None,
    ties: str = "expected",
    confidence_level: float = 0.95,
    pvalue: bool | None = None,
    random_state: object = None,
) -> RankingReport:
    """Report on one ranking of a ranking, or on several: the table for a paper.

    Average precision with its interval and its test against random selection, what the
    top of the ranking holds, and the comparisons of each two rankings.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; both targets and non-targets.
    y_scores : mapping, DataFrame or array of shape (n_samples, n_rankings) or \
            (n_samples,)
        Scores of one ranking or more for the same items, by name: a mapping from names
        to scores, or columns. Columns of an array are called by their number. A Series
        is one ranking and keeps its name; a vector is one that is called "model".
        Higher means a likelier target.
    t : int, float or sequence of them, default=None
        Depths of recall, precision and lift: an int counts items, a float in (0, 1] is
        a fraction of the ranking, rounded up. None is 10 items, 1 % and 10 % of the
        ranking, by depth and each once; the 10 items only if the ranking has as many.
    k : int, float or sequence of them, default=None
        Depths of average precision at k, likewise. None is those of `t`.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of all metrics.
    confidence_level : float, default=0.95
        Level of the intervals, between 0 and 1.
    pvalue : bool, default=None
        Whether to test each ranking against random selection. None does so where that
        takes no more than some two seconds for each: not for few targets in very long
        lists, nor in few ties of such. Without it there is no p; z is there all the
        same.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of the test against random selection, which draws lists
        only where no other method is fast enough.

    Returns
    -------
    report : RankingReport
        All numbers; it prints itself as tables, and makes a data frame or a page.

    Raises
    ------
    ValueError
        If the input is not rankings of two classes, or one of the classes is absent;
        if two rankings have the same name; if a depth is invalid or beyond the ranking;
        or if another setting is outside its range.

    See Also
    --------
    RankingReport : What it returns.
    RandomSelectionTest : Where z and p come from.
    MetricVariability : The intervals, of any metric.
    RankingComparison : The comparisons, by any metric and method.

    Notes
    -----
    ============================ ======================================================
    what                         by
    ============================ ======================================================
    AP, AP@K                     :func:`average_precision`,
                                 :func:`average_precision_at_k`
    interval of AP               :class:`MetricVariability`
    z                            mean and standard deviation of AP under
                                 :class:`RandomSelectionNull`, with its ties
    p                            :class:`RandomSelectionTest` of AP
    recall, precision, lift      :func:`recall_at_t`, :func:`precision_at_t`,
                                 :func:`enrichment_factor`
    comparisons                  :class:`RankingComparison` by AP, p-values after Holm
    null mean                    :class:`RandomSelectionNull`; told if `ties` is
                                 "expected", when it is the same for all rankings
    ============================ ======================================================

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
    columns = _columns(y_scores)
    named = {f"y_scores[{name!r}]": column for name, column in columns.items()}
    is_target, checked = check_columns(y_true, named, pos_label)
    n_samples, n_targets = is_target.size, int(is_target.sum())
    parts = split(is_target, None)
    depths_t = _depths("t", t, n_samples)
    depths_k = depths_t if k is None else _depths("k", k, n_samples)
    scores = dict(zip(map(str, columns), checked, strict=True))
    ranked = {name: rank_one(is_target, score) for name, score in scores.items()}
    rankings = {name: ranking for name, (_, ranking) in ranked.items()}
    metrics = _at_depths(depths_t, depths_k, ties)
    variability = MetricVariability(ties=ties)
    comparison = RankingComparison(ties=ties)
    nulls = _of_each(rankings, partial(null_of, measure=AveragePrecision(ties)))
    if pvalue is None:
        pvalue = all(null._is_quick for null in nulls.values())
    test = RandomSelectionTest(ties=ties, random_state=random_state)
    return RankingReport(
        average_precision=_of_each(rankings, AveragePrecision(ties).value),
        null_distributions=nulls,
        tests=_of_each(rankings, test.from_predictions) if pvalue else None,
        intervals={
            name: variability.from_predictions(ranking).confidence_interval(level)
            for name, ranking in rankings.items()
        },
        at_depths=_of_each(rankings, partial(_values, metrics)),
        null_means=_null_means(metrics, ties, n_samples, n_targets),
        comparisons=None
        if len(ranked) == 1
        else comparison._compare_ranked(
            parts,
            {name: [one] for name, one in ranked.items()},
            pairs_of(tuple(ranked), None),
        ),
        hit_curves=_of_each(rankings, partial(curve_of, ties=ties)),
        operating_points=_of_each(rankings, points_of),
        t=depths_t,
        k=depths_k,
        n_samples=n_samples,
        n_targets=n_targets,
        ties=ties,
        confidence_level=level,
    )


def _of_each(rankings: Mapping[str, Any], ask: Callable[[Any], Any]) -> dict[str, Any]:
    """Ask the same of each ranking."""
    return {name: ask(one) for name, one in rankings.items()}


def _columns(y_scores: Any) -> dict[Any, Any]:
    """Scores by name; a vector is one ranking."""
    if len(getattr(y_scores, "shape", ())) != 1:
        return columns_by_name(y_scores, least=1)
    name = getattr(y_scores, "name", None)
    return {"model" if name in (None, "") else name: y_scores}


def _depths(name: str, depths: Any, n_samples: int) -> tuple[int | float, ...]:
    """Check one depth or several; each is there once."""
    if depths is None:
        return _default_depths(n_samples)
    given = [depths] if np.ndim(depths) == 0 else list(depths)
    checked = [check_cutoff(name, depth) for depth in given]
    for depth in checked:
        check_depth(name, depth, n_samples)
    return tuple({repr(depth): depth for depth in checked}.values())


def _default_depths(n_samples: int) -> tuple[int | float, ...]:
    """Depths that the ranking has, the least first; of equal ones that in items."""
    items = {
        check_depth("t", depth, n_samples): depth
        for depth in reversed(_DEPTHS)
        if isinstance(depth, float) or depth <= n_samples
    }
    return tuple(items[count] for count in sorted(items))


def _at_depths(
    t: tuple[float, ...], k: tuple[float, ...], ties: str
) -> dict[str, Measure]:
    """Metrics at all depths, by their printed names."""
    measures = [
        *(average_precision_at(depth, ties=ties) for depth in k),
        *(
            measure(ties, t=depth)
            for measure in (RecallAtT, PrecisionAtT, EnrichmentFactor)
            for depth in t
        ),
    ]
    return {measure.name: measure for measure in measures}


def _values(metrics: dict[str, Measure], ranking: Ranking) -> dict[str, float]:
    """Values of the metrics of one ranking."""
    return {name: float(measure.value(ranking)) for name, measure in metrics.items()}


def _null_means(
    metrics: dict[str, Measure], ties: str, n_samples: int, n_targets: int
) -> dict[str, float]:
    """Mean of each metric over all orders of the ranking, whatever its ties.

    Under rules other than "expected" it depends on the ties of each ranking.
    """
    if ties != "expected":
        return {}
    named = ["average_precision", *metrics]
    return {
        name: float(RandomSelectionNull(n_samples, n_targets, name).mean())
        for name in named
    }
