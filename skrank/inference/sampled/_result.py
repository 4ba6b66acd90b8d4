"""Result of `SampledMetricInterval`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit
from scipy.stats import rankdata

from skrank._utils._checks import check_count, check_flag, check_fraction, invalid
from skrank._utils._numbers import interval, number
from skrank._utils._signature import signature_of
from skrank._utils._warnings import warn
from skrank.curves._band import CurveBand
from skrank.curves._depths import chosen_counts, spread_counts
from skrank.curves._hit_curve import HitCurve
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.base._result import Result
from skrank.inference.intervals._metric_interval_result import MetricIntervalResult
from skrank.inference.sampled._placements import Floats, Placements
from skrank.inference.sampled._remaining import (
    remaining_evidence,
    remaining_limits,
    remaining_pvalue,
)
from skrank.metrics._definitions import make_metric
from skrank.ranking._sampled import SampledRanking

# Labels below which all strata have one more item together. The smallest coverage over
# all numbers of targets of two strata with five labels each is then .96; with half of
# it, strata with 4 to 8 labels have .89.
FEW = 10
# Draws, of those with the most extreme values, at which the bound of a metric may
# begin: all of them with 3,000 draws at a level of 95 %
_CORNERS = 64


@signature_of(
    *("metric", "method", "n_samples", "n_targets", "value"),
    *("n_labelled", "n_remaining"),
)
@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class SampledMetricResult(Result):
    """Result of :class:`SampledMetricInterval`.

    Attributes
    ----------
    value : float
        Value expected of the list, if each stratum has the share of targets of its
        labelled items, at random places; NaN without a target, except for precision and
        profit. Long strata at the top of a good ranking make it too small.
    metric, method : str
        Name of the metric, and of the method of the interval.
    n_samples : int
        Number of items in the list.
    n_labelled : int
        Number of items with a label.
    n_targets : int
        Number of targets that were found.
    n_remaining : float
        Number of targets that are expected among the items without a label; NaN if a
        stratum has no label.

    See Also
    --------
    SampledMetricInterval : Creates this object.

    Examples
    --------
    The first 500 of 10,000 documents were read, and then 600 of the others at random:

    >>> import numpy as np
    >>> from skrank import SampledMetricInterval
    >>> rank = np.arange(10_000)
    >>> y = np.where(rank < 500, rank % 5 == 0, rank == 7000).astype(float)
    >>> y[np.random.default_rng(0).permutation(np.arange(500, 10_000))[600:]] = np.nan
    >>> question = SampledMetricInterval("recall@500")
    >>> result = question.from_predictions(y, -rank, strata=rank >= 500)
    >>> result.remaining()
    ConfidenceInterval(low=0, high=56)
    >>> print(f"{result.remaining_pvalue(at_most=60):.3f}")
    0.018
    """

    title: ClassVar[str] = "Interval of {0.metric} by labels of a sample"
    _of_rankings: ClassVar[bool] = False

    value: float
    n_labelled: int
    n_remaining: float
    _ranking: SampledRanking
    # draws of the targets that were not found, for `draws_with_one_more_label`; and for
    # each of its arrays the smallest and the largest value of the metric that the
    # places of these targets allow
    _drawn: tuple[Floats, ...]
    _values: tuple[tuple[Floats, Floats], ...]
    _population: tuple[MetricIntervalResult, ...] = ()

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the interval for the metric of the list, or for its mean over others.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the interval contains the value, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Lower and upper limit. They are equal if all items that matter have labels.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        level = check_fraction("confidence_level", confidence_level)
        metric, base = make_metric(self.metric), Placements(self._ranking).expected
        limits_of = (
            _limits if metric.always_defined else partial(_limits_of_any, base=base)
        )
        limits = [
            limits_of(extra, *pair, level)
            for extra, pair in zip(self._draws(), self._values, strict=True)
        ]
        low = float(np.nanmin([self.value, *(one for one, _ in limits)]))
        high = float(np.nanmax([self.value, *(one for _, one in limits)]))
        if not self._population or math.isnan(self.value):
            return ConfidenceInterval(low, high)
        # other lists vary as the completed ones: errors add up in squares on the scale
        # of the logit, or of the logarithm without an upper bound; profits have neither
        bounds = metric.bounds
        scale, back = _scale_of(*bounds)
        others = np.array([one.confidence_interval(level) for one in self._population])
        values = np.array([one.value for one in self._population])
        at, least, most = scale(np.array([self.value, low, high]))
        below = np.mean(scale(values) - scale(others[:, 0]))
        above = np.mean(scale(others[:, 1]) - scale(values))
        low = min(low, float(back(at - math.hypot(at - least, below))))
        high = max(high, float(back(at + math.hypot(most - at, above))))
        # ranks and ratios of shares are at most the number of items
        return ConfidenceInterval(low, high if bounds[0] else min(high, self.n_samples))

    def remaining(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the number of targets that were not found.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the limits contain the number, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Whole numbers. If one stratum was sampled, each limit is that of an exact
            test, and fails with a probability of at most half of the rest. With several
            strata they are those of the interval of the metric.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        level = check_fraction("confidence_level", confidence_level)
        if self._ranking.sampled.size == 1:
            return ConfidenceInterval(*remaining_limits(*self._one_sample(), level))
        left = ((one, one.sum(axis=1)) for one in self._draws())
        limits = [_limits(one, total, total, level) for one, total in left]
        low, high = zip(*limits, strict=True)
        return ConfidenceInterval(int(min(low)), int(max(high)))

    def recall_so_far(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the share of the targets that were found.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the limits contain the share, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            ``found / (found + left)`` for the limits of `remaining`; 1 if none was
            found and none is left.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        found, left = self.n_targets, self.remaining(confidence_level)
        shares = [found / (found + one) if found + one else 1.0 for one in left]
        return ConfidenceInterval(*reversed(shares))

    def remaining_pvalue(self, at_most: int, *, sequential: bool = False) -> float:
        """Return the p-value of the hypothesis that more than `at_most` are left.

        Parameters
        ----------
        at_most : int
            Number of targets that may be left among the items without a label. A recall
            of at least c is at most ``floor(found / c) - found``.
        sequential : bool, default=False
            Whether the p-value holds if one labels more items of the stratum, in random
            order, until it is small enough. At a level of 5 % it then stops too early
            in at most 5 % of the lists. A p-value for one look stops too early in many
            more.

        Returns
        -------
        pvalue : float
            Between 0 and 1; a small one says that at most so many are left. With
            several sampled strata it has an error of the simulation.

        Raises
        ------
        ValueError
            If `at_most` is not a whole number of at least 0, or if `sequential` is True
            and several strata were sampled.

        Notes
        -----
        With one sampled stratum the p-value is hypergeometric, as in elusion tests. The
        sequential one is the inverse of a martingale [1]_.

        References
        ----------
        .. [1] Waudby-Smith and Ramdas (2020), "Confidence sequences for sampling
           without replacement", *NeurIPS 33*.
        """
        at_most = check_count("at_most", at_most, least=0)
        n_sampled = self._ranking.sampled.size
        if check_flag("sequential", sequential) and n_sampled > 1:
            rule = "be False if several strata have items without a label"
            raise invalid("sequential", rule, f"True for {n_sampled}")
        if n_sampled == 0:
            return 0.0
        if n_sampled > 1:
            left = np.array([one.sum(axis=1) for one in self._draws()])
            return float((left > at_most).mean(axis=1).max())
        if sequential:
            evidence = remaining_evidence(*self._one_sample(), at_most)
            return min(1.0, math.exp(-evidence))
        return remaining_pvalue(*self._one_sample(), at_most)

    def hit_curve(self) -> HitCurve:
        """Return the hit curve that is expected of the list.

        Returns
        -------
        curve : HitCurve
            Targets expected among the top t. Its number of targets is that which is
            expected of the list.

        Raises
        ------
        ValueError
            If a stratum has no label; the band has limits then.
        """
        placements, r = Placements(self._ranking), self._ranking
        if placements.is_unknown.any():
            rule = "have a label in each stratum for the hit curve"
            advice = "`hit_curve_band` gives its limits."
            raise invalid("y_true", rule, "a stratum without", advice)
        depths = np.append(np.unique(r.above), r.n_samples)
        hits = placements.hits(placements.expected[None], depths, "mean")[0]
        return HitCurve(depths, hits, r.n_samples, float(hits[-1]), 1.0, depths[1:])

    def hit_curve_band(
        self,
        t: ArrayLike | None = None,
        *,
        confidence_level: float = 0.95,
        simultaneous: bool = True,
    ) -> CurveBand:
        """Return a confidence band of the hit curve of the list.

        Parameters
        ----------
        t : array-like of shape (n_depths,), default=None
            Depths, as numbers of items or as fractions. None takes about 250.
        confidence_level : float, default=0.95
            Probability that the band contains the hits, between 0 and 1.
        simultaneous : bool, default=True
            Whether it is the probability for all depths at once.

        Returns
        -------
        band : CurveBand
            Limits of the number of targets among the top t; equal where all items down
            to t have labels.

        Raises
        ------
        ValueError
            If a depth is outside the list, or `confidence_level` is not between 0 and
            1.
        """
        level = check_fraction("confidence_level", confidence_level)
        check_flag("simultaneous", simultaneous)
        n, placements = self._ranking.n_samples, Placements(self._ranking)
        usual = np.unique(np.append(spread_counts(n)[::2], n))
        depths = usual if t is None else chosen_counts("t", t, n)
        hits = placements.hits(placements.expected[None], depths, "mean")[0]
        limits = [(hits, hits)]
        for extra in self._draws():
            least, most = (
                placements.hits(extra, depths, side) for side in ("last", "first")
            )
            limits.append(_limits(extra, least, most, level, together=simultaneous))
        low, high = zip(*limits, strict=True)
        return CurveBand(depths, np.min(low, axis=0), np.max(high, axis=0), level)

    def conclusion(self) -> str:
        """Return what the labels say of the list, in sentences.

        Returns
        -------
        text : str
            The interval of the metric, and the limits of the targets that were not
            found.
        """
        value, left = self.confidence_interval(), self.remaining()
        population = " and of others like it" if self._population else ""
        return (
            f"The {self.metric} of this list{population} is between {value.low:.3g} "
            f"and {value.high:.3g} (95 % interval). {self.n_targets} targets were "
            f"found by {self.n_labelled} labels of {self.n_samples} items; between "
            f"{left.low} and {left.high} were not found (95 % interval)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields that are a number or a text; the limits of the 95 % interval as
            "low" and "high"; and those of the targets that were not found as
            "remaining_low" and "remaining_high".
        """
        left = self.remaining()
        return {
            **Result.to_dict(self),
            **self.confidence_interval()._asdict(),
            "remaining_low": left.low,
            "remaining_high": left.high,
        }

    def to_frame(self) -> Any:
        """Return the strata as a data frame of pandas.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each stratum, best first: its label, the "first" and the "last"
            rank, the numbers of "items", of those "labelled" and of "targets" that were
            found, and the number that is expected to be "remaining".

        Raises
        ------
        ImportError
            If pandas is not installed; see also `to_dict`.
        """
        return Result.to_frame(self)

    def _rows(self) -> list[tuple[str, str]]:
        value, left = self.confidence_interval(), self.remaining()
        found = f"{self.n_labelled} with a label, {self.n_targets} targets found"
        return [
            ("list", f"{self.n_samples} items, {found}"),
            ("value", f"{number(self.value)}, method: {self.method}"),
            ("95 % interval", interval(*value)),
            ("not found", f"{left.low} to {left.high} targets (95 % interval)"),
        ]

    def _columns(self) -> dict[str, Any]:
        r, placements = self._ranking, Placements(self._ranking)
        last = np.cumsum(r.n_items)
        return {
            "stratum": list(r.strata),
            "first": last - r.n_items + 1,
            "last": last,
            "items": r.n_items,
            "labelled": r.n_labelled,
            "targets": r.n_found,
            "remaining": np.where(placements.is_unknown, np.nan, placements.expected),
        }

    def _draws(self) -> Iterator[Floats]:
        return draws_with_one_more_label(self._ranking, self._drawn)

    def _one_sample(self) -> tuple[int, int, int]:
        """Return the items, labels and targets of the only stratum that was sampled."""
        r, (h,) = self._ranking, self._ranking.sampled
        return int(r.n_items[h]), int(r.n_labelled[h]), int(r.n_found[h])


