"""Result of `SampledMetricInterval`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from skrank._utils._checks import check_count, check_flag, check_fraction, invalid
from skrank._utils._numbers import interval, number
from skrank._utils._signature import signature_of
from skrank.curves._band import CurveBand
from skrank.curves._depths import chosen_counts, spread_counts
from skrank.curves._hit_curve import HitCurve
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.base._result import Result
from skrank.inference.intervals._metric_interval_result import MetricIntervalResult
from skrank.inference.sampled._draws import Floats, choices
from skrank.inference.sampled._limits import ChosenDraws
from skrank.inference.sampled._placements import Placements
from skrank.inference.sampled._remaining import (
    nothing_known,
    recall_limits,
    remaining_limits,
    remaining_pvalue,
)
from skrank.metrics._definitions import make_metric
from skrank.ranking._sampled import SampledRanking


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
    # draws of the targets that were not found, from which `choices` takes; and for each
    # choice the smallest and the largest value of the metric that the places of these
    # targets allow
    _drawn: Floats
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
        metric, base = make_metric(self.metric), None
        if not metric.always_defined:  # monotone are precision and profit
            base = Placements(self._ranking).expected
        limits = [
            one
            for chosen, pair in zip(self._chosen(level), self._values, strict=True)
            for one in chosen.limits(*pair, base)
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
        limits = (one.limits(one.left, one.left) for one in self._chosen(level))
        low, high = zip(*chain(*limits), strict=True)
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
        return recall_limits(self.n_targets, self.remaining(confidence_level))

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
            left = (one.of(self._drawn).sums for one in choices(self._ranking))
            return float(max((one > at_most).mean(axis=0).max() for one in left))
        if sequential:
            n, r, x = self._one_sample()
            return nothing_known(n).after(r, x).pvalue(at_most)
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
        hits = placements.expected_hits(depths)
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
        hits, limits = placements.expected_hits(depths), []
        for one in self._chosen(level):
            limits += one.band(placements, depths, together=simultaneous)
        low, high = zip(*limits, strict=True)
        low, high = np.min([hits, *low], axis=0), np.max([hits, *high], axis=0)
        return CurveBand(depths, low, high, level)

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

    def _chosen(self, level: float) -> Iterator[ChosenDraws]:
        for choice in choices(self._ranking):
            yield ChosenDraws(choice, self._drawn, level)

    def _one_sample(self) -> tuple[int, int, int]:
        """Return the items, labels and targets of the only stratum that was sampled."""
        r, (h,) = self._ranking, self._ranking.sampled
        return int(r.n_items[h]), int(r.n_labelled[h]), int(r.n_found[h])


def ranking_of(result: SampledMetricResult) -> SampledRanking:
    """Return the counts from which a result was computed."""
    return result._ranking


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
