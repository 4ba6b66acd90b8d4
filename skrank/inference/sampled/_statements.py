"""Metrics of lists whose items are known by a sample: values, and what a target tells.

Each labelled item stands for a number of items of its stratum, its weight, at its own
rank. The values of a metric are those of rows of weights; its gains say how much more
the value would be with one more target at each item.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._rounding import ROUNDING
from skrank.metrics._definitions import (
    AveragePrecision,
    Frame,
    KAtRecall,
    KSStatistic,
    RecallAtT,
    WorkSaved,
    make_metric,
)
from skrank.metrics._definitions._tie_sums import harmonic_sums
from skrank.ranking._label_sample import ModelRanks

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
#: What values are for: a limit takes what is worst where the labels say nothing.
Side = Literal["value", "lower", "upper"]


class Others:
    """Labelled items that are no targets, with weights of shape (n_draws, n_items).

    The sums by rank are kept, as most items have the same weights in many draws.
    """

    def __init__(self, items: Codes, weights: Floats) -> None:
        self.items, self.weights = items, weights
        self._kept: dict[int, tuple[Codes, Floats]] = {}

    def before(self, ranks: ModelRanks, above: Codes, side: Any = "left") -> Floats:
        """Return the sums of the weights of better items; with "right", of tied too."""
        if id(ranks) not in self._kept:
            order = np.argsort(ranks.above[self.items], kind="stable")
            sums = _sums_before(self.weights[:, order])
            self._kept[id(ranks)] = ranks.above[self.items][order], sums
        ordered, sums = self._kept[id(ranks)]
        return sums.take(np.searchsorted(ordered, above, side), axis=1)


class Weighted(NamedTuple):
    """Targets with the items that they stand for in each draw (rows), and others.

    The weights of the others are the sums of those of all parts. `labelled` are the
    targets and the others that have labels; each has itself in its weight, and copies.
    """

    targets: Codes
    of_targets: Floats
    others: Sequence[Others]
    labelled: tuple[Codes, Codes]

    def by_rank(self, ranks: ModelRanks) -> tuple[Codes, Floats]:
        """Return the targets and their weights in the order of their ranks."""
        order = np.argsort(ranks.above[self.targets], kind="stable")
        return self.targets[order], self.of_targets[:, order]

    def others_before(
        self, ranks: ModelRanks, above: Codes, side: Any = "left"
    ) -> Floats:
        """Return the weights of the others above, or above and level with, ranks."""
        return np.asarray(sum(one.before(ranks, above, side) for one in self.others))


class Measure(ABC):
    """A metric of a list of `n` items, of which some have weights."""

    #: Whether gains tell what another target would change, also where none was found.
    is_smooth = True
    #: Whether the value counts pairs of targets, of which draws have too few.
    of_pairs = False

    def __init__(self, metric: Any, n: int) -> None:
        self.metric, self.n = metric, n

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value."""
        low, high = self.metric.bounds
        return float(low), float(high)

    @abstractmethod
    def values(self, ranks: ModelRanks, lists: Weighted, side: Side) -> Floats:
        """Return the metric in each draw.

        Without a target it is NaN for "value", and for limits it is the metric of one
        target at the last or at the first place.
        """

    @abstractmethod
    def gains(self, ranks: ModelRanks, targets: Codes, weights: Floats) -> Floats:
        """Return the gain by one more target at each item, up to a factor."""


class _Precisions(Measure):
    """Average precision: the mean precision at the ranks of the targets.

    The labelled items above a rank are known. Of the items without a label, whose
    number is known, those are targets that the copies above say: copies of targets
    divided by all copies. Notation as in `harmonic_sums`.
    """

    of_pairs = True

    def values(self, ranks: ModelRanks, lists: Weighted, side: Side) -> Floats:
        targets, t = lists.by_rank(ranks)
        at, size = ranks.above[targets], ranks.size[targets]
        labelled = [np.sort(ranks.above[items]) for items in lists.labelled]
        sums = _sums_before(t)

        def before(side_of: Any) -> tuple[Any, ...]:
            """Return labelled targets and others above each rank, and their copies."""
            known = [np.searchsorted(one, at, side_of) for one in labelled]
            of_targets = sums[:, np.searchsorted(at, at, side_of)]
            of_others = lists.others_before(ranks, at, side_of)
            return *known, of_targets - known[0], of_others - known[1]

        above = before("left")
        found, beside, copies, more = above
        unknown = {"lower": 0.0, "value": 0.5, "upper": 1.0}[side]
        share = _share(copies, more, unknown)
        first, second = harmonic_sums(at, size)
        precision = (1 + found + (at - found - beside) * share) * (first / size)
        if second is not None:  # the other items of the tie, without a target's copies
            own = np.maximum(t - np.isin(targets, lists.labelled[0]), 0)
            ends = zip(before("right"), above, strict=True)
            found, beside, copies, more = (last - begin for last, begin in ends)
            share = _share(copies - own, more, share)
            tied = found + (size - found - beside) * share - 1
            tied = np.maximum(tied, 0) / np.maximum(size - 1, 1)
            precision += tied * (second / size)
        m = t.sum(axis=1)
        alone = {"lower": 1 / self.n, "value": np.nan, "upper": 1.0}[side]
        return _ratio((t * precision).sum(axis=1), m, alone)

    def gains(self, ranks: ModelRanks, targets: Codes, weights: Floats) -> Floats:
        places, w, sums = _in_order(ranks, targets, weights)
        rank = ranks.rank

        def between(values: Floats, at: Floats) -> Floats:
            """Return the means of values before and after the targets of a tie."""
            ends = [np.searchsorted(places, at, side) for side in _ENDS]
            return np.asarray((values[ends[0]] + values[ends[1]]) / 2)

        precision = np.minimum(1, (between(sums, places) + 0.5) / places)
        # a target adds to the precision of the targets below it, if that is not 1
        of_below = np.where((sums[1:] + 1) / places < 1, w / places, 0)
        below = np.append(np.cumsum(of_below[::-1])[::-1], 0)
        value = (w * precision).sum() / max(sums[-1], 1)
        own = np.minimum(1, (1 + between(sums, rank)) / rank)
        gains: Floats = own + between(below, rank) - value
        return gains


