"""Tables of changes: what each unit of the sample changes of the values of models.

Another sample would draw other units: items, clusters, data sets or folds. A table has
a row for each unit and a column for each model. The standard error of a value is that
of the contrast (1,), and of a difference that of (1, -1), with the same degrees of
freedom for the same units. What another sample would draw determines how the rows are
summed, and each class has one such way.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import invalid
from skrank._utils._text import brief
from skrank.inference.variability._clusters import (
    Codes,
    cell_changes,
    clusters_of_classes,
    influences,
    satterthwaite,
)
from skrank.inference.variability._folds import corrected_error
from skrank.inference.variability._jackknife import jackknife_of
from skrank.metrics._definitions import Metric
from skrank.ranking._ranking import Ranking
from skrank.ranking._rankings import Rankings
from skrank.ranking._standing import standing

Floats = NDArray[np.float64]


class StandardError(NamedTuple):
    """Standard error of a sum of values, and its degrees of freedom."""

    error: float
    degrees_of_freedom: float


@dataclass(frozen=True, slots=True, eq=False)
class ItemChanges:
    """Targets and non-targets are drawn anew, separately in each of the data sets.

    `changes` has a table for each data set, whose rows stand for `counts` alike items.
    `fewest` are its targets or non-targets, whichever are fewer.
    """

    changes: Sequence[Floats]
    counts: Sequence[NDArray[Any]]
    fewest: Sequence[float]

    def error(
        self, contrast: Sequence[float] | Floats, certain: Sequence[bool] = ()
    ) -> StandardError:
        """Return the standard error of the mean over the data sets, which are fixed.

        The sum is `certain` not to vary on some of them.
        """
        tables = zip(self.changes, self.counts, strict=True)
        variances = np.array(
            [count @ (change @ contrast) ** 2 for change, count in tables]
        )
        variances[np.flatnonzero(certain)] = 0.0
        return error_of_fixed(np.sqrt(variances), self.fewest)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterChanges:
    """Clusters are drawn anew; the rows are the sums over their items.

    There are none for a metric that jumps when an item is left out. `fewest` are the
    clusters with targets or with non-targets, whichever are fewer.
    """

    changes: Floats | None
    fewest: int

    @property
    def is_known(self) -> bool:
        """Whether two clusters hold targets, and two non-targets."""
        return self.fewest >= 2

    def error(self, contrast: Sequence[float] | Floats) -> StandardError:
        """Return the root of ``G / (G - 1)`` times the sum of squares about the mean.

        It is NaN if a class is in one cluster, and without rows. The degrees of freedom
        are infinite if nothing varies.
        """
        if self.changes is None or not self.is_known:
            return StandardError(math.nan, max(1.0, self.fewest - 1.0))
        totals = self.changes @ contrast
        squares, n = (totals - totals.mean()) ** 2, totals.size
        total = squares.sum()
        freedom = satterthwaite(total, (squares**2).sum(), n) if total > 0 else math.inf
        return StandardError(math.sqrt(n / (n - 1) * total), float(freedom))


@dataclass(frozen=True, slots=True, eq=False)
class PartChanges:
    """Data sets are drawn anew, or folds, with `ratio` held-out items for a fitted one.

    The rows are the values of the data sets. Of folds, `repetition` is the number of
    the repetition of each.
    """

    values: Floats
    ratio: float = 0.0
    repetition: Codes | None = None

    def error(self, contrast: Sequence[float] | Floats) -> StandardError:
        """Return the standard error of the mean; NaN of a single data set or fold."""
        return StandardError(
            *corrected_error(self.values @ contrast, self.ratio, self.repetition)
        )


@dataclass(frozen=True, slots=True, eq=False)
class TwoWayChanges:
    """Data sets and clusters, which recur over the data sets, are drawn anew.

    `clusters` and `changes` have a row for each cluster in each data set; a change is
    NaN if the cluster holds all of a class. `part` is the data set of each row.
    """

    values: Floats
    changes: Floats
    clusters: Codes
    part: Codes

    def error(self, contrast: Sequence[float] | Floats) -> StandardError:
        """Return the standard error of the mean over the data sets.

        The variances by data sets and by clusters are combined as those of a sum over
        two ways (Cameron, Gelbach and Miller 2011), and are at least the larger one:
        V_group + V_cluster - V_both. The degrees of freedom are those of the fewer
        units.
        """
        values, n = self.values @ contrast, len(self.values)
        # without a cluster that holds all of a class, the data set is not counted
        change = self.changes @ contrast
        own = values[self.part] - values.mean()
        change = np.where(np.isnan(change), own, change) / n
        totals = np.bincount(self.clusters, change).astype(np.float64)[:, None]
        of_cluster = ClusterChanges(totals, totals.size).error([1.0])
        of_group, of_both = float(values.var(ddof=1) / n), float(change @ change)
        larger = max(of_group, of_cluster.error**2)
        variance = max(larger, of_group + of_cluster.error**2 - of_both)
        freedom = min(n - 1.0, of_cluster.degrees_of_freedom)
        return StandardError(math.sqrt(variance), max(freedom, 1.0))


Changes = ItemChanges | ClusterChanges | PartChanges | TwoWayChanges


def changes_of(
    method: str, metric: Metric, rankings: Rankings, values: Floats
) -> Changes:
    """Return the table of a method; `values` are those of the data sets or folds."""
    if method == "two_way":
        return two_way_changes(metric, rankings, values)
    if method in ("t", "corrected_t"):
        return PartChanges(values, rankings.ratio, rankings.repetition)
    if rankings.clusters is not None:
        return cluster_changes(metric, rankings.parts[0], rankings.clusters)
    return item_changes(metric, rankings.parts)


def item_changes(metric: Metric, parts: Sequence[Sequence[Ranking]]) -> ItemChanges:
    """Jackknife of the items; a row of `parts` for each data set, of all models.

    With several models, the influences of an item on all are paired (DeLong, DeLong and
    Clarke-Pearson 1988, for areas under the ROC curve); O(n log m) for each model. With
    one, items on the same level or place have one row; O(m).
    """
    tables, counts = zip(*(_of_items(metric, row) for row in parts), strict=True)
    fewest = [fewest_of(row[0]) for row in parts]
    return ItemChanges(tables, counts, fewest)


def _of_items(
    metric: Metric, row: Sequence[Ranking]
) -> tuple[Floats, NDArray[np.float64]]:
    """Return the changes by the items of one data set, and how many are alike.

    They are unknown if a class has one item.
    """
    if fewest_of(row[0]) < 2:
        return np.full((1, len(row)), math.nan), np.ones(1)
    found = [jackknife_of(metric, one) for one in row]
    if len(row) == 1:
        (one,) = found
        count = np.concatenate([one.sample.hits, one.sample.others])
        return np.concatenate([one.targets, one.others])[:, None], count
    targets, columns = shared_targets(row), []
    for ranking, one in zip(row, found, strict=True):
        score = ranking.items.y_score
        items = standing(score, targets, np.unique(score[targets]))
        column = one.targets[items.levels], one.others[items.places]
        columns.append(np.concatenate(column))
    return np.stack(columns, axis=1), np.ones(columns[0].size)


def cluster_changes(
    metric: Metric, row: Sequence[Ranking], codes: Codes
) -> ClusterChanges:
    """Jackknife of the clusters of one data set; O(n log m) for each model."""
    fewest = min(clusters_of_classes(row[0], codes))
    if not metric.smooth:
        return ClusterChanges(None, fewest)
    totals = [np.bincount(codes, influences(metric, one)) for one in row]
    return ClusterChanges(np.stack(totals, axis=1).astype(np.float64), fewest)


def two_way_changes(
    metric: Metric, rankings: Rankings, values: Floats
) -> TwoWayChanges:
    """Jackknife of the clusters in each data set."""
    clusters, codes_of = rankings.clusters_of_parts
    changes = [
        np.stack([cell_changes(metric, one, codes) for one in row], axis=1)
        for row, codes in zip(rankings.parts, codes_of, strict=True)
    ]
    part = np.repeat(np.arange(len(changes)), [len(one) for one in changes])
    units = np.unique(np.concatenate(clusters), return_inverse=True)[1]
    return TwoWayChanges(values, np.concatenate(changes), units, part)


def error_of_fixed(errors: ArrayLike, fewest: Sequence[float]) -> StandardError:
    """Standard error of a mean over fixed data sets, by their own standard errors.

    The degrees of freedom of a data set are those of the smaller class, and of the sum
    those of a sum of variances (Satterthwaite 1946). They are infinite if nothing
    varies.
    """
    variances, few = np.square(errors), np.maximum(np.subtract(fewest, 1), 1)
    total = float(variances.sum())
    if not total > 0:  # nothing varies, or it is unknown how much
        return StandardError(math.sqrt(total), math.inf)
    freedom = 1 / float(((variances / total) ** 2 / few).sum())
    return StandardError(math.sqrt(total) / variances.size, freedom)


def fewest_of(ranking: Ranking) -> float:
    """Return the number of targets or of non-targets, whichever is smaller."""
    return float(min(ranking.n_targets, ranking.n_non_targets))


def effective_number(weights: Floats) -> float:
    """Return how many equal units count as much as weighted ones (Kish 1965, 11.7)."""
    shares = weights / weights.max()  # squares of large weights overflow
    return float(shares.sum() ** 2 / (shares**2).sum())


def shared_targets(row: Sequence[Ranking]) -> NDArray[np.intp]:
    """Return the positions of the targets, which are the same in all rankings."""
    first, *others = (getattr(one.items, "targets", None) for one in row)
    if first is None or any(
        one is None or not np.array_equal(first, one) for one in others
    ):
        rule = (
            "rank the same items, in the same order and in memory, for a method that "
            "looks at items one by one"
        )
        raise invalid("rankings", rule, " and ".join(map(brief, row)))
    targets: NDArray[np.intp] = first
    return targets
