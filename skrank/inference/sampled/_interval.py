"""Metrics of a list of which only a sample of the items has labels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from sklearn.exceptions import UndefinedMetricWarning

from skrank._utils._checks import (
    check_count,
    check_flag,
    check_fraction,
    check_random_state,
    invalid,
)
from skrank._utils._columns import as_column, check_index, check_order, is_missing
from skrank._utils._rounding import ROUNDING
from skrank._utils._text import brief, listed
from skrank._utils._warnings import warn
from skrank.inference.base._question import Settings
from skrank.inference.intervals._metric_interval import MetricInterval
from skrank.inference.intervals._metric_interval_result import MetricIntervalResult
from skrank.inference.sampled._draws import Choice, Floats, as_drawn, choices
from skrank.inference.sampled._placements import Placements
from skrank.inference.sampled._result import SampledMetricResult, ranking_of
from skrank.inference.variability._binormal import binormal_values
from skrank.metrics._definitions import (
    AnyMetric,
    AveragePrecision,
    Frame,
    KAtRecall,
    RecallAtT,
    WorkSaved,
    make_metric,
)
from skrank.ranking._response import oriented_scores
from skrank.ranking._sampled import SampledRanking

# Columns without a use here, and what to do instead
_UNUSED = {
    "groups": "ask for each group by itself",
    "clusters": "items must be chosen one by one",
    "folds": "ask for the held-out items of each fold by themselves",
    "sample_weight": "`strata` tells how items were chosen",
}
# Completed lists by which the variation over other lists is estimated; a choice of the
# time, as each takes that of a MetricInterval.
_COMPLETED = 4
# Draws for each of those that are kept as quantiles. The error of a 2.5 % quantile of
# 2,000 draws is .0035 without, and .0012 with it; half of it gives .0017.
_SPREAD = 8
# Most draws for the width of a simulated list: widths differ more from list to list
# than by their draws, and are 1 % wider than with 3,000
_OF_WIDTH = 1000
# Distance of the means at which a normal ranking is nearly perfect
_LARGEST = 12.0


class SampledMetricInterval(Settings):
    """Value and interval of a metric of a list, of which a sample has labels.

    Labels are missing (NaN, None or NA) where nobody looked. The labelled items of each
    stratum must be a random sample of its items, or all of them, and the strata must be
    runs of ranks. The interval covers the metric of this list, as if all its items had
    labels, over other samples; with `population`, the mean over other lists like it.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        Metric by its printed name: "average_precision", "recall@100", "precision@1%",
        "enrichment_factor@1%", "expected_profit@50(benefit=200, cost=5)" or
        "k_at_recall(0.8)" (:ref:`metric_names`), or such an object of
        :func:`make_metric` with the tie rule "expected".
    population : bool, default=False
        Whether the interval is for the mean over other lists of the same size.
    n_resamples : int, default=3000
        Number of draws of the targets that were not found.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of the draws.

    Raises
    ------
    ValueError
        If a setting is outside its range, or the metric is another one.

    See Also
    --------
    labels_to_collect : Which items to label.
    SampledMetricResult : Result, with the number of targets that were not found.
    MetricInterval : Interval of a list whose items all have labels.

    Notes
    -----
    With K targets in a stratum, x of r labelled items are targets with hypergeometric
    probability. Its confidence distributions are beta-binomial. As in [1]_, the limits
    are quantiles of the metric over draws from these, in which one stratum at a time
    has one more target in its sample, and the others have none, or one more item that
    is no target. Strata with fewer than ten labels have one more together. The places
    of these targets among the items without a label are the worst ones of the stratum
    for the lower limit, and the best for the upper one.

    The value is the mean over all places [2]_ with the expected numbers of targets. It
    is too small for long strata at the top of a good ranking, whose targets are not
    anywhere in the stratum; the interval holds nevertheless.

    With one sampled stratum the level is guaranteed. With several it is not proved;
    :ref:`validation_sampled` has the coverage by enumeration. Time and memory are
    proportional to the number of strata, after O(n log r) for n items and r labels.

    References
    ----------
    .. [1] Fay and Feuer (1997), *Statistics in Medicine* 16, 791-801.
    .. [2] Yilmaz, Kanoulas and Aslam (2008), *SIGIR 2008*.

    Examples
    --------
    The first 100 of 2,000 items have labels, and a sample of the others:

    >>> import numpy as np
    >>> from skrank import SampledMetricInterval
    >>> rank = np.arange(2000)
    >>> y = np.isin(rank, [0, 1, 3, 6, 9, 17, 40, 77, 150, 800]).astype(float)
    >>> looked = (rank < 100) | (rank % 10 == 0)
    >>> y[~looked] = np.nan
    >>> question = SampledMetricInterval("recall@100")
    >>> print(question.from_predictions(y, -rank, strata=rank >= 100))
    Interval of recall@100 by labels of a sample
      list           2000 items, 290 with a label, 10 targets found
      value          0.2857, method: one more item
      95 % interval  0.1053 to 0.7273
      not found      1 to 66 targets (95 % interval)
    """

    def __init__(
        self,
        metric: str | AnyMetric = "average_precision",
        *,
        population: bool = False,
        n_resamples: int = 3000,
        random_state: object = 0,
    ) -> None:
        self.metric, made = metric, make_metric(metric)
        known = type(made) in (AveragePrecision, KAtRecall, WorkSaved)
        if not (known or isinstance(made, RecallAtT)) or made.ties != "expected":
            rule = (
                "be average_precision, recall@t, precision@t, enrichment_factor@t, "
                "expected_profit@t, k_at_recall or wss, with the tie rule 'expected'"
            )
            raise invalid("metric", rule, repr(made.name))
        self.population = check_flag("population", population)
        self.n_resamples = check_count("n_resamples", n_resamples, least=100)
        self.random_state = check_random_state(random_state)

    def from_predictions(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        strata: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_better: bool = False,
        groups: None = None,
        clusters: None = None,
        folds: None = None,
        sample_weight: None = None,
    ) -> SampledMetricResult:
        """Answer for labels, of which some are missing, and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items; NaN, None or NA where nobody looked.
        y_score : array-like of shape (n_samples,)
            Scores of all items; a higher score means a likelier target.
        strata : array-like of shape (n_samples,), default=None
            Stratum of each item, such as that of :func:`labels_to_collect`. The labels
            of each stratum are those of a random sample of its items, or of all of
            them. No item of a stratum has a better score than one of the next better
            stratum. None means that the labels are those of the top of the list.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        lower_is_better : bool, default=False
            Whether lower scores mean likelier targets, such as docking energies.
        groups, clusters, folds, sample_weight : None
            Not used here; an error says what to do instead.

        Returns
        -------
        result : SampledMetricResult
            The answer. The value is NaN, with a warning, if no labelled item is a
            target, except for precision and profit.

        Raises
        ------
        ValueError
            If a column is not valid, if strata are not runs of ranks, or if the metric
            depends on a stratum without a label; the message has the bounds of the
            metric if only the top has labels.

        Warns
        -----
        UserWarning
            If the labelled items of a stratum are obviously no random sample of it, by
            their ranks or because all are targets; a random sample has this warning
            with a probability of at most 1e-6.
        """
        # shared: pos_label lower_is_better_of_one
        given = {"groups": groups, "clusters": clusters, "folds": folds}
        for name, values in {**given, "sample_weight": sample_weight}.items():
            if values is not None:
                rule = f"be left out for labels of a sample: {_UNUSED[name]}"
                raise invalid(name, rule, brief(values))
        return self._answer(
            SampledRanking.from_chunks(
                [(y_true, y_score, strata)],
                pos_label=pos_label,
                lower_is_better=lower_is_better,
            )
        )

    def from_estimator(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        strata: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> SampledMetricResult:
        """Answer for the ranking of a fitted estimator.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. For the method
            that gives the scores see :ref:`scores_of_estimators`.
        X : array-like of shape (n_samples, n_features)
            All items to rank, other than those on which the estimator was fitted.
        y : array-like of shape (n_samples,)
            Their labels; NaN, None or NA where nobody looked.
        strata : array-like of shape (n_samples,), default=None
            Stratum of each item, as in `from_predictions`.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector. Other estimators are not affected.

        Returns
        -------
        result : SampledMetricResult
            The answer.

        Raises
        ------
        ValueError
            As in `from_predictions`; also if the estimator only gives labels, or if it
            is an outlier detector and `detector_targets` is None.
        """
        # shared: pos_label detector_targets
        check_order(X, y)
        check_index("strata", strata, y)
        labels = as_column("y", y)
        known = ~is_missing(labels)
        if not known.any():
            raise invalid("y", "have a label for some item", "none")
        found = labels[known].tolist()
        points, scores = oriented_scores(
            estimator, X, found, pos_label, detector_targets
        )
        marks = np.full(labels.size, np.nan)
        marks[known] = points.marks(found, pos_label)
        return self.from_predictions(marks, scores, strata=strata)

    def from_chunks(
        self,
        chunks: Any,
        *,
        pos_label: object = None,
        lower_is_better: bool = False,
    ) -> SampledMetricResult:
        """Answer for a list in chunks, which may be larger than memory.

        Parameters
        ----------
        chunks : iterable of (y_true, y_score, strata), or callable that returns one
            Columns of the chunks, such as a list, without strata if the labels are
            those of the top. They are read twice, and a callable is called twice.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        lower_is_better : bool, default=False
            Whether lower scores mean likelier targets, such as docking energies.

        Returns
        -------
        result : SampledMetricResult
            The answer, the same as for the whole list in memory.

        Raises
        ------
        ValueError
            As in `from_predictions`; also if `chunks` can be read only once, or have
            scores of several types.
        """
        # shared: pos_label lower_is_better_of_one
        return self._answer(
            SampledRanking.from_chunks(
                chunks, pos_label=pos_label, lower_is_better=lower_is_better
            )
        )

    def from_result(self, result: SampledMetricResult) -> SampledMetricResult:
        """Answer for the data of a result, of this or of another metric.

        Parameters
        ----------
        result : SampledMetricResult
            Result, whose counts are used again.

        Returns
        -------
        result : SampledMetricResult
            The answer.

        Raises
        ------
        ValueError
            As in `from_predictions`, or if `result` is anything else.
        """
        if not isinstance(result, SampledMetricResult):
            rule = "be the SampledMetricResult of these data for some metric"
            raise invalid("result", rule, brief(result))
        return self._answer(ranking_of(result))

    def expected_width(
        self,
        plan: Any,
        *,
        average_precision: float,
        prevalence: float,
        confidence_level: float = 0.95,
        n_lists: int = 20,
    ) -> float:
        """Return the width of the interval to expect from a plan, before anybody looks.

        Parameters
        ----------
        plan : pandas.DataFrame
            Result of :func:`labels_to_collect`.
        average_precision, prevalence : float
            Guess of the average precision and of the share of targets in the list. The
            former must be above the latter.
        confidence_level : float, default=0.95
            Level of the interval, between 0 and 1.
        n_lists : int, default=20
            Number of simulated lists. Their scores are normal in both classes.

        Returns
        -------
        width : float
            Median width over the lists, on the scale of the metric.

        Raises
        ------
        ValueError
            If a number is outside its range, or no such list has the guessed values.
        """
        check_fraction("confidence_level", confidence_level)
        if not {"stratum", "to_label"} <= {*getattr(plan, "columns", ())}:
            raise invalid("plan", "be a result of labels_to_collect", brief(plan))
        strata, chosen = (np.asarray(plan[one]) for one in ("stratum", "to_label"))
        sizes, counts = np.bincount(strata), np.bincount(strata[chosen])
        n = strata.size
        m = max(1, round(check_fraction("prevalence", prevalence) * n))
        frame = Frame(n, m, n)

        def lack(shift: float) -> float:
            value = binormal_values(AveragePrecision(), frame, np.array([shift]), 1.0)
            return float(value[0]) - average_precision

        if not lack(0.0) < 0 < lack(_LARGEST):
            rule = f"be above the prevalence, {prevalence:.3g}, and below 1"
            raise invalid("average_precision", rule, brief(average_precision))
        fewer = {"n_resamples": min(self.n_resamples, _OF_WIDTH)}
        quick = type(self)(**{**self.get_params(), **fewer})
        shift, rng, widths = brentq(lack, 0.0, _LARGEST), self._generator(), []
        stratum, place = np.repeat(np.arange(sizes.size), sizes), np.arange(n)
        within = place - np.repeat(np.cumsum(sizes) - sizes, sizes)
        is_left = within >= counts[stratum]
        for _ in range(check_count("n_lists", n_lists, least=1)):
            scores = rng.standard_normal(n)
            scores[:m] += shift
            y = np.where(np.argsort(-scores) < m, 1.0, 0.0)
            # a sample of each stratum: the items with the smallest of random numbers
            order = np.lexsort((rng.random(n), stratum))
            y[order[is_left]] = np.nan
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                result = quick.from_predictions(y, -place, strata=stratum)
            low, high = result.confidence_interval(confidence_level)
            widths.append(high - low)
        return float(np.median(widths))

    def _answer(self, ranking: SampledRanking) -> SampledMetricResult:
        placements, metric = Placements(ranking), make_metric(self.metric)
        _check_known(metric, placements, population=self.population)
        expected = placements.expected[None]
        value = float(metric_values(metric, placements, expected, "mean")[0])
        if math.isnan(value):
            warn(f"{metric.name} is undefined: no item with a label is a target.")
        drawn = self._drawn(ranking)
        return SampledMetricResult(
            metric=metric.name,
            method="one more item",
            n_samples=ranking.n_samples,
            n_labelled=int(ranking.n_labelled.sum()),
            n_targets=int(ranking.n_found.sum()),
            value=value,
            n_remaining=(
                math.nan if placements.is_unknown.any() else float(expected.sum())
            ),
            _ranking=ranking,
            _drawn=drawn,
            _values=_ends(metric, placements, [*choices(ranking)], drawn),
            _population=(
                self._intervals_of_completed(ranking, drawn)
                if self.population and not math.isnan(value)
                else ()
            ),
        )

    def _drawn(self, ranking: SampledRanking) -> Floats:
        """Draw the targets without a label, (3, n_resamples, n_strata).

        The total of the targets of a stratum has its lower and its upper confidence
        distribution, x + BetaBinomial(n - r; x, r - x + 1) and x + BetaBinomial(n - r;
        x + 1, r - x): one more item was labelled, which is no target, or a target.
        Before them are draws from BetaBinomial(n - r; x, r - x), whose mean is that
        which the sample has.
        """
        rng, r = self._generator(), ranking
        samples = zip(r.n_items - r.n_labelled, r.n_labelled, r.n_found, strict=True)
        columns = [_of_stratum(rng, *one, self.n_resamples) for one in samples]
        return np.moveaxis(np.array(columns), 0, 2)

    def _intervals_of_completed(
        self, ranking: SampledRanking, drawn: Floats
    ) -> tuple[MetricIntervalResult, ...]:
        """Return intervals of lists in which targets were put on free places."""
        question = MetricInterval(self.metric, n_resamples=999)
        rng, chosen = self._generator(), [one.of(drawn) for one in choices(ranking)]
        # by the strata with few labels, and then by the one that is exchanged
        order = sorted(
            (i // 2, number, i % 2)
            for i, one in enumerate(chosen)
            for number in range(one.at.size)
        )
        left = np.array([chosen[2 * i + j].sums[:, k] for i, k, j in order])
        targets = left + ranking.n_found.sum()
        rows = np.argwhere((targets > 0) & (targets < ranking.n_samples))
        some = []
        for at, draw in rows[:: max(1, len(rows) // _COMPLETED)][:_COMPLETED]:
            i, k, j = order[at]
            one = chosen[2 * i + j]
            extra = one.usual[draw].copy()
            extra[one.at[k]] = one.other[draw, k]
            some.append(extra)
        lists = [_complete_list(ranking, extra.astype(int), rng) for extra in some]
        return tuple(question.from_predictions(*one) for one in lists)


def _of_stratum(
    rng: np.random.Generator, room: int, r: int, x: int, size: int
) -> list[Floats]:
    """Return draws of the targets in one stratum without a label, of three kinds.

    They are quantiles of more draws, in random order, so that the limits of a single
    stratum have a small error.
    """
    many = size * _SPREAD
    found = rng.standard_gamma(max(x, 1), many) * (x > 0)
    others = rng.standard_gamma(max(r - x, 1), many) * (r > x)
    one = rng.standard_exponential(many)
    total = found + others
    shares = (
        found / np.where(total > 0, total, 1),
        found / (total + one),
        (found + one) / (total + one),
    )
    return [
        rng.permutation(
            np.sort(rng.binomial(room, share))[_SPREAD // 2 :: _SPREAD]
        ).astype(float)
        for share in shares
    ]


def _complete_list(
    ranking: SampledRanking, extra: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return labels and scores of a list with targets at random places; O(n)."""
    r, n = ranking, ranking.n_samples
    ends, length = np.append(0, np.cumsum(r.n_items)), r.lengths
    # the items with a label come first in each block, whose items are tied
    place = np.arange(n) - np.repeat(np.cumsum(length) - length, length)
    marks = place < np.repeat(r.hits, length)
    is_free = place >= np.repeat(length - r.unlabelled, length)
    for start, end, count in zip(ends, ends[1:], extra, strict=False):
        free = start + np.flatnonzero(is_free[start:end])
        marks[rng.choice(free, count, replace=False)] = True
    in_tie = np.repeat(r.in_tie, length)
    return marks, -np.where(in_tie, np.repeat(r.above, length), np.arange(n))


