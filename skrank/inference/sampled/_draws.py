"""Draws of a list of which a sample has labels, and limits of statements about it.

Each labelled item stands for itself and for a random number of the items of its stratum
that have no label. For a limit one stratum at a time has one more labelled item ("one
more item", Fay and Feuer 1997): a target, whose copies stand where they change the
statement most, or none. All models are evaluated on the same draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from skrank._utils._checks import invalid
from skrank._utils._rounding import ROUNDING
from skrank._utils._text import brief, listed
from skrank._utils._warnings import warn
from skrank.inference.sampled._statements import (
    Codes,
    Floats,
    Found,
    Measure,
    Others,
    Side,
    Weighted,
    measure_of,
)
from skrank.ranking._label_sample import LabelSample, ModelRanks

# Strata that have one more target, those in which it tells most. Of 40 samples of five
# kinds, intervals with all strata are .1 % wider on average, and those of differences
# 2 %; with half as many, 5 % of them are narrower by 1 % or more, and 28 % of those.
_TRIED = 4
# Items that an upper limit of 97.5 % of none found stands for, by label: strata are
# compared by what so many targets would change. With half of it, nothing changes.
_RULE = 3.7
# Limits are wider by a fiftieth, since AP has flat extremes in the number of targets:
# without, it is just outside for 1 in 100 numbers of two strata whose items are tied.
_WIDER = 1.02
# Targets found, below which limits of differences have one more item in all draws: half
# of them would have a coverage of .87 for a perfect ranking with two targets found.
_FEW = 10
# Copies after which places count in runs, and by how much each is longer than the one
# before. With half of either, widths differ by .3 % on average.
_SINGLE, _GROWTH = 32, 1.05


_SIDES: tuple[tuple[Side, int], ...] = ("lower", -1), ("upper", 1)
#: Name of the method in results.
METHOD = "sampled"


class Term(NamedTuple):
    """A metric of one model, with the sign that it has in a statement."""

    measure: Measure
    model: object
    sign: int = 1


class SampleDraws:
    """Weights of the labelled items in `n_draws` draws.

    The shares of the labelled items of a stratum are gamma variables with the shape (r
    - 2) / r for r labels, which gives the numbers the variance of a random sample. With
    `population` the numbers of targets vary as in other lists.
    """

    def __init__(
        self, sample: LabelSample, n_draws: int, seed: int, *, population: bool = False
    ) -> None:
        """Draw the items that each labelled item stands for."""
        self.sample, self._n_draws, self._population = sample, n_draws, population
        self._seed = seed
        self._kept: dict[Any, SampleLimits] = {}
        r = np.maximum(sample.n_labelled, 1)
        self.rooms = sample.n_items - sample.n_labelled
        self.free = np.flatnonzero(~sample.is_labelled)
        # strata of which nothing is known: one label says nothing of the variation,
        # unless there is one stratum, for which one more label does
        least = 2 if np.count_nonzero(self.rooms) > 1 else 1
        self.is_unknown = (self.rooms > 0) & (sample.n_labelled < least)
        self.sampled = np.flatnonzero((self.rooms > 0) & ~self.is_unknown)
        self.ratio = np.where(self.is_unknown, 0.0, self.rooms / r)
        self._strata = [sample.stratum[one] for one in (sample.targets, sample.others)]
        shape, rng = np.maximum((r - 2) / r, 0.25), self._generator(0)
        self._shares = [
            rng.standard_gamma(shape[strata], (n_draws, strata.size))
            for strata in self._strata
        ]
        targets, others = (np.ones(one.shape) for one in self._shares)
        for h in self.sampled.tolist():
            of_targets, of_others = (strata == h for strata in self._strata)
            targets[:, of_targets], others[:, of_others], _ = self._draw(h, rng)
        # other lists have none of these items
        of_labels = sample.targets, sample.others
        none = of_labels[0][:0], of_labels[1][:0]
        self._of_labels = none if population else of_labels
        self._targets, self._others = self._vary(targets), Others(sample.others, others)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel without the draws, which are made again."""
        of = partial(type(self), population=self._population)
        return of, (self.sample, self._n_draws, self._seed)

    def _generator(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, number])

    def _vary(self, targets: Floats) -> Floats:
        """Return numbers of targets of other lists, if these are asked."""
        rng = self._generator(1)
        return rng.poisson(targets).astype(float) if self._population else targets

    def _draw(
        self, h: int, rng: np.random.Generator, *, one_more: bool = False
    ) -> tuple[Floats, Floats, Any]:
        """Draw weights of the targets and others of a stratum, and of one more item."""
        targets, others = (
            share[:, strata == h]
            for share, strata in zip(self._shares, self._strata, strict=True)
        )
        more = rng.standard_exponential((self._n_draws, 1)) * one_more
        rest = others.sum(axis=1, keepdims=True)
        parts = np.hstack([targets, more, rest])
        parts /= parts.sum(axis=1, keepdims=True)
        counts = rng.multinomial(self.rooms[h], parts)
        of_rest = others * (counts[:, -1:] / np.where(rest > 0, rest, 1))
        some = np.asarray(1.0 + counts[:, :-2], dtype=np.float64)
        return some, 1 + of_rest, counts[:, -2]

    @property
    def mean_weights(self) -> list[Floats]:
        """Items that each labelled target, and each other one, stands for."""
        return [1 + self.ratio[strata] for strata in self._strata]

    def _mean_lists(self, n_rows: int = 1) -> Weighted:
        """Return rows in which each label stands for as many items."""
        targets, others = (np.tile(one, (n_rows, 1)) for one in self.mean_weights)
        s = self.sample
        parts = [Others(s.others, others)]
        return Weighted(s.targets, targets, parts, self._of_labels)

    def value(self, terms: Sequence[Term]) -> float:
        """Return the statement, if each label stands for as many items."""
        return float(self._values(terms, self._mean_lists(), "value")[0])

    def _values(self, terms: Sequence[Term], lists: Weighted, side: Side) -> Floats:
        if len(terms) > 1:  # one side of one model is not the other side of the other
            side = "value"
        values = [
            sign * measure.values(self.sample.models[model], lists, side)
            for measure, model, sign in terms
        ]
        return np.asarray(np.sum(values, axis=0))

    def gains(self, terms: Sequence[Term]) -> Floats:
        """Return how much more the statement is with one more target at each item."""
        s, (weights, _) = self.sample, self.mean_weights
        found = [
            sign * measure.gains(s.models[model], s.targets, weights)
            for measure, model, sign in terms
        ]
        return np.asarray(np.sum(found, axis=0))

    @cached_property
    def remaining(self) -> Floats:
        """Targets expected without a label in the strata; NaN if nothing is known."""
        share = self.sample.n_found / np.maximum(self.sample.n_labelled, 1)
        return np.where(self.is_unknown, np.nan, self.rooms * share)

    @property
    def n_unknown(self) -> int:
        """Number of items without a label in the strata of which nothing is known."""
        return int(self.rooms @ self.is_unknown)

    @cached_property
    def found(self) -> SampleLimits:
        """Limits of the number of targets in the strata of which something is known."""
        measure = Found(None, self.sample.n_samples)
        terms = [Term(measure, next(iter(self.sample.models)))]
        return self._limits(terms, self.gains(terms))

    def knows(self, terms: Sequence[Term]) -> bool:
        """Whether a statement depends on strata with labels only."""
        known = not self.is_unknown.any()
        return bool(known or not self._unknown(self.gains(terms)).size)

    def _unknown(self, gains: Floats) -> Codes:
        """Return the strata without labels that a statement depends on."""
        strata = self.sample.stratum[self.free]
        at = self.is_unknown[strata] & (gains[self.free] != 0)
        return (
            np.flatnonzero(self.is_unknown)
            if self._population
            else np.unique(strata[at])
        )

    def _check_known(self, terms: Sequence[Term], gains: Floats) -> None:
        """Refuse a statement that depends on strata without labels."""
        unknown = self._unknown(gains).tolist()
        if not unknown:
            return
        names = listed([brief(self.sample.names[h]) for h in unknown], 5)
        metric = terms[0].measure.metric.name
        if self.sample.is_given:
            rule = (
                f"contain two labelled items each for {metric}, or be labelled "
                "completely"
            )
            advice = (
                "Label a random sample of each; see labels_to_collect. Join strata "
                "that were sampled at the same rate. Precision and profit need no "
                "label below their cutoff."
            )
            raise invalid("strata", rule, f"one or none in {names}", advice)
        rule = f"describe how the labelled items were sampled, for {metric}"
        advice = (
            "Are all of the top t labelled, and a random sample of the others? Pass "
            "two strata, as rank >= t with rank 0 for the best item. Is one random "
            "sample of the whole list labelled? Pass one stratum, as np.zeros(n). Was "
            "the sample a plan of labels_to_collect? Pass the plan. If only the top is "
            "labelled, choose the precision or the profit at a cutoff within it."
        )
        raise invalid("strata", rule, "None", advice)

    def limits(self, terms: Sequence[Term]) -> SampleLimits:
        """Return the draws from which the limits of a statement follow."""
        gains = self.gains(terms)
        if self.is_unknown.any():
            self._check_known(terms, gains)
        return self._limits(terms, gains)

    def limits_of(self, metric: str, model: Any) -> SampleLimits:
        """Return the limits of a metric of one model, which are kept."""
        if (metric, model) not in self._kept:
            measure = measure_of(metric, self.sample.n_samples)
            self._kept[metric, model] = self.limits([Term(measure, model)])
        return self._kept[metric, model]

    def _limits(self, terms: Sequence[Term], gains: Floats) -> SampleLimits:
        if len(terms) > 1 and not all(one.measure.is_smooth for one in terms):
            return self._separate(terms)
        value = self.value(terms)
        order = self.free[np.argsort(gains[self.free])]
        parts = [self._others]
        base = Weighted(self.sample.targets, self._targets, parts, self._of_labels)
        ends = _ends_of(terms)
        drawn = []
        for (side, sign), end in zip(_SIDES, ends, strict=True):
            of_side = [
                self._values(terms, base, side),
                *self._exchanged(terms, sign * gains, order[::-sign], side),
            ]
            # differences of lists without a target
            drawn.append([np.where(np.isnan(one), end, one) for one in of_side])
        lower, upper = drawn
        if len(terms) == 1 and terms[0].measure.is_smooth and not math.isnan(value):
            lower, upper = (
                [value + _WIDER * (one - value) for one in side] for side in drawn
            )
        if len(terms) == 1 and terms[0].measure.of_pairs:
            # draws of AP may be too small, by .3 standard errors with 300 targets: they
            # have fewer pairs of targets of one stratum, as its shares add up to 1
            lack = max(0.0, np.nan_to_num(value - upper[0].mean()))
            upper = [one + lack for one in upper]
        return SampleLimits(value, *ends, lower, upper)

    def _separate(self, terms: Sequence[Term]) -> SampleLimits:
        """Return limits of a difference from those of both models.

        The depths of two models may differ most where no target was found, which no
        gain tells. The quantiles of these draws are differences of those of the models.
        """
        one, other = (self.limits([term._replace(sign=1)]) for term in terms)
        low, high = (
            one.envelope(sign) - other.envelope(-sign)[::-1] for sign in (-1, 1)
        )
        base = one.lower[0] - other.lower[0]
        value = one.value - other.value
        return SampleLimits(value, *_ends_of(terms), [base, low], [base, high])

    def _exchanged(
        self, terms: Sequence[Term], gains: Floats, order: Codes, side: Side
    ) -> Iterator[Floats]:
        """Yield values with one more item in the strata in which it tells most.

        `gains` are those towards the side, and `order` the items without a label, the
        largest gain first. Copies of a target begin with the first item that is as good
        as the best of its stratum, and copies of another item with the last such one.
        """
        s, n_strata, ratio = self.sample, len(self.rooms), self.ratio
        of_free, place, sorted_gains = (
            s.stratum[order],
            np.arange(order.size),
            gains[order],
        )
        begin, end = np.zeros((2, n_strata), dtype=np.intp)
        begin[of_free[::-1]] = end[of_free] = place[
            ::-1
        ]  # the last place of each counts
        here = np.flatnonzero(self.rooms)
        for at, gain in ((begin, -sorted_gains), (end, sorted_gains[::-1])):
            at[here] = np.searchsorted(gain, gain[at[here]])  # the first equal one
        # what a target would change whose copies have the size of an upper limit
        sums = np.append(0, np.cumsum(sorted_gains))
        stop = np.minimum(order.size, begin + np.ceil(_RULE * ratio).astype(np.intp))
        mean = (sums[stop] - sums[begin]) / np.maximum(stop - begin, 1)
        more = np.argsort(-(mean * ratio)[self.sampled], kind="stable")[:_TRIED]
        # and what the targets that were found would change, if each had fewer copies
        found = np.bincount(self._strata[0], gains[s.targets], n_strata)
        fewer = np.argsort((found * ratio / (s.n_labelled + 1))[self.sampled])[:1]
        for h in np.unique(self.sampled[np.append(more, fewer)]).tolist():
            lists, copies = self._with_one_more(h)
            drawn = [
                self._of_copies(terms, lists, copies, places, side, is_target=one)
                for places, one in (
                    (order[begin[h] :], True),
                    (order[::-1][end[h] :], False),
                )
            ]
            if len(terms) == 1 or s.targets.size < _FEW:
                yield from drawn
            else:  # a half of the draws each: differences cover .99 (mid-p)
                yield np.where(np.arange(self._n_draws) % 2 == 0, *drawn)

    def _of_copies(
        self,
        terms: Sequence[Term],
        lists: Weighted,
        copies: Codes,
        places: Codes,
        side: Side,
        *,
        is_target: bool,
    ) -> Floats:
        """Return values with copies of one more item, at the first of some places.

        More copies are not always worse: many targets at the last places have a high
        precision. So there are at most as many as are worst for the mean weights.
        """
        places = places[: max(int(copies.max()), 1)]
        caps = np.unique(np.geomspace(1, places.size, 24).astype(np.intp))[::-1]
        mean = self._mean_lists(caps.size)
        mean = _with_copies(mean, places, caps, is_target=is_target)
        values = self._values(terms, mean, side)
        cap = caps[np.argmax(values if side == "upper" else -values)]
        few = np.minimum(copies, cap)
        lists = _with_copies(lists, places, few, is_target=is_target)
        return self._values(terms, lists, side)

    def _with_one_more(self, h: int) -> tuple[Weighted, Any]:
        """Return lists in which a stratum has one more label, and its copies."""
        rng = self._generator(2 + h)
        of_targets, of_others = (strata == h for strata in self._strata)
        some, others, numbers = self._draw(h, rng, one_more=True)
        copies: Any = self._vary(1.0 * numbers).astype(np.intp)
        targets, s = self._targets.copy(), self.sample
        targets[:, of_targets] = self._vary(some)
        change = others - self._others.weights[:, of_others]
        parts = [self._others, Others(s.others[of_others], change)]
        return Weighted(s.targets, targets, parts, self._of_labels), copies

    def expected_hits(self, ranks: ModelRanks, depths: Codes) -> Floats:
        """Return the targets expected above depths."""
        targets, weights = self.sample.targets, self.mean_weights[0]
        hits = _hits(ranks, targets, weights[None], depths)[0]
        return np.asarray(np.minimum(hits, depths))

    def hit_limits(
        self, ranks: ModelRanks, depths: Codes, level: float, *, together: bool
    ) -> tuple[Floats, Floats]:
        """Return limits of the targets above depths, for each or for all `together`.

        A stratum has one more item if it tells most for one of the depths.
        """
        s, order = self.sample, self.free[np.argsort(ranks.above[self.free])]
        strata, first = np.unique(s.stratum[order], return_index=True)
        strata, first = (one[~self.is_unknown[strata]] for one in (strata, first))
        # items without a label above each depth, from the best one of each stratum on
        above = np.searchsorted(ranks.above[order], depths)
        longest = np.maximum(_RULE * self.ratio[strata, None], 1)
        share = np.clip((above - first[:, None]) / longest, 0, 1)
        worth = self.ratio[strata, None] * share
        value = self.expected_hits(ranks, depths)
        low, high = [value], [value]
        for h in np.unique(np.argmax(worth, axis=0)) if strata.size else ():
            lists, copies = self._with_one_more(int(strata[h]))
            hits = _hits(ranks, s.targets, lists.of_targets, depths)
            places = np.clip(above - first[h], 0, None)
            more = hits + np.minimum(copies[:, None], places)
            low.append(_joint_quantile(hits, 1 - level, together=together))
            high.append(-_joint_quantile(-more, 1 - level, together=together))
        # the items that are known, and those of which nothing is known
        known, others = (
            _hits(ranks, one, np.ones((1, one.size)), depths)[0]
            for one in (s.targets, s.others)
        )
        unknown = order[self.is_unknown[s.stratum[order]]]
        most = np.max(high, axis=0) + np.searchsorted(ranks.above[unknown], depths)
        return np.maximum(np.min(low, axis=0), known), np.minimum(most, depths - others)


