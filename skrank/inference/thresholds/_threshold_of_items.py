"""The choice of a threshold for the items of a ranking."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_depth, invalid
from skrank._utils._warnings import warn
from skrank.inference.thresholds._aim import DIVISIONS, FOLDS, Aim, Choice, share
from skrank.inference.thresholds._guarantee import OF_ITEMS
from skrank.inference.thresholds._rules import ChoiceRule, DrawnRule
from skrank.inference.thresholds._threshold_choice_points import Points, cumulative
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
        self.m, self.n = int(self.ranking.n_targets), int(self.ranking.n_samples)
        # An item of a fold counts less, since a model of all items has other scores
        # than those of the folds. By benchmarks/thresholds.py: with 1, intervals of t
        # hold .80 of the numbers for trees; with half of it, they are 1.4 times as
        # wide.
        self.weight = 1.0 if len(rankings) == 1 else 0.4
        # with half as many and a recall of .5, the estimate is always 0, the truth .3
        least = 2 if aim.quantity == "t" else 5
        if self.m < least:
            raise invalid("y_true", f"hold {least} targets or more", str(self.m))

    def found(self) -> dict[str, Any]:
        """Return the threshold, and what to expect of it on other items."""
        aim, sizes = self.aim, (self.m, self.n - self.m)
        if aim.quantity == "t":
            threshold, t, hits, lows, highs = self._at_depth()
        else:
            points = Points.of(self.ranking)
            at = int(self.best(points.hits, points.items, self.m))
            threshold, t, hits = points.at(at)
            is_sure = self.keeps(at, points.hits, points.items, self.m)
            tried = points.thinned()
            held, optimism = self._held_out(tried)
            drawn = self.drawn(
                lambda size: (*tried.of_others(self.rng, size, self.weight), self.m)
            )
            lows, highs = tried.beside(drawn)
        here = np.array([hits, t - hits])
        rules: dict[str, ChoiceRule]
        if t in (0, self.n):
            rules = {**self.certain(hits, t)}
        elif aim.quantity == "t":
            rules = {**self._expected(here, here)}
        else:
            rules = {**self._expected(np.clip(here - optimism, 0, sizes), here)}
            if aim.quantity == "profit":
                rules["profit"] = self._expected(held, here)["profit"]
            if is_sure:
                n = t if aim.quantity == "precision" else self.m
                estimate = rules[aim.quantity].estimate
                rules[aim.quantity] = self.promise(estimate, hits, n)
        return {
            "threshold": threshold,
            "t": int(t),
            **self.apparent(hits, t, self.m, aim.profit(hits, t)),
            "_rules": {"threshold": DrawnRule(threshold, lows, highs), **rules},
        }

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
        """Hits and non-targets in the folds, by choices without each fold.

        The second result is by how much there are fewer than in the other folds, which
        chose.
        """
        rng, m, n_cells = self.rng, self.m, points.each_hits.size
        n_folds = min(FOLDS, m)
        cells = np.repeat(np.arange(n_cells), points.each_hits)
        held, others = np.zeros(2), np.zeros(2)
        for _ in range(DIVISIONS):
            fold = rng.permutation(np.arange(m) % n_folds)
            kept = np.bincount(fold * n_cells + cells, minlength=n_folds * n_cells)
            shares = np.full(n_folds, 1 / n_folds)
            other = rng.multinomial(points.each_others, shares).T
            h, o = cumulative(kept.reshape(n_folds, n_cells)), cumulative(other)
            train_h, train_o = h.sum(axis=0) - h, o.sum(axis=0) - o
            chosen = self.best(train_h, train_h + train_o, train_h[:, -1:])[:, None]
            for total, counts in ((held, (h, o)), (others, (train_h, train_o))):
                found = [np.take_along_axis(one, chosen, axis=1) for one in counts]
                total += np.sum(found, axis=(1, 2)) / DIVISIONS
        return held, others / (n_folds - 1) - held

    def _expected(self, found: Floats, here: Floats) -> dict[str, DrawnRule]:
        """Draw the shares of both classes above the threshold.

        The lower limits are those of the smaller of what is found here and of what is
        expected elsewhere, and the upper ones of the larger.
        """
        n, m, profit, ends = self.n, self.m, self.aim.profit, []
        for size, one, seen in zip((m, n - m), found, here, strict=True):
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
        profits = profit(few, few + more), profit(many, many + less)
        return {
            "t": DrawnRule(here.sum(), fewest, most),
            "recall": DrawnRule(hits / m, few / m, many / m),
            "precision": DrawnRule(of_items, *shares),
            "profit": DrawnRule(profit(hits, hits + others), *profits),
        }

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
