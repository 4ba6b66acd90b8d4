"""The measures: what each tie group adds to a ranking's value.

A measure says one thing, `gain`: what a group of b items with d hits adds when T items
and H hits stand above it. The value of a ranking is the sum of the gains, divided by a
constant. Metrics, scorers and the whole law under random selection follow from it.

Within a tie group the order is not known. Four rules say what to do about it:

- "expected": the mean over all orders inside the groups (McSherry and Najork, 2008);
- "threshold": a group is retrieved whole, so a cut moves down to the end of the group
  it falls in, and every hit of a group has the precision at its end;
- "optimistic", "pessimistic": the hits of a group come first, or last.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma
from scipy.stats import hypergeom

from skrank._ranking import HitGroups, Ranking
from skrank._validation import (
    NORMALIZE,
    TIES,
    check_cutoff,
    check_depth,
    check_option,
)

_Array = Any  # numbers or arrays of them, broadcast against each other


class ListShape(Protocol):
    """What a measure must know of a list to place its cut."""

    @property
    def n_samples(self) -> float:
        """Number of items, or their total weight."""

    @property
    def whole(self) -> bool:
        """Whether depths are counts."""

    def group_end(self, depth: float) -> float:
        """Depth at which the tie group that reaches across `depth` ends."""


class Frame(NamedTuple):
    """What counts of a list as a whole: its items, its targets, the depth of the cut.

    Targets that were never scored are among the items and the targets.
    """

    n_samples: float
    n_targets: float
    cut: float


@dataclass(frozen=True, slots=True)
class Measure(ABC):
    """A sum of gains over tie groups, divided by a constant.

    `closing` tells apart the last group that counts: the value of a list is linear in
    the sum S of all gains before it, ``slope * S + intercept``. For most measures this
    is only the division by the constant; it gives room to those whose divisor depends
    on the hits.
    """

    ties: str = "expected"

    #: Whether the order of the groups above the cut matters.
    ordered: ClassVar[bool] = True
    #: Hits after which further ones add nothing; None: all count.
    counted_hits: ClassVar[int | None] = None
    #: Tie rules under which weights have a meaning.
    weighted_ties: ClassVar[tuple[str, ...]] = TIES

    def __post_init__(self) -> None:
        """Check the tie rule."""
        check_option("ties", self.ties, TIES)

    @property
    @abstractmethod
    def name(self) -> str:
        """Name as printed, with the cut-off."""

    @property
    def pairwise(self) -> bool:
        """Whether gains are ``A d H + B d + C d (d - 1)`` and the divisor constant.

        The sum of gains is then one over items and pairs of items that are targets.
        """
        return self.ties in ("expected", "threshold")

    def check_weights(self) -> None:
        """Refuse weights where the tie rule gives them no meaning."""
        if self.ties not in self.weighted_ties:
            msg = (
                f"`ties` must be 'threshold' when {self.name} is given sample_weight: "
                "the order of unequal weights inside a tie has no expected value in "
                f"closed form; got ties={self.ties!r}."
            )
            raise ValueError(msg)

    def cut(self, shape: ListShape) -> float:
        """Depth of the list that counts."""
        return shape.n_samples

    def frame(self, shape: ListShape, n_targets: float, n_missed: int = 0) -> Frame:
        """Place the cut on a list."""
        return Frame(shape.n_samples + n_missed, n_targets, self.cut(shape))

    @abstractmethod
    def gain(
        self,
        above: _Array,
        size: _Array,
        hits_above: _Array,
        hits: _Array,
        frame: Frame,
    ) -> _Array:
        """What a group of `size` items with `hits` hits adds below `above` items."""

    @abstractmethod
    def divisor(self, frame: Frame) -> float:
        """Return the constant that the sum of gains is divided by."""

    def offset(self, frame: Frame) -> float:
        """Value of a list without any gain."""
        return 0.0

    def closing(self, groups: HitGroups, frame: Frame) -> tuple[_Array, _Array]:
        """Slope and intercept of the value in the sum of the gains above `groups`."""
        divisor = self.divisor(frame)
        gain = self._gain_of(groups, frame)
        return 1 / divisor, gain / divisor + self.offset(frame)

    def value(self, ranking: Ranking) -> float:
        """Value of one ranking; O(m) for m targets."""
        row = np.zeros(ranking.groups.hits.size, dtype=np.intp)
        frame = self.frame(ranking, ranking.n_targets, ranking.n_missed)
        return float(self.values(ranking.groups, row, 1, frame)[0])

    def values(
        self, groups: HitGroups, row: NDArray[np.intp], n_rows: int, frame: Frame
    ) -> NDArray[np.float64]:
        """Values of many lists at once; `row`, ascending, says whose group is whose."""
        counted = np.flatnonzero(groups.above < frame.cut)
        groups, row = groups.take(counted), row[counted]
        last = np.flatnonzero(np.diff(row, append=-1))
        gain = self._gain_of(groups, frame)
        gain[last] = 0.0
        total = np.bincount(row, gain, n_rows)[row[last]]
        slope, intercept = self.closing(groups.take(last), frame)
        values = np.zeros(n_rows)
        values[row[last]] = slope * total + intercept
        return values

    def _gain_of(self, groups: HitGroups, frame: Frame) -> _Array:
        return self.gain(
            groups.above, groups.size, groups.hits_above, groups.hits, frame
        )


@dataclass(frozen=True, slots=True)
class AveragePrecision(Measure):
    """AP: the mean over the targets of the precision at their ranks."""

    weighted_ties: ClassVar[tuple[str, ...]] = ("threshold",)

    @property
    def name(self) -> str:
        """Name as printed."""
        return "average_precision"

    def gain(
        self,
        above: _Array,
        size: _Array,
        hits_above: _Array,
        hits: _Array,
        frame: Frame,
    ) -> _Array:
        """Sum of the precisions of the group's hits down to the cut."""
        if self.ties == "threshold":
            return _whole_gain(above, size, hits_above, hits) * (above < frame.cut)
        if self.ties == "expected":
            counted = np.clip(frame.cut - above, 0, size)
            return _expected_gain(above, size, hits_above, hits, counted)
        start = above if self.ties == "optimistic" else above + size - hits
        counted = np.clip(frame.cut - start, 0, hits)
        return _run_gain(start, hits_above, counted)

    def divisor(self, frame: Frame) -> float:
        """Return the number of targets."""
        return frame.n_targets