def ranking_of(result: SampledMetricResult) -> SampledRanking:
    """Return the counts from which a result was computed."""
    return result._ranking


def draws_with_one_more_label(
    ranking: SampledRanking, drawn: tuple[Floats, ...]
) -> Iterator[Floats]:
    """Return draws of all strata, some of which have those of one more labelled item.

    The draws are of shape (n_resamples, n_strata): as the sample is, with one more item
    that is no target, and with one more target. Of the strata with many labels all have
    one more that is no target; or one has a target more, and the others one that is no
    target, or none. Those of few labels all have: a target in the better ones and none
    in the others, or the reverse.
    """
    base, less, more = drawn
    number, is_few = np.arange(base.shape[1]), ranking.n_labelled < FEW
    few = [h for h in ranking.sampled if is_few[h]]
    many = [h for h in ranking.sampled if not is_few[h]]
    # at most 16 of the strata that may be the last better one, for many strata
    at = np.unique(np.rint(np.linspace(0, len(few) - 1, 16))).astype(int)
    for end in [few[i] for i in at] if few else [-1]:
        for better, worse in ((more, less), (less, more))[: 1 + bool(few)]:
            side = np.where(number <= end, better, worse)
            none = np.where(is_few, side, less)
            yield none
            for h in many:
                yield np.where(number == h, more, np.where(is_few, side, base))
                if len(many) > 1:
                    yield np.where(number == h, more, none)


