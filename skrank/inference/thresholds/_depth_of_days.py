"""The choice of one depth for several rankings, such as days."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_depth, invalid
from skrank._utils._warnings import warn
from skrank.curves._depths import spread_counts
from skrank.inference.thresholds._aim import DIVISIONS, FOLDS, Aim, Choice
from skrank.inference.thresholds._guarantee import OF_DAYS
from skrank.inference.thresholds._rules import DrawnDepthRule
from skrank.inference.thresholds._threshold_choice_points import other_sample
from skrank.inference.variability._interval_rules import (
    CertainRule,
    StudentRule,
    WidestRule,
)
from skrank.ranking._ranking import Ranking, hits_at
from skrank.ranking._standing import items_above

Floats = NDArray[np.float64]


class DepthOfDays(Choice):
    """A depth for each day. Tables of the days have a row a day, a column a depth."""

    promises = OF_DAYS

    def __init__(self, aim: Aim, rankings: list[Ranking], *drawing: Any) -> None:
        super().__init__(aim, *drawing)
        self.n_days = len(rankings)
        sizes = np.array([one.n_samples for one in rankings])
        if self.n_days < 2:
            raise invalid("groups", "make two rankings or more", str(self.n_days))
        # with half as many, intervals of t hold .82 to .92, by benchmarks/thresholds.py
        if self.n_days < 10:
            said = f"{self.n_days} rankings are few: with 5, intervals for 95 % held"
            what = "82 to 92 % of the depths and 95 to 100 % of the other values"
            warn(f"{said} {what} in simulations.", UserWarning)
        self.most = int(sizes.max())
        self.depths = np.arange(self.most + 1)
        if self.most > 2048:  # not all depths are tried
            self.depths = np.append(0, spread_counts(self.most))
        depths = self.depths
        if aim.quantity == "t":  # a single choice, which may be a share of each
            whole = check_depth("t", aim.value, sizes, beyond=True)
            depths = np.reshape(whole, (-1, 1))
        items = np.minimum(depths, sizes[:, None]).astype(float)
        self.items = items
        each = zip(rankings, items, strict=True)
        self.hits = np.stack([hits_at(*one) for one in each])
        self.worth = self.hits  # or the sum of the benefits of the hits
        if aim.amounts is not None:
            each_day = zip(rankings, aim.amounts, items, strict=True)
            self.worth = np.stack([_worth_at(*one) for one in each_day])
        self.targets = np.array([float(one.n_targets) for one in rankings])
        # a recall or a precision is chosen by the hits, a profit by their worth, and a
        # promise by the recalls or precisions of the days
        self.gains = self.worth if aim.quantity == "profit" else self.hits
        self.units = self.targets
        if aim.guarantee is not None:
            of_recall = aim.quantity == "recall"
            self.units = (self.targets > 0) | (not of_recall)
            of_day = self.targets[:, None] if of_recall else items
            self.gains = self.hits / np.maximum(of_day, 1)

    def found(self) -> dict[str, Any]:
        """Return the depth, and what to expect of it on other days."""
        aim, n_days, m = self.aim, self.n_days, float(self.targets.sum())
        sums, looked = self.gains.sum(axis=0), self.items.sum(axis=0)
        n_units = self.units.sum()
        at = int(self.best(sums, looked, n_units))
        t = looked[at] / n_days if aim.quantity == "t" else self.depths[at]
        held, *of_held = self._held_out()
        each = [self._expected(*of_held)]
        if aim.quantity != "t":
            here = (self.worth[:, at], self.hits[:, at], self.items[:, at])
            each.append(self._expected(*here))
        rules: dict[str, Any] = {
            name: WidestRule([one[name] for one in each]) for name in each[0]
        }
        if t == 0:
            rules = {**self.certain(0.0, 0.0)}
        elif self.targets.max() == m:
            warn("The recall is undefined: one of the rankings has all targets.")
        weights = partial(other_sample, self.rng, np.ones(n_days))
        drawn = self.drawn(lambda size: self._weighted(weights(size)))
        rules["t"] = CertainRule(float(t))
        if aim.quantity != "t":
            rules["t"] = DrawnDepthRule(float(t), self.depths[drawn], self.most)
        hits, items = float(self.hits[:, at].sum()), float(looked[at])
        profit = aim.profit(self.worth[:, at].sum(), items) / n_days
        apparent = self.apparent(hits, items, m, profit)
        if aim.guarantee is not None:
            apparent[f"apparent_{aim.quantity}"] = float(sums[at] / n_units)
        if self.keeps(at, sums, self.depths, int(n_units)):
            estimate = float(held.sum()) / int(n_units)
            rules[aim.quantity] = self.promise(estimate, sums[at], int(n_units))
        return {"threshold": math.nan, "t": t.item(), **apparent, "_rules": rules}

    def _weighted(self, weights: NDArray[Any]) -> tuple[Any, Any, Any]:
        """Return gains, items and units of samples of days, a row of weights each."""
        units = weights @ self.units
        return weights @ self.gains, weights @ self.items, units[:, None]

    def _held_out(self) -> Floats:
        """Gains, worth, hits and items of each at the depth chosen without its fold.

        They are means over the divisions into folds.
        """
        n_days = self.n_days
        found = np.zeros((4, n_days))
        for _ in range(DIVISIONS):
            fold = self.rng.permutation(np.arange(n_days) % FOLDS)
            inside = fold == np.arange(min(FOLDS, n_days))[:, None]
            w = (~inside).astype(float)
            chosen = self.best(
                w @ self.gains, w @ self.items, (w @ self.units)[:, None]
            )
            at = np.arange(n_days), chosen[fold]
            tables = (self.gains, self.worth, self.hits, self.items)
            found += np.stack([one[at] for one in tables])
        return found / DIVISIONS

    def _expected(
        self, worth: Floats, hits: Floats, items: Floats
    ) -> dict[str, CertainRule | StudentRule]:
        """Return what is expected of other days by the hits and items of each."""
        targets, days = self.targets, np.ones(self.n_days)
        # days with few targets tell little about them
        df = max(1.0, targets.sum() ** 2 / np.sum(targets**2) - 1)
        return {
            "recall": _ratio_rule(hits, targets, df, 0.0, 1.0),
            "precision": _ratio_rule(hits, items, df, 0.0, 1.0),
            "profit": _ratio_rule(
                self.aim.profit(worth, items), days, df, -math.inf, math.inf
            ),
        }


def _worth_at(ranking: Ranking, amounts: Floats, depths: Floats) -> Floats:
    """Sum of the benefits of the targets above each depth; a tie counts in part."""
    targets, above = ranking.items.targets, items_above(ranking.items.y_score)
    size = np.bincount(above)[above][targets]
    within = np.clip(depths[:, None] - above[targets], 0, size) / size
    return within @ amounts[targets]  # type: ignore[no-any-return]


def _ratio_rule(
    above: Floats, below: Floats, degrees_of_freedom: float, low: float, high: float
) -> CertainRule | StudentRule:
    """Student's t of a ratio of means over rankings, by its jackknife."""
    n, total = above.size, below.sum()
    if not np.all(below < total):
        return CertainRule(math.nan)
    ratio = above.sum() / total
    without = (above.sum() - above) / (total - below)
    error = math.sqrt((n - 1) / n * np.sum((without - ratio) ** 2))
    return StudentRule(float(ratio), error, degrees_of_freedom, low, high)
