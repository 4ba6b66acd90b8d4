"""The operating points of a ranking: what each threshold of the score retrieves.

A threshold retrieves whole ties, so there is one point for each distinct score. Only
scores of targets are needed: any other threshold has the recall of one of them and a
lower precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_flag, check_option, check_positive, invalid
from skrank._utils._numbers import number
from skrank._utils._rounding import ROUNDING
from skrank._utils._table import data_frame
from skrank.curves._band import CurveBand, check_band_level
from skrank.curves._depths import chosen_counts, spread_counts
from skrank.curves._hypergeometric import depths_by_chance
from skrank.ranking._as_ranking import Labels, as_ranking
from skrank.ranking._ranking import Ranking


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OperatingPoints:
    """Recall and precision at all thresholds: the result of operating_points.

    There is a point for each distinct score of a target. A threshold retrieves all
    items with its score or a better score. All arrays have the same length, and recall
    increases strictly.

    Attributes
    ----------
    score : ndarray of shape (n_points,)
        Thresholds. Items with this score or a better score are retrieved.
    t : ndarray of shape (n_points,)
        Number of items retrieved.
    hits : ndarray of shape (n_points,)
        Number of targets retrieved.
    n_samples, n_targets : float
        Number of items and of targets, including targets that were never scored.
    n_non_targets : float
        Number of non-targets.

    See Also
    --------
    operating_points : Computes the points from labels and scores.

    Examples
    --------
    >>> from skrank import operating_points
    >>> points = operating_points([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> points
    <OperatingPoints of 2 targets among 5 items: 2 points>
    >>> points.recall, points.precision
    (array([0.5, 1. ]), array([1.        , 0.66666667]))
    """

    score: NDArray[Any]
    t: NDArray[Any]
    hits: NDArray[Any]
    n_samples: float
    n_targets: float
    n_non_targets: float

    def __repr__(self) -> str:
        """Print the numbers of items, targets and points."""
        n, m = number(self.n_samples, 6), number(self.n_targets, 6)
        return f"<OperatingPoints of {m} targets among {n} items: {len(self)} points>"

    def __len__(self) -> int:
        """Return the number of points."""
        return self.score.size

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the targets that are retrieved, also called sensitivity.

        Returns
        -------
        recall : ndarray of shape (n_points,)
            Values above 0 and up to 1.
        """
        share: NDArray[np.float64] = self.hits / self.n_targets
        return np.minimum(share, 1.0)  # rounding errors

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of targets among the items retrieved.

        Returns
        -------
        precision : ndarray of shape (n_points,)
            Values above 0 and up to 1.
        """
        share: NDArray[np.float64] = self.hits / self.t
        return np.minimum(share, 1.0)  # rounding errors

    @property
    def specificity(self) -> NDArray[np.float64]:
        """Share of the non-targets that are not retrieved; also rejection recall.

        Returns
        -------
        specificity : ndarray of shape (n_points,)
            Values between 0 and 1; NaN if there are no non-targets.
        """
        if self.n_non_targets == 0:
            return np.full(len(self), np.nan)
        share: NDArray[np.float64] = 1 - (self.t - self.hits) / self.n_non_targets
        return np.clip(share, 0.0, 1.0)  # rounding errors

    def f_score(self, beta: float = 1.0) -> NDArray[np.float64]:
        """Weighted harmonic mean of precision and recall.

        Parameters
        ----------
        beta : float, default=1.0
            Weight of recall relative to precision, above 0. A value above 1 favours
            recall.

        Returns
        -------
        f_score : ndarray of shape (n_points,)
            ``(1 + beta**2) p r / (beta**2 p + r)``, which equals ``(1 + beta**2) h /
            (beta**2 m + t)``. Values are above 0 and up to 1.

        Raises
        ------
        ValueError
            If `beta` is not a finite number above 0.
        """
        # beyond these it equals precision or recall, to the last digit
        square = min(max(check_positive("beta", beta), 1e-100), 1e100) ** 2
        # ratios first: products of weights may overflow
        work = square * (self.n_targets / self.hits) + self.t / self.hits
        score: NDArray[np.float64] = (1 + square) / work
        return np.minimum(score, 1.0)  # rounding errors

    def not_dominated(self, rate: str) -> OperatingPoints:
        """Leave out points that another point dominates in recall and in a rate.

        Parameters
        ----------
        rate : {"precision", "specificity"}
            Rate to compare with recall.

        Returns
        -------
        points : OperatingPoints
            Points for which no other point has at least the same recall and the same
            rate. Their rate decreases strictly. The interpolated curve is a step
            function: from the recall of the previous point to the recall of a point, it
            has the rate of the point.

        Raises
        ------
        ValueError
            If `rate` is unknown.
        """
        values = self._rate(rate)
        best_below = np.maximum.accumulate(np.append(values, -np.inf)[:0:-1])[::-1]
        kept = values > best_below + self._slack(rate, best_below)
        columns = {key: getattr(self, key)[kept] for key in ("score", "t", "hits")}
        return replace(self, **columns)

    def _rate(self, rate: str) -> NDArray[np.float64]:
        check_option("rate", rate, ("precision", "specificity"))
        values: NDArray[np.float64] = getattr(self, rate)
        return values

    def _slack(self, rate: str, values: NDArray[np.float64]) -> Any:
        """Return the rounding error of a rate; counts are compared exactly."""
        if self.t.dtype.kind != "f":
            return 0.0
        return ROUNDING * values if rate == "precision" else ROUNDING

    def area(self, rate: str) -> float:
        """Area under the rate as a step function of recall.

        Parameters
        ----------
        rate : {"precision", "specificity"}
            Rate to compare with recall.

        Returns
        -------
        area : float
            Sum over the points of the rate times the gain in recall, between 0 and 1.
            For precision and all points it is average precision with
            ``ties="together"``.

        Raises
        ------
        ValueError
            If `rate` is unknown.
        """
        total = (np.diff(self.recall, prepend=0.0) * self._rate(rate)).sum()
        return float(np.minimum(total, 1.0))  # rounding errors

    def chance_band(
        self,
        confidence_level: float = 0.95,
        *,
        hits: float | Sequence[float] | None = None,
    ) -> CurveBand:
        """Return the pointwise band of random selection.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability of the band, between 0 and 1. At any single recall, random
            selection is within the limits with at least this probability. Each tail has
            at most half of the remaining probability.
        hits : int, float or sequence of them, default=None
            Targets for which limits are returned: 1 is the first target found. Floats
            in (0, 1] are fractions of the scored targets, rounded up. None uses all
            targets, or about 400 of them if there are more than 256.

        Returns
        -------
        band : CurveBand
            Exact limits of the precision at which random selection without ties finds
            its j-th target, against the recall at this target.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1, if an entry of `hits` is not from 1 to
            the number of scored targets, or if the items have weights.

        Notes
        -----
        The j-th target is in the top t if the top t contain at least j targets. The
        number of targets in the top t has a hypergeometric distribution. The limits are
        quantiles of the depth of the j-th target, found by bisection with O(log n)
        probabilities each.
        """
        level = check_band_level(confidence_level, self.t.dtype.kind == "f")
        found = int(self.hits.max(initial=0))  # the last point retrieves all
        n = int(self.n_samples - (self.n_targets - found))
        of = (
            spread_counts(found) if hits is None else chosen_counts("hits", hits, found)
        )
        deepest, first = (
            of / depths_by_chance(q, n, found, of)
            for q in ((1 + level) / 2, (1 - level) / 2)
        )
        return CurveBand(of / self.n_targets, deepest, first, level)

    def to_frame(self) -> Any:
        """Return the points as a data frame.

        Returns
        -------
        frame : pandas.DataFrame
            Table with the columns "score", "t", "hits", "recall", "precision" and
            "specificity".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names = ("score", "t", "hits", "recall", "precision", "specificity")
        return data_frame({name: getattr(self, name) for name in names})


def operating_points(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    interpolate: bool = False,
    pos_label: object = None,
    missing: str = "error",
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
    n_unlisted: int | None = None,
) -> OperatingPoints:
    """Recall and precision at all thresholds; to choose one use ThresholdChoice.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels of the items. Targets are labelled 1 or True unless `pos_label` is
        passed. A Ranking or RankCounts replaces labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the items; a higher score means a likelier target. Only the order
        counts. Required unless `y_true` is a Ranking or RankCounts.
    interpolate : bool, default=False
        Whether to leave out points that another point equals or exceeds in both recall
        and precision. The precision of the remaining points decreases
        strictly. Between two points, use the precision of the point with the higher
        recall, which is the highest precision at this recall or a higher recall.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    missing : {"error", "last", "missed"}, default="error"
        How to treat items whose score is NaN, None or NA, such as compounds whose
        docking failed. "error" raises an error. "last" ranks them below all others, as
        one tie. "missed" leaves them out and counts the targets among them as
        `n_missed`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the items. An item of weight 2 counts as two items, and counts are
        sums of weights.
    n_missed : int, default=0
        Targets that were never scored. They count among the targets and the items, and
        no threshold retrieves them.
    n_unlisted : int, default=None
        Number of items that were never scored, including the missed targets. They rank
        below all others, as one tie.

    Returns
    -------
    points : OperatingPoints
        A point for each distinct score of a target, best score first. No points are
        added at recall 0 and 1.

    Raises
    ------
    ValueError
        If the input is invalid, as in :func:`average_precision`; if there are no
        targets; or if `interpolate` is not True or False.

    See Also
    --------
    hit_curve : Number of targets at every depth.
    average_precision : Area under the curve.
    sklearn.metrics.precision_recall_curve : All thresholds, with an added end point.

    Notes
    -----
    A threshold retrieves a tie as a whole. Without ties, the points equal the points of
    LingPipe's ``ScoredPrecisionRecallEvaluation``, which ranks tied items in the order
    in which they were added.

    Time is O(n log m) and memory O(m) + n bytes; see :ref:`performance`.

    Examples
    --------
    >>> from skrank import operating_points
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [-1.2, -1.3, -1.4, -1.5, -1.6, -1.7, -1.8, -1.9, -2, -3.7]
    >>> points = operating_points(y_true, y_score)
    >>> points.recall
    array([0.25, 0.5 , 0.75, 1.  ])
    >>> points.precision.round(2)
    array([0.5 , 0.5 , 0.6 , 0.44])
    >>> operating_points(y_true, y_score, interpolate=True).recall
    array([0.75, 1.  ])

    The points at recall 0.25 and 0.5 are left out, because the point at recall 0.75 has
    a higher precision.
    """
    # shared: missing
    best = check_flag("interpolate", interpolate)
    given: Any = {"sample_weight": sample_weight, "n_missed": n_missed}
    given |= {"n_unlisted": n_unlisted, "missing": missing}
    points = points_of(as_ranking(y_true, y_score, pos_label=pos_label, **given))
    return points.not_dominated("precision") if best else points


def points_of(ranking: Ranking) -> OperatingPoints:
    """Return the operating points of a ranking; O(m)."""
    if ranking.n_targets == 0:
        raise invalid("y_true", "contain targets to make a curve of recall", "none")
    groups = ranking.groups
    return OperatingPoints(
        score=ranking.levels,
        t=groups.above + groups.size,
        hits=groups.hits_above + groups.hits,
        n_samples=ranking.n_samples + ranking.n_missed,
        n_targets=ranking.n_targets,
        n_non_targets=ranking.n_non_targets,
    )
