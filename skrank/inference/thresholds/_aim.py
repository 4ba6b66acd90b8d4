"""What a choice is to reach, and how one candidate of several is chosen by it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skrank._utils._numbers import number
from skrank._utils._rounding import ROUNDING
from skrank._utils._warnings import warn
from skrank.inference.thresholds._guarantee import (
    Promises,
    precision_promised,
    targets_needed,
)
from skrank.inference.thresholds._rules import ChoiceRule, PromisedRule
from skrank.inference.variability._interval_rules import CertainRule

Floats = NDArray[np.float64]

#: Folds of a choice, and random divisions into them.
FOLDS, DIVISIONS = 10, 20


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """What a choice is to reach: a value of "t", "recall" or "precision", or a profit.

    The value of a profit is None, and the benefit is NaN without one. If the items of
    each ranking have their own `amounts`, it is the unit of these. A recall or a
    precision may have a `limit`, the largest t.
    """

    quantity: str
    value: Any
    benefit: float
    cost: float
    guarantee: float | None
    amounts: list[Floats] | None
    limit: Any = None

    @property
    def doubt(self) -> float:
        """Probability with which a guarantee may be missed."""
        return 1 - (self.guarantee or 0.0)

    def profit(self, gained: Any, items: Any) -> Any:
        """Return the profit of hits, or of benefits in their units."""
        return self.benefit * gained - self.cost * items

    @property
    def budget(self) -> Any:
        """The largest t, if there is one."""
        return self.value if self.quantity == "t" else self.limit

    def described(self, grouped: bool, mean: bool) -> str:
        """Return the aim in words; t may be a mean over groups."""
        limit = "" if self.limit is None else f" and t at most {self.limit:g}"
        of_mean = " in the mean" * mean
        if self.quantity == "profit":
            benefit = "of each item" if self.amounts else number(self.benefit, 6)
            said = f"(benefit {benefit}, cost {number(self.cost, 6)})"
            return f"the largest profit {said}"
        if self.quantity == "t":
            return f"t = {self.value:g}{of_mean}"
        said = f"{self.quantity} {self.value:g}"
        if self.guarantee is None:
            return f"{said}{limit}{of_mean * (limit != '')}"
        of_days = "mean " if grouped else ""
        return f"{of_days}{said} or more, with probability {self.guarantee:g}"


class Choice(ABC):
    """A choice for an aim: of a threshold for items, or of a depth for days.

    `gains` are what the aim sums, of at most `n` units: hits of as many targets, or the
    recalls or precisions of as many days. Candidates are along the last axis, the first
    without items.
    """

    promises: ClassVar[Promises]

    def __init__(self, aim: Aim, n_resamples: int, rng: np.random.Generator) -> None:
        self.aim, self.n_resamples, self.rng = aim, n_resamples, rng

    @abstractmethod
    def found(self) -> dict[str, Any]:
        """Choose, and return the fields of a result that depend on the choice."""

    def best(self, gains: Any, items: Any, n: Any, most: Any = math.inf) -> Any:
        """Return the index of the first best candidate, of at most `most` items."""
        aim = self.aim
        within = items <= most * (1 + ROUNDING)
        deepest = np.argmax(np.where(within, items, -1.0), axis=-1)
        if aim.quantity == "t":
            return deepest
        if aim.quantity == "profit":
            return np.argmax(aim.profit(gains, items), axis=-1)
        if aim.quantity == "recall":
            enough = gains >= self.needed(n)
            found = np.argmax(enough, axis=-1)
            return np.where(enough.any(axis=-1), np.minimum(found, deepest), deepest)
        if aim.guarantee is not None:
            return self.promises.deepest(gains, items, n, aim.value, aim.doubt)
        kept = within & (gains >= aim.value * items * (1 - ROUNDING))
        return np.argmax(np.where(kept, gains, -1.0), axis=-1)

    def needed(self, n: Any) -> Any:
        """Return the least gain for the recall, above all of it if that fails."""
        aim = self.aim
        if aim.guarantee is None:
            return aim.value * n * (1 - ROUNDING)
        return self.promises.needed(n, aim.value, aim.doubt)

    def drawn(self, of_others: Callable[[int], tuple[Any, ...]]) -> NDArray[Any]:
        """Choose among gains and items of drawn samples, some at a time."""
        return self.in_pieces(lambda size: self.best(*of_others(size)))

    def in_pieces(self, draw: Callable[[int], NDArray[Any]]) -> NDArray[Any]:
        """Return the draws of all resamples, some at a time."""
        starts = range(0, self.n_resamples, 256)
        sizes = [min(256, self.n_resamples - start) for start in starts]
        return np.concatenate([draw(size) for size in sizes])

    def tell_limit(self, gain: float, n: float, looked: str) -> None:
        """Warn if a recall was not reached within the limit."""
        aim = self.aim
        if aim.quantity != "recall" or aim.limit is None or gain >= self.needed(n):
            return
        said = f"No threshold within t = {aim.limit:g} has a recall of {aim.value:g}"
        warn(f"{said}: the number of inspected items is {looked}.", UserWarning)

    def keeps(self, at: int, gains: Floats, items: NDArray[Any], n: int) -> bool:
        """Return whether the guarantee is kept, if there is one; warn if it is not."""
        aim = self.aim
        if aim.guarantee is None:
            return False
        if aim.quantity == "recall" and gains[at] < self.needed(n):
            least = f"{targets_needed(aim.value, aim.doubt)} {self.promises.units}"
            said = f"The guarantee needs {least} or more, and got {n}"
            warn(f"{said}: all items are inspected.", UserWarning)
            return False
        if aim.quantity == "precision" and at == 0:
            said = f"A precision of {aim.value:g} cannot be guaranteed with probability"
            others = self.promises.other(gains, items, n, aim.value, aim.doubt)
            sure = f"{aim.guarantee:g}"
            warn(f"{said} {sure}: no item is inspected. {others}", UserWarning)
            return False
        return True

    def promise(self, estimate: float, gain: float, n: float) -> PromisedRule:
        """Return a guaranteed value with its limit."""
        shown = self.promises.shown
        if self.aim.quantity == "recall":
            return PromisedRule(estimate, partial(shown, float(self.needed(n)), n))
        limit = partial(precision_promised, shown, self.aim.value, gain, n)
        return PromisedRule(estimate, limit)

    def apparent(self, hits: float, t: float, m: float, profit: Any) -> dict[str, Any]:
        """Return the values on the labels with which the choice was made."""
        return {
            "apparent_recall": hits / m,
            "apparent_precision": float(share(hits, t)),
            "apparent_profit": float(profit),
        }

    def certain(self, hits: float, t: float, worth: float) -> dict[str, ChoiceRule]:
        """Return what no other items can change: none or all of them are looked at."""
        values = {"t": t, "recall": float(t > 0), "precision": share(hits, t)}
        values["profit"] = self.aim.profit(worth, t)
        return {name: CertainRule(float(one)) for name, one in values.items()}


def share(hits: Any, items: Any) -> Any:
    """Share of targets among the items; NaN without items."""
    with np.errstate(invalid="ignore"):
        return np.divide(hits, items)


def excess_of_largest(amounts: Floats, mean: float, hits: float) -> float:
    """Return how far above the mean of some hits the amount of one more may be.

    The largest amount of others can be far above all of these. Of 12 targets with
    lognormal amounts that depend on their scores, intervals hold .93 of the savings,
    and with about half of 7 .88; benchmarks/savings.py has others.
    """
    further = 1 + 7 / math.sqrt(hits)
    return further * (float(amounts.max(initial=mean)) - mean)