def _limits(
    extra: Floats, low: Floats, high: Floats, level: float, *, together: bool = False
) -> tuple[Floats, Floats]:
    """Return limits of each column of `low` and `high` over the draws, the rows.

    If one stratum was sampled, all values of the numbers of targets between the limits
    of this number are within. Otherwise the same number of draws is outside on each
    side, of each column, or of some column for columns `together`.
    """
    n_draws = len(low)
    n_out = math.floor((1 - level) / 2 * n_draws)
    if n_out < 1:
        warn(
            f"The limits are the most extreme ones of {n_draws} draws: the confidence "
            f"level {level:.6g} needs `n_resamples` of {math.ceil(2 / (1 - level))}.",
            UserWarning,
        )
    if np.count_nonzero(np.ptp(extra, axis=0)) == 1:
        inside = np.argsort(extra.sum(axis=1))[n_out : n_draws - n_out]
        return low[inside].min(axis=0), high[inside].max(axis=0)
    n_out = _surely_outside((1 - level) / 2, n_draws)
    if together:
        ranks = [rankdata(one, "max", axis=0).min(axis=1) for one in (low, -high)]
        outermost = np.sort(np.minimum(*ranks))
        n_out = min(n_out, int(outermost[_surely_outside(1 - level, n_draws)]) - 1)
    return np.sort(low, axis=0)[n_out], np.sort(high, axis=0)[n_draws - 1 - n_out]