def _ends(
    metric: Any, placements: Placements, chosen: Sequence[Choice], drawn: Floats
) -> tuple[tuple[Floats, Floats], ...]:
    """Return the smallest and the largest values that the places of targets allow."""
    last, first = (
        _values(metric, placements, chosen, drawn, side) for side in ("last", "first")
    )
    ends = (last, first) if metric.greater_is_better else (first, last)
    return tuple(zip(*ends, strict=True))


def metric_values(
    metric: Any, placements: Placements, extra: Floats, side: str
) -> Floats:
    """Return the metric for the targets of the strata, (n_draws, n_strata)."""
    choice, drawn = as_drawn(extra)
    (values,) = _values(metric, placements, [choice], drawn, side)
    return values[:, 0]


def _values(
    metric: Any,
    placements: Placements,
    chosen: Sequence[Choice],
    drawn: Floats,
    side: str,
) -> Iterator[Floats]:
    """Yield the metric of each choice, with targets at places of one side.

    Without any target it is NaN, or the value of the worst or of the best ranking of
    one target.
    """
    n, found = placements.ranking.n_samples, placements.ranking.n_found.sum()
    if isinstance(metric, AveragePrecision):
        of_strata = [placements.sums_of_strata(one, side) for one in drawn]
        inner, outer = map(np.stack, zip(*of_strata, strict=True))
    for choice in chosen:
        extra = choice.of(drawn)
        m = found + extra.sums
        lone = (m == 0) & (not metric.always_defined)
        m, more = m + lone, lone * (side == "first")
        if isinstance(metric, AveragePrecision):
            total = placements.precisions(choice, drawn, (inner, outer), side)
            values = (total + more) / m
        elif isinstance(metric, KAtRecall):
            needed = np.ceil(metric.recall * m * (1 - ROUNDING))
            ranks = placements.rank_of(extra, np.minimum(needed, m) * ~lone, side)
            ranks = np.where(lone, 1 if side == "first" else n, ranks)
            values = metric.of_rank(ranks, needed, n)
        else:
            cut = _depth_of(metric, placements)
            hits = placements.hits(extra, cut, side) + more
            frame = Frame(n, m, cut)
            values = hits / metric.divisor(frame) + metric.offset(frame)
        yield np.where(lone & (side == "mean"), np.nan, values)


