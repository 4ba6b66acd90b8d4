"""What is left of a list that is read by any ranking, and at random in between."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from skrank._utils._checks import (
    check_count,
    check_flag,
    check_fraction,
    check_share,
    invalid,
)
from skrank._utils._numbers import interval
from skrank._utils._printed import Printed, Shown
from skrank._utils._rounding import ROUNDING
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.sampled._remaining import Left, nothing_known, recall_limits

_ENTRIES = ("n_read", "n_targets", "at_random")
_NO_NUMBER = (
    "The batches contradict each other: the items read at random may not be random "
    "samples of the unread items."
)


class ReviewProgress(Printed):
    """Targets left in active learning; for a fixed ranking use SampledMetricInterval.

    Read batches of items in the order of any ranking, which can be fitted again after
    each batch. From time to time, read a random sample of the unread items. These
    random batches determine how many targets are left. You can inspect all limits and
    p-values after every batch, and stop reading by any rule.

    Parameters
    ----------
    n_samples : int
        Number of items in the list, read or not.
    batches : sequence of dict, default=()
        Batches that were read. Each contains the arguments of :meth:`update`; see
        :meth:`state`.

    Attributes
    ----------
    n_samples : int
        Number of items in the list.
    n_read : int
        Number of items that were read.
    n_targets : int
        Number of targets that were found.

    Raises
    ------
    ValueError
        If `n_samples` is not a whole number of at least 1, or as in :meth:`update`.

    See Also
    --------
    SampledMetricInterval : Metrics of a ranking from a sample of labels.

    Notes
    -----
    The evidence against K targets is a product of ratios over the random batches. The
    numerator is the mean probability of the batch under all smaller numbers of targets
    that are still possible, weighted by the probabilities of the earlier random
    batches. The denominator is its probability under K. The product is a nonnegative
    supermartingale if there are K targets, whatever is read between random batches
    [1]_. The upper limit and p-values begin with equal weights. The lower limit uses
    larger numbers, with weights ``1 / (K + 1)`` at the start. See :ref:`review`.

    References
    ----------
    .. [1] Waudby-Smith and Ramdas (2020), "Confidence sequences for sampling
       without replacement", *NeurIPS 33*.

    Examples
    --------
    100 items were read from the top of the ranking, and then 600 others at random:

    >>> from skrank import ReviewProgress
    >>> progress = ReviewProgress(n_samples=2481)
    >>> progress = progress.update(n_read=100, n_targets=31)
    >>> progress = progress.update(n_read=600, n_targets=2, at_random=True)
    >>> print(progress)
    Progress of a review
      list           2481 items, 700 read, 600 of them at random
      found          33 targets
      not found      0 to 32 targets (95 % interval)
      recall so far  0.5077 to 1.0000 (95 % interval)
    >>> print(f"{progress.remaining_pvalue(at_most=30):.3f}")
    0.033
    """

    def __init__(
        self, n_samples: int, batches: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self.n_samples = n = check_count("n_samples", n_samples, least=1)
        self.n_read = self.n_targets = self._n_random = 0
        self._batches: tuple[tuple[int, int, bool], ...] = ()
        self._targets = nothing_known(n)
        # others are left where targets are not: weights of one over the targets
        self._others = Left(-np.log1p(np.arange(n, -1, -1)), np.zeros(n))
        for batch in batches:
            if not isinstance(batch, Mapping) or {*batch} != {*_ENTRIES}:
                raise invalid("batches", f"have {', '.join(_ENTRIES)}", brief(batch))
            self._add(**batch)

    def update(self, n_read: int, n_targets: int, *, at_random: bool = False) -> Self:
        """Return the progress after one more batch.

        Parameters
        ----------
        n_read : int
            Number of items in the batch, none of which was read before.
        n_targets : int
            Number of targets among them.
        at_random : bool, default=False
            Whether the batch is a simple random sample of the items that were unread
            before the batch. Use False for items that were chosen in any other way.

        Returns
        -------
        progress : ReviewProgress
            New object. The present object is unchanged.

        Raises
        ------
        ValueError
            If `n_read` is not from 1 to the number of unread items, or if `n_targets`
            is not from 0 to `n_read`.
        """
        new = copy(self)
        new._add(n_read, n_targets, at_random)
        return new

    def remaining(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the number of targets that were not found.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the limits after all batches contain the number, between 0
            and 1.

        Returns
        -------
        interval : ConfidenceInterval
            Whole numbers; from 0 to the number of unread items if no batch was random.
            The probability that a limit ever fails, after any batch, is at most ``(1 -
            confidence_level) / 2``. NaN, with a warning, if no number agrees with all
            batches.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        """
        left = self._left(check_fraction("confidence_level", confidence_level))
        if math.isnan(left.low):
            warn(_NO_NUMBER, UserWarning)
        return left

    def recall_so_far(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the share of the targets that were found.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the limits after all batches contain the share, between 0
            and 1.

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

    def remaining_pvalue(self, at_most: int) -> float:
        """Return the p-value of the hypothesis that more than `at_most` are left.

        Parameters
        ----------
        at_most : int
            Largest acceptable number of targets among the unread items.

        Returns
        -------
        pvalue : float
            Between 0 and 1; a small value is evidence that at most `at_most` targets
            are left. If you stop as soon as it is at most alpha, the probability of
            stopping too early is at most alpha. 1 if no batch was random.

        Raises
        ------
        ValueError
            If `at_most` is not a whole number of at least 0.
        """
        return self._targets.pvalue(check_count("at_most", at_most, least=0))

    def recall_pvalue(self, recall: float) -> float:
        """Return the p-value of the hypothesis that a recall was not reached.

        Parameters
        ----------
        recall : float
            Share of the targets to find, above 0 and up to 1.

        Returns
        -------
        pvalue : float
            `remaining_pvalue` of the largest number of targets that can be left at this
            recall. A small value is evidence that the recall was reached.

        Raises
        ------
        ValueError
            If `recall` is not above 0 and at most 1.
        """
        total = self.n_targets / check_share("recall", recall) * (1 + ROUNDING)
        at_most = math.floor(min(total, self.n_samples)) - self.n_targets
        return self._targets.pvalue(at_most)

    def conclusion(self) -> str:
        """Return sentences about the targets that were not found.

        Returns
        -------
        text : str
            The 95 % limits of their number and of the recall so far.
        """
        said = (
            f"{self.n_read} of {self.n_samples} items were read, and {self.n_targets} "
            "targets were found."
        )
        if self._n_unread and not self._n_random:
            return (
                f"{said} Nothing is known about the unread items: read some of them at "
                "random."
            )
        left = self._left()
        if math.isnan(left.low):
            return f"{said} {_NO_NUMBER}"
        recall = interval(*recall_limits(self.n_targets, left))
        return (
            f"{said} Between {left.low} and {left.high} were not found, and the recall "
            f"so far is {recall} (95 % intervals, valid after every batch)."
        )

    def state(self) -> dict[str, Any]:
        """Return the batches for JSON.

        Returns
        -------
        state : dict
            The arguments of :class:`ReviewProgress` that create the same progress.
        """
        batches = [dict(zip(_ENTRIES, one, strict=True)) for one in self._batches]
        return {"n_samples": self.n_samples, "batches": batches}

    def _add(self, n_read: int, n_targets: int, at_random: bool) -> None:
        """Add a batch; nothing is changed in place."""
        n_read = check_count("n_read", n_read, least=1)
        n_targets = check_count("n_targets", n_targets, least=0)
        at_random = check_flag("at_random", at_random)
        if n_read > self._n_unread:
            rule = f"be at most {self._n_unread}, the number of unread items"
            raise invalid("n_read", rule, str(n_read))
        if n_targets > n_read:
            rule = f"be at most {n_read}, the number of items in the batch"
            raise invalid("n_targets", rule, str(n_targets))
        self.n_read += n_read
        self.n_targets += n_targets
        self._n_random += n_read * at_random
        self._batches = *self._batches, (n_read, n_targets, at_random)
        n_others = n_read - n_targets
        self._targets = self._targets.after(n_read, n_targets, at_random=at_random)
        self._others = self._others.after(n_read, n_others, at_random=at_random)

    @property
    def _n_unread(self) -> int:
        return self.n_samples - self.n_read

    def _left(self, level: float = 0.95) -> ConfidenceInterval:
        """Return limits of the number of targets left, which are NaN if none agrees."""
        outside = (1 - level) / 2
        low = self._n_unread - self._others.most(outside)
        high = self._targets.most(outside)
        if low > high:
            return ConfidenceInterval(math.nan, math.nan)
        return ConfidenceInterval(low, high)

    def _shown(self) -> Shown:
        left = self._left()
        read = f"{self.n_read} read, {self._n_random} of them at random"
        recall = interval(*recall_limits(self.n_targets, left))
        rows = [
            ("list", f"{self.n_samples} items, {read}"),
            ("found", f"{self.n_targets} targets"),
            ("not found", f"{interval(*left)} targets (95 % interval)"),
            ("recall so far", f"{recall} (95 % interval)"),
        ]
        return Shown("Progress of a review", rows)