def _ends_of(terms: Sequence[Term]) -> tuple[float, float]:
    """Return the smallest and the largest value of a statement."""
    ends = [np.sort(np.multiply(sign, one.bounds)) for one, _, sign in terms]
    low, high = np.sum(ends, axis=0).tolist()
    return low, high


def _hits(ranks: ModelRanks, targets: Codes, weights: Floats, depths: Codes) -> Floats:
    """Return the weights above depths, (n_draws, n_depths), with ties in part."""
    return np.asarray(weights @ ranks.share_above(depths, (targets, None)))


def _joint_quantile(values: Floats, outside: float, *, together: bool) -> Floats:
    """Return limits below which a half of `outside` is, in each or in some column."""
    n_out = int(outside / 2 * len(values))
    ordered = np.sort(values, axis=0)
    if together:
        ranks = rankdata(values, method="max", axis=0).min(axis=1)
        n_out = max(int(np.sort(ranks)[n_out]) - 1, 0)
    return np.asarray(ordered[n_out])


@dataclass(frozen=True, slots=True, eq=False)
class SampleLimits:
    """A value, and draws of it for its lower and for its upper limits.

    The first draws of each side have no item more.
    """

    value: float
    least: float
    most: float
    lower: list[Floats]
    upper: list[Floats]

    @property
    def standard_error(self) -> float:
        """Standard deviation of the draws without one more item."""
        return 0.0 if self.is_certain else float(self.lower[0].std())

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return self.lower[0].size

    @property
    def is_certain(self) -> bool:
        """Whether all draws are the value: the labels that matter are known."""
        slack = ROUNDING * max(1.0, abs(self.value))
        return all(
            np.all(np.abs(one - self.value) <= slack) for one in self.lower + self.upper
        )

    def _draws(self, sign: int) -> list[Floats]:
        """Return the draws of one side, with one more item if there are such."""
        base, *more = self.upper if sign > 0 else self.lower
        return more or [base]

    def bounds(self, confidence_level: float) -> tuple[float, float]:
        """Return the most extreme quantiles, which contain the value.

        A level that is beyond the draws has the smallest and the largest value.
        """
        outside = (1 - confidence_level) / 2
        if self.is_certain:
            return self.value, self.value
        if outside * self.n_draws < 1 - ROUNDING:
            return self.least, self.most
        low = [np.quantile(one, outside) for one in self._draws(-1)]
        high = [np.quantile(one, 1 - outside) for one in self._draws(1)]
        return (
            float(max(self.least, np.nanmin([self.value, *low]))),
            float(min(self.most, np.nanmax([self.value, *high]))),
        )

    def warn_beyond(self, level: float) -> None:
        """Warn of a level at which the draws have no quantiles."""
        needed = math.ceil(2 / (1 - level) * (1 - ROUNDING))
        if self.n_draws < needed and not self.is_certain:
            warn(
                f"The confidence level {level:.6g} needs `n_resamples`={needed}: with "
                f"{self.n_draws} draws the limits are the bounds of the metric.",
                UserWarning,
            )

    def envelope(self, sign: int) -> Floats:
        """Return the quantiles of the draws of a side, the most extreme of each."""
        ordered = sign * np.sort([sign * one for one in self._draws(sign)], axis=1)
        return np.asarray(
            np.sort(ordered.max(axis=0) if sign > 0 else ordered.min(axis=0))
        )

    def tail(self, value: float, sign: int) -> float:
        """Return the share of draws for a limit that are beyond a value, or equal.

        With the sign -1 these are the draws of the lower limit that are at most the
        value, and with 1 those of the upper limit that are at least it.
        """
        draws = self._draws(sign)
        return float(max(np.mean(sign * (one - value) >= 0) for one in draws))


def _with_copies(
    lists: Weighted, places: Codes, copies: Codes, *, is_target: bool
) -> Weighted:
    """Return lists with copies of one more item at the first of some places."""
    starts, runs = _in_runs(copies, places.size)
    if not is_target:
        others = [*lists.others, Others(places[starts], runs)]
        return lists._replace(others=others)
    every = np.append(lists.targets, places[starts])
    weights = np.hstack([lists.of_targets, runs])
    return lists._replace(targets=every, of_targets=weights)


def _in_runs(copies: Codes, most: int) -> tuple[Codes, Floats]:
    """Return the first places of runs, and the copies that stand in each; O(log n)."""
    n_longer = 2 + max(0, int(math.log(most / _SINGLE) / math.log(_GROWTH)))
    longer = _SINGLE * _GROWTH ** np.arange(1, n_longer)
    ends = np.append(np.arange(_SINGLE + 1), longer).astype(np.intp)
    ends = np.unique(np.minimum(ends, most))
    runs = np.clip(copies[:, None] - ends[:-1], 0, np.diff(ends)).astype(float)
    return ends[:-1], runs