@dataclass(frozen=True, slots=True)
class AveragePrecisionAtK(AveragePrecision):
    """AP@K with a constant divisor: the targets, or those that fit above K."""

    k: float = 1
    normalize: str = "min"

    def __post_init__(self) -> None:
        """Check the settings."""
        check_option("ties", self.ties, TIES)
        check_option("normalize", self.normalize, NORMALIZE)
        check_cutoff("k", self.k)

    @property
    def name(self) -> str:
        """Name as printed, with the cut-off."""
        return f"average_precision@{self.k}"

    def cut(self, shape: ListShape) -> float:
        """Depth k, moved to the end of its tie group under "threshold"."""
        return _place_cut("k", self.k, self.ties, shape)

    def divisor(self, frame: Frame) -> float:
        """Return the number of targets, or the most that can stand above the cut."""
        most = frame.cut if self.normalize == "min" else frame.n_targets
        return min(frame.n_targets, most)


@dataclass(frozen=True, slots=True)
class AveragePrecisionOverHits(AveragePrecisionAtK):
    """AP@K divided by the hits found above K; 0 where none is found."""

    @property
    def pairwise(self) -> bool:
        """The divisor is not constant."""
        return False

    def closing(self, groups: HitGroups, frame: Frame) -> tuple[_Array, _Array]:
        """Divide by the hits above the cut, part of which may be in these groups."""
        counted = np.clip(frame.cut - groups.above, 0, groups.size)
        if self.ties == "expected":
            return _mean_over_hits(groups, counted)
        found = groups.hits_above + _hits_within(self.ties, groups, counted)
        gain = self._gain_of(groups, frame)
        found = np.where(found > 0, found, 1)
        return 1 / found, gain / found


@dataclass(frozen=True, slots=True)
class RecallAtT(Measure):
    """Share of the targets among the top t."""

    t: float = 1

    ordered: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the settings."""
        check_option("ties", self.ties, TIES)
        check_cutoff("t", self.t)

    @property
    def name(self) -> str:
        """Name as printed, with the cut-off."""
        return f"recall@{self.t}"

    def cut(self, shape: ListShape) -> float:
        """Depth t, moved to the end of its tie group under "threshold"."""
        return _place_cut("t", self.t, self.ties, shape)

    def gain(
        self,
        above: _Array,
        size: _Array,
        hits_above: _Array,
        hits: _Array,
        frame: Frame,
    ) -> _Array:
        """Hits of the group above the cut."""
        groups = HitGroups(above, size, hits_above, hits)
        return _hits_within(self.ties, groups, np.clip(frame.cut - above, 0, size))

    def divisor(self, frame: Frame) -> float:
        """Return the number of targets."""
        return frame.n_targets


@dataclass(frozen=True, slots=True)
class PrecisionAtT(RecallAtT):
    """Share of targets among the top t."""

    @property
    def name(self) -> str:
        """Name as printed, with the cut-off."""
        return f"precision@{self.t}"

    def divisor(self, frame: Frame) -> float:
        """Return the depth of the cut."""
        return frame.cut


METRICS = (
    "average_precision",
    "average_precision_at_k",
    "recall_at_t",
    "precision_at_t",
)


def make_measure(
    metric: str,
    *,
    k: float | None = None,
    t: float | None = None,
    normalize: str = "min",
    ties: str = "expected",
) -> Measure:
    """Build the measure that a metric function's name and parameters stand for."""
    check_option("metric", metric, METRICS)
    _check_needed("k", k, metric, needed=metric.endswith("_at_k"))
    _check_needed("t", t, metric, needed=metric.endswith("_at_t"))
    check_option("normalize", normalize, NORMALIZE)
    if k is not None:
        over_hits = normalize == "hits"
        kind = AveragePrecisionOverHits if over_hits else AveragePrecisionAtK
        return kind(ties, k, normalize)
    if t is not None:
        return (RecallAtT if metric == "recall_at_t" else PrecisionAtT)(ties, t)
    return AveragePrecision(ties)


