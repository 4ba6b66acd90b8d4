"""Simulated studies: rankings from a population, and what the tests decide.

The population is that of a pilot, whose targets and non-targets are drawn. Without one
it is binormal: the scores of non-targets are standard normal, and those of targets are
normal with another mean and standard deviation (Green and Swets 1966, chapter 3). With
two models the scores of an item are correlated within each class. A study has fixed
numbers of targets and of non-targets. All studies have the same seed, so that the power
changes little from one setting to the next by chance alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata, t

from skrank._utils._jobs import run_draws
from skrank._utils._rounding import ROUNDING
from skrank.inference.comparison._pair import MANY_TARGETS, Pair
from skrank.inference.comparison._ranking_comparison import RankingComparison
from skrank.inference.variability._binormal import (
    binormal_values,
    draw_others,
    draw_shares,
    values_of_shares,
)
from skrank.inference.variability._changes import item_changes
from skrank.inference.variability._moderation import error_of_one_value
from skrank.metrics._definitions import Frame, Metric
from skrank.null import RandomSelectionNull
from skrank.ranking._level_counts import count_levels
from skrank.ranking._ranking import HitGroups, Ranking
from skrank.ranking._ties import untied

# Scores that are drawn at once; limits the memory.
_PORTION = 2**19
# Exchanges of the default test.
MOST_EXCHANGES = RankingComparison().n_resamples

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """Rankings of a pilot by one model or two, from which items are drawn.

    `targets` and `others` have, for each model and each item, the shares of the
    non-targets between which a new item like it is drawn: those above it, and with
    those in its tie. `others` is None for one model, whose values do not need it.
    """

    targets: tuple[_Floats, _Floats]
    others: tuple[_Floats, _Floats] | None

    @classmethod
    def of(cls, row: Sequence[Ranking]) -> Pilot:
        """Take the places of the items."""
        if len(row) == 1:
            one, n = row[0].groups, row[0].n_non_targets + 1
            above, tied = one.above - one.hits_above, one.size - one.hits
            found = np.stack([above, above + tied + 1]) / n
            low, high = np.repeat(found, one.hits.astype(np.intp), axis=1)[:, None]
            return cls((low, high), None)
        targets, others = [], []
        for ranking in row:
            score, is_target = (
                ranking.items.y_score,
                np.isin(np.arange(int(ranking.n_samples)), ranking.items.targets),
            )
            levels = np.sort(-score[~is_target])
            ends = levels.searchsorted(-score), levels.searchsorted(-score, "right")
            n, (above, below) = levels.size, ends
            places = above[is_target], below[is_target] + 1
            targets.append(np.stack(places) / (n + 1))
            others.append(np.stack([above[~is_target], below[~is_target]]) / n)
        (a, b), (c, d) = np.stack(targets, axis=1), np.stack(others, axis=1)
        return cls((a, b), (c, d))

    def model(self, number: int) -> Pilot:
        """Return the targets of one of the models."""
        low, high = (one[[number]] for one in self.targets)
        return Pilot((low, high), None)

    def draw_targets(self, size: tuple[int, int], rng: np.random.Generator) -> _Floats:
        """Draw the shares of the non-targets above targets, by each model."""
        return _drawn_between(*self.targets, size, rng)

    def draw_others(self, size: tuple[int, int], rng: np.random.Generator) -> _Floats:
        """Draw the shares of the non-targets above non-targets, by both models."""
        assert self.others is not None
        return _drawn_between(*self.others, size, rng)

    def shares(self) -> tuple[_Floats, _Floats]:
        """Return the targets of one model between depths of the non-targets."""
        (low,), (high,) = self.targets
        each = 1 / (low.size * (high - low))
        ends = np.concatenate([low, high, [0.0, 1.0]])
        depths, which = np.unique(ends, return_inverse=True)
        steps = np.concatenate([each, -each, [0.0, 0.0]])
        density = np.bincount(which, steps).cumsum()[:-1].clip(0.0)
        return depths, density * np.diff(depths)


def _drawn_between(
    low: _Floats, high: _Floats, size: tuple[int, int], rng: np.random.Generator
) -> _Floats:
    """Draw items, and their places, which are alike in both models."""
    which, place = _subsets(low.shape[1], size, rng), rng.random(size)
    return low[:, which] + place * (high - low)[:, which]


def _subsets(n: int, size: tuple[int, int], rng: np.random.Generator) -> Any:
    """Draw rows of different ones of n items, so that the power has no bias.

    The same target twice at the top would make it too large. Larger rows are drawn with
    replacement.
    """
    n_rows, m = size
    if m > n:
        return rng.integers(n, size=size)
    if 2 * m > n:
        every = np.broadcast_to(np.arange(n), (n_rows, n))
        return rng.permuted(every, axis=1)[:, :m]
    drawn = np.sort(rng.integers(n, size=size), axis=1)
    while (again := np.diff(drawn, axis=1, prepend=-1) == 0).any():
        drawn[again] = rng.integers(n, size=np.count_nonzero(again))
        drawn.sort(axis=1)
    return drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A population with one model or two, and the draws of studies from it.

    `shifts` are the means of the targets' scores, `spread` is their standard deviation.
    They are not used with a `pilot`, from which the items are drawn.
    """

    metric: Metric
    prevalence: float
    shifts: tuple[float, ...]
    spread: float
    correlation: float
    n_distinct: int | None
    n_studies: int
    seed: int
    pilot: Pilot | None = None

    def n_samples(self, n_targets: int) -> int:
        """Items of a study, of which one at least is not a target."""
        return max(round(n_targets / self.prevalence), n_targets + 1)

    def population(self, n_targets: int, shifts: Any = None) -> _Floats:
        """Values in the population, of the models or of those with other shifts."""
        # in a large one, a depth that is a share has no rounding
        m = n_targets if counts_items(self.metric) else 10_000
        frame = self.metric.frame(untied(self.n_samples(m)), m)
        at = np.asarray(self.shifts if shifts is None else shifts)
        pilots = [self.pilot and self.pilot.model(i) for i in range(at.size)]
        if not self.metric.of_shares:
            each = (
                replace(self, shifts=(shift,), pilot=pilot)
                for shift, pilot in zip(at.tolist(), pilots, strict=True)
            )
            return np.array([one.values(n_targets).mean() for one in each])
        if self.pilot is not None:
            shares, ties = [one.shares() for one in pilots if one], self.n_distinct
            return np.array(
                [values_of_shares(self.metric, frame, *one, ties) for one in shares]
            )
        return binormal_values(self.metric, frame, at, self.spread, self.n_distinct)

    def draw(self, n_targets: int, level: float) -> Studies:
        """Draw studies with so many targets, for a test at a level."""
        if len(self.shifts) == 1:
            return SelectionStudies(self, n_targets)
        return ComparisonStudies(self, n_targets, level)

    def values(self, m: int) -> _Floats:
        """Draw values of the first model; O(m log m) each, for any number of items."""
        engine, rng = partial(self._values, m), np.random.default_rng(self.seed)
        return np.concatenate(run_draws(engine, self.n_studies, _PORTION // m, rng))

    def _values(self, m: int, size: int, seed: int) -> _Floats:
        """Draw the targets, and the numbers of non-targets between them."""
        rng, frame = np.random.default_rng(seed), Frame(self.n_samples(m), m, 0)
        if self.pilot is None:
            shares = draw_shares((size, m), self.shifts[0], self.spread, rng)
        else:
            shares = self.pilot.draw_targets((size, m), rng)[0]
        return self._measured(draw_others(shares, frame, rng))

    def scores(self, m: int, size: int, rng: np.random.Generator) -> _Floats:
        """Draw scores of all items by two models, those of the targets first."""
        if self.pilot is not None:
            targets = self.pilot.draw_targets((size, m), rng)
            others = self.pilot.draw_others((size, self.n_samples(m) - m), rng)
            return np.asarray(-ndtri(np.concatenate([targets, others], axis=2)))
        scores = rng.standard_normal((2, size, self.n_samples(m)))
        scores[1] *= np.sqrt(1 - self.correlation**2)
        scores[1] += self.correlation * scores[0]
        means = np.array(self.shifts)[:, None, None]
        scores[..., :m] = means + self.spread * scores[..., :m]
        return scores

    def values_of(self, m: int, scores: _Floats) -> _Floats:
        """Return the values of rankings of one model, in rows of scores."""
        size, n = scores.shape
        row = np.arange(size)[:, None]
        # each row is below the one before, so that all rows are counted at once
        keys = scores - (np.ptp(scores) + 1) * row
        levels, hits = np.unique(keys[:, :m], return_counts=True)
        below, level_with = count_levels(keys.ravel(), levels)
        # all items above a target, without the targets among them
        others = size * (n - m) - below - level_with + hits.cumsum()
        above = np.repeat(others, hits)[::-1].reshape(size, m)
        return self._measured(above - row * (n - m))

    def _measured(self, others: NDArray[np.intp]) -> _Floats:
        """Return the values of rankings, from the non-targets above each target."""
        size, m = others.shape
        n, above = self.n_samples(m), others + np.arange(m)
        row, ends = np.repeat(np.arange(size), m), tie_ends(n, self.n_distinct)
        if ends is None:
            one = np.ones(row.size, dtype=np.intp)
            groups = HitGroups(above.ravel(), one, np.tile(np.arange(m), size), one)
        else:
            key = row * ends.size + ends.searchsorted(above.ravel(), side="right")
            key, hits = np.unique(key, return_counts=True)
            row, tie = np.divmod(key, ends.size)
            sizes = np.diff(ends, prepend=0)
            found = hits.cumsum() - hits - m * row
            groups = HitGroups((ends - sizes)[tie], sizes[tie], found, hits)
        return self.metric.values(groups, row, size, self.metric.frame(untied(n), m))

    def pair(self, m: int, scores: _Floats) -> Pair:
        """Rank the items of a study by both models."""
        n = scores.shape[1]
        ends, is_target = tie_ends(n, self.n_distinct), np.arange(n) < m
        if ends is not None:
            scores = -ends.searchsorted(rankdata(-scores, axis=1)).astype(float)
        return Pair(*(Ranking.from_predictions(is_target, one) for one in scores))


class SelectionStudies:
    """Studies of one model, tested against random selection.

    `values` has a column for each model.
    """

    def __init__(self, study: Study, m: int) -> None:
        self.values = study.values(m)[:, None]
        self.of_null = study.metric, study.n_samples(m), m, study.n_distinct
        self.seed = study.seed

    def power(self, level: float) -> tuple[float, float]:
        """Power at a level, and its standard error by the simulation."""
        critical = _critical(*self.of_null, level, self.seed)
        return _share(self.values > critical + ROUNDING)

    def level(self, power: float) -> float:
        """Level at which the power is reached: the p-value of a quantile."""
        quantile = np.quantile(self.values, 1 - power, method="lower")
        return float(_null(*self.of_null).pvalue(quantile))


class ComparisonStudies:
    """Studies of two models, some of which are tested.

    The power is the share of all studies whose difference is above a critical value
    that is linear in the difference. It is corrected by the share of the tests that
    disagree, so that it has no bias (a control variate).
    """

    def __init__(self, study: Study, m: int, level: float) -> None:
        metric, n, self.m = study.metric, study.n_samples(m), m
        # with more than 20 exchanges beyond its critical value the power grows by .01
        # at most; 1e8 items times exchanges of all tests take about two seconds; and 40
        # to 200 tests of a thousand studies give a standard error of .02 to .03
        swaps = min(int(np.ceil(20 / level)) - 1, MOST_EXCHANGES)
        share = study.n_studies / 1000
        n_tests = int(max(share * min(1e8 / (n * swaps), 200), 40))
        rng, values = np.random.default_rng(study.seed), []
        self.tests: list[Any] = []
        of_tests, portion = np.random.default_rng([study.seed, 1]), _PORTION // n + 1
        for start in range(0, study.n_studies, portion):
            size = min(portion, study.n_studies - start)
            scores = study.scores(m, size, rng)
            values.append(np.stack([study.values_of(m, one) for one in scores], axis=1))
            for one in scores.swapaxes(0, 1)[: n_tests - len(self.tests)]:
                pair = study.pair(m, one)
                if m >= MANY_TARGETS:
                    found = item_changes(metric, [pair.rankings]).error([1, -1])
                    self.tests.append(found.error)
                else:
                    drawn = pair.swaps(metric)(swaps, of_tests)
                    self.tests.append(np.sort(np.abs(drawn)))
        self.values = np.concatenate(values)

    def power(self, level: float) -> tuple[float, float]:
        """Power at a level, and its standard error by the simulation."""
        sizes = np.abs(self.values[:, 0] - self.values[:, 1])
        critical = np.array([self._least(one, level) for one in self.tests])
        away = sizes - sizes[: critical.size].mean()
        known = away[: critical.size]
        slope = known @ critical / max(known @ known, np.finfo(float).tiny)
        above = sizes > critical.mean() + slope * away
        significant = sizes[: critical.size] > critical + ROUNDING
        share, error = _share(above)
        more, of_more = _share(significant.astype(float) - above[: critical.size])
        # more tests might disagree even if none does here
        of_more = max(of_more, error_of_one_value(1.0, critical.size))
        return min(max(share + more, 0.0), 1.0), float(np.hypot(error, of_more))

    def _least(self, test: Any, level: float) -> float:
        """Value that a significant difference exceeds in a test."""
        if self.m >= MANY_TARGETS:
            return float(test * t.isf(level / 2, self.m - 1))
        return float(test[-max(int(level * (test.size + 1) + ROUNDING), 1)])


Studies = SelectionStudies | ComparisonStudies


def _share(found: Any) -> tuple[float, float]:
    """Mean over the studies, and its standard error."""
    return float(found.mean()), float(found.std() / np.sqrt(found.size))


def _null(
    metric: Metric, n: int, m: int, n_distinct: int | None
) -> RandomSelectionNull:
    """Null distribution of the values of studies, all of which have the same ties."""
    ends = tie_ends(n, n_distinct)
    sizes = None if ends is None else np.diff(ends, prepend=0)
    return RandomSelectionNull(n, m, metric, tie_sizes=sizes)


@lru_cache(maxsize=64)
def _critical(
    metric: Metric, n: int, m: int, n_distinct: int | None, level: float, seed: int
) -> float:
    """Value that random selection exceeds with a probability of the level."""
    null = _null(metric, n, m, n_distinct)
    # rarer levels would need too many draws; hits are counted at once
    if level < 5e-4 or not metric.ordered:
        return float(null.isf(level))
    # more if few targets make them cheap, and at least a hundred beyond the level
    draws = max(20_000, 2_000_000 // m, int(100 / level))
    found = np.sort(null.rvs(draws, seed + 1))
    critical = found[-1 - int(level * draws)]
    # 600 know the level up to 4 %; fewer are corrected by one exact p-value, and by the
    # step to the critical value of twice the level
    if level * draws < 600:
        step = critical - found[-1 - int(2 * level * draws)]
        critical += step * np.log2(null.sf(critical) / level)
    return float(critical)


def tie_ends(n_samples: int, n_distinct: int | None) -> NDArray[np.intp] | None:
    """Depths at which equally frequent ties end, or None if there are no ties."""
    if n_distinct is None or n_distinct >= n_samples:
        return None
    shares = np.arange(1, n_distinct + 1) / n_distinct
    return np.rint(n_samples * shares).astype(np.intp)


def counts_items(metric: Metric) -> bool:
    """Whether the value depends on the number of items: of a cutoff, profit or rank."""
    cutoff = metric.cutoff_depth
    grows = metric.scaled(2.0) != metric or not metric.of_shares
    return isinstance(cutoff, int) or grows
