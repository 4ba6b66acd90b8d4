"""The hit curve: number of targets found against number of items inspected.

The curve is exact. It is linear between the ends of the ties that hold targets, so it
needs a few points for each of these ties, for any number of items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta

from skrank._utils._checks import (
    check_count,
    check_cutoff,
    check_depth,
    check_flag,
    check_fraction,
    check_option,
    invalid,
    is_whole,
)
from skrank._utils._columns import check_numbers
from skrank._utils._numbers import number, percent
from skrank._utils._rounding import ROUNDING
from skrank._utils._signature import signature_of
from skrank._utils._table import data_frame
from skrank._utils._text import brief
from skrank.curves._band import CurveBand, check_band_level
from skrank.curves._depths import chosen_counts, spread_counts
from skrank.curves._gains_table import GainsTable
from skrank.curves._hypergeometric import hits_by_chance
from skrank.ranking._as_ranking import Labels, as_ranking
from skrank.ranking._group_labels import (
    warn_of_unlisted,
)
from skrank.ranking._items import ListedItems
from skrank.ranking._ranking import HitGroups, Ranking


@signature_of()
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HitCurve:
    """Number of targets in the top t, for all t: the result of hit_curve.

    The curve is linear between its points.

    Attributes
    ----------
    t : ndarray of shape (n_points,)
        Depths in ascending order, from 0 to the length of the ranking.
    hits : ndarray of shape (n_points,)
        Targets among the top t, in the same unit as `t`.
    n_samples, n_targets : float
        Number of items and of targets, including targets that were never scored.
    unit : float
        Size of an item on both axes: 1 for counts, 1/n for fractions of the ranking.
    tie_ends : ndarray of shape (n_depths,) or None
        Depths at which ties end; for a long ranking a subset of them. None with
        weights.

    See Also
    --------
    hit_curve : Computes the curve from labels and scores.

    Examples
    --------
    >>> from skrank import hit_curve
    >>> curve = hit_curve([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> curve
    <HitCurve of 2 targets among 5 items: 5 points>
    >>> curve.to_frame()
       t  hits  recall  precision      lift
    0  0     0     0.0   1.000000  2.500000
    1  1     1     0.5   1.000000  2.500000
    2  2     1     0.5   0.500000  1.250000
    3  3     2     1.0   0.666667  1.666667
    4  5     2     1.0   0.400000  1.000000
    """

    t: NDArray[Any]
    hits: NDArray[Any]
    n_samples: float
    n_targets: float
    unit: float
    tie_ends: NDArray[Any] | None
    # with the scores of the items, unless they were only counted
    _items: ListedItems | None = None

    def __repr__(self) -> str:
        """Print the numbers of items, targets and points."""
        n, m = (
            number(size / self.unit, 6) for size in (self.n_samples, self.n_targets)
        )
        return f"<HitCurve of {m} targets among {n} items: {self.t.size} points>"

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the targets that are found, ``r = h / m``.

        Returns
        -------
        recall : ndarray of shape (n_points,)
            Values between 0 and 1.
        """
        share: NDArray[np.float64] = self.hits / self.n_targets
        return np.minimum(share, 1.0)  # rounding errors

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of targets among the top t, ``p = h / t``.

        Returns
        -------
        precision : ndarray of shape (n_points,)
            Values between 0 and 1. The value at t = 0 is the initial slope of the
            curve, or NaN if no items were scored.
        """
        share = np.minimum(self.hits[1:] / self.t[1:], 1.0)  # rounding errors
        return np.append(share[0] if share.size else np.nan, share)

    @property
    def lift(self) -> NDArray[np.float64]:
        """Precision at t as a multiple of the prevalence, ``p / (m / n)``.

        Returns
        -------
        lift : ndarray of shape (n_points,)
            Values from 0 to ``n / m``. The chance level is 1. A warning is issued if
            the missed targets are the only items that are known to have no score.
        """
        self._warn_of_unlisted("the lift")
        return self.precision * (self.n_samples / self.n_targets)

    def _warn_of_unlisted(self, what: str) -> None:
        """Warn if the only items without a score are missed targets."""
        if self.n_samples - self.t[-1] > self.unit / 2:
            warn_of_unlisted(what)

    def at(self, depth: ArrayLike) -> Any:
        """Return the number of targets at given depths, in O(log n_points) each.

        Parameters
        ----------
        depth : array-like
            Depths in the unit of `t`, from 0 to the last value of `t`. For a curve in
            items, ints are numbers of items, and floats of at most 1 are fractions,
            unless an array of floats contains larger numbers.

        Returns
        -------
        hits : float or ndarray of the shape of `depth`
            Number of targets ``h(t)``. Within a tie, the tie rule of the curve applies.

        Raises
        ------
        ValueError
            If a depth is outside the ranking.
        """
        if isinstance(depth, list | tuple) and any(map(is_whole, depth)):
            return np.array([self.at(one) for one in depth])  # ints and floats
        depths = check_numbers("depth", depth)
        shares = self.unit == 1 and np.asarray(depth).dtype.kind == "f"
        if shares and np.all(depths <= 1):
            depths = depths * self.t[-1]
        if np.any((depths < 0) | (depths > self.t[-1] * (1 + 1e-12))):
            raise invalid("depth", f"be between 0 and {self.t[-1]:.15g}", brief(depth))
        return np.interp(depths, self.t, self.hits)[()]

    def perfect(self) -> HitCurve:
        """Return the curve of a ranking with all scored targets first.

        Returns
        -------
        curve : HitCurve
            The curve rises with slope 1 until all scored targets are found.
        """
        most, end = self.hits[-1], self.t[-1]
        t = np.array([0, min(most, end), end])
        t = t[_is_last_of_step(t)]
        return replace(self, t=t, hits=np.minimum(t, most), _items=None)

    def chance_band(
        self,
        confidence_level: float = 0.95,
        *,
        t: float | Sequence[float] | None = None,
    ) -> CurveBand:
        """Return the pointwise band of random selection.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability of the band, between 0 and 1. At any single depth, random
            selection is within the limits with at least this probability. Each tail has
            at most half of the remaining probability.
        t : int, float or sequence of them, default=None
            Depths of the limits: ints are numbers of items, and floats in (0, 1] are
            fractions, rounded up. None uses 0 and the depths at which ties end, about
            500 of them for a long ranking.

        Returns
        -------
        band : CurveBand
            Exact limits of h(t) at the depths `x`, in the unit of the curve. Both
            limits increase with the depth. Between two depths, use the lower limit of
            the first and the upper limit of the second. The probability that random
            selection is within the limits at all depths together is lower.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1, if a depth is outside the ranking, or
            if the items have weights.

        Notes
        -----
        ``h(t)`` has a hypergeometric distribution: t items are drawn from n items with
        m targets ([1]_, section III). The limits are quantiles of this distribution.
        Within a tie they are conservative for ``ties="expected"``, because the curve is
        then a mean over the orders of the tie and varies less. The time is O(n_depths *
        sqrt(m) * log m).

        References
        ----------
        .. [1] Zhang and Su (2012), "Statistical inference on recall, precision and
           average precision under random selection", *FSKD 2012*, 1348-1352.
        """
        ends: Any = self.tie_ends  # of items without weights
        level = check_band_level(confidence_level, ends is None)
        n, m = round(self.t[-1] / self.unit), round(self.hits[-1] / self.unit)
        depths = np.append(0, ends) if t is None else chosen_counts("t", t, n)
        least, most = (
            hits_by_chance(q, max(n, 1), m, depths)
            for q in ((1 - level) / 2, (1 + level) / 2)
        )
        x, low, high = (one * self.unit for one in (depths, least, most))
        return CurveBand(x, low, high, level)

    def gains_table(
        self,
        parts: int | Sequence[float] = 10,
        confidence_level: float = 0.95,
        *,
        scores: Sequence[float] | None = None,
    ) -> GainsTable:
        """Return the targets in parts of the ranking, best part first.

        Parameters
        ----------
        parts : int or sequence of int or float, default=10
            Number of equal parts, such as 10 for deciles, at most the number of items;
            their sizes differ by at most one item. A sequence contains the depths at
            which the parts end, such as ``(0.01, 0.02, 0.05)``: ints are numbers of
            items, and floats in (0, 1] and strings such as "5%" are fractions, rounded
            up. The rest of the ranking is the last part.
        confidence_level : float, default=0.95
            Level of the interval of the share of targets, and of the range of random
            selection, between 0 and 1.
        scores : sequence of float, default=None
            Scores at which parts end, best first, such as ``(1.5, 1.0, 0.5)``, in place
            of `parts`. A part contains the items with this score or a better score that
            are not in an earlier part. The rest of the ranking is the last part. Parts
            can be empty.

        Returns
        -------
        table : GainsTable
            One row for each part: its items, targets, lowest score and lift, and the
            recall, lift and Kolmogorov-Smirnov distance down to its end.

        Raises
        ------
        ValueError
            If there are more parts than items, if the depths do not increase, if the
            scores are not in the order of the ranking or are not known, or if a setting
            is outside its range.

        Notes
        -----
        The range under random selection is exact and equals :meth:`chance_band`. The
        interval of the share ``h / m`` is the Jeffreys interval ([1]_, section 4.1.1):
        quantiles of a beta distribution with the parameters ``h + 1/2`` and ``m - h +
        1/2``. It begins at 0 if no target is found, and ends at 1 if all targets are
        found. At the end of the ranking the share is certain. The table is in items
        even if the curve is in fractions.

        References
        ----------
        .. [1] Brown, Cai and DasGupta (2001), "Interval estimation for a binomial
           proportion", *Statistical Science* 16(2), 101-133.
        """
        self._warn_of_unlisted("the gains table")
        level = check_fraction("confidence_level", confidence_level)
        whole = self.tie_ends is not None
        end = self.t[-1] / self.unit
        end = np.rint(end) if whole else end  # a fraction of n has a rounding error
        if scores is None:
            t, labels = _ends_of_parts(parts, float(end), whole)
        elif np.ndim(parts) == 0 and parts == 10:
            t, labels = _ends_of_scores(scores, float(end), self._items)
        else:
            raise invalid("parts", "be left out with `scores`", brief(parts))
        hits, m = (
            np.interp(t * self.unit, self.t, self.hits) / self.unit,
            self.n_targets / self.unit,
        )
        n = self.n_samples / self.unit
        found, last = hits[1:], hits[-1]
        low, high, least, most = (np.full(t.size - 1, np.nan) for _ in range(4))
        if whole:
            tails = np.array([[1 - level], [1 + level]]) / 2
            low, high = beta.ppf(tails, found + 0.5, m - found + 0.5)
            low = np.where(found > 0, low, 0.0)
            high = np.where(found < m * (1 - ROUNDING), high, 1.0)
            low[t[1:] == end], high[t[1:] == end] = last / m, last / m
            band = replace(
                self, unit=1, t=self.t / self.unit, hits=self.hits / self.unit
            )
            depths, at = np.unique(t.astype(int), return_inverse=True)
            limits = band.chance_band(level, t=depths[1:].tolist())
            least, most = (
                np.append(0.0, one)[at][1:] / m for one in (limits.low, limits.high)
            )
        others = t[1:] - found
        with np.errstate(invalid="ignore"):  # no non-targets, or no items
            # rounded, since a difference of rounding errors prints as -0.000
            ks = np.round(found / m - others / (end - last), 12) + 0.0
            rate, cumulative_rate = np.diff(hits) / np.diff(t), found / t[1:]
        return GainsTable(
            labels=labels,
            items=np.diff(t),
            targets=np.diff(hits),
            lowest_score=_lowest_scores(t, self._items),
            rate=rate,
            lift=rate / (m / n),
            t=t[1:],
            hits=found,
            n_samples=n,
            n_targets=m,
            recall=found / m,
            cumulative_rate=cumulative_rate,
            cumulative_lift=cumulative_rate / (m / n),
            ks=ks,
            low=low,
            high=high,
            chance_low=least,
            chance_high=most,
            confidence_level=level,
            _lower=self._items is not None and self._items.lower_is_better,
        )

    def to_frame(self) -> Any:
        """Return the curve as a data frame.

        Returns
        -------
        frame : pandas.DataFrame
            Table with the columns "t", "hits", "recall", "precision" and "lift".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names = ("t", "hits", "recall", "precision", "lift")
        return data_frame({name: getattr(self, name) for name in names})


def hit_curve(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    as_fraction: bool = False,
    pos_label: object = None,
    lower_is_better: bool = False,
    missing: str = "error",
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    n_unlisted: int | None = None,
) -> HitCurve:
    """Number of targets in the top t, for all t; to draw it use HitCurveDisplay.

    A higher curve is better. The curve of a perfect ranking has slope 1 until all
    targets are found. The mean curve of random rankings is a straight line. Cumulative
    gains, lift and enrichment are functions of the same hits. Without ties, average
    precision is the sum over the targets of the precision times the gain in recall.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    as_fraction : bool, default=False
        Whether depths and hits are fractions of the ranking, t in [0, 1] and h(t) in
        [0, m/n], as in [1]_. By default they are numbers of items.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    lower_is_better : bool, default=False
        Whether lower scores mean likelier targets, as for docking energies.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    ties : {"expected", "optimistic", "pessimistic"}, default="expected"
        Tie rule. "expected" draws a straight line through a tie, which is the mean over
        all orders. "optimistic" ranks the targets of a tie first, and "pessimistic"
        ranks them last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items, and depths and
        hits are sums of weights.
    n_missed : int, default=0
        Targets that were never scored. They count among the targets and the items, and
        the curve ends before it reaches them.
    n_unlisted : int, default=None
        Number of items that were never scored, including the missed targets. They rank
        below all others, as one tie.

    Returns
    -------
    curve : HitCurve
        Curve with at most two points for each distinct score of a target (three if
        `ties` is not "expected"), and the two end points.

    Raises
    ------
    ValueError
        If the input is invalid, as in :func:`average_precision`; if there are no
        targets; or if a setting is outside its range.

    See Also
    --------
    operating_points : Recall and precision at each threshold.
    hit_curve_band : Confidence band of the curve.
    recall_at_t, precision_at_t, enrichment_factor : Values at one depth.

    Notes
    -----
    With h(t) hits, n items and m targets, recall is ``r(t) = h(t) / m``, precision is
    ``p(t) = h(t) / t = (m / n) r(t) / (t / n)`` ([1]_, equation 1 and lemma 1), and
    lift is ``p(t) / (m / n)``.

    Time is O(n log m) and memory O(m) + n bytes. Finding the ends of ties doubles
    the time and needs a copy of up to 2**20 scores; see :ref:`performance`.

    References
    ----------
    .. [1] Zhu (2004), "Recall, precision and average precision", working paper 2004-09,
       University of Waterloo.

    Examples
    --------
    >>> from skrank import hit_curve
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 4, 4, 4]
    >>> curve = hit_curve(y_true, y_score)
    >>> curve.t
    array([0, 1, 2, 3, 4, 8])
    >>> curve.hits
    array([0, 1, 1, 2, 2, 3])
    >>> curve.at([2, 6])
    array([1. , 2.5])
    >>> curve.lift.round(2)
    array([2.67, 2.67, 1.33, 1.78, 1.33, 1.  ])

    One target is found after two items. After six items, 2.5 targets are found on
    average, because the third target is tied with three other items.
    """
    # shared: missing lower_is_better_of_one
    check_option("ties", ties, ("expected", "optimistic", "pessimistic"))
    fractions = check_flag("as_fraction", as_fraction)
    given: Any = {"sample_weight": sample_weight, "n_missed": n_missed}
    given |= {"n_unlisted": n_unlisted, "missing": missing}
    given["lower_is_better"] = check_flag("lower_is_better", lower_is_better)
    ranking = as_ranking(y_true, y_score, pos_label=pos_label, **given)
    curve = curve_of(ranking, ties)
    return in_fractions(curve) if fractions else curve


def curve_of(ranking: Ranking, ties: str = "expected") -> HitCurve:
    """Return the curve of a ranking; O(m)."""
    if ranking.n_targets == 0:
        raise invalid("y_true", "contain targets to make a curve of hits", "none")
    end, tie_ends = ranking.n_samples, None
    if not ranking.weighted:  # as many as a figure needs
        tie_ends = np.unique(ranking.items.group_ends(spread_counts(int(end))))
    t, hits = _corners(ranking.groups, ties)
    # ends of neighbouring groups coincide, as do those of the ranking and its last
    # group
    t = np.concatenate([[0], t, [end]])
    hits = np.maximum.accumulate(np.append(0, hits))  # rounding errors may decrease it
    hits = np.append(hits, hits[-1])
    kept = _is_last_of_step(t)
    return HitCurve(
        t=t[kept],
        hits=hits[kept],
        n_samples=end + ranking.n_missed,
        n_targets=ranking.n_targets,
        unit=1,
        tie_ends=tie_ends,
        _items=ranking.items if ranking.has_items else None,
    )


def _ends_of_parts(
    parts: Any, end: float, whole: bool
) -> tuple[NDArray[np.float64], tuple[Any, ...]]:
    """Return the depths between parts, from 0 on, and the names of the parts."""
    if np.ndim(parts) == 0:
        count = check_count("parts", parts, least=1)
        if whole and count > end:
            rule = f"be at most one for each of {end:.15g} items"
            raise invalid("parts", rule, str(count))
        t = np.linspace(0, end, count + 1)
        return np.rint(t) if whole else t, tuple(range(1, count + 1))
    asked = [check_cutoff("parts", one) for one in parts]
    depths = [
        float(check_depth("parts", one, int(end)))
        if whole
        else one * (end if isinstance(one, float) else 1)
        for one in asked
    ]
    labels = [percent(one) if isinstance(one, float) else str(one) for one in asked]
    if not depths or depths[-1] < end:
        depths, labels = [*depths, end], [*labels, "rest"]
    t = np.array([0.0, *depths])
    if np.any(np.diff(t) <= 0) or t[-1] > end:
        raise invalid("parts", f"be increasing depths, up to {end:.15g}", brief(parts))
    return t, tuple(labels)


def _ends_of_scores(
    scores: Any, end: float, items: ListedItems | None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return the depths between parts that end at scores, and names of the parts."""
    if items is None:
        rule = "be left out for a curve of items whose scores are not known"
        raise invalid("scores", rule, brief(scores))
    cuts = np.atleast_1d(check_numbers("scores", scores))
    sign = -1 if items.lower_is_better else 1
    if cuts.ndim > 1 or not cuts.size or np.any(np.diff(sign * cuts) >= 0):
        rule = f"be one or more, {'ascending' if sign < 0 else 'descending'}"
        raise invalid("scores", rule, brief(scores))
    given, depths = items.in_order()
    kept = [given <= one if sign < 0 else given >= one for one in cuts]
    counts = np.array([0, *map(np.count_nonzero, kept)])
    t: NDArray[np.float64] = np.append(0.0, depths)[counts]
    labels = [f"{'<=' if sign < 0 else '>='} {one:.15g}" for one in cuts]
    if t[-1] < end * (1 - ROUNDING):
        return np.append(t, end), (*labels, "rest")
    return t, tuple(labels)


def _lowest_scores(t: NDArray[np.float64], items: ListedItems | None) -> NDArray[Any]:
    """Return the score of the last item of each part; NaN without one."""
    found = np.full(t.size - 1, np.nan)
    if items is None:
        return found
    scores, depths = items.in_order()
    last = np.searchsorted(depths, t[1:] * (1 - ROUNDING))
    known = (last < scores.size) & (np.diff(t) > 0)
    if known.all():
        return scores[last]
    found[known] = scores[last[known]]
    return found


def in_fractions(curve: HitCurve) -> HitCurve:
    """Convert the curve to fractions of the ranking."""
    unit = 1 / curve.n_samples
    return replace(
        curve,
        t=curve.t * unit,
        hits=curve.hits * unit,
        n_samples=1.0,
        n_targets=curve.n_targets * unit,
        unit=unit,
    )


def _is_last_of_step(t: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the next depth is different, apart from rounding."""
    slack = ROUNDING if t.dtype.kind == "f" else 0
    return np.append(np.diff(t) > slack * t[1:], True)


def _corners(groups: HitGroups, ties: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the points at which the slope of the curve may change."""
    above, size = groups.above, groups.size
    before, hits = groups.hits_above, groups.hits
    turn = {"optimistic": (hits, hits), "pessimistic": (size - hits, 0 * hits)}
    inner = [turn[ties]] if ties in turn else []
    steps = [(0 * size, 0 * hits), *inner, (size, hits)]
    t = np.stack([above + items for items, _ in steps], axis=1).ravel()
    return t, np.stack([before + found for _, found in steps], axis=1).ravel()
