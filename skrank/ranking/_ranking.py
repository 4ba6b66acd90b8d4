"""The class `Ranking`: tie groups, best first.

A metric needs, for each distinct score of a target, the number of items above it and
the number of items that share it. These are counted without sorting
(`_level_counts`). Weighted items are sorted, because the weights must be sorted with
the scores. The null distribution, and a cutoff that moves to the end of its tie, need
the ties of all items; these are computed when they are needed.

Notation in this module and in all that use it: T items and H targets ("hits") are above
a tie group of b items that holds d hits. With weights, all four are sums of weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_flag
from skrank._utils._signature import signature_of
from skrank.ranking._buckets import sorted_values
from skrank.ranking._input import RankingInput, check_ranking_input
from skrank.ranking._items import SHALLOW, ListedItems, WeightedItems, level_at
from skrank.ranking._level_counts import count_levels
from skrank.ranking._response import marks_and_scores


@dataclass(frozen=True, slots=True, eq=False)
class HitGroups:
    """The tie groups that hold targets, best first: T, b, H and d of each."""

    above: NDArray[Any]
    size: NDArray[Any]
    hits_above: NDArray[Any]
    hits: NDArray[Any]

    def take(self, index: Any) -> HitGroups:
        """Return the groups at `index`."""
        return HitGroups(
            self.above[index],
            self.size[index],
            self.hits_above[index],
            self.hits[index],
        )

    def down_to(self, depth: float) -> HitGroups:
        """Return the groups that begin above `depth`.

        The groups below have no gain there, but the sum would have other rounding
        errors.
        """
        count = int(self.above.searchsorted(depth))
        return self if count == self.above.size else self.take(slice(count))


@signature_of("n_samples", "n_targets", "n_non_targets", "n_missed")
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking:
    """One sorted ranking for several metrics; for several models use Rankings.

    Metrics, curves, the random selection test and intervals accept a ranking in place
    of labels and scores. The items are then ranked only once. Create a ranking with
    `from_predictions` or `from_estimator`.

    Attributes
    ----------
    n_samples, n_targets, n_non_targets : float
        Numbers of items, of targets and of non-targets; sums of weights for weighted
        items. Targets that were never scored count only in `n_targets`.
    n_missed : int
        Number of targets that were never scored.

    See Also
    --------
    RankCounts : Counts of a data set that is larger than memory.

    Examples
    --------
    >>> from skrank import Ranking, average_precision, precision_at_t
    >>> y_true, y_score = [0, 1, 1, 0, 1], [0.1, 0.9, 0.4, 0.5, 0.7]
    >>> ranking = Ranking.from_predictions(y_true, y_score)
    >>> ranking
    <Ranking of 5 items, 3 targets>
    >>> average_precision(ranking), precision_at_t(ranking, t=2)
    (0.9166..., 1.0)
    """

    # `groups` are the tie groups that hold targets, `levels` their scores, best first.
    # `items` gives the ties of all items. `shares_weight` tells whether a weighted
    # target is tied with another item. `thinned` tells whether all non-targets have one
    # weight, above that of all targets. `several` tells whether this is one of several
    # rankings, some of which may be shorter than a cutoff.
    groups: HitGroups
    levels: NDArray[Any]
    n_samples: float
    n_targets: float
    n_non_targets: float
    n_missed: int
    items: Any
    shares_weight: bool = False
    thinned: bool = False
    several: bool = False

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: object = None,
        lower_is_better: bool = False,
        missing: str = "error",
        sample_weight: ArrayLike | None = None,
        n_missed: int = 0,
        n_unlisted: int | None = None,
    ) -> Ranking:
        """Rank items by their scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items.
        y_score : array-like of shape (n_samples,)
            Scores of the items; a higher score means a likelier target.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        lower_is_better : bool, default=False
            Whether lower scores mean likelier targets, as for docking energies.
        missing : {"error", "last", "missed"}, default="error"
            How to treat items whose score is NaN, None or NA, such as compounds whose
            docking failed. "error" raises an error. "last" ranks them below all others,
            as one tie. "missed" leaves them out and counts the targets among them as
            `n_missed`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the items, for metrics and curves.
        n_missed : int, default=0
            Targets that were never scored. They count among the targets and have no
            rank.
        n_unlisted : int, default=None
            Number of items that were never scored, including the missed targets. They
            rank below all others, as one tie.

        Returns
        -------
        ranking : Ranking
            Ranking to use in place of labels and scores.

        Raises
        ------
        ValueError
            If labels, scores or weights are not valid, or if their lengths differ.
        """
        # shared: pos_label missing lower_is_better_of_one
        return rank(
            check_ranking_input(
                y_true,
                y_score,
                pos_label=pos_label,
                lower_is_better=check_flag("lower_is_better", lower_is_better),
                missing=missing,
                sample_weight=sample_weight,
                n_missed=n_missed,
                n_unlisted=n_unlisted,
            )
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> Ranking:
        """Rank items by the scores of a fitted estimator.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. See
            :ref:`scores_of_estimators` for the method that computes the scores.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not the items to which the estimator was fitted.
        y : array-like of shape (n_samples,)
            Labels of the items.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            Whether the targets are the outliers or the inliers of an outlier detector.
            Required for an outlier detector; no effect on other estimators.

        Returns
        -------
        ranking : Ranking
            Ranking to use in place of labels and scores.

        Raises
        ------
        ValueError
            If the estimator only predicts labels, if it is an outlier detector and
            `detector_targets` is None, or if labels or scores are not valid.
        """
        # shared: X y pos_label detector_targets
        asked = (pos_label, detector_targets)
        return cls.from_predictions(*marks_and_scores(estimator, X, y, *asked)[:2])

    def __repr__(self) -> str:
        """Print the numbers of items and of targets."""
        missed = f", {self.n_missed} missed" if self.n_missed else ""
        return (
            f"<Ranking of {self.n_samples:.15g} items, "
            f"{self.n_targets:.15g} targets{missed}>"
        )

    @property
    def n_scored(self) -> float:
        """Number of items with a rank: all but the missed targets."""
        return self.n_samples

    @property
    def has_items(self) -> bool:
        """Whether the items are known one by one, and were not only counted."""
        return isinstance(self.items, ListedItems)

    @property
    def weighted(self) -> bool:
        """Whether depths are sums of weights."""
        return bool(self.items.weighted)

    @property
    def whole(self) -> bool:
        """Whether depths are counts: no weights, or whole-number weights."""
        return bool(self.items.whole)

    def group_end(self, depth: float) -> float:
        """Return the depth at which the tie that contains `depth` ends."""
        return float(self.items.group_end(depth))


def rank(data: RankingInput, depth: float = math.inf) -> Ranking:
    """Rank checked input; tie groups that begin below `depth` may be left out.

    Without weights, the ranks of the targets are counted (see `_level_counts`). If
    `depth` is at most 1/16 of the ranking, the score at this depth is found first. Both
    take O(n). Items with weights are sorted: O(n log n).
    """
    if data.weight is not None:
        return _rank_weights(data)
    if depth <= SHALLOW * data.y_score.size:
        return _rank_top(data, int(depth))
    return _rank_counts(data)


def hits_at(ranking: Ranking, depths: Any) -> Any:
    """Return the hits down to each depth; the tie at the depth is divided."""
    groups = ranking.groups
    t = np.stack([groups.above, groups.above + groups.size], axis=1).ravel()
    hits = np.stack([groups.hits_above, groups.hits_above + groups.hits], axis=1)
    # the first point is for a ranking without targets
    return np.interp(depths, np.append(0, t), np.append(0, hits))


def _rank_counts(data: RankingInput) -> Ranking:
    """Count the items above and equal to each distinct score of a target."""
    levels, hits = _distinct(data.y_score[data.targets])
    below, size = count_levels(data.y_score, levels)
    return _counted(data, levels, data.y_score.size - below - size, size, hits)


def _rank_top(data: RankingInput, depth: int) -> Ranking:
    """Count likewise, down to the end of the tie that contains `depth`."""
    floor = level_at(data.y_score, depth)
    top = data.y_score[data.y_score > floor]
    scores = data.y_score[data.targets]
    levels, hits = _distinct(scores[scores >= floor])
    below, size = count_levels(top, levels)
    above = top.size - below - size
    size[levels == floor] = np.count_nonzero(data.y_score == floor)
    return _counted(data, levels, above, size, hits)


def _distinct(scores: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the distinct scores, ascending, and their frequencies."""
    ordered = sorted_values(scores)
    is_last = np.empty(ordered.size, dtype=bool)
    is_last[-1:] = True
    is_last[:-1] = ordered[1:] != ordered[:-1]
    last = is_last.nonzero()[0]
    hits = last + 1
    hits[1:] -= hits[:-1].copy()
    return ordered[last], hits


