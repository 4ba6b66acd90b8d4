"""The operating points of a ranking: what each threshold on the score retrieves.

A threshold retrieves ties whole, so there is one point for each distinct score. Those
of targets are enough: any other has the recall of one of them at a lower precision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import hypergeom

from skrank._utils._checks import check_flag, check_option, check_positive, invalid
from skrank._utils._table import data_frame
from skrank.curves._band import CurveBand, check_band_level, spread_counts
from skrank.ranking._as_ranking import Labels, as_ranking
from skrank.ranking._items import SLACK
from skrank.ranking._ranking import Ranking

RATES = ("precision", "specificity")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OperatingPoints:
    """Thresholds on the score, best first, and what they retrieve.

    One point for each distinct score of a target: its tie and all above it are
    retrieved. All arrays have the same length; recall increases strictly.

    Attributes
    ----------
    score : ndarray of shape (n_points,)
        Thresholds: items with this score or a better one are retrieved.
    t : ndarray of shape (n_points,)
        Items retrieved.
    hits : ndarray of shape (n_points,)
        Targets among them.
    n_samples, n_targets : float
        Number of items and of targets, those included that were never scored.
    n_non_targets : float
        Number of items that are no targets.

    See Also
    --------
    operating_points : Makes them of labels and scores.

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
        """Say how large the ranking is, and how many points there are."""
        n, m = f"{self.n_samples:g}", f"{self.n_targets:g}"
        return f"<OperatingPoints of {m} targets among {n} items: {len(self)} points>"

    def __len__(self) -> int:
        """Count the points."""
        return self.score.size

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the targets that are retrieved; also sensitivity.

        Returns
        -------
        recall : ndarray of shape (n_points,)
            Above 0, up to 1.
        """
        share: NDArray[np.float64] = self.hits / self.n_targets
        return np.minimum(share, 1.0)  # rounding may step over

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of targets among the items retrieved.

        Returns
        -------
        precision : ndarray of shape (n_points,)
            Above 0, up to 1.
        """
        share: NDArray[np.float64] = self.hits / self.t
        return np.minimum(share, 1.0)  # rounding may step over

    @property
    def specificity(self) -> NDArray[np.float64]:
        """Share of the others that are not retrieved; also rejection recall.

        Returns
        -------
        specificity : ndarray of shape (n_points,)
            Between 0 and 1; NaN if there are no others.
        """
        if self.n_non_targets == 0:
            return np.full(len(self), np.nan)
        share: NDArray[np.float64] = 1 - (self.t - self.hits) / self.n_non_targets
        return np.clip(share, 0.0, 1.0)  # rounding may step over

    def f_score(self, beta: float = 1.0) -> NDArray[np.float64]:
        """Weighted harmonic mean of precision and recall.

        Parameters
        ----------
        beta : float, default=1.0
            How many times as much recall counts as precision.

        Returns
        -------
        f_score : ndarray of shape (n_points,)
            ``(1 + beta**2) p r / (beta**2 p + r)``, which is
            ``(1 + beta**2) h / (beta**2 m + t)``; above 0, up to 1.

        Raises
        ------
        ValueError
            If `beta` is not a finite number above 0.
        """
        # beyond these it is precision or recall, to the last digit
        square = min(max(check_positive("beta", beta), 1e-100), 1e100) ** 2
        # ratios first: products of weights can leave the range of floats
        work = square * (self.n_targets / self.hits) + self.t / self.hits
        score: NDArray[np.float64] = (1 + square) / work
        return np.minimum(score, 1.0)  # rounding may step over

    def not_dominated(self, rate: str) -> OperatingPoints:
        """Leave out points that another equals or beats in recall and in a rate.

        Parameters
        ----------
        rate : {"precision", "specificity"}
            What recall is traded for.

        Returns
        -------
        points : OperatingPoints
            The rate decreases strictly along them. Read as a step function, constant
            from the recall of the point before, they interpolate the curve.

        Raises
        ------
        ValueError
            If the rate is unknown.
        """
        check_option("rate", rate, RATES)
        values = getattr(self, rate)
        best_below = np.maximum.accumulate(np.append(values, -np.inf)[:0:-1])[::-1]
        kept = values > best_below + self._slack(rate, best_below)
        columns = {key: getattr(self, key)[kept] for key in ("score", "t", "hits")}
        return replace(self, **columns)

    def _slack(self, rate: str, values: NDArray[np.float64]) -> Any:
        """Rounding of the values of a rate; those of counts are equal if they are."""
        if self.t.dtype.kind != "f":
            return 0.0
        return SLACK * values if rate == "precision" else SLACK

    def area(self, rate: str) -> float:
        """Area under the rate as a step function of recall.

        Parameters
        ----------
        rate : {"precision", "specificity"}
            What recall is traded for.

        Returns
        -------
        area : float
            Sum over the points of the rate times the recall gained; between 0 and 1. Of
            all points and precision it is average precision by ``ties="threshold"``.

        Raises
        ------
        ValueError
            If the rate is unknown.
        """
        check_option("rate", rate, RATES)
        gained = np.diff(self.recall, prepend=0.0)
        total = (gained * getattr(self, rate)).sum()
        return float(np.minimum(total, 1.0))  # rounding may step over

    def chance_band(self, confidence_level: float = 0.95) -> CurveBand:
        """Pointwise band of random selection, by quantiles of the depths of targets.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that random selection is within the limits, at least, at any one
            recall; as much on one side as on the other.

        Returns
        -------
        band : CurveBand
            Limits of the precision at which random selection, without ties, finds
            its j-th target, against the recall that it has then.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1, or the items have weights.

        Notes
        -----
        The j-th target is among the top t if the top t hold j targets or more, the
        number of which is hypergeometric; the quantile of its depth is searched by
        bisection, O(log n) probabilities each.
        """
        level = check_band_level(confidence_level, self.t.dtype.kind == "f")
        found = int(self.hits.max(initial=0))  # the last point retrieves all scored
        n = int(self.n_samples - (self.n_targets - found))
        hits = spread_counts(found)
        deepest, first = (
            hits / _depth_by_chance(hits, n, found, q)
            for q in ((1 + level) / 2, (1 - level) / 2)
        )
        return CurveBand(hits / self.n_targets, deepest, first, level)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the points as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the table.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The columns "score", "t", "hits", "recall", "precision" and "specificity".

        Raises
        ------
        ImportError
            If the library is not installed.
        ValueError
            If the backend is none of these.
        """
        names = ("score", "t", "hits", "recall", "precision", "specificity")
        return data_frame({name: getattr(self, name) for name in names}, backend)


def operating_points(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    interpolate: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    n_missed: int = 0,
) -> OperatingPoints:
    """Recall and precision of every threshold that retrieves another target.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Ranking or RankCounts
        Labels. {0, 1}, {-1, 1} and bool are understood, the larger being the target;
        other labels need `pos_label`. Or a ranking or its counts, which stand
        for labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores, in any unit: only their order counts, higher meaning a likelier target.
        Left out with counts, and needed otherwise.
    interpolate : bool, default=False
        Whether to leave out dominated points, for which another has the same or a
        higher recall and precision. Precision then decreases strictly, and at a recall
        in between it is that of the next point, the best there is at that recall or a
        higher one.
    pos_label : int, float, bool or str, default=None
        Label of the targets.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, taken as repetition: counts are then sums of weights.
    n_missed : int, default=0
        Targets that were never scored: they count among the targets and the items, and
        no threshold retrieves them.

    Returns
    -------
    points : OperatingPoints
        One for each distinct score of a target, best first; no points are added at
        recall 0 and 1, which no threshold need attain.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes: lengths that differ, no items,
        missing or infinite values, hard labels as scores, unknown labels; if there are
        no targets; or if `interpolate` is not True or False.

    See Also
    --------
    hit_curve : Hits at every depth, the same ranking otherwise seen.
    average_precision : Area under the curve.
    sklearn.metrics.precision_recall_curve : All thresholds, and an end point added.

    Notes
    -----
    A tie is retrieved whole. The points are those of LingPipe's
    ``ScoredPrecisionRecallEvaluation``, where the rankings have no ties; it takes tied
    items in the order in which they were added.

    Time O(n log m) for m targets, memory one byte an item and O(m); see
    :ref:`performance`.

    Examples
    --------
    >>> from skrank import operating_points
    >>> y_true = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> y_score = [-1.2, -1.3, -1.4, -1.5, -1.6, -1.7, -1.8, -1.9, -2.0, -3.7]
    >>> points = operating_points(y_true, y_score)
    >>> points.recall
    array([0.25, 0.5 , 0.75, 1.  ])
    >>> points.precision.round(2)
    array([0.5 , 0.5 , 0.6 , 0.44])
    >>> operating_points(y_true, y_score, interpolate=True).recall
    array([0.75, 1.  ])

    Whoever is content with half of the targets gets three quarters of them at a better
    precision.
    """
    best = check_flag("interpolate", interpolate)
    given: Any = {"sample_weight": sample_weight, "n_missed": n_missed}
    points = points_of(as_ranking(y_true, y_score, pos_label=pos_label, **given))
    return points.not_dominated("precision") if best else points


def points_of(ranking: Ranking) -> OperatingPoints:
    """Operating points of a ranking; O(m)."""
    if ranking.n_targets == 0:
        raise invalid("y_true", "hold targets to make a curve of recall", "none")
    groups = ranking.groups
    return OperatingPoints(
        score=ranking.levels,
        t=groups.above + groups.size,
        hits=groups.hits_above + groups.hits,
        n_samples=ranking.n_samples + ranking.n_missed,
        n_targets=ranking.n_targets,
        n_non_targets=ranking.n_non_targets,
    )


def _depth_by_chance(
    hits: NDArray[np.intp], n_samples: int, n_targets: int, q: float
) -> NDArray[np.intp]:
    """Least depths that hold so many targets with a probability of at least q."""
    low, high = np.zeros_like(hits), np.full_like(hits, n_samples)
    while np.any(high - low > 1):
        middle = (low + high) // 2
        enough = hypergeom.sf(hits - 1, n_samples, n_targets, middle) >= q
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high