def _depth_of(metric: Any, placements: Placements) -> Any:
    """Return the cutoff of a metric as a number of items."""
    n = placements.ranking.n_samples
    return metric.cut(SimpleNamespace(n_scored=n, whole=True, several=False), 0)


def _check_known(metric: Any, placements: Placements, *, population: bool) -> None:
    """Refuse a metric that depends on a stratum in which nobody looked."""
    ranking, rooms = placements.ranking, placements.rooms
    unknown = np.flatnonzero(placements.is_unknown)
    if not unknown.size:
        return
    names = listed([brief(ranking.strata[h]) for h in unknown], 5)
    if population:
        rule = "be False if no item of a stratum has a label"
        raise invalid("population", rule, f"True, and no label in {names}")
    above = int(ranking.n_items[: unknown[0]].sum())
    if metric.always_defined and (
        placements.depends_down_to(_depth_of(metric, placements)) <= above
    ):
        return  # precision and profit depend on the hits above the cutoff only
    between = ""
    if ranking.sampled.tolist() == unknown.tolist() and unknown.size == 1:
        # all numbers of targets in a short rest, and a grid of them in a long one, as
        # the bounds are smooth
        extra = np.unique(np.rint(np.geomspace(1, rooms[unknown] + 1, 2**14))) - 1
        is_rest = np.arange(rooms.size) == unknown
        choice, drawn = as_drawn(extra[:, None] * is_rest)
        ((low, high),) = _ends(metric, placements, [choice], drawn)
        least, most = float(low.min()), float(high.max())
        if most - least <= ROUNDING * max(abs(most), 1):
            return
        between = f", which is between {least:.3g} and {most:.3g}"
    advice = "Label a random sample of the rest; see labels_to_collect."
    if ranking.is_given:
        rule = f"have an item with a label in each for {metric.name}{between}"
        advice += " Precision and profit need no label below their cutoff."
        raise invalid("strata", rule, f"none in {names}", advice)
    depth = ranking.above[placements.first[1]]  # of the top without its last tie
    example = f", such as precision@{depth}," if depth else ""
    rule = (
        f"be one of the labelled items{example} because the rest of the list has no "
        "labels"
    )
    raise invalid("metric", rule, f"{metric.name}{between}", advice)
