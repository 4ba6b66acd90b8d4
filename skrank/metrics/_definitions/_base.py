"""Base classes of the metrics.

`AnyMetric` has a value. `Metric`, the public class, is a sum of gains of ties, and has
a null distribution.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf, nan
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import TIES, check_depth, check_option
from skrank.metrics._by_group import evaluate
from skrank.metrics._definitions._tie_sums import Array
from skrank.ranking._as_ranking import CountOf, Labels
from skrank.ranking._grouped import GroupedRankings
from skrank.ranking._items import ListedItems
from skrank.ranking._ranking import HitGroups, Ranking
from skrank.ranking._ties import TieGroups

# what a cutoff must know of a ranking
Shape: TypeAlias = Ranking | TieGroups | GroupedRankings
Checks: TypeAlias = Mapping[str, Callable[[str, Any], Any]]


class Frame(NamedTuple):
    """Sizes of a ranking: items, targets, the depth of the cutoff.

    The `n_missed` targets are counted in the items and in the targets. For many
    rankings at once, these are arrays with a number for each.
    """

    n_samples: Any
    n_targets: Any
    cut: Any
    n_missed: int = 0

    def at(self, row: Any) -> "Frame":
        """Return the numbers of the rankings `row`, for arrays."""
        parts = (one[row] if isinstance(one, np.ndarray) else one for one in self)
        return Frame(*parts)


@dataclass(frozen=True, slots=True)
class AnyMetric(ABC):
    """Base class of metrics.

    Called with labels and scores, or with a ranking, it returns its value. `frame` and
    `values` are for random rankings, of which only the tie groups exist.
    """

    ties: str = "expected"

    #: Printed name, with fields for the settings.
    template: ClassVar[str]
    #: Checks of the settings.
    checks: ClassVar[Checks] = {}
    #: Name of the cutoff, "t" or "k"; None without a cutoff.
    cutoff: ClassVar[str | None] = None
    #: Whether the order of the groups above the cutoff has an effect.
    ordered: ClassVar[bool] = True
    #: Whether the value is the sum of gains over a constant, for any number of hits.
    additive: ClassVar[bool] = False
    #: Whether the value changes by little if one item of many is left out.
    smooth: ClassVar[bool] = False
    #: Whether it is defined without targets, or without non-targets.
    always_defined: ClassVar[bool] = False
    #: Whether larger values are better.
    greater_is_better: ClassVar[bool] = True
    #: Whether it depends on the number of all items, also of those without a score.
    of_all_items: ClassVar[bool] = False
    #: Whether it uses single items of a tie, unless ties are retrieved whole.
    orders_ties: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the settings."""
        check_option("ties", self.ties, TIES)
        for name, check in self.checks.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))

    def __call__(
        self,
        y_true: Labels,
        y_score: ArrayLike | None = None,
        *,
        pos_label: object = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        n_missed: CountOf = 0,
        n_unlisted: CountOf | None = None,
        undefined: float | str = nan,
    ) -> float:
        """Return the value for labels and scores, as the metric's function does."""
        given = pos_label, sample_weight, groups, n_missed, n_unlisted, undefined
        return evaluate(self, y_true, y_score, *given)

    def unweighted(
        self,
        y_true: Labels,
        y_score: ArrayLike | None = None,
        *,
        pos_label: object = None,
        groups: ArrayLike | None = None,
        undefined: float | str = nan,
    ) -> float:
        """Return the value without the weights that scikit-learn would pass."""
        given: Any = {"pos_label": pos_label, "groups": groups, "undefined": undefined}
        return self(y_true, y_score, **given)

    @property
    def name(self) -> str:
        """Printed name, with the cutoff and other settings."""
        return self.template.format(self)

    @property
    def __name__(self) -> str:
        """Name of the function for scikit-learn."""
        return self.name

    @property
    def counts_ranks(self) -> bool:
        """Whether a rank is a number of items, which weights do not have."""
        return False

    def reach(self, n_samples: int, n_targets: int) -> float:
        """Depth below which tie groups are not needed."""
        if self.cutoff is None:
            return inf
        depth = getattr(self, self.cutoff)
        return depth if isinstance(depth, int) else 1 + depth * n_samples

    def cut(self, shape: Any, n_targets: Array) -> Array:
        """Depth of the cutoff, moved to the end of its tie group under "together"."""
        if self.cutoff is None:
            return shape.n_scored
        cut = check_depth(
            self.cutoff,
            getattr(self, self.cutoff),
            shape.n_scored,
            whole=shape.whole,
            beyond=shape.several,
        )
        moves = self.ties == "together" and np.any(cut <= shape.n_scored)
        return shape.group_end(cut) if moves else cut

    def frame(self, shape: Shape, n_targets: Array) -> Frame:
        """Return the sizes of a ranking with the cutoff."""
        n_samples = shape.n_scored + shape.n_missed
        return Frame(n_samples, n_targets, self.cut(shape, n_targets), shape.n_missed)

    def least_error(self, ranking: Ranking) -> float:
        """Standard error below which that of a bootstrap is too small; 0 if unknown."""
        return 0.0

    @abstractmethod
    def value(self, ranking: Ranking) -> float:
        """Value of one ranking with targets and non-targets, or with missed targets."""

    def values(
        self, groups: HitGroups, row: NDArray[np.intp], n_rows: int, frame: Frame
    ) -> NDArray[np.float64]:
        """Values of many rankings; `row`, ascending, is the ranking of each group."""
        bounds = np.searchsorted(row, np.arange(n_rows + 1)).tolist()
        frames = (frame.at(i) for i in range(n_rows))
        rankings = [
            _ranking_of(groups.take(slice(*pair)), one)
            for pair, one in zip(pairwise(bounds), frames, strict=True)
        ]
        return np.array([self.value(one) if one.n_targets else nan for one in rankings])


