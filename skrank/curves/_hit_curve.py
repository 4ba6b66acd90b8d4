"""The hit curve: how many targets one has found after looking at so many items.

What comes in is a ranking; what goes out is the curve as data, exact and small: it is
straight between the ends of the ties that hold targets, so that it takes a few points
for each of them, however many items there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import hypergeom

from skrank._utils._checks import check_flag, check_option, invalid
from skrank._utils._columns import check_numbers
from skrank._utils._table import data_frame
from skrank._utils._text import brief
from skrank.curves._band import CurveBand, check_band_level, spread_counts
from skrank.ranking._as_ranking import Labels, as_ranking
from skrank.ranking._items import SLACK
from skrank.ranking._ranking import HitGroups, Ranking


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HitCurve:
    """Targets found against items looked at, and the views of it that have names.

    The curve is straight between its points. All arrays have the same length.

    Attributes
    ----------
    t : ndarray of shape (n_points,)
        Depths, ascending, from 0 to the length of the ranking.
    hits : ndarray of shape (n_points,)
        Targets among the top t.
    n_samples, n_targets : float
        Number of items and of targets, those included that were never scored.
    unit : float
        What an item counts on both axes: 1, or 1/n for fractions of the ranking.
    tie_ends : ndarray of shape (n_depths,) or None
        Depths at which ties end, enough of them for a picture; None with weights.

    See Also
    --------
    hit_curve : Makes it of labels and scores.

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

    def __repr__(self) -> str:
        """Say how large the ranking is, and in how many points the curve is kept."""
        n, m = (f"{size / self.unit:g}" for size in (self.n_samples, self.n_targets))
        return f"<HitCurve of {m} targets among {n} items: {self.t.size} points>"

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the targets that are found, ``r = h / m``.

        Returns
        -------
        recall : ndarray of shape (n_points,)
            From 0 to 1.
        """
        share: NDArray[np.float64] = self.hits / self.n_targets
        return np.minimum(share, 1.0)  # rounding may step over

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of targets among the top t, ``p = h / t``.

        Returns
        -------
        precision : ndarray of shape (n_points,)
            Between 0 and 1; at t = 0 the limit, the slope with which the curve starts,
            or NaN if no items were scored.
        """
        share = np.minimum(self.hits[1:] / self.t[1:], 1.0)  # rounding may step over
        return np.append(share[0] if share.size else np.nan, share)

    @property
    def lift(self) -> NDArray[np.float64]:
        """Precision at t as a multiple of the prevalence, ``p / (m / n)``.

        Returns
        -------
        lift : ndarray of shape (n_points,)
            From 0 to ``n / m``; 1 is chance level.
        """
        return self.precision * (self.n_samples / self.n_targets)

    def at(self, depth: ArrayLike) -> Any:
        """Count the targets down to any depth; O(log n_points) each.

        Parameters
        ----------
        depth : array-like
            Depths in the unit of the curve's ``t``, from 0 to its last: items, where a
            float does not mean a fraction; or fractions of the ranking, if the curve is
            in fractions.

        Returns
        -------
        hits : float or ndarray of the shape of `depth`
            ``h(t)``, the targets of a tie shared out as the curve's tie rule says.

        Raises
        ------
        ValueError
            If a depth is outside the ranking.
        """
        depths = check_numbers("depth", depth)
        if np.any((depths < 0) | (depths > self.t[-1] * (1 + 1e-12))):
            raise invalid("depth", f"be between 0 and {self.t[-1]:g}", brief(depth))
        return np.interp(depths, self.t, self.hits)[()]

    def perfect(self) -> HitCurve:
        """Curve of the same items, ranked with all scored targets first.

        Returns
        -------
        curve : HitCurve
            It rises with slope 1 until nothing is left to find.
        """
        most, end = self.hits[-1], self.t[-1]
        t = np.array([0, min(most, end), end])
        t = t[_is_last_of_step(t)]
        return replace(self, t=t, hits=np.minimum(t, most))

    def chance_band(self, confidence_level: float = 0.95) -> CurveBand:
        """Pointwise band of random selection, by hypergeometric quantiles.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that random selection is within the limits, at least, at any one
            depth; as much on one side as on the other.

        Returns
        -------
        band : CurveBand
            Limits of h(t), exact at the depths `x`, where ties end: all such depths of
            a short ranking, some 500 of a long one. Within a tie the band is drawn
            along a straight line, as the curve is. Along the whole curve random
            selection leaves the band more often.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1, or the items have weights.

        Notes
        -----
        ``h(t)`` is hypergeometric: t items are drawn of n, m of which are targets
        ([1]_, section III). O(n_depths * m) at most.

        References
        ----------
        .. [1] Zhang and Su (2012), "Statistical inference on recall, precision and
           average precision under random selection", *FSKD 2012*, 1348-1352.
        """
        ends: Any = self.tie_ends  # of items without weights
        level = check_band_level(confidence_level, ends is None)
        n, m = round(self.t[-1] / self.unit), round(self.hits[-1] / self.unit)
        least, most = (
            np.asarray(hypergeom.ppf(q, n, m, ends), dtype=np.intp)
            for q in ((1 - level) / 2, (1 + level) / 2)
        )
        x, low, high = (np.append(0, one) * self.unit for one in (ends, least, most))
        return CurveBand(x, low, high, level)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the curve as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the table.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The columns "t", "hits", "recall", "precision" and "lift".

        Raises
        ------
        ImportError
            If the library is not installed.
        ValueError
            If the backend is none of these.
        """
        names = ("t", "hits", "recall", "precision", "lift")
        return data_frame({name: getattr(self, name) for name in names}, backend)


def hit_curve(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    as_fraction: bool = False,
    pos_label: object = None,
    ties: str = "expected",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
) -> HitCurve:
    """Hit curve: the number of targets among the top t, at every depth t.

    The higher, the better: a perfect ranking rises with slope 1 until it has found all
    targets, a random one runs along the diagonal. Cumulative gains, lift and enrichment
    are views of the same hits. Without ties, average precision is the sum over the
    targets of its precision times the recall gained.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the target;
        other labels need `pos_label`. Or a ranking or its counts, which stand
        for labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores, in any unit: only their order counts, higher meaning a likelier target.
        Left out with counts, and needed otherwise.
    as_fraction : bool, default=False
        Whether depths and hits are fractions of the ranking, t in [0, 1] and h(t) in
        [0, m/n], as in [1]_; otherwise they are counted in items.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    ties : {"expected", "optimistic", "pessimistic"}, default="expected"
        Within a tie the curve rises along a straight line, which is the mean over all
        orders; or its targets come first; or last.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: depths and hits are then sums of weights.
    n_missed : int, default=0
        Targets that were never scored: they count among the targets and the items, and
        the curve never gets to them.

    Returns
    -------
    curve : HitCurve
        The points between which the curve is straight: at most two for each distinct
        score of a target (three if `ties` is not "expected"), and the two ends.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels; if there are
        no targets; or if a setting is not one of its values.

    See Also
    --------
    operating_points : The operating points of the same ranking.
    hit_curve_band : How well the curve is known.
    recall_at_t, precision_at_t, enrichment_factor : Its values at one depth.

    Notes
    -----
    With h(t) the hits, n the items and m the targets: recall ``r(t) = h(t) / m``,
    precision ``p(t) = h(t) / t = (m / n) r(t) / (t / n)`` ([1]_, equation 1 and lemma
    1), lift ``p(t) / (m / n)``.

    Time O(n log m) for m targets, and memory one byte an item and O(m); as much again,
    with a copy of up to 2**20 scores, for the ends of ties. See :ref:`performance`.

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

    After two items one target is found; after six, two and on average half of the
    third, which shares its score with three others.
    """
    check_option("ties", ties, ("expected", "optimistic", "pessimistic"))
    fractions = check_flag("as_fraction", as_fraction)
    given: Any = {"sample_weight": sample_weight, "n_missed": n_missed}
    ranking = as_ranking(y_true, y_score, pos_label=pos_label, **given)
    curve = curve_of(ranking, ties)
    return in_fractions(curve) if fractions else curve


def curve_of(ranking: Ranking, ties: str = "expected") -> HitCurve:
    """Curve of a ranking; O(m)."""
    if ranking.n_targets == 0:
        raise invalid("y_true", "hold targets to make a curve of hits", "none")
    end = ranking.n_samples
    t, hits = _corners(ranking.groups, ties)
    # ends of neighbouring groups coincide, as do those of the ranking and its last
    # group
    t = np.concatenate([[0], t, [end]])
    hits = np.maximum.accumulate(np.append(0, hits))  # rounding may step back
    hits = np.append(hits, hits[-1])
    kept = _is_last_of_step(t)
    return HitCurve(
        t=t[kept],
        hits=hits[kept],
        n_samples=end + ranking.n_missed,
        n_targets=ranking.n_targets,
        unit=1,
        tie_ends=None if ranking.weighted else _tie_ends(ranking),
    )


def in_fractions(curve: HitCurve) -> HitCurve:
    """Count in fractions of the ranking."""
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
    """Whether the depth after each is another, not the same up to rounding."""
    slack = SLACK if t.dtype.kind == "f" else 0
    return np.append(np.diff(t) > slack * t[1:], True)


def _corners(groups: HitGroups, ties: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where the slope of the curve may change."""
    above, size = groups.above, groups.size
    before, hits = groups.hits_above, groups.hits
    turn = {"optimistic": (hits, hits), "pessimistic": (size - hits, 0 * hits)}
    inner = [turn[ties]] if ties in turn else []
    steps = [(0 * size, 0 * hits), *inner, (size, hits)]
    t = np.stack([above + items for items, _ in steps], axis=1).ravel()
    return t, np.stack([before + found for _, found in steps], axis=1).ravel()


def _tie_ends(ranking: Ranking) -> NDArray[np.intp]:
    """Depths at which ties end, enough for a picture."""
    depths = spread_counts(int(ranking.n_samples))
    return np.unique(ranking.items.group_ends(depths))
