"""The choice of a threshold for the items of a ranking."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_depth, invalid
from skrank._utils._warnings import warn
from skrank.inference.thresholds._aim import (
    DIVISIONS,
    FOLDS,
    Aim,
    Choice,
    excess_of_largest,
    share,
)
from skrank.inference.thresholds._guarantee import OF_ITEMS
from skrank.inference.thresholds._rules import ChoiceRule, DrawnRule
from skrank.inference.thresholds._threshold_choice_points import (
    Points,
    beside,
    cumulative,
)
from skrank.ranking._items import level_at
from skrank.ranking._ranking import Ranking, hits_at

Floats = NDArray[np.float64]

# A parameter of a beta distribution that is 0.
_ZERO = np.finfo(float).tiny


class ThresholdOfItems(Choice):
    """A threshold on the score for all items; those of folds are pooled."""

    promises = OF_ITEMS

    def __init__(self, aim: Aim, rankings: list[Ranking], *drawing: Any) -> None:
        super().__init__(aim, *drawing)
        self.ranking = _pooled(rankings)
        amounts = np.ones(self.ranking.items.y_score.size)
        if aim.amounts is not None:
            amounts = np.concatenate(aim.amounts)
        self.amounts = amounts[self.ranking.items.targets]
        self.m, self.n = int(self.ranking.n_targets), int(self.ranking.n_samples)
        # An item of a fold counts less, since a model of all items has other scores
        # than those of the folds. By benchmarks/thresholds.py: with 1, intervals of t
        # hold .80 of the numbers for trees; with half of it, they are 1.4 times as
        # wide.
        self.weight = 1.0 if len(rankings) == 1 else 0.4
        # with half as many and a recall of .5, the estimate is always 0, the truth .3
        least = 2 if aim.quantity == "t" else 5
        if self.m < least:
            raise invalid("y_true", f"contain {least} targets or more", str(self.m))

    def found(self) -> dict[str, Any]:
        """Return the threshold, and what to expect of it on other items."""
        aim, m, n = self.aim, self.m, self.n
        if aim.quantity == "t":
            threshold, t, hits, lows, highs = self._at_depth()
        else:
            points = Points.of(self.ranking, self.amounts, self._most(n))
            gains = self._gains(points.hits, points.worth)
            at = int(self.best(gains, points.items, m, self._most(n)))
            threshold, t, hits = points.at(at)
            is_sure = self.keeps(at, points.hits, points.items, m)
            self.tell_limit(hits, m, f"{t:g}")
            tried = points.thinned()
            held, optimism = self._held_out(tried)
            drawn = self.drawn(lambda size: self._of_others(tried, size))
            lows, highs = beside(tried.levels, drawn)
        is_found = self.ranking.items.y_score[self.ranking.items.targets] >= threshold
        found = self.amounts[is_found]
        worth = float(found.sum())
        here = np.array([hits, t - hits, worth])
        rules: dict[str, ChoiceRule]
        if t in (0, n):
            rules = {**self.certain(hits, t, worth)}
        elif aim.quantity == "t":
            rules = {**self._expected(here, here, found)}
        else:
            sizes = (m, n - m, self.amounts.sum())
            other = np.clip(here - optimism, 0, sizes)
            rules = {**self._expected(other, here, found)}
            if aim.quantity == "profit":
                rules["profit"] = self._expected(held, here, found)["profit"]
            if is_sure:
                n_units = t if aim.quantity == "precision" else m
                estimate = rules[aim.quantity].estimate
                rules[aim.quantity] = self.promise(estimate, hits, n_units)
        return {
            "threshold": threshold,
            "t": int(t),
            **self.apparent(hits, t, self.m, aim.profit(worth, t)),
            "_rules": {"threshold": DrawnRule(threshold, lows, highs), **rules},
        }

    def _gains(self, hits: Any, worth: Any) -> Any:
        """Return what the aim sums: the amounts of the hits for a profit."""
        return worth if self.aim.quantity == "profit" else hits

    def _most(self, n: Any) -> Any:
        """Return the limit of the items for as many items, a share of these."""
        if self.aim.limit is None:
            return math.inf
        return check_depth("t", self.aim.limit, self.n) * (n / self.n)

    def _of_others(self, tried: Points, size: int) -> tuple[Any, Any, int, Any]:
        """Draw gains and items of samples of other items."""
        hits, worth, items = tried.of_others(self.rng, size, self.weight)
        return self._gains(hits, worth), items, self.m, self._most(self.n)

    def _at_depth(self) -> tuple[float, float, float, Floats, Floats]:
        """Return the threshold at a depth, its items and hits, and drawn limits."""
        n, scores = self.n, self.ranking.items.y_score
        depth = int(check_depth("t", self.aim.value, n))
        t = self.ranking.group_end(depth)
        if t > depth:
            said = f"The tie at the threshold is inspected whole: {t:g} items"
            warn(f"{said}, not {depth}.", UserWarning)
        threshold = float(level_at(scores, depth)) if t < n else -math.inf
        # the place, in these data, of the item at this depth of another sample
        below = self.rng.beta(depth, n - depth + 1, size=self.n_resamples)
        place = self.rng.binomial(n, below)
        edges = np.concatenate([[-np.inf], np.sort(scores), [np.inf]])
        hits = float(hits_at(self.ranking, t))
        return threshold, t, hits, edges[n - place], edges[n - place + 1]

    def _held_out(self, points: Points) -> tuple[Floats, Floats]:
        """Hits, non-targets and worth in the folds, by choices without each fold.

        The second result is by how much there are fewer than in the other folds, which
        chose.
        """
        rng, m, n_cells = self.rng, self.m, points.each_hits.size
        n_folds = min(FOLDS, m)
        cells = points.cells(self.ranking.items.y_score[self.ranking.items.targets])
        order = np.lexsort([self.amounts, cells])  # the order of the rows has no effect
        cells, amounts = cells[order], self.amounts[order]
        held, others = np.zeros(3), np.zeros(3)
        for _ in range(DIVISIONS):
            fold = rng.permutation(np.arange(m) % n_folds)
            kept, worth = (
                np.bincount(fold * n_cells + cells, one, n_folds * n_cells)
                for one in (None, amounts)
            )
            shares = np.full(n_folds, 1 / n_folds)
            other = rng.multinomial(points.each_others, shares).T
            shape = (n_folds, n_cells)
            each = kept.reshape(shape), other, worth.reshape(shape)
            inside = [cumulative(one) for one in each]
            outside = [one.sum(axis=0) - one for one in inside]
            hits, rest, worth = outside
            items = hits + rest
            given = hits[:, -1:], self._most(items[:, -1:])
            chosen = self.best(self._gains(hits, worth), items, *given)[:, None]
            for total, counts in ((held, inside), (others, outside)):
                found = [np.take_along_axis(one, chosen, axis=1) for one in counts]
                total += np.sum(found, axis=(1, 2)) / DIVISIONS
        return held, others / (n_folds - 1) - held

    def _expected(
        self, expected: Floats, here: Floats, amounts: Floats
    ) -> dict[str, DrawnRule]:
        """Draw the shares of both classes above the threshold.

        The lower limits are those of the smaller of what is found here and of what is
        expected elsewhere, and the upper ones of the larger. The amounts are those of
        the targets that are found here.
        """
        n, m, profit, ends = self.n, self.m, self.aim.profit, []
        for size, one, seen in zip((m, n - m), expected[:2], here[:2], strict=True):
            half = 0.5 * (0 < seen < size)
            lows = self._draw_share(size, min(one, seen), half)
            highs = self._draw_share(size, max(one, seen), 1 - half)
            ends.append([one, lows, highs])
        (hits, few, many), (others, less, more) = ends
        fewest, most = (
            self.rng.binomial(n, size / n).astype(float)
            for size in (few + less, many + more)
        )
        of_items = share(hits, hits + max(others, _ZERO))
        shares = share(few, few + more), share(many, many + less)
        low, high = self._mean_amounts(amounts)
        # the amounts found here, or those expected elsewhere, as the shares above
        means = [one[2] / max(one[0], _ZERO) for one in (expected, here)]
        other = means[0] / max(means[1], _ZERO) if min(expected[0], here[0]) else 1.0
        low, high = low * min(1.0, other), high * max(1.0, other)
        profits = profit(few * low, few + more), profit(many * high, many + less)
        return {
            "t": DrawnRule(here.sum(), fewest, most),
            "recall": DrawnRule(hits / m, few / m, many / m),
            "precision": DrawnRule(of_items, *shares),
            "profit": DrawnRule(profit(expected[2], hits + others), *profits),
        }

    def _mean_amounts(self, found: Floats) -> tuple[Any, Any]:
        """Draw mean amounts of targets by the Bayesian bootstrap, for both limits.

        Those of the upper limit have one target more.
        """
        if self.aim.amounts is None:
            return 1.0, 1.0
        found = found if found.size else self.amounts
        mean = float(found.mean())
        more = mean + excess_of_largest(self.amounts, mean, found.size)

        def draw(size: int) -> Floats:
            shares = self.rng.standard_gamma(1.0, (size, found.size))
            one = self.rng.standard_gamma(1.0, size)
            total, count = shares @ found, shares.sum(axis=1)
            return np.stack([total / count, (total + one * more) / (count + one)], 1)

        low, high = self.in_pieces(draw).T
        return low, high

    def _draw_share(self, size: float, found: float, side: float) -> Floats:
        """Draw how many of a class are found, by a prior of which `side` is found."""
        hits = self.weight * found + side
        misses = self.weight * (size - found) + 1 - side
        drawn = self.rng.beta(max(hits, _ZERO), max(misses, _ZERO), self.n_resamples)
        return size * drawn


def _pooled(rankings: list[Ranking]) -> Ranking:
    """Return the ranking of the items of all folds."""
    if not all(one.has_items for one in rankings):
        rule = "have the items themselves, whose scores are thresholds"
        raise invalid("y_true", rule, "RankCounts")
    if len(rankings) == 1:
        return rankings[0]
    labels = [np.zeros(one.items.y_score.size, dtype=bool) for one in rankings]
    for each, one in zip(labels, rankings, strict=True):
        each[one.items.targets] = True
    scores = [one.items.y_score for one in rankings]
    return Ranking.from_predictions(np.concatenate(labels), np.concatenate(scores))