class _Hits(Measure):
    """Recall, precision, enrichment and profit at a cutoff: the targets above it."""

    def __init__(self, metric: Any, n: int) -> None:
        super().__init__(metric, n)
        whole = SimpleNamespace(n_scored=n, whole=True, several=False)
        self.cut = metric.cut(whole, 0)
        self.of_all_targets = not metric.always_defined

    def values(self, ranks: ModelRanks, lists: Weighted, side: Side) -> Floats:
        above = ranks.share_above(self.cut, lists.targets)
        hits = lists.of_targets @ above
        # there are no more targets above the cutoff than places
        scale = self.cut / np.maximum(hits, self.cut)
        beyond = (lists.of_targets @ (above > 0)) * (1 - scale)
        m, hits = lists.of_targets.sum(axis=1) - beyond, hits * scale
        if self.of_all_targets:
            alone = m == 0
            hits, m = hits + alone * (side == "upper"), m + alone
        frame = Frame(self.n, m, self.cut)
        values = hits / self.metric.divisor(frame) + self.metric.offset(frame)
        if self.of_all_targets and side == "value":
            values = np.where(alone, np.nan, values)
        return np.asarray(values)

    def gains(self, ranks: ModelRanks, targets: Codes, weights: Floats) -> Floats:
        above, m = ranks.share_above(self.cut), max(weights.sum(), 1)
        loss = weights @ above[targets] / m if self.of_all_targets else 0.0
        return np.asarray(above - loss)


class _Depth(Measure):
    """Depth of a recall, and the work that it saves, by the last target needed.

    Between the ranks of two targets that have labels, the targets without a label may
    have any: they follow the better one or precede the worse one.
    """

    is_smooth = False

    @property
    def bounds(self) -> tuple[float, float]:
        ends = [float(self._of(rank, 1)) for rank in (1, self.n)]
        return min(ends), max(ends)

    def _of(self, rank: Any, needed: Any) -> Any:
        return self.metric.of_rank(rank, needed, self.n)

    def values(self, ranks: ModelRanks, lists: Weighted, side: Side) -> Floats:
        targets, t = lists.by_rank(ranks)
        above, starts = np.unique(ranks.above[targets], return_index=True)
        best = side == ("upper" if self.metric.greater_is_better else "lower")
        rank, needed = np.full(len(t), 1.0 if best else self.n), np.ones(len(t))
        m = t.sum(axis=1)
        if targets.size:
            size = ranks.size[targets][starts]
            hits = np.add.reduceat(t, starts, axis=1)
            sums, rows = np.cumsum(hits, axis=1), np.arange(len(t))
            whole = np.ceil(self.metric.recall * np.rint(m) * (1 - ROUNDING))
            needed = np.minimum(whole, m)
            tie = np.argmax(sums >= needed[:, None] * (1 - ROUNDING), axis=1)
            found, begin, length = hits[rows, tie], above[tie], size[tie]
            place = needed - (sums[rows, tie] - found)
            expected = begin + place * (length + 1) / (found + 1)
            single = begin + 1.0
            if side != "value" and best:
                first = np.append(0, above + size)[tie] + place
                single = np.where(place < found, np.minimum(first, single), single)
            elif side != "value":
                last = np.append(above[1:], self.n)[tie] - (found - place)
                single = np.where(place > 1, np.maximum(last, single), single)
            found_rank = np.where(length > 1, expected, single)
            rank = np.where(m > 0, found_rank, rank)
        values = self._of(rank, np.maximum(needed, 1))
        return np.where((m == 0) & (side == "value"), np.nan, values)

    def gains(self, ranks: ModelRanks, targets: Codes, weights: Floats) -> Floats:
        places, _, sums = _in_order(ranks, targets, weights)
        needed = self.metric.recall * sums[-1] * (1 - ROUNDING)
        depth = np.append(0, places)[np.searchsorted(sums, needed)]
        sign, rank = 1 if self.metric.greater_is_better else -1, ranks.rank
        # of two targets on one side of the depth, the better one is better
        gains: Floats = sign * ((rank <= depth) - self.metric.recall - _LEAST * rank)
        return gains


