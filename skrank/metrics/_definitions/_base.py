"""Base classes of the metrics.

`AnyMetric` has a value. `Metric`, the public class, is a sum of gains of ties, and has
a null distribution.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial, wraps
from itertools import pairwise
from math import inf, nan
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import TIES, check_depth, check_option, invalid
from skrank._utils._text import brief
from skrank.metrics._by_group import evaluate
from skrank.metrics._definitions._contract import (
    SLACK,
    check_class,
    check_gain,
    refuse_settings,
    with_tie_rules,
)
from skrank.metrics._definitions._tie_sums import Array
from skrank.ranking._as_ranking import CountOf, Labels
from skrank.ranking._grouped import GroupedRankings
from skrank.ranking._items import WeightedItems
from skrank.ranking._ranking import HitGroups, Ranking
from skrank.ranking._ties import TieGroups

# what a cutoff must know of a ranking
Shape: TypeAlias = Ranking | TieGroups | GroupedRankings
Function = TypeVar("Function", bound=Callable[..., float])
Checks: TypeAlias = Mapping[str, Callable[[str, Any], Any]]


def refuse_estimators(function: Function, name_of: Callable[..., str]) -> Function:
    """Refuse the call of a scorer, as ``function(estimator, X, y)``.

    `name_of` the positional arguments is the name of the metric.
    """
    most = function.__code__.co_argcount

    @wraps(function)
    def called(*args: Any, **given: Any) -> float:
        if len(args) > most:
            raise TypeError(
                "a metric takes labels and scores, and settings by their names, and is "
                "not a scorer of scikit-learn. As `scoring`, pass "
                f"make_metric_scorer({name_of(*args)!r})."
            )
        return function(*args, **given)

    return called  # type: ignore[return-value]


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

    ties: str = field(default="expected", kw_only=True)

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
    #: Whether a longer ranking has the same value if the shares of its items, of its
    #: targets and of the ranks are the same.
    of_shares: ClassVar[bool] = False
    #: Whether the other tie rules, and values of rankings of several sizes, are derived
    #: from a gain under "expected" for one size, as of metrics of the user's own.
    derived: ClassVar[bool] = False
    #: Whether groups without targets have a value.
    always_defined: ClassVar[bool] = False
    #: Whether it is undefined for targets alone.
    needs_both_classes: ClassVar[bool] = False
    #: Whether larger values are better.
    greater_is_better: ClassVar[bool] = True
    #: Whether it depends on the number of all items, also of those without a score.
    of_all_items: ClassVar[bool] = False
    #: Whether it uses single items of a tie, unless ties are retrieved whole.
    orders_ties: ClassVar[bool] = False

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value over all rankings, if they are known."""
        return 0.0, inf

    @property
    def cutoff_depth(self) -> Any:
        """The cutoff; None without one."""
        return None if self.cutoff is None else getattr(self, self.cutoff)

    def __post_init__(self) -> None:
        """Check the settings."""
        check_option("ties", self.ties, TIES)
        for one in fields(self):
            setting = getattr(self, one.name)
            if not isinstance(setting, Hashable):
                rule = "be hashable, such as a number, a text or a tuple"
                raise invalid(one.name, rule, brief(setting))
        for name, check in self.checks.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))

    @partial(refuse_estimators, name_of=lambda metric, *_: metric.name)
    def __call__(
        self,
        y_true: Labels,
        y_score: ArrayLike | None = None,
        *,
        pos_label: object = None,
        lower_is_better: bool = False,
        missing: str = "error",
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        n_missed: CountOf = 0,
        n_unlisted: CountOf | None = None,
        undefined: float | str = nan,
    ) -> float:
        """Return the value for labels and scores, as the metric's function does."""
        columns = pos_label, lower_is_better, missing, sample_weight, groups
        given = *columns, n_missed, n_unlisted, undefined
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

    def is_defined(self, n_targets: Any, n_others: Any) -> Any:
        """Whether rankings of so many targets and other items have a value."""
        if self.always_defined:
            return n_targets + n_others > 0
        return (n_targets > 0) & ((n_others > 0) | (not self.needs_both_classes))

    def reach(self, n_samples: int, n_targets: int) -> float:
        """Depth below which tie groups are not needed."""
        if self.cutoff is None:
            return inf
        depth = self.cutoff_depth
        return depth if isinstance(depth, int) else 1 + depth * n_samples

    def cut(self, shape: Any, n_targets: Array) -> Array:
        """Depth of the cutoff, moved to the end of its tie group under "together"."""
        if self.cutoff is None:
            return shape.n_scored
        cut = check_depth(
            self.cutoff,
            self.cutoff_depth,
            shape.n_scored,
            whole=shape.whole,
            beyond=shape.several,
        )
        moves = self.ties == "together" and np.any(cut <= shape.n_scored)
        return shape.group_end(cut) if moves else cut

    def frame(self, shape: Shape, n_targets: Array) -> Frame:
        """Return the sizes of a ranking with the cutoff."""
        n_samples = shape.n_scored + shape.n_missed
        cut = self.cut(shape, n_targets)
        found = Frame(n_samples, n_targets, cut, shape.n_missed)
        if self.derived and not any(np.ndim(one) for one in found) and n_targets > 0:
            check_gain(replace(self, ties="expected"), found)
        return found

    def least_error(self, ranking: Ranking, n_targets: float, n_others: float) -> float:
        """Standard error below which the bootstrap standard error is too small, or 0.

        The numbers of targets and of others are effective ones if they have weights.
        """
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
    """Base class for a metric of your own; for a metric by name use make_metric.

    Derive your metric from this class. It can then be used everywhere in place of a
    name. Larger values must be better, and the gain of a target must not increase with
    its rank.

    Parameters
    ----------
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule.

    See Also
    --------
    make_metric : Creates a metric of this package.
    RandomSelectionNull : Null distribution of a metric.

    Notes
    -----
    A subclass must define the first three attributes or methods. The others are
    optional:

    ============= ======================================================================
    `template`    Printed name; ``{0.rate:g}`` is the setting `rate`.
    `gain`        What the targets of a tie add: the mean over the orders in the tie,
                  for one size of rankings and arrays of ties.
    `divisor`     Constant by which the sum is divided.
    `bounds`      Smallest and largest value of any ranking, as in ``bounds = 0.0,
                  1.0``. Values outside are an error. Unknown if left out: no limit.
    `offset`      Value without any gain, if it is not 0.
    settings      Fields of a frozen dataclass, as in the example, without `__init__`.
    `of_shares`   True if a longer ranking of the same shares has the same value, as
                  for a gain by the share of items above. `gain` is then called for 1e7
                  targets, and a number of targets can be planned without a pilot.
    ============= ======================================================================

    Set `needs_both_classes` to True if the value is undefined without non-targets, such
    as with a divisor of 0. Set `of_all_items` to False if `frame.n_samples` has no
    effect on the value: `n_missed` without `n_unlisted` then issues no warning. Values
    for other tie rules, and for rankings of several sizes, are derived. With weights,
    the numbers of items and targets are sums of weights.

    The null distribution of a long ranking calls `gain` at positions between two ranks.
    If the gain of a target is not linear in the number of targets above it, p-values
    for more than about 4000 items are estimated by random draws.

    Examples
    --------
    The mean of ``1 / rank ** power`` over the targets:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from skrank import Metric, RandomSelectionTest
    >>> @dataclass(frozen=True)
    ... class InverseRank(Metric):
    ...     power: float = 1.0
    ...     template = "inverse_rank(power={0.power:g})"
    ...     bounds = 0.0, 1.0
    ...
    ...     def gain(self, above, size, hits_above, hits, frame):
    ...         ranks = np.arange(frame.n_samples + 1)
    ...         sums = np.cumsum(np.r_[0.0, 1 / ranks[1:] ** self.power])
    ...         ends = np.asarray(above), np.asarray(above) + size
    ...         start, end = (np.interp(one, ranks, sums) for one in ends)
    ...         return hits / size * (end - start)
    ...
    ...     def divisor(self, frame):
    ...         return frame.n_targets
    >>> metric = InverseRank(power=0.5)
    >>> y_true, y_score = [1, 0, 0, 1], [0.9, 0.8, 0.8, 0.1]
    >>> print(f"{metric(y_true, y_score):.3f}")
    0.750
    >>> result = RandomSelectionTest(metric).from_predictions(y_true, y_score)
    >>> print(f"{result.pvalue:.3f}")
    0.500
    """

    # `terminal` separates the last group that counts: the value of a ranking is linear
    # in the sum S of all gains before it, ``slope * S + intercept``. It is for metrics
    # whose divisor depends on the hits.

    #: Number of hits after which others have no gain; None: all count.
    counted_hits: ClassVar[int | None] = None
    additive: ClassVar[bool] = True
    smooth: ClassVar[bool] = True
    derived: ClassVar[bool] = True
    of_all_items: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Check that a metric is complete when its class is defined."""
        super(Metric, cls).__init_subclass__(**kwargs)
        if ABC not in cls.__bases__:
            check_class(cls)
        # that of a dataclass comes later, or with the class that is made again
        if "__init__" in vars(cls) and "__dataclass_params__" not in vars(cls):
            setattr(cls, "__init__", refuse_settings)  # noqa: B010
        if cls.derived and "gain" in vars(cls):
            setattr(cls, "gain", with_tie_rules(vars(cls)["gain"]))  # noqa: B010

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value over all rankings, apart from rounding."""
        return -inf, inf

    @property
    def counts_ranks(self) -> bool:
        """All targets of a tie count at its last item, which must be a unit."""
        return self.derived and self.ties == "together"

    @abstractmethod
    def gain(
        self, above: Array, size: Array, hits_above: Array, hits: Array, frame: Frame
    ) -> Array:
        """Return the contribution of each tie to the sum.

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
        """Return the value of a ranking without gains.

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
            Length of the other ranking divided by the length of this ranking, above 0.

        Returns
        -------
        metric : Metric
            Metric for a ranking with `scale` times as many items, targets and hits.
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
        slack = SLACK * max(1.0, abs(value))
        if not low - slack <= value <= high + slack:  # or NaN
            rule = f"contain all values of {self.name}, which must be numbers"
            raise invalid(
                "bounds", rule, f"the value {value:g} for {low:g} to {high:g}"
            )
        return float(min(max(low, value), high))

    def values(
        self, groups: HitGroups, row: NDArray[np.intp], n_rows: int, frame: Frame
    ) -> NDArray[np.float64]:
        """Values of many rankings at once, by sums over all their groups."""
        if self.derived and any(np.ndim(one) for one in frame):
            return self._by_size(groups, row, n_rows, frame)
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

    def _by_size(
        self, groups: HitGroups, row: NDArray[np.intp], n_rows: int, frame: Frame
    ) -> NDArray[np.float64]:
        """Values of many rankings, those of the same size at once."""
        sizes = np.stack([np.broadcast_to(one, n_rows) for one in frame], axis=1)
        kind = np.unique(sizes, axis=0, return_inverse=True)[1].ravel()
        start = np.searchsorted(row, np.arange(n_rows + 1))
        values = np.empty(n_rows)
        of_kind = np.split(
            np.argsort(kind, kind="stable"), np.cumsum(np.bincount(kind))
        )
        for alike in of_kind[:-1]:
            length = np.diff(start)[alike]
            within = np.arange(length.sum()) - np.repeat(
                length.cumsum() - length, length
            )
            held = groups.take(np.repeat(start[alike], length) + within)
            one, which = frame.at(alike[0]), np.repeat(np.arange(alike.size), length)
            values[alike] = (
                self.values(held, which, alike.size, one)
                if which.size
                else self.offset(one)
            )
        return values

    def _gain_of(self, groups: HitGroups, frame: Frame) -> Array:
        parts = groups.above, groups.size, groups.hits_above, groups.hits
        return self.gain(*parts, frame)


def _ranking_of(groups: HitGroups, frame: Frame) -> Ranking:
    """Return a ranking that has tie groups only; of weights if hits are no counts."""
    found = np.append(groups.hits_above, frame.n_targets)
    return Ranking(
        groups=groups,
        levels=-groups.above,
        n_samples=frame.n_samples - frame.n_missed,
        n_targets=frame.n_targets,
        n_non_targets=frame.n_samples - frame.n_targets,
        n_missed=frame.n_missed,
        items=WeightedItems(groups.above[:0], found, None),
    )
