"""The choice of one depth, or one threshold, for several rankings, such as days."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_depth, invalid
from skrank._utils._rounding import ROUNDING
from skrank._utils._warnings import warn
from skrank.curves._depths import spread_counts
from skrank.inference.thresholds._aim import (
    DIVISIONS,
    FOLDS,
    Aim,
    Choice,
    excess_of_largest,
)
from skrank.inference.thresholds._guarantee import OF_DAYS
from skrank.inference.thresholds._rules import DrawnDepthRule, DrawnRule
from skrank.inference.thresholds._threshold_choice_points import (
    beside,
    level_within,
    other_sample,
    some_of,
    sums_from,
)
from skrank.inference.variability._interval_rules import (
    BetaRule,
    CertainRule,
    StudentRule,
    WidestRule,
)
from skrank.inference.variability._moderation import error_of_one_value
from skrank.ranking._ranking import Ranking, hits_at
from skrank.ranking._standing import items_above

Floats = NDArray[np.float64]


class ChoiceOfDays(Choice):
    """A choice for several rankings, such as days, of which whole ones are drawn.

    Tables of the days have a row a day, a column a candidate.
    """

    promises = OF_DAYS
    depths: NDArray[Any]

    def __init__(self, aim: Aim, rankings: list[Ranking], *drawing: Any) -> None:
        super().__init__(aim, *drawing)
        self.n_days = len(rankings)
        self.sizes = np.array([one.n_samples for one in rankings])
        if self.n_days < 2:
            raise invalid("groups", "make two rankings or more", str(self.n_days))
        # with half as many, intervals of t hold .82 to .92, by benchmarks/thresholds.py
        if self.n_days < 10:
            said = f"{self.n_days} rankings are few: with 5, 95 % intervals covered"
            what = "82 to 92 % of the depths and 95 to 100 % of the other values"
            warn(f"{said} {what} in simulations.", UserWarning)
        self.most = np.full(self.n_days, math.inf)
        if aim.budget is not None:
            most = check_depth("t", aim.budget, self.sizes, beyond=True)
            self.most = np.minimum(most, self.sizes).astype(float)
        self.amounts = [
            amounts[one.items.targets]
            for one, amounts in zip(rankings, aim.amounts or [], strict=False)
        ]
        self.items, self.hits, self.worth = self._tables(rankings)
        self.targets = np.array([float(one.n_targets) for one in rankings])
        self.possible = self.targets  # worth of all targets of a day
        if self.amounts:
            self.possible = np.array([one.sum() for one in self.amounts])
        # a recall or a precision is chosen by the hits, a profit by their worth, and a
        # promise by the recalls or precisions of the days
        self.gains = self.worth if aim.quantity == "profit" else self.hits
        self.units = self.targets
        if aim.guarantee is not None:
            of_recall = aim.quantity == "recall"
            self.units = (self.targets > 0) | (not of_recall)
            of_day = self.targets[:, None] if of_recall else self.items
            self.gains = self.hits / np.maximum(of_day, 1)

    @abstractmethod
    def _tables(self, rankings: list[Ranking]) -> tuple[Floats, Floats, Floats]:
        """Return items, hits and worth of each day by each candidate."""

    @abstractmethod
    def _chosen(self, at: int, drawn: NDArray[np.intp]) -> dict[str, Any]:
        """Return threshold and t of a candidate, with rules by those that are drawn."""

    def found(self) -> dict[str, Any]:
        """Return the choice, and what to expect of it on other days."""
        aim, n_days, m = self.aim, self.n_days, float(self.targets.sum())
        sums, looked = self.gains.sum(axis=0), self.items.sum(axis=0)
        n_units = self.units.sum()
        at = int(self.best(sums, looked, n_units, self.most.sum()))
        held, *of_held = self._held_out()
        each = [self._expected(*of_held)]
        if sums.size > 1:  # there was a choice
            here = (self.worth[:, at], self.hits[:, at], self.items[:, at])
            each.append(self._expected(*here))
        rules: dict[str, Any] = {
            name: WidestRule([one[name] for one in each]) for name in each[0]
        }
        hits, items = float(self.hits[:, at].sum()), float(looked[at])
        if items == 0:
            rules = {**self.certain(0.0, 0.0, 0.0)}
        elif self.targets.max() == m:
            warn("The recall is undefined: one of the rankings has all targets.")
        weights = partial(other_sample, self.rng, np.ones(n_days))
        drawn = self.drawn(lambda size: self._weighted(weights(size)))
        self.tell_limit(hits, m, f"{items / n_days:.3g} a group")
        profit = aim.profit(self.worth[:, at].sum(), items) / n_days
        apparent = self.apparent(hits, items, m, profit)
        if aim.guarantee is not None:
            apparent[f"apparent_{aim.quantity}"] = float(sums[at] / n_units)
        if self.keeps(at, sums, self.depths, int(n_units)):
            estimate = float(held.sum()) / int(n_units)
            rules[aim.quantity] = self.promise(estimate, sums[at], int(n_units))
        chosen = self._chosen(at, drawn)
        rules |= chosen.pop("_rules")
        return {**chosen, **apparent, "_rules": rules}

    def _weighted(self, weights: NDArray[Any]) -> tuple[Any, ...]:
        """Return gains, items, units and limits of samples of days, a row each."""
        units, most = weights @ self.units, np.full((len(weights), 1), math.inf)
        if self.aim.budget is not None:
            most = (weights @ self.most)[:, None]
        return weights @ self.gains, weights @ self.items, units[:, None], most

    def _held_out(self) -> Floats:
        """Gains, worth, hits and items of each by the choice without its fold.

        They are means over the divisions into folds.
        """
        n_days = self.n_days
        found = np.zeros((4, n_days))
        for _ in range(DIVISIONS):
            fold = self.rng.permutation(np.arange(n_days) % FOLDS)
            inside = fold == np.arange(min(FOLDS, n_days))[:, None]
            chosen = self.best(*self._weighted((~inside).astype(float)))
            at = np.arange(n_days), chosen[fold]
            tables = (self.gains, self.worth, self.hits, self.items)
            found += np.stack([one[at] for one in tables])
        return found / DIVISIONS

    def _expected(
        self, worth: Floats, hits: Floats, items: Floats
    ) -> dict[str, CertainRule | StudentRule | WidestRule]:
        """Return what is expected of other days by the hits and items of each."""
        targets, days = self.targets, np.ones(self.n_days)
        # days with few targets tell little about them
        df = max(1.0, _units(targets) - 1)
        profits = self.aim.profit(worth, items)
        of_profit: CertainRule | StudentRule | WidestRule
        of_profit = _ratio_rule(profits, days, df, -math.inf, math.inf)
        found = hits.sum() / targets.sum()
        if _is_end(found):  # the profit varies with the recall
            without = float(self.aim.profit(0.0 * worth, items).mean())
            possible = float(self.aim.profit(self.possible, 0.0 * items).mean())
            of_recall = BetaRule(*_at_end(found, targets), possible, without)
            of_profit = WidestRule([of_profit, of_recall])
        return {
            "recall": _share_rule(hits, targets, df),
            "precision": _share_rule(hits, items, df),
            "profit": self._of_amounts(of_profit, profits, worth.sum(), hits.sum()),
        }

    def _of_amounts(
        self,
        rule: CertainRule | StudentRule | WidestRule,
        profits: Floats,
        worth: float,
        hits: float,
    ) -> CertainRule | StudentRule | WidestRule:
        """Widen an interval of the profit by what one more target may add."""
        if self.aim.amounts is None or hits == 0:
            return rule
        amounts = np.concatenate(self.amounts)
        excess = excess_of_largest(amounts, worth / hits, hits)

        def draw(size: int) -> Floats:
            shares = self.rng.standard_gamma(1.0, (size, self.n_days))
            mean = shares @ profits / shares.sum(axis=1)
            more = excess * self.rng.standard_gamma(1.0, size) / self.n_days
            return np.stack([mean, mean + more], axis=1)

        lows, highs = self.in_pieces(draw).T
        return WidestRule([rule, DrawnRule(rule.estimate, lows, highs)])


class DepthOfDays(ChoiceOfDays):
    """The same depth for each day."""

    def _tables(self, rankings: list[Ranking]) -> tuple[Floats, Floats, Floats]:
        aim, longest = self.aim, int(self.sizes.max())
        depths = np.arange(longest + 1)
        if longest > 2048:  # not all depths are tried
            depths = np.append(0, spread_counts(longest))
        if isinstance(aim.limit, int):
            depths = np.union1d(depths[depths < aim.limit], min(aim.limit, longest))
        self.depths = depths
        if aim.quantity == "t":  # a single choice, which may be a share of each
            depths = self.most[:, None]
        items = np.minimum(depths, self.sizes[:, None]).astype(float)
        each = zip(rankings, items, strict=True)
        hits = np.stack([hits_at(*one) for one in each])
        if aim.amounts is None:
            return items, hits, hits
        days = zip(rankings, self.amounts, items, strict=True)
        return items, hits, np.stack([_worth_at(*one) for one in days])

    def _chosen(self, at: int, drawn: NDArray[np.intp]) -> dict[str, Any]:
        if self.aim.quantity == "t":
            t: Any = float(self.items.mean())
            return {"threshold": math.nan, "t": t, "_rules": {"t": CertainRule(t)}}
        t = self.depths[at].item()
        rule = DrawnDepthRule(float(t), self.depths[drawn], self.depths[-1])
        return {"threshold": math.nan, "t": t, "_rules": {"t": rule}}


class ThresholdOfDays(ChoiceOfDays):
    """The same threshold for all days; t is the mean number of items of a day."""

    def _tables(self, rankings: list[Ranking]) -> tuple[Floats, Floats, Floats]:
        aim, scores = self.aim, [one.items.y_score for one in rankings]
        of_targets = [one.items.y_score[one.items.targets] for one in rankings]
        levels = np.unique(np.concatenate(of_targets))[::-1]
        if aim.quantity == "t":
            levels = _levels_near(np.concatenate(scores), self.most.sum())
        elif aim.limit is not None:
            within = level_within(np.concatenate(scores), self.most.sum())
            levels = np.unique(np.append(levels, within))[::-1]
        levels = levels[some_of(levels.size)]
        self.levels = np.concatenate([[math.inf], levels, [-math.inf]])
        self.depths = self.levels
        items = np.stack([sums_from(self.levels, one) for one in scores])
        hits = np.stack([sums_from(self.levels, one) for one in of_targets])
        if aim.amounts is None:
            return items, hits, hits
        each = zip(of_targets, self.amounts, strict=True)
        return items, hits, np.stack([sums_from(self.levels, *one) for one in each])

    def _chosen(self, at: int, drawn: NDArray[np.intp]) -> dict[str, Any]:
        threshold, items = float(self.levels[at]), self.items[:, at]
        t = float(items.mean())
        # as many days again vary as well
        error = math.sqrt(2 * float(items.var(ddof=1)) / self.n_days)
        most = float(self.sizes.max())
        rules = {
            "threshold": DrawnRule(threshold, *beside(self.levels, drawn)),
            "t": StudentRule(t, error, self.n_days - 1, 0.0, most),
        }
        return {"threshold": threshold, "t": t, "_rules": rules}


def _levels_near(scores: Floats, depth: float) -> Floats:
    """Return scores as thresholds, best first: many near a depth, with that of it.

    The next better score is among them, for a tie that does not fit.
    """
    ordered = np.sort(scores)[::-1]
    last = scores.size - 1
    at = min(max(int(depth), 1), scores.size) - 1
    near = np.linspace(at / 4, min(4 * at, last), 400).astype(np.intp)
    found = ordered[np.union1d([at], near)]
    better = ordered[ordered > ordered[at]][-1:]
    levels: Floats = np.unique(np.concatenate([found, better]))[::-1]
    return levels


def _worth_at(ranking: Ranking, amounts: Floats, depths: Floats) -> Floats:
    """Sum of the benefits of the targets above each depth; a tie counts in part."""
    targets, above = ranking.items.targets, items_above(ranking.items.y_score)
    size = np.bincount(above)[above][targets]
    within = np.clip(depths[:, None] - above[targets], 0, size) / size
    return within @ amounts  # type: ignore[no-any-return]


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


def _share_rule(
    hits: Floats, below: Floats, degrees_of_freedom: float
) -> CertainRule | StudentRule | WidestRule:
    """Student's t of a share, which other days may change even if no day here does.

    If no target is found, or all are, the limits are binomial (Clopper and Pearson
    1934). If all days have another share, the error is that of half a day that differs.
    """
    rule = _ratio_rule(hits, below, degrees_of_freedom, 0.0, 1.0)
    if math.isnan(rule.estimate) or rule.standard_error > ROUNDING:
        return rule
    if _is_end(rule.estimate):
        return WidestRule([rule, BetaRule(*_at_end(rule.estimate, below), 1.0, 0.0)])
    error = error_of_one_value(1.0, _units(below))
    return StudentRule(rule.estimate, error, degrees_of_freedom, 0.0, 1.0)


def _units(below: Floats) -> float:
    """Return how many days of equal size tell as much."""
    return float(below.sum() ** 2 / np.sum(below**2))


def _is_end(share: float) -> bool:
    """Whether a share is 0 or 1."""
    return bool(min(share, 1 - share) <= ROUNDING)


def _at_end(share: float, below: Floats) -> tuple[float, float]:
    """Return the parameters of a beta variable: no day is known that differs."""
    n_units = _units(below)
    return (1.0, n_units) if share < 0.5 else (n_units, 1.0)