class _Distance(Measure):
    """KS statistic: the largest difference of the shares of targets and of others.

    The largest one of a draw is too large, so a lower limit is that of the difference
    at one depth, which is the best by the sample.
    """

    is_smooth = False

    def __init__(self, metric: Any, n: int) -> None:
        super().__init__(metric, n)
        self._depth: float | None = None

    def values(self, ranks: ModelRanks, lists: Weighted, side: Side) -> Floats:
        targets, t = lists.by_rank(ranks)
        ends = np.unique((ranks.above + ranks.size)[targets])
        if side == "lower" and self._depth is not None:
            ends = np.array([self._depth])
        found = _sums_before(t)[:, np.searchsorted(ranks.above[targets], ends)]
        beside = lists.others_before(ranks, ends)
        m, rest = t.sum(axis=1), sum(one.weights.sum(axis=1) for one in lists.others)
        apart = _ratio(found, m[:, None], 0.0) - _ratio(beside, rest[:, None], 0.0)
        alone = {"lower": 0.0, "value": np.nan, "upper": 1.0}[side]
        largest = apart.max(axis=1, initial=0.0)
        largest[largest < ROUNDING] = 0.0  # a single tie
        return np.where(m > 0, largest, alone)

    def gains(self, ranks: ModelRanks, targets: Codes, weights: Floats) -> Floats:
        places, _, sums = _in_order(ranks, targets, weights)
        m, n = sums[-1], self.n
        if not 0 < m < n:
            return -ranks.rank
        found = sums[1:] / m
        beside = (places - sums[1:]) / (n - m)
        at = int(np.argmax(found - beside))
        self._depth = float(places[at])
        above = ranks.rank <= self._depth
        gains: Floats = (above - found[at]) / m + (above - beside[at]) / (n - m)
        # another depth may become the best: of two targets the better one is better
        return gains - _LEAST * ranks.rank


class Found(Measure):
    """The number of targets in the list."""

    is_smooth = False

    def values(self, ranks: ModelRanks, lists: Weighted, side: Side) -> Floats:
        return np.asarray(lists.of_targets.sum(axis=1))

    def gains(self, ranks: ModelRanks, targets: Codes, weights: Floats) -> Floats:
        return np.ones(self.n)

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, float(self.n)


# Gain of a rank beside that of a side of the depth, of any size that is not rounding
_LEAST = 1e-12
_ENDS: tuple[Any, Any] = "left", "right"
_MEASURES: tuple[tuple[type, type[Measure]], ...] = (
    (AveragePrecision, _Precisions),
    (KAtRecall, _Depth),
    (WorkSaved, _Depth),
    (KSStatistic, _Distance),
)


def kind_of(metric: Any) -> type[Measure]:
    """Return how a metric is measured; refuse others."""
    made = make_metric(metric)
    found = [one for kind, one in _MEASURES if type(made) is kind]
    found += [_Hits] * isinstance(made, RecallAtT)
    is_up = getattr(made, "rounding", "up") == "up"
    if found and made.ties == "expected" and is_up:
        return found[0]
    rule = (
        "be average_precision, recall@t, precision@t, enrichment_factor@t, "
        "expected_profit@t, k_at_recall, wss or ks_statistic, with the tie rule "
        "'expected', if labels are missing"
    )
    raise invalid("metric", rule, repr(made.name))


def measure_of(metric: Any, n: int) -> Measure:
    """Return a metric of weighted items in a list of `n` items."""
    return kind_of(metric)(make_metric(metric), n)


def _sums_before(weights: Floats) -> Floats:
    """Return the sums of the columns before each, and of all, (n_draws, n + 1)."""
    sums = np.zeros((len(weights), weights.shape[1] + 1))
    np.cumsum(weights, axis=1, out=sums[:, 1:])
    return sums


def _ratio(part: Floats, whole: Floats, undefined: Any) -> Floats:
    """Return a quotient, and another value where it is not defined."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    defined = np.broadcast_to(whole > ROUNDING, shape)
    found = np.array(np.broadcast_to(undefined, shape), dtype=float)
    np.divide(part, whole, out=found, where=defined)
    return found


def _share(copies: Floats, more: Floats, undefined: Any) -> Floats:
    """Return the share of the copies of targets among all copies."""
    copies = np.maximum(copies, 0)
    return _ratio(copies, copies + np.maximum(more, 0), undefined)


def _in_order(
    ranks: ModelRanks, targets: Codes, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the ranks of targets, their weights, and the sums of these before each."""
    rank = ranks.above[targets] + (ranks.size[targets] + 1) / 2
    order = np.argsort(rank)
    return rank[order], weights[order], np.append(0.0, np.cumsum(weights[order]))
