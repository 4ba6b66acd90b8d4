"""Results of `SampledMetricInterval`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from skrank._utils._checks import check_count, check_flag, check_fraction, invalid
from skrank._utils._numbers import interval, number
from skrank._utils._signature import signature_of
from skrank._utils._text import format_size
from skrank.curves._band import CurveBand
from skrank.curves._depths import chosen_counts, spread_counts
from skrank.curves._hit_curve import HitCurve
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.base._result import Result
from skrank.inference.sampled._draws import SampleDraws, SampleLimits
from skrank.inference.sampled._remaining import (
    nothing_known,
    recall_limits,
    remaining_limits,
    remaining_pvalue,
)
from skrank.ranking._label_sample import ModelRanks


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
        Expected value for the list. It assumes that each stratum has the same share of
        targets as its labelled items, at random ranks. NaN if no target was found,
        except for precision and profit. Long strata at the top of a good ranking make
        it too small.
    metric, method : str
        Name of the metric, and of the method of the interval.
    n_samples : int
        Number of items in the list.
    n_labelled : int
        Number of items with a label.
    n_targets : int
        Number of targets that were found.
    n_remaining : float
        Expected number of targets among the items without a label; NaN if a stratum has
        no labels.

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

    title: ClassVar[str] = "Interval of {0.metric} from a sample of labels"
    unit: ClassVar[str] = "list"
    _of_rankings: ClassVar[bool] = False

    value: float
    n_labelled: int
    n_remaining: float
    # the draws of all models, and which of these this is
    _draws: SampleDraws
    _model: Any
    _population: bool = False

    @property
    def _limits(self) -> SampleLimits:
        return self._draws.limits_of(self.metric, self._model)

    @property
    def _ranks(self) -> ModelRanks:
        return self._draws.sample.models[self._model]

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the interval for the metric of the list, or for its mean over lists.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the interval contains the value, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Lower and upper limit. They are equal if all items that affect the metric
            have labels.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        level = check_fraction("confidence_level", confidence_level)
        self._limits.warn_beyond(level)
        return ConfidenceInterval(*self._limits.bounds(level))

    def remaining(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the number of targets that were not found.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the limits contain the number, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Whole numbers. If only one stratum was sampled, the limits invert an exact
            test, and each limit fails with a probability of at most ``(1 -
            confidence_level) / 2``. For several strata, the limits come from the same
            draws as the interval of the metric.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        level = check_fraction("confidence_level", confidence_level)
        if self._draws.sample.sampled.size == 1:
            return ConfidenceInterval(*remaining_limits(*self._one_sample(), level))
        low, high = self._draws.found.bounds(level)
        found, unknown = self.n_targets, self._draws.n_unknown
        left = math.floor(low) - found, math.ceil(high) - found + unknown
        return ConfidenceInterval(*left)

    def recall_so_far(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the share of the targets that were found.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the limits contain the share, between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
            ``found / (found + left)`` for the limits of `remaining`; 1 if no target was
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
            Largest acceptable number of targets among the items without a label. For a
            recall of at least c, use ``floor(found / c) - found``.
        sequential : bool, default=False
            Whether the p-value stays valid if you label more items of the stratum, in
            random order, until it is small enough. At a level of 5 %, you then stop too
            early in at most 5 % of the lists. With the p-value for a single use, you
            stop too early in many more.

        Returns
        -------
        pvalue : float
            Between 0 and 1; a small value is evidence that at most `at_most` targets
            are left. With several sampled strata it has a simulation error.

        Raises
        ------
        ValueError
            If `at_most` is not a whole number of at least 0, or if `sequential` is True
            and several strata were sampled.

        Notes
        -----
        With one sampled stratum the p-value is hypergeometric, as in elusion tests. The
        sequential p-value is the inverse of a martingale [1]_.

        References
        ----------
        .. [1] Waudby-Smith and Ramdas (2020), "Confidence sequences for sampling
           without replacement", *NeurIPS 33*.
        """
        at_most = check_count("at_most", at_most, least=0)
        n_sampled = self._draws.sample.sampled.size
        if check_flag("sequential", sequential) and n_sampled > 1:
            rule = "be False if several strata have items without a label"
            raise invalid("sequential", rule, f"True for {n_sampled}")
        if n_sampled == 0:
            return 0.0
        if n_sampled > 1:
            most = at_most + 1 + self.n_targets - self._draws.n_unknown
            return self._draws.found.tail(most, 1)
        if sequential:
            n, r, x = self._one_sample()
            return nothing_known(n).after(r, x).pvalue(at_most)
        return remaining_pvalue(*self._one_sample(), at_most)

    def hit_curve(self) -> HitCurve:
        """Return the expected hit curve of the list.

        Returns
        -------
        curve : HitCurve
            Expected number of targets in the top t. Its `n_targets` is the expected
            number of targets in the list.

        Raises
        ------
        ValueError
            If a stratum has no labels. Use `hit_curve_band` then.
        """
        sample, ranks = self._draws.sample, self._ranks
        if math.isnan(self.n_remaining):
            rule = "have a label in each stratum for the hit curve"
            advice = "`hit_curve_band` gives its limits."
            raise invalid("y_true", rule, "a stratum without", advice)
        n, above = sample.n_samples, ranks.above[sample.targets]
        ends = above + ranks.size[sample.targets]
        depths = np.unique(np.concatenate([[0, n], above, ends]))
        hits = self._draws.expected_hits(ranks, depths)
        return HitCurve(depths, hits, n, float(hits[-1]), 1.0, depths[1:])

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
            Depths, as numbers of items or as fractions. None uses about 250 depths.
        confidence_level : float, default=0.95
            Probability that the band contains the hits, between 0 and 1.
        simultaneous : bool, default=True
            Whether the band covers all depths at once. If False, it covers each single
            depth.

        Returns
        -------
        band : CurveBand
            Limits of the number of targets in the top t. They are equal if all items
            down to t have labels.

        Raises
        ------
        ValueError
            If a depth is outside the list, or `confidence_level` is not between 0 and
            1.
        """
        level = check_fraction("confidence_level", confidence_level)
        check_flag("simultaneous", simultaneous)
        n, ranks = self.n_samples, self._ranks
        usual = np.unique(np.append(spread_counts(n)[::2], n))
        depths = usual if t is None else chosen_counts("t", t, n)
        low, high = self._draws.hit_limits(ranks, depths, level, together=simultaneous)
        return CurveBand(depths, low, high, level)

    def conclusion(self) -> str:
        """Return the conclusion from the labels, in sentences.

        Returns
        -------
        text : str
            The interval of the metric, and the limits of the targets that were not
            found.
        """
        value = self.confidence_interval()
        population = " and of others like it" if self._population else ""
        return (
            f"The {self.metric} of this list{population} is between {value.low:.3g} "
            f"and {value.high:.3g} (95 % interval). {self._said_of_targets()}"
        )

    def _said_of_targets(self) -> str:
        """Return the sentence of the conclusion on the number of targets."""
        left = self.remaining()
        found = "target was" if self.n_targets == 1 else "targets were"
        return (
            f"{self.n_targets} {found} found by {self.n_labelled} labels of "
            f"{self.n_samples} items; between {left.low} and {left.high} were not "
            "found (95 % interval)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields that are numbers or strings; the limits of the 95 % interval as
            "low" and "high"; and the 95 % limits of the number of targets that were not
            found as "remaining_low" and "remaining_high".
        """
        left = self.remaining()
        return {
            **Result.to_dict(self),
            **self.confidence_interval()._asdict(),
            "remaining_low": left.low,
            "remaining_high": left.high,
        }

    def to_frame(self) -> Any:
        """Return the strata as a pandas data frame.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each stratum, best first, with the columns "stratum", "first" and
            "last" (ranks), "items", "labelled" and "targets" (numbers of items, of
            labelled items and of targets found), and "remaining" (expected number of
            targets not found).

        Raises
        ------
        ImportError
            If pandas is not installed; use `to_dict` then.
        """
        return Result.to_frame(self)

    @property
    def _size(self) -> str:
        """The size of the list, in print."""
        labels = {"n_labelled": self.n_labelled}
        return format_size(self.n_samples, self.n_targets, **labels)

    def _estimate(self) -> dict[str, float]:
        """Return the value with its 95 % interval."""
        return {"value": self.value, **self.confidence_interval()._asdict()}

    def _rows(self) -> list[tuple[str, str]]:
        value, left = self.confidence_interval(), self.remaining()
        return [
            (self._parts, self._size),
            ("value", f"{number(self.value)}, method: {self.method}"),
            ("95 % interval", interval(*value)),
            ("not found", f"{left.low} to {left.high} targets (95 % interval)"),
        ]

    def _columns(self) -> dict[str, Any]:
        sample, ranks = self._draws.sample, self._ranks
        order = np.argsort(ranks.above, kind="stable")
        ordered = sample.stratum[order]
        first = np.unique(ordered, return_index=True)[1]
        last = np.unique(ordered[::-1], return_index=True)[1]
        return {
            "stratum": list(sample.names),
            "first": first + 1,
            "last": sample.n_samples - last,
            "items": sample.n_items,
            "labelled": sample.n_labelled,
            "targets": sample.n_found,
            "remaining": self._draws.remaining,
        }

    def _one_sample(self) -> tuple[int, int, int]:
        """Return the items, labels and targets of the only stratum that was sampled."""
        s, (h,) = self._draws.sample, self._draws.sample.sampled
        return int(s.n_items[h]), int(s.n_labelled[h]), int(s.n_found[h])