def _surely_outside(share: float, n_draws: int) -> int:
    """Return the number of draws that is a share of all, less its standard error.

    With the share itself, the least coverage of AP over three strata with five labels
    each is .952 for 2,000 draws instead of .967, by the chance of the draws.
    """
    error = math.sqrt(share * (1 - share) * n_draws)
    return max(0, math.floor(share * n_draws - error))


def _limits_of_any(
    extra: Floats, low: Floats, high: Floats, level: float, *, base: Floats
) -> tuple[Floats, Floats]:
    """Return limits of a metric that is not monotone in the targets of the strata.

    A draw counts with the most extreme value of all draws between it and `base`, in
    each stratum. This bound is monotone.
    """
    usual = _limits(extra, low, high, level)
    if np.count_nonzero(np.ptp(extra, axis=0)) <= 1:
        return usual
    away = (extra - base)[:, np.ptp(extra, axis=0) > 0]
    n_out = _surely_outside((1 - level) / 2, len(low))
    lowest, highest = (_outermost(away, one, n_out) for one in (low, -high))
    return lowest, -highest


def _outermost(away: Floats, values: Floats, n_out: int) -> Floats:
    """Return the smallest value below which at most `n_out` draws count."""
    order = np.argsort(values)
    at = np.unique(np.linspace(0, n_out, _CORNERS).astype(int))
    beyond = np.ones((at.size, len(away)), dtype=bool)
    for one in away.T:  # draws that are farther from the base than each corner
        corner = one[order[at], None]
        beyond &= np.where(corner > 0, one >= corner, one <= corner) | (corner == 0)
    counted = np.logical_or.accumulate(beyond).sum(axis=1)
    last = int(np.argmax((counted > n_out) | (at == n_out)))
    smallest: Floats = values[order[at[max(0, last - (at[last] > last))]]]
    return smallest


def _scale_of(low: float, high: float) -> tuple[Any, Any]:
    """Return the scale of a metric by its bounds, and the way back."""
    if math.isinf(low):
        return np.asarray, np.asarray
    if math.isinf(high):
        return lambda one: np.log(
            np.maximum(one - low, 1e-9)
        ), lambda one: low + np.exp(one)
    return (
        lambda one: logit(np.clip((one - low) / (high - low), 1e-9, 1 - 1e-9)),
        lambda one: low + (high - low) * expit(one),
    )