def _check_needed(name: str, value: object, metric: str, *, needed: bool) -> None:
    if needed == (value is not None):
        return
    rule = "must be given" if needed else "has no meaning"
    msg = f"`{name}` {rule} for metric {metric!r}; got {name}={value!r}."
    raise ValueError(msg)


def _place_cut(name: str, depth: float, ties: str, shape: ListShape) -> float:
    cut = check_depth(name, depth, shape.n_samples, whole=shape.whole)
    return shape.group_end(cut) if ties == "threshold" else cut


def _hits_within(ties: str, groups: HitGroups, counted: _Array) -> _Array:
    """Hits of each group among the first `counted` of its items."""
    if ties == "optimistic":
        return np.minimum(groups.hits, counted)
    if ties == "pessimistic":
        return np.maximum(groups.hits - (groups.size - counted), 0)
    if ties == "threshold":
        return groups.hits * (counted > 0)
    return groups.hits * (counted / groups.size)


def _whole_gain(
    above: _Array, size: _Array, hits_above: _Array, hits: _Array
) -> _Array:
    """Each hit counts the precision at the end of its group."""
    return hits * (hits_above + hits) / np.asarray(above + size)


def _run_gain(start: _Array, hits_above: _Array, count: _Array) -> _Array:
    """`count` hits in a row below `start` items: sum of (H + j) / (start + j)."""
    first, second = _harmonic(start, count)
    return (hits_above + 1) * first + second


def _expected_gain(
    above: _Array, size: _Array, hits_above: _Array, hits: _Array, counted: _Array
) -> _Array:
    """Mean over the orders of a group of the precisions of its first `counted`.

    At place j of the group stands a hit with probability d/b, and then
    (j - 1)(d - 1)/(b - 1) more of them are expected above it (McSherry and Najork,
    2008, section 3).
    """
    first, second = _harmonic(above, counted)
    pair = (hits - 1) / np.maximum(size - 1, 1)
    return hits / size * ((hits_above + 1) * first + pair * second)


def _harmonic(above: _Array, count: _Array) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sums over j = 1..count of 1 / (above + j) and of (j - 1) / (above + j).

    A single item, by far the most frequent case, is exact to the last bit.
    """
    above, count = np.asarray(above, dtype=float), np.asarray(count, dtype=float)
    single = np.minimum(count, 1) / (above + 1)
    if count.max(initial=0) <= 1:
        return single, np.zeros_like(single)
    first = np.where(count <= 1, single, _reciprocal_sum(above, count))
    second = count - (above + 1) * first
    return first, _second_sum(above, count, second)


def _second_sum(above: _Array, count: _Array, closed: _Array) -> _Array:
    """Sum of (j - 1) / (above + j); the closed form cancels for short, deep groups."""
    short = 32
    total = np.zeros(np.broadcast(above, count).shape)
    for j in range(2, 1 + min(short, int(count.max(initial=0)))):
        total = total + np.where(count >= j, (j - 1) / (above + j), 0.0)
    return np.where(count > short, closed, total)


def _reciprocal_sum(above: _Array, count: _Array) -> _Array:
    """Sum of 1 / (above + j): digamma near the top, Euler and Maclaurin below.

    Far down the list a difference of digammas loses digits. The series in
    1 / (x + 1/2)**2 is that of digamma (Abramowitz and Stegun 1964, 6.3.18); at
    x >= 32 its fifth term is below 1e-17.
    """
    near = digamma(above + count + 1) - digamma(above + 1)
    start = 1 / np.square(np.maximum(above, 32) + 0.5)
    end = 1 / np.square(np.maximum(above, 32) + count + 0.5)
    far = np.log1p(count / (np.maximum(above, 32) + 0.5))
    for power, factor in enumerate((1 / 24, -7 / 960, 31 / 8064, -127 / 30720), 1):
        far = far + factor * (end**power - start**power)
    return np.where(above < 32, near, far)


def _mean_over_hits(groups: HitGroups, counted: _Array) -> tuple[_Array, _Array]:
    """Slope and intercept of AP@K over hits, meaned over the orders of a group.

    Of d hits j fall among the `counted` first of b items with hypergeometric
    probability; given j those first items are a group of their own.
    """
    most = int(np.max(np.minimum(counted, groups.hits), initial=0))
    slope, intercept = 0.0, 0.0
    for j in range(most + 1):
        chance = hypergeom.pmf(j, groups.size, groups.hits, counted)
        found = np.maximum(groups.hits_above + j, 1)
        gain = _expected_gain(
            groups.above, np.maximum(counted, 1), groups.hits_above, j, counted
        )
        slope, intercept = slope + chance / found, intercept + chance * gain / found
    return slope, intercept