def _counted(
    data: RankingInput,
    levels: NDArray[Any],
    above: NDArray[Any],
    size: NDArray[Any],
    hits: NDArray[np.intp],
) -> Ranking:
    """Return the ranking of counted items from groups in ascending order."""
    n, m = data.y_score.size, data.targets.size
    return Ranking(
        groups=_from_top(above=above, size=size, hits=hits),
        levels=levels[::-1],
        n_samples=n,
        n_targets=m + data.n_missed,
        n_non_targets=n - m,
        n_missed=data.n_missed,
        items=ListedItems(data.y_score, data.targets, data),
    )


def _rank_weights(data: RankingInput) -> Ranking:
    """Sum the weights above and equal to each distinct score of a target."""
    assert data.weight is not None
    order = np.argsort(data.y_score)
    ordered, weight = data.y_score[order], data.weight[order]
    depth = np.cumsum(weight[::-1])[::-1]
    hit_weight = np.zeros(ordered.size)
    hit_weight[data.targets] = data.weight[data.targets]
    is_first = np.r_[True, ordered[1:] != ordered[:-1]][: ordered.size]
    first = is_first.nonzero()[0]
    n_tied = np.diff(first, append=ordered.size)
    hits = np.add.reduceat(hit_weight[order], first)
    size = np.add.reduceat(weight, first)
    above = np.append(depth[first[1:]], 0.0)
    held = hits > 0
    groups = _from_top(above=above[held], size=size[held], hits=hits[held])
    total = float(groups.hits.sum())
    others = np.delete(data.weight, data.targets)
    return Ranking(
        groups=groups,
        levels=ordered[first][held][::-1],
        n_samples=float(depth.max(initial=0.0)),
        n_targets=total + data.n_missed,
        n_non_targets=float(others.sum()),
        n_missed=data.n_missed,
        items=WeightedItems(ordered, depth, data),
        shares_weight=bool(np.any(n_tied[held] > 1)),
        thinned=_are_thinned(data.weight[data.targets], others),
    )


def _are_thinned(targets: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether weights look like those of all targets and a sample of the non-targets.

    Weights that balance the classes do not: their sums are equal in both classes. Nor
    do the weights of a few items, which can be equal by chance.
    """
    if targets.size < 2 or others.size < 10 or others[0] <= targets[0]:
        return False
    if not ((targets == targets[0]).all() and (others == others[0]).all()):
        return False
    return not math.isclose(targets.sum(), others.sum())


def _from_top(
    *, above: NDArray[Any], size: NDArray[Any], hits: NDArray[Any]
) -> HitGroups:
    """Reverse groups in ascending order, and count the hits above each."""
    hits = hits[::-1]
    return HitGroups(above[::-1], size[::-1], hits.cumsum() - hits, hits)