@dataclass(frozen=True, slots=True)
class Metric(AnyMetric):
    """Base class of a metric that is a sum of gains of ties over a constant.

    A subclass defines `gain`, `divisor` and its printed name `template`. It is then a
    metric of labels and scores with a null distribution, p-values and quantiles, like
    the metrics of this package. A larger value must be better. The subclass decides
    what its tie rule `ties` does.

    A gain can have the form of pairs of targets, ``A d H + B d + C d (d - 1)`` for d
    targets in a tie and H targets above it, but any other form is allowed. The null
    distribution of a long ranking combines items far down. It calls `gain` for single
    items at places between two ranks, and for whole ties under the rule "expected". If
    the gain of an untied target is not linear in H, items are not combined, and the
    p-values of rankings of more than some 4000 items are estimated by random draws.

    Attributes
    ----------
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule.

    See Also
    --------
    make_metric : Makes a metric of this package.
    RandomSelectionNull : Null distribution of a metric.

    Examples
    --------
    A metric in which a target at rank r gains 1 / r, with the mean of the gains in
    ties:

    >>> import numpy as np
    >>> from scipy.special import digamma
    >>> from skrank import Metric, RandomSelectionNull
    >>> class MeanReciprocalRankOfTargets(Metric):
    ...     template = "mean_reciprocal_rank_of_targets"
    ...
    ...     def gain(self, above, size, hits_above, hits, frame):
    ...         total = digamma(above + size + 1) - digamma(above + 1)
    ...         return hits / size * total
    ...
    ...     def divisor(self, frame):
    ...         return frame.n_targets
    >>> metric = MeanReciprocalRankOfTargets()
    >>> value = metric([1, 0, 0, 1], [0.9, 0.8, 0.8, 0.1])
    >>> print(f"{value:.3f}")
    0.625
    >>> null = RandomSelectionNull(4, 2, metric, tie_sizes=[1, 2, 1])
    >>> print(f"{null.pvalue(value):.3f}")
    0.500
    """

    # `terminal` separates the last group that counts: the value of a ranking is linear
    # in the sum S of all gains before it, ``slope * S + intercept``. It is for metrics
    # whose divisor depends on the hits.

    #: Number of hits after which others have no gain; None: all count.
    counted_hits: ClassVar[int | None] = None
    additive: ClassVar[bool] = True
    smooth: ClassVar[bool] = True

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value over all rankings, apart from rounding."""
        return 0.0, 1.0

    @abstractmethod
    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Return what each tie adds to the sum.

        Parameters
        ----------
        above : float or ndarray
            Number of items above the tie.
        size : float or ndarray
            Number of items in the tie.
        hits_above : float or ndarray
            Number of targets above the tie.
        hits : float or ndarray
            Number of targets in the tie. A tie without targets must add 0.
        frame : Frame
            Named tuple of `n_samples`, `n_targets`, and the depth `cut` of the cutoff.

        Returns
        -------
        gain : float or ndarray
            Gains, with the shape to which the arguments are broadcast.
        """

    @abstractmethod
    def divisor(self, frame: Frame) -> Array:
        """Return the constant by which the sum of gains is divided.

        Parameters
        ----------
        frame : Frame
            Named tuple of `n_samples`, `n_targets`, and the depth `cut` of the cutoff.

        Returns
        -------
        divisor : float
            Constant above 0.
        """

    def offset(self, frame: Frame) -> Array:
        """Return the value of a ranking without any gain.

        Parameters
        ----------
        frame : Frame
            Named tuple of `n_samples`, `n_targets`, and the depth `cut` of the cutoff.

        Returns
        -------
        offset : float
            Constant that is added to the sum divided by the divisor. It is 0 unless a
            subclass overrides it.
        """
        return 0.0

    def scaled(self, scale: float) -> "Metric":
        """Return the metric with the same value for a ranking of another length.

        Only a metric whose value is proportional to the length must override it.

        Parameters
        ----------
        scale : float
            Length of the other ranking divided by that of this one, above 0.

        Returns
        -------
        metric : Metric
            Metric for a ranking with so many times the items, targets and hits.
        """
        return self

    def terminal(self, groups: HitGroups, frame: Frame) -> tuple[Array, Array]:
        """Slope and intercept of the value in the sum of the gains above `groups`."""
        divisor = self.divisor(frame)
        last = self._gain_of(groups, frame) / divisor
        return 1 / divisor, last + self.offset(frame)

    def value(self, ranking: Ranking) -> float:
        """Value of one ranking, within the bounds; O(m) for m targets."""
        frame = self.frame(ranking, ranking.n_targets)
        if self.additive:
            counted = ranking.groups.down_to(frame.cut)
            total = float(self._gain_of(counted, frame).sum())
            value = total / self.divisor(frame) + self.offset(frame)
        else:
            row = np.zeros(ranking.groups.hits.size, dtype=np.intp)
            value = float(self.values(ranking.groups, row, 1, frame)[0])
        low, high = self.bounds
        return float(min(max(low, value), high))

    def values(
        self, groups: HitGroups, row: NDArray[np.intp], n_rows: int, frame: Frame
    ) -> NDArray[np.float64]:
        """Values of many rankings at once, by sums over all their groups."""
        counted = np.flatnonzero(groups.above < frame.at(row).cut)
        groups, row = groups.take(counted), row[counted]
        last = np.flatnonzero(np.diff(row, append=-1))
        gain = self._gain_of(groups, frame.at(row))
        gain[last] = 0.0
        total = np.bincount(row, gain, n_rows)[row[last]]
        slope, intercept = self.terminal(groups.take(last), frame.at(row[last]))
        values: NDArray[np.float64] = self.offset(frame) + np.zeros(n_rows)
        values[row[last]] = slope * total + intercept
        return values

    def _gain_of(self, groups: HitGroups, frame: Frame) -> Array:
        parts = groups.above, groups.size, groups.hits_above, groups.hits
        return self.gain(*parts, frame)


def _ranking_of(groups: HitGroups, frame: Frame) -> Ranking:
    """Return a ranking that has tie groups only."""
    return Ranking(
        groups=groups,
        levels=-groups.above,
        n_samples=frame.n_samples - frame.n_missed,
        n_targets=frame.n_targets,
        n_non_targets=frame.n_samples - frame.n_targets,
        n_missed=frame.n_missed,
        items=ListedItems(groups.above[:0]),
    )
